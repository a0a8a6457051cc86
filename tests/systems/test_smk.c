/* SPDX-License-Identifier: Apache-2.0 */
/* System smk on the real shell, its state open to the test. In every cycle of every run:
 *
 * - what the system thinks that kernels hold is what lies in the slots, and what is to come;
 * - no two TBs overlap in registers or shared memory, and all in a partition lie in its lines;
 * - an SM has no more kernels than it may, and what they hold of it fits;
 * - no more TBs have begun than contexts have room;
 * - no TB waits that an SM has room for.
 *
 * What the paper's figures say is worked out here anew, with doubles: rK, the range of rK that a
 * preemption makes smaller (Fig. 4), a partition (Fig. 6).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "systems/smk/state.h"
#include "tests/core/kit.h"
#include "tests/long.h"
#include "tests/systems/rivals.h"

static const wr_smk *smk(void)
{
    return rivals_now.system;
}

static const wr_gpu_config *cfg(void)
{
    return &rivals_now.cfg;
}

/* Of n TBs, as a part of `sms` SMs: the largest of the four resources. */
static double share(uint32_t stream, double n, uint32_t sms)
{
    wr_tb_needs needs = wr_gpu_tb_needs(rivals_now.gpu, stream);
    double of[4] = {(double)needs.registers / cfg()->sm.registers,
                    (double)needs.threads / (cfg()->sm.max_warps * 32),
                    (double)needs.shared_bytes / cfg()->sm.shared_bytes, 1.0 / cfg()->sm.max_tbs};
    double most = 0;

    for (uint32_t i = 0; i < 4; i++) {
        most = of[i] > most ? of[i] : most;
    }
    return n * most / sms;
}

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

static void check_places(const wr_smk_sm *here, uint32_t a, uint32_t b)
{
    wr_tb_needs na = wr_gpu_tb_needs(rivals_now.gpu, smk()->kernel[here->tb[a].kernel].stream);
    wr_tb_needs nb = wr_gpu_tb_needs(rivals_now.gpu, smk()->kernel[here->tb[b].kernel].stream);

    assert_false(overlap(here->tb[a].where.row, na.registers / 32, here->tb[b].where.row,
                         nb.registers / 32));
    assert_false(overlap(here->tb[a].where.shared, na.shared_bytes, here->tb[b].where.shared,
                         nb.shared_bytes));
}

/* A TB of a partition lies a whole number of TBs behind the start of its kernel's ranges. */
static void check_line(const wr_smk_sm *here, uint32_t slot)
{
    const wr_smk_tb *tb = &here->tb[slot];
    const wr_smk_range *range = &here->range[tb->kernel];
    wr_tb_needs needs = wr_gpu_tb_needs(rivals_now.gpu, smk()->kernel[tb->kernel].stream);
    uint32_t shared = (needs.shared_bytes + 127) / 128 * 128;

    assert_true((here->parted >> tb->kernel & 1u) != 0);
    assert_true(tb->where.row >= range->row);
    assert_int_equal((tb->where.row - range->row) % (needs.registers / 32), 0);
    assert_true((tb->where.row - range->row) / (needs.registers / 32) < range->tbs);
    if (shared != 0) {
        assert_true(tb->where.shared >= range->shared * 128);
        assert_int_equal((tb->where.shared - range->shared * 128) % shared, 0);
        assert_true((tb->where.shared - range->shared * 128) / shared < range->tbs);
    }
}

