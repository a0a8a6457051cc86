/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events of the API, by handles (handles.h); the default stream of a thread is the
 * default stream.
 *
 * Time passes only where something is waited for: who asks whether work is done waits for it.
 */
#include "cuda/runtime/stream.h"

#include <stdlib.h>

#include "cuda/runtime/handles.h"

#define EVENT_FLAGS (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)

typedef struct stream {
    uint64_t number; /* of the GPU's; 0: the default stream */
    unsigned flags;
    int priority;
} stream;
typedef struct event {
    uint64_t number;
    bool timed, recorded;
} event;

/* NULL: the handle stands for no stream. */
static const stream *stream_of(cudaStream_t handle)
{
    static const stream main = {.flags = cudaStreamDefault};
    bool is_default = handle == NULL || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
    return is_default ? &main : wr_handle_find(WR_HANDLE_STREAM, handle);
}

static event *event_of(cudaEvent_t handle)
{
    return wr_handle_find(WR_HANDLE_EVENT, handle);
}

cudaError_t wr_stream_number(cudaStream_t handle, uint64_t *number)
{
    const stream *s = stream_of(handle);
    *number = s ? s->number : 0;
    return s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t new_stream(cudaStream_t *handle, unsigned flags, int priority)
{
    /* CUDA's lower numbers go first: from 0 down to -5 here */
    uint64_t first = priority < 0 ? (uint64_t)(priority < -5 ? 5 : -priority) : 0;
    wr_cuda_request request = {
        .what = WR_CUDA_STREAM, .a = !(flags & cudaStreamNonBlocking), .b = first};
    if (!handle || (flags & ~(unsigned)cudaStreamNonBlocking)) {
        return cudaErrorInvalidValue;
    }
    stream *s = calloc(1, sizeof *s);
    cudaError_t error = !s ? cudaErrorMemoryAllocation
                        : !wr_client_device()
                            ? cudaErrorNoDevice
                            : wr_client_ask(&request, NULL, &s->number, NULL, NULL);
    void *made = error ? NULL : wr_handle_new(WR_HANDLE_STREAM, s);
    if (!made) {
        free(s);
        return error ? error : cudaErrorMemoryAllocation;
    }
    s->flags = flags;
    s->priority = -(int)first;
    *handle = made;
    return cudaSuccess;
}

/* What the program asks of a stream; NULL: of none. */
static cudaError_t look_at(cudaStream_t handle, int *priority, unsigned *flags)
{
    wr_client_lock();
    const stream *s = stream_of(handle);
    if (s && priority) {
        *priority = s->priority;
    } else if (s && flags) {
        *flags = s->flags;
    }
    return wr_client_unlock(!s                    ? cudaErrorInvalidResourceHandle
                            : !priority && !flags ? cudaErrorInvalidValue
                                                  : cudaSuccess);
}

WR_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    return look_at(handle, priority, NULL);
}

WR_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    return look_at(handle, NULL, flags);
}

WR_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *handle, unsigned flags, int priority)
{
    wr_client_lock();
    return wr_client_unlock(new_stream(handle, flags, priority));
}

WR_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags)
{
    return cudaStreamCreateWithPriority(handle, flags, 0);
}

WR_API cudaError_t cudaStreamCreate(cudaStream_t *handle)
{
    return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}

WR_API cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    uint64_t number = 0;
    wr_client_lock();
    (void)wr_stream_number(handle, &number);
    if (number == 0) { /* the default stream stays */
        return wr_client_unlock(cudaErrorInvalidResourceHandle);
    }
    cudaError_t error = wr_client_tell(WR_CUDA_END_STREAM, number, 0, 0, 0);
    wr_handle_end(handle);
    return wr_client_unlock(error);
}

static cudaError_t synchronize(cudaStream_t handle)
{
    uint64_t number = 0;
    cudaError_t error = wr_stream_number(handle, &number);
    return error ? error : wr_client_wait(1, number, 0);
}

WR_API cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    wr_client_lock();
    return wr_client_unlock(synchronize(handle));
}

WR_API cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    return cudaStreamSynchronize(handle);
}

/* Puts a record of an event, or a wait for it, into a stream. */
static cudaError_t enqueue(uint32_t what, cudaStream_t of, cudaEvent_t handle, unsigned flags)
{
    uint64_t number = 0;
    cudaError_t error = wr_stream_number(of, &number);
    event *e = event_of(handle);
    if (error || !e || flags != 0) { /* flags are of graphs */
        return error || !e ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    }
    e->recorded |= what == WR_CUDA_RECORD;
    return wr_client_tell(what, number, e->number, 0, 0);
}

