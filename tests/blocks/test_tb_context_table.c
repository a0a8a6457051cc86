/* SPDX-License-Identifier: Apache-2.0 */
/* tb_context_table: the model against the oracle in every cycle on every output, under random
 * commands and protocol faults, and from Lin-D 3.6.6 as exact values: 32 entries, masks of 32
 * warps, what is present in shared memory.
 */
#include "dpi/gen/tb_context_table_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/tb_context_table_oracle.h"

enum { NONE, INSERT, REMOVE, SET, CLEAR, MOVE };
enum { FREE, WHOLE, PARTIAL, SPILLED, KINDS };

typedef struct bench {
    wr_rig rig;
    wr_tb_context_table_cfg cfg;
    wr_tb_context_table dut;
    wr_oracle_tbct oracle;
    uint64_t commands;
    uint64_t found[KINDS];
    uint64_t missing[KINDS];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    b->oracle = (wr_oracle_tbct){.tbs = b->cfg.tbs,
                                 .tb_warps = b->cfg.tb_warps,
                                 .smem_base = b->cfg.smem_base,
                                 .smem_units = b->cfg.smem_units};
}

static const wr_tb_context_table_cfg configs[] = {
    {.tbs = 3, .tb_warps = 2, .smem_base = 16, .smem_units = 16},
    {.tbs = 32, .tb_warps = 32, .smem_base = 2048, .smem_units = 768},
    {.tbs = 11, .tb_warps = 19, .smem_base = 1300, .smem_units = 777},
    {.tbs = 1, .tb_warps = 1, .smem_base = 0, .smem_units = 1},
    {.tbs = 31, .tb_warps = 31, .smem_base = 0, .smem_units = 3072},
    {.tbs = 16, .tb_warps = 5, .smem_base = 3071, .smem_units = 1},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1, ODD_CONFIG = 2 };

static void check_outputs(bench *b, const wr_tb_context_table_in *in,
                          const wr_tb_context_table_out *out)
{
    const wr_oracle_tbct *o = &b->oracle;
    const wr_oracle_tbct_entry e = wr_oracle_tbct_look(o, in->look_id);
    uint32_t mask = 0;
    for (unsigned w = 0; w < 32; w++) {
        mask += e.absent[w] ? UINT32_C(1) << w : 0;
    }
    wr_rig_check(&b->rig, "look_valid", out->look_valid, e.valid);
    wr_rig_check(&b->rig, "look_mask", out->look_mask, mask);
    wr_rig_check(&b->rig, "look_addr", out->look_addr, e.addr);
    wr_rig_check(&b->rig, "look_present", out->look_present,
                 wr_oracle_tbct_present(o, in->look_id));
    const int id = wr_oracle_tbct_find(o, (wr_oracle_tbct_kind)in->find_kind, in->find_from);
    wr_rig_check(&b->rig, "find_found", out->find_found, id >= 0);
    wr_rig_check(&b->rig, "find_id", out->find_id, id >= 0 ? (unsigned)id : 0);
    wr_rig_check(&b->rig, "fault", out->fault, o->fault);
    b->found[in->find_kind] += id >= 0;
    b->missing[in->find_kind] += id < 0;
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_tb_context_table_out cycle(bench *b, const wr_tb_context_table_in *in)
{
    wr_tb_context_table_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, in, &out);

    wr_oracle_tbct_command command = {.op = in->op, .id = in->id, .addr = in->addr};
    for (unsigned w = 0; w < 32; w++) {
        command.mask[w] = (in->mask >> w) % 2 == 1;
    }
    b->commands += in->op != NONE;
    wr_oracle_tbct_clock(&b->oracle, &command);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_tb_context_table_out *)out = cycle(bench_v, in);
}

static void command(bench *b, unsigned op, unsigned id, uint32_t mask, unsigned addr)
{
    const wr_tb_context_table_in in = {
        .op = (uint8_t)op, .id = (uint8_t)id, .mask = mask, .addr = (uint16_t)addr};
    cycle(b, &in);
}

static wr_tb_context_table_out look(bench *b, unsigned id)
{
    const wr_tb_context_table_in in = {.look_id = (uint8_t)id};
    return cycle(b, &in);
}

