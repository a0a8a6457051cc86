/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H
#define WR_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
