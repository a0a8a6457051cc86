/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing of random graphs; see graph_gen.h. */
#include "graph_gen.h"

#include <string.h>

#include "random.h"

static void add_insn(graph *g, wr_ir_block *block, uint64_t *s)
{
    uint32_t dst = wr_random_next(s) % REGS, src = wr_random_next(s) % REGS;
    unsigned words = g->ir.regs[dst].words < g->ir.regs[src].words ? g->ir.regs[dst].words
                                                                   : g->ir.regs[src].words;
    wr_ir_insn insn = wr_ir_move(wr_ir_reg_operand(dst, 0), wr_ir_reg_operand(src, 0), words);

    if (wr_random_next(s) % 3 == 0) {
        insn.src[0] = wr_ir_imm_operand(5);
    }
    if (wr_random_next(s) % 4 == 0) {
        insn.guard = wr_random_next(s) % PREDS;
    }
    wr_ir_append(&g->ir, &block->insns, &insn);
}

static void add_meeting(graph *g, uint32_t b, bool barrier)
{
    wr_ir_insn insn = wr_ir_insn_new(barrier ? WR_OP_BAR_PP : WR_OP_WARPSYNC, WR_U8);

    if (!barrier) {
        insn.src[0] = wr_ir_imm_operand(UINT32_MAX);
    }
    wr_ir_append(&g->ir, &g->ir.blocks[b].insns, &insn);
    *(barrier ? &g->barriers : &g->lanes) |= bit(b);
}

static uint32_t any_target(const graph *g, uint32_t b, unsigned kind, uint64_t *s)
{
    uint32_t far = wr_random_next(s) % g->n, span = 1 + wr_random_next(s) % 4;

    if (kind == 1) { /* near */
        return wr_random_next(s) % 3 == 0 ? (b > span ? b - span : 0)
                                          : (b + span < g->n ? b + span : g->n - 1);
    }
    if (kind == 3) { /* forward mostly */
        return wr_random_next(s) % 8 == 0 ? far : b + 1 + far % (g->n - b > 1 ? g->n - b - 1 : 1);
    }
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
        if (last && kind != 0) {
            form = 0;
        }
        if (form % 4 != 0) { /* the last block may jump back */
            block->succ[block->succ_count++] = insn.target;
        } else {
            insn.m.op = WR_OP_EXIT;
        }
    } else if (form < 8 || chain) {
        insn.guard = wr_random_next(s) % PREDS;
        block->succ[block->succ_count++] = b + 1;
        if (insn.target != b + 1) {
            block->succ[block->succ_count++] = insn.target;
        }
    } else if (form == 8) {
        block->succ[block->succ_count++] = insn.target;
    } else {
        block->succ[block->succ_count++] = b + 1;
        return;
    }
    wr_ir_append(&g->ir, &block->insns, &insn);
}

block_set closure(const graph *g, const block_set *edges, block_set from, block_set without)
{
    block_set seen = from & ~without, fresh = seen;

    (void)g;
    while (fresh != 0) {
        uint32_t b = (uint32_t)__builtin_ctzll(fresh);

        fresh &= fresh - 1;
        fresh |= edges[b] & ~seen & ~without;
        seen |= edges[b] & ~without;
    }
    return seen;
}

void make_graph(graph *g, uint64_t *s, totals *sum)
{
    unsigned kind = wr_random_next(s) % 4, meetings = wr_random_next(s) % 4;

    memset(g, 0, sizeof *g);
    g->n = 2 + wr_random_next(s) % (wr_random_next(s) % 4 ? 14 : MAX_BLOCKS - 1);
    g->ir.pool = wr_pool_new();
    g->ir.block_count = g->n;
    g->ir.blocks = wr_pool_alloc(g->ir.pool, g->n, sizeof *g->ir.blocks);
    for (unsigned r = 0; r < REGS; r++) {
        wr_ir_new_reg(&g->ir, r < 3 ? 1 : 2);
    }
    for (unsigned p = 0; p < PREDS; p++) {
        wr_ir_new_pred(&g->ir);
    }
    for (uint32_t b = 0; b < g->n; b++) {
        for (unsigned i = wr_random_next(s) % 3; i > 0; i--) {
            add_insn(g, &g->ir.blocks[b], s);
        }
        if (meetings > 0 && wr_random_next(s) % 8 == 0) {
            add_meeting(g, b, meetings == 1 || (meetings == 3 && wr_random_next(s) % 2));
        }
        add_end(g, b, kind, s);
    }
    for (uint32_t b = 0; b < g->n; b++) {
        for (uint32_t k = 0; k < g->ir.blocks[b].succ_count; k++) {
            g->succ[b] |= bit(g->ir.blocks[b].succ[k]);
            g->pred[g->ir.blocks[b].succ[k]] |= bit(b);
        }
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
