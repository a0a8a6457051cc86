/* SPDX-License-Identifier: Apache-2.0 */
/* Plain FR-FCFS; see gddr5_oracle.h. */
#include "tests/memory/gddr5_oracle.h"

#include <string.h>

void gddr5_oracle_init(gddr5_oracle *o, const wr_gddr5_config *cfg)
{
    memset(o, 0, sizeof *o);
    o->cfg = *cfg;
    o->due = cfg->t.refi != 0 ? cfg->t.refi : UINT64_MAX;
}

void gddr5_oracle_push(gddr5_oracle *o, uint64_t now, const wr_gddr5_request *request)
{
    o->queue[o->count] = *request;
    o->queue[o->count].arrived = now;
    o->count++;
}

static bool is_open(const gddr5_checker *c, uint32_t bank)
{
    return c->bank[bank].state == GDDR5_OPEN;
}

static bool is_hit(const gddr5_checker *c, const wr_gddr5_request *r)
{
    return is_open(c, r->bank) && c->bank[r->bank].row == r->row;
}

static gddr5_expected refresh(const gddr5_oracle *o, const gddr5_checker *c, uint64_t now)
{
    bool open = false;
    for (uint32_t b = 0; b < o->cfg.banks; b++) {
        open = open || is_open(c, b);
        if (is_open(c, b) && gddr5_checker_allows(c, now, WR_GDDR5_PRECHARGE, b, 0)) {
            return (gddr5_expected){.any = true, .any_bank = true, .command = WR_GDDR5_PRECHARGE};
        }
    }
    return (gddr5_expected){.any = !open && gddr5_checker_allows(c, now, WR_GDDR5_REFRESH, 0, 0),
                            .command = WR_GDDR5_REFRESH};
}

static uint32_t writes_of(const gddr5_oracle *o)
{
    uint32_t writes = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        writes += o->queue[i].write ? 1 : 0;
    }
    return writes;
}

static bool has_aged(const gddr5_oracle *o, uint32_t i, uint64_t now)
{
    return o->queue[i].low && now - o->queue[i].arrived >= o->cfg.aging;
}

static void decide_drain(gddr5_oracle *o, uint64_t now)
{
    uint32_t writes = writes_of(o);
    uint32_t reads = o->count - writes;
    bool read_aged = false;
    for (uint32_t i = 0; i < o->count; i++) {
        read_aged = read_aged || (!o->queue[i].write && has_aged(o, i, now));
    }
    if (read_aged) {
        o->draining = false;
    } else if (reads == 0) {
        o->draining = writes != 0;
    } else if (o->draining) {
        o->draining = writes > o->cfg.write_low;
    } else {
        o->draining = writes >= o->cfg.write_high;
    }
}

/* Whether request i is of the class that is served. */
static bool in_class(const gddr5_oracle *o, uint32_t i, bool low, uint64_t now)
{
    const wr_gddr5_request *r = &o->queue[i];
    bool patient = r->low && !has_aged(o, i, now);
    return r->write == o->draining && patient == low;
}

static bool class_hits(const gddr5_oracle *o, const gddr5_checker *c, uint32_t bank, bool low,
                       uint64_t now)
{
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->queue[i].bank == bank && in_class(o, i, low, now) && is_hit(c, &o->queue[i])) {
            return true;
        }
    }
    return false;
}

static gddr5_expected from_class(const gddr5_oracle *o, const gddr5_checker *c, bool low,
                                 uint64_t now)
{
    for (uint32_t i = 0; i < o->count; i++) {
        const wr_gddr5_request *r = &o->queue[i];
        wr_gddr5_command command = r->write ? WR_GDDR5_WRITE : WR_GDDR5_READ;
        if (in_class(o, i, low, now) && is_hit(c, r) &&
            gddr5_checker_allows(c, now, command, r->bank, r->row)) {
            return (gddr5_expected){true, false, command, r->bank, r->row, r->column};
        }
    }
    uint32_t seen = 0; /* banks whose oldest request was looked at */
    for (uint32_t i = 0; i < o->count; i++) {
        const wr_gddr5_request *r = &o->queue[i];
        if (!in_class(o, i, low, now) || (seen >> r->bank & 1) != 0) {
            continue;
        }
        seen |= 1u << r->bank;
        if (class_hits(o, c, r->bank, low, now) || (low && class_hits(o, c, r->bank, false, now))) {
            continue;
        }
        wr_gddr5_command command = is_open(c, r->bank) ? WR_GDDR5_PRECHARGE : WR_GDDR5_ACTIVATE;
        if (gddr5_checker_allows(c, now, command, r->bank, r->row)) {
            return (gddr5_expected){true, false, command, r->bank, r->row, 0};
        }
    }
    return (gddr5_expected){.any = false};
}

gddr5_expected gddr5_oracle_expect(gddr5_oracle *o, const gddr5_checker *c, uint64_t now)
{
    if (now >= o->due) {
        return refresh(o, c, now);
    }
    decide_drain(o, now);
    gddr5_expected e = from_class(o, c, false, now);
    return e.any ? e : from_class(o, c, true, now);
}

void gddr5_oracle_given(gddr5_oracle *o, const gddr5_expected *e)
{
    if (e->command == WR_GDDR5_REFRESH) {
        o->due += o->cfg.t.refi;
    }
    if (e->command != WR_GDDR5_READ && e->command != WR_GDDR5_WRITE) {
        return;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        wr_gddr5_request *r = &o->queue[i];
        if (r->bank == e->bank && r->row == e->row && r->column == e->column &&
            r->write == (e->command == WR_GDDR5_WRITE)) {
            r->column++;
            r->bursts--;
            if (r->bursts == 0) {
                o->count--;
                memmove(r, r + 1, (o->count - i) * sizeof *r);
                o->draining = o->draining && writes_of(o) != 0;
            }
            return;
        }
    }
}
