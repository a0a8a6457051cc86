/* Crossbar and memory partitions; see memsys.h.
 *
 * The crossbar books its ports ahead instead of moving flits: a packet of n flits holds the
 * sender's port for n cycles, crosses in the fixed latency, and holds the receiver's port for
 * the n cycles before its arrival, behind whatever booked that port earlier. Arrivals at a
 * port are therefore in booking order and each receiver needs one FIFO only.
 */
#include "shell/memory/memsys.h"

#include "shell/memory/dram.h"
#include "shell/memory/l2.h"

#include <assert.h>
#include <stdlib.h>

typedef struct fifo {
    wr_packet *items;
    uint32_t mask, head, count;
} fifo;

typedef struct bank {
    uint64_t busy_until;  /* the bank takes no request before */
    uint64_t in_free_at;  /* last arrival booked at the request port */
    uint64_t out_free_at; /* the reply port sends nothing before */
    uint32_t credits;
    uint32_t channel;
    fifo requests;
    wr_packet waiting[WR_BANK_CREDITS]; /* replies, ascending by time */
    uint32_t waiting_count;
} bank;

struct wr_memsys {
    wr_gpu_config cfg;
    wr_l2 l2;
    wr_dram dram;
    bank *banks;
    uint64_t sm_out_free_at[WR_CONFIG_MAX_SMS]; /* injection ports */
    uint64_t sm_in_free_at[WR_CONFIG_MAX_SMS];  /* last arrival booked at reply ports */
    uint32_t outstanding[WR_CONFIG_MAX_SMS];
    fifo replies[WR_CONFIG_MAX_SMS];
    uint64_t next;
    wr_memsys_stats stats;
};

static bool fifo_init(fifo *f, uint32_t capacity) /* a power of two */
{
    f->items = calloc(capacity, sizeof *f->items);
    f->mask = capacity - 1;
    return f->items != NULL;
}

static void fifo_push(fifo *f, const wr_packet *p)
{
    assert(f->count <= f->mask);
    f->items[(f->head + f->count) & f->mask] = *p;
    f->count++;
}

static wr_packet fifo_pop(fifo *f)
{
    assert(f->count > 0);
    wr_packet p = f->items[f->head];
    f->head = (f->head + 1) & f->mask;
    f->count--;
    return p;
}

static inline uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

wr_memsys *wr_memsys_create(const wr_gpu_config *cfg)
{
    wr_memsys *ms = calloc(1, sizeof *ms);
    if (ms == NULL) {
        return NULL;
    }
    ms->cfg = *cfg;
    ms->next = WR_NEVER;
    wr_dram_init(&ms->dram, cfg);
    ms->banks = calloc(cfg->l2.banks, sizeof *ms->banks);
    bool ok = wr_l2_init(&ms->l2, cfg) && ms->banks != NULL;
    for (uint32_t i = 0; ok && i < cfg->l2.banks; i++) {
        ms->banks[i].credits = WR_BANK_CREDITS;
        ms->banks[i].channel = (uint32_t)((uint64_t)i * cfg->dram.channels / cfg->l2.banks);
        ok = fifo_init(&ms->banks[i].requests, WR_BANK_CREDITS);
    }
    for (uint32_t i = 0; ok && i < cfg->sms; i++) {
        ok = fifo_init(&ms->replies[i], WR_SM_OUTSTANDING);
    }
    if (!ok) {
        wr_memsys_free(ms);
        return NULL;
    }
    return ms;
}

void wr_memsys_free(wr_memsys *ms)
{
    if (ms == NULL) {
        return;
    }
    for (uint32_t i = 0; ms->banks != NULL && i < ms->cfg.l2.banks; i++) {
        free(ms->banks[i].requests.items);
    }
    for (uint32_t i = 0; i < WR_CONFIG_MAX_SMS; i++) {
        free(ms->replies[i].items);
    }
    free(ms->banks);
    wr_l2_free(&ms->l2);
    free(ms);
}

static uint32_t flits(const wr_memsys *ms, uint32_t data_bytes)
{
    uint32_t bytes = ms->cfg.noc.header_bytes + data_bytes;
    return (bytes + ms->cfg.noc.flit_bytes - 1) / ms->cfg.noc.flit_bytes;
}

static uint32_t port_cycles(const wr_memsys *ms, uint32_t n)
{
    return (n + ms->cfg.noc.flits_per_cycle - 1) / ms->cfg.noc.flits_per_cycle;
}

uint64_t wr_memsys_inject_at(const wr_memsys *ms, uint64_t now, const wr_packet *packet)
{
    const bank *b = &ms->banks[wr_l2_bank(&ms->l2, packet->addr)];
    if (b->credits == 0 || ms->outstanding[packet->sm] == WR_SM_OUTSTANDING) {
        return WR_NEVER;
    }
    return max64(now, ms->sm_out_free_at[packet->sm]);
}

bool wr_memsys_inject(wr_memsys *ms, uint64_t now, const wr_packet *packet)
{
    if (wr_memsys_inject_at(ms, now, packet) != now) {
        return false;
    }
    bank *b = &ms->banks[wr_l2_bank(&ms->l2, packet->addr)];
    uint32_t n = flits(ms, packet->kind == WR_PACKET_READ ? 0 : packet->bytes);
    uint64_t cycles = port_cycles(ms, n);
    ms->sm_out_free_at[packet->sm] = now + cycles;
    wr_packet p = *packet;
    p.time = max64(now + ms->cfg.noc.latency, b->in_free_at) + cycles;
    b->in_free_at = p.time;
    b->credits--;
    fifo_push(&b->requests, &p);
    ms->outstanding[p.sm]++;
    ms->stats.requests++;
    ms->stats.request_flits += n;
    uint64_t due = max64(p.time, b->busy_until);
    if (due < ms->next) {
        ms->next = due;
    }
    return true;
}

