/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of haws_unit; see the header. In a function of the clock edge `was` is the state at the
 * start of the cycle, `o` the one at its end. */
#include "tests/oracle/haws_unit_oracle.h"

#include <assert.h>
#include <string.h>

static const int64_t pcs = INT64_C(1) << 32;

/* base + distance, modulo 2^32. */
static uint64_t pc_at(uint64_t base, int64_t distance)
{
    int64_t pc = (int64_t)base + distance;
    while (pc < 0) {
        pc += pcs;
    }
    while (pc >= pcs) {
        pc -= pcs;
    }
    return (uint64_t)pc;
}

/* The number in `bits` bits of a hint from bit `first` on. */
static unsigned field(uint32_t hint, unsigned first, unsigned bits)
{
    unsigned value = 0;
    for (unsigned i = 0; i < bits; i++) {
        value += ((hint >> (first + i)) % 2) << i;
    }
    return value;
}

static int64_t signed_field(uint32_t hint, unsigned first, unsigned bits)
{
    const int64_t value = field(hint, first, bits);
    const int64_t values = INT64_C(1) << bits;
    return value < values / 2 ? value : value - values;
}

static bool has_hint(uint32_t hint)
{
    return field(hint, 23, 1) == 1;
}

static bool reserved_format_1(const wr_oracle_haws *o, uint32_t hint)
{
    const unsigned first = 9 + o->is.offset_w;
    return field(hint, first, 23 - first) != 0;
}

static bool reserved_format_2(const wr_oracle_haws *o, uint32_t hint)
{
    const bool direct = field(hint, 22, 1) == 1;
    const unsigned left = 11 - o->is.branch_w;
    return field(hint, o->is.branch_w, left) != 0 || field(hint, 11 + o->is.branch_w, left) != 0 ||
           (direct && field(hint, 11, 11) != 0);
}

/* The lanes of a mask that are there. */
static uint64_t lanes_of(const wr_oracle_haws *o, uint64_t mask)
{
    uint64_t lanes = 0;
    for (unsigned i = 0; i < o->is.lanes; i++) {
        if ((mask >> i) % 2 == 1) {
            lanes += UINT64_C(1) << i;
        }
    }
    return lanes;
}

/* Whether a chain ends where it would go on at base + next, over x, with lanes that wait at rpc. */
static bool chain_ends(const wr_oracle_haws *o, uint64_t base, int64_t next, uint64_t x,
                       uint64_t rpc)
{
    const int64_t half = INT64_C(1) << (o->is.offset_w - 1);
    const uint64_t to = pc_at(base, next);
    if (next == 0) {
        return true;
    }
    if (next < -half || next >= half) {
        return true;
    }
    if (to < x) {
        return true;
    }
    return x <= rpc && rpc <= to;
}

/* clear of this warp in this cycle: the other pins of it do nothing. */
static bool is_cleared(const wr_oracle_haws_in *in, unsigned warp)
{
    return in->clear && in->clear_warp == warp;
}

static wr_oracle_haws_action action_of(const wr_oracle_haws *o, const wr_oracle_haws_in *in)
{
    if (in->check_warp >= o->is.warps) {
        return WR_ORACLE_HAWS_DO_NORMAL;
    }
    const wr_oracle_haws_warp *w = &o->warp[in->check_warp];
    if (w->held == 0 || w->mode != WR_ORACLE_HAWS_IN_ORDER) {
        return WR_ORACLE_HAWS_DO_NORMAL;
    }
    const wr_oracle_haws_entry *oldest = &w->list[0];
    if (in->check_pc != pc_at(w->base, oldest->offset)) {
        return WR_ORACLE_HAWS_DO_NORMAL;
    }
    if (!oldest->ready) {
        return WR_ORACLE_HAWS_DO_WAIT;
    }
    if (oldest->control) {
        return WR_ORACLE_HAWS_DO_BRANCH;
    }
    if (oldest->renamed == oldest->dst) {
        return WR_ORACLE_HAWS_DO_SKIP;
    }
    return WR_ORACLE_HAWS_DO_COPY;
}

/* serve: a stall point. */

