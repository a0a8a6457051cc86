/* SPDX-License-Identifier: Apache-2.0 */
/* The crossbar against Karol et al. 1987, against a plain model that looks at every port in
 * every cycle, and against what it promises: nothing lost, doubled or overtaken. */
#include "shell/memory/crossbar.h"
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Packets of `flits` flits to uniform random outputs, every input full, every output taken at
 * once: packets an output and cycle, times flits. */
static double saturation(uint32_t ports, uint32_t flits, uint64_t cycles, uint64_t seed)
{
    const wr_crossbar_config cfg = {.inputs = ports,
                                    .outputs = ports,
                                    .latency = 1,
                                    .speedup = 1,
                                    .input_flits = 8 * flits,
                                    .output_packets = 16};
    const uint64_t warm = 2000;
    wr_crossbar *x = wr_crossbar_create(&cfg);
    assert_non_null(x);
    uint64_t start = 0;
    for (uint64_t now = 0; now < warm + cycles; now++) {
        wr_crossbar_tick(x, now);
        wr_packet p;
        for (uint32_t o = 0; o < ports; o++) {
            while (wr_crossbar_take(x, now, o, &p)) {
            }
        }
        for (uint32_t i = 0; i < ports; i++) {
            if (wr_crossbar_room_at(x, now, i, flits) == now) {
                p = (wr_packet){.addr = now};
                wr_crossbar_push(x, now, i, traffic_below(&seed, ports), flits, &p);
            }
        }
        start = now == warm - 1 ? wr_crossbar_totals(x).flits_out : start;
    }
    uint64_t moved = wr_crossbar_totals(x).flits_out - start;
    wr_crossbar_free(x);
    return (double)moved / (double)(cycles * ports);
}

static void near(double got, double wanted, double by)
{
    if (got < wanted - by || got > wanted + by) {
        fail_msg("measured %.4f, should be %.4f +- %.4f", got, wanted, by);
    }
}

static void test_saturation_is_karols(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    near(saturation(1, 1, 10000, seed), 1.0, 0);
    near(saturation(2, 1, 400000, seed), .7500, .003);
    near(saturation(4, 1, 300000, seed), .6552, .003);
    near(saturation(16, 1, 100000, seed), .6016, .003);
    /* Packets of one length hold their pair for as long: the same for many ports. */
    near(saturation(16, 5, 200000, seed), .6016, .01);
    near(saturation(1, 5, 10000, seed), 1.0, .001);
}

/* The plain model. */
enum { MOST = 8, DEPTH = 64 };

typedef struct plain_packet {
    uint64_t id, ready, arrives;
    uint32_t to, flits;
} plain_packet;

typedef struct plain_port {
    plain_packet queue[DEPTH];
    uint32_t count, turn;
    uint64_t free_at, link_free_at;
} plain_port;

typedef struct plain {
    wr_crossbar_config cfg;
    plain_port in[MOST], out[MOST];
} plain;

static void pop(plain_port *port)
{
    port->count--;
    memmove(port->queue, port->queue + 1, port->count * sizeof port->queue[0]);
}

static void plain_cross(plain *x, uint64_t now, plain_port *in, plain_port *out)
{
    plain_packet p = in->queue[0];
    pop(in);
    uint64_t hold = (p.flits + x->cfg.speedup - 1) / x->cfg.speedup;
    in->free_at = out->free_at = now + hold;
    uint64_t first = now + x->cfg.latency;
    first = first > out->link_free_at ? first : out->link_free_at;
    out->link_free_at = first + p.flits;
    p.arrives = first + p.flits - 1;
    out->queue[out->count++] = p;
}

static void plain_tick(plain *x, uint64_t now)
{
    for (uint32_t o = 0; o < x->cfg.outputs; o++) {
        plain_port *out = &x->out[o];
        for (uint32_t k = 0; k < x->cfg.inputs; k++) {
            uint32_t i = (out->turn + k) % x->cfg.inputs;
            plain_port *in = &x->in[i];
            if (out->count < x->cfg.output_packets && out->free_at <= now && in->count != 0 &&
                in->free_at <= now && in->queue[0].ready <= now && in->queue[0].to == o) {
                plain_cross(x, now, in, out);
                out->turn = (i + 1) % x->cfg.inputs;
                break;
            }
        }
    }
}

