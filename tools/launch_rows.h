/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in the report of a run: those of launch files, each with all its repeats, and those of a
 * CUDA program, one by one as JSON and as text all of a kernel with the same grid.
 */
#ifndef WR_TOOLS_LAUNCH_ROWS_H
#define WR_TOOLS_LAUNCH_ROWS_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/host/job.h"

typedef struct wr_launch_row {
    const wr_launch *launch;
    const char *file, *stream; /* file: NULL where there is one only */
    const char *label;         /* what stands in front of its cycles; "": nothing */
    uint32_t runs;             /* to their end */
    bool cut;                  /* one more was in flight when the run ended */
    bool tells_cut;            /* its JSON says whether */
    uint64_t cycles, deadline, late;
    uint32_t missed;
    wr_launch_result sum;
} wr_launch_row;

/* Launch `index` of the job; several: there are other jobs. */
wr_launch_row wr_launch_row_of(const wr_job *job, unsigned index, bool several);

void wr_launch_row_print(const wr_launch_row *row, const wr_gpu_config *config, FILE *out);
void wr_launch_row_json(const wr_launch_row *row, const wr_gpu_config *config, cJSON *launches);

/* What launches of a program did, in the order in which they ended. */
typedef struct wr_program_launch {
    wr_launch launch; /* without its parameters */
    uint64_t stream;
    wr_launch_result result;
    bool cut;
} wr_program_launch;

typedef struct wr_program_launches {
    wr_program_launch *item;
    size_t count;
    bool kept;   /* they are wanted, each with its figures */
    bool failed; /* out of memory: some are missing */
} wr_program_launches;

void wr_program_launches_add(wr_program_launches *all, const wr_program_launch *launch);
/* From here on in the order in which they began. */
void wr_program_launches_sort(wr_program_launches *all);
/* False: out of memory. */
bool wr_program_launches_print(const wr_program_launches *all, const wr_gpu_config *config,
                               FILE *out);
void wr_program_launches_json(const wr_program_launches *all, const wr_gpu_config *config,
                              cJSON *launches);
void wr_program_launches_free(wr_program_launches *all);

/* Adds "no_launch" to the report, which has "counters": what of them belongs to no launch, or to
 * one that has not come to its end. */
void wr_no_launch_json(const wr_launch_stats *launches, cJSON *root);

#endif
