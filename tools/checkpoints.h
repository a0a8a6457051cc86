/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of `warpref run`: what --checkpoint, --checkpoint-at, --checkpoint-every and --resume
 * ask for, and the text of printf, of which nothing may come twice.
 */
#ifndef WR_TOOLS_CHECKPOINTS_H
#define WR_TOOLS_CHECKPOINTS_H

#include <stdio.h>

#include "files/replace.h"
#include "systems/frame/group.h"
#include "tools/run_options.h"

/* Where the text of kernels goes. */
typedef struct wr_printed {
    FILE *file;
    wr_replace to;  /* the run's own, where it is a new one */
    bool own;       /* the run's, to be closed */
    uint64_t bytes; /* written so far, also by the runs before */
} wr_printed;

/* A file for it. `bytes` of it stay: those from before the checkpoint; what a run wrote behind it
 * is dropped, for it comes again. A file that is new or empty gets what comes now alone.
 * `in_place`: it grows under its name, since checkpoints of the run go on behind it. */
bool wr_printed_open(wr_printed *printed, const char *path, bool in_place, wr_diag *diag);
bool wr_printed_close(wr_printed *printed, bool keep); /* false: a write has failed; errno */

typedef struct wr_checkpoints wr_checkpoints;

/* Reads and checks the file to go on from. NULL with `diag` set; nothing has been written. */
wr_checkpoints *wr_checkpoints_open(const wr_run_options *o, wr_job *const *jobs,
                                    const wr_gpu_config *config, const wr_system_group *systems,
                                    wr_diag *diag);
/* The jobs have begun; they and the GPU go on from the file, where there is one. */
bool wr_checkpoints_begin(wr_checkpoints *c, wr_job *const *jobs, size_t count, wr_gpu *gpu,
                          wr_printed *printed, wr_diag *diag);
/* To attach to the GPU: of the systems and of the checkpoints. */
const wr_system_hooks *wr_checkpoints_hooks(const wr_checkpoints *c);
/* One could not be written, or none was where one was to end the run. */
bool wr_checkpoints_failed(const wr_checkpoints *c);
void wr_checkpoints_close(wr_checkpoints *c);

#endif
