/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher: brings TBs to an SM and clears them away.
 *
 *   book, allow, waiting,    +---------------------------+
 *   ended, vacate, cfg ----> | decision: one job         | ---> me_launch, me_leave
 *                            |            |              |
 *                            |            v              | <--> tables: look, insert, remove
 *   machine: place, ask <--> | its steps, for each warp  | ---> slots: claim, left (gives)
 *   machine, scanner    <--- | enter, arrive, left, gone | <--> bitmap: alloc, free
 *   switch logic: mem   ---> | goes first -------------- | --------^
 *                            +---------------------------+ ---> slots_free, job, state, fault
 *
 *   job      what                                          warps go
 *   book     TBs that are on the SM go into the tables     to running, in their slots
 *   unbook   places between them are given back            out
 *   native   a TB of the grid, in free slots               ready without a slot, then running
 *   extra    one that is switched out from the start       to ready
 *   handed   one that gets the places of a TB that ended   on as they are
 *   clear    a TB that has ended                           out
 *   undo     a launch that does not succeed                out
 *   vacate   one warp that has finished                    out
 *
 * Addresses are in the tables alone: each run of lines is written there when it is had, so a job
 * that ends a TB, or fails, reads them back. An entry is removed before its lines are given back:
 * no line has two owners.
 *
 * Invariants: one job at a time; a request holds until its ack; slots are promised to a native
 * launch from its decision to the claim, and the switch logic sees none of them.
 *
 * Not modelled: which TB of the grid comes, its bytes, the limits behind allow and keep.
 *
 * Source: Lin-D 3.6.2, 3.6.4, 3.6.6, Fig. 3.11.
 */
#ifndef WR_REFMODEL_DUET_TB_LAUNCHER_H
#define WR_REFMODEL_DUET_TB_LAUNCHER_H

#include "refmodel/contract.h"
#include "refmodel/gen/tb_launcher_pins.h"

typedef enum wr_launcher_job {
    WR_LAUNCHER_NONE = 0,
    WR_LAUNCHER_BOOK,
    WR_LAUNCHER_UNBOOK,
    WR_LAUNCHER_NATIVE,
    WR_LAUNCHER_EXTRA,
    WR_LAUNCHER_HANDED,
    WR_LAUNCHER_CLEAR,
    WR_LAUNCHER_UNDO,
    WR_LAUNCHER_VACATE,
} wr_launcher_job;

typedef enum wr_launcher_state {
    WR_LAUNCHER_IDLE = 0,
    WR_LAUNCHER_SETUP,
    WR_LAUNCHER_SMEM,
    WR_LAUNCHER_ADD_TB,
    WR_LAUNCHER_REGS,
    WR_LAUNCHER_AWAY,
    WR_LAUNCHER_ADD_WARP,
    WR_LAUNCHER_PLACE,
    WR_LAUNCHER_LEAVE,
    WR_LAUNCHER_LAUNCH,
    WR_LAUNCHER_LOOK,
    WR_LAUNCHER_TELL,
    WR_LAUNCHER_CHECK,
    WR_LAUNCHER_CHECK_TB,
    WR_LAUNCHER_READ,
    WR_LAUNCHER_DROP,
    WR_LAUNCHER_FREE_REGS,
    WR_LAUNCHER_FREE_AWAY,
    WR_LAUNCHER_READ_TB,
    WR_LAUNCHER_DROP_TB,
    WR_LAUNCHER_FREE_SMEM,
} wr_launcher_state;

/* What tab_op says; those below 3 as of context_switch_logic. */
typedef enum wr_launcher_tab_op {
    WR_LAUNCHER_READ_WARP = 0,
    WR_LAUNCHER_WRITE_WARP = 1,
    WR_LAUNCHER_TAB_READ_TB = 2,
    WR_LAUNCHER_INSERT_WARP = 3,
    WR_LAUNCHER_REMOVE_WARP = 4,
    WR_LAUNCHER_INSERT_TB = 5,
    WR_LAUNCHER_REMOVE_TB = 6,
} wr_launcher_tab_op;

enum {
    WR_LAUNCHER_TBS = 32,
    WR_LAUNCHER_NOWHERE = 0xfff,   /* an address that is none */
    WR_LAUNCHER_META_SLOT = 0xc00, /* metadata address of warp slot 0 */
    WR_LAUNCHER_SLOTS = 64,
};
enum { WR_LAUNCHER_LEVEL_OFF, WR_LAUNCHER_LEVEL_WARP, WR_LAUNCHER_LEVEL_TB };
enum { WR_LAUNCHER_REGISTERS, WR_LAUNCHER_SHARED, WR_LAUNCHER_L1 };

typedef struct wr_tb_launcher {
    wr_tb_launcher_cfg cfg;

    uint8_t level_q;
    bool registers_move_q, use_l1_q;
    uint8_t warps_q;                /* 6 bits: N */
    uint16_t regs_q, lines_q;       /* 10 bits */
    uint16_t tb_regs_q;             /* 12 bits */
    uint16_t cfg_smem_q;            /* 10 bits */
    uint8_t mc_q;                   /* 6 bits */
    uint8_t job_q;                  /* wr_launcher_job */
    uint8_t state_q;                /* wr_launcher_state */
    uint8_t tb_q;                   /* 6 bits: mc at the end of booking */
    uint8_t index_q;                /* warp of the TB */
    uint8_t warp_q;                 /* 7 bits: its number */
    uint16_t smem_q, row_q, meta_q; /* addresses */
    bool here_q;                    /* booking: the TB is on the SM */
    bool spilled_q;                 /* the TB read last has absent warps */
    bool second_q;                  /* the alloc under way is tried in the L1 */
    bool run_q;                     /* booked */
    bool ended_q[WR_LAUNCHER_TBS];  /* never from Tbs on */
    bool launch_blocked_q, native_blocked_q, in_blocked_q;
    bool map_busy_q, map_ours_q; /* the bitmap has been asked; by this block */
    bool fault_q;
} wr_tb_launcher;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_tb_launcher_init(wr_tb_launcher *s, const wr_tb_launcher_cfg *cfg);

void wr_tb_launcher_reset(wr_tb_launcher *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_tb_launcher_eval(const wr_tb_launcher *s, const wr_tb_launcher_in *in,
                         wr_tb_launcher_out *out);

/* The clock edge. */
void wr_tb_launcher_tick(wr_tb_launcher *s, const wr_tb_launcher_in *in);

#endif
