/* SPDX-License-Identifier: Apache-2.0 */
/* Which loads may be on their way is asked twice: along the paths of a thread, which says where the
 * first uses are; and with what lanes of another path may have asked for before (`sideways`), which
 * says for which registers room must be kept.
 */
#include "shell/compiler/reduced.h"

#include "shell/compiler/draw.h"
#include "shell/compiler/spread.h"

#include <string.h>

typedef struct work {
    const wr_kernel *kernel;
    wr_reduced *out;
    wr_flow *flow;
    const wr_spread *spread;
    const uint64_t *before; /* by instruction: live */
    uint64_t *used, *kept;  /* by block, at its start: loads on their way, of the two kinds */
} work;

static bool waits_at_barrier(const wr_insn *insn)
{
    return insn->op == WR_OP_BAR_PP || (insn->op == WR_OP_BAR && insn->mode != WR_BAR_ARRIVE);
}

/* A warp that uses a register has waited for it. */
static uint64_t behind(const wr_insn *insn, uint64_t awaited)
{
    awaited &= ~(wr_flow_reads(insn) | wr_flow_writes(insn));
    return awaited | (wr_flow_loads(insn) ? wr_flow_writes(insn) : 0);
}

static void find_awaited(const work *w, const uint64_t *more, uint64_t *in)
{
    bool changed = true;

    for (uint32_t b = 0; more != NULL && b < w->flow->count; b++) {
        in[b] = more[b];
    }
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < w->flow->count; b++) {
            const wr_flow_block *block = &w->flow->blocks[b];
            uint64_t awaited = in[b];

            for (uint32_t i = block->first; i < block->end; i++) {
                awaited = behind(&w->kernel->insns[i], awaited);
            }
            for (uint32_t k = 0; k < block->succ_count; k++) {
                changed = changed || (awaited & ~in[block->succ[k]]) != 0;
                in[block->succ[k]] |= awaited;
            }
        }
    }
}

static uint32_t bytes_of(const wr_reduced *r, wr_held_kind kind)
{
    uint32_t groups = WR_HELD_LANES / r->group;

    switch (kind) {
    case WR_HELD_UNSEEN:
        return 0;
    case WR_HELD_WARP:
    case WR_HELD_GROUP:
        return 4 * groups;
    case WR_HELD_STRIDED:
        return 8 * groups;
    case WR_HELD_RANDOM:
        break;
    }
    return WR_REDUCED_LINE;
}

static wr_held_kind kind_at(const work *w, wr_held_view view, uint32_t block,
                            const wr_held_state *state, const wr_switch_point *p, unsigned reg)
{
    bool torn = view == WR_HELD_NEEDED && (w->spread->torn[block] >> reg & 1) != 0;

    return torn || (p->awaited >> reg & 1) != 0 ? WR_HELD_RANDOM
                                                : (wr_held_kind)state->reg[reg].kind;
}

static void measure(const work *w, uint32_t block, wr_held_state states[WR_HELD_VIEWS],
                    wr_switch_point *p)
{
    for (unsigned reg = 0; reg < w->kernel->regs; reg++) {
        if ((p->slots >> reg & 1) == 0) {
            continue;
        }
        p->live_bytes += WR_REDUCED_LINE;
        for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
            wr_held_kind kind = kind_at(w, (wr_held_view)view, block, &states[view], p, reg);

            p->kind[view][reg] = (uint8_t)kind;
            p->bytes[view] += bytes_of(w->out, kind);
        }
    }
}

static void count(wr_reduced *r, size_t point)
{
    const wr_switch_point *p = &r->points[point];

    r->live_bytes = p->live_bytes > r->live_bytes ? p->live_bytes : r->live_bytes;
    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        if (p->bytes[view] > r->bytes[view]) {
            r->bytes[view] = p->bytes[view];
            r->decides[view] = point;
            r->lines[view] = (p->bytes[view] + WR_REDUCED_LINE - 1) / WR_REDUCED_LINE;
        }
    }
}

static void look_at_block(work *w, uint32_t b)
{
    const wr_flow_block *block = &w->flow->blocks[b];
    uint64_t used = w->used[b], kept = w->kept[b];
    wr_held_state states[WR_HELD_VIEWS];

    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        states[view] = w->spread->in[view][b];
    }
    if (states[0].pred[0] == WR_HELD_UNSEEN) { /* no path leads here */
        return;
    }
    for (uint32_t i = block->first; i < block->end; i++) {
        const wr_insn *insn = &w->kernel->insns[i];
        uint64_t touched = wr_flow_reads(insn) | wr_flow_writes(insn);
        bool is_bar = waits_at_barrier(insn);

        if (is_bar || (touched & used) != 0) {
            wr_switch_point *p = &w->out->points[w->out->count];

            *p = (wr_switch_point){.insn = i,
                                   .pc = insn->pc,
                                   .line = w->kernel->lines[i],
                                   .is_bar = is_bar,
                                   .slots = w->before[i] | w->spread->waiting[b] | kept,
                                   .awaited = kept};
            measure(w, b, states, p);
            count(w->out, w->out->count++);
        }
        used = behind(insn, used);
        kept = behind(insn, kept);
        for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
            bool apart = view == WR_HELD_ALL && w->spread->apart[b];

            wr_held_step(&w->spread->shape, insn, apart, &states[view]);
        }
    }
}

/* Of a kernel that is too long: one point, at its start, that stands for any. */
static void give_up(wr_reduced *r, const wr_kernel *k)
{
    wr_switch_point *p = &r->points[r->count++];

    p->line = k->lines[0];
    p->slots = (UINT64_C(1) << k->regs) - 1;
    p->awaited = p->slots;
    p->live_bytes = r->full_bytes;
    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        memset(p->kind[view], WR_HELD_RANDOM, k->regs);
        p->bytes[view] = r->full_bytes;
    }
    count(r, 0);
}

wr_reduced *wr_reduce(const wr_kernel *kernel, const uint32_t block[3])
{
    wr_pool *pool = wr_pool_new();
    wr_reduced *r = wr_pool_alloc(pool, 1, sizeof *r);
    work w = {.kernel = kernel, .out = r};
    uint64_t *before;

    r->arena = pool;
    memcpy(r->block, block, sizeof r->block);
    r->group = wr_held_group(block[0]);
    r->full_bytes = kernel->regs * WR_REDUCED_LINE;
    r->points = wr_pool_alloc(pool, kernel->insn_count + 1, sizeof *r->points);
    if (kernel->insn_count > WR_REDUCED_MOST_INSNS) {
        give_up(r, kernel);
        return r;
    }
    before = wr_pool_alloc(pool, kernel->insn_count + 1, sizeof *before);
    wr_draw_live(kernel, before);
    w.before = before;
    w.flow = wr_flow_new(pool, kernel);
    w.spread = wr_spread_new(w.flow, block, before);
    w.used = wr_pool_alloc(pool, w.flow->count, sizeof *w.used);
    w.kept = wr_pool_alloc(pool, w.flow->count, sizeof *w.kept);
    find_awaited(&w, NULL, w.used);
    find_awaited(&w, w.spread->sideways, w.kept);
    for (uint32_t b = 0; b < w.flow->count; b++) {
        look_at_block(&w, b);
    }
    return r;
}

void wr_reduced_free(wr_reduced *reduced)
{
    if (reduced != NULL) {
        wr_pool_free(reduced->arena);
    }
}
