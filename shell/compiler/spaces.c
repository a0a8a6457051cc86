/* SPDX-License-Identifier: Apache-2.0 */
/* Generic accesses whose space is certain.
 *
 * The machine finds the space of a generic address at run time; an access whose space is known
 * needs no window, and its cvta goes away. A register carries the mark of a space where all that
 * is ever written to it are generic addresses of that space: from a cvta, copies, and such an
 * address plus or minus an ordinary number. What is computed from marked registers in any other
 * way is an ordinary number where addresses cancel (their difference) and unsure elsewhere: an
 * access through it stays generic.
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

enum { UNSEEN, PLAIN = 0x40, UNSURE = 0x80 }; /* else PLAIN + a wr_space: an address there */

typedef struct marks {
    const wr_ir *ir;
    uint8_t *of; /* by register */
    bool changed;
} marks;

static uint8_t mark_of(const marks *m, const wr_ir_insn *insn, unsigned i)
{
    const wr_ir_operand *src = &insn->src[i];

    if (src->kind != WR_IR_REG) {
        return PLAIN;
    }
    if (wr_ir_src_words(insn, i) != m->ir->regs[src->reg].words) {
        return m->of[src->reg] == UNSEEN ? UNSEEN : PLAIN; /* half an address */
    }
    return m->of[src->reg];
}

static uint8_t join(uint8_t a, uint8_t b)
{
    if (a == b || b == UNSEEN) {
        return a;
    }
    return a == UNSEEN ? b : UNSURE;
}

static uint8_t sum(uint8_t a, uint8_t b)
{
    if (a == UNSEEN || b == UNSEEN) {
        return UNSEEN;
    }
    if (a == PLAIN) {
        return b;
    }
    return b == PLAIN ? a : UNSURE;
}

static uint8_t difference(uint8_t a, uint8_t b)
{
    if (a == UNSEEN || b == UNSEEN) {
        return UNSEEN;
    }
    if (b == PLAIN) {
        return a;
    }
    return a == b && a != UNSURE ? PLAIN : UNSURE;
}

static uint8_t result_of(const marks *m, const wr_ir_insn *insn)
{
    if (insn->to_generic != 0) {
        return (uint8_t)(PLAIN + insn->to_generic);
    }
    switch ((wr_op)insn->m.op) {
    case WR_OP_MOV:
        return mark_of(m, insn, 0);
    case WR_OP_ADD:
        return sum(mark_of(m, insn, 0), mark_of(m, insn, 1));
    case WR_OP_SUB:
        return difference(mark_of(m, insn, 0), mark_of(m, insn, 1));
    case WR_OP_MAD:
        return mark_of(m, insn, 2);
    case WR_OP_SELP:
        return join(mark_of(m, insn, 0), mark_of(m, insn, 1));
    default:
        return PLAIN;
    }
}

static void propagate(marks *m, const wr_ir_insn *insn)
{
    uint8_t mark;

    if (insn->dst.kind != WR_IR_REG) {
        return;
    }
    mark = result_of(m, insn);
    if (wr_ir_dst_words(insn) != m->ir->regs[insn->dst.reg].words && mark != UNSEEN) {
        mark = PLAIN;
    }
    mark = join(m->of[insn->dst.reg], mark);
    if (mark != m->of[insn->dst.reg]) {
        m->of[insn->dst.reg] = mark;
        m->changed = true;
    }
}

static void settle(const marks *m, wr_ir_insn *insn)
{
    uint8_t mark;
    int64_t offset;

    if (!wr_ir_is_mem(insn) || insn->m.space != WR_SPACE_GENERIC ||
        insn->src[0].kind != WR_IR_REG) {
        return;
    }
    mark = mark_of(m, insn, 0);
    if (mark <= PLAIN || mark >= UNSURE) {
        return;
    }
    offset = insn->offset - (int64_t)wr_isa_window((wr_space)(mark - PLAIN));
    if (offset != (int32_t)offset) {
        return;
    }
    insn->m.space = (uint8_t)(mark - PLAIN);
    insn->offset = offset;
}

void wr_pass_spaces(wr_ir *ir)
{
    marks m = {ir, wr_pool_alloc(ir->pool, ir->reg_count, 1), true};
    bool any = false;

    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            any = any || ir->blocks[b].insns.at[i].to_generic != 0;
        }
    }
    while (any && m.changed) {
        m.changed = false;
        for (uint32_t b = 0; b < ir->block_count; b++) {
            for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
                propagate(&m, &ir->blocks[b].insns.at[i]);
            }
        }
    }
    for (uint32_t b = 0; any && b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            settle(&m, &ir->blocks[b].insns.at[i]);
        }
    }
}
