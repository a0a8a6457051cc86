/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler on kernels written for one purpose each: what it lays out, folds, refuses; and
 * that a liveness bit which is missing is seen in the results. */
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
#include "shell/compiler/compiler.h"

#define MODULE ".version 4.0\n.target sm_50\n.address_size 32\n"
#define ENTRY                                                                                      \
    ".visible .entry k(.param .u32 out, .param .u32 n, .param .u16 h)\n{\n"                        \
    ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<9>;\n.reg .f64 %f<9>;\n" \
    "ld.param.u32 %r1, [out];\n"
#define END "ret;\n}\n"

static wr_module *try_compile(const char *text, const wr_compile_options *options, wr_diag *diag)
{
    wr_ptx_module *ptx = wr_ptx_parse("test.ptx", text, strlen(text), diag);
    wr_module *module;

    if (ptx == NULL) {
        wr_diag_print(diag, stderr);
    }
    assert_non_null(ptx);
    module = wr_compile(ptx, options, diag);
    wr_ptx_free(ptx);
    return module;
}

static wr_module *compile(const char *text)
{
    wr_diag diag = {0};
    wr_module *module = try_compile(text, NULL, &diag);

    if (module == NULL) {
        wr_diag_print(&diag, stderr);
    }
    assert_non_null(module);
    return module;
}

static unsigned count(const wr_kernel *k, wr_op op)
{
    unsigned n = 0;

    for (size_t i = 0; i < k->insn_count; i++) {
        n += k->insns[i].op == op ? 1 : 0;
    }
    return n;
}

static const wr_insn *find(const wr_kernel *k, wr_op op)
{
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == op) {
            return &k->insns[i];
        }
    }
    fail_msg("no such instruction");
    return NULL;
}

/* Runs for all lanes with out = 0; returns the memory, to be freed. */
static uint32_t *run(const wr_kernel *k, uint32_t n, uint16_t h)
{
    uint8_t params[64] = {0};
    uint32_t *memory = calloc(1, WR_TEST_MEM);
    wr_test_machine m = {
        .kernel = k, .params = params, .memory = (uint8_t *)memory, .poison = true};

    assert_non_null(memory);
    memcpy(params + 4, &n, 4);
    memcpy(params + 8, &h, 2);
    if (!wr_test_machine_run(&m)) {
        fail_msg("%s", m.error);
    }
    return memory;
}

static void parameters_are_read_in_place(void **context)
{
    wr_module *m = compile(MODULE ENTRY "ld.param.u32 %r2, [n];\nmov.u32 %r3, %tid.x;\n"
                                        "mad.lo.s32 %r4, %r3, 4, %r1;\n"
                                        "add.s32 %r5, %r3, %r2;\nst.global.u32 [%r4], %r5;\n" END);
    const wr_kernel *k = &m->kernels[0];
    uint32_t *memory = run(k, 100, 0);

    (void)context;
    assert_int_equal(find(k, WR_OP_ADD)->ext, WR_EXT_PARAM);
    assert_int_equal(find(k, WR_OP_ADD)->imm, 4);
    assert_in_range(k->regs, 1, 3);
    for (uint32_t i = 0; i < WR_TEST_LANES; i++) {
        assert_int_equal(memory[i], 100 + i);
    }
    assert_int_equal(k->param_count, 3);
    assert_string_equal(k->params[1].name, "n");
    assert_int_equal(k->params[1].offset, 4);
    assert_int_equal(k->params[2].type, WR_U16);
    assert_int_equal(k->params[2].size, 2);
    free(memory);
    wr_module_free(m);
}

static void narrow_parameters_are_extended(void **context)
{
    wr_module *m = compile(MODULE ENTRY "ld.param.u16 %h1, [h];\ncvt.u32.u16 %r2, %h1;\n"
                                        "ld.param.s16 %h2, [h];\ncvt.s32.s16 %r3, %h2;\n"
                                        "ld.param.u8 %h3, [h+1];\ncvt.u32.u8 %r4, %h3;\n"
                                        "st.global.u32 [%r1], %r2;\nst.global.u32 [%r1+4], %r3;\n"
                                        "st.global.u32 [%r1+8], %r4;\n" END);
    uint32_t *memory = run(&m->kernels[0], 0, 0xfe12);

    (void)context;
    assert_int_equal(memory[0], 0xfe12);
    assert_int_equal(memory[1], 0xfffffe12);
    assert_int_equal(memory[2], 0xfe);
    free(memory);
    wr_module_free(m);
}

