/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving out cycles and pins: see shrink.h. */
#include "vectors/shrink.h"

#include "dpi/checker.h"
#include "testbench/rows.h"
#include "testbench/wild.h"
#include "vectors/vectors.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 20000000 }; /* cycles of trials; what is found by then stands */

typedef struct shrink {
    const wr_cosim_options *o;
    void *model;
    wr_port port;
    const wr_pin_desc *fault; /* NULL: the block has none, or the episode broke the protocol */
    bool leads;               /* the RTL is late: what counts is the model's */
    wr_rows how;
    uint32_t *rows, *trial;
    uint64_t played;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} shrink;

/* One cycle with the inputs at hand. s->out: what the stimulus sees. */
static void clock_once(shrink *s)
{
    wr_port_eval(&s->port, s->in, s->out);
    if (s->leads) {
        s->o->block->eval(wr_checker_model(s->port.checker), s->in, s->out);
    }
    wr_port_tick(&s->port, s->in);
}

/* Plays so many rows from reset; cycles up to the mismatch, 0: there is none. w, unless NULL, gets
 * each cycle with the outputs that it should have. */
static uint64_t play(shrink *s, const uint32_t *rows, uint64_t count, wr_vectors_writer *w)
{
    uint64_t at = 0;

    wr_port_forget(&s->port);
    wr_port_reset(&s->port);
    for (uint64_t i = 0; i < count && !wr_port_stopped(&s->port); i++) {
        s->played++;
        wr_rows_get(&s->how, rows, count, at, i, s->in);
        clock_once(s);
        at += !wr_rows_wait(&s->how, s->in, s->out);
        if (w != NULL) {
            const uint32_t last = wr_checker_ring_count(s->port.checker) - 1;
            const wr_ring_cycle c = wr_checker_ring_at(s->port.checker, last);
            wr_vectors_row(w, c.in, c.expected);
        }
        if (wr_port_mismatch(&s->port) != NULL) {
            return i + 1;
        }
        if (s->fault != NULL && wr_pin_value(s->fault, s->out, 0) != 0) {
            return 0;
        }
    }
    return 0;
}

/* Takes over the trial where it still fails. */
static bool better(shrink *s, uint64_t count, uint64_t *left)
{
    const uint64_t end = play(s, s->trial, count, NULL);

    if (end == 0) {
        return false;
    }
    memcpy(s->rows, s->trial, end * s->how.words * sizeof *s->rows);
    *left = end;
    return true;
}

static bool without(shrink *s, uint64_t from, uint64_t chunk, uint64_t *left)
{
    const uint64_t end = from + chunk < *left ? from + chunk : *left;
    const size_t row = s->how.words * sizeof *s->rows;

    memcpy(s->trial, s->rows, from * row);
    memcpy(s->trial + from * s->how.words, s->rows + end * s->how.words, (*left - end) * row);
    return better(s, *left - (end - from), left);
}

static uint64_t leave_out_cycles(shrink *s, uint64_t left)
{
    for (uint64_t chunk = left / 2; chunk > 0 && s->played < BUDGET;) {
        bool some = false;
        for (uint64_t at = 0; at < left && s->played < BUDGET;) {
            if (without(s, at, chunk, &left)) {
                some = true;
            } else {
                at += chunk;
            }
        }
        chunk = chunk > 1 ? chunk / 2 : some;
    }
    return left;
}

static uint64_t set_pins_to_0(shrink *s, uint64_t left)
{
    const wr_block_desc *block = s->o->block;

    for (uint64_t row = 0; row < left && s->played < BUDGET; row++) {
        for (size_t p = 0; p < block->ins_count && row < left; p++) {
            const wr_pin_desc *pin = &block->pins[p];
            uint32_t *at = s->trial + row * s->how.words;

            memcpy(s->trial, s->rows, left * s->how.words * sizeof *s->rows);
            wr_unpack(block, WR_IN, s->o->cfg, at, s->in);
            memset(s->in + pin->offset, 0, pin->elem_bytes * (size_t)wr_pin_count(pin, s->o->cfg));
            (void)wr_pack(block, WR_IN, s->o->cfg, s->in, at);
            if (memcmp(s->trial, s->rows, left * s->how.words * sizeof *s->rows) != 0) {
                (void)better(s, left, &left);
            }
        }
    }
    return left;
}

/* The inputs of the failing episode, of the stimulus or of the rows that it played, and how many;
 * 0: it does not fail from a fresh start. */
