/* SPDX-License-Identifier: Apache-2.0 */
/* warpref network: the interconnect of a configuration by itself, under synthetic traffic. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd_block.h"
#include "tools/config_option.h"
#include "tools/network_traffic.h"
#include "tools/once.h"

enum {
    KEY_WAY = 256,
    KEY_INPUTS,
    KEY_OUTPUTS,
    KEY_FLITS,
    KEY_SHARES,
    KEY_PATTERN,
    KEY_HOT,
    KEY_RATE,
    KEY_CYCLES,
    KEY_WARMUP,
    KEY_SEED,
    KEY_JSON
};

enum { MOST_FLITS = 64, MOST_SHARE = 1000000, MOST_CYCLES = 1000000000 };

typedef struct options {
    wr_config_option config;
    wr_network_way way;
    bool way_given, json;
    uint32_t shares;
    wr_traffic traffic; /* inputs, outputs 0: the configuration's */
} options;

static const char *const patterns[] = {"uniform", "hotspot", "permutation"};
static const char *const ways[] = {"request", "reply"};

static const struct argp_option option_table[] = {
    {"way", KEY_WAY, "request|reply", 0,
     "from SMs and CPU cores to L2 banks (default), or back: which ports there are", 0},
    {"inputs", KEY_INPUTS, "N", 0,
     "so many inputs in place of the configuration's (default: as many as --outputs, where that is "
     "given); the ports of a mesh stand at its nodes in turn",
     0},
    {"outputs", KEY_OUTPUTS, "N", 0, "so many outputs, likewise", 0},
    {"flits", KEY_FLITS, "N[:N...]", 0, "flits of a packet (default 1), or lengths of a mixture",
     0},
    {"shares", KEY_SHARES, "N[:N...]", 0,
     "packets of each length of --flits, as parts of all (default: all alike)", 0},
    {"pattern", KEY_PATTERN, "NAME", 0,
     "uniform (default): any output; hotspot: output 0 with chance --hot, else any; permutation: "
     "each input always to one output, drawn by the seed",
     0},
    {"hot", KEY_HOT, "P", 0, "of hotspot, 0 to 1 (default 0.1)", 0},
    {"rate", KEY_RATE, "R", 0,
     "offered load, flits an input and cycle, 0.0001 to 1; gives latency (default: saturation, "
     "sources always have a packet)",
     0},
    {"cycles", KEY_CYCLES, "N", 0, "cycles of the interconnect that are measured (default 200000)",
     0},
    {"warmup", KEY_WARMUP, "N", 0, "cycles in front of them (default 10000)", 0},
    {"seed", KEY_SEED, "N", 0, "seed of all that is drawn (default 1)", 0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {0}};

static error_t whole(const char *what, const char *arg, uint64_t least, uint64_t most,
                     uint64_t *value)
{
    return wr_cmd_number(what, arg, least, most, value) ? 0 : EINVAL;
}

static error_t ports(const char *what, const char *arg, uint32_t *value)
{
    uint64_t n = 0;
    error_t wrong = whole(what, arg, 1, WR_TRAFFIC_PORTS, &n);
    *value = (uint32_t)n;
    return wrong;
}

static error_t fraction(const char *what, const char *arg, double least, double *value)
{
    char *end = NULL;
    *value = strtod(arg, &end);
    if (end == arg || *end != '\0' || !(*value >= least && *value <= 1)) {
        (void)fprintf(stderr, "%s '%s': must be a number, %g to 1\n", what, arg, least);
        return EINVAL;
    }
    return 0;
}

/* N:N:... */
static error_t list(const char *what, char *arg, uint64_t most, uint32_t *values, uint32_t *count)
{
    *count = 0;
    for (char *at = arg; at != NULL;) {
        char *colon = strchr(at, ':');
        uint64_t n = 0;
        if (colon != NULL) {
            *colon = '\0';
        }
        if (*count == WR_TRAFFIC_LENGTHS) {
            (void)fprintf(stderr, "%s: at most %d numbers\n", what, WR_TRAFFIC_LENGTHS);
            return EINVAL;
        }
        if (!wr_cmd_number(what, at, 1, most, &n)) {
            return EINVAL;
        }
        values[(*count)++] = (uint32_t)n;
        at = colon != NULL ? colon + 1 : NULL;
    }
    return 0;
}

/* Place of a word among `names`. */
static error_t word(const char *what, const char *arg, const char *const *names, size_t count,
                    unsigned *value)
{
    for (*value = 0; *value < count; (*value)++) {
        if (strcmp(arg, names[*value]) == 0) {
            return 0;
        }
    }
    (void)fprintf(stderr, "%s '%s': must be one of", what, arg);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", names[i]);
    }
    (void)fprintf(stderr, "\n");
    return EINVAL;
}

