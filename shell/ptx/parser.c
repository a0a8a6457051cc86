/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, errors, names and scopes; see parser.h. */
#include "shell/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/memory.h"

#define uthash_fatal(text) wr_out_of_memory()
#include <uthash.h>

struct wr_ptx_name {
    UT_hash_handle hh;
    char text[];
};

typedef struct symbol_key {
    const char *name;
    uint64_t scope; /* as wide as the pointer, so that the key has no padding */
} symbol_key;

struct wr_ptx_symbol {
    symbol_key key;
    wr_ptx_meaning meaning;
    UT_hash_handle hh;
};

void wr_ptx_advance(wr_ptx_parser *p)
{
    p->tok = p->next;
    if (p->tok.kind != WR_PTX_TOK_END && p->tok.kind != WR_PTX_TOK_ERROR) {
        p->next = wr_ptx_lexer_next(&p->lexer);
    }
}

bool wr_ptx_at(const wr_ptx_parser *p, int punct)
{
    return p->tok.kind == WR_PTX_TOK_PUNCT && p->tok.punct == punct;
}

bool wr_ptx_at_dot(const wr_ptx_parser *p, const char *word)
{
    return p->tok.kind == WR_PTX_TOK_DOT && p->tok.len == strlen(word) &&
           memcmp(p->tok.text, word, p->tok.len) == 0;
}

bool wr_ptx_take(wr_ptx_parser *p, int punct)
{
    bool stands = wr_ptx_at(p, punct);
    if (stands) {
        wr_ptx_advance(p);
    }
    return stands;
}

bool wr_ptx_take_dot(wr_ptx_parser *p, const char *word)
{
    bool stands = wr_ptx_at_dot(p, word);
    if (stands) {
        wr_ptx_advance(p);
    }
    return stands;
}

wr_ptx_place wr_ptx_here(const wr_ptx_parser *p)
{
    return (wr_ptx_place){p->lexer, p->tok, p->next};
}

void wr_ptx_return_to(wr_ptx_parser *p, const wr_ptx_place *place)
{
    p->lexer = place->lexer;
    p->tok = place->tok;
    p->next = place->next;
}

bool wr_ptx_expect(wr_ptx_parser *p, int punct, const char *behind)
{
    if (wr_ptx_take(p, punct)) {
        return true;
    }
    char what[96];
    (void)snprintf(what, sizeof what, "'%c' behind %s", punct, behind);
    return wr_ptx_fail_expected(p, what);
}

bool wr_ptx_fail(wr_ptx_parser *p, unsigned line, unsigned column, const char *format, ...)
{
    if (p->tok.kind != WR_PTX_TOK_ERROR) {
        char message[WR_DIAG_MESSAGE_MAX];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(message, sizeof message, format, args);
        va_end(args);
        wr_diag_set(p->diag, p->lexer.file, line, column, "%s", message);
    }
    return false;
}

void wr_ptx_refuse_func(wr_ptx_parser *p, wr_ptx_func *func, unsigned line, unsigned column,
                        const char *format, ...)
{
    if (func->refused == NULL) {
        wr_diag *diag = (wr_diag *)wr_ptx_arena_alloc(p->arena, sizeof *diag);
        char message[WR_DIAG_MESSAGE_MAX];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(message, sizeof message, format, args);
        va_end(args);
        wr_diag_set(diag, p->lexer.file, line, column, "%s", message);
        func->refused = diag;
    }
}

bool wr_ptx_fail_expected(wr_ptx_parser *p, const char *what)
{
    const wr_ptx_token *tok = &p->tok;
    if (tok->kind == WR_PTX_TOK_END) {
        return wr_ptx_fail(p, tok->line, tok->column,
                           "the file ends where %s is expected; it may have been cut off", what);
    }
    int len = (int)(tok->len < 60 ? tok->len : 60);
    return wr_ptx_fail(p, tok->line, tok->column, "expected %s, found '%s%.*s'", what,
                       tok->kind == WR_PTX_TOK_DOT ? "." : "", len, tok->text);
}

const char *wr_ptx_intern(wr_ptx_parser *p, const char *text, size_t len)
{
    wr_ptx_name *name = NULL;
    HASH_FIND(hh, p->names, text, len, name);
    if (name == NULL) {
        name = (wr_ptx_name *)wr_ptx_arena_alloc(p->arena, sizeof *name + len + 1);
        memcpy(name->text, text, len);
        HASH_ADD_KEYPTR(hh, p->names, name->text, len, name);
    }
    return name->text;
}

void wr_ptx_names_free(wr_ptx_parser *p)
{
    HASH_CLEAR(hh, p->names);
    HASH_CLEAR(hh, p->symbols);
}

