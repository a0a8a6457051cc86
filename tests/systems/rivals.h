/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of several streams on the real shell under a system, with its state open to the test,
 * and a watcher that holds every run to what systems/preemption's state.h, rivals.c and home.c
 * promise:
 *
 * - a TB is on one SM at most or absent, once, never both;
 * - the dispatcher places no TB below the priority of who waits, nor while an absent TB of its
 *   priority or a higher one that may come to any SM waits;
 * - of a TB's instructions some are lost at most WR_PREEMPT_FLUSHES times.
 *
 * rivals_run also wants right output and balanced accounts, and that nobody is absent at the end.
 */
#ifndef WR_TESTS_SYSTEMS_RIVALS_H
#define WR_TESTS_SYSTEMS_RIVALS_H

#include "systems/frame/chain.h"
#include "systems/frame/group.h"
#include "systems/preemption/state.h"

#include "shell/compiler/compiler.h"

enum { RIVALS_MOST = 6, RIVALS_TBS = 256 };

/* One launch, a stream of its own. Its thread t of TB c leaves n x t + c behind; a TB takes some 4
 * n instructions a warp. */
typedef struct rival {
    wr_module *module;
    wr_launch launch;
    struct {
        uint32_t out, n;
    } params;
    wr_launch_result result;
    bool asked, spoils;
    uint64_t issued[RIVALS_TBS]; /* of each TB, when it was seen last */
    uint32_t losses[RIVALS_TBS];
    uint64_t first_end; /* cycle in which its first TB ended */
} rival;

typedef struct rivals {
    wr_gpu_config cfg;
    wr_gpu *gpu;
    wr_system_group *systems;
    void *system;     /* NULL: there is none */
    wr_preemption *p; /* the same where it is preemption, else NULL */
    wr_chain chain;
    wr_system_hooks watcher;
    rival rival[RIVALS_MOST];
    uint32_t count;
    uint64_t issued;       /* warp instructions of all launches */
    void (*look)(void);    /* in each cycle that is simulated; may be NULL */
    uint32_t most_leaving; /* SMs that gave way to launches at a time */
    uint32_t most_streams; /* whose TBs were absent at a time */
} rivals;
extern rivals rivals_now;

/* A machine of so many SMs; spec: the system, NULL: none. Ends what was open before. */
void rivals_open(const char *spec, uint32_t sms);
/* The same with other values of the configuration. */
void rivals_open_tuned(const char *spec, uint32_t sms, void (*tune)(wr_gpu_config *cfg));
int rivals_teardown(void **state);
/* Instructions that issue come to this hook too. */
void rivals_listen(void (*issued)(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes));

/* One more launch; each thread of one that spoils its TBs also counts up its first word, at the
 * start or the end; of an uneven one all warps but the first end at once. */
typedef enum rivals_kind {
    RIVALS_CLEAN,
    RIVALS_SPOILT,
    RIVALS_SPOILT_LATE,
    RIVALS_UNEVEN,
    RIVALS_READS,  /* a word of another place in each round; grid and block are powers of two */
    RIVALS_REUSES, /* words of four places in turn, through the L1 */
} rivals_kind;
rival *rivals_add(rivals_kind kind, uint32_t grid, uint32_t block, uint32_t n, uint32_t priority,
                  uint64_t at);

/* Runs all of them to their ends; returns cycles. */
uint64_t rivals_run(void);
/* The same, whatever comes of it. */
wr_run_result rivals_try(void);

#endif
