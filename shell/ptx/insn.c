/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: guard, mnemonic, operands; names resolved, form matched, operands checked.
 *
 * Operands are read without knowing what the form wants, so that a wrong one can be named by
 * what it is. The one exception is a branch's target, which may stand further down.
 *
 * An instruction that has no form, and a special register that is not modelled, refuse the
 * function; the text behind is read on. An operand that does not suit its form is a fault of the
 * text.
 */
#include "shell/ptx/parser.h"

#include <string.h>

static bool parse_operand(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_operand *out);

static bool parse_guard(wr_ptx_parser *p, wr_ptx_insn *insn)
{
    insn->guard_neg = wr_ptx_take(p, '!');
    const wr_ptx_token at = p->tok;
    if (at.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "a predicate behind '@'");
    }
    const char *name = wr_ptx_intern(p, at.text, at.len);
    const wr_ptx_meaning *found = wr_ptx_lookup(p, name, p->scope);
    if (found == NULL) {
        return wr_ptx_fail(p, at.line, at.column,
                           "predicate '%s' is not declared; declare it with .reg .pred", name);
    }
    if (found->kind != WR_PTX_SYM_REG || p->func->regs[found->index].type != WR_PTX_PRED) {
        return wr_ptx_fail(p, at.line, at.column, "guard '%s' is not a register of type .pred",
                           name);
    }
    insn->guard = found->index;
    wr_ptx_advance(p);
    return true;
}

/* The mnemonic's words; also their text as one, for messages. */
static bool parse_words(wr_ptx_parser *p, wr_ptx_words *words, wr_ptx_insn *insn)
{
    char text[128];
    size_t at = 0;
    words->count = 0;
    insn->line = p->tok.line;
    insn->column = p->tok.column;
    if (p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "an instruction");
    }
    do {
        if (words->count == sizeof words->text / sizeof words->text[0] ||
            at + p->tok.len + 1 >= sizeof text) {
            return wr_ptx_fail(p, insn->line, insn->column,
                               "this instruction has more modifiers than any can have");
        }
        words->text[words->count] = p->tok.text;
        words->len[words->count] = p->tok.len;
        words->line[words->count] = p->tok.line;
        words->column[words->count] = p->tok.column;
        if (words->count > 0) {
            text[at++] = '.';
        }
        words->count++;
        memcpy(text + at, p->tok.text, p->tok.len);
        at += p->tok.len;
        wr_ptx_advance(p);
    } while (p->tok.kind == WR_PTX_TOK_DOT);
    insn->text = wr_ptx_intern(p, text, at);
    return true;
}

static bool parse_component(wr_ptx_parser *p, wr_ptx_operand *out, const wr_ptx_token *at)
{
    static const char names[] = "xyzw";
    const wr_ptx_sreg_info *info = &wr_ptx_sregs[out->sreg];
    bool given = p->tok.kind == WR_PTX_TOK_DOT;
    if (given && info->has_component && p->tok.len == 1) {
        const char *place = strchr(names, p->tok.text[0]);
        if (place != NULL) {
            out->component = (uint8_t)(place - names);
            wr_ptx_advance(p);
            return true;
        }
    }
    if (given || info->has_component) {
        return wr_ptx_fail(p, at->line, at->column,
                           info->has_component ? "'%s' needs a component: .x, .y or .z"
                                               : "'%s' has no components",
                           info->name);
    }
    return true;
}

static bool is_component(const wr_ptx_token *tok)
{
    return tok->kind == WR_PTX_TOK_DOT && tok->len == 1 && strchr("xyzw", tok->text[0]) != NULL;
}

