/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and parameters; their initialisers are initialiser.c's. */
#include "shell/ptx/parser.h"

#include <string.h>

#define SIZE_LIMIT ((uint64_t)UINT32_MAX) /* bytes of a variable */

bool wr_ptx_space_find(const wr_ptx_token *token, wr_ptx_space *space)
{
    static const struct {
        const char *name;
        wr_ptx_space space;
    } spaces[] = {{"global", WR_PTX_SPACE_GLOBAL},
                  {"shared", WR_PTX_SPACE_SHARED},
                  {"local", WR_PTX_SPACE_LOCAL},
                  {"const", WR_PTX_SPACE_CONST},
                  {"param", WR_PTX_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (token->kind == WR_PTX_TOK_DOT && strlen(spaces[i].name) == token->len &&
            memcmp(spaces[i].name, token->text, token->len) == 0) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

wr_ptx_linkage wr_ptx_parse_linkage(wr_ptx_parser *p)
{
    static const struct {
        const char *name;
        wr_ptx_linkage linkage;
    } words[] = {{"visible", WR_PTX_LINK_VISIBLE},
                 {"extern", WR_PTX_LINK_EXTERN},
                 {"weak", WR_PTX_LINK_WEAK},
                 {"common", WR_PTX_LINK_COMMON}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (wr_ptx_take_dot(p, words[i].name)) {
            return words[i].linkage;
        }
    }
    return WR_PTX_LINK_LOCAL;
}

/* .attribute(.managed) and the like say where the host keeps a variable: nothing to do here. */
bool wr_ptx_skip_attribute(wr_ptx_parser *p)
{
    if (!wr_ptx_take_dot(p, "attribute")) {
        return true;
    }
    if (!wr_ptx_expect(p, '(', ".attribute")) {
        return false;
    }
    unsigned depth = 1;
    while (depth > 0) {
        if (p->tok.kind == WR_PTX_TOK_END || p->tok.kind == WR_PTX_TOK_ERROR) {
            return wr_ptx_fail_expected(p, "')' behind the attributes");
        }
        depth += wr_ptx_at(p, '(') ? 1 : 0;
        depth -= wr_ptx_at(p, ')') ? 1 : 0;
        wr_ptx_advance(p);
    }
    return true;
}

static bool parse_align(wr_ptx_parser *p, uint32_t *align)
{
    const wr_ptx_token at = p->tok;
    uint64_t value = 0;
    if (!wr_ptx_parse_number(p, "an alignment", 1U << 16, &value)) {
        return false;
    }
    if (value == 0 || (value & (value - 1)) != 0) {
        return wr_ptx_fail(p, at.line, at.column, "an alignment must be a power of two, not %llu",
                           (unsigned long long)value);
    }
    *align = (uint32_t)value;
    return true;
}

/* Why no function can name a variable of the texture type that stands here. */
static const wr_diag *refuse_texture(wr_ptx_parser *p)
{
    wr_diag *diag = (wr_diag *)wr_ptx_arena_alloc(p->arena, sizeof *diag);
    wr_diag_set(diag, p->lexer.file, p->tok.line, p->tok.column,
                "'.%.*s' is not supported: textures and surfaces are not modelled; read the data "
                "with ld.global",
                (int)p->tok.len, p->tok.text);
    return diag;
}

/* Past the values of a texture or sampler. */
static bool skip_values(wr_ptx_parser *p)
{
    while (!wr_ptx_at(p, ';')) {
        if (p->tok.kind == WR_PTX_TOK_END || p->tok.kind == WR_PTX_TOK_ERROR) {
            return wr_ptx_fail_expected(p, "';' behind a variable's values");
        }
        wr_ptx_advance(p);
    }
    return true;
}

/* Alignment, vector and type in any order, as compilers write them. */
static bool parse_type(wr_ptx_parser *p, wr_ptx_var *var)
{
    if (wr_ptx_at_dot(p, "tex")) { /* what `.global .texref` was called once */
        var->refused = refuse_texture(p);
        wr_ptx_advance(p);
    }
    for (;;) {
        if (wr_ptx_take_dot(p, "align")) {
            if (!parse_align(p, &var->align)) {
                return false;
            }
        } else if (wr_ptx_take_dot(p, "v2")) {
            var->vec = 2;
        } else if (wr_ptx_take_dot(p, "v4")) {
            var->vec = 4;
        } else if (wr_ptx_at_dot(p, "attribute")) {
            if (!wr_ptx_skip_attribute(p)) {
                return false;
            }
        } else {
            break;
        }
    }
    if (wr_ptx_at_dot(p, "texref") || wr_ptx_at_dot(p, "samplerref") ||
        wr_ptx_at_dot(p, "surfref")) {
        var->refused = refuse_texture(p);
        var->type = WR_PTX_B64;
        wr_ptx_advance(p);
        return true;
    }
    wr_ptx_token at = p->tok;
    var->type = at.kind == WR_PTX_TOK_DOT ? wr_ptx_type_find(at.text, at.len) : WR_PTX_TYPE_NONE;
    if (var->type == WR_PTX_TYPE_NONE) {
        return wr_ptx_fail_expected(p, "a type such as .u32");
    }
    if (wr_ptx_type_is_format(var->type)) {
        return wr_ptx_fail(p, at.line, at.column, "a variable cannot be .%s; use .b8 or .b16",
                           wr_ptx_type_name(var->type));
    }
    if (wr_ptx_type_size(var->type) == 0) {
        return wr_ptx_fail(p, at.line, at.column, "a variable cannot be .pred; use .u8");
    }
    wr_ptx_advance(p);
    return true;
}

/* `.ptr .global .align 4` behind a parameter's type. */
static bool parse_pointer(wr_ptx_parser *p, wr_ptx_var *var)
{
    if (!wr_ptx_take_dot(p, "ptr")) {
        return true;
    }
    var->is_pointer = true;
    if (wr_ptx_space_find(&p->tok, &var->pointee_space)) {
        wr_ptx_advance(p);
    }
    return !wr_ptx_take_dot(p, "align") || parse_align(p, &var->pointee_align);
}

static bool parse_dimensions(wr_ptx_parser *p, wr_ptx_var *var, wr_ptx_shape *dims)
{
    dims->element_size = wr_ptx_type_size(var->type);
    uint64_t size = dims->element_size * var->vec;
    uint64_t natural = size;
    while (wr_ptx_take(p, '[')) {
        const wr_ptx_token at = p->tok;
        uint64_t extent = 0;
        var->is_array = true;
        if (dims->count == 0 && wr_ptx_at(p, ']')) {
            dims->open = true;
            dims->extent[dims->count++] = 1;
            wr_ptx_advance(p);
            continue;
        }
        wr_ptx_operand number;
        if (!wr_ptx_parse_constant(p, &number) || !wr_ptx_expect(p, ']', "an array size")) {
            return false;
        }
        extent = number.bits;
        bool integer = number.type == WR_PTX_U64 || number.type == WR_PTX_S64;
        if (!integer || extent > SIZE_LIMIT || (extent != 0 && size > SIZE_LIMIT / extent)) {
            return wr_ptx_fail(p, at.line, at.column,
                               "array '%s' is too large; at most 4 GiB are possible", var->name);
        }
        if (dims->count == WR_PTX_DIMENSIONS_MAX) {
            return wr_ptx_fail(p, at.line, at.column, "array '%s' has more than %d dimensions",
                               var->name, WR_PTX_DIMENSIONS_MAX);
        }
        dims->extent[dims->count++] = extent;
        size *= extent;
    }
    if (var->vec > 1) {
        dims->extent[dims->count++] = var->vec;
    }
    var->size = dims->open ? 0 : size;
    if (var->align == 0) {
        var->align = (uint32_t)natural;
    }
    return true;
}

/* A new variable takes an earlier `.extern` one's place, so that uses before it mean it too. */
static bool declare_variable(wr_ptx_parser *p, wr_ptx_var **var, bool *is_new)
{
    wr_ptx_meaning *old = wr_ptx_lookup_here(p, (*var)->name, p->scope);
    *is_new = true;
    if (old != NULL && old->kind == WR_PTX_SYM_VAR && old->var->space == (*var)->space &&
        (old->var->linkage == WR_PTX_LINK_EXTERN || (*var)->linkage == WR_PTX_LINK_EXTERN)) {
        *is_new = false;
        if ((*var)->linkage != WR_PTX_LINK_EXTERN) {
            (*var)->next = old->var->next;
            (*var)->index = old->var->index;
            *old->var = **var;
        }
        *var = old->var;
        return true;
    }
    wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_VAR, .var = *var};
    return wr_ptx_declare(p, (*var)->name, &meaning, (*var)->line, (*var)->column);
}

static bool parse_name(wr_ptx_parser *p, wr_ptx_var *var)
{
    if (p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "a name");
    }
    var->name = wr_ptx_intern(p, p->tok.text, p->tok.len);
    var->line = p->tok.line;
    var->column = p->tok.column;
    wr_ptx_advance(p);
    return true;
}

const wr_ptx_var *wr_ptx_grid_workspace(wr_ptx_parser *p)
{
    if (p->grid_workspace == NULL) {
        wr_ptx_var *var = (wr_ptx_var *)wr_ptx_arena_alloc(p->arena, sizeof *var);
        *var = (wr_ptx_var){.name = "%grid_workspace",
                            .space = WR_PTX_SPACE_GLOBAL,
                            .type = WR_PTX_U64,
                            .vec = 1,
                            .align = 8,
                            .size = 8,
                            .index = p->module->var_count++};
        *p->var_tail = var;
        p->var_tail = &var->next;
        p->grid_workspace = var;
    }
    return p->grid_workspace;
}

/* Enters a variable of a declaration outside functions that could not be read. */
static bool refuse_variable(wr_ptx_parser *p, wr_ptx_space space, const wr_diag *why)
{
    const char *name = wr_ptx_intern(p, p->tok.text, p->tok.len);
    wr_ptx_meaning *old = wr_ptx_lookup_here(p, name, p->scope);
    if (old != NULL) { /* by the attempt to read it, or it is a second one */
        bool same = old->kind == WR_PTX_SYM_VAR && old->var->line == p->tok.line &&
                    old->var->column == p->tok.column;
        if (same) {
            old->var->refused = why;
        }
        return same;
    }
    wr_ptx_var *var = (wr_ptx_var *)wr_ptx_arena_alloc(p->arena, sizeof *var);
    *var = (wr_ptx_var){.name = name,
                        .space = space,
                        .type = WR_PTX_B8,
                        .vec = 1,
                        .align = 1,
                        .in_module = true,
                        .refused = why,
                        .line = p->tok.line,
                        .column = p->tok.column,
                        .index = p->module->var_count++};
    wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_VAR, .var = var};
    *p->var_tail = var;
    p->var_tail = &var->next;
    return wr_ptx_declare(p, name, &meaning, var->line, var->column);
}

