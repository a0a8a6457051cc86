/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads never shows: every counter, histogram, output, printed text, message and
 * cycle is the same with 1 and 2 threads, in the long form with 3 and 5 as well; with kernels that
 * race for memory on purpose, with those that fail on many SMs at once, and under preemption.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "shell/core/gpu/state.h"
#include "shell/host/job.h"
#include "tests/long.h"
#include "tests/systems/rows.h"

/* ThreadSanitizer, with which all is twenty times slower, sees a race wherever there could be one.
 */
#ifdef __SANITIZE_THREAD__
enum { SHORT = true };
#else
enum { SHORT = false };
#endif

static const uint32_t threads[] = {2, 3, 5};
enum { COUNTS = sizeof threads / sizeof threads[0] };

/* Everything that a run shows, as one number, and some of it to name. */
typedef struct shown {
    uint64_t hash;
    uint64_t cycles, parts; /* parts: values that went into the hash */
    wr_run_status status;
    char message[WR_RUN_MESSAGE];
} shown;

static void add(shown *s, const void *bytes, size_t count)
{
    const uint8_t *b = bytes;

    for (size_t i = 0; i < count; i++) {
        s->hash = (s->hash ^ b[i]) * UINT64_C(1099511628211);
    }
    s->parts++;
}

static void add_stat(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    add(arg, name, strlen(name));
    add(arg, &value, sizeof value);
}

static void add_histogram(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    (void)doc;
    add(arg, name, strlen(name));
    add(arg, h, sizeof *h);
}

static void add_row(void *arg, const wr_row *row)
{
    add(arg, row->name, strlen(row->name));
    add(arg, &row->count, sizeof row->count);
}

static void add_text(void *arg, const char *text, uint32_t bytes)
{
    add(arg, text, bytes);
}

static void add_gpu(shown *s, const wr_gpu *gpu, const wr_run_result *result)
{
    s->cycles = result->cycles;
    s->status = result->status;
    (void)snprintf(s->message, sizeof s->message, "%s", result->message);
    add(s, result->message, strlen(result->message));
    wr_gpu_stats(gpu, add_stat, s);
    wr_gpu_counters(gpu, add_stat, s);
    wr_gpu_histograms(gpu, add_histogram, s);
}

static void compare(const char *what, uint32_t count, const shown *one, const shown *many)
{
    assert_true(one->parts > 100);
    assert_int_equal(one->status, many->status);
    assert_string_equal(one->message, many->message);
    if (one->cycles != many->cycles || one->hash != many->hash) {
        fail_msg("%s: %llu cycles with 1 thread, %llu with %u; or some counter differs", what,
                 (unsigned long long)one->cycles, (unsigned long long)many->cycles, count);
    }
}

static wr_gpu *make(const char *config, wr_gpu_config *cfg, uint32_t count)
{
    wr_diag diag = {0};

    if (!wr_config_load(config, cfg, &diag)) {
        fail_msg("%s", diag.message);
    }
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    assert_true(wr_gpu_set_threads(gpu, count));
    return gpu;
}

