/* SPDX-License-Identifier: Apache-2.0 */
/* Registers at switch points: is what the compiler says of them true of every warp that runs?
 *
 *   test_reduced table       the kernels of studies/lin_d/table_3_2.csv, all of which must be seen
 *   test_reduced KERNEL...   these launch files of kernels/
 *   test_reduced all         every small one, as a table
 *   test_reduced random      random kernels (tests/compiler/program.h) in TBs of several shapes;
 *                            WARPREF_SEED=n one of them, WARPREF_PROGRAMS how many
 *
 * The oracle (reduced_oracle.h) looks at registers whenever a warp stands at a switch point. It
 * must itself notice claims that are too bold, or it has not looked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/reference.h"
#include "shell/host/job.h"
#include "systems/context/blocks.h"
#include "tests/compiler/program.h"
#include "tests/compiler/random.h"
#include "tests/library/names.h"
#include "tests/library/reduced_oracle.h"

enum { TEXT = 1 << 18, MAX_TABLE = 64 };

/* Of all kernels; views and kinds as in the oracle. */
typedef struct total {
    uint64_t seen[WR_HELD_VIEWS][REDUCED_KINDS], careful[WR_HELD_VIEWS];
    uint64_t visits, diverged, stalls, elsewhere, wrong, runs, faults;
} total;

static wr_gpu *new_gpu(uint32_t sms)
{
    wr_gpu_config config;
    wr_diag diag = {0};

    if (!wr_config_load("gtx480", &config, &diag)) {
        fail_msg("%s", diag.message);
    }
    config.sms = sms != 0 ? sms : config.sms;
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    return gpu;
}

static void add(const reduced_kernel *k, total *t)
{
    for (unsigned v = 0; v < WR_HELD_VIEWS; v++) {
        for (unsigned i = 0; i < REDUCED_KINDS; i++) {
            t->seen[v][i] += k->view[v].seen[i];
        }
        t->careful[v] += k->view[v].careful;
    }
    t->visits += k->visits;
    t->diverged += k->diverged;
    t->stalls += k->stalls;
    t->elsewhere += k->elsewhere;
    t->wrong += k->wrong;
}

static void print_total(const total *t)
{
    static const char *const views[] = {"needed lanes", "all lanes"};

    print_message("%llu times a warp at a switch point, %llu diverged; %llu stalls for a load, "
                  "%llu of them where no point is\n",
                  (unsigned long long)t->visits, (unsigned long long)t->diverged,
                  (unsigned long long)t->stalls, (unsigned long long)t->elsewhere);
    for (unsigned v = 0; v < WR_HELD_VIEWS; v++) {
        uint64_t random = t->seen[v][2];

        print_message("%-12s compared: %llu uniform, %llu strided, %llu random; of the random "
                      "%llu (%.1f %%) were not\n",
                      views[v], (unsigned long long)t->seen[v][0],
                      (unsigned long long)t->seen[v][1], (unsigned long long)random,
                      (unsigned long long)t->careful[v],
                      random > 0 ? 100.0 * (double)t->careful[v] / (double)random : 0.0);
        /* A kind that was never looked at has not been checked. */
        assert_true(t->seen[v][0] > 0 && t->seen[v][1] > 0 && random > 0);
    }
}

/* ---- launch files ---- */

static void row(const reduced_kernel *k)
{
    const wr_reduced *r = k->said;

    print_message("%-26s %4ux%-3ux%-2u %4zu %8llu %6u %6u %6u %6u %6u %6u\n", k->name, r->block[0],
                  r->block[1], r->block[2], r->count, (unsigned long long)k->visits, r->full_bytes,
                  r->live_bytes, r->bytes[WR_HELD_ALL], k->view[WR_HELD_ALL].most_bytes,
                  r->bytes[WR_HELD_NEEDED], k->view[WR_HELD_NEEDED].most_bytes);
}

