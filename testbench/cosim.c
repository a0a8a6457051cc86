/* SPDX-License-Identifier: Apache-2.0 */
/* Co-simulation of one block: see cosim.h. */
#include "testbench/cosim.h"

#include "dpi/block_wave.h"
#include "dpi/checker.h"
#include "files/replace.h"
#include "testbench/rows.h"
#include "testbench/traffic.h"
#include "testbench/wild.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORTEST = 256,     /* cycles of an episode that keeps the protocol, but the last */
    LENGTHS = 9,        /* of episodes, each twice the one before */
    DIRECTED_EACH = 32, /* so many episodes one begins with the directed cases */
    BEHIND = 64,        /* bound of the cycles behind a fault; or 16 times this */
};

typedef struct bench {
    const wr_cosim_options *o;
    const wr_stim *stim;
    void *model;
    void *ahead; /* another one */
    void *state;
    wr_port port;
    wr_wave_recorder *wave;
    wr_replace rtl_wave;      /* Verilator's */
    const wr_pin_desc *fault; /* NULL: the block has none */
    bool leads;               /* the RTL is late: the stimulus sees the model's outputs */
    bool reached;             /* o->until */
    uint64_t left;            /* cycles of the run */
    uint64_t kept;            /* episodes that kept the protocol */
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} bench;

/* The faults of the episode; first 0: it keeps the protocol. */
static wr_faults faults_of(const bench *b)
{
    wr_faults none = {0};

    if (b->stim->faults == 0) {
        return none;
    }
    return *(const wr_faults *)((const uint8_t *)b->state + b->stim->faults_at);
}

/* Cycles that an episode goes on for behind its fault. What the fault has left behind shows late
 * with some kinds, so of each the first time in four is long. */
static uint64_t behind(const wr_faults *faults, uint64_t seed)
{
    return seed * 37 % BEHIND * (faults->round % 4 == 0 ? 16 : 1);
}

/* Half of the episodes that keep the protocol last one unit, a quarter two units, and so on, the
 * longest the 64th; directed cases have eight, and so have those with a fault, which mostly end
 * with it. */
static uint64_t length_of(bench *b, uint32_t kind, bool directed)
{
    const uint64_t part = b->o->cycles >> 11;
    const uint64_t unit = part > SHORTEST ? part : SHORTEST;
    uint64_t length = unit * 8;

    b->kept += kind == 0;
    if (kind == 0 && !directed) {
        const int twos = __builtin_ctzll(b->kept + (1u << (LENGTHS - 2)));
        length = unit << (twos < LENGTHS ? twos : LENGTHS - 1);
    }
    return length < b->left ? length : b->left;
}

/* Whether the fault shows that the episode, which is at this cycle, is about. */
static bool fault_shows(const bench *b, uint32_t kind, uint64_t cycle, wr_cosim_result *result)
{
    if (b->fault == NULL || wr_pin_value(b->fault, b->out, 0) == 0) {
        return false;
    }
    if (kind == 0 && b->stim->faults > 0 && result->stray[0] == '\0' &&
        wr_port_mismatch(&b->port) == NULL) { /* else it may be the RTL's own */
        (void)snprintf(result->stray, sizeof(result->stray),
                       "fault in cycle %" PRIu64 " of episode %" PRIu64
                       ", whose stimulus should keep the protocol",
                       cycle, result->episodes);
    }
    return kind != 0;
}

static bool is_asked_to_stop(const wr_cosim_options *o)
{
    return o->stop != NULL && *o->stop != 0;
}

/* Whether the run is over before its cycles are. */
static bool is_over(const bench *b, const wr_cosim_result *result)
{
    return result->stopped || b->reached || is_asked_to_stop(b->o) ||
           wr_port_mismatch(&b->port) != NULL;
}

/* One cycle with the inputs at hand; outputs are those before the clock edge, as whatever gives the
 * inputs sees them. False: it is the one in front of which the run stops. */
