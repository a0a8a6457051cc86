/* SPDX-License-Identifier: Apache-2.0 */
/* Constant expressions: C's operators on 64-bit integers, and + - * / and comparisons of doubles;
 * the two are not mixed, and 0f numbers may only be negated (PTX ISA, Constant Expressions).
 * Precedence climbing over one table of operators. */
#include <string.h>

#include "shell/ptx/parser.h"

typedef struct operator_info {
    int punct;
    int level; /* binds tighter the higher it is */
} operator_info;

static const operator_info operators[] = {
    {WR_PTX_PUNCT_OR, 1},
    {WR_PTX_PUNCT_AND, 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {WR_PTX_PUNCT_EQ, 6},
    {WR_PTX_PUNCT_NE, 6},
    {'<', 7},
    {'>', 7},
    {WR_PTX_PUNCT_LE, 7},
    {WR_PTX_PUNCT_GE, 7},
    {WR_PTX_PUNCT_SHL, 8},
    {WR_PTX_PUNCT_SHR, 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {'%', 10},
};

static bool parse_level(wr_ptx_parser *p, int level, unsigned depth, wr_ptx_operand *out);

static bool is_integer(const wr_ptx_operand *value)
{
    return value->type == WR_PTX_U64 || value->type == WR_PTX_S64;
}

static bool fail_float(wr_ptx_parser *p, const wr_ptx_operand *at)
{
    return wr_ptx_fail(p, at->line, at->column,
                       "this operator takes no floating-point number here; write the result");
}

static int operator_level(const wr_ptx_token *tok)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (tok->kind == WR_PTX_TOK_PUNCT && tok->punct == operators[i].punct) {
            return operators[i].level;
        }
    }
    return 0;
}

static bool parse_ternary(wr_ptx_parser *p, unsigned depth, wr_ptx_operand *out)
{
    if (!parse_level(p, 1, depth, out)) {
        return false;
    }
    if (!wr_ptx_take(p, '?')) {
        return true;
    }
    wr_ptx_operand yes;
    wr_ptx_operand no;
    if (!is_integer(out)) {
        return fail_float(p, out);
    }
    if (!parse_ternary(p, depth + 1, &yes) || !wr_ptx_expect(p, ':', "the first choice of '?'") ||
        !parse_ternary(p, depth + 1, &no)) {
        return false;
    }
    if (is_integer(&yes) != is_integer(&no) || (!is_integer(&yes) && yes.type != no.type)) {
        return wr_ptx_fail(p, yes.line, yes.column,
                           "both choices of '?' must be integers, or both floating-point numbers");
    }
    if (yes.type == WR_PTX_U64) {
        no.type = WR_PTX_U64;
    } else if (no.type == WR_PTX_U64) {
        yes.type = WR_PTX_U64;
    }
    *out = out->bits != 0 ? yes : no;
    return true;
}

/* A number, WARP_SZ, ( expression ), or (.s64) value. */
static bool parse_primary(wr_ptx_parser *p, unsigned depth, wr_ptx_operand *out)
{
    const wr_ptx_token tok = p->tok;
    if (wr_ptx_take(p, '(')) {
        if (wr_ptx_at_dot(p, "s64") || wr_ptx_at_dot(p, "u64")) {
            bool is_signed = p->tok.text[0] == 's';
            wr_ptx_advance(p);
            if (!wr_ptx_expect(p, ')', "the type") || !parse_level(p, 11, depth + 1, out)) {
                return false;
            }
            if (!is_integer(out)) {
                return fail_float(p, out);
            }
            out->type = is_signed ? WR_PTX_S64 : WR_PTX_U64;
            return true;
        }
        return parse_ternary(p, depth + 1, out) && wr_ptx_expect(p, ')', "an expression");
    }
    out->bits = tok.bits;
    switch (tok.kind) {
    case WR_PTX_TOK_INT:
        out->type = tok.is_unsigned ? WR_PTX_U64 : WR_PTX_S64;
        break;
    case WR_PTX_TOK_F32:
        out->type = WR_PTX_F32;
        break;
    case WR_PTX_TOK_F64:
    case WR_PTX_TOK_REAL:
        out->type = WR_PTX_F64;
        out->decimal = tok.kind == WR_PTX_TOK_REAL;
        break;
    default:
        if (tok.kind == WR_PTX_TOK_IDENT && tok.len == 7 && memcmp(tok.text, "WARP_SZ", 7) == 0) {
            out->type = WR_PTX_S64;
            out->bits = 32;
            break;
        }
        return wr_ptx_fail_expected(p, "a number");
    }
    wr_ptx_advance(p);
    return true;
}

