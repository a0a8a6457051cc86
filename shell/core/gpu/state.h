/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the GPU. Only shell/core and its tests include this. */
#ifndef WR_SHELL_CORE_GPU_STATE_H
#define WR_SHELL_CORE_GPU_STATE_H

#include "shell/core/exec/format.h"
#include "shell/core/exec/heap.h"
#include "shell/core/gpu/forward.h"
#include "shell/core/gpu/grid.h"
#include "shell/core/gpu/team.h"
#include "shell/core/sm/sm.h"
#include "shell/cpu/cpus.h"

/* Machine code in simulated memory. */
typedef struct wr_code {
    const wr_kernel *kernel;
    uint64_t base;
    wr_kernel_stats stats;
} wr_code;

/* Heaps of malloc, by their number: one has no granules until a kernel needs it. */
typedef struct wr_heaps {
    wr_heap heap[WR_MAX_HEAPS];
    uint64_t bytes[WR_MAX_HEAPS];
} wr_heaps;

/* What a thread knows of its SMs, masks over them: so that those that sleep cost nothing. */
typedef struct wr_part {
    _Alignas(WR_CACHE_LINE) uint64_t awake; /* have a wake_at */
    uint64_t parked, faulted, sends, chooses;
} wr_part;

/* The threads of a cycle, and who has which SMs. */
typedef struct wr_load_balance {
    wr_part parts[WR_MAX_THREADS];
    uint64_t home[WR_MAX_THREADS]; /* ascending from thread to thread */
    wr_team *team;                 /* NULL: one thread */
    uint32_t own;                  /* SMs of thread 0, which has the memory system too */
    uint32_t rounds, late;         /* lately, and those in which thread 0 was last */
    uint64_t naps;                 /* of the team, when `rounds` was 0 */
    uint32_t alone;                /* cycles in which thread 0 does everything */
    uint32_t patience;             /* its last length; 0: threads do well */
    bool stubborn;                 /* tests: threads do not give way to other programs */
} wr_load_balance;

struct wr_gpu {
    wr_load_balance balance;
    wr_gpu_config cfg;
    wr_memory memory;
    wr_memsys *memsys;
    wr_sm *sms;
    wr_cpus *cpus; /* NULL: the configuration has none */
    wr_system_hooks hooks;
    uint64_t cycle;
    uint64_t before;         /* cycles of the runs that this one goes on from (freeze.c) */
    uint64_t elapsed;        /* cycles that the SMs have behind them */
    uint64_t memory_at;      /* cycle to which the memory system has moved: this one or the next */
    wr_sm_status *sm_status; /* of SMs, as injection slots and inboxes */
    wr_injection_slot *injection;
    wr_inbox *inboxes;
    uint64_t wake_at;  /* first cycle in which an SM has something to do but for replies */
    uint64_t touched;  /* SMs of which something was changed since their last cycle */
    uint64_t sending;  /* SMs with something in the miss queue or the context queue */
    uint64_t choosing; /* of these: the port chooses among several (injection.c) */

    wr_forward forward;
    wr_grid *grids;                 /* by stream, WR_MAX_STREAMS */
    uint32_t order[WR_MAX_STREAMS]; /* streams with a launch in flight, oldest launch first */
    uint32_t in_flight;
    uint32_t attended;    /* SMs with attention on */
    uint64_t full;        /* SMs in which no TB fits; see dispatch.c */
    uint64_t launches;    /* so far: the number of the last one's grid */
    uint64_t progress_at; /* last cycle in which something happened, but for what SMs note */
    uint64_t work_at;     /* likewise, a kernel came nearer to its end: preemption may move warps
                             that wait for ever, again and again */
    wr_code *codes;       /* of kernels that have run */
    size_t code_count;
    wr_heaps heaps;
    wr_print_fn print; /* NULL: text of printf is dropped */
    void *print_arg;
    uint64_t sample_at, sample_every; /* UINT64_MAX: never */
    wr_sample_fn sample;              /* NULL: nobody looks */
    void *sample_arg;
    wr_watcher *watchers;
    bool parallel; /* SMs are in their cycles, at the same time */
    bool no_skip;  /* tests: simulate every cycle, which must change nothing */
    bool thawed;   /* launches in flight that the system has not been told of */
    bool ended;    /* a fault or the system ended the run */
    wr_run_status status;
    char message[WR_RUN_MESSAGE];
    uint64_t fault_address;
};

static inline void wr_gpu_progress(wr_gpu *gpu)
{
    gpu->progress_at = gpu->cycle;
}

/* Between the cycles of SMs: the SM has something to do at a cycle. */
static inline void wr_gpu_wake(wr_gpu *gpu, wr_sm *sm, uint64_t when)
{
    wr_sm_wake(sm, when);
    gpu->touched |= UINT64_C(1) << sm->id;
    gpu->wake_at = when < gpu->wake_at ? when : gpu->wake_at;
}

/* A system has changed something that the SM must look at in the next cycle. */
static inline void wr_sm_wake_next(wr_sm *sm)
{
    if (sm->gpu->parallel) { /* other SMs are in their cycles: the GPU is not to be touched */
        wr_sm_wake(sm, sm->now + 1);
    } else {
        wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
    }
}

/* Ends the run; the first call counts. */
void wr_gpu_end(wr_gpu *gpu, wr_run_status status, const char *message);
void wr_gpu_end_by_fault(wr_gpu *gpu, const wr_sm *sm);
/* cycle.c: the SMs and all below them, for the GPU's cycle. */
void wr_cycle_simulate(wr_gpu *gpu);
/* The next cycle in which anything can happen; UINT64_MAX: nothing will, but for refreshes.
 * `placed`: wr_dispatch's. */
uint64_t wr_cycle_next(const wr_gpu *gpu, bool placed);
/* Packets of SMs without a reply. */
uint64_t wr_cycle_packets(const wr_gpu *gpu);
/* dispatch.c: places TBs for one cycle. True: it has placed one. */
bool wr_dispatch(wr_gpu *gpu);
/* The launch, for a message: its kernel, and the label where it has one. */
void wr_launch_name(const wr_launch *launch, char *out, size_t size);
/* deadlock.c: writes what waits for what. */
void wr_describe_deadlock(const wr_gpu *gpu, char *message, size_t size);

#endif
