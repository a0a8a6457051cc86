/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values; see values.h. */
#include "shell/host/values.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const wr_value_type types[] = {
    {"u8", WR_U8, 1, false, false},   {"s8", WR_S8, 1, false, true},
    {"b8", WR_B8, 1, false, false},   {"u16", WR_U16, 2, false, false},
    {"s16", WR_S16, 2, false, true},  {"b16", WR_B16, 2, false, false},
    {"u32", WR_U32, 4, false, false}, {"s32", WR_S32, 4, false, true},
    {"b32", WR_B32, 4, false, false}, {"f32", WR_F32, 4, true, true},
    {"u64", WR_U64, 8, false, false}, {"s64", WR_S64, 8, false, true},
    {"b64", WR_B64, 8, false, false}, {"f64", WR_F64, 8, true, true},
};
#define TYPE_COUNT (sizeof types / sizeof types[0])

const wr_value_type *wr_value_type_named(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

const wr_value_type *wr_value_type_of(unsigned type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

const char *wr_value_type_names(void)
{
    return "u8 s8 b8 u16 s16 b16 u32 s32 b32 f32 u64 s64 b64 f64";
}

static bool is_bits(const wr_value_type *type)
{
    return type->name[0] == 'b';
}

bool wr_value_parse(const wr_value_type *type, const char *text, wr_value *out)
{
    char *end = NULL;
    *out = (wr_value){0};
    errno = 0;
    if (text[0] == '\0' || isspace((unsigned char)text[0])) {
        return false;
    }
    if (type->is_float) {
        out->real = strtod(text, &end);
        bool overflow = isinf(out->real) && errno == ERANGE;
        return *end == '\0' && !overflow &&
               (type->size == 8 || !isfinite(out->real) || fabs(out->real) <= (double)FLT_MAX);
    }
    /* No octal: 010 is ten. */
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    unsigned bits = 8u * type->size;
    if (text[0] == '-') {
        long long value = strtoll(text, &end, base);
        if (*end || errno || !(type->is_signed || is_bits(type)) ||
            value < -(INT64_C(1) << (bits - 2)) - (INT64_C(1) << (bits - 2))) {
            return false;
        }
        out->integer = value;
        return true;
    }
    unsigned long long value = strtoull(text, &end, base);
    unsigned value_bits = type->is_signed ? bits - 1 : bits;
    if (*end || errno || (value_bits < 64 && value >> value_bits)) {
        return false;
    }
    out->integer = (int64_t)value;
    return true;
}

void wr_value_store(const wr_value_type *type, wr_value value, void *bytes)
{
    uint64_t bits = (uint64_t)value.integer;
    if (type->type == WR_F32) {
        float f = (float)value.real;
        memcpy(bytes, &f, sizeof f);
    } else if (type->type == WR_F64) {
        memcpy(bytes, &value.real, sizeof value.real);
    } else {
        for (unsigned i = 0; i < type->size; i++) {
            ((uint8_t *)bytes)[i] = (uint8_t)(bits >> (8 * i));
        }
    }
}

wr_value wr_value_fetch(const wr_value_type *type, const void *bytes)
{
    wr_value value = {0};
    if (type->type == WR_F32) {
        float f;
        memcpy(&f, bytes, sizeof f);
        value.real = (double)f;
        return value;
    }
    if (type->type == WR_F64) {
        memcpy(&value.real, bytes, sizeof value.real);
        return value;
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < type->size; i++) {
        bits |= (uint64_t)((const uint8_t *)bytes)[i] << (8 * i);
    }
    uint64_t sign = UINT64_C(1) << (8 * type->size - 1);
    if (type->is_signed && (bits & sign)) {
        bits |= ~(sign - 1);
    }
    value.integer = (int64_t)bits;
    return value;
}

void wr_value_format(const wr_value_type *type, wr_value value, char *out, size_t size)
{
    if (type->is_float) {
        (void)snprintf(out, size, "%.*g", type->size == 4 ? 9 : 17, value.real);
    } else if (type->is_signed) {
        (void)snprintf(out, size, "%" PRId64, value.integer);
    } else {
        (void)snprintf(out, size, "%" PRIu64, (uint64_t)value.integer);
    }
}

void wr_fill_iota(const wr_value_type *type, void *data, uint64_t count, wr_value start)
{
    for (uint64_t i = 0; i < count; i++) {
        wr_value value = {.integer = (int64_t)((uint64_t)start.integer + i),
                          .real = start.real + (double)i};
        wr_value_store(type, value, (uint8_t *)data + i * type->size);
    }
}

void wr_fill_constant(const wr_value_type *type, void *data, uint64_t count, wr_value value)
{
    for (uint64_t i = 0; i < count; i++) {
        wr_value_store(type, value, (uint8_t *)data + i * type->size);
    }
}

/* splitmix64 of a counter: any element can be made without those before it. */
static uint64_t mix(uint64_t seed, uint64_t index)
{
    uint64_t x = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void wr_fill_random(const wr_value_type *type, void *data, uint64_t count, uint64_t seed,
                    wr_value low, wr_value high)
{
    uint64_t span = (uint64_t)high.integer - (uint64_t)low.integer + 1; /* 0 = all of 2^64 */
    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = mix(seed, i);
        double fraction = (double)(x >> 40) / 16777216.0;
        wr_value value = {.integer = (int64_t)((uint64_t)low.integer + (span ? x % span : x)),
                          .real = low.real + (high.real - low.real) * fraction};
        wr_value_store(type, value, (uint8_t *)data + i * type->size);
    }
}

void wr_fill_near(const wr_value_type *type, void *data, uint64_t count, uint64_t seed, int64_t low,
                  int64_t high, uint64_t of)
{
    const uint64_t span = (uint64_t)(high - low) + 1;
    const int64_t last = (int64_t)of - 1;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t at = (int64_t)(i % of) + low + (int64_t)(mix(seed, i) % span);
        wr_value value = {.integer = at < 0 ? 0 : at > last ? last : at};
        wr_value_store(type, value, (uint8_t *)data + i * type->size);
    }
}

static double distance(const wr_value_type *type, wr_value a, wr_value b)
{
    if (type->is_float) {
        return fabs(a.real - b.real);
    }
    if (type->is_signed) {
        return fabs((double)a.integer - (double)b.integer);
    }
    uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer;
    return (double)(x > y ? x - y : y - x);
}

wr_comparison wr_compare(const wr_value_type *type, const void *expected, const void *got,
                         uint64_t count, double abs_tolerance, double rel_tolerance)
{
    wr_comparison result = {.compared = count};
    bool exact = abs_tolerance <= 0 && rel_tolerance <= 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *want = (const uint8_t *)expected + i * type->size;
        const uint8_t *have = (const uint8_t *)got + i * type->size;
        if (memcmp(want, have, type->size) == 0) {
            continue;
        }
        wr_value a = wr_value_fetch(type, want), b = wr_value_fetch(type, have);
        double error = distance(type, a, b);
        double size = type->is_float    ? fabs(a.real)
                      : type->is_signed ? fabs((double)a.integer)
                                        : (double)(uint64_t)a.integer;
        if (error > result.largest_error) {
            result.largest_error = error;
        }
        /* A NaN on one side makes the distance NaN, and so the element wrong; NaNs differ in bits
         * between machines. */
        bool both_nan = type->is_float && isnan(a.real) && isnan(b.real);
        if (!exact && (both_nan || error <= abs_tolerance + rel_tolerance * size)) {
            continue;
        }
        if (result.wrong++ == 0) {
            result.first = i;
            result.want = a;
            result.have = b;
        }
    }
    return result;
}
