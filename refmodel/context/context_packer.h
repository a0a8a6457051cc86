/* SPDX-License-Identifier: Apache-2.0 */
/* context_packer: the words of a warp's live registers in, full memory segments out.
 *
 *                    +----------------------+
 *  start, flush ---> |  +---------------+   | ---> done, total
 *  valid, tag -----> |  | words in order|   | ---> pattern_vec[4]
 *  pattern, count -> |  +---------------+   |
 *  word[Lanes] ----> |   \_____ head        | ---> seg_word[SegWords]
 *  ready <---------- |         SegWords     | ---> seg_valid, seg_count, seg_last
 *                    |                      | <--- seg_ready
 *                    +----------------------+ ---> fault
 *
 * The words of a warp form one stream, cut every SegWords words; a register may straddle two
 * segments, a warp never does: a flush ends the stream and pads its last segment.
 *
 *  warp state   reset --start--> open --flush--> closing --nothing left--> done --start--> open
 *
 * ready = open and fewer than SegWords + Lanes words held. That bound is the least with which a
 * ready that does not look at seg_ready still takes a register every cycle: up to SegWords - 1
 * words left over, one register behind them, and one more that arrives while the segment is not
 * taken.
 * Invariants: count_q <= SegWords + 2 Lanes - 1; a segment at the output does not change until
 * it is taken (or dropped by a start); pattern_vec has a code for each register packed, 0
 * elsewhere.
 *
 * Not modelled: addresses, slots of a TB's context and the place of the pattern vector in memory
 * (Lin-P Fig. 12); whether a count fits its pattern, which takes the PAG that this block does
 * not see; SIMT stack and predicates, which have their own area.
 *
 * Source: Lin-P IV.B (pattern vector, "stored continuously"), IV.C and Fig. 13 (the buffer and
 * the 128 B segments).
 */
#ifndef WR_REFMODEL_CONTEXT_CONTEXT_PACKER_H
#define WR_REFMODEL_CONTEXT_CONTEXT_PACKER_H

#include "refmodel/context/pattern.h"
#include "refmodel/contract.h"
#include "refmodel/gen/context_packer_pins.h"

enum {
    WR_CONTEXT_SEG_WORDS_MAX = 64,
    WR_CONTEXT_PACKER_BUF = WR_CONTEXT_SEG_WORDS_MAX + 2 * WR_CONTEXT_LANES_MAX - 1,
};

typedef struct wr_context_packer {
    wr_context_packer_cfg cfg;

    bool open_q;        /* between start and flush */
    bool closed_q;      /* between flush and start: closing or done */
    bool head_fixed_q;  /* the head segment was shown before the flush: it is not the last */
    uint8_t next_tag_q; /* 7 bits: lowest tag that ascends, 0..64 */
    uint16_t count_q;   /* 8 bits: words held */
    uint16_t total_q;   /* 13 bits */
    uint32_t pattern_q[WR_CONTEXT_VEC_WORDS];
    bool fault_q;
    uint32_t word_q[WR_CONTEXT_PACKER_BUF]; /* oldest first; from count_q on without meaning */
} wr_context_packer;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range, seg_words is
 * below lanes or not a multiple of pad_words. */
wr_status wr_context_packer_init(wr_context_packer *s, const wr_context_packer_cfg *cfg);

void wr_context_packer_reset(wr_context_packer *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_packer_eval(const wr_context_packer *s, const wr_context_packer_in *in,
                            wr_context_packer_out *out);

/* The clock edge. */
void wr_context_packer_tick(wr_context_packer *s, const wr_context_packer_in *in);

#endif
