/* SPDX-License-Identifier: Apache-2.0 */
/* The memory system as the SMs see it: nothing lost or doubled, the same to the cycle whether it
 * is ticked always or when it says, latencies that are the sum of their parts, in several clock
 * domains, and bandwidth that follows the number of channels. */
#include "shell/config/address.h"
#include "shell/memory/memsys.h"
#include "tests/memory/gddr5_checker.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_TAGS = 4096, MAX_CHANNELS = 32 };

typedef struct dram_view {
    gddr5_checker checker;
    uint64_t reads, writes; /* column commands */
} dram_view;

typedef struct rig {
    wr_gpu_config cfg;
    wr_memsys *ms;
    uint64_t now, seed, digest;
    bool always;
    dram_view dram[MAX_CHANNELS];
    wr_packet sent[MAX_TAGS]; /* by tag */
    bool used[MAX_TAGS];
    uint32_t in_flight, last_tag;
    uint64_t injected, replied, bytes_out, bytes_back, flits_out, flits_back;
} rig;

static void watch(void *arg, uint64_t clock, wr_gddr5_command command, uint32_t bank, uint32_t row,
                  uint32_t column)
{
    dram_view *v = arg;
    gddr5_checker_watch(&v->checker, clock, command, bank, row, column);
    v->reads += command == WR_GDDR5_READ ? 1 : 0;
    v->writes += command == WR_GDDR5_WRITE ? 1 : 0;
}

static rig *rig_create(const wr_gpu_config *cfg, uint64_t seed)
{
    rig *g = calloc(1, sizeof *g);
    assert_non_null(g);
    const wr_dram_config *d = &cfg->dram;
    const wr_gddr5_config dram = {
        .t = d->timing, .banks = d->banks, .groups = d->groups, .burst_clocks = d->burst_clocks};
    g->cfg = *cfg;
    g->seed = seed;
    g->ms = wr_memsys_create(cfg);
    assert_non_null(g->ms);
    for (uint32_t i = 0; i < d->channels; i++) {
        gddr5_checker_init(&g->dram[i].checker, &dram, true);
        wr_memsys_observe(g->ms, i, watch, &g->dram[i]);
    }
    return g;
}

static void rig_free(rig *g)
{
    for (uint32_t i = 0; i < g->cfg.dram.channels; i++) {
        gddr5_checker *c = &g->dram[i].checker;
        gddr5_checker_end(c, g->now * g->cfg.clock.dram_mhz / g->cfg.clock.core_mhz);
        if (c->findings != 0) {
            char text[256];
            gddr5_checker_describe(c, text, sizeof text);
            fail_msg("channel %u: %s", i, text);
        }
    }
    wr_memsys_free(g->ms);
    free(g);
}

static uint32_t flits_of(const wr_gpu_config *c, uint32_t bytes)
{
    return (c->noc.header_bytes + bytes + c->noc.flit_bytes - 1) / c->noc.flit_bytes;
}

/* False: no room for it now. */
static bool send(rig *g, wr_packet p)
{
    assert_true(g->in_flight < MAX_TAGS);
    uint32_t tag = g->last_tag;
    do {
        tag = (tag + 1) % MAX_TAGS;
    } while (g->used[tag]);
    p.tag = g->last_tag = tag;
    p.serial = 1;
    bool free_now = wr_memsys_inject_at(g->ms, g->now, &p) == g->now;
    bool taken = wr_memsys_inject(g->ms, g->now, &p);
    assert_int_equal(taken, free_now);
    if (taken) {
        g->sent[tag] = p;
        g->used[tag] = true;
        g->in_flight++;
        g->injected++;
        g->flits_out += flits_of(&g->cfg, p.kind == WR_PACKET_READ ? 0 : p.bytes);
        g->flits_back += flits_of(&g->cfg, p.kind == WR_PACKET_WRITE ? 0 : p.bytes);
        g->bytes_out += p.kind == WR_PACKET_READ ? 0 : p.bytes;
        g->bytes_back += p.kind == WR_PACKET_WRITE ? 0 : p.bytes;
    }
    return taken;
}

