/* SPDX-License-Identifier: Apache-2.0 */
/* The device: there is one, number 0, which is the configuration; and names of errors. */
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/client.h"

enum { MAJOR = 5, MINOR = 0, VERSION = 11050 };

/* Of a device by its number. */
static cudaError_t device(int number, const wr_cuda_device **d)
{
    *d = wr_client_device();
    return !*d ? cudaErrorNoDevice : number != 0 ? cudaErrorInvalidDevice : cudaSuccess;
}

WR_API cudaError_t cudaGetDeviceCount(int *count)
{
    wr_client_lock();
    if (!count) {
        return wr_client_unlock(cudaErrorInvalidValue);
    }
    *count = wr_client_device() ? 1 : 0;
    return wr_client_unlock(*count ? cudaSuccess : cudaErrorNoDevice);
}

WR_API cudaError_t cudaSetDevice(int number)
{
    const wr_cuda_device *d;
    wr_client_lock();
    return wr_client_unlock(device(number, &d));
}

/* A number that is asked for; NULL: there is nowhere to put it. */
static cudaError_t give(int *to, int value)
{
    wr_client_lock();
    if (to) {
        *to = value;
    }
    return wr_client_unlock(to ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaGetDevice(int *number)
{
    const wr_cuda_device *d;
    wr_client_lock();
    cudaError_t error = number ? device(0, &d) : cudaErrorInvalidValue;
    if (!error) {
        *number = 0;
    }
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *prop)
{
    return prop ? cudaGetDevice(number) : give(NULL, 0);
}

WR_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int number)
{
    const wr_cuda_device *d;
    wr_client_lock();
    cudaError_t error = prop ? device(number, &d) : cudaErrorInvalidValue;
    if (!error) {
        *prop = (struct cudaDeviceProp){.totalGlobalMem = d->global_bytes,
                                        .sharedMemPerBlock = d->shared_tb,
                                        .regsPerBlock = (int)d->regs_tb,
                                        .warpSize = (int)d->warp_size,
                                        .memPitch = 0x7fffffff,
                                        .maxThreadsPerBlock = (int)d->max_threads,
                                        .maxThreadsDim = {1024, 1024, 64},
                                        .maxGridSize = {0x7fffffff, 65535, 65535},
                                        .clockRate = (int)d->core_mhz * 1000,
                                        .totalConstMem = d->const_bytes,
                                        .major = MAJOR,
                                        .minor = MINOR,
                                        .textureAlignment = 256,
                                        .texturePitchAlignment = 32,
                                        .deviceOverlap = 1,
                                        .multiProcessorCount = (int)d->sms,
                                        .canMapHostMemory = 1,
                                        .concurrentKernels = 1,
                                        .asyncEngineCount = 2,
                                        .unifiedAddressing = 1,
                                        .memoryClockRate = (int)d->memory_mhz * 1000,
                                        .memoryBusWidth = (int)d->bus_bits,
                                        .l2CacheSize = (int)d->l2_bytes,
                                        .maxThreadsPerMultiProcessor = (int)d->max_threads_sm,
                                        .streamPrioritiesSupported = 1,
                                        .globalL1CacheSupported = 1,
                                        .localL1CacheSupported = 1,
                                        .sharedMemPerMultiprocessor = d->shared_sm,
                                        .regsPerMultiprocessor = (int)d->regs_sm,
                                        .managedMemory = 1,
                                        .cooperativeLaunch = 1,
                                        .maxBlocksPerMultiProcessor = (int)d->max_tbs_sm,
                                        .sharedMemPerBlockOptin = d->shared_tb,
                                        .surfaceAlignment = 256,
                                        .maxTexture1D = 65536,
                                        .maxTexture2D = {65536, 65536},
                                        .maxTexture3D = {4096, 4096, 4096},
                                        .maxTexture1DLayered = {16384, 2048},
                                        .maxTexture2DLayered = {16384, 16384, 2048}};
        (void)snprintf(prop->name, sizeof prop->name, "%s", d->name);
    }
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int number)
{
    struct cudaDeviceProp p = {0};
    cudaError_t error = cudaGetDeviceProperties(&p, number);
    const struct {
        enum cudaDeviceAttr attr;
        long value;
    } rows[] = {{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
                {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
                {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
                {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
                {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
                {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
                {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
                {cudaDevAttrMaxSharedMemoryPerBlock, (long)p.sharedMemPerBlock},
                {cudaDevAttrTotalConstantMemory, (long)p.totalConstMem},
                {cudaDevAttrWarpSize, p.warpSize},
                {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
                {cudaDevAttrClockRate, p.clockRate},
                {cudaDevAttrGpuOverlap, 1},
                {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
                {cudaDevAttrKernelExecTimeout, 0},
                {cudaDevAttrIntegrated, 0},
                {cudaDevAttrCanMapHostMemory, 1},
                {cudaDevAttrComputeMode, 0},
                {cudaDevAttrConcurrentKernels, 1},
                {cudaDevAttrEccEnabled, 0},
                {cudaDevAttrPciBusId, p.pciBusID},
                {cudaDevAttrPciDeviceId, p.pciDeviceID},
                {cudaDevAttrMemoryClockRate, p.memoryClockRate},
                {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
                {cudaDevAttrL2CacheSize, p.l2CacheSize},
                {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
                {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
                {cudaDevAttrUnifiedAddressing, 1},
                {cudaDevAttrComputeCapabilityMajor, p.major},
                {cudaDevAttrComputeCapabilityMinor, p.minor},
                {cudaDevAttrStreamPrioritiesSupported, 1},
                {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long)p.sharedMemPerMultiprocessor},
                {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
                {cudaDevAttrManagedMemory, 1},
                {cudaDevAttrHostNativeAtomicSupported, 0},
                {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
                {cudaDevAttrCooperativeMultiDeviceLaunch, 0},
                {cudaDevAttrMemoryPoolsSupported, 0},
                {cudaDevAttrPageableMemoryAccess, 0},
                {cudaDevAttrConcurrentManagedAccess, 0},
                {cudaDevAttrCooperativeLaunch, 1},
                {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long)p.sharedMemPerBlockOptin},
                {cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
                {cudaDevAttrHostRegisterSupported, 1},
                {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor}};
    if (error) {
        return error;
    }
    for (size_t i = 0; value && i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].attr == attr) {
            *value = (int)rows[i].value;
            return cudaSuccess;
        }
    }
    wr_client_lock();
    return wr_client_unlock(cudaErrorInvalidValue);
}

WR_API cudaError_t cudaDeviceSynchronize(void)
{
    wr_client_lock();
    return wr_client_unlock(wr_client_wait(0, 0, 0));
}

WR_API cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

/* Memory and streams stay: a program that resets the device uses none of them any more. */
WR_API cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}

WR_API cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

WR_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) { /* either may be left out, as CUDA's page says */
        *least = 0;
    }
    if (greatest) {
        *greatest = -5;
    }
    return wr_client_here();
}

WR_API cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int peer)
{
    cudaError_t error = give(can, 0);
    wr_client_lock();
    error = error || (number == 0 && peer == 0) ? error : cudaErrorInvalidDevice;
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaDriverGetVersion(int *version)
{
    return give(version, VERSION);
}

WR_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

WR_API cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    wr_cuda_request request = {.what = WR_CUDA_MEMORY};
    uint64_t bytes = 0;
    wr_client_lock();
    const wr_cuda_device *d = wr_client_device();
    cudaError_t error = !unused || !total ? cudaErrorInvalidValue
                        : d               ? wr_client_ask(&request, NULL, &bytes, NULL, NULL)
                                          : cudaErrorNoDevice;
    if (!error) {
        *total = d->global_bytes;
        *unused = (size_t)bytes;
    }
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaProfilerStart(void)
{
    return wr_client_here();
}

WR_API cudaError_t cudaProfilerStop(void)
{
    return wr_client_here();
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define ERROR(name, text)                                                                          \
    {                                                                                              \
        cudaError##name, "cudaError" #name, text                                                   \
    }
    {cudaSuccess, "cudaSuccess", "no error"},
    ERROR(InvalidValue, "invalid argument"),
    ERROR(MemoryAllocation, "out of memory"),
    ERROR(InitializationError, "initialization error"),
    ERROR(CudartUnloading, "driver shutting down"),
    ERROR(InvalidConfiguration, "invalid configuration argument"),
    ERROR(InvalidPitchValue, "invalid pitch argument"),
    ERROR(InvalidSymbol, "invalid device symbol"),
    ERROR(InvalidHostPointer, "invalid host pointer"),
    ERROR(InvalidDevicePointer, "invalid device pointer"),
    ERROR(InvalidTexture, "invalid texture reference"),
    ERROR(InvalidTextureBinding, "texture is not bound to a pointer"),
    ERROR(InvalidChannelDescriptor, "invalid channel descriptor"),
    ERROR(InvalidFilterSetting, "linear filtering not supported for non-float type"),
    ERROR(InvalidNormSetting, "read as normalized float not supported for 32-bit non float type"),
    ERROR(InvalidSurface, "invalid surface reference"),
    ERROR(InvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(InsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR(DevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    ERROR(PriorLaunchFailure, "unspecified launch failure in prior launch"),
    ERROR(DeviceUninitialized, "invalid device context"),
    ERROR(ECCUncorrectable, "uncorrectable ECC error encountered"),
    ERROR(UnsupportedLimit, "limit is not supported on this architecture"),
    ERROR(PeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR(HardwareStackError, "hardware stack error"),
    ERROR(IllegalInstruction, "an illegal instruction was encountered"),
    ERROR(InvalidAddressSpace, "operation not supported on global/shared address space"),
    ERROR(InvalidPc, "invalid program counter"),
    ERROR(MissingConfiguration, "__global__ function call is not configured"),
    ERROR(InvalidDeviceFunction, "invalid device function"),
    ERROR(NoDevice, "no CUDA-capable device is detected"),
    ERROR(InvalidDevice, "invalid device ordinal"),
    ERROR(InvalidKernelImage, "device kernel image is invalid"),
    ERROR(NoKernelImageForDevice, "no kernel image is available for execution on the device"),
    ERROR(InvalidPtx, "a PTX JIT compilation failed"),
    ERROR(InvalidResourceHandle, "invalid resource handle"),
    ERROR(SymbolNotFound, "named symbol not found"),
    ERROR(NotReady, "device not ready"),
    ERROR(IllegalAddress, "an illegal memory access was encountered"),
    ERROR(LaunchOutOfResources, "too many resources requested for launch"),
    ERROR(LaunchTimeout, "the launch timed out and was terminated"),
    ERROR(PeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR(PeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(SetOnActiveProcess, "cannot set while device is active in this process"),
    ERROR(Assert, "device-side assert triggered"),
    ERROR(HostMemoryAlreadyRegistered,
          "part or all of the requested memory range is already mapped"),
    ERROR(HostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR(MisalignedAddress, "misaligned address"),
    ERROR(LaunchFailure, "unspecified launch failure"),
    ERROR(CooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR(NotPermitted, "operation not permitted"),
    ERROR(NotSupported, "operation not supported"),
    ERROR(Unknown, "unknown error"),
#undef ERROR
};

WR_API const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) {
            return errors[i].name;
        }
    }
    return "unrecognized error code";
}

WR_API const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) {
            return errors[i].text;
        }
    }
    return "unrecognized error code";
}
