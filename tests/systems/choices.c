/* SPDX-License-Identifier: Apache-2.0 */
/* See choices.h. */
#include "tests/systems/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "systems/frame/chain.h"
#include "tests/systems/rows.h"

typedef struct turn {
    bool asked;
    int want, issued; /* in this cycle */
    int last;
} turn;

static struct {
    const choices_test *test;
    wr_gpu *gpu;
    uint32_t schedulers;
    turn of[CHOICES_SMS][WR_CONFIG_MAX_SCHEDULERS];
    choices_seen seen;
} c;

int choices_round_robin(uint32_t sm, uint32_t scheduler, uint64_t warps)
{
    for (int i = 1; i <= 64; i++) {
        const int w = (c.of[sm][scheduler].last + i) % 64;

        if ((warps >> w & 1) != 0) {
            return w;
        }
    }
    return CHOICES_NONE;
}

static uint32_t on_choose(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    turn *t = &c.of[wr_sm_id(sm)][scheduler];

    (void)self;
    assert_false(t->asked);
    t->asked = true;
    t->want = c.test->want(sm, scheduler, candidates);
    c.seen.asked++;
    return UINT32_MAX;
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    turn *t = &c.of[wr_sm_id(sm)][warp % c.schedulers];

    (void)self;
    (void)lanes;
    assert_true(t->asked);
    if (t->want != (int)warp) {
        fail_msg("SM %u, scheduler %u, cycle %lu: warp %u issues, not %d", wr_sm_id(sm),
                 warp % c.schedulers, wr_gpu_cycle(wr_sm_gpu(sm)), warp, t->want);
    }
    t->issued = (int)warp;
    t->last = (int)warp;
    c.seen.issued++;
    if (c.test->issues) {
        c.test->issues(sm, warp);
    }
}

static void on_cycle(void *self, wr_gpu *gpu)
{
    for (uint32_t i = 0; i < CHOICES_SMS * c.schedulers; i++) {
        turn *t = &c.of[i / c.schedulers][i % c.schedulers];

        if (t->asked) {
            assert_true((t->want == CHOICES_NONE) == (t->issued == CHOICES_NONE));
            c.seen.none += t->want == CHOICES_NONE;
        }
        t->asked = false;
        t->issued = CHOICES_NONE;
    }
    if (c.test->events.gpu_cycle) {
        c.test->events.gpu_cycle(self, gpu);
    }
}

wr_gpu_config choices_machine(const char *name)
{
    wr_gpu_config cfg = jobs_config(name);

    cfg.sms = CHOICES_SMS;
    cfg.sm.policy = WR_SCHED_LRR;
    return cfg;
}

choices_seen choices_run(const char *file, const wr_gpu_config *cfg, const char *spec,
                         const char *beside, const choices_test *test)
{
    const char *const specs[] = {spec, beside};
    char err[256];
    wr_chain chain;
    wr_job job;
    wr_system_hooks own = test->events;
    wr_system_group *systems =
        wr_system_group_open(specs, beside ? 2 : 1, NULL, cfg, err, sizeof err);

    if (systems == NULL) {
        fail_msg("%s", err);
    }
    memset(&c, 0, sizeof c);
    c.test = test;
    c.schedulers = cfg->sm.schedulers;
    for (uint32_t i = 0; i < CHOICES_SMS * c.schedulers; i++) {
        c.of[i / c.schedulers][i % c.schedulers].issued = CHOICES_NONE;
        c.of[i / c.schedulers][i % c.schedulers].last = 63;
    }
    own.choose_warp = on_choose;
    own.warp_issued = on_issued;
    own.gpu_cycle = on_cycle;
    const wr_system_hooks *tables[2] = {&own, wr_system_group_hooks(systems)};

    jobs_load(&job, file, 0);
    const job_outcome o = jobs_run(&job, cfg, wr_chain_join(&chain, tables, 2));

    assert_int_equal(o.result.status, WR_RUN_DONE);
    assert_true(o.right);
    if (test->row) {
        each_row(systems, test->row, test->arg);
    }
    wr_job_free(&job);
    wr_system_group_close(systems);
    c.seen.cycles = o.result.cycles;
    return c.seen;
}

void choices_off(const char *file, const wr_gpu_config *cfg, const char *spec)
{
    wr_job job;

    jobs_load(&job, file, 0);
    const job_outcome bare = jobs_run(&job, cfg, NULL);
    char err[256];
    wr_system_group *systems = wr_system_group_open(&spec, 1, NULL, cfg, err, sizeof err);

    if (systems == NULL) {
        fail_msg("%s", err);
    }
    const job_outcome o = jobs_run(&job, cfg, wr_system_group_hooks(systems));

    assert_int_equal(o.result.cycles, bare.result.cycles);
    assert_memory_equal(o.hash, bare.hash, sizeof o.hash);
    wr_job_free(&job);
    wr_system_group_close(systems);
}
