/* SPDX-License-Identifier: Apache-2.0 */
/* Weight update of one layer of a neural network, after the idea of Rodinia's backprop.
 *
 * Each weight moves by a learning rate times its hidden node's error times its input, plus a
 * share of its last move (momentum). Threads of a 16 x 16 TB take 16 inputs (ty) and 16 hidden
 * nodes (tx). The first row of the first TB also moves the bias weights, whose input is 1.
 *
 * weights, moves: (16 * gridDim.y + 1) rows of hidden + 1, row 0 is the bias.
 */
#include "cuda.h"

#define SIDE     16
#define RATE     0.3f
#define MOMENTUM 0.3f

extern "C" __global__ void backprop_adjust_weights(const float *errors, int hidden,
                                                   const float *input, float *weights, float *moves)
{
    int by = (int)blockIdx.y;
    int tx = (int)threadIdx.x;
    int ty = (int)threadIdx.y;
    int index = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;

    float move = RATE * errors[tx + 1] * input[SIDE * by + ty + 1] + MOMENTUM * moves[index];
    weights[index] = weights[index] + move;
    moves[index] = move;
    __syncthreads();

    if (ty == 0 && by == 0) {
        move = RATE * errors[tx + 1] + MOMENTUM * moves[tx + 1];
        weights[tx + 1] = weights[tx + 1] + move;
        moves[tx + 1] = move;
    }
}
