/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of context_sequencer, from its toml and docs/preemption.md alone: at a start the
 * whole way of the operation is written down as a list, a line a cycle or a request, up to what
 * only later answers tell. It includes nothing of the model and shares no code with it. */
#ifndef WR_TESTS_ORACLE_CONTEXT_SEQUENCER_ORACLE_H
#define WR_TESTS_ORACLE_CONTEXT_SEQUENCER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_SEQ_LINES = 1024 };

typedef enum wr_oracle_seq_what {
    WR_SEQ_REQUEST, /* stays until it is taken */
    WR_SEQ_TICK,    /* a cycle without anything */
    WR_SEQ_ZERO,    /* the same, and warps begin anew behind it */
    WR_SEQ_STACK,   /* depth of the warp */
    WR_SEQ_SLOT,    /* depth and bytes of the warp */
    WR_SEQ_CCB,     /* waits */
    WR_SEQ_META,    /* waits */
    WR_SEQ_DONE,
} wr_oracle_seq_what;

typedef struct wr_oracle_seq_line {
    uint64_t addr;
    wr_oracle_seq_what what;
    unsigned kind, bytes, offset, warp;
    bool last;    /* of a save */
    bool of_warp; /* last request of a warp */
} wr_oracle_seq_line;

/* Pins, as they are named there. */
typedef struct wr_oracle_seq_pins {
    bool start, op, keep_regs, keep_shared, whole, req_ready, ccb_valid, meta_done;
    unsigned warps, slot_segs, shared_bytes, pace, depth, slot_bytes;
    uint64_t ccb_addr, base, low, high, ptr[3];
} wr_oracle_seq_pins;

typedef struct wr_oracle_context_sequencer {
    unsigned most_warps;
    uint64_t size; /* of the address space, in bytes */
    wr_oracle_seq_line line[WR_ORACLE_SEQ_LINES];
    unsigned at, lines; /* at == lines: idle */
    wr_oracle_seq_pins op;
    uint64_t part[3]; /* byte addresses */
    bool known;       /* part is what the pins show */
    unsigned warp, wait, damage;
    bool fault;
    uint64_t requests, saves, restores, damages;
} wr_oracle_context_sequencer;

void wr_oracle_context_sequencer_reset(wr_oracle_context_sequencer *o, unsigned warps,
                                       unsigned addr_bits);

/* The line of this cycle; NULL: idle. */
const wr_oracle_seq_line *wr_oracle_context_sequencer_line(const wr_oracle_context_sequencer *o);

/* The request that stands in this cycle; NULL: none. */
const wr_oracle_seq_line *wr_oracle_context_sequencer_request(const wr_oracle_context_sequencer *o);

/* One clock edge. */
void wr_oracle_context_sequencer_clock(wr_oracle_context_sequencer *o,
                                       const wr_oracle_seq_pins *in);

#endif
