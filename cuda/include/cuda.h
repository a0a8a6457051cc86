/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API's header, of which programs of the runtime API take the version and "success". */
#ifndef WR_CUDA_CUDA_H
#define WR_CUDA_CUDA_H

#define CUDA_VERSION       11050
#define __CUDA_API_VERSION CUDA_VERSION

#include "cuda_runtime.h"

typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;

#endif
