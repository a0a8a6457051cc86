/* SPDX-License-Identifier: Apache-2.0 */
/* context_switch_logic: the model against the oracle, every output in every cycle, under random
 * queues, tables and bitmap answers and protocol faults; and what Lin-D 3.6 says of it, as exact
 * values: the level by what limits (3.6.6), what moves (Eq. 3.2, 3.3) and the latency around it,
 * the order of the spaces (3.6.6, D24), the states of a warp (Fig. 3.9).
 */
#include "dpi/gen/context_switch_logic_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_switch_logic_oracle.h"

enum { REGISTERS = 1, SLOTS = 2, SHARED = 4 };

typedef wr_context_switch_logic_in pins_in;
typedef wr_context_switch_logic_out pins_out;

typedef struct bench {
    wr_rig rig;
    wr_context_switch_logic dut;
    wr_oracle_csl oracle;

    /* random traffic */
    bool stalled_valid;
    unsigned stalled_id;
    bool ready_valid;
    unsigned ready_id;
    bool reroll;             /* new figures: other ids */
    unsigned body, meta;     /* directed: cycles of a move, of that of a warp's metadata */
    uint64_t switches[3][5]; /* level, op: begun */
    uint64_t failed;         /* switches in that found no room */
    uint64_t states;         /* bit s: step s was seen */
    unsigned last_op;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_csl_reset(&b->oracle);
}

static void check_outputs(bench *b, const pins_out *out)
{
    const wr_block_desc *block = &wr_context_switch_logic_block;
    pins_out want;
    wr_oracle_csl_output(&b->oracle, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];
        wr_rig_check(&b->rig, pin->name, wr_pin_value(pin, out, 0), wr_pin_value(pin, &want, 0));
    }
}

/* Settles and checks all outputs, then clocks both sides. */
static pins_out cycle(bench *b, const pins_in *in)
{
    pins_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);
    wr_oracle_csl_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(pins_out *)out = cycle(bench_v, in);
}

/* Directed ---------------------------------------------------------------------------------- */

static const wr_context_switch_logic_cfg gtx = {.st_lines = 2, .tb_warps = 32};

/* A kernel's figures. */
static pins_in figures(unsigned limits, unsigned warps, unsigned lines, unsigned full, bool use_l1)
{
    return (pins_in){.cfg = true,
                     .limits = (uint8_t)limits,
                     .warps = (uint8_t)warps,
                     .lines = (uint16_t)lines,
                     .full = (uint16_t)full,
                     .use_l1 = use_l1};
}

/* What limits, and what is switched then. */
static void test_levels(void **state)
{
    (void)state;
    static const unsigned want[8] = {
        [0] = WR_ORACLE_LEVEL_OFF,
        [REGISTERS] = WR_ORACLE_LEVEL_WARP,
        [SLOTS] = WR_ORACLE_LEVEL_WARP,
        [REGISTERS | SLOTS] = WR_ORACLE_LEVEL_WARP,
        [SHARED] = WR_ORACLE_LEVEL_TB,
        [SHARED | SLOTS] = WR_ORACLE_LEVEL_TB,
        [SHARED | REGISTERS] = WR_ORACLE_LEVEL_OFF,
        [SHARED | REGISTERS | SLOTS] = WR_ORACLE_LEVEL_OFF,
    };
    bench b;
    wr_bench_init(&self, &b, 1, &gtx);
    for (unsigned limits = 0; limits < 8; limits++) {
        pins_in in = figures(limits, 6, 10, 20, false);
        cycle(&b, &in);
        in = (pins_in){0};
        assert_int_equal(cycle(&b, &in).level, want[limits]);
    }
    assert_false(b.oracle.fault);
}

/* What the mover was asked for. */
typedef struct job {
    bool meta, out, in;
    unsigned home, away;
} job;

enum { JOBS = 40 };

/* What one switch did. */
typedef struct trace {
    unsigned op;     /* as it ended */
    unsigned cycles; /* from the decision to op none */
    unsigned jobs;
    job job[JOBS];
    unsigned takes; /* slots; the warps that take them */
    unsigned taker[JOBS];
    unsigned alloc[3];   /* by region */
    unsigned count;      /* of the last alloc */
    unsigned freed;      /* units */
    unsigned freed_from; /* address */
    unsigned out_state;  /* bit s: state s was written to a warp that leaves or goes back */
    unsigned in_state;   /* and to one that comes in */
    unsigned writes;
} trace;

