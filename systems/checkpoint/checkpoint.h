/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a run: every SM is stopped by its context engine, and when all TBs are in memory
 * and memory is quiet, somebody writes it down. Then the run ends there, or the TBs come back.
 *
 *   run --due--> stop --all saved, quiet--> write --+--> the run ends (WR_RUN_SAVED)
 *    ^                                               |
 *    +------ all TBs are back ------- return <-------+
 *
 * A run that goes on from a checkpoint begins in `return`. From `stop` to the end of `return` the
 * dispatcher places no TB.
 *
 * It is no system of the registry: options of `warpref run` attach it, behind all systems
 * (docs/checkpoint.md). Systems that count or hold TBs as the dispatcher places them, or use the
 * context queue themselves, cannot run beside it.
 */
#ifndef WR_SYSTEMS_CHECKPOINT_CHECKPOINT_H
#define WR_SYSTEMS_CHECKPOINT_CHECKPOINT_H

#include "shell/core/seam/hooks.h"
#include "systems/checkpoint/contexts.h"

/* TBs that do not come to a preemption point for so many cycles end the run. */
#define WR_CHECKPOINT_PATIENCE UINT64_C(1000000)

typedef struct wr_checkpoint_plan {
    uint64_t at;                   /* GPU cycle of the one after which the run ends; 0: none */
    uint64_t every;                /* cycles between those after which it goes on; 0: none */
    const wr_saved_contexts *from; /* of the checkpoint that it goes on from; NULL: none */
    /* Writes it. False: it could not. */
    bool (*write)(void *arg, const wr_gpu *gpu, const wr_saved_contexts *contexts);
    void *arg;
} wr_checkpoint_plan;

typedef struct wr_checkpoint wr_checkpoint;

/* The system of this name (a text of --system) cannot run beside checkpoints. */
bool wr_checkpoint_not_with(const char *spec);

/* NULL with one line in err. The plan stays the caller's and in place. */
wr_checkpoint *wr_checkpoint_open_engines(const wr_gpu_config *cfg, wr_owner owner,
                                          const wr_checkpoint_plan *plan, char *err,
                                          size_t err_size);
const wr_system_hooks *wr_checkpoint_hooks(const wr_checkpoint *checkpoint);
void wr_checkpoint_close_engines(wr_checkpoint *checkpoint);

#endif
