/* SPDX-License-Identifier: Apache-2.0 */
/* gpuduet: the model against the oracle, every output in every cycle, driven by the block's
 * stimulus; and stories with a storage that keeps its words: what leaves comes back as it was, with
 * what loads have brought in between. What every block keeps is in tests/blocks/bench.h. */
#include "dpi/gen/gpuduet_port.h"

#include <stdlib.h>
#include <string.h>

#include "testbench/stim.h"
#include "tests/blocks/bench.h"
#include "tests/oracle/gpuduet_oracle.h"

enum { LANES = 32, LINES = 4096, SLOT_META = 0xc00, POINT = 5, POINT_AT = 8 };

typedef struct bench {
    wr_rig rig;
    wr_gpuduet dut;
    wr_oracle_gpuduet oracle;
    bool faulty; /* what the oracle showed last */
    uint64_t begun, moved[2], written, both_ask;
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_gpuduet_reset(&b->oracle);
    b->faulty = false;
}

/* Settles and checks all outputs, then clocks both sides. */
static void cycle(void *bench_v, const void *in_v, void *out_v)
{
    bench *b = bench_v;
    const wr_block_desc *block = &wr_gpuduet_block;
    const wr_gpuduet_in *in = in_v;
    wr_gpuduet_out *out = out_v;
    wr_gpuduet_out want;

    wr_bench_settle(&self, b, in, out);
    wr_oracle_gpuduet_output(&b->oracle, in, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];

        for (uint32_t i = 0; i < pin->count_fixed; i++) {
            wr_rig_check(&b->rig, pin->name, wr_pin_value(pin, out, i),
                         wr_pin_value(pin, &want, i));
        }
    }
    b->faulty = want.fault;
    b->begun += in->start;
    b->moved[out->move_meta] += out->move_ack;
    b->written += out->write;
    b->both_ask += out->kinds && out->reply_state == WR_ABSENT_REPLY_KIND &&
                   (out->mover_state == WR_CONTEXT_MOVER_KINDS_OUT ||
                    out->mover_state == WR_CONTEXT_MOVER_KINDS_IN);
    wr_oracle_gpuduet_clock(&b->oracle, in);
    wr_bench_clock(&self, b, in);
}

/* Stories ------------------------------------------------------------------------------------ */

/* TBs of two warps with six registers each: two TBs fit, a third lies switched out in shared
 * memory, with two lines for a warp's registers. */
static const wr_gpuduet_cfg small = {.reg_units = 64,
                                     .smem_units = 32,
                                     .l1_units = 16,
                                     .warps = 8,
                                     .tbs = 4,
                                     .slots = 4,
                                     .st_lines = 1,
                                     .regs = 6};

enum { REGS = 6 };

/* How the warp's registers are kept at its switch point: whole, a word a group, two, not, whole. */
static const uint8_t kinds[REGS] = {3, 1, 2, 0, 3, 0};

typedef struct story {
    bench b;
    wr_gpuduet_in in;
    wr_gpuduet_out out;
    uint32_t line[LINES][LANES];
    unsigned moves; /* cycles */
} story;

static void show_kinds(wr_gpuduet_in *in)
{
    in->kind_low = in->kind_high = 0;
    for (unsigned r = 0; r < REGS; r++) {
        in->kind_low |= (uint64_t)(kinds[r] & 1) << r;
        in->kind_high |= (uint64_t)(kinds[r] >> 1) << r;
    }
}

static void storage(story *s)
{
    const wr_gpuduet_out *o = &s->out;
    if (o->home_rd) {
        memcpy(s->in.home_rdata, s->line[o->home_raddr], sizeof s->in.home_rdata);
    }
    if (o->away_rd) {
        memcpy(s->in.away_rdata, s->line[o->away_addr], sizeof s->in.away_rdata);
    }
    if (o->home_wr) {
        memcpy(s->line[o->home_waddr], o->home_wdata, sizeof o->home_wdata);
    }
    if (o->away_wr) {
        memcpy(s->line[o->away_addr], o->away_wdata, sizeof o->away_wdata);
    }
    assert_true(!(o->move && (o->read || o->write)));
}

/* A cycle: warp w is in slot w; kinds are there at once; pulses are over behind it. */
static void step(story *s)
{
    wr_gpuduet_in *in = &s->in;

    in->ask_slot = s->b.dut.unit.launcher.warp_q & 3u;
    wr_gpuduet_eval(&s->b.dut, in, &s->out);
    in->kinds_ack = s->out.kinds;
    assert_true(!s->out.kinds || s->out.kinds_point == POINT);
    in->head = s->out.read ? s->line[s->out.read_line][0] : 0;
    cycle(&s->b, in, &s->out);
    storage(s);
    s->moves += s->out.move;
    in->start = in->placed = in->book = in->valid = in->kinds_ack = false;
}

static void steps(story *s, unsigned n)
{
    for (; n > 0; n--) {
        step(s);
    }
}

