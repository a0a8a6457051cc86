/* SPDX-License-Identifier: Apache-2.0 */
/* European calls by a binomial tree, after the idea of NVIDIA's sample: a TB takes one option. Its
 * threads fill the last level of the tree in shared memory and go back from level to level, from
 * one array into another; a level's values follow from two neighbours of the level behind it.
 */
#include "cuda.h"

#define STEPS   256
#define THREADS 128
#define LOG2_E  1.44269504f

extern "C" __global__ void binomial_options(const float *price, const float *strike,
                                            const float *years, float *call, float rate,
                                            float volatility)
{
    __shared__ float values[2][STEPS + 1];

    int tx = (int)threadIdx.x;
    int option = (int)blockIdx.x;
    float s = price[option];
    float x = strike[option];
    float step = years[option] * (1.0f / STEPS);
    float spread = volatility * sqrtf(step) * LOG2_E;
    float grown = exp2f(rate * step * LOG2_E);
    float up = exp2f(spread);
    float down = exp2f(-spread);
    float chance = (grown - down) / (up - down);
    float of_up = chance / grown;
    float of_down = (1.0f - chance) / grown;
    int from = 0;

#pragma unroll 1
    for (int i = tx; i <= STEPS; i += THREADS) {
        float gain = s * exp2f(spread * (float)(2 * i - STEPS)) - x;
        values[0][i] = gain > 0 ? gain : 0;
    }
#pragma unroll 1
    for (int level = STEPS; level > 0; level--) {
        __syncthreads();
#pragma unroll 1
        for (int i = tx; i < level; i += THREADS)
            values[1 - from][i] = of_up * values[from][i + 1] + of_down * values[from][i];
        from = 1 - from;
    }
    if (tx == 0)
        call[option] = values[from][0];
}
