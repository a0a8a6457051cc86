/* SPDX-License-Identifier: Apache-2.0 */
/* The services of shell/core/seam over plain arrays: see fake_sm.h. */
#include "tests/systems/fake_sm.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

wr_gpu *fake_create(uint64_t seed, uint32_t sms)
{
    wr_gpu *gpu = calloc(1, sizeof *gpu);

    assert(gpu && sms <= FAKE_SMS);
    gpu->memory = calloc(1, FAKE_MEMORY);
    assert(gpu->memory);
    wr_rng_seed(&gpu->rng, seed);
    gpu->alloc_at = WR_MEM_BASE;
    gpu->cfg.sms = sms;
    gpu->cfg.sm.warp_size = 32;
    gpu->cfg.sm.max_tbs = FAKE_TBS;
    gpu->cfg.sm.max_warps = FAKE_WARPS;
    gpu->cfg.context = (wr_context_config){.rf_bytes_per_cycle = 128,
                                           .shared_bytes_per_cycle = 128,
                                           .segment_bytes = 128,
                                           .pad_bytes = 32,
                                           .pointer_bytes = 8,
                                           .aging_cycles = 1000};
    for (uint32_t i = 0; i < sms; i++) {
        gpu->sm[i].gpu = gpu;
        gpu->sm[i].id = i;
    }
    return gpu;
}

void fake_destroy(wr_gpu *gpu)
{
    free(gpu->memory);
    free(gpu);
}

uint8_t *fake_memory(wr_gpu *gpu, uint64_t addr)
{
    assert(addr >= WR_MEM_BASE && addr < WR_MEM_BASE + FAKE_MEMORY);
    return gpu->memory + (addr - WR_MEM_BASE);
}

static void poison_warp(fake_warp *warp, uint32_t poison)
{
    for (uint32_t r = 0; r < FAKE_REGS; r++) {
        for (uint32_t l = 0; l < 32; l++) {
            warp->reg[r][l] = poison;
        }
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        warp->pred[p] = poison;
    }
    warp->pledges = 0;
}

/* A TB slot and warps at a random place among those that fit. Warps lie at a multiple of the
 * TB's size, so that TBs of one size always fit again whatever their order. */
static uint32_t place(wr_sm *sm, const wr_tb_info *info, uint32_t poison)
{
    uint32_t slot = wr_rng_below(&sm->gpu->rng, FAKE_TBS);
    uint32_t places = FAKE_WARPS / info->warps;
    uint32_t start = wr_rng_below(&sm->gpu->rng, places);

    for (uint32_t i = 0; i < FAKE_TBS && sm->tb[slot].valid; i++) {
        slot = (slot + 1) % FAKE_TBS;
    }
    if (sm->tb[slot].valid) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < places; i++) {
        uint32_t base = (start + i) % places * info->warps;

        if (sm->warp[base].valid) {
            continue;
        }
        sm->tb[slot] = *info;
        sm->tb[slot].valid = true;
        sm->tb[slot].warp_base = base;
        sm->turn[slot] = 0;
        sm->away[slot] = 0;
        memset(sm->shared[slot], (int)(poison & 0xff), FAKE_SHARED);
        for (uint32_t w = 0; w < info->warps; w++) {
            fake_warp *warp = &sm->warp[base + w];

            memset(warp, 0, sizeof *warp);
            warp->valid = true;
            warp->done = true;
            warp->tb_slot = slot;
            warp->index = w;
            poison_warp(warp, poison);
        }
        return slot;
    }
    return UINT32_MAX;
}

