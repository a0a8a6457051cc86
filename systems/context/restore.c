/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle by cycle through unpacker and decompressor: see restore.h. */
#include "systems/context/restore.h"

#include <stdio.h>
#include <string.h>

enum { LANES = 32, PAD_BYTES = 32 };

bool wr_restore_path_open(wr_restore_path *path, wr_backend backend, const char *block_config,
                          uint32_t rf_bytes_per_cycle, char *err, size_t err_size)
{
    const wr_config_desc *unpacker_config =
        wr_block_config(&wr_context_unpacker_block, block_config);
    const wr_config_desc *decompressor_config =
        wr_block_config(&wr_reg_decompressor_block, block_config);
    wr_context_unpacker_cfg unpacker;
    wr_reg_decompressor_cfg decompressor;

    memset(path, 0, sizeof *path);
    path->rf_cycles = (WR_CTX_REGISTER + rf_bytes_per_cycle - 1) / rf_bytes_per_cycle;
    if (!unpacker_config || !decompressor_config) {
        (void)snprintf(err, err_size, "no block configuration \"%s\"; take default", block_config);
        return false;
    }
    memcpy(&unpacker, unpacker_config->value, sizeof unpacker);
    memcpy(&decompressor, decompressor_config->value, sizeof decompressor);
    if (unpacker.lanes != LANES || unpacker.seg_words != 32 || decompressor.lanes != LANES ||
        decompressor.poison != WR_PREEMPT_POISON) {
        (void)snprintf(err, err_size,
                       "block configuration \"%s\" does not fit a machine of 32 lanes, 128 B "
                       "segments and poison 0x%08x; take default",
                       block_config, WR_PREEMPT_POISON);
        return false;
    }
    if (!wr_context_unpacker_port_open(&path->unpacker, backend, &unpacker, err, err_size)) {
        return false;
    }
    path->open_ports = 1;
    if (!wr_reg_decompressor_port_open(&path->decompressor, backend, &decompressor, err,
                                       err_size)) {
        return false;
    }
    path->open_ports = 2;
    return true;
}

void wr_restore_path_close(wr_restore_path *path)
{
    if (path->open_ports > 0) {
        wr_context_unpacker_port_close(&path->unpacker);
    }
    if (path->open_ports > 1) {
        wr_reg_decompressor_port_close(&path->decompressor);
    }
    path->open_ports = 0;
}

