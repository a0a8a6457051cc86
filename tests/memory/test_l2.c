/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 bank against a plain model that follows it look-up by look-up: which requests hit, miss
 * and merge, what is fetched and written back, which replies come and in which order. */
#include "shell/memory/l2.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_LINES = 256, MAX_FIFO = 512 };

typedef struct plain_line {
    bool present, fetching;
    uint32_t number;
    uint8_t valid, dirty, wanted; /* sectors */
    uint64_t used;
    wr_packet waits[16];
    uint32_t wait_count;
} plain_line;

typedef struct packet_fifo {
    wr_packet items[MAX_FIFO];
    uint32_t count;
} packet_fifo;

typedef struct rig {
    wr_gpu_config cfg;
    wr_l2_bank *bank;
    wr_l2_front front;
    uint64_t seed, now, digest;
    uint32_t sets, ways, reply_limit;
    plain_line lines[MAX_LINES];
    packet_fifo asked, replies; /* not looked up yet; not taken yet */
    wr_l2_fetch fetches[MAX_FIFO];
    uint32_t fetch_count;
    struct {
        uint64_t at;
        uint32_t line;
        uint16_t mshr;
    } below[MAX_FIFO]; /* fetches that DRAM works on */
    uint32_t below_count;
    uint32_t fills[MAX_FIFO]; /* lines whose data are there */
    uint32_t fill_count;
    uint64_t hits, misses, merges, write_backs;
    uint64_t dirtied, written; /* sectors */
    uint64_t pushed, replied;
    uint64_t lookups, lookup_fetches, lookup_written; /* the last: sectors */
    uint64_t of_stream[3][2];                         /* lookups, write-backs */
} rig;

/* A small bank, so that everything in it runs full. */
static wr_gpu_config small_config(void)
{
    wr_gpu_config c = traffic_config();
    c.l2.banks = 1;
    c.l2.ways = 4;
    c.l2.bytes = 4 * 4 * c.l2.line_bytes;
    c.l2.latency = 6;
    c.l2.mshrs = 5;
    c.l2.mshr_merges = 3;
    c.l2.miss_queue = 3;
    c.l2.queue = 4;
    return c;
}

/* What a watcher is told of each lookup. */
static void watch(void *arg, uint32_t bank, const wr_l2_lookup *lookup)
{
    rig *g = arg;
    assert_int_equal(bank, 7);
    g->lookups++;
    g->lookup_fetches += lookup->fetched != 0;
    g->lookup_written += lookup->written;
    g->of_stream[lookup->stream][0]++;
    if (lookup->written != 0) {
        g->of_stream[lookup->owner][1]++;
    }
}

static rig *rig_create(const wr_gpu_config *cfg, uint64_t seed)
{
    rig *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->cfg = *cfg;
    g->seed = seed;
    g->ways = cfg->l2.ways;
    g->sets = cfg->l2.bytes / (cfg->l2.banks * cfg->l2.ways * cfg->l2.line_bytes);
    g->reply_limit = cfg->l2.queue > cfg->l2.mshr_merges ? cfg->l2.queue : cfg->l2.mshr_merges;
    assert_true(g->sets * g->ways <= MAX_LINES);
    g->bank = wr_l2_create(cfg, &g->front);
    assert_non_null(g->bank);
    wr_l2_observe(g->bank, 7, watch, g);
    return g;
}

static void rig_free(rig *g)
{
    wr_l2_free(g->bank);
    free(g);
}

static void put(packet_fifo *f, const wr_packet *p)
{
    assert_true(f->count < MAX_FIFO);
    f->items[f->count++] = *p;
}

static wr_packet get(packet_fifo *f)
{
    assert_true(f->count != 0);
    wr_packet p = f->items[0];
    f->count--;
    memmove(f->items, f->items + 1, f->count * sizeof p);
    return p;
}

static plain_line *find(rig *g, uint32_t number)
{
    plain_line *set = &g->lines[(size_t)(number % g->sets) * g->ways];
    for (uint32_t i = 0; i < g->ways; i++) {
        if (set[i].present && set[i].number == number) {
            return &set[i];
        }
    }
    return NULL;
}

