/* Atomic operations on one address; see sm.h. Lanes of a warp go one after the other, lowest
 * first, so that a run is the same every time. */
#include "shell/core/sm.h"

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

static uint64_t combine(const wr_insn *insn, uint64_t old, uint64_t v, uint64_t swap)
{
    wr_atom op = (wr_atom)insn->atom;
    bool ordered = op == WR_ATOM_MIN || op == WR_ATOM_MAX;
    if (insn->type == WR_F32 && op == WR_ATOM_ADD) {
        return wr_float_bits(wr_as_float((uint32_t)old) + wr_as_float((uint32_t)v));
    }
    if (insn->type == WR_F64 && op == WR_ATOM_ADD) {
        return wr_double_bits(wr_as_double(old) + wr_as_double(v));
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

uint64_t wr_exec_atomic(const wr_insn *insn, uint8_t *at, uint64_t operand, uint64_t swap)
{
    bool wide = insn->type == WR_U64 || insn->type == WR_S64 || insn->type == WR_B64 ||
                insn->type == WR_F64;
    if (wide) {
        uint64_t old;
        memcpy(&old, at, sizeof old);
        uint64_t value = combine(insn, old, operand, swap);
        memcpy(at, &value, sizeof value);
        return old;
    }
    uint32_t old;
    memcpy(&old, at, sizeof old);
    uint32_t value = (uint32_t)combine(insn, old, operand, swap);
    memcpy(at, &value, sizeof value);
    return old;
}
