/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations in every type and space, with the old value (atom) and without (red), each
 * thread at its own address, against C; and many threads at one address. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/arith_rig.h"
#include "tests/ops/ops_list.h"
#include "tests/ops/warp_rig.h"

/* in: memory (2 words), operand (2), what is swapped in (2); out: old (2), new (2), after red (2).
 * Values of less than 64 bits lie in the low bits. */
enum { NIN = 6, NOUT = 6 };

static uint64_t get(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

static void put(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

typedef uint64_t (*op_fn)(uint64_t old, uint64_t v, uint64_t swap);

static void apply(op_fn op, unsigned bits, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    for (uint32_t t = 0; t < threads; t++, in += NIN, out += NOUT) {
        uint64_t old = get(in) & mask, v = get(in + 2) & mask, swap = get(in + 4) & mask;
        uint64_t once = op(old, v, swap) & mask;

        put(out, old);
        put(out + 2, once);
        put(out + 4, op(once, v, swap) & mask);
    }
}

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;

    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t float_bits(float f)
{
    uint32_t low;

    memcpy(&low, &f, sizeof low);
    return isnan(f) ? 0x7fffffffu : low;
}

static uint64_t flushed(uint64_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

static double as_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint64_t half_sum(uint64_t a, uint64_t b, bool bfloat)
{
    return arith_round16((__float128)arith_half((uint16_t)a, bfloat),
                         (__float128)arith_half((uint16_t)b, bfloat), bfloat, "rn");
}

#define OP(name, bits, expr)                                                                       \
    static uint64_t name##_op(uint64_t o, uint64_t v, uint64_t swap)                               \
    {                                                                                              \
        (void)o, (void)swap;                                                                       \
        return (uint64_t)(expr);                                                                   \
    }                                                                                              \
    static void name(const uint32_t *in, uint32_t *out, uint32_t threads)                          \
    {                                                                                              \
        apply(name##_op, bits, in, out, threads);                                                  \
    }

OP(add32, 32, o + v)
OP(add64, 64, o + v)
OP(umin32, 32, o < v ? o : v)
OP(umax32, 32, o > v ? o : v)
OP(smin32, 32, (int32_t)o < (int32_t)v ? o : v)
OP(smax32, 32, (int32_t)o > (int32_t)v ? o : v)
OP(umin64, 64, o < v ? o : v)
OP(umax64, 64, o > v ? o : v)
OP(smin64, 64, (int64_t)o < (int64_t)v ? o : v)
OP(smax64, 64, (int64_t)o > (int64_t)v ? o : v)
OP(inc, 32, o >= v ? 0 : o + 1)
OP(dec, 32, o == 0 || o > v ? v : o - 1)
OP(and32, 32, o &v)
OP(or32, 32, o | v)
OP(xor32, 32, o ^ v)
OP(and64, 64, o &v)
OP(or64, 64, o | v)
OP(xor64, 64, o ^ v)
OP(exch32, 32, v)
OP(exch64, 64, v)
OP(cas16, 16, o == v ? swap : o)
OP(cas32, 32, o == v ? swap : o)
OP(cas64, 64, o == v ? swap : o)
OP(fadd_flushed, 32, flushed(float_bits(as_float(flushed(o)) + as_float(flushed(v)))))
OP(fadd, 32, float_bits(as_float(o) + as_float(v)))
OP(dadd, 64, double_bits(as_double(o) + as_double(v)))
OP(hadd, 16, half_sum(o, v, false))
OP(badd, 16, half_sum(o, v, true))
OP(hadd2, 32, half_sum(o, v, false) | half_sum(o >> 16, v >> 16, false) << 16)
OP(badd2, 32, half_sum(o, v, true) | half_sum(o >> 16, v >> 16, true) << 16)

typedef struct atom {
    const char *op, *type;
    unsigned bits;
    bool cas, no_red;
    void (*in_global)(const uint32_t *, uint32_t *, uint32_t);
    void (*in_shared)(const uint32_t *, uint32_t *, uint32_t); /* NULL: the same */
} atom;

typedef struct crowd {
    const char *op_name, *type;
    unsigned bits;
    uint64_t start; /* of a cell */
    op_fn op;
} crowd;

static const atom atoms[] = {
    {"add", "u32", 32, false, false, add32, NULL},
    {"add", "s32", 32, false, false, add32, NULL},
    {"add", "u64", 64, false, false, add64, NULL},
    {"add", "f32", 32, false, false, fadd_flushed, fadd},
    {"add", "f64", 64, false, false, dadd, NULL},
    {"min", "u32", 32, false, false, umin32, NULL},
    {"max", "u32", 32, false, false, umax32, NULL},
    {"min", "s32", 32, false, false, smin32, NULL},
    {"max", "s32", 32, false, false, smax32, NULL},
    {"min", "u64", 64, false, false, umin64, NULL},
    {"max", "u64", 64, false, false, umax64, NULL},
    {"min", "s64", 64, false, false, smin64, NULL},
    {"max", "s64", 64, false, false, smax64, NULL},
    {"inc", "u32", 32, false, false, inc, NULL},
    {"dec", "u32", 32, false, false, dec, NULL},
    {"and", "b32", 32, false, false, and32, NULL},
    {"or", "b32", 32, false, false, or32, NULL},
    {"xor", "b32", 32, false, false, xor32, NULL},
    {"and", "b64", 64, false, false, and64, NULL},
    {"or", "b64", 64, false, false, or64, NULL},
    {"xor", "b64", 64, false, false, xor64, NULL},
    {"exch", "b32", 32, false, true, exch32, NULL},
    {"exch", "b64", 64, false, true, exch64, NULL},
    {"add.noftz", "f16", 16, false, false, hadd, NULL},
    {"add.noftz", "bf16", 16, false, false, badd, NULL},
    {"add.noftz", "f16x2", 32, false, false, hadd2, NULL},
    {"add.noftz", "bf16x2", 32, false, false, badd2, NULL},
    {"cas", "b16", 16, true, true, cas16, NULL},
    {"cas", "b32", 32, true, true, cas32, NULL},
    {"cas", "b64", 64, true, true, cas64, NULL},
};

/* What it does to the place at %a1, as `bits` bits, in the space. */
static void write_body(const atom *a, const char *space, bool generic, char *body, size_t size)
{
    const char *reg = a->bits == 64 ? "%d" : a->bits == 16 ? "%h" : "%r";
    char again[256], three[16] = "";
    int n;

    if (a->cas) {
        (void)snprintf(three, sizeof three, ", %s3", reg);
    }
    if (a->no_red) {
        (void)snprintf(again, sizeof again, "atom%s.%s.%s %s4, [%%a1], %s2%s;\n",
                       generic ? "" : space, a->op, a->type, reg, reg, three);
    } else {
        (void)snprintf(again, sizeof again, "red%s.%s.%s [%%a1], %s2;\n", generic ? "" : space,
                       a->op, a->type, reg);
    }
    n = snprintf(
        body, size,
        ".shared .align 8 .b8 s[1024];\nshl.b32 %%r9, %%t, 3;\ncvt.@P.u32 %%a2, %%r9;\n"
        "mov.@P %%a1, s;\nadd.@P %%a1, %%a1, %%a2;\n%s%s"
        "ld.global.b%u %s1, [%%in];\nld.global.b%u %s2, [%%in+8];\nld.global.b%u %s3, [%%in+16];\n"
        "st%s.b%u [%%a1], %s1;\natom%s.%s.%s %s5, [%%a1], %s2%s;\nst.global.b%u [%%out], %s5;\n"
        "ld%s.b%u %s6, [%%a1];\nst.global.b%u [%%out+8], %s6;\n%smembar.gl;\n"
        "ld.volatile%s.b%u %s6, [%%a1];\nst.global.b%u [%%out+16], %s6;\n",
        strcmp(space, ".global") == 0 ? "add.@P %a1, %out, 16;\n" : "",
        strcmp(space, ".shared") == 0 && generic ? "cvta.shared.@P %a1, %a1;\n" : "", a->bits, reg,
        a->bits, reg, a->bits, reg, generic ? "" : space, a->bits, reg, generic ? "" : space, a->op,
        a->type, reg, reg, three, a->bits, reg, generic ? "" : space, a->bits, reg, a->bits, reg,
        again, generic ? "" : space, a->bits, reg, a->bits, reg);
    assert_true(n > 0 && (size_t)n < size);
}

/* Memory and operand alike, which cas, inc and the comparisons want. */
static void equal_now_and_then(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed)
{
    (void)block;
    for (uint32_t t = 0; t < threads; t++, in += NIN) {
        if ((rig_next(seed) >> 62) == 0) {
            put(in + 2, get(in));
        }
    }
}

static void check_atom(const atom *a, const char *space, bool generic, rig_inputs inputs)
{
    char name[64], body[2048];
    bool shared = strcmp(space, ".shared") == 0;
    rig_case c = {.name = name,
                  .body = body,
                  .nin = NIN,
                  .nout = NOUT,
                  .subject = "atom red",
                  .alone = true,
                  .prepare = equal_now_and_then,
                  .want = OPS_SETS / 3 + 1};

    (void)snprintf(name, sizeof name, "atom%s.%s.%s%s", space, a->op, a->type,
                   generic ? ", generic" : "");
    c.oracle = shared && a->in_shared != NULL ? a->in_shared : a->in_global;
    write_body(a, space, generic, body, sizeof body);
    (void)rig_check(&c, inputs);
}

static void test_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        check_atom(&atoms[i], ".global", false, RIG_ANY);
        check_atom(&atoms[i], ".shared", false, RIG_ANY);
        check_atom(&atoms[i], i % 2 == 0 ? ".global" : ".shared", true, RIG_FEW);
    }
}

/* ---- vectors: each element by itself ---- */

typedef struct vector {
    const char *mode, *type;
    unsigned bits, count;
    op_fn op;
} vector;

static const vector vectors[] = {
    {"add", "f32", 32, 2, fadd_flushed_op},   {"add", "f32", 32, 4, fadd_flushed_op},
    {"add.noftz", "f16", 16, 2, hadd_op},     {"add.noftz", "f16", 16, 4, hadd_op},
    {"add.noftz", "bf16", 16, 2, badd_op},    {"add.noftz", "bf16", 16, 4, badd_op},
    {"add.noftz", "f16x2", 32, 2, hadd2_op},  {"add.noftz", "f16x2", 32, 4, hadd2_op},
    {"add.noftz", "bf16x2", 32, 2, badd2_op}, {"add.noftz", "bf16x2", 32, 4, badd2_op},
};

/* in: memory and operand, a word for each element; out: old values and new ones, a word each,
 * then the memory itself, whose elements lie together. */
static void elements(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const vector *v = arg;
    uint32_t mask = v->bits == 32 ? UINT32_MAX : UINT16_MAX, n = v->count;

    for (uint32_t t = 0; t < threads; t++, in += (size_t)2 * n, out += (size_t)3 * n) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t operand = in[n + i] & mask, old = in[i] & mask;
            uint64_t once = v->op(old, operand, 0) & mask;
            uint32_t again = (uint32_t)(v->op(once, operand, 0) & mask), bit = i * v->bits;

            out[i] = (uint32_t)old;
            out[n + i] = (uint32_t)once;
            out[2 * n + bit / 32] |= again << bit % 32;
        }
    }
}

