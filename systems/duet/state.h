/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the system share: one unit for each SM, and what is of the launch.
 *
 *   events of the machine --> scan.c: stalls, wakes --> queues --> context_switch_logic
 *                             rooms.c: launches, ends --> bitmap        |  decides
 *   unit.c: one cycle of a unit, the wiring of its blocks               v
 *                             move.c: bytes and warps move as it says, tables follow
 *
 * A unit of warps is a warp, or a TB where shared memory limits (level TB). Numbers: a TB is known
 * by its TB slot of the SM, warp j of it by t * N + j, 0 to 127, in all tables; the shell knows a
 * warp by its slot while it is in one, and by its identity.
 *
 * What is where is said by the tables alone. Beside them a unit keeps: which warp a slot has
 * (owner), which warps are in a queue or in the switch logic's hands (queued), and events that have
 * not been served.
 *
 * [serial], but for what hooks note of an SM.
 */
#ifndef WR_SYSTEMS_DUET_STATE_H
#define WR_SYSTEMS_DUET_STATE_H

#include "dpi/gen/context_switch_logic_port.h"
#include "dpi/gen/me_controller_port.h"
#include "dpi/gen/onchip_bitmap_port.h"
#include "dpi/gen/switch_queues_port.h"
#include "dpi/gen/tb_context_table_port.h"
#include "dpi/gen/warp_context_table_port.h"
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
    WR_DUET_TB_WARPS = 32,
    WR_DUET_ITEMS = 2 * WR_DUET_TB_WARPS + 1, /* runs of lines that a TB has */
    WR_DUET_ROOMS = WR_DUET_TBS * WR_DUET_ITEMS,
    WR_DUET_NONE = 0xfff, /* no place */
    WR_DUET_LAUNCH_POISON = 0xa5,
    WR_DUET_POISON = 0x5a,
    WR_DUET_PORTS = 6,
};
enum { WR_DUET_IN_REGISTERS, WR_DUET_IN_SHARED, WR_DUET_IN_L1 }; /* regions of the bitmap */

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
static inline bool wr_duet_any(const wr_duet_set *s)
{
    return (s->bits[0] | s->bits[1]) != 0;
}

/* Any of the warps first to first + count - 1, at most 32. */
static inline bool wr_duet_any_of(const wr_duet_set *s, uint32_t first, uint32_t count)
{
    uint64_t low = s->bits[first / 64] >> first % 64;
    uint64_t high = first < 64 && first % 64 != 0 ? s->bits[1] << (64 - first % 64) : 0;

    return ((low | high) & (UINT64_MAX >> (64 - count))) != 0;
}

typedef enum wr_duet_phase {
    WR_DUET_NATIVE, /* the dispatcher places TBs, in storage of its own; the tables are empty */
    WR_DUET_EMPTY,  /* waits until the L1 has given its lines away */
    WR_DUET_BOOK,   /* what is on the SM goes into the tables */
    WR_DUET_RUN,
} wr_duet_phase;

/* A run of lines. */
typedef struct wr_duet_run {
    uint8_t region, other; /* other: the second choice, or region */
    uint16_t count, addr;
} wr_duet_run;

/* A launch of a TB under way: lines for it, then its entries; at booking of all that are there. */
typedef struct wr_duet_placing {
    bool on, extra;
    bool located; /* booking: TBs lie in their lines */
    uint8_t tb;
    uint32_t items, got, inserted;
    wr_duet_run item[WR_DUET_ROOMS]; /* booking: of all TBs */
    uint8_t slot[WR_DUET_TB_WARPS];  /* of a native one */
} wr_duet_placing;

typedef struct wr_duet_counts {
    uint64_t ops[5]; /* by wr_csl_op */
    uint64_t move_cycles, lines, barriers, native, extra, handed, resident_most;
} wr_duet_counts;

typedef struct wr_duet wr_duet;

