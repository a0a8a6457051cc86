/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow, regions and liveness on random graphs of up to 40 blocks, against oracles that take
 * the definitions word by word: a block dominates another where removing it leaves no path, and so
 * on.
 *
 * WARPREF_SEED=n begins with graph n, WARPREF_GRAPHS sets how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_gen.h"
#include "random.h"
#include "shell/compiler/live.h"
#include "shell/compiler/regions.h"

/* ---- dominance, order, loops ---- */

static bool dominates(const graph *g, uint32_t a, uint32_t b)
{
    return a == b || !has(closure(g, g->succ, 1, bit(a)), b);
}

static void check_order(const graph *g)
{
    block_set seen = 0;

    assert_int_equal(g->cfg->order_count, __builtin_popcountll(g->reachable));
    assert_int_equal(g->cfg->order[0], 0);
    for (uint32_t i = 0; i < g->cfg->order_count; i++) {
        uint32_t b = g->cfg->order[i];

        assert_true(has(g->reachable, b) && !has(seen, b));
        seen |= bit(b);
        /* An edge backwards goes to what the block is reached from. */
        for (uint32_t to = 0; to < g->n; to++) {
            if (has(g->succ[b] & seen, to)) {
                assert_true(has(closure(g, g->succ, bit(to), 0), b));
            }
        }
    }
}

static void check_dominance(const graph *g, totals *sum)
{
    block_set dom[MAX_BLOCKS] = {0}, seen = 0; /* dom[a]: what a dominates */
    bool irreducible = false;

    for (uint32_t b = 0; b < g->n; b++) {
        assert_int_equal(g->ir.blocks[b].reachable, has(g->reachable, b));
        if (!has(g->reachable, b)) {
            assert_int_equal(g->cfg->idom[b], NONE);
            continue;
        }
        dom[b] = (g->reachable & ~closure(g, g->succ, 1, bit(b))) | bit(b);
        for (uint32_t a = 0; a < g->n; a++) {
            if (has(g->reachable, a)) {
                assert_int_equal(wr_cfg_dominates(g->cfg, b, a), has(dom[b], a));
            }
        }
    }
    for (uint32_t b = 1; b < g->n; b++) {
        uint32_t idom = g->cfg->idom[b];

        if (!has(g->reachable, b)) {
            continue;
        }
        assert_true(idom < g->n && idom != b && has(dom[idom], b));
        for (uint32_t a = 0; a < g->n; a++) { /* all other dominators dominate it */
            if (a != b && has(dom[a], b)) {
                assert_true(has(dom[a], idom));
            }
        }
    }
    for (uint32_t i = 0; i < g->cfg->order_count; i++) {
        uint32_t b = g->cfg->order[i];

        seen |= bit(b);
        for (uint32_t to = 0; to < g->n; to++) {
            irreducible = irreducible || (has(g->succ[b] & seen, to) && !has(dom[to], b));
        }
    }
    sum->irreducible += irreducible ? 1 : 0;
}

/* The natural loop of `head`; 0 where it is no head. */
static block_set loop_of(const graph *g, uint32_t head)
{
    block_set latches = 0;

    for (uint32_t latch = 0; latch < g->n; latch++) {
        if (has(g->reachable, latch) && has(g->succ[latch], head) && dominates(g, head, latch)) {
            latches |= bit(latch);
        }
    }
    return latches == 0 ? 0 : (closure(g, g->pred, latches, bit(head)) & g->reachable) | bit(head);
}

static void check_loops(const graph *g, totals *sum)
{
    block_set loops[MAX_BLOCKS];

    for (uint32_t h = 0; h < g->n; h++) {
        loops[h] = has(g->reachable, h) ? loop_of(g, h) : 0;
    }
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t depth = 0, inner = NONE;

        if (!has(g->reachable, b)) {
            continue;
        }
        for (uint32_t h = 0; h < g->n; h++) {
            if (!has(loops[h], b)) {
                continue;
            }
            depth++;
            if (inner == NONE || has(loops[inner], h)) {
                inner = h;
            }
        }
        assert_int_equal(g->cfg->loop_depth[b], depth);
        assert_int_equal(g->cfg->loop_head[b], inner);
        bool holds_none = loops[b] != 0;

        for (uint32_t h = 0; h < g->n; h++) {
            holds_none = holds_none && (h == b || loops[h] == 0 || !has(loops[b], h));
        }
        assert_int_equal(g->cfg->inner_head[b], holds_none);
        sum->loops += depth > 0 ? 1 : 0;
    }
}

