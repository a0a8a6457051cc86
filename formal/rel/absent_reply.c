/* SPDX-License-Identifier: Apache-2.0 */
/* absent_reply: the RTL has one register for the line of the registers and the line to write, and
 * knows a step ahead which registers are below the reply's.
 *
 * For one register, which ones are below it is known: the counts are of the same bits then. */
// cases: regno_q
#include "refmodel/duet/absent_reply.h"
#include "formal/rel/relate.h"

#define IS(step) (s->state_q == WR_ABSENT_REPLY_##step)

void relate(wr_absent_reply *s, wr_when when)
{
    const bool moves = IS(READ) || IS(KIND) || IS(SUM);
    const bool writes = IS(WRITE) || IS(REST);

    LINK_WHERE(!IS(IDLE), s->warp_q, "warp_q", 0, 0, 0, 7);
    LINK_WHERE(!IS(IDLE), s->regno_q, "regno_q", 0, 0, 0, 6);
    LINK_WHERE(moves, s->base_q, "line_q", 0, 0, 0, 12);
    LINK_WHERE(moves, s->meta_q, "meta_q", 0, 0, 0, 12);
    LINK_WHERE(IS(KIND), s->point_q, "point_q", 0, 0, 0, 24);
    LINK_WHERE(IS(SUM), s->before_q[1], "one_q", 0, 0, 0, 6);
    LINK_WHERE(IS(SUM), s->before_q[2], "two_q", 0, 0, 0, 6);
    LINK_WHERE(IS(SUM), s->before_q[3], "all_q", 0, 0, 0, 6);
    LINK_WHERE(writes, s->line_q, "line_q", 0, 0, 0, 12);
    LINK_WHERE(writes, s->word_q, "word_q", 0, 0, 0, 5);

    HOLDS(s->state_q <= WR_ABSENT_REPLY_DROP);
    HOLDS(!IS(DROP) || s->move_q);
    HOLDS(s->group_q <= WR_ABSENT_REPLY_LANES_32);
    HOLDS(IS(IDLE) || s->regno_q < s->cfg.regs);
    HOLDS(!moves || s->move_q);
    for (uint32_t r = 0; r < s->cfg.regs; r++) {
        HOLDS(!moves || RTL("below_q", 0, 0, r, 1) == (r < s->regno_q));
    }
}
