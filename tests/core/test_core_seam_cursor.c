/* SPDX-License-Identifier: Apache-2.0 */
/* The cursor seam: a stalled warp's instructions run ahead into spare rows, and nobody sees it. */
#include "shell/core/seam/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/warp.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { WARPS = 64 };

/* On a stall for memory a cursor starts behind the stalled instruction; each register that it
 * writes gets a spare row. It ends where it must, or when the warp wakes. */
typedef struct ahead {
    bool on;
    wr_cursor cursor;
    uint32_t next_row, issued;
    uint32_t first[32]; /* lanes of the first row that it has written, when the warp woke */
    uint32_t first_row;
} ahead;
static ahead run_ahead[WARPS];
static uint32_t total, waits, ends, seen_rows;
static const kit_kernel *source;

/* Spare rows for what the instruction at the cursor writes. */
static void map_destination(wr_sm *sm, uint32_t warp, ahead *a)
{
    for (size_t i = 0; i < source->k.insn_count; i++) {
        const wr_insn *insn = &source->k.insns[i];
        if (insn->pc != a->cursor.pc || insn->dst == RZ || insn->dst_regs == 0) {
            continue;
        }
        uint32_t spare = wr_sm_first_spare_row(sm, warp) + a->next_row;
        if (spare + insn->dst_regs <= WR_ISA_MAX_REGS && a->cursor.row[insn->dst] == insn->dst) {
            for (uint32_t r = 0; r < insn->dst_regs; r++) {
                a->cursor.row[insn->dst + r] = (uint8_t)(spare + r);
            }
            a->next_row += insn->dst_regs;
        }
    }
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    ahead *a = &run_ahead[warp];
    (void)self;
    if (why != WR_WAIT_MEMORY) {
        return;
    }
    *a = (ahead){.on = true, .cursor = wr_sm_cursor(sm, warp)};
    a->cursor.pc += 8; /* behind the stalled one, which has one word */
    a->first_row = wr_sm_first_spare_row(sm, warp);
    wr_sm_use_spare_slots(sm, 0, true);
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    ahead *a = &run_ahead[warp];
    (void)self;
    if (a->issued != 0) {
        memcpy(a->first, wr_sm_row(sm, warp, a->first_row), sizeof a->first);
        seen_rows++;
    }
    a->on = false;
    a->issued = 0;
}

static bool on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    (void)self;
    for (uint64_t left = wr_sm_scheduler_warps(sm, scheduler); left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        ahead *a = &run_ahead[warp];
        if (!a->on) {
            continue;
        }
        map_destination(sm, warp, a);
        switch (wr_sm_cursor_issue(sm, warp, &a->cursor)) {
        case WR_CURSOR_ISSUED:
            a->issued++;
            total++;
            return true;
        case WR_CURSOR_WAITS:
            waits++;
            break;
        case WR_CURSOR_ENDS:
            ends++;
            a->on = false;
            break;
        }
    }
    return false;
}

static const wr_system_hooks hooks = {
    .warp_stalled = on_stalled, .warp_woken = on_woken, .spare_slot = on_spare_slot};

/* out = (load + thread) with arithmetic behind the stall that does not need the load. */
static void test_runs_ahead(void **state)
{
    (void)state;
    for (uint32_t with = 0; with < 2; with++) {
        plan_new(1);
        memset(run_ahead, 0, sizeof run_ahead);
        total = waits = ends = seen_rows = 0;
        if (with != 0) {
            wr_gpu_attach(plan.gpu, &hooks);
        }
        step *s = plan_add(0, "ahead", 12, 1, 64);
        source = &s->kernel;
        plan_prologue(&s->kernel);
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 4, 3, 0, RZ)); /* stalls */
        kit_add(&s->kernel, kit_op(WR_OP_MUL, WR_U32, 5, 0, 0, RZ)); /* runs ahead */
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 6, 5, 2, RZ)); /* likewise, needs it */
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 7, 4, 6, RZ)); /* needs the load */
        plan_store_and_exit(&s->kernel, 7);
        plan_run_all();
        for (uint32_t t = 0; t < 64; t++) {
            assert_int_equal(plan_out(s, t), t + t * t + t);
        }
        assert_int_equal(kit_stat(plan.gpu, "sm.issued"), 2 * 13);
    }
    assert_true(total >= 4 && waits > 0); /* two of each warp at least, the second waited */
    assert_int_equal(kit_stat(plan.gpu, "sched.cursor"), total);
    assert_int_equal(seen_rows, 2);
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t t = w * 32 + lane;
            assert_int_equal(run_ahead[w].first[lane], t * t);
        }
    }
}

/* The kernel of all kinds of instruction: output, instructions and accounts as without. */
static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_int_equal(kit_stat(gpu, "sched.cursor"), total);
    assert_true(total > 1000 && ends > 1000);
}

static void test_nobody_sees(void **state)
{
    static kit_kernel kk;
    (void)state;
    memset(run_ahead, 0, sizeof run_ahead);
    total = waits = ends = seen_rows = 0;
    exchange_build(&kk, (uint32_t)WR_MEM_BASE);
    source = &kk;
    exchange_run(&(exchange_how){.hooks = &hooks, .look = look, .sms = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_runs_ahead, plan_teardown),
                                       cmocka_unit_test(test_nobody_sees)};
    return cmocka_run_group_tests_name("cursor seam", tests, NULL, NULL);
}
