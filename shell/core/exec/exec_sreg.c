/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: what a thread reads of its place and of the time. */
#include "shell/core/gpu/state.h"

void wr_exec_sreg(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t mask)
{
    const wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    const wr_program *p = tb->program;
    uint32_t index = sm->warps[warp].index;
    uint32_t row[WR_LANES];
    if (insn->dst == WR_ISA_RZ) {
        return;
    }
    const uint32_t *l = p->launch->block;
    const uint32_t *g = p->launch->grid;
    uint64_t clock = sm->now + sm->gpu->before + sm->gpu->forward.clock;
    const uint64_t scalar[WR_SREG_COUNT] = {
        [WR_SREG_NTID_X] = l[0],
        [WR_SREG_NTID_Y] = l[1],
        [WR_SREG_NTID_Z] = l[2],
        [WR_SREG_CTAID_X] = tb->ctaid[0],
        [WR_SREG_CTAID_Y] = tb->ctaid[1],
        [WR_SREG_CTAID_Z] = tb->ctaid[2],
        [WR_SREG_NCTAID_X] = g[0],
        [WR_SREG_NCTAID_Y] = g[1],
        [WR_SREG_NCTAID_Z] = g[2],
        [WR_SREG_WARPID] = warp,
        [WR_SREG_NWARPID] = sm->cfg->sm.max_warps,
        [WR_SREG_SMID] = sm->id,
        [WR_SREG_NSMID] = sm->cfg->sms,
        [WR_SREG_CLOCK] = clock,
        [WR_SREG_GRIDID] = sm->gpu->grids[p->stream].result.id,
        [WR_SREG_GLOBALTIMER] = clock * 1000 / sm->cfg->clock.core_mhz,
        [WR_SREG_DYNAMIC_SMEM_SIZE] = p->launch->shared_dynamic,
        [WR_SREG_TOTAL_SMEM_SIZE] = p->shared,
    };
    for (uint32_t i = 0; i < WR_LANES; i++) {
        switch (insn->sreg) {
        case WR_SREG_TID_X:
        case WR_SREG_TID_Y:
        case WR_SREG_TID_Z:
            row[i] = p->tid[((size_t)index * 3 + (insn->sreg - WR_SREG_TID_X)) * WR_LANES + i];
            break;
        case WR_SREG_LANEID:
            row[i] = i;
            break;
        case WR_SREG_LANEMASK_EQ:
            row[i] = 1u << i;
            break;
        case WR_SREG_LANEMASK_LT:
            row[i] = (1u << i) - 1;
            break;
        case WR_SREG_LANEMASK_LE:
            row[i] = ((1u << i) - 1) | 1u << i;
            break;
        case WR_SREG_LANEMASK_GT:
            row[i] = ~(((1u << i) - 1) | 1u << i);
            break;
        case WR_SREG_LANEMASK_GE:
            row[i] = ~((1u << i) - 1);
            break;
        default:
            row[i] = (uint32_t)scalar[insn->sreg];
            break;
        }
    }
    uint32_t *dst = wr_warp_row(sm, warp, insn->dst);
    wr_exec_merge(dst, row, mask);
    if (insn->dst_regs == 2) {
        for (uint32_t i = 0; i < WR_LANES; i++) {
            row[i] = (uint32_t)(scalar[insn->sreg] >> 32);
        }
        wr_exec_merge(dst + WR_LANES, row, mask);
    }
}
