/* SPDX-License-Identifier: Apache-2.0 */
/* concurrency_manager: the model against the oracle, every output in every cycle, and what Kayiran
 * et al. give: the steps of CM-CPU (4.1), the rules of CM-BAL (4.2) and the events A to D of Fig.
 * 14, as exact values.
 */
#include "dpi/gen/concurrency_manager_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/concurrency_manager_oracle.h"

enum { KEEP, INCREASE, REDUCE };
enum { CM_CPU, CM_BAL };

typedef struct bench {
    wr_rig rig;
    wr_concurrency_manager_cfg cfg;
    wr_concurrency_manager dut;
    wr_oracle_cm oracle;
    uint64_t decisions[3];
    uint64_t moves;
    uint64_t faults;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_oracle_cm_cfg oracle_cfg = {
        .cores = b->cfg.cores, .parts = b->cfg.parts, .interval = b->cfg.interval};
    wr_oracle_cm_reset(&b->oracle, &oracle_cfg);
}

static const wr_concurrency_manager_cfg configs[] = {
    {.cores = 1, .parts = 1, .interval = 16},   {.cores = 28, .parts = 8, .interval = 1024},
    {.cores = 5, .parts = 3, .interval = 100},  {.cores = 32, .parts = 8, .interval = 16},
    {.cores = 2, .parts = 8, .interval = 1023}, {.cores = 3, .parts = 5, .interval = 31},
    {.cores = 4, .parts = 2, .interval = 33},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/* One core of the paper's system: 8 partitions, intervals of 1,024 cycles. */
static const wr_concurrency_manager_cfg one_core = {.cores = 1, .parts = 8, .interval = 1024};

/* Too large for a stack frame. */
static bench shared_bench;

static void check_outputs(bench *b, const wr_concurrency_manager_in *in,
                          const wr_concurrency_manager_out *out)
{
    const wr_oracle_cm *want = &b->oracle;
    for (unsigned i = 0; i < b->cfg.cores; i++) {
        wr_rig_check(&b->rig, "limit", out->limit[i], want->core[i].limit);
    }
    wr_rig_check(&b->rig, "decide", out->decide, wr_oracle_cm_decides(want));
    wr_rig_check(&b->rig, "part1", out->part1, (uint64_t)wr_oracle_cm_part1(want));
    wr_rig_check(&b->rig, "sum_mc", out->sum_mc, want->sum_mc);
    wr_rig_check(&b->rig, "sum_net", out->sum_net, want->sum_net);
    wr_rig_check(&b->rig, "fault", out->fault, want->fault);

    const bool exists = in->core < b->cfg.cores;
    const wr_oracle_cm_core nobody = {0};
    const wr_oracle_cm_core *core = exists ? &want->core[in->core] : &nobody;
    const bool known = in->level < WR_ORACLE_CM_LEVELS && core->known[in->level];
    wr_rig_check(&b->rig, "limit0", out->limit0, core->limit - core->limit / 2);
    wr_rig_check(&b->rig, "limit1", out->limit1, core->limit / 2);
    wr_rig_check(&b->rig, "avg", out->avg, known ? core->avg[in->level] : 0);
    wr_rig_check(&b->rig, "avg_valid", out->avg_valid, known);
    wr_rig_check(&b->rig, "stall", out->stall, exists ? wr_oracle_cm_stall(want, in->core) : 0);
    wr_rig_check(&b->rig, "run", out->run, core->run);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_concurrency_manager_out cycle(bench *b, const wr_concurrency_manager_in *in)
{
    wr_concurrency_manager_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, in, &out);
    b->decisions[out.part1] += out.decide;
    b->faults += out.fault;

    wr_oracle_cm_in same = {.start = in->start,
                            .balance = in->balance,
                            .load = in->load,
                            .th_high = in->th_high,
                            .th_low = in->th_low,
                            .cut = in->cut,
                            .k = in->k};
    for (unsigned i = 0; i < b->cfg.parts; i++) {
        same.stalls.mc[i] = in->stall_mc[i];
        same.stalls.net[i] = in->stall_net[i];
    }
    for (unsigned i = 0; i < b->cfg.cores; i++) {
        same.stalls.core[i] = in->stall_core[i];
    }
    const unsigned before = b->oracle.core[0].limit;
    wr_oracle_cm_step(&b->oracle, &same);
    b->moves += b->oracle.core[0].limit != before;
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_concurrency_manager_out *)out = cycle(bench_v, in);
}

