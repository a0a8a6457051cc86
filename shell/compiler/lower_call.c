/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of calls.
 *
 * The machine has no call instruction. A function that can't reach itself is inlined where it is
 * called. An indirect call compares the value with the number of each function that it may mean
 * (wr_lower_func_address) and goes to a copy of that one, so lanes with different targets run
 * one after the other and meet behind the call, as at any branch.
 *
 * Functions that can reach themselves get a copy for each call from outside of them, with real
 * calls inside. Each thread has a stack in its local memory: activations of one size, `sp` at the
 * present one,
 *
 *     0  number of the place to return to
 *     4  parameters, results and variables of every function that is called in the kernel, and
 *        registers that a call would overwrite, each at a place of its own
 *
 * and the kernel itself is the first activation. A return is a chain of branches by the number,
 * so that lanes that were called from different places, or come from different depths, part and
 * meet like lanes at any other branch. One copy returns to one place outside, so that all lanes
 * meet again there at the latest, whatever their depths were. For that, no path out of a copy or a
 * chain ends in between: what can't be is a guarded trap. An activation that does not fit the
 * stack is one, too. All that a preemption must save is in registers and in local memory.
 *
 * Parameters are variables. Where a variable of the caller is passed, the inlined function's
 * parameter is that variable.
 */
#include "shell/compiler/lower.h"

#include <string.h>

#include "shell/isa/table.h"

#define MAX_STREAM  2000000u /* instructions, before inlining is given up */
#define MAX_DEPTH   1000u    /* of calls that are inlined */
#define STACK_CALLS 64u      /* room for this many activations, unless told */

/* ---- pieces ---- */

static void emit_jump(wr_lower *lo, uint32_t label, uint32_t guard, bool negated)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BRA, WR_U8);

    insn.target = label;
    insn.guard = guard;
    insn.m.guard_neg = negated;
    wr_lower_emit(lo, &insn);
}

uint32_t wr_lower_test(wr_lower *lo, wr_cmp cmp, wr_type type, wr_ir_operand a, uint64_t b)
{
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_SETP, type);

    insn.m.cmp = (uint8_t)cmp;
    insn.src[0] = a;
    insn.src[1] = wr_ir_imm_operand(b);
    insn.pd = wr_ir_new_pred(lo->ir);
    wr_lower_emit(lo, &insn);
    return insn.pd;
}

/* Adds the size of an activation, times `sign`, to a number in the instruction just emitted, when
 * it is known. */
static void patch_last(wr_lower *lo, wr_patch_kind kind)
{
    lo->patches = wr_pool_grow(lo->ir->pool, lo->patches, lo->patch_count, &lo->patch_cap,
                               sizeof *lo->patches);
    lo->patches[lo->patch_count++] = (wr_patch){lo->out.count - 1, kind};
}

/* A place in local memory: of a variable, or in an activation; `callee` in the next one. */
typedef struct place {
    int64_t offset;
    bool framed, callee;
} place;

static void emit_access(wr_lower *lo, wr_op op, wr_type type, place at, wr_ir_operand value)
{
    wr_ir_insn insn = wr_ir_insn_new(op, type);

    insn.m.space = WR_SPACE_LOCAL;
    insn.offset = at.offset;
    if (at.framed) {
        insn.src[0] = wr_ir_reg_operand(lo->sp, 0);
        insn.m.src_regs[0] = 1;
    }
    if (op == WR_OP_LD) {
        insn.dst = value;
    } else {
        insn.src[1] = value;
    }
    wr_lower_emit(lo, &insn);
    if (at.callee) {
        patch_last(lo, WR_PATCH_OFFSET);
    }
}

static place place_of(const wr_lower *lo, const wr_ptx_var *var)
{
    const wr_placed *p = wr_lower_placed(lo, var);

    return (place){p->offset, p->framed, false};
}

