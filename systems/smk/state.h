/* SPDX-License-Identifier: Apache-2.0 */
/* Simultaneous Multikernel (SMK 5): the SM driver decides which kernel's next TB goes to which SM,
 * and which TBs leave for it; a warp scheduler lets each kernel issue its share.
 *
 *   shares.c     what kernels hold of the GPU and of an SM: rK, rSM (5.2)
 *   driver.c     a TB of whom, to where; for whom TBs leave: on demand (5.3.1, Fig. 4)
 *   partition.c  the same by partitions of an SM (5.3.2, Fig. 6, 7), which drf_partitioner draws
 *   quota.c      issue slots by quotas (5.4), which warp_quota keeps on each SM
 *   means.c      what kernels hold on average, for the report
 *   view.c       what lies in the TB slots, for the waveform
 *   smk.c        options, and what the machine's events mean to these
 *
 * TBs that leave go through systems/tb_queue. The dispatcher places nothing: all SMs are closed to
 * it. The driver works when something has changed: a TB has ended, left or come, a launch begun or
 * ended; and gives an SM one TB in a cycle at most, as the dispatcher does.
 *
 * Invariants:
 * - what a kernel holds is what will stay: TBs that are to leave do not count, those that have been
 *   sent or for which others leave do;
 * - with partitions a TB's registers and shared memory lie where its kernel's ranges on the SM say,
 *   each at a whole number of TBs behind the range's start; no two TBs overlap.
 */
#ifndef WR_SYSTEMS_SMK_STATE_H
#define WR_SYSTEMS_SMK_STATE_H

#include "dpi/gen/drf_partitioner_port.h"
#include "dpi/gen/warp_quota_port.h"
#include "systems/smk/smk.h"
#include "systems/tb_queue/tb_queue.h"

enum {
    WR_SMK_KERNELS = 4, /* at once (SMK 6.7: "each supporting 4 kernels") */
    WR_SMK_NONE = WR_SMK_KERNELS,
    WR_SMK_REGISTER_UNIT = 32, /* drf_partitioner counts in vector registers */
    WR_SMK_SHARED_UNIT = 128,  /* and in 128 B */
    WR_SMK_EPOCH = 10000,      /* SMK 6.1 */
};

typedef enum wr_smk_scheme { WR_SMK_ON_DEMAND, WR_SMK_PARTITION } wr_smk_scheme;

/* What a TB takes of an SM (SMK 5.2). */
typedef enum wr_smk_resource {
    WR_SMK_REGISTERS,
    WR_SMK_THREADS,
    WR_SMK_SHARED,
    WR_SMK_TBS,
    WR_SMK_RESOURCES
} wr_smk_resource;

/* A share of a whole, in 1 / 2^32. */
typedef uint64_t wr_smk_share;

typedef struct wr_smk_kernel {
    bool in_flight;
    uint32_t stream;
    uint32_t needs[WR_SMK_RESOURCES]; /* of a TB */
    uint32_t alone;                   /* TBs that an SM of its own holds */
    uint32_t held;                    /* TBs, on all SMs */
    uint32_t claims;                  /* SMs where others leave for a TB of it; counted in held */
    const void *code;                 /* that the launch runs, and its block */
    uint32_t block[3];
    /* Of the last whole epoch with TBs on an SM of its own; profiled 0: there was none yet. */
    uint16_t issues;   /* cycles in which it issues, all schedulers */
    uint16_t profiled; /* TBs that are there, in the mean */
} wr_smk_kernel;

/* A TB in its slot. */
typedef struct wr_smk_tb {
    bool there;
    uint32_t kernel;
    wr_tb_where where;
    uint64_t age;    /* a later one is younger */
    uint64_t issued; /* when it came */
} wr_smk_tb;

/* Of one kernel on one SM, as drf_partitioner has it. */
typedef struct wr_smk_range {
    uint32_t tbs;
    uint32_t row, shared;             /* first vector register, and unit of shared memory */
    uint32_t needs[WR_SMK_RESOURCES]; /* of a TB, for which it was drawn */
} wr_smk_range;

