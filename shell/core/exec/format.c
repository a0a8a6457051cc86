/* SPDX-License-Identifier: Apache-2.0 */
/* See format.h. The host's snprintf does each conversion, with a specification that is put
 * together here from what was understood: nothing of the kernel's text reaches it. */
#include "shell/core/exec/format.h"

#include <stdio.h>
#include <string.h>

#define MAX_SPEC 64 /* characters of one conversion */

/* One conversion as it was read. */
typedef struct spec {
    char text[MAX_SPEC]; /* as written, from the % on */
    uint32_t length;
    bool minus, plus, space, alternate, zero;
    bool has_precision, star_width, star_precision;
    uint32_t width, precision;
    uint32_t bytes; /* of an integer's value; its argument takes at least 4 */
    char conversion;
} spec;

typedef struct state {
    const wr_format_io *io;
    wr_format_fault *fault;
    uint64_t format; /* next character */
    uint64_t end;    /* of what is read of it */
    uint64_t args;   /* next argument */
    uint32_t count;
} state;

static bool fail(state *s, const char *what, uint64_t addr)
{
    *s->fault = (wr_format_fault){what, addr};
    return false;
}

static bool next_char(state *s, char *out)
{
    *out = '\0';
    if (s->format == s->end) {
        return true;
    }
    if (!s->io->read(s->io->arg, s->format, out, 1)) {
        return fail(s, "format", s->format);
    }
    s->format++;
    return true;
}

static bool next_arg(state *s, uint32_t bytes, uint64_t *out)
{
    uint64_t value = 0;
    s->args = (s->args + bytes - 1) / bytes * bytes;
    if (!s->io->read(s->io->arg, s->args, &value, bytes)) {
        return fail(s, "arguments", s->args);
    }
    s->args += bytes;
    s->count++;
    *out = value;
    return true;
}

/* ---- reading a conversion ---- */

/* The next character of the conversion; NUL where the text or the room ends. */
static bool take(state *s, spec *c, char *out)
{
    *out = '\0';
    if (c->length + 1 == MAX_SPEC) {
        return true;
    }
    if (!next_char(s, out)) {
        return false;
    }
    if (*out != '\0') {
        c->text[c->length++] = *out;
    }
    return true;
}

static bool set_flag(spec *c, char flag)
{
    switch (flag) {
    case '-':
        c->minus = true;
        return true;
    case '+':
        c->plus = true;
        return true;
    case ' ':
        c->space = true;
        return true;
    case '#':
        c->alternate = true;
        return true;
    case '0':
        c->zero = true;
        return true;
    default:
        return false;
    }
}

/* A number or `*` from *at on; *at is the character behind it afterwards. */
static bool take_number(state *s, spec *c, char *at, uint32_t *number, bool *star)
{
    if (*at == '*') {
        *star = true;
        return take(s, c, at);
    }
    while (*at >= '0' && *at <= '9') {
        uint32_t value = *number * 10 + (uint32_t)(*at - '0');
        *number = value > WR_FORMAT_MAX_FIELD ? WR_FORMAT_MAX_FIELD : value;
        if (!take(s, c, at)) {
            return false;
        }
    }
    return true;
}

static bool take_length(state *s, spec *c, char *at)
{
    char first = *at;
    c->bytes = 4;
    if (first == '\0' || strchr("hljztL", first) == NULL) {
        return true;
    }
    if (!take(s, c, at)) {
        return false;
    }
    bool twice = (first == 'h' || first == 'l') && *at == first;
    if (first == 'h') {
        c->bytes = twice ? 1 : 2;
    } else {
        c->bytes = twice || first == 'j' ? 8 : s->io->pointer;
    }
    return !twice || take(s, c, at);
}

static bool take_spec(state *s, spec *c)
{
    char at = '\0';
    *c = (spec){.text = "%", .length = 1};
    if (!take(s, c, &at)) {
        return false;
    }
    while (set_flag(c, at)) {
        if (!take(s, c, &at)) {
            return false;
        }
    }
    if (!take_number(s, c, &at, &c->width, &c->star_width)) {
        return false;
    }
    if (at == '.') {
        c->has_precision = true;
        if (!take(s, c, &at) || !take_number(s, c, &at, &c->precision, &c->star_precision)) {
            return false;
        }
    }
    if (!take_length(s, c, &at)) {
        return false;
    }
    c->conversion = at;
    return true;
}

/* ---- writing it ---- */

static void put(const state *s, const char *text, uint32_t length)
{
    if (length != 0) {
        s->io->write(s->io->arg, text, length);
    }
}

static void put_spaces(const state *s, uint32_t count)
{
    for (; count != 0; count--) {
        put(s, " ", 1);
    }
}

/* Values of `*`. */
static bool take_stars(state *s, spec *c)
{
    uint64_t value = 0;
    if (c->star_width) {
        if (!next_arg(s, 4, &value)) {
            return false;
        }
        int64_t width = (int32_t)value;
        c->minus = c->minus || width < 0;
        width = width < 0 ? -width : width;
        c->width = width > WR_FORMAT_MAX_FIELD ? WR_FORMAT_MAX_FIELD : (uint32_t)width;
    }
    if (c->star_precision) {
        if (!next_arg(s, 4, &value)) {
            return false;
        }
        int32_t precision = (int32_t)value;
        c->has_precision = precision >= 0;
        c->precision = precision > WR_FORMAT_MAX_FIELD ? WR_FORMAT_MAX_FIELD
                       : precision < 0                 ? 0
                                                       : (uint32_t)precision;
    }
    return true;
}

