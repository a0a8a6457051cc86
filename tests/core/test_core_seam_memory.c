/* SPDX-License-Identifier: Apache-2.0 */
/* The memory seam: a miss station in the place of the FIFO. */
#include "shell/core/seam/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/context.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { SMS = 3, ENTRIES = 256, WINDOW = 400, GRANT_EVERY = 1200, GRANT = 9, CTX_EVERY = 40 };

/* Stations of four kinds over one buffer: the FIFO again, the last that came first, at most one
 * request in a window, and a FIFO that takes a few more only now and then. */
typedef enum order { FIFO, LIFO, WINDOWED, GRANTED } order;
typedef struct station {
    wr_miss_station ops;
    wr_packet packet[ENTRIES];
    uint64_t at[ENTRIES];
    wr_packet out; /* what head has given */
    uint64_t pushed, popped, streams, warps;
    uint64_t open_at; /* WINDOWED: next request may leave */
    order order;
    uint32_t count, limit, index;
    uint32_t asks;  /* streams that ask for room */
    uint32_t grant; /* GRANTED: requests that it takes */
} station;
static station stations[SMS];

static uint32_t room(void *self, wr_sm *sm, uint32_t stream)
{
    const station *s = self;
    (void)sm;
    assert_true((s->asks >> stream & 1) != 0);
    uint32_t left = s->limit - s->count;
    return s->order == GRANTED && s->grant < left ? s->grant : left;
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
    if (packet->kind == WR_PACKET_READ) { /* then who asks is still there */
        assert_true(sm->valid >> packet->warp & 1);
        assert_int_equal(packet->stream, sm->tbs[sm->warps[packet->warp].tb].program->stream);
    }
    s->grant -= s->order == GRANTED ? 1 : 0;
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
                                .limit = wr_sm_miss_limit(sm),
                                .asks = 1 | 1 << 5 | 1 << 10 | 1 << 15};
        assert_true(stations[i].limit <= ENTRIES);
        wr_sm_set_station(sm, &stations[i].ops);
    }
}

static uint64_t slots;
static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    slots = exchange_slots(gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_true(stations[i].pushed > 20);
        assert_int_equal(stations[i].pushed, stations[i].popped);
        assert_int_equal(stations[i].streams, 1);
        assert_true((stations[i].warps & 0xff) == 0xff && stations[i].warps >> 48 == 0);
    }
}

/* `brief`: threads take their time on a busy machine. */
static uint64_t run_as(order kind, uint32_t threads, bool no_skip, bool brief)
{
    return exchange_run(&(exchange_how){.prepare = put_stations,
                                        .look = look,
                                        .arg = &kind,
                                        .threads = threads,
                                        .tbs = brief ? 3 : 0,
                                        .no_skip = no_skip});
}

/* The same FIFO as a station gives the same cycles as the built-in one. */
static void test_fifo(void **state)
{
    (void)state;
    uint64_t plain = exchange_run(&(exchange_how){0});
    assert_int_equal(plain, run_as(FIFO, 1, false, false));
    assert_int_equal(plain, run_as(FIFO, 1, true, false));
    plain = exchange_run(&(exchange_how){.tbs = 3});
    assert_int_equal(plain, run_as(FIFO, 2, false, true));
}

static void test_other_orders(void **state)
{
    (void)state;
    uint64_t plain = exchange_run(&(exchange_how){0});
    uint64_t lifo = run_as(LIFO, 1, false, false);
    assert_int_not_equal(lifo, plain);
    assert_int_equal(lifo, run_as(LIFO, 1, true, false));
    uint64_t windowed = run_as(WINDOWED, 1, false, false);
    uint64_t slots_then = slots;
    assert_int_equal(windowed, run_as(WINDOWED, 1, true, false));
    assert_int_equal(slots_then, slots);
    assert_true(windowed > plain);
    assert_true(stations[0].popped * WINDOW <= windowed + WINDOW);
    assert_int_equal(run_as(WINDOWED, 1, false, true), run_as(WINDOWED, 2, false, true));
}

/* Now and then room comes by itself, while nothing is under way that could tell the LSU. */
static void grant_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    for (uint32_t i = 0; i < SMS && wr_gpu_cycle(gpu) % GRANT_EVERY == 0; i++) {
        stations[i].grant = GRANT;
        wr_sm_station_freed(wr_gpu_sm(gpu, i));
    }
}

static uint64_t grant_next(void *self, uint64_t now)
{
    (void)self;
    return (now / GRANT_EVERY + 1) * GRANT_EVERY;
}

