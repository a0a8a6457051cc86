/* SPDX-License-Identifier: Apache-2.0 */
/* Strength reduction: operations that a cheaper one, or one with shorter live ranges, can do.
 *
 *     cvt.s64.s32 d, x; shl.b64 r, d, k   ->  mul.wide.s32 r, x, 1 << k
 *     cvt.s64.s32 d, x; mul.lo.s64 r, d, c ->  mul.wide.s32 r, x, c        (same for u64.u32)
 *     mul.lo x, 1 << k                    ->  shl x, k
 *     bfe x, position, length             ->  and, shr, or two shifts
 *     mad x, c1, c2 with c1 or c2 neutral ->  add, mul
 *
 * The first two keep one word alive where the text keeps a pair. They are done where all that
 * reads the pair can be changed so; else the word would live on beside it. The conversion is the
 * pair's only definition, so a copy of x at its place can stand for the pair wherever it is read.
 * Register 0 is never such a copy: the pair was made before.
 */
#include "shell/compiler/passes.h"

typedef struct reducer {
    wr_ir *ir;
    const wr_defs *defs;
    uint32_t *scaled;  /* by register: uses that scale it by a constant */
    uint32_t *narrow;  /* and uses of its low word alone */
    uint32_t *word_of; /* by register: the word that takes a pair's place, or 0 */
    uint8_t *type_of;  /* and its type */
    bool changed;
} reducer;

static bool is_imm(const wr_ir_operand *operand)
{
    return operand->kind == WR_IR_IMM;
}

/* k where the value is 1 << k, else 64. */
static unsigned log2_of(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0 ? (unsigned)__builtin_ctzll(value) : 64;
}

static bool is_64(const wr_ir_insn *insn)
{
    return insn->m.type == WR_U64 || insn->m.type == WR_S64 || insn->m.type == WR_B64;
}

static bool is_32(const wr_ir_insn *insn)
{
    return insn->m.type == WR_U32 || insn->m.type == WR_S32 || insn->m.type == WR_B32;
}

/* The instruction is a 64-bit register times a constant that fits a word: the constant, else 0. */
static uint32_t scale_of(const wr_ir_insn *insn)
{
    uint64_t bits = insn->src[1].bits;

    if (!is_64(insn) || insn->src[0].kind != WR_IR_REG || insn->src[0].word != 0 ||
        !is_imm(&insn->src[1])) {
        return 0;
    }
    if (insn->m.op == WR_OP_SHL) {
        return (bits & UINT32_MAX) <= 30 ? UINT32_C(1) << (bits & UINT32_MAX) : 0;
    }
    if (insn->m.op == WR_OP_MUL && insn->m.mode == WR_MUL_LO) {
        return bits <= INT32_MAX ? (uint32_t)bits : 0;
    }
    return 0;
}

/* Source i reads the low word of a pair alone. */
static bool reads_low(const reducer *r, const wr_ir_insn *insn, unsigned i)
{
    return insn->src[i].kind == WR_IR_REG && insn->src[i].word == 0 &&
           wr_ir_src_words(insn, i) == 1 && r->ir->regs[insn->src[i].reg].words == 2;
}

static void count_narrow(reducer *r, const wr_ir_insn *insn)
{
    if (scale_of(insn) != 0) {
        r->scaled[insn->src[0].reg]++;
    }
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (reads_low(r, insn, i)) {
            r->narrow[insn->src[i].reg]++;
        }
    }
}

static void count_all(reducer *r)
{
    r->scaled = wr_pool_alloc(r->ir->pool, r->ir->reg_count, sizeof *r->scaled);
    r->narrow = wr_pool_alloc(r->ir->pool, r->ir->reg_count, sizeof *r->narrow);
    for (uint32_t b = 0; b < r->ir->block_count; b++) {
        for (uint32_t i = 0; i < r->ir->blocks[b].insns.count; i++) {
            count_narrow(r, &r->ir->blocks[b].insns.at[i]);
        }
    }
}

static bool widens(const wr_ir_insn *cvt)
{
    return cvt->m.op == WR_OP_CVT && !cvt->m.sat &&
           (cvt->m.type == WR_U64 || cvt->m.type == WR_S64) &&
           (cvt->m.type2 == WR_U32 || cvt->m.type2 == WR_S32);
}

/* The conversion becomes a copy of the word, which stands for the pair from then on. */
static void narrow_conversions(reducer *r)
{
    uint32_t regs = r->ir->reg_count;

    r->word_of = wr_pool_alloc(r->ir->pool, regs, sizeof *r->word_of);
    r->type_of = wr_pool_alloc(r->ir->pool, regs, sizeof *r->type_of);
    for (uint32_t reg = 0; reg < regs; reg++) {
        wr_ir_insn *cvt = r->defs->def[reg];

        if (cvt == NULL || !widens(cvt) || r->scaled[reg] == 0 ||
            r->scaled[reg] + r->narrow[reg] != r->defs->uses[reg]) {
            continue;
        }
        r->type_of[reg] = cvt->m.type2;
        r->word_of[reg] = wr_ir_new_reg(r->ir, 1);
        cvt->m.op = WR_OP_MOV;
        cvt->m.type = WR_B32;
        cvt->m.type2 = 0;
        cvt->m.rnd = 0;
        cvt->dst = wr_ir_reg_operand(r->word_of[reg], 0);
        r->changed = true;
    }
}

