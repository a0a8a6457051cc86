/* SPDX-License-Identifier: Apache-2.0 */
/* The table of counters; see stats.h. */
#include "shell/core/counters.h"
#include "shell/core/gpu/cpu.h"
#include "shell/core/gpu/state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct stat_row {
    const char *name;
    size_t offset;
    const char *doc;
} stat_row;

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])
#define SM_STAT(name, field, doc)                                                                  \
    {                                                                                              \
        name, offsetof(wr_sm_stats, field), doc                                                    \
    }
static const stat_row sm_rows[] = {
    SM_STAT("sm.insns.integer", insns[WR_INSN_INTEGER], "of these, on integers, moves"),
    SM_STAT("sm.insns.float", insns[WR_INSN_FLOAT], "on floating point"),
    SM_STAT("sm.insns.control", insns[WR_INSN_CONTROL], "branches, exits, traps"),
    SM_STAT("sm.insns.memory", insns[WR_INSN_MEMORY], "loads, stores, atomics of any memory"),
    SM_STAT("sm.insns.conversion", insns[WR_INSN_CONVERSION], "from one type to another"),
    SM_STAT("sm.insns.predicate", insns[WR_INSN_PREDICATE], "on predicates alone"),
    SM_STAT("sm.insns.other", insns[WR_INSN_OTHER],
            "barriers, fences, votes, special registers, preemption points"),
    SM_STAT("sm.dual_issued", dual_issued, "of these, second ones of their warp in a cycle"),
    SM_STAT("sm.reused", reused, "of these, executed before at a cursor: no slot"),
    SM_STAT("sm.thread_insns", thread_insns, "active lanes of issued instructions"),
    SM_STAT("sm.guarded_lanes", guarded_lanes,
            "beside these: lanes that the SIMT stack has and the instruction's predicate has not"),
    SM_STAT("sm.branches", branches, "branches issued"),
    SM_STAT("sm.divergent", divergent, "branches that split their warp"),
    SM_STAT("sm.divergent_uniform", divergent_uniform,
            "of these, such as the compiler calls uniform: its fault, if any"),
    SM_STAT("sm.barriers", barriers, "arrivals of warps at barriers"),
    SM_STAT("sm.points", points, "pp instructions issued"),
    SM_STAT("sm.stops", stops, "warps stopped at a preemption point"),
    SM_STAT("sm.tbs_started", tbs_started, "thread blocks placed by the dispatcher"),
    SM_STAT("sm.tbs_done", tbs_done, "thread blocks finished"),
    SM_STAT("sm.tbs_evicted", tbs_evicted, "thread blocks taken off by the system"),
    SM_STAT("sm.tbs_restored", tbs_restored, "thread blocks placed by the system"),
    SM_STAT("lsu.loads", loads, "warp loads from global and local memory"),
    SM_STAT("lsu.stores", stores, "warp stores to global and local memory"),
    SM_STAT("lsu.atomics", atomics, "warp atomics on global memory"),
    SM_STAT("lsu.lines", lines, "lines touched by these"),
    SM_STAT("shared.insns", shared_insns, "warp accesses to shared memory"),
    SM_STAT("shared.cycles", shared_cycles, "cycles of these, bank conflicts counted"),
    SM_STAT("fetch.hits", fetches, "fetches from the instruction cache"),
    SM_STAT("fetch.misses", icache_misses, "lines fetched into the instruction cache"),
    SM_STAT("const.misses", ccache_misses, "lines fetched into the constant cache"),
    SM_STAT("l1.hits", l1_hits, "lines found in the L1"),
    SM_STAT("l1.misses", l1_misses, "lines fetched into the L1"),
    SM_STAT("l1.merges", l1_merges, "lines that joined a fetch under way"),
    SM_STAT("l1.write_backs", l1_write_backs, "dirty lines written to the L2"),
    SM_STAT("l1.evicted_by_store", l1_evicted_by_store, "lines dropped because of a store"),
    SM_STAT("sm.warp_cycles", warp_cycles, "warps in slots, summed over cycles"),
    SM_STAT("lsu.occupancy", lsu_occupancy, "instructions in the LSU's queue, summed over cycles"),
    SM_STAT("l1.miss_occupancy", miss_occupancy,
            "requests between L1 and port, summed over cycles"),
    SM_STAT("port.request_bytes", request_bytes, "bytes of data that left with requests"),
    SM_STAT("port.reply_bytes", reply_bytes, "bytes of data that came with replies"),
    SM_STAT("ctx.writes", ctx_writes, "write requests of context saves"),
    SM_STAT("ctx.reads", ctx_reads, "read requests of context restores"),
    SM_STAT("ctx.write_bytes", ctx_write_bytes, "bytes of contexts written to memory"),
    SM_STAT("ctx.read_bytes", ctx_read_bytes, "bytes of contexts read back"),
};

