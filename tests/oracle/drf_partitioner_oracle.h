/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of drf_partitioner, from the documents alone (SMK 5.3.2, Fig. 6, Fig. 8, RESOLUTIONS
 * S4, the block's toml).
 *
 * When a start is accepted the whole deal is played at once, TB by TB, with shares as fractions,
 * and written down as a list of events; a cycle is then an index into that list.
 */
#ifndef WR_TESTS_ORACLE_DRF_PARTITIONER_ORACLE_H
#define WR_TESTS_ORACLE_DRF_PARTITIONER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WR_ORACLE_DRF_KERNELS = 8,
    WR_ORACLE_DRF_RESOURCES = 4, /* registers, threads, shared memory, TB slots */
    WR_ORACLE_DRF_EVENTS = 64 + WR_ORACLE_DRF_KERNELS,
};

typedef struct wr_oracle_drf_event {
    bool grant; /* else the kernel is left out */
    unsigned kernel;
} wr_oracle_drf_event;

typedef struct wr_oracle_drf {
    unsigned kernels;
    uint64_t limit[WR_ORACLE_DRF_RESOURCES];
    bool lowest_index; /* among equals; else the smaller share of one TB */
    uint64_t demand[WR_ORACLE_DRF_KERNELS][WR_ORACLE_DRF_RESOURCES];

    unsigned events; /* of the last accepted start */
    wr_oracle_drf_event event[WR_ORACLE_DRF_EVENTS];
    uint64_t tbs[WR_ORACLE_DRF_KERNELS];
    bool ranges_known; /* a start was accepted since reset */
    uint64_t start[WR_ORACLE_DRF_KERNELS][3];
    uint64_t end[WR_ORACLE_DRF_KERNELS][3];
    unsigned cycles; /* clocked since that start */
    bool fault;
} wr_oracle_drf;

/* limit: registers, threads, shared memory, TB slots. */
void wr_oracle_drf_reset(wr_oracle_drf *o, unsigned kernels,
                         const uint64_t limit[WR_ORACLE_DRF_RESOURCES], bool lowest_index);

bool wr_oracle_drf_busy(const wr_oracle_drf *o);
bool wr_oracle_drf_done(const wr_oracle_drf *o);

/* The pick of this cycle, or NULL. */
const wr_oracle_drf_event *wr_oracle_drf_pick(const wr_oracle_drf *o);

/* Inputs of one cycle. need: registers, threads, shared memory of one TB. */
typedef struct wr_oracle_drf_step {
    bool load;
    unsigned kernel;
    uint64_t need[3];
    bool start;
    unsigned mask;
} wr_oracle_drf_step;

void wr_oracle_drf_clock(wr_oracle_drf *o, const wr_oracle_drf_step *step);

#endif
