/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what packs small numbers: cvt.pack, 8-bit floats, and fma.oob, whose halves are
 * tested one by one. The machine has none of these formats: they are made of its words and halves.
 *
 * An 8-bit float is rounded once, from fp32, on the bits of its magnitude. A normal one: half a
 * unit less one and the last bit that stays are added, and the low bits fall off. A subnormal one:
 * the sum with a number whose last bit is the format's smallest leaves it in the sum's low bits.
 */
#include "shell/compiler/lower.h"

#include "shell/isa/table.h"

enum { RELU = 2, OOB_NAN = 0x7ff7, MAGNITUDE = 0x7fffffff, INFINITY32 = 0x7f800000 };

static wr_ir_operand imm(uint64_t bits)
{
    return wr_ir_imm_operand(bits);
}

static wr_ir_operand emit_two(wr_lower *lo, wr_op op, wr_type type, wr_ir_operand a,
                              wr_ir_operand b)
{
    return wr_lower_three(lo, op, type, a, b, (wr_ir_operand){0});
}

/* d with `len` bits of `field` from bit `at` on. */
static wr_ir_operand insert(wr_lower *lo, wr_ir_operand field, wr_ir_operand d, unsigned at,
                            unsigned len)
{
    return wr_lower_three(lo, WR_OP_BFI, WR_B32, field, d, imm(at | (uint64_t)len << 8));
}

/* yes where `a cmp b`, else no. */
static wr_ir_operand choose(wr_lower *lo, wr_cmp cmp, wr_type type, wr_ir_operand a, uint64_t b,
                            wr_ir_operand yes, wr_ir_operand no)
{
    uint32_t test = wr_lower_test(lo, cmp, type, a, b);
    wr_ir_insn select = wr_ir_insn_new(WR_OP_SELP, WR_B32);

    select.src[0] = yes;
    select.src[1] = no;
    select.ps = test;
    select.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &select);
    return select.dst;
}

static bool finish(wr_lower *lo, wr_ir_operand value)
{
    wr_ir_insn move = wr_ir_move((wr_ir_operand){0}, value, 1);

    wr_lower_emit_to(lo, &move, &lo->insn->operands[0], WR_U32);
    return true;
}

/* Half 0 or 1 of a pair, with anything above it. */
static wr_ir_operand half_of(wr_lower *lo, wr_ir_operand pair, unsigned half)
{
    return half == 0 ? pair : emit_two(lo, WR_OP_SHR, WR_U32, pair, imm(16));
}

/* cvt.pack d, a, b, c: b and a, clamped, then what fits of c. */
bool wr_lower_cvt_pack(wr_lower *lo)
{
    static const struct {
        uint8_t bits;
        bool is_signed;
    } formats[WR_PTX_TYPE_COUNT] = {
        [WR_PTX_U2] = {2, false},   [WR_PTX_S2] = {2, true},   [WR_PTX_U4] = {4, false},
        [WR_PTX_S4] = {4, true},    [WR_PTX_U8] = {8, false},  [WR_PTX_S8] = {8, true},
        [WR_PTX_U16] = {16, false}, [WR_PTX_S16] = {16, true},
    };
    const wr_ptx_insn *ptx = lo->insn;
    unsigned bits = formats[ptx->type[0]].bits;
    int32_t top = (int32_t)(formats[ptx->type[0]].is_signed ? 1U << (bits - 1) : 1U << bits) - 1;
    int32_t bottom = formats[ptx->type[0]].is_signed ? -top - 1 : 0;
    wr_ir_operand part[2], d;

    if (ptx->mod[WR_PTX_SLOT_SAT] == RELU) {
        return wr_lower_refuse(lo, "this operation has no .relu");
    }
    for (unsigned i = 0; i < 2; i++) {
        part[i] = emit_two(lo, WR_OP_MIN, WR_S32, wr_lower_source(lo, &ptx->operands[1 + i]),
                           imm((uint32_t)top));
        part[i] = emit_two(lo, WR_OP_MAX, WR_S32, part[i], imm((uint32_t)bottom));
    }
    d = insert(lo, part[0], part[1], bits, bits);
    if (ptx->operand_count == 4) {
        d = insert(lo, wr_lower_source(lo, &ptx->operands[3]), d, 2 * bits, 32 - 2 * bits);
    }
    return finish(lo, d);
}

