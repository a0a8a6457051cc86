/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the device, which the GPU keeps, and preferences, which change nothing here. */
#include "cuda/runtime/client.h"

static cudaError_t limit(enum cudaLimit which, const size_t *set, size_t *value)
{
    wr_cuda_request request = {
        .what = WR_CUDA_LIMIT, .a = (unsigned)which, .b = set ? *set : 0, .c = set ? 1 : 0};
    uint64_t now = 0;
    if (!set && !value) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error =
        wr_client_device() ? wr_client_ask(&request, NULL, &now, NULL, NULL) : cudaErrorNoDevice;
    if (!error && value) {
        *value = (size_t)now;
    }
    return error;
}

WR_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    wr_client_lock();
    return wr_client_unlock(limit(which, NULL, value));
}

WR_API cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    wr_client_lock();
    return wr_client_unlock(limit(which, &value, NULL));
}

WR_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit which)
{
    return cudaDeviceGetLimit(value, which);
}

WR_API cudaError_t cudaThreadSetLimit(enum cudaLimit which, size_t value)
{
    return cudaDeviceSetLimit(which, value);
}

/* The configuration parts the SM's memory, into banks of four bytes. */
WR_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    wr_client_lock();
    return wr_client_unlock((unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                         : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

WR_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    wr_client_lock();
    if (config) {
        *config = cudaFuncCachePreferNone;
    }
    return wr_client_unlock(config ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    wr_client_lock();
    return wr_client_unlock(
        (unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    wr_client_lock();
    if (config) {
        *config = cudaSharedMemBankSizeFourByte;
    }
    return wr_client_unlock(config ? cudaSuccess : cudaErrorInvalidValue);
}
