/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison, selection and moves of integers and bits, and the types of loads and stores, against
 * what the PTX ISA says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/arith_rig.h"

typedef __int128 wide;

#define ORACLE(name) static void name(const arith_env *e, const uint64_t *in, uint64_t *out)

/* A value of the type as a number. */
static wide num(const arith_env *e, uint64_t v)
{
    return e->is_signed ? (wide)arith_signed(v, e->bits) : (wide)arith_cut(v, e->bits);
}

/* ---- comparison, selection, moves ---- */

static bool compares(const char *op, wide a, wide b, uint64_t ua, uint64_t ub)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b, ua<ub, ua <= ub, ua> ub, ua >= ub};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(op, names[i], 2) == 0) {
            return results[i];
        }
    }
    return false;
}

ORACLE(o_setp)
{
    bool r = compares(e->mode, num(e, in[0]), num(e, in[1]), in[0], in[1]);

    out[0] = r;
    out[1] = !r;
}

ORACLE(o_setp_bool)
{
    bool r = compares(e->mode, num(e, in[0]), num(e, in[1]), in[0], in[1]), c = in[2] != 0;

    out[0] = r && c;
    out[1] = !r && c;
    out[2] = r || c;
    out[3] = !r || c;
    out[4] = r != c;
}

ORACLE(o_set)
{
    bool r = compares(e->mode, num(e, in[0]), num(e, in[1]), in[0], in[1]);

    out[0] = r ? UINT32_MAX : 0;
    out[1] = r ? 0x3f800000 : 0;
    out[2] = out[0];
}

ORACLE(o_set_bool)
{
    bool r = compares(e->mode, num(e, in[0]), num(e, in[1]), in[0], in[1]), c = in[2] != 0;
    bool results[] = {r && c, r || c, r != c};

    for (unsigned i = 0; i < 3; i++) {
        out[3 * i] = out[3 * i + 2] = results[i] ? UINT32_MAX : 0;
        out[3 * i + 1] = results[i] ? 0x3f800000 : 0;
    }
}

ORACLE(o_copy)
{
    (void)e;
    out[0] = in[0];
}

ORACLE(o_selp)
{
    (void)e;
    out[0] = in[2] != 0 ? in[0] : in[1];
}

ORACLE(o_slct)
{
    (void)e;
    out[0] = arith_signed(in[2], 32) >= 0 ? in[0] : in[1];
}

ORACLE(o_pack16)
{
    (void)e;
    out[0] = in[1] << 16 | in[0];
    out[1] = in[0] << 48 | in[1] << 32 | in[1] << 16 | in[0];
    out[2] = in[1];
}

ORACLE(o_unpack16)
{
    (void)e;
    for (unsigned i = 0; i < 4; i++) {
        out[i] = in[0] >> 16 * i & 0xffff;
    }
}

ORACLE(o_pack32)
{
    (void)e;
    out[0] = in[1] << 32 | in[0];
    out[1] = in[0];
}

#define INTS "u16 s16 u32 s32 u64 s64"
#define BITS "b16 b32 b64"

#define SETP_BOOL                                                                                  \
    "setp.$M.and.$T o0|o1, i0, i1, i2; setp.$M.or.$T o2|o3, i0, i1, i2; "                          \
    "setp.$M.xor.$T o4, i0, i1, i2;"
#define SET "set.$M.u32.$T o0, i0, i1; set.$M.f32.$T o1, i0, i1; set.$M.s32.$T o2, i0, i1;"
#define SET_ONE(bool, a, b, c)                                                                     \
    "set.$M." bool ".u32.$T " a                                                                    \
                   ", i0, i1, i2; set.$M." bool ".f32.$T " b                                       \
                                                ", i0, i1, i2; set.$M." bool ".s32.$T " c          \
                                                                             ", i0, i1, i2;"
#define SET_BOOL                                                                                   \
    SET_ONE("and", "o0", "o1", "o2")                                                               \
    " " SET_ONE("or", "o3", "o4", "o5") " " SET_ONE("xor", "o6", "o7", "o8")

