/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic accesses; see stream.h. */
#include "shell/cpu/stream.h"

/* xorshift64* */
static uint32_t draw(wr_cpu_stream *s, uint32_t below)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    uint64_t high = s->random * UINT64_C(2685821657736338717) >> 32;
    return (uint32_t)(high * below >> 32);
}

/* Somewhere in the stretch of the next burst. */
static void plan_burst(wr_cpu_stream *s)
{
    uint64_t place = s->bursts << 16 | draw(s, 1U << 16);
    s->burst_at = s->mpki10 != 0 ? (place * s->burst >> 8) * 10000 / s->mpki10 >> 8 : UINT64_MAX;
}

void wr_cpu_stream_init(wr_cpu_stream *s, const wr_gpu_config *cfg, uint32_t mpki10, uint32_t core)
{
    const wr_cpu_trace_config *t = &cfg->cpu.trace;
    uint32_t line = cfg->l2.line_bytes;
    *s = (wr_cpu_stream){.accesses = t->accesses,
                         .stores = t->stores,
                         .l2_hits = t->l2_hits,
                         .row_locality = t->row_locality,
                         .burst = t->burst,
                         .mpki10 = mpki10,
                         .l1_sets = cfg->cpu.l1_bytes / line / cfg->cpu.l1_ways,
                         .warm_lines = 2 * cfg->cpu.l1_ways,
                         .cold_lines = ((uint64_t)t->footprint_mb << 20) / line,
                         .random = ((uint64_t)t->seed << 20 | core << 8 | 1) *
                                   UINT64_C(0x9e3779b97f4a7c15)};
    for (uint32_t i = 0; i < 8; i++) {
        draw(s, 2);
    }
    s->last_cold = draw(s, (uint32_t)s->cold_lines);
    plan_burst(s);
}

void wr_cpu_stream_of_trace(wr_cpu_stream *s, const wr_gpu_config *cfg, wr_cpu_trace *trace)
{
    *s = (wr_cpu_stream){.trace = trace,
                         .line_bytes = cfg->l2.line_bytes,
                         .cold_lines =
                             ((uint64_t)cfg->cpu.trace.footprint_mb << 20) / cfg->l2.line_bytes};
}

static wr_cpu_access of_trace(const wr_cpu_stream *s)
{
    wr_cpu_trace_access a = wr_cpu_trace_next(s->trace);
    return (wr_cpu_access){.at = a.at,
                           .line = WR_CONFIG_CPU_NEAR_LINES +
                                   (a.address / s->line_bytes & (s->cold_lines - 1)),
                           .store = a.store};
}

static uint64_t near_line(const wr_cpu_stream *s, bool warm, uint32_t i)
{
    return warm ? (uint64_t)i * s->l1_sets : i + 1U;
}

wr_cpu_access wr_cpu_stream_next(wr_cpu_stream *s)
{
    if (s->trace != NULL) {
        return of_trace(s);
    }
    wr_cpu_access a = {.at = UINT64_MAX};
    if (s->accesses == 0) {
        return a;
    }
    a.at = s->count++ * 1000 / s->accesses;
    a.store = draw(s, 100) < s->stores;
    while (a.at >= s->burst_at) {
        s->cold_left += s->burst;
        s->bursts++;
        plan_burst(s);
    }
    if (s->cold_left != 0) {
        bool follows = draw(s, 100) < s->row_locality;
        s->cold_left--;
        s->last_cold =
            follows ? (s->last_cold + 1) & (s->cold_lines - 1) : draw(s, (uint32_t)s->cold_lines);
        a.line = WR_CONFIG_CPU_NEAR_LINES + s->last_cold;
    } else if (s->warms * 1000 < a.at * s->l2_hits) {
        a.line = near_line(s, true, (uint32_t)(s->warms++ % s->warm_lines));
    } else {
        a.line = near_line(s, false, draw(s, s->l1_sets - 1));
    }
    return a;
}

uint32_t wr_cpu_stream_near(const wr_cpu_stream *s, uint64_t *lines, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->warm_lines && n < most; i++) {
        lines[n++] = near_line(s, true, i);
    }
    for (uint32_t i = 0; i + 1 < s->l1_sets && n < most; i++) {
        lines[n++] = near_line(s, false, i);
    }
    return n;
}

uint64_t wr_cpu_stream_lines(const wr_gpu_config *cfg)
{
    return WR_CONFIG_CPU_NEAR_LINES +
           ((uint64_t)cfg->cpu.trace.footprint_mb << 20) / cfg->l2.line_bytes;
}
