/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU applications of Kayiran Table III and their L2 misses. */
#ifndef WR_SHELL_CPU_APPS_H
#define WR_SHELL_CPU_APPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct wr_cpu_app {
    const char *name;
    uint32_t mpki10; /* L2 misses of 10,000 instructions: ten times the table's MPKI */
} wr_cpu_app;

#define WR_CPU_APPS 34
extern const wr_cpu_app wr_cpu_apps[WR_CPU_APPS]; /* in the table's order */

/* NULL: the table has none of this name. */
const wr_cpu_app *wr_cpu_app_find(const char *name, size_t length);

#endif
