/* SPDX-License-Identifier: Apache-2.0 */
/* Utilisation of schedulers, L1, interconnect, L2 and DRAM, window by window, by the block
 * throughput_monitor (Lin-D 3.6.4, Table 3.3), fed with what the machine has counted. It decides
 * nothing. Seams: meter, time.
 *
 * The block runs freely: it is moved on once a window, over all of its cycles, on which
 * what was counted is spread (spread.h): the block sees the window's sums alone. Where a partition
 * has several L2 slices they count as one port, each for its part.
 *
 * The block is started when a launch finds none in flight, and stopped when the last one ends.
 */
#include "systems/monitor/monitor.h"

#include "dpi/gen/throughput_monitor_port.h"
#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "systems/monitor/spread.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_WARMUP, OPT_WINDOW, OPT_NUMBER };
/* What is fed; each of a clock domain. */
enum { ISSUED, L1, UP, DOWN, L2, DRAM, QUANTITIES };
enum { CORE, NOC, L2_CLOCK, DRAM_CLOCK, DOMAINS };
static const uint8_t domain_of[QUANTITIES] = {CORE, CORE, NOC, NOC, L2_CLOCK, DRAM_CLOCK};

static const wr_option options[OPT_NUMBER] = {
    [OPT_WARMUP] = {.name = "warmup",
                    .kind = WR_OPTION_NUMBER,
                    .max = 65535,
                    .unit = "cycles",
                    .preset = "10000",
                    .doc = "behind a launch that are not counted"},
    [OPT_WINDOW] = {.name = "window",
                    .kind = WR_OPTION_NUMBER,
                    .min = 4,
                    .max = 65535,
                    .unit = "cycles",
                    .preset = "10000",
                    .doc = "of a window"},
};

static const char *const blocks[] = {"throughput_monitor", NULL};

static const wr_system_need needs[] = {
    {{"sms", offsetof(wr_gpu_config, sms)}, 1, 32},
    {{"dram.channels", offsetof(wr_gpu_config, dram.channels)}, 1, 32},
};

/* Totals of the machine. */
typedef struct totals {
    uint64_t used[QUANTITIES], clocks[DOMAINS];
} totals;

typedef struct monitor {
    wr_system base;
    wr_bay *bay;
    uint32_t unit;
    bool open, runs;
    wr_port_throughput_monitor port;
    wr_throughput_monitor_out out;
    wr_gpu *gpu;
    uint32_t slices, l2_rate;
    uint64_t most[QUANTITIES]; /* a clock */
    uint64_t fed;              /* cycles up to this one */
    uint64_t next;             /* cycle in which the next window ends; UINT64_MAX */
    totals last;
    uint64_t windows, of[3], high[5];
} monitor;

static totals read_totals(const monitor *m, uint64_t cycles)
{
    wr_network_meter n = wr_meter_network(m->gpu);
    totals t = {.used = {[UP] = n.request_flits, [DOWN] = n.reply_flits / m->slices},
                .clocks = {[CORE] = cycles, [NOC] = n.clocks}};

    for (uint32_t i = 0; i < wr_gpu_sm_count(m->gpu); i++) {
        wr_sm_meter s = wr_meter_sm(wr_gpu_sm(m->gpu, i));

        t.used[ISSUED] += s.sum->issued;
        t.used[L1] += s.sum->lines;
    }
    for (uint32_t i = 0; i < wr_meter_partitions(m->gpu); i++) {
        wr_partition_meter p = wr_meter_partition(m->gpu, i);

        t.used[L2] += p.l2_bytes / m->l2_rate / m->slices;
        t.used[DRAM] += p.dram_busy;
        t.clocks[L2_CLOCK] = p.l2_clocks;
        t.clocks[DRAM_CLOCK] = p.dram_clocks;
    }
    return t;
}

/* Moves the block on by n cycles; false: it failed. */
static bool move(monitor *m, const wr_throughput_monitor_in *in, uint64_t n)
{
    char text[512];

    (void)wr_bay_begin(m->bay, m->unit, m->fed);
    wr_throughput_monitor_port_skip(&m->port, in, n);
    (void)wr_bay_end(m->bay, m->unit);
    m->fed += n;
    wr_throughput_monitor_port_eval(&m->port, &(wr_throughput_monitor_in){0}, &m->out);
    if (m->out.valid) {
        m->windows++;
        m->of[m->out.verdict]++;
        for (uint32_t i = 0; i < 5; i++) {
            m->high[i] += m->out.high >> i & 1;
        }
    }
    if (wr_bay_check(m->bay, m->unit, text, sizeof text)) {
        wr_gpu_abort(m->gpu, wr_bay_fail(m->bay, m->unit, text));
        return false;
    }
    return true;
}

/* The cycles before `to` go to the block. A verdict shows in the second cycle of the next window.
 */
