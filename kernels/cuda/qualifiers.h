/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's qualifiers, built-in variables, barriers and fences; for a compiler of the host alone the
 * qualifiers are nothing.
 *
 * Special registers are properties, so `threadIdx.x` becomes one read of %tid.x. As a whole a
 * built-in variable becomes a uint3 or a dim3 (vector_types.h).
 */
#ifndef WR_KERNELS_CUDA_QUALIFIERS_H
#define WR_KERNELS_CUDA_QUALIFIERS_H

#ifndef __CUDA__
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
#define __launch_bounds__(...)
#else

#define __global__      __attribute__((global))
#define __device__      __attribute__((device))
#define __host__        __attribute__((host))
#define __shared__      __attribute__((shared))
#define __constant__    __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#ifdef WR_HOSTED
#define __noinline__ /* libstdc++ writes __attribute__((__noinline__)) */
#else
#define __noinline__ __attribute__((noinline))
#endif
#define __grid_constant__
#define __builtin_align__(n)   __align__(n)
#define __align__(n)           __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* Of all functions of these headers. */
#define WR_DEVICE              static inline __device__
#define WR_SIDES               static inline __host__ __device__

/* A pointer as an operand of asm. */
#if __SIZEOF_POINTER__ == 8
#define WR_POINTER_BITS "64"
#define WR_POINTER(p)   "l"(p)
#else
#define WR_POINTER_BITS "32"
#define WR_POINTER(p)   "r"(p)
#endif

struct uint3;
struct dim3;

#define WR_SREG(axis, name)                                                                        \
    __declspec(property(get = get_##axis)) unsigned axis;                                          \
    static inline __device__ unsigned get_##axis()                                                 \
    {                                                                                              \
        return __nvvm_read_ptx_sreg_##name##_##axis();                                             \
    }
#define WR_BUILT_IN(var, name, whole)                                                              \
    struct wr_##name {                                                                             \
        WR_SREG(x, name)                                                                           \
        WR_SREG(y, name)                                                                           \
        WR_SREG(z, name)                                                                           \
        inline __device__ operator whole() const;                                                  \
    };                                                                                             \
    static const __device__ wr_##name var = {};

WR_BUILT_IN(threadIdx, tid, uint3)
WR_BUILT_IN(blockIdx, ctaid, uint3)
WR_BUILT_IN(blockDim, ntid, dim3)
WR_BUILT_IN(gridDim, nctaid, dim3)

enum { warpSize = 32 };

/* In place of clang's builtin: at -O2 clang 14 takes it for one that touches no shared variable
 * (LLVM issue 58626) and so drops writes before it that other threads read behind it. */
#define __syncthreads() __asm__ volatile("bar.sync 0;" ::: "memory")

/* A barrier that says of how many threads, of all, of any of the block the predicate holds. */
WR_DEVICE int __syncthreads_count(int predicate)
{
    int count;

    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                     : "=r"(count)
                     : "r"(predicate)
                     : "memory");
    return count;
}
#define WR_BARRIER_OF(name, op)                                                                    \
    WR_DEVICE int name(int predicate)                                                              \
    {                                                                                              \
        int holds;                                                                                 \
                                                                                                   \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." op                    \
                         ".pred q, 0, p; selp.s32 %0, 1, 0, q; }"                                  \
                         : "=r"(holds)                                                             \
                         : "r"(predicate)                                                          \
                         : "memory");                                                              \
        return holds;                                                                              \
    }
WR_BARRIER_OF(__syncthreads_and, "and")
WR_BARRIER_OF(__syncthreads_or, "or")

WR_DEVICE void __threadfence_block()
{
    __asm__ volatile("membar.cta;" ::: "memory");
}
WR_DEVICE void __threadfence()
{
    __asm__ volatile("membar.gl;" ::: "memory");
}
WR_DEVICE void __threadfence_system()
{
    __asm__ volatile("membar.sys;" ::: "memory");
}

/* Core cycles of the SM. */
WR_DEVICE long long clock64()
{
    long long cycles;

    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}
WR_DEVICE int clock()
{
    int cycles;

    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}
WR_DEVICE void __nanosleep(unsigned ns)
{
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
WR_DEVICE void __brkpt()
{
    __asm__ volatile("brkpt;");
}
WR_DEVICE void __prof_trigger(int) {}
WR_DEVICE void __trap()
{
    __asm__ volatile("trap;");
}

#endif /* __CUDA__ */
#endif
