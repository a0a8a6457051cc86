/* SPDX-License-Identifier: Apache-2.0 */
/* The warp seam: masks that systems push, events of warps, the choice of a warp. */
#include "shell/core/seam/warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"
#include "shell/core/seam/meter.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { SMS = 3 };

/* TBs of the exchange kernel: threads take their time on a busy machine. */
static uint32_t tbs(uint32_t threads)
{
    return threads > 1 ? 6 : 0;
}

/* What each SM's hooks note, apart, since SMs run at the same time. */
typedef struct notes {
    uint64_t issued, lanes, stalled, woken, stopped, done;
    uint64_t waits;   /* warps told stalled and not yet woken, a bit each */
    uint64_t allowed; /* warps that may issue; else `wrong` */
    uint64_t wrong;
    uint64_t barrier; /* warps that wait at one, and since when */
    uint64_t since[WR_CONFIG_MAX_WARPS];
    wr_histogram waited; /* there */
    uint32_t turn;
} notes;
static notes note[SMS];

static void note_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    notes *n = &note[wr_sm_id(sm)];
    (void)self;
    n->issued++;
    n->lanes += lanes;
    n->wrong += (n->allowed >> warp & 1) == 0 ? 1 : 0;
}

static void note_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    notes *n = &note[wr_sm_id(sm)];
    uint64_t bit = UINT64_C(1) << warp;
    (void)self;
    n->stalled++;
    n->wrong += (n->waits & bit) != 0 ? 1 : 0; /* it waits already */
    n->waits |= bit;
    n->barrier |= why == WR_WAIT_BARRIER ? bit : 0;
    n->since[warp] = sm->now;
}

static void note_woken(void *self, wr_sm *sm, uint32_t warp)
{
    notes *n = &note[wr_sm_id(sm)];
    uint64_t bit = UINT64_C(1) << warp;
    (void)self;
    n->woken++;
    n->wrong += (n->waits & bit) == 0 ? 1 : 0; /* nobody has told that it waits */
    n->waits &= ~bit;
    if ((n->barrier & bit) != 0) {
        n->barrier &= ~bit;
        wr_histogram_add(&n->waited, sm->now - n->since[warp]);
    }
}

static void clear_notes(void)
{
    memset(note, 0, sizeof note);
    for (uint32_t i = 0; i < SMS; i++) {
        note[i].allowed = UINT64_MAX;
    }
}

static void compare_waits(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    const wr_histogram *waited = arg;
    (void)doc;
    if (strcmp(name, "sm.barrier_wait") == 0) {
        assert_true(h->count > 100 && h->sum > h->count);
        assert_memory_equal(h, waited, sizeof *h);
    }
}

static void compare_with_counters(void *arg, wr_gpu *gpu)
{
    wr_histogram waited = {0};
    uint64_t issued = 0;
    uint64_t lanes = 0;
    uint64_t stalled = 0;
    (void)arg;
    for (uint32_t i = 0; i < SMS; i++) {
        issued += note[i].issued;
        lanes += note[i].lanes;
        stalled += note[i].stalled;
        wr_histogram_join(&waited, &note[i].waited);
        assert_int_equal(note[i].stalled, note[i].woken);
        assert_int_equal(note[i].wrong, 0);
    }
    assert_int_equal(issued, kit_stat(gpu, "sm.issued"));
    assert_int_equal(lanes, kit_stat(gpu, "sm.thread_insns"));
    assert_int_equal(waited.count, kit_stat(gpu, "sm.barriers"));
    wr_gpu_histograms(gpu, compare_waits, &waited);
    assert_true(stalled > 100);
}

static void test_events(void **state)
{
    static const wr_system_hooks hooks = {
        .warp_issued = note_issued, .warp_stalled = note_stalled, .warp_woken = note_woken};
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        exchange_how how = {.tbs = threads == 3 ? 1 : tbs(threads)};
        uint64_t plain = exchange_run(&how);
        clear_notes();
        how.hooks = &hooks;
        how.look = compare_with_counters;
        how.threads = threads;
        assert_int_equal(plain, exchange_run(&how));
    }
}

