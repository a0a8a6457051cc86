/* SPDX-License-Identifier: Apache-2.0 */
/* Warps that are away: see absent.h. */
#include "systems/warp_swap/absent.h"

#include <string.h>

enum { POISON = 0x5a5a5a5a }; /* what they leave behind */

void wr_absents_leave(wr_absents *all, wr_sm *sm, uint32_t warp)
{
    wr_absent *a = all->queue[all->count++];

    a->registers = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot).regs;
    for (uint32_t r = 0; r < a->registers; r++) {
        memcpy(a->regs[r], wr_sm_reg(sm, warp, r), sizeof a->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        a->preds[p] = wr_sm_pred(sm, warp, p);
    }
    a->depth = wr_sm_stack(sm, warp, a->stack);
    a->since = wr_gpu_cycle(wr_sm_gpu(sm));
    a->id = wr_sm_warp_leave(sm, warp, 0, POISON);
    all->left++;
    all->most = all->count > all->most ? all->count : all->most;
}

static bool enter(const wr_absent *a, wr_sm *sm)
{
    uint32_t warp = 0;

    while (warp < wr_sm_warp_slots(sm) && !wr_sm_warp_enter(sm, a->id, warp, NULL, POISON)) {
        warp++;
    }
    if (warp == wr_sm_warp_slots(sm)) {
        return false;
    }
    for (uint32_t r = 0; r < a->registers; r++) {
        wr_sm_reg_write(sm, warp, r, a->regs[r]);
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, a->preds[p]);
    }
    wr_sm_stack_write(sm, warp, a->stack, a->depth);
    wr_sm_warp_resume(sm, warp);
    return true;
}

uint32_t wr_absents_return(wr_absents *all, wr_sm *sm)
{
    uint32_t kept_out = 0;

    for (uint32_t i = 0; i < all->count;) {
        wr_absent *a = all->queue[i];

        if (wr_sm_warp_pending(sm, a->id) != 0) {
            i++;
        } else if (kept_out != 0 || !enter(a, sm)) {
            kept_out++;
            i++;
        } else {
            all->cycles += wr_gpu_cycle(wr_sm_gpu(sm)) - a->since;
            all->count--;
            for (uint32_t k = i; k < all->count; k++) {
                all->queue[k] = all->queue[k + 1];
            }
            all->queue[all->count] = a;
        }
    }
    return kept_out;
}
