/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks utilisation_adder and throughput_monitor as systems have them, on real kernels: what
 * they are told against what the machine has counted, SM by SM and partition by partition, at the
 * end of every window; the monitor's pins against sums of the adder's; each verdict, and the cycle
 * in which it comes, against Table 3.3 (Lin-D) in the plainest way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "systems/monitor/watch.h"
#include "tests/systems/jobs.h"

enum { ISSUED, L1, UP, DOWN, L2, DRAM, KINDS };
enum { PLACES = 32, CYCLES = 60000, IDLE = 0 };
enum { UNDER, MODERATE, SATURATED };
enum { CORE, NOC, L2_CLOCK, DRAM_CLOCK, DOMAINS };
static const uint8_t clock_of[KINDS] = {CORE, CORE, NOC, NOC, L2_CLOCK, DRAM_CLOCK};

/* Since the machine began, or since a start. */
typedef struct totals {
    uint64_t used[KINDS][PLACES], clocks[DOMAINS];
} totals;

/* What goes from the adder to the monitor in a cycle. */
typedef struct sums {
    uint8_t start, stop, cut, used[KINDS], clocks[DOMAINS];
} sums;

typedef struct judged {
    unsigned low, high, verdict;
    bool l1_idle;
} judged;

/* A run. */
typedef struct look {
    wr_system_hooks hooks;
    wr_watch watch;
    wr_observer adder, monitor;
    wr_option_value values[WR_BAY_OPTIONS];
    const wr_gpu_config *cfg;
    uint32_t warmup, window;
    bool observed;

    bool begun;
    uint64_t start, ends;         /* cycle of the start, and where the window or warm-up ends */
    totals before, said, earlier; /* of the machine; pins since the start, and up to this window */
    wr_utilisation_adder_in last; /* of what was said */
    judged due;
    uint64_t due_at; /* 0: no verdict is under way */

    sums told[CYCLES], seen[CYCLES]; /* to the adder and by the monitor */
    uint32_t told_count, seen_count;
    uint64_t verdicts[3], late; /* places that had more than could be told */
    uint64_t hash;              /* of verdicts and their cycles */
} look;

static uint32_t places(const look *l, uint32_t kind)
{
    return kind < DOWN ? l->cfg->sms : l->cfg->dram.channels;
}

static uint8_t pin(const wr_utilisation_adder_in *in, uint32_t kind, uint32_t place)
{
    const uint8_t all[KINDS] = {in->issued[place], in->l1[place], in->up[place],
                                in->down[place],   in->l2[place], in->dram[place]};

    return all[kind];
}

static uint8_t clock_pin(const wr_utilisation_adder_in *in, uint32_t domain)
{
    const uint8_t all[DOMAINS] = {1, in->noc_cycles, in->l2_cycles, in->dram_cycles};

    return all[domain];
}

static void on_adder(void *ctx, const wr_port *port, const void *pins, const void *out)
{
    look *l = ctx;
    const wr_utilisation_adder_in *in = pins;
    sums s = {.start = in->start, .stop = in->stop, .cut = in->cut};

    (void)port;
    (void)out;
    for (uint32_t d = 0; d < DOMAINS; d++) {
        s.clocks[d] = d == CORE ? 0 : clock_pin(in, d);
        l->said.clocks[d] += clock_pin(in, d);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        for (uint32_t i = 0; i < places(l, k); i++) {
            s.used[k] = (uint8_t)(s.used[k] + pin(in, k, i));
            l->said.used[k][i] += pin(in, k, i);
        }
    }
    if (in->start) {
        memset(&l->said, 0, sizeof l->said);
        memset(&l->earlier, 0, sizeof l->earlier);
    }
    l->last = *in;
    assert_true(l->told_count < CYCLES);
    l->told[l->told_count++] = s;
}

static void on_monitor(void *ctx, const wr_port *port, const void *pins, const void *out)
{
    look *l = ctx;
    const wr_throughput_monitor_in *in = pins;

    (void)port;
    (void)out;
    assert_true(l->seen_count < CYCLES);
    l->seen[l->seen_count++] =
        (sums){.start = in->start,
               .stop = in->stop,
               .cut = in->cut,
               .used = {in->issued, in->l1, in->up, in->down, in->l2, in->dram},
               .clocks = {0, in->noc_cycles, in->l2_cycles, in->dram_cycles}};
}

