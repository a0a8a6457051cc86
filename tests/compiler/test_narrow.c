/* SPDX-License-Identifier: Apache-2.0 */
/* Clean-ups of 64-bit code, of predicates, of products and of arguments: what each makes of code
 * written for it, and what it must leave alone. That results stay right is for test_compile_random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "text.h"

/* Instructions that write or compare 64 bits. */
static unsigned count_wide(const wr_module *m)
{
    unsigned found = 0;

    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        const wr_insn *insn = &m->kernels[0].insns[i];

        found += insn->dst_regs == 2 || (insn->op == WR_OP_SETP && insn->src_regs[0] == 2) ? 1 : 0;
    }
    return found;
}

static unsigned wide_in(const char *body)
{
    wr_module *m = wr_test_compile(body, 64, NULL);
    unsigned found = count_wide(m);

    wr_module_free(m);
    return found;
}

static unsigned count_in(const char *body, wr_op op)
{
    wr_module *m = wr_test_compile(body, 64, NULL);
    unsigned found = wr_test_count(m, op);

    wr_module_free(m);
    return found;
}

static void shared_addresses_are_words(void **context)
{
    (void)context;
    assert_int_equal(wide_in("mov.u64 %d10, buffer;\nmul.wide.u32 %d11, %r2, 4;\n"
                             "add.s64 %d12, %d10, %d11;\nst.shared.u32 [%d12+16], %r2;\n"),
                     0);
    assert_int_equal(wide_in("cvt.u64.u32 %d10, %r2;\nshl.b64 %d11, %d10, 3;\nneg.s64 %d12, %d11;\n"
                             "and.b64 %d13, %d12, 1016;\nst.shared.u32 [%d13], %r2;\n"),
                     0);
    /* the same address in global memory, and both uses of one */
    assert_true(wide_in("cvt.u64.u32 %d10, %r2;\nshl.b64 %d11, %d10, 3;\nneg.s64 %d12, %d11;\n"
                        "and.b64 %d13, %d12, 1016;\nst.global.u32 [%d13], %r2;\n") >= 3);
    assert_true(wide_in("mul.wide.u32 %d11, %r2, 4;\nadd.s64 %d12, %d11, 64;\n"
                        "add.s64 %d13, %d1, %d11;\n"
                        "st.shared.u32 [%d12], %r2;\nst.global.u32 [%d13], %r2;\n") >= 2);
    /* the low word does not depend on low words alone */
    assert_true(wide_in("mul.wide.u32 %d11, %r2, 999999;\nshr.u64 %d12, %d11, 3;\n"
                        "st.shared.u32 [%d12], %r2;\n") >= 2);
    assert_true(wide_in("mul.wide.u32 %d11, %r2, 999999;\nmul.hi.u64 %d12, %d11, %d11;\n"
                        "st.shared.u32 [%d12], %r2;\n") >= 2);
    assert_true(wide_in("mul.wide.s32 %d11, %r2, -9;\nmin.s64 %d12, %d11, 77;\n"
                        "st.shared.u32 [%d12], %r2;\n") >= 2);
}

/* A loop that ends where `test` of the counter holds. */
static unsigned wide_in_loop(const char *start, const char *step, const char *test,
                             const char *more)
{
    char body[2048];

    (void)snprintf(body, sizeof body,
                   "mov.u64 %%d20, %s;\nTOP:\nst.shared.u32 [%%d20+512], %%r2;\n"
                   "add.s64 %%d20, %%d20, %s;\n%s\n%s\nst.shared.u32 [%%r2], %%r2;\n",
                   start, step, test, more);
    return wide_in(body);
}

