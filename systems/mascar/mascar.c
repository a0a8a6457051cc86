/* SPDX-License-Identifier: Apache-2.0 */
/* MASCAR (Sethia et al., HPCA 2015), as Gong 6.4 compares with it: while an SM's memory side is
 * saturated one warp alone goes on with memory. Seams: warp, memory, meter.
 *
 *   saturated   `high` % of the L1's MSHRs or of the places between L1 and port are taken, as it
 *               was behind the SMs' last cycle
 *   equal       not saturated: the configuration's scheduler chooses among all warps
 *   memory      saturated: only the owner's instructions go to the L1 (global, local and generic
 *               memory), and those of other kinds go in front of it
 *
 * The owner is, when there is none, the first warp behind the last owner, round about by slots,
 * that could issue such an instruction. It stays until it waits, for data, a barrier or its stores,
 * is stopped or has finished, or the SM is saturated no more.
 *
 * Loads of the other warps are held by a mask; their stores and atomics are not chosen, but one may
 * still go as the second instruction of a warp whose first was chosen (dual issue).
 *
 * Cache access re-execution lets loads of other warps that hit go on while those that miss wait in
 * a queue behind the L1. That queue is not here. `hits` is a bound of what it can do, as if it had
 * room for all and took no time: in memory mode loads of other warps go, too, behind the owner's,
 * if the L1 holds all of their lines, as it was behind the SMs' last cycle.
 *
 * All of it is of public notes, not of the paper's text.
 */
#include "systems/mascar/mascar.h"

#include "shell/core/seam/memory.h"
#include "shell/core/seam/meter.h"
#include "shell/core/seam/warp.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPT_HIGH, OPT_HITS, OPT_NUMBER, NOBODY = UINT32_MAX };

static const wr_option options[OPT_NUMBER] = {
    [OPT_HIGH] = {.name = "high",
                  .kind = WR_OPTION_NUMBER,
                  .min = 1,
                  .max = 101,
                  .preset = "80",
                  .unit = "%",
                  .doc = "of MSHRs, or of the places behind the L1, from which an SM is saturated; "
                         "101: never"},
    [OPT_HITS] = {.name = "hits",
                  .kind = WR_OPTION_FLAG,
                  .preset = "0",
                  .doc = "1: loads of other warps go on whose lines the L1 holds, the most that "
                         "re-execution can do"},
};

/* They choose warps, or have warps apart from their TBs' slots. */
static const char not_with[] = "ccws, duet, locality, owl, smk, spart, virtual_thread, warp_swap";

typedef struct mascar_sm {
    bool saturated;
    uint32_t owner, last; /* warp slots; NOBODY */
    uint64_t hits;        /* other warps whose next instruction is a load that hits */
    uint64_t looked_at;   /* the last cycle that was simulated */
    uint64_t cycles;      /* saturated, up to that one */
    uint64_t owners;      /* warps that became the owner */
    uint64_t kept; /* slots in which only other warps' stores and atomics could have issued */
} mascar_sm;

typedef struct mascar {
    wr_system base;
    wr_owner owner;
    bool hits;
    uint32_t high, mshrs, sms;
    mascar_sm *sm;
} mascar;

static void on_warp_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    mascar *m = self;
    mascar_sm *here = &m->sm[wr_sm_id(sm)];

    if (here->owner == warp && why != WR_WAIT_ARITHMETIC) {
        here->owner = NOBODY;
    }
}

/* It has stopped or finished. */
static void on_warp_ended(void *self, wr_sm *sm, uint32_t warp)
{
    mascar *m = self;
    mascar_sm *here = &m->sm[wr_sm_id(sm)];

    here->owner = here->owner == warp ? NOBODY : here->owner;
}

static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    mascar *m = self;
    mascar_sm *here = &m->sm[wr_sm_id(sm)];

    if (!here->saturated) {
        return wr_sm_choose(sm, scheduler, candidates);
    }
    const uint64_t accesses = candidates & wr_sm_memory_warps(sm);

    if (candidates != accesses) {
        return wr_sm_choose(sm, scheduler, candidates & ~accesses);
    }
    if (here->owner != NOBODY && (accesses >> here->owner & 1) != 0) {
        return wr_sm_choose(sm, scheduler, UINT64_C(1) << here->owner);
    }
    if ((accesses & here->hits) != 0) {
        return wr_sm_choose(sm, scheduler, accesses & here->hits);
    }
    here->kept++;
    return UINT32_MAX;
}

