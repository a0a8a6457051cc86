/* SPDX-License-Identifier: Apache-2.0 */
/* A warp apart from its slot: warps leave and come back elsewhere, with loads in flight and in the
 * middle of barriers, and the output stays what it was. */
#include "shell/core/seam/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/cursor.h"
#include "tests/core/exchange.h"

enum { SMS = 3, AWAY_MOST = 12, POISON = 0xdeadbeef, STOP_EVERY = 2500, STOP_MOST = 20000 };

typedef struct away_warp {
    uint32_t id;
    uint32_t slot; /* that it has entered; UINT32_MAX: it is away */
    uint64_t next_at;
    uint64_t pending; /* when it left */
    bool loaded;      /* its last load has come */
    uint32_t regs[63][32];
    uint32_t preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t depth, count; /* registers */
} away_warp;

/* Takes warps off at random: any that may leave, held for some cycles before. Now and then all TBs
 * of an SM are to stop, wherever their warps are, and must do so. */
typedef struct mover {
    uint64_t random, until;
    uint64_t held[SMS]; /* told to hold */
    away_warp away[SMS][AWAY_MOST];
    uint32_t count[SMS];
    uint64_t stop_since[SMS]; /* UINT64_MAX: not stopping */
    uint64_t next_stop;
    uint32_t left, elsewhere, with_loads, at_barrier, let_through, stops;
    uint64_t waits[SMS]; /* warps told stalled and not yet woken */
    uint64_t wrong[SMS]; /* events that can't be */
} mover;
static mover m;
static uint64_t slots;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&m.random) % n);
}

static void save(wr_sm *sm, uint32_t warp, away_warp *a)
{
    wr_tb_info tb = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot);
    a->count = tb.regs;
    for (uint32_t r = 0; r < tb.regs; r++) {
        memcpy(a->regs[r], wr_sm_reg(sm, warp, r), sizeof a->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        a->preds[p] = wr_sm_pred(sm, warp, p);
    }
    a->depth = wr_sm_stack(sm, warp, a->stack);
}

static void leave(wr_sm *sm, uint32_t warp, uint64_t now)
{
    uint32_t sm_id = wr_sm_id(sm);
    away_warp *a = &m.away[sm_id][m.count[sm_id]++];
    uint32_t used = sm->regs_used;
    save(sm, warp, a);
    m.at_barrier += (sm->barrier >> warp & 1) != 0 ? 1 : 0;
    m.held[sm_id] &= ~(UINT64_C(1) << warp);
    a->id = wr_sm_warp_leave(sm, warp, 0, POISON);
    assert_int_equal(m.waits[sm_id] >> warp & 1, 0); /* told */
    a->slot = UINT32_MAX;
    a->pending = wr_sm_warp_pending(sm, a->id);
    a->loaded = false;
    a->next_at = now + 1 + below(600);
    assert_int_equal(wr_sm_warp_slot(sm, a->id), UINT32_MAX);
    assert_false(wr_sm_warp(sm, warp).valid);
    assert_true(sm->regs_used < used);
    assert_int_equal(wr_sm_row(sm, warp, 0)[31], POISON);
    m.left++;
    m.with_loads += a->pending != 0 ? 1 : 0;
}

/* Into the highest free slot, most often not the one it had. */
static void enter(wr_sm *sm, away_warp *a, uint64_t now)
{
    for (uint32_t warp = wr_sm_warp_slots(sm); warp-- > 0;) {
        bool taken = wr_sm_warp(sm, warp).valid;
        if (!wr_sm_warp_enter(sm, a->id, warp, NULL, POISON)) {
            continue;
        }
        assert_false(taken);
        assert_int_equal(wr_sm_warp_slot(sm, a->id), warp);
        assert_int_equal(wr_sm_warp_id(sm, warp), a->id);
        assert_false(wr_sm_warp_may_leave(sm, warp));
        assert_int_equal(a->loaded, a->pending != 0 && wr_sm_warp_pending(sm, a->id) == 0);
        uint64_t others = sm->valid & ~(UINT64_C(1) << warp);
        assert_true((sm->schedule.older[warp] & others) == others); /* it is the youngest */
        a->slot = warp;
        a->next_at = now + below(300); /* it takes a while to bring its registers */
        m.elsewhere += warp != a->id ? 1 : 0;
        return;
    }
}

