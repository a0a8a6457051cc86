/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_packer: whole warps, each a list of registers and a flush.
 *
 * Directed warps sit on the borders of a segment: none, one word, exactly one segment with the
 * flush on its last register and behind it, one word more, a full segment that is held back
 * while the flush comes, 64 random registers at full speed. Then random warps with gates, and in
 * runs with faults every kind of them.
 */
#include <string.h>

#include "refmodel/gen/context_packer_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum phase {
    PHASE_START,
    PHASE_FEED,
    PHASE_DRAIN,
} phase;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_START_LEFT,
    FAULT_START_FULL,
    FAULT_START_REG,
    FAULT_START_FLUSH,
    FAULT_TAG,
    FAULT_DEAD,
    FAULT_COUNT_0,
    FAULT_COUNT_ABOVE,
    FAULT_KINDS = FAULT_COUNT_ABOVE,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_START_LEFT] = "start with a segment begun",
    [FAULT_START_FULL] = "start with whole segments alone",
    [FAULT_START_REG] = "start while a register is taken",
    [FAULT_START_FLUSH] = "start while a flush is taken",
    [FAULT_TAG] = "tag not above the one before",
    [FAULT_DEAD] = "register after the flush",
    [FAULT_COUNT_0] = "count 0",
    [FAULT_COUNT_ABOVE] = "count above the most",
};

typedef struct state {
    wr_context_packer_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;

    uint32_t warps; /* warps begun so far */
    phase phase;
    uint32_t words_left; /* directed: words that this warp still brings */
    uint32_t regs_left;
    bool flush_with_last; /* the flush comes with the last register, not behind it */
    bool full_speed;
    uint32_t hold; /* cycles for which the consumer takes nothing */
    uint32_t next_tag;
    uint32_t brought;          /* registers offered in this warp */
    uint32_t words;            /* and their words */
    uint32_t step;             /* widest gap between two tags */
    wr_context_packer_in held; /* the offer that has not been taken */
    bool consumed;             /* seg_ready of the cycle before */
    bool left;                 /* a segment left in the cycle before */
    bool added;                /* a register was taken in the cycle before */
} state;

enum { DIRECTED = 8 };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_context_packer_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->warps = with_directed ? 0 : DIRECTED;
}

static void begin_directed(state *s)
{
    const uint32_t seg = s->cfg.seg_words;
    const uint32_t words[DIRECTED] = {0, 1, seg, seg, seg + 1, seg, 64 * s->cfg.lanes, 2 * seg};
    s->words_left = words[s->warps];
    s->regs_left = (s->words_left + s->cfg.lanes - 1) / s->cfg.lanes;
    s->flush_with_last = s->warps == 2 || s->warps == 4 || s->warps == 7;
    s->full_speed = true;
    s->hold = s->warps == 5 || s->warps == 7 ? 8 : 0;
    s->step = 1;
}

static void begin_random(state *s)
{
    s->words_left = UINT32_MAX;
    s->regs_left = wr_rng_below(&s->rng, wr_rng_chance(&s->rng, 50) ? 6 : 65);
    s->flush_with_last = wr_rng_chance(&s->rng, 50);
    s->full_speed = wr_rng_chance(&s->rng, 30);
    s->hold = wr_rng_chance(&s->rng, 20) ? 10 : 0;
    s->step = s->regs_left > 32 ? 1 : 1 + wr_rng_below(&s->rng, 3);
}

