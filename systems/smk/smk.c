/* SPDX-License-Identifier: Apache-2.0 */
/* The system smk: options, hooks, and what the machine's events mean to its parts (state.h). */
#include "systems/smk/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_SCHEME,
    OPT_QUOTAS,
    OPT_PROFILE,
    OPT_SPARE,
    OPT_KERNELS,
    OPT_CONTEXT,
    OPT_IDEAL,
    OPT_NUMBER
};

static const char *const schemes[] = {
    [WR_SMK_ON_DEMAND] = "on_demand", [WR_SMK_PARTITION] = "partition", NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_SCHEME] = {.name = "scheme",
                    .kind = WR_OPTION_CHOICE,
                    .words = schemes,
                    .preset = "partition",
                    .doc = "whose TB goes where: on_demand (5.3.1), or by partitions of the SM "
                           "(5.3.2)"},
    [OPT_QUOTAS] = {.name = "quotas",
                    .kind = WR_OPTION_FLAG,
                    .preset = "1",
                    .doc = "1: warp schedulers issue by quotas (5.4)"},
    [OPT_PROFILE] = {.name = "profile",
                     .kind = WR_OPTION_FLAG,
                     .preset = "1",
                     .doc = "1: with quotas each of several kernels has an SM to itself, so that "
                            "what it issues alone is known; not on fewer than 8 SMs"},
    [OPT_SPARE] = {.name = "spare",
                   .kind = WR_OPTION_FLAG,
                   .preset = "0",
                   .doc = "1: issue slots for which no kernel with quota left has a warp go to "
                          "the others; in the paper they stay empty"},
    [OPT_KERNELS] = {.name = "kernels",
                     .kind = WR_OPTION_NUMBER,
                     .min = 1,
                     .max = WR_SMK_KERNELS,
                     .preset = "4",
                     .doc = "on an SM at most (5.5)"},
    [OPT_CONTEXT] = {.name = "context",
                     .kind = WR_OPTION_CHOICE,
                     .words = wr_context_kind_names,
                     .preset = "all",
                     .doc = "registers that are saved: all, live ones, or live ones compressed by "
                            "warp or tb"},
    [OPT_IDEAL] = {.name = "ideal",
                   .kind = WR_OPTION_FLAG,
                   .preset = "0",
                   .doc = "1: TBs that are preempted leave and come back at no cost (6.5)"},
};

/* They say which TBs go where, or have the context queue, as this one does. */
static const char not_with[] =
    "drain, drf, duet, dyncta, preemption, sharing, spart, virtual_thread, warp_swap";

static const char *const blocks[] = {
    "drf_partitioner",  "warp_quota",     "liveness_decoder", "context_saver",     "tb_compressor",
    "context_restorer", "reg_compressor", "reg_decompressor", "context_sequencer", NULL};

/* What drf_partitioner and warp_quota count up to. */
static const wr_system_need needs[] = {
    {{"sm.registers", offsetof(wr_gpu_config, sm.registers)}, 32, 4096 * WR_SMK_REGISTER_UNIT},
    {{"sm.shared_bytes", offsetof(wr_gpu_config, sm.shared_bytes)},
     WR_SMK_SHARED_UNIT,
     4096 * WR_SMK_SHARED_UNIT},
    {{"sm.schedulers", offsetof(wr_gpu_config, sm.schedulers)}, 1, 4},
};

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_smk *p = self;
    uint64_t now = wr_gpu_cycle(gpu);

    wr_smk_partition_cycle(p);
    if (p->look || p->turn_at == now) {
        wr_smk_drive(p, now);
    }
    wr_smk_quota_cycle(p, now);
    wr_smk_view_cycle(p, now);
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_smk *p = self;
    uint64_t quota = p->bay->writes && wr_smk_in_flight(p) != 0 ? now + 1 /* drawn without gaps */
                                                                : wr_smk_quota_next(p, now);
    uint64_t next = p->look || p->drawing ? now + 1 : p->turn_at;

    return quota < next ? quota : next;
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    wr_smk *p = self;

    wr_tb_queue_sm_cycle(&p->queue, sm);
}

static void on_warp_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    (void)lanes;
    wr_smk_quota_issued(self, sm, warp);
}

static uint32_t on_choose_warp(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    return wr_sm_choose(sm, scheduler, wr_smk_quota_first(self, sm, scheduler, candidates));
}

