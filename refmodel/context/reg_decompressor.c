/* SPDX-License-Identifier: Apache-2.0 */
/* reg_decompressor, cycle by cycle. Stage 1 holds the register as it came, stage 2 its lanes. */
#include "refmodel/context/reg_decompressor.h"

#include <string.h>

static bool stage2_loads(const wr_reg_decompressor *s, const wr_reg_decompressor_in *in)
{
    return !s->s2_valid_q || in->ready;
}

static bool stage1_loads(const wr_reg_decompressor *s, const wr_reg_decompressor_in *in)
{
    return !s->s1_valid_q || stage2_loads(s, in);
}

wr_status wr_reg_decompressor_init(wr_reg_decompressor *s, const wr_reg_decompressor_cfg *cfg)
{
    if (!wr_reg_decompressor_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_reg_decompressor_reset(s);
    return WR_OK;
}

void wr_reg_decompressor_reset(wr_reg_decompressor *s)
{
    wr_reg_decompressor_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_reg_decompressor_eval(const wr_reg_decompressor *s, const wr_reg_decompressor_in *in,
                              wr_reg_decompressor_out *out)
{
    out->ready = stage1_loads(s, in);
    out->valid = s->s2_valid_q;
    out->tag = s->s2_tag_q;
    memcpy(out->lane, s->s2_lane_q, sizeof out->lane);
    out->fault = s->fault_q;
}

void wr_reg_decompressor_tick(wr_reg_decompressor *s, const wr_reg_decompressor_in *in)
{
    const uint32_t lanes = s->cfg.lanes;
    const bool load2 = stage2_loads(s, in);
    const bool load1 = stage1_loads(s, in);

    if (load2) {
        s->s2_valid_q = s->s1_valid_q;
        if (s->s1_valid_q) {
            s->s2_tag_q = s->s1_tag_q;
            wr_pattern_expand(s->s1_pattern_q, lanes, s->s1_pag_q, s->cfg.poison, s->s1_word_q,
                              s->s2_lane_q);
        }
    }
    if (load1) {
        s->s1_valid_q = in->valid;
        if (in->valid) {
            s->s1_tag_q = in->tag & 63u;
            s->s1_pag_q = wr_pag_of_code(in->pag & 3u);
            s->s1_pattern_q = (wr_pattern)(in->pattern & 3u);
            memcpy(s->s1_word_q, in->word, lanes * sizeof in->word[0]);
            s->fault_q = s->fault_q || (in->pag & 3u) == 3u;
        }
    }
}
