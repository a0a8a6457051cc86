/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_unpacker: whole warps, each a pattern vector and the segments that it
 * needs.
 *
 * Directed warps: no register, one of each pattern under each PAG, register 63 alone, 64 random
 * registers at full speed, 64 uniform ones; in every third warp and at length in the last the
 * consumer is held back. Then random vectors with gates on both sides, and in runs with faults
 * every kind of them.
 */
#include "refmodel/gen/context_unpacker_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_BUSY,
    FAULT_BUSY_TAKE,
    FAULT_BUSY_LAST,
    FAULT_IDLE_SEG,
    FAULT_START_SEG,
    FAULT_PAG,
    FAULT_KINDS = FAULT_PAG,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_BUSY] = "start while busy",
    [FAULT_BUSY_TAKE] = "start while a register leaves",
    [FAULT_BUSY_LAST] = "start while the last register leaves",
    [FAULT_IDLE_SEG] = "segment while idle",
    [FAULT_START_SEG] = "segment in the cycle of a start",
    [FAULT_PAG] = "reserved PAG",
};

typedef struct state {
    wr_context_unpacker_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;

    uint32_t warps;         /* warps begun so far */
    uint32_t segments_left; /* that the warp's patterns still need */
    uint32_t wait;          /* cycles until the start just given shows on busy */
    uint32_t last_tag;      /* the warp's highest live register */
    bool taking;            /* ready_i in the cycle before */
    bool full_speed;
    uint32_t hold;               /* cycles for which the consumer takes nothing */
    wr_context_unpacker_in held; /* the segment that has not been taken */
} state;

enum { DIRECTED = 14 };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_context_unpacker_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->warps = with_directed ? 0 : DIRECTED;
}

static void put(uint32_t vec[4], uint32_t reg, uint32_t pattern)
{
    vec[reg / 16] |= pattern << (2 * (reg % 16));
}

static void directed_vector(const state *s, uint32_t vec[4])
{
    const uint32_t n = s->warps;
    if (n == 0) {
        return;
    }
    if (n <= 9) { /* pattern 1, 2, 3 under PAG 0, 1, 2, with a neighbour behind it */
        put(vec, 7 * n, (n - 1) % 3 + 1);
        put(vec, 7 * n == 63 ? 62 : 7 * n + 1, n % 3 + 1);
    } else if (n == 10) {
        put(vec, 63, 3);
    } else {
        for (uint32_t r = 0; r < 64; r++) {
            put(vec, r, n == 11 ? 2 : n == 12 ? 1 : r % 4);
        }
    }
}

static void random_vector(state *s, uint32_t vec[4])
{
    const uint32_t live = wr_rng_below(&s->rng, 101);
    const uint32_t random = wr_rng_below(&s->rng, 101);
    for (uint32_t r = 0; r < 64; r++) {
        if (wr_rng_chance(&s->rng, live)) {
            put(vec, r, wr_rng_chance(&s->rng, random) ? 2 : 1 + 2 * wr_rng_below(&s->rng, 2));
        }
    }
}

/* Words that a vector needs, counted here anew so that the block's rule is not taken for granted.
 */
static uint32_t words_needed(const uint32_t vec[4], uint32_t lanes, uint32_t pag)
{
    const uint32_t size = 8u << (pag > 2 ? 2 : pag);
    const uint32_t groups = (lanes + size - 1) / size;
    const uint32_t words[4] = {0, groups, lanes, 2 * groups};
    uint32_t sum = 0;
    for (uint32_t r = 0; r < 64; r++) {
        sum += words[vec[r / 16] >> (2 * (r % 16)) & 3u];
    }
    return sum;
}

