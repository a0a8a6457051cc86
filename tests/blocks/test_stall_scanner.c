/* SPDX-License-Identifier: Apache-2.0 */
/* stall_scanner: the model against the oracle, every output in every cycle, under random levels of
 * a machine and answers of the tables; and short stories, told as the list of what is asked and
 * pushed. What every block keeps is in tests/blocks/bench.h; test_scanner_path.c has its
 * neighbours. */
#include "dpi/gen/stall_scanner_port.h"

#include <stdio.h>
#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/stall_scanner_oracle.h"

typedef wr_stall_scanner_in pins_in;
typedef wr_stall_scanner_out pins_out;

typedef struct bench {
    wr_rig rig;
    wr_stall_scanner dut;
    wr_oracle_scanner oracle;
    uint64_t asked[6], pushed[2];
    uint64_t commands;
    pins_in levels; /* random traffic: that the machine holds */
    unsigned tbs;   /* one less than those that the traffic is about */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_scanner_reset(&b->oracle);
}

/* Settles and checks all outputs, then clocks both sides. */
static pins_out cycle(bench *b, const pins_in *in)
{
    const wr_block_desc *block = &wr_stall_scanner_block;
    pins_out out;
    pins_out want;

    wr_bench_settle(&self, b, in, &out);
    wr_oracle_scanner_output(&b->oracle, in, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        wr_rig_check(&b->rig, block->pins[p].name, wr_pin_value(&block->pins[p], &out, 0),
                     wr_pin_value(&block->pins[p], &want, 0));
    }
    b->asked[in->tab_ack ? wr_oracle_scanner_asks(&b->oracle, in) : 0]++;
    b->pushed[0] += out.stalled_push;
    b->pushed[1] += out.ready_push;
    b->commands += out.tab_req && in->tab_ack;
    wr_oracle_scanner_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(pins_out *)out = cycle(bench_v, in);
}

/* Stories ------------------------------------------------------------------------------------ */

static const wr_stall_scanner_cfg gtx = {.warps = 128, .tbs = 32, .tb_warps = 32, .slots = 64};

/* Who has which slot; what has been asked and pushed so far. */
typedef struct story {
    bench b;
    pins_in in;
    unsigned warp[64];
    unsigned stalled_first, ready_first; /* first warp of a TB that the table says is so */
    char text[2000];
} story;

static void say(story *s, const char *what, unsigned id)
{
    const size_t n = strlen(s->text);
    (void)snprintf(s->text + n, sizeof s->text - n, " %s %u", what, id);
}

static pins_out step(story *s)
{
    static const char *const states[] = {"run", "stall", "absent", "ready"};
    pins_out out;

    wr_oracle_scanner_output(&s->b.oracle, &s->in, &out);
    s->in.slot_id = (uint8_t)s->warp[out.look_slot];
    s->in.group_stalled = out.group_first == s->stalled_first;
    s->in.group_ready = out.group_first == s->ready_first;
    wr_oracle_scanner_output(&s->b.oracle, &s->in, &out);
    s->in.tab_ack = out.tab_req;
    out = cycle(&s->b, &s->in);
    if (out.tab_req && out.tab_op == 2) {
        say(s, "look", out.tab_id);
    } else if (out.tab_req) {
        say(s, out.tab_barrier ? "stall-barrier" : states[out.tab_state], out.tab_id);
    }
    if (out.stalled_push) {
        say(s, "<", out.push_id);
    }
    if (out.ready_push) {
        say(s, ">", out.push_id);
    }
    s->in.cfg = s->in.booked = s->in.claim = s->in.give = s->in.away = s->in.split = false;
    s->in.arrive = s->in.placed = s->in.stalled_pop = s->in.ready_pop = false;
    s->in.woken = 0;
    return out;
}

/* What is told in so many cycles. */
static void tells(story *s, unsigned cycles, const char *want)
{
    s->text[0] = 0;
    for (unsigned n = 0; n < cycles; n++) {
        (void)step(s);
    }
    if (strcmp(s->text, want) != 0) {
        fail_msg("told:%s\nnot:%s", s->text, want);
    }
}

