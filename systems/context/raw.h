/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a warp as they are, without compression: "Occup" and "live" of Lin-P V.B, Fig. 14.
 *
 *   all:   0, 1, ... allocated - 1
 *   live:  word at the PC --> liveness_decoder
 *                |
 *                +--index--> register file --lanes, 1 cycle later--> context queue
 *
 * A register is a segment. One is read and one is queued in a cycle, as far as the register file's
 * port (save.h) and the queue take them: n registers take n + 1 cycles, or n + 2 with the decoder
 * in front. With `all` nothing is asked of the instruction at the PC, so a warp may stand anywhere.
 *
 * The pattern vector says random for each register that is stored, so that such a warp comes back
 * through the restore path of any other.
 */
#ifndef WR_SYSTEMS_CONTEXT_RAW_H
#define WR_SYSTEMS_CONTEXT_RAW_H

#include "dpi/gen/liveness_decoder_port.h"
#include "systems/context/area.h"
#include "systems/context/save.h"

typedef struct wr_raw_path {
    wr_port_liveness_decoder decoder; /* `live` alone */
    bool has_decoder;
    wr_liveness_decoder_in in;
    wr_liveness_decoder_out out;

    uint32_t rf_cycles, rf_wait; /* as in the save path */
    wr_save_job job;
    bool started;
    uint32_t next; /* `all`: the register that is read next */
    bool holds;    /* lanes stands at the register file's output */
    uint32_t lanes[WR_CTX_REGISTER / 4];
    wr_saved_warp result;
    char fault[384];
} wr_raw_path;

/* Opens the decoder where only live registers are saved. */
bool wr_raw_path_open(wr_raw_path *path, const wr_gpu_config *cfg, bool only_live,
                      const wr_behind *behind, char *err, size_t err_size);
void wr_raw_path_close(wr_raw_path *path);
void wr_raw_path_begin(wr_raw_path *path, const wr_save_job *job);

/* One cycle, as wr_save_path_step. */
wr_path_status wr_raw_path_step(wr_raw_path *path, wr_sm *sm);

#endif
