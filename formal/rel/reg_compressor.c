/* SPDX-License-Identifier: Apache-2.0 */
/* reg_compressor: what the RTL says of neighbouring lanes in stage 1, slice by slice of 8, is what
 * the lanes say. */
// cases: s1_pag_q
#include "refmodel/context/reg_compressor.h"
#include "formal/rel/relate.h"

/* Lane i is as far from the one before as that from the one before it. */
static bool even(const wr_reg_compressor *s, uint32_t i)
{
    return s->s1_lane_q[i] - s->s1_lane_q[i - 1] == s->s1_lane_q[i - 1] - s->s1_lane_q[i - 2];
}

void relate(wr_reg_compressor *s, wr_when when)
{
    const uint32_t lanes = s->cfg.lanes;
    const bool valid = s->s1_valid_q;

    LINK(s->s2_tag_q, "s2_tag_q", 0, 0, 0, 6);
    LINK(s->s2_pattern_q, "s2_pattern_q", 0, 0, 0, 2);
    LINK(s->s2_count_q, "s2_count_q", 0, 0, 0, 7);
    LINK_WHERE(valid, s->s1_tag_q, "s1_tag_q", 0, 0, 0, 6);
    LINK_WHERE(valid, s->s1_pag_q, "s1_pag_q", 0, 0, 0, 2);
    HOLDS(!valid || s->s1_pag_q <= WR_PAG_32);
    for (uint32_t i = 0; i < lanes; i++) {
        LINK(s->s2_word_q[i], "s2_word_q", i, 0, 32 * i, 32);
        LINK_WHERE(valid, s->s1_lane_q[i], "s1_lane_q", i, 0, 32 * i, 32);
    }
    for (uint32_t k = 0; k < (lanes + 7) / 8; k++) {
        const uint32_t first = 8 * k, end = first + 8 < lanes ? first + 8 : lanes;
        bool inner = true, cross = true;
        uint32_t stride = 0;
        for (uint32_t i = first + 2; i < end; i++) {
            inner &= even(s, i);
        }
        for (uint32_t i = first + 8; i < first + 10 && i < lanes; i++) {
            cross &= even(s, i);
        }
        if (first + 1 < lanes) {
            stride = s->s1_lane_q[first + 1] - s->s1_lane_q[first];
        }
        HOLDS(!valid || inner == RTL("s1_inner_q", 0, 0, k, 1));
        HOLDS(!valid || cross == RTL("s1_cross_q", 0, 0, k, 1));
        HOLDS(!valid || stride == RTL("s1_stride_q", 0, 0, 32 * k, 32));
    }
}
