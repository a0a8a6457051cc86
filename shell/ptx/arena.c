/* SPDX-License-Identifier: Apache-2.0 */
/* See arena.h. Chunks of 64 KiB in a list; a request above a quarter of that gets a chunk of
 * its own behind the current one, so that the current one's rest is not lost. */
#include "shell/ptx/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGNMENT   _Alignof(max_align_t)

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t data[];
} chunk;

struct wr_ptx_arena {
    chunk *head; /* the one being filled */
};

static void *checked_calloc(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL) {
        (void)fputs("error: out of memory while reading PTX; give the process more memory\n",
                    stderr);
        exit(2);
    }
    return memory;
}

static chunk *chunk_new(size_t size)
{
    chunk *made = (chunk *)checked_calloc(sizeof(chunk) + size);
    made->size = size;
    return made;
}

wr_ptx_arena *wr_ptx_arena_new(void)
{
    wr_ptx_arena *arena = (wr_ptx_arena *)checked_calloc(sizeof *arena);
    arena->head = chunk_new(CHUNK_BYTES);
    return arena;
}

void wr_ptx_arena_free(wr_ptx_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    chunk *item = arena->head;
    while (item != NULL) {
        chunk *next = item->next;
        free(item);
        item = next;
    }
    free(arena);
}

void *wr_ptx_arena_alloc(wr_ptx_arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    chunk *head = arena->head;
    if (head->size - head->used >= size) {
        void *memory = (unsigned char *)head->data + head->used;
        head->used += size;
        return memory;
    }
    chunk *made = chunk_new(size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES);
    made->used = size;
    if (size > CHUNK_BYTES / 4) {
        made->next = head->next;
        head->next = made;
    } else {
        made->next = head;
        arena->head = made;
    }
    return made->data;
}

char *wr_ptx_arena_text(wr_ptx_arena *arena, const char *text, size_t len)
{
    char *copy = (char *)wr_ptx_arena_alloc(arena, len + 1);
    memcpy(copy, text, len);
    return copy;
}

void *wr_ptx_arena_grow(wr_ptx_arena *arena, void *items, size_t count, size_t *capacity,
                        size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    void *moved = wr_ptx_arena_alloc(arena, *capacity * item_size);
    if (count > 0) {
        memcpy(moved, items, count * item_size);
    }
    return moved;
}
