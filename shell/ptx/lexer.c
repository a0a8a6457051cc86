/* SPDX-License-Identifier: Apache-2.0 */
/* See lexer.h. Every look at the text is bounded by `end`: the text need not end in NUL. */
#include "shell/ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64 /* characters of a decimal floating-point number */

void wr_ptx_lexer_init(wr_ptx_lexer *lexer, const char *file, const char *text, size_t len,
                       wr_diag *diag)
{
    *lexer = (wr_ptx_lexer){
        .file = file, .at = text, .end = text + len, .line_start = text, .line = 1, .diag = diag};
}

/* The character `ahead` places on, or 0 at the end. */
static char peek(const wr_ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

/* The locale must not matter, hence no <ctype.h>. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static int digit_value(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static unsigned column_of(const wr_ptx_lexer *lexer, const char *at)
{
    return (unsigned)(at - lexer->line_start) + 1;
}

static wr_ptx_token fail(wr_ptx_lexer *lexer, wr_ptx_token token, const char *message)
{
    size_t len = token.len < 40 ? token.len : 40;
    wr_diag_set(lexer->diag, lexer->file, token.line, token.column, message, (int)len, token.text);
    lexer->failed = true;
    lexer->at = lexer->end;
    token.kind = WR_PTX_TOK_ERROR;
    return token;
}

static void skip_line(wr_ptx_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        lexer->at++;
    }
}

static void advance(wr_ptx_lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

/* Spaces and comments; false at a block comment without an end. */
static bool skip_space(wr_ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            advance(lexer);
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            const char *start = lexer->at;
            unsigned line = lexer->line;
            unsigned column = column_of(lexer, start);
            lexer->at += 2;
            while (lexer->at < lexer->end && !(*lexer->at == '*' && peek(lexer, 1) == '/')) {
                advance(lexer);
            }
            if (lexer->at >= lexer->end) {
                wr_diag_set(lexer->diag, lexer->file, line, column,
                            "this comment has no end; close it with */");
                lexer->failed = true;
                return false;
            }
            lexer->at += 2;
        } else {
            break;
        }
    }
    return true;
}

/* 0f3F800000 or 0d3FF0000000000000: exactly as many digits as the type has. */
static wr_ptx_token lex_hex_float(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    bool single = token.text[1] == 'f' || token.text[1] == 'F';
    size_t digits = single ? 8 : 16;
    token.kind = single ? WR_PTX_TOK_F32 : WR_PTX_TOK_F64;
    bool bad = token.len != digits + 2;
    for (size_t i = 2; i < token.len && !bad; i++) {
        int value = digit_value(token.text[i]);
        bad = value > 15;
        token.bits = token.bits << 4 | ((unsigned)value & 15U);
    }
    lexer->at += token.len;
    if (bad) {
        return fail(lexer, token,
                    single ? "bad number '%.*s': 0f takes 8 hexadecimal digits, as 0f3F800000"
                           : "bad number '%.*s': 0d takes 16 hexadecimal digits, as "
                             "0d3FF0000000000000");
    }
    return token;
}

static wr_ptx_token lex_int(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    size_t at = 0;
    size_t len = token.len;
    unsigned base = 10;
    token.kind = WR_PTX_TOK_INT;
    lexer->at += len;
    if (len > 1 && token.text[0] == '0') {
        char mark = token.text[1];
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
        at = base == 8 ? 1 : 2;
    }
    if (token.text[len - 1] == 'U' || token.text[len - 1] == 'u') {
        token.is_unsigned = true;
        len--;
    }
    if (at >= len && base != 8) {
        return fail(lexer, token, "bad number '%.*s': digits are missing");
    }
    for (; at < len; at++) {
        unsigned digit = (unsigned)digit_value(token.text[at]);
        if (digit >= base) {
            return fail(lexer, token, "bad number '%.*s': a digit does not belong to its base");
        }
        if (token.bits > (UINT64_MAX - digit) / base) {
            return fail(lexer, token, "number '%.*s' does not fit in 64 bits");
        }
        token.bits = token.bits * base + digit;
    }
    token.is_unsigned = token.is_unsigned || token.bits > INT64_MAX;
    return token;
}

/* Decimal with a point or an exponent. strtod gives the nearest double in the C locale. */
static wr_ptx_token lex_real(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    size_t i = 0;
    while (is_digit(peek(lexer, i))) {
        i++;
    }
    if (peek(lexer, i) == '.') {
        i++;
        while (is_digit(peek(lexer, i))) {
            i++;
        }
    }
    if (peek(lexer, i) == 'e' || peek(lexer, i) == 'E') {
        i++;
        if (peek(lexer, i) == '+' || peek(lexer, i) == '-') {
            i++;
        }
        if (!is_digit(peek(lexer, i))) {
            token.len = i;
            return fail(lexer, token, "bad number '%.*s': the exponent has no digits");
        }
        while (is_digit(peek(lexer, i))) {
            i++;
        }
    }
    token.len = i;
    if (is_word(peek(lexer, i)) || i >= NUMBER_MAX) {
        return fail(lexer, token, "bad number '%.*s': not a decimal floating-point number");
    }
    char copy[NUMBER_MAX + 1];
    memcpy(copy, token.text, i);
    copy[i] = '\0';
    double value = strtod(copy, NULL);
    memcpy(&token.bits, &value, sizeof value);
    token.kind = WR_PTX_TOK_REAL;
    lexer->at += i;
    return token;
}

