/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh: its ends and its clock; see mesh.h. */
#include "shell/memory/mesh_state.h"

#include <assert.h>
#include <stdlib.h>

static bool in_range(const wr_mesh_config *c)
{
    return c->inputs <= WR_NETWORK_PORTS && c->outputs <= WR_NETWORK_PORTS && c->width != 0 &&
           c->width <= WR_MESH_WIDTH && c->vcs != 0 && c->vcs <= WR_MESH_VCS && c->buffers != 0 &&
           c->buffers <= WR_MESH_BUFFERS && c->routing <= WR_MESH_STAGE &&
           c->vc_alloc <= WR_MESH_STAGE && c->switch_alloc <= WR_MESH_STAGE && c->traversal != 0 &&
           c->traversal <= WR_MESH_STAGE && c->link != 0 && c->link <= WR_MESH_STAGE &&
           c->credit != 0 && c->credit <= WR_MESH_STAGE && c->input_flits != 0 &&
           c->output_packets != 0;
}

/* Terminals get the ports of their node in order. */
static void place(wr_mesh *m)
{
    const wr_mesh_config *c = &m->cfg;
    for (uint32_t n = 0; n < m->nodes; n++) {
        m->routers[n].x = (uint8_t)(n % c->width);
        m->routers[n].y = (uint8_t)(n / c->width);
    }
    for (uint32_t i = 0; i < c->inputs; i++) {
        assert(c->input_node[i] < m->nodes);
        mesh_router *r = &m->routers[c->input_node[i]];
        assert(r->inputs < WR_MESH_LOCAL);
        m->in[i].node = c->input_node[i];
        m->in[i].port = (uint8_t)(MESH_SIDES + r->inputs);
        m->in[i].vc = MESH_NONE;
        r->input[r->inputs++] = (uint8_t)i;
    }
    for (uint32_t o = 0; o < c->outputs; o++) {
        assert(c->output_node[o] < m->nodes);
        mesh_router *r = &m->routers[c->output_node[o]];
        assert(r->outputs < WR_MESH_LOCAL);
        m->out[o].node = c->output_node[o];
        m->out[o].port = (uint8_t)(MESH_SIDES + r->outputs);
        r->output[r->outputs++] = (uint8_t)o;
    }
}

static bool allocate(wr_mesh *m)
{
    const wr_mesh_config *c = &m->cfg;
    size_t lanes = (size_t)m->nodes * MESH_ENDS * c->vcs;
    size_t slots = lanes * c->buffers;
    /* a packet is where its tail is: in an input FIFO, in a buffer, or in an output FIFO */
    size_t packets = slots + (size_t)c->inputs * c->input_flits +
                     (size_t)c->outputs * (c->output_packets + c->vcs);
    m->routers = calloc(m->nodes, sizeof *m->routers);
    m->lanes = calloc(lanes, sizeof *m->lanes);
    m->slots = calloc(slots, sizeof *m->slots);
    m->packets = calloc(packets, sizeof *m->packets);
    m->spare = calloc(packets, sizeof *m->spare);
    bool ok = m->routers != NULL && m->lanes != NULL && m->slots != NULL && m->packets != NULL &&
              m->spare != NULL;
    for (uint32_t i = 0; i < c->inputs; i++) {
        m->in[i].queue = calloc(c->input_flits, sizeof *m->in[i].queue);
        ok = ok && m->in[i].queue != NULL;
    }
    for (uint32_t o = 0; o < c->outputs; o++) {
        m->out[o].queue = calloc(c->output_packets, sizeof *m->out[o].queue);
        ok = ok && m->out[o].queue != NULL;
    }
    if (!ok) {
        return false;
    }
    for (size_t l = 0; l < lanes; l++) {
        m->lanes[l].slots = &m->slots[l * c->buffers];
    }
    for (size_t p = 0; p < packets; p++) {
        m->spare[p] = (uint32_t)(packets - 1 - p);
    }
    m->spare_count = (uint32_t)packets;
    return true;
}

wr_mesh *wr_mesh_create(const wr_mesh_config *cfg)
{
    assert(in_range(cfg));
    wr_mesh *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return NULL;
    }
    m->cfg = *cfg;
    m->nodes = cfg->width * cfg->width;
    wr_arrivals_init(&m->front);
    if (!allocate(m)) {
        wr_mesh_free(m);
        return NULL;
    }
    place(m);
    return m;
}

void wr_mesh_free(wr_mesh *m)
{
    if (m == NULL) {
        return;
    }
    for (uint32_t i = 0; i < WR_NETWORK_PORTS; i++) {
        free(m->in[i].queue);
        free(m->out[i].queue);
    }
    free(m->routers);
    free(m->lanes);
    free(m->slots);
    free(m->packets);
    free(m->spare);
    free(m);
}

uint64_t wr_mesh_room_at(const wr_mesh *m, uint64_t now, uint32_t port, uint32_t flits)
{
    const mesh_input *in = &m->in[port];
    if (in->count != 0 && in->flits + flits > m->cfg.input_flits) {
        return WR_NEVER;
    }
    /* one whose last flits are leaving still has its entry */
    if (in->count == m->cfg.input_flits) {
        return WR_NEVER;
    }
    return in->link_free_at > now ? in->link_free_at : now;
}

