/* The GPU's cycle loop; see gpu.h for the order inside a cycle. */
#include "shell/core/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any wait that ends by itself; the same with a system that moves warps meanwhile. */
#define STUCK_CYCLES    UINT64_C(1000000)
#define WORKLESS_CYCLES UINT64_C(2000000)
/* 32-bit kernels address all of it. */
#define MEMORY_LIMIT   (UINT64_C(1) << 32)
#define PROGRESS_EVERY 8192 /* simulated cycles between calls of the progress function */

wr_gpu *wr_gpu_create(const wr_gpu_config *cfg)
{
    wr_gpu *gpu = calloc(1, sizeof *gpu);
    if (gpu == NULL) {
        return NULL;
    }
    gpu->cfg = *cfg;
    gpu->heap_bytes = WR_HEAP_BYTES;
    wr_memory_init(&gpu->memory, WR_MEM_BASE, MEMORY_LIMIT);
    gpu->memsys = wr_memsys_create(cfg);
    gpu->sms = calloc(cfg->sms, sizeof *gpu->sms);
    bool ok = gpu->memsys != NULL && gpu->sms != NULL;
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
    for (uint32_t i = 0; gpu->sms != NULL && i < gpu->cfg.sms; i++) {
        wr_sm_free(&gpu->sms[i]);
    }
    free(gpu->sms);
    free(gpu->frames);
    wr_heap_free(&gpu->heap);
    free(gpu->codes);
    wr_memsys_free(gpu->memsys);
    wr_memory_free(&gpu->memory);
    wr_program_free(&gpu->program);
    free(gpu);
}

uint64_t wr_gpu_alloc(wr_gpu *gpu, uint64_t bytes, uint32_t align)
{
    return wr_memory_alloc(&gpu->memory, bytes, align);
}

uint64_t wr_gpu_alloc_private(wr_gpu *gpu, uint64_t bytes, uint32_t align)
{
    return wr_memory_alloc_private(&gpu->memory, bytes, align);
}

bool wr_gpu_write(wr_gpu *gpu, uint64_t addr, const void *src, uint64_t bytes)
{
    return wr_memory_write(&gpu->memory, addr, src, bytes);
}

bool wr_gpu_read(const wr_gpu *gpu, uint64_t addr, void *dst, uint64_t bytes)
{
    return wr_memory_read(&gpu->memory, addr, dst, bytes);
}

void wr_gpu_set_heap(wr_gpu *gpu, uint64_t bytes)
{
    gpu->heap_bytes = bytes < WR_HEAP_GRANULE ? WR_HEAP_GRANULE
                      : bytes > WR_HEAP_MOST  ? WR_HEAP_MOST
                                              : bytes;
}

void wr_gpu_set_print(wr_gpu *gpu, wr_print_fn print, void *arg)
{
    gpu->print = print;
    gpu->print_arg = arg;
}

void wr_gpu_attach(wr_gpu *gpu, const wr_system_hooks *hooks)
{
    gpu->hooks = *hooks;
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
        snprintf(gpu->message, sizeof gpu->message, "%s", message);
    }
}

/* Ahead of what preemption or local memory need, so that they don't move the heap. */
static bool prepare_heap(wr_gpu *gpu, const wr_kernel *kernel, char *message, size_t size)
{
    if (!kernel->uses_heap || gpu->heap.granules != 0) {
        return true;
    }
    uint64_t base = wr_memory_alloc(&gpu->memory, gpu->heap_bytes, 256);
    if (base != 0 && wr_heap_init(&gpu->heap, base, gpu->heap_bytes)) {
        return true;
    }
    snprintf(message, size, "kernel %.100s: no memory for a heap of %llu bytes; make it smaller",
             kernel->name, (unsigned long long)gpu->heap_bytes);
    return false;
}

