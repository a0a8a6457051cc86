/* SPDX-License-Identifier: Apache-2.0 */
/* As live.c, but the sets fit a word, so the whole state is two words a block. */
#include "shell/compiler/phys.h"

static uint64_t mask_of(uint8_t reg, unsigned words)
{
    if (reg == WR_ISA_RZ || words == 0) {
        return 0;
    }
    return ((UINT64_C(1) << words) - 1) << reg;
}

uint64_t wr_phys_step(const wr_ir_insn *insn, uint64_t live)
{
    if (insn->m.guard == WR_ISA_PT) {
        live &= ~mask_of(insn->m.dst, wr_ir_dst_words(insn));
    }
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        live |= mask_of(insn->m.src[i], wr_ir_src_words(insn, i));
    }
    return live;
}

/* What a block reads before it writes it, and what it writes for certain. */
static void summarise(const wr_ir_list *list, uint64_t *reads, uint64_t *writes)
{
    uint64_t from_none = 0, from_all = UINT64_MAX;

    for (uint32_t i = list->count; i-- > 0;) {
        from_none = wr_phys_step(&list->at[i], from_none);
        from_all = wr_phys_step(&list->at[i], from_all);
    }
    *reads = from_none;
    *writes = ~from_all;
}

wr_phys *wr_phys_build(wr_ir *ir, const wr_cfg *cfg)
{
    uint32_t n = ir->block_count, count = 0;
    wr_pool *scratch = wr_pool_new();
    wr_phys *phys = wr_pool_alloc(ir->pool, 1, sizeof *phys);
    uint64_t *writes = wr_pool_alloc(scratch, n, sizeof *writes);
    uint32_t *stack = wr_pool_alloc(scratch, n, sizeof *stack);
    bool *waits = wr_pool_alloc(scratch, n, sizeof *waits);

    phys->in = wr_pool_alloc(ir->pool, n, sizeof *phys->in);
    phys->out = wr_pool_alloc(ir->pool, n, sizeof *phys->out);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        uint32_t b = cfg->order[k];

        summarise(&ir->blocks[b].insns, &phys->in[b], &writes[b]);
        stack[count++] = b;
        waits[b] = true;
    }
    while (count > 0) {
        uint32_t b = stack[--count];
        const wr_ir_block *block = &ir->blocks[b];

        waits[b] = false;
        for (uint32_t k = 0; k < block->pred_count; k++) {
            uint32_t pred = block->preds[k];
            uint64_t more = phys->in[b] & ~phys->out[pred];

            phys->out[pred] |= more;
            more &= ~(writes[pred] | phys->in[pred]);
            phys->in[pred] |= more;
            if (more == 0 || waits[pred] || !ir->blocks[pred].reachable) {
                continue;
            }
            waits[pred] = true;
            stack[count++] = pred;
        }
    }
    wr_pool_free(scratch);
    return phys;
}

void wr_phys_no_operands(wr_insn *m)
{
    m->dst = WR_ISA_RZ;
    m->src[0] = m->src[1] = m->src[2] = WR_ISA_RZ;
    m->guard = m->pd = m->pd2 = m->ps = m->ps2 = WR_ISA_PT;
}
