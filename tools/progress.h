/* SPDX-License-Identifier: Apache-2.0 */
/* One line of progress on standard error, rewritten in place, nothing where that is no terminal;
 * and the signals that ask a run to end. Times are for people only and never part of a result.
 *
 * From begin to leave SIGINT, SIGTERM and SIGHUP wait in the kernel. They are looked up at each
 * step, so that an interrupted run closes its files and reports what it has; one that comes behind
 * the last step waits until that is done. A signal that was ignored before stays ignored.
 */
#ifndef WR_TOOLS_PROGRESS_H
#define WR_TOOLS_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct wr_progress {
    bool shown; /* standard error is a terminal */
    bool dirty; /* a line stands there */
    int signal; /* that asked for the end, 0 = none */
    bool begun;
    sigset_t watched, before;
    struct timespec begin, last;
    /* for the estimate: the launches that run, where and when they were seen first */
    struct timespec since;
    uint64_t tbs, done_then, done_last, cycles_last;
} wr_progress;

void wr_progress_begin(wr_progress *p);
/* A wr_progress_fn (shell/core/gpu.h); asks for the end when a signal has come. */
bool wr_progress_step(void *progress, uint64_t cycles, uint64_t tbs_done, uint64_t tbs);
/* Wipes the line. */
void wr_progress_end(wr_progress *p);
/* Lets signals through again, when the last file is closed: the one that came, or 0. Nothing where
 * it was not begun. */
int wr_progress_leave(wr_progress *p);

#endif
