/* Dominators by the iteration of Cooper, Harvey and Kennedy over reverse post-order; the same
 * code gives post-dominators on the reversed graph, whose root is a virtual exit node that
 * every block without successors leads to. A block from which the exit can't be reached (an
 * endless loop) is tied to the exit as well, so that every branch has a reconvergence point.
 *
 * Natural loops: a back edge goes to a block that dominates its source; the loop is what reaches
 * the source without passing the header. Loops of one header are one loop.
 */
#include "shell/compiler/cfg.h"

#include <string.h>

/* A graph in compressed rows. */
typedef struct graph {
    uint32_t nodes, root;
    uint32_t *first; /* nodes + 1 */
    uint32_t *to;
} graph;

typedef struct edges {
    uint32_t (*at)[2];
    uint32_t count, cap;
} edges;

static void add_edge(wr_pool *pool, edges *e, uint32_t from, uint32_t to)
{
    e->at = wr_pool_grow(pool, e->at, e->count, &e->cap, sizeof *e->at);
    e->at[e->count][0] = from;
    e->at[e->count][1] = to;
    e->count++;
}

static graph make_graph(wr_pool *pool, uint32_t nodes, uint32_t root, const edges *e, int reversed)
{
    graph g = {nodes, root, wr_pool_alloc(pool, nodes + 1, sizeof(uint32_t)),
               wr_pool_alloc(pool, e->count, sizeof(uint32_t))};
    uint32_t *fill = wr_pool_alloc(pool, nodes, sizeof *fill);
    unsigned from = reversed ? 1 : 0;

    for (uint32_t i = 0; i < e->count; i++)
        g.first[e->at[i][from] + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        g.first[n + 1] += g.first[n];
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t n = e->at[i][from];

        g.to[g.first[n] + fill[n]++] = e->at[i][1 - from];
    }
    return g;
}

/* Reverse post-order of what the root reaches; returns how many. Iterative: kernels may be
 * deep. `number[n]` becomes the place of n, or NO_BLOCK. */
static uint32_t reverse_postorder(wr_pool *pool, const graph *g, uint32_t *order, uint32_t *number)
{
    uint32_t *stack = wr_pool_alloc(pool, g->nodes, sizeof *stack);
    uint32_t *next = wr_pool_alloc(pool, g->nodes, sizeof *next);
    uint32_t depth = 0, found = 0;

    memset(number, 0xff, g->nodes * sizeof *number);
    stack[depth++] = g->root;
    number[g->root] = 0;
    while (depth > 0) {
        uint32_t n = stack[depth - 1];

        if (g->first[n] + next[n] < g->first[n + 1]) {
            uint32_t s = g->to[g->first[n] + next[n]++];

            if (number[s] == WR_IR_NO_BLOCK) {
                number[s] = 0;
                stack[depth++] = s;
            }
        } else {
            order[found++] = n;
            depth--;
        }
    }
    for (uint32_t i = 0; i < found / 2; i++) {
        uint32_t n = order[i];

        order[i] = order[found - 1 - i];
        order[found - 1 - i] = n;
    }
    for (uint32_t i = 0; i < found; i++)
        number[order[i]] = i;
    return found;
}

static uint32_t meet(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] > number[b])
            a = idom[a];
        while (number[b] > number[a])
            b = idom[b];
    }
    return a;
}

static void dominators(const graph *back, const uint32_t *order, const uint32_t *number,
                       uint32_t found, uint32_t *idom)
{
    bool changed = true;

    memset(idom, 0xff, back->nodes * sizeof *idom);
    idom[order[0]] = order[0];
    while (changed) {
        changed = false;
        for (uint32_t i = 1; i < found; i++) {
            uint32_t n = order[i];
            uint32_t dom = WR_IR_NO_BLOCK;

            for (uint32_t k = back->first[n]; k < back->first[n + 1]; k++) {
                uint32_t p = back->to[k];

                if (number[p] == WR_IR_NO_BLOCK || idom[p] == WR_IR_NO_BLOCK)
                    continue;
                dom = dom == WR_IR_NO_BLOCK ? p : meet(idom, number, dom, p);
            }
            if (idom[n] != dom) {
                idom[n] = dom;
                changed = true;
            }
        }
    }
}

