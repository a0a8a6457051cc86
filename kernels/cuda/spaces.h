/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory an address leads to, and addresses in one memory. */
#ifndef WR_KERNELS_CUDA_SPACES_H
#define WR_KERNELS_CUDA_SPACES_H

#include "qualifiers.h"

#if __SIZEOF_POINTER__ == 8
#define WR_POINTER_RESULT(p) "=l"(p)
#else
#define WR_POINTER_RESULT(p) "=r"(p)
#endif

#define WR_SPACE(name, Name, space)                                                                \
    WR_DEVICE unsigned __is##Name(const void *at)                                                  \
    {                                                                                              \
        unsigned is;                                                                               \
                                                                                                   \
        __asm__("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }"                \
                : "=r"(is)                                                                         \
                : WR_POINTER(at));                                                                 \
        return is;                                                                                 \
    }                                                                                              \
    WR_DEVICE __SIZE_TYPE__ __cvta_generic_to_##name(const void *at)                               \
    {                                                                                              \
        __SIZE_TYPE__ in_space;                                                                    \
                                                                                                   \
        __asm__("cvta.to." space ".u" WR_POINTER_BITS " %0, %1;"                                   \
                : WR_POINTER_RESULT(in_space)                                                      \
                : WR_POINTER(at));                                                                 \
        return in_space;                                                                           \
    }                                                                                              \
    WR_DEVICE void *__cvta_##name##_to_generic(__SIZE_TYPE__ in_space)                             \
    {                                                                                              \
        void *at;                                                                                  \
                                                                                                   \
        __asm__("cvta." space ".u" WR_POINTER_BITS " %0, %1;"                                      \
                : WR_POINTER_RESULT(at)                                                            \
                : WR_POINTER(in_space));                                                           \
        return at;                                                                                 \
    }
WR_SPACE(global, Global, "global")
WR_SPACE(shared, Shared, "shared")
WR_SPACE(local, Local, "local")
WR_SPACE(constant, Constant, "const")

#endif
