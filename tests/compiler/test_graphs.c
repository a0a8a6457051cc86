/* Control flow, regions and liveness on random graphs of up to 40 blocks, against oracles that take
 * the definitions word by word: a block dominates another where removing it leaves no path, and so
 * on. Sets of blocks are bits of a word.
 *
 * Graphs are of several kinds: any edges, edges to near blocks, chains of comparisons as brx.idx
 * becomes, nests; with unreachable blocks, several exits or none, loops without an end, and
 * loops with several heads. WARPREF_SEED=n begins with graph n, WARPREF_GRAPHS sets how many. */
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
#include "shell/compiler/regions.h"

#define MAX_BLOCKS 40
#define REGS       4
#define PREDS      2
#define NONE       WR_IR_NO_BLOCK

typedef uint64_t set;

typedef struct graph {
    wr_ir ir;
    wr_cfg *cfg;
    uint32_t n;
    set succ[MAX_BLOCKS], pred[MAX_BLOCKS];
    set reachable, ends; /* ends: no successor */
    set barriers, lanes; /* hold such an instruction */
    set all;
} graph;

typedef struct totals {
    unsigned graphs, irreducible, endless, unreachable, exits, self_loops, chains, moved, crossed;
    unsigned loops, live;
} totals;

static set bit(uint32_t b)
{
    return b < 64 ? UINT64_C(1) << b : 0;
}

static bool has(set s, uint32_t b)
{
    return (s >> b & 1) != 0;
}

/* ---- graphs ---- */

static void add_insn(graph *g, wr_ir_block *block, uint64_t *s)
{
    uint32_t dst = wr_random_next(s) % REGS, src = wr_random_next(s) % REGS;
    unsigned words = g->ir.regs[dst].words < g->ir.regs[src].words ? g->ir.regs[dst].words
                                                                   : g->ir.regs[src].words;
    wr_ir_insn insn = wr_ir_move(wr_ir_reg_operand(dst, 0), wr_ir_reg_operand(src, 0), words);

    if (wr_random_next(s) % 3 == 0)
        insn.src[0] = wr_ir_imm_operand(5);
    if (wr_random_next(s) % 4 == 0)
        insn.guard = wr_random_next(s) % PREDS;
    wr_ir_append(&g->ir, &block->insns, &insn);
}

static void add_meeting(graph *g, uint32_t b, bool barrier)
{
    wr_ir_insn insn = wr_ir_insn_new(barrier ? WR_OP_BAR_PP : WR_OP_WARPSYNC, WR_U8);

    if (!barrier)
        insn.src[0] = wr_ir_imm_operand(UINT32_MAX);
    wr_ir_append(&g->ir, &g->ir.blocks[b].insns, &insn);
    *(barrier ? &g->barriers : &g->lanes) |= bit(b);
}

static uint32_t any_target(const graph *g, uint32_t b, unsigned kind, uint64_t *s)
{
    uint32_t far = wr_random_next(s) % g->n, span = 1 + wr_random_next(s) % 4;

    if (kind == 1) /* near */
        return wr_random_next(s) % 3 == 0 ? (b > span ? b - span : 0)
                                          : (b + span < g->n ? b + span : g->n - 1);
    if (kind == 3) /* forward mostly */
        return wr_random_next(s) % 8 == 0 ? far : b + 1 + far % (g->n - b > 1 ? g->n - b - 1 : 1);
    return far;
}