/* The TB in this slot is gone. */
static void forget(wr_smk *p, uint32_t id, uint32_t slot, bool was_leaving)
{
    wr_smk_sm *here = &p->sm[id];
    uint32_t kernel = here->tb[slot].kernel;

    assert(here->tb[slot].there);
    here->tb[slot].there = false;
    if (was_leaving) {
        here->leaving[kernel]--;
    } else {
        wr_smk_hold(p, kernel, id, -1);
    }
    p->look = true;
    wr_smk_quota_changed(p, id);
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    wr_smk *p = self;
    uint32_t id = wr_sm_id(sm);
    bool was_leaving = (wr_tb_queue_leaving(&p->queue, id) >> slot & 1u) != 0;

    (void)stream;
    wr_tb_queue_tb_done(&p->queue, sm, slot);
    forget(p, id, slot, was_leaving);
}

static void on_left(void *self, wr_sm *sm, uint32_t slot, const wr_tb_info *tb)
{
    (void)tb;
    forget(self, wr_sm_id(sm), slot, true);
}

static void on_queued(void *self, const wr_tb_info *tb)
{
    wr_smk *p = self;

    (void)tb;
    p->look = true;
}

static void on_placed(void *self, wr_sm *sm, uint32_t slot, const wr_tb_info *tb)
{
    wr_smk *p = self;
    wr_smk_sm *here = &p->sm[wr_sm_id(sm)];

    assert(here->sent == p->kernel_of[tb->stream]);
    wr_smk_came(p, wr_sm_id(sm), slot, here->sent, &here->sent_to, tb->issued);
    here->sent = WR_SMK_NONE;
    p->look = true;
}

/* The first row that no launch has; WR_SMK_NONE: there is none. */
static uint32_t free_row(const wr_smk *p)
{
    uint32_t k = 0;

    while (k < WR_SMK_KERNELS && p->kernel[k].in_flight) {
        k++;
    }
    return k;
}

/* Schedulers of the warp slots, the same on all SMs; and the dispatcher places nothing. */
static void take_over(wr_smk *p)
{
    const wr_sm *first = wr_gpu_sm(p->gpu, 0);

    for (uint32_t s = 0; s < p->schedulers; s++) {
        for (uint64_t left = wr_sm_scheduler_warps(first, s); left != 0; left &= left - 1) {
            p->scheduler_of[__builtin_ctzll(left)] = (uint8_t)s;
        }
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_sm_close(wr_gpu_sm(p->gpu, id), p->owner, WR_ALL_STREAMS);
    }
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_smk *p = self;
    uint32_t row = free_row(p);

    p->gpu = gpu;
    if (row == WR_SMK_NONE) {
        wr_gpu_refuse(gpu, "system smk shares SMs among up to 4 kernels at once");
        return;
    }
    if (!wr_tb_queue_launch_begin(&p->queue, gpu, stream, launch)) {
        return;
    }
    take_over(p);
    wr_tb_needs tb = wr_gpu_tb_needs(gpu, stream);

    const bool same = p->kernel[row].stream == stream && p->kernel[row].code == launch->kernel &&
                      memcmp(p->kernel[row].block, launch->block, sizeof launch->block) == 0;

    wr_smk_note(p);
    p->kernel[row] =
        (wr_smk_kernel){.in_flight = true,
                        .code = launch->kernel,
                        .block = {launch->block[0], launch->block[1], launch->block[2]},
                        .stream = stream,
                        .needs = {[WR_SMK_REGISTERS] = tb.registers,
                                  [WR_SMK_THREADS] = tb.threads,
                                  [WR_SMK_SHARED] = tb.shared_bytes,
                                  [WR_SMK_TBS] = 1},
                        .alone = wr_gpu_occupancy(wr_gpu_configuration(gpu), launch).tbs,
                        .issues = same ? p->kernel[row].issues : 0,
                        .profiled = same ? p->kernel[row].profiled : 0};
    p->kernel_of[stream] = row;
    p->look = true;
    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_smk_quota_changed(p, id);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_smk *p = self;

    (void)gpu;
    if (p->kernel_of[stream] == WR_SMK_NONE) {
        return;
    }
    wr_smk_note(p);
    p->kernel[p->kernel_of[stream]].in_flight = false;
    p->kernel_of[stream] = WR_SMK_NONE;
    wr_tb_queue_launch_end(&p->queue);
    p->look = wr_gpu_launches(gpu) != 0;
    for (uint32_t id = 0; id < p->sm_count; id++) {
        wr_smk_quota_changed(p, id);
    }
}

