/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption points: where they are in kernels written for the purpose, and what their vectors
 * hold, against an oracle that searches paths through the decoded machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "points_oracle.h"
#include "program.h"
#include "random.h"
#include "shell/compiler/compiler.h"

#define HEAD                                                                                       \
    ".version 4.0\n.target sm_50\n.address_size 32\n"                                              \
    ".visible .entry k(.param .u32 out, .param .u32 n)\n{\n"                                       \
    ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n"

#define HEAD_LIMITED                                                                               \
    ".version 4.0\n.target sm_50\n.address_size 32\n"                                              \
    ".visible .entry k(.param .u32 out, .param .u32 n)\n.maxnreg 12\n{\n"                          \
    ".reg .b32 %r<40>;\n"

static wr_module *compile(const char *text, const wr_compile_options *options)
{
    wr_diag diag = {0};
    wr_ptx_module *ptx = wr_ptx_parse("test.ptx", text, strlen(text), &diag);
    wr_module *module;

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

/* ---- kernels ---- */

static unsigned count_points(const wr_kernel *k, bool bars)
{
    unsigned count = 0;

    for (size_t i = 0; i < k->pp_count; i++) {
        count += k->pps[i].is_bar == bars ? 1 : 0;
    }
    return count;
}

static void short_kernel_has_none(void **context)
{
    wr_module *m =
        compile(HEAD "ld.param.u32 %r1, [out];\nst.global.u32 [%r1], 1;\nret;\n}\n", NULL);

    (void)context;
    assert_int_equal(m->kernels[0].pp_count, 0);
    assert_int_equal(m->kernels[0].max_live, 0);
    wr_module_free(m);
}

#define LOOP_HEAD                                                                                  \
    HEAD "ld.param.u32 %r1, [out];\nld.param.u32 %r2, [n];\nmov.u32 %r3, 0;\nmov.u32 %r5, "        \
         "%tid.x;\n"
#define LOOP_TAIL                                                                                  \
    "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r2;\n@%p1 bra TOP;\nst.global.u32 [%r1], %r5;\n" \
    "ret;\n}\n"

static void loop_gets_one_at_minimum(void **context)
{
    /* %r6, %r7 live in the middle: the minimum is before or after. */
    wr_module *m = compile(LOOP_HEAD "TOP:\nadd.s32 %r6, %r5, 3;\nxor.b32 %r7, %r5, 5;\n"
                                     "mul.lo.s32 %r8, %r6, %r7;\nadd.s32 %r5, %r8, %r6;\n"
                                     "add.s32 %r5, %r5, %r7;\n" LOOP_TAIL,
                           NULL);
    const wr_kernel *k = &m->kernels[0];
    const wr_pp *pp = &k->pps[0];
    const wr_insn *latch = NULL;

    (void)context;
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == WR_OP_BRA) {
            latch = &k->insns[i];
        }
    }
    if (latch == NULL) {
        fail_msg("no branch");
        return;
    }
    assert_int_equal(k->pp_count, 1);
    assert_false(pp->is_bar);
    assert_true(pp->in_loop);
    assert_true(pp->line > 0);
    wr_points_check_vectors(k);
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].pc >= latch->target && k->insns[i].pc <= latch->pc) {
            assert_true(pp->live_count <=
                        (unsigned)__builtin_popcountll(wr_points_live_at(k, k->insns[i].pc)));
        }
    }
    assert_int_equal(k->max_live,
                     pp->live_count > pp->live_div_count ? pp->live_count : pp->live_div_count);
    wr_module_free(m);
}

static void barrier_in_loop_is_enough(void **context)
{
    wr_module *m = compile(LOOP_HEAD "TOP:\nadd.s32 %r5, %r5, 3;\nbar.sync 0;\n" LOOP_TAIL, NULL);

    (void)context;
    assert_int_equal(m->kernels[0].pp_count, 1);
    assert_true(m->kernels[0].pps[0].is_bar);
    assert_true(m->kernels[0].pps[0].in_loop);
    wr_points_check_vectors(&m->kernels[0]);
    wr_module_free(m);
}

