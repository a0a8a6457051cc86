/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: where the variables of a kernel and of the functions that it calls lie. */
#include "shell/compiler/lower.h"

#define MAX_BYTES (UINT64_C(1) << 24) /* of a kernel's shared or local variables */

static uint32_t *placed_slot(const wr_lower *lo, const wr_ptx_var *var)
{
    uint64_t hash = (uint64_t)(uintptr_t)var * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    uint32_t *at = lo->placed_at, last = lo->placed_slots - 1, slot = (uint32_t)hash & last;

    while (at[slot] != 0 && lo->placed[at[slot] - 1].var != var) {
        slot = (slot + 1) & last;
    }
    return &at[slot];
}

wr_placed *wr_lower_placed(const wr_lower *lo, const wr_ptx_var *var)
{
    uint32_t at = lo->placed_slots > 0 ? *placed_slot(lo, var) : 0;

    return at > 0 ? &lo->placed[at - 1] : NULL;
}

/* Enters the last of the variables in place. */
static void enter_placed(wr_lower *lo)
{
    uint32_t from = lo->placed_count - 1;

    if (2 * lo->placed_count > lo->placed_slots) {
        lo->placed_slots = lo->placed_slots == 0 ? 16 : 2 * lo->placed_slots;
        lo->placed_at = wr_pool_alloc(lo->ir->pool, lo->placed_slots, sizeof *lo->placed_at);
        from = 0;
    }
    for (uint32_t i = from; i < lo->placed_count; i++) {
        *placed_slot(lo, lo->placed[i].var) = i + 1;
    }
}

static uint32_t round_up(uint64_t value, uint32_t align)
{
    return (uint32_t)((value + align - 1) / align * align);
}

/* Structs that functions take and return are declared `.align 1` by clang and still accessed by
 * words, so those parameters get the alignment of the widest word. */
static uint32_t alignment(const wr_ptx_var *var)
{
    return var->space == WR_PTX_SPACE_PARAM && var->size > 4 && var->align < 8 ? 8 : var->align;
}

static void place_var(wr_lower *lo, const wr_ptx_func *func, const wr_ptx_var *var)
{
    bool shared = var->space == WR_PTX_SPACE_SHARED;
    bool framed = !shared && !func->is_entry && !var->in_module && lo->has_stack;
    uint32_t *end = shared   ? &lo->kernel->shared_bytes
                    : framed ? &lo->frame_bytes
                             : &lo->ir->local_bytes;
    wr_placed *placed;

    if (wr_lower_placed(lo, var) != NULL) {
        return;
    }
    lo->placed = wr_pool_grow(lo->ir->pool, lo->placed, lo->placed_count, &lo->placed_cap,
                              sizeof *lo->placed);
    placed = &lo->placed[lo->placed_count];
    *placed = (wr_placed){.var = var, .framed = framed, .own_framed = framed};
    if (var->is_open || (shared && var->linkage == WR_PTX_LINK_EXTERN)) {
        lo->kernel->extern_shared = true;
    } else {
        *end = round_up(*end, alignment(var));
        if (*end + var->size > MAX_BYTES) {
            if (!lo->failed) {
                wr_diag_set(lo->diag, lo->module->file, var->line, var->column,
                            "variable '%s' makes the %s memory of a %s larger than 16 MiB; make "
                            "it smaller",
                            var->name, shared ? "shared" : "local", shared ? "TB" : "thread");
            }
            lo->failed = true;
            return;
        }
        placed->offset = placed->own = *end;
        *end += (uint32_t)var->size;
    }
    lo->placed_count++;
    enter_placed(lo);
}

static void reserve_base(wr_lower *lo, uint32_t *at)
{
    uint32_t bytes = lo->module->address_size / 8;

    if (*at != UINT32_MAX) {
        return;
    }
    *at = round_up(lo->kernel->param_bytes, bytes);
    lo->kernel->param_bytes = *at + bytes;
}

