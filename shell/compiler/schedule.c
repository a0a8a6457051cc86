/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling before allocation: the order of instructions inside a block, window by window
 * (window.h).
 *
 * A survey finds the registers that the kernel needs at least: the most, over all windows, of the
 * lesser of the text's order and one that looks for few registers. That is the *budget*. A window
 * that needs more than it in the text's order gets the other order. Then loads move up, away from
 * the first use of what they load, where that gains cycles and stays inside the budget; so the
 * registers that some place needs anyway are spent on latency elsewhere. All else keeps the order
 * of the text.
 *
 * What is live at fences, where warps are preempted, does not change. Cycles are those of a warp
 * that runs alone. Each step is a choice among what is ready, by fixed rules, so the result depends
 * on the program only; windows are bounded, so time grows with the number of instructions.
 */
#include <string.h>

#include "shell/compiler/live.h"
#include "shell/compiler/window.h"

#define MIN_BUDGET 16 /* registers: a thread of a full SM has 20 on gtx480 */
#define MIN_GAIN   4  /* cycles */

typedef struct scheduler {
    wr_ir *ir;
    wr_window *window;
    bool *live; /* by cell */
    uint32_t words, preds;
    uint32_t budget;
    bool survey;      /* only measures */
    wr_ir_list moved; /* scratch */
} scheduler;

/* ---- orders ---- */

/* What is ready, in the order in which it became so. */
typedef struct ready_list {
    uint16_t at[WR_WINDOW_NODES];
    uint32_t count;
} ready_list;

static void take(ready_list *ready, uint32_t k)
{
    ready->count--;
    memmove(&ready->at[k], &ready->at[k + 1], (ready->count - k) * sizeof ready->at[0]);
}

static int weight(const wr_window *w, uint32_t cell)
{
    return w->is_pred[cell] ? 0 : 1;
}

/* Words more that are live in front of the node than behind it. */
static int growth(const wr_window *w, const wr_window_node *node, const bool *live)
{
    int words = 0;

    for (uint32_t i = 0; i < node->use_count; i++) {
        words += live[node->uses[i]] ? 0 : weight(w, node->uses[i]);
    }
    for (uint32_t i = 0; node->kills && i < node->def_count; i++) {
        words -= live[node->defs[i]] ? weight(w, node->defs[i]) : 0;
    }
    return words;
}

/* From the end, what frees most registers first. */
static void order_for_registers(const wr_window *w, uint16_t *order)
{
    uint32_t left[WR_WINDOW_NODES] = {0};
    bool live[WR_WINDOW_CELLS];
    ready_list ready = {.count = 0};

    memcpy(live, w->out, w->cell_count * sizeof live[0]);
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t j = i + 1; j < w->count; j++) {
            left[i] += w->behind[i][j] != 0 ? 1 : 0;
        }
        if (left[i] == 0) {
            ready.at[ready.count++] = (uint16_t)i;
        }
    }
    for (uint32_t k = w->count; k-- > 0;) {
        const wr_window_node *node;
        uint32_t best = 0;
        int least = 0;

        for (uint32_t r = 0; r < ready.count; r++) {
            int words = growth(w, &w->nodes[ready.at[r]], live);

            if (r == 0 || words < least || (words == least && ready.at[r] > ready.at[best])) {
                best = r;
                least = words;
            }
        }
        order[k] = ready.at[best];
        take(&ready, best);
        node = &w->nodes[order[k]];
        for (uint32_t i = 0; node->kills && i < node->def_count; i++) {
            live[node->defs[i]] = false;
        }
        for (uint32_t i = 0; i < node->use_count; i++) {
            live[node->uses[i]] = true;
        }
        for (uint32_t i = 0; i < order[k]; i++) {
            if (w->behind[i][order[k]] != 0 && --left[i] == 0) {
                ready.at[ready.count++] = (uint16_t)i;
            }
        }
    }
}

typedef struct forward {
    const wr_window *w;
    wr_window_cost limit;
    bool live[WR_WINDOW_CELLS];
    uint32_t uses[WR_WINDOW_CELLS]; /* still to come */
    uint32_t words, preds;
    uint32_t left[WR_WINDOW_NODES];  /* nodes that must come before */
    uint32_t start[WR_WINDOW_NODES]; /* the first cycle in which operands are there */
    uint32_t path[WR_WINDOW_NODES];  /* cycles from here to the end of the window */
    uint32_t now;
    ready_list ready;
} forward;

