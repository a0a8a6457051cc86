/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators, post-dominators, loops and liveness on random graphs, against oracles
 * that follow the definitions by searching paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "shell/compiler/cfg.h"
#include "shell/compiler/live.h"

#define MAX_BLOCKS 14
#define REGS       6
#define PREDS      2
#define EXIT       MAX_BLOCKS

typedef struct graph {
    wr_ir ir;
    wr_cfg *cfg;
    uint32_t n;
} graph;

static void add_move(wr_ir *ir, wr_ir_block *block, uint64_t *s)
{
    uint32_t dst = wr_random_next(s) % REGS, src = wr_random_next(s) % REGS;
    unsigned words =
        ir->regs[dst].words < ir->regs[src].words ? ir->regs[dst].words : ir->regs[src].words;
    wr_ir_insn insn = wr_ir_move(wr_ir_reg_operand(dst, 0), wr_ir_reg_operand(src, 0), words);

    if (wr_random_next(s) % 3 == 0) {
        insn.src[0] = wr_ir_imm_operand(5);
    }
    if (wr_random_next(s) % 4 == 0) {
        insn.guard = wr_random_next(s) % PREDS;
    }
    wr_ir_append(ir, &block->insns, &insn);
}

static void add_end(wr_ir *ir, uint32_t b, uint64_t *s)
{
    wr_ir_block *block = &ir->blocks[b];
    unsigned kind = wr_random_next(s) % 8;
    bool last = b + 1 == ir->block_count;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BRA, WR_U8);

    insn.target = wr_random_next(s) % ir->block_count;
    if (last || kind == 0) {
        insn.m.op = WR_OP_EXIT;
    } else if (kind < 5) {
        insn.guard = wr_random_next(s) % PREDS;
        block->succ[block->succ_count++] = b + 1;
        if (insn.target != b + 1) {
            block->succ[block->succ_count++] = insn.target;
        }
    } else if (kind == 5) {
        block->succ[block->succ_count++] = insn.target;
    } else {
        block->succ[block->succ_count++] = b + 1;
        return;
    }
    wr_ir_append(ir, &block->insns, &insn);
}

static void make_graph(graph *g, uint64_t *s)
{
    memset(g, 0, sizeof *g);
    g->n = 2 + wr_random_next(s) % (MAX_BLOCKS - 1);
    g->ir.pool = wr_pool_new();
    g->ir.block_count = g->n;
    g->ir.blocks = wr_pool_alloc(g->ir.pool, g->n, sizeof *g->ir.blocks);
    for (unsigned r = 0; r < REGS; r++) {
        wr_ir_new_reg(&g->ir, r < 4 ? 1 : 2);
    }
    for (unsigned p = 0; p < PREDS; p++) {
        wr_ir_new_pred(&g->ir);
    }
    for (uint32_t b = 0; b < g->n; b++) {
        for (unsigned i = wr_random_next(s) % 5; i > 0; i--) {
            add_move(&g->ir, &g->ir.blocks[b], s);
        }
        add_end(&g->ir, b, s);
    }
    g->cfg = wr_cfg_build(&g->ir);
}

/* A path of at least `least` edges leads from a to b without `without`. */
static bool reaches(const graph *g, uint32_t a, uint32_t b, uint32_t without, unsigned least)
{
    bool seen[MAX_BLOCKS + 1] = {false};
    uint32_t stack[MAX_BLOCKS + 1], depth = 0;

    if (least == 0 && a == b) {
        return true;
    }
    if (a == without || a == EXIT) {
        return false;
    }
    stack[depth++] = a;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const wr_ir_block *block = &g->ir.blocks[at];

        if (block->succ_count == 0 && b == EXIT) {
            return true;
        }
        for (uint32_t k = 0; k < block->succ_count; k++) {
            uint32_t to = block->succ[k];

            if (to == b && to != without) {
                return true;
            }
            if (to != without && !seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
        }
    }
    return false;
}

static bool naive_dominates(const graph *g, uint32_t a, uint32_t b)
{
    return a == b || !(a != 0 && reaches(g, 0, b, a, 0));
}

static bool naive_postdominates(const graph *g, uint32_t a, uint32_t b)
{
    return a == b || !reaches(g, b, EXIT, a, 0);
}

/* The strict post-dominator that every other strict one post-dominates; EXIT if there is none. */
static uint32_t naive_ipdom(const graph *g, uint32_t b)
{
    for (uint32_t a = 0; a < g->n; a++) {
        bool nearest = a != b && naive_postdominates(g, a, b);

        for (uint32_t c = 0; nearest && c < g->n; c++) {
            if (c != b && c != a && naive_postdominates(g, c, b) && !naive_postdominates(g, c, a)) {
                nearest = false;
            }
        }
        if (nearest) {
            return a;
        }
    }
    return EXIT;
}

static bool all_reach_exit(const graph *g)
{
    for (uint32_t b = 0; b < g->n; b++) {
        if (reaches(g, 0, b, EXIT + 1, 0) && !reaches(g, b, EXIT, EXIT + 1, 0)) {
            return false;
        }
    }
    return true;
}

