/* SPDX-License-Identifier: Apache-2.0 */
/* Warps and TBs off their SM, one corner at a time: who gets the room, who is woken, how many may
 * be away, and what is said when they stay away. */
#include "shell/core/seam/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/plan.h"

enum { POISON = 0xdeadbeef, REGS = 8, HOLD_AT = 1000, GO_AT = 1500, BACK_AT = 6000 };

/* What a system keeps of warps and TBs that are off, and what the test notes. */
typedef struct saved {
    uint32_t id, index, regs[REGS][32], preds[WR_ISA_PREDS], depth;
    wr_simt_entry stack[WR_SIMT_DEPTH];
} saved;
static struct {
    void (*act)(wr_sm *sm, uint64_t now); /* of SM 0, the only one */
    bool poll;                            /* every cycle, else at the three above */
    saved warp[WR_MOST_AWAY];
    uint32_t count, phase;
    wr_tb_info tb; /* evicted */
    uint64_t placed_at[8], placed, at, issued;
    uint32_t membars, woken, loaded, slot;
} t;

static void act(void *self, wr_gpu *gpu)
{
    (void)self;
    t.act(wr_gpu_sm(gpu, 0), wr_gpu_cycle(gpu));
}

static uint64_t act_next(void *self, uint64_t now)
{
    (void)self;
    if (t.poll) {
        return now + 1;
    }
    return now < HOLD_AT ? HOLD_AT : now < GO_AT ? GO_AT : now < BACK_AT ? BACK_AT : UINT64_MAX;
}

static void note_placed(void *self, wr_sm *sm, uint32_t slot)
{
    (void)self;
    (void)slot;
    t.placed_at[t.placed++] = wr_gpu_cycle(wr_sm_gpu(sm));
}

static void note_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    (void)self;
    (void)sm;
    t.membars += why == WR_WAIT_MEMBAR && warp == t.slot ? 1 : 0;
}

static void note_woken(void *self, wr_sm *sm, uint32_t warp)
{
    (void)self;
    t.woken += t.membars != 0 && warp == t.slot ? 1 : 0;
    assert_true(t.membars == 0 || warp != t.slot || sm->stores[sm->warps[warp].id] == 0);
}

static void note_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    (void)self;
    assert_true(regs != 0);
    t.loaded += wr_sm_warp_pending(sm, id) == 0 ? 1 : 0;
}

static const wr_system_hooks hooks = {.gpu_cycle = act,
                                      .warp_loaded = note_loaded,
                                      .next_cycle = act_next,
                                      .tb_placed = note_placed,
                                      .warp_stalled = note_stalled,
                                      .warp_woken = note_woken};

static void begin(void (*how)(wr_sm *sm, uint64_t now))
{
    memset(&t, 0, sizeof t);
    t.act = how;
    t.slot = UINT32_MAX;
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
}

