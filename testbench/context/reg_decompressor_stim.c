/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of reg_decompressor. Directed: every pattern under every PAG with telling words at
 * full speed, then against a consumer that is ready one cycle in three. Then random. Words past
 * a pattern's count carry noise, which the block must ignore. */
#include "refmodel/gen/reg_decompressor_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

static const char *const fault_names[] = {
    NULL,
    "reserved PAG",
};
enum { FAULT_KINDS = sizeof fault_names / sizeof fault_names[0] - 1 };

typedef struct state {
    wr_reg_decompressor_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;            /* kind 1: the reserved PAG */
    wr_reg_decompressor_in held; /* the offer that has not been taken */
    uint32_t offers;
} state;

enum {
    DIRECTED_PASS = 3 * 4 * 3, /* 3 sets of words, 4 patterns, 3 PAGs */
    DIRECTED = 2 * DIRECTED_PASS,
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_reg_decompressor_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->offers = with_directed ? 0 : DIRECTED;
}

static void offer(state *s, bool faulty)
{
    const uint32_t n = s->offers++;
    const bool directed = n < DIRECTED;
    s->held.valid = true;
    s->held.tag = (uint8_t)(directed ? n % 64 : wr_rng_below(&s->rng, 64));
    s->held.pattern = (uint8_t)(directed ? n % 4 : wr_rng_below(&s->rng, 4));
    s->held.pag = (uint8_t)(directed ? n / 4 % 3 : wr_rng_below(&s->rng, 3));
    if (wr_faults_pick(&s->faults, faulty, 5, &s->rng) != 0) {
        s->held.pag = 3;
    }
    for (uint32_t i = 0; i < s->cfg.lanes; i++) {
        if (!directed) {
            s->held.word[i] = wr_edge_value(&s->rng);
        } else if (n / 12 % 3 == 0) {
            s->held.word[i] = 1; /* lane number + 1 where strided */
        } else if (n / 12 % 3 == 1) {
            s->held.word[i] = i % 2 == 0 ? 0xffffffffu : 0x80000001u; /* carries and wraps */
        } else {
            s->held.word[i] = wr_rng_u32(&s->rng);
        }
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_reg_decompressor_out *last = last_out;
    const bool taken = s->held.valid && last->ready;
    /* An offer may also be withdrawn: the block may not count on seeing it again. */
    if (taken || (s->offers > DIRECTED && wr_rng_chance(&s->rng, 3))) {
        s->held.valid = false;
    }
    const bool directed = s->offers < DIRECTED;
    if (!s->held.valid && (directed || wr_gate_open(&s->offer, &s->rng))) {
        offer(s, last->fault);
    }
    wr_reg_decompressor_in *in = in_;
    *in = s->held;
    if (!in->valid) { /* noise on pins that mean nothing without valid */
        in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
        in->word[0] = wr_rng_u32(&s->rng);
    }
    if (s->offers <= DIRECTED_PASS) {
        in->ready = true;
    } else if (directed) {
        in->ready = cycle % 3 == 0;
    } else {
        in->ready = wr_gate_open(&s->consume, &s->rng);
        wr_faults_step(&s->faults);
    }
}

static const char *const bin_names[] = {
    "dead, 8 lanes a group",    "dead, 16 lanes a group",    "dead, 32 lanes a group",
    "uniform, 8 lanes a group", "uniform, 16 lanes a group", "uniform, 32 lanes a group",
    "random, 8 lanes a group",  "random, 16 lanes a group",  "random, 32 lanes a group",
    "strided, 8 lanes a group", "strided, 16 lanes a group", "strided, 32 lanes a group",
    "output held back",         "input held back",           "input and output in one cycle",
    "empty and idle",           "reserved PAG taken",        "fault",
};
enum { BIN_HELD = 12, BIN_REFUSED, BIN_BOTH, BIN_IDLE, BIN_PAG3, BIN_FAULT, BINS };

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    (void)state_;
    const wr_reg_decompressor_in *in = in_;
    const wr_reg_decompressor_out *out = out_;
    if (in->valid && out->ready) {
        hits[in->pag == 3 ? BIN_PAG3 : 3 * in->pattern + in->pag]++;
    }
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_REFUSED] += in->valid && !out->ready;
    hits[BIN_BOTH] += in->valid && out->ready && out->valid && in->ready;
    hits[BIN_IDLE] += !in->valid && !out->valid;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_reg_decompressor_stim;
const wr_stim wr_reg_decompressor_stim = {
    .block = "reg_decompressor",
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
