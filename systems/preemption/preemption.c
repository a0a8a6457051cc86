/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption system: options, hooks, and what the GPU's events mean to its parts (state.h).
 *
 * An SM gives way because a signal says so, or because a launch of higher priority waits. Who gives
 * way leaves as the scheme says and comes back, so that no launch ever loses a TB.
 */
#include "systems/preemption/state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FAR (UINT64_C(1) << 40) /* cycles and signals that no run gets to */

enum {
    OPT_PERIOD,
    OPT_SM,
    OPT_FIRST,
    OPT_COUNT,
    OPT_RANDOM_CYCLES,
    OPT_SEED,
    OPT_SCHEME,
    OPT_IDEMPOTENCE,
    OPT_CONSTRAINT,
    OPT_SMS,
    OPT_IN_PLACE,
    OPT_DEMAND,
    OPT_CONTEXT,
    OPT_PAG,
    OPT_PIPELINES,
    OPT_NUMBER
};

static const char *const picks[] = {[WR_PICK_ROTATE] = "rotate", [WR_PICK_RANDOM] = "random", NULL};
static const char *const schemes[] = {[WR_SCHEME_SWITCH] = "switch",
                                      [WR_SCHEME_DRAIN] = "drain",
                                      [WR_SCHEME_FLUSH] = "flush",
                                      [WR_SCHEME_CHIMERA] = "chimera",
                                      NULL};
static const char *const idempotences[] = {[WR_STRICT] = "strict", [WR_RELAXED] = "relaxed", NULL};
enum { BLOCK_WIDE, WARP_WIDE };
static const char *const groups[] = {[BLOCK_WIDE] = "block", [WARP_WIDE] = "warp", NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_PERIOD] = {.name = "period",
                    .kind = WR_OPTION_NUMBER,
                    .max = FAR,
                    .unit = "cycles",
                    .preset = "10000",
                    .doc =
                        "cycles between two signals, their mean with random_cycles; 0: no signals"},
    [OPT_SM] = {.name = "sm",
                .kind = WR_OPTION_NUMBER_OR_WORD,
                .below = {"sms", offsetof(wr_gpu_config, sms)},
                .words = picks,
                .preset = "rotate",
                .doc = "SM of signal n: n mod the number of SMs, a random one, or always this one"},
    [OPT_FIRST] = {.name = "first",
                   .kind = WR_OPTION_NUMBER,
                   .max = FAR,
                   .preset = "",
                   .doc = "cycle of the first signal; one period where not given"},
    [OPT_COUNT] = {.name = "count",
                   .kind = WR_OPTION_NUMBER,
                   .max = FAR,
                   .unit = "signals",
                   .preset = "0",
                   .doc = "no signal after this many; 0 = no end"},
    [OPT_RANDOM_CYCLES] = {.name = "random_cycles",
                           .kind = WR_OPTION_FLAG,
                           .preset = "0",
                           .doc = "1: the distance of two signals is random, 1 to 2 x period - 1"},
    [OPT_SEED] = {.name = "seed",
                  .kind = WR_OPTION_NUMBER,
                  .max = UINT64_MAX,
                  .preset = "1",
                  .doc = "of the random SMs and cycles"},
    [OPT_SCHEME] = {.name = "scheme",
                    .kind = WR_OPTION_CHOICE,
                    .words = schemes,
                    .preset = "switch",
                    .doc =
                        "how TBs leave: their contexts are saved, they run to their ends, they are "
                        "discarded and begin anew, or Chimera's choice of these for each TB"},
    [OPT_IDEMPOTENCE] = {.name = "idempotence",
                         .kind = WR_OPTION_CHOICE,
                         .words = idempotences,
                         .preset = "relaxed",
                         .doc =
                             "what may be discarded: TBs of launches that are idempotent, or also "
                             "those that have not yet executed an instruction that is not"},
    [OPT_CONSTRAINT] = {.name = "constraint",
                        .kind = WR_OPTION_NUMBER,
                        .min = 1,
                        .max = FAR,
                        .unit = "cycles",
                        .preset = "",
                        .doc =
                            "latency that Chimera stays below where it can; 15 us where not given"},
    [OPT_SMS] = {.name = "sms",
                 .kind = WR_OPTION_NUMBER,
                 .min = 1,
                 .max = WR_CONFIG_MAX_SMS,
                 .preset = "",
                 .doc = "SMs that give way to one launch at a time; all where not given"},
    [OPT_IN_PLACE] =
        {.name = "in_place",
         .kind = WR_OPTION_FLAG,
         .preset = "0",
         .doc = "1: the allocation tables say where thread blocks lie, and what of those that "
                "leave may stay where it is"},
    [OPT_DEMAND] =
        {.name = "demand",
         .kind = WR_OPTION_LIST,
         .most = 3,
         .max = 1 << 20,
         .preset = "",
         .doc = "what signals make room for, in place: vector registers and bytes of shared "
                "memory of a TB, and how many TBs, e.g. 104:1128:6; all leave where not given"},
    [OPT_CONTEXT] = {.name = "context",
                     .kind = WR_OPTION_CHOICE,
                     .words = wr_context_kind_names,
                     .preset = "warp",
                     .doc = "registers that are saved: live ones, compressed warp by warp; live "
                            "ones, as they are; all; compressed over the TB where it stands at a "
                            "barrier"},
    [OPT_PAG] = {.name = "pag",
                 .kind = WR_OPTION_CHOICE,
                 .words = groups,
                 .preset = "block",
                 .doc = "lanes that context=warp and tb compress together: as many as blockDim.x "
                        "where that is 8 or 16, else 32; or always 32"},
    [OPT_PIPELINES] = {.name = "pipelines",
                       .kind = WR_OPTION_NUMBER,
                       .min = 1,
                       .max = WR_CONTEXT_PIPELINES,
                       .preset = "1",
                       .doc = "warps that an SM saves at a time, each through a context_saver of "
                              "its own; more than one for context=warp alone"},
};

