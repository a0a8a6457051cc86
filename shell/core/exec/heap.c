/* SPDX-License-Identifier: Apache-2.0 */
/* See heap.h. */
#include "shell/core/exec/heap.h"

#include <stdlib.h>

#define NONE                  UINT32_MAX
#define WR_HEAP_MOST_GRANULES (UINT32_C(512) << 16) /* 512 MiB */

/* What a granule is. */
enum { INSIDE, FREE_END, USED_FIRST, USED_LAST }; /* FREE_END: first or last of a free block */

static unsigned class_of(uint32_t granules)
{
    return 31u - (unsigned)__builtin_clz(granules);
}

static void mark(wr_heap *heap, uint32_t block, uint32_t granules, bool used)
{
    uint32_t last = block + granules - 1;
    heap->size[block] = heap->size[last] = granules;
    heap->state[last] = used ? USED_LAST : FREE_END;
    heap->state[block] = used ? USED_FIRST : FREE_END;
}

/* Its ends will lie inside another block. */
static void unmark(wr_heap *heap, uint32_t block)
{
    heap->state[block + heap->size[block] - 1] = INSIDE;
    heap->state[block] = INSIDE;
}

static void link_free(wr_heap *heap, uint32_t block, uint32_t granules)
{
    uint32_t *head = &heap->head[class_of(granules)];
    mark(heap, block, granules, false);
    heap->prev[block] = NONE;
    heap->next[block] = *head;
    if (*head != NONE) {
        heap->prev[*head] = block;
    }
    *head = block;
}

static void unlink_free(wr_heap *heap, uint32_t block)
{
    uint32_t next = heap->next[block];
    uint32_t prev = heap->prev[block];
    if (next != NONE) {
        heap->prev[next] = prev;
    }
    if (prev != NONE) {
        heap->next[prev] = next;
    } else {
        heap->head[class_of(heap->size[block])] = next;
    }
}

bool wr_heap_init(wr_heap *heap, uint64_t base, uint64_t bytes)
{
    uint32_t n = (uint32_t)(bytes / WR_HEAP_GRANULE);
    *heap = (wr_heap){.base = base, .granules = n};
    heap->size = calloc(n, sizeof *heap->size);
    heap->state = calloc(n, sizeof *heap->state);
    heap->next = calloc(n, sizeof *heap->next);
    heap->prev = calloc(n, sizeof *heap->prev);
    if (heap->size == NULL || heap->state == NULL || heap->next == NULL || heap->prev == NULL) {
        wr_heap_free(heap);
        return false;
    }
    for (unsigned i = 0; i < WR_HEAP_CLASSES; i++) {
        heap->head[i] = NONE;
    }
    link_free(heap, 0, n);
    return true;
}

void wr_heap_free(wr_heap *heap)
{
    free(heap->size);
    free(heap->state);
    free(heap->next);
    free(heap->prev);
    *heap = (wr_heap){0};
}

/* Every block of a higher class will do; of its own class the first that is large enough. */
static uint32_t find(const wr_heap *heap, uint32_t granules)
{
    unsigned own = class_of(granules);
    uint32_t block = heap->head[own];
    while (block != NONE && heap->size[block] < granules) {
        block = heap->next[block];
    }
    for (unsigned i = own + 1; i < WR_HEAP_CLASSES && block == NONE; i++) {
        block = heap->head[i];
    }
    return block;
}

uint64_t wr_heap_take(wr_heap *heap, uint64_t bytes)
{
    if (bytes == 0 || bytes > heap->granules * WR_HEAP_GRANULE) {
        return 0;
    }
    uint32_t granules = (uint32_t)((bytes + WR_HEAP_GRANULE - 1) / WR_HEAP_GRANULE);
    uint32_t block = find(heap, granules);
    if (block == NONE) {
        return 0;
    }
    uint32_t rest = heap->size[block] - granules;
    unlink_free(heap, block);
    unmark(heap, block);
    mark(heap, block, granules, true);
    if (rest != 0) {
        link_free(heap, block + granules, rest);
    }
    return heap->base + block * WR_HEAP_GRANULE;
}

uint64_t wr_heap_block(const wr_heap *heap, uint64_t addr)
{
    uint64_t offset = addr - heap->base;
    if (addr < heap->base || offset % WR_HEAP_GRANULE != 0 ||
        offset / WR_HEAP_GRANULE >= heap->granules ||
        heap->state[offset / WR_HEAP_GRANULE] != USED_FIRST) {
        return 0;
    }
    return heap->size[offset / WR_HEAP_GRANULE] * WR_HEAP_GRANULE;
}

