/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the system share: one gpuduet for each SM, what is of the launch, and the
 * machine at the blocks' pins.
 *
 *   events of warps --> levels: waits, clear, done, free --> gpuduet --> hold, place, enter, ...
 *                       sm.c: one cycle of a block            |
 *                       tbs.c: TBs and warps come and go      |
 *   data of loads --> warps that are away: reply.c ---------->|
 *                       move.c: warps leave, and the storage  '--> lines read and written
 *
 * A unit of warps is a warp, or a TB where shared memory limits (level TB). Numbers: a TB is known
 * by its TB slot of the SM, warp j of it by t * N + j, 0 to 127, in all tables; the shell knows a
 * warp by its slot while it is in one, and by its identity.
 *
 * Who may leave, who comes back, which TB is launched and where everybody lies is the unit's alone.
 * Here is what the machine has: which warp is in which slot and row, what waits, what loads in
 * flight will give, and bytes.
 *
 * [serial], but for what hooks note of an SM.
 */
#ifndef WR_SYSTEMS_DUET_STATE_H
#define WR_SYSTEMS_DUET_STATE_H

#include "dpi/gen/gpuduet_port.h"
#include "refmodel/duet/gpuduet.h"
#include "shell/core/seam/identity.h"
#include "shell/core/seam/storage.h"
#include "shell/core/seam/warp.h"
#include "systems/duet/image.h"
#include "systems/frame/system.h"
#include "systems/monitor/watch.h"

enum {
    WR_DUET_WARPS = 128, /* of the tables */
    WR_DUET_TBS = 32,
    WR_DUET_SLOTS = 64,
    WR_DUET_IDS = WR_CONFIG_MAX_WARPS + WR_MOST_AWAY,
    WR_DUET_NONE = 0xff, /* no warp; no slot */
    WR_DUET_LAUNCH_POISON = 0xa5,
    WR_DUET_POISON = 0x5a,
    WR_DUET_MOST_LINES = 1016, /* of shared memory and of the L1, as the unit takes them */
};

