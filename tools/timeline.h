/* SPDX-License-Identifier: Apache-2.0 */
/* What each warp slot does over time, as intervals: a row of CSV `sm,warp,from,to,state` where its
 * state changes, with the names that a waveform has. An interval holds cycle `from` and not `to`;
 * the intervals of a slot follow one another without a gap, from the first cycle that is asked for
 * to the last. Rows stand in the order of `to`, then of SM and warp.
 */
#ifndef WR_TOOLS_TIMELINE_H
#define WR_TOOLS_TIMELINE_H

#include "shell/core/gpu.h"
#include "shell/ptx/diag.h"

typedef struct wr_timeline wr_timeline;

/* Before the first run. `spec` is FILE.csv[,sm=N][,from=C][,to=C]: one SM instead of all, and the
 * cycles from C on and before C. NULL with `diag` set. */
wr_timeline *wr_timeline_open(wr_gpu *gpu, const char *spec, wr_diag *diag);
/* Writes what lasts until the end; `keep`: the file is to be there. False with `diag` set: a write
 * failed. NULL is fine. */
bool wr_timeline_close(wr_timeline *timeline, bool keep, bool cut, wr_diag *diag);

#endif
