/* SPDX-License-Identifier: Apache-2.0 */
/* The API's declarations for C, in which the runtime is written. */
#ifndef WR_CUDA_RUNTIME_API_FOR_C_H
#define WR_CUDA_RUNTIME_API_FOR_C_H

#include <stdbool.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

#define WR_CUDA_VECTOR_TYPES_H /* of which dim3 is all that it needs */
#include "cuda/include/cuda_runtime_api.h"

#define WR_API __attribute__((visibility("default")))

#endif
