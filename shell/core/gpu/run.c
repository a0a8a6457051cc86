/* SPDX-License-Identifier: Apache-2.0 */
/* A run: launches come from their streams and leave, cycle after cycle (gpu.h has the order inside
 * one), or round after round of fast-forward. */
#include "shell/core/gpu/state.h"
#include "shell/core/seam/meter.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Longer than any wait that ends by itself; the same with a system that moves warps meanwhile. */
#define STUCK_CYCLES    UINT64_C(1000000)
#define WORKLESS_CYCLES UINT64_C(2000000)
#define PROGRESS_EVERY  8192 /* simulated cycles between calls of the progress function */

static void call_system(wr_gpu *gpu)
{
    const wr_system_hooks *h = &gpu->hooks;
    if (h->gpu_cycle != NULL) {
        h->gpu_cycle(h->self, gpu);
    }
    if (gpu->attended == 0 || h->sm_cycle == NULL) {
        return;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm *sm = &gpu->sms[i];
        if (sm->attended) {
            h->sm_cycle(h->self, sm);
            wr_gpu_wake(gpu, sm, sm->status->wake_at);
        }
    }
}

typedef struct run {
    const wr_streams *streams;              /* the source of the launches */
    uint64_t start, limit;                  /* cycles */
    uint32_t asked;                         /* launches begun */
    const wr_launch *later[WR_MAX_STREAMS]; /* asked for, not begun: it is to come later */
    uint64_t since[WR_MAX_STREAMS];         /* when each of these was asked for */
    uint64_t arrival;                       /* when the first of these comes; UINT64_MAX: none */
    uint64_t due;                           /* those come that are to come up to here */
    char message[WR_RUN_MESSAGE];
} run;

/* The cycle; in fast-forward what stands for it to kernels, and so to launches. */
static uint64_t time_of(const wr_gpu *gpu)
{
    return gpu->cycle + (gpu->forward.on ? gpu->forward.clock : 0);
}

static const char *unit_of(const wr_gpu *gpu)
{
    return gpu->forward.on ? "instructions a warp of fast-forward" : "cycles";
}

/* When the stream's launch comes: behind those before it in its stream, and not before its cycle.
 * The clock of fast-forward ends with it. */
static uint64_t arrival_of(const wr_gpu *gpu, const run *r, uint32_t stream)
{
    uint64_t arrival = r->start + r->later[stream]->not_before;
    arrival = arrival > gpu->before ? arrival - gpu->before : 0;
    return gpu->forward.on && r->since[stream] > arrival ? r->since[stream] : arrival;
}

/* The run's limit came before this launch did. */
static void end_before(wr_gpu *gpu, run *r, const wr_launch *launch)
{
    const uint64_t limit = gpu->before + r->limit;
    char name[180];
    wr_launch_name(launch, name, sizeof name);
    (void)snprintf(r->message, sizeof r->message,
                   "the limit of %llu %s was reached before kernel %s began",
                   (unsigned long long)limit, unit_of(gpu), name);
    wr_gpu_end(gpu, WR_RUN_CYCLE_LIMIT, r->message);
}

/* The stream's next launch, if it has one. False: the run can't go on. */
static bool begin_next(wr_gpu *gpu, run *r, uint32_t stream)
{
    if (r->later[stream] == NULL) {
        r->later[stream] = r->streams->next(r->streams->self, stream);
        r->since[stream] = time_of(gpu);
    }
    const wr_launch *launch = r->later[stream];
    if (launch == NULL) {
        return true;
    }
    uint64_t arrival = arrival_of(gpu, r, stream);
    if (arrival > r->due) {
        r->arrival = arrival < r->arrival ? arrival : r->arrival;
        return true;
    }
    if (gpu->forward.on && wr_forward_meets(gpu, launch)) {
        return true;
    }
    r->later[stream] = NULL;
    if (time_of(gpu) - r->start >= r->limit) {
        end_before(gpu, r, launch);
        return false;
    }
    if (!wr_grid_begin(gpu, stream, launch, r->message, sizeof r->message)) {
        if (r->asked != 0) { /* others have run or are in flight */
            wr_gpu_end(gpu, WR_RUN_REFUSED, r->message);
        }
        return false;
    }
    r->asked++;
    return !gpu->ended;
}

