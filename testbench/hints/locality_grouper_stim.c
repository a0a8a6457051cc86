/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of locality_grouper: kernels whose warps come, issue, stall and finish.
 *
 * A picture of the slots is kept here, so that only what is meant as a fault is one. Directed: the
 * blocks of Gong's examples (a row of blocks under hint 1, a column under hint 2, warps dealt out
 * under hint 3), each with all warps ready, then with groups that stall. Then kernels in a row.
 *
 * Who is ahead is compared at a launch and kept in registers. So many warps come with the place of
 * another one but for one bit; and some are alone ready in the cycle behind, for what was compared
 * with the group served last is lost at the next issue.
 */
#include <string.h>

#include "testbench/hints/locality_picture.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_LAUNCH_TAKEN,
    FAULT_LAUNCH_PAST,
    FAULT_LAUNCH_FINISH,
    FAULT_FINISH_VACANT,
    FAULT_FINISH_PAST,
    FAULT_FINISH_LAUNCH,
    FAULT_ISSUE_EMPTY,
    FAULT_ISSUE_STALLED,
    FAULT_CFG_RESIDENT,
    FAULT_CFG_FINISH,
    FAULT_GROUPS_0,
    FAULT_GROUPS_ABOVE,
    FAULT_KINDS = FAULT_GROUPS_ABOVE,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_LAUNCH_TAKEN] = "launch into a resident slot",
    [FAULT_LAUNCH_PAST] = "launch past the last slot",
    [FAULT_LAUNCH_FINISH] = "launch into a slot that finishes",
    [FAULT_FINISH_VACANT] = "finish of a slot that is not resident",
    [FAULT_FINISH_PAST] = "finish past the last slot",
    [FAULT_FINISH_LAUNCH] = "finish of a slot that is launched",
    [FAULT_ISSUE_EMPTY] = "issue with no warp resident",
    [FAULT_ISSUE_STALLED] = "issue with no resident warp ready",
    [FAULT_CFG_RESIDENT] = "cfg with a resident warp",
    [FAULT_CFG_FINISH] = "cfg as the last warp finishes",
    [FAULT_GROUPS_0] = "cfg with 0 groups",
    [FAULT_GROUPS_ABOVE] = "cfg with more than 32 groups",
};

typedef struct state {
    wr_locality_grouper_cfg cfg;
    wr_rng rng;
    wr_gate issues;
    wr_faults faults;

    uint32_t step; /* directed: cycle of the story; past it: random */
    wr_locality_picture p;
    uint32_t epoch;
    uint32_t mood;
    uint32_t stall_percent, wake_percent;
    uint32_t columns, rows, block_warps;
    wr_locality_grouper_out out_before;
} state;

enum { STORY = 28, STORIES = 4, WARPS = 4 };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_locality_grouper_cfg *)cfg};
    s->p = wr_picture_of(&s->cfg);
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed && s->cfg.slots >= WARPS ? 0 : STORY * STORIES;
}

/* Four warps, two blocks of two; issue for a while; warps of the first group stall; all finish. */
static void directed(state *s, wr_locality_grouper_in *in)
{
    const uint32_t story = s->step / STORY;
    const uint32_t cycle = s->step % STORY;
    if (cycle == 0) {
        wr_picture_cfg(&s->p, in, (story + 1) % 4, 2);
    } else if (cycle <= WARPS) {
        const uint32_t n = cycle - 1;
        /* hint 2: blocks above each other, hint 1: side by side */
        const uint8_t block = (uint8_t)(n / 2);
        wr_picture_launch(&s->p, in, n,
                          (wr_place){.x = story == 1 ? 0 : block,
                                     .y = story == 1 ? block : 0,
                                     .warp = (uint8_t)(n % 2)});
    } else if (cycle >= STORY - WARPS) {
        wr_picture_finish(&s->p, in, STORY - 1 - cycle);
    }
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        in->ready[k] = cycle < 13 || k % 2 == 1 || (cycle > 18 && k != 2);
    }
    in->issue = cycle > WARPS && cycle < STORY - WARPS;
    s->step++;
}