/* ---- joins and regions ---- */

/* The likeness of a block to the end of a loop (cfg.c). */
static uint64_t end_like(const graph *g, block_set keep, uint32_t b)
{
    bool loops = false;

    for (uint32_t o = 0; o < g->n; o++) {
        loops = loops || (has(g->succ[b], o) && has(g->reachable, o) && dominates(g, o, b));
        loops = loops || (has(g->pred[b] & g->reachable, o) && dominates(g, b, o));
    }
    if ((g->succ[b] & ~keep) == 0) {
        return 0;
    }
    return loops ? 1000 - g->cfg->loop_depth[b] : 1;
}

/* Post-dominators among the blocks of `keep`: the nearest block without which none of the ways from
 * b to an exit is left. Where no way leads to an exit, one is made at the place of the rule. */
static void immediate(const graph *g, block_set keep, uint32_t *out)
{
    block_set succ[MAX_BLOCKS], pred[MAX_BLOCKS] = {0}, exits = 0, post[MAX_BLOCKS];

    keep &= g->reachable;
    for (uint32_t b = 0; b < g->n; b++) {
        succ[b] = has(keep, b) ? g->succ[b] & keep : 0;
        exits |= has(keep, b) && succ[b] == 0 ? bit(b) : 0;
        for (uint32_t k = 0; k < g->n; k++) {
            pred[k] |= has(succ[b], k) ? bit(b) : 0;
        }
    }
    for (;;) {
        block_set stuck = keep & ~closure(g, pred, exits, 0), last = stuck;
        uint32_t best = NONE, from = NONE;

        for (uint32_t i = 0; i < g->cfg->order_count; i++) {
            from = has(stuck, g->cfg->order[i]) ? g->cfg->order[i] : from;
        }
        if (from != NONE) { /* what it leads to, and all of that leads back to */
            for (uint32_t b = 0; b < g->n; b++) {
                if (has(closure(g, succ, bit(from), 0), b) &&
                    (closure(g, succ, bit(b), 0) & ~closure(g, pred, bit(b), 0)) == 0) {
                    last = closure(g, succ, bit(b), 0);
                }
            }
        }
        for (uint32_t i = 0; i < g->cfg->order_count; i++) {
            uint32_t b = g->cfg->order[i];

            if (has(last, b) && (best == NONE || end_like(g, keep, b) >= end_like(g, keep, best))) {
                best = b;
            }
        }
        if (best == NONE) {
            break;
        }
        exits |= bit(best);
    }
    for (uint32_t a = 0; a < g->n;
         a++) { /* what a post-dominates: can't reach an exit without it */
        post[a] = has(keep, a) ? (keep & ~closure(g, pred, exits, bit(a))) | bit(a) : 0;
    }
    for (uint32_t b = 0; b < g->n; b++) {
        out[b] = NONE;
        for (uint32_t a = 0; a < g->n && has(keep, b); a++) {
            bool nearest = a != b && has(post[a], b);

            for (uint32_t c = 0; c < g->n && nearest; c++) {
                nearest = c == b || c == a || !has(post[c], b) || has(post[c], a);
            }
            if (nearest) {
                out[b] = a;
            }
        }
    }
}

static void check_joins(const graph *g, totals *sum)
{
    uint32_t all[MAX_BLOCKS], bars[MAX_BLOCKS], lanes[MAX_BLOCKS];
    block_set before_bars = closure(g, g->pred, g->barriers, 0);
    block_set before_lanes = closure(g, g->pred, g->lanes, 0);

    immediate(g, g->all, all);
    immediate(g, before_bars, bars);
    immediate(g, before_lanes, lanes);
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t join = all[b];
        bool only_ends =
            join == NONE || (has(g->ends, join) && g->ir.blocks[join].insns.count == 1);

        if (!has(g->reachable, b)) {
            continue;
        }
        if ((g->succ[b] & before_lanes) != 0 && lanes[b] != NONE && only_ends) {
            join = lanes[b];
        }
        if ((g->succ[b] & before_bars) != 0 && bars[b] != NONE) {
            join = bars[b];
        }
        assert_int_equal(g->cfg->ipdom[b], all[b]);
        assert_int_equal(g->cfg->join[b], join);
        sum->moved += join != all[b] ? 1 : 0;
    }
}

