/* SPDX-License-Identifier: Apache-2.0 */
/* warpref systems: what systems there are, and of one its options, needs and blocks. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "systems/frame/system.h"
#include "tools/commands.h"
#include "tools/once.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const char **name = state->input;

    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (*name) {
        argp_error(state, "one system at a time");
    }
    *name = arg;
    return 0;
}

static void print_all(void)
{
    size_t count;
    const wr_system_type *const *all = wr_system_types(&count);

    for (size_t i = 0; i < count; i++) {
        printf("%-12s %s%s%s\n", all[i]->name, all[i]->summary, all[i]->paper[0] ? "; " : "",
               all[i]->paper);
    }
    puts("\nOptions and blocks of one: warpref systems NAME");
}

static void print_options(const wr_option *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char takes[256];

        wr_option_takes(&rows[i], takes, sizeof takes);
        printf("  %s=%s%s%s%s\n      %s\n", rows[i].name, takes,
               rows[i].preset[0] ? " (default " : "", rows[i].preset, rows[i].preset[0] ? ")" : "",
               rows[i].doc);
    }
}

static void print_needs(const wr_system_type *type)
{
    for (size_t i = 0; i < type->need_count; i++) {
        const wr_system_need *need = &type->needs[i];

        printf("  %s %" PRIu32, need->field.name, need->min);
        if (need->max != need->min) {
            printf(" to %" PRIu32, need->max);
        }
        puts("");
    }
    if (type->needs_points) {
        puts("  kernels with preemption points (not --no-points)");
    }
}

static void print_one(const wr_system_type *type)
{
    printf("%s: %s\n", type->name, type->summary);
    if (type->paper[0]) {
        printf("Source: %s\n", type->paper);
    }
    if (type->not_with) {
        printf("Not beside: %s\n", type->not_with);
    }
    printf("\nwarpref run FILE.yaml --system %s:OPTION=VALUE,...\n\nOptions\n", type->name);
    print_options(type->options, type->option_count);
    if (type->blocks) {
        puts("\nOptions of every system with blocks");
        print_options(wr_bay_options, WR_BAY_OPTIONS);
    }
    if (type->need_count != 0 || type->needs_points) {
        puts("\nNeeds");
        print_needs(type);
    }
    puts("\nBlocks");
    for (size_t i = 0; type->blocks && type->blocks[i]; i++) {
        const wr_block_desc *block = wr_block_find(type->blocks[i]);

        printf("  %-20s %s\n", type->blocks[i], block ? block->summary : "");
    }
    if (!type->blocks) {
        puts("  none");
    }
}

int wr_cmd_systems(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,
        parse,
        "[NAME]",
        "Lists the systems: mechanisms of the papers that `warpref run --system` puts on a GPU.\v"
        "With NAME: its options with what they take, their defaults, what it needs of the "
        "configuration, and the blocks that it is built from (`warpref blocks BLOCK` has their "
        "pins). --system may be repeated: several systems on one GPU.",
        NULL,
        NULL,
        NULL};
    const char *name = NULL;

    if (wr_parse_once(&argp, argc, argv, &name)) {
        return 2;
    }
    if (!name) {
        print_all();
        return 0;
    }
    const wr_system_type *type = wr_system_find(name, strlen(name));

    if (!type) {
        (void)fprintf(stderr, "warpref: there is no system '%s'; `warpref systems` lists them\n",
                      name);
        return 2;
    }
    print_one(type);
    return 0;
}