static uint32_t find_slot(state *s, bool used)
{
    const uint32_t start = wr_rng_below(&s->rng, s->cfg.slots);
    for (uint32_t i = 0; i < s->cfg.slots; i++) {
        const uint32_t slot = (start + i) % s->cfg.slots;
        if (s->p.used[slot] == used) {
            return slot;
        }
    }
    return s->cfg.slots;
}

/* More than 32 groups: every other time 32 but for one bit. */
static uint32_t groups_above(state *s)
{
    return s->faults.round % 2 == 0 ? GROUPS | 1u << s->faults.round / 2 % 5
                                    : 33 + wr_rng_below(&s->rng, 31);
}

static void new_kernel(state *s, wr_locality_grouper_in *in, uint32_t fault)
{
    wr_rng *r = &s->rng;
    static const uint32_t sizes[] = {1, 2, 4, 32, 3, 8};
    const uint32_t pick = wr_rng_below(r, 10);
    const uint32_t groups = pick < 2   ? GROUPS
                            : pick < 4 ? 1u << wr_rng_below(r, 6)
                            : pick < 6 ? 1 + wr_rng_below(r, GROUPS)
                                       : 1 + wr_rng_below(r, 8);
    wr_picture_cfg(&s->p, in, wr_rng_below(r, 4),
                   fault == FAULT_GROUPS_0       ? 0
                   : fault == FAULT_GROUPS_ABOVE ? groups_above(s)
                                                 : groups);
    s->epoch = 100 + wr_rng_below(r, s->faults.first == 0 ? 1200 : 300);
    s->columns = wr_rng_chance(r, 20) ? 256 : 1 + wr_rng_below(r, 5);
    s->rows = wr_rng_chance(r, 20) ? 256 : 1 + wr_rng_below(r, 5);
    s->block_warps = sizes[wr_rng_below(r, 6)];
}

/* The place of a new warp: in its kernel's grid, at the last block, or that of a resident warp or
 * of the one served last but for one bit. */
static wr_place new_place(state *s)
{
    wr_rng *r = &s->rng;
    wr_place p = {.x = (uint8_t)wr_rng_below(r, s->columns),
                  .y = (uint8_t)wr_rng_below(r, s->rows),
                  .warp = (uint8_t)wr_rng_below(r, s->block_warps)};
    if (wr_rng_chance(r, 5)) {
        return (wr_place){.x = 255, .y = 255, .warp = WR_LOCALITY_BLOCK_WARPS - 1};
    }
    if (!wr_rng_chance(r, 40)) {
        return p;
    }
    p = s->p.at[wr_rng_chance(r, 50) ? s->p.served_slot : wr_rng_below(r, s->cfg.slots)];
    switch (wr_rng_below(r, 3)) {
    case 0:
        p.x = (uint8_t)wr_near_value(p.x, 8, r);
        break;
    case 1:
        p.y = (uint8_t)wr_near_value(p.y, 8, r);
        break;
    default:
        p.warp = (uint8_t)wr_near_value(p.warp, NUMBER_BITS, r);
        break;
    }
    return p;
}

/* A slot past the last one, or SLOTS; every other time this one but for one bit. */
static uint32_t past_slot(state *s, uint32_t slot)
{
    const uint32_t near = slot | 32u >> s->faults.round / 2 % 5;
    if (s->faults.round % 2 == 0 && near >= s->cfg.slots && near < SLOTS) {
        return near;
    }
    return s->cfg.slots < SLOTS ? s->cfg.slots + wr_rng_below(&s->rng, SLOTS - s->cfg.slots)
                                : SLOTS;
}

/* The slot of a launch, or of a finish, that breaks the protocol so; SLOTS: none. */
static uint32_t bad_launch(state *s, uint32_t fault, uint32_t held, uint32_t vacant)
{
    const uint32_t taken = held < s->cfg.slots ? held : SLOTS;
    return fault == FAULT_LAUNCH_PAST                                    ? past_slot(s, vacant)
           : fault == FAULT_LAUNCH_TAKEN || fault == FAULT_LAUNCH_FINISH ? taken
                                                                         : SLOTS;
}

