/* SPDX-License-Identifier: Apache-2.0 */
/* Splits an image of red, green, blue bytes into three planes of signed integers around 0, after
 * the idea of Rodinia's dwt2d. A TB of 256 threads brings its 768 bytes into shared memory in
 * order, then each thread picks the three bytes of one pixel.
 */
#include "cuda.h"

#define THREADS 256

extern "C" __global__ void dwt2d_copy_components(int *red, int *green, int *blue,
                                                 const unsigned char *image, int pixels)
{
    __shared__ unsigned char bytes[3 * THREADS];

    int tx = (int)threadIdx.x;
    int first = (int)blockIdx.x * THREADS;

#pragma unroll 1
    for (int i = tx; i < 3 * THREADS; i += THREADS)
        if (3 * first + i < 3 * pixels)
            bytes[i] = image[3 * first + i];
    __syncthreads();

    if (first + tx < pixels) {
        red[first + tx] = bytes[3 * tx] - 128;
        green[first + tx] = bytes[3 * tx + 1] - 128;
        blue[first + tx] = bytes[3 * tx + 2] - 128;
    }
}