/* Starts a kernel and goes to cycle Parts of its first interval, where counters begin anew. */
static void start(bench *b, int scheme)
{
    const wr_concurrency_manager_in in = {.start = true, .balance = scheme == CM_BAL};
    const wr_concurrency_manager_in idle = {0};
    cycle(b, &in);
    for (unsigned i = 0; i < b->cfg.parts; i++) {
        cycle(b, &idle);
    }
}

/* From cycle Parts of one interval to that of the next: the core stalls `stall` times, the
 * partitions together `mc` and `net` times. Returns the pins in the cycle of the decision, which
 * the next call then clocks; `limit` in them is still the old one. */
static wr_concurrency_manager_out interval(bench *b, unsigned stall, unsigned mc, unsigned net)
{
    const unsigned n = b->cfg.interval;
    for (unsigned i = 0; i < n; i++) {
        wr_concurrency_manager_in in = {0}; /* k: CM-BAL 1, 32 stalls of 1,024 cycles */
        /* Partitions are read in cycles 0 to Parts - 1, so they stall behind cycle Parts only. */
        const bool counted = i > 0 && i < n - b->cfg.parts;
        for (unsigned p = 0; p < b->cfg.parts && counted; p++) {
            in.stall_mc[p] = mc > 0;
            mc -= mc > 0;
            in.stall_net[p] = net > 0;
            net -= net > 0;
        }
        if (i > 0) {
            in.stall_core[0] = (uint8_t)(stall < 2 ? stall : 2);
            stall -= in.stall_core[0];
        }
        cycle(b, &in);
    }
    assert_int_equal(stall + mc + net, 0);
    wr_concurrency_manager_out out;
    const wr_concurrency_manager_in idle = {0};
    memset(&out, 0, sizeof out);
    wr_concurrency_manager_eval(&b->dut, &idle, &out);
    assert_true(out.decide);
    return out;
}

/* The limit behind the decision in whose cycle the bench stands. */
static unsigned limit_behind(bench *b)
{
    wr_concurrency_manager after = b->dut;
    const wr_concurrency_manager_in idle = {0};
    wr_concurrency_manager_out out;
    memset(&out, 0, sizeof out);
    wr_concurrency_manager_tick(&after, &idle);
    wr_concurrency_manager_eval(&after, &idle, &out);
    return out.limit[0];
}

/* 4.1: high where at least one sum is, low where both are: 1 and 0.25 a cycle of 1,024. */
static void test_thresholds(void **state)
{
    (void)state;
    static const struct {
        unsigned mc, net;
        int part1;
    } row[] = {
        {0, 0, INCREASE},  {255, 255, INCREASE}, {256, 0, KEEP},
        {0, 256, KEEP},    {1023, 1023, KEEP},   {1024, 0, REDUCE},
        {0, 1024, REDUCE}, {1024, 1024, REDUCE}, {255, 1024, REDUCE},
    };
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_CPU);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const wr_concurrency_manager_out out = interval(b, 0, row[i].mc, row[i].net);
        assert_int_equal(out.sum_mc, row[i].mc);
        assert_int_equal(out.sum_net, row[i].net);
        assert_int_equal(out.part1, row[i].part1);
    }
}

/* 4.1: from 48 in steps of 2 to 8, then of 1 to 1, and back. */
static void test_cm_cpu_steps(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_CPU);
    unsigned limit = 48;
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(interval(b, 2000, 1024, 0).limit[0], limit);
        limit = limit > 8 ? limit - 2 : limit > 1 ? limit - 1 : 1;
        assert_int_equal(limit_behind(b), limit);
    }
    assert_int_equal(limit, 1);
    for (unsigned i = 0; i < 30; i++) {
        interval(b, 0, 0, 0);
        limit = limit < 8 ? limit + 1 : limit < 48 ? limit + 2 : 48;
        assert_int_equal(limit_behind(b), limit);
    }
    assert_int_equal(limit, 48);
    interval(b, 0, 256, 0);
    assert_int_equal(limit_behind(b), 48);
}

