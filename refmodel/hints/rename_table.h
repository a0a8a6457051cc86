/* SPDX-License-Identifier: Apache-2.0 */
/* rename_table: where the newest value of a register is while one warp is in hint mode.
 *
 *                         scalar             vector
 *                     +-----------+      +-----------+
 *  update --------->  | reg | to  |      | reg | to  |   <------------ drop
 *  (vec, reg, to)     | reg | to  |      | reg | to  |       (vec, reg, from)
 *                     |    ...    |      |    ...    |
 *                     +-----------+      +-----------+
 *  read[i] (vec, reg) ---> mapped[i], renamed[i]           clear, scalar_count, vector_count, fault
 *
 *   entry, 16 bits   15       8 7        0
 *                  [ register | renamed  ]   equal: the entry is empty
 *
 * A register that maps to itself is not renamed, so {r, r} is what an empty entry holds and a valid
 * bit is not needed: 16 bits are enough.
 * Invariant: in a table at most one entry with differing halves has a given register.
 *
 * Not modelled: which registers renaming may use (the compiler's choice, above the kernel's own);
 * the move that copies a renamed register back; special codes of destinations, which are never
 * renamed and so never enter.
 *
 * Source: Gong 5.3.3 (the table records the latest mapping), 5.3.6 (two tables, 8 x 16 bits each).
 */
#ifndef WR_REFMODEL_HINTS_RENAME_TABLE_H
#define WR_REFMODEL_HINTS_RENAME_TABLE_H

#include "refmodel/contract.h"
#include "refmodel/gen/rename_table_pins.h"

enum {
    WR_RENAME_ENTRIES_MAX = 16,
};

typedef struct wr_rename_table {
    wr_rename_table_cfg cfg;

    uint16_t scalar_q[WR_RENAME_ENTRIES_MAX]; /* register << 8 | renamed */
    uint16_t vector_q[WR_RENAME_ENTRIES_MAX];
    bool fault_q;
} wr_rename_table;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_rename_table_init(wr_rename_table *s, const wr_rename_table_cfg *cfg);

void wr_rename_table_reset(wr_rename_table *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_rename_table_eval(const wr_rename_table *s, const wr_rename_table_in *in,
                          wr_rename_table_out *out);

/* The clock edge. */
void wr_rename_table_tick(wr_rename_table *s, const wr_rename_table_in *in);

#endif