static saved *save(wr_sm *sm, uint32_t warp)
{
    saved *s = &t.warp[t.count++];
    s->index = wr_sm_warp(sm, warp).index;
    s->depth = wr_sm_stack(sm, warp, s->stack);
    for (uint32_t r = 0; r < REGS; r++) {
        memcpy(s->regs[r], wr_sm_reg(sm, warp, r), sizeof s->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        s->preds[p] = wr_sm_pred(sm, warp, p);
    }
    return s;
}

static void restore(wr_sm *sm, uint32_t warp, const saved *s)
{
    for (uint32_t r = 0; r < REGS; r++) {
        wr_sm_reg_write(sm, warp, r, s->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, s->preds[p]);
    }
    wr_sm_stack_write(sm, warp, s->stack, s->depth);
    wr_sm_warp_resume(sm, warp);
}

/* All live warps that may leave do. */
static void all_leave(wr_sm *sm)
{
    for (uint64_t left = wr_sm_live_warps(sm); left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        if (wr_sm_warp_may_leave(sm, warp)) {
            saved *s = save(sm, warp);
            s->id = wr_sm_warp_leave(sm, warp, 0, POISON);
        }
    }
}

/* Those for which there is room come back, the last that left first. */
static void some_return(wr_sm *sm)
{
    for (uint32_t warp = 0; t.count != 0 && warp < wr_sm_warp_slots(sm); warp++) {
        if (wr_sm_warp_enter(sm, t.warp[t.count - 1].id, warp, NULL, POISON)) {
            assert_true(sm->regs_used <= sm->cfg->sm.registers);
            restore(sm, warp, &t.warp[--t.count]);
        }
    }
}

/* The dispatcher gets the room of warps that leave in the next cycle, skipping or not. */
static void leave_and_return(wr_sm *sm, uint64_t now)
{
    if (now == HOLD_AT) {
        wr_sm_hold(sm, 0, wr_sm_live_warps(sm));
    } else if (now == GO_AT) {
        all_leave(sm);
        assert_int_equal(t.count, 32);
    } else if (now >= BACK_AT) {
        if (!t.poll) { /* what others push does not bring back the hold that has ended */
            wr_sm_hold(sm, 1, wr_sm_live_warps(sm) & 2);
            wr_sm_hold(sm, 1, 0);
        }
        some_return(sm);
        t.poll = t.count != 0;
    }
}

static uint64_t two_big(void (*how)(wr_sm *sm, uint64_t now), bool no_skip)
{
    begin(how);
    plan.gpu->no_skip = no_skip;
    step *s = plan_add(0, "big", 24, 2, 1024);
    s->params.trips = 300;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_op(WR_OP_MOV, WR_B32, 3, RZ, RZ, RZ));
    size_t head = kit_add(&s->kernel, kit_plain(WR_OP_PP));
    kit_add(&s->kernel, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 1));
    kit_add(&s->kernel, kit_param(kit_setp(WR_CMP_LT, WR_U32, 0, 3, RZ), 1, 4));
    kit_add(&s->kernel, kit_guard(kit_bra(head, head + 4), 0, false));
    plan_store_and_exit(&s->kernel, 3);
    uint64_t cycles = plan_run_all();
    for (uint32_t i = 0; i < 2048; i++) {
        assert_int_equal(plan_out(s, i), 300);
    }
    assert_int_equal(t.placed, 2);
    assert_int_equal(t.placed_at[1], GO_AT + 1);
    return cycles;
}

static void test_room_of_warps(void **state)
{
    (void)state;
    assert_int_equal(two_big(leave_and_return, false), two_big(leave_and_return, true));
}

/* All are stopped when told to. */
static void stop_now(wr_sm *sm)
{
    wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
    for (uint64_t left = wr_sm_live_warps(sm); left != 0; left &= left - 1) {
        assert_true(wr_sm_warp(sm, (uint32_t)__builtin_ctzll(left)).stopped);
    }
    wr_sm_stop_tbs(sm, 0, 0);
    assert_true(sm->stopped == sm->placed);
}

/* Likewise the room of a TB. */
static void evict_and_return(wr_sm *sm, uint64_t now)
{
    if (now == HOLD_AT) {
        wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
    } else if (now == GO_AT) {
        t.tb = wr_sm_tb(sm, 0);
        for (uint32_t i = 0; i < t.tb.warps; i++) {
            (void)save(sm, i);
        }
        wr_sm_tb_evict(sm, 0, POISON);
    } else if (now >= BACK_AT && t.count != 0) {
        uint32_t slot = wr_sm_tb_place(sm, &t.tb, NULL, POISON);
        t.poll = slot == UINT32_MAX;
        if (t.poll) {
            return;
        }
        stop_now(sm); /* those that are placed wait for their state */
        for (uint32_t i = 0; i < t.tb.warps; i++) {
            if (i == t.tb.warps / 2) {
                stop_now(sm); /* with some that are resumed */
            }
            restore(sm, wr_sm_tb(sm, slot).warp_base + i, &t.warp[i]);
            t.count--;
        }
        assert_false(wr_sm_warp(sm, wr_sm_tb(sm, slot).warp_base).stopped);
        stop_now(sm); /* behind the resume: the point stops them again */
    }
}

static void test_room_of_a_tb(void **state)
{
    (void)state;
    assert_int_equal(two_big(evict_and_return, false), two_big(evict_and_return, true));
}

