/* SPDX-License-Identifier: Apache-2.0 */
/* Image reconstruction for MRI on any trajectory, matrix Q, after the idea of Parboil's mri-q:
 * mriq_phimag squares the sensor's magnitude at each sample, mriq_computeq adds up for every
 * voxel the samples' phases: Q(x) = sum of |phi|^2 exp(2 pi i k x).
 */
#include "cuda.h"

#define TWO_PI 6.28318531f

extern "C" __global__ void mriq_phimag(const float *real, const float *imaginary, float *magnitude,
                                       int samples)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < samples)
        magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

extern "C" __global__ void mriq_computeq(const float *k, const float *magnitude, const float *x,
                                         const float *y, const float *z, float *q, int samples,
                                         int voxels)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= voxels)
        return;
    float at_x = x[i];
    float at_y = y[i];
    float at_z = z[i];
    float re = 0.0f;
    float im = 0.0f;
#pragma unroll 1
    for (int s = 0; s < samples; s++) {
        float angle = TWO_PI * (k[3 * s] * at_x + k[3 * s + 1] * at_y + k[3 * s + 2] * at_z);
        re += magnitude[s] * __cosf(angle);
        im += magnitude[s] * __sinf(angle);
    }
    q[2 * i] = re;
    q[2 * i + 1] = im;
}
