/* SPDX-License-Identifier: Apache-2.0 */
/* First for lanes that run together, which shows at which branches they may part: behind the join
 * of such a branch a register that either side writes is random. A branch that parts makes more
 * random, and that more branches part; so it is repeated until nothing changes. Then for all
 * lanes, with these branches: nothing that one of the two sides writes is more than random there,
 * on the other side, or behind, until it is written again.
 *
 * Lanes that end while others go on never come back. In view `all` everything that follows is
 * apart.
 */
#include "shell/compiler/spread.h"

#include <string.h>

/* Registers and predicates. */
typedef struct cells {
    uint64_t regs;
    uint8_t preds;
} cells;

typedef struct work {
    wr_spread *s;
    wr_flow *flow;
    cells *at_start;     /* by block: random there, in view `needed` */
    cells *behind;       /* by block: random behind it, in view `all` */
    bool *region, *ends; /* by block; `ends`: a guarded exit that some lanes take */
} work;

static bool *flags(const work *w)
{
    return wr_pool_alloc(w->flow->pool, w->flow->count, sizeof(bool));
}

static void tear(wr_held_state *state, cells c)
{
    for (unsigned r = 0; r < WR_ISA_MAX_REGS; r++) {
        if ((c.regs >> r & 1) != 0) {
            state->reg[r] = wr_held_random;
        }
    }
    for (unsigned p = 0; p < WR_ISA_PREDS; p++) {
        if ((c.preds >> p & 1) != 0) {
            state->pred[p] = WR_HELD_RANDOM;
        }
    }
}

/* Returns whether `into` has changed. */
static bool join_states(wr_held_state *into, const wr_held_state *from)
{
    bool changed = false;

    for (unsigned r = 0; r < WR_ISA_MAX_REGS; r++) {
        wr_held joined = wr_held_join(into->reg[r], from->reg[r]);

        changed = changed || !wr_held_same(joined, into->reg[r]);
        into->reg[r] = joined;
    }
    for (unsigned p = 0; p < WR_ISA_PREDS; p++) {
        if (from->pred[p] > into->pred[p]) {
            into->pred[p] = from->pred[p];
            changed = true;
        }
    }
    return changed;
}

static bool is_seen(const wr_held_state *state)
{
    return state->pred[0] != WR_HELD_UNSEEN;
}

/* Notes in view `needed` that lanes part at the block's end, or that some end there. */
static void note_parting(work *w, uint32_t number, const wr_held_state *state)
{
    const wr_flow_block *b = &w->flow->blocks[number];
    const wr_insn *last = &w->flow->kernel->insns[b->end - 1];
    bool differs = wr_held_pred(state, last->guard) != WR_HELD_WARP;

    w->s->parts[number] = w->s->parts[number] || (b->branches && differs);
    w->ends[number] = w->ends[number] || (b->leaves && b->succ_count > 0 && differs);
}

static bool pass_through(work *w, wr_held_view view, uint32_t number)
{
    const wr_flow_block *b = &w->flow->blocks[number];
    wr_held_state state = w->s->in[view][number];
    bool apart = view == WR_HELD_ALL && w->s->apart[number], changed = false;

    for (uint32_t i = b->first; i < b->end; i++) {
        if (view == WR_HELD_NEEDED && i + 1 == b->end) {
            note_parting(w, number, &state);
        }
        wr_held_step(&w->s->shape, &w->flow->kernel->insns[i], apart, &state);
    }
    if (view == WR_HELD_ALL) {
        tear(&state, w->behind[number]);
    }
    for (uint32_t k = 0; k < b->succ_count; k++) {
        wr_held_state to = state;

        if (view == WR_HELD_NEEDED) {
            tear(&to, w->at_start[b->succ[k]]);
        }
        changed = join_states(&w->s->in[view][b->succ[k]], &to) || changed;
    }
    return changed;
}

static void settle(work *w, wr_held_view view)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < w->flow->count; b++) {
            if (is_seen(&w->s->in[view][b])) {
                changed = pass_through(w, view, b) || changed;
            }
        }
    }
}

static cells written_in(const work *w, const bool *region, bool *leaves)
{
    cells c = {0};

    *leaves = false;
    for (uint32_t b = 0; b < w->flow->count; b++) {
        const wr_flow_block *block = &w->flow->blocks[b];

        if (region[b]) {
            c.regs |= block->writes;
            c.preds |= block->pred_writes;
            *leaves = *leaves || block->leaves;
        }
    }
    return c;
}

static bool add_cells(cells *to, cells more)
{
    bool grows = (more.regs & ~to->regs) != 0 || (more.preds & ~to->preds & 0x7f) != 0;

    to->regs |= more.regs;
    to->preds |= more.preds;
    return grows;
}

static const bool *region_of(work *w, uint32_t block)
{
    wr_flow_region(w->flow, block, w->region);
    return w->region;
}

