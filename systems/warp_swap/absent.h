/* SPDX-License-Identifier: Apache-2.0 */
/* The warps of one SM that are away, with their state, in the order in which they left.
 *
 * One whose loads are back comes back to the first slot that is free with registers for it; none
 * overtakes another that could come back. All are [serial].
 */
#ifndef WR_SYSTEMS_WARP_SWAP_ABSENT_H
#define WR_SYSTEMS_WARP_SWAP_ABSENT_H

#include "shell/core/seam/identity.h"

typedef struct wr_absent {
    uint32_t id, registers, depth;
    uint64_t since;
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t preds[WR_ISA_PREDS], regs[WR_ISA_MAX_REGS][32];
} wr_absent;

typedef struct wr_absents {
    wr_absent *queue[WR_MOST_AWAY]; /* the first `count` are away; the others are free to use */
    uint32_t count, most;
    uint64_t left, cycles; /* sums: times, and cycles away of those that are back */
} wr_absents;

/* The warp, which may leave (wr_sm_warp_may_leave), does. */
void wr_absents_leave(wr_absents *a, wr_sm *sm, uint32_t warp);
/* Those that can come back do; returns how many have their loads and no room. */
uint32_t wr_absents_return(wr_absents *a, wr_sm *sm);

#endif