static void add_end(graph *g, uint32_t b, unsigned kind, uint64_t *s)
{
    wr_ir_block *block = &g->ir.blocks[b];
    unsigned form = wr_random_next(s) % 12;
    bool last = b + 1 == g->n, chain = kind == 2 && b < g->n / 2;
    wr_ir_insn insn = wr_ir_insn_new(WR_OP_BRA, WR_U8);

    insn.target =
        chain ? g->n / 2 + wr_random_next(s) % (g->n - g->n / 2) : any_target(g, b, kind, s);
    insn.target %= g->n;
    if (last || (form == 0 && !chain)) {
        if (last && kind != 0)
            form = 0;
        if (form % 4 != 0) { /* the last block may jump back */
            block->succ[block->succ_count++] = insn.target;
        } else {
            insn.m.op = WR_OP_EXIT;
        }
    } else if (form < 8 || chain) {
        insn.guard = wr_random_next(s) % PREDS;
        block->succ[block->succ_count++] = b + 1;
        if (insn.target != b + 1)
            block->succ[block->succ_count++] = insn.target;
    } else if (form == 8) {
        block->succ[block->succ_count++] = insn.target;
    } else {
        block->succ[block->succ_count++] = b + 1;
        return;
    }
    wr_ir_append(&g->ir, &block->insns, &insn);
}

static set closure(const graph *g, const set *edges, set from, set without)
{
    set seen = from & ~without, fresh = seen;

    (void)g;
    while (fresh != 0) {
        uint32_t b = (uint32_t)__builtin_ctzll(fresh);

        fresh &= fresh - 1;
        fresh |= edges[b] & ~seen & ~without;
        seen |= edges[b] & ~without;
    }
    return seen;
}

static void make_graph(graph *g, uint64_t *s, totals *sum)
{
    unsigned kind = wr_random_next(s) % 4, meetings = wr_random_next(s) % 4;

    memset(g, 0, sizeof *g);
    g->n = 2 + wr_random_next(s) % (wr_random_next(s) % 4 ? 14 : MAX_BLOCKS - 1);
    g->ir.pool = wr_pool_new();
    g->ir.block_count = g->n;
    g->ir.blocks = wr_pool_alloc(g->ir.pool, g->n, sizeof *g->ir.blocks);
    for (unsigned r = 0; r < REGS; r++)
        wr_ir_new_reg(&g->ir, r < 3 ? 1 : 2);
    for (unsigned p = 0; p < PREDS; p++)
        wr_ir_new_pred(&g->ir);
    for (uint32_t b = 0; b < g->n; b++) {
        for (unsigned i = wr_random_next(s) % 3; i > 0; i--)
            add_insn(g, &g->ir.blocks[b], s);
        if (meetings > 0 && wr_random_next(s) % 8 == 0)
            add_meeting(g, b, meetings == 1 || (meetings == 3 && wr_random_next(s) % 2));
        add_end(g, b, kind, s);
    }
    for (uint32_t b = 0; b < g->n; b++)
        for (uint32_t k = 0; k < g->ir.blocks[b].succ_count; k++) {
            g->succ[b] |= bit(g->ir.blocks[b].succ[k]);
            g->pred[g->ir.blocks[b].succ[k]] |= bit(b);
        }
    g->reachable = closure(g, g->succ, 1, 0);
    for (uint32_t b = 0; b < g->n; b++) {
        g->ends |= g->succ[b] == 0 ? bit(b) : 0;
        g->all |= bit(b);
        sum->self_loops += has(g->succ[b] & g->reachable, b) ? 1 : 0;
    }
    sum->graphs++;
    sum->chains += kind == 2 ? 1 : 0;
    sum->unreachable += g->reachable != g->all ? 1 : 0;
    sum->exits += __builtin_popcountll(g->ends & g->reachable) > 1 ? 1 : 0;
    sum->endless += (g->reachable & ~closure(g, g->pred, g->ends, 0)) != 0 ? 1 : 0;
    g->cfg = wr_cfg_build(&g->ir);
}

/* ---- dominance, order, loops ---- */

static bool dominates(const graph *g, uint32_t a, uint32_t b)
{
    return a == b || !has(closure(g, g->succ, 1, bit(a)), b);
}

