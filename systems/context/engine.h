/* SPDX-License-Identifier: Apache-2.0 */
/* The context engine of one SM: saves TBs of it to simulated memory and brings saved ones back,
 * from whatever SM they are (Lin-P IV.B, IV.C, Fig. 13).
 *
 *   requests: save these TBs; restore this saved TB
 *
 *   idle --> pick <-> warp, whole                  registers of a stopped, drained warp, or TB
 *             |  ^
 *             v  |     once all live warps of a TB are saved
 *           parts: shared memory, stacks, ...      and the TB is evicted, its storage poisoned
 *             |
 *             v        nothing left to save
 *            acks -> place -> read ---> idle       TBs are read back and their warps resumed
 *                      ^        |
 *                      +--------+                    no room for the next one
 *
 * What to save, when, and where to restore it is the user's: the engine has no policy. It stops
 * the TBs that it is to save, and no other; it does not keep the dispatcher from filling the room
 * of those that left (wr_sm_close is the user's).
 *
 * - Saves come before restores: a restore begins when no save is open, and ends before the next
 *   save goes on. Restores are placed in the order of their requests; one that does not fit yet
 *   waits, and those behind it wait too.
 * - Up to WR_CTX_AHEAD TBs come in at a time: while the registers of one are written, the parts of
 *   those behind it are on their way. They become whole in the order of their placing.
 * - A saved TB is handed over (WR_CONTEXT_SAVED) once memory has acknowledged all that was
 *   written: then any SM may read it.
 * - A TB that runs to its end before it stops is not saved (WR_CONTEXT_FINISHED).
 *
 * Invariants:
 * - of a saved TB only its identity and the number of its CCB entry are kept, in a wr_saved_tb:
 *   restore reads pattern vectors, pointers, stacks, predicates, shared memory and registers from
 *   simulated memory;
 * - an entry is taken from the area of the TB's stream with the TB's first warp and freed when
 *   the TB is whole again;
 * - one request enters the SM's context queue per cycle at most, and the queue is the engine's
 *   alone; so are the owner's stops (wr_sm_stop_tbs) and attention (wr_sm_attend) on this SM.
 *
 * A cycle of a save is draining where the engine has to wait: warps are left and none is ready to
 * be saved. Every other cycle is spilling (Lin-P V.C). Warps that come to their points while
 * others are saved cost no such cycle; how long they went on executing is counted apart, as
 * `stop`.
 *
 * All calls are for [serial] hooks; the SM is the same in every call.
 */
#ifndef WR_SYSTEMS_CONTEXT_ENGINE_H
#define WR_SYSTEMS_CONTEXT_ENGINE_H

#include "systems/context/parts.h"
#include "systems/context/raw.h"
#include "systems/context/restore.h"
#include "systems/context/save.h"
#include "systems/context/tb_restore.h"
#include "systems/context/tb_save.h"

typedef enum wr_context_state {
    WR_CONTEXT_IDLE,
    WR_CONTEXT_PICK,
    WR_CONTEXT_WARP,
    WR_CONTEXT_WHOLE,
    WR_CONTEXT_PARTS,
    WR_CONTEXT_ACKS,
    WR_CONTEXT_PLACE,
    WR_CONTEXT_READ,
    WR_CONTEXT_FAILED,
    WR_CONTEXT_STATES
} wr_context_state;

/* A TB in memory: a value, good for any engine of the same areas. Whoever has it may restore it,
 * once, while the launch is in flight, which it is until then. */
typedef struct wr_saved_tb {
    wr_tb_info info;
    uint32_t entry;    /* of the control block of its stream */
    wr_tb_where where; /* kept: parts that stayed on the SM; the rest is the user's to say */
    bool is_placed;    /* he has: where it lies when it is back */
    uint32_t tag;      /* his, carried along */
} wr_saved_tb;

