/* SPDX-License-Identifier: Apache-2.0 */
/* Post-dominators are the dominators of the reversed graph, whose root is a virtual exit node that
 * every block without successors leads to. A block from which the exit can't be reached (an
 * endless loop) is tied to the exit as well, so that every branch has a reconvergence point.
 *
 * Natural loops: a back edge goes to a block that dominates its source; the loop is what reaches
 * the source without passing the header. Loops of one header are one loop.
 */
#include "shell/compiler/cfg.h"

#include <string.h>

#include "shell/compiler/graph.h"
#include "shell/isa/table.h"

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
    for (uint32_t b = 0; b < n; b++) {
        cfg->dom_first[b] = n + b; /* unreachable: by itself */
    }
    for (uint32_t b = 0; b < n; b++) {
        cfg->dom_end[b] = n + b + 1;
    }
    for (uint32_t i = cfg->order_count; i-- > 0;) {
        uint32_t b = cfg->order[i];

        size[b]++;
        if (i > 0) {
            size[cfg->idom[b]] += size[b];
        }
    }
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i];

        cfg->dom_first[b] = i == 0 ? 0 : next[cfg->idom[b]];
        cfg->dom_end[b] = cfg->dom_first[b] + size[b];
        if (i > 0) {
            next[cfg->idom[b]] += size[b];
        }
        next[b] = cfg->dom_first[b] + 1;
    }
}

static void fill_preds(wr_ir *ir, const wr_graph *back)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        ir->blocks[b].preds = back->to + back->first[b];
        ir->blocks[b].pred_count = back->first[b + 1] - back->first[b];
    }
}

/* The block holds a barrier, or (`lanes`) an instruction across lanes. */
static bool holds_meeting(const wr_ir_block *block, bool lanes)
{
    for (uint32_t i = 0; i < block->insns.count; i++) {
        uint16_t op = block->insns.at[i].m.op;

        if (lanes ? wr_isa_rows[op].cls == WR_CLASS_WARP : op == WR_OP_BAR_PP || op == WR_OP_BAR) {
            return true;
        }
    }
    return false;
}

/* The blocks from whose start such a meeting may still come. */
static bool *before_meetings(wr_ir *ir, const wr_cfg *cfg, bool lanes)
{
    bool *before = wr_pool_alloc(ir->pool, ir->block_count, sizeof *before);
    uint32_t *stack = wr_pool_alloc(ir->pool, ir->block_count, sizeof *stack), depth = 0;

    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i];

        before[b] = holds_meeting(&ir->blocks[b], lanes);
        if (before[b]) {
            stack[depth++] = b;
        }
    }
    while (depth > 0) {
        const wr_ir_block *block = &ir->blocks[stack[--depth]];

        for (uint32_t k = 0; k < block->pred_count; k++) {
            uint32_t pred = block->preds[k];

            if (before[pred] || !ir->blocks[pred].reachable) {
                continue;
            }
            before[pred] = true;
            stack[depth++] = pred;
        }
    }
    return before;
}

/* How much a block looks like the one at which a loop ends: 0; where a way leads from it out of
 * `keep` more, the most where it is also a loop's head or latch, and of these of the outermost. */
static uint64_t loop_end(const wr_ir *ir, const wr_cfg *cfg, const bool *keep, uint32_t b)
{
    const wr_ir_block *block = &ir->blocks[b];
    bool leaves = false, loops = false;

    for (uint32_t k = 0; k < block->succ_count; k++) {
        leaves = leaves || (keep && !keep[block->succ[k]]);
        loops = loops || wr_cfg_dominates(cfg, block->succ[k], b);
    }
    for (uint32_t k = 0; k < block->pred_count; k++) {
        loops = loops || (ir->blocks[block->preds[k]].reachable &&
                          wr_cfg_dominates(cfg, b, block->preds[k]));
    }
    if (!leaves) {
        return 0;
    }
    return loops ? 2 + (uint64_t)(UINT32_MAX - cfg->loop_depth[b]) : 1;
}

/* From `stuck`, which can't reach the exit: `loop` numbers the blocks of a loop that no way leads
 * out of, and is NO_BLOCK for all others. */
static void find_last_loop(wr_pool *pool, const wr_edges *e, uint32_t nodes, uint32_t stuck,
                           uint32_t *loop)
{
    wr_graph forward = wr_graph_new(pool, nodes, stuck, e, false);
    wr_graph back = wr_graph_new(pool, nodes, stuck, e, true);
    uint32_t *order = wr_pool_alloc(pool, nodes, sizeof *order);
    uint32_t *reaching = wr_pool_alloc(pool, nodes, sizeof *reaching);
    uint32_t below = stuck;

    while (below != WR_IR_NO_BLOCK) { /* down, while something below does not lead back */
        uint32_t count;

        forward.root = back.root = below;
        below = WR_IR_NO_BLOCK;
        (void)wr_graph_order(pool, &back, order, reaching);
        count = wr_graph_order(pool, &forward, order, loop);
        while (count-- > 0 && below == WR_IR_NO_BLOCK) {
            if (reaching[order[count]] == WR_IR_NO_BLOCK) {
                below = order[count];
            }
        }
    }
}

