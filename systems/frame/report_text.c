/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a report for people: see report.h.
 *
 * A section is a heading and lines. A line is one row, or as many rows in a row as share a label
 * and have columns. Within a section labels, values, units and the paper's figures stand below
 * each other; the names of columns are given where they change.
 */
#include "systems/frame/report.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE = 64, MOST_COLUMNS = 8, CELL = 10 };

/* Rows first to end - 1 of the report. */
typedef struct span {
    size_t first, end;
} span;

/* How wide a section's columns are. */
typedef struct widths {
    int label, cell, unit;
    bool paper; /* some line has the paper's figure */
} widths;

static void value_text(const wr_row *row, char text[VALUE])
{
    if (row->kind == WR_ROW_COUNT) {
        (void)snprintf(text, VALUE, "%" PRIu64, row->count);
    } else {
        (void)snprintf(text, VALUE, "%.1f", row->real);
    }
}

static int longer(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

/* The line that starts at row `at`, of those that are shown; rows of a section end at `end`. */
static span line_at(const wr_report *r, size_t at, size_t end)
{
    const wr_row *first = wr_report_row(r, at);
    span line = {at, at + 1};

    while (first->column[0] && line.end < end && line.end < at + MOST_COLUMNS) {
        const wr_row *row = wr_report_row(r, line.end);

        if (row->is_detail || !row->column[0] || strcmp(row->label, first->label) != 0) {
            break;
        }
        line.end++;
    }
    return line;
}

static widths measure(const wr_report *r, span section)
{
    widths w = {.cell = CELL};

    for (size_t i = section.first; i < section.end; i++) {
        const wr_row *row = wr_report_row(r, i);
        char text[VALUE];

        if (row->is_detail) {
            continue;
        }
        w.label = longer(w.label, row->label);
        if (row->kind == WR_ROW_TEXT) {
            continue;
        }
        value_text(row, text);
        w.cell = longer(longer(w.cell, text), row->column);
        w.unit = longer(w.unit, row->unit);
        w.paper = w.paper || row->source[0];
    }
    return w;
}

static bool same_columns(const wr_report *r, span a, span b)
{
    for (size_t i = 0; i < a.end - a.first && i < b.end - b.first; i++) {
        if (strcmp(wr_report_row(r, a.first + i)->column, wr_report_row(r, b.first + i)->column) !=
            0) {
            return false;
        }
    }
    return a.end - a.first == b.end - b.first;
}

/* Names above the values, where the line's differ from those of the line before. */
static void print_columns(const wr_report *r, span line, const widths *w, FILE *out)
{
    (void)fprintf(out, "  %-*s", w->label, "");
    for (size_t i = line.first; i < line.end; i++) {
        const char *column = wr_report_row(r, i)->column;

        (void)fprintf(out, " %*s", w->cell, column[0] ? column : "ours");
    }
    if (w->paper) {
        (void)fprintf(out, " %-*s %*s", w->unit, "", CELL, "paper");
    }
    (void)fputc('\n', out);
}

/* The paper's figures of a line, `pad` behind our unit, its columns named. */
static void print_paper(const wr_report *r, span line, int pad, FILE *out)
{
    for (size_t i = line.first; i < line.end; i++) {
        const wr_row *row = wr_report_row(r, i);

        if (row->source[0]) {
            (void)fprintf(out, "%*s %*.1f  %s%s%s", pad, "", CELL, row->paper, row->column,
                          row->column[0] ? ": " : "", row->source);
            pad = 0;
        }
    }
}

static void print_line(const wr_report *r, span line, const widths *w, FILE *out)
{
    const wr_row *first = wr_report_row(r, line.first);
    bool one_unit = true;

    if (first->kind == WR_ROW_TEXT && !first->column[0]) {
        (void)fprintf(out, "  %-*s %s\n", w->label, first->label, first->text);
        return;
    }
    (void)fprintf(out, "  %-*s", w->label, first->label);
    for (size_t i = line.first; i < line.end; i++) {
        const wr_row *row = wr_report_row(r, i);
        char text[VALUE];

        value_text(row, text);
        (void)fprintf(out, " %*s", w->cell, row->kind == WR_ROW_TEXT ? row->text : text);
        one_unit = one_unit && strcmp(row->unit, first->unit) == 0;
    }
    const char *unit = one_unit ? first->unit : "";

    (void)fprintf(out, "%s%s", unit[0] ? " " : "", unit);
    print_paper(r, line, w->unit - (int)strlen(unit) + (unit[0] ? 0 : 1), out);
    (void)fputc('\n', out);
}

static void print_section(const wr_report *r, span section, FILE *out)
{
    widths w = measure(r, section);
    span before = {section.first, section.first};

    (void)fprintf(out, "\n%s\n", wr_report_row(r, section.first)->section);
    for (size_t i = section.first; i < section.end;) {
        const wr_row *row = wr_report_row(r, i);
        span line = line_at(r, i, section.end);

        i = row->is_detail ? i + 1 : line.end;
        if (row->is_detail) {
            continue;
        }
        if (row->kind != WR_ROW_TEXT) {
            bool named = row->column[0] || w.paper;

            if (named && !same_columns(r, before, line)) {
                print_columns(r, line, &w, out);
            }
            before = line;
        }
        print_line(r, line, &w, out);
    }
}

void wr_report_print(const wr_report *r, FILE *out)
{
    size_t count = wr_report_rows(r);

    for (size_t i = 0; i < count;) {
        span section = {i, i};
        bool any = false;

        while (section.end < count &&
               wr_report_row(r, section.end)->section == wr_report_row(r, i)->section) {
            any = any || !wr_report_row(r, section.end)->is_detail;
            section.end++;
        }
        if (any) {
            print_section(r, section, out);
        }
        i = section.end;
    }
}
