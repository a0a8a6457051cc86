/* SPDX-License-Identifier: Apache-2.0 */
/* Several queues in front of the LSU (shell/core/sm/lsu.h): streams that share none do not wait for
 * each other, and one alone has what it has with a single queue. */
#include "shell/core/seam/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "shell/core/seam/meter.h"
#include "tests/core/plan.h"

enum { ENTRIES = 256, SHUT_FROM = 2000, SHUT_TO = 40000 };

/* A FIFO that takes nothing of stream 0 for some time, when its code is there. It looks at what the
 * LSU does. */
typedef struct station {
    wr_miss_station ops;
    wr_packet packet[ENTRIES];
    uint64_t at[ENTRIES];
    uint64_t shut_to;
    uint32_t count;
    uint32_t last; /* stream of the last request */
    uint64_t turns, pushed[4];
} station;
static station door;

static uint32_t room(void *self, wr_sm *sm, uint32_t stream)
{
    const station *s = self;
    return stream == 0 && sm->now >= SHUT_FROM && sm->now < s->shut_to ? 0 : ENTRIES - s->count;
}

/* The other stream's head could have gone, in the cycle in which this stream's line went for the
 * second time running. */
static bool passed_over(wr_sm *sm, uint32_t stream)
{
    const wr_lsu_queue *other = &sm->lsu[1 - stream];
    return sm->lsu_queues == 2 && other->count != 0 &&
           other->entry[other->head].ready_at < sm->now &&
           (sm->lsu_blocked >> (1 - stream) & 1) == 0;
}

static void push(void *self, wr_sm *sm, uint64_t at, const wr_packet *packet)
{
    station *s = self;
    uint32_t stream = packet->stream;
    assert_true(s->count < ENTRIES && stream < 4);
    assert_true(stream != 0 || sm->now < SHUT_FROM || sm->now >= s->shut_to);
    s->turns += stream != s->last;
    assert_false(stream == s->last && stream < 2 && passed_over(sm, stream));
    s->last = stream;
    s->pushed[stream]++;
    s->packet[s->count] = *packet;
    s->at[s->count++] = at;
}

static const wr_packet *head(void *self, wr_sm *sm, uint64_t now)
{
    const station *s = self;
    (void)sm;
    return s->at[0] <= now ? &s->packet[0] : NULL;
}

static void pop(void *self, wr_sm *sm, uint64_t now)
{
    station *s = self;
    (void)sm;
    (void)now;
    s->count--;
    memmove(s->packet, s->packet + 1, s->count * sizeof s->packet[0]);
    memmove(s->at, s->at + 1, s->count * sizeof s->at[0]);
}

static uint64_t next(void *self, wr_sm *sm, uint64_t from)
{
    const station *s = self;
    (void)sm;
    return s->count == 0 ? UINT64_MAX : s->at[0] > from ? s->at[0] : from;
}

/* Each cycle: who waits for room, naively; and that each queue keeps to its own limits. */
static uint32_t most_ops, most_stores, blocked_cycles, no_room_cycles;

/* A store that waits in front of the miss queue waits for room: one request's, or, where the L1
 * keeps dirty lines that it may have to write first, two. */
static void look_at_room(const wr_sm *sm, const wr_lsu_queue *q, bool blocked)
{
    uint32_t needs = sm->cfg->l1.write == WR_L1_THROUGH ? 1 : 2;
    if (sm->station == NULL && sm->cfg->l1.store_buffer == 0 && blocked &&
        q->entry[q->head].path == WR_LSU_STORE) {
        assert_true(sm->miss_limit - sm->miss_count < needs);
        no_room_cycles++;
    }
}

static void look(void *self, wr_gpu *gpu)
{
    const wr_sm *sm = wr_gpu_sm(gpu, 0);
    uint32_t ops[4] = {0};
    uint32_t entries = 0;
    uint32_t stores = 0;
    (void)self;
    for (uint32_t i = 0; i < WR_MEM_OPS; i++) {
        ops[sm->ops[i].stream % plan.cfg.sm.lsu_queues] +=
            (uint32_t)(sm->ops_used[i / 64] >> i % 64 & 1);
    }
    for (uint32_t q = 0; q < plan.cfg.sm.lsu_queues; q++) {
        assert_int_equal(ops[q], sm->lsu[q].ops);
        assert_true(ops[q] <= sm->op_limit && sm->lsu[q].count <= WR_LSU_QUEUE);
        assert_true(sm->cfg->l1.store_buffer == 0 || sm->lsu[q].stores <= sm->cfg->l1.store_buffer);
        entries += sm->lsu[q].count;
        stores += sm->lsu[q].stores;
        look_at_room(sm, &sm->lsu[q], (sm->lsu_blocked >> q & 1) != 0);
        for (uint32_t i = 0; i < sm->lsu[q].count; i++) {
            const uint32_t at = (sm->lsu[q].head + i) % WR_LSU_QUEUE;
            assert_int_equal(sm->lsu[q].entry[at].stream % plan.cfg.sm.lsu_queues, q);
        }
    }
    assert_int_equal(entries, sm->lsu_count);
    most_ops = ops[0] + ops[1] > most_ops ? ops[0] + ops[1] : most_ops;
    most_stores = stores > most_stores ? stores : most_stores;
    blocked_cycles += wr_meter_blocked(sm) == 1;
}

static void on_cycle(void *self, wr_gpu *gpu)
{
    look(self, gpu);
    if (wr_gpu_cycle(gpu) == door.shut_to && door.shut_to != 0) {
        wr_sm_station_freed(wr_gpu_sm(gpu, 0));
    }
}