/* The L2 bank takes its next request; the reply's time is when its data are there. */
static void serve(wr_memsys *ms, bank *b, uint64_t now)
{
    wr_packet p = fifo_pop(&b->requests);
    uint32_t rate = ms->cfg.l2.bytes_per_cycle;
    uint32_t hold = (p.bytes + rate - 1) / rate;
    if (p.kind == WR_PACKET_ATOMIC && hold < p.serial) {
        hold = p.serial;
    }
    b->busy_until = now + (hold != 0 ? hold : 1);
    wr_l2_line *line;
    bool evicted;
    bool write = p.kind != WR_PACKET_READ;
    wr_l2_result result = wr_l2_access(&ms->l2, p.addr, now, write, &line, &evicted);
    if (evicted) {
        (void)wr_dram_access(&ms->dram, now, b->channel, ms->cfg.l2.line_bytes, true);
    }
    /* A store needs no data from below; an atomic and a load do. */
    if (result == WR_L2_MISS && p.kind != WR_PACKET_WRITE) {
        line->ready_at = wr_dram_access(&ms->dram, now, b->channel, ms->cfg.l2.line_bytes, false);
    }
    uint64_t data_at = p.kind == WR_PACKET_WRITE ? now : max64(now, line->ready_at);
    p.time = data_at + ms->cfg.l2.latency + (p.kind == WR_PACKET_ATOMIC ? p.serial - 1U : 0);
    uint32_t at = b->waiting_count;
    assert(at < WR_BANK_CREDITS);
    while (at > 0 && b->waiting[at - 1].time > p.time) {
        b->waiting[at] = b->waiting[at - 1];
        at--;
    }
    b->waiting[at] = p;
    b->waiting_count++;
}

/* The bank's reply port sends the first waiting reply. */
static void send(wr_memsys *ms, bank *b, uint64_t now)
{
    wr_packet p = b->waiting[0];
    b->waiting_count--;
    for (uint32_t i = 0; i < b->waiting_count; i++) {
        b->waiting[i] = b->waiting[i + 1];
    }
    uint32_t n = flits(ms, p.kind == WR_PACKET_WRITE ? 0 : p.bytes);
    uint64_t cycles = port_cycles(ms, n);
    b->out_free_at = now + cycles;
    p.time = max64(now + ms->cfg.noc.latency, ms->sm_in_free_at[p.sm]) + cycles;
    ms->sm_in_free_at[p.sm] = p.time;
    b->credits++;
    fifo_push(&ms->replies[p.sm], &p);
    ms->stats.reply_flits += n;
}

static uint64_t bank_next(const bank *b)
{
    uint64_t next = WR_NEVER;
    if (b->requests.count != 0) {
        next = max64(b->requests.items[b->requests.head].time, b->busy_until);
    }
    if (b->waiting_count != 0) {
        uint64_t at = max64(b->waiting[0].time, b->out_free_at);
        next = at < next ? at : next;
    }
    return next;
}

void wr_memsys_tick(wr_memsys *ms, uint64_t now)
{
    if (now < ms->next) {
        return;
    }
    uint64_t next = WR_NEVER;
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        bank *b = &ms->banks[i];
        if (b->waiting_count != 0 && b->waiting[0].time <= now && b->out_free_at <= now) {
            send(ms, b, now);
        }
        if (b->requests.count != 0 && b->requests.items[b->requests.head].time <= now &&
            b->busy_until <= now) {
            serve(ms, b, now);
        }
        uint64_t at = bank_next(b);
        next = at < next ? at : next;
    }
    ms->next = next > now ? next : now + 1;
}

uint64_t wr_memsys_next(const wr_memsys *ms)
{
    return ms->next;
}

bool wr_memsys_reply(wr_memsys *ms, uint64_t now, uint32_t sm, wr_packet *out)
{
    fifo *f = &ms->replies[sm];
    if (f->count == 0 || f->items[f->head].time > now) {
        return false;
    }
    *out = fifo_pop(f);
    ms->outstanding[sm]--;
    ms->stats.replies++;
    return true;
}

uint64_t wr_memsys_reply_at(const wr_memsys *ms, uint32_t sm)
{
    const fifo *f = &ms->replies[sm];
    return f->count != 0 ? f->items[f->head].time : WR_NEVER;
}

uint64_t wr_memsys_in_flight(const wr_memsys *ms)
{
    return ms->stats.requests - ms->stats.replies;
}

wr_memsys_stats wr_memsys_totals(const wr_memsys *ms)
{
    wr_memsys_stats s = ms->stats;
    s.l2_accesses = ms->l2.accesses;
    s.l2_hits = ms->l2.hits;
    s.l2_misses = ms->l2.misses;
    s.l2_merges = ms->l2.merges;
    s.l2_write_backs = ms->l2.write_backs;
    s.dram_read_bytes = ms->dram.read_bytes;
    s.dram_write_bytes = ms->dram.write_bytes;
    return s;
}
