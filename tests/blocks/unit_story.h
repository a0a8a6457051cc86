/* SPDX-License-Identifier: Apache-2.0 */
/* Short stories of duet_unit: a machine that is led by hand, and the list of what it is told, in
 * the order in which it is: "what number@place", with the numbers of warps and TBs. */
#ifndef WR_TESTS_BLOCKS_UNIT_STORY_H
#define WR_TESTS_BLOCKS_UNIT_STORY_H

#include "dpi/gen/duet_unit_port.h"
#include "tests/blocks/bench.h"
#include "tests/oracle/duet_unit_oracle.h"

typedef wr_duet_unit_in pins_in;
typedef wr_duet_unit_out pins_out;

typedef struct bench {
    wr_rig rig;
    wr_duet_unit dut;
    wr_oracle_unit oracle;
    uint64_t states[5], ops[5], placed[3], returned, found, begun;
} bench;

/* Of the program that tells the stories. */
extern const wr_bench wr_duet_unit_bench;

/* Settles and checks all outputs, then clocks both sides. */
pins_out story_cycle(bench *b, const pins_in *in);

extern const wr_duet_unit_cfg story_small;

typedef struct story {
    bench b;
    pins_in in;
    unsigned move_wait,
        moved; /* cycles that a move takes beside its first; of the one that stands */
    char text[3000];
} story;

/* One cycle, and what the machine is told in it. Pulses are over behind it. */
pins_out story_step(story *s);
/* n of them; what stood with the last one. */
pins_out story_steps(story *s, unsigned n);
/* What the machine has been told since the last time. */
void story_is_told(story *s, const char *want);

/* A launch of TBs of two warps, with `story_small` two in the slots and two more in the tables: its
 * figures, which may still be changed, and its start with the first step. */
void story_prepare(story *s, const wr_duet_unit_cfg *cfg);
/* The same with `story_small`, and that step. */
void story_begin(story *s);
/* The dispatcher places a TB; a verdict comes. A cycle each. */
void story_place(story *s, unsigned tb);
void story_judge(story *s, unsigned verdict);
/* Behind the first step: TBs 0 and 1 are there, ME allows more, and the SM is handed over; these
 * TBs end in that cycle. */
void story_hand_over(story *s, uint32_t ended, uint32_t here);
/* All of it: TBs 0 and 1 are there, two more may come. */
void story_engage(story *s);
/* And an extra TB, 2, has arrived, both warps of which are ready; the machine allows no more. */
void story_extra(story *s);

#endif
