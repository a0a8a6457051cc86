/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of cutcp: for each point all atoms there are, without cubes, in double precision. */
#include "kernels/reference.h"

#include <math.h>

enum { SLOTS = 8, POINTS = 4 };

/* Element `index` of a box of n[0] x n[1] x n[2], as a place with `spacing` between elements. */
static void place(uint64_t index, const uint64_t n[3], double spacing, double at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = spacing * (double)(index % n[axis]);
        index /= n[axis];
    }
}

static double potential_at(const wr_reference_launch *launch, const double point[3])
{
    const float *atoms = launch->args[0].data;
    const int32_t *counts = launch->args[1].data;
    const uint64_t n[3] = {launch->grid[0], launch->grid[1], launch->grid[2]};
    double energy = 0;
    for (uint64_t cube = 0; cube < n[0] * n[1] * n[2]; cube++) {
        double corner[3];
        place(cube, n, 8.0, corner);
        for (int32_t a = 0; a < counts[cube]; a++) {
            const float *atom = atoms + 4 * (cube * SLOTS + (uint64_t)a);
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double d = (double)atom[axis] + corner[axis] - point[axis];
                square += d * d;
            }
            double rest = 1.0 - square / 64.0;
            if (rest > 0) {
                energy += (double)atom[3] / sqrt(square) * rest * rest;
            }
        }
    }
    return energy;
}

const char *wr_reference_cutcp(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fif")) {
        return "cutcp takes buffers atoms (f32), counts (32 bits) and potential (f32)";
    }
    const int32_t *counts = launch->args[1].data;
    float *potential = launch->args[2].data;
    const uint32_t *n = launch->grid;
    uint64_t cubes = (uint64_t)n[0] * n[1] * n[2];
    if (!wr_reference_shape(launch, n, (uint32_t[]){64, 1, 1})) {
        return "cutcp needs block [64]";
    }
    if (!wr_reference_holds(launch, 0, cubes * SLOTS * 4) ||
        !wr_reference_holds(launch, 1, cubes) || !wr_reference_holds(launch, 2, cubes * 64)) {
        return "a buffer is too short for the grid";
    }
    for (uint64_t cube = 0; cube < cubes; cube++) {
        if (counts[cube] < 0 || counts[cube] > SLOTS) {
            return "a cube has 0 to 8 atoms";
        }
    }
    const uint64_t side[3] = {(uint64_t)n[0] * POINTS, (uint64_t)n[1] * POINTS,
                              (uint64_t)n[2] * POINTS};
    for (uint64_t i = 0; i < cubes * 64; i++) {
        double point[3];
        place(i, side, 2.0, point);
        potential[i] = (float)potential_at(launch, point);
    }
    return NULL;
}