enum { ROOM_SHARED = 2, ROOM_REGISTERS = 1, ROOM_L1 = 4 };

/* One switch with every answer at once, but for the mover's, which take b->body cycles, or b->meta
 * of metadata: unit 5 is stalled, unit 3 ready. room: bit r: region r has some. */
static trace run_switch(bench *b, bool stalled, bool ready, unsigned room)
{
    trace t = {0};
    unsigned moved = 0;
    pins_in in = {.stalled_valid = stalled,
                  .stalled_id = 5,
                  .may_leave = true,
                  .ready_valid = ready,
                  .ready_id = 3,
                  .want = true,
                  .slots_free = 64,
                  .slot = 9};
    pins_out out = cycle(b, &in);
    assert_int_equal(out.op, WR_ORACLE_SWITCH_NONE);
    for (t.cycles = 1;; t.cycles++) {
        assert_true(t.cycles < 10000);
        wr_context_switch_logic_eval(&b->dut, &in, &out);
        if (out.op == WR_ORACLE_SWITCH_NONE) {
            break;
        }
        const bool of_comer =
            out.state == WR_ORACLE_CSL_READ_IN || out.state == WR_ORACLE_CSL_RD_IN;
        in.tab_ack = out.tab_req;
        in.tab_state = of_comer ? WR_ORACLE_WARP_READY : WR_ORACLE_WARP_STALLED;
        in.tab_reg = of_comer ? 0x810 : 0x120;
        in.tab_meta = of_comer ? 0x830 : 0xC07;
        in.mem_ack = out.mem_req;
        in.mem_found = (room >> out.mem_region) & 1;
        in.mem_addr = 0x900;
        t.op = out.op;
        if (out.move && moved++ == 0) {
            assert_true(t.jobs < JOBS);
            t.job[t.jobs++] =
                (job){out.move_meta, out.move_out, out.move_in, out.move_home, out.move_away};
        }
        in.move_ack = out.move && moved == (out.move_meta ? b->meta : b->body);
        moved = in.move_ack ? 0 : moved;
        if (out.slot_take) {
            t.taker[t.takes++] = out.slot_id;
        }
        if (out.mem_req && !out.mem_free) {
            t.alloc[out.mem_region]++;
            t.count = out.mem_count;
        } else if (out.mem_req) {
            t.freed += out.mem_count;
            t.freed_from = out.mem_addr;
        }
        t.writes += out.tab_req && out.tab_op == 1;
        t.out_state |= out.state == WR_ORACLE_CSL_WR_OUT ? 1U << out.tab_state : 0;
        t.in_state |= out.state == WR_ORACLE_CSL_WR_IN ? 1U << out.tab_state : 0;
        (void)cycle(b, &in);
        if (out.stalled_pop) {
            in.stalled_valid = false;
        }
        if (out.ready_pop) {
            in.ready_valid = false;
        }
        if (out.op == WR_ORACLE_SWITCH_IN && out.state == WR_ORACLE_CSL_ALLOC && !in.mem_found) {
            in.ready_valid = false; /* no second try here */
        }
    }
    assert_false(b->oracle.fault);
    return t;
}

static void set_figures(bench *b, const wr_context_switch_logic_cfg *cfg, pins_in in)
{
    wr_bench_init(&self, b, 1, cfg);
    b->body = b->meta = 1;
    cycle(b, &in);
}

/* From the decision to op none, with M cycles of the move and D of a warp's metadata: what the page
 * says. */
