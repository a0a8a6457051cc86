/* SPDX-License-Identifier: Apache-2.0 */
/* A warp apart from its slot: a single warp leaves its slot and its registers, its TB's other warps
 * run on, and it comes back to any slot of the SM, with loads still in flight.
 *
 * An identity is a warp's handle on its SM from placing to the end of its TB. A warp that is away
 * holds no slot and no registers, but its place at barriers, what its loads will give, and its
 * stores. Its state (registers, predicates, SIMT stack) is the system's: it reads it before the
 * warp leaves (context.h) and writes it when the warp is back, then resumes it. Values of loads
 * move at issue, so a register that a load in flight will give already reads as it will; it may
 * be used no earlier than wr_sm_warp_pending says.
 *
 * Where it waited (warp_stalled), warp_woken is told as it leaves; if it must wait when it is
 * resumed, that is told anew. A TB that is told to stop stops in part while a warp of it
 * is away, which itself stops when it is back: at the barrier where it waits, else at its next
 * preemption point. While one is away the TB can't be evicted.
 *
 * All are [serial] but the first five, which may be called under either rule.
 */
#ifndef WR_SHELL_CORE_SEAM_IDENTITY_H
#define WR_SHELL_CORE_SEAM_IDENTITY_H

#include "shell/core/seam/context.h"

uint32_t wr_sm_warp_id(const wr_sm *sm, uint32_t warp);
uint32_t wr_sm_warp_slot(const wr_sm *sm, uint32_t id); /* UINT32_MAX: it is away */
/* Of the warp of this number in its TB. */
uint32_t wr_sm_tb_id(const wr_sm *sm, uint32_t tb_slot, uint32_t index);
/* Registers, a bit each, for which the warp waits. */
uint64_t wr_sm_warp_pending(const wr_sm *sm, uint32_t id);

/* Nothing of it is in the pipeline or the LSU's queue: only loads beyond them. */
bool wr_sm_warp_clear(const wr_sm *sm, uint32_t warp);
/* It is held (warp.h) or stopped, has been resumed since it was placed, has not finished, waits
 * neither for its stores nor at a barrier that reduces, and is clear. And fewer than WR_MOST_AWAY
 * warps of the SM are away, those that have retired among them. */
#define WR_MOST_AWAY 128
bool wr_sm_warp_may_leave(const wr_sm *sm, uint32_t warp);
/* Its slot and registers are free, and poisoned unless kept names them (WR_KEEPS_REGISTERS: who
 * moves their bytes does so himself, storage.h); returns the identity. Holds on the slot
 * end. */
uint32_t wr_sm_warp_leave(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison);
/* Takes a free slot and registers; the warp waits, with an empty stack, for its state and
 * wr_sm_warp_resume. where: NULL for registers of the slot's own, poisoned; else its register 0 is
 * in that row (shared: of no matter), poisoned unless they are kept. False: the slot is taken or
 * registers are short. */
bool wr_sm_warp_enter(wr_sm *sm, uint32_t id, uint32_t warp, const wr_tb_where *where,
                      uint32_t poison);
/* A warp that has finished, of which nothing is in the pipeline any more, gives slot and registers
 * back before its TB ends. False: not yet, or WR_MOST_AWAY are away. */
bool wr_sm_warp_retire(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison);

/* [serial] Places a TB that has not run, all of whose warps are away: it takes this TB slot, and
 * shared memory from byte `shared` on, unless that is WR_ELSEWHERE. A warp then enters with the
 * state that wr_sm_tb_first and cleared predicates give it. False: the slot is taken, shared memory
 * is short, or more than WR_MOST_AWAY warps would be away. */
#define WR_ELSEWHERE UINT32_MAX
bool wr_sm_tb_place_away(wr_sm *sm, uint32_t tb_slot, const wr_tb_info *tb, uint32_t shared);
/* The stack's only entry of a warp of the TB that has not run. */
wr_simt_entry wr_sm_tb_first(const wr_sm *sm, uint32_t tb_slot, uint32_t index);

#endif
