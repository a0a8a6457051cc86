/* SPDX-License-Identifier: Apache-2.0 */
/* The small systems, each on a seam of the shell: what they promise, alone and together, with
 * skipping and without, on one thread and two; and blocks in the sizes of three machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "shell/core/seam/identity.h"
#include "systems/frame/chain.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"
#include "tests/systems/jobs.h"
#include "tests/systems/rows.h"

typedef struct wanted {
    const char *name;
    double value;
    bool found;
} wanted;

static void find(void *arg, const wr_row *row)
{
    wanted *w = arg;

    if (strcmp(row->name, w->name) == 0) {
        w->found = true;
        w->value = row->kind == WR_ROW_COUNT ? (double)row->count : row->real;
    }
}

static double figure(const wr_system_group *systems, const char *name)
{
    wanted w = {.name = name};

    each_row(systems, find, &w);
    if (!w.found) {
        fail_msg("no row %s", name);
    }
    return w.value;
}

static wr_system_group *open_systems(const wr_gpu_config *cfg, const char *a, const char *b,
                                     const wr_system_given *given)
{
    const char *const specs[] = {a, b};
    char err[256];
    wr_system_group *systems =
        wr_system_group_open(specs, b != NULL ? 2 : 1, given, cfg, err, sizeof err);

    if (!systems) {
        fail_msg("%s", err);
    }
    return systems;
}

/* The exchange kernel on 3 SMs under these systems, whose output must be right; `name` is a row of
 * theirs. */
static uint64_t run(const char *a, const char *b, exchange_how how, const char *name, double *value)
{
    wr_gpu_config cfg = kit_config();

    cfg.sms = 3;
    wr_system_group *systems = open_systems(&cfg, a, b, NULL);

    how.hooks = wr_system_group_hooks(systems);
    uint64_t cycles = exchange_run(&how);

    if (name != NULL) {
        *value = figure(systems, name);
    }
    wr_system_group_close(systems);
    return cycles;
}

/* The same with every cycle simulated, and whatever the threads, which take their time on a busy
 * machine: with fewer TBs. */
static uint64_t run_all_ways(const char *a, const char *b, const char *name, double *value)
{
    double again = 0;
    double few = 0;
    uint64_t cycles = run(a, b, (exchange_how){.tbs = 12}, name, &few);

    assert_int_equal(cycles, run(a, b, (exchange_how){.tbs = 12, .threads = 2}, name, &again));
    assert_true(name == NULL || again == few);
    cycles = run(a, b, (exchange_how){0}, name, value);
    assert_int_equal(cycles, run(a, b, (exchange_how){.no_skip = true}, name, &again));
    assert_true(name == NULL || again == *value);
    return cycles;
}

/* A limit pushed is the configuration's. */
static void test_swl(void **state)
{
    static const uint32_t warps[] = {0, 1, 5, 24};

    (void)state;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
        char spec[32];

        (void)snprintf(spec, sizeof spec, "swl:warps=%u", warps[i]);
        uint64_t cycles = warps[i] == 5 ? run_all_ways(spec, NULL, NULL, NULL)
                                        : run(spec, NULL, (exchange_how){0}, NULL, NULL);

        assert_int_equal(cycles, exchange_run(&(exchange_how){.warp_limit = warps[i]}));
    }
}

static void test_dyncta(void **state)
{
    double paused = 0;
    double may_run = 0;
    uint64_t plain = exchange_run(&(exchange_how){0});

    (void)state;
    /* Any wait is too much: after a few windows one TB runs at a time. */
    uint64_t one = run_all_ways("dyncta:window=50,t_mem_low=0,t_mem_high=0,t_idle=1000000", NULL,
                                "limit.mean", &may_run);
    assert_true(may_run >= 1 && may_run < 1.5);
    assert_true(one > 2 * plain);
    /* None is: soon all run, and nothing is paused. */
    uint64_t all = run_all_ways("dyncta:window=50,t_mem_low=1000000", NULL, "limit.mean", &may_run);
    assert_true(may_run > 7.5 && may_run <= 8);
    assert_in_range(all, plain * 9 / 10, plain * 11 / 10);
    (void)run("dyncta:window=50,t_mem_low=0,t_mem_high=0,t_idle=1000000", NULL, (exchange_how){0},
              "paused.mean", &paused);
    assert_true(paused > 3 && paused <= 5); /* of 6 TBs, but at the start and the end */
}