static bool clock_once(bench *b, wr_cosim_result *result)
{
    const wr_cosim_options *o = b->o;

    if (o->until > 0 && wr_port_get_stats(&b->port).cycles == o->until) {
        uint32_t words[WR_MAX_WORDS];
        (void)wr_pack(o->block, WR_IN, o->cfg, b->in, words);
        wr_checker_on_broken(b->port.checker, words, b->port.words_out);
        b->reached = true;
        return false;
    }
    wr_port_eval(&b->port, b->in, b->out);
    if (b->leads) {
        o->block->eval(wr_checker_model(b->port.checker), b->in, b->out);
    }
    wr_port_tick(&b->port, b->in);
    result->stopped = wr_port_stopped(&b->port);
    return true;
}

/* The rows, and as many cycles behind them without a result as the RTL may be late. */
static void play_rows(bench *b, wr_cosim_result *result)
{
    const wr_cosim_options *o = b->o;
    const wr_align align = o->own != NULL ? o->own->align : (wr_align){0};
    const wr_rows r = wr_rows_of(o->block, o->cfg, align);
    const wr_pin_desc *valid = r.ready != NULL ? wr_block_pin(o->block, WR_OUT, "valid") : NULL;
    const uint64_t behind = align.kind == WR_ALIGN_CYCLES ? 0 : align.cycles + UINT64_C(2);
    uint64_t at = 0;
    uint64_t cycle = 0;

    for (uint64_t still = 0; (at < o->rows_count || still < behind) && !is_over(b, result);
         cycle++) {
        wr_rows_get(&r, o->rows, o->rows_count, at, cycle, b->in);
        if (!clock_once(b, result)) {
            break;
        }
        result->episode.faults = result->episode.faults || (b->fault != NULL && !result->stopped &&
                                                            wr_pin_value(b->fault, b->out, 0) != 0);
        still = at < o->rows_count || (valid != NULL && wr_pin_value(valid, b->out, 0) != 0)
                    ? 0
                    : still + 1;
        at += !wr_rows_wait(&r, b->in, b->out);
    }
    result->episodes = 1;
    result->episode.cycles = cycle;
    b->left = 0;
}

/* One episode, or less where a pin differs or the simulator stops. */
static void play(bench *b, uint64_t seed, wr_cosim_result *result)
{
    memset(b->out, 0, sizeof(b->out));
    memset(b->state, 0, b->stim->state_size);
    b->stim->init(b->state, b->o->cfg, seed, false);

    const wr_faults faults = faults_of(b);
    const uint32_t kind = faults.first;
    const bool directed = kind == 0 && b->kept % DIRECTED_EACH == 0;
    const uint64_t length = length_of(b, kind, directed);
    uint64_t end = length;
    uint64_t cycle = 0;
    bool shown = false;

    if (directed) {
        memset(b->state, 0, b->stim->state_size);
        b->stim->init(b->state, b->o->cfg, seed, true);
    }
    for (; cycle < end && !is_over(b, result); cycle++) {
        memset(b->in, 0, b->o->block->in_size);
        b->stim->next(b->state, cycle, b->out, b->in);
        if (!clock_once(b, result)) {
            break;
        }
        b->stim->cover(b->state, b->in, b->out, result->hits);
        if (!shown && !result->stopped && fault_shows(b, kind, cycle, result)) {
            shown = true;
            result->first_faults[kind]++;
            end = cycle + 1 + behind(&faults, seed);
            end = end < length ? end : length;
        }
    }
    b->left -= cycle;
    result->episodes++;
    result->episode.seed = seed;
    result->episode.cycles = cycle;
    result->episode.directed = directed;
    result->episode.faults = kind != 0;
}

