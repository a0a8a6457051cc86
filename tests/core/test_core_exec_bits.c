/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on bits, carry chains and dot products against evaluations bit by bit, written from
 * the PTX ISA. A random mask checks that inactive lanes stay. */
#include "tests/core/exec_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/isa/table.h"

static uint32_t bit(uint64_t v, unsigned i)
{
    return (uint32_t)(v >> i & 1);
}

static int64_t piece(uint32_t v, unsigned i, unsigned bits, bool sign)
{
    int64_t r = 0;

    for (unsigned k = 0; k < bits; k++) {
        r += (int64_t)bit(v, i * bits + k) * (sign && k == bits - 1 ? -1 : 1) * (INT64_C(1) << k);
    }
    return r;
}

static uint32_t naive_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++) {
        r |= bit(table, 4 * bit(a, i) + 2 * bit(b, i) + bit(c, i)) << i;
    }
    return r;
}

/* The bits of b:a as a row of 64, of which 32 are taken. */
static uint32_t naive_shf(uint32_t a, uint32_t b, uint32_t c, uint32_t variant)
{
    unsigned n = (variant & WR_SHF_WRAP) != 0 ? c % 32 : c > 32 ? 32 : c;
    unsigned first = (variant & WR_SHF_RIGHT) != 0 ? n : 32 - n;
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++) {
        r |= (first + i < 32 ? bit(a, first + i) : bit(b, first + i - 32)) << i;
    }
    return r;
}

