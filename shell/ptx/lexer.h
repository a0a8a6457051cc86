/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text -> tokens, one at a time.
 *
 * A token points into the text and carries its place; numbers carry their value too. A word
 * that begins with a dot is one token: directives (`.reg`), types, modifiers, and components
 * (`.x`) look alike and only the parser can tell them apart; `.L2::128B` is one as well.
 * After an error every further token is an ERROR token: a caller which looks on
 * cannot run past it.
 */
#ifndef WR_SHELL_PTX_LEXER_H
#define WR_SHELL_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/ptx/diag.h"

typedef enum wr_ptx_token_kind {
    WR_PTX_TOK_END,
    WR_PTX_TOK_IDENT,  /* a name, with % $ _ */
    WR_PTX_TOK_DOT,    /* .word; `text` begins behind the dot */
    WR_PTX_TOK_INT,    /* `bits`; is_unsigned for a U suffix or a value above INT64_MAX */
    WR_PTX_TOK_F32,    /* 0f and 8 hexadecimal digits: `bits` */
    WR_PTX_TOK_F64,    /* 0d and 16 hexadecimal digits: `bits` */
    WR_PTX_TOK_REAL,   /* 1.5, 2e10: `bits` of the double */
    WR_PTX_TOK_STRING, /* `text` without the quotes */
    WR_PTX_TOK_PUNCT,  /* one character, `punct`; operators of two as in wr_ptx_punct */
    WR_PTX_TOK_ERROR,  /* see the lexer's diag */
} wr_ptx_token_kind;

/* Two-character operators of constant expressions; above any character's code. */
typedef enum wr_ptx_punct {
    WR_PTX_PUNCT_SHL = 256,
    WR_PTX_PUNCT_SHR,
    WR_PTX_PUNCT_LE,
    WR_PTX_PUNCT_GE,
    WR_PTX_PUNCT_EQ,
    WR_PTX_PUNCT_NE,
    WR_PTX_PUNCT_AND,
    WR_PTX_PUNCT_OR,
} wr_ptx_punct;

typedef struct wr_ptx_token {
    wr_ptx_token_kind kind;
    const char *text; /* not NUL-terminated */
    size_t len;
    int punct;
    bool is_unsigned;
    bool by_llvm; /* in text that LLVM has made, outside inline assembly */
    uint64_t bits;
    unsigned line, column;
} wr_ptx_token;

typedef struct wr_ptx_lexer {
    const char *file; /* for messages */
    const char *at, *end, *line_start;
    unsigned line;
    bool by_llvm; /* the text says that LLVM has made it */
    bool in_asm;  /* but not what stands here */
    bool failed;
    wr_diag *diag;
} wr_ptx_lexer;

void wr_ptx_lexer_init(wr_ptx_lexer *lexer, const char *file, const char *text, size_t len,
                       wr_diag *diag);

/* The next token. On a bad character, number, or string: fills diag and returns ERROR, from
 * then on at every call. */
wr_ptx_token wr_ptx_lexer_next(wr_ptx_lexer *lexer);

#endif