bool wr_cfg_dominates(const wr_cfg *cfg, uint32_t a, uint32_t b)
{
    return cfg->dom_first[a] <= cfg->dom_first[b] && cfg->dom_first[b] < cfg->dom_end[a];
}

/* Numbers the dominator tree's nodes so that each subtree is a range. A node comes before those
 * that it dominates in reverse post-order, so sizes add up backwards and numbers go forwards. */
static void number_dominators(wr_pool *pool, wr_cfg *cfg)
{
    uint32_t n = cfg->block_count;
    uint32_t *size = wr_pool_alloc(pool, n, sizeof *size);
    uint32_t *next = wr_pool_alloc(pool, n, sizeof *next);

    cfg->dom_first = wr_pool_alloc(pool, n, sizeof *cfg->dom_first);
    cfg->dom_end = wr_pool_alloc(pool, n, sizeof *cfg->dom_end);
    for (uint32_t b = 0; b < n; b++)
        cfg->dom_first[b] = n + b; /* unreachable: by itself */
    for (uint32_t b = 0; b < n; b++)
        cfg->dom_end[b] = n + b + 1;
    for (uint32_t i = cfg->order_count; i-- > 0;) {
        uint32_t b = cfg->order[i];

        size[b]++;
        if (i > 0)
            size[cfg->idom[b]] += size[b];
    }
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i];

        cfg->dom_first[b] = i == 0 ? 0 : next[cfg->idom[b]];
        cfg->dom_end[b] = cfg->dom_first[b] + size[b];
        if (i > 0)
            next[cfg->idom[b]] += size[b];
        next[b] = cfg->dom_first[b] + 1;
    }
}

static void fill_preds(wr_ir *ir, const graph *back)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        ir->blocks[b].preds = back->to + back->first[b];
        ir->blocks[b].pred_count = back->first[b + 1] - back->first[b];
    }
}

/* The blocks from whose start a barrier may still come. */
static bool *before_barriers(wr_ir *ir, const wr_cfg *cfg)
{
    bool *before = wr_pool_alloc(ir->pool, ir->block_count, sizeof *before);
    bool changed = false;

    for (uint32_t b = 0; b < ir->block_count; b++)
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            uint16_t op = ir->blocks[b].insns.at[i].m.op;

            before[b] = before[b] || op == WR_OP_BAR_PP || op == WR_OP_BAR;
        }
    do {
        changed = false;
        for (uint32_t i = cfg->order_count; i-- > 0;) {
            const wr_ir_block *block = &ir->blocks[cfg->order[i]];

            for (uint32_t k = 0; k < block->succ_count; k++)
                if (before[block->succ[k]] && !before[cfg->order[i]])
                    changed = before[cfg->order[i]] = true;
        }
    } while (changed);
    return before;
}

/* How much a block looks like the one at which a loop ends: 0, 1 where a way leads from it out of
 * `keep`, 2 where it is also the loop's head or latch. */
static unsigned loop_end(const wr_ir *ir, const wr_cfg *cfg, const bool *keep, uint32_t b)
{
    const wr_ir_block *block = &ir->blocks[b];
    bool leaves = false, loops = false;

    for (uint32_t k = 0; k < block->succ_count; k++) {
        leaves = leaves || (keep && !keep[block->succ[k]]);
        loops = loops || wr_cfg_dominates(cfg, block->succ[k], b);
    }
    for (uint32_t k = 0; k < block->pred_count; k++)
        loops = loops || (ir->blocks[block->preds[k]].reachable &&
                          wr_cfg_dominates(cfg, b, block->preds[k]));
    return leaves ? 1u + loops : 0;
}

