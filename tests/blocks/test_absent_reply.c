/* SPDX-License-Identifier: Apache-2.0 */
/* absent_reply: the model against the oracle, every output in every cycle, and contexts whose words
 * are counted by hand. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/absent_reply_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/absent_reply_oracle.h"

enum { IDLE, FIND, READ, KINDS, SUM, WRITE, REST, DROP, STEPS };
enum { ABSENT = 2, REGS = 63 };

typedef struct bench {
    wr_rig rig;
    wr_absent_reply_cfg cfg;
    wr_absent_reply dut;
    wr_oracle_absent oracle;
    bool fault; /* of the oracle */
    unsigned step;
    uint64_t writes, given_up, steps[STEPS];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_absent_reset(&b->oracle, b->cfg.regs);
    b->fault = false;
    b->step = IDLE;
}

/* Beside the named configurations: the least, the most, and both sides of powers of two. */
static const wr_absent_reply_cfg configs[] = {{1},  {2},  {3},  {7},  {8},  {9}, {15},
                                              {16}, {31}, {32}, {33}, {62}, {63}};
enum { CONFIGS = sizeof configs / sizeof configs[0], LARGEST = CONFIGS - 1 };

static wr_oracle_absent_pins as_the_oracle_sees(const wr_absent_reply_in *in)
{
    return (wr_oracle_absent_pins){.cfg = in->cfg,
                                   .move = in->move,
                                   .group = in->group,
                                   .valid = in->valid,
                                   .warp = in->warp,
                                   .reg = in->regno,
                                   .find_ack = in->find_ack,
                                   .find_valid = in->find_valid,
                                   .find_state = in->find_state,
                                   .find_reg = in->find_reg,
                                   .find_meta = in->find_meta,
                                   .read_ack = in->read_ack,
                                   .head = in->head,
                                   .kinds_ack = in->kinds_ack,
                                   .kind_low = in->kind_low,
                                   .kind_high = in->kind_high,
                                   .write_ack = in->write_ack};
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_absent_reply_out cycle(bench *b, const wr_absent_reply_in *in)
{
    const wr_oracle_absent_shown want = wr_oracle_absent_shows(&b->oracle);
    const wr_oracle_absent_pins pins = as_the_oracle_sees(in);
    wr_absent_reply_out out;

    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "state", out.state, want.state);
    wr_rig_check(&b->rig, "find", out.find, want.find);
    wr_rig_check(&b->rig, "find_id", out.find_id, want.find_id);
    wr_rig_check(&b->rig, "read", out.read, want.read);
    wr_rig_check(&b->rig, "read_line", out.read_line, want.read_line);
    wr_rig_check(&b->rig, "kinds", out.kinds, want.kinds);
    wr_rig_check(&b->rig, "point", out.point, want.point);
    wr_rig_check(&b->rig, "write", out.write, want.write);
    wr_rig_check(&b->rig, "write_line", out.write_line, want.write_line);
    wr_rig_check(&b->rig, "write_word", out.write_word, want.write_word);
    wr_rig_check(&b->rig, "last", out.last, want.last);
    wr_rig_check(&b->rig, "fault", out.fault, want.fault);
    b->steps[out.state]++;
    b->writes += out.write && in->write_ack;

    wr_oracle_absent_clock(&b->oracle, &pins);
    wr_bench_clock(&self, b, in);
    const wr_oracle_absent_shown behind = wr_oracle_absent_shows(&b->oracle);
    b->fault = behind.fault;
    b->given_up += behind.state == IDLE && want.state != IDLE && !want.last;
    b->step = behind.state;
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_absent_reply_out *)out = cycle(bench_v, in);
}

/* A context: registers of one kind each, in strings of digits from register 0 up; a reply. */
typedef struct context {
    const char *kinds;
    unsigned group, base; /* code; line */
    unsigned regno;
    unsigned line, word; /* where its words begin */
    unsigned next;       /* the line behind it, if it is needed */
} context;

static void kinds_of(const char *kinds, wr_absent_reply_in *in)
{
    in->kind_low = in->kind_high = 0;
    for (unsigned r = 0; kinds[r] != '\0'; r++) {
        in->kind_low |= (uint64_t)(kinds[r] & 1) << r;
        in->kind_high |= (uint64_t)(kinds[r] >> 1 & 1) << r;
    }
}