static uint32_t bad_finish(state *s, uint32_t fault, uint32_t held, uint32_t vacant)
{
    const bool is_vacant = fault == FAULT_FINISH_VACANT || fault == FAULT_FINISH_LAUNCH;
    return fault == FAULT_FINISH_PAST           ? past_slot(s, held)
           : is_vacant && vacant < s->cfg.slots ? vacant
                                                : SLOTS;
}

/* The slot that is to be the last resident one, where a cfg that comes too early begins the faults:
 * it finds this warp alone. */
static uint32_t spare_slot(const state *s)
{
    const uint32_t round = s->faults.round;
    if (s->faults.first != FAULT_CFG_RESIDENT || round % 4 == 3) {
        return SLOTS;
    }
    return round % 4 == 0 ? 0 : round % 4 == 1 ? s->cfg.slots - 1 : 7 * round % s->cfg.slots;
}

static void random_warps(state *s, wr_locality_grouper_in *in, uint32_t fault)
{
    wr_rng *r = &s->rng;
    const uint32_t spare = spare_slot(s);
    uint32_t vacant = find_slot(s, false);
    uint32_t held = find_slot(s, true);
    if (spare < SLOTS && !s->p.used[spare]) {
        vacant = spare;
    }
    if (held == spare && s->p.resident > 1) {
        do {
            held = find_slot(s, true);
        } while (held == spare);
    }
    const uint32_t wrong_launch = bad_launch(s, fault, held, vacant);
    const uint32_t wrong_finish = bad_finish(s, fault, held, vacant);
    if (wrong_launch < SLOTS) {
        in->launch = true;
        in->launch_slot = (uint8_t)wrong_launch;
    } else if (vacant < s->cfg.slots &&
               (wrong_finish < SLOTS ? fault == FAULT_FINISH_LAUNCH
                                     : s->epoch > 0 && wr_rng_chance(r, 25))) {
        wr_picture_launch(&s->p, in, vacant, new_place(s));
    }
    if (wrong_finish < SLOTS) {
        in->finish = true;
        in->finish_slot = (uint8_t)wrong_finish;
    } else if (held < s->cfg.slots &&
               (fault == FAULT_LAUNCH_FINISH || wr_rng_chance(r, s->epoch == 0 ? 60 : 4))) {
        wr_picture_finish(&s->p, in, held);
    }
}

static void random_ready(state *s, wr_locality_grouper_in *in)
{
    wr_rng *r = &s->rng;
    if (s->mood == 0) {
        static const uint32_t percents[] = {0, 5, 30, 80, 400};
        s->mood = 20 + wr_rng_below(r, 80);
        s->stall_percent = percents[wr_rng_below(r, 5)];
        s->wake_percent = percents[1 + wr_rng_below(r, 3)];
    }
    s->mood--;
    const bool alone = s->p.before < SLOTS && wr_rng_chance(r, 20);
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        s->p.stalled[k] = s->p.stalled[k] ? !wr_rng_chance(r, s->wake_percent)
                                          : wr_rng_chance(r, s->stall_percent / 4);
        in->ready[k] = alone ? k == s->p.before || !s->p.was[k] : !s->p.stalled[k];
    }
}

/* What comes now and then alone: new kernels, and cycles without a warp. */
static bool is_rare(const state *s)
{
    switch (s->faults.first) {
    case FAULT_CFG_RESIDENT:
        return s->epoch == 0 && s->p.resident > 0 && (s->p.resident == 1 || spare_slot(s) == SLOTS);
    case FAULT_CFG_FINISH:
        return s->epoch == 0 && s->p.resident == 1;
    case FAULT_GROUPS_0:
    case FAULT_GROUPS_ABOVE:
        return s->epoch == 0 && s->p.resident == 0;
    case FAULT_ISSUE_EMPTY:
        return s->p.resident == 0;
    default:
        return false;
    }
}

