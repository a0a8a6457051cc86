/* SPDX-License-Identifier: Apache-2.0 */
/* Part JOBS, and all that jobs and their GPU give to a checkpoint and take from it; see
 * checkpoint.h. */
#include "shell/host/checkpoint.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/core/seam/hooks.h"
#include "shell/host/checkpoint_parts.h"

static void put_places(wr_job *const *jobs, size_t count, wr_bytes *out)
{
    for (size_t i = 0; i < count; i++) {
        const wr_job *job = jobs[i];
        wr_bytes_put64(out, job->runs);
        for (unsigned k = 0; k < job->loaded.file->launch_count; k++) {
            const wr_job_launch *jl = &job->launches[k];
            wr_bytes_put_text(out, jl->kernel->name);
            wr_bytes_put32(out, job->loaded.file->launches[k].stream_index);
            wr_bytes_put32(out, jl->runs);
            wr_bytes_put64(out, jl->cycles);
            wr_bytes_put32(out, jl->missed);
            wr_bytes_put64(out, jl->late);
            wr_bytes_put64(out, jl->sum.id);
            wr_bytes_put64(out, jl->sum.begun);
            wr_bytes_put64(out, jl->sum.placed);
            wr_bytes_put64(out, jl->sum.ended);
            wr_bytes_put64(out, jl->sum.tbs);
            wr_bytes_put64(out, jl->sum.issued);
            wr_bytes_put64(out, jl->sum.thread_insns);
            wr_bytes_put64(out, jl->sum.tbs_evicted);
            wr_bytes_put64(out, jl->sum.tbs_restored);
        }
        for (uint32_t s = 0; s < job->loaded.file->stream_count; s++) {
            const wr_job_lane *lane = &job->lanes[s];
            wr_bytes_put32(out, lane->first);
            wr_bytes_put32(out, lane->at);
            wr_bytes_put32(out, lane->end);
            wr_bytes_put32(out, lane->round);
            wr_bytes_put32(out, lane->over);
            wr_bytes_put32(out, lane->asked);
            wr_bytes_put32(out, lane->pending);
        }
    }
}

/* A loop of launches of the stream, and a place in it. */
static bool lane_holds(const wr_checkpoint_place *place, uint32_t launches, uint32_t stream)
{
    const wr_job_lane *l = &place->lane[stream];
    if (l->first >= l->end || l->end > launches || l->at < l->first || l->at > l->end ||
        l->asked >= launches) {
        return false;
    }
    for (unsigned i = l->first; i < l->end; i++) {
        if (place->launch[i].stream != stream) {
            return false;
        }
    }
    if (l->pending && (l->asked < l->first || l->asked >= l->end)) {
        return false;
    }
    return place->launch[l->asked].stream == stream;
}

static bool read_place(wr_bytes_in *in, const wr_checkpoint_job *job, wr_checkpoint_place *place)
{
    place->runs = wr_bytes_get64(in);
    if (job->launches == 0 || job->launches > in->left / 80) { /* a launch takes more */
        return false;
    }
    place->launch = calloc(job->launches, sizeof *place->launch);
    for (uint32_t k = 0; place->launch && k < job->launches; k++) {
        wr_launch_result *sum = &place->launch[k].sum;
        wr_bytes_get_text(in, place->launch[k].kernel, sizeof place->launch[k].kernel);
        place->launch[k].stream = wr_bytes_get32(in);
        place->launch[k].runs = wr_bytes_get32(in);
        place->launch[k].cycles = wr_bytes_get64(in);
        place->launch[k].missed = wr_bytes_get32(in);
        place->launch[k].late = wr_bytes_get64(in);
        sum->id = wr_bytes_get64(in);
        sum->begun = wr_bytes_get64(in);
        sum->placed = wr_bytes_get64(in);
        sum->ended = wr_bytes_get64(in);
        sum->tbs = wr_bytes_get64(in);
        sum->issued = wr_bytes_get64(in);
        sum->thread_insns = wr_bytes_get64(in);
        sum->tbs_evicted = wr_bytes_get64(in);
        sum->tbs_restored = wr_bytes_get64(in);
    }
    for (uint32_t s = 0; place->launch && s < job->streams; s++) {
        wr_job_lane *lane = &place->lane[s];
        lane->first = wr_bytes_get32(in);
        lane->at = wr_bytes_get32(in);
        lane->end = wr_bytes_get32(in);
        lane->round = wr_bytes_get32(in);
        lane->over = wr_bytes_get32(in) != 0;
        lane->asked = wr_bytes_get32(in);
        lane->pending = wr_bytes_get32(in) != 0;
        if (!lane_holds(place, job->launches, s)) {
            return false;
        }
    }
    return place->launch && !in->failed;
}

bool wr_checkpoint_read_places(wr_bytes_in in, const wr_checkpoint_run *run,
                               wr_checkpoint_place places[WR_MAX_STREAMS])
{
    bool ok = true;
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        places[i] = (wr_checkpoint_place){0};
    }
    for (uint32_t i = 0; ok && i < run->jobs; i++) {
        ok = read_place(&in, &run->job[i], &places[i]);
    }
    if (!ok || !wr_bytes_whole(&in)) {
        wr_checkpoint_free_places(places);
        return false;
    }
    return true;
}