/* A set of the tables' warps. */
typedef struct wr_duet_set {
    uint64_t bits[2];
} wr_duet_set;
static inline bool wr_duet_has(const wr_duet_set *s, uint32_t i)
{
    return (s->bits[i / 64] >> i % 64 & 1) != 0;
}
static inline void wr_duet_add(wr_duet_set *s, uint32_t i)
{
    s->bits[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void wr_duet_drop(wr_duet_set *s, uint32_t i)
{
    s->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

typedef struct wr_duet_counts {
    uint64_t ops[5]; /* by wr_csl_op */
    uint64_t move_cycles, lines, replies, barriers, placed[3], resident_most;
} wr_duet_counts;

typedef struct wr_duet wr_duet;

/* The machine around one unit. */
typedef struct wr_duet_sm {
    wr_duet *duet;
    wr_sm *sm;
    uint32_t bay_unit;
    uint32_t signal[WR_DUET_WARPS]; /* of the waveform: what each warp does */
    uint8_t entry[WR_DUET_WARPS];   /* what its entry says, for it: 1 + its state, or 0 */
    bool opened;

    wr_port_gpuduet block;
    wr_gpuduet_in in;
    wr_gpuduet_out out; /* of its last cycle, or of the one under way */
    uint32_t lively; /* cycles in which it still has something to do, the dispatcher placing TBs */

    /* The hand-over: the SM is closed; its L1 is being emptied, and who is leaving is waited for.
     */
    bool handing;
    bool starts;
    uint32_t behind_start;       /* cycles */
    uint8_t placed[WR_DUET_TBS]; /* by the dispatcher, and the unit does not know: oldest first */
    uint32_t placed_count;
    uint32_t tbs_ended; /* since its last cycle */

    /* Slots, by hooks: whose warps wait; have gone on since its last cycle; have finished, and have
     * been taken out of the shell's slot. */
    uint64_t wait_memory, wait_barrier, woken, ended, done;
    uint64_t clear;       /* slots of warps that wait, with nothing in the pipeline */
    uint64_t taken, held; /* slots with an owner; those that are held */

    uint8_t owner[WR_DUET_SLOTS]; /* the warp that has the slot */
    uint8_t slot[WR_DUET_WARPS];
    uint16_t row[WR_DUET_WARPS]; /* of a warp in a slot: of its registers */
    uint8_t identity[WR_DUET_WARPS], warp_of[WR_DUET_IDS];
    uint32_t held_at;      /* 1 + the switch point at which the one that is to leave stands, or 0 */
    uint8_t leaving;       /* the unit that has left, and the tables do not say so yet */
    uint64_t kept;         /* registers of the warp that comes in */
    uint32_t away_written; /* lines, of the job */
    uint8_t *slot_lines;   /* WR_DUET_META_LINES for each slot */
    uint8_t home_read[WR_DUET_LINE]; /* in this cycle: they stand at the pins in the next one */
    uint8_t away_read[WR_DUET_LINE];

    /* Warps that are in no slot of the shell's, and not because they have finished; those that have
     * finished; absent ones that await a barrier; those for whom a load has come. */
    wr_duet_set away, finished, at_barrier, loaded;
    uint64_t landed[WR_DUET_WARPS]; /* registers */
    /* What loads in flight of absent warps will give: registers, values. */
    uint64_t flying[WR_DUET_WARPS];
    uint32_t (*values)[WR_DUET_REGISTER_LINES][32];

    uint8_t *l1; /* bytes of the L1's lines */
    wr_duet_counts counts;
} wr_duet_sm;

struct wr_duet {
    wr_system base;
    wr_bay *bay;
    wr_owner owner;
    wr_watch watch;
    uint32_t sms, rf_lines, smem_lines, l1_lines, st_lines, port_bytes;
    uint32_t most_extra; /* TBs, whatever the ME controller allows */
    bool watches;        /* verdicts are the monitor's; else one, "underutilised", a launch */
    bool gives_l1, barriers_stay, keeps_age, failed;
    bool switches_tbs; /* GPUDuet_TB */

    /* the launch */
    wr_gpu *gpu;
    const wr_launch *launch, *next; /* next: waits until all units are empty */
    uint32_t stream;
    bool active;                /* a unit has something to do in the next cycle */
    bool together;              /* level warp: warps of a TB leave when all of it waits */
    bool off;                   /* none of its warps may be switched */
    bool closer;                /* the SM has more TBs than lines can hold: they are not counted */
    uint32_t warps, regs, smem; /* N; lines of a warp's registers and of a TB's shared memory */
    uint8_t limits, level;
    wr_duet_shape shape;

    wr_duet_sm *sm;    /* by SM */
    uint64_t bypassed; /* SMs without L1 */
};

static inline bool wr_duet_whole_tbs(const wr_duet *d)
{
    return d->level == WR_CSL_TB;
}
/* Registers of a warp that is switched out leave the register file. */
static inline bool wr_duet_registers_move(const wr_duet *d)
{
    return d->level == WR_CSL_WARP && (d->limits & WR_CSL_LIMIT_REGISTERS) != 0;
}
/* Lines of a unit that move beside its metadata. */
static inline uint32_t wr_duet_body(const wr_duet *d)
{
    return wr_duet_whole_tbs(d) ? d->smem : wr_duet_registers_move(d) ? d->shape.lines : 0;
}

/* sm.c */
bool wr_duet_sm_open(wr_duet_sm *u, const wr_gpu_config *cfg, char *err, size_t err_size);
void wr_duet_sm_close(wr_duet_sm *u);
/* The figures of the launch, from its next cycle on. */
void wr_duet_sm_start(wr_duet_sm *u);
/* One cycle. A unit that failed ends the run. */
void wr_duet_sm_cycle(wr_duet_sm *u, bool verdict);
/* It has something to do without a further event. */
bool wr_duet_sm_active(const wr_duet_sm *u);
/* The dispatcher places the SM's TBs, and nothing of a launch before is left. */
bool wr_duet_sm_native(const wr_duet_sm *u);
void wr_duet_abort(wr_duet_sm *u, const char *what);

/* tbs.c */
/* The TBs that are there lie where a first fit puts them, from now on. */
void wr_duet_hand_over(wr_duet_sm *u);
/* A TB of the grid comes as the unit says; false: there is none. */
bool wr_duet_place(wr_duet_sm *u);
/* What the unit's outputs say of warps and TBs that come and go. */
void wr_duet_come_and_go(wr_duet_sm *u);
/* The warp of the tables enters a slot and goes on; its registers are in that row. */
void wr_duet_enter(wr_duet_sm *u, uint32_t warp, uint32_t slot, uint32_t row,
                   const wr_duet_meta *meta);
/* No event of who was in the slot counts any more. */
void wr_duet_forget_slot(wr_duet_sm *u, uint32_t slot);

/* move.c */
uint8_t *wr_duet_line(wr_duet_sm *u, uint32_t addr);
/* Lines from addr on. */
void wr_duet_fill(wr_duet_sm *u, uint32_t addr, uint32_t count, uint8_t value);
void wr_duet_put_meta(wr_duet_sm *u, uint32_t addr, const wr_duet_meta *meta);
/* What is moved in this cycle, and the warps that leave. */
void wr_duet_move(wr_duet_sm *u);
/* What was read stands at the pins from the next cycle on. */
void wr_duet_read(wr_duet_sm *u);
/* It is of the unit that has left, and the tables do not say so yet. */
bool wr_duet_leaving(const wr_duet_sm *u, uint32_t warp);
/* The tables say that the warp is absent. */
void wr_duet_absent(wr_duet_sm *u, uint32_t warp);
/* The metadata that lie in a slot's lines. */
void wr_duet_slot_meta(wr_duet_sm *u, uint32_t slot, wr_duet_meta *meta);
/* An absent warp awaits nothing any more, or does. */
void wr_duet_set_free(wr_duet_sm *u, uint32_t warp);

/* reply.c */
/* Which reply stands in this cycle. */
void wr_duet_reply_offer(wr_duet_sm *u);
/* Behind the block's outputs: words written, and the reply's end. */
void wr_duet_reply_write(wr_duet_sm *u);

#endif