typedef enum wr_context_what {
    WR_CONTEXT_SAVED,    /* slot: where it lay */
    WR_CONTEXT_FINISHED, /* slot: where it lay; tb.entry means nothing */
    WR_CONTEXT_RESTORED, /* slot: where it runs again */
} wr_context_what;

typedef struct wr_context_event {
    wr_context_what what;
    uint32_t slot;
    wr_saved_tb tb;
} wr_context_event;

/* What whole TBs came to (BY_TB). */
typedef struct wr_context_whole_sums {
    uint64_t tbs, warps;
    uint64_t data_bytes;               /* words that were stored */
    uint64_t warp_bytes;               /* words that the warp level would have stored */
    uint64_t registers[WR_TB_CLASSES]; /* by class, one for each warp */
} wr_context_whole_sums;

/* What saved contexts came to, in sums. A warp that had finished is not counted in warps. */
typedef struct wr_context_sums {
    uint64_t tbs, warps;
    uint64_t occupied_bytes; /* allocated registers x 128 B */
    uint64_t live_bytes;     /* live registers x 128 B; ALL: every one counts as live */
    uint64_t data_bytes;     /* words that were stored of registers (P8) */
    uint64_t padded_bytes;   /* the same with the padding of last segments: as written */
    uint64_t pattern_bytes, pred_bytes, stack_bytes, shared_bytes, ccb_bytes; /* as written */
    uint64_t stack_entry_bytes;              /* of stacks without padding */
    uint64_t uniform, strided, random, dead; /* registers of the counted warps */
    wr_context_whole_sums whole;             /* of these, TBs that were saved as a whole */
} wr_context_sums;
void wr_context_sums_add(wr_context_sums *to, const wr_context_sums *from);

/* Saves from the request that found none open to the hand-over of the last TB, and the restores
 * that followed, in cycles. latency = drain + spill; stop overlaps both. */
typedef struct wr_context_record {
    uint64_t cycle; /* their first: that of the request, or the one behind it */
    uint32_t sm;
    uint32_t latency; /* first cycle to the last state in memory */
    uint32_t drain;
    uint32_t spill;
    uint32_t stop;    /* cycles with warps to be saved that still execute */
    uint32_t restore; /* of restores, with no save open */
    wr_context_sums sums;
} wr_context_record;

enum {
    WR_CTX_AHEAD = 8,  /* TBs that come in at a time */
    WR_CTX_ASKED = 64, /* reads on their way: as many as the SM has room for */
};

/* A read whose reply is not where it belongs: whose it is, and what of it. */
typedef struct wr_context_asked {
    uint32_t owner; /* of coming */
    wr_sequencer_kind kind;
    uint32_t warp;
    uint32_t offset; /* in its piece */
    uint32_t bytes;
} wr_context_asked;

/* A TB that is placed and not whole. */
typedef struct wr_context_coming {
    wr_saved_tb tb;
    uint32_t slot;
    wr_pag pag;       /* as it was saved */
    uint32_t awaited; /* bytes that are asked for and not where they belong */
    bool has_meta;    /* pattern vectors, predicates and shared memory are here */
    bool has_asked;   /* everything is asked for */
    bool is_whole;    /* it was saved as a whole TB; from has_meta on */
    uint32_t words;   /* of its stream then */
    uint8_t ccb[WR_CTX_CCB_BYTES];
    uint8_t preds[WR_CTX_MAX_WARPS * WR_CTX_PRED_BYTES];
    uint8_t patterns[WR_CTX_MAX_WARPS * WR_CTX_PATTERN_BYTES];
    uint8_t stacks[WR_CTX_MAX_WARPS][WR_CTX_STACK_BYTES];
} wr_context_coming;

/* A TB slot with a TB to be saved. */
typedef struct wr_context_tb {
    wr_saved_tb tb;
    uint64_t begun; /* warps whose save has begun, bit = index; not 0: it has an entry */
    uint64_t saved; /* warps whose registers are saved */
    bool by_warp;   /* it has more groups than a whole TB may have */
    bool is_whole;  /* saved as one: */
    wr_saved_whole whole;
    uint32_t pattern[WR_CTX_MAX_WARPS][4]; /* else; both until the TB is evicted */
} wr_context_tb;

