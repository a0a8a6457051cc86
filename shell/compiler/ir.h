/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate form: machine instructions over virtual registers, in blocks.
 *
 * An instruction is a wr_insn (`m`) for what it does, and operands of its own for what it does
 * it to. Virtual registers have 1, 2 or 4 words of 32 bits; an operand names a register and
 * the first word that it takes, and how many follow from the operation (wr_ir_dst_words,
 * wr_ir_src_words). So a half of a pair, or an element of a vector, is an operand like any
 * other, and packing and unpacking are plain moves that the allocator makes disappear.
 * Virtual predicates are numbered apart.
 *
 * Analyses see words and predicates as one set of *cells*: cell `word0(reg) + word` for words,
 * then one cell a predicate (wr_ir_cells).
 *
 * Blocks are in the order of the text and fall through to the next one; a block's first
 * successor is the fall-through where it has one. A guarded EXIT does not end a block: the
 * lanes that take it just vanish, and those that stay go on together.
 */
#ifndef WR_SHELL_COMPILER_IR_H
#define WR_SHELL_COMPILER_IR_H

#include "shell/compiler/pool.h"
#include "shell/isa/kernel.h"

#define WR_IR_NO_REG   UINT32_MAX /* also: no predicate */
#define WR_IR_NO_BLOCK UINT32_MAX
#define WR_IR_MAX_REFS 24

typedef enum wr_ir_kind {
    WR_IR_NONE,
    WR_IR_REG,   /* words of `reg` from `word` on */
    WR_IR_IMM,   /* `bits`: integers as 64-bit two's complement, floats as their bit pattern */
    WR_IR_PARAM, /* the constant-bank value at byte `bits` of the parameter block */
} wr_ir_kind;

typedef struct wr_ir_operand {
    uint8_t kind; /* wr_ir_kind */
    uint8_t word;
    uint32_t reg;
    uint64_t bits;
} wr_ir_operand;

typedef struct wr_ir_insn {
    wr_insn m; /* op, types, modifiers, and src_regs[0] = 2 for a 64-bit address; registers and
                  predicates are filled in by the allocator */
    wr_ir_operand dst, src[3];
    int64_t offset;                   /* memory: bytes added to the address */
    uint32_t guard, pd, pd2, ps, ps2; /* virtual predicates; NO_REG = PT */
    uint32_t target;                  /* BRA: block */
    uint32_t line, column;            /* in the PTX text; 0 = made here */
    uint32_t ptx;                     /* index of the PTX instruction that it comes from */
    uint8_t to_generic;               /* a cvta: the space whose address became generic, else 0 */
    wr_roots roots;                   /* memory: of the address, from wr_pass_roots on */
    bool dead;
} wr_ir_insn;

typedef struct wr_ir_list {
    wr_ir_insn *at;
    uint32_t count, cap;
} wr_ir_list;

typedef struct wr_ir_block {
    wr_ir_list insns;
    uint32_t succ[2], succ_count;
    uint32_t *preds, pred_count;
    uint32_t late; /* 1 + the block where lanes that part here meet, NO_BLOCK: the exit; 0: as the
                    * graph says (locks.c) */
    bool reachable;
} wr_ir_block;

typedef struct wr_ir_reg {
    uint32_t word0; /* first cell */
    uint8_t words;
    bool split;      /* stands for a spilled register in one loop (split.c) */
    bool spill_temp; /* made by spilling: lives for one instruction, must not spill again */
} wr_ir_reg;

/* Bytes of local memory. */
typedef struct wr_ir_range {
    uint64_t start, end;
} wr_ir_range;

typedef struct wr_ir {
    wr_pool *pool;
    wr_ir_block *blocks;
    uint32_t block_count;
    wr_ir_reg *regs;
    uint32_t reg_count, reg_cap;
    uint32_t word_count; /* of all registers */
    uint32_t pred_count;
    uint32_t pred_temps;  /* predicates from this one on were made by spilling */
    uint32_t local_bytes; /* frame, spills included */
    uint32_t spill_bytes;
    wr_ir_range *escapes; /* variables in local memory whose address became a value */
    uint32_t escape_count, escape_cap;
} wr_ir;

/* Cells that an instruction reads and writes. A guarded instruction's writes do not kill: lanes
 * without the guard keep the old value. */
typedef struct wr_ir_refs {
    uint32_t uses[WR_IR_MAX_REFS], defs[WR_IR_MAX_REFS];
    uint32_t use_count, def_count;
    bool kills;
} wr_ir_refs;

uint32_t wr_ir_new_reg(wr_ir *ir, unsigned words);
uint32_t wr_ir_new_pred(wr_ir *ir);
uint32_t wr_ir_cells(const wr_ir *ir);

wr_ir_operand wr_ir_reg_operand(uint32_t reg, unsigned word);
wr_ir_operand wr_ir_imm_operand(uint64_t bits);

/* An unguarded instruction of that operation and type with nothing filled in. */
wr_ir_insn wr_ir_insn_new(wr_op op, wr_type type);
/* dst[word..] = src, of `words` words (1 or 2). */
wr_ir_insn wr_ir_move(wr_ir_operand dst, wr_ir_operand src, unsigned words);

unsigned wr_ir_dst_words(const wr_ir_insn *insn);
unsigned wr_ir_src_words(const wr_ir_insn *insn, unsigned i);
unsigned wr_ir_src_count(const wr_ir_insn *insn);

bool wr_ir_is_mem(const wr_ir_insn *insn);
bool wr_ir_is_move(const wr_ir_insn *insn); /* unguarded register or constant move */
bool wr_ir_ends_block(const wr_ir_insn *insn);
bool wr_ir_has_effect(const wr_ir_insn *insn); /* must stay though its results are dead */

/* Both do the same to their operands. */
bool wr_ir_does_same(const wr_ir_insn *a, const wr_ir_insn *b);

void wr_ir_get_refs(const wr_ir *ir, const wr_ir_insn *insn, wr_ir_refs *refs);

/* An address in these bytes of local memory became a value. */
void wr_ir_escape(wr_ir *ir, uint64_t start, uint64_t bytes);

void wr_ir_append(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *insn);

/* Drops instructions that are marked dead. */
void wr_ir_sweep(wr_ir *ir);

#endif
