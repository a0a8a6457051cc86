/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of one SM. Only shell/core includes this; systems use the headers of seam/.
 *
 * State of a warp is in its slot (warp.h), and whatever the schedulers test every cycle is a bit
 * mask over warp slots, so that choosing a warp is a few logic operations:
 *
 *   can issue = free_to_go & ~(done | stopped | barrier | membar)   the warp wants to and may
 *             & buffered                                            it is decoded
 *             & ready                                               the scoreboard lets it
 *             & schedule.within                                     the warp limit lets it
 *             & pool masks with a free collector                    there is a place for it
 *
 * wr_sm_issuable has all of it but the last line, and nothing else in the code says who may.
 *
 * Invariants:
 * - `next` of warp w is the uop at the top of its SIMT stack, and stack top.pc its address;
 * - `ready` has w exactly where what `next` of w needs and the pending bits of w are disjoint;
 * - `pool_mask[p]` has w exactly where `next` of w needs pool p;
 * - a warp at a barrier is counted in its TB's `arrived`, and its PC is the barrier's;
 * - values move at issue; the rest of the pipeline is time only.
 *
 * SMs may run their cycles at the same time (gpu.h). What one touches then is its own, but for
 * memory, which it only reads. An instruction that does more is `alone`: the SM stops in front
 * of it and goes on, from there to the end of its cycle, when its turn comes.
 */
#ifndef WR_SHELL_CORE_SM_SM_H
#define WR_SHELL_CORE_SM_SM_H

#include "shell/core/counters/stats.h"
#include "shell/core/exec/addresses.h"
#include "shell/core/gpu/program.h"
#include "shell/core/seam/identity.h"
#include "shell/core/seam/memory.h"
#include "shell/core/sm/context_queue.h"
#include "shell/core/sm/control.h"
#include "shell/core/sm/fetch.h"
#include "shell/core/sm/l1.h"
#include "shell/core/sm/lsu.h"
#include "shell/core/sm/operands.h"
#include "shell/core/sm/schedule.h"
#include "shell/core/sm/stall.h"
#include "shell/core/sm/tally.h"
#include "shell/core/sm/units.h"
#include "shell/core/sm/warp.h"
#include "shell/core/sm/wheel.h"
#include "shell/memory/histogram.h"
#include "shell/memory/memory.h"
#include "shell/memory/memsys.h"

#define WR_MAX_WARPS WR_CONFIG_MAX_WARPS
#define WR_MAX_TBS   WR_CONFIG_MAX_TBS
#define WR_WARP_REGS 64 /* rows of a warp slot's own; row 63 (RZ) is not used */
#define WR_BARRIERS  16
#define WR_TB_WARPS  32                            /* of a TB, at most */
#define WR_WARP_IDS  (WR_MAX_WARPS + WR_MOST_AWAY) /* identities */
#define WR_AWAY      UINT8_MAX                     /* of slot_of: in no slot */
#define WR_MEM_OPS   WR_CONFIG_MAX_LOADS
#define WR_INBOX     16 /* most replies that an SM takes in one cycle */

/* What registers and shared memory hold before a kernel writes them, to make a read of it
 * show. */
#define WR_LAUNCH_POISON 0xa5a5a5a5u

typedef struct wr_tb {
    _Alignas(WR_CACHE_LINE) const wr_program *program;
    uint64_t issued, thread_insns; /* while on this SM */
    uint8_t *shared;               /* in the SM's; NULL: elsewhere */
    bool valid;
    bool leaving; /* all warps have finished, stores may not have (sm.exit_waits_stores) */
    bool spoilt;  /* it can't run again from its start */
    uint32_t ctaid[3];
    uint32_t linear;
    uint32_t warp_base;       /* first slot, as it was placed */
    uint32_t frame;           /* of local memory */
    uint64_t issued_before;   /* elsewhere, or here earlier */
    uint64_t slots;           /* warp slots that its warps have */
    uint64_t live;            /* of these: warps that have not finished */
    uint32_t unfinished;      /* warps of the TB, by number; also those that are away */
    uint8_t ids[WR_TB_WARPS]; /* their identities */
    uint32_t arrived[WR_BARRIERS], pledged[WR_BARRIERS]; /* by number; pledged: do not wait */
    uint32_t expected[WR_BARRIERS]; /* threads, 0 = all; of the last that arrived */
} wr_tb;