static void decode_stall_point(wr_oracle_haws *o, const wr_oracle_haws_in *in, unsigned warp)
{
    wr_oracle_haws_warp *w = &o->warp[warp];
    if (!has_hint(in->hint) || field(in->hint, 22, 1) == 0) {
        w->seen = true;
        return;
    }
    if (reserved_format_1(o, in->hint & ~(UINT32_C(1) << 22))) {
        o->fault = true;
    }
    const int64_t offset = signed_field(in->hint, 9, o->is.offset_w);
    if (chain_ends(o, in->pc, offset, pc_at(in->pc, 1), in->rpc)) {
        w->seen = true;
        return;
    }
    w->mode = WR_ORACLE_HAWS_HINT;
    w->base = in->pc;
    w->offset = offset;
    w->lanes = lanes_of(o, in->mask);
    w->rpc = in->rpc;
}

/* serve: an instruction of the chain. */

/* A used source is still to be written. */
static bool source_is_missing(const wr_oracle_haws *was, const wr_oracle_haws_in *in, unsigned warp)
{
    const wr_oracle_haws_warp *w = &was->warp[warp];
    for (unsigned s = 0; s < was->is.srcs; s++) {
        for (unsigned i = 0; i < w->held; i++) {
            const wr_oracle_haws_entry *e = &w->list[i];
            if (in->src_used[s] && e->dst == in->src[s] && !e->control && !e->ready) {
                return true;
            }
        }
    }
    return false;
}

/* Where source s is: from the oldest to the youngest the last that wrote it. */
static unsigned source_at(const wr_oracle_haws *was, const wr_oracle_haws_in *in, unsigned warp,
                          unsigned s)
{
    const wr_oracle_haws_warp *w = &was->warp[warp];
    unsigned at = in->src[s];
    if (!in->src_used[s]) {
        return at;
    }
    for (unsigned i = 0; i < w->held; i++) {
        if (!w->list[i].control && w->list[i].dst == in->src[s]) {
            at = w->list[i].renamed;
        }
    }
    return at;
}

static void decode_plain(wr_oracle_haws *o, const wr_oracle_haws_in *in,
                         const wr_oracle_haws_warp *w, wr_oracle_haws_issue *next)
{
    const unsigned reg = field(in->hint, 0, 8);
    const bool rename = field(in->hint, 8, 1) == 1;
    if (reserved_format_1(o, in->hint)) {
        o->fault = true;
    }
    next->dst = in->dst;
    next->renamed = in->dst;
    if (!rename) {
        if (reg != in->dst) {
            o->fault = true;
        }
    } else if (reg >= o->is.special_base || in->dst >= o->is.special_base || reg == in->dst) {
        o->fault = true;
    } else {
        next->renamed = reg;
    }
    wr_oracle_haws_way *behind = &next->behind;
    behind->lanes = w->lanes;
    behind->rpc = w->rpc;
    behind->offset = signed_field(in->hint, 9, o->is.offset_w);
    behind->ends = chain_ends(o, w->base, behind->offset, pc_at(in->pc, 1), behind->rpc);
}

static void decode_branch(wr_oracle_haws *o, const wr_oracle_haws_in *in,
                          const wr_oracle_haws_warp *w, wr_oracle_haws_issue *next)
{
    const bool direct = field(in->hint, 22, 1) == 1;
    if (reserved_format_2(o, in->hint)) {
        o->fault = true;
    }
    const uint64_t takers = direct ? w->lanes : in->mask & w->lanes;
    const uint64_t others = w->lanes & ~takers;
    bool taken = false;
    wr_oracle_haws_way *behind = &next->behind;
    if (others == 0) { /* also where no lane is active */
        taken = true;
        behind->lanes = w->lanes;
        behind->rpc = w->rpc;
    } else if (takers == 0) {
        taken = false;
        behind->lanes = w->lanes;
        behind->rpc = w->rpc;
    } else {
        taken = in->target != in->rpc;
        behind->lanes = taken ? takers : others;
        behind->rpc = in->rpc;
    }
    const uint64_t x = taken ? in->target : pc_at(in->pc, 1);
    behind->offset = signed_field(in->hint, taken ? 0 : 11, o->is.branch_w);
    behind->ends = chain_ends(o, w->base, behind->offset, x, behind->rpc);
    next->control = true;
}

