/* SPDX-License-Identifier: Apache-2.0 */
/* warpref run: a launch file on a configuration, with systems and their blocks, then a report.
 *
 * Faults of the input end with status 2 before anything runs; a run that fails, a check that
 * does not hold, or a block that differs from its model ends with status 1.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/own_rtl.h"
#include "dpi/verilate.h"
#include "kernels/reference.h"
#include "shell/core/counters.h"
#include "shell/host/job.h"
#include "systems/frame/group.h"
#include "tools/again.h"
#include "tools/commands.h"
#include "tools/gpu_wave.h"
#include "tools/no_pass.h"
#include "tools/progress.h"
#include "tools/run_report.h"
#include "tools/samples.h"
#include "tools/timeline.h"
#include "tools/watch.h"

enum {
    MAX_SETS = 64,
    MAX_RTL = 64,
    KEY_JSON = 256,
    KEY_BLOCKS,
    KEY_SYSTEM,
    KEY_WAVE,
    KEY_RECORD,
    KEY_STATS,
    KEY_SET,
    KEY_MAX,
    KEY_INTERVAL,
    KEY_STACK,
    KEY_NO_PASS,
    KEY_NO_POINTS,
    KEY_HEAP,
    KEY_PRINTF,
    KEY_COUNTERS,
    KEY_CPU,
    KEY_SAMPLE,
    KEY_SAMPLES,
    KEY_SAMPLE_OF,
    KEY_TIMELINE,
    KEY_THREADS,
    KEY_RTL,
    KEY_WATCHDOG,
    KEY_WITH,
    KEY_FOR
};

/* Lin-P V.A runs each benchmark "for at most 200 million cycles". */
#define DEFAULT_MAX_CYCLES UINT64_C(200000000)
#define DEFAULT_SAMPLE     10000 /* cycles */

