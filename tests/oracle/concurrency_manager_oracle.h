/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of concurrency_manager, from the documents alone (Kayiran 4.1, 4.2, V, RESOLUTIONS
 * K4 to K15, the block's toml).
 *
 * It writes down the stalls of every cycle, and a counter is the sum over those since it was last
 * read, cut off at its greatest value. The rules of a decision are gone through in the order in
 * which they override each other, for one core after the other.
 */
#ifndef WR_TESTS_ORACLE_CONCURRENCY_MANAGER_ORACLE_H
#define WR_TESTS_ORACLE_CONCURRENCY_MANAGER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WR_ORACLE_CM_CORES = 32,
    WR_ORACLE_CM_PARTS = 8,
    WR_ORACLE_CM_LEVELS = 9,
    WR_ORACLE_CM_CYCLES = 2048, /* more than lie between two reads of a counter */
};

typedef struct wr_oracle_cm_cfg {
    unsigned cores;
    unsigned parts;
    unsigned interval;
} wr_oracle_cm_cfg;

/* The stalls of one cycle. */
typedef struct wr_oracle_cm_stalls {
    bool mc[WR_ORACLE_CM_PARTS];
    bool net[WR_ORACLE_CM_PARTS];
    uint8_t core[WR_ORACLE_CM_CORES];
} wr_oracle_cm_stalls;

typedef struct wr_oracle_cm_in {
    bool start;
    bool balance;
    bool load;
    unsigned th_high;
    unsigned th_low;
    bool cut;
    unsigned k;
    wr_oracle_cm_stalls stalls;
} wr_oracle_cm_in;

typedef struct wr_oracle_cm_core {
    unsigned limit;
    unsigned run;
    bool known[WR_ORACLE_CM_LEVELS];
    unsigned avg[WR_ORACLE_CM_LEVELS];
} wr_oracle_cm_core;

typedef struct wr_oracle_cm {
    wr_oracle_cm_cfg cfg;
    bool balance;
    unsigned th_high;
    unsigned th_low;
    unsigned cyc;
    bool later;
    unsigned sum_mc;
    unsigned sum_net;
    wr_oracle_cm_core core[WR_ORACLE_CM_CORES];
    bool fault;

    uint64_t now;                                  /* cycles since the last start */
    uint64_t part_from[WR_ORACLE_CM_PARTS];        /* first cycle that its counters count */
    uint64_t core_from;                            /* first that the cores' counters count */
    wr_oracle_cm_stalls seen[WR_ORACLE_CM_CYCLES]; /* cycle c stands at c modulo the length */
} wr_oracle_cm;

/* Warps of a level, 0 to 8. */
unsigned wr_oracle_cm_level(unsigned level);

void wr_oracle_cm_reset(wr_oracle_cm *m, const wr_oracle_cm_cfg *cfg);

bool wr_oracle_cm_decides(const wr_oracle_cm *m);
/* 0 keep, 1 increase, 2 reduce; 0 where this cycle is no decision. */
int wr_oracle_cm_part1(const wr_oracle_cm *m);
/* A core's stall counter at the start of this cycle. */
unsigned wr_oracle_cm_stall(const wr_oracle_cm *m, unsigned core);

/* One clock edge. */
void wr_oracle_cm_step(wr_oracle_cm *m, const wr_oracle_cm_in *in);

#endif
