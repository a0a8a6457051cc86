/* SPDX-License-Identifier: Apache-2.0 */
/* Real kernels whose TBs are saved and restored at random, single ones and whole SMs, on any SM,
 * while others run on and the dispatcher fills the room that they leave: the output is that of the
 * run without, on machines whose sizes differ, with every backend of the blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/context/engine.h"
#include "testbench/rng.h"
#include "tests/long.h"
#include "tests/systems/jobs.h"

enum { MOST_AWAY = 256 };

/* A policy of its own: a request now and then, to a random SM. */
typedef struct shuffler {
    wr_system_hooks hooks;
    wr_rng rng;
    uint32_t period; /* mean distance of two requests, cycles */
    uint64_t next;
    uint32_t sms, entries;
    wr_context_area areas[WR_MAX_STREAMS];
    wr_context_engine *engine;
    wr_saved_tb away[MOST_AWAY];
    uint32_t came_from[MOST_AWAY];
    uint32_t away_count;

    uint64_t saved, restored, moved, finished;
    uint64_t beside; /* instructions of an SM's other TBs while one of it is saved */
    char failed[600];
} shuffler;

static void ask_save(shuffler *s, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);
    uint64_t tbs = UINT64_C(1) << wr_rng_below(&s->rng, wr_sm_tb_slots(sm));
    uint32_t kind = wr_rng_below(&s->rng, 10);

    if (s->away_count + 3 * wr_sm_tb_slots(sm) > MOST_AWAY) {
        return;
    }
    if (kind == 0) {
        tbs = WR_ALL_TBS;
    } else if (kind < 3) {
        tbs = wr_rng_u64(&s->rng);
    }
    (void)wr_context_engine_save(&s->engine[id], sm, tbs);
}

static void ask_restore(shuffler *s, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);
    uint32_t i = wr_rng_below(&s->rng, s->away_count);

    if (wr_context_engine_restore(&s->engine[id], sm, &s->away[i])) {
        s->moved += s->came_from[i] != id;
        s->away_count--;
        s->away[i] = s->away[s->away_count];
        s->came_from[i] = s->came_from[s->away_count];
    }
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    shuffler *s = self;

    if (wr_gpu_cycle(gpu) < s->next) {
        return;
    }
    s->next = wr_gpu_cycle(gpu) + 1 + wr_rng_below(&s->rng, 2 * s->period);
    wr_sm *sm = wr_gpu_sm(gpu, wr_rng_below(&s->rng, s->sms));

    if (s->away_count != 0 && wr_rng_chance(&s->rng, 80)) {
        ask_restore(s, sm);
    } else {
        ask_save(s, sm);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const shuffler *s = self;

    return s->next > now ? s->next : now + 1;
}

static void handle(shuffler *s, const wr_sm *sm, const wr_context_event *event)
{
    switch (event->what) {
    case WR_CONTEXT_SAVED:
        assert_true(s->away_count < MOST_AWAY);
        s->came_from[s->away_count] = wr_sm_id(sm);
        s->away[s->away_count++] = event->tb;
        s->saved++;
        break;
    case WR_CONTEXT_FINISHED:
        s->finished++;
        break;
    case WR_CONTEXT_RESTORED:
        assert_int_equal(wr_sm_tb(sm, event->slot).linear, event->tb.info.linear);
        s->restored++;
        break;
    }
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    shuffler *s = self;
    wr_context_engine *engine = &s->engine[wr_sm_id(sm)];

    if (engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    wr_context_engine_step(engine, sm);
    for (uint32_t i = 0; i < engine->event_count; i++) {
        handle(s, sm, &engine->event[i]);
    }
    if (engine->state == WR_CONTEXT_FAILED) {
        (void)snprintf(s->failed, sizeof s->failed, "%s", engine->message);
        wr_gpu_abort(wr_sm_gpu(sm), s->failed);
    }
}

static void on_warp_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    shuffler *s = self;
    const wr_context_engine *engine = &s->engine[wr_sm_id(sm)];

    (void)lanes;
    s->beside += engine->open != 0 && (engine->open >> wr_sm_warp(sm, warp).tb_slot & 1) == 0;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    shuffler *s = self;

    assert_true(
        wr_context_area_prepare(&s->areas[stream], gpu, launch, WR_CONTEXT_BY_WARP, s->entries));
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    shuffler *s = self;

    assert_int_equal(s->areas[stream].taken, 0);
    for (uint32_t i = 0; i < s->sms && wr_gpu_launches(gpu) == 0; i++) {
        wr_context_engine_drop(&s->engine[i], wr_gpu_sm(gpu, i));
    }
}

