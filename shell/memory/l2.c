/* SPDX-License-Identifier: Apache-2.0 */
/* L2 bank; see l2.h. */
#include "shell/memory/l2.h"

#include <assert.h>
#include <stdlib.h>

#define NO_MSHR UINT16_MAX

typedef struct line {
    uint64_t used_at; /* order of the last access */
    uint64_t addr;
    uint32_t number;
    uint8_t valid, dirty; /* sectors */
    bool present;
    uint8_t writer; /* stream that wrote it last */
    uint16_t mshr;  /* who fetches it; NO_MSHR */
} line;

typedef struct mshr {
    line *line;
    uint64_t since;
    uint8_t wanted; /* sectors */
    uint16_t count; /* requests that wait */
} mshr;

typedef struct entry {
    wr_packet packet;
    uint64_t at; /* cycle in which it is at its next station */
    uint32_t line;
} entry;

typedef struct ring {
    entry *items;
    uint32_t mask, head, count, limit;
} ring;

struct wr_l2_bank {
    wr_l2_front *front;
    uint32_t sets, ways, mshr_count, merges, fetch_limit;
    uint32_t set_mask; /* sets are a power of two; 0: they are not */
    uint32_t latency, rate;
    line *lines; /* [set][way] */
    mshr *mshrs;
    entry *merged; /* [mshr][merge] */
    uint16_t *free_mshrs;
    uint32_t free_count;
    ring pipeline, replies;
    wr_l2_fetch *fetches; /* a ring of fetch_limit + 1 */
    uint32_t fetch_head, fetch_count;
    uint16_t *fills; /* a ring of mshr_count */
    uint32_t fill_head, fill_count;
    uint64_t uses;       /* accesses, for LRU */
    uint64_t busy_until; /* data port */
    uint64_t blocked_at; /* since when the head is held back; WR_NEVER: it is not */
    uint64_t counted_to; /* occupancy is summed up to here */
    wr_l2_stats stats;
    wr_l2_stream_stats streams[WR_PACKET_STREAMS];
    wr_l2_lookup lookup; /* that is under way */
    wr_l2_watch watch;
    void *watch_arg;
    uint32_t number;
};

static bool ring_init(ring *r, uint32_t limit)
{
    uint32_t capacity = 1;
    while (capacity < limit) {
        capacity *= 2;
    }
    r->items = calloc(capacity, sizeof *r->items);
    r->mask = capacity - 1;
    r->limit = limit;
    return r->items != NULL;
}

static entry *ring_push(ring *r)
{
    assert(r->count < r->limit);
    entry *e = &r->items[(r->head + r->count) & r->mask];
    r->count++;
    return e;
}

static entry *ring_head(const ring *r)
{
    return &r->items[r->head];
}

