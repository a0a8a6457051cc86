/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store unit of an SM: memory instructions of a queue (lsu.h) in order, one line or bank cycle
 * at a time.
 *
 * Shared memory takes the pipeline for as many cycles as its worst bank has words. Loads go
 * line by line through the L1; misses, stores and atomics go to the miss queue. A load's
 * registers are released when its last line is there. A line that a write-back L1 evicts is
 * stored in the name of the warp that made it go.
 */
#include "shell/core/gpu/state.h"
#include "shell/core/sm/miss_queue.h"

#include <assert.h>

#define LINE_ROOM 2 /* requests of one line, at most: what it asks for and what it evicts */
#define STREAM_AT                                                                                  \
    16 /* tag of a store: its warp's identity, and from this bit on the launch's stream */

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t wr_lsu_apart(const wr_sm *sm, uint64_t warps)
{
    uint64_t with_room = 0;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        uint32_t stream = sm->tbs[sm->warps[__builtin_ctzll(left)].tb].program->stream;
        uint32_t count = sm->lsu[stream & (sm->lsu_queues - 1)].count;
        with_room |= count < WR_LSU_QUEUE ? left & -left : 0;
    }
    return with_room;
}

void wr_lsu_send_fetch(wr_sm *sm, uint32_t warp, uint64_t addr, uint32_t bytes, uint32_t tag,
                       uint8_t sender)
{
    uint32_t begin = (uint32_t)(addr % sm->cfg->l2.line_bytes);
    uint32_t sectors = ((1u << bytes / WR_SECTOR_BYTES) - 1) << begin / WR_SECTOR_BYTES;
    wr_miss_push(sm, sm->now,
                 &(wr_packet){.addr = addr - begin,
                              .tag = tag,
                              .bytes = (uint16_t)bytes,
                              .sm = (uint8_t)sm->id,
                              .stream = (uint8_t)sm->tbs[sm->warps[warp].tb].program->stream,
                              .warp = (uint8_t)warp,
                              .serial = 1,
                              .kind = WR_PACKET_READ,
                              .sender = sender,
                              .sectors = (uint8_t)sectors});
}

/* Sectors that have a byte touched, and those that are touched whole. */
static uint8_t sectors_of(const wr_lsu_line *line, uint8_t *covered)
{
    uint8_t touched = 0;
    *covered = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t part = (uint32_t)(line->bytes[i / 2] >> i % 2 * 32);
        touched |= (uint8_t)((part != 0 ? 1u : 0u) << i);
        *covered |= (uint8_t)((part == UINT32_MAX ? 1u : 0u) << i);
    }
    return touched;
}

/* Whom and how much it is for is added to the packet. */
static void send(wr_sm *sm, const wr_lsu_entry *e, wr_packet packet)
{
    packet.bytes = (uint16_t)(WR_SECTOR_BYTES * wr_sector_count(packet.sectors));
    packet.sm = (uint8_t)sm->id;
    packet.stream = e->stream;
    packet.warp = (uint8_t)e->warp;
    wr_lsu_queue_of(sm, e->stream)->stores += packet.sender == WR_FROM_STORE ? 1 : 0;
    wr_miss_push(sm, sm->now + sm->cfg->l1.hit_latency, &packet);
}

/* Asks for sectors of a line. */
static void send_read(wr_sm *sm, const wr_lsu_entry *e, const wr_lsu_line *line, uint8_t sectors,
                      uint32_t tag, uint8_t sender)
{
    send(sm, e,
         (wr_packet){.addr = line->addr,
                     .tag = tag,
                     .kind = WR_PACKET_READ,
                     .sender = sender,
                     .serial = line->serial,
                     .sectors = sectors});
}

/* The data of a load leave the LSU at `at`, for the register banks. */
static void write_back(wr_sm *sm, uint64_t at, uint16_t warp, uint64_t regs)
{
    at = at > sm->now ? at : sm->now;
    at = wr_operands_write(&sm->operands, sm->now, at, warp, regs);
    if (at > sm->now) {
        wr_wheel_add(&sm->wheel, sm->now, at, warp, regs, 0);
    } else {
        wr_sm_release(sm, warp, regs, 0);
    }
}

