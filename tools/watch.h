/* SPDX-License-Identifier: Apache-2.0 */
/* Work that calls RTL which is not ours, in a process of its own: RTL is a program, and may loop
 * for ever, crash, end the process or print without end. None of it takes the verdict away.
 *
 * The work's standard output is what the RTL prints: it comes out on standard error, so much of it
 * and then its size. What the work itself has to say goes to the stream that it is given.
 *
 * A hang is a step of the RTL (dpi/pulse.h) that takes more processor time than the watchdog
 * allows; or ten times as much by the clock, where it waits. Signals that ask for an end reach the
 * work.
 */
#ifndef WR_TOOLS_WATCH_H
#define WR_TOOLS_WATCH_H

#include "dpi/pulse.h"

#include <stdio.h>

enum { WR_WATCHDOG_SECONDS = 60 };

/* What both processes see; wr_watch_new maps it. */
typedef struct wr_watch {
    wr_pulse pulse;
    bool whole;  /* the work returned */
    bool closed; /* and standard output was no more */
    uint64_t seconds;
    size_t size; /* of `extra` */
    _Alignas(16) unsigned char extra[];
} wr_watch;

/* With so many bytes of zeros for the work's results. NULL: out of memory. */
wr_watch *wr_watch_new(uint64_t seconds, size_t extra);
void wr_watch_free(wr_watch *w);

typedef struct wr_watch_end {
    int status;     /* of the work; what the caller returns */
    int asked;      /* signal that this process got meanwhile, and passed on; 0: none */
    int signal;     /* that asked for the end; 0: none */
    char text[512]; /* how the RTL ended the work, in one line; "": it did not */
} wr_watch_end;

/* Calls work(arg, out) in another process: out is standard output. Where the RTL ended it the
 * status is 1. */
wr_watch_end wr_watch_run(wr_watch *w, int (*work)(void *arg, FILE *out), void *arg);

#endif
