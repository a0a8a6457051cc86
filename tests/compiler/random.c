/* SPDX-License-Identifier: Apache-2.0 */
/* Straight code, ifs, loops and their nests over a handful of registers, all of which are
 * set at the start and stored at the end, so that a wrong value anywhere is likely to be seen.
 * Threads touch only their own memory. A program has either barriers, where the warp is sure to
 * be together, or early returns, never both: a warp with lanes apart may not wait. */
#include "random.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define WORDS 12 /* %r1.. are data; %r20.. count loops */
#define PAIRS 5  /* %d1.. are data; %d0 is the output's address */
#define PREDS 6

typedef struct gen {
    uint64_t state;
    char *buf;
    size_t size, used;
    unsigned label, depth, loops, budget;
    bool uniform; /* all lanes are here together */
    bool barriers;
    char at[8]; /* the address register */
} gen;

uint32_t wr_random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

static unsigned pick(gen *g, unsigned n)
{
    return wr_random_next(&g->state) % n;
}

static void say(gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(gen *g, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    n = vsnprintf(g->buf + g->used, g->size - g->used, format, args);
    va_end(args);
    if (n > 0) {
        g->used += (size_t)n < g->size - g->used ? (size_t)n : g->size - g->used - 1;
    }
}

static unsigned word(gen *g)
{
    return 1 + pick(g, WORDS);
}

static unsigned pair(gen *g)
{
    return 1 + pick(g, PAIRS);
}

/* A 32-bit source: a register, or sometimes a constant. */
static void word_source(gen *g)
{
    static const int constants[] = {0, 1, -1, 7, 1000, 65536, -2147483647};

    if (pick(g, 4) == 0) {
        say(g, "%d", constants[pick(g, 7)]);
    } else {
        say(g, "%%r%u", word(g));
    }
}

static void pair_source(gen *g)
{
    static const char *const constants[] = {"0", "3", "-5", "0x123456789abcdef0", "0x80000000"};

    if (pick(g, 4) == 0) {
        say(g, "%s", constants[pick(g, 5)]);
    } else {
        say(g, "%%d%u", pair(g));
    }
}

static void say_alu(gen *g)
{
    static const char *const ops32[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
                                        "xor.b32", "min.s32", "max.u32",    "min.u32", "max.s32"};
    static const char *const ops64[] = {"add.s64", "sub.s64", "mul.lo.s64", "and.b64",
                                        "or.b64",  "xor.b64", "min.s64",    "max.u64"};

    switch (pick(g, 9)) {
    case 0:
    case 1:
    case 2:
        say(g, "%s %%r%u, %%r%u, ", ops32[pick(g, 10)], word(g), word(g));
        word_source(g);
        break;
    case 3:
        say(g, "%s %%d%u, %%d%u, ", ops64[pick(g, 8)], pair(g), pair(g));
        pair_source(g);
        break;
    case 4:
        say(g, "mad.lo.s32 %%r%u, %%r%u, ", word(g), word(g));
        word_source(g);
        say(g, ", ");
        word_source(g);
        break;
    case 5:
        say(g, "mul.wide.%s %%d%u, %%r%u, ", pick(g, 2) ? "s32" : "u32", pair(g), word(g));
        word_source(g);
        break;
    case 6:
        say(g, "cvt.%s %%d%u, %%r%u", pick(g, 2) ? "s64.s32" : "u64.u32", pair(g), word(g));
        break;
    case 7:
        say(g, "cvt.u32.u64 %%r%u, %%d%u", word(g), pair(g));
        break;
    default:
        say(g, "%s %%r%u, %%r%u, %u", pick(g, 2) ? "shl.b32" : "shr.s32", word(g), word(g),
            pick(g, 40));
        break;
    }
    say(g, ";\n");
}

static void say_move(gen *g)
{
    switch (pick(g, 6)) {
    case 0:
        say(g, "mov.u32 %%r%u, ", word(g));
        word_source(g);
        break;
    case 1:
        say(g, "mov.u64 %%d%u, ", pair(g));
        pair_source(g);
        break;
    case 2:
        say(g, "mov.b64 %%d%u, {%%r%u, %%r%u}", pair(g), word(g), word(g));
        break;
    case 3: {
        unsigned low = word(g);

        say(g, "mov.b64 {%%r%u, %%r%u}, %%d%u", low, low % WORDS + 1, pair(g));
        break;
    }
    case 4:
        say(g, "selp.b32 %%r%u, %%r%u, ", word(g), word(g));
        word_source(g);
        say(g, ", %%p%u", pick(g, PREDS));
        break;
    default:
        say(g, "ld.param.u32 %%r%u, [%s]", word(g), pick(g, 2) ? "a" : "b");
        break;
    }
    say(g, ";\n");
}

static void say_pred(gen *g)
{
    static const char *const compare[] = {"lt.s32", "gt.u32", "eq.s32", "ne.s32", "ge.s32"};

    if (pick(g, 3) == 0) {
        say(g, "%s.pred %%p%u, %%p%u, %%p%u;\n", pick(g, 2) ? "and" : "xor", pick(g, PREDS),
            pick(g, PREDS), pick(g, PREDS));
        return;
    }
    if (pick(g, 3) == 0) {
        const char *op = compare[pick(g, 5)];

        say(g, "setp.%.2s.%s.%s %%p%u, %%r%u, %%r%u, %%p%u;\n", op, pick(g, 2) ? "and" : "or",
            op + 3, pick(g, PREDS), word(g), word(g), pick(g, PREDS));
        return;
    }
    say(g, "setp.%s %%p%u, %%r%u, ", compare[pick(g, 5)], pick(g, PREDS), word(g));
    word_source(g);
    say(g, ";\n");
}

static void say_memory(gen *g)
{
    unsigned slot = 256 + 16 * pick(g, 8);
    unsigned a = pick(g, WORDS - 4) + 1;

    switch (pick(g, 6)) {
    case 0:
        say(g, "st.global.u32 [%s+%u], %%r%u;\n", g->at, slot, word(g));
        break;
    case 1:
        say(g, "ld.global.u32 %%r%u, [%s+%u];\n", word(g), g->at, slot + 4);
        break;
    case 2:
        say(g, "st.global.v2.u32 [%s+%u], {%%r%u, %%r%u};\n", g->at, slot, word(g), word(g));
        break;
    case 3:
        say(g, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%s+%u];\n", a, a + 1, a + 2, a + 3,
            g->at, slot);
        break;
    case 4:
        say(g, "st.global.u64 [%s+%u], %%d%u;\n", g->at, slot + 8, pair(g));
        break;
    default:
        say(g, "ld.global.u64 %%d%u, [%s+%u];\n", pair(g), g->at, slot);
        break;
    }
}

