/* SPDX-License-Identifier: Apache-2.0 */
/* context_unpacker: a pattern vector and segments in, the words of one live register a cycle out.
 *
 *                     +----------------------+
 *  start, pag ------> |  pattern_q: 64 x 2   | ---> busy
 *  pattern_vec[4] --> |     | lowest live    | ---> tag, pattern, pag
 *  seg_valid -------> |     v                |
 *  seg_word --------> |  words in order      | ---> word[Lanes]
 *  seg_ready <------- |   \_____ head        | ---> valid
 *                     |                      | <--- ready
 *                     +----------------------+ ---> fault
 *
 * The head register needs G, 2 G or Lanes words (pattern.h); it is valid as soon as that many
 * are held. seg_ready = busy and fewer than 2 Lanes words held: the least bound with which a
 * seg_ready that does not look at ready lets a random register leave every cycle.
 * Invariants: count_q <= SegWords + 2 Lanes - 1; pattern_q holds the registers that have not
 * left; when it becomes 0 the words held, the padding of the last segment, are dropped.
 *
 * Not modelled: addresses and the fetch of segments; a producer that sends more segments than
 * the patterns need is not a fault while the warp is busy, the surplus is dropped with the
 * padding.
 *
 * Source: Lin-P IV.B, IV.C ("the pattern vector is firstly loaded. Then each vector register is
 * decompressed based on its pattern"), Fig. 13.
 */
#ifndef WR_REFMODEL_CONTEXT_CONTEXT_UNPACKER_H
#define WR_REFMODEL_CONTEXT_CONTEXT_UNPACKER_H

#include "refmodel/context/pattern.h"
#include "refmodel/contract.h"
#include "refmodel/gen/context_unpacker_pins.h"

enum {
    WR_CONTEXT_UNPACKER_BUF = 64 + 2 * WR_CONTEXT_LANES_MAX - 1, /* SegWords is at most 64 */
};

typedef struct wr_context_unpacker {
    wr_context_unpacker_cfg cfg;

    wr_pag pag_q;                             /* 2 bits */
    uint32_t pattern_q[WR_CONTEXT_VEC_WORDS]; /* registers left */
    uint16_t count_q;                         /* 8 bits: words held */
    bool fault_q;
    uint32_t word_q[WR_CONTEXT_UNPACKER_BUF]; /* oldest first; from count_q on without meaning */
} wr_context_unpacker;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range or seg_words
 * is below lanes. */
wr_status wr_context_unpacker_init(wr_context_unpacker *s, const wr_context_unpacker_cfg *cfg);

void wr_context_unpacker_reset(wr_context_unpacker *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_unpacker_eval(const wr_context_unpacker *s, const wr_context_unpacker_in *in,
                              wr_context_unpacker_out *out);

/* The clock edge. */
void wr_context_unpacker_tick(wr_context_unpacker *s, const wr_context_unpacker_in *in);

#endif