/* Each wait is told by its name: a kernel with one of them. */
static wr_wait only;
static uint32_t told;
static void tell_wait(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    (void)self;
    (void)sm;
    (void)warp;
    told += why == only ? 1 : 0;
}

static void test_waits_by_name(void **state)
{
    static const wr_system_hooks hooks = {.warp_stalled = tell_wait};
    static const struct {
        wr_wait why;
        uint32_t times;
    } rows[] = {{WR_WAIT_MEMORY, 2}, {WR_WAIT_BARRIER, 2}, {WR_WAIT_MEMBAR, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan_new(1);
        wr_gpu_attach(plan.gpu, &hooks);
        only = rows[i].why;
        told = 0;
        step *s = plan_add(0, "waits", 8, 1, 64); /* two warps */
        plan_prologue(&s->kernel);
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
        kit_add(&s->kernel, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_plain(WR_OP_MEMBAR));
        kit_add(&s->kernel, kit_plain(WR_OP_BAR_PP));
        plan_store_and_exit(&s->kernel, 3);
        plan_run_all();
        assert_int_equal(told, rows[i].times);
    }
}

/* Holds a set of warps in a span of cycles. */
typedef struct holder {
    uint64_t from, to;
    uint64_t warps;
    uint32_t stream, schedulers;
    bool by_stream;
    uint32_t owners; /* that hold, each its part, 1 to 3; they let go 500 cycles apart */
} holder;
static holder held;

static bool holds(uint32_t owner, uint64_t now)
{
    return owner < held.owners && now >= held.from && now < held.to + 500 * owner;
}

/* Of several owners each holds warps that no other does, and some that others do. */
static uint64_t part_of(uint32_t owner)
{
    static const uint64_t part[] = {0xff0fff0f0f0f, 0xfff0fff0f0f0, 0xff00ff00ff00};
    return held.warps & (held.owners == 1 ? UINT64_MAX : part[owner % 3]);
}

static void hold_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        note[i].allowed = UINT64_MAX;
        for (uint32_t o = 0; o < held.owners; o++) {
            if (held.by_stream) {
                wr_sm_hold_stream(sm, o, held.stream, holds(o, now) ? held.schedulers : 0);
            } else {
                wr_sm_hold(sm, o, holds(o, now) ? part_of(o) : 0);
                note[i].allowed &= holds(o, now) ? ~part_of(o) : UINT64_MAX;
            }
        }
    }
}

/* As note_issued, and no warp of the stream issues from the schedulers, whenever its TB came. */
static void note_held_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    uint64_t now = wr_gpu_cycle(wr_sm_gpu(sm));
    note_issued(self, sm, warp, lanes);
    if (held.by_stream && now > held.from && now <= held.to) {
        bool of = (wr_sm_stream_warps(sm, held.stream) >> warp & 1) != 0;
        note[wr_sm_id(sm)].wrong += of && (held.schedulers >> warp % 2 & 1) != 0 ? 1 : 0;
    }
}

static uint64_t hold_next(void *self, uint64_t now)
{
    (void)self;
    for (uint64_t at = held.from; at <= held.to + 500 * held.owners;
         at = at == held.from ? held.to : at + 500) {
        if (at > now) {
            return at;
        }
    }
    return UINT64_MAX;
}

static const wr_system_hooks hold_hooks = {
    .gpu_cycle = hold_cycle, .next_cycle = hold_next, .warp_issued = note_held_issued};

static uint64_t slots;
static void none_wrong(void *arg, wr_gpu *gpu)
{
    (void)arg;
    slots = exchange_slots(gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(note[i].wrong, 0);
    }
}

/* Held warps do not issue; with all held nothing does, and the slots say why. */
static void look_all_held(void *arg, wr_gpu *gpu)
{
    none_wrong(arg, gpu);
    uint64_t kept = kit_stat(gpu, "sched.stall.held");
    assert_in_range(kept, SMS * 2 * 2900, SMS * 2 * 3600);
}

