/* SPDX-License-Identifier: Apache-2.0 */
/* absent_reply: where the data of a load go whose warp is switched out.
 *
 *   valid, warp, regno --> idle --> find ---------> read --> kinds --> sum --> write --> rest
 *                                  |               |        |                ^
 *                         tables: reg, meta   head: point  |                 |
 *                                  |                       +--> drop         |
 *                                  +---- registers stay where they are -------+
 *
 * A context holds the registers that are kept at the switch point where the warp stands, in
 * ascending order and without gaps: of kind 1 a word for each group of lanes, of kind 2 two, of
 * kind 3 one for each of the 32 lanes. So the words of the registers below the reply's say where
 * its own 32 begin; from there they fill the rest of a line, and the beginning of the next one.
 *
 * Invariants: every output is a function of registers; a request stands until its ack, or until
 * valid falls; a register that is not kept whole is never written, one that is not kept at all is
 * nobody's fault: a load whose register is dead was on its way.
 *
 * Not modelled: the words themselves, which the SM turns by write_word; the table of kinds, which
 * lies where the compiler's data do; which of several replies comes first.
 *
 * Source: D8; Lin-D 3.6.6, Fig. 3.9.
 */
#ifndef WR_REFMODEL_DUET_ABSENT_REPLY_H
#define WR_REFMODEL_DUET_ABSENT_REPLY_H

#include "refmodel/contract.h"
#include "refmodel/gen/absent_reply_pins.h"

enum {
    WR_ABSENT_REPLY_LANES = 32,
    WR_ABSENT_REPLY_ADDRESSES = 4096,
    WR_ABSENT_REPLY_WHOLE = 3, /* the kind of a register with a word for each lane */
    WR_ABSENT_REPLY_LANES_32 = 2,
    WR_ABSENT_REPLY_ABSENT = 2, /* of the states of the warp context table */
};

typedef enum wr_absent_reply_step {
    WR_ABSENT_REPLY_IDLE = 0,
    WR_ABSENT_REPLY_FIND,
    WR_ABSENT_REPLY_READ,
    WR_ABSENT_REPLY_KIND,
    WR_ABSENT_REPLY_SUM,
    WR_ABSENT_REPLY_WRITE,
    WR_ABSENT_REPLY_REST,
    WR_ABSENT_REPLY_DROP,
} wr_absent_reply_step;

typedef struct wr_absent_reply {
    wr_absent_reply_cfg cfg;

    /* the launch */
    bool move_q;
    uint8_t group_q;

    /* the reply; fields are live from the step on that finds them */
    uint8_t state_q;
    uint8_t warp_q, regno_q;
    uint16_t base_q;     /* line of its registers */
    uint16_t meta_q;     /* line of its metadata */
    uint32_t point_q;    /* 24 bits */
    uint8_t before_q[4]; /* registers below reg, by kind */
    uint16_t line_q;
    uint8_t word_q;
    bool fault_q;
} wr_absent_reply;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_absent_reply_init(wr_absent_reply *s, const wr_absent_reply_cfg *cfg);

void wr_absent_reply_reset(wr_absent_reply *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_absent_reply_eval(const wr_absent_reply *s, const wr_absent_reply_in *in,
                          wr_absent_reply_out *out);

/* The clock edge. */
void wr_absent_reply_tick(wr_absent_reply *s, const wr_absent_reply_in *in);

#endif
