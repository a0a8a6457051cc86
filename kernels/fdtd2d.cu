/* SPDX-License-Identifier: Apache-2.0 */
/* Finite-difference time-domain method in two dimensions, after the idea of PolyBench's fdtd2d:
 * a time step is three launches, the electric fields ey and ex from the magnetic field hz, then
 * hz from both. ex is nx rows of ny + 1, ey is nx + 1 rows of ny, hz is nx rows of ny; row 0 of
 * ey is the source.
 */
#include "cuda.h"

static __device__ int thread_row()
{
    return (int)(blockIdx.y * blockDim.y + threadIdx.y);
}

static __device__ int thread_column()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void fdtd2d_step1(const float *source, float *ey, const float *hz, int nx,
                                        int ny, int step)
{
    int i = thread_row();
    int j = thread_column();
    if (i >= nx || j >= ny)
        return;
    if (i == 0)
        ey[j] = source[step];
    else
        ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
}

extern "C" __global__ void fdtd2d_step2(float *ex, const float *hz, int nx, int ny)
{
    int i = thread_row();
    int j = thread_column();
    if (i < nx && j < ny && j > 0)
        ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

extern "C" __global__ void fdtd2d_step3(const float *ex, const float *ey, float *hz, int nx, int ny)
{
    int i = thread_row();
    int j = thread_column();
    if (i >= nx || j >= ny)
        return;
    const float *x = ex + i * (ny + 1) + j;
    const float *y = ey + i * ny + j;
    hz[i * ny + j] -= 0.7f * (x[1] - x[0] + y[ny] - y[0]);
}
