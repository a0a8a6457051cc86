/* SPDX-License-Identifier: Apache-2.0 */
/* An L1 that is off: loads go past it, what it was fetching still comes, and when it is on again
 * it has nothing.
 *
 * One warp loads the same 32 lines LOADS times, each time when it has what it loaded before, so
 * that the L1's counters say of each load where it went.
 */
#include "shell/core/seam/storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/kit.h"

enum { LOADS = 8, REG = 5, LINES = 32, SLACK = 64 };

/* When in a load's life the L1 is switched off. */
typedef enum moment { NEVER, QUEUED, FETCHING } moment;

static struct {
    moment off_when;
    uint32_t off_at, on_at; /* numbers of loads, from 1 */
    uint32_t phase;
    uint64_t misses[LOADS + 2], hits[LOADS + 2]; /* before the load of this number */
    uint64_t busy, empty_at, came_at;
} t;

/* Who looks at it every cycle knows that the L1 is empty when the fetch from before has come. */
static void watch(const wr_sm *sm, uint64_t now)
{
    bool waits = wr_sm_warp_pending(sm, 0) >> REG & 1;
    if (t.empty_at == 0 && wr_sm_l1_empty(sm)) {
        t.empty_at = now;
    }
    t.came_at = t.came_at == 0 && !waits ? now : t.came_at;
    t.busy += t.empty_at == 0 ? 1 : 0;
}

static bool is_moment(const wr_sm *sm)
{
    bool queued = sm->lsu_count != 0;
    bool waits = wr_sm_warp_pending(sm, 0) >> REG & 1;
    return sm->stats.loads == t.off_at && waits && queued == (t.off_when == QUEUED);
}

static void act(void *self, wr_gpu *gpu)
{
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    uint64_t loads = sm->stats.loads;
    (void)self;
    if (wr_sm_live_warps(sm) == 0) {
        return;
    }
    if ((wr_sm_warp_pending(sm, 0) >> REG & 1) == 0) {
        t.misses[loads + 1] = sm->stats.l1_misses;
        t.hits[loads + 1] = sm->stats.l1_hits;
    }
    if (t.phase == 0 && t.off_when != NEVER && is_moment(sm)) {
        wr_sm_l1_off(sm, true);
        assert_false(wr_sm_l1_empty(sm));
        t.phase = 1;
    } else if (t.phase == 1) {
        watch(sm, wr_gpu_cycle(gpu));
        if (loads == t.on_at) {
            assert_true(wr_sm_l1_empty(sm) && t.empty_at != 0);
            wr_sm_l1_off(sm, false);
            t.phase = 2;
        }
    }
}

static uint64_t act_next(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

static void build(kit_kernel *kk, uint32_t from, uint32_t to)
{
    kit_begin(kk, "loads", 8);
    kit_add(kk, kit_s2r(0, WR_SREG_TID_X));
    kit_add(kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 7));
    kit_add(kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, from));
    kit_add(kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 2, 0, RZ, RZ), 1, 2));
    kit_add(kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 2, 2, RZ, RZ), 1, to));
    kit_add(kk, kit_op(WR_OP_MOV, WR_B32, 3, RZ, RZ, RZ));
    for (uint32_t i = 0; i < LOADS; i++) {
        kit_add(kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, REG, 1, 0));
        kit_add(kk, kit_op(WR_OP_ADD, WR_U32, 3, 3, REG, RZ));
    }
    kit_add(kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 3, 2, 0));
    kit_add(kk, kit_plain(WR_OP_EXIT));
    kit_build(kk);
}

static void run(moment when, uint32_t off_at, uint32_t on_at, uint32_t sectored)
{
    static const wr_system_hooks hooks = {.gpu_cycle = act, .next_cycle = act_next};
    static kit_kernel kk;
    wr_gpu_config cfg = kit_config();
    cfg.sms = 1;
    cfg.l1.write = WR_L1_THROUGH;
    cfg.l1.sectored = sectored;
    memset(&t, 0, sizeof t);
    t.off_when = when;
    t.off_at = off_at;
    t.on_at = on_at;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, (LINES + 1) * WR_LINE_BYTES, 256);
    for (uint32_t i = 0; i < LINES; i++) {
        uint32_t v = 7 * i + 1;
        assert_true(wr_gpu_write(gpu, base + (uint64_t)i * WR_LINE_BYTES, &v, 4));
    }
    build(&kk, (uint32_t)base, (uint32_t)base + LINES * WR_LINE_BYTES);
    wr_gpu_attach(gpu, &hooks);
    wr_launch l = kit_launch(&kk, 1, 32, NULL);
    kit_run(gpu, &l);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t v;
        assert_true(wr_gpu_read(gpu, base + LINES * WR_LINE_BYTES + 4 * (uint64_t)i, &v, 4));
        assert_int_equal(v, LOADS * (7 * i + 1));
    }
    assert_int_equal(t.phase, when == NEVER ? 0 : 2);
    wr_gpu_free(gpu);
}

/* What each load did, a letter each: m missed, h hit, p went past. */
static void went(const char *how)
{
    for (uint32_t i = 1; i <= LOADS; i++) {
        uint64_t misses = t.misses[i + 1] - t.misses[i];
        uint64_t hits = t.hits[i + 1] - t.hits[i];
        char letter = how[i - 1];
        if (misses != (letter == 'm' ? LINES : 0) || hits != (letter == 'h' ? LINES : 0)) {
            fail_msg("load %u, '%c': %u lines missed, %u hit", i, letter, (unsigned)misses,
                     (unsigned)hits);
        }
    }
}

/* It was busy for as long as memory takes, and not for longer than the load. */
static void was_busy(void)
{
    assert_true(t.busy > 100);
    assert_in_range(t.came_at, t.empty_at, t.empty_at + SLACK);
}

static void test_l1_off(void **state)
{
    (void)state;
    for (uint32_t sectored = 0; sectored < 2; sectored++) {
        run(NEVER, 0, 0, sectored);
        went("mhhhhhhh");
        run(FETCHING, 1, 4, sectored);
        went("mpppmhhh");
        was_busy();
        run(QUEUED, 1, 3, sectored);
        went("mppmhhhh");
        was_busy();
        run(QUEUED, 3, 6, sectored); /* its lines are lost under it */
        went("mhmpppmh");
        was_busy();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_l1_off)};
    return cmocka_run_group_tests_name("L1 off", tests, NULL, NULL);
}
