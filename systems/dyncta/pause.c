/* SPDX-License-Identifier: Apache-2.0 */
/* Pausing of TBs; see pause.h. */
#include "systems/dyncta/pause.h"

#include "shell/core/seam/warp.h"

static uint32_t older_than(const wr_tb_pause *p, uint64_t order)
{
    uint32_t older = 0;

    for (uint32_t t = 0; t < WR_CONFIG_MAX_TBS; t++) {
        older += p->order[t] != 0 && p->order[t] < order;
    }
    return older;
}

uint32_t wr_tb_pause_push(const wr_tb_pause *p, wr_sm *sm)
{
    uint64_t held = 0;
    uint32_t paused = 0;

    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        if (p->order[t] != 0 && older_than(p, p->order[t]) >= p->limit) {
            wr_tb_info tb = wr_sm_tb(sm, t);

            for (uint32_t w = 0; w < tb.warps; w++) {
                uint32_t warp = wr_sm_tb_warp(sm, t, w);

                held |= warp != UINT32_MAX ? UINT64_C(1) << warp : 0;
            }
            paused++;
        }
    }
    wr_sm_hold(sm, p->owner, held);
    return paused;
}

void wr_tb_pause_placed(wr_tb_pause *p, wr_sm *sm, uint32_t tb_slot)
{
    p->order[tb_slot] = ++p->placed;
    (void)wr_tb_pause_push(p, sm);
}

void wr_tb_pause_done(wr_tb_pause *p, wr_sm *sm, uint32_t tb_slot)
{
    p->order[tb_slot] = 0;
    (void)wr_tb_pause_push(p, sm);
}
