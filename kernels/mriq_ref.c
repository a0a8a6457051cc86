/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mriq's two kernels; Q in double precision. */
#include "kernels/reference.h"

#include <math.h>
#include <string.h>

static const char *phimag(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "mriq_phimag takes f32 buffers real, imaginary, magnitude and the samples";
    }
    const float *real = launch->args[0].data;
    const float *imaginary = launch->args[1].data;
    float *magnitude = launch->args[2].data;
    int64_t samples = launch->args[3].integer;
    for (size_t i = 0; i < 3; i++) {
        if (samples < 0 || !wr_reference_holds(launch, i, (uint64_t)samples)) {
            return "a buffer is shorter than the samples";
        }
    }
    if ((int64_t)launch->grid[0] * launch->block[0] < samples) {
        return "the grid does not cover the samples";
    }
    for (int64_t i = 0; i < samples; i++) {
        float square = imaginary[i] * imaginary[i];
        magnitude[i] = square + real[i] * real[i];
    }
    return NULL;
}

const char *wr_reference_mriq(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "mriq_phimag") == 0) {
        return phimag(launch);
    }
    if (!wr_reference_takes(launch, "ffffffnn")) {
        return "mriq_computeq takes f32 buffers k, magnitude, x, y, z, q, then samples and voxels";
    }
    const float *k = launch->args[0].data;
    const float *magnitude = launch->args[1].data;
    const float *place[3] = {launch->args[2].data, launch->args[3].data, launch->args[4].data};
    float *q = launch->args[5].data;
    int64_t samples = launch->args[6].integer;
    int64_t voxels = launch->args[7].integer;
    if (samples < 0 || voxels < 0 || (int64_t)launch->grid[0] * launch->block[0] < voxels) {
        return "the grid does not cover the voxels";
    }
    bool fits = wr_reference_holds(launch, 0, 3 * (uint64_t)samples) &&
                wr_reference_holds(launch, 1, (uint64_t)samples) &&
                wr_reference_holds(launch, 5, 2 * (uint64_t)voxels);
    for (size_t i = 2; i < 5; i++) {
        fits = fits && wr_reference_holds(launch, i, (uint64_t)voxels);
    }
    if (!fits) {
        return "a buffer is shorter than the samples or the voxels";
    }
    for (int64_t v = 0; v < voxels; v++) {
        double re = 0;
        double im = 0;
        for (int64_t s = 0; s < samples; s++) {
            double turns = 0;
            for (int64_t axis = 0; axis < 3; axis++) {
                turns += (double)k[3 * s + axis] * (double)place[axis][v];
            }
            re += (double)magnitude[s] * cos(2 * acos(-1.0) * turns);
            im += (double)magnitude[s] * sin(2 * acos(-1.0) * turns);
        }
        q[2 * v] = (float)re;
        q[2 * v + 1] = (float)im;
    }
    return NULL;
}