static void only_the_inner_loop_of_a_nest(void **context)
{
    wr_module *m = compile(LOOP_HEAD "TOP:\nmov.u32 %r9, 0;\nINNER:\nadd.s32 %r5, %r5, %r9;\n"
                                     "add.s32 %r9, %r9, 1;\nsetp.lt.s32 %p2, %r9, 7;\n"
                                     "@%p2 bra INNER;\n" LOOP_TAIL,
                           NULL);
    const wr_kernel *k = &m->kernels[0];
    uint32_t top = UINT32_MAX, end = 0;

    (void)context;
    assert_int_equal(k->pp_count, 1);
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == WR_OP_BRA && end == 0) {
            end = k->insns[i].pc; /* the inner latch comes first in the text */
            top = k->insns[i].target;
        }
    }
    assert_in_range(k->pps[0].pc, top, end);
    wr_points_check_vectors(k);
    wr_module_free(m);
}

/* The fewest live registers are in a block that not every iteration passes. */
static void every_iteration_passes_it(void **context)
{
    wr_module *m = compile(LOOP_HEAD "TOP:\nsetp.eq.s32 %p2, %r3, 3;\n@%p2 bra SKIP;\n"
                                     "add.s32 %r5, %r5, 3;\nSKIP:\n" LOOP_TAIL,
                           NULL);
    const wr_kernel *k = &m->kernels[0];

    (void)context;
    assert_int_equal(k->pp_count, 1);
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == WR_OP_BRA && k->insns[i].reconv == k->insns[i].target) {
            assert_false(k->pps[0].pc > k->insns[i].pc && k->pps[0].pc < k->insns[i].target);
        }
    }
    wr_points_check_vectors(k);
    wr_module_free(m);
}

static void straight_code_has_one_every_interval(void **context)
{
    char *text = malloc(200000);
    size_t used;
    wr_compile_options options = {.pp_interval = 1000};
    wr_module *m;

    (void)context;
    assert_non_null(text);
    used = (size_t)sprintf(text, "%s", LOOP_HEAD);
    for (unsigned i = 0; i < 1250; i++) {
        used += (size_t)sprintf(text + used,
                                "mul.lo.s32 %%r6, %%r5, %%r5;\nadd.s32 %%r5, %%r6, %u;\n", i + 1);
    }
    (void)sprintf(text + used, "st.global.u32 [%%r1], %%r5;\nret;\n}\n");
    m = compile(text, &options);
    assert_int_equal(count_points(&m->kernels[0], false), 2);
    wr_module_free(m);
    options.pp_interval = 100;
    m = compile(text, &options);
    assert_in_range(count_points(&m->kernels[0], false), 24, 25);
    assert_int_equal(m->kernels[0].max_live, 1);
    wr_module_free(m);
    options.no_pp = true;
    m = compile(text, &options);
    assert_int_equal(m->kernels[0].pp_count, 0);
    wr_module_free(m);
    free(text);
}

/* Lin-P Fig. 5: at a point on one side of a branch, what the other side needs is dead for this
 * path but must be saved while lanes wait there. %r10 is read on the left only, %r11 on the
 * right only, %r12 behind the join only. */