static void expect_fetch(rig *g, uint32_t line, uint8_t sectors, bool write, bool low)
{
    assert_true(g->fetch_count < MAX_FIFO);
    g->fetches[g->fetch_count++] =
        (wr_l2_fetch){.line = line, .sectors = sectors, .write = write, .low = low};
}

/* A free way, or else the least recently used one that is not being fetched. */
static plain_line *make_place(rig *g, uint32_t number)
{
    plain_line *set = &g->lines[(size_t)(number % g->sets) * g->ways];
    plain_line *way = NULL;
    for (uint32_t i = 0; i < g->ways; i++) {
        bool older = way == NULL || (way->present && set[i].used < way->used);
        if (!set[i].present ? way == NULL || way->present : !set[i].fetching && older) {
            way = &set[i];
        }
    }
    if (way == NULL) {
        fail_msg("all ways of line %u's set are being fetched", number);
        abort();
    }
    if (way->present && way->dirty != 0) {
        expect_fetch(g, way->number, way->dirty, true, false);
        g->write_backs++;
    }
    *way = (plain_line){.present = true, .number = number};
    return way;
}

static void make_dirty(rig *g, plain_line *way, uint8_t sectors)
{
    g->dirtied += (uint64_t)__builtin_popcount(sectors & ~(uint32_t)way->dirty);
    way->dirty |= sectors;
}

static void look_up(rig *g)
{
    wr_packet p = get(&g->asked);
    uint32_t number = (uint32_t)(p.addr / g->cfg.l2.line_bytes);
    plain_line *way = find(g, number);
    if (p.kind == WR_PACKET_WRITE) {
        g->hits += way != NULL ? 1 : 0;
        g->misses += way == NULL ? 1 : 0;
        way = way != NULL ? way : make_place(g, number);
        way->valid |= p.covered;
        make_dirty(g, way, p.sectors);
        put(&g->replies, &p);
        way->used = wr_l2_totals(g->bank)->accesses;
        return;
    }
    if (way != NULL && (p.sectors & ~way->valid) == 0) {
        g->hits++;
        if (p.kind == WR_PACKET_ATOMIC) {
            make_dirty(g, way, p.sectors);
        }
        put(&g->replies, &p);
        way->used = wr_l2_totals(g->bank)->accesses;
    } else if (way != NULL && way->fetching) {
        assert_int_equal(p.sectors & ~(way->valid | way->wanted), 0);
        assert_true(way->wait_count < g->cfg.l2.mshr_merges);
        way->waits[way->wait_count++] = p;
        g->merges++;
    } else {
        g->misses++;
        way = way != NULL ? way : make_place(g, number);
        way->fetching = true;
        way->wanted = (uint8_t)(p.sectors & ~way->valid);
        way->waits[0] = p;
        way->wait_count = 1;
        way->used = wr_l2_totals(g->bank)->accesses;
        expect_fetch(g, number, way->wanted, false, p.low);
    }
}

/* The oldest fill answers who waits for it, if there is room for all of them. */
static void finish_fill(rig *g)
{
    plain_line *way = g->fill_count != 0 ? find(g, g->fills[0]) : NULL;
    if (way == NULL || g->replies.count + way->wait_count > g->reply_limit) {
        return;
    }
    g->fill_count--;
    memmove(g->fills, g->fills + 1, g->fill_count * sizeof g->fills[0]);
    way->fetching = false;
    way->valid |= way->wanted;
    for (uint32_t i = 0; i < way->wait_count; i++) {
        if (way->waits[i].kind == WR_PACKET_ATOMIC) {
            make_dirty(g, way, way->waits[i].sectors);
        }
        put(&g->replies, &way->waits[i]);
    }
}

static void mix(rig *g, uint64_t value)
{
    g->digest = (g->digest ^ value ^ g->now << 20) * UINT64_C(0x9e3779b97f4a7c15);
    g->digest ^= g->digest >> 29;
}

