/* SPDX-License-Identifier: Apache-2.0 */
/* The network under synthetic traffic (tools/network_traffic.h) against what theory says of it.
 *
 * Saturation of a crossbar with queues at its inputs and packets of one flit is a Markov chain over
 * how many heads ask for each output (Karol, Hluchyj, Morgan 1987): solved here for any size. Whom
 * an output chooses does not matter to it, so the crossbar's round robin has the same values as a
 * random choice; that it is fair is looked at by itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/memory/traffic.h"
#include "tools/network_traffic.h"

/* The chain. A state is how many heads ask for each output, largest first: outputs are alike. All
 * sums of heads up to the inputs are states too, since heads come one by one. */
enum { MOST = 16, STATES = 1024, ROUNDS = 400 };

typedef struct chain {
    uint32_t inputs, outputs, count;
    uint8_t state[STATES][MOST];
    uint32_t sum[STATES], served[STATES]; /* heads; outputs that are asked */
    uint32_t after[STATES];               /* one head of each asked output has crossed */
    uint32_t next[STATES][MOST];          /* one more head asks for output o */
    double mass[STATES];
} chain;

static void add_states(chain *c, uint8_t *parts, uint32_t used, uint32_t left, uint32_t largest)
{
    if (left == 0) {
        assert_true(c->count < STATES);
        memcpy(c->state[c->count++], parts, MOST);
        return;
    }
    for (uint32_t part = left < largest ? left : largest; used < c->outputs && part > 0; part--) {
        parts[used] = (uint8_t)part;
        add_states(c, parts, used + 1, left - part, part);
        parts[used] = 0;
    }
}

static int larger_first(const void *a, const void *b)
{
    return *(const uint8_t *)b - *(const uint8_t *)a;
}

static uint32_t find_state(const chain *c, const uint8_t *parts)
{
    uint8_t sorted[MOST];
    memcpy(sorted, parts, MOST);
    qsort(sorted, MOST, 1, larger_first);
    for (uint32_t s = 0; s < c->count; s++) {
        if (memcmp(c->state[s], sorted, MOST) == 0) {
            return s;
        }
    }
    fail_msg("the chain lacks a state");
    return 0;
}

/* Packets an output and cycle. */
static double exact(uint32_t inputs, uint32_t outputs)
{
    chain *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->inputs = inputs;
    c->outputs = outputs;
    for (uint32_t sum = 0; sum <= inputs; sum++) {
        uint8_t parts[MOST] = {0};
        uint32_t first = c->count;
        add_states(c, parts, 0, sum, sum);
        for (uint32_t s = first; s < c->count; s++) {
            c->sum[s] = sum;
        }
    }
    for (uint32_t s = 0; s < c->count; s++) {
        uint8_t parts[MOST];
        for (uint32_t o = 0; o < outputs; o++) {
            c->served[s] += c->state[s][o] != 0;
            parts[o] = c->state[s][o];
            if (c->sum[s] < inputs) {
                memcpy(parts, c->state[s], MOST);
                parts[o]++;
                c->next[s][o] = find_state(c, parts);
            }
        }
        for (uint32_t o = 0; o < MOST; o++) {
            parts[o] = (uint8_t)(c->state[s][o] - (c->state[s][o] != 0));
        }
        c->after[s] = find_state(c, parts);
    }
    c->mass[c->count - 1] = 1;
    double rate = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double old[STATES];
        memcpy(old, c->mass, sizeof old);
        memset(c->mass, 0, sizeof c->mass);
        rate = 0;
        for (uint32_t s = 0; s < c->count; s++) {
            if (c->sum[s] == inputs) {
                c->mass[c->after[s]] += old[s];
                rate += old[s] * c->served[s];
            }
        }
        for (uint32_t s = 0; s < c->count; s++) { /* sums ascend */
            for (uint32_t o = 0; o < outputs && c->sum[s] < inputs; o++) {
                c->mass[c->next[s][o]] += c->mass[s] / outputs;
            }
            c->mass[s] = c->sum[s] < inputs ? 0 : c->mass[s];
        }
    }
    free(c);
    return rate / outputs;
}

static void near(const char *what, double got, double wanted, double by)
{
    if (!(fabs(got - wanted) <= by)) {
        fail_msg("%s: measured %.5f, should be %.5f +- %.5f", what, got, wanted, by);
    }
}