/* A kernel of the library or of threads/; one that is done keeps its checks. */
static shown play_kernel(const char *kernel, const char *config, const char *spec, uint32_t count)
{
    shown s = {.hash = 1};
    wr_gpu_config cfg;
    wr_gpu *gpu = make(config, &cfg, count);
    wr_job job = {0};
    wr_job_options options = {.max_cycles = 20000000};
    wr_compile_options compile = {.max_regs = 63, .pp_interval = 100};
    wr_system_group *systems = NULL;
    wr_check_result checks[16] = {0};
    wr_run_result result;
    wr_diag diag = {0};
    char text[512];

    /* More threads than processors, or busy ones, and the GPU soon does without: not here. */
    gpu->balance.stubborn =
        count == 2 && (strcmp(kernel, "crowd") == 0 || strcmp(kernel, "histo") == 0);
    bool own =
        strcmp(kernel, "crowd") == 0 || strcmp(kernel, "race") == 0 || strcmp(kernel, "stray") == 0;
    (void)snprintf(text, sizeof text, WR_SOURCE_DIR "/%s/%s.yaml",
                   own ? "tests/systems/threads" : "kernels", kernel);
    if (!wr_job_load(text, &compile, wr_reference_find, &job, &diag)) {
        fail_msg("%s: %s", kernel, diag.message);
    }
    wr_gpu_set_print(gpu, add_text, &s);
    if (spec != NULL) {
        systems = wr_system_group_open(&spec, 1, NULL, &cfg, text, sizeof text);
        if (systems == NULL) {
            fail_msg("%s", text);
        }
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    }
    if (!wr_job_run(&job, gpu, &options, &result, &diag)) {
        fail_msg("%s: %s", kernel, diag.message);
    }
    if (result.status != (strcmp(kernel, "stray") == 0 ? WR_RUN_MEMORY_FAULT : WR_RUN_DONE)) {
        fail_msg("%s: %s", kernel, result.message);
    }
    bool done = result.status == WR_RUN_DONE;
    if (done && !wr_gpu_conserved(gpu, text, sizeof text)) {
        fail_msg("%s: %s", kernel, text);
    }
    assert_true(job.loaded.file->check_count <= sizeof checks / sizeof checks[0]);
    if (done && !wr_job_check(&job, checks, &diag)) {
        fail_msg("%s: %s", kernel, diag.message);
    }
    for (unsigned i = 0; i < job.loaded.file->check_count; i++) {
        assert_int_equal(checks[i].comparison.wrong, 0);
    }
    for (unsigned i = 0; done && i < job.loaded.file->buffer_count; i++) {
        uint64_t hash = wr_job_buffer_hash(&job, i);
        add(&s, &hash, sizeof hash);
    }
    add_gpu(&s, gpu, &result);
    if (systems != NULL) {
        each_row(systems, add_row, &s);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
    wr_job_free(&job);
    return s;
}

static void check_kernel(const char *kernel, const char *config, const char *spec)
{
    shown one = play_kernel(kernel, config, spec, 1);

    unsigned counts = SHORT ? 1 : wr_test_long() ? COUNTS : 1;

    for (unsigned i = 0; i < counts; i++) {
        shown many = play_kernel(kernel, config, spec, threads[i]);
        compare(kernel, threads[i], &one, &many);
    }
    print_message("%s, %s%s%s: %llu cycles\n", kernel, config, spec != NULL ? ", " : "",
                  spec != NULL ? spec : "", (unsigned long long)one.cycles);
}

static void kernels_are_the_same(void **state)
{
    static const char *const names[] = {"histo",   "reduction", "bfs_kernel1",
                                        "hotspot", "tpacf",     "backprop_layerforward"};

    (void)state;
    unsigned by = wr_test_long() ? 1 : 3;

    for (unsigned i = 0; i < (SHORT ? 1 : sizeof names / sizeof names[0]); i += by) {
        check_kernel(names[i], "gtx480", NULL);
    }
    if (SHORT) {
        return;
    }
    check_kernel("spmv_csr", "k20x", NULL);
    if (wr_test_long()) {
        check_kernel("histo", "gtx980", NULL);
        check_kernel("vecadd", "kayiran", NULL);
    }
}

static void preemption_is_the_same(void **state)
{
    (void)state;
    check_kernel("pathfinder_dynproc", "gtx480", "preemption:period=700,sm=random,seed=3");
    if (!SHORT) {
        check_kernel("backprop_layerforward", "gtx480",
                     "preemption:period=500,random_cycles=1,sm=rotate,seed=5");
    }
}

/* TBs change places on every SM. */
static void turns_are_the_same(void **state)
{
    (void)state;
    check_kernel("scan", "maxwell", "virtual_thread");
    if (!SHORT) {
        check_kernel("btree_findk", "maxwell", "virtual_thread:port=64,extra=5");
    }
}

/* Requests wait in a system's miss queues, and each lookup of L2 comes to it while SMs run; or each
 * miss of an L1 does. */
static void miss_queues_are_the_same(void **state)
{
    (void)state;
    check_kernel("vecadd", "ccbp", "ccbp");
    check_kernel("kmeans_invert_mapping", "gtx480", "ccws");
    if (!SHORT) {
        check_kernel("spmv_csr", "ccbp", "ccbp:ctas=smk,queue=priority");
    }
}

/* Warps run ahead, and what they have executed is passed over. */
static void ahead_is_the_same(void **state)
{
    (void)state;
    check_kernel("gemm", "hd7970", "haws");
    check_kernel("spmv_csr", "gtx480", "preexecution");
    if (!SHORT) {
        check_kernel("bfs_kernel1", "gtx480", "haws");
    }
}

/* A system says which warp issues, inside the SMs' cycles: in locality by its blocks' ports, in RTL
 * too; and each miss comes to a meter that joins them. */
static void choices_are_the_same(void **state)
{
    (void)state;
    check_kernel("gemm", "k20x", "locality");
    check_kernel("jacobi", "gtx480", "mascar:high=40");
    check_kernel("jacobi", "k20x", "duplicates");
    if (!SHORT) {
        check_kernel("gemm", "k20x", "locality:blocks=lockstep,tbs=wave");
        check_kernel("histo", "k20x", "locality:hint=some,blocks=rtl");
        check_kernel("spmv_csr", "k20x", "owl:warps=5");
    }
}

/* See threads/race.ptx: races for memory, heap and printed text, and faults in the same cycle. */
static void races_are_the_same(void **state)
{
    (void)state;
    check_kernel("crowd", "gtx480", NULL);
    check_kernel("race", "gtx480", NULL);
    check_kernel("race", "maxwell", NULL);
    check_kernel("stray", "gtx480", NULL);
    check_kernel("stray", "hd7970", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_the_same), cmocka_unit_test(preemption_is_the_same),
        cmocka_unit_test(turns_are_the_same),   cmocka_unit_test(miss_queues_are_the_same),
        cmocka_unit_test(ahead_is_the_same),    cmocka_unit_test(choices_are_the_same),
        cmocka_unit_test(races_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
