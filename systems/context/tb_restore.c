/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle from the stream to the register file: see tb_restore.h. */
#include "systems/context/tb_restore.h"

#include <string.h>

enum { LANES = WR_CTX_REGISTER / 4 };

static uint32_t class_of(const wr_tb_restore_job *job, uint32_t reg)
{
    return (uint32_t)job->classes[reg / 2] >> (reg % 2 * 4) & 0xfu;
}

bool wr_tb_restore_check(const wr_tb_restore_job *job, uint32_t *words)
{
    *words = 0;
    for (uint32_t r = 0; r < 2 * WR_CTX_CLASS_BYTES; r++) {
        uint32_t class = class_of(job, r);

        if (!wr_context_class_ok(class) || (class != WR_TB_DEAD && r >= job->regs)) {
            return false;
        }
        *words += wr_context_class_words(class, job->warps, job->pag, LANES);
    }
    return true;
}

bool wr_tb_restore_open(wr_tb_restore *path, const wr_gpu_config *cfg, const wr_behind *behind,
                        char *err, size_t err_size)
{
    uint32_t port = cfg->context.rf_bytes_per_cycle;
    const wr_reg_decompressor_cfg lanes = {.lanes = cfg->sm.warp_size, .poison = WR_CONTEXT_POISON};

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + port - 1) / port;
    path->is_open =
        wr_reg_decompressor_port_open_behind(&path->lanes, behind, &lanes, err, err_size);
    return path->is_open;
}

void wr_tb_restore_close(wr_tb_restore *path)
{
    if (path->is_open) {
        wr_reg_decompressor_port_close(&path->lanes);
    }
    path->is_open = false;
}

void wr_tb_restore_begin(wr_tb_restore *path, const wr_tb_restore_job *job)
{
    path->job = *job;
    path->rf_wait = 0;
    path->reg = path->warp = 0;
    path->out_reg = path->out_warp = 0;
    path->count = 0;
}

/* The next warp, or the first one of the next register. */
static void advance(const wr_tb_restore_job *job, uint32_t *reg, uint32_t *warp)
{
    *warp += 1;
    if (*warp == job->warps) {
        *warp = 0;
        *reg += 1;
    }
}

static uint32_t groups(const wr_tb_restore *path)
{
    return LANES >> (3 + path->job.pag);
}

/* Words of the stream that the warp's register takes: those of a global one come with warp 0. */
static uint32_t words_taken(const wr_tb_restore *path)
{
    uint32_t class = class_of(&path->job, path->reg);
    bool is_global = class == WR_TB_GLOBAL_UNIFORM || class == WR_TB_GLOBAL_STRIDED;

    return is_global && path->warp != 0 ? 0
                                        : wr_context_class_words(class, 1, path->job.pag, LANES);
}

/* A global register's words for this warp: its first group begins where the warp before ended. */
static void spread(wr_tb_restore *path)
{
    bool strided = class_of(&path->job, path->reg) == WR_TB_GLOBAL_STRIDED;

    if (path->warp == 0) {
        path->base = path->word[0];
        path->stride = strided ? path->word[1] : 0;
    }
    for (uint32_t g = 0; g < groups(path); g++) {
        uint32_t base = path->base + path->stride * (g * (8u << path->job.pag));

        path->in.word[strided ? 2 * g : g] = base;
        if (strided) {
            path->in.word[2 * g + 1] = path->stride;
        }
    }
}

/* What reg_decompressor takes for the next warp. */
static void offer(wr_tb_restore *path)
{
    static const wr_pattern pattern[WR_TB_CLASSES] = {
        [WR_TB_DEAD] = WR_PATTERN_DEAD,
        [WR_TB_LOCAL_UNIFORM] = WR_PATTERN_UNIFORM,
        [WR_TB_RANDOM] = WR_PATTERN_RANDOM,
        [WR_TB_LOCAL_STRIDED] = WR_PATTERN_STRIDED,
        [WR_TB_GLOBAL_UNIFORM] = WR_PATTERN_UNIFORM,
        [WR_TB_GLOBAL_STRIDED] = WR_PATTERN_STRIDED,
    };
    wr_reg_decompressor_in *in = &path->in;

    in->valid = path->reg < path->job.regs && path->count >= words_taken(path);
    if (!in->valid) {
        return;
    }
    uint32_t class = class_of(&path->job, path->reg);

    in->tag = (uint8_t)path->reg;
    in->pag = (uint8_t)path->job.pag;
    in->pattern = (uint8_t)pattern[class];
    if (class == WR_TB_GLOBAL_UNIFORM || class == WR_TB_GLOBAL_STRIDED) {
        spread(path);
    } else {
        memcpy(in->word, path->word, LANES * sizeof in->word[0]);
    }
}

/* The block has taken it. */
static void drop(wr_tb_restore *path)
{
    uint32_t words = words_taken(path);

    path->base += path->stride * LANES;
    path->count -= words;
    memmove(path->word, path->word + words, path->count * sizeof path->word[0]);
    advance(&path->job, &path->reg, &path->warp);
}

static void take_segment(wr_tb_restore *path, const uint8_t *segment, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++) {
        path->word[path->count + w] = wr_context_get32(segment + 4 * (size_t)w);
    }
    path->count += words;
}

wr_path_status wr_tb_restore_step(wr_tb_restore *path, wr_sm *sm, const uint8_t *segment,
                                  uint32_t words, bool *taken)
{
    wr_reg_decompressor_out *out = &path->out;
    const wr_port *port = &path->lanes.port;

    if (path->rf_wait > 0) {
        path->rf_wait--;
    }
    /* What is left of the last segment behind the last register is padding. */
    *taken = segment && (path->reg == path->job.regs ||
                         path->count + words <= sizeof path->word / sizeof path->word[0]);
    if (path->out_reg == path->job.regs) {
        return WR_PATH_DONE;
    }
    offer(path);
    bool inside = path->reg != path->out_reg || path->warp != path->out_warp;

    if (path->in.valid || inside) {
        path->in.ready = path->rf_wait == 0;
        wr_reg_decompressor_port_eval(&path->lanes, &path->in, out);
        wr_reg_decompressor_port_tick(&path->lanes, &path->in);
        if (wr_port_failed(port, out->fault, path->fault, sizeof path->fault)) {
            return WR_PATH_FAULT;
        }
        if (out->valid && path->in.ready) {
            if (out->tag != path->out_reg) {
                return wr_context_wrong_pin(port, "tag", "", path->out_reg, out->tag, path->fault,
                                            sizeof path->fault);
            }
            wr_sm_reg_write(sm, path->job.warp_base + path->out_warp, path->out_reg, out->lane);
            path->rf_wait = path->rf_cycles;
            advance(&path->job, &path->out_reg, &path->out_warp);
        }
        if (path->in.valid && out->ready) {
            drop(path);
        }
    }
    if (*taken && path->reg != path->job.regs) {
        take_segment(path, segment, words);
    }
    return WR_PATH_BUSY;
}
