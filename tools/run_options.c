/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `warpref run`: see run_options.h. Those that change figures are noted as they
 * come, for the command that gives the figures again.
 */
#include "tools/run_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/server/serve.h"
#include "systems/checkpoint/checkpoint.h"
#include "systems/frame/system.h"
#include "tools/no_pass.h"

enum {
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
    KEY_PROFILE,
    KEY_TIMELINE,
    KEY_THREADS,
    KEY_RTL,
    KEY_WATCHDOG,
    KEY_WITH,
    KEY_PRIORITY,
    KEY_ARRIVE,
    KEY_FOR,
    KEY_FORWARD,
    KEY_CHECK_MEMORY,
    KEY_CHECKPOINT,
    KEY_CHECKPOINT_AT,
    KEY_CHECKPOINT_EVERY,
    KEY_RESUME,
    KEY_FD
};

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
     "write a waveform of the GPU and of the systems' blocks, and a saved view beside it; FILE.vcd "
     "is written as VCD",
     0},
    {"record", KEY_RECORD, "DIR", 0,
     "write the blocks' vectors of this run into DIR, which has none of another run", 0},
    {"stats", KEY_STATS, "FILE.json|FILE.csv", 0,
     "write all figures, of every part of the GPU: as JSON, or as CSV by the name's ending", 0},
    {"cpu", KEY_CPU, "APP[*N],...", 0,
     "run these applications on the configuration's CPU cores meanwhile, e.g. mcf,omnetpp*3 with "
     "--config kayiran, or @FILE for a trace of your own; docs/cpu.md lists them, and the forms of "
     "traces",
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
    {"priority", KEY_PRIORITY, "N", 0,
     "of the launches of the file of the --with before it, without one of the first file, where "
     "the "
     "file gives them none: higher ones first (default 0); may be repeated, for each file",
     0},
    {"arrive", KEY_ARRIVE, "CYCLE", 0,
     "the launches of that file come in this cycle, not at once; e.g. a.yaml --with b.yaml "
     "--priority 1 --arrive 20000; may be repeated, for each file",
     0},
    {"fast-forward", KEY_FORWARD, "N|KERNEL[:K]|all", 0,
     "execute without time, at least N warp instructions, or all that comes before the first (or "
     "K-th) launch of this kernel, or everything; what follows is timed, and figures are of that "
     "(docs/launch.md)",
     0},
    {"check-memory", KEY_CHECK_MEMORY, NULL, 0,
     "execute all of it without time and tell of accesses outside the buffer that a pointer came "
     "from or outside blocks in use, of reads of what was not written, and of races in shared "
     "memory (docs/launch.md)",
     0},
    {"for", KEY_FOR, "CYCLES", 0,
     "run for this many cycles: when all launches of a file have ended, its checks are made, its "
     "buffers get their contents again and its launches start again",
     0},
    {"checkpoint", KEY_CHECKPOINT, "FILE", 0,
     "where checkpoints go, with one of the next two options; the one before stays as FILE.1 "
     "(docs/checkpoint.md)",
     0},
    {"checkpoint-at", KEY_CHECKPOINT_AT, "CYCLE", 0,
     "stop all SMs at this cycle, save all of the run and end it; nothing is checked", 0},
    {"checkpoint-every", KEY_CHECKPOINT_EVERY, "N", 0,
     "save all of the run every N cycles and go on", 0},
    {"resume", KEY_RESUME, "FILE", 0,
     "go on from a checkpoint of the same launch files, on this configuration or another", 0},
    {"profile", KEY_PROFILE, "FILE", 0,
     "write what each line of each kernel did, beside its source: instructions, lanes, lines of "
     "memory, cycles that warps waited and for what; FILE.csv: of each instruction",
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
    {"fd", KEY_FD, "N,M", OPTION_HIDDEN, NULL, 0}, /* of a program's socket, and of the memory */
    {0}};

static uint64_t number_from(struct argp_state *state, const char *what, uint64_t least,
                            const char *text, uint64_t most)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < least || value > most) {
        argp_error(state, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", what,
                   least, most, text);
    }
    return value;
}