static void finish_op(wr_sm *sm, uint16_t index)
{
    wr_mem_op *op = &sm->ops[index];
    if (!op->closed || op->pending != 0) {
        return;
    }
    uint64_t latency = max64(op->ready_at, sm->now) - op->issued_at;
    wr_histogram_add(&sm->load_latency, latency);
    sm->loads_of[op->stream]++;
    sm->load_cycles_of[op->stream] += latency;
    write_back(sm, op->ready_at, op->warp, op->regs);
    sm->ops_used[index / 64] &= ~(UINT64_C(1) << index % 64);
    wr_lsu_queue_of(sm, op->stream)->ops--;
    sm->op_count--;
    sm->ops_of[op->stream]--;
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
    wr_lsu_queue *q = wr_lsu_queue_of(sm, e->stream);
    if (q->ops == sm->op_limit) {
        return false;
    }
    uint32_t word = 0;
    while (sm->ops_used[word] == UINT64_MAX) {
        word++;
    }
    e->op = (uint16_t)(64 * word + (uint32_t)__builtin_ctzll(~sm->ops_used[word]));
    e->has_op = true;
    sm->ops_used[word] |= UINT64_C(1) << e->op % 64;
    q->ops++;
    sm->op_count++;
    sm->ops_of[e->stream]++;
    sm->ops[e->op] = (wr_mem_op){
        .regs = e->regs, .issued_at = e->issued_at, .warp = e->warp, .stream = e->stream};
    return true;
}

static uint32_t store_tag(const wr_lsu_entry *e)
{
    return e->id | (uint32_t)e->stream << STREAM_AT;
}

/* Sends what an access to the L1 left to be written. */
static void write_evicted(wr_sm *sm, const wr_lsu_entry *e, const wr_l1_access *access)
{
    if (access->written == 0) {
        return;
    }
    sm->stats.l1_write_backs++;
    sm->stores[e->id]++;
    sm->stores_of[e->stream]++;
    send(sm, e,
         (wr_packet){.addr = access->victim,
                     .tag = store_tag(e),
                     .kind = WR_PACKET_WRITE,
                     .sender = WR_FROM_STORE,
                     .serial = 1,
                     .sectors = access->written,
                     .covered = access->written});
}

static bool load_line(wr_sm *sm, wr_lsu_entry *e, const wr_lsu_line *line)
{
    if (!open_op(sm, e)) {
        return false;
    }
    wr_mem_op *op = &sm->ops[e->op];
    uint8_t covered;
    uint8_t sectors = sectors_of(line, &covered);
    if (e->no_l1) {
        if (wr_miss_room(sm, e->stream) == 0) {
            return false;
        }
        send_read(sm, e, line, sectors, e->op, WR_FROM_OP);
        op->pending++;
        return true;
    }
    wr_l1_access access;
    wr_l1_result result =
        wr_l1_load(&sm->l1, line->addr, sectors, e->op, wr_miss_room(sm, e->stream), &access);
    switch (result) {
    case WR_L1_HIT:
        sm->stats.l1_hits++;
        sm->tally.l1[e->stream].hits++;
        op->ready_at = max64(op->ready_at, sm->now + sm->cfg->l1.hit_latency);
        return true;
    case WR_L1_MERGED:
        op->pending += access.waits;
        sm->stats.l1_merges++;
        sm->tally.l1[e->stream].merges++;
        return true;
    case WR_L1_MISS:
        op->pending += access.waits;
        sm->stats.l1_misses++;
        sm->tally.l1[e->stream].misses++;
        if (access.takes && (sm->listens & WR_LISTEN_L1) != 0 && e->warp < WR_MAX_WARPS) {
            sm->hooks->l1_missed(sm->hooks->self, sm, e->warp, line->addr / sm->l1.line_bytes,
                                 access.place, access.evicted);
        }
        write_evicted(sm, e, &access);
        send_read(sm, e, line, access.fetch, access.mshr, WR_FROM_MSHR);
        return true;
    case WR_L1_FULL:
        wr_lsu_queue_of(sm, e->stream)->full = access.set;
        break;
    case WR_L1_BLOCKED:
        break;
    }
    return false;
}

static void store_back(wr_sm *sm, uint32_t tag);

/* A store to a write-back L1: there it has arrived. */
static bool keep_line(wr_sm *sm, const wr_lsu_entry *e, const wr_lsu_line *line)
{
    wr_l1_access access;
    uint8_t covered;
    uint8_t sectors = sectors_of(line, &covered);
    wr_l1_result result =
        wr_l1_store(&sm->l1, line->addr, sectors, covered, wr_miss_room(sm, e->stream), &access);
    if (result == WR_L1_BLOCKED) {
        return false;
    }
    write_evicted(sm, e, &access);
    store_back(sm, store_tag(e));
    return true;
}

