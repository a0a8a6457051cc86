/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU that the instruction tests run on. */
#ifndef WR_TESTS_OPS_OPS_GPU_H
#define WR_TESTS_OPS_OPS_GPU_H

#include "shell/config/config.h"

/* gtx480 with two SMs. Quick: with memory that costs little time to simulate, for long runs, which
 * ask for values and not for time. */
wr_gpu_config ops_gpu(bool quick);

#endif
