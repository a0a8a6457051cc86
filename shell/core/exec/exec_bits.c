/* SPDX-License-Identifier: Apache-2.0 */
/* Lane functions of bits and of long sums: carry chains, funnel shifts, permutes, dot products,
 * pairs of 16-bit integers; see exec.h.
 *
 * The carry of a lane is a bit of `bits`, in and out: an architectural carry flag is a
 * predicate like any other. A borrow is 1 where the true difference is below 0.
 */
#include "shell/core/exec/exec.h"

/* `expr` of the 32-bit operands A, B, C, with the instruction's variant as V. */
#define BITS_FN(name, expr)                                                                        \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        const uint32_t V = x->insn->variant;                                                       \
        (void)V;                                                                                   \
        for (unsigned i = 0; i < WR_LANES; i++) {                                                  \
            uint32_t A = x->a[i], B = x->b[i], C = x->c[i];                                        \
            (void)A, (void)B, (void)C;                                                             \
            x->d[i] = (expr);                                                                      \
        }                                                                                          \
    }

/* ---- sums with carry ---- */

typedef unsigned __int128 wide_sum;

static bool is_wide(const wr_insn *insn)
{
    return insn->type == WR_U64 || insn->type == WR_S64;
}

static uint64_t product_part(const wr_insn *insn, uint64_t a, uint64_t b)
{
    bool hi = insn->mode == WR_MUL_HI;
    switch (insn->type) {
    case WR_U32:
        return hi ? a * b >> 32 : (uint32_t)(a * b);
    case WR_S32: {
        uint64_t p = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
        return hi ? p >> 32 : (uint32_t)p;
    }
    case WR_U64:
        return hi ? (uint64_t)((wide_sum)a * b >> 64) : a * b;
    default:
        return hi ? (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64) : a * b;
    }
}

static void sum_with_carry(wr_lanes *x)
{
    const wr_insn *insn = x->insn;
    bool wide = is_wide(insn);
    unsigned width = wide ? 64 : 32;
    uint32_t out = 0;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t a = wide ? wr_lane64(x->a, i) : x->a[i];
        uint64_t b = wide ? wr_lane64(x->b, i) : x->b[i];
        uint64_t carry = x->bits >> i & 1;
        wide_sum sum;
        if (insn->op == WR_OP_SUBC) {
            sum = (wide_sum)a - b - carry;
        } else if (insn->op == WR_OP_ADDC) {
            sum = (wide_sum)a + b + carry;
        } else {
            uint64_t c = wide ? wr_lane64(x->c, i) : x->c[i];
            sum = (wide_sum)product_part(insn, a, b) + c + carry;
        }
        out |= (uint32_t)(sum >> width & 1) << i;
        if (wide) {
            wr_set_lane64(x->d, i, (uint64_t)sum);
        } else {
            x->d[i] = (uint32_t)sum;
        }
    }
    x->bits = out;
}

/* ---- words ---- */

static inline uint32_t truth_table(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; k++) {
        uint32_t on = 0 - (table >> k & 1);
        r |= on & ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    }
    return r;
}

static inline uint32_t funnel(uint32_t a, uint32_t b, uint32_t c, uint32_t variant)
{
    uint32_t n = (variant & WR_SHF_WRAP) != 0 ? c & 31 : c < 32 ? c : 32;
    uint64_t both = (uint64_t)b << 32 | a;
    return (uint32_t)((variant & WR_SHF_RIGHT) != 0 ? both >> n : both << n >> 32);
}

/* The selector of byte i of the result: 0..7, bit 3 asks for its sign all over. */
static inline uint32_t selector(uint32_t c, unsigned i, uint32_t mode)
{
    uint32_t n = c & 3;
    switch (mode) {
    case WR_PRMT_F4E:
        return n + i;
    case WR_PRMT_B4E:
        return (n - i) & 7;
    case WR_PRMT_RC8:
        return n;
    case WR_PRMT_ECL:
        return i > n ? i : n;
    case WR_PRMT_ECR:
        return i < n ? i : n;
    case WR_PRMT_RC16:
        return 2 * (n & 1) + (i & 1);
    default:
        return c >> 4 * i & 15;
    }
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c, uint32_t mode)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t sel = selector(c, i, mode);
        uint32_t byte = (uint32_t)(both >> 8 * (sel & 7)) & 255;
        if ((sel & 8) != 0) {
            byte = (byte & 128) != 0 ? 255 : 0;
        }
        r |= byte << 8 * i;
    }
    return r;
}

