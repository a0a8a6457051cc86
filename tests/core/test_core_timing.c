/* SPDX-License-Identifier: Apache-2.0 */
/* Timing of hand-written kernels against what the configuration says. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kit_kernel kk;

/* Cycles of one warp (or `block` threads) that runs `kk` on one SM; its code is cached. */
static uint64_t run_one(const wr_gpu_config *cfg, uint32_t block)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    wr_launch l = kit_launch(&kk, 1, block, NULL);
    kit_run(gpu, &l);
    uint64_t cycles = kit_run(gpu, &l);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

/* n instructions, each reading the one before (dependent) or not. */
static uint64_t chain(wr_op op, wr_type type, unsigned n, bool dependent, uint32_t block)
{
    wr_gpu_config cfg = kit_config();
    kit_begin(&kk, "chain", 20);
    for (unsigned i = 0; i < n; i++) {
        unsigned dst = dependent ? 2 : 2 + 2 * (i % 8);
        unsigned c = op == WR_OP_MAD || op == WR_OP_FMA ? 0 : RZ;
        kit_add(&kk, kit_op(op, type, dst, dependent ? 2 : 0, 0, c));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    return run_one(&cfg, block);
}

static void test_dependent_chain_costs_latency(void **state)
{
    (void)state;
    const struct {
        wr_op op;
        wr_type type;
        uint64_t latency, operands; /* of execution; registers read, one a cycle */
    } rows[] = {
        {WR_OP_ADD, WR_U32, 4, 2},   {WR_OP_MAD, WR_U32, 5, 2}, {WR_OP_MIN, WR_S32, 13, 2},
        {WR_OP_DIV, WR_U32, 145, 2}, {WR_OP_ADD, WR_F32, 4, 2}, {WR_OP_FMA, WR_F32, 5, 2},
        {WR_OP_DIV, WR_F32, 39, 2},  {WR_OP_ADD, WR_F64, 8, 4}, {WR_OP_DIV, WR_F64, 330, 4},
    };
    const wr_sm_config sm = kit_config().sm;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t ten = chain(rows[i].op, rows[i].type, 10, true, 32);
        uint64_t thirty = chain(rows[i].op, rows[i].type, 30, true, 32);
        uint64_t path = sm.read_latency + rows[i].operands + sm.dispatch_latency + sm.write_latency;
        assert_int_equal(thirty - ten, 20 * (path + rows[i].latency));
    }
}

static void test_independent_instructions_cost_interval(void **state)
{
    (void)state;
    /* one warp issues the two instructions of a fetch, then waits for the next */
    uint64_t two = 2 + kit_config().sm.fetch_latency;
    assert_int_equal(chain(WR_OP_ADD, WR_U32, 48, false, 32) -
                         chain(WR_OP_ADD, WR_U32, 16, false, 32),
                     32 / 2 * two);
    assert_int_equal(chain(WR_OP_MUL, WR_U32, 48, false, 32) -
                         chain(WR_OP_MUL, WR_U32, 16, false, 32),
                     32 / 2 * two);
    /* one fp64 unit of interval 8, eight destinations deep */
    assert_int_equal(
        chain(WR_OP_ADD, WR_F64, 40, false, 32) - chain(WR_OP_ADD, WR_F64, 16, false, 32), 24 * 8);
}

static void test_throughput_is_bound_by_units(void **state)
{
    (void)state;
    /* 16 warps, two schedulers, two SP units: 16 x 32 instructions in 256 cycles; mul halves */
    uint64_t adds =
        chain(WR_OP_ADD, WR_U32, 64, false, 512) - chain(WR_OP_ADD, WR_U32, 32, false, 512);
    uint64_t muls =
        chain(WR_OP_MUL, WR_U32, 64, false, 512) - chain(WR_OP_MUL, WR_U32, 32, false, 512);
    assert_in_range(adds, 256 - 4, 256 + 4);
    assert_in_range(muls, 512 - 4, 512 + 4);
}

