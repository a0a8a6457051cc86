/* SPDX-License-Identifier: Apache-2.0 */
/* A job's buffers and the variables of its module in simulated memory: their places, their contents
 * in and out. None of it takes a cycle.
 */
#ifndef WR_SHELL_HOST_PLACE_H
#define WR_SHELL_HOST_PLACE_H

#include "shell/host/job.h"

/* Has the module a variable for each buffer that is to be one? */
bool wr_variables_bind(const wr_job *job, wr_diag *diag);

/* Gives all of them a place and their contents, and kernels their addresses. */
bool wr_job_place(wr_job *job, wr_gpu *gpu, wr_diag *diag);

/* They have the contents again that wr_job_place gave them, and the job's heap is free. */
bool wr_job_restore(const wr_job *job, wr_gpu *gpu, wr_diag *diag);

/* The buffers' contents become the job's results. */
bool wr_job_read_back(wr_job *job, const wr_gpu *gpu, wr_diag *diag);

#endif