static void emit_copy(wr_lower *lo, place to, place from, uint64_t bytes, uint32_t align)
{
    uint32_t step = align >= 4 && bytes % 4 == 0 ? 4 : 1;

    for (uint64_t i = 0; i < bytes; i += step) {
        wr_type type = step == 4 ? WR_B32 : WR_U8;
        wr_ir_operand temp = wr_lower_temp(lo, 1);

        emit_access(lo, WR_OP_LD, type, from, temp);
        emit_access(lo, WR_OP_ST, type, to, temp);
        from.offset += step;
        to.offset += step;
    }
}

static wr_type storage_type(wr_lower *lo, const wr_ptx_var *var)
{
    wr_type type = wr_lower_type(var->type);

    if (var->is_array || var->vec > 1 || (wr_isa_rows[WR_OP_LD].types >> type & 1) == 0) {
        wr_lower_refuse(lo, "a register can't be passed for a parameter of this type");
    }
    return type;
}

/* Argument `actual` for `formal` of the next activation, or back. */
static void pass_framed(wr_lower *lo, const wr_ptx_operand *actual, const wr_ptx_var *formal,
                        bool back)
{
    place at = place_of(lo, formal);

    at.callee = true;
    if (actual->kind == WR_PTX_OPD_SYMBOL && back) {
        emit_copy(lo, place_of(lo, actual->var), at, formal->size, formal->align);
    } else if (actual->kind == WR_PTX_OPD_SYMBOL) {
        emit_copy(lo, at, place_of(lo, actual->var), formal->size, formal->align);
    } else if (!back) {
        emit_access(lo, WR_OP_ST, storage_type(lo, formal), at, wr_lower_source(lo, actual));
    } else if (actual->kind == WR_PTX_OPD_REG) {
        emit_access(lo, WR_OP_LD, storage_type(lo, formal), at,
                    wr_ir_reg_operand(wr_lower_reg(lo, actual->reg), 0));
    }
}

/* The same for an inlined function, before (back: behind) its body. */
static bool pass_inlined(wr_lower *lo, const wr_ptx_operand *actual, const wr_ptx_var *formal,
                         bool is_result, bool back)
{
    wr_placed *to = wr_lower_placed(lo, formal);

    if (!back) {
        to->offset = to->own;
    }
    if (actual->kind == WR_PTX_OPD_SYMBOL) {
        const wr_placed *from = wr_lower_placed(lo, actual->var);

        if (actual->var->size < formal->size || from == NULL) {
            return wr_lower_refuse(lo, "an argument is smaller than the function's parameter");
        }
        to->offset = from->offset;
        to->framed = from->framed;
        return true;
    }
    to->framed = to->own_framed;
    if (is_result && back && actual->kind == WR_PTX_OPD_REG) {
        emit_access(lo, WR_OP_LD, storage_type(lo, formal), place_of(lo, formal),
                    wr_ir_reg_operand(wr_lower_reg(lo, actual->reg), 0));
    } else if (!is_result && !back) {
        emit_access(lo, WR_OP_ST, storage_type(lo, formal), place_of(lo, formal),
                    wr_lower_source(lo, actual));
    }
    return !lo->failed;
}

/* ---- inlining ---- */

/* Parameters that are registers lie in memory, as others do, while a call is under way: they are
 * loaded from there or stored. */
static void move_registers(wr_lower *lo, wr_op op, const wr_ptx_var *list)
{
    for (const wr_ptx_var *var = list; var != NULL; var = var->next) {
        if (var->is_reg) {
            emit_access(lo, op, storage_type(lo, var), place_of(lo, var),
                        wr_ir_reg_operand(wr_lower_reg(lo, var->reg), 0));
        }
    }
}

