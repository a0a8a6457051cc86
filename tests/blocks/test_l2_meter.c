/* SPDX-License-Identifier: Apache-2.0 */
/* l2_meter: the model against the oracle, every output in every cycle, and what stands at the ends
 * of the counts. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/l2_meter_port.h"

#include "tests/blocks/bench.h"
#include "tests/oracle/l2_meter_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_l2_meter_cfg cfg;
    wr_l2_meter dut;
    wr_oracle_l2_meter oracle;
    uint64_t taken, full[WR_ORACLE_L2_EVENTS];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_l2_meter_reset(&b->oracle, b->cfg.kernels, b->cfg.bits);
}

/* Beside the named configurations: the ends of both parameters. */
static const wr_l2_meter_cfg configs[] = {{1, 2}, {4, 2}, {2, 4}, {3, 8}, {1, 14}, {4, 13}};
enum { CONFIGS = sizeof configs / sizeof configs[0], SMALL = 1 };

/* Settles and checks all outputs, then clocks both sides. */
static wr_l2_meter_out cycle(bench *b, const wr_l2_meter_in *in)
{
    const wr_oracle_l2_pins pins = {.access = in->access,
                                    .read = in->read,
                                    .fetched = in->fetched,
                                    .written = in->written,
                                    .kernel = in->kernel,
                                    .owner = in->owner,
                                    .read_kernel = in->read_kernel};
    const unsigned k = in->read_kernel;
    const unsigned most = (1u << b->cfg.bits) - 1;
    wr_l2_meter_out out;

    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "accesses", out.accesses,
                 wr_oracle_l2_meter_shows(&b->oracle, WR_ORACLE_L2_ACCESS, k));
    wr_rig_check(&b->rig, "fetches", out.fetches,
                 wr_oracle_l2_meter_shows(&b->oracle, WR_ORACLE_L2_FETCH, k));
    wr_rig_check(&b->rig, "write_backs", out.write_backs,
                 wr_oracle_l2_meter_shows(&b->oracle, WR_ORACLE_L2_WRITE_BACK, k));
    wr_rig_check(&b->rig, "fault", out.fault, b->oracle.fault);
    b->taken += in->read;
    b->full[WR_ORACLE_L2_ACCESS] += out.accesses == most;
    b->full[WR_ORACLE_L2_FETCH] += out.fetches == most;
    b->full[WR_ORACLE_L2_WRITE_BACK] += out.write_backs == most;
    wr_oracle_l2_meter_clock(&b->oracle, &pins);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_l2_meter_out *)out = cycle(bench_v, in);
}

/* Nothing is lost between two reads but what makes no line: what comes with a read is of the next
 * one. */
static void test_read(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[SMALL]);
    wr_l2_meter_in in = {.access = true, .kernel = 2, .fetched = 4, .read_kernel = 2};

    assert_int_equal(cycle(&b, &in).accesses, 0);
    in.fetched = 3;
    assert_int_equal(cycle(&b, &in).fetches, 1);
    in.read = true;
    in.fetched = 0;
    in.written = 4;
    in.owner = 2;
    wr_l2_meter_out out = cycle(&b, &in);
    assert_true(out.accesses == 2 && out.fetches == 1 && out.write_backs == 0);
    in.read = in.access = false;
    in.written = 0;
    out = cycle(&b, &in);
    assert_true(out.accesses == 1 && out.fetches == 0 && out.write_backs == 1);
    in.read_kernel = 1;
    out = cycle(&b, &in);
    assert_true(out.accesses == 0 && out.fetches == 0 && out.write_backs == 0 && !out.fault);
}

/* Four sectors make a line, whatever they come in. */
static void test_sectors(void **state)
{
    static const struct {
        uint8_t sectors;
        uint16_t lines;
    } steps[] = {{1, 0}, {2, 0}, {0, 0}, {1, 1}, {3, 1}, {1, 2}};
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[SMALL]);
    wr_l2_meter_in in = {.access = true, .kernel = 1, .owner = 3};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        in.fetched = in.written = steps[i].sectors;
        cycle(&b, &in);
        const wr_l2_meter_in fetched = {.read_kernel = 1};
        const wr_l2_meter_in written = {.read_kernel = 3};

        assert_int_equal(cycle(&b, &fetched).fetches, steps[i].lines);
        assert_int_equal(cycle(&b, &written).write_backs, steps[i].lines);
    }
}

/* A count stays at its most; sectors, which are counted finer, at theirs. */
static void test_most(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[SMALL]);
    wr_l2_meter_in in = {.access = true, .kernel = 3, .written = 4, .owner = 3};

    in.read_kernel = 3;
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(cycle(&b, &in).accesses, n);
    }
    wr_l2_meter_out out = cycle(&b, &in);
    assert_true(out.accesses == 3 && out.write_backs == 3 && out.fetches == 0);
    in.written = 3;
    out = cycle(&b, &in);
    assert_true(out.write_backs == 3);
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    const unsigned kernels = b->cfg.kernels;

    for (unsigned i = 0; i < cycles; i++) {
        const bool busy = wr_rig_chance(&b->rig, 80);
        wr_l2_meter_in in = {.access = busy,
                             .kernel = (uint8_t)wr_rig_below(&b->rig, kernels),
                             .fetched = (uint8_t)(busy ? wr_rig_below(&b->rig, 5) : 0),
                             .written = (uint8_t)wr_rig_below(&b->rig, 5),
                             .owner = (uint8_t)wr_rig_below(&b->rig, kernels),
                             .read = wr_rig_below(&b->rig, 60) == 0,
                             .read_kernel = (uint8_t)wr_rig_below(&b->rig, kernels)};

        if (with_faults && wr_rig_below(&b->rig, 50) == 0) {
            in.read = true;
            in.fetched = (uint8_t)wr_rig_below(&b->rig, 8);
            in.written = (uint8_t)wr_rig_below(&b->rig, 8);
            in.access = wr_rig_chance(&b->rig, 50);
            in.kernel = (uint8_t)wr_rig_below(&b->rig, 4);
            in.owner = (uint8_t)wr_rig_below(&b->rig, 4);
            in.read_kernel = (uint8_t)wr_rig_below(&b->rig, 4);
        }
        cycle(b, &in);
    }
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;

    for (unsigned what = 0; what < WR_ORACLE_L2_EVENTS; what++) {
        uint64_t full = 0;

        for (unsigned i = 0; i < count; i++) {
            full += b[i].full[what];
        }
        assert_true(full > 100);
    }
}

static const wr_bench self = {
    .block = &wr_l2_meter_block,
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
    .amount = {.legal = 5000, .faulty = 2000, .rounds = 3},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_most),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
