/* SPDX-License-Identifier: Apache-2.0 */
/* What programs by nvcc have otherwise than those by `warpref cc`: device properties in the layouts
 * of CUDA 11, 12 and 13, one behind each version of a symbol (versions.map), places of managed
 * memory as CUDA 13 has them, and launches by handle, which is the host's function here.
 */
#include <string.h>

#include "cuda/runtime/api.h"

/* Fields in the order that NVIDIA's struct has them; those between that are 0 here as one. */
enum { NONE = -1, LATEST = 99 };
typedef struct field {
    size_t align, bytes;
    long ours;    /* its place in our struct */
    int from, to; /* versions of CUDA that have it */
} field;
#define UNTIL(version, name)                                                                       \
    {                                                                                              \
        _Alignof(__typeof__(((struct cudaDeviceProp *)NULL)->name)),                               \
            sizeof((struct cudaDeviceProp *)NULL)->name,                                           \
            (long)offsetof(struct cudaDeviceProp, name), 11, version                               \
    }
#define OURS(name) UNTIL(LATEST, name)
#define ZEROS(align, bytes, from, to)                                                              \
    {                                                                                              \
        align, bytes, NONE, from, to                                                               \
    }
static const field fields[] = {
    OURS(name),
    OURS(uuid),
    ZEROS(1, 8, 11, LATEST), /* luid and, aligned, its mask */
    ZEROS(4, 4, 11, LATEST),
    OURS(totalGlobalMem),
    OURS(sharedMemPerBlock),
    OURS(regsPerBlock),
    OURS(warpSize),
    OURS(memPitch),
    OURS(maxThreadsPerBlock),
    OURS(maxThreadsDim),
    OURS(maxGridSize),
    UNTIL(12, clockRate),
    OURS(totalConstMem),
    OURS(major),
    OURS(minor),
    OURS(textureAlignment),
    OURS(texturePitchAlignment),
    UNTIL(12, deviceOverlap),
    OURS(multiProcessorCount),
    UNTIL(12, kernelExecTimeoutEnabled),
    OURS(integrated),
    OURS(canMapHostMemory),
    UNTIL(12, computeMode),
    ZEROS(4, 4 * 39, 11, LATEST), /* of textures and surfaces */
    ZEROS(4, 4, 11, 12),
    OURS(surfaceAlignment),
    OURS(concurrentKernels),
    OURS(ECCEnabled),
    OURS(pciBusID),
    OURS(pciDeviceID),
    OURS(pciDomainID),
    OURS(tccDriver),
    OURS(asyncEngineCount),
    OURS(unifiedAddressing),
    UNTIL(12, memoryClockRate),
    OURS(memoryBusWidth),
    OURS(l2CacheSize),
    OURS(persistingL2CacheMaxSize),
    OURS(maxThreadsPerMultiProcessor),
    OURS(streamPrioritiesSupported),
    OURS(globalL1CacheSupported),
    OURS(localL1CacheSupported),
    OURS(sharedMemPerMultiprocessor),
    OURS(regsPerMultiprocessor),
    OURS(managedMemory),
    OURS(isMultiGpuBoard),
    OURS(multiGpuBoardGroupID),
    OURS(hostNativeAtomicSupported),
    UNTIL(12, singleToDoublePrecisionPerfRatio),
    OURS(pageableMemoryAccess),
    OURS(concurrentManagedAccess),
    OURS(computePreemptionSupported),
    OURS(canUseHostPointerForRegisteredMem),
    OURS(cooperativeLaunch),
    UNTIL(12, cooperativeMultiDeviceLaunch),
    OURS(sharedMemPerBlockOptin),
    OURS(pageableMemoryAccessUsesHostPageTables),
    OURS(directManagedMemAccessFromHost),
    OURS(maxBlocksPerMultiProcessor),
    OURS(accessPolicyMaxWindowSize),
    OURS(reservedSharedMemPerBlock),
    ZEROS(4, 4 * 76, 12, LATEST), /* to the end of the struct */
};

