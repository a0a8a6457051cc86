/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of throughput_monitor, from the documents alone (Lin-D 3.4.1, 3.6.4, Table 3.3,
 * RESOLUTIONS D12, D13, the block's toml).
 *
 * It writes down every cycle of the present window as it was seen. A window that has ended is kept
 * whole for one cycle more, then added up from the list and judged in exact percent.
 */
#ifndef WR_TESTS_ORACLE_THROUGHPUT_MONITOR_ORACLE_H
#define WR_TESTS_ORACLE_THROUGHPUT_MONITOR_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_MONITOR_CYCLES = 10000 }; /* longest window that this oracle takes */

typedef struct wr_oracle_monitor_cfg {
    unsigned warmup;
    unsigned window;
    unsigned sms;
    unsigned scheds;
    unsigned parts;
    unsigned sustain;
    unsigned dram_sat;
} wr_oracle_monitor_cfg;

/* One cycle of the parts that are watched. */
typedef struct wr_oracle_monitor_use {
    uint8_t issued;
    uint8_t l1;
    uint8_t noc_cycles;
    uint8_t up;
    uint8_t down;
    uint8_t l2_cycles;
    uint8_t l2;
    uint8_t dram_cycles;
    uint8_t dram;
} wr_oracle_monitor_use;

typedef struct wr_oracle_monitor_in {
    bool start;
    bool stop;
    bool cut;
    wr_oracle_monitor_use use;
} wr_oracle_monitor_in;

typedef struct wr_oracle_monitor {
    wr_oracle_monitor_cfg cfg;
    int state;       /* 0 idle, 1 warm-up, 2 measure */
    unsigned length; /* cycles of the warm-up or window so far */
    wr_oracle_monitor_use seen[WR_ORACLE_MONITOR_CYCLES]; /* the window so far */
    bool ended;                                           /* a window ended the cycle before */
    unsigned ended_length;
    wr_oracle_monitor_use ended_seen[WR_ORACLE_MONITOR_CYCLES];

    /* What the pins show. */
    bool valid;
    int verdict;
    unsigned low;
    unsigned high;
    bool l1_idle;
    bool fault;
} wr_oracle_monitor;

void wr_oracle_monitor_reset(wr_oracle_monitor *m, const wr_oracle_monitor_cfg *cfg);

/* One clock edge. */
void wr_oracle_monitor_step(wr_oracle_monitor *m, const wr_oracle_monitor_in *in);

#endif
