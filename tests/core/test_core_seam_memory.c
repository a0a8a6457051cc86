/* SPDX-License-Identifier: Apache-2.0 */
/* The memory seam: a miss station in the place of the FIFO. */
#include "shell/core/seam/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/core/exchange.h"

enum { SMS = 3, MOST = 256, WINDOW = 400 };

/* Stations of three kinds over one buffer: the FIFO again, the last that came first, and at most
 * one request in a window. */
typedef enum order { FIFO, LIFO, WINDOWED } order;
typedef struct station {
    wr_miss_station ops;
    order order;
    wr_packet packet[MOST];
    uint64_t at[MOST];
    uint32_t count, limit;
    uint64_t pushed, popped, streams, warps;
    uint64_t open_at; /* WINDOWED: next request may leave */
    wr_packet out;    /* what head has given */
    uint32_t index;
} station;
static station stations[SMS];

static uint32_t room(void *self, wr_sm *sm, uint32_t stream)
{
    const station *s = self;
    (void)sm;
    assert_true(stream < WR_MAX_STREAMS);
    return s->limit - s->count;
}

static void push(void *self, wr_sm *sm, uint64_t at, const wr_packet *packet)
{
    station *s = self;
    assert_true(s->count < s->limit);
    assert_int_equal(packet->sm, wr_sm_id(sm));
    s->streams |= UINT64_C(1) << packet->stream;
    s->warps |= UINT64_C(1) << packet->warp;
    s->packet[s->count] = *packet;
    s->at[s->count++] = at;
    s->pushed++;
}

static const wr_packet *head(void *self, wr_sm *sm, uint64_t now)
{
    station *s = self;
    (void)sm;
    uint32_t i = s->order == LIFO ? s->count : 0;
    if (s->order == LIFO) {
        while (i > 0 && s->at[i - 1] > now) {
            i--;
        }
        if (i == 0) {
            return NULL;
        }
        i--;
    } else if (s->at[0] > now || (s->order == WINDOWED && now < s->open_at)) {
        return NULL;
    }
    s->index = i;
    s->out = s->packet[i];
    return &s->out;
}

static void pop(void *self, wr_sm *sm, uint64_t now)
{
    station *s = self;
    (void)sm;
    s->count--;
    memmove(&s->packet[s->index], &s->packet[s->index + 1],
            (s->count - s->index) * sizeof s->packet[0]);
    memmove(&s->at[s->index], &s->at[s->index + 1], (s->count - s->index) * sizeof s->at[0]);
    s->popped++;
    s->open_at = (now / WINDOW + 1) * WINDOW;
}

static uint64_t next(void *self, wr_sm *sm, uint64_t from)
{
    const station *s = self;
    uint64_t at = UINT64_MAX;
    (void)sm;
    for (uint32_t i = 0; i < s->count; i++) {
        at = s->at[i] < at ? s->at[i] : at;
    }
    at = s->order == WINDOWED && s->open_at > at ? s->open_at : at;
    return at > from ? at : from;
}

static void put_stations(void *arg, wr_gpu *gpu)
{
    const order *kind = arg;
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        stations[i] = (station){.ops = {.self = &stations[i],
                                        .room = room,
                                        .push = push,
                                        .head = head,
                                        .pop = pop,
                                        .next = next},
                                .order = *kind,
                                .limit = wr_sm_miss_limit(sm)};
        assert_true(stations[i].limit <= MOST);
        wr_sm_set_station(sm, &stations[i].ops);
    }
}

static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    (void)gpu;
    for (uint32_t i = 0; i < SMS; i++) {
        assert_true(stations[i].pushed > 100);
        assert_int_equal(stations[i].pushed, stations[i].popped);
        assert_int_equal(stations[i].streams, 1);
        assert_true(stations[i].warps == 0xffffffffffff); /* 48 warps */
    }
}

static uint64_t run(order kind, uint32_t threads, bool no_skip)
{
    return exchange_run(&(exchange_how){.prepare = put_stations,
                                        .look = look,
                                        .arg = &kind,
                                        .threads = threads,
                                        .no_skip = no_skip});
}

/* The same FIFO as a station gives the same cycles as the built-in one. */
static void test_fifo(void **state)
{
    (void)state;
    uint64_t plain = exchange_run(&(exchange_how){0});
    assert_int_equal(plain, run(FIFO, 1, false));
    assert_int_equal(plain, run(FIFO, 1, true));
    assert_int_equal(plain, run(FIFO, 2, false));
}

static void test_other_orders(void **state)
{
    (void)state;
    uint64_t plain = exchange_run(&(exchange_how){0});
    uint64_t lifo = run(LIFO, 1, false);
    assert_int_not_equal(lifo, plain);
    assert_int_equal(lifo, run(LIFO, 1, true));
    assert_int_equal(lifo, run(LIFO, 2, false));
    uint64_t windowed = run(WINDOWED, 1, false);
    assert_true(windowed > plain);
    assert_true(stations[0].popped * WINDOW <= windowed + WINDOW);
    assert_int_equal(windowed, run(WINDOWED, 2, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fifo),
                                       cmocka_unit_test(test_other_orders)};
    return cmocka_run_group_tests_name("memory seam", tests, NULL, NULL);
}
