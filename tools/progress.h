/* One line of progress on standard error, rewritten in place; nothing where that is no
 * terminal. Times are for people only and never part of a result. */
#ifndef WR_TOOLS_PROGRESS_H
#define WR_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct wr_progress {
    bool shown; /* standard error is a terminal */
    bool dirty; /* a line stands there */
    struct timespec begin, last;
} wr_progress;

void wr_progress_begin(wr_progress *p);
/* A wr_progress_fn (shell/core/gpu.h); never asks for the end. */
bool wr_progress_step(void *progress, uint64_t cycles, uint64_t tbs_done, uint64_t tbs);
/* Wipes the line. */
void wr_progress_end(wr_progress *p);

#endif
