/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of scan: a running sum that begins anew with each TB. */
#include "kernels/reference.h"

enum { THREADS = 256 };

const char *wr_reference_scan(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iin")) {
        return "scan takes 32-bit buffers in, out and a count";
    }
    const uint32_t *in = launch->args[0].data;
    uint32_t *out = launch->args[1].data;
    int64_t count = launch->args[2].integer;
    uint32_t tbs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){tbs, 1, 1}, (uint32_t[]){THREADS, 1, 1}) ||
        (int64_t)tbs * THREADS < count) {
        return "scan needs block [256] and a grid of one dimension that covers the count";
    }
    if (count < 0 || !wr_reference_holds(launch, 0, (uint64_t)count) ||
        !wr_reference_holds(launch, 1, (uint64_t)count)) {
        return "a buffer is shorter than the count";
    }

    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum = i % THREADS == 0 ? in[i] : sum + in[i];
        out[i] = sum;
    }
    return NULL;
}
