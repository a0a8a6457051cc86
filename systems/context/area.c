/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and addresses of saved contexts: see area.h for the drawing. */
#include "systems/context/area.h"

#include "systems/context/blocks.h"

#include <assert.h>

bool wr_context_area_prepare(wr_context_area *area, wr_gpu *gpu, const wr_launch *launch,
                             wr_context_kind kind, uint32_t entries)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];

    assert(entries >= 1 && entries <= WR_CTX_MAX_ENTRIES && area->taken == 0);
    assert(area->entries == 0 || area->entries == entries);
    area->warps = (threads + 31) / 32;
    assert(area->warps >= 1 && area->warps <= WR_CTX_MAX_WARPS);
    area->shared_bytes = launch->kernel->shared_bytes + launch->shared_dynamic;
    area->slot_bytes = WR_CTX_REGISTER *
                       (kind == WR_CONTEXT_ALL ? launch->kernel->regs : launch->kernel->max_live);
    area->regs_bytes =
        wr_context_segments(area->warps * WR_CTX_PATTERN_BYTES) + area->warps * area->slot_bytes;
    area->shared_room = wr_context_segments(area->shared_bytes);
    area->stack_bytes =
        wr_context_segments(area->warps * WR_CTX_PRED_BYTES) + area->warps * WR_CTX_STACK_BYTES;
    area->pag = wr_context_pag(launch->block[0]);
    if (area->entries == 0) {
        area->ccb = wr_gpu_alloc_private(gpu, (uint64_t)entries * WR_CTX_CCB_BYTES, WR_CTX_SEGMENT);
        if (area->ccb == 0) {
            return false;
        }
        area->entries = entries;
    }
    uint64_t needed =
        (uint64_t)entries * (area->regs_bytes + area->shared_room + area->stack_bytes);

    if (needed > area->bytes) {
        area->base = wr_gpu_alloc_private(gpu, needed, WR_CTX_SEGMENT);
        area->bytes = area->base != 0 ? needed : 0;
    }
    return area->base != 0;
}

uint32_t wr_context_entry_take(wr_context_area *area)
{
    if (area->taken == area->entries) {
        return UINT32_MAX;
    }
    uint32_t word = 0;

    while (area->used[word] == UINT64_MAX) {
        word++;
    }
    uint32_t bit = (uint32_t)__builtin_ctzll(~area->used[word]);

    area->used[word] |= UINT64_C(1) << bit;
    area->taken++;
    return word * 64 + bit;
}

void wr_context_entry_free(wr_context_area *area, uint32_t entry)
{
    uint64_t bit = UINT64_C(1) << entry % 64;

    assert(entry < area->entries && (area->used[entry / 64] & bit) != 0);
    area->used[entry / 64] &= ~bit;
    area->taken--;
}

uint64_t wr_context_ccb_addr(const wr_context_area *area, uint32_t entry)
{
    assert(entry < area->entries);
    return area->ccb + (uint64_t)entry * WR_CTX_CCB_BYTES;
}

wr_context_pointers wr_context_area_tb(const wr_context_area *area, uint32_t entry)
{
    uint64_t tb_bytes = (uint64_t)area->regs_bytes + area->shared_room + area->stack_bytes;
    wr_context_pointers at;

    assert(entry < area->entries);
    at.regs = area->base + entry * tb_bytes;
    at.shared = area->shared_bytes != 0 ? at.regs + area->regs_bytes : 0;
    at.stack = at.regs + area->regs_bytes + area->shared_room;
    return at;
}