/* ---- 8-bit floats ---- */

typedef struct format8 {
    unsigned dropped; /* bits of an fp32 fraction that it has not */
    uint32_t rebias;  /* taken from the shifted bits of a normal number */
    uint32_t normal;  /* its smallest normal number, and what subnormals are added to, as fp32 */
    uint32_t magic;
    uint32_t top; /* its largest number */
} format8;

static const format8 *format_of(wr_ptx_type type)
{
    static const format8 e4m3 = {20, 120 << 3, 0x3c800000, 0x46800000, 0x7e};
    static const format8 e5m2 = {21, 112 << 2, 0x38800000, 0x43000000, 0x7b};

    return type == WR_PTX_E4M3X2 ? &e4m3 : &e5m2;
}

/* An fp32 in 8 bits. */
static wr_ir_operand narrow(wr_lower *lo, wr_ir_operand a, const format8 *f, bool relu)
{
    wr_ir_operand abs = emit_two(lo, WR_OP_AND, WR_B32, a, imm(MAGNITUDE));
    wr_ir_operand last = wr_lower_three(lo, WR_OP_BFE, WR_U32, abs, imm(f->dropped), imm(1));
    wr_ir_operand normal, subnormal, code, sign;

    normal = emit_two(lo, WR_OP_ADD, WR_U32, abs, imm((1U << (f->dropped - 1)) - 1));
    normal = emit_two(lo, WR_OP_ADD, WR_U32, normal, last);
    normal = emit_two(lo, WR_OP_SHR, WR_U32, normal, imm(f->dropped));
    normal = emit_two(lo, WR_OP_SUB, WR_U32, normal, imm(f->rebias));
    subnormal = emit_two(lo, WR_OP_ADD, WR_F32, abs, imm(f->magic));
    subnormal = emit_two(lo, WR_OP_SUB, WR_U32, subnormal, imm(f->magic));
    code = choose(lo, WR_CMP_LT, WR_U32, abs, f->normal, subnormal, normal);
    code = emit_two(lo, WR_OP_MIN, WR_U32, code, imm(f->top));
    if (relu) {
        code = choose(lo, WR_CMP_LT, WR_S32, a, 0, imm(0), code);
    } else {
        sign = emit_two(lo, WR_OP_SHR, WR_U32, a, imm(24));
        sign = emit_two(lo, WR_OP_AND, WR_B32, sign, imm(0x80));
        code = emit_two(lo, WR_OP_OR, WR_B32, code, sign);
    }
    return choose(lo, WR_CMP_GT, WR_U32, abs, INFINITY32, imm(0x7f), code);
}

/* cvt.e4m3x2.f32 d, a, b: a in the high byte; of an f16x2 its high half. */
static bool lower_to_fp8(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    bool relu = ptx->mod[WR_PTX_SLOT_SAT] == RELU;
    wr_ir_operand code[2];

    for (unsigned i = 0; i < 2; i++) { /* 0: the high one */
        wr_ir_operand a;

        if (ptx->type[1] == WR_PTX_F32) {
            a = wr_lower_source(lo, &ptx->operands[1 + i]);
        } else {
            wr_ir_insn widen = wr_ir_insn_new(WR_OP_CVT, WR_F32);

            widen.m.type2 = WR_F16;
            widen.src[0] = half_of(lo, wr_lower_source(lo, &ptx->operands[1]), 1 - i);
            widen.dst = wr_lower_temp(lo, 1);
            wr_lower_emit(lo, &widen);
            a = widen.dst;
        }
        code[i] = narrow(lo, a, format_of(ptx->type[0]), relu);
    }
    return finish(lo, insert(lo, code[0], code[1], 8, 8));
}

/* The fields go to their places in halves. e5m2 is the upper byte of an f16. e4m3 has another bias:
 * it comes out 2^-8 times too small, and its NaN as 480 of these, which 144 times as large is
 * above what an f16 holds: nothing times that is then the NaN wanted, and else nothing. */
