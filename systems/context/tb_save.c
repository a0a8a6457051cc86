/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle through the three blocks: see tb_save.h. */
#include "systems/context/tb_save.h"

#include <stdio.h>
#include <string.h>

enum { SEGMENT_WORDS = WR_CTX_SEGMENT / 4, LANES = WR_CTX_REGISTER / 4 };

bool wr_tb_save_open(wr_tb_save *path, const wr_gpu_config *cfg, const wr_behind *behind, char *err,
                     size_t err_size)
{
    uint32_t port = cfg->context.rf_bytes_per_cycle;
    const wr_liveness_decoder_cfg decoder = {
        .regs = WR_CONTEXT_PATTERN_REGS,
        .op_pp = WR_OP_PP,
        .op_bar_pp = WR_OP_BAR_PP,
        .op_dummy = WR_OP_PP_DUMMY,
    };

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + port - 1) / port;
    path->open +=
        wr_liveness_decoder_port_open_behind(&path->decoder, behind, &decoder, err, err_size);
    path->open +=
        path->open == 1 && wr_reg_compressor_port_open_behind(
                               &path->compressor, behind,
                               &(wr_reg_compressor_cfg){.lanes = cfg->sm.warp_size}, err, err_size);
    path->open += path->open == 2 && wr_tb_compressor_port_open_behind(
                                         &path->common, behind,
                                         &(wr_tb_compressor_cfg){.words = cfg->sm.warp_size / 4,
                                                                 .entries = WR_CTX_TB_GROUPS},
                                         err, err_size);
    return path->open == 3;
}

void wr_tb_save_close(wr_tb_save *path)
{
    if (path->open > 2) {
        wr_tb_compressor_port_close(&path->common);
    }
    if (path->open > 1) {
        wr_reg_compressor_port_close(&path->compressor);
    }
    if (path->open > 0) {
        wr_liveness_decoder_port_close(&path->decoder);
    }
    path->open = 0;
}

static void begin_register(wr_tb_save *path)
{
    path->read = 0;
    path->passed = 0;
    path->holds = false;
    path->reg_words = 0;
}

void wr_tb_save_begin(wr_tb_save *path, const wr_tb_save_job *job)
{
    path->job = *job;
    path->state = WR_TB_SAVE_START;
    path->rf_wait = 0;
    path->count = 0;
    path->bypass = false;
    memset(&path->result, 0, sizeof path->result);
    begin_register(path);
}

static wr_path_status fail(wr_tb_save *path, const char *what)
{
    (void)snprintf(path->fault, sizeof path->fault, "%s", what);
    return WR_PATH_FAULT;
}

/* Clocks the decoder. */
static wr_path_status tick_decoder(wr_tb_save *path, bool start)
{
    path->decoder_in.start = start;
    path->decoder_in.ready = !start;
    wr_liveness_decoder_port_eval(&path->decoder, &path->decoder_in, &path->decoder_out);
    wr_liveness_decoder_port_tick(&path->decoder, &path->decoder_in);
    return wr_port_failed(&path->decoder.port, path->decoder_out.fault, path->fault,
                          sizeof path->fault)
               ? WR_PATH_FAULT
               : WR_PATH_BUSY;
}

static wr_path_status step_start(wr_tb_save *path, const wr_sm *sm)
{
    wr_warp_info warp = wr_sm_warp(sm, path->job.slot[0]);

    path->decoder_in = (wr_liveness_decoder_in){
        .word = wr_sm_fetch(sm, path->job.slot[0], warp.pc),
        .next = wr_sm_fetch(sm, path->job.slot[0], warp.pc + 8),
        .diverged = warp.depth > 1,
        .alloc = (uint8_t)path->job.regs,
    };
    path->state = WR_TB_SAVE_WALK;
    return tick_decoder(path, true);
}

