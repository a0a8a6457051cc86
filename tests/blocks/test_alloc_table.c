/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_table: the model against the oracle, every output in every cycle, under random operations
 * and protocol faults, and Fig. 4 of Lin-P as exact values (III.A, RESOLUTIONS P2 to P6).
 */
#include "dpi/gen/alloc_table_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/alloc_table_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_alloc_table_cfg cfg;
    wr_alloc_table dut;
    wr_oracle_alloc oracle;
    uint64_t operations;
    uint64_t good[4]; /* done with ok, by operation */
    uint64_t bad[4];
    uint64_t left;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->oracle = (wr_oracle_alloc){.entries = b->cfg.entries,
                                  .units = b->cfg.units,
                                  .kernel_bits = b->cfg.kernel_bits,
                                  .tb_bits = b->cfg.tb_bits};
}

static void check_outputs(bench *b, const wr_alloc_table_out *out)
{
    wr_oracle_reply want = wr_oracle_alloc_output(&b->oracle);
    wr_rig_check(&b->rig, "ready", out->ready, wr_oracle_alloc_idle(&b->oracle));
    wr_rig_check(&b->rig, "rsp_valid", out->rsp_valid, want.valid);
    wr_rig_check(&b->rig, "rsp_kind", out->rsp_kind, want.kind);
    wr_rig_check(&b->rig, "rsp_ok", out->rsp_ok, want.ok);
    wr_rig_check(&b->rig, "rsp_tb", out->rsp_tb, want.tb);
    wr_rig_check(&b->rig, "rsp_start", out->rsp_start, want.start);
    wr_rig_check(&b->rig, "rsp_size", out->rsp_size, want.size);
    wr_rig_check(&b->rig, "used", out->used, wr_oracle_alloc_used(&b->oracle));
    wr_rig_check(&b->rig, "fault", out->fault, b->oracle.fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_alloc_table_out cycle(bench *b, const wr_alloc_table_in *in)
{
    wr_alloc_table_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    wr_oracle_alloc_op op = {.op = in->op,
                             .kernel = in->kernel,
                             .tb = in->tb,
                             .size = in->size,
                             .count = in->count,
                             .old = in->old};
    wr_oracle_alloc_clock(&b->oracle, in->valid ? &op : NULL, in->rsp_ready);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_alloc_table_out *)out = cycle(bench_v, in);
}

/* Offers an operation to an idle table, replies taken at once. */
static void offer(bench *b, wr_alloc_table_in in)
{
    in.valid = true;
    in.rsp_ready = true;
    assert_true(cycle(b, &in).ready);
}

/* The next reply; cycles: how many went by until it stood, itself counted. */
static wr_alloc_table_out reply(bench *b, unsigned *cycles)
{
    const wr_alloc_table_in idle = {.rsp_ready = true};
    wr_alloc_table_out out;
    *cycles = 0;
    do {
        assert_true(*cycles < 10000);
        out = cycle(b, &idle);
        ++*cycles;
    } while (!out.rsp_valid);
    return out;
}

static void check_reply(bench *b, unsigned kind, bool ok, unsigned tb, unsigned start,
                        unsigned size)
{
    unsigned cycles;
    wr_alloc_table_out out = reply(b, &cycles);
    assert_int_equal(out.rsp_kind, kind);
    assert_int_equal(out.rsp_ok, ok);
    assert_int_equal(out.rsp_tb, tb);
    assert_int_equal(out.rsp_start, start);
    assert_int_equal(out.rsp_size, size);
}

static void alloc(bench *b, unsigned kernel, unsigned tb, unsigned size, unsigned start)
{
    offer(b, (wr_alloc_table_in){.op = WR_ORACLE_OP_ALLOC,
                                 .kernel = (uint8_t)kernel,
                                 .tb = (uint16_t)tb,
                                 .size = (uint16_t)size});
    check_reply(b, WR_ORACLE_REPLY_DONE, true, tb, start, size);
}

static void lookup(bench *b, unsigned kernel, unsigned tb, bool found, unsigned start,
                   unsigned size)
{
    offer(b, (wr_alloc_table_in){
                 .op = WR_ORACLE_OP_LOOKUP, .kernel = (uint8_t)kernel, .tb = (uint16_t)tb});
    check_reply(b, WR_ORACLE_REPLY_DONE, found, tb, start, size);
}

static void plan(bench *b, unsigned kernel, unsigned old, unsigned size, unsigned count)
{
    offer(b, (wr_alloc_table_in){.op = WR_ORACLE_OP_PLAN,
                                 .kernel = (uint8_t)kernel,
                                 .old = (uint8_t)old,
                                 .size = (uint16_t)size,
                                 .count = (uint8_t)count});
}

static const wr_alloc_table_cfg registers = {
    .entries = 16, .units = 1024, .kernel_bits = 3, .tb_bits = 16};
static const wr_alloc_table_cfg shared = {
    .entries = 16, .units = 384, .kernel_bits = 3, .tb_bits = 16}; /* 48 KB of 128 B */

enum { K1 = 1, K2 = 2 };

/* Fig. 4, registers: K1 has three TBs of 300 vector registers, K2 needs two of 256. K1_TB0 and
 * K1_TB1 leave, K1_TB2 stays at 600, K2 starts at 0 and 256. */
static void test_fig4_registers(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &registers);
    for (unsigned tb = 0; tb < 3; tb++) {
        alloc(&b, K1, tb, 300, 300 * tb);
    }
    plan(&b, K2, K1, 256, 2);
    check_reply(&b, WR_ORACLE_REPLY_LEAVE, true, 0, 0, 300);
    check_reply(&b, WR_ORACLE_REPLY_LEAVE, true, 1, 300, 300);
    check_reply(&b, WR_ORACLE_REPLY_PLACE, true, 0, 0, 256);
    check_reply(&b, WR_ORACLE_REPLY_PLACE, true, 1, 256, 256);
    check_reply(&b, WR_ORACLE_REPLY_DONE, true, 0, 0, 0);
    lookup(&b, K1, 0, false, 0, 0);
    lookup(&b, K1, 1, false, 0, 0);
    lookup(&b, K1, 2, true, 600, 300);
    lookup(&b, K2, 0, true, 0, 256);
    lookup(&b, K2, 1, true, 256, 256);
    assert_int_equal(wr_oracle_alloc_used(&b.oracle), 3);
    assert_false(b.oracle.fault);
}

