/* SPDX-License-Identifier: Apache-2.0 */
/* Input-queued crossbar; see crossbar.h. */
#include "shell/memory/crossbar.h"

#include <assert.h>
#include <stdlib.h>

typedef struct item {
    wr_packet packet;
    uint64_t at;     /* input: its head may cross; output: its tail is there */
    uint32_t serial; /* of its flow */
    uint16_t port;   /* input: where to; output: where from */
    uint16_t flits;
} item;

typedef struct fifo {
    item *items; /* a ring */
    uint32_t mask, head, count;
} fifo;

typedef struct input {
    fifo queue;
    uint32_t flits;        /* that wait in it */
    uint64_t link_free_at; /* the sender's flits of the last packet are in */
    uint64_t free_at;      /* its switch port is free */
    uint64_t left;         /* flits that have crossed */
} input;

typedef struct output {
    fifo queue;
    uint64_t waiting;      /* inputs whose head asks for it */
    uint64_t free_at;      /* its switch port is free */
    uint64_t link_free_at; /* the flits of the last packet have left for the receiver */
    uint32_t turn;         /* the input that is asked first */
    uint64_t flits;
} output;

struct wr_crossbar {
    wr_crossbar_config cfg;
    wr_arrivals front;
    uint64_t hidden; /* inputs with packets whose head is not in a `waiting` */
    uint64_t wanted; /* outputs with a head that waits */
    input in[WR_NETWORK_PORTS];
    output out[WR_NETWORK_PORTS];
    uint32_t sent[WR_NETWORK_PORTS][WR_NETWORK_PORTS];
    uint32_t taken[WR_NETWORK_PORTS][WR_NETWORK_PORTS];
    wr_crossbar_stats stats;
};

static bool fifo_init(fifo *f, uint32_t least)
{
    uint32_t capacity = 1;
    while (capacity < least) {
        capacity *= 2;
    }
    f->items = calloc(capacity, sizeof *f->items);
    f->mask = capacity - 1;
    return f->items != NULL;
}

static item *fifo_push(fifo *f)
{
    assert(f->count <= f->mask);
    item *slot = &f->items[(f->head + f->count) & f->mask];
    f->count++;
    return slot;
}

static const item *fifo_head(const fifo *f)
{
    return &f->items[f->head];
}

static void fifo_pop(fifo *f)
{
    assert(f->count != 0);
    f->head = (f->head + 1) & f->mask;
    f->count--;
}

static inline void sooner(uint64_t *next, uint64_t at)
{
    if (at < *next) {
        *next = at;
    }
}

wr_crossbar *wr_crossbar_create(const wr_crossbar_config *cfg)
{
    assert(cfg->inputs <= WR_NETWORK_PORTS && cfg->outputs <= WR_NETWORK_PORTS);
    wr_crossbar *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return NULL;
    }
    x->cfg = *cfg;
    wr_arrivals_init(&x->front);
    bool ok = true;
    for (uint32_t i = 0; i < cfg->inputs; i++) {
        ok = ok && fifo_init(&x->in[i].queue, cfg->input_flits);
    }
    for (uint32_t o = 0; o < cfg->outputs; o++) {
        ok = ok && fifo_init(&x->out[o].queue, cfg->output_packets);
    }
    if (!ok) {
        wr_crossbar_free(x);
        return NULL;
    }
    return x;
}

void wr_crossbar_free(wr_crossbar *x)
{
    if (x == NULL) {
        return;
    }
    for (uint32_t i = 0; i < WR_NETWORK_PORTS; i++) {
        free(x->in[i].queue.items);
        free(x->out[i].queue.items);
    }
    free(x);
}

uint64_t wr_crossbar_room_at(const wr_crossbar *x, uint64_t now, uint32_t port, uint32_t flits)
{
    const input *in = &x->in[port];
    if (in->flits != 0 && in->flits + flits > x->cfg.input_flits) {
        return WR_NEVER;
    }
    return in->link_free_at > now ? in->link_free_at : now;
}

void wr_crossbar_push(wr_crossbar *x, uint64_t now, uint32_t port, uint32_t to, uint32_t flits,
                      const wr_packet *packet)
{
    input *in = &x->in[port];
    assert(wr_crossbar_room_at(x, now, port, flits) == now && to < x->cfg.outputs && flits != 0);
    if (in->queue.count == 0) {
        x->hidden |= UINT64_C(1) << port;
        sooner(&x->front.next, in->free_at > now + 1 ? in->free_at : now + 1);
    }
    *fifo_push(&in->queue) = (item){.packet = *packet,
                                    .at = now + 1,
                                    .serial = x->sent[port][to]++,
                                    .port = (uint16_t)to,
                                    .flits = (uint16_t)flits};
    in->flits += flits;
    in->link_free_at = now + flits;
    x->stats.packets_in++;
    x->stats.flits_in += flits;
}