/* A load or atomic some of whose lines are on their way. */
typedef struct wr_mem_op {
    uint64_t regs;
    uint64_t ready_at; /* when its L1 hits are through */
    uint64_t issued_at;
    uint32_t pending; /* lines that have not come back */
    uint16_t warp;
    uint8_t stream;
    bool closed; /* all its lines have been sent */
} wr_mem_op;

/* A warp that has left its slot, or never had one. What of it is in flight names it WR_MAX_WARPS +
 * identity. */
typedef struct wr_away {
    uint64_t pending; /* registers that loads in flight will give */
    uint8_t tb_slot, index;
    bool alone;      /* until it is resumed; false: it has not left, or for ever */
    bool at_barrier; /* it waits there, or has been let through since; until it is resumed */
    bool passed;
    uint8_t barrier;
} wr_away;

/* A request on its way to the injection port. */
typedef struct wr_miss {
    wr_packet packet;
    uint64_t at; /* cycle in which it has left the L1's pipeline */
} wr_miss;

/* Who sent a packet: decides what its reply does. */
enum {
    WR_FROM_MSHR,
    WR_FROM_OP,
    WR_FROM_STORE,
    WR_FROM_FETCH,
    WR_FROM_CONST,
    WR_FROM_CTX_READ,
    WR_FROM_CTX_WRITE
};

/* What the GPU looks at between the cycles of SMs: apart from their state, which may be in
 * another processor's cache. */
typedef struct wr_sm_status {
    uint64_t wake_at; /* first cycle in which wr_sm_cycle has anything to do */
    bool parked;      /* its cycle is to be ended by wr_sm_end_cycle */
    bool faulted;     /* see wr_sm.fault */
    bool sends;       /* something waits for the injection port */
    bool chooses;     /* likewise, but not just the miss queue's head: see wr_injection_cycle */
} wr_sm_status;

/* The head of an SM's miss queue, as its injection port sees it. */
typedef struct wr_injection_slot {
    _Alignas(WR_CACHE_LINE) uint64_t at; /* cycle from which on it may leave */
    wr_packet packet;
} wr_injection_slot;

/* Replies that an SM gets in a cycle. */
typedef struct wr_inbox {
    _Alignas(WR_CACHE_LINE) uint32_t count;
    wr_packet packets[WR_INBOX];
} wr_inbox;

struct wr_sm {
    /* What nearly every cycle looks at comes first, in as few lines of the host's cache as it
     * takes. */
    _Alignas(WR_CACHE_LINE) uint64_t now; /* cycle that is being simulated */
    wr_sm_status *status;
    uint64_t progress_at, work_at; /* as the GPU's */
    uint64_t counted;              /* cycles that are charged in `slots` */
    uint64_t in_pipe;              /* instructions between issue and their end */
    uint32_t listens;              /* WR_LISTEN_*: hooks that the system has */
    uint32_t resident;             /* warps in slots */
    /* The schedulers' turns in this cycle, and whom the next one has chosen, where the SM has
     * stopped in front of an instruction for which it must be alone. */
    uint32_t turn;   /* schedulers that are through */
    uint32_t chosen; /* warp; UINT32_MAX: none */

    uint32_t chosen_did;           /* instructions of it that have issued */
    bool alone;                    /* no other SM runs: an instruction may touch what they share */
    bool holds_memory;             /* memory_held or loads_held is not 0 */
    bool has_station;              /* then nothing is offered, and the port chooses */
    bool offered;                  /* the head of the miss queue stands in the injection slot */
    wr_lsu_queue *lsu;             /* lsu_queues of them */
    uint32_t lsu_queues, lsu_turn; /* of the configuration; whose turn is next, modulo these */
    uint32_t lsu_count;            /* in all of them */
    uint32_t lsu_blocked; /* a bit per LSU queue whose head waits for a reply or room behind it */
    uint32_t lsu_short;   /* of these: room may be what it lacks */
    uint32_t miss_count;  /* in the miss queue, or in the station */
    uint64_t lsu_free_at;
    const wr_gpu_config *cfg;
    uint64_t leavers; /* TB slots of leaving TBs whose last store came back */

