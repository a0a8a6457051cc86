/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as CUDA has them: of calls, of launches, and one that ends the GPU's work. */
#include <cstring>

#include "check.h"

__global__ void store(int *at, int value)
{
    at[threadIdx.x] = value;
}

static bool is(cudaError_t got, cudaError_t want)
{
    printf("%s\n", cudaGetErrorName(got));
    return got == want;
}

int main()
{
    int *at = nullptr, count = 0;
    cudaFuncAttributes attributes;
    bool good = true;

    CHECK(cudaGetDeviceCount(&count));
    good &= count == 1;
    good &= is(cudaSetDevice(1), cudaErrorInvalidDevice);
    good &= is(cudaGetLastError(), cudaErrorInvalidDevice); /* and with that it is forgotten */
    good &= is(cudaGetLastError(), cudaSuccess);
    good &= is(cudaMalloc(&at, (size_t)1 << 60), cudaErrorMemoryAllocation);
    good &= at == nullptr;
    CHECK(cudaMalloc(&at, 32 * sizeof *at));
    good &= is(cudaMemcpy(at, &count, 1 << 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    good &= is(cudaFree(at + 1), cudaErrorInvalidValue);
    good &= is(cudaFuncGetAttributes(&attributes, store), cudaSuccess);
    good &= attributes.maxThreadsPerBlock == 1024;
    cudaGetLastError();
    store<<<1, 4096>>>(at, 1);
    good &= is(cudaGetLastError(), cudaErrorInvalidConfiguration);
    store<<<0, 32>>>(at, 1);
    good &= is(cudaGetLastError(), cudaErrorInvalidConfiguration);
    store<<<1, 32, 1 << 20>>>(at, 1);
    good &= is(cudaGetLastError(), cudaErrorInvalidValue);
    store<<<1, 32>>>(at, 5);
    good &= is(cudaDeviceSynchronize(), cudaSuccess); /* none of these did any harm */
    CHECK(cudaMemcpy(&count, at + 31, sizeof count, cudaMemcpyDeviceToHost));
    good &= count == 5;
    store<<<1, 32>>>(at + 64, 1); /* behind the buffer */
    good &= is(cudaGetLastError(), cudaSuccess);
    good &= is(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    good &= is(cudaMemset(at, 0, 4), cudaErrorIllegalAddress); /* from here on from every call */
    good &= strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                   "an illegal memory access was encountered") == 0;
    return verdict(good);
}
