/* SPDX-License-Identifier: Apache-2.0 */
/* Utilisation of schedulers, L1, interconnect, L2 and DRAM, window by window (watch.h). It decides
 * nothing.
 *
 * The monitor is started when a launch finds none in flight, and stopped when the last one ends.
 */
#include "systems/monitor/monitor.h"

#include "shell/core/seam/launch.h"
#include "systems/monitor/watch.h"

#include <stdlib.h>

enum { OPT_WARMUP, OPT_WINDOW, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_WARMUP] = WR_WATCH_WARMUP_OPTION,
    [OPT_WINDOW] = WR_WATCH_WINDOW_OPTION,
};

static const char *const blocks[] = {"throughput_monitor", "utilisation_adder", NULL};

static const wr_system_need needs[] = {
    {{"sms", offsetof(wr_gpu_config, sms)}, 1, 32},
    {{"dram.channels", offsetof(wr_gpu_config, dram.channels)}, 1, 32},
};

typedef struct monitor {
    wr_system base;
    wr_watch watch;
} monitor;

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    monitor *m = self;

    (void)stream;
    (void)launch;
    if (!m->watch.runs) {
        wr_watch_start(&m->watch, gpu);
    }
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    (void)gpu;
    (void)wr_watch_cycle(&((monitor *)self)->watch);
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return wr_watch_next(&((const monitor *)self)->watch, now);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    (void)stream;
    if (wr_gpu_launches(gpu) == 0) {
        wr_watch_stop(&((monitor *)self)->watch);
    }
}

static void destroy(wr_system *system)
{
    wr_watch_close(&((monitor *)system)->watch);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    monitor *m = wr_system_alloc(sizeof *m, err, err_size);

    if (m != NULL && !wr_watch_open(&m->watch, setup->bay, setup->cfg,
                                    (uint32_t)setup->values[OPT_WARMUP].number,
                                    (uint32_t)setup->values[OPT_WINDOW].number, err, err_size)) {
        destroy(&m->base);
        m = NULL;
    }
    if (m == NULL) {
        return NULL;
    }
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
    (void)wr_report_count(r, "all", "all", m->watch.windows, "");
    for (uint32_t i = 0; i < 3; i++) {
        (void)wr_report_count(r, names[i], names[i], m->watch.of[i], "");
    }
    wr_report_section(r, "saturated", "Windows in which a part is saturated");
    for (uint32_t i = 0; i < 5; i++) {
        (void)wr_report_count(r, parts[i], parts[i], m->watch.high[i], "");
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