uint32_t fake_place(wr_sm *sm, const wr_launch *launch, uint32_t linear, uint32_t regs,
                    uint32_t shared_bytes)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    wr_tb_info info = {.launch = launch,
                       .linear = linear,
                       .warps = (threads + 31) / 32,
                       .threads = threads,
                       .regs = regs,
                       .shared_bytes = shared_bytes};
    uint32_t slot = place(sm, &info, 0);

    for (uint32_t w = 0; slot != UINT32_MAX && w < info.warps; w++) {
        fake_warp *warp = &sm->warp[sm->tb[slot].warp_base + w];

        sm->turn[slot] = linear % info.warps;
        warp->index = (w + info.warps - sm->turn[slot]) % info.warps;
        warp->done = false;
        warp->delay = wr_rng_below(&sm->gpu->rng, sm->gpu->stop_delay + 1);
    }
    return slot;
}

static void step_queue(wr_sm *sm)
{
    wr_gpu *gpu = sm->gpu;

    for (uint32_t i = 0; i < sm->queued; i++) {
        fake_request *r = &sm->queue[i];

        if (r->delay > 0) {
            r->delay--;
            continue;
        }
        if (r->injected) {
            continue;
        }
        r->injected = true;
        if (r->is_read) {
            memcpy(r->data, fake_memory(gpu, r->addr), r->bytes);
        } else {
            memcpy(fake_memory(gpu, r->addr), r->data, r->bytes);
        }
    }
    while (sm->queued > 0 && sm->queue[0].injected && !sm->queue[0].is_read) {
        memmove(sm->queue, sm->queue + 1, (sm->queued - 1) * sizeof sm->queue[0]);
        sm->queued--;
    }
}

static void step_warps(wr_sm *sm)
{
    for (uint32_t w = 0; w < FAKE_WARPS; w++) {
        fake_warp *warp = &sm->warp[w];

        if (!warp->valid || warp->done) {
            continue;
        }
        if (warp->delay > 0) {
            warp->delay--;
        } else if (warp->finishes) {
            warp->done = true;
            warp->depth = 0;
        } else if (warp->stopped) {
            warp->drained = true;
        } else if ((sm->stop >> warp->tb_slot & 1) != 0) {
            warp->stopped = true;
            warp->delay = wr_rng_below(&sm->gpu->rng, 8);
        }
    }
    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        bool all = sm->tb[t].valid;
        bool any_runs = false; /* a placed TB without its stacks is all done, and all stopped */

        for (uint32_t w = 0; all && w < sm->tb[t].warps; w++) {
            all = sm->warp[sm->tb[t].warp_base + w].done;
            any_runs |= !sm->warp[sm->tb[t].warp_base + w].stopped;
        }
        if (all && any_runs) {
            sm->tb[t].valid = false;
            sm->stop &= ~(UINT64_C(1) << t);
            sm->gpu->finished |= UINT64_C(1) << sm->tb[t].linear;
            for (uint32_t w = 0; w < sm->tb[t].warps; w++) {
                sm->warp[sm->tb[t].warp_base + w].valid = false;
            }
        }
    }
}

void fake_cycle(wr_gpu *gpu)
{
    enum { WITHOUT_END = 3000000 }; /* far more than any test takes */

    if (++gpu->cycle == WITHOUT_END) {
        fail_msg("%d cycles, and what the test waits for does not come", WITHOUT_END);
    }
    if (gpu->hooks->gpu_cycle) {
        gpu->hooks->gpu_cycle(gpu->hooks->self, gpu);
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        wr_sm *sm = &gpu->sm[i];

        sm->this_cycle = 0;
        step_queue(sm);
        step_warps(sm);
        if (sm->attend) {
            gpu->hooks->sm_cycle(gpu->hooks->self, sm);
        }
        if (sm->this_cycle > sm->most_in_a_cycle) {
            sm->most_in_a_cycle = sm->this_cycle;
        }
    }
}

wr_sm *wr_gpu_sm(wr_gpu *gpu, uint32_t id)
{
    assert(id < gpu->cfg.sms);
    return &gpu->sm[id];
}

const wr_gpu_config *wr_gpu_configuration(const wr_gpu *gpu)
{
    return &gpu->cfg;
}