static error_t finish(options *o)
{
    wr_traffic *t = &o->traffic;
    if (t->inputs != 0 || t->outputs != 0) {
        t->inputs = t->inputs != 0 ? t->inputs : t->outputs;
        t->outputs = t->outputs != 0 ? t->outputs : t->inputs;
        if (o->way_given) {
            (void)fprintf(stderr, "--way is of the configuration's ports, --inputs and --outputs "
                                  "are others: give one of them\n");
            return EINVAL;
        }
    }
    if (o->shares != 0 && o->shares != t->lengths) {
        (void)fprintf(stderr,
                      "--shares has %" PRIu32 " numbers, --flits %" PRIu32
                      ": there must be a share for each length\n",
                      o->shares, t->lengths);
        return EINVAL;
    }
    for (uint32_t i = o->shares; i < t->lengths; i++) {
        t->share[i] = 1;
    }
    if (t->hot >= 0 && t->pattern != WR_TRAFFIC_HOTSPOT) {
        (void)fprintf(stderr, "--hot is of --pattern hotspot\n");
        return EINVAL;
    }
    t->hot = t->hot < 0 ? 0.1 : t->hot;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    wr_traffic *t = &o->traffic;
    unsigned place = 0;
    error_t wrong = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->config;
        return 0;
    case KEY_WAY:
        wrong = word("--way", arg, ways, 2, &place);
        o->way = (wr_network_way)place;
        o->way_given = true;
        return wrong;
    case KEY_PATTERN:
        wrong = word("--pattern", arg, patterns, 3, &place);
        t->pattern = (wr_traffic_pattern)place;
        return wrong;
    case KEY_INPUTS:
        return ports("--inputs", arg, &t->inputs);
    case KEY_OUTPUTS:
        return ports("--outputs", arg, &t->outputs);
    case KEY_FLITS:
        return list("--flits", arg, MOST_FLITS, t->flits, &t->lengths);
    case KEY_SHARES:
        return list("--shares", arg, MOST_SHARE, t->share, &o->shares);
    case KEY_HOT:
        return fraction("--hot", arg, 0, &t->hot);
    case KEY_RATE:
        return fraction("--rate", arg, .0001, &t->rate);
    case KEY_CYCLES:
        return whole("--cycles", arg, 1000, MOST_CYCLES, &t->cycles);
    case KEY_WARMUP:
        return whole("--warmup", arg, 0, MOST_CYCLES, &t->warmup);
    case KEY_SEED:
        return whole("--seed", arg, 0, UINT64_MAX / 2, &t->seed);
    case KEY_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->config.name != NULL) {
            argp_error(state, "one configuration at a time");
        }
        o->config.name = arg;
        return 0;
    case ARGP_KEY_END:
        return finish(o);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Opens it as wide as asked for, and tells the traffic; false with a message. */
static bool open_network(options *o, const wr_gpu_config *config, wr_network *n)
{
    wr_traffic *t = &o->traffic;
    bool own = t->inputs != 0;
    uint32_t room = WR_MESH_LOCAL * config->noc.mesh.width * config->noc.mesh.width;
    if (own && config->noc.kind == WR_NOC_MESH && (t->inputs > room || t->outputs > room)) {
        (void)fprintf(stderr,
                      "a mesh of %" PRIu32 " x %" PRIu32 " nodes has room for %" PRIu32
                      " inputs and as many outputs, %d at a node; widen it by --set "
                      "noc.mesh.width=N, or ask for fewer\n",
                      config->noc.mesh.width, config->noc.mesh.width, room, WR_MESH_LOCAL);
        return false;
    }
    if (!own) {
        wr_network_ports(config, o->way, &t->inputs, &t->outputs);
    }
    bool ok = own ? wr_network_init_ports(n, config, t->inputs, t->outputs)
                  : wr_network_init(n, config, o->way);
    if (!ok) {
        (void)fprintf(stderr, "out of memory\n");
    }
    return ok;
}

