/* SPDX-License-Identifier: Apache-2.0 */
/* System virtual_thread on the real shell: outputs stay right while TBs take turns, block and
 * machine agree whenever they are looked at, and a launch to which it gives no TB keeps every
 * cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "systems/frame/chain.h"
#include "systems/virtual_thread/state.h"
#include "tests/core/plan.h"
#include "tests/systems/jobs.h"
#include "tests/systems/rows.h"

enum { EVERY = 5 }; /* cycles between two looks */

/* Looks at the system behind its own gpu_cycle. */
typedef struct spy {
    wr_system_hooks hooks;
    const wr_vt *vt;
    uint64_t looks, inactive, dead; /* looks at units; TBs seen inactive, and out for good */
} spy;

/* A warp in a slot waits where the machine says so. Of one that lacks data and a result of
 * arithmetic, the data may have come. */
static void check_wait(const wr_sm *sm, uint32_t slot, bool waits)
{
    bool barrier = (sm->barrier >> slot & 1) != 0;
    bool ready = (sm->ready >> slot & 1) != 0;

    assert_true(!waits || barrier || !ready);
    assert_true(waits || !(barrier || (!ready && (sm->awaits_memory >> slot & 1) != 0)));
}

static void look_at_warp(const wr_vt_unit *u, uint32_t t, uint32_t j)
{
    const wr_vt *vt = u->vt;
    bool inactive = (u->inactive >> t & 1) != 0;
    bool waits = (u->waits[t] >> j & 1) != 0;
    uint32_t id = wr_sm_tb_id(u->sm, t, j);
    uint32_t slot = wr_sm_warp_slot(u->sm, id);

    if (u->swap.on && u->swap.in == t && slot == UINT32_MAX) { /* it is still to enter */
        assert_int_equal(waits, u->sm->away[id].at_barrier && !u->sm->away[id].passed);
        return;
    }
    if (inactive) {
        assert_int_equal(slot, UINT32_MAX);
        assert_int_equal(waits, wr_sm_warp_pending(u->sm, id) != 0);
        return;
    }
    assert_int_equal(slot, wr_vt_slot(u, t, j));
    assert_ptr_equal(u->sm->warps[slot].rows,
                     u->sm->regs + (size_t)(t * vt->warps + j) * vt->regs * WR_LANES);
    check_wait(u->sm, slot, waits);
    if ((u->unmapped >> slot & 1) == 0 && !u->out.busy) {
        assert_int_equal(u->table.model.vwi_q[slot], t * vt->warps + j);
    }
}

static void look_at_tb(const wr_vt_unit *u, uint32_t t)
{
    const wr_vt_status_table *m = &u->table.model;

    assert_int_equal(m->active_q[t], (u->inactive >> t & 1) == 0);
    assert_int_equal(m->count_q[t], __builtin_popcount(u->told[t]));
    assert_true(wr_sm_tb(u->sm, t).valid || u->sm->tbs[t].leaving);
    for (uint32_t j = 0; j < u->vt->warps; j++) {
        if ((u->finished[t] >> j & 1) == 0) {
            look_at_warp(u, t, j);
        }
    }
}

/* Every warp in a slot of a TB that was placed before the other is the older one. */
static void look_at_ages(const wr_vt_unit *u, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < u->vt->warps * u->vt->warps; i++) {
        uint32_t a = wr_sm_tb_warp(u->sm, first, i / u->vt->warps);
        uint32_t b = wr_sm_tb_warp(u->sm, second, i % u->vt->warps);

        assert_true(a == UINT32_MAX || b == UINT32_MAX || (u->sm->schedule.older[b] >> a & 1) != 0);
    }
}

