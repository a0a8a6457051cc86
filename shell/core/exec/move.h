/* SPDX-License-Identifier: Apache-2.0 */
/* The values of an access that has been found sound, between registers and memory. A part of
 * exec_mem.c, which alone includes it: in line in the issue of each access. */
#ifndef WR_SHELL_CORE_EXEC_MOVE_H
#define WR_SHELL_CORE_EXEC_MOVE_H

#include <string.h>

#include "shell/core/exec/access.h"
#include "shell/core/gpu/state.h"

static inline uint8_t *unit_at(const wr_sm *sm, const wr_access *a, uint32_t lane, uint32_t k)
{
    uint64_t addr = a->at.lane[lane] + (uint64_t)k * a->unit;
    if (a->base != NULL) {
        return a->base + (size_t)addr;
    }
    if (a->space == WR_SPACE_LOCAL) {
        return wr_memory_at(sm->memory, wr_access_local(a, lane, addr));
    }
    return wr_memory_at(sm->memory, addr);
}

/* The byte at the lowest address, of any space but local. */
static inline uint8_t *lowest(const wr_sm *sm, const wr_access *a)
{
    return a->base != NULL ? a->base + (size_t)a->at.low : wr_memory_at(sm->memory, a->at.low);
}

static inline uint32_t load_unit(const uint8_t *at, uint32_t unit, bool sign)
{
    if (unit == 4) {
        uint32_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    if (unit == 2) {
        uint16_t v;
        memcpy(&v, at, sizeof v);
        return sign ? (uint32_t)(int32_t)(int16_t)v : v;
    }
    return sign ? (uint32_t)(int32_t)(int8_t)*at : *at;
}

/* Whole words of a warp that lie together in the host's memory: most accesses. */
static inline bool in_words(const wr_access *a)
{
    return a->unit == 4 && a->space != WR_SPACE_LOCAL;
}

static inline void load(wr_sm *sm, uint32_t warp, const wr_access *a, uint32_t mask)
{
    uint32_t *rows = wr_warp_row(sm, warp, a->insn->dst);
    if (a->insn->dst == WR_ISA_RZ) {
        return;
    }
    if (in_words(a)) {
        const uint8_t *low = lowest(sm, a);
        for (uint32_t k = 0; k < a->units; k++) {
            wr_addresses_load(rows + (size_t)k * WR_LANES, low + (size_t)k * 4, &a->at, mask);
        }
        return;
    }
    for (uint32_t k = 0; k < a->units; k++) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            rows[k * WR_LANES + lane] = load_unit(unit_at(sm, a, lane, k), a->unit, a->sign);
        }
    }
}

static inline void store(wr_sm *sm, uint32_t warp, const wr_access *a, uint32_t mask)
{
    bool zero = a->insn->src[1] == WR_ISA_RZ;
    const uint32_t *rows = wr_warp_row(sm, warp, a->insn->src[1]);
    if (in_words(a) && !zero) {
        uint8_t *low = lowest(sm, a);
        for (uint32_t k = 0; k < a->units; k++) {
            wr_addresses_store(low + (size_t)k * 4, rows + (size_t)k * WR_LANES, &a->at, mask);
        }
        return;
    }
    for (uint32_t k = 0; k < a->units; k++) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint32_t v = zero ? 0 : rows[k * WR_LANES + lane];
            memcpy(unit_at(sm, a, lane, k), &v, a->unit); /* little endian: the low bytes */
        }
    }
}

static inline uint64_t operand(const wr_sm *sm, uint32_t warp, uint8_t reg, uint32_t lane,
                               bool wide)
{
    const uint32_t *row = wr_warp_row(sm, warp, reg);
    if (reg == WR_ISA_RZ) {
        return 0;
    }
    return wide ? wr_lane64(row, lane) : row[lane];
}

static inline void atomic(wr_sm *sm, uint32_t warp, const wr_access *a, uint32_t mask)
{
    const wr_insn *insn = a->insn;
    bool wide = a->bytes == 8;
    bool returns = insn->op == WR_OP_ATOM && insn->dst != WR_ISA_RZ;
    uint32_t *row = wr_warp_row(sm, warp, insn->dst);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t v = operand(sm, warp, insn->src[1], lane, wide);
        uint64_t swap = operand(sm, warp, insn->src[2], lane, wide);
        uint64_t old = wr_exec_atomic(insn, unit_at(sm, a, lane, 0), a->bytes, v, swap,
                                      a->space != WR_SPACE_SHARED);
        if (returns && wide) {
            wr_set_lane64(row, lane, old);
        } else if (returns) {
            row[lane] = (uint32_t)old;
        }
    }
}

static inline void wr_access_move(wr_sm *sm, uint32_t warp, const wr_access *a)
{
    if (a->insn->op == WR_OP_LD) {
        load(sm, warp, a, a->mask);
    } else if (a->insn->op == WR_OP_ST) {
        store(sm, warp, a, a->mask);
    } else {
        atomic(sm, warp, a, a->mask);
    }
}

#endif
