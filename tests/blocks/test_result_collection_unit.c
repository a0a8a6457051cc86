/* SPDX-License-Identifier: Apache-2.0 */
/* result_collection_unit: the model against the oracle in every cycle on every output, under random
 * instructions, returns and protocol faults; the example of Gong 5.3.3 and 5.3.4 (I4 and I6 behind
 * the stall point I3) and the branches of the fetch logic of Fig. 5.8 as exact values.
 */
#include "dpi/gen/result_collection_unit_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/result_collection_unit_oracle.h"

enum { NORMAL, WAIT, SKIP, COPY, BRANCH, ACTIONS };

typedef struct bench {
    wr_rig rig;
    wr_result_collection_unit_cfg cfg;
    wr_result_collection_unit dut;
    wr_oracle_rcu oracle;
    bool hint; /* mode of the random traffic */
    uint64_t allocs;
    uint64_t deps;
    uint64_t acted[ACTIONS]; /* with fetch */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->oracle = (wr_oracle_rcu){.depth = b->cfg.depth, .srcs = b->cfg.srcs};
}

static const wr_result_collection_unit_cfg configs[] = {
    {.depth = 2, .srcs = 1},  {.depth = 8, .srcs = 3}, {.depth = 5, .srcs = 2},
    {.depth = 16, .srcs = 4}, {.depth = 3, .srcs = 4}, {.depth = 15, .srcs = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static wr_oracle_rcu_in oracle_in(const wr_result_collection_unit_in *in)
{
    wr_oracle_rcu_in o = {
        .clear = in->clear,
        .hint = in->hint,
        .alloc = in->alloc,
        .with = {.offset = in->offset < 256 ? in->offset : in->offset - 512,
                 .dst = in->dst,
                 .renamed = in->renamed,
                 .control = in->control},
        .done = in->done,
        .done_id = in->done_id,
        .fetch = in->fetch,
        .pc = in->pc,
        .base = in->base,
    };
    for (unsigned s = 0; s < WR_ORACLE_RCU_SRCS; s++) {
        o.src_used[s] = in->src_used[s];
        o.src[s] = in->src[s];
    }
    return o;
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_result_collection_unit_out cycle(bench *b, const wr_result_collection_unit_in *in)
{
    const wr_oracle_rcu *o = &b->oracle;
    const wr_oracle_rcu_in step = oracle_in(in);
    wr_result_collection_unit_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "full", out.full, o->held == o->depth);
    wr_rig_check(&b->rig, "empty", out.empty, o->held == 0);
    wr_rig_check(&b->rig, "count", out.count, o->held);
    wr_rig_check(&b->rig, "id", out.id, o->next);
    wr_rig_check(&b->rig, "dep", out.dep, wr_oracle_rcu_dep(o, &step));
    wr_rig_check(&b->rig, "action", out.action, wr_oracle_rcu_act(o, &step));
    wr_rig_check(&b->rig, "copy_from", out.copy_from, o->held > 0 ? o->list[0].renamed : 0);
    wr_rig_check(&b->rig, "copy_to", out.copy_to, o->held > 0 ? o->list[0].dst : 0);
    wr_rig_check(&b->rig, "fault", out.fault, o->fault);

    b->allocs += in->alloc;
    b->deps += out.dep;
    b->acted[out.action] += in->fetch;
    wr_oracle_rcu_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_result_collection_unit_out *)out = cycle(bench_v, in);
}

static wr_result_collection_unit_in hinted(int offset, unsigned dst, unsigned renamed)
{
    return (wr_result_collection_unit_in){.hint = true,
                                          .alloc = true,
                                          .offset = (uint16_t)(offset & 511),
                                          .dst = (uint8_t)dst,
                                          .renamed = (uint8_t)renamed};
}

static void finish(bench *b, unsigned id)
{
    const wr_result_collection_unit_in in = {.hint = true, .done = true, .done_id = (uint8_t)id};
    cycle(b, &in);
}

static unsigned fetch(bench *b, uint32_t pc, uint32_t base)
{
    const wr_result_collection_unit_in in = {.fetch = true, .pc = pc, .base = base};
    return cycle(b, &in).action;
}

/* Experiment 1: I3 stalls; I4 (writes r4) and I6 (reads r4, writes r5) run in hint mode, neither
 * renamed. I6 may go when I4 is complete. Back in order, both are skipped. */
static void test_paper_example(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_result_collection_unit_in in = hinted(4 - 3, 4, 4);
    assert_int_equal(cycle(&b, &in).id, 0);
    in = hinted(6 - 3, 5, 5);
    in.alloc = false;
    in.src_used[0] = true;
    in.src[0] = 4;
    assert_true(cycle(&b, &in).dep);
    finish(&b, 0);
    in.alloc = true;
    wr_result_collection_unit_out out = cycle(&b, &in);
    assert_false(out.dep);
    assert_int_equal(out.id, 1);
    finish(&b, 1);
    assert_int_equal(fetch(&b, 3, 3), NORMAL);
    assert_int_equal(fetch(&b, 4, 3), SKIP);
    assert_int_equal(fetch(&b, 5, 3), NORMAL);
    assert_int_equal(fetch(&b, 6, 3), SKIP);
    out = cycle(&b, &(wr_result_collection_unit_in){.hint = false});
    assert_true(out.empty);
    assert_false(out.fault);
}

/* v5 runs, s5 is younger and ready: a reader of v5 waits. Then it is the other way round. */
static void test_scalar_and_vector(void **state)
{
    (void)state;
    for (unsigned first_ready = 0; first_ready < 2; first_ready++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        wr_result_collection_unit_in in = hinted(1, 5, 5);
        cycle(&b, &in);
        in = hinted(2, 5, 6);
        cycle(&b, &in);
        in = (wr_result_collection_unit_in){.hint = true, .src_used = {true}, .src = {5}};
        assert_true(cycle(&b, &in).dep);
        finish(&b, first_ready ? 0 : 1);
        assert_true(cycle(&b, &in).dep);
        finish(&b, first_ready);
        assert_false(cycle(&b, &in).dep);
    }
}

/* Fig. 5.8: the head's place, its result, where that was written; a branch runs again. */
static void test_fetch_logic(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    const uint32_t base = 17; /* Fig. 5.1: I19, I20 and round to I1 and I2 */
    wr_result_collection_unit_in in = hinted(19 - 17, 7, 200);
    cycle(&b, &in);
    in = hinted(20 - 17, 0, 0);
    in.control = true;
    cycle(&b, &in);
    in = hinted(1 - 17, 1, 1);
    cycle(&b, &in);
    finish(&b, 1);
    finish(&b, 2);
    assert_int_equal(fetch(&b, 18, base), NORMAL);
    assert_int_equal(fetch(&b, 19, base), WAIT);   /* not written yet */
    assert_int_equal(fetch(&b, 20, base), NORMAL); /* the head alone is compared */
    finish(&b, 0);
    wr_result_collection_unit_in look = {.pc = 19, .base = base};
    wr_result_collection_unit_out out = cycle(&b, &look);
    assert_int_equal(out.action, COPY);
    assert_int_equal(out.copy_from, 200);
    assert_int_equal(out.copy_to, 7);
    assert_int_equal(cycle(&b, &look).action, COPY); /* without fetch it stays */
    assert_int_equal(fetch(&b, 19, base), COPY);
    assert_int_equal(fetch(&b, 19, base), NORMAL);
    assert_int_equal(fetch(&b, 20, base), BRANCH);
    assert_int_equal(fetch(&b, 1, base), SKIP);
    out = cycle(&b, &look);
    assert_true(out.empty);
    assert_int_equal(out.copy_from, 0);
    assert_false(out.fault);
}

/* 9-bit offsets: -256 to 255, modulo 2^32. */
static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        int offset;
        uint32_t base;
        uint32_t pc;
    } cases[] = {
        {255, 1000, 1255},
        {-256, 1000, 744},
        {-1, 0, 0xffffffff},
        {255, 0xffffff80, 0x7f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        const wr_result_collection_unit_in in = hinted(cases[i].offset, 3, 3);
        cycle(&b, &in);
        finish(&b, 0);
        assert_int_equal(fetch(&b, cases[i].pc + 512, cases[i].base), NORMAL);
        assert_int_equal(fetch(&b, cases[i].pc, cases[i].base), SKIP);
    }
}