static const bool *all_behind(work *w, uint32_t block)
{
    wr_flow_behind(w->flow, block, w->region);
    return w->region;
}

/* Behind which joins is torn what; returns whether there is more than before. */
static bool find_joins(work *w)
{
    bool grows = false, leaves;

    for (uint32_t b = 0; b < w->flow->count; b++) {
        uint32_t join = w->flow->blocks[b].join;

        if (w->s->parts[b] && join != WR_FLOW_NONE) {
            cells c = written_in(w, region_of(w, b), &leaves);

            grows = add_cells(&w->at_start[join], c) || grows;
        }
    }
    return grows;
}

static void find_needed(work *w)
{
    do {
        settle(w, WR_HELD_NEEDED);
    } while (find_joins(w));
}

static void find_all(work *w)
{
    bool leaves;

    for (uint32_t b = 0; b < w->flow->count; b++) {
        const bool *region = NULL;

        if (w->s->parts[b]) {
            region = region_of(w, b);
            (void)written_in(w, region, &leaves);
            region = leaves ? all_behind(w, b) : region;
        } else if (w->ends[b]) {
            region = all_behind(w, b);
        }
        for (uint32_t i = 0; region != NULL && i < w->flow->count; i++) {
            w->s->apart[i] = w->s->apart[i] || region[i];
        }
        if (region != NULL) {
            w->behind[b] = written_in(w, region, &leaves);
        }
    }
    for (uint32_t b = 0; b < w->flow->count; b++) {
        w->s->apart[b] = w->s->apart[b] || !w->s->shape.whole;
    }
    settle(w, WR_HELD_ALL);
}

/* What lanes need that wait while others are in the region of a branch: at its join, or at the
 * side that is to come or has been. */
static uint64_t needed_by_waiting(const wr_flow *flow, uint32_t block, const uint64_t *before)
{
    const wr_flow_block *b = &flow->blocks[block];
    uint64_t needed = b->join != WR_FLOW_NONE ? before[flow->blocks[b->join].first] : 0;

    for (uint32_t k = 0; k < b->succ_count; k++) {
        if (b->succ_count == 2 && b->succ[0] != b->join && b->succ[1] != b->join) {
            needed |= before[flow->blocks[b->succ[k]].first];
        }
    }
    return needed;
}

/* Loads of one side may be on their way while the other side, or what is behind the join, runs. */
static void find_sideways(work *w, uint32_t block, const bool *region)
{
    const wr_flow_block *b = &w->flow->blocks[block];
    uint64_t loads = 0;
    bool leaves = false;

    for (uint32_t i = 0; i < w->flow->count; i++) {
        loads |= region[i] ? w->flow->blocks[i].loads : 0;
        leaves = leaves || (region[i] && w->flow->blocks[i].leaves);
    }
    for (uint32_t k = 0; k < b->succ_count; k++) {
        if (b->succ[0] != b->join && b->succ[1] != b->join) {
            w->s->sideways[b->succ[k]] |= loads;
        }
    }
    if (leaves && b->join != WR_FLOW_NONE) {
        w->s->sideways[b->join] |= loads;
    }
}

static void find_waiting(work *w, const uint64_t *before)
{
    bool leaves;

    for (uint32_t b = 0; b < w->flow->count; b++) {
        if (!w->s->parts[b]) {
            continue;
        }
        const bool *region = region_of(w, b);
        uint64_t needed = needed_by_waiting(w->flow, b, before);
        uint64_t torn = needed & written_in(w, region, &leaves).regs;

        for (uint32_t i = 0; i < w->flow->count; i++) {
            w->s->waiting[i] |= region[i] ? needed : 0;
            w->s->torn[i] |= region[i] ? torn : 0;
        }
        find_sideways(w, b, region);
    }
}

wr_spread *wr_spread_new(wr_flow *flow, const uint32_t block[3], const uint64_t *before)
{
    wr_pool *pool = flow->pool;
    wr_spread *s = wr_pool_alloc(pool, 1, sizeof *s);
    work w = {.s = s, .flow = flow};

    s->shape = wr_held_shape_of(block);
    s->flow = flow;
    s->apart = flags(&w);
    s->parts = flags(&w);
    w.region = flags(&w);
    w.ends = flags(&w);
    w.at_start = wr_pool_alloc(pool, flow->count, sizeof *w.at_start);
    w.behind = wr_pool_alloc(pool, flow->count, sizeof *w.behind);
    s->waiting = wr_pool_alloc(pool, flow->count, sizeof *s->waiting);
    s->torn = wr_pool_alloc(pool, flow->count, sizeof *s->torn);
    s->sideways = wr_pool_alloc(pool, flow->count, sizeof *s->sideways);
    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        s->in[view] = wr_pool_alloc(pool, flow->count, sizeof *s->in[view]);
        tear(&s->in[view][0], (cells){UINT64_MAX, UINT8_MAX});
    }
    find_needed(&w);
    find_all(&w);
    find_waiting(&w, before);
    return s;
}
