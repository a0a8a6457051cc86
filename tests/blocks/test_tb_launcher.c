/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher: the model against the oracle, every output in every cycle, under random answers of
 * tables, bitmap and machine; and jobs as exact lists: what is asked of the bitmap, what of the
 * tables, what the machine is told. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/tb_launcher_port.h"

#include <stdio.h>
#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/blocks/launcher_world.h"
#include "tests/oracle/tb_launcher_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_tb_launcher dut;
    wr_oracle_launcher oracle;
    uint64_t jobs[9], states[21];
    uint64_t begun;
    unsigned last_job;
    /* random traffic */
    pins_in mem;
    bool vacate;
    unsigned vacate_id, here;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_launcher_reset(&b->oracle);
}

/* Settles and checks all outputs, then clocks both sides. */
static pins_out cycle(bench *b, const pins_in *in)
{
    const wr_block_desc *block = &wr_tb_launcher_block;
    pins_out out;
    pins_out want;

    wr_bench_settle(&self, b, in, &out);
    wr_oracle_launcher_output(&b->oracle, in, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        wr_rig_check(&b->rig, block->pins[p].name, wr_pin_value(&block->pins[p], &out, 0),
                     wr_pin_value(&block->pins[p], &want, 0));
    }
    b->jobs[out.job] += out.job != b->last_job;
    b->begun += out.job != b->last_job && out.job != 0;
    b->last_job = out.job;
    b->states[out.state]++;
    wr_oracle_launcher_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(pins_out *)out = cycle(bench_v, in);
}

/* Directed ---------------------------------------------------------------------------------- */

static const wr_tb_launcher_cfg gtx = {.warps = 128, .tbs = 32, .tb_warps = 32, .st_lines = 2};

/* Until nothing is under way any more; says what was asked and told. */
static const char *run(bench *b, world *w)
{
    static char text[4000];
    pins_out now;

    text[0] = 0;
    for (unsigned n = 0; n < 2000; n++) {
        wr_oracle_launcher_output(&b->oracle, &w->in, &now);
        answer(w, &now);
        const pins_in in = w->in;
        const pins_out out = cycle(b, &in);
        told(text, sizeof text, &out, &in);
        learn(w, &out);
        w->in.cfg = w->in.book = false;
        w->in.ended = 0;
        w->in.vacate = w->in.vacate && !out.left;
        if (n > 0 && out.job == 0 && b->oracle.job == 0) {
            break;
        }
        w->in.allow = w->in.allow && out.job == 0;
    }
    assert_false(b->oracle.fault);
    return text;
}

static void is_told(bench *b, world *w, const char *want)
{
    const char *got = run(b, w);
    if (strcmp(got, want) != 0) {
        fail_msg("told:%s\nnot:%s", got, want);
    }
}

/* Two warps a TB, five lines of registers each, three when stored, four of shared memory. */
static void begin(bench *b, world *w, unsigned level, bool move, bool use_l1)
{
    wr_bench_init(&self, b, 1, &gtx);
    *w = (world){.next = 0x100};
    w->in = (pins_in){.cfg = true,
                      .level = (uint8_t)level,
                      .registers_move = move,
                      .use_l1 = use_l1,
                      .warps = 2,
                      .regs = 5,
                      .lines = level == 2 ? 4 : 3,
                      .tb_regs = 10,
                      .smem = 4,
                      .mc = 0};
    is_told(b, w, "");
    w->in.book = true;
    is_told(b, w, " booked");
    w->in.tb_found = w->in.waiting = w->in.allow = true;
    w->in.tb_found_id = 3;
}

/* TB 1 of 3 is not there: its lines come back. */
static void test_book(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, false);
    w.in = (pins_in){.cfg = true,
                     .level = 1,
                     .registers_move = true,
                     .warps = 2,
                     .regs = 5,
                     .lines = 3,
                     .tb_regs = 10,
                     .smem = 4,
                     .mc = 3,
                     .here = 5};
    is_told(&b, &w, "");
    w.in.book = true;
    is_told(&b, &w,
            " +4:1 insert_tb 0=none,100 +10:0"
            " insert 0=0,104,c20 ask 0.0 claim 0>32 insert 1=0,109,c21 ask 0.1 claim 1>33"
            " +4:1 insert_tb 1=none,10e +10:0 insert 2=3,112,fff insert 3=3,117,fff"
            " +4:1 insert_tb 2=none,11c +10:0"
            " insert 4=0,120,c24 ask 2.0 claim 4>36 insert 5=0,125,c25 ask 2.1 claim 5>37"
            " read 2 remove 2 -5@112 read 3 remove 3 -5@117 read_tb 1 remove_tb 1 -4@10e booked");
    is_told(&b, &w, ""); /* none waits */
}

