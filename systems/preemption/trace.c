/* SPDX-License-Identifier: Apache-2.0 */
/* Observers on the ports of all units, and what they write: see trace.h. */
#include "systems/preemption/trace.h"

#include "dpi/block_wave.h"
#include "vectors/vectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SIZE = 1024,
    HALF_CYCLE_NS = WR_WAVE_CYCLE_NS / 2,
    VIEW_ZOOM = 13, /* the view opens on the save of the first preemption */
};

/* One port's observer. */
typedef struct tap {
    wr_observer observer;
    wr_preempt_trace *trace;
    uint32_t unit, block;
    wr_vectors_writer vectors;
    bool recording;
} tap;

struct wr_preempt_trace {
    wr_context_engine *units;
    uint32_t count;
    tap *taps; /* count x WR_CONTEXT_BLOCKS */

    wr_fst *fst;
    wr_block_wave *block[WR_CONTEXT_BLOCKS];
    bool clocked[WR_CONTEXT_BLOCKS]; /* in this cycle */
    wr_fst_var sm, state, warp;
    uint32_t shown; /* unit in the waveform, count = none */
    uint32_t waves_left;
    uint64_t cycle;
    uint64_t first_cycle; /* of the waveform, UINT64_MAX = nothing is in it */

    uint32_t records_left;
    uint32_t files;
    uint64_t rows;
    bool *recorded; /* per unit: had its turn */
    char wave_path[PATH_SIZE], view_path[PATH_SIZE], record_path[PATH_SIZE];
    char broken[PATH_SIZE + 64]; /* the first file that failed */
};

static void on_cycle(void *ctx, const wr_port *port, const void *in, const void *out)
{
    tap *t = ctx;
    wr_preempt_trace *trace = t->trace;
    bool show = trace->shown == t->unit;
    uint32_t in_words[WR_MAX_WORDS] = {0};
    uint32_t out_words[WR_MAX_WORDS] = {0};

    if (!show && !t->recording) {
        return;
    }
    (void)wr_pack(port->block, WR_IN, port->cfg, in, in_words);
    (void)wr_pack(port->block, WR_OUT, port->cfg, out, out_words);
    if (t->recording) {
        wr_vectors_row(&t->vectors, in_words, out_words);
    }
    if (show) {
        wr_block_wave_cycle(trace->block[t->block], in_words, out_words, NULL);
        wr_block_wave_clock(trace->block[t->block], true);
        trace->clocked[t->block] = true;
    }
}

static bool open_wave(wr_preempt_trace *trace, char *err, size_t err_size)
{
    const char *const states = "state";
    const char *names[WR_CONTEXT_STATES];
    const char *slash = strrchr(trace->wave_path, '/');
    const char *dot = strrchr(slash ? slash : trace->wave_path, '.');
    int stem = dot ? (int)(dot - trace->wave_path) : (int)strlen(trace->wave_path);

    (void)snprintf(trace->view_path, sizeof trace->view_path, "%.*s.gtkw",
                   stem < PATH_SIZE - 8 ? stem : PATH_SIZE - 8, trace->wave_path);
    if (strcmp(trace->wave_path, trace->view_path) == 0) {
        (void)snprintf(err, err_size, "%s: the saved view goes there; name the wave .fst",
                       trace->wave_path);
        return false;
    }
    trace->fst = wr_fst_open(trace->wave_path);
    if (!trace->fst) {
        (void)snprintf(err, err_size, "%s: cannot be written", trace->wave_path);
        return false;
    }
    for (uint32_t s = 0; s < WR_CONTEXT_STATES; s++) {
        names[s] = wr_context_state_name((wr_context_state)s);
    }
    wr_fst_scope(trace->fst, "preemption");
    trace->sm = wr_fst_add(trace->fst, "sm", 8, 0);
    trace->state = wr_fst_add(trace->fst, states, 4,
                              wr_fst_enum_table(trace->fst, states, 4, names, WR_CONTEXT_STATES));
    trace->warp = wr_fst_add(trace->fst, "warp", 8, 0);
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        const wr_port *port = wr_context_engine_port(&trace->units[0], b);

        trace->block[b] =
            wr_block_wave_add(trace->fst, port->block->name, port->block, port->cfg, false);
        if (!trace->block[b]) {
            (void)snprintf(err, err_size, "out of memory");
            return false;
        }
    }
    wr_fst_upscope(trace->fst);
    return true;
}

/* Access rights do not tell (a file of that name, a full or odd file system): try it. */
static bool can_hold_files(const char *folder)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof path, "%s/.warpref-%ld", folder, (long)getpid());
    FILE *probe = fopen(path, "wb");

    if (!probe) {
        return false;
    }
    (void)fclose(probe);
    (void)unlink(path);
    return true;
}

