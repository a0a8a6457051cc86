/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of onchip_bitmap: a list of live runs, learned from the answers, that grows, is cut up
 * and shrinks.
 *
 * Directed requests sit on the borders of a word and of a region: one unit, a word less one, a
 * word, a word and one, the whole of a region, one more, a hole of one unit that a run of two must
 * pass over. Then random phases: small runs, runs near a word, large ones, filling one region
 * with ever smaller runs until not one unit is left, giving everything back.
 */
#include "refmodel/gen/onchip_bitmap_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    ALLOC = 0,
    FREE = 1,
    REGIONS = 3,
    RUNS = 96,
    DIRECTED = 20,
};

typedef enum phase {
    PHASE_SMALL, /* 1 to 8 units */
    PHASE_WORD,  /* a word, two more or less */
    PHASE_LARGE, /* up to a whole region */
    PHASE_FILL,
    PHASE_DRAIN,
    PHASES,
} phase;

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_ALLOC_0,
    FAULT_REGION,
    FAULT_FREE_0,
    FAULT_FREE_SPANS,
    FAULT_FREE_PAST,
    FAULT_FREE_AGAIN,
    FAULT_FREE_MORE,
    FAULT_KINDS = FAULT_FREE_MORE,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_ALLOC_0] = "alloc of 0",
    [FAULT_REGION] = "alloc in no region",
    [FAULT_FREE_0] = "free of 0",
    [FAULT_FREE_SPANS] = "free across regions",
    [FAULT_FREE_PAST] = "free past the last unit",
    [FAULT_FREE_AGAIN] = "free of what is free",
    [FAULT_FREE_MORE] = "free of more than is taken",
};

typedef struct run {
    uint32_t first;
    uint32_t count;
} run;

typedef struct state {
    wr_onchip_bitmap_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_faults faults;

    uint32_t requests; /* made so far */
    phase phase;
    uint32_t phase_left; /* requests */
    uint32_t fill_region;
    uint32_t fill_count;

    run runs[RUNS];
    uint32_t live;
    run given; /* the run given back last, as long as nothing was asked for since */

    wr_onchip_bitmap_in held;    /* offered, not yet taken */
    wr_onchip_bitmap_in current; /* taken last */
    bool busy;                   /* the current request has not been answered */
    uint32_t cut;                /* of the free made last: 0 whole run, 1 front, 2 back, 3 middle */
} state;

static uint32_t region_units(const wr_onchip_bitmap_cfg *cfg, uint32_t region)
{
    return region == 0 ? cfg->reg_units : region == 1 ? cfg->smem_units : cfg->l1_units;
}

static uint32_t region_first(const wr_onchip_bitmap_cfg *cfg, uint32_t region)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < region; i++) {
        first += region_units(cfg, i);
    }
    return first;
}

static uint32_t region_at(const wr_onchip_bitmap_cfg *cfg, uint32_t unit)
{
    return unit < cfg->reg_units ? 0 : unit < cfg->reg_units + cfg->smem_units ? 1 : 2;
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_onchip_bitmap_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->requests = with_directed ? 0 : DIRECTED;
    s->faults.quiet = 20; /* requests, of which each takes many cycles */
}

static bool any_live(const state *s, uint32_t unit)
{
    for (uint32_t i = 0; i < s->live; i++) {
        if (unit >= s->runs[i].first && unit < s->runs[i].first + s->runs[i].count) {
            return true;
        }
    }
    return false;
}

/* Gives back run i, or a part of it: what is left stays in the list. */
static wr_onchip_bitmap_in give(state *s, uint32_t i, uint32_t cut)
{
    run r = s->runs[i];
    run part = r;
    s->runs[i] = s->runs[--s->live];
    if (r.count < 3 || s->live + 3 > RUNS) {
        cut = 0;
    }
    if (cut != 0) {
        const uint32_t low = cut == 1 ? 0 : 1 + wr_rng_below(&s->rng, r.count - 2);
        const uint32_t high =
            cut == 2 ? r.count : low + 1 + wr_rng_below(&s->rng, r.count - low - 1);
        part = (run){r.first + low, high - low};
        if (low > 0) {
            s->runs[s->live++] = (run){r.first, low};
        }
        if (high < r.count) {
            s->runs[s->live++] = (run){r.first + high, r.count - high};
        }
    }
    s->cut = cut;
    s->given = part;
    return (wr_onchip_bitmap_in){
        .op = FREE, .addr = (uint16_t)part.first, .count = (uint16_t)part.count};
}

