/* SPDX-License-Identifier: Apache-2.0 */
/* An SM whose storage is a system's: TBs placed away from it, warps that come and go at rows and
 * bytes of the test's own choice, and the output stays what it was.
 *
 * The system takes more TBs than the SM has warp slots or registers for. Every STEP cycles it does
 * at random what it may: a warp leaves, its rows are emptied and poisoned; a warp enters at other
 * rows; one that has finished gives its rows to others; a TB whose warps are all away has its
 * shared memory moved out, poisoned, and moved back elsewhere. Hooks note in `wrong` what can't be.
 */
#include "shell/core/seam/storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/exchange.h"

enum {
    SMS = 3,
    STEP = 16,
    REGS = EXCHANGE_REGS,
    TB_WARPS = EXCHANGE_BLOCK / 32,
    SHARED = EXCHANGE_SHARED,
    SHARED_LINES = SHARED / WR_LINE_BYTES + 1, /* it may begin in the middle of one */
    ROWS = 1024,
    LINES = 384,
    NOWHERE = UINT32_MAX,
    POISON = 0xdeadbeef,
    POISON_BYTE = 0xdb
};

typedef enum place { AWAY, ENTERED, RUNS, RETIRED } place;

typedef struct moved_warp {
    place place;
    uint32_t id, slot, row;
    bool fresh, held, at_barrier, passed;
    bool stays; /* in its slot for long when it has finished */
    uint64_t pending, told, next_at;
    uint8_t bytes[REGS][WR_LINE_BYTES];
    uint32_t preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t depth;
} moved_warp;

typedef struct moved_tb {
    bool valid;
    bool all_out;   /* its warps are to leave, and its shared memory behind them */
    uint32_t share; /* first byte; NOWHERE */
    bool has_bytes;
    uint8_t bytes[SHARED];
    moved_warp warp[TB_WARPS];
} moved_tb;

typedef struct moved_sm {
    moved_tb tb[WR_MAX_TBS];
    wr_tb_info next; /* taken, not placed yet */
    bool rows[ROWS], lines[LINES];
    uint8_t retired_from[WR_MAX_WARPS]; /* 1 + TB slot of a warp that has retired from the slot */
    uint64_t wrong, told, passed;
} moved_sm;

typedef struct counts {
    uint32_t left, with_loads, at_barrier, let_through, retired, not_yet, reused, shares, crowded;
} counts;

static struct {
    uint64_t random;
    bool running;
    uint32_t charge; /* rows that a warp takes */
    counts n;
    moved_sm sm[SMS];
} m;
static uint64_t slots;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&m.random) % n);
}

/* The first run of free units from a place chosen at random on; NOWHERE: there is none. */
static uint32_t find_free(const bool *used, uint32_t units, uint32_t count)
{
    uint32_t start = below(units);
    for (uint32_t i = 0; i < units; i++) {
        uint32_t at = (start + i) % units;
        uint32_t run = 0;
        while (run < count && at + run < units && !used[at + run]) {
            run++;
        }
        if (run == count) {
            return at;
        }
    }
    return NOWHERE;
}

static void mark(bool *used, uint32_t at, uint32_t count, bool value)
{
    for (uint32_t i = at; i < at + count; i++) {
        assert_int_equal(used[i], !value);
        used[i] = value;
    }
}

static void expect_poison(wr_sm *sm, uint32_t row)
{
    for (uint32_t r = 0; r < REGS; r++) {
        const uint32_t *line = (const uint32_t *)(const void *)wr_sm_register_line(sm, row + r);
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(line[i], (uint32_t)POISON);
        }
    }
}

static void spoil(wr_sm *sm, uint32_t row)
{
    for (uint32_t r = 0; r < m.charge; r++) {
        memset(wr_sm_register_line(sm, row + r), POISON_BYTE, WR_LINE_BYTES);
    }
}

/* A warp has given its rows back: they hold what they held, or poison. */
static void empty_rows(wr_sm *sm, const moved_warp *w, uint32_t kept)
{
    if (kept == 0) {
        expect_poison(sm, w->row);
    } else {
        for (uint32_t r = 0; r < REGS; r++) {
            assert_memory_equal(wr_sm_register_line(sm, w->row + r), w->bytes[r], WR_LINE_BYTES);
        }
    }
    spoil(sm, w->row);
    mark(m.sm[wr_sm_id(sm)].rows, w->row, m.charge, false);
}

