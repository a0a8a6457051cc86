/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU core; see core.h. */
#include "shell/cpu/core.h"

#include <assert.h>
#include <stdlib.h>

/* Requests that fills and evictions of one access can add. */
#define OUT_OF_ONE 3

bool wr_cpu_core_init(wr_cpu_core *c, const wr_gpu_config *cfg)
{
    const wr_cpu_config *p = &cfg->cpu;
    uint32_t line = cfg->l2.line_bytes;
    *c = (wr_cpu_core){.cfg = cfg, .wake = WR_NEVER, .out_size = 4 * p->mshrs + 8};
    c->loads = calloc(p->window, sizeof *c->loads);
    c->mshrs = calloc(p->mshrs, sizeof *c->mshrs);
    c->out = calloc(c->out_size, sizeof *c->out);
    bool l1 = wr_cpu_cache_init(&c->l1, p->l1_bytes / line / p->l1_ways, p->l1_ways);
    bool l2 = wr_cpu_cache_init(&c->l2, p->l2_bytes / line / p->l2_ways, p->l2_ways);
    return l1 && l2 && c->loads != NULL && c->mshrs != NULL && c->out != NULL;
}

void wr_cpu_core_free(wr_cpu_core *c)
{
    wr_cpu_cache_free(&c->l1);
    wr_cpu_cache_free(&c->l2);
    free(c->loads);
    free(c->mshrs);
    free(c->out);
}

void wr_cpu_core_start(wr_cpu_core *c, uint64_t clock, uint32_t mpki10, wr_cpu_trace *trace,
                       uint32_t number)
{
    uint64_t lines[4096];
    assert(!c->runs);
    if (trace != NULL) {
        wr_cpu_stream_of_trace(&c->stream, c->cfg, trace);
    } else {
        wr_cpu_stream_init(&c->stream, c->cfg, mpki10, number);
    }
    uint32_t n = wr_cpu_stream_near(&c->stream, lines, sizeof lines / sizeof lines[0]);
    for (uint32_t i = 0; i < n; i++) {
        wr_cpu_cache_fill(&c->l2, lines[i], false);
        wr_cpu_cache_fill(&c->l1, lines[i], false);
    }
    c->access = wr_cpu_stream_next(&c->stream);
    c->clock = clock;
    c->wake = clock;
    c->runs = true;
}

static void ask(wr_cpu_core *c, uint64_t at, uint64_t line, uint32_t mshr, bool write)
{
    assert(c->out_count < c->out_size);
    c->out[(c->out_first + c->out_count) % c->out_size] =
        (wr_cpu_request){.at = at, .line = line, .mshr = mshr, .write = write};
    c->out_count++;
}

static void into_l2(wr_cpu_core *c, uint64_t line, bool dirty)
{
    uint64_t victim = wr_cpu_cache_fill(&c->l2, line, dirty);
    if (victim != WR_CPU_NO_LINE) {
        ask(c, c->clock, victim, 0, true);
        c->stats.write_backs++;
    }
}

static void into_l1(wr_cpu_core *c, uint64_t line, bool dirty)
{
    uint64_t victim = wr_cpu_cache_fill(&c->l1, line, dirty);
    if (victim != WR_CPU_NO_LINE && !wr_cpu_cache_touch(&c->l2, victim, true)) {
        into_l2(c, victim, true);
    }
}

static void remember(wr_cpu_core *c, uint64_t ready, uint32_t mshr)
{
    if (c->access.store) {
        return;
    }
    uint32_t window = c->cfg->cpu.window;
    assert(c->loads_count < window);
    c->loads[(c->loads_first + c->loads_count) % window] =
        (wr_cpu_load){.at = c->access.at, .ready = ready, .mshr = mshr};
    c->loads_count++;
}

/* A line that neither cache has. False: no MSHR. */
static bool miss(wr_cpu_core *c)
{
    const wr_cpu_config *p = &c->cfg->cpu;
    uint32_t open = UINT32_MAX;
    for (uint32_t i = 0; i < p->mshrs; i++) {
        wr_cpu_mshr *m = &c->mshrs[i];
        if (m->used && m->line == c->access.line) {
            m->store = m->store || c->access.store;
            c->stats.l2_merges++;
            remember(c, WR_NEVER, i);
            return true;
        }
        open = !m->used && open == UINT32_MAX ? i : open;
    }
    if (open == UINT32_MAX) {
        return false;
    }
    c->mshrs[open] = (wr_cpu_mshr){.used = true, .store = c->access.store, .line = c->access.line};
    c->mshrs_used++;
    c->stats.l2_misses++;
    ask(c, c->clock + p->l1_cycles + p->l2_cycles, c->access.line, open, false);
    remember(c, WR_NEVER, open);
    return true;
}

