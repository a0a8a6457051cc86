/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine itself does (docs/launch.md): printf, a heap with `new` and `delete`, failed
 * assertions; and the two functions of memory that CUDA has on the device.
 */
#ifndef WR_KERNELS_CUDA_SERVICES_H
#define WR_KERNELS_CUDA_SERVICES_H

#include "qualifiers.h"

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void *malloc(__SIZE_TYPE__ bytes);
__device__ void free(void *block);
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, __SIZE_TYPE__ char_bytes);

__device__ inline __attribute__((always_inline)) void *memcpy(void *to, const void *from,
                                                              __SIZE_TYPE__ bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
__device__ inline __attribute__((always_inline)) void *memset(void *to, int value,
                                                              __SIZE_TYPE__ bytes)
{
    return __builtin_memset(to, value, bytes);
}
}

#ifndef WR_HOSTED /* there clang has these in the host's <new> */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__device__ inline void *operator new(__SIZE_TYPE__ bytes)
{
    return malloc(bytes);
}
__device__ inline void *operator new[](__SIZE_TYPE__ bytes)
{
    return malloc(bytes);
}
__device__ inline void operator delete(void *block) noexcept
{
    free(block);
}
__device__ inline void operator delete[](void *block) noexcept
{
    free(block);
}
__device__ inline void operator delete(void *block, __SIZE_TYPE__) noexcept
{
    free(block);
}
__device__ inline void operator delete[](void *block, __SIZE_TYPE__) noexcept
{
    free(block);
}
#pragma clang diagnostic pop
#endif

#endif
