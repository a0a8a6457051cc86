/* SPDX-License-Identifier: Apache-2.0 */
/* What the system preemption refuses: options, machines and launches, each with a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/systems/bench.h"

/* A launch whose contexts have no room in simulated memory is refused, and one with TBs that no
 * context can hold. */
static void test_no_room(void **state)
{
    bench *b = malloc(sizeof *b);

    (void)state;
    assert_non_null(b);
    for (uint32_t shared = 40000; shared <= 49153; shared += 9153) {
        assert_true(bench_open(b, bench_seed(1), "period=500"));
        wr_launch large = b->launch;

        large.shared_dynamic = shared - large.kernel->shared_bytes;
        b->gpu->alloc_at = WR_MEM_BASE + FAKE_MEMORY;
        b->gpu->hooks->launch_begin(b->gpu->hooks->self, b->gpu, 0, &large);
        assert_non_null(
            strstr(b->gpu->aborted, shared == 40000
                                        ? "for which the buffers leave no room in simulated memory"
                                        : "have 49153 bytes of shared memory, and at most 49152"));
        bench_close(b);
    }
    free(b);
}

static void test_options(void **state)
{
    static const struct {
        const char *spec, *message;
    } bad[] = {
        {"preempt", "unknown system \"preempt\"; systems are preemption"},
        {"preemption:perid=5", "unknown option \"perid\"; options are period, sm, first, count"},
        {"preemption:period", "\"period\" is not option=value"},
        {"preemption:first=-1", "first=-1 is not a whole number from 0"},
        {"preemption:scheme=run", "scheme=run is not switch, drain, flush or chimera"},
        {"preemption:period=10x", "period=10x is not a whole number"},
        {"preemption:period=-1", "period=-1 is not a whole number"},
        {"preemption:sm=2", "sm=2 is not rotate, random or a whole number from 0 to 1"},
        {"preemption:sm=all", "sm=all is not rotate, random or a whole number from 0 to 1"},
        {"preemption:blocks=verilog", "blocks=verilog is not model, rtl or lockstep"},
        {"preemption:pag=16", "pag=16 is not block or warp"},
        {"preemption:pipelines=5", "pipelines=5 is not a whole number from 1 to 4"},
        {"preemption:pipelines=2,context=tb", "pipelines above 1 go with context=warp alone"},
        {"preemption:random_cycles=2", "random_cycles=2 is not"},
        {"preemption:wave=/nowhere/w.fst", "/nowhere/w.fst: cannot be written"},
        {"preemption:record=/nowhere/r/s", "/nowhere/r/s: cannot be made"},
    };
    wr_gpu *gpu = fake_create(1, 2);
    char err[512];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err[0] = '\0';
        assert_null(wr_system_group_open(&bad[i].spec, 1, NULL, &gpu->cfg, err, sizeof err));
        if (!strstr(err, bad[i].message)) {
            fail_msg("%s: got \"%s\", expected \"...%s...\"", bad[i].spec, err, bad[i].message);
        }
    }
    const char *const plain = "preemption";

    gpu->cfg.context.pad_bytes = 64;
    assert_null(wr_system_group_open(&plain, 1, NULL, &gpu->cfg, err, sizeof err));
    assert_non_null(strstr(err, "context.pad_bytes 32"));
    wr_system_group_close(NULL);
    fake_destroy(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
