/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: the model against the oracle, every output in every cycle, driven by the block's
 * stimulus; and short stories of a launch, told as the list of what the machine is told. What every
 * block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/duet_unit_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testbench/stim.h"
#include "tests/blocks/bench.h"
#include "tests/oracle/duet_unit_oracle.h"

typedef wr_duet_unit_in pins_in;
typedef wr_duet_unit_out pins_out;

typedef struct bench {
    wr_rig rig;
    wr_duet_unit dut;
    wr_oracle_unit oracle;
    uint64_t states[5], ops[5], placed[3], returned, found, begun;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_unit_reset(&b->oracle);
}

/* Settles and checks all outputs, then clocks both sides. */
static pins_out cycle(bench *b, const pins_in *in)
{
    const wr_block_desc *block = &wr_duet_unit_block;
    pins_out out;
    pins_out want;

    wr_bench_settle(&self, b, in, &out);
    wr_oracle_unit_output(&b->oracle, in, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        wr_rig_check(&b->rig, block->pins[p].name, wr_pin_value(&block->pins[p], &out, 0),
                     wr_pin_value(&block->pins[p], &want, 0));
    }
    b->states[out.state % 5]++;
    b->ops[out.op % 5]++;
    b->placed[out.kind % 3] += out.place && in->place_ok;
    b->returned += out.back;
    b->found += out.find_ack && out.find_valid;
    b->begun += in->start;
    wr_oracle_unit_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(pins_out *)out = cycle(bench_v, in);
}

/* Stories ------------------------------------------------------------------------------------ */

static const wr_duet_unit_cfg small = {.reg_units = 64,
                                       .smem_units = 32,
                                       .l1_units = 16,
                                       .warps = 8,
                                       .tbs = 4,
                                       .slots = 4,
                                       .st_lines = 1,
                                       .port_bytes = 128};

typedef struct story {
    bench b;
    pins_in in;
    char text[3000];
} story;

static void say(story *s, const char *what, unsigned a, unsigned at)
{
    const size_t n = strlen(s->text);
    (void)snprintf(s->text + n, sizeof s->text - n, " %s %u@%x", what, a, at);
}

/* One cycle, and what the machine is told in it. Pulses are over behind it. */
static pins_out step(story *s)
{
    static const char *const kinds[] = {"native", "extra", "handed"};
    static const char *const ops[] = {"", "out", "in", "exchange", "back"};
    pins_in *in = &s->in;
    const uint8_t op = s->b.dut.csl.op_q;

    in->ask_slot = s->b.dut.launcher.warp_q & 3u; /* warp w is in slot w */
    const pins_out o = cycle(&s->b, in);
    if (o.ask && o.entry_op == 1) {
        say(s, "asked", o.warp, o.row);
    }
    if (o.place) {
        say(s, kinds[o.kind], o.tb, o.smem);
    }
    if (o.enter) {
        say(s, "enter", o.warp, o.slot);
    }
    if (o.arrive) {
        say(s, "arrive", o.warp, o.meta);
    }
    if (o.left) {
        say(s, "left", o.warp, o.slot);
    }
    if (o.gone) {
        say(s, "gone", o.tb, o.smem);
    }
    if (o.away) {
        say(s, "away", o.moved_id, o.moved_meta);
    }
    if (o.back) {
        say(s, "back", o.moved_id, o.moved_meta);
    }
    if (s->b.dut.csl.op_q != op && s->b.dut.csl.op_q != 0) {
        say(s, ops[s->b.dut.csl.op_q], 0, 0);
    }
    in->start = in->placed = in->book = in->valid = false;
    in->ended = 0;
    in->woken = 0;
    return o;
}

static pins_out steps(story *s, unsigned n)
{
    pins_out o = {0};
    for (; n > 0; n--) {
        o = step(s);
    }
    return o;
}

static void is_told(story *s, const char *want)
{
    assert_string_equal(s->text, want);
    s->text[0] = '\0';
}

/* A launch of TBs of two warps: two fit into the slots, two more into the tables. */
static void begin(story *s)
{
    memset(s, 0, sizeof *s);
    wr_bench_init(&self, &s->b, 1, &small);
    s->in = (pins_in){.limits = 2,
                      .warps = 2,
                      .regs = 4,
                      .tb_regs = 8,
                      .tb_reduced = 8,
                      .meta = 2,
                      .most = 63,
                      .waiting = true,
                      .place_ok = true,
                      .start = true};
    (void)step(s);
}

static void place(story *s, unsigned tb)
{
    s->in.placed = true;
    s->in.placed_tb = (uint8_t)tb;
    (void)step(s);
}

