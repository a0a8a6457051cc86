/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: the model against the oracle, every output in every cycle, driven by the block's
 * stimulus; and short stories of a launch, told as the list of what the machine is told. What every
 * block keeps is in tests/blocks/bench.h. */
#include "tests/blocks/unit_story.h"

#include <stdlib.h>
#include <string.h>

#include "testbench/stim.h"

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_unit_reset(&b->oracle);
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(pins_out *)out = story_cycle(bench_v, in);
}

/* Stories ------------------------------------------------------------------------------------ */

static void test_dispatcher(void **state)
{
    (void)state;
    story s;

    story_begin(&s);
    assert_int_equal(story_step(&s).state, WR_DUET_UNIT_TELL);
    story_place(&s, 0); /* while ME searches: told later */
    story_place(&s, 1);
    assert_true(story_step(&s).searching);
    assert_int_equal(story_step(&s).tbs, 0);
    pins_out o = story_steps(&s, 20);
    assert_true(!o.searching && o.mc == 2 && o.bound == 2 && o.tbs == 2 && o.level == 1);
    s.in.ended = 3;
    (void)story_step(&s);
    assert_int_equal(story_step(&s).tbs, 2);
    assert_int_equal(story_step(&s).tbs, 1); /* one a cycle */
    assert_int_equal(story_step(&s).tbs, 0);
    story_place(&s, 2);
    story_judge(&s, 0); /* waits until the TB is known */
    assert_true(!story_step(&s).extra && s.b.dut.me.tbs_q == 1);
    assert_true(story_steps(&s, 2).extra);
    s.in.most = 0;
    assert_false(story_step(&s).extra);
    s.in.most = 1;
    s.in.waiting = false;
    assert_false(story_step(&s).extra);
    s.in.waiting = true;
    s.in.start = true; /* a launch on which another follows: its TB is taken off first */
    assert_false(story_step(&s).extra);
    assert_int_equal(story_step(&s).tbs, 1);
    assert_int_equal(story_step(&s).tbs, 0);
    assert_true(story_step(&s).searching);
    story_is_told(&s, "");
    assert_false(s.b.dut.fault_q);
}

static void test_hand_over(void **state)
{
    (void)state;
    story s;

    story_engage(&s);
    s.in.most = 0; /* no more are launched */
    assert_int_equal(story_steps(&s, 80).state, WR_DUET_UNIT_RUN);
    story_is_told(&s, " asked 0@0 asked 1@4 asked 2@8 asked 3@c");
    s.in.find = true;
    s.in.find_id = 3;
    pins_out o = story_step(&s);
    assert_true(o.find_ack && o.find_valid && o.find_reg == 12 && o.find_meta == 0xc03);
    s.in.find_id = 4;
    assert_false(story_step(&s).find_valid);
}

static void test_exchange(void **state)
{
    (void)state;
    story s;

    story_extra(&s);
    assert_int_equal(s.b.dut.queues.warp_count_q[1], 2);
    s.in.memory = 2; /* warp 1 waits, and is not clear */
    (void)story_steps(&s, 10);
    story_is_told(&s, "");
    s.in.clear = 2;
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(story_step(&s).op, WR_ORACLE_SWITCH_NONE);
    }
    assert_int_equal(s.b.dut.csl.op_q, WR_ORACLE_SWITCH_EXCHANGE); /* in the fourth cycle */
    s.in.memory = 0; /* behind the decision it may go on: it is held */
    assert_int_equal(story_step(&s).hold, 2);
    s.in.free[4] = false;
    (void)story_steps(&s, 20);
    story_is_told(&s, " exchange 0@0 away 1@40 back 4@c01");
    s.in.free[1] = true; /* warp 1 has its data: it is ready behind warp 5 */
    (void)story_steps(&s, 12);
    assert_int_equal(s.b.dut.queues.warp_count_q[1], 2);
    s.in.memory = s.in.clear = 1;
    (void)story_steps(&s, 3);
    s.in.memory = 0;
    s.in.free[5] = false;
    (void)story_steps(&s, 30);
    story_is_told(&s, " exchange 0@0 away 0@41 back 5@c00");
}

/* A finished warp whose TB has an absent one gives its place back; TBs that end go, or hand over.
 */
