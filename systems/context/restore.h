/* SPDX-License-Identifier: Apache-2.0 */
/* The register half of a context restore: the warps of one TB, in order, through two blocks.
 *
 *   replies --segments--> context_unpacker --words--> reg_decompressor --lanes--> register file
 *
 * The unpacker works on one warp at a time; the decompressor behind it may still hold registers
 * of the warp before, so what is fed and what is written count their warps apart. Nothing is
 * known here but pattern vectors and segments that came from simulated memory. Cycles in which
 * neither block can change are not clocked.
 */
#ifndef WR_SYSTEMS_CONTEXT_RESTORE_H
#define WR_SYSTEMS_CONTEXT_RESTORE_H

#include "dpi/gen/context_unpacker_port.h"
#include "dpi/gen/reg_decompressor_port.h"
#include "shell/core/seam/context.h"
#include "systems/context/area.h"
#include "systems/context/blocks.h"

/* The TB whose registers come back. */
typedef struct wr_restore_job {
    uint32_t warp_base;
    uint32_t warps;
    uint32_t regs; /* allocated registers per thread */
    wr_pag pag;
    uint32_t pattern[WR_CTX_MAX_WARPS][4];
} wr_restore_job;

typedef struct wr_restore_path {
    wr_port_context_unpacker unpacker;
    wr_port_reg_decompressor decompressor;
    uint32_t open_ports;

    /* pins of the last clocked cycle */
    wr_context_unpacker_in unpacker_in;
    wr_context_unpacker_out unpacker_out;
    wr_reg_decompressor_in decompressor_in;
    wr_reg_decompressor_out decompressor_out;

    uint32_t rf_cycles, rf_wait; /* as in the save path */
    wr_restore_job job;
    uint32_t live[WR_CTX_MAX_WARPS];
    uint32_t feed, fed;      /* warp in the unpacker, its registers that left it */
    uint32_t write, written; /* warp at the register file, its registers written */
    uint32_t inside;         /* registers in the decompressor */
    bool started;            /* the unpacker has the pattern vector of warp feed */
    bool quiet;              /* no block can change without a new segment */
    char fault[384];
} wr_restore_path;

bool wr_restore_path_open(wr_restore_path *path, wr_backend backend, const char *block_config,
                          uint32_t rf_bytes_per_cycle, char *err, size_t err_size);
void wr_restore_path_close(wr_restore_path *path);

/* Bytes of register data that a pattern vector stands for, padded as the packer pads; live
 * registers are counted in *live and *top is one above the highest. */
uint32_t wr_restore_bytes(const uint32_t pattern[4], wr_pag pag, uint32_t *live, uint32_t *top);

void wr_restore_path_begin(wr_restore_path *path, const wr_restore_job *job);

/* One cycle. segment (NULL = none) are 128 bytes of warp `owner`; *taken says whether the path
 * took them. DONE: every live register is written. */
wr_path_status wr_restore_path_step(wr_restore_path *path, wr_sm *sm, const uint8_t *segment,
                                    uint32_t owner, bool *taken);

#endif
