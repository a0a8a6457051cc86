/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol checker against sequences of commands that break one rule each. */
#include "tests/memory/gddr5_checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Commands at clocks, the last of which is a clock too early or breaks a state. */
static void test_the_checker_finds_each_rule(void **state)
{
    (void)state;
    enum { ACT = WR_GDDR5_ACTIVATE, PRE = WR_GDDR5_PRECHARGE };
    enum { RD = WR_GDDR5_READ, WR = WR_GDDR5_WRITE, REF = WR_GDDR5_REFRESH };
    wr_gddr5_config cfg = {.banks = 16, .groups = 4, .burst_clocks = 2};
    cfg.t = (wr_gddr5_timing){2, 3, 6, 12, 28, 12, 44, 12, 4, 5, 12, 2, 500, 60};
    typedef struct given {
        uint64_t clock;
        int command;
        uint32_t bank, row;
    } given;
    const struct {
        gddr5_rule rule;
        uint32_t count;
        given given[5];
        bool state; /* no clock would mend it */
    } rows[] = {
        {GDDR5_RULE_CLOCK, 2, {{9, ACT, 0, 1}, {9, ACT, 0, 1}}, true},
        {GDDR5_RULE_CLOSED, 2, {{0, ACT, 0, 1}, {100, ACT, 0, 2}}, true},
        {GDDR5_RULE_CLOSED, 2, {{100, ACT, 7, 1}, {500, REF, 0, 0}}, true},
        {GDDR5_RULE_OPEN, 1, {{0, RD, 0, 1}}, true},
        {GDDR5_RULE_OPEN, 1, {{0, PRE, 0, 1}}, true},
        {GDDR5_RULE_ROW, 2, {{0, ACT, 3, 1}, {50, RD, 3, 2}}, true},
        {GDDR5_RULE_CCD, 4, {{0, ACT, 0, 1}, {6, ACT, 1, 1}, {30, RD, 0, 1}, {32, RD, 1, 1}}, 0},
        {GDDR5_RULE_CCDL, 4, {{0, ACT, 0, 1}, {6, ACT, 4, 1}, {30, RD, 0, 1}, {33, RD, 4, 1}}, 0},
        {GDDR5_RULE_RRD, 2, {{0, ACT, 0, 1}, {6, ACT, 1, 1}}, false},
        {GDDR5_RULE_RCD, 2, {{0, ACT, 0, 1}, {12, RD, 0, 1}}, false},
        {GDDR5_RULE_RCD, 2, {{0, ACT, 0, 1}, {12, WR, 0, 1}}, false},
        {GDDR5_RULE_RAS, 2, {{0, ACT, 0, 1}, {28, PRE, 0, 1}}, false},
        {GDDR5_RULE_RP, 3, {{0, ACT, 0, 1}, {40, PRE, 0, 1}, {52, ACT, 0, 1}}, false},
        {GDDR5_RULE_RP, 3, {{0, ACT, 0, 1}, {490, PRE, 0, 1}, {502, REF, 0, 0}}, false},
        {GDDR5_RULE_RC, 3, {{0, ACT, 0, 1}, {28, PRE, 0, 1}, {44, ACT, 0, 1}}, false},
        {GDDR5_RULE_CDLR, 4, {{0, ACT, 0, 1}, {6, ACT, 1, 1}, {30, WR, 0, 1}, {41, RD, 1, 1}}, 0},
        {GDDR5_RULE_WR, 3, {{0, ACT, 0, 1}, {30, WR, 0, 1}, {48, PRE, 0, 1}}, false},
        {GDDR5_RULE_RTP, 3, {{0, ACT, 0, 1}, {30, RD, 0, 1}, {32, PRE, 0, 1}}, false},
        {GDDR5_RULE_TURN, 4, {{0, ACT, 0, 1}, {6, ACT, 1, 1}, {30, RD, 0, 1}, {42, WR, 1, 1}}, 0},
        {GDDR5_RULE_RFC, 2, {{500, REF, 0, 0}, {560, ACT, 0, 1}}, false},
        {GDDR5_RULE_EARLY, 1, {{500, REF, 0, 0}}, false},
        {GDDR5_RULE_POSTPONED, 1, {{600, REF, 0, 0}}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t early = rows[i].state ? 1 : 0; early < 2; early++) {
            gddr5_checker c;
            gddr5_checker_init(&c, &cfg, true);
            uint32_t last = rows[i].count - 1;
            for (uint32_t k = 0; k <= last; k++) {
                const given *d = &rows[i].given[k];
                uint64_t clock = d->clock - (k == last && !rows[i].state ? early : 0);
                bool allowed =
                    gddr5_checker_allows(&c, clock, (wr_gddr5_command)d->command, d->bank, d->row);
                gddr5_checker_watch(&c, clock, (wr_gddr5_command)d->command, d->bank, d->row, 0);
                if (allowed != (k != last || early == 0)) {
                    fail_msg("row %zu: command %u at %llu", i, k, (unsigned long long)clock);
                }
            }
            assert_int_equal(c.findings != 0, early);
            if (early != 0 && c.first.rule != rows[i].rule) {
                fail_msg("row %zu finds '%s'", i, gddr5_rule_name(c.first.rule));
            }
        }
    }
    /* overlapping data: only where ccd is less than a burst */
    cfg.t.ccd = cfg.t.ccdl = 1;
    gddr5_checker c;
    gddr5_checker_init(&c, &cfg, true);
    const given overlap[] = {{0, ACT, 0, 1}, {30, RD, 0, 1}, {31, RD, 0, 1}};
    for (size_t k = 0; k < 3; k++) {
        gddr5_checker_watch(&c, overlap[k].clock, (wr_gddr5_command)overlap[k].command,
                            overlap[k].bank, overlap[k].row, 0);
    }
    assert_int_equal(c.findings, 1);
    assert_int_equal(c.first.rule, GDDR5_RULE_BUS);
    /* a refresh that never comes */
    gddr5_checker_init(&c, &cfg, true);
    gddr5_checker_end(&c, 501);
    assert_int_equal(c.findings, 0);
    gddr5_checker_end(&c, 1000);
    assert_int_equal(c.findings, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_checker_finds_each_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
