/* SPDX-License-Identifier: Apache-2.0 */
/* The wire, the process behind it, errors; see client.h. */
#include "cuda/runtime/client.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/runtime/managed.h"
#include "cuda/runtime/process.h"

enum { BAD_USAGE = 2 }; /* exit status */

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static _Thread_local cudaError_t last;
static struct {
    _Atomic pid_t owner; /* the process that has called first, 0: none has */
    bool forked;         /* this is another one, and has no GPU */
    bool told;           /* that it has none */
    wr_process process;
    bool greeted; /* so that what it is is known */
    wr_cuda_device device;
    cudaError_t ended; /* its work, for good */
    bool lost;         /* it has died */
    bool refused;      /* something of the program */
    bool leaving;      /* data that were read belong nowhere any more */
    int status;        /* of the program, where it has called exit */
} gpu = {.process = WR_PROCESS_NONE};

/* A process that was forked behind the first call, by whatever means: CUDA has nothing for it, and
 * what stands here is its parent's. vfork shares even that, so the number decides. */
static bool is_foreign(void)
{
    pid_t owner = gpu.owner;
    return gpu.forked || (owner != 0 && owner != getpid());
}

/* The lock may be held by a thread that is not in the child. */
static void in_child(void)
{
    gpu.forked = gpu.owner != 0;
    wr_process_leave(&gpu.process);
    lock = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
}

