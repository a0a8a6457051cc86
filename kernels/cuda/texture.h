/* SPDX-License-Identifier: Apache-2.0 */
/* Textures: tex1Dfetch to tex3D and the layered ones, of texture objects and of texture references.
 *
 * A fetch is code: the layout in memory (texture_layout.h) says how coordinates become texels, and
 * texels are read-only loads. Both filters, all address modes, coordinates of both kinds are as the
 * appendix "Texture Fetching" of CUDA's programming guide has them. What it leaves open: a
 * coordinate times a size is rounded to the nearest float, weights of 8 bits of fraction to the
 * nearest, halves up, and texels are added in the order of x, y, z by fused multiplications. A
 * coordinate that is no number is the lowest one.
 */
#ifndef WR_KERNELS_CUDA_TEXTURE_H
#define WR_KERNELS_CUDA_TEXTURE_H

#include "access.h"
#include "math.h"
#include "rounding.h"
#include "texture_layout.h"

/* --- Types of texels ----------------------------------------------------------------------------
 */

/* A value of 1, 2 or 4 channels, as channels: T is such a value, `of` the type of each. */
template <typename T> struct wr_texel;
#define WR_TEXEL_OF(type, channel, n, kind)                                                        \
    template <> struct wr_texel<type> {                                                            \
        typedef channel of;                                                                        \
        enum {                                                                                     \
            CHANNELS = n,                                                                          \
            FORMAT = (kind) |                                                                      \
                     (sizeof(channel) == 4   ? 2                                                   \
                      : sizeof(channel) == 2 ? 1                                                   \
                                             : 0)                                                  \
                         << WR_TEXTURE_BYTES_SHIFT |                                               \
                     ((n) / 2) << WR_TEXTURE_CHANNELS_SHIFT                                        \
        };                                                                                         \
    };