static void offer(state *s, bool faulty)
{
    wr_rng *r = &s->rng;
    const uint32_t lanes = s->cfg.lanes;
    wr_context_packer_in *in = &s->held;

    *in = (wr_context_packer_in){.valid = true};
    in->tag = (uint8_t)(s->next_tag + wr_rng_below(r, s->step));
    in->tag = in->tag > 63 ? 63 : in->tag;
    if (s->words_left != UINT32_MAX) {
        const uint32_t count = s->words_left < lanes ? s->words_left : lanes;
        in->count = (uint8_t)count;
        in->pattern = count == lanes ? 2 : 3;
        s->words_left -= count;
    } else {
        /* Word counts as the compressor gives them: G, 2 G or all lanes. */
        const uint32_t groups = (lanes + (8u << wr_rng_below(r, 3)) - 1) / 8;
        in->pattern = (uint8_t)(1 + wr_rng_below(r, 3));
        in->count = (uint8_t)(in->pattern == 2 ? lanes : in->pattern == 1 ? groups : 2 * groups);
        if (in->count > lanes || wr_rng_chance(r, 10)) {
            in->count = (uint8_t)(1 + wr_rng_below(r, lanes));
        }
    }
    switch (wr_faults_pick(&s->faults, faulty, 10, r)) {
    case FAULT_TAG:
        in->tag = (uint8_t)(s->next_tag > 0 ? s->next_tag - 1 : 0);
        if (wr_rng_chance(r, 50)) {
            in->tag = (uint8_t)wr_rng_below(r, in->tag + 1u);
        }
        break;
    case FAULT_DEAD:
        in->pattern = 0;
        break;
    case FAULT_COUNT_0:
        in->count = 0;
        break;
    case FAULT_COUNT_ABOVE:
        in->count = (uint8_t)(lanes + 1 + wr_rng_below(r, 127 - lanes));
        break;
    default:
        break;
    }
    /* Words past the count are noise: they must not show. */
    for (uint32_t i = 0; i < lanes; i++) {
        in->word[i] = wr_rng_u32(r);
    }
    s->next_tag = in->tag + 1u;
    s->brought++;
    s->words += in->count == 0 || in->count > lanes ? lanes : in->count;
    s->regs_left = s->next_tag > 63 ? 0 : s->regs_left - 1;
    in->flush = s->regs_left == 0 && s->flush_with_last;
}

