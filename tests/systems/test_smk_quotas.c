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

/* Of each scheduler in this cycle: the warps that it was offered, and whether one has issued. */
static uint64_t offered[SCHEDULERS];
static bool did[SCHEDULERS];
static uint32_t share[2];
static uint64_t spares, from_quota;

static uint32_t on_choose(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    (void)self;
    (void)sm;
    assert_true(candidates != 0);
    offered[scheduler] = candidates;
    return UINT32_MAX; /* the system is asked next */
}

static void on_issue_spare(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    const uint32_t stream = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot).stream;
    const uint32_t s = (wr_sm_scheduler_warps(sm, 1) >> warp & 1) != 0;

    (void)self;
    (void)lanes;
    assert_true((offered[s] >> warp & 1) != 0 && !did[s]);
    did[s] = true;
    if (share[0] == 0 || wr_gpu_launches(rivals_now.gpu) != 2) {
        return; /* no quotas yet, or no more */
    }
    if (left[s][stream] != 0) {
        issued[s][stream]++;
        from_quota++;
        return;
    }
    spares++;
    for (uint64_t w = offered[s]; w != 0; w &= w - 1) {
        const uint32_t tb = wr_sm_warp(sm, (uint32_t)__builtin_ctzll(w)).tb_slot;

        assert_int_equal(left[s][wr_sm_tb(sm, tb).stream], 0);
    }
}

/* 1 / T of an SM's cycles for each of S TBs, rounded as BLOCKS.md has it. */
static void work_out_shares(void)
{
    const uint32_t a = smk()->sm[0].range[0].tbs * smk()->kernel[1].alone;
    const uint32_t b = smk()->sm[0].range[1].tbs * smk()->kernel[0].alone;

    assert_true(a != 0 && b != 0);
    share[0] = WR_SMK_EPOCH * a / (a + b) / SCHEDULERS;
    share[1] = WR_SMK_EPOCH * b / (a + b) / SCHEDULERS;
}

static void watch_spares(void)
{
    const uint64_t now = wr_gpu_cycle(rivals_now.gpu);
    const bool ends = now % WR_SMK_EPOCH == WR_SMK_EPOCH - 1;

    if (share[0] == 0 && ends) {
        work_out_shares();
    }
    for (uint32_t s = 0; s < SCHEDULERS; s++) {
        assert_int_equal(did[s], offered[s] != 0); /* no slot is lost */
        for (uint32_t k = 0; k < 2; k++) {
            left[s][k] -= issued[s][k];
        }
        if (share[0] != 0 && (ends || (left[s][0] == 0 && left[s][1] == 0))) {
            memcpy(left[s], share, sizeof share);
        }
    }
    memset(issued, 0, sizeof issued);
    memset(offered, 0, sizeof offered);
    memset(did, 0, sizeof did);
}

/* The first kernel waits for memory most of the time. Slots that it leaves go to the other one when
 * that has used up its quota, and count for nobody; with quota left a warp goes first. */
static void test_spare(void **state)
{
    static const wr_system_hooks observer = {.choose_warp = on_choose};
    static wr_chain chain;

    (void)state;
    rivals_open("smk:spare=1", 1);
    const wr_system_hooks *tables[3] = {&observer, wr_system_group_hooks(rivals_now.systems),
                                        &rivals_now.watcher};
    rivals_now.look = watch_spares;
    rivals_now.watcher.warp_issued = on_issue_spare;
    wr_gpu_attach(rivals_now.gpu, wr_chain_join(&chain, tables, 3));
    memset(left, 0, sizeof left);
    memset(share, 0, sizeof share);
    spares = from_quota = 0;
    (void)rivals_add(RIVALS_READS, 4, 256, 100, 0, 0);
    (void)rivals_add(RIVALS_CLEAN, 24, 128, 800, 0, 0);
    const uint64_t cycles = rivals_run();

    print_message("%lu cycles: %lu issues by quota, %lu in spare slots; shares %u, %u\n", cycles,
                  from_quota, spares, share[0], share[1]);
    assert_true(spares > 5000 && from_quota > 5000);
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
        cmocka_unit_test_teardown(test_spare, rivals_teardown),
        cmocka_unit_test_teardown(test_profiles, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