static const char *kind_of(const wr_gpu_config *config)
{
    return config->noc.kind == WR_NOC_MESH ? "mesh" : "crossbar";
}

/* Of all links of the side that has fewer, GB/s. */
static double peak_gbps(const wr_gpu_config *config, const wr_traffic *t)
{
    return (double)(t->inputs < t->outputs ? t->inputs : t->outputs) * config->noc.flit_bytes *
           config->clock.noc_mhz / 1000;
}

static int print_json(const options *o, bool own, const wr_gpu_config *config,
                      const wr_traffic_result *r)
{
    const wr_traffic *t = &o->traffic;
    bool rate = t->rate > 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "configuration", config->name);
    cJSON_AddStringToObject(root, "kind", kind_of(config));
    cJSON_AddItemToObject(root, "way", own ? cJSON_CreateNull() : cJSON_CreateString(ways[o->way]));
    cJSON_AddNumberToObject(root, "inputs", t->inputs);
    cJSON_AddNumberToObject(root, "outputs", t->outputs);
    if (config->noc.kind == WR_NOC_MESH) {
        cJSON_AddNumberToObject(root, "width", config->noc.mesh.width);
    } else {
        cJSON_AddNumberToObject(root, "network_latency", config->noc.latency);
        cJSON_AddNumberToObject(root, "speedup", config->noc.speedup);
    }
    cJSON_AddNumberToObject(root, "input_flits", config->noc.input_flits);
    cJSON_AddNumberToObject(root, "output_packets", config->noc.output_packets);
    cJSON_AddStringToObject(root, "pattern", patterns[t->pattern]);
    if (t->pattern == WR_TRAFFIC_HOTSPOT) {
        cJSON_AddNumberToObject(root, "hot", t->hot);
    }
    cJSON *flits = cJSON_AddArrayToObject(root, "flits");
    cJSON *shares = cJSON_AddArrayToObject(root, "shares");
    for (uint32_t i = 0; i < t->lengths; i++) {
        cJSON_AddItemToArray(flits, cJSON_CreateNumber(t->flits[i]));
        cJSON_AddItemToArray(shares, cJSON_CreateNumber(t->share[i]));
    }
    cJSON_AddNumberToObject(root, "mean_flits", wr_traffic_mean_flits(t));
    cJSON_AddItemToObject(root, "rate", rate ? cJSON_CreateNumber(t->rate) : cJSON_CreateNull());
    wr_cmd_json_u64(root, "cycles", t->cycles);
    wr_cmd_json_u64(root, "warmup", t->warmup);
    wr_cmd_json_u64(root, "seed", t->seed);
    wr_cmd_json_u64(root, "packets_arrived", r->packets);
    wr_cmd_json_u64(root, "flits_arrived", r->flits);
    cJSON_AddNumberToObject(root, "throughput", r->throughput);
    cJSON_AddNumberToObject(root, "throughput_error", r->throughput_error);
    cJSON_AddNumberToObject(root, "of_peak", r->of_peak);
    cJSON_AddNumberToObject(root, "flit_bytes", config->noc.flit_bytes);
    cJSON_AddNumberToObject(root, "peak_gbps", peak_gbps(config, t));
    cJSON_AddNumberToObject(root, "input_least", r->input_least);
    cJSON_AddNumberToObject(root, "input_most", r->input_most);
    cJSON_AddNumberToObject(root, "output_least", r->output_least);
    cJSON_AddNumberToObject(root, "output_most", r->output_most);
    if (rate) {
        cJSON_AddNumberToObject(root, "latency", r->latency);
        cJSON_AddNumberToObject(root, "latency_error", r->latency_error);
        wr_cmd_json_u64(root, "latency_most", r->latency_most);
        cJSON_AddBoolToObject(root, "falls_behind", r->behind);
    }
    return wr_cmd_json_print(root) ? WR_EXIT_PASS : WR_EXIT_USAGE;
}

