/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in flight; see grid.h. */
#include "shell/core/gpu/state.h"
#include "shell/core/memcheck.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ahead of what preemption or local memory need, so that they don't move the heap. */
static bool prepare_heap(wr_gpu *gpu, const wr_launch *launch, char *message, size_t size)
{
    const wr_kernel *kernel = launch->kernel;
    wr_heap *heap = &gpu->heaps.heap[launch->heap];
    uint64_t bytes = gpu->heaps.bytes[launch->heap];
    if (!kernel->uses_heap || heap->granules != 0) {
        return true;
    }
    uint64_t base = wr_memory_alloc(&gpu->memory, bytes, 256);
    if (base != 0 && wr_heap_init(heap, base, bytes)) {
        wr_gpu_memory_released(gpu, base, bytes);
        return true;
    }
    (void)snprintf(message, size,
                   "kernel %.100s: no memory for a heap of %llu bytes; make it smaller",
                   kernel->name, (unsigned long long)bytes);
    return false;
}

/* Local memory: a frame for each TB that can be alive, running or saved. */
static bool prepare_frames(wr_gpu *gpu, wr_grid *g, char *message, size_t size)
{
    wr_program *p = &g->program;
    if (p->frame_bytes == 0) {
        return true;
    }
    uint64_t alive = UINT64_C(2) * gpu->cfg.sms * gpu->cfg.sm.max_tbs;
    p->frames = (uint32_t)(p->tbs < alive ? p->tbs : alive);
    uint64_t bytes = p->frames * p->frame_bytes;
    if (bytes > g->local_bytes) {
        g->local_base = wr_memory_alloc_private(&gpu->memory, bytes, 256);
        g->local_bytes = g->local_base != 0 ? bytes : 0;
    }
    free(g->frames);
    g->frames = calloc(p->frames, sizeof *g->frames);
    if (g->local_base == 0 || g->frames == NULL) {
        (void)snprintf(
            message, size,
            "kernel %.100s: no memory for %llu bytes of local memory; use less a thread%s",
            p->kernel->name, (unsigned long long)bytes,
            p->kernel->stack_bytes != 0 ? ", the stack included" : "");
        return false;
    }
    p->local_base = g->local_base;
    for (uint32_t i = 0; i < p->frames; i++) {
        g->frames[i] = p->frames - 1 - i;
    }
    g->frames_free = p->frames;
    return true;
}

/* Behind prepare_heap: what of simulated memory a kernel may reach is allocated. */
static bool judge(wr_gpu *gpu, wr_program *p, char *message, size_t size)
{
    if (wr_program_judge(p, &gpu->memory)) {
        return true;
    }
    (void)snprintf(message, size, "kernel %.100s: out of memory", p->kernel->name);
    return false;
}

/* The kernel's machine code lies in simulated memory, so that fetching it is real traffic. */
static bool place_code(wr_gpu *gpu, wr_program *p, char *message, size_t size)
{
    const wr_kernel *k = p->kernel;
    for (size_t i = 0; i < gpu->code_count; i++) {
        if (gpu->codes[i].kernel == k) {
            p->code_base = gpu->codes[i].base;
            return true;
        }
    }
    uint64_t bytes = (uint64_t)(k->word_count + 1) * sizeof k->words[0];
    uint64_t base = wr_memory_alloc_private(&gpu->memory, bytes, 256);
    wr_code *grown = realloc(gpu->codes, (gpu->code_count + 1) * sizeof *grown);
    gpu->codes = grown != NULL ? grown : gpu->codes;
    if (base == 0 || grown == NULL) {
        (void)snprintf(message, size, "kernel %s: no memory for its machine code", k->name);
        return false;
    }
    if (k->word_count != 0) {
        wr_memory_write(&gpu->memory, base, k->words, k->word_count * sizeof k->words[0]);
    }
    gpu->codes[gpu->code_count++] = (wr_code){.kernel = k, .base = base};
    p->code_base = base;
    return true;
}

bool wr_grid_complete(const wr_gpu *gpu, uint32_t stream)
{
    const wr_grid *g = &gpu->grids[stream];
    uint64_t stores = 0;
    if (g->tbs_done != g->program.tbs) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        stores += gpu->sms[i].stores_of[stream];
    }
    return stores == 0;
}

/* Behind all launches of its priority and above: `order` is by priority, then by age. */
static void queue_launch(wr_gpu *gpu, uint32_t stream, uint32_t priority)
{
    uint32_t at = gpu->in_flight++;
    while (at != 0 && gpu->grids[gpu->order[at - 1]].program.launch->priority < priority) {
        gpu->order[at] = gpu->order[at - 1];
        at--;
    }
    gpu->order[at] = stream;
}

void wr_grid_charge(wr_gpu *gpu, uint32_t stream)
{
    wr_program *p = &gpu->grids[stream].program;
    const uint32_t granule = gpu->cfg.sm.register_granule;
    if (gpu->hooks.registers != NULL) {
        uint32_t n = gpu->hooks.registers(gpu->hooks.self, stream, p->launch, p->regs);
        assert(n >= p->regs);
        p->regs = granule != 0 ? (n + granule - 1) / granule * granule : n;
    }
}