/* A vector register: whole, as if its elements stood in braces, or one of them. */
static bool parse_vector(wr_ptx_parser *p, const wr_ptx_meaning *found, wr_ptx_operand *out)
{
    static const char names[] = "xyzwrgba";
    const char *place =
        p->tok.kind == WR_PTX_TOK_DOT && p->tok.len == 1 ? strchr(names, p->tok.text[0]) : NULL;
    unsigned element = place != NULL ? (unsigned)(place - names) % 4 : 0;
    if (p->tok.kind == WR_PTX_TOK_DOT && (place == NULL || element >= found->vec)) {
        return wr_ptx_fail(p, p->tok.line, p->tok.column,
                           "a vector register of %u has no element '.%.*s'", found->vec,
                           (int)(p->tok.len < 60 ? p->tok.len : 60), p->tok.text);
    }
    if (place != NULL) {
        out->kind = WR_PTX_OPD_REG;
        out->reg = found->index + element;
        wr_ptx_advance(p);
        return true;
    }
    out->kind = WR_PTX_OPD_VECTOR;
    out->count = found->vec;
    out->elems =
        (wr_ptx_operand *)wr_ptx_arena_alloc(p->arena, found->vec * sizeof(wr_ptx_operand));
    for (unsigned i = 0; i < found->vec; i++) {
        out->elems[i] = (wr_ptx_operand){.kind = WR_PTX_OPD_REG,
                                         .reg = found->index + i,
                                         .reg2 = WR_PTX_NO_REG,
                                         .line = out->line,
                                         .column = out->column};
    }
    return true;
}

/* Behind a name that nothing in the module has. */
static bool parse_unknown(wr_ptx_parser *p, const wr_ptx_token *at, wr_ptx_operand *out)
{
    static const char *const known[] = {"%pm", "%current_graph"};
    int len = (int)(at->len < 60 ? at->len : 60);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t prefix = strlen(known[i]);
        if (at->len >= prefix && memcmp(at->text, known[i], prefix) == 0) {
            wr_ptx_refuse_func(p, p->func, at->line, at->column,
                               "'%.*s' is not supported: this special register is not modelled",
                               len, at->text);
            if (is_component(&p->tok)) {
                wr_ptx_advance(p);
            }
            out->kind = WR_PTX_OPD_IMM;
            out->type = WR_PTX_U64;
            return true;
        }
    }
    if (at->text[0] == '%') {
        return wr_ptx_fail(p, at->line, at->column,
                           "register '%.*s' is not declared; declare it with .reg", len, at->text);
    }
    return wr_ptx_fail(p, at->line, at->column,
                       "'%.*s' is not declared: no register, variable or function of that name",
                       len, at->text);
}

/* %envreg0 to %envreg31. */
static bool take_envreg(wr_ptx_parser *p, const wr_ptx_token *at, wr_ptx_operand *out)
{
    static const char head[] = "%envreg";
    size_t digits = at->len - (sizeof head - 1);
    unsigned number = 0;
    if (at->len < sizeof head || digits > 2 || memcmp(at->text, head, sizeof head - 1) != 0) {
        return false;
    }
    for (size_t i = sizeof head - 1; i < at->len; i++) {
        if (at->text[i] < '0' || at->text[i] > '9') {
            return false;
        }
        number = 10 * number + (unsigned)(at->text[i] - '0');
    }
    if (number > 31) {
        return false;
    }
    out->kind = WR_PTX_OPD_SREG;
    out->sreg = WR_PTX_SREG_ENVREG;
    out->component = (uint8_t)number;
    out->var = number == 1 || number == 2 ? wr_ptx_grid_workspace(p) : NULL;
    return true;
}

