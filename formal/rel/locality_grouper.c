/* SPDX-License-Identifier: Apache-2.0 */
/* locality_grouper: what the RTL keeps of pairs of slots, and of each against the group served
 * last, is what their keys and orders say. A slot that was never launched has none, so nothing is
 * said of it; one whose warp is gone has had its turn, or nobody asks for its key. */
#include "refmodel/hints/locality_grouper.h"
#include "formal/rel/relate.h"

void relate(wr_locality_grouper *s, wr_when when)
{
    const uint32_t width = s->cfg.coord_bits + 5;
    bool known[WR_LOCALITY_SLOTS_MAX];
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        known[k] = s->resident_q[k] || s->had_turn_q[k];
        LINK_WHERE(known[k], s->key_q[k], "key_q", k, 0, k * width, width);
        LINK_WHERE(known[k], s->order_q[k], "order_q", k, 0, k * width, width);
        const bool lower = RTL("lower_q", 0, 0, k, 1);
        const bool other = RTL("other_q", 0, 0, k, 1);
        HOLDS(!known[k] || lower == (s->served_q && s->key_q[k] < s->last_key_q));
        HOLDS(!known[k] || other == (s->served_q && s->key_q[k] != s->last_key_q));
    }
    for (uint32_t b = 1; b < s->cfg.slots; b++) {
        for (uint32_t a = 0; a < b; a++) {
            const uint32_t pair = b * (b - 1) / 2 + a;
            const bool same = RTL("same_q", 0, 0, pair, 1);
            const bool below = RTL("below_q", 0, 0, pair, 1);
            const bool both = known[a] && known[b];
            HOLDS(!both || same == (s->key_q[a] == s->key_q[b]));
            HOLDS(!both ||
                  below == (s->key_q[a] < s->key_q[b] ||
                            (s->key_q[a] == s->key_q[b] && s->order_q[a] <= s->order_q[b])));
        }
    }
    HOLDS(s->groups_q >= 1 && s->groups_q <= 32);
    HOLDS(s->turn_q < s->groups_q);
}
