/* SPDX-License-Identifier: Apache-2.0 */
/* Systems: the mechanisms of the papers, each hooked into the shell and built from blocks.
 *
 * A system is made from one text, NAME[:option=value,...], the same that the command line takes,
 * lives as long as the GPU that it is attached to, and reports what it measured in two forms:
 * text for people and rows for machines. This file is the registry and the common face; what a
 * system does stands in its own files.
 *
 *   wr_system *s = wr_system_create("preemption:period=10000", extra, n, &cfg, err, sizeof err);
 *   wr_gpu_attach(gpu, wr_system_get_hooks(s));
 *   ... wr_gpu_run ...
 *   wr_system_finish(s, err, sizeof err);       closes files
 *   wr_system_print(s, stdout);                 or wr_system_rows(s, fn, arg)
 *   wr_system_destroy(s);                       after wr_gpu_free or at least after the last run
 */
#ifndef WR_SYSTEMS_FRAME_SYSTEM_H
#define WR_SYSTEMS_FRAME_SYSTEM_H

#include "shell/core/seam/hooks.h"
#include "waveforms/fst.h"

#include <stddef.h>
#include <stdio.h>

typedef struct wr_system wr_system;

/* One option of a system. */
typedef struct wr_system_option {
    const char *name;
    const char *values; /* what it takes, for people: "cycles", "model|rtl|lockstep" */
    const char *preset; /* value where it is not given, "" = none */
    const char *doc;
} wr_system_option;

typedef enum wr_row_kind { WR_ROW_COUNT, WR_ROW_REAL, WR_ROW_TEXT } wr_row_kind;

/* One figure of a system's report. Names are dotted and stable: "latency.drain.mean",
 * "blocks.context_saver.mismatches". A row and its strings are valid during the callback. */
typedef struct wr_system_row {
    const char *name;
    wr_row_kind kind;
    uint64_t count;
    double real;
    const char *text;
    const char *unit; /* "cycles", "bytes", "" */
    bool has_paper;
    double paper;       /* the paper's figure in the same unit */
    const char *source; /* of the paper's figure, "" without one */
} wr_system_row;

typedef void (*wr_system_row_fn)(void *arg, const wr_system_row *row);

typedef struct wr_system_type {
    const char *name;
    const char *summary;
    const wr_system_option *options;
    size_t option_count;
    /* values[i] belongs to options[i] and is never NULL. Returns NULL with one line in err. */
    wr_system *(*create)(const wr_gpu_config *cfg, const char *const *values, char *err,
                         size_t err_size);
    void (*destroy)(wr_system *system);
    bool (*finish)(wr_system *system, char *err, size_t err_size);
    void (*print)(const wr_system *system, FILE *out);
    void (*rows)(const wr_system *system, wr_system_row_fn fn, void *arg);
    wr_fst *(*wave)(const wr_system *system);
} wr_system_type;

/* First member of every system. */
struct wr_system {
    const wr_system_type *type;
    wr_system_hooks hooks;
};

/* All systems, ordered by name; *count is set. */
const wr_system_type *const *wr_systems(size_t *count);

/* The system of this name (name_size bytes of it), or NULL. */
const wr_system_type *wr_system_find(const char *name, size_t name_size);

/* Makes a system from "NAME[:option=value,...]". extra are further whole "option=value" texts,
 * taken as they are, commas and all (file names), and stand before the options of the spec: so
 * the spec wins. NULL with one line in err that says what is wrong and what is valid. */
wr_system *wr_system_create(const char *spec, const char *const *extra, size_t extra_count,
                            const wr_gpu_config *cfg, char *err, size_t err_size);

const wr_system_hooks *wr_system_get_hooks(const wr_system *system);

/* The waveform that the system writes, for others to add to before the first run; it is closed by
 * wr_system_finish. NULL: it writes none. */
wr_fst *wr_system_wave(const wr_system *system);

/* Writes and closes the files that the system keeps. False with one line in err. */
bool wr_system_finish(wr_system *system, char *err, size_t err_size);

void wr_system_print(const wr_system *system, FILE *out);
void wr_system_rows(const wr_system *system, wr_system_row_fn fn, void *arg);
void wr_system_destroy(wr_system *system); /* NULL is fine */

#endif
