/* SPDX-License-Identifier: Apache-2.0 */
/* haws_unit: a warp is a struct, its ring is walked from the oldest entry; the RTL has tables that
 * it writes at one place a cycle, and compares all entries of a ring at once. */
#include "refmodel/hints/haws_unit.h"

#include <assert.h>
#include <string.h>

enum {
    HINT_VALID = 1u << 23,
    HINT_STALL = 1u << 22,  /* format 1, of a stall point */
    HINT_DIRECT = 1u << 22, /* format 2 */
    HINT_PAYLOAD = HINT_VALID - 1u,
    HINT_RENAME = 1u << 8, /* format 1 */
    HINT_REGISTER = 0xffu,
    OFFSET_AT = 9,     /* format 1 */
    NOT_TAKEN_AT = 11, /* format 2; the taken offset is at 0 */
};

/* The signed number in `width` bits of `word` from bit `at` up. */
static int32_t field(uint32_t word, uint32_t at, uint32_t width)
{
    const int32_t value = (int32_t)((word >> at) & ((1u << width) - 1u));
    const int32_t half = 1 << (width - 1u);
    return value >= half ? value - 2 * half : value;
}

static uint32_t bits_of(uint32_t at, uint32_t width)
{
    return ((1u << width) - 1u) << at;
}

static uint32_t pc_at(uint32_t base, int32_t offset)
{
    return base + (uint32_t)offset;
}

static uint64_t lanes_of(const wr_haws_unit *s, uint64_t mask)
{
    return s->cfg.lanes == 64 ? mask : mask & ((UINT64_C(1) << s->cfg.lanes) - 1u);
}

static uint32_t reserved(const wr_haws_unit *s, uint32_t hint, bool branch)
{
    uint32_t named = HINT_REGISTER | HINT_RENAME | bits_of(OFFSET_AT, s->cfg.offset_w);
    if (branch) {
        named = HINT_DIRECT | bits_of(0, s->cfg.branch_w);
        named |= (hint & HINT_DIRECT) != 0 ? 0 : bits_of(NOT_TAKEN_AT, s->cfg.branch_w);
    }
    return hint & HINT_PAYLOAD & ~named;
}

/* The chain ends behind an instruction: the next distance says so or can't be reached, or lanes
 * reconverge on the way there, which begins at `first`. */
static bool chain_ends(const wr_haws_unit *s, uint32_t base, int32_t next, uint32_t first,
                       uint32_t rpc)
{
    const int32_t half = 1 << (s->cfg.offset_w - 1u);
    const uint32_t to = pc_at(base, next);
    return next == 0 || next < -half || next >= half || to < first || (first <= rpc && rpc <= to);
}

static uint8_t slot(const wr_haws_unit *s, const wr_haws_warp *w, uint32_t behind_head)
{
    return (uint8_t)((w->head + behind_head) % s->cfg.entries);
}

static uint8_t tail(const wr_haws_unit *s, const wr_haws_warp *w)
{
    return slot(s, w, w->count);
}

/* The entry is held; how many are older. */
static bool holds(const wr_haws_unit *s, const wr_haws_warp *w, uint32_t id)
{
    return id < s->cfg.entries && (id + s->cfg.entries - w->head) % s->cfg.entries < w->count;
}

static bool clears(const wr_haws_unit_in *in, uint32_t warp)
{
    return in->clear && in->clear_warp == warp;
}

/* A used source is the result of an entry that still runs. */
static bool waits(const wr_haws_unit *s, const wr_haws_warp *w, const wr_haws_unit_in *in)
{
    bool any = false;
    for (uint32_t n = 0; n < w->count; n++) {
        const wr_haws_entry *e = &w->ring[slot(s, w, n)];
        for (uint32_t i = 0; i < s->cfg.srcs; i++) {
            any = any || (in->src_used[i] && !e->control && !e->ready && e->dst == in->src[i]);
        }
    }
    return any;
}

