/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion: places of local memory that are only ever loaded and stored by themselves become
 * registers. Arguments and results of inlined functions are such places.
 *
 * A place is a range of bytes at a fixed address. Places that overlap are promoted together, an
 * element a register, where all accesses are plain loads and stores, vectors or not, of elements of
 * one size that lie on one grid, and no address of a variable there became a value (`escapes`):
 * then no other access can be meant for them. What is loaded before it is stored is undefined in
 * either.
 */
#include <stdlib.h>

#include "shell/compiler/passes.h"
#include "shell/isa/table.h"

typedef struct place {
    uint64_t start, end;
    wr_ir_insn *insn; /* NULL: an address escaped */
    uint32_t order;   /* of the text, so that sorting has one result */
} place;

static unsigned bytes_of(const wr_ir_insn *insn)
{
    switch ((wr_type)insn->m.type) {
    case WR_U8:
    case WR_S8:
    case WR_B8:
        return 1;
    case WR_U16:
    case WR_S16:
    case WR_B16:
    case WR_F16:
    case WR_BF16:
        return 2;
    default:
        return 4 * wr_isa_type_regs((wr_type)insn->m.type);
    }
}

static bool is_local(const wr_ir_insn *insn)
{
    return wr_ir_is_mem(insn) && insn->m.space == WR_SPACE_LOCAL;
}

static int by_start(const void *a, const void *b)
{
    const place *p = a, *q = b;

    if (p->start != q->start) {
        return p->start < q->start ? -1 : 1;
    }
    return p->order < q->order ? -1 : p->order > q->order;
}

static bool is_simple(const place *p)
{
    return p->insn != NULL && (p->insn->m.op == WR_OP_LD || p->insn->m.op == WR_OP_ST) &&
           !p->insn->m.is_volatile;
}

static wr_type whole_type(wr_type type)
{
    return type == WR_S8 || type == WR_S16 ? type : type == WR_U8 || type == WR_B8 ? WR_U8 : WR_U16;
}

/* What stands for element i of an access. Words and pairs are moved; what is narrower is stored as
 * it is and cut when it is loaded. */
static wr_ir_insn move_of(const wr_ir_insn *insn, unsigned i, uint32_t reg)
{
    bool load = insn->m.op == WR_OP_LD;
    unsigned bytes = bytes_of(insn);
    wr_type type = (wr_type)insn->m.type;
    wr_ir_insn move = wr_ir_insn_new(WR_OP_MOV, bytes == 8 ? WR_B64 : WR_B32);
    wr_ir_operand value = load ? insn->dst : insn->src[1];

    if (load && bytes < 4) {
        move.m.op = WR_OP_CVT;
        move.m.type2 = (uint8_t)whole_type(type);
        move.m.type = type == WR_S8 || type == WR_S16 ? WR_S32 : WR_U32;
    }
    value.word = (uint8_t)(value.word + i * (bytes == 8 ? 2 : 1));
    move.dst = load ? value : wr_ir_reg_operand(reg, 0);
    move.src[0] = load ? wr_ir_reg_operand(reg, 0) : value;
    move.guard = insn->guard;
    move.m.guard_neg = insn->m.guard_neg;
    move.line = insn->line;
    move.column = insn->column;
    move.ptx = insn->ptx;
    return move;
}

/* Puts the moves in the place of accesses, which have their first register in `target`. */
static void replace(wr_ir *ir, wr_ir_block *block)
{
    wr_ir_list list = {0};
    bool any = false;

    for (uint32_t i = 0; i < block->insns.count; i++) {
        any = any || block->insns.at[i].dead;
    }
    for (uint32_t i = 0; any && i < block->insns.count; i++) {
        const wr_ir_insn *insn = &block->insns.at[i];

        for (unsigned k = 0; insn->dead && k < insn->m.vec; k++) {
            wr_ir_insn move = move_of(insn, k, insn->target + k);

            wr_ir_append(ir, &list, &move);
        }
        if (!insn->dead) {
            wr_ir_append(ir, &list, insn);
        }
    }
    if (any) {
        block->insns = list;
    }
}

/* The places that overlap the first one, and each other: how many, where they end, and whether
 * they can be promoted. */
static uint32_t count_together(const place *at, uint32_t count, uint64_t *end, bool *fit)
{
    uint32_t n = 0;

    *end = at->end;
    *fit = at->insn != NULL;
    while (n < count && at[n].start < *end) {
        *fit = *fit && is_simple(&at[n]) && bytes_of(at[n].insn) == bytes_of(at->insn) &&
               (at[n].start - at->start) % bytes_of(at->insn) == 0;
        *end = at[n].end > *end ? at[n].end : *end;
        n++;
    }
    return n;
}

/* A register for each element, from the one that is returned on. */
static uint32_t new_elements(wr_ir *ir, uint64_t start, uint64_t end, unsigned bytes)
{
    uint32_t first = ir->reg_count;

    for (uint64_t at = start; at < end; at += bytes) {
        (void)wr_ir_new_reg(ir, bytes == 8 ? 2 : 1);
    }
    return first;
}

static void add_place(wr_ir *ir, place **places, uint32_t *count, uint32_t *cap, place p)
{
    *places = wr_pool_grow(ir->pool, *places, *count, cap, sizeof **places);
    p.order = *count;
    (*places)[(*count)++] = p;
}

bool wr_pass_promote(wr_ir *ir)
{
    place *places = NULL;
    uint32_t count = 0, cap = 0, left = ir->escape_count;
    bool changed = false;

    for (uint32_t i = 0; i < ir->escape_count; i++) {
        add_place(ir, &places, &count, &cap,
                  (place){.start = ir->escapes[i].start, .end = ir->escapes[i].end});
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (uint32_t i = 0; i < ir->blocks[b].insns.count; i++) {
            wr_ir_insn *insn = &ir->blocks[b].insns.at[i];

            if (is_local(insn) && insn->src[0].kind == WR_IR_NONE) {
                add_place(
                    ir, &places, &count, &cap,
                    (place){.start = (uint64_t)insn->offset,
                            .end = (uint64_t)insn->offset + (uint64_t)bytes_of(insn) * insn->m.vec,
                            .insn = insn});
            } else if (is_local(insn)) {
                left++;
            }
        }
    }
    if (count > 0) {
        qsort(places, count, sizeof *places, by_start);
    }
    for (uint32_t at = 0, n; at < count; at += n) {
        uint64_t end;
        bool fit;

        n = count_together(&places[at], count - at, &end, &fit);
        if (fit) {
            unsigned bytes = bytes_of(places[at].insn);
            uint32_t first = new_elements(ir, places[at].start, end, bytes);

            for (uint32_t i = at; i < at + n; i++) {
                places[i].insn->dead = true;
                places[i].insn->target =
                    first + (uint32_t)((places[i].start - places[at].start) / bytes);
            }
            changed = true;
        } else {
            left++;
        }
    }
    for (uint32_t b = 0; changed && b < ir->block_count; b++) {
        replace(ir, &ir->blocks[b]);
    }
    if (left == 0) {
        ir->local_bytes = 0;
    }
    return changed;
}
