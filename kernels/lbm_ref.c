/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of lbm: loops over a table of velocities, in double precision inside a step. */
#include "kernels/reference.h"

static const int64_t velocity[9][2] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                                       {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static double weight(size_t i)
{
    return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
}

static void collide(const double f[9], double omega, double out[9])
{
    double density = 0;
    double u[2] = {0, 0};
    for (size_t i = 0; i < 9; i++) {
        density += f[i];
        for (size_t axis = 0; axis < 2; axis++) {
            u[axis] += f[i] * (double)velocity[i][axis];
        }
    }
    u[0] /= density;
    u[1] /= density;
    for (size_t i = 0; i < 9; i++) {
        double along = u[0] * (double)velocity[i][0] + u[1] * (double)velocity[i][1];
        double square = u[0] * u[0] + u[1] * u[1];
        double equilibrium =
            weight(i) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
        out[i] = f[i] + omega * (equilibrium - f[i]);
    }
}

const char *wr_reference_lbm(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffrnn")) {
        return "lbm takes f32 buffers from, to, an f32 omega, then nx and ny";
    }
    const float *from = launch->args[0].data;
    float *to = launch->args[1].data;
    double omega = launch->args[2].real;
    int64_t nx = launch->args[3].integer;
    int64_t ny = launch->args[4].integer;
    if (nx < 1 || ny < 1 || (int64_t)launch->grid[0] * launch->block[0] < nx ||
        (int64_t)launch->grid[1] * launch->block[1] < ny) {
        return "the grid does not cover the plane";
    }
    int64_t cells = nx * ny;
    if (!wr_reference_holds(launch, 0, 9 * (uint64_t)cells) ||
        !wr_reference_holds(launch, 1, 9 * (uint64_t)cells)) {
        return "a buffer is smaller than nine fields";
    }
    for (int64_t cell = 0; cell < cells; cell++) {
        double in[9];
        double out[9];
        for (int64_t i = 0; i < 9; i++) {
            int64_t x = (cell % nx - velocity[i][0] + nx) % nx;
            int64_t y = (cell / nx - velocity[i][1] + ny) % ny;
            in[i] = (double)from[i * cells + y * nx + x];
        }
        collide(in, omega, out);
        for (int64_t i = 0; i < 9; i++) {
            to[i * cells + cell] = (float)out[i];
        }
    }
    return NULL;
}