/* The offset-th set bit of mask up (or down) from base; 0 asks for the bit at base itself. */
static inline uint32_t nth_set(uint32_t mask, uint32_t base, uint32_t offset)
{
    bool down = (int32_t)offset < 0;
    uint32_t count = down ? 0 - offset : offset;
    if (base > 31) {
        return UINT32_MAX;
    }
    if (offset == 0) {
        return (mask >> base & 1) != 0 ? base : UINT32_MAX;
    }
    for (uint32_t pos = base; pos < 32; pos = down ? pos - 1 : pos + 1) {
        if ((mask >> pos & 1) != 0 && --count == 0) {
            return pos;
        }
    }
    return UINT32_MAX;
}

static inline uint32_t bit_mask(uint32_t a, uint32_t b, bool wrap)
{
    if (!wrap && a > 31) {
        return 0;
    }
    uint32_t from = a & 31;
    uint32_t below = b & 31;
    uint32_t end = !wrap && b > 31 ? 32 : from + below;
    uint32_t top = end > 31 ? UINT32_MAX : (1u << end) - 1;
    return top & ~((1u << from) - 1);
}

static inline uint32_t extend_from(uint32_t a, uint32_t b, bool wrap, bool is_signed)
{
    if (!wrap && b > 31) {
        return a;
    }
    uint32_t n = b & 31;
    uint32_t low = a & ((1u << n) - 1);
    bool negative = is_signed && n != 0 && (a >> (n - 1) & 1) != 0;
    return negative ? low | ~((1u << n) - 1) : low;
}

/* Element `i` of `bits` bits. */
static inline uint32_t element(uint32_t v, unsigned i, unsigned bits, bool is_signed)
{
    uint32_t top = v << (32 - bits * (i + 1));
    return is_signed ? (uint32_t)((int32_t)top >> (32 - bits)) : top >> (32 - bits);
}

static inline uint32_t dot(const wr_insn *insn, uint32_t a, uint32_t b, uint32_t c)
{
    bool sa = insn->type == WR_S32;
    bool sb = insn->type2 == WR_S32;
    if (insn->op == WR_OP_DP4A) {
        for (unsigned i = 0; i < 4; i++) {
            c += element(a, i, 8, sa) * element(b, i, 8, sb);
        }
    } else {
        unsigned first = insn->variant == WR_DP2A_HI ? 2 : 0;
        for (unsigned i = 0; i < 2; i++) {
            c += element(a, i, 16, sa) * element(b, first + i, 8, sb);
        }
    }
    return c;
}

static inline uint32_t highest(uint64_t a, unsigned width, bool shift)
{
    if (a == 0) {
        return UINT32_MAX;
    }
    uint32_t at = 63 - (uint32_t)__builtin_clzll(a);
    return shift ? width - 1 - at : at;
}

BITS_FN(lop3, truth_table(A, B, C, V))
BITS_FN(shf, funnel(A, B, C, V))
BITS_FN(prmt, permute(A, B, C, V))
BITS_FN(fns, nth_set(A, B, C))
BITS_FN(bmsk, bit_mask(A, B, V != 0))
BITS_FN(szext_u, extend_from(A, B, V != 0, false))
BITS_FN(szext_s, extend_from(A, B, V != 0, true))
BITS_FN(dot_product, dot(x->insn, A, B, C))
BITS_FN(bfind_u32, highest(A, 32, V != 0))
BITS_FN(bfind_s32, highest((A >> 31) != 0 ? ~A : A, 32, V != 0))
BITS_FN(sad_u32, C + (A > B ? A - B : B - A))
BITS_FN(sad_s32, C + ((int32_t)A > (int32_t)B ? A - B : B - A))

