/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU without TBs as bytes and back; see shell/core/checkpoint.h. docs/checkpoint.md draws the
 * parts. Of memory only pages that are not all zeros are written, in runs.
 */
#include "shell/core/checkpoint.h"

#include "shell/core/gpu/state.h"
#include "shell/core/seam/launch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static void put_result(wr_bytes *out, const wr_launch_result *r)
{
    wr_bytes_put64(out, r->id);
    wr_bytes_put64(out, r->begun);
    wr_bytes_put64(out, r->placed);
    wr_bytes_put64(out, r->tbs);
    wr_bytes_put64(out, r->issued);
    wr_bytes_put64(out, r->thread_insns);
    wr_bytes_put64(out, r->tbs_evicted);
    wr_bytes_put64(out, r->tbs_restored);
}

static void get_result(wr_bytes_in *in, wr_launch_result *r)
{
    r->id = wr_bytes_get64(in);
    r->begun = wr_bytes_get64(in);
    r->placed = wr_bytes_get64(in);
    r->tbs = wr_bytes_get64(in);
    r->issued = wr_bytes_get64(in);
    r->thread_insns = wr_bytes_get64(in);
    r->tbs_evicted = wr_bytes_get64(in);
    r->tbs_restored = wr_bytes_get64(in);
}

static uint32_t number_of(const wr_kernel_list *kernels, const wr_kernel *kernel)
{
    uint32_t i = 0;
    while (i < kernels->count && kernels->kernel[i] != kernel) {
        i++;
    }
    assert(i < kernels->count);
    return i;
}

void wr_gpu_freeze(const wr_gpu *gpu, const wr_kernel_list *kernels, wr_bytes *out)
{
    uint32_t heaps = 0;
    assert(wr_gpu_quiet(gpu));
    wr_bytes_put64(out, gpu->before + gpu->cycle + 1);
    wr_bytes_put64(out, gpu->launches);
    wr_bytes_put32(out, gpu->in_flight);
    for (uint32_t i = 0; i < gpu->in_flight; i++) {
        const wr_grid *g = &gpu->grids[gpu->order[i]];
        uint32_t frames = g->program.frame_bytes != 0 ? g->program.frames : 0;
        uint32_t unused = frames != 0 ? g->frames_free : 0;
        wr_bytes_put32(out, gpu->order[i]);
        put_result(out, &g->result);
        wr_bytes_put64(out, g->next_tb);
        wr_bytes_put64(out, g->tbs_done);
        wr_bytes_put64(out, g->issued_done);
        wr_bytes_put32(out, frames);
        wr_bytes_put32(out, unused);
        for (uint32_t k = 0; k < unused; k++) {
            wr_bytes_put32(out, g->frames[k]);
        }
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        wr_bytes_put64(out, gpu->grids[i].local_base);
        wr_bytes_put64(out, gpu->grids[i].local_bytes);
        heaps += gpu->heaps.heap[i].granules != 0;
    }
    wr_bytes_put32(out, (uint32_t)gpu->code_count);
    wr_bytes_put32(out, heaps);
    for (size_t i = 0; i < gpu->code_count; i++) {
        wr_bytes_put32(out, number_of(kernels, gpu->codes[i].kernel));
        wr_bytes_put64(out, gpu->codes[i].base);
    }
    for (uint32_t i = 0; i < WR_MAX_HEAPS; i++) {
        if (gpu->heaps.heap[i].granules != 0) {
            wr_bytes_put32(out, i);
            wr_heap_save(&gpu->heaps.heap[i], out);
        }
    }
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

void wr_gpu_freeze_memory(const wr_gpu *gpu, wr_bytes *out)
{
    const wr_memory *mem = &gpu->memory;
    wr_bytes_put32(out, (uint32_t)mem->range_count);
    for (size_t i = 0; i < mem->range_count; i++) {
        wr_bytes_put64(out, mem->ranges[i].begin);
        wr_bytes_put64(out, mem->ranges[i].end);
        wr_bytes_put32(out, mem->ranges[i].is_private);
    }
    for (size_t at = 0, end; at < mem->used; at = end) {
        bool zero = is_zero(mem->bytes + at, mem->used - at < PAGE ? mem->used - at : PAGE);
        end = at;
        do {
            end = mem->used - end < PAGE ? mem->used : end + PAGE;
        } while (end < mem->used &&
                 is_zero(mem->bytes + end, mem->used - end < PAGE ? mem->used - end : PAGE) ==
                     zero);
        if (!zero) {
            wr_bytes_put64(out, at);
            wr_bytes_put64(out, end - at);
            wr_bytes_put(out, mem->bytes + at, end - at);
        }
    }
}

bool wr_gpu_frozen_read(wr_bytes_in in, wr_frozen_gpu *out)
{
    uint32_t streams = 0;
    *out = (wr_frozen_gpu){.cycle = wr_bytes_get64(&in), .launches = wr_bytes_get64(&in)};
    out->in_flight = wr_bytes_get32(&in);
    if (out->in_flight > WR_MAX_STREAMS) {
        return false;
    }
    for (uint32_t i = 0; i < out->in_flight; i++) {
        wr_frozen_grid *g = &out->grid[i];
        g->stream = wr_bytes_get32(&in);
        get_result(&in, &g->result);
        g->next_tb = wr_bytes_get64(&in);
        g->tbs_done = wr_bytes_get64(&in);
        g->issued_done = wr_bytes_get64(&in);
        g->frames = wr_bytes_get32(&in);
        g->frames_free = wr_bytes_get32(&in);
        if (g->stream >= WR_MAX_STREAMS || (streams >> g->stream & 1) != 0 ||
            g->tbs_done > g->next_tb || g->next_tb > g->result.tbs || g->frames_free > g->frames) {
            return false;
        }
        streams |= 1u << g->stream;
        g->free = wr_bytes_get(&in, (size_t)g->frames_free * 4);
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        out->local[i].base = wr_bytes_get64(&in);
        out->local[i].bytes = wr_bytes_get64(&in);
    }
    out->codes = wr_bytes_get32(&in);
    out->heaps = wr_bytes_get32(&in);
    out->rest = in;
    return !in.failed && out->heaps <= WR_MAX_HEAPS && out->codes <= in.left / 12;
}

/* The same allocations at the same places, and what is in them. NULL, or what is wrong. */
static const char *thaw_memory(wr_memory *mem, wr_bytes_in *in)
{
    uint32_t count = wr_bytes_get32(in);
    if (count < mem->range_count) {
        return "has fewer buffers";
    }
    for (uint32_t i = 0; i < count; i++) {
        wr_memory_range range = {.begin = wr_bytes_get64(in),
                                 .end = wr_bytes_get64(in),
                                 .is_private = wr_bytes_get32(in) != 0};
        if (i < mem->range_count
                ? range.begin != mem->ranges[i].begin || range.end != mem->ranges[i].end
                : in->failed || !wr_memory_extend(mem, &range)) {
            return "has allocations that lie elsewhere";
        }
    }
    memset(mem->bytes, 0, mem->used);
    while (!in->failed && in->left != 0) {
        uint64_t at = wr_bytes_get64(in);
        uint64_t bytes = wr_bytes_get64(in);
        const uint8_t *data = bytes <= in->left ? wr_bytes_get(in, (size_t)bytes) : NULL;
        if (data == NULL || at > mem->used || bytes > mem->used - at) {
            return "has contents outside its allocations";
        }
        memcpy(mem->bytes + at, data, (size_t)bytes);
    }
    return in->failed ? "is not whole" : NULL;
}

static const char *thaw_codes(wr_gpu *gpu, uint32_t count, const wr_kernel_list *kernels,
                              wr_bytes_in *in)
{
    gpu->codes = calloc(count + 1u, sizeof *gpu->codes);
    if (gpu->codes == NULL) {
        return "needs more of this machine's memory";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kernel = wr_bytes_get32(in);
        uint64_t base = wr_bytes_get64(in);
        if (kernel >= kernels->count ||
            wr_memory_find(&gpu->memory, base,
                           kernels->kernel[kernel]->word_count * sizeof(uint64_t)) == NULL) {
            return "has code of a kernel that is not there";
        }
        gpu->codes[gpu->code_count++] = (wr_code){.kernel = kernels->kernel[kernel], .base = base};
    }
    return NULL;
}

static const char *thaw_heaps(wr_gpu *gpu, uint32_t count, wr_bytes_in *in)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = wr_bytes_get32(in);
        if (in->failed || number >= WR_MAX_HEAPS || gpu->heaps.heap[number].granules != 0) {
            return "has a heap that cannot be";
        }
        wr_heap *heap = &gpu->heaps.heap[number];
        if (!wr_heap_load(heap, in) ||
            wr_memory_find(&gpu->memory, heap->base, heap->granules * WR_HEAP_GRANULE) == NULL) {
            return "has a heap that cannot be";
        }
        gpu->heaps.bytes[number] = heap->granules * WR_HEAP_GRANULE;
    }
    return wr_bytes_whole(in) ? NULL : "is not whole";
}

