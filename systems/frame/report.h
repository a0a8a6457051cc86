/* SPDX-License-Identifier: Apache-2.0 */
/* What a system measured: one list of rows, and from it text, JSON and CSV.
 *
 * A system adds rows and prints nothing. The figures of the paper stand beside ours, in the same
 * unit, with their source.
 *
 *   wr_report_section(r, "context.k", "Register context of %s", "k");
 *   wr_row *row = wr_report_real(r, "live", "live registers", 811, "bytes per warp");
 *   wr_row_paper(row, 656, "Lin-P III.B");                     name: "context.k.live"
 *
 * Rows of one label with a column each are one line of a table:
 *
 *   wr_report_real (r, "latency.mean", "signal to all in memory", 861, "cycles")->column = "mean";
 *   wr_report_count(r, "latency.max",  "signal to all in memory", 944, "cycles")->column = "most";
 */
#ifndef WR_SYSTEMS_FRAME_REPORT_H
#define WR_SYSTEMS_FRAME_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;

typedef enum wr_row_kind { WR_ROW_COUNT, WR_ROW_REAL, WR_ROW_TEXT } wr_row_kind;

typedef struct wr_row {
    const char *section; /* heading, for people */
    const char *name;    /* dotted and stable; "" = for people alone */
    const char *label;   /* for people */
    const char *column;  /* "" = alone in its line; a literal */
    wr_row_kind kind;
    uint64_t count;
    double real;
    const char *text;
    const char *unit;   /* "cycles", "bytes", ""; a literal */
    bool is_detail;     /* in files only, not in the text */
    const char *source; /* of the paper's figure; "" = it gives none */
    double paper;
} wr_row;

typedef struct wr_report wr_report;

wr_report *wr_report_new(void); /* NULL: out of memory */
void wr_report_free(wr_report *report);

/* Heading of the rows that follow, and what their names begin with ("" = nothing). */
__attribute__((format(printf, 3, 4))) void wr_report_section(wr_report *report, const char *prefix,
                                                             const char *format, ...);

/* Adds a row and returns it, to be completed before the next one is added. Names, labels and texts
 * are copied. */
wr_row *wr_report_count(wr_report *report, const char *name, const char *label, uint64_t value,
                        const char *unit);
wr_row *wr_report_real(wr_report *report, const char *name, const char *label, double value,
                       const char *unit);
wr_row *wr_report_text(wr_report *report, const char *name, const char *label, const char *text);
void wr_row_paper(wr_row *row, double value, const char *source);

/* The rows in their order; valid as long as the report. */
size_t wr_report_rows(const wr_report *report);
const wr_row *wr_report_row(const wr_report *report, size_t index);

/* False: memory ran out, rows are missing. */
bool wr_report_whole(const wr_report *report);

/* The same rows in three forms. before: what names begin with, "" or "system.". */
void wr_report_print(const wr_report *report, FILE *out);
void wr_report_json(const wr_report *report, const char *before, struct cJSON *object);
void wr_report_csv(const wr_report *report, const char *before, FILE *out);

#endif
