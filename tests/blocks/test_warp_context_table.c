/* SPDX-License-Identifier: Apache-2.0 */
/* warp_context_table: the model against the oracle in every cycle on every output, under random
 * commands and protocol faults, and from Lin-D 3.6.5 and 3.6.6 as exact values: the arrows of
 * Fig. 3.9, and what is present (RESOLUTIONS D3).
 */
#include "dpi/gen/warp_context_table_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/warp_context_table_oracle.h"

enum { RUNNING, STALLED, ABSENT, READY, STATES };
enum { NONE, INSERT, UPDATE, REMOVE };
enum { F_STATE = 1, F_REG = 2, F_META = 4, F_BARRIER = 8 };

typedef struct bench {
    wr_rig rig;
    wr_warp_context_table_cfg cfg;
    wr_warp_context_table dut;
    wr_oracle_wct oracle;
    uint64_t commands;
    uint64_t seen[STATES]; /* look-ups that showed a warp in this state */
    uint64_t groups[3];    /* any, stalled, ready */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->oracle = (wr_oracle_wct){
        .warps = b->cfg.warps, .reg_units = b->cfg.reg_units, .slots = b->cfg.slots};
}

static const wr_warp_context_table_cfg configs[] = {
    {.warps = 4, .reg_units = 16, .slots = 2},      {.warps = 128, .reg_units = 2048, .slots = 64},
    {.warps = 53, .reg_units = 1300, .slots = 37},  {.warps = 1, .reg_units = 1, .slots = 1},
    {.warps = 64, .reg_units = 3072, .slots = 128}, {.warps = 127, .reg_units = 2, .slots = 100},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void check_outputs(bench *b, const wr_warp_context_table_in *in,
                          const wr_warp_context_table_out *out)
{
    const wr_oracle_wct *o = &b->oracle;
    const wr_oracle_wct_entry e = wr_oracle_wct_look(o, in->look_id);
    wr_rig_check(&b->rig, "look_valid", out->look_valid, e.valid);
    wr_rig_check(&b->rig, "look_state", out->look_state, e.state);
    wr_rig_check(&b->rig, "look_barrier", out->look_barrier, e.barrier);
    wr_rig_check(&b->rig, "look_reg_addr", out->look_reg_addr, e.reg_addr);
    wr_rig_check(&b->rig, "look_meta_addr", out->look_meta_addr, e.meta_addr);
    wr_rig_check(&b->rig, "look_present", out->look_present, wr_oracle_wct_present(o, in->look_id));
    const int id = wr_oracle_wct_find(o, (wr_oracle_warp_state)in->find_state, in->find_from);
    wr_rig_check(&b->rig, "find_found", out->find_found, id >= 0);
    wr_rig_check(&b->rig, "find_id", out->find_id, id >= 0 ? (unsigned)id : 0);
    const wr_oracle_wct_group g = wr_oracle_wct_judge(o, in->group_first, in->group_count);
    wr_rig_check(&b->rig, "group_any", out->group_any, g.any);
    wr_rig_check(&b->rig, "group_stalled", out->group_stalled, g.stalled);
    wr_rig_check(&b->rig, "group_ready", out->group_ready, g.ready);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
    b->seen[e.state] += e.valid;
    b->groups[0] += g.any;
    b->groups[1] += g.stalled;
    b->groups[2] += g.ready;
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_warp_context_table_out cycle(bench *b, const wr_warp_context_table_in *in)
{
    wr_warp_context_table_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, in, &out);

    const wr_oracle_wct_command command = {
        .op = (wr_oracle_wct_op)in->op,
        .id = in->id,
        .fields = in->fields,
        .with = {.state = (wr_oracle_warp_state)in->state,
                 .barrier = in->barrier,
                 .reg_addr = in->reg_addr,
                 .meta_addr = in->meta_addr},
    };
    b->commands += in->op != NONE;
    wr_oracle_wct_clock(&b->oracle, &command);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_warp_context_table_out *)out = cycle(bench_v, in);
}