static uint8_t mapped(const wr_haws_unit *s, const wr_haws_warp *w, uint8_t reg)
{
    uint8_t to = reg;
    for (uint32_t n = 0; n < w->count; n++) { /* the youngest comes last */
        const wr_haws_entry *e = &w->ring[slot(s, w, n)];
        to = !e->control && e->dst == reg ? e->renamed : to;
    }
    return to;
}

static wr_haws_action action(const wr_haws_unit *s, const wr_haws_unit_in *in)
{
    if (in->check_warp >= s->cfg.warps) {
        return WR_HAWS_NORMAL;
    }
    const wr_haws_warp *w = &s->warp_q[in->check_warp];
    const wr_haws_entry *e = &w->ring[w->head];
    if (w->mode != WR_HAWS_IN_ORDER || w->count == 0 || in->check_pc != pc_at(w->base, e->offset)) {
        return WR_HAWS_NORMAL;
    }
    if (!e->ready) {
        return WR_HAWS_WAIT;
    }
    if (e->control) {
        return WR_HAWS_BRANCH;
    }
    return e->renamed == e->dst ? WR_HAWS_SKIP : WR_HAWS_COPY;
}

wr_status wr_haws_unit_init(wr_haws_unit *s, const wr_haws_unit_cfg *cfg)
{
    if (!wr_haws_unit_cfg_ok(cfg) || cfg->branch_w < cfg->offset_w) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_haws_unit_reset(s);
    return WR_OK;
}

void wr_haws_unit_reset(wr_haws_unit *s)
{
    const wr_haws_unit_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_haws_unit_eval(const wr_haws_unit *s, const wr_haws_unit_in *in, wr_haws_unit_out *out)
{
    const wr_haws_warp *served = &s->warp_q[s->serve_warp_q];
    const wr_haws_issue *at = &s->at_issue_q;
    const wr_haws_warp *issues = &s->warp_q[at->warp];
    const wr_haws_action act = action(s, in);
    *out = (wr_haws_unit_out){
        .serve = s->serve_q,
        .serve_warp = s->serve_warp_q,
        .serve_entry = s->serve_entry_q,
        .serve_pc = s->serve_q && !s->serve_entry_q ? pc_at(served->base, served->offset) : 0,
        .issue = s->issue_q,
        .issue_warp = at->warp,
        .issue_pc = s->issue_q ? pc_at(issues->base, at->offset) : 0,
        .issue_lanes = at->lanes,
        .issue_dst = at->dst,
        .issue_renamed = at->renamed,
        .issue_control = at->control,
        .issue_id = s->issue_q ? tail(s, issues) : 0,
        .action = (uint8_t)act,
        .fault = s->fault_q,
    };
    memcpy(out->issue_src, at->src, sizeof out->issue_src);
    if (act == WR_HAWS_COPY) {
        const wr_haws_warp *w = &s->warp_q[in->check_warp];
        out->copy_from = w->ring[w->head].renamed;
        out->copy_to = w->ring[w->head].dst;
    }
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        out->hint[i] = s->warp_q[i].mode == WR_HAWS_HINT;
        out->holds[i] = s->warp_q[i].count != 0;
    }
}

/* The stall point of the served warp. */
static void look_at_stall(wr_haws_unit *s, const wr_haws_unit_in *in)
{
    wr_haws_warp *w = &s->warp_q[s->serve_warp_q];
    const int32_t next = field(in->hint, OFFSET_AT, s->cfg.offset_w);
    assert(w->mode == WR_HAWS_IN_ORDER && w->count == 0 && !w->seen);
    if ((in->hint & HINT_VALID) == 0 || (in->hint & HINT_STALL) == 0) {
        w->seen = true;
        return;
    }
    s->fault_q = s->fault_q || reserved(s, in->hint & ~(uint32_t)HINT_STALL, false) != 0;
    if (chain_ends(s, in->pc, next, in->pc + 1u, in->rpc)) {
        w->seen = true;
        return;
    }
    w->mode = WR_HAWS_HINT;
    w->base = in->pc;
    w->offset = (int16_t)next;
    w->lanes = lanes_of(s, in->mask);
    w->rpc = in->rpc;
}