static void append(char *body, size_t size, const char *line)
{
    size_t at = strlen(body), len = strlen(line);

    assert_true(at + len < size);
    memcpy(body + at, line, len + 1);
}

static void check_vector(const vector *v)
{
    const char reg = v->bits == 16 ? 'h' : 'r';
    unsigned n = v->count, bytes = v->bits / 8;
    char name[64], body[2048] = "", line[160], values[2][64] = {"", ""};
    rig_case c = {.name = name,
                  .body = body,
                  .nin = 2 * n,
                  .nout = 3 * n,
                  .subject = "atom red",
                  .alone = true,
                  .want = OPS_SETS / 2 + 1,
                  .oracle_of = elements,
                  .arg = v};

    (void)snprintf(name, sizeof name, "atom.global.%s.v%u.%s", v->mode, n, v->type);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(line, sizeof line,
                       "ld.global.b%u %%%c9, [%%in+%u];\nst.global.b%u [%%out+%u], %%%c9;\n"
                       "ld.global.b%u %%%c%u, [%%in+%u];\n",
                       v->bits, reg, 4 * i, v->bits, 8 * n + i * bytes, reg, v->bits, reg, 1 + i,
                       4 * (n + i));
        append(body, sizeof body, line);
        for (unsigned k = 0; k < 2; k++) {
            (void)snprintf(line, sizeof line, "%s%%%c%u", i == 0 ? "" : ", ", reg, 1 + 4 * k + i);
            append(values[k], sizeof values[k], line);
        }
    }
    (void)snprintf(line, sizeof line, "atom.global.%s.v%u.%s {%s}, [%%out+%u], {%s};\n", v->mode, n,
                   v->type, values[1], 8 * n, values[0]);
    append(body, sizeof body, line);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(line, sizeof line,
                       "st.global.b%u [%%out+%u], %%%c%u;\nld.global.b%u %%%c9, [%%out+%u];\n"
                       "st.global.b%u [%%out+%u], %%%c9;\n",
                       v->bits, 4 * i, reg, 5 + i, v->bits, reg, 8 * n + i * bytes, v->bits,
                       4 * (n + i), reg);
        append(body, sizeof body, line);
    }
    (void)snprintf(line, sizeof line, "red.global.%s.v%u.%s [%%out+%u], {%s};\n", v->mode, n,
                   v->type, 8 * n, values[0]);
    append(body, sizeof body, line);
    (void)rig_check(&c, RIG_ANY);
}

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        check_vector(&vectors[i]);
    }
}