static void test_miss_limit(void **state)
{
    double full = 0;
    uint64_t plain = exchange_run(&(exchange_how){0});

    (void)state;
    assert_int_equal(plain,
                     run_all_ways("miss_limit:requests=1000000", NULL, "windows.full", &full));
    assert_true(full == 0);
    double sent = 0;
    uint64_t slow = run_all_ways("miss_limit:requests=2,window=300", NULL, "requests", &sent);

    /* 3 SMs with at most 2 requests in each of their windows */
    assert_true((uint64_t)sent <= 3 * 2 * (slow / 300 + 1));
    assert_true(slow > 2 * plain);
}

/* SM i of 4 is stream 0's or 1's; the limit holds beside it. */
static void test_spart_and_swl(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (uint32_t both = 0; both < 2; both++) {
        plan_new(4);
        if (both == 0) { /* the configuration's limit in the place of swl */
            wr_gpu_config cfg = plan.cfg;

            cfg.sm.warp_limit = 6;
            wr_gpu_free(plan.gpu);
            plan.gpu = wr_gpu_create(&cfg);
            plan.out_base = wr_gpu_alloc(plan.gpu, OUT_WORDS * 4, 256);
        }
        wr_system_group *systems =
            open_systems(&plan.cfg, "spart:shares=3:1", both != 0 ? "swl:warps=6" : NULL, NULL);

        wr_gpu_attach(plan.gpu, wr_system_group_hooks(systems));
        (void)plan_teller(0, WR_SREG_SMID, 60);
        (void)plan_teller(1, WR_SREG_SMID, 20);
        cycles[both] = plan_run_all();
        for (uint32_t t = 0; t < 20 * 64; t++) {
            assert_true(t >= 16 * 64 || plan_out(&plan.steps[0], t) < 3);
            assert_true(plan_out(&plan.steps[1], t) == 3);
        }
        assert_true(figure(systems, "stream1.sms") == 1);
        wr_system_group_close(systems);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

/* Stream 1 gets SM 1, which is empty at the start. Stream 0's second launch finds its TBs on SM 0,
 * and runs there, and there only, when they have ended. */
static void test_drain(void **state)
{
    (void)state;
    plan_new(2);
    wr_system_group *systems = open_systems(&plan.cfg, "drain:sms=1", NULL, NULL);

    wr_gpu_attach(plan.gpu, wr_system_group_hooks(systems));
    (void)plan_teller(0, WR_SREG_SMID, 1);
    (void)plan_teller(0, WR_SREG_SMID, 12);
    plan_worker(1, 8, 60, 128)->params.trips = 300;
    plan_run_all();
    plan_check_worker(&plan.steps[2]);
    assert_true(figure(systems, "drained") == 2);
    assert_true(figure(systems, "latency.min") == 0);
    assert_true(figure(systems, "latency.max") > 100);
    assert_true(figure(systems, "tbs") >= 1);
    for (uint32_t t = 0; t < 12 * 64; t++) {
        assert_int_equal(plan_out(&plan.steps[1], t), 0);
    }
    wr_system_group_close(systems);
}

/* Most TBs of each stream at once on SM 0. */
static uint32_t most[2];
static void count_tbs(void *arg)
{
    uint32_t now[2] = {0};

    (void)arg;
    for (uint32_t t = 0; t < 8; t++) {
        wr_tb_info tb = wr_sm_tb(wr_gpu_sm(plan.gpu, 0), t);

        if (tb.valid) {
            now[tb.stream]++;
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        most[i] = now[i] > most[i] && wr_gpu_launches(plan.gpu) == 2 ? now[i] : most[i];
    }
}

/* One SM of 8 TB slots, 48 warps, 32,768 registers, 48 KB. Shares of one TB, and the deal by hand.
 */
static void test_drf(void **state)
{
    static const struct {
        uint32_t block[2], regs[2], tbs[2];
    } rows[] = {
        {{64, 64}, {8, 8}, {4, 4}},  /* 1/8 of the TB slots each: in turns */
        {{256, 64}, {8, 8}, {3, 5}}, /* 1/6 of the threads, 1/8 of the slots: 5/8 > 1/2; 8 slots */
        {{512, 256}, {20, 8}, {1, 4}}, /* 5/16 registers, 1/6 threads: 1 then 1, 2; 2nd would not */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan_new(1);
        memset(most, 0, sizeof most);
        wr_system_group *systems = open_systems(&plan.cfg, "drf", NULL, NULL);

        wr_gpu_attach(plan.gpu, wr_system_group_hooks(systems));
        wr_watcher watcher = {.look = count_tbs};
        wr_gpu_watch(plan.gpu, &watcher);
        for (uint32_t s = 0; s < 2; s++) {
            step *k = plan_worker(s, rows[i].regs[s], 24, rows[i].block[s]);

            k->params.trips = 100;
            k->launch.grid[0] = rows[i].block[s] == 512 ? 7 : 14;
        }
        plan_run_all();
        wr_gpu_unwatch(plan.gpu, &watcher);
        for (uint32_t s = 0; s < 2; s++) {
            print_message("drf row %zu stream %u: %u TBs\n", i, s, most[s]);
            assert_int_equal(most[s], rows[i].tbs[s]);
        }
        wr_system_group_close(systems);
    }
}

/* Windows of the whole run but its warm-up; the same figures all ways. */
static void test_monitor(void **state)
{
    double windows = 0;
    uint64_t plain = exchange_run(&(exchange_how){0});

    (void)state;
    assert_int_equal(plain,
                     run_all_ways("monitor:warmup=1000,window=500", NULL, "windows.all", &windows));
    assert_in_range((uint64_t)windows, (plain - 1000) / 500 - 2, (plain - 1000) / 500);
}

/* Warps in slots and away, as a TB is placed. */
static struct {
    wr_system_hooks hooks;
    uint32_t warps, away;
    bool kept_out[3]; /* of an SM: a warp has its loads and is still away */
    uint32_t waited, overtaken;
} crowd;

static void note_warps(void *self, wr_sm *sm, uint32_t tb_slot)
{
    uint32_t away = 0;

    (void)self;
    (void)tb_slot;
    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        uint32_t warps = wr_sm_tb(sm, t).warps; /* 0: the slot is empty */

        for (uint32_t w = 0; w < warps; w++) {
            away += wr_sm_tb_warp(sm, t, w) == UINT32_MAX;
        }
    }
    uint32_t all = away + (uint32_t)__builtin_popcountll(wr_sm_live_warps(sm));

    crowd.warps = all > crowd.warps ? all : crowd.warps;
    crowd.away += away != 0;
    crowd.overtaken += crowd.kept_out[wr_sm_id(sm)];
}

/* Behind the system's own sm_cycle. */
static void note_kept_out(void *self, wr_sm *sm)
{
    bool *kept_out = &crowd.kept_out[wr_sm_id(sm)];

    (void)self;
    *kept_out = false;
    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        uint32_t warps = wr_sm_tb(sm, t).warps;

        for (uint32_t w = 0; w < warps; w++) {
            *kept_out |= wr_sm_tb_warp(sm, t, w) == UINT32_MAX &&
                         wr_sm_warp_pending(sm, sm->tbs[t].ids[w]) == 0;
        }
    }
    crowd.waited += *kept_out;
}

/* How far an SM of 48 warps goes: to what the option says and its 8 TBs of 8 warps. */
static void check_most(const char *spec, uint32_t warps)
{
    const wr_system_hooks *all[2] = {NULL, &crowd.hooks};
    wr_gpu_config cfg = kit_config();
    wr_chain chain;

    cfg.sms = 3;
    memset(&crowd, 0, sizeof crowd);
    crowd.hooks.tb_placed = note_warps;
    crowd.hooks.sm_cycle = note_kept_out;
    wr_system_group *g = open_systems(&cfg, spec, NULL, NULL);

    all[0] = wr_system_group_hooks(g);
    (void)exchange_run(&(exchange_how){.hooks = wr_chain_join(&chain, all, 2)});
    assert_int_equal(crowd.warps, warps);
    assert_true(crowd.away > 0 || warps <= 48);
    assert_true(crowd.waited > 100 || warps <= 48);
    assert_int_equal(crowd.overtaken, 0);
    wr_system_group_close(g);
}

/* Warps leave while more TBs wait than an SM has slots for, and come back as they were. */
static void test_warp_swap(void **state)
{
    const wr_gpu_config cfg = jobs_config("gtx480");
    double left = 0;
    uint64_t plain = exchange_run(&(exchange_how){0});
    wr_job job;

    (void)state;
    assert_int_equal(plain, run_all_ways("warp_swap:warps=0", NULL, "left", &left));
    assert_true(left == 0);
    uint64_t swapped = run_all_ways("warp_swap", NULL, "left", &left);

    assert_true((uint32_t)left > EXCHANGE_WORDS / 32 && swapped != plain);
    check_most("warp_swap:warps=48", 48);
    check_most("warp_swap:warps=56", 56);
    check_most("warp_swap", 64);
    jobs_load(&job, "kernels/hotspot.yaml", 0);
    wr_system_group *g = open_systems(&cfg, "warp_swap", NULL, NULL);
    job_outcome o = jobs_run(&job, &cfg, wr_system_group_hooks(g));

    if (o.result.status != WR_RUN_DONE || !o.right) {
        fail_msg("hotspot: %s", o.result.message);
    }
    assert_true(figure(g, "left") > 10000);
    wr_system_group_close(g);
    wr_job_free(&job);
}

static void test_not_beside(void **state)
{
    static const char *const specs[] = {"warp_swap", "preemption:period=300", "warp_swap", "duet",
                                        "preemption"};
    static const char *const tbs[] = {"locality:hint=lines", "preemption:in_place=1"};
    const wr_gpu_config cfg = jobs_config("gtx480");
    char err[256];

    (void)state;
    assert_null(wr_system_group_open(specs, 2, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system preemption cannot run beside system warp_swap");
    assert_null(wr_system_group_open(specs + 1, 2, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system warp_swap cannot run beside system preemption");
    assert_null(wr_system_group_open(specs + 2, 2, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system duet cannot run beside system warp_swap");
    assert_null(wr_system_group_open(specs + 3, 2, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system preemption cannot run beside system duet");
    assert_null(wr_system_group_open(tbs, 2, NULL, &cfg, err, sizeof err));
    assert_string_equal(err, "system locality with these options says which TB comes next, and so "
                             "does system preemption; see their options");
}

/* A warp of which this much runs ahead: of its first wait, for R3, the instructions marked 1, of
 * its second, for R8, those marked 2. R7 is late at the first: lanes that leave it alone would keep
 * what is not there yet. At the second R4 is not written yet, and R7 is. */
static void check_ahead(const char *spec, uint32_t instructions, uint32_t waits)
{
    plan_new(1);
    wr_system_group *g = open_systems(&plan.cfg, spec, NULL, NULL);

    wr_gpu_attach(plan.gpu, wr_system_group_hooks(g));
    step *s = plan_add(0, "ahead", 12, 1, 32);
    kit_kernel *k = &s->kernel;

    plan_prologue(k);
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ)); /* waits */
    kit_add(k, kit_op(WR_OP_MUL, WR_U32, 4, 0, 0, RZ)); /* 1 */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 5, 4, 3, RZ)); /* needs what waits */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 6, 5, 0, RZ)); /* needs that */
    kit_add(k, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 6, RZ), 1, 20));
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 7, 0, 0, RZ), 1, false));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 4, 4, RZ)); /* 1 */
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 8, 1, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 9, 8, 0, RZ));                       /* waits */
    kit_add(k, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 0, RZ), 1, 20));        /* 1, 2 */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 7, 0, 0, RZ), 1, false));  /* 2 */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 10, 0, 0, RZ), 1, false)); /* 1, 2 */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 5, 0, 0, RZ));                       /* 1, 2 */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 6, 5, 4, RZ));                       /* 1 */
    plan_store_and_exit(k, 9);
    plan_run_all();
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(plan_out(s, t), t);
    }
    assert_int_equal((uint32_t)figure(g, "instructions"), instructions);
    assert_int_equal((uint32_t)figure(g, "useful"), waits);
    assert_int_equal(kit_stat(plan.gpu, "sched.cursor"), instructions);
    wr_system_group_close(g);
    (void)plan_teardown(NULL);
}