void wr_checkpoint_free_places(wr_checkpoint_place places[WR_MAX_STREAMS])
{
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        free(places[i].launch);
        places[i].launch = NULL;
    }
}

/* The kernels of all modules. NULL: out of memory. */
static const wr_kernel **list_kernels(wr_job *const *jobs, size_t count, wr_kernel_list *list)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += jobs[i]->module->kernel_count;
    }
    /* An array of pointers is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    const wr_kernel **kernels = calloc(total + 1, sizeof *kernels);
    total = 0;
    for (size_t i = 0; kernels && i < count; i++) {
        for (size_t k = 0; k < jobs[i]->module->kernel_count; k++) {
            kernels[total++] = &jobs[i]->module->kernels[k];
        }
    }
    *list = (wr_kernel_list){.kernel = kernels, .count = (uint32_t)total};
    return kernels;
}

bool wr_checkpoint_gather(wr_job *const *jobs, size_t count, const wr_gpu *gpu, uint64_t printed,
                          wr_bytes parts[WR_CHECKPOINT_PARTS], char *why, size_t size)
{
    wr_kernel_list list;
    const wr_kernel **kernels = list_kernels(jobs, count, &list);
    bool ok = kernels != NULL && wr_checkpoint_put_run(jobs, count, wr_gpu_configuration(gpu)->name,
                                                       printed, &parts[WR_CHECKPOINT_RUN]);
    if (ok) {
        put_places(jobs, count, &parts[WR_CHECKPOINT_JOBS]);
        wr_gpu_freeze(gpu, &list, &parts[WR_CHECKPOINT_GPU]);
        wr_gpu_freeze_memory(gpu, &parts[WR_CHECKPOINT_MEMORY]);
    } else {
        (void)snprintf(why, size, "out of memory, or a launch file cannot be read any more");
    }
    free(kernels);
    return ok;
}

/* Do these places suit the files? The texts are the same, so what a lane says can only be wrong in
 * a file that was made by hand. */
static bool take_place(wr_job *job, const wr_checkpoint_place *place)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned k = 0; k < file->launch_count; k++) {
        wr_job_launch *jl = &job->launches[k];
        if (place->launch[k].stream != file->launches[k].stream_index) {
            return false;
        }
        jl->runs = place->launch[k].runs;
        jl->cycles = place->launch[k].cycles;
        jl->missed = place->launch[k].missed;
        jl->late = place->launch[k].late;
        jl->sum = place->launch[k].sum;
    }
    for (uint32_t s = 0; s < file->stream_count; s++) {
        const wr_job_lane *l = &place->lane[s];
        uint32_t together = file->launches[l->first].together;
        if (l->end - l->first != (together ? together : 1)) {
            return false;
        }
        job->lanes[s] = *l;
    }
    job->runs = place->runs;
    return true;
}

/* A launch that was asked for and had not come is asked for again. */
static void ask_again(wr_job_lane *lane, uint32_t stream, const wr_frozen_gpu *frozen)
{
    for (uint32_t i = 0; i < frozen->in_flight; i++) {
        if (frozen->grid[i].stream == stream) {
            return;
        }
    }
    if (lane->pending) {
        lane->at = lane->asked;
        lane->pending = false;
    }
}

/* The launch of each stream that has one in flight. False: there is no such stream. */
static bool find_launches(const wr_frozen_gpu *frozen, wr_job *const *jobs, size_t count,
                          const wr_launch *launch[WR_MAX_STREAMS])
{
    uint32_t streams = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t s = 0; s < jobs[i]->loaded.file->stream_count; s++) {
            ask_again(&jobs[i]->lanes[s], streams, frozen);
            launch[streams++] = &jobs[i]->launches[jobs[i]->lanes[s].asked].launch;
        }
    }
    for (uint32_t i = 0; i < frozen->in_flight; i++) {
        if (frozen->grid[i].stream >= streams) {
            return false;
        }
    }
    return true;
}

bool wr_checkpoint_take_over(const wr_checkpoint_file *file, const wr_checkpoint_run *run,
                             wr_job *const *jobs, size_t count, wr_gpu *gpu, char *why, size_t size)
{
    const wr_launch *launch[WR_MAX_STREAMS] = {NULL};
    wr_checkpoint_place places[WR_MAX_STREAMS];
    wr_frozen_gpu frozen;
    wr_kernel_list list;
    assert(run->jobs == count && "it fits");
    char wrong[256] = "has places that its launch files do not have";
    bool ok = wr_checkpoint_read_places(wr_checkpoint_open(file, WR_CHECKPOINT_JOBS), run, places);
    for (size_t i = 0; ok && i < count; i++) {
        ok = take_place(jobs[i], &places[i]);
    }
    wr_checkpoint_free_places(places);
    ok = ok && wr_gpu_frozen_read(wr_checkpoint_open(file, WR_CHECKPOINT_GPU), &frozen) &&
         find_launches(&frozen, jobs, count, launch);
    const wr_kernel **kernels = list_kernels(jobs, count, &list);
    ok = ok && kernels != NULL &&
         wr_gpu_thaw(gpu, &frozen, wr_checkpoint_open(file, WR_CHECKPOINT_MEMORY), &list, launch,
                     wrong, sizeof wrong);
    free(kernels);
    if (!ok) {
        (void)snprintf(why, size, "does not fit this run: it %s", wrong);
    }
    return ok;
}