static wr_ptx_token lex_number(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    while (is_word(peek(lexer, token.len))) {
        token.len++;
    }
    if (token.text[0] == '0' && token.len > 1 && strchr("fFdD", token.text[1]) != NULL) {
        return lex_hex_float(lexer, token);
    }
    bool hex = token.text[0] == '0' && token.len > 1 && strchr("xX", token.text[1]) != NULL;
    bool exponent =
        memchr(token.text, 'e', token.len) != NULL || memchr(token.text, 'E', token.len) != NULL;
    if (!hex && (exponent || peek(lexer, token.len) == '.')) {
        return lex_real(lexer, token);
    }
    return lex_int(lexer, token);
}

static wr_ptx_token lex_string(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    size_t i = 1;
    while (peek(lexer, i) != '"') {
        if (lexer->at + i >= lexer->end || peek(lexer, i) == '\n') {
            token.len = i;
            return fail(lexer, token, "string %.*s has no end; close it with \"");
        }
        i += peek(lexer, i) == '\\' && peek(lexer, i + 1) != '\n' ? 2 : 1;
    }
    token.kind = WR_PTX_TOK_STRING;
    token.text++;
    token.len = i - 1;
    lexer->at += i + 1;
    return token;
}

/* `.word`, with `::word` parts. */
static wr_ptx_token lex_dot(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    size_t i = 1;
    for (;;) {
        while (is_word(peek(lexer, i))) {
            i++;
        }
        if (peek(lexer, i) != ':' || peek(lexer, i + 1) != ':' || !is_word(peek(lexer, i + 2))) {
            break;
        }
        i += 2;
    }
    token.kind = WR_PTX_TOK_DOT;
    token.text++;
    token.len = i - 1;
    lexer->at += i;
    if (token.len == 0) {
        return fail(lexer, token, "a '.' must be followed by a word%.*s");
    }
    return token;
}

static wr_ptx_token lex_punct(wr_ptx_lexer *lexer, wr_ptx_token token)
{
    static const struct {
        char text[3];
        int punct;
    } pairs[] = {
        {"<<", WR_PTX_PUNCT_SHL}, {">>", WR_PTX_PUNCT_SHR}, {"<=", WR_PTX_PUNCT_LE},
        {">=", WR_PTX_PUNCT_GE},  {"==", WR_PTX_PUNCT_EQ},  {"!=", WR_PTX_PUNCT_NE},
        {"&&", WR_PTX_PUNCT_AND}, {"||", WR_PTX_PUNCT_OR},
    };
    token.kind = WR_PTX_TOK_PUNCT;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (token.text[0] == pairs[i].text[0] && peek(lexer, 1) == pairs[i].text[1]) {
            token.punct = pairs[i].punct;
            token.len = 2;
            lexer->at += 2;
            return token;
        }
    }
    if (token.text[0] == '\0' || strchr("{}()[]<>,;:=@!|+-*/%&^~?", token.text[0]) == NULL) {
        token.len = token.text[0] >= ' ' && token.text[0] <= '~' ? 1 : 0;
        if (token.len == 0) {
            return fail(lexer, token,
                        "a byte that is no character%.*s does not belong in PTX; remove it");
        }
        return fail(lexer, token, "character '%.*s' does not belong in PTX; remove it");
    }
    token.punct = (unsigned char)token.text[0];
    token.len = 1;
    lexer->at++;
    return token;
}

wr_ptx_token wr_ptx_lexer_next(wr_ptx_lexer *lexer)
{
    bool readable = !lexer->failed && skip_space(lexer);
    wr_ptx_token token = {
        .text = lexer->at, .line = lexer->line, .column = column_of(lexer, lexer->at)};
    if (!readable) {
        token.kind = WR_PTX_TOK_ERROR;
        lexer->at = lexer->end;
        return token;
    }
    if (lexer->at >= lexer->end) {
        token.kind = WR_PTX_TOK_END;
        return token;
    }
    char c = *lexer->at;
    if (is_digit(c)) {
        return lex_number(lexer, token);
    }
    if (is_word(c) || (c == '%' && is_word(peek(lexer, 1)) && !is_digit(peek(lexer, 1)))) {
        do {
            token.len++;
        } while (is_word(peek(lexer, token.len)));
        token.kind = WR_PTX_TOK_IDENT;
        lexer->at += token.len;
        return token;
    }
    if (c == '"') {
        return lex_string(lexer, token);
    }
    if (c == '.') {
        return lex_dot(lexer, token);
    }
    return lex_punct(lexer, token);
}
