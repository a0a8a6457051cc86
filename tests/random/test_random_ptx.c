/* SPDX-License-Identifier: Apache-2.0 */
/* Random PTX kernels on the shell: what the warps of a TB write must be what an interpreter of the
 * PTX says, thread by thread, alone and preempted at random cycles, and with a clean-up of the
 * compiler left out.
 *
 * The generator (every kind of control flow, barriers, instructions across lanes) and the
 * interpreter are those of tests/compiler; neither knows of warps' paths. The register limit goes
 * round by the seed, so that some programs spill, and so does the warp scheduler; dead registers
 * are poisoned by every preemption. WARPREF_SEED=n runs the one program n, WARPREF_PROGRAMS sets
 * how many there are, WARPREF_FIRST the first seed, WARPREF_REGISTERS one limit for all; every
 * 16th runs its blocks in lockstep. Every kind of statement must be in enough of the programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/core/counters.h"
#include "shell/core/gpu.h"
#include "tests/compiler/program.h"
#include "tests/compiler/random.h"
#include "tests/compiler/reference.h"
#include "tests/systems/rows.h"

enum {
    TEXT = 1 << 18,
    OUT_AT = WR_PROGRAM_SHARED_BYTES,
    MEMORY = OUT_AT + WR_PROGRAM_MAX_THREADS * WR_PROGRAM_BYTES
};

typedef struct totals {
    uint64_t programs, saved, divergent, divergent_uniform, spilled;
    uint64_t kinds[WR_KIND_COUNT]; /* programs that hold the kind */
} totals;

/* A program, and what it is run with. */
typedef struct subject {
    uint64_t seed;
    unsigned bits;
    wr_program program;
    const wr_kernel *kernel;
    const uint8_t *expected;
} subject;

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

static void add_row(void *arg, const wr_row *row)
{
    if (strcmp(row->name, "signals.done") == 0) {
        ((totals *)arg)->saved += row->count;
    }
}

static void add_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    if (strcmp(name, "sm.divergent") == 0) {
        ((totals *)arg)->divergent += value;
    }
    if (strcmp(name, "sm.divergent_uniform") == 0) {
        ((totals *)arg)->divergent_uniform += value;
    }
}

/* Runs the program on a new GPU and compares its memory; spec NULL: without the system. */
static bool run(const subject *s, const char *spec, totals *sum)
{
    static const wr_sched_policy policies[] = {WR_SCHED_GTO, WR_SCHED_LRR, WR_SCHED_TWO_LEVEL};
    uint8_t *memory = test_malloc(MEMORY);
    uint8_t params[64];
    char err[512];
    wr_gpu_config config;
    wr_diag diag = {0};
    wr_system_group *systems = NULL;
    wr_launch launch = {.kernel = s->kernel,
                        .grid = {1, 1, 1},
                        .block = {s->program.threads, 1, 1},
                        .params = params};

    assert_true(wr_config_load("gtx480", &config, &diag));
    config.sms = 1;
    config.sm.policy = policies[s->seed / 8 % 3];
    config.sm.fetch_group = 2;
    config.sm.issue_width = 1 + (uint32_t)(s->seed / 24 % 2);
    config.sm.warp_limit = s->seed / 48 % 4 == 0 ? 1 : 0;
    config.l1.write = s->seed / 3 % 3 == 0 ? WR_L1_BACK : WR_L1_THROUGH;
    config.l1.sectored = (uint32_t)(s->seed / 5 % 2);
    wr_gpu *gpu = wr_gpu_create(&config);

    assert_non_null(gpu);
    assert_true(s->kernel->param_bytes <= sizeof params);
    if (spec != NULL) {
        systems = wr_system_group_open(&spec, 1, NULL, &config, err, sizeof err);
        if (systems == NULL) {
            fail_msg("%s", err);
        }
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    }
    uint64_t base = wr_gpu_alloc(gpu, MEMORY, 256);

    fill(memory, s->seed);
    assert_true(wr_gpu_write(gpu, base, memory, MEMORY));
    fill_params(params, s->bits, base + OUT_AT, s->seed);
    wr_run_result result = wr_gpu_run(gpu, &launch, 20000000, NULL, NULL);
    bool same = result.status == WR_RUN_DONE;

    if (same && !wr_gpu_conserved(gpu, result.message, sizeof result.message)) {
        same = false;
    }

    if (!same) {
        print_error("%s\n", result.message);
    }
    assert_true(wr_gpu_read(gpu, base, memory, MEMORY));
    for (uint32_t i = 0; same && i < MEMORY; i++) {
        same = memory[i] == s->expected[i];
        if (!same && i < OUT_AT) {
            print_error("byte %u of all is 0x%02x, expected 0x%02x\n", i, memory[i],
                        s->expected[i]);
        } else if (!same) {
            print_error("byte %u of thread %u is 0x%02x, expected 0x%02x\n",
                        (i - OUT_AT) % WR_PROGRAM_BYTES, (i - OUT_AT) / WR_PROGRAM_BYTES, memory[i],
                        s->expected[i]);
        }
    }
    wr_gpu_stats(gpu, add_counter, sum);
    if (systems != NULL) {
        each_row(systems, add_row, sum);
    }
    wr_system_group_close(systems);
    wr_gpu_free(gpu);
    test_free(memory);
    return same;
}

static wr_module *compile(const wr_ptx_module *tree, const wr_compile_options *options)
{
    wr_diag diag = {0};
    wr_module *module = wr_compile(tree, options, &diag);

    if (module == NULL) {
        print_error("line %u: %s\n", diag.line, diag.message);
    }
    return module;
}

