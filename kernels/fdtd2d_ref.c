/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of fdtd2d's three kernels, field by field. */
#include "kernels/reference.h"

#include <string.h>

static const char *step1(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffnnn")) {
        return "fdtd2d_step1 takes f32 buffers source, ey, hz, then nx, ny, step";
    }
    uint64_t nx = (uint64_t)launch->args[3].integer;
    uint64_t ny = (uint64_t)launch->args[4].integer;
    uint64_t step = (uint64_t)launch->args[5].integer;
    if (launch->args[5].integer < 0 || !wr_reference_holds(launch, 0, step + 1) ||
        !wr_reference_holds(launch, 1, (nx + 1) * ny) || !wr_reference_holds(launch, 2, nx * ny)) {
        return "a buffer is smaller than its field";
    }
    const float *source = launch->args[0].data;
    float *ey = launch->args[1].data;
    const float *hz = launch->args[2].data;
    for (uint64_t at = 0; at < ny; at++) {
        ey[at] = source[step];
    }
    for (uint64_t at = ny; at < nx * ny; at++) {
        ey[at] = ey[at] - (hz[at] - hz[at - ny]) * 0.5f;
    }
    return NULL;
}

static const char *step2(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffnn")) {
        return "fdtd2d_step2 takes f32 buffers ex, hz, then nx, ny";
    }
    uint64_t nx = (uint64_t)launch->args[2].integer;
    uint64_t ny = (uint64_t)launch->args[3].integer;
    if (!wr_reference_holds(launch, 0, nx * (ny + 1)) || !wr_reference_holds(launch, 1, nx * ny)) {
        return "a buffer is smaller than its field";
    }
    float *ex = launch->args[0].data;
    const float *hz = launch->args[1].data;
    for (uint64_t row = 0; row < nx; row++, ex += ny + 1, hz += ny) {
        for (uint64_t j = 1; j < ny; j++) {
            ex[j] = ex[j] - (hz[j] - hz[j - 1]) * 0.5f;
        }
    }
    return NULL;
}

static const char *step3(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffnn")) {
        return "fdtd2d_step3 takes f32 buffers ex, ey, hz, then nx, ny";
    }
    uint64_t nx = (uint64_t)launch->args[3].integer;
    uint64_t ny = (uint64_t)launch->args[4].integer;
    if (!wr_reference_holds(launch, 0, nx * (ny + 1)) ||
        !wr_reference_holds(launch, 1, (nx + 1) * ny) || !wr_reference_holds(launch, 2, nx * ny)) {
        return "a buffer is smaller than its field";
    }
    const float *ex = launch->args[0].data;
    const float *ey = launch->args[1].data;
    float *hz = launch->args[2].data;
    for (uint64_t row = 0; row < nx; row++) {
        for (uint64_t j = 0; j < ny; j++) {
            float curl = ex[row * (ny + 1) + j + 1] - ex[row * (ny + 1) + j];
            curl += ey[(row + 1) * ny + j];
            curl -= ey[row * ny + j];
            hz[row * ny + j] -= curl * 0.7f;
        }
    }
    return NULL;
}

const char *wr_reference_fdtd2d(const wr_reference_launch *launch)
{
    static const struct {
        const char *kernel;
        const char *(*follow)(const wr_reference_launch *launch);
        size_t nx; /* place of the argument; ny is next */
    } steps[] = {
        {"fdtd2d_step1", step1, 3}, {"fdtd2d_step2", step2, 2}, {"fdtd2d_step3", step3, 3}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (strcmp(launch->kernel, steps[i].kernel) != 0) {
            continue;
        }
        if (launch->arg_count < steps[i].nx + 2) {
            return "too few arguments";
        }
        int64_t nx = launch->args[steps[i].nx].integer;
        int64_t ny = launch->args[steps[i].nx + 1].integer;
        if (nx < 1 || ny < 1 || (int64_t)launch->grid[0] * launch->block[0] < ny ||
            (int64_t)launch->grid[1] * launch->block[1] < nx) {
            return "the grid does not cover the fields";
        }
        return steps[i].follow(launch);
    }
    return "fdtd2d has kernels fdtd2d_step1, fdtd2d_step2 and fdtd2d_step3";
}
