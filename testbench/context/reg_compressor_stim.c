/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of reg_compressor. Directed: every kind of value under every PAG at full speed, then
 * again against a consumer that is ready one cycle in three. Then random kinds with gates. */
#include <string.h>

#include "refmodel/gen/reg_compressor_pins.h"
#include "testbench/context/register_values.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

static const char *const fault_names[] = {
    NULL,
    "reserved PAG",
};
enum { FAULT_KINDS = sizeof fault_names / sizeof fault_names[0] - 1 };

typedef struct state {
    wr_reg_compressor_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;          /* kind 1: the reserved PAG */
    wr_reg_compressor_in held; /* the offer that has not been taken */
    uint32_t offers;           /* registers offered so far */
    uint8_t flight_pag[3];     /* PAGs of the registers inside, oldest first */
    uint32_t flight;
    bool consumed; /* ready of the cycle before */
} state;

enum {
    DIRECTED_PASS = 3 * WR_VALUE_KINDS, /* registers of one directed pass */
    DIRECTED = 2 * DIRECTED_PASS,
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_reg_compressor_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->offers = with_directed ? 0 : DIRECTED;
}

static void offer(state *s, bool faulty)
{
    const uint32_t n = s->offers++;
    const bool directed = n < DIRECTED;
    const uint32_t kind = directed ? n % WR_VALUE_KINDS : wr_rng_below(&s->rng, WR_VALUE_KINDS);
    s->held.valid = true;
    s->held.tag = (uint8_t)(directed ? 63 - n % 64 : wr_rng_below(&s->rng, 64));
    s->held.pag = (uint8_t)(directed ? n / WR_VALUE_KINDS % 3 : wr_rng_below(&s->rng, 3));
    if (wr_faults_pick(&s->faults, faulty, 5, &s->rng) != 0) {
        s->held.pag = 3;
    }
    wr_value_fill(&s->rng, (wr_value_kind)kind, s->cfg.lanes, s->held.lane);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_reg_compressor_out *last = last_out;
    const bool taken = s->held.valid && last->ready;
    if (last->valid && s->consumed && s->flight > 0) {
        s->flight--;
        memmove(s->flight_pag, s->flight_pag + 1, s->flight);
    }
    if (taken && s->flight < sizeof s->flight_pag) {
        s->flight_pag[s->flight++] = s->held.pag < 3 ? s->held.pag : 2;
    }
    /* An offer may also be withdrawn: the block may not count on seeing it again. */
    if (taken || (s->offers > DIRECTED && wr_rng_chance(&s->rng, 3))) {
        s->held.valid = false;
    }
    const bool directed = s->offers < DIRECTED;
    if (!s->held.valid && (directed || wr_gate_open(&s->offer, &s->rng))) {
        offer(s, last->fault);
    }
    wr_reg_compressor_in *in = in_;
    *in = s->held;
    if (!in->valid) { /* noise on pins that mean nothing without valid */
        in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
        in->lane[0] = wr_rng_u32(&s->rng);
    }
    if (s->offers <= DIRECTED_PASS) {
        in->ready = true;
    } else if (directed) {
        in->ready = cycle % 3 == 0;
    } else {
        in->ready = wr_gate_open(&s->consume, &s->rng);
        wr_faults_step(&s->faults);
    }
    s->consumed = in->ready;
}

static const char *const bin_names[] = {
    "uniform, 8 lanes a group", "uniform, 16 lanes a group", "uniform, 32 lanes a group",
    "random, 8 lanes a group",  "random, 16 lanes a group",  "random, 32 lanes a group",
    "strided, 8 lanes a group", "strided, 16 lanes a group", "strided, 32 lanes a group",
    "output held back",         "input held back",           "input and output in one cycle",
    "empty and idle",           "strided, last stride 0",    "fault",
};
enum { BIN_HELD = 9, BIN_REFUSED, BIN_BOTH, BIN_IDLE, BIN_MIXED, BIN_FAULT, BINS };

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_reg_compressor_in *in = in_;
    const wr_reg_compressor_out *out = out_;
    if (out->valid && in->ready && out->pattern != 0 && s->flight > 0) {
        hits[3u * (out->pattern - 1u) + s->flight_pag[0]]++;
        hits[BIN_MIXED] += out->pattern == 3 && out->count > 0 && out->word[out->count - 1] == 0;
    }
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_REFUSED] += in->valid && !out->ready;
    hits[BIN_BOTH] += in->valid && out->ready && out->valid && in->ready;
    hits[BIN_IDLE] += !in->valid && !out->valid;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_reg_compressor_stim;
const wr_stim wr_reg_compressor_stim = {
    .block = "reg_compressor",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
