/* SPDX-License-Identifier: Apache-2.0 */
/* The clean-ups: what each makes of code written for it, and what it must leave alone. That the
 * results stay right is for test_compile_random; here the code itself is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/compiler/draw.h"

#define HEAD                                                                                       \
    ".version 4.0\n.target sm_50\n.address_size 32\n"                                              \
    ".visible .entry k(.param .u32 out, .param .u32 n)\n{\n"                                       \
    ".reg .pred %p<9>;\n.reg .b32 %r<80>;\n.reg .b64 %d<9>;\n"                                     \
    "ld.param.u32 %r1, [out];\nmov.u32 %r2, %tid.x;\nld.param.u32 %r3, [n];\n"

static wr_module *compile(const char *body, const wr_compile_options *options)
{
    char text[16384];
    wr_diag diag = {0};
    wr_ptx_module *ptx;
    wr_module *module;

    (void)snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, body);
    ptx = wr_ptx_parse("test.ptx", text, strlen(text), &diag);
    if (ptx == NULL) {
        wr_diag_print(&diag, stderr);
    }
    assert_non_null(ptx);
    module = wr_compile(ptx, options, &diag);
    wr_ptx_free(ptx);
    if (module == NULL) {
        wr_diag_print(&diag, stderr);
    }
    assert_non_null(module);
    return module;
}

/* How many instructions of the operation the kernel has. */
static unsigned count(const wr_module *m, wr_op op)
{
    unsigned found = 0;

    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        found += m->kernels[0].insns[i].op == op ? 1 : 0;
    }
    return found;
}

static unsigned count_in(const char *body, wr_op op)
{
    wr_module *m = compile(body, NULL);
    unsigned found = count(m, op);

    wr_module_free(m);
    return found;
}

#define STORE2 "st.global.u32 [%r1], %r10;\nst.global.u32 [%r1+4], %r11;\n"

static void computed_once(void **context)
{
    (void)context;
    assert_int_equal(
        count_in("mul.lo.s32 %r10, %r2, %r3;\nmul.lo.s32 %r11, %r2, %r3;\n" STORE2, WR_OP_MUL), 1);
    /* signedness makes no difference to the low half, but min is another operation then */
    assert_int_equal(
        count_in("min.s32 %r10, %r2, %r3;\nmin.u32 %r11, %r2, %r3;\n" STORE2, WR_OP_MIN), 2);
    /* behind a branch, by the instruction in front of it */
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, %r3;\nsetp.eq.u32 %p1, %r2, 0;\n"
                              "@%p1 bra END;\nbar.warp.sync 1;\nmul.lo.s32 %r11, %r2, %r3;\n" STORE2
                              "END:\n",
                              WR_OP_MUL),
                     1);
    /* neither side of a branch comes before the other */
    assert_int_equal(count_in("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra A;\nbar.warp.sync 1;\n"
                              "mul.lo.s32 %r10, %r2, %r3;\nst.global.u32 [%r1], %r10;\nbra END;\n"
                              "A:\nbar.warp.sync 2;\nmul.lo.s32 %r11, %r2, %r3;\n"
                              "st.global.u32 [%r1+4], %r11;\nEND:\n",
                              WR_OP_MUL),
                     2);
    /* an operand that changes in between */
    assert_int_equal(count_in("mul.lo.s32 %r10, %r2, %r3;\nadd.s32 %r2, %r2, 1;\n"
                              "mul.lo.s32 %r11, %r2, %r3;\n" STORE2,
                              WR_OP_MUL),
                     2);
    assert_int_equal(count_in("mov.u32 %r10, %clock;\nmov.u32 %r11, %clock;\n" STORE2, WR_OP_S2R),
                     2);
}

static void loaded_once(void **context)
{
    (void)context;
    assert_int_equal(
        count_in("ld.global.u32 %r10, [%r3];\nld.global.u32 %r11, [%r3];\n" STORE2, WR_OP_LD), 1);
    assert_int_equal(
        count_in("ld.global.u32 %r10, [%r3];\nld.global.u32 %r11, [%r3+4];\n" STORE2, WR_OP_LD), 2);
    assert_int_equal(count_in("ld.volatile.global.u32 %r10, [%r3];\n"
                              "ld.volatile.global.u32 %r11, [%r3];\n" STORE2,
                              WR_OP_LD),
                     2);
    assert_int_equal(count_in("ld.global.u32 %r10, [%r3];\nst.global.u32 [%r1+8], %r2;\n"
                              "ld.global.u32 %r11, [%r3];\n" STORE2,
                              WR_OP_LD),
                     2);
    assert_int_equal(count_in("ld.shared.u32 %r10, [%r3];\nbar.sync 0;\n"
                              "ld.shared.u32 %r11, [%r3];\n" STORE2,
                              WR_OP_LD),
                     2);
    assert_int_equal(count_in("ld.global.u32 %r10, [%r3];\nred.global.add.u32 [%r3], 1;\n"
                              "ld.global.u32 %r11, [%r3];\n" STORE2,
                              WR_OP_LD),
                     2);
}

