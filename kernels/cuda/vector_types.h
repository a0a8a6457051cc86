/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's vector types: char1 to double4, each with make_<type>, aligned as in CUDA: of 2 and 4
 * elements to their whole size, 16 bytes at most; of 3 as one element. C has them too, without the
 * constructors and conversions of dim3.
 */
#ifndef WR_KERNELS_CUDA_VECTOR_TYPES_H
#define WR_KERNELS_CUDA_VECTOR_TYPES_H

#include "qualifiers.h"

#define WR_WHOLE(n, type)                                                                          \
    __attribute__((aligned((n) * sizeof(type) < 16 ? (n) * sizeof(type) : 16)))
#ifdef __cplusplus
#define WR_VALUE(type) type
#else
#define WR_VALUE(type) (type)
#endif

#define WR_VECTORS(type, name)                                                                     \
    typedef struct name##1                                                                         \
    {                                                                                              \
        type x;                                                                                    \
    }                                                                                              \
    name##1;                                                                                       \
    typedef struct WR_WHOLE(2, type) name##2                                                       \
    {                                                                                              \
        type x, y;                                                                                 \
    }                                                                                              \
    name##2;                                                                                       \
    typedef struct name##3                                                                         \
    {                                                                                              \
        type x, y, z;                                                                              \
    }                                                                                              \
    name##3;                                                                                       \
    typedef struct WR_WHOLE(4, type) name##4                                                       \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    }                                                                                              \
    name##4;                                                                                       \
    static inline __host__ __device__ name##1 make_##name##1(type x)                               \
    {                                                                                              \
        return WR_VALUE(name##1){x};                                                               \
    }                                                                                              \
    static inline __host__ __device__ name##2 make_##name##2(type x, type y)                       \
    {                                                                                              \
        return WR_VALUE(name##2){x, y};                                                            \
    }                                                                                              \
    static inline __host__ __device__ name##3 make_##name##3(type x, type y, type z)               \
    {                                                                                              \
        return WR_VALUE(name##3){x, y, z};                                                         \
    }                                                                                              \
    static inline __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)       \
    {                                                                                              \
        return WR_VALUE(name##4){x, y, z, w};                                                      \
    }

WR_VECTORS(signed char, char)
WR_VECTORS(unsigned char, uchar)
WR_VECTORS(short, short)
WR_VECTORS(unsigned short, ushort)
WR_VECTORS(int, int)
WR_VECTORS(unsigned, uint)
WR_VECTORS(long, long)
WR_VECTORS(unsigned long, ulong)
WR_VECTORS(long long, longlong)
WR_VECTORS(unsigned long long, ulonglong)
WR_VECTORS(float, float)
WR_VECTORS(double, double)

#ifndef __cplusplus
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
#else
struct dim3 {
    unsigned x, y, z;

    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const
    {
        return {x, y, z};
    }
};
#endif

#ifdef __CUDA__
inline __device__ wr_tid::operator uint3() const
{
    return {x, y, z};
}
inline __device__ wr_ctaid::operator uint3() const
{
    return {x, y, z};
}
inline __device__ wr_ntid::operator dim3() const
{
    return dim3(x, y, z);
}
inline __device__ wr_nctaid::operator dim3() const
{
    return dim3(x, y, z);
}
#endif

#endif
