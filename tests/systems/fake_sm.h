/* SPDX-License-Identifier: Apache-2.0 */
/* A small stand-in for the shell behind shell/core/seam/context.h: SMs whose warps hold random
 * state, stop some cycles after they are told to, and a context queue that refuses and delays at
 * random.
 *
 * It executes nothing. A warp that is not stopped only counts down to stopping or finishing, so
 * what a warp holds is known to the test at any time. Memory is a flat array from WR_MEM_BASE on.
 * Misuse by the system (a register of a running warp, a request across a segment, an eviction of
 * a TB that still runs) is an assertion.
 */
#ifndef WR_TESTS_SYSTEMS_FAKE_SM_H
#define WR_TESTS_SYSTEMS_FAKE_SM_H

#include "shell/core/seam/context.h"
#include "testbench/rng.h"

enum {
    FAKE_SMS = 3,     /* most */
    FAKE_LINEAR = 64, /* TBs of a launch, most */
    FAKE_TBS = 8,
    FAKE_WARPS = 48,
    FAKE_REGS = 63,
    FAKE_MEMORY = 8 << 20,
    FAKE_SHARED = 4096, /* most bytes of a TB */
    FAKE_QUEUE = 6,
};

typedef struct fake_warp {
    bool valid, done, stopped, drained;
    bool placed;   /* by wr_sm_tb_place, not resumed */
    bool finishes; /* runs to its end instead of stopping */
    uint32_t tb_slot, index, delay;
    uint32_t depth;
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t reg[FAKE_REGS][32];
    uint32_t pred[WR_ISA_PREDS];
    uint16_t pledges;
} fake_warp;

typedef struct fake_request {
    bool is_read;
    uint64_t addr;
    uint32_t bytes, tag, delay;
    bool injected;
    uint8_t data[128];
} fake_request;

struct wr_sm {
    wr_gpu *gpu;
    uint32_t id;
    bool attend, closed;
    uint64_t stop;      /* TBs that are to stop */
    uint64_t pushed[3]; /* at points, at once, dropped */
    wr_tb_info tb[FAKE_TBS];
    uint32_t turn[FAKE_TBS]; /* its warps do not lie in the order of their numbers */
    uint32_t away[FAKE_TBS]; /* warps that are in no slot, a bit each; set by tests */
    uint8_t shared[FAKE_TBS][FAKE_SHARED];
    fake_warp warp[FAKE_WARPS];
    fake_request queue[FAKE_QUEUE];
    uint32_t queued;
    uint64_t entry_at;                    /* of the control block, written last */
    uint32_t most_in_a_cycle, this_cycle; /* requests accepted */
};

struct wr_gpu {
    wr_gpu_config cfg;
    wr_rng rng;
    uint64_t cycle;
    uint32_t refuse;     /* percent of requests that the queue refuses */
    uint32_t delay;      /* most cycles of a request */
    uint32_t stop_delay; /* most cycles from the signal to a stop */
    uint64_t alloc_at;
    uint64_t first_alloc; /* address of the first allocation: the context control block */
    uint32_t entries;     /* of 24 B, that lie there */
    char aborted[512];
    uint64_t evictions, placements, resumes;
    uint64_t finished; /* TBs that ran to their end, bit = linear number */
    uint8_t *memory;
    const wr_system_hooks *hooks;
    wr_sm sm[FAKE_SMS];
    /* Of each TB that was evicted: the entry that was written before. */
    uint64_t entry_at[FAKE_LINEAR];
    /* Called when an evicted TB is placed again, before anything of it is read: all that its save
     * wrote is in memory. */
    void (*returning)(void *arg, wr_sm *sm, const wr_tb_info *tb);
    void *returning_arg;
};

wr_gpu *fake_create(uint64_t seed, uint32_t sms);
void fake_destroy(wr_gpu *gpu);

/* Places a TB with running warps, all state poisoned; returns its slot. */
uint32_t fake_place(wr_sm *sm, const wr_launch *launch, uint32_t linear, uint32_t regs,
                    uint32_t shared_bytes);

/* One cycle of the GPU: memory, warps, then the system's hooks. */
void fake_cycle(wr_gpu *gpu);

uint8_t *fake_memory(wr_gpu *gpu, uint64_t addr);

#endif