static void look_at_unit(spy *s, const wr_vt_unit *u)
{
    uint32_t active = 0;

    if (u->starts) {
        return;
    }
    for (uint32_t t = 0; t < WR_VT_TBS_MAX; t++) {
        const wr_vt_status_table *m = &u->table.model;

        if ((u->here >> t & 1) != 0) {
            look_at_tb(u, t);
            for (uint32_t i = 0; u->vt->keeps_age && i < t; i++) {
                if ((u->here >> i & 1) != 0 && wr_sm_tb(u->sm, i).valid && !u->sm->tbs[t].leaving) {
                    bool first = u->born[i] < u->born[t];

                    look_at_ages(u, first ? i : t, first ? t : i);
                }
            }
        } else if ((u->ended >> t & 1) == 0 && m->count_q[t] != WR_VT_FREE) {
            assert_false(m->active_q[t]);
            assert_int_equal(m->count_q[t], u->vt->warps);
            s->dead++;
        }
        active += m->active_q[t];
    }
    assert_true(active <= u->vt->groups);
    s->looks++;
    s->inactive += (uint32_t)__builtin_popcount(u->inactive);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    spy *s = self;

    for (uint32_t i = 0; s->vt->engaged && wr_gpu_cycle(gpu) % EVERY == 0 && i < s->vt->sms; i++) {
        look_at_unit(s, &s->vt->unit[i]);
    }
}

static wr_system_group *open_system(const wr_gpu_config *cfg, const char *spec,
                                    const wr_system_given *given)
{
    char err[256];
    wr_system_group *g = wr_system_group_open(&spec, 1, given, cfg, err, sizeof err);

    if (g == NULL) {
        fail_msg("%s", err);
    }
    return g;
}

typedef struct wanted {
    const char *name;
    uint64_t value;
    bool found;
} wanted;

static void find(void *arg, const wr_row *row)
{
    wanted *w = arg;

    if (strcmp(row->name, w->name) == 0) {
        w->found = true;
        w->value = row->count;
    }
}

static uint64_t figure(const wr_system_group *g, const char *name)
{
    wanted w = {.name = name};

    each_row(g, find, &w);
    if (!w.found) {
        fail_msg("no row %s", name);
    }
    return w.value;
}

static wr_gpu_config machine(uint32_t sms)
{
    wr_gpu_config cfg = jobs_config("maxwell");

    cfg.sms = sms;
    return cfg;
}

/* The job under the system with a spy; its rows are still to be had from *g. */
static job_outcome run_spied(wr_job *job, const wr_gpu_config *cfg, const char *spec, spy *s,
                             wr_system_group **g)
{
    const wr_system_hooks *all[2] = {NULL, &s->hooks};
    wr_chain chain;

    *g = open_system(cfg, spec, NULL);
    all[0] = wr_system_group_hooks(*g);
    *s = (spy){.vt = all[0]->self, .hooks = {.self = s, .gpu_cycle = on_gpu_cycle}};
    return jobs_run(job, cfg, wr_chain_join(&chain, all, 2));
}

/* The lines that moved took their time: port bytes a cycle. */
static void check_moves(const wr_system_group *g, uint32_t port)
{
    assert_int_equal(figure(g, "swaps.lines") * WR_DUET_LINE, figure(g, "swaps.cycles") * port);
}

/* Kernels that warp slots limit: with barriers, local arrays, warps that finish early, divergence,
 * many launches; and fewer TBs than the SM holds at the end of each. */
static void test_kernels(void **state)
{
    static const char *const files[] = {"tests/systems/virtual_thread/ragged.yaml",
                                        "tests/systems/virtual_thread/deep.yaml",
                                        "kernels/bfs_kernel2.yaml",
                                        "kernels/histo.yaml",
                                        "kernels/reduction.yaml",
                                        "kernels/streamcluster_pgain.yaml",
                                        "kernels/transpose.yaml",
                                        "kernels/scan.yaml",
                                        "kernels/btree_findk.yaml",
                                        "kernels/hotspot.yaml",
                                        "kernels/haar_dwt.yaml",
                                        "kernels/convolution_separable.yaml"};
    static const struct {
        const char *spec;
        uint32_t sms, port;
    } ways[] = {{"virtual_thread", 1, 128},
                {"virtual_thread:port=64,meta=4,extra=3,age=tb", 1, 64},
                {"virtual_thread:port=256,meta=1,tbs=11", 2, 256}};
    uint64_t dead = 0;

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        wr_job job;

        jobs_load(&job, files[i], 0);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            wr_gpu_config cfg = machine(ways[w].sms);
            job_outcome plain = jobs_run(&job, &cfg, NULL);
            wr_system_group *g;
            spy s;
            job_outcome o = run_spied(&job, &cfg, ways[w].spec, &s, &g);

            if (plain.result.status != WR_RUN_DONE || o.result.status != WR_RUN_DONE || !o.right) {
                fail_msg("%s under %s: %s", files[i], ways[w].spec, o.result.message);
            }
            assert_memory_equal(o.hash, plain.hash, sizeof o.hash);
            print_message("%s, %s: %llu cycles, %llu without; %llu swaps\n", files[i], ways[w].spec,
                          (unsigned long long)o.result.cycles,
                          (unsigned long long)plain.result.cycles,
                          (unsigned long long)figure(g, "swaps.count"));
            check_moves(g, ways[w].port);
            dead += s.dead;
            if (w == 0) {
                assert_true(figure(g, "swaps.count") > 20 && s.looks > 200 && s.inactive > s.looks);
                assert_true(figure(g, "tbs.most") > figure(g, "tbs.native"));
                assert_true(figure(g, "tbs.most") <= 32);
            }
            wr_system_group_close(g);
        }
        wr_job_free(&job);
    }
    assert_true(dead > 0);
}

