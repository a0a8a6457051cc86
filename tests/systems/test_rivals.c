/* SPDX-License-Identifier: Apache-2.0 */
/* Which SMs give way to whom, how fast, and who comes back when, on the real shell. The watcher of
 * rivals.h looks at every run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "tests/systems/rivals.h"

enum { WARPS_8 = 256, FULL = 6 /* TBs of 8 warps on an SM */ };

static const char *const schemes[] = {"switch", "drain", "flush", "chimera"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static void open_scheme(const char *scheme, const char *more, uint32_t sms)
{
    char spec[128];

    (void)snprintf(spec, sizeof spec, "preemption:scheme=%s,%s", scheme, more);
    rivals_open(spec, sms);
}

/* Cycles from the arrival of a TB of high priority at a full SM to its place there. */
static uint64_t latency(const char *scheme)
{
    if (scheme) {
        open_scheme(scheme, "period=0", 1);
    } else {
        rivals_open(NULL, 1);
    }
    rival *low = rivals_add(RIVALS_CLEAN, 2 * FULL, WARPS_8, 200, 0, 0);
    rival *high = rivals_add(RIVALS_CLEAN, 1, WARPS_8, 10, 1, 5000);

    (void)rivals_run();
    assert_int_equal(high->result.begun, 5000);
    assert_true(low->first_end > 5000); /* of all TBs of the SM, since they are alike */
    if (!scheme || strcmp(scheme, "drain") == 0) {
        assert_in_range(high->result.placed, low->first_end, low->first_end + 2);
    }
    if (scheme) {
        assert_int_equal(rivals_now.p->signals.claims, 1);
        assert_int_equal(rivals_now.p->signals.done, 1);
    }
    return high->result.placed - high->result.begun;
}

static void test_latency(void **state)
{
    uint64_t plain = latency(NULL);
    uint64_t drained = latency("drain");
    uint64_t flushed = latency("flush");
    uint64_t switched = latency("switch");

    (void)state;
    print_message("to the place: %llu cycles without the system, %llu drained, %llu switched, %llu "
                  "flushed\n",
                  (unsigned long long)plain, (unsigned long long)drained,
                  (unsigned long long)switched, (unsigned long long)flushed);
    assert_in_range(drained, plain - 2, plain + 2);
    /* Nothing of a TB is in the pipeline after some tens of cycles. */
    assert_in_range(flushed, 1, 100);
    /* Room for one is there when the first TB is saved: 8 warps, a segment or more each. */
    assert_in_range(switched, 8 * 5, drained / 10);
}

/* The first of them ends last: each is on top of the one before. */
static void nested(const char *scheme, uint32_t sms, const char *more)
{
    open_scheme(scheme, more, sms);
    rival *low = rivals_add(RIVALS_CLEAN, 4 * FULL * sms, WARPS_8, 100, 1, 0);
    rival *middle = rivals_add(RIVALS_SPOILT_LATE, 2 * FULL * sms, WARPS_8, 100, 2, 2000);
    rival *high = rivals_add(RIVALS_CLEAN, FULL * sms, WARPS_8, 100, 3, 4500);

    (void)rivals_run();
    assert_true(high->result.ended < middle->result.ended);
    assert_true(middle->result.ended < low->result.ended);
    if (strstr(more, "period=0") && strcmp(scheme, "drain") != 0) {
        assert_true(rivals_now.p->signals.claims >= 2);
        assert_true(rivals_now.most_streams >= 2);
    } else if (strstr(more, "period=0")) { /* the SM that drains for one is the next one's */
        assert_true(rivals_now.p->signals.claims >= 1);
    } else {
        assert_true(rivals_now.p->signals.done > 0);
    }
}

static void test_nested(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEMES; i++) {
        nested(schemes[i], 1, "period=0");
        nested(schemes[i], 3, "period=0");
        nested(schemes[i], 2, "period=300,random_cycles=1,sm=random");
    }
}

/* Where a signal waits for every SM all the time, the launch of high priority comes first as one
 * gets ready, and not when a TB ends. */
static void test_claims_before_signals(void **state)
{
    (void)state;
    rivals_open("preemption:period=1", 2);
    rival *low = rivals_add(RIVALS_CLEAN, 2 * FULL, WARPS_8, 100, 0, 0);
    rival *high = rivals_add(RIVALS_CLEAN, 1, WARPS_8, 10, 1, 5000);

    (void)rivals_run();
    assert_true(rivals_now.p->signals.merged > 0);
    assert_true(high->result.placed < low->first_end);
    assert_true(rivals_now.p->signals.claims >= 1);
}

/* Launches of one priority share the GPU as without the system, to the cycle. */
static uint64_t equals(const char *spec)
{
    rivals_open(spec, 2);
    for (uint32_t i = 0; i < 4; i++) {
        (void)rivals_add(i % 2 == 0 ? RIVALS_CLEAN : RIVALS_SPOILT, 10 + 7 * i, WARPS_8, 100, 5,
                         700 * (uint64_t)i);
    }
    return rivals_run();
}