static void check_sm(uint32_t id, uint32_t held[WR_SMK_KERNELS])
{
    const wr_smk *p = smk();
    const wr_smk_sm *here = &p->sm[id];
    uint64_t leaving = wr_tb_queue_leaving(&p->queue, id);
    uint32_t count[WR_SMK_KERNELS] = {0};

    for (uint32_t t = 0; t < wr_sm_tb_slots(wr_gpu_sm(rivals_now.gpu, id)); t++) {
        wr_tb_info tb = wr_sm_tb(wr_gpu_sm(rivals_now.gpu, id), t);

        assert_int_equal(here->tb[t].there, tb.valid);
        if (!tb.valid) {
            continue;
        }
        assert_int_equal(p->kernel[here->tb[t].kernel].stream, tb.stream);
        bool stays = (leaving >> t & 1u) == 0;

        count[here->tb[t].kernel] += stays;
        if (p->scheme == WR_SMK_PARTITION) {
            for (uint32_t u = 0; u < t; u++) {
                if (here->tb[u].there) {
                    check_places(here, t, u);
                }
            }
            if (stays && !here->crooked) {
                check_line(here, t);
            }
        }
    }
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        count[k] += (uint32_t)(here->sent == k) + (uint32_t)(here->claim == k);
        assert_int_equal(here->held[k], count[k]);
        held[k] += count[k];
    }
    for (uint32_t r = 0; r < WR_SMK_RESOURCES && !here->crooked; r++) {
        uint64_t sum = 0;

        for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
            sum += (uint64_t)count[k] * p->kernel[k].needs[r];
        }
        assert_true(sum <= p->limit[r]);
    }
    if (p->scheme == WR_SMK_PARTITION) {
        assert_true((uint32_t)__builtin_popcount(here->parted) <= p->most);
    } else if (wr_smk_profiled(p, id) == WR_SMK_NONE) {
        assert_true((uint32_t)__builtin_popcount(wr_smk_present(p, id)) <= p->most);
    }
}

/* A place in a partition of all kernels in flight, and a TB that has been in the queue for it. */
static void check_waiting(uint32_t id)
{
    const wr_smk *p = smk();
    const wr_smk_sm *here = &p->sm[id];
    uint64_t now = wr_gpu_cycle(rivals_now.gpu);

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        if (p->kernel[k].in_flight && wr_tb_queue_waiting(&p->queue, p->kernel[k].stream) != 0 &&
            here->parted == wr_smk_in_flight(p) && !here->crooked && !p->drawing &&
            wr_tb_queue_leaving(&p->queue, id) == 0 && here->sent == WR_SMK_NONE &&
            here->given + 1 < now &&
            wr_sm_tb_room(wr_gpu_sm(rivals_now.gpu, id), p->kernel[k].stream, 0)) {
            assert_true(here->held[k] >= here->range[k].tbs);
        }
    }
}

static uint32_t most_waiting; /* in the queue at a time */
static uint64_t most_begun;   /* TBs of one launch */

/* Whatever changes where TBs are changes one of these. */
static bool has_changed(void)
{
    static uint64_t last[3];
    const wr_smk *p = smk();
    uint64_t now[3] = {p->age + p->counts.parted + p->counts.claims,
                       p->queue.counts.out + p->queue.counts.in + p->queue.counts.ended, 0};

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        now[2] = now[2] * 4096 + p->kernel[k].held;
    }
    bool same = memcmp(now, last, sizeof now) == 0;

    memcpy(last, now, sizeof now);
    return !same;
}

static void check_all(void)
{
    uint32_t held[WR_SMK_KERNELS] = {0};

    for (uint32_t id = 0; smk()->queue.count != 0 && id < cfg()->sms; id++) {
        check_waiting(id);
    }
    if (!has_changed()) {
        return;
    }
    for (uint32_t id = 0; id < cfg()->sms; id++) {
        check_sm(id, held);
    }
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        assert_int_equal(smk()->kernel[k].in_flight ? smk()->kernel[k].held : 0, held[k]);
        if (smk()->kernel[k].in_flight) {
            uint64_t begun = wr_gpu_tbs_begun(rivals_now.gpu, smk()->kernel[k].stream);

            assert_true(begun <= (uint64_t)cfg()->sms * cfg()->sm.max_tbs);
            most_begun = begun > most_begun ? begun : most_begun;
        }
    }
    most_waiting = smk()->queue.count > most_waiting ? smk()->queue.count : most_waiting;
}

/* A kernel of a shape; times: of the loop. Of TBs in even number all warps but one end at once. */
static rival *add(uint32_t tbs, uint32_t threads, uint32_t regs, uint32_t shared, uint32_t times,
                  uint64_t at)
{
    rival *r = rivals_add(tbs % 2 == 0 ? RIVALS_UNEVEN : RIVALS_CLEAN, tbs, threads, times, 0, at);

    r->launch.regs_override = regs;
    r->launch.shared_dynamic = shared;
    return r;
}

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&seed) >> 33) % n;
}

