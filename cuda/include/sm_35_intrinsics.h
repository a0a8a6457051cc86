/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_SM_35_INTRINSICS_H
#define WR_CUDA_SM_35_INTRINSICS_H

#include "cuda_runtime.h"

#endif
