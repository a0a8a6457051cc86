/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_VECTOR_TYPES_H
#define WR_CUDA_VECTOR_TYPES_H

#define __VECTOR_TYPES_H__
#include "cuda/vector_types.h"

#endif
