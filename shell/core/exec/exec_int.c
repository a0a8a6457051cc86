/* SPDX-License-Identifier: Apache-2.0 */
/* Integer and bit lane functions; see exec.h.
 *
 * PTX's rules: results wrap, shifts clamp at the width. A division by zero, which PTX leaves
 * to the machine, gives all ones with the dividend as remainder; the quotient of the least
 * number by -1 wraps. 16-bit operations run as 32-bit ones between passes that narrow.
 */
#include "shell/core/exec/exec.h"

/* One lane loop per operation and width. A and B, C are the lane's operands as T. */
#define WORD_FN(name, T, expr)                                                                     \
    WR_LANE_CLONES static void name(wr_lanes *x)                                                   \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)                               \
        {                                                                                          \
            T A = (T)pa[i], B = (T)pb[i], C = (T)pc[i];                                            \
            (void)A, (void)B, (void)C;                                                             \
            d[i] = (uint32_t)(expr);                                                               \
        }                                                                                          \
    }
#define LONG_FN(name, T, expr)                                                                     \
    WR_LANE_CLONES static void name(wr_lanes *x)                                                   \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)                               \
        {                                                                                          \
            T A = (T)wr_lane64(pa, i), B = (T)wr_lane64(pb, i), C = (T)wr_lane64(pc, i);           \
            (void)A, (void)B, (void)C;                                                             \
            wr_set_lane64(d, i, (uint64_t)(expr));                                                 \
        }                                                                                          \
    }
/* 32-bit operands, 64-bit result and third operand. */
#define WIDE_FN(name, T, W, expr)                                                                  \
    WR_LANE_CLONES static void name(wr_lanes *x)                                                   \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)                               \
        {                                                                                          \
            W A = (W)(T)pa[i], B = (W)(T)pb[i];                                                    \
            uint64_t C = wr_lane64(pc, i);                                                         \
            (void)C;                                                                               \
            wr_set_lane64(d, i, (uint64_t)(expr));                                                 \
        }                                                                                          \
    }
/* 64-bit operand and result, 32-bit second and third operand. */
#define MIXED_FN(name, T, expr)                                                                    \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        uint32_t *d = x->d;                                                                        \
        const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;                                         \
        for (unsigned i = 0; i < WR_LANES; i++) {                                                  \
            T A = (T)wr_lane64(pa, i);                                                             \
            uint32_t B = pb[i], C = pc[i];                                                         \
            (void)C;                                                                               \
            wr_set_lane64(d, i, (uint64_t)(expr));                                                 \
        }                                                                                          \
    }
/* 64-bit operand, 32-bit result. */
#define COUNT64_FN(name, expr)                                                                     \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        for (unsigned i = 0; i < WR_LANES; i++) {                                                  \
            uint64_t A = wr_lane64(x->a, i);                                                       \
            x->d[i] = (uint32_t)(expr);                                                            \
        }                                                                                          \
    }

