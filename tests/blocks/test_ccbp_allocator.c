/* SPDX-License-Identifier: Apache-2.0 */
/* ccbp_allocator: the model against the oracle in every cycle, and the types of Lin-D Table 4.2. */
#include "dpi/gen/ccbp_allocator_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/ccbp_allocator_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_ccbp_allocator_cfg cfg;
    wr_ccbp_allocator dut;
    wr_oracle_ccbp oracle;
    uint64_t allocations;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_ccbp_reset(&b->oracle, &b->cfg);
}

enum { NBW, DBW, REGS, SMEM, THREADS, CTAS, TYPE };
enum { LATENCY, NOC, DRAM, BY_RULE };

static const wr_ccbp_allocator_cfg configs[] = {
    {4, 32, 65536, 98304, 2048, 32, 65},       {2, 3, 16, 8, 8, 4, 50},
    {3, 11, 1000, 777, 300, 13, 63},           {4, 1, 1, 1, 1, 1, 1},
    {2, 32, 131071, 131071, 131071, 127, 100},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 0 };

static wr_ccbp_allocator_out cycle(bench *b, const wr_ccbp_allocator_in *in)
{
    wr_ccbp_allocator_out got;
    wr_ccbp_allocator_out want;
    wr_bench_settle(&self, b, in, &got);
    wr_oracle_ccbp_outputs(&b->oracle, in, &want);
    wr_rig_check(&b->rig, "busy", got.busy, want.busy);
    wr_rig_check(&b->rig, "done", got.done, want.done);
    wr_rig_check(&b->rig, "cta", got.cta, want.cta);
    wr_rig_check(&b->rig, "nbw", got.nbw, want.nbw);
    wr_rig_check(&b->rig, "dbw", got.dbw, want.dbw);
    wr_rig_check(&b->rig, "dom", got.dom, want.dom);
    wr_rig_check(&b->rig, "kind", got.kind, want.kind);
    wr_rig_check(&b->rig, "steps", got.steps, want.steps);
    wr_rig_check(&b->rig, "fault", got.fault, want.fault);
    b->allocations += in->start && !got.busy;
    wr_oracle_ccbp_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return got;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_ccbp_allocator_out *)out = cycle(bench_v, in);
}

static void put(bench *b, unsigned what, unsigned kernel, unsigned index, unsigned value)
{
    const wr_ccbp_allocator_in in = {.we = true,
                                     .what = (uint8_t)what,
                                     .kernel = (uint8_t)kernel,
                                     .index = (uint8_t)index,
                                     .value = value,
                                     .view = (uint8_t)wr_rig_below(&b->rig, 4)};
    cycle(b, &in);
}

/* Start, and on until done, looking at the kernels in turn. */
static void allocate(bench *b, unsigned prior)
{
    wr_ccbp_allocator_in in = {.start = true, .prior = (uint8_t)prior};
    cycle(b, &in);
    in.start = false;
    do {
        in.view = (uint8_t)wr_rig_below(&b->rig, 4);
    } while (!cycle(b, &in).done);
}

static wr_ccbp_allocator_out look(bench *b, unsigned kernel)
{
    const wr_ccbp_allocator_in in = {.view = (uint8_t)kernel};
    return cycle(b, &in);
}

/* A kernel whose bandwidths grow with its CTAs, or jump about. */
static void random_kernel(bench *b, unsigned k)
{
    const wr_ccbp_allocator_cfg *c = &b->cfg;
    const bool wild = wr_rig_chance(&b->rig, 30);
    const unsigned n = wr_rig_below(&b->rig, 30);
    const unsigned d = wr_rig_below(&b->rig, 30);
    for (unsigned i = 1; i <= c->max_ctas; i++) {
        const unsigned nbw = wild ? wr_rig_below(&b->rig, 101) : n * i;
        const unsigned dbw = wild ? wr_rig_below(&b->rig, 101) : d * i;
        put(b, NBW, k, i, nbw > 100 ? 100 : nbw);
        put(b, DBW, k, i, dbw > 100 ? 100 : dbw);
    }
    const unsigned part = 1 + wr_rig_below(&b->rig, 20);
    put(b, REGS, k, 0, wr_rig_below(&b->rig, c->regs / part + 1));
    put(b, SMEM, k, 0, wr_rig_below(&b->rig, c->smem / part + 1));
    put(b, THREADS, k, 0, wr_rig_below(&b->rig, c->threads / part + 1));
    put(b, CTAS, k, 0, wr_rig_below(&b->rig, c->max_ctas + 1));
    put(b, TYPE, k, 0, wr_rig_below(&b->rig, 4));
}

static void random_fault(bench *b)
{
    static const uint32_t values[] = {0, 101, 131071, 33, 5, 64};
    wr_ccbp_allocator_in in = {.we = wr_rig_chance(&b->rig, 60)};
    in.what = (uint8_t)wr_rig_below(&b->rig, 8);
    in.kernel = (uint8_t)wr_rig_below(&b->rig, 4);
    in.index = (uint8_t)wr_rig_below(&b->rig, 64);
    in.value = values[wr_rig_below(&b->rig, 6)];
    in.start = wr_rig_chance(&b->rig, 20);
    in.prior = (uint8_t)wr_rig_below(&b->rig, 4);
    in.view = (uint8_t)wr_rig_below(&b->rig, 4);
    cycle(b, &in);
}