static void test_ends(void **state)
{
    (void)state;
    story s;

    story_extra(&s);
    s.in.memory = s.in.clear = 2;
    (void)story_steps(&s, 3);
    s.in.memory = 0;
    s.in.free[4] = false;
    (void)story_steps(&s, 30);
    story_is_told(&s, " exchange 0@0 away 1@40 back 4@c01");
    s.in.done = 1; /* warp 0, and warp 1 is absent; warp 5 comes to its slot */
    while (strstr(s.text, "left") == NULL) {
        (void)story_step(&s);
    }
    s.in.done = 0;
    s.in.free[5] = false;
    (void)story_steps(&s, 20);
    story_is_told(&s, " left 0@0 in 0@0 back 5@c00");
    s.in.done = 12;
    s.in.ended = 2; /* TB 1, all of which is in place: another takes it as it is */
    (void)story_steps(&s, 12);
    s.in.done = 0;
    (void)story_steps(&s, 12);
    story_is_told(&s, " handed 1@fff enter 2@2 enter 3@3");
    s.in.done = 12;
    s.in.waiting = false;
    s.in.ended = 2;
    (void)story_steps(&s, 30);
    story_is_told(&s, " left 2@2 left 3@3 gone 1@fff");
    assert_int_equal(s.b.dut.me.tbs_q, 2);
}

static void test_native_again(void **state)
{
    (void)state;
    story s;

    story_engage(&s);
    s.in.most = 0;
    (void)story_steps(&s, 80);
    s.in.waiting = false;
    s.in.ended = 3;
    (void)story_step(&s);
    assert_int_equal(story_steps(&s, 30).state, WR_DUET_UNIT_RUN);
    assert_int_equal(story_steps(&s, 60).state, WR_DUET_UNIT_NATIVE);
    story_is_told(
        &s,
        " asked 0@0 asked 1@4 asked 2@8 asked 3@c left 0@0 left 1@1 gone 0@fff left 2@2 left 3@3"
        " gone 1@fff");
    assert_false(s.b.oracle.faulty);
}

/* The machine lowers its limit: a TB that ends is not followed by another. */
static void test_limit_lowered(void **state)
{
    (void)state;
    story s;

    for (unsigned most = 0; most < 2; most++) {
        story_extra(&s);
        s.in.most = (uint8_t)most;
        s.in.ended = 2;
        (void)story_steps(&s, 30);
        assert_int_equal(strstr(s.text, " handed 1@fff") != NULL, most);
        assert_int_equal(strstr(s.text, " gone 1@fff") != NULL, !most);
        assert_false(s.b.oracle.faulty);
    }
}

/* TBs of the launch before are not those of the next one. */
static void test_next_launch(void **state)
{
    (void)state;
    story s;

    story_begin(&s);
    (void)story_steps(&s, 20);
    story_place(&s, 0);
    story_place(&s, 1);
    (void)story_steps(&s, 3);
    s.in.start = true;
    (void)story_step(&s);
    s.in.ended = 1; /* of the new launch, though those of the old one are being taken off */
    assert_int_equal(story_step(&s).state, WR_DUET_UNIT_TELL);
    story_place(&s, 0);
    assert_true(story_steps(&s, 3).searching);
    while (story_step(&s).tbs == 0) { /* until it has come */
    }
    assert_int_equal(story_step(&s).tbs, 0);
    assert_true(story_steps(&s, 5).tbs == 0 && !s.b.oracle.faulty);

    /* A start in the cycle in which ME is told of the one before: ME is told again. */
    story_place(&s, 0);
    (void)story_steps(&s, 2);
    s.in.start = true;
    (void)story_step(&s);
    assert_int_equal(story_step(&s).tbs, 1);
    s.in.start = true;
    (void)story_step(&s);
    s.in.warps = 4;
    assert_true(story_step(&s).searching);
    s.in.warps = 1;
    assert_true(story_steps(&s, 20).mc == 1 && !s.b.oracle.faulty);

    /* 63 that have ended are counted, one more is a fault, but not in the cycle of a start. */
    for (unsigned more = 0; more < 3; more++) {
        story_begin(&s);
        s.in.ended = UINT32_MAX;
        (void)story_step(&s);
        s.in.ended = UINT32_MAX - 1;
        (void)story_step(&s);
        assert_false(story_step(&s).fault);
        s.in.ended = more != 0;
        s.in.start = more == 2;
        (void)story_step(&s);
        assert_int_equal(story_step(&s).fault, more == 1);
    }
}

/* TBs that end with the hand-over. One too many, and ME never knows of all: nothing is launched or
 * taken off, and the SM is not given back. */
