/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the library: does the shell call an instruction harmless behind which a TB can't run
 * again?
 *
 *   test_rerun KERNEL...   these
 *   test_rerun all         every one, as a table
 *
 * An oracle watches what each launch does to memory (rerun_oracle.h): what it finds harmful the
 * shell must have found before. The other way round the shell may be too careful, and the table
 * shows where. Each kernel is then preempted at random: a TB that is spoilt stays so while it is
 * saved and restored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/core/gpu/state.h"
#include "shell/core/seam/launch.h"
#include "shell/host/job.h"
#include "systems/frame/group.h"
#include "tests/library/names.h"
#include "tests/library/rerun_oracle.h"

typedef struct total {
    unsigned kernels, harmful, harmless;
    uint64_t reads, returned;
} total;

static wr_gpu *new_gpu(wr_gpu_config *config)
{
    wr_diag diag = {0};

    if (!wr_config_load("gtx480", config, &diag)) {
        fail_msg("%s", diag.message);
    }
    wr_gpu *gpu = wr_gpu_create(config);

    assert_non_null(gpu);
    return gpu;
}

static void run(const char *name, wr_gpu *gpu, wr_job *job)
{
    wr_job_options options = {.max_cycles = 20000000};
    wr_run_result result;
    wr_diag diag = {0};

    if (!wr_job_run(job, gpu, &options, &result, &diag)) {
        fail_msg("%s: %s", name, diag.message);
    }
    if (result.status != WR_RUN_DONE) {
        fail_msg("%s: %s", name, result.message);
    }
}

static void row(const rerun_kernel *k, const char *name, total *t)
{
    uint64_t harm = k->overwrites + k->outside;

    print_message("%-26s %-24s %-3s %10llu %10llu %10llu %10llu %8llu%s\n", name, k->kernel->name,
                  k->idempotent == k->launches ? "yes"
                  : k->idempotent == 0         ? "no"
                                               : "-",
                  (unsigned long long)k->reads, (unsigned long long)k->writes,
                  (unsigned long long)k->overwrites, (unsigned long long)k->outside,
                  (unsigned long long)k->spoiling,
                  harm == 0 && k->idempotent < k->launches ? "  careful" : "");
    if (k->missed > 0) {
        fail_msg("%s: kernel %s: %llu accesses do harm that the shell does not see, the first at "
                 "pc 0x%x",
                 name, k->kernel->name, (unsigned long long)k->missed, k->missed_pc);
    }
    if (harm > 0 && k->idempotent == k->launches) {
        fail_msg("%s: kernel %s is called idempotent and is not", name, k->kernel->name);
    }
    assert_true(k->writes > 0);
    t->kernels++;
    t->harmful += harm > 0 ? 1 : 0;
    t->harmless += k->idempotent == k->launches ? 1 : 0;
    t->reads += k->reads;
}

/* Which TBs of the launch in flight were spoilt, and when they were last seen so; looked at in
 * every cycle that is simulated. */
enum { MAX_TBS = 1 << 16 };
typedef struct keeper {
    wr_gpu *gpu;
    uint64_t launches, looks;
    uint64_t spoilt[MAX_TBS]; /* number of the look; 0: it was not */
    uint64_t returned;        /* spoilt TBs that were away */
} keeper;

static void look_at(keeper *k, wr_sm *sm, uint32_t slot)
{
    wr_tb_info tb = wr_sm_tb(sm, slot);

    if (!tb.valid) {
        return;
    }
    assert_true(tb.linear < MAX_TBS);
    uint64_t *last = &k->spoilt[tb.linear];
    if (*last != 0 && !tb.spoilt) {
        fail_msg("TB %u was spoilt and is not any more", tb.linear);
    }
    k->returned += *last != 0 && *last + 1 < k->looks ? 1 : 0;
    *last = tb.spoilt ? k->looks : 0;
}

static void look(void *arg)
{
    keeper *k = arg;

    k->looks++;
    if (k->launches != k->gpu->launches) {
        k->launches = k->gpu->launches;
        memset(k->spoilt, 0, sizeof k->spoilt);
    }
    for (uint32_t s = 0; s < wr_gpu_sm_count(k->gpu); s++) {
        wr_sm *sm = wr_gpu_sm(k->gpu, s);

        for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
            look_at(k, sm, t);
        }
    }
}

static void preempt(const char *name, wr_job *job, total *t)
{
    static const char *const spec = "preemption:period=500,random_cycles=1,sm=random,seed=3";
    wr_gpu_config config;
    wr_gpu *gpu = new_gpu(&config);
    char err[512];
    wr_system_group *systems = wr_system_group_open(&spec, 1, NULL, &config, err, sizeof err);
    keeper *k = calloc(1, sizeof *k);
    wr_watcher watcher = {.look = look, .arg = k};

    assert_non_null(k);
    if (!systems) {
        fail_msg("%s", err);
    }
    k->gpu = gpu;
    wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    wr_gpu_watch(gpu, &watcher);
    run(name, gpu, job);
    wr_gpu_unwatch(gpu, &watcher);
    t->returned += k->returned;
    free(k);
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
}

static void one_kernel(const char *name, total *t)
{
    char path[1024];
    wr_diag diag = {0};
    wr_job job;
    wr_gpu_config config;
    wr_gpu *gpu = new_gpu(&config);
    rerun_oracle oracle;

    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", name);
    if (!wr_job_load(path, NULL, wr_reference_find, &job, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    rerun_oracle_init(&oracle);
    wr_gpu_attach(gpu, &oracle.hooks);
    run(name, gpu, &job);
    assert_true(oracle.kernel_count > 0);
    for (size_t i = 0; i < oracle.kernel_count; i++) {
        row(&oracle.kernels[i], name, t);
    }
    rerun_oracle_free(&oracle);
    wr_gpu_free(gpu);
    preempt(name, &job, t);
    wr_job_free(&job);
}

static void kernels(void **state)
{
    static library_name names[LIBRARY_MAX_KERNELS];
    size_t count = library_names(*state, names);
    total t = {0};

    print_message("%-26s %-24s %-3s %10s %10s %10s %10s %8s\n", "launch file", "kernel", "ok?",
                  "B read", "B written", "B over", "outside", "spoiling");
    for (size_t i = 0; i < count; i++) {
        one_kernel(names[i], &t);
    }
    print_message("%u kernels: %u idempotent, %u in which a second run would differ; %llu spoilt "
                  "TBs came back\n",
                  t.kernels, t.harmless, t.harmful, (unsigned long long)t.returned);
    /* An oracle that finds nothing has not looked, and one that is never pleased neither. */
    assert_true(t.harmful > 0 && t.harmless > 0 && t.reads > 0 && t.returned > 0);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s all | KERNEL... (of kernels/KERNEL.yaml)\n", argv[0]);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(kernels, argv + 1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
