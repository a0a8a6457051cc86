/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point against quadruple precision with a rounding of the test's own. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The value rounded to fp32 by a mode, from the two fp32 values around it. */
static float round_to_f32(__float128 x, wr_round mode)
{
    float near = (float)x; /* to nearest even */
    if (isinf(near) && x < (__float128)1e30 && x > -(__float128)1e30) {
        return near;
    }
    if ((mode == WR_RND_RZ && x > 0) || mode == WR_RND_RM) {
        return (__float128)near > x ? nextafterf(near, -INFINITY) : near;
    }
    if ((mode == WR_RND_RZ && x < 0) || mode == WR_RND_RP) {
        return (__float128)near < x ? nextafterf(near, INFINITY) : near;
    }
    return near;
}
static bool finite128(__float128 x)
{
    return x - x == 0;
}

/* Checks D against the exact result; NaN: canonical. Zero results compare by value only where
 * the sign depends on the rounding mode. */
static void check_f32(const char *what, unsigned lane, __float128 exact, wr_round mode,
                      float native)
{
    uint32_t got = regs[D][lane];
    if (isnan(native)) {
        assert_int_equal(got, 0x7fffffff);
        return;
    }
    float expect = finite128(exact) && exact != 0 ? round_to_f32(exact, mode) : native;
    float have = wr_as_float(got);
    bool same = wr_float_bits(expect) == got || (expect == 0.0f && have == 0.0f);
    if (!same) {
        fail_msg("%s mode %d: a %08x b %08x c %08x: got %08x, expected %08x", what, (int)mode,
                 regs[A][lane], regs[B][lane], regs[C][lane], got, wr_float_bits(expect));
    }
}

static void test_f32_arithmetic(void **state)
{
    (void)state;
    const wr_round modes[] = {WR_RND_RN, WR_RND_RZ, WR_RND_RM, WR_RND_RP};
    for (unsigned m = 0; m < 4; m++) {
        for (unsigned round = 0; round < rounds(); round++) {
            for (unsigned op = 0; op < 4; op++) {
                const wr_op ops[] = {WR_OP_ADD, WR_OP_SUB, WR_OP_MUL, WR_OP_FMA};
                fill_f32();
                for (unsigned i = 0; i < 96; i++) { /* sums stay exact in 113 bits */
                    uint32_t *v = &regs[2 * (i / 32)][i % 32];
                    uint32_t e = *v >> 23 & 0xff;
                    if (e > 0 && e < 255 && (e < 100 || e > 150)) {
                        *v = (*v & 0x807fffffu) | (100 + e % 50) << 23;
                    } else if (e == 0) {
                        *v &= 0x80000000u;
                    }
                }
                wr_insn insn = kit_op(ops[op], WR_F32, D, A, B, op == 3 ? C : RZ);
                insn.rnd = (uint8_t)modes[m];
                execute(&insn, UINT32_MAX);
                for (unsigned i = 0; i < 32; i++) {
                    __float128 a = as_number(A, i, WR_F32), b = as_number(B, i, WR_F32),
                               c = as_number(C, i, WR_F32);
                    float fa = wr_as_float(regs[A][i]), fb = wr_as_float(regs[B][i]),
                          fc = wr_as_float(regs[C][i]);
                    __float128 exact = op == 0   ? a + b
                                       : op == 1 ? a - b
                                       : op == 2 ? a * b
                                                 : a * b + c;
                    float native = op == 0   ? fa + fb
                                   : op == 1 ? fa - fb
                                   : op == 2 ? fa * fb
                                             : fmaf(fa, fb, fc);
                    check_f32(wr_isa_op_info(ops[op])->name, i, exact, modes[m], native);
                }
            }
        }
    }
}

static void test_f32_divide_and_root(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4 * rounds(); round++) {
        fill_f32();
        wr_insn insn = kit_op(WR_OP_DIV, WR_F32, D, A, B, RZ);
        insn.rnd = WR_RND_RN;
        execute(&insn, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            float native = wr_as_float(regs[A][i]) / wr_as_float(regs[B][i]);
            check_f32("div", i, as_number(A, i, WR_F32) / as_number(B, i, WR_F32), WR_RND_RN,
                      native);
        }
        insn = kit_op(WR_OP_SQRT, WR_F32, D, A, RZ, RZ);
        insn.rnd = WR_RND_RN;
        execute(&insn, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            /* the root r is right when a lies between the squares of r's half-way neighbours */
            float a = wr_as_float(regs[A][i]);
            float r = wr_as_float(regs[D][i]);
            if (isnan(a) || a < 0) {
                assert_int_equal(regs[D][i], 0x7fffffff);
            } else if (a > 0 && !isinf(a)) {
                __float128 low = ((__float128)r + nextafterf(r, 0)) / 2;
                __float128 high = ((__float128)r + nextafterf(r, INFINITY)) / 2;
                assert_true(low * low <= a && (__float128)a <= high * high);
            } else {
                assert_int_equal(regs[D][i], regs[A][i]);
            }
        }
    }
}