static uint64_t number(struct argp_state *state, const char *what, const char *text, uint64_t most)
{
    return number_from(state, what, 1, text, most);
}

/* "N" or "N,M"; only the CUDA runtime gives them. */
static void read_descriptors(struct argp_state *state, const char *text, wr_serve *serve)
{
    char *end;
    serve->fd = (int)strtol(text, &end, 10);
    serve->memory = *end == ',' ? (int)strtol(end + 1, &end, 10) : -1;
    if (*end || end == text) {
        argp_error(state, "--fd %s: no numbers of descriptors", text);
    }
}

/* What a flag asks of the systems; unknown ones are told of when they are made. */
static void check_systems(const wr_run_options *o, const struct argp_state *state)
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

/* What checkpoints do not keep, and who cannot run beside them. */
static void check_checkpoints(const wr_run_options *o, const struct argp_state *state)
{
    bool writes = o->checkpoint_at || o->checkpoint_every;
    if (writes != (o->checkpoint != NULL)) {
        argp_error(state, "--checkpoint FILE goes with --checkpoint-at CYCLE or "
                          "--checkpoint-every N, and these with it");
    }
    if (!writes && !o->resume) {
        return;
    }
    if (o->window || o->cpu) {
        argp_error(state, "checkpoints do not keep what --for and --cpu have done so far; leave "
                          "them out");
    }
    if (o->no_points) {
        argp_error(state, "--no-points leaves nothing that a checkpoint could stop at");
    }
    if (o->system_count == WR_MAX_OWNERS) {
        argp_error(state, "beside checkpoints %d --system at most", WR_MAX_OWNERS - 1);
    }
    for (uint32_t i = 0; i < o->system_count; i++) {
        if (wr_checkpoint_not_with(o->systems[i])) {
            argp_error(state, "--system %.*s cannot run beside checkpoints",
                       (int)strcspn(o->systems[i], ":"), o->systems[i]);
        }
    }
}

/* Says where output goes, or how fast: figures are the same without it. */
static bool leaves_figures(int key)
{
    static const int keys[] = {KEY_WAVE,    KEY_RECORD,   KEY_STATS,  KEY_SAMPLE,   KEY_SAMPLES,
                               KEY_PROFILE, KEY_TIMELINE, KEY_PRINTF, KEY_COUNTERS, KEY_SAMPLE_OF,
                               KEY_THREADS, KEY_WATCHDOG, KEY_JSON};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (key == keys[i]) {
            return true;
        }
    }
    return false;
}