static void test_ended_with_book(void **state)
{
    (void)state;
    story s;

    story_begin(&s);
    story_hand_over(&s, 1, 2);
    s.in.waiting = false;
    (void)story_steps(&s, 80);
    story_is_told(&s, " asked 2@8 asked 3@c");
    s.in.ended = 2;
    (void)story_steps(&s, 40);
    story_is_told(&s, " left 2@2 left 3@3 gone 1@fff");
    assert_true(story_step(&s).state == WR_DUET_UNIT_NATIVE && !s.b.oracle.faulty);

    story_begin(&s);
    story_hand_over(&s, 7, 3);
    s.in.waiting = false;
    pins_out o = story_steps(&s, 100);
    assert_true(o.state == WR_DUET_UNIT_RUN && o.tbs == 0 && o.job == 0);
    s.in.ended = 2;
    o = story_steps(&s, 100);
    assert_true(o.state == WR_DUET_UNIT_RUN && o.job == WR_OL_CLEAR && !o.fault);
}

/* A switch under way keeps the SM, though ME knows of no TB: the machine ends the TB that comes in.
 */
static void test_switch_keeps(void **state)
{
    (void)state;
    story s;
    pins_out o;
    unsigned kept = 0;

    story_prepare(&s, &story_small);
    s.in.limits = 1; /* registers move, a dozen lines a warp */
    s.in.regs = 16;
    s.in.lines = 12;
    s.in.tb_regs = 32;
    s.in.tb_reduced = 24;
    s.move_wait = 20;
    story_hand_over(&s, 3, 3);
    s.in.free[4] = true;
    while (s.b.oracle.queues.queue[WR_ORACLE_READY_WARPS].held == 0) {
        (void)story_step(&s);
    }
    s.in.waiting = false;
    s.in.memory = s.in.clear = 2;
    while (story_step(&s).op == 0) {
    }
    s.in.ended = 4;
    do {
        o = story_step(&s);
        kept += o.tbs == 0 && o.job == 0 && o.op != 0 && o.state == WR_DUET_UNIT_RUN;
    } while (o.op != 0);
    assert_true(kept > 4);
    assert_int_equal(story_step(&s).state, WR_DUET_UNIT_NATIVE);
}

/* Faults of parts that no other one sees: the unit shows them in the cycle after. */
static void test_faults_of_parts(void **state)
{
    (void)state;
    story s;

    /* The bitmap: a TB's lines are fewer than those of its warps, and are given back. */
    story_prepare(&s, &story_small);
    s.in.tb_regs = s.in.tb_reduced = 4;
    story_hand_over(&s, 0, 3);
    s.in.waiting = false;
    (void)story_steps(&s, 80);
    s.in.ended = 2;
    while (!s.b.oracle.faulty) {
        (void)story_step(&s);
    }
    assert_true(wr_oracle_bitmap_outputs(&s.b.oracle.map).fault && !s.b.oracle.launcher.fault);
    assert_true(story_step(&s).fault);

    /* The table of TBs: what is booked is there already. */
    story_begin(&s);
    story_hand_over(&s, 3, 3);
    s.in.waiting = false;
    assert_int_equal(story_steps(&s, 100).state, WR_DUET_UNIT_NATIVE);
    s.in.waiting = s.in.start = true;
    (void)story_steps(&s, 20);
    story_judge(&s, 0);
    (void)story_steps(&s, 3);
    s.in.book = true;
    while (!s.b.oracle.faulty) {
        (void)story_step(&s);
    }
    assert_true(s.b.oracle.tct.fault && !s.b.oracle.wct.fault);
    assert_true(story_step(&s).fault);
}

/* Level TB, shared memory limits: whole TBs change places, and the lines of shared memory move. */
static void test_whole_tbs(void **state)
{
    (void)state;
    wr_duet_unit_cfg cfg = story_small;
    story s;

    cfg.reg_units = 128;
    cfg.slots = 5; /* one that no TB has */
    story_prepare(&s, &cfg);
    s.in.limits = 4;
    s.in.smem = s.in.lines = 16;
    story_hand_over(&s, 0, 3);
    assert_int_equal(story_steps(&s, 150).level, 2);
    story_is_told(&s, " asked 0@0 asked 1@4 asked 2@8 asked 3@c extra 2@10 arrive 4@20 arrive 5@21"
                      " extra 3@2a arrive 6@3a arrive 7@3b");
    s.in.memory = s.in.clear = 1;
    (void)story_steps(&s, 20);
    s.in.memory = 3;
    (void)story_steps(&s, 20);
    story_is_told(&s, ""); /* the second warp is not clear */
    s.in.clear = 3;
    while (story_step(&s).op == 0) {
    }
    s.in.memory = s.in.clear = 0;
    const pins_out o = story_steps(&s, 70);
    assert_true(o.out_id == 0 && o.in_id == 2 && o.move_home == 128 && o.move_away == 16);
    story_is_told(&s, " exchange 0@0 away 0@20 back 4@c00 away 1@21 back 5@c01");
    assert_false(s.b.oracle.faulty);

    /* Who waits in a slot that nobody has is taken for warp 0, which is absent: that cannot stall.
     */
    s.in.memory = s.in.clear = 16;
    while (!s.b.oracle.faulty) {
        (void)story_step(&s);
    }
    assert_true(s.b.oracle.wct.fault && !s.b.oracle.csl.fault);
    assert_true(story_step(&s).fault);
}

