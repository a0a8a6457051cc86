/* SPDX-License-Identifier: Apache-2.0 */
/* Operations across the lanes of a warp: shuffle, vote, match, reduction.
 *
 * Each lane names the lanes that it works with. Those of them that are alive must execute the
 * same instruction with it now: a machine with a reconvergence stack can't wait for lanes on
 * another path, so an instruction that would have to is a fault, never a wrong value. Lanes that
 * have exited, or never were, do not count. A shuffle from a lane that does not take part gives 0.
 */
#include "shell/core/exec/exec.h"

#include <stddef.h>

static const uint32_t zero_rows[2 * WR_LANES];

static const uint32_t *source(const wr_uop *u, const uint32_t *regs, unsigned i)
{
    if (u->ext != NULL && u->insn->ext_slot == i) {
        return u->ext;
    }
    return u->insn->src[i] == WR_ISA_RZ ? zero_rows : regs + (size_t)u->insn->src[i] * WR_LANES;
}

/* The operand with the mask of lanes; the last one. */
static unsigned mask_slot(const wr_insn *insn)
{
    return insn->nsrc - 1u;
}

/* Lanes that each lane works with; why not, where it can't. */
static const char *members(const wr_uop *u, const uint32_t *regs, uint32_t mask, uint32_t alive,
                           uint32_t with[WR_LANES], uint32_t *lane)
{
    const wr_insn *insn = u->insn;
    unsigned slot = mask_slot(insn);
    bool given = insn->src[slot] != WR_ISA_RZ || (u->ext != NULL && insn->ext_slot == slot);
    const uint32_t *row = source(u, regs, slot);
    uint32_t all = insn->op == WR_OP_WARPSYNC ? alive : mask; /* in front of a barrier */
    for (uint32_t i = 0; i < WR_LANES; i++) {
        with[i] = given ? row[i] : all;
        if ((mask >> i & 1) == 0) {
            continue;
        }
        *lane = i;
        if ((with[i] >> i & 1) == 0) {
            return "is not in the member mask that it gives";
        }
        if ((with[i] & alive & ~mask) != 0 && !given) {
            return "comes to a barrier and others of its warp are on another path of a branch; let "
                   "them meet first, or use bar.sync, which counts whole warps";
        }
        if ((with[i] & alive & ~mask) != 0) {
            return "names lanes in its member mask that are on another path of a branch; let them "
                   "meet first, or name only lanes that execute it together";
        }
        with[i] &= mask;
    }
    return NULL;
}

/* PTX ISA, shfl.sync: the lane to read, or the lane itself and false. */
static bool shuffle_from(wr_shfl mode, uint32_t lane, uint32_t control, uint32_t *from)
{
    uint32_t b = control & 31;
    uint32_t clamp = control >> 8 & 31;
    uint32_t segment = control >> 16 & 31;
    uint32_t last = (lane & segment) | (clamp & ~segment);
    uint32_t j = lane;
    bool inside = false;
    switch (mode) {
    case WR_SHFL_UP:
        j = lane - b;
        inside = lane >= b && j >= last;
        break;
    case WR_SHFL_DOWN:
        j = lane + b;
        inside = j <= last;
        break;
    case WR_SHFL_BFLY:
        j = lane ^ b;
        inside = j <= last;
        break;
    case WR_SHFL_IDX:
        j = (lane & segment) | (b & ~segment);
        inside = j <= last;
        break;
    }
    *from = inside ? j : lane;
    return inside;
}

static uint32_t shuffle(const wr_uop *u, const uint32_t *regs, const uint32_t with[WR_LANES],
                        uint32_t out[WR_LANES])
{
    const uint32_t *a = source(u, regs, 0);
    const uint32_t *control = source(u, regs, 1);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < WR_LANES; i++) {
        uint32_t from;
        inside |= shuffle_from((wr_shfl)u->insn->mode, i, control[i], &from) ? 1u << i : 0;
        out[i] = (with[i] >> from & 1) != 0 ? a[from] : 0;
    }
    return inside;
}