static void widen(reducer *r, wr_ir_insn *insn)
{
    uint32_t scale = scale_of(insn), reg = insn->src[0].reg;

    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        if (reads_low(r, insn, i) && r->word_of[insn->src[i].reg] != 0) {
            insn->src[i].reg = r->word_of[insn->src[i].reg];
        }
    }
    if (scale == 0 || r->word_of[reg] == 0) {
        return;
    }
    insn->m.op = WR_OP_MUL;
    insn->m.mode = WR_MUL_WIDE;
    insn->m.type = r->type_of[reg];
    insn->src[0] = wr_ir_reg_operand(r->word_of[reg], 0);
    insn->src[1] = wr_ir_imm_operand(scale);
}

static void reduce_mul(reducer *r, wr_ir_insn *insn)
{
    unsigned k = is_imm(&insn->src[1])
                     ? log2_of(is_64(insn) ? insn->src[1].bits : insn->src[1].bits & UINT32_MAX)
                     : 64;

    if (insn->m.mode != WR_MUL_LO || (!is_32(insn) && !is_64(insn)) || k >= 63 || insn->m.sat) {
        return;
    }
    insn->m.op = WR_OP_SHL;
    insn->m.type = is_64(insn) ? WR_B64 : WR_B32;
    insn->src[1] = wr_ir_imm_operand(k);
    r->changed = true;
}

static void reduce_mad(reducer *r, wr_ir_insn *insn)
{
    uint64_t mask = is_64(insn) ? UINT64_MAX : UINT32_MAX;

    if (insn->m.mode != WR_MUL_LO || (!is_32(insn) && !is_64(insn)) || insn->m.sat) {
        return;
    }
    if (is_imm(&insn->src[2]) && (insn->src[2].bits & mask) == 0) {
        insn->m.op = WR_OP_MUL;
    } else if (is_imm(&insn->src[1]) && (insn->src[1].bits & mask) == 1) {
        insn->m.op = WR_OP_ADD;
        insn->src[1] = insn->src[2];
    } else {
        return;
    }
    insn->src[2] = (wr_ir_operand){0};
    r->changed = true;
}

/* A bit field with constant bounds inside the word; `more` is set where a second instruction must
 * follow, on the result of the first. */
static bool reduce_bfe(wr_ir_insn *insn, wr_ir_insn *more)
{
    uint64_t at, length;
    bool sign = insn->m.type == WR_S32;

    if (insn->m.op != WR_OP_BFE || !is_32(insn) || !is_imm(&insn->src[1]) ||
        !is_imm(&insn->src[2]) || insn->guard != WR_IR_NO_REG) {
        return false;
    }
    at = insn->src[1].bits & 0xff;
    length = insn->src[2].bits & 0xff;
    if (length == 0 || at + length > 32) {
        return false;
    }
    insn->src[2] = (wr_ir_operand){0};
    *more = *insn;
    more->m.op = WR_OP_NOP;
    if (at + length == 32) {
        insn->m.op = WR_OP_SHR;
    } else if (sign) {
        insn->m.op = WR_OP_SHL;
        insn->m.type = WR_B32;
        insn->src[1].bits = 32 - at - length;
        more->m.op = WR_OP_SHR;
        more->src[1].bits = 32 - length;
    } else if (at == 0) {
        insn->m.op = WR_OP_AND;
        insn->m.type = WR_B32;
        insn->src[1].bits = (UINT64_C(1) << length) - 1;
    } else {
        insn->m.op = WR_OP_SHR;
        more->m.op = WR_OP_AND;
        more->m.type = WR_B32;
        more->src[1].bits = (UINT64_C(1) << length) - 1;
    }
    return true;
}

static void reduce_fields(reducer *r, wr_ir_block *block)
{
    wr_ir_list list = {0};
    bool any = false;

    for (uint32_t i = 0; i < block->insns.count; i++) {
        any = any || block->insns.at[i].m.op == WR_OP_BFE;
    }
    for (uint32_t i = 0; any && i < block->insns.count; i++) {
        wr_ir_insn insn = block->insns.at[i], more;

        if (!reduce_bfe(&insn, &more)) {
            wr_ir_append(r->ir, &list, &insn);
            continue;
        }
        r->changed = true;
        if (more.m.op != WR_OP_NOP) {
            insn.dst = wr_ir_reg_operand(wr_ir_new_reg(r->ir, 1), 0);
            more.src[0] = insn.dst;
        }
        wr_ir_append(r->ir, &list, &insn);
        if (more.m.op != WR_OP_NOP) {
            wr_ir_append(r->ir, &list, &more);
        }
    }
    if (any) {
        block->insns = list;
    }
}

bool wr_pass_strength(wr_ir *ir)
{
    reducer r = {.ir = ir, .defs = wr_defs_build(ir)};

    count_all(&r);
    narrow_conversions(&r);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            widen(&r, insn);
            if (insn->m.op == WR_OP_MAD) {
                reduce_mad(&r, insn);
            }
            if (insn->m.op == WR_OP_MUL) {
                reduce_mul(&r, insn);
            }
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        reduce_fields(&r, &ir->blocks[b]);
    }
    return r.changed;
}
