/* SPDX-License-Identifier: Apache-2.0 */
/* What each stream's packets met at the L2 banks: accesses, misses, write-backs, and the clocks in
 * which what they ask of DRAM, or their replies, were not taken; against a count clock by clock,
 * and the same whether cycles are skipped or not. */
#include "shell/memory/memsys.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STREAMS = 4, LINES = 4096 };
static const uint8_t stream_of[STREAMS] = {0, 1, 31, WR_NO_STREAM};

typedef struct rig {
    wr_gpu_config cfg;
    wr_memsys *ms;
    uint64_t seed, now;
    bool always;
    uint32_t in_flight;
    uint64_t sent[WR_PACKET_STREAMS];
} rig;

static void tick(rig *g)
{
    if (g->always) {
        wr_memsys_wake(g->ms);
    }
    if (wr_memsys_next(g->ms) <= g->now) {
        wr_memsys_tick(g->ms, g->now);
    }
}

static void send(rig *g, uint32_t sm, uint32_t percent_of_stores)
{
    wr_packet p;
    memset(&p, 0, sizeof p);
    bool write = traffic_chance(&g->seed, percent_of_stores);
    p.kind = write ? WR_PACKET_WRITE : WR_PACKET_READ;
    p.kind = traffic_chance(&g->seed, 5) ? WR_PACKET_ATOMIC : p.kind;
    p.sm = (uint8_t)sm;
    p.stream = stream_of[traffic_below(&g->seed, STREAMS)];
    p.addr = UINT64_C(128) * traffic_below(&g->seed, LINES);
    p.sectors = (uint8_t)(1 + traffic_below(&g->seed, 15));
    p.covered = write ? p.sectors : 0;
    p.bytes = (uint16_t)(__builtin_popcount(p.sectors) * WR_SECTOR_BYTES);
    p.serial = 1;
    if (wr_memsys_inject(g->ms, g->now, &p)) {
        g->in_flight++;
        g->sent[p.stream]++;
    }
}

static void step(rig *g, bool sends, bool takes)
{
    wr_packet p;
    uint32_t phase = (uint32_t)(g->now / 1000);
    for (uint32_t sm = 0; sm < g->cfg.sms; sm++) {
        while (takes && wr_memsys_reply(g->ms, g->now, sm, &p)) {
            g->in_flight--;
        }
        if (sends && traffic_chance(&g->seed, 30 + 60 * (phase % 2))) {
            send(g, sm, 20 + 30 * (phase % 3));
        }
    }
}

static rig begin(const wr_gpu_config *cfg, uint64_t seed, bool always)
{
    rig g = {.cfg = *cfg, .seed = seed, .always = always, .ms = wr_memsys_create(cfg)};
    assert_non_null(g.ms);
    return g;
}

/* The SMs take replies now and then, so that these wait, too. */
static bool are_taken(uint64_t now)
{
    return now / 700 % 3 != 2 || now % 5 == 0;
}

