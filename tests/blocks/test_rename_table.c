/* SPDX-License-Identifier: Apache-2.0 */
/* rename_table: the model against the oracle, every output in every cycle, and the rules of
 * renaming in hint mode (Gong 5.3.3) as exact values.
 */
#include "refmodel/hints/rename_table.h"

#include <string.h>

#include "tests/blocks/rig.h"
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

static const wr_rename_table_cfg configs[] = {
    {.entries = 2, .reads = 1},  {.entries = 8, .reads = 3}, {.entries = 5, .reads = 2},
    {.entries = 16, .reads = 4}, {.entries = 3, .reads = 4}, {.entries = 11, .reads = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1 };

static void bench_init(bench *b, uint64_t seed, const wr_rename_table_cfg *cfg)
{
    memset(b, 0, sizeof *b);
    wr_rig_init(&b->rig, seed, "rename_table Entries=%u Reads=%u", cfg->entries, cfg->reads);
    b->cfg = *cfg;
    assert_int_equal(wr_rename_table_init(&b->dut, &b->cfg), WR_OK);
    wr_oracle_rename_reset(&b->oracle, cfg->entries);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_rename_table_out cycle(bench *b, const wr_rename_table_in *in)
{
    const wr_oracle_rename *want = &b->oracle;
    wr_rename_table_out out;
    memset(&out, 0x5a, sizeof out);
    wr_rename_table_eval(&b->dut, in, &out);
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
    wr_rename_table_tick(&b->dut, in);
    wr_rig_next_cycle(&b->rig);
    return out;
}

static void test_bad_configuration(void **state)
{
    (void)state;
    static const wr_rename_table_cfg bad[] = {
        {0, 3}, {1, 3}, {17, 3}, {8, 0}, {8, 5}, {UINT32_MAX, 3}, {8, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wr_rename_table dut;
        assert_int_equal(wr_rename_table_init(&dut, &bad[i]), WR_ERR_CONFIG);
    }
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
    bench_init(&b, 1, &configs[DEFAULT_CONFIG]);
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
    bench_init(&b, 1, &configs[DEFAULT_CONFIG]);
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
static void traffic(bench *b, unsigned cycles, bool with_faults)
{
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
            wr_rename_table_reset(&b->dut);
            wr_oracle_rename_reset(&b->oracle, b->cfg.entries);
        }
    }
}

static void test_random_traffic(void **state)
{
    (void)state;
    const uint64_t seed = wr_rig_seed();
    for (unsigned i = 0; i < CONFIGS; i++) {
        bench b;
        bench_init(&b, seed + i, &configs[i]);
        traffic(&b, 10000, false);
        assert_false(b.oracle.fault);
        traffic(&b, 10000, true);
        assert_true(b.faults > 0 && b.full > 100);
        wr_rig_report(&b.rig, b.updates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_configuration),
        cmocka_unit_test(test_newest_mapping),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_random_traffic),
    };
    return cmocka_run_group_tests_name("rename_table", tests, NULL, NULL);
}