/* What is about launch files. */
static bool needs_files(int key)
{
    static const int keys[] = {KEY_WITH,   KEY_PRIORITY,         KEY_ARRIVE,
                               KEY_FOR,    KEY_CHECKPOINT,       KEY_CHECKPOINT_AT,
                               KEY_RESUME, KEY_CHECKPOINT_EVERY, ARGP_KEY_ARG};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (key == keys[i]) {
            return true;
        }
    }
    return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    wr_run_options *o = state->input;
    if (o->serve && needs_files(key)) {
        argp_error(state,
                   "WARPREF takes the options of `warpref run`, but no launch file and none of "
                   "--with, --priority, --arrive, --for, --checkpoint..., --resume: not '%s'",
                   arg);
    }
    if (!leaves_figures(key)) {
        wr_again_add(&o->again, option_table, key, arg);
    }
    if ((key == KEY_WAVE || key == KEY_RECORD || key == KEY_STATS || key == KEY_PRINTF ||
         key == KEY_SAMPLES || key == KEY_PROFILE || key == KEY_TIMELINE || key == KEY_CHECKPOINT ||
         key == KEY_RESUME) &&
        !*arg) {
        argp_error(state, "--wave, --record, --stats, --samples, --profile, --timeline, --printf, "
                          "--checkpoint and --resume take a path, not ''");
    }
    switch (key) {
    case 'c':
        o->config.name = arg;
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
    case KEY_PROFILE:
        o->profile = arg;
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
        wr_config_option_set(&o->config, state, arg);
        return 0;
    case KEY_RTL:
        if (o->rtl_count == WR_RUN_MAX_RTL) {
            argp_error(state, "more than %d --rtl", WR_RUN_MAX_RTL);
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
    case KEY_PRIORITY:
        o->priority[o->file_count - 1] =
            (uint32_t)number_from(state, "--priority", 0, arg, UINT32_MAX);
        return 0;
    case KEY_ARRIVE:
        o->arrival[o->file_count - 1] = number_from(state, "--arrive", 0, arg, UINT64_MAX / 2);
        return 0;
    case KEY_FOR:
        o->window = number(state, "--for", arg, UINT64_MAX / 2);
        return 0;
    case KEY_FORWARD:
        if (!wr_forward_option_parse(&o->forward, arg)) {
            argp_error(state,
                       "--fast-forward takes a number of warp instructions from 1 on, a "
                       "kernel, KERNEL:K, or all, not '%s'",
                       arg);
        }
        return 0;
    case KEY_CHECK_MEMORY:
        o->check_memory = true;
        return 0;
    case KEY_CHECKPOINT:
        o->checkpoint = arg;
        return 0;
    case KEY_CHECKPOINT_AT:
        o->checkpoint_at = number(state, "--checkpoint-at", arg, UINT64_MAX / 2);
        return 0;
    case KEY_CHECKPOINT_EVERY:
        o->checkpoint_every = number(state, "--checkpoint-every", arg, UINT64_MAX / 2);
        return 0;
    case KEY_RESUME:
        o->resume = arg;
        return 0;
    case KEY_FD:
        if (!o->serve) {
            return ARGP_ERR_UNKNOWN;
        }
        read_descriptors(state, arg, o->serve);
        return 0;
    case ARGP_KEY_ARG:
        if (o->files[0]) {
            argp_error(state, "one launch file; --with FILE.yaml runs one more at the same time");
        }
        o->files[0] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->files[0] && !o->serve) {
            argp_error(state, "name a launch file, for example kernels/vecadd.yaml");
        }
        if (o->window && o->max_cycles) {
            argp_error(state, "--for says when the run ends; leave --max-cycles out");
        }
        if (!o->samples && (o->sample || o->sample_of)) {
            argp_error(state, "--sample and --sample-of need --samples, where they go to");
        }
        if (o->forward.text && o->resume) {
            argp_error(state, "--resume goes on from a point of its own; leave --fast-forward out");
        }
        if (o->window && strcmp(o->forward.text ? o->forward.text : "", "all") == 0) {
            argp_error(state, "--for counts cycles, of which --fast-forward all leaves none");
        }
        if (o->check_memory && (o->forward.text || o->window || o->cpu || o->system_count != 0 ||
                                o->checkpoint || o->resume)) {
            argp_error(state, "--check-memory takes no time: leave --fast-forward, --for, --cpu, "
                              "--system and checkpoints out");
        }
        check_systems(o, state);
        check_checkpoints(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp wr_run_options_argp = {
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
    "A run is cut in two by a checkpoint: warpref run a.yaml --checkpoint-at 100000 --checkpoint "
    "c.ckpt, then warpref run a.yaml --resume c.ckpt; `warpref checkpoint c.ckpt` shows what is in "
    "it.\n\n"
    "With --rtl all of it runs in a process of its own, and what the RTL prints goes to "
    "standard error.\n\n"
    "Exit status: 0 the output is right, or the run was saved as asked, 1 it is not, a block "
    "differs, or RTL hangs or "
    "crashes, 2 "
    "bad usage or bad "
    "input. An interrupted run reports what it has, then ends by its signal.",
    NULL,
    NULL,
    NULL};
