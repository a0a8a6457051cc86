/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of bandwidth_converter, from the block's toml alone. An operation is worked out at
 * once and in full when it is taken, with its divisions as they are written; what comes of it later
 * is noted with the cycle in which it shows. It includes nothing of the model and shares no code
 * with it. */
#ifndef WR_TESTS_ORACLE_BANDWIDTH_CONVERTER_ORACLE_H
#define WR_TESTS_ORACLE_BANDWIDTH_CONVERTER_ORACLE_H

#include <stdbool.h>

enum {
    WR_ORACLE_BANDWIDTH_KERNELS = 4,
    WR_ORACLE_BANDWIDTH_WRITES = 64, /* two for each of 32 entries */
};

typedef enum wr_oracle_bandwidth_op {
    WR_ORACLE_BANDWIDTH_REQUESTS,
    WR_ORACLE_BANDWIDTH_SLICE,
    WR_ORACLE_BANDWIDTH_COST,
    WR_ORACLE_BANDWIDTH_SAMPLE,
    WR_ORACLE_BANDWIDTH_OPS
} wr_oracle_bandwidth_op;

/* What has come up, for a test to see that all of it did. */
typedef enum wr_oracle_bandwidth_seen {
    WR_ORACLE_BANDWIDTH_WAITED = WR_ORACLE_BANDWIDTH_OPS, /* below: operations taken, by code */
    WR_ORACLE_BANDWIDTH_NOTHING_SENT,                     /* a cost without requests */
    WR_ORACLE_BANDWIDTH_NO_ACCESS,                        /* a cost without accesses */
    WR_ORACLE_BANDWIDTH_LOADS_MOST, /* a cost of a sum that would be more than its most */
    WR_ORACLE_BANDWIDTH_STORES_MOST,
    WR_ORACLE_BANDWIDTH_ACCESSES_MOST,
    WR_ORACLE_BANDWIDTH_LINES_MOST,
    WR_ORACLE_BANDWIDTH_BYTES_MOST,   /* dreq would be more than 255 */
    WR_ORACLE_BANDWIDTH_CLAMPED_NOC,  /* a percentage would be more than 100 */
    WR_ORACLE_BANDWIDTH_CLAMPED_DRAM, /* likewise */
    WR_ORACLE_BANDWIDTH_FELL_NOC,     /* it would be less than in the sample before */
    WR_ORACLE_BANDWIDTH_FELL_DRAM,    /* likewise */
    WR_ORACLE_BANDWIDTH_SAME_CTAS,    /* as in the sample before */
    WR_ORACLE_BANDWIDTH_BETWEEN,      /* entries on two lines that rise, and not from 0 */
    WR_ORACLE_BANDWIDTH_NO_KERNEL,    /* protocol faults */
    WR_ORACLE_BANDWIDTH_OTHER_KERNEL,
    WR_ORACLE_BANDWIDTH_NO_CTAS,
    WR_ORACLE_BANDWIDTH_TOO_MANY_CTAS,
    WR_ORACLE_BANDWIDTH_FEWER_CTAS,
    WR_ORACLE_BANDWIDTH_SEEN
} wr_oracle_bandwidth_seen;

typedef struct wr_oracle_bandwidth_cfg {
    unsigned kernels, max_ctas, units, noc_flits, dram_bytes, load_flits, store_flits, line_bytes;
} wr_oracle_bandwidth_cfg;

typedef struct wr_oracle_bandwidth_in {
    bool req;
    unsigned op, kernel, a, b, c, view;
} wr_oracle_bandwidth_in;

typedef struct wr_oracle_bandwidth_out {
    bool ready, we;
    unsigned what, kernel, index, value;
    unsigned n16, dreq;
    bool fault;
} wr_oracle_bandwidth_out;

/* A cost: what it was, what it becomes, and the cycle from which on it is that. */
typedef struct wr_oracle_bandwidth_value {
    unsigned long long was, is, from;
} wr_oracle_bandwidth_value;

typedef struct wr_oracle_bandwidth_write {
    unsigned long long cycle; /* the only one in which it is at the outputs */
    unsigned what, kernel, index, value;
} wr_oracle_bandwidth_write;

typedef struct wr_oracle_bandwidth_kernel {
    unsigned long long loads, stores, accesses, lines; /* without an upper end */
    wr_oracle_bandwidth_value n16, dreq;
} wr_oracle_bandwidth_kernel;

typedef struct wr_oracle_bandwidth_converter {
    wr_oracle_bandwidth_cfg cfg;
    unsigned long long cycle;
    unsigned long long ready_from; /* first cycle in which ready is 1 again */
    bool fault;

    wr_oracle_bandwidth_kernel kernel[WR_ORACLE_BANDWIDTH_KERNELS];

    unsigned cost_kernel; /* of the last cost; samples may be of this one */
    struct {
        unsigned ctas;
        unsigned long long nbw, dbw;
    } before; /* the sample before */

    wr_oracle_bandwidth_write write[WR_ORACLE_BANDWIDTH_WRITES]; /* of the last sample */
    unsigned writes;

    unsigned long long seen[WR_ORACLE_BANDWIDTH_SEEN];
} wr_oracle_bandwidth_converter;

void wr_oracle_bandwidth_converter_reset(wr_oracle_bandwidth_converter *o,
                                         const wr_oracle_bandwidth_cfg *cfg);

/* What every output is in this cycle, with kernel `view` looked at. */
void wr_oracle_bandwidth_converter_outputs(const wr_oracle_bandwidth_converter *o, unsigned view,
                                           wr_oracle_bandwidth_out *out);

/* One clock edge. */
void wr_oracle_bandwidth_converter_clock(wr_oracle_bandwidth_converter *o,
                                         const wr_oracle_bandwidth_in *in);

#endif
