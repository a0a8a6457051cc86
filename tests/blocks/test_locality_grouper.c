/* SPDX-License-Identifier: Apache-2.0 */
/* locality_grouper: the model against the oracle in every cycle on every output, under random warps
 * and protocol faults; the groups of Gong 6.3.2 and Fig. 6.9 as exact orders of issue.
 */
#include "dpi/gen/locality_grouper_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/locality_grouper_oracle.h"

enum { HINT_NONE, HINT_LINES, HINT_BORDERS, HINT_SOME, HINTS };

typedef struct bench {
    wr_rig rig;
    wr_locality_grouper_cfg cfg;
    wr_locality_grouper dut;
    wr_oracle_grouper oracle;
    uint64_t issues[HINTS];
    uint64_t switches[HINTS];
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_grouper_reset(&b->oracle, b->cfg.slots, b->cfg.coord_bits);
}

static const wr_locality_grouper_cfg configs[] = {
    {.slots = 4, .coord_bits = 2}, {.slots = 64, .coord_bits = 8}, {.slots = 23, .coord_bits = 5},
    {.slots = 2, .coord_bits = 1}, {.slots = 63, .coord_bits = 3}, {.slots = 33, .coord_bits = 8},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 1, ODD_CONFIG = 2 };

/* Settles and checks all outputs, then clocks both sides. */
static wr_locality_grouper_out cycle(bench *b, const wr_locality_grouper_in *in)
{
    wr_oracle_grouper_in step = {.cfg = in->cfg,
                                 .hint = in->hint,
                                 .groups = in->groups,
                                 .launch = in->launch,
                                 .launch_slot = in->launch_slot,
                                 .block_x = in->block_x,
                                 .block_y = in->block_y,
                                 .warp = in->warp,
                                 .finish = in->finish,
                                 .finish_slot = in->finish_slot,
                                 .issue = in->issue};
    memcpy(step.ready, in->ready, b->cfg.slots * sizeof step.ready[0]);
    const wr_oracle_grant want = wr_oracle_grouper_grant(&b->oracle, step.ready);

    wr_locality_grouper_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_rig_check(&b->rig, "grant_valid", out.grant_valid, want.valid);
    wr_rig_check(&b->rig, "grant_slot", out.grant_slot, want.slot);
    wr_rig_check(&b->rig, "grant_key", out.grant_key, want.key);
    wr_rig_check(&b->rig, "grant_switch", out.grant_switch, want.other_group);
    wr_rig_check(&b->rig, "fault", out.fault, b->oracle.fault);

    b->issues[b->oracle.hint] += in->issue && want.valid;
    b->switches[b->oracle.hint] += in->issue && want.other_group;
    wr_oracle_grouper_clock(&b->oracle, &step);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_locality_grouper_out *)out = cycle(bench_v, in);
}

static void configure(bench *b, unsigned hint, unsigned groups)
{
    const wr_locality_grouper_in in = {
        .cfg = true, .hint = (uint8_t)hint, .groups = (uint8_t)groups};
    cycle(b, &in);
}

static void launch(bench *b, unsigned slot, unsigned x, unsigned y, unsigned warp)
{
    const wr_locality_grouper_in in = {.launch = true,
                                       .launch_slot = (uint8_t)slot,
                                       .block_x = (uint8_t)x,
                                       .block_y = (uint8_t)y,
                                       .warp = (uint8_t)warp};
    cycle(b, &in);
}

/* Issues where the warps of these slots are ready; 99: nobody is. */
static unsigned issue(bench *b, uint64_t ready)
{
    wr_locality_grouper_in in = {.issue = ready != 0};
    for (unsigned s = 0; s < 64; s++) {
        in.ready[s] = (ready >> s) % 2 == 1;
    }
    const wr_locality_grouper_out out = cycle(b, &in);
    return out.grant_valid ? out.grant_slot : 99;
}

static void check_order(bench *b, uint64_t ready, const unsigned *slots, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(issue(b, ready), slots[i]);
    }
}

/* Two blocks in a row, (0,0) and (1,0), and one of the next row, (0,1), two warps each, slots in
 * the order of launch: blocks 0, 1, 2 have slots 0-1, 2-3, 4-5. */
static void launch_blocks(bench *b)
{
    launch(b, 0, 0, 0, 0);
    launch(b, 1, 0, 0, 1);
    launch(b, 2, 1, 0, 0);
    launch(b, 3, 1, 0, 1);
    launch(b, 4, 0, 1, 0);
    launch(b, 5, 0, 1, 1);
}

/* Hint 1, Fig. 6.9: the warps 0 of the blocks with one blockIdx.y are a group, so are their
 * warps 1. Round robin inside; to the next group once all are stalled; round robin there too. */
