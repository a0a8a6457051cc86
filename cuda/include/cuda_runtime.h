/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA of warpref for whole programs: device and host, for clang without a toolkit (docs/cuda.md).
 * `warpref cc` includes it in front of every .cu file, as nvcc does; in other files, of C or C++,
 * it has the host's side alone.
 */
#ifndef WR_CUDA_RUNTIME_H
#define WR_CUDA_RUNTIME_H

#define __CUDA_RUNTIME_H__ /* helper headers ask for it */

#ifdef __CUDA__
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
#define WR_HOSTED            /* the host's own headers stand beside these */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __managed__                                                                                \
    _Pragma("GCC error \"clang has no __managed__ variables: use cudaMallocManaged\"")
#include "cuda/access.h"
#include "cuda/atomic.h"
#include "cuda/integer.h"
#include "cuda/math.h"
#include "cuda/qualifiers.h"
#include "cuda/rounding.h"
#include "cuda/services.h" /* beside the host's functions of these names */
#include "cuda/simd.h"
#include "cuda/spaces.h"
#include "cuda/vector_types.h"
#include "cuda/warp.h"

static inline __device__ void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(message, file, line, function, 1);
}

/* Device math by the standard library's names: before its headers, whose own would else be taken
 * for functions of both sides. */
namespace std {
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::asin;
using ::asinf;
using ::asinh;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logf;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::powf;
using ::remainder;
using ::remquo;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbn;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::trunc;
using ::truncf;
} // namespace std
#endif

#ifdef __cplusplus
#include <math.h>
#include <new> /* with it clang has new and delete for kernels */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __CUDA__
/* Functions that nvcc has on the host as well. */
static inline __host__ double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static inline __host__ float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
#endif
#endif

#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "texture_reference.h"
#endif
#ifdef __CUDA__
#include "cuda/surface.h"
#include "cuda/texture.h"
#endif

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent extent = {width, height, depth};
    return extent;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos pos = {x, y, z};
    return pos;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *at, size_t pitch, size_t x, size_t y)
{
    struct cudaPitchedPtr pitched = {at, pitch, x, y};
    return pitched;
}

/* CUDA's forms by type. */
#ifdef __cplusplus
template <typename T> static inline cudaError_t cudaMalloc(T **at, size_t bytes)
{
    return cudaMalloc((void **)at, bytes);
}
template <typename T> static inline cudaError_t cudaMallocHost(T **at, size_t bytes, unsigned = 0)
{
    return cudaMallocHost((void **)at, bytes);
}
template <typename T> static inline cudaError_t cudaHostAlloc(T **at, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)at, bytes, flags);
}
template <typename T>
static inline cudaError_t cudaMallocManaged(T **at, size_t bytes,
                                            unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)at, bytes, flags);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T **at, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)at, pitch, width, height);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **at, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)at, bytes, stream);
}
template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> static inline cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    return cudaGetSymbolAddress(at, (const void *)&symbol);
}
template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
#define WR_OF_FUNCTION(name, parameters, ...)                                                      \
    template <typename T> static inline cudaError_t name parameters                                \
    {                                                                                              \
        return name(__VA_ARGS__);                                                                  \
    }
WR_OF_FUNCTION(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, T *function),
               attributes, (const void *)function)
WR_OF_FUNCTION(cudaFuncSetAttribute, (T * function, enum cudaFuncAttribute attribute, int value),
               (const void *)function, attribute, value)
WR_OF_FUNCTION(cudaFuncSetCacheConfig, (T * function, enum cudaFuncCache config),
               (const void *)function, config)
WR_OF_FUNCTION(cudaFuncSetSharedMemConfig, (T * function, enum cudaSharedMemConfig config),
               (const void *)function, config)
WR_OF_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
               (int *blocks, T function, int threads, size_t shared), blocks,
               (const void *)function, threads, shared)
WR_OF_FUNCTION(cudaLaunchKernel,
               (T * function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                cudaStream_t stream = 0),
               (const void *)function, grid, block, arguments, shared, stream)
WR_OF_FUNCTION(cudaLaunchCooperativeKernel,
               (T * function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                cudaStream_t stream = 0),
               (const void *)function, grid, block, arguments, shared, stream)

/* The block size with which most threads are on an SM, the smaller one of two that are alike, and
 * the grid that fills the GPU with it. */
template <typename T, typename Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                         T function, Shared shared,
                                                                         int most = 0)
{
    int sms = 0, limit = 0, best = 0;
    struct cudaFuncAttributes attributes = {};
    /* an error is to be the thread's last one: a call that gives it notes it */
    cudaError_t error = !grid || !block || most < 0
                            ? cudaFuncGetAttributes(NULL, (const void *)function)
                            : cudaFuncGetAttributes(&attributes, (const void *)function);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    }
    limit = attributes.maxThreadsPerBlock;
    limit = most > 0 && most < limit ? most : limit;
    for (int size = limit; error == cudaSuccess && size > 0; size = (size - 1) / 32 * 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, size,
                                                              shared(size));
        if (blocks * size > best) {
            best = blocks * size;
            *block = size;
            *grid = blocks * sms;
        }
    }
    return error;
}
struct wr_cuda_same_shared {
    size_t bytes;
    size_t operator()(int) const
    {
        return bytes;
    }
};
template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function,
                                                             size_t shared = 0, int most = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function,
                                                          wr_cuda_same_shared{shared}, most);
}
#endif

#endif