static void take_replies(rig *g, uint32_t sm)
{
    wr_packet p;
    while (wr_memsys_reply(g->ms, g->now, sm, &p)) {
        assert_true(p.tag < MAX_TAGS && g->used[p.tag]);
        assert_memory_equal(&p, &g->sent[p.tag], sizeof p);
        assert_int_equal(p.sm, sm);
        g->used[p.tag] = false;
        g->in_flight--;
        g->replied++;
        g->digest = (g->digest ^ p.tag ^ g->now << 16) * UINT64_C(0x9e3779b97f4a7c15);
        g->digest ^= g->digest >> 31;
    }
}

static void tick(rig *g)
{
    if (g->always) {
        wr_memsys_wake(g->ms);
    }
    if (wr_memsys_next(g->ms) <= g->now) {
        wr_memsys_tick(g->ms, g->now);
    }
}

/* Until everything has come back and nothing is held anywhere. */
static void settle(rig *g)
{
    for (uint64_t end = g->now + 200000; g->in_flight != 0 || wr_memsys_held(g->ms) != 0;
         g->now++) {
        tick(g);
        for (uint32_t sm = 0; sm < g->cfg.sms; sm++) {
            take_replies(g, sm);
        }
        assert_true(g->now < end);
    }
}

static wr_packet packet(wr_packet_kind kind, uint32_t sm, uint64_t addr, uint8_t sectors)
{
    wr_packet p;
    memset(&p, 0, sizeof p);
    p.kind = (uint8_t)kind;
    p.sm = (uint8_t)sm;
    p.addr = addr;
    p.sectors = sectors;
    p.covered = kind == WR_PACKET_WRITE ? sectors : 0;
    p.bytes = (uint16_t)(__builtin_popcount(sectors) * WR_SECTOR_BYTES);
    return p;
}

static void send_random(rig *g, uint32_t sm, uint32_t lines)
{
    uint32_t dice = traffic_below(&g->seed, 100);
    wr_packet_kind kind = dice < 55 ? WR_PACKET_READ : WR_PACKET_WRITE;
    kind = dice >= 90 ? WR_PACKET_ATOMIC : kind;
    wr_packet p = packet(kind, sm, UINT64_C(128) * traffic_below(&g->seed, lines),
                         (uint8_t)(1 + traffic_below(&g->seed, 15)));
    p.covered = kind == WR_PACKET_WRITE ? p.sectors & (uint8_t)traffic_below(&g->seed, 16) : 0;
    p.low = traffic_chance(&g->seed, 10);
    send(g, p);
}

static void check_conservation(const rig *g)
{
    wr_memsys_stats s = wr_memsys_totals(g->ms, g->now);
    uint64_t reads = 0;
    uint64_t writes = 0;
    for (uint32_t i = 0; i < g->cfg.dram.channels; i++) {
        reads += g->dram[i].reads;
        writes += g->dram[i].writes;
    }
    assert_int_equal(g->replied, g->injected);
    assert_int_equal(s.requests, g->injected);
    assert_int_equal(s.replies, g->injected);
    assert_int_equal(s.request_flits, g->flits_out);
    assert_int_equal(s.reply_flits, g->flits_back);
    assert_int_equal(s.request_bytes, g->bytes_out);
    assert_int_equal(s.reply_bytes, g->bytes_back);
    assert_int_equal(s.l2_accesses, g->injected);
    assert_int_equal(s.l2_hits + s.l2_misses + s.l2_merges, s.l2_accesses);
    assert_int_equal(s.dram_writes, s.l2_write_backs);
    assert_true(s.dram_reads <= s.l2_misses);
    assert_int_equal(s.dram_read_bytes, reads * g->cfg.dram.burst_bytes);
    assert_int_equal(s.dram_write_bytes, writes * g->cfg.dram.burst_bytes);
    assert_int_equal(wr_memsys_in_flight(g->ms), 0);
}

