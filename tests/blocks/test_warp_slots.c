/* SPDX-License-Identifier: Apache-2.0 */
/* warp_slots: the model against the oracle, every output in every cycle, and exact values: slots
 * that are offered one after the other, every pair of events on one slot, the way of a slot through
 * an exchange. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/warp_slots_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/warp_slots_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_warp_slots_cfg cfg;
    wr_warp_slots dut;
    wr_oracle_warp_slots oracle;
    uint64_t events;
    uint64_t full, empty; /* cycles with no slot free, with all */
    uint64_t at_once;     /* cycles with all three events */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_warp_slots_reset(&b->oracle, b->cfg.slots, b->cfg.warps);
}

static const wr_warp_slots_cfg configs[] = {
    {.slots = 64, .warps = 128}, {.slots = 1, .warps = 1},   {.slots = 2, .warps = 128},
    {.slots = 63, .warps = 127}, {.slots = 33, .warps = 64}, {.slots = 32, .warps = 65},
};
enum { CONFIGS = sizeof configs / sizeof configs[0], DEFAULT_CONFIG = 0 };

/* Settles and checks all outputs, then clocks both sides. */
static wr_warp_slots_out cycle(bench *b, const wr_warp_slots_in *in)
{
    wr_warp_slots_out out;
    wr_bench_settle(&self, b, in, &out);
    const wr_oracle_warp_slots *o = &b->oracle;
    const int owner = wr_oracle_warp_slots_owner(o, in->look_slot);
    const int lowest = wr_oracle_warp_slots_lowest(o);
    wr_rig_check(&b->rig, "look_valid", out.look_valid, owner >= 0);
    wr_rig_check(&b->rig, "look_id", out.look_id, owner >= 0 ? (unsigned)owner : 0);
    wr_rig_check(&b->rig, "next", out.next, lowest >= 0 ? (unsigned)lowest : 0);
    wr_rig_check(&b->rig, "free", out.free, o->slots - o->listed);
    wr_rig_check(&b->rig, "fault", out.fault, o->fault);

    const wr_oracle_slot claim = {in->claim_slot, in->claim_id};
    const wr_oracle_slot pass = {in->pass_slot, in->pass_id};
    const unsigned give = in->give_slot;
    const wr_oracle_slots_asked asked = {.claim = in->claim ? &claim : NULL,
                                         .give = in->give ? &give : NULL,
                                         .pass = in->pass ? &pass : NULL};
    b->events += in->claim || in->give || in->pass;
    b->full += lowest < 0;
    b->empty += o->listed == 0;
    b->at_once += in->claim && in->give && in->pass;
    wr_oracle_warp_slots_clock(&b->oracle, &asked);
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_warp_slots_out *)out = cycle(bench_v, in);
}

static wr_warp_slots_out look(bench *b, unsigned slot)
{
    const wr_warp_slots_in in = {.look_slot = (uint8_t)slot};
    return cycle(b, &in);
}

static void claim(bench *b, unsigned slot, unsigned id)
{
    const wr_warp_slots_in in = {
        .claim = true, .claim_slot = (uint8_t)slot, .claim_id = (uint8_t)id};
    cycle(b, &in);
}

static void give(bench *b, unsigned slot)
{
    const wr_warp_slots_in in = {.give = true, .give_slot = (uint8_t)slot};
    cycle(b, &in);
}

static void owned(bench *b, unsigned slot, unsigned id)
{
    const wr_warp_slots_out out = look(b, slot);
    assert_true(out.look_valid);
    assert_int_equal(out.look_id, id);
}

/* 64 slots for 128 warps: all are offered in turn, from the lowest; one that is given back is
 * offered where no lower one is free. */
static void test_fill(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    for (unsigned n = 0; n < 64; n++) {
        const wr_warp_slots_out out = look(&b, n);
        assert_false(out.look_valid);
        assert_int_equal(out.next, n);
        assert_int_equal(out.free, 64 - n);
        claim(&b, out.next, 127 - n);
        owned(&b, n, 127 - n);
    }
    assert_int_equal(look(&b, 0).free, 0);
    assert_int_equal(look(&b, 0).next, 0);
    give(&b, 40);
    assert_int_equal(look(&b, 40).next, 40);
    give(&b, 63);
    assert_int_equal(look(&b, 63).next, 40);
    give(&b, 0);
    assert_int_equal(look(&b, 0).next, 0);
    assert_int_equal(look(&b, 0).free, 3);
    assert_false(look(&b, 40).look_valid);
    assert_int_equal(look(&b, 40).look_id, 0);
    owned(&b, 41, 127 - 41);
    assert_false(look(&b, 0).fault);
}