static void insert(bench *b, unsigned id, unsigned state, unsigned reg_addr, unsigned meta_addr)
{
    const wr_warp_context_table_in in = {.op = INSERT,
                                         .id = (uint8_t)id,
                                         .state = (uint8_t)state,
                                         .reg_addr = (uint16_t)reg_addr,
                                         .meta_addr = (uint16_t)meta_addr};
    cycle(b, &in);
}

static void to_state(bench *b, unsigned id, unsigned state)
{
    const wr_warp_context_table_in in = {
        .op = UPDATE, .id = (uint8_t)id, .fields = F_STATE, .state = (uint8_t)state};
    cycle(b, &in);
}

static void set_barrier(bench *b, unsigned id, bool barrier)
{
    const wr_warp_context_table_in in = {
        .op = UPDATE, .id = (uint8_t)id, .fields = F_BARRIER, .barrier = barrier};
    cycle(b, &in);
}

static wr_warp_context_table_out look(bench *b, unsigned id)
{
    const wr_warp_context_table_in in = {.look_id = (uint8_t)id};
    return cycle(b, &in);
}

/* Fig. 3.9: a new warp is running or ready; five arrows between the states, and no other. */
static void test_states(void **state)
{
    (void)state;
    /* The way of a new warp to each state. */
    static const unsigned way[STATES][4] = {
        {RUNNING, RUNNING, RUNNING, RUNNING},
        {RUNNING, STALLED, STALLED, STALLED},
        {RUNNING, STALLED, ABSENT, ABSENT},
        {RUNNING, STALLED, ABSENT, READY},
    };
    static const bool arrow[STATES][STATES] = {
        [RUNNING] = {[RUNNING] = true, [STALLED] = true},
        [STALLED] = {[STALLED] = true, [RUNNING] = true, [ABSENT] = true},
        [ABSENT] = {[ABSENT] = true, [READY] = true},
        [READY] = {[READY] = true, [RUNNING] = true},
    };
    bench b;
    for (unsigned from = 0; from < STATES; from++) {
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        insert(&b, 5, from, 7, 0xc00);
        const bool starts = from == RUNNING || from == READY;
        assert_int_equal(look(&b, 5).look_valid, starts);
        assert_int_equal(look(&b, 5).fault, !starts);
        for (unsigned to = 0; to < STATES; to++) {
            wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
            insert(&b, 5, RUNNING, 7, 0xc00);
            for (unsigned n = 0; n < 4; n++) {
                to_state(&b, 5, way[from][n]);
            }
            assert_int_equal(look(&b, 5).look_state, from);
            assert_false(look(&b, 5).fault);
            to_state(&b, 5, to);
            assert_int_equal(look(&b, 5).look_state, arrow[from][to] ? to : from);
            assert_int_equal(look(&b, 5).fault, !arrow[from][to]);
        }
    }
}