/* Nothing that runs ahead shows. */
static void test_run_ahead(void **state)
{
    double ahead = 0;
    uint64_t plain = exchange_run(&(exchange_how){0});

    (void)state;
    assert_int_equal(plain, run_all_ways("run_ahead:reach=0", NULL, "instructions", &ahead));
    assert_true(ahead == 0);
    (void)run_all_ways("run_ahead", NULL, "instructions", &ahead);
    assert_true(ahead > 1000);
    (void)run_all_ways("run_ahead", "warp_swap", "instructions", &ahead);
    assert_true(ahead > 1000);
    check_ahead("run_ahead", 10, 2);
    check_ahead("run_ahead:reach=13", 10, 2);
    check_ahead("run_ahead:reach=12", 9, 2);
    check_ahead("run_ahead:reach=2", 3, 2);
    check_ahead("run_ahead:reach=1", 2, 2);
}

static void count_block(void *arg, const wr_row *row)
{
    size_t n = strlen(row->name);

    *(uint32_t *)arg +=
        n > 7 && strcmp(row->name + n - 7, ".cycles") == 0 && strncmp(row->name, "blocks.", 7) == 0;
}

/* What `warpref systems NAME` lists is what stands in the bay, with the options that bring all. */
static void test_blocks_listed(void **state)
{
    static const char *const with_all[] = {"preemption:context=tb,in_place=1", "smk:context=tb",
                                           "ccbp:ctas=smk,queue=priority",
                                           "spart:preempt=save,context=tb"};
    wr_gpu_config cfg = jobs_config("gtx480");
    size_t count;
    const wr_system_type *const *types = wr_system_types(&count);
    uint32_t checked = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const char *spec = types[i]->name;

        for (size_t w = 0; w < sizeof with_all / sizeof with_all[0]; w++) {
            size_t length = strcspn(with_all[w], ":");

            spec = strlen(types[i]->name) == length &&
                           strncmp(types[i]->name, with_all[w], length) == 0
                       ? with_all[w]
                       : spec;
        }
        wr_system_group *g = open_systems(&cfg, spec, NULL, NULL);
        uint32_t listed = 0;
        uint32_t there = 0;

        for (; types[i]->blocks != NULL && types[i]->blocks[listed] != NULL; listed++) {
            char name[64];

            (void)snprintf(name, sizeof name, "blocks.%s.cycles", types[i]->blocks[listed]);
            assert_true(figure(g, name) == 0);
        }
        each_row(g, count_block, &there);
        assert_int_equal(there, listed);
        checked += there;
        wr_system_group_close(g);
    }
    assert_true(checked >= 4);
}

