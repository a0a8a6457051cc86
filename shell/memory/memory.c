/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated memory; see memory.h. */
#include "shell/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

void wr_memory_init(wr_memory *mem, uint64_t base, uint64_t limit)
{
    *mem = (wr_memory){.base = base, .limit = limit};
}

void wr_memory_free(wr_memory *mem)
{
    if (mem->shared) {
        (void)munmap(mem->bytes, mem->capacity);
    } else {
        free(mem->bytes);
    }
    free(mem->ranges);
    *mem = (wr_memory){.base = mem->base, .limit = mem->limit};
}

bool wr_memory_share(wr_memory *mem, int fd)
{
    size_t size = (size_t)(mem->limit - mem->base);
    struct rlimit files; /* a file that may not be so large would end the process by a signal */
    if (getrlimit(RLIMIT_FSIZE, &files) != 0 || files.rlim_cur < size ||
        ftruncate(fd, (off_t)size) != 0) {
        return false;
    }
    uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (bytes == MAP_FAILED) {
        return false;
    }
    if (mem->used != 0) {
        memcpy(bytes, mem->bytes, mem->used);
    }
    free(mem->bytes);
    mem->bytes = bytes;
    mem->capacity = size;
    mem->shared = true;
    return true;
}

static bool grow_bytes(wr_memory *mem, size_t need)
{
    if (need <= mem->capacity) {
        return true;
    }
    size_t capacity = mem->capacity != 0 ? mem->capacity : (size_t)1 << 20;
    while (capacity < need) {
        capacity *= 2;
    }
    uint8_t *bytes = realloc(mem->bytes, capacity);
    if (bytes == NULL) {
        return false;
    }
    memset(bytes + mem->capacity, 0, capacity - mem->capacity);
    mem->bytes = bytes;
    mem->capacity = capacity;
    return true;
}

static bool grow_ranges(wr_memory *mem)
{
    if (mem->range_count < mem->range_capacity) {
        return true;
    }
    size_t capacity = mem->range_capacity != 0 ? mem->range_capacity * 2 : 16;
    wr_memory_range *ranges = realloc(mem->ranges, capacity * sizeof *ranges);
    if (ranges == NULL) {
        return false;
    }
    mem->ranges = ranges;
    mem->range_capacity = capacity;
    return true;
}

uint64_t wr_memory_alloc(wr_memory *mem, uint64_t bytes, uint32_t align)
{
    uint64_t step = align != 0 ? align : 256;
    uint64_t begin = (mem->base + mem->used + step - 1) / step * step;
    if (bytes == 0) {
        bytes = 1; /* an empty buffer still has an address of its own */
    }
    if (begin > mem->limit || bytes > mem->limit - begin) {
        return 0;
    }
    size_t used = (size_t)(begin - mem->base + bytes);
    if (!grow_ranges(mem) || !grow_bytes(mem, used)) {
        return 0;
    }
    mem->ranges[mem->range_count++] = (wr_memory_range){.begin = begin, .end = begin + bytes};
    mem->used = used;
    return begin;
}

bool wr_memory_extend(wr_memory *mem, const wr_memory_range *range)
{
    if (range->begin < mem->base + mem->used || range->end <= range->begin ||
        range->end > mem->limit || !grow_ranges(mem) ||
        !grow_bytes(mem, (size_t)(range->end - mem->base))) {
        return false;
    }
    mem->ranges[mem->range_count++] = *range;
    mem->used = (size_t)(range->end - mem->base);
    return true;
}

uint64_t wr_memory_alloc_private(wr_memory *mem, uint64_t bytes, uint32_t align)
{
    uint64_t begin = wr_memory_alloc(mem, bytes, align);
    if (begin != 0) {
        mem->ranges[mem->range_count - 1].is_private = true;
    }
    return begin;
}

const wr_memory_range *wr_memory_find(const wr_memory *mem, uint64_t addr, uint64_t bytes)
{
    size_t low = 0;
    size_t high = mem->range_count;
    while (low < high) { /* the first range that ends behind addr */
        size_t middle = (low + high) / 2;
        if (mem->ranges[middle].end > addr) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (low == mem->range_count) {
        return NULL;
    }
    const wr_memory_range *range = &mem->ranges[low];
    return addr >= range->begin && bytes <= range->end - addr ? range : NULL;
}

const wr_memory_range *wr_memory_reach(const wr_memory *mem, uint64_t addr, uint64_t bytes)
{
    const wr_memory_range *range = wr_memory_find(mem, addr, bytes);
    return range != NULL && !range->is_private ? range : NULL;
}

bool wr_memory_write(wr_memory *mem, uint64_t addr, const void *src, uint64_t bytes)
{
    if (wr_memory_find(mem, addr, bytes) == NULL) {
        return false;
    }
    memcpy(wr_memory_at(mem, addr), src, (size_t)bytes);
    return true;
}

bool wr_memory_read(const wr_memory *mem, uint64_t addr, void *dst, uint64_t bytes)
{
    if (wr_memory_find(mem, addr, bytes) == NULL) {
        return false;
    }
    memcpy(dst, wr_memory_at(mem, addr), (size_t)bytes);
    return true;
}