static uint32_t vote(wr_vote mode, uint32_t yes, const uint32_t with[WR_LANES],
                     uint32_t out[WR_LANES])
{
    uint32_t holds = 0;
    for (uint32_t i = 0; i < WR_LANES; i++) {
        bool all = (with[i] & ~yes) == 0;
        bool any = (with[i] & yes) != 0;
        bool h = mode == WR_VOTE_ALL ? all : mode == WR_VOTE_ANY ? any : all || !any;
        holds |= h ? 1u << i : 0;
        out[i] = with[i] & yes;
    }
    return holds;
}

static uint32_t match(const wr_uop *u, const uint32_t *regs, const uint32_t with[WR_LANES],
                      uint32_t out[WR_LANES])
{
    const uint32_t *a = source(u, regs, 0);
    bool wide = u->insn->type == WR_B64;
    uint32_t all = 0;
    for (uint32_t i = 0; i < WR_LANES; i++) {
        uint32_t equal = 0;
        for (uint32_t left = with[i]; left != 0; left &= left - 1) {
            uint32_t j = (uint32_t)__builtin_ctz(left);
            bool same = a[j] == a[i] && (!wide || a[j + WR_LANES] == a[i + WR_LANES]);
            equal |= same ? 1u << j : 0;
        }
        all |= equal == with[i] ? 1u << i : 0;
        out[i] = u->insn->mode == WR_MATCH_ANY || equal == with[i] ? equal : 0;
    }
    return all;
}

static uint32_t combine(const wr_insn *insn, uint32_t x, uint32_t y)
{
    bool less = insn->type == WR_S32 ? (int32_t)x < (int32_t)y : x < y;
    switch (insn->mode) {
    case WR_ATOM_ADD:
        return x + y;
    case WR_ATOM_MIN:
        return less ? x : y;
    case WR_ATOM_MAX:
        return less ? y : x;
    case WR_ATOM_AND:
        return x & y;
    case WR_ATOM_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

static void reduce(const wr_uop *u, const uint32_t *regs, const uint32_t with[WR_LANES],
                   uint32_t out[WR_LANES])
{
    const uint32_t *a = source(u, regs, 0);
    for (uint32_t i = 0; i < WR_LANES; i++) {
        uint32_t left = with[i];
        out[i] = left != 0 ? a[__builtin_ctz(left)] : 0;
        for (left &= left - 1; left != 0; left &= left - 1) {
            out[i] = combine(u->insn, out[i], a[__builtin_ctz(left)]);
        }
    }
}

const char *wr_exec_warp(const wr_uop *u, uint32_t *regs, uint32_t *preds, uint32_t mask,
                         uint32_t alive, uint32_t *lane)
{
    const wr_insn *insn = u->insn;
    uint32_t with[WR_LANES];
    uint32_t out[WR_LANES] = {0};
    uint32_t bits = 0;
    const char *why = members(u, regs, mask, alive, with, lane);
    if (why != NULL) {
        return why;
    }
    for (uint32_t i = 0; i < WR_LANES; i++) {
        with[i] = (mask >> i & 1) != 0 ? with[i] : 0;
    }
    switch (insn->op) {
    case WR_OP_SHFL:
        bits = shuffle(u, regs, with, out);
        break;
    case WR_OP_VOTE:
        bits = vote((wr_vote)insn->mode, wr_exec_pred(preds, insn->ps, insn->ps_neg), with, out);
        break;
    case WR_OP_MATCH:
        bits = match(u, regs, with, out);
        break;
    case WR_OP_REDUX:
        reduce(u, regs, with, out);
        break;
    default:
        break;
    }
    if (insn->pd != WR_ISA_PT) {
        preds[insn->pd] = (preds[insn->pd] & ~mask) | (bits & mask);
    }
    if (insn->dst != WR_ISA_RZ) {
        wr_exec_merge(regs + (size_t)insn->dst * WR_LANES, out, mask);
    }
    return NULL;
}
