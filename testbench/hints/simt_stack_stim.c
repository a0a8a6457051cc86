/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of simt_stack: a list of directed steps, then random operations on a handful of PCs, so
 * that targets, reconvergence PCs and the top's own meet often.
 *
 * Directed: an if with both sides, a loop that lanes leave one after the other, both sides of a
 * branch at its reconvergence PC, the last entries taken by loads and by splits of each size,
 * overflow and the clear behind it. Operations follow each other without a gap; what the stack
 * holds is seen one cycle late, so a load that might meet a full stack waits a cycle, except where
 * faults are wanted.
 */
#include <string.h>

#include "refmodel/gen/simt_stack_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { IDLE, CLEAR, LOAD, STEP, BRANCH };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_LOAD_FULL,
    FAULT_STEP_EMPTY,
    FAULT_BRANCH_EMPTY,
    FAULT_OP,
    FAULT_KINDS = FAULT_OP,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_LOAD_FULL] = "load of a full stack",
    [FAULT_STEP_EMPTY] = "step of an empty stack",
    [FAULT_BRANCH_EMPTY] = "branch of an empty stack",
    [FAULT_OP] = "op that is none",
};

typedef struct state {
    wr_simt_stack_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed; /* the directed cases come first */
    uint8_t last_op;
    uint8_t last_depth; /* at the start of the cycle before */
    bool popped;        /* the cycle before dropped an entry */
    uint32_t mood;      /* percent of operations that build up */
    uint32_t mood_left;
} state;

typedef struct step {
    uint8_t op;
    uint32_t pc;
    uint32_t alt_pc;
    uint32_t rpc;
    uint64_t mask;
} step;

#define ALL  UINT64_MAX
#define EVEN UINT64_C(0x5555555555555555)

static const step steps[] = {
    {LOAD, 10, 0, UINT32_MAX, ALL}, /* the bottom */
    {STEP, 11, 0, 0, 0},
    {STEP, UINT32_MAX, 0, 0, 0}, /* the bottom never leaves */
    {STEP, 12, 0, 0, 0},
    {BRANCH, 20, 13, 30, EVEN}, /* an if with both sides */
    {STEP, 21, 0, 0, 0},
    {STEP, 30, 0, 0, 0}, /* the taken side is there */
    {STEP, 14, 0, 0, 0},
    {STEP, 30, 0, 0, 0},           /* and the other: all lanes at 30 */
    {BRANCH, 40, 31, 31, ALL - 1}, /* a loop: one lane leaves, the rest go round */
    {BRANCH, 40, 31, 31, ALL - 3}, /* the next: no entry is spent */
    {BRANCH, 40, 31, 31, ALL},     /* nobody leaves */
    {BRANCH, 40, 31, 31, 0},       /* all do */
    {BRANCH, 50, 51, 60, 0},       /* all one way */
    {BRANCH, 60, 60, 60, 1},       /* both sides at the reconvergence PC */
    {IDLE, 0, 0, 0, 0},
    {CLEAR, 0, 0, 0, 0},
    {LOAD, 1, 0, 99, ALL},
    {BRANCH, 2, 3, 99, 1}, /* the bottom has this reconvergence PC: it stays all the same */
    {IDLE, 0, 0, 0, 0},
    {BRANCH, 5, 6, 7, 1}, /* a single lane does not split */
    {CLEAR, 0, 0, 0, 0},
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_simt_stack_cfg *)cfg, .last_op = CLEAR};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

static uint32_t pc_of(state *s)
{
    static const uint32_t pcs[] = {0, 1, 2, 100, 101, UINT32_MAX};
    return wr_rng_chance(&s->rng, 5) ? wr_rng_u32(&s->rng)
                                     : pcs[wr_rng_below(&s->rng, sizeof pcs / sizeof pcs[0])];
}

static uint64_t mask_of(state *s, bool load)
{
    const uint32_t pick = wr_rng_below(&s->rng, 10);
    if (load ? pick < 7 : pick == 0) {
        return ALL;
    }
    if (load && pick == 7) {
        return 0;
    }
    switch (pick) {
    case 1:
        return 0;
    case 2:
        return UINT64_C(1) << (s->cfg.lanes - 1);
    case 3:
        return ~(UINT64_C(1) << wr_rng_below(&s->rng, 64));
    default:
        return wr_rng_u64(&s->rng);
    }
}

