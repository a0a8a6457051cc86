/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of hint_decoder: one hint group after another, each a stall, a chain and a return.
 *
 * Directed: the chain of Gong Fig. 5.7 (I3, I4, I6), the loop of Fig. 5.1 from I17 over the back
 * edge, offsets at both ends of the reach, a full RCU with an instruction at the output. Random
 * groups then mix formats, renaming, far branches, splits with a redirect to the other side, held
 * back issue, early returns, and all kinds of faults. The stimulus knows the PC that the block
 * fetches, so that what it offers fits.
 */
#include <string.h>

#include "refmodel/gen/hint_decoder_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { IN_ORDER, HINT, WAIT };
enum {
    VALID = 1u << 23,
    TYPE = 1u << 22,
    RENAME = 1u << 8,
    PAYLOAD = VALID - 1u,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_PC,
    FAULT_PC_HIGH,
    FAULT_NO_HINT,
    FAULT_RESERVED,
    FAULT_RESERVED_BRANCH,
    FAULT_RENAME,
    FAULT_DST,
    FAULT_NO_LANE,
    FAULT_STALL,
    FAULT_REDIRECT,
    FAULT_TAKE,
    FAULT_TAKE_FULL,
    FAULT_RESERVED_STALL,
    FAULT_KINDS = FAULT_RESERVED_STALL,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_PC] = "pc other than fetch_pc, lower half",
    [FAULT_PC_HIGH] = "pc other than fetch_pc, upper half",
    [FAULT_NO_HINT] = "instruction without a hint",
    [FAULT_RESERVED] = "reserved bits of an instruction",
    [FAULT_RESERVED_BRANCH] = "reserved bits of a branch",
    [FAULT_RENAME] = "rename where it may not be",
    [FAULT_DST] = "dst other than the decoded one",
    [FAULT_NO_LANE] = "conditional branch with no lane",
    [FAULT_STALL] = "stall out of order",
    [FAULT_REDIRECT] = "redirect outside of hint mode",
    [FAULT_TAKE] = "take without issue",
    [FAULT_TAKE_FULL] = "take while the RCU is full",
    [FAULT_RESERVED_STALL] = "reserved bits at a stall",
};

typedef struct state {
    wr_hint_decoder_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed; /* the directed cases come first */
    wr_gate offer;
    wr_gate take;

    uint32_t mode;
    uint32_t base;
    int32_t next; /* distance of the next instruction */
    bool issue;
    wr_hint_decoder_in last;
    bool shared;       /* taken and not taken of the branch before */
    uint32_t patience; /* cycles until the operation returns */
} state;

/* Directed: an instruction of a chain and its hint. */
typedef struct step {
    enum { STALL, PLAIN, JUMP, RESUME, FULL, HOLD, REDIRECT } what;
    int32_t pc;
    int32_t target; /* PC that the hint points at; the stall point ends the chain */
    int32_t other;  /* not-taken target of a conditional branch; 0: direct */
    uint8_t dst;
    uint8_t renamed; /* 0: not renamed */
} step;

/* Target of a hint that ends the chain. */
#define END INT32_MIN

static const step steps[] = {
    {STALL, 3, 4, 0, 0, 0}, /* Fig. 5.7 */
    {PLAIN, 4, 6, 0, 4, 0},   {PLAIN, 6, END, 0, 5, 0}, {HOLD, 0, 0, 0, 0, 0},
    {RESUME, 0, 0, 0, 0, 0},  {STALL, 17, 19, 0, 0, 0}, /* Fig. 5.1 */
    {PLAIN, 19, 20, 0, 7, 0}, {JUMP, 20, 1, 0, 0, 0},   {PLAIN, 1, 2, 0, 0xf0, 0},
    {JUMP, 2, END, 3, 0, 0},  {PLAIN, 3, 4, 0, 9, 40},  {PLAIN, 4, 5, 0, 9, 41},
    {PLAIN, 5, 6, 0, 9, 42},  {FULL, 0, 0, 0, 0, 0}, /* with I5 at the output */
    {HOLD, 0, 0, 0, 0, 0},    {RESUME, 0, 0, 0, 0, 0},
};

static int32_t reach(const state *s)
{
    return 1 << (s->cfg.offset_w - 1u);
}

static bool in_reach(const state *s, int32_t distance)
{
    return distance != 0 && distance >= -reach(s) && distance < reach(s);
}