static void check_dominance(const graph *g)
{
    for (uint32_t b = 0; b < g->n; b++) {
        if (!g->ir.blocks[b].reachable) {
            continue;
        }
        for (uint32_t a = 0; a < g->n; a++) {
            if (g->ir.blocks[a].reachable) {
                assert_int_equal(wr_cfg_dominates(g->cfg, a, b), naive_dominates(g, a, b));
            }
        }
        if (all_reach_exit(g)) {
            uint32_t expected = naive_ipdom(g, b);

            assert_int_equal(g->cfg->ipdom[b], expected == EXIT ? WR_IR_NO_BLOCK : expected);
        }
    }
}

/* b is in the natural loop of head: there is a back edge latch -> head, and b reaches the latch
 * without passing head. */
static bool in_loop(const graph *g, uint32_t head, uint32_t b)
{
    for (uint32_t latch = 0; latch < g->n; latch++) {
        const wr_ir_block *block = &g->ir.blocks[latch];

        if (!block->reachable || !naive_dominates(g, head, latch)) {
            continue;
        }
        for (uint32_t k = 0; k < block->succ_count; k++) {
            if (block->succ[k] == head && (b == head || reaches(g, b, latch, head, 0))) {
                return true;
            }
        }
    }
    return false;
}

static void check_loops(const graph *g, unsigned *loops)
{
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t depth = 0;

        if (!g->ir.blocks[b].reachable) {
            continue;
        }
        for (uint32_t head = 0; head < g->n; head++) {
            if (g->ir.blocks[head].reachable && in_loop(g, head, b)) {
                depth++;
            }
        }
        assert_int_equal(g->cfg->loop_depth[b], depth);
        assert_int_equal(g->cfg->loop_head[b] != WR_IR_NO_BLOCK, depth > 0);
        *loops += depth > 0 ? 1 : 0;
        if (g->cfg->inner_head[b]) {
            assert_true(in_loop(g, b, b));
            for (uint32_t other = 0; other < g->n; other++) {
                if (other != b && g->ir.blocks[other].reachable && in_loop(g, other, other)) {
                    assert_false(in_loop(g, b, other));
                }
            }
        }
    }
}

/* Live before instruction `index` of `block`: a search for a use that no kill comes before. */
static bool naive_live(const graph *g, uint32_t block, uint32_t index, uint32_t cell, bool *seen)
{
    const wr_ir_list *list = &g->ir.blocks[block].insns;

    for (uint32_t i = index; i < list->count; i++) {
        wr_ir_refs refs;

        wr_ir_get_refs(&g->ir, &list->at[i], &refs);
        for (uint32_t k = 0; k < refs.use_count; k++) {
            if (refs.uses[k] == cell) {
                return true;
            }
        }
        for (uint32_t k = 0; refs.kills && k < refs.def_count; k++) {
            if (refs.defs[k] == cell) {
                return false;
            }
        }
    }
    for (uint32_t k = 0; k < g->ir.blocks[block].succ_count; k++) {
        uint32_t to = g->ir.blocks[block].succ[k];

        if (!seen[to]) {
            seen[to] = true;
            if (naive_live(g, to, 0, cell, seen)) {
                return true;
            }
        }
    }
    return false;
}

static void check_liveness(graph *g, unsigned *live_cells)
{
    wr_live *live = wr_live_build(&g->ir, g->cfg, g->ir.pool);
    wr_cell_set set = wr_cell_set_new(g->ir.pool, live->cells);

    for (uint32_t b = 0; b < g->n; b++) {
        if (!g->ir.blocks[b].reachable) {
            continue;
        }
        wr_live_out(live, b, &set);
        for (uint32_t i = g->ir.blocks[b].insns.count; i-- > 0;) {
            wr_live_step(&g->ir, &g->ir.blocks[b].insns.at[i], &set);
            for (uint32_t cell = 0; cell < live->cells; cell++) {
                bool seen[MAX_BLOCKS] = {false};

                assert_int_equal(wr_cell_set_has(&set, cell), naive_live(g, b, i, cell, seen));
                *live_cells += wr_cell_set_has(&set, cell) ? 1 : 0;
            }
        }
        for (uint32_t cell = 0; cell < live->cells; cell++) {
            assert_int_equal(wr_live_has_in(live, b, cell), wr_cell_set_has(&set, cell));
        }
    }
}

static void random_graphs(void **context)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    uint64_t s = seed * 2 + 1;
    unsigned loops = 0, live_cells = 0;

    (void)context;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (unsigned n = 0; n < 3000; n++) {
        graph g;

        make_graph(&g, &s);
        check_dominance(&g);
        check_loops(&g, &loops);
        check_liveness(&g, &live_cells);
        wr_pool_free(g.ir.pool);
    }
    assert_true(loops > 1000);
    assert_true(live_cells > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};

    return cmocka_run_group_tests_name("control flow and liveness", tests, NULL, NULL);
}
