/* SPDX-License-Identifier: Apache-2.0 */
/* See machine.h. Values are computed in 64 bits and cut to the type. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 2000000
#define MAX_DEPTH 64
#define POISON    UINT32_C(0xdeadbeef)

typedef struct entry {
    uint32_t pc, mask, reconv;
} entry;

typedef struct state {
    wr_test_machine *m;
    uint32_t regs[64][WR_TEST_LANES];
    uint32_t preds[8]; /* bit per lane */
    uint8_t *local[WR_TEST_LANES];
    entry stack[MAX_DEPTH];
    uint32_t depth;
} state;

static bool fail(state *s, const char *why)
{
    s->m->error = why;
    return false;
}

static unsigned bits_of(wr_type type)
{
    switch (type) {
    case WR_U8:
    case WR_S8:
    case WR_B8:
        return 8;
    case WR_U16:
    case WR_S16:
    case WR_B16:
        return 16;
    case WR_U64:
    case WR_S64:
    case WR_B64:
        return 64;
    default:
        return 32;
    }
}

static bool is_signed(wr_type type)
{
    return type == WR_S8 || type == WR_S16 || type == WR_S32 || type == WR_S64;
}

/* `value` cut to the type and extended to 64 bits by its signedness. */
static uint64_t as_type(uint64_t value, wr_type type)
{
    unsigned bits = bits_of(type);

    if (bits == 64) {
        return value;
    }
    value &= (UINT64_C(1) << bits) - 1;
    if (is_signed(type) && (value >> (bits - 1) & 1) != 0) {
        value |= ~UINT64_C(0) << bits;
    }
    return value;
}

static uint64_t read_words(const state *s, unsigned reg, unsigned words, unsigned lane)
{
    uint64_t value = reg == 63 ? 0 : s->regs[reg][lane];

    if (words == 2 && reg != 63) {
        value |= (uint64_t)s->regs[reg + 1][lane] << 32;
    }
    return value;
}

static void write_words(state *s, unsigned reg, unsigned words, unsigned lane, uint64_t value)
{
    if (reg == 63) {
        return;
    }
    s->regs[reg][lane] = (uint32_t)value;
    if (words == 2) {
        s->regs[reg + 1][lane] = (uint32_t)(value >> 32);
    }
}

static uint64_t source(const state *s, const wr_insn *i, unsigned k, unsigned lane, wr_type type)
{
    uint64_t value = 0;

    if (i->ext == WR_EXT_IMM && i->ext_slot == k) {
        return as_type((uint64_t)(int64_t)(int32_t)i->imm, type);
    }
    if (i->ext == WR_EXT_PARAM && i->ext_slot == k) {
        memcpy(&value, s->m->params + i->imm, bits_of(type) == 64 ? 8 : 4);
        return as_type(value, type);
    }
    return as_type(read_words(s, i->src[k], bits_of(type) == 64 ? 2 : 1, lane), type);
}

static bool pred(const state *s, unsigned p, bool neg, unsigned lane)
{
    bool value = p == 7 || (s->preds[p] >> lane & 1) != 0;

    return value != neg;
}

static void set_pred(state *s, unsigned p, unsigned lane, bool value)
{
    if (p == 7) {
        return;
    }
    s->preds[p] &= ~(UINT32_C(1) << lane);
    s->preds[p] |= (value ? UINT32_C(1) : 0) << lane;
}

static bool compare(wr_cmp cmp, uint64_t a, uint64_t b, bool sign)
{
    bool less = sign ? (int64_t)a < (int64_t)b : a < b;

    switch (cmp) {
    case WR_CMP_EQ:
        return a == b;
    case WR_CMP_NE:
        return a != b;
    case WR_CMP_LT:
    case WR_CMP_LO:
        return less;
    case WR_CMP_LE:
    case WR_CMP_LS:
        return less || a == b;
    case WR_CMP_GT:
    case WR_CMP_HI:
        return !less && a != b;
    default:
        return !less;
    }
}

static bool combine(wr_bool op, bool a, bool b)
{
    switch (op) {
    case WR_BOOL_AND:
        return a && b;
    case WR_BOOL_OR:
        return a || b;
    case WR_BOOL_XOR:
        return a != b;
    case WR_BOOL_NONE:
        break;
    }
    return a;
}

static uint64_t shift(wr_op op, uint64_t a, uint64_t by, wr_type type)
{
    unsigned bits = bits_of(type);
    bool sign = is_signed(type);

    if (op == WR_OP_SHL) {
        return by >= bits ? 0 : a << by;
    }
    if (by >= bits) {
        return sign && (int64_t)a < 0 ? ~UINT64_C(0) : 0;
    }
    return sign ? (uint64_t)((int64_t)a >> by) : a >> by;
}

