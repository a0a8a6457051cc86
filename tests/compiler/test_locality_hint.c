/* SPDX-License-Identifier: Apache-2.0 */
/* Locality hints: what loads of which form say of their kernel. The forms are written by hand; what
 * each must say follows from who loads the same words, not from how the compiler finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/compiler/text.h"

/* A register is written once, as clang writes it, but for those that loops step.
 *
 * %r10 column, %r11 row of the thread, %r12, %r13 of its block; %r1 and %r3 a pointer and a width
 * in bytes. */
#define PLACE                                                                                      \
    "mov.u32 %r12, %ctaid.x;\nmov.u32 %r13, %ctaid.y;\nmov.u32 %r14, %ntid.x;\n"                   \
    "mov.u32 %r15, %ntid.y;\nmov.u32 %r16, %tid.y;\nmad.lo.u32 %r10, %r12, %r14, %r2;\n"           \
    "mad.lo.u32 %r11, %r13, %r15, %r16;\n"
/* Row by row, column by column: %r20 and %r21 step through them. */
#define ROW    "mad.lo.u32 %r20, %r11, %r3, %r1;\n"
#define COLUMN "shl.b32 %r19, %r10, 2;\nadd.u32 %r21, %r19, %r1;\n"
#define LOOP   "mov.u32 %r30, 0;\nmov.u32 %r31, 0;\nL:\n"
#define AGAIN                                                                                      \
    "add.u32 %r31, %r31, %r32;\nadd.u32 %r30, %r30, 1;\nsetp.lt.u32 %p1, %r30, %r3;\n"             \
    "@%p1 bra L;\n"
/* Each thread stores a word of its own. */
#define END                                                                                        \
    "mad.lo.u32 %r40, %r11, %r3, %r1;\nshl.b32 %r41, %r10, 2;\nadd.u32 %r40, %r40, %r41;\n"        \
    "st.global.u32 [%r40], %r31;\n"
/* %r22: the word of the thread. */
#define OWN "mad.lo.u32 %r24, %r11, %r3, %r1;\nshl.b32 %r23, %r10, 2;\nadd.u32 %r22, %r24, %r23;\n"
#define ADD "add.u32 %r31, %r32, %r33;\n"