/* Eight entries; what is too much is dropped; numbers wrap. */
static void test_full(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned n = 0; n < 8; n++) {
        const wr_result_collection_unit_in in = hinted((int)n, n, n);
        const wr_result_collection_unit_out out = cycle(&b, &in);
        assert_int_equal(out.id, n);
        assert_int_equal(out.count, n);
        assert_false(out.full);
    }
    wr_result_collection_unit_in in = {.hint = true};
    assert_true(cycle(&b, &in).full);
    finish(&b, 0);
    assert_int_equal(fetch(&b, 50, 50), SKIP);
    in = hinted(9, 9, 9);
    assert_int_equal(cycle(&b, &in).id, 0);
    assert_false(cycle(&b, &in).fault); /* full again: dropped */
    in = (wr_result_collection_unit_in){.hint = true};
    const wr_result_collection_unit_out out = cycle(&b, &in);
    assert_true(out.fault);
    assert_int_equal(out.count, 8);
    assert_int_equal(out.id, 1);
}

static void check_fault(wr_result_collection_unit_in in, bool want)
{
    const wr_result_collection_unit_in idle = {0};
    for (unsigned clear = 0; clear < 2; clear++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[2]); /* depth 5 */
        wr_result_collection_unit_in first = hinted(1, 10, 11);
        cycle(&b, &first);
        first = hinted(2, 12, 12);
        cycle(&b, &first);
        finish(&b, 1);
        in.clear = clear == 1;
        assert_false(cycle(&b, &in).fault);
        const wr_result_collection_unit_out out = cycle(&b, &idle);
        assert_int_equal(out.fault, want && !in.clear);
        assert_int_equal(out.empty, in.clear);
        if (in.clear) {
            assert_int_equal(out.id, 0);
        }
        wr_bench_reset(&self, &b);
        assert_false(cycle(&b, &idle).fault);
    }
}

