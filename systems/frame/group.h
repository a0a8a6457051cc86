/* SPDX-License-Identifier: Apache-2.0 */
/* The systems of one GPU, from the texts of the command line to their reports.
 *
 *   wr_system_group *g = wr_system_group_open(specs, 2, &given, &cfg, err, sizeof err);
 *   wr_gpu_attach(gpu, wr_system_group_hooks(g));
 *   ... wr_gpu_run ...
 *   wr_system_group_finish(g, err, sizeof err);     closes files
 *   wr_report *r = wr_system_group_report(g, 0);    of the first system
 *   wr_system_group_close(g);                       after wr_gpu_free or at least the last run
 *
 * A spec is NAME[:option=value,...]. Owners are numbered in the order of the specs. There is one
 * backend and one waveform for all; vectors of several systems are in one folder, where a file's
 * name then begins with the system's.
 */
#ifndef WR_SYSTEMS_FRAME_GROUP_H
#define WR_SYSTEMS_FRAME_GROUP_H

#include "systems/frame/system.h"

typedef struct wr_system_group wr_system_group;

/* What the command line says to all systems with blocks; their specs win. NULL = nothing. Valid as
 * long as the group. */
typedef struct wr_system_given {
    const char *blocks, *wave, *record;
    wr_own_rtl *own;  /* RTL of the user's behind some blocks */
    uint32_t streams; /* of the run; 0: not known */
    uint64_t run;     /* identity of the run, for files that it records; 0: none */
} wr_system_given;

/* given may be NULL. NULL with one line in err that says what is wrong and what is valid. */
wr_system_group *wr_system_group_open(const char *const *specs, uint32_t count,
                                      const wr_system_given *given, const wr_gpu_config *cfg,
                                      char *err, size_t err_size);
void wr_system_group_close(wr_system_group *group); /* NULL is fine */

const wr_system_hooks *wr_system_group_hooks(const wr_system_group *group);
uint32_t wr_system_group_count(const wr_system_group *group);
const wr_system_type *wr_system_group_type(const wr_system_group *group, uint32_t index);

/* What stands behind the blocks of all systems. */
wr_backend wr_system_group_backend(const wr_system_group *group);

/* The waveform, for others to add to before the first run; NULL: none, or finished. */
wr_fst *wr_system_group_wave(const wr_system_group *group);

/* The run was stopped before its end: the files that are closed now say so. */
void wr_system_group_cut(wr_system_group *group);
/* Writes and closes files. False with one line in err. */
bool wr_system_group_finish(wr_system_group *group, char *err, size_t err_size);

/* What a system measured; the caller frees it. NULL: out of memory. */
wr_report *wr_system_group_report(const wr_system_group *group, uint32_t index);

#endif
