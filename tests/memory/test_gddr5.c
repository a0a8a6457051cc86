/* SPDX-License-Identifier: Apache-2.0 */
/* The GDDR5 channel against a protocol checker, a plain FR-FCFS scheduler and bounds of its
 * bandwidth; and the checker against a channel whose timing is a clock off. */
#include "tests/memory/gddr5_checker.h"
#include "tests/memory/gddr5_oracle.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What arrives, in percent of chances. */
typedef struct pattern {
    const char *name;
    uint32_t arrivals; /* percent of clocks with a request */
    uint32_t writes, low;
    uint32_t rows;  /* different ones per bank */
    uint32_t banks; /* different ones; 0: all */
    uint32_t bursts;
} pattern;

static const pattern patterns[] = {
    {"random rows", 100, 30, 0, 4096, 0, 2}, {"hot rows", 100, 20, 10, 2, 0, 2},
    {"one bank", 100, 50, 20, 3, 1, 1},      {"writes", 100, 95, 30, 16, 0, 2},
    {"contexts", 60, 50, 80, 8, 4, 2},       {"sparse", 3, 40, 30, 64, 0, 2},
    {"reads", 100, 0, 0, 1, 0, 2},           {"half", 20, 25, 5, 4, 8, 1},
};

typedef struct waiting {
    wr_gddr5_request r;
    bool used;
} waiting;

typedef struct rig {
    wr_gddr5 ch;
    gddr5_checker checker;
    gddr5_oracle oracle;
    bool compare; /* against the oracle */
    bool always;  /* each tick looks at everything */
    uint64_t now, seed;
    waiting queue[WR_GDDR5_MAX_QUEUE];
    uint32_t waits, serial;
    gddr5_expected given; /* in this clock */
    struct {
        uint64_t at;
        uint32_t tag;
    } back[2 * WR_GDDR5_MAX_QUEUE]; /* reads whose last column command was given */
    uint64_t back_in, back_out;
    uint64_t pushed, served, bursts;
} rig;

/* A column command serves the request of its bank, row, column and kind. */
static void serve(rig *g, const gddr5_expected *e)
{
    for (uint32_t i = 0; i < WR_GDDR5_MAX_QUEUE; i++) {
        wr_gddr5_request *r = &g->queue[i].r;
        if (!g->queue[i].used || r->bank != e->bank || r->row != e->row || r->column != e->column ||
            r->write != (e->command == WR_GDDR5_WRITE)) {
            continue;
        }
        g->bursts++;
        r->column++;
        r->bursts--;
        if (r->bursts == 0) {
            g->queue[i].used = false;
            g->waits--;
            g->served++;
            if (!r->write) {
                size_t slot = g->back_in % (2 * WR_GDDR5_MAX_QUEUE);
                g->back[slot].at = g->now + g->ch.cfg.t.cl + g->ch.cfg.burst_clocks;
                g->back[slot].tag = r->tag;
                g->back_in++;
            }
        }
        return;
    }
    fail_msg("clock %llu: a column command serves nothing", (unsigned long long)g->now);
}

static void watch(void *arg, uint64_t clock, wr_gddr5_command command, uint32_t bank, uint32_t row,
                  uint32_t column)
{
    rig *g = arg;
    assert_int_equal(clock, g->now);
    gddr5_checker_watch(&g->checker, clock, command, bank, row, column);
    g->given = (gddr5_expected){true, false, command, bank, row, column};
    if (command == WR_GDDR5_READ || command == WR_GDDR5_WRITE) {
        serve(g, &g->given);
    }
}

/* `truth` is what the checker holds the channel to. */
static rig *rig_create(const wr_gddr5_config *cfg, const wr_gddr5_config *truth, uint64_t seed)
{
    rig *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->seed = seed;
    wr_gddr5_init(&g->ch, cfg);
    gddr5_checker_init(&g->checker, truth, true);
    gddr5_oracle_init(&g->oracle, cfg);
    wr_gddr5_observe(&g->ch, watch, g);
    return g;
}

