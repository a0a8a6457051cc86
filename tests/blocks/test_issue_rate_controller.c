/* SPDX-License-Identifier: Apache-2.0 */
/* issue_rate_controller: the model against the oracle in every cycle, and the paper's figures. */
#include "dpi/gen/issue_rate_controller_port.h"

#include <stdio.h>
#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/issue_rate_controller_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_issue_rate_controller_cfg cfg;
    wr_issue_rate_controller dut;
    wr_oracle_irc oracle;
    uint64_t left;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_irc_reset(&b->oracle, &b->cfg);
}

static const wr_issue_rate_controller_cfg configs[] = {
    {.kernels = 4, .depth = 128, .reserve = 8, .window = 200, .noc_flits = 80, .dram_bytes = 1661},
    {.kernels = 2, .depth = 4, .reserve = 1, .window = 16, .noc_flits = 8, .dram_bytes = 160},
    {.kernels = 3, .depth = 13, .reserve = 3, .window = 37, .noc_flits = 21, .dram_bytes = 411},
    {.kernels = 4, .depth = 4, .reserve = 1, .window = 4, .noc_flits = 255, .dram_bytes = 4095},
    {.kernels = 2, .depth = 64, .reserve = 32, .window = 255, .noc_flits = 1, .dram_bytes = 1},
    {.kernels = 3, .depth = 100, .reserve = 5, .window = 11, .noc_flits = 30, .dram_bytes = 900},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 0 };

static wr_issue_rate_controller_out cycle(bench *b, const wr_issue_rate_controller_in *in)
{
    wr_issue_rate_controller_out got;
    wr_issue_rate_controller_out want;
    wr_bench_settle(&self, b, in, &got);
    wr_oracle_irc_outputs(&b->oracle, in, &want);
    for (unsigned k = 0; k < b->cfg.kernels; k++) {
        wr_rig_check(&b->rig, "room", got.room[k], want.room[k]);
        wr_rig_check(&b->rig, "throttled", got.throttled[k], want.throttled[k]);
    }
    wr_rig_check(&b->rig, "out_valid", got.out_valid, want.out_valid);
    wr_rig_check(&b->rig, "out_kernel", got.out_kernel, want.out_kernel);
    wr_rig_check(&b->rig, "out_store", got.out_store, want.out_store);
    wr_rig_check(&b->rig, "out_tag", got.out_tag, want.out_tag);
    wr_rig_check(&b->rig, "cfg_ready", got.cfg_ready, want.cfg_ready);
    wr_rig_check(&b->rig, "quota", got.quota, want.quota);
    wr_rig_check(&b->rig, "credit", got.credit, want.credit);
    wr_rig_check(&b->rig, "loads", got.loads, want.loads);
    wr_rig_check(&b->rig, "stores", got.stores, want.stores);
    wr_rig_check(&b->rig, "fault", got.fault, want.fault);
    b->left += got.out_valid && in->out_ready;
    wr_oracle_irc_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return got;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_issue_rate_controller_out *)out = cycle(bench_v, in);
}

static void random_decision(bench *b, wr_issue_rate_controller_in *in, bool faults)
{
    static const uint8_t n16[] = {80, 16, 0, 255, 1, 48};
    static const uint8_t dreq[] = {128, 0, 255, 1, 20, 200};
    in->cfg = wr_rig_chance(&b->rig, 4);
    in->cfg_kernel = (uint8_t)wr_rig_below(&b->rig, faults ? 4 : b->cfg.kernels);
    in->cfg_ls = wr_rig_chance(&b->rig, 25);
    in->cfg_nbw = (uint8_t)wr_rig_below(&b->rig, faults ? 128 : 101);
    in->cfg_dbw = (uint8_t)wr_rig_below(&b->rig, faults ? 128 : 101);
    in->cfg_n16 = n16[wr_rig_below(&b->rig, 6)];
    in->cfg_dreq = dreq[wr_rig_below(&b->rig, 6)];
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    bool fifo = false;
    unsigned only = 0; /* now and then one kernel alone offers */
    for (unsigned i = 0; i < cycles; i++) {
        wr_issue_rate_controller_in in = {0};
        if (wr_rig_chance(&b->rig, 1)) {
            fifo = wr_rig_chance(&b->rig, 20);
            only = wr_rig_below(&b->rig, 8);
        }
        in.valid = wr_rig_offers(&b->rig);
        in.kernel = (uint8_t)(only < b->cfg.kernels ? only : wr_rig_below(&b->rig, b->cfg.kernels));
        if (with_faults && wr_rig_chance(&b->rig, 2)) {
            in.kernel = 3;
        }
        in.store = wr_rig_chance(&b->rig, 40);
        in.tag = (uint8_t)wr_rig_below(&b->rig, 256);
        in.fifo = fifo;
        in.out_ready = wr_rig_takes(&b->rig);
        in.clear = wr_rig_below(&b->rig, 3000) == 0;
        in.view = (uint8_t)wr_rig_below(&b->rig, 4);
        random_decision(b, &in, with_faults);
        cycle(b, &in);
    }
}