static void test_room_by_time(void **state)
{
    static const wr_system_hooks hooks = {.gpu_cycle = grant_cycle, .next_cycle = grant_next};
    order kind = GRANTED;
    uint64_t cycles[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        cycles[i] = exchange_run(&(exchange_how){.hooks = &hooks,
                                                 .prepare = put_stations,
                                                 .look = look,
                                                 .arg = &kind,
                                                 .no_skip = i == 1});
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_true(cycles[0] > stations[0].pushed / GRANT * GRANT_EVERY);
}

/* Context traffic goes past the station, which is none the wiser. */
static struct {
    uint64_t base;
    uint32_t written, asked, got;
} ctx[SMS];

static void ctx_cycle(void *self, wr_gpu *gpu)
{
    uint8_t data[128];
    uint32_t tag;
    (void)self;
    for (uint32_t i = 0; i < SMS && wr_gpu_cycle(gpu) % CTX_EVERY == 0; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        for (uint32_t k = 0; k < 3 && wr_gpu_launches(gpu) != 0; k++) {
            uint64_t at = ctx[i].base + ctx[i].written % 64 * UINT64_C(128);
            memset(data, (int)(ctx[i].written & 0xff), sizeof data);
            ctx[i].written += wr_sm_ctx_write(sm, at, data, 128) ? 1 : 0;
        }
        bool more = wr_gpu_launches(gpu) != 0;
        ctx[i].asked += more && wr_sm_ctx_read(sm, ctx[i].base, 32, ctx[i].asked) ? 1 : 0;
        while (wr_sm_ctx_reply(sm, &tag, data)) {
            assert_int_equal(tag, ctx[i].got);
            ctx[i].got++;
        }
    }
}

static uint64_t ctx_next(void *self, uint64_t now)
{
    (void)self;
    return (now / CTX_EVERY + 1) * CTX_EVERY;
}

static void put_both(void *arg, wr_gpu *gpu)
{
    memset(ctx, 0, sizeof ctx);
    for (uint32_t i = 0; i < SMS; i++) {
        ctx[i].base = wr_gpu_alloc(gpu, 64 * 128, 256);
    }
    if (arg != NULL) {
        put_stations(arg, gpu);
    }
}

static void look_ctx(void *arg, wr_gpu *gpu)
{
    (void)gpu;
    for (uint32_t i = 0; i < SMS; i++) {
        assert_true(ctx[i].written > 300 && ctx[i].got > 100 && ctx[i].got + 40 > ctx[i].asked);
        assert_int_equal(stations[i].pushed, stations[i].popped);
    }
    (void)arg;
}

static void test_beside_context_traffic(void **state)
{
    static const wr_system_hooks hooks = {.gpu_cycle = ctx_cycle, .next_cycle = ctx_next};
    order kinds[] = {FIFO, LIFO, WINDOWED};
    uint64_t fifo = 0;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) { /* 0: without a station */
        uint64_t cycles[2];
        for (uint32_t k = 0; k < 2; k++) {
            cycles[k] = exchange_run(&(exchange_how){.hooks = &hooks,
                                                     .prepare = put_both,
                                                     .look = look_ctx,
                                                     .arg = i == 0 ? NULL : &kinds[i - 1],
                                                     .no_skip = k == 1});
        }
        assert_int_equal(cycles[0], cycles[1]);
        fifo = i == 0 ? cycles[0] : fifo;
        assert_true(i != 1 || cycles[0] == fifo);
    }
}

/* Packets name the stream of who asks. */
static void test_streams(void **state)
{
    order kind = FIFO;
    (void)state;
    plan_new(SMS);
    put_stations(&kind, plan.gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        stations[i].asks &= ~1u;
    }
    for (uint32_t i = 0; i < 3; i++) {
        step *s = plan_add(5 + 5 * i, "asks", 8, 12, 64);
        plan_prologue(&s->kernel);
        wr_insn load = kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0);
        load.is_volatile = i == 1; /* past the L1 */
        kit_add(&s->kernel, load);
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
        plan_store_and_exit(&s->kernel, 3);
    }
    plan_run_all();
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(stations[i].streams, 1 << 5 | 1 << 10 | 1 << 15);
        assert_int_equal(stations[i].pushed, stations[i].popped);
    }
}

/* A request that leaves makes room at once, not only its reply: 32 lines pass a station of two. */
static void test_room_at_once(void **state)
{
    order kind = FIFO;
    (void)state;
    plan_new(SMS);
    put_stations(&kind, plan.gpu);
    for (uint32_t i = 0; i < SMS; i++) {
        stations[i].limit = 2;
    }
    step *s = plan_add(0, "lines", 8, 1, 32);
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_imm(kit_op(WR_OP_SHL, WR_B32, 4, 2, RZ, RZ), 1, 7));
    kit_add(&s->kernel, kit_param(kit_op(WR_OP_ADD, WR_U32, 4, 4, RZ, RZ), 1, 0));
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 4, 0));
    kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
    plan_store_and_exit(&s->kernel, 3);
    uint64_t cycles = plan_run_all();
    assert_true(stations[0].pushed > 32);
    assert_in_range(cycles, 32 / 2 * plan.cfg.l1.hit_latency, 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_other_orders),
        cmocka_unit_test(test_room_by_time),
        cmocka_unit_test_teardown(test_streams, plan_teardown),
        cmocka_unit_test_teardown(test_room_at_once, plan_teardown),
        cmocka_unit_test(test_beside_context_traffic),
    };
    return cmocka_run_group_tests_name("memory seam", tests, NULL, NULL);
}
