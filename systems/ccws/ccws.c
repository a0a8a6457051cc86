/* SPDX-License-Identifier: Apache-2.0 */
/* The system ccws: scores of warps, and whose loads are held; see state.h. */
#include "systems/ccws/state.h"

#include "shell/core/seam/memory.h"
#include "shell/core/seam/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_ENTRIES, OPT_WAYS, OPT_K, OPT_BASE, OPT_NUMBER };

#define NUMBER(least, most, value, what, text)                                                     \
    .kind = WR_OPTION_NUMBER, .min = (least), .max = (most), .preset = (value), .unit = (what),    \
    .doc = (text)
static const wr_option options[OPT_NUMBER] = {
    [OPT_ENTRIES] = {.name = "entries",
                     NUMBER(1, WR_CCWS_ENTRIES, "16", "tags", "of victims, for each warp")},
    [OPT_WAYS] = {.name = "ways", NUMBER(1, WR_CCWS_ENTRIES, "8", "tags", "of a set of these")},
    [OPT_K] = {.name = "k",
               NUMBER(1, 1000, "8", "", "how much a victim that is found raises a score")},
    [OPT_BASE] = {.name = "base", NUMBER(1, 100000, "100", "", "the lowest score")},
};

static void on_warp_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    wr_ccws *p = self;

    (void)warp;
    (void)lanes;
    p->sm[wr_sm_id(sm)].issued++;
}

static void on_warp_done(void *self, wr_sm *sm, uint32_t warp)
{
    wr_ccws *p = self;
    wr_ccws_sm *here = &p->sm[wr_sm_id(sm)];

    memset(&here->victims[warp], 0, sizeof here->victims[warp]);
    here->score[warp] = 0;
}

static void on_l1_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                         uint64_t evicted)
{
    wr_ccws *p = self;
    wr_ccws_sm *here = &p->sm[wr_sm_id(sm)];

    if (wr_ccws_found(p, here, warp, line)) {
        const uint64_t warps = (uint64_t)__builtin_popcountll(wr_sm_live_warps(sm));

        here->hits++;
        here->score[warp] = here->hits * p->k * p->least * warps / here->issued;
        here->set_at[warp] = wr_gpu_cycle(p->gpu);
        here->look = true;
    }
    if (evicted != UINT64_MAX && here->brought_by[place] != WR_CCWS_WARPS) {
        wr_ccws_lost(p, here, here->brought_by[place], evicted);
    }
    here->brought_by[place] = (uint8_t)warp;
}

static uint64_t score(const wr_ccws *p, const wr_ccws_sm *here, uint32_t warp, uint64_t now)
{
    const uint64_t fallen = now - here->set_at[warp];
    const uint64_t left = here->score[warp] > fallen ? here->score[warp] - fallen : 0;

    return left > p->least ? left : p->least;
}

/* The warps that may not load in the next cycle. */
static uint64_t beyond(const wr_ccws *p, const wr_ccws_sm *here, uint64_t warps, uint64_t now)
{
    const uint64_t cutoff = p->least * (uint64_t)__builtin_popcountll(warps);
    uint64_t of[WR_CCWS_WARPS];
    uint8_t order[WR_CCWS_WARPS];
    uint32_t count = 0;
    uint64_t sum = 0;
    uint64_t held = 0;

    for (uint64_t left = warps; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        uint32_t at = count++;

        of[w] = score(p, here, w, now);
        for (; at > 0 && of[order[at - 1]] < of[w]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)w;
    }
    for (uint32_t i = 0; i < count; i++) {
        sum += of[order[i]];
        held |= i != 0 && sum > cutoff ? UINT64_C(1) << order[i] : 0;
    }
    return held;
}

/* While no loads are held, only a higher score or another warp can make some be: a score that falls
 * and a warp that ends leave less of the sum than of the cutoff. */
