/* SPDX-License-Identifier: Apache-2.0 */
/* context_mover: the model against the oracle, every output in every cycle, and what is a fault
 * and what is none. What every block keeps is in tests/blocks/bench.h, what a job does in
 * tests/blocks/test_context_mover_jobs.c. */
#include "dpi/gen/context_mover_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_mover_oracle.h"

enum { IDLE, COPY, HEAD, KINDS_OUT, PACK, POINT, KINDS_IN, SUM, LOAD, UNPACK, DRAIN, STATES };
enum { REGS = 63, LANES = 32, WHOLE = 3, BAD_GROUP = 3, ADDRESSES = 4096 };

typedef struct bench {
    wr_rig rig;
    wr_context_mover_cfg cfg;
    wr_context_mover dut;
    wr_oracle_mover oracle;
    wr_context_mover_in job; /* of the traffic */
    uint64_t jobs, exchanges, states[STATES];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_mover_reset(&b->oracle, b->cfg.regs, b->cfg.lanes, b->cfg.st_lines);
}

/* Beside the named configurations: the least, the most, and both sides of powers of two. */
static const wr_context_mover_cfg configs[] = {
    {1, 8, 1},   {2, 16, 2}, {7, 32, 3},  {8, 8, 4},  {9, 16, 1},
    {31, 32, 2}, {32, 8, 3}, {33, 16, 4}, {62, 8, 2}, {63, 32, 3},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], LARGEST = CONFIGS - 1 };

static const wr_context_mover_cfg refused[] = {{6, 9, 1}, {6, 12, 1}, {6, 24, 1}, {6, 31, 1}};
enum { REFUSED = sizeof refused / sizeof refused[0] };

static wr_oracle_mover_pins as_the_oracle_sees(const wr_context_mover_in *in)
{
    wr_oracle_mover_pins p = {.cfg = in->cfg,
                              .tb = in->tb,
                              .group = in->group,
                              .lines = in->lines,
                              .go = in->go,
                              .req = in->req,
                              .meta = in->meta,
                              .out = in->out,
                              .in = in->in,
                              .home = in->home,
                              .away = in->away,
                              .point = in->point,
                              .kinds_ack = in->kinds_ack,
                              .kind_low = in->kind_low,
                              .kind_high = in->kind_high};
    memcpy(p.home_rdata, in->home_rdata, sizeof p.home_rdata);
    memcpy(p.away_rdata, in->away_rdata, sizeof p.away_rdata);
    return p;
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_context_mover_out cycle(bench *b, const wr_context_mover_in *in)
{
    const wr_oracle_mover_pins pins = as_the_oracle_sees(in);
    const wr_oracle_mover_shown want = wr_oracle_mover_shows(&b->oracle, &pins);
    wr_context_mover_out out;

    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "state", out.state, want.state);
    wr_rig_check(&b->rig, "ack", out.ack, want.ack);
    wr_rig_check(&b->rig, "kinds", out.kinds, want.kinds);
    wr_rig_check(&b->rig, "kinds_point", out.kinds_point, want.kinds_point);
    wr_rig_check(&b->rig, "home_rd", out.home_rd, want.home_rd);
    wr_rig_check(&b->rig, "home_raddr", out.home_raddr, want.home_raddr);
    wr_rig_check(&b->rig, "home_wr", out.home_wr, want.home_wr);
    wr_rig_check(&b->rig, "home_waddr", out.home_waddr, want.home_waddr);
    wr_rig_check(&b->rig, "home_part", out.home_part, want.home_part);
    wr_rig_check_words(&b->rig, "home_wdata", out.home_wdata, want.home_wdata, b->cfg.lanes);
    wr_rig_check(&b->rig, "away_rd", out.away_rd, want.away_rd);
    wr_rig_check(&b->rig, "away_wr", out.away_wr, want.away_wr);
    wr_rig_check(&b->rig, "away_addr", out.away_addr, want.away_addr);
    wr_rig_check_words(&b->rig, "away_wdata", out.away_wdata, want.away_wdata, b->cfg.lanes);
    wr_rig_check(&b->rig, "fault", out.fault, want.fault);
    b->jobs += out.ack;
    b->exchanges += out.away_rd && out.away_wr;
    b->states[out.state]++;

    wr_oracle_mover_clock(&b->oracle, &pins);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_mover_out *)out = cycle(bench_v, in);
}

