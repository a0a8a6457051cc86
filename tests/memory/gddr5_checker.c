/* SPDX-License-Identifier: Apache-2.0 */
/* GDDR5 protocol checker; see gddr5_checker.h. */
#include "tests/memory/gddr5_checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LONG_AGO (INT64_MIN / 4)
#define NEVER    (INT64_MAX / 4)

static const char *const rule_names[GDDR5_RULES] = {
    [GDDR5_RULE_CLOCK] = "one command a clock",
    [GDDR5_RULE_CLOSED] = "bank closed",
    [GDDR5_RULE_OPEN] = "bank open",
    [GDDR5_RULE_ROW] = "open row",
    [GDDR5_RULE_CCD] = "ccd",
    [GDDR5_RULE_CCDL] = "ccdl",
    [GDDR5_RULE_RRD] = "rrd",
    [GDDR5_RULE_RCD] = "rcd",
    [GDDR5_RULE_RAS] = "ras",
    [GDDR5_RULE_RP] = "rp",
    [GDDR5_RULE_RC] = "rc",
    [GDDR5_RULE_CDLR] = "cdlr",
    [GDDR5_RULE_WR] = "wr",
    [GDDR5_RULE_RTP] = "rtp",
    [GDDR5_RULE_BUS] = "data bus",
    [GDDR5_RULE_TURN] = "data bus turned round",
    [GDDR5_RULE_RFC] = "rfc",
    [GDDR5_RULE_EARLY] = "refresh too early",
    [GDDR5_RULE_POSTPONED] = "refresh postponed",
};

static const char *const command_names[] = {
    [WR_GDDR5_ACTIVATE] = "activate", [WR_GDDR5_PRECHARGE] = "precharge", [WR_GDDR5_READ] = "read",
    [WR_GDDR5_WRITE] = "write",       [WR_GDDR5_REFRESH] = "refresh",
};

const char *gddr5_rule_name(gddr5_rule rule)
{
    return rule_names[rule];
}

void gddr5_checker_init(gddr5_checker *c, const wr_gddr5_config *cfg, bool from_start)
{
    memset(c, 0, sizeof *c);
    c->t = cfg->t;
    c->banks = cfg->banks;
    c->groups = cfg->groups;
    c->burst_clocks = cfg->burst_clocks;
    for (uint32_t b = 0; b < WR_GDDR5_MAX_BANKS; b++) {
        c->bank[b].state = from_start ? GDDR5_CLOSED : GDDR5_UNKNOWN;
        c->bank[b].activated = c->bank[b].precharged = LONG_AGO;
        c->bank[b].read = c->bank[b].written = LONG_AGO;
    }
    for (uint32_t g = 0; g < WR_GDDR5_MAX_GROUPS; g++) {
        c->group_column[g] = LONG_AGO;
    }
    c->activated = c->column = c->read = c->written = c->refreshed = c->last = LONG_AGO;
    c->due = from_start && cfg->t.refi != 0 ? (int64_t)cfg->t.refi : NEVER;
    for (int r = 0; r < GDDR5_RULES; r++) {
        c->slack[r] = NEVER;
    }
}

/* The judgement of one command: all rules are asked, the worst that each shows is kept. */
typedef struct judgement {
    int64_t now;
    int64_t got[GDDR5_RULES], required[GDDR5_RULES];
    bool asked[GDDR5_RULES];
} judgement;

static void hold(judgement *j, gddr5_rule rule, int64_t got, int64_t required)
{
    if (!j->asked[rule] || got - required < j->got[rule] - j->required[rule]) {
        j->got[rule] = got;
        j->required[rule] = required;
    }
    j->asked[rule] = true;
}

/* At least `required` clocks since `then`. */
static void apart(judgement *j, gddr5_rule rule, int64_t then, int64_t required)
{
    if (then != LONG_AGO) {
        hold(j, rule, j->now - then, required);
    }
}

static void must(judgement *j, gddr5_rule rule, bool holds)
{
    hold(j, rule, holds ? 1 : 0, 1);
}