/* Immediate post-dominators in the graph of the blocks in `keep` (NULL: all); the exit is
 * block_count. Loops without an end in this graph, from which no other such loop is reached, are
 * tied to the exit: at the loop's end in the whole graph, else at the last block of the order. */
static uint32_t *postdominators(wr_ir *ir, wr_cfg *cfg, const bool *keep)
{
    uint32_t nodes = ir->block_count + 1, exit = ir->block_count;
    uint32_t *order = wr_pool_alloc(ir->pool, nodes, sizeof *order);
    uint32_t *number = wr_pool_alloc(ir->pool, nodes, sizeof *number);
    uint32_t *idom = wr_pool_alloc(ir->pool, nodes, sizeof *idom);
    wr_edges e = {0};
    wr_graph forward, back;

    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i], kept = 0;

        if (keep && !keep[b]) {
            continue;
        }
        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++) {
            if (keep && !keep[ir->blocks[b].succ[k]]) {
                continue;
            }
            wr_edges_add(ir->pool, &e, b, ir->blocks[b].succ[k]);
            kept++;
        }
        if (kept == 0) {
            wr_edges_add(ir->pool, &e, b, exit);
        }
    }
    for (;;) {
        uint32_t stuck = WR_IR_NO_BLOCK, end = WR_IR_NO_BLOCK;

        back = wr_graph_new(ir->pool, nodes, exit, &e, true);
        wr_graph_order(ir->pool, &back, order, number);
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            if (number[cfg->order[i]] == WR_IR_NO_BLOCK && (!keep || keep[cfg->order[i]])) {
                stuck = cfg->order[i];
            }
        }
        if (stuck == WR_IR_NO_BLOCK) {
            break;
        }
        find_last_loop(ir->pool, &e, nodes, stuck, number);
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            uint32_t b = cfg->order[i];

            if (number[b] != WR_IR_NO_BLOCK &&
                (end == WR_IR_NO_BLOCK ||
                 loop_end(ir, cfg, keep, b) >= loop_end(ir, cfg, keep, end))) {
                end = b;
            }
        }
        wr_edges_add(ir->pool, &e, end, exit);
        cfg->tied = true;
    }
    forward = wr_graph_new(ir->pool, nodes, exit, &e, false);
    wr_graph_dominators(&back, &forward, idom);
    return idom;
}

/* Lanes that meet at `block` only end there, or at different places (the exit). */
static bool is_end(const wr_ir *ir, uint32_t block)
{
    return block == ir->block_count ||
           (ir->blocks[block].insns.count == 1 && ir->blocks[block].insns.at[0].m.op == WR_OP_EXIT);
}

/* Lanes that leave before a barrier must not hold back those that go on to it: they go on
 * together, or the barrier would find its warp in parts. So where the ways from a branch to a
 * barrier meet counts, and not a return that some lanes take: these run to their end and drop
 * out of the stack. The same holds for a shuffle or vote, whose mask may name all lanes that
 * live: those that return must have ended by then. Where they would meet the others for more than
 * to end, they wait for them there as ever. */
static void find_joins(wr_ir *ir, wr_cfg *cfg)
{
    uint32_t exit = ir->block_count;
    const uint32_t *all = postdominators(ir, cfg, NULL);

    for (uint32_t b = 0; b < ir->block_count; b++) {
        cfg->ipdom[b] = all[b] >= exit ? WR_IR_NO_BLOCK : all[b];
        cfg->join[b] = cfg->ipdom[b];
    }
    for (unsigned lanes = 2; lanes-- > 0;) {
        const bool *before = before_meetings(ir, cfg, lanes != 0);
        const uint32_t *part = postdominators(ir, cfg, before);

        for (uint32_t b = 0; b < ir->block_count; b++) {
            bool meeting_comes = false;

            for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++) {
                meeting_comes = meeting_comes || before[ir->blocks[b].succ[k]];
            }
            if (meeting_comes && part[b] < exit && (lanes == 0 || is_end(ir, all[b]))) {
                cfg->join[b] = part[b];
            }
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        if (ir->blocks[b].late != 0) {
            cfg->join[b] =
                ir->blocks[b].late == WR_IR_NO_BLOCK ? WR_IR_NO_BLOCK : ir->blocks[b].late - 1;
        }
    }
}

typedef struct loops {
    const wr_ir *ir;
    wr_cfg *cfg;
    uint32_t *around; /* by block: the outermost loop found so far that holds it, or nearer to it */
    uint32_t *outer;  /* by head: of the loop right around, or NO_BLOCK */
    uint32_t *stack, depth;
} loops;

