/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated memory: the bytes behind global, local and constant addresses.
 *
 * One flat range from `base` on, handed out in ascending order and never taken back. Only
 * what lies inside an allocation may be touched: everything else, the padding between two
 * allocations included, is a fault of the program that runs. Timing is elsewhere (memsys.h).
 */
#ifndef WR_SHELL_MEMORY_MEMORY_H
#define WR_SHELL_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_memory_range {
    uint64_t begin, end; /* addresses; end is the first one outside */
    bool is_private;     /* the machine's own: no access of a kernel reaches it */
} wr_memory_range;

typedef struct wr_memory {
    uint64_t base;  /* address of bytes[0] */
    uint64_t limit; /* first address that can never be allocated */
    uint8_t *bytes;
    size_t used, capacity;   /* bytes */
    bool shared;             /* the bytes are those of a file, and stay where they are */
    wr_memory_range *ranges; /* ascending, disjoint */
    size_t range_count, range_capacity;
} wr_memory;

void wr_memory_init(wr_memory *mem, uint64_t base, uint64_t limit);
void wr_memory_free(wr_memory *mem);

/* The bytes, all up to the limit, become those of a file that another process maps as well. False:
 * they are as they were. */
bool wr_memory_share(wr_memory *mem, int fd);

/* Address of a new allocation, filled with zeros; 0 where it does not fit. `align` is a power
 * of two, 0 means 256. Pointers from wr_memory_at are void after it. */
uint64_t wr_memory_alloc(wr_memory *mem, uint64_t bytes, uint32_t align);

/* The same, private: contexts and local frames would else hide a kernel's stray access. */
uint64_t wr_memory_alloc_private(wr_memory *mem, uint64_t bytes, uint32_t align);

/* An allocation at this address, behind all others; those of a run that goes on lie where they lay.
 * False: it lies elsewhere, or does not fit. */
bool wr_memory_extend(wr_memory *mem, const wr_memory_range *range);

/* The allocation that holds all of addr..addr+bytes-1, or NULL. */
const wr_memory_range *wr_memory_find(const wr_memory *mem, uint64_t addr, uint64_t bytes);
/* Likewise for a kernel's access: NULL where the allocation is private. */
const wr_memory_range *wr_memory_reach(const wr_memory *mem, uint64_t addr, uint64_t bytes);

/* The bytes at an address inside an allocation. */
static inline uint8_t *wr_memory_at(const wr_memory *mem, uint64_t addr)
{
    return mem->bytes + (size_t)(addr - mem->base);
}

bool wr_memory_write(wr_memory *mem, uint64_t addr, const void *src, uint64_t bytes);
bool wr_memory_read(const wr_memory *mem, uint64_t addr, void *dst, uint64_t bytes);

#endif