static shuffler *open_shuffler(const wr_gpu_config *config, wr_backend backend, uint64_t seed,
                               uint32_t period)
{
    shuffler *s = calloc(1, sizeof *s);
    char err[512];

    assert_non_null(s);
    wr_rng_seed(&s->rng, seed);
    s->period = period;
    s->next = period;
    s->sms = config->sms;
    s->entries = MOST_AWAY;
    s->engine = calloc(s->sms, sizeof *s->engine);
    assert_non_null(s->engine);
    for (uint32_t i = 0; i < s->sms; i++) {
        if (!wr_context_engine_open(&s->engine[i], config, &(wr_behind){.backend = backend}, 3,
                                    s->areas, WR_CONTEXT_BY_WARP, 1, err, sizeof err)) {
            fail_msg("%s", err);
        }
    }
    s->hooks = (wr_system_hooks){.self = s,
                                 .launch_begin = on_launch_begin,
                                 .launch_end = on_launch_end,
                                 .gpu_cycle = on_gpu_cycle,
                                 .sm_cycle = on_sm_cycle,
                                 .next_cycle = on_next_cycle,
                                 .warp_issued = on_warp_issued};
    return s;
}

static void close_shuffler(shuffler *s)
{
    for (uint32_t i = 0; i < s->sms; i++) {
        wr_context_engine_close(&s->engine[i]);
    }
    free(s->engine);
    free(s);
}

/* The first ones on every machine; the shorter form (tests/long.h) takes of these one, of all four.
 */
static const char *const paths[] = {
    "tests/library/together.yaml",
    "kernels/pathfinder_dynproc.yaml",
    "kernels/reduction.yaml",
    "kernels/backprop_layerforward.yaml",
    "kernels/matrixmul.yaml",
    "kernels/hotspot.yaml",
    "kernels/haar_dwt.yaml",
    "kernels/lud_perimeter.yaml",
    "kernels/kmeans_invert_mapping.yaml",
};
enum { EVERYWHERE = 3, PATHS = sizeof paths / sizeof paths[0] };

/* One launch file under the policy with these blocks; its output is that of the plain run. */
static uint64_t shuffle(wr_job *job, const job_outcome *plain, const char *path,
                        const wr_gpu_config *config, wr_backend backend, uint64_t seed)
{
    uint32_t period = (uint32_t)(plain->result.cycles / 200 + 1);
    shuffler *s = open_shuffler(config, backend, seed, period);
    job_outcome o = jobs_run(job, config, &s->hooks);

    if (o.result.status != WR_RUN_DONE) {
        fail_msg("%s, %s, seed %llu: %s", path, config->name, (unsigned long long)seed,
                 o.result.message);
    }
    if (!o.right || memcmp(o.hash, plain->hash, sizeof plain->hash) != 0) {
        fail_msg("%s, %s, seed %llu: the output %s", path, config->name, (unsigned long long)seed,
                 o.right ? "differs from the run without" : "is wrong");
    }
    assert_int_equal(s->saved, s->restored);
    print_message("%s, %s, %s: %llu TBs saved and restored, %llu of them on another SM, %llu "
                  "finished first; %llu instructions of TBs beside one that was saved\n",
                  path, config->name, wr_backend_name(backend), (unsigned long long)s->saved,
                  (unsigned long long)s->moved, (unsigned long long)s->finished,
                  (unsigned long long)s->beside);
    assert_true(s->saved > 10 && s->moved > s->saved / 2 && s->beside > 100);
    close_shuffler(s);
    return o.result.cycles;
}

static void shuffle_all(const char *config_name, size_t count, const wr_backend *backends,
                        size_t backend_count)
{
    wr_gpu_config config = jobs_config(config_name);
    uint64_t seed = jobs_seed();

    for (size_t p = 0; p < count; p++) {
        wr_job job;
        uint64_t cycles = 0;

        jobs_load(&job, paths[p], p % 2 == 0 ? 0 : 4);
        job_outcome plain = jobs_run(&job, &config, NULL);

        assert_true(plain.result.status == WR_RUN_DONE && plain.right);
        for (size_t b = 0; b < backend_count; b++) {
            uint64_t took = shuffle(&job, &plain, paths[p], &config, backends[b], seed + p);

            assert_true(b == 0 || took == cycles);
            cycles = took;
        }
        wr_job_free(&job);
    }
}

static void test_model(void **state)
{
    static const wr_backend backend[] = {WR_BACKEND_MODEL};

    (void)state;
    shuffle_all("gtx480", wr_test_long() ? PATHS : 4, backend, 1);
}

static void test_machines_in_lockstep(void **state)
{
    static const char *const config[] = {"gtx480", "maxwell", "gtx980"};
    static const wr_backend backend[] = {WR_BACKEND_MODEL, WR_BACKEND_RTL, WR_BACKEND_LOCKSTEP};

    (void)state;
    for (size_t c = 0; c < sizeof config / sizeof config[0]; c++) {
        shuffle_all(config[c], wr_test_long() ? EVERYWHERE : 1, backend, 3);
    }
}

/* An argument chooses tests by name, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_machines_in_lockstep),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