static void push(rig *g, wr_gddr5_request r)
{
    uint32_t slot = 0;
    while (g->queue[slot].used) {
        slot++;
        assert_true(slot < WR_GDDR5_MAX_QUEUE);
    }
    r.tag = g->serial++;
    r.column = (uint16_t)(2 * r.tag); /* so that each column is asked for once at a time */
    g->queue[slot] = (waiting){.r = r, .used = true};
    g->waits++;
    g->pushed++;
    wr_gddr5_push(&g->ch, g->now, &r);
    if (g->compare) {
        gddr5_oracle_push(&g->oracle, g->now, &r);
    }
}

static void push_random(rig *g, const pattern *p)
{
    const wr_gddr5_config *c = &g->ch.cfg;
    if (!wr_gddr5_has_room(&g->ch) || !traffic_chance(&g->seed, p->arrivals)) {
        return;
    }
    uint32_t banks = p->banks != 0 && p->banks < c->banks ? p->banks : c->banks;
    push(g, (wr_gddr5_request){.row = traffic_below(&g->seed, p->rows),
                               .bank = (uint8_t)traffic_below(&g->seed, banks),
                               .bursts = (uint8_t)(1 + traffic_below(&g->seed, p->bursts)),
                               .write = traffic_chance(&g->seed, p->writes),
                               .low = traffic_chance(&g->seed, p->low)});
}

static void compare(const rig *g, const gddr5_expected *e)
{
    const gddr5_expected *got = &g->given;
    bool column = e->command == WR_GDDR5_READ || e->command == WR_GDDR5_WRITE;
    bool same = got->any == e->any;
    if (same && e->any) {
        same = got->command == e->command && (e->any_bank || got->bank == e->bank) &&
               (e->command != WR_GDDR5_ACTIVATE || got->row == e->row) &&
               (!column || (got->row == e->row && got->column == e->column));
    }
    if (!same) {
        fail_msg("clock %llu: the channel gives %d (command %d, bank %u, row %u, column %u), "
                 "FR-FCFS %d (%d, %u, %u, %u)",
                 (unsigned long long)g->now, got->any, (int)got->command, got->bank, got->row,
                 got->column, e->any, (int)e->command, e->bank, e->row, e->column);
    }
}

/* One clock: command, data that have come. */
static void step(rig *g)
{
    gddr5_expected e = {.any = false};
    if (g->compare) {
        e = gddr5_oracle_expect(&g->oracle, &g->checker, g->now);
    }
    g->given.any = false;
    if (g->always) {
        g->ch.next = 0;
    }
    wr_gddr5_tick(&g->ch, g->now);
    if (g->compare) {
        compare(g, &e);
        if (g->given.any) {
            gddr5_oracle_given(&g->oracle, &g->given);
        }
    }
    while (wr_gddr5_take_at(&g->ch) <= g->now) {
        uint32_t tag = wr_gddr5_take(&g->ch);
        size_t slot = g->back_out % (2 * WR_GDDR5_MAX_QUEUE);
        assert_true(g->back_out < g->back_in);
        assert_int_equal(tag, g->back[slot].tag);
        assert_int_equal(g->now, g->back[slot].at);
        g->back_out++;
    }
    g->now++;
}

static void must_keep_rules(rig *g)
{
    gddr5_checker_end(&g->checker, g->now);
    if (g->checker.findings != 0) {
        char text[256];
        gddr5_checker_describe(&g->checker, text, sizeof text);
        fail_msg("%s", text);
    }
}

/* Everything is served, and counted as it was seen. */
static void drain(rig *g)
{
    while (g->waits != 0 || g->back_out != g->back_in) {
        step(g);
        assert_true(g->now < 100000000);
    }
    wr_gddr5_stats s = wr_gddr5_totals(&g->ch, g->now);
    assert_int_equal(g->served, g->pushed);
    assert_int_equal(s.reads + s.writes, g->pushed);
    assert_int_equal(s.read_bursts + s.write_bursts, g->bursts);
    assert_int_equal(s.reads, g->back_out);
    assert_int_equal(g->ch.count, 0);
    must_keep_rules(g);
}