/* The table of the paper. */
static void the_chain_is_karols(void **state)
{
    (void)state;
    near("1", exact(1, 1), 1, 1e-9);
    near("2", exact(2, 2), .75, 1e-9);
    near("3", exact(3, 3), .6825, .00006);
    near("4", exact(4, 4), .6552, .00006);
    near("5", exact(5, 5), .6399, .00006);
    near("6", exact(6, 6), .6302, .00006);
    near("7", exact(7, 7), .6234, .00006);
    near("8", exact(8, 8), .6184, .00006);
}

static wr_traffic uniform(void **seed, uint32_t inputs, uint32_t outputs)
{
    return (wr_traffic){.inputs = inputs,
                        .outputs = outputs,
                        .lengths = 1,
                        .flits = {1},
                        .share = {1},
                        .warmup = 5000,
                        .cycles = 300000,
                        .seed = *(const uint64_t *)*seed};
}

/* An output FIFO that never fills: its packets are more than the latency. */
static wr_gpu_config roomy(void)
{
    wr_gpu_config config = traffic_config();
    config.noc.output_packets = 16;
    return config;
}

static wr_traffic_result measure(const wr_gpu_config *config, const wr_traffic *t)
{
    wr_network n;
    wr_traffic_result r;
    assert_true(wr_network_init_ports(&n, config, t->inputs, t->outputs));
    wr_traffic_measure(&n, t, &r);
    wr_network_free(&n);
    return r;
}

static void saturation_is_exact(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {2, 2},   {4, 4},   {8, 8}, {16, 16},
                                        {3, 7}, {15, 12}, {12, 15}, {16, 1}};
    const wr_gpu_config config = roomy();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t in = sizes[i][0], out = sizes[i][1];
        char what[64];
        wr_traffic t = uniform(state, in, out);
        wr_traffic_result r = measure(&config, &t);
        double theory = exact(in, out);
        (void)snprintf(what, sizeof what, "saturation %u x %u", in, out);
        print_message("%s: %.5f +- %.5f, exact %.5f\n", what, r.throughput, r.throughput_error,
                      theory);
        assert_true(r.throughput_error <= .001);
        near(what, r.throughput, theory, .003);
        near(what, r.throughput, theory, 5 * r.throughput_error + 1e-9);
        near("share of the peak", r.of_peak, r.throughput * out / (in < out ? in : out), 1e-9);
    }
}

static void inputs_are_served_alike(void **state)
{
    const wr_gpu_config config = roomy();
    wr_traffic t = uniform(state, 8, 8);
    wr_traffic_result r = measure(&config, &t);
    near("least over most served input", r.input_least / r.input_most, 1, .02);
}

/* Packets of one length hold their pair for as long: the same share of the links. */
static void longer_packets_saturate_alike(void **state)
{
    wr_gpu_config config = roomy();
    config.noc.speedup = 1;
    wr_traffic t = uniform(state, 16, 16);
    t.flits[0] = 5;
    wr_traffic_result r = measure(&config, &t);
    near("five flits", r.throughput, exact(16, 16), 5 * r.throughput_error);
}

/* Karol et al., for very many ports: W = (2-p)(1-p) / ((2-sqrt2-p)(2+sqrt2-p)) - 1 cycles. */
static void latency_is_karols(void **state)
{
    const wr_gpu_config config = roomy();
    static const double rates[] = {.01, .1, .3, .5};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double p = rates[i];
        wr_traffic t = uniform(state, 64, 64);
        t.cycles = 60000;
        t.rate = p;
        wr_traffic_result r = measure(&config, &t);
        double wait = (2 - p) * (1 - p) / ((2 - sqrt(2) - p) * (2 + sqrt(2) - p)) - 1;
        print_message("wait at %.2f: %.4f +- %.4f, in theory %.4f\n", p,
                      r.latency - 1 - config.noc.latency, r.latency_error, wait);
        near("wait", r.latency - 1 - config.noc.latency, wait, .002 + .05 * wait);
        near("rate", r.throughput, p, 5 * r.throughput_error);
        assert_false(r.behind);
        assert_true((double)r.latency_most > r.latency);
    }
}