/* Lowers a body at the end of the stream. `root`: of a recursive function, not inlined. */
static bool lower_inside(wr_lower *lo, const wr_ptx_func *func, uint32_t ret_label, bool root)
{
    wr_scope outer;
    bool ok;

    lo->scope.insn = lo->insn;
    lo->scope.index = lo->index;
    lo->scope.labels = lo->labels;
    lo->scope.carry = lo->carry;
    outer = lo->scope;
    lo->scope = (wr_scope){
        .func = func,
        .outer = &outer,
        .root = root,
        .recursive = root || outer.recursive,
        .ret_label = ret_label,
        .reg_map = wr_pool_alloc(lo->ir->pool, func->reg_count + 1, sizeof *lo->scope.reg_map)};
    memset(lo->scope.reg_map, 0xff, func->reg_count * sizeof *lo->scope.reg_map);
    lo->func = func;
    lo->reg_map = lo->scope.reg_map;
    lo->carry = WR_IR_NO_REG;
    move_registers(lo, WR_OP_LD, func->params);
    if (func->rets != NULL && func->rets->is_reg) {
        lo->scope.ret_label = wr_lower_labels(lo, 1);
        ok = wr_lower_body(lo);
        wr_lower_bind(lo, lo->scope.ret_label);
        move_registers(lo, WR_OP_ST, func->rets);
        emit_jump(lo, ret_label, WR_IR_NO_REG, false);
    } else {
        ok = wr_lower_body(lo);
    }
    lo->scope = outer;
    lo->func = outer.func;
    lo->reg_map = outer.reg_map;
    lo->insn = outer.insn;
    lo->index = outer.index;
    lo->labels = outer.labels;
    lo->carry = outer.carry;
    return ok;
}

static bool pass_all(wr_lower *lo, const wr_ptx_operand *list, const wr_ptx_var *formal,
                     bool is_result, bool back)
{
    for (uint32_t i = 0; i < list->count && formal != NULL; i++, formal = formal->next) {
        if (!pass_inlined(lo, &list->elems[i], formal, is_result, back)) {
            return false;
        }
    }
    return true;
}

static bool inline_call(wr_lower *lo, const wr_ptx_func *callee)
{
    const wr_ptx_insn *call = lo->insn;
    uint32_t end = wr_lower_labels(lo, 1), depth = 0;

    for (const wr_scope *s = lo->scope.outer; s != NULL; s = s->outer) {
        depth++;
    }
    if (depth >= MAX_DEPTH) { /* the compiler's own stack has an end */
        return wr_lower_refuse(lo, "calls are nested deeper than 1000: call from fewer levels");
    }
    if (lo->out.count > MAX_STREAM) {
        return wr_lower_refuse(lo, "inlining makes the kernel longer than 2 M instructions: call "
                                   "large functions from fewer places");
    }
    if (!pass_all(lo, &call->operands[0], callee->rets, true, false) ||
        !pass_all(lo, &call->operands[2], callee->params, false, false)) {
        return false;
    }
    if (!lower_inside(lo, callee, end, false)) {
        return false;
    }
    wr_lower_bind(lo, end);
    return pass_all(lo, &call->operands[0], callee->rets, true, true);
}

/* ---- recursion ---- */

static place save_place(wr_lower *lo, const wr_ptx_func *func, uint32_t reg, unsigned words)
{
    for (uint32_t i = 0; i < lo->save_count; i++) {
        if (lo->saves[i].func == func && lo->saves[i].reg == reg) {
            return (place){lo->saves[i].offset, true, false};
        }
    }
    lo->saves =
        wr_pool_grow(lo->ir->pool, lo->saves, lo->save_count, &lo->save_cap, sizeof *lo->saves);
    lo->frame_bytes = (lo->frame_bytes + 4 * words - 1) / (4 * words) * (4 * words);
    lo->saves[lo->save_count] = (wr_save){func, reg, lo->frame_bytes};
    lo->frame_bytes += 4 * words;
    return (place){lo->saves[lo->save_count++].offset, true, false};
}