/* Loads of shared memory at lane * stride words, `n` of them, independent. */
static uint64_t shared_stride(uint32_t stride_bytes, unsigned n, wr_op op)
{
    wr_gpu_config cfg = kit_config();
    kit_begin(&kk, "banks", 24);
    kk.k.shared_bytes = 4096;
    kit_add(&kk, kit_s2r(0, WR_SREG_LANEID));
    kit_add(&kk, kit_imm(kit_op(WR_OP_MUL, WR_U32, 1, 0, RZ, RZ), 1, stride_bytes));
    for (unsigned i = 0; i < n; i++) {
        kit_add(&kk, kit_mem(op, WR_U32, WR_SPACE_SHARED, 1, 2 + i % 16, 1, 0));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    return run_one(&cfg, 32);
}

static void test_bank_conflicts(void **state)
{
    (void)state;
    /* stride in bytes, ways: 0 is a broadcast */
    const uint32_t rows[][2] = {{0, 1},  {4, 1},   {8, 2},    {16, 4},
                                {32, 8}, {64, 16}, {128, 32}, {12, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t cycles =
            shared_stride(rows[i][0], 64, WR_OP_LD) - shared_stride(rows[i][0], 32, WR_OP_LD);
        /* 32 more loads to 16 registers: the pipeline is full unless the latency bounds */
        uint64_t bandwidth = 32 * (uint64_t)rows[i][1];
        uint64_t latency = 2 * (25 + 16 * (uint64_t)rows[i][1]);
        assert_in_range(cycles, bandwidth, bandwidth > latency ? bandwidth + 2 : latency + 4);
    }
    /* atomics on one word do not share it */
    uint64_t atomics = shared_stride(0, 40, WR_OP_ATOM) - shared_stride(0, 24, WR_OP_ATOM);
    assert_in_range(atomics, 16 * 32, 16 * 32 + 2);
}

/* One load or store by a full warp at base + lane * stride. */
static void coalesce(uint32_t stride, wr_type type, unsigned vec, uint64_t offset, uint64_t lines)
{
    wr_gpu_config cfg = kit_config();
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, 65536, 256);
    uint32_t params[1] = {(uint32_t)(base + offset)};
    kit_begin(&kk, "coalesce", 12);
    kk.k.param_bytes = sizeof params;
    kit_add(&kk, kit_s2r(0, WR_SREG_LANEID));
    kit_add(&kk, kit_imm(kit_op(WR_OP_MUL, WR_U32, 1, 0, RZ, RZ), 1, stride));
    kit_add(&kk, kit_param(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, 0));
    kit_add(&kk, kit_mem(WR_OP_LD, type, WR_SPACE_GLOBAL, vec, 4, 1, 0));
    kit_add(&kk, kit_mem(WR_OP_ST, type, WR_SPACE_GLOBAL, vec, 4, 1, 0));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, 32, (const uint8_t *)params);
    kit_run(gpu, &l);
    assert_int_equal(kit_stat(gpu, "lsu.lines"), 2 * lines);
    assert_int_equal(kit_stat(gpu, "noc.requests"), 2 * lines + kit_stat(gpu, "fetch.misses"));
    assert_int_equal(kit_stat(gpu, "l1.misses"), lines);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
}

static void test_coalescing(void **state)
{
    (void)state;
    coalesce(0, WR_U32, 1, 0, 1);
    coalesce(4, WR_U32, 1, 0, 1);
    coalesce(4, WR_U32, 1, 64, 2);
    coalesce(1, WR_U8, 1, 0, 1);
    coalesce(8, WR_U64, 1, 0, 2);
    coalesce(16, WR_U32, 4, 0, 4);
    coalesce(128, WR_U32, 1, 0, 32);
    coalesce(132, WR_U32, 1, 0, 32);
}

/* A pointer chase of one thread: each load gives the next address. */
static uint64_t chase(const uint32_t *next, uint32_t hops, bool twice)
{
    wr_gpu_config cfg = kit_config();
    cfg.l1.index = WR_SET_LINEAR;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, 1 << 20, 256);
    for (uint32_t i = 0; i < hops; i++) {
        uint32_t to = (uint32_t)base + next[i + 1];
        assert_true(wr_gpu_write(gpu, base + next[i], &to, 4));
    }
    kit_begin(&kk, "chase", 4);
    kit_add(&kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 0, RZ, RZ, RZ), 0, (uint32_t)base));
    for (uint32_t i = 0; i < hops; i++) {
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 0, 0, 0));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, 1, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    if (twice) { /* caches are warm now */
        cycles = kit_run(gpu, &l);
    }
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

