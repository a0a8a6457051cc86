/* SPDX-License-Identifier: Apache-2.0 */
/* onchip_bitmap: which 128 B units of an SM's on-chip memory are taken.
 *
 *                   +--------------------------------------------+
 *  valid, op -----> |  unit   0 ........ R | R .... R+S | .. +L   | ---> ready
 *  region --------> |       [register file | shared mem | L1  ]   | ---> done, found
 *  count, addr ---> |  one word of WordBits units a cycle         | ---> addr, fault
 *                   +--------------------------------------------+
 *
 * An allocation walks the words of its region upwards. What it carries from word to word is one
 * number, the free units that end right before the word:
 *
 *     word_q - 1          word_q
 *   | 1 1 0 1 0 0 0 0 | 0 0 0 1 1 0 0 1 |      run_q = 4; with count = 7 the run ends in
 *             \__________ run of 7              unit 2 of word_q
 *
 *   idle --request--> search --run found--> write --last word--> idle, done
 *     \------------------free----------------^
 *
 * then the words that the run touches are written, one a cycle.
 * Invariants: at most one request is under way; a run that a search finds is free in every unit
 * and lies inside its region; no unit changes but in phase write.
 *
 * Not modelled: which warp or TB owns a unit (the context tables know); the rule that the L1
 * region may be used only while the cache is bypassed (the asker's).
 *
 * Source: Lin-D 3.6.6 (unit of 128 B, one address space, one bit a unit), Table 3.4 (3,072 bits).
 */
#ifndef WR_REFMODEL_DUET_ONCHIP_BITMAP_H
#define WR_REFMODEL_DUET_ONCHIP_BITMAP_H

#include "refmodel/contract.h"
#include "refmodel/gen/onchip_bitmap_pins.h"

enum {
    WR_ONCHIP_BITMAP_UNITS_MAX = 3072, /* addresses 0xC00 and up have another meaning */
};

typedef enum wr_onchip_bitmap_op {
    WR_ONCHIP_BITMAP_ALLOC,
    WR_ONCHIP_BITMAP_FREE,
} wr_onchip_bitmap_op;

typedef enum wr_onchip_bitmap_phase {
    WR_ONCHIP_BITMAP_IDLE,
    WR_ONCHIP_BITMAP_SEARCH,
    WR_ONCHIP_BITMAP_WRITE,
} wr_onchip_bitmap_phase;

typedef struct wr_onchip_bitmap {
    wr_onchip_bitmap_cfg cfg;

    bool taken_q[WR_ONCHIP_BITMAP_UNITS_MAX];
    uint8_t phase_q;
    bool free_q;      /* the request gives back */
    uint16_t word_q;  /* 9 bits: word searched or written */
    uint16_t end_q;   /* first unit behind the region searched */
    uint16_t run_q;   /* 12 bits: free units that end right before word_q */
    uint16_t left_q;  /* 12 bits: units asked for, or still to be written */
    uint16_t unit_q;  /* next unit to be written */
    uint16_t start_q; /* first unit of the run */
    bool done_q;
    bool good_q; /* a run was found; no unit given back was free */
    bool fault_q;
} wr_onchip_bitmap;

/* Leaves the block in reset, every unit free. WR_ERR_CONFIG where a parameter is outside its
 * range, word_bits is no power of two, a region is not a multiple of it, or the three regions
 * exceed 3,072 units. */
wr_status wr_onchip_bitmap_init(wr_onchip_bitmap *s, const wr_onchip_bitmap_cfg *cfg);

void wr_onchip_bitmap_reset(wr_onchip_bitmap *s);

/* Every output of this cycle, from state; changes nothing. */
void wr_onchip_bitmap_eval(const wr_onchip_bitmap *s, const wr_onchip_bitmap_in *in,
                           wr_onchip_bitmap_out *out);

/* The clock edge. */
void wr_onchip_bitmap_tick(wr_onchip_bitmap *s, const wr_onchip_bitmap_in *in);

#endif
