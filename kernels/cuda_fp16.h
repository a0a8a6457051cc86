/* SPDX-License-Identifier: Apache-2.0 */
/* __half and __half2: IEEE 754's binary16; what there is of them: cuda/narrow.h. */
#ifndef WR_KERNELS_CUDA_FP16_H
#define WR_KERNELS_CUDA_FP16_H

#include "cuda/narrow_bits.h"

#define WR_N        __half
#define WR_N2       __half2
#define WR_NAME     half
#define WR_PTX      "f16"
#define WR_MANTISSA 10
#include "cuda/narrow.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#endif
