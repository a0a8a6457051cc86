/* SPDX-License-Identifier: Apache-2.0 */
/* Branches around branches: "@p bra X; bra Y; X:" becomes "@!p bra Y; X:".
 *
 * The block that held the second branch stays, empty, so that block numbers stay. It must be
 * reached from the first branch alone.
 */
#include "shell/compiler/passes.h"

static bool is_plain_jump(const wr_ir_block *block)
{
    return block->insns.count == 1 && block->insns.at[0].m.op == WR_OP_BRA &&
           block->insns.at[0].guard == WR_IR_NO_REG;
}

void wr_pass_branches(wr_ir *ir)
{
    bool *is_target = wr_pool_alloc(ir->pool, ir->block_count, sizeof *is_target);

    for (uint32_t b = 0; b < ir->block_count; b++) {
        const wr_ir_list *list = &ir->blocks[b].insns;

        if (list->count > 0 && list->at[list->count - 1].m.op == WR_OP_BRA) {
            is_target[list->at[list->count - 1].target] = true;
        }
    }
    for (uint32_t b = 0; b + 2 < ir->block_count; b++) {
        wr_ir_block *block = &ir->blocks[b], *jump = &ir->blocks[b + 1];
        wr_ir_insn *branch;

        if (block->succ_count != 2 || !is_plain_jump(jump) || is_target[b + 1]) {
            continue;
        }
        branch = &block->insns.at[block->insns.count - 1];
        if (branch->target != b + 2 || jump->insns.at[0].target == b + 1) {
            continue;
        }
        branch->target = jump->insns.at[0].target;
        branch->m.guard_neg = !branch->m.guard_neg;
        branch->m.uniform = false;
        block->succ[1] = branch->target;
        jump->insns.count = 0;
        jump->succ[0] = b + 2;
        is_target[branch->target] = true;
    }
}