/* What DRAM does: takes fetches, and answers the reads in any order. */
static void below(rig *g, uint32_t speed)
{
    const wr_l2_fetch *f = wr_l2_fetch_head(g->bank);
    assert_int_equal(g->front.fetches, f != NULL);
    if (f != NULL && traffic_chance(&g->seed, speed)) {
        const wr_l2_fetch *e = &g->fetches[0];
        assert_true(g->fetch_count != 0);
        assert_int_equal(f->line, e->line);
        assert_int_equal(f->sectors, e->sectors);
        assert_int_equal(f->write, e->write);
        assert_int_equal(f->low, e->low);
        assert_int_equal(f->addr, (uint64_t)f->line * g->cfg.l2.line_bytes);
        mix(g, f->line);
        if (f->write) {
            g->written += (uint64_t)__builtin_popcount(f->sectors);
        } else {
            g->below[g->below_count].at = g->now + 1 + traffic_below(&g->seed, 40);
            g->below[g->below_count].line = f->line;
            g->below[g->below_count++].mshr = f->mshr;
        }
        wr_l2_fetch_pop(g->bank, g->now);
        g->fetch_count--;
        memmove(g->fetches, g->fetches + 1, g->fetch_count * sizeof g->fetches[0]);
    }
}

static void bring_fills(rig *g)
{
    for (uint32_t i = 0; i < g->below_count; i++) {
        if (g->below[i].at <= g->now) {
            wr_l2_fill(g->bank, g->now, g->below[i].mshr);
            g->fills[g->fill_count++] = g->below[i].line;
            g->below[i] = g->below[--g->below_count];
            return;
        }
    }
}

static void take_reply(rig *g, uint32_t speed)
{
    uint64_t at;
    const wr_packet *p = wr_l2_reply_head(g->bank, g->now, &at);
    if (p == NULL || !traffic_chance(&g->seed, speed)) {
        return;
    }
    wr_packet e = get(&g->replies);
    assert_memory_equal(p, &e, sizeof e);
    mix(g, p->tag);
    wr_l2_reply_pop(g->bank, g->now);
    g->replied++;
}

static void push_random(rig *g, uint32_t lines, uint32_t writes, uint32_t atomics)
{
    uint32_t number = traffic_below(&g->seed, lines);
    uint32_t dice = traffic_below(&g->seed, 100);
    wr_packet p;
    memset(&p, 0, sizeof p);
    p.addr = (uint64_t)number * g->cfg.l2.line_bytes;
    p.tag = (uint32_t)g->pushed;
    p.serial = 1;
    p.stream = (uint8_t)(g->pushed % 3);
    p.low = traffic_chance(&g->seed, 10);
    p.sectors = (uint8_t)(1 + traffic_below(&g->seed, 15));
    p.bytes = (uint16_t)(__builtin_popcount(p.sectors) * WR_SECTOR_BYTES);
    p.kind = WR_PACKET_READ;
    if (dice < writes) {
        p.kind = WR_PACKET_WRITE;
        p.covered = (uint8_t)(p.sectors & traffic_below(&g->seed, 16));
    } else if (dice < writes + atomics) {
        p.kind = WR_PACKET_ATOMIC;
        p.serial = (uint8_t)(1 + traffic_below(&g->seed, 9));
    }
    wr_l2_push(g->bank, g->now, number, &p);
    put(&g->asked, &p);
    g->pushed++;
}

/* One cycle of the bank, and the plain model's part in it. */
static void step(rig *g, bool always)
{
    uint64_t before = wr_l2_totals(g->bank)->accesses;
    if (always) {
        wr_l2_wake(g->bank);
    }
    if (g->front.next <= g->now) {
        finish_fill(g);
        wr_l2_tick(g->bank, g->now);
    }
    const wr_l2_stats *s = wr_l2_totals(g->bank);
    assert_in_range(s->accesses, before, before + 1);
    if (s->accesses != before) {
        look_up(g);
    }
    assert_int_equal(s->hits, g->hits);
    assert_int_equal(s->misses, g->misses);
    assert_int_equal(s->merges, g->merges);
    assert_int_equal(s->write_backs, g->write_backs);
    assert_int_equal(s->accesses, g->lookups);
    assert_int_equal(s->fetches, g->lookup_fetches + g->write_backs);
    for (uint32_t i = 0; i < 3; i++) {
        const wr_l2_stream_stats *of = wr_l2_stream_totals(g->bank, i);
        assert_int_equal(of->accesses, g->of_stream[i][0]);
        assert_int_equal(of->write_backs, g->of_stream[i][1]);
    }
}