static void diamond_unites_both_sides(void **context)
{
    wr_module *m = compile(
        HEAD "ld.param.u32 %r1, [out];\nmov.u32 %r5, %tid.x;\nmul.lo.s32 %r10, %r5, 3;\n"
             "mul.lo.s32 %r11, %r5, 5;\nmul.lo.s32 %r12, %r5, 7;\nsetp.lt.s32 %p1, %r5, 4;\n"
             "mov.u32 %r3, 0;\n@%p1 bra RIGHT;\n"
             "TOP:\nadd.s32 %r10, %r10, %r3;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p2, %r3, 9;\n"
             "@%p2 bra TOP;\nmov.u32 %r20, %r10;\nbra.uni JOIN;\n"
             "RIGHT:\nadd.s32 %r20, %r11, 1;\n"
             "JOIN:\nadd.s32 %r20, %r20, %r12;\nst.global.u32 [%r1], %r20;\nret;\n}\n",
        NULL);
    const wr_kernel *k = &m->kernels[0];

    (void)context;
    assert_int_equal(k->pp_count, 1);
    wr_points_check_vectors(k);
    assert_int_equal(k->pps[0].live & ~k->pps[0].live_div, 0);
    /* %r10, %r3, %r12 against %r11 besides. */
    assert_int_equal(k->pps[0].live_count, 3);
    assert_int_equal(k->pps[0].live_div_count, 4);
    assert_int_equal(k->max_live, 4);
    wr_module_free(m);
}

/* Each has a pp in front, and a loop with one needs no other. */
static void other_barriers_are_points(void **context)
{
    wr_module *m =
        compile(LOOP_HEAD "TOP:\nbar.sync 0;\nadd.s32 %r5, %r5, 3;\nbar.sync 1;\n" LOOP_TAIL, NULL);
    wr_compile_options without = {.no_pp = true};
    unsigned bars = 0;

    (void)context;
    assert_int_equal(m->kernels[0].pp_count, 2);
    wr_points_check_vectors(&m->kernels[0]);
    for (size_t i = 1; i < m->kernels[0].insn_count; i++) {
        if (m->kernels[0].insns[i].op != WR_OP_BAR) {
            continue;
        }
        assert_int_equal(m->kernels[0].insns[i - 1].op, WR_OP_PP);
        bars++;
    }
    assert_int_equal(bars, 1);
    wr_module_free(m);

    m = compile(LOOP_HEAD "TOP:\nbar.sync 0;\nadd.s32 %r5, %r5, 3;\nbar.sync 1;\n" LOOP_TAIL,
                &without);
    assert_int_equal(m->kernels[0].pp_count, 0);
    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        bars += m->kernels[0].insns[i].op == WR_OP_BAR ? 1 : 0;
    }
    assert_int_equal(bars, 3);
    wr_module_free(m);
}

static void registers_above_52_share_a_bit(void **context)
{
    char text[16384];
    size_t used = (size_t)sprintf(text, "%s", HEAD ".reg .b32 %s<60>;\nld.param.u32 %r1, [out];\n");
    wr_module *m;
    const wr_kernel *k;

    (void)context;
    for (unsigned i = 0; i < 58; i++) {
        used += (size_t)sprintf(text + used, "ld.global.u32 %%s%u, [%%r1+%u];\n", i, 4 * i);
    }
    used += (size_t)sprintf(text + used, "bar.sync 0;\n");
    for (unsigned i = 0; i < 58; i++) {
        used += (size_t)sprintf(text + used, "st.global.u32 [%%r1+%u], %%s%u;\n", 400 + 4 * i, i);
    }
    (void)sprintf(text + used, "ret;\n}\n");
    m = compile(text, NULL);
    k = &m->kernels[0];
    assert_in_range(k->regs, 59, 63);
    assert_int_equal(k->pp_count, 1);
    assert_true(k->pps[0].live >> 53 & 1);
    assert_int_equal(k->spill_bytes, 0);
    wr_points_check_vectors(k);
    assert_int_equal(k->pps[0].live_count,
                     (unsigned)__builtin_popcountll(k->pps[0].live) - 1 + k->regs - 53);
    wr_module_free(m);
}

