/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls whom: which functions a kernel may reach, and which of them can reach themselves. An
 * indirect call may mean any function of its .calltargets, or any of its prototype's shape whose
 * number is used as a value somewhere in the module.
 *
 * The graph is made once a module, and with it what can reach itself: the functions of a strong
 * component of several, by Tarjan's walk, and those that call themselves. A kernel then walks what
 * it reaches, and no more: marks hold the number of the kernel that set them.
 */
#include "shell/compiler/lower.h"

#include <assert.h>
#include <stdlib.h>

struct wr_calls {
    const wr_ptx_module *module;
    const wr_ptx_func **func; /* by index, as all that follows */
    bool *is_value;           /* its number is used as a value somewhere */
    bool *recursive;
    uint32_t *first; /* func_count + 1: where its callees begin in `to` */
    uint32_t *to, count, cap;
    uint32_t *mark; /* the last kernel that reached it */
    uint32_t *slot; /* its place among that kernel's callees */
    uint32_t kernels;
};

static bool same_shape(const wr_ptx_var *a, const wr_ptx_var *b)
{
    for (; a != NULL && b != NULL; a = a->next, b = b->next) {
        if (a->size != b->size) {
            return false;
        }
    }
    return a == NULL && b == NULL;
}

static void find_values(wr_calls *calls, const wr_ptx_func *in)
{
    for (uint32_t i = 0; i < in->insn_count; i++) {
        for (uint32_t k = 0; k < in->insns[i].operand_count; k++) {
            const wr_ptx_func *func = in->insns[i].operands[k].func;

            if (func != NULL && (in->insns[i].op != WR_PTX_CALL || k != 1)) {
                calls->is_value[func->index] = true;
            }
        }
    }
}

const wr_ptx_func *wr_lower_next_callee(const wr_calls *calls, const wr_ptx_insn *call,
                                        uint32_t *at)
{
    const wr_ptx_operand *callee = &call->operands[1];
    const wr_ptx_table *table = call->operand_count > 3 ? call->operands[3].table : NULL;

    if (callee->func != NULL) {
        return (*at)++ == 0 ? callee->func : NULL;
    }
    assert(table != NULL && "the parser takes no indirect call without its targets");
    if (table->kind == WR_PTX_TABLE_CALL) {
        return *at < table->count ? table->funcs[(*at)++] : NULL;
    }
    while (*at < calls->module->func_count) {
        const wr_ptx_func *func = calls->func[(*at)++];

        if (calls->is_value[func->index] && !func->is_entry && func->has_body &&
            same_shape(func->params, table->params) && same_shape(func->rets, table->rets)) {
            return func;
        }
    }
    return NULL;
}

static void add_callees(wr_calls *calls, wr_pool *pool, const wr_ptx_func *from)
{
    calls->first[from->index] = calls->count;
    for (uint32_t i = 0; i < from->insn_count; i++) {
        const wr_ptx_func *callee;
        uint32_t at = 0;

        if (from->insns[i].op != WR_PTX_CALL) {
            continue;
        }
        while ((callee = wr_lower_next_callee(calls, &from->insns[i], &at)) != NULL) {
            calls->to = wr_pool_grow(pool, calls->to, calls->count, &calls->cap, sizeof *calls->to);
            calls->to[calls->count++] = callee->index;
            if (callee == from) {
                calls->recursive[from->index] = true;
            }
        }
    }
    calls->first[from->index + 1] = calls->count;
}

/* ---- strong components ---- */

typedef struct walker {
    wr_calls *calls;
    uint32_t *number, *low; /* from 1; 0 = not visited */
    uint32_t *next;         /* the edge to look at next */
    uint32_t *path, depth;  /* from the root to here */
    uint32_t *open, open_count;
    bool *is_open; /* visited, and its component is not complete */
    uint32_t visited;
} walker;

static void enter(walker *w, uint32_t func)
{
    w->number[func] = w->low[func] = ++w->visited;
    w->next[func] = w->calls->first[func];
    w->path[w->depth++] = func;
    w->open[w->open_count++] = func;
    w->is_open[func] = true;
}

/* All callees of `func` are done. */
static void leave(walker *w, uint32_t func)
{
    bool several = w->open[w->open_count - 1] != func;
    uint32_t member;

    w->depth--;
    if (w->depth > 0 && w->low[func] < w->low[w->path[w->depth - 1]]) {
        w->low[w->path[w->depth - 1]] = w->low[func];
    }
    if (w->low[func] != w->number[func]) {
        return;
    }
    do {
        member = w->open[--w->open_count];
        w->is_open[member] = false;
        w->calls->recursive[member] = w->calls->recursive[member] || several;
    } while (member != func);
}

