/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of fft: the discrete Fourier transform by definition, in double precision. */
#include "kernels/reference.h"

#include <math.h>

enum { RUN = 512 };

static void transform(const float *in, float *out, const double (*root)[2])
{
    for (uint32_t k = 0; k < RUN; k++) {
        double re = 0;
        double im = 0;
        for (uint32_t i = 0; i < RUN; i++) {
            const double *w = root[i * k % RUN];
            re += (double)in[2 * i] * w[0] - (double)in[2 * i + 1] * w[1];
            im += (double)in[2 * i] * w[1] + (double)in[2 * i + 1] * w[0];
        }
        out[2 * k] = (float)re;
        out[2 * k + 1] = (float)im;
    }
}

const char *wr_reference_fft(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ff")) {
        return "fft takes f32 buffers in and out of complex numbers";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    uint64_t runs = launch->grid[0];
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){RUN / 2, 1, 1})) {
        return "fft needs block [256] and a grid of one dimension";
    }
    if (!wr_reference_holds(launch, 0, 2 * runs * RUN) ||
        !wr_reference_holds(launch, 1, 2 * runs * RUN)) {
        return "a buffer is too short for the grid";
    }
    double root[RUN][2];
    for (uint32_t i = 0; i < RUN; i++) {
        double angle = -2.0 * acos(-1.0) * i / RUN;
        root[i][0] = cos(angle);
        root[i][1] = sin(angle);
    }
    for (uint64_t run = 0; run < runs; run++) {
        transform(in + 2 * RUN * run, out + 2 * RUN * run, (const double(*)[2])root);
    }
    return NULL;
}