static void test_latency(void **state)
{
    (void)state;
    enum { N = 8, ROOM = ROOM_SHARED | ROOM_REGISTERS };
    static const unsigned waits[][2] = {{1, 1}, {13, 1}, {1, 4}, {70, 3}};
    bench b;
    for (unsigned i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        const unsigned m = waits[i][0];
        const unsigned d = waits[i][1];
        set_figures(&b, &gtx, figures(REGISTERS, N, 9, 20, false));
        b.body = m;
        b.meta = d;
        assert_int_equal(run_switch(&b, true, false, ROOM).cycles, m + d + 7);
        assert_int_equal(run_switch(&b, false, true, ROOM).cycles, m + d + 7);
        assert_int_equal(run_switch(&b, true, true, 0).cycles, m + d + 9);
        assert_int_equal(run_switch(&b, true, false, 0).cycles, 3 + 2);

        set_figures(&b, &gtx, figures(SHARED, N, 96, 0, false));
        b.body = m;
        b.meta = d;
        assert_int_equal(run_switch(&b, true, false, ROOM).cycles, m + 6 + (2 + d) * N);
        assert_int_equal(run_switch(&b, false, true, ROOM).cycles, m + 6 + (2 + d) * N);
        assert_int_equal(run_switch(&b, true, true, 0).cycles, m + 7 + (4 + d) * N);

        /* Warp slots alone limit: only ST moves. */
        set_figures(&b, &gtx, figures(SLOTS, N, 9, 20, false));
        b.meta = d;
        assert_int_equal(run_switch(&b, true, false, ROOM).cycles, d + 6);
        assert_int_equal(run_switch(&b, false, true, ROOM).cycles, d + 6);
        assert_int_equal(run_switch(&b, true, true, 0).cycles, d + 9);
    }
}

static void check_job(const job *j, bool meta, unsigned op, unsigned home, unsigned away)
{
    assert_int_equal(j->meta, meta);
    assert_int_equal(j->out, op != WR_ORACLE_SWITCH_IN);
    assert_int_equal(j->in, op != WR_ORACLE_SWITCH_OUT);
    assert_int_equal(j->home, home);
    assert_int_equal(j->away, away);
}

/* What moves from where to where: Eq. 3.2 and 3.3 as addresses. The unit that leaves lies at 0x120,
 * its warps' slot is 7; the one that comes at 0x810, its metadata at 0x830, and slot 9 is free; new
 * room is at 0x900. */
static void test_moves(void **state)
{
    (void)state;
    enum { N = 8, ROOM = ROOM_SHARED | ROOM_REGISTERS };
    static const bool offers[][2] = {{true, false}, {false, true}, {true, true}};
    bench b;
    for (unsigned limits = REGISTERS; limits <= SHARED; limits *= 2) {
        const unsigned lines = limits == REGISTERS ? 9 : 96;
        const unsigned warps = limits == SHARED ? N : 1;
        const unsigned body = limits == SLOTS ? 0 : 1;
        set_figures(&b, &gtx, figures(limits, N, lines, 20, false));
        for (unsigned i = 0; i < 3; i++) {
            const trace t = run_switch(&b, offers[i][0], offers[i][1], ROOM);
            const bool out = t.op == WR_ORACLE_SWITCH_OUT;
            const bool in = t.op == WR_ORACLE_SWITCH_IN;
            assert_int_equal(t.op, i + WR_ORACLE_SWITCH_OUT);
            assert_int_equal(t.jobs, body + warps);
            if (body) {
                check_job(&t.job[0], false, t.op, in ? 0x900 : 0x120, out ? 0x900 : 0x810);
            }
            for (unsigned j = 0; j < warps; j++) {
                check_job(&t.job[body + j], true, t.op, in ? 0xC09 : 0xC07,
                          out ? 0x900 + body * lines + 2 * j : 0x830);
            }
            assert_int_equal(t.takes, in ? warps : 0);
            for (unsigned j = 0; j < t.takes; j++) {
                assert_int_equal(t.taker[j], limits == SHARED ? 3 * N + j : 3);
            }
        }
    }
}

/* A warp goes to shared memory, then to the L1 if that is bypassed; a TB to registers, then to
 * the L1. Where there is no room the unit runs on (D7). */