bool wr_grid_begin(wr_gpu *gpu, uint32_t stream, const wr_launch *launch, char *message,
                   size_t size)
{
    wr_grid *g = &gpu->grids[stream];
    assert(stream < WR_MAX_STREAMS && !g->in_flight && launch->heap < WR_MAX_HEAPS);
    wr_program_free(&g->program); /* of a launch that a fault ended */
    if (!wr_program_prepare(&g->program, &gpu->cfg, launch, message, size)) {
        return false;
    }
    g->program.stream = stream;
    wr_grid_charge(gpu, stream);
    if (!prepare_heap(gpu, launch, message, size) || !prepare_frames(gpu, g, message, size) ||
        !judge(gpu, &g->program, message, size) || !place_code(gpu, &g->program, message, size)) {
        return false;
    }
    gpu->launches++;
    g->next_tb = 0;
    g->tbs_done = 0;
    g->issued_done = 0;
    g->result = (wr_launch_result){.id = gpu->launches,
                                   .begun = gpu->before + gpu->cycle,
                                   .placed = UINT64_MAX,
                                   .tbs = g->program.tbs};
    g->stats_before = wr_launch_stats_of(gpu, stream);
    g->in_flight = true;
    queue_launch(gpu, stream, launch->priority);
    gpu->full = 0;
    gpu->progress_at = gpu->cycle;
    gpu->work_at = gpu->cycle;
    if (gpu->hooks.launch_begin != NULL) {
        gpu->hooks.launch_begin(gpu->hooks.self, gpu, stream, launch);
    }
    return true;
}

/* Frames that no TB has, as a stack; the same number of frames as before, however many TBs this
 * machine holds. */
static bool thaw_frames(const wr_gpu *gpu, wr_grid *g, const wr_frozen_grid *frozen)
{
    wr_program *p = &g->program;
    wr_bytes_in in = {.at = frozen->free, .left = (size_t)frozen->frames_free * 4};
    if (p->frame_bytes == 0) {
        return frozen->frames == 0;
    }
    free(g->frames);
    g->frames = calloc(frozen->frames + 1u, sizeof *g->frames);
    if (frozen->frames == 0 || g->local_bytes / frozen->frames < p->frame_bytes ||
        g->frames == NULL || wr_memory_find(&gpu->memory, g->local_base, 1) == NULL) {
        return false;
    }
    p->frames = frozen->frames;
    p->local_base = g->local_base;
    g->frames_free = frozen->frames_free;
    for (uint32_t i = 0; i < g->frames_free; i++) {
        g->frames[i] = wr_bytes_get32(&in);
        if (g->frames[i] >= p->frames) {
            return false;
        }
    }
    return !in.failed;
}

bool wr_grid_thaw(wr_gpu *gpu, const wr_frozen_grid *frozen, const wr_launch *launch, char *message,
                  size_t size)
{
    wr_grid *g = &gpu->grids[frozen->stream];
    assert(!g->in_flight && launch != NULL);
    if (!wr_program_prepare(&g->program, &gpu->cfg, launch, message, size)) {
        return false;
    }
    g->program.stream = frozen->stream;
    if (!judge(gpu, &g->program, message, size)) {
        return false;
    }
    for (size_t i = 0; i < gpu->code_count; i++) {
        if (gpu->codes[i].kernel == launch->kernel) {
            g->program.code_base = gpu->codes[i].base;
        }
    }
    if (g->program.code_base == 0 || frozen->result.tbs != g->program.tbs ||
        !thaw_frames(gpu, g, frozen)) {
        (void)snprintf(message, size, "has a launch of %.100s that cannot be",
                       launch->kernel->name);
        return false;
    }
    g->next_tb = frozen->next_tb;
    g->tbs_done = frozen->tbs_done;
    g->issued_done = frozen->issued_done;
    g->result = frozen->result;
    g->stats_before = wr_launch_stats_of(gpu, frozen->stream);
    g->in_flight = true;
    gpu->order[gpu->in_flight++] = frozen->stream;
    gpu->thawed = true;
    return true;
}

wr_launch_stats wr_grid_stats(wr_gpu *gpu, uint32_t stream)
{
    wr_launch_stats stats = wr_launch_stats_of(gpu, stream);
    wr_launch_stats_take(&stats, &gpu->grids[stream].stats_before);
    return stats;
}

static void count_launch(wr_gpu *gpu, const wr_grid *g)
{
    for (size_t i = 0; i < gpu->code_count; i++) {
        wr_kernel_stats *s = &gpu->codes[i].stats;
        if (gpu->codes[i].kernel == g->program.kernel) {
            s->launches += g->result.tbs_forward != g->program.tbs ? 1 : 0;
            s->cycles += g->result.ended - g->result.begun;
            s->tbs += g->tbs_done - g->result.tbs_forward;
            s->issued += g->result.issued;
            s->thread_insns += g->result.thread_insns;
        }
    }
}

void wr_grid_end(wr_gpu *gpu, uint32_t stream)
{
    wr_grid *g = &gpu->grids[stream];
    uint32_t at = 0;
    assert(g->in_flight);
    while (gpu->order[at] != stream) {
        at++;
    }
    gpu->in_flight--;
    memmove(&gpu->order[at], &gpu->order[at + 1], (gpu->in_flight - at) * sizeof gpu->order[0]);
    g->in_flight = false;
    g->result.ended = gpu->before + gpu->cycle;
    g->result.stats = wr_grid_stats(gpu, stream);
    g->launches++;
    g->issued_before += g->result.issued;
    g->thread_insns_before += g->result.thread_insns;
    count_launch(gpu, g);
    if (gpu->hooks.launch_end != NULL) {
        gpu->hooks.launch_end(gpu->hooks.self, gpu, stream);
    }
}

void wr_grid_free(wr_grid *g)
{
    free(g->frames);
    wr_program_free(&g->program);
}

void wr_launch_name(const wr_launch *launch, char *out, size_t size)
{
    bool of = launch->label != NULL && launch->label[0] != '\0';
    (void)snprintf(out, size, "%.100s%s%.60s", launch->kernel->name, of ? ", " : "",
                   of ? launch->label : "");
}