static wr_gddr5_config base_config(void)
{
    const wr_gpu_config gpu = traffic_config();
    const wr_dram_config *d = &gpu.dram;
    return (wr_gddr5_config){.t = d->timing,
                             .banks = d->banks,
                             .groups = d->groups,
                             .burst_bytes = d->burst_bytes,
                             .burst_clocks = d->burst_clocks,
                             .queue = d->queue,
                             .write_high = d->write_high,
                             .write_low = d->write_low,
                             .aging = gpu.context.aging_cycles};
}

enum { SETS = 5 };

/* gtx480; slow and odd; one group, no refresh; many banks and a long queue; few, short. */
static wr_gddr5_config timing_set(unsigned set)
{
    wr_gddr5_config c = base_config();
    switch (set) {
    case 1:
        c.t = (wr_gddr5_timing){7, 11, 9, 31, 71, 29, 107, 33, 13, 17, 37, 19, 2503, 211};
        c.burst_clocks = 5;
        c.banks = 8;
        c.groups = 2;
        break;
    case 2:
        c.groups = 1;
        c.t.refi = 0;
        c.aging = 50;
        break;
    case 3:
        c.t = (wr_gddr5_timing){1, 2, 3, 8, 17, 7, 26, 9, 3, 4, 8, 5, 1300, 90};
        c.burst_clocks = 1;
        c.banks = 32;
        c.groups = 8;
        c.queue = 64;
        c.write_high = 40;
        c.write_low = 10;
        break;
    case 4:
        c.t.refi = 400;
        c.banks = 2;
        c.groups = 2;
        c.queue = 4;
        c.write_high = 3;
        c.write_low = 0;
        c.aging = 200;
        break;
    default:
        break;
    }
    return c;
}

/* Patterns in turn, `clocks` in all, with a pause that lets the queue run empty now and then. */
static void drive(rig *g, uint64_t clocks)
{
    const size_t count = sizeof patterns / sizeof patterns[0];
    uint64_t span = clocks / (4 * count);
    for (uint64_t end = g->now + clocks, turn = 0; g->now < end; turn++) {
        const pattern *p = &patterns[turn % count];
        for (uint64_t stop = g->now + span; g->now < stop;) {
            push_random(g, p);
            step(g);
        }
        for (uint32_t i = turn % 3 == 0 ? 2000 : 0; i != 0; i--) {
            step(g);
        }
    }
}

static void test_random_traffic_keeps_the_protocol(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    for (unsigned set = 0; set < SETS; set++) {
        wr_gddr5_config cfg = timing_set(set);
        rig *g = rig_create(&cfg, &cfg, seed + set);
        drive(g, 1000000);
        drain(g);
        assert_true(g->checker.commands > 100000);
        /* Each distance is used to its last clock where the timing lets it bind. */
        const gddr5_rule tight[] = {GDDR5_RULE_CCD, GDDR5_RULE_CCDL, GDDR5_RULE_RRD,
                                    GDDR5_RULE_RCD, GDDR5_RULE_RAS,  GDDR5_RULE_RP,
                                    GDDR5_RULE_RC,  GDDR5_RULE_CDLR, GDDR5_RULE_WR,
                                    GDDR5_RULE_RTP, GDDR5_RULE_TURN};
        for (size_t i = 0; set == 0 && i < sizeof tight / sizeof tight[0]; i++) {
            if (g->checker.slack[tight[i]] != 0) {
                fail_msg("'%s' has a slack of %lld", gddr5_rule_name(tight[i]),
                         (long long)g->checker.slack[tight[i]]);
            }
        }
        if (cfg.t.refi != 0) {
            assert_int_equal(g->ch.stats.refreshes, (g->now - 1) / cfg.t.refi);
        } else {
            assert_int_equal(g->ch.stats.refreshes, 0);
        }
        free(g);
    }
}

