/* SPDX-License-Identifier: Apache-2.0 */
/* A sum by warp shuffles, shared memory and one atomic operation a block; of several types. */
#include <vector>

#include "check.h"

template <typename T> __inline__ __device__ T warp_sum(T value)
{
    for (int by = warpSize / 2; by > 0; by /= 2) {
        value += __shfl_down_sync(0xffffffff, value, by);
    }
    return value;
}

template <typename T> __global__ void reduce(const T *in, int n, T *out)
{
    extern __shared__ unsigned char dynamic[];
    T *of_warp = reinterpret_cast<T *>(dynamic), sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % warpSize == 0) {
        of_warp[threadIdx.x / warpSize] = sum;
    }
    __syncthreads();
    if (threadIdx.x < warpSize) {
        sum = threadIdx.x < blockDim.x / warpSize ? of_warp[threadIdx.x] : 0;
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {
            atomicAdd(out, sum);
        }
    }
}

template <typename T> static bool sums(const char *name)
{
    const int n = 50000;
    std::vector<T> in(n);
    T *d_in, *d_out, got = 0, want = 0;
    int grid = 0, block = 0;

    for (int i = 0; i < n; i++) {
        in[i] = (T)(i % 101) - 50;
        want += in[i];
    }
    CHECK(cudaMalloc(&d_in, n * sizeof(T)));
    CHECK(cudaMalloc(&d_out, sizeof(T)));
    CHECK(cudaMemset(d_out, 0, sizeof(T)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, reduce<T>, 32 * sizeof(T)));
    reduce<<<grid, block, 32 * sizeof(T)>>>(d_in, n, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, d_out, sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    printf("%s: %d blocks of %d threads, sum %g\n", name, grid, block, (double)got);
    return got == want;
}

int main()
{
    return verdict(sums<int>("int") & sums<float>("float") & sums<double>("double") &
                   sums<unsigned long long>("unsigned long long"));
}