/* Before the cycle `cycles`, which is not counted. */
static totals count(const look *l, wr_gpu *gpu, uint64_t cycles)
{
    uint32_t slices = l->cfg->l2.banks / l->cfg->dram.channels;
    totals t = {.clocks = {[CORE] = cycles, [NOC] = wr_meter_network(gpu).clocks}};

    for (uint32_t i = 0; i < l->cfg->sms; i++) {
        const wr_sm_stats *sum = wr_meter_sm(wr_gpu_sm(gpu, i)).sum;

        t.used[ISSUED][i] = wr_stats_issued(sum);
        t.used[L1][i] = sum->lines;
        t.used[UP][i] = wr_meter_request_flits(gpu, i);
    }
    for (uint32_t i = 0; i < l->cfg->dram.channels; i++) {
        wr_partition_meter p = wr_meter_partition(gpu, i);

        t.used[DOWN][i] = p.reply_flits / slices;
        t.used[L2][i] = p.l2_bytes / l->cfg->l2.bytes_per_cycle / slices;
        t.used[DRAM][i] = p.dram_busy;
        t.clocks[L2_CLOCK] = p.l2_clocks;
        t.clocks[DRAM_CLOCK] = p.dram_clocks;
    }
    return t;
}

/* All that was counted is said, but for what was beyond a place's most to the very last. */
static void compare_said(look *l, wr_gpu *gpu)
{
    totals now = count(l, gpu, l->ends);

    for (uint32_t d = 0; d < DOMAINS; d++) {
        assert_int_equal(l->said.clocks[d], now.clocks[d] - l->before.clocks[d]);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        uint32_t most =
            (k == ISSUED ? l->cfg->sm.schedulers : 1) * clock_pin(&l->last, clock_of[k]);

        for (uint32_t i = 0; i < places(l, k); i++) {
            uint64_t counted = now.used[k][i] - l->before.used[k][i];

            if (l->said.used[k][i] < counted && pin(&l->last, k, i) == most) {
                l->late++;
            } else if (l->said.used[k][i] != counted) {
                fail_msg("cycle %llu, kind %u, place %u: %llu counted, %llu said",
                         (unsigned long long)l->ends, k, i, (unsigned long long)counted,
                         (unsigned long long)l->said.used[k][i]);
            }
        }
    }
}

/* Table 3.3 of what was said since `earlier`. */
static judged judge(const look *l)
{
    static const unsigned low[KINDS] = {60, 60, 36, 36, 60, 50}; /* of 60 % of the interconnect */
    static const unsigned high[KINDS] = {80, 80, 54, 54, 80, 70};
    uint32_t below[KINDS], above[KINDS]; /* 0 or 1 */
    judged j = {0};

    for (uint32_t k = 0; k < KINDS; k++) {
        uint64_t used = 0;
        uint64_t possible = (l->said.clocks[clock_of[k]] - l->earlier.clocks[clock_of[k]]) *
                            places(l, k) * (k == ISSUED ? l->cfg->sm.schedulers : 1);

        for (uint32_t i = 0; i < places(l, k); i++) {
            used += l->said.used[k][i] - l->earlier.used[k][i];
        }
        below[k] = 100 * used < low[k] * possible;
        above[k] = 100 * used > high[k] * possible;
        j.l1_idle = k == L1 ? 100 * used < 3 * possible : j.l1_idle;
    }
    j.low = below[ISSUED] | below[L1] << 1 | (below[UP] & below[DOWN]) << 2 | below[L2] << 3 |
            below[DRAM] << 4;
    j.high = above[ISSUED] | above[L1] << 1 | (above[UP] | above[DOWN]) << 2 | above[L2] << 3 |
             above[DRAM] << 4;
    j.verdict = j.high != 0 ? SATURATED : j.low == 31 ? UNDER : MODERATE;
    return j;
}

/* Behind a warm-up's or a window's last cycle. */
static void at_its_end(look *l, wr_gpu *gpu)
{
    compare_said(l, gpu);
    if (l->ends != l->start + 1 + l->warmup) {
        l->due = judge(l);
        l->due_at = l->ends + 2; /* as what is fed, before this cycle */
    }
    l->earlier = l->said;
    l->ends += l->window;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    look *l = self;
    uint64_t now = wr_gpu_cycle(gpu) + 1;
    bool came = wr_watch_cycle(&l->watch);
    const wr_throughput_monitor_out *out = &l->watch.out;

    if (came) {
        l->verdicts[out->verdict]++;
        l->hash = (l->hash ^ now ^ (uint64_t)out->low << 32 ^ (uint64_t)out->high << 40) *
                  UINT64_C(0x100000001b3);
    }
    if (!l->observed || !l->watch.runs) {
        return;
    }
    assert_int_equal(came, now == l->due_at);
    if (came) {
        assert_int_equal(out->verdict, l->due.verdict);
        assert_int_equal(out->low, l->due.low);
        assert_int_equal(out->high, l->due.high);
        assert_int_equal(out->l1_idle, l->due.l1_idle);
    }
    if (!l->begun) {
        l->begun = true;
        l->start = now - 1;
        l->before = count(l, gpu, now);
        l->ends = now + (l->warmup != 0 ? l->warmup : l->window);
        assert_true(l->told[l->told_count - 1].start);
    } else if (now == l->ends) {
        at_its_end(l, gpu);
    }
    assert_true(now < l->ends);
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return wr_watch_next(&((const look *)self)->watch, now);
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)launch;
    wr_watch_start(&((look *)self)->watch, gpu);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    look *l = self;

    (void)gpu;
    (void)stream;
    wr_watch_stop(&l->watch);
    l->begun = false;
    l->due_at = 0;
    assert_int_equal(l->watch.out.state, IDLE);
}