static void wide_constants_and_halves(void **context)
{
    wr_module *m =
        compile(MODULE ENTRY "mov.u64 %d1, 0x123456789abcdef0;\n"
                             "mov.b64 {%r2, %r3}, %d1;\nmov.b64 %d2, {%r3, %r2};\n"
                             "add.s64 %d3, %d2, -1;\nadd.s64 %d3, %d3, 0x100000000;\n"
                             "st.global.u64 [%r1], %d1;\nst.global.u64 [%r1+8], %d3;\n" END);
    uint32_t *memory = run(&m->kernels[0], 0, 0);

    (void)context;
    assert_int_equal(memory[0], 0x9abcdef0);
    assert_int_equal(memory[1], 0x12345678);
    assert_int_equal(memory[2], 0x12345677);
    assert_int_equal(memory[3], 0x9abcdef1);
    free(memory);
    wr_module_free(m);
}

static void shared_memory_is_laid_out(void **context)
{
    wr_module *m =
        compile(MODULE ".extern .shared .align 4 .b8 dyn[];\n" ENTRY
                       ".shared .align 4 .b8 a[6];\n.shared .align 8 .b8 b[16];\n"
                       ".shared .align 4 .b8 unused[4096];\n"
                       "mov.u32 %r2, b;\nld.shared.u32 %r3, [%r2+4];\nld.shared.u32 %r4, [a];\n"
                       "mov.u32 %r5, dyn;\nst.shared.u32 [%r5], %r3;\n"
                       "st.shared.u32 [%r5+4], %r4;\n" END);
    const wr_kernel *k = &m->kernels[0];

    (void)context;
    /* In the order of use: b at 0, a at 16, then the dynamic part at a multiple of 16. */
    assert_true(k->extern_shared);
    assert_int_equal(k->shared_bytes, 32);
    assert_int_equal(find(k, WR_OP_LD)->imm, 4);
    assert_int_equal(find(k, WR_OP_LD)->src[0], WR_ISA_RZ);
    assert_int_equal(find(k, WR_OP_ST)->imm, 32);
    wr_module_free(m);
}

static void module_variables_have_places(void **context)
{
    wr_module *m = compile(MODULE ".global .align 4 .u32 g = 7;\n.global .align 8 .b8 big[24];\n"
                                  ".const .align 4 .f32 c[2] = {1.0, 2.0};\n" ENTRY
                                  "ld.const.u32 %r2, [c+4];\nld.global.u32 %r3, [big+8];\n"
                                  "st.global.u32 [%r1], %r2;\nst.global.u32 [%r1+4], %r3;\n" END);
    const wr_kernel *k = &m->kernels[0];

    (void)context;
    assert_int_equal(m->var_count, 3);
    assert_int_equal(m->vars[1].offset, 8);
    assert_int_equal(m->vars[1].size, 24);
    assert_null(m->vars[1].init);
    assert_int_equal(m->vars[0].init[0], 7);
    assert_int_equal(m->vars[2].space, WR_SPACE_CONST);
    assert_int_equal(m->vars[2].offset, 0);
    assert_int_equal(m->global_bytes, 32);
    assert_int_equal(m->const_bytes, 8);
    assert_int_equal(k->global_base_at, 12); /* behind out, n, h */
    assert_int_equal(k->param_bytes, 16);
    assert_int_equal(k->const_base_at, UINT32_MAX);
    assert_int_equal(find(k, WR_OP_LD)->space, WR_SPACE_CONST);
    assert_int_equal(find(k, WR_OP_LD)->imm, 4);
    wr_module_free(m);
}

static void generic_pointer_to_local_memory(void **context)
{
    wr_module *m = compile(MODULE ENTRY ".local .align 8 .b8 depot[32];\n"
                                        "mov.u32 %r2, depot;\ncvta.local.u32 %r3, %r2;\n"
                                        "mov.u32 %r4, %tid.x;\nand.b32 %r5, %r4, 7;\n"
                                        "shl.b32 %r6, %r5, 2;\nadd.s32 %r7, %r3, %r6;\n"
                                        "st.u32 [%r7], %r4;\nld.u32 %r8, [%r7];\n"
                                        "add.s32 %r9, %r1, %r6;\nst.global.u32 [%r9], %r8;\n" END);
    const wr_kernel *k = &m->kernels[0];
    uint32_t *memory = run(k, 0, 0);

    (void)context;
    assert_int_equal(k->local_bytes, 32);
    assert_int_equal(find(k, WR_OP_ST)->space, WR_SPACE_LOCAL);
    for (uint32_t i = 0; i < WR_TEST_LANES; i++) {
        assert_int_equal(memory[i], i);
    }
    free(memory);
    wr_module_free(m);
}

