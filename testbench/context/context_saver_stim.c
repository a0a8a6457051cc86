/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_saver: whole warps, from the preemption instruction to done.
 *
 * Directed warps: nothing live, one register, every register random at full speed and against a
 * consumer that holds back, against a slow register file, the dummy's vector of a diverged warp,
 * the highest register, BP_1's five of thirteen. Then random warps with gates on both sides, and
 * in runs with faults every kind of them.
 *
 * The register file is played by its output register: a grant fills it with fresh lanes, which
 * stand until the next grant.
 */
#include <string.h>

#include "refmodel/gen/context_saver_pins.h"
#include "testbench/context/register_values.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { VECTOR_BITS = 54, HIGH_BIT = VECTOR_BITS - 1, LANES_MAX = 64 };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_BUSY,
    FAULT_PAG,
    FAULT_STRAY,
    FAULT_ALLOC,
    FAULT_NO_DUMMY,
    FAULT_BAR_DIVERGED,
    FAULT_LIVE_HIGH,
    FAULT_BIT_53_LOW,
    FAULT_KINDS = FAULT_BIT_53_LOW,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_BUSY] = "start while busy",
    [FAULT_PAG] = "reserved PAG",
    [FAULT_STRAY] = "neither pp nor bar.pp",
    [FAULT_ALLOC] = "alloc above the most",
    [FAULT_NO_DUMMY] = "diverged pp without its dummy",
    [FAULT_BAR_DIVERGED] = "diverged bar.pp",
    [FAULT_LIVE_HIGH] = "live bit at or above alloc",
    [FAULT_BIT_53_LOW] = "bit 53 with 53 registers or fewer",
};

typedef struct state {
    wr_context_saver_cfg cfg;
    wr_rng rng;
    wr_gate grant;
    wr_gate consume;
    wr_faults faults;

    uint32_t warps; /* warps begun so far */
    bool full_speed;
    uint32_t slow;            /* the register file grants every slow-th cycle; 0: by the gate */
    uint32_t hold;            /* cycles for which the consumer takes nothing */
    uint32_t kind;            /* of register values; WR_VALUE_KINDS: any */
    uint32_t pag;             /* as the block takes it */
    uint32_t ended_pag;       /* of the warp before */
    uint32_t lane[LANES_MAX]; /* what the register file shows */

    /* the cycle before */
    bool started;
    bool granted;
    bool left;      /* a segment left */
    bool free;      /* the saver takes a start in this cycle */
    bool just_done; /* and did not in the one before */
    bool walked;    /* a register of this warp was granted */
    bool paused;    /* and then the saver stopped asking */
    wr_context_saver_in drive;
} state;

static uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The bits of a vector that a warp of this many registers may set. */
static uint64_t allowed(uint32_t alloc)
{
    return alloc > HIGH_BIT ? low_bits(VECTOR_BITS) : low_bits(alloc);
}

static uint64_t instruction(uint32_t opcode, uint64_t vector)
{
    return (uint64_t)opcode << VECTOR_BITS | vector;
}

/* One warp: what the instruction says, and how both sides behave. */
typedef struct plan {
    uint64_t vector;
    uint64_t dummy;
    uint32_t alloc; /* 0: Regs */
    uint32_t pag;
    uint32_t kind;
    uint32_t slow;
    uint32_t hold;
    bool bar;
    bool diverged;
} plan;

static const plan directed[] = {
    {.vector = 0, .pag = 2},
    {.vector = 1, .pag = 2, .kind = WR_VALUE_UNIFORM},
    {.alloc = 5, .vector = UINT64_MAX, .pag = 2, .kind = WR_VALUE_RANDOM},
    {.vector = 5, .dummy = 0x1a, .diverged = true, .pag = 1, .kind = WR_VALUE_STRIDED_16},
    {.alloc = 13, .vector = 0x1f, .bar = true, .pag = 1, .kind = WR_VALUE_MIXED_16},
    {.vector = UINT64_MAX, .bar = true, .pag = 2, .kind = WR_VALUE_RANDOM, .hold = 16},
    {.alloc = 9, .vector = UINT64_MAX, .pag = 0, .kind = WR_VALUE_STRIDED_8},
    {.alloc = 5, .vector = UINT64_MAX, .pag = 2, .kind = WR_VALUE_RANDOM, .slow = 4},
    {.alloc = 1, .vector = 1, .pag = 2, .kind = WR_VALUE_RANDOM, .hold = 8},
};
enum { DIRECTED = sizeof directed / sizeof directed[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_context_saver_cfg *)cfg, .free = true};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->warps = with_directed ? 0 : DIRECTED;
    s->faults.quiet = 30; /* random cycles are few in a short run */
}