/* What the decoder shows at the start of a register. */
static wr_path_status look_at_decoder(wr_tb_save *path)
{
    const wr_liveness_decoder_out *out = &path->decoder_out;
    const wr_port *port = &path->decoder.port;

    path->decoder_in.start = false;
    path->decoder_in.ready = false;
    wr_liveness_decoder_port_eval(&path->decoder, &path->decoder_in, &path->decoder_out);
    if (out->fault || !out->is_bar) {
        return wr_context_wrong_pin(port, out->fault ? "fault" : "is_bar", "", !out->fault,
                                    out->fault, path->fault, sizeof path->fault);
    }
    if (out->valid && out->index >= path->job.regs) {
        return wr_context_wrong_pin(port, "index", "below ", path->job.regs, out->index,
                                    path->fault, sizeof path->fault);
    }
    path->reg = out->index;
    path->state = out->valid ? WR_TB_SAVE_WALK : WR_TB_SAVE_FLUSH;
    return WR_PATH_BUSY;
}

/* All words of the register are in the stream. */
static wr_path_status end_register(wr_tb_save *path, uint32_t class)
{
    uint32_t expected = wr_context_class_words(class, path->job.warps, path->job.pag, LANES);
    uint8_t *code = &path->result.classes[path->reg / 2];

    if (path->reg_words != expected) {
        return wr_context_wrong_pin(&path->common.port, "count, over all beats", "", expected,
                                    path->reg_words, path->fault, sizeof path->fault);
    }
    *code = (uint8_t)(*code | class << (path->reg % 2 * 4));
    path->result.registers[class]++;
    path->result.words += expected;
    begin_register(path);
    path->state = WR_TB_SAVE_WALK;
    return tick_decoder(path, false);
}

static void put_words(wr_tb_save *path, const uint32_t *words, uint32_t count)
{
    memcpy(path->word + path->count, words, count * sizeof *words);
    path->count += count;
    path->reg_words += count;
}

static bool has_room(const wr_tb_save *path, uint32_t words)
{
    return path->count + words <= sizeof path->word / sizeof path->word[0];
}

/* The next warp's register, for the next cycle. */
static void read_next(wr_tb_save *path, const wr_sm *sm)
{
    if (path->holds || path->rf_wait != 0 || path->read == path->job.warps) {
        return;
    }
    memcpy(path->lanes, wr_sm_reg(sm, path->job.slot[path->read], path->reg), WR_CTX_REGISTER);
    path->holds = true;
    path->rf_wait = path->rf_cycles;
    path->read++;
}

/* Counts a warp's result as the warp level would store it. */
static void count_result(wr_tb_save *path)
{
    wr_pattern_count *n = &path->result.by_warp;
    const wr_reg_compressor_out *out = &path->compressor_out;

    n->live++;
    n->uniform += out->pattern == WR_PATTERN_UNIFORM;
    n->strided += out->pattern == WR_PATTERN_STRIDED;
    n->random += out->pattern == WR_PATTERN_RANDOM;
    n->words += out->count;
    path->passed++;
}

/* Joins the pins of the two compressors of this cycle. */
static void settle(wr_tb_save *path)
{
    wr_reg_compressor_in *lanes = &path->compressor_in;
    wr_tb_compressor_in *result = &path->common_in;

    wr_tb_compressor_port_eval(&path->common, result, &path->common_out);
    lanes->valid = path->holds;
    lanes->tag = (uint8_t)path->reg;
    lanes->pag = (uint8_t)path->job.pag;
    memcpy(lanes->lane, path->lanes, sizeof path->lanes);
    lanes->ready = path->common_out.ready;
    wr_reg_compressor_port_eval(&path->compressor, lanes, &path->compressor_out);
    result->valid = path->compressor_out.valid;
    result->last = path->passed + 1 == path->job.warps;
    result->pag = (uint8_t)path->job.pag;
    result->pattern = path->compressor_out.pattern;
    memcpy(result->word, path->compressor_out.word, LANES / 4 * sizeof result->word[0]);
    result->ready = has_room(path, 2);
    wr_tb_compressor_port_eval(&path->common, result, &path->common_out);
}

/* The beat that left tb_compressor in this cycle. */
static wr_path_status take_beat(wr_tb_save *path)
{
    const wr_tb_compressor_out *beat = &path->common_out;
    uint32_t class = beat->tb_class;

    if (class == WR_TB_BYPASS && path->result.words == 0) {
        path->bypass = true;
        path->state = WR_TB_SAVE_LEAVE;
        return WR_PATH_BUSY;
    }
    if (!wr_context_class_ok(class) || class == WR_TB_DEAD || beat->count > 2) {
        return wr_context_wrong_pin(&path->common.port, "tb_class", "a class, not ", WR_TB_BYPASS,
                                    class, path->fault, sizeof path->fault);
    }
    put_words(path, beat->word, beat->count);
    if (!beat->last) {
        return WR_PATH_BUSY;
    }
    if (class == WR_TB_RANDOM) {
        path->read = 0;
        path->state = WR_TB_SAVE_RAW;
        return WR_PATH_BUSY;
    }
    return end_register(path, class);
}

