/* SPDX-License-Identifier: Apache-2.0 */
/* Relief: spilling by pressure, before there is a graph.
 *
 * The rounds of alloc.c choose well but need the graph of all conflicts, which grows with the
 * square of what is live at once. So where half as much again is live as there are registers, what
 * is worth least in a register is spilled first, and the graph stays linear in the program.
 *
 * Where too much is live at the borders of blocks, cells apply for room in all the lists of
 * live.c in order of what spilling them would cost, and those that find none are spilled. Inside
 * blocks, the deepest loops first, a walk with the places of next use at hand spills, where more
 * is live than fits, what costs least for the way to its next use (Belady's choice among equals).
 * A value is spilled everywhere or nowhere, so what a loop does not use leaves it first.
 */
#include "shell/compiler/alloc.h"

#include <stdlib.h>

#define CROWDED 6    /* quarters of the registers */
#define FAR     1000 /* instructions to a use in another block */
#define REBUILT 0.25 /* cost of what can be computed again, of that of memory */

#define NEVER  UINT32_MAX /* no next use: redefined, or dead */
#define BEHIND (UINT32_MAX - 1)

typedef struct reliever {
    wr_alloc *alloc;
    const wr_live *live;
    bool *spill;        /* by group */
    wr_cell_set set;    /* live here */
    uint32_t in_set[2]; /* how many of them are words, and predicates */
    uint32_t *next;     /* by cell: where in the block it is read next */
    uint32_t *behind; /* the same behind each instruction, for its uses and then its definitions */
    uint32_t behind_cap;
} reliever;

static unsigned class_of(const reliever *r, uint32_t cell)
{
    return cell < r->alloc->ir->word_count ? 0 : 1;
}

static uint32_t registers(const reliever *r, unsigned cls)
{
    return cls == 0 ? r->alloc->max_regs : WR_ISA_PREDS;
}

/* ---- is it needed ---- */

