/* SPDX-License-Identifier: Apache-2.0 */
/* onchip_bitmap: the model against the oracle in every cycle on every output, under random requests
 * and protocol faults, and the address map of Lin-D 3.6.6 as exact values.
 */
#include "dpi/gen/onchip_bitmap_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/onchip_bitmap_oracle.h"

enum { ALLOC = 0, FREE = 1, RUNS_MAX = 3072 };

typedef struct bench {
    wr_rig rig;
    wr_onchip_bitmap_cfg cfg;
    wr_onchip_bitmap dut;
    wr_oracle_bitmap oracle;
    uint64_t requests;
    wr_onchip_bitmap_in asked; /* the last one taken */
    uint64_t good[2];          /* done and found, by operation */
    uint64_t bad[2];           /* done and not found */
    /* Runs that were handed out and not given back. */
    unsigned run_addr[RUNS_MAX];
    unsigned run_count[RUNS_MAX];
    unsigned runs;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const unsigned units[] = {b->cfg.reg_units, b->cfg.smem_units, b->cfg.l1_units};
    wr_oracle_bitmap_reset(&b->oracle, units, b->cfg.word_bits);
    b->runs = 0;
}

static const wr_onchip_bitmap_cfg configs[] = {
    {.reg_units = 24, .smem_units = 16, .l1_units = 8, .word_bits = 8},
    {.reg_units = 2048, .smem_units = 768, .l1_units = 256, .word_bits = 64},
    {.reg_units = 176, .smem_units = 112, .l1_units = 48, .word_bits = 16},
    {.reg_units = 8, .smem_units = 8, .l1_units = 8, .word_bits = 8},
    {.reg_units = 64, .smem_units = 64, .l1_units = 64, .word_bits = 64},
    {.reg_units = 96, .smem_units = 32, .l1_units = 160, .word_bits = 32},
    {.reg_units = 1024, .smem_units = 1024, .l1_units = 1024, .word_bits = 32},
    {.reg_units = 8, .smem_units = 2048, .l1_units = 1016, .word_bits = 8},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

/* And what the description says of the registers. */
static void check_outputs(bench *b, const wr_onchip_bitmap_out *out)
{
    wr_oracle_bitmap_output want = wr_oracle_bitmap_outputs(&b->oracle);
    wr_rig_check(&b->rig, "ready", out->ready, want.ready);
    wr_rig_check(&b->rig, "done", out->done, want.done);
    wr_rig_check(&b->rig, "found", out->found, want.found);
    wr_rig_check(&b->rig, "addr", out->addr, want.addr);
    wr_rig_check(&b->rig, "fault", out->fault, want.fault);
    wr_rig_check(&b->rig, "run_q while not searching",
                 b->dut.phase_q == WR_ONCHIP_BITMAP_SEARCH ? 0 : b->dut.run_q, 0);
    wr_rig_check(&b->rig, "word_q while idle", out->ready ? b->dut.word_q : 0, 0);
    wr_rig_check(&b->rig, "left_q while idle", out->ready ? b->dut.left_q : 0, 0);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_onchip_bitmap_out cycle(bench *b, const wr_onchip_bitmap_in *in)
{
    wr_onchip_bitmap_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    wr_oracle_bitmap_request request = {
        .free = in->op, .region = in->region, .count = in->count, .addr = in->addr};
    wr_oracle_bitmap_clock(&b->oracle, in->valid ? &request : NULL);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_onchip_bitmap_out *)out = cycle(bench_v, in);
}

/* One request to an idle block; cycles: from its acceptance to its done. */
static wr_onchip_bitmap_out ask(bench *b, wr_onchip_bitmap_in in, unsigned *cycles)
{
    const wr_onchip_bitmap_in idle = {0};
    in.valid = true;
    assert_true(cycle(b, &in).ready);
    wr_onchip_bitmap_out out;
    *cycles = 0;
    do {
        assert_true(*cycles < 1000);
        out = cycle(b, &idle);
        ++*cycles;
    } while (!out.done);
    assert_true(out.ready);
    return out;
}

static void check_alloc(bench *b, unsigned region, unsigned count, bool found, unsigned addr,
                        unsigned latency)
{
    unsigned cycles;
    wr_onchip_bitmap_in in = {.op = ALLOC, .region = (uint8_t)region, .count = (uint16_t)count};
    wr_onchip_bitmap_out out = ask(b, in, &cycles);
    assert_int_equal(out.found, found);
    assert_int_equal(out.addr, addr);
    assert_int_equal(cycles, latency);
}

static void check_free(bench *b, unsigned addr, unsigned count, bool found, unsigned latency)
{
    unsigned cycles;
    wr_onchip_bitmap_in in = {.op = FREE, .count = (uint16_t)count, .addr = (uint16_t)addr};
    wr_onchip_bitmap_out out = ask(b, in, &cycles);
    assert_int_equal(out.found, found);
    assert_int_equal(out.addr, 0);
    assert_int_equal(cycles, latency);
}

/* 384 KB in units of 128 B: registers from 0x000, shared memory from 0x800, L1 from 0xb00, each
 * taken in one run, then full. */
static void test_address_map(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    check_alloc(&b, 0, 256 * 1024 / 128, true, 0x000, 32 + 32 + 1);
    check_alloc(&b, 1, 96 * 1024 / 128, true, 0x800, 12 + 12 + 1);
    check_alloc(&b, 2, 32 * 1024 / 128, true, 0xb00, 4 + 4 + 1);
    assert_int_equal(wr_oracle_bitmap_taken(&b.oracle), 384 * 1024 / 128);
    assert_int_equal(wr_oracle_bitmap_taken(&b.oracle), 3072);
    for (unsigned region = 0; region < 3; region++) {
        const unsigned words[] = {32, 12, 4};
        check_alloc(&b, region, 1, false, 0, words[region] + 1);
    }
    check_free(&b, 0x7ff, 1, true, 2); /* the last register */
    check_alloc(&b, 1, 1, false, 0, 13);
    check_alloc(&b, 0, 1, true, 0x7ff, 32 + 1 + 1);
    check_free(&b, 0xbff, 1, true, 2);
    check_alloc(&b, 2, 1, true, 0xbff, 4 + 1 + 1);
    assert_false(b.oracle.faulted);
}

/* The lowest run that is long enough, also across words, and never across two regions. */
static void test_first_fit(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    check_alloc(&b, 0, 10, true, 0, 3);
    check_alloc(&b, 0, 10, true, 10, 3);
    check_alloc(&b, 0, 44, true, 20, 3); /* word 0 is full */
    check_alloc(&b, 0, 65, true, 64, 3 + 2 + 1);
    check_free(&b, 10, 10, true, 2);
    check_alloc(&b, 0, 11, true, 129, 3 + 1 + 1); /* the hole is one too short */
    check_alloc(&b, 0, 10, true, 10, 3);          /* it fits exactly */
    check_free(&b, 60, 8, true, 3);               /* of two runs, over a border of words */
    check_alloc(&b, 0, 8, true, 60, 2 + 2 + 1);
    check_alloc(&b, 1, 769, false, 0, 13); /* more than the region has: no fault */
    check_alloc(&b, 0, 1908, true, 140, 32 + 30 + 1);
    check_alloc(&b, 0, 1, false, 0, 33);
    check_alloc(&b, 1, 768, true, 0x800, 25);
    assert_false(b.oracle.faulted);
}

static void check_refused(const wr_onchip_bitmap_in *in)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    check_alloc(&b, 2, 200, true, 0xb00, 4 + 4 + 1);
    const wr_onchip_bitmap_in idle = {0};
    assert_false(cycle(&b, &idle).fault);
    unsigned cycles;
    wr_onchip_bitmap_out out = ask(&b, *in, &cycles);
    assert_int_equal(cycles, 1);
    assert_false(out.found);
    assert_int_equal(out.addr, 0);
    assert_true(out.fault);
    assert_int_equal(wr_oracle_bitmap_taken(&b.oracle), 200);
    check_alloc(&b, 2, 56, true, 0xb00 + 200, 4 + 1 + 1);
    assert_true(cycle(&b, &idle).fault);
    wr_bench_reset(&self, &b);
    assert_false(cycle(&b, &idle).fault);
}