static void copy_out(wr_sm *sm, moved_warp *w)
{
    for (uint32_t r = 0; r < REGS; r++) {
        memcpy(w->bytes[r], wr_sm_register_line(sm, w->row + r), WR_LINE_BYTES);
    }
}

static uint32_t any_kept(void)
{
    return below(2) == 0 ? WR_KEEPS_REGISTERS : 0;
}

static void leave(wr_sm *sm, moved_warp *w, uint64_t now)
{
    uint32_t used = sm->regs_used;
    uint32_t kept = any_kept();
    copy_out(sm, w);
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        w->preds[p] = wr_sm_pred(sm, w->slot, p);
    }
    w->depth = wr_sm_stack(sm, w->slot, w->stack);
    w->at_barrier = (sm->barrier >> w->slot & 1) != 0;
    w->passed = false;
    w->pending = wr_sm_warp_pending(sm, w->id);
    w->told = 0;
    assert_int_equal(wr_sm_warp_leave(sm, w->slot, kept, (uint32_t)POISON), w->id);
    assert_int_equal(wr_sm_warp_pending(sm, w->id), w->pending);
    assert_int_equal(sm->regs_used, used - m.charge * 32);
    assert_false(wr_sm_warp(sm, w->slot).valid);
    empty_rows(sm, w, kept);
    w->place = AWAY;
    w->held = false;
    w->next_at = now + STEP * below(12);
    m.n.left++;
    m.n.with_loads += w->pending != 0 ? 1 : 0;
    m.n.at_barrier += w->at_barrier ? 1 : 0;
}

static void retire(wr_sm *sm, uint32_t tb_slot, moved_warp *w)
{
    uint32_t used = sm->regs_used;
    uint32_t kept = any_kept();
    copy_out(sm, w);
    if (!wr_sm_warp_retire(sm, w->slot, kept, (uint32_t)POISON)) {
        assert_true(wr_sm_warp(sm, w->slot).valid && sm->regs_used == used);
        m.n.not_yet++;
        return;
    }
    assert_false(wr_sm_warp(sm, w->slot).valid);
    assert_int_equal(sm->regs_used, used - m.charge * 32);
    assert_int_equal(wr_sm_warp_slot(sm, w->id), UINT32_MAX);
    empty_rows(sm, w, kept);
    m.sm[wr_sm_id(sm)].retired_from[w->slot] = (uint8_t)(1 + tb_slot);
    w->place = RETIRED;
    m.n.retired++;
}

static uint32_t free_slot(const wr_sm *sm)
{
    uint32_t most = wr_sm_warp_slots(sm);
    uint32_t start = below(most);
    for (uint32_t i = 0; i < most; i++) {
        if (!wr_sm_warp(sm, (start + i) % most).valid) {
            return (start + i) % most;
        }
    }
    return NOWHERE;
}

/* At other rows than those that it had; they bring its bytes, or registers are written later. */
static void enter(wr_sm *sm, moved_warp *w, uint64_t now)
{
    moved_sm *s = &m.sm[wr_sm_id(sm)];
    uint32_t used = sm->regs_used;
    uint32_t kept = any_kept();
    uint32_t slot = free_slot(sm);
    uint32_t row = find_free(s->rows, sm->cfg->sm.registers / 32, m.charge);
    if (slot == NOWHERE || row == NOWHERE) {
        return;
    }
    for (uint32_t r = 0; r < REGS && kept != 0; r++) {
        memcpy(wr_sm_register_line(sm, row + r), w->bytes[r], WR_LINE_BYTES);
    }
    assert_true(wr_sm_warp_enter(sm, w->id, slot, &(wr_tb_where){.row = row, .kept = kept},
                                 (uint32_t)POISON));
    assert_int_equal(sm->regs_used, used + m.charge * 32);
    assert_int_equal(wr_sm_warp_pending(sm, w->id), w->pending & ~w->told);
    assert_int_equal(sm->away[w->id].passed, w->passed);
    assert_ptr_equal(wr_sm_reg(sm, slot, REGS - 1), wr_sm_register_line(sm, row + REGS - 1));
    if (kept == 0) {
        expect_poison(sm, row);
    }
    for (uint32_t r = 0; r < REGS && kept == 0 && !w->fresh; r++) {
        uint32_t lanes[32];
        memcpy(lanes, w->bytes[r], sizeof lanes);
        wr_sm_reg_write(sm, slot, r, lanes);
    }
    mark(s->rows, row, m.charge, true);
    m.n.reused += s->retired_from[slot] != 0 ? 1 : 0;
    m.n.let_through += w->passed ? 1 : 0;
    w->row = row;
    w->slot = slot;
    w->place = ENTERED;
    w->next_at = now + STEP * below(4);
}