/* One bank, all clocks the same: each clock's refusals are counted by looking. */
static void test_counted_clock_by_clock(void **state)
{
    wr_gpu_config cfg = traffic_config();
    (void)state;
    cfg.dram.channels = cfg.l2.banks = 1;
    cfg.l2.bytes = 65536;
    cfg.dram.queue = 8;
    cfg.dram.write_high = 6;
    cfg.dram.write_low = 2;
    cfg.sms = 3;
    cfg.clock = (wr_clock_config){1000, 1000, 1000, 1000};
    rig g = begin(&cfg, traffic_seed(), true);
    uint64_t fetches[WR_PACKET_STREAMS] = {0};
    uint64_t replies[WR_PACKET_STREAMS] = {0};
    uint64_t write_backs = 0;
    for (; g.now < 30000; g.now++) {
        const wr_l2_bank *b = wr_memsys_l2(g.ms, 0);
        uint64_t asked = wr_l2_totals(b)->fetches - wr_l2_fetches_waiting(b);
        uint64_t flits = wr_memsys_totals(g.ms, g.now + 1).reply_flits;
        uint64_t at;
        tick(&g);
        const wr_l2_fetch *fetch = wr_l2_fetch_head(b);
        if (fetch != NULL && wr_l2_totals(b)->fetches - wr_l2_fetches_waiting(b) == asked) {
            fetches[fetch->stream]++;
        }
        const wr_packet *reply = wr_l2_reply_head(b, g.now, &at);
        if (reply != NULL && wr_memsys_totals(g.ms, g.now + 1).reply_flits == flits) {
            replies[reply->stream]++;
        }
        wr_l2_stream_stats sum = {0};
        for (uint32_t s = 0; s < WR_PACKET_STREAMS; s++) {
            wr_stream_traffic t = wr_memsys_traffic(g.ms, 0, s, g.now + 1);
            assert_int_equal(t.fetch_refusals, fetches[s]);
            assert_int_equal(t.reply_refusals, replies[s]);
            assert_true(t.accesses <= g.sent[s] && t.misses <= t.accesses);
            sum.accesses += t.accesses;
            sum.misses += t.misses;
            sum.write_backs += t.write_backs;
        }
        assert_int_equal(sum.accesses, wr_l2_totals(b)->accesses);
        assert_int_equal(sum.misses, wr_l2_totals(b)->misses);
        assert_int_equal(sum.write_backs, wr_l2_totals(b)->write_backs);
        write_backs = sum.write_backs;
        step(&g, true, are_taken(g.now));
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        assert_true(fetches[stream_of[i]] > 500 && replies[stream_of[i]] > 100);
    }
    assert_true(write_backs > 100);
    wr_memsys_free(g.ms);
}

static uint64_t fold(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 31;
}

static uint64_t digest_run(const wr_gpu_config *cfg, uint64_t seed, bool always, uint64_t *refused)
{
    rig g = begin(cfg, seed, always);
    uint64_t digest = 0;
    *refused = 0;
    for (; g.now < 6000 || g.in_flight != 0; g.now++) {
        tick(&g);
        step(&g, g.now < 6000, are_taken(g.now));
        for (uint32_t b = 0; b < cfg->l2.banks && g.now % 37 == 0; b++) {
            for (uint32_t i = 0; i < STREAMS; i++) {
                wr_stream_traffic t = wr_memsys_traffic(g.ms, b, stream_of[i], g.now + 1);
                digest = fold(digest, t.accesses);
                digest = fold(digest, t.fetch_refusals);
                digest = fold(digest, t.reply_refusals);
                *refused += g.now == 5994 ? t.fetch_refusals : 0;
            }
        }
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        uint64_t accesses = 0;
        for (uint32_t b = 0; b < cfg->l2.banks; b++) {
            accesses += wr_memsys_traffic(g.ms, b, stream_of[i], g.now).accesses;
        }
        assert_int_equal(accesses, g.sent[stream_of[i]]);
    }
    wr_memsys_free(g.ms);
    return digest;
}

static void test_skipping_changes_nothing(void **state)
{
    static const wr_clock_config clocks[] = {{700, 700, 700, 924},
                                             {1000, 1200, 1200, 1200},
                                             {1400, 1400, 700, 800},
                                             {500, 1500, 1000, 2500}};
    uint64_t seed = traffic_seed();
    (void)state;
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        wr_gpu_config cfg = traffic_config();
        uint64_t refused[2];
        cfg.clock = clocks[i];
        cfg.dram.channels = 2;
        cfg.l2.banks = i % 2 == 0 ? 4 : 2;
        cfg.l2.bytes = 65536;
        cfg.dram.queue = 8;
        cfg.dram.write_high = 6;
        cfg.dram.write_low = 2;
        assert_int_equal(digest_run(&cfg, seed + i, false, &refused[0]),
                         digest_run(&cfg, seed + i, true, &refused[1]));
        assert_int_equal(refused[0], refused[1]);
        assert_true(refused[0] > 1000);
    }
}

/* One packet at a time. */
static void alone(rig *g, wr_packet_kind kind, uint8_t stream, uint64_t addr)
{
    wr_packet p = {.addr = addr, .bytes = 128, .kind = (uint8_t)kind, .stream = stream};
    p.sectors = 0xf;
    p.covered = kind == WR_PACKET_WRITE ? 0xf : 0;
    p.serial = 1;
    bool sent = false;
    for (bool back = false; !back; g->now++) {
        tick(g);
        sent = sent || wr_memsys_inject(g->ms, g->now, &p);
        back = wr_memsys_reply(g->ms, g->now, 0, &p);
    }
}