/* "%-+ #0*.*<length><conversion>" for the host. */
static void host_spec(const spec *c, const char *length, char out[16])
{
    uint32_t n = 0;
    out[n++] = '%';
    if (c->minus) {
        out[n++] = '-';
    }
    if (c->plus) {
        out[n++] = '+';
    }
    if (c->space) {
        out[n++] = ' ';
    }
    if (c->alternate) {
        out[n++] = '#';
    }
    if (c->zero) {
        out[n++] = '0';
    }
    memcpy(out + n, "*.*", 3);
    n += 3;
    for (; *length != '\0'; length++) {
        out[n++] = *length;
    }
    out[n++] = c->conversion;
    out[n] = '\0';
}

static bool put_integer(state *s, const spec *c)
{
    char host[16];
    char text[2 * WR_FORMAT_MAX_FIELD];
    uint64_t value = 0;
    if (!next_arg(s, c->bytes == 8 ? 8 : 4, &value)) {
        return false;
    }
    unsigned unused = 64 - 8 * c->bytes;
    bool is_signed = c->conversion == 'd' || c->conversion == 'i';
    value <<= unused;
    value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    host_spec(c, "ll", host);
    int length = snprintf(text, sizeof text, host, (int)c->width,
                          c->has_precision ? (int)c->precision : -1, (unsigned long long)value);
    put(s, text, (uint32_t)length);
    return true;
}

static bool put_float(state *s, const spec *c)
{
    char host[16];
    char text[2 * WR_FORMAT_MAX_FIELD];
    uint64_t bits = 0;
    double value;
    if (!next_arg(s, 8, &bits)) {
        return false;
    }
    memcpy(&value, &bits, sizeof value);
    host_spec(c, "", host);
    int length = snprintf(text, sizeof text, host, (int)c->width,
                          c->has_precision ? (int)c->precision : -1, value);
    put(s, text, (uint32_t)length);
    return true;
}

static void put_padded(const state *s, const spec *c, const char *text, uint32_t length)
{
    uint32_t gap = c->width > length ? c->width - length : 0;
    put_spaces(s, c->minus ? 0 : gap);
    put(s, text, length);
    put_spaces(s, c->minus ? gap : 0);
}

static bool put_pointer(state *s, const spec *c)
{
    char text[32];
    uint64_t value = 0;
    if (!next_arg(s, s->io->pointer, &value)) {
        return false;
    }
    int length = value == 0 ? snprintf(text, sizeof text, "(nil)")
                            : snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    put_padded(s, c, text, (uint32_t)length);
    return true;
}

static bool put_char(state *s, const spec *c)
{
    uint64_t value = 0;
    if (!next_arg(s, 4, &value)) {
        return false;
    }
    char text = (char)(unsigned char)value;
    put_padded(s, c, &text, 1);
    return true;
}

static bool put_string(state *s, const spec *c)
{
    uint64_t at = 0;
    uint32_t length = 0;
    uint32_t most = c->has_precision ? c->precision : WR_FORMAT_MAX_TEXT;
    char letter = '\0';
    if (!next_arg(s, s->io->pointer, &at)) {
        return false;
    }
    if (at == 0) {
        put_padded(s, c, "(null)", most < 6 ? most : 6);
        return true;
    }
    for (; length < most; length++) {
        if (!s->io->read(s->io->arg, at + length, &letter, 1)) {
            return fail(s, "text of a %s", at + length);
        }
        if (letter == '\0') {
            break;
        }
    }
    uint32_t gap = c->width > length ? c->width - length : 0;
    put_spaces(s, c->minus ? 0 : gap);
    for (uint32_t i = 0; i < length; i++) {
        s->io->read(s->io->arg, at + i, &letter, 1);
        put(s, &letter, 1);
    }
    put_spaces(s, c->minus ? gap : 0);
    return true;
}

static bool convert(state *s, spec *c)
{
    uint32_t wants = 1u + (c->star_width ? 1 : 0) + (c->star_precision ? 1 : 0);
    bool known = c->conversion != '\0' && strchr("diuxXocspfFeEgGaA", c->conversion) != NULL;
    if (c->conversion == '%') {
        put(s, "%", 1);
        return true;
    }
    if (!known || s->count + wants > WR_FORMAT_MAX_ARGS) {
        put(s, c->text, c->length);
        return true;
    }
    if (!take_stars(s, c)) {
        return false;
    }
    switch (c->conversion) {
    case 'c':
        return put_char(s, c);
    case 's':
        return put_string(s, c);
    case 'p':
        return put_pointer(s, c);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return put_integer(s, c);
    default:
        return put_float(s, c);
    }
}

bool wr_format(const wr_format_io *io, uint64_t format, uint64_t args, int32_t *result,
               wr_format_fault *fault)
{
    state s = {.io = io,
               .fault = fault,
               .format = format,
               .end = format + WR_FORMAT_MAX_TEXT,
               .args = args};
    char text[128];
    uint32_t used = 0;
    char letter = '\0';
    *result = -1;
    *fault = (wr_format_fault){0};
    if (format == 0) {
        return true;
    }
    while (next_char(&s, &letter) && letter != '\0') {
        bool special = letter == '%';
        if (!special) {
            text[used++] = letter;
        }
        if (special || used == sizeof text) {
            put(&s, text, used);
            used = 0;
        }
        if (special) {
            spec c;
            if (!take_spec(&s, &c) || !convert(&s, &c)) {
                return false;
            }
        }
    }
    put(&s, text, used);
    *result = (int32_t)s.count;
    return fault->what == NULL;
}
