/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the device: before kernels and behind them, each with what kernels can do then. */
#include <cuda_runtime.h>

#include <cstdio>

static int wrong;

static void want(const char *what, bool good)
{
    if (!good) {
        wrong++;
        printf("wrong: %s\n", what);
    }
}
#define IS(call, error) want(#call, (call) == (error))
#define OK(call)        IS(call, cudaSuccess)

__device__ __noinline__ int depth(int n, volatile int *p)
{
    volatile int a[16];
    a[n & 15] = n;
    return n == 0 ? 0 : depth(n - 1, p) + 1 + (a[n & 15] - n);
}
__global__ void recurses(int n, int *out)
{
    out[threadIdx.x] = depth(n, out);
}
__global__ void allocates(size_t bytes, int *out)
{
    char *volatile p = (char *)malloc(bytes); /* volatile: else the compiler leaves both out */
    out[0] = p != nullptr;
    free(p);
}
__global__ void prints()
{
    printf("a line of a kernel\n");
}

static size_t limit(cudaLimit which)
{
    size_t value = 0;
    OK(cudaDeviceGetLimit(&value, which));
    return value;
}

static int deep(int n, int *out)
{
    int got = -1;
    recurses<<<1, 32>>>(n, out);
    OK(cudaMemcpy(&got, out + 31, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

static int room(size_t bytes, int *out)
{
    int got = -1;
    allocates<<<1, 1>>>(bytes, out);
    OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

int main()
{
    int *out;
    OK(cudaMalloc(&out, 128));
    want("a stack at first", limit(cudaLimitStackSize) >= 1024);
    want("a shallow call", deep(20, out) == 20);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 16)); /* of a kernel that has run */
    want("a larger stack", limit(cudaLimitStackSize) == 1 << 16);
    want("a deep call", deep(300, out) == 300);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 18));
    want("a deeper call", deep(1500, out) == 1500);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 1)); /* it is brought to the least that there is */
    want("the smallest stack", limit(cudaLimitStackSize) >= 1024 && deep(20, out) == 20);
    IS(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40), cudaErrorInvalidValue);
    want("the stack as it was", limit(cudaLimitStackSize) < 1 << 16);

    want("CUDA's heap", limit(cudaLimitMallocHeapSize) == 8 << 20);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    want("a larger heap", limit(cudaLimitMallocHeapSize) == 32 << 20);
    want("a large block", room(20 << 20, out) == 1);
    IS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaErrorInvalidValue); /* used */
    want("the heap as it was", limit(cudaLimitMallocHeapSize) == 32 << 20);
    want("no room", room(40 << 20, out) == 0);

    want("CUDA's FIFO", limit(cudaLimitPrintfFifoSize) == 1 << 20);
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20));
    want("a larger FIFO", limit(cudaLimitPrintfFifoSize) == 8 << 20);
    prints<<<1, 1>>>();
    IS(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 16 << 20), cudaErrorInvalidValue); /* used */
    OK(cudaDeviceSynchronize());
    IS(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2), cudaErrorUnsupportedLimit);
    printf("%s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
