/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of PTX: what instructions, types, modifiers, and special registers there are.
 *
 * A form is one row: a mnemonic with the types, the modifiers and the operands that may stand
 * together. A mnemonic that treats classes of types differently (add on integers, on f32, with
 * carry) has a row for each. Matching tries every row of the mnemonic; where none fits, the
 * message comes from the row that got furthest. To add an instruction is to add a row.
 *
 * Letters of `operands`; t0, t1, t2 are the types of the instruction as written.
 *   destinations                              sources
 *   d  register of t0                         a b c  register or immediate of t0, t1, t2
 *   e  register of t0 or wider, or a vector   B  of t1 or wider; a special register too
 *   w  register twice as wide as t0           W  twice as wide as t0
 *   i  register of 32 bits, no float          u  of 32 bits, no float (shift amounts, masks)
 *   p  predicate                              U  immediate
 *   q  predicate, or two as p|q               P  predicate, `!` allowed, or immediate 0, 1
 *   s  register of t0, or with predicate d|p  v  value of t0 or wider, or a vector (st)
 *   r  register of t0 or `_`, with d|p
 *   x  register of t0 or `_`                  m  what mov takes: also symbol, special, vector
 *   t  like i, or with predicate d|p
 *   D  register of t0 or a vector (mov)       y  register of t0 or symbol (cvta)
 *                                             g  register of the address size (isspacep)
 *                                             M  [address]     L  label    T  branch table
 *                                             n  barrier 0..15, or register
 *                                             N  thread count, multiple of 32, or register
 */
#ifndef WR_SHELL_PTX_FORM_H
#define WR_SHELL_PTX_FORM_H

#include "shell/ptx/ptx.h"

#define WR_PTX_DESTINATIONS "dewipqrstxD"
#define WR_PTX_TYPES_MAX    3

typedef struct wr_ptx_form {
    const char *name; /* mnemonic; with dots where the words belong to it: "bar.warp.sync" */
    const char *operands;
    wr_ptx_op op;
    uint32_t types[WR_PTX_TYPES_MAX]; /* bit per wr_ptx_type; 0 = no such type */
    uint32_t slots;                   /* bit per wr_ptx_slot that may be written */
    uint32_t need;                    /* bit per wr_ptx_slot that must be written */
    uint32_t rnds, cmps, spaces;      /* bits of the values allowed in RND, CMP, SPACE */
    uint8_t mode;                     /* value of MODE that the mnemonic itself implies, or 0 */
    uint64_t modes;                   /* bits of the values allowed in MODE */
} wr_ptx_form;

/* All forms; rows of one mnemonic stand together. */
extern const wr_ptx_form wr_ptx_forms[];
extern const size_t wr_ptx_form_count;

/* What a word behind a dot may mean as a modifier. One word may be several (`.lo`). */
typedef struct wr_ptx_modifier {
    const char *text;
    uint8_t slot, value;
} wr_ptx_modifier;

extern const wr_ptx_modifier wr_ptx_modifiers[];
extern const size_t wr_ptx_modifier_count;

/* PTX that is known and not taken. A mnemonic belongs to the row whose words it begins with. */
typedef struct wr_ptx_unsupported {
    const char *prefix, *why;
} wr_ptx_unsupported;

extern const wr_ptx_unsupported wr_ptx_unsupporteds[];
extern const size_t wr_ptx_unsupported_count;

typedef struct wr_ptx_sreg_info {
    const char *name;
    wr_ptx_type type;
    bool has_component; /* .x .y .z */
} wr_ptx_sreg_info;

extern const wr_ptx_sreg_info wr_ptx_sregs[WR_PTX_SREG_COUNT];

/* The words behind the mnemonic's first one, as a list; `at` says where each stands. */
typedef struct wr_ptx_words {
    const char *text[16];
    size_t len[16];
    unsigned column[16];
    unsigned line[16];
    size_t count; /* the first is the mnemonic */
} wr_ptx_words;

/* Brings words that may stand in several places (`vote.ballot.sync`) into the order of the rows. */
void wr_ptx_form_order(wr_ptx_words *words);

/* All rows that fit words and operand count, narrowed to one. On success fills op, type, mod and
 * dst_count of `insn`. Otherwise returns NULL with `message` (size WR_DIAG_MESSAGE_MAX) and
 * `bad_word`: the index of the word to blame. */
const wr_ptx_form *wr_ptx_form_match(const wr_ptx_words *words, size_t operand_count,
                                     wr_ptx_insn *insn, char *message, size_t *bad_word);

/* The first row of the mnemonic that `words` begins with, and how many words it takes; NULL with
 * `why` set where the family is known and not taken, NULL with `why` NULL where unknown. */
const wr_ptx_form *wr_ptx_form_find(const wr_ptx_words *words, size_t *used, const char **why);

/* By name of `len` characters; WR_PTX_TYPE_NONE, WR_PTX_SREG_COUNT where there is none. */
wr_ptx_type wr_ptx_type_find(const char *name, size_t len);
wr_ptx_sreg wr_ptx_sreg_find(const char *name, size_t len);

#endif
