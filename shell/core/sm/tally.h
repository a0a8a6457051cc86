/* SPDX-License-Identifier: Apache-2.0 */
/* What of an SM's counts is which stream's, and so which launch's.
 *
 * Issue slots that stay unused are charged as stall.h says. While the TBs of one stream alone are
 * on the SM, their reasons are that stream's, so that the slots of a whole while are charged at its
 * end and no cycle costs more. While there are TBs of several (WR_LISTEN_SHARED), each slot is
 * charged at once, to the stream of the first warp slot whose warp has the reason. A slot without a
 * warp (WR_SLOT_EMPTY) is nobody's.
 *
 * Invariant: over the streams, stalls add up to `slots` of the SM, for each reason.
 */
#ifndef WR_SHELL_CORE_SM_TALLY_H
#define WR_SHELL_CORE_SM_TALLY_H

#include "shell/core/seam/hooks.h"
#include "shell/core/sm/stall.h"

#define WR_SHARED WR_MAX_STREAMS /* owner: several streams */

typedef struct wr_l1_tally {
    uint64_t hits, misses, merges;
} wr_l1_tally;

typedef struct wr_tally {
    uint32_t owner;               /* the stream, or WR_SHARED */
    uint64_t since[WR_SLOT_USES]; /* slots of all schedulers, when it became that */
    uint64_t stalls[WR_MAX_STREAMS][WR_SLOT_USES];
    wr_l1_tally l1[WR_MAX_STREAMS];
} wr_tally;

/* A TB has come to the SM, whose slots are settled. */
void wr_tally_placed(wr_sm *sm, uint32_t stream);
/* Where there are several streams: charges slots of a scheduler to what keeps it from issuing;
 * those that one of these warps would have had, which the SM has counted. */
void wr_tally_charge(wr_sm *sm, uint32_t scheduler, uint64_t slots);
void wr_tally_stall(wr_sm *sm, uint64_t warps, wr_slot_use reason, uint64_t slots);
/* Between cycles, with settled slots: adds the stream's stalls up to now, by reason. */
void wr_tally_stalls(wr_sm *sm, uint32_t stream, uint64_t stalls[WR_SLOT_USES]);

#endif