static void test_spaces(void **state)
{
    (void)state;
    bench b;
    set_figures(&b, &gtx, figures(REGISTERS, 8, 9, 20, true));
    trace t = run_switch(&b, true, false, ROOM_SHARED | ROOM_L1);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_OUT);
    assert_int_equal(t.alloc[1], 1);
    assert_int_equal(t.alloc[2], 0);
    assert_int_equal(t.count, 9 + 2); /* live and compressed, with its metadata */
    assert_int_equal(t.freed, 20);    /* all its registers */
    assert_int_equal(t.freed_from, 0x120);
    t = run_switch(&b, true, false, ROOM_L1 | ROOM_REGISTERS);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_OUT);
    assert_int_equal(t.alloc[1], 1);
    assert_int_equal(t.alloc[2], 1);
    t = run_switch(&b, true, false, ROOM_REGISTERS);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_BACK);
    assert_int_equal(t.jobs, 0);
    t = run_switch(&b, false, true, ROOM_REGISTERS);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_IN);
    assert_int_equal(t.alloc[0], 1);
    assert_int_equal(t.count, 20);
    assert_int_equal(t.freed, 9 + 2);
    assert_int_equal(t.freed_from, 0x810);
    t = run_switch(&b, false, true, ROOM_SHARED | ROOM_L1);
    assert_int_equal(t.jobs, 0);

    set_figures(&b, &gtx, figures(SHARED, 8, 96, 0, true));
    t = run_switch(&b, true, false, ROOM_L1 | ROOM_SHARED);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_OUT);
    assert_int_equal(t.alloc[0], 1);
    assert_int_equal(t.alloc[2], 1);
    assert_int_equal(t.count, 96 + 8 * 2);
    assert_int_equal(t.freed, 96);
    set_figures(&b, &gtx, figures(SHARED, 8, 96, 0, false));
    t = run_switch(&b, true, false, ROOM_L1 | ROOM_SHARED);
    assert_int_equal(t.op, WR_ORACLE_SWITCH_BACK);
    assert_int_equal(t.alloc[2], 0);
}

/* Fig. 3.9: stalled to absent, ready to running, and stalled to running where the condition to
 * leave is not met. */
static void test_warp_states(void **state)
{
    (void)state;
    bench b;
    for (unsigned tb = 0; tb < 2; tb++) {
        set_figures(&b, &gtx,
                    tb ? figures(SHARED, 8, 96, 0, false) : figures(REGISTERS, 8, 9, 20, false));
        const unsigned warps = tb ? 8 : 1;
        trace t = run_switch(&b, true, false, ROOM_SHARED | ROOM_REGISTERS);
        assert_int_equal(t.out_state, 1U << WR_ORACLE_WARP_ABSENT);
        assert_int_equal(t.in_state, 0);
        assert_int_equal(t.writes, warps);
        t = run_switch(&b, false, true, ROOM_SHARED | ROOM_REGISTERS);
        assert_int_equal(t.out_state, 0);
        assert_int_equal(t.in_state, 1U << WR_ORACLE_WARP_RUNNING);
        assert_int_equal(t.writes, warps);
        t = run_switch(&b, true, true, 0);
        assert_int_equal(t.out_state, 1U << WR_ORACLE_WARP_ABSENT);
        assert_int_equal(t.in_state, 1U << WR_ORACLE_WARP_RUNNING);
        assert_int_equal(t.writes, 2 * warps);
        t = run_switch(&b, true, false, 0);
        assert_int_equal(t.out_state, 1U << WR_ORACLE_WARP_RUNNING);
        assert_int_equal(t.writes, warps);
    }
}

/* At TB level each unit that a pin can say, with each count of warps, is alone sent back: a fault
 * where it is no TB, or its warps have no numbers. */
static void test_units(void **state)
{
    (void)state;
    for (unsigned warps = 1; warps <= 32; warps++) {
        for (unsigned unit = 0; unit < 128; unit++) {
            static bench b;
            const pins_in in = {.stalled_valid = true, .stalled_id = (uint8_t)unit};
            set_figures(&b, &gtx, figures(WR_CSL_LIMIT_SHARED, warps, 96, 96, false));
            cycle(&b, &in);
            assert_int_equal(cycle(&b, &in).fault, unit > 31 || (unit + 1) * warps > 128);
        }
    }
}

