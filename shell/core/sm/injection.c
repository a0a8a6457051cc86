/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's injection port, and the context queue behind it.
 *
 * Regular requests go first; a context request that has waited for the configured time goes
 * before them (P29). Whoever is first in line and finds no room holds the port.
 */
#include "shell/core/gpu/state.h"
#include "shell/core/sm/miss_queue.h"

#include <assert.h>
#include <string.h>

static const wr_ctx_request *ctx_head(const wr_sm *sm)
{
    return sm->ctx.count != 0 ? &sm->ctx.queue[sm->ctx.head] : NULL;
}

static uint64_t aged_at(const wr_sm *sm, const wr_ctx_request *r)
{
    return r->since + sm->cfg->context.aging_cycles;
}

/* The packet of a context request. */
static wr_packet ctx_packet(const wr_sm *sm, const wr_ctx_request *r)
{
    uint32_t line = sm->cfg->l2.line_bytes;
    uint32_t begin = (uint32_t)r->addr % line;
    uint32_t end = begin + r->bytes;
    uint32_t touched =
        (1u << (end + WR_SECTOR_BYTES - 1) / WR_SECTOR_BYTES) - (1u << begin / WR_SECTOR_BYTES);
    uint32_t first = (begin + WR_SECTOR_BYTES - 1) / WR_SECTOR_BYTES;
    uint32_t behind = end / WR_SECTOR_BYTES;
    uint32_t covered = behind > first ? (1u << behind) - (1u << first) : 0;
    return (wr_packet){.addr = r->addr - begin,
                       .tag = r->read,
                       .sm = (uint8_t)sm->id,
                       .stream = WR_NO_STREAM,
                       .bytes = (uint16_t)r->bytes,
                       .kind = r->is_write ? WR_PACKET_WRITE : WR_PACKET_READ,
                       .sender = r->is_write ? WR_FROM_CTX_WRITE : WR_FROM_CTX_READ,
                       .serial = 1,
                       .sectors = (uint8_t)touched,
                       .covered = (uint8_t)covered,
                       .low = true};
}

/* Who is first in line at a cycle; false: nobody. */
static bool first_in_line(wr_sm *sm, uint64_t now, wr_packet *p, bool *is_ctx)
{
    const wr_ctx_request *r = ctx_head(sm);
    const wr_packet *regular = wr_miss_head(sm, now);
    *is_ctx = r != NULL && (regular == NULL || aged_at(sm, r) <= now);
    if (*is_ctx) {
        *p = ctx_packet(sm, r);
        return true;
    }
    if (regular != NULL) {
        *p = *regular;
        return true;
    }
    return false;
}

void wr_injection_offer(wr_sm *sm)
{
    sm->status->sends = sm->miss_count != 0 || sm->ctx.count != 0;
    sm->status->chooses = (sm->ctx.count != 0) | sm->has_station;
    if (sm->miss_count != 0 && !sm->offered) {
        const wr_miss *head = &sm->miss_queue[sm->miss_head];
        sm->injection->at = head->at;
        sm->injection->packet = head->packet;
        sm->offered = true;
    }
}

void wr_injection_sent(wr_sm *sm, uint64_t now)
{
    const wr_packet *p =
        sm->station == NULL ? &sm->miss_queue[sm->miss_head].packet : wr_miss_head(sm, now);
    wr_sm_settle(sm, now);
    sm->progress_at = now;
    sm->stats.request_bytes += p->kind == WR_PACKET_READ ? 0 : p->bytes;
    wr_miss_pop(sm, now);
    sm->offered = sm->has_station;
    if ((sm->lsu_blocked & sm->lsu_short) != 0 || sm->station != NULL) {
        sm->lsu_blocked &= sm->station != NULL ? 0 : ~sm->lsu_short;
        wr_sm_wake(sm, now);
    }
}

void wr_injection_cycle(wr_sm *sm, uint64_t now)
{
    wr_packet p;
    bool is_ctx;
    if (!first_in_line(sm, now, &p, &is_ctx) || !wr_memsys_inject(sm->memsys, now, &p)) {
        return;
    }
    if (!is_ctx) {
        wr_injection_sent(sm, now);
        wr_injection_offer(sm);
        return;
    }
    const wr_ctx_request *r = ctx_head(sm);
    sm->progress_at = now;
    sm->stats.request_bytes += p.kind == WR_PACKET_READ ? 0 : p.bytes;
    if (r->is_write) {
        memcpy(wr_memory_at(sm->memory, r->addr), r->data, r->bytes);
    }
    sm->ctx.unanswered++;
    sm->ctx.head = (sm->ctx.head + 1) % WR_CTX_QUEUE;
    sm->ctx.count--;
    wr_injection_offer(sm);
}

