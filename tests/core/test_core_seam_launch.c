/* SPDX-License-Identifier: Apache-2.0 */
/* The launch seam: SMs closed to streams, events of TBs, TBs taken out of the dispatcher's hands;
 * and the meters. */
#include "shell/core/seam/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/meter.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { SMS = 3 };

/* SM i is open to stream 1 + i modulo 2 only; owner 3 says it, owner 0 says nothing. */
static void close_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 3, i % 2 == 0 ? 4u : 2u);
        wr_sm_close(wr_gpu_sm(gpu, i), 0, 0);
    }
}

static void test_close(void **state)
{
    static const wr_system_hooks hooks = {.launch_begin = close_begin};
    (void)state;
    plan_new(4);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_teller(1, WR_SREG_SMID, 60);
    plan_teller(2, WR_SREG_SMID, 60);
    plan_run_all();
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t t = 0; t < 60 * 64; t++) {
            assert_int_equal(plan_out(&plan.steps[i], t) % 2, i);
        }
    }
}

/* A full SM that was closed is looked at again when it opens. */
static void open_cycle(void *self, wr_gpu *gpu)
{
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu) && now <= 5000; i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 0, now < 5000 ? WR_ALL_STREAMS : 0);
    }
}
static uint64_t open_next(void *self, uint64_t now)
{
    (void)self;
    return now < 5000 ? 5000 : UINT64_MAX;
}

static void test_open_later(void **state)
{
    static const wr_system_hooks hooks = {
        .launch_begin = close_begin, .gpu_cycle = open_cycle, .next_cycle = open_next};
    (void)state;
    plan_new(2);
    wr_gpu_attach(plan.gpu, &hooks);
    for (uint32_t i = 0; i < 2; i++) {
        wr_sm_close(wr_gpu_sm(plan.gpu, i), 1, WR_ALL_STREAMS); /* for ever, but 0 opens */
        wr_sm_close(wr_gpu_sm(plan.gpu, i), 1, 0);
    }
    plan_worker(2, 8, 40, 64);
    plan_worker(1, 8, 40, 64);
    plan_run_all();
    plan_check_worker(&plan.steps[0]);
    assert_true(plan.steps[0].result.placed < 10 && plan.steps[1].result.placed < 10);
}

/* TBs of stream 1 from both ends, the last one first, those of stream 2 in their order. */
typedef struct turns {
    uint32_t asked, placed[2], from_end;
} turns;
static turns turn;

static uint64_t turn_choose(void *self, wr_sm *sm, uint32_t stream)
{
    (void)self;
    (void)sm;
    turn.asked++;
    if (stream != 1) {
        return UINT64_MAX;
    }
    turn.from_end = turn.placed[0] % 2 == 0 ? 39 - turn.placed[0] / 2 : turn.placed[0] / 2;
    return turn.from_end;
}

static void turn_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    wr_tb_info tb = wr_sm_tb(sm, tb_slot);
    (void)self;
    assert_int_equal(tb.linear, tb.stream == 1 ? turn.from_end : turn.placed[1]);
    assert_int_equal(tb.ctaid[0], tb.linear);
    turn.placed[tb.stream == 1 ? 0 : 1]++;
    assert_int_equal(wr_gpu_tbs_waiting(plan.gpu, tb.stream),
                     40 - turn.placed[tb.stream == 1 ? 0 : 1]);
}

static void test_choose_tb(void **state)
{
    static const wr_system_hooks hooks = {.choose_tb = turn_choose, .tb_placed = turn_placed};
    (void)state;
    plan_new(SMS);
    memset(&turn, 0, sizeof turn);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(1, 8, 40, 64);
    plan_worker(2, 8, 40, 96);
    plan_run_all();
    plan_check_worker(&plan.steps[0]);
    plan_check_worker(&plan.steps[1]);
    assert_int_equal(turn.placed[0], 40);
    assert_int_equal(turn.placed[1], 40);
    assert_int_equal(turn.asked, 80);
}

/* TBs are counted in and out, by SM and stream. */
typedef struct counts {
    int64_t here[SMS][2];
    uint32_t placed[2], done[2];
} counts;
static counts count;

static void count_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    wr_tb_info tb = wr_sm_tb(sm, tb_slot);
    (void)self;
    assert_true(tb.valid);
    count.placed[tb.stream]++;
    count.here[wr_sm_id(sm)][tb.stream]++;
}

static void count_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    (void)self;
    assert_false(wr_sm_tb(sm, tb_slot).valid);
    count.done[stream]++;
    count.here[wr_sm_id(sm)][stream]--;
    assert_true(count.here[wr_sm_id(sm)][stream] >= 0);
}

