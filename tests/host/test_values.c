/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values: parsing at the edges of each type, filling, comparing. */
#include "tests/host/test_support.h"

#include <math.h>
#include <string.h>

#include "shell/host/values.h"

static wr_value whole(int64_t value)
{
    return (wr_value){.integer = value};
}

static wr_value real(double value)
{
    return (wr_value){.real = value};
}

typedef struct parse_case {
    const char *type, *text;
    bool ok;
    uint64_t bits; /* stored little endian */
} parse_case;

static const parse_case parse_cases[] = {
    {"u8", "255", true, 0xff},
    {"u8", "256", false, 0},
    {"u8", "-1", false, 0},
    {"s8", "-128", true, 0x80},
    {"s8", "-129", false, 0},
    {"s8", "127", true, 0x7f},
    {"s8", "128", false, 0},
    {"b8", "-1", true, 0xff},
    {"b8", "0xff", true, 0xff},
    {"u16", "65535", true, 0xffff},
    {"u16", "65536", false, 0},
    {"s16", "-32768", true, 0x8000},
    {"u32", "4294967295", true, 0xffffffff},
    {"u32", "4294967296", false, 0},
    {"s32", "-2147483648", true, 0x80000000},
    {"s32", "-2147483649", false, 0},
    {"s32", "2147483648", false, 0},
    {"u64", "18446744073709551615", true, UINT64_MAX},
    {"u64", "18446744073709551616", false, 0},
    {"s64", "-9223372036854775808", true, UINT64_C(0x8000000000000000)},
    {"s64", "-9223372036854775809", false, 0},
    {"s64", "9223372036854775808", false, 0},
    {"f32", "1.5", true, 0x3fc00000},
    {"f32", "-0.0", true, 0x80000000},
    {"f32", "inf", true, 0x7f800000},
    {"f32", "1e39", false, 0},
    {"f64", "1e400", false, 0},
    {"f32", "1e400", false, 0},
    {"u32", "010", true, 10}, /* no octal */
    {"s32", "-010", true, (uint64_t)(uint32_t)-10},
    {"u32", "0X10", true, 16},
    {"u32", "\t1", false, 0},
    {"u32", "0x", false, 0},
    {"f64", "1e39", true, UINT64_C(0x48078287f49c4a1d)},
    {"f32", "1.5x", false, 0},
    {"s32", "", false, 0},
    {"s32", " 1", false, 0},
    {"s32", "1.5", false, 0},
};

static void parses_at_the_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parse_cases / sizeof parse_cases[0]; i++) {
        const parse_case *c = &parse_cases[i];
        const wr_value_type *type = wr_value_type_named(c->type);
        wr_value value;
        uint64_t bits = 0;
        assert_non_null(type);
        bool ok = wr_value_parse(type, c->text, &value);
        if (ok != c->ok) {
            fail_msg("%s '%s': accepted %d, expected %d", c->type, c->text, ok, c->ok);
        }
        if (!ok) {
            continue;
        }
        wr_value_store(type, value, &bits);
        if (bits != c->bits) {
            fail_msg("%s '%s': bits %llx, expected %llx", c->type, c->text,
                     (unsigned long long)bits, (unsigned long long)c->bits);
        }
        wr_value back = wr_value_fetch(type, &bits);
        uint64_t again = 0;
        wr_value_store(type, back, &again);
        assert_int_equal(again, bits);
    }
}

static void unknown_types_are_none(void **state)
{
    (void)state;
    assert_null(wr_value_type_named("f33"));
    assert_null(wr_value_type_named(""));
    assert_null(wr_value_type_of(WR_PRED));
    assert_string_equal(wr_value_type_of(WR_F64)->name, "f64");
}

static void random_is_in_range_and_repeats(void **state)
{
    (void)state;
    const wr_value_type *s32 = wr_value_type_named("s32"), *f32 = wr_value_type_named("f32");
    int32_t a[2000], b[2000];
    float f[2000];
    bool low_seen = false, high_seen = false;
    wr_fill_random(s32, a, 2000, 5, whole(-3), whole(4));
    wr_fill_random(s32, b, 2000, 5, whole(-3), whole(4));
    assert_memory_equal(a, b, sizeof a);
    for (size_t i = 0; i < 2000; i++) {
        assert_in_range(a[i] + 3, 0, 7);
        low_seen |= a[i] == -3;
        high_seen |= a[i] == 4;
    }
    assert_true(low_seen && high_seen);
    wr_fill_random(s32, b, 2000, 6, whole(-3), whole(4));
    assert_memory_not_equal(a, b, sizeof a);
    wr_fill_random(f32, f, 2000, 5, real(-2), real(3));
    for (size_t i = 0; i < 2000; i++) {
        assert_true(f[i] >= -2.0f && f[i] < 3.0f);
    }
    wr_fill_random(wr_value_type_named("u64"), b, 1000, 1, whole(0), whole(-1));
    uint64_t all = 0;
    for (size_t i = 0; i < 2000; i++) {
        all |= (uint64_t)(uint32_t)b[i];
    }
    assert_int_equal(all, 0xffffffffu);
}

