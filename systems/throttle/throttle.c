/* SPDX-License-Identifier: Apache-2.0 */
/* Concurrency management beside CPUs (Kayiran 4): CM-CPU and CM-BAL by the block
 * concurrency_manager. Seams: warp (the limit of active warps, the oldest first), meter.
 *
 *   partitions: requests refused by DRAM's queue, replies refused by the network --+
 *   SMs: schedulers that issue nothing ----------------------------------------> block --> limits
 *
 * The block counts, compares and decides; nothing here does. It is given every core cycle from the
 * first launch on: those in which it reads a counter or decides one by one, so that each counter
 * covers the cycles that it covers in hardware, and those between them as one stretch on which what
 * was counted is spread (systems/monitor/spread.h): the block sees sums alone.
 *
 *   cycle of the interval   0 ... Parts       Parts + 1 ... Interval - 1
 *   fed                     one by one        as one
 *
 * What a partition counts in its own clock is turned into core cycles by the configuration's
 * clocks. A launch that begins or ends starts the block anew, with all warps everywhere.
 */
#include "systems/throttle/throttle.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "shell/core/seam/warp.h"
#include "systems/monitor/spread.h"
#include "systems/throttle/state.h"

#include <stdlib.h>
#include <string.h>

typedef enum scheme { CM_CPU, CM_BAL } scheme;

static const char *const schemes[] = {"cm_cpu", "cm_bal", NULL};
static const char *const blocks[] = {"concurrency_manager", NULL};

enum {
    OPT_SCHEME,
    OPT_K,
    OPT_HIGH,
    OPT_LOW,
    OPT_INTERVAL,
    OPT_FORCE,
    OPT_SHAKE,
    OPT_SHOW,
    OPT_NUMBER
};

static const wr_option options[OPT_NUMBER] = {
    [OPT_SCHEME] = {.name = "scheme",
                    .kind = WR_OPTION_CHOICE,
                    .words = schemes,
                    .preset = "cm_bal",
                    .doc =
                        "by congestion alone, or also by what the SMs' schedulers lack (4.1, 4.2)"},
    [OPT_K] = {.name = "k",
               .kind = WR_OPTION_NUMBER,
               .min = 1,
               .max = 4,
               .preset = "1",
               .doc = "of cm_bal: 1 favours the GPU most, 4 the CPUs"},
    [OPT_HIGH] = {.name = "t_high",
                  .kind = WR_OPTION_NUMBER,
                  .max = 8191,
                  .preset = "1024",
                  .unit = "refusals",
                  .doc = "of an interval, all partitions: so many of one kind or more are high"},
    [OPT_LOW] = {.name = "t_low",
                 .kind = WR_OPTION_NUMBER,
                 .max = 8191,
                 .preset = "256",
                 .unit = "refusals",
                 .doc = "likewise: fewer than these are low"},
    [OPT_INTERVAL] = {.name = "interval",
                      .kind = WR_OPTION_NUMBER,
                      .min = 16,
                      .max = 1024,
                      .preset = "1024",
                      .unit = "cycles",
                      .doc = "between two decisions"},
    [OPT_FORCE] = {.name = "force",
                   .kind = WR_OPTION_NUMBER,
                   .max = WR_THROTTLE_MOST,
                   .preset = "0",
                   .unit = "warps",
                   .doc = "that each SM may run whatever the manager says; 0: as it says, 48: all"},
    [OPT_SHAKE] = {.name = "shake",
                   .kind = WR_OPTION_NUMBER,
                   .max = UINT32_MAX,
                   .preset = "0",
                   .doc = "limits at random in each interval, whatever the manager says, by this "
                          "seed; 0: not"},
    [OPT_SHOW] = {.name = "show",
                  .kind = WR_OPTION_NUMBER,
                  .max = WR_THROTTLE_CORES_MAX - 1,
                  .preset = "0",
                  .doc = "the SM whose averages --record and --wave show, level by level"},
};

static const wr_system_need needs[] = {
    {{"sms", offsetof(wr_gpu_config, sms)}, 1, WR_THROTTLE_CORES_MAX},
    {{"dram.channels", offsetof(wr_gpu_config, dram.channels)}, 1, WR_THROTTLE_PARTS_MAX},
    {{"sm.max_warps", offsetof(wr_gpu_config, sm.max_warps)}, 1, WR_THROTTLE_MOST},
    {{"sm.schedulers", offsetof(wr_gpu_config, sm.schedulers)}, 1, 2},
    {{"sm.issue_width", offsetof(wr_gpu_config, sm.issue_width)}, 1, 1},
};

static void read_counts(const wr_throttle *t, wr_throttle_counts *c)
{
    for (uint32_t i = 0; i < t->sms; i++) {
        wr_sm_meter m = wr_meter_sm(wr_gpu_sm(t->gpu, i));

        c->idle[i] = m.cycles * t->schedulers;
        for (uint32_t s = 0; s < t->schedulers; s++) {
            c->idle[i] -= m.slots[s][WR_SLOT_ISSUED];
        }
    }
    for (uint32_t p = 0; p < t->parts; p++) {
        wr_partition_meter m = wr_meter_partition(t->gpu, p);

        c->refused[p] = m.fetch_refusals * t->clock.core_mhz / t->clock.l2_mhz;
        c->refused[t->parts + p] = m.reply_refusals * t->clock.core_mhz / t->clock.noc_mhz;
    }
}

