/* SPDX-License-Identifier: Apache-2.0 */
/* hint_decoder: the model against the oracle in every cycle on every output, under random chains
 * and protocol faults; the formats of Gong Fig. 5.4 to the bit, and the chain of the loop of
 * Fig. 5.1 as exact values.
 */
#include "dpi/gen/hint_decoder_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/hint_decoder_oracle.h"

enum { IN_ORDER, HINT, WAIT, MODES };

typedef struct bench {
    wr_rig rig;
    wr_hint_decoder_cfg cfg;
    wr_hint_decoder dut;
    wr_oracle_hints oracle;
    uint64_t modes[MODES];
    uint64_t accepted;
    uint64_t branches;
    uint64_t renamed;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->oracle = (wr_oracle_hints){.offset_bits = b->cfg.offset_w,
                                  .branch_bits = b->cfg.branch_w,
                                  .special = b->cfg.special_base};
}

static const wr_hint_decoder_cfg configs[] = {
    {.offset_w = 4, .branch_w = 5, .special_base = 12},
    {.offset_w = 9, .branch_w = 11, .special_base = 240},
    {.offset_w = 7, .branch_w = 10, .special_base = 200},
    {.offset_w = 3, .branch_w = 3, .special_base = 256},
    {.offset_w = 9, .branch_w = 9, .special_base = 1},
    {.offset_w = 3, .branch_w = 11, .special_base = 8},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static wr_oracle_hints_in oracle_in(const wr_hint_decoder_in *in)
{
    return (wr_oracle_hints_in){.stall = in->stall,
                                .resume = in->resume,
                                .redirect = in->redirect,
                                .valid = in->valid,
                                .pc = in->pc,
                                .hint = in->hint,
                                .branch = in->branch,
                                .taken = in->taken,
                                .not_taken = in->not_taken,
                                .dst = in->dst,
                                .rcu_empty = in->rcu_empty,
                                .rcu_full = in->rcu_full,
                                .take = in->take};
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_hint_decoder_out cycle(bench *b, const wr_hint_decoder_in *in)
{
    const wr_oracle_hints *o = &b->oracle;
    const wr_oracle_hints_in step = oracle_in(in);
    wr_hint_decoder_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "ready", out.ready, wr_oracle_hints_ready(o, &step));
    wr_rig_check(&b->rig, "mode", out.mode, o->mode);
    wr_rig_check(&b->rig, "base", out.base, o->base);
    wr_rig_check(&b->rig, "fetch_pc", out.fetch_pc, wr_oracle_hints_fetch_pc(o));
    wr_rig_check(&b->rig, "issue", out.issue, o->issue.there);
    wr_rig_check(&b->rig, "offset", out.offset, (unsigned)(o->issue.offset + 512) % 512);
    wr_rig_check(&b->rig, "dst", out.dst, o->issue.dst);
    wr_rig_check(&b->rig, "renamed", out.renamed, o->issue.renamed);
    wr_rig_check(&b->rig, "control", out.control, o->issue.control);
    wr_rig_check(&b->rig, "taken_offset", out.taken_offset,
                 (unsigned)(o->issue.taken_offset + 2048) % 2048);
    wr_rig_check(&b->rig, "not_taken_offset", out.not_taken_offset,
                 (unsigned)(o->issue.not_taken_offset + 2048) % 2048);
    wr_rig_check(&b->rig, "fault", out.fault, o->fault);

    b->modes[out.mode]++;
    b->accepted += in->valid && out.ready;
    b->branches += out.issue && out.control;
    b->renamed += out.issue && out.renamed != out.dst;
    wr_oracle_hints_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_hint_decoder_out *)out = cycle(bench_v, in);
}

/* Format 1: valid, offset 9, rename 1, dst 8. */
static uint32_t format_1(int offset, bool rename, unsigned dst)
{
    return 0x800000u | (uint32_t)(offset & 0x1ff) << 9 | (uint32_t)rename << 8 | dst;
}

/* Format 2: valid, type 1, two offsets of 11. */
static uint32_t format_2(bool direct, int taken, int not_taken)
{
    return 0x800000u | (uint32_t)direct << 22 | (uint32_t)(not_taken & 0x7ff) << 11 |
           (uint32_t)(taken & 0x7ff);
}

static void stall(bench *b, uint32_t pc, uint32_t hint)
{
    const wr_hint_decoder_in in = {.stall = true, .pc = pc, .hint = hint, .rcu_empty = true};
    cycle(b, &in);
}

static const wr_hint_decoder_in idle = {0};

