/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack: divergence and reconvergence of a warp.
 *
 *   depth-1 -> | pc  mask  reconv |  runs        taken path, runs first
 *              | pc  mask  reconv |              not-taken path
 *              | pc  mask  reconv |              pc = where the paths above meet
 *
 * A divergent branch turns the top into the reconvergence entry and pushes the not-taken and
 * then the taken path; a path that begins at the reconvergence point is not pushed. Where the
 * top already waits for the same point the entry is reused, so a loop does not grow the
 * stack. An entry whose PC reaches its reconvergence point is popped. Lanes that exit leave
 * all entries; where that leaves the top with all lanes of the entry that waits below it,
 * the two become one: nobody is left to meet, and the warp is not diverged any more. So a
 * TB whose surplus threads return early may use barriers.
 */
#include "shell/core/sm/sm.h"

#include <assert.h>

void wr_simt_settle(wr_sm *sm, uint32_t warp)
{
    wr_simt_entry *stack = sm->warps[warp].stack;
    uint32_t depth = sm->warps[warp].depth;
    while (depth > 0 && (stack[depth - 1].mask == 0 ||
                         (depth > 1 && stack[depth - 1].pc == stack[depth - 1].reconv))) {
        depth--;
    }
    sm->warps[warp].depth = depth;
    if (depth == 0) {
        return;
    }
    const wr_kernel *k = sm->tbs[sm->warps[warp].tb].program->kernel;
    uint32_t word = stack[depth - 1].pc / 8;
    sm->warps[warp].next = word < k->word_count && k->insn_at[word] != UINT32_MAX
                               ? k->insn_at[word]
                               : (uint32_t)k->insn_count;
}

bool wr_simt_branch(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t taken)
{
    wr_simt_entry *stack = sm->warps[warp].stack;
    uint32_t depth = sm->warps[warp].depth;
    wr_simt_entry top = stack[depth - 1];
    uint32_t straight = top.mask & ~taken;
    uint32_t behind = insn->pc + insn->size;
    if (taken == 0 || straight == 0) {
        stack[depth - 1].pc = taken != 0 ? insn->target : behind;
        wr_simt_settle(sm, warp);
        return true;
    }
    if (insn->reconv == top.reconv && depth > 1) {
        depth--;
    } else {
        stack[depth - 1].pc = insn->reconv;
    }
    if (depth + 2 > WR_SIMT_DEPTH) {
        return false;
    }
    if (behind != insn->reconv) {
        stack[depth++] = (wr_simt_entry){behind, straight, insn->reconv};
    }
    if (insn->target != insn->reconv) {
        stack[depth++] = (wr_simt_entry){insn->target, taken, insn->reconv};
    }
    assert(depth > 0);
    sm->warps[warp].depth = depth;
    wr_simt_settle(sm, warp);
    return true;
}

void wr_simt_exit(wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    wr_simt_entry *stack = sm->warps[warp].stack;
    uint32_t depth = sm->warps[warp].depth;
    const wr_insn *insn = wr_warp_uop(sm, warp)->insn;
    stack[depth - 1].pc = insn->pc + insn->size;
    for (uint32_t i = 0; i < depth; i++) {
        stack[i].mask &= ~lanes;
    }
    wr_simt_settle(sm, warp);
    for (depth = sm->warps[warp].depth; depth > 1 && stack[depth - 2].mask == stack[depth - 1].mask;
         depth--) {
        stack[depth - 2].pc = stack[depth - 1].pc;
    }
    sm->warps[warp].depth = depth;
}