static void resume(wr_sm *sm, uint32_t tb_slot, uint32_t index, moved_warp *w)
{
    if (w->fresh) {
        w->stack[0] = wr_sm_tb_first(sm, tb_slot, index);
        w->depth = 1;
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, w->slot, p, w->fresh ? 0 : w->preds[p]);
    }
    wr_sm_stack_write(sm, w->slot, w->stack, w->depth);
    wr_sm_warp_resume(sm, w->slot);
    w->fresh = false;
    w->place = RUNS;
}

static uint8_t *shared_at(wr_sm *sm, uint32_t byte)
{
    return wr_sm_shared_line(sm, byte / WR_LINE_BYTES) + byte % WR_LINE_BYTES;
}

static uint32_t find_share(moved_sm *s)
{
    uint32_t line = find_free(s->lines, LINES, SHARED_LINES);
    assert_int_not_equal(line, NOWHERE);
    mark(s->lines, line, SHARED_LINES, true);
    return line * WR_LINE_BYTES + 4 * below(32);
}

static void drop_share(moved_sm *s, moved_tb *t)
{
    if (t->share != NOWHERE) {
        mark(s->lines, t->share / WR_LINE_BYTES, SHARED_LINES, false);
    }
    t->share = NOWHERE;
}

static void share_out(wr_sm *sm, uint32_t tb_slot, moved_tb *t)
{
    uint32_t used = sm->shared_used;
    assert_ptr_equal(wr_sm_shared(sm, tb_slot), shared_at(sm, t->share));
    memcpy(t->bytes, shared_at(sm, t->share), SHARED);
    memset(shared_at(sm, t->share), POISON_BYTE, SHARED);
    wr_sm_tb_share_at(sm, tb_slot, WR_ELSEWHERE);
    assert_int_equal(sm->shared_used, used - SHARED);
    drop_share(&m.sm[wr_sm_id(sm)], t);
    t->has_bytes = true;
    t->all_out = false;
    m.n.shares++;
}

static void share_in(wr_sm *sm, uint32_t tb_slot, moved_tb *t)
{
    uint32_t used = sm->shared_used;
    t->share = find_share(&m.sm[wr_sm_id(sm)]);
    wr_sm_tb_share_at(sm, tb_slot, t->share);
    assert_int_equal(sm->shared_used, used + SHARED);
    assert_ptr_equal(wr_sm_shared(sm, tb_slot), shared_at(sm, t->share));
    if (t->has_bytes) {
        memcpy(shared_at(sm, t->share), t->bytes, SHARED);
    }
}

static void adopt(wr_sm *sm)
{
    moved_sm *s = &m.sm[wr_sm_id(sm)];
    uint32_t share = below(2) == 0 ? find_share(s) : WR_ELSEWHERE;
    if (!s->next.valid && !wr_gpu_tb_take(wr_sm_gpu(sm), 0, &s->next)) {
        s->next.valid = false;
    }
    uint32_t slot = s->next.valid ? kit_place_away(sm, &s->next, share) : UINT32_MAX;
    moved_tb *t = slot != UINT32_MAX ? &s->tb[slot] : &(moved_tb){0};
    t->share = share;
    if (slot == UINT32_MAX) {
        drop_share(s, t);
        return;
    }
    assert_false(t->valid);
    *t = (moved_tb){.valid = true, .share = share};
    for (uint32_t i = 0; i < TB_WARPS; i++) {
        uint32_t id = sm->tbs[slot].ids[i];
        assert_int_equal(wr_sm_tb_warp(sm, slot, i), UINT32_MAX);
        assert_int_equal(wr_sm_warp_pending(sm, id), 0);
        t->warp[i] = (moved_warp){.id = id, .fresh = true, .stays = below(4) == 0};
    }
    s->next.valid = false;
}

static bool is_out(const wr_sm *sm, const moved_warp *w)
{
    return w->place == AWAY || w->place == RETIRED ||
           (w->place == RUNS && wr_sm_warp(sm, w->slot).done);
}

