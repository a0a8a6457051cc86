/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota: the model against the oracle in every cycle, and the example of SMK 5.4. */
#include "dpi/gen/warp_quota_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/warp_quota_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_warp_quota_cfg cfg;
    wr_warp_quota dut;
    wr_oracle_warp_quota oracle;
    uint64_t issues;
    uint64_t refills;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_warp_quota_reset(&b->oracle, &b->cfg);
}

enum { ALONE, RESIDENT, MOST };

static const wr_warp_quota_cfg configs[] = {
    {.kernels = 4, .schedulers = 4, .epoch = 10000}, {.kernels = 2, .schedulers = 1, .epoch = 100},
    {.kernels = 3, .schedulers = 3, .epoch = 997},   {.kernels = 4, .schedulers = 2, .epoch = 4},
    {.kernels = 2, .schedulers = 4, .epoch = 16383}, {.kernels = 3, .schedulers = 1, .epoch = 61},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 0 };

static wr_warp_quota_out cycle(bench *b, const wr_warp_quota_in *in)
{
    wr_warp_quota_out got;
    wr_warp_quota_out want;
    wr_bench_settle(&self, b, in, &got);
    wr_oracle_warp_quota_outputs(&b->oracle, in, &want);
    wr_rig_check(&b->rig, "busy", got.busy, want.busy);
    wr_rig_check(&b->rig, "managed", got.managed, want.managed);
    for (unsigned s = 0; s < b->cfg.schedulers; s++) {
        wr_rig_check(&b->rig, "allow", got.allow[s], want.allow[s]);
        wr_rig_check(&b->rig, "refill", got.refill[s], want.refill[s]);
        wr_rig_check(&b->rig, "left", got.left[s], want.left[s]);
        b->issues += in->issue[s];
        b->refills += got.refill[s];
    }
    wr_rig_check(&b->rig, "epoch_end", got.epoch_end, want.epoch_end);
    wr_rig_check(&b->rig, "quota", got.quota, want.quota);
    wr_rig_check(&b->rig, "share", got.share, want.share);
    wr_rig_check(&b->rig, "issued", got.issued, want.issued);
    wr_rig_check(&b->rig, "fault", got.fault, want.fault);
    wr_oracle_warp_quota_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return got;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_warp_quota_out *)out = cycle(bench_v, in);
}

static void random_write(bench *b, wr_warp_quota_in *in, bool faults)
{
    static const uint16_t values[] = {0, 1, 63, 64, 65535, 8, 1000, 2};
    in->what = (uint8_t)wr_rig_below(&b->rig, faults ? 4 : 3);
    in->kernel = (uint8_t)wr_rig_below(&b->rig, faults ? 4 : b->cfg.kernels);
    in->value = wr_rig_chance(&b->rig, 50) ? values[wr_rig_below(&b->rig, 8)]
                                           : (uint16_t)wr_rig_below(&b->rig, 65536);
    if (!faults && in->what == MOST && in->value % 64 == 0) {
        in->value = 5;
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    unsigned resident = 15;
    for (unsigned i = 0; i < cycles; i++) {
        wr_warp_quota_in in = {0};
        if (wr_rig_chance(&b->rig, 1)) {
            resident = wr_rig_below(&b->rig, 16);
        }
        random_write(b, &in, with_faults);
        in.we = (!b->oracle.busy || with_faults) && wr_rig_chance(&b->rig, 8);
        in.calc = (!b->oracle.busy || (with_faults && wr_rig_chance(&b->rig, 5))) &&
                  wr_rig_chance(&b->rig, 2);
        in.resident = (uint8_t)resident;
        in.view = (uint8_t)wr_rig_below(&b->rig, 4);
        for (unsigned s = 0; s < b->cfg.schedulers; s++) {
            const unsigned k = wr_rig_below(&b->rig, 4);
            in.issue_kernel[s] = (uint8_t)k;
            in.issue[s] =
                wr_rig_offers(&b->rig) &&
                ((k < b->cfg.kernels && (!b->oracle.managed || b->oracle.left[s][k] > 0)) ||
                 (with_faults && wr_rig_chance(&b->rig, 3)));
        }
        cycle(b, &in);
    }
}

static void put(bench *b, unsigned what, unsigned kernel, unsigned value)
{
    const wr_warp_quota_in in = {
        .we = true, .what = (uint8_t)what, .kernel = (uint8_t)kernel, .value = (uint16_t)value};
    cycle(b, &in);
}

/* SMK 5.4: two kernels that can have 8 TBs alone and have 2 and 4 here, with 0.4 and 0.5 warp
 * instructions a cycle: 0.1/0.35 and 0.25/0.35 of an epoch of 10,000. */
static void test_example(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    put(&b, ALONE, 0, 4000);
    put(&b, ALONE, 1, 5000);
    put(&b, RESIDENT, 0, 2);
    put(&b, RESIDENT, 1, 4);
    put(&b, MOST, 0, 8);
    put(&b, MOST, 1, 8);
    wr_warp_quota_in in = {.calc = true};
    cycle(&b, &in);
    in.calc = false;
    while (cycle(&b, &in).busy) {
    }
    assert_int_equal(cycle(&b, &in).quota, 2857);
    in.view = 1;
    assert_int_equal(cycle(&b, &in).quota, 7142);
    in.view = 2;
    assert_int_equal(cycle(&b, &in).quota, 0);
    assert_false(b.oracle.fault);
}

/* The quotas are what a scheduler can issue: 714 and 1,785 of the example, and then it refills. */
static void test_issue_to_the_quota(void **state)
{
    (void)state;
    bench b;
    const unsigned want[2] = {2857 / 4, 7142 / 4};
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned k = 0; k < 2; k++) {
        put(&b, ALONE, k, k == 0 ? 4000 : 5000);
        put(&b, RESIDENT, k, k == 0 ? 2 : 4);
        put(&b, MOST, k, 8);
    }
    wr_warp_quota_in in = {.calc = true, .resident = 3};
    cycle(&b, &in);
    in.calc = false;
    while (!cycle(&b, &in).refill[0]) {
    }
    for (unsigned k = 0; k < 2; k++) {
        unsigned issued = 0;
        in.issue_kernel[0] = (uint8_t)k;
        in.issue[0] = true;
        for (;;) {
            wr_warp_quota_in look = in;
            look.issue[0] = b.oracle.left[0][k] > 0;
            const wr_warp_quota_out out = cycle(&b, &look);
            assert_int_equal(look.issue[0], (out.allow[0] >> k) & 1);
            if (!look.issue[0]) {
                assert_int_equal(out.refill[0], k == 1);
                break;
            }
            issued++;
        }
        assert_int_equal(issued, want[k]);
    }
}