static void random_programs_have_right_vectors(void **context)
{
    const char *seed = getenv("WARPREF_SEED");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    char *text = malloc(65536);
    uint64_t points = 0;

    (void)context;
    assert_non_null(text);
    for (uint64_t i = 0; i < (seed != NULL ? 1u : 60u); i++) {
        wr_compile_options options = {.pp_interval = 12, .max_regs = i % 3 == 0 ? 12 : 63};
        wr_module *m;

        wr_random_ptx(first + i, i % 2 ? 64 : 32, text, 65536);
        m = compile(text, &options);
        wr_points_check_vectors(&m->kernels[0]);
        points += m->kernels[0].pp_count;
        wr_module_free(m);
    }
    print_message("%llu points, seeds from %llu\n", (unsigned long long)points,
                  (unsigned long long)first);
    assert_true(points > 0);
    free(text);
}

/* Every kind of control flow: vectors and places. */
static void programs_of_all_kinds(void **context)
{
    const char *seed = getenv("WARPREF_SEED");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    char *text = malloc(1 << 18);
    unsigned points = 0, loops = 0;

    (void)context;
    assert_non_null(text);
    for (uint64_t i = 0; i < (seed != NULL ? 1u : 40u); i++) {
        wr_compile_options options = {.pp_interval = 12, .max_regs = i % 3 == 0 ? 16 : 63};
        wr_program program;
        wr_module *m;

        wr_program_write(first + i, i % 2 ? 64 : 32, text, 1 << 18, &program);
        m = compile(text, &options);
        wr_points_check_vectors(&m->kernels[0]);
        loops += wr_points_check_loops(&m->kernels[0]);
        points += (unsigned)m->kernels[0].pp_count;
        wr_module_free(m);
    }
    print_message("%u points, %u inner loops, seeds from %llu\n", points, loops,
                  (unsigned long long)first);
    assert_true(points > 100 || seed != NULL);
    assert_true(loops > 40 || seed != NULL);
    free(text);
}

static const wr_insn *branch(const wr_kernel *k, unsigned number)
{
    for (size_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == WR_OP_BRA && k->insns[i].guard != WR_ISA_PT && number-- == 0) {
            return &k->insns[i];
        }
    }
    fail_msg("the kernel has too few branches");
    return NULL;
}

/* Lanes that return must not be waited for where a barrier follows: the others meet without
 * them, behind the branch or where its ways to the barrier join. */