static void put(story *s, unsigned slot, unsigned warp)
{
    s->in.claim = true;
    s->in.claim_slot = (uint8_t)slot;
    s->in.claim_id = (uint8_t)warp;
    s->warp[slot] = warp;
    (void)step(s);
}

/* TBs 0 and 1, of four warps each, are in slots 0 to 7; TB 2 is switched out. */
static void begin(story *s, unsigned level)
{
    memset(s, 0, sizeof *s);
    wr_bench_init(&self, &s->b, 1, &gtx);
    s->stalled_first = s->ready_first = 99;
    s->in.cfg = true;
    s->in.level = (uint8_t)level;
    s->in.warps = 4;
    s->in.clear = UINT64_MAX;
    s->in.ready_valid = s->in.ready_space = s->in.stalled_space = true;
    (void)step(s);
    for (unsigned i = 0; i < 8; i++) {
        put(s, i, i);
    }
    for (unsigned tb = 0; tb < 3; tb++) {
        s->in.placed = true;
        s->in.placed_tb = (uint8_t)tb;
        (void)step(s);
    }
    s->in.booked = true;
    (void)step(s);
}

static void goes_away(story *s, unsigned warp)
{
    s->in.away = true;
    s->in.away_id = (uint8_t)warp;
    (void)step(s);
}

static void arrives(story *s, unsigned warp)
{
    s->in.arrive = true;
    s->in.arrive_id = (uint8_t)warp;
    (void)step(s);
}

/* One that is pushed is held, and nobody else leaves before the switch logic is free. */
static void test_memory(void **state)
{
    (void)state;
    story s;
    begin(&s, 1);
    s.in.memory = 0x30;
    s.in.stalled_valid = false;
    tells(&s, 2, " stall 4 < 4");
    s.in.stalled_valid = true;
    s.in.stalled_id = 4;
    const pins_out out = step(&s);
    assert_true(out.hold == 0x10 && out.may_leave && out.busy == 2);
    s.in.stalled_valid = false;
    s.in.op = 4; /* it goes back */
    tells(&s, 5, "");
    assert_int_equal(step(&s).hold, 0);
    s.in.op = 0; /* the next one's turn */
    tells(&s, 3, " stall 5 < 5");
}

/* Nobody is ready, the queue is full, something of it is in the pipeline: it stays. */
static void test_stays(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        story s;
        begin(&s, 1);
        s.in.memory = 1;
        s.in.ready_valid = n != 0;
        s.in.stalled_space = n != 1;
        s.in.clear = n == 2 ? 0 : UINT64_MAX;
        s.in.closed = n == 3;
        tells(&s, 20, "");
    }
}

/* At a barrier only with an absent warp in the TB, and only where nobody waits for memory. */
static void test_barrier(void **state)
{
    (void)state;
    story s;
    begin(&s, 1);
    s.in.barrier = 0x21;
    s.in.tab_whole = true;
    tells(&s, 7, " look 0 look 1 look 0");
    s.in.tab_whole = false;
    tells(&s, 3, " look 1 stall-barrier 5 < 5");
    begin(&s, 1);
    s.in.barrier = 0x21;
    s.in.memory = 0x40;
    tells(&s, 2, " stall 6 < 6");
    begin(&s, 1);
    s.in.barrier = 0x1;
    tells(&s, 2, " look 0");
    s.in.barrier = 0; /* it has opened */
    tells(&s, 10, "");
}

/* The oldest TB's first, the lowest of it first; in the order in which TBs were placed last. */
static void test_oldest(void **state)
{
    (void)state;
    story s;
    begin(&s, 1);
    s.in.ready_space = false;
    s.in.closed = UINT32_MAX; /* of slots; absent ones come all the same */
    arrives(&s, 9);
    arrives(&s, 8);
    goes_away(&s, 3);
    goes_away(&s, 6);
    memset(s.in.free, 1, sizeof s.in.free);
    s.in.free[8] = false;
    tells(&s, 10, "");
    s.in.ready_space = true;
    tells(&s, 30, " ready 3 > 3 ready 6 > 6 ready 9 > 9");
    s.in.free[8] = true;
    tells(&s, 10, " ready 8 > 8");
    s.in.placed = true; /* TB 0 is another, the youngest */
    s.in.placed_tb = 0;
    (void)step(&s);
    s.in.ready_space = false;
    for (unsigned w = 2; w < 10; w += 2) {
        arrives(&s, w);
    }
    s.in.ready_space = true;
    tells(&s, 40, " ready 4 > 4 ready 6 > 6 ready 8 > 8 ready 2 > 2");
}