static void resume(wr_sm *sm, away_warp *a)
{
    uint32_t warp = a->slot;
    for (uint32_t r = 0; r < a->count; r++) {
        assert_int_equal(wr_sm_reg(sm, warp, r)[0], POISON);
        wr_sm_reg_write(sm, warp, r, a->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, a->preds[p]);
    }
    wr_sm_stack_write(sm, warp, a->stack, a->depth);
    m.let_through += sm->away[a->id].passed ? 1 : 0;
    a->slot = UINT32_MAX; /* from now on it is told about again */
    wr_sm_warp_resume(sm, warp);
}

static void bring_back(wr_sm *sm, uint64_t now)
{
    uint32_t i = wr_sm_id(sm);
    for (uint32_t k = 0; k < m.count[i];) {
        away_warp *a = &m.away[i][k];
        if (now >= a->next_at && a->slot == UINT32_MAX) {
            enter(sm, a, now);
        }
        if (now >= a->next_at && a->slot != UINT32_MAX) {
            resume(sm, a);
            m.away[i][k] = m.away[i][--m.count[i]];
        } else {
            k++;
        }
    }
}

/* Every live warp of the SM has stopped; then all go on. */
static void end_stop(wr_sm *sm, uint64_t now)
{
    uint32_t i = wr_sm_id(sm);
    for (uint64_t left = wr_sm_live_warps(sm); left != 0; left &= left - 1) {
        wr_warp_info info = wr_sm_warp(sm, (uint32_t)__builtin_ctzll(left));
        if (!info.stopped || !info.drained || m.count[i] != 0) {
            assert_true(now < m.stop_since[i] + STOP_MOST);
            return;
        }
    }
    wr_sm_stop_tbs(sm, 1, 0);
    wr_sm_close(sm, 1, 0);
    m.stop_since[i] = UINT64_MAX;
    m.stops++;
}

static void take_off(wr_sm *sm, uint64_t now)
{
    uint32_t i = wr_sm_id(sm);
    bool may = now < m.until && m.stop_since[i] == UINT64_MAX;
    if (!may) {
        m.held[i] = 0;
        wr_sm_hold(sm, 2, 0);
    } else if (now % 7 == 0) { /* hold some, others no longer */
        uint64_t some = kit_random(&m.random);
        m.held[i] = some & kit_random(&m.random) & wr_sm_live_warps(sm);
        wr_sm_hold(sm, 2, m.held[i]);
    }
    for (uint64_t left = m.held[i]; left != 0 && m.count[i] < AWAY_MOST; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        if (below(20) == 0 && wr_sm_warp(sm, warp).valid && wr_sm_warp_may_leave(sm, warp)) {
            leave(sm, warp, now);
        }
    }
    m.held[i] &= wr_sm_live_warps(sm);
}

static void move_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    if (now >= m.next_stop && now < m.until) {
        uint32_t i = below(SMS);
        m.next_stop = now + STOP_EVERY;
        if (m.stop_since[i] == UINT64_MAX) {
            wr_sm_stop_tbs(wr_gpu_sm(gpu, i), 1, WR_ALL_TBS);
            wr_sm_close(wr_gpu_sm(gpu, i), 1, WR_ALL_STREAMS);
            m.stop_since[i] = now;
        }
    }
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        bring_back(sm, now);
        if (m.stop_since[i] != UINT64_MAX) {
            end_stop(sm, now);
        }
        take_off(sm, now);
    }
}

static uint64_t move_next(void *self, uint64_t now)
{
    (void)self;
    bool any = false;
    for (uint32_t i = 0; i < SMS; i++) {
        any |= m.count[i] != 0 || m.stop_since[i] != UINT64_MAX;
    }
    return now < m.until || any ? now + 1 : UINT64_MAX;
}

