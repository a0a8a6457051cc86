/* SPDX-License-Identifier: Apache-2.0 */
/* Integer and bit instructions against what the PTX ISA says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/arith_rig.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

#define ORACLE(name) static void name(const arith_env *e, const uint64_t *in, uint64_t *out)

/* A value of the type as a number. */
static wide num(const arith_env *e, uint64_t v)
{
    return e->is_signed ? (wide)arith_signed(v, e->bits) : (wide)arith_cut(v, e->bits);
}

static bool is(const arith_env *e, const char *mode)
{
    return strcmp(e->mode, mode) == 0;
}

/* Part of a product by .lo, .hi or .wide */
static uint64_t part(const arith_env *e, wide product, const char *mode)
{
    return strcmp(mode, "hi") == 0 ? (uint64_t)((uwide)product >> e->bits) : (uint64_t)product;
}

ORACLE(o_basic)
{
    wide a = num(e, in[0]), b = num(e, in[1]), r;

    if (is(e, "add")) {
        r = a + b;
    } else if (is(e, "sub")) {
        r = a - b;
    } else if (is(e, "mul.lo") || is(e, "mul.hi")) {
        r = (wide)part(e, (wide)((uwide)a * (uwide)b), e->mode + 4);
    } else if (is(e, "div")) {
        r = b == 0 ? -1 : a / b;
    } else if (is(e, "rem")) {
        r = b == 0 ? a : a % b;
    } else if (is(e, "min")) {
        r = a < b ? a : b;
    } else {
        r = a > b ? a : b;
    }
    out[0] = (uint64_t)r;
}

ORACLE(o_sat)
{
    wide a = num(e, in[0]), b = num(e, in[1]);
    wide r = is(e, "add") ? a + b : a - b;

    out[0] = (uint64_t)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}

ORACLE(o_relu)
{
    wide a = num(e, in[0]), b = num(e, in[1]);
    wide r = is(e, "min") == (a < b) ? a : b;

    out[0] = (uint64_t)(r < 0 ? 0 : r);
}

ORACLE(o_pair)
{
    out[0] = 0;
    for (unsigned h = 0; h < 2; h++) {
        arith_env one = *e;
        uint64_t half[2] = {in[0] >> 16 * h, in[1] >> 16 * h}, r = 0;
        char name[8] = {0};

        memcpy(name, e->mode, 3);
        one.mode = name;
        (strstr(e->mode, "relu") != NULL ? o_relu : o_basic)(&one, half, &r);
        out[0] |= (r & 0xffff) << 16 * h;
    }
}

ORACLE(o_absneg)
{
    wide a = num(e, in[0]);

    out[0] = (uint64_t)(is(e, "neg") || a < 0 ? -a : a);
}

ORACLE(o_mulwide)
{
    out[0] = (uint64_t)(num(e, in[0]) * num(e, in[1]));
}

ORACLE(o_mad)
{
    wide p = (wide)((uwide)num(e, in[0]) * (uwide)num(e, in[1]));

    out[0] = part(e, p, e->mode) + in[2];
}

ORACLE(o_madwide)
{
    out[0] = (uint64_t)(num(e, in[0]) * num(e, in[1])) + in[2];
}

ORACLE(o_madsat)
{
    wide r = (num(e, in[0]) * num(e, in[1]) >> 32) + num(e, in[2]);

    out[0] = (uint64_t)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}

static wide mul24(const arith_env *e, const uint64_t *in)
{
    wide a = e->is_signed ? arith_signed(in[0], 24) : (wide)arith_cut(in[0], 24);
    wide b = e->is_signed ? arith_signed(in[1], 24) : (wide)arith_cut(in[1], 24);

    return is(e, "lo") ? a * b : a * b >> 16;
}

ORACLE(o_mul24)
{
    out[0] = (uint64_t)mul24(e, in);
}

ORACLE(o_mad24)
{
    out[0] = (uint64_t)mul24(e, in) + in[2];
}

ORACLE(o_mad24sat)
{
    wide r = arith_signed((uint64_t)(mul24(e, in)), 32) + num(e, in[2]);

    out[0] = (uint64_t)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}