static inline uint32_t div_u32(uint32_t a, uint32_t b)
{
    return b == 0 ? UINT32_MAX : a / b;
}
static inline uint32_t rem_u32(uint32_t a, uint32_t b)
{
    return b == 0 ? a : a % b;
}
static inline uint32_t div_s32(int32_t a, int32_t b)
{
    return b == 0 ? UINT32_MAX : (uint32_t)((int64_t)a / b);
}
static inline uint32_t rem_s32(int32_t a, int32_t b)
{
    return b == 0 ? (uint32_t)a : (uint32_t)((int64_t)a % b);
}
static inline uint64_t div_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}
static inline uint64_t rem_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}
static inline uint64_t div_s64(int64_t a, int64_t b)
{
    if (b == 0) {
        return UINT64_MAX;
    }
    return b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
}
static inline uint64_t rem_s64(int64_t a, int64_t b)
{
    if (b == 0) {
        return (uint64_t)a;
    }
    return b == -1 ? 0 : (uint64_t)(a % b);
}
static inline int32_t clamp_s32(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
static inline uint64_t mulhi_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}
static inline uint64_t mulhi_s64(int64_t a, int64_t b)
{
    return (uint64_t)(((__int128)a * b) >> 64);
}
static inline uint32_t reverse32(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}
static inline uint64_t reverse64(uint64_t v)
{
    return (uint64_t)reverse32((uint32_t)v) << 32 | reverse32((uint32_t)(v >> 32));
}
/* Bits pos..pos+len-1 of a `width`-bit value; position and length are their low 8 bits. */
static inline uint64_t extract(uint64_t a, uint32_t pos, uint32_t len, unsigned width, bool sign)
{
    pos &= 0xff;
    len &= 0xff;
    uint32_t last = pos + len != 0 ? pos + len - 1 : 0;
    last = last < width - 1 ? last : width - 1;
    uint64_t fill = sign && len != 0 && (a >> last & 1) != 0 ? UINT64_MAX : 0;
    uint64_t value = pos < width ? a >> pos : 0;
    uint32_t have = pos < width ? width - pos : 0;
    uint32_t take = len < have ? len : have;
    uint64_t mask = take >= 64 ? UINT64_MAX : (UINT64_C(1) << take) - 1;
    return (value & mask) | (fill & ~mask);
}
static inline uint64_t insert(uint64_t a, uint64_t into, uint32_t pos, uint32_t len, unsigned width)
{
    pos &= 0xff;
    len &= 0xff;
    if (pos >= width) {
        return into;
    }
    uint32_t take = len < width - pos ? len : width - pos;
    uint64_t mask = (take >= 64 ? UINT64_MAX : (UINT64_C(1) << take) - 1) << pos;
    return (into & ~mask) | (a << pos & mask);
}

/* min and max take unsigned operands as T, so that both signednesses share a row each */
#define LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))

WORD_FN(mov32, uint32_t, A)
WORD_FN(add32, uint32_t, A + B)
WORD_FN(sub32, uint32_t, A - B)
WORD_FN(mul32, uint32_t, A *B)
WORD_FN(mad32, uint32_t, A *B + C)
WORD_FN(mulhi_u, uint32_t, (uint64_t)A *B >> 32)
WORD_FN(mulhi_s, int32_t, (uint64_t)((int64_t)A *B) >> 32)
WORD_FN(madhi_u, uint32_t, (uint32_t)((uint64_t)A *B >> 32) + C)
WORD_FN(madhi_s, int32_t, (uint32_t)((uint64_t)((int64_t)A *B) >> 32) + (uint32_t)C)
WORD_FN(mulhi16_u, uint32_t, A *B >> 16)
WORD_FN(mulhi16_s, int32_t, (A * B) >> 16)
WORD_FN(madhi16_u, uint32_t, (A * B >> 16) + C)
WORD_FN(madhi16_s, int32_t, (uint32_t)((A * B) >> 16) + (uint32_t)C)
WORD_FN(addsat, int32_t, clamp_s32((int64_t)A + B))
WORD_FN(subsat, int32_t, clamp_s32((int64_t)A - B))
WORD_FN(divu, uint32_t, div_u32(A, B))
WORD_FN(divs, int32_t, div_s32(A, B))
WORD_FN(remu, uint32_t, rem_u32(A, B))
WORD_FN(rems, int32_t, rem_s32(A, B))
WORD_FN(minu, uint32_t, LESSER(A, B))
WORD_FN(mins, int32_t, LESSER(A, B))
WORD_FN(maxu, uint32_t, GREATER(A, B))
WORD_FN(maxs, int32_t, GREATER(A, B))
WORD_FN(abs32, uint32_t, (A >> 31) != 0 ? 0 - A : A)
WORD_FN(neg32, uint32_t, 0 - A)
WORD_FN(and32, uint32_t, A &B)
WORD_FN(or32, uint32_t, A | B)
WORD_FN(xor32, uint32_t, A ^ B)
WORD_FN(not32, uint32_t, ~A)
WORD_FN(cnot32, uint32_t, A == 0)
WORD_FN(shl32, uint32_t, B > 31 ? 0 : A << (B & 31))
WORD_FN(shru, uint32_t, B > 31 ? 0 : A >> (B & 31))
/* cppcheck-suppress shiftTooManyBitsSigned ; gcc and clang shift signed values arithmetically */
WORD_FN(shrs, int32_t, A >> ((uint32_t)B > 31 ? 31 : B))
WORD_FN(popc32, uint32_t, __builtin_popcount(A))
WORD_FN(clz32, uint32_t, A == 0 ? 32 : __builtin_clz(A))
WORD_FN(brev32, uint32_t, reverse32(A))
WORD_FN(bfeu, uint32_t, extract(A, B, C, 32, false))
WORD_FN(bfes, uint32_t, extract(A, B, C, 32, true))
WORD_FN(bfi32, uint32_t, insert(A, B, C & 0xff, C >> 8, 32))

