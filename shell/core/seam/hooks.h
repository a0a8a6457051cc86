/* SPDX-License-Identifier: Apache-2.0 */
/* What a system may hook into, and what it may see and do from there.
 *
 * A system is one file in systems/ that fills wr_system_hooks and owns its blocks. Hooks are
 * few and named after what happens; a NULL hook costs nothing. Everything else a system does
 * goes through the services below: it never reaches into the shell's structs.
 *
 * Warps of an SM are numbered by warp slot, TBs by TB slot. A TB's warps lie in consecutive
 * slots from tb.warp_base on.
 *
 * Preemption, in the shell's terms: with the signal of an SM up, a warp that is about to issue
 * PP or BAR_PP stops in front of it instead, and a warp that already waits at a barrier is
 * stopped at it: its arrival is undone and its PC is the BAR_PP (P21, P22), or the PP in front
 * of another barrier. A last arrival in
 * the cycle of the signal releases the barrier first. No new TB is placed on an SM while its
 * signal is up. A stopped warp is drained once it has no instruction in the pipeline and no
 * pending register write.
 */
#ifndef WR_SHELL_CORE_SEAM_HOOKS_H
#define WR_SHELL_CORE_SEAM_HOOKS_H

#include "shell/core/gpu.h"

typedef struct wr_sm wr_sm;

struct wr_system_hooks {
    void *self;
    /* Which of several launches gives this SM its next TB: `streams` are those of launches with
     * TBs left whose next one fits, the oldest launch first, one at least. One of them, or
     * UINT32_MAX: none now. NULL: the first, so that younger launches fill what older ones
     * leave. Asked like tb_may_launch. */
    uint32_t (*choose_launch)(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count);
    /* A TB of this stream's launch would be placed on this SM. Asked again in every simulated
     * cycle; a system whose answer changes while no attention is on names that cycle in
     * next_cycle. The end of a TB is a simulated cycle. */
    bool (*tb_may_launch)(void *self, wr_sm *sm, uint32_t stream);
    /* The TB in this slot has run to its end and left. */
    void (*tb_done)(void *self, wr_sm *sm, uint32_t tb_slot);
    /* A warp stopped at a preemption point; drained may still be false. */
    void (*warp_stopped)(void *self, wr_sm *sm, uint32_t warp);
    /* A warp finished with all its lanes (its TB may still run). */
    void (*warp_done)(void *self, wr_sm *sm, uint32_t warp);
    /* Once per GPU cycle that is simulated, before any sm_cycle: raise signals here. */
    void (*gpu_cycle)(void *self, wr_gpu *gpu);
    /* Once per cycle for each SM whose attention is on (wr_sm_attend). */
    void (*sm_cycle)(void *self, wr_sm *sm);
    /* The next cycle after now in which gpu_cycle wants to be called; UINT64_MAX = never. No
     * cycle is skipped while an SM's attention is on. */
    uint64_t (*next_cycle)(void *self, uint64_t now);
    /* A launch begins, ends. A stream has at most one at a time; those of other streams go on. */
    void (*launch_begin)(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch);
    void (*launch_end)(void *self, wr_gpu *gpu, uint32_t stream);
};

/* One SIMT stack entry (Lin-P III: 12 B). The top one runs. */
typedef struct wr_simt_entry {
    uint32_t pc;     /* next PC */
    uint32_t mask;   /* active mask */
    uint32_t reconv; /* reconvergence PC; UINT32_MAX = none */
} wr_simt_entry;
#define WR_SIMT_DEPTH 32 /* entries the shell can hold; Lin-P expects at most 11 */

/* Identity of a TB, all that placing it again needs besides its context. */
typedef struct wr_tb_info {
    bool valid;
    const wr_launch *launch;
    uint32_t stream; /* of the launch */
    uint32_t ctaid[3];
    uint32_t linear;    /* TB number in its grid */
    uint32_t warp_base; /* first warp slot */
    uint32_t warps;
    uint32_t threads;
    uint32_t regs;         /* allocated registers per thread (the kernel's, unrounded) */
    uint32_t shared_bytes; /* static and dynamic */
    uint32_t local_frame;  /* the TB's part of local memory, which stays its own */
} wr_tb_info;

typedef struct wr_warp_info {
    bool valid;
    bool done;    /* all lanes exited: SIMT stack empty */
    bool stopped; /* at a preemption point, will not issue */
    bool drained; /* nothing in the pipeline, no pending register write */
    uint32_t tb_slot;
    uint32_t index; /* warp number in its TB */
    uint32_t pc;
    uint32_t depth; /* SIMT stack entries; more than 1 = diverged */
} wr_warp_info;