/* A finished warp keeps its place while its TB is whole; then it is given back, once. */
static void test_end(void **state)
{
    (void)state;
    story s;
    begin(&s, 1);
    s.in.done = 0x12;
    s.in.tab_whole = true;
    tells(&s, 20, " look 0 look 1");
    s.in.split = true; /* a warp of TB 1 leaves */
    s.in.split_tb = 1;
    s.in.tab_whole = false;
    tells(&s, 20, " look 1");
    pins_out out = step(&s);
    assert_true(out.vacate && out.vacate_id == 4);
    s.in.split = true; /* of TB 0, too: it waits its turn */
    s.in.split_tb = 0;
    tells(&s, 20, "");
    s.in.give = true;
    s.in.give_slot = 4;
    s.in.done = 2;
    tells(&s, 5, " look 0");
    out = step(&s);
    assert_true(out.vacate && out.vacate_id == 1);
}

/* Level TB: marked, TB by TB, until the table says that the whole TB is stalled. */
static void test_tb_leaves(void **state)
{
    (void)state;
    story s;
    begin(&s, 2);
    s.in.memory = 0x5;
    s.in.barrier = 0x2;
    s.in.done = 0x8;
    tells(&s, 9, " stall 0 stall-barrier 1 stall 2 stall-barrier 3");
    s.in.woken = 4; /* one goes on: it is not stalled any more */
    s.in.memory = 0x1;
    tells(&s, 5, " run 2");
    s.in.memory = 0x5;
    tells(&s, 3, " stall 2");
    s.stalled_first = 0;
    tells(&s, 8, " < 0");
    s.stalled_first = 99;
    s.in.stalled_valid = true;
    pins_out out = step(&s);
    assert_true(out.hold == 0xf && out.may_leave && out.busy == 1);
    s.in.done = 0xf; /* all of it: nothing to switch out */
    s.in.memory = s.in.barrier = 0;
    assert_false(step(&s).may_leave);
    s.in.done = 0x8;
    s.in.memory = 0x5;
    s.in.barrier = 0x2;
    assert_true(step(&s).may_leave);
    s.in.woken = 1; /* and waits again: the table does not know for what */
    (void)step(&s);
    assert_false(step(&s).may_leave);
    tells(&s, 10, ""); /* on its way out nothing of it is written */
    s.in.stalled_valid = false;
    s.in.stalled_pop = true;
    s.in.op = 4; /* back: all of it runs */
    out = step(&s);
    assert_int_equal(out.hold, 0);
    tells(&s, 10, "");
    assert_int_equal(step(&s).busy, 1);
    s.in.op = 0;
    (void)step(&s);
    assert_int_equal(step(&s).busy, 0);
    tells(&s, 9, " stall-barrier 3 stall 0 stall-barrier 1 stall 2");
}

/* Level TB: warps that may go on are made ready, not queued; the TB is, when the table says so. */
static void test_tb_comes(void **state)
{
    (void)state;
    story s;
    begin(&s, 2);
    goes_away(&s, 9);
    arrives(&s, 8); /* was ready from the start */
    memset(s.in.free, 1, sizeof s.in.free);
    tells(&s, 12, " ready 9");
    s.ready_first = 8;
    tells(&s, 12, " > 2");
    s.ready_first = 99;
    s.in.ready_id = 2;
    (void)step(&s);
    s.in.op = 2;
    s.in.ready_pop = true;
    assert_int_equal(step(&s).busy, 4);
    goes_away(&s, 10); /* it may go on, but comes in as it is */
    tells(&s, 20, "");
    s.in.op = 0;
    tells(&s, 20, " ready 10");
    assert_int_equal(step(&s).busy, 0);
}

