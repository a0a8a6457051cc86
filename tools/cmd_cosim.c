/* SPDX-License-Identifier: Apache-2.0 */
/* warpref cosim: RTL against model, cycle by cycle. */
#include "dpi/user_rtl.h"
#include "testbench/cosim.h"
#include "tools/cmd_block.h"
#include "vectors/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    const char *block;
    const char *config;
    wr_cmd_params params;
    const char *wave;
    const char *rtl_wave;
    const char *ring;
    const char *shortest;
    const char *rtl;
    const char *top;
    bool bins;
    bool pins_only;
    bool no_shrink;
    bool json;
    uint64_t seed;
    uint64_t cycles;
} options;

enum {
    KEY_RTL_WAVE = 256,
    KEY_RTL,
    KEY_TOP,
    KEY_BINS,
    KEY_RING,
    KEY_PARAM,
    KEY_PINS,
    KEY_SHORTEST,
    KEY_NO_SHRINK
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;

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
    case KEY_RTL:
        o->rtl = arg;
        return 0;
    case KEY_TOP:
        o->top = arg;
        return 0;
    case KEY_PARAM:
        return wr_cmd_add_param(&o->params, arg) ? 0 : EINVAL;
    case KEY_BINS:
        o->bins = true;
        return 0;
    case KEY_SHORTEST:
        o->shortest = arg;
        return 0;
    case KEY_NO_SHRINK:
        o->no_shrink = true;
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
        if (o->top != NULL && o->rtl == NULL) {
            argp_error(state, "--top goes with --rtl");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static size_t bin_count(const wr_stim *stim)
{
    return stim->bins + stim->near_count + stim->faults;
}

static uint32_t near_width(const wr_cosim_options *run, const wr_near *near)
{
    for (size_t i = 0; near->param != NULL && i < run->block->params_count; i++) {
        if (strcmp(near->param, run->block->params[i].name) == 0) {
            return ((const uint32_t *)run->cfg)[i];
        }
    }
    return near->width;
}

/* The bins of the stimulus; then one for each comparator, which is hit once operands that differ in
 * one bit alone have come up for every bit; then one for each kind of fault that an episode begins
 * with. */
static uint64_t bin(const wr_cosim_options *run, const wr_stim *stim, const wr_cosim_result *r,
                    size_t i, char *name, size_t name_size)
{
    if (i < stim->bins) {
        (void)snprintf(name, name_size, "%s", stim->bin_names[i]);
        return r->hits[i];
    }
    i -= stim->bins;
    if (i < stim->near_count) {
        const uint32_t width = near_width(run, &stim->nears[i]);
        const uint32_t seen = (uint32_t)__builtin_popcountll(r->hits[stim->bins + i]);
        (void)snprintf(name, name_size, "each bit alone: %s", stim->nears[i].name);
        return seen == width ? width : 0;
    }
    i -= stim->near_count;
    (void)snprintf(name, name_size, "first fault: %s", stim->fault_names[i + 1]);
    return r->first_faults[i + 1];
}

static void print_bins(const wr_cosim_options *run, const wr_cosim_result *r, bool all)
{
    const wr_stim *stim = wr_stim_find(run->block->name);
    const size_t bins = bin_count(stim);
    size_t hit = 0;
    char name[128];

    for (size_t i = 0; i < bins; i++) {
        hit += bin(run, stim, r, i, name, sizeof(name)) > 0;
    }
    (void)printf("coverage: %zu of %zu bins hit in %" PRIu64 " episodes\n", hit, bins, r->episodes);
    for (size_t i = 0; i < bins; i++) {
        const uint64_t hits = bin(run, stim, r, i, name, sizeof(name));
        if (all || hits == 0) {
            (void)printf("  %-40s %" PRIu64 "\n", name, hits);
        }
    }
}

static cJSON *json_of(const options *o, const wr_cosim_options *run, const wr_cosim_result *r,
                      const wr_shrink_result *shortest, bool good)
{
    const wr_stim *stim = wr_stim_find(run->block->name);
    cJSON *root = cJSON_CreateObject();
    cJSON *coverage;

    cJSON_AddStringToObject(root, "block", run->block->name);
    cJSON_AddStringToObject(root, "config", o->config);
    wr_cmd_json_params(root, "parameters", run->block, run->cfg);
    wr_cmd_json_u64(root, "seed", run->seed);
    if (o->rtl != NULL) {
        cJSON_AddStringToObject(root, "rtl", o->rtl);
    }
    cJSON_AddBoolToObject(root, "pass", good);
    wr_cmd_json_u64(root, "cycles", r->stats.cycles);
    wr_cmd_json_u64(root, "checks", r->stats.comparisons);
    wr_cmd_json_u64(root, "transactions", r->stats.transactions);
    wr_cmd_json_u64(root, "episodes", r->episodes);
    wr_cmd_json_u64(root, "registers", r->registers);
    cJSON_AddBoolToObject(root, "stopped", r->stopped);
    if (r->first[0] != '\0') {
        cJSON_AddStringToObject(root, "mismatch", r->first);
        cJSON_AddStringToObject(root, "mismatch_wave", run->ring);
    }
    if (shortest->to > 0) {
        cJSON_AddStringToObject(root, "shortest", o->shortest);
        wr_cmd_json_u64(root, "shortest_cycles", shortest->to);
    }
    if (r->stray[0] != '\0') {
        cJSON_AddStringToObject(root, "stray", r->stray);
    }
    coverage = cJSON_AddObjectToObject(root, "coverage");
    for (size_t i = 0; i < bin_count(stim); i++) {
        char name[128];
        const uint64_t hits = bin(run, stim, r, i, name, sizeof(name));
        wr_cmd_json_u64(coverage, name, hits);
    }
    return root;
}

/* Prints the result; without JSON its last line is the verdict. */
static int verdict(const options *o, const wr_cosim_options *run, const wr_cosim_result *r,
                   const wr_shrink_result *shortest)
{
    bool good =
        r->stats.mismatches == 0 && !r->stopped && r->stats.comparisons > 0 && r->stray[0] == '\0';

    if (o->json) {
        if (!wr_cmd_json_print(json_of(o, run, r, shortest, good))) {
            return WR_EXIT_USAGE;
        }
        return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
    }
    if (good || o->bins) {
        print_bins(run, r, o->bins);
    }
    (void)printf("transactions: %" PRIu64 "\n", r->stats.transactions);
    if (o->rtl != NULL) {
        (void)printf("registers compared: %" PRIu32 " of %zu\n", r->registers,
                     run->block->states_count);
    }
    if (r->first[0] != '\0') {
        (void)printf("mismatch: %s\nlast cycles before it: %s\n", r->first, run->ring);
    }
    if (shortest->to > 0) {
        (void)printf("shortest: %" PRIu64 " of %" PRIu64 " cycles: %s\n  %s\n"
                     "  testbench/replay/replay.sh %s [-- FILE.sv] plays it\n",
                     shortest->to, shortest->from, o->shortest, shortest->text, o->shortest);
    }
    if (r->stray[0] != '\0') {
        (void)printf("stimulus: %s\n", r->stray);
    }
    if (r->stopped) {
        (void)printf("stopped: the RTL ended the simulation itself\n");
    }
    (void)printf("%s %" PRIu64 " cycles %" PRIu64 " checks\n", good ? "PASS" : "FAIL",
                 r->stats.cycles, r->stats.comparisons);
    return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

static int simulate(const options *o, wr_cosim_options run)
{
    wr_shrink_result shortest = {0};
    wr_cosim_result result;
    wr_user_rtl user;
    static const size_t text_size = 16384;
    char text[16384];
    bool good = true;

    memset(&user, 0, sizeof(user));
    if (o->rtl != NULL) {
        const char *top = o->top != NULL ? o->top : o->block;
        good = wr_user_rtl_build(&user, run.block, run.cfg, o->rtl, top, o->pins_only, text,
                                 text_size);
        run.lib = user.so;
    }
    if (good && !o->json) {
        char params[256];
        wr_block_params_text(run.block, run.cfg, params, sizeof(params));
        (void)printf("cosim %s config %s (%s) seed %" PRIu64 "%s%s\n", run.block->name, o->config,
                     params, o->seed, o->rtl != NULL ? " rtl " : "", o->rtl != NULL ? o->rtl : "");
    }
    good = good && wr_cosim_run(&run, &result, text, text_size);
    if (good && result.first[0] != '\0' && !o->no_shrink) {
        if (isatty(STDERR_FILENO)) {
            (void)fprintf(stderr, "mismatch; looking for the shortest inputs that show it\n");
        }
        if (!wr_shrink(&run, &result, o->shortest, &shortest, text, text_size)) {
            (void)fprintf(stderr, "%s\n", text);
        }
    }
    wr_user_rtl_remove(&user);
    if (!good) {
        (void)fprintf(stderr, "%s\n", text);
        return WR_EXIT_USAGE;
    }
    return verdict(o, &run, &result, &shortest);
}

int wr_cmd_cosim(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"cycles", 'n', "N", 0, "Clock cycles to run (100000)", 0},
        {"seed", 's', "S", 0, "Seed of stimulus and of the RTL's state before reset (1)", 0},
        {"config", 'c', "NAME", 0, "a named one: tiny, odd, max ... (default)", 0},
        {"param", KEY_PARAM, "NAME=VALUE", 0,
         "Set a parameter on top of --config; may be given several times", 0},
        {"wave", 'w', "F.fst", 0, "Write the pins of every cycle, and a saved view F.gtkw", 0},
        {"rtl-wave", KEY_RTL_WAVE, "F.fst", 0, "Write every signal inside the RTL", 0},
        {"mismatch-wave", KEY_RING, "F.fst", 0,
         "Where a mismatch writes its last 1,000 cycles (BLOCK.CONFIG.mismatch.fst)", 0},
        {"shortest", KEY_SHORTEST, "F.hex", 0,
         "Where a mismatch writes the shortest inputs that still show it "
         "(BLOCK.CONFIG.shortest.hex)",
         0},
        {"no-shrink", KEY_NO_SHRINK, NULL, 0, "Do not look for them", 0},
        {"rtl", KEY_RTL, "FILE.sv", 0, "Check this RTL instead of the block's own", 0},
        {"top", KEY_TOP, "NAME", 0, "Its module (the block's name)", 0},
        {"pins-only", KEY_PINS, NULL, 0,
         "Compare pins only, not the registers that RTL and model both have", 0},
        {"bins", KEY_BINS, NULL, 0, "Print every coverage bin, not only the empty ones", 0},
        {"json", 'j', NULL, 0, "Print the result as JSON", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp argp = {
        table,
        parse,
        "BLOCK",
        "Drives a block's RTL and its C model with the same inputs and compares every output in "
        "every cycle. A run is some hundred episodes, each from reset: some with directed cases, "
        "all with random ones, every other one with a protocol fault."
        "\vRTL of your own has the block's ports and parameters by name: see 'warpref blocks "
        "BLOCK'. Registers that have the names of ours are compared too. "
        "\n\n"
        "With parameters of no named configuration CONFIG is 'custom', and the block is Verilated "
        "on "
        "first use and kept in $WARPREF_CACHE, else $XDG_CACHE_HOME/warpref, else "
        "~/.cache/warpref.\n\n"
        "Exit status: 0 all equal, 1 a mismatch, 2 bad usage or RTL that does not build.\n\n"
        "The JSON is one object: block, config, parameters, seed, rtl (with --rtl), pass, cycles, "
        "checks, transactions, episodes, registers (compared beside the pins), stopped (by the RTL "
        "itself), coverage (hits of every bin); where a pin differs mismatch, mismatch_wave, "
        "shortest and shortest_cycles; stray, where the stimulus breaks the protocol without "
        "meaning to.\n\n"
        "Example: warpref cosim reg_compressor --cycles 1000000 --seed 7 --config odd\n"
        "Example: warpref cosim warp_quota --param Kernels=3 --param Epoch=500",
        NULL,
        NULL,
        NULL};
    options o = {.config = "default", .seed = 1, .cycles = 100000};
    char ring[256];
    char shortest[256];
    wr_cosim_options run;
    const wr_block_desc *block;
    wr_config_desc config;

    argp_err_exit_status = WR_EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    block = wr_cmd_block(o.block);
    if (block == NULL || !wr_cmd_configure(block, o.config, &o.params, &config)) {
        return WR_EXIT_USAGE;
    }
    o.config = config.name;
    (void)snprintf(ring, sizeof(ring), "%s.%s.mismatch.fst", block->name, config.name);
    (void)snprintf(shortest, sizeof(shortest), "%s.%s.shortest.hex", block->name, config.name);
    o.shortest = o.shortest != NULL ? o.shortest : shortest;
    run = (wr_cosim_options){.block = block,
                             .cfg = config.value,
                             .backend = WR_BACKEND_LOCKSTEP,
                             .seed = o.seed,
                             .cycles = o.cycles,
                             .pins_only = o.pins_only,
                             .wave = o.wave,
                             .rtl_wave = o.rtl_wave,
                             .ring = o.ring != NULL ? o.ring : ring};
    return simulate(&o, run);
}