/* Each pin by itself: what state says with it, and state and fault in the cycle behind. */
static void check_fault(bench *b, wr_context_mover_in in, unsigned state, unsigned behind)
{
    const wr_context_mover_in rest = {.point = in.point};
    wr_context_mover_out out = cycle(b, &in);
    assert_int_equal(out.state, state);
    assert_false(out.fault);
    out = cycle(b, &rest);
    assert_int_equal(out.state, behind);
    assert_true(out.fault);
}

static void test_faults_of_pins(void **state)
{
    (void)state;
    static const struct {
        wr_context_mover_in in;
        unsigned behind;
        bool tb, busy, go;
    } cases[] = {
        {{.cfg = true, .group = BAD_GROUP}, IDLE, false, false, false},
        {{.kinds_ack = true}, IDLE, false, false, true},
        {{.req = true}, IDLE, false, false, false},
        {{.req = true, .meta = true}, IDLE, false, false, false},
        {{.req = true, .out = true}, IDLE, true, false, false},
        {{.req = true, .in = true}, IDLE, true, false, false},
        {{.cfg = true}, HEAD, false, true, false},
        {{.cfg = true}, KINDS_OUT, false, true, true},
        {{.kinds_ack = true}, HEAD, false, true, false},
        {{.kinds_ack = true}, KINDS_OUT, false, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[LARGEST]);
        wr_context_mover_in in = {.cfg = true, .tb = cases[i].tb};
        cycle(&b, &in);
        if (cases[i].busy) {
            in = (wr_context_mover_in){.req = true, .out = true, .in = true, .point = 1};
            cycle(&b, &in);
        }
        in = cases[i].in;
        in.go = cases[i].go;
        in.point = 1;
        check_fault(&b, in, cases[i].busy ? HEAD : IDLE, cases[i].behind);
    }
}

/* What is no fault: a request that would be one in the cycle of a launch, or while a job is under
 * way; metadata where a TB has no lines; a kind beyond Regs. */
static void test_no_faults(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[2]);
    wr_context_mover_in in = {.cfg = true, .tb = true, .req = true};
    cycle(&b, &in);
    in = (wr_context_mover_in){.req = true, .meta = true, .out = true};
    assert_int_equal(cycle(&b, &in).state, IDLE);
    in = (wr_context_mover_in){.req = true};
    assert_int_equal(cycle(&b, &in).state, COPY);
    in.go = true;
    for (unsigned i = 0; i < 4; i++) {
        in.req = i < 3;
        assert_int_equal(cycle(&b, &in).ack, i == 3);
    }
    in = (wr_context_mover_in){.cfg = true};
    cycle(&b, &in);
    in = (wr_context_mover_in){.req = true, .out = true, .point = 1};
    cycle(&b, &in);
    in = (wr_context_mover_in){.go = true, .point = 1, .kinds_ack = true};
    in.kind_low = in.kind_high = ~UINT64_C(0x7f);
    assert_int_equal(cycle(&b, &in).state, KINDS_OUT);
    in.kinds_ack = false;
    assert_int_equal(cycle(&b, &in).state, PACK);
    const wr_context_mover_out out = cycle(&b, &in);
    assert_int_equal(out.state, DRAIN);
    assert_true(out.ack);
    assert_false(out.fault);
}

/* The C struct is wider than the pins: what is there is no pin. The oracle is not asked. */
static void test_no_pins(void **state)
{
    (void)state;
    const wr_context_mover_cfg cfg = {REGS, LANES, 1};
    wr_context_mover s;
    wr_context_mover_out out;
    assert_int_equal(wr_context_mover_init(&s, &cfg), WR_OK);
    wr_context_mover_in in = {.cfg = true, .group = 0xfc | 2, .lines = 0xfc00 | 1};
    wr_context_mover_tick(&s, &in);
    in = (wr_context_mover_in){.req = true, .out = true, .in = true, .point = 0xff000000 | 5};
    in.home = 0xf000 | 0x123;
    in.away = 0xf000 | 0x456;
    wr_context_mover_tick(&s, &in);
    in.req = false;
    in.go = true;
    wr_context_mover_eval(&s, &in, &out);
    assert_int_equal(out.away_addr, 0x457);
    wr_context_mover_tick(&s, &in);
    in.kinds_ack = true;
    in.kind_low = UINT64_C(1) << 63 | 1;
    in.kind_high = UINT64_C(1) << 63;
    wr_context_mover_eval(&s, &in, &out);
    assert_int_equal(out.kinds_point, 5);
    wr_context_mover_tick(&s, &in);
    in.kinds_ack = false;
    wr_context_mover_eval(&s, &in, &out);
    assert_int_equal(out.home_raddr, 0x123);
    wr_context_mover_tick(&s, &in);
    wr_context_mover_tick(&s, &in);
    wr_context_mover_eval(&s, &in, &out);
    assert_int_equal(out.state, DRAIN);
    assert_int_equal(out.away_addr, 0x456);
    assert_false(out.fault);
}

