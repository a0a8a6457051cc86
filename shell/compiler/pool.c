/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of chunks; a piece that is larger than a chunk gets one of its own. */
#include "shell/compiler/pool.h"

#include "files/memory.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 16)
#define ALIGN_BYTES ((size_t)16)

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
} chunk;

struct wr_pool {
    chunk *chunks;
};

wr_pool *wr_pool_new(void)
{
    return wr_need_calloc(1, sizeof(wr_pool));
}

void wr_pool_free(wr_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    for (chunk *c = pool->chunks; c != NULL;) {
        chunk *next = c->next;

        free(c);
        c = next;
    }
    free(pool);
}

void *wr_pool_alloc(wr_pool *pool, size_t count, size_t size)
{
    size_t bytes;
    chunk *c = pool->chunks;
    void *piece;

    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        wr_out_of_memory();
    }
    bytes = (count * size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (c == NULL || c->size - c->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

        c = wr_need_calloc(1, sizeof(chunk) + room);
        c->size = room;
        c->next = pool->chunks;
        pool->chunks = c;
    }
    piece = c->bytes + c->used;
    c->used += bytes;
    return piece;
}

char *wr_pool_text(wr_pool *pool, const char *text)
{
    size_t len = strlen(text) + 1;

    return memcpy(wr_pool_alloc(pool, len, 1), text, len);
}

void *wr_pool_grow(wr_pool *pool, void *array, uint32_t count, uint32_t *cap, size_t size)
{
    uint32_t larger;
    void *moved;

    if (count < *cap) {
        return array;
    }
    larger = *cap < 8 ? 8 : *cap * 2;
    moved = wr_pool_alloc(pool, larger, size);
    if (count > 0) {
        memcpy(moved, array, count * size);
    }
    *cap = larger;
    return moved;
}
