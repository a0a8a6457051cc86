/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps warps from issuing, and its end: with the TB that it was said of, at run time, and
 * seen at once. */
#include "shell/core/seam/warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/exchange.h"
#include "tests/core/plan.h"

/* Holds of slots and stops of TBs end when their TBs leave: held are only warps that have finished,
 * told to stop are TBs without a preemption point; those that follow in their slots run. */
static void hold_finished(void *self, wr_gpu *gpu)
{
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        if (wr_gpu_cycle(gpu) % 64 == 0) {
            wr_sm_hold(sm, 7, ~wr_sm_live_warps(sm));
        }
        wr_sm_hold_stream(sm, 6, 5, wr_gpu_cycle(gpu) % 2); /* another owner says something */
    }
}
static uint64_t every_cycle(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

/* Nobody is there yet. */
static void keep_nobody(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm_hold(wr_gpu_sm(gpu, i), 0, 0xffff0000ffff0000);
        wr_sm_stop_tbs(wr_gpu_sm(gpu, i), 0, WR_ALL_TBS);
        wr_sm_stop_tbs(wr_gpu_sm(gpu, i), 1, 0); /* another owner joins */
    }
}

static void test_holds_end(void **state)
{
    static const wr_system_hooks hooks = {
        .launch_begin = keep_nobody, .gpu_cycle = hold_finished, .next_cycle = every_cycle};
    (void)state;
    assert_int_equal(exchange_run(&(exchange_how){0}),
                     exchange_run(&(exchange_how){.hooks = &hooks}));
}

static uint32_t stopped;
static void note_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    (void)self;
    (void)sm;
    (void)warp;
    stopped++;
}

static void stop_all(void *self, wr_gpu *gpu)
{
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu) && wr_gpu_cycle(gpu) == 100; i++) {
        wr_sm_stop_tbs(wr_gpu_sm(gpu, i), 2, WR_ALL_TBS);
    }
}
static uint64_t stop_all_next(void *self, uint64_t now)
{
    (void)self;
    return now < 100 ? 100 : UINT64_MAX;
}

static void test_stops_end(void **state)
{
    static const wr_system_hooks hooks = {
        .gpu_cycle = stop_all, .next_cycle = stop_all_next, .warp_stopped = note_stopped};
    (void)state;
    stopped = 0;
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(0, 8, 8, 64)->params.trips = 100; /* all slots, until long after the stop */
    for (uint32_t i = 0; i < 2; i++) {
        step *s = plan_add(i, "points", 8, 8, 64);
        plan_prologue(&s->kernel);
        plan_spin(&s->kernel);
        kit_add(&s->kernel, kit_plain(WR_OP_PP));
        plan_store_and_exit(&s->kernel, 3);
    }
    plan_run_all();
    assert_int_equal(stopped, 0);
}

/* A limit that changes in the middle of a run, with warps at barriers, and is lifted. */
static void limit_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu) && now % 500 == 0 && now <= 6000; i++) {
        uint32_t n = (uint32_t)(now / 500);
        wr_sm_limit(wr_gpu_sm(gpu, i), 4, now == 6000 ? 0 : 1 + n * 7 % 13);
    }
}
static uint64_t limit_next(void *self, uint64_t now)
{
    (void)self;
    return now < 6000 ? (now / 500 + 1) * 500 : UINT64_MAX;
}

static void look_limit(void *arg, wr_gpu *gpu)
{
    uint64_t *slots = arg;
    assert_true(kit_stat(gpu, "sched.stall.limit") > 100);
    *slots = exchange_slots(gpu);
}

static void test_limit_at_run_time(void **state)
{
    static const wr_system_hooks hooks = {.gpu_cycle = limit_cycle, .next_cycle = limit_next};
    uint64_t slots[2];
    uint64_t cycles[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        cycles[i] = exchange_run(&(exchange_how){
            .hooks = &hooks, .look = look_limit, .arg = &slots[i], .no_skip = i == 1});
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(slots[0], slots[1]);
}

/* The end of what keeps warps from running is seen in the next cycle, however soundly the SM
 * sleeps: begun at the start, ended when nothing has issued for a while. */
typedef enum kept { BY_HOLD, BY_STREAM, BY_LIMIT, BY_STOP, BY_CLOSE, KEPT } kept;
static struct {
    kept by;
    uint64_t issued, since, ended_at;
    bool seen;
} keep;

static void push(wr_sm *sm, bool on)
{
    switch (keep.by) {
    case BY_HOLD:
        wr_sm_hold(sm, 1, on ? UINT64_MAX : 0);
        break;
    case BY_STREAM:
        wr_sm_hold_stream(sm, 1, 0, on ? WR_ALL_SCHEDULERS : 0);
        break;
    case BY_LIMIT:
        wr_sm_limit(sm, 1, on ? 1 : 40);
        break;
    case BY_STOP:
        wr_sm_stop_tbs(sm, 1, on ? WR_ALL_TBS : 0);
        break;
    default:
        wr_sm_close(sm, 1, on ? WR_ALL_STREAMS : 0);
    }
}

static void keep_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    (void)self;
    if (keep.ended_at != 0) {
        bool placed = keep.by == BY_CLOSE && sm->tb_valid != 0;
        keep.seen |=
            now == keep.ended_at + 1 && (placed || wr_stats_issued(&sm->stats) > keep.issued);
        return;
    }
    if (now <= 3) { /* TBs come in these; a launch begins with the SM closed */
        push(sm, true);
    }
    if (wr_stats_issued(&sm->stats) != keep.issued || now < 10) {
        keep.issued = wr_stats_issued(&sm->stats);
        keep.since = now;
    } else if (now == keep.since + 1500 ||
               (keep.issued >= 8 && keep.by == BY_LIMIT && now == keep.since + 60)) {
        push(sm, false);
        keep.ended_at = now;
    }
}