WR_API cudaError_t cudaStreamWaitEvent(cudaStream_t of, cudaEvent_t handle, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(enqueue(WR_CUDA_WAIT_EVENT, of, handle, flags));
}

WR_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t of, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(enqueue(WR_CUDA_RECORD, of, handle, flags));
}

WR_API cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t of)
{
    return cudaEventRecordWithFlags(handle, of, 0);
}

static cudaError_t wait_to_call(cudaStream_t of, bool can)
{
    uint64_t number = 0;
    wr_client_lock();
    cudaError_t error = wr_stream_number(of, &number);
    error = error ? error : can ? cudaSuccess : cudaErrorInvalidValue;
    return wr_client_unlock(error ? error : wr_client_wait(1, number, 0));
}

/* The host's functions run when the stream has come to them, so that is waited for. */
WR_API cudaError_t cudaLaunchHostFunc(cudaStream_t of, cudaHostFn_t function, void *data)
{
    cudaError_t error = wait_to_call(of, function != NULL);
    if (!error && function) {
        function(data);
    }
    return error;
}

/* A callback is told an error of the GPU's work, and called all the same. */
WR_API cudaError_t cudaStreamAddCallback(cudaStream_t of, cudaStreamCallback_t callback, void *data,
                                         unsigned flags)
{
    cudaError_t error = wait_to_call(of, callback != NULL && flags == 0);
    if (error == cudaErrorInvalidResourceHandle || error == cudaErrorInvalidValue || !callback) {
        return error;
    }
    callback(of, error, data);
    return cudaSuccess;
}

static cudaError_t new_event(cudaEvent_t *handle, unsigned flags)
{
    wr_cuda_request request = {.what = WR_CUDA_EVENT};
    bool interprocess = (flags & cudaEventInterprocess) != 0; /* such an event has no time */
    if (!handle || (flags & ~(unsigned)EVENT_FLAGS) ||
        (interprocess && !(flags & cudaEventDisableTiming))) {
        return cudaErrorInvalidValue;
    }
    event *e = calloc(1, sizeof *e);
    cudaError_t error = !e ? cudaErrorMemoryAllocation
                        : !wr_client_device()
                            ? cudaErrorNoDevice
                            : wr_client_ask(&request, NULL, &e->number, NULL, NULL);
    void *made = error ? NULL : wr_handle_new(WR_HANDLE_EVENT, e);
    if (!made) {
        free(e);
        return error ? error : cudaErrorMemoryAllocation;
    }
    e->timed = !(flags & cudaEventDisableTiming);
    *handle = made;
    return cudaSuccess;
}

WR_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags)
{
    wr_client_lock();
    return wr_client_unlock(new_event(handle, flags));
}

WR_API cudaError_t cudaEventCreate(cudaEvent_t *handle)
{
    return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

WR_API cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    wr_client_lock();
    const event *e = event_of(handle);
    if (!e) {
        return wr_client_unlock(cudaErrorInvalidResourceHandle);
    }
    cudaError_t error = wr_client_tell(WR_CUDA_END_EVENT, 0, e->number, 0, 0);
    wr_handle_end(handle);
    return wr_client_unlock(error);
}

WR_API cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    wr_client_lock();
    const event *e = event_of(handle);
    return wr_client_unlock(e ? wr_client_wait(2, 0, e->number) : cudaErrorInvalidResourceHandle);
}

WR_API cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    return cudaEventSynchronize(handle);
}

static cudaError_t elapsed(float *milliseconds, const event *from, const event *to)
{
    wr_cuda_request request = {.what = WR_CUDA_ELAPSED};
    uint64_t cycles = 0;
    if (!milliseconds) {
        return cudaErrorInvalidValue;
    }
    if (!from || !to || !from->timed || !to->timed || !from->recorded || !to->recorded) {
        return cudaErrorInvalidResourceHandle;
    }
    request.a = from->number;
    request.b = to->number;
    cudaError_t error = wr_client_ask(&request, NULL, &cycles, NULL, NULL);
    if (error == cudaErrorNotReady) { /* so that a program which asks again comes to an end */
        cudaError_t failed = wr_client_wait(2, 0, from->number);
        failed = failed ? failed : wr_client_wait(2, 0, to->number);
        return failed ? failed : error;
    }
    if (!error) {
        *milliseconds = (float)((double)(int64_t)cycles / (wr_client_device()->core_mhz * 1e3));
    }
    return error;
}

WR_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    wr_client_lock();
    return wr_client_unlock(elapsed(milliseconds, event_of(from), event_of(to)));
}