/* Sizes that the context format fixes. */
static const wr_system_need needs[] = {
    {{"sm.warp_size", offsetof(wr_gpu_config, sm.warp_size)}, 32, 32},
    {{"sm.max_tbs", offsetof(wr_gpu_config, sm.max_tbs)}, 1, WR_CONFIG_MAX_TBS},
    {{"context.segment_bytes", offsetof(wr_gpu_config, context.segment_bytes)},
     WR_CTX_SEGMENT,
     WR_CTX_SEGMENT},
    {{"context.pad_bytes", offsetof(wr_gpu_config, context.pad_bytes)}, 32, 32},
    {{"context.pointer_bytes", offsetof(wr_gpu_config, context.pointer_bytes)}, 8, 8},
};

static const char *const blocks[] = {"context_saver",    "context_restorer", "context_sequencer",
                                     "liveness_decoder", "reg_compressor",   "tb_compressor",
                                     "reg_decompressor", "alloc_table",      NULL};

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_preemption *p = self;
    uint64_t now = wr_gpu_cycle(gpu);

    if (p->busy != 0) {
        wr_preempt_settle(p);
    }
    bool moves = p->has_rivals || p->absent_count != 0;

    if (moves) { /* before signals, which else could take every SM as it gets ready */
        wr_preempt_bring_back(p, now);
        wr_preempt_rivals_cycle(p, now);
    }
    wr_preempt_signals_cycle(p, now);
    if (moves) {
        wr_preempt_doors(p);
    }
    if (p->options.in_place) {
        wr_preempt_deal(p);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_preemption *p = self;
    uint64_t next = wr_preempt_signals_next(p);

    if (p->has_rivals || p->absent_count != 0) {
        uint64_t rivals = wr_preempt_rivals_next(p, now);
        uint64_t back = wr_preempt_back_next(p, now);

        next = rivals < next ? rivals : next;
        next = back < next ? back : next;
    }
    return next > now ? next : now + 1;
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    wr_preempt_sm_cycle(self, wr_sm_id(sm));
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t slot)
{
    wr_preemption *p = self;
    wr_preempt_unit *unit = &p->units[wr_sm_id(sm)];

    unit->placed_at[slot] = wr_gpu_cycle(p->gpu);
    unit->flushes[slot] = 0; /* not of the TB that was here before */
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    wr_preemption *p = self;

    if (p->options.in_place) {
        p->begun[stream]--;
    }
    wr_preempt_tb_done(p, wr_sm_id(sm), slot);
}

