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
 * All are [serial] but the first three, which may be called under either rule.
 */
#ifndef WR_SHELL_CORE_SEAM_IDENTITY_H
#define WR_SHELL_CORE_SEAM_IDENTITY_H

#include "shell/core/seam/context.h"

uint32_t wr_sm_warp_id(const wr_sm *sm, uint32_t warp);
uint32_t wr_sm_warp_slot(const wr_sm *sm, uint32_t id); /* UINT32_MAX: it is away */
/* Registers, a bit each, for which the warp waits. */
uint64_t wr_sm_warp_pending(const wr_sm *sm, uint32_t id);

/* It is held (warp.h) or stopped, has been resumed since it was placed, has not finished, waits
 * neither for its stores nor at a barrier that reduces, and nothing of it is in the pipeline or the
 * LSU's queue: only loads beyond them. And fewer than WR_MOST_AWAY warps of the SM are away. */
#define WR_MOST_AWAY 128
bool wr_sm_warp_may_leave(const wr_sm *sm, uint32_t warp);
/* Its slot and registers are free and poisoned; returns the identity. Holds on the slot end. */
uint32_t wr_sm_warp_leave(wr_sm *sm, uint32_t warp, uint32_t poison);
/* Takes a free slot and registers, poisoned; the warp waits, with an empty stack, for its state
 * and wr_sm_warp_resume. False: the slot is taken or registers are short. */
bool wr_sm_warp_enter(wr_sm *sm, uint32_t id, uint32_t warp, uint32_t poison);

#endif