/* Random kinds; where the protocol is kept, no more words than the lines of the launch hold. */
static void random_kinds(bench *b, wr_context_mover_in *in, bool wild)
{
    const unsigned lanes = b->cfg.lanes, group = 8u << b->oracle.group;
    const unsigned g = group < lanes ? group : lanes;
    const unsigned words[] = {0, lanes / g, 2 * lanes / g, lanes};
    const unsigned dead = wr_rig_below(&b->rig, 101), whole = wr_rig_below(&b->rig, 101);
    unsigned room = wild ? UINT32_MAX : b->oracle.lines * lanes;

    in->kind_low = in->kind_high = wr_rig_random(&b->rig) << b->cfg.regs;
    for (unsigned r = 0; r < b->cfg.regs; r++) {
        unsigned kind = wr_rig_chance(&b->rig, whole) ? WHOLE : 1 + wr_rig_below(&b->rig, 2);
        if (wr_rig_chance(&b->rig, dead) || words[kind] > room) {
            kind = 0;
        }
        room -= words[kind];
        in->kind_low |= (uint64_t)(kind & 1) << r;
        in->kind_high |= (uint64_t)(kind >> 1) << r;
    }
}

static void random_job(bench *b, wr_context_mover_in *in, bool wild)
{
    wr_rig *g = &b->rig;
    const unsigned way = wr_rig_below(g, 3);

    in->req = wr_rig_offers(g);
    in->out = way != 0;
    in->in = way != 1;
    in->meta = wr_rig_chance(g, 20) || (b->oracle.tb && b->oracle.lines == 0);
    if (wild) {
        in->out = in->out && wr_rig_chance(g, 50);
        in->meta = wr_rig_chance(g, 20);
    }
    in->home = (uint16_t)wr_rig_below(g, ADDRESSES);
    in->away = (uint16_t)wr_rig_below(g, ADDRESSES);
}

/* What was read stands while go is 0; a place where nothing was read gives what it will. */
static void random_rdata(bench *b, wr_context_mover_in *in)
{
    wr_rig_words(&b->rig, in->home_rdata, b->cfg.lanes);
    wr_rig_words(&b->rig, in->away_rdata, b->cfg.lanes);
    in->away_rdata[0] &= wr_rig_chance(&b->rig, 20) ? 0xff : UINT32_MAX;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *g = &b->rig;

    for (unsigned n = 0; n < cycles; n++) {
        const unsigned part = b->oracle.part;
        const bool wild = with_faults && wr_rig_chance(g, 5);
        wr_context_mover_in *in = &b->job;

        if (part == IDLE || in->go) {
            random_rdata(b, in);
        }
        in->go = wr_rig_takes(g);
        in->cfg = wr_rig_chance(g, 10) && (part == IDLE || (wild && wr_rig_chance(g, 10)));
        in->tb = wr_rig_chance(g, 20);
        in->group = (uint8_t)wr_rig_below(g, wild ? 4 : 3);
        in->lines = (uint16_t)wr_rig_below(g, in->tb ? 8 : b->cfg.regs + 2);
        random_job(b, in, wild);
        if (part == IDLE || part == COPY || (part > KINDS_OUT && part != POINT)) {
            in->point = wr_rig_below(g, 1u << 24);
            in->point *= wr_rig_chance(g, 80);
        }
        in->kinds_ack = in->go && (part == KINDS_OUT || part == KINDS_IN) && wr_rig_chance(g, 40);
        in->kinds_ack = in->kinds_ack || (wild && wr_rig_chance(g, 10));
        random_kinds(b, in, with_faults && wr_rig_chance(g, 20));
        cycle(b, in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned state = IDLE; state < STATES; state++) {
        assert_true(b->states[state] > 50);
    }
    assert_true(b->exchanges > 50);
}

static const wr_bench self = {
    .block = &wr_context_mover_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, jobs)},
    .configs = {configs, CONFIGS},
    .refused = {refused, REFUSED},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 15000, .faulty = 1500, .rounds = 6},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_faults_of_pins),
        cmocka_unit_test(test_no_faults),
        cmocka_unit_test(test_no_pins),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
