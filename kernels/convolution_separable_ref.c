/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of convolution_separable's two kernels: one pass along a stride. Terms beyond the
 * edge are left out, which changes no bit of the sum but the sign of a zero. */
#include "kernels/reference.h"

#include <string.h>

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };

typedef struct line {
    const float *in;
    float *out;
    int64_t length, stride;
} line;

static void convolve(const line *l, const float *weights)
{
    for (int64_t i = 0; i < l->length; i++) {
        float sum = 0.0f;
        for (int64_t t = 0; t < TAPS; t++) {
            int64_t at = i + t - RADIUS;
            if (at >= 0 && at < l->length) {
                sum += weights[t] * l->in[at * l->stride];
            }
        }
        l->out[i * l->stride] = sum;
    }
}

const char *wr_reference_convolution_separable(const wr_reference_launch *launch)
{
    bool columns = strcmp(launch->kernel, "convolution_columns") == 0;
    if (!wr_reference_takes(launch, columns ? "fffnn" : "fffn")) {
        return "a kernel takes f32 buffers in, out, weights and the width, that for columns the "
               "height too";
    }
    const float *in = launch->args[0].data;
    float *out = launch->args[1].data;
    const float *weights = launch->args[2].data;
    int64_t width = launch->args[3].integer;
    int64_t height = columns ? launch->args[4].integer : (int64_t)launch->grid[1];
    if (width < 1 || height < 1) {
        return "the image is empty";
    }
    uint32_t w = (uint32_t)width;
    uint32_t h = (uint32_t)height;
    bool fits = columns ? wr_reference_shape(launch, (uint32_t[]){(w + 15) / 16, (h + 15) / 16, 1},
                                             (uint32_t[]){16, 16, 1})
                        : wr_reference_shape(launch, (uint32_t[]){(w + 127) / 128, h, 1},
                                             (uint32_t[]){128, 1, 1});
    if (!fits) {
        return "rows need block [128] and a grid row per image row, columns block [16, 16]; the "
               "grid must just cover the image";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)(width * height)) ||
        !wr_reference_holds(launch, 1, (uint64_t)(width * height)) ||
        !wr_reference_holds(launch, 2, TAPS)) {
        return "a buffer is smaller than the image or the weights";
    }
    for (int64_t i = 0; i < (columns ? width : height); i++) {
        int64_t start = columns ? i : i * width;
        line l = {in + start, out + start, columns ? height : width, columns ? width : 1};
        convolve(&l, weights);
    }
    return NULL;
}
