/* SPDX-License-Identifier: Apache-2.0 */
/* haws_unit: the model against the oracle in every cycle on every output, under random chains and
 * protocol faults; the examples of Gong (Fig. 5.7, the loop of Fig. 5.1) as exact values, splits,
 * reconvergence on the way, the order of turns, and what takes room from what in one cycle.
 */
#include "dpi/gen/haws_unit_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/haws_unit_oracle.h"

enum { VALID = 1 << 23, STALL = 1 << 22, DIRECT = 1 << 22, RENAME = 1 << 8, ACTIONS = 5 };

typedef struct bench {
    wr_rig rig;
    wr_haws_unit_cfg cfg;
    wr_haws_unit dut;
    wr_oracle_haws oracle;
    uint64_t entered, mapped, split;
    uint64_t acted[ACTIONS]; /* with check */
    uint8_t stays[WR_ORACLE_HAWS_WARPS];
    bool stalled[WR_ORACLE_HAWS_WARPS];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    const wr_oracle_haws_params p = {.warps = b->cfg.warps,
                                     .entries = b->cfg.entries,
                                     .srcs = b->cfg.srcs,
                                     .offset_w = b->cfg.offset_w,
                                     .branch_w = b->cfg.branch_w,
                                     .special_base = b->cfg.special_base,
                                     .lanes = b->cfg.lanes};
    wr_oracle_haws_start(&b->oracle, &p);
}

#define SIZES(w, e, s, o, n, p, l)                                                                 \
    {                                                                                              \
        .warps = (w), .entries = (e), .srcs = (s), .offset_w = (o), .branch_w = (n),               \
        .special_base = (p), .lanes = (l)                                                          \
    }
static const wr_haws_unit_cfg configs[] = {
    SIZES(2, 2, 1, 4, 5, 12, 4),     SIZES(40, 8, 4, 9, 11, 240, 64),
    SIZES(23, 5, 3, 7, 10, 200, 33), SIZES(64, 8, 4, 9, 11, 256, 64),
    SIZES(3, 3, 2, 3, 3, 1, 2),      SIZES(32, 8, 4, 9, 9, 128, 32),
};
static const wr_haws_unit_cfg refused[] = {SIZES(8, 8, 4, 9, 8, 240, 32),
                                           SIZES(8, 8, 4, 4, 3, 2, 2)};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static wr_oracle_haws_in oracle_in(const wr_haws_unit_in *in)
{
    wr_oracle_haws_in o = {.decode = in->decode,
                           .pc = in->pc,
                           .hint = in->hint,
                           .branch = in->branch,
                           .dst = in->dst,
                           .mask = in->mask,
                           .target = in->target,
                           .rpc = in->rpc,
                           .take = in->take,
                           .done = in->done,
                           .done_warp = in->done_warp,
                           .done_id = in->done_id,
                           .check = in->check,
                           .check_warp = in->check_warp,
                           .check_pc = in->check_pc,
                           .clear = in->clear,
                           .clear_warp = in->clear_warp};
    memcpy(o.stalled, in->stalled, sizeof o.stalled);
    for (unsigned i = 0; i < WR_ORACLE_HAWS_SRCS; i++) {
        o.src_used[i] = in->src_used[i];
        o.src[i] = in->src[i];
    }
    return o;
}