    /* masks over warp slots */
    uint64_t valid, done, stopped, barrier, membar, ready;
    uint64_t free_to_go;    /* valid and not held */
    uint64_t awaits_memory; /* not ready, and what it lacks comes from the LSU */
    uint64_t pool_mask[WR_POOLS];
    uint64_t held;        /* by systems (control.h) */
    uint64_t stopping;    /* their TB is to stop at preemption points */
    uint64_t halting;     /* their TB is to stop at once */
    uint64_t placed;      /* of stopped: placed or restored, wait for wr_sm_warp_resume */
    uint64_t step_over;   /* resumed: its next preemption point does not stop it */
    uint64_t at_point;    /* next is PP, BAR_PP or a BAR behind a PP */
    uint64_t loads_held;  /* by systems: loads that go to the L1 */
    uint32_t memory_held; /* streams, likewise: instructions that do */
    wr_fetch fetch;
    wr_schedule schedule;
    wr_sm_stats stats;
    uint64_t slots[WR_CONFIG_MAX_SCHEDULERS][WR_SLOT_USES];
    wr_units units;
    wr_wheel wheel;
    wr_operands operands;

    uint64_t tb_valid;
    uint32_t regs_used, shared_used; /* 32-bit registers; bytes */
    uint32_t *regs;                  /* rows of 32 lanes */
    uint8_t *shared;                 /* of all TBs */

    /* by identity */
    uint64_t ids_used[WR_WARP_IDS / 64];
    uint8_t slot_of[WR_WARP_IDS];
    uint32_t stores[WR_WARP_IDS];     /* lines stored and not acknowledged */
    uint64_t arrived_at[WR_WARP_IDS]; /* cycle, of one that waits at a barrier */
    wr_away away[WR_WARP_IDS];        /* of those in no slot */

    wr_gpu *gpu;
    wr_injection_slot *injection;
    wr_inbox *inbox;
    wr_memory *memory;
    wr_memsys *memsys;
    const wr_system_hooks *hooks; /* never NULL: an empty table without a system */
    uint32_t id;
    bool attended;
    bool l1_off; /* a system has its lines */

    wr_rocache ccache;
    uint64_t l1_insns[WR_MAX_STREAMS]; /* instructions that went to the L1, issued */
    uint32_t ops_of[WR_MAX_STREAMS];   /* operations in use */
    wr_mem_op ops[WR_MEM_OPS];
    uint64_t ops_used[WR_MEM_OPS / 64];
    uint32_t op_count, op_limit;
    wr_l1 l1;
    wr_miss *miss_queue; /* a ring: the L1's pipeline and the miss queue behind it */
    uint32_t miss_head, miss_limit;
    const wr_miss_station *station;     /* NULL: the miss queue */
    uint32_t stores_of[WR_MAX_STREAMS]; /* likewise, by the launch's stream */
    wr_context_queue ctx;

    wr_slot_stats slot_stats[WR_MAX_TBS];
    uint64_t issued_of[WR_MAX_STREAMS]; /* instructions, by TBs of a stream that have left */
    wr_histogram load_latency;          /* issue to data, of loads and atomics that return */
    uint64_t loads_of[WR_MAX_STREAMS], load_cycles_of[WR_MAX_STREAMS]; /* the same by stream */
    wr_tally tally;
    wr_histogram barrier_wait; /* arrival to the last one's, of warps that wait */
    wr_run_status fault;       /* of the program, in this cycle */
    char fault_message[768];
    uint64_t fault_address; /* of an access that is outside every buffer; else 0 */
    wr_control control;

    wr_warp warps[WR_MAX_WARPS]; /* by slot */
    wr_tb tbs[WR_MAX_TBS];
};

/* Hooks that are asked about at every instruction, so that it costs one look at sm.listens. */
enum {
    WR_LISTEN_ISSUED = 1,
    WR_LISTEN_STALLED = 2,
    WR_LISTEN_WOKEN = 4,
    WR_LISTEN_CHOOSE = 8,
    WR_LISTEN_L1 = 32,
    WR_LISTEN_SPARE = 16, /* while the system uses spare slots */
    WR_LISTEN_SHARED = 64 /* no hook: TBs of several streams have been here (tally.h) */
};