static void move_tb(wr_sm *sm, uint32_t tb_slot, moved_tb *t, uint64_t now)
{
    bool out = true;
    for (uint32_t i = 0; i < TB_WARPS; i++) {
        moved_warp *w = &t->warp[i];
        bool done = w->place == RUNS && wr_sm_warp(sm, w->slot).done;
        if (done && (!w->stays || below(100) == 0)) {
            retire(sm, tb_slot, w);
        } else if (w->place == RUNS && w->held && !done && wr_sm_warp_may_leave(sm, w->slot)) {
            leave(sm, w, now);
        } else if (w->place == ENTERED && now >= w->next_at) {
            resume(sm, tb_slot, i, w);
        } else if (w->place == AWAY && now >= w->next_at && t->share != NOWHERE && !t->all_out) {
            enter(sm, w, now);
        }
        out &= is_out(sm, w);
    }
    if (out && t->all_out) {
        share_out(sm, tb_slot, t);
    } else if (t->share == NOWHERE && below(8) == 0) {
        share_in(sm, tb_slot, t);
    }
    t->all_out |= t->share != NOWHERE && below(400) == 0;
}

/* Warps that wait rather than others, and all of a TB that is to be out. */
static void hold(wr_sm *sm)
{
    uint64_t held = 0;
    uint64_t waits = sm->barrier | sm->awaits_memory;
    for (uint32_t k = 0; k < WR_MAX_TBS; k++) {
        moved_tb *t = &m.sm[wr_sm_id(sm)].tb[k];
        for (uint32_t i = 0; t->valid && i < TB_WARPS; i++) {
            moved_warp *w = &t->warp[i];
            w->held = w->place == RUNS && !wr_sm_warp(sm, w->slot).done &&
                      (t->all_out || below((waits >> w->slot & 1) != 0 ? 6 : 40) == 0);
            held |= w->held ? UINT64_C(1) << w->slot : 0;
        }
    }
    wr_sm_hold(sm, 1, held);
}

static void move_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    if (now % STEP != 0 || !m.running) {
        return;
    }
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        uint32_t warps = 0;
        adopt(sm);
        for (uint32_t k = 0; k < WR_MAX_TBS; k++) {
            if (m.sm[i].tb[k].valid) {
                warps += TB_WARPS;
                move_tb(sm, k, &m.sm[i].tb[k], now);
            }
        }
        hold(sm);
        bool more = warps > wr_sm_warp_slots(sm) || warps * m.charge * 32 > sm->cfg->sm.registers;
        m.n.crowded += more ? 1 : 0;
    }
}

static uint64_t move_next(void *self, uint64_t now)
{
    (void)self;
    return m.running ? now - now % STEP + STEP : UINT64_MAX;
}

static void launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)launch;
    m.running = true;
    m.charge = wr_gpu_tb_needs(gpu, stream).registers / 32 / TB_WARPS;
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 1, WR_ALL_STREAMS);
    }
}

static void launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    (void)self;
    (void)gpu;
    (void)stream;
    m.running = false;
}

static void tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    moved_sm *s = &m.sm[wr_sm_id(sm)];
    moved_tb *t = &s->tb[tb_slot];
    (void)self;
    (void)stream;
    for (uint32_t i = 0; i < TB_WARPS; i++) {
        assert_true(t->warp[i].place == RUNS || t->warp[i].place == RETIRED);
        if (t->warp[i].place == RUNS) {
            mark(s->rows, t->warp[i].row, m.charge, false);
        }
    }
    for (uint32_t i = 0; i < WR_MAX_WARPS; i++) {
        s->retired_from[i] = s->retired_from[i] == 1 + tb_slot ? 0 : s->retired_from[i];
    }
    drop_share(s, t);
    t->valid = false;
}

/* The warp of which a hook tells, which must be away; NULL: it is not. */
static moved_warp *absent(moved_sm *s, uint32_t id)
{
    for (uint32_t k = 0; k < WR_MAX_TBS; k++) {
        for (uint32_t i = 0; s->tb[k].valid && i < TB_WARPS; i++) {
            moved_warp *w = &s->tb[k].warp[i];
            if (w->id == id && w->place == AWAY && !w->fresh) {
                return w;
            }
        }
    }
    s->wrong++;
    return NULL;
}

static void loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    moved_sm *s = &m.sm[wr_sm_id(sm)];
    moved_warp *w = absent(s, id);
    (void)self;
    if (w != NULL) {
        s->wrong += regs == 0 || (regs & ~(w->pending & ~w->told)) != 0 ? 1 : 0;
        w->told |= regs;
        s->wrong += wr_sm_warp_pending(sm, id) != (w->pending & ~w->told) ? 1 : 0;
        s->told++;
    }
}

