/* SPDX-License-Identifier: Apache-2.0 */
/* warpref run: a launch file on a configuration, with systems and their blocks, then a report.
 *
 * Faults of the input end with status 2 before anything runs; a run that fails, a check that
 * does not hold, or a block that differs from its model ends with status 1.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/server/serve.h"
#include "dpi/own_rtl.h"
#include "dpi/verilate.h"
#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "shell/core/memcheck.h"
#include "shell/host/job.h"
#include "systems/frame/group.h"
#include "tools/checkpoints.h"
#include "tools/commands.h"
#include "tools/gpu_wave.h"
#include "tools/memory_findings.h"
#include "tools/once.h"
#include "tools/profile.h"
#include "tools/progress.h"
#include "tools/run_files.h"
#include "tools/run_identity.h"
#include "tools/run_options.h"
#include "tools/run_report.h"
#include "tools/samples.h"
#include "tools/timeline.h"
#include "tools/watch.h"

/* Lin-P V.A runs each benchmark "for at most 200 million cycles". */
#define DEFAULT_MAX_CYCLES UINT64_C(200000000)
#define DEFAULT_SAMPLE     10000 /* cycles */

static bool cannot_write(const char *path, wr_diag *diag)
{
    wr_diag_set(diag, path, 0, 0, "cannot be written: %s", strerror(errno));
    return false;
}

static void print_text(void *arg, const char *text, uint32_t bytes)
{
    wr_printed *printed = arg;
    (void)fwrite(text, 1, bytes, printed->file); /* a stream keeps its error until it is closed */
    printed->bytes += bytes;
}

/* All files, since what went wrong may be of any of them; the text says of which. */
static void print_error(const wr_run_options *o, const char *text)
{
    for (uint32_t i = 0; i < o->file_count; i++) {
        (void)fprintf(stderr, "%s%s", i ? " + " : "", o->files[i]);
    }
    (void)fprintf(stderr, "%s: error: %s\n", o->file_count ? "" : "the simulated GPU", text);
}

/* Carries out the checks of a run that came to its end; those of a window are made behind passes.
 */
static bool check(const wr_run_options *o, wr_job *const *jobs, wr_diag *diag)
{
    bool ok = true;
    for (uint32_t i = 0; ok && !o->window && i < o->file_count; i++) {
        ok = wr_job_check(jobs[i], jobs[i]->checked, diag);
    }
    return ok;
}

