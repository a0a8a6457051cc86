/* SPDX-License-Identifier: Apache-2.0 */
/* The passes around lane functions; see exec.h. */
#include "shell/core/exec/exec.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* What RZ reads, as wide as the widest operand. */
static const uint32_t zero_rows[2 * WR_LANES];

WR_LANE_CLONES void wr_exec_merge(uint32_t *dst, const uint32_t *src, uint32_t mask)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        uint32_t keep = (mask >> i & 1u) - 1u; /* all ones where the lane is off */
        dst[i] = (dst[i] & keep) | (src[i] & ~keep);
    }
}

static uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

WR_LANE_CLONES static void flush_row(uint32_t *d, const uint32_t *row)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        d[i] = flush(row[i]);
    }
}

WR_LANE_CLONES static void narrow_row(uint32_t *d, const uint32_t *row, bool is_signed)
{
    uint32_t sign = is_signed ? 0x8000u : 0;
    for (unsigned i = 0; i < WR_LANES; i++) {
        d[i] = ((row[i] & 0xffffu) ^ sign) - sign;
    }
}

WR_LANE_CLONES static void canonical_row(uint32_t *d)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        d[i] = (d[i] & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : d[i];
    }
}

/* Passes that change operands. */
enum {
    PASSES_IN =
        WR_PASS_F16 | WR_PASS_BF16 | WR_PASS_FTZ | WR_PASS_FTZ_IN | WR_PASS_U16 | WR_PASS_S16
};

/* One operand in, as the passes want it; `spare` holds a changed copy. */
static const uint32_t *operand_in(const uint32_t *row, uint32_t *spare, uint32_t passes)
{
    if ((passes & (WR_PASS_F16 | WR_PASS_BF16)) != 0) {
        bool bfloat = (passes & WR_PASS_BF16) != 0;
        float least = bfloat || (passes & WR_PASS_FTZ_IN) == 0 ? 0.0f : 0x1p-14f;
        for (unsigned i = 0; i < WR_LANES; i++) {
            float v = (float)wr_half_value((uint16_t)row[i], bfloat);
            spare[i] = wr_float_bits(fabsf(v) < least ? 0.0f : v);
        }
        return spare;
    }
    if ((passes & (WR_PASS_FTZ | WR_PASS_FTZ_IN)) != 0) {
        flush_row(spare, row);
        return spare;
    }
    if ((passes & (WR_PASS_U16 | WR_PASS_S16)) != 0) {
        narrow_row(spare, row, (passes & WR_PASS_U16) == 0);
        return spare;
    }
    return row;
}

static uint32_t clamp_unit(uint32_t bits)
{
    float v = wr_as_float(bits);
    return v > 0.0f ? wr_float_bits(v < 1.0f ? v : 1.0f) : 0; /* NaN and -0 give +0 */
}

static void result_out(uint32_t *d, uint32_t passes)
{
    if ((passes & WR_PASS_FTZ) != 0) {
        flush_row(d, d);
    }
    if ((passes & WR_PASS_NAN) != 0) {
        canonical_row(d);
    }
    if ((passes & WR_PASS_SAT) != 0) {
        for (unsigned i = 0; i < WR_LANES; i++) {
            d[i] = clamp_unit(d[i]);
        }
    }
    if ((passes & WR_PASS_SAT64) != 0) {
        for (unsigned i = 0; i < WR_LANES; i++) {
            double v = wr_as_double(wr_lane64(d, i));
            wr_set_lane64(d, i, wr_double_bits(v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0));
        }
    }
    if ((passes & WR_PASS_IN_ONLY) != 0) {
        return;
    }
    if ((passes & WR_PASS_WIDE16) != 0) {
        return;
    }
    if ((passes & WR_PASS_U16) != 0) {
        narrow_row(d, d, false);
    }
    if ((passes & WR_PASS_S16) != 0) {
        narrow_row(d, d, true);
    }
}

wr_lane_fn wr_exec_lookup(const wr_insn *insn, uint32_t *passes)
{
    *passes = 0;
    if (insn->op == WR_OP_CVT) {
        return wr_exec_cvt_fn(insn, passes);
    }
    if (insn->op == WR_OP_SETP || insn->op == WR_OP_SET) {
        return wr_exec_cmp_fn(insn, passes);
    }
    static wr_lane_fn (*const groups[])(const wr_insn *, uint32_t *) = {
        wr_exec_bits_fn, wr_exec_half_fn, wr_exec_int_fn, wr_exec_float_fn};
    wr_lane_fn fn = NULL;
    for (size_t i = 0; fn == NULL && i < sizeof groups / sizeof groups[0]; i++) {
        fn = groups[i](insn, passes);
    }
    return fn;
}

static uint32_t combine(uint32_t a, uint32_t b, uint8_t boolop)
{
    switch (boolop) {
    case WR_BOOL_AND:
        return a & b;
    case WR_BOOL_OR:
        return a | b;
    case WR_BOOL_XOR:
        return a ^ b;
    default:
        return a;
    }
}

static void write_pred(uint32_t *preds, uint8_t pred, uint32_t bits, uint32_t mask)
{
    if (pred != WR_ISA_PT) {
        preds[pred] = (preds[pred] & ~mask) | (bits & mask);
    }
}