static void choices(void **state)
{
    static const arith_case cases[] = {
        {"setp.$M.$T o0|o1, i0, i1;", BITS, "eq ne", "pp", "TTp", o_setp, 0},
        {"setp.$M.$T o0|o1, i0, i1;", "s16 s32 s64", "eq ne lt le gt ge", "pp", "TTp", o_setp, 0},
        {"setp.$M.$T o0|o1, i0, i1;", "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs", "pp", "TTp",
         o_setp, 0},
        {SETP_BOOL, BITS, "eq ne", "ppppp", "TTp", o_setp_bool, 0},
        {SETP_BOOL, "s16 s32 s64", "eq ne lt le gt ge", "ppppp", "TTp", o_setp_bool, 0},
        {SETP_BOOL, "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs", "ppppp", "TTp", o_setp_bool, 0},
        {SET, BITS, "eq ne", "wfw", "TT", o_set, 0},
        {SET, "s16 s32 s64", "eq ne lt le gt ge", "wfw", "TT", o_set, 0},
        {SET, "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs", "wfw", "TT", o_set, 0},
        {SET_BOOL, BITS, "eq ne", "wfwwfwwfw", "TTp", o_set_bool, 0},
        {SET_BOOL, "s16 s32 s64", "eq ne lt le gt ge", "wfwwfwwfw", "TTp", o_set_bool, 0},
        {SET_BOOL, "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs", "wfwwfwwfw", "TTp", o_set_bool,
         0},
        {"selp.$T o0, i0, i1, i2;", "b16 b32 b64 u16 s16 u32 s32 u64 s64 f32 f64", NULL, "T", "TTp",
         o_selp, 0},
        {"slct.$T.s32 o0, i0, i1, i2;", "b16 b32 b64 u16 s16 u32 s32 u64 s64 f32 f64", NULL, "T",
         "TTw", o_slct, 0},
        {"mov.$T o0, i0;", BITS " " INTS " f16 bf16 f16x2 bf16x2 f32 f64", NULL, "T", "T", o_copy,
         0},
        {"mov.pred o0, i0;", "b32", NULL, "p", "p", o_copy, 0},
        {"mov.b32 o0, {i0, i1}; mov.b64 o1, {i0, i1, i1, i0}; mov.b32 {_, o2}, o0;", "b16", NULL,
         "wdh", "hh", o_pack16, 0},
        {"mov.b64 {o0, o1, o2, o3}, i0;", "b16", NULL, "hhhh", "d", o_unpack16, 0},
        {"mov.b64 o0, {i0, i1}; mov.b64 {o1, _}, o0;", "b32", NULL, "dw", "ww", o_pack32, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

/* A narrow value extended to 64 bits. */
ORACLE(o_load)
{
    unsigned bits = e->bits * (e->pair ? 2 : 1);

    out[0] = e->is_signed ? (uint64_t)arith_signed(in[0], bits) : arith_cut(in[0], bits);
    out[1] = out[2] = out[0];
}

ORACLE(o_store)
{
    unsigned bits = e->bits * (e->pair ? 2 : 1);

    out[0] = (in[0] & ~arith_cut(UINT64_MAX, bits)) | arith_cut(in[1], bits);
}

#define MEMORY_TYPES "u8 s8 u16 s16 u32 s32 u64 s64 b8 b16 b32 b64 f16 f32 f64 f16x2 bf16"

/* All elements are read before one is written. */
ORACLE(o_swap)
{
    unsigned count = e->text[5] == '2' ? 2 : 4;

    for (unsigned i = 0; i < count; i++) {
        out[i] = in[count - 1 - i];
    }
}

static void vectors(void **state)
{
    static const arith_case cases[] = {
        {"mov.v2.$T {o0, o1}, {i0, i1}; mov.v2.$T {o0, o1}, {o1, o0};", INTS " " BITS " f32 f64",
         NULL, "TT", "TT", o_swap, 0},
        {"mov.v4.$T {o0, o1, o2, o3}, {i3, i2, i1, i0};", INTS " " BITS " f32 f64", NULL, "TTTT",
         "TTTT", o_swap, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void memory_types(void **state)
{
    static const arith_case cases[] = {
        {"ld.global.$T o0, [%in]; ld.global.nc.$T o1, [%in]; ldu.global.$T o2, [%in];",
         MEMORY_TYPES, NULL, "ddd", "dw", o_load, 0},
        {"st.global.$T [%in], i1; ld.global.b64 o0, [%in];", MEMORY_TYPES, NULL, "d", "dd", o_store,
         0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices),
        cmocka_unit_test(vectors),
        cmocka_unit_test(memory_types),
    };

    return cmocka_run_group_tests_name("comparison and selection", tests, NULL, NULL);
}
