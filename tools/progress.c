/* SPDX-License-Identifier: Apache-2.0 */
/* Progress line; see progress.h. */
#include "tools/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static double seconds_between(struct timespec a, struct timespec b)
{
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

static void watch(wr_progress *p)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&p->watched);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&p->watched, signals[i]);
        }
    }
    sigprocmask(SIG_BLOCK, &p->watched, &p->before);
}

void wr_progress_begin(wr_progress *p)
{
    *p = (wr_progress){.begun = true, .shown = isatty(STDERR_FILENO) == 1};
    clock_gettime(CLOCK_MONOTONIC, &p->begin);
    p->last = p->begin;
    watch(p);
}

/* When the launches that run will have ended, if TBs go on as they did since these were seen
 * first; nothing before the first TB is done. */
static void estimate(wr_progress *p, struct timespec now, uint64_t done, uint64_t tbs, char *text,
                     size_t size)
{
    text[0] = '\0';
    if (tbs != p->tbs || done < p->done_last) {
        p->since = now;
        p->tbs = tbs;
        p->done_then = done;
    }
    p->done_last = done;
    if (done > p->done_then && done < tbs) {
        double each = seconds_between(p->since, now) / (double)(done - p->done_then);
        (void)snprintf(text, size, ", about %.0f s left", each * (double)(tbs - done));
    }
}

/* The first that came. */
static void take_signal(wr_progress *p)
{
    const struct timespec at_once = {0};
    const int signal = sigtimedwait(&p->watched, NULL, &at_once);

    if (signal > 0 && p->signal == 0) {
        p->signal = signal;
    }
}

bool wr_progress_step(void *progress, uint64_t cycles, uint64_t tbs_done, uint64_t tbs)
{
    wr_progress *p = progress;
    take_signal(p);
    if (p->signal) {
        return false;
    }
    if (!p->shown) {
        return true;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_between(p->last, now) < 0.2) {
        return true;
    }
    char end[48];
    double rate = (double)(cycles - p->cycles_last) / seconds_between(p->last, now);
    estimate(p, now, tbs_done, tbs, end, sizeof end);
    p->last = now;
    p->cycles_last = cycles;
    (void)fprintf(stderr,
                  "\r%12" PRIu64 " cycles, %" PRIu64 " of %" PRIu64 " TBs, %.0f cycles/s%s\033[K",
                  cycles, tbs_done, tbs, rate, end);
    (void)fflush(stderr);
    p->dirty = true;
    return true;
}

void wr_progress_end(wr_progress *p)
{
    if (p->dirty) {
        (void)fputs("\r\033[K", stderr);
    }
    p->dirty = false;
}

int wr_progress_leave(wr_progress *p)
{
    if (p->begun) {
        take_signal(p);
        sigprocmask(SIG_SETMASK, &p->before, NULL);
    }
    p->begun = false;
    return p->signal;
}