/* A kernel without a TB does not keep the others from their refill, and an epoch's end refills
 * although somebody has quota left (S6). */
static void test_no_block_for_ever(void **state)
{
    (void)state;
    const wr_warp_quota_cfg cfg = {.kernels = 2, .schedulers = 1, .epoch = 100};
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    for (unsigned k = 0; k < 2; k++) {
        put(&b, ALONE, k, 1);
        put(&b, RESIDENT, k, 1);
    }
    wr_warp_quota_in in = {.calc = true, .resident = 1};
    cycle(&b, &in);
    in.calc = false;
    while (!cycle(&b, &in).managed) {
    }
    in.issue[0] = true; /* kernel 0 alone is resident: 50 instructions, then a refill, again */
    unsigned refills = 0;
    for (unsigned i = 0; i < 1000; i++) {
        wr_warp_quota_in look = in;
        look.issue[0] = b.oracle.left[0][0] > 0;
        refills += cycle(&b, &look).refill[0];
    }
    assert_in_range(refills, 19, 30);
    in.issue[0] = false;
    in.resident = 3;
    refills = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const wr_warp_quota_out out = cycle(&b, &in);
        assert_int_equal(out.refill[0], out.epoch_end);
        refills += out.refill[0];
    }
    assert_int_equal(refills, 10);
}

/* What `x` new at the end of each epoch does: of 1,000 instructions those that a scheduler issues
 * by counters filled before the last calculation, where so many percent of the slots are used. The
 * page has these figures. */
static uint32_t by_older_quotas(uint32_t percent)
{
    static const uint16_t tbs[] = {2, 4};
    bench b;
    uint32_t epochs = 0, calculated = 0, filled[4] = {0}; /* of which epoch */
    uint64_t issued = 0, older = 0;
    bool busy = false;

    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);

    for (uint32_t i = 0, step = 0; i < 40 * b.cfg.epoch; i++) {
        wr_warp_quota_in in = {.resident = 3, .calc = step == 6};
        const uint32_t k = step % 2;
        in.we = step < 6;
        in.what = step < 2 ? ALONE : step < 4 ? RESIDENT : MOST;
        in.kernel = (uint8_t)k;
        in.value = step < 2 ? (uint16_t)(1000 + wr_rig_below(&b.rig, 8000)) : step < 4 ? tbs[k] : 8;
        epochs += in.calc;

        wr_warp_quota_out out;
        wr_bench_settle(&self, &b, &in, &out);
        for (uint32_t sched = 0; sched < b.cfg.schedulers; sched++) {
            const uint32_t want = wr_rig_below(&b.rig, 2);
            const uint32_t kernel = (out.allow[sched] >> want & 1) != 0 ? want : 1 - want;
            in.issue[sched] =
                wr_rig_chance(&b.rig, percent) && (out.allow[sched] >> kernel & 1) != 0;
            in.issue_kernel[sched] = (uint8_t)kernel;
            issued += in.issue[sched] && out.managed;
            older += in.issue[sched] && out.managed && filled[sched] != epochs;
        }
        out = cycle(&b, &in);
        calculated = busy && !out.busy ? epochs : calculated;
        busy = out.busy;
        for (uint32_t sched = 0; sched < b.cfg.schedulers; sched++) {
            filled[sched] = out.refill[sched] ? calculated : filled[sched];
        }
        step = out.epoch_end ? 0 : step + 1;
    }
    return issued > 0 ? (uint32_t)(1000 * older / issued) : UINT32_MAX;
}

