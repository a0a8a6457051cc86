/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references of the program's images. */
#ifndef WR_CUDA_RUNTIME_REFERENCE_H
#define WR_CUDA_RUNTIME_REFERENCE_H

#include "cuda/runtime/client.h"

/* One by the host's variable, as clang's constructor names it. */
void wr_reference_add(const void *host, bool is_surface, int read_mode);

/* Under the client's lock: before a launch, what has been bound since the last one; and what was
 * bound to an array that is freed. */
cudaError_t wr_reference_push(void);
void wr_reference_forget(cudaArray_const_t array);

#endif