ORACLE(o_sad)
{
    wide a = num(e, in[0]), b = num(e, in[1]);

    out[0] = in[2] + (uint64_t)(a < b ? b - a : a - b);
}

ORACLE(o_vabsdiff)
{
    unsigned lanes = strstr(e->text, "vabsdiff4") != NULL ? 4 : 2, width = 32 / lanes;

    out[0] = 0;
    out[1] = in[2];
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t x = arith_cut(in[0] >> i * width, width), y = arith_cut(in[1] >> i * width, width);
        int64_t a = e->is_signed ? arith_signed(x, width) : (int64_t)x;
        int64_t b = e->is_signed ? arith_signed(y, width) : (int64_t)y;
        uint64_t d = (uint64_t)(a < b ? b - a : a - b);

        out[0] |= d << i * width;
        out[1] += d;
    }
}

/* ---- carry: numbers of two digits, each of the type's width ---- */

static uwide joined(const arith_env *e, const uint64_t *digits)
{
    return (uwide)digits[1] << e->bits | digits[0];
}

static void split(const arith_env *e, uwide v, uint64_t *out)
{
    out[0] = arith_cut((uint64_t)v, e->bits);
    out[1] = arith_cut((uint64_t)(v >> e->bits), e->bits);
}

ORACLE(o_addc)
{
    uwide a = joined(e, in), b = joined(e, in + 2), s = a + b;

    split(e, s, out);
    out[2] = e->bits == 64 ? s < a : (uint64_t)(s >> 64) & 1;
}

ORACLE(o_subc)
{
    uwide a = joined(e, in), b = joined(e, in + 2);

    split(e, a - b, out);
    out[2] = a < b ? UINT64_MAX : 0;
}

/* {i1 i0} = two digits of a number of 2n bits that i2 * i3 is added to; then madc.hi.cc and what it
 * leaves in the flag. */
ORACLE(o_madc)
{
    uint64_t lo, hi, c1, c2;
    uwide sum, product = (uwide)num(e, in[2]) * (uwide)num(e, in[3]);

    lo = arith_cut((uint64_t)product, e->bits);
    hi = arith_cut((uint64_t)(product >> e->bits), e->bits);
    sum = (uwide)lo + arith_cut(in[0], e->bits);
    c1 = (uint64_t)(sum >> e->bits);
    out[0] = (uint64_t)sum;
    sum = (uwide)hi + arith_cut(in[1], e->bits) + c1;
    c2 = (uint64_t)(sum >> e->bits);
    out[1] = (uint64_t)sum;
    sum = (uwide)lo + 0 + c2; /* madc.lo.cc with addend 0 */
    out[2] = (uint64_t)sum;
    out[3] = (uint64_t)(sum >> e->bits);
}

ORACLE(o_madhicc)
{
    uwide product = (uwide)num(e, in[0]) * (uwide)num(e, in[1]);
    uwide sum = (uwide)arith_cut((uint64_t)(product >> e->bits), e->bits) + in[2];

    out[0] = (uint64_t)sum;
    out[1] = (uint64_t)(sum >> e->bits);
    out[2] =
        arith_cut((uint64_t)(product >> e->bits), e->bits) + in[2] + (uint64_t)(sum >> e->bits);
}

/* ---- bits ---- */

ORACLE(o_logic)
{
    (void)e;
    out[0] = is(e, "and") ? in[0] & in[1] : is(e, "or") ? in[0] | in[1] : in[0] ^ in[1];
}

ORACLE(o_not)
{
    out[0] = is(e, "cnot") ? in[0] == 0 : ~in[0];
}

ORACLE(o_notp)
{
    (void)e;
    out[0] = in[0] == 0;
}

ORACLE(o_pred)
{
    out[0] = is(e, "and") ? in[0] & in[1] : is(e, "or") ? in[0] | in[1] : in[0] ^ in[1];
    out[1] = is(e, "and")  ? (in[0] == 0) & in[1]
             : is(e, "or") ? (in[0] == 0) | in[1]
                           : (in[0] == 0) ^ in[1];
}