static bool parse_unary(wr_ptx_parser *p, unsigned depth, wr_ptx_operand *out)
{
    const wr_ptx_token tok = p->tok;
    *out = (wr_ptx_operand){.kind = WR_PTX_OPD_IMM,
                            .line = tok.line,
                            .column = tok.column,
                            .reg = WR_PTX_NO_REG,
                            .reg2 = WR_PTX_NO_REG};
    if (depth > WR_PTX_DEPTH_MAX) {
        return wr_ptx_fail(p, tok.line, tok.column, "the expression is nested deeper than %d",
                           WR_PTX_DEPTH_MAX);
    }
    if (tok.kind != WR_PTX_TOK_PUNCT || tok.punct > 127 || strchr("+-~!", tok.punct) == NULL) {
        return parse_primary(p, depth, out);
    }
    wr_ptx_advance(p);
    if (!parse_unary(p, depth + 1, out)) {
        return false;
    }
    if (!is_integer(out)) {
        if (tok.punct != '-' && tok.punct != '+') {
            return fail_float(p, out);
        }
        if (tok.punct == '-') {
            out->bits ^= out->type == WR_PTX_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
        }
        return true;
    }
    if (tok.punct == '-') {
        out->bits = 0 - out->bits;
    } else if (tok.punct == '~') {
        out->bits = ~out->bits;
        out->type = WR_PTX_U64;
    } else if (tok.punct == '!') {
        out->bits = out->bits == 0;
        out->type = WR_PTX_S64;
    }
    return true;
}

/* The sign is taken apart, so that INT64_MIN / -1 wraps as the machine does. */
static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
    bool a_negative = is_signed && (int64_t)a < 0;
    bool b_negative = is_signed && (int64_t)b < 0;
    uint64_t a_abs = a_negative ? 0 - a : a;
    uint64_t b_abs = b_negative ? 0 - b : b;
    uint64_t value = remainder ? a_abs % b_abs : a_abs / b_abs;
    bool negative = remainder ? a_negative : a_negative != b_negative;
    return negative ? 0 - value : value;
}

static uint64_t shift(uint64_t a, uint64_t by, bool left, bool is_signed)
{
    bool negative = is_signed && (int64_t)a < 0;
    if (by > 63) {
        return !left && negative ? UINT64_MAX : 0;
    }
    if (left) {
        return a << by;
    }
    return negative ? ~(~a >> by) : a >> by;
}

static uint64_t apply(int punct, uint64_t a, uint64_t b, bool is_signed)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (punct) {
    case WR_PTX_PUNCT_OR:
        return a != 0 || b != 0;
    case WR_PTX_PUNCT_AND:
        return a != 0 && b != 0;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case WR_PTX_PUNCT_EQ:
        return a == b;
    case WR_PTX_PUNCT_NE:
        return a != b;
    case '<':
        return less;
    case WR_PTX_PUNCT_GE:
        return !less;
    case '>':
        return !less && a != b;
    case WR_PTX_PUNCT_LE:
        return less || a == b;
    case WR_PTX_PUNCT_SHL:
    case WR_PTX_PUNCT_SHR:
        return shift(a, b, punct == WR_PTX_PUNCT_SHL, is_signed);
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return divide(a, b, is_signed, punct == '%');
    }
}