static void hints(void **state)
{
    static const struct {
        const char *what;
        uint8_t hint;
        const char *body;
    } rows[] = {
        {"no loads", WR_TB_SHARES_NONE, PLACE "mov.u32 %r31, 1;\n" END},
        {"its own word", WR_TB_SHARES_NONE, PLACE OWN "ld.global.u32 %r31, [%r22];\n" END},
        {"a matrix product", WR_TB_SHARES_LINES,
         PLACE ROW COLUMN LOOP
         "ld.global.u32 %r32, [%r20];\nld.global.u32 %r33, [%r21];\nadd.u32 %r32, %r32, %r33;\n"
         "add.u32 %r20, %r20, 4;\nadd.u32 %r21, %r21, %r3;\n" AGAIN END},
        {"the same by index", WR_TB_SHARES_LINES,
         PLACE LOOP
         "mad.lo.u32 %r24, %r11, %r3, %r30;\nshl.b32 %r26, %r24, 2;\nadd.u32 %r27, %r26, %r1;\n"
         "mad.lo.u32 %r25, %r30, %r3, %r10;\nshl.b32 %r28, %r25, 2;\nadd.u32 %r29, %r28, %r1;\n"
         "ld.global.u32 %r32, [%r27];\nld.global.u32 %r33, [%r29];\nadd.u32 %r32, %r32, "
         "%r33;\n" AGAIN END},
        {"its loads do not change", WR_TB_SHARES_SOME,
         PLACE ROW COLUMN LOOP
         "ld.volatile.global.u32 %r32, [%r20];\n"
         "ld.volatile.global.u32 %r33, [%r21];\nadd.u32 %r32, %r32, %r33;\n" AGAIN END},
        {"rows alone", WR_TB_SHARES_SOME,
         PLACE ROW LOOP "ld.global.u32 %r32, [%r20];\nadd.u32 %r20, %r20, 4;\n" AGAIN END},
        {"a table for all", WR_TB_SHARES_SOME,
         PLACE
         "shl.b32 %r23, %r2, 2;\nadd.u32 %r22, %r23, %r1;\nld.global.u32 %r31, [%r22];\n" END},
        {"one word for all", WR_TB_SHARES_SOME, PLACE "ld.global.u32 %r31, [%r1];\n" END},
        {"a neighbour in x", WR_TB_SHARES_BORDERS,
         PLACE OWN "ld.global.u32 %r32, [%r22];\nld.global.u32 %r33, [%r22+4];\n" ADD END},
        {"both neighbours", WR_TB_SHARES_BORDERS,
         PLACE OWN "ld.global.u32 %r32, [%r22+-4];\nld.global.u32 %r33, [%r22+4];\n" ADD END},
        {"31 elements on", WR_TB_SHARES_BORDERS,
         PLACE OWN "ld.global.u32 %r32, [%r22];\nld.global.u32 %r33, [%r22+124];\n" ADD END},
        {"a warp's elements on", WR_TB_SHARES_NONE,
         PLACE OWN "ld.global.u32 %r32, [%r22];\nld.global.u32 %r33, [%r22+128];\n" ADD END},
        {"its own two words", WR_TB_SHARES_NONE,
         PLACE "shl.b32 %r23, %r10, 3;\nmad.lo.u32 %r24, %r11, %r3, %r23;\n"
               "add.u32 %r22, %r24, %r1;\n"
               "ld.global.u32 %r32, [%r22];\nld.global.u32 %r33, [%r22+4];\n" ADD END},
        {"neighbours of the block alone", WR_TB_SHARES_SOME,
         PLACE "shl.b32 %r23, %r2, 2;\nadd.u32 %r22, %r23, %r1;\n"
               "ld.global.u32 %r32, [%r22];\nld.global.u32 %r33, [%r22+4];\n" ADD END},
        {"where a loaded word says", WR_TB_SHARES_NONE,
         PLACE OWN "ld.global.u32 %r32, [%r22];\nshl.b32 %r33, %r32, 2;\n"
                   "add.u32 %r34, %r33, %r1;\nld.global.u32 %r31, [%r34];\n" END},
        {"shared memory", WR_TB_SHARES_NONE,
         PLACE "ld.shared.u32 %r32, [%r1];\nld.shared.u32 %r33, [%r1+4];\n" ADD END},
        {"a number that no constant scales", WR_TB_SHARES_NONE,
         PLACE "mul.lo.u32 %r24, %r10, %r3;\nmad.lo.u32 %r25, %r11, %r3, %r24;\n"
               "add.u32 %r22, %r25, %r1;\nld.global.u32 %r32, [%r22];\n"
               "ld.global.u32 %r33, [%r22+4];\n" ADD END},
        {"by shifts and products", WR_TB_SHARES_BORDERS,
         PLACE "mul.lo.u32 %r24, %r10, 2;\nmad.lo.u32 %r25, %r24, 2, %r13;\n"
               "neg.s32 %r26, %r25;\nsub.u32 %r22, %r1, %r26;\nld.global.u32 %r32, [%r22];\n"
               "ld.global.u32 %r33, [%r22+8];\n" ADD END},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_module *m = wr_test_compile(rows[i].body, 32, NULL);
        if (m->kernels[0].hint != rows[i].hint) {
            fail_msg("%s: hint %u, not %u", rows[i].what, m->kernels[0].hint, rows[i].hint);
        }
        wr_module_free(m);
    }
}

/* The pairs of a 64-bit address are followed as words are. */
static void wide_addresses(void **state)
{
    static const char body[] =
        "mov.u32 %r12, %ctaid.x;\nmov.u32 %r14, %ntid.x;\nmad.lo.u32 %r10, %r12, %r14, %r2;\n"
        "mul.wide.u32 %d4, %r10, 4;\nadd.u64 %d4, %d4, %d1;\nld.global.u32 %r32, [%d4];\n"
        "ld.global.u32 %r33, [%d4+4];\nadd.u32 %r31, %r32, %r33;\nst.global.u32 [%d4+8], %r31;\n";
    wr_module *m = wr_test_compile(body, 64, NULL);

    (void)state;
    assert_int_equal(m->kernels[0].hint, WR_TB_SHARES_BORDERS);
    wr_module_free(m);
}

/* In a grid of one dimension nobody reads blockIdx.y: rows are not shared. */
static void one_dimension(void **state)
{
    static const char body[] =
        "mov.u32 %r12, %ctaid.x;\nmov.u32 %r14, %ntid.x;\nmad.lo.u32 %r10, %r12, %r14, %r2;\n"
        "mov.u32 %r11, 0;\n" COLUMN LOOP
        "ld.global.u32 %r32, [%r21];\nadd.u32 %r21, %r21, %r3;\n" AGAIN END;
    wr_module *m = wr_test_compile(body, 32, NULL);

    (void)state;
    assert_int_equal(m->kernels[0].hint, WR_TB_SHARES_NONE);
    wr_module_free(m);
}

static void texts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WR_TB_SHARINGS; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(wr_tb_sharing_text((wr_tb_sharing)i),
                                    wr_tb_sharing_text((wr_tb_sharing)k));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints),
        cmocka_unit_test(wide_addresses),
        cmocka_unit_test(one_dimension),
        cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