#define MEM_STAT(name, field, doc)                                                                 \
    {                                                                                              \
        name, offsetof(wr_memsys_stats, field), doc                                                \
    }
static const stat_row memory_rows[] = {
    MEM_STAT("noc.requests", requests, "packets from SMs"),
    MEM_STAT("noc.replies", replies, "packets back at SMs"),
    MEM_STAT("noc.request_flits", request_flits, "flits from SMs"),
    MEM_STAT("noc.reply_flits", reply_flits, "flits to SMs"),
    MEM_STAT("noc.request_bytes", request_bytes, "bytes of data in packets from SMs"),
    MEM_STAT("noc.reply_bytes", reply_bytes, "bytes of data in packets to SMs"),
    MEM_STAT("l2.occupancy", l2_occupancy, "requests in front of the tags, summed over L2 cycles"),
    MEM_STAT("l2.accesses", l2_accesses, "packets served by L2 banks"),
    MEM_STAT("l2.hits", l2_hits, "lines found"),
    MEM_STAT("l2.misses", l2_misses, "lines allocated"),
    MEM_STAT("l2.merges", l2_merges, "lines that were on their way"),
    MEM_STAT("l2.write_backs", l2_write_backs, "dirty lines written to DRAM"),
    MEM_STAT("l2.stalls", l2_stalls, "cycles in which a bank held a request back"),
    MEM_STAT("dram.reads", dram_reads, "read requests"),
    MEM_STAT("dram.writes", dram_writes, "write requests"),
    MEM_STAT("dram.activates", dram_activates, "rows opened"),
    MEM_STAT("dram.precharges", dram_precharges, "rows closed"),
    MEM_STAT("dram.refreshes", dram_refreshes, "refreshes"),
    MEM_STAT("dram.row_hits", dram_row_hits, "requests that found their row open"),
    MEM_STAT("dram.occupancy", dram_occupancy,
             "requests that wait in the queues, summed over command clocks"),
    MEM_STAT("dram.read_bytes", dram_read_bytes, "bytes read"),
    MEM_STAT("dram.write_bytes", dram_write_bytes, "bytes written"),
};

#define KERNEL_STAT(name, field, doc)                                                              \
    {                                                                                              \
        name, offsetof(wr_kernel_stats, field), doc                                                \
    }
static const stat_row kernel_rows[] = {
    KERNEL_STAT("launches", launches, "launches that have ended"),
    KERNEL_STAT("cycles", cycles, "from the dispatcher to their end, summed over launches"),
    KERNEL_STAT("tbs", tbs, "thread blocks finished"),
    KERNEL_STAT("issued", issued, "warp instructions issued"),
    KERNEL_STAT("thread_insns", thread_insns, "active lanes of these"),
};

#define L2_STAT(name, field, doc)                                                                  \
    {                                                                                              \
        name, offsetof(wr_l2_stats, field), doc                                                    \
    }
static const stat_row bank_rows[] = {
    L2_STAT("accesses", accesses, "packets served"),
    L2_STAT("reads", reads, "of these, loads"),
    L2_STAT("writes", writes, "of these, stores"),
    L2_STAT("atomics", atomics, "of these, atomics"),
    L2_STAT("hits", hits, "lines found"),
    L2_STAT("misses", misses, "lines allocated"),
    L2_STAT("merges", merges, "lines that were on their way"),
    L2_STAT("write_backs", write_backs, "dirty lines written to DRAM"),
    L2_STAT("fetches", fetches, "requests to DRAM, write-backs included"),
    L2_STAT("stalls", stalls, "cycles in which the tags held a request back"),
    L2_STAT("request_bytes", request_bytes, "bytes of data that came with requests"),
    L2_STAT("reply_bytes", reply_bytes, "bytes of data that left with replies"),
    L2_STAT("occupancy", occupancy, "requests in front of the tags, summed over L2 cycles"),
};