static void counters_that_meet_their_end(void **context)
{
    static const char until_64[] = "setp.ne.s64 %p1, %d20, 64;\n@%p1 bra TOP;";

    (void)context;
    assert_int_equal(wide_in_loop("0", "8", until_64, ""), 0);
    assert_int_equal(wide_in_loop("128", "-8", until_64, ""), 0);
    assert_int_equal(wide_in_loop("0", "8", "setp.eq.s64 %p1, %d20, 64;\n@!%p1 bra TOP;", ""), 0);
    assert_int_equal(wide_in_loop("0", "8",
                                  "setp.eq.s64 %p1, %d20, 64;\n@%p1 bra OUT;\nbra TOP;\n"
                                  "OUT:",
                                  ""),
                     0);
    /* it passes the end, goes the other way, does not move, starts anywhere */
    assert_true(wide_in_loop("0", "7", until_64, "") > 0);
    assert_true(wide_in_loop("64", "8", until_64, "") > 0);
    assert_true(wide_in_loop("0", "-8", until_64, "") > 0);
    assert_true(wide_in_loop("0", "0", until_64, "") > 0);
    assert_true(wide_in_loop("%d3", "8", until_64, "") > 0);
    assert_true(wide_in_loop("0", "%d3", until_64, "") > 0);
    /* another test decides */
    assert_true(wide_in_loop("0", "8",
                             "setp.ne.s64 %p1, %d20, 64;\nselp.u32 %r9, 1, 0, %p1;\n"
                             "st.shared.u32 [%r2+4], %r9;\n"
                             "setp.ne.s32 %p1, %r2, 5;\n@%p1 bra TOP;",
                             "") > 0);
    /* the end is not where the loop is left, or the loop goes on behind it */
    assert_true(wide_in_loop("0", "8", "setp.lt.s64 %p1, %d20, 64;\n@%p1 bra TOP;", "") > 0);
    assert_true(wide_in_loop("0", "8", "setp.eq.s64 %p1, %d20, 64;\n@%p1 bra TOP;", "") > 0);
    assert_true(wide_in_loop("0", "8", until_64,
                             "add.s32 %r2, %r2, 1;\nbar.sync 0;\n"
                             "setp.ne.s32 %p2, %r2, 9;\n@%p2 bra TOP;") > 0);
    assert_true(wide_in_loop("0", "8", until_64,
                             "add.s64 %d20, %d20, 8;\n"
                             "st.shared.u64 [%r2+8], %d20;") > 0);
}

/* What such a loop stores. */
static void counters_count(void **context)
{
    uint64_t params[2] = {4096, 0};
    uint8_t *memory = calloc(1, WR_TEST_MEM);
    wr_module *m = wr_test_compile("mov.u64 %d20, 24;\nmov.u32 %r10, 0;\n"
                                   "TOP:\nadd.s64 %d20, %d20, -8;\n"
                                   "cvt.u32.u64 %r11, %d20;\nmad.lo.s32 %r10, %r10, 10, %r11;\n"
                                   "setp.ne.s64 %p1, %d20, -16;\n@%p1 bra TOP;\n"
                                   "st.global.u32 [%d1], %r10;\n",
                                   64, NULL);
    wr_test_machine machine = {
        .kernel = &m->kernels[0], .params = (const uint8_t *)params, .memory = memory};
    int32_t sum = 0, found;

    (void)context;
    assert_non_null(memory);
    for (int32_t i = 16; i >= -16; i -= 8) {
        sum = sum * 10 + i;
    }
    assert_true(wr_test_machine_run(&machine));
    memcpy(&found, memory + 4096, sizeof found);
    assert_int_equal(found, sum);
    wr_module_free(m);
    free(memory);
}

#define TESTS "setp.lt.s32 %p1, %r2, 30;\nsetp.gt.u32 %p2, %r2, 3;\n"
#define USE   "@%p3 bra OUT;\nbar.sync 0;\nOUT:\nst.global.u32 [%d1], %r2;\n"

static void predicates_go_into_comparisons(void **context)
{
    wr_module *m = wr_test_compile(TESTS "and.pred %p3, %p1, %p2;\n" USE, 64, NULL);
    unsigned second = wr_test_find(m, WR_OP_SETP, 1);

    (void)context;
    assert_int_equal(wr_test_count(m, WR_OP_AND), 0);
    assert_int_equal(wr_test_count(m, WR_OP_SETP), 2);
    assert_int_equal(m->kernels[0].insns[second].boolop, WR_BOOL_AND);
    wr_module_free(m);
    assert_int_equal(count_in(TESTS "not.pred %p4, %p2;\nor.pred %p3, %p1, %p4;\n" USE, WR_OP_OR),
                     0);
    assert_int_equal(count_in(TESTS "xor.pred %p3, %p1, %p2;\n" USE, WR_OP_XOR), 0);
    /* both comparisons have another use */
    assert_int_equal(count_in(TESTS "and.pred %p3, %p1, %p2;\n"
                                    "selp.u32 %r10, 1, 2, %p1;\nselp.u32 %r11, 3, 4, %p2;\n"
                                    "st.global.u32 [%d1+8], %r10;\n"
                                    "st.global.u32 [%d1+16], %r11;\n" USE,
                              WR_OP_AND),
                     1);
}

