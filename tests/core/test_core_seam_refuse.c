/* SPDX-License-Identifier: Apache-2.0 */
/* TBs placed away from their SM, warps that enter and warps that retire: what is refused, and that
 * a refusal changes nothing. */
#include "shell/core/seam/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/plan.h"

enum { ROWS = 1024, POISON = 0xdeadbeef };

/* One SM, closed to the dispatcher, and what is done in each cycle. */
static struct {
    void (*act)(wr_sm *sm, uint64_t now);
    uint32_t phase, count, refused[2], unanswered;
    uint64_t at;
    wr_tb_info tb[9];
} t;

static void act(void *self, wr_gpu *gpu)
{
    (void)self;
    t.act(wr_gpu_sm(gpu, 0), wr_gpu_cycle(gpu));
}

static uint64_t act_next(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

static void close_all(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    wr_sm_close(wr_gpu_sm(gpu, 0), 0, WR_ALL_STREAMS);
}

static void begin(void (*how)(wr_sm *sm, uint64_t now))
{
    static const wr_system_hooks hooks = {
        .gpu_cycle = act, .next_cycle = act_next, .launch_begin = close_all};
    memset(&t, 0, sizeof t);
    t.act = how;
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
}

/* What a refusal must leave as it is. */
typedef struct sums {
    uint64_t valid, tb_valid, placed, free_to_go, started, ids[WR_WARP_IDS / 64];
    uint32_t regs_used, shared_used, resident, stopped;
    uint8_t slot_of[WR_WARP_IDS];
} sums;

static sums sums_of(const wr_sm *sm)
{
    sums s;
    memset(&s, 0, sizeof s);
    s.valid = sm->valid;
    s.tb_valid = sm->tb_valid;
    s.placed = sm->placed;
    s.free_to_go = sm->free_to_go;
    s.started = sm->stats.tbs_started;
    memcpy(s.ids, sm->ids_used, sizeof s.ids);
    s.regs_used = sm->regs_used;
    s.shared_used = sm->shared_used;
    s.resident = sm->resident;
    s.stopped = sm->stopped != 0;
    memcpy(s.slot_of, sm->slot_of, sizeof s.slot_of);
    return s;
}

/* As kit_place_away; every taken slot refuses. */
static uint32_t place_away(wr_sm *sm, const wr_tb_info *tb, uint32_t shared)
{
    sums was = sums_of(sm);
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        assert_false(wr_sm_tb_place_away(sm, (uint32_t)__builtin_ctzll(left), tb, shared));
    }
    sums refused = sums_of(sm);
    assert_memory_equal(&was, &refused, sizeof was);
    uint32_t slot = kit_place_away(sm, tb, shared);
    sums is = sums_of(sm);
    if (slot == UINT32_MAX) {
        assert_memory_equal(&was, &is, sizeof is);
    }
    return slot;
}

static bool enter(wr_sm *sm, uint32_t tb_slot, uint32_t index, uint32_t warp, uint32_t row)
{
    sums was = sums_of(sm);
    bool entered =
        wr_sm_warp_enter(sm, sm->tbs[tb_slot].ids[index], warp, &(wr_tb_where){.row = row}, 0);
    sums is = sums_of(sm);
    if (!entered) {
        assert_memory_equal(&was, &is, sizeof is);
    }
    return entered;
}

static void start(wr_sm *sm, uint32_t warp)
{
    wr_warp_info w = wr_sm_warp(sm, warp);
    wr_simt_entry first = wr_sm_tb_first(sm, w.tb_slot, w.index);
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, 0);
    }
    wr_sm_stack_write(sm, warp, &first, 1);
    wr_sm_warp_resume(sm, warp);
}

/* Whoever is away and has not finished enters the lowest slots, and rows that go with them. */
static void enter_all(wr_sm *sm, uint32_t tbs)
{
    uint32_t rows = wr_gpu_tb_needs(wr_sm_gpu(sm), 0).registers / 32;
    for (uint64_t left = sm->tb_valid & tbs; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t warps = sm->tbs[slot].program->warps;
        for (uint32_t i = 0; i < warps; i++) {
            uint32_t warp = (uint32_t)__builtin_ctzll(~sm->valid);
            bool away = wr_sm_tb_warp(sm, slot, i) == UINT32_MAX;
            if (away && (sm->tbs[slot].unfinished >> i & 1) != 0 && warp < wr_sm_warp_slots(sm) &&
                (warp + 1) * (rows / warps) <= ROWS &&
                enter(sm, slot, i, warp, warp * (rows / warps))) {
                start(sm, warp);
            }
        }
    }
}

static void take(wr_sm *sm, wr_tb_info *tbs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(wr_gpu_tb_take(wr_sm_gpu(sm), 0, &tbs[i]));
    }
}

