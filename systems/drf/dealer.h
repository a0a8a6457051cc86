/* SPDX-License-Identifier: Apache-2.0 */
/* The block drf_partitioner, asked between two cycles of the GPU: kernels and what a TB of each
 * needs go in, TBs of each on an SM come out. It is the same for all SMs, so there is one.
 */
#ifndef WR_SYSTEMS_DRF_DEALER_H
#define WR_SYSTEMS_DRF_DEALER_H

#include "dpi/gen/drf_partitioner_port.h"
#include "shell/core/seam/launch.h"
#include "systems/frame/system.h"

enum { WR_DRF_REGISTER_UNIT = 32, WR_DRF_SHARED_UNIT = 128 }; /* of the block: registers, bytes */

typedef struct wr_drf_dealer {
    wr_bay *bay;
    uint32_t unit, kernels;
    bool open;
    wr_port_drf_partitioner port;
    wr_drf_partitioner_out out;
    uint64_t cycles;
} wr_drf_dealer;

/* For up to `kernels` at once, 8 at most, on an SM of the setup; `unit` is its name in the bay.
 * False with one line in err. */
bool wr_drf_open(wr_drf_dealer *d, const wr_system_setup *setup, const char *unit, uint32_t kernels,
                 char *err, size_t err_size);
void wr_drf_close(wr_drf_dealer *d);

/* For the kernels of `mask`: tbs[k] from needs[k]; those of others are 0. False: the block failed,
 * and the run ends. */
bool wr_drf_deal(wr_drf_dealer *d, wr_gpu *gpu, uint32_t mask, const wr_tb_needs needs[],
                 uint32_t tbs[]);

#endif