/* A warp that is said to be finished, last of all, lets the others through their barrier. */
static void finish_last(wr_sm *sm, uint64_t now)
{
    if (t.phase == 0 && now >= HOLD_AT) {
        wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
        t.phase = 1;
    } else if (t.phase == 1 && wr_sm_warp(sm, 1).stopped && wr_sm_warp(sm, 1).drained) {
        assert_true(wr_sm_warp(sm, 0).done);
        wr_tb_info tb = wr_sm_tb(sm, 0);
        saved *s = save(sm, 1);
        wr_sm_tb_evict(sm, 0, POISON);
        assert_int_equal(wr_sm_tb_place(sm, &tb, NULL, POISON), 0);
        restore(sm, 1, s);
        t.phase = 2;
        t.at = now + 2000;
    } else if (t.phase == 2 && now == t.at) {
        assert_true((sm->barrier >> 1 & 1) != 0);
        wr_sm_stack_write(sm, 0, NULL, 0);
        t.phase = 3;
        t.poll = false;
    }
}

static void test_finished_last(void **state)
{
    (void)state;
    begin(finish_last);
    t.poll = true;
    step *s = plan_add(0, "half", REGS, 1, 64);
    s->params.trips = 100;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 2, RZ), 1, 32));
    kit_add(&s->kernel, kit_guard(kit_plain(WR_OP_EXIT), 1, false));
    plan_spin(&s->kernel);
    kit_add(&s->kernel, kit_plain(WR_OP_BAR_PP));
    plan_store_and_exit(&s->kernel, 3);
    plan_run_all();
    assert_int_equal(t.phase, 3);
    assert_in_range(s->result.ended, t.at + 1, t.at + 1500);
    assert_int_equal(plan_out(s, 40), 100);
}

/* As many as may be away are, while others come and go in their slots. */
static void fill_up(wr_sm *sm, uint64_t now)
{
    if (t.phase == 0) {
        wr_sm_hold(sm, 0, wr_sm_live_warps(sm));
        all_leave(sm);
        if (t.count == WR_MOST_AWAY && t.at == 0) {
            t.at = now + 1000; /* time for all in slots to settle */
        } else if (t.at != 0 && now == t.at) {
            assert_int_equal(wr_sm_live_warps(sm), 0xffffffffff00); /* 5 TBs and 8 warps are away */
            t.phase = 1;
            wr_sm_hold(sm, 0, 0);
        }
    } else {
        some_return(sm);
    }
    t.poll = t.phase == 0 || t.count != 0;
}

static void test_most_away(void **state)
{
    (void)state;
    begin(fill_up);
    t.poll = true;
    step *s = plan_worker(0, REGS, 8, 768);
    plan_run_all();
    assert_int_equal(t.phase, 1);
    plan_check_worker(s);
}

/* Numbers of identities: the slot's own, one that no slot has, any. */
static void test_numbers(void **state)
{
    (void)state;
    plan_new(1);
    wr_sm *sm = wr_gpu_sm(plan.gpu, 0);
    wr_identity_take(sm, 0, 0, 5);
    wr_identity_take(sm, 0, 1, 5);
    assert_int_equal(sm->tbs[0].ids[0], 5);
    assert_int_equal(sm->tbs[0].ids[1], WR_MAX_WARPS);
    assert_int_equal(wr_sm_warp_slot(sm, WR_MAX_WARPS), 5);
    sm->ids_used[1] = sm->ids_used[2] = UINT64_MAX;
    wr_identity_take(sm, 0, 2, 5);
    assert_int_equal(sm->tbs[0].ids[2], 0);
    sm->away[5].at_barrier = true;
    wr_identity_drop(sm, 5);
    assert_int_equal(wr_sm_warp_slot(sm, 5), UINT32_MAX);
    assert_false(sm->away[5].at_barrier);
    wr_identity_take(sm, 0, 3, 5);
    assert_int_equal(sm->tbs[0].ids[3], 5);
}

/* A run whose warps stay away ends and says so. */
static void leave_for_good(wr_sm *sm, uint64_t now)
{
    if (now == HOLD_AT) {
        wr_sm_hold(sm, 0, wr_sm_live_warps(sm));
    } else if (now == GO_AT) {
        all_leave(sm);
    }
}

static void test_away_for_good(void **state)
{
    (void)state;
    begin(leave_for_good);
    plan_worker(0, REGS, 1, 64)->params.trips = 1000;
    wr_run_result r = plan_run(LIMIT);
    assert_int_equal(r.status, WR_RUN_DEADLOCK);
    assert_non_null(strstr(r.message, "keeps all 2 warps"));
}

