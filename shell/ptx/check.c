/* SPDX-License-Identifier: Apache-2.0 */
/* Operands against the letters of the instruction's form (form.h), and the rules by which a
 * register's type fits an instruction's. These are ptxas's: equal size, and equal kind (integer
 * or float) unless one of the two is a bit type; ld, st and cvt take wider registers, of an
 * integer or bit type where the value is an integer, of a bit type where it is a float.
 */
#include "shell/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct check {
    wr_ptx_parser *p;
    const wr_ptx_insn *insn;
    unsigned place; /* of the operand, from 1 */
} check;

static bool bad(const check *c, const wr_ptx_operand *opd, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool bad(const check *c, const wr_ptx_operand *opd, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return wr_ptx_fail(c->p, opd->line, opd->column, "operand %u of '%s' %s", c->place,
                       c->insn->text, text);
}

static bool fits(wr_ptx_type reg, wr_ptx_type type)
{
    if (reg == WR_PTX_PRED || type == WR_PTX_PRED) {
        return reg == type;
    }
    if (wr_ptx_type_size(reg) != wr_ptx_type_size(type)) {
        return false;
    }
    if (wr_ptx_type_is_bits(reg) || wr_ptx_type_is_bits(type)) {
        return true;
    }
    if (wr_ptx_type_is_float(reg) || wr_ptx_type_is_float(type)) {
        return reg == type;
    }
    return true;
}

static bool fits_wide(wr_ptx_type reg, wr_ptx_type type)
{
    if (fits(reg, type)) {
        return true;
    }
    if (reg == WR_PTX_PRED || reg == WR_PTX_B128 ||
        wr_ptx_type_size(reg) < wr_ptx_type_size(type)) {
        return false;
    }
    if (wr_ptx_type_is_bits(type) || wr_ptx_type_is_bits(reg)) {
        return true;
    }
    return !wr_ptx_type_is_float(reg) && !wr_ptx_type_is_float(type);
}

static wr_ptx_type twice(wr_ptx_type type)
{
    switch (type) {
    case WR_PTX_U16:
        return WR_PTX_U32;
    case WR_PTX_S16:
        return WR_PTX_S32;
    case WR_PTX_U32:
        return WR_PTX_U64;
    default:
        return WR_PTX_S64;
    }
}

static const char *describe(const wr_ptx_operand *opd)
{
    static const char *const kinds[] = {
        [WR_PTX_OPD_REG] = "a register",  [WR_PTX_OPD_IMM] = "a number",
        [WR_PTX_OPD_ADDR] = "an address", [WR_PTX_OPD_SYMBOL] = "a variable's name",
        [WR_PTX_OPD_LABEL] = "a label",   [WR_PTX_OPD_TABLE] = "a table",
        [WR_PTX_OPD_VECTOR] = "a vector", [WR_PTX_OPD_SREG] = "a special register",
        [WR_PTX_OPD_SINK] = "'_'",        [WR_PTX_OPD_LIST] = "a list",
    };
    return kinds[opd->kind];
}

/* A register of `type`, exactly or wider. */
static bool check_reg(const check *c, wr_ptx_operand *opd, wr_ptx_type type, bool wide)
{
    if (opd->kind != WR_PTX_OPD_REG) {
        return bad(c, opd, "must be a register, not %s", describe(opd));
    }
    if (opd->reg == WR_PTX_NO_REG || opd->reg2 != WR_PTX_NO_REG) {
        return bad(c, opd, "cannot be a pair with '|'");
    }
    if (opd->neg) {
        return bad(c, opd, "cannot take '!'; use a not instruction");
    }
    const wr_ptx_reg *reg = &c->p->func->regs[opd->reg];
    if (!(wide ? fits_wide(reg->type, type) : fits(reg->type, type))) {
        return bad(c, opd, "needs type .%s, but register '%s' is .%s (line %u)",
                   wr_ptx_type_name(type), reg->name, wr_ptx_type_name(reg->type), reg->line);
    }
    opd->type = type;
    return true;
}

static bool check_imm(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    if (wr_ptx_convert_constant(opd, type)) {
        return true;
    }
    if (wr_ptx_type_is_float(type)) {
        return bad(c, opd, "is an integer, but type .%s needs a float; write it as %s",
                   wr_ptx_type_name(type),
                   type == WR_PTX_F64 ? "0d and 16 digits" : "0f and 8 digits");
    }
    return bad(c, opd, "is a float, but type .%s needs an integer", wr_ptx_type_name(type));
}

static bool check_value(const check *c, wr_ptx_operand *opd, wr_ptx_type type, bool wide)
{
    return opd->kind == WR_PTX_OPD_IMM ? check_imm(c, opd, type) : check_reg(c, opd, type, wide);
}

static bool check_sreg(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    wr_ptx_type its = wr_ptx_sregs[opd->sreg].type;
    unsigned size = wr_ptx_type_size(type);
    bool narrower = size == 2 && wr_ptx_type_size(its) == 4;
    if (wr_ptx_type_is_float(type) || (size != wr_ptx_type_size(its) && !narrower)) {
        return bad(c, opd, "needs type .%s, but %s is .%s", wr_ptx_type_name(type),
                   wr_ptx_sregs[opd->sreg].name, wr_ptx_type_name(its));
    }
    opd->type = its;
    return true;
}

static bool check_predicate(const check *c, wr_ptx_operand *opd)
{
    if (opd->kind == WR_PTX_OPD_IMM) {
        return check_imm(c, opd, WR_PTX_PRED);
    }
    if (opd->kind == WR_PTX_OPD_SREG) {
        return check_sreg(c, opd, WR_PTX_PRED);
    }
    bool neg = opd->neg;
    opd->neg = false;
    bool ok = check_reg(c, opd, WR_PTX_PRED, false);
    opd->neg = neg;
    return ok;
}

/* d|p, either of which may be `_`. */
static bool check_pair(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    if (opd->kind != WR_PTX_OPD_REG) {
        return bad(c, opd, "must be a register, not %s", describe(opd));
    }
    uint32_t second = opd->reg2;
    opd->type = type;
    if (opd->reg == WR_PTX_NO_REG) {
        return second != WR_PTX_NO_REG || bad(c, opd, "cannot be '_' alone");
    }
    opd->reg2 = WR_PTX_NO_REG;
    bool ok = check_reg(c, opd, type, false);
    opd->reg2 = second;
    return ok;
}

/* ld and st: a register, or a vector of as many as the .v modifier says. */
static bool check_data(const check *c, wr_ptx_operand *opd, wr_ptx_type type, bool is_source)
{
    unsigned arity = c->insn->mod[WR_PTX_SLOT_VEC] != 0 ? c->insn->mod[WR_PTX_SLOT_VEC] : 1;
    if (arity * wr_ptx_type_size(type) > 32) {
        return bad(c, opd, "is wider than 32 bytes");
    }
    if (opd->kind == WR_PTX_OPD_VECTOR && opd->count != arity) {
        return bad(c, opd, "has %u elements, but the instruction moves %u", opd->count, arity);
    }
    if (opd->kind != WR_PTX_OPD_VECTOR) {
        if (arity > 1) {
            return bad(c, opd, "must be a vector of %u: {a, b%s}", arity, arity > 2 ? ", ..." : "");
        }
        return is_source ? check_value(c, opd, type, true) : check_reg(c, opd, type, true);
    }
    opd->type = type;
    for (uint32_t i = 0; i < opd->count; i++) {
        wr_ptx_operand *elem = &opd->elems[i];
        bool skipped = !is_source && elem->kind == WR_PTX_OPD_SINK;
        bool ok = skipped ||
                  (is_source ? check_value(c, elem, type, true) : check_reg(c, elem, type, true));
        if (!ok) {
            return false;
        }
        elem->type = type;
    }
    if (arity == 1) {
        wr_ptx_operand only = opd->elems[0];
        *opd = only;
    }
    return true;
}

/* mov {a, b}, c and mov c, {a, b}: bit types only; the elements share the value's bytes. */
static bool check_packed(const check *c, wr_ptx_operand *opd, wr_ptx_type type, bool is_source)
{
    static const wr_ptx_type by_size[] = {
        [1] = WR_PTX_B8, [2] = WR_PTX_B16, [4] = WR_PTX_B32, [8] = WR_PTX_B64, [16] = WR_PTX_B128};
    unsigned size = wr_ptx_type_size(type);
    if (!wr_ptx_type_is_bits(type)) {
        return bad(c, opd, "can be a vector only where the type is .b16 to .b128");
    }
    if (opd->count == 0 || (opd->count & (opd->count - 1)) != 0 || opd->count > size ||
        opd->count > 4) {
        return bad(c, opd, "has %u elements, which do not share .%s evenly", opd->count,
                   wr_ptx_type_name(type));
    }
    opd->type = type;
    wr_ptx_type part = by_size[size / opd->count];
    for (uint32_t i = 0; i < opd->count; i++) {
        wr_ptx_operand *elem = &opd->elems[i];
        bool skipped = !is_source && elem->kind == WR_PTX_OPD_SINK;
        bool ok = skipped ||
                  (is_source ? check_value(c, elem, part, false) : check_reg(c, elem, part, false));
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool check_symbol(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    if (wr_ptx_type_is_float(type) || wr_ptx_type_size(type) < 4) {
        return bad(c, opd, "is an address, which does not fit type .%s", wr_ptx_type_name(type));
    }
    opd->type = type;
    return true;
}

static bool check_mov_source(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    switch (opd->kind) {
    case WR_PTX_OPD_SREG:
        return check_sreg(c, opd, type);
    case WR_PTX_OPD_SYMBOL:
        return check_symbol(c, opd, type);
    case WR_PTX_OPD_VECTOR:
        return check_packed(c, opd, type, true);
    default:
        return check_value(c, opd, type, false);
    }
}

static const char *space_name(wr_ptx_space space)
{
    static const char *const names[] = {"generic", "global", "shared", "local", "const", "param"};
    return names[space];
}

/* A register that holds an address must be as wide as addresses are; spaces below 4 GiB may be
 * addressed with 32 bits in a 64-bit module too. */
static bool check_address_reg(const check *c, const wr_ptx_operand *opd, wr_ptx_space space)
{
    const wr_ptx_reg *reg = &c->p->func->regs[opd->reg];
    unsigned bits = wr_ptx_type_size(reg->type) * 8;
    unsigned wanted = c->p->module->address_size;
    bool small = space != WR_PTX_SPACE_GLOBAL && space != WR_PTX_SPACE_GENERIC;
    if (wr_ptx_type_is_float(reg->type) || reg->type == WR_PTX_PRED) {
        return bad(c, opd, "is an address, but register '%s' is .%s", reg->name,
                   wr_ptx_type_name(reg->type));
    }
    if (bits != wanted && !(small && (bits == 32 || bits == 64))) {
        return bad(c, opd, "is a %u-bit address, but register '%s' is .%s; see .address_size",
                   wanted, reg->name, wr_ptx_type_name(reg->type));
    }
    return true;
}

static bool check_address(const check *c, wr_ptx_operand *opd)
{
    wr_ptx_space space = (wr_ptx_space)c->insn->mod[WR_PTX_SLOT_SPACE];
    if (opd->kind != WR_PTX_OPD_ADDR) {
        return bad(c, opd, "must be an address in brackets, not %s", describe(opd));
    }
    if (opd->var == NULL) {
        return opd->reg == WR_PTX_NO_REG || check_address_reg(c, opd, space);
    }
    if (space != WR_PTX_SPACE_GENERIC && opd->var->space != space) {
        return bad(c, opd, "is in .%s, but '%s' is in .%s", space_name(space), opd->var->name,
                   space_name(opd->var->space));
    }
    if (space == WR_PTX_SPACE_GENERIC && opd->var->space == WR_PTX_SPACE_PARAM) {
        return bad(c, opd, "is parameter '%s': the instruction needs .param", opd->var->name);
    }
    bool writes = c->insn->op != WR_PTX_LD && c->insn->op != WR_PTX_LDU;
    if (writes && opd->var->space == WR_PTX_SPACE_PARAM) {
        for (const wr_ptx_var *v = c->p->func->params; v != NULL; v = v->next) {
            if (v == opd->var) {
                return bad(c, opd, "is input parameter '%s', which cannot be written", v->name);
            }
        }
    }
    return true;
}

/* Barrier number, and number of threads. */
static bool check_barrier(const check *c, wr_ptx_operand *opd, bool is_count)
{
    if (!check_value(c, opd, WR_PTX_U32, false)) {
        return false;
    }
    if (opd->kind != WR_PTX_OPD_IMM) {
        return true;
    }
    if (!is_count && opd->bits > 15) {
        return bad(c, opd, "is barrier %llu; there are 0 to 15", (unsigned long long)opd->bits);
    }
    if (is_count && (opd->bits == 0 || opd->bits % 32 != 0)) {
        return bad(c, opd, "is %llu threads; it must be a multiple of the warp size, 32",
                   (unsigned long long)opd->bits);
    }
    return true;
}

static bool check_cvta(const check *c, wr_ptx_operand *opd, wr_ptx_type type)
{
    if (opd->kind != WR_PTX_OPD_SYMBOL) {
        return check_value(c, opd, type, false);
    }
    wr_ptx_space space = (wr_ptx_space)c->insn->mod[WR_PTX_SLOT_SPACE];
    if (opd->var == NULL || opd->var->space != space) {
        return bad(c, opd, "must lie in .%s", space_name(space));
    }
    return check_symbol(c, opd, type);
}

static bool check_isspacep(const check *c, wr_ptx_operand *opd)
{
    wr_ptx_type type = c->p->module->address_size == 64 ? WR_PTX_U64 : WR_PTX_U32;
    return opd->kind == WR_PTX_OPD_SYMBOL ? check_symbol(c, opd, type)
                                          : check_reg(c, opd, type, false);
}

static bool check_kind(const check *c, wr_ptx_operand *opd, wr_ptx_kind kind, const char *what)
{
    if (opd->kind == kind) {
        return true;
    }
    return bad(c, opd, "must be %s, not %s", what, describe(opd));
}

static bool check_letter(const check *c, wr_ptx_operand *opd, char letter)
{
    const wr_ptx_type *t = c->insn->type;
    switch (letter) {
    case 'd':
        return check_reg(c, opd, t[0], false);
    case 'x':
        opd->type = t[0];
        return opd->kind == WR_PTX_OPD_SINK || check_reg(c, opd, t[0], false);
    case 'e':
        return check_data(c, opd, t[0], false);
    case 'v':
        return check_data(c, opd, t[0], true);
    case 'w':
        return check_reg(c, opd, twice(t[0]), false);
    case 'W':
        return check_value(c, opd, twice(t[0]), false);
    case 'i':
        return check_reg(c, opd, WR_PTX_U32, false);
    case 't':
        return check_pair(c, opd, WR_PTX_U32);
    case 'p':
        return check_reg(c, opd, WR_PTX_PRED, false);
    case 'q':
        return check_pair(c, opd, WR_PTX_PRED);
    case 's':
        return check_pair(c, opd, t[0]);
    case 'r':
        return check_pair(c, opd, t[0]) &&
               (opd->reg2 != WR_PTX_NO_REG || bad(c, opd, "needs a predicate behind it: d|p"));
    case 'D':
        return opd->kind == WR_PTX_OPD_VECTOR ? check_packed(c, opd, t[0], false)
                                              : check_reg(c, opd, t[0], false);
    case 'a':
        return check_value(c, opd, t[0], false);
    case 'b':
        return check_value(c, opd, t[1], false);
    case 'c':
        return check_value(c, opd, t[2], false);
    case 'B':
        return opd->kind == WR_PTX_OPD_SREG ? check_sreg(c, opd, t[1])
                                            : check_value(c, opd, t[1], true);
    case 'u':
        return check_value(c, opd, WR_PTX_U32, false);
    case 'U':
        return check_kind(c, opd, WR_PTX_OPD_IMM, "a number") && check_imm(c, opd, WR_PTX_U32);
    case 'P':
        return check_predicate(c, opd);
    case 'm':
        return check_mov_source(c, opd, t[0]);
    case 'y':
        return check_cvta(c, opd, t[0]);
    case 'g':
        return check_isspacep(c, opd);
    case 'M':
        return check_address(c, opd);
    case 'L':
        return check_kind(c, opd, WR_PTX_OPD_LABEL, "a label");
    case 'T':
        return check_kind(c, opd, WR_PTX_OPD_TABLE, "a .branchtargets table declared above") &&
               (opd->table->kind == WR_PTX_TABLE_BRANCH ||
                bad(c, opd, "must be a .branchtargets table"));
    case 'n':
        return check_barrier(c, opd, false);
    case 'N':
        return check_barrier(c, opd, true);
    default: /* behind the letters: a cache policy */
        return check_value(c, opd, WR_PTX_B64, false);
    }
}

bool wr_ptx_check_operands(wr_ptx_parser *p, const wr_ptx_form *form, wr_ptx_insn *insn)
{
    check c = {.p = p, .insn = insn};
    for (unsigned i = 0; i < insn->operand_count; i++) {
        c.place = i + 1;
        if (!check_letter(&c, &insn->operands[i], form->operands[i])) {
            return false;
        }
    }
    insn->operand_count = (uint8_t)(insn->operand_count - insn->mod[WR_PTX_SLOT_HINT]);
    bool is_cvta = insn->op == WR_PTX_CVTA || insn->op == WR_PTX_CVTA_TO;
    if (is_cvta && wr_ptx_type_size(insn->type[0]) * 8 != p->module->address_size) {
        return wr_ptx_fail(p, insn->line, insn->column,
                           "'%s' does not agree with .address_size %u; use .u%u", insn->text,
                           p->module->address_size, p->module->address_size);
    }
    return true;
}
