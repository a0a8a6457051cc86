/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios and means of the counters; see counters.h. */
#include "shell/core/counters.h"
#include "shell/core/gpu/cpu.h"
#include "shell/core/gpu/state.h"

#include <stdio.h>

/* An input-queued crossbar under uniform random traffic (Karol et al. 1987), and GDDR5 with
 * refresh, turn-arounds and row misses, sustain this much of their peak. */
#define NOC_SUSTAINABLE  0.60
#define DRAM_SUSTAINABLE 0.75

typedef struct teller {
    wr_derived_fn fn;
    void *arg;
} teller;

/* Nothing is told of nothing. */
static void ratio(const teller *t, const char *name, double part, double whole, double scale,
                  const char *unit, const char *doc)
{
    if (whole > 0) {
        t->fn(t->arg, name, part / whole * scale, unit, doc);
    }
}

static void percent(const teller *t, const char *name, double part, double whole, const char *doc)
{
    ratio(t, name, part, whole, 100, "%", doc);
}

static void tell_sms(const teller *t, const wr_gpu *gpu, double cycles)
{
    wr_sm_stats sum = {0};
    double slots = 0;
    double uses[WR_SLOT_USES] = {0};
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        const wr_sm *sm = &gpu->sms[i];
        for (uint32_t c = 0; c < WR_INSN_CLASSES; c++) {
            sum.insns[c] += sm->stats.insns[c];
        }
        sum.guarded_lanes += sm->stats.guarded_lanes;
        sum.branches += sm->stats.branches;
        sum.divergent += sm->stats.divergent;
        sum.thread_insns += sm->stats.thread_insns;
        sum.warp_cycles += sm->stats.warp_cycles;
        sum.lsu_occupancy += sm->stats.lsu_occupancy;
        sum.miss_occupancy += sm->stats.miss_occupancy;
        sum.shared_insns += sm->stats.shared_insns;
        sum.shared_cycles += sm->stats.shared_cycles;
        sum.l1_hits += sm->stats.l1_hits;
        sum.l1_misses += sm->stats.l1_misses;
        sum.l1_merges += sm->stats.l1_merges;
        for (uint32_t s = 0; s < gpu->cfg.sm.schedulers; s++) {
            for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
                uses[u] += (double)sm->slots[s][u];
                slots += (double)sm->slots[s][u];
            }
        }
    }
    double sms = gpu->cfg.sms;
    double issued = (double)wr_stats_issued(&sum);
    ratio(t, "gpu.ipc", issued, cycles, 1, "per cycle", "warp instructions");
    ratio(t, "gpu.thread_ipc", (double)sum.thread_insns, cycles, 1, "per cycle",
          "thread instructions");
    ratio(t, "sm.ipc", issued, cycles * sms, 1, "per cycle", "warp instructions of an SM");
    percent(t, "sm.lanes", (double)sum.thread_insns, issued * WR_LANES, "lanes that were active");
    percent(t, "sm.active", (double)(sum.thread_insns + sum.guarded_lanes), issued * WR_LANES,
            "lanes that the SIMT stack had, off by a predicate or not");
    percent(t, "sm.uniform", (double)(sum.branches - sum.divergent), (double)sum.branches,
            "branches that did not split their warp");
    static const char *const classes[WR_INSN_CLASSES] = {
        "integer", "float", "control", "memory", "conversion", "predicate", "other"};
    for (uint32_t c = 0; c < WR_INSN_CLASSES; c++) {
        char name[64];
        (void)snprintf(name, sizeof name, "sm.insns.%s.share", classes[c]);
        percent(t, name, (double)sum.insns[c], issued, "warp instructions of this class");
    }
    percent(t, "sm.occupancy", (double)sum.warp_cycles, cycles * sms * gpu->cfg.sm.max_warps,
            "warp slots in use");
    for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
        char name[64];
        (void)snprintf(name, sizeof name, "sched.%s.share", wr_slot_names[u].name);
        percent(t, name, uses[u], slots, wr_slot_names[u].doc);
    }
    ratio(t, "lsu.queue", (double)sum.lsu_occupancy, cycles * sms, 1, "instructions",
          "mean of an LSU's queue");
    ratio(t, "l1.miss_queue", (double)sum.miss_occupancy, cycles * sms, 1, "requests",
          "mean between an L1 and its port");
    ratio(t, "shared.conflict", (double)sum.shared_cycles, (double)sum.shared_insns, 1, "cycles",
          "of an access to shared memory");
    percent(t, "l1.hit_rate", (double)sum.l1_hits,
            (double)(sum.l1_hits + sum.l1_misses + sum.l1_merges), "lines found in the L1");
}

static void tell_memory(const teller *t, const wr_gpu *gpu, double cycles)
{
    const wr_gpu_config *c = &gpu->cfg;
    const wr_memsys_stats m = wr_memsys_totals(gpu->memsys, gpu->cycle);
    double core = c->clock.core_mhz;
    double noc = cycles * c->clock.noc_mhz / core;
    double l2 = cycles * c->clock.l2_mhz / core;
    double dram = cycles * c->clock.dram_mhz / core;
    double links = noc * (c->sms < c->l2.banks ? c->sms : c->l2.banks);
    double bytes = (double)(m.dram_read_bytes + m.dram_write_bytes);
    double peak = dram * c->dram.channels * c->dram.burst_bytes / c->dram.burst_clocks;
    percent(t, "noc.request_of_peak", (double)m.request_flits, links,
            "flits from SMs, of what the links carry");
    percent(t, "noc.request_of_sustainable", (double)m.request_flits, links * NOC_SUSTAINABLE,
            "the same, of 60 % of that (Karol et al. 1987)");
    percent(t, "noc.reply_of_peak", (double)m.reply_flits, links,
            "flits to SMs, of what the links carry");
    percent(t, "noc.reply_of_sustainable", (double)m.reply_flits, links * NOC_SUSTAINABLE,
            "the same, of 60 % of that");
    percent(t, "l2.hit_rate", (double)m.l2_hits, (double)m.l2_accesses, "packets that hit");
    percent(t, "l2.of_peak", (double)(m.request_bytes + m.reply_bytes),
            l2 * c->l2.banks * c->l2.bytes_per_cycle, "bytes, of what the data ports move");
    ratio(t, "l2.queue", (double)m.l2_occupancy, l2 * c->l2.banks, 1, "requests",
          "mean in front of a bank's tags");
    percent(t, "dram.of_peak", bytes, peak, "bytes, of what the data buses move");
    percent(t, "dram.of_sustainable", bytes, peak * DRAM_SUSTAINABLE, "the same, of 75 % of that");
    percent(t, "dram.row_hit_rate", (double)m.dram_row_hits, (double)(m.dram_reads + m.dram_writes),
            "requests that found their row open");
    ratio(t, "dram.queue", (double)m.dram_occupancy, dram * c->dram.channels, 1, "requests",
          "mean in a channel's queue");
}

static void tell_mean(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    char full[64];
    (void)snprintf(full, sizeof full, "%s.mean", name);
    ratio(arg, full, (double)h->sum, (double)h->count, 1, "clocks", doc);
}

void wr_gpu_derived(const wr_gpu *gpu, wr_derived_fn fn, void *arg)
{
    teller t = {.fn = fn, .arg = arg};
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm_settle(&gpu->sms[i], gpu->cycle);
    }
    tell_sms(&t, gpu, (double)gpu->cycle);
    tell_memory(&t, gpu, (double)gpu->cycle);
    wr_cpu_derived(gpu, fn, arg);
    wr_gpu_histograms(gpu, tell_mean, &t);
}