static void walk_from(walker *w, uint32_t root)
{
    const wr_calls *calls = w->calls;

    enter(w, root);
    while (w->depth > 0) {
        uint32_t func = w->path[w->depth - 1], callee;

        if (w->next[func] == calls->first[func + 1]) {
            leave(w, func);
            continue;
        }
        callee = calls->to[w->next[func]++];
        if (w->number[callee] == 0) {
            enter(w, callee);
        } else if (w->is_open[callee] && w->number[callee] < w->low[func]) {
            w->low[func] = w->number[callee];
        }
    }
}

static void find_recursive(wr_calls *calls)
{
    wr_pool *pool = wr_pool_new();
    uint32_t n = calls->module->func_count;
    walker w = {.calls = calls,
                .number = wr_pool_alloc(pool, n, sizeof *w.number),
                .low = wr_pool_alloc(pool, n, sizeof *w.low),
                .next = wr_pool_alloc(pool, n, sizeof *w.next),
                .path = wr_pool_alloc(pool, n, sizeof *w.path),
                .open = wr_pool_alloc(pool, n, sizeof *w.open),
                .is_open = wr_pool_alloc(pool, n, sizeof *w.is_open)};

    for (uint32_t func = 0; func < n; func++) {
        if (w.number[func] == 0) {
            walk_from(&w, func);
        }
    }
    wr_pool_free(pool);
}

wr_calls *wr_calls_build(wr_pool *pool, const wr_ptx_module *module)
{
    wr_calls *calls = wr_pool_alloc(pool, 1, sizeof *calls);
    uint32_t n = module->func_count;

    calls->module = module;
    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    calls->func = wr_pool_alloc(pool, n, sizeof *calls->func);
    calls->is_value = wr_pool_alloc(pool, n, sizeof *calls->is_value);
    calls->recursive = wr_pool_alloc(pool, n, sizeof *calls->recursive);
    calls->first = wr_pool_alloc(pool, (size_t)n + 1, sizeof *calls->first);
    calls->mark = wr_pool_alloc(pool, n, sizeof *calls->mark);
    calls->slot = wr_pool_alloc(pool, n, sizeof *calls->slot);
    for (const wr_ptx_var *var = module->vars; var != NULL; var = var->next) {
        for (const wr_ptx_reloc *r = var->relocs; r != NULL; r = r->next) {
            if (r->func != NULL) {
                calls->is_value[r->func->index] = true;
            }
        }
    }
    for (const wr_ptx_func *func = module->funcs; func != NULL; func = func->next) {
        calls->func[func->index] = func;
        find_values(calls, func);
    }
    for (uint32_t i = 0; i < n; i++) {
        add_callees(calls, pool, calls->func[i]);
    }
    find_recursive(calls);
    return calls;
}

/* ---- of one kernel ---- */

static int by_index(const void *a, const void *b)
{
    const wr_callee *x = a, *y = b;

    return x->func->index < y->func->index ? -1 : x->func->index > y->func->index;
}

static void reach(wr_lower *lo, const wr_ptx_func *from, uint32_t *cap)
{
    wr_calls *calls = lo->layout->calls;

    for (uint32_t e = calls->first[from->index]; e < calls->first[from->index + 1]; e++) {
        uint32_t func = calls->to[e];

        if (calls->mark[func] == calls->kernels) {
            continue;
        }
        calls->mark[func] = calls->kernels;
        lo->callees =
            wr_pool_grow(lo->ir->pool, lo->callees, lo->callee_count, cap, sizeof *lo->callees);
        lo->callees[lo->callee_count++] =
            (wr_callee){.func = calls->func[func], .recursive = calls->recursive[func]};
        lo->has_stack = lo->has_stack || calls->recursive[func];
    }
}

void wr_lower_find_calls(wr_lower *lo)
{
    wr_calls *calls = lo->layout->calls;
    uint32_t cap = 0;

    calls->kernels++;
    reach(lo, lo->func, &cap);
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        reach(lo, lo->callees[i].func, &cap);
    }
    if (lo->callee_count > 0) {
        qsort(lo->callees, lo->callee_count, sizeof *lo->callees, by_index);
    }
    for (uint32_t i = 0; i < lo->callee_count; i++) {
        calls->slot[lo->callees[i].func->index] = i;
    }
}

wr_callee *wr_lower_callee(wr_lower *lo, const wr_ptx_func *func)
{
    const wr_calls *calls = lo->layout->calls;

    return calls->mark[func->index] == calls->kernels ? &lo->callees[calls->slot[func->index]]
                                                      : NULL;
}