static int32_t signed_field(uint32_t word, uint32_t at, uint32_t width)
{
    const uint32_t value = (word >> at) & ((1u << width) - 1u);
    return (int32_t)(value ^ (1u << (width - 1u))) - (int32_t)(1u << (width - 1u));
}

static uint32_t put_field(int32_t value, uint32_t at, uint32_t width)
{
    return ((uint32_t)value & ((1u << width) - 1u)) << at;
}

static void go_to(state *s, int32_t distance)
{
    s->mode = in_reach(s, distance) ? HINT : WAIT;
    s->next = s->mode == HINT ? distance : 0;
}

/* Where the chain goes behind an instruction that was accepted. */
static int32_t target_of(const state *s, const wr_hint_decoder_in *in)
{
    if (in->pc != s->base + (uint32_t)s->next || (in->hint & VALID) == 0) {
        return 0;
    }
    if (!in->branch) {
        return signed_field(in->hint, 9, s->cfg.offset_w);
    }
    if ((in->hint & TYPE) != 0 || in->taken) {
        return signed_field(in->hint, 0, s->cfg.branch_w);
    }
    return in->not_taken ? signed_field(in->hint, 11, s->cfg.branch_w) : 0;
}

/* What the cycle before has done. */
static void follow(state *s, bool ready)
{
    const wr_hint_decoder_in *in = &s->last;
    const bool accepted = in->valid && ready;
    const bool good = accepted && in->pc == s->base + (uint32_t)s->next && (in->hint & VALID) != 0;
    s->shared = false;
    if (in->resume) {
        s->mode = IN_ORDER;
        s->next = 0;
        s->issue = false;
    } else if (s->mode == IN_ORDER) {
        const int32_t entry = signed_field(in->hint, 9, s->cfg.offset_w);
        if (in->stall && in->rcu_empty && (in->hint & VALID) != 0 && entry != 0) {
            s->base = in->pc;
            go_to(s, entry);
        }
    } else if (in->rcu_full) {
        s->issue = false;
        go_to(s, 0);
    } else {
        s->issue = good || (s->issue && !in->take);
        if (in->redirect && s->mode == HINT) {
            go_to(s, (int32_t)(in->pc - s->base));
        } else if (accepted) {
            s->shared = good && in->branch && (in->hint & TYPE) == 0 && in->taken && in->not_taken;
            go_to(s, target_of(s, in));
        }
    }
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_hint_decoder_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

static int32_t distance(const step *d, int32_t target, int32_t base)
{
    return target == END || (d->what == JUMP && target == 0) ? 0 : target - base;
}

static void directed(const state *s, uint64_t cycle, wr_hint_decoder_in *in)
{
    const step *d = &steps[cycle];
    const int32_t base = d->what == STALL ? d->pc : (int32_t)s->base;
    const bool special = d->dst >= s->cfg.special_base;
    in->pc = (uint32_t)d->pc;
    in->stall = d->what == STALL;
    in->valid = d->what == PLAIN || d->what == JUMP;
    in->branch = d->what == JUMP;
    in->resume = d->what == RESUME;
    in->rcu_full = d->what == FULL;
    in->rcu_empty = true;
    in->dst = d->dst;
    in->take = s->issue && d->what != FULL;
    in->taken = false;
    in->not_taken = true;
    if (d->what == JUMP) {
        in->hint = VALID | (d->other == 0 ? TYPE : 0) |
                   put_field(distance(d, d->target, base), 0, s->cfg.branch_w) |
                   put_field(distance(d, d->other, base), 11, s->cfg.branch_w);
    } else {
        const bool rename = d->renamed != 0 && !special && d->renamed < s->cfg.special_base;
        in->hint = VALID | put_field(distance(d, d->target, base), 9, s->cfg.offset_w) |
                   (rename ? RENAME | d->renamed : d->dst);
    }
}

/* A distance inside `width` bits, often one at an end, and rarely the end of a chain. */
static int32_t random_distance(state *s, uint32_t width)
{
    const int32_t half = 1 << (width - 1u);
    const int32_t edges[] = {0,        1,    -1, reach(s) - 1, -reach(s), reach(s), -reach(s) - 1,
                             half - 1, -half};
    if (wr_rng_chance(&s->rng, 35)) {
        const int32_t edge = edges[wr_rng_below(&s->rng, sizeof edges / sizeof edges[0])];
        return edge >= -half && edge < half ? edge : 1;
    }
    return (int32_t)wr_rng_below(&s->rng, 2 * (uint32_t)reach(s)) - reach(s);
}

static uint8_t reg_of(state *s)
{
    const uint32_t special = s->cfg.special_base;
    const uint32_t pick = wr_rng_below(&s->rng, 10);
    return (uint8_t)(pick == 0   ? special
                     : pick == 1 ? special - 1
                     : pick == 2 ? 255
                     : pick < 6  ? wr_rng_below(&s->rng, special)
                                 : wr_rng_below(&s->rng, 256));
}

static void random_plain(state *s, wr_hint_decoder_in *in)
{
    in->dst = reg_of(s);
    uint8_t renamed = reg_of(s);
    const bool rename = wr_rng_chance(&s->rng, 50) && in->dst < s->cfg.special_base &&
                        renamed < s->cfg.special_base && renamed != in->dst;
    in->hint = VALID | put_field(random_distance(s, s->cfg.offset_w), 9, s->cfg.offset_w) |
               (rename ? RENAME | renamed : in->dst);
}

static void random_jump(state *s, wr_hint_decoder_in *in)
{
    const bool direct = wr_rng_chance(&s->rng, 40);
    in->branch = true;
    in->dst = (uint8_t)wr_rng_u32(&s->rng);
    in->hint = VALID | put_field(random_distance(s, s->cfg.branch_w), 0, s->cfg.branch_w);
    if (direct) {
        in->hint |= TYPE;
        in->taken = wr_rng_chance(&s->rng, 70);
        in->not_taken = wr_rng_chance(&s->rng, 30);
    } else {
        in->hint |= put_field(random_distance(s, s->cfg.branch_w), 11, s->cfg.branch_w);
        in->taken = wr_rng_chance(&s->rng, 60);
        in->not_taken = !in->taken || wr_rng_chance(&s->rng, 40);
    }
}

/* The bit number `turn`, going round, of those in the mask; 0 where there are none. */
static uint32_t bit_of(uint32_t mask, uint32_t turn)
{
    uint32_t bits[32] = {0};
    uint32_t n = 0;
    for (uint32_t bit = 1; bit != 0 && bit <= mask; bit <<= 1) {
        if ((mask & bit) != 0) {
            bits[n++] = bit;
        }
    }
    return n == 0 ? 0 : bits[turn % n];
}

/* One of the bits that format 1 leaves unused. */
static uint32_t unused_1(const state *s, uint32_t turn)
{
    return bit_of(PAYLOAD & ~(0x1ffu | put_field(-1, 9, s->cfg.offset_w)), turn);
}

/* One of the bits that a branch leaves unused, each in its turn, if it is one of this branch: of
 * the field of the taken side in any, of the other in a direct one, and then in a conditional one.
 */
static uint32_t unused_2(const state *s, uint32_t hint, uint32_t turn)
{
    const uint32_t field = put_field(-1, 0, 11);
    const uint32_t unused = field & ~put_field(-1, 0, s->cfg.branch_w);
    const uint32_t low = (uint32_t)__builtin_popcount(unused);
    const bool direct = (hint & TYPE) != 0;
    turn %= 2 * low + 11;
    if (turn < low) {
        return bit_of(unused, turn);
    }
    if (turn < low + 11) {
        return direct ? bit_of(field << 11, turn - low) : 0;
    }
    return direct ? 0 : bit_of(unused << 11, turn - low - 11);
}

static void break_protocol(state *s, uint32_t kind, wr_hint_decoder_in *in)
{
    const bool plain = in->valid && !in->branch;
    const uint32_t special = s->cfg.special_base;
    const uint32_t turn = kind == s->faults.first ? s->faults.round : wr_rng_u32(&s->rng);
    switch (kind) {
    case FAULT_PC:
        in->pc ^= in->valid ? 1u << turn % 16 : 0;
        break;
    case FAULT_PC_HIGH:
        in->pc ^= in->valid ? 0x10000u << turn % 16 : 0;
        break;
    case FAULT_NO_HINT:
        in->hint &= in->valid ? PAYLOAD : UINT32_MAX;
        break;
    case FAULT_RESERVED:
        in->hint |= plain ? unused_1(s, turn) : 0;
        break;
    case FAULT_RESERVED_BRANCH:
        in->hint |= in->valid && in->branch ? unused_2(s, in->hint, turn) : 0;
        break;
    case FAULT_RENAME:
        if (plain) {
            const uint32_t pick = wr_rng_below(&s->rng, special < 256 ? 3 : 1);
            const uint32_t above = special < 256 && wr_rng_chance(&s->rng, 50)
                                       ? wr_rng_below(&s->rng, 256 - special)
                                       : 0;
            const uint32_t code = special + above;
            in->hint = (in->hint & ~0xffu) | RENAME |
                       (pick == 0   ? in->dst
                        : pick == 1 ? code & 0xffu
                                    : 1u);
            in->dst = pick == 2 ? (uint8_t)code : in->dst;
        }
        break;
    case FAULT_DST:
        in->hint ^= plain && (in->hint & RENAME) == 0 ? 1u << wr_rng_below(&s->rng, 8) : 0;
        break;
    case FAULT_NO_LANE:
        in->taken = in->taken && !in->branch;
        in->not_taken = in->not_taken && !in->branch;
        break;
    case FAULT_STALL:
        in->stall = in->stall || s->mode != IN_ORDER;
        break;
    case FAULT_REDIRECT:
        in->redirect = in->redirect || s->mode != HINT;
        break;
    case FAULT_TAKE:
        in->take = in->take || !s->issue;
        break;
    case FAULT_TAKE_FULL:
        in->take = in->take || (s->issue && in->rcu_full);
        break;
    case FAULT_RESERVED_STALL:
        in->hint |= in->stall && s->mode == IN_ORDER ? unused_1(s, turn) : 0;
        break;
    default:
        break;
    }
}

static void random_in_order(state *s, wr_hint_decoder_in *in)
{
    in->pc = wr_edge_value(&s->rng);
    random_plain(s, in);
    in->stall = wr_rng_chance(&s->rng, 40);
    in->branch = wr_rng_chance(&s->rng, 20); /* the entry has format 1 all the same */
    in->resume = wr_rng_chance(&s->rng, 5);
    in->rcu_empty = wr_rng_chance(&s->rng, 85);
    in->valid = wr_rng_chance(&s->rng, 20); /* not ready: means nothing */
    in->hint &= wr_rng_chance(&s->rng, 10) ? PAYLOAD : UINT32_MAX;
    s->patience = wr_rng_below(&s->rng, wr_rng_chance(&s->rng, 30) ? 4 : 40);
}

static void random_hint_mode(state *s, wr_hint_decoder_in *in)
{
    in->pc = s->base + (uint32_t)s->next;
    in->valid = wr_gate_open(&s->offer, &s->rng);
    if (wr_rng_chance(&s->rng, 35)) {
        random_jump(s, in);
    } else {
        random_plain(s, in);
    }
    if (s->mode == HINT && (wr_rng_chance(&s->rng, s->shared ? 40 : 3))) {
        in->redirect = true;
        in->valid = wr_rng_chance(&s->rng, 20); /* not ready */
        const uint32_t far = UINT32_C(0x1000) << wr_rng_below(&s->rng, 20);
        const uint32_t jump = (uint32_t)random_distance(s, 11);
        in->pc = wr_rng_chance(&s->rng, 5)
                     ? wr_rng_u32(&s->rng)
                     : s->base + (wr_rng_chance(&s->rng, 20) ? jump ^ far : jump);
    }
    in->rcu_empty = wr_rng_chance(&s->rng, 30);
    in->rcu_full = wr_rng_chance(&s->rng, 3);
    in->take = s->issue && !in->rcu_full && wr_gate_open(&s->take, &s->rng);
    in->resume = s->patience == 0;
    s->patience -= s->patience > 0;
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_hint_decoder_out *last = last_out;
    wr_hint_decoder_in *in = in_;

    follow(s, last->ready);
    if (s->directed && cycle < sizeof steps / sizeof steps[0]) {
        directed(s, cycle, in);
    } else {
        wr_faults_step(&s->faults);
        if (s->mode == IN_ORDER) {
            random_in_order(s, in);
        } else {
            random_hint_mode(s, in);
        }
        break_protocol(s, wr_faults_pick(&s->faults, last->fault, 8, &s->rng), in);
    }
    s->last = *in;
}

#define BINS                                                                                       \
    BIN(STALL, "stall starts hint mode")                                                           \
    BIN(STALL_RCU, "stall while the RCU holds entries")                                            \
    BIN(STALL_NONE, "stall without a hint")                                                        \
    BIN(STALL_EMPTY, "stall with an empty hint")                                                   \
    BIN(STALL_RESUME, "stall in the cycle of a return")                                            \
    BIN(STALL_BRANCH, "stall of a branch")                                                         \
    BIN(STALL_FAR, "stall at the far end forward")                                                 \
    BIN(STALL_BACK, "stall at the far end backward")                                               \
    BIN(STALL_BAD, "stall in hint mode or wait")                                                   \
    BIN(PLAIN, "format 1 goes on")                                                                 \
    BIN(PLAIN_BACK, "format 1 goes back")                                                          \
    BIN(PLAIN_END, "format 1 ends the chain")                                                      \
    BIN(RENAMED, "format 1, renamed")                                                              \
    BIN(SPECIAL, "format 1, special destination")                                                  \
    BIN(HIGHEST, "format 1, highest register")                                                     \
    BIN(DIRECT, "direct branch goes on")                                                           \
    BIN(TAKEN, "conditional branch taken")                                                         \
    BIN(NOT_TAKEN, "conditional branch not taken")                                                 \
    BIN(SPLIT, "conditional branch splits")                                                        \
    BIN(TAKEN_END, "conditional branch taken, without a chain there")                              \
    BIN(FAR, "branch to the far end forward")                                                      \
    BIN(BACK, "branch to the far end backward")                                                    \
    BIN(PAST, "branch just past the reach forward")                                                \
    BIN(PAST_BACK, "branch just past the reach backward")                                          \
    BIN(REDIRECT, "redirect goes on")                                                              \
    BIN(REDIRECT_BASE, "redirect to the stall point")                                              \
    BIN(REDIRECT_FAR, "redirect out of reach")                                                     \
    BIN(REDIRECT_ISSUE, "redirect with an instruction at the output")                              \
    BIN(REDIRECT_VALID, "redirect with an instruction offered")                                    \
    BIN(REDIRECT_BAD, "redirect outside hint mode")                                                \
    BIN(FLOW, "accepted while one is taken")                                                       \
    BIN(HELD, "not accepted: one is at the output")                                                \
    BIN(FULL_HINT, "RCU full with an instruction at the output, chain going on")                   \
    BIN(FULL_WAIT, "RCU full with an instruction at the output, chain at its end")                 \
    BIN(FULL_RESUME, "RCU full in the cycle of a return")                                          \
    BIN(TAKE_FULL, "take when the RCU is full")                                                    \
    BIN(TAKE_NONE, "take without an instruction")                                                  \
    BIN(TAKE_RESUME, "take in the cycle of a return")                                              \
    BIN(RESUME_HINT, "return from a chain")                                                        \
    BIN(RESUME_WAIT, "return from the stall point")                                                \
    BIN(RESUME_DROPS, "return drops an instruction")

#define BIN(id, text) text,
static const char *const bin_names[] = {BINS};
#undef BIN
#define BIN(id, text) BIN_##id,
enum { BINS BIN_COUNT };
#undef BIN

static void cover_stall(const state *s, const wr_hint_decoder_in *in, uint64_t *hits)
{
    const int32_t entry = signed_field(in->hint, 9, s->cfg.offset_w);
    const bool hint = (in->hint & VALID) != 0;
    const bool starts = !in->resume && in->rcu_empty && hint && entry != 0;
    hits[BIN_STALL] += starts;
    hits[BIN_STALL_RCU] += !in->resume && !in->rcu_empty && hint && entry != 0;
    hits[BIN_STALL_NONE] += !in->resume && in->rcu_empty && !hint && entry != 0;
    hits[BIN_STALL_EMPTY] += !in->resume && in->rcu_empty && hint && entry == 0;
    hits[BIN_STALL_RESUME] += in->resume && in->rcu_empty && hint && entry != 0;
    hits[BIN_STALL_BRANCH] += starts && in->branch;
    hits[BIN_STALL_FAR] += starts && entry == reach(s) - 1;
    hits[BIN_STALL_BACK] += starts && entry == -reach(s);
}

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "pc and fetch_pc", .width = 32},
    {.name = "decoded destination and that of the hint", .width = 8},
    {.name = "distance of a redirect above bit 11 and its sign", .width = 20},
};
enum { NEAR_PC = BIN_COUNT, NEAR_DST, NEAR_JUMP };