/* Each around its own number, out to both ends of the range, and never out of it. */
static void near_is_around_each(void **state)
{
    (void)state;
    int32_t a[4000];
    uint8_t bytes[256];
    bool low_seen = false, high_seen = false, first_seen = false, last_seen = false;
    wr_fill_near(wr_value_type_named("s32"), a, 4000, 3, -5, 2, 1000);
    for (int32_t i = 0; i < 4000; i++) {
        const int32_t own = i % 1000;
        assert_in_range(a[i], own < 5 ? 0 : own - 5, own + 2 > 999 ? 999 : own + 2);
        low_seen |= own >= 5 && a[i] == own - 5;
        high_seen |= own + 2 <= 999 && a[i] == own + 2;
        first_seen |= own != 0 && a[i] == 0;
        last_seen |= own != 999 && a[i] == 999;
    }
    assert_true(low_seen && high_seen && first_seen && last_seen);
    wr_fill_near(wr_value_type_named("u8"), bytes, 256, 1, 0, 0, 256);
    assert_true(bytes[0] == 0 && bytes[77] == 77 && bytes[255] == 255);
    wr_fill_near(wr_value_type_named("u8"), bytes, 256, 1, 300, 300, 9);
    assert_true(bytes[0] == 8 && bytes[255] == 8);
}

static void iota_and_constant(void **state)
{
    (void)state;
    uint8_t bytes[300];
    float f[4];
    wr_fill_iota(wr_value_type_named("u8"), bytes, 300, whole(2));
    assert_int_equal(bytes[0], 2);
    assert_int_equal(bytes[299], (299 + 2) & 0xff);
    wr_fill_iota(wr_value_type_named("f32"), f, 4, real(0.5));
    assert_true(f[3] == 3.5f);
    wr_fill_constant(wr_value_type_named("f32"), f, 4, real(-7));
    assert_true(f[0] == -7.0f && f[3] == -7.0f);
}

static void compares_with_tolerance(void **state)
{
    (void)state;
    const wr_value_type *f32 = wr_value_type_named("f32");
    float want[4] = {100.0f, 0.0f, 1.0f, 2.0f}, have[4] = {100.5f, 0.0f, 1.0f, 2.0f};
    wr_comparison c = wr_compare(f32, want, have, 4, 0, 0);
    assert_int_equal(c.compared, 4);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(c.first, 0);
    assert_true(c.have.real == 100.5);
    assert_int_equal(wr_compare(f32, want, have, 4, 0.4, 0).wrong, 1);
    assert_int_equal(wr_compare(f32, want, have, 4, 0.5, 0).wrong, 0);
    assert_int_equal(wr_compare(f32, want, have, 4, 0, 0.004).wrong, 1);
    assert_int_equal(wr_compare(f32, want, have, 4, 0, 0.005).wrong, 0);
    have[0] = 100.0f;
    have[1] = -0.0f; /* equal as a number, not as bits */
    assert_int_equal(wr_compare(f32, want, have, 4, 0, 0).wrong, 1);
    assert_int_equal(wr_compare(f32, want, have, 4, 1e-9, 0).wrong, 0);
    have[1] = NAN;
    assert_int_equal(wr_compare(f32, want, have, 4, 1e30, 1).wrong, 1);
    want[1] = -NAN; /* with a tolerance NaN is NaN, without one bits count */
    assert_int_equal(wr_compare(f32, want, have, 4, 1e30, 1).wrong, 0);
    assert_int_equal(wr_compare(f32, want, have, 2, 0, 0).wrong, 1);
    uint64_t big_want = UINT64_MAX, big_have = UINT64_MAX - 1;
    c = wr_compare(wr_value_type_named("u64"), &big_want, &big_have, 1, 0, 0);
    assert_int_equal(c.wrong, 1);
    assert_true(c.largest_error == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_at_the_edges),
        cmocka_unit_test(unknown_types_are_none),
        cmocka_unit_test(random_is_in_range_and_repeats),
        cmocka_unit_test(near_is_around_each),
        cmocka_unit_test(iota_and_constant),
        cmocka_unit_test(compares_with_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