LONG_FN(mov64, uint64_t, A)
LONG_FN(add64, uint64_t, A + B)
LONG_FN(sub64, uint64_t, A - B)
LONG_FN(mul64, uint64_t, A *B)
LONG_FN(mad64, uint64_t, A *B + C)
LONG_FN(mulhi64u, uint64_t, mulhi_u64(A, B))
LONG_FN(mulhi64s, int64_t, mulhi_s64(A, B))
LONG_FN(madhi64u, uint64_t, mulhi_u64(A, B) + C)
LONG_FN(madhi64s, int64_t, mulhi_s64(A, B) + (uint64_t)C)
LONG_FN(div64u, uint64_t, div_u64(A, B))
LONG_FN(div64s, int64_t, div_s64(A, B))
LONG_FN(rem64u, uint64_t, rem_u64(A, B))
LONG_FN(rem64s, int64_t, rem_s64(A, B))
LONG_FN(min64u, uint64_t, LESSER(A, B))
LONG_FN(min64s, int64_t, LESSER(A, B))
LONG_FN(max64u, uint64_t, GREATER(A, B))
LONG_FN(max64s, int64_t, GREATER(A, B))
LONG_FN(abs64, uint64_t, (A >> 63) != 0 ? 0 - A : A)
LONG_FN(neg64, uint64_t, 0 - A)
LONG_FN(and64, uint64_t, A &B)
LONG_FN(or64, uint64_t, A | B)
LONG_FN(xor64, uint64_t, A ^ B)
LONG_FN(not64, uint64_t, ~A)
LONG_FN(cnot64, uint64_t, A == 0)
LONG_FN(brev64, uint64_t, reverse64(A))
MIXED_FN(shl64, uint64_t, B > 63 ? 0 : A << (B & 63))
MIXED_FN(shr64u, uint64_t, B > 63 ? 0 : A >> (B & 63))
MIXED_FN(shr64s, int64_t, A >> (B > 63 ? 63 : B))
MIXED_FN(bfe64u, uint64_t, extract(A, B, C, 64, false))
MIXED_FN(bfe64s, uint64_t, extract(A, B, C, 64, true))
COUNT64_FN(popc64, __builtin_popcountll(A))
COUNT64_FN(clz64, A == 0 ? 64 : __builtin_clzll(A))
WIDE_FN(mulw_u, uint32_t, uint64_t, A *B)
WIDE_FN(mulw_s, int32_t, int64_t, A *B)
WIDE_FN(madw_u, uint32_t, uint64_t, A *B + C)
WIDE_FN(madw_s, int32_t, int64_t, (uint64_t)(A *B) + C)

static void bfi64(wr_lanes *x)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint64_t a = wr_lane64(x->a, i);
        uint64_t into = wr_lane64(x->b, i);
        wr_set_lane64(x->d, i, insert(a, into, x->c[i] & 0xff, x->c[i] >> 8, 64));
    }
}

static void selp32(wr_lanes *x)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        x->d[i] = (x->bits >> i & 1) != 0 ? x->a[i] : x->b[i];
    }
}

static void selp64(wr_lanes *x)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        wr_set_lane64(x->d, i, wr_lane64((x->bits >> i & 1) != 0 ? x->a : x->b, i));
    }
}

/* Columns of the tables below. */
enum { U32, S32, U64, S64, CLASSES };