/* Heads that may cross from now on ask for their outputs. */
static void reveal(wr_crossbar *x, uint64_t now)
{
    for (uint64_t left = x->hidden; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        const item *head = fifo_head(&x->in[i].queue);
        uint64_t at = head->at > x->in[i].free_at ? head->at : x->in[i].free_at;
        if (at <= now) {
            x->hidden &= ~(UINT64_C(1) << i);
            x->out[head->port].waiting |= UINT64_C(1) << i;
            x->wanted |= UINT64_C(1) << head->port;
        } else {
            sooner(&x->front.next, at);
        }
    }
}

/* The head of input i crosses to output o. */
static void cross(wr_crossbar *x, uint64_t now, uint32_t i, uint32_t o)
{
    input *in = &x->in[i];
    output *out = &x->out[o];
    const item *head = fifo_head(&in->queue);
    uint32_t hold = (head->flits + x->cfg.speedup - 1) / x->cfg.speedup;
    item *slot = fifo_push(&out->queue);
    *slot = *head;
    slot->port = (uint16_t)i;
    uint64_t link = now + x->cfg.latency; /* the switch may be faster than the link behind */
    link = link > out->link_free_at ? link : out->link_free_at;
    slot->at = link + head->flits - 1;
    out->link_free_at = link + head->flits;
    if (out->queue.count == 1) {
        wr_arrivals_set(&x->front, o, slot->at);
    }
    in->flits -= head->flits;
    x->front.freed |= UINT64_C(1) << i;
    in->left += head->flits;
    in->free_at = now + hold;
    out->free_at = now + hold;
    out->flits += head->flits;
    out->turn = i + 1 == x->cfg.inputs ? 0 : i + 1;
    out->waiting &= ~(UINT64_C(1) << i);
    if (out->waiting == 0) {
        x->wanted &= ~(UINT64_C(1) << o);
    }
    fifo_pop(&in->queue);
    if (in->queue.count != 0) {
        x->hidden |= UINT64_C(1) << i;
        sooner(&x->front.next, in->free_at);
    }
}

void wr_crossbar_tick(wr_crossbar *x, uint64_t now)
{
    if (now < x->front.next) {
        return;
    }
    x->front.next = WR_NEVER;
    wr_calendar_begin(&x->front.coming, now);
    reveal(x, now);
    for (uint64_t left = x->wanted; left != 0; left &= left - 1) {
        uint32_t o = (uint32_t)__builtin_ctzll(left);
        output *out = &x->out[o];
        if (out->queue.count == x->cfg.output_packets) {
            continue; /* a take wakes it */
        }
        if (out->free_at <= now) {
            uint64_t from_turn = out->waiting & (UINT64_MAX << out->turn);
            uint64_t set = from_turn != 0 ? from_turn : out->waiting;
            cross(x, now, (uint32_t)__builtin_ctzll(set), o);
        }
        if (out->waiting != 0) {
            sooner(&x->front.next, out->free_at);
        }
    }
}

wr_arrivals *wr_crossbar_arrivals(wr_crossbar *x)
{
    return &x->front;
}

void wr_crossbar_wake(wr_crossbar *x)
{
    x->front.next = 0;
}

bool wr_crossbar_take(wr_crossbar *x, uint64_t now, uint32_t port, wr_packet *packet)
{
    output *out = &x->out[port];
    if (x->front.at[port] > now) {
        return false;
    }
    const item *head = fifo_head(&out->queue);
    assert(head->serial == x->taken[head->port][port]);
    x->taken[head->port][port]++;
    *packet = head->packet;
    x->stats.packets_out++;
    x->stats.flits_out += head->flits;
    if (out->waiting != 0 && out->queue.count == x->cfg.output_packets) {
        sooner(&x->front.next, now + 1 > out->free_at ? now + 1 : out->free_at);
    }
    fifo_pop(&out->queue);
    wr_arrivals_set(&x->front, port, out->queue.count != 0 ? fifo_head(&out->queue)->at : WR_NEVER);
    return true;
}

wr_crossbar_stats wr_crossbar_totals(const wr_crossbar *x)
{
    return x->stats;
}

uint64_t wr_crossbar_input_flits(const wr_crossbar *x, uint32_t port)
{
    return x->in[port].left;
}

uint64_t wr_crossbar_output_flits(const wr_crossbar *x, uint32_t port)
{
    return x->out[port].flits;
}
