/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of launches; see launch.h. */
#include "shell/core/counters/launch.h"

#include "shell/core/counters.h"
#include "shell/core/gpu/state.h"

#include <stddef.h>
#include <stdio.h>

enum { COUNTS = sizeof(wr_launch_stats) / sizeof(uint64_t) };
_Static_assert(sizeof(wr_launch_stats) == COUNTS * sizeof(uint64_t), "counts alone");

void wr_launch_stats_add(wr_launch_stats *sum, const wr_launch_stats *more)
{
    uint64_t *to = (uint64_t *)sum;
    for (size_t i = 0; i < COUNTS; i++) {
        to[i] += ((const uint64_t *)more)[i];
    }
}

void wr_launch_stats_take(wr_launch_stats *sum, const wr_launch_stats *less)
{
    uint64_t *from = (uint64_t *)sum;
    for (size_t i = 0; i < COUNTS; i++) {
        from[i] -= ((const uint64_t *)less)[i];
    }
}

wr_launch_stats wr_launch_stats_of(wr_gpu *gpu, uint32_t stream)
{
    wr_launch_stats sum = {0};
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm *sm = &gpu->sms[i];
        const wr_l1_tally *l1 = &sm->tally.l1[stream];
        wr_sm_settle(sm, gpu->elapsed);
        wr_tally_stalls(sm, stream, sum.stalls);
        sum.l1_hits += l1->hits;
        sum.l1_misses += l1->misses;
        sum.l1_merges += l1->merges;
    }
    for (uint32_t i = 0; i < gpu->cfg.l2.banks; i++) {
        const wr_l2_stream_stats *bank = wr_l2_stream_totals(wr_memsys_l2(gpu->memsys, i), stream);
        sum.l2_accesses += bank->accesses;
        sum.l2_hits += bank->hits;
        sum.l2_misses += bank->misses;
    }
    return sum;
}

void wr_launch_counters(const wr_launch_stats *s, wr_stat_fn fn, void *arg)
{
    const struct {
        const char *name;
        uint64_t value;
        const char *doc;
    } rows[] = {
        {"l1.hits", s->l1_hits, "lines found in the L1"},
        {"l1.misses", s->l1_misses, "lines fetched into the L1"},
        {"l1.merges", s->l1_merges, "lines that joined a fetch under way"},
        {"l2.accesses", s->l2_accesses, "packets served by L2 banks"},
        {"l2.hits", s->l2_hits, "lines found"},
        {"l2.misses", s->l2_misses, "lines allocated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fn(arg, rows[i].name, rows[i].value, rows[i].doc);
    }
    for (uint32_t u = WR_STALL_FIRST; u <= WR_STALL_LAST; u++) {
        char name[64];
        (void)snprintf(name, sizeof name, "sched.%s", wr_slot_names[u].name);
        fn(arg, name, s->stalls[u], wr_slot_names[u].doc);
    }
}