/* Runs and reports; the exit status. `progress`: signals wait until the caller leaves it. */
static int run(wr_run_options *o, wr_job *const *jobs, const wr_gpu_config *config,
               wr_system_group *systems, wr_checkpoints *checkpoints, wr_progress *progress,
               wr_diag *diag)
{
    int status = 2;
    wr_run_result result = {.status = WR_RUN_DONE};
    wr_job_options job_options = {.max_cycles = o->max_cycles ? o->max_cycles : DEFAULT_MAX_CYCLES,
                                  .window = o->window,
                                  .goes_on = o->resume != NULL,
                                  .heap_bytes = o->heap,
                                  .progress = wr_progress_step,
                                  .progress_arg = progress};
    char error[1024] = "";
    /* What is wrong with an output, which costs the run no more than its status. */
    char cut[1024] = "";
    wr_gpu *gpu = wr_gpu_create(config);
    bool ok = gpu != NULL;
    if (!ok) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
    }
    wr_printed printed = {.file = o->json ? stderr : o->out};
    ok = ok && wr_jobs_begin(jobs, o->file_count, gpu, &job_options, diag);
    if (ok && checkpoints) { /* a file that does not fit is refused before anything is written */
        ok = wr_checkpoints_begin(checkpoints, jobs, o->file_count, gpu, &printed, diag);
    }
    wr_replace stats = {0}; /* opened before a long run, not after */
    if (ok && o->stats && !wr_replace_open(&stats, o->stats)) {
        ok = cannot_write(o->stats, diag);
    }
    if (ok && o->printf_file) {
        ok = wr_printed_open(&printed, o->printf_file, o->checkpoint != NULL, diag);
    }
    if (ok) {
        wr_gpu_set_print(gpu, print_text, &printed);
    }
    if (ok && !wr_gpu_set_threads(gpu, o->threads)) {
        wr_diag_set(diag, "--threads", 0, 0, "no %u threads can be had; give fewer", o->threads);
        ok = false;
    }
    if (ok && o->cpu && !wr_gpu_start_cpus(gpu, o->cpu, error, sizeof error)) {
        wr_diag_set(diag, "--cpu", 0, 0, "%s", error);
        ok = false;
    }
    const wr_system_hooks *hooks = checkpoints ? wr_checkpoints_hooks(checkpoints)
                                   : systems   ? wr_system_group_hooks(systems)
                                               : NULL;
    wr_profile *profile = NULL;
    if (ok && o->profile) {
        profile = wr_profile_open(o->profile, gpu, hooks, jobs, o->file_count, diag);
        ok = profile != NULL;
    }
    if (ok && (hooks || profile)) {
        wr_gpu_attach(gpu, profile ? wr_profile_hooks(profile) : hooks);
    }
    if (ok && o->check_memory && !wr_gpu_check_memory(gpu)) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        ok = false;
    }
    if (ok && o->forward.text && !wr_gpu_forward(gpu, &o->forward.to)) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        ok = false;
    }
    wr_fst *fst = ok && systems ? wr_system_group_wave(systems) : NULL;
    wr_gpu_wave *wave = NULL;
    if (ok && (fst || o->given.wave)) {
        wave = wr_gpu_wave_open(gpu, fst, o->given.wave, diag);
        ok = wave != NULL;
    }
    wr_samples *samples = NULL;
    if (ok && o->samples) {
        samples = wr_samples_open(gpu, o->samples, o->sample ? o->sample : DEFAULT_SAMPLE,
                                  o->sample_of, diag);
        ok = samples != NULL;
    }
    wr_timeline *timeline = NULL;
    if (ok && o->timeline) {
        timeline = wr_timeline_open(gpu, o->timeline, diag);
        ok = timeline != NULL;
    }
    if (ok && o->serve) {
        ok = wr_serve_run(o->serve, gpu, config, &result, diag);
    } else if (ok) {
        wr_progress_begin(progress);
        ok = wr_jobs_go(jobs, o->file_count, gpu, &job_options, &result, diag);
        wr_progress_end(progress);
    }
    const bool ran = ok;
    const bool stopped = result.status == WR_RUN_STOPPED;
    if (stopped && systems) {
        wr_system_group_cut(systems);
    }
    if (!wr_gpu_wave_close(wave, ran, stopped)) {
        (void)snprintf(cut, sizeof cut, "%s: " WR_FST_CUT, o->given.wave);
    }
    bool whole = true; /* all files could be written */
    if (!wr_samples_close(samples, ran, stopped)) {
        whole = cannot_write(o->samples, diag);
    }
    whole = wr_timeline_close(timeline, ran, stopped, diag) && whole;
    whole = wr_profile_close(profile, ran, stopped, diag) && whole;
    if (printed.own && !wr_printed_close(&printed, ran)) {
        whole = cannot_write(o->printf_file, diag);
    }
    if (checkpoints && wr_checkpoints_failed(checkpoints)) {
        whole = false; /* the message came when it happened */
    }
    if (ok && systems && !wr_system_group_finish(systems, error, sizeof error)) {
        (void)snprintf(cut, sizeof cut, "%s", error);
    }
    if (ok && result.status == WR_RUN_DONE) {
        ok = check(o, jobs, diag);
    }
    wr_program_launches_sort(&o->launches);
    if (ok && o->launches.failed) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory for the figures of the launches");
        ok = false;
    }
    if (ok) {
        wr_run_report r = {.config = config,
                           .jobs = jobs,
                           .job_count = o->file_count,
                           .program = o->serve ? &o->launches : NULL,
                           .window = o->window,
                           .gpu = gpu,
                           .systems = systems,
                           .specs = o->systems,
                           .result = &result,
                           .forward = &o->forward,
                           .check_memory = o->check_memory,
                           .counters = o->counters,
                           .checkpoint = o->checkpoint,
                           .wave = o->given.wave,
                           .samples = o->samples,
                           .profile = o->profile,
                           .timeline = o->timeline,
                           .stats = o->stats,
                           .command = o->serve ? NULL : o->again.text};
        r.pass = wr_run_report_pass(&r) && !cut[0] && whole && wr_gpu_finding_count(gpu) == 0;
        if (stats.file &&
            (!wr_run_report_figures(&r, stats.file, diag) || !wr_replace_close(&stats, true))) {
            whole = diag->message[0] ? false : cannot_write(o->stats, diag);
            r.pass = false;
        }
        /* what a program's kernels do wrong the program was told */
        bool good = o->serve ? result.status != WR_RUN_SYSTEM && !cut[0] && whole : r.pass;
        if (wr_run_report_write(&r, o->json, o->out, diag)) {
            status = good || result.status == WR_RUN_SAVED ? 0 : 1;
        }
        if (result.status == WR_RUN_DONE && !o->window &&
            !wr_gpu_conserved(gpu, error, sizeof error)) {
            char text[320];
            (void)snprintf(text, sizeof text, "the simulator's accounts do not balance: %s", error);
            print_error(o, text);
            status = 1;
        }
        wr_memory_findings_print(gpu, stderr);
        if (result.status == WR_RUN_DONE && !wr_forward_option_met(&o->forward, gpu, diag)) {
            status = 2;
        }
        (void)fflush(o->out);
        if (result.status != WR_RUN_DONE && result.status != WR_RUN_SAVED && !o->serve) {
            print_error(o, result.message);
        } else if (result.status == WR_RUN_DONE && o->checkpoint_at) {
            (void)fprintf(stderr,
                          "warpref run: it ended in front of --checkpoint-at %" PRIu64
                          ", so there is no checkpoint\n",
                          o->checkpoint_at);
        }
    }
    if (cut[0]) {
        print_error(o, cut);
        status = status == 0 ? 1 : status;
    }
    (void)wr_replace_close(&stats, false); /* where there was no report */
    for (uint32_t i = 0; i < o->file_count; i++) {
        status = jobs[i]->unwritten ? 1 : status;
    }
    status = ran && !whole && status == 0 ? 1 : status;
    wr_gpu_free(gpu);
    return status;
}

