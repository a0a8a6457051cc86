/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle from the register file to the context queue: see raw.h. */
#include "systems/context/raw.h"

#include <stdio.h>
#include <string.h>

bool wr_raw_path_open(wr_raw_path *path, const wr_gpu_config *cfg, bool only_live,
                      const wr_behind *behind, char *err, size_t err_size)
{
    uint32_t port = cfg->context.rf_bytes_per_cycle;

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + port - 1) / port;
    path->has_decoder =
        only_live && wr_liveness_decoder_port_open_behind(&path->decoder, behind,
                                                          &(wr_liveness_decoder_cfg){
                                                              .regs = WR_CONTEXT_PATTERN_REGS,
                                                              .op_pp = WR_OP_PP,
                                                              .op_bar_pp = WR_OP_BAR_PP,
                                                              .op_dummy = WR_OP_PP_DUMMY,
                                                          },
                                                          err, err_size);
    return path->has_decoder == only_live;
}

void wr_raw_path_close(wr_raw_path *path)
{
    if (path->has_decoder) {
        wr_liveness_decoder_port_close(&path->decoder);
    }
    path->has_decoder = false;
}

void wr_raw_path_begin(wr_raw_path *path, const wr_save_job *job)
{
    path->job = *job;
    path->started = false;
    path->next = 0;
    path->holds = false;
    path->rf_wait = 0;
    memset(&path->result, 0, sizeof path->result);
}

static wr_path_status fail(wr_raw_path *path, const char *what)
{
    (void)snprintf(path->fault, sizeof path->fault, "%s", what);
    return WR_PATH_FAULT;
}

/* The register at the register file's output goes to its place, where the queue takes it. */
static wr_path_status queue_register(wr_raw_path *path, wr_sm *sm)
{
    uint8_t bytes[WR_CTX_REGISTER];

    if (path->result.bytes + WR_CTX_REGISTER > path->job.slot_bytes) {
        return fail(path, "the warp's registers need more room than the kernel's greatest live "
                          "count gives; the liveness vectors and the kernel's count disagree");
    }
    for (uint32_t l = 0; l < WR_CTX_REGISTER / 4; l++) {
        wr_context_put32(bytes + 4 * (size_t)l, path->lanes[l]);
    }
    if (wr_sm_ctx_write(sm, path->job.slot + path->result.bytes, bytes, WR_CTX_REGISTER)) {
        path->result.bytes += WR_CTX_REGISTER;
        path->holds = false;
    }
    return WR_PATH_BUSY;
}

static void read_register(wr_raw_path *path, const wr_sm *sm, uint32_t reg)
{
    memcpy(path->lanes, wr_sm_reg(sm, path->job.warp, reg), WR_CTX_REGISTER);
    path->holds = true;
    path->rf_wait = path->rf_cycles;
    path->result.pattern[reg / 16] |= (uint32_t)WR_PATTERN_RANDOM << (reg % 16 * 2);
}

/* Joins the decoder's pins of this cycle. False: it has named every register, nothing to clock. */
static bool settle(wr_raw_path *path, const wr_sm *sm, bool may_read)
{
    wr_liveness_decoder_in *in = &path->in;

    in->start = !path->started;
    in->ready = path->started && may_read;
    if (in->start) {
        wr_warp_info warp = wr_sm_warp(sm, path->job.warp);

        in->word = wr_sm_fetch(sm, path->job.warp, warp.pc);
        in->next = wr_sm_fetch(sm, path->job.warp, warp.pc + 8);
        in->diverged = warp.depth > 1;
        in->alloc = (uint8_t)path->job.regs;
    }
    wr_liveness_decoder_port_eval(&path->decoder, in, &path->out);
    return in->start || path->out.valid;
}

/* Clocks the decoder; the register that it names is read where the port takes it. */
static wr_path_status step_decoder(wr_raw_path *path, const wr_sm *sm)
{
    const wr_port *port = &path->decoder.port;
    const wr_liveness_decoder_out *out = &path->out;

    wr_liveness_decoder_port_tick(&path->decoder, &path->in);
    if (wr_port_failed(port, out->fault, path->fault, sizeof path->fault)) {
        return WR_PATH_FAULT;
    }
    if (path->started && path->in.ready) {
        if (out->index >= path->job.regs) {
            return wr_context_wrong_pin(port, "index", "below ", path->job.regs, out->index,
                                        path->fault, sizeof path->fault);
        }
        read_register(path, sm, out->index);
    }
    path->started = true;
    return WR_PATH_BUSY;
}

static wr_path_status finish(wr_raw_path *path)
{
    if (path->has_decoder && path->out.fault) {
        return wr_context_wrong_pin(&path->decoder.port, "fault", "", 0, 1, path->fault,
                                    sizeof path->fault);
    }
    if (path->has_decoder && !path->out.is_pp && !path->out.is_bar) {
        return fail(path, "liveness_decoder: finds no preemption instruction at the PC");
    }
    path->result.count = wr_context_count(path->result.pattern, path->job.pag, WR_CTX_REGISTER / 4);
    return WR_PATH_DONE;
}

wr_path_status wr_raw_path_step(wr_raw_path *path, wr_sm *sm)
{
    bool held = path->holds;

    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    if (held && queue_register(path, sm) == WR_PATH_FAULT) {
        return WR_PATH_FAULT;
    }
    bool may_read = !path->holds && path->rf_wait == 0;
    bool left = path->has_decoder ? settle(path, sm, may_read) : path->next < path->job.regs;

    if (!left) {
        return held ? WR_PATH_BUSY : finish(path);
    }
    if (path->has_decoder) {
        return step_decoder(path, sm);
    }
    if (may_read) {
        read_register(path, sm, path->next++);
    }
    return WR_PATH_BUSY;
}
