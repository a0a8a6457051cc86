/* SPDX-License-Identifier: Apache-2.0 */
/* The table of what a system is told and asked. What it may do is in the headers beside:
 *
 *   launch.h   whose TB is placed next and where; TBs beyond residency
 *   warp.h     who may issue: masks that a system pushes; what warps are and wait for
 *   context.h  state of stopped warps, eviction and return of TBs, the context queue
 *   identity.h a warp apart from its slot
 *   storage.h  where registers and shared memory of an SM lie, and its L1 off
 *   memory.h   the miss station between an L1 and the injection port
 *   meter.h    cumulative counters by stream, SM and memory partition
 *   cursor.h   issue at another place than a warp's PC, without effect on memory
 *   ahead.h    instructions before their turn, for good
 *
 * Hooks are few and named after what happens; a NULL hook costs nothing. A system never reaches
 * into the shell's structs. Warps of an SM are numbered by warp slot, TBs by TB slot.
 *
 * SMs run on several threads (gpu.h), so each hook and each service has a rule:
 *   [serial]                  no SM is in its cycle: any SM, the GPU and memory may be looked at
 *                             and changed
 *   [per SM: own state only]  inside an SM's cycle, at the same time as others': nothing but this
 *                             SM and what the system keeps for it may be touched, and memory not
 *                             at all: the memory system may be a cycle ahead
 * A service without a rule of its own may be called under either, for the SM of the hook.
 *
 * Several systems on one GPU are one table again (systems/frame/chain.h). What they push is kept
 * apart by owner, a small number of each: a warp runs if no owner holds it.
 */
#ifndef WR_SHELL_CORE_SEAM_HOOKS_H
#define WR_SHELL_CORE_SEAM_HOOKS_H

#include "shell/core/gpu.h"

typedef struct wr_sm wr_sm;

/* Systems on one GPU; a lone one is owner 0. */
#define WR_MAX_OWNERS 8
typedef uint32_t wr_owner;

/* Why a warp can't issue its next instruction. */
typedef enum wr_wait {
    WR_WAIT_ARITHMETIC, /* for a result of arithmetic */
    WR_WAIT_MEMORY,     /* for data of the LSU */
    WR_WAIT_BARRIER,
    WR_WAIT_MEMBAR, /* for its stores */
} wr_wait;

/* What a system does with an issue slot that no warp can use. */
typedef enum wr_spare {
    WR_SPARE_FREE,   /* nothing */
    WR_SPARE_CURSOR, /* something that the kernel does not count as an instruction */
    WR_SPARE_ISSUED, /* an instruction of the kernel, before its turn */
} wr_spare;

struct wr_system_hooks {
    void *self;

    /* launch [serial] */
    /* A launch begins, ends. A stream has at most one at a time; those of other streams go on. */
    void (*launch_begin)(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch);
    void (*launch_end)(void *self, wr_gpu *gpu, uint32_t stream);
    /* Which of several launches gives this SM its next TB: `streams` are those to which the SM is
     * open (launch.h) of launches with TBs left whose next one fits, the oldest launch first, one
     * at least. One of them, or UINT32_MAX: none now; asked again in every cycle that is
     * simulated. NULL: the first, so that younger launches fill what older ones leave. */
    uint32_t (*choose_launch)(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count);
    /* Which TB of this stream's launch the SM gets now, by its number in the grid: one that no SM
     * has had yet. UINT64_MAX: the next in their order, as without the hook. A launch's TBs are all
     * chosen, or none; not beside a system that takes_tbs. */
    uint64_t (*choose_tb)(void *self, wr_sm *sm, uint32_t stream);
    /* The dispatcher has placed a TB; wr_sm_tb_place does not come here. */
    void (*tb_placed)(void *self, wr_sm *sm, uint32_t tb_slot);
    /* The TB in this slot, of this stream, has run to its end and left. */
    void (*tb_done)(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream);

