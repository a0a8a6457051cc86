/* SPDX-License-Identifier: Apache-2.0 */
/* Verilating a user's RTL: runs dpi/verilate.sh, as the build does for our own. */
#include "dpi/user_rtl.h"

#include "dpi/rtl_log.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 1100 };

/* The tree that holds dpi/verilate.sh: $WARPREF_ROOT, else where this program was built from. */
static const char *root(void)
{
    const char *override = getenv("WARPREF_ROOT");

    return override != NULL ? override : WR_SOURCE_ROOT;
}

/* Verilator's runtime, beside the shared objects of the blocks. */
static bool find_runtime(char *path, size_t size)
{
    const char *override = getenv("WARPREF_LIB");
    char program[PATH_ROOM];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    program[n > 0 ? n : 0] = '\0';
    slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (override != NULL) {
        (void)snprintf(path, size, "%s/libwr_verilated.a", override);
        return access(path, R_OK) == 0;
    }
    (void)snprintf(path, size, "%s/../lib/libwr_verilated.a", program);
    if (access(path, R_OK) == 0) {
        return true;
    }
    (void)snprintf(path, size, "%s/libwr_verilated.a", WR_BUILD_LIB);
    return access(path, R_OK) == 0;
}

/* Runs argv with its output in a log file; true for exit status 0. */
static bool run(const char *const *argv, const char *log)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) {
            _exit(127);
        }
        (void)setenv("WR_VERILATOR_FLAGS", "-Wno-fatal -Wno-DECLFILENAME", 1);
        (void)execvp(argv[0], (char *const *)argv); /* changes nothing of it */
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* The end of a log in which no fault is known: errors come last. */
static void read_log(const char *path, char *text, size_t size)
{
    FILE *log = fopen(path, "r");
    size_t n = 0;

    text[0] = '\0';
    if (log == NULL) {
        return;
    }
    if (fseek(log, 0, SEEK_END) == 0) {
        long length = ftell(log);
        if (length >= 0 && (size_t)length >= size) {
            (void)fseek(log, length - (long)size + 1, SEEK_SET);
        } else {
            rewind(log);
        }
        n = fread(text, 1, size - 1, log);
    }
    text[n] = '\0';
    (void)fclose(log);
}

bool wr_user_rtl_build(wr_user_rtl *u, const wr_block_desc *block, const void *cfg,
                       const char *file, const char *top, char *err, size_t err_size)
{
    const char *tmp = getenv("TMPDIR");
    char script[PATH_ROOM];
    char runtime[PATH_ROOM + 32];
    char work[PATH_ROOM];
    char log[PATH_ROOM];
    char beside[PATH_ROOM];
    char in_bits[16];
    char out_bits[16];
    char params[WR_MAX_PARAMS][96];
    const char *argv[16 + WR_MAX_PARAMS] = {NULL};
    struct stat info;
    bool built;
    int used;
    char *slash;
    int n = 0;

    memset(u, 0, sizeof(*u));
    if (access(file, R_OK) != 0 || stat(file, &info) != 0 || S_ISDIR(info.st_mode)) {
        (void)snprintf(err, err_size, "%s: cannot be read", file);
        return false;
    }
    (void)snprintf(script, sizeof(script), "%s/dpi/verilate.sh", root());
    if (access(script, X_OK) != 0) {
        (void)snprintf(err, err_size, "%s: not found; set WARPREF_ROOT to the source tree", script);
        return false;
    }
    if (!find_runtime(runtime, sizeof(runtime))) {
        (void)snprintf(err, err_size,
                       "libwr_verilated.a not found; build it, or set WARPREF_LIB to its folder");
        return false;
    }
    (void)snprintf(u->folder, sizeof(u->folder), "%s/warpref-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(u->folder) == NULL) {
        (void)snprintf(err, err_size, "%s: cannot make a temporary folder", u->folder);
        u->folder[0] = '\0';
        return false;
    }
    (void)snprintf(u->so, sizeof(u->so), "%s/dut.so", u->folder);
    (void)snprintf(work, sizeof(work), "%s/work", u->folder);
    (void)snprintf(log, sizeof(log), "%s/log", u->folder);
    (void)snprintf(beside, sizeof(beside), "%s", file);
    slash = strrchr(beside, '/');
    (void)snprintf(slash != NULL ? slash : beside, 2, "%s", slash != NULL ? "" : ".");
    (void)snprintf(in_bits, sizeof(in_bits), "%" PRIu32, wr_block_bits(block, WR_IN, cfg));
    (void)snprintf(out_bits, sizeof(out_bits), "%" PRIu32, wr_block_bits(block, WR_OUT, cfg));
    argv[n++] = script;
    argv[n++] = block->name;
    argv[n++] = "pins";
    argv[n++] = in_bits;
    argv[n++] = out_bits;
    argv[n++] = runtime;
    argv[n++] = u->so;
    argv[n++] = work;
    argv[n++] = top;
    argv[n++] = beside[0] != '\0' ? beside : "/";
    argv[n++] = file;
    for (size_t i = 0; i < block->params_count; i++) {
        (void)snprintf(params[i], sizeof(params[i]), "%s=%" PRIu32, block->params[i].name,
                       ((const uint32_t *)cfg)[i]);
        argv[n++] = params[i];
    }
    built = run(argv, log);
    used = snprintf(err, err_size, "%s: module %s does not fit behind the pins of %s:", file, top,
                    block->name);
    if (used < 0 || (size_t)used >= err_size) {
        used = 0;
    }
    if (wr_rtl_log_faults(log, u->folder, err + used, err_size - (size_t)used)) {
        built = false;
    } else if (!built) {
        read_log(log, err + used, err_size - (size_t)used);
    }
    if (!built) {
        wr_user_rtl_remove(u);
    }
    return built;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void wr_user_rtl_remove(const wr_user_rtl *u)
{
    if (u->folder[0] != '\0') {
        (void)nftw(u->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}
