/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of vecadd. */
#include "kernels/reference.h"

const char *wr_reference_vecadd(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "vecadd takes three f32 buffers and a 32-bit count";
    }
    const float *a = launch->args[0].data;
    const float *b = launch->args[1].data;
    float *c = launch->args[2].data;
    int64_t n = launch->args[3].integer;
    int64_t threads = (int64_t)launch->grid[0] * launch->block[0];
    for (size_t i = 0; i < 3; i++) {
        if (n > 0 && launch->args[i].count < (uint64_t)n) {
            return "a buffer is shorter than the count";
        }
    }
    for (int64_t i = 0; i < n && i < threads; i++) {
        c[i] = a[i] + b[i];
    }
    return NULL;
}
