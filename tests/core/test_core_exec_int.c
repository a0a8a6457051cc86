/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic against a naive evaluation written from PTX's rules alone:
 * bit by bit, or in 128 bits. A random mask checks that inactive
 * lanes stay. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef wide (*naive_fn)(wide a, wide b, wide c, wr_type t);

static wide n_add(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a + b;
}
static wide n_sub(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a - b;
}
static wide n_mul(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return (wide)((uwide)a * (uwide)b);
}
static wide n_mad(wide a, wide b, wide c, wr_type t)
{
    (void)t;
    return (wide)((uwide)a * (uwide)b + (uwide)c);
}
static wide n_div(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return b == 0 ? -1 : a / b;
}
static wide n_rem(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return b == 0 ? a : a % b;
}
static wide n_min(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a < b ? a : b;
}
static wide n_max(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a > b ? a : b;
}
static wide n_abs(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c, (void)t;
    return a < 0 ? -a : a;
}
static wide n_neg(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c, (void)t;
    return -a;
}
static wide n_and(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a & b;
}
static wide n_or(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a | b;
}
static wide n_xor(wide a, wide b, wide c, wr_type t)
{
    (void)c, (void)t;
    return a ^ b;
}
static wide n_not(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c, (void)t;
    return ~a;
}
static wide n_cnot(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c, (void)t;
    return a == 0;
}
static wide n_mov(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c, (void)t;
    return a;
}
/* shifts one place at a time; the amount is 32 bits whatever the type */
static wide n_shl(wide a, wide b, wide c, wr_type t)
{
    (void)c;
    for (uint32_t i = 0; i < (uint32_t)b && i < bits_of(t); i++) {
        a = (wide)((uwide)a << 1);
    }
    return a;
}
static wide n_shr(wide a, wide b, wide c, wr_type t)
{
    (void)c;
    for (uint32_t i = 0; i < (uint32_t)b && i < bits_of(t); i++) {
        a >>= 1;
    }
    return a;
}
static wide n_popc(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c;
    int n = 0;
    for (unsigned i = 0; i < bits_of(t); i++) {
        n += (int)(a >> i & 1);
    }
    return n;
}
static wide n_clz(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c;
    int n = 0;
    while (n < (int)bits_of(t) && (a >> (bits_of(t) - 1 - (unsigned)n) & 1) == 0) {
        n++;
    }
    return n;
}
static wide n_brev(wide a, wide b, wide c, wr_type t)
{
    (void)b, (void)c;
    wide v = 0;
    for (unsigned i = 0; i < bits_of(t); i++) {
        v |= (a >> i & 1) << (bits_of(t) - 1 - i);
    }
    return v;
}
/* PTX's own pseudo code for bfe and bfi */
static wide n_bfe(wide a, wide b, wide c, wr_type t)
{
    unsigned msb = bits_of(t) - 1;
    unsigned pos = (unsigned)b & 0xff;
    unsigned len = (unsigned)c & 0xff;
    unsigned last = pos + len == 0 ? 0 : pos + len - 1;
    wide sbit = !is_signed(t) || len == 0 ? 0 : a >> (last < msb ? last : msb) & 1;
    wide d = 0;
    for (unsigned i = 0; i <= msb; i++) {
        wide bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit;
        d |= bit << i;
    }
    return d;
}
static wide n_bfi(wide a, wide b, wide c, wr_type t)
{
    unsigned msb = bits_of(t) - 1;
    unsigned pos = (unsigned)c & 0xff;
    unsigned len = (unsigned)(c >> 8) & 0xff;
    for (unsigned i = 0; i < len && pos + i <= msb; i++) {
        b = (b & ~((wide)1 << (pos + i))) | (a >> i & 1) << (pos + i);
    }
    return b;
}

typedef struct int_row {
    naive_fn fn;
    wr_op op;
    unsigned operands;
    uint32_t types; /* bit per wr_type */
    bool b_is_word, c_is_word, result_is_word;
} int_row;
#define TB(t)       (1u << (t))
#define ARITH_TYPES (TB(WR_U16) | TB(WR_S16) | TB(WR_U32) | TB(WR_S32) | TB(WR_U64) | TB(WR_S64))
#define BIT_TYPES   (TB(WR_B16) | TB(WR_B32) | TB(WR_B64))
static const int_row int_rows[] = {
    {n_add, WR_OP_ADD, 2, ARITH_TYPES, false, false, false},
    {n_sub, WR_OP_SUB, 2, ARITH_TYPES, false, false, false},
    {n_mul, WR_OP_MUL, 2, ARITH_TYPES, false, false, false},
    {n_mad, WR_OP_MAD, 3, ARITH_TYPES, false, false, false},
    {n_div, WR_OP_DIV, 2, ARITH_TYPES, false, false, false},
    {n_rem, WR_OP_REM, 2, ARITH_TYPES, false, false, false},
    {n_min, WR_OP_MIN, 2, ARITH_TYPES, false, false, false},
    {n_max, WR_OP_MAX, 2, ARITH_TYPES, false, false, false},
    {n_abs, WR_OP_ABS, 1, TB(WR_S16) | TB(WR_S32) | TB(WR_S64), false, false, false},
    {n_neg, WR_OP_NEG, 1, ARITH_TYPES, false, false, false},
    {n_and, WR_OP_AND, 2, BIT_TYPES, false, false, false},
    {n_or, WR_OP_OR, 2, BIT_TYPES, false, false, false},
    {n_xor, WR_OP_XOR, 2, BIT_TYPES, false, false, false},
    {n_not, WR_OP_NOT, 1, BIT_TYPES, false, false, false},
    {n_cnot, WR_OP_CNOT, 1, BIT_TYPES, false, false, false},
    {n_mov, WR_OP_MOV, 1, TB(WR_B32) | TB(WR_B64), false, false, false},
    {n_shl, WR_OP_SHL, 2, BIT_TYPES, true, false, false},
    {n_shr, WR_OP_SHR, 2, ARITH_TYPES | BIT_TYPES, true, false, false},
    {n_popc, WR_OP_POPC, 1, TB(WR_B32) | TB(WR_B64), false, false, true},
    {n_clz, WR_OP_CLZ, 1, TB(WR_B32) | TB(WR_B64), false, false, true},
    {n_brev, WR_OP_BREV, 1, TB(WR_B32) | TB(WR_B64), false, false, false},
    {n_bfe, WR_OP_BFE, 3, TB(WR_U32) | TB(WR_S32) | TB(WR_U64) | TB(WR_S64), true, true, false},
    {n_bfi, WR_OP_BFI, 3, TB(WR_B32) | TB(WR_B64), false, true, false},
};

