/* SPDX-License-Identifier: Apache-2.0 */
/* Forward pass of one layer of a neural network, after the idea of Rodinia's backprop.
 *
 * A TB of 16 x 16 threads takes 16 input nodes (ty) and 16 hidden nodes (tx): it multiplies
 * each input by its weight in shared memory, adds up along ty in a tree of halving... doubling
 * strides, writes the products back over the weights and one partial sum per hidden node.
 * The loop over strides stays a loop, so that it holds the barrier at which warps preempt.
 *
 * weights: (16 * gridDim.y + 1) rows of hidden + 1, row 0 and column 0 are the bias.
 */
#include "cuda.h"

#define SIDE 16

extern "C" __global__ void backprop_layerforward(const float *input, float *weights,
                                                 float *partial, int hidden)
{
    __shared__ float node[SIDE];
    __shared__ float weight[SIDE][SIDE];

    int by = (int)blockIdx.y;
    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int index = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;

    if (tx == 0)
        node[ty] = input[SIDE * by + ty + 1];
    __syncthreads();

    weight[ty][tx] = weights[index];
    __syncthreads();

    weight[ty][tx] = weight[ty][tx] * node[ty];
    __syncthreads();

#pragma unroll 1
    for (int step = 2; step <= SIDE; step *= 2) {
        if (ty % step == 0)
            weight[ty][tx] = weight[ty][tx] + weight[ty + step / 2][tx];
        __syncthreads();
    }

    weights[index] = weight[ty][tx];
    if (tx == 0)
        partial[by * hidden + ty] = weight[tx][ty];
}
