/* SPDX-License-Identifier: Apache-2.0 */
/* The saving half of a preemption unit.
 *
 * Warps are saved as they become ready, lowest slot first, while others still run; a TB whose
 * live warps are all saved goes before the next warp, so that its room is free early. Shared
 * memory is read after the last warp of its TB has stopped: until then it may still change.
 */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Bits of the TB's warps that have not finished. */
static uint64_t live_warps(const wr_sm *sm, const wr_tb_info *tb)
{
    uint64_t live = 0;

    for (uint32_t w = 0; w < tb->warps; w++) {
        if (!wr_sm_warp(sm, tb->warp_base + w).done) {
            live |= UINT64_C(1) << w;
        }
    }
    return live;
}

static void begin_shared(wr_preempt_unit *unit, wr_sm *sm)
{
    const wr_tb_info *tb = &unit->tb[unit->slot].info;

    unit->at = wr_context_area_tb(wr_unit_area(unit), unit->first_entry + unit->slot);
    unit->writer =
        (wr_context_writer){unit->at.shared, wr_sm_shared(sm, unit->slot), tb->shared_bytes};
    unit->port_wait = 0;
    wr_unit_sums(unit)->tbs++;
    wr_unit_sums(unit)->shared_bytes += tb->shared_bytes;
    unit->state = WR_PREEMPT_SHARED;
}

static void begin_warp(wr_preempt_unit *unit, const wr_tb_info *tb, uint32_t index)
{
    wr_context_pointers at = wr_context_area_tb(wr_unit_area(unit), unit->first_entry + unit->slot);
    wr_save_job job = {
        .warp = tb->warp_base + index,
        .regs = tb->regs,
        .pag = wr_context_pag(tb->launch->block[0]),
        .slot = wr_context_slot_addr(wr_unit_area(unit), &at, index),
        .slot_bytes = wr_unit_area(unit)->slot_bytes,
    };

    unit->index = index;
    wr_save_path_begin(&unit->save, &job);
    unit->state = WR_PREEMPT_WARP;
}

/* Chooses what to save next. False: nothing is ready. */
static bool pick(wr_preempt_unit *unit, wr_sm *sm)
{
    uint32_t best = UINT32_MAX;
    uint32_t best_slot = 0;
    bool any = false;

    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        wr_tb_info tb = wr_sm_tb(sm, t);

        if (!tb.valid) {
            continue;
        }
        any = true;
        uint64_t live = live_warps(sm, &tb);

        if (live != 0 && (live & ~unit->tb[t].saved) == 0) {
            unit->slot = t;
            unit->tb[t].info = tb;
            begin_shared(unit, sm);
            return true;
        }
        for (uint32_t w = 0; w < tb.warps; w++) {
            wr_warp_info warp = wr_sm_warp(sm, tb.warp_base + w);

            if (warp.stopped && warp.drained && !warp.done && !(unit->tb[t].saved >> w & 1u) &&
                tb.warp_base + w < best) {
                best = tb.warp_base + w;
                best_slot = t;
            }
        }
    }
    if (!any) {
        unit->state = WR_PREEMPT_ACKS;
        return true;
    }
    if (best == UINT32_MAX) {
        return false;
    }
    wr_tb_info tb = wr_sm_tb(sm, best_slot);

    unit->slot = best_slot;
    unit->tb[best_slot].info = tb;
    begin_warp(unit, &tb, best - tb.warp_base);
    return true;
}

static void end_warp(wr_preempt_unit *unit)
{
    const wr_saved_warp *saved = &unit->save.result;
    wr_context_sums *sums = wr_unit_sums(unit);
    wr_unit_tb *tb = &unit->tb[unit->slot];
    uint32_t regs = unit->save.job.regs;

    memcpy(tb->pattern[unit->index], saved->pattern, sizeof saved->pattern);
    tb->saved |= UINT64_C(1) << unit->index;
    sums->warps++;
    sums->occupied_bytes += (uint64_t)regs * WR_CTX_REGISTER;
    sums->live_bytes += (uint64_t)saved->live * WR_CTX_REGISTER;
    sums->data_bytes += (uint64_t)saved->words * 4;
    sums->padded_bytes += saved->bytes;
    sums->uniform += saved->uniform;
    sums->strided += saved->strided;
    sums->random += saved->random;
    sums->dead += regs - saved->live;
    unit->state = WR_PREEMPT_PICK;
}

static void step_warp(wr_preempt_unit *unit, wr_sm *sm)
{
    switch (wr_save_path_step(&unit->save, sm)) {
    case WR_PATH_BUSY:
        break;
    case WR_PATH_DONE:
        end_warp(unit);
        break;
    case WR_PATH_FAULT: {
        wr_warp_info warp = wr_sm_warp(sm, unit->save.job.warp);
        char text[480];

        (void)snprintf(text, sizeof text, "%s (save of warp %u at pc 0x%x)", unit->save.fault,
                       unit->save.job.warp, warp.pc);
        wr_unit_fail(unit, sm, text);
        break;
    }
    }
}

/* Predicates, stack depth and arrivals of every warp; those of a finished warp are 0, but for
 * arrivals that others still wait for. */
