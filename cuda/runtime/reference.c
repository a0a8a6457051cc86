/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references. What one is bound to is kept here; the GPU gets it in front of
 * the next launch, with the fields that the program has given the reference by then. A binding that
 * kernels may still use is not written over before they are done.
 */
#include "cuda/runtime/reference.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/registry.h"
#include "cuda/runtime/texture.h"
#include "uthash.h"

typedef struct reference {
    const void *host;
    bool is_surface, bound;
    int read_mode;
    struct cudaResourceDesc resource;
    size_t offset;
    uint64_t address;              /* of the layout that the GPU has, 0 = none yet */
    struct wr_texture_layout sent; /* what is there */
    UT_hash_handle hh;
} reference;
static reference *references;

void wr_reference_add(const void *host, bool is_surface, int read_mode)
{
    reference *r = NULL;
    HASH_FIND_PTR(references, &host, r);
    if (!r && (r = calloc(1, sizeof *r)) != NULL) {
        r->host = host;
        r->is_surface = is_surface;
        r->read_mode = read_mode;
        HASH_ADD_PTR(references, host, r);
    }
}

static reference *find(const void *host, bool is_surface)
{
    reference *r = NULL;
    HASH_FIND_PTR(references, &host, r);
    return r && r->is_surface == is_surface ? r : NULL;
}

static cudaError_t layout_of(const reference *r, struct wr_texture_layout *layout)
{
    const struct textureReference *t = r->host;
    if (r->is_surface) {
        return wr_surface_layout_of(&r->resource, layout);
    }
    const struct cudaTextureDesc desc = {
        .addressMode = {t->addressMode[0], t->addressMode[1], t->addressMode[2]},
        .filterMode = t->filterMode,
        .readMode = (enum cudaTextureReadMode)r->read_mode,
        .sRGB = t->sRGB,
        .normalizedCoords = t->normalized};
    return wr_texture_layout_of(&r->resource, &desc, layout);
}

/* --- In front of a launch -----------------------------------------------------------------------
 */

/* The module's place for the reference holds the address of the layout. */
static cudaError_t first_time(reference *r)
{
    uint64_t place = 0, bytes = 0;
    cudaError_t error = wr_registry_variable(r->host, &place, &bytes);
    error = error ? error : wr_texture_alloc(&r->address);
    return error ? error : wr_texture_write(place, &r->address, sizeof r->address);
}

static cudaError_t push(reference *r)
{
    struct wr_texture_layout layout;
    cudaError_t error = layout_of(r, &layout);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): it is the bytes that the GPU has
    if (error || (r->address != 0 && memcmp(&layout, &r->sent, sizeof layout) == 0)) {
        return error;
    }
    error = r->address ? wr_client_wait(0, 0, 0) : first_time(r);
    error = error ? error : wr_texture_write(r->address, &layout, sizeof layout);
    r->sent = layout;
    return error;
}

cudaError_t wr_reference_push(void)
{
    cudaError_t error = cudaSuccess;
    for (reference *r = references; r && !error; r = r->hh.next) {
        error = r->bound ? push(r) : cudaSuccess;
    }
    return error;
}

void wr_reference_forget(cudaArray_const_t array)
{
    for (reference *r = references; r; r = r->hh.next) {
        r->bound &=
            r->resource.resType != cudaResourceTypeArray || r->resource.res.array.array != array;
    }
}

/* --- Bindings -----------------------------------------------------------------------------------
 */

static cudaError_t bind(const void *host, bool is_surface, const struct cudaResourceDesc *resource)
{
    struct wr_texture_layout layout;
    reference *r = find(host, is_surface);
    if (!r) {
        return is_surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
    }
    reference made = *r;
    made.resource = *resource;
    cudaError_t error = layout_of(&made, &layout);
    if (!error) {
        r->resource = *resource;
        r->bound = true;
        r->offset = 0;
    }
    return error;
}

/* Memory that begins in front of a multiple of the alignment is bound from there on; *offset says
 * how many bytes later the program's begins. */
static cudaError_t aligned(size_t *offset, const void **at, size_t *over)
{
    *over = (uintptr_t)*at % WR_TEXTURE_ALIGN;
    if (*over != 0 && !offset) {
        return cudaErrorInvalidValue;
    }
    *at = (const char *)*at - *over;
    if (offset) {
        *offset = *over;
    }
    return cudaSuccess;
}