/* Behind the directed steps both borders of the stack, each size of a split once. */
static bool at_border(const state *s, uint64_t k, wr_simt_stack_in *in)
{
    const uint64_t loads = s->cfg.entries - 1;
    const step tail[] = {
        {BRANCH, 5, 6, 7, 1}, /* two more: no room */
        {BRANCH, 5, 7, 7, 1}, /* one more: the last entry */
        {LOAD, 4, 0, 8, ALL}, /* in a run with faults: full */
        {BRANCH, 5, 6, 7, 0}, /* over an overflow */
        {CLEAR, 0, 0, 0, 0},  {CLEAR, 0, 0, 0, 0},
    };
    if (k < loads) {
        *in = (wr_simt_stack_in){.op = LOAD, .pc = (uint32_t)k, .rpc = 90, .mask = ALL};
        return true;
    }
    if (k - loads >= sizeof tail / sizeof tail[0]) {
        return false;
    }
    const step *d = &tail[k - loads];
    if (d->op == LOAD && s->faults.first != FAULT_LOAD_FULL) {
        return true;
    }
    *in = (wr_simt_stack_in){d->op, d->pc, d->alt_pc, d->rpc, d->mask};
    return true;
}

static void random_op(state *s, const wr_simt_stack_out *last, wr_simt_stack_in *in)
{
    const bool empty = s->last_op == CLEAR || (last->depth == 0 && s->last_op != LOAD);
    const uint32_t more = s->last_op == LOAD ? 1u : s->last_op == BRANCH ? 2u : 0u;
    const bool maybe_full = last->depth + more >= s->cfg.entries;

    if (s->mood_left == 0) {
        static const uint32_t moods[] = {90, 70, 50, 30};
        s->mood = moods[wr_rng_below(&s->rng, sizeof moods / sizeof moods[0])];
        s->mood_left = 10 + wr_rng_below(&s->rng, 40);
    }
    s->mood_left--;
    if (wr_rng_chance(&s->rng, 2)) {
        in->op = CLEAR;
    } else if (wr_rng_chance(&s->rng, 10)) {
        in->op = IDLE;
    } else if (empty) {
        in->op = wr_rng_chance(&s->rng, 80) ? LOAD : IDLE;
    } else if (wr_rng_chance(&s->rng, s->mood)) {
        in->op = wr_rng_chance(&s->rng, 40) && !maybe_full ? LOAD : BRANCH;
    } else {
        in->op = STEP;
    }
    switch (wr_faults_pick(&s->faults, last->fault, 20, &s->rng)) {
    case FAULT_LOAD_FULL:
        in->op = maybe_full ? LOAD : in->op;
        break;
    case FAULT_STEP_EMPTY:
        in->op = empty ? STEP : in->op;
        break;
    case FAULT_BRANCH_EMPTY:
        in->op = empty ? BRANCH : in->op;
        break;
    case FAULT_OP:
        in->op = (uint8_t)(5 + wr_rng_below(&s->rng, 3));
        break;
    default:
        break;
    }
    in->mask = mask_of(s, in->op == LOAD);
    in->rpc = wr_rng_chance(&s->rng, 30) ? last->rpc : pc_of(s);
    in->pc = wr_rng_chance(&s->rng, 30) ? (in->op == BRANCH ? in->rpc : last->rpc) : pc_of(s);
    in->alt_pc = wr_rng_chance(&s->rng, 30) ? in->rpc : pc_of(s);
    if (wr_rng_chance(&s->rng, 10)) {
        uint32_t *pin[] = {&in->pc, &in->alt_pc, &in->rpc};
        *pin[wr_rng_below(&s->rng, 3)] =
            (uint32_t)wr_near_value(wr_rng_chance(&s->rng, 50) ? in->rpc : last->rpc, 32, &s->rng);
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_simt_stack_out *last = last_out;
    wr_simt_stack_in *in = in_;
    const uint64_t listed = sizeof steps / sizeof steps[0];

    s->popped = last->depth < s->last_depth && last->depth > 0;
    s->last_depth = last->depth;
    if (s->directed && cycle < listed) {
        const step *d = &steps[cycle];
        *in = (wr_simt_stack_in){d->op, d->pc, d->alt_pc, d->rpc, d->mask};
    } else if (!s->directed || !at_border(s, cycle - listed, in)) {
        wr_faults_step(&s->faults);
        random_op(s, last, in);
    }
    s->last_op = in->op;
}

static const char *const bin_names[] = {
    "idle",
    "load into an empty stack",
    "load takes the last entry",
    "load into a full stack",
    "step",
    "step reconverges",
    "step of the bottom to its reconvergence PC",
    "branch, all lanes take it",
    "branch, no lane takes it",
    "branch, all lanes take it and reconverge",
    "branch, no lane takes it and all reconverge",
    "branch of a top without lanes",
    "branch with lanes that are not active",
    "split, two entries more",
    "split, taken side at the reconvergence PC",
    "split, other side at the reconvergence PC",
    "split, both sides at the reconvergence PC",
    "split at the top's reconvergence PC, both sides go on",
    "split at the top's reconvergence PC, one side goes on",
    "split at the top's reconvergence PC, both sides at it",
    "split of the bottom at its own reconvergence PC",
    "split of the highest lane",
    "split takes the last entry",
    "overflow by one entry",
    "overflow by two entries",
    "overflow at the top's reconvergence PC",
    "operation behind an overflow",
    "clear of an overflow",
    "clear of a full stack",
    "clear of an empty stack",
    "two entries left in a row",
    "step of an empty stack",
    "branch of an empty stack",
    "operation 5",
    "operation 6",
    "operation 7",
    "full",
    "fault",
};
enum {
    BIN_IDLE,
    BIN_LOAD_EMPTY,
    BIN_LOAD_LAST,
    BIN_LOAD_FULL,
    BIN_STEP,
    BIN_STEP_POP,
    BIN_STEP_BOTTOM,
    BIN_ALL,
    BIN_NONE,
    BIN_ALL_POP,
    BIN_NONE_POP,
    BIN_NO_LANES,
    BIN_INACTIVE,
    BIN_SPLIT_TWO,
    BIN_SPLIT_TAKEN_AT,
    BIN_SPLIT_OTHER_AT,
    BIN_SPLIT_BOTH_AT,
    BIN_FLAT_TWO,
    BIN_FLAT_ONE,
    BIN_FLAT_NONE,
    BIN_SPLIT_BOTTOM,
    BIN_SPLIT_HIGHEST,
    BIN_SPLIT_LAST,
    BIN_OVER_ONE,
    BIN_OVER_TWO,
    BIN_OVER_FLAT,
    BIN_BEHIND_OVER,
    BIN_CLEAR_OVER,
    BIN_CLEAR_FULL,
    BIN_CLEAR_EMPTY,
    BIN_POPS,
    BIN_STEP_EMPTY,
    BIN_BRANCH_EMPTY,
    BIN_OP_5,
    BIN_OP_6,
    BIN_OP_7,
    BIN_FULL,
    BIN_FAULT,
    BINS,
};

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "PC and reconvergence PC of the top", .width = 32},
    {.name = "reconvergence PC of a split and of the top", .width = 32},
    {.name = "taken PC and reconvergence PC of a split", .width = 32},
    {.name = "other PC and reconvergence PC of a split", .width = 32},
};
enum {
    NEAR_STEP = BINS,
    NEAR_FLAT,
    NEAR_TAKEN,
    NEAR_OTHER,
};