/* Where lanes from the branch at the end of b may be that have not met the others: the machine's
 * rule, followed lane by lane. A lane goes on until the join that it waits for; a branch on its
 * way gives it another one until there, and where it never comes there it has no other any more. */
static block_set region(const graph *g, uint32_t b)
{
    /* Pairs (place, join that stops the lane); joins are blocks or MAX_BLOCKS for the exit. */
    static const uint32_t no_join = MAX_BLOCKS;
    block_set seen[MAX_BLOCKS + 1] = {0}, inside = 0;
    uint32_t stack[MAX_BLOCKS * (MAX_BLOCKS + 1)][2], depth = 0;
    uint32_t own = g->cfg->join[b] == NONE ? no_join : g->cfg->join[b];

    for (uint32_t k = 0; k < g->n; k++) {
        if (has(g->succ[b], k) && k != own && !has(seen[own], k)) {
            seen[own] |= bit(k);
            stack[depth][0] = k;
            stack[depth++][1] = own;
        }
    }
    while (depth > 0) {
        uint32_t at = stack[--depth][0], stop = stack[depth][1];
        uint32_t stops[2] = {stop, g->cfg->join[at] == NONE ? no_join : g->cfg->join[at]};

        inside |= bit(at);
        for (unsigned way = 0; way < (__builtin_popcountll(g->succ[at]) == 2 ? 2u : 1u); way++) {
            for (uint32_t k = 0; k < g->n; k++) {
                if (has(g->succ[at], k) && k != stops[way] && !has(seen[stops[way]], k)) {
                    seen[stops[way]] |= bit(k);
                    stack[depth][0] = k;
                    stack[depth++][1] = stops[way];
                }
            }
        }
    }
    return inside;
}

/* From some block, joins never lead to the exit. */
static bool joins_in_circle(const graph *g)
{
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t at = b;

        for (uint32_t steps = 0; steps <= g->n && at != NONE; steps++) {
            at = has(g->reachable, at) ? g->cfg->join[at] : NONE;
        }
        if (at != NONE) {
            return true;
        }
    }
    return false;
}

/* Where a loop without an end was given one, or joins lead in a circle, more may be inside. */
static void compare_regions(const graph *g, const wr_regions *r, block_set expected)
{
    bool more = g->cfg->tied || joins_in_circle(g);

    for (uint32_t i = 0; i < g->n; i++) {
        bool inside = r->reach[i] != WR_REGIONS_OUTSIDE;

        assert_true(inside == has(expected, i) || (inside && more));
    }
}

/* Regions of single branches, and of some together. */
static void check_regions(const graph *g, totals *sum)
{
    wr_regions *r = wr_regions_new(g->ir.pool, &g->ir, g->cfg);
    block_set both = 0;

    for (uint32_t b = 0; b < g->n; b++) {
        block_set expected = has(g->reachable, b) ? region(g, b) : 0;
        uint32_t join = g->cfg->join[b];

        if (!has(g->reachable, b) || g->ir.blocks[b].succ_count != 2) {
            continue;
        }
        wr_regions_clear(r);
        wr_regions_add(r, b);
        compare_regions(g, r, expected);
        sum->crossed += join != NONE && has(expected, join) ? 1 : 0;
    }
    wr_regions_clear(r);
    for (uint32_t b = g->n; b-- > 0;) {
        if (has(g->reachable, b) && g->ir.blocks[b].succ_count == 2 && b % 3 != 0) {
            wr_regions_add(r, b);
            both |= region(g, b);
        }
    }
    compare_regions(g, r, both);
}

/* ---- liveness ---- */

