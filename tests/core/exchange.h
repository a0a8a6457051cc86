/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel whose output shows what went wrong with a warp's state, and runs of it under a system.
 *
 * Its threads exchange values in shared memory between barriers, then load what their TB has in
 * global memory in a divergent loop with a preemption point, and add what they kept in local
 * memory. The input is word i = i.
 */
#ifndef WR_TESTS_CORE_EXCHANGE_H
#define WR_TESTS_CORE_EXCHANGE_H

#include "tests/core/kit.h"

enum {
    EXCHANGE_TBS = 90,
    EXCHANGE_BLOCK = 256,
    EXCHANGE_WORDS = EXCHANGE_TBS * EXCHANGE_BLOCK,
    EXCHANGE_REGS = 14, /* charged as 16 where they are granted by fours */
    EXCHANGE_SHARED = 1024
};

void exchange_build(kit_kernel *kk, uint32_t base);

/* How to run it. */
typedef struct exchange_how {
    const wr_system_hooks *hooks;            /* NULL: no system */
    void (*prepare)(void *arg, wr_gpu *gpu); /* before the run; may be NULL */
    void (*look)(void *arg, wr_gpu *gpu);    /* after it; may be NULL */
    void *arg;
    uint32_t sms, threads; /* 0: 3 and 1 */
    uint32_t tbs;          /* 0: all; threads on a busy machine take their time */
    const char *config;    /* NULL: kit_config's */
    uint32_t warp_limit;
    uint32_t registers; /* of an SM; 0: the configuration's */
    bool no_skip;
} exchange_how;

/* Runs it, requires that the output is that of a run without a system, and returns cycles. */
uint64_t exchange_run(const exchange_how *how);

/* A number that tells where all issue slots went, by SM, scheduler and use, and how full the SMs
 * were: skipped cycles must be charged as those that are simulated. */
uint64_t exchange_slots(const wr_gpu *gpu);

#endif