/* Runs of any kernels, schemes and machines. */
static void test_random(void **state)
{
    static const char *const kinds[] = {"all", "warp", "live", "tb"};
    uint64_t left = 0;
    uint64_t claims = 0;
    uint64_t quotas = 0;

    (void)state;
    for (uint32_t n = 0; n < (wr_test_long() ? 400 : 20); n++) {
        char spec[128];

        (void)snprintf(spec, sizeof spec, "smk:scheme=%s,quotas=%u,kernels=%u,ideal=%u,context=%s",
                       below(3) == 0 ? "on_demand" : "partition", below(2), 1 + below(4),
                       below(4) == 0, kinds[below(4)]);
        rivals_open(spec, below(3) == 0 ? 9 : 1 + below(4));
        rivals_now.look = check_all;
        for (uint32_t kernels = 2 + below(3); kernels != 0; kernels--) {
            static const uint32_t threads[] = {32, 64, 96, 128, 256, 512};
            uint32_t most = 1 + below(60);

            (void)add(most, threads[below(6)], 8 + 4 * below(10), below(2) * 128 * below(120),
                      50 + below(300), below(4) * below(8000));
        }
        (void)rivals_run();
        assert_int_equal(smk()->queue.count, 0);
        assert_int_equal(smk()->queue.counts.out, smk()->queue.counts.in);
        left += smk()->queue.counts.out;
        claims += smk()->counts.claims;
        quotas += smk()->counts.quotas;
    }
    assert_true(left > 100);
    assert_true(claims > 5);
    assert_true(quotas > 50);
    assert_true(most_waiting > 8);
}

/* Fig. 6 in doubles: so many TBs of each kernel an SM holds. */
static void naive_partition(uint32_t kernels, uint32_t tbs[])
{
    uint32_t used[4] = {0};
    uint32_t left = (1u << kernels) - 1;

    memset(tbs, 0, kernels * sizeof *tbs);
    while (left != 0) {
        uint32_t best = UINT32_MAX;

        for (uint32_t k = 0; k < kernels; k++) {
            double mine = share(k, tbs[k], 1);
            double his = best != UINT32_MAX ? share(best, tbs[best], 1) : 0;

            if ((left >> k & 1u) != 0 && (best == UINT32_MAX || mine < his ||
                                          (mine == his && share(k, 1, 1) < share(best, 1, 1)))) {
                best = k;
            }
        }
        wr_tb_needs n = wr_gpu_tb_needs(rivals_now.gpu, best);
        uint32_t more[4] = {(n.registers + 31) / 32, n.threads, (n.shared_bytes + 127) / 128, 1};
        uint32_t limit[4] = {cfg()->sm.registers / 32, cfg()->sm.max_warps * 32,
                             cfg()->sm.shared_bytes / 128, cfg()->sm.max_tbs};
        bool fits = true;

        for (uint32_t r = 0; r < 4; r++) {
            fits = fits && used[r] + more[r] <= limit[r];
        }
        for (uint32_t r = 0; fits && r < 4; r++) {
            used[r] += more[r];
        }
        tbs[best] += fits;
        left &= fits ? left : ~(1u << best);
    }
}

static uint64_t looked, full; /* cycles with both kernels in a partition; those of full ones */

static void watch_partition(void)
{
    const wr_smk_sm *here = &smk()->sm[0];
    static uint32_t expected[WR_SMK_KERNELS];
    uint32_t both = (1u << rivals_now.count) - 1;

    check_all();
    if (wr_gpu_launches(rivals_now.gpu) != rivals_now.count || here->parted != both) {
        return;
    }
    if (looked == 0) {
        naive_partition(rivals_now.count, expected);
    }
    looked++;
    for (uint32_t k = 0; k < rivals_now.count; k++) {
        assert_int_equal(here->range[k].tbs, expected[k]);
        full += here->held[k] == expected[k];
    }
}

