/* SPDX-License-Identifier: Apache-2.0 */
/* Module level and the public functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/ptx/parser.h"

#define FILE_NUMBER_MAX 65536
#define TEXT_MAX        ((long)256 * 1024 * 1024)

static bool parse_version(wr_ptx_parser *p)
{
    double value = 0;
    if (!wr_ptx_take_dot(p, "version")) {
        return wr_ptx_fail_expected(p, "'.version' at the beginning of a PTX file");
    }
    if (p->tok.kind != WR_PTX_TOK_REAL) {
        return wr_ptx_fail_expected(p, "a version such as 7.5");
    }
    memcpy(&value, &p->tok.bits, sizeof value);
    if (!(value >= 1 && value < 100)) {
        return wr_ptx_fail(p, p->tok.line, p->tok.column, "there is no PTX version of that number");
    }
    p->module->version_major = (unsigned)value;
    p->module->version_minor = (unsigned)((value - (double)p->module->version_major) * 10 + 0.5);
    wr_ptx_advance(p);
    return true;
}

/* .target sm_50, debug: the first word is kept; options change nothing here. */
static bool parse_target(wr_ptx_parser *p)
{
    if (!wr_ptx_take_dot(p, "target")) {
        return wr_ptx_fail_expected(p, "'.target' behind '.version'");
    }
    do {
        const wr_ptx_token at = p->tok;
        if (at.kind != WR_PTX_TOK_IDENT) {
            return wr_ptx_fail_expected(p, "a target such as sm_50");
        }
        if (at.len > 3 && memcmp(at.text, "sm_", 3) == 0 && p->module->target == NULL) {
            p->module->target = wr_ptx_intern(p, at.text, at.len);
            p->module->sm = (unsigned)strtoul(p->module->target + 3, NULL, 10);
        }
        wr_ptx_advance(p);
    } while (wr_ptx_take(p, ','));
    if (p->module->target == NULL) {
        return wr_ptx_fail_expected(p, "a target of the form sm_50 in '.target'");
    }
    return true;
}

static bool parse_address_size(wr_ptx_parser *p)
{
    const wr_ptx_token at = p->tok;
    uint64_t bits = 0;
    if (!wr_ptx_parse_number(p, "an address size", 64, &bits)) {
        return false;
    }
    if (bits != 32 && bits != 64) {
        return wr_ptx_fail(p, at.line, at.column, ".address_size must be 32 or 64");
    }
    if (p->module->var_count > 0 || p->module->func_count > 0) {
        return wr_ptx_fail(p, at.line, at.column,
                           ".address_size must stand before variables and functions");
    }
    p->module->address_size = (unsigned)bits;
    return true;
}

/* .file 1 ["folder"] "name" [, time, size] */
static bool parse_file(wr_ptx_parser *p)
{
    wr_ptx_module *module = p->module;
    uint64_t number = 0;
    uint64_t ignored = 0;
    if (!wr_ptx_parse_number(p, "a file number", FILE_NUMBER_MAX, &number)) {
        return false;
    }
    if (p->tok.kind != WR_PTX_TOK_STRING) {
        return wr_ptx_fail_expected(p, "a file name in quotes");
    }
    while (module->src_file_count <= number) {
        module->src_files = (const char **)wr_ptx_arena_grow(
            p->arena, module->src_files, module->src_file_count, &p->file_capacity, sizeof(char *));
        module->src_files[module->src_file_count++] = NULL;
    }
    do {
        module->src_files[number] = wr_ptx_arena_text(p->arena, p->tok.text, p->tok.len);
        wr_ptx_advance(p);
    } while (p->tok.kind == WR_PTX_TOK_STRING);
    while (wr_ptx_take(p, ',')) {
        if (!wr_ptx_parse_number(p, "a number", UINT64_MAX, &ignored)) {
            return false;
        }
    }
    return true;
}

/* .section .debug_info { ... }: debug data, of no use to a machine without a debugger. */
static bool skip_section(wr_ptx_parser *p)
{
    if (p->tok.kind != WR_PTX_TOK_DOT && p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "the name of the section");
    }
    wr_ptx_advance(p);
    if (!wr_ptx_expect(p, '{', "the name of the section")) {
        return false;
    }
    while (!wr_ptx_at(p, '}')) {
        if (p->tok.kind == WR_PTX_TOK_END || p->tok.kind == WR_PTX_TOK_ERROR) {
            return wr_ptx_fail_expected(p, "'}' of the section");
        }
        wr_ptx_advance(p);
    }
    wr_ptx_advance(p);
    return true;
}

/* .alias name, function; : functions that call the name are refused. */
static bool refuse_alias(wr_ptx_parser *p)
{
    const wr_ptx_token at = p->tok;
    wr_ptx_advance(p);
    const wr_ptx_meaning *found =
        p->tok.kind == WR_PTX_TOK_IDENT
            ? wr_ptx_lookup(p, wr_ptx_intern(p, p->tok.text, p->tok.len), p->scope)
            : NULL;
    if (found == NULL || found->kind != WR_PTX_SYM_FUNC) {
        return wr_ptx_fail_expected(p, "a function declared above behind .alias");
    }
    wr_ptx_refuse_func(p, found->func, at.line, at.column,
                       "'.alias' is not supported: call the function by its own name");
    wr_ptx_advance(p);
    if (!wr_ptx_expect(p, ',', ".alias and a name") || p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "the function that an alias means");
    }
    wr_ptx_advance(p);
    return wr_ptx_expect(p, ';', ".alias");
}

