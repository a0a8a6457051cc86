/* SPDX-License-Identifier: Apache-2.0 */
/* Several launches at once: order inside a stream, results and figures of each launch, and ends
 * that name the launch. */
#include "tests/core/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Launches that each leave half of every SM free run beside each other: same results, and little
 * more time than the longer one alone. */
static void test_together(void **state)
{
    uint64_t alone[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        plan_new(2);
        plan_worker(0, 8, 4, 256)->params.trips = i == 0 ? 400 : 500;
        alone[i] = plan_run_all();
        plan_check_worker(&plan.steps[0]);
    }
    plan_new(2);
    plan_worker(0, 8, 4, 256)->params.trips = 400;
    plan_worker(1, 8, 4, 256)->params.trips = 500;
    uint64_t both = plan_run_all();
    plan_check_worker(&plan.steps[0]);
    plan_check_worker(&plan.steps[1]);
    assert_int_equal(plan.steps[0].result.placed,
                     plan.steps[1].result.placed - 2); /* TB by TB, SM by SM */
    assert_true(both > alone[1]);
    assert_true(both < alone[0] + alone[1]);

    plan_new(2); /* in one stream: the sum, less what the caches keep */
    plan_worker(0, 8, 4, 256)->params.trips = 400;
    plan_worker(0, 8, 4, 256)->params.trips = 500;
    uint64_t serial = plan_run_all();
    assert_true(serial > both);
    /* a refresh may fall elsewhere */
    assert_true(serial <= alone[0] + alone[1] + kit_config().dram.timing.rfc);
}

/* A launch whose warps wait for two loads of the same line in each round. */
static step *plan_loader(uint32_t stream, uint32_t grid, uint32_t trips)
{
    step *s = plan_add(stream, "loader", 8, grid, 64);
    plan_prologue(&s->kernel);
    for (uint32_t i = 0; i < trips; i++) { /* each address waits for the load before, which is 0 */
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 0));
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 1, 1, 3, RZ));
    }
    plan_store_and_exit(&s->kernel, 3);
    return s;
}

/* On one SM at the same time each launch is charged what its own warps wait for and ask for: where
 * the SM sleeps, where no cycle is skipped, and with two instructions of a warp in a cycle. */
static void test_whose_slots(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        wr_gpu_config cfg = way == 2 ? kit_named("gtx980") : kit_config();
        cfg.sms = 1;
        plan_new_of(&cfg);
        plan_worker(0, 4, 2, 64)->params.trips = way == 0 ? 400 : 40;
        plan_loader(1, 2, 40);
        plan.gpu->no_skip = way == 1;
        plan_run_all();
        const wr_launch_stats *worker = &plan.steps[0].result.stats;
        const wr_launch_stats *loader = &plan.steps[1].result.stats;
        assert_true(plan.steps[0].result.placed < plan.steps[1].result.ended &&
                    plan.steps[1].result.placed < plan.steps[0].result.ended);
        assert_int_equal(worker->stalls[WR_SLOT_MEMORY], 0);
        assert_true(worker->stalls[WR_SLOT_ARITHMETIC] > 0);
        assert_true(loader->stalls[WR_SLOT_MEMORY] > (way == 0 ? 0u : 1000u));
        assert_true((loader->stalls[WR_SLOT_PAIR] > 0) == (cfg.sm.issue_width > 1));
        assert_int_equal(worker->l1_hits + worker->l1_misses + worker->l1_merges, 0);
        assert_int_equal(loader->l1_hits + loader->l1_misses + loader->l1_merges, 2 * 2 * 2 * 40);
        assert_true(loader->l1_hits > 0 && loader->l1_misses > 0 && loader->l1_merges > 0);
    }
}

/* In a stream a launch begins in the very cycle in which the one before ends; streams do not wait
 * for each other. Numbers of grids are given in that order and are what kernels read. */
static void test_order(void **state)
{
    (void)state;
    plan_new(2);
    plan_teller(0, WR_SREG_GRIDID, 6)->params.trips = 300;
    plan_teller(0, WR_SREG_GRIDID, 4)->params.trips = 10;
    plan_teller(1, WR_SREG_GRIDID, 2)->params.trips = 10;
    plan_teller(1, WR_SREG_GRIDID, 2)->params.trips = 10;
    plan_teller(2, WR_SREG_GRIDID, 1)->params.trips = 100;
    plan_run_all();
    assert_int_equal(plan.steps[0].result.begun, plan.steps[2].result.begun);
    assert_int_equal(plan.steps[0].result.begun, plan.steps[4].result.begun);
    assert_int_equal(plan.steps[1].result.begun, plan.steps[0].result.ended);
    assert_int_equal(plan.steps[3].result.begun, plan.steps[2].result.ended);
    assert_true(plan.steps[3].result.ended < plan.steps[0].result.ended);
    static const uint32_t ids[] = {1, 5, 2, 4, 3};
    for (size_t i = 0; i < plan.count; i++) {
        assert_int_equal(plan.steps[i].result.id, ids[i]);
        for (uint32_t t = 0; t < 64 * plan.steps[i].launch.grid[0]; t++) {
            assert_int_equal(plan_out(&plan.steps[i], t), ids[i]);
        }
    }
}

