/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in all files that a run records, so that files of two runs can be told apart: a hash
 * of what decides what the run does. Neither time nor place is in it: the same run has the same. */
#ifndef WR_TOOLS_RUN_IDENTITY_H
#define WR_TOOLS_RUN_IDENTITY_H

#include "tools/run_options.h"

/* Of a run whose launch files are loaded. 0: it can't be had, for a program's kernels are not known
 * yet, or a file that it reads is gone. */
uint64_t wr_run_identity(const wr_run_options *o, wr_job *const *jobs, const wr_gpu_config *config);

#endif
