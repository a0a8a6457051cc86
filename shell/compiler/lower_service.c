/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions that CUDA itself defines: vprintf, malloc, free, __assertfail. A module
 * declares them without a body, and each is an instruction of the machine (isa.h). All other
 * functions without a body are refused: modules are not linked.
 *
 * Arguments and results are variables in local memory, as for every call, or registers. What
 * __assertfail takes is more than an instruction has operands, so it goes through a block of local
 * memory whose generic address is the operand.
 */
#include <stdio.h>
#include <string.h>

#include "shell/compiler/lower.h"

#define MAX_ARGS 5
#define ADDRESS  0 /* bytes: as many as an address has */

typedef struct service {
    const char *name;
    wr_op op;
    bool returns;
    uint8_t result, arg_count, args[MAX_ARGS]; /* bytes */
} service;

static const service *find_service(const char *name)
{
    static const service services[] = {
        {"vprintf", WR_OP_PRINTF, true, 4, 2, {ADDRESS, ADDRESS}},
        {"malloc", WR_OP_MALLOC, true, ADDRESS, 1, {ADDRESS}},
        {"free", WR_OP_FREE, false, 0, 1, {ADDRESS}},
        {"__assertfail", WR_OP_ASSERT, false, 0, 5, {ADDRESS, ADDRESS, 4, ADDRESS, ADDRESS}},
    };

    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (strcmp(services[i].name, name) == 0) {
            return &services[i];
        }
    }
    return NULL;
}

static uint32_t bytes_of(const wr_lower *lo, uint8_t bytes)
{
    return bytes == ADDRESS ? lo->module->address_size / 8 : bytes;
}

static bool suits(const wr_lower *lo, const service *s, const wr_ptx_func *func)
{
    const wr_ptx_var *var = func->params;

    if (func->param_count != s->arg_count || func->ret_count > (s->returns ? 1 : 0) ||
        (func->rets != NULL && func->rets->size != bytes_of(lo, s->result))) {
        return false;
    }
    for (unsigned i = 0; var != NULL; i++, var = var->next) {
        if (var->size != bytes_of(lo, s->args[i])) {
            return false;
        }
    }
    return true;
}

static void access_param(wr_lower *lo, wr_op op, const wr_ptx_operand *at, wr_ir_operand value,
                         uint32_t bytes)
{
    const wr_placed *placed = wr_lower_placed(lo, at->var);
    wr_ir_insn insn = wr_ir_insn_new(op, bytes == 8 ? WR_B64 : WR_B32);

    insn.m.space = WR_SPACE_LOCAL;
    insn.offset = (int64_t)placed->offset + at->offset;
    if (placed->framed) {
        insn.src[0] = wr_ir_reg_operand(lo->sp, 0);
        insn.m.src_regs[0] = 1;
    }
    if (op == WR_OP_LD) {
        insn.dst = value;
    } else {
        insn.src[1] = value;
    }
    wr_lower_emit(lo, &insn);
}

/* The variable or register holds a value of that size. */
static bool holds(const wr_lower *lo, const wr_ptx_operand *operand, uint32_t bytes)
{
    if (operand->kind == WR_PTX_OPD_SYMBOL) {
        return operand->var->size >= bytes;
    }
    return operand->kind != WR_PTX_OPD_REG ||
           wr_ptx_type_size(lo->func->regs[operand->reg].type) == bytes;
}

static wr_ir_operand argument(wr_lower *lo, const wr_ptx_operand *operand, uint32_t bytes)
{
    wr_ir_operand value;

    if (!holds(lo, operand, bytes)) {
        wr_lower_refuse(lo, "an argument is not as wide as the function's parameter");
        return (wr_ir_operand){0};
    }
    if (operand->kind != WR_PTX_OPD_SYMBOL) {
        return wr_lower_source(lo, operand);
    }
    value = wr_lower_temp(lo, bytes / 4);
    access_param(lo, WR_OP_LD, operand, value, bytes);
    return value;
}

