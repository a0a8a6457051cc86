/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU in a waveform: for each SM the state of its warps, what its schedulers do and how full
 * its queues are, for each L2 bank and DRAM channel its queues. States have names. A value stands
 * at the time of its cycle, as it is when SMs and dispatcher are through with it.
 */
#ifndef WR_TOOLS_GPU_WAVE_H
#define WR_TOOLS_GPU_WAVE_H

#include "shell/core/gpu.h"
#include "shell/ptx/diag.h"
#include "waveforms/fst.h"

typedef struct wr_gpu_wave wr_gpu_wave;

/* Before the first run. Adds to the waveform `fst`; with NULL writes one of its own to `path`,
 * and a saved view beside it. NULL with `diag` set. */
wr_gpu_wave *wr_gpu_wave_open(wr_gpu *gpu, wr_fst *fst, const char *path, wr_diag *diag);
/* `keep`: one of its own takes its place, and its view; `cut`: and says that the run was stopped.
 * False: either could not be written. NULL is fine. */
bool wr_gpu_wave_close(wr_gpu_wave *wave, bool keep, bool cut);

#endif
