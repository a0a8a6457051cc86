/* SPDX-License-Identifier: Apache-2.0 */
/* See stop.h. */
#include "tools/stop.h"

#include <stdio.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof ending[0] };

static volatile sig_atomic_t came; /* the signal; 0: none */
static struct sigaction before[ENDING];

static void note(int number)
{
    came = number;
}

const volatile sig_atomic_t *wr_stop_begin(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};

    (void)sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < ENDING; i++) {
        (void)sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            (void)sigaction(ending[i], &action, NULL);
        }
    }
    return &came;
}

void wr_stop_end(void)
{
    for (unsigned i = 0; i < ENDING; i++) {
        (void)sigaction(ending[i], &before[i], NULL);
    }
    if (came != 0) {
        (void)fflush(NULL);
        (void)raise((int)came);
    }
}
