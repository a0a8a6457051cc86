/* SPDX-License-Identifier: Apache-2.0 */
/* System throttle on the real shell, its state open to the test: what the machine's counters say of
 * each single cycle goes to the naive oracle of the block, and the limits of all SMs are the
 * oracle's in every cycle, under both schemes, with launches that come and end, and with intervals
 * that are short. L2 and network have the SMs' clock here, and a partition one bank, so that a
 * refusal is one cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/meter.h"
#include "systems/throttle/state.h"
#include "tests/core/kit.h"
#include "tests/oracle/concurrency_manager_oracle.h"
#include "tests/systems/rivals.h"

enum { SMS = 3, PARTS_MOST = WR_ORACLE_CM_PARTS };

static const wr_throttle *throttle(void)
{
    return rivals_now.system;
}

/* What stands in the machine's counters. */
typedef struct stand {
    uint64_t issued[WR_ORACLE_CM_CORES], mc[PARTS_MOST], net[PARTS_MOST];
} stand;

static wr_oracle_cm oracle;
static wr_oracle_cm_in pins; /* thresholds, scheme and k */
static stand before;
static uint32_t streams; /* in flight */
static uint64_t starts, decisions, asked[3], mc_sum, net_sum, idle_sum, moves, lowest;
static bool exact; /* the limits are the block's */

static void stand_now(stand *s)
{
    for (uint32_t i = 0; i < rivals_now.cfg.sms; i++) {
        wr_sm *sm = wr_gpu_sm(rivals_now.gpu, i);
        const wr_sm_meter m = wr_meter_sm(sm);

        s->issued[i] = 0;
        for (uint32_t k = 0; k < rivals_now.cfg.sm.schedulers; k++) {
            s->issued[i] += m.slots[k][WR_SLOT_ISSUED];
        }
    }
    for (uint32_t p = 0; p < rivals_now.cfg.dram.channels; p++) {
        const wr_partition_meter m = wr_meter_partition(rivals_now.gpu, p);

        s->mc[p] = m.fetch_refusals;
        s->net[p] = m.reply_refusals;
    }
}

static void look_at_start(const stand *now)
{
    wr_oracle_cm_in in = pins;

    in.start = in.load = true;
    wr_oracle_cm_step(&oracle, &in);
    before = *now;
    starts++;
}

static void look_at_cycle(const stand *now)
{
    const uint32_t schedulers = rivals_now.cfg.sm.schedulers;
    wr_oracle_cm_in in = pins;

    for (uint32_t i = 0; i < rivals_now.cfg.sms; i++) {
        assert_true(now->issued[i] - before.issued[i] <= schedulers);
        in.stalls.core[i] = (uint8_t)(schedulers - (now->issued[i] - before.issued[i]));
        idle_sum += in.stalls.core[i];
    }
    for (uint32_t p = 0; p < rivals_now.cfg.dram.channels; p++) {
        assert_true(now->mc[p] - before.mc[p] <= 1 && now->net[p] - before.net[p] <= 1);
        in.stalls.mc[p] = now->mc[p] != before.mc[p];
        in.stalls.net[p] = now->net[p] != before.net[p];
        mc_sum += in.stalls.mc[p];
        net_sum += in.stalls.net[p];
    }
    before = *now;
    if (wr_oracle_cm_decides(&oracle)) {
        decisions++;
        asked[wr_oracle_cm_part1(&oracle)]++;
    }
    wr_oracle_cm_step(&oracle, &in);
}

static void look(void)
{
    static uint8_t limit[WR_ORACLE_CM_CORES];
    const uint32_t were = streams;
    stand now;

    streams = 0;
    for (uint32_t s = 0; s < RIVALS_MOST; s++) {
        streams |= wr_gpu_launch(rivals_now.gpu, s) != NULL ? 1u << s : 0;
    }
    if (streams == 0) {
        return;
    }
    stand_now(&now);
    if (streams != were) {
        look_at_start(&now);
    } else {
        look_at_cycle(&now);
    }
    for (uint32_t i = 0; exact && i < rivals_now.cfg.sms; i++) {
        assert_int_equal(throttle()->limit[i], oracle.core[i].limit);
    }
    moves += memcmp(limit, throttle()->limit, sizeof limit) != 0;
    memcpy(limit, throttle()->limit, sizeof limit);
    for (uint32_t i = 0; i < rivals_now.cfg.sms; i++) {
        lowest = limit[i] < lowest ? limit[i] : lowest;
    }
}

static uint32_t l2_part, noc_part; /* of 4 parts of the SMs' clock */

/* Memory that is soon full. */
static void tune(wr_gpu_config *cfg)
{
    cfg->clock.l2_mhz = cfg->clock.core_mhz * l2_part / 4;
    cfg->clock.noc_mhz = cfg->clock.core_mhz * noc_part / 4;
    cfg->clock.dram_mhz = cfg->clock.core_mhz / 4;
    cfg->l2.banks = cfg->dram.channels;
    cfg->dram.queue = 4;
    cfg->dram.write_high = 3;
    cfg->dram.write_low = 1;
    cfg->l1.globals = 0;
    cfg->sm.schedulers = 2;
    cfg->sm.max_warps = 48;
}

static uint64_t run(const char *spec, bool watched)
{
    rivals_open_tuned(spec, SMS, tune);
    memset(&before, 0, sizeof before);
    streams = 0;
    if (watched) {
        const wr_oracle_cm_cfg cfg = {
            .cores = SMS, .parts = rivals_now.cfg.dram.channels, .interval = throttle()->interval};

        wr_oracle_cm_reset(&oracle, &cfg);
        rivals_now.look = look;
    }
    (void)rivals_add(RIVALS_READS, 16, 256, 5, 0, 0);
    (void)rivals_add(RIVALS_CLEAN, 12, 128, 150, 0, 3000);
    (void)rivals_add(RIVALS_READS, 16, 128, 8, 0, 9000);
    (void)rivals_add(RIVALS_READS, 8, 256, 12, 0, 4000000); /* alone, long after the others */
    return rivals_run();
}