bool wr_ptx_refuse_variables(wr_ptx_parser *p, const wr_ptx_place *start, wr_ptx_space space)
{
    wr_diag *why = (wr_diag *)wr_ptx_arena_alloc(p->arena, sizeof *why);
    unsigned open = 0;
    bool names = true; /* the next name on this level is a variable's */
    bool any = false;
    if (p->lexer.failed) {
        return false;
    }
    *why = *p->diag;
    wr_ptx_return_to(p, start);
    while (open > 0 || !wr_ptx_at(p, ';')) {
        bool opens = wr_ptx_at(p, '[') || wr_ptx_at(p, '{') || wr_ptx_at(p, '(');
        bool closes = wr_ptx_at(p, ']') || wr_ptx_at(p, '}') || wr_ptx_at(p, ')');
        if (p->tok.kind == WR_PTX_TOK_ERROR) {
            return false; /* the lexer has said why */
        }
        if (p->tok.kind == WR_PTX_TOK_END || (closes && open == 0)) {
            *p->diag = *why;
            return false;
        }
        open = open + (opens ? 1U : 0U) - (closes ? 1U : 0U);
        if (open == 0 && names && p->tok.kind == WR_PTX_TOK_IDENT) {
            if (!refuse_variable(p, space, why)) {
                *p->diag = *why;
                return false;
            }
            names = false;
            any = true;
        }
        names = names || (open == 0 && wr_ptx_at(p, ','));
        wr_ptx_advance(p);
    }
    wr_ptx_advance(p);
    if (!any) {
        *p->diag = *why;
    } else if (!p->lexer.failed) { /* else it says why, of what stands behind */
        *p->diag = (wr_diag){.line = 0};
    }
    return any;
}

