/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the library in every shipped configuration, each compiled once:
 *
 *   test_configurations KERNEL...   these
 *   test_configurations all         every one
 *
 * A run ends with the outputs of the kernel's reference and conserves what the machine counts. No
 * kernel is refused: the TBs of all fit an SM of each configuration.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/config/config.h"
#include "shell/core/counters.h"
#include "shell/host/job.h"
#include "shell/ptx/diag.h"
#include "tests/library/names.h"

static const char *const seven[] = {"gtx480", "maxwell", "ccbp",   "gtx980",
                                    "k20x",   "hd7970",  "kayiran"};

/* Runs the job on a new GPU and checks its outputs. Returns the cycles. */
static uint64_t run(wr_job *job, const char *kernel, const wr_gpu_config *config)
{
    wr_diag diag = {0};
    wr_run_result result;
    wr_job_options options = {.max_cycles = 20000000};
    char err[512];
    wr_gpu *gpu = wr_gpu_create(config);

    assert_non_null(gpu);
    if (!wr_job_run(job, gpu, &options, &result, &diag)) {
        fail_msg("%s on %s: %s", kernel, config->name, diag.message);
    }
    if (result.status != WR_RUN_DONE) {
        fail_msg("%s on %s: %s", kernel, config->name, result.message);
    }
    if (!wr_gpu_conserved(gpu, err, sizeof err)) {
        fail_msg("%s on %s: %s", kernel, config->name, err);
    }

    const wr_launch_file *file = job->loaded.file;
    wr_check_result *checks = calloc(file->check_count, sizeof *checks);

    assert_non_null(checks);
    assert_true(file->check_count > 0);
    if (!wr_job_check(job, checks, &diag)) {
        fail_msg("%s: %s", kernel, diag.message);
    }
    for (unsigned i = 0; i < file->check_count; i++) {
        if (checks[i].comparison.wrong || checks[i].comparison.compared == 0) {
            fail_msg("%s on %s: %llu of %llu elements of %s are wrong", kernel, config->name,
                     (unsigned long long)checks[i].comparison.wrong,
                     (unsigned long long)checks[i].comparison.compared, checks[i].buffer);
        }
    }
    free(checks);
    uint64_t cycles = wr_gpu_cycle(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

static void one_kernel(const char *kernel, char **configs, size_t count, unsigned *runs)
{
    char path[1024];
    wr_diag diag = {0};
    wr_job job;

    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", kernel);
    if (!wr_job_load(path, NULL, wr_reference_find, &job, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    print_message("%-26s", kernel);
    for (size_t i = 0; i < count; i++) {
        wr_gpu_config config;

        if (!wr_config_load(configs[i], &config, &diag)) {
            fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
        }
        print_message(" %10llu", (unsigned long long)run(&job, kernel, &config));
        (*runs)++;
    }
    print_message("\n");
    wr_job_free(&job);
}

static void in_all_configurations(void **state)
{
    static library_name names[LIBRARY_MAX_KERNELS];
    size_t config_count;
    size_t count = library_names(*state, names);
    unsigned runs = 0;
    char **configs = wr_config_names(&config_count);

    for (size_t i = 0; i < sizeof seven / sizeof seven[0]; i++) {
        bool there = false;
        for (size_t k = 0; k < config_count; k++) {
            there |= strcmp(configs[k], seven[i]) == 0;
        }
        if (!there) {
            fail_msg("there is no configuration %s", seven[i]);
        }
    }
    print_message("cycles%20s", "");
    for (size_t i = 0; i < config_count; i++) {
        print_message(" %10.10s", configs[i]);
    }
    print_message("\n");
    for (size_t i = 0; i < count; i++) {
        one_kernel(names[i], configs, config_count, &runs);
    }
    print_message("%zu kernels, %zu configurations, %u runs with right outputs\n", count,
                  config_count, runs);
    assert_true(runs > 0);
    wr_config_names_free(configs, config_count);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s all | KERNEL... (of kernels/KERNEL.yaml)\n", argv[0]);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(in_all_configurations, argv + 1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
