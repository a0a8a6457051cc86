/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations in shared and global memory, and a vote: which lanes of a warp have the same
 * bin. */
#include <random>
#include <vector>

#include "check.h"

enum { BINS = 64 };

__global__ void histogram(const unsigned char *data, int n, unsigned *bins, unsigned *alike)
{
    __shared__ unsigned local[BINS];

    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        local[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = data[i] % BINS;
        unsigned lanes = __match_any_sync(__activemask(), bin);
        if (__ffs(lanes) - 1 == (int)(threadIdx.x % warpSize)) {
            atomicAdd(&local[bin], (unsigned)__popc(lanes));
        }
        if (__all_sync(__activemask(), bin < BINS / 2)) {
            atomicAdd(alike, 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        atomicAdd(&bins[i], local[i]);
    }
}

int main()
{
    const int n = 20000;
    std::mt19937 random(1);
    std::vector<unsigned char> data(n);
    std::vector<unsigned> want(BINS), got(BINS);
    unsigned char *d_data;
    unsigned *d_bins, alike = 0;

    for (unsigned char &x : data) {
        x = (unsigned char)random();
        want[x % BINS]++;
    }
    CHECK(cudaMalloc(&d_data, n));
    CHECK(cudaMalloc(&d_bins, (BINS + 1) * sizeof *d_bins));
    CHECK(cudaMemset(d_bins, 0, (BINS + 1) * sizeof *d_bins));
    CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    histogram<<<12, 192>>>(d_data, n, d_bins, d_bins + BINS);
    CHECK(cudaMemcpy(got.data(), d_bins, BINS * sizeof *d_bins, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&alike, d_bins + BINS, sizeof alike, cudaMemcpyDeviceToHost));
    printf("bin 0 has %u, %u times a whole warp was in the lower half\n", got[0], alike);
    return verdict(got == want);
}
