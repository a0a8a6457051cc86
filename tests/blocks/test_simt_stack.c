/* SPDX-License-Identifier: Apache-2.0 */
/* simt_stack: the model against the oracle, every output in every cycle, and how paths split and
 * meet again (Gong 5.3.3) as exact values.
 */
#include "dpi/gen/simt_stack_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/simt_stack_oracle.h"

enum { IDLE, CLEAR, LOAD, STEP, BRANCH };

typedef struct bench {
    wr_rig rig;
    wr_simt_stack_cfg cfg;
    wr_simt_stack dut;
    wr_oracle_simt oracle;
    uint64_t ops;
    uint64_t full; /* cycles with a full stack */
    uint64_t overflows;
    uint64_t faults;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_simt_reset(&b->oracle, b->cfg.entries, b->cfg.lanes);
}

static const wr_simt_stack_cfg configs[] = {
    {.entries = 3, .lanes = 4},  {.entries = 8, .lanes = 64},  {.entries = 7, .lanes = 33},
    {.entries = 16, .lanes = 2}, {.entries = 11, .lanes = 63}, {.entries = 4, .lanes = 32},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

/* Settles and checks all outputs, then clocks both sides. */
static wr_simt_stack_out cycle(bench *b, const wr_simt_stack_in *in)
{
    const wr_oracle_path want = wr_oracle_simt_top(&b->oracle);
    wr_simt_stack_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "depth", out.depth, b->oracle.depth);
    wr_rig_check(&b->rig, "pc", out.pc, want.pc);
    wr_rig_check(&b->rig, "rpc", out.rpc, want.rpc);
    wr_rig_check(&b->rig, "mask", out.mask, want.mask);
    wr_rig_check(&b->rig, "overflow", out.overflow, b->oracle.overflow);
    wr_rig_check(&b->rig, "fault", out.fault, b->oracle.fault);
    b->ops += in->op != IDLE;
    b->full += out.depth == b->cfg.entries;
    b->overflows += out.overflow;
    b->faults += out.fault;

    const wr_oracle_simt_in same = {in->op, in->pc, in->alt_pc, in->rpc, in->mask};
    wr_oracle_simt_step(&b->oracle, &same);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_simt_stack_out *)out = cycle(bench_v, in);
}

static void load(bench *b, uint32_t pc, uint32_t rpc, uint64_t mask)
{
    const wr_simt_stack_in in = {.op = LOAD, .pc = pc, .rpc = rpc, .mask = mask};
    cycle(b, &in);
}

static void step(bench *b, uint32_t pc)
{
    const wr_simt_stack_in in = {.op = STEP, .pc = pc};
    cycle(b, &in);
}

static void branch(bench *b, uint32_t pc, uint32_t alt_pc, uint32_t rpc, uint64_t mask)
{
    const wr_simt_stack_in in = {
        .op = BRANCH, .pc = pc, .alt_pc = alt_pc, .rpc = rpc, .mask = mask};
    cycle(b, &in);
}

static void check_top(bench *b, unsigned depth, uint32_t pc, uint32_t rpc, uint64_t mask)
{
    const wr_simt_stack_in idle = {0};
    const wr_simt_stack_out out = cycle(b, &idle);
    assert_int_equal(out.depth, depth);
    assert_int_equal(out.pc, pc);
    assert_int_equal(out.rpc, rpc);
    assert_true(out.mask == mask);
}

/* if (4 lanes) 20 .. 30 else 40 .. 50, meeting at 50. */
static void test_if_else(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    load(&b, 10, 0xffffffff, 0xff);
    check_top(&b, 1, 10, 0xffffffff, 0xff);
    branch(&b, 20, 40, 50, 0x0f);
    check_top(&b, 3, 20, 50, 0x0f);
    step(&b, 21);
    check_top(&b, 3, 21, 50, 0x0f);
    step(&b, 50);
    check_top(&b, 2, 40, 50, 0xf0);
    step(&b, 50);
    check_top(&b, 1, 50, 0xffffffff, 0xff);
    /* All lanes one way: no split, whichever way it is. */
    branch(&b, 60, 51, 70, 0xff);
    check_top(&b, 1, 60, 0xffffffff, 0xff);
    branch(&b, 70, 61, 70, 0xff00);
    check_top(&b, 1, 61, 0xffffffff, 0xff);
    /* if without else: the lanes that skip it wait at its end. */
    branch(&b, 80, 62, 80, 0x03);
    check_top(&b, 2, 62, 80, 0xfc);
}

