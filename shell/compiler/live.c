/* SPDX-License-Identifier: Apache-2.0 */
/* Backward from each use: a cell is live at the start of the blocks that read it before they write
 * it, and of those from which one of these is reached without a write in between. One cell at a
 * time, so time and memory are those of the lists that come out. A cell for which a list has no
 * room is given up at once; where it was listed by then it stays, so that what was spent on it is
 * bounded by the lists too.
 */
#include "shell/compiler/live.h"

#include <assert.h>

wr_cell_set wr_cell_set_new(wr_pool *pool, uint32_t cells)
{
    return (wr_cell_set){wr_pool_alloc(pool, cells, sizeof(uint32_t)), 0,
                         wr_pool_alloc(pool, cells, sizeof(uint32_t))};
}

void wr_live_step(const wr_ir *ir, const wr_ir_insn *insn, wr_cell_set *set)
{
    wr_ir_refs refs;

    wr_ir_get_refs(ir, insn, &refs);
    if (refs.kills) {
        for (uint32_t i = 0; i < refs.def_count; i++) {
            wr_cell_set_drop(set, refs.defs[i]);
        }
    }
    for (uint32_t i = 0; i < refs.use_count; i++) {
        wr_cell_set_add(set, refs.uses[i]);
    }
}

/* Blocks of a cell, linked. Marks hold the block or cell that set them last, plus one. */
typedef struct node {
    uint32_t block, next; /* next: index + 1 */
} node;

typedef struct builder {
    wr_ir *ir;
    wr_pool *pool;    /* of the result */
    wr_pool *scratch; /* of the rest */
    wr_live *live;
    node *nodes;
    uint32_t count, cap;
    uint32_t *reads, *kills;            /* by cell: its list */
    uint32_t *read_mark, *kill_mark;    /* by cell: the block */
    uint32_t *live_mark, *written_mark; /* by block: the cell */
    uint32_t *stack, depth;
    uint32_t *list_cap; /* by block, of live->in */
    uint32_t most;
} builder;

static void add_node(builder *b, uint32_t *list, uint32_t block)
{
    b->nodes = wr_pool_grow(b->scratch, b->nodes, b->count, &b->cap, sizeof *b->nodes);
    b->nodes[b->count] = (node){block, *list};
    *list = ++b->count;
}

/* What the block reads before writing, and what it writes for certain. */
static void scan(builder *b, uint32_t block)
{
    const wr_ir_list *list = &b->ir->blocks[block].insns;

    for (uint32_t i = 0; i < list->count; i++) {
        wr_ir_refs refs;

        wr_ir_get_refs(b->ir, &list->at[i], &refs);
        for (uint32_t k = 0; k < refs.use_count; k++) {
            uint32_t cell = refs.uses[k];

            if (b->kill_mark[cell] == block + 1 || b->read_mark[cell] == block + 1) {
                continue;
            }
            b->read_mark[cell] = block + 1;
            add_node(b, &b->reads[cell], block);
        }
        for (uint32_t k = 0; refs.kills && k < refs.def_count; k++) {
            uint32_t cell = refs.defs[k];

            if (b->kill_mark[cell] == block + 1) {
                continue;
            }
            b->kill_mark[cell] = block + 1;
            add_node(b, &b->kills[cell], block);
        }
    }
}

static void mark_live(builder *b, uint32_t cell, uint32_t block)
{
    wr_live *live = b->live;

    if (b->live_mark[block] == cell + 1 || live->left_out[cell]) {
        return;
    }
    if (live->in_count[block] == b->most) {
        live->left_out[cell] = true;
        live->left_out_count++;
        b->depth = 0;
        return;
    }
    b->live_mark[block] = cell + 1;
    live->in[block] = wr_pool_grow(b->pool, live->in[block], live->in_count[block],
                                   &b->list_cap[block], sizeof **live->in);
    live->in[block][live->in_count[block]++] = cell;
    b->stack[b->depth++] = block;
}

