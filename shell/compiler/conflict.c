/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts between cells, groups, and coalescing.
 *
 * A written cell conflicts with every cell that is live behind the instruction; the source of
 * a copy does not conflict with its destination on account of the copy. Words conflict with
 * words only, predicates with predicates. That liveness of one thread is enough under SIMT is
 * argued in live.h.
 *
 * The words of one register never need an edge: they have different positions in their group.
 */
#include <string.h>

#include "shell/compiler/alloc.h"

/* Lists in the making. Cells are walked twice: to count, and to list. A pair comes once for each
 * definition of either side. */
typedef struct builder {
    wr_alloc *alloc;
    uint32_t *with; /* NULL while counting */
    size_t *first;
    uint32_t *count;
} builder;

static void add_conflict(builder *b, uint32_t one, uint32_t other)
{
    bool one_pred = one >= b->alloc->ir->word_count, other_pred = other >= b->alloc->ir->word_count;

    if (one == other || one_pred != other_pred) {
        return;
    }
    if (b->with != NULL) {
        b->with[b->first[one] + b->count[one]] = other;
        b->with[b->first[other] + b->count[other]] = one;
    }
    b->count[one]++;
    b->count[other]++;
}

/* Cell `i` of the copy's source that goes with definition i. */
static uint32_t copy_source(const wr_ir_insn *insn, const wr_ir_refs *refs, uint32_t i)
{
    bool copy = wr_ir_is_move(insn) && insn->src[0].kind == WR_IR_REG;

    return copy ? refs->uses[i] : UINT32_MAX;
}

static void insn_conflicts(builder *b, const wr_ir_insn *insn, const wr_cell_set *behind)
{
    wr_ir_refs refs;

    wr_ir_get_refs(b->alloc->ir, insn, &refs);
    for (uint32_t d = 0; d < refs.def_count; d++) {
        uint32_t source = copy_source(insn, &refs, d);

        for (uint32_t i = 0; i < behind->count; i++) {
            if (behind->cells[i] != source) {
                add_conflict(b, refs.defs[d], behind->cells[i]);
            }
        }
        for (uint32_t k = 0; k < d; k++) {
            add_conflict(b, refs.defs[d], refs.defs[k]);
        }
    }
}

static void walk(builder *b, const wr_live *live, wr_cell_set *set)
{
    wr_ir *ir = b->alloc->ir;

    memset(b->count, 0, live->cells * sizeof *b->count);
    for (uint32_t k = 0; k < b->alloc->cfg->order_count; k++) {
        uint32_t block = b->alloc->cfg->order[k];
        const wr_ir_list *list = &ir->blocks[block].insns;

        wr_live_out(live, block, set);
        for (uint32_t i = list->count; i-- > 0;) {
            insn_conflicts(b, &list->at[i], set);
            wr_live_step(ir, &list->at[i], set);
        }
    }
}

/* The lists of `b` without what comes twice: handing each pair to its other side, in the order of
 * cells, sorts the lists, and a pair that was the last one handed there is known already. */
static void sort_lists(const builder *b, wr_conflicts *c, uint32_t cells, uint32_t *last)
{
    for (uint32_t cell = 0; cell < cells; cell++) {
        for (uint32_t k = 0; k < b->count[cell]; k++) {
            uint32_t to = b->with[b->first[cell] + k];

            if (last[to] == cell + 1) {
                continue;
            }
            last[to] = cell + 1;
            c->with[c->first[to] + c->count[to]++] = cell;
        }
    }
}

void wr_alloc_conflicts(wr_alloc *alloc, const wr_live *live)
{
    wr_conflicts *c = &alloc->conflicts;
    wr_pool *scratch = wr_pool_new();
    wr_cell_set set = wr_cell_set_new(scratch, live->cells);
    builder b = {.alloc = alloc};
    size_t total = 0;

    c->first = wr_pool_alloc(alloc->pool, live->cells, sizeof *c->first);
    c->count = wr_pool_alloc(alloc->pool, live->cells, sizeof *c->count);
    b.first = c->first;
    b.count = wr_pool_alloc(scratch, live->cells, sizeof *b.count);
    walk(&b, live, &set);
    for (uint32_t cell = 0; cell < live->cells; cell++) {
        c->first[cell] = total;
        total += b.count[cell];
    }
    b.with = wr_pool_alloc(scratch, total, sizeof *b.with);
    c->with = wr_pool_alloc(alloc->pool, total, sizeof *c->with);
    walk(&b, live, &set);
    sort_lists(&b, c, live->cells, wr_pool_alloc(scratch, live->cells, sizeof(uint32_t)));
    wr_pool_free(scratch);
}

/* ---- groups ---- */

static void add_cell(wr_alloc *alloc, uint32_t group, uint32_t cell, uint32_t pos)
{
    wr_group *g = &alloc->groups[group];

    if (g->first == WR_NO_CELL) {
        g->first = cell;
    } else {
        alloc->next[g->last] = cell;
    }
    g->last = cell;
    g->size++;
    alloc->next[cell] = WR_NO_CELL;
    alloc->group_of[cell] = group;
    alloc->pos[cell] = (uint8_t)pos;
    if (pos + 1 > g->span) {
        g->span = pos + 1;
    }
}

/* The blocks, those of the deepest loops first. */
uint32_t *wr_alloc_by_depth(const wr_alloc *alloc)
{
    uint32_t n = alloc->ir->block_count, deepest = 0;
    uint32_t *order = wr_pool_alloc(alloc->pool, n, sizeof *order), *begin;

    for (uint32_t b = 0; b < n; b++) {
        if (alloc->cfg->loop_depth[b] > deepest) {
            deepest = alloc->cfg->loop_depth[b];
        }
    }
    begin = wr_pool_alloc(alloc->pool, (size_t)deepest + 2, sizeof *begin);
    for (uint32_t b = 0; b < n; b++) {
        begin[deepest - alloc->cfg->loop_depth[b] + 1]++;
    }
    for (uint32_t d = 0; d < deepest; d++) {
        begin[d + 1] += begin[d];
    }
    for (uint32_t b = 0; b < n; b++) {
        order[begin[deepest - alloc->cfg->loop_depth[b]]++] = b;
    }
    return order;
}