/* A name, with what may follow it: .x, + offset, | second predicate. */
static bool parse_named(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_operand *out)
{
    const wr_ptx_token at = p->tok;
    const char *name = wr_ptx_intern(p, at.text, at.len);
    const wr_ptx_meaning *found = wr_ptx_lookup(p, name, p->scope);
    bool is_branch = form != NULL && form->op == WR_PTX_BRA;
    if (is_branch && (found == NULL || found->kind == WR_PTX_SYM_LABEL)) {
        wr_ptx_pending *use = (wr_ptx_pending *)wr_ptx_arena_alloc(p->arena, sizeof *use);
        *use = (wr_ptx_pending){.name = name,
                                .scope = p->scope,
                                .operand = out,
                                .line = at.line,
                                .column = at.column,
                                .next = p->pending};
        p->pending = use;
        out->kind = WR_PTX_OPD_LABEL;
        wr_ptx_advance(p);
        return true;
    }
    wr_ptx_advance(p);
    if (found == NULL && take_envreg(p, &at, out)) {
        return true;
    }
    if (found == NULL) {
        out->sreg = wr_ptx_sreg_find(at.text, at.len);
        if (out->sreg == WR_PTX_SREG_COUNT) {
            return parse_unknown(p, &at, out);
        }
        out->kind = WR_PTX_OPD_SREG;
        return parse_component(p, out, &at);
    }
    switch (found->kind) {
    case WR_PTX_SYM_REG:
        if (found->vec != 0) {
            return parse_vector(p, found, out);
        }
        out->kind = WR_PTX_OPD_REG;
        out->reg = found->index;
        return true;
    case WR_PTX_SYM_TABLE:
        out->kind = WR_PTX_OPD_TABLE;
        out->table = found->table;
        return true;
    case WR_PTX_SYM_VAR:
    case WR_PTX_SYM_FUNC:
        out->kind = WR_PTX_OPD_SYMBOL;
        out->var = found->var;
        out->func = found->func;
        return true;
    default:
        return wr_ptx_fail(p, at.line, at.column, "label '%s' cannot be an operand here", name);
    }
}

/* + constant, - constant, behind a register or a symbol. */
static bool parse_offset(wr_ptx_parser *p, wr_ptx_operand *out)
{
    bool negative = wr_ptx_at(p, '-');
    if (!negative && !wr_ptx_at(p, '+')) {
        return true;
    }
    wr_ptx_operand number;
    wr_ptx_advance(p);
    if (!wr_ptx_parse_constant(p, &number)) {
        return false;
    }
    if (!wr_ptx_convert_constant(&number, WR_PTX_S64)) {
        return wr_ptx_fail(p, number.line, number.column, "an offset must be an integer");
    }
    out->offset = (int64_t)(negative ? 0 - number.bits : number.bits);
    return true;
}

/* [ register or symbol or constant, + offset ] */
static bool parse_address(wr_ptx_parser *p, wr_ptx_operand *out)
{
    if (p->tok.kind == WR_PTX_TOK_IDENT) {
        if (!parse_named(p, NULL, out)) {
            return false;
        }
        bool ok =
            out->kind == WR_PTX_OPD_REG || (out->kind == WR_PTX_OPD_SYMBOL && out->var != NULL);
        if (!ok) {
            return wr_ptx_fail(p, out->line, out->column,
                               "an address must be a register or a variable, with an offset");
        }
        if (!parse_offset(p, out)) {
            return false;
        }
    } else {
        wr_ptx_operand number;
        if (!wr_ptx_parse_constant(p, &number)) {
            return false;
        }
        if (!wr_ptx_convert_constant(&number, WR_PTX_S64)) {
            return wr_ptx_fail(p, number.line, number.column, "an address must be an integer");
        }
        out->offset = (int64_t)number.bits;
    }
    out->kind = WR_PTX_OPD_ADDR;
    return wr_ptx_expect(p, ']', "an address");
}

/* Elements up to `end`, into out->elems. */
static bool parse_elements(wr_ptx_parser *p, int end, wr_ptx_operand *out)
{
    size_t capacity = 0;
    while (!wr_ptx_at(p, end)) {
        out->elems = (wr_ptx_operand *)wr_ptx_arena_grow(p->arena, out->elems, out->count,
                                                         &capacity, sizeof(wr_ptx_operand));
        if (wr_ptx_at(p, '{') || wr_ptx_at(p, '[')) {
            return wr_ptx_fail_expected(p, "a register or a number");
        }
        if (!parse_operand(p, NULL, &out->elems[out->count])) {
            return false;
        }
        out->count++;
        if (!wr_ptx_take(p, ',')) {
            break;
        }
    }
    return wr_ptx_expect(p, end, "the list");
}

static bool is_sink(const wr_ptx_token *tok)
{
    return tok->kind == WR_PTX_TOK_IDENT && tok->len == 1 && tok->text[0] == '_';
}