static void random_cycle(state *s, wr_locality_grouper_in *in, const wr_locality_grouper_out *last)
{
    wr_rng *r = &s->rng;
    wr_faults_step(&s->faults);
    uint32_t fault = wr_faults_pick(&s->faults, last->fault, 4, r);
    if (is_rare(s) && s->faults.quiet == 0 && !last->fault && wr_rng_chance(r, 60)) {
        fault = s->faults.first;
    } else if (s->faults.first == FAULT_CFG_RESIDENT && !last->fault) {
        fault = FAULT_NONE; /* not before the others are gone */
    }
    const bool early =
        fault == FAULT_CFG_RESIDENT || (fault == FAULT_CFG_FINISH && s->p.resident == 1);
    if (s->epoch == 0 && (s->p.resident == 0 || early)) {
        if (fault == FAULT_CFG_FINISH && s->p.resident == 1) {
            wr_picture_finish(&s->p, in, find_slot(s, true));
        } else if (s->p.resident == 0 && s->columns > 0 && wr_rng_chance(r, 50)) {
            wr_picture_launch(&s->p, in, wr_rng_below(r, s->cfg.slots),
                              new_place(s)); /* under the hint before */
        }
        new_kernel(s, in, fault);
    } else {
        random_warps(s, in, fault);
    }
    s->epoch -= s->epoch > 0;
    random_ready(s, in);

    /* Whether the grant stands is known from the picture: some warp is ready or none is. */
    bool any = false;
    bool there = false;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        in->ready[k] = fault == FAULT_ISSUE_STALLED ? !s->p.was[k] : in->ready[k];
        any = any || (s->p.was[k] && in->ready[k]);
        there = there || s->p.was[k];
    }
    in->issue = any ? wr_gate_open(&s->issues, r)
                    : fault == (there ? FAULT_ISSUE_STALLED : FAULT_ISSUE_EMPTY);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    wr_locality_grouper_in *in = in_;
    s->out_before = *(const wr_locality_grouper_out *)last_out;
    wr_picture_follow(&s->p, last_out);
    in->block_x = (uint8_t)wr_rng_below(&s->rng, 256); /* noise where nothing is launched */
    in->launch_slot = (uint8_t)wr_rng_below(&s->rng, s->cfg.slots);
    in->finish_slot = (uint8_t)wr_rng_below(&s->rng, s->cfg.slots); /* and none finishes */
    in->hint = (uint8_t)wr_rng_below(&s->rng, 4);
    in->groups = (uint8_t)wr_rng_below(&s->rng, 64);
    if (s->step < STORY * STORIES) {
        directed(s, in);
    } else {
        random_cycle(s, in, last_out);
    }
    s->p.in_before = *in;
}

