/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU cores of the machine: their clock, and their ports of the interconnect.
 *
 * Core i has the port behind those of the SMs: packets carry cfg.sms + i. Its memory is its own:
 * cores share caches, wires and DRAM with the GPU and among themselves, but no line. Time outside
 * is in core cycles of the GPU; CPU cycle n begins in the one in which n * core_mhz / cpu.mhz
 * falls. In a cycle of the GPU a core takes the replies that are there, runs the CPU cycles that
 * begin in it, and then sends what may leave.
 */
#ifndef WR_SHELL_CPU_CPUS_H
#define WR_SHELL_CPU_CPUS_H

#include "shell/cpu/apps.h"
#include "shell/cpu/core.h"
#include "shell/memory/memsys.h"

typedef struct wr_cpus wr_cpus;

/* NULL: out of memory. All cores are idle. */
wr_cpus *wr_cpus_create(const wr_gpu_config *cfg, wr_memsys *ms);
void wr_cpus_free(wr_cpus *p);

/* Starts applications at a cycle of the GPU, once: "mcf,omnetpp*3,@F" gives mcf to core 0, omnetpp
 * to cores 1 to 3, and the trace in file F (trace.h) to core 4. The other cores stay idle. False:
 * `error` says what is wrong, and none runs. */
bool wr_cpus_start(wr_cpus *p, uint64_t now, const char *list, char *error, size_t size);

/* One cycle of the GPU, behind wr_memsys_tick. */
void wr_cpus_tick(wr_cpus *p, uint64_t now);
/* First cycle behind the last tick in which a tick does something. */
uint64_t wr_cpus_next(const wr_cpus *p, uint64_t now);
/* Counts cycles up to the end of this one that were skipped. */
void wr_cpus_settle(wr_cpus *p, uint64_t now);

/* Some core has an application. */
bool wr_cpus_run(const wr_cpus *p);
/* Requests without a reply. */
uint64_t wr_cpus_in_flight(const wr_cpus *p);
uint32_t wr_cpus_count(const wr_cpus *p);
/* The core's application; NULL: idle. */
const wr_cpu_app *wr_cpus_app(const wr_cpus *p, uint32_t core);
const wr_cpu_stats *wr_cpus_stats(const wr_cpus *p, uint32_t core);

#endif
