/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly: one instruction, one line, in the manner of PTX but with machine registers. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "shell/isa/isa.h"
#include "shell/isa/table.h"

typedef struct line {
    char *buf;
    size_t size;
    int used; /* as snprintf counts: what a large enough buffer would hold */
} line;

static void put(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(line *l, const char *format, ...)
{
    size_t at = (size_t)l->used;
    size_t room = at < l->size ? l->size - at : 0;
    va_list args;

    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    l->used += vsnprintf(room == 0 ? NULL : l->buf + at, room, format, args);
    va_end(args);
}

static void put_reg(line *l, uint8_t reg, unsigned regs)
{
    if (reg == WR_ISA_RZ) {
        put(l, "RZ");
    } else if (regs <= 1) {
        put(l, "R%u", reg);
    } else {
        put(l, "R%u:%u", reg, reg + regs - 1);
    }
}

static void put_pred(line *l, uint8_t pred, bool neg)
{
    put(l, neg ? "!" : "");
    if (pred == WR_ISA_PT) {
        put(l, "PT");
    } else {
        put(l, "P%u", pred);
    }
}

static void put_source(line *l, const wr_insn *insn, unsigned i)
{
    if (insn->ext != WR_EXT_NONE && insn->ext_slot == i) {
        put(l, insn->ext == WR_EXT_PARAM ? "c[0x%" PRIx32 "]" : "0x%" PRIx32, insn->imm);
    } else {
        put_reg(l, insn->src[i], insn->src_regs[i]);
    }
}

static void put_live(line *l, uint64_t live)
{
    const char *gap = "";

    put(l, "{");
    for (unsigned i = 0; i < WR_ISA_OPCODE_SHIFT; i++) {
        if ((live >> i & 1) == 0) {
            continue;
        }
        put(l, i == WR_ISA_OPCODE_SHIFT - 1 ? "%sR53+" : "%sR%u", gap, i);
        gap = " ";
    }
    put(l, "}");
}

static void put_mem(line *l, const wr_insn *insn)
{
    bool atomic = insn->op == WR_OP_ATOM || insn->op == WR_OP_RED;

    put(l, "%s%s", insn->is_volatile ? ".volatile" : "", wr_isa_space_names[insn->space]);
    if (atomic) {
        put(l, ".%s", wr_isa_atom_names[insn->atom]);
    }
    if (insn->vec > 1) {
        put(l, ".v%u", insn->vec);
    }
    put(l, ".%s ", wr_isa_type_names[insn->type]);
    if (wr_isa_rows[insn->op].info.has_dst) {
        put_reg(l, insn->dst, insn->dst_regs);
        put(l, ", ");
    }
    put(l, "[");
    put_reg(l, insn->src[0], insn->src_regs[0]);
    if (insn->ext == WR_EXT_IMM) {
        put(l, "%+" PRId32, (int32_t)insn->imm);
    }
    put(l, "]");
    for (unsigned i = 1; i < insn->nsrc; i++) {
        put(l, ", ");
        put_reg(l, insn->src[i], insn->src_regs[i]);
    }
}

static void put_setp(line *l, const wr_insn *insn)
{
    put(l, ".%s%s%s.%s ", wr_isa_cmp_names[insn->cmp], wr_isa_bool_names[insn->boolop],
        insn->ftz ? ".ftz" : "", wr_isa_type_names[insn->type]);
    if (insn->op == WR_OP_SET) {
        put(l, "(%s) ", wr_isa_type_names[insn->type2]);
        put_reg(l, insn->dst, insn->dst_regs);
    } else {
        put_pred(l, insn->pd, false);
        if (insn->pd2 != WR_ISA_PT) {
            put(l, "|");
            put_pred(l, insn->pd2, false);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        put(l, ", ");
        put_source(l, insn, i);
    }
    if (insn->boolop != WR_BOOL_NONE) {
        put(l, ", ");
        put_pred(l, insn->ps, insn->ps_neg);
    }
}

static void put_variant(line *l, const wr_insn *insn)
{
    static const char *const prmt[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
    static const char *const shf[] = {".l.clamp", ".r.clamp", ".l.wrap", ".r.wrap"};

    switch ((wr_op)insn->op) {
    case WR_OP_LOP3:
        put(l, ".0x%x", insn->variant);
        break;
    case WR_OP_PRMT:
        put(l, "%s", prmt[insn->variant]);
        break;
    case WR_OP_SHF:
        put(l, "%s", shf[insn->variant]);
        break;
    case WR_OP_BFIND:
        put(l, "%s", insn->variant != 0 ? ".shiftamt" : "");
        break;
    case WR_OP_DP2A:
        put(l, "%s", insn->variant != 0 ? ".hi" : ".lo");
        break;
    case WR_OP_BMSK:
    case WR_OP_SZEXT:
        put(l, "%s", insn->variant != 0 ? ".wrap" : ".clamp");
        break;
    default:
        put(l, "%s%s%s", (insn->variant & WR_VAR_NAN) != 0 ? ".NaN" : "",
            (insn->variant & WR_VAR_XORSIGN) != 0 ? ".xorsign.abs" : "",
            (insn->variant & WR_VAR_RELU) != 0 ? ".relu" : "");
        break;
    }
}

static void put_arith(line *l, const wr_insn *insn)
{
    if (insn->type == WR_PRED) {
        put(l, ".pred ");
        put_pred(l, insn->pd, false);
        put(l, ", ");
        put_pred(l, insn->ps, insn->ps_neg);
        put(l, ", ");
        put_pred(l, insn->ps2, insn->ps2_neg);
        return;
    }
    put_variant(l, insn);
    put(l, "%s%s%s%s.%s", wr_isa_mul_names[insn->mode], wr_isa_round_names[insn->rnd],
        insn->ftz ? ".ftz" : "", insn->sat ? ".sat" : "", wr_isa_type_names[insn->type]);
    if (insn->op == WR_OP_CVT || insn->op == WR_OP_DP4A || insn->op == WR_OP_DP2A) {
        put(l, ".%s", wr_isa_type_names[insn->type2]);
    }
    put(l, " ");
    put_reg(l, insn->dst, insn->dst_regs);
    if (insn->pd != WR_ISA_PT) {
        put(l, "|");
        put_pred(l, insn->pd, false);
    }
    if (insn->op == WR_OP_S2R) {
        put(l, ", %%%s", wr_isa_sreg_names[insn->sreg]);
    }
    for (unsigned i = 0; i < insn->nsrc; i++) {
        put(l, ", ");
        put_source(l, insn, i);
    }
    if (insn->op == WR_OP_SELP || wr_isa_carries((wr_op)insn->op)) {
        put(l, ", ");
        put_pred(l, insn->ps, insn->ps_neg);
    }
}

static const char *mode_name(const wr_insn *insn)
{
    static const char *const bar[] = {"", ".arrive", ".popc", ".and", ".or"};
    static const char *const shfl[] = {".up", ".down", ".bfly", ".idx"};
    static const char *const vote[] = {".all", ".any", ".uni", ".ballot"};
    static const char *const match[] = {".all", ".any"};
    static const char *const redux[] = {".add", ".min", ".max", ".and", ".or", ".xor"};

    switch (insn->op) {
    case WR_OP_BAR:
        return bar[insn->mode];
    case WR_OP_SHFL:
        return shfl[insn->mode];
    case WR_OP_VOTE:
        return vote[insn->mode];
    case WR_OP_MATCH:
        return match[insn->mode];
    case WR_OP_REDUX:
        return redux[insn->mode];
    default:
        return "";
    }
}

/* Results, sources, the predicate that is read; what is absent is left out. */
static void put_warp(line *l, const wr_insn *insn)
{
    const char *gap = " ";
    bool bar = insn->op == WR_OP_BAR;
    bool reads = insn->op == WR_OP_VOTE || (bar && insn->mode >= WR_BAR_POPC);

    put(l, "%s", mode_name(insn));
    if (!bar) {
        put(l, ".%s", wr_isa_type_names[insn->type]);
    }
    if (insn->dst != WR_ISA_RZ) {
        put(l, "%s", gap);
        put_reg(l, insn->dst, insn->dst_regs);
        gap = ", ";
    }
    if (insn->pd != WR_ISA_PT) {
        put(l, "%s", gap);
        put_pred(l, insn->pd, false);
        gap = ", ";
    }
    for (unsigned i = 0; i < insn->nsrc; i++) {
        bool ext = insn->ext != WR_EXT_NONE && insn->ext_slot == i;

        put(l, "%s", gap);
        if (bar && i == 0 && insn->src[0] == WR_ISA_RZ && !ext) {
            put(l, "%u", insn->barrier);
        } else {
            put_source(l, insn, i);
        }
        gap = ", ";
    }
    if (reads) {
        put(l, "%s", gap);
        put_pred(l, insn->ps, insn->ps_neg);
    }
}

int wr_isa_print(const wr_insn *insn, char *buf, size_t size)
{
    line l = {buf, size, 0};
    const wr_isa_row *row = &wr_isa_rows[insn->op];

    if (size > 0) {
        buf[0] = '\0';
    }
    if (insn->guard != WR_ISA_PT) {
        put(&l, "@");
        put_pred(&l, insn->guard, insn->guard_neg);
        put(&l, " ");
    }
    put(&l, "%s", row->info.name);
    switch ((wr_isa_class)row->cls) {
    case WR_CLASS_LIVE:
        put(&l, " ");
        put_live(&l, insn->live);
        if (insn->op == WR_OP_PP) {
            put(&l, " diverged ");
            put_live(&l, insn->live_div);
        }
        break;
    case WR_CLASS_ARITH:
        put_arith(&l, insn);
        break;
    case WR_CLASS_SETP:
        put_setp(&l, insn);
        break;
    case WR_CLASS_MEM:
        put_mem(&l, insn);
        break;
    case WR_CLASS_BRANCH:
        put(&l, "%s 0x%" PRIx32, insn->uniform ? ".uni" : "", insn->target);
        if (insn->reconv == UINT32_MAX) {
            put(&l, ", join exit");
        } else {
            put(&l, ", join 0x%" PRIx32, insn->reconv);
        }
        break;
    case WR_CLASS_BAR:
    case WR_CLASS_WARP:
        put_warp(&l, insn);
        break;
    case WR_CLASS_TRAP:
        put(&l, "%s",
            insn->mode == WR_TRAP_STACK  ? ".stack"
            : insn->mode == WR_TRAP_CALL ? ".call"
                                         : "");
        break;
    case WR_CLASS_NONE:
    case WR_CLASS_EXT:
        break;
    }
    return l.used;
}