void wr_mesh_push(wr_mesh *m, uint64_t now, uint32_t port, uint32_t to, uint32_t flits,
                  const wr_packet *packet)
{
    mesh_input *in = &m->in[port];
    assert(wr_mesh_room_at(m, now, port, flits) == now && to < m->cfg.outputs && flits != 0);
    assert(m->front.next >= now && m->spare_count != 0);
    wr_calendar_begin(&m->due, now);
    uint32_t p = m->spare[--m->spare_count];
    m->packets[p] = (mesh_packet){.packet = *packet,
                                  .serial = m->sent[port][to]++,
                                  .flits = (uint16_t)flits,
                                  .input = (uint8_t)port,
                                  .output = (uint8_t)to};
    in->queue[(in->first + in->count) % m->cfg.input_flits] = p;
    if (in->count++ == 0) {
        in->leave_at = now + 1;
        mesh_wake(m, in->node, now + 1);
    }
    in->flits += flits;
    in->link_free_at = now + flits;
    m->stats.packets_in++;
    m->stats.flits_in += flits;
}

bool mesh_holds(const wr_mesh *m, const mesh_lane *lane, uint32_t flow, uint64_t now)
{
    for (uint32_t i = 0; i < m->cfg.buffers; i++) {
        const mesh_slot *s = &lane->slots[i];
        if (s->flow == flow && (s->filled || s->at > now)) {
            return true;
        }
    }
    return false;
}

void mesh_enter(wr_mesh *m, uint32_t node, uint32_t port, uint32_t vc, mesh_slot *slot,
                const mesh_slot *flit)
{
    mesh_lane *lane = mesh_lane_at(m, node, port, vc);
    uint64_t ready = flit->at + (flit->head ? m->cfg.routing : 0);
    *slot = *flit;
    if (lane->count++ == 0) {
        m->routers[node].filled |= UINT64_C(1) << (port * m->cfg.vcs + vc);
        lane->ready = flit->head ? ready : lane->ready;
    }
    mesh_wake(m, node, ready);
}

void wr_mesh_tick(wr_mesh *m, uint64_t now)
{
    for (uint32_t n = 0; m->woken && n < m->nodes; n++) {
        mesh_wake(m, n, now);
    }
    m->woken = false;
    while (m->front.next <= now) {
        uint64_t t = m->front.next;
        uint64_t routers = wr_calendar_take(&m->due, t);
        wr_calendar_begin(&m->front.coming, t);
        m->front.next = WR_NEVER;
        for (; routers != 0; routers &= routers - 1) {
            mesh_router_step(m, (uint32_t)__builtin_ctzll(routers), t);
        }
        m->front.next = wr_calendar_next(&m->due);
    }
}

wr_arrivals *wr_mesh_arrivals(wr_mesh *m)
{
    return &m->front;
}

void wr_mesh_wake(wr_mesh *m)
{
    m->woken = true;
}

bool wr_mesh_take(wr_mesh *m, uint64_t now, uint32_t port, wr_packet *packet)
{
    mesh_output *out = &m->out[port];
    if (m->front.at[port] > now) {
        return false;
    }
    assert(m->front.next >= now);
    wr_calendar_begin(&m->due, now);
    uint32_t p = out->queue[out->first].packet;
    const mesh_packet *got = &m->packets[p];
    assert(got->output == port && got->serial == m->taken[got->input][port]);
    m->taken[got->input][port]++;
    *packet = got->packet;
    m->stats.packets_out++;
    m->stats.flits_out += got->flits;
    m->spare[m->spare_count++] = p;
    out->first = out->first + 1 == m->cfg.output_packets ? 0 : out->first + 1;
    wr_arrivals_set(&m->front, port, out->count != 1 ? out->queue[out->first].at : WR_NEVER);
    if (out->count-- + out->coming == m->cfg.output_packets) {
        mesh_wake(m, out->node, now + 1);
    }
    return true;
}

uint32_t wr_mesh_idle_latency(const wr_mesh_config *c, uint32_t input, uint32_t output,
                              uint32_t flits)
{
    uint32_t from = c->input_node[input], to = c->output_node[output];
    uint32_t fx = from % c->width, fy = from / c->width, tx = to % c->width, ty = to / c->width;
    uint32_t hops = (fx > tx ? fx - tx : tx - fx) + (fy > ty ? fy - ty : ty - fy);
    uint32_t router = c->routing + c->vc_alloc + c->switch_alloc + c->traversal + c->link;
    return 1 + c->link + (hops + 1) * router + flits - 1;
}

wr_mesh_stats wr_mesh_totals(const wr_mesh *m)
{
    wr_mesh_stats s = m->stats;
    for (uint32_t n = 0; n < m->nodes; n++) {
        for (uint32_t side = 0; side < MESH_SIDES; side++) {
            s.hops += m->routers[n].link_flits[side];
        }
    }
    return s;
}

uint64_t wr_mesh_input_flits(const wr_mesh *m, uint32_t port)
{
    return m->in[port].left;
}

uint64_t wr_mesh_output_flits(const wr_mesh *m, uint32_t port)
{
    return m->out[port].flits;
}

uint64_t wr_mesh_link_flits(const wr_mesh *m, uint32_t node, wr_mesh_side side)
{
    return m->routers[node].link_flits[side];
}
