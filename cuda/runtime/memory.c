/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the API: allocation, copies, fills, symbols. The GPU says which addresses are its
 * own; all others are the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/managed.h"
#include "cuda/runtime/registry.h"
#include "cuda/runtime/stream.h"

#define PITCH 256

static bool on_gpu(const void *at)
{
    const wr_cuda_device *d = wr_client_device();
    return d && (uintptr_t)at - d->first_address < d->global_bytes;
}

static cudaError_t allocate(void **at, size_t bytes)
{
    wr_cuda_request request = {.what = WR_CUDA_ALLOC, .a = bytes};
    uint64_t address = 0;
    if (!at) {
        return cudaErrorInvalidValue;
    }
    *at = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    cudaError_t error = wr_client_device() ? wr_client_ask(&request, NULL, &address, NULL, NULL)
                                           : cudaErrorNoDevice;
    *at = error ? NULL : wr_client_pointer(address);
    return error;
}

WR_API cudaError_t cudaMalloc(void **at, size_t bytes)
{
    wr_client_lock();
    return wr_client_unlock(allocate(at, bytes));
}

WR_API cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(at, bytes);
}

static cudaError_t release(void *at)
{
    cudaError_t error = cudaSuccess;
    if (!at || wr_managed_free(at, &error)) {
        return error;
    }
    error = wr_client_wait(0, 0, 0); /* as CUDA does */
    return error ? error : wr_client_tell(WR_CUDA_FREE, 0, (uintptr_t)at, 0, 0);
}

WR_API cudaError_t cudaFree(void *at)
{
    wr_client_lock();
    return wr_client_unlock(release(at));
}

WR_API cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(at);
}

WR_API cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height)
{
    wr_client_lock();
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return wr_client_unlock(allocate(at, *pitch * height));
}

WR_API cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned flags)
{
    (void)flags;
    wr_client_lock();
    return wr_client_unlock(wr_managed_alloc(at, bytes));
}

/* Page-locked memory is memory; what kernels address is of both sides. */
WR_API cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags)
{
    wr_client_lock();
    if (flags & cudaHostAllocMapped) {
        return wr_client_unlock(wr_managed_alloc(at, bytes));
    }
    *at = malloc(bytes ? bytes : 1);
    return wr_client_unlock(*at ? cudaSuccess : cudaErrorMemoryAllocation);
}

WR_API cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    return cudaHostAlloc(at, bytes, cudaHostAllocDefault);
}

WR_API cudaError_t cudaFreeHost(void *at)
{
    cudaError_t error = cudaSuccess;
    wr_client_lock();
    if (!wr_managed_free(at, &error)) {
        error = wr_client_wait(0, 0, 0); /* data may be on their way to it */
        free(at);
    }
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    (void)bytes;
    wr_client_lock();
    return wr_client_unlock(!at                              ? cudaErrorInvalidValue
                            : flags & cudaHostRegisterMapped ? cudaErrorNotSupported
                                                             : cudaSuccess);
}

WR_API cudaError_t cudaHostUnregister(void *at)
{
    wr_client_lock();
    return wr_client_unlock(at ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    wr_client_lock();
    if (!wr_managed_has(host)) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    *device = host;
    return wr_client_unlock(cudaSuccess);
}

WR_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                            const void *at)
{
    wr_client_lock();
    bool managed = wr_managed_has(at);
    *attributes = (struct cudaPointerAttributes){
        .type = managed      ? cudaMemoryTypeManaged
                : on_gpu(at) ? cudaMemoryTypeDevice
                             : cudaMemoryTypeUnregistered,
        .devicePointer = on_gpu(at) ? wr_client_pointer((uintptr_t)at) : NULL,
        .hostPointer = managed || !on_gpu(at) ? wr_client_pointer((uintptr_t)at) : NULL};
    return wr_client_unlock(cudaSuccess);
}

