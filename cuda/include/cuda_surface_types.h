/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_CUDA_SURFACE_TYPES_H
#define WR_CUDA_CUDA_SURFACE_TYPES_H

#include "cuda_runtime.h"

#endif
