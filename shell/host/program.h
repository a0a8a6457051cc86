/* SPDX-License-Identifier: Apache-2.0 */
/* Another program's run, with temporary files that a signal leaves behind nowhere: SIGINT, SIGTERM
 * and SIGHUP wait between begin and end, reach the program, and then come to this process. One that
 * is ignored stays so.
 */
#ifndef WR_SHELL_HOST_PROGRAM_H
#define WR_SHELL_HOST_PROGRAM_H

#include <signal.h>

#define WR_PROGRAM_NOT_FOUND (-2)

typedef struct wr_held {
    sigset_t held, before;
    struct sigaction child; /* of SIGCHLD, before */
    int came;               /* the signal; 0: none */
} wr_held;

void wr_held_begin(wr_held *h);
/* Runs argv with its output in the file `log`. Its exit status, WR_PROGRAM_NOT_FOUND where there is
 * no such program, -1 on other failures. */
int wr_held_run(wr_held *h, char *const argv[], const char *log);
void wr_held_end(wr_held *h);

#endif
