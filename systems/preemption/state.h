/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption system's own state, shared by its files:
 *
 *   signals.c   when a signal goes to which SM
 *   rivals.c    launches of higher priority: which SMs give way to them
 *   leave.c     one SM giving way: how each of its TBs leaves, and when it has left
 *   choice.c    how: saved, drained or flushed (Chimera's choice among them)
 *   home.c      TBs that have left and not ended, and their return
 *   deal.c      in place: TBs go to where the allocation tables say, and leave what may stay
 *   report.c    what was measured
 *
 * Invariants:
 * - a TB that is to leave stands in exactly one of its unit's `left` masks, by its slot, until it
 * is gone; a TB that is gone and has not ended is in `absent`, once;
 * - streams are closed to SMs in one place (wr_preempt_doors), from all of the above.
 */
#ifndef WR_SYSTEMS_PREEMPTION_STATE_H
#define WR_SYSTEMS_PREEMPTION_STATE_H

#include "systems/context/engine.h"
#include "systems/preemption/places.h"
#include "systems/preemption/preemption.h"

enum {
    WR_PREEMPT_RECORDS = 4096, /* preemptions kept one by one; sums cover all of them */
    WR_PREEMPT_KERNELS = 32,   /* kernels told apart; further ones share the last row */
    WR_PREEMPT_NAME = 64,
    WR_PREEMPT_GAP = 100,   /* cycles between a preemption's end and the SM's next one */
    WR_PREEMPT_FLUSHES = 2, /* so often a TB is flushed at most: then it must get on */
};

/* How a signal finds its SM. */
typedef enum wr_preempt_pick { WR_PICK_ROTATE, WR_PICK_RANDOM, WR_PICK_FIXED } wr_preempt_pick;

/* How a TB leaves (Lin-P II.B). */
typedef enum wr_leave {
    WR_LEAVE_SWITCH, /* its context is saved */
    WR_LEAVE_DRAIN,  /* it runs to its end */
    WR_LEAVE_FLUSH,  /* it is discarded, and begins anew later */
    WR_LEAVES
} wr_leave;
typedef enum wr_scheme {
    WR_SCHEME_SWITCH,
    WR_SCHEME_DRAIN,
    WR_SCHEME_FLUSH,
    WR_SCHEME_CHIMERA
} wr_scheme;
typedef enum wr_idempotence { WR_STRICT, WR_RELAXED } wr_idempotence;

typedef struct wr_preempt_options {
    uint64_t period; /* 0: no signals */
    uint64_t count;  /* 0 = no end */
    wr_preempt_pick pick;
    uint32_t fixed_sm;
    bool random_cycles;
    wr_scheme scheme;
    wr_idempotence idempotence;
    uint64_t constraint; /* cycles, of Chimera */
    uint32_t most_sms;   /* that give way to one launch at a time */
    bool in_place;       /* the tables say where TBs lie, and what of them may stay */
    wr_tb_needs demand;  /* of a TB of the kernel that a signal makes room for */
    uint32_t demand_tbs; /* 0: it takes all */
    wr_context_kind context;
    uint32_t pipelines; /* of an SM's saves */
    bool warp_groups;   /* registers are classified over the whole warp, whatever the TB's shape */
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

/* What became of signals and of claims, which are those of launches: signals raised + claims begun
 * = done + drained + idle + merged + under way or deferred. */
typedef struct wr_preempt_signals {
    uint64_t due;      /* signals that the options asked for so far */
    uint64_t idle;     /* on an SM without a TB: nothing to do */
    uint64_t deferred; /* raised later, since the SM was busy with one before */
    uint64_t merged;   /* fell on an SM that had a deferred one already */
    uint64_t done;     /* preemptions in which at least one TB left as it was to */
    uint64_t drained;  /* ended without: every TB ran to its end before it could be saved */
    uint64_t claims;   /* of these preemptions: for a launch of higher priority */
} wr_preempt_signals;

/* TBs by what became of them. */
typedef struct wr_preempt_tbs {
    uint64_t saved, drained, flushed, ended; /* ended: before they could be saved or flushed */
    uint64_t wasted;                         /* warp instructions of those that were flushed */
    uint64_t kept_registers, kept_shared;    /* of the saved: parts that stayed in place */
    uint64_t cleared; /* that came back from their places to be saved whole */
} wr_preempt_tbs;

/* A TB that is off the SMs and has not ended. */
typedef struct wr_absent {
    wr_saved_tb tb; /* info.fresh: it begins anew; tag: how often it was flushed */
    uint32_t home;  /* the SM that it must come back to; UINT32_MAX: any */
    uint32_t slot;  /* where it lay */
    bool by_signal; /* its SM waits for it */
} wr_absent;

/* The TB of a slot, in the allocation tables. */
typedef struct wr_preempt_here {
    wr_places_key key;
    uint32_t parts; /* that have an entry */
    wr_tb_where where;
} wr_preempt_here;

/* One SM: its context engine, and the preemption under way. */
typedef struct wr_preempt_unit {
    wr_context_engine engine;
    bool leaving;      /* TBs are on their way out */
    bool returning;    /* those of a signal are on their way back */
    bool by_signal;    /* else for the launch of `claimant` */
    bool switched;     /* the engine's record is of this preemption */
    uint32_t claimant; /* stream */
    uint64_t since;    /* cycle of the signal */
    uint64_t ready_at; /* no preemption before this cycle */
    uint64_t left[WR_LEAVES];
    wr_tb_info who[WR_CONFIG_MAX_TBS];       /* the TBs in these slots */
    uint32_t who_flushes[WR_CONFIG_MAX_TBS]; /* of these: another may be there when they are gone */
    uint32_t gone[WR_LEAVES];                /* TBs that left so */
    uint64_t restore_since;                  /* cycle in which the return began */
    uint64_t placed_at[WR_CONFIG_MAX_TBS];   /* cycle in which the slot's TB came to it */
    uint32_t flushes[WR_CONFIG_MAX_TBS];     /* of the slot's TB, before */
    wr_context_record record;                /* of the last preemption */
    /* in place */
    wr_places places;
    bool planning;    /* the preemption waits for the plan */
    bool wants_plan;  /* it is still to be asked for */
    uint32_t planned; /* the kernel that a plan may make leave */
    bool clearing;    /* TBs that are in place come back to leave whole */
    bool dealing;     /* a TB waits for its place */
    bool full;        /* the last that asked found none, and none has left since */
    wr_absent dealt;  /* that TB */
    wr_preempt_here here[WR_CONFIG_MAX_TBS];
    wr_preempt_here late[WR_CONFIG_MAX_TBS]; /* that ended while a plan was made */
    uint32_t late_count;
    uint8_t kernels[WR_MAX_STREAMS]; /* rows of the streams' kernels when it began */
} wr_preempt_unit;

typedef struct wr_preemption {
    wr_system base;
    wr_preempt_options options;
    uint32_t sm_count, tbs_per_sm;
    double sm_bytes_per_cycle; /* of memory, an SM's even share */
    wr_owner owner;
    wr_preempt_unit *units; /* one per SM */
    bool *waiting;          /* per SM: a deferred signal */
    uint32_t waiting_count;
    uint64_t next;   /* cycle of the next signal, UINT64_MAX = none */
    uint64_t random; /* state of the generator */
    wr_gpu *gpu;
    wr_context_area area[WR_MAX_STREAMS];
    wr_absent *absent; /* in the order in which they left; room for every TB that can be alive */
    uint32_t absent_count, absent_most;
    uint32_t begun[WR_MAX_STREAMS]; /* in place: TBs that have begun and not ended */
    uint32_t busy;                  /* units that leave or return */
    bool has_rivals;                /* launches of different priorities are in flight */

    wr_preempt_signals signals;
    wr_preempt_tbs tbs;
    wr_preempt_figure latency, drain, spill, stop, restore; /* of preemptions counted in done */
    wr_context_sums sums;
    wr_preempt_kernel kernel[WR_PREEMPT_KERNELS];
    uint32_t kernels;
    uint8_t kernel_of[WR_MAX_STREAMS]; /* row of each stream's launch in `kernel` */
    wr_context_record *records;        /* the first WR_PREEMPT_RECORDS */
    wr_bay *bay;
    uint32_t signal[WR_PREEMPT_SIGNALS]; /* of the waveform */
    const char *state_names[WR_CONTEXT_STATES];
    char refused[256]; /* why a launch cannot run */
} wr_preemption;

/* signals.c */
void wr_preempt_signals_start(wr_preemption *p, uint64_t seed, bool has_first, uint64_t first);
void wr_preempt_signals_cycle(wr_preemption *p, uint64_t now);
uint64_t wr_preempt_signals_next(const wr_preemption *p);

/* rivals.c */
/* Is a launch of different priority than another's in flight? Ask when launches change. */
bool wr_preempt_has_rivals(const wr_preemption *p);
/* Makes SMs give way to the launch of highest priority that waits; the cycle in which to look again
 * where nothing happens before; UINT64_MAX: none. */
void wr_preempt_rivals_cycle(wr_preemption *p, uint64_t now);
uint64_t wr_preempt_rivals_next(const wr_preemption *p, uint64_t now);
uint32_t wr_preempt_priority(const wr_preemption *p, uint32_t stream);
/* TB slots of the SM with TBs below a priority. */
uint64_t wr_preempt_lower_tbs(const wr_preemption *p, uint32_t id, uint32_t priority);
/* The highest priority of launches with TBs to place or to bring back; false: none waits. */
bool wr_preempt_waits(const wr_preemption *p, uint32_t *priority);

/* leave.c */
bool wr_preempt_ready(const wr_preemption *p, uint32_t id, uint64_t now);
/* The TBs of these slots leave the SM. */
void wr_preempt_leave(wr_preemption *p, uint32_t id, uint64_t tbs, bool by_signal,
                      uint32_t claimant);
void wr_preempt_sm_cycle(wr_preemption *p, uint32_t id);
/* Units whose last TB left without the engine. */
void wr_preempt_settle(wr_preemption *p);
/* The plan is answered: who leaves begins to be saved. */
void wr_preempt_planned(wr_preemption *p, uint32_t id);
void wr_preempt_tb_done(wr_preemption *p, uint32_t id, uint32_t slot);
void wr_preempt_drop(wr_preemption *p);

/* choice.c */
wr_leave wr_preempt_choose(const wr_preemption *p, uint32_t id, uint32_t slot);

/* home.c */
void wr_preempt_add_absent(wr_preemption *p, const wr_absent *absent);
/* Who belongs to this SM comes back to it, in the order of its old slots. */
void wr_preempt_bring_home(wr_preemption *p, uint32_t id);
/* Others come back to where there is room. */
void wr_preempt_bring_back(wr_preemption *p, uint64_t now);
/* The next cycle in which one could; UINT64_MAX: not before something else happens. */
uint64_t wr_preempt_back_next(const wr_preemption *p, uint64_t now);
/* Of those at home on this SM the one of the lowest slot from `from` on; UINT32_MAX: none. */
uint32_t wr_preempt_next_home(const wr_preemption *p, uint32_t id, uint32_t from);
void wr_preempt_remove_absent(wr_preemption *p, uint32_t at);
/* Which streams the dispatcher may place on which SM. */
void wr_preempt_doors(wr_preemption *p);

/* deal.c */
/* In cycles in which something happens: TBs ask for places. */
void wr_preempt_deal(wr_preemption *p);
/* A cycle of the SM's tables, and what their answer means. False: they failed. */
bool wr_preempt_places_cycle(wr_preemption *p, uint32_t id);
/* Begins the plan of a preemption, once no other question is open. False: there is none to make. */
bool wr_preempt_ask_plan(wr_preemption *p, uint32_t id);
/* The TB in this slot is gone; these parts of it stay. */
void wr_preempt_leaves_place(wr_preemption *p, uint32_t id, uint32_t slot, uint32_t kept);
/* A TB that was dealt runs in this slot. */
void wr_preempt_is_back(wr_preemption *p, uint32_t id, const wr_context_event *event);
/* A TB with parts in place on this SM, of a priority below this one. */
bool wr_preempt_any_kept(const wr_preemption *p, uint32_t id, uint32_t priority);

/* report.c */
void wr_preemption_report(const wr_system *system, wr_report *report);

#endif