static void test_order_is_fr_fcfs(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    for (unsigned set = 0; set < 2 * SETS; set++) {
        wr_gddr5_config cfg = timing_set(set % SETS);
        rig *g = rig_create(&cfg, &cfg, seed + 100 + set);
        g->compare = true;
        g->always = set >= SETS;
        drive(g, 160000);
        drain(g);
        free(g);
    }
}

/* Clocks for `n` requests that follow each other as `next` says, the queue kept full. */
static uint64_t clocks_for(const wr_gddr5_config *cfg, uint32_t n,
                           wr_gddr5_request (*next)(const wr_gddr5_config *cfg, uint32_t i,
                                                    uint64_t *seed))
{
    rig *g = rig_create(cfg, cfg, 17);
    for (uint32_t i = 0; i < n;) {
        while (i < n && wr_gddr5_has_room(&g->ch)) {
            push(g, next(cfg, i++, &g->seed));
        }
        step(g);
    }
    drain(g);
    uint64_t clocks = g->now;
    free(g);
    return clocks;
}

/* Consecutive bursts: a column of each bank, then the next; 64 columns of a row. */
static wr_gddr5_request sequential(const wr_gddr5_config *cfg, uint32_t i, uint64_t *seed)
{
    (void)seed;
    return (wr_gddr5_request){
        .bank = (uint8_t)(i % cfg->banks), .row = i / cfg->banks / 64, .bursts = 1};
}

static wr_gddr5_request one_bank(const wr_gddr5_config *cfg, uint32_t i, uint64_t *seed)
{
    (void)cfg;
    (void)seed;
    return (wr_gddr5_request){.bank = 0, .row = i / 64, .bursts = 1};
}

static wr_gddr5_request new_rows(const wr_gddr5_config *cfg, uint32_t i, uint64_t *seed)
{
    (void)seed;
    return (wr_gddr5_request){.bank = (uint8_t)(i % cfg->banks), .row = i, .bursts = 1};
}