static void test_f64_arithmetic(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2 * rounds(); round++) {
        const wr_op ops[] = {WR_OP_ADD, WR_OP_SUB, WR_OP_MUL, WR_OP_DIV};
        for (unsigned op = 0; op < 4; op++) {
            fill_f64();
            wr_insn insn = kit_op(ops[op], WR_F64, D, A, B, RZ);
            insn.rnd = WR_RND_RN;
            execute(&insn, UINT32_MAX);
            for (unsigned i = 0; i < 32; i++) {
                __float128 a = as_number(A, i, WR_F64), b = as_number(B, i, WR_F64);
                __float128 exact = op == 0 ? a + b : op == 1 ? a - b : op == 2 ? a * b : a / b;
                double got = wr_as_double(read_lane(D, i));
                double expect = (double)exact; /* 113 bits are more than 2 x 53 + 2 */
                assert_true(isnan(expect) ? isnan(got) : got == expect);
            }
        }
    }
}

static void test_float_min_max_abs_neg_sat_ftz(void **state)
{
    (void)state;
    for (unsigned round = 0; round < rounds(); round++) {
        for (unsigned max = 0; max < 2; max++) {
            fill_f32();
            wr_insn insn = kit_op(max != 0 ? WR_OP_MAX : WR_OP_MIN, WR_F32, D, A, B, RZ);
            execute(&insn, UINT32_MAX);
            for (unsigned i = 0; i < 32; i++) {
                uint32_t a = regs[A][i], b = regs[B][i];
                bool na = (a & 0x7fffffff) > 0x7f800000, nb = (b & 0x7fffffff) > 0x7f800000;
                /* order of the bits as sign and magnitude, which puts -0 below +0 */
                int64_t ka = (a >> 31) != 0 ? -(int64_t)(a & 0x7fffffff) - 1 : (int64_t)a;
                int64_t kb = (b >> 31) != 0 ? -(int64_t)(b & 0x7fffffff) - 1 : (int64_t)b;
                uint32_t pick = (max != 0) == (ka > kb) ? a : b;
                uint32_t expect = na && nb ? 0x7fffffff : na ? b : nb ? a : pick;
                assert_int_equal(regs[D][i], expect);
            }
        }
        fill_f32();
        wr_insn neg = kit_op(WR_OP_NEG, WR_F32, D, A, RZ, RZ);
        execute(&neg, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(regs[D][i], regs[A][i] ^ 0x80000000u);
        }
        wr_insn abs = kit_op(WR_OP_ABS, WR_F32, D, A, RZ, RZ);
        execute(&abs, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(regs[D][i], regs[A][i] & 0x7fffffffu);
        }
        wr_insn sat = kit_op(WR_OP_MUL, WR_F32, D, A, B, RZ);
        sat.sat = true;
        execute(&sat, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            float v = wr_as_float(regs[A][i]) * wr_as_float(regs[B][i]);
            float expect = isnan(v) || v <= 0 ? 0 : v >= 1 ? 1 : v;
            assert_int_equal(regs[D][i], wr_float_bits(expect));
        }
        for (unsigned i = 0; i < 32; i++) { /* operands around the least normal */
            regs[A][i] = (uint32_t)kit_random(&seed) & 0x80ffffffu;
            regs[B][i] = (uint32_t)kit_random(&seed) & 0x80ffffffu;
        }
        wr_insn ftz = kit_op(WR_OP_ADD, WR_F32, D, A, B, RZ);
        ftz.ftz = true;
        execute(&ftz, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            float a = wr_as_float(regs[A][i]), b = wr_as_float(regs[B][i]);
            a = fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
            b = fabsf(b) < 0x1p-126f ? copysignf(0, b) : b;
            float v = a + b;
            v = fabsf(v) < 0x1p-126f ? copysignf(0, v) : v;
            assert_int_equal(regs[D][i], wr_float_bits(v));
        }
    }
}

/* Approximations: within one unit in the last place of the fp64 value. */
static void test_special_functions(void **state)
{
    (void)state;
    const wr_op ops[] = {WR_OP_RCP, WR_OP_RSQRT, WR_OP_EX2, WR_OP_LG2, WR_OP_SIN, WR_OP_COS};
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned i = 0; i < 32; i++) {
            regs[A][i] = wr_float_bits(0.03f + (float)(kit_random(&seed) % 100000) / 9000.0f);
        }
        wr_insn insn = kit_op(ops[k], WR_F32, D, A, RZ, RZ);
        insn.rnd = WR_RND_APPROX;
        execute(&insn, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            double x = (double)wr_as_float(regs[A][i]);
            double e = k == 0   ? 1 / x
                       : k == 1 ? pow(x, -0.5)
                       : k == 2 ? pow(2, x)
                       : k == 3 ? log(x) / log(2)
                       : k == 4 ? sin(x)
                                : cos(x);
            double got = (double)wr_as_float(regs[D][i]);
            assert_true(fabs(got - e) <= fabs(e) * 0x1p-23 + 1e-30);
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        regs[A][i] = 0;
    }
    wr_insn insn = kit_op(WR_OP_RCP, WR_F32, D, A, RZ, RZ);
    execute(&insn, UINT32_MAX);
    assert_int_equal(regs[D][7], 0x7f800000);
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
        cmocka_unit_test(test_f32_arithmetic),
        cmocka_unit_test(test_f32_divide_and_root),
        cmocka_unit_test(test_f64_arithmetic),
        cmocka_unit_test(test_float_min_max_abs_neg_sat_ftz),
        cmocka_unit_test(test_special_functions),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