/* The first of these warps behind the one in slot `last`. */
static uint32_t next_owner(uint64_t warps, uint32_t last)
{
    const uint64_t behind = last < 63 ? warps & UINT64_MAX << (last + 1) : 0;

    return warps == 0 ? NOBODY : (uint32_t)__builtin_ctzll(behind != 0 ? behind : warps);
}

/* Warps but this one that could issue a load that hits. */
static uint64_t find_hits(wr_sm *sm, uint32_t owner)
{
    uint64_t hits = 0;

    for (uint64_t left = wr_sm_memory_warps(sm); left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);

        hits |= warp != owner && wr_sm_load_hits(sm, warp) ? left & -left : 0;
    }
    return hits;
}

static void look(const mascar *m, wr_sm *sm, uint64_t now)
{
    mascar_sm *here = &m->sm[wr_sm_id(sm)];
    const wr_sm_meter meter = wr_meter_sm(sm);
    uint64_t held = 0;

    here->cycles += here->saturated ? now - here->looked_at : 0;
    here->looked_at = now;
    here->saturated = meter.mshrs * 100 >= m->high * m->mshrs ||
                      meter.misses * 100 >= m->high * wr_sm_miss_limit(sm);
    if (!here->saturated) {
        here->owner = NOBODY;
    } else {
        if (here->owner == NOBODY) {
            here->owner = next_owner(wr_sm_memory_warps(sm), here->last);
            here->owners += here->owner != NOBODY;
            here->last = here->owner != NOBODY ? here->owner : here->last;
        }
        here->hits = m->hits ? find_hits(sm, here->owner) : 0;
        held = wr_sm_live_warps(sm) &
               ~(here->hits | (here->owner != NOBODY ? UINT64_C(1) << here->owner : 0));
    }
    wr_sm_hold_loads(sm, m->owner, held);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    const mascar *m = self;

    for (uint32_t i = 0; i < m->sms; i++) {
        look(m, wr_gpu_sm(gpu, i), wr_gpu_cycle(gpu));
    }
}

static void destroy(wr_system *system)
{
    free(((mascar *)system)->sm);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    mascar *m = wr_system_alloc(sizeof *m, err, err_size);

    if (!m) {
        return NULL;
    }
    m->owner = setup->owner;
    m->hits = setup->values[OPT_HITS].number == 1;
    m->high = (uint32_t)setup->values[OPT_HIGH].number;
    m->mshrs = setup->cfg->l1.mshrs;
    m->sms = setup->cfg->sms;
    m->sm = calloc(m->sms, sizeof *m->sm);
    if (!m->sm) {
        (void)snprintf(err, err_size, "out of memory");
        destroy(&m->base);
        return NULL;
    }
    for (uint32_t i = 0; i < m->sms; i++) {
        m->sm[i].owner = NOBODY;
        m->sm[i].last = 63; /* the first owner is sought from slot 0 on */
    }
    m->base.hooks = (wr_system_hooks){.self = m,
                                      .warp_stalled = on_warp_stalled,
                                      .warp_stopped = on_warp_ended,
                                      .warp_done = on_warp_ended,
                                      .choose_warp = on_choose_warp,
                                      .gpu_cycle = on_gpu_cycle};
    return &m->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const mascar *m = (const mascar *)system;
    uint64_t cycles = 0;
    uint64_t owners = 0;
    uint64_t kept = 0;

    for (uint32_t i = 0; i < m->sms; i++) {
        cycles += m->sm[i].cycles;
        owners += m->sm[i].owners;
        kept += m->sm[i].kept;
    }
    wr_report_section(r, "", "One warp's memory at a time, all SMs");
    (void)wr_report_count(r, "saturated", "cycles saturated", cycles, "cycles");
    (void)wr_report_count(r, "owners", "warps that became the owner", owners, "");
    (void)wr_report_count(r, "kept", "slots lost, only others' stores and atomics could issue",
                          kept, "");
}

const wr_system_type wr_mascar_type = {
    .name = "mascar",
    .summary = "one warp at a time goes to memory while the L1 is saturated (MASCAR)",
    .paper = "Gong 6.4; Sethia et al., HPCA 2015",
    .options = options,
    .option_count = OPT_NUMBER,
    .not_with = not_with,
    .create = create,
    .destroy = destroy,
    .report = report,
};
