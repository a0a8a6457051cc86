/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: nested blocks, declarations, labels and their tables. Instructions are insn.c's.
 *
 * Blocks nest by an explicit counter, not by recursion: a hostile file cannot exhaust the
 * stack, and the scopes are the only thing that a block opens.
 */
#include "shell/ptx/parser.h"

static void add_pending(wr_ptx_parser *p, const wr_ptx_token *at, wr_ptx_table *table,
                        uint32_t index)
{
    wr_ptx_pending *pending = (wr_ptx_pending *)wr_ptx_arena_alloc(p->arena, sizeof *pending);
    *pending = (wr_ptx_pending){.name = wr_ptx_intern(p, at->text, at->len),
                                .scope = p->scope,
                                .table = table,
                                .index = index,
                                .line = at->line,
                                .column = at->column,
                                .next = p->pending};
    p->pending = pending;
}

/* Targets of brx.idx, up to `;`. */
static bool parse_branch_targets(wr_ptx_parser *p, wr_ptx_table *table)
{
    size_t capacity = 0;
    do {
        if (p->tok.kind != WR_PTX_TOK_IDENT) {
            return wr_ptx_fail_expected(p, "a label behind .branchtargets");
        }
        table->targets = (uint32_t *)wr_ptx_arena_grow(p->arena, table->targets, table->count,
                                                       &capacity, sizeof(uint32_t));
        add_pending(p, &p->tok, table, table->count++);
        wr_ptx_advance(p);
    } while (wr_ptx_take(p, ','));
    return wr_ptx_expect(p, ';', ".branchtargets");
}

static bool parse_call_targets(wr_ptx_parser *p, wr_ptx_table *table)
{
    size_t capacity = 0;
    do {
        const wr_ptx_token at = p->tok;
        const wr_ptx_meaning *found = NULL;
        if (at.kind == WR_PTX_TOK_IDENT) {
            found = wr_ptx_lookup(p, wr_ptx_intern(p, at.text, at.len), 0);
        }
        if (found == NULL || found->kind != WR_PTX_SYM_FUNC) {
            return wr_ptx_fail_expected(p, "a function declared above behind .calltargets");
        }
        table->funcs = (const wr_ptx_func **)wr_ptx_arena_grow(
            p->arena, table->funcs, table->count, &capacity, sizeof(const wr_ptx_func *));
        table->funcs[table->count++] = found->func;
        wr_ptx_advance(p);
    } while (wr_ptx_take(p, ','));
    return wr_ptx_expect(p, ';', ".calltargets");
}

/* .callprototype (ret) _ (params) ; */
static bool parse_prototype(wr_ptx_parser *p, wr_ptx_table *table)
{
    uint32_t rets = 0;
    if (!wr_ptx_scope_open(p)) {
        return false;
    }
    if (wr_ptx_take(p, '(') && !wr_ptx_parse_params(p, &table->rets, &rets, NULL)) {
        return false;
    }
    if (p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "'_' behind .callprototype");
    }
    wr_ptx_advance(p);
    if (wr_ptx_take(p, '(') && !wr_ptx_parse_params(p, &table->params, &table->count, NULL)) {
        return false;
    }
    (void)wr_ptx_take_dot(p, "noreturn");
    wr_ptx_scope_close(p);
    return wr_ptx_expect(p, ';', ".callprototype");
}

static bool parse_table(wr_ptx_parser *p, const wr_ptx_token *label)
{
    wr_ptx_table *table = (wr_ptx_table *)wr_ptx_arena_alloc(p->arena, sizeof *table);
    table->name = wr_ptx_intern(p, label->text, label->len);
    table->line = label->line;
    wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_TABLE, .table = table};
    if (!wr_ptx_declare(p, table->name, &meaning, label->line, label->column)) {
        return false;
    }
    table->next = p->func->tables;
    p->func->tables = table;
    if (wr_ptx_take_dot(p, "branchtargets")) {
        table->kind = WR_PTX_TABLE_BRANCH;
        return parse_branch_targets(p, table);
    }
    if (wr_ptx_take_dot(p, "calltargets")) {
        table->kind = WR_PTX_TABLE_CALL;
        return parse_call_targets(p, table);
    }
    wr_ptx_advance(p);
    table->kind = WR_PTX_TABLE_PROTO;
    return parse_prototype(p, table);
}

