/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions against exact numbers, and fp16 against its definition. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Half precision by its definition: sign, exponent, fraction. */
static double half_value(uint32_t h)
{
    double m = (h >> 10 & 31) == 0 ? ldexp((double)(h & 1023), -24)
                                   : ldexp((double)(1024 + (h & 1023)), (int)(h >> 10 & 31) - 25);
    return (h >> 15) != 0 ? -m : m;
}

static uint16_t to_half(float value)
{
    return wr_half_round((double)value, false, WR_RND_RN);
}

static void test_half(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        if ((h >> 10 & 31) == 31) {
            continue;
        }
        assert_true((double)wr_half_to_float((uint16_t)h) == half_value(h));
        assert_int_equal(to_half(wr_half_to_float((uint16_t)h)), h);
        if ((h & 0x7fff) < 0x7bff) { /* half-way to the next one goes to the even one */
            double next = half_value(h + 1);
            float middle = (float)((half_value(h) + next) / 2);
            assert_int_equal(to_half(middle), (h & 1) != 0 ? h + 1 : h);
            assert_int_equal(to_half(nextafterf(middle, (float)half_value(h))), h);
            assert_int_equal(to_half(nextafterf(middle, (float)next)), h + 1);
        }
    }
    assert_int_equal(to_half(65520.0f), 0x7c00);
    assert_int_equal(to_half(NAN), 0x7fff);
}

static void test_conversions(void **state)
{
    (void)state;
    for (unsigned from = WR_U8; from <= WR_F64; from++) {
        for (unsigned to = WR_U8; to <= WR_F64; to++) {
            bool ff = from == WR_F32 || from == WR_F64;
            bool tf = to == WR_F32 || to == WR_F64;
            if (from == WR_F16 || to == WR_F16) {
                continue;
            }
            for (unsigned round = 0; round < rounds() / 4; round++) {
                const wr_round modes[] = {WR_RND_RNI, WR_RND_RZI, WR_RND_RMI, WR_RND_RPI};
                wr_round mode = ff && !tf                  ? modes[round % 4]
                                : tf && (!ff || from > to) ? WR_RND_RN
                                                           : WR_RND_NONE;
                wr_insn insn = kit_op(WR_OP_CVT, (wr_type)to, D, A, RZ, RZ);
                insn.type2 = (uint8_t)from;
                insn.rnd = (uint8_t)mode;
                from == WR_F64 ? fill_f64() : from == WR_F32 ? fill_f32() : fill_ints();
                if (ff && round % 2 != 0) { /* small numbers, so that fractions matter */
                    for (unsigned i = 0; i < 32; i++) {
                        double v = ((double)(kit_random(&seed) % 4001) - 2000) / 8;
                        regs[A][i] =
                            from == WR_F32 ? wr_float_bits((float)v) : (uint32_t)wr_double_bits(v);
                        regs[A + 1][i] = (uint32_t)(wr_double_bits(v) >> 32);
                    }
                }
                execute(&insn, UINT32_MAX);
                for (unsigned i = 0; i < 32; i++) {
                    __float128 x = as_number(A, i, (wr_type)from);
                    if (tf) {
                        double got = to == WR_F32 ? (double)wr_as_float(regs[D][i])
                                                  : wr_as_double(read_lane(D, i));
                        double expect = to == WR_F32 ? (double)(float)x : (double)x;
                        assert_true(x != x ? isnan(got) : got == expect);
                        continue;
                    }
                    wide v;
                    if (ff) {
                        __float128 limit = (__float128)((uwide)1 << 100);
                        __float128 c = x != x ? 0 : x > limit ? limit : x < -limit ? -limit : x;
                        wide down = (wide)c;
                        down -= (__float128)down > c ? 1 : 0;
                        __float128 part = c - (__float128)down;
                        bool up = mode == WR_RND_RPI   ? part > 0
                                  : mode == WR_RND_RMI ? false
                                  : mode == WR_RND_RZI
                                      ? part > 0 && c < 0
                                      : part > (__float128)0.5 ||
                                            (part == (__float128)0.5 && (down & 1) != 0);
                        v = down + (up ? 1 : 0);
                        unsigned n = bits_of((wr_type)to);
                        wide top =
                            is_signed((wr_type)to) ? ((wide)1 << (n - 1)) - 1 : ((wide)1 << n) - 1;
                        wide bottom = is_signed((wr_type)to) ? -top - 1 : 0;
                        v = v > top ? top : v < bottom ? bottom : v;
                        if (x != x && (from == WR_F64 || n == 64)) { /* PTX ISA 9.0, cvt */
                            v = is_signed((wr_type)to) ? bottom : (wide)1 << (n - 1);
                        }
                    } else {
                        v = value(read_lane(A, i), (wr_type)from);
                    }
                    uint64_t expect = as_written(v, (wr_type)to, bits_of((wr_type)to));
                    uint64_t got = bits_of((wr_type)to) == 64 ? read_lane(D, i) : regs[D][i];
                    if (got != expect) {
                        fail_msg("cvt %u from %u mode %d of %llx: got %llx, expected %llx", to,
                                 from, (int)mode, (unsigned long long)read_lane(A, i),
                                 (unsigned long long)got, (unsigned long long)expect);
                    }
                }
            }
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
        cmocka_unit_test(test_conversions),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
