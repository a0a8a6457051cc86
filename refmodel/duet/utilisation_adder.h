/* SPDX-License-Identifier: Apache-2.0 */
/* utilisation_adder: what the SMs and the memory partitions did in a cycle, added up for
 * throughput_monitor.
 *
 *   SM 0 .. Sms - 1        issued, l1, up   --> cut off, added --> [ issued  l1  up   ]
 *   partition 0 .. Parts-1 down, l2, dram   --> cut off, added --> [ down  l2  dram   ]
 *   clocks                 *_cycles         ---------------------> [ *_cycles         ]
 *   run                    start, stop, cut ---------------------> [ start  stop  cut ]
 *
 * Everything goes through one register, so the outputs of a cycle are all of the cycle before.
 * Invariant: the outputs are in the range that throughput_monitor asks for, whatever the inputs
 * are: issued is at most Sms x Scheds, l1 at most Sms, up at most Sms x noc_cycles, down at most
 * Parts x noc_cycles, l2 at most Parts x l2_cycles, dram at most Parts x dram_cycles.
 *
 * Not modelled: the wires from the SMs and partitions, and stages that their length may ask for.
 *
 * Source: Lin-D 3.6.4 (what the monitor collects), Table 3.3.
 */
#ifndef WR_REFMODEL_DUET_UTILISATION_ADDER_H
#define WR_REFMODEL_DUET_UTILISATION_ADDER_H

#include "refmodel/contract.h"
#include "refmodel/gen/utilisation_adder_pins.h"

typedef struct wr_utilisation_adder {
    wr_utilisation_adder_cfg cfg;

    bool start_q;
    bool stop_q;
    bool cut_q;
    uint8_t issued_q;
    uint8_t l1_q;
    uint8_t noc_cycles_q;
    uint8_t up_q;
    uint8_t down_q;
    uint8_t l2_cycles_q;
    uint8_t l2_q;
    uint8_t dram_cycles_q;
    uint8_t dram_q;
    bool fault_q;
} wr_utilisation_adder;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_utilisation_adder_init(wr_utilisation_adder *s, const wr_utilisation_adder_cfg *cfg);

void wr_utilisation_adder_reset(wr_utilisation_adder *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_utilisation_adder_eval(const wr_utilisation_adder *s, const wr_utilisation_adder_in *in,
                               wr_utilisation_adder_out *out);

/* The clock edge. */
void wr_utilisation_adder_tick(wr_utilisation_adder *s, const wr_utilisation_adder_in *in);

#endif
