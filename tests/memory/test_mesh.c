/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh: latency to the cycle, order, loss, bounds of throughput, fairness, and that skipped
 * cycles change nothing. What is expected is computed here from coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/memory/mesh.h"

enum { PORTS = WR_NETWORK_PORTS };

static uint64_t seed_of(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    return seed;
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 11) % below);
}

/* A sender and a receiver at each node. */
static wr_mesh_config square(uint32_t width)
{
    wr_mesh_config c = {.inputs = width * width,
                        .outputs = width * width,
                        .width = width,
                        .vcs = 4,
                        .buffers = 4,
                        .routing = 1,
                        .vc_alloc = 1,
                        .switch_alloc = 1,
                        .traversal = 1,
                        .link = 1,
                        .credit = 1,
                        .input_flits = 8,
                        .output_packets = 8};
    for (uint32_t i = 0; i < width * width; i++) {
        c.input_node[i] = (uint8_t)i;
        c.output_node[i] = (uint8_t)i;
    }
    return c;
}

static uint32_t distance(uint32_t width, uint32_t a, uint32_t b)
{
    return (uint32_t)(abs((int)(a % width) - (int)(b % width)) +
                      abs((int)(a / width) - (int)(b / width)));
}

/* The only packet of an idle mesh: from push to the cycle in which it can be taken. */
static uint64_t lone(const wr_mesh_config *c, uint32_t from, uint32_t to, uint32_t flits)
{
    wr_mesh *m = wr_mesh_create(c);
    wr_packet p = {.addr = 77, .tag = 5}, got;
    uint64_t start = 1000 + from;
    assert_non_null(m);
    assert_int_equal(wr_mesh_arrivals(m)->next, WR_NEVER);
    wr_mesh_push(m, start, from, to, flits, &p);
    uint64_t now = start;
    while (wr_mesh_arrivals(m)->at[to] == WR_NEVER || now < wr_mesh_arrivals(m)->at[to]) {
        assert_true(now < start + 1000);
        wr_mesh_tick(m, ++now);
    }
    assert_true(wr_mesh_take(m, now, to, &got));
    assert_int_equal(got.addr, 77);
    assert_int_equal(got.tag, 5);
    wr_mesh_tick(m, now + 20);
    assert_int_equal(wr_mesh_arrivals(m)->next, WR_NEVER);
    assert_int_equal(wr_mesh_totals(m).hops, (uint64_t)distance(c->width, from, to) * flits);
    wr_mesh_free(m);
    return now - start;
}

static void idle_latency_is_exact(void **state)
{
    (void)state;
    static const uint32_t stages[][6] = {
        {1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1}, {2, 3, 1, 2, 3, 1}, {0, 1, 2, 1, 4, 2}};
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
        wr_mesh_config c = square(6);
        c.routing = stages[s][0];
        c.vc_alloc = stages[s][1];
        c.switch_alloc = stages[s][2];
        c.traversal = stages[s][3];
        c.link = stages[s][4];
        c.credit = stages[s][5];
        c.buffers = 16; /* more than a credit's way round: nothing waits */
        uint32_t router = c.routing + c.vc_alloc + c.switch_alloc + c.traversal;
        for (uint32_t from = 0; from < 36; from += 7) {
            for (uint32_t to = 0; to < 36; to++) {
                for (uint32_t flits = 1; flits <= 5; flits += 2) {
                    /* into the input FIFO, to the router; routers, each with a link behind; the
                     * other flits */
                    uint32_t want =
                        1 + c.link + (distance(6, from, to) + 1) * (router + c.link) + flits - 1;
                    assert_int_equal(lone(&c, from, to, flits), want);
                    assert_int_equal(wr_mesh_idle_latency(&c, from, to, flits), want);
                }
            }
        }
    }
}

