/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption points and what a warp must save at them (Lin-P III.B, IV.A).
 *
 * Where: each innermost loop gets one point. A barrier is one already, since every barrier is a
 * bar.pp (a mix with plain ones could never stop: a warp would wait at a plain barrier for one
 * that stopped at a pp). Else a pp goes where the fewest registers are live, in a block that
 * every iteration passes (it dominates the loop's latches). Outside such loops there is one pp
 * every `interval` instructions, at the place of minimum liveness.
 *
 * A barrier that can't be a bar.pp (numbered, counted, with a reduction) has a pp right in front
 * of it, to which a warp that waits at the barrier goes back. One that does not wait needs none.
 *
 * What: a warp whose lanes are together saves what is live at the point. While lanes are
 * apart, others wait at the other side of a branch around the point or at its reconvergence
 * point; what they need is live there. So the vector for a diverged warp is the union of
 * the live sets at the point, behind every branch whose region holds the point, and at the
 * reconvergence points of these branches.
 */
#include "shell/compiler/passes.h"
#include "shell/compiler/phys.h"
#include "shell/compiler/regions.h"

typedef struct points {
    wr_ir *ir;
    const wr_cfg *cfg;
    const wr_points_options *options;
    wr_phys *phys;
    uint64_t **before; /* by block: live before each instruction */
    uint8_t **chosen;  /* by block: 1 = a pp goes before the instruction */
} points;

typedef struct place {
    uint32_t block, index, live;
} place;

#define NOWHERE UINT32_MAX

static void offer(const points *p, place *best, uint32_t block, uint32_t index)
{
    uint32_t live = (uint32_t)__builtin_popcountll(p->before[block][index]);

    if (best->block == NOWHERE || live < best->live) {
        *best = (place){block, index, live};
    }
}

static void choose(points *p, const place *at)
{
    if (at->block != NOWHERE) {
        p->chosen[at->block][at->index] = 1;
    }
}

static bool waits(const wr_insn *m)
{
    return m->op == WR_OP_BAR_PP || (m->op == WR_OP_BAR && m->mode != WR_BAR_ARRIVE);
}

static bool has_waiting(const wr_ir_block *block)
{
    for (uint32_t i = 0; i < block->insns.count; i++) {
        if (waits(&block->insns.at[i].m)) {
            return true;
        }
    }
    return false;
}

/* What a walk over an innermost loop has found. */
typedef struct loop {
    uint32_t first, last; /* of its latches, in the numbers of the dominator tree */
    place best;
    bool waits;
} loop;

static void find_latches(const points *p, uint32_t head, loop *l)
{
    const wr_ir_block *h = &p->ir->blocks[head];

    *l = (loop){.first = UINT32_MAX, .best = {NOWHERE, 0, 0}};
    for (uint32_t k = 0; k < h->pred_count; k++) {
        uint32_t latch = h->preds[k], number = p->cfg->dom_first[latch];

        if (!p->ir->blocks[latch].reachable || !wr_cfg_dominates(p->cfg, head, latch)) {
            continue;
        }
        if (number < l->first) {
            l->first = number;
        }
        if (number > l->last) {
            l->last = number;
        }
    }
}

static bool dominates_latches(const points *p, uint32_t block, const loop *l)
{
    return p->cfg->dom_first[block] <= l->first && l->last < p->cfg->dom_end[block];
}

static void choose_in_loops(points *p)
{
    uint32_t n = p->ir->block_count;
    loop *loops = wr_pool_alloc(p->ir->pool, n, sizeof *loops);

    for (uint32_t b = 0; b < n; b++) {
        if (p->ir->blocks[b].reachable && p->cfg->inner_head[b]) {
            find_latches(p, b, &loops[b]);
        }
    }
    for (uint32_t k = 0; k < p->cfg->order_count; k++) {
        uint32_t b = p->cfg->order[k], head = p->cfg->loop_head[b];

        if (head == WR_IR_NO_BLOCK || !p->cfg->inner_head[head]) {
            continue;
        }
        loops[head].waits = loops[head].waits || has_waiting(&p->ir->blocks[b]);
        if (!dominates_latches(p, b, &loops[head])) {
            continue;
        }
        for (uint32_t i = 0; i < p->ir->blocks[b].insns.count; i++) {
            offer(p, &loops[head].best, b, i);
        }
    }
    for (uint32_t b = 0; b < n; b++) {
        if (p->ir->blocks[b].reachable && p->cfg->inner_head[b] && !loops[b].waits) {
            choose(p, &loops[b].best);
        }
    }
}

/* Outside innermost loops, in the order of the code. A loop, or a barrier, is a point, so
 * counting starts again behind it. */
static void choose_outside(points *p)
{
    place best = {NOWHERE, 0, 0};
    uint32_t since = 0;

    for (uint32_t b = 0; b < p->ir->block_count; b++) {
        uint32_t head = p->cfg->loop_head[b];
        const wr_ir_list *list = &p->ir->blocks[b].insns;

        if (!p->ir->blocks[b].reachable) {
            continue;
        }
        if (head != WR_IR_NO_BLOCK && p->cfg->inner_head[head]) {
            since = 0;
            best.block = NOWHERE;
            continue;
        }
        for (uint32_t i = 0; i < list->count; i++) {
            if (waits(&list->at[i].m)) {
                since = 0;
                best.block = NOWHERE;
                continue;
            }
            offer(p, &best, b, i);
            if (++since < p->options->interval) {
                continue;
            }
            choose(p, &best);
            since = 0;
            best.block = NOWHERE;
        }
    }
}

static void insert_chosen(points *p)
{
    for (uint32_t b = 0; b < p->ir->block_count; b++) {
        wr_ir_list list = {0};
        const wr_ir_list *old = &p->ir->blocks[b].insns;

        for (uint32_t i = 0; i < old->count; i++) {
            if (p->chosen[b][i] != 0) {
                wr_ir_insn pp = wr_ir_insn_new(WR_OP_PP, WR_U8);

                pp.line = old->at[i].line;
                pp.column = old->at[i].column;
                pp.ptx = old->at[i].ptx;
                wr_phys_no_operands(&pp.m);
                wr_ir_append(p->ir, &list, &pp);
            }
            wr_ir_append(p->ir, &list, &old->at[i]);
        }
        p->ir->blocks[b].insns = list;
    }
}

/* ---- vectors ---- */

static uint64_t encode_live(uint64_t live)
{
    uint64_t low = (UINT64_C(1) << 53) - 1;

    return (live & low) | ((live & ~low) != 0 ? UINT64_C(1) << 53 : 0);
}

/* What lanes that wait because of the branch at the end of `branch` need. */
static uint64_t waiting(const points *p, uint32_t branch)
{
    uint32_t join = p->cfg->join[branch];

    return p->phys->out[branch] | (join == WR_IR_NO_BLOCK ? 0 : p->phys->in[join]);
}

/* By block: what lanes that wait because of the branches around it need. One register at a time,
 * since the regions of branches within each other would have to be walked one by one. */
static uint64_t *needed_around(const points *p)
{
    uint32_t n = p->ir->block_count;
    wr_pool *pool = wr_pool_new();
    wr_regions *regions = wr_regions_new(pool, p->ir, p->cfg);
    uint64_t *around = wr_pool_alloc(p->ir->pool, n, sizeof *around);

    for (uint64_t reg = 1; reg != 0; reg <<= 1) {
        bool any = false;

        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = regions->order[i];

            if (p->ir->blocks[b].reachable && wr_cfg_may_diverge(p->ir, b) &&
                (waiting(p, b) & reg) != 0) {
                any = wr_regions_add(regions, b) || any;
            }
        }
        for (uint32_t b = 0; any && b < n; b++) {
            around[b] |= regions->reach[b] != WR_REGIONS_OUTSIDE ? reg : 0;
        }
        if (any) {
            wr_regions_clear(regions);
        }
    }
    wr_pool_free(pool);
    return around;
}