bool wr_gpu_thaw(wr_gpu *gpu, const wr_frozen_gpu *frozen, wr_bytes_in memory,
                 const wr_kernel_list *kernels, const wr_launch *const launch[WR_MAX_STREAMS],
                 char *why, size_t size)
{
    wr_bytes_in rest = frozen->rest;
    assert(gpu->cycle == 0 && gpu->in_flight == 0);
    const char *wrong = thaw_memory(&gpu->memory, &memory);
    wrong = wrong != NULL ? wrong : thaw_codes(gpu, frozen->codes, kernels, &rest);
    wrong = wrong != NULL ? wrong : thaw_heaps(gpu, frozen->heaps, &rest);
    for (uint32_t i = 0; wrong == NULL && i < WR_MAX_STREAMS; i++) {
        gpu->grids[i].local_base = frozen->local[i].base;
        gpu->grids[i].local_bytes = frozen->local[i].bytes;
        if (frozen->local[i].bytes != 0 &&
            wr_memory_find(&gpu->memory, frozen->local[i].base, frozen->local[i].bytes) == NULL) {
            wrong = "has local memory outside its allocations";
        }
    }
    if (wrong != NULL) {
        (void)snprintf(why, size, "%s", wrong);
        return false;
    }
    gpu->before = frozen->cycle;
    gpu->launches = frozen->launches;
    for (uint32_t i = 0; i < frozen->in_flight; i++) {
        const wr_frozen_grid *g = &frozen->grid[i];
        if (!wr_grid_thaw(gpu, g, launch[g->stream], why, size)) {
            return false;
        }
    }
    return true;
}