    /* warp [per SM: own state only] */
    /* The warp's next instruction, which it has just come to, must wait; it is able to go on. A
     * warp that waits for arithmetic and memory waits for memory. Barrier and membar wake too, and
     * a stop of a warp that waits (warp_stopped comes behind), and its leaving (identity.h). */
    void (*warp_stalled)(void *self, wr_sm *sm, uint32_t warp, wr_wait why);
    void (*warp_woken)(void *self, wr_sm *sm, uint32_t warp);
    /* An instruction of the warp has issued, with this many active lanes. Before warp_stalled. */
    void (*warp_issued)(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes);
    /* It stopped at a preemption point; instructions of it may still be in the pipeline. */
    void (*warp_stopped)(void *self, wr_sm *sm, uint32_t warp);
    /* Of a warp that is away (identity.h): a load in flight has given these registers, a bit each,
     * the last one where wr_sm_warp_pending is 0; and the barrier at which it waits has opened. */
    void (*warp_loaded)(void *self, wr_sm *sm, uint32_t id, uint64_t regs);
    void (*warp_passed)(void *self, wr_sm *sm, uint32_t id);
    /* It finished with all its lanes (its TB may still run). */
    void (*warp_done)(void *self, wr_sm *sm, uint32_t warp);
    /* These warp slots are left: their TB has ended, was evicted or discarded, or the warp is away.
     * Under the rule of whatever made them leave. */
    void (*warps_left)(void *self, wr_sm *sm, uint64_t warps);
    /* Registers that each thread of a launch has, of those that the kernel and the launch file say
     * at least: what a TB is charged with. [serial] before launch_begin; NULL: these. */
    uint32_t (*registers)(void *self, uint32_t stream, const wr_launch *launch, uint32_t least);
    /* Which of the warps that can issue now does so; candidates are of this scheduler, a bit each,
     * one at least. UINT32_MAX: none in this cycle. NULL: the configuration's scheduler. Where it
     * answers UINT32_MAX it is asked again in the next cycle. */
    uint32_t (*choose_warp)(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates);
    /* No warp of this scheduler can issue in this cycle, and the system uses spare slots of the SM
     * (cursor.h, ahead.h). What it has done with this one. */
    wr_spare (*spare_slot)(void *self, wr_sm *sm, uint32_t scheduler);

    /* memory [per SM: own state only] */
    /* A load of the warp has missed the L1; its line, by number, takes a place of the L1's tags, a
     * number below wr_sm_l1_places. evicted: the line that had it, UINT64_MAX: none. */
    void (*l1_missed)(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                      uint64_t evicted);

    /* time [serial] */
    /* Once per GPU cycle that is simulated, behind SMs and dispatcher and before any sm_cycle. */
    void (*gpu_cycle)(void *self, wr_gpu *gpu);
    /* Once per cycle for each SM whose attention is on (wr_sm_attend). */
    void (*sm_cycle)(void *self, wr_sm *sm);
    /* The next cycle after now in which gpu_cycle wants to be called; UINT64_MAX = never. No
     * cycle is skipped while an SM's attention is on. */
    uint64_t (*next_cycle)(void *self, uint64_t now);
    /* It reads what the memory system has counted (meter.h), in gpu_cycle, in cycles that
     * next_cycle has named. */
    bool reads_memory;
    /* It takes TBs out of the dispatcher's hands (wr_gpu_tb_take). */
    bool takes_tbs;
};

/* The GPU and its SMs */
wr_sm *wr_gpu_sm(wr_gpu *gpu, uint32_t id);
uint32_t wr_gpu_sm_count(const wr_gpu *gpu);
const wr_gpu_config *wr_gpu_configuration(const wr_gpu *gpu);
void wr_gpu_abort(wr_gpu *gpu, const char *message); /* [serial] the run ends as WR_RUN_SYSTEM */
/* [serial] The run ends as WR_RUN_SAVED: what is left of it goes on elsewhere. */
void wr_gpu_leave(wr_gpu *gpu, const char *message);
/* [serial] No TB is on an SM, and no instruction, store or request is under way. In cycles that the
 * system has named, as counters of memory (reads_memory). */
bool wr_gpu_quiet(const wr_gpu *gpu);
wr_gpu *wr_sm_gpu(wr_sm *sm);
uint32_t wr_sm_id(const wr_sm *sm);
/* [serial] sm_cycle every cycle from now on, or no more; on while any owner wants it. */
void wr_sm_attend(wr_sm *sm, wr_owner owner, bool on);

#endif
