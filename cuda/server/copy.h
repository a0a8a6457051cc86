/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills, which take no time. */
#ifndef WR_CUDA_SERVER_COPY_H
#define WR_CUDA_SERVER_COPY_H

#include "cuda/server/session.h"

/* Carries out a WR_CUDA_WRITE (of `data`), READ (to owner.read), FILL or COPY, whose addresses are
 * in allocations. False: out of memory. */
bool wr_copy(wr_gpu *gpu, const wr_cuda_request *request, const uint8_t *data,
             const wr_session_owner *owner);

#endif
