/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinated CTA combination and bandwidth partitioning (Lin-D 4.5), and what it is compared with:
 * how many CTAs (TBs) of each kernel an SM holds, and how many requests of each leave its L1.
 *
 *   station.c   the miss queue of an SM's L1 (4.4.2, 4.5.1): issue_rate_controller
 *   counts.c    what an L2 bank does for each kernel: l2_meter; counts of SMs and banks of a window
 *   logic.c     the CCBP logic of Fig. 4.6: bandwidth_converter and ccbp_allocator, from counts to
 *               the combination and to the quotas of the miss queues
 *   sample.c    which SM runs how many CTAs of whom: while kernels are sampled, and after
 *   limit.c     memory instructions by Dai et al.: whose is next, how many are under way
 *   combine.c   the other schemes' combinations: SMK by drf_partitioner, Warped-Slicer, a given one
 *   ccbp.c      options, and what the machine's events mean to these
 *
 * A kernel that the GPU has not seen is sampled beside the others in flight: the SMs are parted
 * among them, SM j of a kernel's group holds its part of the CTAs that an SM of its own would, and
 * behind the warm-up the counts of one window say how many requests so many CTAs send. From then on
 * all SMs hold the same combination. In each window the costs of a request are worked out anew, and
 * with them what so many CTAs take and the combination; costs and shares of bandwidth go to the
 * miss queues.
 *
 * Invariants:
 * - the dispatcher places a TB of a kernel on an SM only while that holds fewer than it was given;
 *   TBs beyond that run to their end;
 * - a kernel that gets no CTA beside the others has SMs to itself, in turns where they are too few;
 * - with one kernel in flight there are no limits;
 * - the block of an SM's miss queue is clocked up to the cycle in front of the one that is looked
 * at.
 */
#ifndef WR_SYSTEMS_CCBP_STATE_H
#define WR_SYSTEMS_CCBP_STATE_H

#include "dpi/gen/bandwidth_converter_port.h"
#include "dpi/gen/ccbp_allocator_port.h"
#include "dpi/gen/issue_rate_controller_port.h"
#include "dpi/gen/l2_meter_port.h"
#include "shell/core/seam/launch.h"
#include "shell/core/seam/memory.h"
#include "shell/core/seam/meter.h"
#include "systems/ccbp/ccbp.h"
#include "systems/drf/dealer.h"

enum {
    WR_CCBP_MOST = 4, /* kernels at once */
    WR_CCBP_NONE = WR_CCBP_MOST,
    WR_CCBP_BANKS = 64,     /* of L2 at most */
    WR_CCBP_DEPTH = 128,    /* of a miss queue, the L1's pipeline included */
    WR_CCBP_UNIT = 200,     /* cycles, Lin-D 4.5.1 */
    WR_CCBP_UNITS = 50,     /* of a window */
    WR_CCBP_WINDOW = 10000, /* cycles */
};

/* Who says how many CTAs of each kernel an SM holds. */
typedef enum wr_ccbp_scheme {
    WR_CCBP_BY_ALGORITHM, /* Algorithm 1 */
    WR_CCBP_BY_SMK,       /* dominant resource fairness of an SM's resources */
    WR_CCBP_BY_SLICER,    /* Warped-Slicer */
    WR_CCBP_BY_OPTION,
} wr_ccbp_scheme;

/* What an SM's misses wait in. */
typedef enum wr_ccbp_queue {
    WR_CCBP_PLAIN,    /* the configuration's FIFO */
    WR_CCBP_FIFO,     /* issue_rate_controller as a FIFO */
    WR_CCBP_PRIORITY, /* latency-sensitive kernels first, without quotas */
    WR_CCBP_RATE,     /* and the others by quotas */
    WR_CCBP_BY_SCHEME = 4,
} wr_ccbp_queue;

/* Balanced issue of memory instructions, and limits of those under way. */
typedef enum wr_ccbp_bmi { WR_CCBP_NO_BMI, WR_CCBP_RBMI, WR_CCBP_QBMI } wr_ccbp_bmi;
typedef enum wr_ccbp_mil { WR_CCBP_NO_MIL, WR_CCBP_STATIC, WR_CCBP_DYNAMIC } wr_ccbp_mil;

/* Memory instructions of a kernel on an SM. */
typedef struct wr_ccbp_instructions {
    uint64_t issued, served_at; /* so far; cycle in which the last one was */
    int64_t quota;
    uint32_t limit, under_way, requests; /* requests: of an instruction, rounded */
    /* Since the last sample: cycles, those in which it found no room, and the sum of what was under
     * way; and where requests and instructions stood then. */
    uint64_t cycles, fails, sum, sent_at, issued_at;
} wr_ccbp_instructions;
typedef struct wr_ccbp_memory {
    wr_ccbp_instructions of[WR_CCBP_MOST];
} wr_ccbp_memory;

