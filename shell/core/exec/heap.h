/* SPDX-License-Identifier: Apache-2.0 */
/* The device heap behind malloc and free of kernels: a range of simulated memory.
 *
 * What is free and what is not is kept here and not in simulated memory, so a kernel that writes
 * past a block spoils data but never the heap, and every bad free is found. Blocks begin at
 * multiples of 16 bytes. The order of calls alone decides the addresses.
 */
#ifndef WR_SHELL_CORE_EXEC_HEAP_H
#define WR_SHELL_CORE_EXEC_HEAP_H

#include "shell/checkpoint/bytes.h"

#include <stdbool.h>
#include <stdint.h>

#define WR_HEAP_GRANULE UINT64_C(16)
#define WR_HEAP_CLASSES 32

/* Blocks are named by their first granule. Free blocks of 2^k to 2^(k+1) - 1 granules are in the
 * list of class k; neighbours of a free block are in use. */
typedef struct wr_heap {
    uint64_t base;
    uint32_t granules;              /* 0: there is no heap */
    uint32_t *size;                 /* of a block in granules, at its first and last one */
    uint8_t *state;                 /* of a granule, see heap.c */
    uint32_t *next, *prev;          /* of free blocks */
    uint32_t head[WR_HEAP_CLASSES]; /* UINT32_MAX: empty */
} wr_heap;

/* False: out of memory. `bytes` is at least a granule and at most 2^32. */
bool wr_heap_init(wr_heap *heap, uint64_t base, uint64_t bytes);
void wr_heap_free(wr_heap *heap);

/* The address of at least `bytes` bytes; 0 where no free block is large enough, and for 0. */
uint64_t wr_heap_take(wr_heap *heap, uint64_t bytes);
/* Bytes of the block in use that begins there; 0: none does. */
uint64_t wr_heap_block(const wr_heap *heap, uint64_t addr);
/* False: no block that is in use begins there. */
bool wr_heap_give(wr_heap *heap, uint64_t addr);

/* Its blocks and the order of the free ones, on which later addresses depend; and such a heap
 * again, in `heap`, which is empty. False: these bytes are none, or out of memory. */
void wr_heap_save(const wr_heap *heap, wr_bytes *out);
bool wr_heap_load(wr_heap *heap, wr_bytes_in *in);

#endif
