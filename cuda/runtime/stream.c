/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events of the API. A handle is a pointer to what the GPU calls it; the default stream
 * of a thread is the default stream.
 */
#include "cuda/runtime/stream.h"

#include <stdlib.h>

struct CUstream_st {
    uint64_t number;
    unsigned flags;
    int priority;
};
struct CUevent_st {
    uint64_t number;
    bool timed, recorded;
};

static bool is_default(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t wr_stream_number(cudaStream_t stream, uint64_t *number)
{
    *number = is_default(stream) ? 0 : stream->number;
    return cudaSuccess;
}

static cudaError_t new_stream(cudaStream_t *stream, unsigned flags, int priority)
{
    /* CUDA's lower numbers go first: from 0 down to -5 here */
    uint64_t first = priority < 0 ? (uint64_t)(priority < -5 ? 5 : -priority) : 0;
    wr_cuda_request request = {
        .what = WR_CUDA_STREAM, .a = !(flags & cudaStreamNonBlocking), .b = first};
    struct CUstream_st *s = calloc(1, sizeof *s);
    cudaError_t error = !s ? cudaErrorMemoryAllocation
                        : !wr_client_device()
                            ? cudaErrorNoDevice
                            : wr_client_ask(&request, NULL, &s->number, NULL, NULL);
    if (error) {
        free(s);
        return error;
    }
    s->flags = flags;
    s->priority = -(int)first;
    *stream = s;
    return cudaSuccess;
}

WR_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    *priority = is_default(stream) ? 0 : stream->priority;
    return cudaSuccess;
}

WR_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}

WR_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    wr_client_lock();
    return wr_client_unlock(new_stream(stream, flags, priority));
}

WR_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

WR_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

WR_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    uint64_t number = 0;
    wr_client_lock();
    (void)wr_stream_number(stream, &number);
    if (number == 0) {
        return wr_client_unlock(cudaErrorInvalidResourceHandle);
    }
    cudaError_t error = wr_client_tell(WR_CUDA_END_STREAM, number, 0, 0, 0);
    free(stream);
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    uint64_t number = 0;
    wr_client_lock();
    (void)wr_stream_number(stream, &number);
    return wr_client_unlock(wr_client_wait(1, number, 0));
}

/* Time passes only where something is waited for: who asks waits. */
WR_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

WR_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    uint64_t number = 0;
    (void)flags;
    wr_client_lock();
    (void)wr_stream_number(stream, &number);
    return wr_client_unlock(event ? wr_client_tell(WR_CUDA_WAIT_EVENT, number, event->number, 0, 0)
                                  : cudaErrorInvalidResourceHandle);
}

/* The host's functions run when the stream has come to them, so that is waited for. */
WR_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    cudaError_t error = cudaStreamSynchronize(stream);
    if (!error) {
        function(data);
    }
    return error;
}

WR_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                         void *data, unsigned flags)
{
    (void)flags;
    callback(stream, cudaStreamSynchronize(stream), data);
    return cudaSuccess;
}

static cudaError_t new_event(cudaEvent_t *event, unsigned flags)
{
    wr_cuda_request request = {.what = WR_CUDA_EVENT};
    struct CUevent_st *e = calloc(1, sizeof *e);
    cudaError_t error = !e ? cudaErrorMemoryAllocation
                        : !wr_client_device()
                            ? cudaErrorNoDevice
                            : wr_client_ask(&request, NULL, &e->number, NULL, NULL);
    if (error) {
        free(e);
        return error;
    }
    e->timed = !(flags & cudaEventDisableTiming);
    *event = e;
    return cudaSuccess;
}

WR_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(new_event(event, flags));
}

WR_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

WR_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    wr_client_lock();
    if (!event) {
        return wr_client_unlock(cudaErrorInvalidResourceHandle);
    }
    cudaError_t error = wr_client_tell(WR_CUDA_END_EVENT, 0, event->number, 0, 0);
    free(event);
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    uint64_t number = 0;
    wr_client_lock();
    (void)wr_stream_number(stream, &number);
    if (!event) {
        return wr_client_unlock(cudaErrorInvalidResourceHandle);
    }
    event->recorded = true;
    return wr_client_unlock(wr_client_tell(WR_CUDA_RECORD, number, event->number, 0, 0));
}

WR_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    wr_client_lock();
    return wr_client_unlock(event ? wr_client_wait(2, 0, event->number)
                                  : cudaErrorInvalidResourceHandle);
}

WR_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static cudaError_t elapsed(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    wr_cuda_request request = {.what = WR_CUDA_ELAPSED};
    uint64_t cycles = 0;
    if (!from || !to || !from->timed || !to->timed || !from->recorded || !to->recorded) {
        return cudaErrorInvalidResourceHandle;
    }
    request.a = from->number;
    request.b = to->number;
    cudaError_t error = wr_client_wait(2, 0, from->number);
    error = error ? error : wr_client_wait(2, 0, to->number);
    error = error ? error : wr_client_ask(&request, NULL, &cycles, NULL, NULL);
    *milliseconds =
        error ? 0 : (float)((double)(int64_t)cycles / (wr_client_device()->core_mhz * 1e3));
    return error;
}

WR_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    wr_client_lock();
    return wr_client_unlock(elapsed(milliseconds, from, to));
}
