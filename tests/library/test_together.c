/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the library at once on one GPU: `test_together NAME NAME...`, each from its launch
 * file and in streams of its own. Each leaves the bytes that it leaves alone, without a system,
 * with the SMs shared out, and preempted at random. Without preemption each issues what it issues
 * alone; and always what the launches are told to have done adds up to what the GPU did.
 *
 * `test_together --chain` takes every kernel with the next one of the alphabet.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "shell/host/job.h"
#include "tests/systems/rows.h"

enum { MOST = 8, MAX_BUFFERS = 32, MAX_PATH = 1024, MAX_RUNS = 10, MAX_KERNELS = 256 };

typedef struct company {
    size_t count;
    char name[MOST][64];
    wr_job job[MOST];
    uint64_t hash[MOST][MAX_BUFFERS]; /* of the buffers of each, alone */
    uint64_t issued[MOST];            /* warp instructions of each, alone */
    uint64_t alone;                   /* cycles, summed */
} company;

typedef struct figures {
    uint64_t saved;                     /* preemptions that saved a context */
    uint64_t issued, tbs;               /* by the GPU's counters */
    uint64_t launch_issued, launch_tbs; /* by the launches */
} figures;

static void take_row(void *arg, const wr_row *row)
{
    figures *f = arg;

    if (strcmp(row->name, "signals.done") == 0) {
        f->saved += row->count;
    }
}

static void take_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    figures *f = arg;

    (void)doc;
    if (strcmp(name, "sm.issued") == 0) {
        f->issued = value;
    }
    if (strcmp(name, "sm.tbs_done") == 0) {
        f->tbs = value;
    }
}

