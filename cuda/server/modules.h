/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of a program, and the limits that its kernels have of the GPU. */
#ifndef WR_CUDA_SERVER_MODULES_H
#define WR_CUDA_SERVER_MODULES_H

#include "cuda/wire.h"
#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"
#include "shell/host/image.h"

/* A module. With another size of stacks one with recursive calls is compiled again: launches are of
 * the last one, and those that were there before it stay as long as the session does. */
typedef struct wr_code {
    wr_module *module;
    wr_images images;
    char *ptx; /* NULL: no kernel of it has a stack */
    size_t ptx_bytes;
    wr_module **before;
    size_t before_count;
} wr_code;

typedef struct wr_modules {
    wr_compile_options compile;
    wr_code *codes;
    size_t count;
    uint64_t heap, fifo;    /* bytes of malloc and printf */
    bool allocates, prints; /* a kernel that does was launched: the size stays as it is */
} wr_modules;

wr_modules wr_modules_begin(const wr_compile_options *options);
void wr_modules_free(wr_modules *modules);

/* The two return CUDA's error, 0 = none. A module that is added has no place in memory yet. */
int wr_modules_add(wr_modules *modules, const char *ptx, size_t bytes, uint64_t *number,
                   wr_diag *diag);
/* Carries out a WR_CUDA_LIMIT. */
int wr_modules_limit(wr_modules *modules, wr_gpu *gpu, const wr_cuda_request *request,
                     uint64_t *bytes);
/* A kernel is launched. */
void wr_modules_launched(wr_modules *modules, const wr_kernel *kernel);

#endif
