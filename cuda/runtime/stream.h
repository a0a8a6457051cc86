/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of streams and the numbers that the GPU has for them. */
#ifndef WR_CUDA_RUNTIME_STREAM_H
#define WR_CUDA_RUNTIME_STREAM_H

#include "cuda/runtime/client.h"

cudaError_t wr_stream_number(cudaStream_t stream, uint64_t *number);

#endif
