/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit floating point, fp16 and bfloat16, alone and in pairs, against the nearest of all 16-bit
 * values to the exact result, found by search. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/isa/table.h"

/* The magnitude of bits without a sign; finite ones rise with their bits. */
static __float128 magnitude(unsigned bits, bool bfloat)
{
    int fraction = bfloat ? 7 : 10, bias = bfloat ? 127 : 15;
    int exponent = (int)(bits >> fraction);
    unsigned rest = bits & ((1u << fraction) - 1);
    __float128 v = exponent == 0 ? rest : rest + (1u << fraction);

    for (int e = (exponent == 0 ? 1 : exponent) - bias - fraction; e != 0; e += e < 0 ? 1 : -1) {
        v = e < 0 ? v / 2 : v * 2;
    }
    return v;
}

static unsigned infinity_of(bool bfloat)
{
    return bfloat ? 0x7f80 : 0x7c00;
}

static bool is_nan16(unsigned bits, bool bfloat)
{
    return (bits & 0x7fff) > infinity_of(bfloat);
}

static __float128 value16(unsigned bits, bool bfloat)
{
    __float128 v = (bits & 0x7fff) == infinity_of(bfloat) ? (__float128)INFINITY
                                                          : magnitude(bits & 0x7fff, bfloat);

    return (bits & 0x8000) != 0 ? -v : v;
}

/* A sum, and the sign of what is lost of it. */
typedef struct exact {
    __float128 v;
    int lost;
} exact;

static exact add(__float128 a, __float128 b)
{
    __float128 s = a + b, back = s - a, lost = (a - (s - back)) + (b - back);

    return (exact){s, s - s != 0 || lost == 0 ? 0 : lost > 0 ? 1 : -1};
}

/* To nearest, ties to even. */
static unsigned nearest(exact e, bool negative_zero, bool bfloat)
{
    bool negative = e.v < 0 || (e.v == 0 && negative_zero);
    unsigned low = 0, high = infinity_of(bfloat);
    __float128 size = e.v < 0 ? -e.v : e.v;
    int lost = e.v < 0 ? -e.lost : e.lost;

    if (e.v != e.v) {
        return 0x7fff;
    }
    while (high - low > 1) { /* low is not above, high is */
        unsigned middle = (low + high) / 2;

        if (magnitude(middle, bfloat) <= size) {
            low = middle;
        } else {
            high = middle;
        }
    }
    /* Infinity is as far off as the next finite value would be. */
    __float128 tie = (magnitude(low, bfloat) + magnitude(high, bfloat)) / 2;

    if (size > tie || (size == tie && (lost > 0 || (lost == 0 && low % 2 != 0)))) {
        low++;
    }
    return low | (negative ? 0x8000u : 0);
}

static unsigned expected(wr_op op, unsigned a, unsigned b, unsigned c, bool bfloat)
{
    __float128 x = value16(a, bfloat), y = value16(b, bfloat), z = value16(c, bfloat);
    exact e;
    bool nan =
        is_nan16(a, bfloat) || is_nan16(b, bfloat) || (op == WR_OP_FMA && is_nan16(c, bfloat));

    switch (op) {
    case WR_OP_ABS:
        return a & 0x7fff;
    case WR_OP_NEG:
        return a ^ 0x8000;
    case WR_OP_MIN:
    case WR_OP_MAX:
        if (is_nan16(a, bfloat) || is_nan16(b, bfloat)) {
            return is_nan16(a, bfloat) ? (is_nan16(b, bfloat) ? 0x7fff : b) : a;
        }
        if (x == y) { /* zeros of either sign */
            return (op == WR_OP_MIN) == ((a & 0x8000) != 0) ? a : b;
        }
        return (op == WR_OP_MIN) == (x < y) ? a : b;
    case WR_OP_SUB:
        y = -y;
        /* fall through */
    case WR_OP_ADD:
        e = add(x, y);
        return nan ? 0x7fff
                   : nearest(e, (a & 0x8000) != 0 && ((b & 0x8000) != 0) == (op == WR_OP_ADD),
                             bfloat);
    case WR_OP_MUL:
        return nan ? 0x7fff : nearest((exact){x * y, 0}, ((a ^ b) & 0x8000) != 0, bfloat);
    default:
        e = add(x * y, z);
        return nan ? 0x7fff : nearest(e, ((a ^ b) & 0x8000) != 0 && (c & 0x8000) != 0, bfloat);
    }
}

