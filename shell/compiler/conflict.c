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

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t hash_slot(const wr_conflicts *c, uint64_t key)
{
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (c->seen_cap - 1);

    /* 0 marks an empty slot: keys are stored plus one. */
    while (c->seen[slot] != 0 && c->seen[slot] != key + 1)
        slot = (slot + 1) & (c->seen_cap - 1);
    return slot;
}

static void grow_hash(wr_pool *pool, wr_conflicts *c)
{
    uint64_t *old = c->seen;
    uint32_t old_cap = c->seen_cap;

    c->seen_cap = old_cap == 0 ? 1024 : old_cap * 2;
    c->seen = wr_pool_alloc(pool, c->seen_cap, sizeof *c->seen);
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i] != 0)
            c->seen[hash_slot(c, old[i] - 1)] = old[i];
}

static void list_conflict(wr_pool *pool, wr_conflicts *c, uint32_t a, uint32_t b)
{
    c->with[a] = wr_pool_grow(pool, c->with[a], c->count[a], &c->cap[a], sizeof **c->with);
    c->with[a][c->count[a]++] = b;
}

static void add_conflict(wr_alloc *alloc, uint32_t a, uint32_t b)
{
    wr_conflicts *c = &alloc->conflicts;
    uint64_t key = pair_key(a, b);
    bool a_pred = a >= alloc->ir->word_count, b_pred = b >= alloc->ir->word_count;
    uint32_t slot;

    if (a == b || a_pred != b_pred)
        return;
    if (c->seen_count * 2 >= c->seen_cap)
        grow_hash(alloc->ir->pool, c);
    slot = hash_slot(c, key);
    if (c->seen[slot] != 0)
        return;
    c->seen[slot] = key + 1;
    c->seen_count++;
    list_conflict(alloc->ir->pool, c, a, b);
    list_conflict(alloc->ir->pool, c, b, a);
}

bool wr_alloc_conflict(const wr_alloc *alloc, uint32_t a, uint32_t b)
{
    const wr_conflicts *c = &alloc->conflicts;

    return c->seen_cap != 0 && c->seen[hash_slot(c, pair_key(a, b))] != 0;
}

/* Cell `i` of the copy's source that goes with definition i. */
static uint32_t copy_source(const wr_ir_insn *insn, const wr_ir_refs *refs, uint32_t i)
{
    bool copy = wr_ir_is_move(insn) && insn->src[0].kind == WR_IR_REG;

    return copy ? refs->uses[i] : UINT32_MAX;
}

static void insn_conflicts(wr_alloc *alloc, const wr_ir_insn *insn, const uint64_t *behind,
                           uint32_t row)
{
    wr_ir_refs refs;

    wr_ir_get_refs(alloc->ir, insn, &refs);
    for (uint32_t d = 0; d < refs.def_count; d++) {
        uint32_t source = copy_source(insn, &refs, d);

        for (uint32_t w = 0; w < row; w++) {
            for (uint64_t rest = behind[w]; rest != 0; rest &= rest - 1) {
                uint32_t cell = w * 64 + (uint32_t)__builtin_ctzll(rest);

                if (cell != source)
                    add_conflict(alloc, refs.defs[d], cell);
            }
        }
        for (uint32_t k = 0; k < d; k++)
            add_conflict(alloc, refs.defs[d], refs.defs[k]);
    }
}

void wr_alloc_conflicts(wr_alloc *alloc, const wr_live *live)
{
    wr_ir *ir = alloc->ir;
    wr_conflicts *c = &alloc->conflicts;
    uint64_t *set = wr_pool_alloc(ir->pool, live->row, sizeof *set);

    memset(c, 0, sizeof *c);
    c->with = wr_pool_alloc(ir->pool, live->cells, sizeof *c->with);
    c->count = wr_pool_alloc(ir->pool, live->cells, sizeof *c->count);
    c->cap = wr_pool_alloc(ir->pool, live->cells, sizeof *c->cap);
    for (uint32_t k = 0; k < alloc->cfg->order_count; k++) {
        uint32_t b = alloc->cfg->order[k];
        const wr_ir_list *list = &ir->blocks[b].insns;

        wr_live_out(live, b, set);
        for (uint32_t i = list->count; i-- > 0;) {
            insn_conflicts(alloc, &list->at[i], set, live->row);
            wr_live_step(ir, &list->at[i], set);
        }
    }
}

/* ---- groups ---- */

static void add_cell(wr_alloc *alloc, uint32_t group, uint32_t cell, uint32_t pos)
{
    wr_group *g = &alloc->groups[group];

    g->cells = wr_pool_grow(alloc->ir->pool, g->cells, g->count, &g->cap, sizeof *g->cells);
    g->cells[g->count++] = cell;
    alloc->group_of[cell] = group;
    alloc->pos[cell] = (uint8_t)pos;
    if (pos + 1 > g->span)
        g->span = pos + 1;
}

