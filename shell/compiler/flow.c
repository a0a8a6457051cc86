/* SPDX-License-Identifier: Apache-2.0 */
/* A region is followed branch by branch: each walk stops at its own branch's join, so a block may
 * be walked through once for each of the branches. `mark` holds the walk that saw a block last,
 * `turn` the region in which a branch has been followed. */
#include "shell/compiler/flow.h"

#include "shell/isa/table.h"

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
    flow->stack = wr_pool_alloc(pool, 3u * flow->count + 2u, sizeof *flow->stack);
    flow->mark = wr_pool_alloc(pool, flow->count, sizeof *flow->mark);
    flow->turn = wr_pool_alloc(pool, flow->count, sizeof *flow->turn);
    return flow;
}

/* ---- regions ---- */

static uint32_t see(wr_flow *flow, uint32_t block, uint32_t stop, uint32_t *stack, uint32_t count)
{
    if (block != stop && flow->mark[block] != flow->marks) {
        flow->mark[block] = flow->marks;
        stack[count++] = block;
    }
    return count;
}

/* What is reached from the end of a block without passing `stop`. Branches that part on the way
 * and have not been followed in this turn are added to `next`. */
static uint32_t walk(wr_flow *flow, uint32_t from, uint32_t stop, const bool *parts, uint32_t turn,
                     bool *in, uint32_t *next, uint32_t waiting)
{
    uint32_t *stack = flow->stack, count = 0;

    flow->marks++;
    for (uint32_t k = 0; k < flow->blocks[from].succ_count; k++) {
        count = see(flow, flow->blocks[from].succ[k], stop, stack, count);
    }
    while (count > 0) {
        uint32_t b = stack[--count];

        in[b] = true;
        if (parts[b] && flow->turn[b] != turn) {
            flow->turn[b] = turn;
            next[waiting++] = b;
        }
        for (uint32_t k = 0; k < flow->blocks[b].succ_count; k++) {
            count = see(flow, flow->blocks[b].succ[k], stop, stack, count);
        }
    }
    return waiting;
}

void wr_flow_region(wr_flow *flow, uint32_t block, const bool *parts, bool to_end, bool *in)
{
    uint32_t *next = flow->stack + flow->count + 1, waiting = 0, turn = flow->marks + 1;

    flow->turn[block] = turn;
    next[waiting++] = block;
    while (waiting > 0) {
        uint32_t b = next[--waiting];

        waiting = walk(flow, b, to_end ? WR_FLOW_NONE : flow->blocks[b].join, parts, turn, in, next,
                       waiting);
    }
}