uint32_t wr_gpu_sm_count(const wr_gpu *gpu)
{
    return gpu->cfg.sms;
}

wr_gpu *wr_sm_gpu(wr_sm *sm)
{
    return sm->gpu;
}

uint64_t wr_gpu_cycle(const wr_gpu *gpu)
{
    return gpu->cycle;
}

void wr_gpu_abort(wr_gpu *gpu, const char *message)
{
    assert(!gpu->aborted[0]);
    (void)snprintf(gpu->aborted, sizeof gpu->aborted, "%s", message);
}

void wr_gpu_refuse(wr_gpu *gpu, const char *message)
{
    wr_gpu_abort(gpu, message);
}

uint64_t wr_gpu_alloc_private(wr_gpu *gpu, uint64_t bytes, uint32_t align)
{
    uint64_t at = (gpu->alloc_at + align - 1) / align * align;

    if (at + bytes > WR_MEM_BASE + FAKE_MEMORY) {
        return 0;
    }
    gpu->alloc_at = at + bytes;
    if (gpu->first_alloc == 0) {
        gpu->first_alloc = at;
    }
    return at;
}

uint32_t wr_sm_id(const wr_sm *sm)
{
    return sm->id;
}

void wr_sm_attend(wr_sm *sm, wr_owner owner, bool on)
{
    (void)owner;
    sm->attend = on;
}

void wr_sm_close(wr_sm *sm, wr_owner owner, uint32_t streams)
{
    (void)owner;
    assert(streams == 0 || streams == WR_ALL_STREAMS);
    sm->closed = streams != 0;
}

/* Warps of these TBs stop; a halted one stops as one at a point does, since a fake has no others.
 */
static void stop(wr_sm *sm)
{
    uint64_t valid = 0;

    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        valid |= (uint64_t)sm->tb[t].valid << t;
    }
    sm->stop = (sm->pushed[0] | sm->pushed[1] | sm->pushed[2]) & valid;
    for (uint32_t w = 0; w < FAKE_WARPS; w++) {
        fake_warp *warp = &sm->warp[w];

        if (warp->valid && !warp->placed && (sm->stop >> warp->tb_slot & 1) == 0) {
            warp->stopped = false;
            warp->drained = false;
        }
    }
}

void wr_sm_stop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    (void)owner;
    sm->pushed[0] = tbs;
    stop(sm);
}

void wr_sm_halt_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    (void)owner;
    sm->pushed[1] = tbs;
    stop(sm);
}

void wr_sm_drop_tbs(wr_sm *sm, wr_owner owner, uint64_t tbs)
{
    (void)owner;
    sm->pushed[2] = tbs;
    stop(sm);
}

uint32_t wr_sm_tb_slots(const wr_sm *sm)
{
    (void)sm;
    return FAKE_TBS;
}

uint32_t wr_sm_warp_slots(const wr_sm *sm)
{
    (void)sm;
    return FAKE_WARPS;
}

wr_tb_info wr_sm_tb(const wr_sm *sm, uint32_t tb_slot)
{
    assert(tb_slot < FAKE_TBS);
    return sm->tb[tb_slot];
}

uint32_t wr_sm_tb_warp(const wr_sm *sm, uint32_t tb_slot, uint32_t index)
{
    assert(tb_slot < FAKE_TBS && index < sm->tb[tb_slot].warps);
    if ((sm->away[tb_slot] >> index & 1u) != 0) {
        return UINT32_MAX;
    }
    return sm->tb[tb_slot].warp_base + (index + sm->turn[tb_slot]) % sm->tb[tb_slot].warps;
}

uint32_t wr_sm_tb_count(const wr_sm *sm, uint32_t streams)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        count += sm->tb[t].valid && (streams >> sm->tb[t].stream & 1u) != 0;
    }
    return count;
}

