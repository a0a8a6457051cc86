/* SPDX-License-Identifier: Apache-2.0 */
/* Loading, running and comparing: see jobs.h. */
#include "tests/systems/jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "tests/systems/rows.h"

wr_gpu_config jobs_config(const char *name)
{
    wr_gpu_config config;
    wr_diag diag = {0};

    if (!wr_config_load(name, &config, &diag)) {
        fail_msg("%s", diag.message);
    }
    return config;
}

void jobs_load(wr_job *job, const char *path, uint32_t pp_interval)
{
    char whole[512];
    wr_diag diag = {0};
    wr_compile_options options = {.max_regs = 63, .pp_interval = pp_interval};

    memset(job, 0, sizeof *job);
    (void)snprintf(whole, sizeof whole, WR_SOURCE_DIR "/%s", path);
    if (!wr_job_load(whole, &options, wr_reference_find, job, &diag)) {
        fail_msg("%s: %s", path, diag.message);
    }
    assert_true(job->loaded.file->check_count >= 1 &&
                job->loaded.file->check_count <= JOBS_MAX_CHECKS);
    assert_true(job->loaded.file->buffer_count <= JOBS_MAX_BUFFERS);
}

static void compare(wr_job *job, job_outcome *o)
{
    wr_check_result checks[JOBS_MAX_CHECKS] = {0};
    wr_diag diag = {0};

    if (!wr_job_check(job, checks, &diag)) {
        fail_msg("%s", diag.message);
    }
    for (unsigned i = 0; i < job->loaded.file->check_count; i++) {
        o->right &= checks[i].comparison.wrong == 0;
    }
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        o->hash[i] = wr_job_buffer_hash(job, i);
    }
}

static void make_new(wr_job *job)
{
    job->runs = 0;
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        job->launches[i].runs = 0;
    }
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        free(job->buffers[i].result);
        job->buffers[i].result = NULL;
    }
}

job_outcome jobs_run(wr_job *job, const wr_gpu_config *config, const wr_system_hooks *hooks)
{
    wr_gpu *gpu = wr_gpu_create(config);
    wr_job_options options = {.max_cycles = 20000000};
    wr_diag diag = {0};
    job_outcome o = {.right = true};
    char err[512];

    assert_non_null(gpu);
    if (hooks) {
        wr_gpu_attach(gpu, hooks);
    }
    if (!wr_job_run(job, gpu, &options, &o.result, &diag)) {
        fail_msg("%s", diag.message);
    }
    if (o.result.status == WR_RUN_DONE) {
        if (!wr_gpu_conserved(gpu, err, sizeof err)) {
            fail_msg("%s", err);
        }
        compare(job, &o);
        assert_true(job->runs > 0);
    }
    make_new(job);
    wr_gpu_free(gpu);
    return o;
}

job_outcome jobs_run_under(wr_job *job, const wr_gpu_config *config, const char *spec,
                           void (*row)(void *arg, const wr_row *), void *arg)
{
    char err[512];

    if (spec == NULL) {
        return jobs_run(job, config, NULL);
    }
    wr_system_group *systems = wr_system_group_open(&spec, 1, NULL, config, err, sizeof err);

    if (!systems) {
        fail_msg("%s", err);
    }
    job_outcome o = jobs_run(job, config, wr_system_group_hooks(systems));

    each_row(systems, row, arg);
    wr_system_group_close(systems);
    return o;
}

uint64_t jobs_seed(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;

    print_message("seed %llu (set WARPREF_SEED to repeat)\n", (unsigned long long)seed);
    return seed;
}