static unsigned random16(bool bfloat)
{
    static const unsigned edges[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0x3f80,
                                     0x7bff, 0x7f7f, 0x0400, 0x0080, 0x7c00, 0x7f80,
                                     0xfc00, 0xff80, 0x7e00, 0x7fc0};
    uint64_t r = kit_random(&seed);

    if (r % 8 == 0) {
        return edges[(r >> 8) % 16];
    }
    if (r % 8 < 4) { /* of like size, so that sums meet */
        return ((unsigned)(r >> 8) & 0x87ff) + (bfloat ? 0x3c00 : 0x3800);
    }
    return (unsigned)(r >> 8) & 0xffff;
}

static void check(wr_op op, wr_type type)
{
    bool bfloat = type == WR_BF16 || type == WR_BF16X2,
         pair = type == WR_F16X2 || type == WR_BF16X2;
    unsigned operands = wr_isa_rows[op].info.nsrc;
    wr_insn insn = kit_op(op, type, D, A, operands > 1 ? B : RZ, operands > 2 ? C : RZ);

    for (unsigned round = 0; round < rounds(); round++) {
        uint32_t old[32], mask = random_mask();

        fill_ints();
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned r = A; r <= C; r += 2) {
                regs[r][i] = random16(bfloat) | (pair ? random16(bfloat) << 16 : 0);
            }
        }
        memcpy(old, regs[D], sizeof old);
        execute(&insn, mask);
        for (unsigned i = 0; i < 32; i++) {
            if ((mask >> i & 1) == 0) {
                assert_int_equal(regs[D][i], old[i]);
                continue;
            }
            for (unsigned half = 0; half < (pair ? 2u : 1u); half++) {
                unsigned a = regs[A][i] >> 16 * half & 0xffff, b = regs[B][i] >> 16 * half & 0xffff;
                unsigned c = regs[C][i] >> 16 * half & 0xffff;
                unsigned got = regs[D][i] >> 16 * half & 0xffff;
                unsigned want = expected(op, a, b, c, bfloat);

                if ((op == WR_OP_ABS || op == WR_OP_NEG) && is_nan16(a, bfloat)) {
                    assert_true(is_nan16(got, bfloat));
                } else if (got != want) {
                    fail_msg("op %u type %u of 0x%04x 0x%04x 0x%04x is 0x%04x, expected 0x%04x", op,
                             type, a, b, c, got, want);
                }
            }
        }
    }
}

static void test_half(void **state)
{
    static const wr_op ops[] = {WR_OP_ADD, WR_OP_SUB, WR_OP_MUL, WR_OP_FMA,
                                WR_OP_MIN, WR_OP_MAX, WR_OP_ABS, WR_OP_NEG};
    static const wr_type types[] = {WR_F16, WR_BF16, WR_F16X2, WR_BF16X2};

    (void)state;
    for (unsigned k = 0; k < 32; k++) {
        check(ops[k / 4], types[k % 4]);
    }
}

/* min and max with .NaN and .xorsign.abs. */
static void test_minmax_variants(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 8 * rounds(); round++) {
        wr_insn insn = kit_op(round % 2 ? WR_OP_MIN : WR_OP_MAX, WR_F32, D, A, B, RZ);
        bool keeps = round / 2 % 2 != 0, flips = round / 4 % 2 != 0;

        insn.variant = (uint8_t)((keeps ? WR_VAR_NAN : 0) | (flips ? WR_VAR_XORSIGN : 0));
        fill_f32();
        execute(&insn, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t a = regs[A][i], b = regs[B][i], want, other = flips ? 0x7fffffff : UINT32_MAX;
            bool na = (a & 0x7fffffff) > 0x7f800000, nb = (b & 0x7fffffff) > 0x7f800000;
            /* Bits that rise with the value. */
            uint32_t ka = a & other, kb = b & other;
            uint32_t ra = (ka >> 31) != 0 ? ~ka : ka | 0x80000000;
            uint32_t rb = (kb >> 31) != 0 ? ~kb : kb | 0x80000000;

            if ((na && nb) || (keeps && (na || nb))) {
                want = 0x7fffffff;
            } else if (na || nb) {
                want = na ? kb : ka;
            } else {
                want = (insn.op == WR_OP_MIN) == (ra < rb) ? ka : kb;
            }
            if (flips && want != 0x7fffffff) {
                want |= (a ^ b) & 0x80000000;
            }
            assert_int_equal(regs[D][i], want);
        }
    }
}

static int start(void **state)
{
    (void)state;
    seed = kit_seed();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_minmax_variants),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