ORACLE(o_lop3)
{
    static const unsigned luts[] = {0x00, 0x80, 0xfe, 0x96, 0xca, 0xe8, 0x1b, 0xff};
    unsigned lut = 0;

    for (unsigned i = 0; i < sizeof luts / sizeof *luts; i++) {
        char text[8] = {'0', 'x', "0123456789abcdef"[luts[i] >> 4],
                        "0123456789abcdef"[luts[i] & 15]};

        if (is(e, text)) {
            lut = luts[i];
        }
    }
    out[0] = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned index = (unsigned)((in[0] >> i & 1) * 4 + (in[1] >> i & 1) * 2 + (in[2] >> i & 1));

        out[0] |= (uint64_t)(lut >> index & 1) << i;
    }
}

/* The predicate: a result that is not 0, and or or the one given. */
ORACLE(o_lop3_pair)
{
    bool or_not = strstr(e->text, "lop3.or") != NULL;

    o_lop3(e, in, out);
    out[1] = or_not ? arith_cut(out[0], 32) != 0 || in[3] == 0
                    : arith_cut(out[0], 32) != 0 && in[3] != 0;
}

ORACLE(o_lop3_sink)
{
    uint64_t d;

    o_lop3(e, in, &d);
    out[0] = arith_cut(d, 32) != 0 || in[3] != 0;
}

ORACLE(o_shl)
{
    out[0] = in[1] >= e->bits ? 0 : in[0] << in[1];
}

ORACLE(o_shr)
{
    wide a = num(e, in[0]);

    out[0] = (uint64_t)(a >> (in[1] >= e->bits ? e->bits : in[1]));
}

ORACLE(o_shf)
{
    bool wrap = strstr(e->mode, "wrap") != NULL;
    uint64_t n = wrap ? in[2] % 32 : in[2] > 32 ? 32 : in[2];

    out[0] = 0;
    for (unsigned i = 0; i < 32; i++) { /* bit i of the result is a bit of {i1, i0} */
        uint64_t at = e->mode[0] == 'r' ? i + n : 32 + i - n;
        uint64_t bit = at >= 64 ? 0 : at >= 32 ? in[1] >> (at - 32) & 1 : in[0] >> at & 1;

        out[0] |= bit << i;
    }
}

ORACLE(o_count)
{
    out[0] = 0;
    if (is(e, "popc")) {
        for (unsigned i = 0; i < e->bits; i++) {
            out[0] += in[0] >> i & 1;
        }
    } else {
        for (unsigned i = e->bits; i-- > 0 && (in[0] >> i & 1) == 0;) {
            out[0]++;
        }
    }
}

ORACLE(o_brev)
{
    out[0] = 0;
    for (unsigned i = 0; i < e->bits; i++) {
        out[0] |= (in[0] >> i & 1) << (e->bits - 1 - i);
    }
}

ORACLE(o_bfind)
{
    bool negative = e->is_signed && num(e, in[0]) < 0;
    int at = -1;

    for (int i = (int)e->bits - 1; i >= 0 && at < 0; i--) {
        at = (in[0] >> i & 1) != (negative ? 1 : 0) ? i : -1;
    }
    if (is(e, "bfind.shiftamt") && at >= 0) {
        at = (int)e->bits - 1 - at;
    }
    out[0] = (uint64_t)(int64_t)at;
}

/* The ISA's loop, bit by bit. */
ORACLE(o_bfe)
{
    uint64_t pos = in[1] & 255, len = in[2] & 255, msb = e->bits - 1;
    uint64_t sign = 0;

    if (e->is_signed && len != 0) {
        sign = in[0] >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
    }
    out[0] = 0;
    for (unsigned i = 0; i <= msb; i++) {
        out[0] |= (i < len && pos + i <= msb ? in[0] >> (pos + i) & 1 : sign) << i;
    }
}