/* Bytes of `regs`: rows of the slots' own, or the register file's. */
static inline size_t wr_sm_register_bytes(const wr_gpu_config *cfg)
{
    size_t own = (size_t)cfg->sm.max_warps * WR_WARP_REGS * WR_ROW_BYTES;
    size_t file = (size_t)cfg->sm.registers * sizeof(uint32_t);
    return own > file ? own : file;
}

/* sm.c */
bool wr_sm_init(wr_sm *sm, wr_gpu *gpu, uint32_t id);
void wr_sm_free(wr_sm *sm);
/* One cycle: the inbox, where it has replies, releases, schedulers, LSU. Sets wake_at. Other SMs
 * may be in theirs; where it leaves the SM parked, the rest is for wr_sm_end_cycle, when no other
 * SM runs. */
void wr_sm_cycle(wr_sm *sm, uint64_t now, bool replies);
void wr_sm_end_cycle(wr_sm *sm);
bool wr_sm_idle(const wr_sm *sm); /* no TB, no traffic of its own */
/* Who is not in the SM's cycle must also tell the GPU: wr_gpu_wake (state.h). */
static inline void wr_sm_wake(wr_sm *sm, uint64_t when)
{
    sm->status->wake_at = when < sm->status->wake_at ? when : sm->status->wake_at;
}
/* A fault of the program at a uop, for which the run ends behind this cycle; lane >= 32: not of
 * one lane. */
void wr_sm_fault(wr_sm *sm, uint32_t warp, wr_run_status status, uint32_t lane, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));

static inline uint32_t *wr_warp_row(const wr_sm *sm, uint32_t warp, uint32_t reg)
{
    return sm->warps[warp].rows + (size_t)reg * WR_LANES;
}

static inline const wr_uop *wr_warp_uop(const wr_sm *sm, uint32_t warp)
{
    return wr_warp_next(&sm->warps[warp]);
}

/* Nothing in the pipeline, no pending register write. */
static inline bool wr_warp_drained(const wr_sm *sm, uint32_t warp)
{
    return sm->warps[warp].pending_regs == 0 && sm->warps[warp].pending_preds == 0;
}

/* The same, but for loads in flight. */
static inline bool wr_warp_settled(const wr_sm *sm, uint32_t warp)
{
    return sm->warps[warp].pending_regs == sm->warps[warp].pending_data &&
           sm->warps[warp].pending_preds == 0;
}

/* Events of a warp, to the system that listens. */
static inline void wr_warp_stalled(wr_sm *sm, uint32_t warp, wr_wait why)
{
    if ((sm->listens & WR_LISTEN_STALLED) != 0) {
        sm->hooks->warp_stalled(sm->hooks->self, sm, warp, why);
    }
}
static inline void wr_warp_woken(wr_sm *sm, uint32_t warp)
{
    if ((sm->listens & WR_LISTEN_WOKEN) != 0) {
        sm->hooks->warp_woken(sm->hooks->self, sm, warp);
    }
}

/* stall.c: held warps of the scheduler, where one could issue, or it has no other kind of live
 * warp; else none. */
uint64_t wr_stall_held(const wr_sm *sm, uint32_t scheduler);

/* Warps that want to issue and may, but for operands, decoding and the warp limit. */
static inline uint64_t wr_sm_awake(const wr_sm *sm)
{
    return sm->free_to_go & ~(sm->done | sm->stopped | sm->barrier | sm->membar);
}

/* issue.c: the warp's next instruction goes to the L1; this one of the warp would, and waits for a
 * system; of these warps, those whose next one does. */
bool wr_goes_to_l1(const wr_sm *sm, uint32_t warp);
bool wr_memory_held(const wr_sm *sm, uint32_t warp, const wr_uop *uop);
uint64_t wr_memory_waits(const wr_sm *sm, uint64_t warps);

/* In its turn it might issue, but for what it waits for. */
static inline bool wr_sm_may_go_ahead(wr_sm *sm, uint32_t warp)
{
    return (wr_schedule_limit(&sm->schedule, wr_sm_awake(sm)) >> warp & 1) != 0;
}

/* Warps whose next instruction may issue, where its unit has a place. */
static inline uint64_t wr_sm_issuable(wr_sm *sm)
{
    uint64_t warps =
        sm->fetch.buffered & sm->ready & wr_schedule_limit(&sm->schedule, wr_sm_awake(sm));
    return sm->holds_memory ? warps & ~wr_memory_waits(sm, warps) : warps;
}

