/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of lavamd: pairs of particles whose boxes touch, in double precision. */
#include "kernels/reference.h"

#include <math.h>

static bool touch(const int64_t a[3], const int64_t b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (a[axis] - b[axis] > 1 || b[axis] - a[axis] > 1) {
            return false;
        }
    }
    return true;
}

static void place(uint64_t box, const uint32_t size[3], int64_t at[3])
{
    at[0] = (int64_t)(box % size[0]);
    at[1] = (int64_t)(box / size[0] % size[1]);
    at[2] = (int64_t)(box / size[0] / size[1]);
}

/* Adds to `sum` what the particles of box `other` do to a particle at `point`. */
static void add_box(const float *particles, uint64_t count, const int64_t other[3],
                    const double point[3], double alpha, double sum[4])
{
    for (uint64_t p = 0; p < count; p++, particles += 4) {
        double d[3];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = point[axis] - ((double)particles[axis] + (double)other[axis]);
            square += d[axis] * d[axis];
        }
        double potential = (double)particles[3] * exp(-2 * alpha * alpha * square);
        sum[0] += potential;
        for (int axis = 0; axis < 3; axis++) {
            sum[axis + 1] += 2 * potential * d[axis];
        }
    }
}

const char *wr_reference_lavamd(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffrn")) {
        return "lavamd takes f32 buffers particles and out, an f32 alpha, and the particles "
               "of a box";
    }
    const float *particles = launch->args[0].data;
    float *out = launch->args[1].data;
    double alpha = launch->args[2].real;
    uint64_t count = (uint64_t)launch->args[3].integer; /* of particles a box */
    uint64_t boxes = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (!wr_reference_shape(launch, launch->grid, (uint32_t[]){128, 1, 1})) {
        return "lavamd needs block [128]";
    }
    if (count < 1 || count > 100) {
        return "a box has 1 to 100 particles";
    }
    if (!wr_reference_holds(launch, 0, boxes * count * 4) ||
        !wr_reference_holds(launch, 1, boxes * count * 4)) {
        return "a buffer is too short for the grid";
    }
    for (uint64_t i = 0; i < boxes * count; i++) {
        int64_t home[3];
        int64_t near[3];
        double point[3];
        double sum[4] = {0};
        place(i / count, launch->grid, home);
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = (double)particles[4 * i + (uint64_t)axis] + (double)home[axis];
        }
        for (uint64_t box = 0; box < boxes; box++) {
            place(box, launch->grid, near);
            if (touch(home, near)) {
                add_box(particles + 4 * count * box, count, near, point, alpha, sum);
            }
        }
        for (uint64_t field = 0; field < 4; field++) {
            out[4 * i + field] = (float)sum[field];
        }
    }
    return NULL;
}
