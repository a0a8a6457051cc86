/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic, end to end: text -> parser -> compiler -> machine, on random and edge values,
 * against an oracle in plain C.
 *
 * A case is one instruction form in several types and modes. In its text $T is a type of
 * `types`, $M a mode of `modes`; o0.. are destinations and i0.. sources. `out` and `in` say
 * what these are, a letter each:
 *
 *     T  a value of the type        W  one twice as wide        p  a predicate
 *     h  16 bits   w  32 bits       d  64 bits                  s  a small number of 32 bits
 *     f  an f32    F  an f64        e  an f16 or bf16           x  a pair of these
 *     k  an f32 about the range of 8-bit floats                 n  16 bits, thread by thread
 *     c  32 bits, small with a sign                             o  T, often the NaN 0x7ff7
 */
#ifndef WR_TESTS_OPS_ARITH_RIG_H
#define WR_TESTS_OPS_ARITH_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARITH_MAX = 18 };

typedef struct arith_env {
    const char *text, *type, *mode; /* the case's, and what stands for $T and $M */
    unsigned bits;                  /* of the type; of its element for pairs */
    bool is_signed, is_float, bfloat, pair;
} arith_env;

typedef struct arith_case {
    const char *text, *types, *modes; /* words with spaces between; modes may be NULL */
    const char *out, *in;
    /* Values lie in the low bits; what is above must be ignored. */
    void (*oracle)(const arith_env *e, const uint64_t *in, uint64_t *out);
    unsigned ulps; /* allowed: approximations */
} arith_case;

/* Runs every type and mode of every case: under a guard that leaves lanes out, on as many sets of
 * operands that the modes of a type have at least ops_share(OPS_SETS), which it counts and asserts;
 * and on a few as they stand, not cleaned up, with a constant as last source, and preempted. Fails
 * with the case, the operands and the seed. */
void arith_check(const arith_case *cases, size_t count);

/* Corner cases worked out by hand, of one instruction; letters as above, of which T is none. Each
 * is run by several threads, cleaned up and not, and preempted. */
typedef struct arith_row {
    uint64_t in[4], out;
} arith_row;

typedef struct arith_corner {
    const char *text, *out, *in;
    arith_row rows[16]; /* up to `count` */
    uint32_t count;
} arith_corner;

void arith_check_corners(const arith_corner *corners, size_t count);

/* The type's value of the low bits: integers extended. */
int64_t arith_signed(uint64_t v, unsigned bits);
uint64_t arith_cut(uint64_t v, unsigned bits);

/* Bits and values, read by definition. */
double arith_half(uint16_t bits, bool bfloat);
float arith_f32(uint64_t bits);
double arith_f64(uint64_t bits);
uint64_t arith_bits32(float v); /* NaN: 0x7fffffff */
uint64_t arith_bits64(double v);
/* a + b rounded to 16 bits; both are exact in 113 bits, their sum need not be. */
uint16_t arith_round16(__float128 a, __float128 b, bool bfloat, const char *mode);

#endif