/* A switch in takes the slot that was offered in the cycle before, and gets it though a lower one
 * has been given back since. */
static void test_offer(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    claim(&b, 0, 10);
    claim(&b, 1, 11);
    const wr_warp_slots_in back = {.give = true};
    const wr_warp_slots_out offered = cycle(&b, &back);
    assert_int_equal(offered.next, 2);
    assert_int_equal(look(&b, 0).next, 0);
    claim(&b, offered.next, 99);
    owned(&b, 2, 99);
    assert_int_equal(look(&b, 0).next, 0);
    assert_int_equal(look(&b, 0).free, 62);
    assert_false(look(&b, 0).fault);
}

/* An exchange: the warp that comes in has the slot of the one that leaves, and no slot is free in
 * between. */
static void test_exchange(void **state)
{
    (void)state;
    bench b;
    wr_bench_init(&self, &b, 1, &configs[DEFAULT_CONFIG]);
    claim(&b, 5, 3);
    const wr_warp_slots_in exchange = {
        .pass = true, .pass_slot = 5, .pass_id = 100, .look_slot = 5};
    const wr_warp_slots_out out = cycle(&b, &exchange);
    assert_int_equal(out.look_id, 3);
    owned(&b, 5, 100);
    cycle(&b, &exchange); /* twice: of a warp that comes in by way of ready */
    owned(&b, 5, 100);
    assert_int_equal(look(&b, 5).free, 63);
    assert_false(look(&b, 5).fault);
}

/* Slot 2 is taken, slot 1 free; 13 slots, 21 warps. What one cycle asks for, and what stands then:
 * owners of slots 1 and 2, -1 for none. */
static void test_one_cycle(void **state)
{
    (void)state;
    const struct {
        wr_warp_slots_in in;
        bool fault;
        int first, second;
        unsigned free;
    } cases[] = {
        {{.claim = false, .claim_slot = 63, .claim_id = 127}, false, -1, 7, 12},
        {{.claim = true, .claim_slot = 1, .claim_id = 20}, false, 20, 7, 11},
        {{.claim = true, .claim_slot = 1, .claim_id = 21}, true, -1, 7, 12},
        {{.claim = true, .claim_slot = 1, .claim_id = 7}, false, 7, 7, 11}, /* not looked at */
        {{.claim = true, .claim_slot = 2, .claim_id = 5}, true, -1, 7, 12},
        {{.claim = true, .claim_slot = 12, .claim_id = 5}, false, -1, 7, 11},
        {{.claim = true, .claim_slot = 13, .claim_id = 5}, true, -1, 7, 12},
        {{.claim = true, .claim_slot = 33, .claim_id = 5}, true, -1, 7, 12},
        {{.give = true, .give_slot = 2}, false, -1, -1, 13},
        {{.give = true, .give_slot = 1}, true, -1, 7, 12},
        {{.give = true, .give_slot = 13}, true, -1, 7, 12},
        {{.give = true, .give_slot = 34}, true, -1, 7, 12},
        {{.pass = true, .pass_slot = 2, .pass_id = 20}, false, -1, 20, 12},
        {{.pass = true, .pass_slot = 2, .pass_id = 7}, false, -1, 7, 12},
        {{.pass = true, .pass_slot = 2, .pass_id = 21}, true, -1, 7, 12},
        {{.pass = true, .pass_slot = 1, .pass_id = 5}, true, -1, 7, 12},
        {{.pass = true, .pass_slot = 13, .pass_id = 5}, true, -1, 7, 12},
        {{.pass = true, .pass_slot = 34, .pass_id = 5}, true, -1, 7, 12},
        /* two of one slot */
        {{.claim = true, .claim_slot = 2, .claim_id = 5, .give = true, .give_slot = 2},
         true,
         -1,
         -1,
         13},
        {{.claim = true, .claim_slot = 1, .claim_id = 5, .give = true, .give_slot = 1},
         true,
         5,
         7,
         11},
        {{.claim = true,
          .claim_slot = 2,
          .claim_id = 5,
          .pass = true,
          .pass_slot = 2,
          .pass_id = 6},
         true,
         -1,
         6,
         12},
        {{.claim = true,
          .claim_slot = 1,
          .claim_id = 5,
          .pass = true,
          .pass_slot = 1,
          .pass_id = 6},
         true,
         5,
         7,
         11},
        {{.give = true, .give_slot = 2, .pass = true, .pass_slot = 2, .pass_id = 6},
         true,
         -1,
         -1,
         13},
        /* of two */
        {{.claim = true, .claim_slot = 1, .claim_id = 5, .give = true, .give_slot = 2},
         false,
         5,
         -1,
         12},
        {{.claim = true,
          .claim_slot = 1,
          .claim_id = 5,
          .pass = true,
          .pass_slot = 2,
          .pass_id = 6},
         false,
         5,
         6,
         11},
        {{.give = true, .give_slot = 3, .pass = true, .pass_slot = 2, .pass_id = 6},
         true,
         -1,
         6,
         12},
        {{.give = true, .give_slot = 2, .pass = true, .pass_slot = 3, .pass_id = 6},
         true,
         -1,
         -1,
         13},
    };
    static const wr_warp_slots_cfg odd = {.slots = 13, .warps = 21};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        wr_bench_init(&self, &b, 1, &odd);
        claim(&b, 2, 7);
        assert_false(cycle(&b, &cases[i].in).fault);
        const wr_warp_slots_out first = look(&b, 1);
        const wr_warp_slots_out second = look(&b, 2);
        assert_int_equal(first.look_valid ? first.look_id : -1, cases[i].first);
        assert_int_equal(second.look_valid ? second.look_id : -1, cases[i].second);
        assert_int_equal(second.free, cases[i].free);
        assert_int_equal(second.fault, cases[i].fault);
        give(&b, 2);
        assert_int_equal(look(&b, 2).fault, cases[i].fault || cases[i].second < 0);
        wr_bench_reset(&self, &b);
        assert_false(look(&b, 2).fault);
        assert_int_equal(look(&b, 2).free, 13);
        assert_int_equal(look(&b, 2).next, 0);
    }
}