bool wr_ptx_parse_variables(wr_ptx_parser *p, wr_ptx_linkage linkage, wr_ptx_space space)
{
    wr_ptx_var base = {.space = space, .linkage = linkage, .vec = 1, .in_module = p->func == NULL};
    if (!parse_type(p, &base)) {
        return false;
    }
    /* A function's .global and .const variables are its own by name only: there is one of each. */
    bool in_image = space == WR_PTX_SPACE_GLOBAL || space == WR_PTX_SPACE_CONST;
    bool own = p->func != NULL && !in_image;
    wr_ptx_var ***tail = own ? &p->func_var_tail : &p->var_tail;
    uint32_t *count = own ? &p->func->var_count : &p->module->var_count;
    do {
        wr_ptx_var *var = (wr_ptx_var *)wr_ptx_arena_alloc(p->arena, sizeof *var);
        wr_ptx_shape dims = {.count = 0};
        bool is_new = false;
        *var = base;
        if (!parse_name(p, var) || !parse_dimensions(p, var, &dims)) {
            return false;
        }
        if (!wr_ptx_at(p, '=') && dims.open) {
            var->is_open = true;
            if (space != WR_PTX_SPACE_SHARED && linkage != WR_PTX_LINK_EXTERN) {
                return wr_ptx_fail(p, var->line, var->column, "array '%s' lacks its size",
                                   var->name);
            }
        }
        if (space == WR_PTX_SPACE_LOCAL && linkage == WR_PTX_LINK_EXTERN) {
            return wr_ptx_fail(p, var->line, var->column,
                               "variable '%s' is external: modules are not linked, so define it in "
                               "this one",
                               var->name);
        }
        var->index = *count;
        if (!declare_variable(p, &var, &is_new)) {
            return false;
        }
        if (is_new) {
            **tail = var;
            *tail = &var->next;
            (*count)++;
        }
        if (wr_ptx_take(p, '=') &&
            !(base.refused != NULL ? skip_values(p) : wr_ptx_parse_initialiser(p, var, &dims))) {
            return false;
        }
    } while (wr_ptx_take(p, ','));
    return wr_ptx_expect(p, ';', "a variable declaration");
}