ORACLE(o_bfi)
{
    uint64_t pos = in[2] & 255, len = in[3] & 255;

    out[0] = in[1];
    for (uint64_t i = 0; i < len && pos + i < e->bits; i++) {
        out[0] &= ~(UINT64_C(1) << (pos + i));
        out[0] |= (in[0] >> i & 1) << (pos + i);
    }
}

ORACLE(o_prmt)
{
    /* Rows of the ISA's table, selector 0 to 3, most significant byte first */
    static const struct {
        const char *mode;
        const char *bytes[4];
    } rows[] = {
        {"prmt.b32.f4e", {"3210", "4321", "5432", "6543"}},
        {"prmt.b32.b4e", {"5670", "6701", "7012", "0123"}},
        {"prmt.b32.rc8", {"0000", "1111", "2222", "3333"}},
        {"prmt.b32.ecl", {"3210", "3211", "3222", "3333"}},
        {"prmt.b32.ecr", {"0000", "1110", "2210", "3210"}},
        {"prmt.b32.rc16", {"1010", "3232", "1010", "3232"}},
    };
    uint64_t both = in[1] << 32 | in[0];
    const char *bytes = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is(e, rows[i].mode)) {
            bytes = rows[i].bytes[in[2] & 3];
        }
    }
    out[0] = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t sel = in[2] >> 4 * i & 15;
        uint64_t byte =
            bytes != NULL ? both >> 8 * (bytes[3 - i] - '0') & 255 : both >> 8 * (sel & 7) & 255;

        if (bytes == NULL && sel > 7) {
            byte = byte > 127 ? 255 : 0;
        }
        out[0] |= byte << 8 * i;
    }
}

ORACLE(o_dp)
{
    bool sa = e->mode[0] == 's', sb = strchr(e->mode, '.')[1] == 's';
    bool two = strcmp(e->type, "lo") == 0 || strcmp(e->type, "hi") == 0;
    int64_t sum = arith_signed(in[2], 32);

    for (unsigned i = 0; i < (two ? 2 : 4); i++) {
        unsigned bits = two ? 16 : 8, at = two && e->type[0] == 'h' ? i + 2 : i;
        uint64_t a = arith_cut(in[0] >> bits * i, bits), b = arith_cut(in[1] >> 8 * at, 8);

        sum += (sa ? arith_signed(a, bits) : (int64_t)a) * (sb ? arith_signed(b, 8) : (int64_t)b);
    }
    out[0] = (uint64_t)sum;
}

ORACLE(o_fns)
{
    int64_t offset = arith_signed(in[2], 32), pos = (int64_t)(in[1] & 31), count;

    (void)e;
    out[0] = UINT32_MAX;
    if (offset == 0) {
        out[0] = (in[0] >> pos & 1) != 0 ? (uint64_t)pos : UINT32_MAX;
        return;
    }
    count = (offset < 0 ? -offset : offset) - 1;
    for (; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
        if ((in[0] >> pos & 1) == 0) {
            continue;
        }
        if (count-- == 0) {
            out[0] = (uint64_t)pos;
            return;
        }
    }
}

ORACLE(o_fnsdown)
{
    const uint64_t down[3] = {in[0], in[1], (0 - in[2]) & UINT32_MAX};

    o_fns(e, down, out);
}

ORACLE(o_bmsk)
{
    bool wrap = is(e, "wrap");
    uint64_t pos = wrap ? in[0] % 32 : in[0], len = wrap ? in[1] % 32 : in[1];

    out[0] = 0;
    for (uint64_t i = 0; i < 32; i++) {
        if (i >= pos && i - pos < len) {
            out[0] |= UINT64_C(1) << i;
        }
    }
}

ORACLE(o_szext)
{
    uint64_t n = is(e, "wrap") ? in[1] % 32 : in[1];

    if (n >= 32) {
        out[0] = in[0];
    } else if (n == 0) {
        out[0] = 0;
    } else {
        out[0] = e->is_signed ? (uint64_t)arith_signed(in[0], (unsigned)n)
                              : arith_cut(in[0], (unsigned)n);
    }
}

#define INTS "u16 s16 u32 s32 u64 s64"
#define BITS "b16 b32 b64"

