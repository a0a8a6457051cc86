/* SPDX-License-Identifier: Apache-2.0 */
/* The register half of a context save: one warp at a time through three blocks.
 *
 *   liveness_decoder --index--> register file --lanes--> reg_compressor --words--> context_packer
 *                                                                                    | segments
 *                                                                            context queue
 *
 * All valid and ready pins join in the same cycle; the packer's ready depends on its state
 * alone, so evaluation runs from the packer back to the decoder and never in a circle. A path
 * without a warp is not clocked.
 */
#ifndef WR_SYSTEMS_CONTEXT_SAVE_H
#define WR_SYSTEMS_CONTEXT_SAVE_H

#include "dpi/gen/context_packer_port.h"
#include "dpi/gen/liveness_decoder_port.h"
#include "dpi/gen/reg_compressor_port.h"
#include "shell/core/seam/context.h"
#include "systems/context/blocks.h"

/* The warp to save. */
typedef struct wr_save_job {
    uint32_t warp; /* slot */
    uint32_t regs; /* allocated registers per thread */
    wr_pag pag;
    uint64_t slot;       /* where its register data goes */
    uint32_t slot_bytes; /* room there */
} wr_save_job;

/* What a saved warp came to. */
typedef struct wr_saved_warp {
    uint32_t pattern[4];                     /* 128-bit pattern vector */
    uint32_t live, uniform, strided, random; /* registers */
    uint32_t words;                          /* data words */
    uint32_t bytes;                          /* written, padding counted */
} wr_saved_warp;

typedef struct wr_save_path {
    wr_port_liveness_decoder decoder;
    wr_port_reg_compressor compressor;
    wr_port_context_packer packer;
    uint32_t open_ports;

    /* pins of the last clocked cycle */
    wr_liveness_decoder_in decoder_in;
    wr_liveness_decoder_out decoder_out;
    wr_reg_compressor_in compressor_in;
    wr_reg_compressor_out compressor_out;
    wr_context_packer_in packer_in;
    wr_context_packer_out packer_out;

    uint32_t rf_cycles; /* cycles of the register file's port per vector register */
    uint32_t rf_wait;   /* of them left */
    wr_save_job job;
    bool started, decoded, flushed;
    uint32_t taken; /* registers that the packer took */
    wr_saved_warp result;
    char fault[384];
} wr_save_path;

bool wr_save_path_open(wr_save_path *path, wr_backend backend, const char *block_config,
                       uint32_t rf_bytes_per_cycle, char *err, size_t err_size);
void wr_save_path_close(wr_save_path *path);
void wr_save_path_begin(wr_save_path *path, const wr_save_job *job);

/* One cycle. DONE: result is final and all segments are queued. FAULT: see fault. */
wr_path_status wr_save_path_step(wr_save_path *path, wr_sm *sm);

#endif
