/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual Thread (Yoon et al., ISCA 2016), what GPUDuet is compared with: options, what is of the
 * launch, events of the machine, the report.
 *
 * Of a kernel whose warps are more than warp slots can hold while registers and shared memory can,
 * TBs are placed up to these. Any other launch is the dispatcher's, and no cycle of it changes.
 */
#include "systems/virtual_thread/virtual_thread.h"

#include "systems/virtual_thread/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPT_TBS, OPT_EXTRA, OPT_PORT, OPT_META, OPT_AGE, OPT_NUMBER };

static const char *const extra_words[] = {"capacity", NULL};
static const char *const port_words[] = {"64", "128", "256", NULL};
static const char *const age_words[] = {"entry", "tb", NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_TBS] = {.name = "tbs",
                 .kind = WR_OPTION_NUMBER,
                 .max = WR_VT_TBS_MAX,
                 .preset = "0",
                 .unit = "TBs",
                 .doc = "of an SM at most, inactive ones among them; 0 = as many as registers and "
                        "shared memory hold"},
    [OPT_EXTRA] = {.name = "extra",
                   .kind = WR_OPTION_NUMBER_OR_WORD,
                   .max = WR_VT_TBS_MAX,
                   .words = extra_words,
                   .preset = "capacity",
                   .doc = "TBs of an SM beyond those that have warp slots: as many as fit, or that "
                          "many at most; 0 = off"},
    [OPT_PORT] = {.name = "port",
                  .kind = WR_OPTION_CHOICE,
                  .words = port_words,
                  .preset = "128",
                  .unit = "bytes",
                  .doc = "of warps' state that move in a cycle"},
    [OPT_META] = {.name = "meta",
                  .kind = WR_OPTION_NUMBER,
                  .min = 1,
                  .max = WR_DUET_META_LINES,
                  .preset = "2",
                  .unit = "lines of 128 bytes",
                  .doc = "of a warp's state, ST of Lin-D Eq. 3.2: a TB with a warp whose SIMT "
                         "stack is deeper than they hold stays"},
    [OPT_AGE] = {.name = "age",
                 .kind = WR_OPTION_CHOICE,
                 .words = age_words,
                 .preset = "tb",
                 .doc =
                     "of a warp that comes in, for schedulers that go by it: it is the youngest, "
                     "or as old as its TB"},
};

static const char *const blocks[] = {"vt_status_table", NULL};

static const wr_system_need needs[] = {
    {{"sms", offsetof(wr_gpu_config, sms)}, 1, WR_CONFIG_MAX_SMS},
    {{"sm.max_warps", offsetof(wr_gpu_config, sm.max_warps)}, 1, WR_VT_SLOTS_MAX},
    {{"sm.max_tbs", offsetof(wr_gpu_config, sm.max_tbs)}, 1, WR_VT_TBS_MAX},
};

/* Those that say which TBs go where, to the dispatcher; those that move warps; and run_ahead, which
 * writes rows behind a warp's registers: they are another warp's. */
static const char not_with[] =
    "drain, drf, duet, dyncta, preemption, run_ahead, sharing, spart, warp_swap";

/* Events */

/* TB and number of the warp in this slot. */
static uint32_t find_warp(const wr_vt_unit *u, uint32_t slot, uint32_t *tb)
{
    *tb = u->tb_of[slot / u->vt->warps];
    return UINT32_C(1) << slot % u->vt->warps;
}

static void on_stalled(void *self, wr_sm *sm, uint32_t slot, wr_wait why)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];
    uint32_t tb;

    if (vt->engaged && (why == WR_WAIT_MEMORY || why == WR_WAIT_BARRIER)) {
        uint32_t bit = find_warp(u, slot, &tb);

        u->waits[tb] |= bit;
        u->barrier[tb] |= why == WR_WAIT_BARRIER ? bit : 0;
    }
}

static void on_woken(void *self, wr_sm *sm, uint32_t slot)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];
    uint32_t tb;

    if (vt->engaged) {
        uint32_t bit = find_warp(u, slot, &tb);

        u->waits[tb] &= ~bit;
        u->barrier[tb] &= ~bit;
    }
}

