/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of absent_reply: the SM around it, which answers each request after a while.
 *
 * Directed: for each size of a group a register with nothing, with a little and with as much as can
 * be below it, and at the end of the addresses. Then random: contexts of one kind, of few registers
 * and of all kinds; replies that are withdrawn in every step; figures of a new launch now and then.
 * What is not asked for is noise.
 */
#include "refmodel/duet/absent_reply.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    REGS_MAX = 63,
    KINDS = 4,
    GROUPS = 3,
    DIRECTED_EACH = 5, /* replies of a group */
    DIRECTED = (GROUPS + 1) * DIRECTED_EACH,
    TOP = WR_ABSENT_REPLY_ADDRESSES - 1,
    MOST_POINT = 0xffffff,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_CFG,
    FAULT_GROUP,
    FAULT_REG,
    FAULT_NO_ENTRY,
    FAULT_STATE,
    FAULT_POINT,
    FAULT_KIND,
    FAULT_FIND_ACK,
    FAULT_READ_ACK,
    FAULT_KINDS_ACK,
    FAULT_WRITE_ACK,
    FAULT_KINDS = FAULT_WRITE_ACK,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_CFG] = "figures while a reply is under way",
    [FAULT_GROUP] = "a group of no size",
    [FAULT_REG] = "a register that no warp has",
    [FAULT_NO_ENTRY] = "a warp without an entry",
    [FAULT_STATE] = "a warp that is not absent",
    [FAULT_POINT] = "no switch point",
    [FAULT_KIND] = "a register that is kept reduced",
    [FAULT_FIND_ACK] = "an answer of the tables that nobody asked for",
    [FAULT_READ_ACK] = "a word that nobody asked for",
    [FAULT_KINDS_ACK] = "kinds that nobody asked for",
    [FAULT_WRITE_ACK] = "a write that nobody asked for",
};

typedef struct state {
    wr_absent_reply_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    wr_gate replies, answers, writes;
    wr_absent_reply_in was; /* the pins of the cycle before */
    bool move;
    uint32_t group;
    uint32_t given; /* replies so far: the first are the directed ones, where they are wanted */
    uint32_t mix;   /* how the contexts of a while look */
    bool valid;
    uint8_t warp, reg;
    wr_absent_reply_step step; /* of this cycle */
    bool withdrawn;
} state;