static void say_body(gen *g, unsigned count);

static void say_if(gen *g)
{
    unsigned label = g->label++, p = pick(g, PREDS);
    bool other = pick(g, 2) != 0, uniform = g->uniform;

    g->uniform = false;
    g->depth++;
    say(g, "@%s%%p%u bra L%ua;\n", pick(g, 2) ? "!" : "", p, label);
    if (!other && pick(g, 2)) { /* the form that clang likes: a branch around a branch */
        say(g, "bra.uni L%uc;\nL%ua:\n", label, label);
        say_body(g, 1 + pick(g, 4));
        say(g, "L%uc:\n", label);
        g->depth--;
        g->uniform = uniform;
        return;
    }
    say_body(g, 1 + pick(g, 4));
    if (other) {
        say(g, "bra.uni L%ub;\n", label);
    }
    say(g, "L%ua:\n", label);
    if (other) {
        say_body(g, 1 + pick(g, 4));
        say(g, "L%ub:\n", label);
    }
    g->depth--;
    g->uniform = uniform;
}

static void say_loop(gen *g)
{
    unsigned label = g->label++, counter = 20 + g->loops;
    bool together = pick(g, 2) != 0, leaves = pick(g, 3) == 0, uniform = g->uniform;

    g->uniform = uniform && together && !leaves;
    g->depth++;
    g->loops++;
    if (together) {
        say(g, "mov.u32 %%r%u, %u;\n", counter, 1 + pick(g, 3));
    } else {
        say(g, "and.b32 %%r%u, %%r0, %u;\nadd.s32 %%r%u, %%r%u, 1;\n", counter, 1 + pick(g, 3),
            counter, counter);
    }
    say(g, "L%ua:\n", label);
    say_body(g, 1 + pick(g, 4));
    if (leaves) {
        say(g, "@%%p%u bra L%ub;\n", pick(g, PREDS), label);
        say_body(g, 1 + pick(g, 2));
    }
    if (g->barriers && g->uniform && pick(g, 2)) {
        say(g, "bar.sync 0;\n");
    }
    say(g, "sub.s32 %%r%u, %%r%u, 1;\nsetp.gt.s32 %%p7, %%r%u, 0;\n@%%p7 bra L%ua;\n", counter,
        counter, counter, label);
    say(g, "L%ub:\n", label);
    g->loops--;
    g->depth--;
    g->uniform = uniform;
}