static uint64_t random_run(const wr_gpu_config *cfg, uint64_t seed, bool always)
{
    rig *g = rig_create(cfg, seed);
    g->always = always;
    const uint64_t cycles = 12000;
    for (; g->now < cycles; g->now++) {
        uint32_t phase = (uint32_t)(g->now / 1000);
        tick(g);
        for (uint32_t sm = 0; sm < cfg->sms; sm++) {
            if (phase % 6 != 5 || g->now % 7 == 0) { /* an SM that is slow to take */
                take_replies(g, sm);
            }
            if (g->in_flight < MAX_TAGS - 1 &&
                traffic_chance(&g->seed, phase % 4 == 0 ? 1 : 30 * (phase % 4))) {
                send_random(g, sm, phase % 3 == 0 ? 200 : 200000);
            }
        }
    }
    settle(g);
    check_conservation(g);
    assert_true(g->injected > 2000);
    uint64_t digest = g->digest;
    rig_free(g);
    return digest;
}

static const wr_clock_config clocks[] = {
    {700, 700, 700, 924},     {1000, 1200, 1200, 1200}, {1400, 1400, 700, 800},
    {1400, 700, 700, 800},    {1216, 1216, 1216, 1750}, {500, 1500, 1000, 2500},
    {1000, 1000, 1000, 1000},
};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

static void test_nothing_is_lost_and_skipping_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    for (unsigned i = 0; i < CLOCKS; i++) {
        wr_gpu_config cfg = traffic_config();
        cfg.clock = clocks[i];
        cfg.sms = 4 + 3 * i % 11;
        cfg.l2.bytes = i % 2 == 0 ? cfg.l2.bytes / 8 : cfg.l2.bytes;
        uint64_t announced = random_run(&cfg, seed + i, false);
        uint64_t always = random_run(&cfg, seed + i, true);
        if (announced != always) {
            fail_msg("clocks %u: a tick before the next that is announced changes something", i);
        }
    }
}

/* The same for every machine that has a name: the protocol of its DRAM is checked, too. */
static void test_every_configuration(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    size_t count = 0;
    char **names = wr_config_names(&count);
    assert_true(count >= 7);
    for (size_t i = 0; i < count; i++) {
        wr_gpu_config cfg = traffic_named(names[i]);
        uint64_t announced = random_run(&cfg, seed + i, false);
        uint64_t always = random_run(&cfg, seed + i, true);
        if (announced != always) {
            fail_msg("%s: a tick before the next that is announced changes something", names[i]);
        }
    }
    wr_config_names_free(names, count);
}

/* Cycles from injection to arrival of one packet, the machine being idle. */
static uint64_t latency(rig *g, wr_packet p)
{
    g->now += 10000;
    tick(g);
    uint64_t start = g->now;
    assert_true(send(g, p));
    for (uint64_t before = g->replied; g->replied == before; g->now++) {
        tick(g);
        take_replies(g, p.sm);
    }
    uint64_t arrived = g->now - 1;
    settle(g);
    return arrived - start;
}

/* Clocks of a domain in core cycles. */
static double in_core(const wr_gpu_config *c, uint32_t mhz, uint64_t n)
{
    return (double)n * c->clock.core_mhz / mhz;
}