static int find(bench *b, unsigned kind, unsigned from)
{
    const wr_tb_context_table_in in = {.find_kind = (uint8_t)kind, .find_from = (uint8_t)from};
    const wr_tb_context_table_out out = cycle(b, &in);
    return out.find_found ? out.find_id : -1;
}

/* Shared memory is 0x800 to 0xaff; elsewhere it is spilled, 0xFFF means that the TB has none. */
static void test_present(void **state)
{
    (void)state;
    static const struct {
        unsigned addr;
        bool present;
    } cases[] = {
        {0x800, true},  {0xaff, true},  {0x7ff, false}, {0x000, false}, {0xb00, false},
        {0xbff, false}, {0xc00, false}, {0xffe, false}, {0xfff, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
        command(&b, INSERT, 31, 0, cases[i].addr);
        const wr_tb_context_table_out out = look(&b, 31);
        assert_true(out.look_valid);
        assert_int_equal(out.look_addr, cases[i].addr);
        assert_int_equal(out.look_present, cases[i].present);
        assert_int_equal(find(&b, WHOLE, 0), cases[i].present ? 31 : -1);
        assert_int_equal(find(&b, SPILLED, 0), cases[i].present ? -1 : 31);
        assert_int_equal(find(&b, PARTIAL, 0), -1);
        assert_int_equal(find(&b, FREE, 31), 0);
    }
}

/* All 32 entries and all 32 bits of a mask. */
static void test_sizes(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned id = 0; id < 32; id++) {
        assert_int_equal(find(&b, FREE, 0), id);
        command(&b, INSERT, id, UINT32_C(1) << id, 0x800 + id);
    }
    assert_int_equal(find(&b, FREE, 7), -1);
    assert_int_equal(find(&b, WHOLE, 7), -1);
    for (unsigned id = 0; id < 32; id++) {
        assert_int_equal(look(&b, id).look_mask, UINT32_C(1) << id);
        assert_int_equal(look(&b, id).look_addr, 0x800 + id);
        assert_int_equal(find(&b, PARTIAL, id), id);
        command(&b, SET, id, 0xffffffff, 0);
        assert_int_equal(look(&b, id).look_mask, 0xffffffff);
        command(&b, CLEAR, id, ~(UINT32_C(1) << (31 - id)), 0);
        assert_int_equal(look(&b, id).look_mask, UINT32_C(1) << (31 - id));
        command(&b, CLEAR, id, UINT32_C(1) << (31 - id), 0);
        assert_int_equal(find(&b, WHOLE, id), id);
        assert_int_equal(find(&b, PARTIAL, id), id < 31 ? (int)id + 1 : -1);
    }
    command(&b, MOVE, 4, 0xffffffff, 0x012);
    assert_int_equal(find(&b, SPILLED, 5), 4);
    assert_int_equal(look(&b, 4).look_mask, 0);
    command(&b, REMOVE, 4, 0xffffffff, 0x900);
    assert_int_equal(find(&b, SPILLED, 0), -1);
    assert_int_equal(find(&b, FREE, 0), 4);
    assert_int_equal(look(&b, 4).look_addr, 0);
    assert_false(look(&b, 4).fault);
}

