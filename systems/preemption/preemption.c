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
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpi/block_wave.h"

enum { GAP = 100 }; /* cycles */

enum {
    OPT_PERIOD,
    OPT_SM,
    OPT_FIRST,
    OPT_COUNT,
    OPT_RANDOM_CYCLES,
    OPT_SEED,
    OPT_BLOCKS,
    OPT_WAVE,
    OPT_RECORD,
    OPT_KEEP,
    OPT_DUMP,
    OPT_NUMBER
};

static const wr_system_option options[OPT_NUMBER] = {
    [OPT_PERIOD] = {"period", "cycles, at least 1", "10000",
                    "cycles between two signals; their mean with random_cycles"},
    [OPT_SM] = {"sm", "rotate|random|NUMBER", "rotate",
                "SM of signal n: n mod the number of SMs, a random one, or always this one"},
    [OPT_FIRST] = {"first", "cycle", "", "cycle of the first signal; one period where not given"},
    [OPT_COUNT] = {"count", "signals", "0", "no signal after this many; 0 = no end"},
    [OPT_RANDOM_CYCLES] = {"random_cycles", "0|1", "0",
                           "1: the distance of two signals is random, 1 to 2 x period - 1"},
    [OPT_SEED] = {"seed", "number", "1", "of the random SMs and cycles"},
    [OPT_BLOCKS] = {"blocks", "model|rtl|lockstep", "model", "what stands behind the blocks' pins"},
    [OPT_WAVE] = {"wave", "file", "", "FST waveform of the preempted SM's blocks"},
    [OPT_RECORD] = {"record", "folder", "", "vectors of the blocks, one file each"},
    [OPT_KEEP] = {"keep", "preemptions", "2", "how many preemptions wave and record cover"},
    [OPT_DUMP] = {"dump", "file", "mismatch.fst",
                  "last 1,000 cycles of a block that differs from its model"},
};

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
    bool any = false;

    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        any |= wr_sm_tb(sm, t).valid;
    }
    if (!any) {
        p->signals.idle++;
        return;
    }
    memcpy(p->kernels_at[id], p->kernel_of, sizeof p->kernel_of);
    wr_sm_close(sm, 0, WR_ALL_STREAMS);
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

/* Ends the run; of a block that differs from its model the last cycles are kept. */
static void fail(wr_preemption *p, wr_context_engine *unit)
{
    (void)snprintf(p->failed, sizeof p->failed, "%s", unit->message);
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        wr_port *port = wr_context_engine_port(unit, b);
        size_t used = strlen(p->failed);
        char err[512];

        if (!wr_port_mismatch(port)) {
            continue;
        }
        if (wr_wave_dump(port, p->dump_path, err, sizeof err)) {
            (void)snprintf(p->failed + used, sizeof p->failed - used, "; its last cycles are in %s",
                           p->dump_path);
        } else {
            (void)snprintf(p->failed + used, sizeof p->failed - used, "; %s", err);
        }
        break;
    }
    wr_gpu_abort(p->gpu, p->failed);
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
    if (p->trace) {
        wr_preempt_trace_before(p->trace, id, wr_gpu_cycle(p->gpu));
    }
    wr_context_engine_step(unit, sm);
    bool ended = bring_back(p, id, sm);

    if (p->trace) {
        wr_preempt_trace_after(p->trace, id, ended);
    }
    if (ended) {
        wr_sm_close(sm, 0, 0);
        end_preemption(p, id);
    } else if (unit->state == WR_CONTEXT_FAILED) {
        fail(p, unit);
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

        (void)snprintf(p->failed, sizeof p->failed,
                       "preemption has to save up to %u TBs of %" PRIu64
                       " bytes, for which the buffers leave no room in simulated memory: make the "
                       "buffers smaller, or lower sms or sm.max_tbs (--set)",
                       p->sm_count * p->tbs_per_sm, tb_bytes);
        wr_gpu_refuse(gpu, p->failed);
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
        wr_sm_close(wr_gpu_sm(gpu, id), 0, 0);
    }
}

static bool read_number(const char *option, const char *text, uint64_t min, uint64_t max,
                        uint64_t *value, char *err, size_t err_size)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >= min &&
        *value <= max) {
        return true;
    }
    (void)snprintf(err, err_size,
                   "system preemption: %s=%s is not a whole number from %" PRIu64 " to %" PRIu64,
                   option, text, min, max);
    return false;
}

/* NULL, or why no file of this path can be made or overwritten. Leaves no trace. */
static const char *why_not_writable(const char *path)
{
    char folder[sizeof((wr_preemption *)NULL)->dump_path];
    struct stat st;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;

    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            return "not a regular file";
        }
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    if (errno != ENOENT || path[n] == '\0') {
        return strerror(errno);
    }
    memcpy(folder, path, n);
    memcpy(folder + n, ".", 2);
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

