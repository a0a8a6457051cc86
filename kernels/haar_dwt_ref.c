/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of haar_dwt: average and detail of a node come from those of its two halves, by
 * recursion from the root. Rounded as the kernel rounds: equal to the bit. */
#include "kernels/reference.h"

enum { RUN = 512 };

/* Average of `width` samples; details of the node and of those below are stored. Node n of the
 * tree has the children 2n and 2n + 1. */
static float transform(const float *in, uint32_t width, uint32_t node, float *out)
{
    const float scale = 0.70710678f;
    if (width == 1) {
        return in[0];
    }
    float left = transform(in, width / 2, 2 * node, out);
    float right = transform(in + width / 2, width / 2, 2 * node + 1, out);
    out[node] = (left - right) * scale;
    return (left + right) * scale;
}

const char *wr_reference_haar_dwt(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ff")) {
        return "haar_dwt takes f32 buffers in and out";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    uint32_t runs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){runs, 1, 1}, (uint32_t[]){RUN / 2, 1, 1})) {
        return "haar_dwt needs block [256] and a grid of one dimension";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)runs * RUN) ||
        !wr_reference_holds(launch, 1, (uint64_t)runs * RUN)) {
        return "a buffer is too short for the grid";
    }
    for (uint64_t base = 0; base < (uint64_t)runs * RUN; base += RUN) {
        out[base] = transform(in + base, RUN, 1, out + base);
    }
    return NULL;
}