/* The kernel's row; those that find none share the last one. */
static uint8_t row_of(wr_preemption *p, const char *name)
{
    uint32_t row = 0;

    while (row < p->kernels && strncmp(p->kernel[row].name, name, WR_PREEMPT_NAME - 1) != 0) {
        row++;
    }
    if (row == WR_PREEMPT_KERNELS) {
        row--;
        (void)snprintf(p->kernel[row].name, WR_PREEMPT_NAME, "(further kernels)");
    } else if (row == p->kernels) {
        (void)snprintf(p->kernel[row].name, WR_PREEMPT_NAME, "%s", name);
        p->kernels++;
    }
    return (uint8_t)row;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_preemption *p = self;
    wr_context_area *area = &p->area[stream];

    p->gpu = gpu;
    assert(wr_gpu_sm_count(gpu) == p->sm_count);
    p->kernel_of[stream] = row_of(p, launch->kernel->name);
    uint64_t tbs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

    if (p->options.in_place && (stream >= WR_PLACES_KERNELS || tbs > WR_PLACES_TBS)) {
        (void)snprintf(p->refused, sizeof p->refused,
                       "preemption with in_place=1 tells %d streams apart, and %d thread blocks of "
                       "a grid: the allocation tables have 3 and 16 bits for their numbers",
                       WR_PLACES_KERNELS, WR_PLACES_TBS);
        wr_gpu_refuse(gpu, p->refused);
        return;
    }
    if (!wr_context_launch(area, gpu, launch, p->options.context, p->sm_count * p->tbs_per_sm,
                           "preemption", p->refused, sizeof p->refused)) {
        wr_gpu_refuse(gpu, p->refused);
        return;
    }
    if (p->options.warp_groups) {
        area->pag = WR_PAG_32;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        p->units[id].full = false;
    }
    p->has_rivals = wr_preempt_has_rivals(p);
    wr_preempt_doors(p);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_preemption *p = self;

    (void)stream;
    p->has_rivals = wr_preempt_has_rivals(p);
    if (wr_gpu_launches(gpu) == 0) {
        wr_preempt_drop(p);
    }
    wr_preempt_doors(p);
}

static void read_options(wr_preemption *p, const wr_gpu_config *cfg, const wr_option_value *values)
{
    const wr_option_value *sm = &values[OPT_SM];
    const wr_option_value *first = &values[OPT_FIRST];

    p->options = (wr_preempt_options){
        .period = values[OPT_PERIOD].number,
        .count = values[OPT_COUNT].number,
        .random_cycles = values[OPT_RANDOM_CYCLES].number == 1,
        .pick = sm->is_word ? (wr_preempt_pick)sm->word : WR_PICK_FIXED,
        .fixed_sm = (uint32_t)sm->number,
        .scheme = (wr_scheme)values[OPT_SCHEME].word,
        .idempotence = (wr_idempotence)values[OPT_IDEMPOTENCE].word,
        .constraint = values[OPT_CONSTRAINT].given ? values[OPT_CONSTRAINT].number
                                                   : UINT64_C(15) * cfg->clock.core_mhz,
        .most_sms = values[OPT_SMS].given ? (uint32_t)values[OPT_SMS].number : cfg->sms,
        .context = (wr_context_kind)values[OPT_CONTEXT].word,
        .warp_groups = values[OPT_PAG].word == WARP_WIDE,
        .pipelines = (uint32_t)values[OPT_PIPELINES].number,
    };
    p->options.in_place = values[OPT_IN_PLACE].number == 1;
    if (values[OPT_DEMAND].given) {
        const uint64_t *demand = values[OPT_DEMAND].list;

        p->options.demand.registers = (uint32_t)demand[0] * 32;
        p->options.demand.shared_bytes = (uint32_t)demand[1];
        p->options.demand_tbs = (uint32_t)demand[2];
    }
    wr_preempt_signals_start(p, values[OPT_SEED].number, first->given, first->number);
}

static void destroy(wr_system *system)
{
    wr_preemption *p = (wr_preemption *)system;

    for (uint32_t id = 0; p->units && id < p->sm_count; id++) {
        wr_context_engine_close(&p->units[id].engine);
        wr_places_close(&p->units[id].places);
    }
    free(p->units);
    free(p->waiting);
    free(p->absent);
    free(p->records);
    free(p);
}

/* Units and their ports stay in place from here on. */
static void fill_bay(wr_preemption *p)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        char name[16];

        (void)snprintf(name, sizeof name, "sm%" PRIu32, id);
        uint32_t unit = wr_bay_add_unit(p->bay, name, WR_BAY_SESSIONS);

        for (uint32_t b = 0; b < p->units[id].engine.ports; b++) {
            wr_bay_add_port(p->bay, unit, p->units[id].engine.port[b], NULL);
        }
        for (uint32_t t = 0; t < WR_PLACES_TABLES && p->options.in_place; t++) {
            wr_bay_add_port(p->bay, unit, &p->units[id].places.table[t].port.port, NULL);
        }
    }
    for (uint32_t s = 0; s < WR_CONTEXT_STATES; s++) {
        p->state_names[s] = wr_context_state_name((wr_context_state)s);
    }
    p->signal[WR_PREEMPT_SM] = wr_bay_add_signal(p->bay, 0, "sm", 8, NULL, 0);
    p->signal[WR_PREEMPT_STATE] =
        wr_bay_add_signal(p->bay, 0, "state", 4, p->state_names, WR_CONTEXT_STATES);
    p->signal[WR_PREEMPT_SAVED_WARP] = wr_bay_add_signal(p->bay, 0, "warp", 8, NULL, 0);
}

