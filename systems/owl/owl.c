/* SPDX-License-Identifier: Apache-2.0 */
/* CTA-aware warp scheduling (OWL; Jog et al., ASPLOS 2013), as Gong 6.4 compares with it. Seam:
 * warp.
 *
 * The TBs of an SM form groups: in the order in which they came, as many to a group as have `warps`
 * warps together, or more. Of the warps that can issue those of the group with the highest priority
 * go first, and among them the configuration's scheduler chooses; so the group goes on until none
 * of its warps can issue, the next one follows, and as soon as one of the first can issue again it
 * is that group's turn: few TBs use the L1 at a time. With `spread` SM i gives the highest priority
 * to its group i, round about, else to group 0: so SMs whose TBs are neighbours run others of them,
 * in other rows and banks of DRAM. Groups are formed anew when a TB comes or leaves. A TB that was
 * preempted comes when one of its warps could issue again.
 *
 * Not here: the prefetch of the rest of a DRAM row into L2. All of it is of public notes, not of
 * the paper's text.
 */
#include "systems/owl/owl.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/warp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_WARPS, OPT_SPREAD, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_WARPS] = {.name = "warps",
                   .kind = WR_OPTION_NUMBER,
                   .min = 1,
                   .max = WR_CONFIG_MAX_WARPS,
                   .preset = "8",
                   .unit = "warps",
                   .doc = "of a group at least, whole TBs; as many as an SM has: one group"},
    [OPT_SPREAD] = {.name = "spread",
                    .kind = WR_OPTION_FLAG,
                    .preset = "1",
                    .doc = "1: SMs give the highest priority to groups of different numbers"},
};

/* They choose warps, or have warps apart from their TBs' slots. */
static const char not_with[] = "duet, locality, mascar, smk, spart, virtual_thread, warp_swap";

typedef struct owl_sm {
    uint64_t tb[WR_CONFIG_MAX_TBS]; /* warp slots of TBs, the one that came first in front */
    uint32_t tbs;
    uint64_t group[WR_CONFIG_MAX_TBS]; /* in the order of priority */
    uint32_t groups;
    uint64_t known;          /* all of them */
    uint64_t firsts, others; /* choices of the first group, of others */
} owl_sm;

typedef struct owl {
    wr_system base;
    uint32_t warps;
    bool spread;
    uint32_t sms;
    owl_sm *sm;
} owl;

static uint64_t warps_of(const wr_sm *sm, uint32_t slot)
{
    const wr_tb_info tb = wr_sm_tb(sm, slot);

    return (tb.warps < 64 ? (UINT64_C(1) << tb.warps) - 1 : UINT64_MAX) << tb.warp_base;
}

static void form_groups(const owl *o, const wr_sm *sm)
{
    owl_sm *here = &o->sm[wr_sm_id(sm)];
    uint64_t by_age[WR_CONFIG_MAX_TBS];
    uint32_t count = 0;

    here->known = 0;
    for (uint32_t i = 0; i < here->tbs;) {
        uint64_t warps = 0;

        while (i < here->tbs && (uint32_t)__builtin_popcountll(warps) < o->warps) {
            warps |= here->tb[i++];
        }
        here->known |= warps;
        by_age[count++] = warps;
    }
    here->groups = count;
    for (uint32_t i = 0; i < count; i++) {
        here->group[i] = by_age[o->spread ? (i + wr_sm_id(sm)) % count : i];
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t slot)
{
    owl *o = self;
    owl_sm *here = &o->sm[wr_sm_id(sm)];

    here->tb[here->tbs++] = warps_of(sm, slot);
    form_groups(o, sm);
}

/* A TB that has ended or was evicted. */
static void on_warps_left(void *self, wr_sm *sm, uint64_t warps)
{
    owl *o = self;
    owl_sm *here = &o->sm[wr_sm_id(sm)];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < here->tbs; i++) {
        here->tb[kept] = here->tb[i];
        kept += (here->tb[i] & warps) == 0;
    }
    here->tbs = kept;
    form_groups(o, sm);
}

static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    owl *o = self;
    owl_sm *here = &o->sm[wr_sm_id(sm)];
    uint32_t i = 0;

    for (uint64_t back; (back = candidates & ~here->known) != 0;) {
        on_tb_placed(o, sm, wr_sm_warp(sm, (uint32_t)__builtin_ctzll(back)).tb_slot);
    }
    while ((here->group[i] & candidates) == 0) {
        i++;
        assert(i < here->groups);
    }
    here->firsts += i == 0;
    here->others += i != 0;
    return wr_sm_choose(sm, scheduler, here->group[i] & candidates);
}

static void destroy(wr_system *system)
{
    free(((owl *)system)->sm);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    owl *o = wr_system_alloc(sizeof *o, err, err_size);

    if (!o) {
        return NULL;
    }
    o->warps = (uint32_t)setup->values[OPT_WARPS].number;
    o->spread = setup->values[OPT_SPREAD].number == 1;
    o->sms = setup->cfg->sms;
    o->sm = calloc(o->sms, sizeof *o->sm);
    if (!o->sm) {
        (void)snprintf(err, err_size, "out of memory");
        destroy(&o->base);
        return NULL;
    }
    o->base.hooks = (wr_system_hooks){.self = o,
                                      .tb_placed = on_tb_placed,
                                      .warps_left = on_warps_left,
                                      .choose_warp = on_choose_warp};
    return &o->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const owl *o = (const owl *)system;
    uint64_t firsts = 0;
    uint64_t others = 0;

    for (uint32_t i = 0; i < o->sms; i++) {
        firsts += o->sm[i].firsts;
        others += o->sm[i].others;
    }
    wr_report_section(r, "", "Scheduling by groups of TBs, all SMs");
    (void)wr_report_count(r, "first", "choices of a warp of the first group", firsts, "");
    (void)wr_report_count(r, "others", "of another, none of the first could issue", others, "");
}

const wr_system_type wr_owl_type = {
    .name = "owl",
    .summary = "a group of TBs issues first until it stalls, and again when it can (OWL)",
    .paper = "Gong 6.4; Jog et al., ASPLOS 2013",
    .options = options,
    .option_count = OPT_NUMBER,
    .not_with = not_with,
    .create = create,
    .destroy = destroy,
    .report = report,
};