/* Offers an instruction where fetch stands, and takes the one before it. */
static wr_hint_decoder_out offer(bench *b, uint32_t hint, unsigned dst, bool branch, bool taken)
{
    const wr_hint_decoder_out now = cycle(b, &idle);
    const wr_hint_decoder_in in = {.valid = true,
                                   .pc = now.fetch_pc,
                                   .hint = hint,
                                   .branch = branch,
                                   .taken = taken,
                                   .not_taken = !taken,
                                   .dst = (uint8_t)dst,
                                   .take = now.issue};
    assert_true(cycle(b, &in).ready);
    return cycle(b, &idle);
}

/* The loop of Fig. 5.1 stalls at I17. Its chain is I19 (k = k + 1, R7, renamed), I20 (to I1), I1
 * (the test of k, a predicate), I2 (out of the loop or on) and ends at I3. */
static void test_loop(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    stall(&b, 17, format_1(19 - 17, false, 9));
    wr_hint_decoder_out out = cycle(&b, &idle);
    assert_int_equal(out.mode, HINT);
    assert_int_equal(out.base, 17);
    assert_int_equal(out.fetch_pc, 19);
    assert_false(out.issue);

    out = offer(&b, format_1(20 - 17, true, 100), 7, false, false);
    assert_true(out.issue);
    assert_int_equal(out.offset, 2);
    assert_int_equal(out.dst, 7);
    assert_int_equal(out.renamed, 100);
    assert_int_equal(out.fetch_pc, 20);

    out = offer(&b, format_2(true, 1 - 17, 0), 0, true, true);
    assert_int_equal(out.offset, 3);
    assert_true(out.control);
    assert_int_equal(out.taken_offset, 2048 - 16);
    assert_int_equal(out.fetch_pc, 1);

    out = offer(&b, format_1(2 - 17, false, 0xf0), 0xf0, false, false);
    assert_int_equal(out.offset, 512 - 16);
    assert_int_equal(out.dst, 0xf0);
    assert_int_equal(out.renamed, 0xf0);
    assert_int_equal(out.fetch_pc, 2);

    out = offer(&b, format_2(false, 22 - 17, 3 - 17), 0, true, false);
    assert_int_equal(out.taken_offset, 5);
    assert_int_equal(out.not_taken_offset, 2048 - 14);
    assert_int_equal(out.fetch_pc, 3);

    out = offer(&b, format_1(0, false, 9), 9, false, false);
    assert_int_equal(out.offset, 512 - 14);
    assert_int_equal(out.mode, WAIT);
    assert_int_equal(out.fetch_pc, 17);
    assert_true(out.issue); /* the last one still leaves */
    const wr_hint_decoder_in take = {.take = true};
    cycle(&b, &take);
    out = cycle(&b, &idle);
    assert_false(out.issue);
    const wr_hint_decoder_in resume = {.resume = true};
    cycle(&b, &resume);
    out = cycle(&b, &idle);
    assert_int_equal(out.mode, IN_ORDER);
    assert_int_equal(out.base, 17);
    assert_false(out.fault);
}

/* A stall point starts hint mode only with a hint, an offset and an empty RCU. */
static void test_start(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_hint_decoder_in in = {.stall = true, .pc = 100, .hint = format_1(1, true, 255)};
    cycle(&b, &in); /* RCU not empty */
    assert_int_equal(cycle(&b, &idle).mode, IN_ORDER);
    in.rcu_empty = true;
    in.hint &= 0x7fffff; /* no hint */
    cycle(&b, &in);
    assert_int_equal(cycle(&b, &idle).mode, IN_ORDER);
    in.hint = format_1(0, false, 1); /* a chain without an instruction */
    cycle(&b, &in);
    assert_int_equal(cycle(&b, &idle).mode, IN_ORDER);
    in.hint = format_1(-256, false, 1);
    in.resume = true;
    cycle(&b, &in);
    assert_int_equal(cycle(&b, &idle).mode, IN_ORDER);
    in.resume = false;
    cycle(&b, &in);
    const wr_hint_decoder_out out = cycle(&b, &idle);
    assert_int_equal(out.mode, HINT);
    assert_int_equal(out.base, 100);
    assert_int_equal(out.fetch_pc, 100u - 256u);
    assert_false(out.fault);
}

