/* SPDX-License-Identifier: Apache-2.0 */
/* warpref cosim: RTL against model, cycle by cycle. */
#include "dpi/rtl_cache.h"
#include "dpi/user_rtl.h"
#include "dpi/verilate.h"
#include "shell/config/regular.h"
#include "testbench/cosim.h"
#include "testbench/rows.h"
#include "tools/cmd_block.h"
#include "tools/cosim_report.h"
#include "tools/once.h"
#include "tools/paths.h"
#include "tools/stop.h"
#include "tools/watch.h"
#include "vectors/shrink.h"
#include "vectors/vectors.h"
#include "waveforms/vcd.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct options {
    const char *block;
    const char *config;
    wr_cmd_params params;
    const char *wave;
    const char *rtl_wave;
    const char *ring;
    const char *shortest;
    const char *coverage;
    wr_rtl_sources sources; /* the user's */
    bool is_user;           /* there are some */
    const char *needs_rtl;  /* an option that means nothing without them; NULL: none */
    wr_align align;
    const char *inputs; /* a vector file to play; or NULL */
    uint64_t watchdog;
    uint64_t last;
    bool bins;
    bool pins_only;
    bool no_shrink;
    bool no_wild;
    bool json;
    uint64_t seed;
    uint64_t cycles;
} options;

enum { TEXT_ROOM = 16384, CYCLES = 100000, KILLED = 256 /* and the signal */ };

enum {
    KEY_RTL_WAVE = 256,
    KEY_RTL,
    KEY_RTL_DIR,
    KEY_RTL_PARAM,
    KEY_INCLUDE,
    KEY_DEFINE,
    KEY_FILELIST,
    KEY_LATENCY,
    KEY_TRANSFERS,
    KEY_WATCHDOG,
    KEY_INPUTS,
    KEY_TOP,
    KEY_BINS,
    KEY_RING,
    KEY_LAST,
    KEY_PARAM,
    KEY_PINS,
    KEY_SHORTEST,
    KEY_NO_SHRINK,
    KEY_NO_WILD,
    KEY_COVERAGE
};

/* One option about what the RTL is made of: what adds it, and whether it brings RTL by itself. */
static const struct source_option {
    int key;
    bool brings;
    const char *name;
    bool (*add)(wr_rtl_sources *s, const char *value, char *err, size_t err_size);
} source_options[] = {
    {KEY_RTL, true, "--rtl", wr_sources_file},
    {KEY_FILELIST, true, "--filelist", wr_sources_list},
    {KEY_RTL_DIR, false, "--rtl-dir", wr_sources_dir},
    {KEY_INCLUDE, false, "--include", wr_sources_include},
    {KEY_DEFINE, false, "--define", wr_sources_define},
    {KEY_RTL_PARAM, false, "--rtl-param", wr_sources_param},
    {KEY_TOP, false, "--top", wr_sources_top},
};

static error_t add_source(options *o, const struct source_option *option, const char *arg)
{
    char err[1024];

    o->is_user = o->is_user || option->brings;
    o->needs_rtl = option->brings ? o->needs_rtl : option->name;
    if (!option->add(&o->sources, arg, err, sizeof(err))) {
        (void)fprintf(stderr, "%s: %s\n", option->name, err);
        return EINVAL;
    }
    return 0;
}