/* It waits for ever, as at a barrier; but the last one's TB ends soon, and is not to leave. */
static void on_done(void *self, wr_sm *sm, uint32_t slot)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];
    uint32_t tb;

    if (vt->engaged) {
        uint32_t bit = find_warp(u, slot, &tb);

        u->finished[tb] |= bit;
        u->waits[tb] |= u->finished[tb] != wr_vt_all(vt) ? bit : 0;
    }
}

static void on_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];

    (void)regs;
    if (vt->engaged && wr_sm_warp_pending(sm, id) == 0) {
        u->waits[u->warp_of[id] / WR_VT_TB_WARPS] &=
            ~(UINT32_C(1) << u->warp_of[id] % WR_VT_TB_WARPS);
    }
}

/* Its barrier has opened before it has entered: others of its TB have, and run. */
static void on_passed(void *self, wr_sm *sm, uint32_t id)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];
    uint32_t tb = u->warp_of[id] / WR_VT_TB_WARPS;
    uint32_t bit = UINT32_C(1) << u->warp_of[id] % WR_VT_TB_WARPS;

    if (vt->engaged) {
        u->waits[tb] &= ~bit;
        u->barrier[tb] &= ~bit;
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    wr_vt *vt = self;
    wr_vt_unit *u = &vt->unit[wr_sm_id(sm)];

    (void)stream;
    if (vt->engaged) {
        u->here &= ~(UINT32_C(1) << tb_slot);
        u->ended |= UINT32_C(1) << tb_slot;
    }
}

/* Launches */

