/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces: reads and writes of texels of an array as they are, by byte in x and by row and plane
 * in y and z, of surface objects and of surface references.
 */
#ifndef WR_KERNELS_CUDA_SURFACE_H
#define WR_KERNELS_CUDA_SURFACE_H

#include "texture.h"

/* Where the value is; 0: it is outside and neither read nor written. */
WR_DEVICE unsigned long long wr_surface_at(const wr_texture_layout &t, int x, int y, int z,
                                           int bytes, enum cudaSurfaceBoundaryMode mode)
{
    const int most_x = (int)(t.width * wr_texel_bytes(t.mode)) - bytes;
    const int most_y = (int)t.height - 1, most_z = (int)t.depth - 1;

    if (x < 0 || x > most_x || y < 0 || y > most_y || z < 0 || z > most_z) {
        if (mode == cudaBoundaryModeTrap) {
            __trap();
        }
        if (mode == cudaBoundaryModeZero) {
            return 0;
        }
        x = max(0, min(x, most_x));
        y = max(0, min(y, most_y));
        z = max(0, min(z, most_z));
    }
    return t.data + (unsigned)z * t.slice + (unsigned)y * t.pitch + (unsigned)x;
}

template <typename T>
WR_DEVICE T wr_surface_read(cudaSurfaceObject_t object, int x, int y, int z,
                            enum cudaSurfaceBoundaryMode mode)
{
    const unsigned long long at =
        wr_surface_at(wr_texture_of(object), x, y, z, (int)sizeof(T), mode);
    T value = {};

    return at ? __ldca((const T *)at) : value;
}
template <typename T>
WR_DEVICE void wr_surface_write(T value, cudaSurfaceObject_t object, int x, int y, int z,
                                enum cudaSurfaceBoundaryMode mode)
{
    const unsigned long long at =
        wr_surface_at(wr_texture_of(object), x, y, z, (int)sizeof(T), mode);

    if (at) {
        __stwb((T *)at, value);
    }
}

/* Each function of objects, the form whose result is an argument, and that of references. The type
 * of a reference is void or its texels'. */
#define WR_SURFACE(kind, dimensions, parameters, ...)                                              \
    template <typename T>                                                                          \
    WR_DEVICE T surf##kind##read(cudaSurfaceObject_t object, WR_SURFACE_LIST parameters,           \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        return wr_surface_read<T>(object, __VA_ARGS__, mode);                                      \
    }                                                                                              \
    template <typename T>                                                                          \
    WR_DEVICE void surf##kind##read(T *to, cudaSurfaceObject_t object, WR_SURFACE_LIST parameters, \
                                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        *to = wr_surface_read<T>(object, __VA_ARGS__, mode);                                       \
    }                                                                                              \
    template <typename T>                                                                          \
    WR_DEVICE void surf##kind##write(T value, cudaSurfaceObject_t object,                          \
                                     WR_SURFACE_LIST parameters,                                   \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)     \
    {                                                                                              \
        wr_surface_write<T>(value, object, __VA_ARGS__, mode);                                     \
    }                                                                                              \
    template <typename T, typename S>                                                              \
    WR_DEVICE T surf##kind##read(const surface<S, dimensions> &of, WR_SURFACE_LIST parameters,     \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        return wr_surface_read<T>(wr_object_at(&of), __VA_ARGS__, mode);                           \
    }                                                                                              \
    template <typename T, typename S>                                                              \
    WR_DEVICE void surf##kind##read(T *to, const surface<S, dimensions> &of,                       \
                                    WR_SURFACE_LIST parameters,                                    \
                                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        *to = wr_surface_read<T>(wr_object_at(&of), __VA_ARGS__, mode);                            \
    }                                                                                              \
    template <typename T, typename S>                                                              \
    WR_DEVICE void surf##kind##write(T value, const surface<S, dimensions> &of,                    \
                                     WR_SURFACE_LIST parameters,                                   \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)     \
    {                                                                                              \
        wr_surface_write<T>(value, wr_object_at(&of), __VA_ARGS__, mode);                          \
    }
#define WR_SURFACE_LIST(...) __VA_ARGS__
WR_SURFACE(1D, cudaSurfaceType1D, (int x), x, 0, 0)
WR_SURFACE(2D, cudaSurfaceType2D, (int x, int y), x, y, 0)
WR_SURFACE(3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
WR_SURFACE(1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, 0, layer)
WR_SURFACE(2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)

#endif
