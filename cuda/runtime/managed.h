/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that host and GPU both address: managed, pinned, registered. All under the client's lock.
 */
#ifndef WR_CUDA_RUNTIME_MANAGED_H
#define WR_CUDA_RUNTIME_MANAGED_H

#include "cuda/runtime/client.h"

typedef enum wr_both_kind {
    WR_BOTH_NONE,
    WR_BOTH_MANAGED,
    WR_BOTH_VARIABLE, /* a __managed__ one, which is not freed */
    WR_BOTH_PINNED,
    WR_BOTH_REGISTERED /* the program's own */
} wr_both_kind;

/* What a pointer of the host is. */
typedef struct wr_both {
    wr_both_kind kind;
    void *host; /* where the piece begins */
    size_t bytes;
    unsigned flags; /* of cudaHostAlloc or cudaHostRegister */
} wr_both;

/* The program sees the GPU's memory through `fd`, `bytes` of it from the GPU's address `first` on.
 * The descriptor is not needed afterwards. */
void wr_both_open(int fd, uint64_t first, uint64_t bytes);

cudaError_t wr_both_alloc(wr_both_kind kind, void **at, size_t bytes, unsigned flags);
/* Frees what begins there and is of the kind; cudaErrorInvalidValue: nothing does. */
cudaError_t wr_both_free(wr_both_kind kind, void *at);
cudaError_t wr_both_register(void *at, size_t bytes, unsigned flags);
cudaError_t wr_both_unregister(void *at);
wr_both wr_both_find(const void *at);
/* The GPU's address of a host's place in such memory, 0: none. Of registered memory the GPU has a
 * copy from the first call with `make` on, and none before. */
uint64_t wr_both_address(const void *at, bool make);
/* The place of registered memory whose copy the GPU has at this address; NULL: it has none there.
 */
void *wr_both_copied(const void *device);
/* A variable of a module's becomes such memory. */
cudaError_t wr_managed_variable(uint64_t address, size_t bytes);

/* Does the program have all of it, to read or to write? */
bool wr_host_has(const void *at, size_t bytes, bool to_write);
/* What the address of a kernel's access is, which was in no allocation: words behind "it". */
const char *wr_both_explain(uint64_t address);

#endif