wr_warp_info wr_sm_warp(const wr_sm *sm, uint32_t warp)
{
    assert(warp < FAKE_WARPS);
    const fake_warp *w = &sm->warp[warp];

    return (wr_warp_info){.valid = w->valid,
                          .done = w->done,
                          .stopped = w->stopped,
                          .drained = w->drained,
                          .tb_slot = w->tb_slot,
                          .index = w->index,
                          .pc = w->depth != 0 ? w->stack[w->depth - 1].pc : 0,
                          .depth = w->depth};
}

static const fake_warp *quiet_warp(const wr_sm *sm, uint32_t warp)
{
    assert(warp < FAKE_WARPS && sm->warp[warp].valid);
    assert(sm->warp[warp].stopped && sm->warp[warp].drained);
    return &sm->warp[warp];
}

static fake_warp *quiet_warp_rw(wr_sm *sm, uint32_t warp)
{
    (void)quiet_warp(sm, warp);
    return &sm->warp[warp];
}

const uint32_t *wr_sm_reg(const wr_sm *sm, uint32_t warp, uint32_t reg)
{
    assert(reg < FAKE_REGS);
    return quiet_warp(sm, warp)->reg[reg];
}

void wr_sm_reg_write(wr_sm *sm, uint32_t warp, uint32_t reg, const uint32_t lanes[32])
{
    assert(reg < sm->tb[sm->warp[warp].tb_slot].regs);
    memcpy(quiet_warp_rw(sm, warp)->reg[reg], lanes, 32 * sizeof lanes[0]);
}

uint32_t wr_sm_pred(const wr_sm *sm, uint32_t warp, uint32_t pred)
{
    assert(pred < WR_ISA_PREDS);
    return quiet_warp(sm, warp)->pred[pred];
}

void wr_sm_pred_write(wr_sm *sm, uint32_t warp, uint32_t pred, uint32_t lanes)
{
    assert(pred < WR_ISA_PREDS);
    quiet_warp_rw(sm, warp)->pred[pred] = lanes;
}

uint32_t wr_sm_stack(const wr_sm *sm, uint32_t warp, wr_simt_entry out[WR_SIMT_DEPTH])
{
    memcpy(out, sm->warp[warp].stack, sizeof sm->warp[warp].stack);
    return sm->warp[warp].depth;
}

uint16_t wr_sm_pledges(const wr_sm *sm, uint32_t warp)
{
    return sm->warp[warp].pledges;
}

void wr_sm_pledges_write(wr_sm *sm, uint32_t warp, uint16_t barriers)
{
    quiet_warp_rw(sm, warp)->pledges = barriers;
}

void wr_sm_stack_write(wr_sm *sm, uint32_t warp, const wr_simt_entry *entries, uint32_t depth)
{
    fake_warp *w = quiet_warp_rw(sm, warp);

    assert(depth <= WR_SIMT_DEPTH);
    memcpy(w->stack, entries, depth * sizeof *entries);
    w->depth = depth;
    w->done = depth == 0;
}

uint8_t *wr_sm_shared(wr_sm *sm, uint32_t tb_slot)
{
    assert(tb_slot < FAKE_TBS && sm->tb[tb_slot].valid);
    return sm->shared[tb_slot];
}

uint64_t wr_sm_fetch(const wr_sm *sm, uint32_t warp, uint32_t pc)
{
    const wr_kernel *kernel = sm->tb[sm->warp[warp].tb_slot].launch->kernel;

    return pc / 8 < kernel->word_count ? kernel->words[pc / 8] : 0;
}

void wr_sm_tb_park(wr_sm *sm, uint32_t tb_slot, uint32_t kept, uint32_t poison)
{
    assert(kept == 0);
    (void)kept;
    wr_tb_info *tb = &sm->tb[tb_slot];

    assert(tb->valid);
    for (uint32_t w = 0; w < tb->warps; w++) {
        fake_warp *warp = &sm->warp[tb->warp_base + w];

        assert(warp->done || (warp->stopped && warp->drained));
        poison_warp(warp, poison);
        warp->valid = false;
    }
    memset(sm->shared[tb_slot], (int)(poison & 0xff), FAKE_SHARED);
    tb->valid = false;
    sm->stop &= ~(UINT64_C(1) << tb_slot);
    assert(sm->entry_at != 0);
    sm->gpu->entry_at[tb->linear] = sm->entry_at;
    sm->entry_at = 0;
    sm->gpu->evictions++;
}

