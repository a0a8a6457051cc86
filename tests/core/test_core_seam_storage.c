/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of an SM in a system's hands, one service at a time: TBs that move in it, and what
 * hooks tell of absent warps. All of it at once, at random, is in
 * test_core_seam_rows. */
#include "shell/core/seam/storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/cursor.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { SMS = 3, ROWS = 1024, WORDS = 12288, POISON = 0xdb, WORD_POISON = 0xdeadbeef };

/* Placed TBs move to rows and words of shared memory. */
static struct {
    uint64_t random;
    bool moves; /* else the SMs are only closed, at the same time */
    bool closed[SMS];
    uint32_t moved, moved_twice;
} loc;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&loc.random) % n);
}

/* Places for `count` things of a size in a space, none over another, in any order. */
static void lay_out(uint32_t space, uint32_t size, uint32_t count, uint32_t at[])
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t gap = below(space - size * count + 1);
        uint32_t k = i;
        for (; k > 0 && at[k - 1] > gap; k--) {
            at[k] = at[k - 1];
        }
        at[k] = gap;
    }
    for (uint32_t i = 0; i < count; i++) {
        at[i] += i * size;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = below(i);
        uint32_t other = at[k];
        at[k] = at[i - 1];
        at[i - 1] = other;
    }
}

/* What TBs hold, before or after. */
typedef struct image {
    uint32_t regs[WR_MAX_WARPS][EXCHANGE_REGS][32];
    uint8_t shared[WR_MAX_TBS][EXCHANGE_SHARED];
} image;

static void take_image(wr_sm *sm, image *to)
{
    memset(to, 0, sizeof *to);
    for (uint64_t left = sm->valid; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        for (uint32_t r = 0; r < EXCHANGE_REGS; r++) {
            memcpy(to->regs[warp][r], wr_sm_row(sm, warp, r), WR_LINE_BYTES);
        }
    }
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        memcpy(to->shared[slot], wr_sm_shared(sm, slot), EXCHANGE_SHARED);
    }
}

/* Each TB lies where it was told to, and beside them is poison. */
static void check_places(wr_sm *sm, const wr_tb_where *where, uint32_t charge)
{
    static bool rows[ROWS];
    static bool words[WORDS];
    uint32_t poison;
    memset(&poison, POISON, sizeof poison);
    memset(rows, 0, sizeof rows);
    memset(words, 0, sizeof words);
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        for (uint32_t i = 0; i < EXCHANGE_BLOCK / 32; i++) {
            uint32_t row = where[slot].row + i * charge;
            assert_ptr_equal(wr_sm_row(sm, wr_sm_tb_warp(sm, slot, i), 0),
                             wr_sm_register_line(sm, row));
            memset(&rows[row], true, EXCHANGE_REGS);
        }
        assert_ptr_equal(wr_sm_shared(sm, slot),
                         wr_sm_shared_line(sm, where[slot].shared / WR_LINE_BYTES) +
                             where[slot].shared % WR_LINE_BYTES);
        memset(&words[where[slot].shared / 4], true, EXCHANGE_SHARED / 4);
    }
    for (uint32_t i = 0; i < ROWS * 32; i++) {
        assert_true(rows[i / 32] || memcmp(wr_sm_register_line(sm, i / 32) + i % 32 * 4, &poison,
                                           sizeof poison) == 0);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_true(words[i] || memcmp(wr_sm_shared_line(sm, i / 32) + i % 32 * 4, &poison,
                                       sizeof poison) == 0);
    }
}

static void locate(wr_sm *sm)
{
    static image was;
    static image is;
    uint32_t rows[WR_MAX_TBS] = {0};
    uint32_t words[WR_MAX_TBS] = {0};
    wr_tb_where where[WR_MAX_TBS] = {{0}};
    uint32_t regs = wr_gpu_tb_needs(wr_sm_gpu(sm), 0).registers / 32;
    lay_out(ROWS, regs, wr_sm_tb_count(sm, WR_ALL_STREAMS), rows);
    lay_out(WORDS, EXCHANGE_SHARED / 4, wr_sm_tb_count(sm, WR_ALL_STREAMS), words);
    uint32_t i = 0;
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        where[__builtin_ctzll(left)] = (wr_tb_where){.row = rows[i], .shared = 4 * words[i]};
        i++;
    }
    take_image(sm, &was);
    assert_true(wr_sm_tbs_locate(sm, where, POISON));
    take_image(sm, &is);
    assert_memory_equal(&was, &is, sizeof is);
    check_places(sm, where, regs / (EXCHANGE_BLOCK / 32));
    loc.moved++;
}