static void test_lines(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    configure(&b, HINT_LINES, 1);
    launch_blocks(&b);
    check_order(&b, 0x3f, (const unsigned[]){0, 2, 0, 2}, 4);
    check_order(&b, 0x3e, (const unsigned[]){2, 2}, 2);    /* slot 0 stalls */
    check_order(&b, 0x3a, (const unsigned[]){1, 3, 1}, 3); /* and 2: the warps 1 */
    check_order(&b, 0x3f, (const unsigned[]){3, 1}, 2);    /* no going back while they can issue */
    check_order(&b, 0x35, (const unsigned[]){4, 4}, 2);
    check_order(&b, 0x25, (const unsigned[]){5}, 1);
    check_order(&b, 0x0f, (const unsigned[]){0}, 1); /* around to the lowest group */
    wr_locality_grouper_in look = {.ready = {false, true}};
    const wr_locality_grouper_out out = cycle(&b, &look);
    assert_true(out.grant_switch);
    assert_int_equal(out.grant_key, 1); /* blockIdx.y 0, warp 1 */
    assert_false(out.fault);
}

/* Hint 2: blocks with one blockIdx.x are a group: warp 1 of block (0,0) and warp 0 of (0,1). */
static void test_borders(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    configure(&b, HINT_BORDERS, 1);
    launch_blocks(&b);
    check_order(&b, 0x3f, (const unsigned[]){0, 1, 4, 5, 0}, 5);
    check_order(&b, 0x0c, (const unsigned[]){2, 3, 2}, 3);
    check_order(&b, 0x3f, (const unsigned[]){3, 2}, 2);
    assert_false(b.oracle.fault);
}

/* Hint 3: warps go round robin to the groups, here three. */
static void test_some(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    configure(&b, HINT_SOME, 3);
    launch_blocks(&b);
    check_order(&b, 0x3f, (const unsigned[]){0, 3, 0}, 3);
    check_order(&b, 0x36, (const unsigned[]){1, 4, 1}, 3);
    check_order(&b, 0x24, (const unsigned[]){2, 5, 2}, 3);
    check_order(&b, 0x3f, (const unsigned[]){5, 2}, 2);
    assert_false(b.oracle.fault);
}

/* Every warp stalls when it has issued: groups change each time, and none of them begins anew with
 * its first warp. Groups 0, 1, 2 are slots 0 and 3, 1 and 4, 2 and 5. */
static void test_rounds(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    configure(&b, HINT_SOME, 3);
    launch_blocks(&b);
    assert_int_equal(issue(&b, 0x3f), 0);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(issue(&b, 0x12), 1);
        assert_int_equal(issue(&b, 0x24), 2);
        assert_int_equal(issue(&b, 0x09), 3);
        assert_int_equal(issue(&b, 0x12), 4);
        assert_int_equal(issue(&b, 0x24), 5);
        assert_int_equal(issue(&b, 0x09), 0);
    }
    /* The turn of slot 1 comes while it is stalled: it has it later in the same round. */
    check_order(&b, 0x10, (const unsigned[]){4}, 1);
    check_order(&b, 0x12, (const unsigned[]){1}, 1);
    check_order(&b, 0x12, (const unsigned[]){1, 4, 1}, 3);
    assert_false(b.oracle.fault);
}

/* A warp that is launched into the slot of one that had its turn has its own. */
static void test_launch_into_a_round(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned slot = 0; slot < 3; slot++) {
        launch(&b, slot, 0, 0, slot);
    }
    check_order(&b, 0x7, (const unsigned[]){0, 1}, 2);
    cycle(&b, &(wr_locality_grouper_in){.finish = true, .finish_slot = 0});
    launch(&b, 0, 0, 0, 0);
    check_order(&b, 0x7, (const unsigned[]){0, 2, 0, 1}, 4);
}

/* Hint 0, also what reset leaves: one group, round robin over the slots. */
static void test_none(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    launch_blocks(&b);
    check_order(&b, 0x3f, (const unsigned[]){0, 1, 2, 3, 4, 5, 0}, 7);
    check_order(&b, 0x21, (const unsigned[]){5, 0, 5}, 3);
    assert_int_equal(issue(&b, 0), 99);
    assert_int_equal(issue(&b, UINT64_C(1) << 63 | 1), 0); /* nobody lives in slot 63 */
    assert_false(b.oracle.fault);
}

/* One cycle on a table of 23 slots in which slot 3 has a warp. */
static void check_fault(const wr_locality_grouper_in *in, bool want)
{
    bench b;
    const wr_locality_grouper_in idle = {0};
    wr_bench_init(&self, &b, 1, &configs[ODD_CONFIG]);
    launch(&b, 3, 1, 1, 1);
    cycle(&b, in);
    assert_int_equal(cycle(&b, &idle).fault, want);
    wr_bench_reset(&self, &b);
    assert_false(cycle(&b, &idle).fault);
}