static void sums(void **state)
{
    static const arith_case cases[] = {
        {"$M.$T o0, i0, i1;", INTS, "add sub mul.lo mul.hi div rem min max", "T", "TT", o_basic, 0},
        {"$M.sat.$T o0, i0, i1;", "s32", "add", "T", "TT", o_sat, 0},
        {"$M.sat.$T o0, i0, i1;", "s32", "sub", "T", "TT", o_sat, 0},
        {"$M.relu.$T o0, i0, i1;", "s32", "min max", "T", "TT", o_relu, 0},
        {"$M.$T o0, i0, i1;", "u16x2 s16x2", "add min max", "T", "TT", o_pair, 0},
        {"$M.$T o0, i0, i1;", "s16x2", "min.relu max.relu", "T", "TT", o_pair, 0},
        {"$M.$T o0, i0;", "s16 s32 s64", "abs neg", "T", "T", o_absneg, 0},
        {"mul.wide.$T o0, i0, i1;", "u16 s16 u32 s32", NULL, "W", "TT", o_mulwide, 0},
        {"mad.$M.$T o0, i0, i1, i2;", INTS, "lo hi", "T", "TTT", o_mad, 0},
        {"mad.wide.$T o0, i0, i1, i2;", "u16 s16 u32 s32", NULL, "W", "TTW", o_madwide, 0},
        {"mad.hi.sat.$T o0, i0, i1, i2;", "s32", NULL, "T", "TTT", o_madsat, 0},
        {"mul24.$M.$T o0, i0, i1;", "u32 s32", "lo hi", "T", "TT", o_mul24, 0},
        {"mad24.$M.$T o0, i0, i1, i2;", "u32 s32", "lo hi", "T", "TTT", o_mad24, 0},
        {"mad24.hi.sat.$T o0, i0, i1, i2;", "s32", "hi", "T", "TTT", o_mad24sat, 0},
        {"sad.$T o0, i0, i1, i2;", INTS, NULL, "T", "TTT", o_sad, 0},
        {"vabsdiff2.u32.$T.$T o0, i0, i1, i2; vabsdiff2.u32.$T.$T.add o1, i0, i1, i2;", "u32 s32",
         NULL, "ww", "wwT", o_vabsdiff, 0},
        {"vabsdiff4.u32.$T.$T o0, i0, i1, i2; vabsdiff4.u32.$T.$T.add o1, i0, i1, i2;", "u32 s32",
         NULL, "ww", "wwT", o_vabsdiff, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void carries(void **state)
{
    static const arith_case cases[] = {
        {"add.cc.$T o0, i0, i2; addc.cc.$T o1, i1, i3; addc.$T o2, 0, 0;", "u32 s32 u64 s64", NULL,
         "TTT", "TTTT", o_addc, 0},
        {"sub.cc.$T o0, i0, i2; subc.cc.$T o1, i1, i3; subc.$T o2, 0, 0;", "u32 s32 u64 s64", NULL,
         "TTT", "TTTT", o_subc, 0},
        {"mad.lo.cc.$T o0, i2, i3, i0; madc.hi.cc.$T o1, i2, i3, i1; "
         "madc.lo.cc.$T o2, i2, i3, 0; addc.$T o3, 0, 0;",
         "u32 s32 u64 s64", NULL, "TTTT", "TTTT", o_madc, 0},
        {"mad.hi.cc.$T o0, i0, i1, i2; addc.$T o1, 0, 0; mad.hi.cc.$T o2, i0, i1, i2; "
         "madc.hi.$T o2, i0, i1, i2;",
         "u32 s32 u64 s64", NULL, "TTT", "TTT", o_madhicc, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

static void bits(void **state)
{
    static const arith_case cases[] = {
        {"$M.$T o0, i0, i1;", BITS, "and or xor", "T", "TT", o_logic, 0},
        {"$M.$T o0, i0;", BITS, "not cnot", "T", "T", o_not, 0},
        {"$M.pred o0, i0, i1; $M.pred o1, !i0, i1;", "b32", "and", "pp", "pp", o_pred, 0},
        {"$M.pred o0, i0, i1; $M.pred o1, !i0, i1;", "b32", "or", "pp", "pp", o_pred, 0},
        {"$M.pred o0, i0, i1; $M.pred o1, !i0, i1;", "b32", "xor", "pp", "pp", o_pred, 0},
        {"not.pred o0, i0;", "b32", NULL, "p", "p", o_notp, 0},
        {"lop3.$T o0, i0, i1, i2, $M;", "b32", "0x00 0x80 0xfe 0x96 0xca 0xe8 0x1b 0xff", "T",
         "TTT", o_lop3, 0},
        {"lop3.and.$T o0|o1, i0, i1, i2, $M, i3;", "b32", "0x00 0x80 0xfe 0xca", "Tp", "TTTp",
         o_lop3_pair, 0},
        {"lop3.or.$T o0|o1, i0, i1, i2, $M, !i3;", "b32", "0x00 0x80 0xfe 0xca", "Tp", "TTTp",
         o_lop3_pair, 0},
        {"lop3.or.$T _|o0, i0, i1, i2, $M, i3;", "b32", "0x80 0xe8", "p", "TTTp", o_lop3_sink, 0},
        {"shl.$T o0, i0, i1;", BITS, NULL, "T", "Ts", o_shl, 0},
        {"shr.$T o0, i0, i1;", BITS " " INTS, NULL, "T", "Ts", o_shr, 0},
        {"shf.$M.$T o0, i0, i1, i2;", "b32", "l.wrap", "T", "TTs", o_shf, 0},
        {"shf.$M.$T o0, i0, i1, i2;", "b32", "l.clamp", "T", "TTs", o_shf, 0},
        {"shf.$M.$T o0, i0, i1, i2;", "b32", "r.wrap", "T", "TTs", o_shf, 0},
        {"shf.$M.$T o0, i0, i1, i2;", "b32", "r.clamp", "T", "TTs", o_shf, 0},
        {"$M.$T o0, i0;", "b32 b64", "popc clz", "w", "T", o_count, 0},
        {"brev.$T o0, i0;", "b32 b64", NULL, "T", "T", o_brev, 0},
        {"$M.$T o0, i0;", "u32 s32 u64 s64", "bfind bfind.shiftamt", "w", "T", o_bfind, 0},
        {"bfe.$T o0, i0, i1, i2;", "u32 s32 u64 s64", NULL, "T", "Tss", o_bfe, 0},
        {"bfi.$T o0, i0, i1, i2, i3;", "b32 b64", NULL, "T", "TTss", o_bfi, 0},
        {"$M o0, i0, i1, i2;", "b32",
         "prmt.b32 prmt.b32.f4e prmt.b32.b4e prmt.b32.rc8 prmt.b32.ecl prmt.b32.ecr prmt.b32.rc16",
         "w", "www", o_prmt, 0},
        {"dp4a.$M o0, i0, i1, i2;", "u32", "u32.u32 u32.s32 s32.u32 s32.s32", "w", "www", o_dp, 0},
        {"dp2a.$T.$M o0, i0, i1, i2;", "lo hi", "u32.u32 u32.s32 s32.u32 s32.s32", "w", "www", o_dp,
         0},
        {"and.b32 i1, i1, 31; fns.$T o0, i0, i1, i2;", "b32", NULL, "w", "wws", o_fns, 0},
        {"and.b32 i1, i1, 31; neg.s32 i2, i2; fns.$T o0, i0, i1, i2;", "b32", NULL, "w", "wws",
         o_fnsdown, 0},
        {"bmsk.$M.$T o0, i0, i1;", "b32", "clamp wrap", "w", "ss", o_bmsk, 0},
        {"szext.$M.$T o0, i0, i1;", "u32 s32", "clamp wrap", "w", "ws", o_szext, 0},
    };

    (void)state;
    arith_check(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(carries),
        cmocka_unit_test(bits),
    };

    return cmocka_run_group_tests_name("integer instructions", tests, NULL, NULL);
}
