/* SPDX-License-Identifier: Apache-2.0 */
/* A scalar product of numbers of 16 bits: products two at a time, summed within a warp in 32 bits.
 */
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "check.h"

__global__ void dot(const __half2 *a, const __half2 *b, int pairs, float *sum)
{
    __half2 own = __float2half2_rn(0.0f);

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        own = __hfma2(a[i], b[i], own);
    }
    float v = __low2float(own) + __high2float(own);
    for (int by = warpSize / 2; by > 0; by /= 2) {
        v += __shfl_down_sync(0xffffffff, v, by);
    }
    if (threadIdx.x % warpSize == 0) {
        atomicAdd(sum, v);
    }
}

int main()
{
    const int pairs = 8192;
    std::vector<__half2> a(pairs), b(pairs);
    __half2 *d_a, *d_b;
    float *d_sum, sum;
    double want = 0;

    for (int i = 0; i < pairs; i++) {
        a[i] = __floats2half2_rn((float)(i % 13) / 8, 1.0f);
        b[i] = __floats2half2_rn(0.5f, (float)(i % 7) / 4);
        want += (double)__low2float(a[i]) * __low2float(b[i]) +
                (double)__high2float(a[i]) * __high2float(b[i]);
    }
    CHECK(cudaMalloc(&d_a, pairs * sizeof *d_a));
    CHECK(cudaMalloc(&d_b, pairs * sizeof *d_b));
    CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
    CHECK(cudaMemcpy(d_a, a.data(), pairs * sizeof *d_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), pairs * sizeof *d_b, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
    dot<<<8, 128>>>(d_a, d_b, pairs, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    printf("%g, on the host %g\n", (double)sum, want);
    return verdict(std::fabs(sum - want) < 1e-3 * want);
}