#define TEST_TID "setp.lt.u32 %p1, %r2, %r3;\n"

static void short_sides_lose_their_branch(void **context)
{
    (void)context;
    assert_int_equal(count_in(TEST_TID "mov.u32 %r10, 5;\n@%p1 bra J;\nadd.s32 %r10, %r2, 7;\nJ:\n"
                                       "st.global.u32 [%r1], %r10;\n",
                              WR_OP_BRA),
                     0);
    assert_int_equal(count_in(TEST_TID "@%p1 bra A;\nadd.s32 %r10, %r2, 7;\nbra J;\nA:\n"
                                       "sub.s32 %r10, %r3, %r2;\nJ:\nst.global.u32 [%r1], %r10;\n",
                              WR_OP_BRA),
                     0);
    assert_int_equal(count_in(TEST_TID "@%p1 bra J;\nst.global.u32 [%r1], %r2;\nJ:\n", WR_OP_BRA),
                     0);
    assert_int_equal(
        count_in(TEST_TID "@%p1 bra J;\nret;\nJ:\nst.global.u32 [%r1], %r2;\n", WR_OP_BRA), 0);
}

static void other_sides_keep_it(void **context)
{
    char body[2048] = TEST_TID "@%p1 bra J;\n";

    (void)context;
    assert_int_equal(count_in(TEST_TID "@%p1 bra J;\nbar.sync 0;\nJ:\n", WR_OP_BRA), 1);
    /* it would load where it may not */
    assert_int_equal(count_in(TEST_TID "@%p1 bra J;\nld.global.u32 %r10, [%r2];\n"
                                       "st.global.u32 [%r1], %r10;\nJ:\n",
                              WR_OP_BRA),
                     1);
    /* it writes the guard, which later instructions of it would need */
    assert_int_equal(count_in(TEST_TID "@%p1 bra J;\nsetp.eq.u32 %p1, %r2, 3;\n"
                                       "st.global.u32 [%r1], %r2;\nJ:\n"
                                       "selp.u32 %r10, 1, 0, %p1;\nst.global.u32 [%r1+4], %r10;\n",
                              WR_OP_BRA),
                     1);
    for (unsigned i = 0; i < 9; i++) {
        (void)sprintf(body + strlen(body), "st.global.u32 [%%r1+%u], %%r2;\n", 4 * i);
    }
    (void)sprintf(body + strlen(body), "%s", "J:\n");
    assert_int_equal(count_in(body, WR_OP_BRA), 1);
}

static const wr_insn *find(const wr_module *m, wr_op op)
{
    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        if (m->kernels[0].insns[i].op == op) {
            return &m->kernels[0].insns[i];
        }
    }
    fail_msg("there is no such instruction");
    return NULL;
}