static void check_order(const graph *g)
{
    set seen = 0;

    assert_int_equal(g->cfg->order_count, __builtin_popcountll(g->reachable));
    assert_int_equal(g->cfg->order[0], 0);
    for (uint32_t i = 0; i < g->cfg->order_count; i++) {
        uint32_t b = g->cfg->order[i];

        assert_true(has(g->reachable, b) && !has(seen, b));
        seen |= bit(b);
        /* An edge backwards goes to what the block is reached from. */
        for (uint32_t to = 0; to < g->n; to++)
            if (has(g->succ[b] & seen, to))
                assert_true(has(closure(g, g->succ, bit(to), 0), b));
    }
}

static void check_dominance(const graph *g, totals *sum)
{
    set dom[MAX_BLOCKS] = {0}, seen = 0; /* dom[a]: what a dominates */
    bool irreducible = false;

    for (uint32_t b = 0; b < g->n; b++) {
        assert_int_equal(g->ir.blocks[b].reachable, has(g->reachable, b));
        if (!has(g->reachable, b)) {
            assert_int_equal(g->cfg->idom[b], NONE);
            continue;
        }
        dom[b] = (g->reachable & ~closure(g, g->succ, 1, bit(b))) | bit(b);
        for (uint32_t a = 0; a < g->n; a++)
            if (has(g->reachable, a))
                assert_int_equal(wr_cfg_dominates(g->cfg, b, a), has(dom[b], a));
    }
    for (uint32_t b = 1; b < g->n; b++) {
        uint32_t idom = g->cfg->idom[b];

        if (!has(g->reachable, b))
            continue;
        assert_true(idom < g->n && idom != b && has(dom[idom], b));
        for (uint32_t a = 0; a < g->n; a++) /* all other dominators dominate it */
            if (a != b && has(dom[a], b))
                assert_true(has(dom[a], idom));
    }
    for (uint32_t i = 0; i < g->cfg->order_count; i++) {
        uint32_t b = g->cfg->order[i];

        seen |= bit(b);
        for (uint32_t to = 0; to < g->n; to++)
            irreducible = irreducible || (has(g->succ[b] & seen, to) && !has(dom[to], b));
    }
    sum->irreducible += irreducible ? 1 : 0;
}

/* The natural loop of `head`; 0 where it is no head. */
static set loop_of(const graph *g, uint32_t head)
{
    set latches = 0;

    for (uint32_t latch = 0; latch < g->n; latch++)
        if (has(g->reachable, latch) && has(g->succ[latch], head) && dominates(g, head, latch))
            latches |= bit(latch);
    return latches == 0 ? 0 : (closure(g, g->pred, latches, bit(head)) & g->reachable) | bit(head);
}

static void check_loops(const graph *g, totals *sum)
{
    set loops[MAX_BLOCKS];

    for (uint32_t h = 0; h < g->n; h++)
        loops[h] = has(g->reachable, h) ? loop_of(g, h) : 0;
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t depth = 0, inner = NONE;

        if (!has(g->reachable, b))
            continue;
        for (uint32_t h = 0; h < g->n; h++) {
            if (!has(loops[h], b))
                continue;
            depth++;
            if (inner == NONE || has(loops[inner], h))
                inner = h;
        }
        assert_int_equal(g->cfg->loop_depth[b], depth);
        assert_int_equal(g->cfg->loop_head[b], inner);
        bool holds_none = loops[b] != 0;

        for (uint32_t h = 0; h < g->n; h++)
            holds_none = holds_none && (h == b || loops[h] == 0 || !has(loops[b], h));
        assert_int_equal(g->cfg->inner_head[b], holds_none);
        sum->loops += depth > 0 ? 1 : 0;
    }
}

/* ---- joins and regions ---- */

/* The likeness of a block to the end of a loop (cfg.c). */
static uint64_t end_like(const graph *g, set keep, uint32_t b)
{
    bool loops = false;

    for (uint32_t o = 0; o < g->n; o++) {
        loops = loops || (has(g->succ[b], o) && has(g->reachable, o) && dominates(g, o, b));
        loops = loops || (has(g->pred[b] & g->reachable, o) && dominates(g, b, o));
    }
    if ((g->succ[b] & ~keep) == 0)
        return 0;
    return loops ? 1000 - g->cfg->loop_depth[b] : 1;
}