typedef struct wr_smk_sm {
    uint32_t held[WR_SMK_KERNELS]; /* TBs that stay, the one that is sent, the one of the claim */
    uint32_t leaving[WR_SMK_KERNELS]; /* TBs on their way out */
    uint32_t claim;                   /* the kernel for which they leave, on demand; or none */
    uint32_t sent;                    /* kernel of the TB that is to come back, with no place yet */
    wr_tb_where sent_to;
    uint64_t given;                     /* 1 + the cycle in which it got its last TB */
    uint64_t tb_cycles[WR_MAX_STREAMS]; /* held, summed up over cycles of wr_smk_means */
    uint64_t tb_before[WR_MAX_STREAMS]; /* the same at the end of the epoch before */
    uint64_t away_cycles, away_before;  /* likewise, of TBs on their way out, of any kernel */
    wr_smk_tb tb[WR_CONFIG_MAX_TBS];
    uint32_t view_unit, view[WR_CONFIG_MAX_TBS]; /* of the waveform: a signal for each slot */
    /* partitions */
    uint32_t parted;    /* a bit for each kernel with a range */
    uint64_t parted_at; /* the cycle in which that was so decided */
    bool crooked;       /* TBs out of line are still there */
    wr_smk_range range[WR_SMK_KERNELS];
    /* quotas */
    bool quota_open;
    wr_port_warp_quota quota;
    wr_warp_quota_in quota_in;
    wr_warp_quota_out quota_out;
    uint32_t quota_unit;
    uint64_t quota_cycles;              /* that it has been clocked: up to and without that one */
    uint16_t has[3][WR_SMK_KERNELS];    /* values that it has, by what */
    uint8_t kernel_of_warp[64];         /* by warp slot */
    bool is_watched, has_issued;        /* the SM's schedulers; in this cycle */
    bool is_stale, wants_calc, at_work; /* values may have changed; one has; see to it each cycle */
} wr_smk_sm;

typedef struct wr_smk_counts {
    uint64_t placed[WR_MAX_STREAMS]; /* new TBs */
    uint64_t claims;                 /* preemptions on demand */
    uint64_t partitions;             /* drawn by the block */
    uint64_t parted;                 /* SMs that got one */
    uint64_t moved;                  /* TBs that left for that */
    uint64_t quotas;                 /* calculations of quotas, all SMs */
} wr_smk_counts;

/* Sums over the cycles with several kernels in flight, up to the last change. */
typedef struct wr_smk_means {
    uint64_t cycles;
    uint64_t share[WR_MAX_STREAMS]; /* of rK */
} wr_smk_means;

typedef struct wr_smk {
    wr_system base;
    wr_smk_scheme scheme;
    bool quotas;
    bool profiles; /* an SM of its own for each kernel, so that its issue alone is known */
    bool spare;    /* slots that no kernel with quota left uses go to the others */
    uint32_t most; /* kernels on an SM */
    wr_owner owner;
    wr_bay *bay;
    wr_gpu *gpu;
    uint32_t sm_count, schedulers;
    uint8_t scheduler_of[64];         /* by warp slot */
    uint64_t limit[WR_SMK_RESOURCES]; /* of an SM */
    wr_tb_queue queue;
    wr_smk_kernel kernel[WR_SMK_KERNELS];
    uint32_t kernel_of[WR_MAX_STREAMS]; /* WR_SMK_NONE: it has no launch in flight */
    wr_smk_sm *sm;
    bool look, look_quota; /* something has changed */
    uint64_t turn_at;      /* cycle in which a kernel's turn may come, though nothing has */
    uint64_t age;
    /* drf_partitioner */
    bool drf_open;
    wr_port_drf_partitioner drf;
    wr_drf_partitioner_in drf_in;
    wr_drf_partitioner_out drf_out;
    uint32_t drf_unit;
    uint64_t drf_cycles;
    bool drawing, is_drawn;             /* it is at work; what it has drawn is in drawn */
    uint32_t drawn_for, drawn_step;     /* kernels, a bit each; of the conversation with it */
    wr_smk_range drawn[WR_SMK_KERNELS]; /* for these needs */
    uint32_t fit, fit_for;              /* so many kernels fit together, of these kernels */
    wr_smk_counts counts;
    wr_smk_means means;
    uint64_t noted_at; /* the cycle of the last change */
} wr_smk;

