/* SPDX-License-Identifier: Apache-2.0 */
/* What each instruction of each kernel did: how often warps issued it, with how many lanes, how
 * many lines of memory it touched, and how long warps waited in front of it, and for what.
 *
 * Counted is what warps issue in their turn: instructions at a cursor or ahead of their turn are
 * not (seam/cursor.h, ahead.h). A wait is of a warp whose next instruction must wait; the cycles of
 * all warps are added up, so in one cycle of the GPU there may be hundreds. A warp that could issue
 * and is not chosen does not wait.
 *
 * A listener in the table of hooks: it changes no cycle, and costs nothing where it is not asked
 * for.
 */
#ifndef WR_TOOLS_PROFILE_H
#define WR_TOOLS_PROFILE_H

#include "shell/core/seam/hooks.h"
#include "shell/host/job.h"
#include "shell/ptx/diag.h"

typedef struct wr_profile wr_profile;

/* `path` is looked at now and written by wr_profile_close. `beside`: the hooks of the run, or NULL.
 * Of several jobs a kernel is called FILE:KERNEL. NULL with `diag` set where there is no writing
 * it. */
wr_profile *wr_profile_open(const char *path, wr_gpu *gpu, const wr_system_hooks *beside,
                            wr_job *const *jobs, size_t job_count, wr_diag *diag);
/* To be attached in place of `beside`. */
const wr_system_hooks *wr_profile_hooks(const wr_profile *profile);
/* Writes it: a listing beside the source, or a row for each instruction where the path ends in
 * .csv. The kernels are still there. `keep`: the file is to be there. False with `diag` set; NULL
 * is fine. */
bool wr_profile_close(wr_profile *profile, bool keep, bool cut, wr_diag *diag);

#endif