/* Local memory: a frame for each TB that can be alive, running or saved. */
static bool prepare_frames(wr_gpu *gpu, char *message, size_t size)
{
    wr_program *p = &gpu->program;
    if (p->frame_bytes == 0) {
        return true;
    }
    uint64_t alive = UINT64_C(2) * gpu->cfg.sms * gpu->cfg.sm.max_tbs;
    p->frames = (uint32_t)(p->tbs < alive ? p->tbs : alive);
    uint64_t bytes = p->frames * p->frame_bytes;
    if (bytes > gpu->local_bytes) {
        gpu->local_base = wr_memory_alloc_private(&gpu->memory, bytes, 256);
        gpu->local_bytes = gpu->local_base != 0 ? bytes : 0;
    }
    free(gpu->frames);
    gpu->frames = calloc(p->frames, sizeof *gpu->frames);
    if (gpu->local_base == 0 || gpu->frames == NULL) {
        snprintf(message, size,
                 "kernel %.100s: no memory for %llu bytes of local memory; use less a thread%s",
                 p->kernel->name, (unsigned long long)bytes,
                 p->kernel->stack_bytes != 0 ? ", the stack included" : "");
        return false;
    }
    p->local_base = gpu->local_base;
    for (uint32_t i = 0; i < p->frames; i++) {
        gpu->frames[i] = p->frames - 1 - i;
    }
    gpu->frames_free = p->frames;
    return true;
}

/* The kernel's machine code lies in simulated memory, so that fetching it is real traffic. */
static bool place_code(wr_gpu *gpu, char *message, size_t size)
{
    const wr_kernel *k = gpu->program.kernel;
    for (size_t i = 0; i < gpu->code_count; i++) {
        if (gpu->codes[i].kernel == k) {
            gpu->program.code_base = gpu->codes[i].base;
            return true;
        }
    }
    uint64_t bytes = (uint64_t)(k->word_count + 1) * sizeof k->words[0];
    uint64_t base = wr_memory_alloc_private(&gpu->memory, bytes, 256);
    wr_code *grown = realloc(gpu->codes, (gpu->code_count + 1) * sizeof *grown);
    gpu->codes = grown != NULL ? grown : gpu->codes;
    if (base == 0 || grown == NULL) {
        snprintf(message, size, "kernel %s: no memory for its machine code", k->name);
        return false;
    }
    if (k->word_count != 0) {
        wr_memory_write(&gpu->memory, base, k->words, k->word_count * sizeof k->words[0]);
    }
    gpu->codes[gpu->code_count++] = (wr_code){k, base};
    gpu->program.code_base = base;
    return true;
}

/* Steps 1 and 2 of a cycle. */
static void simulate_cycle(wr_gpu *gpu)
{
    uint64_t now = gpu->cycle;
    uint32_t sms = gpu->cfg.sms;
    wr_memsys_tick(gpu->memsys, now);
    uint32_t first = (uint32_t)(now % sms); /* no SM always comes first at a full bank */
    for (uint32_t i = 0; i < sms; i++) {
        wr_sm *sm = &gpu->sms[first + i < sms ? first + i : first + i - sms];
        bool regular = sm->miss_count != 0 && sm->miss_queue[sm->miss_head].at <= now;
        if (regular || sm->ctx.count != 0) {
            wr_port_inject(sm, now);
        }
    }
    for (uint32_t i = 0; i < sms; i++) {
        wr_sm *sm = &gpu->sms[i];
        if (gpu->no_skip || sm->wake_at <= now || wr_memsys_reply_at(gpu->memsys, i) <= now) {
            wr_sm_cycle(sm, now);
        }
    }
}

static void call_system(wr_gpu *gpu)
{
    const wr_system_hooks *h = &gpu->hooks;
    if (h->gpu_cycle != NULL) {
        h->gpu_cycle(h->self, gpu);
    }
    if (gpu->attended == 0 || h->sm_cycle == NULL) {
        return;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        if (gpu->sms[i].attended) {
            h->sm_cycle(h->self, &gpu->sms[i]);
        }
    }
}

/* The next cycle in which anything can happen; UINT64_MAX: nothing will, but for refreshes. */
static uint64_t next_cycle(const wr_gpu *gpu, bool placed)
{
    uint64_t soon = gpu->cycle + 1;
    uint64_t next = UINT64_MAX;
    if (placed || gpu->attended != 0) {
        return soon;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms && next > soon; i++) {
        const wr_sm *sm = &gpu->sms[i];
        uint64_t reply = wr_memsys_reply_at(gpu->memsys, i);
        uint64_t port = wr_port_next(sm, soon);
        uint64_t at = sm->wake_at < reply ? sm->wake_at : reply;
        at = at < port ? at : port;
        next = at < next ? at : next;
    }
    if (gpu->hooks.next_cycle != NULL && next > soon) {
        uint64_t at = gpu->hooks.next_cycle(gpu->hooks.self, gpu->cycle);
        next = at < next ? at : next;
    }
    if (next == UINT64_MAX && wr_memsys_in_flight(gpu->memsys) == 0) {
        return next;
    }
    uint64_t memory = wr_memsys_next(gpu->memsys);
    next = memory < next ? memory : next;
    return next > soon ? next : soon;
}

