/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of moves, address conversions, loads, stores and atomics.
 *
 * Addresses of global memory and generic addresses are the same numbers. Shared, local and
 * parameter addresses count from the start of the TB's, the thread's and the kernel's memory;
 * their generic addresses lie in a window each (isa.h). Constant addresses count from the
 * module's image, which is in simulated memory. The conversion is marked (`to_generic`), and
 * spaces.c finds accesses of which the space is certain.
 */
#include "shell/compiler/lower.h"

#include "shell/isa/table.h"

/* ---- moves ---- */

/* Four words are two moves. */
static void emit_move(wr_lower *lo, wr_ir_operand dst, wr_ir_operand src, unsigned words)
{
    wr_ir_insn insn = wr_ir_move(dst, src, words > 2 ? 2 : words);

    wr_lower_emit(lo, &insn);
    if (words > 2) {
        insn.dst.word = (uint8_t)(insn.dst.word + 2);
        insn.src[0].word = (uint8_t)(insn.src[0].word + 2);
        wr_lower_emit(lo, &insn);
    }
}

static unsigned words_of(wr_ptx_type type)
{
    return wr_ptx_type_size(type) > 4 ? 2 : 1;
}

/* dst = {a, b, ...}: through a temporary, since an element may be a part of the destination. What
 * is narrower than a word goes into its place in one; above an element's bits there may be
 * anything, which the next one covers. */
static bool pack(wr_lower *lo, const wr_ptx_operand *to, const wr_ptx_operand *from)
{
    unsigned bytes = wr_ptx_type_size(lo->insn->type[0]);
    unsigned each = bytes / from->count;
    uint32_t dst = wr_lower_reg(lo, to->reg);
    wr_ir_operand whole = wr_lower_temp(lo, (bytes + 3) / 4);

    for (unsigned i = 0; i < from->count; i++) {
        wr_ir_operand part = whole;
        wr_ir_operand elem = wr_lower_source(lo, &from->elems[i]);
        uint64_t at = i * each % 4;

        part.word = (uint8_t)(i * each / 4);
        if (at != 0) {
            wr_ir_insn insn = wr_ir_insn_new(WR_OP_BFI, WR_B32);

            insn.src[0] = elem;
            insn.src[1] = part;
            insn.src[2] = wr_ir_imm_operand(8 * at | 8 * (uint64_t)each << 8);
            insn.dst = part;
            wr_lower_emit(lo, &insn);
        } else {
            emit_move(lo, part, elem, each > 4 ? 2 : 1);
        }
    }
    emit_move(lo, wr_ir_reg_operand(dst, 0), whole, (bytes + 3) / 4);
    return true;
}

/* {a, b, ...} = src */
static bool unpack(wr_lower *lo, const wr_ptx_operand *to, const wr_ptx_operand *from)
{
    unsigned bytes = wr_ptx_type_size(lo->insn->type[0]);
    unsigned each = bytes / to->count;
    wr_ir_operand src = wr_lower_source(lo, from);
    wr_ir_operand whole = wr_lower_temp(lo, (bytes + 3) / 4);

    emit_move(lo, whole, src, (bytes + 3) / 4);
    for (unsigned i = 0; i < to->count; i++) {
        const wr_ptx_operand *elem = &to->elems[i];
        wr_ir_operand part = whole;
        wr_ir_operand dst;

        if (elem->kind == WR_PTX_OPD_SINK) {
            continue;
        }
        dst = wr_ir_reg_operand(wr_lower_reg(lo, elem->reg), 0);
        part.word = (uint8_t)(i * each / 4);
        if (each < 4) {
            wr_ir_insn insn = wr_ir_insn_new(WR_OP_BFE, WR_U32);

            insn.src[0] = part;
            insn.src[1] = wr_ir_imm_operand(8 * (uint64_t)(i * each % 4));
            insn.src[2] = wr_ir_imm_operand(8 * (uint64_t)each);
            insn.dst = dst;
            wr_lower_emit(lo, &insn);
            continue;
        }
        emit_move(lo, dst, part, each / 4);
    }
    return true;
}

/* mov.v4 {a, b, c, d}, {e, f, g, h}: all are read before one is written. */
static bool move_vector(wr_lower *lo, const wr_ptx_operand *to, const wr_ptx_operand *from)
{
    unsigned words = words_of(lo->insn->type[0]);
    wr_ir_operand value[4];

    if (to->count > 4) {
        return wr_lower_refuse(lo, "a vector that moves has 2 or 4 elements");
    }
    for (unsigned i = 0; i < to->count; i++) {
        value[i] = wr_lower_temp(lo, words);
        emit_move(lo, value[i], wr_lower_source(lo, &from->elems[i]), words);
    }
    for (unsigned i = 0; i < to->count; i++) {
        wr_ir_insn insn = wr_ir_move((wr_ir_operand){0}, value[i], words);

        wr_lower_emit_to(lo, &insn, &to->elems[i], wr_lower_type(lo->insn->type[0]));
    }
    return true;
}

