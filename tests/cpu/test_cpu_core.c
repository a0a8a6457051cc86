/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU core by itself: its stream against what it promises, its window against hand-computed
 * cycles, its misses against Kayiran Table III. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/cpu/apps.h"
#include "shell/cpu/core.h"
#include "shell/ptx/diag.h"

/* Table III as printed: number, application, L2 MPKI. */
static const struct {
    const char *name;
    double mpki;
} table3[] = {
    {"perlbench", 0.2}, {"povray", 0.2},      {"tonto", 0.2}, {"applu", 0.3},
    {"calculix", 0.3},  {"gcc", 0.3},         {"namd", 0.4},  {"barnes", 0.7},
    {"gromacs", 0.7},   {"sjeng", 0.8},       {"deallII", 1}, {"wrf", 1.3},
    {"h264ref", 1.5},   {"cactus", 1.6},      {"gobmk", 1.6}, {"bzip2", 3.1},
    {"sjas", 4},        {"tpcw", 4.8},        {"Gems", 5.2},  {"hmmer", 7},
    {"astar", 7.1},     {"sjbb", 7.5},        {"swim", 10},   {"ocean", 10.6},
    {"sphinx3", 12},    {"libquantum", 12.5}, {"art", 13.6},  {"lbn", 14},
    {"leslie3d", 14.2}, {"xalan", 14.6},      {"milc", 25},   {"omnetpp", 25.8},
    {"mcf", 49.8},      {"soplex", 103.2},
};
enum { APPS = sizeof table3 / sizeof table3[0] };

