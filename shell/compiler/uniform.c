/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that all lanes of a warp take the same way.
 *
 * A cell (a word of a register, or a predicate) is *mixed* where lanes of a warp may hold
 * different values in it at the same time; what is not mixed is uniform. Mixed are: lane and
 * thread numbers, clocks, what was loaded from memory that can be written, what came from other
 * lanes, cells that are read before they are written, what is computed from or under a mixed cell,
 * and everything that is written while lanes may be apart: in the region of a branch on a mixed
 * guard, loops that lanes leave at different times included. The marks of all writes of a cell
 * are one mark. Marks only grow, so the least set of marks that agrees with the rules is found
 * by repeating.
 *
 * A branch whose guard is uniform keeps the lanes that reach it together, so nobody waits because
 * of it (points.c). A `.uni` of the text is a promise, not a proof, and is not relied on.
 */
#include "shell/compiler/live.h"
#include "shell/compiler/passes.h"
#include "shell/compiler/regions.h"
#include "shell/isa/table.h"

typedef struct marks {
    wr_ir *ir;
    const wr_cfg *cfg;
    bool *mixed;       /* by cell */
    bool *done;        /* by block: its branch has marked its region */
    wr_regions *apart; /* where lanes may be apart */
    bool changed;
} marks;

static bool is_uniform_sreg(wr_sreg sreg)
{
    return (sreg >= WR_SREG_NTID_X && sreg <= WR_SREG_NCTAID_Z) || sreg == WR_SREG_NWARPID ||
           sreg == WR_SREG_NSMID || sreg == WR_SREG_GRIDID || sreg == WR_SREG_DYNAMIC_SMEM_SIZE ||
           sreg == WR_SREG_TOTAL_SMEM_SIZE;
}

/* The operation may give each lane another result from the same operands. */
static bool makes_mixed(const wr_ir_insn *insn)
{
    if (insn->m.op == WR_OP_S2R) {
        return !is_uniform_sreg((wr_sreg)insn->m.sreg);
    }
    if (insn->m.op == WR_OP_LD) {
        return insn->m.space != WR_SPACE_CONST && insn->m.space != WR_SPACE_PARAM;
    }
    switch ((wr_isa_class)wr_isa_rows[insn->m.op].cls) {
    case WR_CLASS_ARITH:
    case WR_CLASS_SETP:
        return false;
    default:
        return true;
    }
}

static void propagate(marks *m, const wr_ir_insn *insn, bool apart)
{
    wr_ir_refs refs;
    bool mixed = apart || makes_mixed(insn);

    wr_ir_get_refs(m->ir, insn, &refs);
    for (uint32_t i = 0; i < refs.use_count; i++) {
        mixed = mixed || m->mixed[refs.uses[i]];
    }
    for (uint32_t i = 0; mixed && i < refs.def_count; i++) {
        m->changed = m->changed || !m->mixed[refs.defs[i]];
        m->mixed[refs.defs[i]] = true;
    }
}

static wr_ir_insn *branch_of(const wr_ir *ir, uint32_t block)
{
    wr_ir_list *list = &ir->blocks[block].insns;
    wr_ir_insn *last = list->count > 0 ? &list->at[list->count - 1] : NULL;

    return last != NULL && last->m.op == WR_OP_BRA && last->guard != WR_IR_NO_REG ? last : NULL;
}

static void part_lanes(marks *m, uint32_t block)
{
    const wr_ir_insn *branch = branch_of(m->ir, block);

    if (branch == NULL || m->done[block] || !m->mixed[m->ir->word_count + branch->guard]) {
        return;
    }
    m->done[block] = true;
    if (wr_regions_add(m->apart, block)) {
        m->changed = true;
    }
}

void wr_pass_uniform(wr_ir *ir, const wr_cfg *cfg)
{
    wr_pool *pool = wr_pool_new();
    const wr_live *live = wr_live_build(ir, cfg, pool);
    wr_cell_set unwritten = wr_cell_set_new(pool, live->cells);
    marks m = {.ir = ir, .cfg = cfg, .changed = true};

    m.mixed = wr_pool_alloc(pool, live->cells, sizeof *m.mixed);
    wr_live_in(live, 0, &unwritten);
    for (uint32_t i = 0; i < unwritten.count; i++) {
        m.mixed[unwritten.cells[i]] = true;
    }
    m.apart = wr_regions_new(pool, ir, cfg);
    m.done = wr_pool_alloc(pool, ir->block_count, sizeof *m.done);
    while (m.changed) {
        m.changed = false;
        for (uint32_t k = 0; k < cfg->order_count; k++) {
            uint32_t b = cfg->order[k];
            bool apart = m.apart->reach[b] != WR_REGIONS_OUTSIDE;

            for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
                propagate(&m, &ir->blocks[b].insns.at[i], apart);
            }
        }
        for (uint32_t k = 0; k < ir->block_count; k++) {
            if (ir->blocks[m.apart->order[k]].reachable) {
                part_lanes(&m, m.apart->order[k]);
            }
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        wr_ir_insn *branch = branch_of(ir, b);

        if (branch != NULL) {
            branch->m.uniform = !m.mixed[ir->word_count + branch->guard];
        }
    }
    wr_pool_free(pool);
}