static void check_warps(bench *b, const wr_haws_unit_out *out, const wr_oracle_haws_out *want)
{
    uint64_t hint[2] = {0};
    uint64_t holds[2] = {0};
    for (unsigned i = 0; i < WR_ORACLE_HAWS_WARPS; i++) {
        hint[0] |= (uint64_t)out->hint[i] << i;
        hint[1] |= (uint64_t)want->hint[i] << i;
        holds[0] |= (uint64_t)out->holds[i] << i;
        holds[1] |= (uint64_t)want->holds[i] << i;
    }
    wr_rig_check(&b->rig, "hint", hint[0], hint[1]);
    wr_rig_check(&b->rig, "holds", holds[0], holds[1]);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_haws_unit_out cycle(bench *b, const wr_haws_unit_in *in)
{
    const wr_oracle_haws_in step = oracle_in(in);
    wr_oracle_haws_out want;
    wr_haws_unit_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_oracle_haws_look(&b->oracle, &step, &want);
    wr_rig_check(&b->rig, "serve", out.serve, want.serve);
    wr_rig_check(&b->rig, "serve_warp", out.serve_warp, want.serve_warp);
    wr_rig_check(&b->rig, "serve_entry", out.serve_entry, want.serve_entry);
    wr_rig_check(&b->rig, "serve_pc", out.serve_pc, want.serve_pc);
    wr_rig_check(&b->rig, "issue", out.issue, want.issue);
    wr_rig_check(&b->rig, "issue_warp", out.issue_warp, want.issue_warp);
    wr_rig_check(&b->rig, "issue_pc", out.issue_pc, want.issue_pc);
    wr_rig_check(&b->rig, "issue_lanes", out.issue_lanes, want.issue_lanes);
    wr_rig_check(&b->rig, "issue_dst", out.issue_dst, want.issue_dst);
    wr_rig_check(&b->rig, "issue_renamed", out.issue_renamed, want.issue_renamed);
    for (unsigned i = 0; i < WR_ORACLE_HAWS_SRCS; i++) {
        wr_rig_check(&b->rig, "issue_src", out.issue_src[i], want.issue_src[i]);
    }
    wr_rig_check(&b->rig, "issue_control", out.issue_control, want.issue_control);
    wr_rig_check(&b->rig, "issue_id", out.issue_id, want.issue_id);
    wr_rig_check(&b->rig, "action", out.action, want.action);
    wr_rig_check(&b->rig, "copy_from", out.copy_from, want.copy_from);
    wr_rig_check(&b->rig, "copy_to", out.copy_to, want.copy_to);
    wr_rig_check(&b->rig, "fault", out.fault, want.fault);
    check_warps(b, &out, &want);

    b->entered += in->take && out.issue;
    b->acted[out.action] += in->check;
    wr_oracle_haws_clock(&b->oracle, &step);
    b->mapped += b->oracle.issue.there && b->oracle.issue.src[0] != in->src[0];
    b->split += b->oracle.issue.there &&
                b->oracle.issue.behind.lanes != b->oracle.warp[b->oracle.issue.warp].lanes;
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_haws_unit_out *)out = cycle(bench_v, in);
}

static uint32_t offset(int value, unsigned at)
{
    return ((uint32_t)value & (at == 9 ? 0x1ffu : 0x7ffu)) << at;
}

/* Warp 0 stalls at `base` with lanes `mask`; from the next cycle on its chain is at base + first.
 */
static void stall(bench *b, uint32_t base, int first, uint64_t mask, uint32_t rpc)
{
    wr_haws_unit_in in = {.stalled = {true}};
    cycle(b, &in);
    in.decode = true;
    in.pc = base;
    in.hint = VALID | STALL | offset(first, 9);
    in.mask = mask;
    in.rpc = rpc;
    const wr_haws_unit_out out = cycle(b, &in);
    assert_true(out.serve && out.serve_entry && out.serve_warp == 0);
}

/* The chain's next instruction is offered, then stands at issue, and is taken. What stood there. */
static wr_haws_unit_out issue(bench *b, wr_haws_unit_in in)
{
    const wr_haws_unit_in take = {.stalled = {true}, .take = true};
    in.stalled[0] = true;
    in.decode = true;
    wr_haws_unit_out out = cycle(b, &in);
    assert_true(out.serve && !out.serve_entry);
    assert_int_equal(out.serve_pc, in.pc);
    return cycle(b, &take);
}

static wr_haws_unit_in plain(uint32_t pc, int next, uint8_t dst, uint8_t to, uint8_t src)
{
    return (wr_haws_unit_in){.pc = pc,
                             .hint = VALID | offset(next, 9) | (to != dst ? RENAME | to : dst),
                             .dst = dst,
                             .src_used = {true},
                             .src = {src}};
}

static wr_haws_unit_in jump(uint32_t pc, bool direct, int taken, int other)
{
    return (wr_haws_unit_in){.pc = pc,
                             .hint =
                                 VALID | (direct ? DIRECT : offset(other, 11)) | offset(taken, 0),
                             .branch = true};
}

static void finish(bench *b, uint8_t id)
{
    const wr_haws_unit_in in = {.stalled = {true}, .done = true, .done_id = id};
    cycle(b, &in);
}

