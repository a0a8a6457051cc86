/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: the function as a whole, operands, control flow, and the cut into blocks. */
#include "shell/compiler/lower.h"

#include <string.h>

#include "shell/isa/table.h"

#define NO_TYPE WR_TYPE_COUNT

bool wr_lower_refuse(wr_lower *lo, const char *why)
{
    if (!lo->failed) {
        wr_ptx_refuse(lo->diag, lo->module, lo->insn, why);
    }
    lo->failed = true;
    return false;
}

wr_type wr_lower_type(wr_ptx_type type)
{
    static const struct {
        uint8_t known, type;
    } map[WR_PTX_TYPE_COUNT] = {
        [WR_PTX_U8] = {1, WR_U8},         [WR_PTX_U16] = {1, WR_U16},
        [WR_PTX_U32] = {1, WR_U32},       [WR_PTX_U64] = {1, WR_U64},
        [WR_PTX_S8] = {1, WR_S8},         [WR_PTX_S16] = {1, WR_S16},
        [WR_PTX_S32] = {1, WR_S32},       [WR_PTX_S64] = {1, WR_S64},
        [WR_PTX_B8] = {1, WR_B8},         [WR_PTX_B16] = {1, WR_B16},
        [WR_PTX_B32] = {1, WR_B32},       [WR_PTX_B64] = {1, WR_B64},
        [WR_PTX_F16] = {1, WR_F16},       [WR_PTX_F32] = {1, WR_F32},
        [WR_PTX_F64] = {1, WR_F64},       [WR_PTX_PRED] = {1, WR_PRED},
        [WR_PTX_BF16] = {1, WR_BF16},     [WR_PTX_F16X2] = {1, WR_F16X2},
        [WR_PTX_BF16X2] = {1, WR_BF16X2}, [WR_PTX_U16X2] = {1, WR_U16X2},
        [WR_PTX_S16X2] = {1, WR_S16X2},
    };

    return map[type].known ? (wr_type)map[type].type : NO_TYPE;
}

/* These take 128 bits as two pairs of words. */
static bool moves(wr_ptx_op op)
{
    return op == WR_PTX_MOV || op == WR_PTX_LD || op == WR_PTX_LDU || op == WR_PTX_ST;
}

bool wr_lower_types_known(wr_lower *lo)
{
    for (unsigned i = 0; i < 3; i++) {
        wr_ptx_type type = lo->insn->type[i];
        bool in_steps = wr_ptx_type_is_format(type) || (type == WR_PTX_B128 && moves(lo->insn->op));

        if (type != WR_PTX_TYPE_NONE && wr_lower_type(type) == NO_TYPE && !in_steps) {
            return wr_lower_refuse(lo, "the machine has no operations of this type");
        }
    }
    return true;
}

void wr_lower_emit(wr_lower *lo, const wr_ir_insn *insn)
{
    wr_ir_insn copy = *insn;

    copy.line = lo->insn->line;
    copy.column = lo->insn->column;
    copy.ptx = lo->index;
    if ((wr_isa_rows[copy.m.op].types >> copy.m.type & 1) == 0) {
        wr_lower_refuse(lo, "the machine does not have this operation in this type");
    }
    wr_ir_append(lo->ir, &lo->out, &copy);
}

wr_ir_operand wr_lower_temp(wr_lower *lo, unsigned words)
{
    return wr_ir_reg_operand(wr_ir_new_reg(lo->ir, words), 0);
}

wr_ir_operand wr_lower_three(wr_lower *lo, wr_op op, wr_type type, wr_ir_operand a, wr_ir_operand b,
                             wr_ir_operand c)
{
    wr_ir_insn insn = wr_ir_insn_new(op, type);

    insn.src[0] = a;
    insn.src[1] = b;
    insn.src[2] = c;
    insn.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &insn);
    return insn.dst;
}

uint32_t wr_lower_new_reg(wr_lower *lo, wr_ptx_type type)
{
    unsigned bytes = wr_ptx_type_size(type);

    if (type == WR_PTX_PRED) {
        return wr_ir_new_pred(lo->ir);
    }
    return wr_ir_new_reg(lo->ir, bytes > 8 ? 4 : bytes > 4 ? 2 : 1);
}