static void test_tb_events(void **state)
{
    static const wr_system_hooks hooks = {.tb_placed = count_placed, .tb_done = count_done};
    (void)state;
    memset(&count, 0, sizeof count);
    plan_new(SMS);
    wr_gpu_attach(plan.gpu, &hooks);
    plan_worker(0, 8, 50, 64);
    plan_worker(1, 8, 70, 64);
    plan_run_all();
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(count.placed[s], s == 0 ? 50 : 70);
        assert_int_equal(count.done[s], count.placed[s]);
        for (uint32_t i = 0; i < SMS; i++) {
            assert_int_equal(count.here[i][s], 0);
        }
    }
}

/* A system of its own dispatcher: SMs are closed, it takes each TB and keeps some beyond residency,
 * then places them, the last taken first, on SM 1 and 2 only. */
typedef struct taker {
    wr_tb_info waiting[EXCHANGE_TBS];
    uint32_t tbs, count, taken, placed, most;
} taker;
static taker take;

static void take_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)stream;
    (void)launch;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 0, WR_ALL_STREAMS);
    }
}

static void take_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    while (take.count < 20 && wr_gpu_tb_take(gpu, 0, &take.waiting[take.count])) {
        assert_int_equal(take.waiting[take.count].linear, take.taken);
        take.count++;
        take.taken++;
    }
    take.most = take.count > take.most ? take.count : take.most;
    for (uint32_t i = 1; i < wr_gpu_sm_count(gpu) && take.count != 0; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        uint32_t slot = wr_sm_tb_place(sm, &take.waiting[take.count - 1], NULL, 0xa5a5a5a5);
        if (slot != UINT32_MAX) {
            wr_sm_tb_start(sm, slot);
            take.count--;
            take.placed++;
        }
    }
}

static uint64_t take_next(void *self, uint64_t now)
{
    (void)self;
    return take.placed < take.tbs ? now + 1 : UINT64_MAX;
}

static void look_taken(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_int_equal(take.placed, take.tbs);
    assert_int_equal(take.most, take.tbs < 20 ? take.tbs : 20);
    assert_int_equal(kit_stat(gpu, "sm.tbs_started"), take.tbs);
    assert_int_equal(kit_stat(gpu, "sm.tbs_restored"), 0);
    assert_int_equal(gpu->sms[0].stats.tbs_started, 0);
    assert_int_equal(gpu->grids[0].result.placed, 0);
}

static void test_take(void **state)
{
    static const wr_system_hooks hooks = {
        .launch_begin = take_begin, .gpu_cycle = take_cycle, .next_cycle = take_next};
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        memset(&take, 0, sizeof take);
        take.tbs = threads == 1 ? EXCHANGE_TBS : 4;
        exchange_run(&(exchange_how){
            .hooks = &hooks, .look = look_taken, .threads = threads, .tbs = take.tbs});
    }
}

/* A system that takes all frames of local memory: an SM that finds none is looked at again when one
 * comes back, on another SM. */
static void take_frames(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)self;
    (void)launch;
    while (wr_gpu_tb_take(gpu, stream, &take.waiting[take.count])) {
        for (uint32_t i = 0; i < take.count; i++) { /* each has its own */
            assert_int_not_equal(take.waiting[i].local_frame, take.waiting[take.count].local_frame);
        }
        take.count++;
    }
}

static void place_on_last(void *self, wr_gpu *gpu)
{
    wr_sm *sm = wr_gpu_sm(gpu, 1);
    (void)self;
    uint32_t slot =
        take.count != 0 ? wr_sm_tb_place(sm, &take.waiting[take.count - 1], NULL, 1) : UINT32_MAX;
    if (slot != UINT32_MAX) {
        wr_sm_tb_start(sm, slot);
        take.count--;
    }
}

static uint64_t while_some(void *self, uint64_t now)
{
    (void)self;
    return take.count != 0 ? now + 1 : UINT64_MAX;
}

static void look_frames(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_true(gpu->sms[0].stats.tbs_started > 10);
}

static void test_frames(void **state)
{
    static const wr_system_hooks hooks = {
        .launch_begin = take_frames, .gpu_cycle = place_on_last, .next_cycle = while_some};
    (void)state;
    memset(&take, 0, sizeof take);
    exchange_run(&(exchange_how){.hooks = &hooks, .look = look_frames, .sms = 2});
}

/* Meters: by stream and SM they add up to what the GPU counts, in the middle of a run and after. */
enum { LOOK_EVERY = 700 };
static struct {
    uint64_t looks, next, in_flight;
    wr_stream_meter last[2];
    uint64_t refused;
} meter;

