/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU has counted, beyond the sums of wr_gpu_stats (gpu.h): the tree of counters by
 * part, histograms, what is derived of them, and whether the accounts balance.
 *
 * Counters are totals since creation. Names are paths of parts: `sm3.sched0.stall.memory`,
 * `l2.bank5.misses`; docs/counters.md lists all.
 */
#ifndef WR_SHELL_CORE_COUNTERS_H
#define WR_SHELL_CORE_COUNTERS_H

#include "shell/core/gpu.h"
#include "shell/memory/histogram.h"

/* The counters of each SM, scheduler, TB slot, network port, L2 bank and DRAM channel. */
void wr_gpu_counters(const wr_gpu *gpu, wr_stat_fn fn, void *arg);

typedef void (*wr_histogram_fn)(void *arg, const char *name, const wr_histogram *histogram,
                                const char *doc);
void wr_gpu_histograms(const wr_gpu *gpu, wr_histogram_fn fn, void *arg);

/* Ratios and means, worked out of the counters when asked for; those without a base (no load, no
 * L2 access) are left out. */
typedef void (*wr_derived_fn)(void *arg, const char *name, double value, const char *unit,
                              const char *doc);
void wr_gpu_derived(const wr_gpu *gpu, wr_derived_fn fn, void *arg);

/* A launch's own, by the names that wr_gpu_stats has for the GPU's. What belongs to none is
 * traffic of contexts, CPU cores and systems, and slots without a warp. */
void wr_launch_counters(const wr_launch_stats *stats, wr_stat_fn fn, void *arg);

/* After a run that is done: has each instruction that issued ended, each request its reply, what
 * entered each level left it, each slot of each scheduler one use, and is nothing held? False with
 * the first account that does not balance. */
bool wr_gpu_conserved(const wr_gpu *gpu, char *message, size_t size);

#endif