static void more_than_it_carries_falls_behind(void **state)
{
    const wr_gpu_config config = roomy();
    wr_traffic t = uniform(state, 16, 16);
    t.rate = .65;
    wr_traffic_result r = measure(&config, &t);
    assert_true(r.behind);
    near("saturation by rate", r.throughput, exact(16, 16), .003);
}

static void patterns_have_their_bounds(void **state)
{
    const wr_gpu_config config = roomy();
    wr_traffic t = uniform(state, 12, 12);
    t.pattern = WR_TRAFFIC_PERMUTATION;
    near("permutation", measure(&config, &t).throughput, 1, 1e-9);
    t.pattern = WR_TRAFFIC_HOTSPOT;
    t.hot = 1;
    near("one output alone", measure(&config, &t).throughput, 1. / 12, 1e-6);
    t.hot = .5; /* it is the bottleneck: all else goes as often as its share says */
    wr_traffic_result r = measure(&config, &t);
    near("hot output", r.output_most, 1, .001);
    near("a cold one", r.output_least, .5 / 12 / (.5 + .5 / 12), .004);
    t = uniform(state, 8, 8);
    t.lengths = 2;
    t.flits[1] = 5;
    t.share[0] = 3;
    t.share[1] = 1;
    t.rate = .2;
    r = measure(&config, &t);
    near("mean flits", wr_traffic_mean_flits(&t), 2, 1e-9);
    near("flits a packet", (double)r.flits / (double)r.packets, 2, .02);
    near("rate of a mixture", r.throughput, .2, 5 * r.throughput_error);
}

/* One place behind the switch: a packet each time that one has come through and been taken. */
static void a_small_output_fifo_throttles(void **state)
{
    wr_gpu_config config = roomy();
    config.noc.output_packets = 1;
    wr_traffic t = uniform(state, 16, 16);
    wr_traffic_result r = measure(&config, &t);
    assert_true(r.throughput < 1. / (1 + config.noc.latency) + 1e-6);
    near("one place", r.throughput, 1. / (1 + config.noc.latency), .05);
}

static void a_mesh_has_its_latency_and_bound(void **state)
{
    const wr_gpu_config config = traffic_named("kayiran");
    const wr_noc_mesh_config *m = &config.noc.mesh;
    uint32_t nodes = m->width * m->width;
    /* to and from every node: mean distance along a row and along a column is (w^2 - 1) / 3w */
    double hops = 2. * (m->width * m->width - 1) / (3. * m->width);
    double router = m->routing + m->vc_alloc + m->switch_alloc + m->traversal + m->link;
    wr_traffic t = uniform(state, nodes, nodes);
    t.cycles = 100000;
    t.rate = .01;
    wr_traffic_result r = measure(&config, &t);
    near("idle mesh", r.latency, 1 + m->link + (hops + 1) * router, .25);
    /* half of the flits of half of the nodes cross the middle, over a link a row */
    t.rate = 0;
    r = measure(&config, &t);
    double bound = 4. / m->width;
    print_message("mesh: %.4f of at most %.4f\n", r.throughput, bound);
    assert_true(r.throughput < bound && r.throughput > bound / 2);
}

static void the_seed_decides(void **state)
{
    const wr_gpu_config config = roomy();
    wr_traffic t = uniform(state, 5, 6);
    t.rate = .3;
    t.cycles = 5000;
    wr_traffic_result a = measure(&config, &t), b = measure(&config, &t);
    assert_true(a.flits == b.flits && a.latency == b.latency && a.latency_most == b.latency_most);
    t.seed++;
    b = measure(&config, &t);
    assert_true(a.flits != b.flits || a.latency != b.latency);
}

static int draw_seed(void **state)
{
    static uint64_t seed;
    seed = traffic_seed();
    *state = &seed;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_is_karols),
        cmocka_unit_test(saturation_is_exact),
        cmocka_unit_test(inputs_are_served_alike),
        cmocka_unit_test(longer_packets_saturate_alike),
        cmocka_unit_test(latency_is_karols),
        cmocka_unit_test(more_than_it_carries_falls_behind),
        cmocka_unit_test(patterns_have_their_bounds),
        cmocka_unit_test(a_small_output_fifo_throttles),
        cmocka_unit_test(a_mesh_has_its_latency_and_bound),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, draw_seed, NULL);
}