/* Along the row, then along the column, and nowhere else. */
static void the_way_is_xy(void **state)
{
    (void)state;
    wr_mesh_config c = square(5);
    wr_mesh *m = wr_mesh_create(&c);
    wr_packet p = {0}, got;
    assert_non_null(m);
    wr_mesh_push(m, 0, 5 + 4, 15 + 1, 3, &p); /* (4,1) to (1,3) */
    wr_mesh_tick(m, 200);
    assert_true(wr_mesh_take(m, 200, 15 + 1, &got));
    uint64_t sum = 0;
    for (uint32_t node = 0; node < 25; node++) {
        for (uint32_t side = 0; side < 4; side++) {
            sum += wr_mesh_link_flits(m, node, (wr_mesh_side)side);
        }
    }
    assert_int_equal(sum, 5 * 3);
    for (uint32_t x = 2; x <= 4; x++) {
        assert_int_equal(wr_mesh_link_flits(m, 5 + x, WR_MESH_WEST), 3);
    }
    assert_int_equal(wr_mesh_link_flits(m, 5 + 1, WR_MESH_SOUTH), 3);
    assert_int_equal(wr_mesh_link_flits(m, 10 + 1, WR_MESH_SOUTH), 3);
    assert_int_equal(wr_mesh_input_flits(m, 5 + 4), 3);
    assert_int_equal(wr_mesh_output_flits(m, 15 + 1), 3);
    wr_mesh_free(m);
}

typedef struct storm {
    wr_mesh_config c;
    uint64_t cycles, seed;
    uint32_t load;    /* of 1000 cycles, in which a sender has something to send */
    uint32_t take;    /* of 1000 cycles, in which a receiver looks */
    uint32_t longest; /* flits */
    uint32_t hot;     /* of 1000 packets, for output 0 */
    bool every_cycle;
} storm;

typedef struct outcome {
    uint64_t packets, flits, hash, end;
    uint64_t of_input[PORTS];
} outcome;

typedef struct pending {
    wr_packet packet;
    uint32_t to, flits;
    bool waits;
} pending;

/* Random traffic until `cycles`, then until all is there. A packet says where it is from and to
 * and its number in the flow; the receiver checks them. */
static outcome run(const storm *s)
{
    static uint32_t sent[PORTS][PORTS], got[PORTS][PORTS];
    memset(sent, 0, sizeof sent);
    memset(got, 0, sizeof got);
    outcome o = {0};
    pending pend[PORTS] = {0};
    uint64_t random = s->seed * 2654435761U + 88172645463325252U;
    wr_mesh *m = wr_mesh_create(&s->c);
    assert_non_null(m);
    uint64_t in = 0, idle = 0, flits_in = 0;
    uint64_t now;
    for (now = 0; now < s->cycles || o.packets < in; now++) {
        if (s->every_cycle) {
            wr_mesh_wake(m);
        }
        if (s->every_cycle || wr_mesh_arrivals(m)->next <= now) {
            wr_mesh_tick(m, now);
        }
        assert_true(wr_mesh_arrivals(m)->next > now);
        for (uint32_t out = 0; out < s->c.outputs; out++) {
            bool looks = draw(&random, 1000) < s->take || now >= s->cycles;
            bool there = wr_mesh_arrivals(m)->at[out] <= now;
            assert_int_equal(wr_arrivals_there(wr_mesh_arrivals(m), now) >> out & 1, there);
            wr_packet p;
            if (!looks) {
                continue;
            }
            assert_true(wr_mesh_take(m, now, out, &p) == there);
            if (!there) {
                continue;
            }
            uint32_t from = p.sm;
            assert_int_equal(p.addr, out);
            assert_int_equal(p.tag, got[from][out]);
            got[from][out]++;
            o.packets++;
            o.flits += p.bytes;
            o.of_input[from] += now < s->cycles;
            o.hash = (o.hash ^ (now * 64 + out)) * 1099511628211U + p.tag + from;
            idle = 0;
        }
        for (uint32_t i = 0; i < s->c.inputs; i++) {
            pending *q = &pend[i];
            uint32_t want = draw(&random, 1000);
            uint32_t flits = 1 + draw(&random, s->longest);
            uint32_t hot = draw(&random, 1000);
            uint32_t to = draw(&random, s->c.outputs);
            if (!q->waits && now < s->cycles && want < s->load) {
                *q = (pending){.to = hot < s->hot ? 0 : to, .flits = flits, .waits = true};
            }
            if (q->waits && wr_mesh_room_at(m, now, i, q->flits) == now && now < s->cycles) {
                q->packet = (wr_packet){.addr = q->to,
                                        .tag = sent[i][q->to]++,
                                        .sm = (uint8_t)i,
                                        .bytes = (uint16_t)q->flits};
                wr_mesh_push(m, now, i, q->to, q->flits, &q->packet);
                q->waits = false;
                in++;
                flits_in += q->flits;
            }
        }
        assert_true(++idle < 20000); /* deadlock */
    }
    assert_int_equal(o.flits, flits_in);
    wr_mesh_stats t = wr_mesh_totals(m);
    assert_int_equal(t.packets_in, in);
    assert_int_equal(t.packets_out, in);
    assert_int_equal(t.flits_in, flits_in);
    assert_int_equal(t.flits_out, flits_in);
    for (uint32_t n = 0; n < s->c.width * s->c.width; n++) {
        for (uint32_t side = 0; side < 4; side++) {
            assert_true(wr_mesh_link_flits(m, n, (wr_mesh_side)side) <= now);
        }
    }
    uint64_t end = now;
    wr_mesh_tick(m, end + 40); /* credits come home */
    assert_int_equal(wr_mesh_arrivals(m)->next, WR_NEVER);
    wr_mesh_free(m);
    o.end = end;
    return o;
}