/* A write-back is of the stream that wrote the line last, a miss of the one that asked. */
static void test_whose_write_back(void **state)
{
    wr_gpu_config cfg = traffic_config();
    (void)state;
    cfg.dram.channels = cfg.l2.banks = 1;
    cfg.l2.bytes = 65536;
    rig g = begin(&cfg, 1, false);
    alone(&g, WR_PACKET_WRITE, 5, 0); /* miss */
    alone(&g, WR_PACKET_WRITE, 6, 0);
    alone(&g, WR_PACKET_READ, 7, 0);
    alone(&g, WR_PACKET_WRITE, 8, 128); /* miss */
    alone(&g, WR_PACKET_ATOMIC, 9, 128);
    alone(&g, WR_PACKET_ATOMIC, 10, 256); /* miss */
    alone(&g, WR_PACKET_READ, 11, 384);   /* miss */
    for (uint32_t i = 0; i < LINES; i++) {
        alone(&g, WR_PACKET_READ, WR_NO_STREAM, UINT64_C(1) << 20 | (uint64_t)i << 7);
    }
    static const wr_l2_stream_stats want[WR_PACKET_STREAMS] = {
        [5] = {1, 0, 1, 0},  [6] = {1, 1, 0, 1},
        [7] = {1, 1, 0, 0},  [8] = {1, 0, 1, 0},
        [9] = {1, 1, 0, 1},  [10] = {1, 0, 1, 1},
        [11] = {1, 0, 1, 0}, [WR_NO_STREAM] = {LINES, 0, LINES, 0}};
    for (uint32_t s = 0; s < WR_PACKET_STREAMS; s++) {
        wr_stream_traffic t = wr_memsys_traffic(g.ms, 0, s, g.now);
        assert_int_equal(t.accesses, want[s].accesses);
        assert_int_equal(t.hits, want[s].hits);
        assert_int_equal(t.misses, want[s].misses);
        assert_int_equal(t.write_backs, want[s].write_backs);
    }
    wr_memsys_free(g.ms);
}

/* What a write-back waits for, its writer waits for; a fetch's clocks are of who asked. */
static void test_whose_fetch(void **state)
{
    wr_gpu_config cfg = traffic_config();
    uint32_t writes = 0;
    (void)state;
    cfg.l2.banks = 1;
    cfg.l2.bytes = 8 * cfg.l2.ways * cfg.l2.line_bytes;
    wr_l2_front front;
    wr_l2_bank *b = wr_l2_create(&cfg, &front);
    assert_non_null(b);
    wr_packet p = {
        .kind = WR_PACKET_WRITE, .stream = 6, .sectors = 15, .covered = 15, .bytes = 128};
    uint32_t line = 0;
    for (uint64_t now = 0; now < 20000; now++) {
        uint64_t at;
        if (now % 100 == 0) {
            wr_l2_push(b, now, line, &p);
            line += 8; /* one set */
            p = (wr_packet){.stream = 7, .sectors = 15, .bytes = 128, .addr = line};
        }
        wr_l2_tick(b, now);
        const wr_l2_fetch *f = wr_l2_fetch_head(b);
        if (f != NULL) {
            wr_l2_fetch copy = *f;
            assert_int_equal(copy.stream, copy.write ? 6 : 7);
            writes += copy.write ? 1 : 0;
            wr_l2_fetch_pop(b, now);
            if (!copy.write) {
                wr_l2_fill(b, now + 1, copy.mshr);
            }
        }
        if (wr_l2_reply_head(b, now, &at) != NULL) {
            wr_l2_reply_pop(b, now);
        }
    }
    assert_int_equal(writes, 1);
    wr_l2_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_write_back),
        cmocka_unit_test(test_whose_fetch),
        cmocka_unit_test(test_counted_clock_by_clock),
        cmocka_unit_test(test_skipping_changes_nothing),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