/* A claim is a slot of the TB of its warp, whatever N is. */
static void test_claims(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 32; n++) {
        for (unsigned warp = 0; warp < 128; warp++) {
            story s;
            memset(&s, 0, sizeof s);
            wr_bench_init(&self, &s.b, 1, &gtx);
            s.in.cfg = true;
            s.in.level = 1;
            s.in.warps = (uint8_t)n;
            (void)step(&s);
            s.in.op = 2; /* so that who has come stays busy */
            put(&s, 5, warp);
            (void)step(&s);
            const pins_out out = step(&s);
            assert_int_equal(out.fault, warp / n > 31);
            assert_int_equal(out.busy, warp / n > 31 ? 0 : 1u << warp / n);
        }
    }
}

/* Random ------------------------------------------------------------------------------------- */

static unsigned fitting(const bench *b)
{
    const wr_oracle_scanner *o = &b->oracle;
    const unsigned fit = o->n == 0 ? 0 : o->cfg.warps / o->n;
    return fit < o->cfg.tbs ? fit : o->cfg.tbs;
}

static uint8_t random_warp(bench *b)
{
    wr_rig *r = &b->rig;
    const wr_oracle_scanner *o = &b->oracle;
    const unsigned fit = fitting(b);
    const unsigned tbs = fit < b->tbs + 1 ? fit : b->tbs + 1;

    if (fit == 0) {
        return (uint8_t)wr_rig_below(r, o->n != 0 && o->n < o->cfg.warps ? o->n : o->cfg.warps);
    }
    return (uint8_t)(wr_rig_below(r, tbs) * o->n + wr_rig_below(r, o->n));
}

static void random_levels(bench *b)
{
    wr_rig *r = &b->rig;
    pins_in *l = &b->levels;

    if (wr_rig_chance(r, 3)) {
        l->memory = wr_rig_chance(r, 40) ? 0 : wr_rig_random(r);
        l->barrier = wr_rig_chance(r, 40) ? 0 : wr_rig_random(r);
        l->done = wr_rig_chance(r, 50) ? 0 : wr_rig_sparse(r);
        l->clear = wr_rig_chance(r, 80) ? UINT64_MAX : wr_rig_random(r);
        l->closed = wr_rig_chance(r, 60) ? 0 : (uint32_t)wr_rig_sparse(r);
        b->tbs = wr_rig_below(r, 4);
    }
    if (wr_rig_chance(r, 30)) {
        const uint64_t change = UINT64_C(1) << wr_rig_below(r, 64);
        l->memory ^= wr_rig_chance(r, 50) ? change : 0;
        l->barrier ^= wr_rig_chance(r, 30) ? change : 0;
        l->done ^= wr_rig_chance(r, 20) ? change : 0;
        l->free[wr_rig_below(r, b->oracle.cfg.warps)] ^= 1;
    }
}