/* 4.2: the levels, all the way down and up, where stalls never differ by more than k. */
static void test_cm_bal_levels(void **state)
{
    (void)state;
    static const unsigned levels[] = {1, 2, 3, 4, 6, 8, 16, 24, 48};
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_BAL);
    for (int l = 8; l >= 0; l--) {
        assert_int_equal(interval(b, 100, 1024, 0).limit[0], levels[l]);
    }
    for (int l = 0; l < 8; l++) {
        assert_int_equal(interval(b, 100, 0, 0).limit[0], levels[l]);
    }
    assert_int_equal(limit_behind(b), 48);
}

/* 4.2: the first stall count is the average, then a quarter old and three quarters new. */
static void test_moving_average(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_BAL);
    wr_concurrency_manager_in look = {.level = 8};
    wr_concurrency_manager_out out = cycle(b, &look);
    assert_false(out.avg_valid);
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_BAL);
    static const unsigned stall[] = {1000, 600, 603};
    static const unsigned average[] = {1000, 700, 627}; /* 627.25 */
    for (unsigned i = 0; i < 3; i++) {
        interval(b, stall[i], 256, 0);
        wr_concurrency_manager after = b->dut;
        wr_concurrency_manager_tick(&after, &look);
        wr_concurrency_manager_eval(&after, &look, &out);
        assert_true(out.avg_valid);
        assert_int_equal(out.avg, average[i]);
    }
}

/* Fig. 14: a core under lasting congestion; diff_up and diff_low as the paper defines them, k = 32.
 * The figure shows the events, not their stall counts: the counts here are chosen so that each
 * condition the text names holds. */
static void test_figure_14(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_BAL);
    assert_int_equal(interval(b, 500, 1024, 0).part1, REDUCE);
    assert_int_equal(limit_behind(b), 24);

    /* A: at 24, diff_up = 600 - 500 > k: more warps, although Part 1 wants fewer. */
    assert_int_equal(interval(b, 600, 1024, 0).part1, REDUCE);
    assert_int_equal(limit_behind(b), 48);

    /* B: at 48, diff_low = 600 - 500 > k: Part 1 wants fewer, and does not get them. */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(interval(b, 500, 1024, 0).part1, REDUCE);
        assert_int_equal(limit_behind(b), 48);
    }

    /* C: the same, but it is the fourth interval at this level: fewer after all. */
    assert_int_equal(interval(b, 500, 1024, 0).part1, REDUCE);
    assert_int_equal(limit_behind(b), 24);

    /* Down to 8 and up again: 16 and 24 have averages that lie close together. */
    interval(b, 500, 1024, 0);
    assert_int_equal(limit_behind(b), 16);
    interval(b, 540, 1024, 0);
    assert_int_equal(limit_behind(b), 8);
    assert_int_equal(interval(b, 550, 0, 0).part1, INCREASE);
    assert_int_equal(limit_behind(b), 16);
    interval(b, 540, 0, 0);
    assert_int_equal(limit_behind(b), 24);

    /* D: at 24, diff_up = 521 - 500 < k and diff_low = 540 - 521 < k: Part 1 has its way. */
    assert_int_equal(interval(b, 520, 1024, 0).part1, REDUCE);
    assert_int_equal(limit_behind(b), 16);
}

/* 4.2: k itself is not more than k. */
static void test_at_k(void **state)
{
    (void)state;
    for (unsigned beside = 0; beside <= 1; beside++) {
        bench *b = &shared_bench;
        wr_bench_init(&self, b, 1, &one_core);
        start(b, CM_BAL);
        interval(b, 500, 1024, 0);
        interval(b, 532 + beside, 1024, 0);
        assert_int_equal(limit_behind(b), beside == 0 ? 16 : 48);
    }
}

/* 4.2: four intervals at one level move it: up below 6 warps, else down. */
static void test_forced_move(void **state)
{
    (void)state;
    static const struct {
        unsigned down; /* levels below 48 */
        unsigned from, to;
    } row[] = {{0, 48, 24}, {3, 8, 6}, {4, 6, 4}, {5, 4, 6}, {7, 2, 3}, {8, 1, 2}};
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        bench *b = &shared_bench;
        wr_bench_init(&self, b, 1, &one_core);
        start(b, CM_BAL);
        for (unsigned i = 0; i < row[r].down; i++) {
            interval(b, 100, 1024, 0);
        }
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(interval(b, 100, 256, 0).part1, KEEP);
            assert_int_equal(limit_behind(b), row[r].from);
        }
        interval(b, 100, 256, 0);
        assert_int_equal(limit_behind(b), row[r].to);
    }
}

