/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the CPU cores, for stats.c and derived.c: of those that an application was started
 * on; nothing where there is none. */
#ifndef WR_SHELL_CORE_GPU_CPU_H
#define WR_SHELL_CORE_GPU_CPU_H

#include "shell/core/counters.h"
#include "shell/core/gpu/state.h"

void wr_cpu_sums(const wr_gpu *gpu, wr_stat_fn fn, void *arg);     /* cpu.instructions */
void wr_cpu_counters(const wr_gpu *gpu, wr_stat_fn fn, void *arg); /* cpu3.instructions */
void wr_cpu_derived(const wr_gpu *gpu, wr_derived_fn fn, void *arg);

#endif