/* A stream's next launch sees what the one before stored. */
static void test_stream_sees_its_stores(void **state)
{
    (void)state;
    plan_new(3);
    for (uint32_t stream = 0; stream < 3; stream++) {
        for (uint32_t round = 0; round < 4; round++) {
            step *s = plan_add(stream, "more", 8, 8, 128);
            s->params.out = (uint32_t)(plan.out_base + (uint64_t)stream * 8192);
            plan_prologue(&s->kernel);
            kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
            kit_add(&s->kernel, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, stream + 1));
            plan_store_and_exit(&s->kernel, 3);
        }
    }
    static const uint32_t zeros[3 * 2048];
    assert_true(wr_gpu_write(plan.gpu, plan.out_base, zeros, sizeof zeros));
    plan_run_all();
    for (size_t i = 0; i < plan.count; i++) {
        for (uint32_t t = 0; t < 1024; t++) {
            assert_int_equal(plan_out(&plan.steps[i], t), 4 * (plan.steps[i].stream + 1));
        }
    }
}

/* Local memory of launches that run at once is apart. */
static void test_local_memory(void **state)
{
    (void)state;
    plan_new(2);
    for (uint32_t i = 0; i < 3; i++) {
        step *s = plan_add(i, "local", 8, 40, 64);
        s->params.add = 100000 * (i + 1);
        s->kernel.k.local_bytes = 8 + 4 * i;
        plan_prologue(&s->kernel);
        kit_add(&s->kernel, kit_param(kit_op(WR_OP_ADD, WR_U32, 4, 0, RZ, RZ), 1, 8));
        kit_add(&s->kernel, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_LOCAL, 1, 4, RZ, 4));
        plan_spin(&s->kernel);
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_LOCAL, 1, 5, RZ, 4));
        plan_store_and_exit(&s->kernel, 5);
    }
    plan_run_all();
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t t = 0; t < 40 * 64; t++) {
            assert_int_equal(plan_out(&plan.steps[i], t), t + 100000 * (i + 1));
        }
    }
}

/* Skipping idle cycles changes nothing of a mixture. */
static void test_skipping(void **state)
{
    wr_launch_result results[2][6];
    uint64_t cycles[2];
    (void)state;
    for (uint32_t run = 0; run < 2; run++) {
        plan_new(3);
        plan.gpu->no_skip = run == 1;
        for (uint32_t i = 0; i < 6; i++) {
            plan_worker(i % 4, 8 + 4 * i, 10 + i, 32 * (i + 1))->params.trips = 5 + 3 * i;
        }
        cycles[run] = plan_run_all();
        for (uint32_t i = 0; i < 6; i++) {
            plan_check_worker(&plan.steps[i]);
            results[run][i] = plan.steps[i].result;
        }
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
}

/* The message names the launch that did it, not the oldest one. */
static void test_fault_names_the_launch(void **state)
{
    (void)state;
    plan_new(2);
    plan_worker(0, 8, 40, 64)->launch.label = "stream good";
    step *s = plan_add(1, "faulty", 8, 1, 64);
    s->launch.label = "stream bad";
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, RZ, 0));
    plan_store_and_exit(&s->kernel, 3);
    wr_run_result r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_MEMORY_FAULT);
    assert_non_null(strstr(r.message, "kernel faulty, stream bad, pc 0x"));
}

/* A barrier that half of a TB never reaches, beside a launch that ends. */
static void test_deadlock_names_the_launch(void **state)
{
    (void)state;
    plan_new(2);
    plan_worker(0, 8, 40, 64)->launch.label = "stream good";
    step *s = plan_add(1, "stuck", 8, 1, 64);
    s->launch.label = "stream bad";
    kit_kernel *k = &s->kernel;
    wr_insn one = kit_plain(WR_OP_BAR);
    one.barrier = 1;
    plan_prologue(k);
    size_t at = kit_add(k, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 0, 2, RZ), 1, 32)) + 1;
    kit_add(k, kit_guard(kit_bra(at + 3, at + 4), 0, false));
    kit_add(k, one);
    kit_add(k, kit_bra(at + 4, at + 4));
    kit_add(k, kit_plain(WR_OP_BAR_PP));
    plan_store_and_exit(k, 0);
    wr_run_result r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_DEADLOCK);
    assert_non_null(strstr(r.message, "deadlock in kernel stuck, stream bad at cycle"));
    assert_non_null(strstr(r.message, "1 warp waits at a barrier at pc "));
    assert_true(plan.steps[0].done && !plan.steps[1].done);
}

static void close_to_b(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 0, 1u << 1);
    }
}

