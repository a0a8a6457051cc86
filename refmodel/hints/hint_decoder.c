/* SPDX-License-Identifier: Apache-2.0 */
/* hint_decoder: offsets are plain signed numbers here; the RTL keeps them as fields. */
#include "refmodel/hints/hint_decoder.h"

#include <assert.h>
#include <string.h>

enum {
    HINT_VALID = 1u << 23,
    HINT_TYPE = 1u << 22, /* format 2: 1 is a direct branch */
    HINT_PAYLOAD = HINT_VALID - 1u,
    HINT_RENAME = 1u << 8,
    HINT_DST = 0xffu,
    OFFSET_AT = 9,     /* format 1 */
    NOT_TAKEN_AT = 11, /* format 2 */
};

/* What an accepted hint says. */
typedef struct decoded {
    bool bad; /* a protocol fault */
    uint8_t dst;
    uint8_t renamed;
    int32_t taken;
    int32_t not_taken;
    int32_t next; /* 0: the chain ends */
} decoded;

/* The signed number in `width` bits of `word` from bit `at` up. */
static int32_t field(uint32_t word, uint32_t at, uint32_t width)
{
    const int32_t value = (int32_t)((word >> at) & ((1u << width) - 1u));
    const int32_t half = 1 << (width - 1u);
    return value >= half ? value - 2 * half : value;
}

static uint32_t mask_of(uint32_t at, uint32_t width)
{
    return ((1u << width) - 1u) << at;
}

/* What a chain can reach: not the stall point itself, and what OffsetW bits can say. */
static bool in_reach(const wr_hint_decoder *s, int32_t distance)
{
    const int32_t half = 1 << (s->cfg.offset_w - 1u);
    return distance != 0 && distance >= -half && distance < half;
}

static int32_t held(const wr_hint_decoder *s)
{
    return field(s->next_q, 0, 9);
}

static uint32_t fetch_pc(const wr_hint_decoder *s)
{
    return s->base_q + (uint32_t)held(s);
}

static uint32_t reserved_1(const wr_hint_decoder *s)
{
    return HINT_PAYLOAD & ~(HINT_DST | HINT_RENAME | mask_of(OFFSET_AT, s->cfg.offset_w));
}

static decoded decode_1(const wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    const uint8_t named = (uint8_t)(in->hint & HINT_DST);
    decoded d = {.dst = in->dst, .renamed = in->dst};
    d.next = field(in->hint, OFFSET_AT, s->cfg.offset_w);
    d.bad = (in->hint & reserved_1(s)) != 0;
    if ((in->hint & HINT_RENAME) == 0) {
        d.bad = d.bad || named != in->dst;
    } else if (in->dst >= s->cfg.special_base || named >= s->cfg.special_base || named == in->dst) {
        d.bad = true;
    } else {
        d.renamed = named;
    }
    return d;
}

static decoded decode_2(const wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    const uint32_t width = s->cfg.branch_w;
    const bool direct = (in->hint & HINT_TYPE) != 0;
    uint32_t used = HINT_TYPE | mask_of(0, width);
    decoded d = {.taken = field(in->hint, 0, width)};
    if (direct) {
        d.next = d.taken;
    } else {
        used |= mask_of(NOT_TAKEN_AT, width);
        d.not_taken = field(in->hint, NOT_TAKEN_AT, width);
        d.next = in->taken ? d.taken : in->not_taken ? d.not_taken : 0;
        d.bad = !in->taken && !in->not_taken;
    }
    d.bad = d.bad || (in->hint & HINT_PAYLOAD & ~used) != 0;
    return d;
}

wr_status wr_hint_decoder_init(wr_hint_decoder *s, const wr_hint_decoder_cfg *cfg)
{
    if (!wr_hint_decoder_cfg_ok(cfg) || cfg->branch_w < cfg->offset_w) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_hint_decoder_reset(s);
    return WR_OK;
}

void wr_hint_decoder_reset(wr_hint_decoder *s)
{
    const wr_hint_decoder_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static bool is_ready(const wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    return s->mode_q == WR_HINT_MODE_HINT && !in->resume && !in->rcu_full && !in->redirect &&
           (!s->issue_q || in->take);
}

void wr_hint_decoder_eval(const wr_hint_decoder *s, const wr_hint_decoder_in *in,
                          wr_hint_decoder_out *out)
{
    *out = (wr_hint_decoder_out){
        .ready = is_ready(s, in),
        .mode = s->mode_q,
        .base = s->base_q,
        .fetch_pc = fetch_pc(s),
        .issue = s->issue_q,
        .fault = s->fault_q,
    };
    if (s->issue_q) {
        out->offset = s->own_q;
        out->dst = s->dst_q;
        out->renamed = s->renamed_q;
        out->control = s->control_q;
        out->taken_offset = s->taken_q;
        out->not_taken_offset = s->not_taken_q;
    }
}

/* The chain goes on at this distance from the stall point, or ends. */
static void go_to(wr_hint_decoder *s, int32_t distance)
{
    if (in_reach(s, distance)) {
        s->mode_q = WR_HINT_MODE_HINT;
        s->next_q = (uint16_t)((uint32_t)distance & 0x1ffu);
    } else {
        s->mode_q = WR_HINT_MODE_WAIT;
        s->next_q = 0;
    }
}

static void accept(wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    if (in->pc != fetch_pc(s) || (in->hint & HINT_VALID) == 0) {
        s->fault_q = true;
        go_to(s, 0);
        return;
    }
    const decoded d = in->branch ? decode_2(s, in) : decode_1(s, in);
    s->fault_q = s->fault_q || d.bad;
    s->issue_q = true;
    s->own_q = s->next_q;
    s->dst_q = d.dst;
    s->renamed_q = d.renamed;
    s->control_q = in->branch;
    s->taken_q = (uint16_t)((uint32_t)d.taken & 0x7ffu);
    s->not_taken_q = (uint16_t)((uint32_t)d.not_taken & 0x7ffu);
    go_to(s, d.next);
}

/* In order: the hint of a stall point is the way into its chain. */
static void stall(wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    const int32_t entry = field(in->hint, OFFSET_AT, s->cfg.offset_w);
    if (!in->rcu_empty || (in->hint & HINT_VALID) == 0 || entry == 0) {
        return;
    }
    s->fault_q = s->fault_q || (in->hint & reserved_1(s)) != 0;
    s->base_q = in->pc;
    go_to(s, entry);
    assert(s->mode_q == WR_HINT_MODE_HINT);
}

void wr_hint_decoder_tick(wr_hint_decoder *s, const wr_hint_decoder_in *in)
{
    const bool ready = is_ready(s, in);
    const uint8_t mode = s->mode_q;

    s->fault_q = s->fault_q || (in->take && (!s->issue_q || in->rcu_full)) ||
                 (in->stall && mode != WR_HINT_MODE_IN_ORDER) ||
                 (in->redirect && mode != WR_HINT_MODE_HINT);
    if (in->resume) {
        s->mode_q = WR_HINT_MODE_IN_ORDER;
        s->next_q = 0;
        s->issue_q = false;
    } else if (mode == WR_HINT_MODE_IN_ORDER) {
        if (in->stall) {
            stall(s, in);
        }
    } else if (in->rcu_full) {
        s->issue_q = false;
        go_to(s, 0);
    } else {
        s->issue_q = s->issue_q && !in->take;
        if (in->redirect && mode == WR_HINT_MODE_HINT) {
            go_to(s, (int32_t)(in->pc - s->base_q));
        } else if (in->valid && ready) {
            accept(s, in);
        }
    }
}
