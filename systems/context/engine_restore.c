/* SPDX-License-Identifier: Apache-2.0 */
/* The restoring half of a preemption unit: one TB after the other, from simulated memory.
 *
 * Reads are asked for ahead of their replies inside a step; a step begins only when what it
 * needs to know has arrived: the CCB entry gives the pointers; pattern vectors and stack depths
 * give the places and sizes of the rest. What is read is checked before it is used, since
 * damaged memory must give a message, not a crash.
 */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ID_CCB, ID_PATTERNS, ID_PREDS, ID_SHARED };

/* Ids of the last step: stacks of warp id, register segments of warp id - 32. */
enum { ID_REGS = WR_CTX_MAX_WARPS };

void wr_unit_restore_begin(wr_preempt_unit *unit)
{
    unit->slot = 0;
    unit->state = WR_PREEMPT_PLACE;
}

static void damaged(wr_preempt_unit *unit, const wr_sm *sm, const char *what, uint32_t warp)
{
    char text[256];

    (void)snprintf(text, sizeof text,
                   "context of TB %u in simulated memory is damaged: %s (warp %u of the TB)",
                   unit->tb[unit->slot].info.linear, what, warp);
    wr_unit_fail(unit, sm, text);
}

static void step_place(wr_preempt_unit *unit, wr_sm *sm)
{
    while (unit->slot < WR_CONFIG_MAX_TBS && !unit->tb[unit->slot].out) {
        unit->slot++;
    }
    if (unit->slot == WR_CONFIG_MAX_TBS) {
        unit->state = WR_PREEMPT_IDLE;
        return;
    }
    unit->placed = wr_sm_tb_place(sm, &unit->tb[unit->slot].info, WR_PREEMPT_POISON);
    if (unit->placed == UINT32_MAX) {
        return;
    }
    unit->has_piece = false;
    wr_context_reader_clear(&unit->reader);
    wr_context_reader_add(&unit->reader,
                          wr_context_ccb_addr(wr_unit_area(unit), unit->first_entry + unit->slot),
                          WR_CTX_CCB_BYTES, ID_CCB);
    unit->state = WR_PREEMPT_READ_CCB;
}

static void begin_meta(wr_preempt_unit *unit, const wr_sm *sm)
{
    const wr_context_area *area = wr_unit_area(unit);
    const wr_tb_info *tb = &unit->tb[unit->slot].info;
    uint64_t end = area->base + area->bytes;
    const wr_context_pointers at = {wr_context_get64(unit->ccb), wr_context_get64(unit->ccb + 8),
                                    wr_context_get64(unit->ccb + 16)};

    if (at.regs < area->base || at.regs > end - area->regs_bytes || at.stack < area->base ||
        at.stack > end - area->stack_bytes ||
        (tb->shared_bytes != 0 &&
         (at.shared < area->base || at.shared > end - area->shared_room))) {
        damaged(unit, sm, "a pointer of its control block lies outside the context area", 0);
        return;
    }
    unit->at = at;
    wr_context_reader_clear(&unit->reader);
    wr_context_reader_add(&unit->reader, at.regs, tb->warps * WR_CTX_PATTERN_BYTES, ID_PATTERNS);
    wr_context_reader_add(&unit->reader, at.stack, tb->warps * WR_CTX_PRED_BYTES, ID_PREDS);
    wr_context_reader_add(&unit->reader, at.shared, tb->shared_bytes, ID_SHARED);
    unit->port_wait = 0;
    unit->state = WR_PREEMPT_READ_META;
}

static uint32_t depth_word(const wr_preempt_unit *unit, uint32_t warp)
{
    return wr_context_get32(unit->preds + (size_t)warp * WR_CTX_PRED_BYTES + WR_CTX_PRED_DEPTH);
}

static uint32_t stack_depth(const wr_preempt_unit *unit, uint32_t warp)
{
    return depth_word(unit, warp) & 0xffffu;
}

/* Patterns and depths are here: asks for stacks, then registers, warp by warp. */
static void begin_state(wr_preempt_unit *unit, wr_sm *sm)
{
    const wr_tb_info *tb = &unit->tb[unit->slot].info;
    wr_tb_info placed = wr_sm_tb(sm, unit->placed);
    wr_restore_job job = {.warp_base = placed.warp_base,
                          .warps = tb->warps,
                          .regs = tb->regs,
                          .pag = wr_context_pag(tb->launch->block[0])};

    wr_context_reader_clear(&unit->reader);
    for (uint32_t w = 0; w < tb->warps; w++) {
        uint32_t depth = stack_depth(unit, w);

        if (depth > WR_SIMT_DEPTH) {
            damaged(unit, sm, "a SIMT stack is deeper than the hardware's", w);
            return;
        }
        wr_context_reader_add(&unit->reader,
                              wr_context_stack_addr(wr_unit_area(unit), &unit->at, w),
                              depth * WR_CTX_ENTRY_BYTES, w);
    }
    for (uint32_t w = 0; w < tb->warps; w++) {
        uint32_t live;
        uint32_t top;

        for (uint32_t i = 0; i < 4; i++) {
            job.pattern[w][i] =
                wr_context_get32(unit->patterns + (size_t)w * WR_CTX_PATTERN_BYTES + 4 * (size_t)i);
        }
        uint32_t bytes = wr_restore_bytes(job.pattern[w], job.pag, &live, &top);

        if (top > tb->regs || bytes > wr_unit_area(unit)->slot_bytes) {
            damaged(unit, sm, "a pattern vector names more registers than the kernel has", w);
            return;
        }
        wr_context_reader_add(&unit->reader, wr_context_slot_addr(wr_unit_area(unit), &unit->at, w),
                              bytes, ID_REGS + w);
    }
    wr_restore_path_begin(&unit->restore, &job);
    unit->state = WR_PREEMPT_READ_STATE;
}