static void opposite_comparisons(void **context)
{
    static const struct {
        const char *cmp;
        wr_cmp whole, real;
    } cases[] = {
        {"eq", WR_CMP_NE, WR_CMP_NEU}, {"ne", WR_CMP_EQ, WR_CMP_EQU}, {"lt", WR_CMP_GE, WR_CMP_GEU},
        {"le", WR_CMP_GT, WR_CMP_GTU}, {"gt", WR_CMP_LE, WR_CMP_LEU}, {"ge", WR_CMP_LT, WR_CMP_LTU},
    };

    (void)context;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        bool real = i % 2 != 0;
        char body[512];
        wr_module *m;

        (void)snprintf(body, sizeof body,
                       "setp.eq.s32 %%p1, %%r2, 30;\nsetp.%s.%s %%p2, %%r2, %%r3;\n"
                       "not.pred %%p4, %%p2;\nand.pred %%p3, %%p1, %%p4;\n"
                       "@%%p3 bra OUT;\nbar.sync 0;\nOUT:\nst.global.u32 [%%r1], %%r2;\n",
                       cases[i / 2].cmp, real ? "f32" : "s32");
        m = wr_test_compile(body, 32, NULL);
        assert_int_equal(wr_test_count(m, WR_OP_AND), 0);
        assert_int_equal(m->kernels[0].insns[wr_test_find(m, WR_OP_SETP, 1)].cmp,
                         real ? cases[i / 2].real : cases[i / 2].whole);
        wr_module_free(m);
    }
}

static void constant_predicates_go_away(void **context)
{
    static const char loop[] = "TOP:\nadd.s32 %r2, %r2, 1;\nbar.sync 0;\n"
                               "setp.lt.and.s32 %p3, %r2, 9, %p1;\n@%p3 bra TOP;\n"
                               "st.global.u32 [%d1], %r2;\n";
    char body[1024];

    (void)context;
    (void)snprintf(body, sizeof body, "mov.pred %%p1, 1;\n%s", loop);
    assert_int_equal(count_in(body, WR_OP_AND), 0);
    assert_int_equal(count_in(body, WR_OP_SETP), 1);
    (void)snprintf(body, sizeof body, "mov.pred %%p1, 0;\n%s", loop);
    assert_int_equal(count_in(body, WR_OP_SETP), 0);
    assert_int_equal(count_in("mov.pred %p1, 0;\n@%p1 st.global.u32 [%d1], %r2;\n", WR_OP_ST), 0);
    assert_int_equal(count_in("mov.pred %p1, 1;\n@%p1 st.global.u32 [%d1], %r2;\n", WR_OP_AND), 0);
}

static void compared_once(void **context)
{
    static const char two[] = "selp.u32 %r10, %r2, 7, %p1;\nselp.u32 %r11, 7, %r2, %p2;\n"
                              "st.global.u32 [%d1], %r10;\nst.global.u32 [%d1+4], %r11;\n";
    char body[1024];

    (void)context;
    (void)snprintf(body, sizeof body,
                   "setp.lt.s32 %%p1, %%r2, 30;\nsetp.lt.s32 %%p2, %%r2, 30;\n%s", two);
    assert_int_equal(count_in(body, WR_OP_SETP), 1);
    (void)snprintf(body, sizeof body,
                   "setp.lt.s32 %%p1, %%r2, 30;\nsetp.lt.u32 %%p2, %%r2, 30;\n%s", two);
    assert_int_equal(count_in(body, WR_OP_SETP), 2);
    (void)snprintf(body, sizeof body,
                   "setp.lt.s32 %%p1, %%r2, 30;\nadd.s32 %%r2, %%r2, 1;\n"
                   "setp.lt.s32 %%p2, %%r2, 30;\n%s",
                   two);
    assert_int_equal(count_in(body, WR_OP_SETP), 2);
}