static void begin_directed(state *s, wr_context_saver_in *in)
{
    const plan *p = &directed[s->warps];
    const uint32_t alloc = p->alloc == 0 || p->alloc > s->cfg.regs ? s->cfg.regs : p->alloc;
    in->alloc = (uint8_t)alloc;
    in->word = instruction(p->bar ? s->cfg.op_bar_pp : s->cfg.op_pp, p->vector & allowed(alloc));
    in->next = instruction(s->cfg.op_dummy, p->dummy & allowed(alloc));
    in->diverged = p->diverged;
    in->pag = (uint8_t)p->pag;
    s->kind = p->kind;
    s->slow = p->slow;
    s->hold = p->hold;
    s->full_speed = true;
}

static void begin_random(state *s, wr_context_saver_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t regs = s->cfg.regs;
    const uint32_t pick = wr_rng_below(r, 8);
    const uint32_t few = regs < 16 ? regs : 16; /* short warps, so that a short run has many */
    const uint32_t alloc = pick == 0   ? 0
                           : pick == 1 ? regs
                           : pick == 2 ? wr_rng_below(r, regs + 1)
                                       : wr_rng_below(r, few + 1);
    const bool bar = wr_rng_chance(r, 40);
    uint64_t vector[2];
    for (uint32_t i = 0; i < 2; i++) {
        vector[i] = allowed(alloc);
        for (uint32_t thin = wr_rng_below(r, 5); thin > 0; thin--) {
            vector[i] &= wr_rng_u64(r);
        }
    }
    in->alloc = (uint8_t)alloc;
    in->word = instruction(bar ? s->cfg.op_bar_pp : s->cfg.op_pp, vector[0]);
    in->diverged = !bar && wr_rng_chance(r, 40);
    in->next = in->diverged || wr_rng_chance(r, 50) ? instruction(s->cfg.op_dummy, vector[1])
                                                    : wr_rng_u64(r);
    in->pag = (uint8_t)wr_rng_below(r, 3);
    s->kind = wr_rng_chance(r, 40) ? WR_VALUE_KINDS : wr_rng_below(r, WR_VALUE_KINDS);
    s->slow = wr_rng_chance(r, 20) ? 2 + wr_rng_below(r, 3) : 0;
    s->hold = wr_rng_chance(r, 20) ? 12 : 0;
    s->full_speed = wr_rng_chance(r, 30);
}

/* A mistake in the start that `begin` has made. */
static void spoil(state *s, fault_kind kind, wr_context_saver_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t alloc = in->alloc;
    switch (kind) {
    case FAULT_PAG:
        in->pag = 3;
        break;
    case FAULT_STRAY:
        in->word = instruction(s->cfg.op_dummy, in->word & low_bits(VECTOR_BITS));
        break;
    case FAULT_ALLOC:
        in->alloc = (uint8_t)(s->cfg.regs + 1 + wr_rng_below(r, 127 - s->cfg.regs));
        break;
    case FAULT_NO_DUMMY:
        in->word = instruction(s->cfg.op_pp, in->word & low_bits(VECTOR_BITS));
        in->next = instruction(s->cfg.op_pp, in->next & low_bits(VECTOR_BITS));
        in->diverged = true;
        break;
    case FAULT_BAR_DIVERGED:
        in->word = instruction(s->cfg.op_bar_pp, in->word & low_bits(VECTOR_BITS));
        in->next = instruction(s->cfg.op_dummy, in->word & low_bits(VECTOR_BITS));
        in->diverged = true;
        break;
    case FAULT_LIVE_HIGH:
        if (alloc < HIGH_BIT) {
            in->word |= UINT64_C(1) << (alloc + wr_rng_below(r, HIGH_BIT - alloc));
            in->diverged = false;
        }
        break;
    case FAULT_BIT_53_LOW:
        if (alloc <= HIGH_BIT) {
            in->word |= UINT64_C(1) << HIGH_BIT;
            in->diverged = false;
        }
        break;
    default:
        break;
    }
}

/* Pins that mean nothing without a start. */
static void noise(state *s, wr_context_saver_in *in)
{
    in->word = wr_rng_u64(&s->rng);
    in->next = wr_rng_u64(&s->rng);
    in->alloc = (uint8_t)wr_rng_below(&s->rng, 128);
    in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
    in->diverged = wr_rng_chance(&s->rng, 50);
}