static void add_costs(wr_alloc *alloc)
{
    const wr_ir *ir = alloc->ir;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        double weight = 1;

        for (uint32_t d = 0; d < alloc->cfg->loop_depth[b] && d < 8; d++) {
            weight *= 10;
        }
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_refs refs;

            wr_ir_get_refs(ir, &ir->blocks[b].insns.at[i], &refs);
            for (uint32_t k = 0; k < refs.use_count; k++) {
                alloc->groups[alloc->group_of[refs.uses[k]]].cost += weight;
            }
            for (uint32_t k = 0; k < refs.def_count; k++) {
                alloc->groups[alloc->group_of[refs.defs[k]]].cost += weight;
            }
        }
    }
}

void wr_alloc_groups(wr_alloc *alloc)
{
    wr_ir *ir = alloc->ir;
    uint32_t cells = wr_ir_cells(ir);

    alloc->group_count = ir->reg_count + ir->pred_count;
    alloc->groups = wr_pool_alloc(alloc->pool, alloc->group_count, sizeof *alloc->groups);
    alloc->group_of = wr_pool_alloc(alloc->pool, cells, sizeof *alloc->group_of);
    alloc->next = wr_pool_alloc(alloc->pool, cells, sizeof *alloc->next);
    alloc->pos = wr_pool_alloc(alloc->pool, cells, sizeof *alloc->pos);
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        alloc->groups[g].first = WR_NO_CELL;
    }
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        alloc->groups[r].align = ir->regs[r].words;
        alloc->groups[r].must_stay = ir->regs[r].spill_temp;
        for (uint32_t w = 0; w < ir->regs[r].words; w++) {
            add_cell(alloc, r, ir->regs[r].word0 + w, w);
        }
    }
    for (uint32_t p = 0; p < ir->pred_count; p++) {
        uint32_t g = ir->reg_count + p;

        alloc->groups[g].align = 1;
        alloc->groups[g].is_pred = true;
        alloc->groups[g].must_stay = p >= ir->pred_temps;
        add_cell(alloc, g, ir->word_count + p, 0);
    }
    add_costs(alloc);
}

/* No cell of `group` conflicts with one of group `other` that comes to lie in the same place when
 * other's position 0 is at `shift` of it. */
static bool fits(const wr_alloc *alloc, const wr_group *group, uint32_t other, int shift)
{
    for (uint32_t cell = group->first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
        uint32_t count;
        const uint32_t *with = wr_alloc_with(alloc, cell, &count);

        for (uint32_t k = 0; k < count; k++) {
            if (alloc->group_of[with[k]] == other &&
                alloc->pos[cell] == alloc->pos[with[k]] + shift) {
                return false;
            }
        }
    }
    return true;
}

/* Group b can lie in group a with its position 0 at position `shift` of a. */
static bool can_merge(const wr_alloc *alloc, uint32_t a, uint32_t b, int shift)
{
    const wr_group *ga = &alloc->groups[a], *gb = &alloc->groups[b];
    uint32_t align = ga->align > gb->align ? ga->align : gb->align;
    uint32_t end = (uint32_t)shift + gb->span, span = end > ga->span ? end : ga->span;

    if ((uint32_t)shift % gb->align != 0 || span > align || ga->must_stay || gb->must_stay) {
        return false;
    }
    return ga->size <= gb->size ? fits(alloc, ga, b, shift) : fits(alloc, gb, a, -shift);
}

static void merge(wr_alloc *alloc, uint32_t a, uint32_t b, int shift)
{
    wr_group *ga = &alloc->groups[a], *gb = &alloc->groups[b];
    uint32_t next;

    for (uint32_t cell = gb->first; cell != WR_NO_CELL; cell = next) {
        next = alloc->next[cell];
        add_cell(alloc, a, cell, alloc->pos[cell] + (uint32_t)shift);
    }
    if (gb->align > ga->align) {
        ga->align = gb->align;
    }
    ga->cost += gb->cost;
    gb->gone = true;
}

static void coalesce_copy(wr_alloc *alloc, const wr_ir_insn *insn)
{
    wr_ir_refs refs;
    uint32_t a, b;
    int shift;

    if (!wr_ir_is_move(insn) || insn->src[0].kind != WR_IR_REG || insn->dst.kind != WR_IR_REG) {
        return;
    }
    wr_ir_get_refs(alloc->ir, insn, &refs);
    a = alloc->group_of[refs.defs[0]];
    b = alloc->group_of[refs.uses[0]];
    if (a == b) {
        return;
    }
    shift = (int)alloc->pos[refs.defs[0]] - (int)alloc->pos[refs.uses[0]];
    if (shift >= 0 && can_merge(alloc, a, b, shift)) {
        merge(alloc, a, b, shift);
    } else if (shift <= 0 && can_merge(alloc, b, a, -shift)) {
        merge(alloc, b, a, -shift);
    }
}

/* Copies in the deepest loops first: they are worth most. */
void wr_alloc_coalesce(wr_alloc *alloc)
{
    const wr_ir *ir = alloc->ir;
    const uint32_t *order = wr_alloc_by_depth(alloc);

    for (uint32_t k = 0; k < ir->block_count; k++) {
        const wr_ir_list *list = &ir->blocks[order[k]].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            coalesce_copy(alloc, &list->at[i]);
        }
    }
}
