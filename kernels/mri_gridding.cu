/* SPDX-License-Identifier: Apache-2.0 */
/* Puts samples from anywhere in a volume onto a regular grid, after the idea of Parboil's
 * mri-gridding: every grid point gathers the samples around it, weighted by
 * w(d) = (1 - d^2 / 4)^2 up to a distance of 2.
 *
 * The volume is cut into bins of 4 x 4 x 4 points. A TB of 64 threads owns one bin; it brings the
 * samples of that bin and of its neighbours into shared memory, bin by bin. Samples lie sorted by
 * bin, PER_BIN each: x, y, z from the bin's corner in 0..4, then real and imaginary part.
 */
#include "cuda.h"

#define BIN     4
#define PER_BIN 12
#define FIELDS  5
#define REACH   4.0f /* square of the greatest distance */

extern "C" __global__ void mri_gridding(const float *samples, float *grid_real, float *grid_imag)
{
    __shared__ float sample[PER_BIN * FIELDS];

    int tx = (int)threadIdx.x;
    int x = tx % BIN;
    int y = tx / BIN % BIN;
    int z = tx / (BIN * BIN);
    int bins_x = (int)gridDim.x;
    int bins_y = (int)gridDim.y;
    int bins_z = (int)gridDim.z;
    float re = 0.0f;
    float im = 0.0f;
#pragma unroll 1
    for (int n = 0; n < 27; n++) {
        int dx = n % 3 - 1;
        int dy = n / 3 % 3 - 1;
        int dz = n / 9 - 1;
        int bx = (int)blockIdx.x + dx;
        int by = (int)blockIdx.y + dy;
        int bz = (int)blockIdx.z + dz;
        /* The same for the whole TB, so the barriers below are uniform. */
        if (bx < 0 || by < 0 || bz < 0 || bx >= bins_x || by >= bins_y || bz >= bins_z)
            continue;
        int first = ((bz * bins_y + by) * bins_x + bx) * PER_BIN * FIELDS;
        if (tx < PER_BIN * FIELDS)
            sample[tx] = samples[first + tx];
        __syncthreads();
#pragma unroll 1
        for (int s = 0; s < PER_BIN * FIELDS; s += FIELDS) {
            float rx = sample[s] + (float)(BIN * dx - x);
            float ry = sample[s + 1] + (float)(BIN * dy - y);
            float rz = sample[s + 2] + (float)(BIN * dz - z);
            float square = rx * rx + ry * ry + rz * rz;
            if (square < REACH) {
                float weight = 1.0f - square * (1.0f / REACH);
                weight *= weight;
                re += weight * sample[s + 3];
                im += weight * sample[s + 4];
            }
        }
        __syncthreads();
    }
    int row = ((int)blockIdx.z * BIN + z) * bins_y * BIN + (int)blockIdx.y * BIN + y;
    int point = row * bins_x * BIN + (int)blockIdx.x * BIN + x;
    grid_real[point] = re;
    grid_imag[point] = im;
}