static void test_refused(void **state)
{
    (void)state;
    const wr_onchip_bitmap_in bad[] = {
        {.op = ALLOC, .region = 3, .count = 1},     {.op = ALLOC, .region = 0, .count = 0},
        {.op = FREE, .addr = 0xb00, .count = 0},    {.op = FREE, .addr = 0xaff, .count = 2},
        {.op = FREE, .addr = 0x7ff, .count = 2},    {.op = FREE, .addr = 0x000, .count = 3072},
        {.op = FREE, .addr = 0xbff, .count = 2},    {.op = FREE, .addr = 0xc00, .count = 1},
        {.op = FREE, .addr = 0xfff, .count = 4095},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_refused(&bad[i]);
    }
}

/* A free of a unit that is not taken: done all the same, the fault shows behind the word it is in.
 */
static void test_free_twice(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    check_alloc(&b, 0, 200, true, 0, 4 + 4 + 1);
    check_free(&b, 130, 1, true, 2);
    const wr_onchip_bitmap_in in = {.valid = true, .op = FREE, .addr = 0, .count = 200};
    const wr_onchip_bitmap_in idle = {0};
    assert_true(cycle(&b, &in).ready);
    for (unsigned j = 1; j <= 5; j++) { /* unit 130 lies in the third word */
        wr_onchip_bitmap_out out = cycle(&b, &idle);
        assert_int_equal(out.fault, j >= 4);
        assert_int_equal(out.done, j == 5);
        assert_false(out.found);
    }
    check_alloc(&b, 0, 2048, true, 0, 65);
}