static cudaError_t bind_memory(size_t *offset, const struct textureReference *host, const void *at,
                               struct cudaResourceDesc *resource)
{
    size_t over = 0;
    cudaError_t error = find(host, false) ? aligned(offset, &at, &over) : cudaErrorInvalidTexture;
    if (error) {
        return error;
    }
    if (resource->resType == cudaResourceTypeLinear) {
        resource->res.linear.devPtr = wr_client_pointer((uintptr_t)at);
        resource->res.linear.sizeInBytes += over;
    } else {
        resource->res.pitch2D.devPtr = wr_client_pointer((uintptr_t)at);
    }
    error = bind(host, false, resource);
    if (!error) {
        find(host, false)->offset = over;
    }
    return error;
}

/* Bytes up to the end of the GPU's memory, at most. */
static size_t at_most(const void *at, size_t bytes)
{
    const wr_cuda_device *d = wr_client_device();
    uint64_t room = d ? d->first_address + d->global_bytes - (uintptr_t)at : 0;
    return room < bytes ? (size_t)room : bytes;
}

WR_API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *host,
                                   const void *at, const struct cudaChannelFormatDesc *desc,
                                   size_t bytes)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    wr_client_lock();
    if (!desc || !at) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    size_t texel = wr_texel_bytes(desc);
    size_t most = (size_t)texel << 27; /* texels */
    resource.res.linear.desc = *desc;
    resource.res.linear.sizeInBytes =
        at_most(at, bytes == UINT32_MAX && most < bytes ? most : bytes);
    return wr_client_unlock(bind_memory(offset, host, at, &resource));
}

WR_API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *host,
                                     const void *at, const struct cudaChannelFormatDesc *desc,
                                     size_t width, size_t height, size_t pitch)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    wr_client_lock();
    if (!desc || !at) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    resource.res.pitch2D.desc = *desc;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return wr_client_unlock(bind_memory(offset, host, at, &resource));
}

static cudaError_t bind_array(const void *host, bool is_surface, cudaArray_const_t array,
                              const struct cudaChannelFormatDesc *desc)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    const wr_array *a = wr_array_of(array);
    if (!a) {
        return cudaErrorInvalidValue;
    }
    if (desc && (desc->x != a->desc.x || desc->y != a->desc.y || desc->z != a->desc.z ||
                 desc->w != a->desc.w || desc->f != a->desc.f)) {
        return cudaErrorInvalidValue;
    }
    resource.res.array.array = wr_client_pointer((uintptr_t)array);
    return bind(host, is_surface, &resource);
}

WR_API cudaError_t cudaBindTextureToArray(const struct textureReference *host,
                                          cudaArray_const_t array,
                                          const struct cudaChannelFormatDesc *desc)
{
    wr_client_lock();
    return wr_client_unlock(bind_array(host, false, array, desc));
}

WR_API cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *host,
                                          cudaArray_const_t array,
                                          const struct cudaChannelFormatDesc *desc)
{
    wr_client_lock();
    return wr_client_unlock(bind_array(host, true, array, desc));
}

WR_API cudaError_t cudaUnbindTexture(const struct textureReference *host)
{
    wr_client_lock();
    reference *r = find(host, false);
    if (r) {
        r->bound = false;
    }
    return wr_client_unlock(r ? cudaSuccess : cudaErrorInvalidTexture);
}

WR_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                 const struct textureReference *host)
{
    wr_client_lock();
    const reference *r = find(host, false);
    if (!r || !r->bound || !offset) {
        return wr_client_unlock(!offset ? cudaErrorInvalidValue
                                : r     ? cudaErrorInvalidTextureBinding
                                        : cudaErrorInvalidTexture);
    }
    *offset = r->offset;
    return wr_client_unlock(cudaSuccess);
}

WR_API cudaError_t cudaGetTextureReference(const struct textureReference **host, const void *symbol)
{
    wr_client_lock();
    if (!host || !find(symbol, false)) {
        return wr_client_unlock(host ? cudaErrorInvalidTexture : cudaErrorInvalidValue);
    }
    *host = symbol;
    return wr_client_unlock(cudaSuccess);
}

WR_API cudaError_t cudaGetSurfaceReference(const struct surfaceReference **host, const void *symbol)
{
    wr_client_lock();
    if (!host || !find(symbol, true)) {
        return wr_client_unlock(host ? cudaErrorInvalidSurface : cudaErrorInvalidValue);
    }
    *host = symbol;
    return wr_client_unlock(cudaSuccess);
}
