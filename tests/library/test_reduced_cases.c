/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels, each of one thing that the compiler has to know about the lanes of a warp: how the
 * registers at its last barrier are stored is compared with a table, and while the kernel runs with
 * what they hold (reduced_oracle.h). No clean-up of the compiler moves what is written here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/config/config.h"
#include "tests/compiler/text.h"
#include "tests/library/reduced_oracle.h"

/* Registers at the last barrier: uniform, strided, random, awaited. */
typedef struct counts {
    unsigned uniform, strided, random, awaited;
} counts;

typedef struct want {
    const char *name;
    uint32_t block[3];
    const char *body; /* %r1 is an address, %r2 tid.x, %r3 64; behind it all of %r10 to %r13 are
                         stored */
    counts all, needed;
} want;

#define ZERO    "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
#define BARRIER "bar.sync 0;\n"

static const want wants[] = {
    {"constants", {64, 1, 1}, ZERO, {4, 0, 0, 0}, {4, 0, 0, 0}},
    {"thread numbers in a row",
     {64, 1, 1},
     ZERO "mov.u32 %r10, %tid.x;\nmov.u32 %r11, %tid.y;\nmov.u32 %r12, %laneid;\n"
          "mov.u32 %r13, %lanemask_lt;\n",
     {1, 2, 1, 0},
     {1, 2, 1, 0}},
    {"thread numbers in groups of 16",
     {16, 4, 1},
     ZERO "mov.u32 %r10, %tid.x;\nmov.u32 %r11, %tid.y;\nmad.lo.u32 %r12, %r11, %r3, %r10;\n"
          "mul.lo.u32 %r13, %r11, %r10;\n",
     {1, 3, 0, 0},
     {1, 3, 0, 0}},
    {"thread numbers of a width that fits no group",
     {24, 4, 1},
     ZERO "mov.u32 %r10, %tid.x;\nmov.u32 %r11, %tid.y;\nmad.lo.u32 %r12, %r11, 24, %r10;\n",
     {1, 0, 3, 0},
     {1, 0, 3, 0}},
    {"strides through arithmetic",
     {64, 1, 1},
     ZERO "shl.b32 %r10, %r2, 2;\nsub.u32 %r11, %r3, %r10;\nmul.lo.u32 %r12, %r11, %r3;\n"
          "mul.lo.u32 %r13, %r12, %r2;\n",
     {0, 3, 1, 0},
     {0, 3, 1, 0}},
    {"strides that cancel",
     {64, 1, 1},
     ZERO "shl.b32 %r10, %r2, 2;\nmad.lo.u32 %r11, %r2, -4, %r10;\nmul.hi.u32 %r12, %r2, %r3;\n"
          "not.b32 %r13, %r2;\n",
     {1, 1, 2, 0},
     {1, 1, 2, 0}},
    {"masks and shifts of thread numbers",
     {64, 1, 1},
     ZERO "and.b32 %r10, %r2, 31;\nshr.u32 %r11, %r2, 5;\nshr.u32 %r12, %r2, 3;\n"
          "and.b32 %r13, %r2, 32;\n",
     {2, 1, 1, 0},
     {2, 1, 1, 0}},
    {"masks and shifts where a carry goes up",
     {64, 1, 1},
     ZERO "add.u32 %r14, %r2, 1;\nand.b32 %r10, %r14, 31;\nshr.u32 %r11, %r14, 5;\n"
          "or.b32 %r12, %r14, 64;\nmov.u32 %r15, 16;\nor.b32 %r13, %r2, %r15;\n",
     {0, 0, 4, 0},
     {0, 0, 4, 0}},
    {"a constant beside a thread number",
     {64, 1, 1},
     ZERO "or.b32 %r10, %r2, 64;\nxor.b32 %r11, %r2, 128;\nxor.b32 %r12, %r2, 1;\n"
          "and.b32 %r13, %r2, 15;\n",
     {0, 2, 2, 0},
     {0, 2, 2, 0}},
    {"loads of one address",
     {64, 1, 1},
     ".shared .align 4 .b8 tile[512];\n.local .align 4 .b8 mine[16];\n" ZERO
     "st.local.u32 [mine], %r2;\nld.local.u32 %r10, [mine];\nmov.u32 %r14, tile;\n"
     "ld.shared.u32 %r11, [%r14];\nshl.b32 %r15, %r2, 2;\nadd.u32 %r14, %r14, %r15;\n"
     "ld.shared.u32 %r12, [%r14];\nld.global.u32 %r13, [%r1];\nadd.u32 %r13, %r13, 1;\n",
     {2, 0, 2, 0},
     {2, 0, 2, 0}},
    {"a load on its way",
     {64, 1, 1},
     ZERO "ld.global.u32 %r10, [%r1];\n",
     {3, 0, 0, 1},
     {3, 0, 0, 1}},
    {"written under a branch",
     {64, 1, 1},
     ZERO "mov.u32 %r11, %r2;\nsetp.lt.u32 %p1, %r2, 7;\n@%p1 bra L;\nmov.u32 %r10, 3;\n"
          "add.u32 %r11, %r11, 1;\nL:\nmov.u32 %r12, %r2;\n",
     {1, 1, 2, 0},
     {1, 1, 2, 0}},
    {"written under a branch that all take alike",
     {64, 1, 1},
     ZERO "mov.u32 %r11, %r2;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra L;\nmov.u32 %r10, 3;\n"
          "add.u32 %r11, %r11, 1;\nL:\nmov.u32 %r12, %r2;\n",
     {2, 2, 0, 0},
     {2, 2, 0, 0}},
    {"written under a guard",
     {16, 4, 1},
     ZERO "setp.lt.u32 %p1, %r2, 7;\n@%p1 mov.u32 %r10, 3;\nmov.u32 %r14, %tid.y;\n"
          "setp.eq.u32 %p2, %r14, 1;\n@%p2 mov.u32 %r11, 3;\nselp.u32 %r12, 5, 6, %p2;\n"
          "selp.u32 %r13, 5, 6, %p1;\n",
     {2, 0, 2, 0},
     {2, 0, 2, 0}},
    {"a branch on what a guard of groups has written",
     {16, 4, 1},
     ZERO "mov.u32 %r14, %tid.y;\nsetp.eq.u32 %p2, %r14, 1;\n@%p2 mov.u32 %r11, 3;\n"
          "setp.eq.u32 %p3, %r11, 3;\nmov.u32 %r10, %laneid;\n@%p3 bra L;\n"
          "ld.global.u32 %r15, [%r1];\nadd.u32 %r10, %r15, 1;\nL:\n",
     {3, 0, 1, 0},
     {3, 0, 1, 0}},
    {"a branch on what groups have chosen",
     {16, 4, 1},
     ZERO "mov.u32 %r14, %tid.y;\nsetp.eq.u32 %p2, %r14, 1;\nselp.u32 %r11, 3, 4, %p2;\n"
          "setp.eq.u32 %p3, %r11, 3;\nmov.u32 %r10, %laneid;\n@%p3 bra L;\n"
          "ld.global.u32 %r15, [%r1];\nadd.u32 %r10, %r15, 1;\nL:\n",
     {3, 0, 1, 0},
     {3, 0, 1, 0}},
    {"a loop that lanes leave one by one",
     {64, 1, 1},
     ZERO "LOOP:\nadd.u32 %r10, %r10, 1;\nld.global.u32 %r11, [%r1];\nadd.u32 %r12, %r11, %r10;\n"
          "setp.lt.u32 %p1, %r10, %r2;\n@%p1 bra LOOP;\n",
     {1, 0, 3, 0},
     {1, 0, 3, 0}},
    {"behind lanes that left by a guard",
     {64, 1, 1},
     "setp.eq.u32 %p1, %r2, 3;\n@%p1 exit;\n" ZERO "mov.u32 %r10, %r2;\n",
     {0, 0, 4, 0},
     {3, 1, 0, 0}},
    {"behind lanes that left in a branch",
     {64, 1, 1},
     "setp.ne.u32 %p1, %r2, 3;\n@%p1 bra GO;\nst.global.u32 [%r1], %r2;\nexit;\n"
     "GO:\n" ZERO "mov.u32 %r10, %r2;\n",
     {0, 0, 4, 0},
     {3, 1, 0, 0}},
    {"a load of lanes that left",
     {64, 1, 1},
     ZERO "mov.u32 %r10, %r2;\nsetp.ne.u32 %p1, %r2, 3;\n@%p1 bra GO;\n"
          "ld.volatile.global.u32 %r15, [%r1+2048];\nexit;\nGO:\n",
     {3, 1, 0, 1},
     {3, 1, 0, 1}},
    {"a warp that lacks lanes",
     {40, 1, 1},
     ZERO "mov.u32 %r10, %r2;\n",
     {0, 0, 4, 0},
     {3, 1, 0, 0}},
};