/* `reg` is what PTX register `index` of the scope's function is. */
static void save_or_restore(wr_lower *lo, const wr_scope *scope, uint32_t index, bool restore)
{
    uint32_t reg = scope->reg_map[index];
    bool is_pred = scope->func->regs[index].type == WR_PTX_PRED;
    unsigned words = is_pred ? 1 : lo->ir->regs[reg].words;
    place at = save_place(lo, scope->func, index, words);
    wr_ir_operand value = is_pred ? wr_lower_temp(lo, 1) : wr_ir_reg_operand(reg, 0);

    if (is_pred && !restore) {
        wr_ir_insn select = wr_ir_insn_new(WR_OP_SELP, WR_B32);

        select.src[0] = wr_ir_imm_operand(1);
        select.src[1] = wr_ir_imm_operand(0);
        select.ps = reg;
        select.dst = value;
        wr_lower_emit(lo, &select);
    }
    for (unsigned w = 0; w < words; w += words == 1 ? 1 : 2) {
        value.word = (uint8_t)w;
        emit_access(lo, restore ? WR_OP_LD : WR_OP_ST, words == 1 ? WR_B32 : WR_B64, at, value);
        at.offset += 8;
    }
    if (is_pred && restore) {
        wr_ir_insn test = wr_ir_insn_new(WR_OP_SETP, WR_U32);

        test.m.cmp = WR_CMP_NE;
        test.src[0] = value;
        test.src[1] = wr_ir_imm_operand(0);
        test.pd = reg;
        wr_lower_emit(lo, &test);
    }
}

/* Registers that live across the call in the functions from here out to the recursive one. */
static void keep_registers(wr_lower *lo, bool restore)
{
    for (const wr_scope *s = &lo->scope; s != NULL && s->recursive; s = s->outer) {
        const bool *live = wr_lower_live(lo, s->func, s == &lo->scope ? lo->index : s->index);

        for (uint32_t r = 0; r < s->func->reg_count; r++) {
            if (!live[r]) {
                continue;
            }
            if (s->reg_map[r] == WR_IR_NO_REG) {
                s->reg_map[r] = wr_lower_new_reg(lo, s->func->regs[r].type);
            }
            save_or_restore(lo, s, r, restore);
        }
        if (s->root) {
            break;
        }
    }
}

static void move_sp(wr_lower *lo, bool up)
{
    wr_ir_insn insn = wr_ir_insn_new(up ? WR_OP_ADD : WR_OP_SUB, WR_U32);

    insn.dst = insn.src[0] = wr_ir_reg_operand(lo->sp, 0);
    insn.src[1] = wr_ir_imm_operand(0);
    wr_lower_emit(lo, &insn);
    patch_last(lo, WR_PATCH_SIZE);
}

/* Where lanes go back to, by number. */
static void emit_return(wr_lower *lo, const wr_callee *callee)
{
    wr_ir_operand number = wr_lower_temp(lo, 1);
    uint32_t last = callee->site_count - 1;

    if (last > 0) {
        emit_access(lo, WR_OP_LD, WR_B32, (place){0, true, false}, number);
    }
    for (uint32_t i = 0; i < last; i++) {
        emit_jump(lo, callee->sites[i], wr_lower_test(lo, WR_CMP_EQ, WR_U32, number, i), false);
    }
    emit_jump(lo, callee->sites[last], WR_IR_NO_REG, false);
}

static void begin_copy(wr_lower *lo)
{
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        lo->callees[i].label = wr_lower_labels(lo, 2);
        lo->callees[i].site_count = 0;
        lo->callees[i].lowered = false;
    }
}

/* All that is called in the copy, and calls in there. */
static bool emit_copy_of_functions(wr_lower *lo)
{
    bool more = true;

    while (more) {
        more = false;
        for (uint32_t i = 0; i < lo->callee_count; i++) {
            wr_callee *callee = &lo->callees[i];

            if (callee->lowered || callee->site_count == 0) {
                continue;
            }
            callee->lowered = more = true;
            wr_lower_bind(lo, callee->label);
            if (!lower_inside(lo, callee->func, callee->label + 1, true)) {
                return false;
            }
            emit_jump(lo, callee->label + 1, WR_IR_NO_REG, false);
        }
    }
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        if (!lo->callees[i].lowered) {
            continue;
        }
        wr_lower_bind(lo, lo->callees[i].label + 1);
        emit_return(lo, &lo->callees[i]);
    }
    return true;
}

