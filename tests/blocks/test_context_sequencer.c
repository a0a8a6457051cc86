/* SPDX-License-Identifier: Apache-2.0 */
/* context_sequencer: the model against the oracle, every output in every cycle, and addresses
 * computed by hand. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/context_sequencer_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/context_sequencer_oracle.h"

typedef struct bench {
    wr_rig rig;
    wr_context_sequencer_cfg cfg;
    wr_context_sequencer dut;
    wr_oracle_context_sequencer oracle;
    uint64_t requests;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_context_sequencer_reset(&b->oracle, b->cfg.warps, b->cfg.addr_bits);
}

static const wr_context_sequencer_cfg configs[] = {{32, 40}, {1, 24}, {8, 32}, {32, 48}};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static uint64_t slot_of(const bench *b, const wr_context_sequencer_in *in)
{
    uint64_t patterns = 0;

    while (patterns * 128 < in->warps * 16u) {
        patterns++;
    }
    patterns = in->whole ? 1 : patterns;
    return (in->base + patterns + (uint64_t)in->slot_index * in->slot_segs) %
           ((uint64_t)1 << (b->cfg.addr_bits - 7));
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_context_sequencer_out cycle(bench *b, const wr_context_sequencer_in *in)
{
    static const wr_oracle_seq_line nothing;
    wr_context_sequencer_out out;
    wr_bench_settle(&self, b, in, &out);
    wr_oracle_context_sequencer *o = &b->oracle;
    const wr_oracle_seq_line *line = wr_oracle_context_sequencer_line(o);
    const wr_oracle_seq_line *request = wr_oracle_context_sequencer_request(o);
    const wr_oracle_seq_line *r = request != NULL ? request : &nothing;

    wr_rig_check(&b->rig, "busy", out.busy, line != NULL);
    wr_rig_check(&b->rig, "waits", out.waits,
                 line == NULL                ? 0
                 : line->what == WR_SEQ_CCB  ? 1
                 : line->what == WR_SEQ_META ? 2
                                             : 0);
    wr_rig_check(&b->rig, "slot_addr", out.slot_addr, line != NULL ? 0 : slot_of(b, in));
    wr_rig_check(&b->rig, "req_valid", out.req_valid, request != NULL);
    wr_rig_check(&b->rig, "req_kind", out.req_kind, r->kind);
    wr_rig_check(&b->rig, "req_addr", out.req_addr, r->addr);
    wr_rig_check(&b->rig, "req_bytes", out.req_bytes, r->bytes);
    wr_rig_check(&b->rig, "req_offset", out.req_offset, r->offset);
    wr_rig_check(&b->rig, "req_last", out.req_last, r->last);
    wr_rig_check(&b->rig, "warp", out.warp, o->warp);
    wr_rig_check(&b->rig, "done", out.done, line != NULL && line->what == WR_SEQ_DONE);
    wr_rig_check(&b->rig, "damage", out.damage, o->damage);
    wr_rig_check(&b->rig, "fault", out.fault, o->fault);
    if (o->known) {
        const bool shared = !o->op.keep_shared && o->op.shared_bytes != 0;
        wr_rig_check(&b->rig, "ptr[0]", out.ptr[0], o->op.keep_regs ? 0 : o->part[0] + o->op.whole);
        wr_rig_check(&b->rig, "ptr[1]", out.ptr[1], shared ? o->part[1] : 0);
        wr_rig_check(&b->rig, "ptr[2]", out.ptr[2], o->part[2]);
    }
    const wr_oracle_seq_pins pins = {
        .start = in->start,
        .op = in->op,
        .keep_regs = in->keep_regs,
        .keep_shared = in->keep_shared,
        .whole = in->whole,
        .req_ready = in->req_ready,
        .ccb_valid = in->ccb_valid,
        .meta_done = in->meta_done,
        .warps = in->warps,
        .slot_segs = in->slot_segs,
        .shared_bytes = in->shared_bytes,
        .pace = in->pace,
        .depth = in->depth,
        .slot_bytes = in->slot_bytes,
        .ccb_addr = in->ccb_addr,
        .base = in->base,
        .low = in->low,
        .high = in->high,
        .ptr = {in->ptr[0], in->ptr[1], in->ptr[2]},
    };
    wr_oracle_context_sequencer_clock(o, &pins);
    b->requests = o->requests;
    wr_bench_clock(&self, b, in);
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_context_sequencer_out *)out = cycle(bench_v, in);
}

typedef struct want {
    uint64_t addr;
    unsigned kind;
    unsigned bytes;
} want;

/* BP_1 of Lin-P: 8 warps, 13 registers, 1,128 B of shared memory, at byte 0x10000; CCB entry 5,
 * whose 24 B lie across a segment. Register part 128 + 8 x 13 x 128 = 0x3480 B, shared memory 9
 * segments. */