static void destroy(wr_system *system)
{
    wr_smk *p = (wr_smk *)system;

    wr_tb_queue_close(&p->queue);
    wr_smk_partition_close(p);
    if (p->sm) {
        wr_smk_quota_close(p);
    }
    free(p->sm);
    free(p);
}

static bool open_all(wr_smk *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_tb_queue_user user = {
        .self = p, .name = "smk", .left = on_left, .queued = on_queued, .placed = on_placed};

    p->sm = calloc(p->sm_count, sizeof *p->sm);
    if (!p->sm) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        p->sm[id].claim = p->sm[id].sent = WR_SMK_NONE;
        for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
            p->sm[id].has[WR_WARP_QUOTA_MOST][k] = 1; /* as the block after reset */
        }
    }
    if (!wr_tb_queue_open(&p->queue, &user, setup, (wr_context_kind)setup->values[OPT_CONTEXT].word,
                          setup->values[OPT_IDEAL].number == 1, err, err_size)) {
        return false;
    }
    wr_smk_view_open(p);
    return (p->scheme != WR_SMK_PARTITION || wr_smk_partition_open(p, setup, err, err_size)) &&
           (!p->quotas || wr_smk_quota_open(p, setup, err, err_size));
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_sm_config *sm = &setup->cfg->sm;
    wr_smk *p = wr_system_alloc(sizeof *p, err, err_size);

    if (!p) {
        return NULL;
    }
    p->owner = setup->owner;
    p->bay = setup->bay;
    p->scheme = (wr_smk_scheme)setup->values[OPT_SCHEME].word;
    p->quotas = setup->values[OPT_QUOTAS].number == 1;
    p->profiles = p->quotas && setup->values[OPT_PROFILE].number == 1;
    p->spare = setup->values[OPT_SPARE].number == 1;
    p->most = (uint32_t)setup->values[OPT_KERNELS].number;
    p->turn_at = UINT64_MAX;
    p->sm_count = setup->cfg->sms;
    p->schedulers = sm->schedulers;
    p->limit[WR_SMK_REGISTERS] = sm->registers;
    p->limit[WR_SMK_THREADS] = sm->max_warps * 32;
    p->limit[WR_SMK_SHARED] = sm->shared_bytes;
    p->limit[WR_SMK_TBS] = sm->max_tbs;
    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        p->kernel_of[s] = WR_SMK_NONE;
    }
    p->base.hooks = (wr_system_hooks){.self = p,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_done = on_tb_done,
                                      .gpu_cycle = on_gpu_cycle,
                                      .sm_cycle = on_sm_cycle,
                                      .next_cycle = on_next_cycle,
                                      .takes_tbs = true};
    if (p->quotas) {
        p->base.hooks.warp_issued = on_warp_issued;
        p->base.hooks.choose_warp = p->spare ? on_choose_warp : NULL;
    }
    if (!open_all(p, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    return &p->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_smk *p = (const wr_smk *)system;

    wr_report_section(r, "", "Sharing of SMs");
    (void)wr_report_text(r, "scheme", "scheme", schemes[p->scheme]);
    if (p->scheme == WR_SMK_PARTITION) {
        (void)wr_report_count(r, "partitions", "partitions drawn", p->counts.partitions, "");
        (void)wr_report_count(r, "parted", "given to SMs, times", p->counts.parted, "");
        (void)wr_report_count(r, "moved", "TBs that had to leave for one", p->counts.moved, "");
    } else {
        (void)wr_report_count(r, "claims", "times that TBs left for a fairer one", p->counts.claims,
                              "");
    }
    if (p->quotas) {
        (void)wr_report_count(r, "quotas", "quotas calculated, all SMs", p->counts.quotas, "");
    }
    wr_tb_queue_report(&p->queue, r);
    wr_report_section(r, "", "New TBs of the streams, in the order of the file");
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];
        char label[32];

        if (p->counts.placed[i] != 0) {
            (void)snprintf(label, sizeof label, "stream %u", i);
            (void)snprintf(name, sizeof name, "stream%u.tbs", i);
            (void)wr_report_count(r, name, label, p->counts.placed[i], "");
        }
    }
    wr_smk_report_means(p, r);
}

const wr_system_type wr_smk_type = {
    .name = "smk",
    .summary = "several kernels in one SM: fair shares of its resources and of its issue slots",
    .paper = "SMK 5",
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