static __attribute__((constructor)) void begin(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

void wr_client_lock(void)
{
    if (!is_foreign()) {
        (void)pthread_mutex_lock(&lock);
    }
}

cudaError_t wr_client_unlock(cudaError_t error)
{
    bool foreign = is_foreign();
    error = foreign ? cudaErrorInitializationError : error;
    if (error != cudaSuccess) {
        last = error;
    }
    if (!foreign) {
        (void)pthread_mutex_unlock(&lock);
    } else if (!gpu.told) {
        gpu.told = true;
        (void)fprintf(stderr,
                      "warpref: process %ld was forked behind its parent's first call of "
                      "CUDA: it has no GPU, and its calls return error %d\n",
                      (long)getpid(), (int)cudaErrorInitializationError);
    }
    return error;
}

cudaError_t wr_client_here(void)
{
    wr_client_lock();
    return wr_client_unlock(cudaSuccess);
}

void wr_client_refuse(const char *format, ...)
{
    va_list args;
    (void)fflush(stdout);
    (void)fputs("warpref: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    gpu.refused = true;
}

WR_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = is_foreign() ? cudaSuccess : gpu.ended;
    return error;
}

WR_API cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

/* The program ends here, with what its GPU has ended with and said. What it would do at its end is
 * left out: it may call CUDA. */
static _Noreturn void end_program(const char *why, int status)
{
    (void)fflush(NULL);
    (void)fprintf(stderr, "warpref: %s; the program ends with exit status %d\n", why, status);
    _exit(status);
}

static void on_end(int status, void *arg)
{
    (void)arg;
    gpu.status = status;
}

/* What the program has enqueued and not waited for runs to its end. */
static bool finish(void)
{
    wr_cuda_request everything = {.what = WR_CUDA_WAIT}, leave = {.what = WR_CUDA_LEAVE};
    wr_cuda_reply reply = {0};
    gpu.leaving = true;
    cudaError_t error =
        gpu.ended ? cudaSuccess : wr_client_ask(&everything, NULL, NULL, NULL, NULL);
    (void)fflush(stdout);
    return wr_process_send(&gpu.process, &leave, sizeof leave) &&
           wr_process_receive(&gpu.process, &reply, sizeof reply) && reply.error == 0 &&
           error == cudaSuccess;
}

/* Behind all that the program does: the GPU writes its files and says how it ended. Not where a
 * handler of a signal ends the program in the middle of a call. */
static __attribute__((destructor)) void leave(void)
{
    if (gpu.owner == 0 || is_foreign()) {
        return;
    }
    bool good = !gpu.lost && !gpu.refused;
    bool inside = pthread_mutex_lock(&lock) == EDEADLK;
    if (gpu.process.fd >= 0 && inside) {
        wr_process_leave(&gpu.process);
        good = false;
    } else if (gpu.process.fd >= 0) {
        good = finish() && good && !gpu.lost;
        wr_process_join(&gpu.process);
    }
    gpu.ended = gpu.ended ? gpu.ended : cudaErrorCudartUnloading;
    (void)pthread_mutex_unlock(&lock);
    if (gpu.status == 0 && !good) {
        (void)fflush(NULL);
        _exit(1);
    }
}

static bool greet(void)
{
    wr_cuda_request request = {.what = WR_CUDA_GREET, .a = WR_CUDA_GREETING};
    char *text = NULL;
    uint64_t bytes = 0;
    bool ok = wr_client_ask(&request, NULL, NULL, &text, &bytes) == cudaSuccess &&
              bytes == sizeof gpu.device;
    if (ok) {
        memcpy(&gpu.device, text, sizeof gpu.device);
    }
    free(text);
    gpu.greeted = ok;
    return ok;
}

/* Of the process's own GPU, before all else. */
static void start(void)
{
    char why[512];
    gpu.owner = getpid();
    (void)fflush(stdout);
    switch (wr_process_start(&gpu.process)) {
    case WR_PROCESS_STARTED:
        (void)on_exit(on_end, NULL);
        if (!greet()) { /* it has said why */
            wr_process_leave(&gpu.process);
            gpu.lost = true;
        } else {
            wr_both_open(gpu.process.memory, gpu.device.first_address, gpu.device.global_bytes);
        }
        wr_process_drop_memory(&gpu.process);
        break;
    case WR_PROCESS_REFUSED:
        (void)snprintf(why, sizeof why,
                       "the environment variable WARPREF holds what `warpref run` does not take: "
                       "%.300s",
                       getenv("WARPREF"));
        end_program(why, BAD_USAGE);
    case WR_PROCESS_ABSENT:
        break;
    }
}

const wr_cuda_device *wr_client_device(void)
{
    if (gpu.owner == 0) {
        start();
    }
    return gpu.greeted && !is_foreign() ? &gpu.device : NULL;
}

/* What stands behind a reply to a wait. */
static bool take_notes(uint32_t count)
{
    for (; count > 0; count--) {
        wr_cuda_note note;
        if (!wr_process_receive(&gpu.process, &note, sizeof note)) {
            return false;
        }
        bool printed = note.mark == WR_CUDA_PRINTED;
        if (!printed && !gpu.leaving) { /* it is the place where the data belong */
            if (!wr_process_receive(&gpu.process, wr_client_pointer(note.mark), note.bytes)) {
                return false;
            }
            continue;
        }
        char part[4096];
        for (uint64_t left = note.bytes; left > 0;) {
            size_t n = left < sizeof part ? (size_t)left : sizeof part;
            if (!wr_process_receive(&gpu.process, part, n)) {
                return false;
            }
            (void)fwrite(part, 1, printed ? n : 0, stdout);
            left -= n;
        }
    }
    return true;
}

static cudaError_t lost(void)
{
    if (gpu.ended == cudaSuccess) {
        (void)fflush(stdout);
        if (wr_process_has_socket(&gpu.process)) {
            (void)fprintf(stderr, "the simulated GPU is gone\n");
        } else {
            (void)fprintf(stderr,
                          "warpref: the program has closed descriptor %d, which is the socket to "
                          "the simulated GPU; close only descriptors that are the program's\n",
                          gpu.process.fd);
        }
        gpu.ended = cudaErrorUnknown;
        gpu.lost = true;
        wr_process_leave(&gpu.process); /* nothing that is said now would be understood */
    }
    return gpu.ended;
}

cudaError_t wr_client_ask(wr_cuda_request *request, const void *data, uint64_t *a, char **text,
                          uint64_t *text_bytes)
{
    wr_cuda_reply reply;
    if (is_foreign()) {
        return cudaErrorInitializationError;
    }
    if (gpu.ended != cudaSuccess || gpu.process.fd < 0) {
        return gpu.ended != cudaSuccess ? gpu.ended : cudaErrorNoDevice;
    }
    bool sent = wr_process_send(&gpu.process, request, sizeof *request) &&
                wr_process_send(&gpu.process, data, request->bytes);
    /* One that has ended says so before it is asked. */
    if (!wr_process_receive(&gpu.process, &reply, sizeof reply)) {
        return lost();
    }
    if (reply.error != 0 && reply.a == WR_CUDA_OVER) {
        end_program("the simulated GPU, whose options WARPREF holds, has ended, as said above",
                    reply.error);
    }
    if (!sent) {
        return lost();
    }
    char *said = malloc(reply.bytes + 1);
    if (!said || !wr_process_receive(&gpu.process, said, reply.bytes) || !take_notes(reply.notes)) {
        free(said);
        return lost();
    }
    said[reply.bytes] = '\0';
    if (reply.error != 0 &&
        request->what == WR_CUDA_WAIT) { /* it comes back from all that follows */
        gpu.ended = (cudaError_t)reply.error;
    }
    if (reply.error != 0 && reply.bytes != 0) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "warpref: %s\n", said);
        if (request->what == WR_CUDA_WAIT && reply.error == cudaErrorIllegalAddress && reply.a) {
            (void)fprintf(stderr, "warpref: 0x%llx %s\n", (unsigned long long)reply.a,
                          wr_both_explain(reply.a));
        }
    }
    if (a) {
        *a = reply.a;
    }
    if (text && reply.error == 0) {
        *text = said;
        *text_bytes = reply.bytes;
    } else {
        free(said);
    }
    return (cudaError_t)reply.error;
}

cudaError_t wr_client_tell(uint32_t what, uint64_t stream, uint64_t a, uint64_t b, uint64_t c)
{
    wr_cuda_request request = {.what = what, .stream = (uint32_t)stream, .a = a, .b = b, .c = c};
    return wr_client_device() ? wr_client_ask(&request, NULL, NULL, NULL, NULL) : cudaErrorNoDevice;
}

cudaError_t wr_client_wait(uint64_t a, uint64_t stream, uint64_t event)
{
    cudaError_t error = wr_managed_push();
    error = error ? error : wr_client_tell(WR_CUDA_WAIT, stream, a, event, 0);
    return error ? error : wr_managed_pull();
}