static void test_load_latencies_are_the_configured_sums(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    uint32_t near[41] = {0};
    uint32_t apart[41];
    uint32_t l1_set[41];
    for (uint32_t i = 0; i < 41; i++) {
        apart[i] = i * 12 * 256; /* one bank, one line each: never in the L1 before */
        l1_set[i] = i * 4096;    /* one L1 set, so that a second pass misses L1 and hits L2 */
    }
    uint64_t hit = chase(near, 40, true) - chase(near, 20, true);
    /* collector and one operand, the L1's pipeline, the register's write */
    uint64_t l1 = cfg.sm.read_latency + 1 + cfg.sm.dispatch_latency + cfg.l1.hit_latency +
                  cfg.sm.write_latency;
    assert_int_equal(hit, 20 * l1);
    /* Each network: a cycle in front of the switch, and its latency. Then one cycle to the L2,
     * 128 B at its data port, 5 flits of reply. */
    uint64_t port = 128 / cfg.l2.bytes_per_cycle;
    uint64_t l2 = l1 + 2 * (1 + cfg.noc.latency) + 1 + cfg.l2.latency + port + 4;
    uint64_t warm = chase(l1_set, 40, true) - chase(l1_set, 20, true);
    assert_int_equal(warm, 20 * l2);
    /* Two bursts of a row that is open, or that must be opened after another is closed; up to a
     * cycle to the other clock and back each. The L2's data port is not waited for. */
    const wr_gddr5_timing *t = &cfg.dram.timing;
    uint64_t open = (t->cl + t->ccdl + cfg.dram.burst_clocks) * UINT64_C(700) / 924;
    uint64_t closed = (t->rp + t->rcd) * UINT64_C(700) / 924;
    uint64_t cold = chase(apart, 40, false) - chase(apart, 20, false);
    uint64_t before = l2 - port + cfg.dram.latency;
    assert_in_range(cold, 20 * (before + open), 20 * (before + open + closed + 3));
}

/* Cycles in which all SMs together read so many bytes once, 16 B a thread. */
static uint64_t stream(uint64_t bytes)
{
    wr_gpu_config cfg = kit_config();
    cfg.dram.queue = 64; /* so that DRAM alone bounds it */
    cfg.l2.mshrs = 256;
    cfg.l2.miss_queue = 32;
    cfg.l2.queue = 64;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, bytes, 256);
    uint32_t params[1] = {(uint32_t)base};
    kit_begin(&kk, "stream", 16);
    kk.k.param_bytes = sizeof params;
    kit_add(&kk, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(&kk, kit_s2r(1, WR_SREG_TID_X));
    kit_add(&kk, kit_imm(kit_op(WR_OP_MAD, WR_U32, 0, 0, RZ, 1), 1, 256));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 0, 0, RZ, RZ), 1, 4));
    kit_add(&kk, kit_param(kit_op(WR_OP_ADD, WR_U32, 0, 0, RZ, RZ), 1, 0));
    wr_insn load = kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 4, 4, 0, 0);
    load.is_volatile = true; /* past the L1, whose 32 MSHRs would bound the bandwidth */
    kit_add(&kk, load);
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, (uint32_t)(bytes / 16 / 256), 256, (const uint8_t *)params);
    uint64_t cycles = kit_run(gpu, &l);
    /* and the line or two of machine code */
    assert_in_range(kit_stat(gpu, "dram.read_bytes"), bytes, bytes + 256);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

/* Once the start is over, DRAM's peak bandwidth is reached but for refreshes and for rows. */
static void test_stream_reaches_dram_bandwidth(void **state)
{
    (void)state;
    const wr_gddr5_timing t = kit_config().dram.timing;
    uint64_t bytes = UINT64_C(15) * 6 * 256 * 16 * 8;
    uint64_t cycles = stream(3 * bytes) - stream(bytes);
    uint64_t peak = 2 * bytes * 700 / 177408; /* cycles at peak bandwidth */
    uint64_t refreshed = peak + peak * t.rfc / t.refi;
    assert_in_range(cycles, peak, refreshed + refreshed * 3 / 100);
}

static void test_branch_refill(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned refill = 0; refill < 2; refill++) {
        wr_gpu_config cfg = kit_config();
        cfg.sm.fetch_latency = 2 + 10 * refill;
        kit_begin(&kk, "jumps", 1);
        for (unsigned i = 0; i < 7; i++) {
            kit_add(&kk, kit_bra(2 * i + 2, SIZE_MAX));
            kit_add(&kk, kit_plain(WR_OP_NOP));
        }
        kit_add(&kk, kit_plain(WR_OP_EXIT));
        kit_build(&kk);
        cycles[refill] = run_one(&cfg, 32);
    }
    assert_int_equal(cycles[1] - cycles[0], 80); /* the first fetch, and one behind each jump */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_chain_costs_latency),
        cmocka_unit_test(test_independent_instructions_cost_interval),
        cmocka_unit_test(test_throughput_is_bound_by_units),
        cmocka_unit_test(test_bank_conflicts),
        cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_load_latencies_are_the_configured_sums),
        cmocka_unit_test(test_stream_reaches_dram_bandwidth),
        cmocka_unit_test(test_branch_refill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
