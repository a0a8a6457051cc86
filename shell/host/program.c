/* SPDX-License-Identifier: Apache-2.0 */
/* See program.h. Signals are blocked, and taken while the program is waited for. */
#include "shell/host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void wr_held_begin(wr_held *h)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

    h->came = 0;
    (void)sigemptyset(&h->held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            (void)sigaddset(&h->held, ending[i]);
        }
    }
    const struct sigaction normal = {.sa_handler = SIG_DFL};
    (void)sigaction(SIGCHLD, &normal, &h->child); /* one that is ignored takes the status along */
    (void)sigaddset(&h->held, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, &h->held, &h->before);
}

void wr_held_end(wr_held *h)
{
    if (h->came != 0) {
        (void)raise(h->came);
    }
    (void)pthread_sigmask(SIG_SETMASK, &h->before, NULL);
    (void)sigaction(SIGCHLD, &h->child, NULL);
}

/* The status as waitpid has it; -1: it cannot be had. */
static int wait_for(wr_held *h, pid_t pid)
{
    const struct timespec patience = {.tv_nsec = 100000000}; /* SIGCHLD may go to another thread */
    int status = 0;
    pid_t done;

    while ((done = waitpid(pid, &status, WNOHANG)) == 0) {
        const int number = sigtimedwait(&h->held, NULL, &patience);
        if (number > 0 && number != SIGCHLD) {
            h->came = number;
            (void)kill(pid, number);
        }
    }
    return done == pid ? status : -1;
}

int wr_held_run(wr_held *h, char *const argv[], const char *log)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    int status = -1;

    if (posix_spawn_file_actions_init(&actions) != 0) {
        return -1;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return -1;
    }
    if (posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                         0600) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) == 0 &&
        posix_spawnattr_setsigmask(&attributes, &h->before) == 0 &&
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0) {
        const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
        if (error != 0) {
            status = error == ENOENT || error == EACCES ? WR_PROGRAM_NOT_FOUND : -1;
        } else {
            const int end = wait_for(h, pid);
            status = end != -1 && WIFEXITED(end) ? WEXITSTATUS(end) : -1;
        }
    }
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return status;
}