static void pred_logic(const wr_insn *insn, uint32_t *preds, uint32_t mask)
{
    static const uint8_t boolop[WR_OP_COUNT] = {
        [WR_OP_AND] = WR_BOOL_AND, [WR_OP_OR] = WR_BOOL_OR, [WR_OP_XOR] = WR_BOOL_XOR};
    uint32_t a = wr_exec_pred(preds, insn->ps, insn->ps_neg);
    uint32_t b = wr_exec_pred(preds, insn->ps2, insn->ps2_neg);
    write_pred(preds, insn->pd, combine(a, b, boolop[insn->op]), mask);
}

static int host_rounding(uint8_t round)
{
    switch (round) {
    case WR_RND_RZ:
        return FE_TOWARDZERO;
    case WR_RND_RM:
        return FE_DOWNWARD;
    case WR_RND_RP:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

static void set_result(const wr_insn *insn, uint32_t bits, uint32_t *d)
{
    uint32_t yes = insn->type == WR_F32 ? 0x3f800000u : UINT32_MAX;
    for (unsigned i = 0; i < WR_LANES; i++) {
        d[i] = (bits >> i & 1) != 0 ? yes : 0;
    }
}

/* The rows of the operands, before the passes; what an instruction does not have is nothing to
 * read. */
static inline void find_rows(const wr_uop *uop, const uint32_t *regs, const uint32_t *source[3])
{
    const wr_insn *insn = uop->insn;
    for (unsigned i = 0; i < 3; i++) {
        uint8_t reg = insn->src[i];
        source[i] = reg == WR_ISA_RZ || i >= insn->nsrc ? zero_rows : regs + (size_t)reg * WR_LANES;
    }
    if (uop->ext != NULL && insn->ext_slot < insn->nsrc) {
        source[insn->ext_slot] = uop->ext;
    }
}

/* Those that the passes change become copies in `spare`. */
static void prepare_rows(const wr_uop *uop, wr_lanes *x, uint32_t spare[3][WR_LANES])
{
    const uint32_t passes = uop->passes;
    const uint32_t **source[3] = {&x->a, &x->b, &x->c};
    for (unsigned i = 0; i < uop->insn->nsrc; i++) {
        bool as_is = (passes & WR_PASS_OUT_ONLY) != 0 ||
                     (i == 1 && (passes & WR_PASS_SHIFT) != 0) ||
                     (i == 2 && (passes & WR_PASS_WIDE16) != 0);
        if (!as_is) {
            *source[i] = operand_in(*source[i], spare[i], passes);
        }
    }
}

static void call_rounding(const wr_uop *uop, wr_lanes *x)
{
    if ((uop->passes & WR_PASS_ROUND) != 0) {
        fesetround(host_rounding(uop->insn->rnd));
        uop->fn(x);
        fesetround(FE_TONEAREST);
    } else {
        uop->fn(x);
    }
}

/* With everything around the lane function. False: there is no row to write. */
static bool with_passes(const wr_uop *uop, wr_lanes *x, uint32_t *preds, uint32_t mask)
{
    const wr_insn *insn = uop->insn;
    const uint32_t passes = uop->passes;
    uint32_t spare[3][WR_LANES];
    if ((passes & PASSES_IN) != 0) {
        prepare_rows(uop, x, spare);
    }
    x->bits = wr_exec_pred(preds, insn->ps, insn->ps_neg);
    call_rounding(uop, x);
    if ((passes & WR_PASS_PRED_OUT) != 0) {
        uint32_t c = wr_exec_pred(preds, insn->ps, insn->ps_neg);
        uint32_t yes = combine(x->bits, c, insn->boolop);
        if (insn->op == WR_OP_SETP) {
            write_pred(preds, insn->pd2, combine(~x->bits, c, insn->boolop), mask);
            write_pred(preds, insn->pd, yes, mask);
            return false;
        }
        set_result(insn, yes, x->d);
    } else {
        result_out(x->d, passes);
    }
    if ((passes & WR_PASS_CARRY) != 0) {
        write_pred(preds, insn->pd, x->bits, mask);
    }
    return true;
}

void wr_exec_alu(const wr_uop *uop, uint32_t *regs, uint32_t *preds, uint32_t mask)
{
    const wr_insn *insn = uop->insn;
    if (uop->kind == WR_KIND_PRED) {
        pred_logic(insn, preds, mask);
        return;
    }
    uint32_t result[2 * WR_LANES];
    const uint32_t *source[3];
    bool direct = mask == UINT32_MAX && insn->dst != WR_ISA_RZ;
    uint32_t *row = regs + (size_t)insn->dst * WR_LANES;
    find_rows(uop, regs, source);
    wr_lanes x = {
        .d = direct ? row : result, .a = source[0], .b = source[1], .c = source[2], .insn = insn};
    if (uop->passes == 0 && insn->op != WR_OP_SELP) {
        uop->fn(&x);
    } else if (!with_passes(uop, &x, preds, mask)) {
        return;
    }
    if (!direct && insn->dst != WR_ISA_RZ) {
        for (unsigned i = 0; i < insn->dst_regs; i++) {
            wr_exec_merge(row + (size_t)i * WR_LANES, result + (size_t)i * WR_LANES, mask);
        }
    }
}