bool wr_lower_move(wr_lower *lo)
{
    const wr_ptx_operand *to = &lo->insn->operands[0];
    const wr_ptx_operand *from = &lo->insn->operands[1];
    unsigned words = words_of(lo->insn->type[0]);
    wr_ir_insn insn;

    if (lo->insn->type[0] == WR_PTX_PRED) {
        insn = wr_ir_insn_new(WR_OP_AND, WR_PRED);
        insn.pd = wr_lower_reg(lo, to->reg);
        insn.ps = wr_lower_pred(lo, from, &insn.m.ps_neg);
        wr_lower_emit(lo, &insn);
        return true;
    }
    if (lo->insn->mod[WR_PTX_SLOT_VEC] != 0) {
        return move_vector(lo, to, from);
    }
    if (from->kind == WR_PTX_OPD_VECTOR) {
        return pack(lo, to, from);
    }
    if (to->kind == WR_PTX_OPD_VECTOR) {
        return unpack(lo, to, from);
    }
    if (lo->insn->type[0] == WR_PTX_B128) {
        if (from->kind != WR_PTX_OPD_REG) {
            return wr_lower_refuse(lo, "128 bits come from a register or {low, high}");
        }
        emit_move(lo, wr_ir_reg_operand(wr_lower_reg(lo, to->reg), 0), wr_lower_source(lo, from),
                  4);
        return true;
    }
    insn = wr_ir_move((wr_ir_operand){0}, wr_lower_source(lo, from), words);
    wr_lower_emit_to(lo, &insn, to, WR_U32);
    return true;
}

bool wr_lower_cvta(wr_lower *lo)
{
    uint8_t space = lo->insn->mod[WR_PTX_SLOT_SPACE];
    wr_type type = wr_lower_type(lo->insn->type[0]);
    wr_ir_insn insn;

    if (space == WR_PTX_SPACE_GLOBAL) {
        insn = wr_ir_insn_new(WR_OP_MOV, wr_isa_type_regs(type) == 2 ? WR_B64 : WR_B32);
    } else {
        insn = wr_ir_insn_new(lo->insn->op == WR_PTX_CVTA ? WR_OP_ADD : WR_OP_SUB, type);
        insn.src[1] = space == WR_PTX_SPACE_CONST
                          ? (wr_ir_operand){.kind = WR_IR_PARAM, .bits = lo->kernel->const_base_at}
                          : wr_ir_imm_operand(wr_isa_window((wr_space)space));
        if (lo->insn->op == WR_PTX_CVTA && space != WR_PTX_SPACE_CONST) {
            insn.to_generic = space;
        }
    }
    insn.src[0] = wr_lower_source(lo, &lo->insn->operands[1]);
    wr_lower_emit_to(lo, &insn, &lo->insn->operands[0], WR_U32);
    return true;
}

/* The address is inside the window, or above the start of simulated memory. */
bool wr_lower_isspacep(wr_lower *lo)
{
    uint8_t space = lo->insn->mod[WR_PTX_SLOT_SPACE];
    wr_ir_operand at = wr_lower_source(lo, &lo->insn->operands[1]);
    wr_type type = lo->module->address_size == 64 ? WR_U64 : WR_U32;
    wr_ir_insn test = wr_ir_insn_new(WR_OP_SETP, type);
    wr_ir_insn inside = wr_ir_insn_new(WR_OP_SUB, type);

    test.pd = wr_lower_reg(lo, lo->insn->operands[0].reg);
    if (space == WR_PTX_SPACE_GLOBAL) {
        test.m.cmp = WR_CMP_GE;
        test.src[0] = at;
        test.src[1] = wr_ir_imm_operand(WR_GLOBAL_BASE);
        wr_lower_emit(lo, &test);
        return true;
    }
    inside.src[0] = at;
    inside.src[1] = wr_ir_imm_operand(wr_isa_window((wr_space)space));
    test.src[1] = wr_ir_imm_operand(WR_WINDOW_BYTES);
    if (space == WR_PTX_SPACE_CONST) {
        inside.src[1] = (wr_ir_operand){.kind = WR_IR_PARAM, .bits = lo->kernel->const_base_at};
        test.src[1] = wr_ir_imm_operand(lo->layout->const_bytes);
    }
    inside.dst = wr_lower_temp(lo, wr_isa_type_regs(type));
    wr_lower_emit(lo, &inside);
    test.m.cmp = WR_CMP_LT;
    test.src[0] = inside.dst;
    wr_lower_emit(lo, &test);
    return true;
}