/* Runs the launch file; what was wrong is in the oracle. */
static void run_file(const char *name, reduced_oracle *oracle)
{
    char path[1024];
    wr_diag diag = {0};
    wr_job job;
    wr_job_options options = {.max_cycles = 20000000};
    wr_run_result result;
    wr_gpu *gpu = new_gpu(0);

    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", name);
    if (!wr_job_load(path, NULL, wr_reference_find, &job, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    wr_gpu_attach(gpu, &oracle->hooks);
    if (!wr_job_run(&job, gpu, &options, &result, &diag) || result.status != WR_RUN_DONE) {
        fail_msg("%s: %s%s", name, diag.message, result.message);
    }
    for (size_t i = 0; i < oracle->count; i++) {
        if (!oracle->bold) {
            row(&oracle->kernels[i]);
        }
    }
    wr_gpu_free(gpu);
    wr_job_free(&job);
}

enum { LIVE, ALL, ALL_RUN, NEEDED, NEEDED_RUN, SHARES };

/* The kernels of the table; of its launch files only the small ones of kernels/ are run. */
typedef struct table {
    char kernel[MAX_TABLE][64];
    bool seen[MAX_TABLE];
    size_t count;
    double sum[SHARES]; /* of lines of 128 B, of all registers */
} table;

static double share(uint32_t bytes, const wr_reduced *r)
{
    uint32_t lines = (bytes + WR_REDUCED_LINE - 1) / WR_REDUCED_LINE;

    return (double)lines * WR_REDUCED_LINE / r->full_bytes;
}

static void note_seen(const reduced_kernel *k, table *t)
{
    const wr_reduced *r = k->said;
    size_t i = 0;

    while (i < t->count && strcmp(k->name, t->kernel[i]) != 0) {
        i++;
    }
    if (i == t->count || t->seen[i] || k->visits == 0) {
        return;
    }
    t->seen[i] = true;
    t->sum[LIVE] += share(r->live_bytes, r);
    t->sum[ALL] += share(r->bytes[WR_HELD_ALL], r);
    t->sum[ALL_RUN] += share(k->view[WR_HELD_ALL].most_bytes, r);
    t->sum[NEEDED] += share(r->bytes[WR_HELD_NEEDED], r);
    t->sum[NEEDED_RUN] += share(k->view[WR_HELD_NEEDED].most_bytes, r);
}

static void print_means(const table *t)
{
    double n = (double)t->count / 100;

    if (t->count > 0) {
        print_message("mean of %zu kernels, lines of 128 B: live %.1f %%, all lanes %.1f %%, by "
                      "the values there %.1f %%, needed lanes %.1f %%, by the values there %.1f "
                      "%%\n",
                      t->count, t->sum[LIVE] / n, t->sum[ALL] / n, t->sum[ALL_RUN] / n,
                      t->sum[NEEDED] / n, t->sum[NEEDED_RUN] / n);
    }
}

static void read_table(table *t)
{
    FILE *f = fopen(WR_SOURCE_DIR "/studies/lin_d/table_3_2.csv", "r");
    char line[256], label[64];

    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        assert_true(t->count < MAX_TABLE);
        if (line[0] != '#' && strncmp(line, "label,", 6) != 0 &&
            strstr(line, ",1\n") != NULL && /* listed */
            sscanf(line, "%63[^,],%63[^,]", label, t->kernel[t->count]) == 2) {
            t->count++;
        }
    }
    (void)fclose(f);
    assert_int_equal(t->count, 22);
}

static void launch_files(const library_name *names, size_t count, table *want)
{
    total t = {0};

    print_message("%-26s %-11s %4s %8s %6s %6s %6s %6s %6s %6s\n", "kernel", "block", "n", "visits",
                  "full", "live", "all", "run", "needed", "run");
    for (size_t i = 0; i < count; i++) {
        reduced_oracle oracle;

        reduced_oracle_init(&oracle, false);
        run_file(names[i], &oracle);
        for (size_t k = 0; k < oracle.count; k++) {
            add(&oracle.kernels[k], &t);
            note_seen(&oracle.kernels[k], want);
            if (oracle.kernels[k].wrong > 0) {
                fail_msg("%s: %s", names[i], oracle.kernels[k].first_wrong);
            }
        }
        reduced_oracle_free(&oracle);
    }
    print_total(&t);
    print_means(want);
    for (size_t k = 0; k < want->count; k++) {
        if (!want->seen[k]) {
            fail_msg("no warp of kernel %s was seen at a switch point", want->kernel[k]);
        }
    }
}

static void kernels(void **state)
{
    static library_name names[LIBRARY_MAX_KERNELS];
    static table none;

    launch_files(names, library_names(*state, names), &none);
}

static void table_kernels(void **state)
{
    static char *files[] = {"backprop_adjust_weights",
                            "backprop_layerforward",
                            "bfs_kernel1",
                            "btree_findk",
                            "cfd_compute_flux",
                            "conv2d",
                            "cutcp",
                            "dwt2d_copy_components",
                            "dwt2d_fdwt53",
                            "fdtd2d",
                            "gemm",
                            "hotspot",
                            "hybridsort_histogram1024",
                            "kmeans_invert_mapping",
                            "lbm",
                            "matrixmul",
                            "mm2",
                            "sad",
                            "spmv_csr",
                            "stencil7",
                            NULL};
    static library_name names[LIBRARY_MAX_KERNELS];
    static table want;

    (void)state;
    read_table(&want);
    launch_files(names, library_names(files, names), &want);
}

/* Claims that are too bold are noticed. */
static void bold(void **state)
{
    reduced_oracle oracle;
    uint64_t wrongs = 0;

    (void)state;
    reduced_oracle_init(&oracle, true);
    run_file("spmv_csr", &oracle);
    for (size_t k = 0; k < oracle.count; k++) {
        wrongs += oracle.kernels[k].wrong;
    }
    reduced_oracle_free(&oracle);
    assert_true(wrongs > 0);
}

/* The groups are those of the hardware that is to store them. */
static void groups(void **state)
{
    (void)state;
    for (uint32_t x = 1; x <= 1024; x++) {
        assert_int_equal(wr_held_group(x), 8u << wr_context_pag(x));
    }
}

/* ---- random kernels ---- */

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Widths that divide the TB, in turn; the first is the one that the program was written for. */
static uint32_t width(uint64_t seed, uint32_t threads)
{
    static const uint32_t widths[] = {0, 8, 16, 32, 0, 24, 2, 40};
    uint32_t x = widths[seed % 8];

    return x == 0 || threads % x != 0 ? threads : x;
}

static void run_program(uint64_t seed, total *t)
{
    static const uint32_t limits[] = {63, 24, 16, 12};
    static char text[TEXT];
    const wr_compile_options options = {.max_regs = limits[seed / 3 % 4], .pp_interval = 15};
    const uint32_t bytes = WR_PROGRAM_SHARED_BYTES + WR_PROGRAM_MAX_THREADS * WR_PROGRAM_BYTES;
    unsigned bits = seed / 4 % 2 == 0 ? 32 : 64;
    uint8_t params[64] = {0};
    wr_program program;
    wr_diag diag = {0};
    reduced_oracle oracle;
    wr_gpu *gpu = new_gpu(1);
    uint64_t random = seed * 7 + 1, base = wr_gpu_alloc(gpu, bytes, 256) + WR_PROGRAM_SHARED_BYTES;

    wr_program_write(seed, bits, text, sizeof text, &program);
    wr_ptx_module *tree = wr_ptx_parse("random.ptx", text, strlen(text), &diag);
    wr_module *module = tree != NULL ? wr_compile(tree, &options, &diag) : NULL;
    if (module == NULL) {
        fail_msg("program %llu: line %u: %s", (unsigned long long)seed, diag.line, diag.message);
    }
    memcpy(params, &base, bits / 8);
    for (uint32_t at = bits / 8; at < 24; at += 4) {
        uint32_t value = wr_random_next(&random);

        memcpy(params + at, &value, 4);
    }
    uint32_t x = width(seed, program.threads);
    wr_launch launch = {.kernel = wr_module_find(module, "k"),
                        .grid = {1, 1, 1},
                        .block = {x, program.threads / x, 1},
                        .params = params};

    reduced_oracle_init(&oracle, false);
    wr_gpu_attach(gpu, &oracle.hooks);
    wr_run_result result = wr_gpu_run(gpu, &launch, 20000000, NULL, NULL);

    /* In another shape threads share numbers, and lanes may name others that are not there. */
    if (result.status != WR_RUN_DONE && x == program.threads) {
        fail_msg("program %llu: %s", (unsigned long long)seed, result.message);
    }
    t->runs++;
    t->faults += result.status != WR_RUN_DONE ? 1 : 0;
    for (size_t k = 0; k < oracle.count; k++) {
        add(&oracle.kernels[k], t);
        if (oracle.kernels[k].wrong > 0) {
            print_error("program %llu: %s; WARPREF_SEED=%llu runs it alone\n",
                        (unsigned long long)seed, oracle.kernels[k].first_wrong,
                        (unsigned long long)seed);
        }
    }
    reduced_oracle_free(&oracle);
    wr_gpu_free(gpu);
    wr_module_free(module);
    wr_ptx_free(tree);
}

static void random_programs(void **state)
{
    bool one = getenv("WARPREF_SEED") != NULL;
    uint64_t first = from_environment("WARPREF_SEED", 1);
    uint64_t programs = one ? 1 : from_environment("WARPREF_PROGRAMS", 300);
    total t = {0};

    (void)state;
    for (uint64_t i = 0; i < programs; i++) {
        run_program(first + i, &t);
    }
    print_message("%llu programs, %llu of them ended with a fault in another shape\n",
                  (unsigned long long)t.runs, (unsigned long long)t.faults);
    assert_int_equal(t.wrong, 0);
    if (!one) {
        print_total(&t);
        assert_true(t.diverged > 0 && t.faults < t.runs / 2);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr,
                      "usage: %s table | random | all | KERNEL... (of kernels/KERNEL.yaml)\n",
                      argv[0]);
        return 2;
    }
    const struct CMUnitTest of_table[] = {cmocka_unit_test(groups), cmocka_unit_test(bold),
                                          cmocka_unit_test(table_kernels)};
    const struct CMUnitTest of_random[] = {cmocka_unit_test(random_programs)};
    const struct CMUnitTest given[] = {cmocka_unit_test_prestate(kernels, argv + 1)};

    if (strcmp(argv[1], "table") == 0) {
        return cmocka_run_group_tests(of_table, NULL, NULL);
    }
    return strcmp(argv[1], "random") == 0 ? cmocka_run_group_tests(of_random, NULL, NULL)
                                          : cmocka_run_group_tests(given, NULL, NULL);
}
