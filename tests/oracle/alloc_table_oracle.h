/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of alloc_table, from the documents alone (Lin-P III.A, Fig. 4, RESOLUTIONS P2 to
 * P6, the block's toml).
 *
 * Nobody else changes the table while an operation runs, so all that an operation will do is
 * written down as a script when it is taken: steps that last so many cycles, or a reply that
 * stands until it is taken, each with the change of the table at its end. A cycle then only
 * looks up where the script stands.
 */
#ifndef WR_TESTS_ORACLE_ALLOC_TABLE_ORACLE_H
#define WR_TESTS_ORACLE_ALLOC_TABLE_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_ALLOC_ENTRIES = 32, WR_ORACLE_ALLOC_STEPS = 200 };

enum { WR_ORACLE_OP_LOOKUP, WR_ORACLE_OP_FREE, WR_ORACLE_OP_ALLOC, WR_ORACLE_OP_PLAN };
enum { WR_ORACLE_REPLY_DONE, WR_ORACLE_REPLY_LEAVE, WR_ORACLE_REPLY_PLACE };

typedef struct wr_oracle_run {
    unsigned start;
    unsigned size; /* 0: the entry is free */
    unsigned kernel;
    unsigned tb;
} wr_oracle_run;

typedef struct wr_oracle_reply {
    bool valid;
    unsigned kind;
    bool ok;
    unsigned tb;
    unsigned start;
    unsigned size;
} wr_oracle_reply;

/* One step: `cycles` of silence, or a reply. At its end entry `change` (if not negative) becomes
 * `becomes`. */
typedef struct wr_oracle_alloc_step {
    unsigned cycles;
    wr_oracle_reply reply;
    int change;
    wr_oracle_run becomes;
} wr_oracle_alloc_step;

typedef struct wr_oracle_alloc_op {
    unsigned op;
    unsigned kernel;
    unsigned tb;
    unsigned size;
    unsigned count;
    unsigned old;
} wr_oracle_alloc_op;

typedef struct wr_oracle_alloc {
    unsigned entries; /* parameters */
    unsigned units;
    unsigned kernel_bits;
    unsigned tb_bits;

    wr_oracle_run entry[WR_ORACLE_ALLOC_ENTRIES];
    bool fault; /* sticky */

    wr_oracle_alloc_step script[WR_ORACLE_ALLOC_STEPS];
    unsigned steps;
    unsigned at;    /* step that stands; steps where the table is idle */
    unsigned spent; /* cycles of it */
} wr_oracle_alloc;

/* Parameters stay, all else is forgotten. */
void wr_oracle_alloc_reset(wr_oracle_alloc *t);

bool wr_oracle_alloc_idle(const wr_oracle_alloc *t);
unsigned wr_oracle_alloc_used(const wr_oracle_alloc *t);
wr_oracle_reply wr_oracle_alloc_output(const wr_oracle_alloc *t);

/* One clock edge; op may be NULL. */
void wr_oracle_alloc_clock(wr_oracle_alloc *t, const wr_oracle_alloc_op *op, bool reply_ready);

#endif
