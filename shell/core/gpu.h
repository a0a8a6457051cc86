/* SPDX-License-Identifier: Apache-2.0 */
/* The whole GPU: launches in, cycles and statistics out.
 *
 * One cycle of the GPU, in this order, which makes the order of SMs irrelevant:
 *   1. memory partitions and the interconnect move what arrived in earlier cycles, take what SMs
 *      send, and give them their replies;
 *   2. every SM, at the same time: replies, then its schedulers issue, then LSU and L1. Memory
 *      reads as the cycle found it. An SM that is to issue what others could see (a global store,
 *      an atomic operation, the end of a warp, printf, malloc), or has the preemption signal up,
 *      stops there;
 *   3. those SMs, lowest first, go on to the end of their cycle;
 *   4. the dispatcher places thread blocks (TBs), lowest SM first, one TB per SM and cycle;
 *   5. the system's sm_cycle hook for each SM that asked for it.
 * Cycles in which nothing can happen are skipped; skipping never changes a result, and nor does
 * the number of threads.
 */
#ifndef WR_SHELL_CORE_GPU_H
#define WR_SHELL_CORE_GPU_H

#include "shell/config/config.h"
#include "shell/core/counters/launch.h"
#include "shell/isa/kernel.h"

typedef struct wr_gpu wr_gpu;
typedef struct wr_system_hooks wr_system_hooks;

/* One grid. Pointers must stay valid until the run ends. */
typedef struct wr_launch {
    const wr_kernel *kernel;
    uint32_t grid[3], block[3]; /* none is 0 */
    uint32_t shared_dynamic;    /* bytes */
    uint32_t regs_override;     /* registers per thread for occupancy, 0 = the kernel's */
    const uint8_t *params;      /* kernel->param_bytes bytes */
    uint64_t const_base;        /* address of the module's .const image in simulated memory */
    uint32_t heap;              /* that its malloc takes from */
    uint8_t hint;               /* wr_tb_sharing: how its TBs share data */
    uint32_t priority;          /* the dispatcher looks at higher ones first */
    uint64_t not_before;        /* it comes to the dispatcher in this cycle of the run, or later */
    const char *label;          /* what messages call it besides its kernel; may be NULL */
} wr_launch;

typedef enum wr_run_status {
    WR_RUN_DONE,
    WR_RUN_CYCLE_LIMIT,
    WR_RUN_MEMORY_FAULT, /* an access outside every allocation, or misaligned */
    WR_RUN_TRAP,
    WR_RUN_DEADLOCK, /* nothing can ever happen again, yet work is left */
    WR_RUN_SYSTEM,   /* the system gave up, for example a lockstep mismatch */
    WR_RUN_STOPPED,  /* the progress function asked for the end */
    WR_RUN_SAVED,    /* the system has saved all of it and left (hooks.h) */
    WR_RUN_REFUSED,  /* the launch does not suit this GPU: bad input, nothing ran */
} wr_run_status;

#define WR_RUN_MESSAGE 2560
typedef struct wr_run_result {
    wr_run_status status;
    uint64_t cycles;
    /* one line for people where status is not WR_RUN_DONE: what, kernel, pc, line of the source
     * or the PTX, TB, thread, address, what to look at */
    char message[WR_RUN_MESSAGE];
    uint64_t fault_address; /* of an access outside every allocation, else 0 */
} wr_run_result;            /* after a run that is not WR_RUN_DONE further runs return the same */

/* Occupancy: TBs per SM and what limits it (Lin-P II.A); registers are rounded up to the
 * configuration's granularity per thread (P36). */
typedef struct wr_occupancy {
    uint32_t tbs;
    const char *limit; /* of "warp", "TB", "reg", "smem": those that allow no more, comma between */
} wr_occupancy;
wr_occupancy wr_gpu_occupancy(const wr_gpu_config *cfg, const wr_launch *launch);
/* Registers of a thread, from `least` on and `more` of them at most, that leave as many TBs on an
 * SM as `least` does: what a system may use beside the kernel's own. */
uint32_t wr_gpu_registers_to_spare(const wr_gpu_config *cfg, const wr_launch *launch,
                                   uint32_t least, uint32_t more);

