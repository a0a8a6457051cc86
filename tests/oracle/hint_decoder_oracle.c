/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of hint_decoder; see the header. */
#include "tests/oracle/hint_decoder_oracle.h"

/* The number in `bits` bits of a hint from bit `first` on. */
static unsigned field(uint32_t hint, unsigned first, unsigned bits)
{
    unsigned value = 0;
    for (unsigned i = 0; i < bits; i++) {
        value += ((hint >> (first + i)) % 2) << i;
    }
    return value;
}

static int signed_field(uint32_t hint, unsigned first, unsigned bits)
{
    const int value = (int)field(hint, first, bits);
    const int values = 1 << bits;
    return value < values / 2 ? value : value - values;
}

static bool has_hint(uint32_t hint)
{
    return field(hint, 23, 1) == 1;
}

/* A distance that a chain can go on at. */
static bool in_reach(const wr_oracle_hints *o, int64_t distance)
{
    const int64_t half = 1 << (o->offset_bits - 1);
    return distance != 0 && distance >= -half && distance < half;
}

static void go_on(wr_oracle_hints *o, int64_t distance)
{
    if (in_reach(o, distance)) {
        o->next = (int)distance;
    } else {
        o->mode = WR_ORACLE_HINT_WAIT;
        o->next = 0;
    }
}

static void end_chain(wr_oracle_hints *o)
{
    go_on(o, 0);
}

bool wr_oracle_hints_ready(const wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    return o->mode == WR_ORACLE_HINT_CHAIN && !in->resume && !in->rcu_full && !in->redirect &&
           (!o->issue.there || in->take);
}

uint32_t wr_oracle_hints_fetch_pc(const wr_oracle_hints *o)
{
    return o->base + (uint32_t)o->next;
}

static bool reserved_format_1(const wr_oracle_hints *o, uint32_t hint)
{
    const unsigned first = 9 + o->offset_bits;
    return field(hint, first, 23 - first) != 0;
}

static void start(wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    const int offset = signed_field(in->hint, 9, o->offset_bits);
    if (!in->rcu_empty || !has_hint(in->hint) || offset == 0) {
        return;
    }
    o->fault = o->fault || reserved_format_1(o, in->hint);
    o->base = in->pc;
    o->mode = WR_ORACLE_HINT_CHAIN;
    o->next = offset;
}

static void accept_plain(wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    const unsigned to = field(in->hint, 0, 8);
    bool rename = field(in->hint, 8, 1) == 1;
    if (reserved_format_1(o, in->hint)) {
        o->fault = true;
    }
    if (rename && (to >= o->special || in->dst >= o->special || to == in->dst)) {
        o->fault = true;
        rename = false;
    } else if (!rename && to != in->dst) {
        o->fault = true;
    }
    o->issue.dst = in->dst;
    o->issue.renamed = rename ? to : in->dst;
    go_on(o, signed_field(in->hint, 9, o->offset_bits));
}

static void accept_branch(wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    const bool direct = field(in->hint, 22, 1) == 1;
    const int to = signed_field(in->hint, 0, o->branch_bits);
    const int other = signed_field(in->hint, 11, o->branch_bits);
    if (field(in->hint, o->branch_bits, 11 - o->branch_bits) != 0 ||
        field(in->hint, 11 + o->branch_bits, 11 - o->branch_bits) != 0 || (direct && other != 0)) {
        o->fault = true;
    }
    o->issue.control = true;
    o->issue.taken_offset = to;
    o->issue.not_taken_offset = direct ? 0 : other;
    if (direct || in->taken) {
        go_on(o, to);
    } else if (in->not_taken) {
        go_on(o, other);
    } else {
        o->fault = true;
        end_chain(o);
    }
}

static void accept(wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    if (in->pc != wr_oracle_hints_fetch_pc(o) || !has_hint(in->hint)) {
        o->fault = true;
        end_chain(o);
        return;
    }
    o->issue.there = true;
    o->issue.offset = o->next;
    if (in->branch) {
        accept_branch(o, in);
    } else {
        accept_plain(o, in);
    }
}

void wr_oracle_hints_clock(wr_oracle_hints *o, const wr_oracle_hints_in *in)
{
    const wr_oracle_hint_issue none = {0};
    const wr_oracle_hint_mode mode = o->mode;
    const bool ready = wr_oracle_hints_ready(o, in);

    if ((in->stall && mode != WR_ORACLE_HINT_IN_ORDER) ||
        (in->redirect && mode != WR_ORACLE_HINT_CHAIN) ||
        (in->take && (!o->issue.there || in->rcu_full))) {
        o->fault = true;
    }
    if (in->resume) {
        o->mode = WR_ORACLE_HINT_IN_ORDER;
        o->next = 0;
        o->issue = none;
        return;
    }
    if (mode == WR_ORACLE_HINT_IN_ORDER) {
        if (in->stall) {
            start(o, in);
        }
        return;
    }
    if (in->rcu_full) {
        o->issue = none;
        if (mode == WR_ORACLE_HINT_CHAIN) {
            end_chain(o);
        }
        return;
    }
    if (in->take) {
        o->issue = none;
    }
    if (in->redirect && mode == WR_ORACLE_HINT_CHAIN) {
        int64_t distance = (int64_t)in->pc - (int64_t)o->base;
        if (distance >= INT64_C(1) << 31) { /* modulo 2^32, signed */
            distance -= INT64_C(1) << 32;
        } else if (distance < -(INT64_C(1) << 31)) {
            distance += INT64_C(1) << 32;
        }
        go_on(o, distance);
    } else if (in->valid && ready) {
        accept(o, in);
    }
}
