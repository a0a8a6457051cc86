/* SPDX-License-Identifier: Apache-2.0 */
/* warp_slots: warps are equal in slots that are taken. The model counts the free slots, the RTL
 * keeps their number. */
#include "refmodel/duet/warp_slots.h"
#include "formal/rel/relate.h"

static uint32_t free_slots(const wr_warp_slots *s)
{
    uint32_t count = 0;
    for (uint32_t i = s->cfg.slots; i-- > 0;) {
        count += !s->taken_q[i];
    }
    return count;
}

void relate(wr_warp_slots *s, wr_when when)
{
    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        LINK_WHERE(s->taken_q[i], s->warp_q[i], "gen_row[%].warp_q", i, 0, 0, 7);
    }
    SAME(free_slots(s), RTL("free_q", 0, 0, 0, 7));
}
