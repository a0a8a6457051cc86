/* SPDX-License-Identifier: Apache-2.0 */
/* Words <-> instructions.
 *
 * One description of the layout serves both directions: `code_word` visits every field of a
 * word with its place, and the cursor either packs or extracts it. So the two directions
 * can't drift apart. Both check the instruction by the same rules (`is_defined`), and decode
 * packs what it found again: a word with any bit set that no field owns is undefined.
 * docs/isa.md has the drawing.
 */
#include <assert.h>
#include <string.h>

#include "shell/isa/isa.h"
#include "shell/isa/table.h"

#define EXIT_WORD 0xffffffu /* reconvergence at the exit, in a 24-bit word address */

typedef struct cursor {
    uint64_t word;
    bool decoding;
    bool overflow; /* a value did not fit its field */
} cursor;

static uint32_t code_bits(cursor *c, unsigned shift, unsigned width, uint32_t value)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;

    if (c->decoding) {
        return (uint32_t)((c->word >> shift) & mask);
    }
    if ((value & ~mask) != 0) {
        c->overflow = true;
    }
    c->word |= (value & mask) << shift;
    return value;
}

static void code_u8(cursor *c, unsigned shift, unsigned width, uint8_t *field)
{
    *field = (uint8_t)code_bits(c, shift, width, *field);
}

static void code_flag(cursor *c, unsigned shift, bool *field)
{
    *field = code_bits(c, shift, 1, *field) != 0;
}

static void code_regs(cursor *c, wr_insn *insn)
{
    code_u8(c, 44, 6, &insn->dst);
    code_u8(c, 38, 6, &insn->src[0]);
    code_u8(c, 32, 6, &insn->src[1]);
    code_u8(c, 26, 6, &insn->src[2]);
}

static void code_pred_logic(cursor *c, wr_insn *insn)
{
    code_u8(c, 44, 3, &insn->pd);
    code_flag(c, 41, &insn->ps_neg);
    code_u8(c, 38, 3, &insn->ps);
    code_flag(c, 35, &insn->ps2_neg);
    code_u8(c, 32, 3, &insn->ps2);
}

/* Types are 4 bits, and a fifth elsewhere in the word. */
static void code_type(cursor *c, unsigned shift, unsigned top, uint8_t *type)
{
    uint32_t low = code_bits(c, shift, 4, *type & 15u);

    *type = (uint8_t)(low | code_bits(c, top, 1, *type >> 4) << 4);
}

static void code_ps(cursor *c, wr_insn *insn)
{
    code_u8(c, 22, 4, &insn->type);
    code_flag(c, 9, &insn->ps_neg);
    code_u8(c, 6, 3, &insn->ps);
    if (wr_isa_carries((wr_op)insn->op)) {
        code_u8(c, 0, 3, &insn->pd);
    }
}

static void code_arith(cursor *c, wr_insn *insn)
{
    bool ps = insn->op == WR_OP_SELP || wr_isa_carries((wr_op)insn->op);

    if (ps) {
        code_ps(c, insn);
    } else {
        code_type(c, 22, 9, &insn->type);
    }
    if (insn->type == WR_PRED) {
        code_pred_logic(c, insn);
        return;
    }
    code_regs(c, insn);
    code_u8(c, 18, 4, &insn->rnd);
    code_flag(c, 17, &insn->ftz);
    code_flag(c, 16, &insn->sat);
    code_u8(c, 14, 2, &insn->mode);
    if (ps) {
        return;
    }
    code_type(c, 10, 8, &insn->type2);
    code_u8(c, 0, 8, insn->op == WR_OP_S2R ? &insn->sreg : &insn->variant);
}

