/* SPDX-License-Identifier: Apache-2.0 */
/* context_mover: moves what a switch moves, a line or row a cycle.
 *
 *                home: rows, shared memory, slots          away: the context
 *   out   row r  --- its words --> window_q --- line k, when it is full --> line k
 *   in    row r  <-- its lanes --- row_q <-- words --- window_q and line k <-- line k
 *   both  row k  <-------- what line k held before -------- line k          (first out, then in)
 *
 * A warp's kept registers lie in its context in ascending order, without gaps. Going out they are
 * packed in that order, coming in taken from the end. So an exchange needs no room of its own: a
 * register has a line of words at most, so when line k is full rows 0 to k have been read or are
 * not kept, and row k takes what the line held; and while register r is put back from the end, of
 * the lines kept in rows those that are still needed are in rows below r.
 *
 * Invariants: the line of the words left is never above the register that they end with; the
 * storage is asked for a read and a write of home, and for one line of away, a cycle; with go 0 for
 * nothing.
 *
 * Not modelled: which physical bank a row lies in; the table of kinds, which lies where the
 * compiler's data do.
 *
 * Source: Lin-D 3.6.6, 3.6.7, Eq. 3.1 to 3.3; the paper leaves open how two contexts of different
 * form change places.
 */
#ifndef WR_REFMODEL_DUET_CONTEXT_MOVER_H
#define WR_REFMODEL_DUET_CONTEXT_MOVER_H

#include "refmodel/contract.h"
#include "refmodel/gen/context_mover_pins.h"

enum {
    WR_CONTEXT_MOVER_LANES = 32, /* most */
    WR_CONTEXT_MOVER_ADDRESSES = 4096,
};

typedef enum wr_context_mover_part {
    WR_CONTEXT_MOVER_IDLE = 0,
    WR_CONTEXT_MOVER_COPY,
    WR_CONTEXT_MOVER_HEAD,
    WR_CONTEXT_MOVER_KINDS_OUT,
    WR_CONTEXT_MOVER_PACK,
    WR_CONTEXT_MOVER_POINT,
    WR_CONTEXT_MOVER_KINDS_IN,
    WR_CONTEXT_MOVER_SUM,
    WR_CONTEXT_MOVER_LOAD,
    WR_CONTEXT_MOVER_UNPACK,
    WR_CONTEXT_MOVER_DRAIN,
} wr_context_mover_part;

typedef enum wr_context_mover_kind {
    WR_CONTEXT_MOVER_GONE = 0,
    WR_CONTEXT_MOVER_UNIFORM,
    WR_CONTEXT_MOVER_STRIDED,
    WR_CONTEXT_MOVER_WHOLE,
} wr_context_mover_kind;

typedef struct wr_context_mover {
    wr_context_mover_cfg cfg;

    /* the launch */
    bool tb_q;
    uint8_t group_q; /* 8 << group_q lanes */
    uint16_t lines_q;

    /* the job */
    uint8_t state_q;
    bool meta_q, out_q, in_q;
    uint16_t home_q, away_q;
    bool fault_q;

    /* copy: the next line, and the one that was read in the cycle before */
    uint16_t index_q, behind_q;
    bool fly_q;

    /* registers that are left, and the kinds of all; words of the context before those left (out),
     * or up to the last one left (in) */
    uint64_t left_q, low_q, high_q;
    uint16_t pos_q;
    uint32_t window_q[WR_CONTEXT_MOVER_LANES]; /* the line that is being filled, or emptied */
    uint8_t exchanged_q;                       /* lines, which lie in rows 0, 1, ... */

    /* of the cycle before: a row was read, of a register of this kind; the line in window_q is to
     * be written, not being full; a line was exchanged; the head was read */
    bool read_q;
    uint8_t read_kind_q;
    bool rest_q;
    bool back_q;
    uint8_t back_line_q;
    bool head_q;
    uint32_t point_q; /* 24 bits */

    /* of the cycle before: a line was asked for, from home or away: for the window alone (load), or
     * for a register, whose words begin at this word of it or, without a line, of the window */
    bool load_q, take_q, new_q, from_home_q;
    uint8_t take_reg_q, take_kind_q, take_word_q;
    /* a register's words; and of the register before, which is to be written */
    bool row_valid_q, out_valid_q;
    uint8_t row_reg_q, row_kind_q, out_reg_q, out_kind_q;
    uint32_t row_q[WR_CONTEXT_MOVER_LANES], out_words_q[WR_CONTEXT_MOVER_LANES];
} wr_context_mover;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_context_mover_init(wr_context_mover *s, const wr_context_mover_cfg *cfg);

void wr_context_mover_reset(wr_context_mover *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_context_mover_eval(const wr_context_mover *s, const wr_context_mover_in *in,
                           wr_context_mover_out *out);

/* The clock edge. */
void wr_context_mover_tick(wr_context_mover *s, const wr_context_mover_in *in);

#endif
