/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of addresses: which pointers of the parameter block an access goes through.
 *
 * A register carries what may have gone into it, by all instructions that write it: up to WR_ROOTS
 * words of the parameter block, the address of shared or local memory, or something unknown, such
 * as a word that was loaded. Whatever is computed keeps that, except for what is a number for
 * certain: a product, a value shifted left by a few bits, a comparison, anything of floats. So an
 * index that is scaled by the size of an element leaves no trace, an index of bytes does, and it
 * is the launch that knows which of an address's roots point into a buffer.
 *
 * What a shift to the right, a division or logic has made stays what it is (`bent`) also where it
 * is shifted to the left: (p >> 4) << 4 is a pointer. Unless it has few bits: what else makes it
 * a pointer carries the root, too.
 *
 * An address without a root is unknown, for it may be any. That is always a safe answer.
 */
#include <assert.h>
#include <string.h>

#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

#define MOST_PASSES 32 /* over the code, before all is given up as unknown */
#define FEW_BITS    16 /* no address has so few; */
#define FEW_SHIFTS  7  /* nor if they are shifted so far */

typedef struct origin {
    uint16_t at[WR_ROOTS]; /* ascending */
    uint8_t count;
    bool unknown; /* then no word is named */
    bool is_private;
    bool bent;
} origin;

typedef struct origins {
    origin *of; /* by register */
    bool changed;
} origins;

static const origin number = {0};

static origin unknown(void)
{
    return (origin){.unknown = true};
}

static void add_word(origin *to, uint32_t at)
{
    unsigned i = 0;

    while (i < to->count && to->at[i] < at) {
        i++;
    }
    if (to->unknown || (i < to->count && to->at[i] == at)) {
        return;
    }
    if (to->count == WR_ROOTS || at > UINT16_MAX || at % 4 != 0) {
        *to = (origin){.unknown = true, .is_private = to->is_private, .bent = to->bent};
        return;
    }
    memmove(&to->at[i + 1], &to->at[i], (to->count - i) * sizeof to->at[0]);
    to->at[i] = (uint16_t)at;
    to->count++;
}

static origin join(origin a, origin b)
{
    a.is_private = a.is_private || b.is_private;
    a.bent = a.bent || b.bent;
    if (b.unknown) {
        a.unknown = true;
        a.count = 0;
        memset(a.at, 0, sizeof a.at);
    }
    for (unsigned i = 0; i < b.count; i++) {
        add_word(&a, b.at[i]);
    }
    return a;
}

static origin source(const origins *o, const wr_ir_insn *insn, unsigned i)
{
    const wr_ir_operand *src = &insn->src[i];
    origin result = number;

    if (src->kind == WR_IR_REG) {
        return o->of[src->reg];
    }
    if (src->kind == WR_IR_PARAM) {
        if (src->bits > UINT16_MAX) {
            return unknown();
        }
        add_word(&result, (uint32_t)src->bits);
    }
    return result;
}

static origin sources(const origins *o, const wr_ir_insn *insn)
{
    origin result = number;

    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        result = join(result, source(o, insn, i));
    }
    return result;
}

static bool is_number(const origin *a)
{
    return a->count == 0 && !a->unknown && !a->is_private;
}

static origin bend(origin a)
{
    a.bent = !is_number(&a);
    return a;
}

static bool is_float(uint8_t type)
{
    return type == WR_F16 || type == WR_F32 || type == WR_F64 || type == WR_BF16 ||
           type == WR_F16X2 || type == WR_BF16X2;
}

static bool few_bits(const wr_ir_operand *mask)
{
    return mask->kind == WR_IR_IMM && mask->bits >> FEW_BITS == 0;
}

/* Masks, remainders and bit fields: what is left of a value, few bits or more. */
static origin cut(origin a, bool is_small)
{
    a.bent = !is_small && !is_number(&a);
    return a;
}

static origin shifted_left(const origins *o, const wr_ir_insn *insn)
{
    origin a = source(o, insn, 0);
    bool scales = insn->src[1].kind == WR_IR_IMM && insn->src[1].bits >= 1 &&
                  insn->src[1].bits <= FEW_SHIFTS && !a.bent;

    return scales ? number : bend(a);
}

