/* SPDX-License-Identifier: Apache-2.0 */
/* A job: a launch file bound to its compiled module, ready to run on a GPU.
 *
 * Life of a job: load (file, module, arguments against parameters), fit (do its TBs fit this
 * configuration), run (buffers into simulated memory, launches in order), check (buffers
 * against references or files). Buffers lie at ascending addresses in the file's order, each
 * on a 256-byte boundary, the first at WR_MEM_BASE.
 */
#ifndef WR_SHELL_HOST_JOB_H
#define WR_SHELL_HOST_JOB_H

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"
#include "shell/host/launch_file.h"
#include "shell/host/reference.h"
#include "shell/isa/kernel.h"

typedef wr_reference_fn (*wr_reference_lookup)(const char *name);

typedef struct wr_job_buffer {
    uint64_t address;
    uint8_t *result; /* contents after the run, NULL before */
} wr_job_buffer;

typedef struct wr_job_launch {
    const wr_kernel *kernel;
    wr_launch launch; /* params is the job's */
    uint8_t *params;
    uint32_t runs;        /* times that it ran */
    wr_launch_result sum; /* of these: begun and placed of the first, ended and id of the last */
    uint64_t cycles;      /* of these: from begun to ended, added up */
    char label[72];       /* of its stream, for messages; "" where the file has one only */
} wr_job_launch;

typedef struct wr_job {
    wr_loaded_file loaded;
    wr_module *module;
    wr_job_buffer *buffers;      /* one per buffer of the file */
    wr_job_launch *launches;     /* one per launch of the file */
    wr_reference_fn *references; /* one per check, NULL for a file or values */
    uint8_t **expected;          /* one per check: the elements of its file or values, or NULL */
    uint64_t runs;               /* launches that ran, repeats counted */
} wr_job;

/* Everything that can be wrong with the input, except what depends on the configuration.
 * `options` may be NULL; what it says of preemption points and stack goes before the file. */
bool wr_job_load(const char *path, const wr_compile_options *options, wr_reference_lookup lookup,
                 wr_job *job, wr_diag *diag);
void wr_job_free(wr_job *job);

/* False with `diag` set where a TB of some launch does not fit an SM. */
bool wr_job_fit(const wr_job *job, const wr_gpu_config *config, wr_diag *diag);

typedef struct wr_job_options {
    uint64_t max_cycles;     /* in all; 0 = no limit */
    uint64_t heap_bytes;     /* of malloc in kernels; 0 = the file's, or the GPU's default */
    wr_progress_fn progress; /* may be NULL */
    void *progress_arg;
} wr_job_options;

/* Runs all launches, reads all buffers back and writes the outputs. False with `diag` set where the
 * input does not fit memory or an SM; a run that went wrong is a status in `result`. It may be
 * called again, with a new GPU: what the run before left in the job is dropped.
 * wr_jobs_run runs several jobs at once, whose streams are side by side; their buffers are at
 * ascending addresses, job by job. */
bool wr_job_run(wr_job *job, wr_gpu *gpu, const wr_job_options *options, wr_run_result *result,
                wr_diag *diag);
bool wr_jobs_run(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                 wr_run_result *result, wr_diag *diag);

typedef struct wr_check_result {
    const char *buffer;
    const char *against; /* name of the reference or of the file */
    const wr_value_type *type;
    wr_comparison comparison;
} wr_check_result;

/* Carries out all checks on what wr_job_run read back; `results` has one per check of the file.
 * False with `diag` set where a reference or a file doesn't suit the job. */
bool wr_job_check(const wr_job *job, wr_check_result *results, wr_diag *diag);

/* 64-bit FNV-1a hash of a buffer's final contents: two runs can be compared by it. */
uint64_t wr_job_buffer_hash(const wr_job *job, size_t buffer);

#endif
