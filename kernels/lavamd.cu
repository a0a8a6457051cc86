/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between particles in a box and its neighbours, after the idea of Rodinia's lavaMD. Space
 * is boxes of unit side, with the same number of particles each, at most MOST. A TB of 128 threads
 * owns one box: a thread holds one particle, and the particles of every box nearby pass through
 * shared memory.
 *
 * With d = a - b and e = exp(-2 alpha^2 |d|^2), particle b of charge q adds q e to the potential
 * of a and q 2 e d to the force on it.
 *
 * particles: x, y, z from the box's corner in 0..1, and q. out: potential, force x, y, z.
 */
#include "cuda.h"

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
    float potential = 0.0f;
    float fx = 0.0f;
    float fy = 0.0f;
    float fz = 0.0f;
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
            potential += charge;
            fx += 2.0f * charge * rx;
            fy += 2.0f * charge * ry;
            fz += 2.0f * charge * rz;
        }
        __syncthreads();
    }
    if (tx < count) {
        out[own] = potential;
        out[own + 1] = fx;
        out[own + 2] = fy;
        out[own + 3] = fz;
    }
}
