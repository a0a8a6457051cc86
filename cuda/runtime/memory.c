/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the API: allocation, copies, fills, symbols. The GPU says which addresses are its
 * own, managed.c which memory both sides address; all others are the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/managed.h"
#include "cuda/runtime/registry.h"
#include "cuda/runtime/stream.h"

#define PITCH      256
#define MOST_PITCH 0x7fffffff /* as the device's properties have it */

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
    uint64_t number = 0;
    wr_client_lock();
    cudaError_t error = wr_stream_number(stream, &number);
    return wr_client_unlock(error ? error : allocate(at, bytes));
}

static cudaError_t release(void *at)
{
    if (!at) {
        return cudaSuccess;
    }
    if (wr_both_find(at).kind != WR_BOTH_NONE) {
        return wr_both_free(WR_BOTH_MANAGED, at);
    }
    cudaError_t error = wr_client_wait(0, 0, 0); /* as CUDA does */
    return error                ? error
           : wr_both_copied(at) ? cudaErrorInvalidValue
                                : wr_client_tell(WR_CUDA_FREE, 0, (uintptr_t)at, 0, 0);
}

WR_API cudaError_t cudaFree(void *at)
{
    wr_client_lock();
    return wr_client_unlock(release(at));
}

WR_API cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    uint64_t number = 0;
    wr_client_lock();
    cudaError_t error = wr_stream_number(stream, &number);
    error = error ? error : at ? cudaSuccess : cudaErrorInvalidValue;
    return wr_client_unlock(error ? error : release(at));
}

static cudaError_t allocate_rows(void **at, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > MOST_PITCH - PITCH) {
        return cudaErrorInvalidValue;
    }
    size_t bytes = 0;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return __builtin_mul_overflow(*pitch, height, &bytes) ? cudaErrorMemoryAllocation
                                                          : allocate(at, bytes);
}

WR_API cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height)
{
    wr_client_lock();
    return wr_client_unlock(allocate_rows(at, pitch, width, height));
}

WR_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *at, struct cudaExtent extent)
{
    size_t rows = 0;
    wr_client_lock();
    if (!at) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
        return wr_client_unlock(cudaErrorMemoryAllocation);
    }
    *at = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return wr_client_unlock(allocate_rows(&at->ptr, &at->pitch, extent.width, rows));
}

WR_API cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned flags)
{
    bool ok = at && bytes != 0 && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    wr_client_lock();
    return wr_client_unlock(ok ? wr_both_alloc(WR_BOTH_MANAGED, at, bytes, 0)
                               : cudaErrorInvalidValue);
}

static cudaError_t allocate_pinned(void **at, size_t bytes, unsigned flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!at || (flags & ~known) != 0) {
        return cudaErrorInvalidValue;
    }
    *at = NULL;
    return bytes == 0 ? cudaSuccess : wr_both_alloc(WR_BOTH_PINNED, at, bytes, flags);
}

WR_API cudaError_t cudaHostAlloc(void **at, size_t bytes, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(allocate_pinned(at, bytes, flags));
}

WR_API cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    return cudaHostAlloc(at, bytes, cudaHostAllocDefault);
}

WR_API cudaError_t cudaFreeHost(void *at)
{
    wr_client_lock();
    return wr_client_unlock(at ? wr_both_free(WR_BOTH_PINNED, at) : cudaSuccess);
}

WR_API cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    const unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    wr_client_lock();
    if (!at || bytes == 0 || (flags & ~(known | cudaHostRegisterIoMemory)) != 0) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    return wr_client_unlock(flags & cudaHostRegisterIoMemory ? cudaErrorNotSupported
                                                             : wr_both_register(at, bytes, flags));
}

WR_API cudaError_t cudaHostUnregister(void *at)
{
    wr_client_lock();
    return wr_client_unlock(at ? wr_both_unregister(at) : cudaErrorInvalidValue);
}

static bool is_pinned(const void *at)
{
    wr_both_kind kind = wr_both_find(at).kind;
    return kind == WR_BOTH_PINNED || kind == WR_BOTH_REGISTERED;
}

static cudaError_t device_pointer(void **device, const void *host, unsigned flags)
{
    if (!device || !host || flags != 0 || !is_pinned(host)) {
        return cudaErrorInvalidValue;
    }
    uint64_t address = wr_both_address(host, true);
    *device = wr_client_pointer(address);
    return address ? cudaSuccess : cudaErrorMemoryAllocation;
}

WR_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(device_pointer(device, host, flags));
}

/* All pinned memory is mapped and of all devices, with unified addresses. */
WR_API cudaError_t cudaHostGetFlags(unsigned *flags, void *at)
{
    wr_client_lock();
    wr_both both = wr_both_find(at);
    bool ok = flags && is_pinned(at);
    if (ok) {
        *flags = both.flags | cudaHostAllocPortable | cudaHostAllocMapped;
    }
    return wr_client_unlock(ok ? cudaSuccess : cudaErrorInvalidValue);
}