/* Its TB has no entry when its lines are to come back: a fault, and the booking goes on. */
static void test_book_lost(void **state)
{
    (void)state;
    bench b;
    world w;
    char text[1000] = "";
    begin(&b, &w, 1, true, false);
    w.in = (pins_in){.cfg = true, .level = 1, .warps = 1, .tb_regs = 5, .regs = 5, .mc = 2};
    is_told(&b, &w, "");
    w.in.book = true;
    for (unsigned n = 0; n < 60; n++) {
        pins_out now;
        wr_oracle_launcher_output(&b.oracle, &w.in, &now);
        answer(&w, &now);
        w.in.tab_valid = w.in.tab_valid && now.state != WR_OL_READ_TB;
        const pins_in in = w.in;
        const pins_out out = cycle(&b, &in);
        told(text, sizeof text, &out, &in);
        learn(&w, &out);
        w.in.book = false;
    }
    assert_string_equal(text, " insert_tb 0=none,fff +5:0 insert 0=3,100,fff"
                              " insert_tb 1=none,fff +5:0 insert 1=3,105,fff"
                              " read 0 remove 0 -5@100 read_tb 0 read 1 remove 1 -5@105 read_tb 1"
                              " booked");
    assert_true(b.oracle.fault);
}

static void test_native(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, false);
    w.in.slots_free = 2;
    is_told(&b, &w,
            " +4:1 insert_tb 3=none,100 +5:0 insert 6=3,104,fff +5:0 insert 7=3,109,fff"
            " place 3 native@100 launch read 6 write 6=0,104,c00 claim 6>0 enter 6>0@104"
            " read 7 write 7=0,109,c01 claim 7>1 enter 7>1@109");
    w.in.ended = 8; /* and goes */
    is_told(&b, &w,
            " read 6 remove 6 left 6<0@104 -5@104 read 7 remove 7 left 7<1@109 -5@109"
            " read_tb 3 remove_tb 3 gone 3@100 -4@100 leave");
}

/* Where its context goes, by what limits. */
static void test_extra(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, false);
    w.in.slots_free = 1;
    is_told(&b, &w,
            " +4:1 insert_tb 3=all,100 +5:1 insert 6=3,104,107 +5:1 insert 7=3,109,10c"
            " place 3 extra@100 launch read 6 arrive 6@104,107 read 7 arrive 7@109,10c");
    begin(&b, &w, 1, false, false);
    is_told(&b, &w,
            " +4:1 insert_tb 3=all,100 +5:0 +2:1 insert 6=3,104,109 +5:0 +2:1 insert 7=3,10b,110"
            " place 3 extra@100 launch read 6 arrive 6@104,109 read 7 arrive 7@10b,110");
    begin(&b, &w, 2, true, false);
    is_told(&b, &w,
            " +8:0 insert_tb 3=all,100 +5:0 insert 6=3,108,104 +5:0 insert 7=3,10d,106"
            " place 3 extra@100 launch read 6 arrive 6@108,104 read 7 arrive 7@10d,106");
    /* A ready unit, or a switch in, goes before. */
    for (unsigned n = 0; n < 2; n++) {
        begin(&b, &w, 2, false, false);
        w.in.slots_free = 64;
        w.in.ready_waits = n == 0;
        w.in.switch_in = n == 1;
        assert_non_null(strstr(run(&b, &w), "extra"));
    }
}