/* The head of the outermost loop found so far around the block, or the block. */
static uint32_t outermost(const loops *l, uint32_t b)
{
    uint32_t top = b;

    while (l->around[top] != top) {
        top = l->around[top];
    }
    while (l->around[b] != top) {
        uint32_t next = l->around[b];

        l->around[b] = top;
        b = next;
    }
    return top;
}

/* What reaches `from` belongs to the loop of `head`, whole loops at once. */
static void take(loops *l, uint32_t head, uint32_t from)
{
    uint32_t b = outermost(l, from);

    if (b == head || !l->ir->blocks[b].reachable) {
        return;
    }
    if (l->cfg->loop_head[b] == b) {
        l->cfg->inner_head[head] = false;
        l->outer[b] = head;
    } else {
        l->cfg->loop_head[b] = head;
    }
    l->around[b] = head;
    l->stack[l->depth++] = b;
}

static void find_loop(loops *l, uint32_t head)
{
    const wr_ir_block *block = &l->ir->blocks[head];
    bool any = false;

    for (uint32_t k = 0; k < block->pred_count; k++) {
        uint32_t latch = block->preds[k];

        if (!l->ir->blocks[latch].reachable || !wr_cfg_dominates(l->cfg, head, latch)) {
            continue;
        }
        if (!any) {
            l->cfg->loop_head[head] = head;
            l->cfg->inner_head[head] = true;
        }
        any = true;
        take(l, head, latch);
    }
    while (l->depth > 0) {
        const wr_ir_block *member = &l->ir->blocks[l->stack[--l->depth]];

        for (uint32_t k = 0; k < member->pred_count; k++) {
            take(l, head, member->preds[k]);
        }
    }
}

/* Inner headers come behind outer ones in reverse post-order, so loops are found from the inside.
 * Two loops share nothing, or one holds the other. */
static void find_loops(const wr_ir *ir, wr_cfg *cfg)
{
    uint32_t n = ir->block_count;
    loops l = {.ir = ir,
               .cfg = cfg,
               .around = wr_pool_alloc(ir->pool, n, sizeof *l.around),
               .outer = wr_pool_alloc(ir->pool, n, sizeof *l.outer),
               .stack = wr_pool_alloc(ir->pool, n, sizeof *l.stack)};

    memset(l.outer, 0xff, n * sizeof *l.outer);
    for (uint32_t b = 0; b < n; b++) {
        l.around[b] = b;
    }
    for (uint32_t i = cfg->order_count; i-- > 0;) {
        find_loop(&l, cfg->order[i]);
    }
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t b = cfg->order[i], head = cfg->loop_head[b];

        if (head == b) {
            cfg->loop_depth[b] = l.outer[b] == WR_IR_NO_BLOCK ? 1 : cfg->loop_depth[l.outer[b]] + 1;
        } else if (head != WR_IR_NO_BLOCK) {
            cfg->loop_depth[b] = cfg->loop_depth[head];
        }
    }
}

wr_cfg *wr_cfg_build(wr_ir *ir)
{
    wr_pool *pool = ir->pool;
    uint32_t n = ir->block_count;
    wr_cfg *cfg = wr_pool_alloc(pool, 1, sizeof *cfg);
    uint32_t *number = wr_pool_alloc(pool, n, sizeof *number);
    wr_edges e = {0};
    wr_graph forward, back;

    cfg->block_count = n;
    cfg->order = wr_pool_alloc(pool, n, sizeof *cfg->order);
    cfg->idom = wr_pool_alloc(pool, n, sizeof *cfg->idom);
    cfg->ipdom = wr_pool_alloc(pool, n, sizeof *cfg->ipdom);
    cfg->join = wr_pool_alloc(pool, n, sizeof *cfg->join);
    cfg->loop_head = wr_pool_alloc(pool, n, sizeof *cfg->loop_head);
    cfg->loop_depth = wr_pool_alloc(pool, n, sizeof *cfg->loop_depth);
    cfg->inner_head = wr_pool_alloc(pool, n, sizeof *cfg->inner_head);
    memset(cfg->loop_head, 0xff, n * sizeof *cfg->loop_head);

    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t k = 0; k < ir->blocks[b].succ_count; k++) {
            wr_edges_add(pool, &e, b, ir->blocks[b].succ[k]);
        }
    }
    forward = wr_graph_new(pool, n, 0, &e, false);
    back = wr_graph_new(pool, n, 0, &e, true);
    fill_preds(ir, &back);
    cfg->order_count = wr_graph_order(pool, &forward, cfg->order, number);
    for (uint32_t b = 0; b < n; b++) {
        ir->blocks[b].reachable = number[b] != WR_IR_NO_BLOCK;
    }
    wr_graph_dominators(&forward, &back, cfg->idom);
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