static uint32_t naive_prmt(uint32_t a, uint32_t b, uint32_t c, uint32_t variant)
{
    /* PTX ISA, prmt: which byte of b:a each mode takes, by c's low two bits; bytes 3 to 0. */
    static const uint16_t tables[][4] = {
        [WR_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
        [WR_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [WR_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
        [WR_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [WR_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
        [WR_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    uint32_t select = variant == WR_PRMT_INDEX ? c & 0xffff : tables[variant][c & 3], r = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned s = select >> 4 * i & 15, from = s & 7;
        uint32_t byte = (from < 4 ? a >> 8 * from : b >> 8 * (from - 4)) & 0xff;

        if (s > 7) {
            byte = byte > 127 ? 0xff : 0;
        }
        r |= byte << 8 * i;
    }
    return r;
}

static uint32_t naive_bfind(uint64_t v, unsigned width, bool sign, bool shift)
{
    uint32_t other = sign ? bit(v, width - 1) : 0;

    for (unsigned i = width; i-- > 0;) {
        if (bit(v, i) != other) {
            return shift ? width - 1 - i : i;
        }
    }
    return UINT32_MAX;
}

static uint32_t naive_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31) {
        return UINT32_MAX;
    }
    if (offset == 0) {
        return bit(mask, base) != 0 ? base : UINT32_MAX;
    }
    int64_t left = offset < 0 ? -(int64_t)offset : offset;

    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
        if (bit(mask, (unsigned)at) != 0 && --left == 0) {
            return (uint32_t)at;
        }
    }
    return UINT32_MAX;
}

static uint32_t naive_bmsk(uint32_t from, uint32_t count, bool wrap)
{
    uint32_t r = 0;

    from = wrap ? from % 32 : from;
    count = wrap ? count % 32 : count;
    for (uint32_t i = 0; i < 32; i++) {
        r |= (uint32_t)(i >= from && i - from < count) << i;
    }
    return r;
}

static uint32_t naive_szext(uint32_t v, uint32_t n, bool wrap, bool sign)
{
    uint32_t r = 0;

    n = wrap ? n % 32 : n;
    for (uint32_t i = 0; i < 32; i++) {
        r |= (i < n ? bit(v, i) : sign && n > 0 ? bit(v, n - 1) : 0) << i;
    }
    return r;
}

static uint32_t naive_dot(const wr_insn *insn, uint32_t a, uint32_t b, uint32_t c)
{
    int64_t sum = c;
    bool sa = insn->type == WR_S32, sb = insn->type2 == WR_S32;

    if (insn->op == WR_OP_DP4A) {
        for (unsigned i = 0; i < 4; i++) {
            sum += piece(a, i, 8, sa) * piece(b, i, 8, sb);
        }
    } else {
        for (unsigned i = 0; i < 2; i++) {
            sum += piece(a, i, 16, sa) * piece(b, i + (insn->variant == WR_DP2A_HI ? 2 : 0), 8, sb);
        }
    }
    return (uint32_t)sum;
}

static uint32_t naive_pair(const wr_insn *insn, uint32_t a, uint32_t b)
{
    uint32_t r = 0;
    bool sign = insn->type == WR_S16X2;

    for (unsigned i = 0; i < 2; i++) {
        int64_t x = piece(a, i, 16, sign), y = piece(b, i, 16, sign), v = x + y;

        if (insn->op != WR_OP_ADD) {
            v = (insn->op == WR_OP_MIN) == (x < y) ? x : y;
        }
        if ((insn->variant & WR_VAR_RELU) != 0 && v < 0) {
            v = 0;
        }
        r |= ((uint32_t)v & 0xffff) << 16 * i;
    }
    return r;
}

static uint32_t naive_word(const wr_insn *insn, uint32_t a, uint32_t b, uint32_t c)
{
    switch (insn->op) {
    case WR_OP_LOP3:
        return naive_lop3(a, b, c, insn->variant);
    case WR_OP_SHF:
        return naive_shf(a, b, c, insn->variant);
    case WR_OP_PRMT:
        return naive_prmt(a, b, c, insn->variant);
    case WR_OP_BFIND:
        return naive_bfind(a, 32, insn->type == WR_S32, insn->variant != 0);
    case WR_OP_FNS:
        return naive_fns(a, b, (int32_t)c);
    case WR_OP_BMSK:
        return naive_bmsk(a, b, insn->variant != 0);
    case WR_OP_SZEXT:
        return naive_szext(a, b, insn->variant != 0, insn->type == WR_S32);
    case WR_OP_DP4A:
    case WR_OP_DP2A:
        return naive_dot(insn, a, b, c);
    default:
        return naive_pair(insn, a, b);
    }
}

/* Small amounts and positions are as likely as any value. */
static void fill_words(void)
{
    fill_ints();
    for (unsigned i = 0; i < 32; i += 2) {
        regs[B][i] %= 70;
        regs[C][i] = i % 4 == 0 ? regs[C][i] % 70 : (uint32_t) - (int32_t)(regs[C][i] % 40);
    }
}

static void check_words(wr_op op, wr_type type, wr_type type2, uint8_t variant)
{
    unsigned operands = wr_isa_rows[op].info.nsrc;
    wr_insn insn = kit_op(op, type, D, A, operands > 1 ? B : RZ, operands > 2 ? C : RZ);

    insn.type2 = (uint8_t)type2;
    insn.variant = variant;
    for (unsigned round = 0; round < rounds() / 4; round++) {
        uint32_t old[32], mask = random_mask();

        fill_words();
        memcpy(old, regs[D], sizeof old);
        execute(&insn, mask);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t expected = naive_word(&insn, regs[A][i], regs[B][i], regs[C][i]);

            if (regs[D][i] != (bit(mask, i) != 0 ? expected : old[i])) {
                fail_msg("op %u type %u variant %u of 0x%x 0x%x 0x%x is 0x%x, expected 0x%x", op,
                         type, variant, regs[A][i], regs[B][i], regs[C][i], regs[D][i], expected);
            }
        }
    }
}

static void test_words(void **state)
{
    (void)state;
    for (unsigned table = 0; table < 256; table++) {
        check_words(WR_OP_LOP3, WR_B32, WR_U8, (uint8_t)table);
    }
    for (unsigned variant = 0; variant < 4; variant++) {
        check_words(WR_OP_SHF, WR_B32, WR_U8, (uint8_t)variant);
    }
    for (unsigned mode = WR_PRMT_INDEX; mode <= WR_PRMT_RC16; mode++) {
        check_words(WR_OP_PRMT, WR_B32, WR_U8, (uint8_t)mode);
    }
    check_words(WR_OP_FNS, WR_B32, WR_U8, 0);
    for (unsigned variant = 0; variant < 2; variant++) {
        check_words(WR_OP_BFIND, WR_U32, WR_U8, (uint8_t)variant);
        check_words(WR_OP_BFIND, WR_S32, WR_U8, (uint8_t)variant);
        check_words(WR_OP_BMSK, WR_B32, WR_U8, (uint8_t)variant);
        check_words(WR_OP_SZEXT, WR_U32, WR_U8, (uint8_t)variant);
        check_words(WR_OP_SZEXT, WR_S32, WR_U8, (uint8_t)variant);
    }
}

static void test_dot_products_and_pairs(void **state)
{
    static const wr_type signs[] = {WR_U32, WR_S32}, pairs[] = {WR_U16X2, WR_S16X2};

    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        check_words(WR_OP_DP4A, signs[k % 2], signs[k / 2], 0);
        check_words(WR_OP_DP2A, signs[k % 2], signs[k / 2], 0);
        check_words(WR_OP_DP2A, signs[k % 2], signs[k / 2], WR_DP2A_HI);
    }
    for (unsigned k = 0; k < 2; k++) {
        check_words(WR_OP_ADD, pairs[k], WR_U8, 0);
        check_words(WR_OP_MIN, pairs[k], WR_U8, 0);
        check_words(WR_OP_MAX, pairs[k], WR_U8, 0);
    }
    check_words(WR_OP_MIN, WR_S16X2, WR_U8, WR_VAR_RELU);
    check_words(WR_OP_MAX, WR_S16X2, WR_U8, WR_VAR_RELU);
}

/* The sum of `width` bits and the carry of an addition, bit by bit. */
static uint64_t add_bits(uint64_t a, uint64_t b, unsigned width, uint32_t *carry)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < width; i++) {
        uint32_t sum = bit(a, i) + bit(b, i) + *carry;

        r |= (uint64_t)(sum & 1) << i;
        *carry = sum >> 1;
    }
    return r;
}