#define BINS                                                                                       \
    BIN(HINT_0, "issue under hint 0")                                                              \
    BIN(HINT_1, "issue under hint 1")                                                              \
    BIN(HINT_2, "issue under hint 2")                                                              \
    BIN(HINT_3, "issue under hint 3")                                                              \
    BIN(SAME_1, "hint 1: next warp of the same group")                                             \
    BIN(SAME_2, "hint 2: next warp of the same group")                                             \
    BIN(SAME_3, "hint 3: next warp of the same group")                                             \
    BIN(AGAIN, "the same warp issues twice running")                                               \
    BIN(SWITCH_UP, "switch to a group with a higher key")                                          \
    BIN(SWITCH_DOWN, "switch goes round to a lower key")                                           \
    BIN(DOWN_SLOT, "same group, the search goes round")                                            \
    BIN(ROUND, "a round begins anew, others of the group have had their turn")                     \
    BIN(ROUND_OTHERS, "a round begins anew, warps of another group have had their turn")           \
    BIN(KEPT, "grant not taken")                                                                   \
    BIN(NO_GRANT, "warps resident, none ready")                                                    \
    BIN(EMPTY, "no warp resident")                                                                 \
    BIN(FULL, "every slot resident")                                                               \
    BIN(LAUNCH_FINISH, "launch and finish in one cycle")                                           \
    BIN(LAUNCH_ISSUE, "launch and issue in one cycle")                                             \
    BIN(ALL_THREE, "launch, finish and issue in one cycle")                                        \
    BIN(ISSUE_BELOW, "launch below the group that issues in this cycle")                           \
    BIN(ISSUE_SAME, "launch into the group that issues in this cycle")                             \
    BIN(ISSUE_ABOVE, "launch above the group that issues in this cycle")                           \
    BIN(ALONE_SAME, "new warp of the group served last, alone ready")                              \
    BIN(ALONE_FIRST, "new warp alone ready, nothing served since the cfg")                         \
    BIN(FINISH_GRANTED, "the granted warp finishes as it issues")                                  \
    BIN(FINISH_NEW, "finish in the cycle behind the launch")                                       \
    BIN(AT_ONCE, "launch in the cycle behind the finish in this slot")                             \
    BIN(CFG_LAUNCH, "launch in the cycle of a new kernel")                                         \
    BIN(CFG_LAUNCH_TURN, "launch in the cycle of a new kernel, hint 3 before and behind it")       \
    BIN(CFG_ISSUE, "issue in the cycle of a new kernel")                                           \
    BIN(CFG_FIRST, "cfg with a warp in the first slot alone")                                      \
    BIN(CFG_LAST, "cfg with a warp in the last slot alone")                                        \
    BIN(TURN_MAX, "hint 3: launch into the last of 32 groups")                                     \
    BIN(TURN_ONE, "hint 3: two launches into a group alone")                                       \
    BIN(LAST_SLOT, "grant to the last slot")                                                       \
    BIN(KEY_HIGH, "grant of a key with its top coordinate bit set")                                \
    BIN(KEY_MAX, "grant of the highest key")                                                       \
    BIN(ORDER_MAX, "grant of the highest place in its group")                                      \
    BIN(COORD_TOP, "launch at a coordinate with its top kept bit or one above it")                 \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

/* Operands that differ in one bit alone, each bit. Keys and places in a group are a coordinate and
 * the number of a warp; the pairs count where the slots are in the other order. */
static const wr_near nears[] = {
    {.name = "new key above that of a lower slot, coordinate", .param = "CoordBits"},
    {.name = "new key above that of a lower slot, warp", .width = NUMBER_BITS},
    {.name = "new key below that of a higher slot, coordinate", .param = "CoordBits"},
    {.name = "new key below that of a higher slot, warp", .width = NUMBER_BITS},
    {.name = "new place above that of a lower slot, row", .param = "CoordBits"},
    {.name = "new place above that of a lower slot, warp", .width = NUMBER_BITS},
    {.name = "new place below that of a higher slot, row", .param = "CoordBits"},
    {.name = "new place below that of a higher slot, warp", .width = NUMBER_BITS},
    {.name = "new key and that served before, alone ready, coordinate", .param = "CoordBits"},
    {.name = "new key and that served before, alone ready, warp", .width = NUMBER_BITS},
    {.name = "new key below that served before, another ready, coordinate", .param = "CoordBits"},
    {.name = "new key below that served before, another ready, warp", .width = NUMBER_BITS},
    {.name = "new key and that served meanwhile, alone ready, coordinate", .param = "CoordBits"},
    {.name = "new key and that served meanwhile, alone ready, warp", .width = NUMBER_BITS},
    {.name = "new key below that served meanwhile, another ready, coordinate",
     .param = "CoordBits"},
    {.name = "new key below that served meanwhile, another ready, warp", .width = NUMBER_BITS},
    {.name = "slot of a launch and a vacant one", .width = SLOT_BITS},
    {.name = "slot of a finish and a resident one", .width = SLOT_BITS},
    {.name = "groups and 0", .width = 6},
    {.name = "groups and 32", .width = 6},
    {.name = "next turn of hint 3 and groups", .width = 5},
};
enum {
    NEAR_KEY_ABOVE = BIN_COUNT, /* of each the coordinate, then the number of the warp */
    NEAR_KEY_BELOW = NEAR_KEY_ABOVE + 2,
    NEAR_ORDER_ABOVE = NEAR_KEY_BELOW + 2,
    NEAR_ORDER_BELOW = NEAR_ORDER_ABOVE + 2,
    NEAR_SERVED = NEAR_ORDER_BELOW + 2,
    NEAR_SERVED_BELOW = NEAR_SERVED + 2,
    NEAR_SERVING = NEAR_SERVED_BELOW + 2,
    NEAR_LAUNCH = NEAR_SERVING + 4,
    NEAR_FINISH,
    NEAR_GROUPS_0,
    NEAR_GROUPS_32,
    NEAR_TURN,
};

