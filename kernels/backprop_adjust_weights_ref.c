/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of backprop_adjust_weights: gradient descent with momentum, weight by weight. */
#include "kernels/reference.h"

const char *wr_reference_backprop_adjust_weights(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fnfff")) {
        return "backprop_adjust_weights takes f32 buffer errors, a 32-bit count, and f32 buffers "
               "input, weights, moves";
    }
    if (!wr_reference_shape(launch, (uint32_t[]){1, launch->grid[1], 1}, (uint32_t[]){16, 16, 1}) ||
        launch->args[1].integer != 16) {
        return "backprop_adjust_weights needs block [16, 16, 1], grid [1, n, 1] and 16 hidden "
               "nodes";
    }
    const uint64_t inputs = 16u * (uint64_t)launch->grid[1], hidden = 16;
    if (!wr_reference_holds(launch, 0, hidden + 1) || !wr_reference_holds(launch, 2, inputs + 1) ||
        !wr_reference_holds(launch, 3, (inputs + 1) * (hidden + 1)) ||
        !wr_reference_holds(launch, 4, (inputs + 1) * (hidden + 1))) {
        return "a buffer is too short for the grid";
    }
    const float *errors = launch->args[0].data;
    const float *input = launch->args[2].data;
    float *weights = launch->args[3].data;
    float *moves = launch->args[4].data;

    for (uint64_t row = 0; row <= inputs; row++) {
        for (uint64_t node = 1; node <= hidden; node++) {
            uint64_t at = row * (hidden + 1) + node;
            float gradient = 0.3f * errors[node];
            if (row > 0) { /* the bias has input 1 */
                gradient *= input[row];
            }
            moves[at] = gradient + 0.3f * moves[at];
            weights[at] += moves[at];
        }
    }
    return NULL;
}