/* Simulated memory: a flat range of bytes from WR_MEM_BASE on. Allocations are for good. */
#define WR_MEM_BASE UINT64_C(0xc0000000)         /* WR_GLOBAL_BASE */
#define WR_MEM_END  (UINT64_C(1) << 32)          /* 32-bit kernels address all of it */
wr_gpu *wr_gpu_create(const wr_gpu_config *cfg); /* NULL: out of memory */
void wr_gpu_free(wr_gpu *gpu);
/* All of it becomes the contents of this file, which another process maps as well: its byte 0 is at
 * WR_MEM_BASE. Between runs. False: memory is as it was. */
bool wr_gpu_share_memory(wr_gpu *gpu, int fd);
uint64_t wr_gpu_alloc(wr_gpu *gpu, uint64_t bytes, uint32_t align); /* 0: memory is full */
/* For a system: a kernel's access to it is a fault. */
uint64_t wr_gpu_alloc_private(wr_gpu *gpu, uint64_t bytes, uint32_t align);
bool wr_gpu_write(wr_gpu *gpu, uint64_t addr, const void *src, uint64_t bytes); /* no cycles */
bool wr_gpu_read(const wr_gpu *gpu, uint64_t addr, void *dst, uint64_t bytes);

/* Heaps of malloc, by number; a launch says which is its. The size of one is set before the first
 * run of a kernel that uses it (default WR_HEAP_BYTES, at most WR_HEAP_MOST). It lives from that
 * run to the GPU's end; wr_gpu_clear_heap makes all of it free, while no launch of it is in
 * flight. False: out of memory. */
#define WR_MAX_HEAPS  32
#define WR_HEAP_BYTES (UINT64_C(8) << 20) /* as in CUDA */
#define WR_HEAP_MOST  (UINT64_C(512) << 20)
uint64_t wr_gpu_set_heap(wr_gpu *gpu, uint32_t heap, uint64_t bytes); /* what it will have */
bool wr_gpu_clear_heap(wr_gpu *gpu, uint32_t heap);

/* Threads that simulate SMs, 1 (default) to WR_MAX_THREADS; more than the SMs are not used.
 * Between runs. False: no more threads can be had, and there is one. */
#define WR_MAX_THREADS 16
bool wr_gpu_set_threads(wr_gpu *gpu, uint32_t threads);

/* Who gets the text of printf, piece by piece, in the order in which warps execute it and inside
 * a warp by lane; NULL (default): nobody. */
typedef void (*wr_print_fn)(void *arg, const char *text, uint32_t bytes);
void wr_gpu_set_print(wr_gpu *gpu, wr_print_fn print, void *arg);

/* Starts CPU applications on the configuration's CPU cores, once: "mcf,omnetpp*3" (shell/cpu/
 * cpus.h). They run as long as the GPU does, without end. False: `error` says what is wrong. */
bool wr_gpu_start_cpus(wr_gpu *gpu, const char *list, char *error, size_t size);

/* At most one system; before the first run. */
void wr_gpu_attach(wr_gpu *gpu, const wr_system_hooks *hooks);

/* Fast-forward: TBs are executed without time, one instruction of a warp after the other, until the
 * point from which on the run is timed. Values are those that a timed run gives a program without
 * races. No system sees of it, and nothing of it is counted. It ends between TBs: when no more are
 * to come, those that are on SMs run to their end. Behind it simulated memory, heaps, the launches
 * and their TBs are where they are; the L2 has the lines that were accessed last; all else is as
 * behind a reset. Clocks that programs read have moved by one for each instruction of a warp; a
 * launch with `not_before` comes by this clock, which skips to it where nothing else is there. */
typedef struct wr_forward_to {
    uint64_t insns; /* warp instructions behind which no TB comes; UINT64_MAX: no limit */
    const char
        *kernel;  /* time begins with a launch of this kernel; NULL: none. Its name in the PTX,
                     or in the source (shell/isa/name.h), where it stands for all that have it */
    uint64_t nth; /* the nth one, from 1 on */
} wr_forward_to;
#define WR_FORWARD_KERNELS 8
typedef struct wr_forwarded {
    uint64_t launches, tbs; /* launches: with all their TBs */
    uint64_t insns, thread_insns;
    uint32_t warm_lines; /* of the L2 */
    bool on;             /* the point has not been reached */
    uint32_t kernel_count;
    struct {
        const wr_kernel *kernel;
        uint64_t launches;
    } kernels[WR_FORWARD_KERNELS]; /* that were launched, in the order of their first launch */
    bool more_kernels;             /* than these */
} wr_forwarded;
/* Before the first run. `kernel` must stay valid. False: out of memory. */
bool wr_gpu_forward(wr_gpu *gpu, const wr_forward_to *to);
bool wr_forward_names(const wr_forward_to *to, const wr_kernel *kernel);
wr_forwarded wr_gpu_forwarded(const wr_gpu *gpu);

