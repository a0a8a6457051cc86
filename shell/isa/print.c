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
    if (reg == WR_ISA_RZ)
        put(l, "RZ");
    else if (regs <= 1)
        put(l, "R%u", reg);
    else
        put(l, "R%u:%u", reg, reg + regs - 1);
}

static void put_pred(line *l, uint8_t pred, bool neg)
{
    put(l, neg ? "!" : "");
    if (pred == WR_ISA_PT)
        put(l, "PT");
    else
        put(l, "P%u", pred);
}

static void put_source(line *l, const wr_insn *insn, unsigned i)
{
    if (insn->ext != WR_EXT_NONE && insn->ext_slot == i)
        put(l, insn->ext == WR_EXT_PARAM ? "c[0x%" PRIx32 "]" : "0x%" PRIx32, insn->imm);
    else
        put_reg(l, insn->src[i], insn->src_regs[i]);
}

static void put_live(line *l, uint64_t live)
{
    const char *gap = "";

    put(l, "{");
    for (unsigned i = 0; i < WR_ISA_OPCODE_SHIFT; i++) {
        if ((live >> i & 1) == 0)
            continue;
        put(l, i == WR_ISA_OPCODE_SHIFT - 1 ? "%sR53+" : "%sR%u", gap, i);
        gap = " ";
    }
    put(l, "}");
}

static void put_mem(line *l, const wr_insn *insn)
{
    bool atomic = insn->op == WR_OP_ATOM || insn->op == WR_OP_RED;

    put(l, "%s%s", insn->is_volatile ? ".volatile" : "", wr_isa_space_names[insn->space]);
    if (atomic)
        put(l, ".%s", wr_isa_atom_names[insn->atom]);
    if (insn->vec > 1)
        put(l, ".v%u", insn->vec);
    put(l, ".%s ", wr_isa_type_names[insn->type]);
    if (wr_isa_rows[insn->op].info.has_dst) {
        put_reg(l, insn->dst, insn->dst_regs);
        put(l, ", ");
    }
    put(l, "[");
    put_reg(l, insn->src[0], insn->src_regs[0]);
    if (insn->ext == WR_EXT_IMM)
        put(l, "%+" PRId32, (int32_t)insn->imm);
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
    put(l, "%s%s%s%s.%s", wr_isa_mul_names[insn->mode], wr_isa_round_names[insn->rnd],
        insn->ftz ? ".ftz" : "", insn->sat ? ".sat" : "", wr_isa_type_names[insn->type]);
    if (insn->op == WR_OP_CVT)
        put(l, ".%s", wr_isa_type_names[insn->type2]);
    put(l, " ");
    put_reg(l, insn->dst, insn->dst_regs);
    if (insn->op == WR_OP_S2R)
        put(l, ", %%%s", wr_isa_sreg_names[insn->sreg]);
    for (unsigned i = 0; i < insn->nsrc; i++) {
        put(l, ", ");
        put_source(l, insn, i);
    }
    if (insn->op == WR_OP_SELP) {
        put(l, ", ");
        put_pred(l, insn->ps, insn->ps_neg);
    }
}

int wr_isa_print(const wr_insn *insn, char *buf, size_t size)
{
    line l = {buf, size, 0};
    const wr_isa_row *row = &wr_isa_rows[insn->op];

    if (size > 0)
        buf[0] = '\0';
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
        if (insn->reconv == UINT32_MAX)
            put(&l, ", join exit");
        else
            put(&l, ", join 0x%" PRIx32, insn->reconv);
        break;
    case WR_CLASS_BAR:
        put(&l, " %u", insn->barrier);
        break;
    case WR_CLASS_NONE:
    case WR_CLASS_EXT:
        break;
    }
    return l.used;
}
