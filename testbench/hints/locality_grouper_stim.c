/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of locality_grouper: kernels whose warps come, issue, stall and finish.
 *
 * A picture of the slots is kept here, so that only what is meant as a fault is one. Directed: the
 * blocks of Gong's examples (a row of blocks under hint 1, a column under hint 2, warps dealt out
 * under hint 3), each with all warps ready, then with groups that stall. Then kernels in a row.
 */
#include <string.h>

#include "refmodel/hints/locality_grouper.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_LAUNCH_TAKEN,
    FAULT_LAUNCH_PAST,
    FAULT_LAUNCH_FINISH,
    FAULT_FINISH_VACANT,
    FAULT_FINISH_PAST,
    FAULT_ISSUE,
    FAULT_CFG_RESIDENT,
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
    [FAULT_ISSUE] = "issue without a grant",
    [FAULT_CFG_RESIDENT] = "cfg with a resident warp",
    [FAULT_GROUPS_0] = "cfg with 0 groups",
    [FAULT_GROUPS_ABOVE] = "cfg with more than 32 groups",
};

typedef struct state {
    wr_locality_grouper_cfg cfg;
    wr_rng rng;
    wr_gate issues;
    wr_faults faults;

    uint32_t step; /* directed: cycle of the story; past it: random */
    bool used[WR_LOCALITY_SLOTS_MAX];
    bool stalled[WR_LOCALITY_SLOTS_MAX];
    uint32_t resident;
    uint32_t epoch;
    uint32_t mood;
    uint32_t stall_percent, wake_percent;
    uint32_t columns, rows, block_warps;
    uint8_t hint;
    wr_locality_grouper_in before;
    wr_locality_grouper_out out_before;
} state;

enum { STORY = 28, STORIES = 4, WARPS = 4 };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_locality_grouper_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed && s->cfg.slots >= WARPS ? 0 : STORY * STORIES;
}

static void launch(state *s, wr_locality_grouper_in *in, uint32_t slot, uint32_t x, uint32_t y,
                   uint32_t warp)
{
    in->launch = true;
    in->launch_slot = (uint8_t)slot;
    in->block_x = (uint8_t)x;
    in->block_y = (uint8_t)y;
    in->warp = (uint8_t)warp;
    s->stalled[slot] = false;
    s->used[slot] = true;
    s->resident++;
}

static void finish(state *s, wr_locality_grouper_in *in, uint32_t slot)
{
    in->finish = true;
    in->finish_slot = (uint8_t)slot;
    s->used[slot] = false;
    s->resident--;
}

/* Four warps, two blocks of two; issue for a while; warps of the first group stall; all finish. */
static void directed(state *s, wr_locality_grouper_in *in)
{
    const uint32_t story = s->step / STORY;
    const uint32_t cycle = s->step % STORY;
    if (cycle == 0) {
        in->cfg = true;
        in->hint = (uint8_t)((story + 1) % 4);
        in->groups = 2;
        s->hint = in->hint;
    } else if (cycle <= WARPS) {
        const uint32_t n = cycle - 1;
        /* hint 2: blocks above each other, hint 1: side by side */
        launch(s, in, n, story == 1 ? 0 : n / 2, story == 1 ? n / 2 : 0, n % 2);
    } else if (cycle >= STORY - WARPS) {
        finish(s, in, STORY - 1 - cycle);
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
        if (s->used[slot] == used) {
            return slot;
        }
    }
    return s->cfg.slots;
}

static void new_kernel(state *s, wr_locality_grouper_in *in, uint32_t fault)
{
    wr_rng *r = &s->rng;
    static const uint32_t sizes[] = {1, 2, 4, 32, 3, 8};
    in->cfg = true;
    in->hint = (uint8_t)wr_rng_below(r, 4);
    in->groups = (uint8_t)(wr_rng_chance(r, 20) ? 32 : 1 + wr_rng_below(r, 8));
    if (fault == FAULT_GROUPS_0 || fault == FAULT_GROUPS_ABOVE) {
        in->groups = fault == FAULT_GROUPS_0 ? 0 : (uint8_t)(33 + wr_rng_below(r, 31));
    }
    s->hint = in->hint;
    s->epoch = 100 + wr_rng_below(r, 1200);
    s->columns = wr_rng_chance(r, 20) ? 256 : 1 + wr_rng_below(r, 5);
    s->rows = wr_rng_chance(r, 20) ? 256 : 1 + wr_rng_below(r, 5);
    s->block_warps = sizes[wr_rng_below(r, 6)];
}

