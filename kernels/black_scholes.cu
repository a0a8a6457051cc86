/* SPDX-License-Identifier: Apache-2.0 */
/* European options by the formula of Black and Scholes, after the idea of NVIDIA's sample.
 *
 * A thread takes options as far apart as the grid has threads: three numbers in, two out; logarithm,
 * root and exponential are of the special function unit. The normal distribution is the polynomial of
 * Abramowitz and Stegun, 26.2.17, whose error is below 7.5e-8.
 */
#include "cuda.h"

#define LOG2_E 1.44269504f
#define LN_2   0.693147181f

static __device__ float normal(float d)
{
    float z = d < 0 ? -d : d;
    float k = 1.0f / (1.0f + 0.2316419f * z);
    float sum =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp2f(-0.5f * LOG2_E * d * d) * sum;
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike,
                                         const float *years, float *call, float *put, float rate,
                                         float volatility, int count)
{
    int stride = (int)(blockDim.x * gridDim.x);

    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
        float s = price[i];
        float x = strike[i];
        float t = years[i];
        float spread = volatility * sqrtf(t);
        float d1 = (LN_2 * __log2f(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float n1 = normal(d1);
        float n2 = normal(d2);
        float later = x * exp2f(-LOG2_E * rate * t);

        call[i] = s * n1 - later * n2;
        put[i] = later * (1.0f - n2) - s * (1.0f - n1);
    }
}