/* Post-dominators among the blocks of `keep`: the nearest block without which none of the ways from
 * b to an exit is left. Where no way leads to an exit, one is made at the place of the rule. */
static void immediate(const graph *g, set keep, uint32_t *out)
{
    set succ[MAX_BLOCKS], pred[MAX_BLOCKS] = {0}, exits = 0, post[MAX_BLOCKS];

    keep &= g->reachable;
    for (uint32_t b = 0; b < g->n; b++) {
        succ[b] = has(keep, b) ? g->succ[b] & keep : 0;
        exits |= has(keep, b) && succ[b] == 0 ? bit(b) : 0;
        for (uint32_t k = 0; k < g->n; k++)
            pred[k] |= has(succ[b], k) ? bit(b) : 0;
    }
    for (;;) {
        set stuck = keep & ~closure(g, pred, exits, 0), last = stuck;
        uint32_t best = NONE, from = NONE;

        for (uint32_t i = 0; i < g->cfg->order_count; i++)
            from = has(stuck, g->cfg->order[i]) ? g->cfg->order[i] : from;
        if (from != NONE) /* what it leads to, and all of that leads back to */
            for (uint32_t b = 0; b < g->n; b++)
                if (has(closure(g, succ, bit(from), 0), b) &&
                    (closure(g, succ, bit(b), 0) & ~closure(g, pred, bit(b), 0)) == 0)
                    last = closure(g, succ, bit(b), 0);
        for (uint32_t i = 0; i < g->cfg->order_count; i++) {
            uint32_t b = g->cfg->order[i];

            if (has(last, b) && (best == NONE || end_like(g, keep, b) >= end_like(g, keep, best)))
                best = b;
        }
        if (best == NONE)
            break;
        exits |= bit(best);
    }
    for (uint32_t a = 0; a < g->n; a++) /* what a post-dominates: can't reach an exit without it */
        post[a] = has(keep, a) ? (keep & ~closure(g, pred, exits, bit(a))) | bit(a) : 0;
    for (uint32_t b = 0; b < g->n; b++) {
        out[b] = NONE;
        for (uint32_t a = 0; a < g->n && has(keep, b); a++) {
            bool nearest = a != b && has(post[a], b);

            for (uint32_t c = 0; c < g->n && nearest; c++)
                nearest = c == b || c == a || !has(post[c], b) || has(post[c], a);
            if (nearest)
                out[b] = a;
        }
    }
}

static void check_joins(const graph *g, totals *sum)
{
    uint32_t all[MAX_BLOCKS], bars[MAX_BLOCKS], lanes[MAX_BLOCKS];
    set before_bars = closure(g, g->pred, g->barriers, 0);
    set before_lanes = closure(g, g->pred, g->lanes, 0);

    immediate(g, g->all, all);
    immediate(g, before_bars, bars);
    immediate(g, before_lanes, lanes);
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t join = all[b];
        bool only_ends =
            join == NONE || (has(g->ends, join) && g->ir.blocks[join].insns.count == 1);

        if (!has(g->reachable, b))
            continue;
        if ((g->succ[b] & before_lanes) != 0 && lanes[b] != NONE && only_ends)
            join = lanes[b];
        if ((g->succ[b] & before_bars) != 0 && bars[b] != NONE)
            join = bars[b];
        assert_int_equal(g->cfg->ipdom[b], all[b]);
        assert_int_equal(g->cfg->join[b], join);
        sum->moved += join != all[b] ? 1 : 0;
    }
}

/* Where lanes from the branch at the end of b may be that have not met the others: the machine's
 * rule, followed lane by lane. A lane goes on until the join that it waits for; a branch on its
 * way gives it another one until there, and where it never comes there it has no other any more. */
