/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of kmeans_invert_mapping: a transposition. */
#include "kernels/reference.h"

const char *wr_reference_kmeans_invert_mapping(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffnn")) {
        return "kmeans_invert_mapping takes f32 buffers by_point, by_feature, and counts of "
               "points and features";
    }
    int64_t points = launch->args[2].integer;
    int64_t features = launch->args[3].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){256, 1, 1}) ||
        points < 0 || features < 0 || points > 256 * (int64_t)launch->grid[0]) {
        return "kmeans_invert_mapping needs block [256, 1, 1] and a grid [n, 1, 1] that covers "
               "all points";
    }
    for (size_t i = 0; i < 2; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)(points * features))) {
            return "a buffer is too short for the points";
        }
    }
    const float *from = launch->args[0].data;
    float *to = launch->args[1].data;

    for (int64_t i = 0; i < points * features; i++) {
        to[i % features * points + i / features] = from[i];
    }
    return NULL;
}
