/* SPDX-License-Identifier: Apache-2.0 */
/* Straight code of random programs: arithmetic, moves, predicates, memory of the thread's own, and
 * atomics that commute. What an f64 register holds leaves it as f32 only, since a NaN of fp64 has
 * no one form. */
#include <stdarg.h>
#include <stdio.h>

#include "program_gen.h"
#include "random.h"

unsigned gen_pick(gen *g, unsigned n)
{
    return wr_random_next(&g->state) % n;
}

static void add_text(gen *g, const char *format, va_list args)
{
    int n = vsnprintf(g->buf + g->used, g->size - g->used, format, args);

    if (n > 0) {
        g->used += (size_t)n < g->size - g->used ? (size_t)n : g->size - g->used - 1;
    }
}

void gen_say(gen *g, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    add_text(g, format, args);
    va_end(args);
}

void gen_op(gen *g, const char *format, ...)
{
    va_list args;

    if (gen_pick(g, 16) < (g->guards ? 13u : 1u)) {
        gen_say(g, "@%s%%p%u ", gen_pick(g, 2) ? "!" : "", gen_pred(g));
    }
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    add_text(g, format, args);
    va_end(args);
    gen_say(g, ";\n");
}

void gen_count(gen *g, wr_program_kind kind)
{
    g->program->kinds[kind]++;
}

unsigned gen_word(gen *g)
{
    return 1 + gen_pick(g, g->words);
}

unsigned gen_pair(gen *g)
{
    return 1 + gen_pick(g, g->pairs);
}

unsigned gen_pred(gen *g)
{
    return gen_pick(g, GEN_PREDS);
}

/* A 32-bit source in `text`: a register, or sometimes a constant. */
static const char *word_source(gen *g, char text[16])
{
    static const int constants[] = {0, 1, -1, 7, 1000, 65536, -2147483647};

    if (gen_pick(g, 4) == 0) {
        (void)snprintf(text, 16, "%d", constants[gen_pick(g, 7)]);
    } else {
        (void)snprintf(text, 16, "%%r%u", gen_word(g));
    }
    return text;
}

static const char *pair_source(gen *g, char text[24])
{
    static const char *const constants[] = {"0", "3", "-5", "0x123456789abcdef0", "0x80000000"};

    if (gen_pick(g, 4) == 0) {
        (void)snprintf(text, 24, "%s", constants[gen_pick(g, 5)]);
    } else {
        (void)snprintf(text, 24, "%%d%u", gen_pair(g));
    }
    return text;
}

static void say_integer(gen *g)
{
    static const char *const ops32[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
                                        "xor.b32", "min.s32", "max.u32",    "min.u32", "max.s32"};
    static const char *const ops64[] = {"add.s64", "sub.s64", "mul.lo.s64", "and.b64",
                                        "or.b64",  "xor.b64", "min.s64",    "max.u64"};
    char a[24], b[16];
    unsigned kind = gen_pick(g, 9);

    if (kind >= 3 && kind != 4 && kind < 8) {
        gen_count(g, WR_KIND_PAIR);
    }
    switch (kind) {
    case 0:
    case 1:
    case 2:
        gen_op(g, "%s %%r%u, %%r%u, %s", ops32[gen_pick(g, 10)], gen_word(g), gen_word(g),
               word_source(g, b));
        break;
    case 3:
        gen_op(g, "%s %%d%u, %%d%u, %s", ops64[gen_pick(g, 8)], gen_pair(g), gen_pair(g),
               pair_source(g, a));
        break;
    case 4:
        gen_op(g, "mad.lo.s32 %%r%u, %%r%u, %s, %s", gen_word(g), gen_word(g), word_source(g, a),
               word_source(g, b));
        break;
    case 5:
        gen_op(g, "mul.wide.%s %%d%u, %%r%u, %s", gen_pick(g, 2) ? "s32" : "u32", gen_pair(g),
               gen_word(g), word_source(g, b));
        break;
    case 6:
        gen_op(g, "cvt.%s %%d%u, %%r%u", gen_pick(g, 2) ? "s64.s32" : "u64.u32", gen_pair(g),
               gen_word(g));
        break;
    case 7:
        gen_op(g, "cvt.u32.u64 %%r%u, %%d%u", gen_word(g), gen_pair(g));
        break;
    default:
        gen_op(g, "%s %%r%u, %%r%u, %u", gen_pick(g, 2) ? "shl.b32" : "shr.s32", gen_word(g),
               gen_word(g), gen_pick(g, 40));
        break;
    }
}