/* Why no warp of the scheduler can issue now, as masks have it after its turn (stall.h), and of
 * which warps that is the reason. */
static inline wr_slot_use wr_stall(wr_sm *sm, uint32_t scheduler, uint64_t *of)
{
    uint64_t awake = wr_sm_awake(sm);
    uint64_t moving = sm->schedule.mask[scheduler] & awake;
    uint64_t waits = moving & ~sm->ready;
    uint64_t decoded = moving & sm->ready & sm->fetch.buffered;
    if (decoded != 0) {
        *of = decoded;
        decoded &= wr_schedule_limit(&sm->schedule, awake);
        if (decoded == 0) {
            return WR_SLOT_LIMIT;
        }
        *of = decoded;
        if (sm->holds_memory) {
            decoded &= ~wr_memory_waits(sm, decoded);
            if (decoded == 0) {
                return WR_SLOT_HELD;
            }
        }
        uint64_t at_unit = decoded & ~sm->pool_mask[WR_POOL_MEM];
        *of = at_unit != 0 ? at_unit : decoded;
        return at_unit != 0 ? WR_SLOT_UNIT : WR_SLOT_LSU;
    }
    if (sm->held != 0 && (*of = wr_stall_held(sm, scheduler)) != 0) {
        return WR_SLOT_HELD;
    }
    if (waits != 0) {
        uint64_t arithmetic = waits & ~sm->awaits_memory;
        *of = arithmetic != 0 ? arithmetic : waits;
        return arithmetic != 0 ? WR_SLOT_ARITHMETIC : WR_SLOT_MEMORY;
    }
    *of = moving;
    if (moving != 0) {
        return WR_SLOT_FETCH;
    }
    uint64_t warps = sm->schedule.mask[scheduler] & sm->valid & ~sm->done;
    *of = warps;
    if (warps == 0) {
        return WR_SLOT_EMPTY;
    }
    warps &= ~sm->stopped;
    if (warps == 0) {
        return WR_SLOT_PREEMPT;
    }
    uint64_t at_fence = warps & sm->membar;
    *of = at_fence != 0 ? at_fence : warps;
    return at_fence != 0 ? WR_SLOT_MEMBAR : WR_SLOT_BARRIER;
}

/* Charges slots of the scheduler to what keeps it from issuing. */
static inline void wr_stall_charge(wr_sm *sm, uint32_t scheduler, uint64_t slots)
{
    uint64_t of;
    if ((sm->listens & WR_LISTEN_SHARED) != 0) {
        wr_tally_charge(sm, scheduler, slots);
    } else {
        sm->slots[scheduler][wr_stall(sm, scheduler, &of)] += slots;
    }
}

/* stall.c */
void wr_sm_settle_slots(wr_sm *sm, uint64_t to);
/* Charges the cycles before `to` that are not charged yet: the SM slept through them. */
static inline void wr_sm_settle(wr_sm *sm, uint64_t to)
{
    if (sm->counted < to) {
        wr_sm_settle_slots(sm, to);
    }
}

/* issue.c */
/* The schedulers' turns. False: the SM must be alone before the next one. */
bool wr_sm_issue(wr_sm *sm);
/* Takes a collector and a unit; returns when the result leaves the unit. The result is on its way,
 * and leaves the unit at `at`. */
uint64_t wr_issue_enter(wr_sm *sm, uint32_t warp, const wr_uop *uop);
/* A memory instruction goes to this queue, which has room; false: it is at fault. */
bool wr_issue_memory(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask, wr_lsu_queue *q);
/* Values and place of the warp after an instruction across lanes (the place does not move) and a
 * branch; false: fault. A trap of a lane; NULL: behind the last instruction. */
bool wr_issue_across(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask);
bool wr_issue_branch(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask);
void wr_issue_trap(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t lane);
void wr_issue_write_back(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint64_t at);
/* A warp could issue if its unit were free; who waits for room in the LSU wakes with the LSU. */
bool wr_sm_may_issue(wr_sm *sm);
/* Looks at the warp's next uop: masks and scoreboard; stops the warp where a signal says so. */
void wr_sm_refresh(wr_sm *sm, uint32_t warp);
void wr_sm_release(wr_sm *sm, uint32_t warp, uint64_t regs, uint8_t preds);
void wr_sm_stop(wr_sm *sm, uint64_t warps);