/* From a write command to the clock after its last data. */
static int64_t write_data_end(const gddr5_checker *c)
{
    return (int64_t)c->t.wl + c->burst_clocks;
}

static int64_t read_data_end(const gddr5_checker *c)
{
    return (int64_t)c->t.cl + c->burst_clocks;
}

/* Clocks from a refresh's due time in which its banks are surely closed: what was given just
 * before runs out, each bank takes a clock to precharge, the last recovers. */
static int64_t closing(const gddr5_checker *c)
{
    int64_t busy = write_data_end(c) + c->t.wr;
    busy = busy > c->t.ras ? busy : c->t.ras;
    busy = busy > c->t.rtp ? busy : c->t.rtp;
    return busy + c->banks + (c->t.rp > c->t.rc ? c->t.rp : c->t.rc);
}

static void judge_column(const gddr5_checker *c, judgement *j, uint32_t bank, uint32_t row,
                         bool write)
{
    if (c->bank[bank].state != GDDR5_UNKNOWN) {
        must(j, GDDR5_RULE_OPEN, c->bank[bank].state == GDDR5_OPEN);
        must(j, GDDR5_RULE_ROW, c->bank[bank].state != GDDR5_OPEN || c->bank[bank].row == row);
    }
    apart(j, GDDR5_RULE_RCD, c->bank[bank].activated, c->t.rcd);
    apart(j, GDDR5_RULE_CCD, c->column, c->t.ccd);
    apart(j, GDDR5_RULE_CCDL, c->group_column[bank % c->groups], c->t.ccdl);
    int64_t data = j->now + (write ? c->t.wl : c->t.cl);
    if (c->read != LONG_AGO) {
        hold(j, write ? GDDR5_RULE_TURN : GDDR5_RULE_BUS, data - (c->read + read_data_end(c)),
             write ? GDDR5_TURN_CLOCKS : 0);
    }
    if (c->written != LONG_AGO) {
        hold(j, GDDR5_RULE_BUS, data - (c->written + write_data_end(c)), 0);
        if (!write) {
            apart(j, GDDR5_RULE_CDLR, c->written + write_data_end(c), c->t.cdlr);
        }
    }
}

static void judge_refresh(const gddr5_checker *c, judgement *j)
{
    for (uint32_t b = 0; b < c->banks; b++) {
        must(j, GDDR5_RULE_CLOSED, c->bank[b].state != GDDR5_OPEN);
        apart(j, GDDR5_RULE_RP, c->bank[b].precharged, c->t.rp);
        apart(j, GDDR5_RULE_RC, c->bank[b].activated, c->t.rc);
    }
    apart(j, GDDR5_RULE_RFC, c->refreshed, c->t.rfc);
    if (c->due != NEVER) {
        hold(j, GDDR5_RULE_EARLY, j->now - c->due, 0);
    }
}

static judgement judge(const gddr5_checker *c, uint64_t clock, wr_gddr5_command command,
                       uint32_t bank, uint32_t row)
{
    judgement j = {.now = (int64_t)clock};
    apart(&j, GDDR5_RULE_CLOCK, c->last, 1);
    if (c->due != NEVER) {
        hold(&j, GDDR5_RULE_POSTPONED, closing(c) - (j.now - c->due), 0);
    }
    switch (command) {
    case WR_GDDR5_ACTIVATE:
        must(&j, GDDR5_RULE_CLOSED, c->bank[bank].state != GDDR5_OPEN);
        apart(&j, GDDR5_RULE_RC, c->bank[bank].activated, c->t.rc);
        apart(&j, GDDR5_RULE_RP, c->bank[bank].precharged, c->t.rp);
        apart(&j, GDDR5_RULE_RFC, c->refreshed, c->t.rfc);
        if (c->last_bank != bank) {
            apart(&j, GDDR5_RULE_RRD, c->activated, c->t.rrd);
        }
        break;
    case WR_GDDR5_PRECHARGE:
        must(&j, GDDR5_RULE_OPEN, c->bank[bank].state != GDDR5_CLOSED);
        apart(&j, GDDR5_RULE_RAS, c->bank[bank].activated, c->t.ras);
        apart(&j, GDDR5_RULE_RTP, c->bank[bank].read, c->t.rtp);
        if (c->bank[bank].written != LONG_AGO) {
            apart(&j, GDDR5_RULE_WR, c->bank[bank].written + write_data_end(c), c->t.wr);
        }
        break;
    case WR_GDDR5_READ:
    case WR_GDDR5_WRITE:
        judge_column(c, &j, bank, row, command == WR_GDDR5_WRITE);
        break;
    case WR_GDDR5_REFRESH:
        judge_refresh(c, &j);
        break;
    }
    return j;
}

