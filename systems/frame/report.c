/* SPDX-License-Identifier: Apache-2.0 */
/* The list of rows, and its forms for machines: see report.h. The text is report_text.c's.
 *
 * Strings lie in chunks that are freed with the report, so that a row is a plain value.
 */
#include "systems/frame/report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16384, LINE = 512 };

typedef struct chunk {
    struct chunk *next;
    size_t used;
    char text[CHUNK];
} chunk;

struct wr_report {
    wr_row *rows;
    size_t count, room;
    chunk *chunks;
    const char *section, *prefix;
    wr_row lost; /* what is written to where memory ran out */
    bool failed;
};

/* A copy that lives as long as the report. */
static const char *keep(wr_report *r, const char *text)
{
    size_t size = strlen(text) + 1;

    size = size < CHUNK ? size : CHUNK;
    if (!r->chunks || CHUNK - r->chunks->used < size) {
        chunk *c = malloc(sizeof *c);

        if (!c) {
            r->failed = true;
            return "";
        }
        c->next = r->chunks;
        c->used = 0;
        r->chunks = c;
    }
    char *copy = r->chunks->text + r->chunks->used;

    memcpy(copy, text, size - 1);
    copy[size - 1] = '\0';
    r->chunks->used += size;
    return copy;
}

wr_report *wr_report_new(void)
{
    wr_report *r = calloc(1, sizeof *r);

    if (r) {
        r->section = "";
        r->prefix = "";
    }
    return r;
}

void wr_report_free(wr_report *r)
{
    if (!r) {
        return;
    }
    for (chunk *c = r->chunks; c;) {
        chunk *next = c->next;

        free(c);
        c = next;
    }
    free(r->rows);
    free(r);
}

void wr_report_section(wr_report *r, const char *prefix, const char *format, ...)
{
    char line[LINE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    r->section = keep(r, line);
    r->prefix = keep(r, prefix);
}

static wr_row *add(wr_report *r, const char *name, const char *label, wr_row_kind kind,
                   const char *unit)
{
    char full[LINE] = "";
    wr_row *row = &r->lost;

    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        wr_row *rows = realloc(r->rows, room * sizeof *rows);

        if (rows) {
            r->rows = rows;
            r->room = room;
        }
    }
    if (r->count < r->room) {
        row = &r->rows[r->count++];
    } else {
        r->failed = true;
    }
    if (name[0]) {
        (void)snprintf(full, sizeof full, "%s%s%s", r->prefix, r->prefix[0] ? "." : "", name);
    }
    *row = (wr_row){.section = r->section,
                    .name = keep(r, full),
                    .label = keep(r, label),
                    .column = "",
                    .kind = kind,
                    .text = "",
                    .unit = unit,
                    .source = ""};
    return row;
}

wr_row *wr_report_count(wr_report *r, const char *name, const char *label, uint64_t value,
                        const char *unit)
{
    wr_row *row = add(r, name, label, WR_ROW_COUNT, unit);

    row->count = value;
    return row;
}

wr_row *wr_report_real(wr_report *r, const char *name, const char *label, double value,
                       const char *unit)
{
    wr_row *row = add(r, name, label, WR_ROW_REAL, unit);

    row->real = value;
    return row;
}

wr_row *wr_report_text(wr_report *r, const char *name, const char *label, const char *text)
{
    wr_row *row = add(r, name, label, WR_ROW_TEXT, "");

    row->text = keep(r, text);
    return row;
}

void wr_row_paper(wr_row *row, double value, const char *source)
{
    row->paper = value;
    row->source = source;
}

size_t wr_report_rows(const wr_report *r)
{
    return r->count;
}

const wr_row *wr_report_row(const wr_report *r, size_t index)
{
    return &r->rows[index];
}

bool wr_report_whole(const wr_report *r)
{
    return !r->failed;
}

void wr_report_json(const wr_report *r, const char *before, cJSON *object)
{
    char name[LINE];

    for (size_t i = 0; i < r->count; i++) {
        const wr_row *row = &r->rows[i];

        if (!row->name[0]) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s%s", before, row->name);
        cJSON *item = cJSON_AddObjectToObject(object, name);

        if (row->kind == WR_ROW_TEXT) {
            cJSON_AddStringToObject(item, "value", row->text);
        } else {
            cJSON_AddNumberToObject(item, "value",
                                    row->kind == WR_ROW_COUNT ? (double)row->count : row->real);
        }
        if (row->unit[0]) {
            cJSON_AddStringToObject(item, "unit", row->unit);
        }
        if (row->source[0]) {
            cJSON_AddNumberToObject(item, "paper", row->paper);
            cJSON_AddStringToObject(item, "source", row->source);
        }
    }
}

/* In quotes, with those inside doubled. */
static void put_quoted(const char *text, FILE *out)
{
    for (; *text; text++) {
        (void)fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    }
}

void wr_report_csv(const wr_report *r, const char *before, FILE *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const wr_row *row = &r->rows[i];

        if (!row->name[0]) {
            continue;
        }
        (void)fprintf(out, "%s%s,", before, row->name);
        if (row->kind == WR_ROW_COUNT) {
            (void)fprintf(out, "%" PRIu64, row->count);
        } else if (row->kind == WR_ROW_REAL) {
            (void)fprintf(out, "%.6g", row->real);
        } else {
            (void)fputc('"', out);
            put_quoted(row->text, out);
            (void)fputc('"', out);
        }
        (void)fprintf(out, ",%s,\"", row->unit);
        put_quoted(row->label + strspn(row->label, " "), out);
        if (row->column[0]) {
            (void)fprintf(out, ", %s", row->column);
        }
        if (row->source[0]) {
            (void)fprintf(out, "; paper: %.6g (", row->paper);
            put_quoted(row->source, out);
            (void)fputc(')', out);
        }
        (void)fputs("\"\n", out);
    }
}
