/* SPDX-License-Identifier: Apache-2.0 */
/* Several TBs on their way into an SM at a time, over fake SMs: what happens meanwhile. Each test
 * saves TBs of SM 0, and brings them to SM 1 in the order in which they were saved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/context/engine.h"
#include "tests/systems/bench.h"

typedef struct rig {
    bench b;
    wr_system_hooks hooks;
    wr_context_area areas[WR_MAX_STREAMS];
    wr_context_engine engine[2];
    wr_saved_tb away[BENCH_TBS];
    uint32_t saved, restored, finished;
    uint32_t order[BENCH_TBS]; /* TBs in the order in which they came back */
} rig;

static void handle(rig *r, const wr_sm *sm, const wr_context_event *event)
{
    uint32_t linear = event->tb.info.linear;

    if (event->what == WR_CONTEXT_FINISHED) {
        r->finished++;
    } else if (event->what == WR_CONTEXT_SAVED) {
        r->away[r->saved++] = event->tb;
    } else {
        assert_int_equal(r->b.tb[linear].sm, sm->id);
        if (!bench_compare_tb(&r->b, &r->b.tb[linear], true)) {
            fail_msg("seed %llu: TB %u came back different", (unsigned long long)r->b.seed, linear);
        }
        r->order[r->restored++] = linear;
    }
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    rig *r = self;
    wr_context_engine *engine = &r->engine[sm->id];

    if (wr_context_engine_idle(engine) || engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    wr_context_engine_step(engine, sm);
    if (engine->state == WR_CONTEXT_FAILED) {
        wr_gpu_abort(r->b.gpu, engine->message);
    }
    bench_follow(&r->b);
    for (uint32_t i = 0; i < engine->event_count; i++) {
        handle(r, sm, &engine->event[i]);
    }
}

static rig *open_rig(uint64_t seed)
{
    rig *r = calloc(1, sizeof *r);
    char err[512];

    assert_non_null(r);
    bench_open_bare(&r->b, seed, 2, WR_CONTEXT_BY_WARP);
    r->b.gpu->entries = 2 * FAKE_TBS;
    assert_true(wr_context_area_prepare(&r->areas[0], r->b.gpu, &r->b.launch, WR_CONTEXT_BY_WARP,
                                        2 * FAKE_TBS));
    for (uint32_t i = 0; i < 2; i++) {
        if (!wr_context_engine_open(&r->engine[i], &r->b.gpu->cfg,
                                    &(wr_behind){.backend = WR_BACKEND_MODEL}, i, r->areas,
                                    WR_CONTEXT_BY_WARP, 1, err, sizeof err)) {
            fail_msg("%s", err);
        }
    }
    r->hooks = (wr_system_hooks){.self = r, .sm_cycle = on_sm_cycle};
    r->b.gpu->hooks = &r->hooks;
    return r;
}

static void close_rig(rig *r)
{
    for (uint32_t i = 0; i < 2; i++) {
        wr_context_engine_close(&r->engine[i]);
    }
    bench_close(&r->b);
    free(r);
}

/* Six warps a TB, so that as many TBs fit as there are slots; each has registers, and memory is
 * slow against the block. */
static rig *wide_rig(void)
{
    for (uint64_t seed = bench_seed(9);; seed++) {
        rig *r = open_rig(seed);

        if (r->b.warps <= 6 && r->b.shared_bytes > 1000 && r->b.regs > 8) {
            r->b.gpu->refuse = 0;
            r->b.gpu->delay = 100;
            r->b.gpu->stop_delay = 0;
            return r;
        }
        close_rig(r);
    }
}

static void add_tb(rig *r, uint32_t sm)
{
    bench *b = &r->b;
    bench_tb *tb = &b->tb[b->tbs];
    uint32_t slot = fake_place(&b->gpu->sm[sm], &b->launch, b->tbs, b->regs, b->shared_bytes);

    assert_int_not_equal(slot, UINT32_MAX);
    *tb = (bench_tb){.lives = true, .sm = sm, .slot = slot};
    b->tbs++;
    bench_scramble_tb(b, tb);
}

/* Saves that many new TBs of SM 0 and asks for them on SM 1. */
static void bring(rig *r, uint32_t tbs)
{
    for (uint32_t i = 0; i < tbs; i++) {
        add_tb(r, 0);
    }
    (void)wr_context_engine_save(&r->engine[0], &r->b.gpu->sm[0], WR_ALL_TBS);
    while (r->saved < tbs) {
        fake_cycle(r->b.gpu);
    }
    for (uint32_t i = 0; i < tbs; i++) {
        assert_true(wr_context_engine_restore(&r->engine[1], &r->b.gpu->sm[1], &r->away[i]));
    }
}

/* Runs until so many TBs are on their way in. */
static uint64_t run_until_coming(rig *r, int count)
{
    for (uint32_t i = 0; i < 100000; i++) {
        fake_cycle(r->b.gpu);
        assert_string_equal(r->b.gpu->aborted, "");
        if (__builtin_popcountll(bench_coming(&r->b.gpu->sm[1])) == count) {
            return bench_coming(&r->b.gpu->sm[1]);
        }
    }
    fail_msg("never %d TBs on their way in", count);
    return 0;
}

static void run_until_restored(rig *r, uint32_t count)
{
    for (uint32_t i = 0; r->restored < count; i++) {
        assert_true(i < 100000);
        fake_cycle(r->b.gpu);
        assert_string_equal(r->b.gpu->aborted, "");
    }
}

/* All TBs that have room are on their way together, and become whole in the order of the
 * requests; the reads of all of them are one request a cycle. */
static void test_together(void **state)
{
    rig *r = wide_rig();

    (void)state;
    bring(r, 8);
    (void)run_until_coming(r, 8);
    assert_int_equal(r->restored, 0);
    run_until_restored(r, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(r->order[i], r->away[i].info.linear);
    }
    assert_true(wr_context_engine_idle(&r->engine[1]));
    assert_int_equal(r->b.gpu->sm[1].most_in_a_cycle, 1);
    assert_int_equal(r->areas[0].taken, 0);
    close_rig(r);
}

/* A save request while two TBs are on their way in: they are not for it, it goes on once they are
 * whole, and the TB behind them is placed when nothing is left to save. */
static void test_save_meanwhile(void **state)
{
    rig *r = wide_rig();
    wr_sm *sm = &r->b.gpu->sm[1];

    (void)state;
    add_tb(r, 1);
    uint64_t stays = UINT64_C(1) << r->b.tb[0].slot;

    bring(r, 3);
    uint64_t two = run_until_coming(r, 2);

    assert_int_equal(wr_context_engine_save(&r->engine[1], sm, WR_ALL_TBS), stays);
    assert_int_equal(wr_context_engine_save(&r->engine[1], sm, two), 0);
    assert_int_equal(sm->stop, stays);
    while (r->saved == 3) {
        assert_int_equal(r->b.gpu->placements, 2);
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->restored, 2);
    assert_int_equal(r->away[3].info.linear, 0);
    assert_int_equal(r->engine[1].record.latency,
                     r->engine[1].record.drain + r->engine[1].record.spill);
    run_until_restored(r, 3);
    assert_true(wr_context_engine_idle(&r->engine[1]));
    assert_int_equal(r->areas[0].taken, 1);
    close_rig(r);
}

/* Three TBs and room for one: the others wait, and come in one by one as TBs end. */
static void test_no_room(void **state)
{
    rig *r = wide_rig();
    wr_sm *sm = &r->b.gpu->sm[1];

    (void)state;
    for (uint32_t i = 0; i < 7; i++) {
        add_tb(r, 1);
    }
    bring(r, 3);
    (void)run_until_coming(r, 1);
    for (uint32_t i = 0; i < 2; i++) {
        run_until_restored(r, i + 1);
        for (uint32_t c = 0; c < 500; c++) {
            fake_cycle(r->b.gpu);
        }
        assert_int_equal(r->b.gpu->placements, i + 1);
        assert_int_equal(r->engine[1].state, WR_CONTEXT_PLACE);
        for (uint32_t w = 0; w < r->b.warps; w++) {
            sm->warp[sm->tb[r->b.tb[i].slot].warp_base + w].finishes = true;
        }
    }
    run_until_restored(r, 3);
    assert_true(wr_context_engine_idle(&r->engine[1]));
    close_rig(r);
}

static uint32_t damaged; /* the TB whose memory is overwritten as it is placed */

static void break_depth(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    if ((uint32_t)(tb - b->tb) == damaged) {
        bench_pointers(b, tb, &regs, &shared, &stack);
        fake_memory(b->gpu, stack)[28] = 200;
    }
}

static void break_pointer(bench *b, const bench_tb *tb)
{
    if ((uint32_t)(tb - b->tb) == damaged) {
        fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb])[6] ^= 0x55;
    }
}

/* Damage in the second TB is found while the first one still comes in, and named as its. */
static void test_damaged_behind(void **state)
{
    static const struct {
        void (*tamper)(bench *, const bench_tb *);
        const char *message;
    } cases[] = {
        {break_pointer, "a pointer of its control block, to registers, is none"},
        {break_depth, "a SIMT stack is deeper than the hardware's"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig *r = wide_rig();
        char text[256];

        bring(r, 3);
        damaged = r->away[1].info.linear;
        r->b.tamper = cases[i].tamper;
        for (uint32_t c = 0; c < 100000 && !r->b.gpu->aborted[0]; c++) {
            fake_cycle(r->b.gpu);
        }
        (void)snprintf(text, sizeof text, "context of TB %u in simulated memory is damaged: %s",
                       damaged, cases[i].message);
        assert_non_null(strstr(r->b.gpu->aborted, text));
        assert_int_equal(r->restored, 0);
        assert_int_equal(__builtin_popcountll(bench_coming(&r->b.gpu->sm[1])), 3);
        close_rig(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_save_meanwhile),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_damaged_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
