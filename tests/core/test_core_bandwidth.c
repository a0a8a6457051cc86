/* SPDX-License-Identifier: Apache-2.0 */
/* Microbenchmarks of the whole machine: rates that follow from the configuration. Each is the
 * difference of a long and a short run, so that start and end drop out. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static kit_kernel kk;

/* Begins a kernel whose r0 is the buffer plus lane * stride. */
static void begin(const char *name, uint32_t stride)
{
    kit_begin(&kk, name, 24);
    kk.k.param_bytes = 4;
    kit_add(&kk, kit_s2r(0, WR_SREG_LANEID));
    kit_add(&kk, kit_imm(kit_op(WR_OP_MUL, WR_U32, 0, 0, RZ, RZ), 1, stride));
    kit_add(&kk, kit_param(kit_op(WR_OP_ADD, WR_U32, 0, 0, RZ, RZ), 1, 0));
}

/* Cycles of the second of two runs: caches are warm. */
static uint64_t run(const wr_gpu_config *cfg, uint32_t tbs, uint32_t threads)
{
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    uint32_t params[1] = {(uint32_t)wr_gpu_alloc(gpu, 65536, 4096)};
    wr_launch l = kit_launch(&kk, tbs, threads, params);
    kit_run(gpu, &l);
    uint64_t cycles = kit_run(gpu, &l);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

/* n loads a warp, 16 warps, of `lines` lines each that are in the L1. */
static uint64_t l1_loads(const wr_gpu_config *cfg, unsigned n, uint32_t lines)
{
    begin("l1", 4 * lines);
    for (unsigned i = 0; i < n; i++) {
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 2 + i % 20, 0, 0));
    }
    return run(cfg, 1, 512);
}

/* The L1 gives a line a cycle. */
static void test_l1_gives_a_line_a_cycle(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    for (uint32_t lines = 1; lines <= 8; lines *= 2) {
        uint64_t cycles = l1_loads(&cfg, 96, lines) - l1_loads(&cfg, 32, lines);
        uint64_t bound = UINT64_C(16) * 64 * lines;
        assert_in_range(cycles, bound - bound / 100, bound + bound * 3 / 100);
    }
}

static uint64_t atomics(const wr_gpu_config *cfg, unsigned n, uint32_t stride)
{
    begin("atomics", stride);
    kit_add(&kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 1, RZ, RZ, RZ), 0, 1));
    for (unsigned i = 0; i < n; i++) {
        wr_insn a = kit_mem(WR_OP_ATOM, WR_U32, WR_SPACE_GLOBAL, 1, 2 + i % 20, 0, 0);
        a.src[1] = 1;
        kit_add(&kk, a);
    }
    return run(cfg, cfg->sms, 256);
}

/* Atomics on one word: the L2 does one a cycle. On the words of a line: the line's bytes at its
 * bank's data port, or its packet on the bank's link. */
static void test_atomics_go_at_the_rate_of_an_l2_bank(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    uint64_t warps = UINT64_C(8) * cfg.sms;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t cycles = atomics(&cfg, 24, i * 4) - atomics(&cfg, 8, i * 4);
        uint64_t port = 128 / cfg.l2.bytes_per_cycle;
        uint64_t flits = (128 + cfg.noc.header_bytes + cfg.noc.flit_bytes - 1) / cfg.noc.flit_bytes;
        uint64_t each = i == 0 ? 32 : flits > port ? flits : port;
        uint64_t bound = warps * 16 * each;
        assert_in_range(cycles, bound - bound / 100, bound + bound * 3 / 100);
    }
}

static uint64_t barriers(const wr_gpu_config *cfg, unsigned n, uint32_t warps)
{
    begin("barriers", 0);
    for (unsigned i = 0; i < n; i++) {
        kit_add(&kk, kit_plain(WR_OP_BAR));
    }
    return run(cfg, 1, warps * 32);
}

/* Two barriers, which one fetch brings: the first is issued by all warps from their buffers, one
 * a scheduler and cycle, the second as the fetches come, one a cycle. */
static void test_a_barrier_costs_fetch_and_issue(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    for (uint32_t warps = 1; warps <= 32; warps *= 2) {
        uint64_t cycles = barriers(&cfg, 150, warps) - barriers(&cfg, 50, warps);
        uint64_t issue = (warps + cfg.sm.schedulers - 1) / cfg.sm.schedulers;
        assert_int_equal(cycles, 50 * (issue + warps + cfg.sm.fetch_latency));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l1_gives_a_line_a_cycle),
        cmocka_unit_test(test_atomics_go_at_the_rate_of_an_l2_bank),
        cmocka_unit_test(test_a_barrier_costs_fetch_and_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
