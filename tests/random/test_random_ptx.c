/* Random structured PTX kernels on the shell: what three warps of a TB write must be what an
 * interpreter of the PTX says, thread by thread, alone and preempted at random cycles.
 *
 * The generator and the interpreter are those of tests/compiler; neither knows of warps. The
 * register limit goes round by the seed, so that some programs spill; dead registers are
 * poisoned by every preemption. WARPREF_SEED=n runs the one program n, WARPREF_PROGRAMS sets how
 * many there are; every 16th runs its blocks in lockstep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"
#include "systems/system.h"
#include "tests/compiler/random.h"
#include "tests/compiler/reference.h"

enum { TEXT = 65536, THREADS = 96, OUT_AT = 1024, MEMORY = OUT_AT + THREADS * WR_RANDOM_BYTES };

typedef struct totals {
    uint64_t programs, saved, divergent, spilled;
} totals;

static void fill(uint8_t *memory, uint64_t seed)
{
    uint64_t state = seed * 3 + 1;

    for (uint32_t i = 0; i < MEMORY; i += 4) {
        uint32_t value = wr_random_next(&state);

        memcpy(memory + i, &value, 4);
    }
}

static void fill_params(uint8_t params[64], unsigned bits, uint64_t out, uint64_t seed)
{
    uint64_t state = seed * 7 + 1;

    memset(params, 0, 64);
    memcpy(params, &out, bits / 8);
    for (uint32_t at = bits / 8; at < 24; at += 4) {
        uint32_t value = wr_random_next(&state);

        memcpy(params + at, &value, 4);
    }
}

static void add_row(void *arg, const wr_system_row *row)
{
    if (strcmp(row->name, "signals.done") == 0)
        ((totals *)arg)->saved += row->count;
}

static void add_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    if (strcmp(name, "sm.divergent") == 0)
        ((totals *)arg)->divergent += value;
}

/* Runs the kernel on a new GPU and compares its memory; spec NULL: without the system. */
static bool run(const wr_kernel *kernel, unsigned bits, uint64_t seed, const char *spec,
                const uint8_t *expected, totals *sum)
{
    uint8_t *memory = test_malloc(MEMORY);
    uint8_t params[64];
    char err[512];
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_system *system = NULL;
    wr_launch launch = {
        .kernel = kernel, .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .params = params};

    assert_true(wr_config_load("gtx480", &config, &diag));
    config.sms = 1;
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    assert_true(kernel->param_bytes <= sizeof params);
    if (spec != NULL) {
        system = wr_system_create(spec, NULL, 0, &config, err, sizeof err);
        if (system == NULL)
            fail_msg("%s", err);
        wr_gpu_attach(gpu, wr_system_get_hooks(system));
    }
    uint64_t base = wr_gpu_alloc(gpu, MEMORY, 256);

    fill(memory, seed);
    assert_true(wr_gpu_write(gpu, base, memory, MEMORY));
    fill_params(params, bits, base + OUT_AT, seed);
    wr_run_result result = wr_gpu_run(gpu, &launch, 20000000, NULL, NULL);
    bool same = result.status == WR_RUN_DONE;

    if (!same)
        print_error("%s\n", result.message);
    assert_true(wr_gpu_read(gpu, base, memory, MEMORY));
    for (uint32_t i = 0; same && i < MEMORY; i++) {
        same = memory[i] == expected[i];
        if (!same)
            print_error("byte %u of thread %u is 0x%02x, expected 0x%02x\n",
                        (i - OUT_AT) % WR_RANDOM_BYTES, (i - OUT_AT) / WR_RANDOM_BYTES, memory[i],
                        expected[i]);
    }
    wr_gpu_stats(gpu, add_counter, sum);
    if (system != NULL)
        wr_system_rows(system, add_row, sum);
    wr_system_destroy(system);
    wr_gpu_free(gpu);
    test_free(memory);
    return same;
}

static bool run_program(uint64_t seed, totals *sum)
{
    static const uint32_t limits[] = {63, 24, 12};
    const wr_compile_options options = {.max_regs = limits[seed % 3], .pp_interval = 15};
    unsigned bits = seed % 2 == 0 ? 32 : 64;
    char *text = test_malloc(TEXT);
    uint8_t *expected = test_malloc(MEMORY);
    uint8_t params[64];
    char spec[128];
    wr_diag diag = {0};

    wr_random_ptx(seed, bits, text, TEXT);
    wr_ptx_module *tree = wr_ptx_parse("random.ptx", text, strlen(text), &diag);
    wr_module *module = tree != NULL ? wr_compile(tree, &options, &diag) : NULL;

    if (tree == NULL || module == NULL) {
        print_error("program %llu: line %u: %s\n", (unsigned long long)seed, diag.line,
                    diag.message);
        wr_ptx_free(tree);
        test_free(expected);
        test_free(text);
        return false;
    }
    fill(expected, seed);
    fill_params(params, bits, OUT_AT, seed);
    for (uint32_t tid = 0; tid < THREADS; tid++) {
        const char *error = wr_test_reference(tree->funcs, params, expected, MEMORY, tid);

        if (error != NULL)
            fail_msg("program %llu: reference: %s", (unsigned long long)seed, error);
    }
    (void)snprintf(spec, sizeof spec,
                   "preemption:period=400,random_cycles=1,first=%llu,seed=%llu,blocks=%s",
                   (unsigned long long)(50 + seed * 37 % 300), (unsigned long long)seed,
                   seed % 16 == 0 ? "lockstep" : "model");
    bool same = run(module->kernels, bits, seed, NULL, expected, sum) &&
                run(module->kernels, bits, seed, spec, expected, sum);

    if (!same)
        print_error("program %llu is wrong; run it alone with WARPREF_SEED=%llu\n",
                    (unsigned long long)seed, (unsigned long long)seed);
    sum->programs++;
    sum->spilled += module->kernels[0].spill_bytes > 0 ? 1 : 0;
    wr_module_free(module);
    wr_ptx_free(tree);
    test_free(expected);
    test_free(text);
    return same;
}

static void random_programs(void **context)
{
    const char *seed = getenv("WARPREF_SEED"), *count = getenv("WARPREF_PROGRAMS");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    uint64_t programs = seed != NULL ? 1 : count != NULL ? strtoull(count, NULL, 10) : 200;
    totals sum = {0};

    (void)context;
    for (uint64_t i = 0; i < programs; i++)
        assert_true(run_program(first + i, &sum));
    print_message("%llu programs, seeds from %llu: %llu preemptions, %llu divergent branches, %llu "
                  "programs spilled\n",
                  (unsigned long long)sum.programs, (unsigned long long)first,
                  (unsigned long long)sum.saved, (unsigned long long)sum.divergent,
                  (unsigned long long)sum.spilled);
    if (seed == NULL) {
        assert_true(sum.saved >= programs);
        assert_true(sum.divergent >= programs);
        assert_true(sum.spilled > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};

    return cmocka_run_group_tests_name("random PTX on the shell", tests, NULL, NULL);
}