static void check_output(const wr_job *job, const char *what)
{
    const wr_launch_file *file = job->loaded.file;
    wr_diag diag = {0};
    wr_check_result *checks = calloc(file->check_count, sizeof *checks);

    assert_non_null(checks);
    if (!wr_job_check(job, checks, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    for (unsigned i = 0; i < file->check_count; i++) {
        if (checks[i].comparison.wrong || checks[i].comparison.compared == 0) {
            fail_msg("%s, %s: %llu of %llu elements of %s are wrong", job->loaded.path, what,
                     (unsigned long long)checks[i].comparison.wrong,
                     (unsigned long long)checks[i].comparison.compared, checks[i].buffer);
        }
    }
    free(checks);
}

/* Runs the jobs on a new GPU, with a system or NULL. Returns cycles. */
static uint64_t run(wr_job *const *jobs, size_t count, const char *spec, figures *f)
{
    const char *what = spec ? spec : "without a system";
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_run_result result;
    wr_job_options options = {.max_cycles = 20000000};
    wr_system_group *systems = NULL;
    char err[512];

    *f = (figures){0};
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
    if (!wr_jobs_run(jobs, count, gpu, &options, &result, &diag)) {
        fail_msg("%s", diag.message);
    }
    if (result.status != WR_RUN_DONE) {
        fail_msg("%s: %s", what, result.message);
    }
    if (!wr_gpu_conserved(gpu, err, sizeof err)) {
        fail_msg("%s: %s", what, err);
    }
    wr_gpu_stats(gpu, take_counter, f);
    for (size_t i = 0; i < count; i++) {
        check_output(jobs[i], what);
        for (unsigned k = 0; k < jobs[i]->loaded.file->launch_count; k++) {
            f->launch_issued += jobs[i]->launches[k].sum.issued;
            f->launch_tbs += jobs[i]->launches[k].sum.tbs;
        }
    }
    assert_int_equal(f->launch_issued, f->issued);
    assert_int_equal(f->launch_tbs, f->tbs);
    if (systems) {
        each_row(systems, take_row, f);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
    return result.cycles;
}

static void load(company *c)
{
    for (size_t i = 0; i < c->count; i++) {
        char path[MAX_PATH];
        wr_diag diag = {0};
        wr_job *job = &c->job[i];
        figures f;

        (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", c->name[i]);
        if (!wr_job_load(path, NULL, wr_reference_find, job, &diag)) {
            fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
        }
        assert_in_range(job->loaded.file->buffer_count, 1, MAX_BUFFERS);
        c->alone += run(&job, 1, NULL, &f);
        c->issued[i] = f.issued;
        for (unsigned b = 0; b < job->loaded.file->buffer_count; b++) {
            c->hash[i][b] = wr_job_buffer_hash(job, b);
        }
    }
}

/* All of them at once. */
static uint64_t run_company(company *c, const char *spec, figures *f)
{
    wr_job *jobs[MOST];

    for (size_t i = 0; i < c->count; i++) {
        jobs[i] = &c->job[i];
    }
    uint64_t cycles = run(jobs, c->count, spec, f);

    for (size_t i = 0; i < c->count; i++) {
        for (unsigned b = 0; b < c->job[i].loaded.file->buffer_count; b++) {
            if (wr_job_buffer_hash(&c->job[i], b) != c->hash[i][b]) {
                fail_msg("%s: buffer %s of %s differs from that of a run alone",
                         spec ? spec : "without a system", c->job[i].loaded.file->buffers[b].name,
                         c->name[i]);
            }
        }
    }
    return cycles;
}

/* All begin with the run. */
static void check_overlap(const company *c)
{
    for (size_t i = 0; i < c->count; i++) {
        assert_int_equal(c->job[i].launches[0].sum.begun, c->job[0].launches[0].sum.begun);
    }
}

/* Warp instructions of each, as alone: nothing is done twice or for another. */
static void check_issued(const company *c)
{
    for (size_t i = 0; i < c->count; i++) {
        uint64_t issued = 0;

        for (unsigned k = 0; k < c->job[i].loaded.file->launch_count; k++) {
            issued += c->job[i].launches[k].sum.issued;
        }
        assert_int_equal(issued, c->issued[i]);
    }
}

static void together(void **state)
{
    static const char *const policies[] = {"spart", "sharing:policy=within_sm",
                                           "sharing:policy=in_order"};
    company *c = *state;
    const char *text = getenv("WARPREF_SEED");
    unsigned long long seed = text ? strtoull(text, NULL, 0) : 1, saved = 0;
    figures f;

    load(c);
    uint64_t cycles = run_company(c, NULL, &f);

    check_overlap(c);
    check_issued(c);
    for (size_t i = 0; i < c->count; i++) {
        print_message("%s%s", i ? " + " : "", c->name[i]);
    }
    print_message(": %llu cycles, one after the other %llu\n", (unsigned long long)cycles,
                  (unsigned long long)c->alone);
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        (void)run_company(c, policies[i], &f);
        check_issued(c);
    }
    for (unsigned i = 0; i < MAX_RUNS && saved == 0; i++) {
        char spec[128];

        (void)snprintf(spec, sizeof spec,
                       "preemption:period=500,random_cycles=1,sm=random,seed=%llu", seed + i);
        (void)run_company(c, spec, &f);
        saved += f.saved;
        print_message("%s: %llu contexts saved\n", spec, saved);
    }
    assert_true(saved > 0);
    for (size_t i = 0; i < c->count; i++) {
        wr_job_free(&c->job[i]);
    }
}

static void set_name(company *c, const char *name)
{
    assert_true(c->count < MOST);
    (void)snprintf(c->name[c->count++], sizeof c->name[0], "%s", name);
}

/* Pairs of neighbours, one test each. Returns how many failed. */
static int run_chain(void)
{
    glob_t files;
    char name[MAX_KERNELS][64];
    size_t count = 0;
    int failed = 0;

    if (glob(WR_SOURCE_DIR "/kernels/*.yaml", 0, NULL, &files) != 0) {
        return 1;
    }
    for (size_t i = 0; i < files.gl_pathc && count < MAX_KERNELS; i++) {
        const char *base = strrchr(files.gl_pathv[i], '/') + 1;

        if (!strstr(base, "_large.")) {
            (void)snprintf(name[count++], sizeof name[0], "%.*s", (int)strcspn(base, "."), base);
        }
    }
    globfree(&files);
    for (size_t i = 0; i < count; i++) {
        company c = {0};
        const struct CMUnitTest test[] = {cmocka_unit_test_prestate(together, &c)};

        set_name(&c, name[i]);
        set_name(&c, name[(i + 1) % count]);
        failed += cmocka_run_group_tests_name(name[i], test, NULL, NULL);
    }
    print_message("%zu pairs, %d failed\n", count, failed);
    return count == 0 || failed != 0;
}

int main(int argc, char **argv)
{
    static company c;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(together, &c)};

    if (argc == 2 && strcmp(argv[1], "--chain") == 0) {
        return run_chain();
    }
    if (argc < 3 || argc > MOST + 1) {
        print_error("usage: %s NAME NAME... (2 to %d launch files of kernels/) or --chain\n",
                    argv[0], MOST);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        set_name(&c, argv[i]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
