/* SPDX-License-Identifier: Apache-2.0 */
/* Several systems as one table of hooks: stub systems write down what they are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "systems/frame/chain.h"

enum { STUBS = 3, LOG = 512 };

static char seen[LOG]; /* "0:issued(3,7) 1:issued(3,7) ", in the order of the calls */

typedef struct stub {
    wr_system_hooks hooks;
    uint32_t id;
    uint32_t choice; /* its answer */
    uint64_t next;
} stub;

static stub stubs[STUBS];
static wr_chain chain;

/* The shell's objects stay unknown: their addresses alone are handed on. */
static char a_gpu, an_sm;
#define GPU ((wr_gpu *)&a_gpu)
#define SM  ((wr_sm *)&an_sm)

static void note(const void *self, const char *what, uint32_t a, uint32_t b)
{
    size_t used = strlen(seen);

    (void)snprintf(seen + used, sizeof seen - used, "%u:%s(%u,%u) ", ((const stub *)self)->id, what,
                   a, b);
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    assert_ptr_equal(gpu, GPU);
    assert_ptr_equal(launch, &stubs);
    note(self, "begin", stream, 0);
}
static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    assert_ptr_equal(gpu, GPU);
    note(self, "end", stream, 0);
}
static uint32_t on_choose_launch(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count)
{
    assert_ptr_equal(sm, SM);
    note(self, "launch", streams[0], count);
    return ((stub *)self)->choice;
}
static uint64_t on_choose_tb(void *self, wr_sm *sm, uint32_t stream)
{
    assert_ptr_equal(sm, SM);
    note(self, "tb", stream, 0);
    return ((stub *)self)->next;
}
static void on_tb_placed(void *self, wr_sm *sm, uint32_t slot)
{
    assert_ptr_equal(sm, SM);
    note(self, "placed", slot, 0);
}
static void on_tb_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    assert_ptr_equal(sm, SM);
    note(self, "tb_done", slot, stream);
}
static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    assert_ptr_equal(sm, SM);
    note(self, "stalled", warp, why);
}
static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    assert_ptr_equal(sm, SM);
    note(self, "woken", warp, 0);
}
static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    assert_ptr_equal(sm, SM);
    note(self, "issued", warp, lanes);
}
static void on_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    assert_ptr_equal(sm, SM);
    note(self, "stopped", warp, 0);
}
static void on_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    assert_ptr_equal(sm, SM);
    note(self, "loaded", id, (uint32_t)regs);
}
static void on_passed(void *self, wr_sm *sm, uint32_t id)
{
    assert_ptr_equal(sm, SM);
    note(self, "passed", id, 0);
}
static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    assert_ptr_equal(sm, SM);
    note(self, "spare", scheduler, 0);
    return ((stub *)self)->choice != UINT32_MAX ? WR_SPARE_ISSUED : WR_SPARE_FREE;
}
static void on_left(void *self, wr_sm *sm, uint64_t warps)
{
    assert_ptr_equal(sm, SM);
    note(self, "left", (uint32_t)warps, 0);
}
static uint32_t on_registers(void *self, uint32_t stream, const wr_launch *launch, uint32_t least)
{
    assert_null(launch);
    note(self, "registers", least, stream);
    return least + 4;
}
static void on_done(void *self, wr_sm *sm, uint32_t warp)
{
    assert_ptr_equal(sm, SM);
    note(self, "done", warp, 0);
}
static void on_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                      uint64_t evicted)
{
    assert_ptr_equal(sm, SM);
    assert_int_equal(line, UINT64_C(1) << 40);
    assert_int_equal(evicted, UINT64_C(1) << 41);
    note(self, "missed", warp, place);
}
static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    assert_ptr_equal(sm, SM);
    note(self, "warp", scheduler, (uint32_t)candidates);
    return ((stub *)self)->choice;
}
static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    assert_ptr_equal(gpu, GPU);
    note(self, "gpu", 0, 0);
}
static void on_sm_cycle(void *self, wr_sm *sm)
{
    assert_ptr_equal(sm, SM);
    note(self, "sm", 0, 0);
}
static uint64_t on_next_cycle(void *self, uint64_t now)
{
    note(self, "next", (uint32_t)now, 0);
    return ((stub *)self)->next;
}

static const wr_system_hooks all_hooks = {
    .launch_begin = on_launch_begin,
    .launch_end = on_launch_end,
    .choose_launch = on_choose_launch,
    .choose_tb = on_choose_tb,
    .tb_placed = on_tb_placed,
    .tb_done = on_tb_done,
    .warp_stalled = on_stalled,
    .warp_woken = on_woken,
    .warp_issued = on_issued,
    .warp_stopped = on_stopped,
    .warp_loaded = on_loaded,
    .warp_passed = on_passed,
    .warp_done = on_done,
    .warps_left = on_left,
    .registers = on_registers,
    .spare_slot = on_spare_slot,
    .l1_missed = on_missed,
    .choose_warp = on_choose_warp,
    .gpu_cycle = on_gpu_cycle,
    .sm_cycle = on_sm_cycle,
    .next_cycle = on_next_cycle,
};