/* do { } while: lanes leave the loop one by one, and the stack does not grow. */
static void test_loop(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    load(&b, 10, 0xffffffff, 0xff);
    uint64_t mask = 0xff;
    for (unsigned i = 0; i < 7; i++) {
        mask &= ~(UINT64_C(1) << i);
        branch(&b, 10, 20, 20, mask);
        check_top(&b, 2, 10, 20, mask);
        step(&b, 11);
    }
    branch(&b, 10, 20, 20, 0);
    check_top(&b, 1, 20, 0xffffffff, 0xff);
    const wr_simt_stack_in idle = {0};
    assert_false(cycle(&b, &idle).fault);
}

/* Gong 5.3.6: eight entries. A split that needs more changes nothing and stops hint mode. */
static void test_overflow(void **state)
{
    (void)state;
    const wr_simt_stack_in idle = {0};
    const wr_simt_stack_in clear = {.op = CLEAR};
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned i = 0; i < 7; i++) {
        load(&b, 10 + i, 100 + i, UINT64_MAX >> i);
    }
    branch(&b, 30, 40, 50, 0xff); /* would need nine */
    wr_simt_stack_out out = cycle(&b, &idle);
    assert_true(out.overflow);
    assert_int_equal(out.depth, 7);
    assert_int_equal(out.pc, 16);
    branch(&b, 30, 40, 106, 0xff); /* the path ends at rpc, and makes room for two */
    out = cycle(&b, &idle);
    assert_int_equal(out.depth, 8);
    assert_true(out.overflow);
    assert_false(out.fault);
    load(&b, 1, 2, 3);
    assert_true(cycle(&b, &idle).fault);
    cycle(&b, &clear);
    out = cycle(&b, &idle);
    assert_int_equal(out.depth, 0);
    assert_false(out.overflow);
    assert_true(out.fault);
}

/* Few PCs, so that paths end where others begin; at times none end on purpose and the stack fills.
 */
static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *r = &b->rig;
    unsigned pcs = 4;
    unsigned ends = 30; /* percent of PCs at which the running path ends */
    for (unsigned i = 0; i < cycles; i++) {
        if (wr_rig_below(r, 100) == 0) {
            pcs = 2 + wr_rig_below(r, 12);
            ends = 10 * wr_rig_below(r, 5);
        }
        const wr_oracle_path top = wr_oracle_simt_top(&b->oracle);
        const unsigned pick = wr_rig_below(r, 100);
        const bool empty = b->oracle.depth == 0;
        wr_simt_stack_in in = {0};
        in.op = pick < 10 ? IDLE : pick < 25 || empty ? LOAD : pick < 55 ? STEP : BRANCH;
        if (b->oracle.depth == b->cfg.entries && in.op == LOAD) {
            in.op = STEP;
        }
        if (wr_rig_below(r, 100) == 0) {
            in.op = CLEAR;
        }
        if (with_faults && wr_rig_below(r, 100) == 0) {
            in.op = (uint8_t)wr_rig_below(r, 8);
        }
        in.pc = wr_rig_chance(r, ends) ? top.rpc : wr_rig_below(r, pcs);
        in.alt_pc = wr_rig_chance(r, ends) ? top.rpc : wr_rig_below(r, pcs);
        in.rpc = wr_rig_chance(r, ends) ? top.rpc : wr_rig_below(r, pcs);
        in.mask = wr_rig_random(r);
        switch (wr_rig_below(r, 6)) {
        case 0:
            in.mask = UINT64_MAX;
            break;
        case 1:
            in.mask = 0;
            break;
        case 2:
            in.mask = UINT64_C(1) << wr_rig_below(r, 64);
            break;
        default:
            break;
        }
        if (wr_rig_chance(r, ends == 0 ? 50 : 5)) {
            in.pc = (uint32_t)wr_rig_random(r);
            in.alt_pc = (uint32_t)wr_rig_random(r);
            in.rpc = (uint32_t)wr_rig_random(r);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(r, 200) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->faults > 0 && b->overflows > 0 && b->full > 0);
}

static const wr_bench self = {
    .block = &wr_simt_stack_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, ops)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 10000, .faulty = 10000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_overflow),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
