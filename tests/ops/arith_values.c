/* SPDX-License-Identifier: Apache-2.0 */
/* See arith_rig.h: numbers of all formats, read by definition. */
#include <math.h>
#include <string.h>

#include "tests/ops/arith_rig.h"

int64_t arith_signed(uint64_t v, unsigned bits)
{
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

uint64_t arith_cut(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

float arith_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float v;

    memcpy(&v, &low, sizeof v);
    return v;
}

double arith_f64(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

uint64_t arith_bits32(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof v);
    return isnan(v) ? 0x7fffffff : bits;
}

uint64_t arith_bits64(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof v);
    return bits;
}

double arith_half(uint16_t bits, bool bfloat)
{
    unsigned fraction = bfloat ? 7 : 10;
    int bias = bfloat ? 127 : 15;
    int exponent = bits >> fraction & (2 * bias + 1);
    double m = bits & ((1 << fraction) - 1);
    double v;

    if (exponent == 2 * bias + 1) {
        v = m == 0 ? (double)INFINITY : (double)NAN;
    } else if (exponent == 0) {
        v = ldexp(m, 1 - bias - (int)fraction);
    } else {
        v = ldexp(m + (1 << fraction), exponent - bias - (int)fraction);
    }
    return bits >> 15 != 0 ? -v : v;
}

static int sign_of(__float128 v)
{
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* Finds the neighbours of the sum among all values of the format, and chooses. */
uint16_t arith_round16(__float128 a, __float128 b, bool bfloat, const char *mode)
{
    unsigned infinity = bfloat ? 0x7f80 : 0x7c00;
    unsigned low = 0, high = infinity - 1;
    double near = (double)a + (double)b;
    int sign = sign_of(a + b);
    bool up;
    __float128 below, above;
    int side;

    if (isnan(near)) {
        return 0x7fff;
    }
    if (isinf((double)a) || isinf((double)b)) {
        return (uint16_t)(infinity | (near < 0 ? 0x8000u : 0));
    }
    if (sign == 0) {
        return signbit(near) ? 0x8000 : 0;
    }
    if (sign < 0) {
        a = -a;
        b = -b;
    }
    while (low < high) { /* the greatest value that is not above the sum: nearly, then exactly */
        unsigned middle = (low + high + 1) / 2;

        if (fabs(near) >= arith_half((uint16_t)middle, bfloat)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    while (low > 0 && sign_of((a - arith_half((uint16_t)low, bfloat)) + b) < 0) {
        low--;
    }
    while (low + 1 < infinity && sign_of((a - arith_half((uint16_t)(low + 1), bfloat)) + b) >= 0) {
        low++;
    }
    below = arith_half((uint16_t)low, bfloat);
    above = low + 1 < infinity ? arith_half((uint16_t)(low + 1), bfloat)
                               : 2 * below - arith_half((uint16_t)(low - 1), bfloat);
    side = sign_of((a - (below + above) / 2) + b);
    if (strcmp(mode, "rz") == 0) {
        up = false;
    } else if (strcmp(mode, "rp") == 0 || strcmp(mode, "rm") == 0) {
        up = (mode[1] == 'p') == (sign > 0) && sign_of((a - below) + b) != 0;
    } else {
        up = side > 0 || (side == 0 && (low & 1) != 0);
    }
    return (uint16_t)((low + (up ? 1 : 0)) | (sign < 0 ? 0x8000u : 0));
}