static void guarded_barrier_is_branched_around(void **context)
{
    wr_module *m = compile(MODULE ENTRY "ld.param.u32 %r2, [n];\nsetp.eq.u32 %p1, %r2, 0;\n"
                                        "@%p1 bar.sync 0;\nst.global.u32 [%r1], %r2;\n" END);
    const wr_kernel *k = &m->kernels[0];
    const wr_insn *branch = find(k, WR_OP_BRA);

    (void)context;
    assert_int_equal(find(k, WR_OP_BAR_PP)->guard, WR_ISA_PT);
    assert_true(branch->guard_neg);
    assert_int_equal(branch->target, find(k, WR_OP_BAR_PP)->pc + 8);
    wr_module_free(m);
}

static void dead_code_goes(void **context)
{
    wr_module *m = compile(MODULE ENTRY "mov.u32 %r2, %tid.x;\nmov.u32 %r3, 0;\nTOP:\n"
                                        "mul.lo.s32 %r4, %r4, %r2;\nadd.s32 %r3, %r3, 1;\n"
                                        "setp.lt.s32 %p1, %r3, 9;\n@%p1 bra TOP;\n"
                                        "add.s32 %r5, %r3, 0;\nst.global.u32 [%r1], %r5;\n" END);

    (void)context;
    assert_int_equal(count(&m->kernels[0], WR_OP_MUL), 0);
    assert_int_equal(count(&m->kernels[0], WR_OP_S2R), 0);
    assert_int_equal(count(&m->kernels[0], WR_OP_ADD), 1);
    wr_module_free(m);
}

static void branch_around_a_branch_is_turned(void **context)
{
    wr_module *m = compile(MODULE ENTRY "mov.u32 %r2, %tid.x;\nsetp.lt.s32 %p1, %r2, 3;\n"
                                        "mov.u32 %r3, 5;\n@%p1 bra X;\nbra.uni Y;\nX:\n"
                                        "mov.u32 %r3, 7;\nY:\nmad.lo.s32 %r4, %r2, 4, %r1;\n"
                                        "st.global.u32 [%r4], %r3;\n" END);
    uint32_t *memory = run(&m->kernels[0], 0, 0);

    (void)context;
    assert_int_equal(count(&m->kernels[0], WR_OP_BRA), 1);
    assert_true(find(&m->kernels[0], WR_OP_BRA)->guard_neg);
    for (uint32_t i = 0; i < WR_TEST_LANES; i++) {
        assert_int_equal(memory[i], i < 3 ? 7 : 5);
    }
    free(memory);
    wr_module_free(m);
}

static void spilling_is_reported(void **context)
{
    char text[8192];
    size_t used = (size_t)sprintf(text, "%s", MODULE ENTRY);
    wr_compile_options options = {.max_regs = 12};
    wr_diag diag = {0};
    wr_module *m;

    (void)context;
    for (unsigned i = 2; i < 32; i++) {
        used += (size_t)sprintf(text + used, "ld.global.u32 %%r%u, [%%r1+%u];\n", i, 4 * i);
    }
    for (unsigned i = 2; i < 32; i++) {
        used += (size_t)sprintf(text + used, "st.global.u32 [%%r1+%u], %%r%u;\n", 4 * i + 256, i);
    }
    (void)sprintf(text + used, "%s", END);
    m = try_compile(text, &options, &diag);
    assert_non_null(m);
    assert_in_range(m->kernels[0].regs, 8, 12);
    assert_true(m->kernels[0].spill_bytes >= 4 * 18);
    assert_true(m->kernels[0].local_bytes >= m->kernels[0].spill_bytes);
    wr_module_free(m);
}

static void refusals_name_the_place(void **context)
{
    static const struct {
        const char *text;
        unsigned line;
        const char *part;
    } cases[] = {
        {MODULE ENTRY "activemask.b32 %r2;\nmatch.any.sync.b32 %r2, %r2, 0;\n" END, 13, "member"},
        {MODULE ENTRY "cvt.rna.tf32.f32 %r2, %r3;\n" END, 12, "type"},
        {MODULE ENTRY "lop3.b32 %r2, %r3, %r4, %r5, 256;\n" END, 12, "truth table"},
    };

    (void)context;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wr_diag diag = {0};

        assert_null(try_compile(cases[i].text, NULL, &diag));
        assert_string_equal(diag.file, "test.ptx");
        assert_int_equal(diag.line, cases[i].line);
        if (strstr(diag.message, cases[i].part) == NULL) {
            fail_msg("case %zu: '%s'", i, diag.message);
        }
    }
}

