/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask of the machine: printf, a heap, clocks, and host memory that is mapped. */
#include <cassert>

#include "check.h"

__global__ void lists(int *sums, long long *cycles)
{
    long long begin = clock64();
    int n = (int)threadIdx.x % 8 + 1, *own = (int *)malloc(n * sizeof(int)), sum = 0;

    assert(own);
    for (int i = 0; i < n; i++) {
        own[i] = i + (int)blockIdx.x;
    }
    for (int i = 0; i < n; i++) {
        sum += own[i];
    }
    free(own);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        printf("block %d: sum of thread 0 is %d\n", blockIdx.x, sum);
        cycles[blockIdx.x] = clock64() - begin;
    }
}

int main()
{
    enum { BLOCKS = 3, THREADS = 40 };
    int *sums, *device;
    long long *cycles;
    bool good = true;

    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    CHECK(cudaHostAlloc(&sums, BLOCKS * THREADS * sizeof *sums, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, sums, 0));
    CHECK(cudaMallocManaged(&cycles, BLOCKS * sizeof *cycles));
    lists<<<BLOCKS, THREADS>>>(device, cycles);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        int n = i % THREADS % 8 + 1;
        good = good && sums[i] == n * (n - 1) / 2 + n * (i / THREADS) && cycles[i / THREADS] > 0;
    }
    CHECK(cudaFreeHost(sums));
    CHECK(cudaFree(cycles));
    return verdict(good);
}