typedef struct wr_ccbp_kernel {
    bool in_flight, known; /* known: sampled */
    uint64_t ended_at;     /* its last launch */
    uint32_t stream;
    const wr_kernel *code; /* of the last launch */
    uint32_t block[3];
    wr_tb_needs needs;
    uint32_t alone; /* TBs that an SM of its own holds */
    /* By CTAs: what an SM that was given so many has issued and sent in the sample's window. */
    bool is_sampled[33];
    uint64_t issued[33];
    uint16_t loads[33], stores[33];
    uint32_t ctas;    /* on an SM, by the last decision */
    uint32_t of_rule; /* those of Algorithm 1, whoever decides */
    uint8_t nbw, dbw, kind, n16, dreq;
} wr_ccbp_kernel;

/* A request in front of its sub-queue. */
typedef struct wr_ccbp_entry {
    uint64_t at; /* cycle in which it enters */
    uint8_t tag;
} wr_ccbp_entry;

struct wr_ccbp;

typedef struct wr_ccbp_station {
    wr_miss_station ops;
    struct wr_ccbp *system;
    bool open;
    uint32_t unit;
    wr_port_issue_rate_controller port;
    wr_issue_rate_controller_out out;
    uint64_t cycle; /* the next one in which the block is clocked */
    uint64_t popped_at;
    wr_packet packet[WR_CCBP_DEPTH]; /* by tag */
    uint8_t kernel[WR_CCBP_DEPTH];   /* likewise */
    uint8_t free[WR_CCBP_DEPTH];
    uint32_t free_count;
    wr_ccbp_entry pipe[WR_CCBP_DEPTH]; /* the L1's pipeline: a ring */
    uint32_t pipe_head, pipe_count;
    uint32_t held[WR_CCBP_MOST]; /* in pipeline and block */
    uint64_t sent[WR_CCBP_MOST];
} wr_ccbp_station;

typedef struct wr_ccbp_bank {
    bool open;
    uint32_t unit;
    uint64_t cycles;
    wr_port_l2_meter port;
    wr_l2_meter_out out;
} wr_ccbp_bank;

/* Counts of a window. */
typedef struct wr_ccbp_sm_counts {
    uint16_t loads[WR_CCBP_MOST], stores[WR_CCBP_MOST];
} wr_ccbp_sm_counts;
typedef struct wr_ccbp_bank_counts {
    uint16_t accesses[WR_CCBP_MOST], fetches[WR_CCBP_MOST], write_backs[WR_CCBP_MOST];
} wr_ccbp_bank_counts;

/* What the logic is at; a step a cycle. */
typedef enum wr_ccbp_stage {
    WR_CCBP_REST,
    WR_CCBP_ADD_SMS,
    WR_CCBP_ADD_BANKS,
    WR_CCBP_COSTS, /* and samples */
    WR_CCBP_NEEDS,
    WR_CCBP_ALLOCATE,
    WR_CCBP_TELL, /* the miss queues */
} wr_ccbp_stage;

typedef struct wr_ccbp_logic {
    bool converter_open, allocator_open;
    uint32_t unit;
    uint64_t cycles;
    wr_port_bandwidth_converter converter;
    wr_bandwidth_converter_in converter_in;
    wr_bandwidth_converter_out converter_out;
    wr_port_ccbp_allocator allocator;
    wr_ccbp_allocator_in allocator_in;
    wr_ccbp_allocator_out allocator_out;
    wr_ccbp_stage stage;
    uint32_t at;                             /* of the stage: which of its steps */
    bool offered;                            /* the step's operation stands at the converter */
    bool decides;                            /* a combination is worked out, not costs alone */
    bool samples;                            /* from samples of this window */
    wr_ccbp_sm_counts sm[WR_CONFIG_MAX_SMS]; /* of the window */
    wr_ccbp_bank_counts bank[WR_CCBP_BANKS];
} wr_ccbp_logic;

/* What SMs are used for. */
typedef enum wr_ccbp_phase { WR_CCBP_FREE, WR_CCBP_SAMPLING, WR_CCBP_SHARED } wr_ccbp_phase;

typedef struct wr_ccbp_counters {
    uint64_t windows, samplings, decisions, steps;
    uint64_t waits, lowered; /* SM cycles with a kernel held by limit.c; limits that it lowered */
} wr_ccbp_counters;