typedef struct wr_duet_unit {
    wr_duet *duet;
    wr_sm *sm;
    uint32_t bay_unit;
    uint32_t signal[WR_DUET_WARPS]; /* of the waveform: what each warp does */
    wr_duet_phase phase;
    uint32_t opened; /* ports, in the order below */

    wr_port_context_switch_logic csl;
    wr_port_warp_context_table wct;
    wr_port_tb_context_table tct;
    wr_port_onchip_bitmap map;
    wr_port_switch_queues queues;
    wr_port_me_controller me;
    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl_out;
    wr_warp_context_table_in wct_in;
    wr_warp_context_table_out wct_out;
    wr_tb_context_table_in tct_in;
    wr_tb_context_table_out tct_out;
    wr_onchip_bitmap_in map_in;
    wr_onchip_bitmap_out map_out;
    wr_switch_queues_in queues_in;
    wr_switch_queues_out queues_out;
    wr_me_controller_in me_in;
    wr_me_controller_out me_out;

    /* The ME controller's events that wait for its next cycle. */
    bool me_start, me_verdict;
    uint32_t me_launches, me_leaves;

    /* noted by hooks: slots whose warps wait, or have finished; registers of absent warps whose
     * loads have come, absent warps of which something came, or whose barrier opened */
    uint64_t wait_memory, wait_barrier, ended;
    uint64_t kept; /* slots whose warps have finished, in TBs with no absent warp */
    uint64_t woke; /* slots whose warps have gone on since they were marked */
    uint64_t landed[WR_DUET_WARPS];
    wr_duet_set loaded, passed;
    uint64_t tbs_ended; /* TBs that have left the SM and are to be cleared */

    uint8_t owner[WR_DUET_SLOTS]; /* warp that has the slot; WR_DUET_WARPS: none */
    uint8_t identity[WR_DUET_WARPS], warp_of[WR_DUET_IDS];
    uint64_t slots_free, hold; /* hold: what the unit holds */
    wr_duet_set queued, away;  /* away: the shell's warp is in no slot */
    wr_duet_set wake;          /* warps that may be ready, or are to be queued as such */
    wr_duet_set marked;        /* level TB: warps told stalled, in a TB that is not */
    uint32_t tb_queued, tbs_here;
    uint32_t tb_news;                  /* TBs that may have become ready as a whole */
    uint64_t tb_finished[WR_DUET_TBS]; /* warps of it that have finished, by number */
    int out_id, in_id;                 /* units of the switch under way, or -1 */
    uint32_t held_at;                  /* 1 + the switch point where it was held, or 0 */
    uint32_t scan, judge;              /* whose turn it is */
    bool moving;
    bool launch_blocked, native_blocked, in_blocked; /* until lines are given back */
    uint32_t clearing;         /* the TB whose entries go; WR_DUET_TBS: none */
    uint32_t handing, checked; /* the TB that may hand over; its entries that are as they must be */
    bool use_l1;

    bool map_ours, map_busy;         /* who uses the bitmap */
    wr_duet_run room[WR_DUET_ROOMS]; /* to be given back */
    uint32_t rooms;
    wr_duet_placing placing;

    uint8_t *l1; /* bytes of the L1's lines */
    /* What loads in flight of absent warps will give: registers, values. */
    uint64_t flying[WR_DUET_WARPS];
    uint32_t (*values)[WR_DUET_REGISTER_LINES][32];
    wr_duet_meta meta_in[WR_DUET_TB_WARPS]; /* of the unit that comes in, for its slots */
    wr_duet_counts counts;
} wr_duet_unit;

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

    wr_duet_unit *unit;      /* by SM */
    uint8_t *coming, *going; /* contexts on their way */
    uint64_t bypassed;       /* SMs without L1 */
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

/* unit.c */
bool wr_duet_unit_open(wr_duet_unit *u, const wr_gpu_config *cfg, char *err, size_t err_size);
void wr_duet_unit_close(wr_duet_unit *u);
/* One cycle. A block that failed ends the run. */
void wr_duet_unit_cycle(wr_duet_unit *u);
/* It has something to do without a further event. */
bool wr_duet_unit_active(wr_duet_unit *u);
void wr_duet_abort(wr_duet_unit *u, const char *what);

/* The tables' read ports: wct_out.look_*, tct_out.look_*. */
void wr_duet_look(wr_duet_unit *u, uint32_t warp);
void wr_duet_look_tb(wr_duet_unit *u, uint32_t tb);

/* scan.c: at most one command to the tables a cycle, where the switch logic leaves them free. */
void wr_duet_scan(wr_duet_unit *u);
void wr_duet_judge(wr_duet_unit *u);
/* The warp's entry goes, its lines and its slot are free; it is in its slot. */
void wr_duet_vacate(wr_duet_unit *u, uint32_t warp);
/* No event of who was in the slot counts any more. */
void wr_duet_forget_slot(wr_duet_unit *u, uint32_t slot);
/* Slots whose warps could be switched out now. */
uint64_t wr_duet_candidates(const wr_duet_unit *u);
/* The unit at the head of the stalled queue may leave: looked at with its slots held. */
bool wr_duet_may_leave(wr_duet_unit *u, uint32_t unit);
uint64_t wr_duet_unit_slots(const wr_duet_unit *u, uint32_t unit);
/* TBs that may have become stalled or ready as a whole. */
uint32_t wr_duet_tbs_to_judge(const wr_duet_unit *u);

/* rooms.c */
void wr_duet_answer_map(wr_duet_unit *u);
void wr_duet_give_room(wr_duet_unit *u, uint32_t addr, uint32_t count);
bool wr_duet_may_launch(wr_duet_unit *u);
void wr_duet_begin_launch(wr_duet_unit *u);
/* True: it has used the tables' command. */
bool wr_duet_insert_one(wr_duet_unit *u);
bool wr_duet_clear_one(wr_duet_unit *u);
void wr_duet_book(wr_duet_unit *u);

/* move.c */
uint8_t *wr_duet_line(wr_duet_unit *u, uint32_t addr);
void wr_duet_fill(uint8_t *line, uint8_t value);
void wr_duet_put_meta(wr_duet_unit *u, uint32_t addr, const wr_duet_meta *meta);
/* What the switch logic's outputs of this cycle say of bytes and warps. */
void wr_duet_follow(wr_duet_unit *u);
/* Metadata of a warp that has not run. */
void wr_duet_first_meta(wr_duet_unit *u, uint32_t tb, uint32_t index, wr_duet_meta *meta);
/* The warp of the tables enters a slot and goes on; its registers are in that row. */
void wr_duet_enter(wr_duet_unit *u, uint32_t warp, uint32_t slot, uint32_t row,
                   const wr_duet_meta *meta);

#endif