static bool write_line(wr_sm *sm, wr_lsu_entry *e, const wr_lsu_line *line)
{
    bool atomic = e->path == WR_LSU_ATOMIC;
    bool returns = atomic && e->regs != 0;
    bool may_stay = sm->cfg->l1.write != WR_L1_THROUGH;
    bool stays = may_stay && (sm->cfg->l1.write == WR_L1_BACK ||
                              (line->local && wr_l1_holds(&sm->l1, line->addr)));
    uint32_t buffer = sm->cfg->l1.store_buffer;
    wr_l1_access access;
    if (stays && !atomic && !e->no_l1) {
        return keep_line(sm, e, line);
    }
    if (wr_miss_room(sm, e->stream) < (may_stay ? 2 : 1) || (returns && !open_op(sm, e)) ||
        (!returns && buffer != 0 && wr_lsu_queue_of(sm, e->stream)->stores >= buffer)) {
        return false;
    }
    sm->stats.l1_evicted_by_store += wr_l1_pass(&sm->l1, line->addr, &access) ? 1 : 0;
    write_evicted(sm, e, &access);
    if (returns) {
        sm->ops[e->op].pending++;
    }
    uint8_t covered;
    uint8_t sectors = sectors_of(line, &covered);
    send(sm, e,
         (wr_packet){.addr = line->addr,
                     .tag = returns ? e->op : store_tag(e),
                     .kind = atomic ? WR_PACKET_ATOMIC : WR_PACKET_WRITE,
                     .sender = returns ? WR_FROM_OP : WR_FROM_STORE,
                     .serial = line->serial,
                     .sectors = sectors,
                     .covered = covered});
    return true;
}

/* An instruction that no register waits for has ended. */
static void end(wr_sm *sm)
{
    assert(sm->in_pipe != 0);
    sm->in_pipe--;
}

static void pop(wr_sm *sm, wr_lsu_queue *q)
{
    q->head = (q->head + 1) % WR_LSU_QUEUE;
    q->count--;
    sm->lsu_count--;
}

static void banked(wr_sm *sm, const wr_lsu_entry *e)
{
    sm->lsu_free_at = sm->now + e->cycles;
    if (e->regs != 0) {
        write_back(sm, sm->now + e->cycles - 1 + e->latency, e->warp, e->regs);
    } else {
        end(sm);
    }
}

/* The next line of a constant load; false: it is not there. */
static bool constant_line(wr_sm *sm, const wr_lsu_entry *e, const wr_lsu_line *line)
{
    uint32_t index;
    if (wr_rocache_again(&sm->ccache, line->addr)) {
        return true;
    }
    switch (wr_rocache_look(&sm->ccache, line->addr, wr_miss_room(sm, e->stream) != 0, &index)) {
    case WR_ROCACHE_HIT:
        return true;
    case WR_ROCACHE_MISS:
        sm->stats.ccache_misses++;
        wr_lsu_send_fetch(sm, e->warp, line->addr, sm->ccache.line_bytes, index, WR_FROM_CONST);
        break;
    case WR_ROCACHE_PENDING:
    case WR_ROCACHE_BLOCKED:
        break;
    }
    return false;
}

/* Next line of an entry; false: it must wait. */
static bool serve(wr_sm *sm, wr_lsu_entry *e)
{
    const wr_lsu_line *line = &e->lines[e->at];
    switch ((wr_lsu_path)e->path) {
    case WR_LSU_LOAD:
        return load_line(sm, e, line);
    case WR_LSU_CONST:
        return constant_line(sm, e, line);
    default:
        return write_line(sm, e, line);
    }
}

/* First cycle in which the queue's head may be served; UINT64_MAX: none until a reply. */
static uint64_t head_at(const wr_sm *sm, uint32_t q)
{
    const wr_lsu_queue *queue = &sm->lsu[q];
    return queue->count == 0 || (sm->lsu_blocked >> q & 1) != 0
               ? UINT64_MAX
               : max64(queue->entry[queue->head].ready_at, sm->lsu_free_at);
}

uint64_t wr_lsu_next(const wr_sm *sm)
{
    uint64_t at = head_at(sm, 0);
    for (uint32_t q = 1; q < sm->lsu_queues; q++) {
        uint64_t other = head_at(sm, q);
        at = other < at ? other : at;
    }
    return at;
}