/* Eight TBs wait in their queue, a ninth beside it: only that one could be taken off. */
static void test_tb_queue(void **state)
{
    (void)state;
    wr_duet_unit_cfg cfg = story_small;
    story s;

    cfg.reg_units = 512;
    cfg.warps = cfg.tbs = 16;
    cfg.slots = 2;
    story_prepare(&s, &cfg);
    s.in.limits = 4;
    s.in.warps = 1;
    s.in.regs = s.in.tb_regs = s.in.tb_reduced = s.in.meta = 1;
    s.in.smem = s.in.lines = 16;
    s.in.most = 9;
    story_hand_over(&s, 0, 3);
    assert_int_equal(story_steps(&s, 400).tbs, 11);
    s.in.ended = 1 << 9;
    for (unsigned n = 0; n < 20; n++) {
        assert_int_equal(story_step(&s).job, WR_OL_NONE);
    }
    assert_false(s.b.oracle.faulty);
    s.in.waiting = false;
    s.in.ended = 1 << 10;
    (void)story_steps(&s, 3);
    const pins_out o = story_step(&s);
    assert_true(o.job == WR_OL_CLEAR && o.tb == 10);
}

/* A verdict that comes while a TB is being launched is told behind it. */
static void test_verdict_waits(void **state)
{
    (void)state;
    story s;
    pins_out o;
    unsigned waited = 0;

    story_engage(&s);
    while (story_step(&s).job != WR_OL_EXTRA) {
    }
    story_judge(&s, 2); /* saturated: ME rises no more, and falls to what was safe */
    while ((o = story_step(&s)).job == WR_OL_EXTRA) {
        assert_int_equal(o.me, 2);
        waited += o.tbs == 3;
    }
    assert_true(waited == 4 && o.me == 2);
    assert_true(story_step(&s).me == 0);
    story_judge(&s, 0); /* nor does it for an underutilised SM */
    (void)story_steps(&s, 100);
    assert_true(s.b.oracle.me.tbs == 3 && story_step(&s).me == 0);
    s.in.ended = 3; /* one is more than ME allows: it is followed by nobody, the other one is */
    (void)story_steps(&s, 40);
    assert_non_null(strstr(s.text, " gone 0@fff handed 1@fff enter 2@2 enter 3@3"));
    assert_false(s.b.oracle.faulty);
}

/* A warp that waits leaves for a TB that could be launched, but only within the machine's limit. */
static void test_leaves_for_a_launch(void **state)
{
    (void)state;
    story s;

    for (unsigned more = 0; more < 2; more++) {
        story_engage(&s);
        s.in.most = 1;
        (void)story_steps(&s, 160);
        s.in.free[4] = true; /* warp 5 is not ready */
        (void)story_steps(&s, 12);
        s.text[0] = '\0';
        s.in.most = 0; /* TB 1 ends, and goes */
        s.in.ended = 2;
        s.in.memory = s.in.clear = 1;
        s.in.find = true; /* keeps the scanner from the tables until a slot is free */
        while (!story_step(&s).left) {
        }
        s.in.find = false;
        s.in.most = (uint8_t)(1 + more); /* TB 1 is still counted */
        (void)story_steps(&s, 6);
        s.in.free[4] = false;
        (void)story_steps(&s, 30);
        /* Warp 4 comes into the slot, and while it does, warp 0 has come to the queue. */
        assert_int_equal(strstr(s.text, " out 0@0") != NULL, more);
        assert_int_equal(strstr(s.text, " back 0@0") != NULL, !more);
        assert_false(s.b.oracle.faulty);
    }
}

