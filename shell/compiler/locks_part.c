/* SPDX-License-Identifier: Apache-2.0 */
/* See locks.h. Blocks are made anew: one that is cut becomes two, and behind one whose branch is
 * turned round stands a jump to where it fell through.
 */
#include "shell/compiler/locks.h"

typedef struct remake {
    wr_ir *ir;
    uint32_t *first; /* by old block: its number now */
    uint32_t *cut;   /* by old block: it is cut before this instruction; 0: not */
    bool *turned;    /* by old block: a block with a jump stands behind it */
    const wr_spin *spins;
    uint32_t count;
} remake;

static uint32_t number_of(const remake *r, wr_place p)
{
    if (p.block == r->ir->block_count) {
        return WR_IR_NO_BLOCK;
    }
    return r->first[p.block] + (p.index != 0 ? 1 : 0);
}

/* Where lanes that leave by the block's branch fall through it has to be turned round. */
static void turn(remake *r, uint32_t block, uint32_t out)
{
    if (block != WR_IR_NO_BLOCK) {
        r->turned[block] = r->ir->blocks[block].succ[0] == out;
    }
}

static void plan(remake *r)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        const wr_spin *w = &r->spins[i];

        turn(r, w->exit, w->out);
        turn(r, w->guard, w->out);
        if (w->meet.block < r->ir->block_count && w->meet.index > r->cut[w->meet.block]) {
            r->cut[w->meet.block] = w->meet.index;
        }
    }
    for (uint32_t b = 0; b < r->ir->block_count; b++) {
        r->first[b] = next;
        next += 1U + (r->cut[b] != 0 ? 1U : 0U) + (r->turned[b] ? 1U : 0U);
    }
    r->first[r->ir->block_count] = next;
}

/* Puts old block b where it stands now, in one part or two, and a jump behind it. */
static void put_block(const remake *r, wr_ir_block *blocks, uint32_t b)
{
    const wr_ir_block *old = &r->ir->blocks[b];
    wr_ir_block *block = &blocks[r->first[b]];

    *block = (wr_ir_block){.insns = old->insns, .late = old->late};
    if (r->cut[b] != 0) {
        wr_ir_block *rest = block + 1;

        *rest = (wr_ir_block){.late = old->late};
        for (uint32_t i = r->cut[b]; i < old->insns.count; i++) {
            wr_ir_append(r->ir, &rest->insns, &old->insns.at[i]);
        }
        block->insns.count = r->cut[b];
        block->late = 0;
        block->succ[block->succ_count++] = r->first[b] + 1;
        block = rest;
    }
    for (uint32_t k = 0; k < old->succ_count; k++) {
        block->succ[block->succ_count++] = r->first[old->succ[k]];
    }
    if (block->insns.count > 0 && block->insns.at[block->insns.count - 1].m.op == WR_OP_BRA) {
        wr_ir_insn *branch = &block->insns.at[block->insns.count - 1];

        branch->target = r->first[branch->target];
    }
    if (r->turned[b]) {
        wr_ir_insn *branch = &block->insns.at[block->insns.count - 1], back = *branch;

        back.guard = WR_IR_NO_REG;
        back.m.guard_neg = false;
        branch->m.guard_neg = !branch->m.guard_neg;
        branch->m.uniform = false;
        branch->target = block->succ[0];
        block[1] = (wr_ir_block){.succ = {back.target}, .succ_count = 1};
        wr_ir_append(r->ir, &block[1].insns, &back);
        block->succ[1] = block->succ[0];
        block->succ[0] = (uint32_t)(block + 1 - blocks);
    }
}

void wr_locks_part(wr_ir *ir, const wr_spin *spins, uint32_t count)
{
    uint32_t n = ir->block_count;
    remake r = {.ir = ir,
                .first = wr_pool_alloc(ir->pool, n + 1, sizeof *r.first),
                .cut = wr_pool_alloc(ir->pool, n + 1, sizeof *r.cut),
                .turned = wr_pool_alloc(ir->pool, n, sizeof *r.turned),
                .spins = spins,
                .count = count};
    wr_ir_block *blocks;

    plan(&r);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t meet = number_of(&r, spins[i].meet);

        for (uint32_t b = 0; b < n; b++) {
            if (spins[i].parts[b]) {
                ir->blocks[b].late = meet == WR_IR_NO_BLOCK ? WR_IR_NO_BLOCK : meet + 1;
            }
        }
    }
    blocks = wr_pool_alloc(ir->pool, r.first[n], sizeof *blocks);
    for (uint32_t b = 0; b < n; b++) {
        put_block(&r, blocks, b);
    }
    ir->blocks = blocks;
    ir->block_count = r.first[n];
}
