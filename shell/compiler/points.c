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
#include <string.h>

#include "shell/compiler/passes.h"
#include "shell/compiler/phys.h"

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

    if (best->block == NOWHERE || live < best->live)
        *best = (place){block, index, live};
}

static void choose(points *p, const place *at)
{
    if (at->block != NOWHERE)
        p->chosen[at->block][at->index] = 1;
}

static bool waits(const wr_insn *m)
{
    return m->op == WR_OP_BAR_PP || (m->op == WR_OP_BAR && m->mode != WR_BAR_ARRIVE);
}

static bool has_waiting(const wr_ir_block *block)
{
    for (uint32_t i = 0; i < block->insns.count; i++)
        if (waits(&block->insns.at[i].m))
            return true;
    return false;
}

static bool dominates_latches(const points *p, uint32_t block, uint32_t head)
{
    const wr_ir_block *h = &p->ir->blocks[head];

    for (uint32_t k = 0; k < h->pred_count; k++) {
        uint32_t latch = h->preds[k];

        if (p->ir->blocks[latch].reachable && wr_cfg_dominates(p->cfg, head, latch) &&
            !wr_cfg_dominates(p->cfg, block, latch))
            return false;
    }
    return true;
}

static void choose_in_loop(points *p, uint32_t head)
{
    place best = {NOWHERE, 0, 0};

    for (uint32_t k = 0; k < p->cfg->order_count; k++) {
        uint32_t b = p->cfg->order[k];

        if (p->cfg->loop_head[b] != head)
            continue;
        if (has_waiting(&p->ir->blocks[b]))
            return;
        if (!dominates_latches(p, b, head))
            continue;
        for (uint32_t i = 0; i < p->ir->blocks[b].insns.count; i++)
            offer(p, &best, b, i);
    }
    choose(p, &best);
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

        if (!p->ir->blocks[b].reachable)
            continue;
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
            if (++since < p->options->interval)
                continue;
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

static void fill_vectors(points *p)
{
    uint32_t n = p->ir->block_count;
    uint64_t *around = wr_pool_alloc(p->ir->pool, n, sizeof *around);
    bool *inside = wr_pool_alloc(p->ir->pool, n, sizeof *inside);
    uint32_t *stack = wr_pool_alloc(p->ir->pool, n + 1, sizeof *stack);

    for (uint32_t b = 0; b < n; b++) {
        if (!p->ir->blocks[b].reachable || !wr_cfg_may_diverge(p->ir, b))
            continue;
        wr_cfg_region(p->ir, p->cfg, b, inside, stack);
        for (uint32_t i = 0; i < n; i++)
            if (inside[i])
                around[i] |= waiting(p, b);
    }
    for (uint32_t b = 0; b < n; b++) {
        wr_ir_list *list = &p->ir->blocks[b].insns;
        uint64_t live = p->phys->out[b];

        for (uint32_t i = list->count; i-- > 0;) {
            wr_insn *m = &list->at[i].m;

            live = wr_phys_step(&list->at[i], live);
            if (m->op != WR_OP_PP && m->op != WR_OP_BAR_PP)
                continue;
            m->live = encode_live(live);
            if (m->op == WR_OP_PP)
                m->live_div = encode_live(live | around[b]);
        }
    }
}

/* Without points no warp may stop, or others could wait for it at a barrier for ever. */
static bool make_barriers_plain(wr_ir *ir)
{
    bool other = false;

    for (uint32_t b = 0; b < ir->block_count; b++)
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++)
            other = other || ir->blocks[b].insns.at[i].m.op == WR_OP_BAR;
    for (uint32_t b = 0; other && b < ir->block_count; b++)
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++)
            if (ir->blocks[b].insns.at[i].m.op == WR_OP_BAR_PP)
                ir->blocks[b].insns.at[i].m.op = WR_OP_BAR;
    return other;
}

static void choose_barriers(points *p)
{
    for (uint32_t b = 0; b < p->ir->block_count; b++)
        for (uint32_t i = 0; i < p->ir->blocks[b].insns.count; i++) {
            const wr_insn *m = &p->ir->blocks[b].insns.at[i].m;

            if (m->op == WR_OP_BAR && waits(m))
                p->chosen[b][i] = 1;
        }
}

void wr_pass_points(wr_ir *ir, const wr_cfg *cfg, const wr_points_options *options)
{
    points p = {.ir = ir, .cfg = cfg, .options = options};

    if (options->no_pp && make_barriers_plain(ir))
        return;
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
        for (uint32_t b = 0; b < ir->block_count; b++)
            if (ir->blocks[b].reachable && cfg->inner_head[b])
                choose_in_loop(&p, b);
        choose_outside(&p);
        choose_barriers(&p);
        insert_chosen(&p);
    }
    fill_vectors(&p);
}
