/* SPDX-License-Identifier: Apache-2.0 */
/* switch_queues: the RTL keeps rings, the model the oldest entry first. */
#include "refmodel/duet/switch_queues.h"
#include "formal/rel/relate.h"

/* The element that a counter of up to twice the depth points to. */
static uint64_t at(const uint64_t *ring, uint32_t place, uint32_t depth)
{
    place = place >= depth ? place - depth : place;
    return place < depth ? ring[place] : 0;
}

void relate(wr_switch_queues *s, wr_when when)
{
    for (uint32_t i = 0; i < WR_SWITCH_QUEUES_PAIR; i++) {
        const uint32_t warps = s->cfg.warp_depth, tbs = s->cfg.tb_depth;
        const uint32_t warp_rd = (uint32_t)RTL("gen_queue[%].u_warp.rd_q", i, 0, 0, 0);
        const uint32_t tb_rd = (uint32_t)RTL("gen_queue[%].u_tb.rd_q", i, 0, 0, 0);
        uint64_t ring[WR_SWITCH_QUEUES_DEPTH_MAX];

        HOLDS(warp_rd < warps);
        HOLDS(s->warp_count_q[i] <= warps);
        HOLDS(tb_rd < tbs);
        HOLDS(s->tb_count_q[i] <= tbs);
        for (uint32_t e = 0; e < warps; e++) {
            ring[e] = RTL("gen_queue[%].u_warp.gen_entry[%].entry_q", i, e, 0, 7);
        }
        for (uint32_t k = 0; k < warps; k++) {
            LINK_VALUE(k < s->warp_count_q[i], s->warp_q[i][k], k, at(ring, warp_rd + k, warps));
        }
        for (uint32_t e = 0; e < tbs; e++) {
            ring[e] = RTL("gen_queue[%].u_tb.gen_entry[%].entry_q", i, e, 0, 5);
        }
        for (uint32_t k = 0; k < tbs; k++) {
            LINK_VALUE(k < s->tb_count_q[i], s->tb_q[i][k], k, at(ring, tb_rd + k, tbs));
        }
    }
}