/* Immediate post-dominators in the graph of the blocks in `keep` (NULL: all); the exit is
 * block_count. Blocks that can't reach the exit, those of loops without an end in this graph, are
 * tied to it one by one: first the loop's end in the whole graph, else the last of the order. */
static uint32_t *postdominators(wr_ir *ir, const wr_cfg *cfg, const bool *keep)
{
    uint32_t nodes = ir->block_count + 1, exit = ir->block_count;
    uint32_t *order = wr_pool_alloc(ir->pool, nodes, sizeof *order);
    uint32_t *number = wr_pool_alloc(ir->pool, nodes, sizeof *number);
    uint32_t *idom = wr_pool_alloc(ir->pool, nodes, sizeof *idom);
    edges e = {0};
    graph forward, back;
    uint32_t found;

    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i], kept = 0;

        if (keep && !keep[b])
            continue;
        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++) {
            if (keep && !keep[ir->blocks[b].succ[k]])
                continue;
            add_edge(ir->pool, &e, b, ir->blocks[b].succ[k]);
            kept++;
        }
        if (kept == 0)
            add_edge(ir->pool, &e, b, exit);
    }
    for (;;) {
        uint32_t stuck = WR_IR_NO_BLOCK;

        back = make_graph(ir->pool, nodes, exit, &e, 1);
        found = reverse_postorder(ir->pool, &back, order, number);
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            uint32_t b = cfg->order[i];

            if (number[b] == WR_IR_NO_BLOCK && (!keep || keep[b]) &&
                (stuck == WR_IR_NO_BLOCK ||
                 loop_end(ir, cfg, keep, b) >= loop_end(ir, cfg, keep, stuck)))
                stuck = b;
        }
        if (stuck == WR_IR_NO_BLOCK)
            break;
        add_edge(ir->pool, &e, stuck, exit);
    }
    forward = make_graph(ir->pool, nodes, exit, &e, 0);
    dominators(&forward, order, number, found, idom);
    return idom;
}

/* Lanes that leave before a barrier must not hold back those that go on to it: they go on
 * together, or the barrier would find its warp in parts. So where the ways from a branch to a
 * barrier meet counts, and not a return that some lanes take: these run to their end and drop
 * out of the stack. */
static void find_joins(wr_ir *ir, wr_cfg *cfg)
{
    uint32_t exit = ir->block_count;
    const bool *before = before_barriers(ir, cfg);
    const uint32_t *all = postdominators(ir, cfg, NULL);
    const uint32_t *part = postdominators(ir, cfg, before);

    for (uint32_t b = 0; b < ir->block_count; b++) {
        bool barrier_comes = false;

        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++)
            barrier_comes = barrier_comes || before[ir->blocks[b].succ[k]];
        cfg->ipdom[b] = all[b] == exit ? WR_IR_NO_BLOCK : all[b];
        cfg->join[b] = barrier_comes && part[b] < exit ? part[b] : cfg->ipdom[b];
    }
}

/* Marks the loop of the back edge latch -> head in `inside`. */
static void mark_loop(const wr_ir *ir, uint32_t head, uint32_t latch, bool *inside, uint32_t *stack)
{
    uint32_t depth = 0;

    inside[head] = true;
    if (!inside[latch]) {
        inside[latch] = true;
        stack[depth++] = latch;
    }
    while (depth > 0) {
        uint32_t b = stack[--depth];

        for (uint32_t k = 0; k < ir->blocks[b].pred_count; k++) {
            uint32_t p = ir->blocks[b].preds[k];

            if (ir->blocks[p].reachable && !inside[p]) {
                inside[p] = true;
                stack[depth++] = p;
            }
        }
    }
}

