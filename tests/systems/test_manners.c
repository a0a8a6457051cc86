/* SPDX-License-Identifier: Apache-2.0 */
/* How a TB leaves: what may be flushed and how often, what is lost by it, and Chimera's choice
 * where only one answer is right. The watcher of rivals.h looks at every run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/systems/rivals.h"

/* YOUNG: warp instructions, fewer than any save costs. */
enum { BLOCK = 256, WARPS = BLOCK / 32, FULL = 6, TRIPS = 800, YOUNG = 4 };

/* 40 TBs under signals that leave them no peace. */
static void storm(const char *options, rivals_kind kind)
{
    rivals_open(options, 2);
    (void)rivals_add(kind, 40, BLOCK, 150, 0, 0);
    (void)rivals_run();
}

static uint64_t undisturbed(rivals_kind kind)
{
    storm(NULL, kind);
    return rivals_now.issued;
}

static void test_flush(void **state)
{
    static const char *const idempotence[] = {"strict", "relaxed"};

    (void)state;
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
        for (rivals_kind kind = RIVALS_CLEAN; kind <= RIVALS_SPOILT_LATE; kind++) {
            char spec[128];
            uint64_t plain = undisturbed(kind);

            (void)snprintf(spec, sizeof spec,
                           "preemption:scheme=flush,idempotence=%s,period=200,random_cycles=1",
                           idempotence[relaxed]);
            storm(spec, kind);
            const wr_preempt_tbs *tbs = &rivals_now.p->tbs;
            uint32_t most = 0;

            for (uint32_t i = 0; i < 40; i++) {
                uint32_t losses = rivals_now.rival[0].losses[i];

                most = losses > most ? losses : most;
            }
            assert_int_equal(tbs->saved, 0);
            assert_true(tbs->drained > 0);
            assert_int_equal(rivals_now.issued, plain + tbs->wasted);
            if (kind == RIVALS_CLEAN || (relaxed != 0 && kind == RIVALS_SPOILT_LATE)) {
                assert_in_range(tbs->flushed, 40, 80);
                assert_true(tbs->wasted > 0);
                assert_int_equal(most, WR_PREEMPT_FLUSHES);
            } else if (relaxed == 0) {
                assert_int_equal(tbs->flushed, 0);
            } else { /* in their first cycles alone */
                assert_true(tbs->wasted <= tbs->flushed * 20 * WARPS);
            }
        }
    }
}

/* One that is saved in between is still not flushed more than twice: Chimera flushes what it may
 * where nothing else is quick enough, and else saves. */
static void test_flushes_are_kept(void **state)
{
    (void)state;
    storm("preemption:scheme=chimera,constraint=1,period=150,random_cycles=1", RIVALS_CLEAN);
    assert_true(rivals_now.p->tbs.saved > 40);
    assert_in_range(rivals_now.p->tbs.flushed, 40, 80);
}

/* What Chimera would do with each TB, asked again and again. */
static struct {
    uint32_t early[WR_LEAVES], middle[WR_LEAVES], late[WR_LEAVES]; /* spoilt ones apart */
    uint32_t spoilt[WR_LEAVES];
} verdicts;

static void ask(void)
{
    wr_preemption *p = rivals_now.p;
    wr_sm *sm = wr_gpu_sm(p->gpu, 0);
    double whole = wr_gpu_tb_instructions(p->gpu, 0);
    uint32_t others = wr_sm_tb_count(sm, WR_ALL_STREAMS) - 1;

    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) {
        p->units[0].who[slot] = wr_sm_tb(sm, slot); /* as when the SM gives way now */
        p->units[0].who_flushes[slot] = p->units[0].flushes[slot];
    }
    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm) && whole > 0; slot++) {
        wr_tb_info tb = wr_sm_tb(sm, slot);
        double part = (double)tb.issued / whole;

        if (!tb.valid || (tb.issued > YOUNG && part < 0.1) ||
            (part >= 0.9 && (part < 0.99 || others != 0))) {
            continue; /* either may be right */
        }
        wr_leave how = wr_preempt_choose(p, 0, slot);

        if (part > 0.1 && part < 0.9 && tb.spoilt) {
            verdicts.spoilt[how]++;
        } else {
            (part < 0.1 ? verdicts.early : part < 0.9 ? verdicts.middle : verdicts.late)[how]++;
        }
    }
}