static void test_bp1(void **state)
{
    static const want wants[] = {
        {0x13480, 0, 128}, {0x13500, 0, 128}, {0x13580, 0, 128}, {0x13600, 0, 128},
        {0x13680, 0, 128}, {0x13700, 0, 128}, {0x13780, 0, 128}, {0x13800, 0, 128},
        {0x13880, 0, 104}, {0x13900, 1, 128}, {0x13980, 1, 128}, {0x13a00, 2, 32},
        {0x13b80, 2, 32},  {0x13d00, 2, 32},  {0x13e80, 2, 32},  {0x14000, 2, 32},
        {0x14180, 2, 32},  {0x14300, 2, 32},  {0x14480, 2, 32},  {0x8078, 3, 8},
        {0x8080, 3, 16},   {0x10000, 4, 128},
    };
    enum { WANTS = sizeof wants / sizeof wants[0] };
    bench b;
    wr_context_sequencer_in in = {.start = true,
                                  .warps = 8,
                                  .slot_segs = 13,
                                  .shared_bytes = 1128,
                                  .ccb_addr = 0x8000 + 5 * 24,
                                  .base = 0x10000 / 128,
                                  .slot_index = 2,
                                  .req_ready = true,
                                  .depth = 1};
    unsigned seen = 0;
    bool done = false;

    (void)state;
    wr_bench_init(&self, &b, 1, &configs[0]);
    assert_int_equal(cycle(&b, &in).slot_addr, (0x10000 + 128 + 2 * 13 * 128) / 128);
    in.start = false;
    for (unsigned i = 0; i < 100 && !done; i++) {
        const wr_context_sequencer_out out = cycle(&b, &in);
        done = out.done;
        if (out.req_valid) {
            assert_true(seen < WANTS);
            assert_int_equal(out.req_kind, wants[seen].kind);
            assert_int_equal(out.req_addr, wants[seen].addr);
            assert_int_equal(out.req_bytes, wants[seen].bytes);
            seen++;
            assert_int_equal(out.req_last, seen == WANTS);
            assert_int_equal(out.ptr[0], 0x10000);
            assert_int_equal(out.ptr[1], 0x13480);
            assert_int_equal(out.ptr[2], 0x13900);
        }
    }
    assert_true(done);
    assert_int_equal(seen, WANTS);
}

/* What a restore of one warp without slots says of three pointers, in an area from low to high:
 * the rooms are 1, 1 and 4 segments. */
static unsigned damage_of(uint64_t low, uint64_t high, const uint64_t *ptr)
{
    bench b;
    wr_context_sequencer_in in = {.start = true,
                                  .op = 1,
                                  .warps = 1,
                                  .shared_bytes = 128,
                                  .low = low,
                                  .high = high,
                                  .req_ready = true,
                                  .ptr = {ptr[0], ptr[1], ptr[2]}};
    wr_context_sequencer_out out = {.done = false};

    wr_bench_init(&self, &b, 1, &configs[0]);
    for (unsigned i = 0; i < 50 && !out.done; i++) {
        const wr_oracle_seq_line *line = wr_oracle_context_sequencer_line(&b.oracle);
        in.ccb_valid = line != NULL && line->what == WR_SEQ_CCB;
        in.meta_done = line != NULL && line->what == WR_SEQ_META;
        out = cycle(&b, &in);
        in.start = false;
    }
    assert_true(out.done);
    return out.damage;
}

