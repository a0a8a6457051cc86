/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references, channel descriptors by type, and CUDA's forms of the binding
 * functions by type: for C++. Clang makes of a reference in a .cu file a variable of the host, with
 * the fields of its base, and one of the GPU with 8 bytes, where the runtime puts the object.
 */
#ifndef WR_CUDA_TEXTURE_REFERENCE_H
#define WR_CUDA_TEXTURE_REFERENCE_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

#ifdef __CUDA__
#define WR_TEXTURE_TYPE __attribute__((device_builtin_texture_type))
#define WR_SURFACE_TYPE __attribute__((device_builtin_surface_type))
#else
#define WR_TEXTURE_TYPE
#define WR_SURFACE_TYPE
#endif

/* Bits of the channels of a type, and what they are. */
template <typename T> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return {0, 0, 0, 0, cudaChannelFormatKindNone};
}
#define WR_CHANNELS_OF(type, bits, kind, x, y, z, w)                                               \
    template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<type>(void) {            \
        return {(bits) * (x), (bits) * (y), (bits) * (z), (bits) * (w), kind};                     \
    }
#define WR_CHANNELS(type, name, bits, kind)                                                        \
    WR_CHANNELS_OF(type, bits, kind, 1, 0, 0, 0)                                                   \
    WR_CHANNELS_OF(name##1, bits, kind, 1, 0, 0, 0)                                                \
    WR_CHANNELS_OF(name##2, bits, kind, 1, 1, 0, 0)                                                \
    WR_CHANNELS_OF(name##4, bits, kind, 1, 1, 1, 1)
WR_CHANNELS_OF(char, 8, cudaChannelFormatKindSigned, 1, 0, 0, 0)
WR_CHANNELS(signed char, char, 8, cudaChannelFormatKindSigned)
WR_CHANNELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
WR_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
WR_CHANNELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
WR_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
WR_CHANNELS(unsigned, uint, 32, cudaChannelFormatKindUnsigned)
WR_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
    return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
    return cudaCreateChannelDescHalf();
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
    return {16, 16, 0, 0, cudaChannelFormatKindFloat};
}
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
    return {16, 16, 16, 16, cudaChannelFormatKindFloat};
}

template <typename T, int dimensions = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct WR_TEXTURE_TYPE texture : public textureReference {
    texture(int is_normalized = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
            enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference()
    {
        normalized = is_normalized;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = cudaCreateChannelDesc<T>();
    }
    texture(int is_normalized, enum cudaTextureFilterMode filter,
            enum cudaTextureAddressMode address, struct cudaChannelFormatDesc desc)
        : texture(is_normalized, filter, address)
    {
        channelDesc = desc;
    }
};
template <typename T, int dimensions = cudaSurfaceType1D>
struct WR_SURFACE_TYPE surface : public surfaceReference {
};
template <int dimensions>
struct WR_SURFACE_TYPE surface<void, dimensions> : public surfaceReference {
};

template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &of,
                                          const void *at, const struct cudaChannelFormatDesc &desc,
                                          size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, (const textureReference *)&of, at, &desc, bytes);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &of,
                                          const void *at, size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, of, at, of.channelDesc, bytes);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &of,
                                            const void *at,
                                            const struct cudaChannelFormatDesc &desc, size_t width,
                                            size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, (const textureReference *)&of, at, &desc, width, height,
                             pitch);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &of,
                                            const void *at, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, of, at, of.channelDesc, width, height, pitch);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &of,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &desc)
{
    return cudaBindTextureToArray((const textureReference *)&of, array, &desc);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &of,
                                                 cudaArray_const_t array)
{
    return cudaBindTextureToArray((const textureReference *)&of, array, 0);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode> &of)
{
    return cudaUnbindTexture((const textureReference *)&of);
}
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                        const texture<T, dimensions, mode> &of)
{
    return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&of);
}
template <typename T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &of,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &desc)
{
    return cudaBindSurfaceToArray((const surfaceReference *)&of, array, &desc);
}
template <typename T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &of,
                                                 cudaArray_const_t array)
{
    return cudaBindSurfaceToArray((const surfaceReference *)&of, array, 0);
}

#endif

#endif