/* n cycles with these inputs; false: the block failed, and the run ends. What is recorded
 * shows the averages of an SM, a level in each cycle. */
static bool move(wr_throttle *t, const wr_concurrency_manager_in *pins, uint64_t n)
{
    wr_concurrency_manager_in in = *pins;
    char text[512];

    for (uint64_t left = n, step; left != 0; left -= step) {
        step = t->bay->writes ? 1 : left;
        in.level = (uint8_t)(t->fed % WR_THROTTLE_LEVELS);
        (void)wr_bay_begin(t->bay, t->unit, t->fed);
        wr_concurrency_manager_port_eval(&t->port, &in, &t->out);
        wr_concurrency_manager_port_skip(&t->port, &in, step);
        (void)wr_bay_end(t->bay, t->unit);
        t->fed += step;
    }
    if (wr_bay_check(t->bay, t->unit, text, sizeof text)) {
        wr_gpu_abort(t->gpu, wr_bay_fail(t->bay, t->unit, text));
        return false;
    }
    return true;
}

/* Pins that are the same in all cycles. */
static wr_concurrency_manager_in pins(const wr_throttle *t)
{
    return (wr_concurrency_manager_in){.k = (uint8_t)(t->option[OPT_K].number - 1),
                                       .core = (uint8_t)t->option[OPT_SHOW].number};
}

static uint32_t drawn(wr_throttle *t)
{
    t->draws = t->draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->draws >> 33) % WR_THROTTLE_MOST + 1;
}

/* Limits go to the SMs; those of 48 are none. */
static void set_limits(wr_throttle *t, const uint8_t *limit)
{
    for (uint32_t i = 0; i < t->sms; i++) {
        uint32_t n = t->option[OPT_FORCE].number != 0   ? (uint32_t)t->option[OPT_FORCE].number
                     : t->option[OPT_SHAKE].number != 0 ? drawn(t)
                                                        : limit[i];

        if (n != t->limit[i]) {
            t->limit[i] = (uint8_t)n;
            t->moved++;
            wr_sm_limit(wr_gpu_sm(t->gpu, i), t->owner, n < WR_THROTTLE_MOST ? n : 0);
        }
    }
}

static void start(wr_throttle *t)
{
    wr_concurrency_manager_in in = pins(t);

    in.start = in.load = true;
    in.balance = t->option[OPT_SCHEME].word == CM_BAL;
    in.th_high = (uint16_t)t->option[OPT_HIGH].number;
    in.th_low = (uint16_t)t->option[OPT_LOW].number;
    read_counts(t, &t->told);
    if (move(t, &in, 1)) {
        uint8_t all[WR_THROTTLE_CORES_MAX];

        memset(all, WR_THROTTLE_MOST, sizeof all);
        set_limits(t, all);
    }
    t->restart = false;
    t->begin = t->fed;
}

/* The spread of what was counted since, no more than `most` in each of n cycles; what is beyond
 * that is of the cycles behind. */
static wr_spread take(uint64_t now, uint64_t *told, uint32_t most, uint64_t n)
{
    uint64_t used = now - *told < most * n ? now - *told : most * n;

    *told += used;
    return wr_spread_over(used, n, n);
}

/* The cycles before `to` go to the block. */
static bool feed(wr_throttle *t, uint64_t to)
{
    wr_spread all[WR_THROTTLE_CORES_MAX + 2 * WR_THROTTLE_PARTS_MAX];
    wr_concurrency_manager_in in = pins(t);
    uint64_t n = to - t->fed;
    size_t count = 0;
    wr_throttle_counts now;

    read_counts(t, &now);
    for (uint32_t i = 0; i < t->sms; i++) {
        all[count++] = take(now.idle[i], &t->told.idle[i], t->schedulers, n);
    }
    for (uint32_t p = 0; p < 2 * t->parts; p++) {
        all[count++] = take(now.refused[p], &t->told.refused[p], 1, n);
    }
    for (uint64_t at = 0, next; at < n; at = next) {
        next = wr_spread_change(all, count, at, n);
        for (uint32_t i = 0; i < t->sms; i++) {
            in.stall_core[i] = (uint8_t)wr_spread_at(&all[i], at);
        }
        for (uint32_t p = 0; p < t->parts; p++) {
            in.stall_mc[p] = wr_spread_at(&all[t->sms + p], at) != 0;
            in.stall_net[p] = wr_spread_at(&all[t->sms + t->parts + p], at) != 0;
        }
        if (!move(t, &in, next - at)) {
            return false;
        }
    }
    return true;
}

