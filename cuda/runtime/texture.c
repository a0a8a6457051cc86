/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects: an object is the address of its layout in the GPU's memory, which
 * stays as it is until the object is destroyed.
 */
#include "cuda/runtime/texture.h"

#include <stdlib.h>
#include <string.h>

#include "uthash.h"

/* Widths and heights that a device of compute capability 5.0 takes of memory that is no array. */
enum { MOST_LINEAR = 1 << 27, MOST_PITCH2D = 65536 };

typedef struct object {
    uint64_t address;
    bool is_surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    UT_hash_handle hh;
} object;
static object *objects;

/* --- Layouts ------------------------------------------------------------------------------------
 */

static unsigned log2_of(size_t power)
{
    return (unsigned)__builtin_ctzl(power);
}

static unsigned format_of(const struct cudaChannelFormatDesc *desc)
{
    size_t channel = (size_t)desc->x / 8;
    return (unsigned)desc->f | log2_of(channel) << WR_TEXTURE_BYTES_SHIFT |
           log2_of(wr_texel_bytes(desc) / channel) << WR_TEXTURE_CHANNELS_SHIFT;
}

static cudaError_t of_array(cudaArray_const_t handle, struct wr_texture_layout *layout)
{
    const wr_array *a = wr_array_of(handle);
    if (!a) {
        return cudaErrorInvalidValue;
    }
    *layout = (struct wr_texture_layout){.data = a->address,
                                         .pitch = (unsigned)a->pitch,
                                         .slice = (unsigned)(a->pitch * a->rows),
                                         .width = (unsigned)a->extent.width,
                                         .height = (unsigned)a->rows,
                                         .depth = (unsigned)a->planes,
                                         .mode = format_of(&a->desc)};
    return cudaSuccess;
}

/* Rows of the program's memory on the GPU. */
static cudaError_t of_memory(const void *at, const struct cudaChannelFormatDesc *desc, size_t width,
                             size_t height, size_t pitch, struct wr_texture_layout *layout)
{
    const wr_cuda_device *d = wr_client_device();
    if (!d) {
        return cudaErrorNoDevice;
    }
    if ((uintptr_t)at - d->first_address >= d->global_bytes || (uintptr_t)at % WR_TEXTURE_ALIGN) {
        return cudaErrorInvalidValue;
    }
    if (width == 0 || height == 0) {
        return cudaErrorInvalidValue;
    }
    *layout = (struct wr_texture_layout){.data = (uintptr_t)at,
                                         .pitch = (unsigned)pitch,
                                         .width = (unsigned)width,
                                         .height = (unsigned)height,
                                         .depth = 1,
                                         .mode = format_of(desc)};
    return cudaSuccess;
}