/* The tables: who asks later waits. */
static void test_tables(void **state)
{
    (void)state;
    story s;

    story_extra(&s);
    s.in.memory = s.in.clear = 2;
    s.in.find = true; /* keeps the scanner from them */
    for (unsigned n = 0; n < 20; n++) {
        const pins_out o = story_step(&s);
        assert_true(o.find_ack && o.entry_op == 0);
    }
    s.in.find = false;
    (void)story_steps(&s, 2);
    s.in.find = true;
    unsigned kept = 0;
    for (unsigned n = 0; n < 20; n++) {
        kept += !story_step(&s).find_ack;
    }
    assert_int_equal(kept, 2 + 5 + 2); /* of an exchange: read_*; per warp, with meta; mask_* */
}

static void test_faults(void **state)
{
    (void)state;
    story s;

    for (unsigned kind = 0; kind < 5; kind++) {
        story_engage(&s);
        (void)story_steps(&s, 2);
        assert_false(story_step(&s).fault);
        s.in.start = kind == 0;
        s.in.book = kind == 1;
        s.in.placed = kind == 2;
        if (kind == 3) { /* 64 that ME is not told of */
            story_begin(&s);
            s.in.ended = UINT32_MAX;
            (void)story_step(&s);
            s.in.ended = UINT32_MAX;
            (void)story_step(&s);
            assert_true(story_step(&s).fault);
            continue;
        }
        (void)story_step(&s);
        assert_int_equal(story_step(&s).fault, kind < 3);
    }
}

/* Traffic ------------------------------------------------------------------------------------ */

/* The stimulus; seeds that are odd keep the protocol. */
static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    const wr_stim *stim = wr_stim_find("duet_unit");
    uint8_t *s = calloc(1, stim->state_size);
    pins_out out = {0};

    assert_non_null(s);
    wr_bench_reset(&wr_duet_unit_bench, b);
    stim->init(s, &b->oracle.cfg, 2 * wr_rig_below(&b->rig, 1000) + !with_faults, false);
    for (unsigned n = 0; n < cycles; n++) {
        pins_in in = {0};

        wr_rig_next_cycle(&b->rig);
        stim->next(s, n, &out, &in);
        out = story_cycle(b, &in);
    }
    free(s);
}

static const wr_duet_unit_cfg configs[] = {
    {64, 32, 16, 8, 4, 4, 1},
    {2048, 768, 256, 128, 32, 64, 2},
    {152, 56, 24, 37, 11, 21, 4},
    {8, 8, 8, 1, 1, 1, 1},
};
static const wr_duet_unit_cfg refused[] = {
    {60, 32, 16, 8, 4, 4, 1},
    {64, 32, 12, 8, 4, 4, 1},
    {64, 32, 16, 3, 4, 4, 1},
    {2048, 1016, 16, 128, 4, 4, 1},
};
enum {
    CONFIGS = sizeof configs / sizeof configs[0],
    REFUSED = sizeof refused / sizeof refused[0],
};

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    bench sum = {0};

    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 5; k++) {
            sum.states[k] += b[i].states[k];
            sum.ops[k] += b[i].ops[k];
        }
        for (unsigned k = 0; k < 3; k++) {
            sum.placed[k] += b[i].placed[k];
        }
        sum.returned += b[i].returned;
        sum.found += b[i].found;
    }
    for (unsigned k = 0; k < 5; k++) {
        assert_true(sum.states[k] > 0 && sum.ops[k] > 0);
    }
    assert_true(sum.placed[0] > 0 && sum.placed[1] > 0 && sum.placed[2] > 0);
    assert_true(sum.returned > 0 && sum.found > 0);
}

const wr_bench wr_duet_unit_bench = {
    .block = &wr_duet_unit_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, oracle.cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.faulty),
           .transactions = offsetof(bench, begun)},
    .configs = {configs, CONFIGS},
    .refused = {refused, REFUSED},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 20000, .faulty = 10000},
    .snapshot = {.before = 600, .after = 600},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_dispatcher),    cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_exchange),      cmocka_unit_test(test_ends),
        cmocka_unit_test(test_native_again),  cmocka_unit_test(test_tables),
        cmocka_unit_test(test_faults),        cmocka_unit_test(test_limit_lowered),
        cmocka_unit_test(test_next_launch),   cmocka_unit_test(test_ended_with_book),
        cmocka_unit_test(test_switch_keeps),  cmocka_unit_test(test_faults_of_parts),
        cmocka_unit_test(test_whole_tbs),     cmocka_unit_test(test_tb_queue),
        cmocka_unit_test(test_verdict_waits), cmocka_unit_test(test_leaves_for_a_launch),
    };
    return wr_bench_main(&wr_duet_unit_bench, own, sizeof own / sizeof own[0]);
}