bool wr_ptx_scope_open(wr_ptx_parser *p)
{
    if (p->depth >= WR_PTX_DEPTH_MAX) {
        return wr_ptx_fail(p, p->tok.line, p->tok.column, "blocks are nested deeper than %d",
                           WR_PTX_DEPTH_MAX);
    }
    p->scope_parent = (uint32_t *)wr_ptx_arena_grow(p->arena, p->scope_parent, p->scope_count,
                                                    &p->scope_capacity, sizeof(uint32_t));
    p->scope_parent[p->scope_count] = p->scope;
    p->scope = p->scope_count++;
    p->depth++;
    return true;
}

void wr_ptx_scope_close(wr_ptx_parser *p)
{
    p->scope = p->scope_parent[p->scope];
    p->depth--;
}

wr_ptx_meaning *wr_ptx_lookup_here(wr_ptx_parser *p, const char *name, uint32_t scope)
{
    symbol_key key = {name, scope};
    wr_ptx_symbol *symbol = NULL;
    /* The analyser does not follow the key through uthash's casts to bytes.
     * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    HASH_FIND(hh, p->symbols, &key, sizeof key, symbol);
    return symbol != NULL ? &symbol->meaning : NULL;
}

static wr_ptx_meaning *add_symbol(wr_ptx_parser *p, const char *name, uint32_t scope,
                                  const wr_ptx_meaning *meaning)
{
    wr_ptx_symbol *symbol = (wr_ptx_symbol *)wr_ptx_arena_alloc(p->arena, sizeof *symbol);
    symbol->key = (symbol_key){name, scope};
    symbol->meaning = *meaning;
    HASH_ADD(hh, p->symbols, key, sizeof symbol->key, symbol);
    return &symbol->meaning;
}

/* Splits "%r12" into its stem's length and 12. False where it does not end in a plain number
 * (leading zeros make another name: %r01 is not of the range %r). */
static bool split_number(const char *name, size_t len, size_t *stem, uint32_t *number)
{
    size_t at = len;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
    }
    size_t digits = len - at;
    if (at == 0 || digits == 0 || digits > 10 || (digits > 1 && name[at] == '0')) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = at; i < len; i++) {
        value = value * 10 + (uint64_t)(name[i] - '0');
    }
    *number = (uint32_t)value;
    *stem = at;
    return value < INT32_MAX;
}

/* The range that a register's name belongs to in that scope, or NULL. */
static const wr_ptx_meaning *find_range(wr_ptx_parser *p, const char *name, uint32_t scope)
{
    size_t stem = 0;
    uint32_t number = 0;
    if (!split_number(name, strlen(name), &stem, &number)) {
        return NULL;
    }
    wr_ptx_name *stem_name = NULL;
    HASH_FIND(hh, p->names, name, stem, stem_name);
    if (stem_name == NULL) {
        return NULL;
    }
    const wr_ptx_meaning *range = wr_ptx_lookup_here(p, stem_name->text, scope);
    bool inside = range != NULL && range->kind == WR_PTX_SYM_RANGE && number < range->index;
    return inside ? range : NULL;
}

static uint32_t add_scalar(wr_ptx_parser *p, const char *name, wr_ptx_type type, unsigned line)
{
    wr_ptx_func *func = p->func;
    func->regs = (wr_ptx_reg *)wr_ptx_arena_grow(p->arena, func->regs, func->reg_count,
                                                 &p->reg_capacity, sizeof(wr_ptx_reg));
    func->regs[func->reg_count] = (wr_ptx_reg){.name = name, .type = type, .line = line};
    return func->reg_count++;
}

/* Of a vector the elements, in a row: the index of the first. */
static uint32_t add_register(wr_ptx_parser *p, const char *name, wr_ptx_type type, uint8_t vec,
                             unsigned line)
{
    uint32_t first = p->func->reg_count;
    size_t len = strlen(name);
    if (vec == 0) {
        return add_scalar(p, name, type, line);
    }
    for (unsigned i = 0; i < vec; i++) {
        char *element = (char *)wr_ptx_arena_alloc(p->arena, len + 3);
        (void)snprintf(element, len + 3, "%s.%c", name, "xyzw"[i]);
        add_scalar(p, element, type, line);
    }
    return first;
}

const wr_ptx_meaning *wr_ptx_lookup(wr_ptx_parser *p, const char *name, uint32_t scope)
{
    for (;;) {
        const wr_ptx_meaning *found = wr_ptx_lookup_here(p, name, scope);
        if (found != NULL && found->kind != WR_PTX_SYM_RANGE &&
            found->kind != WR_PTX_SYM_NUMBERED) {
            return found;
        }
        const wr_ptx_meaning *range = p->func != NULL ? find_range(p, name, scope) : NULL;
        if (range != NULL) {
            wr_ptx_meaning reg = {.kind = WR_PTX_SYM_REG, .vec = range->vec, .line = range->line};
            reg.index = add_register(p, name, range->type, range->vec, range->line);
            return add_symbol(p, name, scope, &reg);
        }
        if (scope == 0) {
            return NULL;
        }
        scope = p->scope_parent[scope];
    }
}