static set region(const graph *g, uint32_t b)
{
    /* Pairs (place, join that stops the lane); joins are blocks or MAX_BLOCKS for the exit. */
    static const uint32_t no_join = MAX_BLOCKS;
    set seen[MAX_BLOCKS + 1] = {0}, inside = 0;
    uint32_t stack[MAX_BLOCKS * (MAX_BLOCKS + 1)][2], depth = 0;
    uint32_t own = g->cfg->join[b] == NONE ? no_join : g->cfg->join[b];

    for (uint32_t k = 0; k < g->n; k++)
        if (has(g->succ[b], k) && k != own && !has(seen[own], k)) {
            seen[own] |= bit(k);
            stack[depth][0] = k;
            stack[depth++][1] = own;
        }
    while (depth > 0) {
        uint32_t at = stack[--depth][0], stop = stack[depth][1];
        uint32_t stops[2] = {stop, g->cfg->join[at] == NONE ? no_join : g->cfg->join[at]};

        inside |= bit(at);
        for (unsigned way = 0; way < (__builtin_popcountll(g->succ[at]) == 2 ? 2u : 1u); way++)
            for (uint32_t k = 0; k < g->n; k++)
                if (has(g->succ[at], k) && k != stops[way] && !has(seen[stops[way]], k)) {
                    seen[stops[way]] |= bit(k);
                    stack[depth][0] = k;
                    stack[depth++][1] = stops[way];
                }
    }
    return inside;
}

/* From some block, joins never lead to the exit. */
static bool joins_in_circle(const graph *g)
{
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t at = b;

        for (uint32_t steps = 0; steps <= g->n && at != NONE; steps++)
            at = has(g->reachable, at) ? g->cfg->join[at] : NONE;
        if (at != NONE)
            return true;
    }
    return false;
}

/* Where a loop without an end was given one, or joins lead in a circle, more may be inside. */
static void compare_regions(const graph *g, const wr_regions *r, set expected)
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
    set both = 0;

    for (uint32_t b = 0; b < g->n; b++) {
        set expected = has(g->reachable, b) ? region(g, b) : 0;
        uint32_t join = g->cfg->join[b];

        if (!has(g->reachable, b) || g->ir.blocks[b].succ_count != 2)
            continue;
        wr_regions_clear(r);
        wr_regions_add(r, b);
        compare_regions(g, r, expected);
        sum->crossed += join != NONE && has(expected, join) ? 1 : 0;
    }
    wr_regions_clear(r);
    for (uint32_t b = g->n; b-- > 0;)
        if (has(g->reachable, b) && g->ir.blocks[b].succ_count == 2 && b % 3 != 0) {
            wr_regions_add(r, b);
            both |= region(g, b);
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

            for (uint32_t k = 0; k < g->n; k++)
                now |= has(g->succ[b], k) ? in[k] : 0;
            for (uint32_t i = g->ir.blocks[b].insns.count; i-- > 0;) {
                wr_ir_refs refs;

                wr_ir_get_refs(&g->ir, &g->ir.blocks[b].insns.at[i], &refs);
                for (uint32_t k = 0; refs.kills && k < refs.def_count; k++)
                    now &= ~bit(refs.defs[k]);
                for (uint32_t k = 0; k < refs.use_count; k++)
                    now |= bit(refs.uses[k]);
            }
            changed = changed || now != in[b];
            in[b] = now;
        }
    }
    for (uint32_t b = 0; b < g->n; b++) {
        uint64_t got = 0, out = 0, expected = 0;

        if (!has(g->reachable, b))
            continue;
        for (uint32_t k = 0; k < g->n; k++)
            expected |= has(g->succ[b], k) ? in[k] : 0;
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

        for (unsigned k = 0; k < 4; k++) /* near seeds are alike at first */
            (void)wr_random_next(&s);
        if (seed != NULL)
            print_message("graph %llu\n", (unsigned long long)i);
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
    if (seed != NULL || graphs < 1000)
        return;
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