static bool plain_has_room(const plain *x, uint32_t i, uint32_t flits, uint64_t now)
{
    uint32_t waiting = 0;
    for (uint32_t k = 0; k < x->in[i].count; k++) {
        waiting += x->in[i].queue[k].flits;
    }
    return x->in[i].link_free_at <= now && (waiting == 0 || waiting + flits <= x->cfg.input_flits);
}

static void plain_push(plain *x, uint64_t now, uint32_t i, uint32_t to, uint32_t flits, uint64_t id)
{
    x->in[i].queue[x->in[i].count++] =
        (plain_packet){.id = id, .ready = now + 1, .to = to, .flits = flits};
    x->in[i].link_free_at = now + flits;
}

/* Random packets, receivers that are slow now and then; every arrival and every refusal must be
 * the plain model's, whether ticks come in every cycle or only when they are announced. */
static void against_plain(const wr_crossbar_config *cfg, uint32_t longest, bool always,
                          uint64_t seed)
{
    plain *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->cfg = *cfg;
    wr_crossbar *x = wr_crossbar_create(cfg);
    assert_non_null(x);
    uint64_t id = 1;
    uint64_t taken = 0;
    for (uint64_t now = 0; now < 40000; now++) {
        uint32_t load = (uint32_t)(now / 2000 % 5) * 25; /* percent; 0: runs empty */
        uint32_t slow = (uint32_t)(now / 3000 % 4) * 30;
        if (always) {
            wr_crossbar_wake(x);
        }
        if (wr_crossbar_arrivals(x)->next <= now) {
            wr_crossbar_tick(x, now);
        }
        plain_tick(m, now);
        for (uint32_t o = 0; o < cfg->outputs; o++) {
            plain_port *out = &m->out[o];
            bool there = out->count != 0 && out->queue[0].arrives <= now;
            assert_true((wr_crossbar_arrivals(x)->at[o] <= now) == there);
            if (there && traffic_chance(&seed, 100 - slow)) {
                wr_packet p;
                assert_true(wr_crossbar_take(x, now, o, &p));
                assert_int_equal(p.addr, out->queue[0].id);
                pop(out);
                taken++;
            }
        }
        for (uint32_t i = 0; i < cfg->inputs; i++) {
            uint32_t flits = 1 + traffic_below(&seed, longest);
            bool room = plain_has_room(m, i, flits, now);
            assert_true((wr_crossbar_room_at(x, now, i, flits) == now) == room);
            if (room && traffic_chance(&seed, load)) {
                uint32_t to = traffic_below(&seed, cfg->outputs);
                wr_packet p = {.addr = id};
                wr_crossbar_push(x, now, i, to, flits, &p);
                plain_push(m, now, i, to, flits, id++);
            }
        }
    }
    wr_crossbar_stats s = wr_crossbar_totals(x);
    assert_true(taken > 500);
    assert_int_equal(s.packets_in, id - 1);
    assert_int_equal(s.packets_out, taken);
    wr_crossbar_free(x);
    free(m);
}

static void test_every_arrival_is_the_plain_models(void **state)
{
    (void)state;
    uint64_t seed = traffic_seed();
    const wr_crossbar_config rows[] = {
        {4, 4, 1, 1, 8, 4},  {8, 3, 8, 2, 8, 8},   {3, 8, 5, 1, 2, 2},
        {1, 1, 20, 4, 4, 1}, {8, 8, 3, 3, 16, 16},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t longest = 1; longest <= 5; longest += 2) {
            against_plain(&rows[i], longest, false, seed + i);
            against_plain(&rows[i], longest, true, seed + i);
        }
    }
}