static uint64_t record(shrink *s, const wr_cosim_result *failed)
{
    const wr_cosim_options *o = s->o;
    const wr_stim *stim = wr_stim_find(o->block->name);
    void *state = calloc(1, stim->state_size);
    void *ahead = calloc(1, o->block->state_size);
    uint64_t cycle = 0;
    uint64_t at = 0;
    wr_wild wild;

    memset(s->in, 0, sizeof s->in);
    if (state == NULL || ahead == NULL ||
        !wr_wild_begin(&wild, o->block, o->cfg, stim, failed->episode.seed, state, ahead)) {
        free(state);
        free(ahead);
        return 0;
    }
    memset(state, 0, stim->state_size);
    stim->init(state, o->cfg, failed->episode.seed, failed->episode.directed);
    memset(s->out, 0, sizeof s->out);
    for (; cycle < failed->episode.cycles && wr_port_mismatch(&s->port) == NULL; cycle++) {
        if (o->rows != NULL) {
            wr_rows_get(&s->how, o->rows, o->rows_count, at, cycle, s->in);
        } else if (failed->episode.wild) {
            wr_wild_inputs(&wild, o->block, o->cfg, stim, state, cycle, s->out, s->in);
        } else {
            memset(s->in, 0, sizeof s->in);
            stim->next(state, cycle, s->out, s->in);
        }
        clock_once(s);
        wr_rows_put(&s->how, s->rows, at, cycle, s->in);
        at += !wr_rows_wait(&s->how, s->in, s->out);
    }
    free(state);
    free(ahead);
    return wr_port_mismatch(&s->port) != NULL ? play(s, s->rows, cycle, NULL) : 0;
}

/* The cycles as they were played, with the outputs that each should have. */
static bool write_rows(shrink *s, uint64_t left, const char *path, char *err, size_t err_size)
{
    const wr_block_desc *block = s->o->block;
    wr_vectors_writer w;

    if (!wr_vectors_create(&w, path, block, s->o->cfg, s->o->seed, 0, err, err_size)) {
        return false;
    }
    (void)play(s, s->rows, left, &w);
    if (!wr_vectors_finish(&w)) {
        (void)snprintf(err, err_size, "%s: writing failed", path);
        return false;
    }
    return true;
}

/* Shrinks the rows, which end with the mismatch. */
static bool shrink_it(shrink *s, uint64_t left, bool faults, const char *path,
                      wr_shrink_result *result, char *err, size_t err_size)
{
    s->fault = faults ? NULL : wr_block_pin(s->o->block, WR_OUT, "fault");
    result->from = left;
    left = leave_out_cycles(s, left);
    left = set_pins_to_0(s, left);
    left = leave_out_cycles(s, left);
    result->to = left;
    if (!write_rows(s, left, path, err, err_size)) {
        return false;
    }
    (void)snprintf(result->text, sizeof result->text, "%s", wr_port_mismatch(&s->port));
    return true;
}

static bool open_shrink(shrink *s, const wr_cosim_options *o, uint64_t cycles, char *err,
                        size_t err_size)
{
    const wr_align align = o->own != NULL ? o->own->align : (wr_align){0};

    *s = (shrink){.o = o, .how = wr_rows_of(o->block, o->cfg, align)};
    s->model = calloc(1, o->block->state_size);
    s->rows = calloc(cycles, s->how.words * sizeof *s->rows);
    s->trial = calloc(cycles, s->how.words * sizeof *s->rows);
    if (s->model == NULL || s->rows == NULL || s->trial == NULL) {
        (void)snprintf(err, err_size, "not shrunk: out of memory");
        return false;
    }
    if (!wr_port_open(&s->port, o->block, WR_BACKEND_LOCKSTEP, o->cfg, s->model, o->own, o->seed,
                      err, err_size)) {
        return false;
    }
    if (o->pins_only) {
        wr_port_pins_only(&s->port);
    }
    s->leads = align.kind == WR_ALIGN_LATENCY;
    return true;
}

static void close_shrink(shrink *s)
{
    wr_port_close(&s->port);
    free(s->model);
    free(s->rows);
    free(s->trial);
}

bool wr_shrink(const wr_cosim_options *o, const wr_cosim_result *failed, const char *path,
               wr_shrink_result *result, char *err, size_t err_size)
{
    shrink s;
    bool good = open_shrink(&s, o, failed->episode.cycles, err, err_size);
    const uint64_t cycles = good ? record(&s, failed) : 0;

    memset(result, 0, sizeof *result);
    if (good && cycles == 0) {
        (void)snprintf(err, err_size,
                       "not shrunk: the mismatch does not come back from reset alone (a register "
                       "that its reset forgets?)");
        good = false;
    }
    good = good && shrink_it(&s, cycles, failed->episode.faults, path, result, err, err_size);
    close_shrink(&s);
    return good;
}