/* Until `op` is over. */
static void switch_over(story *s)
{
    unsigned n = 0;

    while (s->out.op == WR_CSL_NONE) {
        assert_true(n++ < 100);
        step(s);
    }
    s->in.memory = s->in.clear = 0;
    s->in.free[1] = s->in.free[4] = false;
    while (s->out.op != WR_CSL_NONE) {
        assert_true(n++ < 1000);
        step(s);
    }
}

/* The SM is handed over, and warp 4 of the third TB is ready. */
static void story_begin(story *s, uint8_t group, bool half)
{
    memset(s, 0, sizeof *s);
    wr_bench_init(&self, &s->b, 1, &small);
    s->in = (wr_gpuduet_in){.limits = WR_CSL_LIMIT_REGISTERS,
                            .warps = 2,
                            .regs = 12,
                            .lines = 3,
                            .tb_regs = 24,
                            .tb_reduced = 6,
                            .meta = 2,
                            .most = 1,
                            .waiting = true,
                            .place_ok = true,
                            .start = true,
                            .group = group,
                            .half = half};
    show_kinds(&s->in);
    steps(s, 20);
    for (uint8_t tb = 0; tb < 2; tb++) {
        s->in.placed = true;
        s->in.placed_tb = tb;
        step(s);
    }
    s->in.valid = true;
    steps(s, 5);
    assert_true(s->out.extra && s->out.level == WR_CSL_WARP && s->out.mc == 2);
    s->in.here = 3;
    s->in.book = true;
    steps(s, 200);
    assert_int_equal(s->out.tbs, 3);
    s->in.free[4] = true;
    steps(s, 12);
}

/* The row of a register, as its kind says: any words, one for each group of lanes, or two. */
static void fill_row(uint32_t *row, unsigned reg, unsigned lanes)
{
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t group = i / lanes;

        row[i] = kinds[reg] == 3   ? 0x9e3779b9u * (i + 1) + reg
                 : kinds[reg] == 1 ? 0xa0000000u + group
                 : kinds[reg] == 2 ? 0x50000000u * group + (i - group * lanes) * (7 + group)
                                   : 0xdeadbeefu;
    }
}

/* A load's words, where the block says they belong. */
static void write_reply(story *s, const uint32_t *word)
{
    const uint32_t fit = LANES - s->out.write_word;
    uint32_t *line = s->line[s->out.write_line];

    if (s->out.reply_state == WR_ABSENT_REPLY_REST) {
        memcpy(line, word + fit, 4 * s->out.write_word);
    } else {
        memcpy(line + s->out.write_word, word, 4 * fit);
    }
}

/* What a load brings for register reg of warp 1, which is away. */
static void load_comes(story *s, uint8_t reg, const uint32_t *word)
{
    unsigned n = 0;

    s->in.reply = true;
    s->in.reply_warp = 1;
    s->in.reply_reg = reg;
    do {
        assert_true(n++ < 50);
        step(s);
        if (s->out.write) {
            write_reply(s, word);
        }
    } while (!s->out.last);
    s->in.reply = false;
}

/* Warp 1 leaves for warp 4, two loads come for it, and it comes back to another place. */
static void test_there_and_back(void **state)
{
    (void)state;
    static story s;
    uint32_t want[REGS][LANES];

    for (uint8_t n = 0; n < 6; n++) {
        const uint8_t group = n / 2;

        story_begin(&s, group, n % 2 == 1);
        for (unsigned r = 0; r < REGS; r++) {
            fill_row(want[r], r, 8u << group);
            memcpy(s.line[12 + r], want[r], sizeof want[r]);
        }
        s.line[SLOT_META + 1][0] = POINT << POINT_AT;
        s.in.point = POINT;
        s.in.memory = s.in.clear = 2;
        switch_over(&s);
        const uint16_t context = s.b.dut.unit.wct.reg_addr_q[1];
        assert_true(context >= 64 && s.b.dut.unit.wct.reg_addr_q[4] == 12);
        assert_memory_equal(s.line[context], want[0], sizeof want[0]);
        assert_int_equal(s.line[s.b.dut.unit.wct.meta_addr_q[1]][0], POINT << POINT_AT);

        memset(want[0], 0x11, sizeof want[0]);
        memset(want[4], 0x44, sizeof want[4]);
        load_comes(&s, 4, want[4]);
        load_comes(&s, 0, want[0]);
        assert_memory_equal(s.line[context], want[0], sizeof want[0]);
        load_comes(&s, 3, want[3]); /* nobody needs it */
        assert_int_equal(s.b.written, 3);

        s.in.point = 0; /* nothing is kept of warp 4 */
        s.in.free[1] = true;
        steps(&s, 12);
        s.in.memory = s.in.clear = 2; /* warp 4 is in its slot */
        switch_over(&s);
        assert_int_equal(s.b.dut.unit.wct.reg_addr_q[1], 12);
        for (unsigned r = 0; r < REGS; r++) {
            if (kinds[r] != 0) {
                assert_memory_equal(s.line[12 + r], want[r], sizeof want[r]);
            }
        }
        assert_false(s.b.faulty);
    }
}