/* What the monitor saw in a cycle is what the adder was told in the one before. */
static void compare_sums(const look *l)
{
    static const sums nothing = {0};

    assert_int_equal(l->told_count, l->seen_count);
    for (uint32_t c = 0; c < l->seen_count; c++) {
        const sums *want = c > 0 ? &l->told[c - 1] : &nothing;

        if (memcmp(&l->seen[c], want, sizeof *want) != 0) {
            fail_msg("cycle %u of the blocks: the monitor does not see the sums of the last", c);
        }
    }
}

/* A kernel of the library on a machine; the caller frees what comes. */
static look *run(const char *kernel, const char *machine, uint32_t warmup, uint32_t window,
                 wr_backend backend, bool observed)
{
    wr_gpu_config cfg = jobs_config(machine);
    look *l = calloc(1, sizeof *l);
    char text[512];
    wr_job job;

    assert_non_null(l);
    *l = (look){.hooks = {.self = l,
                          .launch_begin = on_launch_begin,
                          .launch_end = on_launch_end,
                          .gpu_cycle = on_gpu_cycle,
                          .next_cycle = on_next_cycle,
                          .reads_memory = true},
                .adder = {.cycle = on_adder, .ctx = l},
                .monitor = {.cycle = on_monitor, .ctx = l},
                .values = {[WR_BAY_BLOCKS] = {.word = backend}},
                .cfg = &cfg,
                .warmup = warmup,
                .window = window,
                .observed = observed};
    wr_bay *bay = wr_bay_new("watch", l->values, NULL, 0);
    assert_non_null(bay);
    if (!wr_watch_open(&l->watch, bay, &cfg, warmup, window, text, sizeof text)) {
        fail_msg("%s", text);
    }
    if (observed) {
        wr_port_observe(&l->watch.adder.port, &l->adder);
        wr_port_observe(&l->watch.monitor.port, &l->monitor);
    }
    (void)snprintf(text, sizeof text, "kernels/%s.yaml", kernel);
    jobs_load(&job, text, 0);
    job_outcome o = jobs_run(&job, &cfg, &l->hooks);

    if (o.result.status != WR_RUN_DONE || !o.right) {
        fail_msg("%s on %s: %s", kernel, machine, o.result.message);
    }
    compare_sums(l);
    assert_int_equal(wr_port_get_stats(&l->watch.adder.port).cycles,
                     wr_port_get_stats(&l->watch.monitor.port).cycles);
    wr_job_free(&job);
    wr_watch_close(&l->watch);
    wr_bay_free(bay);
    return l;
}

/* Machines with one, two and four L2 slices a partition, and an interconnect that is slower, as
 * fast and faster than the SMs; one launch and many. */
static void test_said(void **state)
{
    static const char *const machines[] = {"maxwell", "gtx480", "gtx980", "ccbp"};
    static const char *const kernels[] = {"backprop_adjust_weights", "fdtd2d", "srad_reduce"};
    static const uint32_t times[][2] = {{100, 150}, {0, 97}, {333, 4}};
    uint64_t verdicts[3] = {0};
    uint64_t late = 0;

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            const uint32_t *t = times[(m + k) % 3];
            look *l = run(kernels[k], machines[m], t[0], t[1], WR_BACKEND_MODEL, true);
            look *skips = run(kernels[k], machines[m], t[0], t[1], WR_BACKEND_MODEL, false);

            assert_true(l->hash == skips->hash);
            for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(l->verdicts[i], skips->verdicts[i]);
                verdicts[i] += l->verdicts[i];
            }
            late += l->late;
            free(l);
            free(skips);
        }
    }
    print_message("%llu, %llu, %llu windows by class; %llu times more was counted than can be\n",
                  (unsigned long long)verdicts[UNDER], (unsigned long long)verdicts[MODERATE],
                  (unsigned long long)verdicts[SATURATED], (unsigned long long)late);
    assert_true(verdicts[UNDER] > 100 && verdicts[MODERATE] > 100 && verdicts[SATURATED] > 100);
    assert_true(late > 100);
}

/* The RTL behind the pins gives the same. */
static void test_lockstep(void **state)
{
    (void)state;
    (void)setenv("WR_CXX_OPTIMIZE", "-O0", 1);
    look *model = run("hotspot", "gtx480", 0, 1000, WR_BACKEND_MODEL, false);
    look *lockstep = run("hotspot", "gtx480", 0, 1000, WR_BACKEND_LOCKSTEP, false);

    assert_true(model->hash == lockstep->hash && model->verdicts[SATURATED] != 0);
    free(model);
    free(lockstep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_said),
        cmocka_unit_test(test_lockstep),
    };

    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