#define DRAM_STAT(name, field, doc)                                                                \
    {                                                                                              \
        name, offsetof(wr_gddr5_stats, field), doc                                                 \
    }
static const stat_row channel_rows[] = {
    DRAM_STAT("reads", reads, "read requests"),
    DRAM_STAT("writes", writes, "write requests"),
    DRAM_STAT("read_bursts", read_bursts, "bursts read"),
    DRAM_STAT("write_bursts", write_bursts, "bursts written"),
    DRAM_STAT("activates", activates, "rows opened"),
    DRAM_STAT("precharges", precharges, "rows closed"),
    DRAM_STAT("refreshes", refreshes, "refreshes"),
    DRAM_STAT("row_hits", row_hits, "requests that found their row open"),
    DRAM_STAT("occupancy", occupancy, "requests in the queue, summed over command clocks"),
};

static uint64_t at(const void *stats, size_t offset)
{
    return *(const uint64_t *)((const char *)stats + offset);
}

static void settle(const wr_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm_settle(&gpu->sms[i], gpu->cycle);
    }
}

void wr_gpu_stats(const wr_gpu *gpu, wr_stat_fn fn, void *arg)
{
    uint64_t in_pipe = 0;
    uint64_t issued = 0;
    uint64_t conflicts = 0;
    uint64_t uses[WR_SLOT_USES] = {0};
    settle(gpu);
    fn(arg, "gpu.cycles", gpu->cycle, "core cycles");
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        const wr_sm *sm = &gpu->sms[i];
        in_pipe += sm->in_pipe;
        issued += wr_stats_issued(&sm->stats);
        conflicts += sm->operands.conflicts;
        for (uint32_t s = 0; s < gpu->cfg.sm.schedulers; s++) {
            for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
                uses[u] += sm->slots[s][u];
            }
        }
    }
    fn(arg, "sm.issued", issued, "warp instructions issued");
    for (size_t i = 0; i < COUNT(sm_rows); i++) {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < gpu->cfg.sms; s++) {
            sum += at(&gpu->sms[s].stats, sm_rows[i].offset);
        }
        fn(arg, sm_rows[i].name, sum, sm_rows[i].doc);
    }
    fn(arg, "sm.retired", issued - in_pipe, "warp instructions that have ended");
    fn(arg, "sm.operand_conflicts", conflicts, "cycles that operands waited for a register bank");
    for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
        char name[64];
        (void)snprintf(name, sizeof name, "sched.%s", wr_slot_names[u].name);
        fn(arg, name, uses[u], wr_slot_names[u].doc);
    }
    wr_memsys_stats totals = wr_memsys_totals(gpu->memsys, gpu->cycle);
    for (size_t i = 0; i < COUNT(memory_rows); i++) {
        fn(arg, memory_rows[i].name, at(&totals, memory_rows[i].offset), memory_rows[i].doc);
    }
    wr_cpu_sums(gpu, fn, arg);
}

/* Where a part of the tree goes. */
typedef struct branch {
    wr_stat_fn fn;
    void *arg;
    char prefix[200];
} branch;

static void leaf(const branch *b, const char *name, uint64_t value, const char *doc)
{
    char full[256];
    (void)snprintf(full, sizeof full, "%s%s", b->prefix, name);
    b->fn(b->arg, full, value, doc);
}

static void leaves(const branch *b, const stat_row *rows, size_t count, const void *stats)
{
    for (size_t i = 0; i < count; i++) {
        leaf(b, rows[i].name, at(stats, rows[i].offset), rows[i].doc);
    }
}

/* "sm.issued" is "issued" below an SM, "l1.hits" stays. */
static const char *below_sm(const char *name)
{
    return strncmp(name, "sm.", 3) == 0 ? name + 3 : name;
}