/* ---- memory ---- */

/* Fills in space and address; false where it refuses. */
static bool lower_address(wr_lower *lo, const wr_ptx_operand *at, wr_ir_insn *insn)
{
    uint8_t space = lo->insn->mod[WR_PTX_SLOT_SPACE];

    insn->offset = at->offset;
    if (at->reg != WR_PTX_NO_REG) {
        if (space == WR_PTX_SPACE_PARAM && !lo->func->is_entry) {
            space = WR_PTX_SPACE_LOCAL; /* where a .func's parameters lie */
        }
        insn->src[0] = wr_ir_reg_operand(wr_lower_reg(lo, at->reg), 0);
        insn->m.src_regs[0] = lo->ir->regs[insn->src[0].reg].words;
    } else if (at->var != NULL) {
        const wr_placed *placed = wr_lower_placed(lo, at->var);

        if (space == WR_PTX_SPACE_GENERIC) {
            space = (uint8_t)at->var->space;
        }
        if (space == WR_PTX_SPACE_PARAM && placed != NULL) {
            space = WR_PTX_SPACE_LOCAL;
        }
        if (placed != NULL && placed->framed) {
            insn->src[0] = wr_ir_reg_operand(lo->sp, 0);
            insn->offset += placed->offset;
        } else {
            insn->src[0] = wr_lower_symbol(lo, at->var, 0);
        }
        if (insn->src[0].kind == WR_IR_IMM) {
            insn->offset += (int64_t)insn->src[0].bits;
            insn->src[0] = (wr_ir_operand){0};
        } else {
            insn->m.src_regs[0] = lo->ir->regs[insn->src[0].reg].words;
        }
    }
    insn->m.space = space;
    if (insn->src[0].kind == WR_IR_NONE ? insn->offset < 0 || insn->offset > UINT32_MAX
                                        : insn->offset != (int32_t)insn->offset) {
        return wr_lower_refuse(lo, "the offset does not fit 32 bits");
    }
    return true;
}

/* How a value of the type lies in memory: floats of 16 bits, and pairs, as plain bits. */
static wr_type memory_type(wr_ptx_type type)
{
    if (type == WR_PTX_BF16) {
        return WR_B16;
    }
    if (type == WR_PTX_B128) { /* a vector of two */
        return WR_B64;
    }
    return type == WR_PTX_F16X2 || type == WR_PTX_BF16X2 ? WR_B32 : wr_lower_type(type);
}

static bool memory_insn(wr_lower *lo, wr_op op, const wr_ptx_operand *at, wr_ir_insn *insn)
{
    uint8_t sem = lo->insn->mod[WR_PTX_SLOT_SEM];
    unsigned vec = lo->insn->mod[WR_PTX_SLOT_VEC];

    *insn = wr_ir_insn_new(op, op == WR_OP_LD || op == WR_OP_ST ? memory_type(lo->insn->type[0])
                                                                : wr_lower_type(lo->insn->type[0]));
    insn->line = lo->insn->line;
    insn->column = lo->insn->column;
    insn->ptx = lo->index;
    insn->m.vec = (uint8_t)((vec == 0 ? 1 : vec) * (lo->insn->type[0] == WR_PTX_B128 ? 2 : 1));
    insn->m.is_volatile = sem == WR_PTX_SEM_VOLATILE || sem == WR_PTX_SEM_RELAXED ||
                          sem == WR_PTX_SEM_ACQUIRE || sem == WR_PTX_SEM_RELEASE;
    if (insn->m.vec * wr_isa_type_regs((wr_type)insn->m.type) > 4) {
        return wr_lower_refuse(lo, "an access is at most 128 bits wide");
    }
    return lower_address(lo, at, insn);
}