static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_ccws *p = self;
    const uint64_t now = wr_gpu_cycle(gpu);

    for (uint32_t i = 0; i < p->sms; i++) {
        wr_ccws_sm *here = &p->sm[i];
        wr_sm *sm = wr_gpu_sm(gpu, i);
        const uint64_t warps = wr_sm_live_warps(sm);
        const bool more = (warps & ~here->warps) != 0;

        here->warps = warps;
        if (!here->look && !more && here->held == 0) {
            continue;
        }
        here->look = false;
        here->held = beyond(p, here, warps, now + 1);
        here->held_cycles += here->held != 0;
        here->warps_held += (uint64_t)__builtin_popcountll(here->held);
        wr_sm_hold_loads(sm, p->owner, here->held);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_ccws *p = self;

    for (uint32_t i = 0; i < p->sms; i++) {
        if (p->sm[i].held != 0) {
            return now + 1;
        }
    }
    return UINT64_MAX;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_ccws *p = self;

    (void)stream;
    (void)launch;
    p->gpu = gpu;
}

static void destroy(wr_system *system)
{
    wr_ccws *p = (wr_ccws *)system;

    for (uint32_t i = 0; p->sm && i < p->sms; i++) {
        free(p->sm[i].brought_by);
    }
    free(p->sm);
    free(p);
}

static bool alloc_all(wr_ccws *p, const wr_gpu_config *cfg)
{
    const size_t places = cfg->l1.bytes / cfg->l1.line_bytes;

    p->sm = calloc(p->sms, sizeof *p->sm);
    for (uint32_t i = 0; p->sm && i < p->sms; i++) {
        p->sm[i].brought_by = malloc(places);
        if (!p->sm[i].brought_by) {
            return false;
        }
        memset(p->sm[i].brought_by, WR_CCWS_WARPS, places);
    }
    return p->sm != NULL;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    wr_ccws *p = wr_system_alloc(sizeof *p, err, err_size);

    if (!p) {
        return NULL;
    }
    p->owner = setup->owner;
    p->sms = setup->cfg->sms;
    p->entries = (uint32_t)setup->values[OPT_ENTRIES].number;
    p->ways = (uint32_t)setup->values[OPT_WAYS].number;
    p->k = (uint32_t)setup->values[OPT_K].number;
    p->least = (uint32_t)setup->values[OPT_BASE].number;
    p->base.hooks = (wr_system_hooks){.self = p,
                                      .launch_begin = on_launch_begin,
                                      .warp_issued = on_warp_issued,
                                      .warp_done = on_warp_done,
                                      .l1_missed = on_l1_missed,
                                      .gpu_cycle = on_gpu_cycle,
                                      .next_cycle = on_next_cycle};
    if (p->entries % p->ways != 0) {
        (void)snprintf(err, err_size, "entries=%u are no whole number of sets of ways=%u",
                       p->entries, p->ways);
        destroy(&p->base);
        return NULL;
    }
    if (!alloc_all(p, setup->cfg)) {
        (void)snprintf(err, err_size, "out of memory");
        destroy(&p->base);
        return NULL;
    }
    return &p->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_ccws *p = (const wr_ccws *)system;
    uint64_t hits = 0;
    uint64_t cycles = 0;
    uint64_t warps = 0;

    for (uint32_t i = 0; i < p->sms; i++) {
        hits += p->sm[i].hits;
        cycles += p->sm[i].held_cycles;
        warps += p->sm[i].warps_held;
    }
    wr_report_section(r, "", "Loads held for locality, all SMs");
    (void)wr_report_count(r, "hits", "lines missed that a warp had lost", hits, "");
    (void)wr_report_count(r, "held.cycles", "cycles with loads held", cycles, "");
    (void)wr_report_real(r, "held.mean", "warps held in these",
                         cycles != 0 ? (double)warps / (double)cycles : 0, "warps");
}

const wr_system_type wr_ccws_type = {
    .name = "ccws",
    .summary = "holds loads of warps where others lose locality in the L1 (CCWS)",
    .paper = "Kayiran 7; Rogers et al., MICRO 2012",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .destroy = destroy,
    .report = report,
};