static void cover_split(const state *s, const wr_simt_stack_in *in, const wr_simt_stack_out *out,
                        uint64_t taken, uint64_t *hits)
{
    const uint32_t entries = s->cfg.entries;
    const bool flat = out->depth > 1 && in->rpc == out->rpc;
    const bool taken_at = in->pc == in->rpc;
    const bool other_at = in->alt_pc == in->rpc;
    const uint32_t depth = out->depth + 2u - flat - taken_at - other_at;
    hits[NEAR_FLAT] |= out->depth > 1 ? wr_near_bit(in->rpc, out->rpc) : 0;
    hits[NEAR_TAKEN] |= wr_near_bit(in->pc, in->rpc);
    hits[NEAR_OTHER] |= wr_near_bit(in->alt_pc, in->rpc);
    hits[BIN_OVER_ONE] += depth == entries + 1;
    hits[BIN_OVER_TWO] += depth == entries + 2;
    hits[BIN_OVER_FLAT] += depth > entries && flat;
    if (depth > entries) {
        return;
    }
    hits[BIN_SPLIT_TWO] += !flat && !taken_at && !other_at;
    hits[BIN_SPLIT_TAKEN_AT] += !flat && taken_at && !other_at;
    hits[BIN_SPLIT_OTHER_AT] += !flat && !taken_at && other_at;
    hits[BIN_SPLIT_BOTH_AT] += !flat && taken_at && other_at;
    hits[BIN_FLAT_TWO] += flat && !taken_at && !other_at;
    hits[BIN_FLAT_ONE] += flat && taken_at != other_at;
    hits[BIN_FLAT_NONE] += flat && taken_at && other_at;
    hits[BIN_SPLIT_BOTTOM] += out->depth == 1 && in->rpc == out->rpc;
    hits[BIN_SPLIT_HIGHEST] += taken == UINT64_C(1) << (s->cfg.lanes - 1);
    hits[BIN_SPLIT_LAST] += depth == entries && out->depth < entries;
}

