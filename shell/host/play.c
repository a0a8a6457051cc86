/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of jobs, stream by stream; see play.h. */
#include "shell/host/play.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "shell/host/args.h"
#include "shell/host/place.h"

/* One stream of one job. */
typedef struct lane {
    wr_job *job;
    uint32_t stream; /* of the job's file */
    wr_job_lane *place;
    uint64_t pass_at; /* cycle in which the pass began */
} lane;

typedef struct player {
    lane lanes[WR_MAX_STREAMS];
    uint32_t count;
    wr_gpu *gpu;
    uint64_t start; /* cycle in which the run began */
    const wr_job_options *options;
    const lane *last; /* that was asked for a launch */
    wr_diag *diag;
    bool failed; /* behind a pass, with `diag` set */
} player;

/* Does the host loop's element still differ? */
static bool goes_on(const wr_job *job, const wr_gpu *gpu, const wr_launch_while *loop)
{
    const wr_value_type *type = job->loaded.file->buffers[loop->buffer_index].value_type;
    uint8_t have[8] = {0}, want[8] = {0};
    bool read = wr_gpu_read(
        gpu, job->buffers[loop->buffer_index].address + loop->index * type->size, have, type->size);
    assert(read && "the index was checked against the buffer");
    (void)read;
    wr_value_store(type, loop->parsed, want);
    return memcmp(have, want, type->size) != 0;
}

/* Does the loop at l->place->first have one more round? */
static bool has_round(const player *p, const lane *l)
{
    const wr_launch_entry *entry = &l->job->loaded.file->launches[l->place->first];
    uint32_t times = entry->loop ? entry->loop->at_most : entry->repeat ? *entry->repeat : 1;
    return l->place->round < times && (!entry->loop || goes_on(l->job, p->gpu, entry->loop));
}

/* Goes to the stream's first launch or loop from launch `from` on. False: there is none. */
static bool enter(const lane *l, unsigned from)
{
    const wr_launch_file *file = l->job->loaded.file;
    for (unsigned i = from; i < file->launch_count; i++) {
        const wr_launch_entry *entry = &file->launches[i];
        if (entry->stream_index == l->stream) {
            l->place->first = l->place->at = i;
            l->place->end = i + (entry->together ? entry->together : 1);
            l->place->round = 0;
            return true;
        }
    }
    return false;
}

/* Goes on to the launch behind those that have ended. */
static void advance(const player *p, lane *l)
{
    if (l->place->at == l->place->end) {
        l->place->round++;
        l->place->at = l->place->first;
    }
    while (!l->place->over && l->place->at == l->place->first && !has_round(p, l)) {
        l->place->over = !enter(l, l->place->end);
    }
}

static void begin(const player *p, lane *l)
{
    l->pass_at = wr_gpu_cycle(p->gpu) - p->start;
    bool found = enter(l, 0);
    assert(found && "a stream has a launch");
    l->place->over = !found;
    l->place->asked = l->place->first;
    advance(p, l);
}

static const wr_launch *next_launch(void *self, uint32_t stream)
{
    player *p = self;
    lane *l = &p->lanes[stream];
    if (l->place->over) {
        return NULL;
    }
    const wr_launch_entry *entry = &l->job->loaded.file->launches[l->place->at];
    wr_job_launch *jl = &l->job->launches[l->place->at];
    uint64_t arrival = entry->at > l->job->arrival ? entry->at : l->job->arrival;
    p->last = l;
    l->place->asked = l->place->at++;
    l->place->pending = true;
    jl->launch.not_before = l->pass_at + arrival + l->place->round * entry->every;
    return &jl->launch;
}

/* What a launch did, all of it or a part. */
static void add(wr_job_launch *jl, const wr_launch_result *result)
{
    wr_launch_result *sum = &jl->sum;
    if (jl->runs == 0) {
        sum->begun = result->begun;
        sum->placed = result->placed;
    }
    sum->id = result->id;
    sum->ended = result->ended;
    sum->tbs += result->tbs;
    sum->issued += result->issued;
    sum->thread_insns += result->thread_insns;
    sum->tbs_forward += result->tbs_forward;
    sum->tbs_evicted += result->tbs_evicted;
    sum->tbs_restored += result->tbs_restored;
    wr_launch_stats_add(&sum->stats, &result->stats);
    jl->cycles += result->ended - result->begun;
}