/* shares.c */
/* rK: the kernel's dominant share of the GPU; with n TBs more or fewer. */
wr_smk_share wr_smk_rk(const wr_smk *p, uint32_t kernel, int n);
/* rSM: the dominant share of the SM that is held, but for kernels in `without`. */
wr_smk_share wr_smk_rsm(const wr_smk *p, uint32_t sm, uint32_t without);
/* Kernels in flight with TBs to place or bring back, lowest rK first, then lowest number. */
uint32_t wr_smk_order(const wr_smk *p, uint32_t order[WR_SMK_KERNELS]);
/* Kernels in flight, and those that may be on this SM. */
uint32_t wr_smk_in_flight(const wr_smk *p);
uint32_t wr_smk_allowed(const wr_smk *p, uint32_t sm);
/* Kernels that hold something of the SM. */
uint32_t wr_smk_present(const wr_smk *p, uint32_t sm);
/* The kernel that has this SM to itself; WR_SMK_NONE: nobody. */
uint32_t wr_smk_profiled(const wr_smk *p, uint32_t sm);

/* driver.c */
void wr_smk_drive(wr_smk *p, uint64_t now);
/* A TB of the kernel comes to the SM, one that waits before a new one. where: NULL, or its place.
 * False: none can come now. */
bool wr_smk_dispatch(wr_smk *p, uint32_t kernel, uint32_t sm, const wr_tb_where *where);
/* A TB has its place in this slot. where: that it was told, or NULL; issued: so far. */
void wr_smk_came(wr_smk *p, uint32_t sm, uint32_t slot, uint32_t kernel, const wr_tb_where *where,
                 uint64_t issued);
/* The SM takes a TB of this kernel in this cycle. */
bool wr_smk_takes(const wr_smk *p, uint32_t kernel, uint32_t sm, uint64_t now);
/* The TBs of these slots leave. */
void wr_smk_out(wr_smk *p, uint32_t sm, uint64_t slots);
/* TBs of the kernel that may be told to leave: those that have got on since they came; a bit for
 * each slot. */
uint64_t wr_smk_victims(const wr_smk *p, uint32_t sm, uint32_t kernel);
/* The youngest of these TBs. */
uint32_t wr_smk_youngest(const wr_smk *p, uint32_t sm, uint64_t slots);
/* Changes what a kernel holds of an SM. */
void wr_smk_hold(wr_smk *p, uint32_t kernel, uint32_t sm, int n);

/* partition.c */
bool wr_smk_partition_open(wr_smk *p, const wr_system_setup *setup, char *err, size_t err_size);
void wr_smk_partition_close(wr_smk *p);
bool wr_smk_partition_drive(wr_smk *p, uint64_t now); /* one decision; false: none is to be made */
void wr_smk_partition_cycle(wr_smk *p);               /* a cycle of the block, while it draws */
/* The next cycle in which a kernel that is on no SM may take another's place; UINT64_MAX: none. */
uint64_t wr_smk_partition_turn(const wr_smk *p, uint64_t now);

/* quota.c */
bool wr_smk_quota_open(wr_smk *p, const wr_system_setup *setup, char *err, size_t err_size);
void wr_smk_quota_close(wr_smk *p);
void wr_smk_quota_issued(wr_smk *p, wr_sm *sm, uint32_t warp); /* from warp_issued */
/* Of these warps of a scheduler, those of kernels with quota left; all, where there is none. */
uint64_t wr_smk_quota_first(const wr_smk *p, const wr_sm *sm, uint32_t scheduler,
                            uint64_t candidates);
void wr_smk_quota_changed(wr_smk *p, uint32_t sm); /* TBs or kernels of the SM have */
void wr_smk_quota_cycle(wr_smk *p, uint64_t now);
uint64_t wr_smk_quota_next(const wr_smk *p, uint64_t now);

/* means.c */
void wr_smk_note(wr_smk *p); /* before what a kernel holds, or what is in flight, changes */
void wr_smk_report_means(const wr_smk *p, wr_report *r);

/* view.c */
void wr_smk_view_open(wr_smk *p);
void wr_smk_view_cycle(wr_smk *p, uint64_t now);

#endif
