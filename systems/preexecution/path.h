/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp that waits has looked at ahead of its PC.
 *
 * A path is the instructions from a warp's PC on, in the order in which it will come to them: each
 * has been executed at a cursor, with its result in spare rows and predicates kept beside, or was
 * left out. A cursor goes along it from its begin and lengthens it at its end. Every branch on it
 * goes the way that the warp will go, with the same lanes, so the warp comes to just these
 * instructions; what it reuses and what it executes leaves the path at its begin. Since nothing on
 * the path has changed anything but spare rows, it can be forgotten at any time.
 */
#ifndef WR_SYSTEMS_PREEXECUTION_PATH_H
#define WR_SYSTEMS_PREEXECUTION_PATH_H

#include "shell/core/seam/ahead.h"

typedef struct wr_path_step {
    uint32_t insn;
    bool done;   /* executed: `result` is for the warp */
    bool loaded; /* its lines have been sent for */
    wr_result result;
} wr_path_step;

typedef struct wr_path {
    const wr_kernel *kernel;
    wr_cursor cursor; /* at step `at` */
    uint32_t at;
    uint32_t reconv;     /* where the lanes meet others; UINT32_MAX: nowhere */
    uint64_t late_regs;  /* at the cursor, not known yet */
    uint32_t late_preds; /* likewise */
    uint64_t rows;       /* spare rows that hold results */
    uint32_t first, count, done;
    wr_path_step *steps; /* [reach], a ring */
} wr_path;

typedef struct wr_path_counts {
    uint64_t ahead, preloads, branches; /* at the cursor */
    uint64_t left_out, known;           /* looked at in vain; executed before */
} wr_path_counts;

/* The warp waits: the cursor is at its PC. */
void wr_path_begin(wr_path *path, const wr_sm *sm, uint32_t warp, uint32_t reach);
/* In hook spare_slot: the cursor looks at an instruction. Spare rows are those up to `limit`.
 * ENDS: it goes no further. */
wr_cursor_result wr_path_look(wr_path *path, wr_sm *sm, uint32_t warp, uint32_t reach,
                              uint32_t limit, bool preloads, wr_path_counts *counts);
/* The warp goes on: what was left out at the path's end is of no use. */
void wr_path_trim(wr_path *path, uint32_t reach);
/* The step at the begin, which leaves the path. */
wr_path_step wr_path_pop(wr_path *path, uint32_t reach);
void wr_path_forget(wr_path *path);

/* Its first step has been executed. */
static inline bool wr_path_has_result(const wr_path *path)
{
    return path->count != 0 && path->steps[path->first].done;
}

#endif