/* Behind all others, and beside them: an eighth as many cycles as the run has, wild ones. */
static void play_wild(bench *b, wr_cosim_result *result)
{
    const wr_cosim_options *o = b->o;
    const uint64_t budget = o->cycles / 8;

    for (uint64_t n = 0; result->wild_cycles < budget && !is_over(b, result); n++) {
        const uint64_t seed = 2 * (o->seed + n) + 1;
        wr_wild wild;
        uint64_t cycle = 0;

        wr_port_reset(&b->port);
        memset(b->in, 0, sizeof(b->in));
        memset(b->out, 0, sizeof(b->out));
        if (!wr_wild_begin(&wild, o->block, o->cfg, b->stim, seed, b->state, b->ahead)) {
            break;
        }
        for (; cycle < wild.length && !is_over(b, result); cycle++) {
            wr_wild_inputs(&wild, o->block, o->cfg, b->stim, b->state, cycle, b->out, b->in);
            if (!clock_once(b, result)) {
                break;
            }
        }
        result->wild_cycles += cycle;
        result->wild_episodes++;
        result->episode.seed = seed;
        result->episode.cycles = cycle;
        result->episode.directed = false;
        result->episode.faults = true;
        result->episode.wild = true;
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
    b->ahead = calloc(1, o->block->state_size);
    b->state = calloc(1, b->stim->state_size);
    if (b->model == NULL || b->ahead == NULL || b->state == NULL ||
        b->stim->bins + b->stim->near_count > WR_COSIM_BINS_MAX ||
        b->stim->faults > WR_COSIM_FAULTS_MAX) {
        (void)snprintf(err, err_size, "%s: out of memory, or too many coverage bins or faults",
                       o->block->name);
        return false;
    }
    if (!wr_port_open(&b->port, o->block, o->backend, o->cfg, b->model, o->own, o->seed, err,
                      err_size)) {
        return false;
    }
    if (o->pins_only) {
        wr_port_pins_only(&b->port);
    }
    if (o->observer != NULL) {
        wr_port_observe(&b->port, o->observer);
    }
    if (o->rtl_wave != NULL && !(wr_replace_open_name(&b->rtl_wave, o->rtl_wave) &&
                                 wr_port_trace_rtl(&b->port, b->rtl_wave.beside))) {
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
    bench b = {.o = o,
               .stim = wr_stim_find(o->block->name),
               .fault = wr_block_pin(o->block, WR_OUT, "fault"),
               .leads = o->own != NULL && o->own->align.kind == WR_ALIGN_LATENCY,
               .left = o->cycles};
    const bool ran = prepare(&b, err, err_size);
    bool good = ran;

    memset(result, 0, sizeof(*result));
    if (good) {
        const char *first;
        while (b.left > 0 && !is_over(&b, result)) {
            if (result->episodes > 0) {
                wr_port_reset(&b.port);
            }
            if (o->rows != NULL) {
                play_rows(&b, result);
            } else {
                play(&b, o->seed + result->episodes, result);
            }
        }
        result->stats = wr_port_get_stats(&b.port);
        if (o->rows == NULL && !o->no_wild &&
            (o->own == NULL || o->own->align.kind == WR_ALIGN_CYCLES)) {
            play_wild(&b, result);
        }
        result->wild_checks = wr_port_get_stats(&b.port).comparisons - result->stats.comparisons;
        result->stats.mismatches = wr_port_get_stats(&b.port).mismatches;
        result->registers = wr_port_registers(&b.port);
        first = wr_port_mismatch(&b.port);
        (void)snprintf(result->first, sizeof(result->first), "%s", first != NULL ? first : "");
        if (o->until == 0) {
            wr_port_finish(&b.port);
            result->stopped = wr_port_stopped(&b.port);
        }
        (void)snprintf(result->ended, sizeof(result->ended), "%s", wr_port_stop_text(&b.port));
        if (is_asked_to_stop(o) && result->first[0] == '\0' && result->ended[0] == '\0') {
            (void)snprintf(result->ended, sizeof(result->ended), "by a signal");
        } else if (o->ring != NULL && is_over(&b, result) &&
                   wr_checker_ring_count(b.port.checker) > 0) {
            wr_last_inputs_take(&result->last, b.port.checker, o->last);
            good = wr_wave_dump(&b.port, o->ring, err, err_size);
            result->has_ring = good;
        }
        if (good && o->coverage != NULL && !wr_port_write_coverage(&b.port, o->coverage)) {
            (void)snprintf(result->cut, sizeof(result->cut), "%s: cannot be written", o->coverage);
        }
    }
    const bool whole = b.wave == NULL || wr_wave_detach(b.wave, result->cut, sizeof(result->cut));

    wr_port_close(&b.port);
    if (b.rtl_wave.path != NULL) {
        const bool kept = ran && wr_fst_is_whole(b.rtl_wave.beside);

        if (!(wr_replace_close(&b.rtl_wave, kept) && kept) && ran && whole) {
            (void)snprintf(result->cut, sizeof(result->cut), "%s: " WR_FST_CUT, o->rtl_wave);
        }
    }
    free(b.model);
    free(b.ahead);
    free(b.state);
    return good;
}
