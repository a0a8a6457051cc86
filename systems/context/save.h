/* SPDX-License-Identifier: Apache-2.0 */
/* The register half of a context save: one warp after the other through context_saver.
 *
 *   instruction at the PC --> +---------------+ --segments--> context queue
 *   register file  <--index-- | context_saver |
 *                  --lanes--> +---------------+ --> pattern vector
 *
 * The register file is a synchronous memory behind a port of a given width: a register that it
 * grants shows its lanes in the next cycle and stays until the next grant; the port then is busy
 * for as many cycles as a register takes. A path without a warp is not clocked.
 */
#ifndef WR_SYSTEMS_CONTEXT_SAVE_H
#define WR_SYSTEMS_CONTEXT_SAVE_H

#include "dpi/gen/context_saver_port.h"
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
    uint32_t pattern[4]; /* 128-bit pattern vector */
    wr_pattern_count count;
    uint32_t bytes; /* written, padding counted */
} wr_saved_warp;

typedef struct wr_save_path {
    wr_port_context_saver saver;
    bool is_open;

    /* pins of the last clocked cycle; rf_lane: what the register file shows in the next one */
    wr_context_saver_in in;
    wr_context_saver_out out;

    uint32_t rf_cycles; /* cycles of the register file's port per vector register */
    uint32_t rf_wait;   /* of them left */
    wr_save_job job;
    bool started;
    wr_saved_warp result;
    char fault[384];
} wr_save_path;

/* Opens the block in the parameters of this machine. */
bool wr_save_path_open(wr_save_path *path, const wr_gpu_config *cfg, const wr_behind *behind,
                       char *err, size_t err_size);
void wr_save_path_close(wr_save_path *path);
void wr_save_path_begin(wr_save_path *path, const wr_save_job *job);

/* One cycle. DONE: result is final, all segments are queued, and the block has not been clocked:
 * the next warp may begin in this same cycle. FAULT: see fault. may_write: the queue takes one
 * request a cycle; false once it has. */
wr_path_status wr_save_path_step(wr_save_path *path, wr_sm *sm, bool *may_write);

#endif