static void test_equals(void **state)
{
    uint64_t plain = equals(NULL);

    (void)state;
    for (size_t i = 0; i < SCHEMES; i++) {
        char spec[64];

        (void)snprintf(spec, sizeof spec, "preemption:period=0,scheme=%s", schemes[i]);
        assert_int_equal(equals(spec), plain);
        assert_int_equal(rivals_now.p->signals.done + rivals_now.p->signals.drained, 0);
        assert_int_equal(rivals_now.p->tbs.saved + rivals_now.p->tbs.flushed, 0);
    }
}

/* SMs that give way to one launch at a time. */
static void test_sms(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 4; most++) {
        char more[32];

        (void)snprintf(more, sizeof more, "period=0,sms=%u", most);
        open_scheme("switch", more, 4);
        (void)rivals_add(RIVALS_CLEAN, 8 * FULL, WARPS_8, 600, 0, 0);
        (void)rivals_add(RIVALS_CLEAN, 4 * FULL, WARPS_8, 100, 1, 1000);
        (void)rivals_run();
        assert_int_equal(rivals_now.most_leaving, most);
    }
    /* As many as its TBs take and no more. */
    open_scheme("switch", "period=0", 4);
    (void)rivals_add(RIVALS_CLEAN, 8 * FULL, WARPS_8, 600, 0, 0);
    (void)rivals_add(RIVALS_CLEAN, FULL + 1, WARPS_8, 100, 1, 1000);
    (void)rivals_run();
    assert_int_equal(rivals_now.most_leaving, 2);
    assert_int_equal(rivals_now.p->signals.claims, 2);
}

/* A launch whose last TBs end while their SM gives way. */
static uint32_t ends_leaving;

static void note_end(void)
{
    const rival *low = &rivals_now.rival[0];

    ends_leaving += low->result.ended == 0 && low->first_end != 0 &&
                    rivals_now.p->units[0].leaving && wr_gpu_launch(rivals_now.gpu, 0) == NULL;
}

static void test_end_on_the_way(void **state)
{
    uint64_t end;

    (void)state;
    rivals_open(NULL, 1);
    (void)rivals_add(RIVALS_CLEAN, FULL, WARPS_8, 300, 0, 0);
    end = rivals_run();
    for (size_t i = 0; i < SCHEMES; i++) {
        uint64_t ended = 0;

        for (uint64_t before = 0; before < 600; before += 30) {
            open_scheme(schemes[i], "period=0", 1);
            (void)rivals_add(RIVALS_SPOILT_LATE, FULL, WARPS_8, 300, 0, 0);
            (void)rivals_add(RIVALS_CLEAN, 1, WARPS_8, 10, 1, end - before);
            rivals_now.look = note_end;
            (void)rivals_run();
            ended += rivals_now.p->tbs.ended + rivals_now.p->tbs.drained;
        }
        assert_true(ended > 0);
    }
}

/* Neither threads nor skipped cycles show. */
static uint64_t one_way(const char *scheme, const char *more, uint32_t threads, bool no_skip)
{
    char all[96];

    (void)snprintf(all, sizeof all, "period=400,random_cycles=1,sm=random%s", more);
    open_scheme(scheme, all, 3);
    rivals_now.gpu->no_skip = no_skip;
    assert_true(wr_gpu_set_threads(rivals_now.gpu, threads));
    (void)rivals_add(RIVALS_CLEAN, 40, WARPS_8, 100, 0, 0);
    (void)rivals_add(RIVALS_SPOILT, 20, 96, 100, 1, 1500);
    (void)rivals_add(RIVALS_SPOILT_LATE, 6, 1024, 60, 2, 3000);
    return rivals_run();
}

static void all_ways(const char *scheme, const char *more)
{
    uint64_t cycles = one_way(scheme, more, 1, false);
    wr_preempt_signals signals = rivals_now.p->signals;
    wr_preempt_tbs tbs = rivals_now.p->tbs;

    assert_true(signals.done > signals.claims);
    assert_true(signals.claims > 0 || strcmp(scheme, "drain") == 0);
    assert_true(tbs.kept_registers > 0 || *more == '\0');
    for (uint32_t way = 1; way <= 2; way++) {
        assert_int_equal(one_way(scheme, more, way, way == 1), cycles);
        assert_memory_equal(&signals, &rivals_now.p->signals, sizeof signals);
        assert_memory_equal(&tbs, &rivals_now.p->tbs, sizeof tbs);
    }
}

static void test_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEMES; i++) {
        all_ways(schemes[i], "");
    }
    all_ways("switch", ",in_place=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_latency, rivals_teardown),
        cmocka_unit_test_teardown(test_nested, rivals_teardown),
        cmocka_unit_test_teardown(test_claims_before_signals, rivals_teardown),
        cmocka_unit_test_teardown(test_equals, rivals_teardown),
        cmocka_unit_test_teardown(test_sms, rivals_teardown),
        cmocka_unit_test_teardown(test_end_on_the_way, rivals_teardown),
        cmocka_unit_test_teardown(test_ways, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