/* The first and the last segment that there are. */
static void test_edges(void **state)
{
    enum { SEGMENT = 128 };
    const uint64_t last = (UINT64_C(1) << 33) - 1;
    const uint64_t good[3] = {last * SEGMENT, 1 * SEGMENT, (last - 3) * SEGMENT};
    const uint64_t null[3] = {last * SEGMENT, 0, (last - 3) * SEGMENT};
    const uint64_t behind[3] = {last * SEGMENT, 1 * SEGMENT, (last - 2) * SEGMENT};
    const uint64_t beyond[3] = {(last + 1) * SEGMENT, 1 * SEGMENT, (last - 3) * SEGMENT};

    (void)state;
    assert_int_equal(damage_of(0, last, good), 0);
    assert_int_equal(damage_of(1, last, good), 0);
    assert_int_equal(damage_of(2, last, good), 2);
    assert_int_equal(damage_of(0, last - 1, good), 1);
    assert_int_equal(damage_of(0, last, null), 2);
    assert_int_equal(damage_of(0, last, behind), 3);
    assert_int_equal(damage_of(0, last, beyond), 1);
}

/* Saves and restores; the oracle tells what a restore waits for. */
static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    wr_rig *g = &b->rig;

    for (unsigned i = 0; i < cycles; i++) {
        const wr_oracle_seq_line *line = wr_oracle_context_sequencer_line(&b->oracle);
        const bool odd = with_faults && wr_rig_below(g, 50) == 0;
        wr_context_sequencer_in in = {.req_ready = wr_rig_takes(g)};
        in.warps = (uint8_t)(1 + wr_rig_below(g, odd ? 63 : b->cfg.warps));
        in.slot_segs = (uint8_t)wr_rig_below(g, odd ? 128 : 5);
        in.shared_bytes = (uint16_t)wr_rig_below(g, odd ? 65536 : 700);
        in.pace = (uint8_t)wr_rig_below(g, 3);
        in.op = wr_rig_chance(g, 50);
        in.keep_regs = wr_rig_chance(g, 25);
        in.keep_shared = wr_rig_chance(g, 25);
        in.whole = wr_rig_chance(g, 50);
        in.ccb_addr = wr_rig_random(g) & 0xffffffffffffu;
        in.base = wr_rig_random(g) & 0x1ffffffffffu;
        in.low = 16;
        in.high = 16 + 4096;
        in.slot_index = (uint8_t)wr_rig_below(g, 32);
        in.depth = (uint16_t)wr_rig_below(g, odd ? 40 : 4);
        in.slot_bytes =
            (uint16_t)(in.depth == 0 ? 0 : 32 * wr_rig_below(g, b->oracle.op.slot_segs * 4 + 1));
        in.start = odd || (line == NULL && wr_rig_offers(g));
        in.ccb_valid = odd || (line != NULL && line->what == WR_SEQ_CCB);
        in.meta_done = odd || (line != NULL && line->what == WR_SEQ_META);
        for (unsigned p = 0; p < 3; p++) {
            const bool none =
                (p == 0 && b->oracle.op.keep_regs) ||
                (p == 1 && (b->oracle.op.keep_shared || b->oracle.op.shared_bytes == 0));
            in.ptr[p] =
                none && !odd ? 0 : 128 * (15 + wr_rig_below(g, wr_rig_chance(g, 90) ? 100 : 4200));
        }
        in.ptr[0] += in.whole && in.ptr[0] != 0 && wr_rig_chance(g, 50);
        cycle(b, &in);
    }
}

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    assert_true(b->oracle.at <= b->oracle.lines);
    assert_true(b->requests > 0);
}

static const wr_bench self = {
    .block = &wr_context_sequencer_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, requests)},
    .configs = {configs, CONFIGS},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 5000, .faulty = 2000, .rounds = 3},
    .snapshot = {.before = 333, .after = 500},
    .must_fault = true,
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_bp1),
        cmocka_unit_test(test_edges),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
