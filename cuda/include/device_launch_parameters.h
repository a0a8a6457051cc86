/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define WR_CUDA_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
