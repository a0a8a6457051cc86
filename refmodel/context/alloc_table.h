/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_table: who holds which run of units of an on-chip memory, and who must leave.
 *
 *                     +-----------------------------------+
 *  valid, op -------> |  table: start, size, kernel, TB   | ---> rsp_valid, rsp_kind, rsp_ok
 *  kernel, tb ------> |   0 |   0 | 300 | K1 | TB0 |      | ---> rsp_tb, rsp_start, rsp_size
 *  size, count, old > |   1 | 300 | 300 | K1 | TB1 |      | <--- rsp_ready
 *  ready <----------- |     ...     candidate ->          | ---> used, fault
 *                     +-----------------------------------+
 *
 *  lookup, free   answered in the next cycle
 *  alloc          idle -> search -> reply: contiguous first fit from unit 0
 *  plan           idle -> trial <-> pick -> leave* -> place* -> reply: TBs of the old kernel go,
 *                 the one with the lowest number first, until all new TBs fit; the whole of them
 *                 is tried again from unit 0 behind each. Nothing changes before that is certain.
 *
 * First fit walks a candidate address up: it starts at 0, and where entries are in its way it moves
 * to the highest end among them. No start in between can be free: the entry with that end would be
 * in its way too.
 *
 * Invariants: entries in use never overlap and lie below Units; (kernel, TB) is unique among them;
 * nobody is gone outside trial, pick and leave.
 *
 * Not modelled: the save of those who leave, which the taker of the replies does; victims of
 * several kernels in one plan; the fewest victims (lowest number first can need more); the 3 spare
 * bits of a shared-memory entry.
 *
 * Source: Lin-P III.A, Fig. 4.
 */
#ifndef WR_REFMODEL_CONTEXT_ALLOC_TABLE_H
#define WR_REFMODEL_CONTEXT_ALLOC_TABLE_H

#include "refmodel/contract.h"
#include "refmodel/gen/alloc_table_pins.h"

enum { WR_ALLOC_ENTRIES_MAX = 32 };

typedef enum wr_alloc_state {
    WR_ALLOC_IDLE = 0,
    WR_ALLOC_SEARCH = 1,
    WR_ALLOC_TRIAL = 2,
    WR_ALLOC_PICK = 3,
    WR_ALLOC_LEAVE = 4,
    WR_ALLOC_PLACE = 5,
    WR_ALLOC_REPLY = 6,
} wr_alloc_state;

/* One entry; start, size, kernel and tb mean something where its bit of used_q is 1. */
typedef struct wr_alloc_entry {
    uint16_t start;
    uint16_t size;
    uint8_t kernel;
    uint16_t tb;
} wr_alloc_entry;

typedef struct wr_alloc_table {
    wr_alloc_table_cfg cfg;

    uint8_t state_q; /* wr_alloc_state */
    wr_alloc_entry entry_q[WR_ALLOC_ENTRIES_MAX];
    uint32_t used_q;  /* bit i: entry i is in use */
    uint32_t gone_q;  /* bit i: entry i is to leave */
    uint16_t cand_q;  /* candidate address */
    uint8_t placed_q; /* new TBs that have found their place */

    /* The operation, from its acceptance to its last reply. */
    uint8_t kernel_q;
    uint16_t tb_q;
    uint16_t size_q;
    uint8_t count_q;
    uint8_t old_q;

    /* The last reply. */
    bool ok_q;
    uint16_t rsp_start_q;
    uint16_t rsp_size_q;

    bool fault_q;
} wr_alloc_table;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_alloc_table_init(wr_alloc_table *s, const wr_alloc_table_cfg *cfg);

void wr_alloc_table_reset(wr_alloc_table *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_alloc_table_eval(const wr_alloc_table *s, const wr_alloc_table_in *in,
                         wr_alloc_table_out *out);

/* The clock edge. */
void wr_alloc_table_tick(wr_alloc_table *s, const wr_alloc_table_in *in);

#endif