typedef struct wr_ccbp {
    wr_system base;
    wr_owner owner;
    wr_bay *bay;
    wr_gpu *gpu;
    wr_ccbp_scheme scheme;
    wr_ccbp_queue queue;
    uint32_t prior, warm_up;
    wr_ccbp_bmi bmi;
    wr_ccbp_mil mil;
    uint32_t limits[WR_CCBP_MOST];             /* of mil STATIC */
    uint32_t given[WR_CCBP_MOST], given_count; /* CTAs by option */
    uint32_t sm_count, bank_count;
    uint64_t limit[4]; /* of an SM: registers, threads, shared memory, TBs */
    bool samples;      /* kernels are sampled */
    bool has_logic;    /* and what they take goes through the blocks of logic.c */
    wr_ccbp_kernel kernel[WR_CCBP_MOST];
    uint32_t kernel_of[WR_MAX_STREAMS]; /* WR_CCBP_NONE: it has none */
    wr_ccbp_phase phase;
    uint32_t decided;  /* kernels that the phase is for, a bit each */
    uint64_t since;    /* cycle in which it began */
    uint64_t next_end; /* cycle in which what runs is over: warm-up, window */
    bool is_warm;
    bool stale; /* what is in flight has changed */
    uint64_t stale_at;
    uint32_t turn;                    /* of kernels that have SMs to themselves */
    uint8_t group[WR_CONFIG_MAX_SMS]; /* while sampling: kernel, and its CTAs */
    uint8_t group_ctas[WR_CONFIG_MAX_SMS];
    uint64_t issued_at[WR_CONFIG_MAX_SMS]; /* at the beginning of the window */
    wr_ccbp_memory *memory;                /* by SM */
    wr_ccbp_station *station;
    wr_ccbp_bank *bank;
    wr_ccbp_logic logic;
    wr_drf_dealer dealer; /* of ctas=smk */
    wr_ccbp_counters counts;
} wr_ccbp;

/* In a set of kernels, a bit each: is it there; and the n-th of them, WR_CCBP_NONE: there are
 * fewer. */
static inline bool wr_ccbp_has(uint32_t kernels, uint32_t k)
{
    return (kernels >> k & 1u) != 0;
}
static inline uint32_t wr_ccbp_nth(uint32_t kernels, uint32_t n)
{
    uint32_t k = 0;

    while (k < WR_CCBP_MOST && (!wr_ccbp_has(kernels, k) || n-- != 0)) {
        k++;
    }
    return k;
}

/* station.c */
bool wr_ccbp_station_open(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size);
void wr_ccbp_station_close(wr_ccbp *p);
void wr_ccbp_station_attach(wr_ccbp *p);
/* [serial] Cycle `now` of the block of an SM, behind the SM's own, with these pins. */
void wr_ccbp_station_clock(wr_ccbp *p, uint32_t sm, uint64_t now,
                           const wr_issue_rate_controller_in *pins);
/* What the SM has sent since its counts were taken; and they begin anew. */
void wr_ccbp_station_take(wr_ccbp *p, uint32_t sm, uint64_t now, wr_ccbp_sm_counts *counts);

/* counts.c */
bool wr_ccbp_counts_open(wr_ccbp *p, char *err, size_t err_size);
void wr_ccbp_counts_attach(wr_ccbp *p);
void wr_ccbp_counts_close(wr_ccbp *p);
/* [serial] In a cycle that was named. */
void wr_ccbp_counts_take(wr_ccbp *p, uint32_t bank, wr_ccbp_bank_counts *counts);

/* logic.c */
/* What an SM can get of NoC and DRAM in a unit of time, sustainable. */
uint32_t wr_ccbp_noc_flits(const wr_gpu_config *c);
uint32_t wr_ccbp_dram_bytes(const wr_gpu_config *c);
bool wr_ccbp_logic_open(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size);
void wr_ccbp_logic_close(wr_ccbp *p);
/* With the counts that stand in logic.sm and bank: costs anew, and where it `decides` what follows
 * from them and the samples. */
void wr_ccbp_logic_begin(wr_ccbp *p, bool decides);
void wr_ccbp_logic_tell(wr_ccbp *p); /* the phase has changed: the miss queues are told */
void wr_ccbp_logic_cycle(wr_ccbp *p, uint64_t now); /* a step of it */
static inline bool wr_ccbp_logic_works(const wr_ccbp *p)
{
    return p->logic.stage != WR_CCBP_REST;
}

/* sample.c */
uint32_t wr_ccbp_in_flight(const wr_ccbp *p); /* kernels, a bit each */
void wr_ccbp_cycle(wr_ccbp *p, uint64_t now);
uint64_t wr_ccbp_next(const wr_ccbp *p, uint64_t now);
/* The SM is closed to kernels that have what they were given. */
void wr_ccbp_close_full(wr_ccbp *p, wr_sm *sm);
/* The combination stands in kernel[].ctas. */
void wr_ccbp_share(wr_ccbp *p, uint64_t now);

/* limit.c */
bool wr_ccbp_limits(const wr_ccbp *p);
void wr_ccbp_limit_cycle(wr_ccbp *p, wr_sm *sm); /* from sm_cycle */
void wr_ccbp_limit_phase(wr_ccbp *p);            /* the phase has changed */

/* combine.c */
/* CTAs of the kernels by the scheme, where it is not Algorithm 1. */
void wr_ccbp_combine(wr_ccbp *p);
/* So many CTAs of each kernel fit an SM together. */
bool wr_ccbp_fits(const wr_ccbp *p, const uint32_t ctas[WR_CCBP_MOST]);

#endif