typedef struct options {
    const char *files[WR_MAX_STREAMS]; /* each has a stream; those of --with behind the first */
    uint32_t file_count;
    const char *config, *stats, *printf_file, *samples, *sample_of, *timeline, *cpu;
    wr_system_given given; /* blocks, wave, record */
    const char *systems[WR_MAX_OWNERS];
    uint32_t system_count;
    const char *sets[MAX_SETS];
    size_t set_count;
    const char *rtl[MAX_RTL]; /* of the user's, behind blocks */
    size_t rtl_count;
    uint64_t max_cycles, window, heap, sample, watchdog;
    uint32_t pp_interval, stack, without, threads;
    bool json, counters, no_points;
    wr_again again;
    FILE *out; /* standard output */
} options;

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME|FILE.yaml", 0,
     "configuration (default gtx480); `warpref config` lists them", 0},
    {"set", KEY_SET, "PATH=VALUE", 0, "change one value of it, e.g. l1.mshrs=64; may be repeated",
     0},
    {"system", KEY_SYSTEM, "NAME[:OPTION=VALUE,...]", 0,
     "mechanism to run with, e.g. preemption:period=10000; may be repeated, for several on one "
     "GPU. "
     "`warpref systems` lists them, `warpref systems NAME` its options",
     0},
    {"blocks", KEY_BLOCKS, "model|rtl|lockstep", 0,
     "what stands behind the systems' blocks (default model)", 0},
    {"rtl", KEY_RTL, "BLOCK=FILE.sv[,...]", 0,
     "put RTL of your own behind this block, or in its place inside the systems' blocks, with "
     "--blocks lockstep or rtl; may be repeated. Behind the comma more files, or top=, dir=, "
     "include=, define=, param=, filelist=, as the options of `warpref cosim` (docs/own_rtl.md)",
     0},
    {"watchdog", KEY_WATCHDOG, "SECONDS", 0,
     "processor time of one step of that RTL after which it counts as hanging (default 60)", 0},
    {"wave", KEY_WAVE, "FILE.fst", 0,
     "write a waveform of the GPU and of the systems' blocks, and a saved view beside it", 0},
    {"record", KEY_RECORD, "DIR", 0, "write the blocks' vectors of this run into DIR", 0},
    {"stats", KEY_STATS, "FILE.json|FILE.csv", 0,
     "write all figures, of every part of the GPU: as JSON, or as CSV by the name's ending", 0},
    {"cpu", KEY_CPU, "APP[*N],...", 0,
     "run these applications on the configuration's CPU cores meanwhile, e.g. mcf,omnetpp*3 with "
     "--config kayiran; docs/cpu.md lists them",
     0},
    {"counters", KEY_COUNTERS, NULL, 0, "print every counter of the GPU, not only the main ones",
     0},
    {"sample", KEY_SAMPLE, "N", 0, "sample counters every N cycles (default 10000)", 0},
    {"samples", KEY_SAMPLES, "FILE.csv", 0, "write the samples: what each counter has grown by", 0},
    {"sample-of", KEY_SAMPLE_OF, "NAME,...", 0,
     "which counters, * and ? stand for others, e.g. sm.issued,l2.bank*.misses (default: all sums "
     "over the GPU; docs/counters.md lists them)",
     0},
    {"with", KEY_WITH, "FILE.yaml", 0,
     "another launch file, whose launches run on the same GPU at the same time, in streams of "
     "their "
     "own; may be repeated",
     0},
    {"for", KEY_FOR, "CYCLES", 0,
     "run for this many cycles: when all launches of a file have ended, its checks are made, its "
     "buffers get their contents again and its launches start again",
     0},
    {"timeline", KEY_TIMELINE, "FILE.csv[,sm=N][,from=C][,to=C]", 0,
     "write what each warp slot does over time: a row of sm,warp,from,to,state where its state "
     "changes; of one SM, of the cycles from C on and before C",
     0},
    {"max-cycles", KEY_MAX, "N", 0, "give up after N cycles (default 200000000, as in Lin-P V.A)",
     0},
    {"pp-interval", KEY_INTERVAL, "K", 0,
     "instructions between preemption points outside loops (default: the launch file's, else 1000)",
     0},
    {"no-points", KEY_NO_POINTS, NULL, 0,
     "compile without preemption points, as if the machine could not preempt; without a system "
     "that "
     "needs them",
     0},
    {"stack", KEY_STACK, "BYTES", 0,
     "of each thread, for recursive calls (default: the launch file's, else 4096 or 64 calls)", 0},
    {"no-pass", KEY_NO_PASS, "NAME", 0,
     "leave out a clean-up of the compiler, or all; may be repeated (docs/isa.md names them)", 0},
    {"threads", KEY_THREADS, "N", 0,
     "simulate SMs with N threads (default 1, at most 16): the same figures, sooner", 0},
    {"heap", KEY_HEAP, "BYTES", 0, "of malloc in kernels (default: the launch file's, else 8 MiB)",
     0},
    {"printf", KEY_PRINTF, "FILE", 0,
     "write what kernels print with printf to FILE (default: standard output, or standard error "
     "where that has JSON)",
     0},
    {"json", KEY_JSON, NULL, 0, "print the report as JSON", 0},
    {0}};

static uint64_t number(struct argp_state *state, const char *what, const char *text, uint64_t most)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value == 0 || value > most) {
        argp_error(state, "%s takes a number from 1 to %" PRIu64 ", not '%s'", what, most, text);
    }
    return value;
}

/* What a flag asks of the systems; unknown ones are told of when they are made. */
static void check_systems(const options *o, const struct argp_state *state)
{
    bool blocks = false;
    for (uint32_t i = 0; i < o->system_count; i++) {
        const wr_system_type *type = wr_system_find(o->systems[i], strcspn(o->systems[i], ":"));
        blocks = blocks || !type || type->blocks;
        if (type && type->needs_points && o->no_points) {
            argp_error(state, "--no-points leaves nothing that --system %s could preempt at",
                       type->name);
        }
    }
    if (!blocks && (o->given.blocks || o->given.record || o->rtl_count != 0)) {
        argp_error(state,
                   "--blocks, --record and --rtl need a --system with blocks, which they are "
                   "about");
    }
}

