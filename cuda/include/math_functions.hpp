/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_MATH_FUNCTIONS_HPP
#define WR_CUDA_MATH_FUNCTIONS_HPP

#include "cuda_runtime.h"

#endif
