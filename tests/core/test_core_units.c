/* SPDX-License-Identifier: Apache-2.0 */
/* Units that schedulers share: by even and by static partitioning (Gong 4.4.2), on k20x. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kit_kernel kk;

static wr_gpu_config even(void)
{
    return kit_named("k20x");
}

/* The same lanes, each unit whole for any scheduler. */
static wr_gpu_config whole(bool lowest_first)
{
    wr_gpu_config c = even();
    wr_unit_config *units[] = {&c.units.sp2, &c.units.imu, &c.units.dp, &c.units.sfu};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        units[i]->owner = WR_UNITS_SHARED;
        units[i]->lanes = WR_LANES;
    }
    c.sm.lowest_first = lowest_first;
    return c;
}

/* Adds to `stalls`, by scheduler, the slots lost to units; returns cycles of `n` independent
 * instructions in each warp, whose code is cached. */
static uint64_t run(const wr_gpu_config *cfg, wr_op op, wr_type type, unsigned n, uint32_t threads,
                    uint64_t stalls[WR_CONFIG_MAX_SCHEDULERS])
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    kit_begin(&kk, "units", 40);
    for (unsigned i = 0; i < n; i++) {
        kit_add(&kk, kit_op(op, type, 2 + 2 * (i % 16), 0, op == WR_OP_RCP ? RZ : 0, RZ));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, threads, NULL);
    kit_run(gpu, &l);
    uint64_t before[WR_CONFIG_MAX_SCHEDULERS];
    for (unsigned s = 0; s < WR_CONFIG_MAX_SCHEDULERS; s++) {
        before[s] = wr_gpu_sm(gpu, 0)->slots[s][WR_SLOT_UNIT];
    }
    uint64_t cycles = kit_run(gpu, &l);
    for (unsigned s = 0; stalls != NULL && s < WR_CONFIG_MAX_SCHEDULERS; s++) {
        stalls[s] = wr_gpu_sm(gpu, 0)->slots[s][WR_SLOT_UNIT] - before[s];
    }
    wr_gpu_free(gpu);
    return cycles;
}

static uint64_t longer(const wr_gpu_config *cfg, wr_op op, wr_type type, uint32_t threads)
{
    return run(cfg, op, type, 96, threads, NULL) - run(cfg, op, type, 32, threads, NULL);
}

/* All schedulers together get as much out of a unit either way; one alone has a quarter of its
 * lanes, or all of them. */
static void test_lanes(void **state)
{
    (void)state;
    const struct {
        wr_op op;
        wr_type type;
        uint32_t units;
    } rows[] = {{WR_OP_MIN, WR_S32, 2}, {WR_OP_MUL, WR_U32, 1}, {WR_OP_RCP, WR_F32, 1}};
    wr_gpu_config ep = even();
    wr_gpu_config sp = whole(false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t all = 64 * 32 / rows[i].units; /* cycles of 32 warps' 64 instructions */
        uint64_t in_parts = longer(&ep, rows[i].op, rows[i].type, 1024);
        uint64_t in_one = longer(&sp, rows[i].op, rows[i].type, 1024);
        assert_in_range(in_parts, all - 8, all + all / 20);
        assert_in_range(in_one, all - 8, all + all / 20);
    }
    /* one warp: four cycles an instruction, or what fetches leave of one */
    uint64_t alone = longer(&ep, WR_OP_MUL, WR_U32, 32);
    assert_in_range(alone, 64 * 4 - 4, 64 * 4 + 4);
    assert_in_range(longer(&sp, WR_OP_MUL, WR_U32, 32), 64, 64 * 2 + 4);
}

/* A warp goes through in as many parts as it takes lanes (Gong Fig. 4.14). */
static void test_parts(void **state)
{
    (void)state;
    const uint32_t rows[][2] = {{4, 8}, {7, 5}, {8, 4}, {15, 3}, {16, 2}, {31, 2}, {32, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config c = even();
        c.units.imu.lanes = rows[i][0];
        uint64_t cycles = longer(&c, WR_OP_MUL, WR_U32, 1024);
        uint64_t all = (uint64_t)64 * 8 * rows[i][1]; /* 8 warps of each scheduler */
        assert_in_range(cycles, all - 8, all + all / 20);
    }
}

/* What scheduler 0 takes first is lost to the others, from the next one on. */
static void test_lowest_first(void **state)
{
    (void)state;
    uint64_t lost[WR_CONFIG_MAX_SCHEDULERS];
    wr_gpu_config turns = whole(false);
    wr_gpu_config fixed = whole(true);
    (void)run(&turns, WR_OP_MUL, WR_U32, 96, 512, lost);
    for (unsigned s = 1; s < 4; s++) {
        assert_in_range(lost[s] * 100, lost[0] * 90, lost[0] * 110);
    }
    (void)run(&fixed, WR_OP_MUL, WR_U32, 96, 512, lost);
    for (unsigned s = 1; s < 4; s++) {
        assert_true(lost[s] > lost[s - 1] + 96 * 3); /* four warps' instructions, nearly */
    }
    assert_true(lost[3] > 10 * lost[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_lowest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