static void check_fault(unsigned op, unsigned id, uint32_t mask, bool want)
{
    bench b;
    wr_bench_init(&self, &b, 1, &configs[ODD_CONFIG]); /* 11 TBs of 19 warps */
    command(&b, INSERT, 3, 5, 1301);
    command(&b, op, id, mask, 7);
    assert_int_equal(look(&b, 3).fault, want);
    if (want) {
        assert_true(look(&b, 3).look_valid);
        assert_int_equal(look(&b, 3).look_mask, 5);
        assert_int_equal(look(&b, 3).look_addr, 1301);
        assert_int_equal(find(&b, FREE, 4), 4);
    }
    wr_bench_reset(&self, &b);
    assert_false(look(&b, 3).fault);
    assert_false(look(&b, 3).look_valid);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        unsigned op;
        unsigned id;
        uint32_t mask;
        bool fault;
    } cases[] = {
        {NONE, 31, 0xffffffff, false},
        {INSERT, 10, 0x7ffff, false},
        {INSERT, 11, 0, true},
        {INSERT, 3, 0, true},
        {INSERT, 4, 0x80000, true},
        {REMOVE, 3, 0xffffffff, false},
        {REMOVE, 4, 0, true},
        {REMOVE, 11, 0, true},
        {SET, 3, 0x7ffff, false},
        {SET, 3, 0x80000, true},
        {SET, 4, 1, true},
        {SET, 3, 0, false},
        {CLEAR, 3, 0x7ffff, false},
        {CLEAR, 3, 0x80000005, true},
        {CLEAR, 4, 0, true},
        {MOVE, 3, 0xffffffff, false},
        {MOVE, 4, 0, true},
        {6, 3, 0, true},
        {7, 3, 0, true},
        {6, 31, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_fault(cases[i].op, cases[i].id, cases[i].mask, cases[i].fault);
    }
    for (unsigned op = INSERT; op < 8; op++) {
        for (unsigned id = configs[ODD_CONFIG].tbs; id < 32; id++) {
            check_fault(op, id, 0, true);
        }
    }
}

static uint8_t random_id(bench *b)
{
    return (uint8_t)(wr_rig_chance(&b->rig, 90) ? wr_rig_below(&b->rig, b->cfg.tbs)
                                                : wr_rig_below(&b->rig, 32));
}

static uint16_t random_addr(bench *b)
{
    const unsigned base = b->cfg.smem_base;
    switch (wr_rig_below(&b->rig, 4)) {
    case 0:
        return (uint16_t)((base + wr_rig_below(&b->rig, 3) - 1) & 0xfff);
    case 1:
        return (uint16_t)((base + b->cfg.smem_units + wr_rig_below(&b->rig, 3) - 1) & 0xfff);
    case 2:
        return (uint16_t)(wr_rig_chance(&b->rig, 20) ? 0xfff : wr_rig_below(&b->rig, 4096));
    default:
        return (uint16_t)(base + wr_rig_below(&b->rig, b->cfg.smem_units));
    }
}

static wr_tb_context_table_in random_in(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    const uint32_t legal = UINT32_MAX >> (32 - b->cfg.tb_warps);
    wr_tb_context_table_in in = {.id = random_id(b),
                                 .mask = (uint32_t)wr_rig_sparse(rig),
                                 .addr = random_addr(b),
                                 .look_id = random_id(b),
                                 .find_kind = (uint8_t)wr_rig_below(rig, KINDS),
                                 .find_from = random_id(b)};
    if (!wr_rig_offers(rig)) {
        return in;
    }
    if (with_faults && wr_rig_chance(rig, 10)) {
        in.op = (uint8_t)wr_rig_below(rig, 8);
        return in;
    }
    in.id = (uint8_t)(in.id % b->cfg.tbs);
    in.op = (uint8_t)(wr_rig_below(rig, 10) == 0 ? REMOVE : SET + wr_rig_below(rig, 3));
    if (!wr_oracle_tbct_look(&b->oracle, in.id).valid) {
        in.op = INSERT;
    }
    if (in.op == CLEAR && wr_rig_chance(rig, 70)) {
        in.mask = UINT32_MAX;
    }
    if (in.op == INSERT && wr_rig_chance(rig, 50)) {
        in.mask = 0;
    }
    if (in.op != REMOVE && in.op != MOVE) {
        in.mask &= legal;
    }
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_tb_context_table_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    for (unsigned k = 0; k < KINDS; k++) {
        assert_true(b->found[k] > 100);
    }
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    for (unsigned k = 0; k < KINDS; k++) {
        uint64_t missing = 0; /* seldom in a large table */
        for (unsigned i = 0; i < count; i++) {
            missing += b[i].missing[k];
        }
        assert_true(missing > 100);
    }
}

/* Each parameter is in its range. */
static const wr_tb_context_table_cfg refused[] = {
    {32, 32, 2048, 1025},
};

static const wr_bench self = {
    .block = &wr_tb_context_table_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, commands)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 10000, .faulty = 1000, .rounds = 10},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_present),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