/* A slot that is taken, or one that is free, from a random one on; any slot where there is none. */
static unsigned find(bench *b, bool taken)
{
    const unsigned from = wr_rig_below(&b->rig, b->cfg.slots);
    for (unsigned n = 0; n < b->cfg.slots; n++) {
        const unsigned slot = (from + n) % b->cfg.slots;
        if ((wr_oracle_warp_slots_owner(&b->oracle, slot) >= 0) == taken) {
            return slot;
        }
    }
    return from;
}

static wr_warp_slots_in random_in(bench *b, bool with_faults)
{
    wr_rig *g = &b->rig;
    const bool wild = with_faults && wr_rig_chance(g, 5);
    const unsigned slots = wild ? 64 : b->cfg.slots;
    const unsigned warps = wild ? 128 : b->cfg.warps;
    wr_warp_slots_in in = {.claim_slot = (uint8_t)wr_rig_below(g, slots),
                           .claim_id = (uint8_t)wr_rig_below(g, warps),
                           .give_slot = (uint8_t)wr_rig_below(g, slots),
                           .pass_slot = (uint8_t)wr_rig_below(g, slots),
                           .pass_id = (uint8_t)wr_rig_below(g, warps),
                           .look_slot = (uint8_t)wr_rig_below(g, 64)};
    if (wr_rig_chance(g, 60)) {
        in.look_slot = (uint8_t)wr_rig_below(g, b->cfg.slots);
    }
    if (wild) {
        in.claim = wr_rig_chance(g, 50);
        in.give = wr_rig_chance(g, 50);
        in.pass = wr_rig_chance(g, 50);
        return in;
    }
    in.claim = b->oracle.listed < b->cfg.slots && wr_rig_offers(g);
    if (in.claim) {
        const bool offered = wr_rig_chance(g, 60);
        in.claim_slot =
            (uint8_t)(offered ? (unsigned)wr_oracle_warp_slots_lowest(&b->oracle) : find(b, false));
    }
    in.give = b->oracle.listed > 0 && wr_rig_takes(g);
    in.give_slot = in.give ? (uint8_t)find(b, true) : in.give_slot;
    in.pass = b->oracle.listed > 0 && wr_rig_chance(g, 40);
    in.pass_slot = in.pass ? (uint8_t)find(b, true) : in.pass_slot;
    in.pass = in.pass && !(in.give && in.give_slot == in.pass_slot);
    return in;
}

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    for (unsigned n = 0; n < cycles; n++) {
        const wr_warp_slots_in in = random_in(b, with_faults);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->full > 20 && b->empty > 20);
    assert_true(b->at_once > 20);
}

static const wr_bench self = {
    .block = &wr_warp_slots_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, events)},
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
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_offer),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_one_cycle),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