wr_preempt_trace *wr_preempt_trace_open(wr_context_engine *units, uint32_t count, const char *wave,
                                        const char *record, uint32_t keep, char *err,
                                        size_t err_size)
{
    wr_preempt_trace *trace = calloc(1, sizeof *trace);

    if (trace) {
        trace->taps = calloc((size_t)count * WR_CONTEXT_BLOCKS, sizeof *trace->taps);
        trace->recorded = calloc(count, sizeof *trace->recorded);
    }
    if (!trace || !trace->taps || !trace->recorded) {
        (void)snprintf(err, err_size, "out of memory");
        wr_preempt_trace_free(trace);
        return NULL;
    }
    trace->units = units;
    trace->count = count;
    trace->shown = count;
    trace->first_cycle = UINT64_MAX;
    if (strlen(wave) >= PATH_SIZE || strlen(record) >= PATH_SIZE - 64) {
        (void)snprintf(err, err_size, "preemption: a path in wave or record is too long");
        wr_preempt_trace_free(trace);
        return NULL;
    }
    memcpy(trace->wave_path, wave, strlen(wave) + 1);
    memcpy(trace->record_path, record, strlen(record) + 1);
    trace->waves_left = wave[0] ? keep : 0;
    trace->records_left = record[0] ? keep : 0;
    if (record[0] && mkdir(record, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(err, err_size, "%s: cannot be made: %s", record, strerror(errno));
        wr_preempt_trace_free(trace);
        return NULL;
    }
    if (record[0] && !can_hold_files(record)) {
        (void)snprintf(err, err_size, "%s: vectors cannot be written there: %s", record,
                       strerror(errno));
        wr_preempt_trace_free(trace);
        return NULL;
    }
    if (wave[0] && !open_wave(trace, err, err_size)) {
        wr_preempt_trace_free(trace);
        return NULL;
    }
    for (uint32_t u = 0; u < count; u++) {
        for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
            tap *t = &trace->taps[u * WR_CONTEXT_BLOCKS + b];

            t->trace = trace;
            t->unit = u;
            t->block = b;
            t->observer = (wr_observer){.cycle = on_cycle, .ctx = t};
            wr_port_observe(wr_context_engine_port(&units[u], b), &t->observer);
        }
    }
    return trace;
}

static void begin_record(wr_preempt_trace *trace, uint32_t unit)
{
    trace->recorded[unit] = true;
    trace->records_left--;
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        tap *t = &trace->taps[unit * WR_CONTEXT_BLOCKS + b];
        const wr_port *port = wr_context_engine_port(&trace->units[unit], b);
        char path[PATH_SIZE + 128];
        char err[PATH_SIZE];

        (void)snprintf(path, sizeof path, "%s/sm%u_%s.hex", trace->record_path,
                       trace->units[unit].record.sm, port->block->name);
        t->recording =
            wr_vectors_create(&t->vectors, path, port->block, port->cfg, 0, err, sizeof err);
        if (t->recording) {
            trace->files++;
        } else if (!trace->broken[0]) {
            (void)snprintf(trace->broken, sizeof trace->broken, "%s", err);
        }
    }
}

static void end_record(wr_preempt_trace *trace, uint32_t unit)
{
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        tap *t = &trace->taps[unit * WR_CONTEXT_BLOCKS + b];

        if (!t->recording) {
            continue;
        }
        trace->rows += t->vectors.count;
        t->recording = false;
        if (!wr_vectors_finish(&t->vectors) && !trace->broken[0]) {
            (void)snprintf(trace->broken, sizeof trace->broken, "%s: a write failed",
                           trace->record_path);
        }
    }
}

void wr_preempt_trace_before(wr_preempt_trace *trace, uint32_t unit, uint64_t cycle)
{
    const wr_context_engine *u = &trace->units[unit];

    trace->cycle = cycle;
    if (trace->records_left > 0 && !trace->recorded[unit]) {
        begin_record(trace, unit);
    }
    if (trace->shown == trace->count && trace->waves_left > 0) {
        trace->shown = unit;
        trace->waves_left--;
        if (trace->first_cycle == UINT64_MAX) {
            trace->first_cycle = cycle;
        }
    }
    if (trace->shown == unit) {
        bool saving = u->state == WR_CONTEXT_WARP;

        wr_fst_time(trace->fst, cycle * WR_WAVE_CYCLE_NS);
        wr_fst_set(trace->fst, trace->sm, 8, u->record.sm);
        wr_fst_set(trace->fst, trace->state, 4, u->state);
        wr_fst_set(trace->fst, trace->warp, 8, saving ? u->save.job.warp : 0);
    }
}