/* Between two cycles: launches that are complete leave, the next ones of their streams come. */
static bool turn_over(wr_gpu *gpu, run *r)
{
    for (uint32_t i = 0; i < gpu->in_flight;) {
        uint32_t stream = gpu->order[i];
        if (!wr_grid_complete(gpu, stream)) {
            i++;
            continue;
        }
        wr_grid_end(gpu, stream);
        if (r->streams->done != NULL &&
            !r->streams->done(r->streams->self, stream, &gpu->grids[stream].result)) {
            uint64_t now = gpu->before + gpu->cycle;
            char name[180];
            wr_launch_name(gpu->grids[stream].program.launch, name, sizeof name);
            (void)snprintf(r->message, sizeof r->message, "stopped at cycle %llu, after kernel %s",
                           (unsigned long long)now, name);
            wr_gpu_end(gpu, WR_RUN_STOPPED, r->message);
            return false;
        }
    }
    do { /* the clock of fast-forward may have passed several: the first one begins first */
        r->due = r->arrival < time_of(gpu) ? r->arrival : time_of(gpu);
        r->arrival = UINT64_MAX;
        for (uint32_t stream = 0; stream < r->streams->count; stream++) {
            bool held = gpu->forward.on && gpu->forward.last && r->later[stream] != NULL;
            if (!gpu->grids[stream].in_flight && !held && !begin_next(gpu, r, stream)) {
                return false;
            }
        }
    } while (r->arrival <= time_of(gpu));
    return true;
}

static bool any_complete(const wr_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        if (wr_grid_complete(gpu, gpu->order[i])) {
            return true;
        }
    }
    return false;
}

/* TBs of the launches in flight. */
static void count_tbs(const wr_gpu *gpu, uint64_t *done, uint64_t *all)
{
    *done = *all = 0;
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        const wr_grid *g = &gpu->grids[gpu->order[i]];
        *done += g->tbs_done;
        *all += g->program.tbs;
    }
}

/* All cycles before this one have passed; where a run is stopped, this one has, too. */
static void pass(wr_gpu *gpu, uint64_t cycle)
{
    gpu->cycle = cycle;
    gpu->elapsed = cycle > gpu->elapsed ? cycle : gpu->elapsed;
}

/* Goes on to a cycle; nothing happens in those that are skipped, but they pass, and samples are due
 * in them. */
static void advance(wr_gpu *gpu, uint64_t to)
{
    while (gpu->sample_at <= to) {
        pass(gpu, gpu->sample_at);
        gpu->sample_at += gpu->sample_every;
        gpu->sample(gpu->sample_arg);
    }
    pass(gpu, to);
}

static const wr_launch *first_later(const wr_gpu *gpu, const run *r)
{
    for (uint32_t i = 0; i < r->streams->count; i++) {
        if (r->later[i] != NULL && arrival_of(gpu, r, i) == r->arrival) {
            return r->later[i];
        }
    }
    assert(false && "there is one to wait for");
    return NULL;
}

/* The run is over before its launches are: who, and how far they are. */
static void cut_short(wr_gpu *gpu, run *r, bool stopped)
{
    char name[180] = "(none)";
    char others[40] = "";
    char limit[60] = "";
    uint64_t done;
    uint64_t all;
    count_tbs(gpu, &done, &all);
    if (gpu->in_flight != 0) {
        wr_launch_name(gpu->grids[gpu->order[0]].program.launch, name, sizeof name);
    }
    if (gpu->in_flight > 1) {
        (void)snprintf(others, sizeof others, " (and %u more)", gpu->in_flight - 1);
    }
    uint64_t to = stopped ? gpu->cycle : r->start + r->limit;
    uint64_t cycles = gpu->forward.clock;
    if (!gpu->forward.on) {
        advance(gpu, to);
        cycles = gpu->before + gpu->cycle - r->start;
    } else if (!stopped) { /* it is looked at behind a round */
        (void)snprintf(limit, sizeof limit, "; the limit is %llu", (unsigned long long)r->limit);
    }
    if (gpu->in_flight == 0 && !stopped) {
        end_before(gpu, r, first_later(gpu, r));
        return;
    }
    (void)snprintf(
        r->message, sizeof r->message, "kernel %s%s %s %llu %s, %llu of %llu TBs are done%s", name,
        others, stopped ? "was stopped after" : "has not ended after", (unsigned long long)cycles,
        unit_of(gpu), (unsigned long long)done, (unsigned long long)all, limit);
    wr_gpu_end(gpu, stopped ? WR_RUN_STOPPED : WR_RUN_CYCLE_LIMIT, r->message);
}

