/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel of the library at its small size: `test_library NAME`, where kernels/NAME.yaml is its
 * launch file. Its output agrees with the reference when it runs alone, when the preemption
 * system saves and restores its TBs at random, and when it is compiled for 64-bit addresses; all
 * three leave the same bytes in every buffer.
 *
 * Preempted runs go on with other seeds until some context has been saved; that none ever is, is
 * a failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "shell/host/job.h"
#include "tests/systems/rows.h"

enum { MAX_RUNS = 10, MAX_BUFFERS = 32, MAX_PATH = 1024 };

typedef struct hashes {
    size_t count;
    uint64_t hash[MAX_BUFFERS];
} hashes;

static void load(const char *path, wr_job *job)
{
    wr_diag diag = {0};

    if (!wr_job_load(path, NULL, wr_reference_find, job, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    assert_true(job->loaded.file->check_count > 0);
    assert_in_range(job->loaded.file->buffer_count, 1, MAX_BUFFERS);
}

static void count_saved(void *arg, const wr_row *row)
{
    uint64_t *saved = arg;

    if (strcmp(row->name, "signals.done") == 0) {
        *saved += row->count;
    }
}

/* Runs the job on a new GPU, with a system or NULL, and checks its output. Returns how many
 * preemptions saved a context. */
static uint64_t run(wr_job *job, const char *spec, hashes *out)
{
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_run_result result;
    wr_job_options options = {.max_cycles = 20000000};
    wr_system_group *systems = NULL;
    char err[512];
    uint64_t saved = 0;

    if (!wr_config_load("gtx480", &config, &diag)) {
        fail_msg("%s", diag.message);
    }
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    if (spec) {
        systems = wr_system_group_open(&spec, 1, NULL, &config, err, sizeof err);
        if (!systems) {
            fail_msg("%s", err);
        }
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    }
    if (!wr_job_run(job, gpu, &options, &result, &diag)) {
        fail_msg("%s", diag.message);
    }
    if (result.status != WR_RUN_DONE) {
        fail_msg("%s: %s", spec ? spec : "without a system", result.message);
    }
    if (!wr_gpu_conserved(gpu, err, sizeof err)) {
        fail_msg("%s: %s", spec ? spec : "without a system", err);
    }

    const wr_launch_file *file = job->loaded.file;
    wr_check_result *checks = calloc(file->check_count, sizeof *checks);

    assert_non_null(checks);
    if (!wr_job_check(job, checks, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    for (unsigned i = 0; i < file->check_count; i++) {
        if (checks[i].comparison.wrong || checks[i].comparison.compared == 0) {
            fail_msg("%s: %llu of %llu elements of %s are wrong, the first is %llu",
                     spec ? spec : "without a system",
                     (unsigned long long)checks[i].comparison.wrong,
                     (unsigned long long)checks[i].comparison.compared, checks[i].buffer,
                     (unsigned long long)checks[i].comparison.first);
        }
    }
    free(checks);
    /* A check of a buffer that the kernels never change would hold of itself. */
    for (unsigned i = 0; i < file->check_count; i++) {
        size_t b = file->checks[i].buffer_index;

        if (memcmp(job->buffers[b].result, file->buffers[b].data, file->buffers[b].bytes) == 0) {
            fail_msg("buffer %s is checked, but ends as it began", file->buffers[b].name);
        }
    }
    out->count = file->buffer_count;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        out->hash[i] = wr_job_buffer_hash(job, i);
    }
    if (systems) {
        each_row(systems, count_saved, &saved);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
    return saved;
}

static void same(const hashes *a, const hashes *b, const char *what)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        if (a->hash[i] != b->hash[i]) {
            fail_msg("%s: buffer %zu differs from that of the plain run", what, i);
        }
    }
}

static void alone_and_preempted(void **state)
{
    char path[MAX_PATH];
    const char *text = getenv("WARPREF_SEED");
    unsigned long long seed = text ? strtoull(text, NULL, 0) : 1, saved = 0;
    wr_job job;
    hashes plain, preempted;

    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", (const char *)*state);
    load(path, &job);
    (void)run(&job, NULL, &plain);
    for (unsigned i = 0; i < MAX_RUNS && saved == 0; i++) {
        char spec[128];

        (void)snprintf(spec, sizeof spec,
                       "preemption:period=500,random_cycles=1,sm=random,seed=%llu", seed + i);
        saved += run(&job, spec, &preempted);
        same(&plain, &preempted, spec);
        print_message("%s: %llu contexts saved\n", spec, saved);
    }
    assert_true(saved > 0);
    wr_job_free(&job);
}

/* The launch file again, as a file of its own, with 64-bit addresses. */
static void widen(const char *name, const char *to)
{
    char line[MAX_PATH];
    bool done = false;

    (void)snprintf(line, sizeof line, WR_SOURCE_DIR "/kernels/%s.yaml", name);
    FILE *in = fopen(line, "r");
    FILE *out = fopen(to, "w");

    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in)) {
        static const char module[] = "module: ", compile[] = "compile: {";

        if (strncmp(line, module, strlen(module)) == 0) {
            (void)fprintf(out, "module: " WR_SOURCE_DIR "/kernels/%s", line + strlen(module));
        } else if (strncmp(line, compile, strlen(compile)) == 0) {
            assert_null(strstr(line, "address_size"));
            (void)fprintf(out, "compile: {address_size: 64, %s", line + strlen(compile));
            done = true;
        } else {
            (void)fputs(line, out);
        }
    }
    if (!done) {
        (void)fputs("compile: {address_size: 64}\n", out);
    }
    (void)fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void in_64_bits(void **state)
{
    const char *name = *state;
    char path[MAX_PATH], wide[MAX_PATH];
    wr_job job;
    hashes narrow_hashes, wide_hashes;

    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", name);
    (void)snprintf(wide, sizeof wide, "library_%s_64.yaml", name);
    load(path, &job);
    assert_int_equal(job.module->address_size, 32);
    (void)run(&job, NULL, &narrow_hashes);
    wr_job_free(&job);

    widen(name, wide);
    load(wide, &job);
    assert_int_equal(job.module->address_size, 64);
    (void)run(&job, NULL, &wide_hashes);
    wr_job_free(&job);
    (void)unlink(wide);
    same(&narrow_hashes, &wide_hashes, "64-bit addresses");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s NAME (of kernels/NAME.yaml)\n", argv[0]);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(alone_and_preempted, argv[1]),
        cmocka_unit_test_prestate(in_64_bits, argv[1]),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