/* A decision for a kernel, and the 13 cycles that it takes. */
static void decide(bench *b, unsigned kernel, bool latency, unsigned nbw, unsigned n16,
                   unsigned dbw, unsigned dreq)
{
    wr_issue_rate_controller_in in = {.cfg = true,
                                      .cfg_kernel = (uint8_t)kernel,
                                      .cfg_ls = latency,
                                      .cfg_nbw = (uint8_t)nbw,
                                      .cfg_dbw = (uint8_t)dbw,
                                      .cfg_n16 = (uint8_t)n16,
                                      .cfg_dreq = (uint8_t)dreq};
    assert_true(cycle(b, &in).cfg_ready);
    in = (wr_issue_rate_controller_in){0};
    for (unsigned i = 0; i < 13; i++) {
        cycle(b, &in);
    }
}

/* Lin-D Fig. 4.5: 2 requests of a latency-sensitive kernel and 6 of a bandwidth-intensive one, of
 * which the memory serves 5. The FIFO serves 1 and 4, priority 2 and 3. */
static void snapshot(bool fifo, unsigned want_latency, unsigned want_bandwidth)
{
    static const uint8_t order[8] = {1, 1, 0, 1, 1, 1, 0, 1};
    unsigned served[2] = {0, 0};
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    decide(&b, 0, true, 0, 0, 0, 0);
    decide(&b, 1, false, 100, 80, 100, 0);
    wr_issue_rate_controller_in in = {.fifo = fifo};
    for (unsigned i = 0; i < 2 * b.cfg.window; i++) {
        cycle(&b, &in); /* the quota becomes credit; the empty queue takes the mode */
    }
    for (unsigned i = 0; i < 8; i++) {
        in.valid = true;
        in.kernel = order[i];
        cycle(&b, &in);
    }
    in.valid = false;
    in.out_ready = true;
    for (unsigned i = 0; i < 5; i++) {
        const wr_issue_rate_controller_out out = cycle(&b, &in);
        assert_true(out.out_valid);
        served[out.out_kernel]++;
    }
    assert_int_equal(served[0], want_latency);
    assert_int_equal(served[1], want_bandwidth);
}

static void test_figure_4_5(void **state)
{
    (void)state;
    snapshot(true, 1, 4);
    snapshot(false, 2, 3);
}

/* From reset on the turn begins with kernel 0, and goes round. */
static void test_first_turns(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_issue_rate_controller_in in = {.valid = true};
    for (unsigned i = 0; i < 8; i++) {
        in.kernel = (uint8_t)(3 - i % 4);
        cycle(&b, &in);
    }
    in = (wr_issue_rate_controller_in){.out_ready = true};
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(cycle(&b, &in).out_kernel, i % 4);
    }
}

/* Budget of 5 requests a window: the latency-sensitive kernel passes, the other gets its 3. */
static void test_quota_holds_back(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    decide(&b, 0, true, 0, 0, 0, 0);
    decide(&b, 1, false, 100, 255, 100, 0); /* 80 flits / (255 / 16) = 5.0 requests a window */
    wr_issue_rate_controller_in in = {.view = 1};
    const unsigned quota = cycle(&b, &in).quota;
    assert_int_equal(quota, 256 * 80 / 255);
    unsigned served = 0;
    in.valid = true;
    in.kernel = 1;
    in.out_ready = true;
    for (unsigned w = 0; w < 32; w++) {
        for (unsigned i = 0; i < b.cfg.window; i++) {
            served += cycle(&b, &in).out_valid;
        }
    }
    /* The first window may still have no credit; 5 a window, none carried over. */
    assert_in_range(served, 31 * 5, 32 * 5);
}

/* Lin-D Table 4.2, and the store fraction that its columns leave (LITERATURE 1.3). The driver
 * counts loads and stores at the block, so N_req = 5 flits a load and 1 a store, and D_req = 128 m
 * (1 + w) bytes. Both identities must then give the kernel the same requests a window: those that
 * it had alone, when its share of either bandwidth was what the table says. */
typedef struct table_row {
    const char *name;
    unsigned noc, dram, miss; /* percent of the peak, of the peak, of accesses */
    unsigned stores;          /* of 100 requests */
    double requests;          /* a window and SM, LITERATURE 1.3 */
} table_row;

static const table_row table_4_2[13] = {
    {"CFD", 54, 14, 15, 6, 15.2}, {"LAV", 53, 1, 1, 11, 15.5},   {"SMV", 52, 25, 30, 2, 14.1},
    {"KM", 52, 22, 17, 27, 17.7}, {"LBM", 15, 61, 88, 59, 7.6},  {"FTD", 32, 65, 66, 38, 12.3},
    {"SAD", 17, 64, 78, 61, 8.8}, {"SRT", 37, 59, 69, 23, 12.1}, {"BFS", 14, 24, 100, 6, 3.9},
    {"BP", 19, 36, 51, 48, 8.2},  {"BT", 27, 19, 44, 2, 7.3},    {"HG", 19, 25, 74, 8, 5.4},
    {"PF", 28, 39, 90, 0, 7.5},
};

