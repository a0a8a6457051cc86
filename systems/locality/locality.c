/* SPDX-License-Identifier: Apache-2.0 */
/* The system locality: options, and what the machine's events mean to its parts (state.h). */
#include "systems/locality/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPT_HINT, OPT_TBS, OPT_WARPS, OPT_GROUPS, OPT_NUMBER };

static const char *const hints[] = {
    [WR_TB_SHARES_NONE] = "none",         [WR_TB_SHARES_LINES] = "lines",
    [WR_TB_SHARES_BORDERS] = "borders",   [WR_TB_SHARES_SOME] = "some",
    [WR_LOCALITY_FROM_LAUNCH] = "launch", NULL};
static const char *const spreads[] = {[WR_LOCALITY_CHUNK] = "chunk",
                                      [WR_LOCALITY_WAVE] = "wave",
                                      [WR_LOCALITY_ORDER] = "order",
                                      NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_HINT] = {.name = "hint",
                  .kind = WR_OPTION_CHOICE,
                  .words = hints,
                  .preset = "launch",
                  .doc = "of all launches: none, lines, borders or some (Table 6.1); launch: each "
                         "has that of its file, or the compiler's"},
    [OPT_TBS] = {.name = "tbs",
                 .kind = WR_OPTION_CHOICE,
                 .words = spreads,
                 .preset = "chunk",
                 .doc = "which go to an SM: a chunk of the grid, waves of as many neighbours as it "
                        "holds, or any, in order (Fig. 6.8), as beside preemption:in_place=1"},
    [OPT_WARPS] = {.name = "warps",
                   .kind = WR_OPTION_FLAG,
                   .preset = "1",
                   .doc = "1: the block says which warp issues (Fig. 6.9); 0: the configuration's "
                          "scheduler does"},
    [OPT_GROUPS] = {.name = "groups",
                    .kind = WR_OPTION_NUMBER,
                    .max = 32,
                    .preset = "0",
                    .doc = "of a scheduler's warps under hint some; 0: as many as it has warps of "
                           "a TB"},
};

/* They say which TBs go where, or have warps apart from their slots, or choose warps. */
static const char not_with[] = "duet, mascar, owl, smk, spart, virtual_thread, warp_swap";

static const char *const blocks[] = {"locality_grouper", NULL};

static const wr_system_need needs[] = {
    {{"sm.max_warps", offsetof(wr_gpu_config, sm.max_warps)}, 2, WR_LOCALITY_SLOTS_MAX},
};

static uint32_t groups_of(const wr_locality *p, const wr_launch *launch)
{
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const uint32_t warps = (threads + 31) / 32;
    const uint32_t own = (warps + p->schedulers - 1) / p->schedulers;

    return p->groups != 0 ? p->groups : own;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_locality *p = self;
    const wr_tb_sharing hint =
        (wr_tb_sharing)(p->hint != WR_LOCALITY_FROM_LAUNCH ? p->hint : launch->hint);

    p->gpu = gpu;
    if ((p->spreads || p->groups_warps) ||
        (hint != WR_TB_SHARES_NONE && wr_gpu_launches(gpu) > 1)) {
        wr_gpu_refuse(gpu, "system locality has one hint at a time: a launch with a hint runs "
                           "beside no other (hint=none takes them all)");
        return;
    }
    p->launches[hint]++;
    if (hint == WR_TB_SHARES_NONE) {
        return;
    }
    p->stream = stream;
    p->spreads = p->spread != WR_LOCALITY_ORDER;
    p->groups_warps = p->schedules;
    if (p->spreads) {
        wr_locality_part(p, launch);
    }
    if (p->groups_warps) {
        wr_locality_configure(p, hint, groups_of(p, launch));
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_locality *p = self;

    (void)gpu;
    if ((p->spreads || p->groups_warps) && stream == p->stream) {
        wr_locality_reopen(p);
        p->spreads = p->groups_warps = false;
    }
}

static uint64_t on_choose_tb(void *self, wr_sm *sm, uint32_t stream)
{
    wr_locality *p = self;

    (void)stream;
    return p->spreads ? wr_locality_next_tb(p, wr_sm_id(sm)) : UINT64_MAX;
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    wr_locality *p = self;

    (void)tb_slot;
    if (p->spreads) {
        wr_locality_placed(p, sm);
    }
}

static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    wr_locality *p = self;

    return p->groups_warps ? wr_locality_grant(p, sm, scheduler, candidates)
                           : wr_sm_choose(sm, scheduler, candidates);
}