static void lower_result(wr_lower *lo, wr_ir_insn *insn, uint32_t bytes)
{
    const wr_ptx_operand *to =
        lo->insn->operands[0].count > 0 ? &lo->insn->operands[0].elems[0] : NULL;

    if (to == NULL || to->kind == WR_PTX_OPD_SINK || to->kind == WR_PTX_OPD_IMM) {
        wr_lower_emit(lo, insn);
        return;
    }
    if (!holds(lo, to, bytes)) {
        wr_lower_refuse(lo, "the result is not as wide as the function's");
        return;
    }
    insn->dst = to->kind == WR_PTX_OPD_REG ? wr_ir_reg_operand(wr_lower_reg(lo, to->reg), 0)
                                           : wr_lower_temp(lo, bytes / 4);
    wr_lower_emit(lo, insn);
    if (to->kind == WR_PTX_OPD_SYMBOL) {
        access_param(lo, WR_OP_ST, to, insn->dst, bytes);
    }
}

/* One block a kernel: a failed assertion ends the run. */
static uint32_t assert_block(wr_lower *lo)
{
    if (!lo->has_assert_block) {
        lo->assert_block = (lo->ir->local_bytes + 7) / 8 * 8;
        lo->ir->local_bytes = lo->assert_block + 8 * WR_ASSERT_WORDS;
        lo->has_assert_block = true;
        wr_ir_escape(lo->ir, lo->assert_block, 8 * WR_ASSERT_WORDS);
    }
    return lo->assert_block;
}

static void lower_assert(wr_lower *lo, wr_ir_insn *insn)
{
    static const uint8_t place[MAX_ARGS - 1] = {WR_ASSERT_MESSAGE, WR_ASSERT_FILE, WR_ASSERT_LINE,
                                                WR_ASSERT_FUNCTION};
    const wr_ptx_operand *args = &lo->insn->operands[2];
    uint32_t block = assert_block(lo), pointer = lo->module->address_size / 8;

    for (unsigned i = 0; i < MAX_ARGS - 1; i++) {
        uint32_t bytes = place[i] == WR_ASSERT_LINE ? 4 : pointer;
        wr_ir_insn store = wr_ir_insn_new(WR_OP_ST, bytes == 8 ? WR_B64 : WR_B32);

        store.m.space = WR_SPACE_LOCAL;
        store.offset = (int64_t)block + 8 * place[i];
        store.src[1] = argument(lo, &args->elems[i], bytes);
        wr_lower_emit(lo, &store);
        if (bytes == 8) {
            continue;
        }
        store.offset += 4;
        store.src[1] = wr_ir_imm_operand(0);
        wr_lower_emit(lo, &store);
    }
    insn->src[0] = wr_ir_imm_operand(WR_WINDOW_LOCAL + block);
    wr_lower_emit(lo, insn);
}

static bool refuse_unknown(wr_lower *lo, const wr_ptx_func *func)
{
    char why[WR_DIAG_MESSAGE_MAX];

    if (strncmp(func->name, "cuda", 4) == 0) {
        (void)snprintf(
            why, sizeof why,
            "'%.80s' is of CUDA's device runtime, which is not modelled: call it from the "
            "host, or launch the kernel from the launch file",
            func->name);
    } else if (strncmp(func->name, "__nv_", 5) == 0) {
        (void)snprintf(
            why, sizeof why,
            "'%.80s' is device math, which is not linked: give the .cu file instead, and "
            "see that lib/libdevice.*.bc of the build is there",
            func->name);
    } else {
        (void)snprintf(
            why, sizeof why,
            "'%.100s' has no body in this module, and modules are not linked: define it here",
            func->name);
    }
    return wr_lower_refuse(lo, why);
}

bool wr_lower_service(wr_lower *lo, const wr_ptx_func *func)
{
    const service *s = find_service(func->name);
    wr_ir_insn insn;

    if (s == NULL) {
        return refuse_unknown(lo, func);
    }
    if (!suits(lo, s, func)) {
        return wr_lower_refuse(lo, "the function is declared with other parameters than CUDA's");
    }
    insn = wr_ir_insn_new(s->op, lo->module->address_size == 64 ? WR_B64 : WR_B32);
    lo->kernel->uses_heap |= s->op == WR_OP_MALLOC || s->op == WR_OP_FREE;
    lo->kernel->prints |= s->op == WR_OP_PRINTF;
    if (s->op == WR_OP_ASSERT) {
        lower_assert(lo, &insn);
        return !lo->failed;
    }
    for (unsigned i = 0; i < s->arg_count; i++) {
        insn.src[i] = argument(lo, &lo->insn->operands[2].elems[i], bytes_of(lo, s->args[i]));
    }
    lower_result(lo, &insn, bytes_of(lo, s->result));
    return !lo->failed;
}