/* Fig. 4, shared memory, in lines of 128 B: three TBs of 8 KB, two of 10 KB; nobody leaves, K2
 * starts at 24 KB and 34 KB. */
static void test_fig4_shared_memory(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &shared);
    for (unsigned tb = 0; tb < 3; tb++) {
        alloc(&b, K1, tb, 8 * 1024 / 128, tb * 8 * 1024 / 128);
    }
    plan(&b, K2, K1, 10 * 1024 / 128, 2);
    check_reply(&b, WR_ORACLE_REPLY_PLACE, true, 0, 24 * 1024 / 128, 80);
    check_reply(&b, WR_ORACLE_REPLY_PLACE, true, 1, 34 * 1024 / 128, 80);
    check_reply(&b, WR_ORACLE_REPLY_DONE, true, 0, 0, 0);
    for (unsigned tb = 0; tb < 3; tb++) {
        lookup(&b, K1, tb, true, 64 * tb, 64);
    }
    assert_int_equal(wr_oracle_alloc_used(&b.oracle), 5);
    assert_false(b.oracle.fault);
}

/* Lowest number first, whatever the place; a plan that cannot succeed changes nothing; 16 entries
 * are 8 old and 8 new TBs, and the 17th finds none. */
static void test_plan(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &registers);
    alloc(&b, K1, 9, 500, 0);
    alloc(&b, K1, 4, 500, 500);
    plan(&b, K2, K1, 400, 1);
    check_reply(&b, WR_ORACLE_REPLY_LEAVE, true, 4, 500, 500);
    check_reply(&b, WR_ORACLE_REPLY_PLACE, true, 0, 500, 400);
    check_reply(&b, WR_ORACLE_REPLY_DONE, true, 0, 0, 0);
    plan(&b, 3, K1, 1000, 1);
    check_reply(&b, WR_ORACLE_REPLY_DONE, false, 0, 0, 0);
    lookup(&b, K1, 9, true, 0, 500);
    lookup(&b, K2, 0, true, 500, 400);

    wr_bench_init(&self, &b, 1, &registers);
    for (unsigned tb = 0; tb < 8; tb++) {
        alloc(&b, K1, tb, 10, 10 * tb);
    }
    plan(&b, K2, K1, 10, 8);
    for (unsigned tb = 0; tb < 8; tb++) {
        check_reply(&b, WR_ORACLE_REPLY_PLACE, true, tb, 80 + 10 * tb, 10);
    }
    check_reply(&b, WR_ORACLE_REPLY_DONE, true, 0, 0, 0);
    offer(&b, (wr_alloc_table_in){.op = WR_ORACLE_OP_ALLOC, .kernel = 3, .size = 1});
    check_reply(&b, WR_ORACLE_REPLY_DONE, false, 0, 0, 0);
    assert_false(b.oracle.fault);
}