static bool framed_call(wr_lower *lo, wr_callee *callee)
{
    const wr_ptx_insn *call = lo->insn;
    const wr_ptx_operand *args = &call->operands[2], *rets = &call->operands[0];
    const wr_ptx_var *formal = callee->func->params;
    bool outside = !lo->scope.recursive;
    uint32_t site = wr_lower_labels(lo, 1);
    wr_ir_operand number = wr_lower_temp(lo, 1);
    wr_ir_insn insn = wr_ir_move(number, (wr_ir_operand){0}, 1);
    wr_ir_insn trap = wr_ir_insn_new(WR_OP_TRAP, WR_U8);

    if (outside) {
        begin_copy(lo);
    }
    insn.src[0] = wr_ir_imm_operand(callee->site_count);
    callee->sites = wr_pool_grow(lo->ir->pool, callee->sites, callee->site_count, &callee->site_cap,
                                 sizeof *callee->sites);
    callee->sites[callee->site_count++] = site;
    trap.m.mode = WR_TRAP_STACK;
    trap.guard = wr_lower_test(lo, WR_CMP_GT, WR_U32, wr_ir_reg_operand(lo->sp, 0), 0);
    patch_last(lo, WR_PATCH_LIMIT);
    wr_lower_emit(lo, &trap);
    keep_registers(lo, false);
    for (uint32_t i = 0; i < args->count && formal != NULL; i++, formal = formal->next) {
        pass_framed(lo, &args->elems[i], formal, false);
    }
    wr_lower_emit(lo, &insn);
    emit_access(lo, WR_OP_ST, WR_B32, (place){0, true, true}, number);
    move_sp(lo, true);
    emit_jump(lo, callee->label, WR_IR_NO_REG, false);
    if (outside && !emit_copy_of_functions(lo)) {
        return false;
    }
    wr_lower_bind(lo, site);
    move_sp(lo, false);
    keep_registers(lo, true);
    formal = callee->func->rets;
    for (uint32_t i = 0; i < rets->count && formal != NULL; i++, formal = formal->next) {
        pass_framed(lo, &rets->elems[i], formal, true);
    }
    return !lo->failed;
}

void wr_lower_begin_stack(wr_lower *lo)
{
    wr_ir_insn insn;

    if (!lo->has_stack) {
        return;
    }
    lo->sp = wr_ir_new_reg(lo->ir, 1);
    insn = wr_ir_move(wr_ir_reg_operand(lo->sp, 0), wr_ir_imm_operand(0), 1);
    wr_ir_append(lo->ir, &lo->out, &insn);
    patch_last(lo, WR_PATCH_BASE);
}

static void apply_patches(wr_lower *lo)
{
    uint32_t size = (lo->frame_bytes + 15) / 16 * 16;
    uint32_t base = (lo->ir->local_bytes + 15) / 16 * 16;
    uint32_t told = lo->layout->stack_bytes;
    uint64_t least = told != 0 ? 2 * (uint64_t)size : (uint64_t)STACK_CALLS * size;
    uint64_t most = told != 0 ? told : lo->layout->stack_least;
    uint32_t stack = (uint32_t)(least > most ? least : most);

    if (base + (least > most ? least : most) > WR_WINDOW_BYTES) {
        wr_diag_set(lo->diag, lo->module->file, lo->func->line, lo->func->column,
                    "the stack of kernel '%s' makes the local memory of a thread larger than 16 "
                    "MiB; allow a smaller one",
                    lo->func->name);
        lo->failed = true;
        return;
    }
    for (uint32_t i = 0; i < lo->patch_count; i++) {
        wr_ir_insn *insn = &lo->out.at[lo->patches[i].at];

        switch (lo->patches[i].kind) {
        case WR_PATCH_OFFSET:
            insn->offset += size;
            break;
        case WR_PATCH_SIZE:
            insn->src[1] = wr_ir_imm_operand(size);
            break;
        case WR_PATCH_LIMIT:
            insn->src[1] = wr_ir_imm_operand(base + stack - 2 * size);
            break;
        case WR_PATCH_BASE:
            insn->src[0] = wr_ir_imm_operand(base);
            break;
        }
    }
    lo->ir->local_bytes = base + stack;
    lo->kernel->stack_bytes = stack;
}