static void say_move(gen *g)
{
    char text[24];
    unsigned low = gen_word(g);

    switch (gen_pick(g, 6)) {
    case 0:
        gen_op(g, "mov.u32 %%r%u, %s", gen_word(g), word_source(g, text));
        break;
    case 1:
        gen_op(g, "mov.u64 %%d%u, %s", gen_pair(g), pair_source(g, text));
        break;
    case 2:
        gen_op(g, "mov.b64 %%d%u, {%%r%u, %%r%u}", gen_pair(g), gen_word(g), gen_word(g));
        break;
    case 3:
        gen_op(g, "mov.b64 {%%r%u, %%r%u}, %%d%u", low, low % g->words + 1, gen_pair(g));
        break;
    case 4:
        gen_op(g, "selp.b32 %%r%u, %%r%u, %s, %%p%u", gen_word(g), gen_word(g),
               word_source(g, text), gen_pred(g));
        break;
    default:
        gen_op(g, "mov.u32 %%r%u, %%r0", gen_word(g));
        break;
    }
}

static void say_pred(gen *g)
{
    static const char *const compare[] = {"lt.s32", "gt.u32", "eq.s32", "ne.s32", "ge.s32"};
    const char *op = compare[gen_pick(g, 5)];
    char text[16];

    switch (gen_pick(g, 4)) {
    case 0:
        gen_op(g, "%s.pred %%p%u, %%p%u, %%p%u", gen_pick(g, 2) ? "and" : "xor", gen_pred(g),
               gen_pred(g), gen_pred(g));
        break;
    case 1:
        gen_op(g, "setp.%.2s.%s.%s %%p%u, %%r%u, %%r%u, %s%%p%u", op, gen_pick(g, 2) ? "and" : "or",
               op + 3, gen_pred(g), gen_word(g), gen_word(g), gen_pick(g, 2) ? "!" : "",
               gen_pred(g));
        break;
    case 2: /* a bit: splits lanes about evenly */
        gen_say(g, "and.b32 %%r14, %%r%u, %u;\n", gen_word(g), 1u << gen_pick(g, 6));
        gen_op(g, "setp.ne.u32 %%p%u, %%r14, 0", gen_pred(g));
        break;
    default:
        gen_op(g, "setp.%s %%p%u, %%r%u, %s", op, gen_pred(g), gen_word(g), word_source(g, text));
        break;
    }
}

static void say_float(gen *g)
{
    static const char *const two[] = {"add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max"};
    bool wide = gen_pick(g, 3) == 0;
    const char *type = wide ? "f64" : "f32";
    unsigned count = wide ? GEN_F64 : GEN_F32, op = gen_pick(g, 6);
    unsigned d = 1 + gen_pick(g, count), a = 1 + gen_pick(g, count), b = 1 + gen_pick(g, count);
    char r = wide ? 'g' : 'f';

    gen_count(g, wide ? WR_KIND_F64 : WR_KIND_F32);
    switch (gen_pick(g, 8)) {
    case 0:
        gen_op(g, "fma.rn.%s %%%c%u, %%%c%u, %%%c%u, %%%c%u", type, r, d, r, a, r, b, r,
               1 + gen_pick(g, count));
        break;
    case 1:
        gen_op(g, "cvt.rn.%s.%s %%%c%u, %%r%u", type, gen_pick(g, 2) ? "s32" : "u32", r, d,
               gen_word(g));
        break;
    case 2:
        gen_op(g, "cvt.rzi.s32.%s %%r%u, %%%c%u", type, gen_word(g), r, a);
        break;
    case 3:
        gen_op(g, "setp.%s.%s %%p%u, %%%c%u, %%%c%u", gen_pick(g, 2) ? "lt" : "ge", type,
               gen_pred(g), r, a, r, b);
        break;
    case 4:
        if (wide) {
            gen_op(g, "cvt.f64.f32 %%g%u, %%f%u", d, 1 + gen_pick(g, GEN_F32));
        } else {
            gen_op(g, "cvt.rn.f32.f64 %%f%u, %%g%u", d, 1 + gen_pick(g, GEN_F64));
        }
        break;
    case 5:
        if (wide) {
            gen_op(g, "sqrt.rn.f64 %%g%u, %%g%u", d, a);
        } else {
            gen_op(g, "mov.b32 %%r%u, %%f%u", gen_word(g), a);
        }
        break;
    default:
        gen_op(g, "%s.%s %%%c%u, %%%c%u, %%%c%u", two[op], type, r, d, r, a, r, b);
        break;
    }
}

