/* SPDX-License-Identifier: Apache-2.0 */
/* reg_compressor, cycle by cycle. Stage 1 holds the register as it came, stage 2 its words.
 *
 * What stage 1 holds besides is hardware's own affair: the RTL keeps comparison bits there, the
 * model computes from the lanes. No output shows the difference.
 */
#include "refmodel/context/reg_compressor.h"

#include <string.h>

static bool stage2_loads(const wr_reg_compressor *s, const wr_reg_compressor_in *in)
{
    return !s->s2_valid_q || in->ready;
}

static bool stage1_loads(const wr_reg_compressor *s, const wr_reg_compressor_in *in)
{
    return !s->s1_valid_q || stage2_loads(s, in);
}

wr_status wr_reg_compressor_init(wr_reg_compressor *s, const wr_reg_compressor_cfg *cfg)
{
    if (!wr_reg_compressor_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_reg_compressor_reset(s);
    return WR_OK;
}

void wr_reg_compressor_reset(wr_reg_compressor *s)
{
    wr_reg_compressor_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_reg_compressor_eval(const wr_reg_compressor *s, const wr_reg_compressor_in *in,
                            wr_reg_compressor_out *out)
{
    out->ready = stage1_loads(s, in);
    out->valid = s->s2_valid_q;
    out->tag = s->s2_tag_q;
    out->pattern = (uint8_t)s->s2_pattern_q;
    out->count = s->s2_count_q;
    memcpy(out->word, s->s2_word_q, sizeof out->word);
    out->fault = s->fault_q;
}

void wr_reg_compressor_tick(wr_reg_compressor *s, const wr_reg_compressor_in *in)
{
    const uint32_t lanes = s->cfg.lanes;
    const bool load2 = stage2_loads(s, in);
    const bool load1 = stage1_loads(s, in);

    if (load2) {
        s->s2_valid_q = s->s1_valid_q;
        if (s->s1_valid_q) {
            s->s2_tag_q = s->s1_tag_q;
            s->s2_pattern_q = wr_pattern_compress(lanes, s->s1_pag_q, s->s1_lane_q, s->s2_word_q);
            s->s2_count_q = (uint8_t)wr_pattern_words(s->s2_pattern_q, lanes, s->s1_pag_q);
        }
    }
    if (load1) {
        s->s1_valid_q = in->valid;
        if (in->valid) {
            s->s1_tag_q = in->tag & 63u;
            s->s1_pag_q = wr_pag_of_code(in->pag & 3u);
            memcpy(s->s1_lane_q, in->lane, lanes * sizeof in->lane[0]);
            s->fault_q = s->fault_q || (in->pag & 3u) == 3u;
        }
    }
}