static void judge(story *s, unsigned verdict)
{
    s->in.valid = true;
    s->in.verdict = (uint8_t)verdict;
    (void)step(s);
}

/* TBs 0 and 1 are there, and ME allows two more. */
static void engage(story *s)
{
    begin(s);
    (void)steps(s, 20);
    place(s, 0);
    place(s, 1);
    judge(s, 0);
    assert_true(steps(s, 4).extra);
    s->in.here = 3;
    s->in.book = true;
    (void)step(s);
}

static void test_dispatcher(void **state)
{
    (void)state;
    story s;

    begin(&s);
    assert_int_equal(step(&s).state, WR_DUET_UNIT_TELL);
    place(&s, 0); /* while ME searches: told later */
    place(&s, 1);
    assert_true(step(&s).searching);
    assert_int_equal(step(&s).tbs, 0);
    pins_out o = steps(&s, 20);
    assert_true(!o.searching && o.mc == 2 && o.bound == 2 && o.tbs == 2 && o.level == 1);
    s.in.ended = 3;
    (void)step(&s);
    assert_int_equal(step(&s).tbs, 2);
    assert_int_equal(step(&s).tbs, 1); /* one a cycle */
    assert_int_equal(step(&s).tbs, 0);
    place(&s, 2);
    judge(&s, 0); /* waits until the TB is known */
    assert_true(!step(&s).extra && s.b.dut.me.tbs_q == 1);
    assert_true(steps(&s, 2).extra);
    s.in.most = 0;
    assert_false(step(&s).extra);
    s.in.most = 1;
    s.in.waiting = false;
    assert_false(step(&s).extra);
    s.in.waiting = true;
    s.in.start = true; /* a launch on which another follows: its TB is taken off first */
    assert_false(step(&s).extra);
    assert_int_equal(step(&s).tbs, 1);
    assert_int_equal(step(&s).tbs, 0);
    assert_true(step(&s).searching);
    is_told(&s, "");
    assert_false(s.b.dut.fault_q);
}

static void test_hand_over(void **state)
{
    (void)state;
    story s;

    engage(&s);
    s.in.most = 0; /* no more are launched */
    assert_int_equal(steps(&s, 80).state, WR_DUET_UNIT_RUN);
    is_told(&s, " asked 0@0 asked 1@4 asked 2@8 asked 3@c");
    s.in.find = true;
    s.in.find_id = 3;
    pins_out o = step(&s);
    assert_true(o.find_ack && o.find_valid && o.find_reg == 12 && o.find_meta == 0xc03);
    s.in.find_id = 4;
    assert_false(step(&s).find_valid);
}

/* Runs until the first extra TB has arrived. */
static void extra(story *s)
{
    engage(s);
    s->in.most = 1;
    (void)steps(s, 160);
    is_told(s, " asked 0@0 asked 1@4 asked 2@8 asked 3@c extra 2@fff arrive 4@40 arrive 5@41");
    s->in.free[4] = s->in.free[5] = true;
    (void)steps(s, 12);
}

static void test_exchange(void **state)
{
    (void)state;
    story s;

    extra(&s);
    assert_int_equal(s.b.dut.queues.warp_count_q[1], 2);
    s.in.memory = 2; /* warp 1 waits, and is not clear */
    (void)steps(&s, 10);
    is_told(&s, "");
    s.in.clear = 2;
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(step(&s).op, WR_ORACLE_SWITCH_NONE);
    }
    assert_int_equal(s.b.dut.csl.op_q, WR_ORACLE_SWITCH_EXCHANGE); /* in the fourth cycle */
    s.in.memory = 0; /* behind the decision it may go on: it is held */
    assert_int_equal(step(&s).hold, 2);
    s.in.free[4] = false;
    (void)steps(&s, 20);
    is_told(&s, " exchange 0@0 away 1@40 back 4@c01");
    s.in.free[1] = true; /* warp 1 has its data: it is ready behind warp 5 */
    (void)steps(&s, 12);
    assert_int_equal(s.b.dut.queues.warp_count_q[1], 2);
    s.in.memory = s.in.clear = 1;
    (void)steps(&s, 3);
    s.in.memory = 0;
    s.in.free[5] = false;
    (void)steps(&s, 30);
    is_told(&s, " exchange 0@0 away 0@41 back 5@c00");
}

/* A finished warp whose TB has an absent one gives its place back; TBs that end go, or hand over.
 */
