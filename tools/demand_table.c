/* SPDX-License-Identifier: Apache-2.0 */
/* Demands from a CSV file; see demands.h. A row is a line: fields hold no line ends. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/demands.h"

#include "files/line.h"
#include "shell/config/regular.h"

enum column { NAME, LABEL, WARPS, REGISTERS, SHARED, TBS, LIMIT, COLUMNS };

enum { MAX_FIELDS = 16 };

static const char *const column_names[COLUMNS] = {"name",   "label", "warps", "registers",
                                                  "shared", "tbs",   "limit"};

typedef struct reader {
    const char *path;
    unsigned line;
    enum column columns[MAX_FIELDS]; /* of the fields */
    size_t count;                    /* of them; 0: the names have not been read */
    bool has[COLUMNS];
    wr_diag *diag;
} reader;

static bool fault(const reader *r, const char *what, const char *text)
{
    wr_diag_set(r->diag, r->path, r->line, 0, "'%s': %s", text, what);
    return false;
}

/* Ends the field at `at` in place; `*next` is the one behind it, NULL: none. */
static char *cut_field(char *at, char **next)
{
    char *field = at, *to = at;
    if (*at != '"') {
        at += strcspn(at, ",");
        to = at;
    } else {
        for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        if (*at++ != '"' || (*at != ',' && *at != '\0')) {
            return NULL;
        }
    }
    *next = *at == ',' ? at + 1 : NULL;
    *to = '\0';
    return field;
}

/* Fields of a line; false with a message where it is no CSV. */
static bool split(const reader *r, char *line, char **fields, size_t *count)
{
    char *next = line;
    *count = 0;
    do {
        if (*count == MAX_FIELDS) {
            return fault(r, "more fields than there are columns", next);
        }
        char *at = next;
        fields[*count] = cut_field(at, &next);
        if (fields[*count] == NULL) {
            return fault(r, "a quote that does not end, or not with its field", at);
        }
        (*count)++;
    } while (next != NULL);
    return true;
}

static bool read_names(reader *r, char **fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t c = 0;
        while (c < COLUMNS && strcmp(fields[i], column_names[c]) != 0) {
            c++;
        }
        if (c == COLUMNS || r->has[c]) {
            return fault(r,
                         "each column is one of name, label, warps, registers, shared, tbs, limit, "
                         "and there once",
                         fields[i]);
        }
        r->has[c] = true;
        r->columns[i] = (enum column)c;
    }
    r->count = count;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (!r->has[c] && (c == NAME || c == WARPS || c == REGISTERS || c == SHARED)) {
            return fault(r, "there must be a column of this name", column_names[c]);
        }
    }
    return true;
}

static bool number(const reader *r, const char *text, uint32_t least, uint32_t most,
                   uint32_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < least || n > most) {
        char what[64];
        (void)snprintf(what, sizeof what, "must be a whole number, %" PRIu32 " to %" PRIu32, least,
                       most);
        return fault(r, what, text);
    }
    *value = (uint32_t)n;
    return true;
}

static bool word(const reader *r, const char *text, char *to, size_t size)
{
    if (*text == '\0' || strlen(text) >= size) {
        return fault(r, "a name or a label has a letter at least, and is not as long", text);
    }
    (void)snprintf(to, size, "%s", text);
    return true;
}

static bool read_field(const reader *r, enum column c, const char *text, wr_demand *row)
{
    switch (c) {
    case NAME:
        return word(r, text, row->name, sizeof row->name);
    case LABEL:
        return word(r, text, row->label, sizeof row->label);
    case WARPS:
        return number(r, text, 1, WR_DEMAND_WARPS, &row->warps);
    case REGISTERS:
        return number(r, text, 0, WR_DEMAND_REGISTERS, &row->registers);
    case SHARED:
        return number(r, text, 0, WR_DEMAND_SHARED, &row->shared);
    case TBS:
        return number(r, text, 0, UINT32_MAX, &row->tbs);
    case LIMIT:
        return wr_limit_parse(text, &row->limit) ||
               fault(r, "a limit is one or more of warp, TB, reg, smem, with commas between", text);
    case COLUMNS:
        break;
    }
    return false;
}

static bool read_line(reader *r, char *line, wr_demands *d)
{
    char *fields[MAX_FIELDS];
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#') {
        return true;
    }
    if (!split(r, line, fields, &count)) {
        return false;
    }
    if (r->count == 0) {
        return read_names(r, fields, count);
    }
    if (count != r->count) {
        return fault(r, "the row has not as many fields as there are columns", fields[0]);
    }
    wr_demand *row = wr_demands_add(d, r->diag);
    bool ok = row != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        ok = read_field(r, r->columns[i], fields[i], row);
    }
    return ok;
}

bool wr_demands_from_table(const char *path, wr_demands *d, wr_diag *diag)
{
    reader r = {.path = path, .diag = diag};
    const char *why = wr_regular_file(path, NULL);
    FILE *f = why ? NULL : fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool ok = f != NULL;
    for (ssize_t n; ok && (n = wr_line_read(&line, &size, f)) != -1;) {
        r.line++;
        ok = n != WR_LINE_LONG ? read_line(&r, line, d)
                               : (wr_diag_set(diag, path, r.line, 0, WR_LINE_LONG_TEXT), false);
    }
    if (f == NULL || (ok && ferror(f))) {
        wr_diag_set(diag, path, 0, 0, "cannot be read: %s", why ? why : strerror(errno));
        ok = false;
    } else if (ok && d->count == 0) {
        wr_diag_set(diag, path, 0, 0,
                    "there is no row in it; it wants a line name,warps,registers,shared and rows "
                    "below");
        ok = false;
    }
    free(line);
    if (f != NULL) {
        (void)fclose(f);
    }
    d->has_tbs = r.has[TBS];
    d->has_limit = r.has[LIMIT];
    return ok;
}