static void code_setp(cursor *c, wr_insn *insn)
{
    code_type(c, 22, 26, &insn->type);
    code_u8(c, 44, 6, &insn->dst);
    code_u8(c, 38, 6, &insn->src[0]);
    code_u8(c, 32, 6, &insn->src[1]);
    code_u8(c, 17, 5, &insn->cmp);
    code_u8(c, 15, 2, &insn->boolop);
    code_flag(c, 14, &insn->ftz);
    code_u8(c, 11, 3, &insn->pd);
    code_u8(c, 8, 3, &insn->pd2);
    code_flag(c, 7, &insn->ps_neg);
    code_u8(c, 4, 3, &insn->ps);
    code_type(c, 0, 27, &insn->type2);
}

/* What barriers and operations across lanes share. */
static void code_warp(cursor *c, wr_insn *insn)
{
    code_regs(c, insn);
    code_u8(c, 22, 4, &insn->type);
    code_u8(c, 18, 4, &insn->mode);
    code_u8(c, 11, 3, &insn->pd);
    code_flag(c, 7, &insn->ps_neg);
    code_u8(c, 4, 3, &insn->ps);
}

static void code_mem(cursor *c, wr_insn *insn, bool *wide)
{
    uint32_t log2_vec = insn->vec == 4 ? 2 : insn->vec == 2 ? 1 : 0;

    code_type(c, 22, 10, &insn->type);
    code_regs(c, insn);
    code_u8(c, 19, 3, &insn->space);
    log2_vec = code_bits(c, 17, 2, log2_vec);
    insn->vec = (uint8_t)(1u << log2_vec);
    code_flag(c, 16, &insn->is_volatile);
    code_flag(c, 15, wide);
    code_u8(c, 11, 4, &insn->atom);
}

static void code_branch(cursor *c, wr_insn *insn)
{
    uint32_t reconv = insn->reconv == UINT32_MAX ? EXIT_WORD : insn->reconv / 8;

    insn->target = code_bits(c, 26, 24, insn->target / 8) * 8;
    reconv = code_bits(c, 2, 24, reconv);
    insn->reconv = reconv == EXIT_WORD ? UINT32_MAX : reconv * 8;
    code_flag(c, 1, &insn->uniform);
}

/* The first word behind the opcode. */
static void code_word(cursor *c, wr_insn *insn, bool *wide)
{
    wr_isa_class cls = (wr_isa_class)wr_isa_rows[insn->op].cls;

    if (cls == WR_CLASS_LIVE) {
        if (c->decoding) {
            insn->live = c->word & WR_ISA_LIVE_MASK;
        } else if ((insn->live & ~WR_ISA_LIVE_MASK) != 0) {
            c->overflow = true;
        } else {
            c->word |= insn->live;
        }
        return;
    }
    code_flag(c, 53, &insn->guard_neg);
    code_u8(c, 50, 3, &insn->guard);
    switch (cls) {
    case WR_CLASS_ARITH:
        code_arith(c, insn);
        break;
    case WR_CLASS_SETP:
        code_setp(c, insn);
        break;
    case WR_CLASS_MEM:
        code_mem(c, insn, wide);
        break;
    case WR_CLASS_BRANCH:
        code_branch(c, insn);
        break;
    case WR_CLASS_BAR:
        code_warp(c, insn);
        code_u8(c, 0, 4, &insn->barrier);
        break;
    case WR_CLASS_WARP:
        code_warp(c, insn);
        break;
    case WR_CLASS_TRAP:
        code_u8(c, 0, 2, &insn->mode);
        break;
    default:
        break;
    }
}

static void code_ext(cursor *c, wr_insn *insn)
{
    code_u8(c, 48, 2, &insn->ext);
    code_u8(c, 46, 2, &insn->ext_slot);
    insn->imm = code_bits(c, 0, 32, insn->imm);
}

static bool reg_fits(uint8_t reg, unsigned regs)
{
    if (reg == WR_ISA_RZ) {
        return true;
    }
    return regs != 0 && reg % regs == 0 && reg + regs <= WR_ISA_MAX_REGS;
}

static bool registers_fit(const wr_insn *insn, unsigned addr_regs)
{
    unsigned nsrc = wr_isa_source_count(insn);

    if (!reg_fits(insn->dst, wr_isa_operand_regs(insn, -1, addr_regs))) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        unsigned regs = i < nsrc ? wr_isa_operand_regs(insn, (int)i, addr_regs) : 0;

        if (!reg_fits(insn->src[i], regs)) {
            return false;
        }
    }
    return true;
}