/* All inputs to one output share it evenly, whatever they do elsewhere. */
static void test_an_output_is_shared_evenly(void **state)
{
    (void)state;
    enum { PORTS = 6 };
    const wr_crossbar_config cfg = {.inputs = PORTS,
                                    .outputs = PORTS,
                                    .latency = 2,
                                    .speedup = 1,
                                    .input_flits = 8,
                                    .output_packets = 8};
    wr_crossbar *x = wr_crossbar_create(&cfg);
    assert_non_null(x);
    uint64_t from[PORTS] = {0};
    uint64_t all = 0;
    for (uint64_t now = 0; now < 60000; now++) {
        wr_crossbar_tick(x, now);
        wr_packet p;
        while (wr_crossbar_take(x, now, 3, &p)) {
            from[p.sm]++;
            all++;
        }
        for (uint32_t i = 0; i < PORTS; i++) {
            if (wr_crossbar_room_at(x, now, i, 2) == now) {
                p = (wr_packet){.sm = (uint8_t)i};
                wr_crossbar_push(x, now, i, 3, 2, &p);
            }
        }
    }
    assert_in_range(all, 60000 / 2 - 10, 60000 / 2);
    for (uint32_t i = 0; i < PORTS; i++) {
        assert_in_range(from[i], all / PORTS - 1, all / PORTS + 1);
    }
    wr_crossbar_free(x);
}

/* A receiver that takes nothing holds back exactly what has no place; then all of it comes. */
static void test_a_full_output_holds_its_senders_back(void **state)
{
    (void)state;
    const wr_crossbar_config cfg = {.inputs = 2,
                                    .outputs = 2,
                                    .latency = 3,
                                    .speedup = 1,
                                    .input_flits = 6,
                                    .output_packets = 4};
    wr_crossbar *x = wr_crossbar_create(&cfg);
    assert_non_null(x);
    uint32_t pushed = 0;
    wr_packet p;
    for (uint64_t now = 0; now < 1000; now++) {
        wr_crossbar_tick(x, now);
        for (uint32_t i = 0; i < 2; i++) {
            if (wr_crossbar_room_at(x, now, i, 2) == now) {
                p = (wr_packet){.addr = pushed++};
                wr_crossbar_push(x, now, i, 0, 2, &p);
            }
        }
    }
    /* four behind the switch, three of two flits in front of it at each input */
    assert_int_equal(pushed, 4 + 2 * 3);
    assert_int_equal(wr_crossbar_output_flits(x, 0), 8);
    assert_int_equal(wr_crossbar_input_flits(x, 0), 4); /* in turns */
    assert_int_equal(wr_crossbar_input_flits(x, 1), 4);
    assert_true(wr_crossbar_arrivals(x)->next == WR_NEVER);
    assert_true(wr_crossbar_room_at(x, 1000, 0, 1) == WR_NEVER);
    uint32_t came = 0;
    for (uint64_t now = 1000; now < 1100; now++) {
        wr_crossbar_tick(x, now);
        came += wr_crossbar_take(x, now, 0, &p) ? 1 : 0;
    }
    assert_int_equal(came, pushed);
    wr_crossbar_free(x);
}

/* One packet alone: a cycle in front of the switch, the latency, and its other flits. */
static void test_an_idle_network_costs_its_latency(void **state)
{
    (void)state;
    for (uint32_t flits = 1; flits <= 5; flits++) {
        const wr_crossbar_config cfg = {.inputs = 3,
                                        .outputs = 3,
                                        .latency = 8,
                                        .speedup = 2,
                                        .input_flits = 8,
                                        .output_packets = 8};
        wr_crossbar *x = wr_crossbar_create(&cfg);
        assert_non_null(x);
        wr_packet p = {.addr = 5};
        wr_crossbar_push(x, 100, 1, 2, flits, &p);
        wr_crossbar_tick(x, wr_crossbar_arrivals(x)->next);
        assert_int_equal(wr_crossbar_arrivals(x)->at[2], 100 + 1 + 8 + flits - 1);
        assert_false(wr_crossbar_take(x, 100 + 7 + flits, 2, &p));
        assert_true(wr_crossbar_take(x, 100 + 8 + flits, 2, &p));
        wr_crossbar_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturation_is_karols),
        cmocka_unit_test(test_every_arrival_is_the_plain_models),
        cmocka_unit_test(test_an_output_is_shared_evenly),
        cmocka_unit_test(test_a_full_output_holds_its_senders_back),
        cmocka_unit_test(test_an_idle_network_costs_its_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
