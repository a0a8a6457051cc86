/* SPDX-License-Identifier: Apache-2.0 */
/* See vcd.h. A time is written with the first change in it, and the last one when the file is
 * closed; every variable is x until it is set. A failed write shows in the stream, which is looked
 * at when it is closed, as is memory that ran out. */
#include "waveforms/vcd.h"
#include "files/replace.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_FIRST = '!', CODES = '~' - '!' + 1, CODE_DIGITS = 5, BITS = 64 };

typedef struct variable {
    uint64_t value;
    uint8_t width;
    bool known;
} variable;

struct wr_vcd {
    wr_replace to;
    FILE *file; /* its own */
    variable *vars;
    uint32_t count, room;
    uint64_t time, written; /* as set last; as in the file last */
    bool timed;             /* there was a time: the head is over */
    bool failed;            /* memory ran out: the file lacks a variable */
    bool cut;               /* as wr_fst_cut has it */
};

bool wr_vcd_is_named(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".vcd") == 0;
}

wr_vcd *wr_vcd_open(const char *path)
{
    wr_vcd *v = calloc(1, sizeof(*v));

    if (v == NULL) {
        return NULL;
    }
    if (!wr_replace_open(&v->to, path)) {
        free(v);
        return NULL;
    }
    v->file = v->to.file;
    (void)fputs("$version warpref $end\n$timescale 1ns $end\n", v->file);
    return v;
}

/* What stands for a variable: its number in printable characters. */
static const char *code_of(uint32_t var, char code[CODE_DIGITS + 1])
{
    char *at = code;

    do {
        *at++ = (char)(CODE_FIRST + var % CODES);
        var /= CODES;
    } while (var > 0);
    *at = '\0';
    return code;
}

static void end_head(wr_vcd *v)
{
    char code[CODE_DIGITS + 1];

    (void)fprintf(v->file, "$enddefinitions $end\n#%" PRIu64 "\n$dumpvars\n", v->time);
    for (uint32_t i = 0; i < v->count; i++) {
        (void)fprintf(v->file, v->vars[i].width > 1 ? "bx %s\n" : "x%s\n", code_of(i, code));
    }
    (void)fputs("$end\n", v->file);
    v->written = v->time;
}

static void write_time(wr_vcd *v)
{
    if (v->time != v->written) {
        (void)fprintf(v->file, "#%" PRIu64 "\n", v->time);
        v->written = v->time;
    }
}

bool wr_vcd_close(wr_vcd *v, bool keep)
{
    if (v->timed) {
        write_time(v);
    } else {
        end_head(v);
    }
    if (v->cut) {
        (void)fputs("$comment " WR_CUT " $end\n", v->file);
    }
    const bool failed = keep && v->failed;
    const bool whole = wr_replace_close(&v->to, keep && !failed) && !failed;

    free(v->vars);
    free(v);
    return whole;
}

void wr_vcd_cut(wr_vcd *v)
{
    v->cut = true;
}

void wr_vcd_scope(wr_vcd *v, const char *name)
{
    (void)fprintf(v->file, "$scope module %s $end\n", name);
}

void wr_vcd_upscope(wr_vcd *v)
{
    (void)fputs("$upscope $end\n", v->file);
}

uint32_t wr_vcd_add(wr_vcd *v, const char *name, uint32_t width)
{
    char code[CODE_DIGITS + 1];
    char range[16] = "";

    assert(!v->timed && width > 0 && width <= BITS);
    if (v->count == v->room) {
        const uint32_t room = v->room > 0 ? 2 * v->room : 256;
        variable *more = realloc(v->vars, room * sizeof(*more));
        if (more == NULL) {
            v->failed = true;
            return UINT32_MAX;
        }
        v->vars = more;
        v->room = room;
    }
    if (width > 1) {
        (void)snprintf(range, sizeof(range), " [%" PRIu32 ":0]", width - 1);
    }
    (void)fprintf(v->file, "$var wire %" PRIu32 " %s %s%s $end\n", width, code_of(v->count, code),
                  name, range);
    v->vars[v->count] = (variable){.width = (uint8_t)width};
    return v->count++;
}

void wr_vcd_time(wr_vcd *v, uint64_t time)
{
    v->time = time;
    if (!v->timed) {
        v->timed = true;
        end_head(v);
    }
}

void wr_vcd_set(wr_vcd *v, uint32_t var, uint64_t value)
{
    char code[CODE_DIGITS + 1];
    char digits[BITS + 1];
    char *at = digits + BITS;
    variable *x = var < v->count ? &v->vars[var] : NULL;

    if (x == NULL || (x->known && x->value == value)) {
        return;
    }
    x->known = true;
    x->value = value;
    if (x->width < BITS) {
        value &= (UINT64_C(1) << x->width) - 1;
    }
    *at = '\0';
    do {
        *--at = (char)('0' + (value & 1));
        value >>= 1;
    } while (value > 0);
    write_time(v);
    (void)fprintf(v->file, x->width > 1 ? "b%s %s\n" : "%s%s\n", at, code_of(var, code));
}