/* Integer arithmetic; false for what this machine does not know. */
static bool compute(const state *s, const wr_insn *i, unsigned lane, uint64_t *out, unsigned *words)
{
    wr_type type = (wr_type)i->type;
    wr_type shift_type =
        i->op == WR_OP_SHL || i->op == WR_OP_SHR || i->op == WR_OP_BFE ? WR_U32 : type;
    wr_type wide = is_signed(type) ? WR_S64 : WR_U64;
    bool is_wide = (i->op == WR_OP_MUL || i->op == WR_OP_MAD) && i->mode == WR_MUL_WIDE;
    uint64_t a = source(s, i, 0, lane, i->op == WR_OP_CVT ? (wr_type)i->type2 : type);
    uint64_t b = source(s, i, 1, lane, shift_type);
    uint64_t c = source(s, i, 2, lane, is_wide ? wide : shift_type);
    bool less = is_signed(type) ? (int64_t)a < (int64_t)b : a < b;

    *words = is_wide || bits_of(type) == 64 ? 2 : 1;
    switch ((wr_op)i->op) {
    case WR_OP_MOV:
    case WR_OP_CVT:
        *out = a;
        break;
    case WR_OP_SELP:
        *out = pred(s, i->ps, i->ps_neg, lane) ? a : b;
        break;
    case WR_OP_ADD:
        *out = a + b;
        break;
    case WR_OP_SUB:
        *out = a - b;
        break;
    case WR_OP_MUL:
        *out = a * b;
        break;
    case WR_OP_MAD:
        *out = a * b + c;
        break;
    case WR_OP_AND:
        *out = a & b;
        break;
    case WR_OP_OR:
        *out = a | b;
        break;
    case WR_OP_XOR:
        *out = a ^ b;
        break;
    case WR_OP_NOT:
        *out = ~a;
        break;
    case WR_OP_MIN:
        *out = less ? a : b;
        break;
    case WR_OP_MAX:
        *out = less ? b : a;
        break;
    case WR_OP_SHL:
    case WR_OP_SHR:
        *out = shift((wr_op)i->op, a, b, type);
        break;
    default:
        return false;
    }
    if (!is_wide) {
        *out = as_type(*out, type);
    }
    return i->mode != WR_MUL_HI;
}

static uint8_t *place(state *s, const wr_insn *i, unsigned lane, unsigned bytes)
{
    uint64_t at = read_words(s, i->src[0], i->src_regs[0] == 2 ? 2 : 1, lane);
    uint64_t limit = i->space == WR_SPACE_LOCAL ? s->m->kernel->local_bytes : WR_TEST_MEM;
    uint8_t *base = i->space == WR_SPACE_LOCAL ? s->local[lane] : s->m->memory;

    if (i->ext == WR_EXT_IMM) {
        at += (uint64_t)(int64_t)(int32_t)i->imm;
    }
    if (i->src_regs[0] != 2) {
        at &= UINT32_MAX;
    }
    if (at % bytes != 0 || at + bytes > limit) {
        return NULL;
    }
    return base + at;
}

static bool access_memory(state *s, const wr_insn *i, unsigned lane)
{
    unsigned bytes = bits_of((wr_type)i->type) / 8, words = bytes == 8 ? 2 : 1;
    uint8_t *at = place(s, i, lane, bytes * i->vec);

    if (at == NULL) {
        return fail(s, "an access outside of memory");
    }
    for (unsigned e = 0; e < i->vec; e++) {
        uint64_t value = 0;

        if (i->op == WR_OP_LD) {
            memcpy(&value, at + e * bytes, bytes);
            value = as_type(value, (wr_type)i->type);
            write_words(s, i->dst == 63 ? 63 : i->dst + e * words, words, lane, value);
        } else {
            value = read_words(s, i->src[1] == 63 ? 63 : i->src[1] + e * words, words, lane);
            memcpy(at + e * bytes, &value, bytes);
        }
    }
    return true;
}

static bool run_lane(state *s, const wr_insn *i, unsigned lane)
{
    uint64_t out;
    unsigned words;

    if (i->op == WR_OP_LD || i->op == WR_OP_ST) {
        return access_memory(s, i, lane);
    }
    if (i->op == WR_OP_S2R) {
        write_words(s, i->dst, 1, lane, i->sreg == WR_SREG_TID_X ? lane : 1);
        return i->sreg <= WR_SREG_NCTAID_Z;
    }
    if (i->op == WR_OP_SETP) {
        wr_type type = (wr_type)i->type;
        bool result = compare((wr_cmp)i->cmp, source(s, i, 0, lane, type),
                              source(s, i, 1, lane, type), is_signed(type));
        bool with = pred(s, i->ps, i->ps_neg, lane);

        set_pred(s, i->pd, lane, combine((wr_bool)i->boolop, result, with));
        set_pred(s, i->pd2, lane, combine((wr_bool)i->boolop, !result, with));
        return true;
    }
    if (i->type == WR_PRED) {
        bool a = pred(s, i->ps, i->ps_neg, lane), b = pred(s, i->ps2, i->ps2_neg, lane);

        set_pred(s, i->pd, lane, i->op == WR_OP_AND ? a && b : i->op == WR_OP_OR ? a || b : a != b);
        return true;
    }
    if (!compute(s, i, lane, &out, &words)) {
        return fail(s, "an operation that the test machine does not know");
    }
    write_words(s, i->dst, words, lane, out);
    return true;
}

