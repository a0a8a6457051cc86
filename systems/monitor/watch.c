/* SPDX-License-Identifier: Apache-2.0 */
/* Feeding the blocks; see watch.h. */
#include "systems/monitor/watch.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "systems/monitor/spread.h"

enum { VERDICT = 2 /* cycles behind a window that are fed before its verdict shows */ };

static const uint8_t domain_of[WR_WATCH_QUANTITIES] = {WR_WATCH_CORE,     WR_WATCH_CORE,
                                                       WR_WATCH_NOC,      WR_WATCH_NOC,
                                                       WR_WATCH_L2_CLOCK, WR_WATCH_DRAM_CLOCK};

static void read_counts(const wr_watch *w, uint64_t cycles, wr_watch_counts *c)
{
    c->clocks[WR_WATCH_CORE] = cycles;
    c->clocks[WR_WATCH_NOC] = wr_meter_network(w->gpu).clocks;
    for (uint32_t i = 0; i < w->places[WR_WATCH_ISSUED]; i++) {
        wr_sm_meter s = wr_meter_sm(wr_gpu_sm(w->gpu, i));

        c->used[WR_WATCH_ISSUED][i] = wr_stats_issued(s.sum);
        c->used[WR_WATCH_L1][i] = s.sum->lines;
        c->used[WR_WATCH_UP][i] = wr_meter_request_flits(w->gpu, i);
    }
    for (uint32_t i = 0; i < w->places[WR_WATCH_L2]; i++) {
        wr_partition_meter p = wr_meter_partition(w->gpu, i);

        c->used[WR_WATCH_DOWN][i] = p.reply_flits / w->slices;
        c->used[WR_WATCH_L2][i] = p.l2_bytes / w->l2_rate / w->slices;
        c->used[WR_WATCH_DRAM][i] = p.dram_busy;
        c->clocks[WR_WATCH_L2_CLOCK] = p.l2_clocks;
        c->clocks[WR_WATCH_DRAM_CLOCK] = p.dram_clocks;
    }
}

/* n clocks of both blocks, in all of which the monitor sees the adder's sums as they are now. */
static void clock_blocks(wr_watch *w, const wr_utilisation_adder_in *in, uint64_t n)
{
    wr_utilisation_adder mark;
    wr_utilisation_adder_out s;

    wr_utilisation_adder_port_eval(&w->adder, in, &s);
    const wr_throughput_monitor_in sums = {.start = s.start,
                                           .stop = s.stop,
                                           .cut = s.cut,
                                           .issued = s.issued,
                                           .l1 = s.l1,
                                           .noc_cycles = s.noc_cycles,
                                           .up = s.up,
                                           .down = s.down,
                                           .l2_cycles = s.l2_cycles,
                                           .l2 = s.l2,
                                           .dram_cycles = s.dram_cycles,
                                           .dram = s.dram};

    (void)wr_bay_begin(w->bay, w->unit, w->fed);
    wr_throughput_monitor_port_skip(&w->monitor, &sums, n);
    wr_port_hold(&w->adder.port, in, n, &mark);
    (void)wr_bay_end(w->bay, w->unit);
    w->fed += n;
}

/* Moves the blocks on by n cycles; false: one failed. From the second on the sums of a model are
 * those of these inputs; what is RTL, or drawn, is asked in each. */