uint32_t wr_lower_reg(wr_lower *lo, uint32_t ptx_reg)
{
    if (lo->reg_map[ptx_reg] == WR_IR_NO_REG) {
        lo->reg_map[ptx_reg] = wr_lower_new_reg(lo, lo->func->regs[ptx_reg].type);
    }
    return lo->reg_map[ptx_reg];
}

void wr_lower_emit_to(wr_lower *lo, wr_ir_insn *insn, const wr_ptx_operand *dst, wr_type result)
{
    wr_ir_insn extend;
    uint32_t reg;
    bool is_signed = result == WR_S8 || result == WR_S16 || result == WR_S32;

    if (dst->kind == WR_PTX_OPD_SINK || dst->reg == WR_PTX_NO_REG) {
        wr_lower_emit(lo, insn);
        return;
    }
    reg = wr_lower_reg(lo, dst->reg);
    insn->dst = wr_ir_reg_operand(reg, 0);
    if (lo->ir->regs[reg].words <= wr_ir_dst_words(insn)) {
        wr_lower_emit(lo, insn);
        return;
    }
    insn->dst = wr_lower_temp(lo, wr_ir_dst_words(insn));
    wr_lower_emit(lo, insn);
    extend = wr_ir_insn_new(WR_OP_CVT, is_signed ? WR_S64 : WR_U64);
    extend.m.type2 = is_signed ? WR_S32 : WR_U32;
    extend.src[0] = insn->dst;
    extend.dst = wr_ir_reg_operand(reg, 0);
    wr_lower_emit(lo, &extend);
}

static bool find_sreg(const wr_ptx_operand *operand, wr_sreg *sreg, bool *wide, bool *high)
{
    static const struct {
        uint8_t known, sreg;
        bool wide, high; /* of 64 bits; the high word of one */
    } map[WR_PTX_SREG_COUNT] = {
        [WR_PTX_SREG_CLOCK_HI] = {1, WR_SREG_CLOCK, true, true},
        [WR_PTX_SREG_CLOCK64] = {1, WR_SREG_CLOCK, true, false},
        [WR_PTX_SREG_GLOBALTIMER] = {1, WR_SREG_GLOBALTIMER, true, false},
        [WR_PTX_SREG_GLOBALTIMER_LO] = {1, WR_SREG_GLOBALTIMER, false, false},
        [WR_PTX_SREG_GLOBALTIMER_HI] = {1, WR_SREG_GLOBALTIMER, true, true},
        [WR_PTX_SREG_GRIDID] = {1, WR_SREG_GRIDID, true, false},
        [WR_PTX_SREG_DYNAMIC_SMEM_SIZE] = {1, WR_SREG_DYNAMIC_SMEM_SIZE, false, false},
        [WR_PTX_SREG_TOTAL_SMEM_SIZE] = {1, WR_SREG_TOTAL_SMEM_SIZE, false, false},
        [WR_PTX_SREG_TID] = {3, WR_SREG_TID_X, false, false},
        [WR_PTX_SREG_NTID] = {3, WR_SREG_NTID_X, false, false},
        [WR_PTX_SREG_CTAID] = {3, WR_SREG_CTAID_X, false, false},
        [WR_PTX_SREG_NCTAID] = {3, WR_SREG_NCTAID_X, false, false},
        [WR_PTX_SREG_LANEID] = {1, WR_SREG_LANEID, false, false},
        [WR_PTX_SREG_WARPID] = {1, WR_SREG_WARPID, false, false},
        [WR_PTX_SREG_NWARPID] = {1, WR_SREG_NWARPID, false, false},
        [WR_PTX_SREG_SMID] = {1, WR_SREG_SMID, false, false},
        [WR_PTX_SREG_NSMID] = {1, WR_SREG_NSMID, false, false},
        [WR_PTX_SREG_CLOCK] = {1, WR_SREG_CLOCK, false, false},
        [WR_PTX_SREG_LANEMASK_EQ] = {1, WR_SREG_LANEMASK_EQ, false, false},
        [WR_PTX_SREG_LANEMASK_LE] = {1, WR_SREG_LANEMASK_LE, false, false},
        [WR_PTX_SREG_LANEMASK_LT] = {1, WR_SREG_LANEMASK_LT, false, false},
        [WR_PTX_SREG_LANEMASK_GE] = {1, WR_SREG_LANEMASK_GE, false, false},
        [WR_PTX_SREG_LANEMASK_GT] = {1, WR_SREG_LANEMASK_GT, false, false},
        [WR_PTX_SREG_AGGR_SMEM_SIZE] = {1, WR_SREG_TOTAL_SMEM_SIZE, false, false},
        [WR_PTX_SREG_CLUSTERID] = {3, WR_SREG_CTAID_X, false, false},
        [WR_PTX_SREG_NCLUSTERID] = {3, WR_SREG_NCTAID_X, false, false},
    };

    if (operand->component >= map[operand->sreg].known) {
        return false;
    }
    *sreg = (wr_sreg)(map[operand->sreg].sreg + operand->component);
    *wide = map[operand->sreg].wide;
    *high = map[operand->sreg].high;
    return true;
}

