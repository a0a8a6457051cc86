/* SPDX-License-Identifier: Apache-2.0 */
/* A job: a launch file bound to its compiled module, ready to run on a GPU, alone or beside others.
 *
 * Life of a job: load (file, module, arguments against parameters), fit (do its TBs fit this
 * configuration), run (buffers into simulated memory, launches in order), check (buffers
 * against references or files). Buffers lie at ascending addresses in the file's order, each
 * on a 256-byte boundary, the first at WR_MEM_BASE; those of the next job lie behind them.
 *
 * A pass of a job is all of its launches, once. In a window of cycles passes follow each other:
 * behind each the buffers are checked and get their contents again.
 */
#ifndef WR_SHELL_HOST_JOB_H
#define WR_SHELL_HOST_JOB_H

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"
#include "shell/host/image.h"
#include "shell/host/launch_file.h"
#include "shell/host/own_reference.h"
#include "shell/host/reference.h"
#include "shell/isa/kernel.h"

typedef wr_reference_fn (*wr_reference_lookup)(const char *name);

typedef struct wr_job_buffer {
    uint64_t address;
    uint8_t *result; /* contents after the run, in a window after the last pass; else NULL */
} wr_job_buffer;

typedef struct wr_job_launch {
    const wr_kernel *kernel;
    wr_launch launch; /* params is the job's */
    uint8_t *params;
    uint32_t runs;        /* times that it ran to its end */
    uint32_t runs_before; /* of these, in earlier passes */
    wr_launch_result sum; /* of these: begun and placed of the first, ended and id of the last */
    uint64_t cycles;      /* of these: from begun to ended, added up */
    uint32_t missed;      /* of these: ended behind the deadline */
    uint64_t late;        /* by so many cycles, the latest of them */
    bool cut;             /* the run ended before it; `sum` and `cycles` have its part */
    char label[128];      /* of its file and stream, for messages; "" where there is one only */
} wr_job_launch;

/* One stream of the job: it stands in front of launch `at`, in round `round` of the loop of
 * launches first to end - 1; or it is over. A launch without a loop is a loop of one round. */
typedef struct wr_job_lane {
    unsigned first, at, end;
    uint32_t round;
    bool over;
    unsigned asked; /* the launch that runs */
    bool pending;   /* `asked` has not ended: it runs, or is to come later */
} wr_job_lane;

typedef struct wr_check_result {
    const char *buffer;
    const char *against; /* name of the reference or of the file */
    const wr_value_type *type;
    wr_comparison comparison;
    uint64_t pass; /* in a window: of which this is the result, from 1 on */
} wr_check_result;

typedef struct wr_job {
    wr_loaded_file loaded;
    wr_module *module;
    char *sources; /* files that clang read for it, as wr_cuda_options has them; NULL: none */
    wr_job_buffer *buffers;      /* one per buffer of the file */
    wr_job_launch *launches;     /* one per launch of the file */
    wr_job_lane *lanes;          /* one per stream of the file */
    wr_reference_fn *references; /* one per check, NULL for a file, values or own_reference.h's */
    uint8_t **expected;          /* one per check: the elements of its file or values, or NULL */
    wr_check_result *checked; /* one per check: of the first pass in which it failed, or the last */
    uint64_t runs;            /* launches that ran, repeats counted */
    uint64_t passes;          /* that ended */
    wr_images images;         /* of the module's variables */
    uint32_t priority;        /* of launches whose own is 0 */
    bool unwritten;           /* an output could not be written, behind the run */
    uint64_t arrival;         /* cycle before which none of its launches comes */
    char name[280];           /* among the jobs of a run: its file without folder; with #2 where
                                 it is the second one of that name */
} wr_job;

/* Everything that can be wrong with the input, except what depends on the configuration.
 * `options` may be NULL; what it says of preemption points and stack goes before the file. */
bool wr_job_load(const char *path, const wr_compile_options *options, wr_reference_lookup lookup,
                 wr_job *job, wr_diag *diag);
void wr_job_free(wr_job *job);

/* False with `diag` set where a TB of some launch does not fit an SM. */
bool wr_job_fit(const wr_job *job, const wr_gpu_config *config, wr_diag *diag);

typedef struct wr_job_options {
    uint64_t max_cycles;     /* in all, without a window; 0 = no limit */
    uint64_t window;         /* cycles, with pass after pass; 0 = one pass. Its end is no fault */
    bool goes_on;            /* the jobs and the GPU are those of a checkpoint (checkpoint.h) */
    uint64_t heap_bytes;     /* of malloc in kernels; 0 = the file's, or the GPU's default */
    wr_progress_fn progress; /* may be NULL */
    void *progress_arg;
} wr_job_options;

/* Runs all launches, reads all buffers back and writes the outputs. False with `diag` set where the
 * input does not fit memory or an SM; a run that went wrong is a status in `result`. It may be
 * called again, with a new GPU: what the run before left in the job is dropped. A run that is saved
 * (WR_RUN_SAVED) reads nothing back and writes nothing.
 * wr_jobs_run runs several jobs at once, whose streams are side by side. */
bool wr_job_run(wr_job *job, wr_gpu *gpu, const wr_job_options *options, wr_run_result *result,
                wr_diag *diag);
bool wr_jobs_run(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                 wr_run_result *result, wr_diag *diag);

/* The same in two halves: up to the first cycle, and from then on. */
bool wr_jobs_begin(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                   wr_diag *diag);
bool wr_jobs_go(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                wr_run_result *result, wr_diag *diag);

/* Carries out all checks on what wr_job_run read back; `results` has one per check of the file.
 * False with `diag` set where a reference or a file doesn't suit the job. */
bool wr_job_check(const wr_job *job, wr_check_result *results, wr_diag *diag);

/* The same behind a pass, into the job. */
bool wr_job_check_pass(wr_job *job, wr_diag *diag);

/* XXH3, 64 bits, of a buffer's final contents: two runs can be compared by it. */
uint64_t wr_job_buffer_hash(const wr_job *job, size_t buffer);

#endif