/* Joins stubs with these tables; answers are "none", times never. */
static const wr_system_hooks *join(const wr_system_hooks *tables, uint32_t count)
{
    const wr_system_hooks *members[STUBS];

    for (uint32_t i = 0; i < count; i++) {
        stubs[i] = (stub){.hooks = tables[i], .id = i, .choice = UINT32_MAX, .next = UINT64_MAX};
        stubs[i].hooks.self = &stubs[i];
        members[i] = &stubs[i].hooks;
    }
    seen[0] = '\0';
    return wr_chain_join(&chain, members, count);
}

static void saw(const char *what)
{
    assert_string_equal(seen, what);
    seen[0] = '\0';
}

static void test_one_is_itself(void **state)
{
    (void)state;
    assert_ptr_equal(join(&all_hooks, 1), &stubs[0].hooks);
}

/* Each event, with its arguments, to each system that has the hook, in their order. */
static void test_events_go_to_all(void **state)
{
    const wr_system_hooks tables[STUBS] = {all_hooks, {.tb_done = on_tb_done}, all_hooks};
    const wr_system_hooks *h = join(tables, STUBS);

    (void)state;
    h->launch_begin(h->self, GPU, 4, (const wr_launch *)&stubs);
    saw("0:begin(4,0) 2:begin(4,0) ");
    h->launch_end(h->self, GPU, 5);
    saw("0:end(5,0) 2:end(5,0) ");
    h->tb_placed(h->self, SM, 6);
    saw("0:placed(6,0) 2:placed(6,0) ");
    h->tb_done(h->self, SM, 7, 8);
    saw("0:tb_done(7,8) 1:tb_done(7,8) 2:tb_done(7,8) ");
    h->warp_stalled(h->self, SM, 9, WR_WAIT_MEMORY);
    saw("0:stalled(9,1) 2:stalled(9,1) ");
    h->warp_woken(h->self, SM, 10);
    saw("0:woken(10,0) 2:woken(10,0) ");
    h->warp_issued(h->self, SM, 11, 32);
    saw("0:issued(11,32) 2:issued(11,32) ");
    h->warp_stopped(h->self, SM, 12);
    saw("0:stopped(12,0) 2:stopped(12,0) ");
    h->warp_loaded(h->self, SM, 14, 6);
    saw("0:loaded(14,6) 2:loaded(14,6) ");
    h->warp_passed(h->self, SM, 15);
    saw("0:passed(15,0) 2:passed(15,0) ");
    h->warp_done(h->self, SM, 13);
    saw("0:done(13,0) 2:done(13,0) ");
    h->warps_left(h->self, SM, 18);
    saw("0:left(18,0) 2:left(18,0) ");
    assert_int_equal(h->registers(h->self, 7, NULL, 20), 28);
    saw("0:registers(20,7) 2:registers(24,7) ");
    h->l1_missed(h->self, SM, 16, UINT64_C(1) << 40, 17, UINT64_C(1) << 41);
    saw("0:missed(16,17) 2:missed(16,17) ");
    h->gpu_cycle(h->self, GPU);
    saw("0:gpu(0,0) 2:gpu(0,0) ");
    h->sm_cycle(h->self, SM);
    saw("0:sm(0,0) 2:sm(0,0) ");
}

