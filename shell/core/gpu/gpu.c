/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's life, and what is attached to it; its runs are run.c's. */
#include "shell/core/exec/memcheck.h"
#include "shell/core/gpu/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wr_gpu *wr_gpu_create(const wr_gpu_config *cfg)
{
    wr_gpu *gpu = aligned_alloc(WR_CACHE_LINE, sizeof *gpu);
    if (gpu == NULL) {
        return NULL;
    }
    memset(gpu, 0, sizeof *gpu);
    gpu->cfg = *cfg;
    for (uint32_t i = 0; i < WR_MAX_HEAPS; i++) {
        gpu->heaps.bytes[i] = WR_HEAP_BYTES;
    }
    gpu->sample_at = UINT64_MAX;
    gpu->memory_at = UINT64_MAX;
    gpu->wake_at = UINT64_MAX;
    wr_memory_init(&gpu->memory, WR_MEM_BASE, WR_MEM_END);
    gpu->memsys = wr_memsys_create(cfg);
    gpu->sms = aligned_alloc(WR_CACHE_LINE, cfg->sms * sizeof *gpu->sms);
    if (gpu->sms != NULL) { /* wr_gpu_free looks at all of them */
        memset(gpu->sms, 0, cfg->sms * sizeof *gpu->sms);
    }
    gpu->sm_status = calloc(cfg->sms, sizeof *gpu->sm_status);
    gpu->injection = aligned_alloc(WR_CACHE_LINE, cfg->sms * sizeof *gpu->injection);
    gpu->inboxes = aligned_alloc(WR_CACHE_LINE, cfg->sms * sizeof *gpu->inboxes);
    gpu->grids = calloc(WR_MAX_STREAMS, sizeof *gpu->grids);
    bool ok = gpu->memsys != NULL && gpu->sms != NULL && gpu->sm_status != NULL &&
              gpu->injection != NULL && gpu->inboxes != NULL && gpu->grids != NULL;
    if (ok && cfg->cpu.cores != 0) {
        gpu->cpus = wr_cpus_create(cfg, gpu->memsys);
        ok = gpu->cpus != NULL;
    }
    if (ok) {
        memset(gpu->inboxes, 0, cfg->sms * sizeof *gpu->inboxes);
        wr_gpu_set_threads(gpu, 1);
    }
    for (uint32_t i = 0; ok && i < cfg->sms; i++) {
        ok = wr_sm_init(&gpu->sms[i], gpu, i);
    }
    if (!ok) {
        wr_gpu_free(gpu);
        return NULL;
    }
    return gpu;
}

void wr_gpu_free(wr_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    wr_team_free(gpu->balance.team);
    for (uint32_t i = 0; gpu->sms != NULL && i < gpu->cfg.sms; i++) {
        wr_sm_free(&gpu->sms[i]);
    }
    free(gpu->sms);
    free(gpu->sm_status);
    free(gpu->injection);
    free(gpu->inboxes);
    for (uint32_t i = 0; gpu->grids != NULL && i < WR_MAX_STREAMS; i++) {
        wr_grid_free(&gpu->grids[i]);
    }
    free(gpu->grids);
    for (uint32_t i = 0; i < WR_MAX_HEAPS; i++) {
        wr_heap_free(&gpu->heaps.heap[i]);
    }
    free(gpu->codes);
    free(gpu->forward.trail.entries);
    wr_memcheck_free(gpu->forward.check);
    wr_cpus_free(gpu->cpus);
    wr_memsys_free(gpu->memsys);
    wr_memory_free(&gpu->memory);
    free(gpu);
}

uint64_t wr_gpu_alloc(wr_gpu *gpu, uint64_t bytes, uint32_t align)
{
    return wr_memory_alloc(&gpu->memory, bytes, align);
}

bool wr_gpu_share_memory(wr_gpu *gpu, int fd)
{
    return wr_memory_share(&gpu->memory, fd);
}