static unsigned region_units(const bench *b, unsigned region)
{
    const unsigned units[] = {b->cfg.reg_units, b->cfg.smem_units, b->cfg.l1_units};
    return units[region];
}

static wr_onchip_bitmap_in random_request(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    wr_onchip_bitmap_in in = {.valid = true,
                              .op = wr_rig_chance(rig, 50),
                              .region = (uint8_t)wr_rig_below(rig, 3),
                              .count = (uint16_t)(1 + wr_rig_below(rig, 4096 - 1)),
                              .addr = (uint16_t)wr_rig_below(rig, 4096)};
    const unsigned units = region_units(b, in.region);
    if (with_faults && wr_rig_chance(rig, 5)) {
        in.region = (uint8_t)wr_rig_below(rig, 4);
        in.count = wr_rig_chance(rig, 30) ? 0 : in.count;
        in.addr = wr_rig_chance(rig, 50) ? (uint16_t)wr_rig_below(rig, 3200) : in.addr;
        return in;
    }
    if (in.op == FREE && b->runs > 0) {
        const unsigned n = wr_rig_below(rig, b->runs);
        in.addr = (uint16_t)b->run_addr[n];
        in.count = (uint16_t)b->run_count[n];
        if (with_faults && wr_rig_chance(rig, 10) &&
            in.count > 1) { /* a part of it: freed twice later */
            in.count = (uint16_t)(1 + wr_rig_below(rig, in.count));
        }
        b->runs--;
        b->run_addr[n] = b->run_addr[b->runs];
        b->run_count[n] = b->run_count[b->runs];
        return in;
    }
    in.op = ALLOC;
    switch (wr_rig_below(rig, 8)) {
    case 0:
        in.count = (uint16_t)units;
        break;
    case 1:
        in.count = (uint16_t)(1 + wr_rig_below(rig, units));
        break;
    case 2:
        in.count = (uint16_t)b->cfg.word_bits;
        break;
    case 3:
        in.count = (uint16_t)(units + 1 + wr_rig_below(rig, 4095 - units));
        break;
    default:
        in.count = (uint16_t)(1 + wr_rig_below(rig, 1 + units / 8));
        break;
    }
    return in;
}

/* A number of requests; while the block is busy the pins carry others, not to be taken. */
static void traffic(void *bench_v, unsigned requests, bool with_faults)
{
    bench *b = bench_v;
    const uint64_t end = b->requests + requests;
    while (b->requests < end || !wr_oracle_bitmap_outputs(&b->oracle).ready) {
        const bool ready = wr_oracle_bitmap_outputs(&b->oracle).ready;
        wr_onchip_bitmap_in in = {.op = wr_rig_chance(&b->rig, 50),
                                  .region = (uint8_t)wr_rig_below(&b->rig, 4),
                                  .count = (uint16_t)wr_rig_below(&b->rig, 64)};
        if (ready && wr_rig_offers(&b->rig)) {
            in = random_request(b, with_faults);
        } else if (!ready) {
            in.valid = wr_rig_chance(&b->rig, 50);
        }
        const wr_onchip_bitmap_out out = cycle(b, &in);
        if (out.done) {
            b->good[b->asked.op] += out.found;
            b->bad[b->asked.op] += !out.found;
            if (b->asked.op == ALLOC && out.found) {
                b->run_addr[b->runs] = out.addr;
                b->run_count[b->runs] = b->asked.count;
                b->runs++;
            }
        }
        if (in.valid && out.ready) {
            b->asked = in;
            b->requests++;
        }
    }
}

static void covered_legal(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->good[ALLOC] > 100 && b->good[FREE] > 100 && b->bad[ALLOC] > 10);
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->bad[FREE] > 0);
}

/* Each parameter is in its range. */
static const wr_onchip_bitmap_cfg refused[] = {
    {24, 24, 24, 12}, {24, 16, 16, 16},    {32, 40, 16, 16},
    {32, 32, 8, 16},  {2048, 768, 264, 8}, {2048, 1024, 64, 64},
};

static const wr_bench self = {
    .block = &wr_onchip_bitmap_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.faulted),
           .transactions = offsetof(bench, requests)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_legal = covered_legal,
    .covered = covered,
    .amount = {.legal = 15000, .faulty = 250, .rounds = 6},
    .snapshot = {.before = 333, .after = 200},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_address_map),
        cmocka_unit_test(test_first_fit),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_free_twice),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
