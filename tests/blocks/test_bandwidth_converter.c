/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_converter: the model against the oracle, every output in every cycle, and what the text
 * says by number: costs, ends of sums and percentages, entries between samples, faults, cycles, and
 * the identities of Lin-D Table 4.2. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/bandwidth_converter_port.h"

#include <stdio.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/bandwidth_converter_oracle.h"

enum { REQUESTS, SLICE, COST, SAMPLE };

typedef struct bench {
    wr_rig rig;
    wr_bandwidth_converter_cfg cfg;
    wr_bandwidth_converter dut;
    wr_oracle_bandwidth_converter oracle;
    uint64_t taken;
    unsigned long long seen[WR_ORACLE_BANDWIDTH_SEEN]; /* before the last reset */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    for (unsigned i = 0; i < WR_ORACLE_BANDWIDTH_SEEN; i++) {
        b->seen[i] += b->oracle.seen[i];
    }
    const wr_bandwidth_converter_cfg *c = &b->cfg;
    const wr_oracle_bandwidth_cfg cfg = {c->kernels,     c->max_ctas,   c->units,
                                         c->noc_flits,   c->dram_bytes, c->load_flits,
                                         c->store_flits, c->line_bytes};
    wr_oracle_bandwidth_converter_reset(&b->oracle, &cfg);
}

/* The named configurations, then the ends: all least, requests dear and budgets small, the other
 * way about, stores dearer than loads, powers of two. */
static const wr_bandwidth_converter_cfg configs[] = {
    {4, 32, 50, 80, 1661, 5, 1, 128}, {2, 3, 1, 8, 160, 5, 1, 16},
    {3, 11, 7, 21, 411, 3, 2, 33},    {4, 32, 255, 255, 4095, 15, 15, 255},
    {2, 1, 1, 1, 1, 1, 1, 1},         {3, 32, 1, 1, 1, 15, 15, 255},
    {2, 32, 255, 255, 4095, 1, 1, 1}, {4, 5, 100, 9, 4095, 1, 15, 128},
    {3, 31, 128, 64, 2048, 8, 4, 64}, {2, 2, 255, 1, 1, 2, 1, 254},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 0, TINY_CONFIG, ODD_CONFIG };

/* Settles and checks all outputs, then clocks both sides. */
static wr_bandwidth_converter_out cycle(bench *b, const wr_bandwidth_converter_in *in)
{
    const wr_oracle_bandwidth_in pins = {in->req, in->op, in->kernel, in->a,
                                         in->b,   in->c,  in->view};
    wr_oracle_bandwidth_out want;
    wr_bandwidth_converter_out got;

    wr_bench_settle(&self, b, in, &got);
    wr_oracle_bandwidth_converter_outputs(&b->oracle, in->view, &want);
    wr_rig_check(&b->rig, "ready", got.ready, want.ready);
    wr_rig_check(&b->rig, "we", got.we, want.we);
    wr_rig_check(&b->rig, "what", got.what, want.what);
    wr_rig_check(&b->rig, "out_kernel", got.out_kernel, want.kernel);
    wr_rig_check(&b->rig, "index", got.index, want.index);
    wr_rig_check(&b->rig, "value", got.value, want.value);
    wr_rig_check(&b->rig, "n16", got.n16, want.n16);
    wr_rig_check(&b->rig, "dreq", got.dreq, want.dreq);
    wr_rig_check(&b->rig, "fault", got.fault, want.fault);
    b->taken += in->req && want.ready;
    wr_oracle_bandwidth_converter_clock(&b->oracle, &pins);
    wr_bench_clock(&self, b, in);
    return got;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_bandwidth_converter_out *)out = cycle(bench_v, in);
}

/* For a test of its own. */
static bench *fresh(void **state, unsigned config)
{
    static bench b;
    (void)state;
    wr_bench_init(&self, &b, 1, &configs[config]);
    return &b;
}

static wr_bandwidth_converter_out look(bench *b, unsigned kernel)
{
    const wr_bandwidth_converter_in in = {.view = (uint8_t)kernel};
    return cycle(b, &in);
}