static cudaError_t of_resource(const struct cudaResourceDesc *r, struct wr_texture_layout *layout)
{
    size_t texel;
    switch (r->resType) {
    case cudaResourceTypeArray:
        return of_array(r->res.array.array, layout);
    case cudaResourceTypeLinear:
        texel = wr_texel_bytes(&r->res.linear.desc);
        if (texel == 0) {
            return cudaErrorInvalidChannelDescriptor;
        }
        if (r->res.linear.sizeInBytes / texel > MOST_LINEAR) {
            return cudaErrorInvalidValue;
        }
        return of_memory(r->res.linear.devPtr, &r->res.linear.desc,
                         r->res.linear.sizeInBytes / texel, 1, 0, layout);
    case cudaResourceTypePitch2D:
        texel = wr_texel_bytes(&r->res.pitch2D.desc);
        if (texel == 0) {
            return cudaErrorInvalidChannelDescriptor;
        }
        if (r->res.pitch2D.width > MOST_PITCH2D || r->res.pitch2D.height > MOST_PITCH2D ||
            r->res.pitch2D.pitchInBytes % WR_PITCH_ALIGN != 0 ||
            r->res.pitch2D.pitchInBytes / texel < r->res.pitch2D.width ||
            r->res.pitch2D.pitchInBytes > UINT32_MAX / MOST_PITCH2D * WR_PITCH_ALIGN) {
            return cudaErrorInvalidValue;
        }
        return of_memory(r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width,
                         r->res.pitch2D.height, r->res.pitch2D.pitchInBytes, layout);
    case cudaResourceTypeMipmappedArray:
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

/* Address modes: those of integers of texels are clamp and border; wrap and mirror become clamp. */
static cudaError_t address_modes(const struct cudaTextureDesc *t, unsigned *mode)
{
    for (int axis = 0; axis < 3; axis++) {
        enum cudaTextureAddressMode way = t->addressMode[axis];
        if ((unsigned)way > cudaAddressModeBorder) {
            return cudaErrorInvalidValue;
        }
        if (!t->normalizedCoords && (way == cudaAddressModeWrap || way == cudaAddressModeMirror)) {
            way = cudaAddressModeClamp;
        }
        *mode |= (unsigned)way << (WR_TEXTURE_ADDRESS_SHIFT + 2 * axis);
    }
    return cudaSuccess;
}

cudaError_t wr_texture_layout_of(const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *t, struct wr_texture_layout *layout)
{
    cudaError_t error = of_resource(resource, layout);
    error = error ? error : address_modes(t, &layout->mode);
    if (error) {
        return error;
    }
    bool is_float = (layout->mode & WR_TEXTURE_KIND) == cudaChannelFormatKindFloat;
    bool words = (layout->mode >> WR_TEXTURE_BYTES_SHIFT & 3) == 2;
    if ((unsigned)t->filterMode > cudaFilterModeLinear ||
        (unsigned)t->readMode > cudaReadModeNormalizedFloat) {
        return cudaErrorInvalidValue;
    }
    if (t->readMode == cudaReadModeNormalizedFloat && !is_float) {
        if (words) {
            return cudaErrorInvalidNormSetting;
        }
        layout->mode |= WR_TEXTURE_AS_FLOAT;
    }
    if (t->filterMode == cudaFilterModeLinear) {
        if (!is_float && !(layout->mode & WR_TEXTURE_AS_FLOAT)) {
            return cudaErrorInvalidFilterSetting;
        }
        layout->mode |= WR_TEXTURE_LINEAR;
    }
    if (t->sRGB) {
        return cudaErrorNotSupported;
    }
    layout->mode |= t->normalizedCoords ? WR_TEXTURE_NORMALIZED : 0;
    memcpy(layout->border, t->borderColor, sizeof layout->border);
    return cudaSuccess;
}

cudaError_t wr_surface_layout_of(const struct cudaResourceDesc *resource,
                                 struct wr_texture_layout *layout)
{
    if (resource->resType != cudaResourceTypeArray) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error = of_resource(resource, layout);
    return error || (wr_array_of(resource->res.array.array)->flags & cudaArraySurfaceLoadStore) != 0
               ? error
               : cudaErrorInvalidValue;
}

/* --- The GPU's memory ---------------------------------------------------------------------------
 */

cudaError_t wr_texture_write(uint64_t address, const void *data, size_t bytes)
{
    static uint64_t aside; /* a stream that waits for none, and none for it */
    wr_cuda_request stream = {.what = WR_CUDA_STREAM, .a = 0};
    cudaError_t error = aside ? cudaSuccess : wr_client_ask(&stream, NULL, &aside, NULL, NULL);
    wr_cuda_request request = {
        .what = WR_CUDA_WRITE, .stream = (uint32_t)aside, .a = address, .bytes = bytes};
    error = error ? error : wr_client_ask(&request, data, NULL, NULL, NULL);
    return error ? error : wr_client_tell(WR_CUDA_WAIT, aside, 1, 0, 0);
}

cudaError_t wr_texture_alloc(uint64_t *address)
{
    wr_cuda_request request = {.what = WR_CUDA_ALLOC, .a = sizeof(struct wr_texture_layout)};
    return wr_client_device() ? wr_client_ask(&request, NULL, address, NULL, NULL)
                              : cudaErrorNoDevice;
}

/* --- Objects ------------------------------------------------------------------------------------
 */

static object *find(uint64_t address, bool is_surface)
{
    object *o = NULL;
    HASH_FIND(hh, objects, &address, sizeof address, o);
    return o && o->is_surface == is_surface ? o : NULL;
}

static cudaError_t new_object(const object *what, const struct wr_texture_layout *layout,
                              uint64_t *address)
{
    object *o = malloc(sizeof *o);
    if (!o) {
        return cudaErrorMemoryAllocation;
    }
    *o = *what;
    cudaError_t error = wr_texture_alloc(&o->address);
    error = error ? error : wr_texture_write(o->address, layout, sizeof *layout);
    if (error) {
        free(o);
        return error;
    }
    HASH_ADD(hh, objects, address, sizeof o->address, o);
    *address = o->address;
    return cudaSuccess;
}

/* A kernel that runs may still read it. */
static cudaError_t destroy(uint64_t address, bool is_surface)
{
    object *o = find(address, is_surface);
    if (!o) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error = wr_client_wait(0, 0, 0);
    error = error ? error : wr_client_tell(WR_CUDA_FREE, 0, address, 0, 0);
    HASH_DEL(objects, o);
    free(o);
    return error;
}

static cudaError_t new_texture(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *texture,
                               const struct cudaResourceViewDesc *view)
{
    struct wr_texture_layout layout;
    uint64_t address = 0;
    if (!made || !resource || !texture) {
        return cudaErrorInvalidValue;
    }
    if (view && view->format != cudaResViewFormatNone) {
        return cudaErrorNotSupported;
    }
    const object what = {.resource = *resource, .texture = *texture};
    cudaError_t error = wr_texture_layout_of(resource, texture, &layout);
    error = error ? error : new_object(&what, &layout, &address);
    if (!error) {
        *made = address;
    }
    return error;
}

WR_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made,
                                           const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *texture,
                                           const struct cudaResourceViewDesc *view)
{
    wr_client_lock();
    return wr_client_unlock(new_texture(made, resource, texture, view));
}

WR_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    wr_client_lock();
    return wr_client_unlock(destroy(texture, false));
}

