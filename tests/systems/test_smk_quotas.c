/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas of system smk on the real shell (SMK 5.4): that schedulers keep to them, and what they are
 * made of, worked out here from what issues and what lies in the slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "systems/smk/state.h"
#include "tests/core/kit.h"
#include "tests/systems/rivals.h"

static const wr_smk *smk(void)
{
    return rivals_now.system;
}

/* A scheduler's quotas as BLOCKS.md has them, from the second epoch on, where all begin anew. */
enum { SCHEDULERS = 2, SHARE_A = 2000, SHARE_B = 3000 };
static uint32_t left[SCHEDULERS][2], issued[SCHEDULERS][2];
static uint64_t held, refills;

static void on_issue(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    uint32_t stream = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot).stream;

    (void)self;
    (void)lanes;
    for (uint32_t s = 0; s < SCHEDULERS; s++) {
        issued[s][stream] += (uint32_t)(wr_sm_scheduler_warps(sm, s) >> warp & 1u);
    }
}

static void watch_quotas(void)
{
    uint64_t now = wr_gpu_cycle(rivals_now.gpu);

    for (uint32_t s = 0; s < SCHEDULERS && wr_gpu_launches(rivals_now.gpu) == 2; s++) {
        bool refill =
            (left[s][0] == 0 && left[s][1] == 0) || now % WR_SMK_EPOCH == WR_SMK_EPOCH - 1;

        for (uint32_t k = 0; k < 2 && now >= WR_SMK_EPOCH; k++) {
            assert_true(issued[s][k] <= left[s][k]);
            held += left[s][k] == 0;
            left[s][k] -= issued[s][k];
        }
        if (refill) {
            left[s][0] = SHARE_A;
            left[s][1] = SHARE_B;
            refills += now % WR_SMK_EPOCH != WR_SMK_EPOCH - 1;
        }
    }
    memset(issued, 0, sizeof issued);
}

/* Two kernels that always have an instruction ready, on one SM, where nobody is profiled: quotas go
 * by S / T, 1 of 2 TBs and 6 of 8, so 4,000 and 6,000 of an epoch's 10,000, a half for each of two
 * schedulers. None issues beyond its quota, nor do they all wait. */
static void test_quotas(void **state)
{
    (void)state;
    rivals_open("smk", 1);
    rivals_now.look = watch_quotas;
    rivals_listen(on_issue);
    held = refills = 0;
    (void)rivals_add(RIVALS_CLEAN, 2, 768, 1500, 0, 0);
    (void)rivals_add(RIVALS_CLEAN, 6, 128, 3000, 0, 0);
    (void)rivals_run();
    assert_true(held > 10000);
    assert_true(refills >= 4);
}

enum { SMS = 9, OWN_0 = SMS - 1, OWN_1 = SMS - 2 }; /* SMs that the kernels have to themselves */

/* Of this epoch, on those two SMs: issue slots, TBs of each kernel in each cycle, added up. */
static uint64_t slots[2], tbs[2][2];
static uint16_t want_x[2], want_t[2]; /* 0: not known */
static uint64_t profiles, skipped;

static void on_issue_alone(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    (void)self;
    (void)warp;
    (void)lanes;
    for (uint32_t k = 0; k < 2; k++) {
        slots[k] += wr_sm_id(sm) == SMS - 1 - k && wr_gpu_launches(rivals_now.gpu) == 2;
    }
}

/* A scheduler issues one instruction a cycle here, so slots are issues. */
static void watch_profiles(void)
{
    const bool shared = wr_gpu_launches(rivals_now.gpu) == 2;
    const uint64_t now = wr_gpu_cycle(rivals_now.gpu);

    for (uint32_t k = 0; k < 2; k++) {
        wr_sm *own = wr_gpu_sm(rivals_now.gpu, SMS - 1 - k);

        for (uint32_t s = 0; shared && s < 2; s++) {
            tbs[k][s] += wr_sm_tb_count(own, 1u << s);
        }
        if (now % WR_SMK_EPOCH != WR_SMK_EPOCH - 1) {
            continue;
        }
        const uint64_t mean = (tbs[k][k] + WR_SMK_EPOCH / 2) / WR_SMK_EPOCH;

        if (shared && mean != 0 && tbs[k][1 - k] == 0) {
            want_x[k] = (uint16_t)slots[k];
            want_t[k] = (uint16_t)mean;
            profiles++;
        } else {
            skipped += shared;
        }
        slots[k] = tbs[k][0] = tbs[k][1] = 0;
        if (shared) {
            /* those of the epoch's last cycle may not be in it yet */
            assert_true(smk()->kernel[k].issues + SCHEDULERS >= want_x[k]);
            assert_true(smk()->kernel[k].issues <= want_x[k]);
            assert_int_equal(smk()->kernel[k].profiled, want_t[k]);
        }
    }
}

/* The first kernel's TBs on its own SM have ended long before those that share the others: what it
 * issues alone is still what they issued, and it gets on. Its launch of few TBs takes less than
 * three times as long as without quotas; were it taken for a kernel that issues nothing, it would
 * have one issue of each scheduler in an epoch. The other one comes while the first is everywhere.
 */
static void test_profiles(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (uint32_t quotas = 0; quotas < 2; quotas++) {
        rivals_open(quotas ? "smk" : "smk:quotas=0", SMS);
        if (quotas) {
            memset(slots, 0, sizeof slots);
            memset(tbs, 0, sizeof tbs);
            memset(want_x, 0, sizeof want_x);
            memset(want_t, 0, sizeof want_t);
            profiles = skipped = 0;
            rivals_now.look = watch_profiles;
            rivals_listen(on_issue_alone);
        }
        const rival *few = rivals_add(RIVALS_CLEAN, 36, 256, 700, 0, 0);

        (void)rivals_add(RIVALS_CLEAN, 200, 256, 1500, 0, 5000);
        (void)rivals_run();
        cycles[quotas] = few->result.ended - few->result.begun;
    }
    print_message("%lu cycles, %lu with quotas; %lu epochs count, %lu do not\n", cycles[0],
                  cycles[1], profiles, skipped);
    assert_true(profiles >= 4 && skipped >= 2);
    assert_true(cycles[1] < 3 * cycles[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_quotas, rivals_teardown),
        cmocka_unit_test_teardown(test_profiles, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