static void test_an_idle_read_costs_the_sum_of_its_parts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CLOCKS; i++) {
        wr_gpu_config cfg = traffic_config();
        cfg.clock = clocks[i];
        cfg.dram.timing.refi = 0;
        const wr_gddr5_timing *t = &cfg.dram.timing;
        bool one_clock = cfg.clock.core_mhz == 1000 && cfg.clock.dram_mhz == 1000;
        rig *g = rig_create(&cfg, 1);
        /* there: a cycle in front of the switch; back: the same and the flits behind the first */
        uint64_t noc = 2 * (1 + cfg.noc.latency) + flits_of(&cfg, 128) - 1;
        uint64_t hit = 1 + cfg.l2.latency + 128 / cfg.l2.bytes_per_cycle;
        /* row and columns of a line of two bursts, the first clock for the command to be chosen */
        uint64_t bursts = 128 / cfg.dram.burst_bytes;
        uint64_t open = 1 + (bursts - 1) * t->ccdl + t->cl + cfg.dram.burst_clocks;
        uint64_t l2 = 1 + cfg.l2.latency + cfg.dram.latency;
        const struct {
            const char *what;
            uint64_t addr;
            uint64_t l2, dram;
        } rows[] = {
            {"closed row", 0, l2, open + t->rcd},
            {"hit", 0, hit, 0},
            {"open row", 128, l2, open},
            {"other row", UINT64_C(1) << 28, l2, open + t->rcd + t->rp},
        };
        wr_address_map map;
        assert_null(wr_address_init(&map, &cfg));
        uint64_t other = 0; /* another row of the bank of address 0 */
        do {
            other += 6 * 256;
        } while (wr_address_place(&map, other).bank != 0 || wr_address_place(&map, other).row == 0);
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            uint64_t addr = k == 3 ? other : rows[k].addr;
            uint64_t got = latency(g, packet(WR_PACKET_READ, 2, addr, 0xf));
            double sum = in_core(&cfg, cfg.clock.noc_mhz, noc) +
                         in_core(&cfg, cfg.clock.l2_mhz, rows[k].l2) +
                         in_core(&cfg, cfg.clock.dram_mhz, rows[k].dram);
            /* each change of domain waits for the next clock of the other */
            double change = one_clock ? 0
                                      : 2 + 2 * in_core(&cfg, cfg.clock.noc_mhz, 1) +
                                            3 * in_core(&cfg, cfg.clock.l2_mhz, 1) +
                                            in_core(&cfg, cfg.clock.dram_mhz, 1);
            if ((double)got < sum - change / 2 || (double)got > sum + change) {
                fail_msg("clocks %u, %s: %llu cycles, the parts make %.1f to %.1f", i, rows[k].what,
                         (unsigned long long)got, sum, sum + change);
            }
        }
        rig_free(g);
    }
}

/* Cycles to read so many lines in order, all SMs together. */
static uint64_t stream(const wr_gpu_config *cfg, uint32_t lines, uint64_t stride)
{
    rig *g = rig_create(cfg, 1);
    for (uint32_t next = 0; next < lines; g->now++) {
        tick(g);
        for (uint32_t sm = 0; sm < cfg->sms; sm++) {
            take_replies(g, sm);
            if (next < lines && g->in_flight < MAX_TAGS - 1 &&
                send(g, packet(WR_PACKET_READ, sm, next * stride, 0xf))) {
                next++;
            }
        }
    }
    settle(g);
    check_conservation(g);
    uint64_t cycles = g->now;
    rig_free(g);
    return cycles;
}

static wr_gpu_config channels(uint32_t n)
{
    wr_gpu_config cfg = traffic_config();
    cfg.dram.channels = n;
    cfg.l2.banks = 2 * n;
    cfg.l2.bytes = n * 131072;
    cfg.l2.mshrs = 128;
    cfg.dram.queue = 64;
    return cfg;
}

/* DRAM bounds 1, 2 and 4 channels, within 3 % of its peak but for refreshes. */
static void test_channels_add_bandwidth(void **state)
{
    (void)state;
    uint64_t before = 0;
    for (uint32_t n = 1; n <= 4; n *= 2) {
        wr_gpu_config cfg = channels(n);
        const wr_gddr5_timing *t = &cfg.dram.timing;
        uint64_t cycles = stream(&cfg, 60000, 128) - stream(&cfg, 20000, 128);
        double bursts = 40000.0 * 128 / cfg.dram.burst_bytes / n;
        double bound = in_core(&cfg, cfg.clock.dram_mhz, (uint64_t)(bursts * t->ccd)) /
                       (1 - (double)(t->rfc + t->rp + t->rcd) / t->refi);
        if ((double)cycles > bound * 1.03 || (double)cycles < bound * .97) {
            fail_msg("%u channels: %llu cycles, the bound is %.0f", n, (unsigned long long)cycles,
                     bound);
        }
        if (n > 1) {
            assert_in_range(cycles, before * 49 / 100, before * 52 / 100);
        }
        before = cycles;
    }
}

/* Lines that are in the L2 come at the rate of its data ports when the network is quicker, and
 * at that of the SM's link when one SM alone reads. */
