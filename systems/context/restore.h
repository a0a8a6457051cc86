/* SPDX-License-Identifier: Apache-2.0 */
/* The register half of a context restore: the warps of one TB, in order, through context_restorer.
 *
 *   pattern vectors --> +------------------+
 *   replies --segments->| context_restorer | --lanes--> register file
 *                       +------------------+
 *
 * The block takes a warp when it is through with the one before, and writes every allocated
 * register, dead ones as poison. Nothing is known here but pattern vectors and segments that came
 * from simulated memory. Cycles in which the block can't change, since it waits for a segment, are
 * not clocked.
 */
#ifndef WR_SYSTEMS_CONTEXT_RESTORE_H
#define WR_SYSTEMS_CONTEXT_RESTORE_H

#include "dpi/gen/context_restorer_port.h"
#include "shell/core/seam/context.h"
#include "systems/context/area.h"
#include "systems/context/blocks.h"

/* The TB whose registers come back. */
typedef struct wr_restore_job {
    uint32_t warp_base;
    uint32_t regs; /* allocated registers per thread */
    wr_pag pag;
    uint64_t left; /* warps that have registers to come back, bit = index in the TB */
    uint32_t pattern[WR_CTX_MAX_WARPS][4];
} wr_restore_job;

typedef struct wr_restore_path {
    wr_port_context_restorer restorer;
    bool is_open;

    /* pins of the last clocked cycle */
    wr_context_restorer_in in;
    wr_context_restorer_out out;

    uint32_t rf_cycles, rf_wait; /* as in the save path */
    wr_restore_job job;          /* left: the lowest is the warp in the block */
    bool started;                /* the block has taken that warp */
    uint32_t still;              /* cycles in which nothing went in or came out */
    uint32_t patience;           /* so many of them and the block waits for a segment */
    char fault[384];
} wr_restore_path;

/* Opens the block in the parameters of this machine. */
bool wr_restore_path_open(wr_restore_path *path, const wr_gpu_config *cfg, const wr_behind *behind,
                          char *err, size_t err_size);
void wr_restore_path_close(wr_restore_path *path);
void wr_restore_path_begin(wr_restore_path *path, const wr_restore_job *job);

/* One cycle. segment (NULL = none) are 128 bytes of warp `owner`; *taken says whether the path
 * took them. DONE: every register is written. */
wr_path_status wr_restore_path_step(wr_restore_path *path, wr_sm *sm, const uint8_t *segment,
                                    uint32_t owner, bool *taken);

#endif
