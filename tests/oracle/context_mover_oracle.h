/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_mover, from the block's toml alone.
 *
 * It keeps the facts: the job, the part it is in and for how many cycles, the kind of each
 * register, all words of the two contexts, each as one flat array, and a list of the writes to
 * come. What happens in a cycle is worked out of these anew each time.
 */
#ifndef WR_TESTS_ORACLE_CONTEXT_MOVER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_MOVER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WR_ORACLE_MOVER_REGS = 63,
    WR_ORACLE_MOVER_LANES = 32,
    WR_ORACLE_MOVER_WORDS = (WR_ORACLE_MOVER_REGS + 1) * WR_ORACLE_MOVER_LANES,
    WR_ORACLE_MOVER_WRITES = 8,
};

/* In the order in which they follow each other. */
typedef enum wr_oracle_mover_part {
    WR_ORACLE_MOVER_IDLE = 0,
    WR_ORACLE_MOVER_COPY = 1,
    WR_ORACLE_MOVER_HEAD = 2,
    WR_ORACLE_MOVER_KINDS_OUT = 3,
    WR_ORACLE_MOVER_PACK = 4,
    WR_ORACLE_MOVER_POINT = 5,
    WR_ORACLE_MOVER_KINDS_IN = 6,
    WR_ORACLE_MOVER_SUM = 7,
    WR_ORACLE_MOVER_LOAD = 8,
    WR_ORACLE_MOVER_UNPACK = 9,
    WR_ORACLE_MOVER_DRAIN = 10,
} wr_oracle_mover_part;

/* Inputs of one cycle. */
typedef struct wr_oracle_mover_pins {
    bool cfg, tb;
    unsigned group, lines;
    bool go, req, meta, out, in;
    unsigned home, away, point;
    bool kinds_ack;
    uint64_t kind_low, kind_high;
    uint32_t home_rdata[WR_ORACLE_MOVER_LANES], away_rdata[WR_ORACLE_MOVER_LANES];
} wr_oracle_mover_pins;

/* All outputs. */
typedef struct wr_oracle_mover_shown {
    unsigned state;
    bool ack, kinds;
    unsigned kinds_point;
    bool home_rd, home_wr;
    unsigned home_raddr, home_waddr, home_part;
    uint32_t home_wdata[WR_ORACLE_MOVER_LANES];
    bool away_rd, away_wr;
    unsigned away_addr;
    uint32_t away_wdata[WR_ORACLE_MOVER_LANES];
    bool fault;
} wr_oracle_mover_shown;

/* A write to come: in `wait` cycles line (or row) `line` behind home or away gets these words, or,
 * where `passed` says so, those that the other side has read by then. */
typedef struct wr_oracle_mover_write {
    unsigned wait;
    bool home;
    unsigned line;
    bool passed;
    bool packed; /* a line of the context that goes */
    uint32_t word[WR_ORACLE_MOVER_LANES];
} wr_oracle_mover_write;

typedef struct wr_oracle_mover {
    unsigned regs, lanes, st_lines;
    bool tb; /* of the launch */
    unsigned group, lines;
    bool fault;
    bool meta, out, in; /* of the job */
    unsigned home, away, point, head;
    wr_oracle_mover_part part;
    unsigned at; /* cycles of this part that have been */
    unsigned kind[WR_ORACLE_MOVER_REGS];
    uint32_t gone[WR_ORACLE_MOVER_WORDS]; /* the context that goes, so far */
    unsigned gone_count;
    uint32_t come[WR_ORACLE_MOVER_WORDS]; /* the context that comes: lines that were read */
    wr_oracle_mover_write write[WR_ORACLE_MOVER_WRITES];
    unsigned writes;
} wr_oracle_mover;

void wr_oracle_mover_reset(wr_oracle_mover *o, unsigned regs, unsigned lanes, unsigned st_lines);

/* What the outputs are in a cycle with these inputs. */
wr_oracle_mover_shown wr_oracle_mover_shows(const wr_oracle_mover *o,
                                            const wr_oracle_mover_pins *in);

void wr_oracle_mover_clock(wr_oracle_mover *o, const wr_oracle_mover_pins *in);

#endif