static void find_loops(const wr_ir *ir, wr_cfg *cfg)
{
    bool *inside = wr_pool_alloc(ir->pool, ir->block_count, sizeof *inside);
    uint32_t *stack = wr_pool_alloc(ir->pool, ir->block_count, sizeof *stack);

    /* Outer headers come before inner ones in reverse post-order, so the last writer of
     * loop_head is the innermost loop. */
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t head = cfg->order[i];
        bool is_head = false;

        memset(inside, 0, ir->block_count * sizeof *inside);
        for (uint32_t k = 0; k < ir->blocks[head].pred_count; k++) {
            uint32_t latch = ir->blocks[head].preds[k];

            if (ir->blocks[latch].reachable && wr_cfg_dominates(cfg, head, latch)) {
                is_head = true;
                mark_loop(ir, head, latch, inside, stack);
            }
        }
        if (!is_head)
            continue;
        /* What is still written here is the loop around this one. */
        if (cfg->loop_head[head] != WR_IR_NO_BLOCK)
            cfg->inner_head[cfg->loop_head[head]] = false;
        cfg->inner_head[head] = true;
        for (uint32_t b = 0; b < ir->block_count; b++) {
            if (inside[b]) {
                cfg->loop_head[b] = head;
                cfg->loop_depth[b]++;
            }
        }
    }
}

wr_cfg *wr_cfg_build(wr_ir *ir)
{
    wr_pool *pool = ir->pool;
    uint32_t n = ir->block_count;
    wr_cfg *cfg = wr_pool_alloc(pool, 1, sizeof *cfg);
    uint32_t *number = wr_pool_alloc(pool, n, sizeof *number);
    edges e = {0};
    graph forward, back;

    cfg->block_count = n;
    cfg->order = wr_pool_alloc(pool, n, sizeof *cfg->order);
    cfg->idom = wr_pool_alloc(pool, n, sizeof *cfg->idom);
    cfg->ipdom = wr_pool_alloc(pool, n, sizeof *cfg->ipdom);
    cfg->join = wr_pool_alloc(pool, n, sizeof *cfg->join);
    cfg->loop_head = wr_pool_alloc(pool, n, sizeof *cfg->loop_head);
    cfg->loop_depth = wr_pool_alloc(pool, n, sizeof *cfg->loop_depth);
    cfg->inner_head = wr_pool_alloc(pool, n, sizeof *cfg->inner_head);
    memset(cfg->loop_head, 0xff, n * sizeof *cfg->loop_head);

    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++)
            add_edge(pool, &e, b, ir->blocks[b].succ[k]);
    forward = make_graph(pool, n, 0, &e, 0);
    back = make_graph(pool, n, 0, &e, 1);
    fill_preds(ir, &back);
    cfg->order_count = reverse_postorder(pool, &forward, cfg->order, number);
    for (uint32_t b = 0; b < n; b++)
        ir->blocks[b].reachable = number[b] != WR_IR_NO_BLOCK;
    dominators(&back, cfg->order, number, cfg->order_count, cfg->idom);
    number_dominators(pool, cfg);
    find_loops(ir, cfg);
    find_joins(ir, cfg);
    return cfg;
}

bool wr_cfg_may_diverge(const wr_ir *ir, uint32_t block)
{
    const wr_ir_block *b = &ir->blocks[block];

    return b->succ_count == 2 && b->insns.count > 0 &&
           b->insns.at[b->insns.count - 1].guard != WR_IR_NO_REG &&
           !b->insns.at[b->insns.count - 1].m.uniform;
}

void wr_cfg_region(const wr_ir *ir, const wr_cfg *cfg, uint32_t block, bool *inside,
                   uint32_t *stack)
{
    uint32_t depth = 0;

    memset(inside, 0, ir->block_count * sizeof *inside);
    stack[depth++] = block;
    while (depth > 0) {
        uint32_t b = stack[--depth];

        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++) {
            uint32_t s = ir->blocks[b].succ[k];

            if (s != cfg->join[block] && !inside[s]) {
                inside[s] = true;
                stack[depth++] = s;
            }
        }
    }
}