/* As many TBs as Fig. 6 gives, for kernels that different resources limit. */
static void test_partition(void **state)
{
    static const struct {
        uint32_t threads, regs, shared;
    } shapes[] = {{256, 8, 0}, {64, 40, 0}, {64, 8, 9000}, {96, 20, 3000}, {512, 16, 1000}};

    (void)state;
    for (uint32_t a = 0; a < 5; a++) {
        for (uint32_t b = 0; b < a; b++) {
            rivals_open("smk:quotas=0", 2);
            rivals_now.look = watch_partition;
            looked = full = 0;
            (void)add(60, shapes[a].threads, shapes[a].regs, shapes[a].shared, 200, 0);
            (void)add(60, shapes[b].threads, shapes[b].regs, shapes[b].shared, 200, 1500);
            (void)rivals_run();
            assert_true(smk()->counts.parted >= 4); /* the first alone, then both, on two SMs */
            assert_true(full > looked);             /* of two: most of the time they are */
        }
    }
}

static double range_before, last_range, one_of_each; /* of rK: in the cycle before; at cycle LATE */
static uint64_t claims_before, age_before, narrowed;
static double summed, cycles_of_two; /* of rK of the second kernel, while both are in flight */
enum { LATE = 9000 };

/* A preemption makes the range of rK smaller; rK counts what will stay and what is to come. */
static void watch_range(void)
{
    const wr_smk *p = smk();

    check_all();
    if (wr_gpu_launches(rivals_now.gpu) != 2) {
        return;
    }
    double range =
        share(0, p->kernel[0].held, cfg()->sms) - share(1, p->kernel[1].held, cfg()->sms);

    summed += share(1, p->kernel[1].held, cfg()->sms);
    cycles_of_two++;
    range = range < 0 ? -range : range;
    one_of_each = share(0, 1, 1) + share(1, 1, 1);
    if (p->counts.claims > claims_before && p->age == age_before) { /* nothing else has come */
        assert_true(range < range_before);
        narrowed++;
    }
    claims_before = p->counts.claims;
    age_before = p->age;
    range_before = range;
    last_range = wr_gpu_cycle(rivals_now.gpu) <= LATE ? range : last_range;
}

/* The first kernel fills the GPU; the second comes, TBs of the first leave, and both end up with
 * shares that differ by less than a TB of each on one SM. */
static void test_on_demand(void **state)
{
    (void)state;
    for (uint32_t sms = 1; sms <= 3; sms++) {
        rivals_open("smk:scheme=on_demand,quotas=0", sms);
        rivals_now.look = watch_range;
        claims_before = narrowed = 0;
        summed = cycles_of_two = 0;
        (void)add(100, 192, 12, 0, 300, 0);
        (void)add(100, 96, 20, 1000, 300, 2000);
        (void)rivals_run();
        assert_true(narrowed > 0);
        assert_true(last_range < one_of_each / sms);
        const double mean =
            (double)smk()->means.share[1] / (double)smk()->means.cycles / 4294967296.0;
        assert_true(mean > 0.1 && mean > 0.99 * summed / cycles_of_two);
        assert_true(mean < 1.01 * summed / cycles_of_two);
    }
}

/* With one kernel a scheme costs less than 1 % of its cycles (and nothing on demand). */
static void test_alone(void **state)
{
    static const char *const specs[] = {NULL, "smk:scheme=on_demand", "smk:quotas=0", "smk"};
    uint64_t cycles[4];

    (void)state;
    for (uint32_t s = 0; s < 4; s++) {
        rivals_open(specs[s], 9);
        (void)add(120, 128, 16, 2000, 300, 0);
        cycles[s] = rivals_run();
    }
    assert_int_equal(cycles[1], cycles[0]);
    for (uint32_t s = 2; s < 4; s++) {
        assert_true(cycles[s] >= cycles[0] && (cycles[s] - cycles[0]) * 100 < cycles[0]);
    }
}

static uint64_t idle_since[2], longest; /* cycles without an instruction of a kernel */
static uint64_t last_issued[2];

static void watch_turns(void)
{
    uint64_t now = wr_gpu_cycle(rivals_now.gpu);

    check_all();
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t sum = 0;

        for (uint32_t c = 0; c < RIVALS_TBS; c++) {
            sum += rivals_now.rival[k].issued[c];
        }
        bool waits = wr_gpu_launch(rivals_now.gpu, k) != NULL;

        if (!waits || sum != last_issued[k]) {
            idle_since[k] = now;
        }
        last_issued[k] = sum;
        longest = now - idle_since[k] > longest ? now - idle_since[k] : longest;
    }
}

