/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of instructions by class, and of branches that stay together (Gong 4.4.3). */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"

static kit_kernel kk;
static const char *const counters[WR_INSN_CLASSES] = {
    "sm.insns.integer",    "sm.insns.float",     "sm.insns.control", "sm.insns.memory",
    "sm.insns.conversion", "sm.insns.predicate", "sm.insns.other"};

static wr_gpu *ran(uint32_t threads)
{
    wr_gpu_config cfg = kit_config();
    wr_gpu *gpu = wr_gpu_create(&cfg);
    assert_non_null(gpu);
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, threads, NULL);
    kit_run(gpu, &l);
    return gpu;
}

static wr_insn converting(wr_op op, wr_type type, wr_type type2)
{
    wr_insn i = kit_op(op, type, 2, 0, op == WR_OP_SET ? 0 : RZ, RZ);
    i.type2 = (uint8_t)type2;
    return i;
}

static void test_classes(void **state)
{
    (void)state;
    wr_insn predicates = kit_op(WR_OP_AND, WR_PRED, RZ, RZ, RZ, RZ);
    predicates.pd = 1;
    const struct {
        wr_insn insn;
        wr_insn_class cls;
    } rows[] = {
        {kit_op(WR_OP_ADD, WR_U32, 2, 0, 0, RZ), WR_INSN_INTEGER},
        {kit_op(WR_OP_MOV, WR_B32, 2, 0, RZ, RZ), WR_INSN_INTEGER},
        {kit_op(WR_OP_SHL, WR_B32, 2, 0, 0, RZ), WR_INSN_INTEGER},
        {kit_setp(WR_CMP_LT, WR_S32, 0, 2, 3), WR_INSN_INTEGER},
        {kit_op(WR_OP_SHFL, WR_B32, 2, 0, RZ, RZ), WR_INSN_INTEGER},
        {kit_op(WR_OP_ADD, WR_F32, 2, 0, 0, RZ), WR_INSN_FLOAT},
        {kit_op(WR_OP_FMA, WR_F64, 2, 0, 0, 0), WR_INSN_FLOAT},
        {kit_op(WR_OP_ADD, WR_F16X2, 2, 0, 0, RZ), WR_INSN_FLOAT},
        {kit_op(WR_OP_RCP, WR_F32, 2, 0, RZ, RZ), WR_INSN_FLOAT},
        {kit_setp(WR_CMP_LT, WR_F32, 0, 2, 3), WR_INSN_FLOAT},
        {converting(WR_OP_SET, WR_U32, WR_F32), WR_INSN_FLOAT},
        {converting(WR_OP_SET, WR_F32, WR_S32), WR_INSN_INTEGER},
        {converting(WR_OP_CVT, WR_F32, WR_S32), WR_INSN_CONVERSION},
        {predicates, WR_INSN_PREDICATE},
        {kit_mem(WR_OP_LD, WR_U32, WR_SPACE_SHARED, 1, 2, RZ, 0), WR_INSN_MEMORY},
        {kit_mem(WR_OP_ST, WR_U32, WR_SPACE_SHARED, 1, 2, RZ, 0), WR_INSN_MEMORY},
        {kit_s2r(2, WR_SREG_TID_X), WR_INSN_OTHER},
        {kit_plain(WR_OP_BAR_PP), WR_INSN_OTHER},
        {kit_plain(WR_OP_MEMBAR), WR_INSN_OTHER},
        {kit_plain(WR_OP_PP), WR_INSN_OTHER},
        {kit_bra(1, SIZE_MAX), WR_INSN_CONTROL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kit_begin(&kk, "one", 8);
        kk.k.shared_bytes = 128;
        kit_add(&kk, rows[i].insn);
        wr_gpu *gpu = ran(32);
        for (unsigned c = 0; c < WR_INSN_CLASSES; c++) {
            uint64_t exits = c == WR_INSN_CONTROL ? 1 : 0;
            uint64_t want = exits + (c == rows[i].cls ? 1 : 0);
            if (kit_stat(gpu, counters[c]) != want) {
                fail_msg("row %zu: %s is %llu", i, counters[c],
                         (unsigned long long)kit_stat(gpu, counters[c]));
            }
        }
        assert_int_equal(kit_stat(gpu, "sm.issued"), 2);
        wr_gpu_free(gpu);
    }
}

typedef struct shares {
    double uniform, lanes, active;
} shares;

static void take_shares(void *arg, const char *name, double value, const char *unit,
                        const char *doc)
{
    shares *s = arg;
    (void)unit;
    (void)doc;
    if (strcmp(name, "sm.uniform") == 0) {
        s->uniform = value;
    } else if (strcmp(name, "sm.lanes") == 0) {
        s->lanes = value;
    } else if (strcmp(name, "sm.active") == 0) {
        s->active = value;
    }
}

static bool near(double value, double want)
{
    return value > want - 1e-6 && value < want + 1e-6;
}

/* Four warps of which one splits, each behind a branch at which none does. Threads below 40 jump
 * over an instruction: all of the first warp, 8 of the second. */
static void test_branches(void **state)
{
    (void)state;
    shares s = {0};
    kit_begin(&kk, "split", 8);
    kit_add(&kk, kit_s2r(2, WR_SREG_TID_X));
    kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, RZ, RZ, RZ), 1, 40));
    kit_add(&kk, kit_setp(WR_CMP_LT, WR_U32, 0, 2, 3));
    kit_add(&kk, kit_bra(4, 4));
    size_t bra = kit_add(&kk, kit_guard(kit_bra(0, 0), 0, false));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 4, 2, 2, RZ));
    size_t meet = kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 4, 2, 2, RZ));
    kk.source[bra].target = (uint32_t)meet;
    kk.source[bra].reconv = (uint32_t)meet;
    wr_gpu *gpu = ran(128);
    assert_int_equal(kit_stat(gpu, "sm.branches"), 8);
    assert_int_equal(kit_stat(gpu, "sm.divergent"), 1);
    wr_gpu_derived(gpu, take_shares, &s);
    assert_int_equal(kit_stat(gpu, "sm.issued"), 31);
    assert_int_equal(kit_stat(gpu, "sm.guarded_lanes"), 24 + 32 + 32); /* they do not jump */
    double active = 30 * 32 + 24;
    assert_true(near(s.uniform, 87.5));
    assert_true(near(s.active, 100 * active / (32 * 31)));
    assert_true(near(s.lanes, 100 * (active - 88) / (32 * 31)));
    wr_gpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