static void cheaper_operations(void **context)
{
    wr_module *m;

    (void)context;
    m = compile("bfe.u32 %r10, %r2, 3, 7;\nst.global.u32 [%r1], %r10;\n", NULL);
    assert_int_equal(count(m, WR_OP_BFE), 0);
    assert_int_equal(find(m, WR_OP_SHR)->imm, 3);
    assert_int_equal(find(m, WR_OP_AND)->imm, 127);
    wr_module_free(m);
    m = compile("bfe.s32 %r10, %r2, 3, 7;\nst.global.u32 [%r1], %r10;\n", NULL);
    assert_int_equal(count(m, WR_OP_BFE), 0);
    assert_int_equal(find(m, WR_OP_SHL)->imm, 22);
    assert_int_equal(find(m, WR_OP_SHR)->imm, 25);
    assert_int_equal(find(m, WR_OP_SHR)->type, WR_S32);
    wr_module_free(m);
    /* past the word's end: the instruction itself knows what to do */
    assert_int_equal(count_in("bfe.s32 %r10, %r2, 30, 7;\nst.global.u32 [%r1], %r10;\n", WR_OP_BFE),
                     1);
    m = compile("mul.lo.s32 %r10, %r2, 64;\nst.global.u32 [%r1], %r10;\n", NULL);
    assert_int_equal(count(m, WR_OP_MUL), 0);
    assert_int_equal(find(m, WR_OP_SHL)->imm, 6);
    wr_module_free(m);
    m = compile("cvt.s64.s32 %d1, %r2;\nshl.b64 %d2, %d1, 3;\nst.global.u64 [%r1], %d2;\n", NULL);
    assert_int_equal(count(m, WR_OP_CVT), 0);
    assert_int_equal(find(m, WR_OP_MUL)->mode, WR_MUL_WIDE);
    assert_int_equal(find(m, WR_OP_MUL)->type, WR_S32);
    assert_int_equal(find(m, WR_OP_MUL)->imm, 8);
    wr_module_free(m);
    /* the pair is stored whole as well */
    assert_int_equal(count_in("cvt.s64.s32 %d1, %r2;\nshl.b64 %d2, %d1, 3;\n"
                              "st.global.u64 [%r1], %d2;\nst.global.u64 [%r1+8], %d1;\n",
                              WR_OP_CVT),
                     1);
}

/* A loop that runs `limit` times with an `if` on `cond` inside, too long to be guarded. */
static wr_module *looped(const char *limit, const char *cond)
{
    char body[2048];

    (void)snprintf(body, sizeof body,
                   "mov.u32 %%r20, 0;\nmov.u32 %%r21, %%ctaid.x;\nTOP:\nsetp.eq.u32 %%p2, %s, 3;\n"
                   "@%%p2 bra SKIP;\nbar.warp.sync 1;\nst.global.u32 [%%r1], %%r20;\nSKIP:\n"
                   "add.s32 %%r20, %%r20, 1;\nsetp.lt.u32 %%p3, %%r20, %s;\n@%%p3 bra TOP;\n",
                   cond, limit);
    return compile(body, NULL);
}

/* Of the guarded branches how many are marked uniform. */
static unsigned uniform_branches(const wr_module *m, unsigned *all)
{
    unsigned marked = 0;

    *all = 0;
    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        const wr_insn *insn = &m->kernels[0].insns[i];

        if (insn->op != WR_OP_BRA || insn->guard == WR_ISA_PT) {
            continue;
        }
        (*all)++;
        marked += insn->uniform ? 1 : 0;
    }
    return marked;
}

static void branches_that_keep_a_warp_together(void **context)
{
    static const struct {
        const char *limit, *cond;
        unsigned uniform;
    } cases[] = {
        {"%r3", "%r21", 2}, /* a parameter, the TB's number */
        {"%r3", "%r20", 2}, /* the counter itself */
        {"%r3", "%r2", 1},  /* threads differ inside, the loop does not */
        /* threads leave at different times: all that the loop writes is mixed, also what is
         * tested on the TB's number, which is more careful than it must be */
        {"%r2", "%r21", 0},
        {"%r2", "%r20", 0},
    };

    (void)context;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_module *m = looped(cases[i].limit, cases[i].cond);
        unsigned all, marked = uniform_branches(m, &all);

        assert_int_equal(all, 2);
        assert_int_equal(marked, cases[i].uniform);
        wr_module_free(m);
    }
}

static const char apart[] =
    "setp.eq.u32 %p4, %r2, 5;\n@%p4 bra A;\nbar.warp.sync 1;\nmov.u32 %r30, 1;\nbra B;\nA:\n"
    "bar.warp.sync 2;\nmov.u32 %r30, 2;\nB:\n";

/* What was loaded, a promise of the text, and what only some lanes wrote are no proof. */
static void branches_that_may_not(void **context)
{
    static const char *const set[] = {
        "ld.global.u32 %r30, [%r3];\n",
        "mov.u32 %r30, %laneid;\n",
        "shfl.sync.idx.b32 %r30, %r2, 0, 31, -1;\n",
        "mov.u32 %r30, 1;\nsetp.eq.u32 %p4, %r2, 5;\n@%p4 mov.u32 %r30, 2;\n",
        apart,
        "atom.global.add.u32 %r30, [%r3], 1;\n",
    };

    (void)context;
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        char body[2048];
        unsigned all;
        wr_module *m;

        (void)snprintf(body, sizeof body,
                       "%ssetp.eq.u32 %%p1, %%r30, 1;\n@%%p1 bra.uni J;\nbar.warp.sync 4;\n"
                       "st.global.u32 [%%r1], %%r2;\nJ:\n",
                       set[i]);
        m = compile(body, NULL);
        assert_int_equal(uniform_branches(m, &all), 0);
        assert_true(all >= 1);
        wr_module_free(m);
    }
}