static void passed(void *self, wr_sm *sm, uint32_t id)
{
    moved_sm *s = &m.sm[wr_sm_id(sm)];
    moved_warp *w = absent(s, id);
    (void)self;
    if (w != NULL) {
        s->wrong += w->passed || !w->at_barrier ? 1 : 0;
        w->passed = true;
        s->passed++;
    }
}

static void look(void *arg, wr_gpu *gpu)
{
    uint64_t told = 0;
    uint64_t through = 0;
    (void)arg;
    slots = exchange_slots(gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        const wr_sm *sm = wr_gpu_sm(gpu, i);
        assert_int_equal(m.sm[i].wrong, 0);
        assert_int_equal(sm->regs_used | sm->shared_used | sm->resident, 0);
        assert_int_equal(sm->valid | sm->tb_valid | sm->held | sm->stopping | sm->in_pipe, 0);
        for (uint32_t k = 0; k < WR_WARP_IDS; k++) {
            assert_int_equal(sm->ids_used[k / 64], 0);
            assert_int_equal(sm->stores[k] | sm->away[k].pending, 0);
        }
        for (uint32_t k = 0; k < ROWS; k++) {
            assert_false(m.sm[i].rows[k] || (k < LINES && m.sm[i].lines[k]));
        }
        told += m.sm[i].told;
        through += m.sm[i].passed;
    }
    assert_true(told >= m.n.with_loads / 2);
    assert_int_equal(through, m.n.let_through);
}

static const wr_system_hooks hooks = {.launch_begin = launch_begin,
                                      .launch_end = launch_end,
                                      .tb_done = tb_done,
                                      .gpu_cycle = move_cycle,
                                      .next_cycle = move_next,
                                      .warp_loaded = loaded,
                                      .warp_passed = passed};

/* tbs 0: all. */
static uint64_t moved(uint64_t seed, exchange_how how)
{
    memset(&m, 0, sizeof m);
    m.random = seed;
    how.hooks = &hooks;
    how.look = look;
    return exchange_run(&how);
}

/* Cycles and issue slots are the same, skipping or not. */
static void run_both(uint64_t seed, exchange_how how)
{
    uint64_t cycles = moved(seed, how);
    uint64_t slots_then = slots;
    counts n = m.n;
    print_message("%u warps left (%u with loads in flight, %u at a barrier, %u let through), "
                  "%u retired (%u not yet), %u times their slot was used, %u moves of shared "
                  "memory, %u steps with more warps than have room\n",
                  n.left, n.with_loads, n.at_barrier, n.let_through, n.retired, n.not_yet, n.reused,
                  n.shares, n.crowded);
    assert_true(n.left > 300 && n.with_loads > 30 && n.at_barrier > 100 && n.let_through > 30);
    assert_true(n.retired > 100 && n.reused > 30 && n.shares > 15);
    how.no_skip = true;
    assert_int_equal(moved(seed, how), cycles);
    assert_int_equal(slots, slots_then);
    assert_memory_equal(&n, &m.n, sizeof n);
}

static void test_more_than_slots(void **state)
{
    (void)state;
    run_both(kit_seed(), (exchange_how){.sms = SMS});
}

static void test_more_than_registers(void **state)
{
    (void)state;
    run_both(kit_seed() + 1, (exchange_how){.sms = SMS, .tbs = 40, .registers = ROWS / 4 * 32});
    assert_true(m.n.crowded > 100);
}

/* Stores of a warp that has retired are acknowledged before its TB ends. */
static void test_waits_for_stores(void **state)
{
    (void)state;
    run_both(kit_seed() + 2, (exchange_how){.sms = SMS, .tbs = 40, .config = "gtx480_gpgpusim4"});
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t seed = kit_seed();
    uint64_t cycles = moved(seed, (exchange_how){.sms = SMS, .tbs = 4});
    counts n = m.n;
    assert_true(n.left > 10);
    assert_int_equal(moved(seed, (exchange_how){.sms = SMS, .tbs = 4, .threads = 2}), cycles);
    assert_memory_equal(&n, &m.n, sizeof n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_than_slots),
        cmocka_unit_test(test_more_than_registers),
        cmocka_unit_test(test_waits_for_stores),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("warps at rows", tests, NULL, NULL);
}
