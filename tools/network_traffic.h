/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic traffic through one direction of the shell's interconnect, and what comes out of it.
 *
 * Every input has a source: packets of drawn lengths to drawn outputs. Receivers take each packet
 * in the cycle of its arrival, so that nothing but the network holds packets back.
 * - Without a rate a source always has a packet (saturation).
 * - With one, packets are born by themselves: each cycle with the same chance, in a queue without
 *   end in front of the network. Latency counts from birth, so it holds the wait in that queue.
 *
 * Errors are standard errors by batch means: the measured cycles are WR_TRAFFIC_BATCHES batches,
 * each far longer than what one cycle does to later ones.
 *
 * The same traffic gives the same result: each source draws from a generator of its own. */
#ifndef WR_TOOLS_NETWORK_TRAFFIC_H
#define WR_TOOLS_NETWORK_TRAFFIC_H

#include "shell/memory/network.h"

#define WR_TRAFFIC_PORTS   64 /* most inputs, most outputs */
#define WR_TRAFFIC_LENGTHS 8
#define WR_TRAFFIC_BATCHES 20

typedef enum wr_traffic_pattern {
    WR_TRAFFIC_UNIFORM,     /* any output, all alike */
    WR_TRAFFIC_HOTSPOT,     /* output 0 with chance `hot`, else any, all alike */
    WR_TRAFFIC_PERMUTATION, /* each input to one output, as different ones as there are */
} wr_traffic_pattern;

typedef struct wr_traffic {
    uint32_t inputs, outputs; /* of the network */
    uint32_t lengths;         /* of packets, drawn by their shares */
    uint32_t flits[WR_TRAFFIC_LENGTHS];
    uint32_t share[WR_TRAFFIC_LENGTHS];
    wr_traffic_pattern pattern;
    double hot;
    double rate;             /* flits that are born at an input in a cycle; 0: saturation */
    uint64_t warmup, cycles; /* that are not measured, that are; at least a cycle a batch */
    uint64_t seed;
} wr_traffic;

/* Mean flits of a packet. */
double wr_traffic_mean_flits(const wr_traffic *t);

typedef struct wr_traffic_result {
    uint64_t packets, flits;          /* that arrived in the measured cycles */
    double throughput;                /* flits an output and cycle */
    double throughput_error;          /* its standard error */
    double of_peak;                   /* share of what the narrower side's links carry */
    double input_least, input_most;   /* flits an input and cycle: the input that got least, most */
    double output_least, output_most; /* likewise, of outputs */
    /* With a rate: */
    double latency, latency_error; /* cycles from birth to arrival, mean of `packets` */
    uint64_t latency_most;
    bool behind; /* sources fall behind: latency grows with the cycles, and means nothing */
} wr_traffic_result;

/* The network must be new and as wide as the traffic says. */
void wr_traffic_measure(wr_network *network, const wr_traffic *t, wr_traffic_result *result);

#endif