/* Branch offsets reach -1,024 to 1,023, a chain -256 to 255: past that it ends, and at 0. */
static void test_reach(void **state)
{
    (void)state;
    static const int ends[] = {0, -1024, 1023, 256, -257};
    static const int goes[] = {255, -256, 1, -1};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 5000, format_1(1, false, 0));
        const wr_hint_decoder_out out = offer(&b, format_2(false, ends[i], 7), 0, true, true);
        assert_int_equal(out.mode, WAIT);
        assert_true(out.issue);
        assert_int_equal(out.taken_offset, (ends[i] + 2048) % 2048);
        assert_false(out.fault);
    }
    for (size_t i = 0; i < sizeof goes / sizeof goes[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 0, format_1(1, false, 0));
        wr_hint_decoder_out out = offer(&b, format_2(false, 9, goes[i]), 0, true, false);
        assert_int_equal(out.mode, HINT);
        assert_int_equal(out.fetch_pc, (uint32_t)goes[i]);
        const wr_hint_decoder_in in = {.redirect = true, .pc = (uint32_t)-goes[i]};
        cycle(&b, &in);
        out = cycle(&b, &idle);
        assert_int_equal(out.mode, goes[i] == -256 ? WAIT : HINT);
        assert_true(out.issue);
        assert_false(out.fault);
    }
}

/* What ends hint mode: a full RCU drops what stands at the output, the return does too. */
static void test_full_and_resume(void **state)
{
    (void)state;
    for (unsigned resume = 0; resume < 2; resume++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 40, format_1(4, false, 0));
        assert_true(offer(&b, format_1(5, false, 2), 2, false, false).issue);
        const wr_hint_decoder_in in = {.resume = resume == 1, .rcu_full = resume == 0};
        assert_false(cycle(&b, &in).ready);
        const wr_hint_decoder_out out = cycle(&b, &idle);
        assert_false(out.issue);
        assert_int_equal(out.mode, resume == 1 ? IN_ORDER : WAIT);
        assert_int_equal(out.fetch_pc, 40);
        assert_false(out.fault);
    }
}

/* One cycle in hint mode at base 40, next instruction 44, with or without one at the output. */
static void check_fault(wr_hint_decoder_in in, bool issue, bool want, unsigned mode)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    stall(&b, 40, format_1(issue ? 3 : 4, false, 0));
    if (issue) {
        offer(&b, format_1(4, false, 2), 2, false, false);
    }
    cycle(&b, &in);
    assert_int_equal(cycle(&b, &idle).fault, want);
    assert_int_equal(cycle(&b, &idle).mode, mode);
    wr_bench_reset(&self, &b);
    assert_false(cycle(&b, &idle).fault);
}

static void test_faults(void **state)
{
    (void)state;
    check_fault((wr_hint_decoder_in){.stall = true}, false, true, HINT);
    check_fault((wr_hint_decoder_in){.take = true}, false, true, HINT);
    check_fault((wr_hint_decoder_in){.take = true}, true, false, HINT);
    check_fault((wr_hint_decoder_in){.take = true, .rcu_full = true}, true, true, WAIT);
    check_fault((wr_hint_decoder_in){.take = true, .resume = true}, true, false, IN_ORDER);
    wr_hint_decoder_in in = {.valid = true, .pc = 44, .hint = format_1(6, false, 9), .dst = 9};
    check_fault(in, false, false, HINT);
    check_fault(in, true, false, HINT); /* not accepted: the one before still stands */
    in.pc = 45;
    check_fault(in, false, true, WAIT);
    in.pc = 44;
    in.hint = format_1(6, false, 9) & 0x7fffff;
    check_fault(in, false, true, WAIT);
    in.hint = format_1(6, false, 10); /* not the decoded destination */
    check_fault(in, false, true, HINT);
    in.hint = format_1(6, false, 9) | 1u << 18;
    check_fault(in, false, true, HINT);
    in.hint = format_1(6, false, 9) | 1u << 22;
    check_fault(in, false, true, HINT);
    in.hint = format_1(6, true, 9); /* renamed to itself */
    check_fault(in, false, true, HINT);
    in.hint = format_1(6, true, 239);
    check_fault(in, false, false, HINT);
    in.hint = format_1(6, true, 240);
    check_fault(in, false, true, HINT);
    in.dst = 240; /* a predicate */
    in.hint = format_1(6, true, 9);
    check_fault(in, false, true, HINT);
    in.branch = true;
    in.hint = format_2(false, 6, 7);
    check_fault(in, false, true, WAIT); /* nobody goes either way */
    in.taken = true;
    check_fault(in, false, false, HINT);
    in.hint = format_2(true, 6, 7);
    check_fault(in, false, true, HINT);
    in.hint = format_2(true, 6, 0);
    in.taken = false;
    check_fault(in, false, false, HINT);
}

