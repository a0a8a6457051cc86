/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of both sides, which managed and mapped memory is. */
#ifndef WR_CUDA_RUNTIME_MANAGED_H
#define WR_CUDA_RUNTIME_MANAGED_H

#include "cuda/runtime/client.h"

cudaError_t wr_managed_alloc(void **at, size_t bytes);
/* False: `at` is no such memory. */
bool wr_managed_free(void *at, cudaError_t *error);
bool wr_managed_has(const void *at);
/* A variable of a module's becomes such memory. */
cudaError_t wr_managed_variable(uint64_t address, size_t bytes);

#endif