static void add_up(wr_gpu *gpu)
{
    uint64_t by_stream = 0;
    uint64_t by_sm = 0;
    uint64_t lanes_by_stream = 0;
    uint64_t lanes_by_sm = 0;
    for (uint32_t s = 0; s < 2; s++) {
        wr_stream_meter m = wr_meter_stream(gpu, s);
        uint64_t issued = 0;
        assert_true(m.issued >= meter.last[s].issued && m.thread_insns >= m.issued);
        meter.last[s] = m;
        for (uint32_t i = 0; i < SMS; i++) {
            issued += wr_meter_issued(wr_gpu_sm(gpu, i), s);
            meter.in_flight += wr_meter_in_flight(wr_gpu_sm(gpu, i), s);
        }
        assert_int_equal(issued, m.issued);
        by_stream += issued;
        lanes_by_stream += m.thread_insns;
    }
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm_meter m = wr_meter_sm(wr_gpu_sm(gpu, i));
        uint64_t slots = 0;
        by_sm += wr_stats_issued(m.sum);
        lanes_by_sm += m.sum->thread_insns;
        for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
            slots += m.slots[0][u];
        }
        assert_int_equal(slots, m.cycles);
    }
    assert_int_equal(by_sm, by_stream);
    assert_int_equal(lanes_by_sm, lanes_by_stream);
    uint64_t accesses = 0;
    uint64_t of_streams = 0;
    for (uint32_t p = 0; p < wr_meter_partitions(gpu); p++) {
        wr_partition_meter m = wr_meter_partition(gpu, p);
        accesses += m.accesses;
        assert_int_equal(m.accesses, m.hits + m.misses + m.merges);
        for (uint32_t s = 0; s < WR_PACKET_STREAMS; s++) {
            wr_stream_traffic t = wr_meter_traffic(gpu, p, s);
            of_streams += t.accesses;
            assert_true(t.misses <= t.accesses);
            assert_true(s < 2 || t.accesses == 0);
        }
        meter.refused += m.fetch_refusals + m.reply_refusals;
    }
    assert_int_equal(accesses, of_streams);
}

/* Naively: operations of the stream that are taken, and queue entries without one. */
static void count_in_flight(wr_gpu *gpu)
{
    for (uint32_t i = 0; i < SMS; i++) {
        const wr_sm *sm = wr_gpu_sm(gpu, i);
        uint32_t want[2] = {0};
        for (uint32_t k = 0; k < WR_MEM_OPS; k++) {
            want[sm->ops[k].stream] += (sm->ops_used[k / 64] >> k % 64 & 1) != 0 ? 1 : 0;
        }
        for (uint32_t k = 0; k < sm->lsu_count; k++) {
            want[wr_lsu_entry_at(sm, k)->stream] += wr_lsu_entry_at(sm, k)->has_op ? 0 : 1;
        }
        assert_int_equal(want[0], wr_meter_in_flight(sm, 0));
        assert_int_equal(want[1], wr_meter_in_flight(sm, 1));
    }
}

/* After a run: what the GPU's own counters say. */
static void compare_totals(wr_gpu *gpu)
{
    wr_partition_meter sum = {0};
    wr_network_meter net = wr_meter_network(gpu);
    for (uint32_t p = 0; p < wr_meter_partitions(gpu); p++) {
        wr_partition_meter m = wr_meter_partition(gpu, p);
        sum.dram_reads += m.dram_reads;
        sum.dram_writes += m.dram_writes;
        sum.dram_busy += m.dram_busy;
        sum.write_backs += m.write_backs;
        sum.hits += m.hits;
        sum.misses += m.misses;
        sum.reply_flits += m.reply_flits;
        assert_true(m.dram_clocks > 0 && m.dram_busy < m.dram_clocks);
    }
    const wr_dram_config *d = &gpu->cfg.dram;
    uint64_t bytes = kit_stat(gpu, "dram.read_bytes") + kit_stat(gpu, "dram.write_bytes");
    assert_int_equal(sum.dram_reads, kit_stat(gpu, "dram.reads"));
    assert_int_equal(sum.dram_writes, kit_stat(gpu, "dram.writes"));
    assert_int_equal(sum.dram_busy, bytes / d->burst_bytes * d->burst_clocks);
    assert_int_equal(sum.write_backs, kit_stat(gpu, "l2.write_backs"));
    assert_int_equal(sum.hits, kit_stat(gpu, "l2.hits"));
    assert_int_equal(sum.misses, kit_stat(gpu, "l2.misses"));
    assert_int_equal(net.request_flits, kit_stat(gpu, "noc.request_flits"));
    assert_int_equal(net.reply_flits, kit_stat(gpu, "noc.reply_flits"));
    assert_int_equal(sum.reply_flits, net.reply_flits);
    assert_int_equal(net.request_links, gpu->cfg.l2.banks);
    assert_int_equal(net.reply_links, SMS);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm_meter m = wr_meter_sm(wr_gpu_sm(gpu, i));
        assert_int_equal(m.warps + m.lsu + m.misses + m.mshrs, 0);
        assert_int_equal(m.cycles, gpu->elapsed);
        sent += wr_meter_request_flits(gpu, i);
    }
    assert_int_equal(sent, net.request_flits);
}