/* Nothing has happened for too long, or nothing that brings a kernel nearer to its end. */
static bool is_stuck(wr_gpu *gpu)
{
    if (gpu->cycle - gpu->progress_at <= STUCK_CYCLES &&
        gpu->cycle - gpu->work_at <= WORKLESS_CYCLES) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) { /* SMs note it for themselves */
        const wr_sm *sm = &gpu->sms[i];
        gpu->progress_at = sm->progress_at > gpu->progress_at ? sm->progress_at : gpu->progress_at;
        gpu->work_at = sm->work_at > gpu->work_at ? sm->work_at : gpu->work_at;
    }
    return gpu->cycle - gpu->progress_at > STUCK_CYCLES ||
           gpu->cycle - gpu->work_at > WORKLESS_CYCLES;
}

/* No launch is there, and nothing of one under way: so the run is not stuck. With CPU cores at work
 * time goes on by cycles all the same, up to the next launch, else it skips to that. */
static bool waits_for_launch(wr_gpu *gpu, bool *skips)
{
    if (gpu->in_flight != 0 || !wr_gpu_quiet(gpu)) {
        return false;
    }
    *skips = gpu->cpus == NULL || !wr_cpus_run(gpu->cpus);
    gpu->progress_at = gpu->work_at = gpu->cycle;
    return true;
}

/* The system is told of launches that were in flight when the run was saved, or without time. */
static void tell_thawed(wr_gpu *gpu)
{
    for (uint32_t i = 0; gpu->thawed && i < gpu->in_flight; i++) {
        uint32_t stream = gpu->order[i];
        if (gpu->hooks.launch_begin != NULL) {
            gpu->hooks.launch_begin(gpu->hooks.self, gpu, stream,
                                    gpu->grids[stream].program.launch);
        }
    }
    gpu->thawed = false;
}

/* A round of fast-forward in the place of a cycle. False: the run is over. */
static bool go_forward(wr_gpu *gpu, run *r, wr_progress_fn progress, void *arg)
{
    bool moved = wr_forward_round(gpu);
    uint64_t done;
    uint64_t all;
    count_tbs(gpu, &done, &all);
    if (gpu->ended) {
        return false;
    }
    if (moved) {
        bool stopped = progress != NULL && !progress(arg, gpu->cycle, done, all);
        if (stopped || (done < all && gpu->forward.clock >= r->limit)) {
            cut_short(gpu, r, stopped);
        }
        return !gpu->ended;
    }
    if (!wr_gpu_quiet(gpu) || (gpu->in_flight != 0 && !gpu->forward.last)) {
        wr_describe_deadlock(gpu, r->message, sizeof r->message);
        wr_gpu_end(gpu, WR_RUN_DEADLOCK, r->message);
        return false;
    }
    if (gpu->in_flight == 0 && !gpu->forward.last) {
        if (r->arrival == UINT64_MAX) {
            return false;
        }
        if (r->arrival - r->start >= r->limit) {
            cut_short(gpu, r, false);
            return false;
        }
        gpu->forward.clock = r->arrival - gpu->cycle;
        return true;
    }
    wr_forward_end(gpu);
    tell_thawed(gpu);
    return !gpu->ended;
}