/* Offers an operation in a cycle with ready 1. */
static void start(bench *b, unsigned op, unsigned kernel, unsigned x, unsigned y, unsigned z)
{
    const wr_bandwidth_converter_in in = {true,        (uint8_t)op, (uint8_t)kernel, (uint16_t)x,
                                          (uint16_t)y, (uint16_t)z, (uint8_t)kernel};
    assert_true(cycle(b, &in).ready);
}

/* Works out the costs of a kernel, and compares them. */
static void check_costs(bench *b, unsigned kernel, unsigned n16, unsigned dreq)
{
    start(b, COST, kernel, 0, 0, 0);
    while (!look(b, kernel).ready) {
    }
    assert_int_equal(look(b, kernel).n16, n16);
    assert_int_equal(look(b, kernel).dreq, dreq);
}

/* A sample, which must write these entries and no others: " index:nbw/dbw" for each. */
static void check_sample(bench *b, unsigned loads, unsigned stores, unsigned ctas, const char *want)
{
    char text[512] = "";
    size_t used = 0;
    wr_bandwidth_converter_out out;

    start(b, SAMPLE, b->oracle.cost_kernel, loads, stores, ctas);
    do {
        char *end = text + used;
        out = look(b, 0);
        if (out.we && !out.what) {
            used += (size_t)snprintf(end, sizeof text - used, " %u:%u", out.index, out.value);
        } else if (out.we) {
            used += (size_t)snprintf(end, sizeof text - used, "/%u", out.value);
        }
    } while (!out.ready);
    assert_string_equal(text, want);
}

/* Flits: 5 a load, 1 a store. Bytes: 128 a line. Sums begin anew with each cost. */
static void test_costs(void **state)
{
    static const unsigned sent[][3] = {{1, 0, 80}, {4095, 0, 80}, {0, 1, 16}, {0, 4095, 16},
                                       {7, 7, 48}, {2, 1, 58}}; /* loads, stores, n16 */
    /* accesses, lines fetched, written back, dreq; of 85.3, 127, 255.1, 256 and more */
    static const unsigned moved[][4] = {{3, 1, 1, 85},          {128, 100, 27, 127},
                                        {1000, 1000, 993, 255}, {1000, 1000, 1000, 255},
                                        {1, 16383, 16383, 255}, {16383, 0, 0, 0}};
    bench *b = fresh(state, DEFAULT_CONFIG);
    for (unsigned i = 0; i < 6; i++) {
        start(b, REQUESTS, 2, sent[i][0], sent[i][1], 0);
        check_costs(b, 2, sent[i][2], 0);
    }
    for (unsigned i = 0; i < 6; i++) {
        start(b, SLICE, 2, moved[i][0], moved[i][1], moved[i][2]);
        check_costs(b, 2, 58, moved[i][3]);
    }
    /* Of loads, stores and CTAs the bits above those used fall away; a slice has all 14. */
    start(b, REQUESTS, 0, 0x3003, 0x3001, 0x3fff);
    start(b, SLICE, 0, 0x3000, 0x1000, 0x0800);
    check_costs(b, 0, 64, 64); /* 128 x 6,144 / 12,288 */
    check_sample(b, 0x3008, 0x3000, 0x3fc1, " 1:1/0");
}

/* What was not sent leaves its cost as it was, and its kernel alone is touched. */
static void test_costs_stand(void **state)
{
    bench *b = fresh(state, ODD_CONFIG); /* flits 3 and 2, bytes 33 */
    start(b, REQUESTS, 1, 9, 0, 0);
    start(b, SLICE, 1, 3, 2, 1);
    start(b, REQUESTS, 0, 0, 5, 0);
    start(b, SLICE, 0, 4, 2, 0);
    check_costs(b, 1, 48, 33);
    start(b, REQUESTS, 1, 0, 3, 0);
    check_costs(b, 1, 32, 33);
    start(b, SLICE, 1, 2, 0, 1);
    check_costs(b, 1, 32, 16);
    start(b, SLICE, 1, 0, 1, 9); /* no access: dreq stands, and the lines are forgotten */
    check_costs(b, 1, 32, 16);
    start(b, SLICE, 1, 1, 2, 0);
    check_costs(b, 1, 32, 66);
    check_costs(b, 0, 32, 16); /* 33 x 2 / 4 */
    assert_true(look(b, 1).n16 == 32 && look(b, 1).dreq == 66);
}