/* Sets of cells, by the equations: live before = used, or live behind and not surely written. */
static void check_liveness(graph *g, totals *sum)
{
    wr_live *live = wr_live_build(&g->ir, g->cfg, g->ir.pool);
    wr_cell_set cells = wr_cell_set_new(g->ir.pool, live->cells);
    uint64_t in[MAX_BLOCKS] = {0};
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < g->n; b++) {
            uint64_t now = 0;

            for (uint32_t k = 0; k < g->n; k++) {
                now |= has(g->succ[b], k) ? in[k] : 0;
            }
            for (uint32_t i = g->ir.blocks[b].insns.count; i-- > 0;) {
                wr_ir_refs refs;

                wr_ir_get_refs(&g->ir, &g->ir.blocks[b].insns.at[i], &refs);
                for (uint32_t k = 0; refs.kills && k < refs.def_count; k++) {
                    now &= ~bit(refs.defs[k]);
                }
                for (uint32_t k = 0; k < refs.use_count; k++) {
                    now |= bit(refs.uses[k]);
                }
            }
            changed = changed || now != in[b];
            in[b] = now;
        }
    }
    for (uint32_t b = 0; b < g->n; b++) {
        uint64_t got = 0, out = 0, expected = 0;

        if (!has(g->reachable, b)) {
            continue;
        }
        for (uint32_t k = 0; k < g->n; k++) {
            expected |= has(g->succ[b], k) ? in[k] : 0;
        }
        wr_live_in(live, b, &cells);
        for (uint32_t cell = 0; cell < live->cells; cell++) {
            got |= wr_cell_set_has(&cells, cell) ? bit(cell) : 0;
            assert_int_equal(wr_live_has_in(live, b, cell), has(in[b], cell));
        }
        wr_live_out(live, b, &cells);
        for (uint32_t cell = 0; cell < live->cells; cell++) {
            out |= wr_cell_set_has(&cells, cell) ? bit(cell) : 0;
            assert_int_equal(wr_live_has_out(live, b, cell), has(expected, cell));
        }
        assert_true(got == in[b]);
        assert_true(out == expected);
        sum->live += (unsigned)__builtin_popcountll(got);
    }
}

static void random_graphs(void **context)
{
    const char *seed = getenv("WARPREF_SEED"), *count = getenv("WARPREF_GRAPHS");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    uint64_t graphs = count != NULL ? strtoull(count, NULL, 10) : 100000;
    totals sum = {0};

    (void)context;
    for (uint64_t i = first; i < first + graphs; i++) {
        uint64_t s = i * 2 + 1;
        graph g;

        for (unsigned k = 0; k < 4; k++) { /* near seeds are alike at first */
            (void)wr_random_next(&s);
        }
        if (seed != NULL) {
            print_message("graph %llu\n", (unsigned long long)i);
        }
        make_graph(&g, &s, &sum);
        check_order(&g);
        check_dominance(&g, &sum);
        check_loops(&g, &sum);
        check_joins(&g, &sum);
        check_regions(&g, &sum);
        check_liveness(&g, &sum);
        wr_pool_free(g.ir.pool);
    }
    print_message(
        "%u graphs: %u irreducible, %u with endless loops, %u with unreachable blocks, %u "
        "with several exits, %u chains, %u self loops; %u blocks in loops, %u joins moved, "
        "%u regions through their join, %u live cells\n",
        sum.graphs, sum.irreducible, sum.endless, sum.unreachable, sum.exits, sum.chains,
        sum.self_loops, sum.loops, sum.moved, sum.crossed, sum.live);
    if (seed != NULL || graphs < 1000) {
        return;
    }
    assert_true(sum.irreducible * 20 > sum.graphs && sum.endless * 20 > sum.graphs);
    assert_true(sum.unreachable * 20 > sum.graphs && sum.exits * 20 > sum.graphs);
    assert_true(sum.self_loops * 20 > sum.graphs && sum.chains * 20 > sum.graphs);
    assert_true(sum.moved * 20 > sum.graphs && sum.crossed > 0);
    assert_true(sum.loops > sum.graphs && sum.live > sum.graphs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};

    return cmocka_run_group_tests_name("random graphs", tests, NULL, NULL);
}