static uint64_t every_cycle(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

/* One SM with so many queues, whose loads pass the L1 by; a station where `shut_to` is not 0. */
static void open_config(wr_gpu_config cfg, uint32_t queues, uint32_t loads, uint32_t stores,
                        uint64_t shut_to)
{
    static const wr_system_hooks hooks = {.gpu_cycle = on_cycle, .next_cycle = every_cycle};
    cfg.sms = 1;
    cfg.l1.globals = 0;
    cfg.sm.lsu_queues = queues;
    cfg.sm.loads_in_flight = loads;
    cfg.l1.store_buffer = stores;
    plan_new_of(&cfg);
    wr_gpu_attach(plan.gpu, &hooks);
    door = (station){
        .ops = {.self = &door, .room = room, .push = push, .head = head, .pop = pop, .next = next},
        .shut_to = shut_to,
        .last = UINT32_MAX};
    if (shut_to != 0) {
        wr_sm_set_station(wr_gpu_sm(plan.gpu, 0), &door.ops);
    }
    most_ops = most_stores = blocked_cycles = no_room_cycles = 0;
}

static void open_with(uint32_t queues, uint32_t loads, uint32_t stores, uint64_t shut_to)
{
    open_config(kit_config(), queues, loads, stores, shut_to);
}

/* A worker that loads a word and stores one in each round. */
static step *add_mover(uint32_t stream, uint32_t grid, uint32_t trips)
{
    step *s = plan_add(stream, "mover", 8, grid, 128);
    kit_kernel *k = &s->kernel;
    plan_prologue(k);
    kit_add(k, kit_op(WR_OP_MOV, WR_B32, 3, RZ, RZ, RZ));
    size_t top = kit_add(k, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 1));
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 0));
    kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(k, kit_param(kit_setp(WR_CMP_LT, WR_U32, 0, 3, RZ), 1, 4));
    kit_add(k, kit_guard(kit_bra(top, top + 5), 0, false));
    kit_add(k, kit_param(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 8));
    plan_store_and_exit(k, 3);
    s->params.trips = trips;
    s->params.add = 1000 * (uint32_t)plan.count;
    return s;
}

static uint64_t run_all(void)
{
    uint64_t cycles = plan_run_all();
    for (size_t i = 0; i < plan.count; i++) {
        plan_check_worker(&plan.steps[i]);
    }
    return cycles;
}

/* Nothing of stream 0 leaves the SM for a long time. Stream 1 ends before that where it has a queue
 * of its own, and waits where it has none. */
static void test_one_waits(void **state)
{
    (void)state;
    for (uint32_t queues = 1; queues <= 4; queues *= 2) {
        open_with(queues, 0, 0, SHUT_TO);
        (void)add_mover(0, 2, 20);
        (void)add_mover(1, 2, 20);
        (void)run_all();
        assert_true(plan.steps[0].result.ended > SHUT_TO);
        assert_int_equal(plan.steps[1].result.ended < SHUT_TO, queues != 1);
        assert_true(blocked_cycles > SHUT_TO / 2);
        assert_true(door.pushed[0] != 0 && door.pushed[1] != 0);
    }
}

/* Both have room: lines go by turns. */
static void test_turns(void **state)
{
    (void)state;
    open_with(2, 0, 0, 1);
    (void)add_mover(0, 4, 30);
    (void)add_mover(1, 4, 30);
    (void)run_all();
    assert_true(door.turns > 300);
}

/* Each queue has loads under way and a store buffer of its own. */
static void test_limits(void **state)
{
    (void)state;
    for (uint32_t queues = 1; queues <= 2; queues++) {
        open_with(queues, 3, 2, 0);
        (void)add_mover(0, 2, 30);
        (void)add_mover(1, 2, 30);
        (void)run_all();
        assert_int_equal(most_ops, 3 * queues);
        assert_int_equal(most_stores, 2 * queues);
    }
}

/* A stream alone takes as long with any number; so do streams 1 and 3, which share one of two. */
static void test_alone(void **state)
{
    uint64_t cycles[3][2];
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t two = 0; two < 2; two++) {
            open_with(1u << i, 5, 3, 0);
            (void)add_mover(1, 3, 30);
            if (two != 0) {
                (void)add_mover(3, 3, 30);
            }
            cycles[i][two] = run_all();
        }
    }
    assert_int_equal(cycles[1][0], cycles[0][0]);
    assert_int_equal(cycles[1][1], cycles[0][1]);
    assert_int_equal(cycles[2][0], cycles[0][0]);
    assert_true(cycles[2][1] < cycles[0][1]);
}

/* Where a store waits for room, it goes on in the cycle in which a request leaves. */
static void test_room(void **state)
{
    (void)state;
    for (uint32_t back = 0; back < 2; back++) {
        wr_gpu_config cfg = kit_config();
        cfg.l1.miss_queue = 2;
        cfg.l1.hit_latency = 1;
        cfg.l1.write = back != 0 ? WR_L1_BACK : WR_L1_THROUGH;
        cfg.noc.flit_bytes = 8; /* a request takes long to leave */
        open_config(cfg, 1, 0, 0, 0);
        step *s = plan_add(0, "writer", 8, 4, 128);
        kit_kernel *k = &s->kernel;
        plan_prologue(k);
        for (uint32_t i = 0; i < 40; i++) {
            kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 0, 1, 0));
        }
        plan_store_and_exit(k, 3);
        (void)plan_run_all();
        assert_true(no_room_cycles > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_one_waits, plan_teardown),
        cmocka_unit_test_teardown(test_turns, plan_teardown),
        cmocka_unit_test_teardown(test_limits, plan_teardown),
        cmocka_unit_test_teardown(test_alone, plan_teardown),
        cmocka_unit_test_teardown(test_room, plan_teardown),
    };
    return cmocka_run_group_tests_name("lsu queues", tests, NULL, NULL);
}
