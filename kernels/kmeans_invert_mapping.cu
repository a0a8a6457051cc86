/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an array of points, feature by feature side by side, into one array per feature, after
 * the idea of Rodinia's kmeans: later kernels then read it coalesced. Reads here are not.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void kmeans_invert_mapping(const float *by_point, float *by_feature,
                                                 int points, int features)
{
    int point = (int)(blockIdx.x * THREADS + threadIdx.x);

    if (point < points) {
#pragma unroll 1
        for (int i = 0; i < features; i++)
            by_feature[points * i + point] = by_point[point * features + i];
    }
}