static void check_int(const int_row *row, wr_type t, wr_mul mode)
{
    wr_insn insn = kit_op(row->op, t, D, A, row->operands > 1 ? B : RZ, row->operands > 2 ? C : RZ);
    insn.mode = (uint8_t)mode;
    unsigned n = bits_of(t);
    unsigned out_bits = row->result_is_word ? 32 : mode == WR_MUL_WIDE ? 2 * n : n;
    wr_type c_type =
        mode == WR_MUL_WIDE ? (n == 16 ? (is_signed(t) ? WR_S32 : WR_U32) : WR_U64) : t;
    for (unsigned round = 0; round < rounds(); round++) {
        fill_ints();
        uint32_t mask = random_mask();
        uint64_t before[4][32];
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned r = 0; r < 4; r++) {
                before[r][i] = read_lane(2 * r, i);
            }
        }
        execute(&insn, mask);
        for (unsigned i = 0; i < 32; i++) {
            wide a = value(before[0][i], t);
            wide b = value(before[1][i], row->b_is_word ? WR_U32 : t);
            wide c = value(before[2][i], row->c_is_word ? WR_U32 : c_type);
            wide v = row->fn(a, b, c, t);
            if (mode == WR_MUL_HI) { /* the high half of the product, and then the sum */
                wide product = n_mul(a, b, 0, t);
                product = is_signed(t) ? product >> n : (wide)((uwide)product >> n);
                v = row->op == WR_OP_MAD ? product + c : product;
            }
            uint64_t expect = as_written(v, mode == WR_MUL_WIDE ? WR_U64 : t, out_bits);
            uint64_t keep = out_bits == 64 ? 0 : before[3][i] & ~(uint64_t)UINT32_MAX;
            expect = (mask >> i & 1) != 0 ? expect | keep : before[3][i];
            if (read_lane(D, i) != expect) {
                fail_msg("%s type %d mode %d: a %llx b %llx c %llx: got %llx, expected %llx",
                         wr_isa_op_info(row->op)->name, (int)t, (int)mode,
                         (unsigned long long)before[0][i], (unsigned long long)before[1][i],
                         (unsigned long long)before[2][i], (unsigned long long)read_lane(D, i),
                         (unsigned long long)expect);
            }
        }
    }
}

static void test_integers(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof int_rows / sizeof int_rows[0]; r++) {
        for (unsigned t = 0; t < 16; t++) {
            if ((int_rows[r].types >> t & 1) != 0) {
                check_int(&int_rows[r], (wr_type)t, WR_MUL_LO);
            }
        }
    }
}

static void test_multiply_modes(void **state)
{
    (void)state;
    for (size_t r = 2; r < 4; r++) {
        for (unsigned t = WR_U16; t <= WR_S64; t++) {
            check_int(&int_rows[r], (wr_type)t, WR_MUL_HI);
            if (t <= WR_S32) {
                check_int(&int_rows[r], (wr_type)t, WR_MUL_WIDE);
            }
        }
    }
}

static void test_saturating_sums(void **state)
{
    (void)state;
    for (unsigned sub = 0; sub < 2; sub++) {
        wr_insn insn = kit_op(sub != 0 ? WR_OP_SUB : WR_OP_ADD, WR_S32, D, A, B, RZ);
        insn.sat = true;
        for (unsigned round = 0; round < rounds(); round++) {
            fill_ints();
            execute(&insn, UINT32_MAX);
            for (unsigned i = 0; i < 32; i++) {
                wide a = value(regs[A][i], WR_S32);
                wide b = value(regs[B][i], WR_S32);
                wide v = sub != 0 ? a - b : a + b;
                v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
                assert_int_equal(regs[D][i], (uint32_t)v);
            }
        }
    }
}

/* Operands may be the result's registers, whole or in part. */
static void test_overlapping_registers(void **state)
{
    (void)state;
    fill_ints();
    uint32_t a[32], b[32];
    memcpy(a, regs[D], sizeof a);
    memcpy(b, regs[D + 1], sizeof b);
    wr_insn insn = kit_op(WR_OP_MUL, WR_U32, D, D, D + 1, RZ);
    insn.mode = WR_MUL_WIDE;
    execute(&insn, UINT32_MAX);
    for (unsigned i = 0; i < 32; i++) {
        assert_true(read_lane(D, i) == (uint64_t)a[i] * b[i]);
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
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_multiply_modes),
        cmocka_unit_test(test_saturating_sums),
        cmocka_unit_test(test_overlapping_registers),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