/* Registers are present below 0x800, metadata in slots 0xC00 + 0 to 63, 0xFFF is nowhere. */
static void test_present(void **state)
{
    (void)state;
    static const struct {
        unsigned reg_addr;
        unsigned meta_addr;
        bool present;
    } cases[] = {
        {0x000, 0xc00, true},  {0x7ff, 0xc3f, true},  {0x800, 0xc00, false}, {0xaff, 0xc00, false},
        {0xbff, 0xc00, false}, {0x000, 0xc40, false}, {0x000, 0xbff, false}, {0x000, 0x000, false},
        {0x000, 0xfff, false}, {0xfff, 0xc00, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        insert(&b, 127, RUNNING, cases[i].reg_addr, cases[i].meta_addr);
        const wr_warp_context_table_out out = look(&b, 127);
        assert_true(out.look_valid);
        assert_int_equal(out.look_reg_addr, cases[i].reg_addr);
        assert_int_equal(out.look_meta_addr, cases[i].meta_addr);
        assert_int_equal(out.look_present, cases[i].present);
    }
}

static int find(bench *b, unsigned state, unsigned from)
{
    const wr_warp_context_table_in in = {.find_state = (uint8_t)state, .find_from = (uint8_t)from};
    const wr_warp_context_table_out out = cycle(b, &in);
    return out.find_found ? out.find_id : -1;
}

/* 128 entries, all found in turn, from any id on and around the end. */
static void test_find(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    assert_int_equal(find(&b, RUNNING, 0), -1);
    for (unsigned id = 0; id < 128; id++) {
        insert(&b, id, id % 2 == 0 ? RUNNING : READY, id, 0xc00);
    }
    assert_int_equal(find(&b, RUNNING, 0), 0);
    assert_int_equal(find(&b, RUNNING, 1), 2);
    assert_int_equal(find(&b, RUNNING, 127), 0);
    assert_int_equal(find(&b, READY, 127), 127);
    assert_int_equal(find(&b, STALLED, 9), -1);
    to_state(&b, 40, STALLED);
    assert_int_equal(find(&b, STALLED, 41), 40);
    assert_int_equal(find(&b, STALLED, 40), 40);
    assert_false(look(&b, 0).fault);
}

static wr_warp_context_table_out judge(bench *b, unsigned first, unsigned count)
{
    const wr_warp_context_table_in in = {.group_first = (uint8_t)first,
                                         .group_count = (uint8_t)count};
    return cycle(b, &in);
}

/* A TB switches out when all its warps are stalled, and in when all but those at a barrier are
 * ready (3.6.6). */
static void test_group(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    assert_false(judge(&b, 8, 4).group_any);
    for (unsigned id = 8; id < 12; id++) {
        insert(&b, id, RUNNING, id, 0xc00 + id);
        to_state(&b, id, STALLED);
        assert_true(judge(&b, 8, 4).group_stalled);
    }
    insert(&b, 12, RUNNING, 12, 0xc0c);
    assert_false(judge(&b, 8, 5).group_stalled);
    assert_true(judge(&b, 8, 4).group_stalled);
    assert_false(judge(&b, 8, 0).group_any);
    set_barrier(&b, 10, true);
    assert_true(judge(&b, 8, 4).group_stalled);
    for (unsigned id = 8; id < 12; id++) {
        assert_false(judge(&b, 8, 4).group_ready);
        to_state(&b, id, ABSENT);
        if (id != 10) {
            to_state(&b, id, READY);
        }
    }
    wr_warp_context_table_out out = judge(&b, 8, 4);
    assert_true(out.group_any && out.group_ready);
    assert_false(out.group_stalled);
    assert_int_equal(look(&b, 10).look_state, ABSENT);
    set_barrier(&b, 10, false);
    assert_false(judge(&b, 8, 4).group_ready);
    assert_true(judge(&b, 8, 2).group_ready);
    assert_true(judge(&b, 11, 1).group_ready);
    assert_false(judge(&b, 127, 63).group_any); /* past the last entry */
    assert_false(out.fault);
}

static void check_fault(const wr_warp_context_table_in *in, bool want)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[2]);
    insert(&b, 3, READY, 9, 0xc01);
    cycle(&b, in);
    assert_int_equal(look(&b, 3).fault, want);
    if (want) {
        assert_true(look(&b, 3).look_valid);
        assert_int_equal(look(&b, 3).look_state, READY);
        assert_int_equal(look(&b, 3).look_reg_addr, 9);
        assert_int_equal(look(&b, 3).look_meta_addr, 0xc01);
        assert_false(look(&b, 3).look_barrier);
    }
    wr_bench_reset(&self, &b);
    assert_false(look(&b, 3).fault);
    assert_false(look(&b, 3).look_valid);
}

