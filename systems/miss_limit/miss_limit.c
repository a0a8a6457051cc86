/* SPDX-License-Identifier: Apache-2.0 */
/* A FIFO miss station with a limit: of an SM's requests at most so many leave in a window of
 * cycles. Seam: memory. Window n is cycles n * window to (n + 1) * window - 1; the queue is as long
 * as the configuration's.
 */
#include "systems/miss_limit/miss_limit.h"

#include "shell/core/seam/memory.h"

#include <assert.h>
#include <stdlib.h>

enum { OPT_REQUESTS, OPT_WINDOW, OPT_NUMBER, MOST = 1000000 };

#define NUMBER(value, what, text)                                                                  \
    .kind = WR_OPTION_NUMBER, .min = 1, .max = MOST, .preset = (value), .unit = (what),            \
    .doc = (text)
static const wr_option options[OPT_NUMBER] = {
    [OPT_REQUESTS] = {.name = "requests", NUMBER("16", "requests", "of an SM in a window")},
    [OPT_WINDOW] = {.name = "window", NUMBER("200", "cycles", "of a window")},
};

typedef struct request {
    wr_packet packet;
    uint64_t at; /* it has passed the L1 */
} request;

typedef struct station {
    wr_miss_station ops;
    uint64_t most, length; /* requests of a window, its cycles */
    request *queue;        /* a ring of `limit` */
    uint32_t head, count, limit;
    uint64_t window, used; /* of the last request that left, and how many of it did */
    uint64_t sent, full;   /* requests; windows that were used up */
} station;

typedef struct miss_limit {
    wr_system base;
    uint32_t sms;
    station station[WR_CONFIG_MAX_SMS];
    request queues[]; /* of all stations */
} miss_limit;

static uint32_t room(void *self, wr_sm *sm, uint32_t stream)
{
    const station *s = self;
    (void)sm;
    (void)stream;
    return s->limit - s->count;
}

static void push(void *self, wr_sm *sm, uint64_t at, const wr_packet *packet)
{
    station *s = self;
    (void)sm;
    assert(s->count < s->limit);
    s->queue[(s->head + s->count++) % s->limit] = (request){*packet, at};
}

/* First cycle from `from` on in which the head may leave. */
static uint64_t next(void *self, wr_sm *sm, uint64_t from)
{
    const station *s = self;
    (void)sm;
    if (s->count == 0) {
        return UINT64_MAX;
    }
    uint64_t at = s->queue[s->head].at > from ? s->queue[s->head].at : from;

    return at / s->length == s->window && s->used == s->most ? (s->window + 1) * s->length : at;
}

static const wr_packet *head(void *self, wr_sm *sm, uint64_t now)
{
    const station *s = self;
    return next(self, sm, now) <= now ? &s->queue[s->head].packet : NULL;
}

static void pop(void *self, wr_sm *sm, uint64_t now)
{
    station *s = self;
    (void)sm;
    s->used = now / s->length == s->window ? s->used + 1 : 1;
    s->window = now / s->length;
    s->full += s->used == s->most;
    s->sent++;
    s->head = (s->head + 1) % s->limit;
    s->count--;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    miss_limit *m = self;
    (void)stream;
    (void)launch;
    for (uint32_t i = 0; m->station[0].sent == 0 && i < m->sms; i++) {
        wr_sm_set_station(wr_gpu_sm(gpu, i), &m->station[i].ops);
    }
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    uint32_t limit = setup->cfg->l1.hit_latency + setup->cfg->l1.miss_queue;
    size_t queues = (size_t)setup->cfg->sms * limit * sizeof(request);
    miss_limit *m = wr_system_alloc(sizeof *m + queues, err, err_size);
    if (!m) {
        return NULL;
    }
    m->sms = setup->cfg->sms;
    for (uint32_t i = 0; i < m->sms; i++) {
        station *s = &m->station[i];

        *s = (station){.ops = {s, room, push, head, pop, next},
                       .most = setup->values[OPT_REQUESTS].number,
                       .length = setup->values[OPT_WINDOW].number,
                       .queue = &m->queues[(size_t)i * limit],
                       .limit = limit};
    }
    m->base.hooks = (wr_system_hooks){.self = m, .launch_begin = on_launch_begin};
    return &m->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const miss_limit *m = (const miss_limit *)system;
    uint64_t sent = 0;
    uint64_t full = 0;
    for (uint32_t i = 0; i < m->sms; i++) {
        sent += m->station[i].sent;
        full += m->station[i].full;
    }
    wr_report_section(r, "", "Requests by windows");
    (void)wr_report_count(r, "requests", "requests sent", sent, "");
    (void)wr_report_count(r, "windows.full", "windows used up, of all SMs", full, "");
}

const wr_system_type wr_miss_limit_type = {
    .name = "miss_limit",
    .summary = "lets so many requests of an SM leave in a window",
    .paper = "",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