/* Adds up to these sums of kernel 0, part by part. */
static void add_up(bench *b, const unsigned sum[4])
{
    unsigned left[4] = {sum[0], sum[1], sum[2], sum[3]};
    while (left[0] + left[1] + left[2] + left[3] != 0) {
        unsigned part[4];
        for (unsigned i = 0; i < 4; i++) {
            const unsigned most = i < 2 ? 4095 : 16383;
            part[i] = left[i] < most ? left[i] : most;
            left[i] -= part[i];
        }
        start(b, REQUESTS, 0, part[0], part[1], 0);
        start(b, SLICE, 0, part[2], part[3] / 2, part[3] - part[3] / 2);
    }
}

/* Each sum at its most, where one fewer would change the cost, and above it, where one more would:
 * loads, stores, accesses, lines. */
static void test_sums_at_most(void **state)
{
    static const struct {
        unsigned config, sum[4], n16, dreq;
    } rows[] = {
        {DEFAULT_CONFIG, {65535, 16705, 262143, 262142}, 67, 127},
        {DEFAULT_CONFIG, {65536, 61564, 262144, 262143}, 48, 128},
        {DEFAULT_CONFIG, {69630, 61564, 278525, 262143}, 48, 128},
        {DEFAULT_CONFIG, {2114, 65535, 1, 0}, 17, 0},
        {DEFAULT_CONFIG, {61564, 65536, 1, 0}, 47, 0},
        {DEFAULT_CONFIG, {61564, 69630, 1, 0}, 47, 0},
        {ODD_CONFIG, {0, 0, 254433, 524287}, 0, 68},
        {ODD_CONFIG, {0, 0, 258231, 524288}, 0, 66},
        {ODD_CONFIG, {0, 0, 258231, 557053}, 0, 66},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench *b = fresh(state, rows[i].config);
        add_up(b, rows[i].sum);
        check_costs(b, 0, rows[i].n16, rows[i].dreq);
    }
}

/* 40 flits are 1 % of the NoC, and 830.5 bytes 1 % of DRAM. */
static void test_percent_clamped(void **state)
{
    static const struct {
        unsigned loads, stores;
        const char *want;
    } rows[] = {
        {0, 0, " 1:0/0"},      {7, 0, " 1:0/1"},       {8, 0, " 1:1/1"},
        {0, 39, " 1:0/6"},     {0, 40, " 1:1/6"},      {7, 5, " 1:1/1"},
        {0, 648, " 1:16/99"},  {0, 649, " 1:16/100"},  {0, 656, " 1:16/100"},
        {799, 0, " 1:99/100"}, {800, 0, " 1:100/100"}, {4095, 4095, " 1:100/100"},
    };
    bench *b = fresh(state, DEFAULT_CONFIG);
    start(b, SLICE, 3, 1, 1, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_costs(b, 3, 0, 128);
        check_sample(b, rows[i].loads, rows[i].stores, 1, rows[i].want);
    }
}

/* 100 bytes a request: 8 loads are 1 % of the NoC and 0.963 % of DRAM. */
static bench *set_100_bytes(void **state, unsigned kernel)
{
    bench *b = fresh(state, DEFAULT_CONFIG);
    start(b, SLICE, kernel, 128, 60, 40);
    check_costs(b, kernel, 0, 100);
    return b;
}