/* A barrier that reduces writes registers of warps that wait at it: they can't be away. */
static bool reduces_at_barriers(const wr_kernel *k)
{
    bool reduces = false;

    for (size_t i = 0; i < k->insn_count; i++) {
        reduces |= k->insns[i].op == WR_OP_BAR && k->insns[i].mode >= WR_BAR_POPC;
    }
    return reduces;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* TBs that an SM's registers and shared memory hold, homes of the inactive ones included. */
static uint32_t find_capacity(const wr_vt *vt, const wr_gpu_config *c)
{
    uint32_t tbs = least(c->sm.max_tbs, WR_VT_VIRTUAL_WARPS / vt->warps);

    tbs = vt->most_tbs != 0 ? least(tbs, vt->most_tbs) : tbs;
    tbs = least(tbs, vt->native + vt->most_extra);
    while (tbs > vt->native &&
           (tbs * vt->warps * vt->regs > vt->rf_lines ||
            tbs * vt->smem + (tbs - vt->groups) * vt->warps * vt->st_lines > vt->smem_lines)) {
        tbs--;
    }
    return tbs > vt->native ? tbs : vt->native;
}

static uint64_t grid_tbs(const wr_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_vt *vt = self;
    wr_tb_needs needs_of = wr_gpu_tb_needs(gpu, stream);
    const wr_gpu_config *c = wr_gpu_configuration(gpu);

    if (vt->in_flight) {
        wr_gpu_refuse(gpu,
                      "system virtual_thread: one launch at a time; give the launches one stream");
        return;
    }
    vt->gpu = gpu;
    vt->stream = stream;
    vt->in_flight = true;
    vt->warps = needs_of.threads / 32;
    vt->regs = needs_of.registers / 32 / vt->warps;
    vt->smem = (needs_of.shared_bytes + WR_DUET_LINE - 1) / WR_DUET_LINE;
    vt->shared_bytes = launch->kernel->shared_bytes + launch->shared_dynamic;
    vt->native = wr_gpu_occupancy(c, launch).tbs;
    vt->groups = c->sm.max_warps / vt->warps;
    vt->capacity = reduces_at_barriers(launch->kernel) ? vt->native : find_capacity(vt, c);
    vt->engaged = vt->capacity > vt->native && grid_tbs(launch) > (uint64_t)vt->sms * vt->native;
    vt->active = vt->engaged;
    for (uint32_t i = 0; i < vt->sms; i++) {
        vt->unit[i].sm = wr_gpu_sm(gpu, i);
        wr_sm_close(vt->unit[i].sm, vt->owner, vt->engaged ? WR_ALL_STREAMS : 0);
        if (vt->engaged) {
            wr_vt_unit_start(&vt->unit[i]);
        }
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_vt *vt = self;

    (void)gpu;
    (void)stream;
    vt->in_flight = vt->engaged = vt->active = false;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_vt *vt = self;

    (void)gpu;
    vt->active = false;
    for (uint32_t i = 0; vt->engaged && i < vt->sms && !vt->failed; i++) {
        if (wr_vt_unit_active(&vt->unit[i])) {
            wr_vt_unit_cycle(&vt->unit[i]);
        }
    }
    for (uint32_t i = 0; vt->engaged && i < vt->sms && !vt->active; i++) {
        vt->active = wr_vt_unit_active(&vt->unit[i]);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return ((wr_vt *)self)->active ? now + 1 : UINT64_MAX;
}

/* Creation */

static void destroy(wr_system *system)
{
    wr_vt *vt = (wr_vt *)system;

    for (uint32_t i = 0; vt->unit != NULL && i < vt->sms; i++) {
        if (vt->unit[i].open) {
            wr_port_close(&vt->unit[i].table.port);
        }
    }
    free(vt->unit);
    free(vt);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_gpu_config *c = setup->cfg;
    const wr_option_value *v = setup->values;
    wr_vt *vt = wr_system_alloc(sizeof *vt, err, err_size);

    if (vt == NULL) {
        return NULL;
    }
    vt->bay = setup->bay;
    vt->owner = setup->owner;
    vt->sms = c->sms;
    vt->rf_lines = c->sm.registers / 32;
    vt->smem_lines = c->sm.shared_bytes / WR_DUET_LINE;
    vt->st_lines = (uint32_t)v[OPT_META].number;
    vt->port_bytes = 64u << v[OPT_PORT].word;
    vt->keeps_age = v[OPT_AGE].word == 1;
    vt->most_tbs = (uint32_t)v[OPT_TBS].number;
    vt->most_extra = v[OPT_EXTRA].is_word ? WR_VT_TBS_MAX : (uint32_t)v[OPT_EXTRA].number;
    vt->unit = wr_system_alloc(vt->sms * sizeof *vt->unit, err, err_size);
    bool ok = vt->unit != NULL;
    for (uint32_t i = 0; ok && i < vt->sms; i++) {
        wr_vt_unit *u = &vt->unit[i];
        char name[16];

        (void)snprintf(name, sizeof name, "sm%u", i);
        u->vt = vt;
        u->bay_unit = wr_bay_add_unit(vt->bay, name, WR_BAY_FREE);
        ok = wr_vt_unit_open(u, c, err, err_size);
    }
    if (!ok) {
        destroy(&vt->base);
        return NULL;
    }
    if (vt->most_extra != 0) {
        vt->base.hooks = (wr_system_hooks){.self = vt,
                                           .launch_begin = on_launch_begin,
                                           .launch_end = on_launch_end,
                                           .tb_done = on_tb_done,
                                           .warp_stalled = on_stalled,
                                           .warp_woken = on_woken,
                                           .warp_loaded = on_loaded,
                                           .warp_passed = on_passed,
                                           .warp_done = on_done,
                                           .gpu_cycle = on_gpu_cycle,
                                           .next_cycle = on_next_cycle,
                                           .takes_tbs = true};
    }
    return &vt->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_vt *vt = (const wr_vt *)system;
    wr_vt_counts all = {0};

    for (uint32_t i = 0; i < vt->sms; i++) {
        const wr_vt_counts *c = &vt->unit[i].counts;

        all.swaps += c->swaps;
        all.lines += c->lines;
        all.cycles += c->cycles;
        all.most = c->most > all.most ? c->most : all.most;
    }
    wr_report_section(r, "tbs", "TBs of an SM, of the last launch");
    (void)wr_report_count(r, "native", "that have warp slots", vt->native, "TBs");
    (void)wr_report_count(r, "capacity", "that registers and shared memory hold", vt->capacity,
                          "TBs");
    (void)wr_report_count(r, "most", "placed by the system at once, most", all.most, "TBs");
    wr_report_section(r, "swaps", "TBs that changed places");
    (void)wr_report_count(r, "count", "swaps", all.swaps, "");
    (void)wr_report_count(r, "lines", "lines of state moved", all.lines, "");
    (void)wr_report_count(r, "cycles", "cycles in which they moved, all SMs", all.cycles, "cycles");
}

const wr_system_type wr_virtual_thread_type = {
    .name = "virtual_thread",
    .summary = "TBs up to the capacity of registers and shared memory take turns in the warp slots",
    .paper = "Yoon et al., ISCA 2016; Lin-D 3.6.8",
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
