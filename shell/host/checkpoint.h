/* SPDX-License-Identifier: Apache-2.0 */
/* What of a checkpoint belongs to launch files: whose it is, and where each stream stands.
 *
 * A checkpoint fits the same launch files, with the same contents of buffers, and the same machine
 * code, in the same order. References are called again for all launches that ran, also those of
 * before; so their counts are kept, and not what a reference made.
 */
#ifndef WR_SHELL_HOST_CHECKPOINT_H
#define WR_SHELL_HOST_CHECKPOINT_H

#include "shell/checkpoint/bytes.h"
#include "shell/checkpoint/file.h"
#include "shell/core/checkpoint.h"
#include "shell/host/job.h"

enum { WR_CHECKPOINT_NAME = 256 };

/* Part RUN: whose checkpoint it is. */
typedef struct wr_checkpoint_job {
    char file[WR_CHECKPOINT_NAME]; /* its name without folder */
    uint64_t text, contents, code; /* XXH64: of the launch file, its buffers, the machine code */
    uint32_t address_size, launches, streams;
} wr_checkpoint_job;

typedef struct wr_checkpoint_run {
    char program[64]; /* version of warpref that wrote it */
    char config[WR_CHECKPOINT_NAME];
    uint64_t printed; /* bytes of printf so far */
    uint32_t jobs;
    wr_checkpoint_job job[WR_MAX_STREAMS];
} wr_checkpoint_run;

/* Part JOBS, of one job. */
typedef struct wr_checkpoint_place {
    uint64_t runs;
    struct {
        char kernel[WR_CHECKPOINT_NAME];
        uint32_t runs, stream;
        uint64_t cycles, late;
        uint32_t missed;
        wr_launch_result sum;
    } * launch;
    wr_job_lane lane[WR_MAX_STREAMS];
} wr_checkpoint_place;

/* Fills the parts RUN, JOBS, GPU and MEMORY. False with a reason. */
bool wr_checkpoint_gather(wr_job *const *jobs, size_t count, const wr_gpu *gpu, uint64_t printed,
                          wr_bytes parts[WR_CHECKPOINT_PARTS], char *why, size_t size);

/* XXH64 of a file's bytes. False: it can't be read. */
bool wr_checkpoint_hash_file(const char *path, uint64_t *hash);

/* False: the bytes are no such part. */
bool wr_checkpoint_read_run(wr_bytes_in in, wr_checkpoint_run *run);
bool wr_checkpoint_read_places(wr_bytes_in in, const wr_checkpoint_run *run,
                               wr_checkpoint_place places[WR_MAX_STREAMS]); /* to be freed */
void wr_checkpoint_free_places(wr_checkpoint_place places[WR_MAX_STREAMS]);

/* Is it of these jobs? False with a reason. */
bool wr_checkpoint_fits(const wr_checkpoint_run *run, wr_job *const *jobs, size_t count, char *why,
                        size_t size);

/* The jobs, which have begun (wr_jobs_begin), and the new GPU take it over. False with a reason. */
bool wr_checkpoint_take_over(const wr_checkpoint_file *file, const wr_checkpoint_run *run,
                             wr_job *const *jobs, size_t count, wr_gpu *gpu, char *why,
                             size_t size);

#endif