/* Of a warp that is back but not resumed nothing is told. */
static bool is_back(uint32_t i, uint32_t warp)
{
    bool back = false;
    for (uint32_t k = 0; k < m.count[i]; k++) {
        back |= m.away[i][k].slot == warp;
    }
    return back;
}

static void stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    uint32_t i = wr_sm_id(sm);
    uint64_t bit = UINT64_C(1) << warp;
    (void)self;
    bool at_barrier = (sm->barrier & bit) != 0;
    m.wrong[i] += (m.waits[i] & bit) != 0 || (why == WR_WAIT_BARRIER) != at_barrier ? 1 : 0;
    m.waits[i] |= bit;
}

static void woken(void *self, wr_sm *sm, uint32_t warp)
{
    uint32_t i = wr_sm_id(sm);
    uint64_t bit = UINT64_C(1) << warp;
    (void)self;
    m.wrong[i] += (m.waits[i] & bit) == 0 || is_back(i, warp) ? 1 : 0;
    m.waits[i] &= ~bit;
}

/* Nor does a warp issue that is held: the hold of who was in the slot before has ended. */
static void issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    uint32_t i = wr_sm_id(sm);
    (void)self;
    (void)lanes;
    m.wrong[i] += (m.held[i] >> warp & 1) != 0 ? 1 : 0;
}

static void loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    uint32_t i = wr_sm_id(sm);
    (void)self;
    for (uint32_t k = 0; k < m.count[i]; k++) {
        away_warp *a = &m.away[i][k];
        m.wrong[i] += a->id == id && (regs & ~a->pending) != 0 ? 1 : 0;
        if (a->id == id && wr_sm_warp_pending(sm, id) == 0) {
            m.wrong[i] += a->loaded || a->slot != UINT32_MAX ? 1 : 0;
            a->loaded = true;
        }
    }
}

static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    slots = exchange_slots(gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        const wr_sm *sm = wr_gpu_sm(gpu, i);
        assert_int_equal(m.count[i], 0);
        assert_int_equal(m.wrong[i], 0);
        assert_int_equal(m.waits[i], 0);
        assert_int_equal(sm->regs_used | sm->resident | sm->valid | sm->held | sm->stopping, 0);
        for (uint32_t k = 0; k < WR_WARP_IDS / 64; k++) {
            assert_int_equal(sm->ids_used[k], 0);
        }
    }
}

/* `brief`: threads take their time on a busy machine. */
static uint64_t moved(uint64_t seed, uint32_t threads, bool no_skip, bool brief)
{
    static const wr_system_hooks hooks = {.gpu_cycle = move_cycle,
                                          .next_cycle = move_next,
                                          .warp_loaded = loaded,
                                          .warp_issued = issued,
                                          .warp_stalled = stalled,
                                          .warp_woken = woken};
    memset(&m, 0, sizeof m);
    m.random = seed;
    m.until = brief ? 700 : 40000;
    m.next_stop = 300;
    for (uint32_t i = 0; i < SMS; i++) {
        m.stop_since[i] = UINT64_MAX;
    }
    return exchange_run(&(exchange_how){.hooks = &hooks,
                                        .look = look,
                                        .threads = threads,
                                        .no_skip = no_skip,
                                        .tbs = brief ? 3 : 0});
}

static void test_moved_warps(void **state)
{
    (void)state;
    uint64_t seed = kit_seed();
    uint64_t cycles = moved(seed, 1, false, false);
    print_message("%u warps left, %u came back elsewhere, %u with loads in flight, %u at a "
                  "barrier, %u let through; %u stops\n",
                  m.left, m.elsewhere, m.with_loads, m.at_barrier, m.let_through, m.stops);
    assert_true(m.left > 300 && m.elsewhere > 100 && m.with_loads > 10 && m.at_barrier > 10);
    assert_true(m.let_through > 10 && m.stops > 3);
    uint64_t slots_then = slots;
    assert_int_equal(cycles, moved(seed, 1, true, false));
    assert_int_equal(slots_then, slots);
    cycles = moved(seed, 1, false, true);
    assert_int_equal(cycles, moved(seed, 2, false, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved_warps)};
    return cmocka_run_group_tests_name("warp identity", tests, NULL, NULL);
}