static const wr_lane_fn plain[WR_OP_COUNT][CLASSES] = {
    [WR_OP_MOV] = {mov32, mov32, mov64, mov64},
    [WR_OP_SELP] = {selp32, selp32, selp64, selp64},
    [WR_OP_ADD] = {add32, add32, add64, add64},
    [WR_OP_SUB] = {sub32, sub32, sub64, sub64},
    [WR_OP_DIV] = {divu, divs, div64u, div64s},
    [WR_OP_REM] = {remu, rems, rem64u, rem64s},
    [WR_OP_MIN] = {minu, mins, min64u, min64s},
    [WR_OP_MAX] = {maxu, maxs, max64u, max64s},
    [WR_OP_ABS] = {abs32, abs32, abs64, abs64},
    [WR_OP_NEG] = {neg32, neg32, neg64, neg64},
    [WR_OP_AND] = {and32, and32, and64, and64},
    [WR_OP_OR] = {or32, or32, or64, or64},
    [WR_OP_XOR] = {xor32, xor32, xor64, xor64},
    [WR_OP_NOT] = {not32, not32, not64, not64},
    [WR_OP_CNOT] = {cnot32, cnot32, cnot64, cnot64},
    [WR_OP_SHL] = {shl32, shl32, shl64, shl64},
    [WR_OP_SHR] = {shru, shrs, shr64u, shr64s},
    [WR_OP_POPC] = {popc32, popc32, popc64, popc64},
    [WR_OP_CLZ] = {clz32, clz32, clz64, clz64},
    [WR_OP_BREV] = {brev32, brev32, brev64, brev64},
    [WR_OP_BFE] = {bfeu, bfes, bfe64u, bfe64s},
    [WR_OP_BFI] = {bfi32, bfi32, bfi64, bfi64},
};
static const wr_lane_fn multiply[3][CLASSES] = {
    [WR_MUL_LO] = {mul32, mul32, mul64, mul64},
    [WR_MUL_HI] = {mulhi_u, mulhi_s, mulhi64u, mulhi64s},
    [WR_MUL_WIDE] = {mulw_u, mulw_s, NULL, NULL},
};
static const wr_lane_fn multiply_add[3][CLASSES] = {
    [WR_MUL_LO] = {mad32, mad32, mad64, mad64},
    [WR_MUL_HI] = {madhi_u, madhi_s, madhi64u, madhi64s},
    [WR_MUL_WIDE] = {madw_u, madw_s, NULL, NULL},
};
/* 16 bits: operands come extended, so the 32-bit product is exact. */
static const wr_lane_fn multiply16[3][2] = {
    [WR_MUL_LO] = {mul32, mul32},
    [WR_MUL_HI] = {mulhi16_u, mulhi16_s},
    [WR_MUL_WIDE] = {mul32, mul32},
};
static const wr_lane_fn multiply_add16[3][2] = {
    [WR_MUL_LO] = {mad32, mad32},
    [WR_MUL_HI] = {madhi16_u, madhi16_s},
    [WR_MUL_WIDE] = {mad32, mad32},
};

typedef struct type_row {
    bool integer, narrow;
    uint8_t column;
    uint16_t passes;
} type_row;
static const type_row types[WR_TYPE_COUNT] = {
    [WR_U16] = {true, true, U32, WR_PASS_U16}, [WR_S16] = {true, true, S32, WR_PASS_S16},
    [WR_B16] = {true, true, U32, WR_PASS_U16}, [WR_U32] = {true, false, U32, 0},
    [WR_S32] = {true, false, S32, 0},          [WR_B32] = {true, false, U32, 0},
    [WR_U64] = {true, false, U64, 0},          [WR_S64] = {true, false, S64, 0},
    [WR_B64] = {true, false, U64, 0},          [WR_PRED] = {false, false, 0, 0},
};

wr_lane_fn wr_exec_int_fn(const wr_insn *insn, uint32_t *passes)
{
    const type_row *row = &types[insn->type];
    if (!row->integer) {
        return NULL;
    }
    *passes = row->passes;
    bool shift = insn->op == WR_OP_SHL || insn->op == WR_OP_SHR;
    bool sum = insn->op == WR_OP_ADD || insn->op == WR_OP_SUB;
    if (shift && row->narrow) {
        *passes |= WR_PASS_SHIFT;
    }
    if (insn->sat && sum && insn->type == WR_S32) {
        return insn->op == WR_OP_ADD ? addsat : subsat;
    }
    if (insn->op == WR_OP_MUL || insn->op == WR_OP_MAD) {
        bool add = insn->op == WR_OP_MAD;
        if (!row->narrow) {
            return (add ? multiply_add : multiply)[insn->mode][row->column];
        }
        if (insn->mode == WR_MUL_WIDE) {
            *passes |= WR_PASS_WIDE16;
        }
        return (add ? multiply_add16 : multiply16)[insn->mode][row->column];
    }
    return plain[insn->op][row->column];
}
