/* SPDX-License-Identifier: Apache-2.0 */
/* Locality hints: how the thread blocks of a kernel share what they load (Gong 6.3.1, Table 6.1).
 *
 * A register carries what its value depends on, by all instructions that write it: parts of the
 * thread's number and of the block's, data that was loaded, the round of a loop (it has several
 * writers, one of them in a loop); and the bytes by which it differs between neighbours in x,
 * where that is a constant. A load from global memory with such an address says:
 *
 *   1 lines    two loads of loops that change from round to round, one of which depends on
 *              blockIdx.x and not on .y, the other on .y and not on .x: each is the same for all
 *              blocks of a column or a row
 *   2 borders  two loads through one register, apart by less than a warp's elements and a whole
 *              number of them: a thread loads what its neighbours do, so do blocks at their edges
 *   3 some     a load that does not depend on a coordinate that the kernel reads, or on none
 *   0 none     nothing of this
 *
 * The first that holds is the kernel's. An address that was loaded says nothing. It is a guess by
 * the form of the code: nothing that a kernel computes depends on it.
 */
#include "shell/compiler/passes.h"

#include <string.h>

#define MOST_PASSES 32 /* over the code, before all is given up as loaded */
#define WARP        32

enum {
    ON_TID_X = 1,
    ON_TID = 2, /* .y, .z, number of lane or warp */
    ON_CTA_X = 4,
    ON_CTA_Y = 8,
    ON_CTA_Z = 16,
    ON_ROUND = 32,
    ON_DATA = 64, /* or on what is not followed */
    ON_CTA = ON_CTA_X | ON_CTA_Y | ON_CTA_Z,
};

typedef struct trace {
    bool written;
    uint8_t on;
    bool uneven;    /* no constant: */
    int64_t stride; /* bytes, or elements of an index, between threads that are neighbours in x */
} trace;

typedef struct traces {
    trace *of;    /* by register */
    bool *rounds; /* by register: it changes from round to round */
    uint8_t axes; /* ON_CTA_*, of what is read at all */
    bool changed;
} traces;

static trace join(trace a, trace b)
{
    if (!a.written || !b.written) {
        return a.written ? a : b;
    }
    a.uneven = a.uneven || b.uneven || a.stride != b.stride;
    a.stride = a.uneven ? 0 : a.stride;
    a.on |= b.on;
    return a;
}

static trace source(const traces *t, const wr_ir_insn *insn, unsigned i)
{
    const wr_ir_operand *src = &insn->src[i];

    return src->kind == WR_IR_REG ? t->of[src->reg] : (trace){.written = true};
}

static bool is_even(const trace *a)
{
    return !a->uneven && a->stride == 0;
}

/* a + sign x b */
static trace sum(trace a, trace b, int sign)
{
    return (trace){.written = a.written && b.written,
                   .on = a.on | b.on,
                   .uneven = a.uneven || b.uneven,
                   .stride = a.uneven || b.uneven ? 0 : a.stride + sign * b.stride};
}

static trace scaled(trace a, int64_t by)
{
    a.uneven = a.uneven || by > INT32_MAX || by < INT32_MIN || a.stride > INT32_MAX ||
               a.stride < INT32_MIN;
    a.stride = a.uneven ? 0 : a.stride * by;
    return a;
}

static trace product(const traces *t, const wr_ir_insn *insn)
{
    trace a = source(t, insn, 0);
    trace b = source(t, insn, 1);

    for (unsigned i = 0; i < 2 && insn->m.mode != WR_MUL_HI; i++) {
        if (insn->src[i].kind == WR_IR_IMM) {
            return scaled(i == 0 ? b : a, (int64_t)insn->src[i].bits);
        }
    }
    trace both = sum(a, b, 1);
    both.uneven = !is_even(&a) || !is_even(&b);
    both.stride = 0;
    return both;
}

static trace of_sreg(traces *t, wr_sreg sreg)
{
    trace a = {.written = true};

    switch (sreg) {
    case WR_SREG_TID_X:
        a.on = ON_TID_X;
        a.stride = 1;
        break;
    case WR_SREG_CTAID_X:
        a.on = ON_CTA_X;
        break;
    case WR_SREG_CTAID_Y:
        a.on = ON_CTA_Y;
        break;
    case WR_SREG_CTAID_Z:
        a.on = ON_CTA_Z;
        break;
    case WR_SREG_TID_Y:
    case WR_SREG_TID_Z:
        a.on = ON_TID;
        break;
    case WR_SREG_LANEID:
    case WR_SREG_WARPID:
        a.on = ON_TID;
        a.uneven = true;
        break;
    case WR_SREG_SMID:
    case WR_SREG_CLOCK:
    case WR_SREG_GLOBALTIMER:
        a.on = ON_DATA;
        a.uneven = true;
        break;
    default: /* of the launch, or a mask of lanes, which is no part of an address */
        break;
    }
    t->axes |= a.on & ON_CTA;
    return a;
}

static trace result_of(traces *t, const wr_ir_insn *insn)
{
    trace a = {.written = true};

    switch ((wr_op)insn->m.op) {
    case WR_OP_S2R:
        return of_sreg(t, (wr_sreg)insn->m.sreg);
    case WR_OP_MOV:
    case WR_OP_CVT:
        return source(t, insn, 0);
    case WR_OP_ADD:
        return sum(source(t, insn, 0), source(t, insn, 1), 1);
    case WR_OP_SUB:
        return sum(source(t, insn, 0), source(t, insn, 1), -1);
    case WR_OP_NEG:
        return scaled(source(t, insn, 0), -1);
    case WR_OP_MUL:
        return product(t, insn);
    case WR_OP_MAD:
        return sum(product(t, insn), source(t, insn, 2), 1);
    case WR_OP_SHL:
        if (insn->src[1].kind == WR_IR_IMM && insn->src[1].bits < 31) {
            return scaled(source(t, insn, 0), INT64_C(1) << insn->src[1].bits);
        }
        break;
    case WR_OP_LD:
    case WR_OP_ATOM:
    case WR_OP_MALLOC:
        return (trace){.written = true, .on = ON_DATA, .uneven = true};
    default:
        break;
    }
    for (unsigned i = 0; i < wr_ir_src_count(insn); i++) {
        trace b = source(t, insn, i);
        a.written = a.written && b.written;
        a.on |= b.on;
        a.uneven = a.uneven || !is_even(&b);
    }
    return a;
}