/* One warp's registers at a time; all pipelines of an engine save warps of any of its TBs. */
typedef struct wr_context_pipeline {
    bool busy;
    uint32_t slot, index; /* TB slot, and the warp of its TB */
    wr_save_job job;
    wr_save_path path; /* BY_WARP, BY_TB; else the engine's raw path */
} wr_context_pipeline;

enum {
    WR_CONTEXT_PIPELINES = 4,                                    /* most */
    WR_CONTEXT_BLOCKS = 8 + WR_CONTEXT_PIPELINES + WR_CTX_AHEAD, /* of an engine, most */
};

typedef struct wr_context_engine {
    wr_context_state state;
    wr_owner owner;
    wr_context_area *areas; /* by stream */
    wr_context_kind kind;
    wr_context_pipeline pipe[WR_CONTEXT_PIPELINES];
    uint32_t pipelines; /* of them; more than one BY_WARP alone */
    bool awaits_stores; /* the user's: a warp is saved once its stores are acknowledged (SMK 5.1) */
    wr_raw_path raw;    /* LIVE, ALL */
    wr_tb_save whole;   /* BY_TB */
    wr_restore_path restore;
    wr_tb_restore whole_back;
    wr_parts
        parts[WR_CTX_AHEAD]; /* of the TBs in coming; the first also of the one that is saved */

    uint64_t open;                        /* TB slots to be saved */
    uint64_t early;                       /* announced */
    uint64_t halted;                      /* by the user */
    uint64_t keep_registers, keep_shared; /* of the next request */
    wr_context_tb tb[WR_CONFIG_MAX_TBS];
    bool saving;                             /* a save is open, or its TB not handed over */
    bool begun;                              /* these saves have had their first cycle */
    bool all_stopped;                        /* no warp to be saved still executes */
    wr_context_event out[WR_CONFIG_MAX_TBS]; /* evicted, not handed over */
    uint32_t out_count;
    wr_saved_tb in[WR_CONFIG_MAX_TBS]; /* to be restored, a ring */
    uint32_t in_first, in_count;
    wr_context_coming coming[WR_CTX_AHEAD]; /* placed, a ring; the block has the first */
    uint32_t coming_first, coming_count;

    uint32_t slot;                        /* TB slot of PARTS and WHOLE */
    wr_context_asked asked[WR_CTX_ASKED]; /* a ring, in the order of the replies */
    uint32_t asked_first, asked_count;
    uint8_t reply[WR_CTX_SEGMENT]; /* to the first of them */
    bool has_reply;
    uint32_t port_cycles, port_wait; /* of the shared memory's port, as in the save path */
    uint8_t buffer[WR_CTX_MAX_WARPS * WR_CTX_PRED_BYTES]; /* a piece that is being written */

    /* of the last step */
    uint64_t evicted; /* slots of TBs that have left the SM; handed over they are later */
    wr_context_event event[2 * WR_CONFIG_MAX_TBS + 1];
    uint32_t event_count;

    wr_context_record record; /* of the present or last saves; its sums once all is saved */
    wr_context_sums sums[WR_MAX_STREAMS]; /* these by the TBs' stream, so far */
    char message[512];                    /* why it failed */

    wr_port *port[WR_CONTEXT_BLOCKS]; /* of its blocks: those of the save first */
    uint32_t ports;
} wr_context_engine;

/* In launch_begin: lays the stream's area out for the launch. False: its TBs cannot be saved; why,
 * to refuse it with. who: the system, as the message names it. */
bool wr_context_launch(wr_context_area *area, wr_gpu *gpu, const wr_launch *launch,
                       wr_context_kind kind, uint32_t entries, const char *who, char *why,
                       size_t size);