static void test_hold(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        exchange_how how = {.tbs = tbs(threads)};
        uint64_t plain = exchange_run(&how);
        clear_notes();
        held = (holder){.from = 1000, .to = 4000, .warps = UINT64_MAX, .owners = 1};
        how = (exchange_how){
            .hooks = &hold_hooks, .look = look_all_held, .threads = threads, .tbs = tbs(threads)};
        uint64_t all = exchange_run(&how);
        assert_in_range(all, plain + 2500, plain + 3500);
        if (threads != 1) {
            continue;
        }
        clear_notes();
        held.warps = 0xff00ff;
        how.look = none_wrong;
        exchange_run(&how);
        clear_notes(); /* a warp goes on when no owner holds it */
        held = (holder){.from = 1000, .to = 4000, .warps = UINT64_MAX, .owners = 3};
        uint64_t three = exchange_run(&how);
        assert_in_range(three, plain + 3000, plain + 4500);
    }
    /* Skipping changes nothing. */
    clear_notes();
    held = (holder){.from = 1000, .to = 4000, .warps = 0xf0f0, .owners = 1};
    exchange_how how = {.hooks = &hold_hooks, .look = none_wrong};
    uint64_t skipped = exchange_run(&how);
    uint64_t slots_then = slots;
    how.no_skip = true;
    assert_int_equal(skipped, exchange_run(&how));
    assert_int_equal(slots_then, slots);
}

/* TBs that come while their stream is held are held too; the other scheduler goes on. */
static void test_hold_stream(void **state)
{
    (void)state;
    for (uint32_t schedulers = 1; schedulers < 4; schedulers++) {
        clear_notes();
        plan_new(SMS);
        wr_gpu_attach(plan.gpu, &hold_hooks);
        held = (holder){.from = 2,
                        .to = 3000,
                        .stream = 1,
                        .by_stream = true,
                        .owners = 1,
                        .schedulers = schedulers};
        plan_worker(0, 8, 24, 64)->params.trips = 10;
        plan_worker(1, 8, 24, 64)->params.trips = 300;
        plan_run_all();
        plan_check_worker(&plan.steps[0]);
        plan_check_worker(&plan.steps[1]);
        none_wrong(NULL, plan.gpu);
        assert_true(plan.steps[1].result.ended > 3000);
        assert_true(plan.steps[0].result.ended < 3000); /* others go on */
    }
}

/* Instructions that go to the L1 are held by one owner, then by two, then by the other. */
enum { MEMORY_FROM = 300, MEMORY_TO = 3000, MEMORY_LATER = 500 };
static uint64_t l1_then[SMS], all_then[SMS], went_on;

static void memory_cycle(void *self, wr_gpu *gpu)
{
    const uint64_t now = wr_gpu_cycle(gpu);
    const bool one = now >= MEMORY_FROM && now < MEMORY_TO;
    const bool two = now >= MEMORY_FROM + MEMORY_LATER && now < MEMORY_TO + MEMORY_LATER;
    const bool was = now > MEMORY_FROM && now <= MEMORY_TO + MEMORY_LATER;
    (void)self;
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        const uint64_t l1 = wr_meter_l1_insns(sm, 0);
        const uint64_t all = wr_meter_issued(sm, 0);
        note[i].wrong += was && l1 != l1_then[i];
        went_on += was && all != all_then[i];
        l1_then[i] = l1;
        all_then[i] = all;
        wr_sm_hold_memory(sm, 0, one ? 1 : 0);
        wr_sm_hold_memory(sm, 1, two ? 1 : 0);
    }
}

static uint64_t memory_next(void *self, uint64_t now)
{
    (void)self;
    return now < MEMORY_TO + MEMORY_LATER ? now + 1 : UINT64_MAX;
}

/* The same in the cycles in which something changes, and no others. */
static uint64_t memory_seldom(void *self, uint64_t now)
{
    static const uint64_t at[] = {MEMORY_FROM, MEMORY_FROM + MEMORY_LATER, MEMORY_TO,
                                  MEMORY_TO + MEMORY_LATER};
    (void)self;
    for (uint32_t i = 0; i < 4; i++) {
        if (at[i] > now) {
            return at[i];
        }
    }
    return UINT64_MAX;
}

static void look_slots(void *arg, wr_gpu *gpu)
{
    (void)arg;
    slots = exchange_slots(gpu);
}

