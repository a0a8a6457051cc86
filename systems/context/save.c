/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle through context_saver: see save.h. */
#include "systems/context/save.h"

#include "systems/context/area.h"

#include <stdio.h>
#include <string.h>

bool wr_save_path_open(wr_save_path *path, const wr_gpu_config *cfg, const wr_behind *behind,
                       char *err, size_t err_size)
{
    const wr_context_saver_cfg saver = {
        .lanes = cfg->sm.warp_size,
        .seg_words = cfg->context.segment_bytes / 4,
        .pad_words = cfg->context.pad_bytes / 4,
        .regs = WR_CONTEXT_PATTERN_REGS,
        .op_pp = WR_OP_PP,
        .op_bar_pp = WR_OP_BAR_PP,
        .op_dummy = WR_OP_PP_DUMMY,
    };
    uint32_t port = cfg->context.rf_bytes_per_cycle;

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + port - 1) / port;
    path->is_open = wr_context_saver_port_open_behind(&path->saver, behind, &saver, err, err_size);
    return path->is_open;
}

void wr_save_path_close(wr_save_path *path)
{
    if (path->is_open) {
        wr_context_saver_port_close(&path->saver);
    }
    path->is_open = false;
}

void wr_save_path_begin(wr_save_path *path, const wr_save_job *job)
{
    path->job = *job;
    path->started = false;
    path->rf_wait = 0;
    memset(&path->result, 0, sizeof path->result);
}

static void start_pins(wr_save_path *path, const wr_sm *sm)
{
    wr_warp_info warp = wr_sm_warp(sm, path->job.warp);

    path->in.word = wr_sm_fetch(sm, path->job.warp, warp.pc);
    path->in.next = wr_sm_fetch(sm, path->job.warp, warp.pc + 8);
    path->in.diverged = warp.depth > 1;
    path->in.alloc = (uint8_t)path->job.regs;
    path->in.pag = (uint8_t)path->job.pag;
}

static uint32_t segment_bytes(const wr_context_saver_out *out)
{
    return 4 * (out->seg_count < WR_CTX_SEGMENT / 4 ? out->seg_count : WR_CTX_SEGMENT / 4);
}

/* Offers the segment at the output to the context queue: the block's seg_ready. */
static bool queue_segment(wr_save_path *path, wr_sm *sm)
{
    uint8_t bytes[WR_CTX_SEGMENT];
    uint32_t size = segment_bytes(&path->out);

    for (uint32_t w = 0; w < size / 4; w++) {
        wr_context_put32(bytes + 4 * (size_t)w, path->out.seg_word[w]);
    }
    if (!wr_sm_ctx_write(sm, path->job.slot + path->result.bytes, bytes, size)) {
        return false;
    }
    path->result.bytes += size;
    return true;
}

static wr_path_status finish(wr_save_path *path)
{
    wr_saved_warp *result = &path->result;

    memcpy(result->pattern, path->out.pattern_vec, sizeof result->pattern);
    result->count = wr_context_count(result->pattern, path->job.pag, path->saver.cfg.lanes);
    if (path->out.total != result->count.words) {
        return wr_context_wrong_pin(&path->saver.port, "total", "", result->count.words,
                                    path->out.total, path->fault, sizeof path->fault);
    }
    return WR_PATH_DONE;
}

static wr_path_status fail(wr_save_path *path, const char *what)
{
    (void)snprintf(path->fault, sizeof path->fault, "%s: %s", path->saver.port.block->name, what);
    return WR_PATH_FAULT;
}

/* The block's complaint; the commonest cause has a text of its own. */
static wr_path_status complain(wr_save_path *path)
{
    uint64_t opcode = path->in.word >> WR_ISA_OPCODE_SHIFT;

    if (!wr_port_mismatch(&path->saver.port) && opcode != WR_OP_PP && opcode != WR_OP_BAR_PP) {
        return fail(path, "finds no preemption instruction at the PC");
    }
    return WR_PATH_FAULT;
}

wr_path_status wr_save_path_step(wr_save_path *path, wr_sm *sm, bool *may_write)
{
    wr_context_saver_in *in = &path->in;
    wr_context_saver_out *out = &path->out;

    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    in->start = !path->started;
    in->rf_gnt = path->rf_wait == 0;
    in->seg_ready = false;
    if (in->start) {
        start_pins(path, sm);
    }
    wr_context_saver_port_eval(&path->saver, in, out);
    if (path->started && out->done) {
        return finish(path);
    }
    if (path->started && out->seg_valid) {
        if (path->result.bytes + segment_bytes(out) > path->job.slot_bytes) {
            return fail(path, "the warp's registers need more room than the kernel's greatest live "
                              "count gives; the liveness vectors and the kernel's count disagree");
        }
        in->seg_ready = *may_write && queue_segment(path, sm);
        *may_write = *may_write && !in->seg_ready;
        wr_context_saver_port_eval(&path->saver, in, out);
    }
    wr_context_saver_port_tick(&path->saver, in);
    if (wr_port_failed(&path->saver.port, out->fault, path->fault, sizeof path->fault)) {
        return complain(path);
    }
    path->started = true;
    if (out->rf_req && in->rf_gnt) {
        if (out->rf_index >= path->job.regs) {
            return wr_context_wrong_pin(&path->saver.port, "rf_index", "below ", path->job.regs,
                                        out->rf_index, path->fault, sizeof path->fault);
        }
        memcpy(in->rf_lane, wr_sm_reg(sm, path->job.warp, out->rf_index), WR_CTX_REGISTER);
        path->rf_wait = path->rf_cycles;
    }
    return WR_PATH_BUSY;
}
