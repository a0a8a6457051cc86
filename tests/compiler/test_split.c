/* SPDX-License-Identifier: Apache-2.0 */
/* Values that go to memory stay in registers inside most loops that read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"

enum { LOOPS = 6, VALUES = 8, TEXT = 16384 };

typedef struct text {
    char at[TEXT];
    size_t used;
} text;

static void say(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    n = vsnprintf(t->at + t->used, TEXT - t->used, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < TEXT - t->used);
    t->used += (size_t)n;
}

/* All values are loaded first and stored last; each loop reads some of its own. */
static void write_kernel(text *t)
{
    say(t,
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %%p<2>;\n.reg .b32 %%r<99>;\n.reg .b64 %%d<2>;\nld.param.u64 %%d0, [out];\n");
    for (unsigned v = 0; v < LOOPS * VALUES; v++) {
        say(t, "ld.volatile.global.u32 %%r%u, [%%d0+%u];\n", 10 + v, 4 * v);
    }
    say(t, "mov.u32 %%r1, 0;\n");
    for (unsigned l = 0; l < LOOPS; l++) {
        say(t, "mov.u32 %%r0, 0;\nL%u:\n", l);
        for (unsigned v = 0; v < VALUES; v++) {
            say(t, "mad.lo.s32 %%r1, %%r1, %%r%u, %%r0;\n", 10 + l * VALUES + v);
        }
        say(t, "add.s32 %%r0, %%r0, 1;\nsetp.lt.u32 %%p0, %%r0, 10;\n@%%p0 bra L%u;\n", l);
    }
    say(t, "st.volatile.global.u32 [%%d0], %%r1;\n");
    for (unsigned v = 0; v < LOOPS * VALUES; v++) {
        say(t, "st.volatile.global.u32 [%%d0+%u], %%r%u;\n", 4 * v + 4, 10 + v);
    }
    say(t, "ret;\n}\n");
}

static void loops_load_little(void **context)
{
    text t = {.used = 0};
    wr_diag diag = {0};
    wr_compile_options options = {.max_regs = 24};
    wr_ptx_module *tree;
    wr_module *module;
    unsigned loops = 0, loads = 0;

    (void)context;
    write_kernel(&t);
    tree = wr_ptx_parse("t", t.at, t.used, &diag);
    assert_non_null(tree);
    module = wr_compile(tree, &options, &diag);
    assert_non_null(module);
    assert_true(module->kernels[0].spill_bytes > 0 && module->kernels[0].regs <= 24);
    for (size_t i = 0; i < module->kernels[0].insn_count; i++) {
        const wr_insn *branch = &module->kernels[0].insns[i];

        if (branch->op != WR_OP_BRA || branch->target >= branch->pc) {
            continue;
        }
        loops++;
        for (size_t k = 0; k < i; k++) {
            const wr_insn *insn = &module->kernels[0].insns[k];

            if (insn->pc >= branch->target && insn->op == WR_OP_LD &&
                insn->space == WR_SPACE_LOCAL) {
                loads++;
            }
        }
    }
    assert_int_equal(loops, LOOPS);
    assert_true(loads <= VALUES); /* without splitting every second value is loaded in its loop */
    wr_module_free(module);
    wr_ptx_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_load_little)};

    return cmocka_run_group_tests_name("splitting", tests, NULL, NULL);
}