/* Whether a start that breaks the protocol comes in this cycle. */
static bool bad_start(state *s, const wr_context_packer_in *in, const wr_context_packer_out *last)
{
    /* Words that the last cycle added cannot have left; an empty warp takes what comes first. */
    const bool left = s->added && !in->valid && !in->flush;
    const bool first_reg = s->phase == PHASE_FEED && in->valid && s->brought == 1;
    const bool only_flush = s->phase == PHASE_FEED && in->flush && s->brought == 0;
    if (s->warps >= DIRECTED) {
        wr_faults_step(&s->faults);
    }
    if (!left && !first_reg && !only_flush) {
        return false;
    }
    switch (wr_faults_pick(&s->faults, last->fault,
                           left && s->words % s->cfg.seg_words != 0 ? 5 : 50, &s->rng)) {
    case FAULT_START_LEFT:
        return left && s->words % s->cfg.seg_words != 0;
    case FAULT_START_FULL:
        return left && s->words % s->cfg.seg_words == 0;
    case FAULT_START_REG:
        return first_reg;
    case FAULT_START_FLUSH:
        return only_flush;
    default:
        return false;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_context_packer_out *last = last_out;

    s->added = last->ready && s->held.valid;
    s->left = last->seg_valid && s->consumed;
    if (last->ready && (s->held.valid || s->held.flush)) {
        s->phase = s->held.flush ? PHASE_DRAIN : s->phase;
        s->held = (wr_context_packer_in){0};
    }
    if (s->phase == PHASE_FEED && !s->held.valid && !s->held.flush &&
        (s->full_speed || wr_gate_open(&s->offer, &s->rng))) {
        if (s->regs_left > 0) {
            offer(s, last->fault);
        } else {
            s->held.flush = true;
        }
    }

    wr_context_packer_in *in = in_;
    *in = s->held;
    if (!in->valid) { /* noise on pins that mean nothing without valid */
        in->tag = (uint8_t)wr_rng_below(&s->rng, 64);
        in->count = (uint8_t)wr_rng_below(&s->rng, 128);
    }
    const bool free = s->phase == PHASE_START || (s->phase == PHASE_DRAIN && last->done);
    const bool directed = s->warps < DIRECTED;
    if ((free && (directed || wr_rng_chance(&s->rng, 30))) || bad_start(s, in, last)) {
        in->start = true;
        if (directed) {
            begin_directed(s);
        } else {
            begin_random(s);
        }
        s->warps++;
        s->next_tag = 0;
        s->brought = 0;
        s->words = 0;
        s->phase = PHASE_FEED;
        s->held = (wr_context_packer_in){0};
        if (free && !directed) { /* nothing is ready, so nothing is taken that is dropped */
            in->valid = wr_rng_chance(&s->rng, 20);
            in->flush = wr_rng_chance(&s->rng, 20);
        }
    }
    if (s->hold > 0) {
        s->hold--;
    } else {
        in->seg_ready = s->full_speed || wr_gate_open(&s->consume, &s->rng);
    }
    s->consumed = in->seg_ready;
}

static const char *const bin_names[] = {
    "register taken",
    "register taken while a segment leaves",
    "register refused",
    "flush with a register",
    "flush alone",
    "flush with a full segment at the output",
    "flush of an empty warp",
    "segment held back",
    "full segment, more to come",
    "last segment, full",
    "last segment, padded",
    "last segment, multiple of the padding",
    "segments in two cycles running",
    "done without a last segment",
    "register 63",
    "start with words left",
    "start with a register offered",
    "fault",
};
enum {
    BIN_REG,
    BIN_REG_SEG,
    BIN_REFUSED,
    BIN_FLUSH_REG,
    BIN_FLUSH,
    BIN_FLUSH_FULL,
    BIN_FLUSH_EMPTY,
    BIN_HELD,
    BIN_FULL,
    BIN_LAST_FULL,
    BIN_LAST_PADDED,
    BIN_LAST_EXACT,
    BIN_BACK_TO_BACK,
    BIN_DONE_NO_LAST,
    BIN_REG_63,
    BIN_START_LEFT,
    BIN_START_REG,
    BIN_FAULT,
    BINS,
};

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_packer_in *in = in_;
    const wr_context_packer_out *out = out_;
    const uint32_t seg = s->cfg.seg_words;
    const bool reg = in->valid && out->ready && !in->start;
    const bool flush = in->flush && out->ready && !in->start;
    const bool leaves = out->seg_valid && in->seg_ready;
    hits[BIN_REG] += reg;
    hits[BIN_REG_SEG] += reg && leaves;
    hits[BIN_REFUSED] += in->valid && !out->ready && !in->start;
    hits[BIN_FLUSH_REG] += flush && in->valid;
    hits[BIN_FLUSH] += flush && !in->valid;
    hits[BIN_FLUSH_FULL] += flush && !in->valid && out->seg_valid && !in->seg_ready;
    hits[BIN_FLUSH_EMPTY] += flush && !in->valid && out->total == 0;
    hits[BIN_HELD] += out->seg_valid && !in->seg_ready;
    hits[BIN_FULL] += leaves && !out->seg_last;
    if (leaves && out->seg_last) {
        hits[BIN_LAST_FULL] += out->total % seg == 0;
        hits[BIN_LAST_PADDED] += out->total % seg % s->cfg.pad_words != 0;
        hits[BIN_LAST_EXACT] += out->total % seg != 0 && out->total % seg % s->cfg.pad_words == 0;
    }
    hits[BIN_BACK_TO_BACK] += leaves && s->left;
    hits[BIN_DONE_NO_LAST] += out->done && in->start && out->total % seg == 0;
    hits[BIN_REG_63] += reg && in->tag == 63;
    hits[BIN_START_LEFT] += in->start && out->seg_valid;
    hits[BIN_START_REG] += in->start && in->valid && out->ready;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_packer_stim;
const wr_stim wr_context_packer_stim = {
    .block = "context_packer",
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
