/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the source in a module: what `.file` and `.loc` say, by line of the PTX; and that they
 * change no code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/host/module.h"
#include "tests/compiler/text.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const text = /* the lines as they are counted */
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".func (.param .u32 r) less(.param .u32 a);\n" /* 4 */
    ".entry k(.param .u64 out) {\n"                /* 5 */
    "  .reg .u64 %d<4>;\n  .reg .u32 %r<9>;\n"
    "  .loc 1 20 3\n"
    "  .loc 2 7 1\n"           /* the header's own */
    "  mov.u32 %r1, %tid.x;\n" /* 10 */
    "  .loc 1 21 9\n"
    "  ld.param.u64 %d1, [out];\n"
    "  cvta.to.global.u64 %d1, %d1;\n"
    "  .loc 2 9 1\n"
    "  add.u32 %r2, %r1, 1;\n" /* 15 */
    "  .loc 1 0 0\n"           /* no line */
    "  {.param .u32 a; .param .u32 r; st.param.u32 [a], %r2; call (r), less, (a); ld.param.u32 "
    "%r3, [r];}\n"
    "  .loc 3 4 1\n"
    "  st.global.u32 [%d1], %r3;\n"
    "  .loc 1 25 1\n" /* 20 */
    "  ret;\n}\n"
    ".func (.param .u32 r) less(.param .u32 a) {\n"
    "  .reg .u32 %a; ld.param.u32 %a, [a]; sub.u32 %a, %a, 5; st.param.u32 [r], %a;\n"
    "  ret;\n}\n" /* 25, 26 */
    ".file 1 \"./saxpy.cu\"\n.file 2 \"<warpref>/cuda.h\"\n"
    ".file 3 \"/home/some/one\" \"deep/inner.h\", 12, 34\n";

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        unsigned ptx;
        const char *place;
    } wanted[] = {
        {1, "PTX line 1"},   {10, "saxpy.cu:21"}, {12, "saxpy.cu:21"},    {13, "saxpy.cu:21"},
        {15, "saxpy.cu:21"}, {17, "saxpy.cu:21"}, {19, "deep/inner.h:4"}, {21, "saxpy.cu:25"},
        {24, "PTX line 24"}, {25, "PTX line 25"}, {0, "PTX line 0"},
    };
    wr_module *m = wr_test_compile_text(text, NULL);
    char place[WR_SOURCE_TEXT];
    for (size_t i = 0; i < COUNT(wanted); i++) {
        wr_source_text(m->kernels[0].sources, wanted[i].ptx, place, sizeof place);
        assert_string_equal(place, wanted[i].place);
    }
    const wr_kernel *k = &m->kernels[0];
    unsigned st = wr_test_find(m, WR_OP_ST, 0);
    wr_source_text(k->sources, k->lines[st], place, sizeof place);
    assert_string_equal(place, "deep/inner.h:4");
    char cut[20]; /* the front goes, the number stays */
    wr_source_text(k->sources, 19, cut, sizeof cut);
    assert_string_equal(cut, "er.h:4");
    wr_module_free(m);
}

static void test_without(void **state)
{
    (void)state;
    char place[WR_SOURCE_TEXT];
    wr_module *m = wr_test_compile("  st.u32 [%r1], %r2;\n  ret;\n", 32, NULL);
    assert_null(m->kernels[0].sources);
    wr_source_text(m->kernels[0].sources, 7, place, sizeof place);
    assert_string_equal(place, "PTX line 7");
    wr_module_free(m);
}

/* Kernels of the library with lines and without have the same code; every store, load and branch
 * has its line in the kernel's own file. */
static void test_same_code(void **state)
{
    (void)state;
    static const char *const names[] = {"pathfinder_dynproc", "spmv_csr", "mriq", "tpacf",
                                        "dct8x8"};
    const char *none = "-g0";
    const wr_cuda_options with = {.address_size = 64},
                          without = {.address_size = 64, .flags = &none, .flag_count = 1};
    size_t placed = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[4096], own[64], place[WR_SOURCE_TEXT];
        wr_diag diag = {0};
        (void)snprintf(path, sizeof path, "%s/kernels/%s.cu", WR_SOURCE_DIR, names[i]);
        (void)snprintf(own, sizeof own, "%s.cu:", names[i]);
        wr_module *a = wr_module_load(path, &with, NULL, &diag);
        wr_module *b = wr_module_load(path, &without, NULL, &diag);
        if (a == NULL || b == NULL) {
            fail_msg("%s: %s", path, diag.message);
            return; /* for the analyzer */
        }
        assert_int_equal(a->kernel_count, b->kernel_count);
        for (size_t k = 0; k < a->kernel_count; k++) {
            const wr_kernel *one = &a->kernels[k], *other = &b->kernels[k];
            assert_null(other->sources);
            assert_int_equal(one->word_count, other->word_count);
            assert_memory_equal(one->words, other->words, 8 * one->word_count);
            for (size_t n = 0; n < one->insn_count; n++) {
                wr_op op = (wr_op)one->insns[n].op;
                if (one->lines[n] != 0 && (op == WR_OP_ST || op == WR_OP_LD || op == WR_OP_BRA)) {
                    wr_source_text(one->sources, one->lines[n], place, sizeof place);
                    if (strstr(place, own) == NULL) {
                        fail_msg("%s, PTX line %u: %s", path, one->lines[n], place);
                    }
                    placed++;
                }
            }
        }
        wr_module_free(a);
        wr_module_free(b);
    }
    assert_true(placed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_without),
                                       cmocka_unit_test(test_same_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
