/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption system's own state, shared by preemption.c and report.c. */
#ifndef WR_SYSTEMS_PREEMPTION_STATE_H
#define WR_SYSTEMS_PREEMPTION_STATE_H

#include "systems/context/engine.h"
#include "systems/preemption/preemption.h"

enum {
    WR_PREEMPT_RECORDS = 4096, /* preemptions kept one by one; sums cover all of them */
    WR_PREEMPT_KERNELS = 32,   /* kernels told apart; further ones share the last row */
    WR_PREEMPT_NAME = 64,
};

/* How a signal finds its SM. */
typedef enum wr_preempt_pick { WR_PICK_ROTATE, WR_PICK_RANDOM, WR_PICK_FIXED } wr_preempt_pick;

typedef struct wr_preempt_options {
    uint64_t period;
    uint64_t count; /* 0 = no end */
    wr_preempt_pick pick;
    uint32_t fixed_sm;
    bool random_cycles;
} wr_preempt_options;

/* What the waveform shows beside the blocks' pins: SM, state of its unit, warp that is saved. */
enum { WR_PREEMPT_SM, WR_PREEMPT_STATE, WR_PREEMPT_SAVED_WARP, WR_PREEMPT_SIGNALS };

/* Sum and extremes of a figure over all preemptions. */
typedef struct wr_preempt_figure {
    uint64_t sum;
    uint32_t min, max;
} wr_preempt_figure;

typedef struct wr_preempt_kernel {
    char name[WR_PREEMPT_NAME];
    wr_context_sums sums;
} wr_preempt_kernel;

/* What became of the signals: raised = saved and restored + found drained + under way. */
typedef struct wr_preempt_signals {
    uint64_t due;      /* signals that the options asked for so far */
    uint64_t idle;     /* on an SM without a TB: nothing to do */
    uint64_t deferred; /* raised later, since the SM was busy with one before */
    uint64_t merged;   /* fell on an SM that had a deferred one already */
    uint64_t done;     /* preemptions that ended with at least one TB saved and restored */
    uint64_t drained;  /* ended without: every TB ran to its end first */
} wr_preempt_signals;

/* TBs of an SM that are in memory, by the slots where they lay. */
typedef struct wr_preempt_away {
    uint64_t slots;
    wr_saved_tb tb[WR_CONFIG_MAX_TBS];
} wr_preempt_away;

typedef struct wr_preemption {
    wr_system base;
    wr_preempt_options options;
    uint32_t sm_count, tbs_per_sm;
    wr_owner owner;
    wr_context_engine *units; /* one per SM */
    wr_preempt_away *away;    /* likewise */
    bool *waiting;            /* per SM: a deferred signal */
    uint64_t *ready_at;       /* per SM: no signal before this cycle */
    uint32_t waiting_count;
    uint64_t next;   /* cycle of the next signal, UINT64_MAX = none */
    uint64_t random; /* state of the generator */
    wr_gpu *gpu;
    wr_context_area area[WR_MAX_STREAMS];

    wr_preempt_signals signals;
    wr_preempt_figure latency, drain, spill, stop, restore; /* of preemptions counted in done */
    wr_context_sums sums;
    wr_preempt_kernel kernel[WR_PREEMPT_KERNELS];
    uint32_t kernels;
    uint8_t kernel_of[WR_MAX_STREAMS];     /* row of each stream's launch in `kernel` */
    uint8_t (*kernels_at)[WR_MAX_STREAMS]; /* per SM: these at its last signal */
    wr_context_record *records;            /* the first WR_PREEMPT_RECORDS */
    wr_bay *bay;
    uint32_t signal[WR_PREEMPT_SIGNALS]; /* of the waveform */
    const char *state_names[WR_CONTEXT_STATES];
    char refused[256]; /* why a launch cannot run */
} wr_preemption;

void wr_preemption_report(const wr_system *system, wr_report *report);

#endif
