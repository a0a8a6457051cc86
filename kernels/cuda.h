/* SPDX-License-Identifier: Apache-2.0 */
/* The device side of CUDA C, for clang without a CUDA toolkit; what there is: docs/cuda.md. */
#ifndef WR_KERNELS_CUDA_H
#define WR_KERNELS_CUDA_H

#include "cuda/access.h"
#include "cuda/atomic.h"
#include "cuda/integer.h"
#include "cuda/math.h"
#include "cuda/qualifiers.h"
#include "cuda/rounding.h"
#include "cuda/vector_types.h"
#include "cuda/warp.h"

#ifndef WR_HOSTED
/* What the machine itself does (docs/launch.md): printf, a heap, and assertions. */
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(__SIZE_TYPE__ bytes);
extern "C" __device__ void free(void *block);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line,
                                        const char *function, __SIZE_TYPE__ char_bytes);
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif

#endif
