/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU core's instructions: which of them access memory, and where.
 *
 * A trace of the user's gives them (trace.h), or they are made.
 *
 * There are no traces of the applications of Kayiran; what the papers give of each is its L2
 * misses per 1000 instructions. So a stream is made that has just these: memory instructions at
 * even distances, each of one of three kinds:
 * - cold: to a line that the L2 hasn't. They come in bursts. Burst j begins somewhere in the j-th
 *   of equal stretches of instructions that are as long as the miss rate demands: exact in the
 *   long run, random in the small. A line is the one behind the last cold one (row_locality) or
 *   lies anywhere in a footprint that is much larger than the L2;
 * - warm: to twice as many lines of one L1 set as that has ways, in turns: misses the L1 and hits
 *   the L2, at even distances, too;
 * - hot: to a line in each of the other L1 sets: hits the L1.
 *
 * Invariants: seeded, nothing else decides; accesses come in ascending instruction numbers.
 */
#ifndef WR_SHELL_CPU_STREAM_H
#define WR_SHELL_CPU_STREAM_H

#include "shell/config/config.h"
#include "shell/cpu/trace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_cpu_access {
    uint64_t at;   /* number of its instruction, from 0 */
    uint64_t line; /* of the core's memory */
    bool store;
} wr_cpu_access;

typedef struct wr_cpu_stream {
    wr_cpu_trace *trace; /* NULL: all below is made */
    uint32_t line_bytes;
    uint32_t accesses, stores, l2_hits, row_locality, burst; /* wr_cpu_trace_config */
    uint32_t mpki10;
    uint32_t l1_sets, warm_lines;
    uint64_t cold_lines; /* of the footprint: a power of two */
    uint64_t random;
    uint64_t count;     /* accesses made */
    uint64_t bursts;    /* begun */
    uint64_t burst_at;  /* instruction at which the next one begins */
    uint64_t cold_left; /* accesses of bursts that have begun */
    uint64_t last_cold;
    uint64_t warms; /* accesses made */
} wr_cpu_stream;

/* mpki10: as in apps.h. */
void wr_cpu_stream_init(wr_cpu_stream *s, const wr_gpu_config *cfg, uint32_t mpki10, uint32_t core);
/* The same of a trace, which must outlive it. */
void wr_cpu_stream_of_trace(wr_cpu_stream *s, const wr_gpu_config *cfg, wr_cpu_trace *trace);
wr_cpu_access wr_cpu_stream_next(wr_cpu_stream *s);
/* The hot and warm lines, so that a run can begin with them in the caches; their number, at most
 * `most`. A trace begins with empty ones. */
uint32_t wr_cpu_stream_near(const wr_cpu_stream *s, uint64_t *lines, uint32_t most);
/* Lines of a core's memory: hot and warm ones below WR_CONFIG_CPU_NEAR_LINES, then the
 * footprint. */
uint64_t wr_cpu_stream_lines(const wr_gpu_config *cfg);

#endif
