/* Load/store unit of an SM: memory instructions in order, one line or bank cycle at a time.
 *
 * Shared memory takes the pipeline for as many cycles as its worst bank has words. Loads go
 * line by line through the L1; misses, stores and atomics go to the miss queue. A load's
 * registers are released when its last line is there.
 */
#include "shell/core/state.h"

#include <assert.h>

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool can_send(const wr_sm *sm)
{
    return sm->miss_count < sm->cfg->l1.miss_queue;
}

static void send(wr_sm *sm, wr_packet_kind kind, const wr_lsu_line *line, uint32_t bytes,
                 uint32_t tag, uint8_t sender)
{
    assert(can_send(sm));
    uint32_t at = (sm->miss_head + sm->miss_count) % sm->cfg->l1.miss_queue;
    sm->miss_queue[at] = (wr_packet){.addr = line->addr,
                                     .tag = tag,
                                     .sm = (uint16_t)sm->id,
                                     .bytes = (uint16_t)bytes,
                                     .kind = (uint8_t)kind,
                                     .sender = sender,
                                     .serial = line->serial};
    sm->miss_count++;
}

static void finish_op(wr_sm *sm, uint16_t index)
{
    wr_mem_op *op = &sm->ops[index];
    if (!op->closed || op->pending != 0) {
        return;
    }
    if (op->ready_at > sm->now) {
        wr_wheel_add(&sm->wheel, sm->now, op->ready_at, op->warp, op->regs, 0);
    } else {
        wr_sm_release(sm, op->warp, op->regs, 0);
    }
    sm->ops_free |= UINT64_C(1) << index;
}

static void line_back(wr_sm *sm, uint16_t index)
{
    assert(sm->ops[index].pending != 0);
    sm->ops[index].pending--;
    finish_op(sm, index);
}

/* The entry's operation; false: none is free. */
static bool open_op(wr_sm *sm, wr_lsu_entry *e)
{
    if (e->has_op) {
        return true;
    }
    if (sm->ops_free == 0) {
        return false;
    }
    e->op = (uint16_t)__builtin_ctzll(sm->ops_free);
    e->has_op = true;
    sm->ops_free &= sm->ops_free - 1;
    sm->ops[e->op] = (wr_mem_op){.regs = e->regs, .warp = e->warp};
    return true;
}

static uint32_t sector_bytes(const wr_lsu_line *line)
{
    return 32 * (uint32_t)__builtin_popcount(line->sectors);
}

static bool load_line(wr_sm *sm, wr_lsu_entry *e, const wr_lsu_line *line)
{
    if (!open_op(sm, e)) {
        return false;
    }
    wr_mem_op *op = &sm->ops[e->op];
    if (e->no_l1) {
        if (!can_send(sm)) {
            return false;
        }
        send(sm, WR_PACKET_READ, line, sector_bytes(line), e->op, WR_FROM_OP);
        op->pending++;
        return true;
    }
    uint32_t mshr;
    switch (wr_l1_load(&sm->l1, line->addr, e->op, can_send(sm), &mshr)) {
    case WR_L1_HIT:
        sm->stats.l1_hits++;
        op->ready_at = max64(op->ready_at, sm->now + sm->cfg->l1.hit_latency);
        return true;
    case WR_L1_MERGED:
        sm->stats.l1_merges++;
        op->pending++;
        return true;
    case WR_L1_MISS:
        sm->stats.l1_misses++;
        op->pending++;
        send(sm, WR_PACKET_READ, line, sm->cfg->l1.line_bytes, mshr, WR_FROM_MSHR);
        return true;
    case WR_L1_BLOCKED:
        break;
    }
    return false;
}

static bool write_line(wr_sm *sm, wr_lsu_entry *e, const wr_lsu_line *line)
{
    bool atomic = e->path == WR_LSU_ATOMIC;
    bool returns = atomic && e->regs != 0;
    if (!can_send(sm) || (returns && !open_op(sm, e))) {
        return false;
    }
    sm->stats.l1_evicted_by_store += wr_l1_store(&sm->l1, line->addr) ? 1 : 0;
    if (returns) {
        sm->ops[e->op].pending++;
    }
    send(sm, atomic ? WR_PACKET_ATOMIC : WR_PACKET_WRITE, line, sector_bytes(line),
         returns ? e->op : e->warp, returns ? WR_FROM_OP : WR_FROM_STORE);
    return true;
}

static void pop(wr_sm *sm)
{
    sm->lsu_head = (sm->lsu_head + 1) % WR_LSU_QUEUE;
    sm->lsu_count--;
}

static void banked(wr_sm *sm, const wr_lsu_entry *e)
{
    sm->lsu_free_at = sm->now + e->cycles;
    if (e->regs != 0) {
        wr_wheel_add(&sm->wheel, sm->now, sm->now + e->cycles - 1 + e->latency, e->warp, e->regs,
                     0);
    }
    pop(sm);
}

void wr_lsu_cycle(wr_sm *sm)
{
    if (sm->lsu_count == 0 || sm->lsu_blocked || sm->lsu_free_at > sm->now) {
        return;
    }
    wr_lsu_entry *e = &sm->lsu[sm->lsu_head];
    wr_gpu_progress(sm->gpu);
    if (e->path == WR_LSU_BANKED) {
        banked(sm, e);
        return;
    }
    if (e->cycles != 0) { /* lanes of a generic access that are in shared memory go first */
        sm->lsu_free_at = sm->now + e->cycles;
        e->cycles = 0;
        return;
    }
    const wr_lsu_line *line = &e->lines[e->at];
    bool done = e->path == WR_LSU_LOAD ? load_line(sm, e, line) : write_line(sm, e, line);
    if (!done) {
        sm->lsu_blocked = true;
        return;
    }
    if (++e->at == e->count) {
        if (e->has_op) {
            sm->ops[e->op].closed = true;
            finish_op(sm, e->op);
        }
        pop(sm);
    }
}

static void store_back(wr_sm *sm, uint32_t warp)
{
    assert(sm->stores[warp] != 0);
    sm->stores[warp]--;
    uint64_t bit = UINT64_C(1) << warp;
    if (sm->stores[warp] == 0 && (sm->membar & bit) != 0) {
        sm->membar &= ~bit;
        wr_simt_advance(sm, warp);
        wr_sm_refresh(sm, warp);
    }
}

void wr_lsu_reply(wr_sm *sm, const wr_packet *p)
{
    uint32_t count;
    sm->lsu_blocked = false;
    switch (p->sender) {
    case WR_FROM_MSHR: {
        const uint16_t *ops = wr_l1_fill(&sm->l1, p->tag, &count);
        for (uint32_t i = 0; i < count; i++) {
            line_back(sm, ops[i]);
        }
        break;
    }
    case WR_FROM_OP:
        line_back(sm, (uint16_t)p->tag);
        break;
    case WR_FROM_STORE:
        store_back(sm, p->tag);
        break;
    default:
        assert(false && "not a packet of the LSU");
    }
}
