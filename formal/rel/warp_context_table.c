/* SPDX-License-Identifier: Apache-2.0 */
/* warp_context_table: addresses are equal in rows that are valid. The model counts the warps of a
 * group that are as asked; the counts part at the first that is not, for which the RTL looks. */
#include "refmodel/duet/warp_context_table.h"
#include "formal/rel/relate.h"

static void group(const wr_warp_context_table *s, wr_when when)
{
    const uint32_t first = (uint32_t)wr_in("group_first_i", 0, 7);
    const uint32_t count = (uint32_t)wr_in("group_count_i", 0, 6);
    uint32_t valid = 0, stalled = 0, ready = 0;
    bool not_stalled = false, not_ready = false;
    for (uint32_t id = first; id < first + count && id < s->cfg.warps; id++) {
        if (s->valid_q[id]) {
            const bool is_ready = s->state_q[id] == WR_WARP_READY ||
                                  (s->state_q[id] == WR_WARP_ABSENT && s->barrier_q[id]);
            valid++;
            stalled += s->state_q[id] == WR_WARP_STALLED;
            ready += is_ready;
            not_stalled = not_stalled || s->state_q[id] != WR_WARP_STALLED;
            not_ready = not_ready || !is_ready;
        }
        FOLLOWS(stalled <= valid && (stalled == valid) == !not_stalled);
        FOLLOWS(ready <= valid && (ready == valid) == !not_ready);
    }
}

void relate(wr_warp_context_table *s, wr_when when)
{
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        LINK_WHERE(s->valid_q[i], s->reg_addr_q[i], "gen_row[%].reg_addr_q", i, 0, 0, 12);
        LINK_WHERE(s->valid_q[i], s->meta_addr_q[i], "gen_row[%].meta_addr_q", i, 0, 0, 12);
    }
    if (when == WR_NOW) {
        group(s, when);
    }
}