/* Each alloc of each launch fails in turn: what was had is given back, to the line. */
static void test_undo(void **state)
{
    (void)state;
    static const struct {
        unsigned level;
        bool move, native;
        unsigned allocs;
    } cases[] = {{1, true, true, 3},
                 {1, true, false, 3},
                 {1, false, false, 5},
                 {2, false, true, 3},
                 {2, false, false, 3}};
    bench b;
    world w;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        for (unsigned full = 1; full <= cases[n].allocs + 1; full++) {
            begin(&b, &w, cases[n].level, cases[n].move, false);
            unsigned had = 0, gave = 0;
            w.full = full;
            w.refuses = full > cases[n].allocs;
            w.in.slots_free = cases[n].native ? 64 : 0;
            const char *text = run(&b, &w);
            for (const char *at = text; (at = strpbrk(at, "+-")) != NULL; at++) {
                unsigned count = 0;
                (void)sscanf(at + 1, "%u", &count);
                *(*at == '-' ? &gave : &had) += count;
            }
            /* the one that fails is asked for, too */
            assert_int_equal(gave, w.next - 0x100);
            assert_true(had > gave || w.refuses);
            assert_null(strstr(text, "arrive"));
            assert_null(strstr(text, "enter"));
            for (unsigned i = 0; i < 128; i++) {
                assert_false(w.valid[i]);
            }
            assert_false(w.tb_valid[3]);
            /* not again until lines come back; a native one that wants lines becomes extra */
            w.in.allow = true;
            w.in.slots_free = 64;
            w.refuses = false;
            const bool tries = cases[n].native && full <= cases[n].allocs;
            assert_int_equal(strstr(run(&b, &w), "extra") != NULL, tries);
        }
    }
}

/* The L1 first, and a second region, where the launch has one. */
static void test_l1(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, true);
    w.full = 2;
    is_told(&b, &w,
            " +4:1 insert_tb 3=all,100 +5:2 +5:1 insert 6=3,104,107 +5:2 insert 7=3,109,10c"
            " place 3 extra@100 launch read 6 arrive 6@104,107 read 7 arrive 7@109,10c");
    begin(&b, &w, 2, true, true);
    w.full = 1;
    assert_memory_equal(run(&b, &w), " +8:2 +8:0 insert_tb", 20);
    begin(&b, &w, 2, true, true);
    w.full = 2; /* registers have no second */
    w.in.slots_free = 64;
    is_told(&b, &w, " +4:1 insert_tb 3=none,100 +5:0 read 6 read 7 read_tb 3 remove_tb 3 -4@100");
}

static void test_hand_over(void **state)
{
    (void)state;
    bench b;
    world w;
    for (unsigned n = 0; n < 6; n++) { /* what keeps it from being handed over */
        begin(&b, &w, 1, true, false);
        w.in.slots_free = 64;
        (void)run(&b, &w);
        w.in.ended = 8;
        w.in.keep = true;
        w.valid[7] = n != 1;
        w.hidden = n == 2;
        w.state[7] = n == 3;
        w.away[3] = n == 4;
        w.refuses = n == 5;
        const char *text = run(&b, &w);
        if (n == 0) {
            assert_string_equal(text, " read 6 read 7 read_tb 3 place 3 handed@100 leave launch"
                                      " read 6 enter 6>0@104 read 7 enter 7>1@109");
        } else {
            assert_null(strstr(text, "enter"));
            assert_non_null(strstr(text, "left 6<0@104 -5@104"));
            assert_int_equal(strstr(text, "left 7<1@109 -5@109") != NULL, n != 1);
            assert_non_null(strstr(text, " remove_tb 3 gone 3@100 -4@100 leave"));
        }
    }
}

static void test_vacate(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, false);
    w.in.slots_free = 64;
    (void)run(&b, &w);
    w.in.vacate = true;
    w.in.vacate_id = 7;
    is_told(&b, &w, " read 7 remove 7 left 7<1@109 -5@109");
    w.in.ended = 8; /* its TB: the other one goes */
    is_told(&b, &w,
            " read 6 remove 6 left 6<0@104 -5@104 read 7 read_tb 3 remove_tb 3 gone 3@100 -4@100"
            " leave");
}

/* The switch logic's request goes first, and gets its answer. */
static void test_switch_first(void **state)
{
    (void)state;
    bench b;
    world w;
    begin(&b, &w, 1, true, false);
    pins_in in = w.in;
    in.slots_free = 64;
    in.map_done = false;
    (void)cycle(&b, &in); /* decided */
    (void)cycle(&b, &in); /* set up */
    in.mem_req = true;
    in.mem_region = 2;
    in.mem_count = 77;
    in.switch_in = true;
    pins_out out = cycle(&b, &in);
    assert_true(out.map_valid && out.map_region == 2 && out.map_count == 77 && !out.map_op);
    out = cycle(&b, &in);
    assert_true(!out.map_valid && !out.mem_ack && out.slots_free == 62);
    in.map_done = true;
    in.map_found = false;
    out = cycle(&b, &in);
    assert_true(!out.map_valid && out.mem_ack && !out.mem_found);
    in.map_done = in.mem_req = false;
    out = cycle(&b, &in); /* the switch in has found no room: no slots until lines come back */
    assert_true(out.map_valid && out.map_count == 4 && out.map_region == 1);
    assert_int_equal(out.slots_free, 0);
}