static pins_in random_cycle(bench *b, bool with_faults)
{
    wr_rig *r = &b->rig;
    const wr_oracle_scanner *o = &b->oracle;
    const unsigned fit = fitting(b);
    const bool wild = with_faults && wr_rig_chance(r, 2);
    pins_in in = b->levels;
    pins_out out;

    in.woken = wr_rig_chance(r, 30) ? wr_rig_sparse(r) : 0;
    in.level = (uint8_t)(1 + wr_rig_below(r, 2));
    in.warps =
        (uint8_t)(1 + wr_rig_below(
                          r, wr_rig_chance(r, 70) && o->cfg.tb_warps > 3 ? 3 : o->cfg.tb_warps));
    in.cfg = o->n == 0 || wr_rig_below(r, 700) == 0;
    in.booked = !o->running && o->level != 0 && wr_rig_chance(r, 20);
    in.claim = o->n != 0 && wr_rig_chance(r, 15);
    in.claim_slot = (uint8_t)wr_rig_below(r, o->cfg.slots);
    in.claim_id = random_warp(b);
    in.give = wr_rig_chance(r, 8);
    in.give_slot =
        (uint8_t)(wr_rig_chance(r, 40) ? o->vacating_slot : wr_rig_below(r, o->cfg.slots));
    in.slot_id = random_warp(b);
    in.away = wr_rig_chance(r, 10);
    in.away_id = random_warp(b);
    in.arrive = wr_rig_chance(r, 5);
    in.arrive_id = random_warp(b);
    in.split = wr_rig_chance(r, 3);
    in.split_tb = (uint8_t)wr_rig_below(r, 4);
    in.placed = wr_rig_chance(r, 3);
    in.placed_tb = (uint8_t)wr_rig_below(r, fit == 0 || wr_rig_chance(r, 5) ? o->cfg.tbs : fit);
    in.op = (uint8_t)(wr_rig_chance(r, 60) ? b->levels.op : wr_rig_below(r, 8));
    in.op = in.op > 4 ? 0 : in.op;
    b->levels.op = in.op;
    in.stalled_valid = wr_rig_chance(r, 30);
    in.stalled_id = (uint8_t)(wr_rig_chance(r, 80) ? wr_rig_below(r, 4) : wr_rig_below(r, 128));
    in.stalled_pop = wr_rig_chance(r, 20);
    in.stalled_space = wr_rig_chance(r, 85);
    in.ready_valid = wr_rig_chance(r, 75);
    in.ready_id = (uint8_t)(wr_rig_chance(r, 80) ? wr_rig_below(r, 4) : wr_rig_below(r, 128));
    in.ready_pop = wr_rig_chance(r, 20);
    in.ready_space = wr_rig_chance(r, 85);
    in.tab_whole = wr_rig_chance(r, 50);
    in.group_stalled = wr_rig_chance(r, 30);
    in.group_ready = wr_rig_chance(r, 30);
    if (wild) {
        in.cfg = wr_rig_chance(r, 20);
        in.level = (uint8_t)wr_rig_below(r, 4);
        in.warps = (uint8_t)wr_rig_below(r, 64);
        in.booked = wr_rig_chance(r, 20);
        in.claim_slot = (uint8_t)wr_rig_below(r, 64);
        in.claim_id = (uint8_t)wr_rig_below(r, 128);
        in.give_slot = (uint8_t)wr_rig_below(r, 64);
        in.away_id = (uint8_t)wr_rig_below(r, 128);
        in.arrive_id = (uint8_t)wr_rig_below(r, 128);
        in.placed_tb = (uint8_t)wr_rig_below(r, 32);
    }
    wr_oracle_scanner_output(o, &in, &out);
    in.tab_ack = out.tab_req ? wr_rig_chance(r, 80) : wild && wr_rig_chance(r, 30);
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        wr_rig_next_cycle(&b->rig);
        random_levels(b);
        const pins_in in = random_cycle(b, with_faults);
        (void)cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(&b->rig, 200) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static const wr_stall_scanner_cfg configs[] = {
    {.warps = 128, .tbs = 32, .tb_warps = 32, .slots = 64},
    {.warps = 1, .tbs = 1, .tb_warps = 1, .slots = 1},
    {.warps = 127, .tbs = 31, .tb_warps = 31, .slots = 63},
    {.warps = 16, .tbs = 4, .tb_warps = 8, .slots = 8},
    {.warps = 64, .tbs = 32, .tb_warps = 2, .slots = 40},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void covered_legal(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned what = WR_OS_WAKE; what <= WR_OS_LOOK; what++) {
        assert_true(b->asked[what] > 0);
    }
    assert_true(b->pushed[0] > 0 && b->pushed[1] > 0);
}

static const wr_bench self = {
    .block = &wr_stall_scanner_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, oracle.cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, commands)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_legal = covered_legal,
    .amount = {.legal = 40000, .faulty = 20000},
    .snapshot = {.before = 300, .after = 600},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_stays),
        cmocka_unit_test(test_barrier),  cmocka_unit_test(test_oldest),
        cmocka_unit_test(test_end),      cmocka_unit_test(test_tb_leaves),
        cmocka_unit_test(test_tb_comes), cmocka_unit_test(test_claims),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