static void cover_branch(const state *s, const wr_simt_stack_in *in, const wr_simt_stack_out *out,
                         uint64_t *hits)
{
    const uint64_t taken = out->mask & in->mask;
    const uint64_t other = out->mask & ~in->mask;
    hits[BIN_NO_LANES] += out->mask == 0;
    hits[BIN_INACTIVE] += (in->mask & ~out->mask) != 0;
    hits[BIN_ALL] += taken != 0 && other == 0;
    hits[BIN_NONE] += taken == 0 && other != 0;
    hits[BIN_ALL_POP] += taken != 0 && other == 0 && out->depth > 1 && in->pc == out->rpc;
    hits[BIN_NONE_POP] += taken == 0 && out->depth > 1 && in->alt_pc == out->rpc;
    if (taken != 0 && other != 0) {
        cover_split(s, in, out, taken, hits);
    }
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_simt_stack_in *in = in_;
    const wr_simt_stack_out *out = out_;
    const bool empty = out->depth == 0;
    const bool full = out->depth == s->cfg.entries;

    hits[BIN_IDLE] += in->op == IDLE;
    hits[BIN_CLEAR_OVER] += in->op == CLEAR && out->overflow;
    hits[BIN_CLEAR_FULL] += in->op == CLEAR && full;
    hits[BIN_CLEAR_EMPTY] += in->op == CLEAR && empty;
    hits[BIN_LOAD_EMPTY] += in->op == LOAD && empty;
    hits[BIN_LOAD_LAST] += in->op == LOAD && out->depth + 1u == s->cfg.entries;
    hits[BIN_LOAD_FULL] += in->op == LOAD && full;
    hits[BIN_STEP] += in->op == STEP && !empty;
    hits[NEAR_STEP] |= in->op == STEP && out->depth > 1 ? wr_near_bit(in->pc, out->rpc) : 0;
    hits[BIN_STEP_POP] += in->op == STEP && out->depth > 1 && in->pc == out->rpc;
    hits[BIN_STEP_BOTTOM] += in->op == STEP && out->depth == 1 && in->pc == out->rpc;
    hits[BIN_STEP_EMPTY] += in->op == STEP && empty;
    hits[BIN_BRANCH_EMPTY] += in->op == BRANCH && empty;
    hits[BIN_BEHIND_OVER] += in->op >= LOAD && in->op <= BRANCH && out->overflow;
    hits[BIN_OP_5] += in->op == 5;
    hits[BIN_OP_6] += in->op == 6;
    hits[BIN_OP_7] += in->op == 7;
    hits[BIN_FULL] += full;
    hits[BIN_FAULT] += out->fault;
    hits[BIN_POPS] += s->popped && out->depth > 0 && out->depth < s->last_depth;
    if (in->op == BRANCH && !empty) {
        cover_branch(s, in, out, hits);
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_simt_stack_stim;
const wr_stim wr_simt_stack_stim = {
    .block = "simt_stack",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .nears = nears,
    .near_count = sizeof nears / sizeof nears[0],
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
