/* SPDX-License-Identifier: Apache-2.0 */
/* warpref: finds the subcommand and hands over. Everything else is the subcommand's. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "tools/commands.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"run", wr_cmd_run, "run a launch file on a configuration of the GPU"},
    {"compile", wr_cmd_compile, "compile PTX or CUDA C; registers, memory, preemption points"},
    {"config", wr_cmd_config, "list and print configurations"},
    {"blocks", wr_cmd_blocks, "the blocks, their pins, latency and storage"},
    {"systems", wr_cmd_systems, "the systems, their options and blocks"},
    {"cosim", wr_cmd_cosim, "a block's RTL against its C model"},
    {"vectors", wr_cmd_vectors, "write test vectors of a block"},
    {"replay", wr_cmd_replay, "verify vectors or recorded outputs of a block"},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *out)
{
    (void)fputs(
        "Usage: warpref COMMAND [OPTION...]\n\n"
        "C models, RTL and lockstep checks of GPU multiprogramming hardware, driven by real\n"
        "kernels on a simulated GPU.\n\nCommands:\n",
        out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    (void)fputs("\n`warpref COMMAND --help` explains a command. Exit status: 0 all held, 1 a check "
                "failed,\n"
                "2 bad usage or bad input.\n",
                out);
}

int main(int argc, char **argv)
{
    argp_err_exit_status = 2;
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts("warpref " WR_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            char title[64];
            (void)snprintf(title, sizeof title, "warpref %s", commands[i].name);
            argv[1] = title;
            int status = commands[i].run(argc - 1, argv + 1);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                (void)fputs("warpref: standard output could not be written\n", stderr);
                return status ? status : 2;
            }
            return status;
        }
    }
    (void)fprintf(stderr, "warpref: there is no command '%s'; `warpref --help` lists them\n", name);
    return 2;
}