static bool make_units(wr_preemption *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    p->units = calloc(p->sm_count, sizeof *p->units);
    p->waiting = calloc(p->sm_count, sizeof *p->waiting);
    p->absent_most = WR_MAX_STREAMS * p->sm_count * p->tbs_per_sm;
    p->absent = calloc(p->absent_most, sizeof *p->absent);
    p->records = calloc(WR_PREEMPT_RECORDS, sizeof *p->records);
    if (!p->units || !p->waiting || !p->absent || !p->records) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        if (!wr_context_engine_open(&p->units[id].engine, setup->cfg, wr_bay_behind(p->bay),
                                    p->owner, p->area, p->options.context, p->options.pipelines,
                                    err, err_size)) {
            return false;
        }
        if (p->options.in_place && !wr_places_open(&p->units[id].places, setup->cfg,
                                                   wr_bay_behind(p->bay), err, err_size)) {
            return false;
        }
    }
    return true;
}

/* Bytes that an SM gets of DRAM in a core cycle where all take as much. */
static double memory_share(const wr_gpu_config *cfg)
{
    double a_clock = (double)cfg->dram.channels * cfg->dram.burst_bytes / cfg->dram.burst_clocks;

    return a_clock * cfg->clock.dram_mhz / cfg->clock.core_mhz / cfg->sms;
}

/* What no single option shows. */
static bool fits(const wr_preempt_options *o, const wr_system_setup *setup, char *err,
                 size_t err_size)
{
    const wr_option_value *demand = &setup->values[OPT_DEMAND];
    const wr_sm_config *sm = &setup->cfg->sm;
    const char *what = NULL;

    if (o->in_place && o->scheme != WR_SCHEME_SWITCH) {
        what = "in_place=1 goes with scheme=switch alone";
    } else if (o->in_place && sm->max_tbs > 16) {
        what = "in_place=1 takes SMs of up to 16 TBs: the allocation tables have 32 entries";
    } else if (demand->given && !o->in_place) {
        what = "demand goes with in_place=1";
    } else if (o->pipelines > 1 && o->context != WR_CONTEXT_BY_WARP) {
        what = "pipelines above 1 go with context=warp alone";
    } else if (demand->given &&
               (demand->count != 3 || demand->list[0] == 0 || demand->list[2] == 0 ||
                demand->list[0] * demand->list[2] > sm->registers / 32 ||
                demand->list[1] * demand->list[2] > sm->shared_bytes ||
                demand->list[2] > sm->max_tbs)) {
        what = "demand is vector registers, bytes of shared memory and number of TBs that fit an "
               "empty SM, as 104:1128:6";
    }
    if (what) {
        (void)snprintf(err, err_size, "system preemption: %s", what);
    }
    return what == NULL;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    wr_preemption *p = wr_system_alloc(sizeof *p, err, err_size);

    if (!p) {
        return NULL;
    }
    p->bay = setup->bay;
    p->owner = setup->owner;
    p->sm_count = setup->cfg->sms;
    p->tbs_per_sm = setup->cfg->sm.max_tbs;
    p->sm_bytes_per_cycle = memory_share(setup->cfg);
    p->base.hooks = (wr_system_hooks){
        .self = p,
        .gpu_cycle = on_gpu_cycle,
        .sm_cycle = on_sm_cycle,
        .next_cycle = on_next_cycle,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
        .tb_placed = on_tb_placed,
        .tb_done = on_tb_done,
    };
    read_options(p, setup->cfg, setup->values);
    p->base.hooks.takes_tbs = p->options.in_place;
    if (!fits(&p->options, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    if (!make_units(p, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    fill_bay(p);
    return &p->base;
}

const wr_system_type wr_preemption_type = {
    .name = "preemption",
    .summary = "thread blocks give way to signals and launches of higher priority, and come back",
    .paper = "Lin-P III, IV",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .needs_points = true,
    .create = create,
    .destroy = destroy,
    .report = wr_preemption_report,
};
