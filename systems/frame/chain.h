/* SPDX-License-Identifier: Apache-2.0 */
/* Several systems on one GPU as one table of hooks.
 *
 * - A permission holds if all grant it. Permissions are masks (warp.h, launch.h), which the shell
 *   joins by owner; nothing of them comes here.
 * - Of choices (choose_launch, choose_tb, choose_warp) the first that chooses wins, in the order of
 *   the systems. UINT32_MAX means "I choose none of these now", not "no": the next system is asked,
 *   and only where none of them chooses does nothing happen in this cycle. A system that means "no"
 *   says so by a mask (wr_sm_close, wr_sm_hold): what is masked is no candidate for anyone. For a
 *   system that is alone both come to the same. The shell's own choice is not made where a system
 *   has the hook, whatever it answers, but for choose_tb: there none is the next in their order.
 *   A spare slot (cursor.h) goes to the first that issues in it.
 * - Events go to all, in the order of the systems. A system sees only itself: an event in front of
 *   which another system has acted must do it no harm, so that their order does not matter.
 *   gpu_cycle and sm_cycle come whenever one of the systems wants them: also in cycles that another
 *   asked for, and for SMs that only another attends.
 * - next_cycle is the least of those asked for; memory is read in those cycles if one reads it.
 *
 * A hook of the joined table is there only where a member has it, so that what nobody uses costs
 * nothing. One member's table is used as it is.
 */
#ifndef WR_SYSTEMS_FRAME_CHAIN_H
#define WR_SYSTEMS_FRAME_CHAIN_H

#include "shell/core/seam/hooks.h"

typedef struct wr_chain {
    wr_system_hooks joined;
    const wr_system_hooks *member[WR_MAX_OWNERS];
    uint32_t count;
} wr_chain;

/* Joins tables, which outlive the chain as the chain outlives its use; it must stay in place.
 * Returns the table to attach. count is 1 to WR_MAX_OWNERS. */
const wr_system_hooks *wr_chain_join(wr_chain *chain, const wr_system_hooks *const *members,
                                     uint32_t count);

#endif