static wr_onchip_bitmap_in ask(state *s, uint32_t region, uint32_t count)
{
    s->given = (run){0};
    return (wr_onchip_bitmap_in){.op = ALLOC, .region = (uint8_t)region, .count = (uint16_t)count};
}

static wr_onchip_bitmap_in directed(state *s, uint32_t step)
{
    const uint32_t w = s->cfg.word_bits;
    const uint32_t smem = s->cfg.smem_units;
    const uint32_t l1 = s->cfg.l1_units;
    switch (step) {
    case 0:
        return ask(s, 0, 1);
    case 1:
        return ask(s, 0, w - 1); /* up to the end of the word */
    case 2:
        return ask(s, 0, w);
    case 3:
        return give(s, 0, 0); /* a hole of one unit at 0 */
    case 4:
        return ask(s, 1, smem);
    case 5:
        return ask(s, 1, 1); /* nothing left */
    case 6:
        return ask(s, 2, l1 + 1);
    case 7:
        return ask(s, 0, 2); /* passes over the hole */
    case 8:
        return ask(s, 0, 1); /* takes it */
    case 9:
        return give(s, 2, 0);
    case 10:
        return ask(s, 1, w + 1);
    case 11:
        return ask(s, 2, l1);
    case 12:
        return ask(s, 2, 1);
    default:
        return s->live > 0 ? give(s, 0, step % 4) : ask(s, 0, 2 * w + 1);
    }
}

static uint32_t pick_count(state *s, uint32_t region)
{
    const uint32_t units = region_units(&s->cfg, region);
    switch (s->phase) {
    case PHASE_SMALL:
        return 1 + wr_rng_below(&s->rng, 8);
    case PHASE_WORD:
        return s->cfg.word_bits - 2 + wr_rng_below(&s->rng, 5);
    default:
        if (wr_rng_chance(&s->rng, 20)) {
            return units - 1 + wr_rng_below(&s->rng, 3);
        }
        return 1 + wr_rng_below(&s->rng, units);
    }
}