static bool parse_declaration(wr_ptx_parser *p)
{
    wr_ptx_space space;
    const wr_ptx_token at = p->tok;
    wr_ptx_linkage linkage = wr_ptx_parse_linkage(p);
    if (wr_ptx_take_dot(p, "entry")) {
        return wr_ptx_parse_function(p, true, linkage);
    }
    if (wr_ptx_take_dot(p, "func")) {
        return wr_ptx_parse_function(p, false, linkage);
    }
    if (wr_ptx_at_dot(p, "tex")) {
        return wr_ptx_parse_variables(p, linkage, WR_PTX_SPACE_GLOBAL);
    }
    if (wr_ptx_space_find(&p->tok, &space)) {
        bool ok = space != WR_PTX_SPACE_PARAM ||
                  wr_ptx_fail(p, at.line, at.column,
                              "a variable outside functions must be .global, .const, .shared or "
                              ".local");
        wr_ptx_advance(p);
        const wr_ptx_place start = wr_ptx_here(p);
        return (ok && wr_ptx_parse_variables(p, linkage, space)) ||
               wr_ptx_refuse_variables(p, &start, space);
    }
    return wr_ptx_fail_expected(p, "a directive such as .visible .entry, .global or .file");
}

static bool parse_items(wr_ptx_parser *p)
{
    while (p->tok.kind != WR_PTX_TOK_END) {
        bool ok = true;
        if (wr_ptx_take_dot(p, "address_size")) {
            ok = parse_address_size(p);
        } else if (wr_ptx_take_dot(p, "file")) {
            ok = parse_file(p);
        } else if (wr_ptx_take_dot(p, "loc")) {
            ok = wr_ptx_parse_loc(p);
        } else if (wr_ptx_take_dot(p, "section")) {
            ok = skip_section(p);
        } else if (wr_ptx_take_dot(p, "pragma")) {
            ok = wr_ptx_parse_pragma(p);
        } else if (wr_ptx_at_dot(p, "alias")) {
            ok = refuse_alias(p);
        } else {
            ok = parse_declaration(p);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

wr_ptx_module *wr_ptx_parse(const char *file_name, const char *text, size_t len, wr_diag *diag)
{
    wr_diag unread = {.line = 0};
    wr_ptx_arena *arena = wr_ptx_arena_new();
    wr_ptx_module *module = (wr_ptx_module *)wr_ptx_arena_alloc(arena, sizeof *module);
    const char *name = file_name != NULL ? file_name : "";
    module->arena = arena;
    module->file = wr_ptx_arena_text(arena, name, strlen(name));
    module->address_size = 32;
    wr_ptx_parser p = {.arena = arena,
                       .module = module,
                       .diag = diag != NULL ? diag : &unread,
                       .var_tail = &module->vars,
                       .func_tail = &module->funcs};
    wr_ptx_lexer_init(&p.lexer, module->file, text, len, p.diag);
    p.next = wr_ptx_lexer_next(&p.lexer);
    wr_ptx_advance(&p);
    bool ok = wr_ptx_scope_open(&p) && parse_version(&p) && parse_target(&p) && parse_items(&p);
    wr_ptx_names_free(&p);
    if (!ok) {
        wr_ptx_arena_free(arena);
        return NULL;
    }
    return module;
}

static char *read_all(FILE *file, const char *path, size_t *len, wr_diag *diag)
{
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
    }
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        wr_diag_set(diag, path, 0, 0, "cannot read this file; it must be a plain file");
        return NULL;
    }
    if (size > TEXT_MAX) {
        wr_diag_set(diag, path, 0, 0, "this file is above 256 MiB; split it into modules");
        return NULL;
    }
    char *text = (char *)malloc((size_t)size + 1);
    if (text == NULL) {
        wr_diag_set(diag, path, 0, 0, "no memory to read this file");
        return NULL;
    }
    *len = fread(text, 1, (size_t)size, file);
    if (*len != (size_t)size) {
        free(text);
        wr_diag_set(diag, path, 0, 0, "cannot read this file; it must be a plain file");
        return NULL;
    }
    return text;
}

wr_ptx_module *wr_ptx_parse_file(const char *path, wr_diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        wr_diag_set(diag, path, 0, 0, "cannot open this file; check its path");
        return NULL;
    }
    size_t len = 0;
    char *text = read_all(file, path, &len, diag);
    (void)fclose(file);
    if (text == NULL) {
        return NULL;
    }
    wr_ptx_module *module = wr_ptx_parse(path, text, len, diag);
    free(text);
    return module;
}

void wr_ptx_free(wr_ptx_module *module)
{
    if (module != NULL) {
        wr_ptx_arena_free(module->arena);
    }
}

const wr_ptx_func *wr_ptx_find_func(const wr_ptx_module *module, const char *name)
{
    const wr_ptx_func *func = module->funcs;
    while (func != NULL && strcmp(func->name, name) != 0) {
        func = func->next;
    }
    return func;
}

void wr_ptx_refuse(wr_diag *diag, const wr_ptx_module *module, const wr_ptx_insn *insn,
                   const char *why)
{
    wr_diag_set(diag, module->file, insn->line, insn->column, "'%s' is not supported: %s",
                insn->text, why);
}