/* simt.c: each leaves `next` at the stack's top */
/* Pops what has met or has no lanes left. */
void wr_simt_settle(wr_sm *sm, uint32_t warp);
static inline void wr_simt_advance(wr_sm *sm, uint32_t warp)
{
    wr_simt_entry *top = &sm->warps[warp].stack[sm->warps[warp].depth - 1];
    const wr_insn *insn = wr_warp_uop(sm, warp)->insn;
    top->pc = insn->pc + insn->size;
    if (top->pc == top->reconv) {
        wr_simt_settle(sm, warp);
    } else {
        sm->warps[warp].next++;
    }
}
/* False: the stack is full. */
bool wr_simt_branch(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t taken);
void wr_simt_exit(wr_sm *sm, uint32_t warp, uint32_t lanes);

/* barrier.c */
/* False: fault, the run has ended. */
bool wr_barrier_arrive(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask);
void wr_barrier_leave(wr_sm *sm, uint32_t warp); /* a warp that waits has not arrived */
void wr_barrier_check(wr_sm *sm, uint32_t tb_slot);

/* identity.c */
/* An identity for the warp that is placed in a slot, or WR_AWAY; its own number where that is free.
 */
void wr_identity_take(wr_sm *sm, uint32_t tb_slot, uint32_t index, uint32_t warp);
void wr_identity_drop(wr_sm *sm, uint32_t id);
/* Identities of warps that are in no slot, retired ones among them. */
uint32_t wr_identity_away(const wr_sm *sm);
/* A warp that has come back alone stands again at the barrier where it waited, or behind it. False:
 * it came with its TB. */
bool wr_identity_rejoin(wr_sm *sm, uint32_t warp);
/* The barrier opens at which a warp waits that is away. */
void wr_identity_pass(wr_sm *sm, uint32_t id);
/* Data have come for a warp that is away. */
void wr_identity_release(wr_sm *sm, uint32_t id, uint64_t regs);

/* tb.c: thread blocks in slots */
void wr_tb_clear_masks(wr_sm *sm, uint64_t warps);
/* kept: WR_KEEPS_* of what it has already. */
bool wr_tb_fits(const wr_sm *sm, const wr_program *program, uint32_t kept, uint32_t *warp_base,
                uint32_t *slot);
/* where: NULL for the slots' own storage. */
uint32_t wr_tb_place(wr_sm *sm, const wr_program *program, uint32_t linear, uint32_t frame,
                     const wr_tb_where *where, uint32_t poison);
void wr_tb_start(wr_sm *sm, uint32_t slot);
/* All its warps are away; shared: a byte, or WR_ELSEWHERE. */
bool wr_tb_place_away(wr_sm *sm, uint32_t slot, const wr_program *program, uint32_t linear,
                      uint32_t frame, uint32_t shared);
/* Stack of a warp that has not run. */
wr_simt_entry wr_tb_first(const wr_program *program, uint32_t index);
/* Both but for what is kept. */
void wr_warp_poison(wr_sm *sm, uint32_t warp, uint32_t kept, uint32_t poison);
void wr_tb_poison(wr_sm *sm, uint32_t slot, uint32_t kept, uint32_t poison);
void wr_tb_remove(wr_sm *sm, uint32_t slot, uint32_t kept);
void wr_warp_finished(wr_sm *sm, uint32_t warp);
/* A leaving TB's stores may all be acknowledged now. */
void wr_tb_leave(wr_sm *sm, uint32_t slot);

/* exec_mem.c: moves the values of a memory instruction and says what traffic it makes (e:
 * NULL: without time there is none). False: fault, the run has ended. */
bool wr_exec_memory(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask, wr_lsu_entry *e);
/* Likewise: the warp's next instruction loads from global memory through the L1, which has all of
 * it. Nothing changes. */
