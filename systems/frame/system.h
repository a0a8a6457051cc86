/* SPDX-License-Identifier: Apache-2.0 */
/* Systems: the mechanisms of the papers, each hooked into the shell and built from blocks.
 *
 * A system is a type, a table that is known by name, and what its create makes. The frame reads its
 * options, checks the machine, gives it its blocks' bay and joins it with others (group.h); the
 * system fills in hooks and reports rows. docs/systems.md tells how to write one.
 */
#ifndef WR_SYSTEMS_FRAME_SYSTEM_H
#define WR_SYSTEMS_FRAME_SYSTEM_H

#include "shell/core/seam/hooks.h"
#include "systems/frame/bay.h"
#include "systems/frame/options.h"
#include "systems/frame/report.h"

/* First member of every system. */
typedef struct wr_system {
    wr_system_hooks hooks;
} wr_system;

/* What a system requires of a field of the configuration. */
typedef struct wr_system_need {
    wr_config_field field;
    uint32_t min, max;
} wr_system_need;

/* What a system is made from; all of it outlives the system. */
typedef struct wr_system_setup {
    const wr_gpu_config *cfg; /* meets the needs; valid during create only */
    wr_owner owner;
    const wr_option_value *values; /* values[i] is of options[i], checked */
    wr_bay *bay;                   /* NULL: the type names no blocks */
    uint32_t streams;              /* of the run; 0: not known */
} wr_system_setup;

typedef struct wr_system_type {
    const char *name;
    const char *summary;
    const char *paper; /* source of the mechanism; "" = none */
    const wr_option *options;
    size_t option_count;
    const char *const *blocks; /* names, NULL at the end, also of those that an option brings;
                                  NULL: it has none */
    const wr_system_need *needs;
    size_t need_count;
    const char *not_with; /* systems that it can't run beside, "a, b"; NULL: none */
    bool needs_points;    /* useless on kernels without preemption points */
    /* NULL with one line in err. Ports are open and in the bay when it returns. */
    wr_system *(*create)(const wr_system_setup *setup, char *err, size_t err_size);
    void (*destroy)(wr_system *system); /* NULL: free */
    void (*report)(const wr_system *system, wr_report *report);
} wr_system_type;

/* Zeroed; NULL with one line in err. */
void *wr_system_alloc(size_t size, char *err, size_t err_size);
void wr_system_destroy(const wr_system_type *type, wr_system *system); /* NULL is fine */

/* All systems, ordered by name; *count is set. */
const wr_system_type *const *wr_system_types(size_t *count);

/* The system of this name (name_size bytes of it), or NULL. */
const wr_system_type *wr_system_find(const char *name, size_t name_size);

#endif