static void test_ends_name_the_launch(void **state)
{
    static const wr_system_hooks hooks = {.launch_begin = close_to_b};
    (void)state;
    plan_new(2); /* held back for ever */
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(0, 8, 40, 64)->launch.label = "stream a";
    plan_worker(1, 8, 3, 64)->launch.label = "stream b";
    wr_run_result r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_DEADLOCK);
    assert_true(plan.steps[0].done && !plan.steps[1].done);
    assert_non_null(strstr(r.message, "deadlock in kernel worker, stream b at cycle"));
    assert_non_null(strstr(r.message, "0 of 3 blocks are done"));
    plan_check_worker(&plan.steps[0]);

    plan_new(2); /* too few cycles */
    plan_worker(0, 8, 40, 64)->launch.label = "stream a";
    plan_worker(1, 8, 20, 64)->launch.label = "stream b";
    r = plan_run(150);
    assert_int_equal(r.status, WR_RUN_CYCLE_LIMIT);
    assert_int_equal(r.cycles, 150);
    assert_non_null(strstr(r.message, "kernel worker, stream a (and 1 more) has not ended after "
                                      "150 cycles, 0 of 60 TBs are done"));

    plan_new(2); /* stopped when the first launch is done; nothing runs on it any more */
    plan_worker(0, 8, 40, 64)->params.trips = 1000;
    plan_worker(1, 8, 2, 64);
    plan.done_left = 1;
    r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_STOPPED);
    assert_true(plan.steps[1].done && !plan.steps[0].done);
    assert_int_equal(wr_gpu_launches(plan.gpu), 0);

    plan_new(2); /* refused when its turn comes */
    plan_worker(0, 8, 4, 64);
    plan_worker(0, 8, 4, 2048)->kernel.k.name = "large";
    r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_REFUSED);
    assert_non_null(strstr(r.message, "kernel large: a thread block of 2048 threads"));
    assert_true(plan.steps[0].done);
}

/* Streams up to the last one that there can be. */
static void test_many_streams(void **state)
{
    (void)state;
    plan_new(4);
    for (uint32_t i = 0; i < MOST; i++) {
        plan_worker(2 * i + 1, 8, 5, 96);
    }
    assert_int_equal(plan.steps[MOST - 1].stream, WR_MAX_STREAMS - 1);
    plan_run_all();
    for (uint32_t i = 0; i < MOST; i++) {
        plan_check_worker(&plan.steps[i]);
    }
}

/* Launches come in the cycle that they name, or behind their stream's: also into an idle GPU, and
 * with cycles skipped or not. */
static void test_arrival(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        plan_new(2);
        plan_worker(0, 8, 4, 256)->launch.not_before = 700;
        plan_worker(0, 8, 4, 256)->launch.not_before = 900;    /* behind the one before */
        plan_worker(0, 8, 4, 256)->launch.not_before = 200000; /* long after */
        plan_worker(1, 8, 4, 256)->launch.not_before = 1001;
        plan.gpu->no_skip = i != 0;
        cycles[i] = plan_run_all();
        assert_int_equal(plan.steps[0].result.begun, 700);
        assert_true(plan.steps[0].result.ended > 900);
        assert_int_equal(plan.steps[1].result.begun, plan.steps[0].result.ended);
        assert_int_equal(plan.steps[2].result.begun, 200000);
        assert_true(plan.steps[1].result.ended < 200000);
        assert_int_equal(plan.steps[3].result.begun, 1001);
        for (uint32_t k = 0; k < 4; k++) {
            plan_check_worker(&plan.steps[k]);
        }
    }
    assert_int_equal(cycles[0], cycles[1]);

    plan_new(2); /* the limit falls before one comes */
    plan_worker(0, 8, 4, 256);
    plan_worker(1, 8, 4, 256)->launch.not_before = 200000;
    wr_run_result cut = plan_run(100000);
    assert_int_equal(cut.status, WR_RUN_CYCLE_LIMIT);
    assert_int_equal(cut.cycles, 100000);
}

/* The dispatcher's order: by priority, then by age. */
static void test_priority(void **state)
{
    (void)state;
    plan_new(1);
    plan_worker(0, 8, 40, 256)->params.trips = 400;
    plan_worker(1, 8, 40, 256)->params.trips = 400;
    plan_worker(2, 8, 40, 256)->launch.priority = 7;
    plan_worker(3, 8, 40, 256)->launch.priority = 9;
    plan_worker(4, 8, 40, 256)->launch.priority = 7;
    plan.steps[3].launch.not_before = 1000; /* when all the others wait */
    plan_run_all();
    static const uint32_t order[] = {2, 3, 4, 0, 1};
    for (uint32_t i = 0; i + 1 < 5; i++) {
        const wr_launch_result *first = &plan.steps[order[i]].result;
        const wr_launch_result *next = &plan.steps[order[i + 1]].result;
        assert_true(i == 0 || first->placed < next->placed);
    }
    assert_true(plan.steps[3].result.placed < plan.steps[2].result.ended);
    assert_true(plan.steps[4].result.placed > plan.steps[3].result.placed);
}

#define TEST(name) cmocka_unit_test_teardown(name, plan_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_together),
        TEST(test_whose_slots),
        TEST(test_order),
        TEST(test_stream_sees_its_stores),
        TEST(test_local_memory),
        TEST(test_skipping),
        TEST(test_fault_names_the_launch),
        TEST(test_deadlock_names_the_launch),
        TEST(test_ends_name_the_launch),
        TEST(test_many_streams),
        TEST(test_arrival),
        TEST(test_priority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
