/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of launches in streams, for tests of what runs when and beside what.
 *
 * A plan is a list of launches, each of a stream; plan_run gives them to the GPU stream by stream,
 * in the order of the list, and keeps what became of each.
 */
#ifndef WR_TESTS_CORE_PLAN_H
#define WR_TESTS_CORE_PLAN_H

#include "tests/core/kit.h"

enum { MOST = 16, OUT_WORDS = 1 << 16, LIMIT = 20000000 };

/* A worker's parameters: where it writes, how often it goes round, what it adds. */
typedef struct worker_params {
    uint32_t out, trips, add;
} worker_params;

/* One launch of a stream, in the order in which the plan lists them. */
typedef struct step {
    kit_kernel kernel;
    wr_launch launch;
    wr_launch_result result;
    worker_params params;
    uint32_t stream;
    bool asked, done;
} step;

/* The plan of the test that runs. */
typedef struct plan_state {
    wr_gpu *gpu;
    wr_gpu_config cfg;
    step steps[MOST];
    size_t count;
    uint64_t out_base;  /* each launch has its part of the words from here on */
    uint32_t done_left; /* launches that may be done before the run is stopped */
} plan_state;
extern plan_state plan;

/* A new GPU, of kit_config with so many SMs or of another configuration, and an empty plan. */
void plan_new(uint32_t sms);
void plan_new_of(const wr_gpu_config *cfg);
int plan_teardown(void **state);

/* One more launch; its kernel is still to be written. */
step *plan_add(uint32_t stream, const char *name, uint32_t regs, uint32_t grid, uint32_t block);
/* R0 = thread number in the grid, R1 = its word of the output. */
void plan_prologue(kit_kernel *k);
/* R3 counts to params.trips. */
void plan_spin(kit_kernel *k);
void plan_store_and_exit(kit_kernel *k, unsigned reg);

/* A launch with out[thread] = trips + add. */
step *plan_worker(uint32_t stream, uint32_t regs, uint32_t grid, uint32_t block);
/* A launch with out[thread] = a special register. */
step *plan_teller(uint32_t stream, wr_sreg sreg, uint32_t grid);
uint32_t plan_out(const step *s, uint32_t thread);
void plan_check_worker(const step *s);

wr_run_result plan_run(uint64_t limit);
/* Runs the plan to its end and returns cycles; what the launches did adds up to what the GPU did.
 */
uint64_t plan_run_all(void);

#endif
