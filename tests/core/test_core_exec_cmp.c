/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and selection against a naive evaluation written from PTX's rules alone:
 * on exact numbers. A random mask checks that inactive
 * lanes stay. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Comparison by words: less, equal, greater, unordered. */
static bool compare(wr_cmp cmp, bool less, bool equal, bool greater)
{
    bool unordered = !less && !equal && !greater;
    switch (cmp) {
    case WR_CMP_EQ:
        return equal;
    case WR_CMP_NE:
        return less || greater;
    case WR_CMP_LT:
    case WR_CMP_LO:
        return less;
    case WR_CMP_LE:
    case WR_CMP_LS:
        return less || equal;
    case WR_CMP_GT:
    case WR_CMP_HI:
        return greater;
    case WR_CMP_GE:
    case WR_CMP_HS:
        return greater || equal;
    case WR_CMP_EQU:
        return equal || unordered;
    case WR_CMP_NEU:
        return !equal;
    case WR_CMP_LTU:
        return less || unordered;
    case WR_CMP_LEU:
        return !greater;
    case WR_CMP_GTU:
        return greater || unordered;
    case WR_CMP_GEU:
        return !less;
    case WR_CMP_NUM:
        return !unordered;
    case WR_CMP_NAN:
        return unordered;
    }
    return false;
}

static void test_setp(void **state)
{
    (void)state;
    const wr_type types[] = {WR_U16, WR_S16, WR_B16, WR_U32, WR_S32, WR_B32,
                             WR_U64, WR_S64, WR_B64, WR_F32, WR_F64};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        wr_type t = types[k];
        bool is_float = t == WR_F32 || t == WR_F64;
        for (unsigned cmp = 0; cmp <= WR_CMP_NAN; cmp++) {
            bool unsigned_cmp = cmp >= WR_CMP_LO && cmp <= WR_CMP_HS;
            if (is_float ? unsigned_cmp : cmp > WR_CMP_HS) {
                continue;
            }
            for (unsigned boolop = 0; boolop < 4; boolop++) {
                wr_insn insn = kit_setp((wr_cmp)cmp, t, 1, A, B);
                insn.boolop = (uint8_t)boolop;
                insn.pd2 = 2;
                insn.ps = boolop != 0 ? 3 : PT;
                insn.ps_neg = boolop == 2;
                t == WR_F64 ? fill_f64() : t == WR_F32 ? fill_f32() : fill_ints();
                for (unsigned i = 0; i < 32; i += 5) { /* some equal operands */
                    regs[B][i] = regs[A][i];
                    regs[B + 1][i] = regs[A + 1][i];
                }
                uint32_t old[8];
                memcpy(old, preds, sizeof old);
                uint32_t mask = random_mask();
                execute(&insn, mask);
                wr_type ct = unsigned_cmp ? bits_of(t) == 16   ? WR_U16
                                            : bits_of(t) == 32 ? WR_U32
                                                               : WR_U64
                                          : t;
                for (unsigned i = 0; i < 32; i++) {
                    __float128 a = as_number(A, i, ct);
                    __float128 b = as_number(B, i, ct);
                    bool r = compare((wr_cmp)cmp, a<b, a == b, a> b);
                    bool c = ((old[3] >> i & 1) != 0) != (boolop == 2);
                    bool p = boolop == 1 ? r && c : boolop == 2 ? r || c : boolop == 3 ? r != c : r;
                    bool q = boolop == 1   ? !r && c
                             : boolop == 2 ? !r || c
                             : boolop == 3 ? !r != c
                                           : !r;
                    bool on = (mask >> i & 1) != 0;
                    assert_int_equal(preds[1] >> i & 1, on ? p : old[1] >> i & 1);
                    assert_int_equal(preds[2] >> i & 1, on ? q : old[2] >> i & 1);
                }
            }
        }
    }
}

static void test_selection_and_predicates(void **state)
{
    (void)state;
    for (unsigned round = 0; round < rounds(); round++) {
        fill_ints();
        uint32_t old[8];
        memcpy(old, preds, sizeof old);
        wr_insn sel = kit_op(WR_OP_SELP, WR_B64, D, A, B, RZ);
        sel.ps = 4;
        sel.ps_neg = round % 2 != 0;
        execute(&sel, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            bool p = ((preds[4] >> i & 1) != 0) != sel.ps_neg;
            assert_true(read_lane(D, i) == read_lane(p ? A : B, i));
        }
        wr_insn set = kit_op(WR_OP_SET, WR_F32, D, A, B, RZ);
        set.type2 = WR_S32;
        set.cmp = WR_CMP_GT;
        execute(&set, UINT32_MAX);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(regs[D][i],
                             (int32_t)regs[A][i] > (int32_t)regs[B][i] ? 0x3f800000 : 0);
        }
        wr_insn logic = kit_op(WR_OP_XOR, WR_PRED, RZ, RZ, RZ, RZ);
        logic.pd = 5;
        logic.ps = 0;
        logic.ps2 = 1;
        logic.ps2_neg = true;
        execute(&logic, 0xffff);
        assert_int_equal(preds[5], ((old[0] ^ ~old[1]) & 0xffff) | (old[5] & 0xffff0000));
    }
}

static int start(void **state)
{
    (void)state;
    seed = kit_seed();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_setp),
        cmocka_unit_test(test_selection_and_predicates),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