static void bad_options_are_refused(void **context)
{
    wr_compile_options options = {.max_regs = 64};
    wr_diag diag = {0};

    (void)context;
    assert_null(try_compile(MODULE ENTRY END, &options, &diag));
    assert_non_null(strstr(diag.message, "64"));
    options.max_regs = 7;
    assert_null(try_compile(MODULE ENTRY END, &options, &diag));
}

/* Each bit of the vectors matters in at least one program: with it cleared, results change. */
static void missing_liveness_bits_are_seen(void **context)
{
    char *text = malloc(65536);
    unsigned seen = 0;

    (void)context;
    assert_non_null(text);
    for (uint64_t seed = 2; seed <= 20; seed += 2) {
        wr_compile_options options = {.pp_interval = 12};
        uint8_t params[64] = {0};
        uint8_t *right = calloc(1, WR_TEST_MEM), *wrong = calloc(1, WR_TEST_MEM);
        wr_diag diag = {0};
        wr_module *m;
        wr_test_machine machine = {.params = params, .memory = right, .poison = true};

        wr_random_ptx(seed, 32, text, 65536);
        m = try_compile(text, &options, &diag);
        assert_non_null(m);
        assert_non_null(right);
        assert_non_null(wrong);
        machine.kernel = &m->kernels[0];
        assert_true(wr_test_machine_run(&machine));
        machine.memory = wrong;
        for (unsigned reg = 0; machine.points > 0 && reg < 4; reg++) {
            memset(wrong, 0, WR_TEST_MEM);
            machine.drop = UINT64_C(1) << reg;
            machine.steps = 0;
            if (!wr_test_machine_run(&machine) || memcmp(right, wrong, WR_TEST_MEM) != 0) {
                seen |= 1u << reg;
            }
        }
        free(wrong);
        free(right);
        wr_module_free(m);
    }
    assert_int_equal(seen, 15);
    free(text);
}

static void same_input_same_words(void **context)
{
    char *text = malloc(65536);

    (void)context;
    assert_non_null(text);
    for (uint64_t seed = 1; seed < 10; seed++) {
        wr_module *a, *b;

        wr_random_ptx(seed, 64, text, 65536);
        a = compile(text);
        b = compile(text);
        assert_int_equal(a->kernels[0].word_count, b->kernels[0].word_count);
        assert_memory_equal(a->kernels[0].words, b->kernels[0].words, 8 * a->kernels[0].word_count);
        wr_module_free(a);
        wr_module_free(b);
    }
    free(text);
}

/* Far more values alive than there are registers: spilling must get there, with the right
 * values. Each depends on the ones before, and none can be computed again. */
static void many_values_are_spilled(void **context)
{
    enum { VALUES = 300, ROOM = 64 * 1024 };
    char *text = calloc(1, ROOM);
    size_t n;
    wr_module *m;
    uint32_t *memory, want = 0;

    (void)context;
    assert_non_null(text);
    n = (size_t)snprintf(text, ROOM, "%s",
                         MODULE ENTRY ".reg .b32 %v<301>;\nld.global.u32 %v0, [%r1];\n");
    for (unsigned i = 1; i < VALUES; i++) {
        n += (size_t)snprintf(text + n, ROOM - n,
                              "mad.lo.s32 %%v%u, %%v%u, 5, %u;\nxor.b32 %%v%u, %%v%u, %%v%u;\n", i,
                              i - 1, i, i, i, i / 2);
    }
    n += (size_t)snprintf(text + n, ROOM - n, "mov.u32 %%r2, 0;\n");
    for (unsigned i = 0; i < VALUES; i++) {
        n += (size_t)snprintf(text + n, ROOM - n, "mad.lo.s32 %%r2, %%r2, 3, %%v%u;\n", i);
    }
    (void)snprintf(text + n, ROOM - n, "st.global.u32 [%%r1], %%r2;\n" END);
    m = compile(text);
    assert_true(m->kernels[0].regs <= 63);
    assert_true(m->kernels[0].spill_bytes >= 4 * (VALUES - 63));
    {
        uint32_t v[VALUES] = {0};

        for (unsigned i = 1; i < VALUES; i++) {
            v[i] = (v[i - 1] * 5 + i) ^ v[i / 2];
        }
        for (unsigned i = 0; i < VALUES; i++) {
            want = want * 3 + v[i];
        }
    }
    memory = run(&m->kernels[0], 0, 0);
    assert_int_equal(memory[0], want);
    free(memory);
    wr_module_free(m);
    free(text);
}

