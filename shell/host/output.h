/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs: files that hold buffers as a run left them. */
#ifndef WR_SHELL_HOST_OUTPUT_H
#define WR_SHELL_HOST_OUTPUT_H

#include "shell/host/job.h"

/* Can all of them be written? Asked before a long run. */
bool wr_outputs_bind(const wr_job *job, wr_diag *diag);

/* Writes them; the job has run. */
bool wr_outputs_write(const wr_job *job, wr_diag *diag);

#endif