static bool move(wr_watch *w, const wr_utilisation_adder_in *in, uint64_t n)
{
    bool each = w->bay->writes || wr_bay_backend(w->bay) != WR_BACKEND_MODEL;
    char text[512];

    for (uint64_t left = n; left != 0;) {
        uint64_t step = each || left == n ? 1 : left;

        clock_blocks(w, in, step);
        left -= step;
    }
    wr_utilisation_adder_port_eval(&w->adder, &(wr_utilisation_adder_in){0}, &w->sums);
    wr_throughput_monitor_port_eval(&w->monitor, &(wr_throughput_monitor_in){0}, &w->out);
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

/* What the window's cycles get, of each clock domain and of each quantity at each place. */
typedef struct plan {
    wr_spread all[WR_WATCH_DOMAINS + WR_WATCH_QUANTITIES * WR_WATCH_PLACES];
    size_t count;
    size_t first[WR_WATCH_QUANTITIES];
} plan;

/* For the cycles before `to`. */
static void make_plan(wr_watch *w, uint64_t to, plan *p)
{
    uint64_t n = to - w->fed;
    uint64_t clocks[WR_WATCH_DOMAINS];
    wr_watch_counts now = {0};

    read_counts(w, to, &now);
    p->count = 0;
    for (uint32_t d = 0; d < WR_WATCH_DOMAINS; d++) {
        clocks[d] = now.clocks[d] - w->told.clocks[d];
        w->told.clocks[d] = now.clocks[d];
        p->all[p->count++] = wr_spread_over(clocks[d], clocks[d], n);
    }
    for (uint32_t q = 0; q < WR_WATCH_QUANTITIES; q++) {
        uint64_t able = clocks[domain_of[q]] * w->most[q];

        p->first[q] = p->count;
        for (uint32_t i = 0; i < w->places[q]; i++) {
            uint64_t used = now.used[q][i] - w->told.used[q][i];

            used = used < able ? used : able;
            w->told.used[q][i] += used;
            p->all[p->count++] = wr_spread_over(used, clocks[domain_of[q]], n);
        }
    }
}

static uint8_t value(const plan *p, uint32_t q, uint32_t place, uint64_t t)
{
    return (uint8_t)wr_spread_at(&p->all[p->first[q] + place], t);
}

/* The adder's pins in cycle t of the plan. */
static void set_pins(const wr_watch *w, const plan *p, uint64_t t, wr_utilisation_adder_in *in)
{
    in->noc_cycles = (uint8_t)wr_spread_at(&p->all[WR_WATCH_NOC], t);
    in->l2_cycles = (uint8_t)wr_spread_at(&p->all[WR_WATCH_L2_CLOCK], t);
    in->dram_cycles = (uint8_t)wr_spread_at(&p->all[WR_WATCH_DRAM_CLOCK], t);
    for (uint32_t i = 0; i < w->places[WR_WATCH_ISSUED]; i++) {
        in->issued[i] = value(p, WR_WATCH_ISSUED, i, t);
        in->l1[i] = value(p, WR_WATCH_L1, i, t) != 0;
        in->up[i] = value(p, WR_WATCH_UP, i, t);
    }
    for (uint32_t i = 0; i < w->places[WR_WATCH_L2]; i++) {
        in->down[i] = value(p, WR_WATCH_DOWN, i, t);
        in->l2[i] = value(p, WR_WATCH_L2, i, t);
        in->dram[i] = value(p, WR_WATCH_DRAM, i, t);
    }
}

/* The cycles before `to` go to the blocks. */
static void feed(wr_watch *w, uint64_t to)
{
    uint64_t n = to - w->fed;
    wr_utilisation_adder_in in = {0};
    plan p;

    make_plan(w, to, &p);
    for (uint64_t t = 0; t < n;) {
        uint64_t next = wr_spread_change(p.all, p.count, t, n);

        set_pins(w, &p, t, &in);
        if (!move(w, &in, next - t)) {
            return;
        }
        t = next;
    }
}

static bool open_ports(wr_watch *w, const wr_throughput_monitor_cfg *c, char *err, size_t err_size)
{
    const wr_utilisation_adder_cfg adder = {.sms = c->sms, .scheds = c->scheds, .parts = c->parts};
    const wr_behind *behind = wr_bay_behind(w->bay);

    if (!wr_utilisation_adder_port_open_behind(&w->adder, behind, &adder, err, err_size)) {
        return false;
    }
    if (!wr_throughput_monitor_port_open_behind(&w->monitor, behind, c, err, err_size)) {
        wr_utilisation_adder_port_close(&w->adder);
        return false;
    }
    return true;
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
    for (uint32_t q = 0; q < WR_WATCH_QUANTITIES; q++) {
        w->places[q] = q < WR_WATCH_DOWN ? cfg->sms : cfg->dram.channels;
        w->most[q] = q == WR_WATCH_ISSUED ? cfg->sm.schedulers : 1;
    }
    w->open = open_ports(w, &block, err, err_size);
    if (w->open) {
        wr_utilisation_adder_port_reset(&w->adder);
        wr_throughput_monitor_port_reset(&w->monitor);
        w->unit = wr_bay_add_unit(bay, "", WR_BAY_FREE);
        wr_bay_add_port(bay, w->unit, &w->adder.port, &w->sums);
        wr_bay_add_port(bay, w->unit, &w->monitor.port, &w->out);
    }
    return w->open;
}

void wr_watch_close(wr_watch *w)
{
    if (w->open) {
        wr_utilisation_adder_port_close(&w->adder);
        wr_throughput_monitor_port_close(&w->monitor);
    }
    w->open = false;
}

void wr_watch_start(wr_watch *w, wr_gpu *gpu)
{
    w->gpu = gpu;
    w->runs = true;
    w->fed = wr_gpu_cycle(gpu);
    w->next = w->fed;
    w->told.clocks[WR_WATCH_CORE] = UINT64_MAX; /* to be read in the first cycle */
}

void wr_watch_stop(wr_watch *w)
{
    if (w->runs) {
        w->runs = false;
        w->next = UINT64_MAX;
        if (move(w, &(wr_utilisation_adder_in){.stop = true}, 1)) {
            (void)move(w, &(wr_utilisation_adder_in){0}, 1); /* it comes to the monitor */
        }
    }
}

bool wr_watch_cycle(wr_watch *w)
{
    if (!w->runs) {
        return false;
    }
    uint64_t now = wr_gpu_cycle(w->gpu) + 1;
    uint64_t windows = w->windows;
    uint32_t warmup = w->monitor.cfg.warmup;

    if (w->told.clocks[WR_WATCH_CORE] == UINT64_MAX) {
        w->fed = now - 1;
        read_counts(w, now, &w->told);
        (void)move(w, &(wr_utilisation_adder_in){.start = true}, 1);
        w->window_ends = now + warmup + w->monitor.cfg.window;
        w->next = warmup != 0 ? now + warmup : w->window_ends;
    } else if (now >= w->next) {
        feed(w, now);
        if (now == w->window_ends) { /* its verdict is to come */
            w->next = now + VERDICT;
            w->window_ends += w->monitor.cfg.window;
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
    return w->told.clocks[WR_WATCH_CORE] != UINT64_MAX && w->next > now + 1 ? w->next - 1 : now + 1;
}
