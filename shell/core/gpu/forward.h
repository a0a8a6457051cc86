/* SPDX-License-Identifier: Apache-2.0 */
/* Fast-forward (gpu.h): TBs are executed on the SMs, but no cycle passes.
 *
 * The dispatcher fills the SMs as it does in time, so as many TBs are there together as the machine
 * holds, and those that wait for one another (a grid's barrier, locks) get on. In a round each TB
 * has some turns, in each of which its warps go on one after the other, up to a barrier, to their
 * end or through a number of instructions.
 *
 * Invariants, while it is on:
 * - gpu.cycle stands still, and no SM is in a cycle;
 * - nothing is in a pipeline, a queue or the memory system;
 * - the system's hooks are held back here, so nobody is told of anything.
 */
#ifndef WR_SHELL_CORE_GPU_FORWARD_H
#define WR_SHELL_CORE_GPU_FORWARD_H

#include "shell/core/exec/trail.h"
#include "shell/core/gpu.h"
#include "shell/core/seam/hooks.h"

typedef struct wr_forward {
    bool on;
    bool last; /* no TB comes any more */
    wr_forward_to to;
    uint64_t met;   /* launches of `to.kernel` */
    uint64_t clock; /* instructions of a warp that clocks have moved by */
    wr_forwarded done;
    wr_trail trail;
    struct wr_memcheck *check; /* NULL: accesses are not checked */
    bool held;                 /* these, of the system: */
    wr_system_hooks hooks;
    uint32_t listens;
} wr_forward;

/* A run begins with it on. */
void wr_forward_hold(wr_gpu *gpu);
/* Does time begin in front of this launch? Asked once for each. */
bool wr_forward_meets(wr_gpu *gpu, const wr_launch *launch);
/* Dispatches, and gives each TB its turns; false: there was nothing to do. */
bool wr_forward_round(wr_gpu *gpu);
/* No TB is on an SM: time begins. The system is still to be told of the launches in flight. */
void wr_forward_end(wr_gpu *gpu);
/* What SMs have counted meanwhile is dropped. */
void wr_forward_forget(wr_gpu *gpu);

#endif
