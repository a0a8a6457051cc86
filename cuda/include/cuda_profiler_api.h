/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_CUDA_PROFILER_API_H
#define WR_CUDA_CUDA_PROFILER_API_H

#include "cuda_runtime.h"

#endif