/* A value much used in a loop, alive through a hundred places that need all registers for a
 * moment: there is no end to spilling what is cheap at each place, so the value must go. */
static void long_life_is_spilled(void **context)
{
    enum { PLACES = 100, VALUES = 12, STEPS = 60, ROUNDS = 3, ROOM = 256 * 1024 };
    char *text = calloc(1, ROOM);
    wr_compile_options options = {.max_regs = 12};
    wr_diag diag = {0};
    uint32_t *memory, want = 0;
    wr_module *m;
    size_t n;

    (void)context;
    assert_non_null(text);
    n = (size_t)snprintf(text, ROOM, "%s",
                         MODULE ENTRY "ld.param.u32 %r3, [n];\nld.global.u32 %r2, [%r1];\n");
    for (unsigned p = 0; p < PLACES; p++) {
        for (unsigned i = 0; i < VALUES; i++) {
            n += (size_t)snprintf(text + n, ROOM - n, "ld.volatile.global.u32 %%r%u, [%%r1+%u];\n",
                                  10 + i, 4 + 4 * i);
        }
        for (unsigned i = 0; i < VALUES; i++) {
            n += (size_t)snprintf(text + n, ROOM - n, "st.volatile.global.u32 [%%r1+%u], %%r%u;\n",
                                  4 + 4 * i, 10 + (i + 1) % VALUES);
        }
    }
    n += (size_t)snprintf(text + n, ROOM - n, "mov.u32 %%r4, 0;\nAGAIN:\n");
    for (unsigned i = 0; i < STEPS; i++) {
        n += (size_t)snprintf(text + n, ROOM - n, "mad.lo.s32 %%r2, %%r2, %u, %%r4;\n", 2 * i + 3);
    }
    (void)snprintf(text + n, ROOM - n,
                   "add.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p1, %%r4, %%r3;\n@%%p1 bra AGAIN;\n"
                   "st.global.u32 [%%r1], %%r2;\n" END);
    m = try_compile(text, &options, &diag);
    if (m == NULL) {
        fail_msg("%s", diag.message);
    }
    assert_true(m->kernels[0].regs <= 12);
    for (unsigned i = 0; i < ROUNDS * STEPS; i++) {
        want = want * (2 * (i % STEPS) + 3) + i / STEPS;
    }
    memory = run(&m->kernels[0], ROUNDS, 0);
    assert_int_equal(memory[0], want);
    free(memory);
    wr_module_free(m);
    free(text);
}

/* Inlining goes as deep as calls do: the compiler's own stack must not end before. */
static void deep_calls_are_refused(void **context)
{
    enum { DEPTH = 3000, ROOM = 256 * 1024 };
    char *text = calloc(1, ROOM);
    size_t n;
    wr_diag diag = {0};

    (void)context;
    assert_non_null(text);
    n = (size_t)snprintf(text, ROOM, MODULE ".func f0()\n{\nret;\n}\n");
    for (unsigned i = 1; i < DEPTH; i++) {
        n += (size_t)snprintf(text + n, ROOM - n, ".func f%u()\n{\ncall.uni f%u;\nret;\n}\n", i,
                              i - 1);
    }
    (void)snprintf(text + n, ROOM - n, ".entry k()\n{\ncall.uni f%d;\nret;\n}\n", DEPTH - 1);
    assert_null(try_compile(text, NULL, &diag));
    assert_non_null(strstr(diag.message, "nested deeper than 1000"));
    assert_true(diag.line > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read_in_place),
        cmocka_unit_test(narrow_parameters_are_extended),
        cmocka_unit_test(wide_constants_and_halves),
        cmocka_unit_test(shared_memory_is_laid_out),
        cmocka_unit_test(module_variables_have_places),
        cmocka_unit_test(generic_pointer_to_local_memory),
        cmocka_unit_test(guarded_barrier_is_branched_around),
        cmocka_unit_test(dead_code_goes),
        cmocka_unit_test(branch_around_a_branch_is_turned),
        cmocka_unit_test(spilling_is_reported),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(missing_liveness_bits_are_seen),
        cmocka_unit_test(same_input_same_words),
        cmocka_unit_test(many_values_are_spilled),
        cmocka_unit_test(long_life_is_spilled),
        cmocka_unit_test(deep_calls_are_refused),
    };

    return cmocka_run_group_tests_name("compiler", tests, NULL, NULL);
}