static void test_faults(void **state)
{
    (void)state;
    wr_result_collection_unit_in in = hinted(3, 13, 13);
    check_fault(in, false);
    in.src_used[0] = true;
    in.src[0] = 12; /* ready */
    check_fault(in, false);
    in.src[0] = 10; /* not ready */
    check_fault(in, true);
    in.src_used[0] = false;
    in.hint = false;
    check_fault(in, true);
    check_fault((wr_result_collection_unit_in){.hint = true, .fetch = true}, true);
    check_fault((wr_result_collection_unit_in){.fetch = true}, false);
    check_fault((wr_result_collection_unit_in){.done = true, .done_id = 0}, false);
    check_fault((wr_result_collection_unit_in){.done = true, .done_id = 1}, true);
    check_fault((wr_result_collection_unit_in){.done = true, .done_id = 2}, true);
    check_fault((wr_result_collection_unit_in){.done = true, .done_id = 5}, true);
    check_fault((wr_result_collection_unit_in){.done = true, .done_id = 15}, true);
}

static wr_result_collection_unit_in random_in(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    const wr_oracle_rcu *o = &b->oracle;
    const unsigned registers = 6;
    wr_result_collection_unit_in in = {.clear = wr_rig_below(rig, 150) == 0,
                                       .offset = (uint16_t)wr_rig_below(rig, 512),
                                       .dst = (uint8_t)wr_rig_below(rig, registers),
                                       .control = wr_rig_chance(rig, 20),
                                       .done_id = (uint8_t)wr_rig_below(rig, 16),
                                       .pc = (uint32_t)wr_rig_random(rig),
                                       .base = wr_rig_chance(rig, 20) ? 3 : 1000};
    if (wr_rig_below(rig, 25) == 0) {
        b->hint = !b->hint;
    }
    in.hint = b->hint;
    in.renamed = wr_rig_chance(rig, 50) ? in.dst : (uint8_t)wr_rig_below(rig, 256);
    for (unsigned s = 0; s < b->cfg.srcs; s++) {
        in.src_used[s] = wr_rig_chance(rig, 40);
        in.src[s] = (uint8_t)wr_rig_below(rig, registers);
    }
    const bool blind = with_faults && wr_rig_chance(rig, 5);
    if (o->held > 0 && wr_rig_chance(rig, 80)) {
        in.pc = in.base + (uint32_t)o->list[wr_rig_below(rig, 4) == 0 ? o->held - 1 : 0].offset;
    }
    if (o->held > 0 && wr_rig_takes(rig)) {
        const wr_oracle_rcu_entry *e = &o->list[wr_rig_below(rig, o->held)];
        in.done_id = blind ? in.done_id : (uint8_t)e->number;
        in.done = blind || !e->ready;
    }
    const wr_oracle_rcu_in step = oracle_in(&in);
    const bool room = in.hint && o->held < o->depth && !wr_oracle_rcu_dep(o, &step);
    in.alloc = wr_rig_offers(rig) && (blind || room);
    in.fetch = wr_rig_offers(rig) && (blind || !in.hint);
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_result_collection_unit_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned a = 0; a < ACTIONS; a++) {
        assert_true(b->acted[a] > 10);
    }
    assert_true(b->deps > 100);
}

static const wr_bench self = {
    .block = &wr_result_collection_unit_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, allocs)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 15000, .faulty = 1000, .rounds = 10},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_paper_example), cmocka_unit_test(test_scalar_and_vector),
        cmocka_unit_test(test_fetch_logic),   cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_full),          cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
