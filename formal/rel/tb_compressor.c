/* SPDX-License-Identifier: Apache-2.0 */
/* tb_compressor: the RTL remembers how the groups so far compare, the model compares those that it
 * keeps. A random result leaves both without use for what is kept. */
// cases: pag_q
#include "refmodel/context/tb_compressor.h"
#include "formal/rel/relate.h"

void relate(wr_tb_compressor *s, wr_when when)
{
    const uint32_t entries = s->cfg.entries;
    const bool kept = !s->random_q;
    bool slope = false, stray = false, vary = false, jump = false;

    HOLDS(s->pag_q != 3);
    HOLDS(s->fill_q <= entries);
    HOLDS(s->fill_q != 0 || (!s->emit_q && !s->over_q && !s->random_q));
    for (uint32_t e = 0; e < entries; e++) {
        const bool live = kept && e < s->fill_q;
        LINK_WHERE(live, s->base_q[e], "gen_entry[%].base_q", e, 0, 0, 32);
        LINK_WHERE(live, s->stride_q[e], "gen_entry[%].stride_q", e, 0, 0, 32);
    }
    for (uint32_t e = 0; e < entries; e++) {
        const bool live = e < s->fill_q;
        const uint32_t step = s->stride_q[0] << (3 + s->pag_q);
        slope = slope || (live && s->stride_q[e] != 0);
        stray = stray || (live && s->stride_q[e] != s->stride_q[0]);
        vary = vary || (live && s->base_q[e] != s->base_q[0]);
        jump = jump || (live && e > 0 && s->base_q[e] != s->base_q[e == 0 ? 0 : e - 1] + step);
        HOLDS(!kept || s->fill_q != e + 1 || s->base_q[e] == RTL("prev_q", 0, 0, 0, 32));
    }
    HOLDS(!kept || slope == RTL("slope_q", 0, 0, 0, 1));
    HOLDS(!kept || stray == RTL("stray_q", 0, 0, 0, 1));
    HOLDS(!kept || vary == RTL("vary_q", 0, 0, 0, 1));
    HOLDS(!kept || jump == RTL("jump_q", 0, 0, 0, 1));
    HOLDS(s->pos_q == 0 || (s->emit_q && !s->over_q && kept && s->pos_q < s->fill_q &&
                            (slope ? stray || jump : vary)));
}
