/* Backward dataflow to a fixed point, blocks in post-order. */
#include "shell/compiler/live.h"

#include <string.h>

void wr_live_step(const wr_ir *ir, const wr_ir_insn *insn, uint64_t *set)
{
    wr_ir_refs refs;

    wr_ir_get_refs(ir, insn, &refs);
    if (refs.kills)
        for (uint32_t i = 0; i < refs.def_count; i++)
            wr_set_drop(set, refs.defs[i]);
    for (uint32_t i = 0; i < refs.use_count; i++)
        wr_set_add(set, refs.uses[i]);
}

/* Per block: what it reads before writing, and what it writes for certain. */
static void block_sets(const wr_ir *ir, const wr_ir_block *block, uint64_t *gen, uint64_t *kill)
{
    for (uint32_t i = block->insns.count; i-- > 0;) {
        wr_ir_refs refs;

        wr_ir_get_refs(ir, &block->insns.at[i], &refs);
        if (refs.kills) {
            for (uint32_t k = 0; k < refs.def_count; k++) {
                wr_set_drop(gen, refs.defs[k]);
                wr_set_add(kill, refs.defs[k]);
            }
        }
        for (uint32_t k = 0; k < refs.use_count; k++)
            wr_set_add(gen, refs.uses[k]);
    }
}

wr_live *wr_live_build(wr_ir *ir, const wr_cfg *cfg)
{
    wr_live *live = wr_pool_alloc(ir->pool, 1, sizeof *live);
    size_t total;
    uint64_t *gen, *kill;
    bool changed = true;

    live->cells = wr_ir_cells(ir);
    live->row = (live->cells + 63) / 64;
    total = (size_t)live->row * ir->block_count;
    live->in = wr_pool_alloc(ir->pool, total, sizeof *live->in);
    live->out = wr_pool_alloc(ir->pool, total, sizeof *live->out);
    gen = wr_pool_alloc(ir->pool, total, sizeof *gen);
    kill = wr_pool_alloc(ir->pool, total, sizeof *kill);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        size_t at = (size_t)cfg->order[k] * live->row;

        block_sets(ir, &ir->blocks[cfg->order[k]], gen + at, kill + at);
    }
    while (changed) {
        changed = false;
        for (uint32_t k = cfg->order_count; k-- > 0;) {
            const wr_ir_block *block = &ir->blocks[cfg->order[k]];
            size_t at = (size_t)cfg->order[k] * live->row;

            for (uint32_t s = 0; s < block->succ_count; s++) {
                const uint64_t *in = live->in + (size_t)block->succ[s] * live->row;

                for (uint32_t w = 0; w < live->row; w++)
                    live->out[at + w] |= in[w];
            }
            for (uint32_t w = 0; w < live->row; w++) {
                uint64_t in = gen[at + w] | (live->out[at + w] & ~kill[at + w]);

                changed = changed || in != live->in[at + w];
                live->in[at + w] = in;
            }
        }
    }
    return live;
}
