/* SPDX-License-Identifier: Apache-2.0 */
/* Feeding the block; see watch.h. */
#include "systems/monitor/watch.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "systems/monitor/spread.h"

static const uint8_t domain_of[WR_WATCH_QUANTITIES] = {WR_WATCH_CORE,     WR_WATCH_CORE,
                                                       WR_WATCH_NOC,      WR_WATCH_NOC,
                                                       WR_WATCH_L2_CLOCK, WR_WATCH_DRAM_CLOCK};

static wr_watch_totals read_totals(const wr_watch *w, uint64_t cycles)
{
    wr_network_meter n = wr_meter_network(w->gpu);
    wr_watch_totals t = {
        .used = {[WR_WATCH_UP] = n.request_flits, [WR_WATCH_DOWN] = n.reply_flits / w->slices},
        .clocks = {[WR_WATCH_CORE] = cycles, [WR_WATCH_NOC] = n.clocks}};

    for (uint32_t i = 0; i < wr_gpu_sm_count(w->gpu); i++) {
        wr_sm_meter s = wr_meter_sm(wr_gpu_sm(w->gpu, i));

        t.used[WR_WATCH_ISSUED] += s.sum->issued;
        t.used[WR_WATCH_L1] += s.sum->lines;
    }
    for (uint32_t i = 0; i < wr_meter_partitions(w->gpu); i++) {
        wr_partition_meter p = wr_meter_partition(w->gpu, i);

        t.used[WR_WATCH_L2] += p.l2_bytes / w->l2_rate / w->slices;
        t.used[WR_WATCH_DRAM] += p.dram_busy;
        t.clocks[WR_WATCH_L2_CLOCK] = p.l2_clocks;
        t.clocks[WR_WATCH_DRAM_CLOCK] = p.dram_clocks;
    }
    return t;
}

/* Moves the block on by n cycles; false: it failed. */
static bool move(wr_watch *w, const wr_throughput_monitor_in *in, uint64_t n)
{
    char text[512];

    (void)wr_bay_begin(w->bay, w->unit, w->fed);
    wr_throughput_monitor_port_skip(&w->port, in, n);
    (void)wr_bay_end(w->bay, w->unit);
    w->fed += n;
    wr_throughput_monitor_port_eval(&w->port, &(wr_throughput_monitor_in){0}, &w->out);
    if (w->out.valid) {
        w->windows++;
        w->of[w->out.verdict]++;
        for (uint32_t i = 0; i < 5; i++) {
            w->high[i] += w->out.high >> i & 1;
        }
    }
    if (wr_bay_check(w->bay, w->unit, text, sizeof text)) {
        wr_gpu_abort(w->gpu, wr_bay_fail(w->bay, w->unit, text));
        return false;
    }
    return true;
}

/* The cycles before `to` go to the block. */
static void feed(wr_watch *w, uint64_t to)
{
    uint64_t n = to - w->fed;
    wr_watch_totals now = read_totals(w, to);
    wr_spread all[WR_WATCH_QUANTITIES + WR_WATCH_DOMAINS];

    for (uint32_t d = 0; d < WR_WATCH_DOMAINS; d++) {
        uint64_t clocks = now.clocks[d] - w->last.clocks[d];

        all[WR_WATCH_QUANTITIES + d] = wr_spread_over(clocks, clocks, n);
    }
    for (uint32_t q = 0; q < WR_WATCH_QUANTITIES; q++) {
        uint64_t clocks = now.clocks[domain_of[q]] - w->last.clocks[domain_of[q]];
        uint64_t used = now.used[q] - w->last.used[q];

        all[q] = wr_spread_over(used < clocks * w->most[q] ? used : clocks * w->most[q], clocks, n);
    }
    w->last = now;
    for (uint64_t t = 0; t < n;) {
        uint64_t next = wr_spread_change(all, WR_WATCH_QUANTITIES + WR_WATCH_DOMAINS, t, n);
        const wr_throughput_monitor_in in = {
            .issued = (uint8_t)wr_spread_at(&all[WR_WATCH_ISSUED], t),
            .l1 = (uint8_t)wr_spread_at(&all[WR_WATCH_L1], t),
            .up = (uint8_t)wr_spread_at(&all[WR_WATCH_UP], t),
            .down = (uint8_t)wr_spread_at(&all[WR_WATCH_DOWN], t),
            .l2 = (uint8_t)wr_spread_at(&all[WR_WATCH_L2], t),
            .dram = (uint8_t)wr_spread_at(&all[WR_WATCH_DRAM], t),
            .noc_cycles = (uint8_t)wr_spread_at(&all[WR_WATCH_QUANTITIES + WR_WATCH_NOC], t),
            .l2_cycles = (uint8_t)wr_spread_at(&all[WR_WATCH_QUANTITIES + WR_WATCH_L2_CLOCK], t),
            .dram_cycles =
                (uint8_t)wr_spread_at(&all[WR_WATCH_QUANTITIES + WR_WATCH_DRAM_CLOCK], t)};

        if (!move(w, &in, next - t)) {
            return;
        }
        t = next;
    }
}