static void fill_vectors(points *p)
{
    const uint64_t *around = needed_around(p);

    for (uint32_t b = 0; b < p->ir->block_count; b++) {
        wr_ir_list *list = &p->ir->blocks[b].insns;
        uint64_t live = p->phys->out[b];

        for (uint32_t i = list->count; i-- > 0;) {
            wr_insn *m = &list->at[i].m;

            live = wr_phys_step(&list->at[i], live);
            if (m->op != WR_OP_PP && m->op != WR_OP_BAR_PP) {
                continue;
            }
            m->live = encode_live(live);
            if (m->op == WR_OP_PP) {
                m->live_div = encode_live(live | around[b]);
            }
        }
    }
}

/* Without points no warp may stop, or others could wait for it at a barrier for ever. */
static bool make_barriers_plain(wr_ir *ir)
{
    bool other = false;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            other = other || ir->blocks[b].insns.at[i].m.op == WR_OP_BAR;
        }
    }
    for (uint32_t b = 0; other && b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            if (ir->blocks[b].insns.at[i].m.op == WR_OP_BAR_PP) {
                ir->blocks[b].insns.at[i].m.op = WR_OP_BAR;
            }
        }
    }
    return other;
}

static void choose_barriers(points *p)
{
    for (uint32_t b = 0; b < p->ir->block_count; b++) {
        for (uint32_t i = 0; i < p->ir->blocks[b].insns.count; i++) {
            const wr_insn *m = &p->ir->blocks[b].insns.at[i].m;

            if (m->op == WR_OP_BAR && waits(m)) {
                p->chosen[b][i] = 1;
            }
        }
    }
}

void wr_pass_points(wr_ir *ir, const wr_cfg *cfg, const wr_points_options *options)
{
    points p = {.ir = ir, .cfg = cfg, .options = options};

    if (options->no_pp && make_barriers_plain(ir)) {
        return;
    }
    p.phys = wr_phys_build(ir, cfg);
    p.before = wr_pool_alloc(ir->pool, ir->block_count, sizeof *p.before);
    p.chosen = wr_pool_alloc(ir->pool, ir->block_count, sizeof *p.chosen);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        const wr_ir_list *list = &ir->blocks[b].insns;
        uint64_t live = p.phys->out[b];

        p.before[b] = wr_pool_alloc(ir->pool, list->count, sizeof **p.before);
        p.chosen[b] = wr_pool_alloc(ir->pool, list->count, sizeof **p.chosen);
        for (uint32_t i = list->count; i-- > 0;) {
            live = wr_phys_step(&list->at[i], live);
            p.before[b][i] = live;
        }
    }
    if (!options->no_pp) {
        choose_in_loops(&p);
        choose_outside(&p);
        choose_barriers(&p);
        insert_chosen(&p);
    }
    fill_vectors(&p);
}
