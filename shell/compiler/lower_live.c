/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of PTX registers inside one function: what a call from a recursive function must keep.
 *
 * Sets are bytes, one a register, one set an instruction; found once a function. A guarded
 * instruction kills nothing.
 */
#include "shell/compiler/lower.h"

#include <string.h>

typedef struct flow {
    const wr_ptx_func *func;
    bool *in; /* [instruction][register], and an empty set at the end */
    bool *set;
} flow;

static void use(flow *f, const wr_ptx_operand *operand, bool value)
{
    if (operand->kind == WR_PTX_OPD_REG || operand->kind == WR_PTX_OPD_ADDR) {
        if (operand->reg != WR_PTX_NO_REG) {
            f->set[operand->reg] = value;
        }
        if (operand->kind == WR_PTX_OPD_REG && operand->reg2 != WR_PTX_NO_REG) {
            f->set[operand->reg2] = value;
        }
    }
    if (operand->kind != WR_PTX_OPD_VECTOR && operand->kind != WR_PTX_OPD_LIST) {
        return;
    }
    for (uint32_t i = 0; i < operand->count; i++) {
        use(f, &operand->elems[i], value);
    }
}

static bool is_result(const wr_ptx_insn *insn, uint32_t operand)
{
    return insn->op == WR_PTX_CALL ? operand == 0 : operand < insn->dst_count;
}

static void add(flow *f, uint32_t from)
{
    const bool *in = f->in + (size_t)from * f->func->reg_count;

    for (uint32_t r = 0; r < f->func->reg_count; r++) {
        f->set[r] = f->set[r] || in[r];
    }
}

/* f->set = live behind instruction i. */
static void join(flow *f, uint32_t i)
{
    const wr_ptx_insn *insn = &f->func->insns[i];
    bool leaves = insn->op == WR_PTX_RET || insn->op == WR_PTX_EXIT || insn->op == WR_PTX_TRAP;
    bool jumps = insn->op == WR_PTX_BRA || insn->op == WR_PTX_BRX;

    memset(f->set, 0, f->func->reg_count);
    if (insn->op == WR_PTX_BRA) {
        add(f, insn->operands[0].target);
    }
    if (insn->op == WR_PTX_BRX) {
        for (uint32_t k = 0; k < insn->operands[1].table->count; k++) {
            add(f, insn->operands[1].table->targets[k]);
        }
    }
    if (insn->op == WR_PTX_RET) {
        add(f, f->func->insn_count);
    }
    if (insn->guard != WR_PTX_NO_REG || !(leaves || jumps)) {
        add(f, i + 1);
    }
}

static void step(flow *f, uint32_t i)
{
    const wr_ptx_insn *insn = &f->func->insns[i];

    for (uint32_t k = 0; k < insn->operand_count && insn->guard == WR_PTX_NO_REG; k++) {
        if (is_result(insn, k)) {
            use(f, &insn->operands[k], false);
        }
    }
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        if (!is_result(insn, k)) {
            use(f, &insn->operands[k], true);
        }
    }
    if (insn->guard != WR_PTX_NO_REG) {
        f->set[insn->guard] = true;
    }
}

const bool *wr_lower_live(wr_lower *lo, const wr_ptx_func *func, uint32_t index)
{
    size_t row = func->reg_count;
    wr_pool *pool = lo->ir->pool;
    flow f = {func, wr_pool_alloc(pool, (func->insn_count + 1) * row + 1, 1),
              wr_pool_alloc(pool, row + 1, 1)};
    bool changed = true;

    for (const wr_ptx_var *var = func->rets; var != NULL; var = var->next) {
        if (var->is_reg) { /* the caller reads it */
            f.in[func->insn_count * row + var->reg] = true;
        }
    }
    while (changed) {
        changed = false;
        for (uint32_t i = func->insn_count; i-- > 0;) {
            join(&f, i);
            step(&f, i);
            changed = changed || memcmp(f.in + i * row, f.set, row) != 0;
            memcpy(f.in + i * row, f.set, row);
        }
    }
    join(&f, index);
    return f.set;
}