/* Behind `p|`. */
static bool parse_second(wr_ptx_parser *p, wr_ptx_operand *out)
{
    wr_ptx_operand second = {.reg = WR_PTX_NO_REG, .line = p->tok.line, .column = p->tok.column};
    if (out->kind == WR_PTX_OPD_SINK) {
        out->kind = WR_PTX_OPD_REG;
    }
    if (is_sink(&p->tok)) {
        wr_ptx_advance(p);
        return true;
    }
    if (p->tok.kind != WR_PTX_TOK_IDENT || !parse_named(p, NULL, &second)) {
        return p->tok.kind == WR_PTX_TOK_IDENT ? false
                                               : wr_ptx_fail_expected(p, "a predicate behind '|'");
    }
    if (second.kind != WR_PTX_OPD_REG || p->func->regs[second.reg].type != WR_PTX_PRED) {
        return wr_ptx_fail(p, second.line, second.column,
                           "what stands behind '|' must be a register of type .pred");
    }
    out->reg2 = second.reg;
    return true;
}

static bool parse_operand(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_operand *out)
{
    const wr_ptx_token at = p->tok;
    *out = (wr_ptx_operand){
        .line = at.line, .column = at.column, .reg = WR_PTX_NO_REG, .reg2 = WR_PTX_NO_REG};
    if (wr_ptx_take(p, '[')) {
        return parse_address(p, out);
    }
    if (wr_ptx_take(p, '{')) {
        out->kind = WR_PTX_OPD_VECTOR;
        return parse_elements(p, '}', out);
    }
    bool constant =
        at.kind != WR_PTX_TOK_IDENT || (at.len == 7 && memcmp(at.text, "WARP_SZ", 7) == 0);
    if (wr_ptx_at(p, '!') && p->next.kind == WR_PTX_TOK_IDENT) {
        wr_ptx_advance(p);
        if (!parse_named(p, form, out)) {
            return false;
        }
        if (out->kind != WR_PTX_OPD_REG) {
            return wr_ptx_fail(p, at.line, at.column, "'!' takes a predicate");
        }
        out->neg = true;
        return true;
    }
    if (constant) {
        if (at.kind == WR_PTX_TOK_END || at.kind == WR_PTX_TOK_DOT || wr_ptx_at(p, ';') ||
            wr_ptx_at(p, '}')) {
            return wr_ptx_fail_expected(p, "an operand");
        }
        return wr_ptx_parse_constant(p, out);
    }
    if (is_sink(&at)) {
        out->kind = WR_PTX_OPD_SINK;
        wr_ptx_advance(p);
    } else if (!parse_named(p, form, out)) {
        return false;
    }
    if ((out->kind == WR_PTX_OPD_REG || out->kind == WR_PTX_OPD_SINK) && wr_ptx_take(p, '|')) {
        return parse_second(p, out);
    }
    return out->kind == WR_PTX_OPD_SYMBOL ? parse_offset(p, out) : true;
}

/* call (rets), function, (arguments), table; into the fixed order of wr_ptx_insn. */
static bool parse_call(wr_ptx_parser *p, wr_ptx_insn *insn, wr_ptx_operand *operands)
{
    for (unsigned i = 0; i < 4; i++) {
        operands[i] = (wr_ptx_operand){.kind = WR_PTX_OPD_LIST,
                                       .line = p->tok.line,
                                       .column = p->tok.column,
                                       .reg = WR_PTX_NO_REG,
                                       .reg2 = WR_PTX_NO_REG};
    }
    insn->operand_count = 3;
    if (wr_ptx_take(p, '(') &&
        (!parse_elements(p, ')', &operands[0]) || !wr_ptx_expect(p, ',', "the list of results"))) {
        return false;
    }
    if (p->tok.kind != WR_PTX_TOK_IDENT) {
        return wr_ptx_fail_expected(p, "the function to call");
    }
    if (!parse_operand(p, NULL, &operands[1])) {
        return false;
    }
    if (wr_ptx_take(p, ',')) {
        if (wr_ptx_take(p, '(')) {
            if (!parse_elements(p, ')', &operands[2])) {
                return false;
            }
            if (!wr_ptx_take(p, ',')) {
                return true;
            }
        }
        insn->operand_count = 4;
        return parse_operand(p, NULL, &operands[3]);
    }
    return true;
}