static void propagate(traces *t, const wr_ir_insn *insn)
{
    if (insn->dst.kind != WR_IR_REG) {
        return;
    }
    trace before = t->of[insn->dst.reg];
    trace after = join(before, result_of(t, insn));

    after.on |= t->rounds[insn->dst.reg] ? ON_ROUND : 0;
    if (after.written != before.written || after.on != before.on || after.uneven != before.uneven ||
        after.stride != before.stride) {
        t->of[insn->dst.reg] = after;
        t->changed = true;
    }
}

/* Registers with several writers, one of which is in a loop. */
static void find_rounds(const wr_ir *ir, const wr_cfg *cfg, bool *rounds)
{
    uint8_t *writers = wr_pool_alloc(ir->pool, ir->reg_count, 1);

    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            const wr_ir_insn *insn = &ir->blocks[b].insns.at[i];
            if (insn->dst.kind == WR_IR_REG) {
                writers[insn->dst.reg] = writers[insn->dst.reg] == 0 ? 1 : 2;
                rounds[insn->dst.reg] |= cfg->loop_head[b] != WR_IR_NO_BLOCK;
            }
        }
    }
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        rounds[r] = rounds[r] && writers[r] == 2;
    }
}

static traces follow(const wr_ir *ir, const wr_cfg *cfg)
{
    traces t = {.of = wr_pool_alloc(ir->pool, ir->reg_count, sizeof *t.of),
                .rounds = wr_pool_alloc(ir->pool, ir->reg_count, sizeof *t.rounds),
                .changed = true};

    find_rounds(ir, cfg, t.rounds);
    for (unsigned pass = 0; t.changed && pass < MOST_PASSES; pass++) {
        t.changed = false;
        for (uint32_t k = 0; k < cfg->order_count; k++) {
            const wr_ir_list *list = &ir->blocks[cfg->order[k]].insns;
            for (uint32_t i = 0; i < list->count; i++) {
                propagate(&t, &list->at[i]);
            }
        }
    }
    for (uint32_t r = 0; t.changed && r < ir->reg_count; r++) {
        t.of[r].on |= ON_DATA;
    }
    return t;
}

/* A load of global memory whose address is followed. */
static bool is_followed(const traces *t, const wr_ir_insn *insn)
{
    return insn->m.op == WR_OP_LD && !insn->roots.is_private &&
           (insn->m.space == WR_SPACE_GLOBAL || insn->m.space == WR_SPACE_GENERIC) &&
           (source(t, insn, 0).on & ON_DATA) == 0;
}

static bool is_border(const trace *a, int64_t distance)
{
    int64_t stride = a->stride < 0 ? -a->stride : a->stride;
    distance = distance < 0 ? -distance : distance;
    return !a->uneven && stride != 0 && (a->on & ON_CTA) != 0 && distance != 0 &&
           distance % stride == 0 && distance / stride < WARP;
}

typedef struct loads {
    const wr_ir_insn **at;
    uint32_t count;
} loads;

static bool has_borders(const traces *t, const loads *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const wr_ir_operand *a = &all->at[i]->src[0];
            const wr_ir_operand *b = &all->at[k]->src[0];
            if (a->kind == WR_IR_REG && b->kind == WR_IR_REG && a->reg == b->reg &&
                a->word == b->word &&
                is_border(&t->of[a->reg], all->at[i]->offset - all->at[k]->offset)) {
                return true;
            }
        }
    }
    return false;
}

uint8_t wr_pass_locality(const wr_ir *ir, const wr_cfg *cfg)
{
    traces t = follow(ir, cfg);
    loads all = {0};
    uint32_t room = 0;
    bool rows = false;
    bool columns = false;
    bool common = false;

    for (uint32_t k = 0; k < cfg->order_count; k++) {
        room += ir->blocks[cfg->order[k]].insns.count;
    }
    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    all.at = wr_pool_alloc(ir->pool, room + 1, sizeof *all.at);
    for (uint32_t k = 0; k < cfg->order_count; k++) {
        const uint32_t b = cfg->order[k];
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            const wr_ir_insn *insn = &ir->blocks[b].insns.at[i];
            if (!is_followed(&t, insn)) {
                continue;
            }
            const uint8_t on = source(&t, insn, 0).on;
            const bool turns = cfg->loop_head[b] != WR_IR_NO_BLOCK && (on & ON_ROUND) != 0;
            all.at[all.count++] = insn;
            rows |= turns && (on & (ON_CTA_X | ON_CTA_Y)) == ON_CTA_Y;
            columns |= turns && (on & (ON_CTA_X | ON_CTA_Y)) == ON_CTA_X;
            common |= (on & ON_CTA) == 0 || (on & t.axes) != t.axes;
        }
    }
    return rows && columns         ? WR_TB_SHARES_LINES
           : has_borders(&t, &all) ? WR_TB_SHARES_BORDERS
           : common                ? WR_TB_SHARES_SOME
                                   : WR_TB_SHARES_NONE;
}