bool wr_watch_open(wr_watch *w, wr_bay *bay, const wr_gpu_config *cfg, uint32_t warmup,
                   uint32_t window, char *err, size_t err_size)
{
    const wr_throughput_monitor_cfg block = {.warmup = warmup,
                                             .window = window,
                                             .sms = cfg->sms,
                                             .scheds = cfg->sm.schedulers,
                                             .parts = cfg->dram.channels,
                                             .sustain = 60,
                                             .dram_sat = 70};

    w->bay = bay;
    w->next = UINT64_MAX;
    w->slices = cfg->l2.banks / cfg->dram.channels;
    w->l2_rate = cfg->l2.bytes_per_cycle;
    w->most[WR_WATCH_ISSUED] = (uint64_t)cfg->sms * cfg->sm.schedulers;
    w->most[WR_WATCH_L1] = w->most[WR_WATCH_UP] = cfg->sms;
    w->most[WR_WATCH_DOWN] = w->most[WR_WATCH_L2] = w->most[WR_WATCH_DRAM] = cfg->dram.channels;
    w->open =
        wr_throughput_monitor_port_open_behind(&w->port, wr_bay_behind(bay), &block, err, err_size);
    if (w->open) {
        wr_throughput_monitor_port_reset(&w->port);
        w->unit = wr_bay_add_unit(bay, "", WR_BAY_FREE);
        wr_bay_add_port(bay, w->unit, &w->port.port, &w->out);
    }
    return w->open;
}

void wr_watch_close(wr_watch *w)
{
    if (w->open) {
        wr_throughput_monitor_port_close(&w->port);
    }
    w->open = false;
}

void wr_watch_start(wr_watch *w, wr_gpu *gpu)
{
    w->gpu = gpu;
    w->runs = true;
    w->fed = wr_gpu_cycle(gpu);
    w->next = w->fed;
    w->last.clocks[WR_WATCH_CORE] = UINT64_MAX; /* to be read in the first cycle */
}

void wr_watch_stop(wr_watch *w)
{
    if (w->runs) {
        w->runs = false;
        w->next = UINT64_MAX;
        (void)move(w, &(wr_throughput_monitor_in){.stop = true}, 1);
    }
}

bool wr_watch_cycle(wr_watch *w)
{
    if (!w->runs) {
        return false;
    }
    uint64_t now = wr_gpu_cycle(w->gpu) + 1;
    uint64_t windows = w->windows;

    if (w->last.clocks[WR_WATCH_CORE] == UINT64_MAX) {
        w->fed = now - 1;
        w->last = read_totals(w, now);
        (void)move(w, &(wr_throughput_monitor_in){.start = true}, 1);
        w->window_ends = now + w->port.cfg.warmup + w->port.cfg.window;
        w->next = w->window_ends;
    } else if (now >= w->next) {
        feed(w, now);
        if (now == w->window_ends) { /* the verdict shows a cycle later */
            w->next = now + 1;
            w->window_ends += w->port.cfg.window;
        } else {
            w->next = w->window_ends;
        }
    }
    return w->windows != windows;
}

uint64_t wr_watch_next(const wr_watch *w, uint64_t now)
{
    if (!w->runs) {
        return UINT64_MAX;
    }
    return w->last.clocks[WR_WATCH_CORE] != UINT64_MAX && w->next > now + 1 ? w->next - 1 : now + 1;
}
