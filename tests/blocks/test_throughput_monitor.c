/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_monitor: the model against the oracle, every output in every cycle, and the classes of
 * Table 3.3 (Lin-D) at and beside each of its thresholds, as exact values.
 */
#include "dpi/gen/throughput_monitor_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/throughput_monitor_oracle.h"

enum { IDLE, WARM, MEASURE };
enum { UNDER, MODERATE, SATURATED };
enum { SCHED = 1, L1 = 2, NOC = 4, L2 = 8, DRAM = 16, ALL = 31 };

typedef struct bench {
    wr_rig rig;
    wr_throughput_monitor_cfg cfg;
    wr_throughput_monitor dut;
    wr_oracle_monitor oracle;
    uint64_t verdicts[3];
    uint64_t faults;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_throughput_monitor_cfg *cfg = &b->cfg;
    const wr_oracle_monitor_cfg oracle_cfg = {.warmup = cfg->warmup,
                                              .window = cfg->window,
                                              .sms = cfg->sms,
                                              .scheds = cfg->scheds,
                                              .parts = cfg->parts,
                                              .sustain = cfg->sustain,
                                              .dram_sat = cfg->dram_sat};
    wr_oracle_monitor_reset(&b->oracle, &oracle_cfg);
}

static const wr_throughput_monitor_cfg configs[] = {
    {.warmup = 4, .window = 25, .sms = 1, .scheds = 2, .parts = 1, .sustain = 60, .dram_sat = 70},
    {.warmup = 0, .window = 35, .sms = 3, .scheds = 2, .parts = 5, .sustain = 50, .dram_sat = 60},
    {.warmup = 9,
     .window = 100,
     .sms = 16,
     .scheds = 4,
     .parts = 16,
     .sustain = 60,
     .dram_sat = 70},
    {.warmup = 1, .window = 1, .sms = 2, .scheds = 1, .parts = 3, .sustain = 100, .dram_sat = 1},
    {.warmup = 0, .window = 1, .sms = 1, .scheds = 1, .parts = 1, .sustain = 1, .dram_sat = 100},
    {.warmup = 0, .window = 2, .sms = 32, .scheds = 4, .parts = 32, .sustain = 99, .dram_sat = 69},
    {.warmup = 65535,
     .window = 7,
     .sms = 5,
     .scheds = 3,
     .parts = 2,
     .sustain = 61,
     .dram_sat = 33},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], TABLE_CONFIG = 2 };

/* Too large for a stack frame. */
static bench shared_bench;

/* Settles and checks all outputs, then clocks both sides. */
static wr_throughput_monitor_out cycle(bench *b, const wr_throughput_monitor_in *in)
{
    const wr_oracle_monitor *want = &b->oracle;
    wr_throughput_monitor_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "state", out.state, (uint64_t)want->state);
    wr_rig_check(&b->rig, "valid", out.valid, want->valid);
    wr_rig_check(&b->rig, "verdict", out.verdict, (uint64_t)want->verdict);
    wr_rig_check(&b->rig, "low", out.low, want->low);
    wr_rig_check(&b->rig, "high", out.high, want->high);
    wr_rig_check(&b->rig, "l1_idle", out.l1_idle, want->l1_idle);
    wr_rig_check(&b->rig, "fault", out.fault, want->fault);
    b->verdicts[out.verdict] += out.valid;
    b->faults += out.fault;

    const wr_oracle_monitor_in same = {.start = in->start,
                                       .stop = in->stop,
                                       .cut = in->cut,
                                       .use = {.issued = in->issued,
                                               .l1 = in->l1,
                                               .noc_cycles = in->noc_cycles,
                                               .up = in->up,
                                               .down = in->down,
                                               .l2_cycles = in->l2_cycles,
                                               .l2 = in->l2,
                                               .dram_cycles = in->dram_cycles,
                                               .dram = in->dram}};
    wr_oracle_monitor_step(&b->oracle, &same);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_throughput_monitor_out *)out = cycle(bench_v, in);
}

/* What the parts deliver in a whole window. */
typedef struct totals {
    unsigned issued, l1, up, down, l2, dram;
} totals;

/* total spread over n cycles as evenly as it goes: the share of cycle i. */
static uint8_t share(unsigned total, unsigned i, unsigned n)
{
    return (uint8_t)(((uint64_t)total * (i + 1)) / n - ((uint64_t)total * i) / n);
}

/* Plays one window with these totals, one cycle of each clock per cycle, behind a fresh start and
 * its warm-up; the pins in the cycle of the verdict. */