/* Its sources are known when it comes. */
static bool takes_module(void *options, const wr_module *module)
{
    return wr_run_files_apart(options, NULL, module);
}

static void note_launch(void *options, uint64_t stream, const wr_launch *launch,
                        const wr_launch_result *result, bool cut)
{
    wr_run_options *o = options;
    wr_program_launch of = {.launch = *launch, .stream = stream, .result = *result, .cut = cut};
    of.launch.params = NULL;
    wr_program_launches_add(&o->launches, &of);
}

/* All of it; arg: the options. */
static int run_all(void *arg, FILE *out)
{
    wr_run_options *o = arg;
    wr_diag diag = {0};
    wr_gpu_config config;
    wr_job job[WR_MAX_STREAMS] = {0}, *jobs[WR_MAX_STREAMS];
    wr_system_group *systems = NULL;
    wr_checkpoints *checkpoints = NULL;
    wr_progress progress = {0};
    int status = 2;
    /* standard output is the program's, which has a report where it is asked for */
    FILE *quiet = o->serve && !o->counters && !o->json ? fopen("/dev/null", "w") : NULL;
    o->out = quiet ? quiet : o->serve ? stderr : out;
    bool ok = wr_config_option_load(&o->config, &config, &diag);
    wr_compile_options compile = {.max_regs = ok ? config.sm.max_regs_per_thread : 0,
                                  .pp_interval = o->pp_interval,
                                  .no_pp = o->no_points,
                                  .stack_bytes = o->stack,
                                  .without = o->without,
                                  .keep_refused = true}; /* the launch says which kernel matters */
    for (uint32_t i = 0; i < o->file_count; i++) {
        jobs[i] = &job[i];
        ok = ok && wr_job_load(o->files[i], &compile, wr_reference_find, &job[i], &diag) &&
             wr_job_fit(&job[i], &config, &diag);
        job[i].priority = o->priority[i];
        job[i].arrival = o->arrival[i];
        o->given.streams += ok ? job[i].loaded.file->stream_count : 0;
    }
    ok = ok && wr_run_files_apart(o, job, NULL) &&
         wr_forward_option_fits(&o->forward, jobs, o->file_count, &diag);
    if (ok && o->system_count != 0) {
        static const size_t room = 16384; /* what Verilator has to say */
        char *error = malloc(room);
        o->given.run = wr_run_identity(o, jobs, &config);
        systems = error ? wr_system_group_open(o->systems, o->system_count, &o->given, &config,
                                               error, room)
                        : NULL;
        ok = systems != NULL;
        if (!ok) {
            const char *text = error ? error : "out of memory";
            (void)fprintf(stderr, "%serror: %s\n",
                          strncmp(text, "--rtl", 5) == 0 ? "" : "--system: ", text);
        }
        free(error);
    }
    if (ok && (o->checkpoint || o->resume)) {
        checkpoints = wr_checkpoints_open(o, jobs, &config, systems, &diag);
        ok = checkpoints != NULL;
    }
    if (ok && o->serve) {
        o->serve->compile = &compile;
        o->serve->takes = takes_module;
        o->serve->ended = note_launch;
        o->launches.kept = o->stats || o->json || o->counters;
        o->serve->self = o;
        o->serve->max_cycles = o->max_cycles;
        o->serve->keep_print = o->printf_file != NULL;
    }
    if (ok) {
        status = run(o, jobs, &config, systems, checkpoints, &progress, &diag);
    }
    if (diag.message[0]) {
        wr_diag_print(&diag, stderr);
    }
    wr_checkpoints_close(checkpoints);
    wr_system_group_close(systems);
    for (uint32_t i = 0; i < o->file_count; i++) {
        wr_job_free(&job[i]);
    }
    if (quiet) {
        (void)fclose(quiet);
    }
    if (o->serve) {
        wr_serve_leave(o->serve, status);
        wr_program_launches_free(&o->launches);
    }
    (void)fflush(NULL);
    const int signal = wr_progress_leave(&progress);
    if (signal) { /* so that a script that called us ends, too */
        (void)raise(signal);
    }
    return status;
}