static void limits_are_the_oracles(void **state)
{
    static const struct {
        const char *spec;
        bool balance;
        unsigned high, low, k;
    } rows[] = {
        {"throttle:scheme=cm_cpu", false, 1024, 256, 0},
        {"throttle:scheme=cm_cpu,t_high=300,t_low=60,interval=256", false, 300, 60, 0},
        {"throttle:t_high=200,t_low=100,interval=200,k=1", true, 200, 100, 0},
        {"throttle:t_high=400,t_low=150,interval=1000,k=4", true, 400, 150, 3},
        {"throttle:t_high=1,t_low=1,interval=64,k=2", true, 1, 1, 1},
        {"throttle:t_high=100,t_low=50,interval=500,blocks=lockstep", true, 100, 50, 0},
        {"throttle:t_high=8191,t_low=0,interval=16,k=3", true, 8191, 0, 2},
    };
    uint64_t all[3] = {0};

    (void)state;
    exact = true;
    l2_part = noc_part = 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pins = (wr_oracle_cm_in){.balance = rows[i].balance,
                                 .th_high = rows[i].high,
                                 .th_low = rows[i].low,
                                 .k = rows[i].k};
        starts = decisions = mc_sum = net_sum = idle_sum = moves = 0;
        memset(asked, 0, sizeof asked);
        lowest = WR_THROTTLE_MOST;
        (void)run(rows[i].spec, true);
        print_message("%s: %lu starts, %lu decisions (%lu %lu %lu), refused %lu %lu, idle %lu, %lu "
                      "moves, lowest %lu\n",
                      rows[i].spec, starts, decisions, asked[0], asked[1], asked[2], mc_sum,
                      net_sum, idle_sum, moves, lowest);
        assert_int_equal(starts, 6); /* four begin; the ends behind which none is left are none */
        assert_true(decisions > 5);
        assert_true(mc_sum > 100);
        assert_true(idle_sum > 1000);
        assert_int_equal(throttle()->intervals, decisions);
        for (uint32_t a = 0; a < 3; a++) {
            assert_int_equal(throttle()->asked[a], asked[a]);
            all[a] += asked[a];
        }
    }
    assert_true(all[0] != 0 && all[1] != 0 && all[2] != 0);
}

/* Forced limits are those of swl, 48 is none at all; limits at random change all the time, and
 * outputs stay right, which rivals_run sees to. */
static void forced_limits(void **state)
{
    static const unsigned warps[] = {2, 5, 16, 47};
    char spec[64];

    (void)state;
    l2_part = noc_part = 4;
    const uint64_t free_cycles = run(NULL, false);

    assert_int_equal(run("throttle:force=48", false), free_cycles);
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
        (void)snprintf(spec, sizeof spec, "swl:warps=%u", warps[i]);
        const uint64_t cycles = run(spec, false);

        (void)snprintf(spec, sizeof spec, "throttle:force=%u", warps[i]);
        assert_int_equal(run(spec, false), cycles);
        assert_true(warps[i] > 5 || cycles > free_cycles);
    }
    exact = false;
    moves = 0;
    lowest = WR_THROTTLE_MOST;
    const uint64_t shaken = run("throttle:shake=7,interval=64", true);

    assert_true(moves > 1000);
    assert_true(lowest <= 2);
    assert_int_equal(run("throttle:shake=7,interval=64", false), shaken);
    assert_int_not_equal(run("throttle:shake=8,interval=64", false), shaken);
}

/* Refusals up to the last decision, in clocks of L2 and of the network. */
static uint64_t refused[2], last_intervals;

static void look_at_decision(void)
{
    stand now;

    if (throttle()->intervals == last_intervals) {
        return;
    }
    last_intervals = throttle()->intervals;
    stand_now(&now);
    refused[0] = refused[1] = 0;
    for (uint32_t p = 0; p < rivals_now.cfg.dram.channels; p++) {
        refused[0] += now.mc[p];
        refused[1] += now.net[p];
    }
}

/* Where L2 and network are slower, a refusal is so many of the SMs' cycles. One launch alone, so
 * only the interval behind its start is missing, in which little happens yet. */
static void clocks_of_memory(void **state)
{
    static const uint32_t parts[][2] = {{2, 4}, {4, 2}, {1, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        l2_part = parts[i][0];
        noc_part = parts[i][1];
        last_intervals = 0;
        rivals_open_tuned("throttle:force=48,interval=100", SMS, tune);
        rivals_now.look = look_at_decision;
        (void)rivals_add(RIVALS_READS, 32, 256, 12, 0, 0);
        (void)rivals_run();

        const double mc = (double)refused[0] * 4 / l2_part;
        const double net = (double)refused[1] * 4 / noc_part;

        print_message("%u/4, %u/4: refused %.0f and %.0f cycles, told %lu and %lu\n", l2_part,
                      noc_part, mc, net, throttle()->sum_mc, throttle()->sum_net);
        assert_true(mc > 300 && net > 1000);
        assert_true((double)throttle()->sum_mc > 0.99 * mc - 5);
        assert_true((double)throttle()->sum_mc <= mc);
        assert_true((double)throttle()->sum_net > 0.99 * net - 5);
        assert_true((double)throttle()->sum_net <= net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(limits_are_the_oracles, rivals_teardown),
        cmocka_unit_test_teardown(clocks_of_memory, rivals_teardown),
        cmocka_unit_test_teardown(forced_limits, rivals_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
