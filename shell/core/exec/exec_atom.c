/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on one address; see sm.h. Lanes of a warp go one after the other, lowest
 * first, so that a run is the same every time. */
#include "shell/core/sm/sm.h"

#include <math.h>
#include <string.h>

static uint64_t combine_unsigned(wr_atom op, uint64_t old, uint64_t v, uint64_t swap)
{
    switch (op) {
    case WR_ATOM_ADD:
        return old + v;
    case WR_ATOM_MIN:
        return old < v ? old : v;
    case WR_ATOM_MAX:
        return old > v ? old : v;
    case WR_ATOM_AND:
        return old & v;
    case WR_ATOM_OR:
        return old | v;
    case WR_ATOM_XOR:
        return old ^ v;
    case WR_ATOM_EXCH:
        return v;
    case WR_ATOM_CAS:
        return old == v ? swap : old;
    case WR_ATOM_INC:
        return old >= v ? 0 : old + 1;
    case WR_ATOM_DEC:
        return old == 0 || old > v ? v : old - 1;
    }
    return old;
}

static uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

static uint64_t add_float(uint64_t old, uint64_t v, bool ftz)
{
    uint32_t a = ftz ? flush((uint32_t)old) : (uint32_t)old;
    uint32_t b = ftz ? flush((uint32_t)v) : (uint32_t)v;
    uint32_t sum = wr_float_bits(wr_as_float(a) + wr_as_float(b));
    if ((sum & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fffffffu;
    }
    return ftz ? flush(sum) : sum;
}

/* The sum in fp64 lacks only what can't change the one rounding to 16 bits. */
static uint64_t add_half(uint64_t old, uint64_t v, bool bfloat)
{
    double sum = wr_half_value((uint16_t)old, bfloat) + wr_half_value((uint16_t)v, bfloat);
    return isnan(sum) ? 0x7fffu : (uint32_t)wr_half_round(sum, bfloat, WR_RND_RN);
}

static uint64_t add_pair(uint64_t old, uint64_t v, bool bfloat)
{
    return add_half(old >> 16 & 0xffffu, v >> 16 & 0xffffu, bfloat) << 16 |
           add_half(old & 0xffffu, v & 0xffffu, bfloat);
}

static uint64_t add(const wr_insn *insn, uint64_t old, uint64_t v, bool ftz)
{
    switch (insn->type) {
    case WR_F16:
        return add_half(old, v, false);
    case WR_BF16:
        return add_half(old, v, true);
    case WR_F16X2:
        return add_pair(old, v, false);
    case WR_BF16X2:
        return add_pair(old, v, true);
    case WR_F32:
        return add_float(old, v, ftz);
    case WR_F64:
        return wr_double_bits(wr_as_double(old) + wr_as_double(v));
    default:
        return old + v;
    }
}

static uint64_t combine(const wr_insn *insn, uint64_t old, uint64_t v, uint64_t swap, bool ftz)
{
    wr_atom op = (wr_atom)insn->atom;
    bool ordered = op == WR_ATOM_MIN || op == WR_ATOM_MAX;
    if (op == WR_ATOM_ADD) {
        return add(insn, old, v, ftz);
    }
    if (ordered && insn->type == WR_S32) {
        bool less = (int32_t)old < (int32_t)v;
        return less == (op == WR_ATOM_MIN) ? old : v;
    }
    if (ordered && insn->type == WR_S64) {
        bool less = (int64_t)old < (int64_t)v;
        return less == (op == WR_ATOM_MIN) ? old : v;
    }
    return combine_unsigned(op, old, v, swap);
}

uint64_t wr_exec_atomic(const wr_insn *insn, uint8_t *at, uint32_t bytes, uint64_t operand,
                        uint64_t swap, bool ftz)
{
    uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    uint64_t old = 0;
    memcpy(&old, at, bytes); /* little endian */
    uint64_t value = combine(insn, old, operand & mask, swap & mask, ftz);
    memcpy(at, &value, bytes);
    return old;
}
