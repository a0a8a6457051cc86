/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_converter: counted requests in, bandwidth out.
 *
 *   requests: loads, stores -----> loads_q, stores_q --.   cost    n16 = flits / request
 *   slice: accesses, fetched, ---> accesses_q, lines_q +--------->                        ---> n16,
 * dreq written back                                 one        dreq = bytes / request     of view
 *                                                     divider
 *   sample: loads, stores, ------> flits, requests ----+---------> percent of NOC and DRAM ---> we,
 * what, CTAs                   x dreq                sample    up to this number of CTAs
 * out_kernel, index, value
 *
 *  n16, 8 bits   | flits a request, 4 | sixteenths, 4 |
 *
 * The costs go to the issue rate controllers, the entries into the tables of ccbp_allocator.
 * Between two samples an entry lies on the straight line, and no entry is below one of fewer CTAs.
 * Invariants: a percentage is at most 100; entries of a kernel come in rising order of CTAs, and
 * their values never fall; costs stand while a kernel sends nothing.
 *
 * Not modelled: the counters themselves; how many units a sample takes, which its sender keeps to.
 *
 * Source: Lin-D 4.5.1, 4.5.2. The paper's equations (4.5.3, 4.5.4) are not public; these keep the
 * identities of its Table 4.2.
 */
#ifndef WR_REFMODEL_SHARING_BANDWIDTH_CONVERTER_H
#define WR_REFMODEL_SHARING_BANDWIDTH_CONVERTER_H

#include "refmodel/contract.h"
#include "refmodel/gen/bandwidth_converter_pins.h"

enum { WR_BANDWIDTH_MOST = 4 }; /* kernels */

/* Codes of pin op. */
typedef enum wr_bandwidth_op {
    WR_BANDWIDTH_REQUESTS,
    WR_BANDWIDTH_SLICE,
    WR_BANDWIDTH_COST,
    WR_BANDWIDTH_SAMPLE,
} wr_bandwidth_op;

/* What so many CTAs of a kernel take. */
typedef struct wr_bandwidth_point {
    uint8_t ctas, nbw, dbw; /* percent of the sustainable */
} wr_bandwidth_point;

typedef struct wr_bandwidth_converter {
    wr_bandwidth_converter_cfg cfg;

    /* By kernel. */
    uint16_t loads_q[WR_BANDWIDTH_MOST];
    uint16_t stores_q[WR_BANDWIDTH_MOST];
    uint32_t accesses_q[WR_BANDWIDTH_MOST]; /* 18 bits */
    uint32_t lines_q[WR_BANDWIDTH_MOST];    /* 19 bits */
    uint8_t n16_q[WR_BANDWIDTH_MOST];
    uint8_t dreq_q[WR_BANDWIDTH_MOST];
    bool fault_q;

    wr_bandwidth_point before_q; /* the sample before */

    /* The operation that is worked on. */
    uint16_t cycle_q,
        length_q; /* cycles since it was taken, of those in which ready is 0; 0: none */
    uint8_t op_q, kernel_q;
    uint8_t new_n16_q, new_dreq_q;   /* of cost */
    wr_bandwidth_point from_q, to_q; /* of sample: entries behind from, up to to */
} wr_bandwidth_converter;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is out of its range. */
wr_status wr_bandwidth_converter_init(wr_bandwidth_converter *s,
                                      const wr_bandwidth_converter_cfg *cfg);

void wr_bandwidth_converter_reset(wr_bandwidth_converter *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_bandwidth_converter_eval(const wr_bandwidth_converter *s,
                                 const wr_bandwidth_converter_in *in,
                                 wr_bandwidth_converter_out *out);

/* The clock edge. */
void wr_bandwidth_converter_tick(wr_bandwidth_converter *s, const wr_bandwidth_converter_in *in);

#endif
