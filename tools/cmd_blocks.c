/* SPDX-License-Identifier: Apache-2.0 */
/* warpref blocks: what blocks there are, the pins of one, and the storage audit. */
#include "tools/block_storage.h"
#include "tools/cmd_block.h"
#include "tools/once.h"
#include "tools/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
    const char *block;
    bool json;
    bool state;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;

    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 's':
        o->state = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "one block at most");
        }
        o->block = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static cJSON *json_of(const wr_block_desc *b)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *inside = cJSON_AddArrayToObject(object, "inside");
    cJSON *params = cJSON_AddArrayToObject(object, "parameters");
    cJSON *configs = cJSON_AddObjectToObject(object, "configurations");
    cJSON *pins = cJSON_AddArrayToObject(object, "pins");

    cJSON_AddStringToObject(object, "name", b->name);
    cJSON_AddStringToObject(object, "group", b->group);
    cJSON_AddStringToObject(object, "source", b->source);
    cJSON_AddStringToObject(object, "summary", b->summary);
    cJSON_AddNumberToObject(object, "latency_cycles", b->latency);
    cJSON_AddNumberToObject(object, "interval_cycles", b->interval);
    cJSON_AddBoolToObject(object, "free_running", b->free_running);
    if (b->idle != NULL) {
        cJSON_AddStringToObject(object, "idle", b->idle);
    }
    for (size_t i = 0; i < b->inside_count; i++) {
        (void)cJSON_AddItemToArray(inside, cJSON_CreateString(b->inside[i]));
    }
    cJSON_AddItemToObject(object, "storage", wr_json_storage(b));
    for (size_t i = 0; i < b->params_count; i++) {
        cJSON *p = cJSON_CreateObject();
        cJSON_AddStringToObject(p, "name", b->params[i].name);
        cJSON_AddNumberToObject(p, "min", b->params[i].min);
        cJSON_AddNumberToObject(p, "max", b->params[i].max);
        cJSON_AddStringToObject(p, "meaning", b->params[i].doc);
        cJSON_AddItemToArray(params, p);
    }
    for (size_t c = 0; c < b->configs_count; c++) {
        wr_cmd_json_params(configs, b->configs[c].name, b, b->configs[c].value);
    }
    for (size_t i = 0; i < b->pins_count; i++) {
        const wr_pin_desc *pin = &b->pins[i];
        cJSON *p = cJSON_CreateObject();
        cJSON_AddStringToObject(p, "name", pin->name);
        cJSON_AddStringToObject(p, "direction", pin->dir == WR_IN ? "in" : "out");
        cJSON_AddNumberToObject(p, "width", pin->width);
        if (pin->count_param >= 0) {
            cJSON_AddStringToObject(p, "count", b->params[pin->count_param].name);
        } else {
            cJSON_AddNumberToObject(p, "count", pin->count_fixed);
        }
        cJSON_AddBoolToObject(p, "combinational", pin->comb);
        cJSON_AddStringToObject(p, "meaning", pin->doc);
        if (pin->codes != NULL) {
            cJSON *codes = cJSON_AddObjectToObject(p, "codes");
            for (uint32_t value = 0; value < pin->codes_count; value++) {
                cJSON_AddNumberToObject(codes, pin->codes[value], value);
            }
        }
        cJSON_AddItemToArray(pins, p);
    }
    return object;
}

static void print_count(const wr_block_desc *b, const wr_pin_desc *pin)
{
    char text[48];

    if (!pin->is_array) {
        (void)snprintf(text, sizeof(text), "%u", pin->width);
    } else if (pin->count_param >= 0) {
        (void)snprintf(text, sizeof(text), "%s x %u", b->params[pin->count_param].name, pin->width);
    } else {
        (void)snprintf(text, sizeof(text), "%u x %u", pin->count_fixed, pin->width);
    }
    (void)printf("%-14s", text);
}

/* The blocks that stand in its RTL, which `warpref run --rtl` takes as well. */
static void print_inside(const wr_block_desc *b)
{
    for (size_t i = 0; i < b->inside_count; i++) {
        (void)printf("%s%s%s", i == 0 ? "Inside: " : ", ", b->inside[i],
                     i + 1 == b->inside_count ? ".\n" : "");
    }
}

