/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of warp_slots: its own copy of the list, so that most of what it asks for may be.
 *
 * Directed: claims of the slot on offer, gives and passes, alone and together. Then random phases
 * that fill, empty or mix; the look-up is mostly at a slot that changes in this cycle or has just
 * changed, at the first and the last one and past the end.
 */
#include "refmodel/gen/warp_slots_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    SLOTS_MAX = 64,
    WARPS_MAX = 128,

    CLAIM = 1, /* of the directed steps */
    GIVE = 2,
    PASS = 4,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_CLAIM_TAKEN,
    FAULT_CLAIM_GIVEN,
    FAULT_CLAIM_SLOT,
    FAULT_CLAIM_ID,
    FAULT_GIVE_FREE,
    FAULT_GIVE_CLAIMED,
    FAULT_GIVE_SLOT,
    FAULT_PASS_FREE,
    FAULT_PASS_CLAIMED,
    FAULT_PASS_GIVEN,
    FAULT_PASS_SLOT,
    FAULT_PASS_ID,
    FAULT_KINDS = FAULT_PASS_ID,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_CLAIM_TAKEN] = "claim of a slot that is taken",
    [FAULT_CLAIM_GIVEN] = "claim of a slot that is given in the same cycle",
    [FAULT_CLAIM_SLOT] = "claim past the last slot",
    [FAULT_CLAIM_ID] = "claim for a warp past the last",
    [FAULT_GIVE_FREE] = "give of a free slot",
    [FAULT_GIVE_CLAIMED] = "give of a slot that is claimed in the same cycle",
    [FAULT_GIVE_SLOT] = "give past the last slot",
    [FAULT_PASS_FREE] = "pass of a free slot",
    [FAULT_PASS_CLAIMED] = "pass of a slot that is claimed in the same cycle",
    [FAULT_PASS_GIVEN] = "pass of a slot that is given in the same cycle",
    [FAULT_PASS_SLOT] = "pass past the last slot",
    [FAULT_PASS_ID] = "pass to a warp past the last",
};

typedef struct state {
    wr_warp_slots_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed;         /* the directed cases come first */
    bool taken[SLOTS_MAX]; /* behind the cycles so far */
    uint8_t warp[SLOTS_MAX];
    bool was_taken[SLOTS_MAX]; /* before the last of them */
    uint8_t was_warp[SLOTS_MAX];
    uint32_t count; /* taken */
    uint32_t was_count;
    uint32_t last_slot; /* that changed */
    uint32_t phase_left;
    uint32_t claim_percent;
    uint32_t give_percent;
    uint32_t pass_percent;
} state;

/* Which faults there are: none past the end where no number is. */
static bool there_is(const state *s, uint32_t kind)
{
    switch (kind) {
    case FAULT_CLAIM_SLOT:
    case FAULT_GIVE_SLOT:
    case FAULT_PASS_SLOT:
        return s->cfg.slots < SLOTS_MAX;
    case FAULT_CLAIM_ID:
    case FAULT_PASS_ID:
        return s->cfg.warps < WARPS_MAX;
    default:
        return true;
    }
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_warp_slots_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
    if (!there_is(s, s->faults.first)) {
        s->faults.first = FAULT_CLAIM_TAKEN;
    }
}

/* A slot that is taken, or one that is free, from this one on; false where there is none. */
static bool pick(const state *s, bool taken, uint32_t from, uint32_t *slot)
{
    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        *slot = (from + i) % s->cfg.slots;
        if (s->taken[*slot] == taken) {
            return true;
        }
    }
    return false;
}

static uint8_t any_slot_from(state *s, uint32_t from)
{
    return (uint8_t)(from + wr_rng_below(&s->rng, SLOTS_MAX - from));
}

static uint8_t any_warp(state *s)
{
    return (uint8_t)wr_rng_below(&s->rng, s->cfg.warps);
}

/* Asks for one thing, and now and then for others beside it, that must not be; false where that
 * cannot be at present. */
