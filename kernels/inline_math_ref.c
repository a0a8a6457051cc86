/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of inline_math: lanes from 0 to 31, over and over. */
#include "kernels/reference.h"

const char *wr_reference_inline_math(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "in")) {
        return "inline_math takes a 32-bit buffer and the count of threads that store";
    }
    uint32_t *out = launch->args[0].data;
    int64_t count = launch->args[1].integer;
    uint32_t threads = launch->block[0];

    if (launch->block[1] != 1 || launch->block[2] != 1 || threads % 32 != 0 ||
        count > (int64_t)threads * launch->grid[0]) {
        return "inline_math needs a block of one dimension, whole warps, and a grid that covers "
               "the count";
    }
    if (count < 0 || !wr_reference_holds(launch, 0, (uint64_t)count)) {
        return "the buffer is shorter than the count";
    }
    uint32_t lane = 0;
    for (int64_t i = 0; i < count; i++) {
        out[i] = lane << 8 | lane;
        lane = lane == 31 ? 0 : lane + 1;
    }
    return NULL;
}
