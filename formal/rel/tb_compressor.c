/* SPDX-License-Identifier: Apache-2.0 */
/* tb_compressor: the RTL remembers how the groups so far compare, the model compares those that it
 * keeps. A random result leaves both without use for what is kept. What the RTL compares without a
 * carry is the model's difference: a lemma says so of each group at the pins. */
// cases: pag_q
// cases: fill_q
#include "refmodel/context/tb_compressor.h"
#include "formal/rel/relate.h"

/* x[0] = x[1] + x[2] in carry-save form, and as a difference. */
static bool sum_without_carry(const uint64_t *x)
{
    const uint32_t c = (uint32_t)x[0], a = (uint32_t)x[1], b = (uint32_t)x[2], n = ~c;
    const uint32_t carry = ((a & b) | (a & n) | (b & n)) << 1;

    return ((a ^ b ^ n) == ~carry) == (c - a == b);
}

void relate(wr_tb_compressor *s, wr_when when)
{
    const uint32_t entries = s->cfg.entries, groups = s->cfg.words / 2;
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
    const uint32_t step = s->stride_q[0] * (8u << s->pag_q);
    for (uint32_t e = 0; e < entries; e++) {
        const bool live = e < s->fill_q;
        slope = slope || (live && s->stride_q[e] != 0);
        stray = stray || (live && s->stride_q[e] != s->stride_q[0]);
        vary = vary || (live && s->base_q[e] != s->base_q[0]);
        jump = jump || (live && e > 0 && s->base_q[e] - s->base_q[e == 0 ? 0 : e - 1] != step);
        HOLDS(!kept || s->fill_q != e + 1 || s->base_q[e] == RTL("prev_q", 0, 0, 0, 32));
    }
    HOLDS(!kept || slope == RTL("slope_q", 0, 0, 0, 1));
    HOLDS(!kept || stray == RTL("stray_q", 0, 0, 0, 1));
    HOLDS(!kept || vary == RTL("vary_q", 0, 0, 0, 1));
    HOLDS(!kept || jump == RTL("jump_q", 0, 0, 0, 1));
    HOLDS(s->pos_q == 0 || (s->emit_q && !s->over_q && kept && s->pos_q < s->fill_q &&
                            (slope ? stray || jump : vary)));

    const bool first = s->fill_q == 0, strided = wr_in("pattern_i", 0, 2) == 3;
    const uint32_t offered = (uint32_t)wr_in("pag_i", 0, 2), pag = offered == 3 ? 2 : offered;
    const uint32_t stride_0 =
        first ? (strided ? (uint32_t)wr_in("word_i", 32, 32) : 0) : s->stride_q[0];
    const uint32_t next_step = stride_0 * (8u << (first ? pag : s->pag_q));
    uint32_t before = (uint32_t)RTL("prev_q", 0, 0, 0, 32);
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t wide = (uint32_t)wr_in("word_i", 64 * g, 32);
        const uint32_t base = strided ? wide : (uint32_t)wr_in("word_i", 32 * g, 32);
        LEMMA(sum_without_carry, base, before, next_step);
        before = base;
    }
}