static wr_path_status step_walk(wr_tb_save *path, const wr_sm *sm)
{
    settle(path);
    bool beat = path->common_out.valid && path->common_in.ready;

    if (path->compressor_in.valid && path->compressor_out.ready) {
        path->holds = false;
    }
    if (path->compressor_out.valid && path->common_out.ready) {
        count_result(path);
    }
    wr_reg_compressor_port_tick(&path->compressor, &path->compressor_in);
    wr_tb_compressor_port_tick(&path->common, &path->common_in);
    if (wr_port_failed(&path->compressor.port, path->compressor_out.fault, path->fault,
                       sizeof path->fault) ||
        wr_port_failed(&path->common.port, path->common_out.fault, path->fault,
                       sizeof path->fault)) {
        return WR_PATH_FAULT;
    }
    if (beat) {
        return take_beat(path);
    }
    read_next(path, sm);
    return WR_PATH_BUSY;
}

/* A register that is random is read once more, past both compressors. */
static wr_path_status step_raw(wr_tb_save *path, const wr_sm *sm)
{
    if (path->holds && has_room(path, LANES)) {
        put_words(path, path->lanes, LANES);
        path->holds = false;
        if (path->read == path->job.warps) {
            return end_register(path, WR_TB_RANDOM);
        }
    }
    read_next(path, sm);
    return WR_PATH_BUSY;
}

/* The segment at the head of the stream, where it is full or the last. */
static wr_path_status queue_segment(wr_tb_save *path, wr_sm *sm)
{
    uint8_t bytes[WR_CTX_SEGMENT] = {0};
    uint32_t words = path->count < SEGMENT_WORDS ? path->count : SEGMENT_WORDS;
    uint32_t size = (4 * words + WR_CTX_PAD - 1) / WR_CTX_PAD * WR_CTX_PAD;

    if (words == 0 || (words < SEGMENT_WORDS && path->state != WR_TB_SAVE_FLUSH)) {
        return WR_PATH_BUSY;
    }
    if (path->result.bytes + size > path->job.room) {
        return fail(path, "the TB's registers need more room than the kernel's greatest live "
                          "count gives; the liveness vectors and the kernel's count disagree");
    }
    for (uint32_t w = 0; w < words; w++) {
        wr_context_put32(bytes + 4 * (size_t)w, path->word[w]);
    }
    if (wr_sm_ctx_write(sm, path->job.addr + path->result.bytes, bytes, size)) {
        path->result.bytes += size;
        path->count -= words;
        memmove(path->word, path->word + words, path->count * sizeof path->word[0]);
    }
    return WR_PATH_BUSY;
}

static wr_path_status step_leave(wr_tb_save *path)
{
    wr_path_status status = tick_decoder(path, false);

    return status == WR_PATH_BUSY && path->decoder_out.last ? WR_PATH_DONE : status;
}

wr_path_status wr_tb_save_step(wr_tb_save *path, wr_sm *sm)
{
    wr_path_status status = WR_PATH_BUSY;

    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    if (path->state == WR_TB_SAVE_START) {
        return step_start(path, sm);
    }
    if (path->state == WR_TB_SAVE_LEAVE) {
        return step_leave(path);
    }
    if (path->state == WR_TB_SAVE_WALK && path->read == 0) {
        status = look_at_decoder(path);
    }
    if (status != WR_PATH_BUSY || (path->state == WR_TB_SAVE_FLUSH && path->count == 0)) {
        return status == WR_PATH_BUSY ? WR_PATH_DONE : status;
    }
    if (queue_segment(path, sm) == WR_PATH_FAULT) {
        return WR_PATH_FAULT;
    }
    switch (path->state) {
    case WR_TB_SAVE_WALK:
        return step_walk(path, sm);
    case WR_TB_SAVE_RAW:
        return step_raw(path, sm);
    default:
        return WR_PATH_BUSY;
    }
}