static void print_block(const wr_block_desc *b)
{
    (void)printf("%s (%s)\n%s\nSource: %s. Latency %" PRIu32 " cycles, interval %" PRIu32 ".\n",
                 b->name, b->group, b->summary, b->source, b->latency, b->interval);
    if (b->idle == NULL) {
        (void)printf("With all inputs 0 nothing changes.\n");
    } else {
        (void)printf("%s: %s.\n",
                     b->free_running ? "Free-running"
                                     : "With all inputs 0 it goes on until it is done",
                     b->idle);
    }
    print_inside(b);
    (void)printf("\nparameter   range                meaning\n");
    for (size_t i = 0; i < b->params_count; i++) {
        char range[40];
        (void)snprintf(range, sizeof(range), "%" PRIu32 " to %" PRIu32, b->params[i].min,
                       b->params[i].max);
        (void)printf("%-12s%-21s%s\n", b->params[i].name, range, b->params[i].doc);
    }
    (void)printf("\nconfiguration\n");
    for (size_t c = 0; c < b->configs_count; c++) {
        const wr_config_desc *config = &b->configs[c];
        (void)printf("%-12s", config->name);
        for (size_t i = 0; i < b->params_count; i++) {
            (void)printf("%s=%" PRIu32 "  ", b->params[i].name, config->value[i]);
        }
        (void)printf("(%" PRIu32 " bits in, %" PRIu32 " out)\n",
                     wr_block_bits(b, WR_IN, config->value),
                     wr_block_bits(b, WR_OUT, config->value));
    }
    (void)printf("\npin               bits          timing         meaning\n");
    for (size_t i = 0; i < b->pins_count; i++) {
        const wr_pin_desc *pin = &b->pins[i];
        char name[64];
        const char *timing = pin->comb ? "combinational" : "registered";
        (void)snprintf(name, sizeof(name), "%s_%c", pin->name, pin->dir == WR_IN ? 'i' : 'o');
        (void)printf("%-18s", name);
        print_count(b, pin);
        (void)printf("%-15s%s\n", pin->dir == WR_IN ? "" : timing, pin->doc);
    }
    wr_print_storage_parts(b);
}

static void print_list(const wr_block_desc *const *all, size_t count)
{
    (void)printf(
        "Storage in bits of the default configuration: what the paper counts, flip-flops of "
        "the RTL for\nthe same state, and those beyond it. `warpref blocks BLOCK` says what "
        "and why.\n\n"
        "group    block                     paper  same state    beyond  summary\n");
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || strcmp(all[i]->group, all[i - 1]->group) != 0;
        (void)printf("%-8s %-22s", first ? all[i]->group : "", all[i]->name);
        wr_print_storage_columns(all[i]);
        (void)printf("  %s\n", all[i]->summary);
    }
    wr_print_storage_totals();
}

/* {blocks, storage_totals} */
static cJSON *json_list(const wr_block_desc *const *all, size_t count)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *blocks = cJSON_AddArrayToObject(root, "blocks");

    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(blocks, json_of(all[i]));
    }
    cJSON_AddItemToObject(root, "storage_totals", wr_json_storage_totals());
    return root;
}

int wr_cmd_blocks(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"json", 'j', NULL, 0, "Print JSON", 0},
        {"state", 's', NULL, 0, "What was run against the blocks: 'warpref state'", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp argp = {
        table,
        parse,
        "[BLOCK]",
        "Lists the blocks with their storage beside what the papers count, or the parameters, "
        "configurations, pins and storage of one."
        "\vThe JSON of a block is one object: name, group, source, summary, latency_cycles, "
        "interval_cycles, free_running, idle (what it goes on with while all inputs are 0), "
        "inside (blocks that its RTL holds), storage, parameters, configurations, pins. Without "
        "BLOCK it is an object "
        "of blocks, an array of these, and storage_totals, the sums that the papers state.",
        NULL,
        NULL,
        NULL};
    options o = {NULL, false, false};
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);
    const wr_block_desc *one = NULL;

    argp_err_exit_status = WR_EXIT_USAGE;
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    if (o.block != NULL) {
        one = wr_cmd_block(o.block);
        if (one == NULL) {
            return WR_EXIT_USAGE;
        }
    }
    if (o.state) {
        char *args[] = {argv[0], (char *)o.block, NULL};
        return wr_script_run(WR_STATE_SCRIPT, one != NULL ? 2 : 1, args);
    }
    if (o.json) {
        cJSON *root = one != NULL ? json_of(one) : json_list(all, count);
        if (!wr_cmd_json_print(root)) {
            return WR_EXIT_USAGE;
        }
    } else if (one != NULL) {
        print_block(one);
    } else {
        print_list(all, count);
    }
    return WR_EXIT_PASS;
}