/* Of an F32 or F64. */
static double value_of(const wr_ptx_operand *imm)
{
    if (imm->type == WR_PTX_F32) {
        uint32_t bits = (uint32_t)imm->bits;
        float single = 0;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    double value = 0;
    memcpy(&value, &imm->bits, sizeof value);
    return value;
}

/* + - * / and comparisons of doubles; false: there is no such operator. */
static bool apply_float(int punct, wr_ptx_operand *out, const wr_ptx_operand *right)
{
    double a = value_of(out), b = value_of(right), value = 0;
    switch (punct) {
    case '+':
        value = a + b;
        break;
    case '-':
        value = a - b;
        break;
    case '*':
        value = a * b;
        break;
    case '/':
        value = a / b;
        break;
    case '<':
        out->bits = a < b;
        break;
    case '>':
        out->bits = a > b;
        break;
    case WR_PTX_PUNCT_LE:
        out->bits = a <= b;
        break;
    case WR_PTX_PUNCT_GE:
        out->bits = a >= b;
        break;
    case WR_PTX_PUNCT_EQ:
        out->bits = a == b;
        break;
    case WR_PTX_PUNCT_NE:
        out->bits = a != b;
        break;
    default:
        return false;
    }
    if (strchr("+-*/", punct < 128 ? punct : '?') != NULL) {
        memcpy(&out->bits, &value, sizeof value);
    } else {
        out->type = WR_PTX_S64;
    }
    return true;
}

static bool parse_level(wr_ptx_parser *p, int level, unsigned depth, wr_ptx_operand *out)
{
    if (!parse_unary(p, depth, out)) {
        return false;
    }
    for (;;) {
        const wr_ptx_token tok = p->tok;
        int its_level = operator_level(&tok);
        if (its_level == 0 || its_level < level) {
            return true;
        }
        wr_ptx_operand right;
        wr_ptx_advance(p);
        if (!parse_level(p, its_level + 1, depth + 1, &right)) {
            return false;
        }
        if (out->type == WR_PTX_F64 && right.type == WR_PTX_F64) {
            if (!apply_float(tok.punct, out, &right)) {
                return fail_float(p, out);
            }
            continue;
        }
        if (!is_integer(out) || !is_integer(&right)) {
            return fail_float(p, out);
        }
        if ((tok.punct == '/' || tok.punct == '%') && right.bits == 0) {
            return wr_ptx_fail(p, tok.line, tok.column, "division by zero in a constant");
        }
        bool is_shift = its_level == 8;
        bool is_signed =
            tok.punct != '%' && out->type == WR_PTX_S64 && (is_shift || right.type == WR_PTX_S64);
        bool gives_signed = tok.punct == '%' || its_level <= 2 || its_level == 6 || its_level == 7;
        out->bits = apply(tok.punct, out->bits, right.bits, is_signed);
        out->type = is_signed || gives_signed ? WR_PTX_S64 : WR_PTX_U64;
    }
}

bool wr_ptx_parse_constant(wr_ptx_parser *p, wr_ptx_operand *out)
{
    return parse_ternary(p, 0, out);
}

bool wr_ptx_parse_number(wr_ptx_parser *p, const char *what, uint64_t max, uint64_t *out)
{
    const wr_ptx_token tok = p->tok;
    if (tok.kind != WR_PTX_TOK_INT) {
        return wr_ptx_fail_expected(p, what);
    }
    if (tok.bits > max) {
        return wr_ptx_fail(p, tok.line, tok.column, "%s is too large; at most %llu", what,
                           (unsigned long long)max);
    }
    *out = tok.bits;
    wr_ptx_advance(p);
    return true;
}

static bool convert_float(wr_ptx_operand *imm, wr_ptx_type type)
{
    if (type == WR_PTX_F32 && imm->type == WR_PTX_F64) {
        float value = (float)value_of(imm);
        uint32_t bits = 0;
        memcpy(&bits, &value, sizeof bits);
        imm->bits = bits;
    } else if (type == WR_PTX_F64 && imm->type == WR_PTX_F32) {
        double value = value_of(imm);
        memcpy(&imm->bits, &value, sizeof value);
    } else if (type != imm->type) {
        bool as_bits = !imm->decimal && wr_ptx_type_is_bits(type) &&
                       wr_ptx_type_size(type) == wr_ptx_type_size(imm->type);
        if (!as_bits) {
            return false;
        }
    }
    imm->type = type;
    return true;
}

bool wr_ptx_convert_constant(wr_ptx_operand *imm, wr_ptx_type type)
{
    if (!is_integer(imm)) {
        return convert_float(imm, type);
    }
    unsigned size = wr_ptx_type_size(type);
    if (wr_ptx_type_is_float(type)) {
        return false;
    }
    if (type == WR_PTX_PRED) {
        imm->bits = imm->bits != 0;
    } else if (size < 8) {
        uint64_t mask = (UINT64_C(1) << (size * 8)) - 1;
        bool negative = wr_ptx_type_is_signed(type) && (imm->bits >> (size * 8 - 1) & 1) != 0;
        imm->bits = negative ? imm->bits | ~mask : imm->bits & mask;
    }
    imm->type = type;
    return true;
}
