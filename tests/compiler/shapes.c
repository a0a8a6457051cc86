/* SPDX-License-Identifier: Apache-2.0 */
/* Each shape is a function that writes PTX until it has about the lines asked for. Numbers come
 * from a small generator whose seed is the shape's size. */
#include "tests/compiler/shapes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT = 6, KERNEL_LINES = 250, CHAIN = 8 };

static void say(wr_shape_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(wr_shape_text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    int n;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line) {
        abort();
    }
    if (t->size - t->used <= (size_t)n) {
        t->size = 2 * t->size + sizeof line;
        t->at = realloc(t->at, t->size);
        if (t->at == NULL) {
            abort();
        }
    }
    memcpy(t->at + t->used, line, (size_t)n + 1);
    t->used += (size_t)n;
    for (int i = 0; i < n; i++) {
        t->lines += line[i] == '\n' ? 1 : 0;
    }
}

static unsigned pick(uint32_t *state, unsigned n)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (*state >> 8) % n;
}

/* %d0: memory; %r0: the thread. */
static void begin_kernel(wr_shape_text *t, unsigned number, unsigned regs)
{
    say(t, ".visible .entry k%u(.param .u64 out)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<%u>;\n",
        number, regs);
    say(t, ".reg .b64 %%d<2>;\nld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\n");
}

static void end_kernel(wr_shape_text *t)
{
    say(t, "ret;\n}\n");
}

/* ---- a mix, as in hand-written kernels ---- */

typedef struct mixer {
    wr_shape_text *text;
    uint32_t state;
    unsigned labels;
    unsigned recent[RECENT]; /* registers that are certainly written */
} mixer;

/* Registers are written once, as clang does, but for the accumulators %r1 .. %r8. */
static void say_mixed(mixer *m, unsigned fresh)
{
    wr_shape_text *t = m->text;
    unsigned old = m->recent[pick(&m->state, RECENT)], sum = 1 + pick(&m->state, 8);
    unsigned place = 4 * pick(&m->state, 64);

    switch (pick(&m->state, 6)) {
    case 0:
        say(t, "ld.global.u32 %%r%u, [%%d0+%u];\n", fresh, place);
        break;
    case 1:
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\nadd.s32 %%r%u, %%r%u, 5;\n", place, old, fresh,
            old);
        break;
    case 2:
        say(t, "mad.lo.s32 %%r%u, %%r%u, 3, %%r1;\n", fresh, old);
        break;
    case 3:
        say(t, "shl.b32 %%r%u, %%r%u, %u;\n", fresh, old, 1 + place % 7);
        break;
    case 4:
        say(t, "xor.b32 %%r%u, %%r%u, %%r%u;\n", fresh, old, sum);
        break;
    default:
        say(t, "add.s32 %%r%u, %%r%u, %%r%u;\nmov.u32 %%r%u, %%r%u;\n", fresh, old, sum, sum,
            fresh);
        break;
    }
    m->recent[fresh % RECENT] = fresh;
}

static void say_mixed_part(mixer *m, unsigned *fresh, unsigned most)
{
    wr_shape_text *t = m->text;
    unsigned label = m->labels++, kind = pick(&m->state, 8), outside[RECENT];

    memcpy(outside, m->recent, sizeof outside);
    if (kind < 3) {
        say(t, "setp.lt.s32 %%p0, %%r%u, %u;\n@%%p0 bra L%u;\n", 1 + pick(&m->state, 8),
            pick(&m->state, 99), label);
    } else if (kind == 3) {
        say(t, "mov.u32 %%r9, %u;\nL%u:\n", 1 + pick(&m->state, 9), label);
    }
    for (unsigned i = 3 + pick(&m->state, 6); i > 0 && *fresh + 2 < most; i--, (*fresh)++) {
        say_mixed(m, *fresh);
    }
    if (kind < 3) {
        say(t, "L%u:\n", label);
        memcpy(m->recent, outside, sizeof outside);
    } else if (kind == 3) {
        say(t, "sub.s32 %%r9, %%r9, 1;\nsetp.gt.s32 %%p1, %%r9, 0;\n@%%p1 bra L%u;\n", label);
    } else if (kind == 4) {
        say(t, "bar.sync 0;\n");
    }
}

static void mixed_kernel(mixer *m, unsigned number, unsigned lines)
{
    wr_shape_text *t = m->text;
    unsigned end = t->lines + lines, fresh = 20;

    begin_kernel(t, number, lines + 100);
    for (unsigned r = 1; r < 20; r++) {
        say(t, "add.s32 %%r%u, %%r%u, %u;\n", r, r - 1, r);
    }
    for (unsigned i = 0; i < RECENT; i++) {
        m->recent[i] = 10 + i;
    }
    while (t->lines + 4 < end) {
        say_mixed_part(m, &fresh, lines + 100);
    }
    for (unsigned r = 1; r < 9; r++) {
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\n", 4 * r, r);
    }
    end_kernel(t);
}

