/* The table of counters; see stats.h. */
#include "shell/core/state.h"

#include <stddef.h>

typedef struct stat_row {
    const char *name;
    size_t offset;
    const char *doc;
} stat_row;

#define SM_STAT(name, field, doc)                                                                  \
    {                                                                                              \
        name, offsetof(wr_sm_stats, field), doc                                                    \
    }
static const stat_row sm_rows[] = {
    SM_STAT("sm.issued", issued, "warp instructions issued"),
    SM_STAT("sm.thread_insns", thread_insns, "active lanes of issued instructions"),
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
    SM_STAT("l1.evicted_by_store", l1_evicted_by_store, "lines dropped because of a store"),
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

static uint64_t at(const void *stats, size_t offset)
{
    return *(const uint64_t *)((const char *)stats + offset);
}

void wr_gpu_stats(const wr_gpu *gpu, wr_stat_fn fn, void *arg)
{
    fn(arg, "gpu.cycles", gpu->cycle, "core cycles");
    for (size_t i = 0; i < sizeof sm_rows / sizeof sm_rows[0]; i++) {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < gpu->cfg.sms; s++) {
            sum += at(&gpu->sms[s].stats, sm_rows[i].offset);
        }
        fn(arg, sm_rows[i].name, sum, sm_rows[i].doc);
    }
    wr_memsys_stats totals = wr_memsys_totals(gpu->memsys, gpu->cycle);
    for (size_t i = 0; i < sizeof memory_rows / sizeof memory_rows[0]; i++) {
        fn(arg, memory_rows[i].name, at(&totals, memory_rows[i].offset), memory_rows[i].doc);
    }
}
