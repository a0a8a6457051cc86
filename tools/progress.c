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
    const int signals[] = {SIGINT, SIGTERM};
    sigemptyset(&p->watched);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&p->watched, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &p->watched, &p->before);
}

void wr_progress_begin(wr_progress *p)
{
    *p = (wr_progress){.shown = isatty(STDERR_FILENO) == 1};
    clock_gettime(CLOCK_MONOTONIC, &p->begin);
    p->last = p->begin;
    watch(p);
}

bool wr_progress_step(void *progress, uint64_t cycles, uint64_t tbs_done, uint64_t tbs)
{
    wr_progress *p = progress;
    const struct timespec at_once = {0};
    int signal = sigtimedwait(&p->watched, NULL, &at_once);
    if (signal > 0)
        p->signal = signal;
    if (p->signal)
        return false;
    if (!p->shown)
        return true;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_between(p->last, now) < 0.2)
        return true;
    p->last = now;
    double elapsed = seconds_between(p->begin, now);
    fprintf(stderr, "\r%12" PRIu64 " cycles, %" PRIu64 " of %" PRIu64 " TBs, %.0f cycles/s\033[K",
            cycles, tbs_done, tbs, (double)cycles / elapsed);
    fflush(stderr);
    p->dirty = true;
    return true;
}

void wr_progress_end(wr_progress *p)
{
    if (p->dirty)
        fputs("\r\033[K", stderr);
    p->dirty = false;
    sigprocmask(SIG_SETMASK, &p->before, NULL);
}