static void begin_preds(wr_preempt_unit *unit, wr_sm *sm)
{
    const wr_tb_info *tb = &unit->tb[unit->slot].info;
    uint32_t bytes = tb->warps * WR_CTX_PRED_BYTES;

    memset(unit->buffer, 0, bytes);
    for (uint32_t w = 0; w < tb->warps; w++) {
        wr_warp_info warp = wr_sm_warp(sm, tb->warp_base + w);
        uint8_t *to = unit->buffer + (size_t)w * WR_CTX_PRED_BYTES;

        wr_context_put32(to + WR_CTX_PRED_DEPTH, (uint32_t)wr_sm_pledges(sm, tb->warp_base + w)
                                                         << 16 |
                                                     (warp.done ? 0 : warp.depth));
        if (warp.done) {
            continue;
        }
        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            wr_context_put32(to + 4 * (size_t)p, wr_sm_pred(sm, tb->warp_base + w, p));
        }
    }
    unit->writer = (wr_context_writer){unit->at.stack, unit->buffer, bytes};
    wr_unit_sums(unit)->pred_bytes += bytes;
    unit->index = 0;
    unit->state = WR_PREEMPT_STACK;
}

/* The stack of warp unit->index. */
static void begin_stack(wr_preempt_unit *unit, wr_sm *sm)
{
    const wr_tb_info *tb = &unit->tb[unit->slot].info;
    wr_simt_entry entry[WR_SIMT_DEPTH];
    uint32_t depth = wr_sm_stack(sm, tb->warp_base + unit->index, entry);

    for (uint32_t e = 0; e < depth; e++) {
        uint8_t *to = unit->buffer + (size_t)e * WR_CTX_ENTRY_BYTES;

        wr_context_put32(to, entry[e].pc);
        wr_context_put32(to + 4, entry[e].mask);
        wr_context_put32(to + 8, entry[e].reconv);
    }
    unit->writer =
        (wr_context_writer){wr_context_stack_addr(wr_unit_area(unit), &unit->at, unit->index),
                            unit->buffer, depth * WR_CTX_ENTRY_BYTES};
    wr_unit_sums(unit)->stack_bytes += unit->writer.left;
    unit->index++;
}

static void begin_ccb(wr_preempt_unit *unit)
{
    wr_context_put64(unit->buffer, unit->at.regs);
    wr_context_put64(unit->buffer + 8, unit->at.shared);
    wr_context_put64(unit->buffer + 16, unit->at.stack);
    unit->writer =
        (wr_context_writer){wr_context_ccb_addr(wr_unit_area(unit), unit->first_entry + unit->slot),
                            unit->buffer, WR_CTX_CCB_BYTES};
    wr_unit_sums(unit)->ccb_bytes += WR_CTX_CCB_BYTES;
    unit->state = WR_PREEMPT_CCB;
}

/* Pattern vectors, padded to whole segments; that of a finished warp says all dead. */
static void begin_patterns(wr_preempt_unit *unit)
{
    const wr_unit_tb *tb = &unit->tb[unit->slot];
    uint32_t bytes = wr_context_segments(tb->info.warps * WR_CTX_PATTERN_BYTES);

    memset(unit->buffer, 0, bytes);
    for (uint32_t w = 0; w < tb->info.warps; w++) {
        for (uint32_t i = 0; i < 4 && (tb->saved >> w & 1u); i++) {
            wr_context_put32(unit->buffer + (size_t)w * WR_CTX_PATTERN_BYTES + 4 * (size_t)i,
                             tb->pattern[w][i]);
        }
    }
    unit->writer = (wr_context_writer){unit->at.regs, unit->buffer, bytes};
    wr_unit_sums(unit)->pattern_bytes += bytes;
    unit->state = WR_PREEMPT_PATTERNS;
}

static void evict(wr_preempt_unit *unit, wr_sm *sm)
{
    wr_unit_tb *tb = &unit->tb[unit->slot];

    wr_sm_tb_evict(sm, unit->slot, WR_PREEMPT_POISON);
    memset(tb->pattern, 0, sizeof tb->pattern);
    tb->saved = 0;
    tb->out = true;
    unit->state = WR_PREEMPT_PICK;
}

void wr_unit_save_step(wr_preempt_unit *unit, wr_sm *sm)
{
    if (unit->state == WR_PREEMPT_PICK && !pick(unit, sm)) {
        unit->record.drain++;
        return;
    }
    unit->record.spill++;
    switch (unit->state) {
    case WR_PREEMPT_WARP:
        step_warp(unit, sm);
        break;
    case WR_PREEMPT_SHARED:
        if (unit->port_wait > 0) {
            unit->port_wait--;
            break;
        }
        unit->port_wait = unit->port_cycles - 1;
        if (wr_context_writer_step(&unit->writer, sm)) {
            begin_preds(unit, sm);
        }
        break;
    case WR_PREEMPT_STACK:
        if (!wr_context_writer_step(&unit->writer, sm)) {
            break;
        }
        if (unit->index < unit->tb[unit->slot].info.warps) {
            begin_stack(unit, sm);
        } else {
            begin_ccb(unit);
        }
        break;
    case WR_PREEMPT_CCB:
        if (wr_context_writer_step(&unit->writer, sm)) {
            begin_patterns(unit);
        }
        break;
    case WR_PREEMPT_PATTERNS:
        if (wr_context_writer_step(&unit->writer, sm)) {
            evict(unit, sm);
        }
        break;
    default:
        assert(unit->state == WR_PREEMPT_ACKS);
        break;
    }
}
