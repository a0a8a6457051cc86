/* SPDX-License-Identifier: Apache-2.0 */
/* What thread blocks (TBs) demand of an SM: rows from a table, a launch file or a module. */
#ifndef WR_TOOLS_DEMANDS_H
#define WR_TOOLS_DEMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/ptx/diag.h"

/* The most that a demand may be; SMs have less. */
#define WR_DEMAND_WARPS     1024
#define WR_DEMAND_REGISTERS 255
#define WR_DEMAND_SHARED    (1u << 30)

/* Resources that limit, as a set. */
enum { WR_LIMIT_WARP = 1, WR_LIMIT_TB = 2, WR_LIMIT_REG = 4, WR_LIMIT_SMEM = 8 };

typedef struct wr_demand {
    char name[128];
    char label[32];     /* "" where there is none */
    uint32_t warps;     /* of a TB */
    uint32_t registers; /* of a thread */
    uint32_t shared;    /* bytes of a TB, dynamic ones included */
    uint32_t tbs;       /* the table's, of an SM */
    unsigned limit;     /* the table's */
} wr_demand;

typedef struct wr_demands {
    wr_demand *rows;
    size_t count;
    bool has_tbs, has_limit; /* columns of the table */
} wr_demands;

/* A new row, all 0; NULL: out of memory, with `diag` set. */
wr_demand *wr_demands_add(wr_demands *d, wr_diag *diag);
void wr_demands_free(wr_demands *d);

/* Words "warp", "TB", "reg", "smem" with ", " between; false: it is something else. */
bool wr_limit_parse(const char *text, unsigned *limit);

/* CSV: a line of the columns' names (name, warps, registers, shared; label, tbs, limit as wanted),
 * then the rows. Fields may stand in quotes; lines that begin with '#' are left out. */
bool wr_demands_from_table(const char *path, wr_demands *d, wr_diag *diag);

/* Each kernel of a launch file with each of its blocks, once. */
bool wr_demands_from_launches(const char *path, wr_demands *d, wr_diag *diag);

/* Each kernel of a .cu or .ptx file, in TBs of so many warps. */
bool wr_demands_from_module(const char *path, uint32_t warps, wr_demands *d, wr_diag *diag);

#endif