/* The thread's own global memory. */
static void say_global(gen *g)
{
    unsigned slot = 256 + 16 * gen_pick(g, 8), a = gen_pick(g, g->words - 4) + 1;

    switch (gen_pick(g, 6)) {
    case 0:
        gen_op(g, "st.global.u32 [%%a0+%u], %%r%u", slot, gen_word(g));
        break;
    case 1:
        gen_op(g, "ld.global.u32 %%r%u, [%%a0+%u]", gen_word(g), slot + 4);
        break;
    case 2:
        gen_count(g, WR_KIND_VECTOR);
        gen_op(g, "st.global.v2.u32 [%%a0+%u], {%%r%u, %%r%u}", slot, gen_word(g), gen_word(g));
        break;
    case 3:
        gen_count(g, WR_KIND_VECTOR);
        gen_op(g, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a0+%u]", a, a + 1, a + 2,
               a + 3, slot);
        break;
    case 4:
        gen_op(g, "st.global.u64 [%%a0+%u], %%d%u", slot + 8, gen_pair(g));
        break;
    default:
        gen_op(g, "ld.global.u64 %%d%u, [%%a0+%u]", gen_pair(g), slot);
        break;
    }
}

/* An element of the thread's local array, by its own address or a generic one; or the thread's
 * word of shared memory. */
static void say_array(gen *g)
{
    bool generic = gen_pick(g, 4) == 0, store = gen_pick(g, 2) != 0;
    bool array = !generic || gen_pick(g, 2) != 0;
    const char *space = generic ? "" : ".local";

    gen_count(g, generic ? WR_KIND_GENERIC : WR_KIND_LOCAL_ARRAY);
    if (array) {
        gen_say(g, "and.b32 %%r14, %%r%u, 15;\nshl.b32 %%r14, %%r14, 2;\n", gen_word(g));
        gen_say(g, "%s %%a4, %%r14;\nmov.u%u %%a5, la;\n",
                g->bits == 64 ? "cvt.u64.u32" : "mov.b32", g->bits);
        if (generic) {
            gen_say(g, "cvta.local.u%u %%a5, %%a5;\n", g->bits);
        }
        gen_say(g, "add.u%u %%a4, %%a4, %%a5;\n", g->bits);
    } else {
        gen_say(g, "cvta.shared.u%u %%a4, %%a1;\n", g->bits);
    }
    if (store) {
        gen_op(g, "st%s.u32 [%%a4], %%r%u", space, gen_word(g));
    } else {
        gen_op(g, "ld%s.u32 %%r%u, [%%a4]", space, gen_word(g));
    }
}

static void say_atomic(gen *g)
{
    static const char *const ops[] = {"add.u32", "xor.b32", "and.b32", "or.b32",
                                      "max.u32", "min.s32", "inc.u32"};
    unsigned k = gen_pick(g, 7);

    if (gen_pick(g, 2) == 0) { /* cells of all threads, each with an operation of its own */
        gen_count(g, WR_KIND_GLOBAL_ATOMIC);
        if (gen_pick(g, 5) == 0) {
            gen_op(g, "red.global.add.u64 [%%a2+%u], %%d%u", 64 + 8 * gen_pick(g, 2), gen_pair(g));
        } else if (k == 6) {
            gen_op(g, "red.global.inc.u32 [%%a2+24], 1000");
        } else {
            gen_op(g, "red.global.%s [%%a2+%u], %%r%u", ops[k], 4 * k, gen_word(g));
        }
        return;
    }
    gen_count(g, WR_KIND_OWN_ATOMIC);
    switch (gen_pick(g, 4)) {
    case 0:
        gen_op(g, "atom.global.cas.b32 %%r%u, [%%a0+%u], %%r%u, %%r%u", gen_word(g),
               400 + 4 * gen_pick(g, 4), gen_word(g), gen_word(g));
        break;
    case 1:
        gen_op(g, "atom.global.exch.b64 %%d%u, [%%a0+%u], %%d%u", gen_pair(g),
               416 + 8 * gen_pick(g, 3), gen_pair(g));
        break;
    case 2:
        gen_op(g, "atom.shared.add.u32 %%r%u, [%%a1], %%r%u", gen_word(g), gen_word(g));
        break;
    default:
        gen_op(g, "atom.global.%s %%r%u, [%%a0+%u], %%r%u", ops[gen_pick(g, 6)], gen_word(g),
               400 + 4 * gen_pick(g, 4), gen_word(g));
        break;
    }
}

void gen_straight(gen *g)
{
    unsigned kind = gen_pick(g, 20);

    if (kind < 7 || (g->inside && kind >= 12)) {
        say_integer(g);
    } else if (kind < 9) {
        say_move(g);
    } else if (kind < 12) {
        say_pred(g);
    } else if (kind < 14) {
        say_float(g);
    } else if (kind < 17) {
        say_global(g);
    } else if (kind < 18) {
        say_array(g);
    } else {
        say_atomic(g);
    }
}