static wr_gddr5_request sequential_write(const wr_gddr5_config *cfg, uint32_t i, uint64_t *seed)
{
    wr_gddr5_request r = sequential(cfg, i, seed);
    r.write = true;
    return r;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A bound of the timing is met within so many percent and never beaten. Of each
 * refi, rfc is lost, and up to `around` in front of it and behind. */
static void within(const char *what, const wr_gddr5_timing *t, uint64_t clocks, double bound,
                   double around, double percent)
{
    double refi = t->refi != 0 ? t->refi : 1e18;
    double least = bound / (1 - t->rfc / refi) - t->rfc - t->cl - t->rcd;
    double most = bound / (1 - (t->rfc + around) / refi) * (1 + percent / 100) + t->rfc;
    if ((double)clocks < least || (double)clocks > most) {
        fail_msg("%s: %llu clocks, the bound is %.0f to %.0f", what, (unsigned long long)clocks,
                 least, most);
    }
}

static void test_bandwidth_is_what_the_timing_allows(void **state)
{
    (void)state;
    const uint32_t n = 40000;
    const double columns = 64; /* of a row */
    for (unsigned set = 0; set < SETS; set++) {
        wr_gddr5_config cfg = timing_set(set);
        const wr_gddr5_timing *t = &cfg.t;
        cfg.queue = 64;
        cfg.write_high = 48;
        cfg.write_low = 8;
        double column = larger(t->ccd, (double)t->ccdl / cfg.groups);
        double read_row = t->rtp + t->rp + t->rcd;
        double write_row = t->wl + cfg.burst_clocks + t->wr + t->rp + t->rcd;
        /* Where columns fill the command bus, rows are opened at their cost. */
        double open = t->ccd > 1 ? 0 : 1 + t->rrd;
        /* Few banks change their rows together, and nothing hides it. */
        double all = columns * cfg.banks * column;
        double hidden = cfg.banks > 2 ? 0 : 100 / all;
        double change = 3 + 100 * open * cfg.banks / all;
        double around = t->rp + t->rcd + open * cfg.banks;
        within("reads", t, clocks_for(&cfg, n, sequential), n * column, around,
               change + read_row * hidden);
        within("writes", t, clocks_for(&cfg, n, sequential_write), n * column, around + write_row,
               change + write_row * hidden);
        double row = t->rtp + t->rp + t->rcd - t->ccdl + 0.0;
        within("one bank", t, clocks_for(&cfg, n, one_bank), n * (t->ccdl + row / columns), around,
               3);
        /* A bank is busy for rc, or for what ras and rtp make of it; a column command may take
         * the clock of an activate. */
        double rc = larger(t->rc, larger(t->rcd + t->rtp, t->ras) + t->rp);
        double each = larger(larger(t->rrd, rc / cfg.banks), larger(column, 3));
        within("new rows", t, clocks_for(&cfg, n, new_rows), n * each, around + t->ras + cfg.banks,
               100 / each);
    }
}

/* A model that gives each distance a clock less (or more) than it should. */
static void test_planted_faults_are_found(void **state)
{
    (void)state;
#define FAULT(field, delta, ...)                                                                   \
    {                                                                                              \
#field, offsetof(wr_gddr5_config, field), delta,                                           \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
    const struct {
        const char *name;
        size_t at;
        int delta;
        gddr5_rule rules[3]; /* one of these is the first that is found */
    } rows[] = {
        FAULT(t.ccd, -1, GDDR5_RULE_CCD, GDDR5_RULE_BUS),
        FAULT(t.ccdl, -1, GDDR5_RULE_CCDL),
        FAULT(t.rrd, -1, GDDR5_RULE_RRD),
        FAULT(t.rcd, -1, GDDR5_RULE_RCD),
        FAULT(t.ras, -1, GDDR5_RULE_RAS),
        FAULT(t.rp, -1, GDDR5_RULE_RP),
        FAULT(t.rc, -1, GDDR5_RULE_RC),
        FAULT(t.cl, -1, GDDR5_RULE_TURN),
        FAULT(t.wl, -1, GDDR5_RULE_CDLR, GDDR5_RULE_WR),
        FAULT(t.wl, 1, GDDR5_RULE_TURN),
        FAULT(t.cdlr, -1, GDDR5_RULE_CDLR),
        FAULT(t.wr, -1, GDDR5_RULE_WR),
        FAULT(t.rtp, -1, GDDR5_RULE_RTP),
        FAULT(t.rfc, -1, GDDR5_RULE_RFC),
        FAULT(t.refi, -1, GDDR5_RULE_EARLY),
        FAULT(t.refi, 1, GDDR5_RULE_POSTPONED),
        FAULT(burst_clocks, -1, GDDR5_RULE_TURN, GDDR5_RULE_CDLR, GDDR5_RULE_WR),
        FAULT(groups, 4, GDDR5_RULE_CCDL),
    };
#undef FAULT
    wr_gddr5_config truth = base_config();
    truth.t.ccd = 3; /* above burst_clocks, so that it may shrink */
    truth.t.ccdl = 5;
    truth.t.rc = truth.t.ras + truth.t.rp + 3;
    truth.t.refi = 700;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gddr5_config wrong = truth;
        uint32_t *field = (uint32_t *)(void *)((char *)&wrong + rows[i].at);
        *field = (uint32_t)((int)*field + rows[i].delta);
        rig *g = rig_create(&wrong, &truth, 5 + i);
        drive(g, 200000);
        gddr5_checker_end(&g->checker, g->now);
        gddr5_rule found = g->checker.first.rule;
        bool named = false;
        for (size_t k = 0; k < 3; k++) { /* 0 fills the row: no distance of the table */
            named = named || (found != GDDR5_RULE_CLOCK && found == rows[i].rules[k]);
        }
        if (g->checker.findings == 0 || !named) {
            char text[256];
            gddr5_checker_describe(&g->checker, text, sizeof text);
            fail_msg("%s %+d: %s", rows[i].name, rows[i].delta, text);
        }
        free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traffic_keeps_the_protocol),
        cmocka_unit_test(test_order_is_fr_fcfs),
        cmocka_unit_test(test_bandwidth_is_what_the_timing_allows),
        cmocka_unit_test(test_planted_faults_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
