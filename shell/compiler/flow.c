/* SPDX-License-Identifier: Apache-2.0 */
/* Regions are those of the compiler's own graph (regions.c), which is told what the machine code
 * says: successors, and where lanes meet. Behind a block with one successor that is there. */
#include "shell/compiler/flow.h"

#include <string.h>

static uint64_t mask_of(uint8_t reg, unsigned regs)
{
    return reg == WR_ISA_RZ || regs == 0 ? 0 : ((UINT64_C(1) << regs) - 1) << reg;
}

uint64_t wr_flow_reads(const wr_insn *insn)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < 3; i++) {
        set |= mask_of(insn->src[i], insn->src_regs[i]);
    }
    return set;
}

uint64_t wr_flow_writes(const wr_insn *insn)
{
    return mask_of(insn->dst, insn->dst_regs);
}

bool wr_flow_loads(const wr_insn *insn)
{
    return (insn->op == WR_OP_LD || insn->op == WR_OP_ATOM) &&
           (insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC);
}

static bool ends_block(const wr_insn *insn)
{
    return insn->op == WR_OP_BRA || insn->op == WR_OP_EXIT || insn->op == WR_OP_TRAP;
}

static uint32_t insn_at(const wr_kernel *k, uint32_t pc)
{
    return pc / 8 < k->word_count ? k->insn_at[pc / 8] : WR_FLOW_NONE;
}

/* By instruction: a block begins here. */
static bool *find_leaders(wr_pool *pool, const wr_kernel *k)
{
    bool *leads = wr_pool_alloc(pool, k->insn_count + 1, sizeof *leads);

    leads[0] = true;
    for (size_t i = 0; i < k->insn_count; i++) {
        const wr_insn *insn = &k->insns[i];

        if (!ends_block(insn)) {
            continue;
        }
        leads[i + 1] = true;
        if (insn->op == WR_OP_BRA) {
            uint32_t target = insn_at(k, insn->target), join = insn_at(k, insn->reconv);

            leads[target != WR_FLOW_NONE ? target : 0] = true;
            leads[join != WR_FLOW_NONE ? join : 0] = true;
        }
    }
    return leads;
}

static void add_succ(wr_flow_block *b, uint32_t succ)
{
    if (succ != WR_FLOW_NONE && (b->succ_count == 0 || b->succ[0] != succ)) {
        b->succ[b->succ_count++] = succ;
    }
}

static void fill(wr_flow *flow, uint32_t number, const uint32_t *block_of)
{
    const wr_kernel *k = flow->kernel;
    wr_flow_block *b = &flow->blocks[number];
    const wr_insn *last = &k->insns[b->end - 1];
    bool guarded = last->guard != WR_ISA_PT;
    uint32_t next = number + 1 < flow->count ? number + 1 : WR_FLOW_NONE;

    b->join = WR_FLOW_NONE;
    for (uint32_t i = b->first; i < b->end; i++) {
        const wr_insn *insn = &k->insns[i];

        b->writes |= wr_flow_writes(insn);
        b->loads |= wr_flow_loads(insn) ? wr_flow_writes(insn) : 0;
        b->pred_writes = (uint8_t)(b->pred_writes | (1u << insn->pd) | (1u << insn->pd2));
        b->leaves = b->leaves || insn->op == WR_OP_EXIT;
    }
    if (!ends_block(last) || guarded) {
        add_succ(b, next);
    }
    if (last->op == WR_OP_BRA) {
        uint32_t target = insn_at(k, last->target), join = insn_at(k, last->reconv);

        b->branches = guarded;
        add_succ(b, target != WR_FLOW_NONE ? block_of[target] : WR_FLOW_NONE);
        b->join = guarded && join != WR_FLOW_NONE ? block_of[join] : WR_FLOW_NONE;
    }
}

/* Marks what is behind `from`, which itself may be. */
static void mark_behind(wr_flow *flow, uint32_t from, bool *in)
{
    uint32_t count = 0, at = from;

    for (;;) {
        const wr_flow_block *b = &flow->blocks[at];

        for (uint32_t k = 0; k < b->succ_count; k++) {
            if (!in[b->succ[k]]) {
                in[b->succ[k]] = true;
                flow->stack[count++] = b->succ[k];
            }
        }
        if (count == 0) {
            return;
        }
        at = flow->stack[--count];
    }
}

void wr_flow_behind(wr_flow *flow, uint32_t block, bool *in)
{
    memset(in, 0, flow->count * sizeof *in);
    mark_behind(flow, block, in);
}

static void prepare_regions(wr_flow *flow)
{
    uint32_t n = flow->count, *join = wr_pool_alloc(flow->pool, n, sizeof *join);
    wr_ir_block *blocks = wr_pool_alloc(flow->pool, n, sizeof *blocks);
    bool *reached = wr_pool_alloc(flow->pool, n, sizeof *reached);

    mark_behind(flow, 0, reached);
    for (uint32_t b = 0; b < n; b++) {
        const wr_flow_block *from = &flow->blocks[b];

        blocks[b] = (wr_ir_block){.succ = {from->succ[0], from->succ[1]},
                                  .succ_count = from->succ_count,
                                  .reachable = b == 0 || reached[b]};
        join[b] = from->branches          ? from->join
                  : from->succ_count == 1 ? from->succ[0]
                                          : WR_FLOW_NONE;
    }
    flow->ir = (wr_ir){.pool = flow->pool, .blocks = blocks, .block_count = n};
    flow->cfg = (wr_cfg){.block_count = n, .join = join};
    flow->regions = wr_regions_new(flow->pool, &flow->ir, &flow->cfg);
}

wr_flow *wr_flow_new(wr_pool *pool, const wr_kernel *kernel)
{
    wr_flow *flow = wr_pool_alloc(pool, 1, sizeof *flow);
    uint32_t n = (uint32_t)kernel->insn_count,
             *block_of = wr_pool_alloc(pool, n + 1u, sizeof *block_of);
    const bool *leads = find_leaders(pool, kernel);

    flow->kernel = kernel;
    flow->pool = pool;
    for (uint32_t i = 0; i < n; i++) {
        flow->count += leads[i] ? 1 : 0;
        block_of[i] = flow->count - 1;
    }
    flow->blocks = wr_pool_alloc(pool, flow->count, sizeof *flow->blocks);
    for (uint32_t i = 0; i < n; i++) {
        wr_flow_block *b = &flow->blocks[block_of[i]];

        b->first = leads[i] ? i : b->first;
        b->end = i + 1;
    }
    for (uint32_t b = 0; b < flow->count; b++) {
        fill(flow, b, block_of);
    }
    flow->stack = wr_pool_alloc(pool, flow->count, sizeof *flow->stack);
    prepare_regions(flow);
    return flow;
}

void wr_flow_region(wr_flow *flow, uint32_t block, bool *in)
{
    wr_regions_clear(flow->regions);
    (void)wr_regions_add(flow->regions, block);
    for (uint32_t b = 0; b < flow->count; b++) {
        in[b] = flow->regions->reach[b] != WR_REGIONS_OUTSIDE;
    }
}