static void run_loop(wr_gpu *gpu, run *r, wr_progress_fn progress, void *arg)
{
    uint64_t simulated = 0;
    bool turn = true;
    bool skips = true;
    while (!gpu->ended) {
        if (turn && !turn_over(gpu, r)) {
            return;
        }
        if (gpu->forward.on) {
            if (!go_forward(gpu, r, progress, arg)) {
                return;
            }
            turn = !gpu->forward.on || any_complete(gpu) || time_of(gpu) >= r->arrival;
            continue;
        }
        if (turn && gpu->in_flight != 0 && gpu->cycle - r->start >= r->limit) {
            cut_short(gpu, r, false);
            return;
        }
        bool idle = waits_for_launch(gpu, &skips);
        if (idle && r->arrival == UINT64_MAX) {
            return;
        }
        idle = idle && skips;
        if (idle && r->arrival - r->start >= r->limit) {
            cut_short(gpu, r, false);
            return;
        }
        if (idle) {
            advance(gpu, r->arrival);
            turn = true;
            continue;
        }
        wr_cycle_simulate(gpu);
        bool placed = wr_dispatch(gpu);
        for (const wr_watcher *w = gpu->watchers, *next; w != NULL; w = next) {
            next = w->next; /* it may go */
            w->look(w->arg);
        }
        call_system(gpu);
        turn = any_complete(gpu) || gpu->cycle + 1 >= r->arrival;
        if (gpu->ended) {
            gpu->cycle++;
            return;
        }
        if (turn || (waits_for_launch(gpu, &skips) && (skips || r->arrival == UINT64_MAX))) {
            advance(gpu, gpu->cycle + 1);
            continue;
        }
        uint64_t next = wr_cycle_next(gpu, placed);
        next = r->arrival < next ? r->arrival : next;
        if (next == UINT64_MAX || is_stuck(gpu)) {
            wr_describe_deadlock(gpu, r->message, sizeof r->message);
            wr_gpu_end(gpu, WR_RUN_DEADLOCK, r->message);
            return;
        }
        next = gpu->no_skip ? gpu->cycle + 1 : next;
        bool stopped = false;
        if (++simulated % PROGRESS_EVERY == 0 && progress != NULL) {
            uint64_t done;
            uint64_t all;
            count_tbs(gpu, &done, &all);
            stopped = !progress(arg, gpu->cycle, done, all);
        }
        if (stopped || next - r->start >= r->limit) {
            cut_short(gpu, r, stopped);
            return;
        }
        advance(gpu, next);
        turn = next >= r->arrival;
    }
}

/* What the stream's launch has done, its TBs on SMs included. */
static void tell_cut(wr_gpu *gpu, const wr_streams *streams, uint32_t stream)
{
    const wr_grid *g = &gpu->grids[stream];
    wr_stream_meter m = wr_meter_stream(gpu, stream);
    wr_launch_result result = g->result;
    result.ended = gpu->before + gpu->cycle;
    result.tbs = g->tbs_done;
    result.issued = m.issued - g->issued_before;
    result.thread_insns = m.thread_insns - g->thread_insns_before;
    result.stats = wr_grid_stats(gpu, stream);
    streams->cut(streams->self, stream, &result);
}

wr_run_result wr_gpu_run_streams(wr_gpu *gpu, const wr_streams *streams, uint64_t max_cycles,
                                 wr_progress_fn progress, void *arg)
{
    run r = {.streams = streams, .start = gpu->cycle, .limit = max_cycles, .arrival = UINT64_MAX};
    wr_run_result result = {.status = WR_RUN_DONE};
    assert(streams->count >= 1 && streams->count <= WR_MAX_STREAMS);
    if (!gpu->ended) { /* a run that failed leaves nothing to go on with */
        if (gpu->forward.on) {
            wr_forward_hold(gpu);
        } else {
            tell_thawed(gpu);
        }
        if (gpu->balance.team != NULL) {
            wr_team_begin(gpu->balance.team);
        }
        run_loop(gpu, &r, progress, arg);
        if (gpu->balance.team != NULL) {
            wr_team_end(gpu->balance.team);
        }
        if (gpu->forward.on) {
            wr_forward_forget(gpu);
        }
        if (!gpu->ended && r.message[0] != '\0') {
            result.status = WR_RUN_REFUSED;
            (void)snprintf(result.message, sizeof result.message, "%s", r.message);
        }
        while (gpu->in_flight != 0) { /* of a run that was ended */
            if (streams->cut != NULL) {
                tell_cut(gpu, streams, gpu->order[0]);
            }
            wr_grid_end(gpu, gpu->order[0]);
        }
    }
    if (gpu->ended) {
        result.status = gpu->status;
        result.fault_address = gpu->fault_address;
        (void)snprintf(result.message, sizeof result.message, "%s", gpu->message);
    }
    result.cycles = gpu->cycle - r.start;
    return result;
}

static const wr_launch *only_launch(void *self, uint32_t stream)
{
    const wr_launch **launch = self;
    const wr_launch *next = *launch;
    *launch = NULL;
    (void)stream;
    return next;
}

wr_run_result wr_gpu_run(wr_gpu *gpu, const wr_launch *launch, uint64_t max_cycles,
                         wr_progress_fn progress, void *arg)
{
    const wr_streams one = {.self = &launch, .count = 1, .next = only_launch};
    return wr_gpu_run_streams(gpu, &one, max_cycles, progress, arg);
}
