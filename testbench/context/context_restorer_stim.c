/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of context_restorer: whole warps, each a pattern vector and the segments it needs.
 *
 * Directed warps: nothing to restore, dead registers alone, one live register at the bottom, in
 * the middle and at the top, every register random at full speed and against a register file
 * that holds back, BP_1's five of thirteen, segments that come late. Then random warps with
 * gates on both sides, and in runs with faults every kind of them. Any words are a valid
 * context, so segments are random.
 */
#include <string.h>

#include "refmodel/context/pattern.h"
#include "refmodel/gen/context_restorer_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_BUSY,
    FAULT_PAG,
    FAULT_ALLOC,
    FAULT_LIVE_HIGH,
    FAULT_SEG_IDLE,
    FAULT_SEG_START,
    FAULT_SEG_END,
    FAULT_KINDS = FAULT_SEG_END,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_BUSY] = "start while busy",
    [FAULT_PAG] = "reserved PAG",
    [FAULT_ALLOC] = "alloc above the most",
    [FAULT_LIVE_HIGH] = "live register at or above alloc",
    [FAULT_SEG_IDLE] = "segment while idle",
    [FAULT_SEG_START] = "segment with an accepted start",
    [FAULT_SEG_END] = "segment behind the last live register",
};

typedef struct state {
    wr_context_restorer_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate write;
    wr_faults faults;

    uint32_t warps; /* begun so far */
    bool full_speed;
    uint32_t late;   /* cycles before the first segment */
    uint32_t slow;   /* a write is granted every slow-th cycle; 0: by the gate */
    uint32_t vec[4]; /* the warp in work */
    uint32_t pag;
    uint32_t alloc;
    uint32_t segments; /* that it still needs */
    uint32_t top;      /* its highest register, live or allocated */

    bool any;  /* the warp in work has a register to write */
    bool free; /* the restorer takes a start in this cycle */
    bool just_done;
    bool started;   /* in the cycle before */
    bool written;   /* in the cycle before */
    bool seg_taken; /* in the cycle before */
    bool spare;     /* this segment is one more than the warp needs */
    wr_context_restorer_in drive;
} state;

/* Which registers of a directed warp live, and in which pattern. */
typedef enum live_set {
    LIVE_NONE,
    LIVE_FIRST,
    LIVE_MIDDLE,
    LIVE_LAST,
    LIVE_ALL,
    LIVE_LOW_5
} live_set;

typedef struct plan {
    uint32_t alloc; /* 0: Regs; 128: none */
    live_set live;
    wr_pattern pattern;
    uint32_t pag;
    uint32_t late;
    uint32_t slow;
} plan;

static const plan directed[] = {
    {.alloc = 128},
    {.alloc = 3, .live = LIVE_NONE},
    {.alloc = 4, .live = LIVE_FIRST, .pattern = WR_PATTERN_UNIFORM, .pag = 2},
    {.alloc = 5, .live = LIVE_MIDDLE, .pattern = WR_PATTERN_STRIDED, .pag = 1, .late = 5},
    {.live = LIVE_LAST, .pattern = WR_PATTERN_STRIDED, .pag = 0},
    {.alloc = 6, .live = LIVE_ALL, .pattern = WR_PATTERN_RANDOM, .pag = 2},
    {.alloc = 6, .live = LIVE_ALL, .pattern = WR_PATTERN_RANDOM, .pag = 2, .slow = 3},
    {.alloc = 8, .live = LIVE_ALL, .pattern = WR_PATTERN_STRIDED, .pag = 0},
    {.alloc = 13, .live = LIVE_LOW_5, .pattern = WR_PATTERN_UNIFORM, .pag = 1, .late = 9},
};
enum { DIRECTED = sizeof directed / sizeof directed[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_context_restorer_cfg *)cfg, .free = true};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->warps = with_directed ? 0 : DIRECTED;
    s->faults.quiet = 30; /* random cycles are few in a short run */
}

static bool lives(live_set set, uint32_t reg, uint32_t alloc)
{
    switch (set) {
    case LIVE_FIRST:
        return reg == 0;
    case LIVE_MIDDLE:
        return reg == alloc / 2;
    case LIVE_LAST:
        return reg == alloc - 1;
    case LIVE_ALL:
        return true;
    case LIVE_LOW_5:
        return reg < 5;
    case LIVE_NONE:
        break;
    }
    return false;
}