static wr_throughput_monitor_out window(bench *b, totals t)
{
    const unsigned n = b->cfg.window;
    const wr_throughput_monitor_in idle = {0};
    wr_throughput_monitor_in in = {.start = true};
    cycle(b, &in);
    /* A busy warm-up counts for nothing. */
    for (unsigned i = 0; i < b->cfg.warmup; i++) {
        in = (wr_throughput_monitor_in){.issued = (uint8_t)(b->cfg.sms * b->cfg.scheds)};
        assert_int_equal(cycle(b, &in).state, WARM);
    }
    for (unsigned i = 0; i < n; i++) {
        in = (wr_throughput_monitor_in){.noc_cycles = 1, .l2_cycles = 1, .dram_cycles = 1};
        in.issued = share(t.issued, i, n);
        in.l1 = share(t.l1, i, n);
        in.up = share(t.up, i, n);
        in.down = share(t.down, i, n);
        in.l2 = share(t.l2, i, n);
        in.dram = share(t.dram, i, n);
        assert_int_equal(cycle(b, &in).state, MEASURE);
    }
    assert_false(cycle(b, &idle).valid);
    const wr_throughput_monitor_out out = cycle(b, &idle);
    assert_true(out.valid);
    assert_false(out.fault);
    return out;
}

static void check_class(bench *b, totals t, int verdict, unsigned low, unsigned high)
{
    const wr_throughput_monitor_out out = window(b, t);
    assert_int_equal(out.verdict, verdict);
    assert_int_equal(out.low, low);
    assert_int_equal(out.high, high);
}

/* Table 3.3 with Table 3.1's SM count: 16 SMs of 4 schedulers, 16 partitions. In a window of 100
 * cycles the peaks are 6,400 instructions, 1,600 of L1, L2, DRAM and flits a direction, of which
 * the interconnect sustains 960. A bound itself is neither below nor above. */
static void test_table_3_3(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &configs[TABLE_CONFIG]);
    const totals nothing = {0};
    totals t;
    check_class(b, nothing, UNDER, ALL, 0);

    t = (totals){.issued = 3839, .l1 = 959, .up = 575, .down = 575, .l2 = 959, .dram = 799};
    check_class(b, t, UNDER, ALL, 0);
    t = (totals){.issued = 3840, .l1 = 960, .up = 576, .down = 576, .l2 = 960, .dram = 800};
    check_class(b, t, MODERATE, 0, 0);
    t = (totals){.issued = 5120, .l1 = 1280, .up = 864, .down = 864, .l2 = 1280, .dram = 1120};
    check_class(b, t, MODERATE, 0, 0);
    t = (totals){.issued = 5121, .l1 = 1281, .up = 865, .down = 865, .l2 = 1281, .dram = 1121};
    check_class(b, t, SATURATED, 0, ALL);

    /* Each part by itself, the others at rest: below, at the lower bound, above it, at the upper
     * bound, above it. */
    static const struct {
        unsigned bit, lower, upper;
    } part[] = {{SCHED, 3840, 5120}, {L1, 960, 1280}, {NOC, 576, 864},
                {NOC, 576, 864},     {L2, 960, 1280}, {DRAM, 800, 1120}};
    for (unsigned p = 0; p < 6; p++) {
        unsigned total[6] = {0};
        for (int beside = -1; beside <= 1; beside++) {
            total[p] = part[p].lower + (unsigned)beside;
            t = (totals){total[0], total[1], total[2], total[3], total[4], total[5]};
            check_class(b, t, beside < 0 ? UNDER : MODERATE, beside < 0 ? ALL : ALL & ~part[p].bit,
                        0);
            total[p] = part[p].upper + (unsigned)beside;
            t = (totals){total[0], total[1], total[2], total[3], total[4], total[5]};
            check_class(b, t, beside > 0 ? SATURATED : MODERATE, ALL & ~part[p].bit,
                        beside > 0 ? part[p].bit : 0);
        }
    }
}

/* 3.6.4: the L1 is idle where it is used less than 3 %. */
static void test_l1_idle(void **state)
{
    (void)state;
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &configs[TABLE_CONFIG]);
    const totals below = {.l1 = 47};
    const totals at = {.l1 = 48};
    assert_true(window(b, below).l1_idle);
    assert_false(window(b, at).l1_idle);
}

/* 3.6.4: 10,000 cycles of warm-up, then 10,000 that count; the next window needs no warm-up. */
static void test_default_windows(void **state)
{
    (void)state;
    const wr_throughput_monitor_cfg cfg = {.warmup = 10000,
                                           .window = 10000,
                                           .sms = 16,
                                           .scheds = 4,
                                           .parts = 16,
                                           .sustain = 60,
                                           .dram_sat = 70};
    bench *b = &shared_bench;
    wr_bench_init(&self, b, 1, &cfg);
    const totals edge = {.issued = 512000, .l1 = 95999};
    wr_throughput_monitor_out out = window(b, edge); /* two cycles of the next window have run */
    assert_int_equal(out.verdict, MODERATE);
    assert_int_equal(out.low, ALL & ~SCHED);
    const wr_throughput_monitor_in busy = {.issued = 64, .noc_cycles = 1};
    for (unsigned i = 2; i < 10000; i++) {
        assert_false(cycle(b, &busy).valid);
    }
    assert_false(cycle(b, &busy).valid);
    out = cycle(b, &busy);
    assert_true(out.valid);
    assert_int_equal(out.verdict, SATURATED);
    assert_int_equal(out.high, SCHED);
    assert_int_equal(out.low, L1 | NOC); /* no L2 or DRAM cycle: neither is below */
}

