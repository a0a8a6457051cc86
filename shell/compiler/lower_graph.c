/* Who calls whom: which functions a kernel may reach, and which of them can reach themselves. An
 * indirect call may mean any function of its .calltargets, or any of its prototype's shape whose
 * number is used as a value somewhere in the module. */
#include "shell/compiler/lower.h"

#include <assert.h>

static bool same_shape(const wr_ptx_var *a, const wr_ptx_var *b)
{
    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (a->size != b->size)
            return false;
    return a == NULL && b == NULL;
}

static bool is_value_in(const wr_ptx_func *in, const wr_ptx_func *func)
{
    for (uint32_t i = 0; i < in->insn_count; i++)
        for (uint32_t k = 0; k < in->insns[i].operand_count; k++)
            if (in->insns[i].operands[k].func == func && (in->insns[i].op != WR_PTX_CALL || k != 1))
                return true;
    return false;
}

/* Its number is used as a value somewhere. */
static bool is_value(const wr_ptx_module *module, const wr_ptx_func *func)
{
    for (const wr_ptx_var *var = module->vars; var != NULL; var = var->next)
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next)
            if (r->func == func)
                return true;
    for (const wr_ptx_func *in = module->funcs; in != NULL; in = in->next)
        if (is_value_in(in, func))
            return true;
    return false;
}

const wr_ptx_func *wr_lower_next_callee(const wr_ptx_module *module, const wr_ptx_insn *call,
                                        uint32_t *at)
{
    const wr_ptx_operand *callee = &call->operands[1];
    const wr_ptx_table *table = call->operand_count > 3 ? call->operands[3].table : NULL;

    if (callee->func != NULL)
        return (*at)++ == 0 ? callee->func : NULL;
    assert(table != NULL && "the parser takes no indirect call without its targets");
    if (table->kind == WR_PTX_TABLE_CALL)
        return *at < table->count ? table->funcs[(*at)++] : NULL;
    for (const wr_ptx_func *func = module->funcs; func != NULL; func = func->next) {
        if (func->index < *at)
            continue;
        *at = func->index + 1;
        if (!func->is_entry && func->has_body && same_shape(func->params, table->params) &&
            same_shape(func->rets, table->rets) && is_value(module, func))
            return func;
    }
    return NULL;
}

/* Marks what `from` may call, directly or not. */
static void mark_reached(const wr_lower *lo, const wr_ptx_func *from, bool *reached)
{
    for (uint32_t i = 0; i < from->insn_count; i++) {
        const wr_ptx_func *func;
        uint32_t at = 0;

        if (from->insns[i].op != WR_PTX_CALL)
            continue;
        while ((func = wr_lower_next_callee(lo->module, &from->insns[i], &at)) != NULL) {
            if (reached[func->index])
                continue;
            reached[func->index] = true;
            mark_reached(lo, func, reached);
        }
    }
}

static bool *reached_from(const wr_lower *lo, const wr_ptx_func *func)
{
    uint32_t most = 0;
    bool *reached;

    for (const wr_ptx_func *f = lo->module->funcs; f != NULL; f = f->next)
        most = f->index > most ? f->index : most;
    reached = wr_pool_alloc(lo->ir->pool, most + 1, sizeof *reached);
    mark_reached(lo, func, reached);
    return reached;
}

void wr_lower_find_calls(wr_lower *lo)
{
    const bool *reached = reached_from(lo, lo->func);

    lo->callees = wr_pool_alloc(lo->ir->pool, lo->module->func_count + 1, sizeof *lo->callees);
    for (const wr_ptx_func *f = lo->module->funcs; f != NULL; f = f->next) {
        if (!reached[f->index])
            continue;
        lo->callees[lo->callee_count].func = f;
        lo->callees[lo->callee_count].recursive = reached_from(lo, f)[f->index];
        lo->has_stack |= lo->callees[lo->callee_count].recursive;
        lo->callee_count++;
    }
}

wr_callee *wr_lower_callee(wr_lower *lo, const wr_ptx_func *func)
{
    for (uint32_t i = 0; i < lo->callee_count; i++)
        if (lo->callees[i].func == func)
            return &lo->callees[i];
    return NULL;
}