/* The GPU and its SMs */
wr_sm *wr_gpu_sm(wr_gpu *gpu, uint32_t id);
uint32_t wr_gpu_sm_count(const wr_gpu *gpu);
const wr_gpu_config *wr_gpu_configuration(const wr_gpu *gpu);
void wr_gpu_abort(wr_gpu *gpu, const char *message); /* run ends as WR_RUN_SYSTEM */
/* In launch_begin only: the launch does not suit the system, and ends as WR_RUN_REFUSED before
 * its first cycle. */
void wr_gpu_refuse(wr_gpu *gpu, const char *message);
uint32_t wr_gpu_launches(const wr_gpu *gpu); /* in flight */
/* The stream's launch in flight; NULL: none. */
const wr_launch *wr_gpu_launch(const wr_gpu *gpu, uint32_t stream);
/* The stream of the oldest launch with TBs left to place; UINT32_MAX: none has. */
uint32_t wr_gpu_oldest_waiting(const wr_gpu *gpu);
wr_gpu *wr_sm_gpu(wr_sm *sm);
uint32_t wr_sm_id(const wr_sm *sm);
void wr_sm_attend(wr_sm *sm, bool on); /* sm_cycle every cycle from now on, or no more */
/* The preemption signal. When it falls, the warps that it stopped go on; warps of a TB placed by
 * wr_sm_tb_place wait for wr_sm_warp_resume. */
void wr_sm_signal(wr_sm *sm, bool up);
uint32_t wr_sm_tb_slots(const wr_sm *sm);
uint32_t wr_sm_warp_slots(const wr_sm *sm);
wr_tb_info wr_sm_tb(const wr_sm *sm, uint32_t tb_slot);
wr_warp_info wr_sm_warp(const wr_sm *sm, uint32_t warp);

/* State of a stopped, drained warp. Registers are 32 lanes x 32 bits. */
const uint32_t *wr_sm_reg(const wr_sm *sm, uint32_t warp, uint32_t reg);
void wr_sm_reg_write(wr_sm *sm, uint32_t warp, uint32_t reg, const uint32_t lanes[32]);
uint32_t wr_sm_pred(const wr_sm *sm, uint32_t warp, uint32_t pred); /* bit per lane */
void wr_sm_pred_write(wr_sm *sm, uint32_t warp, uint32_t pred, uint32_t lanes);
uint32_t wr_sm_stack(const wr_sm *sm, uint32_t warp,
                     wr_simt_entry out[WR_SIMT_DEPTH]); /* bottom first; returns depth */
void wr_sm_stack_write(wr_sm *sm, uint32_t warp, const wr_simt_entry *entries, uint32_t depth);
/* Barriers, a bit each, at which the warp has arrived without waiting (bar.arrive) and that are
 * not complete; also of a warp that has finished since. Write all warps' before any resumes. */
uint16_t wr_sm_pledges(const wr_sm *sm, uint32_t warp);
void wr_sm_pledges_write(wr_sm *sm, uint32_t warp, uint16_t barriers);
uint8_t *wr_sm_shared(wr_sm *sm, uint32_t tb_slot); /* its shared_bytes bytes */
/* The machine word at pc of the warp's kernel, as the instruction buffer holds it; 0 past the end.
 */
uint64_t wr_sm_fetch(const wr_sm *sm, uint32_t warp, uint32_t pc);

/* Takes a TB, all of whose live warps are stopped and drained, off the SM: frees its slots and
 * fills its registers, predicates and shared memory with poison. */
void wr_sm_tb_evict(wr_sm *sm, uint32_t tb_slot, uint32_t poison);
/* Places a TB by identity: slots and storage are allocated (registers, predicates, shared
 * memory poisoned), its warps are stopped with empty stacks. Returns the TB slot or UINT32_MAX
 * where it does not fit now. Launch bookkeeping counts it as running again. */
uint32_t wr_sm_tb_place(wr_sm *sm, const wr_tb_info *tb, uint32_t poison);
/* Stopped -> may issue. The preemption point at which the warp stands does not stop it again,
 * even with the signal up. A warp with an empty stack counts as finished from then on. */
void wr_sm_warp_resume(wr_sm *sm, uint32_t warp);

/* The context queue: memory traffic of save and restore, through the SM's injection port at
 * lower priority than regular requests (Lin-P V.A, P29), bypassing L1. Writes take effect in
 * simulated memory when the request is injected; a read delivers the bytes when its reply
 * arrives. bytes <= 128, inside one 128 B segment. */
bool wr_sm_ctx_write(wr_sm *sm, uint64_t addr, const void *src,
                     uint32_t bytes);                                        /* false: queue full */
bool wr_sm_ctx_read(wr_sm *sm, uint64_t addr, uint32_t bytes, uint32_t tag); /* false: queue full */
bool wr_sm_ctx_reply(wr_sm *sm, uint32_t *tag,
                     uint8_t out[128]); /* oldest arrived reply, in request order; false: none */
uint32_t
wr_sm_ctx_pending(const wr_sm *sm); /* requests queued, plus reads and writes not yet answered */

#endif
