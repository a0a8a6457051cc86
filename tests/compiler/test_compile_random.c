/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: what the compiled code does must be what the PTX says, for every thread, at
 * every register limit, with all dead registers overwritten at every preemption point.
 *
 * WARPREF_SEED=n runs the one program n; WARPREF_PROGRAMS sets how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "random.h"
#include "reference.h"
#include "shell/compiler/compiler.h"

#define TEXT_BYTES 65536
#define OUT_AT     1024

typedef struct totals {
    uint64_t programs, points, diverged, spilled;
} totals;

static void fill_params(uint8_t *params, unsigned address_size, uint64_t seed)
{
    uint64_t state = seed * 7 + 1, out = OUT_AT;
    uint32_t at = address_size / 8;

    memset(params, 0, 64);
    memcpy(params, &out, at);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t value = wr_random_next(&state);

        memcpy(params + at + 4 * i, &value, 4);
    }
    out = (uint64_t)wr_random_next(&state) << 32 | wr_random_next(&state);
    memcpy(params + 16, &out, 8);
}

static void fill_memory(uint8_t *memory, uint64_t seed)
{
    uint64_t state = seed * 3 + 1;

    for (uint32_t i = 0; i < WR_TEST_MEM; i += 4) {
        uint32_t value = wr_random_next(&state);

        memcpy(memory + i, &value, 4);
    }
}

static bool run_limit(const wr_ptx_module *ptx, const wr_compile_options *options,
                      const uint8_t *params, const uint8_t *expected, uint64_t seed, totals *sum)
{
    wr_diag diag = {0};
    wr_module *module = wr_compile(ptx, options, &diag);
    uint8_t *memory = malloc(WR_TEST_MEM);
    wr_test_machine m = {.params = params, .memory = memory, .poison = true};
    bool same;

    if (module == NULL) {
        wr_diag_print(&diag, stderr);
        free(memory);
        return false;
    }
    assert_non_null(memory);
    fill_memory(memory, seed);
    m.kernel = &module->kernels[0];
    same = wr_test_machine_run(&m);
    if (!same) {
        print_error("machine: %s\n", m.error);
    }
    same = same && m.kernel->regs <= options->max_regs;
    for (uint32_t i = 0; same && i < WR_TEST_MEM; i++) {
        if (memory[i] != expected[i]) {
            print_error("byte %u of thread %u is 0x%02x, expected 0x%02x\n",
                        (i - OUT_AT) % WR_RANDOM_BYTES, (i - OUT_AT) / WR_RANDOM_BYTES, memory[i],
                        expected[i]);
            same = false;
        }
    }
    sum->points += m.points;
    sum->diverged += m.diverged_points;
    sum->spilled += m.kernel->spill_bytes > 0 ? 1 : 0;
    free(memory);
    wr_module_free(module);
    return same;
}

static bool run_program(uint64_t seed, totals *sum)
{
    static const uint32_t limits[] = {63, 16, 8};
    unsigned address_size = seed % 2 == 0 ? 32 : 64;
    char *text = malloc(TEXT_BYTES);
    uint8_t *expected = malloc(WR_TEST_MEM);
    uint8_t params[64];
    wr_ptx_module *ptx;
    wr_diag diag = {0};
    bool same = true;

    assert_non_null(text);
    assert_non_null(expected);
    wr_random_ptx(seed, address_size, text, TEXT_BYTES);
    ptx = wr_ptx_parse("random.ptx", text, strlen(text), &diag);
    if (ptx == NULL) {
        wr_diag_print(&diag, stderr);
    }
    if (ptx == NULL) {
        free(expected);
        free(text);
        return false;
    }
    fill_params(params, address_size, seed);
    fill_memory(expected, seed);
    for (uint32_t tid = 0; tid < WR_TEST_LANES; tid++) {
        const char *error = wr_test_reference(ptx->funcs, params, expected, WR_TEST_MEM, tid);

        if (error != NULL) {
            print_error("reference: %s\n", error);
        }
        assert_null(error);
    }
    for (unsigned l = 0; l < 3 && same; l++) {
        wr_compile_options options = {.max_regs = limits[l], .pp_interval = 15};

        same = run_limit(ptx, &options, params, expected, seed, sum);
        options.no_cleanup = true;
        same = same && run_limit(ptx, &options, params, expected, seed, sum);
        if (!same) {
            print_error("program %llu at %u registers is wrong; run it alone with "
                        "WARPREF_SEED=%llu\n",
                        (unsigned long long)seed, limits[l], (unsigned long long)seed);
        }
    }
    sum->programs++;
    wr_ptx_free(ptx);
    free(expected);
    free(text);
    return same;
}

static void random_programs(void **context)
{
    const char *seed = getenv("WARPREF_SEED"), *count = getenv("WARPREF_PROGRAMS");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    uint64_t programs = seed != NULL ? 1 : count != NULL ? strtoull(count, NULL, 10) : 150;
    totals sum = {0};

    (void)context;
    for (uint64_t i = 0; i < programs; i++) {
        assert_true(run_program(first + i, &sum));
    }
    print_message("%llu programs, seeds from %llu: %llu preemption points passed, %llu of them "
                  "diverged; %llu compilations spilled\n",
                  (unsigned long long)sum.programs, (unsigned long long)first,
                  (unsigned long long)sum.points, (unsigned long long)sum.diverged,
                  (unsigned long long)sum.spilled);
    if (seed == NULL) {
        assert_true(sum.points > 0);
        assert_true(sum.diverged > 0);
        assert_true(sum.spilled > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};

    return cmocka_run_group_tests_name("random programs", tests, NULL, NULL);
}
