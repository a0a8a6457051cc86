/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's memory as a program allocates it: the GPU hands addresses out in ascending order and
 * takes none back, so what is freed waits here for the next one of about its size.
 */
#ifndef WR_CUDA_SERVER_STORE_H
#define WR_CUDA_SERVER_STORE_H

#include "cuda/wire.h"
#include "shell/core/gpu.h"

typedef struct wr_store_block {
    uint64_t address, size;
    bool used, fixed; /* fixed: a module's, which is not freed */
} wr_store_block;

typedef struct wr_store {
    wr_gpu *gpu;
    wr_store_block *blocks; /* ascending addresses */
    size_t count, room;
    uint64_t used; /* bytes */
} wr_store;

/* CUDA's error, 0 = none. `both`: the program writes there as well, so the memory has the pages
 * that it is in, of `align` bytes, for itself. */
int wr_store_alloc(wr_store *store, uint64_t bytes, uint64_t align, bool both, uint64_t *address);
int wr_store_release(wr_store *store, uint64_t address);
/* Notes memory that the GPU gave to a module. False: out of memory. */
bool wr_store_keep(wr_store *store, uint64_t address, uint64_t bytes);
/* Are they all in one allocation? */
bool wr_store_has(const wr_store *store, uint64_t address, uint64_t bytes);
/* An array with room for one more element at its end, zeros; it grows at each power of two. NULL:
 * out of memory. */
void *wr_store_longer(void *array, size_t count, size_t size);
void wr_store_free(wr_store *store);

#endif