static void locate_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    if (wr_gpu_cycle(gpu) % 1501 != 1500) {
        return;
    }
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        if (loc.moves && wr_sm_tb_count(sm, WR_ALL_STREAMS) != 0) {
            loc.moved_twice += loc.closed[i] ? 1 : 0;
            locate(sm);
        }
        loc.closed[i] = true;
        wr_sm_close(sm, 0, WR_ALL_STREAMS);
    }
}

static uint64_t locate_next(void *self, uint64_t now)
{
    (void)self;
    return now < 20000 ? now - (now + 1) % 1501 + 1501 : UINT64_MAX;
}

/* The dispatcher's storage is that of slots again. */
static void locate_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    (void)self;
    (void)slot;
    (void)stream;
    if (wr_sm_tb_count(sm, WR_ALL_STREAMS) == 0) {
        loc.closed[wr_sm_id(sm)] = false;
        wr_sm_close(sm, 0, 0);
    }
}

static uint64_t located(uint64_t seed, bool moves, bool no_skip)
{
    static const wr_system_hooks hooks = {
        .gpu_cycle = locate_cycle, .next_cycle = locate_next, .tb_done = locate_done};
    memset(&loc, 0, sizeof loc);
    loc.random = seed;
    loc.moves = moves;
    return exchange_run(&(exchange_how){.hooks = &hooks, .sms = SMS, .no_skip = no_skip});
}

static void test_locate(void **state)
{
    (void)state;
    uint64_t seed = kit_seed();
    uint64_t cycles = located(seed, false, false);
    assert_int_equal(located(seed, true, false), cycles);
    assert_true(loc.moved > 10 && loc.moved_twice > 3);
    assert_int_equal(located(seed, true, true), cycles);
}

/* One SM, a plan of one launch, and what is done in each cycle. */
static struct {
    void (*act)(wr_sm *sm, uint64_t now);
    uint32_t phase, count;
    uint64_t at, told[8];
    uint32_t told_count, passed_count, id;
    uint32_t regs[8][32], depth, preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
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

static void note_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    (void)self;
    assert_int_equal(id, t.id);
    assert_int_equal(wr_sm_warp_slot(sm, id), UINT32_MAX);
    t.told[t.told_count++] = regs;
}

static void note_passed(void *self, wr_sm *sm, uint32_t id)
{
    (void)self;
    assert_int_equal(id, t.id);
    assert_int_equal(wr_sm_warp_slot(sm, id), UINT32_MAX);
    t.passed_count++;
}

static void begin(void (*how)(wr_sm *sm, uint64_t now))
{
    static const wr_system_hooks hooks = {.gpu_cycle = act,
                                          .next_cycle = act_next,
                                          .warp_loaded = note_loaded,
                                          .warp_passed = note_passed};
    memset(&t, 0, sizeof t);
    t.act = how;
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
}

