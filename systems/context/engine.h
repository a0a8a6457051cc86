/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption unit of one SM: saves every TB of it to simulated memory and brings them back
 * (Lin-P IV.B, IV.C, Fig. 13).
 *
 *   idle -> pick <-> warp                          registers of a stopped, drained warp
 *            |  ^
 *            v  |      once all live warps of a TB are saved
 *          shared -> stack -> CCB -> patterns      and the TB is evicted, its storage poisoned
 *            |
 *            v         no TB left
 *           acks -> place -> CCB -> meta -> state  per TB: read back and resume its warps
 *                     ^                       |
 *                     +-----------------------+---> idle
 *
 * Invariants:
 * - of an evicted TB only its identity, its CCB entry's number and nothing of its context is
 *   kept: restore reads pattern vectors, pointers, stacks, predicates, shared memory and
 *   registers from simulated memory;
 * - the signal is up from the start to the last acknowledgement. The system keeps new TBs off
 *   the SM until the unit is idle again;
 * - one request enters the context queue per cycle at most.
 *
 * A cycle is spent draining where warps are left and none is ready to be saved: the spilling
 * pipeline is idle and waits. Every other cycle of the save is spilling (Lin-P V.C). Warps that
 * come to their points while others are saved cost no such cycle; how long the SM went on
 * executing is counted apart, as `stop`.
 */
#ifndef WR_SYSTEMS_CONTEXT_ENGINE_H
#define WR_SYSTEMS_CONTEXT_ENGINE_H

#include "systems/context/area.h"
#include "systems/context/restore.h"
#include "systems/context/save.h"
#include "systems/context/stream.h"

typedef enum wr_preempt_state {
    WR_PREEMPT_IDLE,
    WR_PREEMPT_PICK,
    WR_PREEMPT_WARP,
    WR_PREEMPT_SHARED,
    WR_PREEMPT_STACK,
    WR_PREEMPT_CCB,
    WR_PREEMPT_PATTERNS,
    WR_PREEMPT_ACKS,
    WR_PREEMPT_PLACE,
    WR_PREEMPT_READ_CCB,
    WR_PREEMPT_READ_META,
    WR_PREEMPT_READ_STATE,
    WR_PREEMPT_FAILED,
    WR_PREEMPT_STATES
} wr_preempt_state;

/* What saved contexts came to, in sums. A warp that had finished is not counted in warps. */
typedef struct wr_context_sums {
    uint64_t tbs, warps;
    uint64_t occupied_bytes; /* allocated registers x 128 B */
    uint64_t live_bytes;     /* live registers x 128 B */
    uint64_t data_bytes;     /* compressed data words (P8) */
    uint64_t padded_bytes;   /* the same with the padding of last segments: as written */
    uint64_t pattern_bytes, pred_bytes, stack_bytes, shared_bytes, ccb_bytes; /* as written */
    uint64_t uniform, strided, random, dead; /* registers of the counted warps */
} wr_context_sums;

/* One preemption, in cycles. latency = drain + spill; stop overlaps both. */
typedef struct wr_preempt_record {
    uint64_t cycle; /* of the signal */
    uint32_t sm;
    uint32_t latency; /* signal to the last state in memory */
    uint32_t drain;
    uint32_t spill;
    uint32_t stop;    /* signal to the last warp stopped and drained, or finished */
    uint32_t restore; /* end of the save to the last warp's resume */
    wr_context_sums sums;
} wr_preempt_record;

/* A TB on its way out or in. */
typedef struct wr_unit_tb {
    bool out;        /* evicted, to be placed again */
    wr_tb_info info; /* identity */
    uint64_t saved;  /* warps of the TB whose registers are saved, bit = index */
    uint32_t pattern[WR_CTX_MAX_WARPS][4]; /* until the TB is evicted */
} wr_unit_tb;

typedef struct wr_preempt_unit {
    wr_preempt_state state;
    wr_save_path save;
    wr_restore_path restore;
    const wr_context_area *areas; /* by stream */
    uint32_t first_entry;         /* CCB entry of this SM's TB slot 0 */

    wr_unit_tb tb[WR_CONFIG_MAX_TBS];
    uint32_t slot;          /* TB slot in work: where it lay when it was saved */
    uint32_t index;         /* warp of the TB in work */
    uint32_t placed;        /* TB slot that it got back */
    wr_context_pointers at; /* its context */
    wr_context_writer writer;
    wr_context_reader reader;
    wr_context_piece piece;
    bool has_piece;
    uint32_t port_cycles, port_wait; /* of the shared memory's port, as in the save path */
    uint8_t buffer[WR_CTX_MAX_WARPS * WR_CTX_PRED_BYTES]; /* bytes that a writer sends */
    uint8_t preds[WR_CTX_MAX_WARPS * WR_CTX_PRED_BYTES];  /* read back */
    uint8_t patterns[WR_CTX_MAX_WARPS * WR_CTX_PATTERN_BYTES];
    uint8_t ccb[WR_CTX_CCB_BYTES];
    uint8_t stacks[WR_CTX_MAX_WARPS][WR_CTX_STACK_BYTES];

    bool all_stopped;         /* no warp that the signal found still executes */
    wr_preempt_record record; /* of the present or last preemption; its sums once all is saved */
    wr_context_sums sums[WR_MAX_STREAMS]; /* these by the TBs' stream, so far */
    char message[512];                    /* why it failed */
} wr_preempt_unit;

bool wr_preempt_unit_open(wr_preempt_unit *unit, const wr_gpu_config *cfg, wr_backend backend,
                          const char *block_config, char *err, size_t err_size);
void wr_preempt_unit_close(wr_preempt_unit *unit);

/* The signal of this SM rises in cycle `now`; the unit must be idle. areas: of the launches in
 * flight, by stream. */
void wr_preempt_unit_signal(wr_preempt_unit *unit, wr_sm *sm, const wr_context_area *areas,
                            uint32_t first_entry, uint64_t now);

/* Where the context of the TB in work lies, and the sums that it goes into. */
static inline const wr_context_area *wr_unit_area(const wr_preempt_unit *unit)
{
    return &unit->areas[unit->tb[unit->slot].info.stream];
}
static inline wr_context_sums *wr_unit_sums(wr_preempt_unit *unit)
{
    return &unit->sums[unit->tb[unit->slot].info.stream];
}
void wr_context_sums_add(wr_context_sums *to, const wr_context_sums *from);

/* One cycle of a unit that is not idle. True in the cycle in which it is idle again: record is
 * complete. State WR_PREEMPT_FAILED: message says why; no further step. */
bool wr_preempt_unit_step(wr_preempt_unit *unit, wr_sm *sm);

/* No launch is in flight any more: a unit whose TBs all ran to their end while it waited for them
 * goes idle. Where the run failed, what was on its way is lost with it. */
void wr_preempt_unit_drop(wr_preempt_unit *unit, wr_sm *sm);

/* Its five blocks, in the order that a register takes: decoder, compressor, packer, unpacker,
 * decompressor. */
enum { WR_PREEMPT_BLOCKS = 5 };
wr_port *wr_preempt_unit_port(wr_preempt_unit *unit, uint32_t block);

const char *wr_preempt_state_name(wr_preempt_state state);

/* The two halves of the unit, for preempt_unit.c alone. */
void wr_unit_save_step(wr_preempt_unit *unit, wr_sm *sm);
void wr_unit_restore_step(wr_preempt_unit *unit, wr_sm *sm);
void wr_unit_restore_begin(wr_preempt_unit *unit);
void wr_unit_fail(wr_preempt_unit *unit, const wr_sm *sm, const char *what);

#endif