static void test_hold_memory(void **state)
{
    (void)state;
    wr_system_hooks hooks = {.gpu_cycle = memory_cycle, .next_cycle = memory_next};
    const uint64_t plain = exchange_run(&(exchange_how){.look = none_wrong});
    clear_notes();
    went_on = 0;
    const uint64_t cycles = exchange_run(&(exchange_how){.hooks = &hooks, .look = none_wrong});
    const uint64_t slots_then = slots;
    assert_true(went_on > 100); /* shared memory, arithmetic, barriers */
    assert_in_range(cycles, plain + 1000, plain + MEMORY_TO + MEMORY_LATER);
    clear_notes();
    hooks.next_cycle = memory_seldom;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(cycles, exchange_run(&(exchange_how){
                                     .hooks = &hooks, .look = look_slots, .no_skip = i == 1}));
        assert_int_equal(slots_then, slots);
    }
}

/* Warps of a slot that is told to stop, and others, that have stopped. */
typedef struct stopper {
    uint64_t slot_warps; /* of the slot, while it is to stop */
    uint32_t stopped, others;
} stopper;
static stopper stops[SMS];

static void note_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    stopper *s = &stops[wr_sm_id(sm)];
    (void)self;
    if ((s->slot_warps >> warp & 1) != 0) {
        s->stopped++;
    } else {
        s->others++;
    }
}

/* A limit pushed at the start is the configuration's. */
static uint32_t limit_of[2];
static void push_limit(void *arg, wr_gpu *gpu)
{
    (void)arg;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        for (wr_owner o = 0; o < 2; o++) {
            wr_sm_limit(wr_gpu_sm(gpu, i), o, limit_of[o]);
        }
    }
}

static void test_limit(void **state)
{
    static const struct {
        uint32_t first, second, config, same_as;
    } rows[] = {{4, 0, 0, 4},  {0, 9, 0, 9},   {12, 5, 0, 5},
                {5, 12, 0, 5}, {30, 20, 7, 7}, {0, 0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        limit_of[0] = rows[i].first;
        limit_of[1] = rows[i].second;
        uint64_t want = exchange_run(&(exchange_how){.warp_limit = rows[i].same_as});
        assert_int_equal(want, exchange_run(&(exchange_how){.warp_limit = rows[i].config,
                                                            .prepare = push_limit}));
    }
}

/* One TB slot is told to stop: its warps stop, no other does, and they go on when it ends. */

static void stop_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        wr_tb_info tb = wr_sm_tb(sm, 1);
        if (now >= 1000 && now < 1010 && tb.valid && stops[i].slot_warps == 0) {
            stops[i].slot_warps = ((UINT64_C(1) << tb.warps) - 1) << tb.warp_base;
            wr_sm_stop_tbs(sm, 1, 1u << 1);
        }
        if (now == 2000 && stops[i].slot_warps != 0) {
            wr_sm_stop_tbs(sm, 6, 1u << 1); /* another owner, too */
        }
        for (uint32_t w = 0; (now == 3000 || now == 3500) && w < wr_sm_warp_slots(sm); w++) {
            bool named = (stops[i].slot_warps >> w & 1) != 0;
            wr_warp_info info = wr_sm_warp(sm, w);
            assert_int_equal(info.stopped && !info.done, named && info.valid && !info.done);
        }
        if (now >= 3000) {
            wr_sm_stop_tbs(sm, 1, 0);
        }
        if (now >= 3500) {
            wr_sm_stop_tbs(sm, 6, 0);
        }
    }
}

static uint64_t stop_next(void *self, uint64_t now)
{
    (void)self;
    static const uint64_t at[] = {2000, 3000, 3500};
    if (now < 1010) {
        return now < 1000 ? 1000 : now + 1;
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (now < at[i]) {
            return at[i];
        }
    }
    return UINT64_MAX;
}

static void look_stops(void *arg, wr_gpu *gpu)
{
    (void)arg;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(stops[i].others, 0);
        assert_int_equal(stops[i].stopped, 8); /* 256 threads */
        sum += stops[i].stopped;
    }
    assert_int_equal(sum, kit_stat(gpu, "sm.stops"));
    none_wrong(NULL, gpu); /* who is stopped waits no more */
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(note[i].stalled, note[i].woken);
    }
}