/* What the GPU has at one of its addresses, 0: it is of no allocation. */
static uint64_t allocated(const void *at)
{
    wr_cuda_request request = {.what = WR_CUDA_CHECK, .a = (uintptr_t)at, .b = 1};
    bool there = on_gpu(at) && wr_client_ask(&request, NULL, NULL, NULL, NULL) == cudaSuccess;
    return there ? (uintptr_t)at : 0;
}

WR_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                            const void *at)
{
    wr_client_lock();
    if (!attributes) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    wr_both both = wr_both_find(at);
    void *registered = both.kind ? NULL : wr_both_copied(at);
    uint64_t device = both.kind ? wr_both_address(at, true) : allocated(at);
    void *place = wr_client_pointer((uintptr_t)at);
    bool managed = both.kind == WR_BOTH_MANAGED || both.kind == WR_BOTH_VARIABLE;
    *attributes =
        (struct cudaPointerAttributes){.type = managed                   ? cudaMemoryTypeManaged
                                               : both.kind || registered ? cudaMemoryTypeHost
                                               : device                  ? cudaMemoryTypeDevice
                                                        : cudaMemoryTypeUnregistered,
                                       .device = both.kind || device ? 0 : cudaInvalidDeviceId,
                                       .devicePointer = wr_client_pointer(device),
                                       .hostPointer = registered                 ? registered
                                                      : both.kind || !on_gpu(at) ? place
                                                                                 : NULL};
    return wr_client_unlock(cudaSuccess);
}

/* Of managed memory, which is where both sides are: it can be anywhere at any time. */
static cudaError_t advise(const void *at, size_t bytes, int device, bool advice_known)
{
    wr_both both = wr_both_find(at);
    bool managed = both.kind == WR_BOTH_MANAGED || both.kind == WR_BOTH_VARIABLE;
    size_t offset = managed ? (size_t)((const char *)at - (const char *)both.host) : 0;
    if (!managed || bytes == 0 || bytes > both.bytes - offset || !advice_known) {
        return cudaErrorInvalidValue;
    }
    return device == 0 || device == cudaCpuDeviceId ? cudaSuccess : cudaErrorInvalidDevice;
}

WR_API cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device,
                                        cudaStream_t stream)
{
    uint64_t number = 0;
    wr_client_lock();
    cudaError_t error = wr_stream_number(stream, &number);
    return wr_client_unlock(error ? error : advise(at, bytes, device, true));
}

WR_API cudaError_t cudaMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                 int device)
{
    bool known =
        (int)advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    wr_client_lock();
    return wr_client_unlock(advise(at, bytes, device, known));
}