/* Registers with one value: there are no clusters, so each TB is one of its own, and no shared
 * memory is reserved for anyone else. */
static bool find_constant(const wr_ptx_operand *operand, uint64_t *value)
{
    static const struct {
        uint8_t known, value;
    } map[WR_PTX_SREG_COUNT] = {
        [WR_PTX_SREG_WARPSZ] = {1, 32},
        [WR_PTX_SREG_RESERVED_SMEM_BEGIN] = {1, 0},
        [WR_PTX_SREG_RESERVED_SMEM_END] = {1, 0},
        [WR_PTX_SREG_RESERVED_SMEM_CAP] = {1, 0},
        [WR_PTX_SREG_RESERVED_SMEM_0] = {1, 0},
        [WR_PTX_SREG_RESERVED_SMEM_1] = {1, 0},
        [WR_PTX_SREG_CLUSTER_CTAID] = {3, 0},
        [WR_PTX_SREG_CLUSTER_NCTAID] = {3, 1},
        [WR_PTX_SREG_CLUSTER_CTARANK] = {1, 0},
        [WR_PTX_SREG_CLUSTER_NCTARANK] = {1, 1},
        [WR_PTX_SREG_IS_EXPLICIT_CLUSTER] = {1, 0},
    };

    *value = map[operand->sreg].value;
    return operand->component < map[operand->sreg].known;
}

/* %envreg1 is the high word and %envreg2 the low word of the address of the grid's workspace, as
 * cooperative groups read it; all others are 0. */
static wr_ir_operand read_envreg(wr_lower *lo, const wr_ptx_operand *operand)
{
    wr_ir_operand address;

    if (operand->var == NULL || (operand->component == 1 && lo->module->address_size != 64)) {
        return wr_ir_imm_operand(0);
    }
    address = wr_lower_symbol(lo, operand->var, 0);
    address.word = operand->component == 1 ? 1 : 0;
    return address;
}

static wr_ir_operand read_sreg(wr_lower *lo, const wr_ptx_operand *operand)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_S2R, WR_U32);
    uint64_t constant;
    wr_sreg sreg;
    bool wide, high;

    if (find_constant(operand, &constant)) {
        return wr_ir_imm_operand(constant);
    }
    if (operand->sreg == WR_PTX_SREG_ENVREG) {
        return read_envreg(lo, operand);
    }
    if (!find_sreg(operand, &sreg, &wide, &high)) {
        wr_lower_refuse(lo, "the machine does not have this special register");
        return wr_ir_imm_operand(0);
    }
    insn.m.sreg = (uint8_t)sreg;
    insn.m.type = wide ? WR_U64 : WR_U32;
    insn.dst = wr_lower_temp(lo, wide ? 2 : 1);
    wr_lower_emit(lo, &insn);
    insn.dst.word = high ? 1 : 0;
    return insn.dst;
}