static void on_warp_done(void *self, wr_sm *sm, uint32_t warp)
{
    wr_locality *p = self;

    p->sm[wr_sm_id(sm)].gone |= UINT64_C(1) << warp;
}

static void on_warps_left(void *self, wr_sm *sm, uint64_t warps)
{
    wr_locality *p = self;

    p->sm[wr_sm_id(sm)].gone |= warps;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_locality *p = self;

    if (p->groups_warps || wr_locality_has_news(p)) {
        wr_locality_cycle(p, wr_gpu_cycle(gpu));
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return wr_locality_has_news(self) ? now + 1 : UINT64_MAX;
}

static void destroy(wr_system *system)
{
    wr_locality_close((wr_locality *)system);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    wr_locality *p = wr_system_alloc(sizeof *p, err, err_size);

    if (!p) {
        return NULL;
    }
    p->owner = setup->owner;
    p->bay = setup->bay;
    p->hint = setup->values[OPT_HINT].word;
    p->spread = (wr_locality_spread)setup->values[OPT_TBS].word;
    p->schedules = setup->values[OPT_WARPS].number == 1;
    p->groups = (uint32_t)setup->values[OPT_GROUPS].number;
    p->sms = setup->cfg->sms;
    p->schedulers = setup->cfg->sm.schedulers;
    p->base.hooks =
        (wr_system_hooks){.self = p, .launch_begin = on_launch_begin, .launch_end = on_launch_end};
    if (p->spread != WR_LOCALITY_ORDER) {
        p->base.hooks.choose_tb = on_choose_tb;
        p->base.hooks.tb_placed = on_tb_placed;
    }
    if (p->schedules) {
        p->base.hooks.choose_warp = on_choose_warp;
        p->base.hooks.warp_done = on_warp_done;
        p->base.hooks.warps_left = on_warps_left;
        p->base.hooks.gpu_cycle = on_gpu_cycle;
        p->base.hooks.next_cycle = on_next_cycle;
    }
    if (!wr_locality_open(p, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    return &p->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_locality *p = (const wr_locality *)system;
    uint64_t grants = 0;
    uint64_t switches = 0;
    uint64_t waits = 0;

    for (uint32_t i = 0; i < p->sms * p->schedulers; i++) {
        grants += p->groups_of_all[i].grants;
        switches += p->groups_of_all[i].switches;
        waits += p->groups_of_all[i].waits;
    }
    wr_report_section(r, "", "Scheduling by locality");
    (void)wr_report_text(r, "tbs", "TBs of an SM", spreads[p->spread]);
    for (uint32_t i = 0; i < WR_TB_SHARINGS; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "launches.%s", hints[i]);
        wr_report_count(r, name, "launches by hint", p->launches[i], "")->column = hints[i];
    }
    (void)wr_report_count(r, "grants", "grants, all SMs", grants, "");
    (void)wr_report_count(r, "switches", "of these to another group", switches, "");
    (void)wr_report_count(r, "waits", "slots lost, no such warp known yet", waits, "");
}

const wr_system_type wr_locality_type = {
    .name = "locality",
    .summary = "warps that share data issue together, on SMs that have neighbouring TBs",
    .paper = "Gong 6.3",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .not_with = not_with,
    .create = create,
    .destroy = destroy,
    .report = report,
};
