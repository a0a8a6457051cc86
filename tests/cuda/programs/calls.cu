/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime that the examples do not have, each with what it must give. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int wrong;

static void want(const char *what, bool good)
{
    if (!good) {
        wrong++;
        printf("%s\n", what);
    }
}
#define IS(call, error) want(#call, (call) == (error))
#define OK(call)        IS(call, cudaSuccess)

__global__ void spins(int *p)
{
    extern __shared__ int s[];
    for (int i = 0; i < 1000; i++) {
        p[0] += s[threadIdx.x];
    }
}

/* Time of events: not before they are done; asking again comes to an end. */
static void elapsed(int *p)
{
    cudaEvent_t from, to;
    float ms = -1;
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    IS(cudaEventElapsedTime(&ms, from, to), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(from));
    spins<<<1, 1, 4>>>(p);
    OK(cudaEventRecord(to));
    IS(cudaEventElapsedTime(&ms, from, to), cudaErrorNotReady);
    want("no time yet", ms == -1);
    OK(cudaEventElapsedTime(&ms, from, to));
    want("a time", ms > 0);
    OK(cudaEventDestroy(from));
    IS(cudaEventElapsedTime(&ms, from, to), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

/* Dynamic shared memory: all of the device's, less where that is said, more never. */
static void shared(int *p)
{
    const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaDeviceProp device;
    cudaFuncAttributes a;
    OK(cudaGetDeviceProperties(&device, 0));
    OK(cudaFuncGetAttributes(&a, spins));
    const int all = (int)device.sharedMemPerBlock;
    want("all of it", a.maxDynamicSharedSizeBytes == all && a.preferredShmemCarveout == -1);
    OK(cudaFuncSetAttribute(spins, most, all));
    IS(cudaFuncSetAttribute(spins, most, all + 1), cudaErrorInvalidValue);
    cudaGetLastError();
    spins<<<1, 1, all>>>(p);
    IS(cudaGetLastError(), cudaSuccess);
    OK(cudaFuncSetAttribute(spins, most, 1024));
    OK(cudaFuncSetAttribute(spins, cudaFuncAttributePreferredSharedMemoryCarveout, 30));
    OK(cudaFuncGetAttributes(&a, spins));
    want("less of it", a.maxDynamicSharedSizeBytes == 1024 && a.preferredShmemCarveout == 30);
    spins<<<1, 1, 1024>>>(p);
    IS(cudaGetLastError(), cudaSuccess);
    spins<<<1, 1, 1025>>>(p);
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize());
}

int main()
{
    char text[32];
    unsigned flags = 99;
    int value = -1, priority = 1;
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    cudaStream_t stream;
    cudaPitchedPtr box;
    void *mapped, *managed, *device = text;
    const cudaExtent extent = make_cudaExtent(10, 3, 2);
    unsigned char rows[6][256];
    size_t limit = 0;

    OK(cudaDeviceGetPCIBusId(text, sizeof text, 0));
    want("an address of PCI", strlen(text) == 12);
    IS(cudaDeviceGetPCIBusId(text, 4, 0), cudaErrorInvalidValue);
    IS(cudaDeviceGetPCIBusId(text, sizeof text, 1), cudaErrorInvalidDevice);
    OK(cudaDeviceGetCacheConfig(&cache));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    want("banks", cache == cudaFuncCachePreferNone && banks == cudaSharedMemBankSizeFourByte);
    OK(cudaGetDeviceFlags(&flags));
    want("flags", (flags & cudaDeviceMapHost) != 0);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrGpuOverlap, 0));
    want("overlap", value == 1);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
    want("pools", value == 0);

    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
    OK(cudaStreamGetPriority(stream, &priority));
    OK(cudaStreamGetFlags(stream, &flags));
    want("a stream's priority and flags", priority == -2 && flags == cudaStreamNonBlocking);
    OK(cudaStreamGetPriority(0, &priority));
    want("the default stream's", priority == 0);

    OK(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped));
    OK(cudaHostGetFlags(&flags, mapped));
    want("mapped", (flags & cudaHostAllocMapped) != 0);
    IS(cudaHostGetFlags(&flags, text), cudaErrorInvalidValue);
    cudaGetLastError();
    IS(cudaHostGetDevicePointer(&device, text, 0), cudaErrorInvalidValue);
    want("a pointer that is not given stays", device == text);
    cudaGetLastError();
    IS(cudaStreamAttachMemAsync(stream, mapped), cudaErrorInvalidValue); /* it is not managed */
    cudaGetLastError();
    OK(cudaMallocManaged(&managed, 64));
    OK(cudaStreamAttachMemAsync(stream, managed));

    OK(cudaMalloc3D(&box, extent));
    want("a box", box.pitch == 256 && box.xsize == 10 && box.ysize == 3);
    OK(cudaMemset(box.ptr, 1, 6 * box.pitch));
    OK(cudaMemset3D(box, 7, extent));
    OK(cudaMemset2DAsync(box.ptr, box.pitch, 9, 2, 3, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpyPeer((char *)box.ptr + 5 * box.pitch, 0, box.ptr, 0, 4));
    IS(cudaMemcpyPeer(box.ptr, 1, box.ptr, 0, 4), cudaErrorInvalidDevice);
    OK(cudaMemcpy(rows, box.ptr, sizeof rows, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 6; r++) {
        for (int x = 0; x < 256; x++) {
            const int filled = x >= 10           ? 1
                               : r < 3 && x < 2  ? 9
                               : r == 5 && x < 4 ? (x < 2 ? 9 : 7)
                                                 : 7;

            want("bytes of the box", rows[r][x] == filled);
        }
    }
    elapsed((int *)box.ptr);
    shared((int *)box.ptr);
    OK(cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    OK(cudaThreadGetLimit(&limit, cudaLimitMallocHeapSize));
    want("a limit", limit == 1 << 20);
    OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
    want("a name",
         strcmp(cudaGetErrorName(cudaErrorUnsupportedLimit), "cudaErrorUnsupportedLimit") == 0);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong != 0;
}