static void test_hits_come_at_the_peak_rate(void **state)
{
    (void)state;
    for (unsigned alone = 0; alone < 2; alone++) {
        wr_gpu_config cfg = traffic_config();
        cfg.noc.speedup = 4;
        cfg.noc.input_flits = 64;
        cfg.noc.output_packets = 32;
        cfg.clock.noc_mhz = alone != 0 ? cfg.clock.core_mhz : 3 * cfg.clock.core_mhz;
        cfg.l2.queue = 32;
        cfg.sms = alone != 0 ? 1 : 16;
        rig *g = rig_create(&cfg, 1);
        const uint32_t lines = 768;
        const uint64_t reads = alone != 0 ? 4000 : 40000;
        uint64_t start = 0;
        uint64_t next = 0;
        for (; next < lines + reads; g->now++) {
            tick(g);
            for (uint32_t sm = 0; sm < cfg.sms; sm++) {
                take_replies(g, sm);
                bool fill = next < lines; /* by stores, which fetch nothing */
                uint64_t addr = (next * 128 + next / lines * 128 * 7) % (lines * 128);
                wr_packet p = packet(fill ? WR_PACKET_WRITE : WR_PACKET_READ, sm, addr, 0xf);
                if (g->in_flight < MAX_TAGS - 1 && next < lines + reads && send(g, p)) {
                    next++;
                }
            }
            if (next >= lines && start == 0) {
                settle(g);
                start = g->now;
            }
        }
        settle(g);
        assert_int_equal(wr_memsys_totals(g->ms, g->now).dram_reads, 0);
        double cycles = (double)(g->now - start);
        double port = 128.0 / cfg.l2.bytes_per_cycle / cfg.l2.banks;
        double bound = (double)reads * (alone != 0 ? flits_of(&cfg, 128) : port);
        double latency_once = 2.0 * cfg.l2.latency;
        if (cycles < bound * .999 || cycles > bound * 1.03 + latency_once) {
            fail_msg("%u SMs: %.0f cycles for %llu lines, the bound is %.0f", cfg.sms, cycles,
                     (unsigned long long)reads, bound);
        }
        rig_free(g);
    }
}

/* The L2 banks of a channel get equal parts of it when it is short. */
static void test_banks_of_a_channel_share_it(void **state)
{
    (void)state;
    wr_gpu_config cfg = traffic_config();
    cfg.dram.channels = 1;
    cfg.l2.banks = 2;
    cfg.l2.bytes = 131072;
    cfg.dram.queue = 4;
    cfg.dram.write_high = 3;
    cfg.dram.write_low = 1;
    wr_address_map map;
    assert_null(wr_address_init(&map, &cfg));
    rig *g = rig_create(&cfg, 1);
    uint64_t next[2] = {0, 0};
    uint64_t back[2] = {0, 0};
    for (; g->now < 30000; g->now++) {
        tick(g);
        for (uint32_t sm = 0; sm < 2; sm++) { /* each SM for one bank, with random rows */
            uint64_t before = g->replied;
            take_replies(g, sm);
            back[sm] += g->replied - before;
            uint64_t addr = traffic_random(&next[sm]) % (1 << 28) / 128 * 128;
            if (wr_address_l2_bank(&map, addr) == sm) {
                send(g, packet(WR_PACKET_READ, sm, addr, 0xf));
            }
        }
    }
    settle(g);
    check_conservation(g);
    assert_true(back[0] + back[1] > 1000);
    if (back[0] * 10 < back[1] * 9 || back[1] * 10 < back[0] * 9) {
        fail_msg("bank 0 answers %llu requests, bank 1 %llu", (unsigned long long)back[0],
                 (unsigned long long)back[1]);
    }
    rig_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost_and_skipping_changes_nothing),
        cmocka_unit_test(test_every_configuration),
        cmocka_unit_test(test_an_idle_read_costs_the_sum_of_its_parts),
        cmocka_unit_test(test_channels_add_bandwidth),
        cmocka_unit_test(test_hits_come_at_the_peak_rate),
        cmocka_unit_test(test_banks_of_a_channel_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