void wr_lower_param_load(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *load)
{
    wr_type type = (wr_type)load->m.type;
    unsigned words = wr_isa_type_regs(type);
    bool is_signed = type == WR_S8 || type == WR_S16;
    unsigned bits = type == WR_U8 || type == WR_S8 || type == WR_B8 ? 8 : 16;
    bool narrow = bits == 8 || type == WR_U16 || type == WR_S16 || type == WR_B16 || type == WR_F16;

    for (unsigned i = 0; i < load->m.vec; i++) {
        uint64_t at = (uint64_t)load->offset + i * (narrow ? bits / 8 : 4 * words);
        wr_ir_operand param = {.kind = WR_IR_PARAM, .bits = at & ~UINT64_C(3)};
        wr_ir_insn insn = wr_ir_move(load->dst, param, words);
        wr_ir_operand dst = load->dst;

        dst.word = (uint8_t)(dst.word + i * words);
        insn.dst = dst;
        insn.line = load->line;
        insn.column = load->column;
        insn.ptx = load->ptx;
        if (narrow) {
            /* Shift the element to the top and down again: one constant operand each. */
            insn = wr_ir_insn_new(WR_OP_SHL, WR_B32);
            insn.src[0] = param;
            insn.src[1] = wr_ir_imm_operand(32 - bits - 8 * (at & 3));
            insn.dst = wr_ir_reg_operand(wr_ir_new_reg(ir, 1), 0);
            insn.line = load->line;
            insn.column = load->column;
            insn.ptx = load->ptx;
            wr_ir_append(ir, list, &insn);
            param = insn.dst;
            insn.m.op = WR_OP_SHR;
            insn.m.type = is_signed ? WR_S32 : WR_U32;
            insn.src[0] = param;
            insn.src[1] = wr_ir_imm_operand(32 - bits);
            insn.dst = dst;
        }
        wr_ir_append(ir, list, &insn);
    }
}

static void emit_load(wr_lower *lo, const wr_ir_insn *insn)
{
    if (insn->m.space == WR_SPACE_PARAM && insn->src[0].kind == WR_IR_NONE) {
        wr_lower_param_load(lo->ir, &lo->out, insn);
    } else {
        wr_lower_emit(lo, insn);
    }
}

static void extend(wr_lower *lo, uint32_t reg, wr_ir_operand src, wr_type type)
{
    bool is_signed = type == WR_S8 || type == WR_S16 || type == WR_S32;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_CVT, is_signed ? WR_S64 : WR_U64);

    insn.m.type2 = is_signed ? WR_S32 : WR_U32;
    insn.src[0] = src;
    insn.dst = wr_ir_reg_operand(reg, 0);
    wr_lower_emit(lo, &insn);
}

/* clang for 32-bit addresses puts the 8-byte members of structs that functions take and return on
 * multiples of 4 and accesses them whole; the machine takes two words. */
static bool is_uneven(const wr_ptx_operand *at, const wr_ir_insn *insn)
{
    return at->var != NULL && at->var->space == WR_PTX_SPACE_PARAM &&
           insn->m.space == WR_SPACE_LOCAL && insn->m.vec == 1 &&
           wr_isa_type_regs((wr_type)insn->m.type) == 2 && insn->offset % 8 == 4;
}

static void load_words(wr_lower *lo, const wr_ir_insn *load)
{
    for (unsigned i = 0; i < 2; i++) {
        wr_ir_insn half = *load;

        half.m.type = WR_B32;
        half.offset += 4 * i;
        half.dst = wr_ir_reg_operand(load->dst.reg, i);
        wr_lower_emit(lo, &half);
    }
}

static void store_words(wr_lower *lo, const wr_ir_insn *store)
{
    wr_ir_operand value = store->src[1];

    for (unsigned i = 0; i < 2; i++) {
        wr_ir_insn half = *store;

        half.m.type = WR_B32;
        half.offset += 4 * i;
        half.src[1] = value.kind == WR_IR_IMM
                          ? wr_ir_imm_operand((uint32_t)(value.bits >> (32 * i)))
                          : wr_ir_reg_operand(value.reg, value.word + i);
        wr_lower_emit(lo, &half);
    }
}

bool wr_lower_load(wr_lower *lo)
{
    const wr_ptx_operand *to = &lo->insn->operands[0];
    wr_ir_insn insn;
    wr_type type;
    unsigned words;

    if (!memory_insn(lo, WR_OP_LD, &lo->insn->operands[1], &insn)) {
        return false;
    }
    type = (wr_type)insn.m.type;
    words = wr_isa_type_regs(type);
    if (to->kind == WR_PTX_OPD_REG) {
        uint32_t reg = wr_lower_reg(lo, to->reg);

        if (lo->ir->regs[reg].words == words * insn.m.vec) {
            insn.dst = wr_ir_reg_operand(reg, 0);
            if (is_uneven(&lo->insn->operands[1], &insn)) {
                load_words(lo, &insn);
            } else {
                emit_load(lo, &insn);
            }
            return true;
        }
        insn.dst = wr_lower_temp(lo, words);
        emit_load(lo, &insn);
        extend(lo, reg, insn.dst, type);
        return true;
    }
    if (to->kind != WR_PTX_OPD_VECTOR || to->count != insn.m.vec) {
        return wr_lower_refuse(lo, "this destination is not implemented");
    }
    insn.dst = wr_lower_temp(lo, words * insn.m.vec);
    emit_load(lo, &insn);
    for (unsigned i = 0; i < to->count; i++) {
        wr_ir_operand part = wr_ir_reg_operand(insn.dst.reg, words * i);
        uint32_t reg;

        if (to->elems[i].kind == WR_PTX_OPD_SINK) {
            continue;
        }
        reg = wr_lower_reg(lo, to->elems[i].reg);
        if (lo->ir->regs[reg].words > words) {
            extend(lo, reg, part, type);
        } else {
            emit_move(lo, wr_ir_reg_operand(reg, 0), part, words);
        }
    }
    return true;
}