uint64_t wr_injection_next(wr_sm *sm, uint64_t from)
{
    wr_packet p;
    bool is_ctx;
    if (!first_in_line(sm, from, &p, &is_ctx)) {
        return wr_miss_next(sm, from);
    }
    uint64_t at = wr_memsys_inject_at(sm->memsys, from, &p);
    const wr_ctx_request *r = ctx_head(sm);
    if (!is_ctx && r != NULL && aged_at(sm, r) < at) {
        at = aged_at(sm, r); /* then the line changes */
    }
    if (is_ctx || sm->station != NULL) { /* then another may be first */
        uint64_t regular = wr_miss_next(sm, from);
        at = regular < at ? regular : at;
    }
    return at;
}

static bool ctx_allowed(wr_sm *sm, uint64_t addr, uint32_t bytes)
{
    assert(bytes != 0 && bytes <= WR_CTX_BYTES &&
           addr / WR_CTX_BYTES == (addr + bytes - 1) / WR_CTX_BYTES);
    if (wr_memory_find(sm->memory, addr, bytes) != NULL) {
        return true;
    }
    wr_gpu_abort(sm->gpu, "the system's context traffic is outside every allocation");
    return false;
}

static wr_ctx_request *ctx_push(wr_sm *sm, uint64_t addr, uint32_t bytes)
{
    wr_context_queue *q = &sm->ctx;
    wr_ctx_request *r = &q->queue[(q->head + q->count) % WR_CTX_QUEUE];
    q->count++;
    sm->gpu->sending |= UINT64_C(1) << sm->id;
    sm->gpu->choosing |= UINT64_C(1) << sm->id;
    sm->gpu->touched |= UINT64_C(1) << sm->id;
    wr_injection_offer(sm);
    r->addr = addr;
    r->bytes = bytes;
    r->since = sm->gpu->cycle;
    wr_gpu_progress(sm->gpu);
    return r;
}

bool wr_sm_ctx_write(wr_sm *sm, uint64_t addr, const void *src, uint32_t bytes)
{
    if (sm->ctx.count == WR_CTX_QUEUE || !ctx_allowed(sm, addr, bytes)) {
        return false;
    }
    wr_ctx_request *r = ctx_push(sm, addr, bytes);
    r->is_write = true;
    r->read = 0;
    memcpy(r->data, src, bytes);
    sm->stats.ctx_writes++;
    sm->stats.ctx_write_bytes += bytes;
    return true;
}

bool wr_sm_ctx_read(wr_sm *sm, uint64_t addr, uint32_t bytes, uint32_t tag)
{
    wr_context_queue *q = &sm->ctx;
    if (q->count == WR_CTX_QUEUE || q->read_count == WR_CTX_READS ||
        !ctx_allowed(sm, addr, bytes)) {
        return false;
    }
    uint32_t slot = (q->read_head + q->read_count) % WR_CTX_READS;
    q->read_count++;
    q->reads[slot].addr = addr;
    q->reads[slot].bytes = bytes;
    q->reads[slot].tag = tag;
    q->reads[slot].arrived = false;
    wr_ctx_request *r = ctx_push(sm, addr, bytes);
    r->is_write = false;
    r->read = slot;
    sm->stats.ctx_reads++;
    sm->stats.ctx_read_bytes += bytes;
    return true;
}

bool wr_sm_ctx_reply(wr_sm *sm, uint32_t *tag, uint8_t out[128])
{
    wr_context_queue *q = &sm->ctx;
    wr_ctx_read_slot *slot = &q->reads[q->read_head];
    if (q->read_count == 0 || !slot->arrived) {
        return false;
    }
    *tag = slot->tag;
    memcpy(out, slot->data, slot->bytes);
    q->read_head = (q->read_head + 1) % WR_CTX_READS;
    q->read_count--;
    wr_gpu_progress(sm->gpu);
    return true;
}

uint32_t wr_sm_ctx_pending(const wr_sm *sm)
{
    return sm->ctx.count + sm->ctx.unanswered;
}

void wr_injection_ctx_reply(wr_sm *sm, const wr_packet *p)
{
    assert(sm->ctx.unanswered != 0);
    sm->ctx.unanswered--;
    if (p->sender == WR_FROM_CTX_READ) {
        wr_ctx_read_slot *slot = &sm->ctx.reads[p->tag];
        memcpy(slot->data, wr_memory_at(sm->memory, slot->addr), slot->bytes);
        slot->arrived = true;
    }
}
