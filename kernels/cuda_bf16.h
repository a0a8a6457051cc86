/* SPDX-License-Identifier: Apache-2.0 */
/* __nv_bfloat16 and __nv_bfloat162: the upper half of a float; what there is of them:
 * cuda/narrow.h. */
#ifndef WR_KERNELS_CUDA_BF16_H
#define WR_KERNELS_CUDA_BF16_H

#include "cuda/narrow_bits.h"

#define WR_N        __nv_bfloat16
#define WR_N2       __nv_bfloat162
#define WR_NAME     bfloat16
#define WR_PTX      "bf16"
#define WR_MANTISSA 7
#include "cuda/narrow.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