/* The factors of a product: with a power of two it is a shift. */
static origin product(const origins *o, const wr_ir_insn *insn)
{
    if (insn->m.mode == WR_MUL_HI) {
        return bend(join(source(o, insn, 0), source(o, insn, 1)));
    }
    for (unsigned i = 0; i < 2; i++) {
        const wr_ir_operand *factor = &insn->src[i];
        origin other = source(o, insn, 1 - i);

        if (factor->kind == WR_IR_IMM && (factor->bits & (factor->bits - 1)) == 0 &&
            (other.bent || factor->bits < 2 || factor->bits >> (FEW_SHIFTS + 1) != 0)) {
            return bend(other);
        }
    }
    return number;
}

static origin result_of(const origins *o, const wr_ir_insn *insn)
{
    if (insn->to_generic != 0) {
        return (origin){.is_private = true};
    }
    switch ((wr_op)insn->m.op) {
    case WR_OP_MOV:
    case WR_OP_SELP:
        return sources(o, insn);
    case WR_OP_SHFL:
        return source(o, insn, 0);
    case WR_OP_LD:
    case WR_OP_ATOM:
    case WR_OP_MALLOC:
        return unknown();
    case WR_OP_S2R:
    case WR_OP_SET:
    case WR_OP_CNOT:
    case WR_OP_POPC:
    case WR_OP_CLZ:
    case WR_OP_BFIND:
    case WR_OP_FNS:
    case WR_OP_BMSK:
    case WR_OP_VOTE:
    case WR_OP_MATCH:
    case WR_OP_BAR:
    case WR_OP_PRINTF:
        return number;
    default:
        break;
    }
    if (is_float(insn->m.type) || (insn->m.op == WR_OP_CVT && is_float(insn->m.type2))) {
        return number;
    }
    switch ((wr_op)insn->m.op) {
    case WR_OP_CVT:
    case WR_OP_ADD:
    case WR_OP_SUB:
    case WR_OP_ADDC:
    case WR_OP_SUBC:
    case WR_OP_MIN:
    case WR_OP_MAX:
    case WR_OP_OR:
        return sources(o, insn);
    case WR_OP_MUL:
    case WR_OP_MAD:
    case WR_OP_MADC:
        return join(product(o, insn), insn->m.op != WR_OP_MUL ? source(o, insn, 2) : number);
    case WR_OP_SHL:
        return shifted_left(o, insn);
    case WR_OP_AND:
        return cut(sources(o, insn), few_bits(&insn->src[0]) || few_bits(&insn->src[1]));
    case WR_OP_REM:
        return cut(source(o, insn, 0), few_bits(&insn->src[1]));
    case WR_OP_DIV:
        return bend(source(o, insn, 0));
    case WR_OP_BFE:
        return cut(source(o, insn, 0),
                   insn->src[2].kind == WR_IR_IMM && insn->src[2].bits <= FEW_BITS);
    default:
        return bend(sources(o, insn));
    }
}

static void propagate(origins *o, const wr_ir_insn *insn)
{
    origin before, after;

    if (insn->dst.kind != WR_IR_REG) {
        return;
    }
    before = o->of[insn->dst.reg];
    after = join(before, result_of(o, insn));
    if (memcmp(&after, &before, sizeof after) != 0) {
        o->of[insn->dst.reg] = after;
        o->changed = true;
    }
}

static void settle(const origins *o, wr_ir_insn *insn)
{
    origin a;

    insn->roots = (wr_roots){0};
    if (!wr_ir_is_mem(insn) || o->changed) {
        return;
    }
    a = source(o, insn, 0);
    memcpy(insn->roots.at, a.at, sizeof a.at);
    insn->roots.count = a.count;
    insn->roots.is_private = a.is_private && a.count == 0 && !a.unknown;
}

void wr_pass_roots(wr_ir *ir)
{
    origins o = {wr_pool_alloc(ir->pool, ir->reg_count, sizeof *o.of), true};

    for (unsigned pass = 0; o.changed && pass < MOST_PASSES; pass++) {
        o.changed = false;
        for (uint32_t b = 0; b < ir->block_count; b++) {
            for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
                propagate(&o, &ir->blocks[b].insns.at[i]);
            }
        }
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            settle(&o, &ir->blocks[b].insns.at[i]);
        }
    }
}
