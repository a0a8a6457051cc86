/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of backprop_layerforward: per group of 16 inputs, products and their tree sums.
 *
 * Float addition is not associative, so the sums are formed in the tree's order: first
 * neighbours, then pairs of neighbours, and so on. What the kernel leaves in `weights` is the
 * tree's state after its last level, intermediate sums included.
 */
#include "kernels/reference.h"

enum { INPUTS = 16 };

const char *wr_reference_backprop_layerforward(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffn")) {
        return "backprop_layerforward takes buffers of f32 input, weights, partial and a 32-bit "
               "count";
    }
    if (launch->block[0] != 16 || launch->block[1] != 16 || launch->block[2] != 1 ||
        launch->grid[0] != 1 || launch->grid[2] != 1) {
        return "backprop_layerforward needs block [16, 16, 1] and grid [1, n, 1]";
    }
    const float *input = launch->args[0].data;
    float *weights = launch->args[1].data;
    float *partial = launch->args[2].data;
    uint64_t hidden = (uint64_t)launch->args[3].integer;
    uint64_t groups = launch->grid[1];
    if (hidden != 16) {
        return "backprop_layerforward needs 16 hidden nodes";
    }
    if (launch->args[0].count < groups * INPUTS + 1 ||
        launch->args[1].count < (groups * INPUTS + 1) * (hidden + 1) ||
        launch->args[2].count < groups * hidden) {
        return "a buffer is too short for the grid";
    }

    for (uint64_t group = 0; group < groups; group++) {
        for (uint64_t node = 0; node < hidden; node++) {
            float tree[INPUTS];
            float *column = weights + (group * INPUTS + 1) * (hidden + 1) + node + 1;
            for (uint64_t i = 0; i < INPUTS; i++) {
                tree[i] = column[i * (hidden + 1)] * input[group * INPUTS + i + 1];
            }
            for (uint64_t width = 1; width < INPUTS; width *= 2) {
                for (uint64_t i = 0; i < INPUTS; i += 2 * width) {
                    tree[i] += tree[i + width];
                }
            }
            for (uint64_t i = 0; i < INPUTS; i++) {
                column[i * (hidden + 1)] = tree[i];
            }
            partial[group * hidden + node] = tree[0];
        }
    }
    return NULL;
}
