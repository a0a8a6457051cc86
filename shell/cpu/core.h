/* SPDX-License-Identifier: Apache-2.0 */
/* A trace-driven CPU core: an instruction window over private caches (Kayiran 5, Table I).
 *
 *   stream -> window (in order in, in order out) -> L1 -> L2 -> MSHRs -> requests out
 *
 * In a cycle up to issue_width instructions leave the window at its old end and as many enter at
 * the young one, one of them to memory. An instruction leaves a cycle or more after it has
 * entered; a load when its data are there; a store does not wait. Everything else executes in a
 * cycle, as usual for such cores: what limits a core is its memory.
 *
 * Both caches are write-back and write-allocate and take in a line when it arrives. A dirty line
 * that leaves the L1 goes to the L2, one that leaves the L2 out. Cycles here are the core's own.
 *
 * Invariants:
 * - cycles in which nothing can change may be skipped: wr_cpu_core_run gives the same in one call
 *   as in many;
 * - a request that lacks an MSHR or room behind holds the stream: nothing overtakes it;
 * - each request out has one reply.
 */
#ifndef WR_SHELL_CPU_CORE_H
#define WR_SHELL_CPU_CORE_H

#include "shell/cpu/cache.h"
#include "shell/cpu/stream.h"
#include "shell/memory/packet.h"

typedef struct wr_cpu_stats {
    uint64_t instructions; /* that have left the window */
    uint64_t cycles;
    uint64_t accesses, l1_hits, l2_hits;
    uint64_t l2_misses; /* lines asked for */
    uint64_t l2_merges; /* accesses to lines that were asked for already */
    uint64_t write_backs;
    uint64_t stall_memory; /* cycles in which nothing left because of a load */
    uint64_t stall_full;   /* cycles in which an access lacked an MSHR or room for requests */
    uint64_t requests, replies;
    uint64_t request_bytes, reply_bytes; /* of data */
} wr_cpu_stats;

/* A load in the window. */
typedef struct wr_cpu_load {
    uint64_t at;    /* number of its instruction */
    uint64_t ready; /* WR_NEVER: its line is on the way */
    uint32_t mshr;
} wr_cpu_load;

typedef struct wr_cpu_mshr {
    bool used, store; /* store: the line will be dirty */
    uint64_t line;
} wr_cpu_mshr;

typedef struct wr_cpu_request {
    uint64_t at; /* from this cycle on it may leave */
    uint64_t line;
    uint32_t mshr;
    bool write;
} wr_cpu_request;

typedef struct wr_cpu_core {
    const wr_gpu_config *cfg;
    bool runs;
    wr_cpu_stream stream;
    wr_cpu_access access; /* the next one */
    uint64_t clock;       /* the next cycle */
    uint64_t wake;        /* nothing changes before, but for a reply; WR_NEVER: until one */
    uint64_t entered;     /* instructions */
    wr_cpu_cache l1, l2;
    wr_cpu_load *loads; /* a ring, oldest first */
    uint32_t loads_first, loads_count;
    wr_cpu_mshr *mshrs;
    uint32_t mshrs_used;
    wr_cpu_request *out; /* a ring */
    uint32_t out_first, out_count, out_size;
    bool waits_load, waits_full; /* why nothing changes before `wake` */
    wr_cpu_stats stats;
} wr_cpu_core;

/* cfg must outlive it. False: out of memory. */
bool wr_cpu_core_init(wr_cpu_core *c, const wr_gpu_config *cfg);
void wr_cpu_core_free(wr_cpu_core *c);
/* Starts an application at a cycle, with its hot and warm lines in the caches; trace: NULL, or it
 * is of that, and mpki10 means nothing. */
void wr_cpu_core_start(wr_cpu_core *c, uint64_t clock, uint32_t mpki10, wr_cpu_trace *trace,
                       uint32_t number);
/* Cycles up to `end`, exclusive. */
void wr_cpu_core_run(wr_cpu_core *c, uint64_t end);
/* The line of an MSHR has come in the next cycle (c->clock). */
void wr_cpu_core_fill(wr_cpu_core *c, uint32_t mshr);
/* The oldest request that may leave in cycle `clock`; NULL: none. */
const wr_cpu_request *wr_cpu_core_request(const wr_cpu_core *c, uint64_t clock);
void wr_cpu_core_sent(wr_cpu_core *c);

#endif
