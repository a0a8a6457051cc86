/* SPDX-License-Identifier: Apache-2.0 */
/* Emission: layout, encoding, and the kernel's tables.
 *
 * Addresses are known once every block's length is, so the code is laid out first and encoded
 * then. What the machine runs is decoded from the words again: what was encoded is what runs.
 */
#include "shell/compiler/passes.h"

#define MAX_WORDS (UINT32_C(1) << 24)

static uint32_t words_of(const wr_ir_insn *insn)
{
    return insn->m.ext != WR_EXT_NONE || insn->m.op == WR_OP_PP ? 2 : 1;
}

/* Branches to what follows anyway. */
static void drop_empty_branches(wr_ir *ir)
{
    for (uint32_t b = 0; b < ir->block_count; b++) {
        wr_ir_list *list = &ir->blocks[b].insns;
        wr_ir_insn *last;
        uint32_t next = b + 1;

        if (list->count == 0) {
            continue;
        }
        last = &list->at[list->count - 1];
        if (last->m.op != WR_OP_BRA || ir->blocks[b].succ_count != 1) {
            continue;
        }
        while (next < last->target && ir->blocks[next].insns.count == 0) {
            next++;
        }
        if (next == last->target) {
            list->count--;
        }
    }
}

static unsigned count_live(uint64_t live, uint32_t regs)
{
    uint64_t low = (UINT64_C(1) << 53) - 1;
    unsigned count = (unsigned)__builtin_popcountll(live & low);

    return (live & ~low) != 0 && regs > 53 ? count + regs - 53 : count;
}

static void add_point(wr_kernel *kernel, const wr_insn *insn, uint32_t line, bool in_loop)
{
    wr_pp *pp = &kernel->pps[kernel->pp_count++];

    *pp = (wr_pp){.pc = insn->pc,
                  .line = line,
                  .is_bar = insn->op == WR_OP_BAR_PP,
                  .in_loop = in_loop,
                  .live = insn->live,
                  .live_div = insn->live_div,
                  .live_count = count_live(insn->live, kernel->regs),
                  .live_div_count = count_live(insn->live_div, kernel->regs)};
    if (pp->live_count > kernel->max_live) {
        kernel->max_live = pp->live_count;
    }
    if (pp->live_div_count > kernel->max_live) {
        kernel->max_live = pp->live_div_count;
    }
}

static bool emit_insn(wr_kernel *kernel, wr_ir_insn *insn, bool in_loop)
{
    uint64_t words[2];
    uint32_t at = (uint32_t)kernel->word_count;
    unsigned count = wr_isa_encode(&insn->m, words);
    wr_insn *decoded = &kernel->insns[kernel->insn_count];

    if (count == 0 || count != words_of(insn)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        kernel->insn_at[at + i] = i == 0 ? (uint32_t)kernel->insn_count : UINT32_MAX;
        kernel->words[at + i] = words[i];
    }
    if (wr_isa_decode(kernel->words, at + count, at, decoded) != count) {
        return false;
    }
    kernel->word_count += count;
    kernel->roots[kernel->insn_count] = insn->roots;
    kernel->lines[kernel->insn_count++] = insn->line;
    if (decoded->op == WR_OP_PP || decoded->op == WR_OP_BAR_PP) {
        add_point(kernel, decoded, insn->line, in_loop);
    }
    return true;
}

bool wr_emit(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool, wr_kernel *kernel)
{
    uint32_t *start = wr_pool_alloc(pool, ir->block_count + 1, sizeof *start);
    uint32_t insns = 0, words = 0, points = 0;

    drop_empty_branches(ir);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        start[b] = words;
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            const wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            words += words_of(insn);
            points += insn->m.op == WR_OP_PP || insn->m.op == WR_OP_BAR_PP ? 1 : 0;
            insns++;
        }
    }
    if (words >= MAX_WORDS) {
        return false;
    }
    kernel->words = wr_pool_alloc(pool, words, sizeof *kernel->words);
    kernel->insn_at = wr_pool_alloc(pool, words, sizeof *kernel->insn_at);
    kernel->insns = wr_pool_alloc(pool, insns, sizeof *kernel->insns);
    kernel->lines = wr_pool_alloc(pool, insns, sizeof *kernel->lines);
    kernel->roots = wr_pool_alloc(pool, insns, sizeof *kernel->roots);
    kernel->pps = wr_pool_alloc(pool, points, sizeof *kernel->pps);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];
            uint32_t join = cfg->join[b];

            if (insn->m.op == WR_OP_BRA) {
                insn->m.target = 8 * start[insn->target];
                insn->m.reconv = join == WR_IR_NO_BLOCK ? UINT32_MAX : 8 * start[join];
            }
            if (!emit_insn(kernel, insn, cfg->loop_depth[b] > 0)) {
                return false;
            }
        }
    }
    return true;
}