static cudaError_t resource_of(struct cudaResourceDesc *resource, uint64_t address, bool is_surface)
{
    const object *o = find(address, is_surface);
    if (!o || !resource) {
        return cudaErrorInvalidValue;
    }
    *resource = o->resource;
    return cudaSuccess;
}

WR_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaTextureObject_t texture)
{
    wr_client_lock();
    return wr_client_unlock(resource_of(resource, texture, false));
}

WR_API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
                                                   cudaTextureObject_t texture)
{
    wr_client_lock();
    const object *o = find(texture, false);
    if (!o || !desc) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    *desc = o->texture;
    return wr_client_unlock(cudaSuccess);
}

static cudaError_t new_surface(cudaSurfaceObject_t *made, const struct cudaResourceDesc *resource)
{
    struct wr_texture_layout layout;
    uint64_t address = 0;
    if (!made || !resource) {
        return cudaErrorInvalidValue;
    }
    const object what = {.resource = *resource, .is_surface = true};
    cudaError_t error = wr_surface_layout_of(resource, &layout);
    error = error ? error : new_object(&what, &layout, &address);
    if (!error) {
        *made = address;
    }
    return error;
}

WR_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made,
                                           const struct cudaResourceDesc *resource)
{
    wr_client_lock();
    return wr_client_unlock(new_surface(made, resource));
}

WR_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    wr_client_lock();
    return wr_client_unlock(destroy(surface, true));
}

WR_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaSurfaceObject_t surface)
{
    wr_client_lock();
    return wr_client_unlock(resource_of(resource, surface, true));
}