/* A warp leaves with a store under way and comes to its membar in another slot: it waits there. A
 * hold of its stream holds it there, too. */
static void leave_with_store(wr_sm *sm, uint64_t now)
{
    if (t.phase == 0 && sm->stores[0] != 0) {
        wr_sm_hold_stream(sm, 0, 0, WR_ALL_SCHEDULERS);
        if (wr_sm_warp_may_leave(sm, 0)) {
            all_leave(sm);
            assert_int_equal(t.count, 1);
            assert_true(wr_sm_warp_enter(sm, t.warp[0].id, 37, NULL, POISON));
            restore(sm, 37, &t.warp[0]);
            t.slot = 37;
            t.phase = 1;
            t.at = now;
            t.issued = wr_stats_issued(&sm->stats);
            assert_int_equal(sm->stores[0], 1);
        } else {
            assert_int_equal(sm->lsu_count, 1);
        }
    } else if (t.phase == 1 && now == t.at + 30) {
        assert_int_equal(wr_stats_issued(&sm->stats), t.issued);
        wr_sm_hold_stream(sm, 0, 0, 0);
        t.phase = 2;
    }
    if ((sm->membar >> 37 & 1) != 0) {
        wr_sm_hold(sm, 0, UINT64_MAX);
        assert_false(wr_sm_warp_may_leave(sm, 37));
        wr_sm_hold(sm, 0, 0);
        t.phase = 3;
    }
    t.poll = t.phase < 3;
}

static void test_store_under_way(void **state)
{
    (void)state;
    begin(leave_with_store);
    t.poll = true;
    step *s = plan_add(0, "store", REGS, 1, 32);
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 0, 1, 0));
    kit_add(&s->kernel, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 0, RZ, RZ), 1, 7));
    kit_add(&s->kernel, kit_plain(WR_OP_MEMBAR));
    plan_store_and_exit(&s->kernel, 3);
    plan_run_all();
    assert_int_equal(t.phase, 3);
    assert_int_equal(t.membars, 1);
    assert_int_equal(t.woken, 1);
    assert_int_equal(plan_out(s, 31), 38);
}

/* Of two loads under way the last one tells. */
static void leave_with_loads(wr_sm *sm, uint64_t now)
{
    if (t.phase == 0 && (sm->awaits_memory & 1) != 0) {
        wr_sm_hold(sm, 0, 1);
        if (wr_sm_warp_may_leave(sm, 0)) {
            all_leave(sm);
            assert_int_equal(wr_sm_warp_pending(sm, t.warp[0].id), 3 << 3);
            t.phase = 1;
            t.at = now + 2000;
        }
    } else if (t.phase == 1 && now == t.at) {
        assert_int_equal(t.loaded, 1);
        some_return(sm);
        t.poll = false;
    }
}

static void test_two_loads(void **state)
{
    (void)state;
    begin(leave_with_loads);
    t.poll = true;
    step *s = plan_add(0, "loads", REGS, 1, 32);
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 4096));
    kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
    kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 4, RZ));
    plan_store_and_exit(&s->kernel, 3);
    plan_run_all();
    assert_int_equal(t.loaded, 1);
    assert_int_equal(plan_out(s, 9), 9);
}

/* The same hold again, of the warp that has come to the slot. */
static void hold_again(wr_sm *sm, uint64_t now)
{
    if (now == HOLD_AT) {
        wr_sm_hold(sm, 0, 1);
    } else if (now == GO_AT) {
        all_leave(sm);
        assert_true(wr_sm_warp_enter(sm, t.warp[0].id, 0, NULL, POISON));
        restore(sm, 0, &t.warp[0]);
        wr_sm_hold(sm, 0, 1);
        t.issued = wr_stats_issued(&sm->stats);
    } else if (now == BACK_AT) {
        assert_int_equal(wr_stats_issued(&sm->stats), t.issued);
        wr_sm_hold(sm, 0, 0);
        t.phase = 1;
    }
}