/* In order, warp 0 at this PC. */
static unsigned fetch(bench *b, uint32_t pc)
{
    const wr_haws_unit_in in = {.check = true, .check_pc = pc};
    return cycle(b, &in).action;
}

/* Fig. 5.7 and 5.3: I3 waits for a load, I4 and I6 run ahead, in place. */
static void test_paper_example(void **state)
{
    (void)state;
    bench b;
    const wr_haws_unit_in idle = {0};
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    stall(&b, 3, 1, 0xff, UINT32_MAX);
    wr_haws_unit_out out = issue(&b, plain(4, 3, 4, 4, 1));
    assert_true(out.issue && out.issue_pc == 4 && out.issue_dst == 4 && out.issue_renamed == 4);
    assert_int_equal(out.issue_lanes, 0xff);
    wr_haws_unit_in wait = plain(6, 0, 5, 5, 4); /* reads r4, which is not there yet */
    wait.stalled[0] = wait.decode = true;
    cycle(&b, &wait);
    assert_false(cycle(&b, &wait).issue);
    finish(&b, 0);
    out = issue(&b, plain(6, 0, 5, 5, 4));
    assert_int_equal(out.issue_id, 1);
    const wr_haws_unit_in waits = {.stalled = {true}};
    out = cycle(&b, &waits);
    assert_false(out.hint[0] || out.serve);
    cycle(&b, &idle);
    assert_int_equal(fetch(&b, 3), WR_HAWS_NORMAL);
    assert_int_equal(fetch(&b, 4), WR_HAWS_SKIP);
    assert_int_equal(fetch(&b, 5), WR_HAWS_NORMAL);
    assert_int_equal(fetch(&b, 6), WR_HAWS_WAIT);
    const wr_haws_unit_in done = {.done = true, .done_id = 1};
    cycle(&b, &done);
    assert_int_equal(fetch(&b, 6), WR_HAWS_SKIP);
    out = cycle(&b, &idle);
    assert_false(out.holds[0] || out.fault);
}

/* Fig. 5.1: I17 waits; the chain I19, I20, I1 to I6 goes round the loop and fills eight entries; R9
 * is renamed from I3 on. */
static void test_loop(void **state)
{
    (void)state;
    enum { P0 = 0xf0, ROWS = 8 };
    bench b;
    static const struct {
        uint8_t pc, dst, to, src;
        int next; /* PC */
    } rows[ROWS] = {{19, 7, 7, 7, 20}, {20, 0, 0, 0, 1}, {1, P0, P0, 7, 2}, {2, 0, 0, 0, 3},
                    {3, 9, 40, 5, 4},  {4, 9, 41, 9, 5}, {5, 9, 42, 9, 6},  {6, 9, 43, 5, 7}};
    static const uint8_t source[ROWS] = {7, 0, 7, 0, 5, 40, 41, 5};
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    stall(&b, 17, 2, UINT32_MAX, 22);
    for (unsigned i = 0; i < ROWS; i++) {
        const int next = rows[i].next - 17;
        wr_haws_unit_in in = plain(rows[i].pc, next, rows[i].dst, rows[i].to, rows[i].src);
        if (i == 1 || i == 3) {
            in = jump(rows[i].pc, i == 1, i == 1 ? next : 0, i == 1 ? 0 : next);
        }
        in.target = i == 1 ? 1 : 22;
        in.rpc = 22;
        const wr_haws_unit_out out = issue(&b, in);
        assert_true(out.issue);
        assert_int_equal(out.issue_pc, in.pc);
        assert_int_equal(out.issue_id, i);
        assert_int_equal(out.issue_src[0], source[i]);
        assert_int_equal(out.issue_renamed, in.branch ? 0 : (in.hint & 0xff));
        if (!in.branch) {
            finish(&b, (uint8_t)i);
        }
    }
    const wr_haws_unit_in waits = {.stalled = {true}};
    assert_false(cycle(&b, &waits).hint[0]); /* the ring is full */
    const wr_haws_unit_in idle = {0};
    cycle(&b, &idle);
    static const struct {
        uint32_t pc;
        unsigned action;
        uint8_t from;
    } back[] = {{17, WR_HAWS_NORMAL, 0}, {18, WR_HAWS_NORMAL, 0}, {19, WR_HAWS_SKIP, 0},
                {20, WR_HAWS_BRANCH, 0}, {1, WR_HAWS_SKIP, 0},    {2, WR_HAWS_BRANCH, 0},
                {3, WR_HAWS_COPY, 40},   {4, WR_HAWS_COPY, 41},   {5, WR_HAWS_COPY, 42},
                {6, WR_HAWS_COPY, 43},   {7, WR_HAWS_NORMAL, 0}};
    for (size_t i = 0; i < sizeof back / sizeof back[0]; i++) {
        const wr_haws_unit_in in = {.check = true, .check_pc = back[i].pc};
        const wr_haws_unit_out out = cycle(&b, &in);
        assert_int_equal(out.action, back[i].action);
        assert_int_equal(out.copy_from, back[i].from);
        assert_int_equal(out.copy_to, back[i].action == WR_HAWS_COPY ? 9 : 0);
        assert_false(out.fault);
    }
}