/* Rounds of allocation, a quarter of them where kernels have many CTAs. */
static void traffic(void *bench_v, unsigned rounds, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->allocations + (b->cfg.max_ctas > 16 ? rounds / 4 + 1 : rounds);
    while (b->allocations < until) {
        for (unsigned k = 0; k < b->cfg.kernels; k++) {
            if (b->allocations == 0 || wr_rig_chance(&b->rig, 60)) {
                random_kernel(b, k);
            }
        }
        allocate(b, 1 + wr_rig_below(&b->rig, 15));
        for (unsigned i = 0; with_faults && i < 60; i++) {
            random_fault(b);
        }
        while (b->oracle.cycle < b->oracle.ends) {
            look(b, wr_rig_below(&b->rig, 4));
        }
    }
}

/* Lin-D Table 4.2: bandwidths in percent of the peak, and the type of each kernel. The sustainable
 * part is 60 % of the NoC's and 75 % of DRAM's (LITERATURE 1.6). */
typedef struct table_row {
    const char *name;
    unsigned noc, dram, type;
} table_row;

static const table_row table_4_2[13] = {
    {"CFD", 54, 14, NOC},    {"LAV", 53, 1, NOC},     {"SMV", 52, 25, NOC},
    {"KM", 52, 22, NOC},     {"LBM", 15, 61, DRAM},   {"FTD", 32, 65, DRAM},
    {"SAD", 17, 64, DRAM},   {"SRT", 37, 59, DRAM},   {"BFS", 14, 24, LATENCY},
    {"BP", 19, 36, LATENCY}, {"BT", 27, 19, LATENCY}, {"HG", 19, 25, LATENCY},
    {"PF", 28, 39, LATENCY},
};

static void test_table_4_2_types(void **state)
{
    (void)state;
    static bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    unsigned right = 0;
    for (unsigned row = 0; row < 13; row++) {
        const table_row *r = &table_4_2[row];
        put(&b, CTAS, 0, 0, 8);
        put(&b, NBW, 0, 8, (r->noc * 100 + 30) / 60);
        put(&b, DBW, 0, 8, (r->dram * 100 + 37) / 75);
        put(&b, TYPE, 0, 0, BY_RULE);
        put(&b, REGS, 0, 0, 8192);
        allocate(&b, 1);
        const unsigned kind = look(&b, 0).kind;
        wr_rig_check(&b.rig, r->name, kind, r->type);
        right += kind == r->type;
    }
    assert_int_equal(right, 13);
}

/* At the threshold of 65 % and beside it, and with both the same. */
static void test_rule_beside_threshold(void **state)
{
    (void)state;
    static const unsigned rows[][3] = {
        {64, 64, LATENCY}, {65, 64, NOC}, {64, 65, DRAM},
        {65, 65, NOC},     {66, 65, NOC}, {65, 66, DRAM},
    };
    static bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put(&b, CTAS, 0, 0, 1);
        put(&b, NBW, 0, 1, rows[i][0]);
        put(&b, DBW, 0, 1, rows[i][1]);
        put(&b, TYPE, 0, 0, BY_RULE);
        allocate(&b, 1);
        assert_int_equal(look(&b, 0).kind, rows[i][2]);
    }
}

/* Two NoC-intensive kernels that take 10 % a CTA: each gets half of the bandwidth, with 5 CTAs. A
 * third, latency-sensitive one with a quarter of the registers a CTA gets what they leave. */
static void test_by_hand(void **state)
{
    (void)state;
    static bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 1; i <= 10; i++) {
            put(&b, NBW, k, i, 10 * i);
            put(&b, DBW, k, i, 2 * i);
        }
        put(&b, CTAS, k, 0, 10);
        put(&b, TYPE, k, 0, NOC);
        put(&b, REGS, k, 0, 1024);
    }
    allocate(&b, 1);
    for (unsigned k = 0; k < 2; k++) {
        const wr_ccbp_allocator_out out = look(&b, k);
        assert_int_equal(out.nbw, 50);
        assert_int_equal(out.dbw, 10);
        assert_int_equal(out.cta, 5);
        assert_int_equal(out.dom, 128);
    }
    put(&b, CTAS, 2, 0, 8);
    put(&b, REGS, 2, 0, 16384);
    allocate(&b, 1);
    const wr_ccbp_allocator_out out = look(&b, 2);
    assert_int_equal(out.cta, 3); /* a fourth would need the registers that the two others have */
    assert_int_equal(out.kind, LATENCY);
    assert_int_equal(out.dom, 3 * 64);
    assert_int_equal(look(&b, 0).nbw, 50);
}

static void check_fault(unsigned what, unsigned kernel, unsigned index, unsigned value, bool want)
{
    static bench b;
    wr_bench_init(&self, &b, 1, &configs[1]); /* 2 kernels of 3 CTAs */
    put(&b, what, kernel, index, value);
    assert_int_equal(look(&b, 0).fault, want);
    allocate(&b, 1);
}

/* Every number that a pin can say, alone: a fault is sticky, and hides the next. */
static void test_faults(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        check_fault(n, 1, 1, 1, n > TYPE);
    }
    for (unsigned n = 0; n < 4; n++) {
        check_fault(REGS, n, 0, 1, n >= 2);
    }
    for (unsigned n = 0; n < 64; n++) {
        check_fault(NBW, 1, n, 1, n == 0 || n > 3);
        check_fault(DBW, 1, n, 1, n == 0 || n > 3);
        check_fault(CTAS, 1, 0, n, n > 3);
    }
    for (unsigned n = 90; n < 128; n++) {
        check_fault(NBW, 1, 1, n, n > 100);
        check_fault(DBW, 1, 1, n, n > 100);
    }
}

/* The priority divides, and is 1. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    (void)cfg_v;
    (void)element;
    return strcmp(name, "prior_q") == 0;
}

static const wr_bench self = {
    .block = &wr_ccbp_allocator_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, allocations)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .amount = {.legal = 30, .faulty = 30},
    .snapshot = {.before = 3, .after = 4},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_table_4_2_types),
        cmocka_unit_test(test_rule_beside_threshold),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
