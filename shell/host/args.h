/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of launches: do they suit the kernel's parameters, and their bytes in the parameter
 * block. Addresses of buffers follow when memory is laid out. */
#ifndef WR_SHELL_HOST_ARGS_H
#define WR_SHELL_HOST_ARGS_H

#include "shell/host/job.h"

/* Reports a fault in the job's launch file; returns false. */
bool wr_job_fault(const wr_job *job, wr_diag *diag, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fills the parameter block of a launch and adds up its dynamic shared memory. */
bool wr_args_bind(wr_job *job, size_t launch, wr_diag *diag);

/* Puts the buffers' addresses into it. */
void wr_args_place(const wr_job *job, size_t launch);

#endif
