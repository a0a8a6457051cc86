/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of the differential test are written in: CUDA as it is, and for the host the
 * same names.
 *
 * On the host a block is one coroutine a thread. A function of the warp ends a thread's turn until
 * all lanes of its mask have come; everything else is the compiler's C++. Nothing of it comes from
 * the device's headers, and no value that C++ leaves open is read: UNSET and NO_RETURN stand where
 * CUDA allows what C++ does not.
 */
#ifndef WR_LANES_H
#define WR_LANES_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;

#define INPUTS  16 /* values that a thread reads */
#define CELLS   16 /* values that all threads of a program share */
#define THREADS 64
#define FULL    0xffffffffu

/* One random program: its kernel's launch, and how many values each thread leaves. */
struct Program {
    const char *name;
    unsigned values;
    void (*launch)(const u64 *in, u64 *out, u64 *cells);
};

#ifdef __CUDA__
#include "device.h"
#else
#include "host.h"
#endif

/* Meanings that C++ has, too, once what the operators leave open is said. */
#define FN static inline HD
#define SHIFTS(t, u, bits)                                                                         \
    FN t shl_##t(t x, u32 n)                                                                       \
    {                                                                                              \
        return (t)(n < bits ? (u)x << n : 0);                                                      \
    }                                                                                              \
    FN t shr_##t(t x, u32 n)                                                                       \
    {                                                                                              \
        return (t)(n < bits ? x >> n : x < 0 ? -1 : 0);                                            \
    }                                                                                              \
    FN t rotl_##t(t x, u32 n)                                                                      \
    {                                                                                              \
        return (t)((u)x << (n & (bits - 1)) | (u)x >> (-n & (bits - 1)));                          \
    }                                                                                              \
    FN t rotr_##t(t x, u32 n)                                                                      \
    {                                                                                              \
        return (t)((u)x >> (n & (bits - 1)) | (u)x << (-n & (bits - 1)));                          \
    }
SHIFTS(u8, u8, 8u)
SHIFTS(s8, u8, 8u)
SHIFTS(u16, u16, 16u)
SHIFTS(s16, u16, 16u)
SHIFTS(u32, u32, 32u)
SHIFTS(s32, u32, 32u)
SHIFTS(u64, u64, 64u)
SHIFTS(s64, u64, 64u)

FN u32 bits_of(f32 x)
{
    u32 bits;

    memcpy(&bits, &x, 4);
    return x != x ? 0x7fc00000u : bits;
}
FN u64 bits_of(f64 x)
{
    u64 bits;

    memcpy(&bits, &x, 8);
    return x != x ? 0x7ff8000000000000ull : bits;
}
FN u64 bits_of(u8 x)
{
    return x;
}
FN u64 bits_of(s8 x)
{
    return (u64)x;
}
FN u64 bits_of(u16 x)
{
    return x;
}
FN u64 bits_of(s16 x)
{
    return (u64)x;
}
FN u64 bits_of(s32 x)
{
    return (u64)x;
}
FN u64 bits_of(u32 x)
{
    return x;
}
FN u64 bits_of(s64 x)
{
    return (u64)x;
}
FN u64 bits_of(u64 x)
{
    return x;
}
/* A number of 16 bits, with one NaN for all. */
FN u16 one_nan(u16 x, u32 mantissa)
{
    return (x & 0x7fffu) > (0x7fffu >> mantissa << mantissa) ? 0x7fff : x;
}
FN u64 mix(u64 a, u64 b)
{
    return (a ^ b) * 0x9e3779b97f4a7c15ull + (a >> 29);
}
/* The k-th lane of a mask, from 0. */
FN u32 nth_lane(u32 mask, u32 k)
{
    for (k %= (u32)__popc(mask); k != 0; k--) {
        mask &= mask - 1;
    }
    return (u32)__ffs((int)mask) - 1;
}

/* A number of `from` bits' kind as an integer, 7 where it does not fit. */
#define WHOLE(name, to, from, low, high)                                                           \
    FN to name(from x)                                                                             \
    {                                                                                              \
        return x > low && x < high ? (to)x : (to)7;                                                \
    }
WHOLE(whole_f32_s32, s32, f32, -2.1e9f, 2.1e9f)
WHOLE(whole_f32_u32, u32, f32, -0.9f, 4.2e9f)
WHOLE(whole_f32_s64, s64, f32, -9.1e18f, 9.1e18f)
WHOLE(whole_f64_s32, s32, f64, -2.1e9, 2.1e9)
WHOLE(whole_f64_u32, u32, f64, -0.9, 4.2e9)
WHOLE(whole_f64_s64, s64, f64, -9.1e18, 9.1e18)
WHOLE(whole_f64_u64, u64, f64, -0.9, 1.8e19)

/* The inputs: a counter's hash, every third one at an edge. */
static void fill(u64 *in, u64 seed)
{
    static const u64 edges[] = {0,
                                1,
                                2,
                                3,
                                31,
                                32,
                                33,
                                63,
                                64,
                                127,
                                128,
                                255,
                                256,
                                32767,
                                32768,
                                65535,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                0x3f800000,
                                0x100000000,
                                0x7fffffffffffffff,
                                0x8000000000000000,
                                0xffffffffffffffff};

    for (unsigned i = 0; i < THREADS * INPUTS; i++) {
        u64 x = (seed + 1) * 0x9e3779b97f4a7c15ull + i * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 27) * 0x94d049bb133111ebull;
        x ^= x >> 31;
        in[i] = x % 3 == 0 ? edges[(x >> 8) % (sizeof edges / sizeof *edges)] : x;
    }
}

/* Runs them all; a line for each: its name, the values of each thread in turn, the cells, in
 * hexadecimal. */
static int play(const Program *programs, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        const Program *p = &programs[k];
        unsigned n = THREADS * p->values;
        u64 *in = (u64 *)calloc(THREADS * INPUTS, 8), *out = (u64 *)calloc(n, 8), cells[CELLS] = {};

        fill(in, strtoull(p->name, NULL, 10));
        p->launch(in, out, cells);
        printf("%s", p->name);
        for (unsigned i = 0; i < n && !wr_endless(); i++) {
            printf(" %llx", out[i]);
        }
        for (unsigned i = 0; i < CELLS && !wr_endless(); i++) {
            printf(" %llx", cells[i]);
        }
        printf(wr_endless() ? " endless\n" : "\n");
        fflush(stdout);
        free(in);
        free(out);
    }
    return 0;
}
#endif