static void lanes_that_return_are_not_waited_for(void **context)
{
    const wr_compile_options plain = {.no_cleanup = true}; /* sides stay behind branches */
    wr_module *m = compile(HEAD "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                                "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra END;\n"
                                "bar.sync 0;\nst.global.u32 [%r1], %r2;\nEND:\nret;\n}\n",
                           &plain);
    const wr_insn *b = branch(&m->kernels[0], 0);

    (void)context;
    assert_int_equal(b->reconv, b->pc + b->size);
    wr_points_check_vectors(&m->kernels[0]);
    wr_module_free(m);

    m = compile(HEAD "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                     "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra JOIN;\n"
                     "st.global.u32 [%r1], %r1;\nsetp.eq.u32 %p2, %r1, 3;\n@%p2 bra END;\n"
                     "st.global.u32 [%r1+4], %r1;\nJOIN:\n"
                     "bar.sync 0;\nst.global.u32 [%r1], %r2;\nEND:\nret;\n}\n",
                &plain);
    b = branch(&m->kernels[0], 0);
    assert_int_equal(b->reconv, b->target);
    b = branch(&m->kernels[0], 1);
    assert_int_equal(b->reconv, b->pc + b->size);
    wr_points_check_vectors(&m->kernels[0]);
    wr_module_free(m);

    /* Nor before a vote of all that are left, */
    m = compile(HEAD
                "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra JOIN;\n"
                "st.global.u32 [%r1], %r1;\nsetp.eq.u32 %p2, %r1, 3;\n@%p2 bra END;\n"
                "st.global.u32 [%r1+4], %r1;\nJOIN:\n"
                "vote.sync.ballot.b32 %r3, %p1, -1;\nst.global.u32 [%r1], %r3;\nEND:\nret;\n}\n",
                &plain);
    b = branch(&m->kernels[0], 0);
    assert_int_equal(b->reconv, b->target);
    b = branch(&m->kernels[0], 1);
    assert_int_equal(b->reconv, b->pc + b->size);
    wr_points_check_vectors(&m->kernels[0]);
    wr_module_free(m);

    /* but where they would meet for more than to end they wait there. */
    m = compile(HEAD "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                     "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra REST;\n"
                     "vote.sync.ballot.b32 %r3, %p1, 255;\nst.global.u32 [%r1], %r3;\n"
                     "REST:\nst.global.u32 [%r1+8], %r2;\nret;\n}\n",
                &plain);
    b = branch(&m->kernels[0], 0);
    assert_int_equal(b->reconv, b->target);
    wr_module_free(m);

    /* A loop that some lanes return from, before another one with the barrier: the branches of
     * the first join on the way to the second. */
    m = compile(HEAD "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nmov.u32 %r3, 0;\n"
                     "FIRST:\nsetp.eq.u32 %p1, %r1, %r3;\n@%p1 bra END;\nadd.u32 %r3, %r3, 1;\n"
                     "st.global.u32 [%r1], %r3;\nsetp.lt.u32 %p2, %r3, %r1;\n@%p2 bra FIRST;\n"
                     "SECOND:\nbar.sync 0;\nsub.u32 %r2, %r2, 1;\nsetp.gt.u32 %p3, %r2, 5;\n"
                     "@%p3 bra SECOND;\nst.global.u32 [%r1], %r2;\nEND:\nret;\n}\n",
                &plain);
    b = branch(&m->kernels[0], 0);
    assert_int_equal(b->reconv, b->pc + b->size);
    b = branch(&m->kernels[0], 1);
    assert_int_equal(b->reconv, b->pc + b->size);
    wr_points_check_vectors(&m->kernels[0]);
    wr_module_free(m);

    /* Without a barrier all lanes meet at the end, as ever. */
    m = compile(HEAD "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                     "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra END;\n"
                     "st.global.u32 [%r1], %r2;\nEND:\nret;\n}\n",
                &plain);
    b = branch(&m->kernels[0], 0);
    assert_int_equal(b->reconv, b->target);
    wr_module_free(m);
}

static void register_limit_of_the_kernel(void **context)
{
    char text[4096] = HEAD_LIMITED "mov.u32 %r0, %tid.x;\n";

    (void)context;
    for (unsigned i = 1; i < 20; i++) {
        (void)sprintf(text + strlen(text), "ld.global.u32 %%r%u, [%%r0+%u];\n", i, 4 * i);
    }
    for (unsigned i = 1; i < 20; i++) {
        (void)sprintf(text + strlen(text), "st.global.u32 [%%r0+%u], %%r%u;\n", 4 * i, 20 - i);
    }
    (void)sprintf(text + strlen(text), "ret;\n}\n");
    wr_module *m = compile(text, NULL);

    assert_true(m->kernels[0].regs <= 12);
    wr_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_kernel_has_none),
        cmocka_unit_test(loop_gets_one_at_minimum),
        cmocka_unit_test(barrier_in_loop_is_enough),
        cmocka_unit_test(only_the_inner_loop_of_a_nest),
        cmocka_unit_test(every_iteration_passes_it),
        cmocka_unit_test(straight_code_has_one_every_interval),
        cmocka_unit_test(diamond_unites_both_sides),
        cmocka_unit_test(other_barriers_are_points),
        cmocka_unit_test(registers_above_52_share_a_bit),
        cmocka_unit_test(lanes_that_return_are_not_waited_for),
        cmocka_unit_test(register_limit_of_the_kernel),
        cmocka_unit_test(random_programs_have_right_vectors),
        cmocka_unit_test(programs_of_all_kinds),
    };

    return cmocka_run_group_tests_name("preemption points", tests, NULL, NULL);
}