static bool all_done(const wr_gpu *gpu)
{
    if (gpu->tbs_done != gpu->program.tbs || wr_memsys_in_flight(gpu->memsys) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        if (!wr_sm_idle(&gpu->sms[i])) {
            return false;
        }
    }
    return true;
}

static void run_loop(wr_gpu *gpu, uint64_t max_cycles, wr_progress_fn progress, void *arg)
{
    uint64_t start = gpu->cycle;
    uint64_t simulated = 0;
    char message[512];
    for (;;) {
        simulate_cycle(gpu);
        bool placed = wr_dispatch(gpu);
        call_system(gpu);
        if (gpu->ended || all_done(gpu)) {
            gpu->cycle++;
            return;
        }
        uint64_t next = next_cycle(gpu, placed);
        if (next == UINT64_MAX || gpu->cycle - gpu->progress_at > STUCK_CYCLES ||
            gpu->cycle - gpu->work_at > WORKLESS_CYCLES) {
            wr_describe_deadlock(gpu, message, sizeof message);
            wr_gpu_end(gpu, WR_RUN_DEADLOCK, message);
            return;
        }
        next = gpu->no_skip ? gpu->cycle + 1 : next;
        bool stopped = ++simulated % PROGRESS_EVERY == 0 && progress != NULL &&
                       !progress(arg, gpu->cycle, gpu->tbs_done, gpu->program.tbs);
        if (stopped || next - start >= max_cycles) {
            gpu->cycle = stopped ? gpu->cycle : start + max_cycles;
            snprintf(message, sizeof message, "kernel %s %s %llu cycles, %llu of %llu TBs are done",
                     gpu->program.kernel->name,
                     stopped ? "was stopped after" : "has not ended after",
                     (unsigned long long)(gpu->cycle - start), (unsigned long long)gpu->tbs_done,
                     (unsigned long long)gpu->program.tbs);
            wr_gpu_end(gpu, stopped ? WR_RUN_STOPPED : WR_RUN_CYCLE_LIMIT, message);
            return;
        }
        gpu->cycle = next;
    }
}

static void begin(wr_gpu *gpu, const wr_launch *launch)
{
    gpu->launches++;
    gpu->next_tb = 0;
    gpu->tbs_done = 0;
    gpu->progress_at = gpu->cycle;
    gpu->work_at = gpu->cycle;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        gpu->sms[i].signalled = false;
    }
    if (gpu->hooks.launch_begin != NULL) {
        gpu->hooks.launch_begin(gpu->hooks.self, gpu, launch);
    }
}

wr_run_result wr_gpu_run(wr_gpu *gpu, const wr_launch *launch, uint64_t max_cycles,
                         wr_progress_fn progress, void *arg)
{
    wr_run_result r = {.status = WR_RUN_DONE};
    uint64_t start = gpu->cycle;
    if (!gpu->ended) { /* a run that failed leaves nothing to go on with */
        char message[512];
        wr_program_free(&gpu->program);
        if (!wr_program_prepare(&gpu->program, &gpu->cfg, launch, message, sizeof message) ||
            !prepare_heap(gpu, launch->kernel, message, sizeof message) ||
            !prepare_frames(gpu, message, sizeof message) ||
            !place_code(gpu, message, sizeof message)) {
            r.status = WR_RUN_REFUSED;
            snprintf(r.message, sizeof r.message, "%s", message);
            return r;
        }
        begin(gpu, launch);
        if (!gpu->ended) {
            run_loop(gpu, max_cycles, progress, arg);
        }
        if (gpu->hooks.launch_end != NULL) {
            gpu->hooks.launch_end(gpu->hooks.self, gpu);
        }
    }
    if (gpu->ended) {
        r.status = gpu->status;
        snprintf(r.message, sizeof r.message, "%s", gpu->message);
    }
    r.cycles = gpu->cycle - start;
    return r;
}