static void kernels(wr_shape_text *t, unsigned lines)
{
    mixer m = {.text = t, .state = lines};

    for (unsigned number = 0; t->lines + KERNEL_LINES <= lines; number++) {
        mixed_kernel(&m, number, KERNEL_LINES);
    }
}

static void one_kernel(wr_shape_text *t, unsigned lines)
{
    mixer m = {.text = t, .state = lines};

    mixed_kernel(&m, 0, lines);
}

/* ---- straight code ---- */

static void unrolled(wr_shape_text *t, unsigned lines)
{
    begin_kernel(t, 0, lines + 10);
    say(t, "mov.u32 %%r1, %%r0;\n");
    for (unsigned r = 2; t->lines + 6 < lines; r += 3) {
        say(t, "ld.global.u32 %%r%u, [%%d0+%u];\nmad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n", r,
            4 * (r % 1000), r + 1, r, r, r - 1);
        say(t, "xor.b32 %%r%u, %%r%u, %%r%u;\nst.global.u32 [%%d0+%u], %%r%u;\n", r + 2, r + 1, r,
            4 * (r % 1000) + 4000, r + 2);
    }
    end_kernel(t);
}

/* A third of the lines load, the rest adds in another order. */
static void pressure(wr_shape_text *t, unsigned lines)
{
    unsigned values = lines / 3, state = 7 % values;

    begin_kernel(t, 0, 2 * values + 10);
    for (unsigned r = 1; r <= values; r++) {
        say(t, "ld.volatile.global.u32 %%r%u, [%%d0+%u];\n", r, 4 * r);
    }
    say(t, "mov.u32 %%r%u, %%r0;\n", values + 1);
    for (unsigned r = 1; r <= values; r++) {
        state = (state + 617) % values;
        say(t, "mad.lo.s32 %%r%u, %%r%u, 3, %%r%u;\n", values + 1 + r, values + r, 1 + state);
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\n", 4 * r, values + 1 + r);
    }
    end_kernel(t);
}

/* Values that live across many short branches. */
static void across(wr_shape_text *t, unsigned lines)
{
    unsigned values = lines / 8, fresh = values + 1;

    begin_kernel(t, 0, 3 * values + 10);
    for (unsigned r = 1; r <= values; r++) {
        say(t, "ld.volatile.global.u32 %%r%u, [%%d0+%u];\n", r, 4 * r);
    }
    for (unsigned i = 1; i <= values; i++) {
        say(t, "ld.volatile.global.u32 %%r%u, [%%d0];\nsetp.lt.s32 %%p0, %%r%u, %u;\n", fresh,
            fresh, i);
        say(t,
            "@%%p0 bra L%u;\nst.volatile.global.u32 [%%d0+%u], %%r%u;\nbar.warp.sync -1;\nL%u:\n",
            i, 4 * i, fresh, i);
        fresh++;
    }
    for (unsigned r = 1; r <= values; r++) {
        say(t, "st.global.u32 [%%d0+%u], %%r%u;\n", 4 * r, r);
    }
    end_kernel(t);
}

/* ---- control flow ---- */

static void nest(wr_shape_text *t, unsigned lines)
{
    unsigned depth = lines / 6;

    begin_kernel(t, 0, depth + 10);
    for (unsigned i = 1; i <= depth; i++) {
        say(t,
            "ld.volatile.global.u32 %%r%u, [%%d0+%u];\nsetp.lt.s32 %%p0, %%r%u, %%r0;\n"
            "@%%p0 bra L%u;\n",
            i, 4 * i, i, i);
    }
    for (unsigned i = depth; i > 0; i--) {
        say(t, "st.volatile.global.u32 [%%d0+%u], %%r0;\nbar.warp.sync -1;\nL%u:\n", 4 * i, i);
    }
    end_kernel(t);
}

/* Branches that overlap. */
static void labels(wr_shape_text *t, unsigned lines)
{
    unsigned count = lines / 5;

    begin_kernel(t, 0, count + 10);
    for (unsigned i = 1; i <= count; i++) {
        say(t,
            "ld.volatile.global.u32 %%r%u, [%%d0+%u];\nsetp.lt.s32 %%p0, %%r%u, %%r0;\n"
            "@%%p0 bra L%u;\nst.global.u32 [%%d0+%u], %%r%u;\nL%u:\n",
            i, 4 * i, i, i + 7 < count ? i + 7 : count, 4 * i, i, i);
    }
    end_kernel(t);
}

