/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks hang below their joins in a tree, the exit at its root. Where every edge from a block
 * leads to its join or to below it, all of a region hangs below the branch's join, and of two
 * regions that hold a block the one with the higher join holds all that the other can still reach
 * from there. So a block is walked through again only for a higher join than before.
 *
 * Lanes that part again on the way wait for each other at the join of that branch, unless they run
 * to their end; so they come to where the branch leads without its join, through outer joins too.
 *
 * Edges that lead elsewhere, to where lanes end without a barrier that others go on to, do not
 * come back to the join: behind them there is none.
 */
#include "shell/compiler/regions.h"

#include <string.h>

struct wr_regions_visit {
    uint32_t block, stop;
};

static uint32_t *numbers(wr_pool *pool, uint32_t count)
{
    return wr_pool_alloc(pool, count, sizeof(uint32_t));
}

/* Fills depth. `above` is the join; where joins lead in a circle, one has the exit above it. */
static void find_depths(wr_regions *r, uint32_t *above, uint32_t *path)
{
    uint32_t n = r->ir->block_count;
    bool *seen = wr_pool_alloc(r->pool, n, sizeof *seen);

    for (uint32_t b = 0; b < n; b++) {
        above[b] = r->ir->blocks[b].reachable ? r->cfg->join[b] : WR_IR_NO_BLOCK;
    }
    for (uint32_t b = 0; b < n; b++) {
        uint32_t count = 0, at = b;

        while (at != WR_IR_NO_BLOCK && !seen[at]) {
            seen[at] = true;
            path[count++] = at;
            at = above[at];
        }
        if (count > 0 && at != WR_IR_NO_BLOCK && r->depth[at] == 0) {
            above[path[count - 1]] = WR_IR_NO_BLOCK;
        }
        while (count > 0) {
            at = path[--count];
            r->depth[at] = above[at] == WR_IR_NO_BLOCK ? 1 : r->depth[above[at]] + 1;
        }
    }
}

static void sort_by_depth(wr_regions *r)
{
    uint32_t n = r->ir->block_count, *begin = numbers(r->pool, n + 2);

    for (uint32_t b = 0; b < n; b++) {
        begin[r->depth[b] + 1]++;
    }
    for (uint32_t d = 0; d <= n; d++) {
        begin[d + 1] += begin[d];
    }
    for (uint32_t b = 0; b < n; b++) {
        r->order[begin[r->depth[b]]++] = b;
    }
}

static void number_tree(wr_regions *r, const uint32_t *above)
{
    uint32_t n = r->ir->block_count, *size = numbers(r->pool, n), *next = numbers(r->pool, n);
    uint32_t roots = 0;

    for (uint32_t i = n; i-- > 0;) {
        uint32_t b = r->order[i];

        size[b]++;
        if (above[b] != WR_IR_NO_BLOCK) {
            size[above[b]] += size[b];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = r->order[i], *from = above[b] == WR_IR_NO_BLOCK ? &roots : &next[above[b]];

        r->first[b] = *from;
        *from += size[b];
        r->end[b] = *from;
        next[b] = r->first[b] + 1;
    }
}

wr_regions *wr_regions_new(wr_pool *pool, const wr_ir *ir, const wr_cfg *cfg)
{
    uint32_t n = ir->block_count, *above = numbers(pool, n);
    wr_regions *r = wr_pool_alloc(pool, 1, sizeof *r);

    *r = (wr_regions){.ir = ir,
                      .cfg = cfg,
                      .order = numbers(pool, n),
                      .depth = numbers(pool, n),
                      .first = numbers(pool, n),
                      .end = numbers(pool, n),
                      .reach = numbers(pool, n),
                      .parted = wr_pool_alloc(pool, n, sizeof *r->parted),
                      .pool = pool};
    find_depths(r, above, numbers(pool, n));
    sort_by_depth(r);
    number_tree(r, above);
    wr_regions_clear(r);
    return r;
}

void wr_regions_clear(wr_regions *r)
{
    memset(r->reach, 0xff, r->ir->block_count * sizeof *r->reach);
    memset(r->parted, 0, r->ir->block_count * sizeof *r->parted);
}

/* Lanes come to `block` that wait for others at `stop`; returns whether that is new. */
static bool visit(wr_regions *r, uint32_t block, uint32_t stop)
{
    uint32_t reach = 0;
    bool grows;

    if (block == stop) {
        return false;
    }
    if (stop != WR_IR_NO_BLOCK && r->first[stop] < r->first[block] &&
        r->first[block] < r->end[stop]) {
        reach = r->depth[stop];
    } else {
        stop = WR_IR_NO_BLOCK;
    }
    if (r->reach[block] <= reach) {
        return false;
    }
    grows = r->reach[block] == WR_REGIONS_OUTSIDE;
    r->reach[block] = reach;
    r->stack = wr_pool_grow(r->pool, r->stack, r->stack_count, &r->stack_cap, sizeof *r->stack);
    r->stack[r->stack_count++] = (struct wr_regions_visit){block, stop};
    return grows;
}

bool wr_regions_add(wr_regions *r, uint32_t block)
{
    const wr_ir_block *from = &r->ir->blocks[block];
    uint32_t stop = r->cfg->join[block];
    bool grows = false;

    for (uint32_t k = 0; k < from->succ_count; k++) {
        grows = visit(r, from->succ[k], stop) || grows;
    }
    while (r->stack_count > 0) {
        struct wr_regions_visit v = r->stack[--r->stack_count];
        const wr_ir_block *b = &r->ir->blocks[v.block];
        bool parts = b->succ_count == 2 && !r->parted[v.block];

        r->parted[v.block] = r->parted[v.block] || parts;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            grows = visit(r, b->succ[k], v.stop) || grows;
            if (parts) {
                grows = visit(r, b->succ[k], r->cfg->join[v.block]) || grows;
            }
        }
    }
    return grows;
}