/* Says where output goes, or how fast: figures are the same without it. */
static bool leaves_figures(int key)
{
    static const int keys[] = {KEY_WAVE,      KEY_RECORD,   KEY_STATS,    KEY_SAMPLE,
                               KEY_SAMPLES,   KEY_TIMELINE, KEY_PRINTF,   KEY_COUNTERS,
                               KEY_SAMPLE_OF, KEY_THREADS,  KEY_WATCHDOG, KEY_JSON};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (key == keys[i]) {
            return true;
        }
    }
    return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    if (!leaves_figures(key)) {
        wr_again_add(&o->again, option_table, key, arg);
    }
    if ((key == KEY_WAVE || key == KEY_RECORD || key == KEY_STATS || key == KEY_PRINTF ||
         key == KEY_SAMPLES || key == KEY_TIMELINE) &&
        !*arg) {
        argp_error(state, "--wave, --record, --stats, --samples, --timeline and --printf take a "
                          "path, not ''");
    }
    switch (key) {
    case 'c':
        o->config = arg;
        return 0;
    case KEY_SYSTEM:
        if (o->system_count == WR_MAX_OWNERS) {
            argp_error(state, "more than %d --system", WR_MAX_OWNERS);
        } else {
            o->systems[o->system_count++] = arg;
        }
        return 0;
    case KEY_WAVE:
        o->given.wave = arg;
        return 0;
    case KEY_RECORD:
        o->given.record = arg;
        return 0;
    case KEY_STATS:
        o->stats = arg;
        return 0;
    case KEY_STACK:
        o->stack = (uint32_t)number(state, "--stack", arg, WR_COMPILE_MAX_STACK);
        return 0;
    case KEY_NO_PASS:
        o->without |= wr_cmd_no_pass(state, arg);
        return 0;
    case KEY_HEAP:
        o->heap = number(state, "--heap", arg, WR_HEAP_MOST);
        return 0;
    case KEY_PRINTF:
        o->printf_file = arg;
        return 0;
    case KEY_SAMPLE:
        o->sample = number(state, "--sample", arg, UINT64_MAX / 2);
        return 0;
    case KEY_SAMPLES:
        o->samples = arg;
        return 0;
    case KEY_SAMPLE_OF:
        o->sample_of = arg;
        return 0;
    case KEY_TIMELINE:
        o->timeline = arg;
        return 0;
    case KEY_CPU:
        o->cpu = arg;
        return 0;
    case KEY_COUNTERS:
        o->counters = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_BLOCKS:
        if (strcmp(arg, "model") != 0 && strcmp(arg, "rtl") != 0 && strcmp(arg, "lockstep") != 0) {
            argp_error(state, "--blocks is model, rtl or lockstep, not '%s'", arg);
        }
        o->given.blocks = arg;
        return 0;
    case KEY_SET:
        if (o->set_count == MAX_SETS) {
            argp_error(state, "more than %d --set", MAX_SETS);
        } else {
            o->sets[o->set_count++] = arg;
        }
        return 0;
    case KEY_RTL:
        if (o->rtl_count == MAX_RTL) {
            argp_error(state, "more than %d --rtl", MAX_RTL);
        } else {
            o->rtl[o->rtl_count++] = arg;
        }
        return 0;
    case KEY_WATCHDOG:
        o->watchdog = number(state, "--watchdog", arg, 1000000);
        return 0;
    case KEY_MAX:
        o->max_cycles = number(state, "--max-cycles", arg, UINT64_MAX);
        return 0;
    case KEY_THREADS:
        o->threads = (uint32_t)number(state, "--threads", arg, WR_MAX_THREADS);
        return 0;
    case KEY_INTERVAL:
        o->pp_interval = (uint32_t)number(state, "--pp-interval", arg, 1000000);
        return 0;
    case KEY_NO_POINTS:
        o->no_points = true;
        return 0;
    case KEY_WITH:
        if (o->file_count == WR_MAX_STREAMS) {
            argp_error(state, "more than %d launch files", WR_MAX_STREAMS);
        } else {
            o->files[o->file_count++] = arg;
        }
        return 0;
    case KEY_FOR:
        o->window = number(state, "--for", arg, UINT64_MAX / 2);
        return 0;
    case ARGP_KEY_ARG:
        if (o->files[0]) {
            argp_error(state, "one launch file; --with FILE.yaml runs one more at the same time");
        }
        o->files[0] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->files[0]) {
            argp_error(state, "name a launch file, for example kernels/vecadd.yaml");
        }
        if (o->window && o->max_cycles) {
            argp_error(state, "--for says when the run ends; leave --max-cycles out");
        }
        if (!o->samples && (o->sample || o->sample_of)) {
            argp_error(state, "--sample and --sample-of need --samples, where they go to");
        }
        check_systems(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool load_config(const options *o, wr_gpu_config *config, wr_diag *diag)
{
    bool ok = wr_config_load(o->config, config, diag);
    for (size_t i = 0; ok && i < o->set_count; i++) {
        ok = wr_config_set(config, o->sets[i], diag);
    }
    return ok && wr_config_check(config, diag);
}

static bool cannot_write(const char *path, wr_diag *diag)
{
    wr_diag_set(diag, path, 0, 0, "cannot be written: %s", strerror(errno));
    return false;
}

static void print_text(void *arg, const char *text, uint32_t bytes)
{
    (void)fwrite(text, 1, bytes, arg); /* a stream keeps its error until it is closed */
}

/* All files, since what went wrong may be of any of them; the text says of which. */
static void print_error(const options *o, const char *text)
{
    for (uint32_t i = 0; i < o->file_count; i++) {
        (void)fprintf(stderr, "%s%s", i ? " + " : "", o->files[i]);
    }
    (void)fprintf(stderr, ": error: %s\n", text);
}

/* Carries out the checks of a run that came to its end; those of a window are made behind passes.
 */
static bool check(const options *o, wr_job *const *jobs, wr_diag *diag)
{
    bool ok = true;
    for (uint32_t i = 0; ok && !o->window && i < o->file_count; i++) {
        ok = wr_job_check(jobs[i], jobs[i]->checked, diag);
    }
    return ok;
}

/* Runs and reports; the exit status. `*signal` is the one that ended the run, 0 = none. */
static int run(const options *o, wr_job *const *jobs, const wr_gpu_config *config,
               wr_system_group *systems, int *signal, wr_diag *diag)
{
    int status = 2;
    wr_run_result result = {.status = WR_RUN_DONE};
    wr_progress progress = {0};
    wr_job_options job_options = {.max_cycles = o->max_cycles ? o->max_cycles : DEFAULT_MAX_CYCLES,
                                  .window = o->window,
                                  .heap_bytes = o->heap,
                                  .progress = wr_progress_step,
                                  .progress_arg = &progress};
    char error[256] = "";
    wr_gpu *gpu = wr_gpu_create(config);
    bool ok = gpu != NULL;
    if (!ok) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
    }
    FILE *stats = ok && o->stats ? fopen(o->stats, "w") : NULL; /* before a long run, not after */
    if (ok && o->stats && !stats) {
        ok = cannot_write(o->stats, diag);
    }
    FILE *printed = o->json ? stderr : o->out;
    if (ok && o->printf_file) {
        printed = fopen(o->printf_file, "w");
        ok = printed || cannot_write(o->printf_file, diag);
    }
    if (ok) {
        wr_gpu_set_print(gpu, print_text, printed);
    }
    if (ok && !wr_gpu_set_threads(gpu, o->threads)) {
        wr_diag_set(diag, "--threads", 0, 0, "no %u threads can be had; give fewer", o->threads);
        ok = false;
    }
    if (ok && o->cpu && !wr_gpu_start_cpus(gpu, o->cpu, error, sizeof error)) {
        wr_diag_set(diag, "--cpu", 0, 0, "%s", error);
        ok = false;
    }
    if (ok && systems) {
        wr_gpu_attach(gpu, wr_system_group_hooks(systems));
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
    if (ok) {
        wr_progress_begin(&progress);
        ok = wr_jobs_run(jobs, o->file_count, gpu, &job_options, &result, diag);
        wr_progress_end(&progress);
    }
    if (!wr_gpu_wave_close(wave) && ok) {
        ok = cannot_write(o->given.wave, diag);
    }
    if (!wr_samples_close(samples) && ok) {
        ok = cannot_write(o->samples, diag);
    }
    ok = wr_timeline_close(timeline, diag) && ok;
    if (ok && systems && !wr_system_group_finish(systems, error, sizeof error)) {
        wr_diag_set(diag, "--system", 0, 0, "%s", error);
        ok = false;
    }
    if (ok && result.status == WR_RUN_DONE) {
        ok = check(o, jobs, diag);
    }
    if (ok) {
        wr_run_report r = {.config = config,
                           .jobs = jobs,
                           .job_count = o->file_count,
                           .window = o->window,
                           .gpu = gpu,
                           .systems = systems,
                           .specs = o->systems,
                           .result = &result,
                           .counters = o->counters,
                           .wave = o->given.wave,
                           .samples = o->samples,
                           .timeline = o->timeline,
                           .stats = o->stats,
                           .command = o->again.text};
        r.pass = wr_run_report_pass(&r);
        if (wr_run_report_write(&r, o->json, o->out, stats, diag)) {
            status = r.pass ? 0 : 1;
        }
        if (result.status == WR_RUN_DONE && !o->window &&
            !wr_gpu_conserved(gpu, error, sizeof error)) {
            char text[320];
            (void)snprintf(text, sizeof text, "the simulator's accounts do not balance: %s", error);
            print_error(o, text);
            status = 1;
        }
        (void)fflush(o->out);
        if (result.status != WR_RUN_DONE) {
            print_error(o, result.message);
        }
    }
    *signal = progress.signal;
    if (stats) {
        (void)fclose(stats);
    }
    if (o->printf_file && printed) {
        bool failed = ferror(printed) != 0;
        if (fclose(printed) != 0 || failed) {
            cannot_write(o->printf_file, diag);
            status = 2;
        }
    }
    wr_gpu_free(gpu);
    return status;
}

/* All of it; arg: the options. */
static int run_all(void *arg, FILE *out)
{
    options *o = arg;
    wr_diag diag = {0};
    wr_gpu_config config;
    wr_job job[WR_MAX_STREAMS] = {0}, *jobs[WR_MAX_STREAMS];
    wr_system_group *systems = NULL;
    int status = 2, signal = 0;
    o->out = out;
    bool ok = load_config(o, &config, &diag);
    wr_compile_options compile = {.max_regs = ok ? config.sm.max_regs_per_thread : 0,
                                  .pp_interval = o->pp_interval,
                                  .no_pp = o->no_points,
                                  .stack_bytes = o->stack,
                                  .without = o->without};
    for (uint32_t i = 0; i < o->file_count; i++) {
        jobs[i] = &job[i];
        ok = ok && wr_job_load(o->files[i], &compile, wr_reference_find, &job[i], &diag) &&
             wr_job_fit(&job[i], &config, &diag);
    }
    if (ok && o->system_count != 0) {
        static const size_t room = 16384; /* what Verilator has to say */
        char *error = malloc(room);
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
    if (ok) {
        status = run(o, jobs, &config, systems, &signal, &diag);
    }
    if (diag.message[0]) {
        wr_diag_print(&diag, stderr);
    }
    wr_system_group_close(systems);
    for (uint32_t i = 0; i < o->file_count; i++) {
        wr_job_free(&job[i]);
    }
    if (signal) { /* so that a script that called us ends, too */
        (void)fflush(NULL);
        (void)raise(signal);
    }
    return status;
}

/* The same with RTL of the user's, in a process of its own. */
static int run_with_rtl(options *o)
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
    static const struct argp argp = {
        option_table,
        parse,
        "FILE.yaml",
        "Runs the kernels that a launch file names on a simulated GPU and checks their output.\v"
        "The launch file says which module, buffers, launches and checks; kernels/*.yaml are "
        "examples. "
        "With systems, their blocks take part in the run: as C models, as RTL, or as RTL that is "
        "compared with its C model in every cycle. An option in a system's own text, as in "
        "preemption:blocks=rtl, wins over --blocks, --wave and --record.\n\n"
        "Kernels of several files share the GPU by --with, here for a fixed time: warpref run "
        "a.yaml "
        "--with b.yaml --for 2000000 --system spart. docs/launch.md tells how.\n\n"
        "With --rtl all of it runs in a process of its own, and what the RTL prints goes to "
        "standard error.\n\n"
        "Exit status: 0 the output is right, 1 it is not, a block differs, or RTL hangs or "
        "crashes, 2 "
        "bad usage or bad "
        "input. An interrupted run reports what it has, then ends by its signal.",
        NULL,
        NULL,
        NULL};
    int status = 2;
    options o = {
        .config = "gtx480", .file_count = 1, .threads = 1, .watchdog = WR_WATCHDOG_SECONDS};
    wr_again_begin(&o.again, "warpref run");
    bool parsed = argp_parse(&argp, argc, argv, 0, NULL, &o) == 0;
    wr_again_end(&o.again);
    if (parsed) {
        status = o.rtl_count != 0 ? run_with_rtl(&o) : run_all(&o, stdout);
    }
    wr_again_free(&o.again);
    return status;
}