static void cover_accept(const state *s, const wr_hint_decoder_in *in, uint64_t *hits)
{
    const bool pc = in->pc == s->base + (uint32_t)s->next;
    const bool hint = (in->hint & VALID) != 0;
    hits[NEAR_PC] |= wr_near_bit(in->pc, s->base + (uint32_t)s->next);
    if (!pc || !hint) {
        return;
    }
    const int32_t target = target_of(s, in);
    const bool goes = in_reach(s, target);
    if (!in->branch) {
        const bool rename = (in->hint & RENAME) != 0;
        hits[NEAR_DST] |= rename ? 0 : wr_near_bit(in->hint & 0xffu, in->dst);
        hits[BIN_PLAIN] += goes && target > s->next;
        hits[BIN_PLAIN_BACK] += goes && target < s->next;
        hits[BIN_PLAIN_END] += !goes;
        hits[BIN_RENAMED] += rename && in->dst < s->cfg.special_base;
        hits[BIN_SPECIAL] += in->dst == s->cfg.special_base;
        hits[BIN_HIGHEST] += in->dst + 1u == s->cfg.special_base;
        return;
    }
    const bool direct = (in->hint & TYPE) != 0;
    hits[BIN_DIRECT] += direct && goes;
    hits[BIN_TAKEN] += !direct && in->taken && !in->not_taken && goes;
    hits[BIN_NOT_TAKEN] += !direct && !in->taken && in->not_taken && goes;
    hits[BIN_SPLIT] += !direct && in->taken && in->not_taken;
    hits[BIN_TAKEN_END] +=
        !direct && in->taken && !goes && in_reach(s, signed_field(in->hint, 11, s->cfg.branch_w));
    hits[BIN_FAR] += target == reach(s) - 1;
    hits[BIN_BACK] += target == -reach(s);
    hits[BIN_PAST] += target == reach(s);
    hits[BIN_PAST_BACK] += target == -reach(s) - 1;
}

