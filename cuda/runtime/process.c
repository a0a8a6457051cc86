/* SPDX-License-Identifier: Apache-2.0 */
/* Start of the GPU's process, and its socket; see process.h. */
#include "cuda/runtime/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "cuda/wire.h"

enum {
    PATH = 4096,
    THEIRS = STDERR_FILENO + 1, /* the descriptor that the process has for its end */
    MEMORY = THEIRS + 1,        /* and for its memory */
    HIGHEST = 1024,             /* select() has no more */
    BELOW = 32,                 /* so far below the limit ours is looked for */
    BAD_USAGE = 2               /* exit status */
};

/* The program: $WARPREF_PROGRAM, or the one of the tree that this library is of. */
static bool find_program(char path[PATH])
{
    static const char *const places[] = {"../bin/warpref", "../../bin/warpref"};
    const char *given = getenv("WARPREF_PROGRAM");
    Dl_info info;
    char *slash;
    if (given && *given) {
        (void)snprintf(path, PATH, "%s", given);
        return access(path, X_OK) == 0;
    }
    char here[PATH];
    if (!dladdr((const void *)places, &info) || !realpath(info.dli_fname, here) ||
        !(slash = strrchr(here, '/'))) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(path, PATH, "%.3000s/%s", here, places[i]) < PATH && access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* What is loaded before a program, by `warpref exec` or its user, is not for the GPU's process. */
static char **environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) {
        count++;
    }
    char **words = (char **)calloc(count + 1, sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) {
            words[kept++] = environ[i];
        }
    }
    return words;
}

/* The process has its end of the socket and its memory alone, and the signals that the program lets
 * in. Both have numbers above the ones that they get. */
static int spawn(pid_t *pid, const char *program, const int has[2], const sigset_t *mask,
                 char **words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **env = environment();
    int error = env ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (error) {
        free((void *)env);
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        (void)posix_spawnattr_setsigmask(&attributes, mask);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        error = posix_spawn_file_actions_adddup2(&actions, has[0], THEIRS);
        error = error || has[1] < 0 ? error
                                    : posix_spawn_file_actions_adddup2(&actions, has[1], MEMORY);
        error = error ? error
                      : posix_spawn_file_actions_addclosefrom_np(&actions,
                                                                 has[1] < 0 ? MEMORY : MEMORY + 1);
        error = error ? error : posix_spawn(pid, program, &actions, &attributes, words, env);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    free((void *)env);
    return error;
}

/* Starts it and waits until it has gone into the background. The program's handler of SIGCHLD does
 * not see that, since it comes when nothing is left to wait for. */
static wr_process_start_result run(const char *program, const int has[2], char **words)
{
    sigset_t child, before;
    pid_t pid;
    int status = 0;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, &child, &before);
    int error = spawn(&pid, program, has, &before, words);
    while (!error && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) { /* SIGCHLD is ignored, so nobody learns of it */
            status = 0;
            break;
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error || (status != 0 && !WIFEXITED(status))) {
        (void)fprintf(stderr, "%s: %s\n", program, error ? strerror(error) : "has crashed");
        return WR_PROCESS_ABSENT;
    }
    return status == 0                        ? WR_PROCESS_STARTED
           : WEXITSTATUS(status) == BAD_USAGE ? WR_PROCESS_REFUSED
                                              : WR_PROCESS_ABSENT;
}

static wr_process_start_result start(char program[PATH], const int has[2])
{
    wordexp_t words = {.we_offs = 4};
    const char *options = getenv("WARPREF");
    char numbers[16];
    if (wordexp(options ? options : "", &words, WRDE_DOOFFS | WRDE_NOCMD) != 0) {
        (void)fprintf(stderr, "WARPREF='%s': not words as a shell has them\n", options);
        return WR_PROCESS_REFUSED;
    }
    (void)snprintf(numbers, sizeof numbers, has[1] < 0 ? "%d" : "%d,%d", THEIRS, MEMORY);
    words.we_wordv[0] = program;
    words.we_wordv[1] = (char[]){"device"};
    words.we_wordv[2] = (char[]){"--fd"};
    words.we_wordv[3] = numbers;
    wr_process_start_result result = run(program, has, words.we_wordv);
    wordfree(&words);
    return result;
}

/* Above the numbers that programs count on, and those that the process gets. */
static int move_up(int fd)
{
    struct rlimit limit = {.rlim_cur = HIGHEST};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    int most = limit.rlim_cur < HIGHEST ? (int)limit.rlim_cur : HIGHEST;
    int moved = fd >= 0 && most > BELOW ? fcntl(fd, F_DUPFD_CLOEXEC, most - BELOW) : -1;
    if (moved < 0) {
        return fd;
    }
    (void)close(fd);
    return moved;
}

wr_process_start_result wr_process_start(wr_process *p)
{
    char program[PATH];
    struct stat socket;
    int ends[2];
    *p = (wr_process)WR_PROCESS_NONE;
    if (!find_program(program)) {
        (void)fprintf(stderr,
                      "no program warpref beside its CUDA runtime; name it in WARPREF_PROGRAM\n");
        return WR_PROCESS_ABSENT;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        fstat(ends[0], &socket) != 0) {
        (void)fprintf(stderr, "no socket to the simulated GPU: %s\n", strerror(errno));
        return WR_PROCESS_ABSENT;
    }
    *p = (wr_process){.fd = move_up(ends[0]),
                      .memory = move_up(memfd_create("memory of the simulated GPU", MFD_CLOEXEC)),
                      .device = socket.st_dev,
                      .inode = socket.st_ino};
    const int has[2] = {move_up(ends[1]), p->memory};
    wr_process_start_result result = start(program, has);
    (void)close(has[0]);
    if (result != WR_PROCESS_STARTED) {
        wr_process_leave(p);
        wr_process_drop_memory(p);
    }
    return result;
}

void wr_process_drop_memory(wr_process *p)
{
    if (p->memory >= 0) {
        (void)close(p->memory);
    }
    p->memory = -1;
}

bool wr_process_has_socket(const wr_process *p)
{
    struct stat now;
    return p->fd >= 0 && fstat(p->fd, &now) == 0 && S_ISSOCK(now.st_mode) &&
           now.st_dev == p->device && now.st_ino == p->inode;
}

bool wr_process_send(const wr_process *p, const void *data, size_t bytes)
{
    return bytes == 0 || (wr_process_has_socket(p) && wr_cuda_send(p->fd, data, bytes));
}

bool wr_process_receive(const wr_process *p, void *data, size_t bytes)
{
    return bytes == 0 || (wr_process_has_socket(p) && wr_cuda_receive(p->fd, data, bytes));
}

void wr_process_leave(wr_process *p)
{
    if (wr_process_has_socket(p)) {
        (void)close(p->fd);
    }
    p->fd = -1;
}

void wr_process_join(wr_process *p)
{
    char more;
    while (wr_process_receive(p, &more, 1)) {
    }
    wr_process_leave(p);
}