static void nothing_left(wr_sm *sm)
{
    assert_int_equal(sm->regs_used | sm->shared_used | sm->resident, 0);
    assert_int_equal(sm->valid | sm->tb_valid | sm->ids_used[0] | sm->ids_used[1], 0);
    assert_int_equal(sm->ids_used[2], 0);
}

/* TBs: there is shared memory for two of them, and eight slots. */
static void refuse_tbs(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0) {
        take(sm, t.tb, 9);
        assert_int_equal(place_away(sm, &t.tb[0], 0), 0);
        assert_int_equal(place_away(sm, &t.tb[1], 20000), 1);
        assert_int_equal(sm->shared_used, 40000);
        assert_int_equal(place_away(sm, &t.tb[2], 25000), UINT32_MAX);
        for (uint32_t i = 2; i < 8; i++) {
            assert_int_equal(place_away(sm, &t.tb[i], WR_ELSEWHERE), i);
        }
        assert_int_equal(sm->shared_used, 40000);
        assert_int_equal(place_away(sm, &t.tb[8], WR_ELSEWHERE), UINT32_MAX);
        t.phase = 1;
    } else if (t.phase == 1 && sm->tb_valid != 0xff) {
        assert_int_not_equal(place_away(sm, &t.tb[8], WR_ELSEWHERE), UINT32_MAX);
        t.phase = 2;
    }
    enter_all(sm, UINT32_MAX);
}

static void test_no_place_for_tb(void **state)
{
    (void)state;
    begin(refuse_tbs);
    step *s = plan_worker(0, 8, 9, 72); /* a warp of 8 threads */
    s->kernel.k.shared_bytes = 20000;
    plan_run_all();
    assert_int_equal(t.phase, 2);
    plan_check_worker(s);
    uint64_t lanes = s->result.issued * 72 / 3; /* but for the last branch of each thread's loop */
    assert_int_equal(s->result.thread_insns, lanes - 9 * 72);
    nothing_left(wr_gpu_sm(plan.gpu, 0));
}

/* Warps: a taken slot; rows for 17 of 24. */
static void refuse_warps(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0) {
        take(sm, t.tb, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(place_away(sm, &t.tb[i], WR_ELSEWHERE), i);
        }
        assert_true(enter(sm, 0, 0, 0, 0));
        assert_false(enter(sm, 0, 1, 0, 60));
        for (uint32_t i = 1; i < 17; i++) {
            assert_true(enter(sm, i / 8, i % 8, i, i * 60));
        }
        assert_int_equal(sm->regs_used, 17 * 60 * 32);
        assert_false(enter(sm, 2, 1, 17, 0));
        for (uint32_t i = 0; i < 17; i++) {
            start(sm, i);
        }
        t.phase = 1;
    }
    enter_all(sm, UINT32_MAX);
}

static void test_no_place_for_warp(void **state)
{
    (void)state;
    begin(refuse_warps);
    step *s = plan_worker(0, 58, 3, 256); /* granted by fours */
    plan_run_all();
    assert_int_equal(t.phase, 1);
    plan_check_worker(s);
    nothing_left(wr_gpu_sm(plan.gpu, 0));
}

static bool is_queued(const wr_sm *sm, uint32_t warp)
{
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        if (wr_lsu_entry_at(sm, i)->warp == warp) {
            return true;
        }
    }
    return false;
}

/* True: it has retired. It must if nothing of it is in the pipeline and another may be away. */
static bool retire(wr_sm *sm, uint32_t warp, bool room)
{
    sums was = sums_of(sm);
    bool clear = wr_sm_warp(sm, warp).drained && !is_queued(sm, warp);
    bool gone = wr_sm_warp_retire(sm, warp, 0, (uint32_t)POISON);
    sums is = sums_of(sm);
    assert_int_equal(gone, clear && room);
    if (!gone) {
        assert_memory_equal(&was, &is, sizeof is);
    }
    return gone;
}

/* Warp 0 ends with a store of 32 lines, warp 1 with one of one: others get their slots when the
 * LSU has sent them, while warp 2 runs and before they are acknowledged. */
static void refuse_retired(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0) {
        take(sm, t.tb, 2);
        assert_int_equal(place_away(sm, &t.tb[0], 0), 0);
        assert_int_equal(place_away(sm, &t.tb[1], 0), 1);
        enter_all(sm, 1);
        t.phase = 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        wr_warp_info w = wr_sm_warp(sm, i);
        uint32_t id = sm->tbs[0].ids[i];
        if (!w.done || w.tb_slot != 0) {
            continue;
        }
        if (!retire(sm, i, true)) {
            t.refused[i]++;
            continue;
        }
        t.unanswered += sm->stores[id];
        assert_true(enter(sm, 1, i, i, i * 8));
        start(sm, i);
        t.count++;
        if (t.count == 2) {
            enter_all(sm, 2);
        }
    }
    assert_true(t.count == 2 || (sm->tb_valid & 1) != 0);
}

