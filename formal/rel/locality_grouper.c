/* SPDX-License-Identifier: Apache-2.0 */
/* locality_grouper: the turn is that of a group. */
#include "refmodel/hints/locality_grouper.h"
#include "formal/rel/relate.h"

void relate(wr_locality_grouper *s, wr_when when)
{
    const uint32_t width = s->cfg.coord_bits + 5;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        LINK(s->key_q[k], "key_q", k, 0, k * width, width);
        LINK(s->order_q[k], "order_q", k, 0, k * width, width);
    }
    HOLDS(s->groups_q >= 1 && s->groups_q <= 32);
    HOLDS(s->turn_q < s->groups_q);
}
