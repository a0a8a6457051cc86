/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_HOST_DEFINES_H
#define WR_CUDA_HOST_DEFINES_H

#include "cuda_runtime.h"

#endif