/* A port of half a line: as many lines, in twice the cycles; each launch begins with the same turn.
 */
static void test_half(void **state)
{
    (void)state;
    static story s[2];
    unsigned lines = 0;

    for (unsigned half = 0; half < 2; half++) {
        story_begin(&s[half], 0, half == 1);
        s[half].in.point = POINT;
        s[half].in.memory = s[half].in.clear = 2;
        s[half].moves = 0;
        switch_over(&s[half]);
    }
    assert_true(s[0].moves > 10 && s[1].moves > 2 * s[0].moves - 8 && s[1].moves <= 2 * s[0].moves);
    assert_int_equal(s[0].b.moved[0], s[1].b.moved[0]);
    for (unsigned i = 0; i < LINES; i++) {
        lines += memcmp(s[0].line[i], s[1].line[i], sizeof s[0].line[i]) == 0;
    }
    assert_int_equal(lines, LINES);
}

/* A reply for warp 1, which is away, waits while warp 0 leaves and warp 5 comes. */
static void test_reply_waits(void **state)
{
    (void)state;
    static story s;
    unsigned waits = 0;

    story_begin(&s, 2, false);
    s.line[SLOT_META + 1][0] = POINT << POINT_AT;
    s.in.point = POINT;
    s.in.memory = s.in.clear = 2;
    switch_over(&s);
    s.in.free[5] = true;
    steps(&s, 12);
    s.in.memory = s.in.clear = 1;
    while (!s.out.move) {
        step(&s);
    }
    s.in.memory = s.in.clear = 0;
    s.in.free[5] = false;
    s.in.reply = true;
    s.in.reply_warp = 1;
    while (s.out.move || waits == 0) {
        step(&s);
        waits += s.out.reply_state == WR_ABSENT_REPLY_READ && s.out.move;
        assert_false(s.out.read && s.out.move);
    }
    assert_true(waits > 4);
    assert_true(s.out.read);
    s.in.reply = false; /* the warp is back */
    steps(&s, 2);
    assert_int_equal(s.out.reply_state, WR_ABSENT_REPLY_IDLE);
    assert_true(s.b.written == 0 && !s.b.faulty);
}

/* Random traffic ------------------------------------------------------------------------------ */

static void traffic(void *bench_v, unsigned cycles, bool with_faults)
{
    bench *b = bench_v;
    const wr_stim *stim = wr_stim_find("gpuduet");
    uint8_t *s = calloc(1, stim->state_size);
    wr_gpuduet_out out = {0};

    assert_non_null(s);
    wr_bench_reset(&self, b);
    stim->init(s, &b->oracle.cfg, 2 * wr_rig_below(&b->rig, 1000) + !with_faults, false);
    for (unsigned n = 0; n < cycles; n++) {
        wr_gpuduet_in in = {0};

        wr_rig_next_cycle(&b->rig);
        stim->next(s, n, &out, &in);
        cycle(b, &in, &out);
    }
    free(s);
}

static const wr_gpuduet_cfg configs[] = {
    {64, 32, 16, 8, 4, 4, 1, 1},
    {64, 32, 16, 8, 4, 4, 2, 63},
    {2048, 768, 256, 128, 32, 64, 2, 8},
    {40, 64, 8, 12, 6, 5, 3, 32},
};
static const wr_gpuduet_cfg refused[] = {
    {64, 32, 16, 3, 4, 4, 1, 6}, {60, 32, 16, 8, 4, 4, 1, 6}, {2048, 1016, 16, 8, 4, 4, 1, 6}};
enum {
    CONFIGS = sizeof configs / sizeof configs[0],
    REFUSED = sizeof refused / sizeof refused[0],
};

static void covered_in_all(const void *benches, unsigned count)
{
    const bench *b = benches;
    bench sum = {0};

    for (unsigned i = 0; i < count; i++) {
        sum.moved[0] += b[i].moved[0];
        sum.moved[1] += b[i].moved[1];
        sum.written += b[i].written;
        sum.both_ask += b[i].both_ask;
    }
    assert_true(sum.moved[0] > 0 && sum.moved[1] > 0 && sum.written > 0 && sum.both_ask > 0);
}

static const wr_bench self = {
    .block = &wr_gpuduet_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, oracle.cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, faulty),
           .transactions = offsetof(bench, begun)},
    .configs = {configs, CONFIGS},
    .refused = {refused, REFUSED},
    .reset = reset,
    .cycle = cycle,
    .play = traffic,
    .covered_in_all = covered_in_all,
    .amount = {.legal = 20000, .faulty = 10000},
    .snapshot = {.before = 600, .after = 600},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_reply_waits),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