uint64_t wr_gpu_alloc_private(wr_gpu *gpu, uint64_t bytes, uint32_t align)
{
    return wr_memory_alloc_private(&gpu->memory, bytes, align);
}

bool wr_gpu_write(wr_gpu *gpu, uint64_t addr, const void *src, uint64_t bytes)
{
    if (gpu->forward.check != NULL && wr_memory_find(&gpu->memory, addr, bytes) != NULL) {
        wr_memcheck_mark(gpu->forward.check, &gpu->memory, addr, bytes, WR_BYTE_DEFINED);
    }
    return wr_memory_write(&gpu->memory, addr, src, bytes);
}

bool wr_gpu_read(const wr_gpu *gpu, uint64_t addr, void *dst, uint64_t bytes)
{
    return wr_memory_read(&gpu->memory, addr, dst, bytes);
}

uint64_t wr_gpu_set_heap(wr_gpu *gpu, uint32_t heap, uint64_t bytes)
{
    assert(heap < WR_MAX_HEAPS);
    gpu->heaps.bytes[heap] = bytes < WR_HEAP_GRANULE ? WR_HEAP_GRANULE
                             : bytes > WR_HEAP_MOST  ? WR_HEAP_MOST
                                                     : bytes;
    return gpu->heaps.bytes[heap];
}

bool wr_gpu_clear_heap(wr_gpu *gpu, uint32_t heap)
{
    assert(heap < WR_MAX_HEAPS);
    wr_heap *h = &gpu->heaps.heap[heap];
    uint64_t base = h->base;
    if (h->granules == 0) {
        return true;
    }
    wr_heap_free(h);
    return wr_heap_init(h, base, gpu->heaps.bytes[heap]);
}

void wr_gpu_set_print(wr_gpu *gpu, wr_print_fn print, void *arg)
{
    gpu->print = print;
    gpu->print_arg = arg;
}

void wr_gpu_set_sampler(wr_gpu *gpu, uint64_t every, wr_sample_fn sample, void *arg)
{
    gpu->sample = sample;
    gpu->sample_arg = arg;
    gpu->sample_every = every;
    gpu->sample_at = sample != NULL ? gpu->cycle + every : UINT64_MAX;
}

void wr_gpu_watch(wr_gpu *gpu, wr_watcher *watcher)
{
    watcher->next = gpu->watchers;
    gpu->watchers = watcher;
}

void wr_gpu_unwatch(wr_gpu *gpu, const wr_watcher *watcher)
{
    wr_watcher **at = &gpu->watchers;
    while (*at != NULL && *at != watcher) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = watcher->next;
    }
}

void wr_gpu_attach(wr_gpu *gpu, const wr_system_hooks *hooks)
{
    uint32_t listens = 0;
    gpu->hooks = *hooks;
    listens |= hooks->warp_issued != NULL ? WR_LISTEN_ISSUED : 0;
    listens |= hooks->warp_stalled != NULL ? WR_LISTEN_STALLED : 0;
    listens |= hooks->warp_woken != NULL ? WR_LISTEN_WOKEN : 0;
    listens |= hooks->l1_missed != NULL ? WR_LISTEN_L1 : 0;
    listens |= hooks->choose_warp != NULL ? WR_LISTEN_CHOOSE : 0;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        gpu->sms[i].listens = listens;
    }
}

uint64_t wr_gpu_before(const wr_gpu *gpu)
{
    return gpu->before;
}

uint64_t wr_gpu_cycle(const wr_gpu *gpu)
{
    return gpu->cycle;
}

void wr_gpu_end(wr_gpu *gpu, wr_run_status status, const char *message)
{
    if (!gpu->ended) {
        gpu->ended = true;
        gpu->status = status;
        (void)snprintf(gpu->message, sizeof gpu->message, "%s", message);
    }
}

void wr_gpu_end_by_fault(wr_gpu *gpu, const wr_sm *sm)
{
    gpu->fault_address = gpu->ended ? gpu->fault_address : sm->fault_address;
    wr_gpu_end(gpu, sm->fault, sm->fault_message);
}