static void start(state *s, bool faulty, wr_context_unpacker_in *in)
{
    const bool directed = s->warps < DIRECTED;
    in->start = true;
    if (directed) {
        in->pag = (uint8_t)(s->warps == 0 ? 0 : (s->warps - 1) / 3 % 3);
        directed_vector(s, in->pattern_vec);
        s->full_speed = s->warps < DIRECTED - 1;
        s->hold = s->warps == DIRECTED - 1 ? 12 : s->warps % 3 == 0 ? 4 : 0;
    } else {
        in->pag = (uint8_t)wr_rng_below(&s->rng, 3);
        const uint32_t fault = wr_faults_pick(&s->faults, faulty, 60, &s->rng);
        in->pag = fault == FAULT_PAG ? 3 : in->pag;
        in->seg_valid = in->seg_valid || fault == FAULT_START_SEG;
        random_vector(s, in->pattern_vec);
        s->full_speed = wr_rng_chance(&s->rng, 30);
        s->hold = wr_rng_chance(&s->rng, 20) ? 10 : 0;
    }
    const uint32_t seg = s->cfg.seg_words;
    s->segments_left = (words_needed(in->pattern_vec, s->cfg.lanes, in->pag) + seg - 1) / seg;
    /* A surplus segment may meet an idle block: only where a fault has shown already. */
    s->segments_left += faulty && wr_rng_chance(&s->rng, 20);
    for (uint32_t reg = 0; reg < 64; reg++) {
        s->last_tag = (in->pattern_vec[reg / 16] >> reg % 16 * 2 & 3u) != 0 ? reg : s->last_tag;
    }
    s->warps++;
    s->wait = 2;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_context_unpacker_out *last = last_out;
    wr_context_unpacker_in *in = in_;
    const bool directed = s->warps < DIRECTED;
    const bool taking = s->taking;

    if (s->held.seg_valid && last->seg_ready) {
        s->held.seg_valid = false;
        s->segments_left--;
    }
    if (s->wait > 0) {
        s->wait--;
    }
    if (last->fault && s->wait == 0 && !last->busy) {
        s->held.seg_valid = false;
        s->segments_left = 0;
    }
    if (!s->held.seg_valid && s->segments_left > 0 &&
        (s->full_speed || wr_gate_open(&s->offer, &s->rng))) {
        s->held.seg_valid = true;
        for (uint32_t i = 0; i < s->cfg.seg_words; i++) {
            s->held.seg_word[i] = wr_rng_u32(&s->rng);
        }
    }
    *in = s->held;
    if (s->hold > 0) {
        s->hold--;
    } else {
        in->ready = s->full_speed || wr_gate_open(&s->consume, &s->rng);
    }

    const bool free = s->wait == 0 && !last->busy && s->segments_left == 0;
    if (free && (directed || wr_rng_chance(&s->rng, 30))) {
        start(s, last->fault, in);
        s->taking = in->ready;
        return;
    }
    /* Noise on pins that mean nothing without start. */
    in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
    for (uint32_t i = 0; i < 4; i++) {
        in->pattern_vec[i] = wr_rng_u32(&s->rng);
    }
    if (!directed) {
        wr_faults_step(&s->faults);
        const uint32_t fault = wr_faults_pick(&s->faults, last->fault, 5, &s->rng);
        /* Busy without a register at the output, or with one that stands: busy in this cycle too.
         */
        const bool leaves = last->valid && !taking &&
                            fault == (last->tag == s->last_tag ? FAULT_BUSY_LAST : FAULT_BUSY_TAKE);
        in->start = leaves || (fault == FAULT_BUSY && last->busy && !last->valid);
        in->ready = in->ready || leaves;
        in->seg_valid = in->seg_valid || (fault == FAULT_IDLE_SEG && free);
    }
    s->taking = in->ready;
}

static const char *const bin_names[] = {
    "uniform, 8 lanes a group",
    "uniform, 16 lanes a group",
    "uniform, 32 lanes a group",
    "random, 8 lanes a group",
    "random, 16 lanes a group",
    "random, 32 lanes a group",
    "strided, 8 lanes a group",
    "strided, 16 lanes a group",
    "strided, 32 lanes a group",
    "segment and register in one cycle",
    "segment refused",
    "register held back",
    "waiting for words",
    "register 63",
    "start with no live register",
    "start while busy",
    "segment while idle",
    "segment in the cycle of a start",
    "reserved PAG",
    "fault",
};
enum {
    BIN_BOTH = 9,
    BIN_REFUSED,
    BIN_HELD,
    BIN_STARVED,
    BIN_REG_63,
    BIN_EMPTY,
    BIN_BUSY_START,
    BIN_IDLE_SEG,
    BIN_START_SEG,
    BIN_PAG3,
    BIN_FAULT,
    BINS,
};

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_unpacker_in *in = in_;
    const wr_context_unpacker_out *out = out_;
    const bool leaves = out->valid && in->ready;
    if (leaves && out->pattern != 0 && out->pag < 3) {
        hits[3u * (out->pattern - 1u) + out->pag]++;
    }
    hits[BIN_BOTH] += leaves && in->seg_valid && out->seg_ready;
    hits[BIN_REFUSED] += in->seg_valid && !out->seg_ready && out->busy;
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_STARVED] += out->busy && !out->valid;
    hits[BIN_REG_63] += leaves && out->tag == 63;
    hits[BIN_EMPTY] +=
        in->start && !out->busy && words_needed(in->pattern_vec, s->cfg.lanes, in->pag) == 0;
    hits[BIN_BUSY_START] += in->start && out->busy;
    hits[BIN_IDLE_SEG] += in->seg_valid && !out->busy && !in->start;
    hits[BIN_START_SEG] += in->seg_valid && !out->busy && in->start;
    hits[BIN_PAG3] += in->start && !out->busy && in->pag == 3;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_unpacker_stim;
const wr_stim wr_context_unpacker_stim = {
    .block = "context_unpacker",
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
