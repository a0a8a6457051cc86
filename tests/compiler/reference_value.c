/* SPDX-License-Identifier: Apache-2.0 */
/* Values of instructions, for one thread; see reference.h. */
#include <math.h>
#include <string.h>

#include "reference_thread.h"

#define SHARED_AT 0x01000000u
#define LOCAL_AT  0x02000000u

uint64_t wr_test_cut(uint64_t value, wr_ptx_type type)
{
    unsigned bits = 8 * wr_ptx_type_size(type);

    if (bits == 0 || bits == 64) {
        return value;
    }
    value &= (UINT64_C(1) << bits) - 1;
    if (wr_ptx_type_is_signed(type) && (value >> (bits - 1)) != 0) {
        value |= ~UINT64_C(0) << bits;
    }
    return value;
}

static uint64_t symbol(wr_test_thread *t, const wr_ptx_operand *o)
{
    uint32_t place = 0;

    if (o->func != NULL) {
        return 1 + o->func->index;
    }
    if (o->var->space == WR_PTX_SPACE_LOCAL) {
        (void)wr_test_local(t->top->func, o->var, &place);
        return t->top->local + place + (uint64_t)o->offset;
    }
    if (o->var->space != WR_PTX_SPACE_SHARED || o->var->index != 0) {
        t->error = "a symbol that the reference does not know";
    }
    return (uint64_t)o->offset;
}

uint64_t wr_test_get(wr_test_thread *t, const wr_ptx_operand *o, wr_ptx_type type)
{
    switch (o->kind) {
    case WR_PTX_OPD_REG:
        return wr_test_cut(t->top->regs[o->reg], type);
    case WR_PTX_OPD_IMM:
        return wr_test_cut(o->bits, type);
    case WR_PTX_OPD_SYMBOL:
        return symbol(t, o);
    case WR_PTX_OPD_SREG:
        return o->sreg == WR_PTX_SREG_TID && o->component == 0 ? t->tid : 1;
    default:
        t->error = "an operand that the reference does not know";
        return 0;
    }
}

bool wr_test_get_pred(wr_test_thread *t, const wr_ptx_operand *o)
{
    return (t->top->regs[o->reg] != 0) != o->neg;
}

void wr_test_put(wr_test_thread *t, const wr_ptx_operand *o, uint64_t value)
{
    if (o->kind == WR_PTX_OPD_SINK) {
        return;
    }
    t->top->regs[o->reg] = wr_test_cut(value, o->type == WR_PTX_TYPE_NONE ? WR_PTX_B64 : o->type);
}

uint32_t wr_test_local(const wr_ptx_func *func, const wr_ptx_var *var, uint32_t *place)
{
    uint32_t at = 0;

    for (const wr_ptx_var *v = func->vars; v != NULL; v = v->next) {
        if (v->space != WR_PTX_SPACE_LOCAL) {
            continue;
        }
        at = (at + v->align - 1) / v->align * v->align;
        if (v == var) {
            *place = at;
        }
        at += (uint32_t)v->size;
    }
    return (at + 15) / 16 * 16;
}

uint8_t *wr_test_slot(wr_test_thread *t, wr_test_frame *frame, const wr_ptx_var *var)
{
    uint32_t slot = 0;

    for (const wr_ptx_var *v = frame->func->rets; v != NULL; v = v->next, slot++) {
        if (v == var) {
            return frame->slots[slot];
        }
    }
    for (const wr_ptx_var *v = frame->func->params; v != NULL; v = v->next, slot++) {
        if (v == var) {
            return frame->slots[slot];
        }
    }
    for (const wr_ptx_var *v = frame->func->vars; v != NULL; v = v->next) {
        if (v->space != WR_PTX_SPACE_PARAM) {
            continue;
        }
        if (v == var) {
            return frame->slots[slot % WR_TEST_SLOTS]; /* calls of one place use them again */
        }
        slot++;
    }
    t->error = "a parameter that the reference does not know";
    return frame->slots[0];
}

/* ---- memory ---- */