#define WR_TEXEL(channel, name, kind)                                                              \
    WR_TEXEL_OF(channel, channel, 1, kind)                                                         \
    WR_TEXEL_OF(name##1, channel, 1, kind)                                                         \
    WR_TEXEL_OF(name##2, channel, 2, kind)                                                         \
    WR_TEXEL_OF(name##4, channel, 4, kind)
WR_TEXEL_OF(char, signed char, 1, 0)
WR_TEXEL(signed char, char, 0)
WR_TEXEL(short, short, 0)
WR_TEXEL(int, int, 0)
WR_TEXEL(unsigned char, uchar, 1)
WR_TEXEL(unsigned short, ushort, 1)
WR_TEXEL(unsigned, uint, 1)
WR_TEXEL(float, float, 2)

/* The float of as many channels: what a texture of T gives that is read as normalised floats. */
template <int channels> struct wr_floats;
template <> struct wr_floats<1> {
    typedef float type;
};
template <> struct wr_floats<2> {
    typedef float2 type;
};
template <> struct wr_floats<4> {
    typedef float4 type;
};
template <typename T, enum cudaTextureReadMode mode> struct wr_read { typedef T type; };
template <typename T> struct wr_read<T, cudaReadModeNormalizedFloat> {
    typedef typename wr_floats<wr_texel<T>::CHANNELS>::type type;
};

/* --- The layout ---------------------------------------------------------------------------------
 */

/* Words of the layout. It does not change while a kernel runs, so that the compiler may load it
 * once for many fetches. */
WR_DEVICE ulonglong2 wr_texture_words(cudaTextureObject_t at)
{
    ulonglong2 got;

    __asm__("{ .reg .b64 at; cvta.to.global.u64 at, %2; ld.global.nc.v2.u64 {%0, %1}, [at]; }"
            : "=l"(got.x), "=l"(got.y)
            : "l"(at));
    return got;
}

WR_DEVICE wr_texture_layout wr_texture_of(cudaTextureObject_t object)
{
    const ulonglong2 words[3] = {wr_texture_words(object), wr_texture_words(object + 16),
                                 wr_texture_words(object + 32)};
    wr_texture_layout t;

    static_assert(sizeof t == sizeof words, "three loads of 16 bytes");
    __builtin_memcpy(&t, words, sizeof t);
    return t;
}

/* The object that a reference of the module is bound to, which the runtime keeps in its place. */
WR_DEVICE cudaTextureObject_t wr_object_at(const void *reference)
{
    cudaTextureObject_t object;

    __asm__("{ .reg .b64 at; cvta.to.global.u64 at, %1; ld.global.nc.u64 %0, [at]; }"
            : "=l"(object)
            : "l"(reference));
    return object;
}

/* --- Texels -------------------------------------------------------------------------------------
 */

WR_DEVICE unsigned wr_texel_bytes(unsigned mode)
{
    return 1u << ((mode >> WR_TEXTURE_BYTES_SHIFT & 3) + (mode >> WR_TEXTURE_CHANNELS_SHIFT & 3));
}

/* Its channels in 32 bits each, numbers with their sign; those that it has not are 0. A function of
 * its own: the way of texels whose type is not that of the fetch. */
static __device__ __attribute__((noinline)) uint4 wr_texel_channels(unsigned mode,
                                                                    unsigned long long at)
{
    const unsigned width = 8u << (mode >> WR_TEXTURE_BYTES_SHIFT & 3);
    const unsigned count = 1u << (mode >> WR_TEXTURE_CHANNELS_SHIFT & 3);
    unsigned words[4] = {0, 0, 0, 0}, channels[4] = {0, 0, 0, 0};

    switch (width * count) {
    case 8:
        words[0] = __ldg((const unsigned char *)at);
        break;
    case 16:
        words[0] = __ldg((const unsigned short *)at);
        break;
    case 32:
        words[0] = __ldg((const unsigned *)at);
        break;
    default:
        for (unsigned i = 0; i < 4; i++) {
            words[i] = 32 * i < width * count ? __ldg((const unsigned *)at + i) : 0;
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned bit = i * width;
        const unsigned left = (words[bit / 32 & 3] >> bit % 32) << (32 - width);
        const bool is_signed = (mode & WR_TEXTURE_KIND) == cudaChannelFormatKindSigned;

        if (i < count) {
            channels[i] = is_signed ? (unsigned)((int)left >> (32 - width)) : left >> (32 - width);
        }
    }
    return {channels[0], channels[1], channels[2], channels[3]};
}

/* A channel as a number: of halves and normalised integers; a float, or what is read as its bits,
 * as it is. */
WR_DEVICE float wr_channel_number(unsigned mode, unsigned bits)
{
    const unsigned log2 = mode >> WR_TEXTURE_BYTES_SHIFT & 3;

    if ((mode & WR_TEXTURE_KIND) == cudaChannelFormatKindFloat && log2 == 1) {
        float number;

        __asm__("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"((unsigned short)bits));
        return number;
    }
    if (!(mode & WR_TEXTURE_AS_FLOAT)) {
        return __uint_as_float(bits);
    }
    if ((mode & WR_TEXTURE_KIND) == cudaChannelFormatKindUnsigned) {
        return __fdiv_rn(__uint2float_rn(bits), log2 == 1 ? 65535.0f : 255.0f);
    }
    return fmaxf(__fdiv_rn(__int2float_rn((int)bits), log2 == 1 ? 32767.0f : 127.0f), -1.0f);
}

/* The channel of each type of result. */
template <typename C> WR_DEVICE void wr_channel(C *to, unsigned, unsigned bits)
{
    *to = (C)bits;
}
WR_DEVICE void wr_channel(float *to, unsigned mode, unsigned bits)
{
    *to = wr_channel_number(mode, bits);
}

template <typename T> WR_DEVICE T wr_texel_of(const typename wr_texel<T>::of *channels)
{
    T value;

    __builtin_memcpy(&value, channels, sizeof value);
    return value;
}

/* The texel at these bytes: one load where T is its type. */
template <typename T> WR_DEVICE T wr_texel_at(const wr_texture_layout &t, unsigned offset)
{
    const unsigned long long at = t.data + offset;

    if ((t.mode & (WR_TEXTURE_FORMAT | WR_TEXTURE_AS_FLOAT)) == wr_texel<T>::FORMAT) {
        return __ldg((const T *)at);
    }
    const uint4 bits = wr_texel_channels(t.mode, at);
    typename wr_texel<T>::of channels[4];

    wr_channel(&channels[0], t.mode, bits.x);
    wr_channel(&channels[1], t.mode, bits.y);
    wr_channel(&channels[2], t.mode, bits.z);
    wr_channel(&channels[3], t.mode, bits.w);
    return wr_texel_of<T>(channels);
}

/* What a border gives: its colour, of integers as their numbers. */
template <typename T> WR_DEVICE T wr_border(const wr_texture_layout &t)
{
    const typename wr_texel<T>::of channels[4] = {
        (typename wr_texel<T>::of)t.border[0], (typename wr_texel<T>::of)t.border[1],
        (typename wr_texel<T>::of)t.border[2], (typename wr_texel<T>::of)t.border[3]};
    return wr_texel_of<T>(channels);
}

/* --- Coordinates --------------------------------------------------------------------------------
 */

enum { WR_OUTSIDE = -1 };

WR_DEVICE unsigned wr_address_mode(unsigned mode, int axis)
{
    return mode >> (WR_TEXTURE_ADDRESS_SHIFT + 2 * axis) & 3;
}

/* In texels, within -1 to the size; wrapped or mirrored where it is normalised. */
WR_DEVICE float wr_coordinate(float x, unsigned size, unsigned mode, int axis)
{
    const unsigned way = wr_address_mode(mode, axis);

    if (mode & WR_TEXTURE_NORMALIZED) {
        if (way == cudaAddressModeWrap || way == cudaAddressModeMirror) {
            const float whole = floorf(x);

            x = fminf(x - whole, 0x1.fffffep-1f); /* the difference may be rounded up to 1 */
            if (way == cudaAddressModeMirror && whole != 2 * floorf(whole / 2)) {
                x = 1 - x;
            }
        }
        x = __fmul_rn(x, (float)size);
    }
    return x;
}

WR_DEVICE float wr_within(float x, unsigned size)
{
    return fminf(fmaxf(x, -1.0f), (float)size);
}

/* Of -1 to the size. */
WR_DEVICE int wr_index(int i, unsigned size, unsigned mode, int axis)
{
    const unsigned way = wr_address_mode(mode, axis);
    const int n = (int)size;

    if (way == cudaAddressModeWrap) {
        return i < 0 ? i + n : i >= n ? i - n : i;
    }
    if (way == cudaAddressModeBorder) {
        return i >= n ? WR_OUTSIDE : i;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* The texels of an axis that a fetch takes: one, or two and the second one's weight. */
struct wr_taps {
    int at[2];
    float weight;
};
WR_DEVICE wr_taps wr_taps_of(float x, unsigned size, unsigned mode, int axis)
{
    const float texels = wr_coordinate(x, size, mode, axis);

    if (!(mode & WR_TEXTURE_LINEAR)) {
        const int i = __float2int_rd(wr_within(texels, size));
        return {{wr_index(i, size, mode, axis), 0}, 0};
    }
    const float from = wr_within(texels - 0.5f, size), whole = floorf(from);
    const int i = (int)whole;
    return {{wr_index(i, size, mode, axis), wr_index(i == (int)size ? i : i + 1, size, mode, axis)},
            floorf((from - whole) * 256 + 0.5f) * 0x1p-8f};
}

/* --- Filters ------------------------------------------------------------------------------------
 */

WR_DEVICE float wr_weighted(float sum, float weight, float value)
{
    return __fmaf_rn(weight, value, sum);
}
WR_DEVICE float1 wr_weighted(float1 sum, float weight, float1 value)
{
    return {wr_weighted(sum.x, weight, value.x)};
}
WR_DEVICE float2 wr_weighted(float2 sum, float weight, float2 value)
{
    return {wr_weighted(sum.x, weight, value.x), wr_weighted(sum.y, weight, value.y)};
}
WR_DEVICE float4 wr_weighted(float4 sum, float weight, float4 value)
{
    return {wr_weighted(sum.x, weight, value.x), wr_weighted(sum.y, weight, value.y),
            wr_weighted(sum.z, weight, value.z), wr_weighted(sum.w, weight, value.w)};
}
/* Integers are not filtered: the runtime makes no such texture. */
template <typename T> WR_DEVICE T wr_weighted(T, float, T value)
{
    return value;
}

template <typename T> WR_DEVICE T wr_fetch(const wr_texture_layout &t, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0) {
        return wr_border<T>(t);
    }
    return wr_texel_at<T>(t, (unsigned)z * t.slice + (unsigned)y * t.pitch +
                                 (unsigned)x * wr_texel_bytes(t.mode));
}

/* Of `axes` coordinates; the plane of a layer is given in place of z. */
template <typename T, int axes>
WR_DEVICE T wr_sample(const wr_texture_layout &t, float x, float y, float z, int layer)
{
    const wr_taps none = {{0, 0}, 0};
    const wr_taps of_x = wr_taps_of(x, t.width, t.mode, 0);
    const wr_taps of_y = axes > 1 ? wr_taps_of(y, t.height, t.mode, 1) : none;
    const wr_taps of_z = axes > 2 ? wr_taps_of(z, t.depth, t.mode, 2) : wr_taps{{layer, 0}, 0};

    if (!(t.mode & WR_TEXTURE_LINEAR)) {
        return wr_fetch<T>(t, of_x.at[0], of_y.at[0], of_z.at[0]);
    }
    T sum = {};
#pragma unroll
    for (int tap = 0; tap < 1 << axes; tap++) {
        const int i = tap & 1, j = tap >> 1 & 1, k = tap >> 2 & 1;
        const float weight = (i ? of_x.weight : 1 - of_x.weight) *
                             (j ? of_y.weight : 1 - of_y.weight) *
                             (k ? of_z.weight : 1 - of_z.weight);

        sum = wr_weighted(sum, weight, wr_fetch<T>(t, of_x.at[i], of_y.at[j], of_z.at[k]));
    }
    return sum;
}

WR_DEVICE int wr_layer(const wr_texture_layout &t, int layer)
{
    return layer < 0 ? 0 : layer >= (int)t.depth ? (int)t.depth - 1 : layer;
}

/* --- Of objects ---------------------------------------------------------------------------------
 */

template <typename T> WR_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x)
{
    const wr_texture_layout t = wr_texture_of(object);

    return wr_fetch<T>(t, (unsigned)x < t.width ? x : WR_OUTSIDE, 0, 0);
}
template <typename T> WR_DEVICE T tex1D(cudaTextureObject_t object, float x)
{
    return wr_sample<T, 1>(wr_texture_of(object), x, 0, 0, 0);
}
template <typename T> WR_DEVICE T tex2D(cudaTextureObject_t object, float x, float y)
{
    return wr_sample<T, 2>(wr_texture_of(object), x, y, 0, 0);
}
template <typename T> WR_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z)
{
    return wr_sample<T, 3>(wr_texture_of(object), x, y, z, 0);
}
template <typename T> WR_DEVICE T tex1DLayered(cudaTextureObject_t object, float x, int layer)
{
    const wr_texture_layout t = wr_texture_of(object);

    return wr_sample<T, 1>(t, x, 0, 0, wr_layer(t, layer));
}
template <typename T>
WR_DEVICE T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer)
{
    const wr_texture_layout t = wr_texture_of(object);

    return wr_sample<T, 2>(t, x, y, 0, wr_layer(t, layer));
}

/* A cube's faces are layers: +x, -x, +y, -y, +z, -z. The axis on which the direction is longest
 * chooses, and the others, seen from the centre, are coordinates from -1 to 1 on the face. */
template <typename T>
WR_DEVICE T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer)
{
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const bool on_x = ax >= ay && ax >= az, on_y = !on_x && ay >= az;
    const float major = on_x ? x : on_y ? y : z, length = fabsf(major), sign = major < 0 ? -1 : 1;
    const float s = on_x ? -sign * z : on_y ? x : sign * x, t = on_y ? sign * z : -y;
    const int face = (on_x ? 0 : on_y ? 2 : 4) + (major < 0);

    return tex2DLayered<T>(object, (__fdiv_rn(s, length) + 1) / 2, (__fdiv_rn(t, length) + 1) / 2,
                           6 * layer + face);
}
template <typename T> WR_DEVICE T texCubemap(cudaTextureObject_t object, float x, float y, float z)
{
    return texCubemapLayered<T>(object, x, y, z, 0);
}

/* A texture has one level, which every level of detail and every gradient chooses. */
template <typename T> WR_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float)
{
    return tex1D<T>(object, x);
}
template <typename T> WR_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float)
{
    return tex2D<T>(object, x, y);
}
template <typename T>
WR_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float)
{
    return tex3D<T>(object, x, y, z);
}
template <typename T> WR_DEVICE T tex1DGrad(cudaTextureObject_t object, float x, float, float)
{
    return tex1D<T>(object, x);
}
template <typename T>
WR_DEVICE T tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2)
{
    return tex2D<T>(object, x, y);
}