static bool request_fault(state *s, bool shown, wr_onchip_bitmap_in *in)
{
    wr_rng *r = &s->rng;
    const wr_onchip_bitmap_cfg *cfg = &s->cfg;
    const uint32_t units = cfg->reg_units + cfg->smem_units + cfg->l1_units;
    wr_faults_step(&s->faults);
    switch (wr_faults_pick(&s->faults, shown, 20, r)) {
    case FAULT_ALLOC_0:
        *in = ask(s, wr_rng_below(r, REGIONS), 0);
        return true;
    case FAULT_REGION:
        *in = ask(s, 3, 1 + wr_rng_below(r, 20));
        return true;
    case FAULT_FREE_0:
        *in = (wr_onchip_bitmap_in){.op = FREE, .addr = (uint16_t)wr_rng_below(r, units)};
        return true;
    case FAULT_FREE_SPANS: {
        const uint32_t next = 1 + wr_rng_below(r, 2);
        const uint32_t border = region_first(cfg, next);
        const bool whole = s->faults.round % 2 == 1; /* a region, and one unit more */
        const uint32_t before = whole ? region_units(cfg, next - 1) : 1 + wr_rng_below(r, 4);
        const uint32_t behind = whole ? 1 : 1 + wr_rng_below(r, 4);
        *in = (wr_onchip_bitmap_in){
            .op = FREE, .addr = (uint16_t)(border - before), .count = (uint16_t)(before + behind)};
        return true;
    }
    case FAULT_FREE_PAST: {
        const uint32_t before = wr_rng_below(r, 4);
        const uint32_t most = 4095 - before;
        *in = (wr_onchip_bitmap_in){
            .op = FREE,
            .addr = (uint16_t)(units - before),
            .count = (uint16_t)(before + 1 + wr_rng_below(r, wr_rng_chance(r, 50) ? 2 : most))};
        return true;
    }
    case FAULT_FREE_AGAIN:
        if (s->given.count == 0) {
            return false;
        }
        *in = (wr_onchip_bitmap_in){
            .op = FREE, .addr = (uint16_t)s->given.first, .count = (uint16_t)s->given.count};
        return true;
    case FAULT_FREE_MORE:
        if (s->busy && s->current.op == ALLOC) {
            return false; /* it may take the free unit */
        }
        for (uint32_t i = 0; i < s->live; i++) {
            const uint32_t end = s->runs[i].first + s->runs[i].count;
            if (end < units && !any_live(s, end) &&
                region_at(cfg, end) == region_at(cfg, end - 1)) {
                *in = give(s, i, 0);
                in->count++;
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static void new_phase(state *s)
{
    s->phase = (phase)wr_rng_below(&s->rng, PHASES);
    s->phase_left = 20 + wr_rng_below(&s->rng, 60);
    s->fill_region = wr_rng_below(&s->rng, REGIONS);
    s->fill_count = region_units(&s->cfg, s->fill_region);
}

static wr_onchip_bitmap_in random_request(state *s, bool shown)
{
    wr_rng *r = &s->rng;
    wr_onchip_bitmap_in in = {0};
    if (request_fault(s, shown, &in)) {
        return in;
    }
    if (s->phase_left == 0) {
        new_phase(s);
    }
    s->phase_left--;
    if (s->phase == PHASE_DRAIN && s->live == 0) {
        s->phase = PHASE_LARGE;
    }
    if (s->live + 3 > RUNS || s->phase == PHASE_DRAIN) {
        return give(s, wr_rng_below(r, s->live), 0);
    }
    if (s->phase == PHASE_FILL) {
        return ask(s, s->fill_region, s->fill_count);
    }
    if (s->live > 0 && wr_rng_chance(r, 45)) {
        return give(s, wr_rng_below(r, s->live), wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 4));
    }
    const uint32_t region = wr_rng_below(r, REGIONS);
    return ask(s, region, pick_count(s, region));
}

static void learn(state *s, const wr_onchip_bitmap_out *last)
{
    if (!last->done) {
        return;
    }
    s->busy = false;
    if (s->current.op == ALLOC && last->found) {
        s->runs[s->live++] = (run){last->addr, s->current.count};
    } else if (s->current.op == ALLOC && s->phase == PHASE_FILL) {
        s->fill_count = (s->fill_count + 1) / 2;
        s->phase_left = s->current.count == 1 ? 0 : s->phase_left + 1;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    const wr_onchip_bitmap_out *last = last_out;
    wr_onchip_bitmap_in *in = in_;

    learn(s, last);
    if (last->ready && s->held.valid) {
        s->current = s->held;
        s->busy = true;
        s->held.valid = false;
    }
    /* An allocation that waits may go away again. */
    if (s->held.valid && s->held.op == ALLOC && s->requests > DIRECTED &&
        wr_rng_chance(&s->rng, 2)) {
        s->held.valid = false;
    }
    /* Directed requests build on the answer to the one before; half of the others do not wait. */
    const bool directed_now = s->requests < DIRECTED;
    if (!s->held.valid && (!s->busy || (!directed_now && wr_rng_chance(&s->rng, 50))) &&
        (directed_now || wr_gate_open(&s->offer, &s->rng))) {
        s->held = directed_now ? directed(s, s->requests) : random_request(s, last->fault);
        s->held.valid = true;
        if (s->held.op == FREE) { /* a pin that this request does not look at */
            s->held.region = (uint8_t)(s->requests % 4);
        } else {
            s->held.addr = (uint16_t)(s->requests * 0x9e5u % 4096);
        }
        s->requests++;
    }
    *in = s->held;
    if (!in->valid) { /* noise on pins that mean nothing without valid */
        in->op = wr_rng_chance(&s->rng, 50);
        in->region = (uint8_t)wr_rng_below(&s->rng, 4);
        in->count = (uint16_t)wr_rng_below(&s->rng, 4096);
        in->addr = (uint16_t)wr_rng_below(&s->rng, 4096);
    }
}

static const char *const bin_names[] = {
    "run in the register file",
    "run in shared memory",
    "run in L1",
    "run of one unit",
    "run that begins a region",
    "run that ends a region",
    "run that is a whole region",
    "run inside one word",
    "run that ends with a word",
    "run that straddles two words",
    "run that touches three words or more",
    "run below a live one",
    "none found",
    "none found, one unit asked for",
    "none found, more than the region asked for",
    "free in one word",
    "free in two words",
    "free in three words or more",
    "free of the front of a run",
    "free of the back of a run",
    "free of the middle of a run",
    "request taken in the cycle of a done",
    "request held back",
    "idle with nothing offered",
    "fault: alloc of nothing",
    "fault: region 3",
    "fault: free of nothing",
    "fault: free across two regions",
    "fault: free past the end",
    "fault: free of units that are free",
};
enum {
    BIN_REGION,
    BIN_ONE = BIN_REGION + REGIONS,
    BIN_BEGINS,
    BIN_ENDS,
    BIN_WHOLE,
    BIN_IN_WORD,
    BIN_ENDS_WORD,
    BIN_TWO_WORDS,
    BIN_THREE_WORDS,
    BIN_BELOW,
    BIN_NONE,
    BIN_NONE_ONE,
    BIN_NONE_MORE,
    BIN_FREE_1,
    BIN_FREE_2,
    BIN_FREE_3,
    BIN_FREE_FRONT,
    BIN_FREE_BACK,
    BIN_FREE_MIDDLE,
    BIN_BACK_TO_BACK,
    BIN_HELD_BACK,
    BIN_IDLE,
    BIN_FAULT_ALLOC_0,
    BIN_FAULT_REGION,
    BIN_FAULT_FREE_0,
    BIN_FAULT_SPANS,
    BIN_FAULT_PAST,
    BIN_FAULT_FREE,
    BINS,
};

static uint32_t words_touched(const wr_onchip_bitmap_cfg *cfg, uint32_t first, uint32_t count)
{
    return (first + count - 1) / cfg->word_bits - first / cfg->word_bits + 1;
}

static void cover_run(const state *s, uint32_t first, uint32_t count, uint64_t *hits)
{
    const wr_onchip_bitmap_cfg *cfg = &s->cfg;
    const uint32_t region = region_at(cfg, first);
    const uint32_t end = first + count;
    const bool begins = first == region_first(cfg, region);
    const bool ends = end == region_first(cfg, region) + region_units(cfg, region);
    const uint32_t words = words_touched(cfg, first, count);
    bool below = false;
    for (uint32_t i = 0; i < s->live; i++) {
        below = below || (s->runs[i].first >= end && region_at(cfg, s->runs[i].first) == region);
    }
    hits[BIN_REGION + region]++;
    hits[BIN_ONE] += count == 1;
    hits[BIN_BEGINS] += begins;
    hits[BIN_ENDS] += ends;
    hits[BIN_WHOLE] += begins && ends;
    hits[BIN_IN_WORD] += words == 1;
    hits[BIN_ENDS_WORD] += end % cfg->word_bits == 0;
    hits[BIN_TWO_WORDS] += words == 2;
    hits[BIN_THREE_WORDS] += words > 2;
    hits[BIN_BELOW] += below;
}

static void cover_free(const state *s, const wr_onchip_bitmap_out *out, uint64_t *hits)
{
    const wr_onchip_bitmap_cfg *cfg = &s->cfg;
    const uint32_t first = s->current.addr;
    const uint32_t count = s->current.count;
    const uint32_t units = cfg->reg_units + cfg->smem_units + cfg->l1_units;
    if (count == 0) {
        hits[BIN_FAULT_FREE_0]++;
        return;
    }
    if (first + count > units) {
        hits[BIN_FAULT_PAST]++;
        return;
    }
    if (region_at(cfg, first) != region_at(cfg, first + count - 1)) {
        hits[BIN_FAULT_SPANS]++;
        return;
    }
    const uint32_t words = words_touched(cfg, first, count);
    hits[BIN_FREE_1] += words == 1;
    hits[BIN_FREE_2] += words == 2;
    hits[BIN_FREE_3] += words > 2;
    hits[BIN_FAULT_FREE] += !out->found;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_onchip_bitmap_in *in = in_;
    const wr_onchip_bitmap_out *out = out_;

    hits[BIN_BACK_TO_BACK] += in->valid && out->ready && out->done;
    hits[BIN_HELD_BACK] += in->valid && !out->ready;
    hits[BIN_IDLE] += !in->valid && out->ready;
    if (in->valid && out->ready && in->op == FREE && s->cut != 0) {
        hits[BIN_FREE_FRONT + s->cut - 1]++;
    }
    if (!out->done) {
        return;
    }
    if (s->current.op == FREE) {
        cover_free(s, out, hits);
    } else if (out->found) {
        cover_run(s, out->addr, s->current.count, hits);
    } else if (s->current.count == 0) {
        hits[BIN_FAULT_ALLOC_0]++;
    } else if (s->current.region == REGIONS) {
        hits[BIN_FAULT_REGION]++;
    } else {
        hits[BIN_NONE]++;
        hits[BIN_NONE_ONE] += s->current.count == 1;
        hits[BIN_NONE_MORE] += s->current.count > region_units(&s->cfg, s->current.region);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_onchip_bitmap_stim;
const wr_stim wr_onchip_bitmap_stim = {
    .block = "onchip_bitmap",
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
