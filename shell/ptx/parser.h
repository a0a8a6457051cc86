/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the parser share: the token window, errors, names and scopes.
 *
 * Recursive descent. Every function that can fail returns false after exactly one call of
 * wr_ptx_fail, and its caller returns false at once: so the first error is the one reported.
 *
 * Names are interned, so that equal names are equal pointers. A scope is a number; scope 0 is
 * the module, each function and each { } block opens another whose parent is the enclosing
 * one. A symbol is found under (name, scope), from the innermost scope outwards. Symbols stay
 * after their scope has closed (a closed scope's number is never looked up again), because a
 * label may be used before it stands and is resolved at the function's end.
 *
 * `.reg .b32 %r<1000>` declares one symbol, a range; a register of it becomes an entry in the
 * function's table when it is first used, so indices are dense over registers in use.
 */
#ifndef WR_SHELL_PTX_PARSER_H
#define WR_SHELL_PTX_PARSER_H

#include "shell/ptx/arena.h"
#include "shell/ptx/form.h"
#include "shell/ptx/lexer.h"
#include "shell/ptx/ptx.h"

#define WR_PTX_DEPTH_MAX      64 /* of nested blocks, parentheses, braces */
#define WR_PTX_OPERANDS_MAX   8
#define WR_PTX_DIMENSIONS_MAX 8

typedef enum wr_ptx_symbol_kind {
    WR_PTX_SYM_REG,      /* index into the function's regs; of a vector its first element's */
    WR_PTX_SYM_RANGE,    /* name without the number; count registers of type */
    WR_PTX_SYM_NUMBERED, /* least number of single registers that begin with this name */
    WR_PTX_SYM_VAR,
    WR_PTX_SYM_FUNC,
    WR_PTX_SYM_LABEL, /* index into insns */
    WR_PTX_SYM_TABLE,
} wr_ptx_symbol_kind;

typedef struct wr_ptx_symbol wr_ptx_symbol;
typedef struct wr_ptx_name wr_ptx_name;

/* What a symbol stands for; which member is by kind. */
typedef struct wr_ptx_meaning {
    wr_ptx_symbol_kind kind;
    wr_ptx_type type; /* RANGE */
    uint8_t vec;      /* REG, RANGE: elements of a vector register; 0 = a scalar */
    uint32_t index;   /* REG, LABEL; RANGE: count; NUMBERED: least number */
    unsigned line;    /* of the declaration */
    wr_ptx_var *var;
    wr_ptx_func *func;
    wr_ptx_table *table;
} wr_ptx_meaning;

/* A use of a label, to be resolved at the function's end. */
typedef struct wr_ptx_pending {
    const char *name;
    uint32_t scope;
    wr_ptx_operand *operand; /* either this */
    wr_ptx_table *table;     /* or entry `index` of this */
    uint32_t index;
    unsigned line, column;
    struct wr_ptx_pending *next;
} wr_ptx_pending;

/* Dimensions of a variable. */
typedef struct wr_ptx_shape {
    uint64_t
        extent[WR_PTX_DIMENSIONS_MAX + 1]; /* elements; the vector is the innermost dimension */
    unsigned count;
    bool open; /* the first dimension is [] */
    uint64_t element_size;
} wr_ptx_shape;

/* A place in the text, to read it again from there. */
typedef struct wr_ptx_place {
    wr_ptx_lexer lexer;
    wr_ptx_token tok, next;
} wr_ptx_place;

typedef struct wr_ptx_parser {
    wr_ptx_lexer lexer;
    wr_ptx_token tok, next; /* the current token and the one behind it */
    wr_ptx_arena *arena;
    wr_ptx_module *module;
    wr_diag *diag;
    wr_ptx_name *names; /* uthash tables */
    wr_ptx_symbol *symbols;
    uint32_t *scope_parent;
    uint32_t scope, scope_count, depth;
    size_t scope_capacity;
    wr_ptx_func *func; /* being parsed, or NULL */
    size_t reg_capacity, insn_capacity, label_capacity, file_capacity;
    wr_ptx_pending *pending;
    wr_ptx_pragma **pragma_tail;
    wr_ptx_var **var_tail;      /* of the module */
    wr_ptx_var *grid_workspace; /* of the module, once %envreg1 or %envreg2 was read */
    wr_ptx_var **func_var_tail; /* of the function */
    wr_ptx_func **func_tail;
    unsigned src_file, src_line; /* from the last .loc */
} wr_ptx_parser;

/* parser.c: tokens */
void wr_ptx_advance(wr_ptx_parser *p);
bool wr_ptx_at(const wr_ptx_parser *p, int punct);
bool wr_ptx_at_dot(const wr_ptx_parser *p, const char *word);
bool wr_ptx_take(wr_ptx_parser *p, int punct); /* consumes it where it stands */
bool wr_ptx_take_dot(wr_ptx_parser *p, const char *word);
wr_ptx_place wr_ptx_here(const wr_ptx_parser *p);
void wr_ptx_return_to(wr_ptx_parser *p, const wr_ptx_place *place);
bool wr_ptx_expect(wr_ptx_parser *p, int punct, const char *behind);

/* Errors; all return false. A lexer's error in the current token wins. */
bool wr_ptx_fail(wr_ptx_parser *p, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What stands here refuses the function and no more: the first such message is kept. */
void wr_ptx_refuse_func(wr_ptx_parser *p, wr_ptx_func *func, unsigned line, unsigned column,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
/* "expected WHAT, found 'x'", or that the file ends here. */
bool wr_ptx_fail_expected(wr_ptx_parser *p, const char *what);

/* Names and scopes */
const char *wr_ptx_intern(wr_ptx_parser *p, const char *text, size_t len);
bool wr_ptx_scope_open(wr_ptx_parser *p);
void wr_ptx_scope_close(wr_ptx_parser *p);
/* Declares in the current scope; false with an error where the name is taken there. */
bool wr_ptx_declare(wr_ptx_parser *p, const char *name, const wr_ptx_meaning *meaning,
                    unsigned line, unsigned column);
/* In `scope` or around it; NULL where there is none. */
const wr_ptx_meaning *wr_ptx_lookup(wr_ptx_parser *p, const char *name, uint32_t scope);
/* In that scope alone. */
wr_ptx_meaning *wr_ptx_lookup_here(wr_ptx_parser *p, const char *name, uint32_t scope);
void wr_ptx_names_free(wr_ptx_parser *p);
/* `.reg` type names: behind the type. */
bool wr_ptx_parse_registers(wr_ptx_parser *p);
/* Of a parameter that is one. */
bool wr_ptx_declare_register(wr_ptx_parser *p, wr_ptx_var *var);

/* constant.c: a constant expression. Result as an IMM operand: type U64, S64 for integers, F32
 * for 0f, F64 for 0d and decimals (`decimal` set). */
bool wr_ptx_parse_constant(wr_ptx_parser *p, wr_ptx_operand *out);
/* The same, for a number that must lie in 0..max. */
bool wr_ptx_parse_number(wr_ptx_parser *p, const char *what, uint64_t max, uint64_t *out);
/* Turns the value into `type`; false (no message) where the type does not take it. */
bool wr_ptx_convert_constant(wr_ptx_operand *imm, wr_ptx_type type);

/* variable.c: behind the state space: alignment, type, names, initialisers, `;`. */
/* The module variable that %envreg1 (high word of its address) and %envreg2 (low word) lead to:
 * 8 bytes of zeros, where cooperative groups keep the barrier of a grid. */
const wr_ptx_var *wr_ptx_grid_workspace(wr_ptx_parser *p);

bool wr_ptx_parse_variables(wr_ptx_parser *p, wr_ptx_linkage linkage, wr_ptx_space space);
/* The declaration outside functions that begins at `start` has failed: its variables are refused,
 * and with them the functions that name them. Goes on behind its `;`. False: it has no end, or no
 * name. */
bool wr_ptx_refuse_variables(wr_ptx_parser *p, const wr_ptx_place *start, wr_ptx_space space);
/* Parameters in ( ), the opening one already taken. */
bool wr_ptx_parse_params(wr_ptx_parser *p, wr_ptx_var **list, uint32_t *count, uint64_t *bytes);
/* `.extern` and the like; LOCAL where none stands. */
wr_ptx_linkage wr_ptx_parse_linkage(wr_ptx_parser *p);
bool wr_ptx_space_find(const wr_ptx_token *token, wr_ptx_space *space);
bool wr_ptx_skip_attribute(wr_ptx_parser *p);

/* initialiser.c: behind `=`; sets init, init_size and relocs, and size where it was open. */
bool wr_ptx_parse_initialiser(wr_ptx_parser *p, wr_ptx_var *var, const wr_ptx_shape *dims);

/* function.c: behind .entry or .func. */
bool wr_ptx_parse_function(wr_ptx_parser *p, bool is_entry, wr_ptx_linkage linkage);
bool wr_ptx_parse_pragma(wr_ptx_parser *p);
bool wr_ptx_parse_loc(wr_ptx_parser *p);

/* body.c: what stands between { and }; the closing one is taken. */
bool wr_ptx_parse_block(wr_ptx_parser *p);
bool wr_ptx_resolve_labels(wr_ptx_parser *p);

/* insn.c: one instruction up to its `;`. */
bool wr_ptx_parse_insn(wr_ptx_parser *p);

/* check.c: operands against the letters of the form; fills their types. */
bool wr_ptx_check_operands(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_insn *insn);
/* check_call.c */
bool wr_ptx_check_call(wr_ptx_parser *p, wr_ptx_insn *insn);

#endif
