/* SPDX-License-Identifier: Apache-2.0 */
/* context_saver: the pins of its three parts are joined once per evaluation, back to front.
 *
 * Only the compressor's ready depends on an input, the packer's ready; every other output of a
 * part is a function of its state. So one pass settles them all: packer, decoder, compressor.
 */
#include "refmodel/context/context_saver.h"

#include <assert.h>
#include <string.h>

/* Inputs and outputs of the parts in one cycle. */
typedef struct pins {
    wr_liveness_decoder_in walk;
    wr_liveness_decoder_out named;
    wr_reg_compressor_in squeeze;
    wr_reg_compressor_out squeezed;
    wr_context_packer_in pack;
    wr_context_packer_out packed;
    bool busy;
    bool request;
    bool stray; /* the word just decoded is no preemption instruction */
} pins;

static void settle(const wr_context_saver *s, const wr_context_saver_in *in, pins *p)
{
    const bool walking = s->state_q == WR_CONTEXT_SAVER_WALKING;
    *p = (pins){
        .walk = {.word = in->word, .next = in->next, .diverged = in->diverged, .alloc = in->alloc},
        .pack.seg_ready = in->seg_ready};
    wr_context_packer_eval(&s->packer, &p->pack, &p->packed);
    wr_liveness_decoder_eval(&s->decoder, &p->walk, &p->named);

    p->busy = walking || (s->state_q == WR_CONTEXT_SAVER_FLUSHED && !p->packed.done);
    p->stray = p->named.decoded && !p->named.is_pp && !p->named.is_bar;

    p->squeeze.valid = s->pending_q;
    p->squeeze.tag = s->tag_q;
    p->squeeze.pag = (uint8_t)s->pag_q;
    memcpy(p->squeeze.lane, in->rf_lane, s->cfg.lanes * sizeof in->rf_lane[0]);
    p->squeeze.ready = p->packed.ready;
    wr_reg_compressor_eval(&s->compressor, &p->squeeze, &p->squeezed);

    p->request = walking && p->named.valid && (!s->pending_q || p->squeezed.ready);
    const bool accept = in->start && !p->busy;
    p->walk.start = accept;
    p->walk.ready = p->request && in->rf_gnt;

    p->pack.start = accept;
    p->pack.valid = p->squeezed.valid;
    p->pack.tag = p->squeezed.tag;
    p->pack.pattern = p->squeezed.pattern;
    p->pack.count = p->squeezed.count;
    memcpy(p->pack.word, p->squeezed.word, sizeof p->pack.word);
    const uint32_t at_packer = p->squeezed.valid ? 1 : 0;
    p->pack.flush = walking && !p->named.valid && !s->pending_q && s->inside_q == at_packer;
}

wr_status wr_context_saver_init(wr_context_saver *s, const wr_context_saver_cfg *cfg)
{
    const wr_liveness_decoder_cfg decoder = {.regs = cfg->regs,
                                             .op_pp = cfg->op_pp,
                                             .op_bar_pp = cfg->op_bar_pp,
                                             .op_dummy = cfg->op_dummy};
    const wr_reg_compressor_cfg compressor = {.lanes = cfg->lanes};
    const wr_context_packer_cfg packer = {
        .lanes = cfg->lanes, .seg_words = cfg->seg_words, .pad_words = cfg->pad_words};
    if (!wr_context_saver_cfg_ok(cfg) || wr_liveness_decoder_init(&s->decoder, &decoder) != WR_OK ||
        wr_reg_compressor_init(&s->compressor, &compressor) != WR_OK ||
        wr_context_packer_init(&s->packer, &packer) != WR_OK) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_saver_reset(s);
    return WR_OK;
}

void wr_context_saver_reset(wr_context_saver *s)
{
    s->state_q = WR_CONTEXT_SAVER_RESET;
    s->pending_q = false;
    s->tag_q = 0;
    s->pag_q = WR_PAG_8;
    s->inside_q = 0;
    s->fault_q = false;
    wr_liveness_decoder_reset(&s->decoder);
    wr_reg_compressor_reset(&s->compressor);
    wr_context_packer_reset(&s->packer);
}

void wr_context_saver_eval(const wr_context_saver *s, const wr_context_saver_in *in,
                           wr_context_saver_out *out)
{
    pins p;
    settle(s, in, &p);
    assert(!p.squeezed.fault && !p.packed.fault);
    out->busy = p.busy;
    out->rf_req = p.request;
    out->rf_index = p.request ? p.named.index : 0;
    out->seg_valid = p.packed.seg_valid;
    memcpy(out->seg_word, p.packed.seg_word, sizeof out->seg_word);
    out->seg_count = p.packed.seg_count;
    out->seg_last = p.packed.seg_last;
    out->done = p.packed.done;
    memcpy(out->pattern_vec, p.packed.pattern_vec, sizeof out->pattern_vec);
    out->total = p.packed.total;
    out->fault = s->fault_q || p.stray || p.named.fault;
}

void wr_context_saver_tick(wr_context_saver *s, const wr_context_saver_in *in)
{
    pins p;
    settle(s, in, &p);
    const bool granted = p.walk.ready;
    const bool compressed = p.squeeze.valid && p.squeezed.ready;
    const bool packed = p.pack.valid && p.packed.ready;

    s->fault_q = s->fault_q || p.stray || (in->start && p.busy);
    if (p.pack.start) {
        s->state_q = WR_CONTEXT_SAVER_WALKING;
        s->pag_q = wr_pag_of_code(in->pag & 3u);
        s->fault_q = s->fault_q || (in->pag & 3u) == 3u;
    } else if (p.pack.flush && p.packed.ready) {
        s->state_q = WR_CONTEXT_SAVER_FLUSHED;
    }
    if (granted) {
        s->tag_q = p.named.index;
    }
    s->pending_q = granted || (s->pending_q && !compressed);
    s->inside_q = (uint8_t)(s->inside_q + compressed - packed);
    assert(s->inside_q <= 2);

    wr_liveness_decoder_tick(&s->decoder, &p.walk);
    wr_reg_compressor_tick(&s->compressor, &p.squeeze);
    wr_context_packer_tick(&s->packer, &p.pack);
}