static uint64_t random_run(const wr_gpu_config *cfg, uint64_t seed, bool always)
{
    rig *g = rig_create(cfg, seed);
    const uint64_t cycles = 60000;
    uint32_t lines = g->sets * g->ways;
    for (; g->now < cycles || g->replied != g->pushed; g->now++) {
        uint32_t phase = (uint32_t)(g->now / 1500);
        uint32_t back = phase % 5 == 0 ? 20 : 90;
        uint32_t dram = phase % 7 == 0 ? 10 : 60;
        bring_fills(g);
        step(g, always);
        take_reply(g, back);
        below(g, dram);
        if (g->now < cycles && g->front.has_room &&
            traffic_chance(&g->seed, phase % 3 == 0 ? 95 : 30)) {
            push_random(g, phase % 2 == 0 ? lines * 3 : lines / 2, phase % 4 * 20, phase % 3 * 10);
        }
        assert_true(g->now < 4 * cycles);
    }
    assert_int_equal(wr_l2_mshrs_in_use(g->bank), 0);
    assert_true(g->front.reply_at == WR_NEVER);
    while (wr_l2_fetch_head(g->bank) != NULL) {
        g->now++;
        below(g, 100);
    }
    const wr_l2_stats *s = wr_l2_totals(g->bank);
    assert_int_equal(s->accesses, g->pushed);
    assert_int_equal(s->hits + s->misses + s->merges, g->pushed);
    assert_int_equal(s->reads + s->writes + s->atomics, g->pushed);
    assert_true(s->hits > 500 && s->misses > 500 && s->write_backs > 100);
    assert_true(s->merges > 50 || cfg->l2.mshr_merges < 3);
    /* What was made dirty has been written back, or is dirty. */
    uint64_t dirty = 0;
    for (uint32_t i = 0; i < lines; i++) {
        dirty += (uint64_t)__builtin_popcount(g->lines[i].dirty);
    }
    assert_int_equal(g->dirtied, g->written + dirty);
    assert_int_equal(g->lookup_written, g->written);
    uint64_t digest = g->digest;
    rig_free(g);
    return digest;
}

static void test_random_traffic_is_the_plain_models(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    wr_gpu_config cfg = small_config();
    for (unsigned i = 0; i < 6; i++) {
        cfg.l2.mshr_merges = 1 + i;
        cfg.l2.mshrs = 1 + 2 * i;
        cfg.l2.queue = 1 + i % 3 * 7;
        cfg.l2.miss_queue = 1 + i / 2;
        uint64_t announced = random_run(&cfg, seed + i, false);
        uint64_t always = random_run(&cfg, seed + i, true);
        assert_true(announced == always);
    }
}

/* Runs until the bank has answered all. */
static void settle(rig *g)
{
    while (g->replied != g->pushed) {
        bring_fills(g);
        step(g, false);
        take_reply(g, 100);
        below(g, 100);
        g->now++;
    }
}

static void push_one(rig *g, uint32_t number, wr_packet_kind kind, uint8_t sectors, uint8_t covered)
{
    wr_packet p;
    memset(&p, 0, sizeof p);
    p.addr = (uint64_t)number * g->cfg.l2.line_bytes;
    p.kind = (uint8_t)kind;
    p.sectors = sectors;
    p.covered = covered;
    p.serial = 1;
    p.bytes = (uint16_t)(__builtin_popcount(sectors) * WR_SECTOR_BYTES);
    p.tag = (uint32_t)g->pushed++;
    wr_l2_push(g->bank, g->now, number, &p);
    put(&g->asked, &p);
}