static void start(state *s, bool faulty, wr_context_saver_in *in)
{
    in->start = true;
    if (s->warps < DIRECTED) {
        begin_directed(s, in);
    } else {
        begin_random(s, in);
        spoil(s, (fault_kind)wr_faults_pick(&s->faults, faulty, 60, &s->rng), in);
    }
    s->warps++;
    s->ended_pag = s->pag;
    s->pag = in->pag < 2 ? in->pag : 2;
    s->walked = false;
    s->paused = false;
}

static void register_file(state *s, const wr_context_saver_out *last)
{
    s->granted = last->rf_req && s->drive.rf_gnt;
    if (s->granted) {
        const uint32_t kind =
            s->kind == WR_VALUE_KINDS ? wr_rng_below(&s->rng, WR_VALUE_KINDS) : s->kind;
        wr_value_fill(&s->rng, (wr_value_kind)kind, s->cfg.lanes, s->lane);
        s->walked = true;
        s->paused = false;
    } else if (s->walked && last->busy && !last->rf_req) {
        s->paused = true;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_context_saver_out *last = last_out;
    wr_context_saver_in *in = in_;
    const bool directed_phase = s->warps < DIRECTED;

    register_file(s, last);
    s->left = last->seg_valid && s->drive.seg_ready;
    /* Done follows the last segment; an accepted start ends it. */
    const bool was_free = s->free && !s->started;
    s->free = !s->started && (was_free || last->done || (s->left && last->seg_last));
    s->just_done = s->free && !was_free;

    noise(s, in);
    if (s->warps >= DIRECTED) {
        wr_faults_step(&s->faults);
    }
    s->started = false;
    if (s->free && (directed_phase || wr_rng_chance(&s->rng, 40))) {
        start(s, last->fault, in);
        s->started = true;
    } else if (last->busy && !s->free &&
               wr_faults_pick(&s->faults, last->fault, 8, &s->rng) == FAULT_BUSY) {
        in->start = true; /* ignored, so it leaves no trace here */
    }
    memcpy(in->rf_lane, s->lane, s->cfg.lanes * sizeof s->lane[0]);
    in->rf_gnt =
        s->slow > 0 ? cycle % s->slow == 0 : s->full_speed || wr_gate_open(&s->grant, &s->rng);
    if (s->hold > 0) {
        s->hold--;
    } else {
        in->seg_ready = s->full_speed || wr_gate_open(&s->consume, &s->rng);
    }
    s->drive = *in;
}

static const char *const bin_names[] = {
    "pp of a converged warp",
    "pp of a diverged warp",
    "bar.pp",
    "start as soon as the last segment has left",
    "start after a pause",
    "no registers allocated",
    "all registers allocated",
    "no register live",
    "highest register live",
    "register granted",
    "register file held back",
    "registers granted in two cycles running",
    "register granted while a segment leaves",
    "request that waited for the compressor",
    "segment held back",
    "segments in two cycles running",
    "full segment, more to come",
    "last segment, full",
    "last segment, padded",
    "last segment, multiple of the padding",
    "uniform register, 8 lanes a group",
    "uniform register, 16 lanes a group",
    "uniform register, 32 lanes a group",
    "random register, 8 lanes a group",
    "random register, 16 lanes a group",
    "random register, 32 lanes a group",
    "strided register, 8 lanes a group",
    "strided register, 16 lanes a group",
    "strided register, 32 lanes a group",
    "start while busy",
    "start with the reserved PAG",
    "start at another instruction",
    "start with too many registers",
    "diverged pp without its dummy",
    "diverged bar.pp",
    "live bit at or above alloc",
    "bit 53 with 53 registers or fewer",
    "warp saved after a fault",
};
enum {
    BIN_PP,
    BIN_PP_DIVERGED,
    BIN_BAR,
    BIN_START_AT_ONCE,
    BIN_START_LATER,
    BIN_ALLOC_0,
    BIN_ALLOC_ALL,
    BIN_LIVE_0,
    BIN_LIVE_HIGHEST,
    BIN_GRANT,
    BIN_RF_HELD,
    BIN_GRANT_TWICE,
    BIN_GRANT_SEG,
    BIN_PAUSED,
    BIN_SEG_HELD,
    BIN_SEG_TWICE,
    BIN_FULL,
    BIN_LAST_FULL,
    BIN_LAST_PADDED,
    BIN_LAST_EXACT,
    BIN_CLASSES, /* 9 of them: pattern - 1, PAG */
    BIN_FAULT_BUSY = BIN_CLASSES + 9,
    BIN_FAULT_PAG,
    BIN_FAULT_STRAY,
    BIN_FAULT_ALLOC,
    BIN_FAULT_NO_DUMMY,
    BIN_FAULT_BAR,
    BIN_FAULT_LIVE,
    BIN_FAULT_BIT_53,
    BIN_AFTER_FAULT,
    BINS,
};

/* An accepted start. */
static void cover_start(const state *s, const wr_context_saver_in *in, uint64_t *hits)
{
    const uint32_t opcode = (uint32_t)(in->word >> VECTOR_BITS);
    const bool pp = opcode == s->cfg.op_pp;
    const bool bar = opcode == s->cfg.op_bar_pp;
    const bool dummy = in->next >> VECTOR_BITS == s->cfg.op_dummy;
    const uint64_t used = pp && in->diverged && dummy ? in->next : in->word;
    const uint64_t vector = used & low_bits(VECTOR_BITS);
    hits[BIN_PP] += pp && !in->diverged;
    hits[BIN_PP_DIVERGED] += pp && in->diverged && dummy;
    hits[BIN_BAR] += bar && !in->diverged;
    hits[BIN_START_AT_ONCE] += s->just_done;
    hits[BIN_START_LATER] += !s->just_done;
    hits[BIN_ALLOC_0] += in->alloc == 0;
    hits[BIN_ALLOC_ALL] += in->alloc == s->cfg.regs;
    hits[BIN_LIVE_0] += (pp || bar) && vector == 0 && in->alloc > 0;
    hits[BIN_FAULT_PAG] += in->pag == 3;
    hits[BIN_FAULT_STRAY] += !pp && !bar;
    hits[BIN_FAULT_ALLOC] += in->alloc > s->cfg.regs;
    hits[BIN_FAULT_NO_DUMMY] += pp && in->diverged && !dummy;
    hits[BIN_FAULT_BAR] += bar && in->diverged;
    hits[BIN_FAULT_LIVE] +=
        (pp || bar) && in->alloc < HIGH_BIT && (vector & low_bits(HIGH_BIT)) >> in->alloc != 0;
    hits[BIN_FAULT_BIT_53] += (pp || bar) && in->alloc <= HIGH_BIT && vector >> HIGH_BIT != 0;
}

/* The warp that has ended; a new one begins in this cycle. */
static void cover_end(const state *s, const wr_context_saver_out *out, uint64_t *hits)
{
    for (uint32_t r = 0; r < 64; r++) {
        const uint32_t pattern = out->pattern_vec[r / 16] >> (2 * (r % 16)) & 3u;
        if (pattern != 0) {
            hits[BIN_CLASSES + 3 * (pattern - 1) + s->ended_pag]++;
        }
    }
    hits[BIN_AFTER_FAULT] += out->fault && out->total != 0;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_saver_in *in = in_;
    const wr_context_saver_out *out = out_;
    const uint32_t seg = s->cfg.seg_words;
    const bool grant = out->rf_req && in->rf_gnt;
    const bool leaves = out->seg_valid && in->seg_ready;
    if (in->start && !out->busy) {
        cover_start(s, in, hits);
        if (out->done) {
            cover_end(s, out, hits);
        }
    }
    hits[BIN_FAULT_BUSY] += in->start && out->busy;
    hits[BIN_LIVE_HIGHEST] += grant && out->rf_index == s->cfg.regs - 1;
    hits[BIN_GRANT] += grant;
    hits[BIN_RF_HELD] += out->rf_req && !in->rf_gnt;
    hits[BIN_GRANT_TWICE] += grant && s->granted;
    hits[BIN_GRANT_SEG] += grant && leaves;
    hits[BIN_PAUSED] += grant && s->paused;
    hits[BIN_SEG_HELD] += out->seg_valid && !in->seg_ready;
    hits[BIN_SEG_TWICE] += leaves && s->left;
    hits[BIN_FULL] += leaves && !out->seg_last;
    if (leaves && out->seg_last) {
        hits[BIN_LAST_FULL] += out->total % seg == 0;
        hits[BIN_LAST_PADDED] += out->total % seg % s->cfg.pad_words != 0;
        hits[BIN_LAST_EXACT] += out->total % seg != 0 && out->total % seg % s->cfg.pad_words == 0;
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_saver_stim;
const wr_stim wr_context_saver_stim = {
    .block = "context_saver",
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
