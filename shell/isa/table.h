/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the instruction set that encode, decode and print share.
 *
 * An operation belongs to a class; the class says which fields its word has besides guard,
 * and a row of operands says which registers it reads and writes and how wide they are.
 */
#ifndef WR_SHELL_ISA_TABLE_H
#define WR_SHELL_ISA_TABLE_H

#include "shell/isa/isa.h"

typedef enum wr_isa_class {
    WR_CLASS_NONE,   /* guard only */
    WR_CLASS_LIVE,   /* 54-bit vector, no guard */
    WR_CLASS_ARITH,  /* dst, a, b, c, type, rnd, ftz, sat, mode, type2; ps or variant or sreg */
    WR_CLASS_SETP,   /* a, b, type, cmp, bool, ftz, pd, pd2, ps */
    WR_CLASS_MEM,    /* dst, a, b, c, type, space, vec, atom, volatile, wide */
    WR_CLASS_BRANCH, /* target, reconv */
    WR_CLASS_BAR,    /* dst, a, b, mode, pd, ps, barrier number */
    WR_CLASS_WARP,   /* dst, a, b, c, type, mode, pd, ps */
    WR_CLASS_TRAP,   /* mode */
    WR_CLASS_EXT,    /* second words only */
} wr_isa_class;

/* Width of an operand, in terms of the instruction's types. */
typedef enum wr_isa_width {
    WR_W_NONE,
    WR_W_TYPE,  /* width of type */
    WR_W_TYPE2, /* width of type2 */
    WR_W_WIDE,  /* twice type where mode is wide, else type */
    WR_W_WORD,  /* 32 bits */
    WR_W_ADDR,  /* one register, or two where the word's wide bit is set */
    WR_W_VEC,   /* vec times type */
} wr_isa_width;

typedef struct wr_isa_row {
    wr_op_info info;
    uint8_t cls;
    uint8_t dst;    /* wr_isa_width */
    uint8_t src[3]; /* wr_isa_width */
    uint32_t types; /* bit per wr_type that the operation takes */
} wr_isa_row;

extern const wr_isa_row wr_isa_rows[WR_OP_COUNT];

/* Bits that `variant` may have in an operation. */
extern const uint8_t wr_isa_variants[WR_OP_COUNT];

/* Takes a carry from ps and gives one to pd. */
bool wr_isa_carries(wr_op op);

extern const char *const wr_isa_type_names[WR_TYPE_COUNT];
extern const char *const wr_isa_space_names[6];
extern const char *const wr_isa_cmp_names[18];
extern const char *const wr_isa_bool_names[4];
extern const char *const wr_isa_round_names[10];
extern const char *const wr_isa_mul_names[3];
extern const char *const wr_isa_atom_names[10];
extern const char *const wr_isa_sreg_names[WR_SREG_COUNT];

/* Registers that a value of the type takes. */
unsigned wr_isa_type_regs(wr_type type);

/* Registers of source i (0..2), or of the destination for i < 0, by the row's widths, whether
 * or not the operand is RZ or replaced. An address counts as `addr_regs`. */
unsigned wr_isa_operand_regs(const wr_insn *insn, int i, unsigned addr_regs);

/* Sources in use: the row's number, with BAR, atomics and prefixes accounted for. */
unsigned wr_isa_source_count(const wr_insn *insn);

#endif
