/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the CUDA runtime that warpref's has; docs/cuda.md says what each does here. */
#ifndef WR_CUDA_RUNTIME_API_H
#define WR_CUDA_RUNTIME_API_H

#include "driver_types.h"
#include "vector_types.h"

#define CUDART_VERSION       11050
#define __CUDART_API_VERSION CUDART_VERSION
#define __CUDA_RUNTIME_API_H__
#define CUDARTAPI
#define CUDART_CB
#ifdef __cplusplus
#define WR_DEFAULT(value) = value
extern "C" {
#else
#define WR_DEFAULT(value)
#endif

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
/* runtime/queries.c */
cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *at);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at, size_t bytes WR_DEFAULT(0),
                                     unsigned flags WR_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream WR_DEFAULT(0),
                                     unsigned flags WR_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes);
cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *at, struct cudaExtent extent);
cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaFree(void *at);
cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void **at, size_t bytes,
                              unsigned flags WR_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocHost(void **at, size_t bytes);
cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *at);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at);
cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device,
                                 cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice, int device);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset WR_DEFAULT(0),
                               enum cudaMemcpyKind kind WR_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset WR_DEFAULT(0),
                                 enum cudaMemcpyKind kind WR_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **at, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags WR_DEFAULT(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared WR_DEFAULT(0), cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t shared WR_DEFAULT(0),
                                        cudaStream_t stream WR_DEFAULT(0));
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared WR_DEFAULT(0),
                                     void *stream WR_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

#ifdef __cplusplus
}
#endif

#include "texture_api.h"

#endif