static wr_mesh_config random_mesh(uint64_t *r)
{
    wr_mesh_config c = square(1 + draw(r, 6));
    uint32_t nodes = c.width * c.width;
    c.vcs = 1 + draw(r, WR_MESH_VCS);
    c.buffers = 1 + draw(r, 6);
    c.routing = draw(r, 3);
    c.vc_alloc = draw(r, 3);
    c.switch_alloc = draw(r, 3);
    c.traversal = 1 + draw(r, 2);
    c.link = 1 + draw(r, 3);
    c.credit = 1 + draw(r, 3);
    c.input_flits = 1 + draw(r, 12);
    c.output_packets = 1 + draw(r, 9);
    uint32_t most = nodes * WR_MESH_LOCAL < 40 ? nodes * WR_MESH_LOCAL : 40;
    c.inputs = 1 + draw(r, most);
    c.outputs = 1 + draw(r, most);
    for (uint32_t i = 0; i < PORTS; i++) { /* never more than the node's ports */
        c.input_node[i] = (uint8_t)(i % nodes);
        c.output_node[i] = (uint8_t)((nodes - 1 - i % nodes) % nodes);
    }
    return c;
}

/* Every shape, load and pace: nothing is lost, doubled, overtaken or stuck, and skipping cycles
 * changes nothing. */
static void storms(void **state)
{
    (void)state;
    uint64_t r = seed_of() * 7919 + 17;
    for (uint32_t round = 0; round < 60; round++) {
        storm s = {.c = random_mesh(&r),
                   .cycles = 1500,
                   .seed = 1 + draw(&r, 1000000),
                   .load = 1 + draw(&r, 1000),
                   .take = draw(&r, 4) == 0 ? 20 : 1000,
                   .longest = 1 + draw(&r, 9),
                   .hot = draw(&r, 3) == 0 ? 600 : 0};
        outcome a = run(&s);
        s.every_cycle = true;
        outcome b = run(&s);
        assert_int_equal(a.hash, b.hash);
        assert_int_equal(a.end, b.end);
        assert_int_equal(a.packets, b.packets);
    }
}

/* Uniform traffic of single flits: half of it crosses the middle, over `width` links a way, so
 * that a node has at most 4 / width flits a cycle. */
static void saturation_is_below_the_bisection(void **state)
{
    (void)state;
    static const uint32_t widths[] = {4, 6, 8};
    for (size_t i = 0; i < 3; i++) {
        storm s = {.c = square(widths[i]),
                   .cycles = 20000,
                   .seed = 3,
                   .load = 1000,
                   .take = 1000,
                   .longest = 1};
        double bound = 4.0 / widths[i] < 1 ? 4.0 / widths[i] : 1;
        outcome o = run(&s);
        double rate = (double)o.packets / (double)s.cycles / (widths[i] * widths[i]);
        print_message("%ux%u: %.4f flits a node and cycle, %.1f %% of the bound\n", widths[i],
                      widths[i], rate, 100 * rate / bound);
        assert_true(rate < bound);
        assert_true(rate > .5 * bound);
        s.c.vcs = 1; /* with one VC a head blocks what is behind it */
        s.c.buffers = 16;
        outcome one = run(&s);
        double single = (double)one.packets / (double)s.cycles / (widths[i] * widths[i]);
        print_message("     one VC of 16 flits: %.4f\n", single);
        assert_true(single < rate);
    }
}