static bool parse_label(wr_ptx_parser *p)
{
    const wr_ptx_token at = p->tok;
    wr_ptx_func *func = p->func;
    wr_ptx_advance(p);
    wr_ptx_advance(p);
    if (wr_ptx_at_dot(p, "branchtargets") || wr_ptx_at_dot(p, "calltargets") ||
        wr_ptx_at_dot(p, "callprototype")) {
        return parse_table(p, &at);
    }
    const char *name = wr_ptx_intern(p, at.text, at.len);
    wr_ptx_meaning meaning = {.kind = WR_PTX_SYM_LABEL, .index = func->insn_count};
    if (!wr_ptx_declare(p, name, &meaning, at.line, at.column)) {
        return false;
    }
    func->labels = (wr_ptx_label *)wr_ptx_arena_grow(p->arena, func->labels, func->label_count,
                                                     &p->label_capacity, sizeof(wr_ptx_label));
    func->labels[func->label_count++] = (wr_ptx_label){
        .name = name, .target = func->insn_count, .line = at.line, .column = at.column};
    return true;
}

bool wr_ptx_resolve_labels(wr_ptx_parser *p)
{
    const wr_ptx_pending *first_bad = NULL;
    for (wr_ptx_pending *use = p->pending; use != NULL; use = use->next) {
        const wr_ptx_meaning *found = wr_ptx_lookup(p, use->name, use->scope);
        if (found == NULL || found->kind != WR_PTX_SYM_LABEL) {
            first_bad = use; /* the list runs backwards, so the last one found stands first */
        } else if (use->operand != NULL) {
            use->operand->target = found->index;
        } else {
            use->table->targets[use->index] = found->index;
        }
    }
    if (first_bad != NULL) {
        return wr_ptx_fail(p, first_bad->line, first_bad->column,
                           "label '%s' does not stand in this function; add it or mend its name",
                           first_bad->name);
    }
    return true;
}

static bool parse_directive(wr_ptx_parser *p)
{
    wr_ptx_space space;
    if (wr_ptx_take_dot(p, "reg")) {
        return wr_ptx_parse_registers(p);
    }
    if (wr_ptx_take_dot(p, "loc")) {
        return wr_ptx_parse_loc(p);
    }
    if (wr_ptx_take_dot(p, "pragma")) {
        return wr_ptx_parse_pragma(p);
    }
    wr_ptx_linkage linkage = wr_ptx_parse_linkage(p);
    if (wr_ptx_space_find(&p->tok, &space)) {
        wr_ptx_advance(p);
        return wr_ptx_parse_variables(p, linkage, space);
    }
    return wr_ptx_fail_expected(p, "an instruction or a declaration");
}

/* A declaration can't be read: refuses the function and passes over the rest of it, which may name
 * what it would have declared. False: it has no end. */
static bool refuse_rest(wr_ptx_parser *p, const wr_ptx_place *start, unsigned open)
{
    const wr_diag why = *p->diag;
    if (p->lexer.failed) {
        return false;
    }
    wr_ptx_return_to(p, start);
    for (unsigned scopes = open; scopes > 1; scopes--) {
        wr_ptx_scope_close(p);
    }
    while (open > 0) {
        if (p->tok.kind == WR_PTX_TOK_ERROR) {
            return false; /* the lexer has said why */
        }
        if (p->tok.kind == WR_PTX_TOK_END) {
            *p->diag = why;
            return false;
        }
        open = open + (wr_ptx_at(p, '{') ? 1U : 0U) - (wr_ptx_at(p, '}') ? 1U : 0U);
        wr_ptx_advance(p);
    }
    p->pending = NULL;
    wr_ptx_refuse_func(p, p->func, why.line, why.column, "%s", why.message);
    if (!p->lexer.failed) { /* else it says why, of what stands behind */
        *p->diag = (wr_diag){.line = 0};
    }
    return true;
}

bool wr_ptx_parse_block(wr_ptx_parser *p)
{
    unsigned open = 1;
    while (open > 0) {
        bool ok = true;
        if (wr_ptx_take(p, '}')) {
            open--;
            if (open > 0) {
                wr_ptx_scope_close(p);
            }
        } else if (wr_ptx_take(p, '{')) {
            open++;
            ok = wr_ptx_scope_open(p);
        } else if (p->tok.kind == WR_PTX_TOK_DOT) {
            const wr_ptx_place start = wr_ptx_here(p);
            if (!parse_directive(p)) {
                return refuse_rest(p, &start, open);
            }
        } else if (p->tok.kind == WR_PTX_TOK_IDENT && p->next.kind == WR_PTX_TOK_PUNCT &&
                   p->next.punct == ':') {
            ok = parse_label(p);
        } else if (p->tok.kind == WR_PTX_TOK_IDENT || wr_ptx_at(p, '@')) {
            ok = wr_ptx_parse_insn(p);
        } else if (!wr_ptx_take(p, ';')) {
            ok = wr_ptx_fail_expected(p, "an instruction or '}'");
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}
