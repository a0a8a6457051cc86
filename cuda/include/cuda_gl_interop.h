/* SPDX-License-Identifier: Apache-2.0 */
/* OpenGL: programs that only include the header compile; its functions are not here. */
#ifndef WR_CUDA_GL_INTEROP_H
#define WR_CUDA_GL_INTEROP_H

#include "cuda_runtime.h"

#endif
