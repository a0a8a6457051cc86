/* SPDX-License-Identifier: Apache-2.0 */
/* warp_context_table: addresses are equal in rows that are valid. */
#include "refmodel/duet/warp_context_table.h"
#include "formal/rel/relate.h"

void relate(wr_warp_context_table *s, wr_when when)
{
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        LINK_WHERE(s->valid_q[i], s->reg_addr_q[i], "gen_row[%].reg_addr_q", i, 0, 0, 12);
        LINK_WHERE(s->valid_q[i], s->meta_addr_q[i], "gen_row[%].meta_addr_q", i, 0, 0, 12);
    }
}