/* Where the mechanism has nothing to give, or is off, it changes no cycle. */
static void test_native(void **state)
{
    static const struct {
        const char *file, *spec;
        uint32_t native, capacity;
    } rows[] = {
        {"kernels/transpose.yaml", "virtual_thread:extra=0", 0, 0}, /* no hooks: it sees nothing */
        {"kernels/transpose.yaml", "virtual_thread:tbs=8", 8, 8},
        {"kernels/transpose.yaml", "virtual_thread:tbs=3", 8, 8},
        {"kernels/cfd_compute_flux.yaml", "virtual_thread", 5, 5},         /* registers */
        {"kernels/hybridsort_histogram1024.yaml", "virtual_thread", 8, 8}, /* shared memory */
        {"kernels/lud_diagonal.yaml", "virtual_thread", 32, 32}, /* TB slots, the table's */
        {"kernels/spmv_ellr.yaml", "virtual_thread", 8, 16},     /* too few TBs for it */
        {"tests/systems/virtual_thread/votes.yaml", "virtual_thread", 8,
         8}, /* warps at barriers can't leave */
    };
    wr_gpu_config cfg = machine(1);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_job job;

        jobs_load(&job, rows[i].file, 0);
        job_outcome plain = jobs_run(&job, &cfg, NULL);
        wr_system_group *g = open_system(&cfg, rows[i].spec, NULL);
        job_outcome o = jobs_run(&job, &cfg, wr_system_group_hooks(g));

        assert_int_equal(plain.result.status, WR_RUN_DONE);
        assert_int_equal(o.result.status, WR_RUN_DONE);
        assert_true(o.right);
        assert_int_equal(o.result.cycles, plain.result.cycles);
        assert_int_equal(figure(g, "tbs.native"), rows[i].native);
        assert_int_equal(figure(g, "tbs.capacity"), rows[i].capacity);
        assert_int_equal(figure(g, "swaps.count"), 0);
        wr_system_group_close(g);
        wr_job_free(&job);
    }
}

/* Shared memory behind all TBs' holds the state of those that are inactive: of 98,304 bytes or
 * fewer, TBs of 8 warps and 2 lines each, 1,024 bytes of shared memory a TB (ragged). 8 of 16 are
 * inactive: 16 * 1,024 + 8 * 2,048 = 32,768. */
static void test_homes(void **state)
{
    static const struct {
        uint32_t bytes;
        uint64_t capacity;
    } rows[] = {{98304, 16}, {32768, 16}, {32640, 15}, {11264, 9}, {11136, 8}, {8192, 8}};
    wr_job job;

    (void)state;
    jobs_load(&job, "tests/systems/virtual_thread/ragged.yaml", 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config cfg = machine(1);
        wr_system_group *g;
        spy s;

        cfg.sm.shared_bytes = rows[i].bytes;
        job_outcome plain = jobs_run(&job, &cfg, NULL);
        job_outcome o = run_spied(&job, &cfg, "virtual_thread", &s, &g);
        assert_int_equal(o.result.status, WR_RUN_DONE);
        assert_memory_equal(o.hash, plain.hash, sizeof o.hash);
        assert_int_equal(figure(g, "tbs.capacity"), rows[i].capacity);
        assert_int_equal(figure(g, "tbs.most"), rows[i].capacity > 8 ? rows[i].capacity : 0);
        wr_system_group_close(g);
    }
    wr_job_free(&job);
}

