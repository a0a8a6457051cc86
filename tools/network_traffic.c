/* SPDX-License-Identifier: Apache-2.0 */
/* Sources, receivers and figures; see network_traffic.h.
 *
 * A source holds one packet, its next. The packet behind it is drawn when it has gone, from its
 * own birth on: so a queue of any length needs no memory. */
#include "tools/network_traffic.h"

#include <assert.h>
#include <math.h>

#include "testbench/rng.h"

typedef struct source {
    wr_rng rng;
    uint64_t birth; /* of the packet that it holds */
    uint32_t to, flits;
} source;

typedef struct batch {
    uint64_t flits, packets, latency;
} batch;

typedef struct bench {
    const wr_traffic *t;
    uint32_t shares; /* their sum */
    uint64_t birth;  /* of 2^64: the chance that a packet is born in a cycle; UINT64_MAX: always */
    uint64_t hot;    /* likewise, that it goes to output 0 whatever is drawn */
    source sources[WR_TRAFFIC_PORTS];
    uint32_t partner[WR_TRAFFIC_PORTS]; /* permutation */
    uint64_t of_input[WR_TRAFFIC_PORTS], of_output[WR_TRAFFIC_PORTS];
    batch batches[WR_TRAFFIC_BATCHES];
    uint64_t latency_most;
} bench;

static uint32_t below(wr_rng *rng, uint32_t n)
{
    return (uint32_t)((wr_rng_u64(rng) >> 32) * n >> 32);
}

static uint64_t chance(double p)
{
    return p < 1 ? (uint64_t)ldexp(p, 64) : UINT64_MAX;
}

double wr_traffic_mean_flits(const wr_traffic *t)
{
    double flits = 0, shares = 0;
    for (uint32_t i = 0; i < t->lengths; i++) {
        flits += (double)t->flits[i] * t->share[i];
        shares += t->share[i];
    }
    return flits / shares;
}

static uint32_t draw_flits(const bench *b, wr_rng *rng)
{
    uint32_t at = b->t->lengths > 1 ? below(rng, b->shares) : 0;
    uint32_t i = 0;
    while (at >= b->t->share[i]) {
        at -= b->t->share[i++];
    }
    return b->t->flits[i];
}

static uint32_t draw_output(const bench *b, uint32_t input, wr_rng *rng)
{
    switch (b->t->pattern) {
    case WR_TRAFFIC_PERMUTATION:
        return b->partner[input];
    case WR_TRAFFIC_HOTSPOT:
        if (wr_rng_u64(rng) < b->hot) {
            return 0;
        }
        break;
    case WR_TRAFFIC_UNIFORM:
        break;
    }
    return below(rng, b->t->outputs);
}

/* The source's next packet, born in cycle `from` at the earliest. */
static void bear(bench *b, uint32_t input, uint64_t from)
{
    source *s = &b->sources[input];
    s->to = draw_output(b, input, &s->rng);
    s->flits = draw_flits(b, &s->rng);
    s->birth = from;
    while (b->birth != UINT64_MAX && wr_rng_u64(&s->rng) >= b->birth) {
        s->birth++;
    }
}

static void begin(bench *b, const wr_traffic *t)
{
    wr_rng rng;
    *b = (bench){.t = t, .birth = UINT64_MAX, .hot = chance(t->hot)};
    for (uint32_t i = 0; i < t->lengths; i++) {
        b->shares += t->share[i];
    }
    if (t->rate > 0) {
        b->birth = chance(t->rate / wr_traffic_mean_flits(t));
    }
    wr_rng_seed(&rng, t->seed);
    uint32_t order[WR_TRAFFIC_PORTS] = {0};
    for (uint32_t o = 0; o < t->outputs; o++) {
        uint32_t at = below(&rng, o + 1);
        order[o] = order[at];
        order[at] = o;
    }
    for (uint32_t i = 0; i < t->inputs; i++) {
        b->partner[i] = order[i % t->outputs];
        wr_rng_seed(&b->sources[i].rng, wr_rng_u64(&rng));
        bear(b, i, 0);
    }
}

static void receive(bench *b, wr_network *n, uint64_t now)
{
    const wr_traffic *t = b->t;
    for (uint64_t left = wr_network_there(n, now); left != 0; left &= left - 1) {
        uint32_t o = (uint32_t)__builtin_ctzll(left);
        wr_packet p;
        while (wr_network_take(n, now, o, &p)) {
            if (now < t->warmup) {
                continue;
            }
            batch *a = &b->batches[(now - t->warmup) * WR_TRAFFIC_BATCHES / t->cycles];
            uint64_t latency = now - p.addr;
            a->flits += p.bytes;
            a->packets++;
            a->latency += latency;
            b->of_input[p.sm] += p.bytes;
            b->of_output[o] += p.bytes;
            b->latency_most = latency > b->latency_most ? latency : b->latency_most;
        }
    }
}