static counts count(const wr_switch_point *p, wr_held_view view)
{
    counts c = {0};

    for (unsigned reg = 0; reg < WR_ISA_MAX_REGS; reg++) {
        wr_held_kind kind = (wr_held_kind)p->kind[view][reg];

        if ((p->awaited >> reg & 1) != 0) {
            c.awaited++;
        } else if (kind != WR_HELD_UNSEEN) {
            c.uniform += kind <= WR_HELD_GROUP ? 1 : 0;
            c.strided += kind == WR_HELD_STRIDED ? 1 : 0;
            c.random += kind == WR_HELD_RANDOM ? 1 : 0;
        }
    }
    return c;
}

/* The last barrier; what is stored behind it may be waited for there. */
static const wr_switch_point *last_barrier(const wr_reduced *r)
{
    for (size_t i = r->count; i-- > 0;) {
        if (r->points[i].is_bar) {
            return &r->points[i];
        }
    }
    fail_msg("no barrier is a switch point");
    return NULL;
}

static unsigned compare(const want *w, const wr_reduced *r, wr_held_view view, counts expected)
{
    counts got = count(last_barrier(r), view);

    if (memcmp(&got, &expected, sizeof got) == 0) {
        return 0;
    }
    print_error("%s, %s: %u uniform, %u strided, %u random, %u awaited, expected %u, %u, %u, %u\n",
                w->name, view == WR_HELD_ALL ? "all lanes" : "needed lanes", got.uniform,
                got.strided, got.random, got.awaited, expected.uniform, expected.strided,
                expected.random, expected.awaited);
    return 1;
}

