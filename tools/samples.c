/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of counters; see samples.h. */
#include "tools/samples.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/replace.h"
#include "shell/core/counters.h"

struct wr_samples {
    wr_gpu *gpu;
    wr_replace to;
    uint64_t shown; /* cycle of the last row */
    /* Counters come in the same order each time: `chosen` is by that order. */
    bool *chosen;
    uint64_t *last; /* of the chosen ones */
    size_t count, capacity, columns;
    bool parts; /* some of them are of the tree */
};

/* A walk over all counters. */
typedef struct walk {
    wr_samples *samples;
    const char *const *patterns;
    bool *used; /* by pattern */
    size_t pattern_count, at, column;
    bool out_of_memory;
} walk;

static void choose(void *arg, const char *name, uint64_t value, const char *doc)
{
    walk *w = arg;
    wr_samples *s = w->samples;
    bool is_chosen = w->pattern_count == 0;
    (void)value;
    (void)doc;
    for (size_t i = 0; i < w->pattern_count; i++) {
        if (fnmatch(w->patterns[i], name, 0) == 0) {
            is_chosen = w->used[i] = true;
        }
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        bool *grown = realloc(s->chosen, capacity * sizeof *grown);
        if (!grown) {
            w->out_of_memory = true;
            return;
        }
        s->chosen = grown;
        s->capacity = capacity;
    }
    is_chosen = is_chosen && strcmp(name, "gpu.cycles") != 0; /* the first column */
    s->chosen[s->count++] = is_chosen;
    s->columns += is_chosen ? 1 : 0;
    if (is_chosen) {
        (void)fprintf(s->to.file, ",%s", name);
    }
}

static void write_delta(void *arg, const char *name, uint64_t value, const char *doc)
{
    walk *w = arg;
    wr_samples *s = w->samples;
    (void)name;
    (void)doc;
    if (w->at < s->count && s->chosen[w->at]) {
        (void)fprintf(s->to.file, ",%" PRIu64, value - s->last[w->column]);
        s->last[w->column++] = value;
    }
    w->at++;
}

static void write_row(void *arg)
{
    wr_samples *s = arg;
    walk w = {.samples = s};
    s->shown = wr_gpu_cycle(s->gpu);
    (void)fprintf(s->to.file, "%" PRIu64, s->shown);
    wr_gpu_stats(s->gpu, write_delta, &w);
    if (s->parts) {
        wr_gpu_counters(s->gpu, write_delta, &w);
    }
    (void)fputc('\n', s->to.file); /* a stream keeps its error */
}

enum { MAX_PATTERNS = 64 };

/* Splits `names` in place. */
static size_t split(char *names, const char **patterns)
{
    size_t count = 0;
    char *state = NULL;
    for (char *p = strtok_r(names, ",", &state); p && count < MAX_PATTERNS;
         p = strtok_r(NULL, ",", &state)) {
        patterns[count++] = p;
    }
    return count;
}

/* The header, and which counters it has. */
static bool begin(wr_samples *s, const char *names, wr_diag *diag)
{
    const char *patterns[MAX_PATTERNS];
    bool used[MAX_PATTERNS] = {false};
    char *copy = names ? strdup(names) : NULL;
    walk w = {.samples = s, .patterns = patterns, .used = used};
    bool ok = !names || copy;
    if (ok && names) {
        w.pattern_count = split(copy, patterns);
    }
    if (ok) {
        (void)fputs("cycle", s->to.file);
        wr_gpu_stats(s->gpu, choose, &w);
        size_t sums = s->columns;
        if (names) {
            wr_gpu_counters(s->gpu, choose, &w);
        }
        s->parts = s->columns != sums;
        (void)fputc('\n', s->to.file);
        s->last = calloc(s->columns + 1, sizeof *s->last);
        ok = !w.out_of_memory && s->last;
    }
    if (!ok) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
    }
    for (size_t i = 0; ok && i < w.pattern_count; i++) {
        if (!used[i]) {
            wr_diag_set(diag, "--sample-of", 0, 0,
                        "no counter is called '%s'; docs/counters.md lists them", patterns[i]);
            ok = false;
        }
    }
    free(copy);
    return ok;
}

static void destroy(wr_samples *s)
{
    free(s->chosen);
    free(s->last);
    free(s);
}

wr_samples *wr_samples_open(wr_gpu *gpu, const char *path, uint64_t every, const char *names,
                            wr_diag *diag)
{
    wr_samples *s = calloc(1, sizeof *s);
    if (!s) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return NULL;
    }
    s->gpu = gpu;
    if (!wr_replace_open(&s->to, path)) {
        wr_diag_set(diag, path, 0, 0, "cannot be written: %s", strerror(errno));
        free(s);
        return NULL;
    }
    if (!begin(s, names, diag)) {
        (void)wr_replace_close(&s->to, false);
        destroy(s);
        return NULL;
    }
    wr_gpu_set_sampler(gpu, every, write_row, s);
    return s;
}

bool wr_samples_close(wr_samples *s, bool keep, bool cut)
{
    if (!s) {
        return true;
    }
    wr_gpu_set_sampler(s->gpu, 0, NULL, NULL);
    if (wr_gpu_cycle(s->gpu) != s->shown) {
        write_row(s);
    }
    if (cut) {
        (void)fputs("# " WR_CUT "\n", s->to.file);
    }
    bool ok = wr_replace_close(&s->to, keep);
    destroy(s);
    return ok;
}