static void meter_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    if (wr_gpu_cycle(gpu) >= meter.next) {
        add_up(gpu);
        count_in_flight(gpu);
        for (uint32_t i = 0; i < SMS; i++) {
            assert_int_equal(wr_meter_sm(wr_gpu_sm(gpu, i)).cycles, wr_gpu_cycle(gpu) + 1);
        }
        meter.looks++;
        meter.next += LOOK_EVERY;
    }
}

static uint64_t meter_next(void *self, uint64_t now)
{
    (void)self;
    return meter.next > now ? meter.next : now + 1;
}

/* `brief`: threads take their time on a busy machine. */
static uint64_t metered_run(uint32_t threads, bool no_skip, bool brief)
{
    static const wr_system_hooks hooks = {
        .gpu_cycle = meter_cycle, .next_cycle = meter_next, .reads_memory = true};
    memset(&meter, 0, sizeof meter);
    meter.next = LOOK_EVERY;
    plan_new(SMS);
    wr_gpu_free(plan.gpu);
    plan.cfg.l2.bytes /= 32; /* lines go and are written back */
    plan.gpu = wr_gpu_create(&plan.cfg);
    plan.out_base = wr_gpu_alloc(plan.gpu, OUT_WORDS * 4, 256);
    assert_true(wr_gpu_set_threads(plan.gpu, threads));
    plan.gpu->no_skip = no_skip;
    wr_gpu_attach(plan.gpu, &hooks);
    for (uint32_t s = 0; s < 2; s++) { /* loads that miss, and stores */
        step *k = plan_add(s, "traffic", 8, brief ? 6 : 60, 128);
        plan_prologue(&k->kernel);
        kit_add(&k->kernel, kit_imm(kit_op(WR_OP_SHL, WR_B32, 4, 0, RZ, RZ), 1, 5));
        kit_add(&k->kernel, kit_imm(kit_op(WR_OP_AND, WR_B32, 4, 4, RZ, RZ), 1, 0x1fff));
        kit_add(&k->kernel, kit_param(kit_op(WR_OP_ADD, WR_U32, 4, 4, RZ, RZ), 1, 0));
        kit_add(&k->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 5, 4, 0));
        kit_add(&k->kernel, kit_op(WR_OP_ADD, WR_U32, 5, 5, 0, RZ));
        plan_store_and_exit(&k->kernel, 5);
    }
    uint64_t cycles = plan_run_all();
    add_up(plan.gpu);
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(meter.last[s].issued, plan.steps[s].result.issued);
        assert_int_equal(meter.last[s].thread_insns, plan.steps[s].result.thread_insns);
        assert_int_equal(meter.last[s].launches, 1);
    }
    compare_totals(plan.gpu);
    assert_true(brief || kit_stat(plan.gpu, "dram.writes") > 10);
    assert_true(brief || (meter.looks >= 3 && meter.in_flight > 0));
    return cycles;
}

static void test_meters(void **state)
{
    (void)state;
    uint64_t cycles = metered_run(1, false, false);
    uint64_t refused = meter.refused;
    assert_true(refused > 0);
    assert_int_equal(cycles, metered_run(1, true, false)); /* skipped cycles are counted too */
    assert_int_equal(refused, meter.refused);
    cycles = metered_run(1, false, true);
    uint64_t looks = meter.looks;
    refused = meter.refused;
    assert_int_equal(cycles, metered_run(2, false, true));
    assert_int_equal(refused, meter.refused);
    assert_int_equal(looks, meter.looks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_close, plan_teardown),
        cmocka_unit_test_teardown(test_open_later, plan_teardown),
        cmocka_unit_test_teardown(test_choose_tb, plan_teardown),
        cmocka_unit_test_teardown(test_tb_events, plan_teardown),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_frames),
        cmocka_unit_test_teardown(test_meters, plan_teardown),
    };
    return cmocka_run_group_tests_name("launch seam", tests, NULL, NULL);
}