static void decode_plain(wr_haws_unit *s, const wr_haws_warp *w, const wr_haws_unit_in *in,
                         wr_haws_issue *at)
{
    const uint8_t named = (uint8_t)(in->hint & HINT_REGISTER);
    const int32_t next = field(in->hint, OFFSET_AT, s->cfg.offset_w);
    at->dst = at->renamed = in->dst;
    if ((in->hint & HINT_RENAME) == 0) {
        s->fault_q = s->fault_q || named != in->dst;
    } else if (in->dst >= s->cfg.special_base || named >= s->cfg.special_base || named == in->dst) {
        s->fault_q = true;
    } else {
        at->renamed = named;
    }
    at->ends = chain_ends(s, w->base, next, in->pc + 1u, w->rpc);
    at->next = (int16_t)next;
}

static void decode_branch(const wr_haws_unit *s, const wr_haws_warp *w, const wr_haws_unit_in *in,
                          wr_haws_issue *at)
{
    const bool direct = (in->hint & HINT_DIRECT) != 0;
    const uint64_t take = direct ? w->lanes : w->lanes & lanes_of(s, in->mask);
    const uint64_t stay = w->lanes & ~take;
    bool taken = stay == 0;
    if (take != 0 && stay != 0) {
        taken = in->target != in->rpc;
        at->lanes_behind = taken ? take : stay;
        at->rpc_behind = in->rpc;
    }
    const int32_t next = field(in->hint, taken ? 0 : NOT_TAKEN_AT, s->cfg.branch_w);
    at->control = true;
    at->ends = chain_ends(s, w->base, next, taken ? in->target : in->pc + 1u, at->rpc_behind);
    at->next = (int16_t)next;
}

/* The next instruction of the served warp's chain; true: it comes to issue. */
static bool look_at_chain(wr_haws_unit *s, const wr_haws_unit_in *in, wr_haws_issue *at)
{
    wr_haws_warp *w = &s->warp_q[s->serve_warp_q];
    assert(w->mode == WR_HAWS_HINT && w->count < s->cfg.entries);
    if (in->pc != pc_at(w->base, w->offset)) {
        s->fault_q = true;
        return false;
    }
    if ((in->hint & HINT_VALID) == 0) {
        s->fault_q = true;
        w->mode = WR_HAWS_END;
        return false;
    }
    if (waits(s, w, in)) {
        return false;
    }
    *at = (wr_haws_issue){.warp = s->serve_warp_q,
                          .offset = w->offset,
                          .lanes = w->lanes,
                          .lanes_behind = w->lanes,
                          .rpc_behind = w->rpc};
    s->fault_q = s->fault_q || reserved(s, in->hint, in->branch) != 0;
    if (in->branch) {
        decode_branch(s, w, in, at);
    } else {
        decode_plain(s, w, in, at);
    }
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        at->src[i] = in->src_used[i] ? mapped(s, w, in->src[i]) : in->src[i];
    }
    return true;
}

/* What stands at issue is issued: the youngest entry. */
static void enter(wr_haws_unit *s)
{
    const wr_haws_issue *at = &s->at_issue_q;
    wr_haws_warp *w = &s->warp_q[at->warp];
    assert(w->mode == WR_HAWS_HINT && w->count < s->cfg.entries);
    w->ring[tail(s, w)] = (wr_haws_entry){.offset = at->offset,
                                          .dst = at->dst,
                                          .renamed = at->renamed,
                                          .control = at->control,
                                          .ready = at->control};
    w->count++;
    w->lanes = at->lanes_behind;
    w->rpc = at->rpc_behind;
    if (at->ends || w->count == s->cfg.entries) {
        w->mode = WR_HAWS_END;
    } else {
        w->offset = at->next;
    }
}

