/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of streamcluster_pgain; distances are summed in order of dimensions, as in the
 * kernel. */
#include "kernels/reference.h"

const char *wr_reference_streamcluster_pgain(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nnnnfiffifb")) {
        return "streamcluster_pgain takes counts of points and dimensions, a candidate, a count of "
               "centres, buffers of f32 weights, s32 assigned, f32 costs, coordinates, s32 "
               "centres, f32 work, and bytes switches";
    }
    const wr_reference_arg *a = launch->args;
    int64_t points = a[0].integer, dimensions = a[1].integer, columns = a[3].integer + 1;
    int64_t candidate = a[2].integer;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){512, 1, 1}) ||
        points < 1 || dimensions < 1 || columns < 2 || candidate < 0 || candidate >= points ||
        points > 512 * (int64_t)launch->grid[0]) {
        return "streamcluster_pgain needs block [512, 1, 1] and a grid [n, 1, 1] that covers all "
               "points";
    }
    const int64_t needs[11] = {
        0, 0, 0, 0, points, points, points, points * dimensions, points, points * columns, points};
    for (size_t i = 4; i < 11; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)needs[i])) {
            return "a buffer is too short for the points";
        }
    }
    const float *weights = a[4].data, *costs = a[6].data, *coordinates = a[7].data;
    const int32_t *assigned = a[5].data, *centres = a[8].data;
    float *work = a[9].data;
    uint8_t *switches = a[10].data;

    for (int64_t p = 0; p < points; p++) {
        float distance = 0;
        for (int64_t d = 0; d < dimensions; d++) {
            const float *axis = coordinates + d * points;
            distance += (axis[p] - axis[candidate]) * (axis[p] - axis[candidate]);
        }
        float gain = costs[p] - distance * weights[p];
        if (assigned[p] < 0 || assigned[p] >= points) {
            return "a point is assigned to no point";
        }
        int32_t centre = centres[assigned[p]];
        if (centre < 0 || centre >= columns - 1) {
            return "a point's centre is none of the centres";
        }
        if (distance * weights[p] < costs[p]) {
            switches[p] = 1;
            work[p * columns + columns - 1] = -gain;
        } else {
            work[p * columns + centre] = gain;
        }
    }
    return NULL;
}