/* The address of a variable in shared or local memory. */
static wr_ir_operand placed_address(wr_lower *lo, const wr_placed *placed, int64_t offset)
{
    bool wide = lo->module->address_size == 64;
    uint64_t at = (uint64_t)(placed->offset + offset);
    wr_ir_insn add = wr_ir_insn_new(WR_OP_ADD, WR_U32);
    wr_ir_insn extend = wr_ir_insn_new(WR_OP_CVT, WR_U64);

    if (!placed->framed) {
        return wr_ir_imm_operand(at);
    }
    add.src[0] = wr_ir_reg_operand(lo->sp, 0);
    add.src[1] = wr_ir_imm_operand(at);
    add.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &add);
    if (!wide) {
        return add.dst;
    }
    extend.m.type2 = WR_U32;
    extend.src[0] = add.dst;
    extend.dst = wr_lower_temp(lo, 2);
    wr_lower_emit(lo, &extend);
    return extend.dst;
}

wr_ir_operand wr_lower_symbol(wr_lower *lo, const wr_ptx_var *var, int64_t offset)
{
    bool wide = lo->module->address_size == 64;
    const wr_placed *placed = wr_lower_placed(lo, var);
    wr_ir_insn add;

    if (placed != NULL) {
        return placed_address(lo, placed, offset);
    }
    switch (var->space) {
    case WR_PTX_SPACE_PARAM:
        return wr_ir_imm_operand((uint64_t)((int64_t)var->offset + offset));
    case WR_PTX_SPACE_CONST:
        return wr_ir_imm_operand((uint64_t)((int64_t)lo->layout->offset[var->index] + offset));
    default:
        break;
    }
    add = wr_ir_insn_new(WR_OP_ADD, wide ? WR_U64 : WR_U32);
    add.src[0] = (wr_ir_operand){.kind = WR_IR_PARAM, .bits = lo->kernel->global_base_at};
    add.src[1] = wr_ir_imm_operand((uint64_t)((int64_t)lo->layout->offset[var->index] + offset));
    add.dst = wr_lower_temp(lo, wide ? 2 : 1);
    wr_lower_emit(lo, &add);
    return add.dst;
}

uint64_t wr_lower_func_address(const wr_ptx_func *func)
{
    return 16 * ((uint64_t)func->index + 1);
}

static void escape(wr_lower *lo, const wr_ptx_var *var)
{
    const wr_placed *placed = wr_lower_placed(lo, var);

    if (placed != NULL && var->space != WR_PTX_SPACE_SHARED) {
        wr_ir_escape(lo->ir, placed->offset, var->size);
    }
}

wr_ir_operand wr_lower_source(wr_lower *lo, const wr_ptx_operand *operand)
{
    switch (operand->kind) {
    case WR_PTX_OPD_REG:
        return wr_ir_reg_operand(wr_lower_reg(lo, operand->reg), 0);
    case WR_PTX_OPD_IMM:
        return wr_ir_imm_operand(operand->bits);
    case WR_PTX_OPD_SREG:
        return read_sreg(lo, operand);
    case WR_PTX_OPD_SYMBOL:
        if (operand->var != NULL) {
            escape(lo, operand->var);
        }
        if (operand->var != NULL) {
            return wr_lower_symbol(lo, operand->var, operand->offset);
        }
        return wr_ir_imm_operand(wr_lower_func_address(operand->func) + (uint64_t)operand->offset);
    default:
        wr_lower_refuse(lo, "this operand is not implemented here");
        return wr_ir_imm_operand(0);
    }
}

uint32_t wr_lower_pred(wr_lower *lo, const wr_ptx_operand *operand, bool *neg)
{
    *neg = operand->neg;
    if (operand->kind == WR_PTX_OPD_REG) {
        return wr_lower_reg(lo, operand->reg);
    }
    uint64_t bits = operand->bits;
    if (operand->kind != WR_PTX_OPD_IMM &&
        !(operand->kind == WR_PTX_OPD_SREG && find_constant(operand, &bits))) {
        wr_lower_refuse(lo, "this operand is not implemented here");
    }
    *neg = operand->neg != (bits == 0);
    return WR_IR_NO_REG;
}

/* ---- control flow ---- */

static bool lower_branch(wr_lower *lo)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BRA, WR_U8);

    insn.m.uniform = lo->insn->mod[WR_PTX_SLOT_UNI] != 0;
    insn.target = lo->labels + lo->insn->operands[0].target;
    wr_lower_emit(lo, &insn);
    return true;
}

