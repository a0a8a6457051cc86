/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of tpacf's two kernels: all pairs, bins by a walk along the bounds. */
#include "kernels/reference.h"

#include <math.h>
#include <string.h>

enum { BINS = 32 };

static const char *normalise(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "tpacf_normalise takes f32 buffers x, y, z and their count";
    }
    int64_t count = launch->args[3].integer;
    float *v[3] = {launch->args[0].data, launch->args[1].data, launch->args[2].data};
    for (size_t axis = 0; axis < 3; axis++) {
        if (count < 0 || !wr_reference_holds(launch, axis, (uint64_t)count)) {
            return "a buffer is shorter than the count";
        }
    }
    if ((int64_t)launch->grid[0] * launch->block[0] < count) {
        return "the grid does not cover the count";
    }
    for (int64_t i = 0; i < count; i++) {
        float square = 0.0f;
        for (size_t axis = 0; axis < 3; axis++) {
            square += v[axis][i] * v[axis][i];
        }
        for (size_t axis = 0; axis < 3; axis++) {
            v[axis][i] /= sqrtf(square);
        }
    }
    return NULL;
}

const char *wr_reference_tpacf(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "tpacf_normalise") == 0) {
        return normalise(launch);
    }
    if (!wr_reference_takes(launch, "fffffffin")) {
        return "tpacf takes f32 buffers x1, y1, z1, x2, y2, z2, bounds, a 32-bit histogram and the "
               "count";
    }
    int64_t count = launch->args[8].integer;
    const float *bounds = launch->args[6].data;
    int32_t *histogram = launch->args[7].data;
    for (size_t i = 0; i < 6; i++) {
        if (count < 0 || !wr_reference_holds(launch, i, (uint64_t)count)) {
            return "a buffer is shorter than the count";
        }
    }
    if (!wr_reference_holds(launch, 6, BINS + 1) || !wr_reference_holds(launch, 7, BINS)) {
        return "tpacf has 32 bins and 33 bounds";
    }
    if (launch->block[0] != 128 || (int64_t)launch->grid[0] * 128 < count) {
        return "tpacf needs block [128] and a grid that covers the count";
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) {
            float dot = 0.0f;
            for (size_t axis = 0; axis < 3; axis++) {
                dot += ((const float *)launch->args[axis].data)[i] *
                       ((const float *)launch->args[axis + 3].data)[j];
            }
            int bin = 0;
            while (bin < BINS - 1 && dot * 16.0f >= bounds[bin + 1]) {
                bin++;
            }
            histogram[bin]++;
        }
    }
    return NULL;
}
