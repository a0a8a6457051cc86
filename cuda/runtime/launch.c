/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels, what kernels are, occupancy. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/registry.h"
#include "cuda/runtime/stream.h"

/* <<<...>>>, from its words to the call behind it: of this thread, and they may nest. */
enum { DEPTH = 16 };
static _Thread_local struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configurations[DEPTH];
static _Thread_local unsigned depth;

WR_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (depth == DEPTH) {
        return 1; /* the kernel is not called */
    }
    configurations[depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

WR_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (depth == 0) {
        return cudaErrorMissingConfiguration;
    }
    const struct configuration *c = &configurations[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    return cudaSuccess;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments,
                          size_t shared, cudaStream_t stream)
{
    wr_function f;
    uint64_t number = 0;
    cudaError_t error = wr_registry_function(function, &f);
    error = error ? error : wr_stream_number(stream, &number);
    error = error ? error : wr_managed_push();
    if (error) {
        return error;
    }
    uint8_t *block_of = calloc(f.info.param_bytes + 1, 1);
    if (!block_of) {
        return cudaErrorMemoryAllocation;
    }
    for (uint32_t i = 0; i < f.info.params; i++) {
        memcpy(block_of + f.params[i].offset, arguments[i], f.params[i].size);
    }
    wr_cuda_request request = {.what = WR_CUDA_LAUNCH,
                               .stream = (uint32_t)number,
                               .a = f.module,
                               .b = f.number,
                               .c = shared,
                               .x = {grid.x, grid.y, grid.z},
                               .y = {block.x, block.y, block.z},
                               .bytes = f.info.param_bytes};
    error = wr_client_ask(&request, block_of, NULL, NULL, NULL);
    free(block_of);
    return error;
}

WR_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream)
{
    wr_client_lock();
    return wr_client_unlock(launch(function, grid, block, arguments, shared, stream));
}

static cudaError_t occupancy(int *blocks, const void *function, dim3 block, size_t shared)
{
    wr_function f;
    uint64_t tbs = 0;
    cudaError_t error = wr_registry_function(function, &f);
    if (!error) {
        wr_cuda_request request = {.what = WR_CUDA_OCCUPANCY,
                                   .a = f.module,
                                   .b = f.number,
                                   .c = shared,
                                   .y = {block.x, block.y, block.z}};
        error = wr_client_ask(&request, NULL, &tbs, NULL, NULL);
    }
    *blocks = (int)tbs;
    return error;
}

/* All of its TBs must be on the GPU at once. */
WR_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                               void **arguments, size_t shared, cudaStream_t stream)
{
    int blocks = 0;
    wr_client_lock();
    cudaError_t error = occupancy(&blocks, function, block, shared);
    uint64_t room = error ? 0 : (uint64_t)blocks * wr_client_device()->sms;
    if (!error && (uint64_t)grid.x * grid.y * grid.z > room) {
        error = cudaErrorCooperativeLaunchTooLarge;
    }
    return wr_client_unlock(error ? error
                                  : launch(function, grid, block, arguments, shared, stream));
}

WR_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                         const void *function)
{
    wr_function f;
    wr_client_lock();
    cudaError_t error = wr_registry_function(function, &f);
    *attributes = (struct cudaFuncAttributes){0};
    if (!error) {
        *attributes = (struct cudaFuncAttributes){
            .sharedSizeBytes = f.info.shared_bytes,
            .localSizeBytes = f.info.local_bytes,
            .maxThreadsPerBlock = (int)f.info.max_threads,
            .numRegs = (int)f.info.regs,
            .ptxVersion = 50,
            .binaryVersion = 50,
            .maxDynamicSharedSizeBytes =
                (int)(wr_client_device()->shared_tb - f.info.shared_bytes)};
    }
    return wr_client_unlock(error);
}

static cudaError_t known(const void *function)
{
    wr_function f;
    wr_client_lock();
    return wr_client_unlock(wr_registry_function(function, &f));
}

WR_API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                        int value)
{
    (void)attribute, (void)value; /* a TB may have all that the SM has as it is */
    return known(function);
}

WR_API cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    (void)config; /* the configuration parts the SM's memory */
    return known(function);
}

WR_API cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    (void)config;
    return known(function);
}

WR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                 int threads, size_t shared)
{
    wr_client_lock();
    return wr_client_unlock(occupancy(blocks, function, (dim3){(unsigned)threads, 1, 1}, shared));
}

WR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t shared, unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
