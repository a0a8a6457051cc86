/* See reference.h. Every register is 64 bits that hold its value cut to its type's size. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 500000

typedef struct thread {
    const wr_ptx_func *func;
    const uint8_t *params;
    uint8_t *memory;
    uint32_t size, tid, pc;
    uint64_t *regs;
    const char *error;
} thread;

static uint64_t cut(uint64_t value, wr_ptx_type type)
{
    unsigned bits = 8 * wr_ptx_type_size(type);

    if (bits == 0 || bits == 64)
        return value;
    value &= (UINT64_C(1) << bits) - 1;
    if (wr_ptx_type_is_signed(type) && (value >> (bits - 1)) != 0)
        value |= ~UINT64_C(0) << bits;
    return value;
}

static uint64_t get(thread *t, const wr_ptx_operand *o, wr_ptx_type type)
{
    switch (o->kind) {
    case WR_PTX_OPD_REG:
        return cut(t->regs[o->reg], type);
    case WR_PTX_OPD_IMM:
        return cut(o->bits, type);
    case WR_PTX_OPD_SREG:
        return o->sreg == WR_PTX_SREG_TID && o->component == 0 ? t->tid : 1;
    default:
        t->error = "an operand that the reference does not know";
        return 0;
    }
}

static bool get_pred(thread *t, const wr_ptx_operand *o)
{
    return (t->regs[o->reg] != 0) != o->neg;
}

static void put(thread *t, const wr_ptx_operand *o, uint64_t value)
{
    t->regs[o->reg] = cut(value, o->type == WR_PTX_TYPE_NONE ? WR_PTX_B64 : o->type);
}

static bool compare(uint8_t cmp, uint64_t a, uint64_t b, bool sign)
{
    int order = a == b ? 0 : (sign ? (int64_t)a < (int64_t)b : a < b) ? -1 : 1;

    switch ((wr_ptx_cmp)cmp) {
    case WR_PTX_CMP_EQ:
        return order == 0;
    case WR_PTX_CMP_NE:
        return order != 0;
    case WR_PTX_CMP_LT:
        return order < 0;
    case WR_PTX_CMP_LE:
        return order <= 0;
    case WR_PTX_CMP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static uint8_t *address(thread *t, const wr_ptx_operand *o, unsigned bytes)
{
    uint64_t at = (o->reg != WR_PTX_NO_REG ? t->regs[o->reg] : 0) + (uint64_t)o->offset;
    bool wide = o->reg != WR_PTX_NO_REG && wr_ptx_type_size(t->func->regs[o->reg].type) == 8;

    if (!wide)
        at &= UINT32_MAX;
    if (at + bytes > t->size) {
        t->error = "an access outside of memory";
        return t->memory;
    }
    return t->memory + at;
}

static void access_memory(thread *t, const wr_ptx_insn *i)
{
    bool load = i->op == WR_PTX_LD;
    const wr_ptx_operand *value = &i->operands[load ? 0 : 1];
    const wr_ptx_operand *where = &i->operands[load ? 1 : 0];
    unsigned count = value->kind == WR_PTX_OPD_VECTOR ? value->count : 1;
    unsigned bytes = wr_ptx_type_size(i->type[0]);
    const uint8_t *param = t->params + (where->var != NULL ? where->var->offset : 0);
    uint8_t *at;

    if (load && i->mod[WR_PTX_SLOT_SPACE] == WR_PTX_SPACE_PARAM) {
        uint64_t bits = 0;

        memcpy(&bits, param + where->offset, bytes);
        t->regs[value->reg] = cut(bits, i->type[0]);
        return;
    }
    at = address(t, where, bytes * count);
    for (unsigned e = 0; e < count; e++, at += bytes) {
        const wr_ptx_operand *elem = count > 1 ? &value->elems[e] : value;
        uint64_t bits = 0;

        if (load) {
            memcpy(&bits, at, bytes);
            t->regs[elem->reg] = cut(bits, i->type[0]);
        } else {
            bits = get(t, elem, i->type[0]);
            memcpy(at, &bits, bytes);
        }
    }
}

static uint64_t shift(wr_ptx_op op, uint64_t a, uint64_t by, wr_ptx_type type)
{
    unsigned bits = 8 * wr_ptx_type_size(type);

    if (op == WR_PTX_SHL)
        return by >= bits ? 0 : a << by;
    if (wr_ptx_type_is_signed(type))
        return (uint64_t)((int64_t)a >> (by >= bits ? 63 : by));
    return by >= bits ? 0 : a >> by;
}

static uint64_t arith(thread *t, const wr_ptx_insn *i)
{
    wr_ptx_type type = i->op == WR_PTX_CVT ? i->type[1] : i->type[0];
    bool shifts = i->op == WR_PTX_SHL || i->op == WR_PTX_SHR;
    uint64_t a = get(t, &i->operands[1], type);
    uint64_t b = i->operand_count > 2 ? get(t, &i->operands[2], shifts ? WR_PTX_U32 : type) : 0;
    bool less = wr_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;

    switch (i->op) {
    case WR_PTX_MOV:
    case WR_PTX_CVT:
        return a;
    case WR_PTX_ADD:
        return a + b;
    case WR_PTX_SUB:
        return a - b;
    case WR_PTX_MUL:
        return a * b;
    case WR_PTX_MAD:
        return a * b + get(t, &i->operands[3], type);
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
        return get_pred(t, &i->operands[3]) ? a : b;
    case WR_PTX_SHL:
    case WR_PTX_SHR:
        return shift(i->op, a, b, type);
    default:
        t->error = "an instruction that the reference does not know";
        return 0;
    }
}

static void pack_or_unpack(thread *t, const wr_ptx_insn *i)
{
    const wr_ptx_operand *to = &i->operands[0], *from = &i->operands[1];

    if (from->kind == WR_PTX_OPD_VECTOR) {
        uint64_t low = get(t, &from->elems[0], WR_PTX_U32);
        uint64_t high = get(t, &from->elems[1], WR_PTX_U32);

        t->regs[to->reg] = low | high << 32;
    } else {
        uint64_t value = t->regs[from->reg];

        t->regs[to->elems[0].reg] = value & UINT32_MAX;
        t->regs[to->elems[1].reg] = value >> 32;
    }
}

static void pred_logic(thread *t, const wr_ptx_insn *i)
{
    bool a = get_pred(t, &i->operands[1]);
    bool b = i->operand_count > 2 && get_pred(t, &i->operands[2]);

    t->regs[i->operands[0].reg] = i->op == WR_PTX_NOT   ? !a
                                  : i->op == WR_PTX_AND ? a && b
                                  : i->op == WR_PTX_OR  ? a || b
                                                        : a != b;
}

static void execute(thread *t, const wr_ptx_insn *i)
{
    bool result, with;

    if (i->op == WR_PTX_LD || i->op == WR_PTX_ST) {
        access_memory(t, i);
    } else if (i->op == WR_PTX_BAR_SYNC) {
        /* One thread at a time: nothing to wait for, random.c shares no memory. */
    } else if (i->op == WR_PTX_SETP) {
        result = compare(i->mod[WR_PTX_SLOT_CMP], get(t, &i->operands[1], i->type[0]),
                         get(t, &i->operands[2], i->type[0]), wr_ptx_type_is_signed(i->type[0]));
        with = i->operand_count > 3 && get_pred(t, &i->operands[3]);
        if (i->mod[WR_PTX_SLOT_BOOL] == WR_PTX_BOOL_AND)
            result = result && with;
        else if (i->mod[WR_PTX_SLOT_BOOL] == WR_PTX_BOOL_OR)
            result = result || with;
        t->regs[i->operands[0].reg] = result;
    } else if (i->type[0] == WR_PTX_PRED) {
        pred_logic(t, i);
    } else if (i->op == WR_PTX_MOV && (i->operands[0].kind == WR_PTX_OPD_VECTOR ||
                                       i->operands[1].kind == WR_PTX_OPD_VECTOR)) {
        pack_or_unpack(t, i);
    } else {
        uint64_t value = arith(t, i);
        bool wide = i->mod[WR_PTX_SLOT_MODE] == WR_PTX_MODE_WIDE;

        if (wide)
            t->regs[i->operands[0].reg] = value;
        else
            put(t, &i->operands[0], cut(value, i->type[0]));
    }
}

const char *wr_test_reference(const wr_ptx_func *func, const uint8_t *params, uint8_t *memory,
                              uint32_t size, uint32_t tid)
{
    thread t = {func, params, memory, size, tid, 0, calloc(func->reg_count + 1, 8), NULL};
    uint32_t steps = 0;

    if (t.regs == NULL)
        return "out of memory";
    while (t.error == NULL && t.pc < func->insn_count) {
        const wr_ptx_insn *i = &func->insns[t.pc++];
        bool go = i->guard == WR_PTX_NO_REG || (t.regs[i->guard] != 0) != i->guard_neg;

        if (++steps > MAX_STEPS)
            t.error = "it does not end";
        if (!go)
            continue;
        if (i->op == WR_PTX_RET || i->op == WR_PTX_EXIT)
            break;
        if (i->op == WR_PTX_BRA)
            t.pc = i->operands[0].target;
        else
            execute(&t, i);
    }
    free(t.regs);
    return t.error;
}
