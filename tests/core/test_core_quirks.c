/* SPDX-License-Identifier: Apache-2.0 */
/* Switches by which the machine takes over what another simulator does otherwise than hardware
 * (docs/accuracy.md), against hand-computed cycles. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static kit_kernel kk;

/* The second of two runs of `kk`, so that its code is cached; `name`: the counter to return,
 * of both runs, or NULL for the cycles. */
static uint64_t run(const wr_gpu_config *cfg, uint32_t grid, uint32_t block, const char *name)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    uint64_t base = wr_gpu_alloc(gpu, 1 << 20, 256);
    assert_int_not_equal(base, 0);
    wr_launch l = kit_launch(&kk, grid, block, &base);
    kit_run(gpu, &l);
    uint64_t result = kit_run(gpu, &l);
    result = name != NULL ? kit_stat(gpu, name) : result;
    wr_gpu_free(gpu);
    return result;
}

/* n dependent instructions of one warp. */
static uint64_t chain(const wr_gpu_config *cfg, wr_op op, wr_type type, unsigned n)
{
    kit_begin(&kk, "chain", 20);
    for (unsigned i = 0; i < n; i++) {
        kit_add(&kk, kit_op(op, type, 2, 2, 2, RZ));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    return run(cfg, 1, 32, NULL);
}

static uint64_t step(const wr_gpu_config *cfg, wr_op op, wr_type type)
{
    uint64_t cycles = chain(cfg, op, type, 30) - chain(cfg, op, type, 10);
    assert_int_equal(cycles % 20, 0);
    return cycles / 20;
}

static void test_flat_latencies(void **state)
{
    (void)state;
    const wr_gpu_config plain = kit_config();
    wr_gpu_config flat = plain;
    flat.timing.other_latency = 1;
    flat.timing.rem_latency = 2;
    assert_int_equal(step(&plain, WR_OP_XOR, WR_B32) - step(&flat, WR_OP_XOR, WR_B32),
                     plain.timing.integer.add.latency - 1);
    assert_int_equal(step(&plain, WR_OP_REM, WR_U32) - step(&flat, WR_OP_REM, WR_U32),
                     plain.timing.integer.div.latency - 2);
    /* what has a row keeps it */
    assert_int_equal(step(&plain, WR_OP_ADD, WR_U32), step(&flat, WR_OP_ADD, WR_U32));
    assert_int_equal(step(&plain, WR_OP_MIN, WR_U32), step(&flat, WR_OP_MIN, WR_U32));
    assert_int_equal(step(&plain, WR_OP_DIV, WR_U32), step(&flat, WR_OP_DIV, WR_U32));
    assert_int_equal(step(&plain, WR_OP_ADD, WR_F64), step(&flat, WR_OP_ADD, WR_F64));
}

/* Every lane on the word at 0, 32 times. */
static void test_shared_atomics_merge(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    kit_begin(&kk, "merge", 20);
    kk.k.shared_bytes = 128;
    for (unsigned i = 0; i < 32; i++) {
        wr_insn insn = kit_mem(WR_OP_ATOM, WR_U32, WR_SPACE_SHARED, 1, 2, RZ, 0);
        insn.mode = WR_ATOM_ADD;
        insn.src[1] = 4;
        kit_add(&kk, insn);
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    assert_int_equal(run(&cfg, 1, 32, "shared.cycles"), UINT64_C(2) * 32 * 32);
    cfg.sm.shared_atomics_merge = 1;
    assert_int_equal(run(&cfg, 1, 32, "shared.cycles"), UINT64_C(2) * 32);
}

/* TBs that end with a store, in an SM that holds one of them at a time. */
static void test_exit_waits_for_stores(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    cfg.sms = 1;
    cfg.sm.max_tbs = 1;
    kit_begin(&kk, "leave", 20);
    kk.k.param_bytes = sizeof(uint64_t);
    kit_add(&kk, kit_param(kit_op(WR_OP_ADD, WR_U32, 2, RZ, RZ, RZ), 1, 0));
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 4, 2, 0));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    uint64_t path = (run(&cfg, 41, 32, NULL) - run(&cfg, 1, 32, NULL)) / 40;
    cfg.sm.exit_waits_stores = 1;
    uint64_t whole = (run(&cfg, 41, 32, NULL) - run(&cfg, 1, 32, NULL)) / 40;
    /* there and back: the L1's pipeline, both networks, the L2 bank */
    uint64_t round = cfg.l1.hit_latency + 2 * cfg.noc.latency + cfg.l2.latency;
    assert_in_range(whole - path, round, round + 20);
}

/* A store to local memory behind a load of the same line. */
static void test_local_store_stays(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    kit_begin(&kk, "local", 20);
    kk.k.local_bytes = 16;
    for (unsigned i = 0; i < 8; i++) {
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_LOCAL, 1, 2, RZ, 0));
        kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_LOCAL, 1, 2, RZ, 0));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    cfg.l1.write = WR_L1_THROUGH;
    assert_int_equal(run(&cfg, 1, 32, "l1.misses"), 2 * 8);
    cfg.l1.write = WR_L1_LOCAL_BACK;
    uint64_t misses = run(&cfg, 1, 32, "l1.misses");
    assert_in_range(misses, 1, 2); /* the second run may find it */
    assert_int_equal(run(&cfg, 1, 32, "l1.hits"), 2 * 8 - misses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_latencies),
        cmocka_unit_test(test_shared_atomics_merge),
        cmocka_unit_test(test_exit_waits_for_stores),
        cmocka_unit_test(test_local_store_stays),
    };
    return cmocka_run_group_tests_name("core_quirks", tests, NULL, NULL);
}