static uint8_t *address(wr_test_thread *t, const wr_ptx_insn *i, const wr_ptx_operand *o,
                        unsigned bytes)
{
    uint64_t at = (o->reg != WR_PTX_NO_REG ? t->top->regs[o->reg] : 0) + (uint64_t)o->offset;
    bool wide = o->reg != WR_PTX_NO_REG && wr_ptx_type_size(t->top->func->regs[o->reg].type) == 8;
    unsigned space = i->mod[WR_PTX_SLOT_SPACE];
    uint32_t place = 0, size = t->size;
    uint8_t *base = t->memory;

    if (!wide) {
        at &= UINT32_MAX;
    }
    if (o->var != NULL && o->var->space == WR_PTX_SPACE_LOCAL) {
        (void)wr_test_local(t->top->func, o->var, &place);
        at += t->top->local + place;
    }
    if (space == WR_PTX_SPACE_GENERIC && at >= SHARED_AT && at < LOCAL_AT + WR_TEST_LOCAL) {
        space = at >= LOCAL_AT ? WR_PTX_SPACE_LOCAL : WR_PTX_SPACE_SHARED;
        at -= at >= LOCAL_AT ? LOCAL_AT : SHARED_AT;
    }
    if (space == WR_PTX_SPACE_SHARED) {
        base = t->shared;
        size = WR_TEST_SHARED;
    } else if (space == WR_PTX_SPACE_LOCAL) {
        base = t->local;
        size = WR_TEST_LOCAL;
    }
    if (at + bytes > size || at + bytes < at) {
        t->error = "an access outside of memory";
        return t->memory;
    }
    return base + at;
}

static void access_memory(wr_test_thread *t, const wr_ptx_insn *i)
{
    bool load = i->op == WR_PTX_LD;
    const wr_ptx_operand *value = &i->operands[load ? 0 : 1];
    const wr_ptx_operand *where = &i->operands[load ? 1 : 0];
    unsigned count = value->kind == WR_PTX_OPD_VECTOR ? value->count : 1;
    unsigned bytes = wr_ptx_type_size(i->type[0]);
    uint8_t *at;

    if (i->mod[WR_PTX_SLOT_SPACE] == WR_PTX_SPACE_PARAM && where->var != NULL) {
        at = wr_test_slot(t, t->top, where->var) + where->offset;
    } else {
        at = address(t, i, where, bytes * count);
    }
    for (unsigned e = 0; e < count; e++, at += bytes) {
        const wr_ptx_operand *elem = count > 1 ? &value->elems[e] : value;
        uint64_t bits = 0;

        if (load) {
            memcpy(&bits, at, bytes);
            t->top->regs[elem->reg] = wr_test_cut(bits, i->type[0]);
        } else {
            bits = wr_test_get(t, elem, i->type[0]);
            memcpy(at, &bits, bytes);
        }
    }
}

static void atomic(wr_test_thread *t, const wr_ptx_insn *i)
{
    bool keeps = i->op == WR_PTX_ATOM;
    const wr_ptx_operand *args = i->operands + (keeps ? 2 : 1);
    wr_ptx_type type = i->type[0];
    unsigned bytes = wr_ptx_type_size(type);
    uint8_t *at = address(t, i, &i->operands[keeps ? 1 : 0], bytes);
    uint64_t bits = 0, old, a = wr_test_get(t, &args[0], type), result;

    memcpy(&bits, at, bytes);
    old = wr_test_cut(bits, type);
    switch ((wr_ptx_mode)i->mod[WR_PTX_SLOT_MODE]) {
    case WR_PTX_MODE_ADD:
        result = old + a;
        break;
    case WR_PTX_MODE_AND:
        result = old & a;
        break;
    case WR_PTX_MODE_OR:
        result = old | a;
        break;
    case WR_PTX_MODE_XOR:
        result = old ^ a;
        break;
    case WR_PTX_MODE_EXCH:
        result = a;
        break;
    case WR_PTX_MODE_MIN:
        result = (wr_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)old : a < old) ? a : old;
        break;
    case WR_PTX_MODE_MAX:
        result = (wr_ptx_type_is_signed(type) ? (int64_t)a > (int64_t)old : a > old) ? a : old;
        break;
    case WR_PTX_MODE_INC:
        result = old >= a ? 0 : old + 1;
        break;
    case WR_PTX_MODE_CAS:
        result = old == a ? wr_test_get(t, &args[1], type) : old;
        break;
    default:
        t->error = "an atomic that the reference does not know";
        return;
    }
    memcpy(at, &result, bytes);
    if (keeps) {
        wr_test_put(t, &i->operands[0], old);
    }
}

/* ---- arithmetic ---- */

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;

    memcpy(&value, &low, 4);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

/* Results that are NaN are one NaN. */
static uint64_t float_bits(double value, wr_ptx_type type)
{
    uint64_t bits = 0;
    float narrow = (float)value;

    if (isnan(value)) {
        return type == WR_PTX_F32 ? 0x7fffffff : UINT64_C(0x7fffffffffffffff);
    }
    if (type == WR_PTX_F32) {
        memcpy(&bits, &narrow, 4);
    } else {
        memcpy(&bits, &value, 8);
    }
    return bits;
}

static double least(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) ? b : a;
    }
    if (a == b) {
        return signbit(a) ? a : b;
    }
    return a < b ? a : b;
}

/* Of the f32 operations each is exact enough in fp64 that rounding twice is rounding once, but for
 * fma. */