/* A split goes on with the side that runs first in order, until its lanes would meet others. */
static void test_split(void **state)
{
    (void)state;
    static const struct {
        uint64_t takes;
        uint32_t target, rpc;
        int taken, other;
        uint64_t lanes; /* behind it; 0: the chain ends */
        uint32_t pc;
    } rows[] = {
        {0x0f, 110, 120, 11, 6, 0x0f, 111}, /* the taken side first */
        {0x0f, 120, 120, 21, 6, 0xf0, 106}, /* that one is there already: the other */
        {0xff, 120, 120, 21, 6, 0xff, 121}, /* all take it: nobody waits at 120 */
        {0x00, 120, 120, 21, 6, 0xff, 106}, /* nobody does */
        {0x0f, 110, 120, 20, 6, 0, 0},      /* the next one is where they meet */
        {0x0f, 110, 120, 25, 6, 0, 0},      /* or behind */
        {0x0f, 120, 105, 20, 6, 0x0f, 120}, /* where they meet lies elsewhere */
        {0x0f, 120, 105, 21, 6, 0x0f, 121}, {0x0f, 110, 120, 9, 6, 0, 0}, /* before the target */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 100, 4, 0xff, UINT32_MAX);
        wr_haws_unit_in in = jump(104, false, rows[i].taken, rows[i].other);
        in.mask = rows[i].takes | 0xff00; /* lanes that are not active */
        in.target = rows[i].target;
        in.rpc = rows[i].rpc;
        assert_int_equal(issue(&b, in).issue_lanes, 0xff);
        const wr_haws_unit_in look = {.stalled = {true}};
        const wr_haws_unit_out out = cycle(&b, &look);
        assert_int_equal(out.hint[0], rows[i].lanes != 0);
        assert_int_equal(out.serve_pc, rows[i].pc);
        assert_int_equal(b.dut.warp_q[0].lanes, rows[i].lanes != 0 ? rows[i].lanes : 0x0f);
    }
}

/* A chain begins or goes on only where no lanes meet on the way, both ends counted. */
static void test_reconvergence(void **state)
{
    (void)state;
    for (uint32_t rpc = 98; rpc < 110; rpc++) {
        bench b;
        const wr_haws_unit_in look = {.stalled = {true}};
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 100, 4, 1, rpc);
        assert_int_equal(cycle(&b, &look).hint[0], rpc < 101 || rpc > 104);
    }
}

/* Bit 22 marks a stall point; the word of an instruction of a chain begins none. */
static void test_stall_bit(void **state)
{
    (void)state;
    bench b;
    wr_haws_unit_in in = {.stalled = {true}};
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    cycle(&b, &in);
    in.decode = true;
    in.hint = VALID | offset(3, 9);
    cycle(&b, &in);
    in.decode = false;
    const wr_haws_unit_out out = cycle(&b, &in);
    assert_false(out.hint[0] || out.serve || out.fault);
}