static void test_faults(void **state)
{
    (void)state;
    const struct {
        wr_warp_context_table_in in;
        bool fault;
    } cases[] = {
        {{.op = NONE, .id = 127}, false},
        {{.op = INSERT, .id = 52, .state = RUNNING}, false},
        {{.op = INSERT, .id = 53, .state = RUNNING}, true},
        {{.op = INSERT, .id = 3, .state = RUNNING}, true},
        {{.op = INSERT, .id = 4, .state = ABSENT}, true},
        {{.op = UPDATE, .id = 4, .fields = F_REG}, true},
        {{.op = UPDATE, .id = 4}, true},
        {{.op = UPDATE, .id = 53}, true},
        {{.op = UPDATE, .id = 3}, false},
        {{.op = UPDATE, .id = 3, .fields = 15, .state = RUNNING, .barrier = true}, false},
        {{.op = UPDATE, .id = 3, .fields = 15, .state = STALLED, .barrier = true}, true},
        {{.op = UPDATE, .id = 3, .fields = F_REG, .state = STALLED, .reg_addr = 4}, false},
        {{.op = REMOVE, .id = 3}, false},
        {{.op = REMOVE, .id = 4}, true},
        {{.op = REMOVE, .id = 53}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_fault(&cases[i].in, cases[i].fault);
    }
}

static unsigned random_addr(bench *b, unsigned edge)
{
    switch (wr_rig_below(&b->rig, 4)) {
    case 0:
        return (edge + wr_rig_below(&b->rig, 3) - 1) & 0xfff;
    case 1:
        return wr_rig_chance(&b->rig, 50) ? 0xfff : 0xc00 - wr_rig_below(&b->rig, 2);
    default:
        return wr_rig_chance(&b->rig, 50) ? 0xc00 + wr_rig_below(&b->rig, 128)
                                          : wr_rig_below(&b->rig, 4096);
    }
}

/* Any id; where there are none to spare, mostly one that is there. */
static uint8_t random_id(bench *b)
{
    return (uint8_t)(wr_rig_chance(&b->rig, 95) ? wr_rig_below(&b->rig, b->cfg.warps)
                                                : wr_rig_below(&b->rig, 128));
}

static wr_warp_context_table_in random_in(bench *b, bool with_faults)
{
    static const unsigned after[STATES][2] = {
        {STALLED, STALLED}, {RUNNING, ABSENT}, {READY, READY}, {RUNNING, RUNNING}};
    wr_rig *rig = &b->rig;
    wr_warp_context_table_in in = {.id = random_id(b),
                                   .fields = (uint8_t)wr_rig_below(rig, 16),
                                   .state = (uint8_t)wr_rig_below(rig, STATES),
                                   .barrier = wr_rig_chance(rig, 50),
                                   .reg_addr = (uint16_t)random_addr(b, b->cfg.reg_units),
                                   .meta_addr = (uint16_t)random_addr(b, 0xc00 + b->cfg.slots),
                                   .look_id = random_id(b),
                                   .find_state = (uint8_t)wr_rig_below(rig, STATES),
                                   .find_from = random_id(b),
                                   .group_first = random_id(b),
                                   .group_count = (uint8_t)wr_rig_below(rig, 64)};
    if (wr_rig_chance(rig, 50)) {
        in.group_count = (uint8_t)wr_rig_below(rig, 4);
    }
    if (!wr_rig_offers(rig)) {
        return in;
    }
    if (with_faults && wr_rig_chance(rig, 10)) {
        in.op = (uint8_t)wr_rig_below(rig, 4);
        return in;
    }
    in.id = (uint8_t)(in.id % b->cfg.warps);
    const wr_oracle_wct_entry e = wr_oracle_wct_look(&b->oracle, in.id);
    if (!e.valid) {
        in.op = INSERT;
        in.state = wr_rig_chance(rig, 50) ? RUNNING : READY;
    } else if (wr_rig_below(rig, 12) == 0) {
        in.op = REMOVE;
    } else {
        in.op = UPDATE;
        in.state =
            (uint8_t)(wr_rig_chance(rig, 70) ? after[e.state][wr_rig_below(rig, 2)] : e.state);
    }
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_warp_context_table_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned s = 0; s < STATES; s++) {
        assert_true(b->seen[s] > 100);
    }
    assert_true(b->groups[0] > 100 && b->groups[1] > 10 && b->groups[2] > 10);
}

static const wr_bench self = {
    .block = &wr_warp_context_table_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, commands)},
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
        cmocka_unit_test(test_states), cmocka_unit_test(test_present), cmocka_unit_test(test_find),
        cmocka_unit_test(test_group),  cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
