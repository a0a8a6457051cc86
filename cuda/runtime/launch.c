/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels, what kernels are, occupancy. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/reference.h"
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
    if (depth == 0 || !grid || !block || !shared || !stream) {
        wr_client_lock();
        return wr_client_unlock(depth == 0 ? cudaErrorMissingConfiguration : cudaErrorInvalidValue);
    }
    const struct configuration *c = &configurations[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    return cudaSuccess;
}

/* Bytes of dynamic shared memory that a TB of the kernel may have. */
static size_t most_shared(const wr_function *f)
{
    size_t device = wr_client_device()->shared_tb;
    size_t most = device > f->info.shared_bytes ? device - f->info.shared_bytes : 0;
    return f->settings->limits_shared && f->settings->most_shared < most ? f->settings->most_shared
                                                                         : most;
}

static cudaError_t check_launch(const wr_function *f, void *const *arguments, size_t shared)
{
    bool ok = shared <= most_shared(f) && (arguments || f->info.params == 0);
    for (uint32_t i = 0; ok && i < f->info.params; i++) {
        ok = arguments[i] != NULL;
    }
    return ok ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments,
                          size_t shared, cudaStream_t stream)
{
    wr_function f;
    uint64_t number = 0;
    cudaError_t error = wr_registry_function(function, &f);
    error = error ? error : wr_stream_number(stream, &number);
    error = error ? error : check_launch(&f, arguments, shared);
    error = error ? error : wr_managed_push();
    error = error ? error : wr_reference_push();
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

/* A block that cannot be launched is on an SM no times, and no error. */
static cudaError_t ask_occupancy(int *blocks, const void *function, int threads, size_t shared,
                                 unsigned flags)
{
    if (!blocks || threads < 1 || (flags & ~(unsigned)cudaOccupancyDisableCachingOverride) != 0) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error = occupancy(blocks, function, (dim3){(unsigned)threads, 1, 1}, shared);
    return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue ? cudaSuccess
                                                                                    : error;
}

/* All of its TBs must be on the GPU at once. */
WR_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                               void **arguments, size_t shared, cudaStream_t stream)
{
    int blocks = 0;
    bool fits = grid.x <= INT32_MAX && grid.y <= 65535 && grid.z <= 65535;
    wr_client_lock();
    cudaError_t error =
        fits ? occupancy(&blocks, function, block, shared) : cudaErrorInvalidConfiguration;
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
    cudaError_t error = attributes ? wr_registry_function(function, &f) : cudaErrorInvalidValue;
    if (!error) {
        *attributes = (struct cudaFuncAttributes){.sharedSizeBytes = f.info.shared_bytes,
                                                  .localSizeBytes = f.info.local_bytes,
                                                  .maxThreadsPerBlock = (int)f.info.max_threads,
                                                  .numRegs = (int)f.info.regs,
                                                  .ptxVersion = 50,
                                                  .binaryVersion = 50,
                                                  .maxDynamicSharedSizeBytes = (int)most_shared(&f),
                                                  .preferredShmemCarveout = f.settings->carveout};
    }
    return wr_client_unlock(error);
}

/* A kernel may have all of the device's shared memory but where it is told less. */
static cudaError_t set_attribute(const wr_function *f, enum cudaFuncAttribute attribute, int value)
{
    uint64_t device = wr_client_device()->shared_tb;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
        (uint64_t)value + f->info.shared_bytes <= device) {
        f->settings->limits_shared = true;
        f->settings->most_shared = (size_t)value;
        return cudaSuccess;
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout &&
        value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared) {
        f->settings->carveout = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* Preferences change nothing: the configuration parts the SM's memory. */
static cudaError_t prefer(const void *function, unsigned value, unsigned most)
{
    wr_function f;
    wr_client_lock();
    cudaError_t error = wr_registry_function(function, &f);
    return wr_client_unlock(error || value <= most ? error : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                        int value)
{
    wr_function f;
    wr_client_lock();
    cudaError_t error = wr_registry_function(function, &f);
    return wr_client_unlock(error ? error : set_attribute(&f, attribute, value));
}

WR_API cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    return prefer(function, config, cudaFuncCachePreferEqual);
}

WR_API cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    return prefer(function, config, cudaSharedMemBankSizeEightByte);
}

WR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                 int threads, size_t shared)
{
    wr_client_lock();
    return wr_client_unlock(ask_occupancy(blocks, function, threads, shared, 0));
}

WR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t shared, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(ask_occupancy(blocks, function, threads, shared, flags));
}