static void bfind_64(wr_lanes *x)
{
    bool is_signed = x->insn->type == WR_S64;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t a = wr_lane64(x->a, i);
        a = is_signed && a >> 63 != 0 ? ~a : a;
        x->d[i] = highest(a, 64, x->insn->variant != 0);
    }
}

static void sad_64(wr_lanes *x)
{
    bool is_signed = x->insn->type == WR_S64;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t a = wr_lane64(x->a, i);
        uint64_t b = wr_lane64(x->b, i);
        bool above = is_signed ? (int64_t)a > (int64_t)b : a > b;
        wr_set_lane64(x->d, i, wr_lane64(x->c, i) + (above ? a - b : b - a));
    }
}

/* ---- pairs of 16-bit integers, and the clamp at 0 of min and max ---- */

static inline int32_t lesser_or_greater(const wr_insn *insn, int32_t a, int32_t b)
{
    int32_t r = (insn->op == WR_OP_MIN) == (a < b) ? a : b;
    return (insn->variant & WR_VAR_RELU) != 0 && r < 0 ? 0 : r;
}

static void pair16(wr_lanes *x)
{
    bool is_signed = x->insn->type == WR_S16X2;
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint32_t r = 0;
        for (unsigned half = 0; half < 2; half++) {
            uint32_t a = element(x->a[i], half, 16, is_signed);
            uint32_t b = element(x->b[i], half, 16, is_signed);
            uint32_t v = x->insn->op == WR_OP_ADD
                             ? a + b
                             : (uint32_t)lesser_or_greater(x->insn, (int32_t)a, (int32_t)b);
            r |= (v & 0xffffu) << 16 * half;
        }
        x->d[i] = r;
    }
}

static void relu_s32(wr_lanes *x)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        x->d[i] = (uint32_t)lesser_or_greater(x->insn, (int32_t)x->a[i], (int32_t)x->b[i]);
    }
}

/* Columns: the types of 32 bits unsigned and signed, of 64 bits. Narrow ones take the first
 * two, between passes. */
static const struct {
    wr_lane_fn u32, s32, wide;
} rows[WR_OP_COUNT] = {
    [WR_OP_ADDC] = {sum_with_carry, sum_with_carry, sum_with_carry},
    [WR_OP_SUBC] = {sum_with_carry, sum_with_carry, sum_with_carry},
    [WR_OP_MADC] = {sum_with_carry, sum_with_carry, sum_with_carry},
    [WR_OP_SAD] = {sad_u32, sad_s32, sad_64},
    [WR_OP_DP4A] = {dot_product, dot_product, NULL},
    [WR_OP_DP2A] = {dot_product, dot_product, NULL},
    [WR_OP_LOP3] = {lop3, lop3, NULL},
    [WR_OP_SHF] = {shf, shf, NULL},
    [WR_OP_PRMT] = {prmt, prmt, NULL},
    [WR_OP_BFIND] = {bfind_u32, bfind_s32, bfind_64},
    [WR_OP_FNS] = {fns, fns, NULL},
    [WR_OP_BMSK] = {bmsk, bmsk, NULL},
    [WR_OP_SZEXT] = {szext_u, szext_s, NULL},
};

wr_lane_fn wr_exec_bits_fn(const wr_insn *insn, uint32_t *passes)
{
    bool minmax = insn->op == WR_OP_MIN || insn->op == WR_OP_MAX;
    *passes = wr_exec_carries(insn) ? WR_PASS_CARRY : 0;
    switch (insn->type) {
    case WR_U16X2:
    case WR_S16X2:
        return minmax || insn->op == WR_OP_ADD ? pair16 : NULL;
    case WR_U16:
        *passes |= WR_PASS_U16;
        return rows[insn->op].u32;
    case WR_S16:
        *passes |= WR_PASS_S16;
        return rows[insn->op].s32;
    case WR_U32:
    case WR_B32:
        return rows[insn->op].u32;
    case WR_S32:
        return minmax && insn->variant != 0 ? relu_s32 : rows[insn->op].s32;
    case WR_U64:
    case WR_S64:
        return rows[insn->op].wide;
    default:
        return NULL;
    }
}