static bool read_options(wr_preemption *p, const char *const *values, char *err, size_t err_size)
{
    wr_preempt_options *o = &p->options;
    const uint64_t far = UINT64_C(1) << 40;
    uint64_t random_cycles;
    uint64_t keep;
    uint64_t sm = 0;

    if (!read_number("period", values[OPT_PERIOD], 1, far, &o->period, err, err_size) ||
        !read_number("count", values[OPT_COUNT], 0, far, &o->count, err, err_size) ||
        !read_number("seed", values[OPT_SEED], 0, UINT64_MAX, &o->seed, err, err_size) ||
        !read_number("keep", values[OPT_KEEP], 0, 1000, &keep, err, err_size) ||
        !read_number("random_cycles", values[OPT_RANDOM_CYCLES], 0, 1, &random_cycles, err,
                     err_size)) {
        return false;
    }
    o->keep = (uint32_t)keep;
    o->random_cycles = random_cycles == 1;
    if (strcmp(values[OPT_SM], "rotate") == 0) {
        o->pick = WR_PICK_ROTATE;
    } else if (strcmp(values[OPT_SM], "random") == 0) {
        o->pick = WR_PICK_RANDOM;
    } else if (read_number("sm", values[OPT_SM], 0, p->sm_count - 1, &sm, err, err_size)) {
        o->pick = WR_PICK_FIXED;
        o->fixed_sm = (uint32_t)sm;
    } else {
        (void)snprintf(err, err_size,
                       "system preemption: sm=%s is not rotate, random or a number from 0 to %u",
                       values[OPT_SM], p->sm_count - 1);
        return false;
    }
    if (!wr_backend_parse(values[OPT_BLOCKS], &o->backend)) {
        (void)snprintf(err, err_size, "system preemption: blocks=%s is not model, rtl or lockstep",
                       values[OPT_BLOCKS]);
        return false;
    }
    if (strlen(values[OPT_DUMP]) >= sizeof p->dump_path) {
        (void)snprintf(err, err_size, "system preemption: the path in dump is too long");
        return false;
    }
    memcpy(p->dump_path, values[OPT_DUMP], strlen(values[OPT_DUMP]) + 1);
    const char *why = o->backend == WR_BACKEND_LOCKSTEP ? why_not_writable(p->dump_path) : NULL;

    if (why) {
        (void)snprintf(err, err_size, "system preemption: dump=%s cannot be written: %s",
                       p->dump_path, why);
        return false;
    }
    p->random = o->seed;
    if (values[OPT_FIRST][0] == '\0') {
        o->first = distance(p);
    } else if (!read_number("first", values[OPT_FIRST], 0, far, &o->first, err, err_size)) {
        return false;
    }
    p->next = o->first;
    return true;
}

static void destroy(wr_system *system)
{
    wr_preemption *p = (wr_preemption *)system;

    wr_preempt_trace_free(p->trace);
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

static bool make_units(wr_preemption *p, const wr_gpu_config *cfg, const char *const *values,
                       char *err, size_t err_size)
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
        if (!wr_context_engine_open(&p->units[id], cfg, p->options.backend, 0, p->area, err,
                                    err_size)) {
            return false;
        }
    }
    if (values[OPT_WAVE][0] || values[OPT_RECORD][0]) {
        p->trace = wr_preempt_trace_open(p->units, p->sm_count, values[OPT_WAVE],
                                         values[OPT_RECORD], p->options.keep, err, err_size);
        if (!p->trace) {
            return false;
        }
    }
    return true;
}

static wr_system *create(const wr_gpu_config *cfg, const char *const *values, char *err,
                         size_t err_size)
{
    wr_preemption *p = calloc(1, sizeof *p);

    if (!p) {
        (void)snprintf(err, err_size, "out of memory");
        return NULL;
    }
    p->sm_count = cfg->sms;
    p->tbs_per_sm = cfg->sm.max_tbs;
    p->base.type = &wr_preemption_type;
    p->base.hooks = (wr_system_hooks){
        .self = p,
        .gpu_cycle = on_gpu_cycle,
        .sm_cycle = on_sm_cycle,
        .next_cycle = on_next_cycle,
        .launch_begin = on_launch_begin,
        .launch_end = on_launch_end,
    };
    if (!read_options(p, values, err, err_size) || !make_units(p, cfg, values, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    return &p->base;
}

static bool finish(wr_system *system, char *err, size_t err_size)
{
    wr_preemption *p = (wr_preemption *)system;

    return !p->trace || wr_preempt_trace_finish(p->trace, err, err_size);
}

static wr_fst *wave(const wr_system *system)
{
    const wr_preemption *p = (const wr_preemption *)system;

    return p->trace ? wr_preempt_trace_fst(p->trace) : NULL;
}

const wr_system_type wr_preemption_type = {
    .name = "preemption",
    .summary = "preempts SMs by signals: context save, eviction and restore (Lin-P)",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .destroy = destroy,
    .finish = finish,
    .print = wr_preemption_print,
    .rows = wr_preemption_rows,
    .wave = wave,
};