/* Entries between two samples lie on the straight line; a sample with less gives what was. */
static void test_straight_line(void **state)
{
    bench *b = set_100_bytes(state, 1);
    check_sample(b, 80, 0, 2, " 1:5/4 2:10/9");
    /* 33 and 31: 23 j / 7 and 22 j / 7 */
    check_sample(b, 264, 0, 9, " 3:13/12 4:16/15 5:19/18 6:23/21 7:26/24 8:29/27 9:33/31");
    check_sample(b, 8, 0, 11, " 10:33/31 11:33/31");
    check_sample(b, 0, 320, 12, " 12:33/38");
    check_sample(b, 4095, 0, 14, " 13:66/69 14:100/100");
    check_sample(b, 0, 0, 16, " 15:100/100 16:100/100");
    check_costs(b, 1, 0, 100); /* the line begins anew at 0 */
    check_sample(b, 0, 0, 1, " 1:0/0");
    check_costs(b, 2, 0, 0);
    check_sample(b, 16, 0, 2, " 1:1/0 2:2/0");
}

/* A second sample with the same CTAs writes their one entry again. */
static void test_same_ctas(void **state)
{
    bench *b = set_100_bytes(state, 0);
    check_sample(b, 80, 0, 1, " 1:10/9");
    check_sample(b, 160, 0, 1, " 1:20/19");
    check_sample(b, 80, 0, 1, " 1:20/19");
    check_sample(b, 240, 0, 3, " 2:25/23 3:30/28");
    check_sample(b, 320, 0, 3, " 3:40/38");
    check_sample(b, 400, 0, 7, " 4:42/40 5:45/43 6:47/45 7:50/48");
}

/* Lin-D Table 4.2 by LITERATURE 1.3: 5 (1 - w) + w flits and 128 m (1 + w) bytes a request, for
 * 1,000 requests of which w are stores and m miss, with one line written back for each store that
 * misses. And a sample of the requests that the kernel sends in 50 units: what comes is the part of
 * the sustainable bandwidth that the table states (60 % of the NoC, 75 % of DRAM), DRAM a little
 * below, for the bytes are whole. */
static void test_table_4_2(void **state)
{
    static const struct {
        unsigned stores, misses, write_backs; /* of 1,000 */
        unsigned n16, dreq;                   /* by hand */
        unsigned sent_loads, sent_stores;
        const char *want;
    } rows[] = {
        /* CFD, w .06, m .15: 4.76 flits x 16 = 76.16; 20.35 bytes; 54/60 = 90.0, 14/75 = 18.7 % */
        {60, 150, 9, 76, 20, 714, 46, " 1:90/18"},
        /* FTD, w .38, m .66: 3.48 x 16 = 55.68; 116.58 bytes; 32/60 = 53.3, 65/75 = 86.7 % */
        {380, 660, 251, 55, 116, 381, 234, " 1:53/85"},
        /* SAD, w .61, m .78: 2.56 x 16 = 40.96; 160.74 bytes; 17/60 = 28.3, 64/75 = 85.3 % */
        {610, 780, 476, 40, 160, 172, 268, " 1:28/84"},
    };
    bench *b = fresh(state, DEFAULT_CONFIG);
    for (unsigned i = 0; i < 3; i++) {
        start(b, REQUESTS, i, 1000 - rows[i].stores, rows[i].stores, 0);
        start(b, SLICE, i, 1000, rows[i].misses, rows[i].write_backs);
        check_costs(b, i, rows[i].n16, rows[i].dreq);
        check_sample(b, rows[i].sent_loads, rows[i].sent_stores, 1, rows[i].want);
    }
}

/* From a cost in cycle t: n16 from t + 11, dreq and ready from t + 20; as long with nothing sent.
 */
static void test_cycles_of_cost(void **state)
{
    static const unsigned sent[][4] = {{1, 0, 2, 2}, {0, 1, 2, 1}, {1, 1, 2, 3}, {0, 0, 0, 0}};
    static const unsigned n16[] = {0, 80, 16, 48, 48};
    static const unsigned dreq[] = {0, 128, 64, 192, 192};
    bench *b = fresh(state, DEFAULT_CONFIG);
    for (unsigned round = 0; round < 4; round++) {
        start(b, REQUESTS, 1, sent[round][0], sent[round][1], 0);
        start(b, SLICE, 1, sent[round][2], sent[round][3], 0);
        start(b, COST, 1, 0, 0, 0);
        for (unsigned i = 1; i <= 20; i++) {
            const wr_bandwidth_converter_out out = look(b, 1);
            assert_int_equal(out.n16, n16[i < 11 ? round : round + 1]);
            assert_int_equal(out.dreq, dreq[i < 20 ? round : round + 1]);
            assert_int_equal(out.ready, i == 20);
        }
    }
}

