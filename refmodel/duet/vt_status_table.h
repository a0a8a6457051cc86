/* SPDX-License-Identifier: Apache-2.0 */
/* vt_status_table: Virtual Thread's bookkeeping, for the comparison with GPUDuet.
 *
 *                      +------------------------------+
 *  launch, finish ---> |  TB status table, Tbs x 7    | ---> swap_valid, swap_out, swap_in
 *  stall, wake ------> |  {active 1, count 6}         | <--- take, out_bar, in_bar
 *  cfg, warps -------> |                              |
 *                      |  warp slot -> virtual warp,  | ---> busy
 *  map_write, slot --> |  Slots x 7   ^ renaming walk | ---> look_vwi, look_active, look_count
 *  look_slot, _tb ---> |                              | ---> fault
 *                      +------------------------------+
 *
 *  TB   free --launch--> active --all N warps wait--> stalled --take--> inactive, waits for memory
 *                ^  \       ^                                             | last wake: count 0
 *      finish ---+   \      '--------------------take--------------- inactive, ready
 *                     '--launch without slots------------------------------^
 *
 * An active TB counts the warps that wait, for memory or at a barrier; when all N do, at least one
 * waits for memory, as a barrier with all its warps opens. An inactive TB counts those that wait
 * for memory, so 0 means ready whatever barrier its other warps wait at.
 *
 * Invariants: a count is at most N, or 63 in a free entry; no swap is proposed during a renaming.
 *
 * Not modelled: the move of block state to shared memory and its latency; which warp of a TB waits
 * for what; whether a slot in the map has a warp at all.
 *
 * Source: Lin-D 3.6.8; Yoon et al., ISCA 2016.
 */
#ifndef WR_REFMODEL_DUET_VT_STATUS_TABLE_H
#define WR_REFMODEL_DUET_VT_STATUS_TABLE_H

#include "refmodel/contract.h"
#include "refmodel/gen/vt_status_table_pins.h"

enum {
    WR_VT_TBS_MAX = 32,
    WR_VT_SLOTS_MAX = 64,
    WR_VT_VIRTUAL_WARPS = 128,
    WR_VT_FREE = 63, /* count of a free entry */
};

typedef struct wr_vt_status_table {
    wr_vt_status_table_cfg cfg;

    bool active_q[WR_VT_TBS_MAX];
    uint8_t count_q[WR_VT_TBS_MAX]; /* 6 bits; 0 from Tbs on */
    uint8_t vwi_q[WR_VT_SLOTS_MAX]; /* 7 bits */
    uint8_t warps_q;                /* 6 bits: N */
    bool busy_q;
    uint8_t walk_q;      /* 6 bits: slot that is renamed in this cycle */
    uint8_t from_q;      /* 7 bits: first virtual warp of the TB switched out */
    uint8_t to_q;        /* 7 bits: and of the one switched in */
    uint8_t out_start_q; /* 5 bits */
    uint8_t in_start_q;
    bool fault_q;
} wr_vt_status_table;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_vt_status_table_init(wr_vt_status_table *s, const wr_vt_status_table_cfg *cfg);

void wr_vt_status_table_reset(wr_vt_status_table *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_vt_status_table_eval(const wr_vt_status_table *s, const wr_vt_status_table_in *in,
                             wr_vt_status_table_out *out);

/* The clock edge. */
void wr_vt_status_table_tick(wr_vt_status_table *s, const wr_vt_status_table_in *in);

#endif