uint32_t wr_restore_bytes(const uint32_t pattern[4], wr_pag pag, uint32_t *live, uint32_t *top)
{
    uint32_t groups = (uint32_t)LANES >> (3 + pag);
    const uint32_t words_of[4] = {[WR_PATTERN_DEAD] = 0,
                                  [WR_PATTERN_UNIFORM] = groups,
                                  [WR_PATTERN_RANDOM] = LANES,
                                  [WR_PATTERN_STRIDED] = 2 * groups};
    uint32_t words = 0;

    *live = 0;
    *top = 0;
    for (uint32_t r = 0; r < 64; r++) {
        uint32_t code = pattern[r / 16] >> (r % 16 * 2) & 3u;

        words += words_of[code];
        if (code != WR_PATTERN_DEAD) {
            ++*live;
            *top = r + 1;
        }
    }
    return (words * 4 + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;
}

/* The first warp from `warp` on that has registers to restore. */
static uint32_t next_live(const wr_restore_path *path, uint32_t warp)
{
    while (warp < path->job.warps && path->live[warp] == 0) {
        warp++;
    }
    return warp;
}

void wr_restore_path_begin(wr_restore_path *path, const wr_restore_job *job)
{
    uint32_t top;

    path->job = *job;
    for (uint32_t w = 0; w < job->warps; w++) {
        (void)wr_restore_bytes(job->pattern[w], job->pag, &path->live[w], &top);
    }
    path->feed = next_live(path, 0);
    path->write = path->feed;
    path->fed = 0;
    path->written = 0;
    path->inside = 0;
    path->rf_wait = 0;
    path->started = false;
    path->quiet = false;
}

/* Joins the pins of this cycle, register file first. */
static void settle(wr_restore_path *path, const uint8_t *segment, uint32_t owner)
{
    wr_context_unpacker_in *ui = &path->unpacker_in;
    wr_reg_decompressor_in *di = &path->decompressor_in;

    memset(ui, 0, sizeof *ui);
    memset(di, 0, sizeof *di);
    wr_context_unpacker_port_eval(&path->unpacker, ui, &path->unpacker_out);
    const wr_context_unpacker_out *uo = &path->unpacker_out;

    di->ready = path->rf_wait == 0;
    di->valid = uo->valid;
    if (uo->valid) {
        di->tag = uo->tag;
        di->pag = uo->pag;
        di->pattern = uo->pattern;
        memcpy(di->word, uo->word, sizeof di->word);
    }
    wr_reg_decompressor_port_eval(&path->decompressor, di, &path->decompressor_out);
    ui->ready = path->decompressor_out.ready;
    if (!path->started && path->feed < path->job.warps) {
        ui->start = true;
        memcpy(ui->pattern_vec, path->job.pattern[path->feed], sizeof ui->pattern_vec);
        ui->pag = (uint8_t)path->job.pag;
    } else if (segment && owner == path->feed && uo->busy) {
        ui->seg_valid = true;
        for (uint32_t w = 0; w < WR_CTX_SEGMENT / 4; w++) {
            ui->seg_word[w] = wr_context_get32(segment + 4 * (size_t)w);
        }
    }
    wr_context_unpacker_port_eval(&path->unpacker, ui, &path->unpacker_out);
}

/* The register that the decompressor hands over in this cycle. False where no such register was
 * fed: hardware behind the rtl backend may be wrong. */
static bool write_register(wr_restore_path *path, wr_sm *sm)
{
    const wr_reg_decompressor_out *out = &path->decompressor_out;

    if (path->inside == 0 || out->tag >= path->job.regs) {
        (void)snprintf(path->fault, sizeof path->fault,
                       "reg_decompressor: cycle %llu: pin tag: register %u was never fed",
                       (unsigned long long)wr_port_get_stats(&path->decompressor.port).cycles,
                       (unsigned)out->tag);
        return false;
    }
    wr_sm_reg_write(sm, path->job.warp_base + path->write, out->tag, out->lane);
    path->rf_wait = path->rf_cycles - 1;
    path->inside--;
    path->written++;
    if (path->written == path->live[path->write]) {
        path->write = next_live(path, path->write + 1);
        path->written = 0;
    }
    return true;
}

wr_path_status wr_restore_path_step(wr_restore_path *path, wr_sm *sm, const uint8_t *segment,
                                    uint32_t owner, bool *taken)
{
    *taken = false;
    if (path->write == path->job.warps) {
        return WR_PATH_DONE;
    }
    if (path->quiet && !(segment && owner == path->feed)) {
        return WR_PATH_BUSY;
    }
    settle(path, segment, owner);
    wr_context_unpacker_port_tick(&path->unpacker, &path->unpacker_in);
    wr_reg_decompressor_port_tick(&path->decompressor, &path->decompressor_in);
    if (wr_context_block_failed(&path->unpacker.port, path->unpacker_out.fault, path->fault,
                                sizeof path->fault) ||
        wr_context_block_failed(&path->decompressor.port, path->decompressor_out.fault, path->fault,
                                sizeof path->fault)) {
        return WR_PATH_FAULT;
    }
    if (path->rf_wait > 0) {
        path->rf_wait--;
    }

    *taken = path->unpacker_in.seg_valid && path->unpacker_out.seg_ready;
    bool moved = path->unpacker_in.start || *taken || path->unpacker_out.valid;

    path->started |= path->unpacker_in.start;
    if (path->decompressor_out.valid && path->decompressor_in.ready && !write_register(path, sm)) {
        return WR_PATH_FAULT;
    }
    if (path->unpacker_out.valid && path->unpacker_in.ready) {
        path->inside++;
        path->fed++;
        if (path->fed == path->live[path->feed]) {
            path->feed = next_live(path, path->feed + 1);
            path->fed = 0;
            path->started = false;
        }
    }
    path->quiet = !moved && path->inside == 0;
    return WR_PATH_BUSY;
}