/* Traffic at a level that the caller chooses per part, so that windows fall into all classes. */
static void random_use(bench *b, const unsigned *percent, wr_throughput_monitor_in *in)
{
    const wr_throughput_monitor_cfg *c = &b->cfg;
    in->noc_cycles = (uint8_t)wr_rig_below(&b->rig, 4);
    in->l2_cycles = (uint8_t)(wr_rig_chance(&b->rig, 50) ? 1 : wr_rig_below(&b->rig, 4));
    in->dram_cycles = (uint8_t)(percent[5] == 0 ? 0 : wr_rig_below(&b->rig, 4));
    const unsigned most[6] = {c->sms * c->scheds,       c->sms,
                              c->sms * in->noc_cycles,  c->parts * in->noc_cycles,
                              c->parts * in->l2_cycles, c->parts * in->dram_cycles};
    unsigned use[6];
    for (unsigned p = 0; p < 6; p++) {
        use[p] = (most[p] * percent[p] + wr_rig_below(&b->rig, 100)) / 100;
        use[p] = use[p] > most[p] ? most[p] : use[p];
    }
    in->issued = (uint8_t)use[0];
    in->l1 = (uint8_t)use[1];
    in->up = (uint8_t)use[2];
    in->down = (uint8_t)use[3];
    in->l2 = (uint8_t)use[4];
    in->dram = (uint8_t)use[5];
}

static void break_range(bench *b, wr_throughput_monitor_in *in)
{
    const wr_throughput_monitor_cfg *c = &b->cfg;
    const unsigned extra = wr_rig_chance(&b->rig, 50) ? 1 : 1 + wr_rig_below(&b->rig, 20);
    switch (wr_rig_below(&b->rig, 6)) {
    case 0:
        in->issued = (uint8_t)(c->sms * c->scheds + extra);
        break;
    case 1:
        in->l1 = (uint8_t)(c->sms + extra);
        break;
    case 2:
        in->up = (uint8_t)(c->sms * in->noc_cycles + extra);
        break;
    case 3:
        in->down = (uint8_t)(c->parts * in->noc_cycles + extra);
        break;
    case 4:
        in->l2 = (uint8_t)(c->parts * in->l2_cycles + extra);
        break;
    default:
        in->dram = (uint8_t)(c->parts * in->dram_cycles + extra);
        break;
    }
    in->l1 &= 63;
    in->up &= 127;
    in->down &= 127;
    in->l2 &= 127;
    in->dram &= 127;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    /* Around the bounds of Table 3.3; 48 and 36 are those of the interconnect's 60 %. */
    static const unsigned levels[] = {0, 1, 3, 20, 30, 36, 48, 50, 54, 60, 70, 80, 90, 100};
    unsigned percent[6] = {0};
    for (unsigned i = 0; i < cycles; i++) {
        if (wr_rig_below(&b->rig, b->cfg.window + 5) == 0) {
            const unsigned most = wr_rig_below(&b->rig, sizeof levels / sizeof levels[0]) + 1;
            for (unsigned p = 0; p < 6; p++) {
                percent[p] = levels[wr_rig_below(&b->rig, most)];
            }
        }
        wr_throughput_monitor_in in = {0};
        random_use(b, percent, &in);
        const bool warming = b->oracle.state == WARM;
        in.start = wr_rig_below(&b->rig, 60 + 8 * (b->cfg.window % 100)) == 0;
        in.stop = wr_rig_below(&b->rig, 400) == 0;
        in.cut = wr_rig_below(&b->rig, warming && b->cfg.warmup > 100 ? 10 : 120) == 0;
        if (with_faults && wr_rig_below(&b->rig, 300) == 0) {
            break_range(b, &in);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(&b->rig, 500) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->faults > 0);
    assert_true(b->verdicts[UNDER] + b->verdicts[MODERATE] + b->verdicts[SATURATED] > 0);
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    uint64_t verdicts[3] = {0};
    for (unsigned i = 0; i < count; i++) {
        for (unsigned v = 0; v < 3; v++) {
            verdicts[v] += b[i].verdicts[v];
        }
    }
    assert_true(verdicts[UNDER] > 100 && verdicts[MODERATE] > 100 && verdicts[SATURATED] > 100);
}

static const wr_bench self = {
    .block = &wr_throughput_monitor_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
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
        cmocka_unit_test(test_table_3_3),
        cmocka_unit_test(test_l1_idle),
        cmocka_unit_test(test_default_windows),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
