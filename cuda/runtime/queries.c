/* SPDX-License-Identifier: Apache-2.0 */
/* What the API has twice, and questions with one answer here: names of before CUDA 4, flags that
 * mean nothing on this GPU, 3D memory as its rows. */
#include <stdio.h>

#include "cuda/runtime/api.h"

WR_API cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    if (device != 0 || bytes < 1) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    return snprintf(text, (size_t)bytes, "0000:00:00.0") < bytes ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
}

WR_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

WR_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

WR_API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
}

/* Of memory that is mapped; the runtime does not know of other memory of the host. */
WR_API cudaError_t cudaHostGetFlags(unsigned *flags, void *at)
{
    void *device = NULL;
    cudaError_t error = cudaHostGetDevicePointer(&device, at, 0);
    if (error == cudaSuccess) {
        *flags = cudaHostAllocMapped;
    }
    return error;
}

WR_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at, size_t bytes,
                                            unsigned flags)
{
    (void)stream, (void)at, (void)bytes, (void)flags; /* all streams see it */
    return cudaSuccess;
}

WR_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return flags == 0 ? cudaEventRecord(event, stream) : cudaErrorNotSupported;
}

WR_API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes)
{
    return to_device == 0 && from_device == 0
               ? cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice)
               : cudaErrorInvalidDevice;
}

WR_API cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error = cudaMemsetAsync((char *)at + row * pitch, value, width, stream);
    }
    return error;
}

WR_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *at, struct cudaExtent extent)
{
    *at = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&at->ptr, &at->pitch, extent.width, extent.height * extent.depth);
}

WR_API cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent)
{
    cudaError_t error = cudaSuccess;
    for (size_t plane = 0; plane < extent.depth && error == cudaSuccess; plane++) {
        error = cudaMemset2D((char *)at.ptr + plane * at.ysize * at.pitch, at.pitch, value,
                             extent.width, extent.height);
    }
    return error;
}

WR_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

WR_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

WR_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}