static void decode_chain(wr_oracle_haws *o, const wr_oracle_haws *was, const wr_oracle_haws_in *in,
                         unsigned warp, wr_oracle_haws_issue *next)
{
    const wr_oracle_haws_warp *w = &was->warp[warp];
    if (in->pc != pc_at(w->base, w->offset)) {
        o->fault = true;
        return;
    }
    if (!has_hint(in->hint)) {
        o->fault = true;
        o->warp[warp].mode = WR_ORACLE_HAWS_WAIT;
        return;
    }
    if (source_is_missing(was, in, warp)) {
        return;
    }
    next->there = true;
    next->warp = warp;
    next->offset = w->offset;
    for (unsigned s = 0; s < was->is.srcs; s++) {
        next->src[s] = source_at(was, in, warp, s);
    }
    if (in->branch) {
        decode_branch(o, in, w, next);
    } else {
        decode_plain(o, in, w, next);
    }
}

static bool take_acts(const wr_oracle_haws *was, const wr_oracle_haws_in *in)
{
    return in->take && was->issue.there && !is_cleared(in, was->issue.warp);
}

/* Gives what comes to issue in the next cycle. */
static wr_oracle_haws_issue decode(wr_oracle_haws *o, const wr_oracle_haws *was,
                                   const wr_oracle_haws_in *in)
{
    wr_oracle_haws_issue next = {0};
    if (!in->decode) {
        return next;
    }
    if (!was->serve) {
        o->fault = true;
        return next;
    }
    const unsigned warp = was->serve_warp;
    if (is_cleared(in, warp) || !in->stalled[warp]) {
        return next;
    }
    if (!was->serve_entry) {
        decode_chain(o, was, in, warp, &next);
    } else if (!take_acts(was, in)) {
        decode_stall_point(o, in, warp);
    }
    return next;
}

static void take(wr_oracle_haws *o, const wr_oracle_haws *was, const wr_oracle_haws_in *in)
{
    if (in->take && !was->issue.there) {
        o->fault = true;
    }
    if (!take_acts(was, in)) {
        return;
    }
    const wr_oracle_haws_issue *i = &was->issue;
    wr_oracle_haws_warp *w = &o->warp[i->warp];
    assert(w->held < o->is.entries);
    w->list[w->held] = (wr_oracle_haws_entry){.number = w->next,
                                              .offset = i->offset,
                                              .dst = i->dst,
                                              .renamed = i->renamed,
                                              .control = i->control,
                                              .ready = i->control};
    w->held++;
    w->next = (w->next + 1) % o->is.entries;
    if (i->behind.ends || w->held == o->is.entries) {
        w->mode = WR_ORACLE_HAWS_WAIT;
    } else {
        w->offset = i->behind.offset;
    }
    w->lanes = i->behind.lanes;
    w->rpc = i->behind.rpc;
}

static void back_in_order(wr_oracle_haws *o, const wr_oracle_haws_in *in)
{
    for (unsigned warp = 0; warp < o->is.warps; warp++) {
        if (!in->stalled[warp]) {
            o->warp[warp].mode = WR_ORACLE_HAWS_IN_ORDER;
            o->warp[warp].seen = false;
        }
    }
}

static void done(wr_oracle_haws *o, const wr_oracle_haws *was, const wr_oracle_haws_in *in)
{
    if (!in->done || is_cleared(in, in->done_warp)) {
        return;
    }
    if (in->done_warp >= o->is.warps) {
        o->fault = true;
        return;
    }
    const wr_oracle_haws_warp *w = &was->warp[in->done_warp];
    for (unsigned i = 0; i < w->held; i++) {
        if (w->list[i].number == in->done_id && !w->list[i].ready) {
            o->warp[in->done_warp].list[i].ready = true;
            return;
        }
    }
    o->fault = true;
}

/* After done, which counts places in the list of the start of the cycle. */
static void check(wr_oracle_haws *o, const wr_oracle_haws *was, const wr_oracle_haws_in *in)
{
    if (!in->check || is_cleared(in, in->check_warp)) {
        return;
    }
    if (in->check_warp >= o->is.warps ||
        was->warp[in->check_warp].mode != WR_ORACLE_HAWS_IN_ORDER) {
        o->fault = true;
        return;
    }
    const wr_oracle_haws_action action = action_of(was, in);
    if (action == WR_ORACLE_HAWS_DO_NORMAL || action == WR_ORACLE_HAWS_DO_WAIT) {
        return;
    }
    wr_oracle_haws_warp *w = &o->warp[in->check_warp];
    assert(w->held > 0);
    w->held--;
    for (unsigned i = 0; i < w->held; i++) {
        w->list[i] = w->list[i + 1];
    }
}

