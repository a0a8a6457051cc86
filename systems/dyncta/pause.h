/* SPDX-License-Identifier: Apache-2.0 */
/* The actuator of DYNCTA: at most so many TBs of an SM run, the oldest ones; the warps of the
 * others are held, and nothing of them leaves the SM. Seams: warp, launch.
 */
#ifndef WR_SYSTEMS_DYNCTA_PAUSE_H
#define WR_SYSTEMS_DYNCTA_PAUSE_H

#include "shell/core/seam/launch.h"

typedef struct wr_tb_pause {
    wr_owner owner;
    uint32_t limit;                    /* TBs that run */
    uint64_t placed;                   /* TBs so far */
    uint64_t order[WR_CONFIG_MAX_TBS]; /* of the TB in a slot, from 1 on; 0: there is none */
} wr_tb_pause;

/* Where tb_placed and tb_done of a system go. */
void wr_tb_pause_placed(wr_tb_pause *p, wr_sm *sm, uint32_t tb_slot);
void wr_tb_pause_done(wr_tb_pause *p, wr_sm *sm, uint32_t tb_slot);
/* After a change of the limit; returns how many TBs are paused. */
uint32_t wr_tb_pause_push(const wr_tb_pause *p, wr_sm *sm);

#endif