/* The tree, and what the program must leave behind. */
static wr_ptx_module *prepare(subject *s, char *text, uint8_t *expected)
{
    uint8_t params[64];
    wr_diag diag = {0};
    const char *error;

    wr_program_write(s->seed, s->bits, text, TEXT, &s->program);
    fill(expected, s->seed);
    fill_params(params, s->bits, OUT_AT, s->seed);
    wr_ptx_module *tree = wr_ptx_parse("random.ptx", text, strlen(text), &diag);

    if (tree == NULL) {
        fail_msg("program %llu: line %u: %s", (unsigned long long)s->seed, diag.line, diag.message);
    }
    error = wr_test_reference_tb(tree, params, expected, MEMORY, s->program.threads);
    if (error != NULL) {
        fail_msg("program %llu: reference: %s", (unsigned long long)s->seed, error);
    }
    return tree;
}

/* Alone and preempted. */
static bool run_both(subject *s, const wr_ptx_module *tree, const wr_compile_options *options,
                     totals *sum)
{
    char spec[128];
    wr_module *module = compile(tree, options);

    if (module == NULL) {
        return false;
    }
    (void)snprintf(spec, sizeof spec,
                   "preemption:period=400,random_cycles=1,first=%llu,seed=%llu,blocks=%s",
                   (unsigned long long)(50 + s->seed * 37 % 300), (unsigned long long)s->seed,
                   s->seed % 16 == 0 ? "lockstep" : "model");
    s->kernel = wr_module_find(module, "k");
    assert_non_null(s->kernel);
    bool same = run(s, NULL, sum) && run(s, spec, sum);

    sum->spilled += s->kernel->spill_bytes > 0 ? 1 : 0;
    wr_module_free(module);
    return same;
}

/* With one clean-up of the compiler left out, or all, in turn by the seed. */
static bool run_without(subject *s, const wr_ptx_module *tree, wr_compile_options options,
                        totals *sum)
{
    size_t passes = 0;

    while (wr_pass_row(passes) != NULL) {
        passes++;
    }
    size_t left_out = s->seed % (passes + 1);

    options.without = left_out == passes ? UINT32_MAX : wr_pass_bit(wr_pass_row(left_out)->name);
    assert_true(options.without != 0);
    wr_module *module = compile(tree, &options);
    bool same = false;

    if (module != NULL) {
        s->kernel = wr_module_find(module, "k");
        same = run(s, NULL, sum);
    }
    if (!same) {
        print_error("without pass '%s'\n",
                    left_out == passes ? "all" : wr_pass_row(left_out)->name);
    }
    wr_module_free(module);
    return same;
}

static bool run_program(uint64_t seed, uint32_t limit, totals *sum)
{
    static const uint32_t limits[] = {63, 24, 16, 12};
    const wr_compile_options options = {.max_regs = limit != 0 ? limit : limits[seed % 4],
                                        .pp_interval = 15};
    char *text = test_malloc(TEXT);
    uint8_t *expected = test_malloc(MEMORY);
    subject s = {.seed = seed, .bits = seed / 4 % 2 == 0 ? 32 : 64, .expected = expected};
    wr_ptx_module *tree = prepare(&s, text, expected);
    bool same = run_both(&s, tree, &options, sum) && run_without(&s, tree, options, sum);

    if (!same) {
        print_error("program %llu is wrong; run it alone with WARPREF_SEED=%llu\n",
                    (unsigned long long)seed, (unsigned long long)seed);
    }
    sum->programs++;
    for (unsigned k = 0; k < WR_KIND_COUNT; k++) {
        sum->kinds[k] += s.program.kinds[k] > 0 ? 1 : 0;
    }
    wr_ptx_free(tree);
    test_free(expected);
    test_free(text);
    return same;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Each kind is in one program of 100 at least. */
static void check_kinds(const totals *sum)
{
    for (unsigned k = 0; k < WR_KIND_COUNT; k++) {
        print_message("  %6llu  %s\n", (unsigned long long)sum->kinds[k], wr_program_kind_names[k]);
        if (sum->kinds[k] * 100 < sum->programs) {
            fail_msg("too few programs hold '%s'", wr_program_kind_names[k]);
        }
    }
}

static void random_programs(void **context)
{
    bool one = getenv("WARPREF_SEED") != NULL;
    uint64_t first = from_environment(one ? "WARPREF_SEED" : "WARPREF_FIRST", 1);
    uint64_t programs = one ? 1 : from_environment("WARPREF_PROGRAMS", 200), wrong = 0;
    uint32_t limit = (uint32_t)from_environment("WARPREF_REGISTERS", 0);
    totals sum = {0};

    (void)context;
    for (uint64_t i = 0; i < programs && wrong < 10; i++) {
        wrong += run_program(first + i, limit, &sum) ? 0 : 1;
    }
    print_message("%llu programs, seeds from %llu: %llu preemptions, %llu divergent branches, %llu "
                  "programs spilled; programs that hold\n",
                  (unsigned long long)sum.programs, (unsigned long long)first,
                  (unsigned long long)sum.saved, (unsigned long long)sum.divergent,
                  (unsigned long long)sum.spilled);
    assert_int_equal(wrong, 0);
    assert_int_equal(sum.divergent_uniform, 0); /* what uniform.c has proved */
    if (one) {
        return;
    }
    check_kinds(&sum);
    assert_true(sum.saved >= programs);
    assert_true(sum.divergent >= programs);
    assert_true(sum.spilled > 0 || limit > 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};

    return cmocka_run_group_tests_name("random PTX on the shell", tests, NULL, NULL);
}
