/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that host and GPU address alike: the host's pages lie at the GPU's addresses. Before
 * kernels run what the host has changed is sent, page by page; behind each wait the GPU's contents
 * come back. A copy of what both had last tells what has changed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/runtime/managed.h"

enum { PAGE = 4096 };

static struct piece {
    uint8_t *at, *before;
    size_t bytes;
    struct piece *next;
} * pieces;
static uint64_t aside; /* a stream that waits for none, and none for it */

/* Of pages that variables share, each is mapped once. */
static bool is_mapped(uint64_t page)
{
    for (const struct piece *p = pieces; p; p = p->next) {
        if (page + PAGE > (uintptr_t)p->at && page < (uintptr_t)p->at + p->bytes) {
            return true;
        }
    }
    return false;
}

/* The host's pages for what the GPU has there. */
static cudaError_t share(uint64_t address, size_t bytes)
{
    struct piece *p = calloc(1, sizeof *p);
    uint64_t from = address / PAGE * PAGE, to = (address + bytes + PAGE - 1) / PAGE * PAGE;
    if (!p || !(p->before = calloc(bytes, 1))) {
        free(p);
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = cudaSuccess;
    if (aside == 0) {
        wr_cuda_request stream = {.what = WR_CUDA_STREAM};
        error = wr_client_ask(&stream, NULL, &aside, NULL, NULL);
    }
    from += from < to && is_mapped(from) ? PAGE : 0;
    to -= from < to && is_mapped(to - PAGE) ? PAGE : 0;
    if (!error && from < to) {
        void *mapped = mmap(wr_client_pointer(from), to - from, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        error = mapped == wr_client_pointer(from) ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (error) {
        free(p->before);
        free(p);
        return error;
    }
    p->at = wr_client_pointer(address);
    p->bytes = bytes;
    p->next = pieces;
    pieces = p;
    error = wr_managed_push(); /* of others; what the GPU has there is not zeros */
    return error ? error : wr_managed_pull();
}

cudaError_t wr_managed_alloc(void **at, size_t bytes)
{
    uint64_t address = 0;
    wr_cuda_request request = {.what = WR_CUDA_ALLOC, .a = bytes, .b = PAGE};
    if (bytes == 0 || !wr_client_device()) {
        return bytes == 0 ? cudaErrorInvalidValue : cudaErrorNoDevice;
    }
    cudaError_t error = wr_client_ask(&request, NULL, &address, NULL, NULL);
    error = error ? error : share(address, bytes);
    if (!error) {
        *at = wr_client_pointer(address);
    }
    return error;
}

cudaError_t wr_managed_variable(uint64_t address, size_t bytes)
{
    return share(address, bytes);
}

bool wr_managed_free(void *at, cudaError_t *error)
{
    for (struct piece **p = &pieces; *p; p = &(*p)->next) {
        struct piece *found = *p;
        if (found->at == at) {
            *error = wr_client_wait(0, 0, 0);
            *error = *error ? *error : wr_client_tell(WR_CUDA_FREE, 0, (uintptr_t)at, 0, 0);
            *p = found->next;
            size_t mapped = (found->bytes + PAGE - 1) / PAGE * PAGE;
            mapped -= is_mapped((uintptr_t)at + mapped - PAGE) ? PAGE : 0; /* a variable's, too */
            (void)munmap(found->at, mapped);
            free(found->before);
            free(found);
            return true;
        }
    }
    return false;
}

bool wr_managed_has(const void *at)
{
    for (const struct piece *p = pieces; p; p = p->next) {
        if ((const uint8_t *)at >= p->at && (const uint8_t *)at < p->at + p->bytes) {
            return true;
        }
    }
    return false;
}

cudaError_t wr_managed_push(void)
{
    for (const struct piece *p = pieces; p; p = p->next) {
        for (size_t i = 0; i < p->bytes; i += PAGE) {
            size_t bytes = p->bytes - i < PAGE ? p->bytes - i : PAGE;
            if (memcmp(p->at + i, p->before + i, bytes) != 0) {
                wr_cuda_request request = {.what = WR_CUDA_WRITE,
                                           .stream = (uint32_t)aside,
                                           .a = (uintptr_t)p->at + i,
                                           .bytes = bytes};
                cudaError_t error = wr_client_ask(&request, p->at + i, NULL, NULL, NULL);
                if (error) {
                    return error;
                }
                memcpy(p->before + i, p->at + i, bytes);
            }
        }
    }
    return cudaSuccess;
}

cudaError_t wr_managed_pull(void)
{
    if (!pieces) {
        return cudaSuccess;
    }
    for (const struct piece *p = pieces; p; p = p->next) {
        cudaError_t error =
            wr_client_tell(WR_CUDA_READ, aside, (uintptr_t)p->at, p->bytes, (uintptr_t)p->at);
        if (error) {
            return error;
        }
    }
    cudaError_t error = wr_client_tell(WR_CUDA_WAIT, aside, 1, 0, 0);
    for (const struct piece *p = pieces; !error && p; p = p->next) {
        memcpy(p->before, p->at, p->bytes);
    }
    return error;
}