/* Outside hint mode. */
static void test_faults_in_order(void **state)
{
    (void)state;
    const struct {
        wr_hint_decoder_in in;
        bool fault;
    } cases[] = {
        {{.redirect = true}, true},
        {{.redirect = true, .resume = true}, true},
        {{.take = true}, true},
        {{.valid = true, .pc = 1, .hint = 1}, false},
        {{.resume = true, .rcu_full = true}, false},
        {{.stall = true, .hint = 0x400000 | 3u << 9, .rcu_empty = true}, false},
        {{.stall = true, .hint = 0xc00000 | 3u << 9, .rcu_empty = true}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        cycle(&b, &cases[i].in);
        assert_int_equal(cycle(&b, &idle).fault, cases[i].fault);
    }
}

/* A hint that is legal for this instruction, mostly with a short distance. */
static uint32_t random_hint(bench *b, const wr_hint_decoder_in *in)
{
    wr_rig *rig = &b->rig;
    const unsigned special = b->cfg.special_base;
    if (in->branch) {
        const bool direct = wr_rig_chance(rig, 30);
        const uint32_t field = (1u << b->cfg.branch_w) - 1u;
        uint32_t to = (uint32_t)wr_rig_random(rig) & field;
        uint32_t other = (uint32_t)wr_rig_random(rig) & field;
        if (wr_rig_chance(rig, 70)) {
            to = wr_rig_below(rig, 1u << (b->cfg.offset_w - 1));
            other = (0u - wr_rig_below(rig, 1u << (b->cfg.offset_w - 1))) & field;
        }
        return 0x800000u | (uint32_t)direct << 22 | (direct ? 0 : other << 11) | to;
    }
    uint32_t dst = in->dst;
    bool rename = false;
    if (in->dst < special && special > 1 && wr_rig_chance(rig, 50)) {
        dst = wr_rig_below(rig, special);
        rename = dst != in->dst;
    }
    const uint32_t offset = wr_rig_below(rig, 1u << b->cfg.offset_w);
    return 0x800000u | offset << 9 | (uint32_t)rename << 8 | dst;
}

static wr_hint_decoder_in random_in(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    const wr_oracle_hints *o = &b->oracle;
    const bool blind = with_faults && wr_rig_chance(rig, 5);
    const bool chain = o->mode == WR_ORACLE_HINT_CHAIN;
    wr_hint_decoder_in in = {.pc = wr_oracle_hints_fetch_pc(o),
                             .branch = wr_rig_chance(rig, 30),
                             .taken = wr_rig_chance(rig, 50),
                             .dst = (uint8_t)wr_rig_below(rig, wr_rig_chance(rig, 50) ? 256 : 12),
                             .rcu_empty = wr_rig_chance(rig, 80)};
    in.not_taken = !in.taken || wr_rig_chance(rig, 30);
    if (o->mode == WR_ORACLE_HINT_IN_ORDER) {
        in.pc = wr_rig_chance(rig, 50) ? wr_rig_below(rig, 8) : (uint32_t)wr_rig_random(rig);
        in.branch = false;
    }
    in.hint = random_hint(b, &in);
    in.stall = (o->mode == WR_ORACLE_HINT_IN_ORDER || blind) && wr_rig_chance(rig, 50);
    in.resume = wr_rig_below(rig, o->mode == WR_ORACLE_HINT_WAIT ? 5 : 40) == 0;
    in.redirect = (chain || blind) && wr_rig_below(rig, 15) == 0;
    in.rcu_full = wr_rig_below(rig, 30) == 0;
    in.valid = wr_rig_offers(rig);
    in.take = wr_rig_takes(rig) && (blind || (o->issue.there && !in.rcu_full));
    if (in.redirect) {
        in.pc = o->base + wr_rig_below(rig, 1u << b->cfg.offset_w) -
                wr_rig_below(rig, 1u << b->cfg.offset_w);
    }
    if (blind) {
        switch (wr_rig_below(rig, 5)) {
        case 0:
            in.hint ^= 1u << wr_rig_below(rig, 24);
            break;
        case 1:
            in.hint = (uint32_t)wr_rig_random(rig) & 0xffffff;
            break;
        case 2:
            in.pc ^= 1u << wr_rig_below(rig, 32);
            break;
        case 3:
            in.taken = in.not_taken = false;
            break;
        default:
            in.dst ^= 1;
            break;
        }
    }
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_hint_decoder_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned m = 0; m < MODES; m++) {
        assert_true(b->modes[m] > 100);
    }
    assert_true(b->accepted > 1000 && b->branches > 100);
    assert_true(b->renamed > 100 || b->cfg.special_base == 1);
}

/* Each parameter is in its range. */
static const wr_hint_decoder_cfg refused[] = {
    {9, 8, 240},
};

static const wr_bench self = {
    .block = &wr_hint_decoder_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, accepted)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
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
        cmocka_unit_test(test_loop),   cmocka_unit_test(test_start),
        cmocka_unit_test(test_reach),  cmocka_unit_test(test_full_and_resume),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_faults_in_order),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
