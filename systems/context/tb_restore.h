/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a whole TB come back: the inverse of tb_save.h.
 *
 *   class table --> register r, its class
 *   stream, in segments --> words --> what each warp holds --> reg_decompressor --> register file
 *                                     (global ones: base + stride x lanes before)
 *
 * Register after register, warp after warp: every allocated register of every warp is written, one
 * a cycle, dead ones as poison, as context_restorer does. What a global register's words mean for a
 * warp is worked out here; a warp's words of any class enter reg_decompressor once they are all in
 * the buffer of two segments. A cycle in which nothing can move is not clocked.
 */
#ifndef WR_SYSTEMS_CONTEXT_TB_RESTORE_H
#define WR_SYSTEMS_CONTEXT_TB_RESTORE_H

#include "dpi/gen/reg_decompressor_port.h"
#include "shell/core/seam/context.h"
#include "systems/context/area.h"
#include "systems/context/blocks.h"

/* The TB whose registers come back. */
typedef struct wr_tb_restore_job {
    uint32_t warp_base, warps;
    uint32_t regs; /* allocated registers per thread */
    wr_pag pag;
    uint8_t classes[WR_CTX_CLASS_BYTES];
} wr_tb_restore_job;

typedef struct wr_tb_restore {
    wr_port_reg_decompressor lanes;
    bool is_open;
    wr_reg_decompressor_in in;
    wr_reg_decompressor_out out;

    uint32_t rf_cycles, rf_wait; /* as in the save path */
    wr_tb_restore_job job;
    uint32_t reg, warp;                    /* enters the block next; reg = regs: all have */
    uint32_t out_reg, out_warp;            /* leaves it next */
    uint32_t base, stride;                 /* of a global register, for the next warp */
    uint32_t word[2 * WR_CTX_SEGMENT / 4]; /* of the stream */
    uint32_t count;
    char fault[384];
} wr_tb_restore;

/* The classes of a table are all codes, and of allocated registers; words: of its stream. */
bool wr_tb_restore_check(const wr_tb_restore_job *job, uint32_t *words);

/* Opens the block in the parameters of this machine. */
bool wr_tb_restore_open(wr_tb_restore *path, const wr_gpu_config *cfg, const wr_behind *behind,
                        char *err, size_t err_size);
void wr_tb_restore_close(wr_tb_restore *path);
void wr_tb_restore_begin(wr_tb_restore *path, const wr_tb_restore_job *job);

/* One cycle. segment (NULL = none) are the next `words` words of the stream; *taken says whether
 * the path took them. DONE: every register is written. */
wr_path_status wr_tb_restore_step(wr_tb_restore *path, wr_sm *sm, const uint8_t *segment,
                                  uint32_t words, bool *taken);

#endif
