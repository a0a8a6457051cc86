/* SPDX-License-Identifier: Apache-2.0 */
/* Real kernels on the real shell under some hooks: launch files are loaded once and run often, and
 * each run's buffers are compared with the reference. */
#ifndef WR_TESTS_SYSTEMS_JOBS_H
#define WR_TESTS_SYSTEMS_JOBS_H

#include "shell/core/seam/hooks.h"
#include "shell/host/job.h"
#include "systems/frame/group.h"

enum { JOBS_MAX_CHECKS = 16, JOBS_MAX_BUFFERS = 32 };

typedef struct job_outcome {
    wr_run_result result;
    bool right; /* every check holds */
    uint64_t hash[JOBS_MAX_BUFFERS];
} job_outcome;

/* A configuration of shell/config by name. */
wr_gpu_config jobs_config(const char *name);

/* The launch file of this path in the source tree; pp_interval 0: what it says itself. */
void jobs_load(wr_job *job, const char *path, uint32_t pp_interval);

/* Runs the job on a new GPU; hooks NULL = no system. The job is as it was before, for the next
 * run. */
job_outcome jobs_run(wr_job *job, const wr_gpu_config *config, const wr_system_hooks *hooks);

/* The same under a system as --system names it, and its rows; spec NULL = none. */
job_outcome jobs_run_under(wr_job *job, const wr_gpu_config *config, const char *spec,
                           void (*row)(void *arg, const wr_row *), void *arg);

/* WARPREF_SEED where it is set, else 1; printed. */
uint64_t jobs_seed(void);

#endif
