/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle through decoder, compressor and packer: see save.h. */
#include "systems/context/save.h"

#include "systems/context/area.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A named configuration as the block's cfg struct: values in the order of the parameters. */
static bool named_config(const wr_block_desc *block, const char *name, void *cfg, char *err,
                         size_t err_size)
{
    const wr_config_desc *config = wr_block_config(block, name);

    if (!config) {
        (void)snprintf(err, err_size, "block %s has no configuration \"%s\"", block->name, name);
        return false;
    }
    memcpy(cfg, config->value, block->cfg_size);
    return true;
}

bool wr_save_path_open(wr_save_path *path, wr_backend backend, const char *block_config,
                       uint32_t rf_bytes_per_cycle, char *err, size_t err_size)
{
    wr_liveness_decoder_cfg decoder;
    wr_reg_compressor_cfg compressor;
    wr_context_packer_cfg packer;

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + rf_bytes_per_cycle - 1) / rf_bytes_per_cycle;
    if (!named_config(&wr_liveness_decoder_block, block_config, &decoder, err, err_size) ||
        !named_config(&wr_reg_compressor_block, block_config, &compressor, err, err_size) ||
        !named_config(&wr_context_packer_block, block_config, &packer, err, err_size)) {
        return false;
    }
    if (decoder.op_pp != WR_OP_PP || decoder.op_bar_pp != WR_OP_BAR_PP ||
        decoder.op_dummy != WR_OP_PP_DUMMY || decoder.regs < WR_ISA_MAX_REGS ||
        compressor.lanes != 32 || packer.lanes != 32 || packer.seg_words != 32 ||
        packer.pad_words != 8) {
        (void)snprintf(err, err_size,
                       "block configuration \"%s\" does not fit a machine of 32 lanes, 63 "
                       "registers, 128 B segments and 32 B padding; take default",
                       block_config);
        return false;
    }
    if (!wr_liveness_decoder_port_open(&path->decoder, backend, &decoder, err, err_size)) {
        return false;
    }
    path->open_ports = 1;
    if (!wr_reg_compressor_port_open(&path->compressor, backend, &compressor, err, err_size)) {
        return false;
    }
    path->open_ports = 2;
    if (!wr_context_packer_port_open(&path->packer, backend, &packer, err, err_size)) {
        return false;
    }
    path->open_ports = 3;
    return true;
}

void wr_save_path_close(wr_save_path *path)
{
    if (path->open_ports > 0) {
        wr_liveness_decoder_port_close(&path->decoder);
    }
    if (path->open_ports > 1) {
        wr_reg_compressor_port_close(&path->compressor);
    }
    if (path->open_ports > 2) {
        wr_context_packer_port_close(&path->packer);
    }
    path->open_ports = 0;
}

void wr_save_path_begin(wr_save_path *path, const wr_save_job *job)
{
    path->job = *job;
    path->started = false;
    path->decoded = false;
    path->flushed = false;
    path->taken = 0;
    path->rf_wait = 0;
    memset(&path->result, 0, sizeof path->result);
}

static wr_path_status fail(wr_save_path *path, const char *what)
{
    (void)snprintf(path->fault, sizeof path->fault, "%s", what);
    return WR_PATH_FAULT;
}

/* A pin that contradicts what went in: hardware behind the rtl backend may be wrong. */
static wr_path_status wrong_pin(wr_save_path *path, const wr_port *port, const char *pin,
                                uint32_t expected, uint32_t got)
{
    (void)snprintf(path->fault, sizeof path->fault, "%s: cycle %llu: pin %s: expected %u, got %u",
                   port->block->name, (unsigned long long)wr_port_get_stats(port).cycles, pin,
                   expected, got);
    return WR_PATH_FAULT;
}

/* Offers the segment at the packer's output to the context queue: its seg_ready. */
static bool queue_segment(wr_save_path *path, wr_sm *sm, const wr_context_packer_out *out)
{
    uint8_t bytes[WR_CTX_SEGMENT];
    uint32_t words = out->seg_count < 32 ? out->seg_count : 32;
    uint32_t size = words * 4;

    for (uint32_t w = 0; w < words; w++) {
        wr_context_put32(bytes + 4 * (size_t)w, out->seg_word[w]);
    }
    if (!wr_sm_ctx_write(sm, path->job.slot + path->result.bytes, bytes, size)) {
        return false;
    }
    path->result.bytes += size;
    return true;
}

static void count_register(wr_saved_warp *warp, const wr_reg_compressor_out *out)
{
    warp->uniform += out->pattern == WR_PATTERN_UNIFORM;
    warp->strided += out->pattern == WR_PATTERN_STRIDED;
    warp->random += out->pattern == WR_PATTERN_RANDOM;
    warp->words += out->count;
}

