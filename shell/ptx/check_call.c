/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the callee, and as many results and arguments as it takes. */
#include "shell/ptx/parser.h"

static bool check_arguments(wr_ptx_parser *p, const wr_ptx_insn *insn, const wr_ptx_operand *list,
                            uint32_t count, const char *what)
{
    if (list->count != count) {
        return wr_ptx_fail(p, list->line, list->column, "'%s' has %u %s, but the function %u",
                           insn->text, list->count, what, count);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const wr_ptx_operand *arg = &list->elems[i];
        bool ok = arg->kind == WR_PTX_OPD_REG || arg->kind == WR_PTX_OPD_IMM ||
                  (arg->kind == WR_PTX_OPD_SYMBOL && arg->var != NULL &&
                   arg->var->space == WR_PTX_SPACE_PARAM);
        if (!ok) {
            return wr_ptx_fail(p, arg->line, arg->column,
                               "'%s' can pass only registers, numbers and .param variables",
                               insn->text);
        }
    }
    return true;
}

static uint32_t chain_length(const wr_ptx_var *var)
{
    uint32_t count = 0;
    for (; var != NULL; var = var->next) {
        count++;
    }
    return count;
}

bool wr_ptx_check_call(wr_ptx_parser *p, wr_ptx_insn *insn)
{
    const wr_ptx_operand *rets = &insn->operands[0];
    const wr_ptx_operand *callee = &insn->operands[1];
    const wr_ptx_operand *args = &insn->operands[2];
    if (callee->kind == WR_PTX_OPD_SYMBOL && callee->func != NULL) {
        if (callee->func->refused != NULL) { /* and with it this one: its head may be unknown */
            return true;
        }
        if (callee->func->is_entry) {
            return wr_ptx_fail(p, callee->line, callee->column,
                               "'%s' is a kernel; only .func can be called", callee->func->name);
        }
        return check_arguments(p, insn, rets, callee->func->ret_count, "results") &&
               check_arguments(p, insn, args, callee->func->param_count, "arguments");
    }
    if (callee->kind != WR_PTX_OPD_REG || callee->reg == WR_PTX_NO_REG ||
        wr_ptx_type_size(p->func->regs[callee->reg].type) < 4) {
        return wr_ptx_fail(p, callee->line, callee->column,
                           "'%s' needs a function or a register that holds one's address",
                           insn->text);
    }
    if (insn->operand_count < 4 || insn->operands[3].kind != WR_PTX_OPD_TABLE ||
        insn->operands[3].table->kind == WR_PTX_TABLE_BRANCH) {
        return wr_ptx_fail(p, callee->line, callee->column,
                           "an indirect '%s' needs a .callprototype or .calltargets behind the "
                           "arguments",
                           insn->text);
    }
    const wr_ptx_table *table = insn->operands[3].table;
    bool is_proto = table->kind == WR_PTX_TABLE_PROTO;
    uint32_t ret_count = chain_length(is_proto ? table->rets : table->funcs[0]->rets);
    uint32_t arg_count = chain_length(is_proto ? table->params : table->funcs[0]->params);
    return check_arguments(p, insn, rets, ret_count, "results") &&
           check_arguments(p, insn, args, arg_count, "arguments");
}