static bool is_kernel_param(const wr_ptx_func *func, const wr_ptx_var *var)
{
    const wr_ptx_var *param = func->is_entry ? func->params : NULL;

    while (param != NULL && param != var) {
        param = param->next;
    }
    return param != NULL;
}

static void fail_with(wr_lower *lo, const wr_diag *why)
{
    if (!lo->failed && lo->diag != NULL) {
        *lo->diag = *why;
    }
    lo->failed = true;
}

static void place_operand(wr_lower *lo, const wr_ptx_func *func, const wr_ptx_insn *insn,
                          const wr_ptx_operand *operand)
{
    const wr_ptx_var *var = operand->var;

    if (insn->op == WR_PTX_CVTA || insn->op == WR_PTX_CVTA_TO || insn->op == WR_PTX_ISSPACEP) {
        if (insn->mod[WR_PTX_SLOT_SPACE] == WR_PTX_SPACE_CONST) {
            reserve_base(lo, &lo->kernel->const_base_at);
        }
    }
    if (var == NULL || (operand->kind != WR_PTX_OPD_ADDR && operand->kind != WR_PTX_OPD_SYMBOL &&
                        operand->kind != WR_PTX_OPD_SREG)) {
        return;
    }
    if (var->refused != NULL) {
        fail_with(lo, var->refused);
    } else if ((var->space == WR_PTX_SPACE_GLOBAL || var->space == WR_PTX_SPACE_CONST) &&
               lo->layout->refused[var->index] != NULL) {
        fail_with(lo, lo->layout->refused[var->index]);
    }
    if (var->space == WR_PTX_SPACE_GLOBAL) {
        reserve_base(lo, &lo->kernel->global_base_at);
    } else if (var->space != WR_PTX_SPACE_CONST && !is_kernel_param(func, var)) {
        place_var(lo, func, var);
    }
}

static void place_function(wr_lower *lo, const wr_ptx_func *func)
{
    for (const wr_ptx_var *var = func->params; var != NULL && !func->is_entry; var = var->next) {
        place_var(lo, func, var);
    }
    for (const wr_ptx_var *var = func->rets; var != NULL; var = var->next) {
        place_var(lo, func, var);
    }
    for (uint32_t i = 0; i < func->insn_count; i++) {
        const wr_ptx_insn *insn = &func->insns[i];

        for (uint32_t k = 0; k < insn->operand_count; k++) {
            place_operand(lo, func, insn, &insn->operands[k]);
            for (uint32_t e = 0; insn->op == WR_PTX_CALL && e < insn->operands[k].count; e++) {
                place_operand(lo, func, insn, &insn->operands[k].elems[e]);
            }
        }
    }
}

/* Lays out the shared and local variables that the functions name, in the order in which they
 * do; dynamic shared memory begins behind the static variables. */
void wr_lower_place(wr_lower *lo)
{
    if (lo->func->refused != NULL) {
        fail_with(lo, lo->func->refused);
    }
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        if (lo->callees[i].func->refused != NULL) {
            fail_with(lo, lo->callees[i].func->refused);
        }
    }
    if (lo->failed) {
        return;
    }
    lo->frame_bytes = lo->has_stack ? 4 : 0; /* where to return to */
    place_function(lo, lo->func);
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        if (lo->callees[i].func->has_body) {
            place_function(lo, lo->callees[i].func);
        }
    }
    if (lo->kernel->extern_shared) {
        lo->kernel->shared_bytes = round_up(lo->kernel->shared_bytes, 16);
    }
    for (uint32_t i = 0; i < lo->placed_count; i++) {
        const wr_ptx_var *var = lo->placed[i].var;

        if (var->is_open ||
            (var->space == WR_PTX_SPACE_SHARED && var->linkage == WR_PTX_LINK_EXTERN)) {
            lo->placed[i].offset = lo->kernel->shared_bytes;
        }
    }
}