static void test_faults(void **state)
{
    (void)state;
    const struct {
        wr_locality_grouper_in in;
        bool fault;
    } cases[] = {
        {{.launch = true, .launch_slot = 22}, false},
        {{.launch = true, .launch_slot = 23}, true},
        {{.launch = true, .launch_slot = 3}, true},
        {{.finish = true, .finish_slot = 3}, false},
        {{.finish = true, .finish_slot = 4}, true},
        {{.finish = true, .finish_slot = 63}, true},
        {{.finish = true, .finish_slot = 3, .launch = true, .launch_slot = 3}, true},
        {{.finish = true, .finish_slot = 4, .launch = true, .launch_slot = 4}, true},
        {{.issue = true}, true},
        {{.issue = true, .ready = {true, true, true}}, true},
        {{.issue = true, .ready = {false, false, false, true}}, false},
        {{.cfg = true, .groups = 1}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_fault(&cases[i].in, cases[i].fault);
    }
    for (unsigned slot = 0; slot < 23; slot++) { /* one warp alone makes a new kernel a fault */
        bench b;
        wr_bench_init(&self, &b, 1, &configs[ODD_CONFIG]);
        configure(&b, HINT_LINES, 1);
        assert_false(b.oracle.fault);
        launch(&b, slot, 0, 0, 0);
        configure(&b, HINT_LINES, 1);
        const wr_locality_grouper_in idle = {0};
        assert_true(cycle(&b, &idle).fault);
    }
    static const struct {
        unsigned groups;
        bool fault;
    } sizes[] = {{0, true}, {1, false}, {32, false}, {33, true}, {63, true}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &configs[ODD_CONFIG]);
        configure(&b, HINT_SOME, sizes[i].groups);
        for (unsigned s = 0; s < 23; s++) {
            launch(&b, s, 0, 0, 0);
        }
        const wr_locality_grouper_in look = {.ready = {[22] = true}};
        const wr_locality_grouper_out out = cycle(&b, &look);
        assert_int_equal(out.grant_key, sizes[i].groups == 32 ? 22 : 0);
        assert_int_equal(out.fault, sizes[i].fault);
    }
}

static wr_locality_grouper_in random_in(bench *b, bool with_faults)
{
    wr_rig *rig = &b->rig;
    const unsigned slots = b->cfg.slots;
    const bool blind = with_faults && wr_rig_chance(rig, 5);
    wr_locality_grouper_in in = {.hint = (uint8_t)wr_rig_below(rig, HINTS),
                                 .groups = (uint8_t)(1 + wr_rig_below(rig, 32)),
                                 .launch_slot = (uint8_t)wr_rig_below(rig, blind ? 64 : slots),
                                 .block_x = (uint8_t)wr_rig_below(rig, 256),
                                 .block_y = (uint8_t)wr_rig_below(rig, 4),
                                 .warp = (uint8_t)wr_rig_below(rig, 32),
                                 .finish_slot = (uint8_t)wr_rig_below(rig, blind ? 64 : slots)};
    if (wr_rig_chance(rig, 50)) {
        in.block_x &= 3;
        in.warp &= 3;
        in.groups = (uint8_t)(1 + wr_rig_below(rig, 4));
    }
    const wr_oracle_grouper_warp *warp = b->oracle.warp;
    const bool wind_down = rig->cycle / 128 % 4 == 3; /* so that a kernel ends now and then */
    in.launch = !wind_down && wr_rig_offers(rig) && (blind || !warp[in.launch_slot].resident);
    for (unsigned n = 0; wind_down && n < slots && !warp[in.finish_slot % slots].resident; n++) {
        in.finish_slot = (uint8_t)((in.finish_slot + 1u) % slots);
    }
    in.finish = wr_rig_chance(rig, wind_down ? 90 : 10) && (blind || warp[in.finish_slot].resident);
    in.cfg = wr_rig_chance(rig, 30) &&
             (wr_oracle_grouper_residents(&b->oracle) == 0 || (blind && wr_rig_chance(rig, 20)));
    if (blind && wr_rig_chance(rig, 20)) {
        in.groups = (uint8_t)wr_rig_below(rig, 64);
    }
    bool ready[WR_ORACLE_GROUPER_SLOTS] = {false};
    for (unsigned s = 0; s < slots; s++) {
        in.ready[s] = ready[s] = wr_rig_takes(rig);
    }
    in.issue = wr_rig_offers(rig) && (blind || wr_oracle_grouper_grant(&b->oracle, ready).valid);
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_locality_grouper_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->issues[0] + b->issues[1] + b->issues[2] + b->issues[3] > 0);
}

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    for (unsigned h = 0; h < HINTS; h++) {
        uint64_t issues = 0;
        uint64_t switches = 0;
        for (unsigned i = 0; i < count; i++) {
            issues += b[i].issues[h];
            switches += b[i].switches[h];
        }
        assert_true(issues > 1000);
        assert_true(h == HINT_NONE || switches > 100);
    }
}

/* One group. */
static uint64_t after_reset(const void *cfg_v, const char *name, unsigned element)
{
    (void)cfg_v;
    (void)element;
    return strcmp(name, "groups_q") == 0;
}

static const wr_bench self = {
    .block = &wr_locality_grouper_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, rig.cycle)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .after_reset = after_reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 15000, .faulty = 1000, .rounds = 10},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_launch_into_a_round),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_faults),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
