/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of stencil7: point by point; neighbours are added z, then y, then x, upper first. */
#include "kernels/reference.h"

const char *wr_reference_stencil7(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffrrnnn")) {
        return "stencil7 takes f32 buffers in, out, f32 c0 and c1, then nx, ny, nz";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    float c0 = (float)launch->args[2].real;
    float c1 = (float)launch->args[3].real;
    int64_t size[3] = {launch->args[4].integer, launch->args[5].integer, launch->args[6].integer};
    if (size[0] < 3 || size[1] < 3 || size[2] < 3 ||
        (int64_t)launch->grid[0] * launch->block[0] < size[0] - 2 ||
        (int64_t)launch->grid[1] * launch->block[1] < size[1] - 2) {
        return "each side must be 3 or more and the grid must cover the inner points";
    }
    uint64_t plane = (uint64_t)(size[0] * size[1]);
    uint64_t points = wr_reference_holds(launch, 0, plane) ? plane * (uint64_t)size[2] : UINT64_MAX;
    if (!wr_reference_holds(launch, 0, points) || !wr_reference_holds(launch, 1, points)) {
        return "a buffer is smaller than the box";
    }

    const int64_t stride[3] = {1, size[0], size[0] * size[1]};
    for (int64_t z = 1; z < size[2] - 1; z++) {
        for (int64_t y = 1; y < size[1] - 1; y++) {
            for (int64_t x = 1; x < size[0] - 1; x++) {
                const float *p = in + x + y * stride[1] + z * stride[2];
                float sum = 0.0f;
                for (int axis = 2; axis >= 0; axis--) {
                    sum += p[stride[axis]];
                    sum += p[-stride[axis]];
                }
                out[p - in] = sum * c1 - p[0] * c0;
            }
        }
    }
    return NULL;
}
