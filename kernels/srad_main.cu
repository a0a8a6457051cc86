/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion coefficients of an image with speckle noise, after the idea of Rodinia's srad_v1: from
 * the differences to the four neighbours (none at the edge) follow gradient and Laplacian, from
 * them how much a pixel differs from plain speckle, and from that how freely it may diffuse.
 * Pixels lie column by column.
 */
#include "cuda.h"

#define THREADS 512

extern "C" __global__ void srad_main(int rows, int cols, float speckle, const float *image,
                                     float *north, float *south, float *west, float *east,
                                     float *coefficients)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    int row = i % rows;
    int col = i / rows;

    if (col < cols) {
        float here = image[i];
        float n = image[row > 0 ? i - 1 : i] - here;
        float s = image[row < rows - 1 ? i + 1 : i] - here;
        float w = image[col > 0 ? i - rows : i] - here;
        float e = image[col < cols - 1 ? i + rows : i] - here;

        float gradient = (n * n + s * s + w * w + e * e) / (here * here);
        float laplacian = (n + s + w + e) / here;
        float numerator = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
        float root = 1.0f + 0.25f * laplacian;
        float variation = numerator / (root * root);
        float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
        if (c < 0.0f)
            c = 0.0f;
        else if (c > 1.0f)
            c = 1.0f;

        north[i] = n;
        south[i] = s;
        west[i] = w;
        east[i] = e;
        coefficients[i] = c;
    }
}
