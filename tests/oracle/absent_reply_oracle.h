/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of absent_reply, from the block's toml alone.
 *
 * It keeps the facts (which reply, what the tables answered, the kind of each register) and works
 * out line and word anew each time, walking over the registers one by one.
 */
#ifndef WR_TESTS_ORACLE_ABSENT_REPLY_ORACLE_H
#define WR_TESTS_ORACLE_ABSENT_REPLY_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_ABSENT_REGS = 63 };

typedef enum wr_oracle_absent_step {
    WR_ORACLE_ABSENT_IDLE = 0,
    WR_ORACLE_ABSENT_FIND = 1,
    WR_ORACLE_ABSENT_READ = 2,
    WR_ORACLE_ABSENT_KINDS = 3,
    WR_ORACLE_ABSENT_SUM = 4,
    WR_ORACLE_ABSENT_WRITE = 5,
    WR_ORACLE_ABSENT_REST = 6,
    WR_ORACLE_ABSENT_DROP = 7,
} wr_oracle_absent_step;

/* Inputs of one cycle. */
typedef struct wr_oracle_absent_pins {
    bool cfg, move;
    unsigned group;
    bool valid;
    unsigned warp, reg;
    bool find_ack, find_valid;
    unsigned find_state, find_reg, find_meta;
    bool read_ack;
    unsigned head;
    bool kinds_ack;
    uint64_t kind_low, kind_high;
    bool write_ack;
} wr_oracle_absent_pins;

/* All outputs. */
typedef struct wr_oracle_absent_shown {
    unsigned state;
    bool find;
    unsigned find_id;
    bool read;
    unsigned read_line;
    bool kinds;
    unsigned point;
    bool write;
    unsigned write_line, write_word;
    bool last, fault;
} wr_oracle_absent_shown;

typedef struct wr_oracle_absent {
    unsigned regs;
    bool move;      /* of the launch */
    unsigned lanes; /* of a group: 8, 16 or 32 */
    bool fault;
    wr_oracle_absent_step step;
    unsigned warp, reg;                   /* the reply */
    unsigned find_reg, find_meta;         /* where the tables say the warp lies */
    unsigned head;                        /* word 0 of its metadata */
    unsigned kind[WR_ORACLE_ABSENT_REGS]; /* of each register at that switch point */
} wr_oracle_absent;

void wr_oracle_absent_reset(wr_oracle_absent *o, unsigned regs);

/* What the outputs are in this cycle; no input of this cycle is in them. */
wr_oracle_absent_shown wr_oracle_absent_shows(const wr_oracle_absent *o);

void wr_oracle_absent_clock(wr_oracle_absent *o, const wr_oracle_absent_pins *in);

#endif