static void begin_directed(state *s, wr_context_restorer_in *in)
{
    const plan *p = &directed[s->warps];
    const uint32_t regs = s->cfg.regs;
    const uint32_t alloc = p->alloc == 128 ? 0 : p->alloc == 0 || p->alloc > regs ? regs : p->alloc;
    in->alloc = (uint8_t)alloc;
    in->pag = (uint8_t)p->pag;
    for (uint32_t r = 0; r < alloc; r++) {
        if (lives(p->live, r, alloc)) {
            wr_pattern_set(in->pattern_vec, r, p->pattern);
        }
    }
    s->late = p->late;
    s->slow = p->slow;
    s->full_speed = true;
}

static void begin_random(state *s, wr_context_restorer_in *in)
{
    wr_rng *r = &s->rng;
    const uint32_t regs = s->cfg.regs;
    const uint32_t pick = wr_rng_below(r, 8);
    const uint32_t few = regs < 12 ? regs : 12; /* short warps, so that a short run has many */
    const uint32_t alloc = pick == 0   ? 0
                           : pick == 1 ? regs
                           : pick == 2 ? wr_rng_below(r, regs + 1)
                                       : wr_rng_below(r, few + 1);
    const uint32_t percent = wr_rng_chance(r, 15) ? 0 : wr_rng_below(r, 101);
    const uint32_t one_kind = wr_rng_below(r, 4);
    in->alloc = (uint8_t)alloc;
    in->pag = (uint8_t)wr_rng_below(r, 3);
    for (uint32_t reg = 0; reg < alloc; reg++) {
        if (wr_rng_chance(r, percent)) {
            const uint32_t code = one_kind == 0 ? 1 + wr_rng_below(r, 3) : one_kind;
            wr_pattern_set(in->pattern_vec, reg, (wr_pattern)code);
        }
    }
    s->late = wr_rng_chance(r, 30) ? wr_rng_below(r, 20) : 0;
    s->slow = wr_rng_chance(r, 20) ? 2 + wr_rng_below(r, 3) : 0;
    s->full_speed = wr_rng_chance(r, 30);
}

/* A mistake in the start that `begin` has made. */
static void spoil(state *s, fault_kind kind, wr_context_restorer_in *in)
{
    wr_rng *r = &s->rng;
    if (kind == FAULT_PAG) {
        in->pag = 3;
    } else if (kind == FAULT_ALLOC) {
        in->alloc = (uint8_t)(s->cfg.regs + 1 + wr_rng_below(r, 127 - s->cfg.regs));
    } else if (kind == FAULT_LIVE_HIGH && kind == s->faults.first && wr_rng_chance(r, 85)) {
        /* One register alone, another one in each episode: 19 is odd, so all 64 have their turn. */
        const uint32_t alone = 19 * s->faults.round % WR_CONTEXT_REGS;
        if (in->alloc > alone) {
            in->alloc = (uint8_t)wr_rng_below(r, alone + 1);
        }
        for (uint32_t reg = in->alloc; reg < WR_CONTEXT_REGS; reg++) {
            wr_pattern_set(in->pattern_vec, reg, WR_PATTERN_DEAD);
        }
        wr_pattern_set(in->pattern_vec, alone, WR_PATTERN_STRIDED); /* both bits */
    } else if (kind == FAULT_LIVE_HIGH && wr_rng_chance(r, 30)) {
        for (uint32_t reg = in->alloc; reg < WR_CONTEXT_REGS; reg++) {
            wr_pattern_set(in->pattern_vec, reg, (wr_pattern)wr_rng_below(r, 4));
        }
    } else if (kind == FAULT_LIVE_HIGH && in->alloc < WR_CONTEXT_REGS) {
        const uint32_t above = WR_CONTEXT_REGS - in->alloc;
        for (uint32_t n = 1 + wr_rng_below(r, 3); n > 0; n--) {
            /* Often the first that is not allocated, or the last there is. */
            const uint32_t at = wr_rng_chance(r, 50)   ? 0
                                : wr_rng_chance(r, 30) ? above - 1
                                                       : wr_rng_below(r, above);
            wr_pattern_set(in->pattern_vec, in->alloc + at, (wr_pattern)(1 + wr_rng_below(r, 3)));
        }
    } else if (kind == FAULT_SEG_START) {
        in->seg_valid = true;
    }
}

static void start(state *s, bool faulty, wr_context_restorer_in *in)
{
    memset(in->pattern_vec, 0, sizeof in->pattern_vec);
    in->start = true;
    if (s->warps < DIRECTED) {
        begin_directed(s, in);
    } else {
        begin_random(s, in);
        spoil(s, (fault_kind)wr_faults_pick(&s->faults, faulty, 60, &s->rng), in);
    }
    s->warps++;
    memcpy(s->vec, in->pattern_vec, sizeof s->vec);
    s->pag = wr_pag_of_code(in->pag);
    s->alloc = in->alloc > s->cfg.regs ? s->cfg.regs : in->alloc;
    s->top = s->alloc > 0 ? s->alloc - 1 : 0;
    s->any = s->alloc > 0;
    uint32_t words = 0;
    for (uint32_t r = 0; r < WR_CONTEXT_REGS; r++) {
        const wr_pattern pattern = wr_pattern_get(s->vec, r);
        words += wr_pattern_words(pattern, s->cfg.lanes, (wr_pag)s->pag);
        if (pattern != WR_PATTERN_DEAD) {
            s->top = r > s->top ? r : s->top;
            s->any = true;
        }
    }
    s->segments = (words + s->cfg.seg_words - 1) / s->cfg.seg_words;
}

