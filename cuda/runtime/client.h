/* SPDX-License-Identifier: Apache-2.0 */
/* The program's end of the wire: starts the simulated GPU at its first use, asks it, keeps errors.
 *
 * Functions of the API are called from any thread: each takes the lock for all that it does. A
 * thread's last error is its own, as in CUDA; an error that has ended the GPU's work comes back
 * from every call behind it.
 *
 * A GPU is of the process that has called first. One that is forked behind that has none: every
 * call in it returns cudaErrorInitializationError, nothing is sent, and its end is not the
 * program's. One that is forked before gets a GPU of its own with its first call.
 */
#ifndef WR_CUDA_RUNTIME_CLIENT_H
#define WR_CUDA_RUNTIME_CLIENT_H

#include <stdint.h>

#include "cuda/runtime/api.h"
#include "cuda/wire.h"

void wr_client_lock(void);
/* Notes the error as the thread's last one, lets go of the lock, and returns it. */
cudaError_t wr_client_unlock(cudaError_t error);
/* For functions that need no GPU: an error where the process may have none. */
cudaError_t wr_client_here(void);

/* What the GPU is. NULL: it cannot be had, a message was printed; the program ends with status 1 by
 * itself or by what its own checks say. Where it does not take its options the program ends at
 * once, with status 2. */
const wr_cuda_device *wr_client_device(void);

/* A message about the program; one that would have ended with 0 ends with 1. */
void wr_client_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sends a request with `bytes` of data behind it, and takes the reply: *a (may be NULL) is its
 * number, *text what came with it, to be freed (may be NULL). */
cudaError_t wr_client_ask(wr_cuda_request *request, const void *data, uint64_t *a, char **text,
                          uint64_t *text_bytes);
/* The same without data or answer. */
cudaError_t wr_client_tell(uint32_t what, uint64_t stream, uint64_t a, uint64_t b, uint64_t c);

/* Waits for everything, a stream, an event (wire.h); data that were read are where they belong
 * then. */
cudaError_t wr_client_wait(uint64_t a, uint64_t stream, uint64_t event);

/* A pointer that the program has for a place of the GPU's memory, or that it gave as a number. */
static inline void *wr_client_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr): that is what it is
}

/* Memory of both sides (managed.c): what the host has changed goes to the GPU, and back. */
cudaError_t wr_managed_push(void);
cudaError_t wr_managed_pull(void);

#endif
