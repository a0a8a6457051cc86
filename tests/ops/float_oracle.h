/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracles of floating point share: the words of a case, rounding, flushing, 16 bits.
 */
#ifndef WR_TESTS_OPS_FLOAT_ORACLE_H
#define WR_TESTS_OPS_FLOAT_ORACLE_H

#include "tests/ops/arith_rig.h"

#define ORACLE(name) static void name(const arith_env *e, const uint64_t *in, uint64_t *out)
#define ROUNDS       "rn rz rm rp"

/* A word of the mode or of the text, between dots. */
bool has(const arith_env *e, const char *word);
/* The operation: the first word of the text, or of the mode. */
bool op(const arith_env *e, const char *name);
int rounding(const arith_env *e); /* of fenv.h */
/* .ftz: subnormals become zeros. */
float flush(const arith_env *e, float v);
double value16(const arith_env *e, uint64_t bits);
/* A 16-bit result with .ftz, .sat, .relu as the case says. */
uint16_t half_result(const arith_env *e, uint16_t r);
/* A value rounded to 16 bits in the case's rounding mode. */
uint16_t rounded(const arith_env *e, __float128 v, bool bfloat);

#endif
