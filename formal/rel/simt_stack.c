/* SPDX-License-Identifier: Apache-2.0 */
/* simt_stack: entries are equal below depth; from there on they mean nothing. The RTL has the top
 * in a register of its own. */
#include "refmodel/hints/simt_stack.h"
#include "formal/rel/relate.h"

void relate(wr_simt_stack *s, wr_when when)
{
    const uint32_t last = s->cfg.entries - 1;
    HOLDS(s->depth_q <= s->cfg.entries);
    for (uint32_t e = 0; e <= last; e++) {
        const bool live = e < s->depth_q, top = e + 1 == s->depth_q || e == last;
        LINK_VALUE(live, s->entry_q[e].pc, e,
                   top ? RTL("top_q", 0, 0, 0, 32) : RTL("gen_entry[%].entry_q", e, 0, 0, 32));
        LINK_VALUE(live, s->entry_q[e].rpc, e,
                   top ? RTL("top_q", 0, 0, 32, 32) : RTL("gen_entry[%].entry_q", e, 0, 32, 32));
        LINK_VALUE(live, s->entry_q[e].mask, e,
                   top ? RTL("top_q", 0, 0, 64, s->cfg.lanes)
                       : RTL("gen_entry[%].entry_q", e, 0, 64, s->cfg.lanes));
    }
}
