/* SPDX-License-Identifier: Apache-2.0 */
/* Co-simulation of one block: see cosim.h. */
#include "testbench/cosim.h"

#include "dpi/block_wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 8 }; /* runs from reset; the reset comes in the midst of the block's work */

typedef struct bench {
    const wr_cosim_options *o;
    const wr_stim *stim;
    void *model;
    void *state;
    wr_port port;
    wr_wave_recorder *wave;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} bench;

/* Cycles until the run is over, a pin differs, or the simulator stops. */
static void play(bench *b, uint64_t seed, uint64_t cycles, wr_cosim_result *result)
{
    memset(b->out, 0, sizeof(b->out));
    memset(b->state, 0, b->stim->state_size);
    b->stim->init(b->state, b->o->cfg, seed);
    for (uint64_t cycle = 0; cycle < cycles && !result->stopped; cycle++) {
        memset(b->in, 0, b->o->block->in_size);
        b->stim->next(b->state, cycle, b->out, b->in);
        wr_port_eval(&b->port, b->in, b->out);
        b->stim->cover(b->state, b->in, b->out, result->hits);
        wr_port_tick(&b->port, b->in);
        result->stopped = wr_port_stopped(&b->port);
        if (wr_port_mismatch(&b->port) != NULL) {
            return;
        }
    }
}

static bool prepare(bench *b, char *err, size_t err_size)
{
    const wr_cosim_options *o = b->o;

    if (b->stim == NULL) {
        (void)snprintf(err, err_size, "%s: has no stimulus", o->block->name);
        return false;
    }
    b->model = calloc(1, o->block->state_size);
    b->state = calloc(1, b->stim->state_size);
    if (b->model == NULL || b->state == NULL || b->stim->bins > WR_COSIM_BINS_MAX) {
        (void)snprintf(err, err_size, "%s: out of memory, or too many coverage bins",
                       o->block->name);
        return false;
    }
    if (!wr_port_open(&b->port, o->block, o->backend, o->cfg, b->model, o->lib, o->seed, err,
                      err_size)) {
        return false;
    }
    if (o->rtl_wave != NULL && !wr_port_trace_rtl(&b->port, o->rtl_wave)) {
        (void)snprintf(err, err_size, "%s: cannot be written", o->rtl_wave);
        return false;
    }
    if (o->wave != NULL) {
        b->wave = wr_wave_attach(&b->port, o->wave, err, err_size);
        return b->wave != NULL;
    }
    return true;
}

bool wr_cosim_run(const wr_cosim_options *o, wr_cosim_result *result, char *err, size_t err_size)
{
    bench b = {.o = o, .stim = wr_stim_find(o->block->name)};
    bool good = prepare(&b, err, err_size);

    memset(result, 0, sizeof(*result));
    if (good) {
        const char *first;
        for (uint64_t e = 0; e < EPISODES && wr_port_mismatch(&b.port) == NULL; e++) {
            if (e > 0) {
                wr_port_reset(&b.port);
            }
            play(&b, o->seed + e, o->cycles * (e + 1) / EPISODES - o->cycles * e / EPISODES,
                 result);
        }
        result->stats = wr_port_get_stats(&b.port);
        first = wr_port_mismatch(&b.port);
        (void)snprintf(result->first, sizeof(result->first), "%s", first != NULL ? first : "");
        if (first != NULL && o->ring != NULL) {
            good = wr_wave_dump(&b.port, o->ring, err, err_size);
        }
    }
    if (b.wave != NULL && !wr_wave_detach(b.wave) && good) {
        (void)snprintf(err, err_size, "%s: its saved view cannot be written", o->wave);
        good = false;
    }
    wr_port_close(&b.port);
    free(b.model);
    free(b.state);
    return good;
}