bool gddr5_checker_allows(const gddr5_checker *c, uint64_t clock, wr_gddr5_command command,
                          uint32_t bank, uint32_t row)
{
    judgement j = judge(c, clock, command, bank, row);
    for (int r = 0; r < GDDR5_RULES; r++) {
        if (j.asked[r] && j.got[r] < j.required[r]) {
            return false;
        }
    }
    return true;
}

static void find(gddr5_checker *c, const gddr5_finding *finding)
{
    if (c->findings == 0) {
        c->first = *finding;
    }
    c->findings++;
}

static void note(gddr5_checker *c, int64_t now, wr_gddr5_command command, uint32_t bank,
                 uint32_t row)
{
    c->last = now;
    switch (command) {
    case WR_GDDR5_ACTIVATE:
        c->bank[bank].state = GDDR5_OPEN;
        c->bank[bank].row = row;
        c->bank[bank].activated = c->activated = now;
        c->last_bank = bank;
        break;
    case WR_GDDR5_PRECHARGE:
        c->bank[bank].state = GDDR5_CLOSED;
        c->bank[bank].precharged = now;
        break;
    case WR_GDDR5_READ:
    case WR_GDDR5_WRITE:
        c->column = c->group_column[bank % c->groups] = now;
        if (command == WR_GDDR5_READ) {
            c->bank[bank].read = c->read = now;
        } else {
            c->bank[bank].written = c->written = now;
        }
        break;
    case WR_GDDR5_REFRESH:
        for (uint32_t b = 0; b < c->banks; b++) {
            c->bank[b].state = GDDR5_CLOSED;
        }
        c->refreshed = now;
        c->due = c->due != NEVER ? c->due + c->t.refi : NEVER;
        break;
    }
}

void gddr5_checker_watch(void *arg, uint64_t clock, wr_gddr5_command command, uint32_t bank,
                         uint32_t row, uint32_t column)
{
    (void)column;
    gddr5_checker *c = arg;
    judgement j = judge(c, clock, command, bank, row);
    for (int r = 0; r < GDDR5_RULES; r++) {
        if (!j.asked[r]) {
            continue;
        }
        int64_t slack = j.got[r] - j.required[r];
        c->slack[r] = slack < c->slack[r] ? slack : c->slack[r];
        if (slack < 0) {
            find(c, &(gddr5_finding){clock, command, bank, (gddr5_rule)r, j.got[r], j.required[r]});
        }
    }
    c->commands++;
    note(c, j.now, command, bank, row);
}

void gddr5_checker_end(gddr5_checker *c, uint64_t clock)
{
    int64_t late = (int64_t)clock - c->due;
    if (c->due != NEVER && late > closing(c)) {
        find(c, &(gddr5_finding){clock, WR_GDDR5_REFRESH, 0, GDDR5_RULE_POSTPONED,
                                 closing(c) - late, 0});
    }
}

void gddr5_checker_describe(const gddr5_checker *c, char *text, size_t size)
{
    if (c->findings == 0) {
        (void)snprintf(text, size, "%" PRIu64 " commands keep all rules", c->commands);
        return;
    }
    (void)snprintf(text, size,
                   "clock %" PRIu64 ": %s of bank %" PRIu32 " breaks '%s': got %" PRId64
                   ", required %" PRId64 " (%" PRIu64 " findings in %" PRIu64 " commands)",
                   c->first.clock, command_names[c->first.command], c->first.bank,
                   rule_names[c->first.rule], c->first.got, c->first.required, c->findings,
                   c->commands);
}
