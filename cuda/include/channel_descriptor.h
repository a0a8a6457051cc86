/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_CHANNEL_DESCRIPTOR_H
#define WR_CUDA_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime.h"

#endif