static void cases(wr_shape_text *t, unsigned lines)
{
    unsigned count = lines / 5;

    begin_kernel(t, 0, 10);
    say(t, "and.b32 %%r1, %%r0, 1023;\nTABLE: .branchtargets");
    for (unsigned i = 0; i < count; i++) {
        say(t, " L%u%s", i, i + 1 < count ? ",\n" : ";\n");
    }
    say(t, "brx.idx %%r1, TABLE;\n");
    for (unsigned i = 0; i < count; i++) {
        say(t, "L%u:\nadd.s32 %%r2, %%r1, %u;\nst.global.u32 [%%d0+%u], %%r2;\nbra DONE;\n", i, i,
            4 * i);
    }
    say(t, "DONE:\n");
    end_kernel(t);
}

static void loops(wr_shape_text *t, unsigned lines)
{
    unsigned count = lines / 6;

    begin_kernel(t, 0, 10);
    for (unsigned i = 1; i <= count; i++) {
        say(t, "mov.u32 %%r1, %u;\nL%u:\nst.volatile.global.u32 [%%d0+%u], %%r1;\n", i, i, 4 * i);
        say(t, "sub.s32 %%r1, %%r1, 1;\nsetp.gt.s32 %%p0, %%r1, 0;\n@%%p0 bra L%u;\n", i);
    }
    end_kernel(t);
}

static void loop_nest(wr_shape_text *t, unsigned lines)
{
    unsigned depth = lines / 5;

    begin_kernel(t, 0, depth + 10);
    for (unsigned i = 1; i <= depth; i++) {
        say(t, "L%u:\nld.volatile.global.u32 %%r%u, [%%d0+%u];\n", i, i, 4 * i);
    }
    for (unsigned i = depth; i > 0; i--) {
        say(t,
            "ld.volatile.global.u32 %%r0, [%%d0+%u];\nsetp.gt.s32 %%p0, %%r0, 0;\n"
            "@%%p0 bra L%u;\n",
            4 * i, i);
    }
    end_kernel(t);
}

/* ---- functions ---- */

static void function(wr_shape_text *t, unsigned i, unsigned callee)
{
    say(t, ".func (.param .b32 y) f%u(.param .b32 x)\n{\n.reg .b32 %%r<4>;\n", i);
    say(t, "ld.param.u32 %%r0, [x];\nadd.s32 %%r1, %%r0, %u;\n", i);
    if (callee != 0) {
        say(t, "call (%%r1), f%u, (%%r1);\n", callee);
    }
    say(t, "st.param.b32 [y], %%r1;\nret;\n}\n");
}

/* Chains of eight, each called from one kernel. */
static void functions(wr_shape_text *t, unsigned lines)
{
    unsigned count = 0;

    while (t->lines + (count + 1) / CHAIN + 10 < lines) {
        count++;
        function(t, count, count % CHAIN == 1 ? 0 : count - 1);
    }
    begin_kernel(t, 0, 10);
    for (unsigned i = CHAIN; i <= count; i += CHAIN) {
        say(t, "call (%%r0), f%u, (%%r0);\n", i);
    }
    say(t, "st.global.u32 [%%d0], %%r0;\n");
    end_kernel(t);
}

/* As many kernels as functions. */
static void callers(wr_shape_text *t, unsigned lines)
{
    for (unsigned i = 1; t->lines + 20 < lines; i++) {
        function(t, i, 0);
        begin_kernel(t, i, 10);
        say(t, "call (%%r0), f%u, (%%r0);\nst.global.u32 [%%d0], %%r0;\n", i);
        end_kernel(t);
    }
}

const wr_shape wr_shapes[] = {
    {"kernels", "kernels of 250 lines", kernels},
    {"kernel", "one kernel, mixed code", one_kernel},
    {"unrolled", "straight code, few values live", unrolled},
    {"pressure", "straight code, a third of the lines live at once", pressure},
    {"across", "an eighth of the lines live across as many branches", across},
    {"nest", "branches within branches", nest},
    {"labels", "overlapping branches", labels},
    {"cases", "one branch table", cases},
    {"loops", "loops behind each other", loops},
    {"loop-nest", "loops within loops", loop_nest},
    {"functions", "functions that one kernel calls", functions},
    {"callers", "as many kernels as functions", callers},
};
const size_t wr_shape_count = sizeof wr_shapes / sizeof wr_shapes[0];

wr_shape_text wr_shape_make(const wr_shape *shape, unsigned lines)
{
    wr_shape_text t = {0};

    say(&t, ".version 7.0\n.target sm_70\n.address_size 64\n");
    shape->write(&t, lines);
    return t;
}