static void configure(bench *b, bool move, unsigned group)
{
    const wr_absent_reply_in in = {.cfg = true, .move = move, .group = (uint8_t)group};
    cycle(b, &in);
}

/* A reply whose requests are all answered at once: the first write, with its place. Cycles from the
 * reply's to it: the page says five. */
static wr_absent_reply_out play(bench *b, const context *c, unsigned *cycles)
{
    wr_absent_reply_in in = {.valid = true, .warp = 77, .regno = (uint8_t)c->regno};
    wr_absent_reply_out out;

    kinds_of(c->kinds, &in);
    out = cycle(b, &in);
    assert_int_equal(out.state, IDLE);
    for (*cycles = 1;; ++*cycles) {
        wr_absent_reply_in answer = in;
        answer.find_ack = b->step == FIND;
        answer.find_valid = true;
        answer.find_state = ABSENT;
        answer.find_reg = (uint16_t)c->base;
        answer.find_meta = 0x321;
        answer.read_ack = b->step == READ;
        answer.head = 5 << 8 | 3;
        answer.kinds_ack = b->step == KINDS;
        answer.write_ack = b->step == WRITE;
        out = cycle(b, &answer);
        assert_true(!out.find || out.find_id == 77);
        assert_true(!out.read || out.read_line == 0x321);
        assert_true(!out.kinds || out.point == 5);
        if (out.write) {
            return out;
        }
        assert_true(*cycles < 10);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const char whole[] = "333333333333333333333333333333333333333333333333333333333333333";
    static const char ones[] = "111111111111111111111111111111111111111111111111111111111111113";
    static const char twos[] = "222222222222222222222222222222222222222222222222222222222222223";
    static const context cases[] = {
        {"3", 2, 0x100, 0, 0x100, 0, 0},
        {"13", 2, 0x100, 1, 0x100, 1, 0x101},
        {"13", 1, 0x100, 1, 0x100, 2, 0x101},
        {"13", 0, 0x100, 1, 0x100, 4, 0x101},
        {"23", 2, 0x100, 1, 0x100, 2, 0x101},
        {"23", 1, 0x100, 1, 0x100, 4, 0x101},
        {"23", 0, 0x100, 1, 0x100, 8, 0x101},
        {"33", 0, 0x100, 1, 0x101, 0, 0},
        {"03", 0, 0x100, 1, 0x100, 0, 0},
        /* what lies behind it does not count */
        {"0103221", 0, 0x7ff, 3, 0x7ff, 4, 0x800},
        /* 4 x (1 + 2 + 2) + 32 + 4 = 56 */
        {"122313", 0, 0x210, 5, 0x211, 24, 0x212},
        /* words of 62 registers: 1,984, 62, 124, 248, 496 */
        {whole, 2, 0, 62, 62, 0, 0},
        {ones, 2, 0, 62, 1, 30, 2},
        {ones, 1, 0, 62, 3, 28, 4},
        {ones, 0, 0, 62, 7, 24, 8},
        {twos, 2, 0, 62, 3, 28, 4},
        {twos, 0, 0, 62, 15, 16, 16},
        /* the addresses' end */
        {"3333", 0, 0xffe, 3, 0x001, 0, 0},
        {"13", 0, 0xfff, 1, 0xfff, 4, 0x000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const context *c = &cases[i];
        bench b;
        unsigned cycles;
        wr_bench_init(&self, &b, 1, &configs[LARGEST]);
        configure(&b, true, c->group);
        const wr_absent_reply_out first = play(&b, c, &cycles);
        assert_int_equal(cycles, 5);
        assert_int_equal(first.write_line, c->line);
        assert_int_equal(first.write_word, c->word);
        assert_int_equal(first.last, c->word == 0);
        const wr_absent_reply_in on = {.valid = true, .write_ack = !first.last};
        const wr_absent_reply_out second = cycle(&b, &on);
        assert_int_equal(second.state, first.last ? IDLE : REST);
        assert_int_equal(second.write_line, c->next);
        assert_int_equal(second.last, !first.last);
        assert_false(second.fault);
    }
}

/* Where registers stay neither the metadata nor the kinds are looked at. */
static void test_stays(void **state)
{
    (void)state;
    const context c = {"", 2, 0x7f0, 62, 0, 0, 0};
    bench b;
    unsigned cycles;
    wr_bench_init(&self, &b, 1, &configs[LARGEST]);
    configure(&b, false, 2);
    const wr_absent_reply_out out = play(&b, &c, &cycles);
    assert_int_equal(cycles, 2);
    assert_int_equal(out.write_line, 0x7f0 + 62);
    assert_int_equal(out.write_word, 0);
    assert_true(out.last && !out.fault);
}

/* A register that the context does not hold: nothing is written, and that is no fault; one that is
 * held reduced is. */
static void test_not_kept(void **state)
{
    (void)state;
    static const char *const kinds[] = {"10", "11", "12"};
    for (size_t kind = 0; kind < 3; kind++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[LARGEST]);
        configure(&b, true, 2);
        wr_absent_reply_in in = {.valid = true, .regno = 1};
        kinds_of(kinds[kind], &in);
        cycle(&b, &in);
        while (b.step == FIND || b.step == READ || b.step == KINDS) {
            in.find_ack = b.step == FIND;
            in.find_valid = true;
            in.find_state = ABSENT;
            in.read_ack = b.step == READ;
            in.head = 1 << 8;
            in.kinds_ack = b.step == KINDS;
            cycle(&b, &in);
        }
        const wr_absent_reply_in on = {.valid = true, .regno = 1};
        const wr_absent_reply_out out = cycle(&b, &on);
        assert_int_equal(out.state, kind == 0 ? DROP : IDLE);
        assert_int_equal(out.last, kind == 0);
        assert_int_equal(out.fault, kind != 0);
        assert_false(out.write);
        assert_int_equal(cycle(&b, &on).state, kind == 0 ? IDLE : FIND);
    }
}

/* A reply that is withdrawn with its ack writes nothing more, and is no fault. */
static void test_withdrawn(void **state)
{
    (void)state;
    for (unsigned at = FIND; at <= REST; at++) {
        const context c = {"13", 2, 0x100, 1, 0x100, 1, 0x101};
        bench b;
        wr_bench_init(&self, &b, 1, &configs[LARGEST]);
        configure(&b, true, 2);
        wr_absent_reply_in in = {.valid = true, .regno = 1};
        kinds_of(c.kinds, &in);
        cycle(&b, &in);
        for (unsigned step = FIND; step <= at; step++) {
            in.find_ack = step == FIND;
            in.find_valid = step != at; /* what an ack says does not count */
            in.find_state = ABSENT;
            in.read_ack = step == READ;
            in.head = step == at ? 0 : 1 << 8;
            in.kinds_ack = step == KINDS;
            in.write_ack = step == WRITE || step == REST;
            in.valid = step != at;
            assert_int_equal(cycle(&b, &in).state, step);
        }
        const wr_absent_reply_in rest = {0};
        const wr_absent_reply_out out = cycle(&b, &rest);
        assert_int_equal(out.state, IDLE);
        assert_false(out.fault);
    }
}

/* The C struct is wider than the pins: what is there is no pin. The oracle is not asked. */
static void test_no_pins(void **state)
{
    (void)state;
    const wr_absent_reply_cfg cfg = {REGS};
    wr_absent_reply s;
    wr_absent_reply_out out;
    assert_int_equal(wr_absent_reply_init(&s, &cfg), WR_OK);
    wr_absent_reply_in in = {.cfg = true, .move = true, .group = 0xfc | 1};
    wr_absent_reply_tick(&s, &in);
    in = (wr_absent_reply_in){.valid = true, .warp = 0x80 | 5, .regno = 0xc0 | 1};
    wr_absent_reply_tick(&s, &in);
    wr_absent_reply_eval(&s, &in, &out);
    assert_int_equal(out.find_id, 5);
    in.find_ack = in.find_valid = true;
    in.find_state = 0xfc | ABSENT;
    in.find_reg = 0xf000 | 0x123;
    in.find_meta = 0xf000 | 0x456;
    wr_absent_reply_tick(&s, &in);
    wr_absent_reply_eval(&s, &in, &out);
    assert_int_equal(out.read_line, 0x456);
    in.find_ack = false;
    in.read_ack = true;
    in.head = UINT32_MAX;
    wr_absent_reply_tick(&s, &in);
    in.read_ack = false;
    in.kinds_ack = true;
    in.kind_low = UINT64_C(1) << 63 | 3;
    in.kind_high = UINT64_C(1) << 63 | 2;
    wr_absent_reply_tick(&s, &in);
    wr_absent_reply_tick(&s, &in); /* kinds_ack is one too many now */
    wr_absent_reply_eval(&s, &in, &out);
    assert_int_equal(out.write_line, 0x123);
    assert_int_equal(out.write_word, 2);
    assert_true(out.fault);
}

static void answer(bench *b, wr_absent_reply_in *in, bool wild)
{
    wr_rig *g = &b->rig;
    const uint64_t own = UINT64_C(1) << in->regno % 64;
    const bool ack = wr_rig_takes(g);

    in->find_ack = b->step == FIND && ack;
    in->read_ack = b->step == READ && ack;
    in->kinds_ack = b->step == KINDS && ack;
    in->write_ack = (b->step == WRITE || b->step == REST) && ack;
    in->find_reg = (uint16_t)wr_rig_below(g, 4096);
    in->find_meta = (uint16_t)wr_rig_below(g, 4096);
    in->find_state = (uint8_t)(in->find_ack && !wild ? ABSENT : wr_rig_below(g, 4));
    in->find_valid = (in->find_ack && !wild) || wr_rig_chance(g, 50);
    in->head = wr_rig_below(g, 256) | (wr_rig_below(g, 1 << 24) << 8);
    in->head |= wild ? 0 : 1u << (8 + wr_rig_below(g, 24));
    in->head &= wild && wr_rig_chance(g, 50) ? 0xff : UINT32_MAX;
    in->kind_low = wr_rig_below(g, UINT32_MAX) | (uint64_t)wr_rig_below(g, 1u << 31) << 32;
    in->kind_high = wr_rig_below(g, UINT32_MAX) | (uint64_t)wr_rig_below(g, 1u << 31) << 32;
    in->kind_low |= wild ? 0 : own;
    in->kind_high |= wild ? 0 : own;
    if (!wild && wr_rig_chance(g, 10)) { /* a register that is dead */
        in->kind_low &= ~own;
        in->kind_high &= ~own;
    }
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *g = &b->rig;
    wr_absent_reply_in in = {0};

    for (unsigned n = 0; n < cycles; n++) {
        const bool wild = with_faults && wr_rig_chance(g, 10);

        in.cfg = (b->step == IDLE && wr_rig_chance(g, 10)) || (wild && wr_rig_chance(g, 10));
        in.move = wr_rig_chance(g, 80);
        in.group = (uint8_t)wr_rig_below(g, wild ? 4 : 3);
        if (b->step == IDLE) {
            in.valid = wr_rig_offers(g);
            in.warp = (uint8_t)wr_rig_below(g, 128);
            in.regno = (uint8_t)wr_rig_below(g, wild ? 64 : b->cfg.regs);
        } else {
            in.valid = in.valid && !wr_rig_chance(g, 2);
        }
        answer(b, &in, wild);
        if (wild) {
            in.find_ack = in.find_ack || wr_rig_chance(g, 20);
            in.read_ack = in.read_ack || wr_rig_chance(g, 20);
            in.kinds_ack = in.kinds_ack || wr_rig_chance(g, 20);
            in.write_ack = in.write_ack || wr_rig_chance(g, 20);
        }
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned step = IDLE; step < STEPS; step++) {
        assert_true(b->steps[step] > 50 || (step == REST && b->cfg.regs == 1));
    }
    assert_true(b->given_up > 20);
}

static const wr_bench self = {
    .block = &wr_absent_reply_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, fault),
           .transactions = offsetof(bench, writes)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 10000, .faulty = 1000, .rounds = 8},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_places),   cmocka_unit_test(test_stays),
        cmocka_unit_test(test_not_kept), cmocka_unit_test(test_withdrawn),
        cmocka_unit_test(test_no_pins),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