/* The first that chooses; none is not an answer for the others; all none is none. */
static void test_first_choice_wins(void **state)
{
    const wr_system_hooks tables[STUBS] = {all_hooks, {.gpu_cycle = on_gpu_cycle}, all_hooks};
    const wr_system_hooks *h = join(tables, STUBS);
    const uint32_t streams[] = {2, 3};

    (void)state;
    assert_int_equal(h->choose_launch(h->self, SM, streams, 2), UINT32_MAX);
    saw("0:launch(2,2) 2:launch(2,2) ");
    stubs[2].choice = 3;
    assert_int_equal(h->choose_launch(h->self, SM, streams, 2), 3);
    saw("0:launch(2,2) 2:launch(2,2) ");
    stubs[0].choice = 2;
    assert_int_equal(h->choose_launch(h->self, SM, streams, 2), 2);
    saw("0:launch(2,2) ");
    assert_int_equal(h->choose_warp(h->self, SM, 1, 0xc), 2);
    saw("0:warp(1,12) ");
    stubs[0].choice = UINT32_MAX;
    assert_int_equal(h->choose_warp(h->self, SM, 1, 0xc), 3);
    saw("0:warp(1,12) 2:warp(1,12) ");
    stubs[2].choice = UINT32_MAX;
    assert_int_equal(h->choose_warp(h->self, SM, 1, 0xc), UINT32_MAX);
    saw("0:warp(1,12) 2:warp(1,12) ");
    assert_true(h->choose_tb(h->self, SM, 5) == UINT64_MAX);
    saw("0:tb(5,0) 2:tb(5,0) ");
    stubs[2].next = UINT64_C(1) << 40;
    assert_true(h->choose_tb(h->self, SM, 5) == UINT64_C(1) << 40);
    saw("0:tb(5,0) 2:tb(5,0) ");
    stubs[0].next = 0;
    assert_true(h->choose_tb(h->self, SM, 5) == 0);
    saw("0:tb(5,0) ");
    assert_int_equal(h->spare_slot(h->self, SM, 1), WR_SPARE_FREE);
    saw("0:spare(1,0) 2:spare(1,0) ");
    stubs[0].choice = 0;
    assert_int_equal(h->spare_slot(h->self, SM, 1), WR_SPARE_ISSUED);
    saw("0:spare(1,0) ");
}

static void test_next_cycle_is_the_least(void **state)
{
    static const uint64_t next[][STUBS] = {{UINT64_MAX, UINT64_MAX, UINT64_MAX},
                                           {50, 40, 60},
                                           {40, UINT64_MAX, 50},
                                           {UINT64_MAX, UINT64_MAX, 40}};
    const wr_system_hooks tables[STUBS] = {all_hooks, all_hooks, all_hooks};

    (void)state;
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++) {
        const wr_system_hooks *h = join(tables, STUBS);

        for (uint32_t s = 0; s < STUBS; s++) {
            stubs[s].next = next[i][s];
        }
        assert_true(h->next_cycle(h->self, 7) == (i == 0 ? UINT64_MAX : 40));
        saw("0:next(7,0) 1:next(7,0) 2:next(7,0) ");
    }
}

/* A hook is in the joined table where one of the members has it, and nowhere else. Hooks are
 * pointers behind `self`, so each can be set and looked at by its place. */
static void test_hooks_of_any_member(void **state)
{
    enum { HOOKS = offsetof(wr_system_hooks, reads_memory) / sizeof(void *) };
    wr_system_hooks tables[2];

    (void)state;
    for (uint32_t i = 1; i < HOOKS; i++) {
        void *all[HOOKS];
        void *one[HOOKS] = {NULL};
        void *joined[HOOKS];

        memcpy(all, &all_hooks, sizeof all);
        assert_non_null(all[i]);
        one[i] = all[i];
        memset(&tables[i % 2], 0, sizeof tables[0]);
        memset(&tables[1 - i % 2], 0, sizeof tables[0]);
        memcpy(&tables[1 - i % 2], one, sizeof one);
        memcpy(joined, join(tables, 2), sizeof joined);
        for (uint32_t k = 1; k < HOOKS; k++) {
            assert_true((joined[k] != NULL) == (k == i));
        }
        assert_false(chain.joined.reads_memory);
        tables[i % 2].reads_memory = true;
        assert_true(join(tables, 2)->reads_memory);
        assert_false(chain.joined.takes_tbs);
        tables[1 - i % 2].takes_tbs = true;
        assert_true(join(tables, 2)->takes_tbs);
    }
}

/* What systems come to does not hang on their order, but for choices. */
static void test_order(void **state)
{
    const wr_system_hooks a = {
        .choose_launch = on_choose_launch, .next_cycle = on_next_cycle, .warp_issued = on_issued};
    const wr_system_hooks tables[2] = {a, a};
    const uint32_t streams[] = {2, 3};
    uint32_t chosen[2];

    (void)state;
    for (uint32_t order = 0; order < 2; order++) {
        const wr_system_hooks *h = join(tables, 2);
        stub *first = &stubs[order], *second = &stubs[1 - order];

        first->next = 30;
        first->choice = 2;
        second->next = 20;
        second->choice = 3;
        assert_int_equal(h->next_cycle(h->self, 1), 20);
        h->warp_issued(h->self, SM, 4, 5);
        assert_non_null(strstr(seen, "0:issued(4,5)"));
        assert_non_null(strstr(seen, "1:issued(4,5)"));
        chosen[order] = h->choose_launch(h->self, SM, streams, 2);
    }
    assert_int_equal(chosen[0], 2);
    assert_int_equal(chosen[1], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_itself),       cmocka_unit_test(test_events_go_to_all),
        cmocka_unit_test(test_first_choice_wins),   cmocka_unit_test(test_next_cycle_is_the_least),
        cmocka_unit_test(test_hooks_of_any_member), cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