static void run(const want *w, const wr_kernel *kernel)
{
    uint32_t params[2] = {0, 64};
    reduced_oracle oracle;
    wr_gpu_config config;
    wr_diag diag = {0};

    assert_true(wr_config_load("gtx480", &config, &diag));
    config.sms = 1;
    wr_gpu *gpu = wr_gpu_create(&config);
    assert_non_null(gpu);
    params[0] = (uint32_t)wr_gpu_alloc(gpu, 1 << 16, 256);
    wr_launch launch = {.kernel = kernel, .grid = {1, 1, 1}, .params = (const uint8_t *)params};

    memcpy(launch.block, w->block, sizeof launch.block);
    reduced_oracle_init(&oracle, false);
    wr_gpu_attach(gpu, &oracle.hooks);
    wr_run_result result = wr_gpu_run(gpu, &launch, 100000, NULL, NULL);

    if (result.status != WR_RUN_DONE) {
        fail_msg("%s: %s", w->name, result.message);
    }
    assert_true(oracle.count == 1 && oracle.kernels[0].visits > 0);
    if (oracle.kernels[0].wrong > 0) {
        fail_msg("%s: %s", w->name, oracle.kernels[0].first_wrong);
    }
    reduced_oracle_free(&oracle);
    wr_gpu_free(gpu);
}

static void cases(void **state)
{
    static const char stores[] =
        BARRIER "mov.u32 %r20, %tid.x;\nld.param.u32 %r21, [out];\nshl.b32 %r20, %r20, 4;\n"
                "add.u32 %r20, %r20, %r21;\nst.global.u32 [%r20], %r10;\n"
                "st.global.u32 [%r20+4], %r11;\nst.global.u32 [%r20+8], %r12;\n"
                "st.global.u32 [%r20+12], %r13;\n";
    const wr_compile_options options = {.no_cleanup = true};
    char body[4096];
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        const want *w = &wants[i];

        (void)snprintf(body, sizeof body, "%s%s", w->body, stores);
        wr_module *module = wr_test_compile(body, 32, &options);
        wr_reduced *r = wr_reduce(&module->kernels[0], w->block);

        wrong += compare(w, r, WR_HELD_ALL, w->all);
        wrong += compare(w, r, WR_HELD_NEEDED, w->needed);
        run(w, &module->kernels[0]);
        wr_reduced_free(r);
        wr_module_free(module);
    }
    assert_int_equal(wrong, 0);
}

/* A kernel that is too long is not analysed, and nothing is claimed of it. */
static void too_long(void **state)
{
    static const char line[] = "add.u32 %r10, %r10, %r3;\nxor.b32 %r10, %r10, %r2;\n";
    const wr_compile_options options = {.no_cleanup = true};
    const uint32_t block[3] = {32, 1, 1};
    const size_t lines = WR_REDUCED_MOST_INSNS / 2;
    char *body = malloc(lines * (sizeof line - 1) + 64);

    (void)state;
    assert_non_null(body);
    (void)snprintf(body, 64, "mov.u32 %%r10, 0;\n");
    size_t at = strlen(body);
    for (size_t i = 0; i < lines; i++, at += sizeof line - 1) {
        memcpy(body + at, line, sizeof line);
    }
    (void)snprintf(body + at, 32, "st.global.u32 [%%r1], %%r10;\n");
    wr_module *module = wr_test_compile(body, 32, &options);
    wr_reduced *r = wr_reduce(&module->kernels[0], block);

    assert_true(module->kernels[0].insn_count > WR_REDUCED_MOST_INSNS);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->full_bytes, module->kernels[0].regs * WR_REDUCED_LINE);
    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        assert_int_equal(r->bytes[view], r->full_bytes);
        assert_int_equal(r->lines[view], module->kernels[0].regs);
    }
    wr_reduced_free(r);
    wr_module_free(module);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases), cmocka_unit_test(too_long)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
