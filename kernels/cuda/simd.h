/* SPDX-License-Identifier: Apache-2.0 */
/* SIMD intrinsics: operations on the 2 halves or the 4 bytes of a word, each by itself. */
#ifndef WR_KERNELS_CUDA_SIMD_H
#define WR_KERNELS_CUDA_SIMD_H

#include "qualifiers.h"

/* Part k of n bits. */
#define WR_PART_U(word, k, n) ((int)((word) >> (k) * (n) & ((1u << (n)) - 1)))
#define WR_PART_S(word, k, n) ((int)((word) << (32 - (n) - (k) * (n))) >> (32 - (n)))

/* x and y are the parts of both operands; `least` and `most` the bounds of a signed part, `all` a
 * part of ones. */
#define WR_SIMD_OF(name, part, n, expression)                                                      \
    WR_DEVICE unsigned name(unsigned a, unsigned b)                                                \
    {                                                                                              \
        const int all = (1 << n) - 1, most = all >> 1, least = -most - 1;                          \
        unsigned got = 0;                                                                          \
                                                                                                   \
        (void)least;                                                                               \
        _Pragma("unroll") for (int k = 0; k < 32 / n; k++)                                         \
        {                                                                                          \
            const int x = part(a, k, n), y = part(b, k, n);                                        \
                                                                                                   \
            got |= (unsigned)((expression)&all) << k * n;                                          \
        }                                                                                          \
        return got;                                                                                \
    }
#define WR_SIMD(name, part, expression)                                                            \
    WR_SIMD_OF(name##2, part, 16, expression)                                                      \
    WR_SIMD_OF(name##4, part, 8, expression)
#define WR_BOUND(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

WR_SIMD(__vadd, WR_PART_U, x + y)
WR_SIMD(__vaddss, WR_PART_S, WR_BOUND(x + y, least, most))
WR_SIMD(__vaddus, WR_PART_U, WR_BOUND(x + y, 0, all))
WR_SIMD(__vsub, WR_PART_U, x - y)
WR_SIMD(__vsubss, WR_PART_S, WR_BOUND(x - y, least, most))
WR_SIMD(__vsubus, WR_PART_U, WR_BOUND(x - y, 0, all))
WR_SIMD(__vavgs, WR_PART_S, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
WR_SIMD(__vavgu, WR_PART_U, (x + y + 1) >> 1)
WR_SIMD(__vhaddu, WR_PART_U, (x + y) >> 1)
WR_SIMD(__vabsdiffs, WR_PART_S, x > y ? x - y : y - x)
WR_SIMD(__vabsdiffu, WR_PART_U, x > y ? x - y : y - x)
WR_SIMD(__vmaxs, WR_PART_S, x > y ? x : y)
WR_SIMD(__vmaxu, WR_PART_U, x > y ? x : y)
WR_SIMD(__vmins, WR_PART_S, x < y ? x : y)
WR_SIMD(__vminu, WR_PART_U, x < y ? x : y)

/* A comparison: __vcmp gives a part of ones where it holds, __vset 1. */
#define WR_SIMD_TEST(name, part, expression)                                                       \
    WR_SIMD(__vcmp##name, part, (expression) ? all : 0)                                            \
    WR_SIMD(__vset##name, part, (expression) ? 1 : 0)
WR_SIMD_TEST(eq, WR_PART_U, x == y)
WR_SIMD_TEST(ne, WR_PART_U, x != y)
WR_SIMD_TEST(ges, WR_PART_S, x >= y)
WR_SIMD_TEST(geu, WR_PART_U, x >= y)
WR_SIMD_TEST(gts, WR_PART_S, x > y)
WR_SIMD_TEST(gtu, WR_PART_U, x > y)
WR_SIMD_TEST(les, WR_PART_S, x <= y)
WR_SIMD_TEST(leu, WR_PART_U, x <= y)
WR_SIMD_TEST(lts, WR_PART_S, x < y)
WR_SIMD_TEST(ltu, WR_PART_U, x < y)

/* Of one operand. */
#define WR_SIMD_ONE(name, expression)                                                              \
    WR_SIMD_OF(wr##name##2, WR_PART_S, 16, expression)                                             \
    WR_SIMD_OF(wr##name##4, WR_PART_S, 8, expression)                                              \
    WR_DEVICE unsigned name##2(unsigned a)                                                         \
    {                                                                                              \
        return wr##name##2(a, 0);                                                                  \
    }                                                                                              \
    WR_DEVICE unsigned name##4(unsigned a)                                                         \
    {                                                                                              \
        return wr##name##4(a, 0);                                                                  \
    }
WR_SIMD_ONE(__vabs, x < y ? -x : x)
WR_SIMD_ONE(__vabsss, WR_BOUND(x < y ? -x : x, least, most))
WR_SIMD_ONE(__vneg, y - x)
WR_SIMD_ONE(__vnegss, WR_BOUND(y - x, least, most))

/* The sum of the absolute differences. */
#define WR_SIMD_SAD(name, part, n)                                                                 \
    WR_DEVICE unsigned name(unsigned a, unsigned b)                                                \
    {                                                                                              \
        unsigned sum = 0;                                                                          \
                                                                                                   \
        _Pragma("unroll") for (int k = 0; k < 32 / n; k++)                                         \
        {                                                                                          \
            const int x = part(a, k, n), y = part(b, k, n);                                        \
                                                                                                   \
            sum += (unsigned)(x > y ? x - y : y - x);                                              \
        }                                                                                          \
        return sum;                                                                                \
    }
WR_SIMD_SAD(__vsads2, WR_PART_S, 16)
WR_SIMD_SAD(__vsads4, WR_PART_S, 8)
WR_SIMD_SAD(__vsadu2, WR_PART_U, 16)
WR_SIMD_SAD(__vsadu4, WR_PART_U, 8)

#endif
