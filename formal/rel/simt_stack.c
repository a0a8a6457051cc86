/* SPDX-License-Identifier: Apache-2.0 */
/* simt_stack: entries are equal below depth; from there on they mean nothing. */
#include "refmodel/hints/simt_stack.h"
#include "formal/rel/relate.h"

void relate(wr_simt_stack *s, wr_when when)
{
    HOLDS(s->depth_q <= s->cfg.entries);
    for (uint32_t e = 0; e < s->cfg.entries; e++) {
        const bool live = e < s->depth_q;
        LINK_WHERE(live, s->entry_q[e].pc, "gen_entry[%].entry_q", e, 0, 0, 32);
        LINK_WHERE(live, s->entry_q[e].rpc, "gen_entry[%].entry_q", e, 0, 32, 32);
        LINK_WHERE(live, s->entry_q[e].mask, "gen_entry[%].entry_q", e, 0, 64, s->cfg.lanes);
    }
}