/* Lanes that can't part wait for nobody: what is live past a uniform loop only is in both vectors
 * of its point or in none. */
static void uniform_loops_have_one_vector(void **context)
{
    wr_module *m = looped("%r3", "%r21");

    (void)context;
    assert_true(m->kernels[0].pp_count > 0);
    for (size_t i = 0; i < m->kernels[0].pp_count; i++) {
        assert_int_equal(m->kernels[0].pps[i].live, m->kernels[0].pps[i].live_div);
    }
    wr_module_free(m);
}

/* Many sums with a constant, all needed in a loop with the numbers themselves: they are made
 * again where they are used, and nothing goes to memory. */
static void made_again_rather_than_spilled(void **context)
{
    wr_compile_options options = {.max_regs = 24};
    char body[8192] = "mov.u32 %r70, 0;\n";
    wr_module *m;

    (void)context;
    for (unsigned i = 0; i < 14; i++) {
        (void)sprintf(body + strlen(body),
                      "ld.global.u32 %%r%u, [%%r1+%u];\nxor.b32 %%r%u, %%r%u, %u;\n", 10 + i, 4 * i,
                      30 + i, 10 + i, 77 + i);
    }
    (void)sprintf(body + strlen(body), "%s", "TOP:\n");
    for (unsigned i = 0; i < 14; i++) {
        (void)sprintf(body + strlen(body),
                      "st.global.u32 [%%r1+%u], %%r%u;\nst.global.u32 [%%r1+%u], %%r%u;\n", 64 + i,
                      10 + i, 128 + i, 30 + i);
    }
    (void)sprintf(body + strlen(body), "%s",
                  "add.s32 %r70, %r70, 1;\nsetp.lt.u32 %p3, %r70, %r3;\n@%p3 bra TOP;\n");
    m = compile(body, &options);
    assert_true(m->kernels[0].regs <= 24);
    assert_int_equal(m->kernels[0].spill_bytes, 0);
    wr_module_free(m);
}

static void drawn_live_ranges(void **context)
{
    wr_module *m = compile("ld.global.u32 %r10, [%r2];\nsetp.eq.u32 %p1, %r2, 3;\n"
                           "@%p1 add.s32 %r10, %r10, 1;\nst.global.u32 [%r2], %r10;\n",
                           NULL);
    const wr_kernel *k = &m->kernels[0];
    uint64_t before[16] = {0};
    char lines[16][WR_ISA_MAX_REGS + 1] = {{0}};

    (void)context;
    assert_int_equal(k->insn_count, 6);
    assert_int_equal(k->regs, 2);
    wr_draw_live(k, before);
    for (size_t i = 0; i < k->insn_count; i++) {
        wr_draw_line(k, before, i, lines[i]);
    }
    /* %tid in one register, what is loaded in the other */
    unsigned t = k->insns[0].dst, v = 1 - t;

    assert_int_equal(lines[0][t], 'v');
    assert_int_equal(lines[1][t], '+');
    assert_int_equal(lines[1][v], 'v');
    assert_int_equal(lines[2][t], '+');
    assert_int_equal(lines[2][v], '|');
    assert_int_equal(lines[3][v], '.');
    assert_int_equal(lines[4][t], '^');
    assert_int_equal(lines[4][v], '^');
    assert_int_equal(lines[5][0], '\0');
    wr_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_once),
        cmocka_unit_test(loaded_once),
        cmocka_unit_test(short_sides_lose_their_branch),
        cmocka_unit_test(other_sides_keep_it),
        cmocka_unit_test(cheaper_operations),
        cmocka_unit_test(branches_that_keep_a_warp_together),
        cmocka_unit_test(branches_that_may_not),
        cmocka_unit_test(uniform_loops_have_one_vector),
        cmocka_unit_test(made_again_rather_than_spilled),
        cmocka_unit_test(drawn_live_ranges),
    };

    return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