static void clear(wr_oracle_haws *o, const wr_oracle_haws_in *in)
{
    if (!in->clear) {
        return;
    }
    if (in->clear_warp >= o->is.warps) {
        o->fault = true;
        return;
    }
    wr_oracle_haws_warp *w = &o->warp[in->clear_warp];
    w->mode = WR_ORACLE_HAWS_IN_ORDER;
    w->seen = false;
    w->held = 0;
    w->next = 0;
}

static bool wants_turn(const wr_oracle_haws *o, const wr_oracle_haws_in *in, unsigned warp)
{
    const wr_oracle_haws_warp *w = &o->warp[warp];
    if (!in->stalled[warp] || (o->issue.there && o->issue.warp == warp)) {
        return false;
    }
    if (w->mode == WR_ORACLE_HAWS_HINT) {
        return true;
    }
    return w->mode == WR_ORACLE_HAWS_IN_ORDER && !w->seen && w->held == 0;
}

/* Looks at the state at the end of the cycle. */
static void give_turn(wr_oracle_haws *o, const wr_oracle_haws_in *in)
{
    const unsigned last = o->serve_warp;
    o->serve = false;
    o->serve_entry = false;
    for (unsigned n = 0; n < 2 * o->is.warps && !o->serve; n++) {
        const bool above = n < o->is.warps; /* first those above the last, then all */
        const unsigned warp = n % o->is.warps;
        if (wants_turn(o, in, warp) && (!above || warp > last)) {
            o->serve = true;
            o->serve_warp = warp;
            o->serve_entry = o->warp[warp].mode == WR_ORACLE_HAWS_IN_ORDER;
        }
    }
}

void wr_oracle_haws_start(wr_oracle_haws *o, const wr_oracle_haws_params *params)
{
    memset(o, 0, sizeof *o);
    assert(params->warps <= WR_ORACLE_HAWS_WARPS);
    assert(params->entries <= WR_ORACLE_HAWS_ENTRIES);
    assert(params->srcs <= WR_ORACLE_HAWS_SRCS);
    o->is = *params;
}

void wr_oracle_haws_look(const wr_oracle_haws *o, const wr_oracle_haws_in *in,
                         wr_oracle_haws_out *out)
{
    memset(out, 0, sizeof *out);
    out->serve = o->serve;
    out->serve_warp = o->serve_warp;
    out->serve_entry = o->serve_entry;
    if (o->serve && !o->serve_entry) {
        const wr_oracle_haws_warp *w = &o->warp[o->serve_warp];
        out->serve_pc = (uint32_t)pc_at(w->base, w->offset);
    }
    if (o->issue.there) {
        const wr_oracle_haws_warp *w = &o->warp[o->issue.warp];
        out->issue = true;
        out->issue_warp = o->issue.warp;
        out->issue_pc = (uint32_t)pc_at(w->base, o->issue.offset);
        out->issue_lanes = w->lanes; /* not yet those behind it */
        out->issue_dst = o->issue.dst;
        out->issue_renamed = o->issue.renamed;
        for (unsigned s = 0; s < o->is.srcs; s++) {
            out->issue_src[s] = o->issue.src[s];
        }
        out->issue_control = o->issue.control;
        out->issue_id = w->next;
    }
    out->action = action_of(o, in);
    if (out->action == WR_ORACLE_HAWS_DO_COPY) {
        out->copy_from = o->warp[in->check_warp].list[0].renamed;
        out->copy_to = o->warp[in->check_warp].list[0].dst;
    }
    for (unsigned warp = 0; warp < o->is.warps; warp++) {
        out->hint[warp] = o->warp[warp].mode == WR_ORACLE_HAWS_HINT;
        out->holds[warp] = o->warp[warp].held > 0;
    }
    out->fault = o->fault;
}

void wr_oracle_haws_clock(wr_oracle_haws *o, const wr_oracle_haws_in *in)
{
    const wr_oracle_haws was = *o;
    const wr_oracle_haws_issue next = decode(o, &was, in);
    take(o, &was, in);
    back_in_order(o, in);
    done(o, &was, in);
    check(o, &was, in);
    clear(o, in);
    o->issue = next;
    give_turn(o, in);
}