bool wr_heap_give(wr_heap *heap, uint64_t addr)
{
    uint64_t bytes = wr_heap_block(heap, addr);
    if (bytes == 0) {
        return false;
    }
    uint32_t block = (uint32_t)((addr - heap->base) / WR_HEAP_GRANULE);
    uint32_t granules = (uint32_t)(bytes / WR_HEAP_GRANULE);
    uint32_t behind = block + granules;
    unmark(heap, block);
    if (behind < heap->granules && heap->state[behind] == FREE_END) {
        granules += heap->size[behind];
        unlink_free(heap, behind);
        unmark(heap, behind);
    }
    if (block > 0 && heap->state[block - 1] == FREE_END) {
        block -= heap->size[block - 1];
        granules += heap->size[block];
        unlink_free(heap, block);
        unmark(heap, block);
    }
    link_free(heap, block, granules);
    return true;
}

/* base, granules; blocks in order of addresses, a bit says whether one is in use; free blocks in
 * order of their lists. */
void wr_heap_save(const wr_heap *heap, wr_bytes *out)
{
    uint32_t blocks = 0;
    uint32_t frees = 0;
    for (uint32_t b = 0; b < heap->granules; b += heap->size[b]) {
        blocks++;
        frees += heap->state[b] == FREE_END;
    }
    wr_bytes_put64(out, heap->base);
    wr_bytes_put32(out, heap->granules);
    wr_bytes_put32(out, blocks);
    wr_bytes_put32(out, frees);
    for (uint32_t b = 0; b < heap->granules; b += heap->size[b]) {
        wr_bytes_put64(out, (uint64_t)heap->size[b] << 1 | (heap->state[b] != FREE_END));
    }
    for (unsigned i = 0; i < WR_HEAP_CLASSES; i++) {
        for (uint32_t b = heap->head[i]; b != NONE; b = heap->next[b]) {
            wr_bytes_put32(out, b);
        }
    }
}

/* The blocks, all as if in use. Returns how many are free; UINT32_MAX: they are no heap. */
static uint32_t load_blocks(wr_heap *heap, wr_bytes_in *in, uint32_t blocks)
{
    uint32_t at = 0;
    uint32_t frees = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        uint64_t word = wr_bytes_get64(in);
        if (word >> 1 == 0 || word >> 1 > heap->granules - at) {
            return UINT32_MAX;
        }
        mark(heap, at, (uint32_t)(word >> 1), true);
        heap->next[at] = word & 1 ? 0 : 1; /* free: to be linked */
        frees += word & 1 ? 0 : 1;
        at += (uint32_t)(word >> 1);
    }
    return at == heap->granules ? frees : UINT32_MAX;
}

/* Their lists, the last first, since a list grows at its head. */
static bool load_frees(wr_heap *heap, wr_bytes_in *in, uint32_t frees)
{
    const uint8_t *lists = wr_bytes_get(in, (size_t)frees * 4);
    for (uint32_t i = frees; lists != NULL && i-- > 0;) {
        wr_bytes_in one = {.at = lists + (size_t)i * 4, .left = 4};
        uint32_t block = wr_bytes_get32(&one);
        if (block >= heap->granules || heap->state[block] != USED_FIRST || heap->next[block] != 1) {
            return false; /* none begins there, it is in use, or it came before */
        }
        heap->next[block] = 0;
        link_free(heap, block, heap->size[block]);
    }
    return lists != NULL;
}

bool wr_heap_load(wr_heap *heap, wr_bytes_in *in)
{
    uint64_t base = wr_bytes_get64(in);
    uint32_t granules = wr_bytes_get32(in);
    uint32_t blocks = wr_bytes_get32(in);
    uint32_t frees = wr_bytes_get32(in);
    if (in->failed || granules == 0 || granules > WR_HEAP_MOST_GRANULES || blocks > granules ||
        !wr_heap_init(heap, base, granules * WR_HEAP_GRANULE)) {
        return false;
    }
    unlink_free(heap, 0);
    unmark(heap, 0);
    if (load_blocks(heap, in, blocks) != frees || !load_frees(heap, in, frees)) {
        wr_heap_free(heap);
        return false;
    }
    return true;
}
