/* SPDX-License-Identifier: Apache-2.0 */
/* reg_decompressor: stage 1 of the RTL holds the first lane and the stride of each slice of 8,
 * stage 1 of the model the words as they came: alike are those of random registers, of others what
 * comes of them. Of one kind alone each slice hangs on few words. */
// cases: s1_random_q
// cases: s1_valid_q
#include "refmodel/context/reg_decompressor.h"
#include "formal/rel/relate.h"

static uint32_t word(const wr_reg_decompressor *s, uint32_t i)
{
    return i < WR_CONTEXT_LANES_MAX ? s->s1_word_q[i] : 0;
}

void relate(wr_reg_decompressor *s, wr_when when)
{
    const uint32_t lanes = s->cfg.lanes;
    const bool valid = s->s1_valid_q;

    FITS(s->s1_pag_q, 2);
    FITS(s->s1_pattern_q, 2);
    const bool random = s->s1_pattern_q == WR_PATTERN_RANDOM;

    LINK(s->s2_tag_q, "s2_tag_q", 0, 0, 0, 6);
    LINK_WHERE(valid, s->s1_tag_q, "s1_tag_q", 0, 0, 0, 6);
    HOLDS(s->s1_pag_q <= WR_PAG_32);
    HOLDS(!valid || random == RTL("s1_random_q", 0, 0, 0, 1));
    for (uint32_t i = 0; i < lanes; i++) {
        LINK(s->s2_lane_q[i], "s2_lane_q", i, 0, 32 * i, 32);
        LINK_WHERE(valid && RTL("s1_random_q", 0, 0, 0, 1), s->s1_word_q[i], "s1_word_q", i, 0,
                   32 * i, 32);
    }
    for (uint32_t k = 0; k < (lanes + 7) / 8; k++) {
        const uint32_t shift = s->s1_pag_q & 3u;
        const uint32_t group = k >> shift, inside = k - (group << shift);
        const bool strided = s->s1_pattern_q == WR_PATTERN_STRIDED;
        const uint32_t step = strided ? word(s, 2 * group + 1) : 0;
        const uint32_t base = s->s1_pattern_q == WR_PATTERN_DEAD ? s->cfg.poison
                              : strided                          ? word(s, 2 * group)
                                                                 : word(s, group);
        HOLDS(!valid || random || RTL("s1_word_q", 0, 0, 256 * k, 32) == base + step * 8 * inside);
        if (8 * k + 1 < lanes) {
            HOLDS(!valid || random || RTL("s1_word_q", 0, 0, 256 * k + 32, 32) == step);
        }
    }
}
