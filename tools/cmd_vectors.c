/* SPDX-License-Identifier: Apache-2.0 */
/* warpref vectors: writes test vectors of a block. */
#include "tools/cmd_block.h"
#include "tools/once.h"
#include "tools/stop.h"
#include "vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct options {
    const char *block;
    const char *config;
    wr_cmd_params params;
    const char *out;
    uint64_t seed;
    uint64_t cycles;
} options;

enum { KEY_PARAM = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;

    switch (key) {
    case 'n':
        return wr_cmd_number("--cycles", arg, 1, 100000000, &o->cycles) ? 0 : EINVAL;
    case 's':
        return wr_cmd_number("--seed", arg, 0, UINT64_MAX / 2, &o->seed) ? 0 : EINVAL;
    case 'c':
        o->config = arg;
        return 0;
    case KEY_PARAM:
        return wr_cmd_add_param(&o->params, arg) ? 0 : EINVAL;
    case 'o':
        o->out = arg;
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
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int wr_cmd_vectors(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"cycles", 'n', "N", 0, "Clock cycles, one line each (1000)", 0},
        {"seed", 's', "S", 0, "Seed of the stimulus (1)", 0},
        {"config", 'c', "NAME", 0, "a named one: tiny, odd, max ... (default)", 0},
        {"param", KEY_PARAM, "NAME=VALUE", 0, "Set a parameter on top of --config; may be repeated",
         0},
        {"output", 'o', "FILE", 0, "File to write (BLOCK.CONFIG.hex)", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp argp = {
        table,
        parse,
        "BLOCK",
        "Writes test vectors of a block: its stimulus and the outputs of its C model, one line of "
        "hex a cycle, {out, in}, ready for $readmemh."
        "\vWith parameters of no named configuration CONFIG is 'custom'. "
        "Replay them in any simulator with testbench/replay/replay_tb.v, or check recorded "
        "outputs "
        "with 'warpref replay'.\n\nExample: warpref vectors reg_compressor --config tiny --cycles "
        "200",
        NULL,
        NULL,
        NULL};
    options o = {.config = "default", .seed = 1, .cycles = 1000};
    const wr_block_desc *block;
    wr_config_desc config;
    char path[256];
    char err[512];
    uint32_t made = 0;

    argp_err_exit_status = WR_EXIT_USAGE;
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    block = wr_cmd_block(o.block);
    if (block == NULL || !wr_cmd_configure(block, o.config, &o.params, &config)) {
        return WR_EXIT_USAGE;
    }
    (void)snprintf(path, sizeof(path), "%s.%s.hex", block->name, config.name);
    if (o.out == NULL) {
        o.out = path;
    }
    if (!wr_vectors_generate(o.out, block, config.value, o.seed, (uint32_t)o.cycles,
                             wr_stop_begin(), &made, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        wr_stop_end();
        return made != 0 ? WR_EXIT_FAIL : WR_EXIT_USAGE; /* there was no room, or no such place */
    }
    (void)printf("%s: %s config %s seed %" PRIu64 " %" PRIu32 " cycles%s\n", o.out, block->name,
                 config.name, o.seed, made, made < o.cycles ? ", stopped by a signal" : "");
    wr_stop_end();
    return WR_EXIT_PASS;
}