/* Of kernel 1, which stays unlimited. */
static void count_mix(bench *b, unsigned stores, unsigned *loads_seen, unsigned *stores_seen)
{
    wr_issue_rate_controller_in in = {.clear = true};
    cycle(b, &in);
    for (unsigned i = 0; i < 100; i++) {
        in = (wr_issue_rate_controller_in){
            .valid = true, .kernel = 1, .store = i < stores, .out_ready = true};
        cycle(b, &in);
    }
    in = (wr_issue_rate_controller_in){.out_ready = true, .view = 1};
    cycle(b, &in);
    const wr_issue_rate_controller_out out = cycle(b, &in);
    *loads_seen = out.loads;
    *stores_seen = out.stores;
}

/* Both counts stop at 4,095, each kernel's own. */
static void test_counts_saturate(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned stores = 0; stores < 2; stores++) {
        wr_issue_rate_controller_in in = {
            .valid = true, .kernel = 1, .store = stores == 1, .out_ready = true, .view = 1};
        for (unsigned i = 0; i < 4100; i++) {
            cycle(&b, &in);
        }
        in.valid = false;
        cycle(&b, &in);
        const wr_issue_rate_controller_out out = cycle(&b, &in);
        assert_int_equal(out.loads, 4095);
        assert_int_equal(out.stores, stores * 4095);
    }
    wr_issue_rate_controller_in in = {.valid = true, .kernel = 2, .out_ready = true, .view = 2};
    cycle(&b, &in);
    cycle(&b, &in);
    assert_true(cycle(&b, &in).loads < 3);
}

static void test_table_4_2_identities(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned k = 0; k < 13; k++) {
        const table_row *row = &table_4_2[k];
        unsigned loads = 0;
        unsigned stores = 0;
        count_mix(&b, row->stores, &loads, &stores);
        assert_int_equal(loads, 100 - row->stores);
        assert_int_equal(stores, row->stores);

        const double n_req = (5.0 * loads + stores) / 100;
        const double d_req = 128 * row->miss / 100.0 * (1 + stores / 100.0);
        const double nbw = row->noc / 0.60;
        const double dbw = row->dram / 0.75;
        const wr_issue_rate_controller_in look = {0};

        decide(&b, 0, false, (unsigned)(nbw + 0.5), (unsigned)(16 * n_req + 0.5), 0, 0);
        const double by_noc = cycle(&b, &look).quota / 16.0;
        const double n_slack = 0.5 / nbw + 0.5 / (16 * n_req) + 0.5 / row->noc;
        assert_true(by_noc > row->requests * (1 - n_slack) - 0.1);
        assert_true(by_noc < row->requests * (1 + n_slack) + 0.1);

        decide(&b, 0, false, 0, 0, (unsigned)(dbw + 0.5), (unsigned)(d_req + 0.5));
        const double by_dram = cycle(&b, &look).quota / 16.0;
        /* percents are rounded to integers in the table, and again in the block's pins */
        const double d_slack =
            0.5 / dbw + 0.5 / d_req + 0.5 / row->dram + 0.5 / row->miss + n_slack + 0.03;
        (void)printf("%-4s %5.2f requests by the NoC, %5.2f by DRAM, %5.2f expected\n", row->name,
                     by_noc, by_dram, row->requests);
        assert_true(by_dram > row->requests / (1 + d_slack) - 0.1);
        assert_true(by_dram < row->requests * (1 + d_slack) + 0.1);
    }
}

/* A percentage of 100 is taken, one of 101 is a fault and taken as 100; each alone, for a fault
 * stays. */
static void test_percents(void **state)
{
    (void)state;
    for (unsigned pin = 0; pin < 2; pin++) {
        for (unsigned percent = 100; percent <= 101; percent++) {
            const wr_issue_rate_controller_in look = {0};
            bench b;
            wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
            decide(&b, 0, false, pin == 0 ? percent : 50, 99, pin == 1 ? percent : 50, 99);
            assert_int_equal(cycle(&b, &look).fault, percent > 100);
        }
    }
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    uint64_t left = 0;
    for (unsigned i = 0; i < count; i++) {
        left += b[i].left;
    }
    assert_true(left > 1000);
}

/* Each parameter is in its range. */
static const wr_issue_rate_controller_cfg refused[] = {
    {4, 7, 2, 16, 8, 160},
};

/* Every kernel is latency-sensitive, and kernel 0 has the next turn. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    const wr_issue_rate_controller_cfg *cfg = cfg_v;
    (void)element;
    if (strcmp(name, "ls_q") == 0) {
        return (1u << cfg->kernels) - 1;
    }
    return strcmp(name, "last_q") == 0 ? cfg->kernels - 1 : 0;
}

static const wr_bench self = {
    .block = &wr_issue_rate_controller_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, left)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 20000, .faulty = 10000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_figure_4_5),           cmocka_unit_test(test_first_turns),
        cmocka_unit_test(test_quota_holds_back),     cmocka_unit_test(test_counts_saturate),
        cmocka_unit_test(test_table_4_2_identities), cmocka_unit_test(test_percents),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