/* Turns go round; a stall point gives way to an instruction that is taken. */
static void test_turns(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    wr_haws_unit_in in = {.stalled = {[3] = true, [5] = true, [39] = true}};
    static const uint8_t order[] = {3, 5, 39, 3, 5, 39, 3};
    cycle(&b, &in);
    for (size_t i = 0; i < sizeof order; i++) {
        const wr_haws_unit_out out = cycle(&b, &in);
        assert_true(out.serve && out.serve_entry);
        assert_int_equal(out.serve_warp, order[i]);
    }
    wr_bench_reset(&self, &b);
    stall(&b, 10, 2, 1, UINT32_MAX);
    wr_haws_unit_in offer = plain(12, 3, 1, 1, 2);
    offer.stalled[0] = offer.stalled[7] = offer.decode = true;
    cycle(&b, &offer);
    in = (wr_haws_unit_in){.stalled = {true, [7] = true}, .decode = true, .pc = 50, .take = true};
    in.hint = VALID | STALL | offset(1, 9);
    const wr_haws_unit_out out = cycle(&b, &in);
    assert_true(out.issue && out.serve && out.serve_warp == 7);
    in.take = false;
    assert_false(cycle(&b, &in).hint[7]); /* not looked at */
}

/* What a cycle with these inputs does to the fault, of a warp 0 that holds entry 0, which runs. */
static void check_fault(unsigned config, wr_haws_unit_in in, bool want)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[config]);
    stall(&b, 10, 2, 1, UINT32_MAX);
    issue(&b, plain(12, 3, 1, 1, 2));
    assert_false(cycle(&b, &in).fault);
    const wr_haws_unit_in idle = {0};
    assert_int_equal(cycle(&b, &idle).fault, want);
}

/* The first number of no warp and of no entry; a warp that is cleared does nothing wrong. */
static void test_numbers(void **state)
{
    (void)state;
    for (unsigned config = 0; config < CONFIGS; config++) {
        const uint8_t warps = (uint8_t)configs[config].warps;
        const uint8_t entries = (uint8_t)configs[config].entries;
        const wr_haws_unit_in in = {.stalled = {true}};
        wr_haws_unit_in no_entry = in, no_done = in, no_check = in, no_clear = in;
        no_entry.done = no_done.done = no_check.check = no_clear.clear = true;
        check_fault(config, no_entry, false);
        no_entry.done_id = entries;
        check_fault(config, no_entry, true);
        no_done.done_warp = no_check.check_warp = no_clear.clear_warp = warps;
        if (warps < 64) {
            check_fault(config, no_done, true);
            check_fault(config, no_check, true);
            check_fault(config, no_clear, true);
        }
        wr_haws_unit_in both = in;
        both.done = true;
        both.done_id = 1;
        check_fault(config, both, true);
        both.clear = true;
        check_fault(config, both, false);
        both = (wr_haws_unit_in){.stalled = {true}, .check = true};
        check_fault(config, both, true);
        both.clear = true;
        check_fault(config, both, false);
    }
}