static bool is_crowded(reliever *r, uint32_t block)
{
    const wr_ir *ir = r->alloc->ir;
    const wr_ir_list *list = &ir->blocks[block].insns;

    wr_live_out(r->live, block, &r->set);
    for (uint32_t i = list->count; i-- > 0;) {
        wr_live_step(ir, &list->at[i], &r->set);
        for (unsigned cls = 0; cls < 2; cls++) {
            uint32_t live = 0;

            for (uint32_t k = 0; k < r->set.count; k++) {
                live += class_of(r, r->set.cells[k]) == cls ? 1 : 0;
            }
            if (4 * live > CROWDED * registers(r, cls)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- inside blocks ---- */

static void add(reliever *r, uint32_t cell)
{
    if (wr_cell_set_has(&r->set, cell) || r->spill[r->alloc->group_of[cell]]) {
        return;
    }
    wr_cell_set_add(&r->set, cell);
    r->in_set[class_of(r, cell)]++;
}

static void drop(reliever *r, uint32_t cell)
{
    if (!wr_cell_set_has(&r->set, cell)) {
        return;
    }
    wr_cell_set_drop(&r->set, cell);
    r->in_set[class_of(r, cell)]--;
}

/* Fills r->behind for the block, and leaves r->next as at its start. */
static void find_uses(reliever *r, const wr_ir_list *list, uint32_t refs_count)
{
    const wr_ir *ir = r->alloc->ir;

    for (uint32_t i = list->count; i-- > 0;) {
        wr_ir_refs refs;

        wr_ir_get_refs(ir, &list->at[i], &refs);
        refs_count -= refs.use_count + refs.def_count;
        for (uint32_t k = 0; k < refs.use_count; k++) {
            r->behind[refs_count + k] = r->next[refs.uses[k]];
        }
        for (uint32_t k = 0; k < refs.def_count; k++) {
            r->behind[refs_count + refs.use_count + k] = r->next[refs.defs[k]];
        }
        for (uint32_t k = 0; refs.kills && k < refs.def_count; k++) {
            r->next[refs.defs[k]] = NEVER;
        }
        for (uint32_t k = 0; k < refs.use_count; k++) {
            r->next[refs.uses[k]] = i;
        }
    }
}

/* The cheapest of the class for each instruction to its next use, from instruction `at` of
 * `count`; NO_CELL where only temporaries of spilling are left. */
static uint32_t cheapest(const reliever *r, unsigned cls, uint32_t at, uint32_t count)
{
    uint32_t best = WR_NO_CELL;
    double best_worth = 0;

    for (uint32_t k = 0; k < r->set.count; k++) {
        uint32_t cell = r->set.cells[k];
        const wr_group *g = &r->alloc->groups[r->alloc->group_of[cell]];
        uint32_t way = r->next[cell] == BEHIND ? count - at + FAR : r->next[cell] + 1 - at;
        double worth = g->cost * (g->rebuilt ? REBUILT : 1) / way;

        if (class_of(r, cell) != cls || g->must_stay) {
            continue;
        }
        if (best == WR_NO_CELL || worth < best_worth || (worth == best_worth && cell < best)) {
            best = cell;
            best_worth = worth;
        }
    }
    return best;
}

static void make_room(reliever *r, uint32_t at, uint32_t count)
{
    for (unsigned cls = 0; cls < 2; cls++) {
        while (r->in_set[cls] > registers(r, cls)) {
            uint32_t cell = cheapest(r, cls, at, count), group;

            if (cell == WR_NO_CELL) {
                break;
            }
            group = r->alloc->group_of[cell];
            r->spill[group] = true;
            for (cell = r->alloc->groups[group].first; cell != WR_NO_CELL;
                 cell = r->alloc->next[cell]) {
                drop(r, cell);
            }
        }
    }
}

static void set_next(reliever *r, uint32_t cell, uint32_t next)
{
    r->next[cell] = next;
    if (next == NEVER) {
        drop(r, cell);
    }
}

static void walk(reliever *r, uint32_t block)
{
    const wr_ir *ir = r->alloc->ir;
    const wr_ir_list *list = &ir->blocks[block].insns;
    uint32_t at = 0;

    for (uint32_t i = 0; i < r->live->in_count[block]; i++) {
        add(r, r->live->in[block][i]);
    }
    make_room(r, 0, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        wr_ir_refs refs;

        wr_ir_get_refs(ir, &list->at[i], &refs);
        for (uint32_t k = 0; k < refs.use_count; k++) {
            set_next(r, refs.uses[k], r->behind[at + k]);
        }
        at += refs.use_count;
        for (uint32_t k = 0; k < refs.def_count; k++) {
            if (r->behind[at + k] != NEVER) {
                add(r, refs.defs[k]);
            }
            set_next(r, refs.defs[k], r->behind[at + k]);
        }
        at += refs.def_count;
        make_room(r, i + 1, list->count);
    }
}

static void relieve_block(reliever *r, uint32_t block)
{
    const wr_ir *ir = r->alloc->ir;
    const wr_ir_list *list = &ir->blocks[block].insns;
    uint32_t refs_count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        wr_ir_refs refs;

        wr_ir_get_refs(ir, &list->at[i], &refs);
        refs_count += refs.use_count + refs.def_count;
        for (uint32_t k = 0; k < refs.use_count; k++) {
            r->next[refs.uses[k]] = NEVER;
        }
        for (uint32_t k = 0; k < refs.def_count; k++) {
            r->next[refs.defs[k]] = NEVER;
        }
    }
    if (refs_count > r->behind_cap) {
        r->behind_cap = 2 * refs_count;
        r->behind = wr_pool_alloc(r->alloc->pool, r->behind_cap, sizeof *r->behind);
    }
    wr_live_out(r->live, block, &r->set);
    for (uint32_t i = 0; i < r->set.count; i++) {
        r->next[r->set.cells[i]] = BEHIND;
    }
    find_uses(r, list, refs_count);
    r->set.count = r->in_set[0] = r->in_set[1] = 0;
    walk(r, block);
}

/* ---- at the borders of blocks ---- */

typedef struct priced {
    double cost;
    uint32_t cell;
} priced;

static int dearer_first(const void *a, const void *b)
{
    const priced *x = a, *y = b;

    if (x->cost != y->cost) {
        return x->cost > y->cost ? -1 : 1;
    }
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static void relieve_borders(reliever *r, uint32_t most)
{
    wr_alloc *alloc = r->alloc;
    uint32_t cells = r->live->cells;
    uint32_t *order = wr_pool_alloc(alloc->pool, cells, sizeof *order);
    priced *by_cost = wr_pool_alloc(alloc->pool, cells, sizeof *by_cost);
    const wr_live *live;

    for (uint32_t cell = 0; cell < cells; cell++) {
        by_cost[cell] = (priced){alloc->groups[alloc->group_of[cell]].cost, cell};
    }
    qsort(by_cost, cells, sizeof *by_cost, dearer_first);
    for (uint32_t i = 0; i < cells; i++) {
        order[i] = by_cost[i].cell;
    }
    live = wr_live_build_most(alloc->ir, alloc->cfg, alloc->pool, most, order);
    for (uint32_t cell = 0; cell < cells; cell++) {
        if (live->left_out[cell]) {
            r->spill[alloc->group_of[cell]] = true;
        }
    }
}

bool wr_alloc_relieve(wr_alloc *alloc)
{
    wr_ir *ir = alloc->ir;
    wr_pool *pool = alloc->pool;
    uint32_t most = CROWDED * (alloc->max_regs + WR_ISA_PREDS) / 4, n = ir->block_count;
    reliever r = {.alloc = alloc, .live = wr_live_build_most(ir, alloc->cfg, pool, most, NULL)};
    const uint32_t *order;
    const wr_remat *remat;
    bool crowded = r.live->left_out_count > 0, any = false;

    r.set = wr_cell_set_new(pool, r.live->cells);
    for (uint32_t b = 0; !crowded && b < n; b++) {
        crowded = ir->blocks[b].reachable && is_crowded(&r, b);
    }
    if (!crowded) {
        return false;
    }
    if (!alloc->sunk) {
        alloc->sunk = true;
        wr_alloc_sink(alloc, r.live);
        return true;
    }
    wr_alloc_groups(alloc);
    remat = wr_remat_new(alloc, r.live);
    wr_alloc_mark_rebuilt(alloc, remat);
    r.spill = wr_pool_alloc(pool, alloc->group_count, sizeof *r.spill);
    if (r.live->left_out_count > 0) {
        relieve_borders(&r, most);
    } else {
        r.next = wr_pool_alloc(pool, r.live->cells, sizeof *r.next);
        order = wr_alloc_by_depth(alloc);
        for (uint32_t k = 0; k < n; k++) {
            if (ir->blocks[order[k]].reachable) {
                relieve_block(&r, order[k]);
            }
        }
    }
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        any = any || r.spill[g];
    }
    if (any) {
        wr_alloc_spill(alloc, remat, r.spill);
    }
    return any;
}
