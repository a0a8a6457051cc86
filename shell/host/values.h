/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values as launch files write them: names of types, text to bytes, filling, comparing.
 *
 * Only the types that a buffer or an argument can have: 8 to 64-bit integers and bits, f32 and
 * f64. Bytes are little endian, as the simulated memory holds them.
 */
#ifndef WR_SHELL_HOST_VALUES_H
#define WR_SHELL_HOST_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/isa/isa.h"

typedef struct wr_value_type {
    const char *name;
    uint8_t type; /* wr_type */
    uint8_t size; /* bytes */
    bool is_float, is_signed;
} wr_value_type;

/* The type of this name, or of this wr_type; NULL where values cannot have it. */
const wr_value_type *wr_value_type_named(const char *name);
const wr_value_type *wr_value_type_of(unsigned type);
/* All names in one text, "u8 u16 ...", for messages. */
const char *wr_value_type_names(void);

/* One value, wide enough for all types. */
typedef struct wr_value {
    int64_t integer; /* integer types; u64 and b64 as their bits */
    double real;     /* float types */
} wr_value;

/* Reads a number (decimal, 0x hex, or floating). False where it is none, or out of the type's
 * range. A negative number suits a bit type of its size. */
bool wr_value_parse(const wr_value_type *type, const char *text, wr_value *out);
void wr_value_store(const wr_value_type *type, wr_value value, void *bytes);
wr_value wr_value_fetch(const wr_value_type *type, const void *bytes);
/* As text for people; floats with enough digits to tell any two apart. */
void wr_value_format(const wr_value_type *type, wr_value value, char *out, size_t size);

/* Element i becomes start + i (in the type's arithmetic). */
void wr_fill_iota(const wr_value_type *type, void *data, uint64_t count, wr_value start);
void wr_fill_constant(const wr_value_type *type, void *data, uint64_t count, wr_value value);
/* Element i depends on seed and i alone: uniform in low..high, high included for integers and
 * excluded for floats (24 random bits). */
void wr_fill_random(const wr_value_type *type, void *data, uint64_t count, uint64_t seed,
                    wr_value low, wr_value high);

/* Element i, of an integer type, becomes i modulo `of`, moved by a number in low..high that depends
 * on seed and i alone, but not out of 0..of - 1. Bounds up to 2^48. */
void wr_fill_near(const wr_value_type *type, void *data, uint64_t count, uint64_t seed, int64_t low,
                  int64_t high, uint64_t of);

/* Result of comparing `got` with `expected`. */
typedef struct wr_comparison {
    uint64_t compared, wrong;
    uint64_t first;       /* index of the first wrong element, where wrong > 0 */
    wr_value want, have;  /* its values */
    double largest_error; /* absolute, over all elements */
} wr_comparison;

/* An element is right where |got - expected| <= abs + rel * |expected| or both are NaN; with both
 * tolerances 0, where its bits are the same. */
wr_comparison wr_compare(const wr_value_type *type, const void *expected, const void *got,
                         uint64_t count, double abs_tolerance, double rel_tolerance);

#endif
