/* SPDX-License-Identifier: Apache-2.0 */
/* See warp_image.h. */
#include "systems/context/warp_image.h"

void wr_context_put_preds(const wr_sm *sm, uint32_t warp, uint8_t to[WR_CTX_PRED_BYTES])
{
    wr_warp_info info = wr_sm_warp(sm, warp);

    wr_context_put32(to + WR_CTX_PRED_DEPTH,
                     (uint32_t)wr_sm_pledges(sm, warp) << 16 | (info.done ? 0 : info.depth));
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_context_put32(to + 4 * (size_t)p, info.done ? 0 : wr_sm_pred(sm, warp, p));
    }
}

void wr_context_put_stack(const wr_sm *sm, uint32_t warp, uint8_t to[WR_CTX_STACK_BYTES])
{
    wr_simt_entry entry[WR_SIMT_DEPTH];
    uint32_t depth = wr_sm_stack(sm, warp, entry);

    for (uint32_t e = 0; e < depth; e++, to += WR_CTX_ENTRY_BYTES) {
        wr_context_put32(to, entry[e].pc);
        wr_context_put32(to + 4, entry[e].mask);
        wr_context_put32(to + 8, entry[e].reconv);
    }
}

uint32_t wr_context_depth(const uint8_t preds[WR_CTX_PRED_BYTES])
{
    return wr_context_get32(preds + WR_CTX_PRED_DEPTH) & 0xffffu;
}

void wr_context_take_warp(wr_sm *sm, uint32_t warp, const uint8_t preds[WR_CTX_PRED_BYTES],
                          const uint8_t stack[WR_CTX_STACK_BYTES])
{
    uint32_t depth = wr_context_depth(preds);
    wr_simt_entry entry[WR_SIMT_DEPTH];

    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(sm, warp, p, wr_context_get32(preds + 4 * (size_t)p));
    }
    for (uint32_t e = 0; e < depth; e++, stack += WR_CTX_ENTRY_BYTES) {
        entry[e].pc = wr_context_get32(stack);
        entry[e].mask = wr_context_get32(stack + 4);
        entry[e].reconv = wr_context_get32(stack + 8);
    }
    wr_sm_pledges_write(sm, warp, (uint16_t)(wr_context_get32(preds + WR_CTX_PRED_DEPTH) >> 16));
    wr_sm_stack_write(sm, warp, entry, depth);
}