static void test_ends(void **state)
{
    (void)state;
    story s;

    extra(&s);
    s.in.memory = s.in.clear = 2;
    (void)steps(&s, 3);
    s.in.memory = 0;
    s.in.free[4] = false;
    (void)steps(&s, 30);
    is_told(&s, " exchange 0@0 away 1@40 back 4@c01");
    s.in.done = 1; /* warp 0, and warp 1 is absent; warp 5 comes to its slot */
    while (strstr(s.text, "left") == NULL) {
        (void)step(&s);
    }
    s.in.done = 0;
    s.in.free[5] = false;
    (void)steps(&s, 20);
    is_told(&s, " left 0@0 in 0@0 back 5@c00");
    s.in.done = 12;
    s.in.ended = 2; /* TB 1, all of which is in place: another takes it as it is */
    (void)steps(&s, 12);
    s.in.done = 0;
    (void)steps(&s, 12);
    is_told(&s, " handed 1@fff enter 2@2 enter 3@3");
    s.in.done = 12;
    s.in.waiting = false;
    s.in.ended = 2;
    (void)steps(&s, 30);
    is_told(&s, " left 2@2 left 3@3 gone 1@fff");
    assert_int_equal(s.b.dut.me.tbs_q, 2);
}

static void test_native_again(void **state)
{
    (void)state;
    story s;

    engage(&s);
    s.in.most = 0;
    (void)steps(&s, 80);
    s.in.waiting = false;
    s.in.ended = 3;
    (void)step(&s);
    assert_int_equal(steps(&s, 30).state, WR_DUET_UNIT_RUN);
    assert_int_equal(steps(&s, 60).state, WR_DUET_UNIT_NATIVE);
    is_told(
        &s,
        " asked 0@0 asked 1@4 asked 2@8 asked 3@c left 0@0 left 1@1 gone 0@fff left 2@2 left 3@3"
        " gone 1@fff");
    assert_false(s.b.oracle.faulty);
}

/* The tables: who asks later waits. */
static void test_tables(void **state)
{
    (void)state;
    story s;

    extra(&s);
    s.in.memory = s.in.clear = 2;
    s.in.find = true; /* keeps the scanner from them */
    for (unsigned n = 0; n < 20; n++) {
        const pins_out o = step(&s);
        assert_true(o.find_ack && o.entry_op == 0);
    }
    s.in.find = false;
    (void)steps(&s, 2);
    s.in.find = true;
    unsigned kept = 0;
    for (unsigned n = 0; n < 20; n++) {
        kept += !step(&s).find_ack;
    }
    assert_int_equal(kept, 2 + 4 + 2); /* of an exchange: read_*; per warp; mask_* */
}

static void test_faults(void **state)
{
    (void)state;
    story s;

    for (unsigned kind = 0; kind < 5; kind++) {
        engage(&s);
        (void)steps(&s, 2);
        assert_false(step(&s).fault);
        s.in.start = kind == 0;
        s.in.book = kind == 1;
        s.in.placed = kind == 2;
        if (kind == 3) { /* 64 that ME is not told of */
            begin(&s);
            s.in.ended = UINT32_MAX;
            (void)step(&s);
            s.in.ended = UINT32_MAX;
            (void)step(&s);
            assert_true(step(&s).fault);
            continue;
        }
        (void)step(&s);
        assert_int_equal(step(&s).fault, kind < 3);
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
    wr_bench_reset(&self, b);
    stim->init(s, &b->oracle.cfg, 2 * wr_rig_below(&b->rig, 1000) + !with_faults, false);
    for (unsigned n = 0; n < cycles; n++) {
        pins_in in = {0};

        wr_rig_next_cycle(&b->rig);
        stim->next(s, n, &out, &in);
        out = cycle(b, &in);
    }
    free(s);
}

static const wr_duet_unit_cfg configs[] = {
    {64, 32, 16, 8, 4, 4, 1, 128},
    {2048, 768, 256, 128, 32, 64, 2, 128},
    {152, 56, 24, 37, 11, 21, 4, 256},
    {8, 8, 8, 1, 1, 1, 1, 64},
};
static const wr_duet_unit_cfg refused[] = {
    {60, 32, 16, 8, 4, 4, 1, 128},       {64, 32, 12, 8, 4, 4, 1, 128},
    {64, 32, 16, 3, 4, 4, 1, 128},       {64, 32, 16, 8, 4, 4, 1, 96},
    {2048, 1016, 16, 128, 4, 4, 1, 128},
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

static const wr_bench self = {
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
        cmocka_unit_test(test_dispatcher),   cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_exchange),     cmocka_unit_test(test_ends),
        cmocka_unit_test(test_native_again), cmocka_unit_test(test_tables),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
