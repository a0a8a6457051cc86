/* SPDX-License-Identifier: Apache-2.0 */
/* See profile_list.h. A line of the source has the sum of the instructions that were made of it.
 * Where the source is there, it stands beside the figures from the kernel's first line to its last;
 * where the PTX names none, the machine code does. */
#include "tools/profile_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/config/regular.h"

#define MOST_BYTES (UINT64_C(64) << 20) /* of a source */

#define FIGURES                                                                                    \
    "%10" PRIu64 " %5.1f %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
#define COLUMNS "    issued lanes      lines       memory   arithmetic      barrier       stores"
#define BLANK   "                                                                              "

/* The sum of the instructions of one line. */
typedef struct place {
    uint32_t file, line;
    wr_profile_count count;
} place;

void wr_profile_count_add(wr_profile_count *sum, const wr_profile_count *more)
{
    sum->issued += more->issued;
    sum->lanes += more->lanes;
    sum->lines += more->lines;
    for (size_t i = 0; i < WR_PROFILE_WAITS; i++) {
        sum->waits[i] += more->waits[i];
    }
}

/* In quotes where it has a file's name, which may be of anything. */
static void put_field(FILE *out, const wr_profile_kernel *of)
{
    if (!of->file) {
        (void)fputs(of->kernel->name, out);
        return;
    }
    (void)fputc('"', out);
    for (const char *at = of->file; *at; at++) {
        (void)fputs(*at == '"' ? "\"\"" : (char[]){*at, '\0'}, out);
    }
    (void)fprintf(out, ":%s\"", of->kernel->name);
}

bool wr_profile_csv(FILE *out, const wr_profile_kernel *kernels, size_t count)
{
    char text[512], where[WR_SOURCE_TEXT];
    (void)fputs("kernel,pc,ptx_line,source,instruction,issued,lanes,lines,wait_memory,"
                "wait_arithmetic,wait_barrier,wait_stores\n",
                out);
    for (size_t i = 0; i < count; i++) {
        const wr_kernel *k = kernels[i].kernel;
        for (size_t n = 0; n < k->insn_count; n++) {
            const wr_profile_count *c = &kernels[i].counts[n];
            bool known = wr_source_find(k->sources, k->lines[n]) != NULL;
            wr_source_text(k->sources, k->lines[n], where, sizeof where);
            wr_isa_print(&k->insns[n], text, sizeof text);
            put_field(out, &kernels[i]);
            (void)fprintf(out,
                          ",%" PRIu32 ",%" PRIu32 ",%s,\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                          k->insns[n].pc, k->lines[n], known ? where : "", text, c->issued,
                          c->lanes, c->lines, c->waits[WR_WAIT_MEMORY],
                          c->waits[WR_WAIT_ARITHMETIC], c->waits[WR_WAIT_BARRIER],
                          c->waits[WR_WAIT_MEMBAR]);
        }
    }
    return ferror(out) == 0;
}

static void put_figures(FILE *out, const wr_profile_count *c)
{
    (void)fprintf(out, FIGURES, c->issued, c->issued ? (double)c->lanes / (double)c->issued : 0.0,
                  c->lines, c->waits[WR_WAIT_MEMORY], c->waits[WR_WAIT_ARITHMETIC],
                  c->waits[WR_WAIT_BARRIER], c->waits[WR_WAIT_MEMBAR]);
}

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->file != y->file) {
        return x->file < y->file ? -1 : 1;
    }
    return (x->line > y->line) - (x->line < y->line);
}

