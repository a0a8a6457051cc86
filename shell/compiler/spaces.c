/* Generic addresses of shared and local memory.
 *
 * The machine has no windows for them in the generic address space, so each access through such
 * an address must be one of that space alone. A register that is computed from a marked cvta
 * carries the mark; a generic access whose address is marked becomes an access to the marked
 * space. Where marks of different spaces meet, or a marked address is stored to memory, or
 * meets one that isn't marked, this can't be decided and the kernel is refused.
 */
#include "shell/compiler/passes.h"

#define MIXED 0xffu

typedef struct marks {
    uint8_t *space; /* by register: 0 = none, MIXED */
    bool changed;
} marks;

static uint8_t mark_of(const marks *m, const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_REG ? m->space[operand->reg] : 0;
}

static uint8_t join(uint8_t a, uint8_t b)
{
    if (a == b || b == 0)
        return a;
    return a == 0 ? b : MIXED;
}

static void propagate(marks *m, const wr_ir_insn *insn)
{
    uint8_t space = insn->to_generic;

    if (insn->dst.kind != WR_IR_REG || wr_ir_is_mem(insn))
        return;
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++)
        space = join(space, mark_of(m, &insn->src[i]));
    space = join(m->space[insn->dst.reg], space);
    if (space != m->space[insn->dst.reg]) {
        m->space[insn->dst.reg] = space;
        m->changed = true;
    }
}

/* A marked register whose value may also come from somewhere without the mark. */
static bool is_impure(const marks *m, const wr_ir_insn *insn)
{
    bool pure = insn->to_generic != 0;

    if (insn->dst.kind != WR_IR_REG || m->space[insn->dst.reg] == 0)
        return false;
    if (insn->m.op == WR_OP_SELP)
        return mark_of(m, &insn->src[0]) != mark_of(m, &insn->src[1]);
    for (unsigned i = 0; i < wr_ir_src_count(insn) && !wr_ir_is_mem(insn); i++)
        pure = pure || mark_of(m, &insn->src[i]) != 0;
    return !pure;
}

static bool settle(const marks *m, wr_ir_insn *insn)
{
    uint8_t space;

    if (is_impure(m, insn))
        return false;
    if (!wr_ir_is_mem(insn))
        return true;
    for (unsigned i = 1; i < wr_ir_src_count(insn); i++)
        if (mark_of(m, &insn->src[i]) != 0)
            return false;
    space = mark_of(m, &insn->src[0]);
    if (space == MIXED)
        return false;
    if (space != 0 && insn->m.space == WR_SPACE_GENERIC)
        insn->m.space = space;
    return true;
}

const wr_ir_insn *wr_pass_spaces(wr_ir *ir)
{
    marks m = {wr_pool_alloc(ir->pool, ir->reg_count, 1), true};
    bool any = false;

    for (uint32_t b = 0; b < ir->block_count; b++)
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++)
            any = any || ir->blocks[b].insns.at[i].to_generic != 0;
    while (any && m.changed) {
        m.changed = false;
        for (uint32_t b = 0; b < ir->block_count; b++)
            for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++)
                propagate(&m, &ir->blocks[b].insns.at[i]);
    }
    for (uint32_t b = 0; any && b < ir->block_count; b++)
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++)
            if (!settle(&m, &ir->blocks[b].insns.at[i]))
                return &ir->blocks[b].insns.at[i];
    return NULL;
}
