/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of single launches: what a launch's own warps and requests did, and issue slots that
 * they left unused. wr_launch_counters (counters.h) names them as the GPU's counters are named;
 * over all launches each adds up to that, but for what belongs to no launch.
 *
 * One more counter: a field here, its row in launch.c, and who counts it by stream, in
 * wr_launch_stats_of.
 */
#ifndef WR_SHELL_CORE_COUNTERS_LAUNCH_H
#define WR_SHELL_CORE_COUNTERS_LAUNCH_H

#include "shell/core/sm/stall.h"

/* Nothing but counts of 64 bits. */
typedef struct wr_launch_stats {
    uint64_t l1_hits, l1_misses, l1_merges;
    uint64_t l2_accesses, l2_hits, l2_misses;
    uint64_t stalls[WR_SLOT_USES]; /* by reason; 0 of slots in use or without a warp */
} wr_launch_stats;

void wr_launch_stats_add(wr_launch_stats *sum, const wr_launch_stats *more);
void wr_launch_stats_take(wr_launch_stats *sum, const wr_launch_stats *less);

#endif