bool wr_lower_store(wr_lower *lo)
{
    const wr_ptx_operand *from = &lo->insn->operands[1];
    wr_ir_insn insn;
    unsigned words;

    if (!memory_insn(lo, WR_OP_ST, &lo->insn->operands[0], &insn)) {
        return false;
    }
    if (insn.m.space == WR_SPACE_PARAM) {
        return wr_lower_refuse(lo, "a kernel's parameters can't be written");
    }
    words = wr_isa_type_regs((wr_type)insn.m.type);
    if (from->kind != WR_PTX_OPD_VECTOR) {
        if (insn.m.vec > 1 && from->kind != WR_PTX_OPD_REG) {
            return wr_lower_refuse(lo, "128 bits come from a register");
        }
        insn.src[1] = wr_lower_source(lo, from);
        if (is_uneven(&lo->insn->operands[0], &insn)) {
            store_words(lo, &insn);
        } else {
            wr_lower_emit(lo, &insn);
        }
        return true;
    }
    insn.src[1] = wr_lower_temp(lo, words * insn.m.vec);
    for (unsigned i = 0; i < from->count; i++) {
        emit_move(lo, wr_ir_reg_operand(insn.src[1].reg, words * i),
                  wr_lower_source(lo, &from->elems[i]), words);
    }
    wr_lower_emit(lo, &insn);
    return true;
}

_Static_assert(WR_PTX_MODE_CAS - WR_PTX_MODE_ADD == WR_ATOM_CAS &&
                   WR_PTX_MODE_DEC - WR_PTX_MODE_ADD == WR_ATOM_DEC,
               "atomic operations are in the same order in both lists");

/* A vector is as many operations as it has elements: only each of them is atomic. */
static bool lower_elements(wr_lower *lo, const wr_ir_insn *whole)
{
    const wr_ptx_insn *ptx = lo->insn;
    bool returns = ptx->op == WR_PTX_ATOM;
    const wr_ptx_operand *from = &ptx->operands[returns ? 2 : 1];

    for (unsigned i = 0; i < from->count; i++) {
        wr_ir_insn insn = *whole;
        const wr_ptx_operand *to = returns ? &ptx->operands[0].elems[i] : NULL;

        insn.m.vec = 1;
        insn.offset += (int64_t)i * wr_ptx_type_size(ptx->type[0]);
        insn.src[1] = wr_lower_source(lo, &from->elems[i]);
        if (to == NULL) {
            wr_lower_emit(lo, &insn);
        } else {
            wr_lower_emit_to(lo, &insn, to, (wr_type)insn.m.type);
        }
    }
    return true;
}

bool wr_lower_atomic(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    uint8_t mode = ptx->mod[WR_PTX_SLOT_MODE];
    unsigned first = ptx->op == WR_PTX_ATOM ? 1 : 0;
    wr_ir_insn insn;

    if (mode < WR_PTX_MODE_ADD || mode > WR_PTX_MODE_DEC) {
        return wr_lower_refuse(lo, "this atomic operation is not implemented");
    }
    if (!memory_insn(lo, ptx->op == WR_PTX_ATOM ? WR_OP_ATOM : WR_OP_RED, &ptx->operands[first],
                     &insn)) {
        return false;
    }
    insn.m.atom = (uint8_t)(mode - WR_PTX_MODE_ADD);
    if (ptx->mod[WR_PTX_SLOT_VEC] != 0) {
        return lower_elements(lo, &insn);
    }
    insn.src[1] = wr_lower_source(lo, &ptx->operands[first + 1]);
    if (insn.m.atom == WR_ATOM_CAS) {
        insn.src[2] = wr_lower_source(lo, &ptx->operands[first + 2]);
    }
    if (ptx->op == WR_PTX_RED) {
        wr_lower_emit(lo, &insn);
    } else {
        wr_lower_emit_to(lo, &insn, &ptx->operands[0], (wr_type)insn.m.type);
    }
    return true;
}