static wr_gpu_config kayiran(void)
{
    wr_gpu_config c;
    wr_diag diag = {0};
    if (!wr_config_load("kayiran", &c, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    return c;
}

/* A memory that answers each read after so many cycles, in order. */
typedef struct memory {
    uint64_t latency;
    struct {
        uint64_t at;
        uint32_t mshr;
    } reads[256];
    uint32_t first, count;
    uint64_t writes, total;
} memory;

/* Cycles up to `end`, in steps of 1, or of as many as nothing from outside can come into. */
static void run(wr_cpu_core *c, memory *m, uint64_t end, bool in_leaps)
{
    while (c->clock < end) {
        if (m->count != 0 && m->reads[m->first].at <= c->clock) {
            wr_cpu_core_fill(c, m->reads[m->first].mshr);
            m->first = (m->first + 1) % 256;
            m->count--;
            continue;
        }
        uint64_t to = c->clock + 1;
        if (in_leaps && c->wake > c->clock && c->out_count == 0) {
            to = c->wake < end ? c->wake : end;
            if (m->count != 0 && m->reads[m->first].at < to) {
                to = m->reads[m->first].at;
            }
        }
        wr_cpu_core_run(c, to);
        const wr_cpu_request *r;
        while ((r = wr_cpu_core_request(c, c->clock - 1)) != NULL) {
            if (r->write) {
                m->writes++;
            } else {
                uint32_t i = (m->first + m->count++) % 256;
                assert_true(m->count < 256);
                m->reads[i].at = c->clock - 1 + m->latency;
                m->reads[i].mshr = r->mshr;
                m->total++;
            }
            wr_cpu_core_sent(c);
        }
    }
}

static wr_cpu_core started(const wr_gpu_config *cfg, uint32_t mpki10)
{
    wr_cpu_core c;
    assert_true(wr_cpu_core_init(&c, cfg));
    wr_cpu_core_start(&c, 0, mpki10, NULL, 0);
    return c;
}

static void names_and_rates_are_table_3(void **state)
{
    (void)state;
    assert_int_equal(APPS, WR_CPU_APPS);
    for (size_t i = 0; i < APPS; i++) {
        const wr_cpu_app *app = wr_cpu_app_find(table3[i].name, strlen(table3[i].name));
        assert_ptr_equal(app, &wr_cpu_apps[i]);
        assert_true((double)app->mpki10 == table3[i].mpki * 10);
    }
    assert_null(wr_cpu_app_find("mc", 2));
    assert_null(wr_cpu_app_find("mcf2", 4));
}

/* All 34, over a run in which the rarest has a thousand misses. */
static void misses_are_table_3(void **state)
{
    (void)state;
    const wr_gpu_config cfg = kayiran();
    double worst = 0;
    for (size_t i = 0; i < APPS; i++) {
        wr_cpu_core c = started(&cfg, wr_cpu_apps[i].mpki10);
        memory m = {.latency = 60};
        uint64_t until = table3[i].mpki < 1 ? 5000000 : 500000;
        for (uint64_t end = 20000; c.stats.instructions < until; end += 20000) {
            run(&c, &m, end, true);
        }
        double mpki = 1000.0 * (double)c.stats.l2_misses / (double)c.stats.instructions;
        double off = mpki / table3[i].mpki - 1;
        worst = off * off > worst * worst ? off : worst;
        if (off > .02 || off < -.02) {
            fail_msg("%s: %.3f misses of 1000 instructions, not %.1f", table3[i].name, mpki,
                     table3[i].mpki);
        }
        assert_int_equal(m.total + c.out_count >= c.stats.l2_misses, 1);
        assert_int_equal(c.stats.accesses,
                         c.stats.l1_hits + c.stats.l2_hits + c.stats.l2_misses + c.stats.l2_merges);
        wr_cpu_core_free(&c);
    }
    print_message("largest distance from Table III: %.2f %%\n", 100 * worst);
}

/* Of the first accesses: how many are stores, how many go where. */
static void the_stream_is_as_configured(void **state)
{
    (void)state;
    static const uint32_t settings[][4] = {{0, 1, 25, 20}, {50, 2, 0, 0}, {90, 8, 100, 40}};
    for (size_t k = 0; k < 3; k++) {
        wr_gpu_config cfg = kayiran();
        cfg.cpu.trace.row_locality = settings[k][0];
        cfg.cpu.trace.burst = settings[k][1];
        cfg.cpu.trace.stores = settings[k][2];
        cfg.cpu.trace.l2_hits = settings[k][3];
        wr_cpu_stream s, again;
        wr_cpu_stream_init(&s, &cfg, 400, 3); /* 40 MPKI */
        wr_cpu_stream_init(&again, &cfg, 400, 3);
        uint64_t cold = 0, follow = 0, stores = 0, warm = 0, bursts = 0, last_line = 0, at = 0;
        uint64_t lines = wr_cpu_stream_lines(&cfg);
        bool was_cold = false;
        enum { N = 300000 };
        for (uint32_t i = 0; i < N; i++) {
            wr_cpu_access a = wr_cpu_stream_next(&s), b = wr_cpu_stream_next(&again);
            assert_true(a.at == b.at && a.line == b.line && a.store == b.store);
            assert_true(i == 0 || a.at > at);
            assert_true(a.line < lines);
            at = a.at;
            stores += a.store;
            bool is_cold = a.line >= WR_CONFIG_CPU_NEAR_LINES;
            cold += is_cold;
            bursts += is_cold && !was_cold;
            follow += is_cold && a.line == last_line + 1;
            warm += !is_cold && a.line % 64 == 0; /* the L1 has 64 sets */
            last_line = is_cold ? a.line : last_line;
            was_cold = is_cold;
        }
        /* 300 accesses of 1000 instructions */
        assert_int_equal(at, (uint64_t)(N - 1) * 1000 / 300);
        assert_in_range(cold, 40000 - 2 * settings[k][1], 40000 + 2 * settings[k][1]);
        assert_in_range(warm + 5, settings[k][3] * 1000, settings[k][3] * 1000 + 10);
        assert_in_range(stores, settings[k][2] * 3000 * 98 / 100,
                        settings[k][2] * 3000 * 102 / 100);
        assert_in_range(follow, settings[k][0] * 400 * 96 / 100, settings[k][0] * 400 * 104 / 100);
        /* bursts may touch, which makes one of two */
        assert_in_range(bursts, 40000 / settings[k][1] * 70 / 100, 40000 / settings[k][1] + 2);
    }
}

static double ipc(const wr_gpu_config *cfg, uint32_t mpki10, uint64_t latency, uint64_t cycles)
{
    wr_cpu_core c = started(cfg, mpki10);
    memory m = {.latency = latency};
    run(&c, &m, cycles, true);
    assert_int_equal(c.stats.cycles, cycles);
    double rate = (double)c.stats.instructions / (double)cycles;
    wr_cpu_core_free(&c);
    return rate;
}

static bool near(double a, double b, double share)
{
    return a > b * (1 - share) && a < b * (1 + share);
}

static void the_window_by_hand(void **state)
{
    (void)state;
    wr_gpu_config cfg = kayiran();
    cfg.cpu.trace.l2_hits = 0;
    cfg.cpu.trace.stores = 0;
    cfg.cpu.trace.accesses = 0; /* three a cycle */
    assert_true(near(ipc(&cfg, 0, 1, 10000), 3, .001));
    cfg.cpu.trace.accesses = 1000; /* one access a cycle */
    assert_true(near(ipc(&cfg, 0, 1, 10000), 1, .001));
    cfg.cpu.trace.accesses = 500; /* one access and what is behind it */
    assert_true(near(ipc(&cfg, 0, 1, 10000), 2, .001));
    cfg.cpu.issue_width = 1;
    assert_true(near(ipc(&cfg, 0, 1, 10000), 1, .001));
    cfg.cpu.issue_width = 3;

    /* Each access misses, 1000 instructions apart. From a load's entry to its data: both caches
     * and the memory. By then the window is full; it moves on by three a cycle until the next
     * load enters it. */
    cfg.cpu.trace.accesses = 1;
    cfg.cpu.trace.burst = 1;
    static const uint64_t latencies[] = {100, 300, 1000};
    for (size_t i = 0; i < 3; i++) {
        double period = (double)latencies[i] + 2 + 8 + (1000 - 128) / 3.0;
        assert_true(near(ipc(&cfg, 10, latencies[i], 2000000), 1000 / period, .005));
    }
    /* A store's miss holds nothing up. */
    cfg.cpu.trace.stores = 100;
    assert_true(near(ipc(&cfg, 10, 300, 100000), 3, .001));
    /* Every access a miss, one MSHR: an access in the time of a miss. */
    cfg.cpu.mshrs = 1;
    cfg.cpu.trace.accesses = 100;
    assert_true(near(ipc(&cfg, 1000, 200, 400000), 10.0 / 210, .02));
}

/* Leaps over cycles in which nothing changes give the same as single cycles. */
static void leaps_change_nothing(void **state)
{
    (void)state;
    wr_gpu_config cfg = kayiran();
    for (uint32_t mpki10 = 0; mpki10 <= 1000; mpki10 += 125) {
        for (uint64_t latency = 1; latency < 800; latency = latency * 3 + 20) {
            cfg.cpu.mshrs = (uint32_t)(latency % 7) + 1;
            wr_cpu_core a = started(&cfg, mpki10), b = started(&cfg, mpki10);
            memory ma = {.latency = latency}, mb = ma;
            run(&a, &ma, 30000, true);
            run(&b, &mb, 30000, false);
            assert_memory_equal(&a.stats, &b.stats, sizeof a.stats);
            assert_int_equal(ma.total, mb.total);
            assert_int_equal(ma.writes, mb.writes);
            assert_true(a.stats.cycles == 30000 && a.stats.instructions != 0);
            wr_cpu_core_free(&a);
            wr_cpu_core_free(&b);
        }
    }
}

/* Lines that are stored to come out as write-backs, once each: as many as cold stores, less what
 * is still in the caches. */
static void dirty_lines_come_back(void **state)
{
    (void)state;
    wr_gpu_config cfg = kayiran();
    cfg.cpu.trace.stores = 100;
    cfg.cpu.trace.row_locality = 100; /* no line twice */
    wr_cpu_core c = started(&cfg, 1032);
    memory m = {.latency = 50};
    run(&c, &m, 400000, true);
    uint64_t held = (262144 + 32768) / 128 + 32;
    assert_true(c.stats.l2_misses > 4 * held);
    assert_in_range(c.stats.write_backs, c.stats.l2_misses - held, c.stats.l2_misses * 101 / 100);
    assert_in_range(m.writes, c.stats.write_backs - c.out_count, c.stats.write_backs);
    cfg.cpu.trace.stores = 0;
    wr_cpu_core clean = started(&cfg, 1032);
    memory n = {.latency = 50};
    run(&clean, &n, 100000, true);
    assert_int_equal(n.writes, 0);
    wr_cpu_core_free(&c);
    wr_cpu_core_free(&clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_rates_are_table_3), cmocka_unit_test(misses_are_table_3),
        cmocka_unit_test(the_stream_is_as_configured), cmocka_unit_test(the_window_by_hand),
        cmocka_unit_test(leaps_change_nothing),        cmocka_unit_test(dirty_lines_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
