/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, and the table that names them. */
#ifndef WR_SHELL_CORE_COUNTERS_STATS_H
#define WR_SHELL_CORE_COUNTERS_STATS_H

#include <stdint.h>

#include "shell/core/exec/exec.h"

/* Per SM; wr_gpu_stats prints the sum over SMs. All count from creation. */
typedef struct wr_sm_stats {
    uint64_t lsu_occupancy, miss_occupancy, warp_cycles; /* summed over cycles */
    uint64_t insns[WR_INSN_CLASSES];                     /* warp instructions issued */
    uint64_t thread_insns;                               /* active lanes of issued ones */
    uint64_t fetches;                                    /* that were hits */
    uint64_t shared_insns, shared_cycles;
    uint64_t loads, stores, atomics; /* warp instructions to global, local or generic space */
    uint64_t lines;                  /* lines that loads, stores and atomics touched */
    uint64_t dual_issued;            /* of insns, such as issued behind another of their warp */
    uint64_t reused;                 /* of these, such as were executed before: no slot */
    uint64_t guarded_lanes;          /* of the SIMT stack, off by the instruction's predicate */
    uint64_t branches, divergent, divergent_uniform;
    uint64_t barriers; /* arrivals */
    uint64_t points;   /* PP issued */
    uint64_t stops;    /* warps stopped at a preemption point */
    uint64_t tbs_started, tbs_done, tbs_evicted, tbs_restored;
    uint64_t icache_misses, ccache_misses;
    uint64_t l1_hits, l1_misses, l1_merges, l1_evicted_by_store, l1_write_backs;
    uint64_t ctx_writes, ctx_reads, ctx_write_bytes, ctx_read_bytes;
    uint64_t request_bytes, reply_bytes; /* of data */
} wr_sm_stats;

static inline uint64_t wr_stats_issued(const wr_sm_stats *s)
{
    uint64_t sum = 0;
    for (int c = 0; c < WR_INSN_CLASSES; c++) {
        sum += s->insns[c];
    }
    return sum;
}

/* Of a kernel, over all its launches that have ended. */
typedef struct wr_kernel_stats {
    uint64_t launches, cycles, tbs, issued, thread_insns;
} wr_kernel_stats;

/* Of a TB slot, over all TBs that have left it. */
typedef struct wr_slot_stats {
    uint64_t tbs, issued, thread_insns;
} wr_slot_stats;

#endif