static void test_sectors_are_fetched_where_they_must(void **state)
{
    (void)state;
    wr_gpu_config cfg = small_config();
    rig *g = rig_create(&cfg, 1);
    const wr_l2_stats *s = wr_l2_totals(g->bank);
    push_one(g, 7, WR_PACKET_WRITE, 0x3, 0x1); /* sector 0 whole, sector 1 in part */
    settle(g);
    push_one(g, 7, WR_PACKET_READ, 0x1, 0);
    settle(g);
    assert_int_equal(s->hits, 1); /* nothing was fetched for the whole one */
    push_one(g, 7, WR_PACKET_READ, 0x3, 0);
    settle(g); /* the rig asserts that sector 1 alone is fetched */
    assert_int_equal(s->misses, 2);
    push_one(g, 7, WR_PACKET_READ, 0x3, 0);
    settle(g);
    assert_int_equal(s->hits, 2);
    for (uint32_t i = 1; i <= g->ways; i++) { /* drive it out */
        push_one(g, 7 + i * g->sets, WR_PACKET_READ, 0xf, 0);
        settle(g);
    }
    assert_int_equal(s->write_backs, 1);
    assert_int_equal(g->written, 2);
    push_one(g, 7, WR_PACKET_READ, 0x1, 0);
    settle(g);
    assert_int_equal(s->misses, 2 + g->ways + 1);
    rig_free(g);
}

/* A hit costs the latency and its bytes at the data port; hits follow each other at its rate. */
static void test_hits_cost_latency_and_bytes(void **state)
{
    (void)state;
    wr_gpu_config cfg = small_config();
    cfg.l2.latency = 20;
    cfg.l2.queue = 64;
    rig *g = rig_create(&cfg, 1);
    push_one(g, 3, WR_PACKET_WRITE, 0xf, 0xf);
    settle(g);
    uint64_t port = 4 * WR_SECTOR_BYTES / cfg.l2.bytes_per_cycle;
    g->now += 100;
    uint64_t start = g->now;
    push_one(g, 3, WR_PACKET_READ, 0xf, 0);
    settle(g);
    assert_int_equal(g->now - 1, start + cfg.l2.latency + port);
    start = g->now;
    for (uint32_t i = 0; i < 50; i++) {
        push_one(g, 3, WR_PACKET_READ, 0xf, 0);
    }
    settle(g);
    assert_int_equal(g->now - 1, start + cfg.l2.latency + 50 * port);
    start = g->now;
    for (uint32_t i = 0; i < 50; i++) { /* atomics on one address go one by one */
        push_one(g, 3, WR_PACKET_ATOMIC, 0x1, 0);
    }
    settle(g);
    assert_int_equal(g->now - 1, start + cfg.l2.latency + 50);
    rig_free(g);
}

/* Hits that keep the replies full must not keep a fill out for good. */
static void test_a_fill_is_not_starved_by_hits(void **state)
{
    (void)state;
    wr_gpu_config cfg = small_config();
    cfg.l2.queue = 4;
    cfg.l2.mshr_merges = 4;
    rig *g = rig_create(&cfg, 1);
    push_one(g, 1, WR_PACKET_WRITE, 0xf, 0xf);
    settle(g);
    for (uint32_t i = 0; i < 4; i++) { /* one miss and its three merges */
        push_one(g, 2, WR_PACKET_READ, 0xf, 0);
    }
    const wr_l2_stats *s = wr_l2_totals(g->bank);
    uint64_t end = g->now + 2000;
    for (; g->now < end; g->now++) {
        bring_fills(g);
        step(g, false);
        if (g->now % 6 == 0) {
            take_reply(g, 100);
        }
        below(g, 100);
        if (g->front.has_room) {
            push_one(g, 1, WR_PACKET_READ, 0xf, 0);
        }
    }
    assert_int_equal(s->merges, 3);
    assert_int_equal(wr_l2_mshrs_in_use(g->bank), 0);
    rig_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traffic_is_the_plain_models),
        cmocka_unit_test(test_sectors_are_fetched_where_they_must),
        cmocka_unit_test(test_hits_cost_latency_and_bytes),
        cmocka_unit_test(test_a_fill_is_not_starved_by_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
