/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU of fake SMs with random TBs under the preemption system, and what the tests expect.
 *
 * The bench keeps its own copy of what every warp holds. When a saved TB is placed again,
 * simulated memory is compared with the naive format byte for byte; when it is back, its state with
 * the copy.
 */
#ifndef WR_TESTS_SYSTEMS_BENCH_H
#define WR_TESTS_SYSTEMS_BENCH_H

#include "systems/context/area.h"
#include "systems/frame/group.h"
#include "tests/systems/fake_sm.h"
#include "tests/systems/naive_context.h"

enum { BENCH_TBS = 24, BENCH_POINTS = 8, BENCH_SMS = 2 };

typedef struct bench_tb {
    bool lives; /* not run to its end */
    uint32_t sm, slot;
    uint8_t shared[FAKE_SHARED];
    naive_warp warp[32];
} bench_tb;

typedef struct bench {
    uint64_t seed;
    wr_context_kind kind;
    wr_gpu *gpu;
    wr_system_group *systems;
    wr_rng rng;
    wr_kernel kernel;
    uint64_t words[BENCH_POINTS * 2 + 2];
    wr_launch launch;
    uint32_t regs, warps, shared_bytes;
    uint32_t group_x; /* blockDim.x as the naive format is to see it: with pag=warp it is 32 */
    bench_tb tb[BENCH_TBS];
    uint32_t tbs;
    uint64_t checked_saves;
    uint64_t expect_warps; /* saved in all, and their data bytes */
    uint64_t expect_data_bytes;
    uint64_t expect_wholes;     /* TBs saved as a whole */
    uint64_t expect_classes[5]; /* their registers, one for each warp: codes 1, 2, 3, 5, 6 */
    uint32_t wholes_flipped;    /* of which a test has changed a bit */
    bool expect_damage;         /* TBs may come back different; then they are counted */
    uint32_t differences;
    /* Called when a saved TB was compared. */
    void (*tamper)(struct bench *b, const bench_tb *tb);
} bench;

/* WARPREF_SEED where it is set, else preset; printed. */
uint64_t bench_seed(uint64_t preset);

/* A GPU of `sms` SMs without a system; the caller sets gpu->hooks, and gpu->entries: what the
 * context control block has. */
void bench_open_bare(bench *b, uint64_t seed, uint32_t sms, wr_context_kind kind);
/* BENCH_SMS SMs; options go to the preemption system. False: why it could not be made is
 * printed. */
bool bench_open(bench *b, uint64_t seed, const char *options);
void bench_close(bench *b);

/* Places random TBs on every SM. */
void bench_fill(bench *b);

/* Gives every warp of a TB that runs, of all TBs of an SM, new state. */
void bench_scramble_tb(bench *b, bench_tb *tb);
void bench_scramble(bench *b, wr_sm *sm);

/* Takes over which TBs and warps have finished, and where TBs lie. */
void bench_follow(bench *b);

/* Runs until the system ended `preemptions` (signals.done) or raised its last signal, and has
 * none under way, or gave up; every SM that comes back is compared. False after `limit` cycles. */
bool bench_run(bench *b, uint64_t preemptions, uint64_t limit, bool scramble);

/* TBs of the SM that are on their way in: placed, and no warp has been resumed. A bit each. */
uint64_t bench_coming(const wr_sm *sm);

/* A figure of the system's report. */
uint64_t bench_count(const bench *b, const char *row);

/* The TB, all TBs of the SM hold what they must; restored: poison in dead registers. */
bool bench_compare_tb(bench *b, bench_tb *tb, bool restored);
bool bench_compare(bench *b, const wr_sm *sm);

/* Memory holds what the naive format says of the TB; counts what is expected of it. */
void bench_check_memory(bench *b, uint32_t tb);

/* A run with these options in which saved TBs are tampered with gives up with this message. */
void bench_expect_failure(const char *options, void (*tamper)(bench *, const bench_tb *),
                          const char *message);

/* Addresses of a saved TB's parts, from the control block in simulated memory. */
void bench_pointers(const bench *b, const bench_tb *tb, uint64_t *regs, uint64_t *shared,
                    uint64_t *stack);

#endif