static void cover_redirect(const state *s, const wr_hint_decoder_in *in, uint64_t *hits)
{
    const int32_t target = (int32_t)(in->pc - s->base);
    const uint32_t sign = ((uint32_t)target & 0x800u) != 0 ? UINT32_MAX : 0;
    hits[NEAR_JUMP] |= wr_near_bit((uint32_t)target >> 12, sign >> 12);
    hits[BIN_REDIRECT] += in_reach(s, target);
    hits[BIN_REDIRECT_BASE] += target == 0;
    hits[BIN_REDIRECT_FAR] += target != 0 && !in_reach(s, target);
    hits[BIN_REDIRECT_ISSUE] += s->issue && !in->take;
    hits[BIN_REDIRECT_VALID] += in->valid;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_hint_decoder_in *in = in_;
    const wr_hint_decoder_out *out = out_;
    const bool hinting = out->mode == HINT;

    if (in->stall && out->mode == IN_ORDER) {
        cover_stall(s, in, hits);
    }
    if (in->valid && out->ready) {
        cover_accept(s, in, hits);
    }
    if (in->redirect && hinting && !in->resume && !in->rcu_full) {
        cover_redirect(s, in, hits);
    }
    hits[BIN_STALL_BAD] += in->stall && out->mode != IN_ORDER;
    hits[BIN_REDIRECT_BAD] += in->redirect && !hinting;
    hits[BIN_FLOW] += in->valid && out->ready && out->issue;
    hits[BIN_HELD] += in->valid && hinting && out->issue && !in->take && !in->resume &&
                      !in->rcu_full && !in->redirect;
    hits[BIN_FULL_HINT] += in->rcu_full && !in->resume && out->issue && hinting;
    hits[BIN_FULL_WAIT] += in->rcu_full && !in->resume && out->issue && out->mode == WAIT;
    hits[BIN_FULL_RESUME] += in->rcu_full && in->resume && out->mode != IN_ORDER;
    hits[BIN_TAKE_FULL] += in->take && out->issue && in->rcu_full;
    hits[BIN_TAKE_NONE] += in->take && !out->issue && !in->rcu_full;
    hits[BIN_TAKE_RESUME] += in->take && out->issue && in->resume;
    hits[BIN_RESUME_HINT] += in->resume && hinting;
    hits[BIN_RESUME_WAIT] += in->resume && out->mode == WAIT;
    hits[BIN_RESUME_DROPS] += in->resume && out->issue && !in->take;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

extern const wr_stim wr_hint_decoder_stim;
const wr_stim wr_hint_decoder_stim = {
    .block = "hint_decoder",
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
