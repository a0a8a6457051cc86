/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUDA C that our kernels use, for clang without a CUDA toolkit.
 *
 * Special registers are properties, so `threadIdx.x` becomes one read of %tid.x.
 */
#ifndef WR_KERNELS_CUDA_H
#define WR_KERNELS_CUDA_H

#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))

/* In place of clang's builtin: at -O2 clang 14 takes it for one that touches no shared variable
 * (LLVM issue 58626) and so drops writes before it that other threads read behind it. */
#define __syncthreads() __asm__ volatile("bar.sync 0;" ::: "memory")

#define WR_SREG(axis, name)                                                                        \
    __declspec(property(get = get_##axis)) unsigned axis;                                          \
    static inline __device__ unsigned get_##axis()                                                 \
    {                                                                                              \
        return __nvvm_read_ptx_sreg_##name##_##axis();                                             \
    }
#define WR_DIM3(var, name)                                                                         \
    struct wr_##name {                                                                             \
        WR_SREG(x, name)                                                                           \
        WR_SREG(y, name)                                                                           \
        WR_SREG(z, name)                                                                           \
    };                                                                                             \
    static const __device__ wr_##name var = {};

WR_DIM3(threadIdx, tid)
WR_DIM3(blockIdx, ctaid)
WR_DIM3(blockDim, ntid)
WR_DIM3(gridDim, nctaid)

static inline __device__ int min(int a, int b)
{
    return a < b ? a : b;
}
static inline __device__ int max(int a, int b)
{
    return a > b ? a : b;
}

static inline __device__ float sqrtf(float x)
{
    return __nvvm_sqrt_rn_f(x);
}
static inline __device__ float __sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}
static inline __device__ float __cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}
/* 2 to the power x. */
static inline __device__ float exp2f(float x)
{
    return __nvvm_ex2_approx_f(x);
}
/* Of base 2; this is CUDA's fast form. */
static inline __device__ float __log2f(float x)
{
    return __nvvm_lg2_approx_f(x);
}

static inline __device__ int atomicAdd(int *at, int value)
{
    return __nvvm_atom_add_gen_i(at, value);
}

static inline __device__ int atomicMin(int *at, int value)
{
    return __nvvm_atom_min_gen_i(at, value);
}
static inline __device__ int atomicMax(int *at, int value)
{
    return __nvvm_atom_max_gen_i(at, value);
}
static inline __device__ int atomicOr(int *at, int value)
{
    return __nvvm_atom_or_gen_i(at, value);
}

/* What the machine itself does (docs/launch.md): printf, a heap, and assertions. */
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(__SIZE_TYPE__ bytes);
extern "C" __device__ void free(void *block);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line,
                                        const char *function, __SIZE_TYPE__ char_bytes);
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))

#endif