static void ring_pop(ring *r)
{
    assert(r->count != 0);
    r->head = (r->head + 1) & r->mask;
    r->count--;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

wr_l2_bank *wr_l2_create(const wr_gpu_config *cfg, wr_l2_front *front)
{
    const wr_l2_config *c = &cfg->l2;
    wr_l2_bank *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->sets = c->bytes / (c->banks * c->ways * c->line_bytes);
    b->set_mask = (b->sets & (b->sets - 1)) == 0 ? b->sets - 1 : 0;
    b->ways = c->ways;
    b->mshr_count = c->mshrs;
    b->merges = c->mshr_merges;
    b->fetch_limit = c->miss_queue;
    b->latency = c->latency;
    b->rate = c->bytes_per_cycle;
    b->lines = calloc((size_t)b->sets * b->ways, sizeof *b->lines);
    b->mshrs = calloc(c->mshrs, sizeof *b->mshrs);
    b->merged = calloc((size_t)c->mshrs * c->mshr_merges, sizeof *b->merged);
    b->free_mshrs = calloc(c->mshrs, sizeof *b->free_mshrs);
    /* A miss may bring two: its dirty victim and itself. */
    b->fetches = calloc((size_t)c->miss_queue + 1, sizeof *b->fetches);
    b->fills = calloc(c->mshrs, sizeof *b->fills);
    uint32_t replies = c->mshr_merges > c->queue ? c->mshr_merges : c->queue;
    if (b->lines == NULL || b->mshrs == NULL || b->merged == NULL || b->free_mshrs == NULL ||
        b->fetches == NULL || b->fills == NULL || !ring_init(&b->pipeline, c->latency + c->queue) ||
        !ring_init(&b->replies, replies)) {
        wr_l2_free(b);
        return NULL;
    }
    b->free_count = c->mshrs;
    for (uint32_t i = 0; i < c->mshrs; i++) {
        b->free_mshrs[i] = (uint16_t)(c->mshrs - 1 - i);
    }
    b->blocked_at = WR_NEVER;
    b->front = front;
    *front = (wr_l2_front){.next = WR_NEVER, .reply_at = WR_NEVER, .has_room = true};
    return b;
}

void wr_l2_free(wr_l2_bank *b)
{
    if (b == NULL) {
        return;
    }
    free(b->lines);
    free(b->mshrs);
    free(b->merged);
    free(b->free_mshrs);
    free(b->fetches);
    free(b->fills);
    free(b->pipeline.items);
    free(b->replies.items);
    free(b);
}

/* When the tags look at the head of the pipeline, fills apart. */
static uint64_t head_at(const wr_l2_bank *b)
{
    return b->pipeline.count != 0 ? later(ring_head(&b->pipeline)->at, b->busy_until) : WR_NEVER;
}

/* Something has changed that the head may have waited for. */
static void unblock(wr_l2_bank *b, uint64_t now)
{
    if (b->blocked_at != WR_NEVER) {
        b->stats.stalls += now - b->blocked_at;
        b->blocked_at = WR_NEVER;
        uint64_t at = later(head_at(b), now);
        b->front->next = at < b->front->next ? at : b->front->next;
    }
}

static void count_occupancy(wr_l2_bank *b, uint64_t now)
{
    b->stats.occupancy += (now - b->counted_to) * b->pipeline.count;
    b->counted_to = now;
}

void wr_l2_push(wr_l2_bank *b, uint64_t now, uint32_t number, const wr_packet *packet)
{
    count_occupancy(b, now);
    *ring_push(&b->pipeline) = (entry){.packet = *packet, .at = now + b->latency, .line = number};
    b->front->has_room = b->pipeline.count < b->pipeline.limit;
    if (b->pipeline.count == 1) {
        uint64_t at = head_at(b);
        b->front->next = at < b->front->next ? at : b->front->next;
    }
}

/* The ways of a line's set. */
static line *set_of(const wr_l2_bank *b, uint32_t number)
{
    uint32_t set = b->set_mask != 0 ? number & b->set_mask : number % b->sets;
    return &b->lines[(size_t)set * b->ways];
}

static line *find(const wr_l2_bank *b, uint32_t number)
{
    line *way = set_of(b, number);
    for (const line *end = way + b->ways; way != end; way++) {
        if (way->number == number && way->present) {
            return way;
        }
    }
    return NULL;
}

/* A free way, else the least recently used one that is not being fetched; NULL: all are. */
static line *victim(const wr_l2_bank *b, uint32_t number)
{
    line *way = set_of(b, number);
    line *best = NULL;
    uint64_t oldest = UINT64_MAX;
    for (const line *end = way + b->ways; way != end; way++) {
        if (!way->present) {
            return way;
        }
        if (way->used_at < oldest && way->mshr == NO_MSHR) {
            best = way;
            oldest = way->used_at;
        }
    }
    return best;
}

bool wr_l2_touch(wr_l2_bank *b, uint32_t number, uint64_t addr, uint8_t stream, bool written)
{
    const uint8_t all = (1u << WR_L2_SECTORS) - 1;
    line *way = find(b, number);
    bool is_free = false;
    if (way == NULL) {
        way = victim(b, number);
        is_free = !way->present;
        *way = (line){.addr = addr, .number = number, .present = true, .mshr = NO_MSHR};
    }
    way->valid = all;
    way->dirty = written ? all : way->dirty;
    way->writer = written ? stream : way->writer;
    way->used_at = ++b->uses;
    return is_free;
}

static void push_fetch(wr_l2_bank *b, const wr_l2_fetch *fetch)
{
    assert(b->fetch_count <= b->fetch_limit);
    uint32_t at = b->fetch_head + b->fetch_count;
    b->fetches[at <= b->fetch_limit ? at : at - b->fetch_limit - 1] = *fetch;
    b->fetch_count++;
    b->front->fetches = true;
    b->stats.fetches++;
}

/* Room for a miss: itself and what its victim may have to write. */
static bool can_miss(const wr_l2_bank *b)
{
    return b->fetch_count < b->fetch_limit;
}

/* Puts line `number` in the place of `way`, which may be dirty. */
static void replace(wr_l2_bank *b, line *way, const entry *e)
{
    if (way->present && way->dirty != 0) {
        push_fetch(b, &(wr_l2_fetch){.line = way->number,
                                     .sectors = way->dirty,
                                     .write = true,
                                     .stream = way->writer,
                                     .mshr = NO_MSHR,
                                     .addr = way->addr});
        b->stats.write_backs++;
        b->streams[way->writer].write_backs++;
        b->lookup.written = (uint8_t)wr_sector_count(way->dirty);
        b->lookup.owner = way->writer;
    }
    *way = (line){.addr = e->packet.addr, .number = e->line, .present = true, .mshr = NO_MSHR};
}

/* Fetches into `way` what the request needs of it. */
static void fetch(wr_l2_bank *b, uint64_t now, line *way, const entry *e)
{
    uint16_t index = b->free_mshrs[--b->free_count];
    way->mshr = index;
    uint8_t wanted = (uint8_t)(e->packet.sectors & ~way->valid);
    b->mshrs[index] = (mshr){.line = way, .since = now, .wanted = wanted, .count = 1};
    b->merged[(size_t)index * b->merges] = *e;
    b->lookup.fetched = (uint8_t)wr_sector_count(wanted);
    push_fetch(b, &(wr_l2_fetch){.line = e->line,
                                 .sectors = wanted,
                                 .low = e->packet.low,
                                 .stream = e->packet.stream,
                                 .mshr = index,
                                 .addr = e->packet.addr});
}

/* Cycles for which a request holds the data port. */
static uint32_t hold(const wr_l2_bank *b, const wr_packet *p)
{
    uint32_t cycles = (p->bytes + b->rate - 1U) / b->rate;
    if (p->kind == WR_PACKET_ATOMIC && cycles < p->serial) {
        cycles = p->serial;
    }
    return cycles != 0 ? cycles : 1;
}

static void reply(wr_l2_bank *b, uint64_t now, const entry *e)
{
    entry *r = ring_push(&b->replies);
    *r = *e;
    r->at = now;
    if (b->replies.count == 1) {
        b->front->reply_at = now;
    }
}

static void count(wr_l2_bank *b, const wr_packet *p)
{
    b->uses++;
    b->stats.accesses++;
    b->streams[p->stream].accesses++;
    b->stats.request_bytes += p->kind == WR_PACKET_READ ? 0 : p->bytes;
    b->stats.reply_bytes += p->kind == WR_PACKET_WRITE ? 0 : p->bytes;
    b->stats.reads += p->kind == WR_PACKET_READ ? 1 : 0;
    b->stats.writes += p->kind == WR_PACKET_WRITE ? 1 : 0;
    b->stats.atomics += p->kind == WR_PACKET_ATOMIC ? 1 : 0;
}

/* A store needs a way, and nothing from below. */
static bool store(wr_l2_bank *b, line *way, const entry *e)
{
    if (way == NULL) {
        way = victim(b, e->line);
        if (way == NULL || !can_miss(b)) {
            return false;
        }
        replace(b, way, e);
        b->stats.misses++;
        b->streams[e->packet.stream].misses++;
    } else {
        b->stats.hits++;
        b->streams[e->packet.stream].hits++;
    }
    way->valid |= e->packet.covered;
    way->dirty |= e->packet.sectors;
    way->writer = e->packet.stream;
    way->used_at = b->uses;
    return true;
}

typedef enum looked { HELD, ANSWERED, WAITS } looked;

/* A load or an atomic needs its sectors valid. */
static looked load(wr_l2_bank *b, uint64_t now, line *way, const entry *e)
{
    if (way != NULL && (e->packet.sectors & ~way->valid) == 0) {
        b->stats.hits++;
        b->streams[e->packet.stream].hits++;
    } else if (way != NULL && way->mshr != NO_MSHR) {
        mshr *m = &b->mshrs[way->mshr];
        if (m->count == b->merges || (e->packet.sectors & ~(way->valid | m->wanted)) != 0) {
            return HELD;
        }
        b->merged[(size_t)way->mshr * b->merges + m->count] = *e;
        m->count++;
        b->stats.merges++;
        return WAITS;
    } else {
        if (b->free_count == 0 || !can_miss(b)) {
            return HELD;
        }
        if (way == NULL) {
            way = victim(b, e->line);
            if (way == NULL) {
                return HELD;
            }
            replace(b, way, e);
        }
        fetch(b, now, way, e);
        way->used_at = b->uses;
        b->stats.misses++;
        b->streams[e->packet.stream].misses++;
        return WAITS;
    }
    way->used_at = b->uses;
    if (e->packet.kind == WR_PACKET_ATOMIC) {
        way->dirty |= e->packet.sectors;
        way->writer = e->packet.stream;
    }
    return ANSWERED;
}

/* The tags take the head of the pipeline; false: it is held back. */
static bool look_up(wr_l2_bank *b, uint64_t now)
{
    const entry *e = ring_head(&b->pipeline);
    line *way = find(b, e->line);
    uint64_t port = now + hold(b, &e->packet);
    if (b->replies.count == b->replies.limit) {
        return false;
    }
    looked result;
    b->lookup = (wr_l2_lookup){.stream = e->packet.stream};
    if (e->packet.kind == WR_PACKET_WRITE) {
        result = store(b, way, e) ? ANSWERED : HELD;
    } else {
        result = load(b, now, way, e);
    }
    if (result == HELD) {
        return false;
    }
    count(b, &e->packet);
    if (b->watch != NULL) {
        b->watch(b->watch_arg, b->number, &b->lookup);
    }
    if (result == ANSWERED) {
        b->busy_until = port;
        reply(b, port, e);
    } else {
        b->busy_until = now + 1;
    }
    count_occupancy(b, now);
    ring_pop(&b->pipeline);
    b->front->has_room = true;
    return true;
}

/* Answers the requests of the oldest fill; false: no room for the replies yet. */
static bool finish_fill(wr_l2_bank *b, uint64_t now)
{
    uint16_t index = b->fills[b->fill_head];
    mshr *m = &b->mshrs[index];
    if (b->replies.count + m->count > b->replies.limit) {
        return false;
    }
    wr_histogram_add(&b->stats.miss_latency, now - m->since);
    m->line->valid |= m->wanted;
    m->line->mshr = NO_MSHR;
    for (uint32_t i = 0; i < m->count; i++) {
        const entry *e = &b->merged[(size_t)index * b->merges + i];
        if (e->packet.kind == WR_PACKET_ATOMIC) {
            m->line->dirty |= e->packet.sectors;
            m->line->writer = e->packet.stream;
            b->busy_until = later(b->busy_until, now) + hold(b, &e->packet);
        }
        reply(b, now, e);
    }
    b->free_mshrs[b->free_count++] = index;
    b->fill_head = b->fill_head + 1 < b->mshr_count ? b->fill_head + 1 : 0;
    b->fill_count--;
    return true;
}

/* The head of the pipeline waits until something changes. */
static void hold_tags(wr_l2_bank *b, uint64_t now)
{
    if (b->blocked_at == WR_NEVER && head_at(b) <= now) {
        b->blocked_at = now;
    } else if (b->blocked_at == WR_NEVER) {
        b->front->next = head_at(b);
    }
}

void wr_l2_tick(wr_l2_bank *b, uint64_t now)
{
    if (now < b->front->next) {
        return;
    }
    b->front->next = WR_NEVER;
    if (b->fill_count != 0) {
        if (!finish_fill(b, now)) {
            hold_tags(b, now); /* or hits would take the room for its replies for ever */
            return;
        }
        unblock(b, now);
        b->front->next = b->fill_count != 0 ? now + 1 : WR_NEVER;
    }
    if (b->blocked_at != WR_NEVER) {
        return;
    }
    if (head_at(b) <= now && !look_up(b, now)) {
        b->blocked_at = now;
        return;
    }
    uint64_t at = head_at(b);
    b->front->next = at < b->front->next ? at : b->front->next;
}

void wr_l2_wake(wr_l2_bank *b)
{
    b->front->next = 0;
}

const wr_l2_fetch *wr_l2_fetch_head(const wr_l2_bank *b)
{
    return b->fetch_count != 0 ? &b->fetches[b->fetch_head] : NULL;
}

void wr_l2_fetch_pop(wr_l2_bank *b, uint64_t now)
{
    assert(b->fetch_count != 0);
    b->fetch_head = b->fetch_head < b->fetch_limit ? b->fetch_head + 1 : 0;
    b->fetch_count--;
    b->front->fetches = b->fetch_count != 0;
    unblock(b, now + 1);
}

void wr_l2_fill(wr_l2_bank *b, uint64_t now, uint16_t index)
{
    assert(b->fill_count < b->mshr_count);
    uint32_t at = b->fill_head + b->fill_count;
    b->fills[at < b->mshr_count ? at : at - b->mshr_count] = index;
    b->fill_count++;
    b->front->next = now < b->front->next ? now : b->front->next;
}

const wr_packet *wr_l2_reply_head(const wr_l2_bank *b, uint64_t now, uint64_t *at)
{
    *at = b->front->reply_at;
    return *at <= now ? &ring_head(&b->replies)->packet : NULL;
}

void wr_l2_reply_pop(wr_l2_bank *b, uint64_t now)
{
    ring_pop(&b->replies);
    b->front->reply_at = b->replies.count != 0 ? ring_head(&b->replies)->at : WR_NEVER;
    unblock(b, now + 1);
    if (b->fill_count != 0) {
        b->front->next = now + 1 < b->front->next ? now + 1 : b->front->next;
    }
}

void wr_l2_observe(wr_l2_bank *b, uint32_t number, wr_l2_watch watch, void *arg)
{
    b->number = number;
    b->watch = watch;
    b->watch_arg = arg;
}

const wr_l2_stream_stats *wr_l2_stream_totals(const wr_l2_bank *b, uint32_t stream)
{
    assert(stream < WR_PACKET_STREAMS);
    return &b->streams[stream];
}

const wr_l2_stats *wr_l2_totals(const wr_l2_bank *b)
{
    return &b->stats;
}

uint64_t wr_l2_occupancy(const wr_l2_bank *b, uint64_t now)
{
    return b->stats.occupancy + (now - b->counted_to) * b->pipeline.count;
}

uint32_t wr_l2_fetches_waiting(const wr_l2_bank *b)
{
    return b->fetch_count;
}

uint32_t wr_l2_waiting(const wr_l2_bank *b)
{
    return b->pipeline.count;
}

uint32_t wr_l2_mshrs_in_use(const wr_l2_bank *b)
{
    return b->mshr_count - b->free_count;
}