/* What became of a launch. */
typedef struct wr_launch_result {
    uint64_t id;     /* what %gridid reads: 1 for the GPU's first launch */
    uint64_t begun;  /* cycle in which it came to the dispatcher */
    uint64_t placed; /* cycle of its first TB; UINT64_MAX: none yet */
    uint64_t ended;  /* first cycle with all its TBs done and its stores acknowledged */
    uint64_t tbs;
    uint64_t issued, thread_insns; /* warp instructions, and active lanes of these */
    uint64_t tbs_evicted, tbs_restored;
    uint64_t tbs_forward;  /* of `tbs`: without time */
    wr_launch_stats stats; /* behind a checkpoint, as all counters: from there on */
} wr_launch_result;

/* Launches of several streams: those of one stream run in order, those of different ones at the
 * same time, as far as there is room (dispatch.c says who goes first). */
#define WR_MAX_STREAMS 32
typedef struct wr_streams {
    void *self;
    uint32_t count; /* 1 to WR_MAX_STREAMS */
    /* The stream's next launch; it must stay valid until it is done. NULL: it has none now. Streams
     * without one, and without one that is to come later (not_before), are asked at the start and
     * whenever launches have ended, stream by stream from 0 on, between cycles: simulated memory
     * may be read and written. The run ends when none has one.
     */
    const wr_launch *(*next)(void *self, uint32_t stream);
    /* The stream's launch is done. False: the run ends as WR_RUN_STOPPED. May be NULL. */
    bool (*done)(void *self, uint32_t stream, const wr_launch_result *result);
    /* The run ends before the stream's launch, which has done that much. May be NULL. */
    void (*cut)(void *self, uint32_t stream, const wr_launch_result *result);
} wr_streams;

/* Runs one launch to its end; caches keep their contents, cycles go on counting. progress
 * (may be NULL) is called now and then with the GPU's cycle and the launch's finished TBs;
 * false ends the run as WR_RUN_STOPPED. */
typedef bool (*wr_progress_fn)(void *arg, uint64_t cycles, uint64_t tbs_done, uint64_t tbs);
wr_run_result wr_gpu_run(wr_gpu *gpu, const wr_launch *launch, uint64_t max_cycles,
                         wr_progress_fn progress, void *arg);
/* Runs all launches of the streams; as wr_gpu_run, which is one stream of one launch. The
 * progress function gets the TBs of the launches in flight. A launch that is refused ends the
 * run; further ones are possible where it was refused before any hook saw it. */
wr_run_result wr_gpu_run_streams(wr_gpu *gpu, const wr_streams *streams, uint64_t max_cycles,
                                 wr_progress_fn progress, void *arg);
uint64_t wr_gpu_cycle(const wr_gpu *gpu);
/* Cycles of the runs before, where it goes on from a checkpoint (checkpoint.h); programs and
 * launches see both together. */
uint64_t wr_gpu_before(const wr_gpu *gpu);

/* Calls `sample` whenever `every` more cycles have passed, before the first cycle that is not
 * counted; the counters are then those of all cycles before. NULL: no more. */
typedef void (*wr_sample_fn)(void *arg);
void wr_gpu_set_sampler(wr_gpu *gpu, uint64_t every, wr_sample_fn sample, void *arg);
/* `look` is called in each cycle that is simulated, behind the SMs and the dispatcher and before
 * the system. The caller keeps the watcher until it is taken off, which `look` may do itself. */
typedef struct wr_watcher {
    wr_sample_fn look;
    void *arg;
    struct wr_watcher *next; /* the GPU's */
} wr_watcher;
void wr_gpu_watch(wr_gpu *gpu, wr_watcher *watcher);
/* One that is not there is fine. */
void wr_gpu_unwatch(wr_gpu *gpu, const wr_watcher *watcher);

/* Counters, by walking a table of names; stable names with dots: "sm.issued", "l1.hits". */
typedef void (*wr_stat_fn)(void *arg, const char *name, uint64_t value, const char *doc);
void wr_gpu_stats(const wr_gpu *gpu, wr_stat_fn fn, void *arg);

#endif
