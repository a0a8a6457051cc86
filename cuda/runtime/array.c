/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and channel descriptors; see array.h. */
#include "cuda/runtime/array.h"

#include <stdlib.h>

#include "cuda/runtime/handles.h"
#include "cuda/runtime/reference.h"

const wr_array *wr_array_of(cudaArray_const_t handle)
{
    return wr_handle_find(WR_HANDLE_ARRAY, handle);
}

size_t wr_texel_bytes(const struct cudaChannelFormatDesc *desc)
{
    const int bits[] = {desc->x, desc->y, desc->z, desc->w};
    size_t channels = 0;
    while (channels < 4 && bits[channels] != 0) {
        channels++;
    }
    for (size_t i = 0; i < 4; i++) {
        if (bits[i] != (i < channels ? desc->x : 0)) {
            return 0;
        }
    }
    bool is_float = desc->f == cudaChannelFormatKindFloat;
    bool known = desc->x == 32 || desc->x == 16 || (desc->x == 8 && !is_float);
    return known && (unsigned)desc->f <= cudaChannelFormatKindFloat && channels != 3
               ? channels * (size_t)desc->x / 8
               : 0;
}

WR_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* What a device of compute capability 5.0 takes, by CUDA's table of technical specifications. */
static bool fits(const struct cudaExtent *e, unsigned flags)
{
    if (flags & cudaArrayCubemap) {
        size_t cubes = e->depth / 6;
        return e->width <= 16384 && e->width == e->height && e->depth % 6 == 0 && cubes >= 1 &&
               cubes <= (flags & cudaArrayLayered ? 2046 / 6 : 1);
    }
    if (flags & cudaArrayLayered) {
        return e->width <= 16384 && e->height <= 16384 && e->depth >= 1 && e->depth <= 2048;
    }
    if (e->depth > 0) {
        return e->height > 0 && e->width <= 4096 && e->height <= 4096 && e->depth <= 4096;
    }
    return e->width <= 65536 && e->height <= 65536;
}

static cudaError_t new_array(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                             struct cudaExtent extent, unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap;
    if (!array || !desc) {
        return cudaErrorInvalidValue;
    }
    size_t texel = wr_texel_bytes(desc);
    if (texel == 0) {
        return cudaErrorInvalidChannelDescriptor;
    }
    if (extent.width == 0 || (flags & ~(known | cudaArrayTextureGather)) || !fits(&extent, flags)) {
        return cudaErrorInvalidValue;
    }
    if (flags & cudaArrayTextureGather) {
        return cudaErrorNotSupported;
    }
    wr_array *a = calloc(1, sizeof *a);
    if (!a) {
        return cudaErrorMemoryAllocation;
    }
    *a = (wr_array){.desc = *desc, .extent = extent, .flags = flags, .texel = texel};
    a->pitch = (extent.width * texel + WR_PITCH_ALIGN - 1) / WR_PITCH_ALIGN * WR_PITCH_ALIGN;
    a->rows = extent.height ? extent.height : 1;
    a->planes = extent.depth ? extent.depth : 1;
    wr_cuda_request request = {
        .what = WR_CUDA_ALLOC, .a = a->pitch * a->rows * a->planes, .b = WR_TEXTURE_ALIGN};
    cudaError_t error = wr_client_device() ? wr_client_ask(&request, NULL, &a->address, NULL, NULL)
                                           : cudaErrorNoDevice;
    cudaArray_t handle = error ? NULL : wr_handle_new(WR_HANDLE_ARRAY, a);
    if (!handle) {
        free(a);
        return error ? error : cudaErrorMemoryAllocation;
    }
    *array = handle;
    return cudaSuccess;
}

WR_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(new_array(array, desc, extent, flags));
}

WR_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                   size_t width, size_t height, unsigned flags)
{
    const struct cudaExtent extent = {width, height, 0};
    return cudaMalloc3DArray(array, desc, extent, flags);
}

static cudaError_t free_array(cudaArray_t handle)
{
    const wr_array *a = wr_array_of(handle);
    if (!a) {
        return handle ? cudaErrorInvalidValue : cudaSuccess;
    }
    cudaError_t error = wr_client_wait(0, 0, 0); /* as cudaFree */
    error = error ? error : wr_client_tell(WR_CUDA_FREE, 0, a->address, 0, 0);
    wr_reference_forget(handle);
    wr_handle_end(handle);
    return error;
}

WR_API cudaError_t cudaFreeArray(cudaArray_t array)
{
    wr_client_lock();
    return wr_client_unlock(free_array(array));
}

WR_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    wr_client_lock();
    const wr_array *a = wr_array_of(array);
    if (!desc || !a) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    *desc = a->desc;
    return wr_client_unlock(cudaSuccess);
}

WR_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array)
{
    wr_client_lock();
    const wr_array *a = wr_array_of(array);
    if (!a) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    if (desc) {
        *desc = a->desc;
    }
    if (extent) {
        *extent = a->extent;
    }
    if (flags) {
        *flags = a->flags;
    }
    return wr_client_unlock(cudaSuccess);
}