static void sm_branch(const wr_sm *sm, wr_stat_fn fn, void *arg)
{
    branch b = {.fn = fn, .arg = arg};
    (void)snprintf(b.prefix, sizeof b.prefix, "sm%u.", sm->id);
    leaf(&b, "issued", wr_stats_issued(&sm->stats), "warp instructions issued");
    for (size_t i = 0; i < COUNT(sm_rows); i++) {
        leaf(&b, below_sm(sm_rows[i].name), at(&sm->stats, sm_rows[i].offset), sm_rows[i].doc);
    }
    leaf(&b, "retired", wr_stats_issued(&sm->stats) - sm->in_pipe,
         "warp instructions that have ended");
    leaf(&b, "operand_conflicts", sm->operands.conflicts,
         "cycles that operands waited for a register bank");
    for (uint32_t s = 0; s < sm->cfg->sm.schedulers; s++) {
        (void)snprintf(b.prefix, sizeof b.prefix, "sm%u.sched%u.", sm->id, s);
        for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
            leaf(&b, wr_slot_names[u].name, sm->slots[s][u], wr_slot_names[u].doc);
        }
    }
    for (uint32_t t = 0; t < sm->cfg->sm.max_tbs; t++) {
        const wr_tb *tb = &sm->tbs[t];
        const wr_slot_stats *slot = &sm->slot_stats[t];
        (void)snprintf(b.prefix, sizeof b.prefix, "sm%u.tb%u.", sm->id, t);
        leaf(&b, "tbs", slot->tbs, "thread blocks that have left the slot");
        leaf(&b, "issued", slot->issued + (tb->valid ? tb->issued : 0), "warp instructions issued");
        leaf(&b, "thread_insns", slot->thread_insns + (tb->valid ? tb->thread_insns : 0),
             "active lanes of these");
    }
}

void wr_gpu_counters(const wr_gpu *gpu, wr_stat_fn fn, void *arg)
{
    branch b = {.fn = fn, .arg = arg};
    settle(gpu);
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        sm_branch(&gpu->sms[i], fn, arg);
    }
    for (uint32_t i = 0; i < gpu->cfg.l2.banks; i++) {
        (void)snprintf(b.prefix, sizeof b.prefix, "noc.request.out%u.", i);
        leaf(&b, "flits", wr_memsys_port_flits(gpu->memsys, false, i), "flits to an L2 bank");
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        (void)snprintf(b.prefix, sizeof b.prefix, "noc.reply.out%u.", i);
        leaf(&b, "flits", wr_memsys_port_flits(gpu->memsys, true, i), "flits to an SM");
    }
    for (uint32_t i = 0; i < gpu->cfg.l2.banks; i++) {
        const wr_l2_stats s = wr_memsys_bank(gpu->memsys, i, gpu->cycle);
        (void)snprintf(b.prefix, sizeof b.prefix, "l2.bank%u.", i);
        leaves(&b, bank_rows, COUNT(bank_rows), &s);
    }
    for (uint32_t i = 0; i < gpu->cfg.dram.channels; i++) {
        const wr_gddr5_stats s = wr_memsys_channel(gpu->memsys, i, gpu->cycle);
        (void)snprintf(b.prefix, sizeof b.prefix, "dram.ch%u.", i);
        leaves(&b, channel_rows, COUNT(channel_rows), &s);
    }
    wr_cpu_counters(gpu, fn, arg);
    /* Last, since kernels come as they run. */
    for (size_t i = 0; i < gpu->code_count; i++) {
        const char *name = gpu->codes[i].kernel->name;
        unsigned number = 1; /* modules may each have one of this name */
        for (size_t k = 0; k < i; k++) {
            number += strcmp(gpu->codes[k].kernel->name, name) == 0;
        }
        if (number == 1) {
            (void)snprintf(b.prefix, sizeof b.prefix, "kernel.%.180s.", name);
        } else {
            (void)snprintf(b.prefix, sizeof b.prefix, "kernel.%.180s#%u.", name, number);
        }
        leaves(&b, kernel_rows, COUNT(kernel_rows), &gpu->codes[i].stats);
    }
}

void wr_gpu_histograms(const wr_gpu *gpu, wr_histogram_fn fn, void *arg)
{
    wr_memsys_stats totals = wr_memsys_totals(gpu->memsys, gpu->cycle);
    wr_histogram loads = {0};
    wr_histogram barriers = {0};
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_histogram_join(&loads, &gpu->sms[i].load_latency);
        wr_histogram_join(&barriers, &gpu->sms[i].barrier_wait);
    }
    fn(arg, "lsu.load_latency", &loads,
       "core cycles from issue to the last data, of loads and of atomics that return");
    fn(arg, "sm.barrier_wait", &barriers,
       "core cycles from a warp's arrival at a barrier until all have arrived");
    fn(arg, "l2.miss_latency", &totals.l2_miss_latency, "L2 cycles from miss to fill");
    fn(arg, "dram.queue_latency", &totals.dram_queue_latency,
       "command clocks from arrival to the last column command");
}
