/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of srad_main, pixel by pixel in rows and columns; the kernel's order of operations. */
#include "kernels/reference.h"

static float coefficient(float here, const float difference[4], float speckle)
{
    float squares = 0, sum = 0;
    for (int d = 0; d < 4; d++) {
        squares += difference[d] * difference[d];
        sum += difference[d];
    }
    float laplacian = sum / here;
    float numerator = squares / (here * here) / 2 - laplacian * laplacian / 16;
    float root = 1 + laplacian / 4;
    float variation = numerator / (root * root);
    float c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

const char *wr_reference_srad_main(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nnrffffff")) {
        return "srad_main takes counts of rows and columns, an f32 value, and f32 buffers image, "
               "north, south, west, east, coefficients";
    }
    int64_t rows = launch->args[0].integer;
    int64_t cols = launch->args[1].integer;
    float speckle = (float)launch->args[2].real;
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){512, 1, 1}) ||
        rows < 1 || cols < 1 || rows * cols > 512 * (int64_t)launch->grid[0]) {
        return "srad_main needs block [512, 1, 1] and a grid [n, 1, 1] that covers the image";
    }
    for (size_t i = 3; i < 9; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)(rows * cols))) {
            return "a buffer is too short for the image";
        }
    }
    const float *image = launch->args[3].data;
    static const int8_t down[4] = {-1, 1, 0, 0}, across[4] = {0, 0, -1, 1};

    for (int64_t col = 0; col < cols; col++) {
        for (int64_t row = 0; row < rows; row++) {
            int64_t at = col * rows + row;
            float difference[4];
            for (int d = 0; d < 4; d++) {
                int64_t r = row + down[d], c = col + across[d];
                bool in_image = r >= 0 && r < rows && c >= 0 && c < cols;
                difference[d] = (in_image ? image[c * rows + r] : image[at]) - image[at];
                float *out = launch->args[4 + d].data;
                out[at] = difference[d];
            }
            float *coefficients = launch->args[8].data;
            coefficients[at] = coefficient(image[at], difference, speckle);
        }
    }
    return NULL;
}