static void ask_all(const char *spec, rivals_kind kind)
{
    memset(&verdicts, 0, sizeof verdicts);
    rivals_open(spec, 1);
    (void)rivals_add(kind, 3 * FULL + 1, BLOCK, TRIPS, 0, 0); /* the last one runs alone */
    rivals_now.look = ask;
    (void)rivals_run();
}

static void only(const char *what, const uint32_t *counts, wr_leave how)
{
    for (wr_leave i = 0; i < WR_LEAVES; i++) {
        if ((counts[i] != 0) != (i == how)) {
            fail_msg("%s: manner %u chosen %u times, wanted %u alone", what, i, counts[i], how);
        }
    }
}

/* A save takes some 300 cycles here, and costs some hundred instructions a TB. Of a TB's 20,000 a
 * young one loses less by a flush, an old one more; to the end it is thousands of cycles for all
 * but those that are nearly there, and the last of them waits for nobody. */
static void test_chimera(void **state)
{
    (void)state;
    ask_all("preemption:scheme=chimera,period=0,constraint=1000", RIVALS_CLEAN);
    only("early", verdicts.early, WR_LEAVE_FLUSH);
    only("middle", verdicts.middle, WR_LEAVE_SWITCH);
    only("late", verdicts.late, WR_LEAVE_DRAIN);

    ask_all("preemption:scheme=chimera,period=0,constraint=1000", RIVALS_SPOILT);
    only("spoilt", verdicts.spoilt, WR_LEAVE_SWITCH);
    only("late", verdicts.late, WR_LEAVE_DRAIN);

    /* Nothing but a flush is quick enough; where it is forbidden the quickest. */
    ask_all("preemption:scheme=chimera,period=0,constraint=1", RIVALS_CLEAN);
    only("early", verdicts.early, WR_LEAVE_FLUSH);
    only("middle", verdicts.middle, WR_LEAVE_FLUSH);
    ask_all("preemption:scheme=chimera,period=0,constraint=1", RIVALS_SPOILT);
    only("spoilt", verdicts.spoilt, WR_LEAVE_SWITCH);

    /* Time is no matter: the slowest keeps nobody waiting, so that its drain costs nothing; that of
     * one that has long ended by then does. */
    ask_all("preemption:scheme=chimera,period=0,constraint=1000000000", RIVALS_SPOILT);
    assert_true(verdicts.spoilt[WR_LEAVE_DRAIN] > 0);
    assert_true(verdicts.spoilt[WR_LEAVE_SWITCH] > 0);
    assert_true(verdicts.spoilt[WR_LEAVE_FLUSH] == 0);
}

/* Each TB's manner is the one that it is given when all TBs of the SM are known. */
static uint32_t choices;

static void compare_choices(void)
{
    const wr_preemption *p = rivals_now.p;

    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_preempt_unit *unit = &p->units[id];

        if (!unit->leaving || unit->since != wr_gpu_cycle(p->gpu)) {
            continue;
        }
        for (wr_leave how = 0; how < WR_LEAVES; how++) {
            for (uint64_t left = unit->left[how]; left != 0; left &= left - 1) {
                uint32_t slot = (uint32_t)__builtin_ctzll(left);

                assert_int_equal(wr_preempt_choose(p, id, slot), how);
                choices++;
            }
        }
    }
}

static void test_choices_know_all(void **state)
{
    static const uint32_t constraints[] = {100, 300, 1000, 1000000000};

    (void)state;
    for (size_t i = 0; i < sizeof constraints / sizeof constraints[0]; i++) {
        char spec[96];

        (void)snprintf(spec, sizeof spec,
                       "preemption:scheme=chimera,constraint=%u,period=900,random_cycles=1",
                       constraints[i]);
        choices = 0;
        rivals_open(spec, 2);
        (void)rivals_add(RIVALS_SPOILT_LATE, 60, BLOCK, 150, 0, 0);
        rivals_now.look = compare_choices;
        (void)rivals_run();
        assert_true(choices > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_flush, rivals_teardown),
        cmocka_unit_test_teardown(test_flushes_are_kept, rivals_teardown),
        cmocka_unit_test_teardown(test_chimera, rivals_teardown),
        cmocka_unit_test_teardown(test_choices_know_all, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