static bool fault(state *s, bool shown, wr_warp_slots_in *in)
{
    wr_faults_step(&s->faults);
    const uint32_t kind = wr_faults_pick(&s->faults, shown, 5, &s->rng);
    if (kind == FAULT_NONE || !there_is(s, kind)) {
        return false;
    }
    uint32_t taken = 0;
    uint32_t free = 0;
    const uint32_t from = wr_rng_below(&s->rng, s->cfg.slots);
    const bool some_taken = pick(s, true, from, &taken);
    const bool some_free = pick(s, false, from, &free);
    *in = (wr_warp_slots_in){.claim_slot = (uint8_t)free,
                             .claim_id = any_warp(s),
                             .give_slot = (uint8_t)taken,
                             .pass_slot = (uint8_t)taken,
                             .pass_id = any_warp(s)};
    in->claim = kind <= FAULT_CLAIM_ID || kind == FAULT_GIVE_CLAIMED || kind == FAULT_PASS_CLAIMED;
    in->give = kind == FAULT_CLAIM_GIVEN || kind == FAULT_GIVE_FREE || kind == FAULT_GIVE_CLAIMED ||
               kind == FAULT_GIVE_SLOT || kind == FAULT_PASS_GIVEN;
    in->pass = kind >= FAULT_PASS_FREE;
    switch (kind) {
    case FAULT_CLAIM_TAKEN:
    case FAULT_CLAIM_GIVEN:
        in->claim_slot = (uint8_t)taken;
        return some_taken;
    case FAULT_CLAIM_SLOT:
        in->claim_slot = any_slot_from(s, s->cfg.slots);
        return true;
    case FAULT_CLAIM_ID:
        in->claim_id = (uint8_t)(s->cfg.warps + wr_rng_below(&s->rng, WARPS_MAX - s->cfg.warps));
        return some_free;
    case FAULT_GIVE_FREE:
    case FAULT_GIVE_CLAIMED:
        in->give_slot = (uint8_t)free;
        return some_free;
    case FAULT_GIVE_SLOT:
        in->give_slot = any_slot_from(s, s->cfg.slots);
        return true;
    case FAULT_PASS_FREE:
    case FAULT_PASS_CLAIMED:
        in->pass_slot = (uint8_t)free;
        return some_free;
    case FAULT_PASS_GIVEN:
        return some_taken;
    case FAULT_PASS_SLOT:
        in->pass_slot = any_slot_from(s, s->cfg.slots);
        return true;
    default:
        in->pass_id = (uint8_t)(s->cfg.warps + wr_rng_below(&s->rng, WARPS_MAX - s->cfg.warps));
        return some_taken;
    }
}

static void new_phase(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t kind = wr_rng_below(r, 4);
    s->phase_left = 10 + wr_rng_below(r, 2 * s->cfg.slots);
    s->claim_percent = kind == 0 ? 95 : kind == 1 ? 3 : kind == 2 ? 60 : wr_rng_below(r, 101);
    s->give_percent = kind == 0 ? 3 : kind == 1 ? 95 : kind == 2 ? 60 : wr_rng_below(r, 101);
    s->pass_percent = wr_rng_chance(r, 30) ? 0 : wr_rng_below(r, 101);
}

static void random_events(state *s, wr_warp_slots_in *in)
{
    wr_rng *r = &s->rng;
    uint32_t slot = 0;
    if (s->phase_left == 0) {
        new_phase(s);
    }
    s->phase_left--;
    /* Where it asks for nothing the pins are noise, past the end too. */
    in->claim_slot = any_slot_from(s, 0);
    in->claim_id = (uint8_t)wr_rng_below(r, WARPS_MAX);
    in->give_slot = any_slot_from(s, 0);
    in->pass_slot = any_slot_from(s, 0);
    in->pass_id = (uint8_t)wr_rng_below(r, WARPS_MAX);
    const uint32_t claim_from = wr_rng_chance(r, 60) ? 0 : wr_rng_below(r, s->cfg.slots);
    if (wr_rng_chance(r, s->claim_percent) && pick(s, false, claim_from, &slot)) {
        in->claim = true;
        in->claim_slot = (uint8_t)slot;
        in->claim_id = any_warp(s);
    }
    const uint32_t give_from = wr_rng_chance(r, 20) ? 0 : wr_rng_below(r, s->cfg.slots);
    if (wr_rng_chance(r, s->give_percent) && pick(s, true, give_from, &slot)) {
        in->give = true;
        in->give_slot = (uint8_t)slot;
    }
    if (wr_rng_chance(r, s->pass_percent) && pick(s, true, wr_rng_below(r, s->cfg.slots), &slot) &&
        !(in->give && in->give_slot == slot)) {
        in->pass = true;
        in->pass_slot = (uint8_t)slot;
        in->pass_id = wr_rng_chance(r, 10) ? s->warp[slot] : any_warp(s);
    }
}

/* The slot on offer is claimed, the lowest one given back, and from the middle on one passed on. */
static const uint8_t directed[] = {CLAIM, CLAIM,        CLAIM, PASS,         GIVE, CLAIM,
                                   GIVE,  CLAIM | GIVE, CLAIM, CLAIM | PASS, 0,    GIVE | PASS,
                                   GIVE,  CLAIM | GIVE, GIVE,  CLAIM};

