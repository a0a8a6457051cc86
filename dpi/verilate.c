/* SPDX-License-Identifier: Apache-2.0 */
/* Running dpi/verilate.sh: see verilate.h. */
#include "dpi/verilate.h"

#include "dpi/places.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

bool wr_verilate_find(wr_verilate_tools *tools, char *err, size_t err_size)
{
    wr_place_root(tools->root, sizeof(tools->root));
    (void)snprintf(tools->script, sizeof(tools->script), "%s/dpi/verilate.sh", tools->root);
    if (access(tools->script, X_OK) != 0) {
        (void)snprintf(err, err_size, "%s: not found; set WARPREF_ROOT to the source tree",
                       tools->script);
        return false;
    }
    if (!wr_place_object("libwr_verilated.a", tools->runtime, sizeof(tools->runtime))) {
        (void)snprintf(err, err_size,
                       "libwr_verilated.a not found; build it, or set WARPREF_LIB to its folder");
        return false;
    }
    return true;
}

/* A program of this name stands in $PATH, or is one by its path. */
static bool can_run(const char *name)
{
    const char *at = getenv("PATH");
    char path[WR_VERILATE_PATH];

    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0;
    }
    while (at != NULL) {
        int length = (int)strcspn(at, ":");
        (void)snprintf(path, sizeof(path), "%.*s/%s", length, at, name);
        if (access(path, X_OK) == 0) {
            return true;
        }
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

bool wr_verilate_able(char *err, size_t err_size)
{
    const char *cxx = getenv("CXX");

    if (!can_run("verilator")) {
        (void)snprintf(err, err_size, "verilator is not installed: apt-get install verilator");
        return false;
    }
    if (cxx == NULL && !can_run("g++")) {
        (void)snprintf(err, err_size, "g++ is not installed: apt-get install build-essential");
        return false;
    }
    return true;
}

/* Runs argv with its output in a log file; true for exit status 0. */
static bool run(const char *const *argv, const char *flags, const char *log)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) {
            _exit(127);
        }
        (void)setenv("WR_VERILATOR_FLAGS", flags, 1);
        (void)execvp(argv[0], (char *const *)argv); /* changes nothing of it */
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

bool wr_verilate_run(const wr_verilate *v, const wr_verilate_tools *tools, const char *folder,
                     const char *so, const char *log)
{
    char work[WR_VERILATE_PATH];
    char in_bits[16];
    char out_bits[16];
    char params[WR_MAX_PARAMS][96];
    const char *const fixed[] = {tools->script, v->block->name, v->mode, in_bits,
                                 out_bits,      tools->runtime, so,      work,
                                 v->top,        v->rtl_dir,     v->rtl};
    size_t n = sizeof(fixed) / sizeof(fixed[0]);
    const char **argv = calloc(n + WR_MAX_PARAMS + v->extras_count + 1, sizeof(*argv));
    bool good;

    if (argv == NULL) {
        return false;
    }
    memcpy(argv, fixed, sizeof(fixed));

    (void)snprintf(work, sizeof(work), "%s/work", folder);
    (void)snprintf(in_bits, sizeof(in_bits), "%" PRIu32, wr_block_bits(v->block, WR_IN, v->cfg));
    (void)snprintf(out_bits, sizeof(out_bits), "%" PRIu32, wr_block_bits(v->block, WR_OUT, v->cfg));
    for (size_t i = 0; i < v->block->params_count; i++) {
        (void)snprintf(params[i], sizeof(params[i]), "%s=%" PRIu32, v->block->params[i].name,
                       ((const uint32_t *)v->cfg)[i]);
        argv[n++] = params[i];
    }
    for (size_t i = 0; i < v->extras_count; i++) {
        argv[n++] = v->extras[i];
    }
    good = run(argv, v->flags, log);
    free(argv);
    return good;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static bool has_no_room(const char *folder)
{
    struct statvfs fs;

    return statvfs(folder, &fs) == 0 && fs.f_blocks != 0 &&
           (uint64_t)fs.f_bavail * fs.f_frsize < 65536;
}

static bool says_no_room(const char *log)
{
    FILE *file = fopen(log, "r");
    char line[1024];
    bool says = false;

    while (file != NULL && !says && fgets(line, sizeof(line), file) != NULL) {
        says = strstr(line, "No space left on device") != NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return says;
}

bool wr_verilate_was_full(const char *folder, const char *log, char *err, size_t err_size)
{
    const char *tmp = getenv("TMPDIR");

    tmp = tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp";
    if (has_no_room(tmp) || (says_no_room(log) && !has_no_room(folder))) {
        (void)snprintf(err, err_size,
                       "%s: the disk is full; make room, or set TMPDIR to another folder", tmp);
        return true;
    }
    if (has_no_room(folder)) {
        (void)snprintf(err, err_size, "%s: the disk is full; make room", folder);
        return true;
    }
    return false;
}

void wr_verilate_remove(const char *folder)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