bool wr_ptx_declare(wr_ptx_parser *p, const char *name, const wr_ptx_meaning *meaning,
                    unsigned line, unsigned column)
{
    const wr_ptx_meaning *old = wr_ptx_lookup_here(p, name, p->scope);
    if (old == NULL) {
        old = find_range(p, name, p->scope);
    }
    if (old != NULL) {
        return wr_ptx_fail(p, line, column, "'%s' is declared twice; the first is on line %u", name,
                           old->line);
    }
    wr_ptx_meaning *added = add_symbol(p, name, p->scope, meaning);
    added->line = line;
    return true;
}

/* Notes the number of a single register under its stem, for a range declared later. */
static void note_number(wr_ptx_parser *p, const char *name, unsigned line)
{
    size_t stem = 0;
    uint32_t number = 0;
    if (!split_number(name, strlen(name), &stem, &number)) {
        return;
    }
    const char *stem_name = wr_ptx_intern(p, name, stem);
    wr_ptx_meaning *note = wr_ptx_lookup_here(p, stem_name, p->scope);
    if (note == NULL) {
        wr_ptx_meaning made = {.kind = WR_PTX_SYM_NUMBERED, .index = number, .line = line};
        add_symbol(p, stem_name, p->scope, &made);
    } else if (note->kind == WR_PTX_SYM_NUMBERED && number < note->index) {
        note->index = number;
        note->line = line;
    }
}

bool wr_ptx_declare_register(wr_ptx_parser *p, wr_ptx_var *var)
{
    uint8_t vec = var->vec > 1 ? var->vec : 0;
    wr_ptx_meaning reg = {.kind = WR_PTX_SYM_REG, .vec = vec, .index = p->func->reg_count};
    if (vec != 0) {
        wr_ptx_refuse_func(p, p->func, var->line, var->column,
                           "a parameter in registers cannot be a vector; pass its elements");
    }
    var->reg = reg.index;
    if (!wr_ptx_declare(p, var->name, &reg, var->line, var->column)) {
        return false;
    }
    add_register(p, var->name, var->type, vec, var->line);
    note_number(p, var->name, var->line);
    return true;
}

static bool declare_range(wr_ptx_parser *p, const char *name, wr_ptx_type type, uint8_t vec,
                          const wr_ptx_token *at)
{
    uint64_t count = 0;
    if (!wr_ptx_parse_number(p, "the number of registers", INT32_MAX, &count) ||
        !wr_ptx_expect(p, '>', "the number of registers")) {
        return false;
    }
    wr_ptx_meaning range = {
        .kind = WR_PTX_SYM_RANGE, .type = type, .vec = vec, .index = (uint32_t)count};
    wr_ptx_meaning *note = wr_ptx_lookup_here(p, name, p->scope);
    if (note != NULL && note->kind == WR_PTX_SYM_NUMBERED) {
        if (note->index < count) {
            return wr_ptx_fail(p, at->line, at->column,
                               "register '%s%u' is declared twice; the first is on line %u", name,
                               note->index, note->line);
        }
        range.line = at->line;
        *note = range;
        return true;
    }
    return wr_ptx_declare(p, name, &range, at->line, at->column);
}

/* Behind `.reg`. */
bool wr_ptx_parse_registers(wr_ptx_parser *p)
{
    uint8_t vec = wr_ptx_take_dot(p, "v2") ? 2 : wr_ptx_take_dot(p, "v4") ? 4 : 0;
    wr_ptx_type type = p->tok.kind == WR_PTX_TOK_DOT ? wr_ptx_type_find(p->tok.text, p->tok.len)
                                                     : WR_PTX_TYPE_NONE;
    if (type == WR_PTX_TYPE_NONE || wr_ptx_type_is_format(type)) {
        return wr_ptx_fail_expected(p, "a type behind .reg");
    }
    if (vec != 0 && type == WR_PTX_PRED) {
        return wr_ptx_fail_expected(p, "a type of numbers: predicates make no vectors");
    }
    wr_ptx_advance(p);
    do {
        wr_ptx_token at = p->tok;
        if (at.kind != WR_PTX_TOK_IDENT) {
            return wr_ptx_fail_expected(p, "the name of a register");
        }
        const char *name = wr_ptx_intern(p, at.text, at.len);
        wr_ptx_advance(p);
        if (wr_ptx_take(p, '<')) {
            if (!declare_range(p, name, type, vec, &at)) {
                return false;
            }
            continue;
        }
        wr_ptx_meaning reg = {.kind = WR_PTX_SYM_REG, .vec = vec, .index = p->func->reg_count};
        if (!wr_ptx_declare(p, name, &reg, at.line, at.column)) {
            return false;
        }
        add_register(p, name, type, vec, at.line);
        note_number(p, name, at.line);
    } while (wr_ptx_take(p, ','));
    return wr_ptx_expect(p, ';', "a register declaration");
}