static void check_carries(wr_op op, wr_type type, wr_mul mode, bool reads)
{
    unsigned width = bits_of(type);
    wr_insn insn = kit_op(op, type, D, A, B, op == WR_OP_MADC ? C : RZ);

    insn.mode = (uint8_t)mode;
    insn.pd = 5;
    insn.ps = reads ? 3 : PT;
    insn.ps_neg = !reads;
    for (unsigned round = 0; round < rounds(); round++) {
        uint32_t mask = random_mask(), before, old;

        fill_ints();
        before = preds[3];
        old = preds[5];
        execute(&insn, mask);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t carry = reads ? bit(before, i) : 0;
            uint64_t a = read_lane(A, i), b = read_lane(B, i), expected;

            if (bit(mask, i) == 0) {
                assert_int_equal(bit(preds[5], i), bit(old, i));
                continue;
            }
            if (op == WR_OP_MADC) {
                uwide product = (uwide)value(a, type) * (uwide)value(b, type);

                a = (uint64_t)(mode == WR_MUL_HI ? product >> width : product);
                b = read_lane(C, i);
            }
            if (op == WR_OP_SUBC) { /* a + ~b + 1, where a carry is no borrow */
                carry ^= 1;
                b = ~b;
            }
            expected = add_bits(a, b, width, &carry);
            carry ^= op == WR_OP_SUBC ? 1 : 0;
            assert_true((width == 64 ? read_lane(D, i) : regs[D][i]) == expected);
            assert_int_equal(bit(preds[5], i), carry);
        }
    }
}

static void test_carries(void **state)
{
    static const wr_type types[] = {WR_U32, WR_S32, WR_U64, WR_S64};

    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        check_carries(WR_OP_ADDC, types[k % 4], WR_MUL_LO, k < 4);
        check_carries(WR_OP_SUBC, types[k % 4], WR_MUL_LO, k < 4);
        check_carries(WR_OP_MADC, types[k % 4], WR_MUL_LO, k < 4);
        check_carries(WR_OP_MADC, types[k % 4], WR_MUL_HI, k < 4);
    }
}

static void test_sad_and_wide_bfind(void **state)
{
    static const wr_type types[] = {WR_U16, WR_S16, WR_U32, WR_S32, WR_U64, WR_S64};

    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned round = 0; round < rounds(); round++) {
            wr_insn insn = kit_op(WR_OP_SAD, types[k], D, A, B, C);

            fill_ints();
            execute(&insn, UINT32_MAX);
            for (unsigned i = 0; i < 32; i++) {
                wide a = value(read_lane(A, i), types[k]), b = value(read_lane(B, i), types[k]);
                wide v = value(read_lane(C, i), types[k]) + (a > b ? a - b : b - a);

                unsigned n = bits_of(types[k]);
                uint64_t got = n == 64 ? read_lane(D, i) : regs[D][i];

                assert_true(value(got, types[k]) == value((uint64_t)v, types[k]));
            }
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned round = 0; round < rounds(); round++) {
            wr_insn insn = kit_op(WR_OP_BFIND, k % 2 ? WR_S64 : WR_U64, D, A, RZ, RZ);

            insn.variant = (uint8_t)(k / 2);
            fill_ints();
            execute(&insn, UINT32_MAX);
            for (unsigned i = 0; i < 32; i++) {
                assert_int_equal(regs[D][i],
                                 naive_bfind(read_lane(A, i), 64, k % 2 != 0, k / 2 != 0));
            }
        }
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
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_dot_products_and_pairs),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_sad_and_wide_bfind),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