static void compared_with_zero(void **context)
{
    static const struct {
        const char *test;
        wr_cmp cmp;
        bool zero;
    } cases[] = {
        {"setp.lt.s32 %p1, %r2, 1;\n", WR_CMP_LE, true},
        {"setp.gt.s32 %p1, %r2, -1;\n", WR_CMP_GE, true},
        {"setp.ge.s64 %p1, %d3, 1;\n", WR_CMP_GT, true},
        {"setp.lt.u32 %p1, %r2, 1;\n", WR_CMP_EQ, true},
        {"setp.gt.u32 %p1, %r2, -1;\n", WR_CMP_GT, false},
        {"setp.lt.s32 %p1, %r2, 2;\n", WR_CMP_LT, false},
    };

    (void)context;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[512];
        const wr_insn *setp;
        wr_module *m;

        (void)snprintf(body, sizeof body, "%s%s", cases[i].test,
                       "@%p1 st.global.u32 [%d1], %r2;\n");
        m = wr_test_compile(body, 64, NULL);
        setp = &m->kernels[0].insns[wr_test_find(m, WR_OP_SETP, 0)];
        assert_int_equal(setp->cmp, cases[i].cmp);
        assert_int_equal(setp->ext != WR_EXT_IMM, cases[i].zero);
        wr_module_free(m);
    }
}

static void products_join_sums(void **context)
{
    (void)context;
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, 12;\nadd.s32 %r11, %r10, %r2;\n"
                              "st.global.u32 [%d1], %r11;\n",
                              WR_OP_MAD),
                     1);
    assert_int_equal(count_in("shl.b32 %r10, %r2, 3;\nadd.s32 %r11, %r2, %r10;\n"
                              "st.global.u32 [%d1], %r11;\n",
                              WR_OP_MAD),
                     1);
    assert_int_equal(count_in("mul.wide.s32 %d10, %r2, 12;\nld.global.u64 %d11, [%d1];\n"
                              "add.s64 %d12, %d11, %d10;\nst.global.u64 [%d1], %d12;\n",
                              WR_OP_MUL),
                     0);
    /* needed by itself; two constants; saturated; floating point rounds twice */
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, 12;\nadd.s32 %r11, %r10, %r2;\n"
                              "st.global.u32 [%d1], %r11;\nst.global.u32 [%d1+4], %r10;\n",
                              WR_OP_MAD),
                     0);
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, 12;\nadd.s32 %r11, %r10, 1;\n"
                              "st.global.u32 [%d1], %r11;\n",
                              WR_OP_MAD),
                     0);
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, 12;\nadd.sat.s32 %r11, %r10, %r2;\n"
                              "st.global.u32 [%d1], %r11;\n",
                              WR_OP_MAD),
                     0);
    assert_int_equal(count_in("mul.rn.f32 %r10, %r2, %r2;\nadd.rn.f32 %r11, %r10, %r2;\n"
                              "st.global.u32 [%d1], %r11;\n",
                              WR_OP_MUL),
                     1);
}

#define FUNCTION                                                                                   \
    ".version 6.0\n.target sm_50\n.address_size 32\n"                                              \
    ".func (.param .b32 r) f(.param .b32 a, .param .b8 b, .param .align 8 .b8 c[16])\n{\n"         \
    ".reg .b32 %r<9>;\n.reg .b16 %h<9>;\n.reg .b64 %d<9>;\n"                                       \
    "ld.param.u32 %r1, [a];\nld.param.s8 %h1, [b];\ncvt.s32.s16 %r2, %h1;\n"                       \
    "ld.param.b64 %d1, [c+8];\ncvt.u32.u64 %r3, %d1;\n"