static uint64_t float_arith(wr_test_thread *t, const wr_ptx_insn *i)
{
    wr_ptx_type type = i->type[0];
    bool narrow = type == WR_PTX_F32;
    double in[3] = {0, 0, 0};

    for (unsigned k = 1; k < i->operand_count && k < 4; k++) {
        uint64_t bits =
            i->operands[k].type == WR_PTX_PRED ? 0 : wr_test_get(t, &i->operands[k], type);

        in[k - 1] = narrow ? (double)as_float(bits) : as_double(bits);
    }
    switch (i->op) {
    case WR_PTX_ADD:
        return float_bits(in[0] + in[1], type);
    case WR_PTX_SUB:
        return float_bits(in[0] - in[1], type);
    case WR_PTX_MUL:
        return float_bits(in[0] * in[1], type);
    case WR_PTX_FMA:
        if (narrow) {
            return float_bits((double)fmaf((float)in[0], (float)in[1], (float)in[2]), type);
        }
        return float_bits(fma(in[0], in[1], in[2]), type);
    case WR_PTX_DIV:
        return float_bits(in[0] / in[1], type);
    case WR_PTX_SQRT:
        return float_bits(sqrt(in[0]), type);
    case WR_PTX_MIN:
        return float_bits(least(in[0], in[1]), type);
    case WR_PTX_MAX:
        return float_bits(-least(-in[0], -in[1]), type);
    default:
        t->error = "an operation on floats that the reference does not know";
        return 0;
    }
}

static uint64_t convert(wr_test_thread *t, const wr_ptx_insn *i)
{
    wr_ptx_type to = i->type[0], from = i->type[1];
    uint64_t bits = wr_test_get(t, &i->operands[1], from);
    double value;

    if (!wr_ptx_type_is_float(to) && !wr_ptx_type_is_float(from)) {
        return bits;
    }
    if (!wr_ptx_type_is_float(from)) {
        value = wr_ptx_type_is_signed(from) ? (double)(int64_t)bits : (double)bits;
        return float_bits(value, to); /* from 32 bits: exact in fp64 */
    }
    value = from == WR_PTX_F32 ? (double)as_float(bits) : as_double(bits);
    if (wr_ptx_type_is_float(to)) {
        return float_bits(value, to);
    }
    value = trunc(value); /* .rzi, the only one that is written, to s32 */
    if (isnan(value)) {
        return 0;
    }
    return (uint64_t)(int64_t)(value < -2147483648.0  ? -2147483648.0
                               : value > 2147483647.0 ? 2147483647.0
                                                      : value);
}

static uint64_t shift(wr_ptx_op op, uint64_t a, uint64_t by, wr_ptx_type type)
{
    unsigned bits = 8 * wr_ptx_type_size(type);

    if (op == WR_PTX_SHL) {
        return by >= bits ? 0 : a << by;
    }
    if (wr_ptx_type_is_signed(type)) {
        return (uint64_t)((int64_t)a >> (by >= bits ? 63 : by));
    }
    return by >= bits ? 0 : a >> by;
}

static uint64_t arith(wr_test_thread *t, const wr_ptx_insn *i)
{
    wr_ptx_type type = i->type[0];
    bool shifts = i->op == WR_PTX_SHL || i->op == WR_PTX_SHR;
    uint64_t a = wr_test_get(t, &i->operands[1], type);
    uint64_t b =
        i->operand_count > 2 ? wr_test_get(t, &i->operands[2], shifts ? WR_PTX_U32 : type) : 0;
    bool less = wr_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;

    switch (i->op) {
    case WR_PTX_MOV:
        return a;
    case WR_PTX_ADD:
        return a + b;
    case WR_PTX_SUB:
        return a - b;
    case WR_PTX_MUL:
        return a * b;
    case WR_PTX_MAD:
        return a * b + wr_test_get(t, &i->operands[3], type);
    case WR_PTX_REM:
        return b == 0 ? 0 : a % b;
    case WR_PTX_AND:
        return a & b;
    case WR_PTX_OR:
        return a | b;
    case WR_PTX_XOR:
        return a ^ b;
    case WR_PTX_NOT:
        return ~a;
    case WR_PTX_MIN:
        return less ? a : b;
    case WR_PTX_MAX:
        return less ? b : a;
    case WR_PTX_SELP:
        return wr_test_get_pred(t, &i->operands[3]) ? a : b;
    case WR_PTX_SHL:
    case WR_PTX_SHR:
        return shift(i->op, a, b, type);
    default:
        t->error = "an instruction that the reference does not know";
        return 0;
    }
}