/* Long packets of one flow: a VC's buffers over the way of a flit and its credit. */
static void one_flow_is_bound_by_its_credits(void **state)
{
    (void)state;
    for (uint32_t buffers = 1; buffers <= 8; buffers++) {
        wr_mesh_config c = square(3);
        c.buffers = buffers;
        c.input_flits = 400;
        wr_mesh *m = wr_mesh_create(&c);
        wr_packet p = {0}, got;
        assert_non_null(m);
        wr_mesh_push(m, 0, 0, 2, 400, &p);
        uint64_t now = 0;
        while (wr_mesh_arrivals(m)->at[2] == WR_NEVER) {
            wr_mesh_tick(m, ++now);
            assert_true(now < 10000);
        }
        uint64_t last = wr_mesh_arrivals(m)->at[2];
        wr_mesh_tick(m, last);
        assert_true(wr_mesh_take(m, last, 2, &got));
        /* from a place's filling to its next filling: over the link, out again, and back */
        uint32_t round_trip = c.switch_alloc + c.traversal + c.link + c.switch_alloc + c.credit;
        double want = buffers < round_trip ? (double)buffers / round_trip : 1;
        double rate = 400.0 / (double)(last - wr_mesh_idle_latency(&c, 0, 2, 1));
        assert_true(rate > want * .98 && rate < want * 1.03);
        wr_mesh_free(m);
    }
}

/* Two senders at one node with one receiver share it evenly; all of a mesh with one receiver
 * keep its port full, and no one starves. */
static void shares_are_fair(void **state)
{
    (void)state;
    storm s = {
        .c = square(3), .cycles = 20000, .seed = 5, .load = 1000, .take = 1000, .longest = 1};
    s.c.inputs = 2;
    s.c.input_node[0] = s.c.input_node[1] = 4;
    s.c.outputs = 1;
    s.c.output_node[0] = 2;
    outcome o = run(&s);
    assert_true(o.of_input[0] * 100 >= o.of_input[1] * 99);
    assert_true(o.of_input[1] * 100 >= o.of_input[0] * 99);
    s.c = square(4);
    s.c.outputs = 1;
    s.longest = 4;
    o = run(&s);
    assert_true((double)o.flits / (double)o.end > .97);
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(o.of_input[i] * 100 > o.packets); /* even shares are 1/16 */
    }
}

/* A receiver that takes nothing stops its senders when the buffers are full, and no one else's
 * packets; then all go on. */
static void back_pressure(void **state)
{
    (void)state;
    wr_mesh_config c = square(3);
    wr_mesh *m = wr_mesh_create(&c);
    wr_packet p = {0}, got;
    assert_non_null(m);
    uint32_t in = 0, out = 0;
    uint64_t now = 0;
    for (; now < 2000; now++) {
        wr_mesh_tick(m, now);
        if (wr_mesh_room_at(m, now, 0, 2) == now) {
            wr_mesh_push(m, now, 0, 2, 2, &p);
            in++;
        }
    }
    /* receiver's FIFO, a VC at each of three routers (one flow has one VC), sender's FIFO */
    assert_in_range(in, 8 + 4, 8 + 3 * 2 + 4 + 2);
    assert_int_equal(wr_mesh_room_at(m, now, 0, 2), WR_NEVER);
    wr_mesh_push(m, now, 3, 5, 2, &p);
    wr_mesh_push(m, now, 1, 8, 2, &p); /* over the links of the blocked ones */
    for (; out < in; now++) {
        wr_mesh_tick(m, now);
        assert_true(now < 4000);
        if (now == 2100) {
            assert_true(wr_mesh_take(m, now, 5, &got));
            assert_true(wr_mesh_take(m, now, 8, &got));
        }
        out += now > 2100 && wr_mesh_take(m, now, 2, &got);
    }
    assert_int_equal(wr_mesh_totals(m).packets_out, in + 2);
    wr_mesh_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latency_is_exact),
        cmocka_unit_test(the_way_is_xy),
        cmocka_unit_test(storms),
        cmocka_unit_test(saturation_is_below_the_bisection),
        cmocka_unit_test(one_flow_is_bound_by_its_credits),
        cmocka_unit_test(shares_are_fair),
        cmocka_unit_test(back_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