/* Whether a segment is offered; a start with one has been made already. */
static void offer(state *s, const wr_context_restorer_out *last, wr_context_restorer_in *in)
{
    wr_rng *r = &s->rng;
    const bool ended = s->segments == 0 && s->seg_taken && !s->spare;
    s->spare = false;
    if (in->start) {
        return;
    }
    if (s->segments > 0 && s->late > 0) {
        s->late--;
    } else if (s->segments > 0) {
        in->seg_valid = s->full_speed || wr_gate_open(&s->offer, r);
    } else if (ended && s->warps > DIRECTED && wr_rng_chance(r, 20)) {
        /* Words that arrived in the cycle before have not left: the block still wants some. */
        in->seg_valid = true;
        s->spare = true;
    } else {
        const fault_kind kind = (fault_kind)wr_faults_pick(&s->faults, last->fault, 20, r);
        in->seg_valid = (kind == FAULT_SEG_IDLE && s->free) ||
                        (kind == FAULT_SEG_END && last->busy && !last->seg_want && !s->free);
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_context_restorer_out *last = last_out;
    wr_context_restorer_in *in = in_;

    s->written = last->rf_req && s->drive.rf_gnt;
    s->seg_taken = last->seg_ready && s->drive.seg_valid;
    s->segments -= s->seg_taken && s->segments > 0;
    /* The warp ends with the write of its highest register. */
    const bool was_free = s->free && !s->started;
    s->free = was_free || (s->started && !s->any) ||
              (!s->started && s->written && last->rf_index == s->top);
    s->just_done = s->free && !was_free && !s->started;

    if (s->warps >= DIRECTED) {
        wr_faults_step(&s->faults);
    }
    for (uint32_t i = 0; i < 4; i++) { /* noise without a start */
        in->pattern_vec[i] = wr_rng_u32(&s->rng);
    }
    in->pag = (uint8_t)wr_rng_below(&s->rng, 4);
    in->alloc = (uint8_t)wr_rng_below(&s->rng, 128);
    s->started = false;
    if (s->free && (s->warps < DIRECTED || wr_rng_chance(&s->rng, 40))) {
        start(s, last->fault, in);
        s->started = true;
        s->spare = false;
    } else {
        offer(s, last, in);
        in->start = !s->free && last->busy &&
                    wr_faults_pick(&s->faults, last->fault, 8, &s->rng) == FAULT_BUSY;
    }
    for (uint32_t i = 0; i < s->cfg.seg_words; i++) {
        in->seg_word[i] = wr_edge_value(&s->rng);
    }
    in->rf_gnt =
        s->slow > 0 ? cycle % s->slow == 0 : s->full_speed || wr_gate_open(&s->write, &s->rng);
    s->drive = *in;
}

static const char *const bin_names[] = {
    "dead register, 8 lanes a group",
    "dead register, 16 lanes a group",
    "dead register, 32 lanes a group",
    "uniform register, 8 lanes a group",
    "uniform register, 16 lanes a group",
    "uniform register, 32 lanes a group",
    "random register, 8 lanes a group",
    "random register, 16 lanes a group",
    "random register, 32 lanes a group",
    "strided register, 8 lanes a group",
    "strided register, 16 lanes a group",
    "strided register, 32 lanes a group",
    "start as soon as the last register is written",
    "start after a pause",
    "nothing to restore",
    "dead registers alone",
    "no dead register",
    "first register dead",
    "last register dead, others live",
    "last register live",
    "all registers allocated",
    "highest register written",
    "register file held back",
    "registers written in two cycles running",
    "segment taken while a register is written",
    "segment held back",
    "segments in two cycles running",
    "register file waits for segments",
    "segment more than the warp needs",
    "start while segments are wanted",
    "start while the last registers are written",
    "start with the reserved PAG",
    "start with too many registers",
    "register live at alloc",
    "register live above alloc",
    "segment while idle",
    "segment with an accepted start",
    "segment after the last live register",
    "register above alloc written",
};
enum {
    BIN_CLASSES, /* 12 of them: pattern, PAG */
    BIN_START_AT_ONCE = 12,
    BIN_START_LATER,
    BIN_NOTHING,
    BIN_ALL_DEAD,
    BIN_ALL_LIVE,
    BIN_FIRST_DEAD,
    BIN_LAST_DEAD,
    BIN_LAST_LIVE,
    BIN_ALLOC_ALL,
    BIN_HIGHEST,
    BIN_RF_HELD,
    BIN_WRITE_TWICE,
    BIN_SEG_WRITE,
    BIN_SEG_HELD,
    BIN_SEG_TWICE,
    BIN_WAITS,
    BIN_SPARE,
    BIN_FAULT_BUSY,
    BIN_FAULT_DRAINING,
    BIN_FAULT_PAG,
    BIN_FAULT_ALLOC,
    BIN_FAULT_AT_ALLOC,
    BIN_FAULT_ABOVE,
    BIN_FAULT_SEG_IDLE,
    BIN_FAULT_SEG_START,
    BIN_FAULT_SEG_END,
    BIN_ABOVE_WRITTEN,
    BINS,
};

/* An accepted start. */
static void cover_start(const state *s, const wr_context_restorer_in *in, uint64_t *hits)
{
    uint32_t live = 0;  /* below alloc */
    uint32_t above = 0; /* not below it */
    for (uint32_t r = 0; r < WR_CONTEXT_REGS; r++) {
        const bool is_live = wr_pattern_get(in->pattern_vec, r) != WR_PATTERN_DEAD;
        live += is_live && r < s->alloc;
        above += is_live && r >= s->alloc;
    }
    hits[BIN_START_AT_ONCE] += s->just_done;
    hits[BIN_START_LATER] += !s->just_done;
    hits[BIN_NOTHING] += s->alloc == 0 && above == 0;
    hits[BIN_ALLOC_ALL] += in->alloc == s->cfg.regs;
    if (s->alloc > 0) {
        const bool last = wr_pattern_get(in->pattern_vec, s->alloc - 1) != WR_PATTERN_DEAD;
        hits[BIN_ALL_DEAD] += live + above == 0;
        hits[BIN_ALL_LIVE] += live == s->alloc;
        hits[BIN_FIRST_DEAD] += live > 0 && (in->pattern_vec[0] & 3u) == 0;
        hits[BIN_LAST_DEAD] += live > 0 && above == 0 && !last;
        hits[BIN_LAST_LIVE] += last;
    }
    hits[BIN_FAULT_PAG] += in->pag == 3;
    hits[BIN_FAULT_ALLOC] += in->alloc > s->cfg.regs;
    hits[BIN_FAULT_AT_ALLOC] +=
        s->alloc < WR_CONTEXT_REGS && wr_pattern_get(in->pattern_vec, s->alloc) != 0;
    hits[BIN_FAULT_ABOVE] += s->alloc + 1 < WR_CONTEXT_REGS &&
                             wr_pattern_get(in->pattern_vec, s->alloc) == 0 && above > 0;
    hits[BIN_FAULT_SEG_START] += in->seg_valid;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_context_restorer_in *in = in_;
    const wr_context_restorer_out *out = out_;
    const bool write = out->rf_req && in->rf_gnt;
    const bool seg = in->seg_valid && out->seg_ready;
    if (in->start && !out->busy) {
        cover_start(s, in, hits);
    }
    if (write) {
        hits[BIN_CLASSES + 3 * wr_pattern_get(s->vec, out->rf_index) + s->pag]++;
        hits[BIN_HIGHEST] += out->rf_index == s->cfg.regs - 1;
        hits[BIN_ABOVE_WRITTEN] += out->rf_index >= s->alloc;
    }
    hits[BIN_RF_HELD] += out->rf_req && !in->rf_gnt;
    hits[BIN_WRITE_TWICE] += write && s->written;
    hits[BIN_SEG_WRITE] += write && seg;
    hits[BIN_SEG_HELD] += in->seg_valid && out->seg_want && !out->seg_ready;
    hits[BIN_SEG_TWICE] += seg && s->seg_taken;
    hits[BIN_WAITS] += out->seg_want && out->seg_ready && !in->seg_valid && !out->rf_req;
    hits[BIN_SPARE] += seg && s->spare;
    hits[BIN_FAULT_BUSY] += in->start && out->busy && out->seg_want;
    hits[BIN_FAULT_DRAINING] += in->start && out->busy && !out->seg_want;
    hits[BIN_FAULT_SEG_IDLE] += in->seg_valid && !out->busy && !in->start;
    hits[BIN_FAULT_SEG_END] += in->seg_valid && out->busy && !out->seg_want;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_context_restorer_stim;
const wr_stim wr_context_restorer_stim = {
    .block = "context_restorer",
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