static void pack_or_unpack(wr_test_thread *t, const wr_ptx_insn *i)
{
    const wr_ptx_operand *to = &i->operands[0], *from = &i->operands[1];

    if (from->kind == WR_PTX_OPD_VECTOR) {
        uint64_t low = wr_test_get(t, &from->elems[0], WR_PTX_U32);
        uint64_t high = wr_test_get(t, &from->elems[1], WR_PTX_U32);

        t->top->regs[to->reg] = low | high << 32;
    } else {
        uint64_t value = t->top->regs[from->reg];

        t->top->regs[to->elems[0].reg] = value & UINT32_MAX;
        t->top->regs[to->elems[1].reg] = value >> 32;
    }
}

static void pred_logic(wr_test_thread *t, const wr_ptx_insn *i)
{
    bool a = wr_test_get_pred(t, &i->operands[1]);
    bool b = i->operand_count > 2 && wr_test_get_pred(t, &i->operands[2]);

    t->top->regs[i->operands[0].reg] = i->op == WR_PTX_NOT   ? !a
                                       : i->op == WR_PTX_AND ? a && b
                                       : i->op == WR_PTX_OR  ? a || b
                                                             : a != b;
}

/* -1, 0, 1; 2 where they can't be compared. */
static int order_of(wr_test_thread *t, const wr_ptx_insn *i)
{
    wr_ptx_type type = i->type[0];
    uint64_t a = wr_test_get(t, &i->operands[1], type), b = wr_test_get(t, &i->operands[2], type);

    if (wr_ptx_type_is_float(type)) {
        double x = type == WR_PTX_F32 ? (double)as_float(a) : as_double(a);
        double y = type == WR_PTX_F32 ? (double)as_float(b) : as_double(b);

        return isnan(x) || isnan(y) ? 2 : x == y ? 0 : x < y ? -1 : 1;
    }
    return a == b ? 0 : (wr_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b) ? -1 : 1;
}

static bool compare(uint8_t cmp, int order)
{
    switch ((wr_ptx_cmp)cmp) {
    case WR_PTX_CMP_EQ:
        return order == 0;
    case WR_PTX_CMP_NE:
        return order == -1 || order == 1;
    case WR_PTX_CMP_LT:
        return order == -1;
    case WR_PTX_CMP_LE:
        return order == -1 || order == 0;
    case WR_PTX_CMP_GT:
        return order == 1;
    default:
        return order == 0 || order == 1;
    }
}

static void set_pred(wr_test_thread *t, const wr_ptx_insn *i)
{
    bool result = compare(i->mod[WR_PTX_SLOT_CMP], order_of(t, i));
    bool with = i->operand_count > 3 && wr_test_get_pred(t, &i->operands[3]);

    if (i->mod[WR_PTX_SLOT_BOOL] == WR_PTX_BOOL_AND) {
        result = result && with;
    } else if (i->mod[WR_PTX_SLOT_BOOL] == WR_PTX_BOOL_OR) {
        result = result || with;
    }
    t->top->regs[i->operands[0].reg] = result;
}

void wr_test_execute(wr_test_thread *t, const wr_ptx_insn *i)
{
    bool moves = i->op == WR_PTX_MOV || i->op == WR_PTX_SELP;

    if (i->op == WR_PTX_LD || i->op == WR_PTX_ST) {
        access_memory(t, i);
    } else if (i->op == WR_PTX_ATOM || i->op == WR_PTX_RED) {
        atomic(t, i);
    } else if (i->op == WR_PTX_MEMBAR) {
        /* Threads see each other's writes at once. */
    } else if (i->op == WR_PTX_SETP) {
        set_pred(t, i);
    } else if (i->op == WR_PTX_CVTA) {
        wr_test_put(t, &i->operands[0],
                    wr_test_get(t, &i->operands[1], i->type[0]) +
                        (i->mod[WR_PTX_SLOT_SPACE] == WR_PTX_SPACE_SHARED  ? SHARED_AT
                         : i->mod[WR_PTX_SLOT_SPACE] == WR_PTX_SPACE_LOCAL ? LOCAL_AT
                                                                           : 0));
    } else if (i->op == WR_PTX_CVT) {
        wr_test_put(t, &i->operands[0], wr_test_cut(convert(t, i), i->type[0]));
    } else if (i->type[0] == WR_PTX_PRED) {
        pred_logic(t, i);
    } else if (i->op == WR_PTX_MOV && (i->operands[0].kind == WR_PTX_OPD_VECTOR ||
                                       i->operands[1].kind == WR_PTX_OPD_VECTOR)) {
        pack_or_unpack(t, i);
    } else if (wr_ptx_type_is_float(i->type[0]) && !moves) {
        wr_test_put(t, &i->operands[0], float_arith(t, i));
    } else {
        uint64_t value = arith(t, i);
        bool wide = i->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_WIDE;

        if (wide) {
            t->top->regs[i->operands[0].reg] = value;
        } else {
            wr_test_put(t, &i->operands[0], wr_test_cut(value, i->type[0]));
        }
    }
}