static bool lower_from_fp8(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;
    wr_ir_insn sum = wr_ir_insn_new(WR_OP_FMA, WR_F16X2);
    wr_ir_operand a = wr_lower_three(lo, WR_OP_PRMT, WR_B32, wr_lower_source(lo, &ptx->operands[1]),
                                     imm(0), imm(0x1404));

    sum.m.rnd = WR_RND_RN;
    sum.m.variant = ptx->mod[WR_PTX_SLOT_SAT] == RELU ? WR_VAR_RELU : 0;
    if (ptx->type[1] == WR_PTX_E5M2X2) {
        sum.src[0] = a;
        sum.src[1] = imm(0x3c003c00); /* 1 */
        sum.src[2] = imm(0x80008000); /* -0 keeps the sign of zeros */
    } else {
        wr_ir_operand small = emit_two(lo, WR_OP_AND, WR_B32, a, imm(0x7f007f00));
        wr_ir_operand sign = emit_two(lo, WR_OP_AND, WR_B32, a, imm(0x80008000));

        small = emit_two(lo, WR_OP_SHR, WR_U32, small, imm(1));
        small = emit_two(lo, WR_OP_OR, WR_B32, small, sign);
        sum.src[0] = emit_two(lo, WR_OP_MUL, WR_F16X2, small, imm(0x78807880)); /* 144 x 256 */
        sum.src[1] = imm(0);
        sum.src[2] = emit_two(lo, WR_OP_MUL, WR_F16X2, small, imm(0x5c005c00)); /* 256 */
    }
    wr_lower_emit_to(lo, &sum, &ptx->operands[0], WR_U32);
    return true;
}

bool wr_lower_cvt_fp8(wr_lower *lo)
{
    const wr_ptx_insn *ptx = lo->insn;

    if (ptx->mod[WR_PTX_SLOT_SAT] != 0 && ptx->mod[WR_PTX_SLOT_SAT] != RELU) {
        return wr_lower_refuse(lo, "this operation has no .sat");
    }
    return wr_ptx_type_is_format(ptx->type[0]) ? lower_to_fp8(lo) : lower_from_fp8(lo);
}

/* ---- fma.oob ---- */

/* 0 where half `half` of a factor is the NaN of what lies out of bounds, else the half's mask. */
static wr_ir_operand kept(wr_lower *lo, const wr_ir_operand factor[2], unsigned half)
{
    wr_ir_insn select = wr_ir_insn_new(WR_OP_SELP, WR_B32);

    for (unsigned i = 0; i < 2; i++) {
        wr_ir_insn test = wr_ir_insn_new(WR_OP_SETP, WR_B16);

        test.m.cmp = WR_CMP_EQ;
        test.src[0] = half_of(lo, factor[i], half);
        test.src[1] = imm(OOB_NAN);
        test.pd = wr_ir_new_pred(lo->ir);
        if (i == 1) {
            test.m.boolop = WR_BOOL_OR;
            test.ps = select.ps;
        }
        wr_lower_emit(lo, &test);
        select.ps = test.pd;
    }
    select.src[0] = imm(0);
    select.src[1] = imm(UINT64_C(0xffff) << 16 * half);
    select.dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, &select);
    return select.dst;
}

bool wr_lower_oob(wr_lower *lo, wr_ir_insn *fma)
{
    bool pair = fma->m.type == WR_F16X2 || fma->m.type == WR_BF16X2;
    wr_ir_operand mask;

    if (fma->m.sat && (fma->m.type == WR_BF16 || fma->m.type == WR_BF16X2)) {
        return wr_lower_refuse(lo, "this operation has no .sat in this type");
    }
    fma->dst = wr_lower_temp(lo, 1);
    wr_lower_emit(lo, fma);
    mask = kept(lo, fma->src, 0);
    if (pair) {
        mask = emit_two(lo, WR_OP_OR, WR_B32, mask, kept(lo, fma->src, 1));
    }
    return finish(lo, emit_two(lo, WR_OP_AND, WR_B32, fma->dst, mask));
}