/* The next access of the stream. False: it can't be made now. */
static bool access_memory(wr_cpu_core *c)
{
    const wr_cpu_config *p = &c->cfg->cpu;
    uint64_t line = c->access.line;
    /* room for what the fills under way and this access may evict, and for its own request */
    if (c->out_count + 2 * c->mshrs_used + OUT_OF_ONE + 2 > c->out_size) {
        return false;
    }
    if (wr_cpu_cache_touch(&c->l1, line, c->access.store)) {
        c->stats.l1_hits++;
        remember(c, c->clock + p->l1_cycles, 0);
    } else if (wr_cpu_cache_touch(&c->l2, line, false)) {
        c->stats.l2_hits++;
        into_l1(c, line, c->access.store);
        remember(c, c->clock + p->l1_cycles + p->l2_cycles, 0);
    } else if (!miss(c)) {
        return false;
    }
    c->stats.accesses++;
    c->access = wr_cpu_stream_next(&c->stream);
    return true;
}

/* Instructions that leave the window in this cycle. */
static uint32_t leave(wr_cpu_core *c)
{
    uint64_t old = c->stats.instructions;
    uint64_t end = old + c->cfg->cpu.issue_width;
    end = end < c->entered ? end : c->entered;
    c->waits_load = false;
    while (c->loads_count != 0 && c->loads[c->loads_first].at < end) {
        if (c->loads[c->loads_first].ready > c->clock) {
            end = c->loads[c->loads_first].at;
            c->waits_load = end == old;
            break;
        }
        c->loads_first = c->loads_first + 1 == c->cfg->cpu.window ? 0 : c->loads_first + 1;
        c->loads_count--;
    }
    c->stats.instructions = end;
    return (uint32_t)(end - old);
}

/* Instructions that enter it. */
static uint32_t enter(wr_cpu_core *c)
{
    uint64_t old = c->entered;
    uint64_t end = old + c->cfg->cpu.issue_width;
    uint64_t window = c->stats.instructions + c->cfg->cpu.window;
    end = end < window ? end : window;
    c->waits_full = false;
    bool accessed = false;
    while (c->entered < end) {
        if (c->access.at > c->entered) {
            c->entered = c->access.at < end ? c->access.at : end;
            continue;
        }
        if (accessed) { /* one a cycle */
            break;
        }
        if (!access_memory(c)) {
            c->waits_full = true;
            break;
        }
        accessed = true;
        c->entered++;
    }
    return (uint32_t)(c->entered - old);
}

void wr_cpu_core_run(wr_cpu_core *c, uint64_t end)
{
    if (!c->runs) {
        return;
    }
    while (c->clock < end) {
        if (c->wake > c->clock) { /* as the cycle before */
            uint64_t n = (c->wake < end ? c->wake : end) - c->clock;
            c->stats.cycles += n;
            c->stats.stall_memory += c->waits_load ? n : 0;
            c->stats.stall_full += c->waits_full ? n : 0;
            c->clock += n;
            continue;
        }
        uint32_t moved = leave(c);
        moved += enter(c);
        c->stats.stall_memory += c->waits_load;
        c->stats.stall_full += c->waits_full;
        c->stats.cycles++;
        c->clock++;
        c->wake = moved != 0 ? c->clock : WR_NEVER;
        if (moved == 0 && c->loads_count != 0) {
            c->wake = c->loads[c->loads_first].ready;
        }
    }
}

void wr_cpu_core_fill(wr_cpu_core *c, uint32_t mshr)
{
    wr_cpu_mshr *m = &c->mshrs[mshr];
    assert(m->used);
    into_l2(c, m->line, false);
    into_l1(c, m->line, m->store);
    m->used = false;
    c->mshrs_used--;
    for (uint32_t i = 0; i < c->loads_count; i++) {
        uint32_t at = c->loads_first + i;
        wr_cpu_load *l = &c->loads[at >= c->cfg->cpu.window ? at - c->cfg->cpu.window : at];
        if (l->ready == WR_NEVER && l->mshr == mshr) {
            l->ready = c->clock;
        }
    }
    c->wake = c->clock;
}

const wr_cpu_request *wr_cpu_core_request(const wr_cpu_core *c, uint64_t clock)
{
    const wr_cpu_request *r = &c->out[c->out_first];
    return c->out_count != 0 && r->at <= clock ? r : NULL;
}

void wr_cpu_core_sent(wr_cpu_core *c)
{
    c->out_first = c->out_first + 1 == c->out_size ? 0 : c->out_first + 1;
    c->out_count--;
    if (c->waits_full) {
        c->wake = c->wake < c->clock ? c->wake : c->clock;
    }
}