static bool ext_fits(const wr_insn *insn, wr_isa_class cls)
{
    if (insn->ext == WR_EXT_NONE) {
        return insn->imm == 0 && insn->ext_slot == 0;
    }
    if (cls == WR_CLASS_MEM) {
        return insn->ext == WR_EXT_IMM && insn->ext_slot == 0;
    }
    return (cls == WR_CLASS_ARITH || cls == WR_CLASS_SETP || cls == WR_CLASS_WARP ||
            cls == WR_CLASS_BAR) &&
           insn->ext <= WR_EXT_PARAM && insn->ext_slot < wr_isa_source_count(insn) &&
           insn->src[insn->ext_slot] == WR_ISA_RZ;
}

static bool arith_fields_fit(const wr_insn *insn)
{
    bool integer_mode = insn->op == WR_OP_MUL || insn->op == WR_OP_MAD || insn->op == WR_OP_MADC;
    bool dot = insn->op == WR_OP_DP4A || insn->op == WR_OP_DP2A;

    if (insn->mode > WR_MUL_WIDE || (insn->mode != WR_MUL_LO && !integer_mode)) {
        return false;
    }
    if (insn->mode == WR_MUL_WIDE && wr_isa_type_regs((wr_type)insn->type) == 2) {
        return false;
    }
    if (insn->type2 != 0 && insn->op != WR_OP_CVT && !dot) {
        return false;
    }
    if (dot && insn->type2 != WR_U32 && insn->type2 != WR_S32) {
        return false;
    }
    if ((insn->variant & ~wr_isa_variants[insn->op]) != 0 ||
        (insn->op == WR_OP_PRMT && insn->variant > WR_PRMT_RC16)) {
        return false;
    }
    if (insn->type == WR_PRED) {
        return insn->dst == WR_ISA_RZ && insn->rnd == 0 && !insn->ftz && !insn->sat;
    }
    if (wr_isa_carries((wr_op)insn->op)) {
        if (insn->mode == WR_MUL_WIDE) {
            return false;
        }
    } else if (insn->op != WR_OP_SELP && (insn->ps != WR_ISA_PT || insn->ps_neg)) {
        return false;
    }
    return insn->rnd <= WR_RND_APPROX && insn->sreg < WR_SREG_COUNT &&
           (insn->op == WR_OP_S2R || insn->sreg == 0);
}

static bool setp_fields_fit(const wr_insn *insn)
{
    if (insn->op == WR_OP_SETP && (insn->type2 != 0 || insn->dst != WR_ISA_RZ)) {
        return false;
    }
    if (insn->op == WR_OP_SET && (insn->pd != WR_ISA_PT || insn->pd2 != WR_ISA_PT)) {
        return false;
    }
    return insn->cmp <= WR_CMP_NAN && (insn->boolop != WR_BOOL_NONE || insn->ps == WR_ISA_PT);
}