static void go_away(wr_sm *sm, uint32_t warp)
{
    for (uint32_t r = 0; r < 8; r++) {
        memcpy(t.regs[r], wr_sm_reg(sm, warp, r), sizeof t.regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        t.preds[p] = wr_sm_pred(sm, warp, p);
    }
    t.depth = wr_sm_stack(sm, warp, t.stack);
    t.id = wr_sm_warp_leave(sm, warp, 0, (uint32_t)WORD_POISON);
}

static void go_on(wr_sm *sm, uint32_t warp)
{
    for (uint32_t r = 0; r < 8; r++) {
        wr_sm_reg_write(sm, warp, r, t.regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, t.preds[p]);
    }
    wr_sm_stack_write(sm, warp, t.stack, t.depth);
    wr_sm_warp_resume(sm, warp);
}

/* Loads that were in flight when the warp left are told, each register once; none before. */
static void leave_with_loads(wr_sm *sm, uint64_t now)
{
    (void)now;
    if (t.phase == 0 && wr_sm_live_warps(sm) != 0 && wr_sm_warp_pending(sm, 0) == 7 << 4) {
        wr_sm_hold(sm, 0, 1);
        if (wr_sm_warp_may_leave(sm, 0)) {
            go_away(sm, 0);
            t.phase = 1;
        }
    } else if (t.phase == 1 && wr_sm_warp_pending(sm, t.id) == 0) {
        assert_true(wr_sm_warp_enter(sm, t.id, 21, &(wr_tb_where){.row = 777}, 0));
        go_on(sm, 21);
        t.phase = 2;
    }
}

static void test_loads_told(void **state)
{
    (void)state;
    begin(leave_with_loads);
    step *s = plan_add(0, "loads", 8, 1, 32);
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 0, 0, 3, RZ));
    kit_add(&s->kernel, kit_imm(kit_op(WR_OP_SHL, WR_B32, 2, 2, RZ, RZ), 1, 3));
    kit_add(&s->kernel, kit_param(kit_op(WR_OP_ADD, WR_U32, 2, 2, RZ, RZ), 1, 0));
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 2, 4, 2, 4096));
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 6, 1, 8192));
    for (unsigned r = 4; r < 7; r++) {
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 0, 0, r, RZ));
    }
    plan_store_and_exit(&s->kernel, 0);
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t v = i * i;
        assert_true(wr_gpu_write(plan.gpu, s->params.out + 4 * (uint64_t)i, &v, 4));
    }
    plan_run_all();
    assert_int_equal(t.phase, 2);
    assert_int_equal(t.told_count, 2);
    assert_int_equal(t.told[0] & t.told[1], 0);
    assert_int_equal(t.told[0] | t.told[1], 7 << 4);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t pair = 1024 + 2 * i;
        assert_int_equal(plan_out(s, i), i + i * i + pair * pair + (pair + 1) * (pair + 1) +
                                             (2048 + i) * (2048 + i));
    }
}

/* Warp 0 waits at the barrier and leaves; t.count: it is in a slot again when the barrier opens. */
static void leave_at_barrier(wr_sm *sm, uint64_t now)
{
    if (t.phase == 0 && (sm->barrier & 1) != 0) {
        wr_sm_hold(sm, 0, 1);
        if (wr_sm_warp_may_leave(sm, 0)) {
            go_away(sm, 0);
            t.phase = 1;
            t.at = now + (t.count != 0 ? 10 : 6000);
        }
    } else if (t.phase == 1 && now == t.at) {
        assert_int_equal(t.passed_count, t.count != 0 ? 0 : 1);
        assert_true(wr_sm_warp_enter(sm, t.id, 0, NULL, 0));
        t.phase = 2;
        t.at = now + 6000;
    } else if (t.phase == 2 && now == t.at) {
        go_on(sm, 0);
        t.phase = 3;
    }
}

static void pass(uint32_t in_slot)
{
    begin(leave_at_barrier);
    t.count = in_slot;
    step *s = plan_add(0, "pass", 8, 1, 64);
    s->params.trips = 200;
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 1, 2, RZ), 1, 32));
    size_t at = s->kernel.count;
    kit_add(&s->kernel, kit_guard(kit_bra(at + 5, at + 5), 1, false));
    plan_spin(&s->kernel);
    kit_add(&s->kernel, kit_plain(WR_OP_BAR_PP));
    plan_store_and_exit(&s->kernel, 0);
    plan_run_all();
    assert_int_equal(t.phase, 3);
    assert_int_equal(t.passed_count, in_slot != 0 ? 0 : 1);
    assert_int_equal(t.told_count, 0);
    assert_int_equal(plan_out(s, 5), 5);
    assert_int_equal(plan_out(s, 63), 63);
}

static void test_barrier_told(void **state)
{
    (void)state;
    pass(0);
    pass(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locate),
        cmocka_unit_test_teardown(test_loads_told, plan_teardown),
        cmocka_unit_test_teardown(test_barrier_told, plan_teardown),
    };
    return cmocka_run_group_tests_name("storage", tests, NULL, NULL);
}
