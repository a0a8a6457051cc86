/* SPDX-License-Identifier: Apache-2.0 */
/* Fusing: a product or a left shift by a constant that only an addition right behind needs becomes
 * part of that addition.
 *
 *     mul.lo t, a, b;     add r, t, c  ->  mad.lo r, a, b, c
 *     mul.wide t, a, b;   add r, t, c  ->  mad.wide r, a, b, c
 *     shl t, a, k;        add r, t, c  ->  mad.lo r, a, 1 << k, c     (32 bits)
 *
 * Integers only, where this is exact. The instruction has one place for a constant, so there must
 * not be two. The product's sources are the same at the addition: they have a single definition
 * each, before the product (see clean.c).
 */
#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define NEAR 16 /* instructions that a product moves down: its sources live on so far */

typedef struct fuser {
    wr_ir *ir;
    const wr_cfg *cfg;
    const wr_defs *defs;
    bool changed;
} fuser;

static unsigned bits_of(const wr_ir_insn *insn)
{
    switch ((wr_type)insn->m.type) {
    case WR_U32:
    case WR_S32:
    case WR_B32:
        return 32;
    case WR_U64:
    case WR_S64:
    case WR_B64:
        return 64;
    default:
        return 0;
    }
}

static bool takes_place(const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_PARAM || (operand->kind == WR_IR_IMM && operand->bits != 0);
}

/* The product as `a * b` of the addition's width; false where it is none. */
static bool as_product(const wr_ir_insn *insn, unsigned bits, wr_ir_insn *mad)
{
    *mad = *insn;
    mad->m.op = WR_OP_MAD;
    if (insn->m.sat || bits_of(insn) == 0) {
        return false;
    }
    if (insn->m.op == WR_OP_MUL && insn->m.mode == WR_MUL_WIDE) {
        return bits == 64 && bits_of(insn) == 32;
    }
    if (bits_of(insn) != bits) {
        return false;
    }
    if (insn->m.op == WR_OP_MUL) {
        return insn->m.mode == WR_MUL_LO;
    }
    if (insn->m.op != WR_OP_SHL || bits != 32 || insn->src[1].kind != WR_IR_IMM ||
        (insn->src[1].bits & UINT32_MAX) > 30) {
        return false;
    }
    mad->m.mode = WR_MUL_LO;
    mad->m.type = WR_U32;
    mad->src[1] = wr_ir_imm_operand(UINT64_C(1) << (insn->src[1].bits & UINT32_MAX));
    return true;
}

/* Source i of the addition at (block, index), where it is such a product. */
static bool find_product(const fuser *f, const wr_ir_insn *add, unsigned i, uint32_t block,
                         uint32_t index, wr_ir_insn *mad)
{
    const wr_ir_insn *product;
    uint32_t reg = add->src[i].reg, at;

    if (add->src[i].kind != WR_IR_REG || add->src[i].word != 0 || f->defs->def[reg] == NULL ||
        f->defs->uses[reg] != 1 || f->defs->block[reg] != block) {
        return false;
    }
    product = f->defs->def[reg];
    at = f->defs->index[reg];
    if (at >= index || index - at > NEAR || product->dead ||
        32u * f->ir->regs[reg].words != bits_of(add) || !as_product(product, bits_of(add), mad)) {
        return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        if (mad->src[k].kind == WR_IR_REG &&
            !wr_defs_reach(f->defs, f->cfg, mad->src[k].reg, block, at)) {
            return false;
        }
    }
    mad->src[2] = add->src[1 - i];
    return takes_place(&mad->src[0]) + takes_place(&mad->src[1]) + takes_place(&mad->src[2]) < 2;
}

static void visit(fuser *f, uint32_t block, uint32_t index)
{
    wr_ir_insn *add = &f->ir->blocks[block].insns.at[index];
    wr_ir_insn mad;
    uint32_t reg;
    unsigned i = 0;

    if (add->m.op != WR_OP_ADD || add->m.sat || bits_of(add) == 0 || add->guard != WR_IR_NO_REG) {
        return;
    }
    while (i < 2 && !find_product(f, add, i, block, index, &mad)) {
        i++;
    }
    if (i == 2) {
        return;
    }
    reg = add->src[i].reg;
    f->defs->def[reg]->dead = true;
    mad.dst = add->dst;
    mad.line = add->line;
    mad.column = add->column;
    mad.ptx = add->ptx;
    *add = mad;
    f->changed = true;
}

bool wr_pass_fuse(wr_ir *ir, const wr_cfg *cfg)
{
    fuser f = {.ir = ir, .cfg = cfg, .defs = wr_defs_build(ir)};

    for (uint32_t k = 0; k < cfg->order_count; k++) {
        for (uint32_t i = 0; i < ir->blocks[cfg->order[k]].insns.count; i++) {
            visit(&f, cfg->order[k], i);
        }
    }
    wr_ir_sweep(ir);
    return f.changed;
}