void wr_preempt_trace_after(wr_preempt_trace *trace, uint32_t unit, bool ended)
{
    if (trace->shown == unit) {
        wr_fst_time(trace->fst, trace->cycle * WR_WAVE_CYCLE_NS + HALF_CYCLE_NS);
        for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
            if (trace->clocked[b]) {
                wr_block_wave_clock(trace->block[b], false);
            }
            trace->clocked[b] = false;
        }
        if (ended) {
            wr_fst_set(trace->fst, trace->state, 4, WR_CONTEXT_IDLE);
            trace->shown = trace->count;
        }
    }
    if (ended) {
        end_record(trace, unit);
    }
}

/* The pins of one direction, of an array the first element. */
static void view_side(wr_save *view, const wr_block_desc *block, wr_dir dir)
{
    const char *side = dir == WR_IN ? "in" : "out";
    char name[256];

    (void)snprintf(name, sizeof name, "%s %s", block->name, side);
    wr_save_comment(view, name);
    for (size_t p = 0; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];

        if (pin->dir != dir) {
            continue;
        }
        (void)snprintf(name, sizeof name, "preemption.%s.%s.%s%s", block->name, side, pin->name,
                       pin->is_array ? "[0]" : "");
        if (pin->codes && pin->width > 1) {
            wr_save_enum(view, name, pin->width);
        } else {
            wr_save_signal(view, name, pin->width);
        }
    }
}

static void view_block(wr_save *view, const wr_block_desc *block)
{
    char name[256];

    wr_save_comment(view, block->name);
    (void)snprintf(name, sizeof name, "preemption.%s.clk", block->name);
    wr_save_signal(view, name, 1);
    view_side(view, block, WR_IN);
    view_side(view, block, WR_OUT);
}

static bool write_view(const wr_preempt_trace *trace)
{
    const char *slash = strrchr(trace->wave_path, '/');
    wr_save *view = wr_save_open(trace->view_path, slash ? slash + 1 : trace->wave_path);

    if (!view) {
        return false;
    }
    if (trace->first_cycle != UINT64_MAX) {
        wr_save_place(view, trace->first_cycle * WR_WAVE_CYCLE_NS, VIEW_ZOOM);
    }
    wr_save_comment(view, "preemption unit");
    wr_save_signal(view, "preemption.sm", 8);
    wr_save_enum(view, "preemption.state", 4);
    wr_save_signal(view, "preemption.warp", 8);
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        view_block(view, wr_context_engine_port(&trace->units[0], b)->block);
    }
    return wr_save_close(view);
}

bool wr_preempt_trace_finish(wr_preempt_trace *trace, char *err, size_t err_size)
{
    for (uint32_t u = 0; u < trace->count; u++) {
        end_record(trace, u);
    }
    if (trace->fst) {
        wr_fst_close(trace->fst);
        trace->fst = NULL;
        trace->waves_left = 0;
        trace->shown = trace->count;
        if (!write_view(trace) && !trace->broken[0]) {
            (void)snprintf(trace->broken, sizeof trace->broken, "%s: cannot be written",
                           trace->view_path);
        }
    }
    if (trace->broken[0]) {
        (void)snprintf(err, err_size, "%s", trace->broken);
    }
    return !trace->broken[0];
}

void wr_preempt_trace_free(wr_preempt_trace *trace)
{
    char err[PATH_SIZE];

    if (!trace) {
        return;
    }
    if (trace->taps && trace->recorded) {
        (void)wr_preempt_trace_finish(trace, err, sizeof err);
    }
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        wr_block_wave_free(trace->block[b]);
    }
    free(trace->taps);
    free(trace->recorded);
    free(trace);
}

wr_fst *wr_preempt_trace_fst(const wr_preempt_trace *trace)
{
    return trace->fst;
}

const char *wr_preempt_trace_wave(const wr_preempt_trace *trace)
{
    return trace->wave_path;
}

const char *wr_preempt_trace_view(const wr_preempt_trace *trace)
{
    return trace->view_path;
}

const char *wr_preempt_trace_record(const wr_preempt_trace *trace)
{
    return trace->record_path;
}

uint32_t wr_preempt_trace_first(const wr_preempt_trace *trace)
{
    uint32_t unit = 0;

    while (unit + 1 < trace->count && !trace->recorded[unit]) {
        unit++;
    }
    return unit;
}

uint32_t wr_preempt_trace_files(const wr_preempt_trace *trace)
{
    return trace->files;
}

uint64_t wr_preempt_trace_rows(const wr_preempt_trace *trace)
{
    return trace->rows;
}
