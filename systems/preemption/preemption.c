/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption signals and the units that answer them (Lin-P III, IV, V.A).
 *
 * Every `period` cycles a signal goes to one SM: its TBs are saved, evicted and at once brought
 * back (P30). Signals are decided here; what one SM does about a signal is its unit's.
 *
 * - A signal on an SM without TBs does nothing and is counted.
 * - A signal on an SM that is busy with an earlier one, or less than GAP cycles past it, is
 *   deferred until then; of several such signals one is kept. The gap lets resumed warps pass
 *   the preemption point that they stand at, so that signals without end cannot keep a kernel
 *   from ever making progress.
 * - While a unit works no TB is placed on its SM: the room belongs to those that come back.
 */
#include "systems/preemption/state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 100 };             /* cycles */
#define FAR (UINT64_C(1) << 40) /* cycles and signals that no run gets to */

enum { OPT_PERIOD, OPT_SM, OPT_FIRST, OPT_COUNT, OPT_RANDOM_CYCLES, OPT_SEED, OPT_NUMBER };

static const char *const picks[] = {[WR_PICK_ROTATE] = "rotate", [WR_PICK_RANDOM] = "random", NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_PERIOD] = {.name = "period",
                    .kind = WR_OPTION_NUMBER,
                    .min = 1,
                    .max = FAR,
                    .unit = "cycles",
                    .preset = "10000",
                    .doc = "cycles between two signals; their mean with random_cycles"},
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

static const char *const blocks[] = {"context_saver", "context_restorer", NULL};

static uint64_t draw(wr_preemption *p) /* splitmix64 */
{
    uint64_t z = (p->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t distance(wr_preemption *p)
{
    uint64_t period = p->options.period;

    return p->options.random_cycles ? 1 + draw(p) % (2 * period - 1) : period;
}

static uint32_t choose_sm(wr_preemption *p)
{
    assert(p->sm_count > 0);
    switch (p->options.pick) {
    case WR_PICK_ROTATE:
        return (uint32_t)(p->signals.due % p->sm_count);
    case WR_PICK_RANDOM:
        return (uint32_t)(draw(p) % p->sm_count);
    default:
        return p->options.fixed_sm;
    }
}

/* A unit that is ready gets its signal now. */
static void raise_signal(wr_preemption *p, uint32_t id)
{
    wr_sm *sm = wr_gpu_sm(p->gpu, id);

    if (wr_sm_tb_count(sm, WR_ALL_STREAMS) == 0) {
        p->signals.idle++;
        return;
    }
    memcpy(p->kernels_at[id], p->kernel_of, sizeof p->kernel_of);
    wr_sm_close(sm, p->owner, WR_ALL_STREAMS);
    (void)wr_context_engine_save(&p->units[id], sm, WR_ALL_TBS);
}

static bool ready(const wr_preemption *p, uint32_t id, uint64_t now)
{
    return p->units[id].state == WR_CONTEXT_IDLE && now >= p->ready_at[id];
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_preemption *p = self;
    uint64_t now = wr_gpu_cycle(gpu);

    for (uint32_t id = 0; p->waiting_count > 0 && id < p->sm_count; id++) {
        if (p->waiting[id] && ready(p, id, now)) {
            p->waiting[id] = false;
            p->waiting_count--;
            raise_signal(p, id);
        }
    }
    while (p->next <= now) {
        uint32_t id = choose_sm(p);

        if (p->waiting[id]) {
            p->signals.merged++;
        } else if (ready(p, id, now)) {
            raise_signal(p, id);
        } else {
            p->signals.deferred++;
            p->waiting[id] = true;
            p->waiting_count++;
        }
        p->signals.due++;
        p->next += distance(p);
        if (p->options.count != 0 && p->signals.due == p->options.count) {
            p->next = UINT64_MAX;
        }
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_preemption *p = self;
    uint64_t next = p->next;

    for (uint32_t id = 0; p->waiting_count > 0 && id < p->sm_count; id++) {
        if (p->waiting[id] && p->units[id].state == WR_CONTEXT_IDLE && p->ready_at[id] < next) {
            next = p->ready_at[id];
        }
    }
    return next > now ? next : now + 1;
}

static void add_figure(wr_preempt_figure *figure, uint32_t value, bool is_first)
{
    figure->sum += value;
    if (is_first || value < figure->min) {
        figure->min = value;
    }
    if (is_first || value > figure->max) {
        figure->max = value;
    }
}

static void end_preemption(wr_preemption *p, uint32_t id)
{
    const wr_context_record *record = &p->units[id].record;
    bool is_first = p->signals.done == 0;

    p->ready_at[id] = wr_gpu_cycle(p->gpu) + GAP;
    if (record->sums.tbs == 0) {
        p->signals.drained++;
        return;
    }
    add_figure(&p->latency, record->latency, is_first);
    add_figure(&p->drain, record->drain, is_first);
    add_figure(&p->spill, record->spill, is_first);
    add_figure(&p->stop, record->stop, is_first);
    add_figure(&p->restore, record->restore, is_first);
    wr_context_sums_add(&p->sums, &record->sums);
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        wr_context_sums_add(&p->kernel[p->kernels_at[id][i]].sums, &p->units[id].sums[i]);
    }
    if (p->signals.done < WR_PREEMPT_RECORDS) {
        p->records[p->signals.done] = *record;
    }
    p->signals.done++;
}

/* Once the SM's TBs are all in memory they come back, in the order of their old slots. True: the
 * last of them is back, or there was none. */
static bool bring_back(wr_preemption *p, uint32_t id, wr_sm *sm)
{
    wr_context_engine *unit = &p->units[id];
    wr_preempt_away *away = &p->away[id];

    for (uint32_t i = 0; i < unit->event_count; i++) {
        const wr_context_event *event = &unit->event[i];

        if (event->what == WR_CONTEXT_SAVED) {
            away->tb[event->slot] = event->tb;
            away->slots |= UINT64_C(1) << event->slot;
        }
    }
    if (!wr_context_engine_idle(unit)) {
        return false;
    }
    bool all_back = away->slots == 0;

    for (; away->slots != 0; away->slots &= away->slots - 1) {
        (void)wr_context_engine_restore(unit, sm, &away->tb[__builtin_ctzll(away->slots)]);
    }
    return all_back;
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    wr_preemption *p = self;
    uint32_t id = wr_sm_id(sm);
    wr_context_engine *unit = &p->units[id];

    if (unit->state == WR_CONTEXT_IDLE || unit->state == WR_CONTEXT_FAILED) {
        return;
    }
    if (wr_bay_begin(p->bay, id, wr_gpu_cycle(p->gpu))) {
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_SM], unit->record.sm);
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_STATE], unit->state);
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_SAVED_WARP],
                   unit->state == WR_CONTEXT_WARP ? unit->save.job.warp : 0);
    }
    wr_context_engine_step(unit, sm);
    bool ended = bring_back(p, id, sm);

    if (wr_bay_end(p->bay, id) && ended) {
        wr_bay_set(p->bay, p->signal[WR_PREEMPT_STATE], WR_CONTEXT_IDLE);
    }
    if (ended) {
        wr_bay_session_over(p->bay, id);
        wr_sm_close(sm, p->owner, 0);
        end_preemption(p, id);
    } else if (unit->state == WR_CONTEXT_FAILED) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, id, unit->message));
    }
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
    if (!wr_context_area_prepare(area, gpu, launch, p->sm_count * p->tbs_per_sm)) {
        uint64_t tb_bytes = (uint64_t)area->regs_bytes + area->shared_room + area->stack_bytes;

        (void)snprintf(p->refused, sizeof p->refused,
                       "preemption has to save up to %u TBs of %" PRIu64
                       " bytes, for which the buffers leave no room in simulated memory: make the "
                       "buffers smaller, or lower sms or sm.max_tbs (--set)",
                       p->sm_count * p->tbs_per_sm, tb_bytes);
        wr_gpu_refuse(gpu, p->refused);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_preemption *p = self;

    (void)stream;
    if (wr_gpu_launches(gpu) != 0) {
        return; /* the units go on */
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        if (p->units[id].state != WR_CONTEXT_IDLE && p->units[id].state != WR_CONTEXT_FAILED) {
            p->signals.drained += p->units[id].record.sums.tbs == 0;
        }
        wr_context_engine_drop(&p->units[id], wr_gpu_sm(gpu, id));
        wr_sm_close(wr_gpu_sm(gpu, id), p->owner, 0);
    }
}