/* The block was in its decision in the last cycle. */
static void decide(wr_throttle *t)
{
    const wr_concurrency_manager_in none = {0};

    t->intervals++;
    t->asked[t->out.part1]++;
    t->sum_mc += t->out.sum_mc;
    t->sum_net += t->out.sum_net;
    wr_concurrency_manager_port_eval(&t->port, &none, &t->out);
    set_limits(t, t->out.limit);
    for (uint32_t i = 0; i < t->sms; i++) {
        t->limits += t->limit[i];
    }
}

/* Cycles that have passed when the block is to be fed next, from `now` on. */
static uint64_t due(const wr_throttle *t, uint64_t now)
{
    uint64_t of = (now - t->begin) % t->interval;

    return of <= t->parts ? now + 1 : now - of + t->interval;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_throttle *t = self;
    uint64_t now = wr_gpu_cycle(gpu) + 1;

    if (t->restart) {
        start(t);
    } else if (t->runs && now >= due(t, t->fed) && feed(t, now) && t->out.decide) {
        decide(t);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_throttle *t = self;

    return t->restart ? now + 1 : !t->runs ? UINT64_MAX : due(t, t->fed) - 1;
}

/* The block has had the cycles up to now, the next one is that of its start. */
static void begin_anew(wr_throttle *t, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);

    if (t->runs && !t->restart && t->fed < now && !feed(t, now)) {
        return;
    }
    t->fed = now;
    t->runs = t->restart = true;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_throttle *t = self;

    (void)stream;
    (void)launch;
    t->gpu = gpu;
    begin_anew(t, gpu);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_throttle *t = self;

    (void)stream;
    begin_anew(t, gpu);
    if (wr_gpu_launches(gpu) == 0) {
        t->runs = t->restart = false;
    }
}

static void destroy(wr_system *system)
{
    wr_throttle *t = (wr_throttle *)system;

    if (t->open) {
        wr_concurrency_manager_port_close(&t->port);
    }
    free(t);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    wr_throttle *t = wr_system_alloc(sizeof *t, err, err_size);

    if (t == NULL) {
        return NULL;
    }
    t->owner = setup->owner;
    t->bay = setup->bay;
    t->option = setup->values;
    t->clock = setup->cfg->clock;
    t->sms = setup->cfg->sms;
    t->parts = setup->cfg->dram.channels;
    t->schedulers = setup->cfg->sm.schedulers;
    t->interval = (uint32_t)t->option[OPT_INTERVAL].number;
    t->draws = t->option[OPT_SHAKE].number;
    memset(t->limit, WR_THROTTLE_MOST, sizeof t->limit);

    const wr_concurrency_manager_cfg cfg = {
        .cores = t->sms, .parts = t->parts, .interval = t->interval};

    if (t->option[OPT_LOW].number > t->option[OPT_HIGH].number) {
        (void)snprintf(err, err_size, "system throttle: t_low is above t_high");
        free(t);
        return NULL;
    }
    t->open = wr_concurrency_manager_port_open_behind(&t->port, wr_bay_behind(t->bay), &cfg, err,
                                                      err_size);
    if (!t->open) {
        destroy(&t->base);
        return NULL;
    }
    wr_concurrency_manager_port_reset(&t->port);
    t->unit = wr_bay_add_unit(t->bay, "", WR_BAY_FREE);
    wr_bay_add_port(t->bay, t->unit, &t->port.port, &t->out);
    t->base.hooks = (wr_system_hooks){.self = t,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .gpu_cycle = on_gpu_cycle,
                                      .next_cycle = on_next_cycle,
                                      .reads_memory = true};
    return &t->base;
}

static void report(const wr_system *system, wr_report *r)
{
    static const char *const asks[] = {"keep", "increase", "reduce"};
    const wr_throttle *t = (const wr_throttle *)system;
    double decisions = (double)(t->intervals != 0 ? t->intervals : 1);

    wr_report_section(r, "", "Concurrency management");
    (void)wr_report_text(r, "scheme", "by", schemes[t->option[OPT_SCHEME].word]);
    (void)wr_report_count(r, "intervals", "decisions", t->intervals, "");
    for (uint32_t i = 0; i < 3; i++) {
        (void)wr_report_count(r, asks[i], asks[i], t->asked[i], "");
    }
    (void)wr_report_count(r, "moved", "limits of SMs moved", t->moved, "");
    (void)wr_report_real(r, "limit.mean", "warps that an SM may run",
                         (double)t->limits / decisions / t->sms, "warps");
    (void)wr_report_real(r, "stall_mc.mean", "requests refused by DRAM, of an interval",
                         (double)t->sum_mc / decisions, "");
    (void)wr_report_real(r, "stall_net.mean", "replies refused by the network, of an interval",
                         (double)t->sum_net / decisions, "");
}

const wr_system_type wr_throttle_type = {
    .name = "throttle",
    .summary = "how many warps an SM runs, by congestion and its own stalls (CM-CPU, CM-BAL)",
    .paper = "Kayiran 4",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .create = create,
    .destroy = destroy,
    .report = report,
};