static uint32_t past_slot(state *s)
{
    return s->cfg.slots < 64 ? s->cfg.slots + wr_rng_below(&s->rng, 64 - s->cfg.slots) : 64;
}

/* The slot of a launch, or of a finish, that breaks the protocol so; 64: none. */
static uint32_t bad_launch(state *s, uint32_t fault, uint32_t held)
{
    const uint32_t taken = held < s->cfg.slots ? held : 64;
    return fault == FAULT_LAUNCH_PAST                                    ? past_slot(s)
           : fault == FAULT_LAUNCH_TAKEN || fault == FAULT_LAUNCH_FINISH ? taken
                                                                         : 64;
}

static uint32_t bad_finish(state *s, uint32_t fault, uint32_t vacant)
{
    return fault == FAULT_FINISH_PAST                              ? past_slot(s)
           : fault == FAULT_FINISH_VACANT && vacant < s->cfg.slots ? vacant
                                                                   : 64;
}

static void random_warps(state *s, wr_locality_grouper_in *in, uint32_t fault)
{
    wr_rng *r = &s->rng;
    const uint32_t vacant = find_slot(s, false);
    const uint32_t held = find_slot(s, true);
    const uint32_t wrong_launch = bad_launch(s, fault, held);
    const uint32_t wrong_finish = bad_finish(s, fault, vacant);
    if (wrong_launch < 64) {
        in->launch = true;
        in->launch_slot = (uint8_t)wrong_launch;
    } else if (s->epoch > 0 && vacant < s->cfg.slots && wr_rng_chance(r, 25) &&
               wrong_finish == 64) {
        launch(s, in, vacant, wr_rng_below(r, s->columns), wr_rng_below(r, s->rows),
               wr_rng_below(r, s->block_warps));
    }
    if (wrong_finish < 64) {
        in->finish = true;
        in->finish_slot = (uint8_t)wrong_finish;
    } else if (held < s->cfg.slots &&
               (fault == FAULT_LAUNCH_FINISH || wr_rng_chance(r, s->epoch == 0 ? 60 : 4))) {
        if (!(in->launch && in->launch_slot == held) || fault == FAULT_LAUNCH_FINISH) {
            finish(s, in, held);
        }
    }
}

