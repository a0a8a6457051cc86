/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a preemption unit; its two halves are in unit_save.c and unit_restore.c. */
#include "systems/context/engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool wr_preempt_unit_open(wr_preempt_unit *unit, const wr_gpu_config *cfg, wr_backend backend,
                          const char *block_config, char *err, size_t err_size)
{
    uint32_t shared_port = cfg->context.shared_bytes_per_cycle;
    uint32_t rf_port = cfg->context.rf_bytes_per_cycle;

    memset(unit, 0, sizeof *unit);
    unit->port_cycles = (WR_CTX_SEGMENT + shared_port - 1) / shared_port;
    return wr_save_path_open(&unit->save, backend, block_config, rf_port, err, err_size) &&
           wr_restore_path_open(&unit->restore, backend, block_config, rf_port, err, err_size);
}

void wr_preempt_unit_close(wr_preempt_unit *unit)
{
    wr_save_path_close(&unit->save);
    wr_restore_path_close(&unit->restore);
}

void wr_preempt_unit_signal(wr_preempt_unit *unit, wr_sm *sm, const wr_context_area *areas,
                            uint32_t first_entry, uint64_t now)
{
    assert(unit->state == WR_PREEMPT_IDLE);
    unit->areas = areas;
    unit->first_entry = first_entry;
    memset(&unit->record, 0, sizeof unit->record);
    memset(unit->sums, 0, sizeof unit->sums);
    unit->record.cycle = now;
    unit->record.sm = wr_sm_id(sm);
    for (uint32_t t = 0; t < WR_CONFIG_MAX_TBS; t++) {
        unit->tb[t].out = false;
        unit->tb[t].saved = 0;
    }
    unit->all_stopped = false;
    unit->state = WR_PREEMPT_PICK;
    wr_sm_stop_tbs(sm, 0, WR_ALL_TBS);
    wr_sm_close(sm, 0, WR_ALL_STREAMS);
    wr_sm_attend(sm, 0, true);
}

/* Does any warp of the SM still execute? */
static bool any_runs(const wr_sm *sm)
{
    for (uint32_t w = 0; w < wr_sm_warp_slots(sm); w++) {
        wr_warp_info warp = wr_sm_warp(sm, w);

        if (warp.valid && !warp.done && !(warp.stopped && warp.drained)) {
            return true;
        }
    }
    return false;
}

void wr_context_sums_add(wr_context_sums *to, const wr_context_sums *from)
{
    to->tbs += from->tbs;
    to->warps += from->warps;
    to->occupied_bytes += from->occupied_bytes;
    to->live_bytes += from->live_bytes;
    to->data_bytes += from->data_bytes;
    to->padded_bytes += from->padded_bytes;
    to->pattern_bytes += from->pattern_bytes;
    to->pred_bytes += from->pred_bytes;
    to->stack_bytes += from->stack_bytes;
    to->shared_bytes += from->shared_bytes;
    to->ccb_bytes += from->ccb_bytes;
    to->uniform += from->uniform;
    to->strided += from->strided;
    to->random += from->random;
    to->dead += from->dead;
}

bool wr_preempt_unit_step(wr_preempt_unit *unit, wr_sm *sm)
{
    assert(unit->state != WR_PREEMPT_IDLE && unit->state != WR_PREEMPT_FAILED);
    if (!unit->all_stopped && any_runs(sm)) {
        unit->record.stop++;
    } else {
        unit->all_stopped = true;
    }
    if (unit->state <= WR_PREEMPT_ACKS) {
        /* The last acknowledgement ends the save; its cycle is not counted. */
        if (unit->state == WR_PREEMPT_ACKS && wr_sm_ctx_pending(sm) == 0) {
            unit->record.latency = (uint32_t)(wr_gpu_cycle(wr_sm_gpu(sm)) - unit->record.cycle);
            assert(unit->record.latency == unit->record.drain + unit->record.spill);
            for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
                wr_context_sums_add(&unit->record.sums, &unit->sums[i]);
            }
            wr_sm_stop_tbs(sm, 0, 0);
            wr_unit_restore_begin(unit);
        } else {
            wr_unit_save_step(unit, sm);
        }
    } else {
        unit->record.restore++;
        wr_unit_restore_step(unit, sm);
    }
    if (unit->state != WR_PREEMPT_IDLE) {
        return false;
    }
    wr_sm_close(sm, 0, 0);
    wr_sm_attend(sm, 0, false);
    return true;
}

void wr_preempt_unit_drop(wr_preempt_unit *unit, wr_sm *sm)
{
    if (unit->state == WR_PREEMPT_IDLE || unit->state == WR_PREEMPT_FAILED) {
        return;
    }
    unit->state = WR_PREEMPT_IDLE;
    wr_sm_stop_tbs(sm, 0, 0);
    wr_sm_close(sm, 0, 0);
    wr_sm_attend(sm, 0, false);
}

void wr_unit_fail(wr_preempt_unit *unit, const wr_sm *sm, const char *what)
{
    (void)snprintf(unit->message, sizeof unit->message, "preemption of SM %u: %s", wr_sm_id(sm),
                   what);
    unit->state = WR_PREEMPT_FAILED;
}

wr_port *wr_preempt_unit_port(wr_preempt_unit *unit, uint32_t block)
{
    wr_port *const ports[WR_PREEMPT_BLOCKS] = {
        &unit->save.decoder.port, &unit->save.compressor.port, &unit->save.packer.port,
        &unit->restore.unpacker.port, &unit->restore.decompressor.port};

    assert(block < WR_PREEMPT_BLOCKS);
    return ports[block];
}

const char *wr_preempt_state_name(wr_preempt_state state)
{
    static const char *const names[WR_PREEMPT_STATES] = {
        [WR_PREEMPT_IDLE] = "idle",           [WR_PREEMPT_PICK] = "pick",
        [WR_PREEMPT_WARP] = "warp",           [WR_PREEMPT_SHARED] = "shared",
        [WR_PREEMPT_STACK] = "stack",         [WR_PREEMPT_CCB] = "ccb",
        [WR_PREEMPT_PATTERNS] = "patterns",   [WR_PREEMPT_ACKS] = "acks",
        [WR_PREEMPT_PLACE] = "place",         [WR_PREEMPT_READ_CCB] = "read_ccb",
        [WR_PREEMPT_READ_META] = "read_meta", [WR_PREEMPT_READ_STATE] = "read_state",
        [WR_PREEMPT_FAILED] = "failed",
    };

    return names[state];
}
