/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a co-simulation: see cosim_report.h. */
#include "tools/cosim_report.h"

#include "dpi/bits.h"
#include "tools/cmd_block.h"
#include "waveforms/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *verdict(bool good)
{
    return good ? "PASS" : "FAIL";
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

static size_t bins_hit(const wr_cosim_options *run, const wr_stim *stim, const wr_cosim_result *r)
{
    char name[128];
    size_t hit = 0;

    for (size_t i = 0; i < bin_count(stim); i++) {
        hit += bin(run, stim, r, i, name, sizeof(name)) > 0;
    }
    return hit;
}

static void print_bins(const wr_cosim_options *run, const wr_cosim_result *r, bool all)
{
    const wr_stim *stim = wr_stim_find(run->block->name);
    const size_t bins = bin_count(stim);
    char name[128];

    (void)printf("coverage: %zu of %zu bins hit in %" PRIu64 " episodes\n", bins_hit(run, stim, r),
                 bins, r->episodes);
    for (size_t i = 0; i < bins; i++) {
        const uint64_t hits = bin(run, stim, r, i, name, sizeof(name));
        if (all || hits == 0) {
            (void)printf("  %-40s %" PRIu64 "\n", name, hits);
        }
    }
}

/* The inputs of the cycles up to the one that failed, which has a mark. */
static void print_last(const wr_cosim_report *o)
{
    const wr_last_inputs *last = &o->result->last;
    char line[WR_LAST_LINE + 1];

    if (last->count > 0) {
        (void)printf("inputs %s, where not 0 or just become 0:\n",
                     last->from_reset ? "since reset" : "up to it");
    }
    for (uint32_t i = 0; i < last->count; i++) {
        wr_last_inputs_line(last, i, o->run->block, o->run->cfg, line);
        (void)printf("%s\n", line);
    }
}

static cJSON *json_value(const wr_pin_desc *pin, const uint32_t *words, uint32_t bit)
{
    const uint64_t value = wr_bits_get(words, bit, pin->width);
    char text[64];

    if (pin->codes != NULL && value < pin->codes_count) {
        return cJSON_CreateString(pin->codes[value]);
    }
    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    return cJSON_CreateRaw(text);
}

static void json_last(cJSON *root, const wr_cosim_report *o)
{
    const wr_last_inputs *last = &o->result->last;
    const wr_block_desc *block = o->run->block;
    cJSON *cycles = last->count > 0 ? cJSON_AddArrayToObject(root, "last_inputs") : NULL;

    for (uint32_t i = 0; i < last->count; i++) {
        cJSON *cycle = cJSON_CreateObject();
        uint32_t bit = 0;
        cJSON_AddItemToArray(cycles, cycle);
        wr_cmd_json_u64(cycle, "cycle", last->cycle[i]);
        cJSON *inputs = cJSON_AddObjectToObject(cycle, "inputs");
        for (size_t p = 0; p < block->ins_count; p++) {
            const wr_pin_desc *pin = &block->pins[p];
            const uint32_t count = wr_pin_count(pin, o->run->cfg);
            cJSON *array = pin->is_array ? cJSON_AddArrayToObject(inputs, pin->name) : NULL;
            for (uint32_t e = 0; e < count; e++, bit += pin->width) {
                cJSON *value = json_value(pin, last->in[i + 1], bit);
                (void)(array != NULL ? cJSON_AddItemToArray(array, value)
                                     : cJSON_AddItemToObject(inputs, pin->name, value));
            }
        }
    }
}

static void json_four(cJSON *root, const wr_cosim_report *o)
{
    const wr_four_state *f = o->four;
    cJSON *four = f != NULL ? cJSON_AddObjectToObject(root, "four_state") : NULL;

    if (four == NULL) {
        return;
    }
    wr_cmd_json_u64(four, "cycles", f->cycles);
    if (f->mismatch[0] != '\0') {
        cJSON_AddStringToObject(four, "mismatch", f->mismatch);
        if (o->shortest_path != NULL) {
            cJSON_AddStringToObject(four, "inputs", o->shortest_path);
        }
    }
    if (f->warning[0] != '\0') {
        cJSON_AddStringToObject(four, "warning", f->warning);
    }
    if (f->untried[0] != '\0') {
        cJSON_AddStringToObject(four, "untried", f->untried);
    }
}

static cJSON *json_of(const wr_cosim_report *o, bool good)
{
    const wr_cosim_options *run = o->run;
    const wr_cosim_result *r = o->result;
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
    if (o->inputs != NULL) {
        cJSON_AddStringToObject(root, "inputs", o->inputs);
    }
    cJSON_AddBoolToObject(root, "pass", good);
    wr_cmd_json_u64(root, "cycles", r->stats.cycles);
    wr_cmd_json_u64(root, "wild_cycles", r->wild_cycles);
    wr_cmd_json_u64(root, "wild_checks", r->wild_checks);
    wr_cmd_json_u64(root, "checks", r->stats.comparisons);
    wr_cmd_json_u64(root, "transactions", r->stats.transactions);
    wr_cmd_json_u64(root, "episodes", r->episodes);
    wr_cmd_json_u64(root, "registers", r->registers);
    cJSON_AddBoolToObject(root, "stopped", r->stopped);
    if (o->ended[0] != '\0') {
        cJSON_AddStringToObject(root, "ended", o->ended);
    }
    if (r->has_ring && r->first[0] == '\0') {
        cJSON_AddStringToObject(root, "ended_wave", run->ring);
    }
    if (r->first[0] != '\0') {
        cJSON_AddStringToObject(root, "mismatch", r->first);
        cJSON_AddStringToObject(root, "mismatch_wave", run->ring);
        cJSON_AddBoolToObject(root, "by_start", o->by_start);
    }
    json_four(root, o);
    json_last(root, o);
    if (o->shortest->to > 0) {
        cJSON_AddStringToObject(root, "shortest", o->shortest_path);
        wr_cmd_json_u64(root, "shortest_cycles", o->shortest->to);
    }
    if (r->stray[0] != '\0') {
        cJSON_AddStringToObject(root, "stray", r->stray);
    }
    coverage = o->inputs == NULL ? cJSON_AddObjectToObject(root, "coverage") : NULL;
    for (size_t i = 0; coverage != NULL && i < bin_count(stim); i++) {
        char name[128];
        const uint64_t hits = bin(run, stim, r, i, name, sizeof(name));
        wr_cmd_json_u64(coverage, name, hits);
    }
    return root;
}

/* How to look at a waveform, unless it is not there. */
static void print_wave(const char *what, const char *path, bool view)
{
    char shown[4096];

    if (path != NULL) {
        if (!view || !wr_save_view_path(path, shown, sizeof(shown))) {
            (void)snprintf(shown, sizeof(shown), "%s", path);
        }
        (void)printf("%s: %s; gtkwave %s shows it\n", what, path, shown);
    }
}

/* What four states showed, that is more than two do. */
static void print_four(const wr_cosim_report *o)
{
    const wr_four_state *f = o->four;

    if (f == NULL) {
        return;
    }
    if (f->warning[0] != '\0') {
        (void)printf("four states: warning: %s\n", f->warning);
    }
    if (f->untried[0] != '\0') {
        (void)printf("four states: not tried: %s\n", f->untried);
    } else if (f->mismatch[0] == '\0') {
        (void)printf("four states: %" PRIu64 " cycles in Icarus Verilog, no X or Z at an output\n",
                     f->cycles);
    } else {
        (void)printf("mismatch: %s\n", f->mismatch);
        (void)printf(
            "  Two states hide it: look for a register without reset, a net with no driver "
            "or several, an X, a Z.\n");
        if (o->shortest_path != NULL) {
            (void)printf("inputs from reset up to it: %s, cycles: %" PRIu64 "\n"
                         "  testbench/replay/replay.sh %s -- ... plays them\n",
                         o->shortest_path, f->rows, o->shortest_path);
        }
    }
}

/* What ended the run, and how to see it. */
static void print_end(const wr_cosim_report *o)
{
    const wr_cosim_options *run = o->run;
    const wr_cosim_result *r = o->result;
    const wr_shrink_result *shortest = o->shortest;

    if (r->first[0] != '\0') {
        (void)printf("mismatch: %s\n", r->first);
        if (o->by_start) {
            (void)printf(
                "  It comes and goes with what registers and nets start with: look for a register "
                "without reset, a net\n  that nothing drives, an X.\n");
        }
        print_last(o);
        print_wave("last cycles before it", run->ring, false);
    }
    if (shortest->to > 0) {
        (void)printf("shortest: %" PRIu64 " of %" PRIu64 " cycles: %s\n  %s\n"
                     "  warpref cosim %s --inputs %s%s plays it\n",
                     shortest->to, shortest->from, o->shortest_path, shortest->text,
                     run->block->name, o->shortest_path, o->rtl != NULL ? " --rtl ..." : "");
    }
    if (r->stray[0] != '\0') {
        (void)printf("stimulus: %s\n", r->stray);
    }
    if (o->ended[0] != '\0') {
        (void)printf("%s: %s\n", r->stopped ? "stopped: the RTL ended the simulation" : "ended",
                     o->ended);
    }
    if (r->has_ring && r->first[0] == '\0') {
        print_last(o);
        print_wave("last cycles before it", run->ring, false);
    }
    print_four(o);
}

static void print_text(const wr_cosim_report *o, bool good)
{
    const wr_cosim_options *run = o->run;
    const wr_cosim_result *r = o->result;

    if (o->inputs == NULL && (good || o->bins)) {
        print_bins(run, r, o->bins);
    }
    if (r->stats.comparisons > 0) {
        (void)printf("transactions: %" PRIu64 "\n", r->stats.transactions);
    }
    if (r->wild_episodes > 0) {
        (void)printf("wild: %" PRIu64 " cycles more, in %" PRIu64
                     " episodes of any inputs, %" PRIu64 " checks\n",
                     r->wild_cycles, r->wild_episodes, r->wild_checks);
    }
    if (o->rtl != NULL && r->stats.comparisons > 0) {
        (void)printf("registers compared: %" PRIu32 " of %zu\n", r->registers,
                     run->block->states_count);
    }
    print_end(o);
    print_wave("waveform", run->wave, true);
    print_wave("inside the RTL", run->rtl_wave, false);
    (void)printf("%s %" PRIu64 " cycles %" PRIu64 " checks\n", verdict(good), r->stats.cycles,
                 r->stats.comparisons);
}

/* One of several, in a line; more of it where it fails. */
static void print_row(const wr_cosim_report *o, bool good)
{
    const wr_cosim_options *run = o->run;
    const wr_cosim_result *r = o->result;
    const wr_stim *stim = wr_stim_find(run->block->name);
    char params[256];

    wr_block_params_text(run->block, run->cfg, params, sizeof(params));
    (void)printf("%-8s %s %" PRIu64 " cycles %" PRIu64 " checks", o->config, verdict(good),
                 r->stats.cycles, r->stats.comparisons);
    if (r->wild_episodes > 0) {
        (void)printf(", %" PRIu64 " wild cycles %" PRIu64 " checks", r->wild_cycles,
                     r->wild_checks);
    }
    if (good) {
        (void)printf(", %zu of %zu bins", bins_hit(run, stim, r), bin_count(stim));
    }
    if (o->rtl != NULL && r->stats.comparisons > 0) {
        (void)printf(", %" PRIu32 " of %zu registers", r->registers, run->block->states_count);
    }
    (void)printf(" (%s)\n", params);
    if (o->bins) {
        print_bins(run, r, true);
    }
    print_end(o);
    (void)fflush(stdout); /* the next takes its time */
}

static bool is_good(const wr_cosim_report *o)
{
    const wr_cosim_result *r = o->result;

    return r->stats.mismatches == 0 && !r->stopped && o->ended[0] == '\0' &&
           r->stats.comparisons > 0 && r->stray[0] == '\0' && r->cut[0] == '\0' &&
           (o->four == NULL || o->four->mismatch[0] == '\0');
}

static void tell_cut(const wr_cosim_report *o)
{
    if (o->result->cut[0] != '\0') {
        (void)fflush(stdout);
        (void)fprintf(stderr, "%s\n", o->result->cut);
    }
}

int wr_cosim_report_print(const wr_cosim_report *o)
{
    const bool good = is_good(o);

    if (!o->json) {
        print_text(o, good);
    } else if (!wr_cmd_json_print(json_of(o, good))) {
        return WR_EXIT_USAGE;
    }
    tell_cut(o);
    return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

int wr_cosim_report_add(wr_cosim_sum *sum, const wr_cosim_report *o)
{
    const bool good = is_good(o);

    sum->cycles += o->result->stats.cycles;
    sum->checks += o->result->stats.comparisons;
    sum->count++;
    sum->failed = sum->failed || !good;
    if (!sum->json) {
        print_row(o, good);
    } else {
        sum->runs = sum->runs != NULL ? sum->runs : cJSON_CreateArray();
        (void)cJSON_AddItemToArray(sum->runs, json_of(o, good));
    }
    tell_cut(o);
    return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

/* The runs become part of what is printed. */
static bool print_sum_json(wr_cosim_sum *sum)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "block", sum->block->name);
    wr_cmd_json_u64(root, "seed", sum->seed);
    if (sum->rtl != NULL) {
        cJSON_AddStringToObject(root, "rtl", sum->rtl);
    }
    cJSON_AddBoolToObject(root, "pass", !sum->failed);
    wr_cmd_json_u64(root, "cycles", sum->cycles);
    wr_cmd_json_u64(root, "checks", sum->checks);
    wr_cmd_json_u64(root, "configurations", sum->block->configs_count);
    (void)cJSON_AddItemToObject(root, "runs", sum->runs);
    sum->runs = NULL;
    return wr_cmd_json_print(root);
}

int wr_cosim_sum_print(wr_cosim_sum *sum)
{
    const size_t all = sum->block->configs_count;

    if (sum->json) {
        if (!print_sum_json(sum)) {
            return WR_EXIT_USAGE;
        }
    } else {
        (void)printf("%s %" PRIu64 " cycles %" PRIu64 " checks in %zu of %zu configurations\n",
                     verdict(!sum->failed), sum->cycles, sum->checks, sum->count, all);
    }
    return sum->failed ? WR_EXIT_FAIL : WR_EXIT_PASS;
}

void wr_cosim_sum_free(wr_cosim_sum *sum)
{
    cJSON_Delete(sum->runs);
}