/* Three systems' blocks on three machines of other sizes; what is not built yet is Verilated. */
static void test_machines(void **state)
{
    static const char *const machines[] = {"gtx480", "maxwell", "gtx980"};
    static const struct {
        const char *spec, *row;
    } systems[] = {
        {"preemption:period=4000", "blocks.context_saver"},
        {"monitor:warmup=0,window=1000", "blocks.throughput_monitor"},
        {"drf", "blocks.drf_partitioner"},
    };
    const wr_system_given lockstep = {.blocks = "lockstep"};
    const wr_system_given model = {.blocks = "model"};
    wr_job job;

    (void)state;
    (void)setenv("WR_CXX_OPTIMIZE", "-O0", 1);
    jobs_load(&job, "kernels/hotspot.yaml", 0);
    for (size_t m = 0; m < 3; m++) {
        wr_gpu_config cfg = jobs_config(machines[m]);

        for (size_t s = 0; s < 3; s++) {
            uint64_t cycles[2];

            for (uint32_t l = 0; l < 2; l++) {
                char name[64];
                wr_system_group *g =
                    open_systems(&cfg, systems[s].spec, NULL, l != 0 ? &lockstep : &model);
                job_outcome o = jobs_run(&job, &cfg, wr_system_group_hooks(g));

                if (o.result.status != WR_RUN_DONE || !o.right) {
                    fail_msg("%s on %s: %s", systems[s].spec, machines[m], o.result.message);
                }
                cycles[l] = o.result.cycles;
                (void)snprintf(name, sizeof name, "%s.comparisons", systems[s].row);
                assert_true((figure(g, name) > 50) == (l != 0));
                (void)snprintf(name, sizeof name, "%s.mismatches", systems[s].row);
                assert_true(figure(g, name) == 0);
                wr_system_group_close(g);
            }
            assert_int_equal(cycles[0], cycles[1]);
        }
    }
    wr_job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swl),
        cmocka_unit_test(test_dyncta),
        cmocka_unit_test(test_miss_limit),
        cmocka_unit_test_teardown(test_spart_and_swl, plan_teardown),
        cmocka_unit_test_teardown(test_drain, plan_teardown),
        cmocka_unit_test_teardown(test_drf, plan_teardown),
        cmocka_unit_test(test_monitor),
        cmocka_unit_test(test_warp_swap),
        cmocka_unit_test(test_not_beside),
        cmocka_unit_test_teardown(test_run_ahead, plan_teardown),
        cmocka_unit_test(test_blocks_listed),
        cmocka_unit_test(test_machines),
    };

    return cmocka_run_group_tests_name("small systems", tests, NULL, NULL);
}