/* Copies a piece of one of the fixed parts. */
static void store_piece(wr_preempt_unit *unit, wr_sm *sm)
{
    const wr_context_piece *piece = &unit->piece;
    uint8_t *to = NULL;

    if (unit->state == WR_PREEMPT_READ_STATE) {
        to = unit->stacks[piece->id];
    } else if (piece->id == ID_CCB) {
        to = unit->ccb;
    } else if (piece->id == ID_PATTERNS) {
        to = unit->patterns;
    } else if (piece->id == ID_PREDS) {
        to = unit->preds;
    } else {
        to = wr_sm_shared(sm, unit->placed);
    }
    memcpy(to + piece->offset, piece->data, piece->bytes);
    if (piece->id == ID_SHARED && unit->state == WR_PREEMPT_READ_META) {
        unit->port_wait = unit->port_cycles - 1;
    }
}

/* The step's replies that are copied as they are. True: all of them have arrived. */
static bool step_copy(wr_preempt_unit *unit, wr_sm *sm)
{
    wr_context_reader_ask(&unit->reader, sm);
    if (unit->port_wait > 0) {
        unit->port_wait--;
    } else if (wr_context_reader_take(&unit->reader, sm, &unit->piece)) {
        store_piece(unit, sm);
    }
    return wr_context_reader_done(&unit->reader) && unit->port_wait == 0;
}

/* The TB is whole again: predicates and stacks go to its warps, and they run. */
static void resume(wr_preempt_unit *unit, wr_sm *sm)
{
    wr_tb_info tb = wr_sm_tb(sm, unit->placed);

    for (uint32_t w = 0; w < tb.warps; w++) {
        const uint8_t *pred = unit->preds + (size_t)w * WR_CTX_PRED_BYTES;
        uint32_t depth = stack_depth(unit, w);
        wr_simt_entry entry[WR_SIMT_DEPTH];

        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            wr_sm_pred_write(sm, tb.warp_base + w, p, wr_context_get32(pred + 4 * (size_t)p));
        }
        for (uint32_t e = 0; e < depth; e++) {
            const uint8_t *from = unit->stacks[w] + (size_t)e * WR_CTX_ENTRY_BYTES;

            entry[e].pc = wr_context_get32(from);
            entry[e].mask = wr_context_get32(from + 4);
            entry[e].reconv = wr_context_get32(from + 8);
        }
        wr_sm_pledges_write(sm, tb.warp_base + w, (uint16_t)(depth_word(unit, w) >> 16));
        wr_sm_stack_write(sm, tb.warp_base + w, entry, depth);
    }
    for (uint32_t w = 0; w < tb.warps; w++) {
        if (stack_depth(unit, w) != 0) {
            wr_sm_warp_resume(sm, tb.warp_base + w);
        }
    }
    unit->tb[unit->slot].out = false;
    unit->state = WR_PREEMPT_PLACE;
}

/* Stacks are copied, register segments go through the blocks. */
static void step_state(wr_preempt_unit *unit, wr_sm *sm)
{
    wr_context_reader_ask(&unit->reader, sm);
    if (!unit->has_piece) {
        unit->has_piece = wr_context_reader_take(&unit->reader, sm, &unit->piece);
    }
    if (unit->has_piece && unit->piece.id < ID_REGS) {
        store_piece(unit, sm);
        unit->has_piece = false;
    }
    const wr_context_piece *piece = unit->has_piece ? &unit->piece : NULL;
    bool taken;
    wr_path_status status = wr_restore_path_step(&unit->restore, sm, piece ? piece->data : NULL,
                                                 piece ? piece->id - ID_REGS : 0, &taken);

    if (taken) {
        unit->has_piece = false;
    }
    if (status == WR_PATH_FAULT) {
        char text[480];

        (void)snprintf(text, sizeof text, "%s (restore of TB %u)", unit->restore.fault,
                       unit->tb[unit->slot].info.linear);
        wr_unit_fail(unit, sm, text);
    } else if (status == WR_PATH_DONE && !unit->has_piece &&
               wr_context_reader_done(&unit->reader)) {
        resume(unit, sm);
    }
}

void wr_unit_restore_step(wr_preempt_unit *unit, wr_sm *sm)
{
    switch (unit->state) {
    case WR_PREEMPT_PLACE:
        step_place(unit, sm);
        break;
    case WR_PREEMPT_READ_CCB:
        if (step_copy(unit, sm)) {
            begin_meta(unit, sm);
        }
        break;
    case WR_PREEMPT_READ_META:
        if (step_copy(unit, sm)) {
            begin_state(unit, sm);
        }
        break;
    default:
        assert(unit->state == WR_PREEMPT_READ_STATE);
        step_state(unit, sm);
        break;
    }
}