/* From a sample in cycle t: nbw of entry j in t + 10 + 18 j, dbw in t + 19 + 18 j, and ready behind
 * the last; the next one is taken at once, here with as many CTAs and so one entry. */
static void test_cycles_of_sample(void **state)
{
    static const unsigned writes[] = {28, 37, 46, 55, 64, 73};
    bench *b = fresh(state, TINY_CONFIG);
    check_costs(b, 1, 0, 0);
    for (unsigned count = 6; count > 0; count = count == 6 ? 2 : 0) {
        unsigned at = 0;
        start(b, SAMPLE, 1, 1, 1, 3);
        for (unsigned i = 1; i <= writes[count - 1]; i++) {
            const wr_bandwidth_converter_out out = look(b, 1);
            assert_false(out.ready);
            assert_int_equal(out.we, i == writes[at]);
            at += out.we;
        }
        assert_int_equal(at, count);
    }
    assert_true(look(b, 1).ready);
}

/* An operation that waits is taken once; one that is withdrawn is neither taken nor judged. */
static void test_waits(void **state)
{
    wr_bandwidth_converter_in in = {.req = true, .op = REQUESTS, .kernel = 1, .a = 1};
    bench *b = fresh(state, TINY_CONFIG);
    start(b, COST, 1, 0, 0, 0);
    for (unsigned i = 1; i <= 20; i++) {
        assert_int_equal(cycle(b, &in).ready, i == 20);
    }
    start(b, REQUESTS, 1, 0, 1, 0);
    start(b, COST, 1, 0, 0, 0);
    for (unsigned i = 1; i <= 19; i++) {
        in.op = (uint8_t)(i % 4);
        in.kernel = (uint8_t)(i / 4 % 4);
        assert_false(cycle(b, &in).ready);
    }
    assert_int_equal(look(b, 1).n16, 48); /* a load and a store */
    start(b, REQUESTS, 1, 0, 1, 0);
    check_costs(b, 1, 16, 0);
    assert_false(look(b, 1).fault);
}

/* A fault shows from the next cycle on, and nothing comes of its operation: ready stays 1 and no
 * entry is written. */
static void check_fault(bench *b, unsigned op, unsigned kernel, unsigned ctas, bool want)
{
    start(b, op, kernel, 9, 8, ctas);
    for (unsigned i = 0; i < 40; i++) {
        const wr_bandwidth_converter_out out = look(b, kernel);
        assert_int_equal(out.fault, want);
        assert_false(want && (out.we || !out.ready));
        assert_true(i > 0 || out.ready == (want || op == REQUESTS || op == SLICE));
    }
}

/* Each in a bench of its own, for a fault hides the next. */
static void test_faults(void **state)
{
    bench *b;
    for (unsigned i = 0; i < 16; i++) {
        const unsigned k = i % 4;
        const unsigned op = i / 4;
        b = fresh(state, TINY_CONFIG); /* 2 kernels; the last cost is of 0 */
        check_fault(b, op, k, 1, k >= 2 || (op == SAMPLE && k != 0));
        b = fresh(state, DEFAULT_CONFIG);
        check_costs(b, i / 4, 0, 0);
        check_fault(b, SAMPLE, k, 1, k != i / 4);
    }
    for (unsigned first = 0; first <= 11; first++) {
        for (unsigned ctas = 0; ctas < 64; ctas++) {
            b = fresh(state, ODD_CONFIG); /* 11 CTAs */
            if (first > 0) {
                start(b, SAMPLE, 0, 0, 0, first);
                while (!look(b, 0).ready) {
                }
            }
            check_fault(b, SAMPLE, 0, ctas + 64 * first, ctas == 0 || ctas < first || ctas > 11);
        }
    }
}