static void send(bench *b, wr_network *n, uint64_t now)
{
    for (uint32_t i = 0; i < b->t->inputs; i++) {
        const source *s = &b->sources[i];
        if (s->birth > now || wr_network_room_at(n, now, i, s->flits) != now) {
            continue;
        }
        const wr_packet p = {.addr = s->birth, .bytes = (uint16_t)s->flits, .sm = (uint8_t)i};
        wr_network_push(n, now, i, s->to, s->flits, &p);
        bear(b, i, b->t->rate > 0 ? s->birth + 1 : now + 1);
    }
}

/* Sum over sum of the batches, and its standard error: from how far each batch is from what the
 * ratio makes of its own weight. */
static double ratio(const double *sum, const double *weight, double *error)
{
    double all = 0, weights = 0, squares = 0;
    for (uint32_t i = 0; i < WR_TRAFFIC_BATCHES; i++) {
        all += sum[i];
        weights += weight[i];
    }
    double mean = weights > 0 ? all / weights : 0;
    for (uint32_t i = 0; i < WR_TRAFFIC_BATCHES; i++) {
        double off = sum[i] - mean * weight[i];
        squares += off * off;
    }
    squares *= (double)WR_TRAFFIC_BATCHES / (WR_TRAFFIC_BATCHES - 1);
    *error = weights > 0 ? sqrt(squares) / weights : 0;
    return mean;
}

static void extremes(const uint64_t *flits, uint32_t ports, uint64_t cycles, double *least,
                     double *most)
{
    *least = *most = (double)flits[0] / (double)cycles;
    for (uint32_t i = 1; i < ports; i++) {
        double each = (double)flits[i] / (double)cycles;
        *least = each < *least ? each : *least;
        *most = each > *most ? each : *most;
    }
}

/* A source whose packet has waited for a fiftieth of the run, while less arrives than is born. */
static bool falls_behind(const bench *b, const wr_traffic_result *r)
{
    const wr_traffic *t = b->t;
    uint64_t end = t->warmup + t->cycles;
    bool late = false;
    for (uint32_t i = 0; i < t->inputs; i++) {
        late = late || b->sources[i].birth + end / 50 < end;
    }
    return late && r->throughput * t->outputs < .98 * t->rate * t->inputs;
}

static void sum_up(const bench *b, wr_traffic_result *r)
{
    const wr_traffic *t = b->t;
    double flits[WR_TRAFFIC_BATCHES], packets[WR_TRAFFIC_BATCHES], latency[WR_TRAFFIC_BATCHES];
    double port_cycles[WR_TRAFFIC_BATCHES];
    *r = (wr_traffic_result){.latency_most = b->latency_most};
    for (uint32_t i = 0; i < WR_TRAFFIC_BATCHES; i++) {
        const batch *a = &b->batches[i];
        flits[i] = (double)a->flits;
        packets[i] = (double)a->packets;
        latency[i] = (double)a->latency;
        /* the first cycle of batch i + 1 less that of batch i */
        uint64_t first = (t->cycles * i + WR_TRAFFIC_BATCHES - 1) / WR_TRAFFIC_BATCHES;
        uint64_t next = (t->cycles * (i + 1) + WR_TRAFFIC_BATCHES - 1) / WR_TRAFFIC_BATCHES;
        port_cycles[i] = (double)(next - first) * t->outputs;
        r->flits += a->flits;
        r->packets += a->packets;
    }
    r->throughput = ratio(flits, port_cycles, &r->throughput_error);
    r->of_peak = r->throughput * t->outputs / (t->inputs < t->outputs ? t->inputs : t->outputs);
    r->latency = ratio(latency, packets, &r->latency_error);
    extremes(b->of_input, t->inputs, t->cycles, &r->input_least, &r->input_most);
    extremes(b->of_output, t->outputs, t->cycles, &r->output_least, &r->output_most);
    r->behind = t->rate > 0 && falls_behind(b, r);
}

void wr_traffic_measure(wr_network *network, const wr_traffic *t, wr_traffic_result *result)
{
    bench b;
    assert(t->inputs != 0 && t->inputs <= WR_TRAFFIC_PORTS);
    assert(t->outputs != 0 && t->outputs <= WR_TRAFFIC_PORTS);
    assert(t->lengths != 0 && t->lengths <= WR_TRAFFIC_LENGTHS && t->cycles >= WR_TRAFFIC_BATCHES);
    begin(&b, t);
    for (uint64_t now = 0; now < t->warmup + t->cycles; now++) {
        wr_network_tick(network, now);
        receive(&b, network, now);
        send(&b, network, now);
    }
    sum_up(&b, result);
}