static void finish(wr_haws_unit *s, const wr_haws_unit_in *in)
{
    wr_haws_warp *w = &s->warp_q[in->done_warp];
    if (in->done_warp < s->cfg.warps && clears(in, in->done_warp)) {
        return;
    }
    if (in->done_warp >= s->cfg.warps || !holds(s, w, in->done_id) || w->ring[in->done_id].ready) {
        s->fault_q = true;
        return;
    }
    w->ring[in->done_id].ready = true;
}

static void leave(wr_haws_unit *s, const wr_haws_unit_in *in, wr_haws_action act)
{
    wr_haws_warp *w = &s->warp_q[in->check_warp];
    if (in->check_warp < s->cfg.warps && clears(in, in->check_warp)) {
        return;
    }
    if (in->check_warp >= s->cfg.warps || w->mode != WR_HAWS_IN_ORDER) {
        s->fault_q = true;
        return;
    }
    if (act >= WR_HAWS_SKIP) {
        w->head = slot(s, w, 1);
        w->count--;
    }
}

static bool wants(const wr_haws_unit *s, const wr_haws_unit_in *in, uint32_t warp)
{
    const wr_haws_warp *w = &s->warp_q[warp];
    const bool begins = w->mode == WR_HAWS_IN_ORDER && !w->seen && w->count == 0;
    return in->stalled[warp] && (w->mode == WR_HAWS_HINT || begins) &&
           !(s->issue_q && s->at_issue_q.warp == warp);
}

static void next_turn(wr_haws_unit *s, const wr_haws_unit_in *in)
{
    uint32_t warp = s->serve_warp_q;
    s->serve_q = false;
    for (uint32_t n = 0; n < s->cfg.warps && !s->serve_q; n++) {
        warp = (warp + 1u) % s->cfg.warps;
        s->serve_q = wants(s, in, warp);
    }
    s->serve_warp_q = s->serve_q ? (uint8_t)warp : s->serve_warp_q;
    s->serve_entry_q = s->serve_q && s->warp_q[warp].mode == WR_HAWS_IN_ORDER;
}

void wr_haws_unit_tick(wr_haws_unit *s, const wr_haws_unit_in *in)
{
    const wr_haws_action act = action(s, in);
    const uint8_t served = s->serve_warp_q;
    const bool takes = s->issue_q && in->take && !clears(in, s->at_issue_q.warp);
    const bool offered = s->serve_q && in->decode && in->stalled[served] && !clears(in, served);
    wr_haws_issue at = {0};
    bool issues = false;

    s->fault_q = s->fault_q || (in->decode && !s->serve_q) || (in->take && !s->issue_q) ||
                 (in->clear && in->clear_warp >= s->cfg.warps);
    /* Each looks at the state as it was. A warp that is checked is in order, so what is offered of
     * it is a stall point at most; and that looks at no entry. */
    if (in->check) {
        leave(s, in, act);
    }
    if (offered && !s->serve_entry_q) {
        issues = look_at_chain(s, in, &at);
    } else if (offered && !takes) {
        look_at_stall(s, in);
    }
    if (in->done) {
        finish(s, in);
    }
    if (takes) {
        enter(s);
    }
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        if (!in->stalled[i]) {
            s->warp_q[i].mode = WR_HAWS_IN_ORDER;
            s->warp_q[i].seen = false;
        }
    }
    if (in->clear && in->clear_warp < s->cfg.warps) {
        wr_haws_warp *w = &s->warp_q[in->clear_warp];
        w->mode = WR_HAWS_IN_ORDER;
        w->seen = false;
        w->head = w->count = 0;
    }
    s->issue_q = issues;
    s->at_issue_q = at;
    next_turn(s, in);
}