/* Nothing is renamed from, to or among special codes, which begin with SpecialBase. */
static void test_special(void **state)
{
    (void)state;
    static const struct {
        uint8_t dst, to;
        bool bad;
    } rows[] = {{239, 7, false}, {240, 7, true}, {241, 7, true},   {255, 7, true}, {7, 239, false},
                {7, 240, true},  {7, 241, true}, {240, 241, true}, {7, 7, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        stall(&b, 10, 2, 1, UINT32_MAX);
        wr_haws_unit_in in = plain(12, 3, rows[i].dst, rows[i].to, 2);
        in.hint |= RENAME;
        const wr_haws_unit_out out = issue(&b, in);
        assert_int_equal(out.issue_renamed, rows[i].bad ? rows[i].dst : rows[i].to);
        assert_int_equal(out.fault, rows[i].bad);
    }
}

static wr_haws_unit_in random_in(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    const wr_oracle_haws *o = &b->oracle;
    const unsigned warps = b->cfg.warps;
    const bool blind = with_faults && wr_rig_chance(rig, 3);
    wr_haws_unit_in in = {.pc = (uint32_t)wr_rig_random(rig),
                          .hint = (uint32_t)wr_rig_random(rig) & 0xffffff,
                          .dst = (uint8_t)wr_rig_below(rig, 5),
                          .mask = wr_rig_random(rig),
                          .rpc = (uint32_t)wr_rig_random(rig)};
    for (unsigned i = 0; i < warps; i++) {
        if (b->stays[i] == 0) {
            b->stalled[i] = !b->stalled[i];
            b->stays[i] = (uint8_t)wr_rig_below(rig, b->stalled[i] ? 90 : 25);
        } else {
            b->stays[i]--;
        }
        in.stalled[i] = b->stalled[i];
    }
    for (unsigned i = 0; i < b->cfg.srcs; i++) {
        in.src_used[i] = wr_rig_chance(rig, 50);
        in.src[i] = (uint8_t)wr_rig_below(rig, 6);
    }
    const wr_oracle_haws_warp *w = &o->warp[o->serve_warp];
    const uint32_t at = (uint32_t)(w->base + (uint64_t)w->offset);
    const int own = o->serve_entry ? 0 : (int)w->offset;
    const int next = own + (int)wr_rig_below(rig, 5);
    const bool fits = next >= -(1 << (b->cfg.offset_w - 1)) && next < 1 << (b->cfg.offset_w - 1);
    in.decode = blind || (o->serve && wr_rig_chance(rig, 80));
    if (o->serve && !blind) {
        const uint32_t mask = (1u << b->cfg.offset_w) - 1;
        in.pc = o->serve_entry ? (uint32_t)wr_rig_below(rig, 1000) : at;
        in.rpc = in.pc + (uint32_t)wr_rig_below(rig, 8);
        in.branch = wr_rig_chance(rig, 25);
        in.target = wr_rig_chance(rig, 50) ? in.pc + 1 : in.rpc;
        in.dst = (uint8_t)(b->cfg.special_base >= 12 ? in.dst : 0);
        if (in.branch && !o->serve_entry) {
            const uint32_t wide = (1u << b->cfg.branch_w) - 1;
            in.hint = VALID | ((uint32_t)next & wide) | ((uint32_t)(next + 1) & wide) << 11;
        } else {
            const bool renames = wr_rig_chance(rig, 50) && b->cfg.special_base >= 12;
            in.hint = VALID | (fits ? ((uint32_t)next & mask) << 9 : 0);
            in.hint |= renames ? RENAME | (6 + (uint32_t)wr_rig_below(rig, 5)) : in.dst;
            in.hint |= o->serve_entry ? (uint32_t)STALL : 0;
        }
    }
    in.take = blind ? wr_rig_chance(rig, 50) : o->issue.there && wr_rig_chance(rig, 80);
    in.done_warp = (uint8_t)wr_rig_below(rig, warps);
    const wr_oracle_haws_warp *d = &o->warp[in.done_warp];
    if (d->held > 0) {
        const wr_oracle_haws_entry *e = &d->list[wr_rig_below(rig, d->held)];
        in.done_id = (uint8_t)e->number;
        in.done = blind || !e->ready;
    }
    in.check_warp = (uint8_t)wr_rig_below(rig, blind ? 64 : warps);
    if (in.check_warp < warps) {
        const wr_oracle_haws_warp *c = &o->warp[in.check_warp];
        in.check = blind || c->mode == WR_ORACLE_HAWS_IN_ORDER;
        in.check_pc = (uint32_t)(c->base + (uint64_t)(c->held > 0 ? c->list[0].offset : 0)) +
                      (wr_rig_chance(rig, 20) ? 1 : 0);
    }
    in.clear = wr_rig_below(rig, 60) == 0;
    in.clear_warp = (uint8_t)wr_rig_below(rig, blind ? 64 : warps);
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_haws_unit_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned a = 0; a < ACTIONS; a++) { /* with one register nothing is renamed */
        assert_true(b->acted[a] > 5 || (a == WR_HAWS_COPY && b->cfg.special_base == 1));
    }
    assert_true(b->entered > 500);
    assert_true(b->split > 10 && (b->mapped > 0 || b->cfg.special_base == 1));
}

static const wr_bench self = {
    .block = &wr_haws_unit_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, entered)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 40000, .faulty = 800, .rounds = 10},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_paper_example), cmocka_unit_test(test_loop),
        cmocka_unit_test(test_split),         cmocka_unit_test(test_reconvergence),
        cmocka_unit_test(test_stall_bit),     cmocka_unit_test(test_turns),
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_special),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
