/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do the same thing together, round after round.
 *
 * In a round every thread, the caller's included, carries out its part; the round is over when
 * all have. What a thread wrote in a round is seen by all in the next.
 *
 * The caller's order and each thread's report travel in the cache lines that also say that a
 * round begins and has ended: between two processors, lines are what costs time.
 *
 * A thread that waits spins for a short while, then naps between looks; it sleeps between runs.
 */
#ifndef WR_SHELL_CORE_GPU_TEAM_H
#define WR_SHELL_CORE_GPU_TEAM_H

#include "shell/core/gpu.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_team wr_team;

#define WR_TEAM_WORDS 6 /* of an order, and of a report */

/* Threads are numbered from 0, which is the caller of wr_team_run. */
typedef void (*wr_team_part)(void *arg, uint32_t thread, const uint64_t order[WR_TEAM_WORDS],
                             uint64_t report[WR_TEAM_WORDS]);

/* `threads` from 2 to WR_MAX_THREADS, the caller's included. NULL: out of memory or threads. */
wr_team *wr_team_create(uint32_t threads, wr_team_part part, void *arg);
void wr_team_free(wr_team *team); /* NULL: nothing to do */
uint32_t wr_team_size(const wr_team *team);
/* Times that the caller had to nap: more than a few show that the processors are not free. */
uint64_t wr_team_naps(const wr_team *team);

/* Rounds are played between these two calls only: outside them the threads sleep. */
void wr_team_begin(wr_team *team);
void wr_team_end(wr_team *team);

/* One round. True: the others had ended before the caller had. */
bool wr_team_run(wr_team *team, const uint64_t order[WR_TEAM_WORDS]);
/* One round in which thread 0 ends its part before 1 begins, and so on. */
void wr_team_run_in_order(wr_team *team, const uint64_t order[WR_TEAM_WORDS]);
/* Of the last round. */
const uint64_t *wr_team_report(const wr_team *team, uint32_t thread);

#endif