/* The inputs that start a warp, at the decoder and at the packer in the same cycle. */
static void start_pins(wr_save_path *path, wr_sm *sm)
{
    wr_warp_info warp = wr_sm_warp(sm, path->job.warp);

    path->decoder_in.start = true;
    path->decoder_in.word = wr_sm_fetch(sm, path->job.warp, warp.pc);
    path->decoder_in.next = wr_sm_fetch(sm, path->job.warp, warp.pc + 8);
    path->decoder_in.diverged = warp.depth > 1;
    path->decoder_in.alloc = (uint8_t)path->job.regs;
    path->packer_in.start = true;
}

/* Joins the pins of this cycle, back to front. False: the packer is done, nothing to clock. */
static bool settle(wr_save_path *path, wr_sm *sm)
{
    wr_liveness_decoder_in *di = &path->decoder_in;
    wr_reg_compressor_in *ci = &path->compressor_in;
    wr_context_packer_in *pi = &path->packer_in;

    memset(di, 0, sizeof *di);
    memset(ci, 0, sizeof *ci);
    memset(pi, 0, sizeof *pi);
    if (!path->started) {
        start_pins(path, sm);
    }

    wr_context_packer_port_eval(&path->packer, pi, &path->packer_out);
    if (path->flushed && path->packer_out.done) {
        return false;
    }
    if (path->packer_out.seg_valid) {
        pi->seg_ready = queue_segment(path, sm, &path->packer_out);
    }

    wr_liveness_decoder_port_eval(&path->decoder, di, &path->decoder_out);
    if (path->decoder_out.decoded && path->started) {
        path->decoded = true;
        path->result.live = (uint32_t)__builtin_popcountll(path->decoder_out.mask);
    }
    ci->ready = path->packer_out.ready;
    ci->valid = path->decoder_out.valid && path->rf_wait == 0;
    if (ci->valid) {
        assert(path->decoder_out.index < path->job.regs);
        ci->tag = path->decoder_out.index;
        ci->pag = (uint8_t)path->job.pag;
        memcpy(ci->lane, wr_sm_reg(sm, path->job.warp, ci->tag), 32 * sizeof ci->lane[0]);
    }
    wr_reg_compressor_port_eval(&path->compressor, ci, &path->compressor_out);
    di->ready = ci->valid && path->compressor_out.ready;
    pi->valid = path->compressor_out.valid;
    if (pi->valid) {
        pi->tag = path->compressor_out.tag;
        pi->pattern = path->compressor_out.pattern;
        pi->count = path->compressor_out.count;
        memcpy(pi->word, path->compressor_out.word, sizeof pi->word);
    }
    pi->flush = path->decoded && !path->flushed && path->taken + pi->valid == path->result.live;
    wr_context_packer_port_eval(&path->packer, pi, &path->packer_out);
    wr_liveness_decoder_port_eval(&path->decoder, di, &path->decoder_out);
    return true;
}

wr_path_status wr_save_path_step(wr_save_path *path, wr_sm *sm)
{
    if (!settle(path, sm)) {
        if (path->packer_out.total != path->result.words) {
            return wrong_pin(path, &path->packer.port, "total", path->result.words,
                             path->packer_out.total);
        }
        memcpy(path->result.pattern, path->packer_out.pattern_vec, sizeof path->result.pattern);
        return WR_PATH_DONE;
    }
    wr_context_packer_port_tick(&path->packer, &path->packer_in);
    wr_reg_compressor_port_tick(&path->compressor, &path->compressor_in);
    wr_liveness_decoder_port_tick(&path->decoder, &path->decoder_in);
    if (wr_context_block_failed(&path->decoder.port, path->decoder_out.fault, path->fault,
                                sizeof path->fault) ||
        wr_context_block_failed(&path->compressor.port, path->compressor_out.fault, path->fault,
                                sizeof path->fault) ||
        wr_context_block_failed(&path->packer.port, path->packer_out.fault, path->fault,
                                sizeof path->fault)) {
        return WR_PATH_FAULT;
    }
    path->started = true;
    if (path->decoded && !path->decoder_out.is_pp && !path->decoder_out.is_bar) {
        return fail(path, "liveness_decoder: finds no preemption instruction at the PC");
    }
    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    if (path->decoder_in.ready) {
        path->rf_wait = path->rf_cycles - 1;
    }
    if (path->packer_in.valid && path->packer_out.ready) {
        path->taken++;
        count_register(&path->result, &path->compressor_out);
    }
    path->flushed |= path->packer_in.flush && path->packer_out.ready;
    if (path->result.bytes > path->job.slot_bytes) {
        return fail(path, "the warp's registers need more room than the kernel's greatest live "
                          "count gives; the liveness vectors and the kernel's count disagree");
    }
    return WR_PATH_BUSY;
}