static void say_statement(gen *g)
{
    unsigned kind = pick(g, 20);

    if (kind < 2 && g->depth < 4) {
        say_if(g);
    } else if (kind < 4 && g->loops < 2 && g->depth < 4) {
        say_loop(g);
    } else if (kind < 6) {
        say_pred(g);
    } else if (kind < 9) {
        say_memory(g);
    } else if (kind < 12) {
        say_move(g);
    } else if (kind == 12) {
        say(g, "@%s%%p%u ", pick(g, 2) ? "!" : "", pick(g, PREDS));
        say_alu(g);
    } else if (kind == 13 && g->barriers && g->uniform) {
        say(g, "bar.sync 0;\n");
    } else if (kind == 14 && !g->barriers && g->depth > 0 && pick(g, 8) == 0) {
        say(g, "@%%p%u ret;\n", pick(g, PREDS));
    } else {
        say_alu(g);
    }
}

static void say_body(gen *g, unsigned count)
{
    for (unsigned i = 0; i < count && g->budget > 0; i++) {
        g->budget--;
        say_statement(g);
    }
}

void wr_random_ptx(uint64_t seed, unsigned address_size, char *buf, size_t size)
{
    gen g = {.state = seed * 2 + 1, .buf = buf, .size = size, .budget = 120, .uniform = true};
    const char *wide = address_size == 64 ? "u64" : "u32";

    buf[0] = '\0';
    g.barriers = pick(&g, 2) != 0;
    (void)snprintf(g.at, sizeof g.at, "%s", address_size == 64 ? "%d0" : "%r13");
    say(&g, ".version 4.0\n.target sm_50\n.address_size %u\n", address_size);
    say(&g, ".visible .entry k(.param .%s out, .param .u32 a, .param .u32 b, .param .u64 c)\n{\n",
        wide);
    say(&g, ".reg .pred %%p<8>;\n.reg .b32 %%r<30>;\n.reg .b64 %%d<10>;\n");
    say(&g, "mov.u32 %%r0, %%tid.x;\nld.param.%s %s, [out];\n", wide, g.at);
    if (address_size == 64) {
        say(&g, "mul.wide.u32 %%d1, %%r0, %u;\nadd.s64 %%d0, %%d0, %%d1;\n", WR_RANDOM_BYTES);
    } else {
        say(&g, "mad.lo.s32 %%r13, %%r0, %u, %%r13;\n", WR_RANDOM_BYTES);
    }
    for (unsigned i = 1; i <= WORDS; i++) {
        say(&g, "mad.lo.s32 %%r%u, %%r0, %u, %u;\n", i, pick(&g, 1000), pick(&g, 100000));
    }
    for (unsigned i = 1; i <= PAIRS; i++) {
        say(&g, "ld.param.u64 %%d%u, [c];\nadd.s64 %%d%u, %%d%u, %u;\n", i, i, i, pick(&g, 99));
    }
    for (unsigned i = 0; i < PREDS; i++) {
        say(&g, "setp.%s.s32 %%p%u, %%r0, %u;\n", pick(&g, 2) ? "lt" : "ge", i, pick(&g, 8));
    }
    say_body(&g, 10 + pick(&g, 30));
    for (unsigned i = 1; i <= WORDS; i++) {
        say(&g, "st.global.u32 [%s+%u], %%r%u;\n", g.at, 4 * i, i);
    }
    for (unsigned i = 1; i <= PAIRS; i++) {
        say(&g, "st.global.u64 [%s+%u], %%d%u;\n", g.at, 64 + 8 * i, i);
    }
    for (unsigned i = 0; i < PREDS; i++) {
        say(&g, "selp.b32 %%r1, 1, 0, %%p%u;\nst.global.u32 [%s+%u], %%r1;\n", i, g.at,
            160 + 4 * i);
    }
    say(&g, "ret;\n}\n");
}