/* Random ------------------------------------------------------------------------------------ */

static void random_figures(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const unsigned most = b->oracle.cfg.tb_warps;
    const unsigned wide = wr_rig_chance(r, 80) && most > 4 ? 4 : most;

    in->cfg = true;
    in->level = (uint8_t)(wr_rig_chance(r, 5) ? 0 : 1 + wr_rig_below(r, 2));
    in->registers_move = wr_rig_chance(r, 60);
    in->use_l1 = wr_rig_chance(r, 50);
    in->warps = (uint8_t)(1 + wr_rig_below(r, wide));
    in->regs = (uint16_t)wr_rig_below(r, wr_rig_chance(r, 80) ? 9 : 1024);
    in->lines = (uint16_t)wr_rig_below(r, wr_rig_chance(r, 80) ? 9 : 1024);
    in->smem = (uint16_t)wr_rig_below(r, wr_rig_chance(r, 80) ? 9 : 1024);
    in->tb_regs = (uint16_t)wr_rig_below(r, wr_rig_chance(r, 80) ? 40 : 4096);
    const unsigned fit = b->oracle.cfg.warps / in->warps;
    const unsigned tbs = fit < b->oracle.cfg.tbs ? fit : b->oracle.cfg.tbs;
    in->mc = (uint8_t)wr_rig_below(r, (wr_rig_chance(r, 90) && tbs > 3 ? 3 : tbs) + 1);
    if (with_faults && wr_rig_chance(r, 10)) {
        in->warps = (uint8_t)wr_rig_below(r, 64);
        in->level = (uint8_t)wr_rig_below(r, 4);
        in->mc = (uint8_t)wr_rig_below(r, 64);
        in->book = wr_rig_chance(r, 50);
    }
    b->here = (unsigned)wr_rig_random(r);
}

static void random_answers(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const wr_oracle_launcher *o = &b->oracle;
    pins_out now;

    wr_oracle_launcher_output(o, in, &now);
    const bool goes = now.job == WR_OL_CLEAR || now.job == WR_OL_VACATE;
    const bool must =
        now.state == WR_OL_LOOK || now.state == WR_OL_READ_TB || now.job == WR_OL_VACATE;
    in->tab_ack = now.tab_req && wr_rig_chance(r, 75);
    in->tab_valid = must || wr_rig_chance(r, 85);
    in->tab_state = (uint8_t)(wr_rig_chance(r, 80) ? 0 : wr_rig_below(r, 4));
    in->tab_present = goes || wr_rig_chance(r, 90);
    in->tab_whole = wr_rig_chance(r, 70);
    in->tab_reg = (uint16_t)wr_rig_below(r, 4096);
    in->tab_meta = (uint16_t)(wr_rig_chance(r, 50)   ? 0xc00 + wr_rig_below(r, 64)
                              : wr_rig_chance(r, 60) ? wr_rig_below(r, 4096)
                                                     : 0xfff);
    in->map_done = o->asked != 0 && wr_rig_chance(r, 50);
    const bool gives = o->asked == 1 ? b->mem.mem_free : now.state >= WR_OL_FREE_REGS;
    in->map_found = now.job == WR_OL_BOOK || gives || wr_rig_chance(r, 75);
    in->map_addr = (uint16_t)wr_rig_below(r, 4096);
    in->place_ok = wr_rig_chance(r, 80);
    in->me_ready = wr_rig_chance(r, 70);
    in->slot_next = (uint8_t)wr_rig_below(r, 64);
    in->ask_slot = (uint8_t)wr_rig_below(r, 64);
    if (with_faults && wr_rig_below(r, 150) == 0) {
        in->tab_ack = wr_rig_chance(r, 50);
        in->tab_valid = wr_rig_chance(r, 50);
        in->tab_present = wr_rig_chance(r, 50);
        in->map_done = wr_rig_chance(r, 50);
        in->map_found = wr_rig_chance(r, 50);
    }
}