static void begin(forward *f, const wr_window *w, const wr_window_cost *limit)
{
    memset(f, 0, sizeof *f);
    f->w = w;
    f->limit = *limit;
    f->words = w->base_words;
    f->preds = w->base_preds;
    memcpy(f->live, w->out, w->cell_count * sizeof f->live[0]);
    for (uint32_t i = w->count; i-- > 0;) {
        const wr_window_node *node = &w->nodes[i];

        for (uint32_t k = 0; node->kills && k < node->def_count; k++) {
            f->live[node->defs[k]] = false;
        }
        for (uint32_t k = 0; k < node->use_count; k++) {
            f->live[node->uses[k]] = true;
            f->uses[node->uses[k]]++;
        }
        for (uint32_t j = i + 1; j < w->count; j++) {
            if (w->behind[i][j] == 0) {
                continue;
            }
            f->left[j]++;
            if (f->path[i] < f->path[j] + w->behind[i][j] - 1u) {
                f->path[i] = f->path[j] + w->behind[i][j] - 1u;
            }
        }
    }
    for (uint32_t c = 0; c < w->cell_count; c++) {
        f->words += f->live[c] && !w->is_pred[c] ? 1 : 0;
        f->preds += f->live[c] && w->is_pred[c] ? 1 : 0;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        if (f->left[i] == 0) {
            f->ready.at[f->ready.count++] = (uint16_t)i;
        }
    }
}

/* Live words and predicates behind the node, were it the next. A cell that is written again later
 * counts as live in between. */
static void after(const forward *f, const wr_window_node *node, uint32_t *words, uint32_t *preds)
{
    *words = f->words;
    *preds = f->preds;
    for (uint32_t i = 0; i < node->use_count; i++) {
        uint32_t cell = node->uses[i];

        if (f->uses[cell] == 1 && !f->w->out[cell]) {
            *words -= f->w->is_pred[cell] ? 0 : 1;
            *preds -= f->w->is_pred[cell] ? 1 : 0;
        }
    }
    for (uint32_t i = 0; i < node->def_count; i++) {
        uint32_t cell = node->defs[i];

        if (!f->live[cell]) {
            *words += f->w->is_pred[cell] ? 0 : 1;
            *preds += f->w->is_pred[cell] ? 1 : 0;
        }
    }
}

/* a rather than b as the next: first what stays inside the budget, then what needs not wait, then
 * what most waits for, then the order of the text; outside the budget what needs fewest. */
static bool rather(const forward *f, uint32_t a, uint32_t b)
{
    uint32_t words[2], preds[2], node[2] = {a, b};
    bool fits[2], waits[2];

    for (unsigned i = 0; i < 2; i++) {
        after(f, &f->w->nodes[node[i]], &words[i], &preds[i]);
        fits[i] = words[i] <= f->limit.words && preds[i] <= f->limit.preds &&
                  f->words + f->w->nodes[node[i]].temps <= f->limit.words;
        waits[i] = f->start[node[i]] > f->now;
    }
    if (fits[0] != fits[1]) {
        return fits[0];
    }
    if (!fits[0]) {
        return words[0] != words[1] ? words[0] < words[1] : a < b;
    }
    if (waits[0] != waits[1]) {
        return !waits[0];
    }
    if (waits[0] && f->start[a] != f->start[b]) {
        return f->start[a] < f->start[b];
    }
    return f->path[a] != f->path[b] ? f->path[a] > f->path[b] : a < b;
}

static void issue(forward *f, uint32_t i)
{
    const wr_window *w = f->w;
    const wr_window_node *node = &w->nodes[i];

    f->now = f->start[i] > f->now ? f->start[i] : f->now;
    after(f, node, &f->words, &f->preds);
    for (uint32_t k = 0; k < node->use_count; k++) {
        if (--f->uses[node->uses[k]] == 0 && !w->out[node->uses[k]]) {
            f->live[node->uses[k]] = false;
        }
    }
    for (uint32_t k = 0; k < node->def_count; k++) {
        f->live[node->defs[k]] = true;
    }
    for (uint32_t j = i + 1; j < w->count; j++) {
        if (w->behind[i][j] == 0) {
            continue;
        }
        if (f->start[j] < f->now + w->behind[i][j] - 1u) {
            f->start[j] = f->now + w->behind[i][j] - 1u;
        }
        if (--f->left[j] == 0) {
            f->ready.at[f->ready.count++] = (uint16_t)j;
        }
    }
    f->now += node->count;
}

