/* Atomic operations in every type and space, with the old value (atom) and without (red), each
 * thread at its own address, against C; and many threads at one address. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

typedef struct atom {
    const char *op, *type;
    unsigned bits;
    bool cas, no_red;
    void (*in_global)(const uint32_t *, uint32_t *, uint32_t);
    void (*in_shared)(const uint32_t *, uint32_t *, uint32_t); /* NULL: the same */
} atom;

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

    if (a->cas)
        (void)snprintf(three, sizeof three, ", %s3", reg);
    if (a->no_red)
        (void)snprintf(again, sizeof again, "atom%s.%s.%s %s4, [%%a1], %s2%s;\n",
                       generic ? "" : space, a->op, a->type, reg, reg, three);
    else
        (void)snprintf(again, sizeof again, "red%s.%s.%s [%%a1], %s2;\n", generic ? "" : space,
                       a->op, a->type, reg);
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

static void check_atom(const atom *a, const char *space, bool generic, rig_inputs inputs)
{
    char name[64], body[2048];
    bool shared = strcmp(space, ".shared") == 0;
    rig_case c = {.name = name, .body = body, .nin = NIN, .nout = NOUT};

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

/* Halves that are small integers, whose sums are exact. */
static void halves(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        out[4 * t] = 0x4200;         /* fp16: 1 + 2 */
        out[4 * t + 1] = 0x42004500; /* {1, 2} + {2, 3} */
        out[4 * t + 2] = 0x4040;     /* bfloat16: 1 + 2 */
        out[4 * t + 3] = 0x404040a0;
    }
}

static uint32_t all_of(const uint32_t *in, uint32_t threads)
{
    uint32_t sum = 0;

    for (uint32_t t = 0; t < threads; t++)
        sum += in[t];
    return sum;
}

static void one_address(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    uint32_t sum = all_of(in, threads);

    for (uint32_t t = 0; t < threads; t++) {
        out[2 * t] = sum;
        out[2 * t + 1] = threads;
    }
}

static const rig_case others[] = {
    {"atom.add.noftz of halves", NULL,
     "mov.u32 %r1, 0x3c00;\nst.global.u32 [%out], %r1;\nmov.b16 %h1, 0x4000;\n"
     "atom.global.add.noftz.f16 %h2, [%out], %h1;\n"
     "mov.u32 %r1, 0x3c004000;\nst.global.u32 [%out+4], %r1;\nmov.u32 %r2, 0x40004200;\n"
     "red.global.add.noftz.f16x2 [%out+4], %r2;\n"
     "mov.u32 %r1, 0x3f80;\nst.global.u32 [%out+8], %r1;\nmov.b16 %h1, 0x4000;\n"
     "red.add.noftz.bf16 [%out+8], %h1;\n"
     "mov.u32 %r1, 0x3f804000;\nst.global.u32 [%out+12], %r1;\nmov.u32 %r2, 0x40004040;\n"
     "atom.add.noftz.bf16x2 %r3, [%out+12], %r2;\n",
     1, 4, 0, halves},
    {"one address", NULL,
     ".shared .align 4 .b8 s[8];\nmov.u32 %r3, 0;\nsetp.eq.u32 %p1, %t, 0;\n"
     "@%p1 st.shared.u32 [s], %r3;\n@%p1 st.shared.u32 [s+4], %r3;\nbar.sync 0;\n"
     "ld.global.u32 %r1, [%in];\nred.shared.add.u32 [s], %r1;\n"
     "atom.shared.inc.u32 %r2, [s+4], -1;\nbar.sync 0;\nld.shared.v2.u32 {%r4, %r5}, [s];\n"
     "st.global.v2.u32 [%out], {%r4, %r5};\n",
     1, 2, 0, one_address},
};

static void test_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        (void)rig_check(&others[i], RIG_ANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
