/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of memory; see store.h. */
#include "cuda/server/store.h"

#include <stdlib.h>
#include <string.h>

#include "shell/core/memcheck.h"

#define ALIGN 256 /* bytes, as cudaMalloc */

void *wr_store_longer(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) == 0) {
        array = realloc(array, (count ? 2 * count : 1) * size);
    }
    if (array) {
        memset((char *)array + count * size, 0, size);
    }
    return array;
}

/* The block that holds the address. NULL: none does. */
static wr_store_block *find(const wr_store *s, uint64_t address)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->blocks[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    wr_store_block *b = low ? &s->blocks[low - 1] : NULL;
    return b && b->used && address - b->address < b->size ? b : NULL;
}

bool wr_store_has(const wr_store *s, uint64_t address, uint64_t bytes)
{
    const wr_store_block *b = find(s, address);
    return bytes == 0 || (b && bytes <= b->size - (address - b->address));
}

static bool note(wr_store *s, uint64_t address, uint64_t size, bool fixed)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        wr_store_block *grown = realloc(s->blocks, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        s->blocks = grown;
        s->room = room;
    }
    s->blocks[s->count++] = (wr_store_block){address, size, true, fixed};
    s->used += size;
    return true;
}

bool wr_store_keep(wr_store *s, uint64_t address, uint64_t bytes)
{
    return bytes == 0 || (address != 0 && note(s, address, bytes, true));
}

static void mark(const wr_store *s, uint64_t address, uint64_t bytes, bool both)
{
    if (both) {
        wr_gpu_memory_defined(s->gpu, address, bytes);
    } else {
        wr_gpu_memory_undefined(s->gpu, address, bytes);
    }
}

int wr_store_alloc(wr_store *s, uint64_t bytes, uint64_t align, bool both, uint64_t *address)
{
    if (bytes == 0 || bytes > UINT64_MAX / 2 || align > 1u << 20) {
        return bytes ? WR_CUDA_NO_MEMORY : WR_CUDA_INVALID_VALUE;
    }
    uint64_t step = both && align > ALIGN ? align : ALIGN;
    uint64_t size = (bytes + step - 1) / step * step;
    size += wr_gpu_checks_memory(s->gpu) ? ALIGN : 0; /* so that no block begins where it ends */
    align = align > ALIGN ? align : ALIGN;
    for (size_t i = 0; i < s->count; i++) {
        wr_store_block *b = &s->blocks[i];
        if (!b->used && b->size >= size && b->size / 2 <= size && b->address % align == 0) {
            b->used = true;
            s->used += b->size;
            *address = b->address;
            mark(s, b->address, bytes, both);
            return 0;
        }
    }
    *address = wr_gpu_alloc(s->gpu, size, (uint32_t)align);
    if (!*address || !note(s, *address, size, false)) {
        return WR_CUDA_NO_MEMORY;
    }
    wr_gpu_memory_released(s->gpu, *address, size);
    mark(s, *address, bytes, both);
    return 0;
}

int wr_store_release(wr_store *s, uint64_t address)
{
    wr_store_block *b = find(s, address);
    if (!b || b->address != address || b->fixed) {
        return WR_CUDA_INVALID_VALUE;
    }
    b->used = false;
    s->used -= b->size;
    wr_gpu_memory_released(s->gpu, b->address, b->size);
    return 0;
}

void wr_store_free(wr_store *s)
{
    free(s->blocks);
    *s = (wr_store){0};
}