static void random_cycle(state *s, wr_locality_grouper_in *in, const wr_locality_grouper_out *last)
{
    wr_rng *r = &s->rng;
    wr_faults_step(&s->faults);
    uint32_t fault = wr_faults_pick(&s->faults, last->fault, 4, r);
    if (s->epoch == 0 && s->resident == 0 && s->faults.quiet == 0 && !last->fault) {
        fault = s->faults.first; /* new kernels are rare */
    }
    if (s->epoch == 0 && (s->resident == 0 || fault == FAULT_CFG_RESIDENT)) {
        new_kernel(s, in, fault);
        if (s->resident == 0 && wr_rng_chance(r, 50)) {
            launch(s, in, wr_rng_below(r, s->cfg.slots), 0, 0, 0); /* under the hint before */
        }
    } else {
        random_warps(s, in, fault);
    }
    s->epoch -= s->epoch > 0;
    if (s->mood == 0) {
        static const uint32_t percents[] = {0, 5, 30, 80};
        s->mood = 20 + wr_rng_below(r, 80);
        s->stall_percent = percents[wr_rng_below(r, 4)];
        s->wake_percent = percents[1 + wr_rng_below(r, 3)];
    }
    s->mood--;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        s->stalled[k] = s->stalled[k] ? !wr_rng_chance(r, s->wake_percent)
                                      : wr_rng_chance(r, s->stall_percent / 4);
        in->ready[k] = !s->stalled[k];
    }
    /* Whether the grant stands is known for the picture here: some warp is ready or none is. */
    bool any = false;
    for (uint32_t k = 0; k < s->cfg.slots; k++) {
        const bool was = s->used[k]
                             ? !(in->launch && in->launch_slot == k)
                             : in->finish && in->finish_slot == k && fault != FAULT_FINISH_VACANT;
        any = any || (was && in->ready[k]);
    }
    in->issue = any ? wr_gate_open(&s->issues, r) : fault == FAULT_ISSUE;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    wr_locality_grouper_in *in = in_;
    s->out_before = *(const wr_locality_grouper_out *)last_out;
    in->block_x = (uint8_t)wr_rng_below(&s->rng, 256); /* noise where nothing is launched */
    in->launch_slot = (uint8_t)wr_rng_below(&s->rng, s->cfg.slots);
    in->finish_slot = (uint8_t)wr_rng_below(&s->rng, s->cfg.slots); /* and none finishes */
    in->hint = (uint8_t)wr_rng_below(&s->rng, 4);
    if (s->step < STORY * STORIES) {
        directed(s, in);
    } else {
        random_cycle(s, in, last_out);
    }
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
    BIN(KEPT, "grant not taken")                                                                   \
    BIN(NO_GRANT, "warps resident, none ready")                                                    \
    BIN(EMPTY, "no warp resident")                                                                 \
    BIN(FULL, "every slot resident")                                                               \
    BIN(LAUNCH_FINISH, "launch and finish in one cycle")                                           \
    BIN(LAUNCH_ISSUE, "launch and issue in one cycle")                                             \
    BIN(FINISH_GRANTED, "the granted warp finishes as it issues")                                  \
    BIN(CFG_LAUNCH, "launch in the cycle of a new kernel")                                         \
    BIN(LAST_SLOT, "grant to the last slot")                                                       \
    BIN(KEY_HIGH, "grant of a key with its top coordinate bit set")                                \
    BIN(COORD_TOP, "launch at a coordinate with its top kept bit or one above it")                 \
    BIN(FAULT, "fault")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_locality_grouper_in *in = in_;
    const wr_locality_grouper_out *out = out_;
    const wr_locality_grouper_out *was = &s->out_before;
    const bool issue = in->issue && out->grant_valid;
    const bool same = issue && was->grant_valid && !out->grant_switch &&
                      out->grant_key == was->grant_key && out->grant_slot != was->grant_slot;
    hits[BIN_HINT_0 + s->hint] += issue && !in->cfg;
    hits[BIN_SAME_1] += same && s->hint == WR_LOCALITY_LINES;
    hits[BIN_SAME_2] += same && s->hint == WR_LOCALITY_BORDERS;
    hits[BIN_SAME_3] += same && s->hint == WR_LOCALITY_SOME;
    hits[BIN_AGAIN] += issue && was->grant_valid && out->grant_slot == was->grant_slot;
    hits[BIN_SWITCH_UP] += issue && out->grant_switch && out->grant_key > was->grant_key;
    hits[BIN_SWITCH_DOWN] +=
        issue && out->grant_switch && was->grant_valid && out->grant_key < was->grant_key;
    hits[BIN_DOWN_SLOT] += same && out->grant_slot < was->grant_slot;
    hits[BIN_KEPT] += out->grant_valid && !in->issue;
    hits[BIN_NO_GRANT] += !out->grant_valid && s->resident > 1;
    hits[BIN_EMPTY] += !out->grant_valid && s->resident == 0;
    hits[BIN_FULL] += s->resident == s->cfg.slots;
    hits[BIN_LAUNCH_FINISH] += in->launch && in->finish;
    hits[BIN_LAUNCH_ISSUE] += in->launch && issue;
    hits[BIN_FINISH_GRANTED] += issue && in->finish && in->finish_slot == out->grant_slot;
    hits[BIN_CFG_LAUNCH] += in->cfg && in->launch;
    hits[BIN_LAST_SLOT] += issue && out->grant_slot + 1u == s->cfg.slots;
    hits[BIN_KEY_HIGH] += issue && (out->grant_key >> (s->cfg.coord_bits + 4)) != 0;
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
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