static void keep_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    if (keep.by == BY_CLOSE) {
        push(wr_gpu_sm(gpu, 0), true);
    }
}

static uint64_t keep_next(void *self, uint64_t now)
{
    (void)self;
    return keep.ended_at == 0 || now <= keep.ended_at ? now + 1 : UINT64_MAX;
}

static void test_end_is_seen(void **state)
{
    static const wr_system_hooks hooks = {
        .launch_begin = keep_begin, .gpu_cycle = keep_cycle, .next_cycle = keep_next};
    (void)state;
    for (kept by = BY_HOLD; by < KEPT; by++) {
        memset(&keep, 0, sizeof keep);
        keep.by = by;
        plan_new(1);
        wr_gpu_attach(plan.gpu, &hooks);
        step *s = plan_add(0, "kept", 8, 1, 96); /* two warps of a scheduler */
        plan_prologue(&s->kernel);
        kit_add(&s->kernel, kit_plain(WR_OP_PP));
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
        plan_store_and_exit(&s->kernel, 3);
        plan_run_all();
        assert_true(keep.ended_at != 0);
        assert_true(keep.seen);
    }
}

/* A warp that is stopped where it lacks an operand of its barrier wakes: the point in front of the
 * barrier needs none. */
static struct {
    uint32_t stalled, woken, stopped;
} told;

static void tell_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    (void)self;
    (void)why;
    told.stalled++;
    const wr_uop *u = &sm->tbs[sm->warps[warp].tb].program->uops[sm->warps[warp].next];
    told.stopped += u->kind == WR_KIND_BAR && (sm->barrier >> warp & 1) == 0 ? 1 : 0;
}

static void tell_woken(void *self, wr_sm *sm, uint32_t warp)
{
    (void)self;
    (void)sm;
    (void)warp;
    told.woken++;
}

static void stop_lacking(void *self, wr_gpu *gpu)
{
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    (void)self;
    if (told.stopped == 1) {
        wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
        assert_int_equal(told.stalled, told.woken);
        told.stopped = 2;
    } else if (told.stopped == 2) {
        wr_sm_stop_tbs(sm, 0, 0);
        told.stopped = 3;
    }
}

static void test_stopped_lacking(void **state)
{
    static const wr_system_hooks hooks = {.gpu_cycle = stop_lacking,
                                          .next_cycle = every_cycle,
                                          .warp_stalled = tell_stalled,
                                          .warp_woken = tell_woken};
    uint32_t threads = 32;
    (void)state;
    memset(&told, 0, sizeof told);
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    step *s = plan_add(0, "lacks", 8, 1, 32);
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(wr_gpu_write(plan.gpu, s->params.out + 4 * (uint64_t)i, &threads, 4));
    }
    wr_insn bar = kit_plain(WR_OP_BAR);
    bar.src[1] = 3;
    bar.barrier = 2;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(&s->kernel, kit_plain(WR_OP_PP));
    kit_add(&s->kernel, bar);
    plan_store_and_exit(&s->kernel, 0);
    plan_run_all();
    assert_true(told.stopped >= 3);
    assert_int_equal(told.stalled, told.woken);
}

/* An SM has attention while any owner wants it: every cycle, none is skipped. */
static uint32_t attended;
static void attend_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    wr_sm_attend(wr_gpu_sm(gpu, 0), 0, true);
    wr_sm_attend(wr_gpu_sm(gpu, 0), 7, true);
}

static void attend_cycle(void *self, wr_sm *sm)
{
    uint64_t now = wr_gpu_cycle(wr_sm_gpu(sm));
    (void)self;
    assert_int_equal(attended, now);
    attended++;
    if (now == 100) {
        wr_sm_attend(sm, 0, false);
    } else if (now == 300) {
        wr_sm_attend(sm, 7, false);
    }
}

static void test_attention(void **state)
{
    static const wr_system_hooks hooks = {.launch_begin = attend_begin, .sm_cycle = attend_cycle};
    (void)state;
    attended = 0;
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(0, 8, 1, 64);
    plan_run_all();
    assert_int_equal(attended, 301);
    assert_int_equal(plan.gpu->attended, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_end),
        cmocka_unit_test_teardown(test_stops_end, plan_teardown),
        cmocka_unit_test(test_limit_at_run_time),
        cmocka_unit_test_teardown(test_end_is_seen, plan_teardown),
        cmocka_unit_test_teardown(test_stopped_lacking, plan_teardown),
        cmocka_unit_test_teardown(test_attention, plan_teardown),
    };
    return cmocka_run_group_tests_name("warps kept", tests, NULL, NULL);
}