static void test_not_retired_yet(void **state)
{
    (void)state;
    begin(refuse_retired);
    step *s = plan_add(0, "ends", 8, 2, 96);
    kit_kernel *k = &s->kernel;
    s->params.trips = 400;
    plan_prologue(k);
    kit_add(k, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 2, RZ), 1, 64));
    kit_add(k, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 2, 2, RZ), 1, 32));
    size_t at = k->count;
    kit_add(k, kit_guard(kit_bra(at + 8, SIZE_MAX), 1, true));
    kit_add(k, kit_guard(kit_bra(at + 6, SIZE_MAX), 2, true));
    kit_add(k, kit_imm(kit_op(WR_OP_SHL, WR_B32, 4, 2, RZ, RZ), 1, 7));
    kit_add(k, kit_param(kit_op(WR_OP_ADD, WR_U32, 4, 4, RZ, RZ), 1, 0));
    kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 2, 4, 4096));
    kit_add(k, kit_plain(WR_OP_EXIT));
    kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 0, 1, 0));
    kit_add(k, kit_plain(WR_OP_EXIT));
    plan_spin(k);
    plan_store_and_exit(k, 3);
    plan_run_all();
    assert_int_equal(t.count, 2);
    assert_true(t.refused[0] > 32 && t.refused[1] > 0 && t.unanswered > 32);
    for (uint32_t i = 0; i < 192; i++) {
        assert_int_equal(plan_out(s, i), i % 96 < 32 ? 0 : i % 96 < 64 ? i : 400);
    }
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(plan_out(s, 1024 + 32 * i), i);
    }
    nothing_left(wr_gpu_sm(plan.gpu, 0));
}

/* Of each TB warp 0 runs on in a high slot while all others retire: the fifth finds room for four
 * of its warps only. */
static void refuse_most(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0) {
        take(sm, t.tb, 5);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(place_away(sm, &t.tb[i], WR_ELSEWHERE), i);
        }
        assert_int_equal(place_away(sm, &t.tb[4], WR_ELSEWHERE), UINT32_MAX);
        for (uint32_t i = 0; i < 4; i++) {
            assert_true(enter(sm, i, 0, 44 + i, (44 + i) * 8));
            start(sm, 44 + i);
        }
        t.phase = 1;
    }
    for (uint64_t left = sm->valid & sm->done; left != 0 && t.phase < 3; left &= left - 1) {
        bool gone = retire(sm, (uint32_t)__builtin_ctzll(left), t.count < WR_MOST_AWAY);
        t.count += gone ? 1 : 0;
    }
    if (t.phase == 1) {
        enter_all(sm, 15);
        if (t.count == 4 * 31) {
            assert_int_equal(place_away(sm, &t.tb[4], WR_ELSEWHERE), UINT32_MAX);
            assert_int_equal(wr_sm_tb_place(sm, &t.tb[4], &(wr_tb_where){.row = 512}, 0), 4);
            wr_sm_tb_start(sm, 4);
            t.at = now + 500;
            t.phase = 2;
        }
    } else if (t.phase == 2 && now == t.at) {
        assert_int_equal(sm->done, 0xfffffffe & ~UINT64_C(0x1e));
        assert_int_equal(sm->resident, 4 + 28);
        t.phase = 3;
    }
}

static void test_most_away(void **state)
{
    (void)state;
    begin(refuse_most);
    step *s = plan_add(0, "one", 8, 5, 1024);
    s->params.trips = 600;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_imm(kit_setp(WR_CMP_GE, WR_U32, 1, 2, RZ), 1, 32));
    kit_add(&s->kernel, kit_guard(kit_plain(WR_OP_EXIT), 1, false));
    plan_spin(&s->kernel);
    plan_store_and_exit(&s->kernel, 3);
    plan_run_all();
    assert_int_equal(t.phase, 3);
    assert_int_equal(t.count, WR_MOST_AWAY);
    for (uint32_t i = 0; i < 5 * 1024; i += 32) {
        assert_int_equal(plan_out(s, i), i % 1024 == 0 ? 600 : 0);
    }
    nothing_left(wr_gpu_sm(plan.gpu, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_no_place_for_tb, plan_teardown),
        cmocka_unit_test_teardown(test_no_place_for_warp, plan_teardown),
        cmocka_unit_test_teardown(test_not_retired_yet, plan_teardown),
        cmocka_unit_test_teardown(test_most_away, plan_teardown),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
