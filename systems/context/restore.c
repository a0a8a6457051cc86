/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle through context_restorer: see restore.h. */
#include "systems/context/restore.h"

#include <stdio.h>
#include <string.h>

bool wr_restore_path_open(wr_restore_path *path, const wr_gpu_config *cfg, const wr_behind *behind,
                          char *err, size_t err_size)
{
    const wr_context_restorer_cfg restorer = {
        .lanes = cfg->sm.warp_size,
        .seg_words = cfg->context.segment_bytes / 4,
        .regs = WR_CONTEXT_PATTERN_REGS,
        .poison = WR_CONTEXT_POISON,
    };
    uint32_t port = cfg->context.rf_bytes_per_cycle;

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + port - 1) / port;
    /* RTL of the user's may take longer than our latency, so it is always clocked. */
    path->patience = behind->own ? UINT32_MAX : wr_context_restorer_block.latency;
    path->is_open =
        wr_context_restorer_port_open_behind(&path->restorer, behind, &restorer, err, err_size);
    return path->is_open;
}

void wr_restore_path_close(wr_restore_path *path)
{
    if (path->is_open) {
        wr_context_restorer_port_close(&path->restorer);
    }
    path->is_open = false;
}

void wr_restore_path_begin(wr_restore_path *path, const wr_restore_job *job)
{
    path->job = *job;
    path->started = false;
    path->rf_wait = 0;
    path->still = 0;
}

static void start_pins(wr_restore_path *path, uint32_t warp)
{
    wr_context_restorer_in *in = &path->in;

    memcpy(in->pattern_vec, path->job.pattern[warp], sizeof in->pattern_vec);
    in->pag = (uint8_t)path->job.pag;
    in->alloc = (uint8_t)path->job.regs;
}

static void segment_pins(wr_restore_path *path, const uint8_t *segment)
{
    path->in.seg_valid = true;
    for (uint32_t w = 0; w < WR_CTX_SEGMENT / 4; w++) {
        path->in.seg_word[w] = wr_context_get32(segment + 4 * (size_t)w);
    }
}

static uint32_t first(uint64_t warps)
{
    return (uint32_t)__builtin_ctzll(warps);
}

/* Joins the pins of this cycle; the outputs are functions of the block's state, so that they say
 * what may go in. False: the last warp is through, nothing to clock. */
static bool settle(wr_restore_path *path, const uint8_t *segment, uint32_t owner)
{
    wr_context_restorer_in *in = &path->in;

    in->start = false;
    in->seg_valid = false;
    in->rf_gnt = path->rf_wait == 0;
    wr_context_restorer_port_eval(&path->restorer, in, &path->out);
    if (path->started && !path->out.busy) {
        path->job.left &= path->job.left - 1;
        path->started = false;
        if (path->job.left == 0) {
            return false;
        }
    }
    uint32_t warp = first(path->job.left);

    if (!path->started) {
        in->start = true;
        start_pins(path, warp);
    } else if (segment && owner == warp && path->out.seg_want) {
        segment_pins(path, segment);
    }
    if (in->start || in->seg_valid) {
        wr_context_restorer_port_eval(&path->restorer, in, &path->out);
    }
    return true;
}

wr_path_status wr_restore_path_step(wr_restore_path *path, wr_sm *sm, const uint8_t *segment,
                                    uint32_t owner, bool *taken)
{
    const wr_context_restorer_out *out = &path->out;
    const wr_port *port = &path->restorer.port;

    *taken = false;
    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    if (segment && (path->job.left >> owner & 1u) == 0) { /* through without all of its segments */
        return wr_context_wrong_pin(port, "busy", "", 1, 0, path->fault, sizeof path->fault);
    }
    if (path->job.left == 0) {
        return WR_PATH_DONE;
    }
    /* What went in has come out after the block's latency, or waits for the next segment. */
    if (path->still >= path->patience && !(segment && owner == first(path->job.left))) {
        return WR_PATH_BUSY;
    }
    if (!settle(path, segment, owner)) {
        return WR_PATH_DONE;
    }
    uint32_t warp = first(path->job.left);

    wr_context_restorer_port_tick(&path->restorer, &path->in);
    if (wr_port_failed(port, out->fault, path->fault, sizeof path->fault)) {
        return WR_PATH_FAULT;
    }
    path->started = true;
    *taken = path->in.seg_valid && out->seg_ready;
    path->still = path->in.start || *taken || out->rf_req ? 0 : path->still + 1;
    if (out->rf_req && path->in.rf_gnt) {
        if (out->rf_index >= path->job.regs) {
            return wr_context_wrong_pin(port, "rf_index", "below ", path->job.regs, out->rf_index,
                                        path->fault, sizeof path->fault);
        }
        wr_sm_reg_write(sm, path->job.warp_base + warp, out->rf_index, out->rf_lane);
        path->rf_wait = path->rf_cycles;
    }
    return WR_PATH_BUSY;
}