static void near_place(uint64_t *hits, uint32_t a, uint32_t b)
{
    const uint64_t bit = wr_near_bit(a, b);
    hits[0] |= bit >> NUMBER_BITS;
    hits[1] |= bit & (WR_LOCALITY_BLOCK_WARPS - 1u);
}

/* The new warp against those that are there. */
static void cover_launch(const state *s, const wr_locality_grouper_in *in,
                         const wr_locality_grouper_out *out, uint64_t *hits)
{
    const uint32_t slot = s->p.launched;
    const uint32_t key = s->p.key[slot];
    const uint32_t order = s->p.order[slot];
    const bool issue = in->issue && out->grant_valid;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        if (!s->p.was[k] ||
            (k < slot) != (key != s->p.key[k] ? key > s->p.key[k] : order > s->p.order[k])) {
            continue;
        }
        if (key != s->p.key[k]) {
            near_place(&hits[k < slot ? NEAR_KEY_ABOVE : NEAR_KEY_BELOW], key, s->p.key[k]);
        } else {
            near_place(&hits[k < slot ? NEAR_ORDER_ABOVE : NEAR_ORDER_BELOW], order, s->p.order[k]);
        }
    }
    hits[BIN_ISSUE_BELOW] += issue && key < out->grant_key;
    hits[BIN_ISSUE_SAME] += issue && key == out->grant_key;
    hits[BIN_ISSUE_ABOVE] += issue && key > out->grant_key;
    hits[BIN_AT_ONCE] += slot == s->p.finished;
    hits[BIN_CFG_LAUNCH_TURN] +=
        in->cfg && s->p.hint_then == WR_LOCALITY_SOME && in->hint == WR_LOCALITY_SOME;
    if (!in->cfg && s->p.hint == WR_LOCALITY_SOME) {
        hits[NEAR_TURN] |= wr_near_bit(key + 1, s->p.groups);
        hits[BIN_TURN_MAX] += key == GROUPS - 1;
        hits[BIN_TURN_ONE] += s->p.groups == 1 && s->p.before < SLOTS;
    }
}

/* The warp that was launched in the cycle before against the group served last. */
static void cover_newcomer(const state *s, const wr_locality_grouper_in *in,
                           const wr_locality_grouper_out *out, uint64_t *hits)
{
    const uint32_t key = s->p.key[s->p.before];
    const bool wins = out->grant_valid && out->grant_slot == s->p.before;
    hits[BIN_ALONE_FIRST] += wins && !s->p.served && !s->p.in_before.cfg;
    if (!s->p.served) {
        return;
    }
    hits[BIN_ALONE_SAME] += wins && key == s->p.served_key;
    if (wins) {
        near_place(&hits[s->p.serving ? NEAR_SERVING : NEAR_SERVED], key, s->p.served_key);
    } else if (in->ready[s->p.before] && key < s->p.served_key) {
        near_place(&hits[s->p.serving ? NEAR_SERVING + 2 : NEAR_SERVED_BELOW], key,
                   s->p.served_key);
    }
}

static void cover_round(const state *s, const wr_locality_grouper_out *out, uint64_t *hits)
{
    const uint32_t slot = out->grant_slot & (SLOTS - 1u);
    for (uint32_t k = 0; s->p.had[slot] && k < s->cfg.slots; k++) {
        const bool had = k != slot && s->p.was[k] && s->p.had[k];
        hits[BIN_ROUND] += had && s->p.key[k] == out->grant_key;
        hits[BIN_ROUND_OTHERS] += had && s->p.key[k] != out->grant_key;
    }
}