/* ---- many threads at one place ---- */

/* Threads of a block go for four cells of eight bytes; what is left there does not depend on who
 * came first. in: which cell, operand (2 words); out: the cell in the end (2). */
static void crowded(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const crowd *c = arg;
    uint64_t cell[4], mask = c->bits == 64 ? UINT64_MAX : UINT32_MAX;

    for (unsigned i = 0; i < 4; i++) {
        cell[i] = c->start & mask;
    }
    for (uint32_t t = 0; t < threads; t++) {
        cell[in[4 * t] & 3] =
            c->op(cell[in[4 * t] & 3], get(in + (size_t)4 * t + 2) & mask, 0) & mask;
    }
    for (uint32_t t = 0; t < threads; t++) {
        put(out + (size_t)2 * t, cell[in[4 * t] & 3]);
    }
}

/* The threads of a block draw the numbers 0 to threads - 1, each number once. */
static void drawn(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        out[2 * t] = 1;
        out[2 * t + 1] = threads;
    }
}

static const rig_case numbers = {
    .name = "atom.inc draws numbers",
    .body = ".shared .align 4 .b8 s[512];\nmov.u32 %r3, 0;\nshl.b32 %r4, %t, 2;\nmov.u32 %r5, s;\n"
            "add.u32 %r4, %r4, %r5;\nst.shared.u32 [%r4+4], %r3;\nst.shared.u32 [s], %r3;\n"
            "bar.sync 0;\natom.shared.inc.u32 %r6, [s], -1;\nshl.b32 %r6, %r6, 2;\n"
            "add.u32 %r6, %r6, %r5;\nred.shared.add.u32 [%r6+4], 1;\nbar.sync 0;\n"
            "ld.shared.u32 %r7, [%r4+4];\nst.global.u32 [%out], %r7;\n"
            "ld.shared.u32 %r7, [s];\nst.global.u32 [%out+4], %r7;\n",
    .nin = 1,
    .nout = 2,
    .subject = "atom red",
    .oracle = drawn,
};

