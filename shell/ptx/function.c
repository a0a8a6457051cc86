/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: head, body, and the debug lines that both module and body may hold. */
#include "shell/ptx/parser.h"

#include <string.h>

/* Up to three extents; those left out are 1. */
static bool parse_extents(wr_ptx_parser *p, uint32_t extents[3])
{
    const wr_ptx_token at = p->tok;
    for (unsigned i = 0; i < 3; i++) {
        extents[i] = 1;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value = 0;
        if (!wr_ptx_parse_number(p, "a number of threads", 1U << 20, &value)) {
            return false;
        }
        if (value == 0) {
            return wr_ptx_fail(p, at.line, at.column, "a number of threads must be above 0");
        }
        extents[i] = (uint32_t)value;
        if (!wr_ptx_take(p, ',')) {
            break;
        }
    }
    return true;
}

/* One number, for a directive whose list has one entry only. */
static bool parse_count(wr_ptx_parser *p, uint32_t *out)
{
    uint64_t value = 0;
    if (!wr_ptx_parse_number(p, "a number", UINT32_MAX, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool wr_ptx_parse_pragma(wr_ptx_parser *p)
{
    do {
        if (p->tok.kind != WR_PTX_TOK_STRING) {
            return wr_ptx_fail_expected(p, "a string behind .pragma");
        }
        if (p->func != NULL) {
            wr_ptx_pragma *pragma = (wr_ptx_pragma *)wr_ptx_arena_alloc(p->arena, sizeof *pragma);
            pragma->text = wr_ptx_arena_text(p->arena, p->tok.text, p->tok.len);
            pragma->at = p->func->insn_count;
            *p->pragma_tail = pragma;
            p->pragma_tail = &pragma->next;
        }
        wr_ptx_advance(p);
    } while (wr_ptx_take(p, ','));
    return wr_ptx_expect(p, ';', ".pragma");
}

static bool parse_place(wr_ptx_parser *p, uint64_t *file, uint64_t *line)
{
    uint64_t column = 0;
    return wr_ptx_parse_number(p, "a file number", UINT32_MAX, file) &&
           wr_ptx_parse_number(p, "a line number", UINT32_MAX, line) &&
           wr_ptx_parse_number(p, "a column number", UINT32_MAX, &column);
}

static bool take_word(wr_ptx_parser *p, const char *word)
{
    bool stands = p->tok.kind == WR_PTX_TOK_IDENT && p->tok.len == strlen(word) &&
                  memcmp(p->tok.text, word, p->tok.len) == 0;
    if (stands) {
        wr_ptx_advance(p);
    }
    return stands;
}

/* Behind .loc: file line column [, function_name label [+ n], inlined_at file line column].
 * The place in the function that was inlined is the one kept. */
bool wr_ptx_parse_loc(wr_ptx_parser *p)
{
    uint64_t file = 0;
    uint64_t line = 0;
    uint64_t outer_file = 0;
    uint64_t outer_line = 0;
    uint64_t offset = 0;
    if (!parse_place(p, &file, &line)) {
        return false;
    }
    p->src_file = (unsigned)file;
    p->src_line = (unsigned)line;
    if (!wr_ptx_take(p, ',')) {
        return true;
    }
    if (!take_word(p, "function_name")) {
        return wr_ptx_fail_expected(p, "function_name");
    }
    if (p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "a label behind function_name");
    }
    wr_ptx_advance(p);
    if (wr_ptx_take(p, '+') && !wr_ptx_parse_number(p, "an offset", UINT32_MAX, &offset)) {
        return false;
    }
    if (!wr_ptx_take(p, ',') || !take_word(p, "inlined_at")) {
        return wr_ptx_fail_expected(p, "', inlined_at'");
    }
    return parse_place(p, &outer_file, &outer_line);
}

/* `.explicitcluster`, `.reqnctapercluster 2`, `.blocksareclusters`: the function is refused. */
static bool refuse_cluster(wr_ptx_parser *p, wr_ptx_func *func)
{
    uint32_t ignored[3];
    wr_ptx_refuse_func(p, func, p->tok.line, p->tok.column,
                       "'.%.*s' is not supported: thread block clusters are not modelled",
                       (int)p->tok.len, p->tok.text);
    bool has_extents = wr_ptx_at_dot(p, "reqnctapercluster");
    wr_ptx_advance(p);
    return !has_extents || parse_extents(p, ignored);
}

/* Before PTX 2.3 a prototype ends where the next directive begins. */
static bool ends_without(const wr_ptx_parser *p)
{
    const wr_ptx_module *m = p->module;
    bool is_old = m->version_major < 2 || (m->version_major == 2 && m->version_minor < 3);

    return is_old && (p->tok.kind == WR_PTX_TOK_DOT || p->tok.kind == WR_PTX_TOK_END);
}

/* What may stand between the parameters and the body. */
static bool parse_tuning(wr_ptx_parser *p, wr_ptx_func *func)
{
    uint32_t ignored[3];
    while (p->tok.kind == WR_PTX_TOK_DOT) {
        bool ok = true;
        if (wr_ptx_take_dot(p, "maxntid")) {
            ok = parse_extents(p, func->maxntid);
        } else if (wr_ptx_take_dot(p, "reqntid")) {
            ok = parse_extents(p, func->reqntid);
        } else if (wr_ptx_take_dot(p, "minnctapersm")) {
            ok = parse_count(p, &func->minnctapersm);
        } else if (wr_ptx_take_dot(p, "maxnctapersm")) {
            ok = parse_count(p, &func->maxnctapersm);
        } else if (wr_ptx_take_dot(p, "maxnreg")) {
            ok = parse_count(p, &func->maxnreg);
        } else if (wr_ptx_take_dot(p, "abi_preserve") ||
                   wr_ptx_take_dot(p, "abi_preserve_control")) {
            ok = parse_count(p, ignored);
        } else if (wr_ptx_take_dot(p, "noreturn")) {
            func->noreturn = true;
        } else if (wr_ptx_take_dot(p, "pragma")) {
            ok = wr_ptx_parse_pragma(p);
        } else if (wr_ptx_take_dot(p, "maxclusterrank")) {
            ok = parse_extents(p, ignored);
        } else if (wr_ptx_at_dot(p, "explicitcluster") || wr_ptx_at_dot(p, "reqnctapercluster") ||
                   wr_ptx_at_dot(p, "blocksareclusters")) {
            ok = refuse_cluster(p, func);
        } else if (ends_without(p)) {
            return true;
        } else {
            ok = wr_ptx_fail_expected(p, "'{' of the function's body");
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* The name's earlier declaration with no body, or a new function. */
static wr_ptx_func *find_or_add(wr_ptx_parser *p, const wr_ptx_token *at, const char *name,
                                bool is_entry)
{
    const wr_ptx_meaning *old = wr_ptx_lookup_here(p, name, 0);
    if (old != NULL) {
        if (old->kind != WR_PTX_SYM_FUNC || old->func->has_body ||
            old->func->is_entry != is_entry) {
            wr_ptx_fail(p, at->line, at->column, "'%s' is declared twice; the first is on line %u",
                        name, old->line);
            return NULL;
        }
        return old->func;
    }
    wr_ptx_func *func = (wr_ptx_func *)wr_ptx_arena_alloc(p->arena, sizeof *func);
    wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_FUNC, .func = func};
    if (!wr_ptx_declare(p, name, &meaning, at->line, at->column)) {
        return NULL;
    }
    func->name = name;
    func->is_entry = is_entry;
    func->index = p->module->func_count++;
    *p->func_tail = func;
    p->func_tail = &func->next;
    return func;
}

static void begin_function(wr_ptx_parser *p, wr_ptx_func *func)
{
    p->func = func;
    p->func_var_tail = &func->vars;
    p->pragma_tail = &func->pragmas;
    p->reg_capacity = 0;
    p->insn_capacity = 0;
    p->label_capacity = 0;
    p->pending = NULL;
    p->src_file = 0;
    p->src_line = 0;
}

static bool declare_registers(wr_ptx_parser *p, wr_ptx_var *list)
{
    for (wr_ptx_var *var = list; var != NULL; var = var->next) {
        if (var->is_reg && !wr_ptx_declare_register(p, var)) {
            return false;
        }
    }
    return true;
}

static bool parse_body(wr_ptx_parser *p, wr_ptx_func *func)
{
    if (func->linkage == WR_PTX_LINK_EXTERN) {
        return wr_ptx_fail(p, p->tok.line, p->tok.column,
                           "'%s' is .extern and has a body; remove one of them", func->name);
    }
    func->has_body = true;
    wr_ptx_advance(p);
    return declare_registers(p, func->rets) && declare_registers(p, func->params) &&
           wr_ptx_parse_block(p) && wr_ptx_resolve_labels(p);
}

/* Parameters from `start` on can't be read: refuses the function, and passes over it. False: it has
 * no end. */
static bool refuse_head(wr_ptx_parser *p, wr_ptx_func *func, const wr_ptx_place *start)
{
    const wr_diag why = *p->diag;
    unsigned open = 0;
    bool ends = false;
    if (p->lexer.failed) {
        return false;
    }
    wr_ptx_return_to(p, start);
    while (!ends) {
        bool opens = wr_ptx_at(p, '(') || wr_ptx_at(p, '{');
        bool closes = wr_ptx_at(p, ')') || wr_ptx_at(p, '}');
        if (p->tok.kind == WR_PTX_TOK_ERROR) {
            return false; /* the lexer has said why */
        }
        if (p->tok.kind == WR_PTX_TOK_END || (closes && open == 0)) {
            *p->diag = why;
            return false;
        }
        open = open + (opens ? 1U : 0U) - (closes ? 1U : 0U);
        func->has_body = func->has_body || wr_ptx_at(p, '{');
        ends = open == 0 && (wr_ptx_at(p, '}') || wr_ptx_at(p, ';'));
        wr_ptx_advance(p);
    }
    wr_ptx_refuse_func(p, func, why.line, why.column, "%s", why.message);
    if (!p->lexer.failed) { /* else it says why, of what stands behind */
        *p->diag = (wr_diag){.line = 0};
    }
    return true;
}

bool wr_ptx_parse_function(wr_ptx_parser *p, bool is_entry, wr_ptx_linkage linkage)
{
    wr_ptx_var *rets = NULL;
    wr_ptx_var *params = NULL;
    uint32_t ret_count = 0;
    uint32_t param_count = 0;
    uint64_t bytes = 0;
    uint32_t outside = p->scope;
    if (!wr_ptx_skip_attribute(p) || !wr_ptx_scope_open(p)) {
        return false;
    }
    uint32_t inside = p->scope;
    if (!is_entry && wr_ptx_take(p, '(') && !wr_ptx_parse_params(p, &rets, &ret_count, NULL)) {
        return false;
    }
    const wr_ptx_token at = p->tok;
    if (at.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, is_entry ? "the name of the kernel"
                                                : "the name of the function");
    }
    p->scope = outside;
    wr_ptx_func *func = find_or_add(p, &at, wr_ptx_intern(p, at.text, at.len), is_entry);
    p->scope = inside;
    if (func == NULL) {
        return false;
    }
    wr_ptx_advance(p);
    func->linkage = linkage;
    func->line = at.line;
    func->column = at.column;
    const wr_ptx_place start = wr_ptx_here(p);
    if (wr_ptx_take(p, '(') && !wr_ptx_parse_params(p, &params, &param_count, &bytes)) {
        bool ok = refuse_head(p, func, &start);
        wr_ptx_scope_close(p);
        return ok;
    }
    func->rets = rets;
    func->params = params;
    func->ret_count = ret_count;
    func->param_count = param_count;
    func->param_bytes = bytes;
    for (const wr_ptx_var *var = params; var != NULL; var = var->next) {
        func->refused = func->refused == NULL ? var->refused : func->refused;
        if (is_entry && var->is_reg) {
            return wr_ptx_fail(p, var->line, var->column, "a kernel's parameters must be .param");
        }
    }
    begin_function(p, func);
    if (!parse_tuning(p, func)) {
        return false;
    }
    if (wr_ptx_at(p, '{')) {
        if (!parse_body(p, func)) {
            return false;
        }
    } else if (!wr_ptx_take(p, ';') && !ends_without(p)) {
        return wr_ptx_fail_expected(p, "'{' or ';' behind the head of a function");
    }
    p->func = NULL;
    wr_ptx_scope_close(p);
    return true;
}
