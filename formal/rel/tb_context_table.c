/* SPDX-License-Identifier: Apache-2.0 */
/* tb_context_table: rows are equal where they are valid. */
#include "refmodel/duet/tb_context_table.h"
#include "formal/rel/relate.h"

void relate(wr_tb_context_table *s, wr_when when)
{
    for (uint32_t i = 0; i < s->cfg.tbs; i++) {
        LINK_WHERE(s->valid_q[i], s->absent_q[i], "gen_row[%].absent_q", i, 0, 0, 0);
        LINK_WHERE(s->valid_q[i], s->addr_q[i], "gen_row[%].addr_q", i, 0, 0, 12);
    }
}
