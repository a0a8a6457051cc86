/* As live.c, but the sets fit a word, so the whole state is two words a block. */
#include "shell/compiler/phys.h"

static uint64_t mask_of(uint8_t reg, unsigned words)
{
    if (reg == WR_ISA_RZ || words == 0)
        return 0;
    return ((UINT64_C(1) << words) - 1) << reg;
}

uint64_t wr_phys_step(const wr_ir_insn *insn, uint64_t live)
{
    if (insn->m.guard == WR_ISA_PT)
        live &= ~mask_of(insn->m.dst, wr_ir_dst_words(insn));
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++)
        live |= mask_of(insn->m.src[i], wr_ir_src_words(insn, i));
    return live;
}

wr_phys *wr_phys_build(wr_ir *ir, const wr_cfg *cfg)
{
    wr_phys *phys = wr_pool_alloc(ir->pool, 1, sizeof *phys);
    bool changed = true;

    phys->in = wr_pool_alloc(ir->pool, ir->block_count, sizeof *phys->in);
    phys->out = wr_pool_alloc(ir->pool, ir->block_count, sizeof *phys->out);
    while (changed) {
        changed = false;
        for (uint32_t k = cfg->order_count; k-- > 0;) {
            uint32_t b = cfg->order[k];
            const wr_ir_block *block = &ir->blocks[b];
            uint64_t live = 0;

            for (uint32_t s = 0; s < block->succ_count; s++)
                live |= phys->in[block->succ[s]];
            phys->out[b] = live;
            for (uint32_t i = block->insns.count; i-- > 0;)
                live = wr_phys_step(&block->insns.at[i], live);
            changed = changed || live != phys->in[b];
            phys->in[b] = live;
        }
    }
    return phys;
}

void wr_phys_no_operands(wr_insn *m)
{
    m->dst = WR_ISA_RZ;
    m->src[0] = m->src[1] = m->src[2] = WR_ISA_RZ;
    m->guard = m->pd = m->pd2 = m->ps = m->ps2 = WR_ISA_PT;
}
