/* SPDX-License-Identifier: Apache-2.0 */
/* The device side of CUDA C, for clang without a CUDA toolkit; what there is: docs/cuda.md. */
#ifndef WR_KERNELS_CUDA_H
#define WR_KERNELS_CUDA_H

#define CUDA_VERSION 11050

#include "cuda/access.h"
#include "cuda/atomic.h"
#include "cuda/integer.h"
#include "cuda/math.h"
#include "cuda/qualifiers.h"
#include "cuda/rounding.h"
#include "cuda/services.h"
#include "cuda/simd.h"
#include "cuda/spaces.h"
#include "cuda/vector_types.h"
#include "cuda/warp.h"

#ifndef WR_HOSTED
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif

#endif