static void add_costs(wr_alloc *alloc)
{
    const wr_ir *ir = alloc->ir;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        double weight = 1;

        for (uint32_t d = 0; d < alloc->cfg->loop_depth[b] && d < 8; d++)
            weight *= 10;
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_refs refs;

            wr_ir_get_refs(ir, &ir->blocks[b].insns.at[i], &refs);
            for (uint32_t k = 0; k < refs.use_count; k++)
                alloc->groups[alloc->group_of[refs.uses[k]]].cost += weight;
            for (uint32_t k = 0; k < refs.def_count; k++)
                alloc->groups[alloc->group_of[refs.defs[k]]].cost += weight;
        }
    }
}

void wr_alloc_groups(wr_alloc *alloc)
{
    wr_ir *ir = alloc->ir;
    uint32_t cells = wr_ir_cells(ir);

    alloc->group_count = ir->reg_count + ir->pred_count;
    alloc->groups = wr_pool_alloc(ir->pool, alloc->group_count, sizeof *alloc->groups);
    alloc->group_of = wr_pool_alloc(ir->pool, cells, sizeof *alloc->group_of);
    alloc->pos = wr_pool_alloc(ir->pool, cells, sizeof *alloc->pos);
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        alloc->groups[r].align = ir->regs[r].words;
        alloc->groups[r].must_stay = ir->regs[r].spill_temp;
        for (uint32_t w = 0; w < ir->regs[r].words; w++)
            add_cell(alloc, r, ir->regs[r].word0 + w, w);
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

/* Group b can lie in group a with its position 0 at position `shift` of a. */
static bool can_merge(const wr_alloc *alloc, uint32_t a, uint32_t b, uint32_t shift)
{
    const wr_group *ga = &alloc->groups[a], *gb = &alloc->groups[b];
    uint32_t align = ga->align > gb->align ? ga->align : gb->align;
    uint32_t span = shift + gb->span > ga->span ? shift + gb->span : ga->span;

    if (shift % gb->align != 0 || span > align || ga->must_stay || gb->must_stay)
        return false;
    for (uint32_t i = 0; i < ga->count; i++)
        for (uint32_t k = 0; k < gb->count; k++)
            if (alloc->pos[ga->cells[i]] == alloc->pos[gb->cells[k]] + shift &&
                wr_alloc_conflict(alloc, ga->cells[i], gb->cells[k]))
                return false;
    return true;
}

static void merge(wr_alloc *alloc, uint32_t a, uint32_t b, uint32_t shift)
{
    wr_group *ga = &alloc->groups[a], *gb = &alloc->groups[b];

    for (uint32_t k = 0; k < gb->count; k++)
        add_cell(alloc, a, gb->cells[k], alloc->pos[gb->cells[k]] + shift);
    if (gb->align > ga->align)
        ga->align = gb->align;
    ga->cost += gb->cost;
    gb->gone = true;
}

static void coalesce_copy(wr_alloc *alloc, const wr_ir_insn *insn)
{
    wr_ir_refs refs;
    uint32_t a, b, pos_a, pos_b;

    if (!wr_ir_is_move(insn) || insn->src[0].kind != WR_IR_REG || insn->dst.kind != WR_IR_REG)
        return;
    wr_ir_get_refs(alloc->ir, insn, &refs);
    a = alloc->group_of[refs.defs[0]];
    b = alloc->group_of[refs.uses[0]];
    pos_a = alloc->pos[refs.defs[0]];
    pos_b = alloc->pos[refs.uses[0]];
    if (a == b)
        return;
    if (pos_a >= pos_b && can_merge(alloc, a, b, pos_a - pos_b))
        merge(alloc, a, b, pos_a - pos_b);
    else if (pos_b >= pos_a && can_merge(alloc, b, a, pos_b - pos_a))
        merge(alloc, b, a, pos_b - pos_a);
}

/* Copies in the deepest loops first: they are worth most. */
void wr_alloc_coalesce(wr_alloc *alloc)
{
    const wr_ir *ir = alloc->ir;
    uint32_t deepest = 0;

    for (uint32_t b = 0; b < ir->block_count; b++)
        if (alloc->cfg->loop_depth[b] > deepest)
            deepest = alloc->cfg->loop_depth[b];
    for (uint32_t depth = deepest + 1; depth-- > 0;)
        for (uint32_t b = 0; b < ir->block_count; b++)
            for (uint32_t i = 0;
                 alloc->cfg->loop_depth[b] == depth && i < ir->blocks[b].insns.count; i++)
                coalesce_copy(alloc, &ir->blocks[b].insns.at[i]);
}