/* Was the deadline met? It counts from the cycle in which the launch was to come, where the file
 * gives one, else from that in which it came. */
static void judge(const player *p, const lane *l, const wr_launch_result *result)
{
    const wr_launch_entry *entry = &l->job->loaded.file->launches[l->place->asked];
    wr_job_launch *jl = &l->job->launches[l->place->asked];
    bool timed = entry->at || entry->every || l->job->arrival;
    uint64_t due = (timed ? p->start + jl->launch.not_before : result->begun) + entry->deadline;
    if (entry->deadline && result->ended > due) {
        uint64_t late = result->ended - due;
        jl->missed++;
        jl->late = late > jl->late ? late : jl->late;
    }
}

/* The job's streams are all over: its next pass begins. */
static bool next_pass(player *p, wr_job *job)
{
    if (!wr_job_read_back(job, p->gpu, p->diag) || !wr_job_check_pass(job, p->diag) ||
        !wr_job_restore(job, p->gpu, p->diag)) {
        p->failed = true;
        return false;
    }
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        job->launches[i].runs_before = job->launches[i].runs;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->lanes[i].job == job) {
            begin(p, &p->lanes[i]);
        }
    }
    return true;
}

static bool pass_ended(const player *p, const wr_job *job)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->lanes[i].job == job && !p->lanes[i].place->over) {
            return false;
        }
    }
    return true;
}

static bool launch_done(void *self, uint32_t stream, const wr_launch_result *result)
{
    player *p = self;
    lane *l = &p->lanes[stream];
    wr_job_launch *jl = &l->job->launches[l->place->asked];
    add(jl, result);
    judge(p, l, result);
    l->place->pending = false;
    jl->runs++;
    l->job->runs++;
    advance(p, l);
    if (pass_ended(p, l->job)) {
        l->job->passes++;
        if (p->options->window && !next_pass(p, l->job)) {
            return false;
        }
    }
    /* A short launch never asks by itself. */
    return !p->options->progress ||
           p->options->progress(p->options->progress_arg, result->ended, result->tbs, result->tbs);
}

static void launch_cut(void *self, uint32_t stream, const wr_launch_result *result)
{
    const player *p = self;
    const lane *l = &p->lanes[stream];
    wr_job_launch *jl = &l->job->launches[l->place->asked];
    add(jl, result);
    jl->cut = true;
}

bool wr_job_play(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                 wr_run_result *result, wr_diag *diag)
{
    player p = {.gpu = gpu, .start = wr_gpu_cycle(gpu), .options = options, .diag = diag};
    for (size_t i = 0; i < count; i++) {
        for (uint32_t s = 0; s < jobs[i]->loaded.file->stream_count; s++) {
            lane *l = &p.lanes[p.count++];
            *l = (lane){.job = jobs[i], .stream = s, .place = &jobs[i]->lanes[s]};
            if (!options->goes_on) {
                begin(&p, l);
            }
        }
    }
    const wr_streams streams = {
        .self = &p, .count = p.count, .next = next_launch, .done = launch_done, .cut = launch_cut};
    uint64_t most = options->max_cycles ? options->max_cycles : UINT64_MAX;
    uint64_t before = wr_gpu_before(gpu);
    uint64_t limit = options->window ? options->window : most > before ? most - before : 0;
    *result = wr_gpu_run_streams(gpu, &streams, limit, options->progress, options->progress_arg);
    if (result->status == WR_RUN_REFUSED) {
        const lane *l = p.last ? p.last : &p.lanes[0]; /* none was asked: one that was in flight */
        return wr_job_fault(l->job, diag,
                            wr_launch_file_line(&l->job->loaded, "launches[%u]", l->place->asked),
                            "%s", result->message);
    }
    if (options->window && result->status == WR_RUN_CYCLE_LIMIT) {
        result->status = WR_RUN_DONE;
        result->message[0] = '\0';
    }
    return !p.failed;
}