/* A result or an operand that the mode does not have is absent. */
static bool warp_fields_fit(const wr_insn *insn)
{
    static const uint8_t last_mode[WR_OP_COUNT] = {
        [WR_OP_BAR] = WR_BAR_OR,      [WR_OP_SHFL] = WR_SHFL_IDX,  [WR_OP_VOTE] = WR_VOTE_BALLOT,
        [WR_OP_MATCH] = WR_MATCH_ANY, [WR_OP_REDUX] = WR_ATOM_XOR,
    };
    bool logic = insn->op == WR_OP_REDUX && insn->mode >= WR_ATOM_AND;
    bool reg = false, pred = false, reads = false;

    if (insn->mode > last_mode[insn->op]) {
        return false;
    }
    switch (insn->op) {
    case WR_OP_BAR:
        reg = insn->mode == WR_BAR_POPC;
        pred = insn->mode == WR_BAR_AND || insn->mode == WR_BAR_OR;
        reads = reg || pred;
        if (insn->barrier != 0 &&
            (insn->src[0] != WR_ISA_RZ || (insn->ext != WR_EXT_NONE && insn->ext_slot == 0))) {
            return false;
        }
        break;
    case WR_OP_VOTE:
        reg = insn->mode == WR_VOTE_BALLOT;
        pred = !reg;
        reads = true;
        break;
    case WR_OP_WARPSYNC:
        break;
    default:
        reg = true;
        pred = insn->op == WR_OP_SHFL || (insn->op == WR_OP_MATCH && insn->mode == WR_MATCH_ALL);
        break;
    }
    if (insn->op == WR_OP_REDUX && logic != (insn->type == WR_B32)) {
        return false;
    }
    return (reg || insn->dst == WR_ISA_RZ) && (pred || insn->pd == WR_ISA_PT) &&
           (reads || (insn->ps == WR_ISA_PT && !insn->ps_neg));
}

static bool mem_fields_fit(const wr_insn *insn)
{
    bool atomic = insn->op == WR_OP_ATOM || insn->op == WR_OP_RED;

    if (insn->space > WR_SPACE_PARAM || insn->vec > 4) {
        return false;
    }
    if (atomic) {
        return insn->vec == 1 && insn->atom <= WR_ATOM_DEC &&
               (insn->op == WR_OP_ATOM || insn->atom != WR_ATOM_CAS);
    }
    return insn->atom == 0 && insn->vec * wr_isa_type_regs((wr_type)insn->type) <= 4;
}

static bool is_defined(const wr_insn *insn, bool wide)
{
    const wr_isa_row *row = &wr_isa_rows[insn->op];
    wr_isa_class cls = (wr_isa_class)row->cls;

    if (row->info.name == NULL || cls == WR_CLASS_EXT) {
        return false;
    }
    if (insn->type >= WR_TYPE_COUNT || insn->type2 >= WR_TYPE_COUNT ||
        (row->types >> insn->type & 1) == 0) {
        return false;
    }
    if (insn->guard_neg && insn->guard == WR_ISA_PT) {
        return false;
    }
    if (insn->op != WR_OP_PP && insn->live_div != 0) {
        return false;
    }
    if (!ext_fits(insn, cls)) {
        return false;
    }
    if (wide && (cls != WR_CLASS_MEM || insn->src[0] == WR_ISA_RZ)) {
        return false;
    }
    if (!registers_fit(insn, wide ? 2 : 1)) {
        return false;
    }
    switch (cls) {
    case WR_CLASS_ARITH:
        return arith_fields_fit(insn);
    case WR_CLASS_SETP:
        return setp_fields_fit(insn);
    case WR_CLASS_MEM:
        return mem_fields_fit(insn);
    case WR_CLASS_BAR:
    case WR_CLASS_WARP:
        return warp_fields_fit(insn);
    case WR_CLASS_TRAP:
        return insn->mode <= WR_TRAP_CALL;
    case WR_CLASS_BRANCH:
        return insn->target % 8 == 0 && (insn->reconv == UINT32_MAX || insn->reconv % 8 == 0);
    default:
        return true;
    }
}

static uint64_t opcode_word(wr_op op)
{
    return (uint64_t)op << WR_ISA_OPCODE_SHIFT;
}

static unsigned opcode_of(uint64_t word)
{
    return (unsigned)(word >> WR_ISA_OPCODE_SHIFT);
}

