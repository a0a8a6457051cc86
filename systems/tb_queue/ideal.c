/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts that cost nothing (SMK 6.5, "Ideal"): the same bytes in the same places of simulated
 * memory as all registers have there (systems/context/area.h), but pattern vectors and control
 * block, which nobody reads; and no cycle passes.
 */
#include "systems/context/warp_image.h"
#include "systems/tb_queue/tb_queue.h"

#include <assert.h>
#include <string.h>

/* Where a warp's registers lie, and its stack. */
static uint64_t registers_at(const wr_context_area *area, uint32_t entry, uint32_t warp)
{
    return wr_context_area_tb(area, entry).regs +
           wr_context_segments(area->warps * WR_CTX_PATTERN_BYTES) +
           (uint64_t)warp * area->slot_bytes;
}

static uint64_t stack_at(const wr_context_area *area, uint32_t entry, uint32_t warp)
{
    return wr_context_area_tb(area, entry).stack +
           wr_context_segments(area->warps * WR_CTX_PRED_BYTES) +
           (uint64_t)warp * WR_CTX_STACK_BYTES;
}

static void must(bool done)
{
    assert(done); /* the area lies in memory */
    (void)done;
}

static void save_warp(wr_gpu *gpu, const wr_sm *sm, uint32_t warp, const wr_context_area *area,
                      const wr_saved_tb *tb, uint32_t index)
{
    uint8_t preds[WR_CTX_PRED_BYTES];
    uint8_t stack[WR_CTX_STACK_BYTES] = {0};

    wr_context_put_preds(sm, warp, preds);
    must(wr_gpu_write(
        gpu, wr_context_area_tb(area, tb->entry).stack + (uint64_t)index * WR_CTX_PRED_BYTES, preds,
        sizeof preds));
    if (wr_context_depth(preds) == 0) {
        return;
    }
    wr_context_put_stack(sm, warp, stack);
    must(wr_gpu_write(gpu, stack_at(area, tb->entry, index), stack, sizeof stack));
    for (uint32_t r = 0; r < tb->info.regs; r++) {
        must(wr_gpu_write(gpu, registers_at(area, tb->entry, index) + (uint64_t)r * WR_CTX_REGISTER,
                          wr_sm_reg(sm, warp, r), WR_CTX_REGISTER));
    }
}

bool wr_tb_ideal_save(wr_gpu *gpu, wr_sm *sm, uint32_t slot, wr_context_area *area, wr_saved_tb *tb)
{
    *tb = (wr_saved_tb){.info = wr_sm_tb(sm, slot), .entry = wr_context_entry_take(area)};
    if (tb->entry == UINT32_MAX) {
        return false;
    }
    for (uint32_t w = 0; w < tb->info.warps; w++) {
        save_warp(gpu, sm, wr_sm_tb_warp(sm, slot, w), area, tb, w);
    }
    if (tb->info.shared_bytes != 0) {
        must(wr_gpu_write(gpu, wr_context_area_tb(area, tb->entry).shared, wr_sm_shared(sm, slot),
                          tb->info.shared_bytes));
    }
    wr_sm_tb_evict(sm, slot, WR_CONTEXT_POISON);
    return true;
}

/* False: the warp had finished. */
static bool restore_warp(wr_gpu *gpu, wr_sm *sm, uint32_t warp, const wr_context_area *area,
                         const wr_saved_tb *tb, uint32_t index)
{
    uint8_t preds[WR_CTX_PRED_BYTES];
    uint8_t stack[WR_CTX_STACK_BYTES];
    uint32_t lanes[WR_CTX_REGISTER / 4];

    must(wr_gpu_read(
        gpu, wr_context_area_tb(area, tb->entry).stack + (uint64_t)index * WR_CTX_PRED_BYTES, preds,
        sizeof preds));
    must(wr_gpu_read(gpu, stack_at(area, tb->entry, index), stack, sizeof stack));
    bool runs = wr_context_depth(preds) != 0;

    for (uint32_t r = 0; runs && r < tb->info.regs; r++) {
        must(wr_gpu_read(gpu, registers_at(area, tb->entry, index) + (uint64_t)r * WR_CTX_REGISTER,
                         lanes, sizeof lanes));
        wr_sm_reg_write(sm, warp, r, lanes);
    }
    wr_context_take_warp(sm, warp, preds, stack);
    return runs;
}

void wr_tb_ideal_restore(wr_gpu *gpu, wr_sm *sm, uint32_t slot, wr_context_area *area,
                         const wr_saved_tb *tb)
{
    uint32_t base = wr_sm_tb(sm, slot).warp_base;
    uint64_t runs = 0;

    if (tb->info.shared_bytes != 0) {
        must(wr_gpu_read(gpu, wr_context_area_tb(area, tb->entry).shared, wr_sm_shared(sm, slot),
                         tb->info.shared_bytes));
    }
    for (uint32_t w = 0; w < tb->info.warps; w++) {
        runs |= (uint64_t)restore_warp(gpu, sm, base + w, area, tb, w) << w;
    }
    for (; runs != 0; runs &= runs - 1) {
        wr_sm_warp_resume(sm, base + (uint32_t)__builtin_ctzll(runs));
    }
    wr_context_entry_free(area, tb->entry);
}