static void read_options(wr_preemption *p, const wr_option_value *values)
{
    const wr_option_value *sm = &values[OPT_SM];
    const wr_option_value *first = &values[OPT_FIRST];

    p->options = (wr_preempt_options){
        .period = values[OPT_PERIOD].number,
        .count = values[OPT_COUNT].number,
        .random_cycles = values[OPT_RANDOM_CYCLES].number == 1,
        .pick = sm->is_word ? (wr_preempt_pick)sm->word : WR_PICK_FIXED,
        .fixed_sm = (uint32_t)sm->number,
    };
    p->random = values[OPT_SEED].number;
    p->next = first->given ? first->number : distance(p);
}

static void destroy(wr_system *system)
{
    wr_preemption *p = (wr_preemption *)system;

    for (uint32_t id = 0; p->units && id < p->sm_count; id++) {
        wr_context_engine_close(&p->units[id]);
    }
    free(p->units);
    free(p->away);
    free(p->waiting);
    free(p->ready_at);
    free(p->kernels_at);
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

        for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
            wr_bay_add_port(p->bay, unit, wr_context_engine_port(&p->units[id], b), NULL);
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
    p->away = calloc(p->sm_count, sizeof *p->away);
    p->waiting = calloc(p->sm_count, sizeof *p->waiting);
    p->ready_at = calloc(p->sm_count, sizeof *p->ready_at);
    p->kernels_at = calloc(p->sm_count, sizeof *p->kernels_at);
    p->records = calloc(WR_PREEMPT_RECORDS, sizeof *p->records);
    if (!p->units || !p->away || !p->waiting || !p->ready_at || !p->kernels_at || !p->records) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t id = 0; id < p->sm_count; id++) {
        if (!wr_context_engine_open(&p->units[id], setup->cfg, wr_bay_behind(p->bay), p->owner,
                                    p->area, err, err_size)) {
            return false;
        }
    }
    return true;
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
    p->base.hooks = (wr_system_hooks){
        .self = p,
        .gpu_cycle = on_gpu_cycle,
        .sm_cycle = on_sm_cycle,
        .next_cycle = on_next_cycle,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
    };
    read_options(p, setup->values);
    if (!make_units(p, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    fill_bay(p);
    return &p->base;
}

const wr_system_type wr_preemption_type = {
    .name = "preemption",
    .summary = "preempts SMs by signals: context save, eviction and restore",
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
