/* SPDX-License-Identifier: Apache-2.0 */
/* CPU cores beside the SMs: starting them, and what they have counted. */
#include "shell/core/gpu/cpu.h"

#include <stddef.h>
#include <stdio.h>

typedef struct cpu_row {
    const char *name;
    size_t offset;
    const char *doc;
} cpu_row;

#define ROW(name, doc)                                                                             \
    {                                                                                              \
#name, offsetof(wr_cpu_stats, name), doc                                                   \
    }
static const cpu_row rows[] = {
    ROW(instructions, "instructions that have left the window"),
    ROW(cycles, "of its own clock"),
    ROW(accesses, "memory instructions"),
    ROW(l1_hits, "of these"),
    ROW(l2_hits, "likewise: those that missed the L1 alone"),
    ROW(l2_misses, "lines asked for"),
    ROW(l2_merges, "accesses to lines that were on their way"),
    ROW(write_backs, "dirty lines that left the L2"),
    ROW(stall_memory, "cycles in which nothing left the window because of a load"),
    ROW(stall_full, "cycles in which an access lacked an MSHR or room for its request"),
    ROW(requests, "packets sent"),
    ROW(replies, "packets taken"),
    ROW(request_bytes, "of data sent"),
    ROW(reply_bytes, "of data taken"),
};

static uint64_t value(const wr_cpu_stats *s, const cpu_row *row)
{
    return *(const uint64_t *)((const char *)s + row->offset);
}

bool wr_gpu_start_cpus(wr_gpu *gpu, const char *list, char *error, size_t size)
{
    if (gpu->cpus == NULL) {
        (void)snprintf(error, size, "configuration %s has no CPU cores; kayiran has",
                       gpu->cfg.name);
        return false;
    }
    return wr_cpus_start(gpu->cpus, gpu->cycle, list, error, size);
}

/* All that a started core has behind it. */
static const wr_cpu_stats *settled(const wr_gpu *gpu, uint32_t core)
{
    if (wr_cpus_app(gpu->cpus, core) == NULL) {
        return NULL;
    }
    if (gpu->elapsed != 0) {
        wr_cpus_settle(gpu->cpus, gpu->elapsed - 1);
    }
    return wr_cpus_stats(gpu->cpus, core);
}

void wr_cpu_sums(const wr_gpu *gpu, wr_stat_fn fn, void *arg)
{
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t sum = 0;
        uint32_t cores = 0;
        for (uint32_t i = 0; i < wr_cpus_count(gpu->cpus); i++) {
            const wr_cpu_stats *s = settled(gpu, i);
            sum += s != NULL ? value(s, &rows[r]) : 0;
            cores += s != NULL;
        }
        if (cores != 0) {
            char name[64];
            (void)snprintf(name, sizeof name, "cpu.%s", rows[r].name);
            fn(arg, name, sum, rows[r].doc);
        }
    }
}

void wr_cpu_counters(const wr_gpu *gpu, wr_stat_fn fn, void *arg)
{
    for (uint32_t i = 0; i < wr_cpus_count(gpu->cpus); i++) {
        const wr_cpu_stats *s = settled(gpu, i);
        for (size_t r = 0; s != NULL && r < sizeof rows / sizeof rows[0]; r++) {
            char name[64];
            (void)snprintf(name, sizeof name, "cpu%u.%s", i, rows[r].name);
            fn(arg, name, value(s, &rows[r]), rows[r].doc);
        }
    }
}

void wr_cpu_derived(const wr_gpu *gpu, wr_derived_fn fn, void *arg)
{
    for (uint32_t i = 0; i < wr_cpus_count(gpu->cpus); i++) {
        const wr_cpu_stats *s = settled(gpu, i);
        char name[64];
        if (s == NULL || s->cycles == 0 || s->instructions == 0) {
            continue;
        }
        const char *app = wr_cpus_app(gpu->cpus, i)->name;
        (void)snprintf(name, sizeof name, "cpu%u.ipc", i);
        fn(arg, name, (double)s->instructions / (double)s->cycles, "per cycle", app);
        (void)snprintf(name, sizeof name, "cpu%u.l2_mpki", i);
        fn(arg, name, 1000.0 * (double)s->l2_misses / (double)s->instructions, "per 1000",
           "L2 misses of 1000 instructions");
        (void)snprintf(name, sizeof name, "cpu%u.stall_memory.share", i);
        fn(arg, name, 100.0 * (double)s->stall_memory / (double)s->cycles, "%",
           "cycles in which nothing left the window because of a load");
    }
}
