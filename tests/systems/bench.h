/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU of fake SMs with random TBs under the preemption system, and what the tests expect.
 *
 * The bench keeps its own copy of what every warp holds. When a save ends, simulated memory is
 * compared with the naive format byte for byte; when a TB is back, its state with the copy.
 */
#ifndef WR_TESTS_SYSTEMS_BENCH_H
#define WR_TESTS_SYSTEMS_BENCH_H

#include "systems/frame/group.h"
#include "tests/systems/fake_sm.h"
#include "tests/systems/naive_context.h"

enum { BENCH_TBS = 16, BENCH_POINTS = 8 };

typedef struct bench_tb {
    bool lives; /* not run to its end */
    uint32_t sm, slot;
    uint8_t shared[FAKE_SHARED];
    naive_warp warp[32];
} bench_tb;

typedef struct bench {
    uint64_t seed;
    wr_gpu *gpu;
    wr_system_group *systems;
    wr_rng rng;
    wr_kernel kernel;
    uint64_t words[BENCH_POINTS * 2 + 2];
    wr_launch launch;
    uint32_t regs, warps, shared_bytes;
    bench_tb tb[BENCH_TBS];
    uint32_t tbs;
    uint64_t checked_saves;
    uint64_t expect_warps; /* saved in all, and their data bytes */
    uint64_t expect_data_bytes;
    bool expect_damage; /* TBs may come back different; then they are counted */
    uint32_t differences;
    /* Called when a save has ended and was compared. */
    void (*tamper)(struct bench *b, wr_sm *sm);
} bench;

/* WARPREF_SEED where it is set, else preset; printed. */
uint64_t bench_seed(uint64_t preset);

/* options go to the system; err gets why it could not be made (then false). */
bool bench_open(bench *b, uint64_t seed, const char *options);
void bench_close(bench *b);

/* Places random TBs on every SM. */
void bench_fill(bench *b);

/* Gives every warp of an SM that is not being preempted new state. */
void bench_scramble(bench *b, wr_sm *sm);

/* Runs until the system ended `preemptions` (signals.done) or raised its last signal, and has
 * none under way, or gave up; every SM that comes back is compared. False after `limit` cycles. */
bool bench_run(bench *b, uint64_t preemptions, uint64_t limit, bool scramble);

/* A figure of the system's report. */
uint64_t bench_count(const bench *b, const char *row);

/* All TBs of the SM hold what they must; returns warps compared. */
uint32_t bench_compare(bench *b, wr_sm *sm, bool *equal);

/* Addresses of TB t's parts, from the control block in simulated memory. */
void bench_pointers(const bench *b, const bench_tb *tb, uint64_t *regs, uint64_t *shared,
                    uint64_t *stack);

#endif