/* Lines `from` to `to` of a file, `places` among them with figures. */
static void list_file(FILE *out, const char *name, const place *places, size_t count)
{
    uint64_t bytes = 0;
    const char *why = wr_regular_file(name, &bytes);
    why = !why && bytes > MOST_BYTES ? "more than 64 MiB" : why;
    FILE *source =
        !why && bytes != 0 ? fopen(name, "r") : NULL; /* /proc has empty ones that block */
    char *text = NULL;
    size_t room = 0, next = 0;
    uint32_t first = places[0].line, last = places[count - 1].line;
    (void)fprintf(out, "\n" COLUMNS "  %s%s%s%s\n", name, why ? " (cannot be read: " : "",
                  why ? why : "", why ? ")" : "");
    for (uint32_t line = 1; source && line <= last && getline(&text, &room, source) >= 0; line++) {
        if (line < first) {
            continue;
        }
        if (next < count && places[next].line == line) {
            put_figures(out, &places[next++].count);
        } else {
            (void)fputs(BLANK, out);
        }
        text[strcspn(text, "\r\n")] = '\0';
        (void)fprintf(out, "  %5" PRIu32 "  %s\n", line, text);
    }
    for (; next < count; next++) { /* of no source, or of one that is shorter now */
        put_figures(out, &places[next].count);
        (void)fprintf(out, "  %5" PRIu32 "\n", places[next].line);
    }
    free(text);
    if (source) {
        (void)fclose(source);
    }
}

static bool list_sources(FILE *out, const wr_profile_kernel *of)
{
    const wr_kernel *k = of->kernel;
    place *places = calloc(k->insn_count + 1, sizeof *places);
    wr_profile_count rest = {0};
    size_t count = 0;
    if (!places) {
        return false;
    }
    for (size_t n = 0; n < k->insn_count; n++) {
        const wr_source_line *at = wr_source_find(k->sources, k->lines[n]);
        if (at) {
            places[count++] = (place){at->file, at->line, of->counts[n]};
        } else {
            wr_profile_count_add(&rest, &of->counts[n]);
        }
    }
    qsort(places, count, sizeof *places, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept != 0 && by_place(&places[kept - 1], &places[i]) == 0) {
            wr_profile_count_add(&places[kept - 1].count, &places[i].count);
        } else {
            places[kept++] = places[i];
        }
    }
    for (size_t i = 0, end; i < kept; i = end) {
        for (end = i; end < kept && places[end].file == places[i].file; end++) {
        }
        list_file(out, k->sources->files[places[i].file], &places[i], end - i);
    }
    if (rest.issued != 0) {
        (void)fputs("\n" COLUMNS "\n", out);
        put_figures(out, &rest);
        (void)fputs("  instructions of no line: the compiler's own, preemption points\n", out);
    }
    free(places);
    return true;
}

static void list_code(FILE *out, const wr_profile_kernel *of)
{
    const wr_kernel *k = of->kernel;
    char text[512];
    (void)fputs("\n" COLUMNS "     pc  PTX line\n", out);
    for (size_t n = 0; n < k->insn_count; n++) {
        wr_isa_print(&k->insns[n], text, sizeof text);
        put_figures(out, &of->counts[n]);
        (void)fprintf(out, "  %05" PRIx32 " %9" PRIu32 "  %s\n", k->insns[n].pc, k->lines[n], text);
    }
}

bool wr_profile_text(FILE *out, const wr_profile_kernel *kernels, size_t count)
{
    (void)fputs(
        "issued: warp instructions; lanes: active in each, in the mean; lines: of memory that "
        "they touched;\nbehind these the cycles that warps waited in front of them: for data "
        "of memory, for results of\narithmetic, at a barrier, for stores to be done.\n",
        out);
    for (size_t i = 0; i < count; i++) {
        const wr_kernel *k = kernels[i].kernel;
        wr_profile_count sum = {0};
        for (size_t n = 0; n < k->insn_count; n++) {
            wr_profile_count_add(&sum, &kernels[i].counts[n]);
        }
        (void)fprintf(out, "\nkernel %s%s%s\n" COLUMNS "\n", kernels[i].file ? kernels[i].file : "",
                      kernels[i].file ? ":" : "", k->name);
        put_figures(out, &sum);
        (void)fputs("  all\n", out);
        if (!k->sources) {
            list_code(out, &kernels[i]);
        } else if (!list_sources(out, &kernels[i])) {
            return false;
        }
    }
    return ferror(out) == 0;
}
