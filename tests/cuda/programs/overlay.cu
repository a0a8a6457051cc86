/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic shared memory as a struct, beside variables of the device that the host names. */
#include <cstdio>
#include <cuda_runtime.h>

struct Overlay {
    int head[4];
    float rest[28];
};
extern __shared__ Overlay over;
extern __shared__ double also;
static __device__ int hidden[2];
__constant__ float half = 0.5f;

__global__ void k(float *o)
{
    if (threadIdx.x < 4) {
        over.head[threadIdx.x] = (int)threadIdx.x;
    }
    if (threadIdx.x < 28) {
        over.rest[threadIdx.x] = half * (float)threadIdx.x;
    }
    __syncthreads();
    o[threadIdx.x] = (float)over.head[threadIdx.x & 3] + over.rest[threadIdx.x % 28];
    __syncthreads();
    if (threadIdx.x == 0) {
        also = 7;
        hidden[1] = hidden[0] + (int)also;
    }
}

int main()
{
    float *o, h[32];
    int wrong = 0, four = 4, found = 0;

    cudaMalloc(&o, sizeof h);
    wrong += cudaMemcpyToSymbol(hidden, &four, sizeof four) != cudaSuccess;
    k<<<1, 32, sizeof(Overlay)>>>(o);
    wrong += cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += cudaMemcpyFromSymbol(&found, hidden, sizeof found, sizeof found) != cudaSuccess ||
             found != 11;
    for (int i = 0; i < 32; i++) {
        wrong += h[i] != (float)(i & 3) + 0.5f * (float)(i % 28);
    }
    printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong != 0;
}
