/* SPDX-License-Identifier: Apache-2.0 */
/* context_unpacker: one queue of words and the patterns that say how many belong together.
 *
 * As in the packer, the queue is a plain array here and a ring of banks in the RTL.
 */
#include "refmodel/context/context_unpacker.h"

#include <assert.h>
#include <string.h>

/* The register that the queue's head belongs to. */
typedef struct head {
    bool live; /* registers are left */
    uint8_t tag;
    wr_pattern pattern;
    uint32_t words;
} head;

static head head_of(const wr_context_unpacker *s)
{
    head h = {0};
    for (uint32_t w = 0; w < WR_CONTEXT_VEC_WORDS && !h.live; w++) {
        if (s->pattern_q[w] != 0) { /* one of these sixteen is live */
            const uint32_t r = 16 * w + (uint32_t)__builtin_ctz(s->pattern_q[w]) / 2;
            h.live = true;
            h.tag = (uint8_t)r;
            h.pattern = wr_pattern_get(s->pattern_q, r);
            h.words = wr_pattern_words(h.pattern, s->cfg.lanes, s->pag_q);
        }
    }
    return h;
}

static bool head_valid(const wr_context_unpacker *s, const head *h)
{
    return h->live && s->count_q >= h->words;
}

static bool takes_segment(const wr_context_unpacker *s, const head *h)
{
    return h->live && s->count_q < 2 * s->cfg.lanes;
}

wr_status wr_context_unpacker_init(wr_context_unpacker *s, const wr_context_unpacker_cfg *cfg)
{
    if (!wr_context_unpacker_cfg_ok(cfg) || cfg->seg_words < cfg->lanes) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_unpacker_reset(s);
    return WR_OK;
}

void wr_context_unpacker_reset(wr_context_unpacker *s)
{
    wr_context_unpacker_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_context_unpacker_eval(const wr_context_unpacker *s, const wr_context_unpacker_in *in,
                              wr_context_unpacker_out *out)
{
    (void)in; /* no output of this block is combinational */
    const head h = head_of(s);
    const bool valid = head_valid(s, &h);
    out->busy = h.live;
    out->seg_ready = takes_segment(s, &h);
    out->valid = valid;
    out->tag = valid ? h.tag : 0;
    out->pattern = valid ? (uint8_t)h.pattern : 0;
    out->pag = (uint8_t)s->pag_q;
    memset(out->word, 0, sizeof out->word);
    if (valid) {
        memcpy(out->word, s->word_q, h.words * sizeof out->word[0]);
    }
    out->fault = s->fault_q;
}

void wr_context_unpacker_tick(wr_context_unpacker *s, const wr_context_unpacker_in *in)
{
    const head h = head_of(s);
    const bool seg_taken = in->seg_valid && takes_segment(s, &h);

    if (!h.live) {
        s->fault_q = s->fault_q || in->seg_valid || (in->start && (in->pag & 3u) == 3u);
        if (in->start) {
            memcpy(s->pattern_q, in->pattern_vec, sizeof s->pattern_q);
            s->pag_q = wr_pag_of_code(in->pag & 3u);
            s->count_q = 0;
        }
        return;
    }

    s->fault_q = s->fault_q || in->start;
    if (head_valid(s, &h) && in->ready) {
        const uint32_t rest = s->count_q - h.words;
        memmove(s->word_q, s->word_q + h.words, rest * sizeof s->word_q[0]);
        s->count_q = (uint16_t)rest;
        wr_pattern_set(s->pattern_q, h.tag, WR_PATTERN_DEAD);
    }
    if (seg_taken) {
        const uint32_t seg = s->cfg.seg_words;
        assert(s->count_q + seg <= WR_CONTEXT_UNPACKER_BUF);
        memcpy(s->word_q + s->count_q, in->seg_word, seg * sizeof s->word_q[0]);
        s->count_q = (uint16_t)(s->count_q + seg);
    }
}
