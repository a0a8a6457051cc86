/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons: SETP and SET; see exec.h.
 *
 * A comparison only says for each lane whether it is less, equal, greater or unordered, one
 * bit set of four; the operator is the set of outcomes that it accepts. So all operators of a
 * type share one lane loop.
 */
#include "shell/core/exec/exec.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* LO, LS, HI, HS accept the same outcomes; that they compare unsigned is in `column`. */
static const uint8_t accepts[] = {
    [WR_CMP_EQ] = EQUAL,
    [WR_CMP_NE] = LESS | GREATER,
    [WR_CMP_LT] = LESS,
    [WR_CMP_LE] = LESS | EQUAL,
    [WR_CMP_GT] = GREATER,
    [WR_CMP_GE] = GREATER | EQUAL,
    [WR_CMP_LO] = LESS,
    [WR_CMP_LS] = LESS | EQUAL,
    [WR_CMP_HI] = GREATER,
    [WR_CMP_HS] = GREATER | EQUAL,
    [WR_CMP_EQU] = EQUAL | UNORDERED,
    [WR_CMP_NEU] = LESS | GREATER | UNORDERED,
    [WR_CMP_LTU] = LESS | UNORDERED,
    [WR_CMP_LEU] = LESS | EQUAL | UNORDERED,
    [WR_CMP_GTU] = GREATER | UNORDERED,
    [WR_CMP_GEU] = GREATER | EQUAL | UNORDERED,
    [WR_CMP_NUM] = LESS | EQUAL | GREATER,
    [WR_CMP_NAN] = UNORDERED,
};

/* bit per lane whose outcome the operator accepts */
#define OUTCOME_FN(name, T, get)                                                                   \
    WR_LANE_CLONES static uint32_t name(const wr_lanes *x, unsigned accept)                        \
    {                                                                                              \
        const uint32_t *pa = x->a, *pb = x->b;                                                     \
        uint32_t bits = 0;                                                                         \
        uint32_t on_less = (accept & LESS) != 0, on_equal = (accept & EQUAL) != 0,                 \
                 on_greater = (accept & GREATER) != 0, on_unordered = (accept & UNORDERED) != 0;   \
        for (unsigned i = 0; i < WR_LANES; i++) {                                                  \
            T A = get(pa, i), B = get(pb, i);                                                      \
            uint32_t less = A<B, equal = A == B, greater = A> B;                                   \
            uint32_t unordered = 1u ^ (less | equal | greater);                                    \
            uint32_t hit = (less & on_less) | (equal & on_equal) | (greater & on_greater) |        \
                           (unordered & on_unordered);                                             \
            bits |= hit << i;                                                                      \
        }                                                                                          \
        return bits;                                                                               \
    }

#define GET_U32(p, i) ((p)[i])
#define GET_S32(p, i) ((int32_t)(p)[i])
#define GET_S64(p, i) ((int64_t)wr_lane64(p, i))
#define GET_F32(p, i) (wr_as_float((p)[i]))
#define GET_F64(p, i) (wr_as_double(wr_lane64(p, i)))
OUTCOME_FN(outcome_u32, uint32_t, GET_U32)
OUTCOME_FN(outcome_s32, int32_t, GET_S32)
OUTCOME_FN(outcome_u64, uint64_t, wr_lane64)
OUTCOME_FN(outcome_s64, int64_t, GET_S64)
OUTCOME_FN(outcome_f32, float, GET_F32)
OUTCOME_FN(outcome_f64, double, GET_F64)

#define SETP_FN(name, outcome)                                                                     \
    static void name(wr_lanes *x)                                                                  \
    {                                                                                              \
        x->bits = outcome(x, accepts[x->insn->cmp]);                                               \
    }
SETP_FN(setp_u32, outcome_u32)
SETP_FN(setp_s32, outcome_s32)
SETP_FN(setp_u64, outcome_u64)
SETP_FN(setp_s64, outcome_s64)
SETP_FN(setp_f32, outcome_f32)
SETP_FN(setp_f64, outcome_f64)

enum { U32, S32, U64, S64, F32, F64, COLUMNS };
static const wr_lane_fn setp[COLUMNS] = {setp_u32, setp_s32, setp_u64,
                                         setp_s64, setp_f32, setp_f64};

typedef struct column_row {
    uint8_t column, unsigned_column;
    uint16_t passes;
    bool defined;
} column_row;
static const column_row columns[WR_TYPE_COUNT] = {
    [WR_U16] = {U32, U32, WR_PASS_U16, true},
    [WR_S16] = {S32, U32, WR_PASS_S16, true},
    [WR_B16] = {U32, U32, WR_PASS_U16, true},
    [WR_U32] = {U32, U32, 0, true},
    [WR_S32] = {S32, U32, 0, true},
    [WR_B32] = {U32, U32, 0, true},
    [WR_U64] = {U64, U64, 0, true},
    [WR_S64] = {S64, U64, 0, true},
    [WR_B64] = {U64, U64, 0, true},
    [WR_F16] = {F32, F32, WR_PASS_F16, true},
    [WR_BF16] = {F32, F32, WR_PASS_BF16, true},
    [WR_F32] = {F32, F32, 0, true},
    [WR_F64] = {F64, F64, 0, true},
    [WR_PRED] = {0, 0, 0, false},
};

wr_lane_fn wr_exec_cmp_fn(const wr_insn *insn, uint32_t *passes)
{
    if (insn->op != WR_OP_SETP && insn->op != WR_OP_SET) {
        return NULL;
    }
    bool set = insn->op == WR_OP_SET;
    const column_row *row = &columns[set ? insn->type2 : insn->type];
    if (!row->defined) {
        return NULL;
    }
    bool as_unsigned = insn->cmp >= WR_CMP_LO && insn->cmp <= WR_CMP_HS;
    *passes = row->passes | WR_PASS_PRED_OUT | WR_PASS_IN_ONLY;
    *passes |= insn->ftz ? WR_PASS_FTZ_IN : 0;
    return setp[as_unsigned ? row->unsigned_column : row->column];
}
