/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of rename_table, from the documents alone (Gong 5.3.3, 5.3.6, the block's toml): an
 * unordered list of mappings per class. Where in the table a mapping stands shows nowhere, so the
 * list has no places, only a limit.
 */
#ifndef WR_TESTS_ORACLE_RENAME_TABLE_ORACLE_H
#define WR_TESTS_ORACLE_RENAME_TABLE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_RENAME_ENTRIES = 16 };

typedef struct wr_oracle_mapping {
    unsigned reg;
    unsigned to;
} wr_oracle_mapping;

typedef struct wr_oracle_mappings {
    unsigned count;
    wr_oracle_mapping list[WR_ORACLE_RENAME_ENTRIES];
} wr_oracle_mappings;

/* One update or drop. */
typedef struct wr_oracle_rename_op {
    bool valid;
    bool vec;
    unsigned reg;
    unsigned other; /* update: the new place; drop: the place that was copied */
} wr_oracle_rename_op;

typedef struct wr_oracle_rename {
    unsigned entries;
    wr_oracle_mappings table[2]; /* scalar, vector */
    bool fault;
} wr_oracle_rename;

void wr_oracle_rename_reset(wr_oracle_rename *t, unsigned entries);

/* Where the newest value of a register is: itself where it has no mapping. */
unsigned wr_oracle_rename_read(const wr_oracle_rename *t, bool vec, unsigned reg, bool *renamed);

/* One clock edge. */
void wr_oracle_rename_step(wr_oracle_rename *t, bool clear, const wr_oracle_rename_op *update,
                           const wr_oracle_rename_op *drop);

#endif
