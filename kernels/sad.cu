/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of absolute differences for motion estimation, after the idea of Parboil's sad: each 4 x 4
 * block of the current frame is compared with the reference frame at every displacement of up to
 * RANGE pixels; sad_larger adds up four blocks each to 8 x 8 and again to 16 x 16.
 *
 * A TB takes one block: the block and the window around it lie in shared memory, a thread takes
 * every blockDim.x-th displacement. Beyond the frame its edge pixels repeat.
 */
#include "cuda.h"

#define RANGE   8
#define SPAN    (2 * RANGE + 1)
#define WINDOW  (SPAN + 3)
#define THREADS 64

static __device__ int clamped(int value, int limit)
{
    return max(0, min(value, limit - 1));
}

/* sads: blocks from left to right and down, and for each SPAN * SPAN displacements. */
extern "C" __global__ void sad_4x4(const unsigned char *current, const unsigned char *reference,
                                   int *sads, int width, int height)
{
    __shared__ int block[16];
    __shared__ int window[WINDOW][WINDOW];

    int tx = (int)threadIdx.x;
    int left = (int)blockIdx.x * 4;
    int top = (int)blockIdx.y * 4;
    if (tx < 16)
        block[tx] = current[(top + tx / 4) * width + left + tx % 4];
#pragma unroll 1
    for (int i = tx; i < WINDOW * WINDOW; i += THREADS) {
        int x = clamped(left + i % WINDOW - RANGE, width);
        int y = clamped(top + i / WINDOW - RANGE, height);
        window[i / WINDOW][i % WINDOW] = reference[y * width + x];
    }
    __syncthreads();

    int *out = sads + (int)(blockIdx.y * gridDim.x + blockIdx.x) * SPAN * SPAN;
#pragma unroll 1
    for (int d = tx; d < SPAN * SPAN; d += THREADS) {
        int sum = 0;
        for (int i = 0; i < 16; i++) {
            int difference = block[i] - window[d / SPAN + i / 4][d % SPAN + i % 4];
            sum += max(difference, -difference);
        }
        out[d] = sum;
    }
}

/* One TB a block of twice the side; width: small blocks in a row. */
extern "C" __global__ void sad_larger(const int *small, int *large, int width)
{
    int corner = (int)(2 * blockIdx.y) * width + (int)(2 * blockIdx.x);
    const int *a = small + corner * SPAN * SPAN;
    const int *b = a + width * SPAN * SPAN;
    int *out = large + (int)(blockIdx.y * gridDim.x + blockIdx.x) * SPAN * SPAN;
#pragma unroll 1
    for (int d = (int)threadIdx.x; d < SPAN * SPAN; d += (int)blockDim.x)
        out[d] = a[d] + a[d + SPAN * SPAN] + b[d] + b[d + SPAN * SPAN];
}