WR_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at, size_t bytes,
                                            unsigned flags)
{
    uint64_t number = 0;
    wr_client_lock();
    cudaError_t error = wr_stream_number(stream, &number);
    wr_both both = wr_both_find(at);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                 (flags == cudaMemAttachSingle && number != 0);
    bool whole = (both.kind == WR_BOTH_MANAGED || both.kind == WR_BOTH_VARIABLE) &&
                 both.host == at && (bytes == 0 || bytes == both.bytes);
    /* all streams see it, as they may without this call */
    return wr_client_unlock(error ? error : known && whole ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- Copies -------------------------------------------------------------------------------------
 */

/* One side of a copy. */
typedef struct side {
    char *host;   /* NULL: the host does not address it */
    uint64_t gpu; /* 0: the GPU does not */
    size_t pitch;
} side;

/* Bytes from the first of the first row to the last of the last one. False: too many. */
static bool span_of(size_t pitch, size_t width, size_t height, size_t *span)
{
    return !__builtin_mul_overflow(pitch, height - 1, span) &&
           !__builtin_add_overflow(*span, width, span);
}

/* cudaErrorInvalidValue: neither side has the memory, as far as it is to be checked of the GPU's.
 */
static cudaError_t side_of(const void *at, size_t pitch, size_t width, size_t height, bool to_write,
                           bool check, side *of)
{
    size_t span = 0;
    wr_both both = wr_both_find(at);
    void *place = wr_client_pointer((uintptr_t)at);
    if (!at || !span_of(pitch, width, height, &span)) {
        return cudaErrorInvalidValue;
    }
    if (!both.kind) {
        *of = on_gpu(at) ? (side){NULL, (uintptr_t)at, pitch} : (side){place, 0, pitch};
    } else { /* a copy that the GPU has of a part is not enough */
        bool whole = span <= both.bytes - (size_t)((const char *)at - (const char *)both.host);
        *of = (side){place, whole ? wr_both_address(at, false) : 0, pitch};
    }
    if (!of->gpu) {
        return wr_host_has(at, span, to_write) ? cudaSuccess : cudaErrorInvalidValue;
    }
    return check ? wr_client_tell(WR_CUDA_CHECK, 0, of->gpu, span, 0) : cudaSuccess;
}

/* Puts a row of a copy into a stream. Between what both are addressed by the GPU it is the GPU's,
 * in the order of its stream. */
static cudaError_t copy(const side *to, const side *from, size_t row, size_t bytes, uint64_t stream)
{
    size_t to_at = row * to->pitch, from_at = row * from->pitch;
    if (to->gpu && from->gpu) {
        return wr_client_tell(WR_CUDA_COPY, stream, to->gpu + to_at, from->gpu + from_at, bytes);
    }
    if (from->gpu) {
        return wr_client_tell(WR_CUDA_READ, stream, from->gpu + from_at, bytes,
                              (uintptr_t)to->host + to_at);
    }
    if (to->gpu) {
        wr_cuda_request request = {.what = WR_CUDA_WRITE,
                                   .stream = (uint32_t)stream,
                                   .a = to->gpu + to_at,
                                   .bytes = bytes};
        return wr_client_ask(&request, from->host + from_at, NULL, NULL, NULL);
    }
    cudaError_t error = wr_client_wait(1, stream, 0);
    memmove(to->host + to_at, from->host + from_at, bytes);
    return error;
}

static cudaError_t check_kind(const side *to, const side *from, enum cudaMemcpyKind kind)
{
    bool from_gpu = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool to_gpu = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool any = kind == cudaMemcpyDefault;
    bool ok = (any || (from_gpu ? from->gpu != 0 : from->host != NULL)) &&
              (any || (to_gpu ? to->gpu != 0 : to->host != NULL));
    return ok ? cudaSuccess : cudaErrorInvalidValue;
}

/* Rows of a copy; and waits for it where the function does. */
static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream, bool wait)
{
    uint64_t number = 0;
    side target, source;
    cudaError_t error = wr_stream_number(stream, &number);
    if (error || (unsigned)kind > cudaMemcpyDefault) {
        return error ? error : cudaErrorInvalidMemcpyDirection;
    }
    if (height > 1 && (width > to_pitch || width > from_pitch || to_pitch > MOST_PITCH ||
                       from_pitch > MOST_PITCH)) {
        return cudaErrorInvalidPitchValue;
    }
    error = wr_managed_push();
    if (!error && width > 0 && height > 0) {
        /* what is enqueued alone the GPU checks; data are sent to no place that is not there */
        error = side_of(from, from_pitch, width, height, false, height > 1, &source);
        error =
            error ? error
                  : side_of(to, to_pitch, width, height, true, height > 1 || !source.gpu, &target);
        error = error ? error : check_kind(&target, &source, kind);
        for (size_t i = 0; !error && i < height; i++) {
            error = copy(&target, &source, i, width, number);
        }
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
    if (!error && (kind == cudaMemcpyHostToHost ||
                   kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))) {
        error = cudaErrorInvalidMemcpyDirection;
    }
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
    return wr_client_unlock(at ? place(symbol, 0, 0, at) : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t address = 0, size = 0;
    wr_client_lock();
    cudaError_t error =
        bytes ? wr_registry_variable(symbol, &address, &size) : cudaErrorInvalidValue;
    if (!error) {
        *bytes = (size_t)size;
    }
    return wr_client_unlock(error);
}

/* --- Fills --------------------------------------------------------------------------------------
 */

static cudaError_t fill_rows(void *at, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream)
{
    uint64_t number = 0;
    side target;
    cudaError_t error = wr_stream_number(stream, &number);
    error = error ? error : wr_managed_push();
    if (error || width == 0 || height == 0) {
        return error;
    }
    if (height > 1 && (width > pitch || pitch > MOST_PITCH)) {
        return cudaErrorInvalidValue;
    }
    error = side_of(at, pitch, width, height, true, height > 1, &target);
    error = error || target.gpu ? error : cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < height; i++) {
        error = wr_client_tell(WR_CUDA_FILL, number, target.gpu + i * pitch, (unsigned char)value,
                               width);
    }
    /* what the host sees of memory of both sides */
    return !error && target.host ? wr_client_wait(1, number, 0) : error;
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

WR_API cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    wr_client_lock();
    return wr_client_unlock(fill_rows(at, pitch, value, width, height, stream));
}

WR_API cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(at, pitch, value, width, height, NULL);
}

WR_API cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent)
{
    size_t plane = 0;
    bool ok = extent.depth <= 1 || (extent.height <= at.ysize && at.pitch <= MOST_PITCH &&
                                    !__builtin_mul_overflow(at.ysize, at.pitch, &plane));
    cudaError_t error = ok ? cudaSuccess : cudaErrorInvalidValue;
    wr_client_lock();
    for (size_t i = 0; i < extent.depth && extent.width > 0 && extent.height > 0 && !error; i++) {
        error = fill_rows((char *)at.ptr + i * plane, at.pitch, value, extent.width, extent.height,
                          NULL);
    }
    return wr_client_unlock(error);
}