unsigned wr_isa_encode(const wr_insn *insn, uint64_t out[2])
{
    cursor c = {0};
    wr_insn copy = *insn;
    bool wide;

    if (insn->op >= WR_OP_COUNT) {
        return 0;
    }
    wide = wr_isa_rows[insn->op].cls == WR_CLASS_MEM && insn->src_regs[0] == 2;
    if (!is_defined(insn, wide)) {
        return 0;
    }
    code_word(&c, &copy, &wide);
    out[0] = opcode_word((wr_op)insn->op) | c.word;
    if (insn->op == WR_OP_PP) {
        if (c.overflow || (insn->live_div & ~WR_ISA_LIVE_MASK) != 0) {
            return 0;
        }
        out[1] = opcode_word(WR_OP_PP_DUMMY) | insn->live_div;
        return 2;
    }
    if (insn->ext == WR_EXT_NONE) {
        return c.overflow ? 0 : 1;
    }
    c.word = 0;
    code_ext(&c, &copy);
    out[1] = opcode_word(WR_OP_EXT) | c.word;
    return c.overflow ? 0 : 2;
}

static bool is_fp(wr_type type)
{
    return type == WR_F32 || type == WR_F16 || type == WR_BF16 || type == WR_F16X2 ||
           type == WR_BF16X2;
}

static wr_unit unit_of(const wr_insn *insn)
{
    wr_unit unit = (wr_unit)wr_isa_rows[insn->op].info.unit;
    bool set = insn->op == WR_OP_SET;
    bool cvt = insn->op == WR_OP_CVT;
    wr_type a = (wr_type)(set ? insn->type2 : insn->type);
    wr_type b = (wr_type)(cvt ? insn->type2 : (uint8_t)a);

    if (unit == WR_UNIT_NONE || unit == WR_UNIT_MEM) {
        return unit;
    }
    if (a == WR_F64 || b == WR_F64) {
        return WR_UNIT_DP;
    }
    if (unit == WR_UNIT_SFU) {
        return unit;
    }
    if (is_fp(a) || is_fp(b)) {
        return WR_UNIT_FP;
    }
    return unit;
}

static void derive(wr_insn *insn, bool wide)
{
    unsigned addr_regs = wide ? 2 : 1;

    insn->nsrc = (uint8_t)wr_isa_source_count(insn);
    insn->unit = (uint8_t)unit_of(insn);
    if (insn->dst != WR_ISA_RZ) {
        insn->dst_regs = (uint8_t)wr_isa_operand_regs(insn, -1, addr_regs);
    }
    for (unsigned i = 0; i < 3 && i < insn->nsrc; i++) {
        if (insn->src[i] != WR_ISA_RZ) {
            insn->src_regs[i] = (uint8_t)wr_isa_operand_regs(insn, (int)i, addr_regs);
        }
    }
}

unsigned wr_isa_decode(const uint64_t *words, size_t count, size_t index, wr_insn *out)
{
    wr_insn insn = {.dst = WR_ISA_RZ,
                    .src = {WR_ISA_RZ, WR_ISA_RZ, WR_ISA_RZ},
                    .guard = WR_ISA_PT,
                    .pd = WR_ISA_PT,
                    .pd2 = WR_ISA_PT,
                    .ps = WR_ISA_PT,
                    .ps2 = WR_ISA_PT};
    cursor c = {.decoding = true};
    bool wide = false;
    unsigned used = 1;
    uint64_t again[2];

    if (index >= count || opcode_of(words[index]) >= WR_OP_COUNT) {
        return 0;
    }
    insn.op = (uint16_t)opcode_of(words[index]);
    c.word = words[index];
    code_word(&c, &insn, &wide);
    if (index + 1 < count) {
        c.word = words[index + 1];
        if (insn.op == WR_OP_PP) {
            if (opcode_of(c.word) != WR_OP_PP_DUMMY) {
                return 0;
            }
            insn.live_div = c.word & WR_ISA_LIVE_MASK;
            used = 2;
        } else if (opcode_of(c.word) == WR_OP_EXT) {
            code_ext(&c, &insn);
            used = 2;
        }
    }
    if (!is_defined(&insn, wide)) {
        return 0;
    }
    derive(&insn, wide);
    if (wr_isa_encode(&insn, again) != used || memcmp(again, &words[index], used * 8) != 0) {
        return 0;
    }
    insn.size = (uint8_t)(8 * used);
    insn.pc = (uint32_t)(8 * index);
    *out = insn;
    return used;
}