static bool lower_plain(wr_lower *lo)
{
    wr_op op = WR_OP_EXIT;
    wr_ir_insn insn;

    if (lo->insn->op == WR_PTX_TRAP) {
        op = WR_OP_TRAP;
    } else if (lo->insn->op == WR_PTX_MEMBAR || lo->insn->op == WR_PTX_FENCE) {
        op = WR_OP_MEMBAR;
    } else if (lo->insn->op == WR_PTX_RET && !lo->func->is_entry) {
        op = WR_OP_BRA;
    }
    insn = wr_ir_insn_new(op, WR_U8);
    insn.target = lo->scope.ret_label;
    wr_lower_emit(lo, &insn);
    return true;
}

/* No effect on values: prefetches, sleep, the order of launches. */
static bool lower_nothing(wr_lower *lo)
{
    (void)lo;
    return true;
}

typedef bool (*lower_fn)(wr_lower *);

static lower_fn part_of(wr_ptx_op op)
{
    switch (op) {
    case WR_PTX_MOV:
        return wr_lower_move;
    case WR_PTX_CVTA:
    case WR_PTX_CVTA_TO:
        return wr_lower_cvta;
    case WR_PTX_ISSPACEP:
        return wr_lower_isspacep;
    case WR_PTX_LD:
    case WR_PTX_LDU:
        return wr_lower_load;
    case WR_PTX_ST:
        return wr_lower_store;
    case WR_PTX_ATOM:
    case WR_PTX_RED:
        return wr_lower_atomic;
    case WR_PTX_BAR_SYNC:
    case WR_PTX_BAR_ARRIVE:
    case WR_PTX_BAR_RED:
        return wr_lower_barrier;
    case WR_PTX_SHFL:
    case WR_PTX_VOTE:
    case WR_PTX_MATCH:
    case WR_PTX_REDUX:
    case WR_PTX_ACTIVEMASK:
    case WR_PTX_BAR_WARP_SYNC:
        return wr_lower_across;
    case WR_PTX_BRA:
        return lower_branch;
    case WR_PTX_BRX:
        return wr_lower_branch_table;
    case WR_PTX_CALL:
        return wr_lower_call;
    case WR_PTX_MEMBAR:
    case WR_PTX_FENCE:
    case WR_PTX_RET:
    case WR_PTX_EXIT:
    case WR_PTX_TRAP:
        return lower_plain;
    case WR_PTX_PREFETCH:
    case WR_PTX_PREFETCHU:
    case WR_PTX_NANOSLEEP:
    case WR_PTX_GRIDDEPCONTROL:
        return lower_nothing;
    default:
        return wr_lower_arith;
    }
}

/* Puts the guard on, or a branch around, the sequence that starts at out[from]. */
static void apply_guard(wr_lower *lo, uint32_t from)
{
    uint32_t pred = wr_lower_reg(lo, lo->insn->guard);
    wr_ir_insn *first = &lo->out.at[from];
    uint32_t count = lo->out.count - from;
    wr_ir_insn around;

    if (count == 0) {
        return;
    }
    if (count == 1 && first->m.op != WR_OP_BAR_PP) {
        first->guard = pred;
        first->m.guard_neg = lo->insn->guard_neg;
        return;
    }
    around = wr_ir_insn_new(WR_OP_BRA, WR_U8);
    around.target = lo->labels + lo->index + 1;
    wr_lower_emit(lo, &around);
    around = lo->out.at[lo->out.count - 1];
    around.guard = pred;
    around.m.guard_neg = !lo->insn->guard_neg;
    memmove(&lo->out.at[from + 1], &lo->out.at[from], count * sizeof *lo->out.at);
    lo->out.at[from] = around;
}

/* ---- blocks ---- */

uint32_t wr_lower_labels(wr_lower *lo, uint32_t count)
{
    uint32_t first = lo->start_count;

    while (lo->start_count < first + count) {
        lo->start = wr_pool_grow(lo->ir->pool, lo->start, lo->start_count, &lo->start_cap,
                                 sizeof *lo->start);
        lo->start[lo->start_count++] = 0;
    }
    return first;
}

void wr_lower_bind(wr_lower *lo, uint32_t label)
{
    lo->start[label] = lo->out.count;
}