static void test_stop_one_tb(void **state)
{
    static const wr_system_hooks hooks = {.gpu_cycle = stop_cycle,
                                          .next_cycle = stop_next,
                                          .warp_stopped = note_stopped,
                                          .warp_stalled = note_stalled,
                                          .warp_woken = note_woken};
    (void)state;
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        exchange_how how = {.hooks = &hooks, .look = look_stops, .threads = i + 1};
        how.tbs = tbs(how.threads);
        memset(stops, 0, sizeof stops);
        clear_notes();
        cycles[i] = exchange_run(&how);
        uint64_t slots_then = slots;
        memset(stops, 0, sizeof stops);
        clear_notes();
        how.threads = 1;
        how.no_skip = true;
        assert_int_equal(cycles[i], exchange_run(&how));
        assert_int_equal(slots_then, slots);
    }
}

/* Round robin by hand is the configuration's; and a system may choose nobody. */
static uint32_t choose_in_turn(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    static uint8_t last[SMS][4];
    (void)self;
    if (candidates == 0) { /* the test begins */
        memset(last, 63, sizeof last);
        return UINT32_MAX;
    }
    uint8_t *at = &last[wr_sm_id(sm)][scheduler];
    uint64_t behind = *at == 63 ? 0 : candidates & UINT64_MAX << (*at + 1);
    *at = (uint8_t)__builtin_ctzll(behind != 0 ? behind : candidates);
    return *at;
}

static uint32_t choose_now_and_then(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    notes *n = &note[wr_sm_id(sm)];
    (void)self;
    (void)scheduler;
    return ++n->turn % 4 == 0 ? (uint32_t)__builtin_ctzll(candidates) : UINT32_MAX;
}

/* The configuration's scheduler, of these slots where it can. */
static uint32_t choose_of(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    uint64_t of = candidates & *(const uint64_t *)self;
    return wr_sm_choose(sm, scheduler, of != 0 ? of : candidates);
}

static void look_held(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_true(kit_stat(gpu, "sched.stall.held") > 1000);
}

static void look_none_held(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_int_equal(kit_stat(gpu, "sched.stall.held"), 0);
}

static void test_choose_warp(void **state)
{
    static const wr_system_hooks in_turn = {.choose_warp = choose_in_turn};
    static const wr_system_hooks slow = {.choose_warp = choose_now_and_then};
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        exchange_how how = {.tbs = tbs(threads)};
        uint64_t plain = exchange_run(&how);
        (void)choose_in_turn(NULL, NULL, 0, 0);
        how.hooks = &in_turn;
        how.look = look_none_held;
        how.threads = threads;
        assert_int_equal(plain, exchange_run(&how));
    }
    uint64_t slots_of = UINT64_MAX;
    const wr_system_hooks by_name = {.self = &slots_of, .choose_warp = choose_of};
    uint64_t as_it_is = exchange_run(&(exchange_how){.config = "maxwell"});
    exchange_how chosen = {.config = "maxwell", .hooks = &by_name};
    assert_int_equal(as_it_is, exchange_run(&chosen));
    slots_of = 0xffffff00;
    assert_int_not_equal(as_it_is, exchange_run(&chosen));
    uint64_t plain = exchange_run(&(exchange_how){0});
    clear_notes();
    exchange_how how = {.hooks = &slow, .look = look_held};
    uint64_t slowly = exchange_run(&how);
    assert_true(slowly > plain);
    clear_notes();
    how.no_skip = true;
    assert_int_equal(slowly, exchange_run(&how));
    clear_notes(); /* two instructions a slot */
    exchange_run(&(exchange_how){.hooks = &slow, .look = look_held, .config = "maxwell"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test_teardown(test_waits_by_name, plan_teardown),
        cmocka_unit_test(test_hold),
        cmocka_unit_test_teardown(test_hold_stream, plan_teardown),
        cmocka_unit_test(test_hold_memory),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_stop_one_tb),
        cmocka_unit_test(test_choose_warp),
    };
    return cmocka_run_group_tests_name("warp seam", tests, NULL, NULL);
}
