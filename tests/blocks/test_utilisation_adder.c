/* SPDX-License-Identifier: Apache-2.0 */
/* utilisation_adder: the model against the oracle, every output in every cycle, and exact values.
 * What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/utilisation_adder_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/utilisation_adder_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_utilisation_adder_cfg cfg;
    wr_utilisation_adder dut;
    wr_oracle_adder oracle;
    uint64_t full; /* cycles in which all SMs issued all that they could */
    uint64_t rest; /* in which nothing was said, behind one in which something was */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_adder_reset(&b->oracle, b->cfg.sms, b->cfg.scheds, b->cfg.parts);
}

/* Beside the named configurations: the least, sizes on both sides of powers of two, mixed. */
static const wr_utilisation_adder_cfg configs[] = {
    {.sms = 1, .scheds = 1, .parts = 1},   {.sms = 2, .scheds = 4, .parts = 1},
    {.sms = 1, .scheds = 3, .parts = 2},   {.sms = 4, .scheds = 2, .parts = 3},
    {.sms = 9, .scheds = 1, .parts = 15},  {.sms = 17, .scheds = 3, .parts = 8},
    {.sms = 31, .scheds = 4, .parts = 30}, {.sms = 32, .scheds = 4, .parts = 32},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], LARGEST = CONFIGS - 1 };

static wr_oracle_adder_cycle as_the_oracle_sees(const wr_utilisation_adder_in *in)
{
    wr_oracle_adder_cycle c = {.start = in->start,
                               .stop = in->stop,
                               .cut = in->cut,
                               .noc_cycles = in->noc_cycles,
                               .l2_cycles = in->l2_cycles,
                               .dram_cycles = in->dram_cycles};

    for (unsigned i = 0; i < WR_ORACLE_ADDER_MAX; i++) {
        c.sm[i].issued = in->issued[i];
        c.sm[i].l1 = in->l1[i];
        c.sm[i].up = in->up[i];
        c.part[i].down = in->down[i];
        c.part[i].l2 = in->l2[i];
        c.part[i].dram = in->dram[i];
    }
    return c;
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_utilisation_adder_out cycle(bench *b, const wr_utilisation_adder_in *in)
{
    const wr_oracle_adder_cycle *last = &b->oracle.last;
    const wr_oracle_adder_sums want = wr_oracle_adder_sums_of(&b->oracle);
    const wr_oracle_adder_cycle now = as_the_oracle_sees(in);
    const wr_utilisation_adder_in rest = {0};
    wr_utilisation_adder_out out;

    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "start", out.start, last->start);
    wr_rig_check(&b->rig, "stop", out.stop, last->stop);
    wr_rig_check(&b->rig, "cut", out.cut, last->cut);
    wr_rig_check(&b->rig, "issued", out.issued, want.issued);
    wr_rig_check(&b->rig, "l1", out.l1, want.l1);
    wr_rig_check(&b->rig, "noc_cycles", out.noc_cycles, last->noc_cycles);
    wr_rig_check(&b->rig, "up", out.up, want.up);
    wr_rig_check(&b->rig, "down", out.down, want.down);
    wr_rig_check(&b->rig, "l2_cycles", out.l2_cycles, last->l2_cycles);
    wr_rig_check(&b->rig, "l2", out.l2, want.l2);
    wr_rig_check(&b->rig, "dram_cycles", out.dram_cycles, last->dram_cycles);
    wr_rig_check(&b->rig, "dram", out.dram, want.dram);
    wr_rig_check(&b->rig, "fault", out.fault, b->oracle.fault);
    b->full += out.issued == b->cfg.sms * b->cfg.scheds;
    b->rest += out.l1 != 0 && memcmp(in, &rest, sizeof rest) == 0;

    wr_oracle_adder_clock(&b->oracle, &now);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_utilisation_adder_out *)out = cycle(bench_v, in);
}

/* What the pins show behind a cycle with these inputs. */
static wr_utilisation_adder_out behind(bench *b, const wr_utilisation_adder_in *in)
{
    const wr_utilisation_adder_in rest = {0};

    cycle(b, in);
    return cycle(b, &rest);
}

/* Table 3.3's peaks, 32 SMs of 4 schedulers and 32 partitions: all of them together are the
 * greatest that the monitor takes, and each adds its own part to it. */
static void test_peaks(void **state)
{
    (void)state;
    bench b;
    wr_utilisation_adder_in in = {
        .start = true, .cut = true, .noc_cycles = 3, .l2_cycles = 2, .dram_cycles = 1};
    wr_bench_init(&self, &b, 1, &configs[LARGEST]);
    for (unsigned i = 0; i < 32; i++) {
        in.issued[i] = 4;
        in.l1[i] = true;
        in.up[i] = 3;
        in.down[i] = 3;
        in.l2[i] = 2;
        in.dram[i] = 1;
        const wr_utilisation_adder_out out = behind(&b, &in);
        assert_true(out.start && !out.stop && out.cut);
        assert_int_equal(out.issued, 4 * (i + 1));
        assert_int_equal(out.l1, i + 1);
        assert_int_equal(out.up, 3 * (i + 1));
        assert_int_equal(out.down, 3 * (i + 1));
        assert_int_equal(out.l2, 2 * (i + 1));
        assert_int_equal(out.dram, i + 1);
        assert_false(out.fault);
    }
}