/* Cuts the stream at branch targets and behind what ends a block. Branch targets come in as
 * labels and leave as blocks. */
static void cut_blocks(wr_lower *lo)
{
    wr_ir *ir = lo->ir;
    const uint32_t *start = lo->start;
    uint32_t n = lo->out.count;
    bool *leader = wr_pool_alloc(ir->pool, n + 1, sizeof *leader);
    uint32_t *block_of = wr_pool_alloc(ir->pool, n + 1, sizeof *block_of);
    uint32_t blocks = 0;

    leader[0] = true;
    for (uint32_t i = 0; i < n; i++) {
        if (lo->out.at[i].m.op == WR_OP_BRA) {
            leader[start[lo->out.at[i].target]] = true;
        }
        if (wr_ir_ends_block(&lo->out.at[i])) {
            leader[i + 1] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        blocks += leader[i] ? 1 : 0;
        block_of[i] = blocks - 1;
    }
    ir->block_count = blocks;
    ir->blocks = wr_pool_alloc(ir->pool, blocks, sizeof *ir->blocks);
    for (uint32_t i = 0; i < n; i++) {
        wr_ir_block *block = &ir->blocks[block_of[i]];
        wr_ir_insn *insn = &lo->out.at[i];
        bool last = i + 1 == n || leader[i + 1];
        bool falls =
            !wr_ir_ends_block(insn) || (insn->m.op == WR_OP_BRA && insn->guard != WR_IR_NO_REG);

        if (insn->m.op == WR_OP_BRA) {
            insn->target = block_of[start[insn->target]];
        }
        wr_ir_append(ir, &block->insns, insn);
        if (!last) {
            continue;
        }
        if (falls) {
            block->succ[block->succ_count++] = block_of[i] + 1;
        }
        if (insn->m.op == WR_OP_BRA && (!falls || insn->target != block_of[i] + 1)) {
            block->succ[block->succ_count++] = insn->target;
        }
    }
}

bool wr_lower_body(wr_lower *lo)
{
    const wr_ptx_func *func = lo->func;

    lo->labels = wr_lower_labels(lo, func->insn_count + 1);
    for (uint32_t i = 0; i < func->insn_count; i++) {
        uint32_t from = lo->out.count;

        lo->insn = &func->insns[i];
        lo->index = i;
        wr_lower_bind(lo, lo->labels + i);
        if (!wr_lower_types_known(lo) || !part_of(lo->insn->op)(lo) || lo->failed) {
            return false;
        }
        if (lo->insn->guard != WR_PTX_NO_REG && lo->insn->op != WR_PTX_CALL) {
            apply_guard(lo, from);
        }
    }
    wr_lower_bind(lo, lo->labels + func->insn_count);
    return true;
}

static bool lower_all(wr_lower *lo)
{
    wr_ir_insn exit = wr_ir_insn_new(WR_OP_EXIT, WR_U8);

    wr_lower_begin_stack(lo);
    if (!wr_lower_body(lo)) {
        return false;
    }
    /* Falling off the end is an exit; an unreachable one is dropped later. */
    wr_ir_append(lo->ir, &lo->out, &exit);
    wr_lower_end_stack(lo);
    return !lo->failed;
}

wr_ir *wr_lower_func(wr_pool *pool, const wr_ptx_module *module, const wr_ptx_func *func,
                     const wr_layout *layout, wr_kernel *kernel, wr_diag *diag)
{
    wr_lower lo = {.module = module,
                   .func = func,
                   .layout = layout,
                   .kernel = kernel,
                   .diag = diag,
                   .carry = WR_IR_NO_REG};

    lo.ir = wr_pool_alloc(pool, 1, sizeof *lo.ir);
    lo.ir->pool = pool;
    lo.reg_map = wr_pool_alloc(pool, func->reg_count, sizeof *lo.reg_map);
    memset(lo.reg_map, 0xff, func->reg_count * sizeof *lo.reg_map);
    lo.scope.func = func;
    lo.scope.reg_map = lo.reg_map;
    wr_lower_find_calls(&lo);
    wr_lower_place(&lo);
    if (lo.failed || !lower_all(&lo)) {
        return NULL;
    }
    cut_blocks(&lo);
    return lo.ir;
}