bool wr_ptx_parse_params(wr_ptx_parser *p, wr_ptx_var **list, uint32_t *count, uint64_t *bytes)
{
    wr_ptx_var **tail = list;
    uint64_t at = 0;
    *list = NULL;
    *count = 0;
    while (!wr_ptx_at(p, ')')) {
        wr_ptx_var *var = (wr_ptx_var *)wr_ptx_arena_alloc(p->arena, sizeof *var);
        wr_ptx_shape dims = {.count = 0};
        var->space = WR_PTX_SPACE_PARAM;
        var->vec = 1;
        var->is_reg = wr_ptx_take_dot(p, "reg");
        if (!var->is_reg && !wr_ptx_take_dot(p, "param")) {
            return wr_ptx_fail_expected(p, "'.param' or ')'");
        }
        if (!parse_type(p, var) || !parse_pointer(p, var)) {
            return false;
        }
        if (p->tok.kind == WR_PTX_TOK_IDENT && p->tok.len == 1 && p->tok.text[0] == '_') {
            var->name = "_"; /* prototypes leave names out */
            wr_ptx_advance(p);
        } else if (!parse_name(p, var)) {
            return false;
        }
        if (!parse_dimensions(p, var, &dims)) {
            return false;
        }
        wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_VAR, .var = var};
        if (!var->is_reg && (var->name[0] != '_' || var->name[1] != '\0')) {
            if (!wr_ptx_declare(p, var->name, &meaning, var->line, var->column)) {
                return false;
            }
        }
        at = (at + var->align - 1) / var->align * var->align;
        var->offset = at;
        at += var->size;
        var->index = (*count)++;
        *tail = var;
        tail = &var->next;
        if (!wr_ptx_take(p, ',')) {
            break;
        }
    }
    if (bytes != NULL) {
        *bytes = at;
    }
    return wr_ptx_expect(p, ')', "the parameters");
}