static void cover_slots(const state *s, const wr_locality_grouper_in *in,
                        const wr_locality_grouper_out *out, uint64_t *hits)
{
    uint32_t there = 0;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        there += s->p.was[k];
        hits[NEAR_LAUNCH] |= in->launch && !s->p.was[k] ? wr_near_bit(in->launch_slot, k) : 0;
        hits[NEAR_FINISH] |= in->finish && s->p.was[k] ? wr_near_bit(in->finish_slot, k) : 0;
    }
    if (in->cfg) {
        hits[NEAR_GROUPS_0] |= wr_near_bit(in->groups, 0);
        hits[NEAR_GROUPS_32] |= wr_near_bit(in->groups, GROUPS);
        hits[BIN_CFG_FIRST] += there == 1 && s->p.was[0] && !out->fault;
        hits[BIN_CFG_LAST] += there == 1 && s->p.was[s->cfg.slots - 1] && !out->fault;
    }
    hits[BIN_NO_GRANT] += !out->grant_valid && there > 1;
    hits[BIN_EMPTY] += !out->grant_valid && there == 0;
    hits[BIN_FULL] += there == s->cfg.slots;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_locality_grouper_in *in = in_;
    const wr_locality_grouper_out *out = out_;
    const wr_locality_grouper_out *was = &s->out_before;
    const bool issue = in->issue && out->grant_valid;
    const bool same = issue && was->grant_valid && !out->grant_switch &&
                      out->grant_key == was->grant_key && out->grant_slot != was->grant_slot;
    const uint32_t all = (1u << (s->cfg.coord_bits + NUMBER_BITS)) - 1u;

    if (s->p.launched < SLOTS) {
        cover_launch(s, in, out, hits);
    }
    if (s->p.before < SLOTS) {
        cover_newcomer(s, in, out, hits);
    }
    cover_slots(s, in, out, hits);
    if (issue) {
        cover_round(s, out, hits);
    }
    hits[BIN_HINT_0 + s->p.hint] += issue && !in->cfg;
    hits[BIN_SAME_1] += same && s->p.hint == WR_LOCALITY_LINES;
    hits[BIN_SAME_2] += same && s->p.hint == WR_LOCALITY_BORDERS;
    hits[BIN_SAME_3] += same && s->p.hint == WR_LOCALITY_SOME;
    hits[BIN_AGAIN] += issue && was->grant_valid && out->grant_slot == was->grant_slot;
    hits[BIN_SWITCH_UP] += issue && out->grant_switch && out->grant_key > was->grant_key;
    hits[BIN_SWITCH_DOWN] +=
        issue && out->grant_switch && was->grant_valid && out->grant_key < was->grant_key;
    hits[BIN_DOWN_SLOT] += same && out->grant_slot < was->grant_slot;
    hits[BIN_KEPT] += out->grant_valid && !in->issue;
    hits[BIN_LAUNCH_FINISH] += in->launch && in->finish;
    hits[BIN_LAUNCH_ISSUE] += in->launch && issue;
    hits[BIN_ALL_THREE] += in->launch && in->finish && issue;
    hits[BIN_FINISH_GRANTED] += issue && in->finish && in->finish_slot == out->grant_slot;
    hits[BIN_FINISH_NEW] += in->finish && in->finish_slot == s->p.before;
    hits[BIN_CFG_LAUNCH] += in->cfg && in->launch;
    hits[BIN_CFG_ISSUE] += in->cfg && issue;
    hits[BIN_LAST_SLOT] += issue && out->grant_slot + 1u == s->cfg.slots;
    hits[BIN_KEY_HIGH] += issue && (out->grant_key >> (s->cfg.coord_bits + 4)) != 0;
    hits[BIN_KEY_MAX] += issue && out->grant_key == all;
    hits[BIN_ORDER_MAX] += issue && s->p.order[out->grant_slot & (SLOTS - 1u)] == all;
    hits[BIN_COORD_TOP] += in->launch && in->block_y >= (1u << (s->cfg.coord_bits - 1));
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

extern const wr_stim wr_locality_grouper_stim;
const wr_stim wr_locality_grouper_stim = {
    .block = "locality_grouper",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BIN_COUNT,
    .cover = cover,
    .nears = nears,
    .near_count = sizeof nears / sizeof nears[0],
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
