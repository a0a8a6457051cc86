/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mri_gridding: samples are scattered, bin by bin in ascending order, onto the
 * points around them. That is the order in which a point gathers: equal to the bit. */
#include "kernels/reference.h"

enum { BIN = 4, PER_BIN = 12, FIELDS = 5, SPREAD = 3 };

static float distance(float offset, int64_t steps)
{
    return offset - (float)steps;
}

static void scatter(const float *sample, const int64_t corner[3], const int64_t size[3],
                    float *const grid[2])
{
    for (int64_t at = 0; at < 1000; at++) {
        /* Ten points an axis: SPREAD before the bin, the bin, SPREAD behind. */
        const int64_t step[3] = {at % 10 - SPREAD, at / 10 % 10 - SPREAD, at / 100 - SPREAD};
        int64_t point = 0;
        float square = 0.0f;
        bool inside = true;
        for (int axis = 2; axis >= 0; axis--) {
            int64_t p = corner[axis] + step[axis];
            inside = inside && p >= 0 && p < size[axis];
            point = point * size[axis] + p;
        }
        for (int axis = 0; axis < 3; axis++) {
            float d = distance(sample[axis], step[axis]);
            square += d * d;
        }
        if (!inside || square >= 4.0f) {
            continue;
        }
        float weight = 1.0f - square / 4.0f;
        grid[0][point] += weight * weight * sample[3];
        grid[1][point] += weight * weight * sample[4];
    }
}

const char *wr_reference_mri_gridding(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fff")) {
        return "mri_gridding takes f32 buffers samples, real and imaginary grid";
    }
    const float *samples = launch->args[0].data;
    float *const grid[2] = {launch->args[1].data, launch->args[2].data};
    const uint32_t *bins = launch->grid;
    uint64_t total = (uint64_t)bins[0] * bins[1] * bins[2];
    uint64_t points = total * BIN * BIN * BIN;
    if (!wr_reference_shape(launch, bins, (uint32_t[]){BIN * BIN * BIN, 1, 1})) {
        return "mri_gridding needs block [64]";
    }
    if (!wr_reference_holds(launch, 0, total * PER_BIN * FIELDS) ||
        !wr_reference_holds(launch, 1, points) || !wr_reference_holds(launch, 2, points)) {
        return "a buffer is too short for the grid";
    }
    const int64_t size[3] = {BIN * (int64_t)bins[0], BIN * (int64_t)bins[1],
                             BIN * (int64_t)bins[2]};
    for (uint64_t i = 0; i < points; i++) {
        grid[0][i] = grid[1][i] = 0.0f;
    }
    for (uint64_t bin = 0; bin < total; bin++) {
        const int64_t corner[3] = {BIN * (int64_t)(bin % bins[0]),
                                   BIN * (int64_t)(bin / bins[0] % bins[1]),
                                   BIN * (int64_t)(bin / bins[0] / bins[1])};
        for (uint64_t s = 0; s < PER_BIN; s++) {
            scatter(samples + (bin * PER_BIN + s) * FIELDS, corner, size, grid);
        }
    }
    return NULL;
}