static bool parse_operands(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_insn *insn)
{
    wr_ptx_operand *operands = (wr_ptx_operand *)wr_ptx_arena_alloc(
        p->arena, WR_PTX_OPERANDS_MAX * sizeof(wr_ptx_operand));
    insn->operands = operands;
    if (form->op == WR_PTX_CALL) {
        return parse_call(p, insn, operands);
    }
    if (wr_ptx_at(p, ';')) {
        return true;
    }
    do {
        if (insn->operand_count == WR_PTX_OPERANDS_MAX) {
            return wr_ptx_fail(p, p->tok.line, p->tok.column,
                               "'%s' has more operands than any instruction takes", insn->text);
        }
        if (!parse_operand(p, form, &operands[insn->operand_count])) {
            return false;
        }
        insn->operand_count++;
    } while (wr_ptx_take(p, ','));
    return true;
}

/* NULL: the function is refused. */
static const wr_ptx_form *match_form(wr_ptx_parser *p, const wr_ptx_words *words, wr_ptx_insn *insn)
{
    char message[WR_DIAG_MESSAGE_MAX];
    size_t bad = 0;
    const wr_ptx_form *form = wr_ptx_form_match(words, insn->operand_count, insn, message, &bad);
    if (form == NULL) {
        wr_ptx_refuse_func(p, p->func, words->line[bad], words->column[bad], "%s", message);
    }
    return form;
}

/* Past the `;` of an instruction whose operands nobody can read. */
static bool skip_insn(wr_ptx_parser *p)
{
    unsigned open = 0;
    while (!wr_ptx_at(p, ';')) {
        if (p->tok.kind == WR_PTX_TOK_END || p->tok.kind == WR_PTX_TOK_ERROR ||
            (wr_ptx_at(p, '}') && open == 0)) {
            return wr_ptx_fail_expected(p, "';' behind an instruction");
        }
        open += wr_ptx_at(p, '{') ? 1 : 0;
        open -= wr_ptx_at(p, '}') ? 1 : 0;
        wr_ptx_advance(p);
    }
    wr_ptx_advance(p);
    return true;
}

bool wr_ptx_parse_insn(wr_ptx_parser *p)
{
    wr_ptx_insn insn = {.guard = WR_PTX_NO_REG,
                        .by_llvm = p->tok.by_llvm,
                        .src_file = p->src_file,
                        .src_line = p->src_line};
    wr_ptx_words words;
    const char *why = NULL;
    size_t used = 0;
    if (wr_ptx_take(p, '@') && !parse_guard(p, &insn)) {
        return false;
    }
    if (!parse_words(p, &words, &insn)) {
        return false;
    }
    wr_ptx_form_order(&words);
    const wr_ptx_form *form = wr_ptx_form_find(&words, &used, &why);
    if (form == NULL) {
        if (why != NULL) {
            wr_ptx_refuse_func(p, p->func, insn.line, insn.column, "'%s' is not supported: %s",
                               insn.text, why);
        } else {
            wr_ptx_refuse_func(p, p->func, insn.line, insn.column,
                               "unknown instruction '%s'; mend its name", insn.text);
        }
        return skip_insn(p);
    }
    if (!parse_operands(p, form, &insn)) {
        return false;
    }
    if (!wr_ptx_at(p, ';')) {
        return wr_ptx_fail_expected(p, "',' or ';' behind an operand");
    }
    form = match_form(p, &words, &insn);
    if (form == NULL) {
        wr_ptx_advance(p);
        return true;
    }
    if (!(form->op == WR_PTX_CALL ? wr_ptx_check_call(p, &insn)
                                  : wr_ptx_check_operands(p, form, &insn))) {
        return false;
    }
    wr_ptx_advance(p);
    wr_ptx_func *func = p->func;
    func->insns = (wr_ptx_insn *)wr_ptx_arena_grow(p->arena, func->insns, func->insn_count,
                                                   &p->insn_capacity, sizeof(wr_ptx_insn));
    func->insns[func->insn_count++] = insn;
    return true;
}
