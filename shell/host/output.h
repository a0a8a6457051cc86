/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs: files that hold buffers as a run left them. */
#ifndef WR_SHELL_HOST_OUTPUT_H
#define WR_SHELL_HOST_OUTPUT_H

#include "shell/host/job.h"

/* Can all of them be written? Asked before a long run. */
bool wr_outputs_bind(const wr_job *job, wr_diag *diag);

/* Does each of these jobs write files of its own? */
bool wr_outputs_apart(wr_job *const *jobs, size_t count, wr_diag *diag);

/* Writes them; the job has run. In a window without a whole pass there is nothing to write. */
bool wr_outputs_write(const wr_job *job, wr_diag *diag);

#endif
