/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/lavamd.cu, but each particle nearby adds to the sums in global memory, as in Rodinia's
 * kernel. out: zeros at first. */
#include "../../../kernels/cuda.h"

#define MOST    100
#define THREADS 128
#define LOG2_E  1.44269504f

extern "C" __global__ void lavamd(const float *particles, float *out, float alpha, int count)
{
    __shared__ float other[4 * MOST];

    int tx = (int)threadIdx.x;
    int nx = (int)gridDim.x;
    int ny = (int)gridDim.y;
    int nz = (int)gridDim.z;
    int home = ((int)blockIdx.z * ny + (int)blockIdx.y) * nx + (int)blockIdx.x;
    int own = 4 * (home * count + min(tx, count - 1));
    float x = particles[own];
    float y = particles[own + 1];
    float z = particles[own + 2];
    float scale = -2.0f * alpha * alpha * LOG2_E;
    float *sum = &out[own];
#pragma unroll 1
    for (int n = 0; n < 27; n++) {
        int dx = n % 3 - 1;
        int dy = n / 3 % 3 - 1;
        int dz = n / 9 - 1;
        int bx = (int)blockIdx.x + dx;
        int by = (int)blockIdx.y + dy;
        int bz = (int)blockIdx.z + dz;
        if (bx < 0 || by < 0 || bz < 0 || bx >= nx || by >= ny || bz >= nz)
            continue;
        int first = 4 * ((bz * ny + by) * nx + bx) * count;
#pragma unroll 1
        for (int i = tx; i < 4 * count; i += THREADS)
            other[i] = particles[first + i];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; tx < count && i < 4 * count; i += 4) {
            float rx = x - (other[i] + (float)dx);
            float ry = y - (other[i + 1] + (float)dy);
            float rz = z - (other[i + 2] + (float)dz);
            float charge = other[i + 3] * exp2f(scale * (rx * rx + ry * ry + rz * rz));
            sum[0] += charge;
            sum[1] += 2.0f * charge * rx;
            sum[2] += 2.0f * charge * ry;
            sum[3] += 2.0f * charge * rz;
            __asm__ volatile("" ::: "memory"); /* else the compiler keeps the sums in registers */
        }
        __syncthreads();
    }
}