static void spread(builder *b, uint32_t cell)
{
    assert(b->nodes != NULL || (b->kills[cell] == 0 && b->reads[cell] == 0));
    for (uint32_t n = b->kills[cell]; n != 0; n = b->nodes[n - 1].next) {
        b->written_mark[b->nodes[n - 1].block] = cell + 1;
    }
    for (uint32_t n = b->reads[cell]; n != 0; n = b->nodes[n - 1].next) {
        mark_live(b, cell, b->nodes[n - 1].block);
    }
    while (b->depth > 0) {
        const wr_ir_block *block = &b->ir->blocks[b->stack[--b->depth]];

        for (uint32_t k = 0; k < block->pred_count; k++) {
            uint32_t pred = block->preds[k];

            if (b->ir->blocks[pred].reachable && b->written_mark[pred] != cell + 1) {
                mark_live(b, cell, pred);
            }
        }
    }
}

static uint32_t *numbers(const builder *b, uint32_t count)
{
    return wr_pool_alloc(b->scratch, count, sizeof(uint32_t));
}

wr_live *wr_live_build_most(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool, uint32_t most,
                            const uint32_t *order)
{
    wr_live *live = wr_pool_alloc(pool, 1, sizeof *live);
    builder b = {.ir = ir, .pool = pool, .scratch = wr_pool_new(), .live = live, .most = most};

    live->ir = ir;
    live->cells = wr_ir_cells(ir);
    live->left_out = wr_pool_alloc(pool, live->cells, sizeof *live->left_out);
    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    live->in = wr_pool_alloc(pool, ir->block_count, sizeof *live->in);
    live->in_count = wr_pool_alloc(pool, ir->block_count, sizeof *live->in_count);
    b.reads = numbers(&b, live->cells);
    b.kills = numbers(&b, live->cells);
    b.read_mark = numbers(&b, live->cells);
    b.kill_mark = numbers(&b, live->cells);
    b.live_mark = numbers(&b, ir->block_count);
    b.written_mark = numbers(&b, ir->block_count);
    b.stack = numbers(&b, ir->block_count);
    b.list_cap = numbers(&b, ir->block_count);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        scan(&b, cfg->order[k]);
    }
    for (uint32_t i = 0; i < live->cells; i++) {
        spread(&b, order != NULL ? order[i] : i);
    }
    wr_pool_free(b.scratch);
    return live;
}

wr_live *wr_live_build(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool)
{
    return wr_live_build_most(ir, cfg, pool, WR_LIVE_MOST, NULL);
}

static void add_list(const wr_live *live, uint32_t block, wr_cell_set *set)
{
    for (uint32_t i = 0; i < live->in_count[block]; i++) {
        wr_cell_set_add(set, live->in[block][i]);
    }
    for (uint32_t cell = 0; live->left_out_count > 0 && cell < live->cells; cell++) {
        if (live->left_out[cell]) {
            wr_cell_set_add(set, cell);
        }
    }
}

void wr_live_in(const wr_live *live, uint32_t block, wr_cell_set *set)
{
    set->count = 0;
    add_list(live, block, set);
}

void wr_live_out(const wr_live *live, uint32_t block, wr_cell_set *set)
{
    const wr_ir_block *b = &live->ir->blocks[block];

    set->count = 0;
    for (uint32_t k = 0; k < b->succ_count; k++) {
        add_list(live, b->succ[k], set);
    }
}

bool wr_live_has_in(const wr_live *live, uint32_t block, uint32_t cell)
{
    const uint32_t *list = live->in[block];
    uint32_t low = 0, high = live->in_count[block];

    if (live->left_out[cell]) {
        return true;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list[middle] == cell) {
            return true;
        }
        if (list[middle] < cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

bool wr_live_has_out(const wr_live *live, uint32_t block, uint32_t cell)
{
    const wr_ir_block *b = &live->ir->blocks[block];

    for (uint32_t k = 0; k < b->succ_count; k++) {
        if (wr_live_has_in(live, b->succ[k], cell)) {
            return true;
        }
    }
    return false;
}
