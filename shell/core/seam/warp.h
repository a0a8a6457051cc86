/* SPDX-License-Identifier: Apache-2.0 */
/* Warps: who may issue, by masks that a system pushes.
 *
 * A warp is kept from issuing by any of: a hold on its slot, a hold on its stream at its
 * scheduler, the SM's warp limit, a stop at a preemption point. One place of the shell joins them
 * (wr_sm_awake in sm/sm.h); nothing is asked per warp and cycle. A push replaces what the same
 * owner said before and takes effect at the SM's next choice of a warp.
 *
 * Preemption points: a warp of a TB that is told to stop stops when it is about to issue PP or
 * BAR_PP, in front of it; a warp that already waits at a barrier is stopped at it: its arrival is
 * undone and its PC is the BAR_PP (P21, P22), or the PP in front of another barrier. A last
 * arrival in the cycle of the stop releases the barrier first. A stopped warp is drained once it
 * has no instruction in the pipeline and no pending register write.
 */
#ifndef WR_SHELL_CORE_SEAM_WARP_H
#define WR_SHELL_CORE_SEAM_WARP_H

#include "shell/core/seam/hooks.h"

typedef struct wr_warp_info {
    bool valid;
    bool done;    /* all lanes exited: SIMT stack empty */
    bool stopped; /* at a preemption point, will not issue */
    bool drained; /* nothing in the pipeline, no pending register write */
    bool stores;  /* some of its stores are not acknowledged */
    uint32_t tb_slot;
    uint32_t index; /* warp number in its TB */
    uint32_t pc;
    uint32_t depth; /* SIMT stack entries; more than 1 = diverged */
} wr_warp_info;

uint32_t wr_sm_warp_slots(const wr_sm *sm);
wr_warp_info wr_sm_warp(const wr_sm *sm, uint32_t warp);
/* Masks over warp slots: warps that have not finished, of a stream, of a scheduler. */
uint64_t wr_sm_live_warps(const wr_sm *sm);
uint64_t wr_sm_stream_warps(const wr_sm *sm, uint32_t stream);
uint64_t wr_sm_scheduler_warps(const wr_sm *sm, uint32_t scheduler);

/* These warps do not issue. A slot's hold ends when its TB leaves. */
void wr_sm_hold(wr_sm *sm, wr_owner owner, uint64_t warps);
/* Warps of this stream, present ones and later ones, do not issue from these schedulers, a bit
 * each; 0: they do. */
#define WR_ALL_SCHEDULERS UINT32_MAX
void wr_sm_hold_stream(wr_sm *sm, wr_owner owner, uint32_t stream, uint32_t schedulers);
/* Instructions that go to the L1 (global, local and generic ones) of these streams, a bit each, do
 * not issue; those for shared memory and constants do. */
void wr_sm_hold_memory(wr_sm *sm, wr_owner owner, uint32_t streams);
/* Loads of these warps that go to the L1 do not issue; other instructions do. Such a hold ends when
 * the TB leaves. */
void wr_sm_hold_loads(wr_sm *sm, wr_owner owner, uint64_t warps);
/* Warps whose next instruction goes to the L1 and could issue, were none held so; their streams. */
uint64_t wr_sm_memory_warps(wr_sm *sm);
uint32_t wr_sm_memory_ready(wr_sm *sm);
/* At most n warps of the SM issue, the oldest ones; warps that are held, or wait at a barrier or
 * a fence, do not count (sm/schedule.h). 0: no limit. The least of all owners' and of the
 * configuration's sm.warp_limit holds. */
void wr_sm_limit(wr_sm *sm, wr_owner owner, uint32_t warps);

/* The warp that the configuration's scheduler chooses from these, of which there is one at least:
 * for a choose_warp (hooks.h) that leaves some out. */
uint32_t wr_sm_choose(wr_sm *sm, uint32_t scheduler, uint64_t candidates);
/* In age the warp in this slot comes in front of the warps in these, and behind all others: what
 * policy gto and limits of warps go by. The youngest is who has come last to its slot. */
void wr_sm_warp_age(wr_sm *sm, uint32_t warp, uint64_t younger);

/* Warps of these TBs, a bit for each TB slot, stop at their next preemption point. Where a TB is
 * no longer named by any owner, the warps that it stopped go on; warps of a TB placed by
 * wr_sm_tb_place wait for wr_sm_warp_resume. A TB's stop ends when it leaves. */
#define WR_ALL_TBS UINT64_MAX
void wr_sm_stop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs);
/* The same at once: in front of the next instruction, whatever it is; a warp that waits for its
 * stores stops behind its fence. */
void wr_sm_halt_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs);
/* The same, for TBs that will be discarded: nothing that they hold is of use. */
void wr_sm_drop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs);
/* These warps are not halted until they are named no more: there is more of them than PC, stack and
 * registers say. Those that are stopped stay so; those of TBs that are dropped stop. */
void wr_sm_keep_going(wr_sm *sm, wr_owner owner, uint64_t warps);

#endif