static void random_wishes(bench *b, bool with_faults, pins_in *in)
{
    wr_rig *r = &b->rig;
    const wr_oracle_launcher *o = &b->oracle;
    const unsigned n = o->figures.warps;
    const unsigned fit = n == 0 ? 1 : o->cfg.warps / n;
    const unsigned tbs = fit < o->cfg.tbs ? fit : o->cfg.tbs;

    if (!b->mem.mem_req && wr_rig_chance(r, 8)) {
        b->mem = (pins_in){.mem_req = true,
                           .mem_free = wr_rig_chance(r, 40),
                           .mem_region = (uint8_t)wr_rig_below(r, 3),
                           .mem_count = (uint16_t)wr_rig_below(r, 4096),
                           .mem_addr = (uint16_t)wr_rig_below(r, 4096)};
    }
    *in = b->mem;
    in->switch_in = wr_rig_chance(r, 30);
    in->allow = wr_rig_chance(r, 80);
    in->keep = wr_rig_chance(r, 60);
    in->waiting = wr_rig_chance(r, 90);
    in->ready_waits = wr_rig_chance(r, 30);
    in->tb_found = wr_rig_chance(r, 85);
    in->tb_found_id =
        (uint8_t)(wr_rig_chance(r, 90) && tbs != 0 ? wr_rig_below(r, tbs) : wr_rig_below(r, 32));
    in->slots_free = (uint8_t)(wr_rig_chance(r, 60) ? 64 : wr_rig_below(r, n + 2));
    if (o->running && tbs != 0 && wr_rig_takes(r) && wr_rig_chance(r, 4)) {
        in->ended = 1u << wr_rig_below(r, tbs);
    }
    if (with_faults && wr_rig_below(r, 300) == 0) {
        in->ended = 1u << wr_rig_below(r, 32);
    }
    in->queued = wr_rig_chance(r, 70) ? 0 : (uint32_t)wr_rig_random(r);
    if (!b->vacate && o->running && wr_rig_chance(r, 1)) {
        b->vacate = true;
        b->vacate_id = wr_rig_below(r, o->cfg.warps);
    }
    in->vacate = b->vacate;
    in->vacate_id = (uint8_t)b->vacate_id;
    in->here = b->here;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        wr_rig *r = &b->rig;
        const wr_oracle_launcher *o = &b->oracle;
        pins_in in;
        wr_rig_next_cycle(r);
        random_wishes(b, with_faults, &in);
        random_answers(b, with_faults, &in);
        const bool idle = o->height == 0;
        if (idle && !b->vacate &&
            (o->figures.level == 0 ? wr_rig_chance(r, 20) : wr_rig_below(r, 400) == 0)) {
            random_figures(b, with_faults, &in);
            in.ended = 0;
        } else if (idle && !o->running && o->figures.level != 0) {
            in.book = wr_rig_chance(r, 50);
        }
        if (with_faults && wr_rig_below(r, 300) == 0) {
            in.cfg = wr_rig_chance(r, 30);
            in.book = wr_rig_chance(r, 50);
        }
        const pins_out out = cycle(b, &in);
        b->vacate = b->vacate && out.job != WR_OL_VACATE;
        b->mem.mem_req = b->mem.mem_req && !out.mem_ack;
        if (b->oracle.fault && wr_rig_below(r, 200) == 0) {
            wr_bench_reset(&self, b);
            b->mem.mem_req = false;
        }
    }
}

static const wr_tb_launcher_cfg configs[] = {
    {.warps = 128, .tbs = 32, .tb_warps = 32, .st_lines = 2},
    {.warps = 1, .tbs = 1, .tb_warps = 1, .st_lines = 1},
    {.warps = 127, .tbs = 31, .tb_warps = 31, .st_lines = 4},
    {.warps = 16, .tbs = 4, .tb_warps = 8, .st_lines = 3},
    {.warps = 64, .tbs = 32, .tb_warps = 2, .st_lines = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void covered_legal(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned job = WR_OL_BOOK; job <= WR_OL_VACATE; job++) {
        assert_true(b->jobs[job] > 0);
    }
    for (unsigned s = 0; s < 21; s++) {
        assert_true(b->states[s] > 0);
    }
}

static const wr_bench self = {
    .block = &wr_tb_launcher_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, oracle.cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, begun)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered_legal = covered_legal,
    .amount = {.legal = 100000, .faulty = 100000},
    .snapshot = {.before = 300, .after = 600},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_book),         cmocka_unit_test(test_book_lost),
        cmocka_unit_test(test_native),       cmocka_unit_test(test_extra),
        cmocka_unit_test(test_undo),         cmocka_unit_test(test_l1),
        cmocka_unit_test(test_hand_over),    cmocka_unit_test(test_vacate),
        cmocka_unit_test(test_switch_first),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