static error_t set_align(options *o, wr_align_kind kind, const char *name, const char *arg,
                         uint64_t most)
{
    uint64_t cycles = WR_ALIGN_WAIT;

    if (o->align.kind != WR_ALIGN_CYCLES && o->align.kind != kind) {
        (void)fprintf(stderr, "--latency and --transfers are two ways to compare; give one\n");
        return EINVAL;
    }
    if (arg != NULL && !wr_cmd_number(name, arg, 1, most, &cycles)) {
        return EINVAL;
    }
    o->needs_rtl = name;
    o->align = (wr_align){kind, (uint32_t)cycles};
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;

    for (size_t i = 0; i < sizeof(source_options) / sizeof(source_options[0]); i++) {
        if (key == source_options[i].key) {
            return add_source(o, &source_options[i], arg);
        }
    }
    switch (key) {
    case 'n':
        return wr_cmd_number("--cycles", arg, 1, UINT64_MAX / 16, &o->cycles) ? 0 : EINVAL;
    case 's':
        return wr_cmd_number("--seed", arg, 0, UINT64_MAX / 2, &o->seed) ? 0 : EINVAL;
    case 'j':
        o->json = true;
        return 0;
    case 'c':
        o->config = arg;
        return 0;
    case 'w':
        o->wave = arg;
        return 0;
    case KEY_RTL_WAVE:
        o->rtl_wave = arg;
        return 0;
    case KEY_RING:
        o->ring = arg;
        return 0;
    case KEY_LAST:
        return wr_cmd_number("--last", arg, 0, WR_LAST_CYCLES_MOST, &o->last) ? 0 : EINVAL;
    case KEY_LATENCY:
        return set_align(o, WR_ALIGN_LATENCY, "--latency", arg, WR_ALIGN_MAX_LATENCY);
    case KEY_TRANSFERS:
        return set_align(o, WR_ALIGN_TRANSFERS, "--transfers", arg, UINT32_MAX);
    case KEY_WATCHDOG:
        o->needs_rtl = "--watchdog";
        return wr_cmd_number("--watchdog", arg, 1, 1000000, &o->watchdog) ? 0 : EINVAL;
    case KEY_INPUTS:
        o->inputs = arg;
        return 0;
    case KEY_PARAM:
        return wr_cmd_add_param(&o->params, arg) ? 0 : EINVAL;
    case KEY_BINS:
        o->bins = true;
        return 0;
    case KEY_SHORTEST:
        o->shortest = arg;
        return 0;
    case KEY_NO_WILD:
        o->no_wild = true;
        return 0;
    case KEY_NO_SHRINK:
        o->no_shrink = true;
        return 0;
    case KEY_COVERAGE:
        o->coverage = arg;
        return 0;
    case KEY_PINS:
        o->pins_only = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "one block only");
        }
        o->block = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->block == NULL) {
            wr_cmd_want_block(state, "a block");
        }
        if (o->needs_rtl != NULL && !o->is_user) {
            argp_error(state, "%s goes with --rtl or --filelist", o->needs_rtl);
        }
        if (o->inputs != NULL && (o->config != NULL || o->params.count > 0 || o->cycles > 0)) {
            argp_error(state, "--inputs brings its parameters and cycles; --config, --param and "
                              "--cycles do not go with it");
        }
        if (o->coverage != NULL && (o->is_user || o->rtl_wave != NULL)) {
            argp_error(state, "--coverage does not go with --rtl and --rtl-wave");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What runs in a process of its own where the RTL is the user's, and what it leaves in memory that
 * both see. */
typedef struct bench {
    wr_cosim_result result;
    wr_shrink_result shortest;
    bool good;
    char text[TEXT_ROOM];
} bench;

typedef struct job {
    const options *o;
    wr_cosim_options run;
    bench *bench;
} job;

/* The file that is played is not written over with what is left of it. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;

    return a != NULL && b != NULL && stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static int simulate(void *arg, FILE *out)
{
    job *j = arg;
    bench *b = j->bench;
    const wr_cosim_options *run = &j->run;

    (void)out;
    b->good = wr_cosim_run(run, &b->result, b->text, sizeof(b->text));
    if (b->good && b->result.first[0] != '\0' && !j->o->no_shrink &&
        !is_same_file(j->o->inputs, j->o->shortest)) {
        if (isatty(STDERR_FILENO)) {
            (void)fprintf(stderr, "mismatch; looking for the shortest inputs that show it\n");
        }
        if (!wr_shrink(run, &b->result, j->o->shortest, &b->shortest, b->text, sizeof(b->text))) {
            (void)fprintf(stderr, "%s\n", b->text);
        }
    }
    return b->good ? WR_EXIT_PASS : WR_EXIT_USAGE;
}

static void print_title(const options *o, const wr_cosim_options *run)
{
    char params[256];

    wr_block_params_text(run->block, run->cfg, params, sizeof(params));
    (void)printf("cosim %s config %s (%s) seed %" PRIu64 "%s%s%s%s", run->block->name, o->config,
                 params, o->seed, o->inputs != NULL ? " inputs " : "",
                 o->inputs != NULL ? o->inputs : "", o->sources.title != NULL ? " rtl " : "",
                 o->sources.title != NULL ? o->sources.title : "");
    if (o->align.kind == WR_ALIGN_LATENCY) {
        (void)printf(" latency %" PRIu32, o->align.cycles);
    } else if (o->align.kind == WR_ALIGN_TRANSFERS) {
        (void)printf(" transfers within %" PRIu32, o->align.cycles);
    }
    (void)printf("\n");
}

/* Plays what the RTL has hung or crashed in once more, up to the cycle before, for the waves that
 * went with its process. */
static void play_again(job *j, wr_watch *watch)
{
    const uint64_t cycle = atomic_load(&watch->pulse.cycle);

    if (cycle == 0 || j->bench->result.first[0] != '\0') {
        return; /* there is nothing to see, or it was seen: the mismatch behind which it hung */
    }
    if (isatty(STDERR_FILENO)) {
        (void)fprintf(stderr, "playing the cycles before it again, for the wave\n");
    }
    j->run.until = cycle;
    watch->whole = false;
    (void)wr_watch_run(watch, simulate, j); /* where it now ends elsewhere there is no wave */
}

/* Runs, in a process of its own where the RTL is not ours, and reports. */
static int run_and_report(const options *o, wr_cosim_options run, const char *so)
{
    wr_watch *watch = wr_watch_new(o->watchdog, sizeof(bench));
    bench *b = watch != NULL ? (bench *)(void *)watch->extra : NULL;
    wr_watch_end end = {.text = ""};
    wr_port_own own = {.lib = so, .align = o->align};
    job j = {.o = o, .run = run, .bench = b};
    int status = WR_EXIT_USAGE;

    if (watch == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        return status;
    }
    j.run.stop = wr_stop_begin();
    if (so != NULL) {
        own.pulse = &watch->pulse;
        j.run.own = &own;
        end = wr_watch_run(watch, simulate, &j);
        if (end.asked != 0 && end.signal == 0) { /* it stopped in order: so does this process */
            (void)raise(end.asked);
        }
    } else {
        (void)simulate(&j, stdout);
    }
    if (end.signal != 0) {
        wr_stop_end();
        wr_watch_free(watch);
        return end.signal + KILLED;
    }
    if (end.text[0] != '\0') { /* the process is gone, with what it knew */
        const wr_port_stats stats = {.cycles = atomic_load(&watch->pulse.cycle)};
        play_again(&j, watch);
        b->good = true;
        b->result.stats = stats;
    } else {
        (void)snprintf(end.text, sizeof(end.text), "%s", b->result.ended);
    }
    if (b->good) {
        const wr_cosim_report report = {.run = &run,
                                        .result = &b->result,
                                        .shortest = &b->shortest,
                                        .config = o->config,
                                        .rtl = o->sources.title,
                                        .inputs = o->inputs,
                                        .shortest_path = o->shortest,
                                        .ended = end.text,
                                        .json = o->json,
                                        .bins = o->bins};
        status = wr_cosim_report_print(&report);
    } else {
        (void)fprintf(stderr, "%s\n", b->text);
    }
    wr_stop_end();
    wr_watch_free(watch);
    return status;
}

/* Builds the user's RTL, if there is any, and runs. */
static int cosim(const options *o, wr_cosim_options run)
{
    const wr_user_build build = {
        .block = run.block,
        .cfg = run.cfg,
        .sources = &o->sources,
        .mode = o->pins_only || o->align.kind != WR_ALIGN_CYCLES ? WR_USER_PINS : WR_USER_LOCKSTEP};
    char text[TEXT_ROOM];
    char counting[2 * WR_VERILATE_PATH];
    const wr_port_own counter = {.lib = counting};
    wr_user_rtl user = {.folder = ""};
    int status;

    if (o->coverage != NULL) {
        if (!wr_rtl_cached(run.block, run.cfg, "coverage", counting, sizeof(counting), text,
                           sizeof(text))) {
            (void)fprintf(stderr, "%s\n", text);
            return WR_EXIT_USAGE;
        }
        run.own = &counter;
    }
    if (o->is_user && (!wr_align_fits(o->align, run.block, text, sizeof(text)) ||
                       !wr_user_rtl_build(&user, &build, text, sizeof(text)))) {
        (void)fprintf(stderr, "%s\n", text);
        return WR_EXIT_USAGE;
    }
    if (!o->json) {
        print_title(o, &run);
    }
    status = run_and_report(o, run, o->is_user ? user.so : NULL);
    wr_user_rtl_remove(&user);
    if (status > KILLED) { /* so that a script that called us ends, too */
        (void)fflush(NULL);
        (void)raise(status - KILLED);
    }
    return status;
}

/* Parameters and inputs of --inputs. */
static bool take_inputs(const options *o, const wr_block_desc *block, wr_vectors *v,
                        wr_config_desc *config)
{
    char err[1024];

    const char *why = wr_regular_file(o->inputs, NULL); /* a FIFO would block for ever */
    if (why != NULL) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", o->inputs, why);
        return false;
    }
    if (!wr_vectors_load(v, o->inputs, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        return false;
    }
    if (v->block != block) {
        (void)fprintf(stderr, "%s: vectors of block %s, not of %s\n", o->inputs, v->block->name,
                      block->name);
        return false;
    }
    if (o->align.kind == WR_ALIGN_TRANSFERS) {
        const wr_rows r = wr_rows_of(block, v->cfg, o->align);
        wr_rows_from_cycles(&r, v->in, v->out, v->count);
    }
    config->name = v->config;
    memcpy(config->value, v->cfg, block->params_count * sizeof(v->cfg[0]));
    return true;
}

/* No output is an input or another output. A mismatch may leave the inputs that are played as they
 * are, so --shortest may name them. */
static bool files_are_apart(const options *o)
{
    wr_paths p = {0};

    wr_paths_read(&p, "--rtl", o->sources.first);
    for (size_t i = 0; i < o->sources.count; i++) {
        wr_paths_read(&p, "--rtl", o->sources.args[i]);
    }
    wr_paths_read(&p, "--inputs", o->inputs);
    wr_paths_wave(&p, "--wave", o->wave);
    wr_paths_write(&p, "--rtl-wave", o->rtl_wave);
    wr_paths_wave(&p, "--mismatch-wave", o->ring);
    if (o->inputs == NULL || !is_same_file(o->inputs, o->shortest)) {
        wr_paths_write(&p, "--shortest", o->shortest);
    }
    wr_paths_write(&p, "--coverage", o->coverage);
    return wr_paths_apart(&p, "warpref cosim");
}

/* Verilator's waveform takes the place of whatever has its name, so that must be a file. */
static bool wave_can_be(const char *path)
{
    struct stat there;

    if (path != NULL && wr_vcd_is_named(path)) {
        (void)fprintf(stderr,
                      "%s: --rtl-wave writes FST; name it F.fst, and fst2vcd F.fst -o F.vcd makes "
                      "VCD of it\n",
                      path);
        return false;
    }
    if (path == NULL || stat(path, &there) != 0 ||
        (S_ISREG(there.st_mode) && access(path, W_OK) == 0)) {
        return true;
    }
    (void)fprintf(stderr, "%s: --rtl-wave takes the place of what is there, and that is %s\n", path,
                  S_ISREG(there.st_mode) ? "not yours to write" : "no file");
    return false;
}

int wr_cmd_cosim(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"cycles", 'n', "N", 0, "Clock cycles to run (100000)", 0},
        {"seed", 's', "S", 0, "Seed of stimulus and of the RTL's state before reset (1)", 0},
        {"config", 'c', "NAME", 0, "a named one: tiny, odd, max ... (default)", 0},
        {"param", KEY_PARAM, "NAME=VALUE", 0, "Set a parameter on top of --config; may be repeated",
         0},
        {"wave", 'w', "F.fst", 0,
         "Write the pins of every cycle, and a saved view F.gtkw; F.vcd is written as VCD", 0},
        {"rtl-wave", KEY_RTL_WAVE, "F.fst", 0, "Write every signal inside the RTL, FST alone", 0},
        {"mismatch-wave", KEY_RING, "F.fst", 0,
         "Where a mismatch, or RTL that ends the run, leaves its last 1,000 cycles, FST or VCD "
         "(BLOCK.CONFIG.mismatch.fst)",
         0},
        {"last", KEY_LAST, "N", 0,
         "So many cycles up to it are printed by their inputs, 0 to 64 (8)", 0},
        {"shortest", KEY_SHORTEST, "F.hex", 0,
         "Where a mismatch writes the shortest inputs that still show it "
         "(BLOCK.CONFIG.shortest.hex)",
         0},
        {"no-wild", KEY_NO_WILD, NULL, 0,
         "Leave out the episodes at the end in which any pin has any value", 0},
        {"no-shrink", KEY_NO_SHRINK, NULL, 0, "Do not look for them", 0},
        {"coverage", KEY_COVERAGE, "F.dat", 0,
         "Write which lines ran and which bits toggled inside the RTL, for verilator_coverage; "
         "'warpref coverage' makes a report of it",
         0},
        {"bins", KEY_BINS, NULL, 0, "Print every coverage bin, not only the empty ones", 0},
        {"json", 'j', NULL, 0, "Print the result as JSON", 0},
        {"inputs", KEY_INPUTS, "F.hex", 0,
         "Play the inputs of a vector file instead of the stimulus: of 'warpref run --record', of "
         "a mismatch, or your own (docs/vectors.md)",
         0},
        {NULL, 0, NULL, 0, "RTL of your own (docs/own_rtl.md):", 1},
        {"rtl", KEY_RTL, "FILE", 0,
         "Check this RTL instead of the block's own; may be repeated. C and C++ files, "
         "objects and archives are for its DPI imports",
         1},
        {"filelist", KEY_FILELIST, "FILE", 0,
         "Files, folders and macros from a list: +incdir+, +define+, -y, -v, -f; may be repeated",
         1},
        {"top", KEY_TOP, "NAME", 0, "Its module (the block's name)", 1},
        {"rtl-param", KEY_RTL_PARAM, "NAME=VALUE", 0,
         "Set a parameter that it has beside the block's; may be repeated", 1},
        {"rtl-dir", KEY_RTL_DIR, "DIR", 0,
         "Look here for modules that no file has, in files of their name; beside the first file is "
         "looked first; may be repeated",
         1},
        {"include", KEY_INCLUDE, "DIR", 0, "Look here for `include; may be repeated", 1},
        {"define", KEY_DEFINE, "NAME[=VALUE]", 0, "Set a macro; may be repeated", 1},
        {"pins-only", KEY_PINS, NULL, 0,
         "Compare pins only, not the registers that RTL and model both have", 1},
        {"latency", KEY_LATENCY, "N", 0,
         "Its outputs are those of the model N cycles before, 1 to 256", 1},
        {"transfers", KEY_TRANSFERS, "N", OPTION_ARG_OPTIONAL,
         "It sets its own pace: compare what is transferred by valid and ready, in order; within N "
         "cycles (1000) something must move",
         1},
        {"watchdog", KEY_WATCHDOG, "SECONDS", 0,
         "Processor time of one step of the RTL after which it counts as hanging (60); no verdict "
         "on RTL that is only slow",
         1},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp argp = {
        table,
        parse,
        "BLOCK",
        "Drives a block's RTL and its C model with the same inputs and compares every output in "
        "every cycle. A run is some hundred episodes, each from reset: some with directed cases, "
        "all with random ones, every other one with a protocol fault."
        "\vRTL of your own has the block's ports and parameters by name: see 'warpref blocks "
        "BLOCK'. Registers that have the names of ours are compared too. It runs in a process of "
        "its own, and what it prints goes to standard error."
        "\n\n"
        "With parameters of no named configuration CONFIG is 'custom', and the block is Verilated "
        "on first use and kept in $WARPREF_CACHE, else $XDG_CACHE_HOME/warpref, else "
        "~/.cache/warpref.\n\n"
        "Exit status: 0 all equal, 1 a mismatch, or RTL that hangs, crashes or ends the "
        "simulation, 2 bad usage or RTL that does not build.\n\n"
        "The JSON is one object: block, config, parameters, seed, rtl (with --rtl), inputs (with "
        "--inputs), pass, cycles, wild_cycles and wild_checks (behind them, of any inputs), "
        "checks, transactions, episodes, registers (compared beside the pins), stopped (by the RTL "
        "itself), ended (how the RTL did so, hung or crashed), ended_wave, coverage (hits of every "
        "bin; not with --inputs); where a pin differs mismatch, mismatch_wave, "
        "shortest and shortest_cycles; with either wave last_inputs (of each of the last cycles "
        "cycle, and inputs with all pins); stray, where the stimulus breaks the protocol without "
        "meaning to.\n\n"
        "Example: warpref cosim reg_compressor --cycles 1000000 --seed 7 --config odd\n"
        "Example: warpref cosim warp_quota --param Kernels=3 --param Epoch=500\n"
        "Example: warpref cosim reg_compressor --inputs reg_compressor.tiny.shortest.hex\n"
        "Example: warpref cosim switch_queues --rtl examples/rtl/switch_queues_shift.sv "
        "--top switch_queues_shift",
        NULL,
        NULL,
        NULL};
    options o = {.seed = 1, .watchdog = WR_WATCHDOG_SECONDS, .last = WR_LAST_CYCLES};
    int status = WR_EXIT_USAGE;
    char ring[256];
    char shortest[256];
    wr_cosim_options run;
    const wr_block_desc *block;
    wr_config_desc config;
    wr_vectors inputs = {0};

    argp_err_exit_status = WR_EXIT_USAGE;
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        wr_sources_free(&o.sources);
        return status;
    }
    if (!files_are_apart(&o) || !wave_can_be(o.rtl_wave)) {
        wr_sources_free(&o.sources);
        return status;
    }
    block = wr_cmd_block(o.block);
    if (block != NULL &&
        (o.inputs != NULL ? take_inputs(&o, block, &inputs, &config)
                          : wr_cmd_configure(block, o.config != NULL ? o.config : "default",
                                             &o.params, &config))) {
        o.config = config.name;
        (void)snprintf(ring, sizeof(ring), "%s.%s.mismatch.fst", block->name, config.name);
        (void)snprintf(shortest, sizeof(shortest), "%s.%s.shortest.hex", block->name, config.name);
        o.shortest = o.shortest != NULL ? o.shortest : shortest;
        run = (wr_cosim_options){.block = block,
                                 .cfg = config.value,
                                 .backend = WR_BACKEND_LOCKSTEP,
                                 .seed = o.seed,
                                 .cycles = o.cycles > 0 ? o.cycles : CYCLES,
                                 .rows = inputs.in,
                                 .rows_count = inputs.count,
                                 .pins_only = o.pins_only,
                                 .no_wild = o.no_wild,
                                 .last = (uint32_t)o.last,
                                 .wave = o.wave,
                                 .rtl_wave = o.rtl_wave,
                                 .coverage = o.coverage,
                                 .ring = o.ring != NULL ? o.ring : ring};
        status = cosim(&o, run);
    }
    wr_vectors_free(&inputs);
    wr_sources_free(&o.sources);
    return status;
}