/* Sums, costs, the kernel of the last cost and the sample before are as without the operations that
 * are faults. Reset takes all of it back. */
static void test_faults_are_ignored(void **state)
{
    bench *b = set_100_bytes(state, 1);
    check_sample(b, 80, 0, 2, " 1:5/4 2:10/9");
    check_fault(b, SAMPLE, 0, 3, true);
    check_fault(b, SAMPLE, 1, 1, true);
    check_fault(b, SAMPLE, 1, 0, true);
    check_fault(b, SAMPLE, 1, 33, true);
    check_sample(b, 160, 0, 4, " 3:15/14 4:20/19");
    wr_bench_reset(&self, b);
    check_sample(b, 80, 0, 1, " 1:10/0");

    b = fresh(state, ODD_CONFIG); /* 3 kernels */
    start(b, REQUESTS, 2, 2, 0, 0);
    start(b, SLICE, 2, 2, 2, 0);
    for (unsigned op = REQUESTS; op <= SAMPLE; op++) {
        check_fault(b, op, 3, 1, true);
    }
    check_sample(b, 21, 21, 1, " 1:71/0"); /* still of kernel 0 */
    check_costs(b, 0, 0, 0);
    check_costs(b, 1, 0, 0);
    check_costs(b, 2, 48, 33);
    assert_true(look(b, 3).n16 == 0 && look(b, 3).dreq == 0);
}

/* At the ends, full scale, few bits, small, or anywhere, by the style of the spell. */
static unsigned number(bench *b, unsigned style)
{
    static const unsigned ends[] = {0, 1, 2048, 4094, 4095, 4096, 8192, 16383};
    const unsigned any = (unsigned)wr_rig_random(&b->rig) % 16384;

    if (style == 0 || wr_rig_chance(&b->rig, 15)) {
        return ends[any % 8];
    }
    const unsigned by_style[] = {16383, (unsigned)wr_rig_sparse(&b->rig) % 16384, any % 8, any};
    return by_style[style - 1];
}

/* Beside another one: equal, a bit apart, a part of it, or nothing to do with it. */
static uint16_t beside(bench *b, unsigned style, unsigned other)
{
    const unsigned any = number(b, style);
    const unsigned bit = 1U << wr_rig_below(&b->rig, 14);
    const unsigned all[] = {other, other ^ bit, any % (other + 1), any, any};
    return (uint16_t)all[wr_rig_below(&b->rig, 5)];
}

typedef struct spell {
    unsigned left, kernel, style, costs, samples; /* the last two: percent of the operations */
} spell;

/* A sample that keeps the protocol, with any bits above those used. Mostly with loads and stores
 * about in proportion to the CTAs, so that the most CTAs take all of the NoC, or of DRAM. */
static void legal_sample(bench *b, wr_bandwidth_converter_in *in)
{
    const wr_bandwidth_converter_cfg *c = &b->cfg;
    const unsigned from = b->oracle.before.ctas > 0 ? b->oracle.before.ctas : 1;
    const unsigned step = wr_rig_below(&b->rig, wr_rig_chance(&b->rig, 80) ? 4 : c->max_ctas);
    const unsigned ctas = from + step < c->max_ctas ? from + step : c->max_ctas;
    const unsigned dreq = (unsigned)b->oracle.kernel[b->oracle.cost_kernel].dreq.is;

    if (wr_rig_chance(&b->rig, 70)) {
        const bool by_dram = dreq > 0 && wr_rig_chance(&b->rig, 50);
        const unsigned all = by_dram ? c->dram_bytes / dreq : c->noc_flits / c->load_flits;
        const unsigned part = (all + 1) * c->units * ctas / c->max_ctas + 1;
        in->a = (uint16_t)wr_rig_below(&b->rig, part < 4096 ? part : 4096);
        in->b = (uint16_t)wr_rig_below(&b->rig, in->a / 4U + 1);
    }
    in->kernel = (uint8_t)b->oracle.cost_kernel;
    in->a = (uint16_t)(in->a ^ wr_rig_below(&b->rig, 4) << 12);
    in->b = (uint16_t)(in->b ^ wr_rig_below(&b->rig, 4) << 12);
    in->c = (uint16_t)(ctas | wr_rig_below(&b->rig, 256) << 6);
}

