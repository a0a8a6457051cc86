/* SPDX-License-Identifier: Apache-2.0 */
/* A warp apart from its slot: warps leave and come back elsewhere, with loads in flight and in the
 * middle of barriers, and the output stays what it was. */
#include "shell/core/seam/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/exchange.h"

enum { SMS = 3, AWAY_MOST = 12, POISON = 0xdeadbeef };

typedef struct away_warp {
    uint32_t id;
    uint64_t back_at;
    uint64_t pending; /* when it left */
    bool loaded;      /* its last load has come */
    uint32_t regs[63][32];
    uint32_t preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t depth, count; /* registers */
} away_warp;

/* Takes warps off at random: any that may leave, held for some cycles before. */
typedef struct mover {
    uint64_t random, until;
    uint64_t held[SMS]; /* told to hold */
    away_warp away[SMS][AWAY_MOST];
    uint32_t count[SMS];
    uint32_t left, elsewhere, with_loads, at_barrier, told;
} mover;
static mover m;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&m.random) % n);
}

static void leave(wr_sm *sm, uint32_t warp, uint64_t now)
{
    uint32_t sm_id = wr_sm_id(sm);
    away_warp *a = &m.away[sm_id][m.count[sm_id]++];
    wr_tb_info tb = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot);
    a->count = tb.regs;
    for (uint32_t r = 0; r < tb.regs; r++) {
        memcpy(a->regs[r], wr_sm_reg(sm, warp, r), sizeof a->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        a->preds[p] = wr_sm_pred(sm, warp, p);
    }
    a->depth = wr_sm_stack(sm, warp, a->stack);
    m.at_barrier += (sm->barrier >> warp & 1) != 0 ? 1 : 0;
    a->id = wr_sm_warp_leave(sm, warp, POISON);
    a->pending = wr_sm_warp_pending(sm, a->id);
    a->loaded = false;
    a->back_at = now + 1 + below(600);
    assert_int_equal(wr_sm_warp_slot(sm, a->id), UINT32_MAX);
    assert_false(wr_sm_warp(sm, warp).valid);
    m.left++;
    m.with_loads += a->pending != 0 ? 1 : 0;
}

/* Into the highest free slot, most often not the one it had. */
static bool come_back(wr_sm *sm, away_warp *a)
{
    for (uint32_t warp = wr_sm_warp_slots(sm); warp-- > 0;) {
        if (wr_sm_warp(sm, warp).valid || !wr_sm_warp_enter(sm, a->id, warp, POISON)) {
            continue;
        }
        assert_int_equal(wr_sm_warp_slot(sm, a->id), warp);
        assert_int_equal(wr_sm_warp_id(sm, warp), a->id);
        for (uint32_t r = 0; r < a->count; r++) {
            assert_int_equal(wr_sm_reg(sm, warp, r)[0], POISON);
            wr_sm_reg_write(sm, warp, r, a->regs[r]);
        }
        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            wr_sm_pred_write(sm, warp, p, a->preds[p]);
        }
        wr_sm_stack_write(sm, warp, a->stack, a->depth);
        assert_int_equal(a->loaded, a->pending != 0 && wr_sm_warp_pending(sm, a->id) == 0);
        wr_sm_warp_resume(sm, warp);
        m.elsewhere += warp != a->id ? 1 : 0;
        return true;
    }
    return false;
}

static void move_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        for (uint32_t k = 0; k < m.count[i];) {
            if (now >= m.away[i][k].back_at && come_back(sm, &m.away[i][k])) {
                m.away[i][k] = m.away[i][--m.count[i]];
            } else {
                k++;
            }
        }
        if (now % 7 == 0 && now < m.until) { /* hold some, others no longer */
            m.held[i] = kit_random(&m.random) & kit_random(&m.random) & wr_sm_live_warps(sm);
            wr_sm_hold(sm, 2, m.held[i]);
        } else if (now >= m.until) {
            m.held[i] = 0;
            wr_sm_hold(sm, 2, 0);
        }
        for (uint64_t left = m.held[i]; left != 0 && m.count[i] < AWAY_MOST; left &= left - 1) {
            uint32_t warp = (uint32_t)__builtin_ctzll(left);
            if (below(20) == 0 && wr_sm_warp(sm, warp).valid && wr_sm_warp_may_leave(sm, warp)) {
                leave(sm, warp, now);
            }
        }
        m.held[i] &= wr_sm_live_warps(sm);
    }
}

static uint64_t move_next(void *self, uint64_t now)
{
    (void)self;
    bool any = m.count[0] + m.count[1] + m.count[2] != 0;
    return now < m.until || any ? now + 1 : UINT64_MAX;
}

static void loaded(void *self, wr_sm *sm, uint32_t id)
{
    uint32_t i = wr_sm_id(sm);
    (void)self;
    for (uint32_t k = 0; k < m.count[i]; k++) {
        m.away[i][k].loaded |= m.away[i][k].id == id;
    }
}

static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    (void)gpu;
    assert_int_equal(m.count[0] + m.count[1] + m.count[2], 0);
    assert_true(m.left > 300 && m.elsewhere > 100 && m.with_loads > 10 && m.at_barrier > 10);
}

static const wr_system_hooks hooks = {
    .gpu_cycle = move_cycle, .next_cycle = move_next, .warp_loaded = loaded};

static void test_moved_warps(void **state)
{
    (void)state;
    uint64_t seed = kit_seed();
    uint64_t cycles[3];
    for (uint32_t i = 0; i < 3; i++) { /* again, and on two threads: the same */
        memset(&m, 0, sizeof m);
        m.random = seed;
        m.until = 40000;
        cycles[i] =
            exchange_run(&(exchange_how){.hooks = &hooks, .look = look, .threads = i == 2 ? 2 : 1});
        assert_int_equal(cycles[i], cycles[0]);
    }
    print_message(
        "%u warps left, %u came back elsewhere, %u with loads in flight, %u at a barrier\n", m.left,
        m.elsewhere, m.with_loads, m.at_barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved_warps)};
    return cmocka_run_group_tests_name("warp identity", tests, NULL, NULL);
}