void wr_lower_end_stack(wr_lower *lo)
{
    if (lo->has_stack) {
        apply_patches(lo);
    }
}

/* ---- calls ---- */

static bool call_function(wr_lower *lo, const wr_ptx_func *func)
{
    wr_callee *callee = wr_lower_callee(lo, func);

    if (!func->has_body || callee == NULL) {
        return wr_lower_service(lo, func);
    }
    return callee->recursive ? framed_call(lo, callee) : inline_call(lo, func);
}

static bool call_by_value(wr_lower *lo, uint32_t end)
{
    const wr_ptx_insn *call = lo->insn;
    wr_ir_operand value = wr_lower_source(lo, &call->operands[1]);
    wr_type type = lo->ir->regs[value.reg].words == 2 ? WR_U64 : WR_U32;
    wr_ir_insn trap = wr_ir_insn_new(WR_OP_TRAP, WR_U8);
    uint32_t at = 0;
    const wr_ptx_func *func = wr_lower_next_callee(lo->layout->calls, call, &at);

    if (func == NULL) {
        return wr_lower_refuse(lo, "no function of this module whose address is taken has this "
                                   "prototype");
    }
    while (func != NULL) {
        const wr_ptx_func *next = wr_lower_next_callee(lo->layout->calls, call, &at);
        uint32_t other = wr_lower_labels(lo, 1);
        uint32_t is_it = wr_lower_test(lo, WR_CMP_EQ, type, value, wr_lower_func_address(func));

        if (next != NULL) {
            emit_jump(lo, other, is_it, true);
        } else {
            trap.m.mode = WR_TRAP_CALL;
            trap.guard = is_it;
            trap.m.guard_neg = true;
            wr_lower_emit(lo, &trap);
        }
        if (!call_function(lo, func)) {
            return false;
        }
        if (next != NULL) {
            emit_jump(lo, end, WR_IR_NO_REG, false);
        }
        wr_lower_bind(lo, other);
        func = next;
    }
    return true;
}

bool wr_lower_call(wr_lower *lo)
{
    const wr_ptx_operand *callee = &lo->insn->operands[1];
    uint32_t end = wr_lower_labels(lo, 1);
    bool ok;

    for (unsigned k = 0; k < 3; k += 2) {
        for (uint32_t i = 0; i < lo->insn->operands[k].count; i++) {
            const wr_ptx_operand *arg = &lo->insn->operands[k].elems[i];

            if (arg->kind == WR_PTX_OPD_SYMBOL && wr_lower_placed(lo, arg->var) == NULL) {
                return wr_lower_refuse(lo, "a kernel's parameter can't be passed itself: load it "
                                           "and store it to a .param variable");
            }
        }
    }
    if (lo->insn->guard != WR_PTX_NO_REG) {
        emit_jump(lo, end, wr_lower_reg(lo, lo->insn->guard), !lo->insn->guard_neg);
    }
    ok = callee->func != NULL ? call_function(lo, callee->func) : call_by_value(lo, end);
    wr_lower_bind(lo, end);
    return ok && !lo->failed;
}

/* brx.idx: a chain of branches; an index beyond the table takes the last target. */
bool wr_lower_branch_table(wr_lower *lo)
{
    wr_ir_operand index = wr_lower_source(lo, &lo->insn->operands[0]);
    const wr_ptx_table *table = lo->insn->operands[1].table;

    for (uint32_t i = 0; i + 1 < table->count; i++) {
        emit_jump(lo, lo->labels + table->targets[i],
                  wr_lower_test(lo, WR_CMP_EQ, WR_U32, index, i), false);
    }
    emit_jump(lo, lo->labels + table->targets[table->count - 1], WR_IR_NO_REG, false);
    return true;
}
