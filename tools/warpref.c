/* SPDX-License-Identifier: Apache-2.0 */
/* warpref: finds the subcommand and hands over. Everything else is the subcommand's. */
#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "dpi/block.h"
#include "files/memory.h"
#include "files/replace.h"
#include "tools/commands.h"
#include "tools/script.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* or: */
    const char *script;
    const char *summary;
} command;

static const command commands[] = {
    {"run", wr_cmd_run, NULL, "run a launch file on a configuration of the GPU"},
    {"checkpoint", wr_cmd_checkpoint, NULL, "what is in a checkpoint of a run"},
    {"cc", NULL, "cuda/cc.py", "compile a CUDA program, which then runs on the simulated GPU"},
    {"exec", NULL, "cuda/exec.py", "run a CUDA program by nvcc on the simulated GPU"},
    {"compile", wr_cmd_compile, NULL,
     "compile PTX or CUDA C; registers, memory, preemption points"},
    {"config", wr_cmd_config, NULL, "list and print configurations"},
    {"schema", wr_cmd_schema, NULL, "JSON schemas of launch files and configurations, for editors"},
    {"blocks", wr_cmd_blocks, NULL, "the blocks, their pins, latency and storage"},
    {"systems", wr_cmd_systems, NULL, "the systems, their options and blocks"},
    {"network", wr_cmd_network, NULL, "an interconnect by itself under synthetic traffic"},
    {"occupancy", wr_cmd_occupancy, NULL, "TBs an SM holds, and what limits them"},
    {"cosim", wr_cmd_cosim, NULL, "a block's RTL against its C model"},
    {"vectors", wr_cmd_vectors, NULL, "write test vectors of a block"},
    {"replay", wr_cmd_replay, NULL, "verify vectors or recorded outputs of a block"},
    {"coverage", NULL, "tests/coverage/coverage.py",
     "lines and bits of a block's RTL that cosim reaches"},
    {"fuzz", NULL, "tests/fuzz/blocks.py", "a block's RTL against its C model, guided by coverage"},
    {"prove", NULL, "formal/prove.py", "a block's RTL equal to its C model, proved"},
    {"roundtrip", NULL, "formal/round_trip.py",
     "what is compressed comes back, every lane of every register, proved"},
    {"properties", NULL, "formal/properties.py", "what a block's page promises, proved of its RTL"},
    {"area", NULL, "area/area.py", "cells, area, delay, power and layout of a block"},
    {"mutate", NULL, "tests/mutants/rtl.py", "mutants of a block's netlist against its bench"},
    {"study", NULL, "studies/study.py", "tables, plots and findings beside the papers'"},
    {"claims", NULL, "studies/claims.py", "what the papers claim, and how each claim stands"},
    {"state", NULL, WR_STATE_SCRIPT,
     "what was run against each block, and the stage that this makes"},
    {"report", NULL, "report/report.py", "results of studies, runs and blocks as one HTML page"},
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
        (void)fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    (void)fputs("\n`warpref COMMAND --help` explains a command. Exit status: 0 all held, 1 a check "
                "failed,\n"
                "2 bad usage or bad input.\n",
                out);
}

/* A page of a file that is mapped cannot be had: the waveform writer maps temporary files, which
 * have no room where the disk is full. */
static void on_no_page(int signal)
{
    static const char text[] = "warpref: the disk of temporary files (/tmp) is full; nothing of "
                               "this run is to be relied on\n";

    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    /* It calls strlen, memcpy and unlink alone. NOLINTNEXTLINE(bugprone-signal-handler) */
    wr_replace_abandon();
    _exit(1);
}

/* A signal that ends the command where nothing waits for it (tools/progress.h, tools/stop.h):
 * nothing that it has begun to write stays. */
static void on_end(int number)
{
    /* It calls strlen, memcpy and unlink alone. NOLINTNEXTLINE(bugprone-signal-handler) */
    wr_replace_abandon();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void watch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
    struct sigaction before;

    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            (void)sigaction(ending[i], &action, NULL);
        }
    }
}

/* The first file that is opened would be standard output where that is closed. What stands in its
 * place cannot be written, which is told at the end. */
static void fill_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int main(int argc, char **argv)
{
    fill_descriptors();
    (void)signal(SIGBUS, on_no_page);
    (void)signal(SIGXFSZ,
                 SIG_IGN); /* a limit of file sizes is an error of the write, as a full disk */
    watch_signals();
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = wr_need_malloc, .free_fn = free});
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
    if (strcmp(name, "device") == 0) {
        argv[1] = (char[]){"warpref run"}; /* whose options they are */
        return wr_cmd_device(argc - 1, argv + 1);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        (void)printf("warpref %s\n", wr_version());
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            char title[64];
            (void)snprintf(title, sizeof title, "warpref %s", commands[i].name);
            argv[1] = title;
            int status = commands[i].run != NULL
                             ? commands[i].run(argc - 1, argv + 1)
                             : wr_script_run(commands[i].script, argc - 1, argv + 1);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                (void)fputs("warpref: standard output could not be written\n", stderr);
                return status ? status : 1;
            }
            return status;
        }
    }
    (void)fprintf(stderr, "warpref: there is no command '%s'; `warpref --help` lists them\n", name);
    return 2;
}