static void directed_events(const state *s, uint64_t cycle, wr_warp_slots_in *in)
{
    const uint32_t asked = directed[cycle];
    const uint32_t id = (uint32_t)(s->cfg.warps - 1 - cycle % s->cfg.warps);
    uint32_t slot = 0;
    if ((asked & CLAIM) != 0 && pick(s, false, 0, &slot)) {
        in->claim = true;
        in->claim_slot = (uint8_t)slot;
        in->claim_id = (uint8_t)id;
    }
    if ((asked & GIVE) != 0 && pick(s, true, 0, &slot)) {
        in->give = true;
        in->give_slot = (uint8_t)slot;
    }
    if ((asked & PASS) != 0 && pick(s, true, 1, &slot) && !(in->give && in->give_slot == slot)) {
        in->pass = true;
        in->pass_slot = (uint8_t)slot;
        in->pass_id = (uint8_t)(s->cfg.warps - 1 - id);
    }
}

/* What the cycle does to the copy. */
static void learn(state *s, const wr_warp_slots_in *in)
{
    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        s->was_taken[i] = s->taken[i];
        s->was_warp[i] = s->warp[i];
    }
    s->was_count = s->count;
    const bool gives = in->give && s->was_taken[in->give_slot];
    if (in->claim && in->claim_slot < s->cfg.slots && in->claim_id < s->cfg.warps &&
        !s->was_taken[in->claim_slot]) {
        s->taken[in->claim_slot] = true;
        s->warp[in->claim_slot] = in->claim_id;
        s->last_slot = in->claim_slot;
        s->count++;
    }
    if (gives) {
        s->taken[in->give_slot] = false;
        s->last_slot = in->give_slot;
        s->count--;
    }
    if (in->pass && s->was_taken[in->pass_slot] && in->pass_id < s->cfg.warps &&
        !(gives && in->give_slot == in->pass_slot)) {
        s->warp[in->pass_slot] = in->pass_id;
        s->last_slot = in->pass_slot;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    const wr_warp_slots_out *last = last_out;
    wr_warp_slots_in *in = in_;

    if (s->directed && cycle < sizeof directed) {
        directed_events(s, cycle, in);
    } else if (!fault(s, last->fault, in)) {
        *in = (wr_warp_slots_in){.claim = false};
        random_events(s, in);
    }
    const uint32_t before = s->last_slot;
    learn(s, in);
    in->look_slot = (uint8_t)(wr_rng_chance(r, 40)   ? before
                              : wr_rng_chance(r, 30) ? s->last_slot
                              : wr_rng_chance(r, 80) ? wr_rng_below(r, s->cfg.slots)
                                                     : wr_rng_below(r, SLOTS_MAX));
}

static const char *const bin_names[] = {
    "claim of the slot on offer",
    "claim of another",
    "claim of the first slot",
    "claim of the last slot",
    "claim by the first warp",
    "claim by the last warp",
    "claim of the last free slot",
    "give",
    "give of a slot below the one on offer",
    "give where none is free",
    "give of the last slot that is taken",
    "pass to another warp",
    "pass to the warp that has the slot",
    "pass to the last warp",
    "claim, give and pass at once",
    "claim and give at once, the number of free ones stays",
    "claim of the slot on offer while a lower one is given",
    "none free",
    "all free",
    "the last slot is on offer",
    "look: taken",
    "look: free",
    "look: past the end or the last",
    "look: the slot claimed in this cycle",
    "look: the slot given in this cycle",
    "look: the slot passed on in this cycle",
    "fault: claim of a slot that is taken",
    "fault: claim of a slot that is given in the same cycle",
    "fault: give of a free slot",
    "fault: give of a slot that is claimed in the same cycle",
    "fault: pass of a free slot",
    "fault: pass of a slot that is claimed in the same cycle",
    "fault: pass of a slot that is given in the same cycle",
};
enum {
    BIN_CLAIM_NEXT,
    BIN_CLAIM_OTHER,
    BIN_CLAIM_FIRST,
    BIN_CLAIM_LAST,
    BIN_CLAIM_WARP_0,
    BIN_CLAIM_WARP_LAST,
    BIN_CLAIM_FILLS,
    BIN_GIVE,
    BIN_GIVE_LOWER,
    BIN_GIVE_FULL,
    BIN_GIVE_EMPTIES,
    BIN_PASS,
    BIN_PASS_SELF,
    BIN_PASS_WARP_LAST,
    BIN_ALL,
    BIN_CLAIM_GIVE,
    BIN_CLAIM_NEXT_GIVE,
    BIN_FULL,
    BIN_EMPTY,
    BIN_NEXT_LAST,
    BIN_LOOK_TAKEN,
    BIN_LOOK_FREE,
    BIN_LOOK_PAST,
    BIN_LOOK_CLAIMED,
    BIN_LOOK_GIVEN,
    BIN_LOOK_PASSED,
    BIN_FAULT_CLAIM_TAKEN,
    BIN_FAULT_CLAIM_GIVEN,
    BIN_FAULT_GIVE_FREE,
    BIN_FAULT_GIVE_CLAIMED,
    BIN_FAULT_PASS_FREE,
    BIN_FAULT_PASS_CLAIMED,
    BIN_FAULT_PASS_GIVEN,
    BINS,
};