#define CALLER                                                                                     \
    "st.param.b32 [r], %r4;\nret;\n}\n"                                                            \
    ".visible .entry k(.param .u32 out)\n{\n.reg .b32 %r<20>;\n.reg .b16 %h<9>;\n"                 \
    ".reg .b64 %d<9>;\n.param .b32 p0;\n.param .b8 p1;\n.param .align 8 .b8 p2[16];\n"             \
    ".param .b32 p3;\nld.param.u32 %r1, [out];\nmov.u32 %r2, %tid.x;\ncvt.u16.u32 %h2, %r2;\n"     \
    "cvt.u64.u32 %d2, %r2;\nadd.s16 %h2, %h2, 125;\n"                                              \
    "st.param.b32 [p0], %r2;\nst.param.b8 [p1], %h2;\nst.param.b64 [p2], %d2;\n"                   \
    "st.param.b64 [p2+8], %d2;\ncall (p3), f, (p0, p1, p2);\nld.param.b32 %r3, [p3];\n"            \
    "shl.b32 %r2, %r2, 2;\nadd.s32 %r1, %r1, %r2;\nst.global.u32 [%r1], %r3;\nret;\n}\n"

static void arguments_are_registers(void **context)
{
    wr_module *m = wr_test_compile_text(FUNCTION "mad.lo.s32 %r4, %r1, %r2, %r3;\n" CALLER, NULL);
    uint32_t params[2] = {4096, 0};
    uint8_t *memory = calloc(1, WR_TEST_MEM);
    wr_test_machine machine = {
        .kernel = &m->kernels[0], .params = (const uint8_t *)params, .memory = memory};

    (void)context;
    assert_non_null(memory);
    assert_int_equal(wr_test_count(m, WR_OP_LD), 0);
    assert_int_equal(wr_test_count(m, WR_OP_ST), 1);
    assert_int_equal(m->kernels[0].local_bytes, 0);
    assert_true(wr_test_machine_run(&machine));
    for (int32_t t = 0; t < WR_TEST_LANES; t++) {
        int32_t found;

        memcpy(&found, memory + 4096 + 4 * t, sizeof found);
        assert_int_equal(found, t * (int8_t)(t + 125) + t);
    }
    wr_module_free(m);
    free(memory);
}

static void arguments_with_an_address_stay(void **context)
{
    wr_module *m;

    (void)context;
    m = wr_test_compile_text(FUNCTION "mov.b32 %r5, c;\nadd.s32 %r5, %r5, %r1;\n"
                                      "ld.param.u32 %r6, [%r5];\n"
                                      "mad.lo.s32 %r4, %r6, %r2, %r3;\n" CALLER,
                             NULL);
    assert_true(m->kernels[0].local_bytes > 0);
    assert_int_equal(wr_test_count(m, WR_OP_ST), 3); /* both halves of c, and the result */
    wr_module_free(m);
    /* two halves stored, and one vector loaded */
    m = wr_test_compile_text(FUNCTION "ld.param.v2.b64 {%d2, %d3}, [c];\ncvt.u32.u64 %r6, %d2;\n"
                                      "mad.lo.s32 %r4, %r6, %r2, %r3;\n" CALLER,
                             NULL);
    assert_int_equal(wr_test_count(m, WR_OP_ST), 1);
    assert_int_equal(m->kernels[0].local_bytes, 0);
    wr_module_free(m);
    /* one access to part of what another one takes whole */
    for (unsigned i = 0; i < 2; i++) {
        m = wr_test_compile_text(i == 0 ? FUNCTION "ld.param.u32 %r6, [c+12];\n"
                                                   "mad.lo.s32 %r4, %r6, %r2, %r3;\n" CALLER
                                        : FUNCTION "ld.param.u32 %r6, [c+8];\n"
                                                   "mad.lo.s32 %r4, %r6, %r2, %r3;\n" CALLER,
                                 NULL);
        assert_int_equal(wr_test_count(m, WR_OP_ST), 2);
        wr_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_addresses_are_words),
        cmocka_unit_test(counters_that_meet_their_end),
        cmocka_unit_test(counters_count),
        cmocka_unit_test(predicates_go_into_comparisons),
        cmocka_unit_test(opposite_comparisons),
        cmocka_unit_test(constant_predicates_go_away),
        cmocka_unit_test(compared_once),
        cmocka_unit_test(compared_with_zero),
        cmocka_unit_test(products_join_sums),
        cmocka_unit_test(arguments_are_registers),
        cmocka_unit_test(arguments_with_an_address_stay),
    };

    return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}
