/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/vt_status_table_oracle.h"

#include <string.h>

enum { FREE_COUNT = 63, VWIS = 128, MAX_N = 32 };

void wr_oracle_vt_reset(wr_oracle_vt *o, unsigned tbs, unsigned slots)
{
    memset(o, 0, sizeof *o);
    o->tbs = tbs;
    o->slots = slots;
    o->n = MAX_N;
}

/* The first TB from `from` round the table that is in a state with that count, or -1. */
static int search(const wr_oracle_vt *o, unsigned from, wr_oracle_vt_where where, unsigned waiting)
{
    for (unsigned i = 0; i < o->tbs; i++) {
        const unsigned t = (from + i) % o->tbs;
        if (o->tb[t].where == where && o->tb[t].waiting == waiting) {
            return (int)t;
        }
    }
    return -1;
}

/* The swap that is proposed. */
static bool proposal(const wr_oracle_vt *o, unsigned *out, unsigned *in)
{
    const int stalled = search(o, o->out_from, WR_ORACLE_VT_ACTIVE, o->n);
    const int ready = search(o, o->in_from, WR_ORACLE_VT_INACTIVE, 0);
    if (o->renaming || stalled < 0 || ready < 0) {
        return false;
    }
    *out = (unsigned)stalled;
    *in = (unsigned)ready;
    return true;
}

void wr_oracle_vt_outputs(const wr_oracle_vt *o, const wr_vt_status_table_in *in,
                          wr_vt_status_table_out *out)
{
    unsigned swap_out = 0;
    unsigned swap_in = 0;
    memset(out, 0, sizeof *out);
    out->swap_valid = proposal(o, &swap_out, &swap_in);
    out->swap_out = (uint8_t)swap_out;
    out->swap_in = (uint8_t)swap_in;
    out->busy = o->renaming;
    out->look_vwi = (uint8_t)(in->look_slot < o->slots ? o->vwi[in->look_slot] : 0);
    out->look_count = FREE_COUNT;
    if (in->look_tb < o->tbs && o->tb[in->look_tb].where != WR_ORACLE_VT_FREE) {
        out->look_active = o->tb[in->look_tb].where == WR_ORACLE_VT_ACTIVE;
        out->look_count = (uint8_t)o->tb[in->look_tb].waiting;
    }
    out->fault = o->fault;
}

static bool is(const wr_oracle_vt *o, unsigned tb, wr_oracle_vt_where where)
{
    return tb < o->tbs && o->tb[tb].where == where;
}

/* One slot of a renaming that is under way. */
static void rename_slot(wr_oracle_vt *o)
{
    unsigned *v = &o->vwi[o->renamed];
    if (*v >= o->old_tb * o->n && *v < (o->old_tb + 1) * o->n) {
        *v = (*v + VWIS * MAX_N + o->new_tb * o->n - o->old_tb * o->n) % VWIS;
    }
    o->renamed++;
    o->renaming = o->renamed < o->slots;
}

static unsigned at_most_n(wr_oracle_vt *o, unsigned warps)
{
    if (warps > o->n) {
        o->fault = true;
        return o->n;
    }
    return warps;
}

static void take(wr_oracle_vt *o, const wr_vt_status_table_in *in)
{
    unsigned a;
    unsigned b;
    if (!proposal(o, &a, &b)) {
        o->fault = true;
        return;
    }
    o->tb[a] = (wr_oracle_vt_tb){WR_ORACLE_VT_INACTIVE, o->n - at_most_n(o, in->out_bar)};
    o->tb[b] = (wr_oracle_vt_tb){WR_ORACLE_VT_ACTIVE, at_most_n(o, in->in_bar)};
    o->out_from = (a + 1) % o->tbs;
    o->in_from = (b + 1) % o->tbs;
    o->renaming = true;
    o->renamed = 0;
    o->old_tb = a;
    o->new_tb = b;
}

static void stall(wr_oracle_vt *o, unsigned tb)
{
    if (is(o, tb, WR_ORACLE_VT_ACTIVE) && o->tb[tb].waiting < o->n) {
        o->tb[tb].waiting++;
    } else {
        o->fault = true;
    }
}

static void wake(wr_oracle_vt *o, unsigned tb)
{
    if (tb < o->tbs && o->tb[tb].where != WR_ORACLE_VT_FREE && o->tb[tb].waiting > 0) {
        o->tb[tb].waiting--;
    } else {
        o->fault = true;
    }
}

static void new_kernel(wr_oracle_vt *o, unsigned warps)
{
    const bool bad = warps == 0 || warps > MAX_N;
    o->fault = o->fault || bad;
    o->n = bad ? MAX_N : warps;
    memset(o->tb, 0, sizeof o->tb);
    o->renaming = false;
    o->out_from = 0;
    o->in_from = 0;
}

static void events(wr_oracle_vt *o, const wr_vt_status_table_in *in)
{
    if (in->take) {
        take(o, in);
    }
    const bool cancel = in->stall && in->wake && in->stall_tb == in->wake_tb &&
                        is(o, in->stall_tb, WR_ORACLE_VT_ACTIVE);
    if (in->stall && !cancel) {
        stall(o, in->stall_tb);
    }
    if (in->wake && !cancel) {
        wake(o, in->wake_tb);
    }
    if (in->finish) {
        if (is(o, in->finish_tb, WR_ORACLE_VT_ACTIVE)) {
            o->tb[in->finish_tb].where = WR_ORACLE_VT_FREE;
        } else {
            o->fault = true;
        }
    }
    if (in->launch) {
        if (is(o, in->launch_tb, WR_ORACLE_VT_FREE) && (in->launch_tb + 1u) * o->n <= VWIS) {
            o->tb[in->launch_tb] = (wr_oracle_vt_tb){
                in->launch_active ? WR_ORACLE_VT_ACTIVE : WR_ORACLE_VT_INACTIVE, 0};
        } else {
            o->fault = true;
        }
    }
}

void wr_oracle_vt_clock(wr_oracle_vt *o, const wr_vt_status_table_in *in)
{
    const bool was_renaming = o->renaming;
    if (!in->cfg) {
        events(o, in);
    }
    if (was_renaming) { /* in the cycle of a cfg too: what ends is the rest */
        rename_slot(o);
    }
    if (in->cfg) {
        new_kernel(o, in->warps);
    }
    if (in->map_write && in->map_slot < o->slots) {
        o->vwi[in->map_slot] = in->map_vwi;
    } else if (in->map_write) {
        o->fault = true;
    }
}
