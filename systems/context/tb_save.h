/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a whole TB whose warps all stand at one barrier (Lin-P III.C, Fig. 11).
 *
 *   word at the PC --> liveness_decoder --> register r
 *   register file, r of warp 0, 1, ... --> reg_compressor --> tb_compressor --> words of its class
 *                |                                                               |
 *                +-- class random: r of warp 0, 1, ... again, as it is --------->+--> stream
 *   stream, 128 B segments --> context queue
 *
 * Register after register: a register's reads begin when all of the one before is in the stream.
 * One register is read in a cycle as far as the port takes it (save.h), one beat of tb_compressor
 * or one raw register enters the stream, one segment leaves it. An idle block is not clocked.
 *
 * A TB of more groups than tb_compressor holds is none for this path: BYPASS, with nothing written.
 */
#ifndef WR_SYSTEMS_CONTEXT_TB_SAVE_H
#define WR_SYSTEMS_CONTEXT_TB_SAVE_H

#include "dpi/gen/liveness_decoder_port.h"
#include "dpi/gen/reg_compressor_port.h"
#include "dpi/gen/tb_compressor_port.h"
#include "shell/core/seam/context.h"
#include "systems/context/area.h"
#include "systems/context/blocks.h"

/* The TB to save. */
typedef struct wr_tb_save_job {
    uint32_t warps;
    uint32_t slot[WR_CTX_MAX_WARPS]; /* warp slots, in the order of the warps */
    uint32_t regs;                   /* allocated registers per thread */
    wr_pag pag;
    uint64_t addr; /* where its stream goes */
    uint32_t room; /* bytes there */
} wr_tb_save_job;

/* What a saved TB came to. */
typedef struct wr_saved_whole {
    uint8_t classes[WR_CTX_CLASS_BYTES];
    uint32_t words;                    /* of the stream */
    uint32_t bytes;                    /* the same, padded, as written */
    uint32_t registers[WR_TB_CLASSES]; /* by class */
    wr_pattern_count by_warp;          /* what the warp level would say, over all warps */
} wr_saved_whole;

typedef enum wr_tb_save_state {
    WR_TB_SAVE_START,
    WR_TB_SAVE_WALK,
    WR_TB_SAVE_RAW,
    WR_TB_SAVE_FLUSH,
    WR_TB_SAVE_LEAVE, /* bypass: the decoder's walk runs out */
} wr_tb_save_state;

typedef struct wr_tb_save {
    wr_port_liveness_decoder decoder;
    wr_port_reg_compressor compressor;
    wr_port_tb_compressor common;
    uint32_t open; /* of the three, in this order */

    /* pins of the last clocked cycle */
    wr_liveness_decoder_in decoder_in;
    wr_liveness_decoder_out decoder_out;
    wr_reg_compressor_in compressor_in;
    wr_reg_compressor_out compressor_out;
    wr_tb_compressor_in common_in;
    wr_tb_compressor_out common_out;

    uint32_t rf_cycles, rf_wait; /* as in the save path */
    wr_tb_save_job job;
    wr_tb_save_state state;
    uint32_t reg;          /* in work, once the walk has begun */
    uint32_t read, passed; /* its warps that were read, that went on to tb_compressor */
    bool holds;            /* lanes stands at the register file's output */
    uint32_t lanes[WR_CTX_REGISTER / 4];
    uint32_t reg_words;                    /* of its words in the stream */
    uint32_t word[2 * WR_CTX_SEGMENT / 4]; /* of the stream, not yet queued */
    uint32_t count;
    wr_saved_whole result;
    bool bypass;
    char fault[384];
} wr_tb_save;

/* Opens the blocks in the parameters of this machine. */
bool wr_tb_save_open(wr_tb_save *path, const wr_gpu_config *cfg, const wr_behind *behind, char *err,
                     size_t err_size);
void wr_tb_save_close(wr_tb_save *path);
void wr_tb_save_begin(wr_tb_save *path, const wr_tb_save_job *job);

/* One cycle. DONE: result is final and queued, or bypass is set. FAULT: see fault. */
wr_path_status wr_tb_save_step(wr_tb_save *path, wr_sm *sm);

#endif
