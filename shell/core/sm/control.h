/* SPDX-License-Identifier: Apache-2.0 */
/* What systems have pushed to an SM (seam/warp.h, seam/launch.h), by owner, and joined.
 *
 * The joined masks over warp slots stand in the SM itself: `held`, `stopping`, `halting`. They
 * follow when something is pushed and when a TB comes or goes.
 */
#ifndef WR_SHELL_CORE_SM_CONTROL_H
#define WR_SHELL_CORE_SM_CONTROL_H

#include "shell/core/seam/hooks.h"

typedef struct wr_control {
    uint64_t hold[WR_MAX_OWNERS];                        /* warp slots */
    uint32_t hold_stream[WR_MAX_OWNERS][WR_MAX_STREAMS]; /* schedulers */
    uint32_t streams[WR_MAX_OWNERS];                     /* with such a hold */
    uint32_t memory[WR_MAX_OWNERS]; /* streams: instructions that go to the L1 */
    uint64_t loads[WR_MAX_OWNERS];  /* warp slots: loads that do */
    uint64_t stop[WR_MAX_OWNERS];   /* TB slots: at points */
    uint64_t halt[WR_MAX_OWNERS];   /* likewise: at once */
    uint64_t drop[WR_MAX_OWNERS];   /* likewise: to be discarded */
    uint64_t keep[WR_MAX_OWNERS];   /* warp slots: halt leaves them, drop does not */
    uint32_t limit[WR_MAX_OWNERS];  /* warps; 0: none */
    uint32_t close[WR_MAX_OWNERS];  /* streams */
    uint32_t closed;                /* of all owners */
    uint32_t spare;                 /* owners that use spare issue slots */
    uint32_t attend;                /* owners, a bit each */
} wr_control;

/* A TB has come to this slot, or a warp of it; has left it, with these warp slots; UINT32_MAX: only
 * a warp has. */
void wr_control_placed(wr_sm *sm, uint32_t tb_slot);
void wr_control_removed(wr_sm *sm, uint32_t tb_slot, uint64_t warps);

#endif