/* A warp that is sent back has its metadata in a slot: each address that the table can answer. */
static void test_slots(void **state)
{
    (void)state;
    for (unsigned meta = 0; meta < 4096; meta++) {
        static bench b;
        pins_in in = {.stalled_valid = true};
        set_figures(&b, &gtx, figures(WR_CSL_LIMIT_SLOTS, 1, 0, 0, false));
        cycle(&b, &in);
        in.tab_ack = true;
        in.tab_state = WR_WARP_STALLED;
        in.tab_meta = (uint16_t)meta;
        cycle(&b, &in);
        assert_int_equal(cycle(&b, &(pins_in){0}).fault,
                         meta < WR_CSL_META_SLOT || meta >= WR_CSL_META_SLOT + WR_CSL_SLOTS);
    }
}

/* Random ------------------------------------------------------------------------------------ */

static unsigned less(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void random_figures(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const unsigned most = b->oracle.cfg.tb_warps;
    in->cfg = true;
    in->limits = (uint8_t)wr_rig_below(r, 8);
    in->warps = (uint8_t)(1 + wr_rig_below(r, wr_rig_chance(r, 70) ? less(most, 4) : most));
    in->lines = (uint16_t)(1 + wr_rig_below(r, wr_rig_chance(r, 95) ? 12 : 1023));
    in->full = (uint16_t)(in->lines + wr_rig_below(r, 1024U - in->lines));
    in->use_l1 = wr_rig_chance(r, 50);
    if (with_faults && wr_rig_chance(r, 20)) {
        in->warps = (uint8_t)(wr_rig_chance(r, 40) ? 0 : wr_rig_below(r, 64));
    }
    if (with_faults && wr_rig_chance(r, 20)) {
        in->lines = (uint16_t)wr_rig_below(r, 3);
        in->full = (uint16_t)wr_rig_below(r, 3);
    }
}

static unsigned random_id(bench *b, bool with_faults)
{
    const unsigned n = b->oracle.warps;
    unsigned ids = 128;
    if (with_faults && wr_rig_chance(&b->rig, 4)) {
        return wr_rig_below(&b->rig, 128);
    }
    if (b->oracle.level == WR_ORACLE_LEVEL_TB) {
        ids = less(32, 128 / n);
    } else if (b->oracle.level == WR_ORACLE_LEVEL_WARP) {
        ids = less(128, 32 * n);
    }
    return wr_rig_below(&b->rig, ids);
}

/* The heads of the queues: while a switch is under way they change only when they are popped. */
static void random_heads(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const bool idle = b->oracle.op == WR_ORACLE_SWITCH_NONE;
    if (idle ? wr_rig_chance(r, 60) || b->reroll : b->oracle.stalled_pop) {
        b->stalled_valid = wr_rig_offers(r);
        b->stalled_id = random_id(b, with_faults);
    }
    if (idle ? wr_rig_chance(r, 60) || b->reroll : b->oracle.ready_pop) {
        b->ready_valid = wr_rig_takes(r);
        b->ready_id = random_id(b, with_faults);
    }
    b->reroll = false;
    in->stalled_valid = b->stalled_valid;
    in->stalled_id = (uint8_t)b->stalled_id;
    in->ready_valid = b->ready_valid;
    in->ready_id = (uint8_t)b->ready_id;
    if (with_faults && !idle && wr_rig_below(r, 200) == 0) {
        const unsigned what = wr_rig_below(r, 4);
        in->stalled_valid ^= what == 0;
        in->stalled_id ^= what == 1;
        in->ready_valid ^= what == 2;
        in->ready_id ^= what == 3;
    }
}

/* Answers of tables and bitmap to what stands. */
static void random_answers(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const bool tb = b->oracle.level == WR_ORACLE_LEVEL_TB;
    pins_out out;
    wr_oracle_csl_output(&b->oracle, &out);
    const bool of_comer = out.state == WR_ORACLE_CSL_READ_IN || out.state == WR_ORACLE_CSL_RD_IN;

    in->tab_ack = out.tab_req && wr_rig_chance(r, 70);
    in->tab_state = of_comer ? WR_ORACLE_WARP_READY : WR_ORACLE_WARP_STALLED;
    if (of_comer && tb && wr_rig_chance(r, 30)) {
        in->tab_state = WR_ORACLE_WARP_ABSENT;
    }
    in->tab_reg = (uint16_t)wr_rig_below(r, 4096);
    in->tab_meta = (uint16_t)(of_comer ? wr_rig_below(r, 0xC00) : 0xC00 + wr_rig_below(r, 64));
    in->mem_ack = out.mem_req && wr_rig_chance(r, 60);
    in->mem_found = wr_rig_chance(r, 60);
    in->mem_addr = (uint16_t)wr_rig_below(r, 4096);
    in->move_ack = out.move && wr_rig_chance(r, 40);
    if (with_faults && wr_rig_below(r, 100) == 0) {
        in->tab_state = (uint8_t)wr_rig_below(r, 4);
        in->tab_meta = (uint16_t)wr_rig_below(r, 4096);
    }
    if (with_faults && wr_rig_below(r, 300) == 0) {
        in->tab_ack = wr_rig_chance(r, 50);
        in->mem_ack = wr_rig_chance(r, 50);
        in->move_ack = wr_rig_chance(r, 50);
    }
}

static void count(bench *b, const pins_out *out)
{
    b->states |= 1U << out->state;
    if (out->op != b->last_op && out->op != WR_ORACLE_SWITCH_NONE) {
        b->switches[out->level][out->op]++;
    }
    b->last_op = out->op;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        wr_rig *r = &b->rig;
        const bool idle = b->oracle.op == WR_ORACLE_SWITCH_NONE;
        pins_in in = {.may_leave = wr_rig_chance(r, 70),
                      .want = wr_rig_chance(r, 60),
                      .slot = (uint8_t)wr_rig_below(r, 64)};
        in.slots_free = (uint8_t)(idle ? wr_rig_below(r, 65) : 1 + wr_rig_below(r, 64));
        random_heads(b, with_faults, &in);
        random_answers(b, with_faults, &in);
        const bool failed = b->oracle.in_failed;
        if (idle ? wr_rig_chance(r, 3) : with_faults && wr_rig_below(r, 500) == 0) {
            random_figures(b, with_faults, &in);
        }
        if (with_faults && wr_rig_below(r, 100) == 0) {
            in.slots_free = 0;
        }
        const pins_out out = cycle(b, &in);
        count(b, &out);
        b->reroll = b->reroll || in.cfg;
        b->failed += !failed && b->oracle.in_failed;
        if (b->oracle.fault && wr_rig_below(r, 200) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static const wr_context_switch_logic_cfg configs[] = {
    {.st_lines = 1, .tb_warps = 4},  {.st_lines = 2, .tb_warps = 32},
    {.st_lines = 3, .tb_warps = 19}, {.st_lines = 1, .tb_warps = 1},
    {.st_lines = 4, .tb_warps = 31},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void covered_legal(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned op = WR_ORACLE_SWITCH_OUT; op <= WR_ORACLE_SWITCH_BACK; op++) {
        assert_true(b->switches[WR_ORACLE_LEVEL_WARP][op] > 0);
        assert_true(b->switches[WR_ORACLE_LEVEL_TB][op] > 0);
    }
    assert_true(b->switches[WR_ORACLE_LEVEL_OFF][WR_ORACLE_SWITCH_BACK] > 0);
    assert_int_equal(b->states, 0xffff); /* every step */
    assert_true(b->failed > 0);
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    uint64_t all = 0;
    for (unsigned op = WR_ORACLE_SWITCH_OUT; op <= WR_ORACLE_SWITCH_BACK; op++) {
        all += b->switches[WR_ORACLE_LEVEL_WARP][op] + b->switches[WR_ORACLE_LEVEL_TB][op];
    }
    assert_true(all > 0);
}

static const wr_bench self = {
    .block = &wr_context_switch_logic_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, oracle.cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_legal = covered_legal,
    .covered = covered,
    .amount = {.legal = 100000, .faulty = 100000},
    .snapshot = {.before = 300, .after = 300},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_levels),      cmocka_unit_test(test_latency),
        cmocka_unit_test(test_moves),       cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_warp_states), cmocka_unit_test(test_units),
        cmocka_unit_test(test_slots),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