/* K4: 1,023 of a partition and 2,047 of a core are the most that their counters hold. */
static void test_saturation(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &one_core);
    start(b, CM_BAL);
    wr_concurrency_manager_in busy = {.stall_core[0] = 2, .level = 8};
    memset(busy.stall_mc, 1, sizeof busy.stall_mc);
    wr_concurrency_manager_out out = cycle(b, &busy);
    while (!out.decide) {
        out = cycle(b, &busy);
    }
    assert_int_equal(out.stall, 2047);
    while (cycle(b, &busy).sum_mc != 8184) {
    }
}

static void random_stalls(bench *b, const unsigned *percent, wr_concurrency_manager_in *in)
{
    for (unsigned i = 0; i < b->cfg.parts; i++) {
        in->stall_mc[i] = wr_rig_chance(&b->rig, percent[0]);
        in->stall_net[i] = wr_rig_chance(&b->rig, percent[1]);
    }
    for (unsigned i = 0; i < b->cfg.cores; i++) {
        /* Cores differ, so that some are moved by their own stalls and some are not. */
        const unsigned own = percent[2] > 4 * i ? percent[2] - 4 * i : 0;
        in->stall_core[i] = (uint8_t)(wr_rig_chance(&b->rig, own) + wr_rig_chance(&b->rig, own));
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    static const unsigned levels[] = {0, 1, 2, 5, 10, 15, 30, 60, 100};
    const unsigned n = sizeof levels / sizeof levels[0];
    unsigned percent[3] = {0};
    wr_rig *r = &b->rig;
    for (unsigned i = 0; i < cycles; i++) {
        if (b->oracle.cyc == 0) {
            for (unsigned p = 0; p < 3; p++) {
                percent[p] = levels[wr_rig_below(r, n)];
            }
        }
        wr_concurrency_manager_in in = {0};
        random_stalls(b, percent, &in);
        in.start = wr_rig_below(r, 40 * b->cfg.interval) == 0;
        in.balance = wr_rig_chance(r, 70);
        in.load = wr_rig_below(r, 10 * b->cfg.interval) == 0;
        in.th_high = (uint16_t)wr_rig_below(r, wr_rig_chance(r, 80) ? 2 * b->cfg.interval : 8192);
        in.th_low = (uint16_t)wr_rig_below(r, in.th_high + 1U);
        in.cut = b->oracle.cyc > b->cfg.parts && wr_rig_below(r, 2 * b->cfg.interval) == 0;
        in.k = (uint8_t)wr_rig_below(r, 4);
        in.core = (uint8_t)wr_rig_below(r, wr_rig_chance(r, 80) ? b->cfg.cores : 32);
        in.level = (uint8_t)wr_rig_below(r, 16);
        if (with_faults && wr_rig_below(r, 200) == 0) {
            in.cut = wr_rig_chance(r, 50);
            in.load = in.load || wr_rig_chance(r, 30);
            in.th_low = (uint16_t)wr_rig_below(r, 8192);
            in.start = in.start || wr_rig_chance(r, 10);
            if (wr_rig_chance(r, 50)) {
                in.stall_core[wr_rig_below(r, b->cfg.cores)] = 3;
            }
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(r, 500) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->faults > 0);
    assert_true(b->decisions[KEEP] + b->decisions[INCREASE] + b->decisions[REDUCE] > 0);
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    uint64_t moves = 0;
    for (unsigned i = 0; i < count; i++) {
        moves += b[i].moves;
    }
    assert_true(moves > 500);
}

/* Limits are balanced, between a request and a quarter of one a cycle. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    const wr_concurrency_manager_cfg *cfg = cfg_v;
    (void)element;
    if (strcmp(name, "th_high_q") == 0) {
        return cfg->interval;
    }
    return strcmp(name, "th_low_q") == 0 ? cfg->interval / 4 : strcmp(name, "balance_q") == 0;
}

static const wr_bench self = {
    .block = &wr_concurrency_manager_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 10000, .faulty = 10000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_thresholds),    cmocka_unit_test(test_cm_cpu_steps),
        cmocka_unit_test(test_cm_bal_levels), cmocka_unit_test(test_moving_average),
        cmocka_unit_test(test_figure_14),     cmocka_unit_test(test_at_k),
        cmocka_unit_test(test_forced_move),   cmocka_unit_test(test_saturation),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
