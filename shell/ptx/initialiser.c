/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisers.
 *
 * The values are written into a byte image that grows as they come, so that a large array with
 * a short list costs only what is written. Positions are counted in elements; a nested { }
 * begins at the next multiple of its sub-array.
 */
#include "shell/ptx/parser.h"

#include <assert.h>
#include <string.h>

#define IMAGE_LIMIT ((uint64_t)64 * 1024 * 1024) /* bytes written by an initialiser */

typedef struct image {
    wr_ptx_var *var;
    const wr_ptx_shape *dims;
    uint8_t *bytes;
    size_t capacity;
    uint64_t at;       /* next element */
    uint64_t written;  /* bytes up to the last value */
    uint64_t elements; /* of the variable; UINT64_MAX where it is open */
    wr_ptx_reloc **tail;
} image;

/* Room for the element that comes next. */
static bool image_room(wr_ptx_parser *p, image *to, const wr_ptx_token *at)
{
    uint64_t size = to->dims->element_size;
    if (to->at >= IMAGE_LIMIT / size) {
        return wr_ptx_fail(p, at->line, at->column, "the initialiser of '%s' is above 64 MiB",
                           to->var->name);
    }
    uint64_t bytes = (to->at + 1) * size;
    while (to->bytes == NULL || to->capacity < bytes) {
        size_t old = to->capacity;
        to->capacity = old == 0 ? 64 : old * 2;
        uint8_t *grown = (uint8_t *)wr_ptx_arena_alloc(p->arena, to->capacity);
        if (to->bytes != NULL) {
            memcpy(grown, to->bytes, old);
        }
        to->bytes = grown;
    }
    to->written = bytes > to->written ? bytes : to->written;
    return true;
}

/* generic( */
static bool take_generic(wr_ptx_parser *p)
{
    bool stands = p->tok.kind == WR_PTX_TOK_IDENT && p->tok.len == 7 &&
                  memcmp(p->tok.text, "generic", 7) == 0 && p->next.kind == WR_PTX_TOK_PUNCT &&
                  p->next.punct == '(';
    if (stands) {
        wr_ptx_advance(p);
        wr_ptx_advance(p);
    }
    return stands;
}

/* A symbol's address, with + or - a constant, behind a mask only the byte from bit `shift` on;
 * false where the name is none. */
static bool parse_address(wr_ptx_parser *p, image *to, bool masked, unsigned shift)
{
    bool generic = take_generic(p);
    const wr_ptx_token at = p->tok;
    const wr_ptx_meaning *found = NULL;
    if (at.kind == WR_PTX_TOK_IDENT) {
        found = wr_ptx_lookup(p, wr_ptx_intern(p, at.text, at.len), p->scope);
    }
    if (found == NULL || (found->kind != WR_PTX_SYM_VAR && found->kind != WR_PTX_SYM_FUNC)) {
        return wr_ptx_fail(p, at.line, at.column,
                           "'%.*s' in an initialiser is no variable or function declared above",
                           (int)(at.len < 60 ? at.len : 60), at.text);
    }
    if (to->dims->element_size < 4 && !masked) {
        return wr_ptx_fail(p, at.line, at.column,
                           "an address does not fit in an element of '%s'; make it .u32 or .u64",
                           to->var->name);
    }
    wr_ptx_reloc *reloc = (wr_ptx_reloc *)wr_ptx_arena_alloc(p->arena, sizeof *reloc);
    reloc->offset = to->at * to->dims->element_size;
    reloc->size = (uint32_t)to->dims->element_size;
    reloc->generic = generic;
    reloc->shift = (uint8_t)shift;
    reloc->var = found->var;
    reloc->func = found->func;
    wr_ptx_advance(p);
    if (generic && !wr_ptx_expect(p, ')', "generic(name")) {
        return false;
    }
    if (wr_ptx_at(p, '+') || wr_ptx_at(p, '-')) {
        bool negative = wr_ptx_at(p, '-');
        wr_ptx_operand addend;
        wr_ptx_advance(p);
        if (!wr_ptx_parse_constant(p, &addend)) {
            return false;
        }
        if (!wr_ptx_convert_constant(&addend, WR_PTX_S64)) {
            return wr_ptx_fail(p, addend.line, addend.column, "an offset must be an integer");
        }
        reloc->addend = (int64_t)(negative ? 0 - addend.bits : addend.bits);
    }
    *to->tail = reloc;
    to->tail = &reloc->next;
    return true;
}

