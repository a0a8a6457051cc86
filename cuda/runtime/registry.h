/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and variables of the program, by the host's addresses that stand for them. */
#ifndef WR_CUDA_RUNTIME_REGISTRY_H
#define WR_CUDA_RUNTIME_REGISTRY_H

#include "cuda/runtime/client.h"

/* What the program has set of a kernel. */
typedef struct wr_settings {
    bool limits_shared;
    size_t most_shared; /* bytes of dynamic shared memory, where that is limited */
    int carveout;
} wr_settings;

typedef struct wr_function {
    uint64_t module, number; /* of the GPU's */
    wr_cuda_kernel info;
    const wr_cuda_param *params;
    wr_settings *settings;
} wr_function;

/* The module is loaded where it was not. */
cudaError_t wr_registry_function(const void *host, wr_function *function);
cudaError_t wr_registry_variable(const void *host, uint64_t *address, uint64_t *bytes);

#endif