static void cover_claim(const state *s, const wr_warp_slots_in *in, const wr_warp_slots_out *out,
                        uint64_t *hits)
{
    if (!in->claim || in->claim_slot >= s->cfg.slots || in->claim_id >= s->cfg.warps) {
        return;
    }
    if (s->was_taken[in->claim_slot]) {
        hits[BIN_FAULT_CLAIM_TAKEN]++;
        hits[BIN_FAULT_CLAIM_GIVEN] += in->give && in->give_slot == in->claim_slot;
        return;
    }
    hits[BIN_CLAIM_NEXT] += in->claim_slot == out->next;
    hits[BIN_CLAIM_OTHER] += in->claim_slot != out->next;
    hits[BIN_CLAIM_FIRST] += in->claim_slot == 0;
    hits[BIN_CLAIM_LAST] += in->claim_slot == s->cfg.slots - 1;
    hits[BIN_CLAIM_WARP_0] += in->claim_id == 0;
    hits[BIN_CLAIM_WARP_LAST] += in->claim_id == s->cfg.warps - 1;
    hits[BIN_CLAIM_FILLS] += s->was_count == s->cfg.slots - 1;
    if (in->give && in->give_slot < s->cfg.slots && s->was_taken[in->give_slot]) {
        hits[BIN_CLAIM_GIVE]++;
        hits[BIN_CLAIM_NEXT_GIVE] += in->claim_slot == out->next && in->give_slot < out->next;
        hits[BIN_ALL] += in->pass && s->was_taken[in->pass_slot] && in->pass_id < s->cfg.warps &&
                         in->pass_slot != in->give_slot;
    }
}

static void cover_give_and_pass(const state *s, const wr_warp_slots_in *in,
                                const wr_warp_slots_out *out, uint64_t *hits)
{
    const bool gives = in->give && s->was_taken[in->give_slot];
    const bool claimed = in->claim && in->claim_id < s->cfg.warps;
    hits[BIN_GIVE] += gives;
    hits[BIN_GIVE_LOWER] += gives && in->give_slot < out->next;
    hits[BIN_GIVE_FULL] += gives && s->was_count == s->cfg.slots;
    hits[BIN_GIVE_EMPTIES] += gives && s->was_count == 1;
    if (in->give && in->give_slot < s->cfg.slots && !gives) {
        hits[BIN_FAULT_GIVE_FREE]++;
        hits[BIN_FAULT_GIVE_CLAIMED] += claimed && in->claim_slot == in->give_slot;
    }
    if (!in->pass || in->pass_slot >= s->cfg.slots || in->pass_id >= s->cfg.warps) {
        return;
    }
    if (!s->was_taken[in->pass_slot]) {
        hits[BIN_FAULT_PASS_FREE]++;
        hits[BIN_FAULT_PASS_CLAIMED] += claimed && in->claim_slot == in->pass_slot;
    } else if (gives && in->give_slot == in->pass_slot) {
        hits[BIN_FAULT_PASS_GIVEN]++;
    } else {
        hits[BIN_PASS] += in->pass_id != s->was_warp[in->pass_slot];
        hits[BIN_PASS_SELF] += in->pass_id == s->was_warp[in->pass_slot];
        hits[BIN_PASS_WARP_LAST] += in->pass_id == s->cfg.warps - 1;
        hits[BIN_LOOK_PASSED] += in->look_slot == in->pass_slot;
    }
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_warp_slots_in *in = in_;
    const wr_warp_slots_out *out = out_;

    cover_claim(s, in, out, hits);
    cover_give_and_pass(s, in, out, hits);
    hits[BIN_FULL] += out->free == 0;
    hits[BIN_EMPTY] += out->free == s->cfg.slots;
    hits[BIN_NEXT_LAST] += out->free == 1 && out->next == s->cfg.slots - 1;
    hits[BIN_LOOK_TAKEN] += out->look_valid;
    hits[BIN_LOOK_FREE] += !out->look_valid && in->look_slot < s->cfg.slots;
    hits[BIN_LOOK_PAST] += in->look_slot >= s->cfg.slots || in->look_slot == SLOTS_MAX - 1;
    hits[BIN_LOOK_CLAIMED] += in->claim && !out->look_valid && in->look_slot == in->claim_slot;
    hits[BIN_LOOK_GIVEN] += in->give && out->look_valid && in->look_slot == in->give_slot;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_warp_slots_stim;
const wr_stim wr_warp_slots_stim = {
    .block = "warp_slots",
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