/* 0xff00(name): the byte of its address that the mask leaves. */
static bool parse_masked(wr_ptx_parser *p, image *to)
{
    const wr_ptx_token at = p->tok;
    unsigned shift = 0;
    while (shift < 56 && at.bits >> shift > 0xff) {
        shift += 8;
    }
    if (at.bits != UINT64_C(0xff) << shift || to->dims->element_size != 1) {
        return wr_ptx_fail(p, at.line, at.column,
                           "a mask of an address must be 0xff, 0xff00 or so on, in elements of 8 "
                           "bits");
    }
    wr_ptx_advance(p);
    wr_ptx_advance(p);
    return parse_address(p, to, true, shift) && wr_ptx_expect(p, ')', "the address behind a mask");
}

static bool parse_value(wr_ptx_parser *p, image *to)
{
    const wr_ptx_token at = p->tok;
    uint64_t size = to->dims->element_size;
    if (to->at >= to->elements) {
        return wr_ptx_fail(p, at.line, at.column, "'%s' has more values than elements",
                           to->var->name);
    }
    if (!image_room(p, to, &at)) {
        return false;
    }
    assert(to->bytes != NULL);
    if (at.kind == WR_PTX_TOK_INT && p->next.kind == WR_PTX_TOK_PUNCT && p->next.punct == '(') {
        if (!parse_masked(p, to)) {
            return false;
        }
    } else if (at.kind == WR_PTX_TOK_IDENT &&
               !(at.len == 7 && memcmp(at.text, "WARP_SZ", 7) == 0)) {
        if (!parse_address(p, to, false, 0)) {
            return false;
        }
    } else {
        wr_ptx_operand value;
        if (!wr_ptx_parse_constant(p, &value)) {
            return false;
        }
        if (!wr_ptx_convert_constant(&value, to->var->type)) {
            return wr_ptx_fail(p, at.line, at.column, "this value does not fit type .%s of '%s'",
                               wr_ptx_type_name(to->var->type), to->var->name);
        }
        for (uint64_t i = 0; i < size && i < 8; i++) {
            to->bytes[to->at * size + i] = (uint8_t)(value.bits >> (8 * i));
        }
    }
    to->at++;
    return true;
}

/* { ... } of dimension `level`. */
static bool parse_braces(wr_ptx_parser *p, image *to, unsigned level)
{
    uint64_t stride = 1; /* elements of a sub-array, which a nested { } fills */
    for (unsigned i = level + 1; i < to->dims->count; i++) {
        stride *= to->dims->extent[i];
    }
    if (level >= to->dims->count) {
        return wr_ptx_fail(p, p->tok.line, p->tok.column,
                           "braces are nested deeper than '%s' has dimensions", to->var->name);
    }
    uint64_t limit =
        level == 0 && to->dims->open ? UINT64_MAX : to->at + stride * to->dims->extent[level];
    uint64_t outer = to->elements;
    to->elements = limit < outer ? limit : outer;
    wr_ptx_advance(p);
    while (!wr_ptx_at(p, '}')) {
        if (!wr_ptx_at(p, '{')) {
            if (!parse_value(p, to)) {
                return false;
            }
        } else {
            uint64_t begin = to->at;
            if (begin >= to->elements) {
                return wr_ptx_fail(p, p->tok.line, p->tok.column,
                                   "'%s' has more values than elements", to->var->name);
            }
            if (!parse_braces(p, to, level + 1)) {
                return false;
            }
            to->at = begin + stride;
        }
        if (!wr_ptx_take(p, ',')) {
            break;
        }
    }
    to->elements = outer;
    return wr_ptx_expect(p, '}', "the values");
}

bool wr_ptx_parse_initialiser(wr_ptx_parser *p, wr_ptx_var *var, const wr_ptx_shape *dims)
{
    image to = {.var = var, .dims = dims, .elements = UINT64_MAX};
    wr_ptx_reloc *head = NULL;
    const wr_ptx_token at = p->tok;
    to.tail = &head;
    if (var->space != WR_PTX_SPACE_GLOBAL && var->space != WR_PTX_SPACE_CONST) {
        return wr_ptx_fail(p, at.line, at.column,
                           "'%s' cannot be initialised; only .global and .const variables can",
                           var->name);
    }
    if (!dims->open) {
        to.elements = var->size / dims->element_size;
    }
    if (dims->count > 0 && !wr_ptx_at(p, '{')) {
        return wr_ptx_fail_expected(p, "'{' of an array's values");
    }
    bool scalar_braces = dims->count == 0 && wr_ptx_take(p, '{');
    if (!(dims->count > 0 ? parse_braces(p, &to, 0) : parse_value(p, &to)) ||
        (scalar_braces && !wr_ptx_expect(p, '}', "the value"))) {
        return false;
    }
    if (dims->open) {
        uint64_t stride = dims->element_size;
        for (unsigned i = 1; i < dims->count; i++) {
            stride *= dims->extent[i];
        }
        var->size = stride == 0 ? 0 : (to.written + stride - 1) / stride * stride;
    }
    var->relocs = head;
    var->init = to.bytes;
    var->init_size = to.written;
    return true;
}
