/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of onchip_bitmap, from the documents alone (Lin-D 3.6.6, the block's toml).
 *
 * One flag per unit. A request is answered in full when it is taken: nothing can be asked before
 * its done, so only the cycles in which done and fault show have to be told.
 */
#ifndef WR_TESTS_ORACLE_ONCHIP_BITMAP_ORACLE_H
#define WR_TESTS_ORACLE_ONCHIP_BITMAP_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_BITMAP_UNITS = 3072, WR_ORACLE_BITMAP_REGIONS = 3 };

typedef struct wr_oracle_bitmap {
    unsigned units[WR_ORACLE_BITMAP_REGIONS]; /* of each region */
    unsigned word_bits;
    bool taken[WR_ORACLE_BITMAP_UNITS];
    uint64_t now;     /* cycle */
    bool asked;       /* some request has been taken since reset */
    uint64_t done_at; /* cycle of the done of the last one */
    bool found;       /* its answer */
    unsigned addr;
    bool faulted;      /* a fault shows, or will */
    uint64_t fault_at; /* from this cycle on */
} wr_oracle_bitmap;

typedef struct wr_oracle_bitmap_request {
    bool free;
    unsigned region;
    unsigned count;
    unsigned addr;
} wr_oracle_bitmap_request;

typedef struct wr_oracle_bitmap_output {
    bool ready;
    bool done;
    bool found;
    unsigned addr;
    bool fault;
} wr_oracle_bitmap_output;

void wr_oracle_bitmap_reset(wr_oracle_bitmap *o, const unsigned *units, unsigned word_bits);

wr_oracle_bitmap_output wr_oracle_bitmap_outputs(const wr_oracle_bitmap *o);

/* The end of a cycle in which this request, if any, was offered. */
void wr_oracle_bitmap_clock(wr_oracle_bitmap *o, const wr_oracle_bitmap_request *request);

/* Units taken in all. */
unsigned wr_oracle_bitmap_taken(const wr_oracle_bitmap *o);

#endif
