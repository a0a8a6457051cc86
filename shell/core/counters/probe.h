/* SPDX-License-Identifier: Apache-2.0 */
/* What an SM and the memory system look like at the end of a cycle, for waveforms. Looking
 * changes nothing.
 */
#ifndef WR_SHELL_CORE_COUNTERS_PROBE_H
#define WR_SHELL_CORE_COUNTERS_PROBE_H

#include "shell/config/config.h"
#include "shell/core/gpu.h"
#include "shell/core/sm/stall.h"

typedef enum wr_warp_state {
    WR_WARP_EMPTY,
    WR_WARP_READY, /* decoded, operands there: it may issue */
    WR_WARP_ARITHMETIC,
    WR_WARP_MEMORY,
    WR_WARP_FETCH,
    WR_WARP_MEMBAR,
    WR_WARP_BARRIER,
    WR_WARP_STOPPED, /* at a preemption point */
    WR_WARP_PLACED,  /* by the system, not resumed */
    WR_WARP_DONE,
    WR_WARP_STATES
} wr_warp_state;
extern const char *const wr_warp_state_names[WR_WARP_STATES];

typedef struct wr_sm_view {
    uint8_t warp[WR_CONFIG_MAX_WARPS];        /* wr_warp_state, by slot */
    uint8_t use[WR_CONFIG_MAX_SCHEDULERS];    /* wr_slot_use of this cycle */
    uint8_t then[WR_CONFIG_MAX_SCHEDULERS];   /* of the next ones, while nothing happens */
    uint8_t issued[WR_CONFIG_MAX_SCHEDULERS]; /* warp slot that issued last */
    uint32_t tbs, lsu, miss_queue, l1_mshrs;  /* in slots, in queues, in use */
    /* for the next look */
    uint64_t slots[WR_CONFIG_MAX_SCHEDULERS][WR_SLOT_USES];
} wr_sm_view;

/* The states alone, by slot. */
void wr_gpu_look_warps(const wr_gpu *gpu, uint32_t sm, uint8_t warp[WR_CONFIG_MAX_WARPS]);
/* `view` has what the last look saw, zeros before the first. */
void wr_gpu_look_sm(wr_gpu *gpu, uint32_t sm, wr_sm_view *view);

typedef struct wr_bank_view {
    uint32_t requests, mshrs, fetches; /* in front of the tags, in use, waiting for DRAM */
} wr_bank_view;
wr_bank_view wr_gpu_look_bank(const wr_gpu *gpu, uint32_t bank);

typedef struct wr_channel_view {
    uint32_t reads, writes; /* in the queue */
    uint32_t open;          /* banks with an open row, a bit each */
} wr_channel_view;
wr_channel_view wr_gpu_look_channel(const wr_gpu *gpu, uint32_t channel);

#endif