static void pass_point(state *s, const wr_insn *i)
{
    uint64_t live = i->op == WR_OP_PP && s->depth > 1 ? i->live_div : i->live;

    s->m->points++;
    s->m->diverged_points += s->depth > 1 ? 1 : 0;
    live &= ~s->m->drop;
    for (unsigned r = 0; s->m->poison && r < 63; r++) {
        if ((live >> (r < 53 ? r : 53) & 1) == 0) {
            for (unsigned lane = 0; lane < WR_TEST_LANES; lane++) {
                s->regs[r][lane] = POISON;
            }
        }
    }
}

static bool branch(state *s, const wr_insn *i, uint32_t taken)
{
    entry *top = &s->stack[s->depth - 1];
    uint32_t rest = top->mask & ~taken, next = i->pc + i->size;

    if (taken == 0 || rest == 0) {
        top->pc = taken != 0 ? i->target : next;
        return true;
    }
    if (i->uniform) {
        return fail(s, "lanes part at a branch that is marked uniform");
    }
    if (s->depth + 2 > MAX_DEPTH) {
        return fail(s, "the reconvergence stack is too deep");
    }
    top->pc = i->reconv;
    if (next != i->reconv) {
        s->stack[s->depth++] = (entry){next, rest, i->reconv};
    }
    if (i->target != i->reconv) {
        s->stack[s->depth++] = (entry){i->target, taken, i->reconv};
    }
    return true;
}

static void leave(state *s, uint32_t mask)
{
    for (uint32_t d = 0; d < s->depth; d++) {
        s->stack[d].mask &= ~mask;
    }
}

/* Drops entries that are empty or have arrived; one that waits for the exit is empty by then. */
static void settle(state *s)
{
    while (s->depth > 0) {
        const entry *top = &s->stack[s->depth - 1];

        if (top->mask != 0 && (s->depth == 1 || top->pc != top->reconv)) {
            return;
        }
        s->depth--;
    }
}

static bool step(state *s)
{
    const wr_kernel *k = s->m->kernel;
    entry *top = &s->stack[s->depth - 1];
    const wr_insn *i;
    uint32_t active = 0;

    if (top->pc / 8 >= k->word_count || k->insn_at[top->pc / 8] == UINT32_MAX) {
        return fail(s, "a jump into nothing");
    }
    i = &k->insns[k->insn_at[top->pc / 8]];
    for (unsigned lane = 0; lane < WR_TEST_LANES; lane++) {
        if ((top->mask >> lane & 1) != 0 && pred(s, i->guard, i->guard_neg, lane)) {
            active |= UINT32_C(1) << lane;
        }
    }
    switch ((wr_op)i->op) {
    case WR_OP_BRA:
        return branch(s, i, active);
    case WR_OP_EXIT:
        top->pc += i->size;
        leave(s, active);
        return true;
    case WR_OP_BAR_PP:
        if (s->depth > 1) {
            return fail(s, "a barrier in a diverged warp");
        }
        pass_point(s, i);
        break;
    case WR_OP_PP:
        pass_point(s, i);
        break;
    default:
        for (unsigned lane = 0; lane < WR_TEST_LANES; lane++) {
            if ((active >> lane & 1) != 0 && !run_lane(s, i, lane)) {
                return s->m->error != NULL ? false : fail(s, "an unknown operand");
            }
        }
        break;
    }
    top->pc += i->size;
    return true;
}

bool wr_test_machine_run(wr_test_machine *m)
{
    state *s = calloc(1, sizeof *s);
    bool ok = s != NULL;

    m->error = ok ? NULL : "out of memory";
    for (unsigned lane = 0; ok && lane < WR_TEST_LANES; lane++) {
        s->local[lane] = calloc(1, m->kernel->local_bytes + 16u);
    }
    for (unsigned r = 0; ok && r < 64; r++) {
        for (unsigned lane = 0; lane < WR_TEST_LANES; lane++) {
            s->regs[r][lane] = POISON;
        }
    }
    if (ok) {
        s->m = m;
        s->stack[0] = (entry){0, (1u << WR_TEST_LANES) - 1, UINT32_MAX};
        s->depth = 1;
    }
    while (ok && s->depth > 0) {
        ok = ++m->steps < MAX_STEPS ? step(s) : fail(s, "it does not end");
        settle(s);
    }
    for (unsigned lane = 0; s != NULL && lane < WR_TEST_LANES; lane++) {
        free(s->local[lane]);
    }
    free(s);
    return ok;
}