/* The same with RTL of the user's, in a process of its own. */
static int run_with_rtl(wr_run_options *o)
{
    const char *tmp = getenv("TMPDIR");
    char folder[1024];
    char error[2048];
    wr_watch *watch = wr_watch_new(o->watchdog, 0);
    wr_own_rtl *own = wr_own_rtl_new(folder, watch ? &watch->pulse : NULL);
    wr_watch_end end = {.status = 2};
    bool ok = watch && own;
    (void)snprintf(error, sizeof error, "out of memory");
    for (size_t i = 0; ok && i < o->rtl_count; i++) {
        ok = wr_own_rtl_add(own, o->rtl[i], error, sizeof error);
    }
    (void)snprintf(folder, sizeof folder, "%s/warpref-XXXXXX", tmp ? tmp : "/tmp");
    if (ok && !mkdtemp(folder)) {
        (void)snprintf(error, sizeof error, "%s: cannot make a temporary folder", folder);
        ok = false;
    }
    if (ok) {
        o->given.own = own;
        end = wr_watch_run(watch, run_all, o);
        wr_verilate_remove(folder);
        if (end.text[0]) {
            print_error(o, end.text);
        }
    } else {
        (void)fprintf(stderr, "%s\n", error);
    }
    wr_own_rtl_free(own);
    wr_watch_free(watch);
    if (end.signal) {
        (void)raise(end.signal);
    }
    return end.status;
}

int wr_cmd_run(int argc, char **argv)
{
    int status = 2;
    wr_run_options o = {.file_count = 1, .threads = 1, .watchdog = WR_WATCHDOG_SECONDS};
    wr_again_begin(&o.again, "warpref run");
    bool parsed = wr_parse_once(&wr_run_options_argp, argc, argv, &o) == 0;
    wr_again_end(&o.again);
    if (parsed) {
        status = o.rtl_count != 0 ? run_with_rtl(&o) : run_all(&o, stdout);
    }
    wr_again_free(&o.again);
    return status;
}

/* Its parent, which the program waits for, ends, so that it is no child of the program's. */
static bool go_behind(int fd)
{
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* not for what this starts */
    pid_t pid = fork();
    if (pid > 0) {
        _exit(0);
    }
    if (pid < 0) {
        perror("warpref: the simulated GPU's process");
    }
    return pid == 0;
}

/* The GPU of a program that `warpref cc` has made: its runtime starts this. Signals end the
 * program, and so this. */
int wr_cmd_device(int argc, char **argv)
{
    int status = 2;
    wr_serve serve = {.fd = -1};
    char link[32], program[PATH_MAX];
    wr_run_options o = {.threads = 1, .watchdog = WR_WATCHDOG_SECONDS, .serve = &serve};
    (void)snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
    o.program = realpath(link, program);
    for (size_t i = 0; i < 3; i++) {
        (void)signal((const int[]){SIGINT, SIGTERM, SIGHUP}[i], SIG_IGN);
    }
    wr_again_begin(&o.again, "warpref run");
    bool parsed = wr_parse_once(&wr_run_options_argp, argc, argv, &o) == 0;
    wr_again_end(&o.again);
    bool behind = parsed && serve.fd >= 0 && go_behind(serve.fd);
    if (behind) {
        status = o.rtl_count != 0 ? run_with_rtl(&o) : run_all(&o, stdout);
    }
    wr_again_free(&o.again);
    return behind || !parsed ? status : 1;
}