/* A TB of each does not fit on the one SM: they take turns, none waits for much longer than an
 * epoch. */
static void test_turns(void **state)
{
    (void)state;
    rivals_open("smk:quotas=0", 1);
    rivals_now.look = watch_turns;
    longest = 0;
    memset(idle_since, 0, sizeof idle_since);
    memset(last_issued, 0, sizeof last_issued);
    (void)add(8, 800, 16, 0, 3000, 0);
    (void)add(8, 800, 16, 0, 3000, 100);
    (void)rivals_run();
    assert_true(smk()->queue.counts.out >= 4);
    assert_in_range(longest, WR_SMK_EPOCH / 2, WR_SMK_EPOCH * 3 / 2);
}

/* A kernel that has used up its quota, beside one that is slow to use its own, is to leave for a
 * third: its TBs still get to their preemption points, and soon, though they have no part in the
 * SM. */
static void test_leaving(void **state)
{
    (void)state;
    rivals_open("smk:kernels=2,context=warp", 1);
    rivals_now.look = check_all;
    (void)add(9, 256, 16, 0, 3000, 6000); /* its quota lasts for less than half an epoch, */
    (void)add(4, 256, 16, 0, 6000, 6000);
    (void)add(9, 256, 16, 0, 500, 7000); /* and this one's turn comes at 16,000 */
    (void)rivals_run();
    assert_true(smk()->queue.counts.out >= 4);
    assert_true(smk()->queue.counts.cycles < smk()->queue.counts.out * 400);
}

/* Contexts that are on their way to memory count: a kernel comes that makes half of the others
 * leave, and ends before these are saved; then there is room for as many new ones again. */
static void test_contexts(void **state)
{
    (void)state;
    rivals_open("smk:quotas=0", 1);
    rivals_now.look = check_all;
    most_begun = 0;
    (void)add(41, 192, 20, 5800, 60, 0);
    (void)add(1, 32, 8, 0, 1, 1000);
    (void)rivals_run();
    assert_true(smk()->queue.counts.out >= 3);
    assert_true(most_begun == cfg()->sm.max_tbs);
}

/* With more kernels than may be on an SM each has about as many SMs. */
static uint32_t fewest;

static void watch_spread(void)
{
    check_all();
    if (wr_gpu_cycle(rivals_now.gpu) == 4500 && wr_gpu_launches(rivals_now.gpu) == 3) {
        fewest = UINT32_MAX;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t sms = 0;

            for (uint32_t id = 0; id < cfg()->sms; id++) {
                sms += smk()->sm[id].held[k] != 0;
            }
            fewest = sms < fewest ? sms : fewest;
        }
    }
}

static void test_two_of_three(void **state)
{
    (void)state;
    rivals_open("smk:quotas=0,kernels=2", 6);
    rivals_now.look = watch_spread;
    fewest = 0;
    for (uint32_t k = 0; k < 3; k++) {
        (void)add(100, 128, 16, 0, 500, k * 1000);
    }
    (void)rivals_run();
    assert_in_range(fewest, 3, 4); /* 2 x 6 / 3 */
}

static void test_refused(void **state)
{
    wr_streams streams = {.count = 5};

    (void)state;
    (void)streams;
    rivals_open("smk", 2);
    for (uint32_t k = 0; k < 5; k++) {
        (void)add(20, 64, 8, 0, 2000, 0);
    }
    wr_run_result r = rivals_try();

    assert_int_equal(r.status, WR_RUN_REFUSED);
    assert_non_null(strstr(r.message, "up to 4 kernels at once"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_random, rivals_teardown),
        cmocka_unit_test_teardown(test_partition, rivals_teardown),
        cmocka_unit_test_teardown(test_on_demand, rivals_teardown),
        cmocka_unit_test_teardown(test_alone, rivals_teardown),
        cmocka_unit_test_teardown(test_turns, rivals_teardown),
        cmocka_unit_test_teardown(test_leaving, rivals_teardown),
        cmocka_unit_test_teardown(test_contexts, rivals_teardown),
        cmocka_unit_test_teardown(test_two_of_three, rivals_teardown),
        cmocka_unit_test_teardown(test_refused, rivals_teardown),
    };

    seed = kit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
