/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_monitor: what the parts of a GPU delivered in a window of cycles, and its class.
 *
 *                        +---------------------------+
 *  start, stop, cut ---> |  idle -> warm -> measure  | ---> state
 *  issued -------------> |  [ issued     ]           |
 *  l1 -----------------> |  [ l1         ]  judge    | ---> valid, verdict
 *  noc_cycles, up, down> |  [ up  down | cycles ] -> | ---> low[5], high[5]
 *  l2_cycles, l2 ------> |  [ l2       | cycles ]    | ---> l1_idle
 *  dram_cycles, dram --> |  [ dram     | cycles ]    | ---> fault
 *                        +---------------------------+
 *
 *  cycle      ...  c-1    c    c+1   c+2
 *  window     ... ______/last\______            the next window counts from c + 1 on
 *  judge_q                    /~~~~~\           full counts stand in the counters
 *  valid                            /~~~~~\
 *
 * Every part has a counter of what it did; parts with a clock of their own also have one of the
 * cycles in which they could have. used / possible is never formed: used x 100 is compared with
 * possible x percent.
 * Invariant: with legal input no counter passes what the window's cycles allow.
 *
 * Not modelled: where the events come from, and the sum over SMs and partitions; register file and
 * shared memory, which the paper measures and finds never to be the limit.
 *
 * Source: Lin-D 3.4.1 (what utilisation means), 3.6.4 (warm-up, windows), Table 3.3 (classes).
 */
#ifndef WR_REFMODEL_DUET_THROUGHPUT_MONITOR_H
#define WR_REFMODEL_DUET_THROUGHPUT_MONITOR_H

#include "refmodel/contract.h"
#include "refmodel/gen/throughput_monitor_pins.h"

/* Table 3.3's classes, as the monitor gives them and the ME controller takes them. */
typedef enum wr_duet_class {
    WR_DUET_UNDER = 0,
    WR_DUET_MODERATE = 1,
    WR_DUET_SATURATED = 2,
} wr_duet_class;

typedef struct wr_throughput_monitor {
    wr_throughput_monitor_cfg cfg;

    uint8_t state_q;   /* 2 bits: 0 idle, 1 warm, 2 measure */
    uint16_t cycles_q; /* of this warm-up or window */
    bool judge_q;      /* a window has just ended: the counters hold all of it */
    uint32_t issued_q;
    uint32_t l1_q;
    uint32_t up_q;
    uint32_t down_q;
    uint32_t l2_q;
    uint32_t dram_q;
    uint32_t noc_cycles_q;
    uint32_t l2_cycles_q;
    uint32_t dram_cycles_q;
    bool valid_q; /* the verdict is new */
    uint8_t verdict_q;
    uint8_t low_q;
    uint8_t high_q;
    bool l1_idle_q;
    bool fault_q;
} wr_throughput_monitor;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_throughput_monitor_init(wr_throughput_monitor *s,
                                     const wr_throughput_monitor_cfg *cfg);

void wr_throughput_monitor_reset(wr_throughput_monitor *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_throughput_monitor_eval(const wr_throughput_monitor *s, const wr_throughput_monitor_in *in,
                                wr_throughput_monitor_out *out);

/* The clock edge. */
void wr_throughput_monitor_tick(wr_throughput_monitor *s, const wr_throughput_monitor_in *in);

/* n ticks with these inputs held. */
void wr_throughput_monitor_skip(wr_throughput_monitor *s, const wr_throughput_monitor_in *in,
                                uint64_t n);

/* Ticks with these inputs held that leave every output as it is; UINT64_MAX: never ends. */
uint64_t wr_throughput_monitor_quiet(const wr_throughput_monitor *s,
                                     const wr_throughput_monitor_in *in);

#endif