static void test_age_of_quotas(void **state)
{
    (void)state;
    assert_int_equal(by_older_quotas(100), 243);
    assert_int_equal(by_older_quotas(50), 486);
    assert_int_equal(by_older_quotas(25), 967);
}

/* By so many warp instructions of the last two kernels; the calculation has begun. */
static void calculate(bench *b, wr_warp_quota_in *in, unsigned first, unsigned second)
{
    put(b, ALONE, b->cfg.kernels - 2, first);
    put(b, ALONE, b->cfg.kernels - 1, second);
    in->calc = true;
    cycle(b, in);
    in->calc = false;
}

static void calculated(bench *b, wr_warp_quota_in *in, unsigned first, unsigned second)
{
    calculate(b, in, first, second);
    while (cycle(b, in).busy) {
    }
}

/* A skip over the end of the calculation, which brings scheduler 0 a refill. */
static void skip_to_a_share(const bench *b, const wr_warp_quota_in *in, unsigned old, unsigned new)
{
    wr_warp_quota ticked = b->dut;
    wr_warp_quota_out out = {.busy = true};
    unsigned n;
    assert_int_equal(ticked.left_q[in->view], old);
    for (n = 1; out.busy || out.left[0] == old; n++) {
        wr_warp_quota skipped = b->dut;
        wr_warp_quota_skip(&skipped, in, n);
        wr_warp_quota_tick(&ticked, in);
        wr_warp_quota_eval(&ticked, in, &out);
        assert_memory_equal(&ticked, &skipped, sizeof ticked);
    }
    assert_int_equal(out.left[0], new);
}

/* Scheduler 0 has none left of the only kernel that is resident, whose share had been 0; scheduler
 * 1 is as it was filled before, which is what the new shares are. */
static void test_skip_beside_a_full_scheduler(void **state)
{
    (void)state;
    const wr_warp_quota_cfg cfg = {.kernels = 2, .schedulers = 2, .epoch = 1000};
    wr_warp_quota_in in = {.resident = 3};
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    put(&b, RESIDENT, 0, 1);
    put(&b, RESIDENT, 1, 1);
    calculated(&b, &in, 1, 1);
    in.issue[0] = true;
    in.issue_kernel[0] = 1;
    while (b.oracle.left[0][1] > 0) {
        cycle(&b, &in);
    }
    in.issue[0] = false;
    put(&b, RESIDENT, 1, 0);
    calculated(&b, &in, 1, 1);
    in.resident = 2;
    in.view = 1;
    cycle(&b, &in);
    put(&b, RESIDENT, 1, 1);
    calculate(&b, &in, 1, 1);
    assert_int_equal(b.oracle.left[1][0], 250);
    assert_int_equal(b.oracle.left[1][1], 250);
    skip_to_a_share(&b, &in, 0, 250);
}

/* The only kernel that is resident has no share, so that there is a refill in every cycle; that of
 * another becomes one less. */
static void test_skip_to_one_less(void **state)
{
    (void)state;
    const wr_warp_quota_cfg cfg = {.kernels = 3, .schedulers = 2, .epoch = 1000};
    wr_warp_quota_in in = {.resident = 1, .view = 2};
    bench b;
    wr_bench_init(&self, &b, 1, &cfg);
    put(&b, RESIDENT, 1, 1);
    put(&b, RESIDENT, 2, 1);
    calculated(&b, &in, 1, 1);
    cycle(&b, &in);
    calculate(&b, &in, 251, 249);
    skip_to_a_share(&b, &in, 250, 249);
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->refills > 0);
}

/* One TB alone, which nothing is divided by. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    (void)cfg_v;
    (void)element;
    return strcmp(name, "most_q") == 0;
}

static const wr_bench self = {
    .block = &wr_warp_quota_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, issues)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 35000, .faulty = 10000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_issue_to_the_quota),
        cmocka_unit_test(test_no_block_for_ever),
        cmocka_unit_test(test_age_of_quotas),
        cmocka_unit_test(test_skip_beside_a_full_scheduler),
        cmocka_unit_test(test_skip_to_one_less),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
