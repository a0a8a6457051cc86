/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of vt_status_table, from the documents alone (Lin-D 3.6.8, LITERATURE 2, the block's
 * toml).
 *
 * The TBs are records with a state of their own name, the events of a cycle are applied one after
 * the other, and both searches walk round the whole table.
 */
#ifndef WR_TESTS_ORACLE_VT_STATUS_TABLE_ORACLE_H
#define WR_TESTS_ORACLE_VT_STATUS_TABLE_ORACLE_H

#include <stdbool.h>

#include "refmodel/gen/vt_status_table_pins.h"

enum { WR_ORACLE_VT_TBS = 32, WR_ORACLE_VT_SLOTS = 64 };

typedef enum wr_oracle_vt_where {
    WR_ORACLE_VT_FREE,
    WR_ORACLE_VT_ACTIVE,
    WR_ORACLE_VT_INACTIVE,
} wr_oracle_vt_where;

typedef struct wr_oracle_vt_tb {
    wr_oracle_vt_where where;
    unsigned waiting;
} wr_oracle_vt_tb;

typedef struct wr_oracle_vt {
    unsigned tbs;
    unsigned slots;
    unsigned n; /* warps of a TB */
    wr_oracle_vt_tb tb[WR_ORACLE_VT_TBS];
    unsigned vwi[WR_ORACLE_VT_SLOTS];
    unsigned out_from; /* where the searches begin */
    unsigned in_from;
    bool renaming;
    unsigned renamed; /* slots that are done */
    unsigned old_tb;
    unsigned new_tb;
    bool fault;
} wr_oracle_vt;

void wr_oracle_vt_reset(wr_oracle_vt *o, unsigned tbs, unsigned slots);

void wr_oracle_vt_outputs(const wr_oracle_vt *o, const wr_vt_status_table_in *in,
                          wr_vt_status_table_out *out);

void wr_oracle_vt_clock(wr_oracle_vt *o, const wr_vt_status_table_in *in);

#endif