/* A lookup, free or refused operation answers in the next cycle; an alloc 1 + candidates. */
static void test_latency(void **state)
{
    (void)state;
    bench b;
    unsigned cycles;
    wr_bench_init(&self, &b, 1, &registers);
    for (unsigned tb = 0; tb < 4; tb++) {
        offer(&b, (wr_alloc_table_in){
                      .op = WR_ORACLE_OP_ALLOC, .kernel = K1, .tb = (uint16_t)tb, .size = 100});
        assert_int_equal(reply(&b, &cycles).rsp_start, 100 * tb);
        assert_int_equal(cycles, 1 + tb + 1);
    }
    offer(&b, (wr_alloc_table_in){.op = WR_ORACLE_OP_LOOKUP, .kernel = K1, .tb = 3});
    assert_true(reply(&b, &cycles).rsp_ok);
    assert_int_equal(cycles, 1);
    offer(&b, (wr_alloc_table_in){.op = WR_ORACLE_OP_FREE, .kernel = K1, .tb = 1});
    assert_int_equal(reply(&b, &cycles).rsp_start, 100);
    assert_int_equal(cycles, 1);
    alloc(&b, K2, 0, 100, 100); /* first fit: the hole */
    offer(&b, (wr_alloc_table_in){.op = WR_ORACLE_OP_FREE, .kernel = K1, .tb = 1});
    assert_false(reply(&b, &cycles).rsp_ok);
    assert_int_equal(cycles, 1);
    assert_true(b.oracle.fault);
}

static void random_operation(bench *b, bool with_faults, wr_alloc_table_in *in)
{
    wr_rig *r = &b->rig;
    unsigned units = b->cfg.units;
    unsigned most = wr_rig_chance(r, 50) ? units / 4 + 1 : units;
    *in = (wr_alloc_table_in){.valid = true, .op = (uint8_t)wr_rig_below(r, 4)};
    if (wr_oracle_alloc_used(&b->oracle) < b->cfg.entries / 2 && wr_rig_chance(r, 60)) {
        in->op = WR_ORACLE_OP_ALLOC;
    }
    in->kernel = (uint8_t)wr_rig_below(r, 8);
    in->old = (uint8_t)wr_rig_below(r, 8);
    in->tb = (uint16_t)(wr_rig_chance(r, 5) ? wr_rig_random(r) : wr_rig_below(r, 6));
    in->size = (uint16_t)(1 + wr_rig_below(r, most));
    in->count = (uint8_t)(1 + wr_rig_below(r, wr_rig_chance(r, 60) ? 4 : b->cfg.entries));
    in->count = in->count > b->cfg.entries ? (uint8_t)b->cfg.entries : in->count;
    unsigned pick = wr_rig_below(r, b->cfg.entries);
    const wr_oracle_run *e = &b->oracle.entry[pick];
    if (e->size != 0 && wr_rig_chance(r, 60)) { /* somebody who is there */
        in->old = (uint8_t)e->kernel;
        if (in->op <= WR_ORACLE_OP_FREE) {
            in->kernel = (uint8_t)e->kernel;
            in->tb = (uint16_t)e->tb;
        }
    }
    if (with_faults && wr_rig_chance(r, 10)) {
        in->size = (uint16_t)(wr_rig_chance(r, 50) ? 0 : wr_rig_below(r, 2048));
    }
    if (with_faults && wr_rig_chance(r, 10)) {
        in->count = (uint8_t)wr_rig_below(r, 64);
    }
}

