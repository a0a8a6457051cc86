/* SPDX-License-Identifier: Apache-2.0 */
/* The seam of instructions before their turn obeys what systems push to an SM: a warp that is held
 * or beyond the limit executes nothing ahead, and loads wait where loads or memory are held, or
 * where they would fault.
 */
#include "shell/core/seam/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/warp.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { WARP = 1, AHEAD = 2, LOAD = 3 }; /* instructions behind the one that stalls */

/* Warp 1 waits for a load. Each bar is raised in turn; its instructions are refused while it is up,
 * and go when all are down. */
static struct {
    uint32_t at; /* the instruction that stalls; 0: none yet */
    uint32_t refused, let_go;
} seen;

static wr_cursor_result try(wr_sm *sm, uint32_t behind, uint8_t dst, uint8_t src)
{
    const wr_ahead a = {
        .insn = seen.at + behind, .lanes = UINT32_MAX, .dst = dst, .src = {src, RZ, RZ}};

    return wr_sm_ahead_issue(sm, WARP, &a);
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    (void)self;
    if (warp == WARP && why == WR_WAIT_MEMORY && seen.at == 0) {
        seen.at = wr_sm_warp_at(sm, warp).insn;
        wr_sm_use_spare_slots(sm, 0, true);
    }
}

/* The same at a cursor; it stays where it is. */
static void cursor_refused(wr_sm *sm, uint32_t behind)
{
    const wr_insn *insn = &plan.steps[0].kernel.k.insns[seen.at + behind];
    wr_cursor c = wr_sm_cursor(sm, WARP);

    c.pc = insn->pc;
    assert_int_equal(insn->op == WR_OP_LD ? wr_sm_cursor_preload(sm, WARP, &c)
                                          : wr_sm_cursor_issue(sm, WARP, &c, 8),
                     WR_CURSOR_WAITS);
    assert_int_equal(c.pc, insn->pc);
}

static void refused(wr_sm *sm, bool also_arithmetic)
{
    assert_int_equal(try(sm, LOAD, 5, 1), WR_CURSOR_WAITS);
    cursor_refused(sm, LOAD);
    if (also_arithmetic) {
        assert_int_equal(try(sm, AHEAD, 4, 0), WR_CURSOR_WAITS);
        cursor_refused(sm, AHEAD);
    }
    seen.refused++;
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    (void)self;
    if (scheduler != WARP || seen.let_go == 2) {
        return WR_SPARE_FREE;
    }
    if (seen.refused == 0) {
        wr_sm_hold(sm, 0, UINT64_C(1) << WARP);
        refused(sm, true);
        wr_sm_hold(sm, 0, 0);
        wr_sm_limit(sm, 0, 1); /* warp 0 is older, and waits for data, too */
        refused(sm, true);
        wr_sm_limit(sm, 0, 0);
        wr_sm_hold_loads(sm, 0, UINT64_C(1) << WARP);
        refused(sm, false);
        wr_sm_hold_loads(sm, 0, 0);
        wr_sm_hold_memory(sm, 0, 1);
        refused(sm, false);
        wr_sm_hold_memory(sm, 0, 0);
        /* at an address outside every buffer: it faults in its turn, where it stands */
        assert_int_equal(try(sm, LOAD, 5, 0), WR_CURSOR_WAITS);
        return WR_SPARE_FREE;
    }
    const wr_cursor_result result = seen.let_go == 0 ? try(sm, AHEAD, 4, 0) : try(sm, LOAD, 5, 1);

    seen.let_go += result == WR_CURSOR_ISSUED;
    return result == WR_CURSOR_ISSUED ? WR_SPARE_ISSUED : WR_SPARE_FREE;
}

static void test_obeys(void **state)
{
    static const wr_system_hooks hooks = {.warp_stalled = on_stalled, .spare_slot = on_spare_slot};

    (void)state;
    memset(&seen, 0, sizeof seen);
    plan_new(1);
    wr_gpu_attach(plan.gpu, &hooks);
    step *s = plan_add(0, "waits", 8, 1, 64);
    kit_kernel *k = &s->kernel;
    plan_prologue(k);
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ)); /* stalls */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 6, 3, 0, RZ));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 0, 0, RZ)); /* both may be executed twice */
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 5, 1, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 4, 3, RZ));
    plan_store_and_exit(k, 4);
    plan_run_all();
    assert_int_equal(seen.refused, 4);
    assert_int_equal(seen.let_go, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_obeys, plan_teardown)};
    return cmocka_run_group_tests_name("ahead seam", tests, NULL, NULL);
}
