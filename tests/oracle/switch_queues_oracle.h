/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of switch_queues, from the documents alone (Lin-D 3.6.6, Table 3.4, RESOLUTIONS D11,
 * the block's toml): four lists, the oldest entry first. */
#ifndef WR_TESTS_ORACLE_SWITCH_QUEUES_ORACLE_H
#define WR_TESTS_ORACLE_SWITCH_QUEUES_ORACLE_H

#include <stdbool.h>

enum { WR_ORACLE_QUEUE_MAX = 64, WR_ORACLE_QUEUES = 4 };

/* Order of the queues here. */
enum {
    WR_ORACLE_STALLED_WARPS,
    WR_ORACLE_READY_WARPS,
    WR_ORACLE_STALLED_TBS,
    WR_ORACLE_READY_TBS,
};

typedef struct wr_oracle_queue {
    unsigned depth;
    unsigned held;
    unsigned id[WR_ORACLE_QUEUE_MAX];
} wr_oracle_queue;

typedef struct wr_oracle_queues {
    wr_oracle_queue queue[WR_ORACLE_QUEUES];
    bool fault;
} wr_oracle_queues;

typedef struct wr_oracle_queues_in {
    bool clear;
    bool push[WR_ORACLE_QUEUES];
    unsigned id[WR_ORACLE_QUEUES];
    bool pop[WR_ORACLE_QUEUES];
} wr_oracle_queues_in;

void wr_oracle_queues_reset(wr_oracle_queues *o, unsigned warp_depth, unsigned tb_depth);

bool wr_oracle_queue_space(const wr_oracle_queue *q);
bool wr_oracle_queue_valid(const wr_oracle_queue *q);
unsigned wr_oracle_queue_head(const wr_oracle_queue *q);

void wr_oracle_queues_clock(wr_oracle_queues *o, const wr_oracle_queues_in *in);

#endif
