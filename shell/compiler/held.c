/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, differences and products with what is uniform keep a stride, modulo 2^32, so also in the
 * low word of a pair; everything else keeps only what is uniform. A load is uniform where its
 * address is, since all lanes read at once, but for local memory, of which each lane has its own.
 */
#include "shell/compiler/held.h"

#include "shell/isa/table.h"

#define MOST_THREADS (UINT64_C(1) << 20)

const wr_held wr_held_random = {.kind = WR_HELD_RANDOM};

static wr_held uniform(wr_held_kind kind, uint8_t zeros)
{
    return (wr_held){.kind = (uint8_t)kind, .known = true, .zeros = zeros};
}

/* A known step of 0 is no stride. */
static wr_held strided(bool known, uint32_t step, uint8_t zeros)
{
    if (known && step == 0) {
        return uniform(WR_HELD_GROUP, zeros);
    }
    return (wr_held){WR_HELD_STRIDED, known, zeros, known ? step : 0};
}

static bool is_uniform(wr_held a)
{
    return a.kind <= WR_HELD_GROUP;
}

static uint8_t low_zeros(uint32_t value)
{
    return (uint8_t)(value == 0 ? 32 : __builtin_ctz(value));
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t at_most_32(unsigned zeros)
{
    return (uint8_t)(zeros > 32 ? 32 : zeros);
}

bool wr_held_same(wr_held a, wr_held b)
{
    return a.kind == b.kind && a.known == b.known && a.zeros == b.zeros && a.step == b.step;
}

wr_held wr_held_join(wr_held a, wr_held b)
{
    wr_held_kind kind = a.kind > b.kind ? a.kind : b.kind;
    uint8_t zeros = least(a.zeros, b.zeros);

    if (a.kind == WR_HELD_UNSEEN || b.kind == WR_HELD_UNSEEN) {
        return a.kind == WR_HELD_UNSEEN ? b : a;
    }
    if (kind == WR_HELD_RANDOM) {
        return wr_held_random;
    }
    if (kind == WR_HELD_STRIDED) {
        return strided(a.known && b.known && a.step == b.step, a.step, zeros);
    }
    return uniform(kind, zeros);
}

/* ---- thread numbers ---- */

uint32_t wr_held_group(uint32_t block_x)
{
    return block_x == 8 || block_x == 16 ? block_x : 32;
}

static uint32_t tid_of(const uint32_t block[3], uint64_t thread, unsigned dim)
{
    uint64_t row = thread / block[0];

    return (uint32_t)(dim == 0 ? thread % block[0] : dim == 1 ? row % block[1] : row / block[1]);
}

/* One group, whose first thread is this. */
static wr_held look_at_group(const uint32_t block[3], uint32_t group, uint64_t first,
                             uint64_t threads, unsigned dim)
{
    uint32_t base = tid_of(block, first, dim), step = 0;

    for (uint32_t i = 1; i < group && first + i < threads; i++) {
        uint32_t value = tid_of(block, first + i, dim);

        step = i == 1 ? value - base : step;
        if (value != base + i * step) {
            return wr_held_random;
        }
    }
    return step == 0 ? uniform(WR_HELD_GROUP, low_zeros(base))
                     : strided(true, step, low_zeros(base));
}

static wr_held look_at(const uint32_t block[3], uint32_t group, unsigned dim)
{
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    wr_held all = {0};
    bool of_warp = true;

    for (uint64_t first = 0; first < threads; first += group) {
        uint64_t warp = first / WR_HELD_LANES * WR_HELD_LANES;

        all = wr_held_join(all, look_at_group(block, group, first, threads, dim));
        of_warp = of_warp && tid_of(block, first, dim) == tid_of(block, warp, dim);
    }
    if (all.kind == WR_HELD_GROUP && of_warp) {
        all.kind = WR_HELD_WARP;
    }
    return all;
}

wr_held_shape wr_held_shape_of(const uint32_t block[3])
{
    wr_held_shape shape = {.group = wr_held_group(block[0])};
    uint64_t threads = (uint64_t)block[0] * block[1];

    threads = threads > MOST_THREADS ? MOST_THREADS + 1 : threads * block[2];
    shape.whole = threads % WR_HELD_LANES == 0;
    for (unsigned dim = 0; dim < 3; dim++) {
        shape.tid[dim] = threads > MOST_THREADS ? wr_held_random : look_at(block, shape.group, dim);
    }
    return shape;
}

/* ---- operands ---- */

wr_held_kind wr_held_pred(const wr_held_state *state, uint8_t pred)
{
    return pred == WR_ISA_PT ? WR_HELD_WARP : (wr_held_kind)state->pred[pred];
}

/* The low word of operand i is this number. */
static bool is_number(const wr_insn *insn, unsigned i, uint32_t *value)
{
    if (insn->ext != WR_EXT_NONE && insn->ext_slot == i) {
        *value = insn->imm;
        return insn->ext == WR_EXT_IMM && insn->type != WR_F64;
    }
    *value = 0;
    return insn->src[i] == WR_ISA_RZ;
}

static wr_held operand(const wr_held_state *state, const wr_insn *insn, unsigned i, unsigned word)
{
    uint32_t value;

    if (word == 0 && is_number(insn, i, &value)) {
        return uniform(WR_HELD_WARP, low_zeros(value));
    }
    if ((insn->ext != WR_EXT_NONE && insn->ext_slot == i) || insn->src[i] == WR_ISA_RZ) {
        return uniform(WR_HELD_WARP, 0);
    }
    if (word >= insn->src_regs[i]) { /* a narrower operand, of which this is no part */
        return wr_held_random;
    }
    return state->reg[insn->src[i] + word];
}

/* Of all that the instruction reads, its guard left out: the result is a function of it. */
static wr_held_kind of_sources(const wr_held_state *state, const wr_insn *insn)
{
    wr_held_kind kind = WR_HELD_WARP, ps = wr_held_pred(state, insn->ps);
    wr_held_kind ps2 = wr_held_pred(state, insn->ps2);

    for (unsigned i = 0; i < 3; i++) {
        for (unsigned w = 0; w < insn->src_regs[i]; w++) {
            wr_held_kind source = state->reg[insn->src[i] + w].kind;

            kind = source > kind ? source : kind;
        }
    }
    kind = ps > kind ? ps : kind;
    kind = ps2 > kind ? ps2 : kind;
    return kind <= WR_HELD_GROUP ? kind : WR_HELD_RANDOM;
}

/* ---- arithmetic ---- */

static wr_held sum(wr_held a, wr_held b, bool minus)
{
    wr_held_kind kind = a.kind > b.kind ? a.kind : b.kind;
    uint8_t zeros = least(a.zeros, b.zeros);

    if (kind == WR_HELD_RANDOM || kind == WR_HELD_UNSEEN) {
        return wr_held_random;
    }
    if (kind == WR_HELD_STRIDED) {
        return strided(a.known && b.known, minus ? a.step - b.step : a.step + b.step, zeros);
    }
    return uniform(kind, zeros);
}

static wr_held times(wr_held a, uint32_t factor)
{
    uint8_t zeros = at_most_32((unsigned)a.zeros + low_zeros(factor));

    if (a.kind == WR_HELD_RANDOM) {
        return a;
    }
    return is_uniform(a) ? uniform(a.kind, zeros) : strided(a.known, a.step * factor, zeros);
}

static wr_held product(const wr_held_state *state, const wr_insn *insn)
{
    wr_held a = operand(state, insn, 0, 0), b = operand(state, insn, 1, 0);
    uint8_t zeros = at_most_32((unsigned)a.zeros + b.zeros);
    uint32_t value;

    if (is_number(insn, 1, &value)) {
        return times(a, value);
    }
    if (is_number(insn, 0, &value)) {
        return times(b, value);
    }
    if (a.kind == WR_HELD_RANDOM || b.kind == WR_HELD_RANDOM ||
        (!is_uniform(a) && !is_uniform(b))) {
        return wr_held_random;
    }
    if (!is_uniform(a) || !is_uniform(b)) {
        return strided(false, 0, zeros);
    }
    return uniform(a.kind > b.kind ? a.kind : b.kind, zeros);
}

#define NOT_APART 32

/* Bits that i * step has, where base has none of them, 31 at most. */
static unsigned bits_apart(const wr_held_shape *shape, wr_held a)
{
    uint64_t most = (uint64_t)a.step * (shape->group - 1);
    unsigned bits = 0;

    if (a.kind != WR_HELD_STRIDED || !a.known || most > INT32_MAX) {
        return NOT_APART;
    }
    while (most >> bits != 0) {
        bits++;
    }
    return bits <= a.zeros ? bits : NOT_APART;
}

static wr_held shifted_left(const wr_held_state *state, const wr_insn *insn)
{
    wr_held a = operand(state, insn, 0, 0), by = operand(state, insn, 1, 0);
    uint32_t amount;

    if (is_number(insn, 1, &amount)) {
        return amount < 32 ? times(a, UINT32_C(1) << amount) : uniform(WR_HELD_WARP, 32);
    }
    if (a.kind == WR_HELD_RANDOM || !is_uniform(by)) {
        return wr_held_random;
    }
    if (!is_uniform(a)) {
        return strided(false, 0, a.zeros);
    }
    return uniform(a.kind > by.kind ? a.kind : by.kind, a.zeros);
}

static wr_held shifted_right(const wr_held_shape *shape, const wr_held_state *state,
                             const wr_insn *insn)
{
    wr_held a = operand(state, insn, 0, 0);
    uint32_t amount = 0;
    unsigned bits = bits_apart(shape, a);

    if (is_uniform(a) || bits == NOT_APART || !is_number(insn, 1, &amount) || amount > 31) {
        return uniform(of_sources(state, insn), 0);
    }
    if (bits <= amount) {
        return uniform(WR_HELD_GROUP, (uint8_t)(a.zeros > amount ? a.zeros - amount : 0));
    }
    if (a.step % (UINT32_C(1) << amount) == 0) {
        return strided(true, a.step >> amount, (uint8_t)(a.zeros - amount));
    }
    return wr_held_random;
}

/* A stride that lies in low bits of its own, and a number or what is uniform. */
static wr_held logic_of(const wr_held_shape *shape, const wr_insn *insn, unsigned of, wr_held a,
                        wr_held other)
{
    unsigned bits = bits_apart(shape, a);
    uint32_t low, mask;

    if (bits == NOT_APART || !is_uniform(other)) {
        return wr_held_random;
    }
    low = (UINT32_C(1) << bits) - 1;
    if (insn->op != WR_OP_AND) {
        return other.zeros >= bits ? strided(true, a.step, least(a.zeros, other.zeros))
                                   : wr_held_random;
    }
    if (!is_number(insn, 1 - of, &mask) || ((mask & low) != 0 && (mask & low) != low)) {
        return wr_held_random;
    }
    if ((mask & low) == 0) {
        return uniform(WR_HELD_GROUP, low_zeros(mask));
    }
    /* Of the base only bits that the mask has can be left. */
    return strided(true, a.step, a.zeros == 32 || mask >> a.zeros == 0 ? 32 : a.zeros);
}

static wr_held logic(const wr_held_shape *shape, const wr_held_state *state, const wr_insn *insn,
                     unsigned word)
{
    wr_held a = operand(state, insn, 0, word), b = operand(state, insn, 1, word);

    if (is_uniform(a) && is_uniform(b)) {
        uint8_t zeros = insn->op == WR_OP_AND && a.zeros > b.zeros ? a.zeros
                        : insn->op == WR_OP_AND                    ? b.zeros
                                                                   : least(a.zeros, b.zeros);
        return uniform(a.kind > b.kind ? a.kind : b.kind, zeros);
    }
    if (word > 0 || a.kind == WR_HELD_RANDOM || b.kind == WR_HELD_RANDOM) {
        return wr_held_random;
    }
    return a.kind == WR_HELD_STRIDED ? logic_of(shape, insn, 0, a, b)
                                     : logic_of(shape, insn, 1, b, a);
}

static wr_held special(const wr_held_shape *shape, const wr_insn *insn)
{
    switch ((wr_sreg)insn->sreg) {
    case WR_SREG_TID_X:
    case WR_SREG_TID_Y:
    case WR_SREG_TID_Z:
        return shape->tid[insn->sreg - WR_SREG_TID_X];
    case WR_SREG_LANEID:
        return strided(true, 1, low_zeros(shape->group));
    case WR_SREG_CLOCK:
    case WR_SREG_GLOBALTIMER:
    case WR_SREG_LANEMASK_EQ:
    case WR_SREG_LANEMASK_LE:
    case WR_SREG_LANEMASK_LT:
    case WR_SREG_LANEMASK_GE:
    case WR_SREG_LANEMASK_GT:
        return wr_held_random;
    default:
        return uniform(WR_HELD_WARP, 0);
    }
}

static bool is_word_int(uint8_t type)
{
    return type == WR_U32 || type == WR_S32 || type == WR_B32 || type == WR_U64 || type == WR_S64 ||
           type == WR_B64;
}

static wr_held converted(const wr_held_state *state, const wr_insn *insn, unsigned word)
{
    bool wide = wr_isa_type_regs((wr_type)insn->type2) == 2;

    if (!is_word_int(insn->type2) || (word == 1 && !wide && insn->type2 != WR_U32)) {
        return uniform(of_sources(state, insn), 0);
    }
    return word == 1 && !wide ? uniform(WR_HELD_WARP, 32) : operand(state, insn, 0, word);
}

static wr_held chosen(const wr_held_state *state, const wr_insn *insn, unsigned word)
{
    wr_held_kind by = wr_held_pred(state, insn->ps);
    wr_held either = wr_held_join(operand(state, insn, 0, word), operand(state, insn, 1, word));

    if (by == WR_HELD_GROUP && either.kind == WR_HELD_WARP) {
        either.kind = WR_HELD_GROUP;
    }
    return by == WR_HELD_RANDOM ? wr_held_random : either;
}

/* ---- instructions ---- */

/* Whole words, of which the rules for strides are true. */
static bool keeps_strides(const wr_insn *insn, unsigned word)
{
    bool by_words = insn->op == WR_OP_MOV || insn->op == WR_OP_SELP || insn->op == WR_OP_CVT ||
                    insn->op == WR_OP_AND || insn->op == WR_OP_OR || insn->op == WR_OP_XOR;

    return is_word_int(insn->type) && !insn->sat && (word == 0 || by_words);
}

static wr_held computed(const wr_held_shape *shape, const wr_held_state *state, const wr_insn *insn,
                        unsigned word)
{
    wr_held otherwise = uniform(of_sources(state, insn), 0);

    if (insn->op == WR_OP_S2R) {
        return word == 0 && insn->type == WR_U32 ? special(shape, insn) : wr_held_random;
    }
    if (keeps_strides(insn, word)) {
        switch ((wr_op)insn->op) {
        case WR_OP_MOV:
            return operand(state, insn, 0, word);
        case WR_OP_CVT:
            return converted(state, insn, word);
        case WR_OP_SELP:
            return chosen(state, insn, word);
        case WR_OP_AND:
        case WR_OP_OR:
        case WR_OP_XOR:
            return logic(shape, state, insn, word);
        case WR_OP_ADD:
        case WR_OP_SUB:
            return sum(operand(state, insn, 0, 0), operand(state, insn, 1, 0),
                       insn->op == WR_OP_SUB);
        case WR_OP_MUL:
        case WR_OP_MAD:
            if (insn->mode == WR_MUL_HI) {
                break;
            }
            return insn->op == WR_OP_MUL
                       ? product(state, insn)
                       : sum(product(state, insn), operand(state, insn, 2, 0), false);
        case WR_OP_NEG:
            return times(operand(state, insn, 0, 0), UINT32_MAX);
        case WR_OP_SHL:
            return shifted_left(state, insn);
        case WR_OP_SHR:
            if (wr_isa_type_regs((wr_type)insn->type) != 1) {
                break;
            }
            return shifted_right(shape, state, insn);
        default:
            break;
        }
    }
    return otherwise;
}

static wr_held loaded(const wr_held_state *state, const wr_insn *insn)
{
    bool shared = insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_SHARED ||
                  insn->space == WR_SPACE_CONST || insn->space == WR_SPACE_PARAM;

    return shared ? uniform(of_sources(state, insn), 0) : wr_held_random;
}

static wr_held canonical(wr_held a)
{
    return a.kind == WR_HELD_RANDOM ? wr_held_random : a;
}

/* Of the destination's word; a predicate is asked as word 0 of what it is computed from. */
static wr_held result(const wr_held_shape *shape, const wr_held_state *state, const wr_insn *insn,
                      unsigned word)
{
    if (insn->op == WR_OP_LD) {
        return canonical(loaded(state, insn));
    }
    switch ((wr_isa_class)wr_isa_rows[insn->op].cls) {
    case WR_CLASS_ARITH:
    case WR_CLASS_SETP:
        return canonical(computed(shape, state, insn, word));
    default:
        return wr_held_random;
    }
}

static wr_held_kind predicate(const wr_held_state *state, const wr_insn *insn)
{
    wr_isa_class class = (wr_isa_class)wr_isa_rows[insn->op].cls;

    return class == WR_CLASS_ARITH || class == WR_CLASS_SETP ? of_sources(state, insn)
                                                             : WR_HELD_RANDOM;
}

/* What a register holds when the lanes of `guard` have written it. */
static wr_held written(wr_held old, wr_held value, wr_held_kind guard, bool guarded, bool apart)
{
    if (apart || guard == WR_HELD_RANDOM) {
        return wr_held_random;
    }
    if (!guarded) {
        return value;
    }
    value = wr_held_join(old, value);
    if (guard == WR_HELD_GROUP && value.kind == WR_HELD_WARP) {
        value.kind = WR_HELD_GROUP;
    }
    return value;
}

static void write_pred(wr_held_state *state, uint8_t pred, wr_held value, wr_held_kind guard,
                       bool guarded, bool apart)
{
    if (pred != WR_ISA_PT) {
        wr_held old = uniform(state->pred[pred], 0);

        state->pred[pred] = written(canonical(old), canonical(value), guard, guarded, apart).kind;
    }
}

void wr_held_step(const wr_held_shape *shape, const wr_insn *insn, bool apart, wr_held_state *state)
{
    bool guarded = insn->guard != WR_ISA_PT;
    wr_held_kind guard = wr_held_pred(state, insn->guard);
    wr_held words[4], truth = uniform(predicate(state, insn), 0);

    for (unsigned w = 0; w < insn->dst_regs; w++) {
        words[w] = result(shape, state, insn, w);
    }
    for (unsigned w = 0; w < insn->dst_regs; w++) {
        wr_held *reg = &state->reg[insn->dst + w];

        *reg = written(*reg, words[w], guard, guarded, apart);
    }
    write_pred(state, insn->pd, truth, guard, guarded, apart);
    write_pred(state, insn->pd2, truth, guard, guarded, apart);
}
