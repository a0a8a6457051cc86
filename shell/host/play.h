/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of jobs, stream by stream: host loops go on and launches begin when what is before
 * them in their stream has ended.
 */
#ifndef WR_SHELL_HOST_PLAY_H
#define WR_SHELL_HOST_PLAY_H

#include "shell/host/job.h"

/* As wr_jobs_run, between the buffers' placing and their reading back. The jobs have
 * WR_MAX_STREAMS streams at most. */
bool wr_job_play(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                 wr_run_result *result, wr_diag *diag);

#endif