void wr_sm_tb_evict(wr_sm *sm, uint32_t tb_slot, uint32_t poison)
{
    wr_sm_tb_park(sm, tb_slot, 0, poison);
}

uint32_t wr_sm_tb_place(wr_sm *sm, const wr_tb_info *tb, const wr_tb_where *where, uint32_t poison)
{
    (void)where;
    uint32_t slot = place(sm, tb, poison);

    for (uint32_t w = 0; slot != UINT32_MAX && w < tb->warps; w++) {
        fake_warp *warp = &sm->warp[sm->tb[slot].warp_base + w];

        warp->stopped = true;
        warp->drained = true;
        warp->placed = true;
    }
    if (slot != UINT32_MAX) {
        sm->gpu->placements++;
        if (sm->gpu->returning) {
            sm->gpu->returning(sm->gpu->returning_arg, sm, &sm->tb[slot]);
        }
    }
    return slot;
}

void wr_sm_warp_resume(wr_sm *sm, uint32_t warp)
{
    fake_warp *w = quiet_warp_rw(sm, warp);

    assert(!w->done && w->placed && (sm->stop >> w->tb_slot & 1) == 0);
    w->placed = false;
    w->stopped = false;
    w->drained = false;
    w->delay = wr_rng_below(&sm->gpu->rng, sm->gpu->stop_delay + 1);
    sm->gpu->resumes++;
}

static fake_request *request(wr_sm *sm, uint64_t addr, uint32_t bytes)
{
    assert(bytes >= 1 && bytes <= 128 && addr / 128 == (addr + bytes - 1) / 128);
    assert(addr >= sm->gpu->first_alloc && addr + bytes <= sm->gpu->alloc_at);
    if (sm->queued == FAKE_QUEUE || wr_rng_chance(&sm->gpu->rng, sm->gpu->refuse)) {
        return NULL;
    }
    fake_request *r = &sm->queue[sm->queued++];

    memset(r, 0, sizeof *r);
    r->addr = addr;
    r->bytes = bytes;
    r->delay = wr_rng_below(&sm->gpu->rng, sm->gpu->delay + 1);
    sm->this_cycle++;
    return r;
}

bool wr_sm_ctx_write(wr_sm *sm, uint64_t addr, const void *src, uint32_t bytes)
{
    fake_request *r = request(sm, addr, bytes);

    if (r) {
        memcpy(r->data, src, bytes);
        if (addr < sm->gpu->first_alloc + 24 * (uint64_t)sm->gpu->entries && !sm->entry_at) {
            sm->entry_at = addr;
        }
    }
    return r != NULL;
}

bool wr_sm_ctx_read(wr_sm *sm, uint64_t addr, uint32_t bytes, uint32_t tag)
{
    fake_request *r = request(sm, addr, bytes);

    if (r) {
        r->is_read = true;
        r->tag = tag;
    }
    return r != NULL;
}

bool wr_sm_ctx_reply(wr_sm *sm, uint32_t *tag, uint8_t out[128])
{
    if (sm->queued == 0 || !sm->queue[0].is_read || !sm->queue[0].injected) {
        return false;
    }
    *tag = sm->queue[0].tag;
    memcpy(out, sm->queue[0].data, sm->queue[0].bytes);
    memmove(sm->queue, sm->queue + 1, (sm->queued - 1) * sizeof sm->queue[0]);
    sm->queued--;
    return true;
}

uint32_t wr_sm_ctx_pending(const wr_sm *sm)
{
    return sm->queued;
}
