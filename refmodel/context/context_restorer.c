/* SPDX-License-Identifier: Apache-2.0 */
/* context_restorer: the pins of its two parts are joined once per evaluation.
 *
 * The unpacker's outputs are functions of its state, and so are the decompressor's but for
 * ready, which looks at rf_gnt alone. So one pass settles both.
 */
#include "refmodel/context/context_restorer.h"

#include <assert.h>
#include <string.h>

/* Inputs and outputs of the parts in one cycle. */
typedef struct pins {
    wr_context_unpacker_in cut;
    wr_context_unpacker_out head;
    wr_reg_decompressor_in grow;
    wr_reg_decompressor_out grown;
    bool busy;
    bool room; /* for the register whose turn it is */
    bool live; /* whose turn it is: the unpacker's head, or the dead register next_q */
    bool dead;
} pins;

static void settle(const wr_context_restorer *s, const wr_context_restorer_in *in, pins *p)
{
    *p = (pins){.cut.pag = in->pag, .cut.seg_valid = in->seg_valid, .grow.ready = in->rf_gnt};
    wr_context_unpacker_eval(&s->unpacker, &p->cut, &p->head);
    assert(!p->head.valid || p->head.tag >= s->next_q);

    const bool left = s->next_q < s->alloc_q;
    p->live = p->head.valid && (p->head.tag == s->next_q || !left);
    p->dead = left && (p->head.valid ? !p->live : !p->head.busy);
    p->busy = p->head.busy || left || s->inside_q != 0;

    p->grow.valid = s->turn_valid_q;
    p->grow.tag = s->turn_tag_q;
    p->grow.pag = p->head.pag; /* no start while a register is inside, so it is still this one's */
    p->grow.pattern = s->turn_pattern_q;
    memcpy(p->grow.word, s->turn_word_q, sizeof p->grow.word);
    wr_reg_decompressor_eval(&s->decompressor, &p->grow, &p->grown);
    p->room = !s->turn_valid_q || p->grown.ready;

    p->cut.start = in->start && !p->busy;
    memcpy(p->cut.pattern_vec, in->pattern_vec, sizeof p->cut.pattern_vec);
    memcpy(p->cut.seg_word, in->seg_word, s->cfg.seg_words * sizeof in->seg_word[0]);
    p->cut.ready = p->live && p->room;
}

wr_status wr_context_restorer_init(wr_context_restorer *s, const wr_context_restorer_cfg *cfg)
{
    const wr_context_unpacker_cfg unpacker = {.lanes = cfg->lanes, .seg_words = cfg->seg_words};
    const wr_reg_decompressor_cfg decompressor = {.lanes = cfg->lanes, .poison = cfg->poison};
    if (!wr_context_restorer_cfg_ok(cfg) ||
        wr_context_unpacker_init(&s->unpacker, &unpacker) != WR_OK ||
        wr_reg_decompressor_init(&s->decompressor, &decompressor) != WR_OK) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_restorer_reset(s);
    return WR_OK;
}

void wr_context_restorer_reset(wr_context_restorer *s)
{
    s->next_q = 0;
    s->alloc_q = 0;
    s->inside_q = 0;
    s->fault_q = false;
    s->turn_valid_q = false;
    s->turn_tag_q = 0;
    s->turn_pattern_q = WR_PATTERN_DEAD;
    memset(s->turn_word_q, 0, sizeof s->turn_word_q);
    wr_context_unpacker_reset(&s->unpacker);
    wr_reg_decompressor_reset(&s->decompressor);
}

void wr_context_restorer_eval(const wr_context_restorer *s, const wr_context_restorer_in *in,
                              wr_context_restorer_out *out)
{
    pins p;
    settle(s, in, &p);
    assert(!p.grown.fault);
    out->busy = p.busy;
    out->seg_want = p.head.busy;
    out->seg_ready = p.head.seg_ready;
    out->rf_req = p.grown.valid;
    out->rf_index = p.grown.tag;
    memcpy(out->rf_lane, p.grown.lane, sizeof out->rf_lane);
    out->fault = s->fault_q || p.head.fault;
}

/* What an accepted start brings; a live register at or above alloc is a fault. */
static void begin(wr_context_restorer *s, const wr_context_restorer_in *in)
{
    const uint8_t alloc = in->alloc & 127u;
    s->next_q = 0;
    const bool high = alloc > s->cfg.regs;
    s->alloc_q = high ? (uint8_t)s->cfg.regs : alloc;
    s->fault_q = s->fault_q || high;
    for (uint32_t r = s->alloc_q; r < WR_CONTEXT_REGS; r++) {
        s->fault_q = s->fault_q || wr_pattern_get(in->pattern_vec, r) != WR_PATTERN_DEAD;
    }
}

void wr_context_restorer_tick(wr_context_restorer *s, const wr_context_restorer_in *in)
{
    pins p;
    settle(s, in, &p);
    const bool taken = (p.live || p.dead) && p.room;
    const bool written = p.grown.valid && p.grow.ready;

    s->fault_q = s->fault_q || (in->start && p.busy);
    if (p.room) {
        s->turn_valid_q = taken;
    }
    if (taken) {
        s->turn_tag_q = p.live ? p.head.tag : s->next_q & 63u;
        s->turn_pattern_q = p.live ? p.head.pattern : WR_PATTERN_DEAD;
        memcpy(s->turn_word_q, p.head.word, sizeof s->turn_word_q);
        s->next_q = (uint8_t)(s->turn_tag_q + 1u);
    }
    s->inside_q = (uint8_t)(s->inside_q + taken - written);
    assert(s->inside_q <= 3);
    if (p.cut.start) {
        begin(s, in);
    }
    wr_context_unpacker_tick(&s->unpacker, &p.cut);
    wr_reg_decompressor_tick(&s->decompressor, &p.grow);
}
