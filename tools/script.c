/* SPDX-License-Identifier: Apache-2.0 */
/* Handing over to a Python program: see script.h. */
#include "tools/script.h"

#include "dpi/verilate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wr_script_run(const char *path, int argc, char **argv)
{
    wr_verilate_tools tools;
    char starter[2 * WR_VERILATE_PATH], script[2 * WR_VERILATE_PATH];
    char program[WR_VERILATE_PATH], err[2 * WR_VERILATE_PATH];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char **args = calloc((size_t)argc + 3, sizeof *args);

    if (args == NULL || !wr_verilate_find(&tools, err, sizeof err)) {
        (void)fprintf(stderr, "%s: %s\n", argv[0], args == NULL ? "no memory" : err);
        free((void *)args);
        return 2;
    }
    (void)snprintf(starter, sizeof starter, "%s/tools/script.py", tools.root);
    (void)snprintf(script, sizeof script, "%s/%s", tools.root, path);
    if (access(script, R_OK) != 0) {
        (void)fprintf(stderr, "%s: %s: %s; set WARPREF_ROOT to the source tree\n", argv[0], script,
                      strerror(errno));
        free((void *)args);
        return 2;
    }
    program[n > 0 ? n : 0] = '\0';
    args[0] = "python3";
    args[1] = starter;
    args[2] = script;
    for (int i = 1; i < argc; i++) {
        args[i + 2] = argv[i];
    }
    (void)fflush(stdout);
    /* Python shows where it was, until the starter lets Ctrl-C in */
    sigset_t interrupt;
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &interrupt, NULL);
    if (setenv("WARPREF_ROOT", tools.root, 1) == 0 && setenv("WARPREF_PROGRAM", program, 1) == 0) {
        (void)execvp(args[0], args);
    }
    (void)fprintf(stderr, "%s: python3 does not start: %s; install Debian's python3\n", argv[0],
                  strerror(errno));
    free((void *)args);
    return 2;
}
