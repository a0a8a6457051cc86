/* SPDX-License-Identifier: Apache-2.0 */
/* context_packer: one queue of words. A tick takes the head segment first, then appends.
 *
 * The RTL keeps the queue in a ring of segment-sized banks; here it is a plain array that moves
 * down, so that the two share no pointer arithmetic.
 */
#include "refmodel/context/context_packer.h"

#include <assert.h>
#include <string.h>

/* The segment that stands at the output, if any. */
typedef struct head {
    bool valid;
    bool last;
    uint32_t words;  /* data words, 1..SegWords */
    uint32_t stored; /* words that must be stored, padding included */
} head;

static head head_of(const wr_context_packer *s)
{
    const uint32_t seg = s->cfg.seg_words;
    const uint32_t pad = s->cfg.pad_words;
    head h = {0};
    if (s->count_q >= seg) {
        h.valid = true;
        h.words = seg;
        h.stored = seg;
    } else if (s->closed_q && s->count_q > 0) {
        h.valid = true;
        h.words = s->count_q;
        h.stored = (s->count_q + pad - 1) / pad * pad;
    }
    h.last = h.valid && s->closed_q && s->count_q <= seg && !s->head_fixed_q;
    return h;
}

static bool is_ready(const wr_context_packer *s)
{
    return s->open_q && s->count_q < s->cfg.seg_words + s->cfg.lanes;
}

wr_status wr_context_packer_init(wr_context_packer *s, const wr_context_packer_cfg *cfg)
{
    if (!wr_context_packer_cfg_ok(cfg) || cfg->seg_words < cfg->lanes ||
        cfg->seg_words % cfg->pad_words != 0) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_packer_reset(s);
    return WR_OK;
}

void wr_context_packer_reset(wr_context_packer *s)
{
    wr_context_packer_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_context_packer_eval(const wr_context_packer *s, const wr_context_packer_in *in,
                            wr_context_packer_out *out)
{
    (void)in; /* no output of this block is combinational */
    const head h = head_of(s);
    out->ready = is_ready(s);
    out->seg_valid = h.valid;
    memset(out->seg_word, 0, sizeof out->seg_word);
    memcpy(out->seg_word, s->word_q, h.words * sizeof s->word_q[0]);
    out->seg_count = (uint8_t)h.stored;
    out->seg_last = h.last;
    out->done = s->closed_q && s->count_q == 0;
    memcpy(out->pattern_vec, s->pattern_q, sizeof out->pattern_vec);
    out->total = s->total_q;
    out->fault = s->fault_q;
}

static void open_warp(wr_context_packer *s, bool fault)
{
    s->fault_q = s->fault_q || fault;
    s->open_q = true;
    s->closed_q = false;
    s->head_fixed_q = false;
    s->next_tag_q = 0;
    s->count_q = 0;
    s->total_q = 0;
    memset(s->pattern_q, 0, sizeof s->pattern_q);
}

static void append(wr_context_packer *s, const wr_context_packer_in *in)
{
    const uint8_t tag = in->tag & 63u;
    const uint8_t pattern = in->pattern & 3u;
    const uint8_t offered = in->count & 127u;
    const bool count_bad = offered == 0 || offered > s->cfg.lanes;
    const uint32_t count = count_bad ? s->cfg.lanes : offered;

    s->fault_q = s->fault_q || count_bad || pattern == WR_PATTERN_DEAD || tag < s->next_tag_q;
    wr_pattern_set(s->pattern_q, tag, (wr_pattern)pattern);
    s->next_tag_q = (uint8_t)(tag + 1u);
    assert(s->count_q + count <= WR_CONTEXT_PACKER_BUF);
    memcpy(s->word_q + s->count_q, in->word, count * sizeof in->word[0]);
    s->count_q = (uint16_t)(s->count_q + count);
    s->total_q = (uint16_t)((s->total_q + count) & 0x1fffu);
}

void wr_context_packer_tick(wr_context_packer *s, const wr_context_packer_in *in)
{
    const bool ready = is_ready(s);
    const head h = head_of(s);
    const bool taken = h.valid && in->seg_ready;

    if (in->start) {
        open_warp(s, s->count_q != 0 || (ready && (in->valid || in->flush)));
        return;
    }
    if (taken) {
        const uint32_t rest = s->count_q - h.words;
        memmove(s->word_q, s->word_q + h.words, rest * sizeof s->word_q[0]);
        s->count_q = (uint16_t)rest;
        s->head_fixed_q = false;
    }
    if (ready && in->valid) {
        append(s, in);
    }
    if (ready && in->flush) {
        s->open_q = false;
        s->closed_q = true;
        s->head_fixed_q = h.valid && !taken;
    }
}