bool wr_exec_load_hits(wr_sm *sm, uint32_t warp);
/* This access to global or local memory goes past the L1. */
static inline bool wr_exec_goes_past_l1(const wr_sm *sm, const wr_insn *insn)
{
    return sm->l1_off || insn->is_volatile ||
           (sm->cfg->l1.globals == 0 && insn->space != WR_SPACE_LOCAL);
}
/* This load would not fault. */
bool wr_exec_load_is_sound(const wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t mask);
/* exec_sreg.c: S2R. */
void wr_exec_sreg(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t mask);
/* exec_service.c: printf, malloc and their like. False: fault, the run has ended. */
bool wr_exec_service(wr_sm *sm, uint32_t warp, const wr_uop *uop, uint32_t mask);
/* exec_atom.c: one atomic operation on `bytes` bytes; returns the old value and stores the new
 * one. fp32 sums flush subnormals with ftz: in global memory they do (PTX ISA, atom). */
uint64_t wr_exec_atomic(const wr_insn *insn, uint8_t *at, uint32_t bytes, uint64_t operand,
                        uint64_t swap, bool ftz);
/* traffic.c */
void wr_traffic_lines(wr_lsu_entry *e, const wr_addresses *at, uint32_t mask, uint32_t bytes,
                      uint32_t line_bytes);
uint32_t wr_traffic_conflicts(const wr_addresses *at, uint32_t mask, uint32_t bytes, uint32_t banks,
                              bool atomic);
uint32_t wr_traffic_serial(const uint64_t addr[WR_LANES], uint32_t mask);

/* fetch.c */
void wr_fetch_cycle(wr_sm *sm);
/* Warps that want instructions: without one, and without a fetch under way, a cycle does nothing.
 */
static inline uint64_t wr_fetch_wanting(const wr_sm *sm)
{
    const wr_fetch *f = &sm->fetch;
    return sm->valid & ~(sm->done | sm->placed | f->buffered | f->under_way | f->blocked);
}
/* A line of the instruction cache has come. */
void wr_fetch_reply(wr_sm *sm, uint32_t line);

/* lsu.c */
void wr_lsu_cycle(wr_sm *sm);
/* First cycle in which wr_lsu_cycle has anything to do; UINT64_MAX: none until a reply. */
uint64_t wr_lsu_next(const wr_sm *sm);
void wr_lsu_reply(wr_sm *sm, const wr_packet *p);
/* A line of a read-only cache is asked for, for a warp: miss_queue.h says whether there is room. */
void wr_lsu_send_fetch(wr_sm *sm, uint32_t warp, uint64_t addr, uint32_t bytes, uint32_t tag,
                       uint8_t sender);
static inline wr_lsu_queue *wr_lsu_queue_of(wr_sm *sm, uint32_t stream)
{
    return sm->lsu_queues == 1 ? sm->lsu : &sm->lsu[stream & (sm->lsu_queues - 1)];
}

static inline wr_lsu_queue *wr_lsu_queue_of_warp(wr_sm *sm, uint32_t warp)
{
    return sm->lsu_queues == 1 ? sm->lsu
                               : wr_lsu_queue_of(sm, sm->tbs[sm->warps[warp].tb].program->stream);
}

/* Of these warps, whose next instruction goes to the LSU, those that find room in their queue,
 * where there are several and entries enough to fill one. */
uint64_t wr_lsu_apart(const wr_sm *sm, uint64_t warps);

/* Entry i of lsu_count, those of one queue after those of another, each in order. */
static inline const wr_lsu_entry *wr_lsu_entry_at(const wr_sm *sm, uint32_t i)
{
    const wr_lsu_queue *q = sm->lsu;
    for (; i >= q->count; q++) {
        i -= q->count;
    }
    return &q->entry[(q->head + i) % WR_LSU_QUEUE];
}

/* port.c: the injection port: regular requests before context requests, with ageing (P29).
 * The GPU takes from the slot where nothing but the miss queue sends, else it calls this. */
void wr_injection_cycle(wr_sm *sm, uint64_t now);
/* The head of the miss queue goes to the injection slot, and `status` says what waits. */
void wr_injection_offer(wr_sm *sm);
/* What stood in the slot has left in this cycle; the SM is due where that lets its LSU go on. */
void wr_injection_sent(wr_sm *sm, uint64_t now);
/* Earliest cycle from `from` on in which the port may send; UINT64_MAX: nothing waits. */
uint64_t wr_injection_next(wr_sm *sm, uint64_t from);
/* The reply to a context request is back. */
void wr_injection_ctx_reply(wr_sm *sm, const wr_packet *p);

#endif