/* The forms whose result is the first argument. */
#define WR_TEXTURE_TO(name, parameters, ...)                                                       \
    template <typename T> WR_DEVICE void name parameters                                           \
    {                                                                                              \
        *to = name<T>(__VA_ARGS__);                                                                \
    }
WR_TEXTURE_TO(tex1Dfetch, (T * to, cudaTextureObject_t object, int x), object, x)
WR_TEXTURE_TO(tex1D, (T * to, cudaTextureObject_t object, float x), object, x)
WR_TEXTURE_TO(tex2D, (T * to, cudaTextureObject_t object, float x, float y), object, x, y)
WR_TEXTURE_TO(tex3D, (T * to, cudaTextureObject_t object, float x, float y, float z), object, x, y,
              z)
WR_TEXTURE_TO(tex1DLayered, (T * to, cudaTextureObject_t object, float x, int layer), object, x,
              layer)
WR_TEXTURE_TO(tex2DLayered, (T * to, cudaTextureObject_t object, float x, float y, int layer),
              object, x, y, layer)
WR_TEXTURE_TO(texCubemap, (T * to, cudaTextureObject_t object, float x, float y, float z), object,
              x, y, z)

/* --- Of references ------------------------------------------------------------------------------
 */

#define WR_TEXTURE_REFERENCE(name, parameters, ...)                                                \
    template <typename T, enum cudaTextureReadMode mode>                                           \
    WR_DEVICE typename wr_read<T, mode>::type name parameters                                      \
    {                                                                                              \
        return name<typename wr_read<T, mode>::type>(wr_object_at(&of), __VA_ARGS__);              \
    }
