/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `warpref cosim`: see cosim_options.h. */
#include "tools/cosim_options.h"

#include "tools/four_state.h"
#include "tools/once.h"
#include "tools/watch.h"

#include "dpi/last_inputs.h"

#include <errno.h>
#include <stdio.h>

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
    KEY_FOUR_STATE,
    KEY_NO_FOUR_STATE,
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

static error_t add_source(wr_cosim_asked *o, const struct source_option *option, const char *arg)
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

static error_t set_align(wr_cosim_asked *o, wr_align_kind kind, const char *name, const char *arg,
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
    wr_cosim_asked *o = state->input;

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
    case KEY_FOUR_STATE:
        o->needs_rtl = "--four-state";
        o->four_state = true;
        o->four_state_cycles = WR_FOUR_STATE_MOST;
        return arg == NULL || wr_cmd_number("--four-state", arg, 1, WR_FOUR_STATE_MOST,
                                            &o->four_state_cycles)
                   ? 0
                   : EINVAL;
    case KEY_NO_FOUR_STATE:
        o->needs_rtl = "--no-four-state";
        o->no_four_state = true;
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
        if (o->four_state && (o->no_four_state || o->align.kind != WR_ALIGN_CYCLES)) {
            argp_error(state,
                       "--four-state compares cycle by cycle; --no-four-state, --latency and "
                       "--transfers do not go with it");
        }
        if (o->coverage != NULL && o->rtl_wave != NULL) {
            argp_error(state, "--coverage does not go with --rtl-wave");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool wr_cosim_asked_parse(wr_cosim_asked *o, int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"cycles", 'n', "N", 0, "Clock cycles to run in a configuration (100000)", 0},
        {"seed", 's', "S", 0, "Seed of stimulus and of the RTL's state before reset (1)", 0},
        {"config", 'c', "NAME", 0,
         "This one alone: tiny, odd, default, max ... (all that are named)", 0},
        {"param", KEY_PARAM, "NAME=VALUE", 0,
         "Set a parameter on top of --config (default); may be repeated", 0},
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
        {"four-state", KEY_FOUR_STATE, "N", OPTION_ARG_OPTIONAL,
         "Play all of the stimulus, or N cycles, in Icarus Verilog, too: an X or Z at an output is "
         "a "
         "mismatch. Without it the first cycles of some episodes are, where Yosys can read the RTL",
         1},
        {"no-four-state", KEY_NO_FOUR_STATE, NULL, 0, "Do not", 1},
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
        "all with random ones, every other one with a protocol fault. All named configurations are "
        "run, tiny and odd first, up to one that fails: a line each. --config names one alone; "
        "--param, --wave, --rtl-wave and --coverage are of one, 'default' where none is named; "
        "--inputs brings its own."
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
        "by_start (whether it depends on what registers and nets start with), "
        "shortest and shortest_cycles; with --rtl four_state (cycles, and mismatch with inputs, or "
        "untried with the reason; warning); with either wave last_inputs (of each of the last "
        "cycles "
        "cycle, and inputs with all pins); stray, where the stimulus breaks the protocol without "
        "meaning to. Of all configurations it is block, seed, rtl, pass, cycles, checks, "
        "configurations (how many there are), runs (an array of such objects, of those that "
        "ran).\n\n"
        "Example: warpref cosim reg_compressor\n"
        "Example: warpref cosim reg_compressor --cycles 1000000 --seed 7 --config odd\n"
        "Example: warpref cosim warp_quota --param Kernels=3 --param Epoch=500\n"
        "Example: warpref cosim reg_compressor --inputs reg_compressor.tiny.shortest.hex\n"
        "Example: warpref cosim switch_queues --rtl examples/rtl/switch_queues_shift.sv "
        "--top switch_queues_shift",
        NULL,
        NULL,
        NULL};

    *o = (wr_cosim_asked){.seed = 1, .watchdog = WR_WATCHDOG_SECONDS, .last = WR_LAST_CYCLES};
    argp_err_exit_status = WR_EXIT_USAGE;
    return wr_parse_once(&argp, argc, argv, o) == 0;
}

void wr_cosim_asked_free(wr_cosim_asked *o)
{
    wr_sources_free(&o->sources);
}

bool wr_cosim_asked_all(const wr_cosim_asked *o)
{
    return o->config == NULL && o->params.count == 0 && o->inputs == NULL && o->wave == NULL &&
           o->rtl_wave == NULL && o->coverage == NULL;
}
