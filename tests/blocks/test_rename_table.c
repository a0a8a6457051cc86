/* SPDX-License-Identifier: Apache-2.0 */
/* rename_table: the model against the oracle, every output in every cycle, and the rules of
 * renaming in hint mode (Gong 5.3.3) as exact values.
 */
#include "dpi/gen/rename_table_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/rename_table_oracle.h"

enum { SCALAR, VECTOR };

typedef struct bench {
    wr_rig rig;
    wr_rename_table_cfg cfg;
    wr_rename_table dut;
    wr_oracle_rename oracle;
    uint64_t updates;
    uint64_t full; /* cycles with a full class */
    uint64_t faults;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_rename_reset(&b->oracle, b->cfg.entries);
}

static const wr_rename_table_cfg configs[] = {
    {.entries = 2, .reads = 1},  {.entries = 8, .reads = 3}, {.entries = 5, .reads = 2},
    {.entries = 16, .reads = 4}, {.entries = 3, .reads = 4}, {.entries = 11, .reads = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

/* Settles and checks all outputs, then clocks both sides. */
static wr_rename_table_out cycle(bench *b, const wr_rename_table_in *in)
{
    const wr_oracle_rename *want = &b->oracle;
    wr_rename_table_out out;
    wr_bench_settle(&self, b, in, &out);
    for (unsigned i = 0; i < b->cfg.reads; i++) {
        bool renamed = false;
        const unsigned mapped =
            wr_oracle_rename_read(want, in->read_vec[i], in->read_reg[i], &renamed);
        wr_rig_check(&b->rig, "mapped", out.mapped[i], mapped);
        wr_rig_check(&b->rig, "renamed", out.renamed[i], renamed);
    }
    wr_rig_check(&b->rig, "scalar_count", out.scalar_count, want->table[SCALAR].count);
    wr_rig_check(&b->rig, "vector_count", out.vector_count, want->table[VECTOR].count);
    wr_rig_check(&b->rig, "fault", out.fault, want->fault);
    b->updates += in->update;
    b->full += out.scalar_count == b->cfg.entries || out.vector_count == b->cfg.entries;
    b->faults += out.fault;

    const wr_oracle_rename_op update = {in->update, in->update_vec, in->update_reg, in->update_to};
    const wr_oracle_rename_op drop = {in->drop, in->drop_vec, in->drop_reg, in->drop_from};
    wr_oracle_rename_step(&b->oracle, in->clear, &update, &drop);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_rename_table_out *)out = cycle(bench_v, in);
}

static void play_update(bench *b, bool vec, unsigned reg, unsigned to)
{
    const wr_rename_table_in in = {
        .update = true, .update_vec = vec, .update_reg = (uint8_t)reg, .update_to = (uint8_t)to};
    cycle(b, &in);
}

static void play_drop(bench *b, bool vec, unsigned reg, unsigned from)
{
    const wr_rename_table_in in = {
        .drop = true, .drop_vec = vec, .drop_reg = (uint8_t)reg, .drop_from = (uint8_t)from};
    cycle(b, &in);
}

static unsigned mapping_of(bench *b, bool vec, unsigned reg)
{
    const wr_rename_table_in in = {.read_vec[0] = vec, .read_reg[0] = (uint8_t)reg};
    return cycle(b, &in).mapped[0];
}

/* A source reads the newest mapping; the classes do not see each other. */
static void test_newest_mapping(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 7);
    play_update(&b, VECTOR, 7, 200);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 200);
    assert_int_equal(mapping_of(&b, SCALAR, 7), 7);
    play_update(&b, VECTOR, 7, 201);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 201);
    /* Copying an older renamed register says nothing about the newest. */
    play_drop(&b, VECTOR, 7, 200);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 201);
    play_drop(&b, SCALAR, 7, 201);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 201);
    play_drop(&b, VECTOR, 7, 201);
    assert_int_equal(mapping_of(&b, VECTOR, 7), 7);
    /* Written again under its own name: the mapping ends. */
    play_update(&b, SCALAR, 9, 100);
    play_update(&b, SCALAR, 9, 9);
    assert_int_equal(mapping_of(&b, SCALAR, 9), 9);
    /* Register 0 is a register like the others, and may be renamed to and from. */
    play_update(&b, SCALAR, 0, 3);
    assert_int_equal(mapping_of(&b, SCALAR, 0), 3);
    play_update(&b, SCALAR, 4, 0);
    assert_int_equal(mapping_of(&b, SCALAR, 4), 0);
}