/* The head of the queue goes on by a line; false: it finds no room. */
static bool advance(wr_sm *sm, wr_lsu_queue *q)
{
    wr_lsu_entry *e = &q->entry[q->head];
    if (e->path == WR_LSU_BANKED) {
        banked(sm, e);
        pop(sm, q);
        return true;
    }
    if (e->cycles != 0) { /* lanes of a generic access that are in shared memory go first */
        sm->lsu_free_at = sm->now + e->cycles;
        e->cycles = 0;
        return true;
    }
    if (!serve(sm, e)) {
        return false;
    }
    if (++e->at == e->count) {
        if (e->has_op) {
            sm->ops[e->op].closed = true;
            finish_op(sm, e->op);
        } else if (e->path == WR_LSU_CONST) {
            write_back(sm, sm->now + e->latency, e->warp, e->regs);
        } else {
            end(sm);
        }
        pop(sm, q);
    }
    return true;
}

/* The queue's turn in this cycle; false: it has nothing that could go. */
static inline bool take_turn(wr_sm *sm, uint32_t q)
{
    if (head_at(sm, q) > sm->now) {
        return false;
    }
    wr_lsu_queue *queue = &sm->lsu[q];
    sm->progress_at = sm->now;
    queue->full = WR_LSU_ANY;
    if (!advance(sm, queue)) {
        bool is_short = queue->full == WR_LSU_ANY &&
                        wr_miss_room(sm, queue->entry[queue->head].stream) < LINE_ROOM;
        sm->lsu_blocked |= 1u << q;
        sm->lsu_short = is_short ? sm->lsu_short | 1u << q : sm->lsu_short & ~(1u << q);
        return false;
    }
    return true;
}

void wr_lsu_cycle(wr_sm *sm)
{
    if (sm->lsu_queues == 1) {
        (void)take_turn(sm, 0);
        return;
    }
    for (uint32_t i = 0; i < sm->lsu_queues; i++) {
        uint32_t q = (sm->lsu_turn + i) & (sm->lsu_queues - 1);
        if (take_turn(sm, q)) {
            sm->lsu_turn = q + 1;
            return;
        }
    }
}

static void store_back(wr_sm *sm, uint32_t tag)
{
    uint32_t id = tag & ((1u << STREAM_AT) - 1);
    uint32_t *of_stream = &sm->stores_of[tag >> STREAM_AT];
    assert(sm->stores[id] != 0 && *of_stream != 0);
    sm->stores[id]--;
    --*of_stream;
    if (sm->stores[id] != 0) {
        return;
    }
    uint32_t warp = sm->slot_of[id];
    uint64_t bit = warp != WR_AWAY ? UINT64_C(1) << warp : 0;
    if ((sm->membar & bit) != 0) {
        sm->membar &= ~bit;
        wr_warp_woken(sm, warp);
        wr_simt_advance(sm, warp);
        wr_sm_refresh(sm, warp);
    }
    /* its TB, also where it has given its slot back before (wr_sm_warp_retire) */
    uint32_t slot = warp != WR_AWAY ? sm->warps[warp].tb : sm->away[id].tb_slot;
    if (sm->tbs[slot].valid && sm->tbs[slot].leaving) {
        sm->leavers |= UINT64_C(1) << slot;
    }
}

/* Heads that may have waited for a reply try again; `set`: of the L1, in which a fetch has ended.
 */
static void unblock(wr_sm *sm, uint32_t set)
{
    for (uint32_t left = sm->lsu_blocked; left != 0; left &= left - 1) {
        uint32_t full = sm->lsu[__builtin_ctz(left)].full;
        if (full == WR_LSU_ANY || full == set) {
            sm->lsu_blocked &= ~(left & -left);
        }
    }
}

void wr_lsu_reply(wr_sm *sm, const wr_packet *p)
{
    uint32_t count;
    uint32_t set = WR_LSU_ANY;
    switch (p->sender) {
    case WR_FROM_MSHR: {
        const uint16_t *ops = wr_l1_fill(&sm->l1, p->tag, &count, &set);
        for (uint32_t i = 0; i < count; i++) {
            line_back(sm, ops[i]);
        }
        break;
    }
    case WR_FROM_OP:
        line_back(sm, (uint16_t)p->tag);
        break;
    case WR_FROM_STORE: {
        wr_lsu_queue *q = wr_lsu_queue_of(sm, p->tag >> STREAM_AT);
        assert(q->stores != 0);
        q->stores--;
        store_back(sm, p->tag);
        break;
    }
    case WR_FROM_FETCH:
        wr_fetch_reply(sm, p->tag);
        break;
    case WR_FROM_CONST:
        wr_rocache_fill(&sm->ccache, p->tag);
        break;
    default:
        assert(false && "not a packet of the LSU");
    }
    unblock(sm, set);
}