/* Whether the protocol allows it: asked of a copy of the oracle. */
static bool is_legal(const bench *b, const wr_alloc_table_in *in)
{
    wr_oracle_alloc copy = b->oracle;
    const wr_oracle_alloc_op op = {.op = in->op,
                                   .kernel = in->kernel,
                                   .tb = in->tb,
                                   .size = in->size,
                                   .count = in->count,
                                   .old = in->old};
    wr_oracle_alloc_clock(&copy, &op, true);
    return copy.fault == b->oracle.fault;
}

static void traffic(void *bench_v, unsigned operations, bool with_faults)
{
    bench *b = bench_v;
    uint64_t until = b->operations + operations;
    wr_alloc_table_in in = {0};
    unsigned op = 0;
    while (b->operations < until) {
        if (wr_oracle_alloc_idle(&b->oracle)) {
            do {
                random_operation(b, with_faults, &in);
            } while (!with_faults && !is_legal(b, &in));
        }
        in.valid = wr_rig_offers(&b->rig);
        in.rsp_ready = wr_rig_takes(&b->rig);
        wr_alloc_table_out out = cycle(b, &in);
        if (out.ready && in.valid) {
            op = in.op;
        }
        if (out.rsp_valid && in.rsp_ready) {
            b->left += out.rsp_kind == WR_ORACLE_REPLY_LEAVE;
            if (out.rsp_kind == WR_ORACLE_REPLY_DONE) {
                b->operations++;
                ++*(out.rsp_ok ? &b->good[op] : &b->bad[op]);
            }
        }
        if (b->oracle.fault && wr_rig_chance(&b->rig, 1)) {
            wr_bench_reset(&self, b);
        }
    }
}

static const wr_alloc_table_cfg configs[] = {
    {.entries = 4, .units = 16, .kernel_bits = 2, .tb_bits = 5},
    {.entries = 16, .units = 1024, .kernel_bits = 3, .tb_bits = 16},
    {.entries = 11, .units = 300, .kernel_bits = 3, .tb_bits = 9},
    {.entries = 16, .units = 384, .kernel_bits = 3, .tb_bits = 16},
    {.entries = 2, .units = 2, .kernel_bits = 1, .tb_bits = 5},
    {.entries = 32, .units = 33, .kernel_bits = 3, .tb_bits = 6},
    {.entries = 32, .units = 1000, .kernel_bits = 1, .tb_bits = 5},
    {.entries = 3, .units = 1023, .kernel_bits = 2, .tb_bits = 7},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned op = 0; op < 4; op++) { /* each came to both ends */
        assert_true(b->good[op] > 0);
        assert_true(b->bad[op] > 0);
    }
    assert_true(b->left > 0);
}

static const wr_bench self = {
    .block = &wr_alloc_table_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, operations)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 1000, .faulty = 600},
    .snapshot = {.before = 20, .after = 20},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_fig4_registers),
        cmocka_unit_test(test_fig4_shared_memory),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_latency),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