static void test_held_again(void **state)
{
    (void)state;
    begin(hold_again);
    step *s = plan_worker(0, REGS, 1, 32);
    s->params.trips = 300;
    plan_run_all();
    assert_int_equal(t.phase, 1);
    plan_check_worker(s);
}

/* Warp 1 comes late to barrier 3, which has a preemption point in front. */
static step *late_at_barrier(wr_bar mode)
{
    step *s = plan_add(0, "late", REGS, 1, 64);
    s->params.trips = 300;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 2, RZ), 1, 32));
    size_t at = s->kernel.count;
    kit_add(&s->kernel, kit_guard(kit_bra(at + 5, at + 5), 1, false));
    plan_spin(&s->kernel);
    assert_int_equal(s->kernel.count, at + 5);
    wr_insn bar = kit_plain(WR_OP_BAR);
    bar.barrier = 3;
    bar.mode = (uint8_t)mode;
    bar.dst = mode == WR_BAR_POPC ? 4 : RZ;
    kit_add(&s->kernel, kit_plain(WR_OP_PP));
    kit_add(&s->kernel, bar);
    plan_store_and_exit(&s->kernel, 0);
    return s;
}

/* Its place at a barrier, of whatever number, is the warp's in its new slot; a stop undoes it
 * there; and resumed where it has stopped it passes its point, told to stop or not. */
static void move_at_barrier(wr_sm *sm, uint64_t now)
{
    const wr_tb *tb = &sm->tbs[0];
    if (t.phase == 0 && (sm->barrier & 1) != 0) {
        wr_sm_hold(sm, 0, 1);
        all_leave(sm);
        assert_int_equal(t.count, 1);
        assert_true(wr_sm_warp_enter(sm, t.warp[0].id, 40, NULL, POISON));
        restore(sm, 40, &t.warp[0]);
        assert_true(tb->arrived[3] == 1 && sm->barrier == UINT64_C(1) << 40);
        t.at = now;
        t.phase = 1;
    } else if (t.phase == 1 && now == t.at + 50) {
        wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
        assert_true(tb->arrived[3] == 0 && sm->barrier == 0 && wr_sm_warp(sm, 40).stopped);
        wr_sm_warp_resume(sm, 40);
        t.phase = 2;
    } else if (t.phase == 2 && now == t.at + 1500) {
        assert_true(tb->arrived[3] == 1 && sm->barrier == UINT64_C(1) << 40);
        wr_sm_stop_tbs(sm, 0, 0);
        t.phase = 3;
        t.poll = false;
    }
}

static void test_moved_at_barrier(void **state)
{
    (void)state;
    begin(move_at_barrier);
    t.poll = true;
    step *s = late_at_barrier(WR_BAR_SYNC);
    plan_run_all();
    assert_int_equal(t.phase, 3);
    assert_int_equal(plan_out(s, 63), 63);
}

/* One whose registers the barrier will write can't leave. */
static void stay_at_barrier(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0 && (sm->barrier & 1) != 0) {
        wr_sm_hold(sm, 0, 1);
        assert_false(wr_sm_warp_may_leave(sm, 0));
        wr_sm_hold(sm, 0, 0);
        t.phase = 1;
        t.poll = false;
    }
}

static void test_reducing_barrier(void **state)
{
    (void)state;
    begin(stay_at_barrier);
    t.poll = true;
    late_at_barrier(WR_BAR_POPC);
    plan_run_all();
    assert_int_equal(t.phase, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_room_of_warps, plan_teardown),
        cmocka_unit_test_teardown(test_room_of_a_tb, plan_teardown),
        cmocka_unit_test_teardown(test_finished_last, plan_teardown),
        cmocka_unit_test_teardown(test_most_away, plan_teardown),
        cmocka_unit_test_teardown(test_numbers, plan_teardown),
        cmocka_unit_test_teardown(test_away_for_good, plan_teardown),
        cmocka_unit_test_teardown(test_store_under_way, plan_teardown),
        cmocka_unit_test_teardown(test_two_loads, plan_teardown),
        cmocka_unit_test_teardown(test_held_again, plan_teardown),
        cmocka_unit_test_teardown(test_moved_at_barrier, plan_teardown),
        cmocka_unit_test_teardown(test_reducing_barrier, plan_teardown),
    };
    return cmocka_run_group_tests_name("warps away", tests, NULL, NULL);
}