/* In spells mostly sums, or mostly costs and samples. */
static wr_bandwidth_converter_in legal(bench *b, spell *s)
{
    const unsigned kernels = b->cfg.kernels;
    const unsigned roll = wr_rig_below(&b->rig, 100);
    if (s->left-- == 0) {
        const bool gather = wr_rig_chance(&b->rig, 50);
        *s = (spell){wr_rig_below(&b->rig, gather ? 80 : 40), wr_rig_below(&b->rig, kernels),
                     wr_rig_below(&b->rig, 5), gather ? 2 : 20, gather ? 5 : 60};
    }
    const bool own = wr_rig_chance(&b->rig, 80);
    wr_bandwidth_converter_in in = {.req = true, .op = COST, .a = (uint16_t)number(b, s->style)};
    in.b = beside(b, s->style, in.a);
    in.c = beside(b, s->style, in.b);
    in.kernel = (uint8_t)(own ? s->kernel : wr_rig_below(&b->rig, kernels));
    if (roll >= s->costs + s->samples) {
        in.op = roll % 2 == 0 ? REQUESTS : SLICE;
    } else if (roll >= s->costs) {
        in.op = SAMPLE;
        legal_sample(b, &in);
    }
    return in;
}

/* One rule broken, most of the time. */
static void spoil(bench *b, wr_bandwidth_converter_in *in)
{
    const unsigned kind = wr_rig_below(&b->rig, 5);
    const unsigned most = b->cfg.max_ctas;
    const unsigned ctas[] = {0, most + 1, most + 1 + wr_rig_below(&b->rig, 63 - most),
                             wr_rig_below(&b->rig, b->oracle.before.ctas + 1)};

    if (kind == 0 && wr_rig_chance(&b->rig, 50)) {
        in->kernel = 3;
        return;
    }
    in->op = SAMPLE;
    legal_sample(b, in);
    if (kind == 0) {
        in->kernel = (uint8_t)((in->kernel + 1 + wr_rig_below(&b->rig, 3)) % 4);
    } else {
        in->c = (uint16_t)((in->c & 0x3fc0U) | ctas[kind - 1]);
    }
}

/* So many operations. What comes next mostly stands until it is taken, offered in some cycles
 * and not in others. */
static void traffic(void *bench_v, unsigned operations, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t until = b->taken + operations;
    spell s = {0};
    wr_bandwidth_converter_in offered = {0};

    while (b->taken < until) {
        if (!offered.req || wr_rig_chance(&b->rig, 5)) {
            offered = legal(b, &s);
            if (with_faults && wr_rig_chance(&b->rig, 8)) {
                spoil(b, &offered);
            }
        }
        wr_bandwidth_converter_in in = offered;
        in.req = wr_rig_offers(&b->rig);
        in.view = (uint8_t)wr_rig_below(&b->rig, 4);
        offered.req = !(cycle(b, &in).ready && in.req);
    }
}

/* Of each kind something came up. */
static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    for (unsigned kind = 0; kind < WR_ORACLE_BANDWIDTH_SEEN; kind++) {
        unsigned long long seen = 0;
        for (unsigned i = 0; i < count; i++) {
            seen += b[i].seen[kind] + b[i].oracle.seen[kind];
        }
        assert_true(seen > 30);
    }
}

static const wr_bench self = {
    .block = &wr_bandwidth_converter_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, taken)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 3000, .faulty = 1000, .rounds = 3},
    .snapshot = {.before = 60, .after = 60},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_costs_stand),
        cmocka_unit_test(test_sums_at_most),
        cmocka_unit_test(test_percent_clamped),
        cmocka_unit_test(test_straight_line),
        cmocka_unit_test(test_same_ctas),
        cmocka_unit_test(test_table_4_2),
        cmocka_unit_test(test_cycles_of_cost),
        cmocka_unit_test(test_cycles_of_sample),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_faults_are_ignored),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