static void feed(monitor *m, uint64_t to)
{
    uint64_t n = to - m->fed;
    totals now = read_totals(m, to);
    wr_spread all[QUANTITIES + DOMAINS];

    for (uint32_t d = 0; d < DOMAINS; d++) {
        uint64_t clocks = now.clocks[d] - m->last.clocks[d];

        all[QUANTITIES + d] = wr_spread_over(clocks, clocks, n);
    }
    for (uint32_t q = 0; q < QUANTITIES; q++) {
        uint64_t clocks = now.clocks[domain_of[q]] - m->last.clocks[domain_of[q]];
        uint64_t used = now.used[q] - m->last.used[q];

        all[q] = wr_spread_over(used < clocks * m->most[q] ? used : clocks * m->most[q], clocks, n);
    }
    m->last = now;
    for (uint64_t t = 0; t < n;) {
        uint64_t next = wr_spread_change(all, QUANTITIES + DOMAINS, t, n);
        const wr_throughput_monitor_in in = {
            .issued = (uint8_t)wr_spread_at(&all[ISSUED], t),
            .l1 = (uint8_t)wr_spread_at(&all[L1], t),
            .up = (uint8_t)wr_spread_at(&all[UP], t),
            .down = (uint8_t)wr_spread_at(&all[DOWN], t),
            .l2 = (uint8_t)wr_spread_at(&all[L2], t),
            .dram = (uint8_t)wr_spread_at(&all[DRAM], t),
            .noc_cycles = (uint8_t)wr_spread_at(&all[QUANTITIES + NOC], t),
            .l2_cycles = (uint8_t)wr_spread_at(&all[QUANTITIES + L2_CLOCK], t),
            .dram_cycles = (uint8_t)wr_spread_at(&all[QUANTITIES + DRAM_CLOCK], t)};

        next = t == 0 ? 1 : t == 1 ? 2 : next; /* the verdict's cycle is looked at */
        if (!move(m, &in, next - t)) {
            return;
        }
        t = next;
    }
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    monitor *m = self;

    (void)stream;
    (void)launch;
    m->gpu = gpu;
    if (!m->runs) { /* the next cycle that is simulated is the first of the warm-up */
        m->runs = true;
        m->fed = wr_gpu_cycle(gpu);
        m->next = m->fed + m->port.cfg.warmup + m->port.cfg.window;
        m->last.clocks[CORE] = UINT64_MAX; /* to be read in the first cycle */
    }
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    monitor *m = self;
    uint64_t now = wr_gpu_cycle(gpu) + 1;

    if (m->runs && m->last.clocks[CORE] == UINT64_MAX) {
        m->fed = now - 1;
        m->last = read_totals(m, now);
        (void)move(m, &(wr_throughput_monitor_in){.start = true}, 1);
        m->next = now + m->port.cfg.warmup + m->port.cfg.window;
    }
    if (m->runs && now >= m->next) {
        feed(m, now);
        m->next = now + m->port.cfg.window;
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const monitor *m = self;

    if (!m->runs) {
        return UINT64_MAX;
    }
    return m->last.clocks[CORE] != UINT64_MAX && m->next > now + 1 ? m->next - 1 : now + 1;
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    monitor *m = self;

    (void)stream;
    if (wr_gpu_launches(gpu) == 0 && m->runs) {
        m->runs = false;
        m->next = UINT64_MAX;
        (void)move(m, &(wr_throughput_monitor_in){.stop = true}, 1);
    }
}

static void destroy(wr_system *system)
{
    monitor *m = (monitor *)system;

    if (m->open) {
        wr_throughput_monitor_port_close(&m->port);
    }
    free(m);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_gpu_config *c = setup->cfg;
    const wr_throughput_monitor_cfg cfg = {.warmup = (uint32_t)setup->values[OPT_WARMUP].number,
                                           .window = (uint32_t)setup->values[OPT_WINDOW].number,
                                           .sms = c->sms,
                                           .scheds = c->sm.schedulers,
                                           .parts = c->dram.channels,
                                           .sustain = 60,
                                           .dram_sat = 70};
    monitor *m = wr_system_alloc(sizeof *m, err, err_size);

    if (!m) {
        return NULL;
    }
    m->bay = setup->bay;
    m->next = UINT64_MAX;
    m->slices = c->l2.banks / c->dram.channels;
    m->l2_rate = c->l2.bytes_per_cycle;
    m->most[ISSUED] = (uint64_t)c->sms * c->sm.schedulers;
    m->most[L1] = m->most[UP] = c->sms;
    m->most[DOWN] = m->most[L2] = m->most[DRAM] = c->dram.channels;
    m->open = wr_throughput_monitor_port_open_behind(&m->port, wr_bay_behind(m->bay), &cfg, err,
                                                     err_size);
    if (!m->open) {
        destroy(&m->base);
        return NULL;
    }
    wr_throughput_monitor_port_reset(&m->port);
    m->unit = wr_bay_add_unit(m->bay, "", WR_BAY_FREE);
    wr_bay_add_port(m->bay, m->unit, &m->port.port, &m->out);
    m->base.hooks = (wr_system_hooks){.self = m,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .gpu_cycle = on_gpu_cycle,
                                      .next_cycle = on_next_cycle,
                                      .reads_memory = true};
    return &m->base;
}

static void report(const wr_system *system, wr_report *r)
{
    static const char *const names[] = {"underutilised", "moderate", "saturated"};
    static const char *const parts[] = {"schedulers", "l1", "interconnect", "l2", "dram"};
    const monitor *m = (const monitor *)system;

    wr_report_section(r, "windows", "Windows by class (Lin-D Table 3.3)");
    (void)wr_report_count(r, "all", "all", m->windows, "");
    for (uint32_t i = 0; i < 3; i++) {
        (void)wr_report_count(r, names[i], names[i], m->of[i], "");
    }
    wr_report_section(r, "saturated", "Windows in which a part is saturated");
    for (uint32_t i = 0; i < 5; i++) {
        (void)wr_report_count(r, parts[i], parts[i], m->high[i], "");
    }
}

const wr_system_type wr_monitor_type = {
    .name = "monitor",
    .summary = "utilisation of the five resources, window by window; decides nothing",
    .paper = "Lin-D 3.6.4, Table 3.3",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .create = create,
    .destroy = destroy,
    .report = report,
};