/* Writes the struct as that version of CUDA has it, and nothing beyond it. */
static cudaError_t properties(void *prop, int device, int version)
{
    struct cudaDeviceProp of = {0};
    cudaError_t error = cudaGetDeviceProperties(prop ? &of : NULL, device);
    size_t at = 0;
    for (size_t i = 0; !error && prop && i < sizeof fields / sizeof *fields; i++) {
        const field *f = &fields[i];
        if (version < f->from || version > f->to) {
            continue;
        }
        at = (at + f->align - 1) / f->align * f->align;
        if (f->ours == NONE) {
            memset((char *)prop + at, 0, f->bytes);
        } else {
            memcpy((char *)prop + at, (const char *)&of + f->ours, f->bytes);
        }
        at += f->bytes;
    }
    return error;
}

WR_API cudaError_t wr_properties_11(void *prop, int device);
WR_API cudaError_t wr_properties_13(void *prop, int device);
WR_API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device);

WR_API cudaError_t wr_properties_11(void *prop, int device)
{
    return properties(prop, device, 11);
}

WR_API cudaError_t wr_properties_13(void *prop, int device)
{
    return properties(prop, device, 13);
}

__asm__(".symver wr_properties_11, cudaGetDeviceProperties@libcudart.so.11.0");
__asm__(".symver wr_properties_11, cudaGetDeviceProperties@libcudart.so.12"); /* of old objects */
__asm__(".symver wr_properties_13, cudaGetDeviceProperties@libcudart.so.13");

/* CUDA 12's headers call this one by the name without _v2. */
WR_API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device)
{
    return properties(prop, device, 12);
}

/* Where managed memory is to be: a device's number until CUDA 12, from 13 on this. */
typedef struct location {
    int type, id;
} location;

static int device_of(location l)
{
    enum { DEVICE = 1, HOST = 2, CURRENT = 4 };
    return l.type == DEVICE                      ? l.id
           : l.type >= HOST && l.type <= CURRENT ? cudaCpuDeviceId
                                                 : cudaInvalidDeviceId;
}

WR_API cudaError_t wr_prefetch_11(const void *at, size_t bytes, int device, cudaStream_t stream);
WR_API cudaError_t wr_prefetch_13(const void *at, size_t bytes, location to, unsigned flags,
                                  cudaStream_t stream);
WR_API cudaError_t wr_advise_11(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                int device);
WR_API cudaError_t wr_advise_13(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                location of);

WR_API cudaError_t wr_prefetch_11(const void *at, size_t bytes, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(at, bytes, device, stream);
}

WR_API cudaError_t wr_prefetch_13(const void *at, size_t bytes, location to, unsigned flags,
                                  cudaStream_t stream)
{
    return cudaMemPrefetchAsync(flags == 0 ? at : NULL, bytes, device_of(to), stream);
}

WR_API cudaError_t wr_advise_11(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                int device)
{
    return cudaMemAdvise(at, bytes, advice, device);
}

WR_API cudaError_t wr_advise_13(const void *at, size_t bytes, enum cudaMemoryAdvise advice,
                                location of)
{
    return cudaMemAdvise(at, bytes, advice, device_of(of));
}

__asm__(".symver wr_prefetch_11, cudaMemPrefetchAsync@libcudart.so.11.0");
__asm__(".symver wr_prefetch_11, cudaMemPrefetchAsync@libcudart.so.12");
__asm__(".symver wr_prefetch_13, cudaMemPrefetchAsync@libcudart.so.13");
__asm__(".symver wr_advise_11, cudaMemAdvise@libcudart.so.11.0");
__asm__(".symver wr_advise_11, cudaMemAdvise@libcudart.so.12");
__asm__(".symver wr_advise_13, cudaMemAdvise@libcudart.so.13");

/* NOLINTBEGIN(bugprone-reserved-identifier) */
WR_API cudaError_t __cudaGetKernel(const void **kernel, const void *function);
WR_API cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream);

WR_API cudaError_t __cudaGetKernel(const void **kernel, const void *function)
{
    if (kernel) {
        *kernel = function;
    }
    return kernel ? cudaSuccess : cudaErrorInvalidValue;
}

WR_API cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
/* NOLINTEND(bugprone-reserved-identifier) */
