/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over time: every N cycles a row of CSV with what each of them has grown by since the
 * row before. The last row covers what is left of the run; `cycle` is the first cycle that a row
 * does not count.
 */
#ifndef WR_TOOLS_SAMPLES_H
#define WR_TOOLS_SAMPLES_H

#include "shell/core/gpu.h"
#include "shell/ptx/diag.h"

typedef struct wr_samples wr_samples;

/* Before the first run. `names` are counters of docs/counters.md with commas between, * and ?
 * stand for others; NULL: the sums over the GPU. NULL with `diag` set where the file can't be
 * written or no counter has a name. */
wr_samples *wr_samples_open(wr_gpu *gpu, const char *path, uint64_t every, const char *names,
                            wr_diag *diag);
/* Writes the last row; `keep`: the file is to be there. False: a write failed; errno. NULL is fine.
 */
bool wr_samples_close(wr_samples *samples, bool keep, bool cut);

#endif