static const crowd crowds[] = {
    {"add", "u32", 32, 7, add32_op},           {"add", "u64", 64, UINT32_MAX, add64_op},
    {"min", "s32", 32, INT32_MAX, smin32_op},  {"max", "u32", 32, 0, umax32_op},
    {"min", "u64", 64, UINT64_MAX, umin64_op}, {"max", "s64", 64, UINT64_C(1) << 63, smax64_op},
    {"and", "b32", 32, UINT32_MAX, and32_op},  {"or", "b64", 64, 0, or64_op},
    {"xor", "b32", 32, 0x5555, xor32_op},      {"xor", "b64", 64, 0, xor64_op},
};

static void check_crowd(const crowd *k, bool global)
{
    const char *space = global ? "global" : "shared", *reg = k->bits == 64 ? "%d" : "%r";
    char name[64], body[2048];
    rig_case c = {.name = name,
                  .body = body,
                  .nin = 4,
                  .nout = 2,
                  .subject = "red",
                  .want = OPS_SETS / 4,
                  .oracle_of = crowded,
                  .arg = k};
    int n;

    (void)snprintf(name, sizeof name, "crowded red.%s.%s.%s", space, k->op_name, k->type);
    /* In global memory the cells are the first four results of the block. */
    n = snprintf(
        body, sizeof body,
        ".shared .align 8 .b8 s[32];\nld.global.u32 %%r1, [%%in];\nand.b32 %%r1, %%r1, 3;\n"
        "ld.global.b%u %s2, [%%in+8];\nmov.@P %%a1, s;\n%sshl.b32 %%r1, %%r1, 3;\n"
        "cvt.@P.u32 %%a2, %%r1;\nadd.@P %%a2, %%a1, %%a2;\nshl.b32 %%r9, %%t, 3;\n"
        "cvt.@P.u32 %%a4, %%r9;\nadd.@P %%a4, %%a1, %%a4;\n"
        "mov.b%u %s3, %s%llx;\nsetp.lt.u32 %%p1, %%t, 4;\n"
        "@%%p1 st.%s.b%u [%%a4], %s3;\nmembar.gl;\nbar.sync 0;\nred.%s.%s.%s [%%a2], %s2;\n"
        "membar.gl;\nbar.sync 0;\nld.volatile.%s.b%u %s5, [%%a2];\nbar.sync 0;\n"
        "st.global.b%u [%%out], %s5;\n",
        k->bits, reg,
        global ? "shl.b32 %r9, %t, 3;\ncvt.@P.u32 %a4, %r9;\nsub.@P %a1, %out, %a4;\n" : "",
        k->bits, reg, "0x", (unsigned long long)(k->bits == 64 ? k->start : (uint32_t)k->start),
        space, k->bits, reg, space, k->op_name, k->type, reg, space, k->bits, reg, k->bits, reg);
    assert_true(n > 0 && (size_t)n < sizeof body);
    (void)rig_check(&c, RIG_ANY);
}

static void test_crowds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        check_crowd(&crowds[i], false);
        check_crowd(&crowds[i], true);
    }
    (void)rig_check(&numbers, RIG_ANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_crowds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