/* The block in RTL beside its model. */
static void test_lockstep(void **state)
{
    const wr_system_given lockstep = {.blocks = "lockstep"};
    const wr_system_given model = {.blocks = "model"};
    wr_gpu_config cfg = machine(2);
    uint64_t cycles[2];
    wr_job job;

    (void)state;
    (void)setenv("WR_CXX_OPTIMIZE", "-O0", 1);
    jobs_load(&job, "kernels/transpose.yaml", 0);
    for (uint32_t l = 0; l < 2; l++) {
        wr_system_group *g = open_system(&cfg, "virtual_thread", l != 0 ? &lockstep : &model);
        job_outcome o = jobs_run(&job, &cfg, wr_system_group_hooks(g));

        if (o.result.status != WR_RUN_DONE || !o.right) {
            fail_msg("%s", o.result.message);
        }
        cycles[l] = o.result.cycles;
        assert_true(figure(g, "swaps.count") > 20);
        assert_true((figure(g, "blocks.vt_status_table.comparisons") > 1000) == (l != 0));
        assert_int_equal(figure(g, "blocks.vt_status_table.mismatches"), 0);
        wr_system_group_close(g);
    }
    assert_int_equal(cycles[0], cycles[1]);
    wr_job_free(&job);
}

/* A kernel that waits for itself is told as such, at once: no swap keeps it busy. */
static void test_stuck(void **state)
{
    wr_gpu_config cfg = machine(1);
    wr_system_group *g;
    wr_job job;
    spy s;

    (void)state;
    jobs_load(&job, "tests/systems/virtual_thread/stuck.yaml", 0);
    job_outcome o = run_spied(&job, &cfg, "virtual_thread", &s, &g);
    assert_int_equal(o.result.status, WR_RUN_DEADLOCK);
    assert_true(o.result.cycles < 10000 && figure(g, "swaps.count") > 0);
    assert_non_null(strstr(o.result.message, "deadlock in kernel stuck"));
    wr_system_group_close(g);
    wr_job_free(&job);
}

/* One launch at a time; one after the other is fine. */
static void test_streams(void **state)
{
    (void)state;
    for (uint32_t second = 0; second < 2; second++) {
        plan_new(1);
        wr_system_group *g = open_system(&plan.cfg, "virtual_thread", NULL);

        wr_gpu_attach(plan.gpu, wr_system_group_hooks(g));
        (void)plan_worker(0, 8, 14, 256);
        (void)plan_worker(second, 8, 14, 256);
        wr_run_result r = plan_run(LIMIT);
        assert_int_equal(r.status, second != 0 ? WR_RUN_REFUSED : WR_RUN_DONE);
        if (second != 0) {
            assert_string_equal(r.message, "system virtual_thread: one launch at a time; give the "
                                           "launches one stream");
        } else {
            plan_check_worker(&plan.steps[0]);
            plan_check_worker(&plan.steps[1]);
            assert_int_equal(figure(g, "tbs.most"), 8);
        }
        wr_system_group_close(g);
    }
}

static void test_not_beside(void **state)
{
    static const char *const others[] = {
        "drain",     "drf",     "duet",           "dyncta",   "preemption:period=300",
        "run_ahead", "sharing", "spart:shares=1", "warp_swap"};
    wr_gpu_config cfg = machine(1);
    char err[256];

    (void)state;
    for (size_t i = 0; i < 2 * sizeof others / sizeof others[0]; i++) {
        const char *pair[2] = {others[i / 2], "virtual_thread"};
        const char *specs[2] = {pair[i % 2], pair[1 - i % 2]};

        assert_null(wr_system_group_open(specs, 2, NULL, &cfg, err, sizeof err));
        assert_non_null(strstr(err, "cannot run beside system"));
    }
    const char *const monitored[2] = {"monitor", "virtual_thread"};
    wr_system_group *g = wr_system_group_open(monitored, 2, NULL, &cfg, err, sizeof err);
    assert_non_null(g);
    wr_system_group_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_native),
        cmocka_unit_test(test_homes),      cmocka_unit_test(test_lockstep),
        cmocka_unit_test(test_stuck),      cmocka_unit_test_teardown(test_streams, plan_teardown),
        cmocka_unit_test(test_not_beside),
    };

    return cmocka_run_group_tests_name("virtual_thread", tests, NULL, NULL);
}
