/* SPDX-License-Identifier: Apache-2.0 */
/* Questions with one answer here, and calls that name a device of several. */
#include <stdio.h>

#include "cuda/runtime/client.h"

enum { SET_FLAGS = cudaDeviceScheduleSpin | cudaDeviceScheduleYield | cudaDeviceBlockingSync };

WR_API cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    bool ok = text && bytes > 0;
    wr_client_lock();
    if (device != 0 || !ok) {
        return wr_client_unlock(ok ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    }
    ok = snprintf(text, (size_t)bytes, "0000:00:00.0") < bytes;
    return wr_client_unlock(ok ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    wr_client_lock();
    if (flags) {
        *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    }
    return wr_client_unlock(flags ? cudaSuccess : cudaErrorInvalidValue);
}

/* How the host waits, of which there is one way. */
WR_API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    const unsigned others = cudaDeviceMapHost | cudaDeviceLmemResizeToMax;
    unsigned way = flags & SET_FLAGS;
    bool ok = (flags & ~(SET_FLAGS | others)) == 0 && (way & (way - 1)) == 0;
    wr_client_lock();
    return wr_client_unlock(ok ? cudaSuccess : cudaErrorInvalidValue);
}

WR_API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes)
{
    if (to_device != 0 || from_device != 0) {
        wr_client_lock();
        return wr_client_unlock(cudaErrorInvalidDevice);
    }
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
