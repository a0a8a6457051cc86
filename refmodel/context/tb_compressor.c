/* SPDX-License-Identifier: Apache-2.0 */
/* tb_compressor: collects all groups, then looks at the two buffers as a whole, as Fig. 11 does.
 *
 * The RTL compares each result as it comes; here nothing is known of a register before its last
 * warp, so that the two share no comparison.
 */
#include "refmodel/context/tb_compressor.h"

#include "refmodel/context/pattern.h"

#include <assert.h>
#include <string.h>

static uint32_t pag_lanes(uint8_t pag)
{
    return 8u << pag;
}

static wr_tb_class class_of(const wr_tb_compressor *s)
{
    if (s->over_q) {
        return WR_TB_BYPASS;
    }
    if (s->random_q) {
        return WR_TB_RANDOM;
    }
    const uint32_t step = s->stride_q[0] * pag_lanes(s->pag_q);
    bool no_stride = true;
    bool one_stride = true;
    bool one_base = true;
    bool steps = true;
    for (uint32_t i = 0; i < s->fill_q; i++) {
        no_stride = no_stride && s->stride_q[i] == 0;
        one_stride = one_stride && s->stride_q[i] == s->stride_q[0];
        one_base = one_base && s->base_q[i] == s->base_q[0];
        steps = steps && (i == 0 || s->base_q[i] - s->base_q[i - 1] == step);
    }
    if (no_stride) {
        return one_base ? WR_TB_GLOBAL_UNIFORM : WR_TB_LOCAL_UNIFORM;
    }
    return one_stride && steps ? WR_TB_GLOBAL_STRIDED : WR_TB_LOCAL_STRIDED;
}

static uint32_t beats(const wr_tb_compressor *s, wr_tb_class tb_class)
{
    return tb_class == WR_TB_LOCAL_UNIFORM || tb_class == WR_TB_LOCAL_STRIDED ? s->fill_q : 1;
}

wr_status wr_tb_compressor_init(wr_tb_compressor *s, const wr_tb_compressor_cfg *cfg)
{
    if (!wr_tb_compressor_cfg_ok(cfg) || cfg->words % 2 != 0 || cfg->entries < cfg->words / 2) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_tb_compressor_reset(s);
    return WR_OK;
}

void wr_tb_compressor_reset(wr_tb_compressor *s)
{
    wr_tb_compressor_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_tb_compressor_eval(const wr_tb_compressor *s, const wr_tb_compressor_in *in,
                           wr_tb_compressor_out *out)
{
    (void)in; /* no output of this block is combinational */
    memset(out, 0, sizeof *out);
    out->ready = !s->emit_q;
    out->fault = s->fault_q;
    if (!s->emit_q) {
        return;
    }
    const wr_tb_class tb_class = class_of(s);
    out->valid = true;
    out->tb_class = (uint8_t)tb_class;
    out->last = s->pos_q + 1u == beats(s, tb_class);
    if (tb_class == WR_TB_GLOBAL_UNIFORM || tb_class == WR_TB_LOCAL_UNIFORM) {
        out->count = 1;
        out->word[0] = s->base_q[s->pos_q];
    } else if (tb_class == WR_TB_GLOBAL_STRIDED || tb_class == WR_TB_LOCAL_STRIDED) {
        out->count = 2;
        out->word[0] = s->base_q[s->pos_q];
        out->word[1] = s->stride_q[s->pos_q];
    }
}

static void take(wr_tb_compressor *s, const wr_tb_compressor_in *in)
{
    const uint8_t pattern = in->pattern & 3u;
    const uint8_t offered = in->pag & 3u;
    const uint8_t pag = offered == 3 ? WR_PAG_32 : offered;
    if (s->fill_q == 0) {
        s->pag_q = pag;
    }
    s->fault_q = s->fault_q || offered == 3 || pag != s->pag_q || pattern == WR_PATTERN_DEAD;

    const uint32_t count = wr_pag_groups(4 * s->cfg.words, (wr_pag)s->pag_q);
    if (s->fill_q + count > s->cfg.entries) {
        s->over_q = true;
    } else {
        for (uint32_t g = 0; g < count; g++) {
            const bool strided = pattern == WR_PATTERN_STRIDED;
            s->base_q[s->fill_q + g] = in->word[strided ? 2 * g : g];
            s->stride_q[s->fill_q + g] = strided ? in->word[2 * g + 1] : 0;
        }
        s->random_q = s->random_q || pattern == WR_PATTERN_RANDOM || pattern == WR_PATTERN_DEAD;
        s->fill_q = (uint8_t)(s->fill_q + count);
    }
    assert(s->fill_q <= s->cfg.entries);
    s->emit_q = in->last;
}

void wr_tb_compressor_tick(wr_tb_compressor *s, const wr_tb_compressor_in *in)
{
    if (!s->emit_q) {
        if (in->valid) {
            take(s, in);
        }
        return;
    }
    if (!in->ready) {
        return;
    }
    if (s->pos_q + 1u < beats(s, class_of(s))) {
        s->pos_q++;
        return;
    }
    s->emit_q = false;
    s->over_q = false;
    s->random_q = false;
    s->fill_q = 0;
    s->pos_q = 0;
}