/* A value above its range counts as the greatest that is possible, and the fault stays. */
static void test_above(void **state)
{
    (void)state;
    const wr_utilisation_adder_in good = {
        .noc_cycles = 1, .issued = {1, 2}, .up = {1, 0}, .down = {0, 1}};
    wr_utilisation_adder_in bad = good;
    const wr_utilisation_adder_cfg cfg = {.sms = 2, .scheds = 2, .parts = 2};
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    assert_int_equal(behind(&b, &good).issued, 3);
    bad.issued[0] = 7;
    bad.up[1] = 2;
    bad.l2[0] = 3;
    const wr_utilisation_adder_out out = behind(&b, &bad);
    assert_int_equal(out.issued, 4);
    assert_int_equal(out.up, 2);
    assert_int_equal(out.down, 1);
    assert_int_equal(out.l2, 0); /* no cycle of L2: nothing was possible */
    assert_true(out.fault);
    assert_true(behind(&b, &good).fault);
}

/* The C struct is wider than the pins, and has elements that this configuration has not: what is
 * there is no pin. The oracle is not asked, for it has no such bits. */
static void test_no_pins(void **state)
{
    (void)state;
    const wr_utilisation_adder_cfg cfg = {.sms = 2, .scheds = 4, .parts = 3};
    wr_utilisation_adder s;
    wr_utilisation_adder_out out;
    wr_utilisation_adder_in in;
    memset(&in, 0xf8, sizeof in); /* no bit of a pin of three */
    in.start = in.stop = in.cut = false;
    in.noc_cycles = in.l2_cycles = in.dram_cycles = 0xfc | 2;
    for (unsigned i = 0; i < 32; i++) {
        in.issued[i] = (uint8_t)(in.issued[i] | (i < cfg.sms ? 3 : 7));
        in.l1[i] = i >= cfg.sms;
        in.up[i] = 0xfc | 2;
        in.down[i] = (uint8_t)(0xfc | (i < cfg.parts ? 1 : 3));
        in.l2[i] = in.down[i];
        in.dram[i] = in.down[i];
    }
    assert_int_equal(wr_utilisation_adder_init(&s, &cfg), WR_OK);
    wr_utilisation_adder_tick(&s, &in);
    wr_utilisation_adder_eval(&s, &in, &out);
    assert_int_equal(out.issued, 6);
    assert_int_equal(out.l1, 0);
    assert_int_equal(out.noc_cycles, 2);
    assert_int_equal(out.up, 4);
    assert_int_equal(out.down, 3);
    assert_int_equal(out.l2_cycles, 2);
    assert_int_equal(out.l2, 3);
    assert_int_equal(out.dram_cycles, 2);
    assert_int_equal(out.dram, 3);
    assert_false(out.fault);
}

static unsigned value(bench *b, unsigned most, bool fault)
{
    const unsigned density = wr_rig_offers(&b->rig) ? 2 : 1;
    unsigned v = wr_rig_below(&b->rig, density * most + 1);
    v = v > most ? most : v;
    return fault ? v + wr_rig_below(&b->rig, 3) : v;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    const wr_utilisation_adder_cfg *c = &b->cfg;
    for (unsigned i = 0; i < cycles; i++) {
        wr_utilisation_adder_in in = {.start = wr_rig_chance(&b->rig, 10),
                                      .stop = wr_rig_chance(&b->rig, 10),
                                      .cut = wr_rig_chance(&b->rig, 20),
                                      .noc_cycles = (uint8_t)wr_rig_below(&b->rig, 4),
                                      .l2_cycles = (uint8_t)wr_rig_below(&b->rig, 4),
                                      .dram_cycles = (uint8_t)wr_rig_below(&b->rig, 4)};
        const bool full = wr_rig_chance(&b->rig, 5);
        /* At most one kind at a time, so that each is seen to raise the fault. */
        const unsigned fault =
            with_faults && wr_rig_below(&b->rig, 200) == 0 ? 1 + wr_rig_below(&b->rig, 5) : 0;
        for (unsigned e = 0; e < c->sms; e++) {
            in.issued[e] = (uint8_t)(full ? c->scheds : value(b, c->scheds, fault == 1));
            in.l1[e] = full || wr_rig_takes(&b->rig);
            in.up[e] = (uint8_t)(value(b, in.noc_cycles, fault == 2) & 3u);
        }
        for (unsigned e = 0; e < c->parts; e++) {
            in.down[e] = (uint8_t)(value(b, in.noc_cycles, fault == 3) & 3u);
            in.l2[e] = (uint8_t)(value(b, in.l2_cycles, fault == 4) & 3u);
            in.dram[e] = (uint8_t)(value(b, in.dram_cycles, fault == 5) & 3u);
        }
        if (wr_rig_chance(&b->rig, 5)) {
            memset(&in, 0, sizeof in);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(&b->rig, 50) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->full > 100 && b->rest > 100);
}

static const wr_bench self = {
    .block = &wr_utilisation_adder_block,
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
    .amount = {.legal = 5000, .faulty = 5000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_peaks),
        cmocka_unit_test(test_above),
        cmocka_unit_test(test_no_pins),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