static void init(void *state_v, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_v;

    *s = (state){.cfg = *(const wr_absent_reply_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->given = with_directed ? 0 : DIRECTED;
}

/* The step of this cycle: what the one before showed, and what it got. */
static wr_absent_reply_step step_of(const state *s, const wr_absent_reply_out *last)
{
    const wr_absent_reply_in *was = &s->was;
    const uint64_t own = UINT64_C(1) << s->reg;
    const bool whole = (was->kind_low & was->kind_high & own) != 0;
    const bool kept = ((was->kind_low | was->kind_high) & own) != 0;

    if (last->state == WR_ABSENT_REPLY_IDLE) {
        return !was->cfg && was->valid && was->regno < s->cfg.regs ? WR_ABSENT_REPLY_FIND
                                                                   : WR_ABSENT_REPLY_IDLE;
    }
    if (!was->valid) {
        return WR_ABSENT_REPLY_IDLE;
    }
    switch ((wr_absent_reply_step)last->state) {
    case WR_ABSENT_REPLY_FIND:
        return !was->find_ack ? WR_ABSENT_REPLY_FIND
               : !was->find_valid || was->find_state != WR_ABSENT_REPLY_ABSENT
                   ? WR_ABSENT_REPLY_IDLE
               : s->move ? WR_ABSENT_REPLY_READ
                         : WR_ABSENT_REPLY_WRITE;
    case WR_ABSENT_REPLY_READ:
        return !was->read_ack        ? WR_ABSENT_REPLY_READ
               : was->head >> 8 == 0 ? WR_ABSENT_REPLY_IDLE
                                     : WR_ABSENT_REPLY_KIND;
    case WR_ABSENT_REPLY_KIND:
        return !was->kinds_ack ? WR_ABSENT_REPLY_KIND
               : whole         ? WR_ABSENT_REPLY_SUM
               : !kept         ? WR_ABSENT_REPLY_DROP
                               : WR_ABSENT_REPLY_IDLE;
    case WR_ABSENT_REPLY_SUM:
        return WR_ABSENT_REPLY_WRITE;
    case WR_ABSENT_REPLY_WRITE:
        return !was->write_ack         ? WR_ABSENT_REPLY_WRITE
               : last->write_word != 0 ? WR_ABSENT_REPLY_REST
                                       : WR_ABSENT_REPLY_IDLE;
    case WR_ABSENT_REPLY_DROP:
        return WR_ABSENT_REPLY_IDLE;
    case WR_ABSENT_REPLY_REST:
    case WR_ABSENT_REPLY_IDLE:
        break;
    }
    return was->write_ack ? WR_ABSENT_REPLY_IDLE : WR_ABSENT_REPLY_REST;
}

static uint64_t registers(const state *s)
{
    return UINT64_MAX >> (64 - s->cfg.regs);
}

static void noise(state *s, wr_absent_reply_in *in)
{
    wr_rng *r = &s->rng;

    in->move = wr_rng_chance(r, 50);
    in->group = (uint8_t)wr_rng_below(r, 4);
    in->find_valid = wr_rng_chance(r, 50);
    in->find_state = (uint8_t)wr_rng_below(r, 4);
    in->find_reg = (uint16_t)wr_rng_below(r, WR_ABSENT_REPLY_ADDRESSES);
    in->find_meta = (uint16_t)wr_rng_below(r, WR_ABSENT_REPLY_ADDRESSES);
    in->head = wr_rng_u32(r);
    in->kind_low = wr_rng_u64(r) >> 1;
    in->kind_high = wr_rng_u64(r) >> 1;
}

/* The directed replies of a launch: what lies below, and where. */
static uint32_t directed(const state *s)
{
    return s->given < DIRECTED ? s->given % DIRECTED_EACH : DIRECTED_EACH;
}

static void configure(state *s, wr_absent_reply_in *in)
{
    const bool told = s->given < DIRECTED;

    in->cfg = true;
    in->move = told ? s->given / DIRECTED_EACH < GROUPS : wr_rng_chance(&s->rng, 80);
    in->group = (uint8_t)(told ? s->given / DIRECTED_EACH % GROUPS : wr_rng_below(&s->rng, GROUPS));
    s->move = in->move;
    s->group = in->group;
    s->mix = wr_rng_below(&s->rng, 6);
}

static void offer(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t top = s->cfg.regs - 1;

    s->valid = true;
    s->warp = (uint8_t)wr_rng_below(r, 128);
    s->reg = (uint8_t)(directed(s) == 0              ? 0
                       : directed(s) < DIRECTED_EACH ? top
                       : wr_rng_chance(r, 15)        ? top
                                                     : wr_rng_below(r, s->cfg.regs));
}

static void find(state *s, wr_absent_reply_in *in)
{
    wr_rng *r = &s->rng;

    in->find_ack = true;
    in->find_valid = true;
    in->find_state = WR_ABSENT_REPLY_ABSENT;
    if (directed(s) == DIRECTED_EACH - 1 || wr_rng_chance(r, 10)) {
        in->find_reg = (uint16_t)(TOP - wr_rng_below(r, 4));
    }
}

/* A context: registers of all kinds, of one, or few. The reply's own is kept whole, or not at all.
 */
static void kinds(state *s, wr_absent_reply_in *in)
{
    wr_rng *r = &s->rng;
    uint64_t all = directed(s) == 0 ? 0 : UINT64_MAX >> 1;
    const uint32_t mix = directed(s) < DIRECTED_EACH ? directed(s) : s->mix;

    in->kinds_ack = true;
    if (mix < KINDS) {
        in->kind_low = mix & 1 ? all : 0;
        in->kind_high = mix & 2 ? all : 0;
    } else if (mix == KINDS) {
        in->kind_low &= wr_rng_u64(r);
        in->kind_high &= wr_rng_u64(r);
    }
    in->kind_low |= UINT64_C(1) << s->reg;
    in->kind_high |= UINT64_C(1) << s->reg;
    if (s->given == DIRECTED && wr_rng_chance(r, 10)) { /* a register that is dead */
        in->kind_low ^= UINT64_C(1) << s->reg;
        in->kind_high ^= UINT64_C(1) << s->reg;
    }
}

static void answer(state *s, wr_absent_reply_in *in)
{
    const bool answered = wr_gate_open(&s->answers, &s->rng);
    const bool written = wr_gate_open(&s->writes, &s->rng);

    switch (s->step) {
    case WR_ABSENT_REPLY_FIND:
        if (answered) {
            find(s, in);
        }
        break;
    case WR_ABSENT_REPLY_READ:
        in->read_ack = answered;
        if (in->read_ack && in->head >> 8 == 0) {
            in->head |= 1u << 8;
        }
        if (in->read_ack && wr_rng_chance(&s->rng, 40)) {
            in->head = wr_rng_chance(&s->rng, 5)
                           ? (uint32_t)MOST_POINT << 8
                           : (in->head & 0xffu) | 1u << (8 + wr_rng_below(&s->rng, 24));
        }
        break;
    case WR_ABSENT_REPLY_KIND:
        if (answered) {
            kinds(s, in);
        }
        break;
    case WR_ABSENT_REPLY_WRITE:
    case WR_ABSENT_REPLY_REST:
        in->write_ack = written;
        break;
    case WR_ABSENT_REPLY_IDLE:
    case WR_ABSENT_REPLY_SUM:
    case WR_ABSENT_REPLY_DROP:
        break;
    }
}

/* Changes a cycle that would be right. What fits this step only. */
static void fault(state *s, bool shown, wr_absent_reply_in *in)
{
    wr_rng *r = &s->rng;
    const wr_absent_reply_step step = s->step;

    wr_faults_step(&s->faults);
    switch ((fault_kind)wr_faults_pick(&s->faults, shown, 20, r)) {
    case FAULT_CFG:
        in->cfg = in->cfg || step != WR_ABSENT_REPLY_IDLE;
        break;
    case FAULT_GROUP:
        if (in->cfg && step == WR_ABSENT_REPLY_IDLE) {
            in->group = 3;
            s->group = WR_ABSENT_REPLY_LANES_32;
        }
        break;
    case FAULT_REG:
        if (step == WR_ABSENT_REPLY_IDLE && in->valid) {
            in->regno = (uint8_t)(s->cfg.regs + wr_rng_below(r, 64 - s->cfg.regs));
            s->valid = false;
        }
        break;
    case FAULT_NO_ENTRY:
        in->find_valid = in->find_valid && !in->find_ack;
        break;
    case FAULT_STATE:
        in->find_state =
            in->find_ack ? (uint8_t)wr_near_value(WR_ABSENT_REPLY_ABSENT, 2, r) : in->find_state;
        break;
    case FAULT_POINT:
        in->head &= in->read_ack ? 0xffu : UINT32_MAX;
        break;
    case FAULT_KIND:
        if (in->kinds_ack) {
            const uint64_t own = UINT64_C(1) << s->reg;
            const bool strided = wr_rng_chance(r, 50);

            in->kind_low = strided ? in->kind_low & ~own : in->kind_low | own;
            in->kind_high = strided ? in->kind_high | own : in->kind_high & ~own;
        }
        break;
    case FAULT_FIND_ACK:
        in->find_ack = in->find_ack || step != WR_ABSENT_REPLY_FIND;
        break;
    case FAULT_READ_ACK:
        in->read_ack = in->read_ack || step != WR_ABSENT_REPLY_READ;
        break;
    case FAULT_KINDS_ACK:
        in->kinds_ack = in->kinds_ack || step != WR_ABSENT_REPLY_KIND;
        break;
    case FAULT_WRITE_ACK:
        in->write_ack =
            in->write_ack || (step != WR_ABSENT_REPLY_WRITE && step != WR_ABSENT_REPLY_REST);
        break;
    case FAULT_NONE:
        break;
    }
}

static void next(void *state_v, uint64_t cycle, const void *last_out, void *in_v)
{
    state *s = state_v;
    const wr_absent_reply_out *last = last_out;
    wr_absent_reply_in *in = in_v;
    wr_rng *r = &s->rng;
    const bool first = cycle == 0;

    s->step = first ? WR_ABSENT_REPLY_IDLE : step_of(s, last);
    if (s->step == WR_ABSENT_REPLY_IDLE && last->state != WR_ABSENT_REPLY_IDLE) {
        s->valid = false; /* written, given up or withdrawn */
        s->given += s->given < DIRECTED;
    }
    noise(s, in);
    if (s->step == WR_ABSENT_REPLY_IDLE) {
        const bool due =
            s->given < DIRECTED ? directed(s) == 0 && !s->was.cfg : wr_rng_chance(r, 5);

        if (first || due) {
            configure(s, in);
        }
        if (!s->valid && wr_gate_open(&s->replies, r)) {
            offer(s);
        }
    }
    s->withdrawn = s->given == DIRECTED && s->step != WR_ABSENT_REPLY_IDLE && wr_rng_chance(r, 3);
    in->valid = s->valid && !s->withdrawn;
    in->warp = s->valid ? s->warp : (uint8_t)wr_rng_below(r, 128);
    in->regno = s->valid ? s->reg : (uint8_t)wr_rng_below(r, 64);
    if (s->step != WR_ABSENT_REPLY_IDLE && wr_rng_chance(r, 50)) { /* taken long ago */
        in->warp = (uint8_t)wr_rng_below(r, 128);
        in->regno = (uint8_t)wr_rng_below(r, 64);
    }
    answer(s, in);
    fault(s, last->fault, in);
    s->was = *in;
}

enum {
    BIN_STAYS,
    BIN_GROUP_8,
    BIN_GROUP_16,
    BIN_GROUP_32,
    BIN_DROP,
    BIN_ALIGNED,
    BIN_REST,
    BIN_FEW_WORDS,
    BIN_WRAP,
    BIN_WRAP_REST,
    BIN_MOST,
    BIN_ONE,
    BIN_TWO,
    BIN_ALL,
    BIN_WITHDRAWN_FIND,
    BIN_WITHDRAWN_READ,
    BIN_WITHDRAWN_KINDS,
    BIN_WITHDRAWN_SUM,
    BIN_WITHDRAWN_WRITE,
    BIN_WITHDRAWN_REST,
    BIN_WITHDRAWN_DROP,
    BIN_WITHDRAWN_ACKED,
    BIN_CFG_BESIDE,
    BIN_AT_ONCE,
    BIN_WAITS,
    BINS
};
static const char *const bin_names[] = {
    [BIN_STAYS] = "registers stay",
    [BIN_GROUP_8] = "sum with groups of 8 lanes",
    [BIN_GROUP_16] = "of 16",
    [BIN_GROUP_32] = "of 32",
    [BIN_DROP] = "a register that is not kept",
    [BIN_ALIGNED] = "moved, a line for itself",
    [BIN_REST] = "across two lines",
    [BIN_FEW_WORDS] = "four words of it or fewer in the first line",
    [BIN_WRAP] = "the sum passes the last address",
    [BIN_WRAP_REST] = "the second line does",
    [BIN_MOST] = "all registers below kept whole, and there are as many as can be",
    [BIN_ONE] = "a register of a word a group below",
    [BIN_TWO] = "of two",
    [BIN_ALL] = "a whole one",
    [BIN_WITHDRAWN_FIND] = "withdrawn in find",
    [BIN_WITHDRAWN_READ] = "in read",
    [BIN_WITHDRAWN_KINDS] = "in kinds",
    [BIN_WITHDRAWN_SUM] = "in sum",
    [BIN_WITHDRAWN_WRITE] = "in write",
    [BIN_WITHDRAWN_REST] = "in rest",
    [BIN_WITHDRAWN_DROP] = "in drop",
    [BIN_WITHDRAWN_ACKED] = "with an ack",
    [BIN_CFG_BESIDE] = "figures and a reply in one cycle",
    [BIN_AT_ONCE] = "an ack at once",
    [BIN_WAITS] = "no ack",
};

static const wr_near nears[] = {{"the switch point and 0", 24, NULL}};

static void cover(const void *state_v, const void *in_v, const void *out_v, uint64_t *hits)
{
    const state *s = state_v;
    const wr_absent_reply_in *in = in_v;
    const wr_absent_reply_out *out = out_v;
    const uint64_t below = registers(s) & ~(UINT64_MAX << s->reg);
    const uint64_t whole = in->kind_low & in->kind_high & below;
    const bool counts = out->kinds && in->kinds_ack;
    const bool ack = in->find_ack || in->read_ack || in->kinds_ack || in->write_ack;

    hits[BIN_STAYS] += out->write && !s->move;
    hits[BIN_GROUP_8] += counts && s->group == 0 && below != 0;
    hits[BIN_GROUP_16] += counts && s->group == 1 && below != 0;
    hits[BIN_GROUP_32] += counts && s->group == 2 && below != 0;
    hits[BIN_DROP] += out->state == WR_ABSENT_REPLY_DROP;
    hits[BIN_ALIGNED] += out->write && s->move && out->last && out->write_word == 0;
    hits[BIN_REST] += out->state == WR_ABSENT_REPLY_REST;
    hits[BIN_FEW_WORDS] += out->write && out->write_word >= 28;
    hits[BIN_WRAP] += out->write && out->write_line < s->cfg.regs;
    hits[BIN_WRAP_REST] += out->state == WR_ABSENT_REPLY_REST && out->write_line == 0;
    hits[BIN_MOST] += counts && whole == below && s->reg == s->cfg.regs - 1;
    hits[BIN_ONE] += counts && (in->kind_low & ~in->kind_high & below) != 0;
    hits[BIN_TWO] += counts && (in->kind_high & ~in->kind_low & below) != 0;
    hits[BIN_ALL] += counts && whole != 0;
    if (s->withdrawn) {
        hits[BIN_WITHDRAWN_FIND + out->state - WR_ABSENT_REPLY_FIND] += out->state != 0;
        hits[BIN_WITHDRAWN_ACKED] += ack;
    }
    hits[BIN_CFG_BESIDE] += in->cfg && in->valid && out->state == WR_ABSENT_REPLY_IDLE;
    hits[BIN_AT_ONCE] += ack;
    hits[BIN_WAITS] += out->state != WR_ABSENT_REPLY_IDLE && !ack;
    if (out->read && in->read_ack) {
        hits[BINS] |= wr_near_bit(in->head >> 8, 0);
    }
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_absent_reply_stim;
const wr_stim wr_absent_reply_stim = {
    .block = "absent_reply",
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
