/* SPDX-License-Identifier: Apache-2.0 */
/* What of several launches is on an SM at once: by hand-computed occupancies, and where hooks share
 * SMs out. */
#include "tests/core/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* TBs by stream on SM 0 in one cycle. */
static uint32_t resident[WR_MAX_STREAMS];
static uint64_t look_at; /* cycle */
static void look(void *self, wr_gpu *g)
{
    (void)self;
    if (wr_gpu_cycle(g) != look_at) {
        return;
    }
    for (uint32_t s = 0; s < wr_sm_tb_slots(wr_gpu_sm(g, 0)); s++) {
        wr_tb_info tb = wr_sm_tb(wr_gpu_sm(g, 0), s);
        if (tb.valid) {
            assert_ptr_equal(tb.launch, wr_gpu_launch(g, tb.stream));
            resident[tb.stream]++;
        }
    }
}

static uint64_t next_look(void *self, uint64_t now)
{
    (void)self;
    return now < look_at ? look_at : UINT64_MAX;
}

/* One SM of 48 warps, 8 TBs, 32,768 registers and 49,152 B of shared memory. */
static void test_occupancy_of_mixtures(void **state)
{
    typedef struct part {
        uint32_t grid, block, regs, shared, tbs;
    } part;
    static const struct {
        const char *limit; /* of the last one */
        part part[3];
    } rows[] = {
        /* 3 x 8 warps, then (48 - 24) / 6 */
        {"warps", {{3, 256, 20, 0, 3}, {99, 192, 16, 0, 4}}},
        /* 8 - 6 TB slots */
        {"TBs", {{6, 32, 8, 0, 6}, {99, 32, 8, 0, 2}}},
        /* 1 x 512 x 40 = 20,480 registers, then 12,288 / (128 x 24) */
        {"registers", {{1, 512, 40, 0, 1}, {99, 128, 24, 0, 4}}},
        /* registers per thread in plan.steps of 4: 30 are 32, 12,288 / (128 x 32) */
        {"registers", {{1, 512, 40, 0, 1}, {99, 128, 30, 0, 3}}},
        /* 2 x 16,384 B, then 16,384 / 6,000 */
        {"shared memory", {{2, 64, 8, 16384, 2}, {99, 64, 8, 6000, 2}}},
        /* the older one has all there is */
        {"nothing left", {{99, 192, 8, 0, 8}, {99, 32, 8, 0, 0}}},
        /* a second TB of 32 warps does not fit beside the first; 16 / 8 warps are left */
        {"warps", {{99, 1024, 20, 0, 1}, {99, 256, 16, 0, 2}}},
        /* 48 - 32 = 16 warps and 32,768 - 20,480 - 8,192 = 4,096 registers: 1 x (64 x 40) */
        {"registers", {{1, 1024, 20, 0, 1}, {1, 256, 32, 0, 1}, {99, 64, 40, 0, 1}}},
        /* 8 - 1 - 4 TB slots */
        {"TBs", {{1, 256, 8, 0, 1}, {4, 64, 8, 0, 4}, {99, 64, 8, 0, 3}}},
        /* 49,152 - 40,000 - 4 x 2,000 = 1,152 B: 1,000 fit once */
        {"shared memory", {{1, 64, 8, 40000, 1}, {4, 64, 8, 2000, 4}, {99, 32, 8, 1000, 1}}},
    };
    static const wr_system_hooks hooks = {.gpu_cycle = look, .next_cycle = next_look};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan_new(1);
        wr_gpu_attach(plan.gpu, &hooks);
        memset(resident, 0, sizeof resident);
        look_at = 60; /* TBs come one a cycle and run much longer */
        for (uint32_t p = 0; p < 3 && rows[i].part[p].grid != 0; p++) {
            const part *x = &rows[i].part[p];
            step *s = plan_worker(p, x->regs, x->grid, x->block);
            s->params.out = (uint32_t)plan.out_base;
            s->params.trips = 200;
            s->launch.shared_dynamic = x->shared;
            s->launch.grid[0] = x->grid < 20 ? x->grid : 20;
        }
        plan_run_all();
        for (uint32_t p = 0; p < 3; p++) {
            if (resident[p] != rows[i].part[p].tbs) {
                fail_msg("mixture %zu (%s): %u TBs of launch %u, expected %u", i, rows[i].limit,
                         resident[p], p, rows[i].part[p].tbs);
            }
        }
    }
}

/* SMs shared out by a system: stream i has the SMs whose number is i modulo 2. */
static uint32_t by_parity(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        if (streams[i] == wr_sm_id(sm) % 2) {
            return streams[i];
        }
    }
    return UINT32_MAX;
}

/* Inside an SM: at most two TBs of each stream. */
static void two_each(wr_sm *sm)
{
    uint32_t have[2] = {0};
    for (uint32_t s = 0; s < wr_sm_tb_slots(sm); s++) {
        wr_tb_info tb = wr_sm_tb(sm, s);
        if (tb.valid) {
            have[tb.stream]++;
        }
    }
    wr_sm_close(sm, 0, (have[0] == 2 ? 1u : 0) | (have[1] == 2 ? 2u : 0));
}
static void two_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    (void)self;
    (void)tb_slot;
    two_each(sm);
}
static void two_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    (void)self;
    (void)tb_slot;
    (void)stream;
    two_each(sm);
}

/* The youngest launch first. */
static uint32_t youngest(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count)
{
    (void)self;
    (void)sm;
    return streams[count - 1];
}

static void test_hooks_share_out(void **state)
{
    wr_system_hooks hooks = {.choose_launch = by_parity};
    (void)state;
    plan_new(4);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_teller(0, WR_SREG_SMID, 60);
    plan_teller(1, WR_SREG_SMID, 60);
    plan_run_all();
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t seen[4] = {0};
        for (uint32_t t = 0; t < 60 * 64; t++) {
            assert_int_equal(plan_out(&plan.steps[i], t) % 2, i);
            seen[plan_out(&plan.steps[i], t)]++;
        }
        assert_true(seen[i] != 0 && seen[i + 2] != 0);
    }

    hooks = (wr_system_hooks){
        .tb_placed = two_placed, .tb_done = two_done, .gpu_cycle = look, .next_cycle = next_look};
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    memset(resident, 0, sizeof resident);
    look_at = 60;
    for (uint32_t i = 0; i < 2; i++) {
        plan_worker(i, 8, 12, 64)->params.trips = 200;
    }
    plan_run_all();
    assert_int_equal(resident[0], 2); /* the older launch alone would have all 8 */

    hooks = (wr_system_hooks){.choose_launch = youngest};
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(0, 8, 4, 1024);
    plan_worker(1, 8, 4, 1024);
    plan_run_all();
    assert_true(plan.steps[1].result.placed < plan.steps[0].result.placed);
    assert_true(plan.steps[1].result.ended < plan.steps[0].result.ended);
    plan_check_worker(&plan.steps[0]);
    plan_check_worker(&plan.steps[1]);
}

#define TEST(name) cmocka_unit_test_teardown(name, plan_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_occupancy_of_mixtures),
        TEST(test_hooks_share_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