#define WR_REFERENCE(dimensions) const texture<T, dimensions, mode> &of
WR_TEXTURE_REFERENCE(tex1Dfetch, (WR_REFERENCE(cudaTextureType1D), int x), x)
WR_TEXTURE_REFERENCE(tex1D, (WR_REFERENCE(cudaTextureType1D), float x), x)
WR_TEXTURE_REFERENCE(tex2D, (WR_REFERENCE(cudaTextureType2D), float x, float y), x, y)
WR_TEXTURE_REFERENCE(tex3D, (WR_REFERENCE(cudaTextureType3D), float x, float y, float z), x, y, z)
WR_TEXTURE_REFERENCE(tex1DLayered, (WR_REFERENCE(cudaTextureType1DLayered), float x, int layer), x,
                     layer)
WR_TEXTURE_REFERENCE(tex2DLayered,
                     (WR_REFERENCE(cudaTextureType2DLayered), float x, float y, int layer), x, y,
                     layer)
WR_TEXTURE_REFERENCE(texCubemap, (WR_REFERENCE(cudaTextureTypeCubemap), float x, float y, float z),
                     x, y, z)
WR_TEXTURE_REFERENCE(tex1DLod, (WR_REFERENCE(cudaTextureType1D), float x, float l), x, l)
WR_TEXTURE_REFERENCE(tex2DLod, (WR_REFERENCE(cudaTextureType2D), float x, float y, float l), x, y,
                     l)
WR_TEXTURE_REFERENCE(tex3DLod,
                     (WR_REFERENCE(cudaTextureType3D), float x, float y, float z, float l), x, y, z,
                     l)

#endif