static void print_text(const options *o, bool own, const wr_gpu_config *config,
                       const wr_traffic_result *r)
{
    const wr_traffic *t = &o->traffic;
    (void)printf("%s of %s%s%s: %" PRIu32 " inputs, %" PRIu32 " outputs\n", kind_of(config),
                 config->name, own ? "" : ", way of ", own ? "" : ways[o->way], t->inputs,
                 t->outputs);
    (void)printf("%s, packets of", patterns[t->pattern]);
    for (uint32_t i = 0; i < t->lengths; i++) {
        (void)printf("%s %" PRIu32, i > 0 ? " or" : "", t->flits[i]);
    }
    (void)printf(" flits (mean %.4g), ", wr_traffic_mean_flits(t));
    if (t->rate > 0) {
        (void)printf("%g flits offered an input and cycle\n", t->rate);
    } else {
        (void)printf("sources that always have one\n");
    }
    (void)printf("%" PRIu64 " noc cycles behind %" PRIu64 ", --seed %" PRIu64 "\n\n", t->cycles,
                 t->warmup, t->seed);
    (void)printf("throughput  %.4f +- %.4f flits an output and cycle: %.1f %% of the peak, %" PRIu32
                 " flits a cycle or %.1f GB/s\n",
                 r->throughput, r->throughput_error, 100 * r->of_peak,
                 t->inputs < t->outputs ? t->inputs : t->outputs, peak_gbps(config, t));
    (void)printf("by input    %.4f to %.4f\nby output   %.4f to %.4f\n", r->input_least,
                 r->input_most, r->output_least, r->output_most);
    if (r->behind) {
        (void)printf("latency     without bound: more is offered than gets through\n");
    } else if (t->rate > 0) {
        (void)printf("latency     %.2f +- %.2f cycles from birth to arrival, at most %" PRIu64 "\n",
                     r->latency, r->latency_error, r->latency_most);
    }
}

int wr_cmd_network(int argc, char **argv)
{
    static const struct argp_child children[] = {{&wr_config_option_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        option_table,
        parse,
        "[CONFIG]",
        "Measures one direction of a configuration's interconnect by itself under synthetic "
        "traffic: the network that `run` has, with sources in front and receivers behind that take "
        "everything at once."
        "\v"
        "Throughput is in flits an output and cycle of the interconnect; the peak is a flit a "
        "cycle on each link of the side that has fewer. Errors are standard errors by batch "
        "means. Latency, with --rate, counts from the birth of a packet to the arrival of its "
        "last flit, the wait in front of the network included; where sources fall behind it has "
        "no bound. The same seed gives the same figures (docs/configurations.md).\n\n"
        "Exit status: 0 measured, 2 bad usage or bad input.\n\n"
        "Example: warpref network maxwell --flits 5\n"
        "Example: warpref network gtx480 --way reply --flits 5:1 --shares 3:1\n"
        "Example: warpref network --inputs 8 --outputs 8 --rate 0.3\n"
        "Example: warpref network kayiran --inputs 36 --pattern permutation",
        children,
        NULL,
        NULL};
    options o = {
        .traffic = {
            .lengths = 1, .flits = {1}, .hot = -1, .cycles = 200000, .warmup = 10000, .seed = 1}};
    wr_gpu_config config;
    wr_network network;
    wr_traffic_result result;
    wr_diag diag = {0};
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    if (!wr_config_option_load(&o.config, &config, &diag)) {
        wr_diag_print(&diag, stderr);
        return WR_EXIT_USAGE;
    }
    bool own = o.traffic.inputs != 0;
    if (!open_network(&o, &config, &network)) {
        return WR_EXIT_USAGE;
    }
    wr_traffic_measure(&network, &o.traffic, &result);
    wr_network_free(&network);
    if (o.json) {
        return print_json(&o, own, &config, &result);
    }
    print_text(&o, own, &config, &result);
    return WR_EXIT_PASS;
}