WR_API cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device,
                                        cudaStream_t stream)
{
    (void)bytes, (void)device, (void)stream;
    wr_client_lock();
    return wr_client_unlock(wr_managed_has(at) ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                 int device)
{
    (void)bytes, (void)advice, (void)device;
    wr_client_lock();
    return wr_client_unlock(wr_managed_has(at) ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- Copies -------------------------------------------------------------------------------------
 */

/* Puts a copy into a stream. */
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        uint64_t stream)
{
    bool from_gpu = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool to_gpu = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault) {
        from_gpu = on_gpu(from);
        to_gpu = on_gpu(to);
    }
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!to || !from) {
        return cudaErrorInvalidValue;
    }
    if ((unsigned)kind > cudaMemcpyDefault || (from_gpu && !on_gpu(from)) ||
        (to_gpu && !on_gpu(to))) {
        return (unsigned)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection
                                                  : cudaErrorInvalidValue;
    }
    if (to_gpu && from_gpu) {
        return wr_client_tell(WR_CUDA_COPY, stream, (uintptr_t)to, (uintptr_t)from, bytes);
    }
    if (from_gpu) {
        return wr_client_tell(WR_CUDA_READ, stream, (uintptr_t)from, bytes, (uintptr_t)to);
    }
    if (to_gpu) {
        wr_cuda_request request = {
            .what = WR_CUDA_WRITE, .stream = (uint32_t)stream, .a = (uintptr_t)to, .bytes = bytes};
        cudaError_t error = wr_client_tell(WR_CUDA_CHECK, 0, (uintptr_t)to, bytes, 0);
        return error ? error : wr_client_ask(&request, from, NULL, NULL, NULL);
    }
    cudaError_t error = wr_client_wait(1, stream, 0);
    memmove(to, from, bytes);
    return error;
}

/* Rows of a copy; and waits for it where the function does. */
static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream, bool wait)
{
    uint64_t number = 0;
    cudaError_t error = height > 1 && (width > to_pitch || width > from_pitch)
                            ? cudaErrorInvalidPitchValue
                            : wr_managed_push();
    error = error ? error : wr_stream_number(stream, &number);
    for (size_t i = 0; !error && i < height; i++) {
        error = copy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, kind,
                     number);
    }
    return error || !wait ? error : wr_client_wait(1, number, 0);
}

WR_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    wr_client_lock();
    return wr_client_unlock(copy_rows(to, bytes, from, bytes, bytes, 1, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    wr_client_lock();
    return wr_client_unlock(copy_rows(to, bytes, from, bytes, bytes, 1, kind, stream, false));
}

WR_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    wr_client_lock();
    return wr_client_unlock(
        copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    wr_client_lock();
    return wr_client_unlock(
        copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

/* The place in a variable; an error where it is too small. */
static cudaError_t place(const void *symbol, size_t bytes, size_t offset, void **at)
{
    uint64_t address = 0, size = 0;
    cudaError_t error = wr_registry_variable(symbol, &address, &size);
    if (!error && (offset > size || bytes > size - offset)) {
        error = cudaErrorInvalidValue;
    }
    *at = wr_client_pointer(address + offset);
    return error;
}

static cudaError_t with_symbol(bool to_symbol, const void *symbol, void *host, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                               bool wait)
{
    void *at = NULL;
    wr_client_lock();
    cudaError_t error = place(symbol, bytes, offset, &at);
    error = error ? error
                  : copy_rows(to_symbol ? at : host, bytes, to_symbol ? host : at, bytes, bytes, 1,
                              kind, stream, wait);
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                      size_t offset, enum cudaMemcpyKind kind)
{
    return with_symbol(true, symbol, wr_client_pointer((uintptr_t)from), bytes, offset, kind, NULL,
                       true);
}

WR_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    return with_symbol(true, symbol, wr_client_pointer((uintptr_t)from), bytes, offset, kind,
                       stream, false);
}

WR_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                        enum cudaMemcpyKind kind)
{
    return with_symbol(false, symbol, to, bytes, offset, kind, NULL, true);
}

WR_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                             size_t offset, enum cudaMemcpyKind kind,
                                             cudaStream_t stream)
{
    return with_symbol(false, symbol, to, bytes, offset, kind, stream, false);
}

WR_API cudaError_t cudaGetSymbolAddress(void **at, const void *symbol)
{
    wr_client_lock();
    return wr_client_unlock(place(symbol, 0, 0, at));
}

WR_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t address = 0, size = 0;
    wr_client_lock();
    cudaError_t error = wr_registry_variable(symbol, &address, &size);
    *bytes = (size_t)size;
    return wr_client_unlock(error);
}

/* --- Fills --------------------------------------------------------------------------------------
 */

static cudaError_t fill_rows(void *at, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream)
{
    uint64_t number = 0;
    cudaError_t error = wr_stream_number(stream, &number);
    error = error ? error : wr_managed_push();
    for (size_t i = 0; !error && width > 0 && i < height; i++) {
        error = wr_client_tell(WR_CUDA_FILL, number, (uintptr_t)at + i * pitch,
                               (unsigned char)value, width);
    }
    /* what the host sees of memory of both sides */
    return !error && wr_managed_has(at) ? wr_client_wait(1, number, 0) : error;
}

WR_API cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    return cudaMemsetAsync(at, value, bytes, NULL);
}

WR_API cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    wr_client_lock();
    return wr_client_unlock(fill_rows(at, bytes, value, bytes, 1, stream));
}

WR_API cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height)
{
    wr_client_lock();
    return wr_client_unlock(fill_rows(at, pitch, value, width, height, NULL));
}