/* From the front, what waits least first, inside the limit. */
static void order_for_latency(const wr_window *w, const wr_window_cost *limit, uint16_t *order)
{
    forward f;

    begin(&f, w, limit);
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t best = 0;

        for (uint32_t r = 1; r < f.ready.count; r++) {
            if (rather(&f, f.ready.at[r], f.ready.at[best])) {
                best = r;
            }
        }
        order[k] = f.ready.at[best];
        take(&f.ready, best);
        issue(&f, order[k]);
    }
}

/* ---- choosing ---- */

static void apply(scheduler *s, uint32_t block, const uint16_t *order)
{
    wr_window *w = s->window;
    wr_ir_insn *insns = s->ir->blocks[block].insns.at;

    s->moved.count = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        const wr_window_node *node = &w->nodes[order[k]];

        for (uint32_t i = 0; i < node->count; i++) {
            wr_ir_append(s->ir, &s->moved, &insns[node->first + i]);
        }
    }
    memcpy(&insns[w->first], s->moved.at, s->moved.count * sizeof *insns);
}

static void arrange(scheduler *s, uint32_t block)
{
    const wr_window *w = s->window;
    uint16_t text[WR_WINDOW_NODES], fewer[WR_WINDOW_NODES], faster[WR_WINDOW_NODES];
    const uint16_t *order = text;
    wr_window_cost cost, other, limit;

    for (uint32_t i = 0; i < w->count; i++) {
        text[i] = (uint16_t)i;
    }
    cost = wr_window_measure(w, text);
    limit = cost;
    if (cost.words > s->budget && w->count > 2) {
        order_for_registers(w, fewer);
        other = wr_window_measure(w, fewer);
        if (other.words < cost.words && other.preds <= limit.preds) {
            order = fewer;
            cost = other;
        }
    }
    if (s->survey) {
        s->budget = cost.words > s->budget ? cost.words : s->budget;
        return;
    }
    limit.words = cost.words > s->budget ? cost.words : s->budget;
    if (w->count > 2) {
        order_for_latency(w, &limit, faster);
        other = wr_window_measure(w, faster);
        if (other.words <= limit.words && other.preds <= limit.preds &&
            other.cycles + MIN_GAIN <= cost.cycles) {
            order = faster;
        }
    }
    if (order != text) {
        apply(s, block, order);
    }
}

/* ---- walking ---- */

static void set_live(scheduler *s, uint32_t cell, bool live)
{
    uint32_t *count = cell < s->ir->word_count ? &s->words : &s->preds;

    if (s->live[cell] != live) {
        *count += live ? 1 : UINT32_MAX;
    }
    s->live[cell] = live;
}

static void step(scheduler *s, const wr_ir_insn *insn)
{
    wr_ir_refs refs;

    wr_ir_get_refs(s->ir, insn, &refs);
    for (uint32_t i = 0; refs.kills && i < refs.def_count; i++) {
        set_live(s, refs.defs[i], false);
    }
    for (uint32_t i = 0; i < refs.use_count; i++) {
        set_live(s, refs.uses[i], true);
    }
}

static void visit_block(scheduler *s, const wr_live *live, uint32_t b)
{
    const wr_ir_block *block = &s->ir->blocks[b];
    uint32_t at = block->insns.count;

    for (uint32_t k = 0; k < block->succ_count; k++) {
        for (uint32_t i = 0; i < live->in_count[block->succ[k]]; i++) {
            set_live(s, live->in[block->succ[k]][i], true);
        }
    }
    while (at > 0) {
        uint32_t first = at - 1;

        if (!wr_window_is_fence(&block->insns.at[first])) {
            wr_window_fill(s->window, b, at, s->live, s->words, s->preds);
            arrange(s, b);
            first = s->window->first;
        }
        while (at > first) {
            step(s, &block->insns.at[--at]);
        }
    }
    for (uint32_t i = 0; i < live->in_count[b]; i++) {
        set_live(s, live->in[b][i], false);
    }
}

void wr_pass_schedule(wr_ir *ir, const wr_cfg *cfg)
{
    wr_pool *pool = wr_pool_new();
    const wr_live *live = wr_live_build(ir, cfg, pool);
    scheduler s = {.ir = ir, .budget = MIN_BUDGET};

    s.window = wr_window_new(ir, wr_defs_build(ir), pool);
    s.live = wr_pool_alloc(pool, wr_ir_cells(ir), sizeof *s.live);
    for (unsigned round = 0; round < 2; round++) {
        s.survey = round == 0;
        for (uint32_t k = 0; k < cfg->order_count; k++) {
            visit_block(&s, live, cfg->order[k]);
        }
    }
    wr_pool_free(pool);
}