/* Opens the blocks in the parameters of this machine. areas: WR_MAX_STREAMS of them, of all the
 * system's engines, prepared for this kind when a launch begins. pipelines: 1 to
 * WR_CONTEXT_PIPELINES, more than one BY_WARP alone. False with one line in err: also
 * where the machine does not have the sizes that the format fixes. The engine must not move. */
bool wr_context_engine_open(wr_context_engine *engine, const wr_gpu_config *cfg,
                            const wr_behind *behind, wr_owner owner, wr_context_area *areas,
                            wr_context_kind kind, uint32_t pipelines, char *err, size_t err_size);
void wr_context_engine_close(wr_context_engine *engine);

/* Saves the TBs of these slots, a bit each; WR_ALL_TBS: the whole SM. Returns those that were not
 * asked for before: without empty slots, and without TBs that are on their way in. */
uint64_t wr_context_engine_save(wr_context_engine *engine, wr_sm *sm, uint64_t tbs);

/* TBs of these slots stop at once and stay, beside those that are saved: to be discarded by the
 * user. */
void wr_context_engine_halt(wr_context_engine *engine, wr_sm *sm, uint64_t tbs);
/* TBs of these slots begin to stop: they are to be saved, but not yet. Until the next request. */
void wr_context_engine_announce(wr_context_engine *engine, wr_sm *sm, uint64_t tbs);

/* Registers of the TBs of the first slots stay where they are, shared memory of the second, when
 * these TBs are saved (Lin-P III.A): by the next request alone. Their pointers in the control block
 * are 0 then (IV.B), and the SM keeps their storage until they come back to it (wr_sm_tb_park). */
void wr_context_engine_keep(wr_context_engine *engine, uint64_t registers, uint64_t shared);

/* Brings a TB to this SM. False: the engine has as many waiting as an SM has TB slots. */
bool wr_context_engine_restore(wr_context_engine *engine, wr_sm *sm, const wr_saved_tb *tb);

/* One cycle of an engine that is not idle, from sm_cycle. What has ended in it is in event[0 ..
 * event_count - 1] until the next step. State WR_CONTEXT_FAILED: message says why; no further
 * step. */
void wr_context_engine_step(wr_context_engine *engine, wr_sm *sm);

static inline bool wr_context_engine_idle(const wr_context_engine *engine)
{
    return engine->state == WR_CONTEXT_IDLE;
}

/* No launch is in flight any more: an engine whose TBs all ran to their end while it waited for
 * them goes idle. Where the run failed, what was on its way is lost with it. */
void wr_context_engine_drop(wr_context_engine *engine, wr_sm *sm);

extern const char *const wr_context_kind_names[]; /* NULL behind the last */
const char *wr_context_state_name(wr_context_state state);

/* The parts of the engine, for engine*.c alone. */
void wr_engine_save_step(wr_context_engine *engine, wr_sm *sm);
void wr_engine_restore_step(wr_context_engine *engine, wr_sm *sm);
/* Where registers of this TB's warp go, or its stream. False: the engine has failed. */
enum { WR_ENGINE_WHOLE = WR_CTX_MAX_WARPS };
bool wr_engine_slot(wr_context_engine *engine, const wr_sm *sm, uint32_t slot, uint32_t index,
                    uint64_t *addr);
/* The fixed parts of a TB whose registers are saved. True: the queue was written in this cycle. */
void wr_engine_parts_begin(wr_context_engine *engine, uint32_t slot);
bool wr_engine_parts_step(wr_context_engine *engine, wr_sm *sm);
/* Tells the SM whose warps are to stop: at points, or where all registers are saved at once. */
void wr_engine_stop(wr_context_engine *engine, wr_sm *sm);
void wr_engine_tell(wr_context_engine *engine, const wr_context_event *event);
void wr_engine_fail(wr_context_engine *engine, const wr_sm *sm, const char *what);

#endif