/* Gong 5.3.6: eight mappings of either class; a ninth finds no room. */
static void test_room(void **state)
{
    (void)state;
    const wr_rename_table_in idle = {0};
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned r = 0; r < 8; r++) {
        play_update(&b, VECTOR, 10 + r, 100 + r);
        play_update(&b, SCALAR, 10 + r, 110 + r);
    }
    play_update(&b, VECTOR, 10, 120); /* one that it has needs no room */
    play_update(&b, VECTOR, 50, 50);  /* nor one that is none */
    wr_rename_table_out out = cycle(&b, &idle);
    assert_int_equal(out.vector_count, 8);
    assert_int_equal(out.scalar_count, 8);
    assert_false(out.fault);
    /* Room that a drop makes in the same cycle comes too late. */
    const wr_rename_table_in both = {.update = true,
                                     .update_vec = true,
                                     .update_reg = 50,
                                     .update_to = 51,
                                     .drop = true,
                                     .drop_vec = true,
                                     .drop_reg = 11,
                                     .drop_from = 101};
    cycle(&b, &both);
    out = cycle(&b, &idle);
    assert_true(out.fault);
    assert_int_equal(out.vector_count, 7);
    assert_int_equal(mapping_of(&b, VECTOR, 50), 50);
    const wr_rename_table_in clear = {.clear = true, .update = true, .update_to = 1};
    cycle(&b, &clear);
    out = cycle(&b, &idle);
    assert_int_equal(out.vector_count + out.scalar_count, 0);
    assert_true(out.fault);
}

/* Few registers, so that mappings meet; drops mostly of what is there. */
static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *r = &b->rig;
    unsigned names = 4;
    for (unsigned i = 0; i < cycles; i++) {
        if (wr_rig_below(r, 100) == 0) {
            names = 2 + wr_rig_below(r, 2 * b->cfg.entries);
        }
        wr_rename_table_in in = {0};
        in.clear = wr_rig_below(r, 200) == 0;
        in.update = wr_rig_offers(r);
        in.update_vec = wr_rig_chance(r, 50);
        in.update_reg = (uint8_t)wr_rig_below(r, names);
        in.update_to = (uint8_t)wr_rig_below(r, wr_rig_chance(r, 50) ? names : 256);
        in.drop = wr_rig_takes(r);
        in.drop_vec = wr_rig_chance(r, 50);
        in.drop_reg = (uint8_t)wr_rig_below(r, names);
        bool renamed = false;
        in.drop_from =
            (uint8_t)(wr_rig_chance(r, 70)
                          ? wr_oracle_rename_read(&b->oracle, in.drop_vec, in.drop_reg, &renamed)
                          : wr_rig_below(r, 256));
        (void)wr_oracle_rename_read(&b->oracle, in.update_vec, in.update_reg, &renamed);
        const wr_oracle_mappings *m = &b->oracle.table[in.update_vec];
        if (!with_faults && !renamed && m->count == b->cfg.entries) {
            in.update_to = in.update_reg;
        }
        for (unsigned p = 0; p < b->cfg.reads; p++) {
            in.read_vec[p] = wr_rig_chance(r, 50);
            in.read_reg[p] = (uint8_t)wr_rig_below(r, wr_rig_chance(r, 90) ? names : 256);
        }
        cycle(b, &in);
        if (b->oracle.fault && wr_rig_below(r, 100) == 0) {
            wr_bench_reset(&self, b);
        }
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->faults > 0 && b->full > 100);
}

static const wr_bench self = {
    .block = &wr_rename_table_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, updates)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 10000, .faulty = 10000},
    .snapshot = {.before = 333, .after = 500},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_newest_mapping),
        cmocka_unit_test(test_room),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
