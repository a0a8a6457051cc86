/* SPDX-License-Identifier: Apache-2.0 */
/* One router of the mesh in one cycle: VC allocation, switch allocation, and the flits that its
 * senders put in; see mesh.h. */
#include "shell/memory/mesh_state.h"

#include <assert.h>

static const uint8_t opposite[MESH_SIDES] = {[WR_MESH_NORTH] = WR_MESH_SOUTH,
                                             [WR_MESH_EAST] = WR_MESH_WEST,
                                             [WR_MESH_SOUTH] = WR_MESH_NORTH,
                                             [WR_MESH_WEST] = WR_MESH_EAST};

static uint32_t neighbour(const wr_mesh *m, uint32_t node, uint32_t side)
{
    switch (side) {
    case WR_MESH_NORTH:
        return node - m->cfg.width;
    case WR_MESH_SOUTH:
        return node + m->cfg.width;
    case WR_MESH_EAST:
        return node + 1;
    default:
        return node - 1;
    }
}

/* XY: along the row first. */
static uint32_t route(const wr_mesh *m, const mesh_router *r, uint32_t packet)
{
    const mesh_output *out = &m->out[m->packets[packet].output];
    const mesh_router *to = &m->routers[out->node];
    if (to->x != r->x) {
        return to->x > r->x ? WR_MESH_EAST : WR_MESH_WEST;
    }
    if (to->y != r->y) {
        return to->y > r->y ? WR_MESH_SOUTH : WR_MESH_NORTH;
    }
    return out->port;
}

/* The first of `set` from `turn` on, round and round. */
static uint32_t from_turn(uint64_t set, uint32_t turn)
{
    uint64_t late = set & (UINT64_MAX << turn);
    return (uint32_t)__builtin_ctzll(late != 0 ? late : set);
}

/* A VC to a receiver: a name only, since places there are packets. */
static uint32_t choose_exit(const wr_mesh *m, const mesh_output *o, uint32_t busy)
{
    uint32_t open = ~busy & ((1U << m->cfg.vcs) - 1);
    return open != 0 && o->count + o->coming < m->cfg.output_packets ? (uint32_t)__builtin_ctz(open)
                                                                     : MESH_NONE;
}

/* A VC to the next router for a flow; MESH_NONE: it has to wait. */
static uint32_t choose_vc(const wr_mesh *m, uint32_t node, uint32_t out, uint32_t flow,
                          uint64_t now)
{
    const mesh_router *r = &m->routers[node];
    uint32_t vcs = m->cfg.vcs;
    uint32_t there = neighbour(m, node, out);
    uint32_t best = MESH_NONE;
    for (uint32_t i = 0; i < vcs; i++) {
        uint32_t vc = r->vc_next[out] + i < vcs ? r->vc_next[out] + i : r->vc_next[out] + i - vcs;
        const mesh_lane *lane = mesh_lane_at(m, there, opposite[out], vc);
        bool busy = (r->busy[out] >> vc & 1) != 0;
        if (mesh_holds(m, lane, flow, now)) {
            return !busy && mesh_room(m, lane, now) != NULL ? vc : MESH_NONE;
        }
        if (best == MESH_NONE && !busy && mesh_room(m, lane, now) != NULL) {
            best = vc;
        }
    }
    return best;
}

static void allocate_vcs(wr_mesh *m, uint32_t node, uint64_t now)
{
    mesh_router *r = &m->routers[node];
    mesh_lane *lanes = mesh_lane_at(m, node, 0, 0);
    uint64_t asks[MESH_ENDS] = {0};
    uint32_t asked = 0;
    for (uint64_t left = r->filled; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        mesh_lane *lane = &lanes[i];
        if (!lane->granted && lane->ready <= now) {
            const mesh_slot *front = &lane->slots[lane->first];
            assert(front->head && front->at <= now);
            lane->out = (uint8_t)route(m, r, front->packet);
            asks[lane->out] |= UINT64_C(1) << i;
            asked |= 1U << lane->out;
        }
    }
    for (; asked != 0; asked &= asked - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(asked);
        uint32_t start = r->vc_turn[out];
        for (uint64_t left = asks[out]; left != 0;) {
            uint32_t i = from_turn(left, start);
            mesh_lane *lane = &lanes[i];
            left &= ~(UINT64_C(1) << i);
            const mesh_slot *front = &lane->slots[lane->first];
            uint32_t vc = out < MESH_SIDES
                              ? choose_vc(m, node, out, front->flow, now)
                              : choose_exit(m, &m->out[r->output[out - MESH_SIDES]], r->busy[out]);
            if (vc == MESH_NONE) {
                continue;
            }
            lane->granted = true;
            lane->out_vc = (uint8_t)vc;
            lane->ready = now + m->cfg.vc_alloc;
            r->busy[out] |= (uint8_t)(1U << vc);
            r->vc_turn[out] = (uint8_t)((i + 1) & 63);
            r->vc_next[out] = (uint8_t)(vc + 1 == m->cfg.vcs ? 0 : vc + 1);
            if (out >= MESH_SIDES) {
                m->out[r->output[out - MESH_SIDES]].coming++;
            }
            if (m->cfg.vc_alloc != 0) {
                mesh_wake(m, node, lane->ready);
            }
        }
    }
}

/* The front of a lane may cross now. */
static bool may_cross(const wr_mesh *m, uint32_t node, const mesh_lane *lane, uint64_t now)
{
    if (!lane->granted || lane->ready > now || lane->slots[lane->first].at > now) {
        return false;
    }
    if (lane->out >= MESH_SIDES) {
        return true;
    }
    const mesh_lane *next =
        mesh_lane_at(m, neighbour(m, node, lane->out), opposite[lane->out], lane->out_vc);
    return mesh_room(m, next, now) != NULL;
}

static void arrive(wr_mesh *m, mesh_output *out, const mesh_slot *flit)
{
    out->flits++;
    if (flit->tail) {
        assert(out->count < m->cfg.output_packets && out->coming != 0);
        uint32_t at = out->first + out->count;
        at = at >= m->cfg.output_packets ? at - m->cfg.output_packets : at;
        out->queue[at] = (mesh_arrival){.at = flit->at, .packet = flit->packet};
        uint32_t port = m->packets[flit->packet].output;
        if (out->count == 0) {
            wr_arrivals_set(&m->front, port, flit->at);
        }
        out->count++;
        out->coming--;
    }
}

/* The front of a lane crosses the switch. */
static void cross(wr_mesh *m, uint32_t node, uint32_t port, uint32_t vc, uint64_t now)
{
    mesh_router *r = &m->routers[node];
    mesh_lane *lane = mesh_lane_at(m, node, port, vc);
    mesh_slot *front = &lane->slots[lane->first];
    uint64_t leaves = now + m->cfg.switch_alloc;
    uint32_t out = lane->out, out_vc = lane->out_vc;
    mesh_slot flit = *front;
    flit.at = leaves + m->cfg.traversal + m->cfg.link;

    front->filled = false;
    front->at = leaves + m->cfg.credit;
    mesh_wake(m, port < MESH_SIDES ? neighbour(m, node, port) : node, front->at);
    lane->first = (uint8_t)(lane->first + 1U == m->cfg.buffers ? 0 : lane->first + 1U);
    lane->count--;
    if (lane->count == 0) {
        r->filled &= ~(UINT64_C(1) << (port * m->cfg.vcs + vc));
    }
    if (flit.tail) {
        lane->granted = false;
        r->busy[out] &= (uint8_t) ~(1U << out_vc);
        if (lane->count != 0) {
            uint64_t at = lane->slots[lane->first].at;
            lane->ready = (at > now + 1 ? at : now + 1) + m->cfg.routing;
            mesh_wake(m, node, lane->ready);
        }
    }
    if (out >= MESH_SIDES) {
        arrive(m, &m->out[r->output[out - MESH_SIDES]], &flit);
    } else {
        uint32_t there = neighbour(m, node, out);
        mesh_slot *slot = mesh_room(m, mesh_lane_at(m, there, opposite[out], out_vc), now);
        assert(slot != NULL);
        r->link_flits[out]++;
        mesh_enter(m, there, opposite[out], out_vc, slot, &flit);
    }
}

static void allocate_switch(wr_mesh *m, uint32_t node, uint64_t now)
{
    mesh_router *r = &m->routers[node];
    uint32_t vcs = m->cfg.vcs;
    uint32_t ports = MESH_SIDES + r->inputs;
    uint32_t asks[MESH_ENDS] = {0}; /* of an output: inputs */
    uint32_t asked = 0;
    uint8_t offer[MESH_ENDS];
    for (uint32_t p = 0; p < ports; p++) {
        uint64_t filled = r->filled >> (p * vcs) & ((1U << vcs) - 1);
        uint64_t able = 0;
        for (uint64_t left = filled; left != 0; left &= left - 1) {
            uint32_t vc = (uint32_t)__builtin_ctzll(left);
            able |= may_cross(m, node, mesh_lane_at(m, node, p, vc), now) ? UINT64_C(1) << vc : 0;
        }
        if (able != 0) {
            offer[p] = (uint8_t)from_turn(able, r->in_turn[p]);
            uint32_t out = mesh_lane_at(m, node, p, offer[p])->out;
            asks[out] |= 1U << p;
            asked |= 1U << out;
        }
    }
    if (asked == 0) {
        return;
    }
    for (; asked != 0; asked &= asked - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(asked);
        uint32_t p = from_turn(asks[out], r->out_turn[out]);
        r->out_turn[out] = (uint8_t)(p + 1 == ports ? 0 : p + 1);
        r->in_turn[p] = (uint8_t)(offer[p] + 1U == vcs ? 0 : offer[p] + 1U);
        cross(m, node, p, offer[p], now);
    }
    mesh_wake(m, node, now + 1); /* who lost asks again, and a VC may have become free */
}

/* A VC for the packet in front of an input FIFO. */
static uint32_t choose_entry(const wr_mesh *m, const mesh_input *in, uint32_t flow, uint64_t now)
{
    uint32_t best = MESH_NONE;
    for (uint32_t i = 0; i < m->cfg.vcs; i++) {
        uint32_t vc = in->vc_next + i < m->cfg.vcs ? in->vc_next + i : in->vc_next + i - m->cfg.vcs;
        const mesh_lane *lane = mesh_lane_at(m, in->node, in->port, vc);
        bool room = mesh_room(m, lane, now) != NULL;
        if (mesh_holds(m, lane, flow, now)) {
            return room ? vc : MESH_NONE;
        }
        best = best == MESH_NONE && room ? vc : best;
    }
    return best;
}

/* A sender puts in a flit. */
static void enter(wr_mesh *m, mesh_input *in, uint64_t now)
{
    uint32_t p = in->queue[in->first];
    const mesh_packet *packet = &m->packets[p];
    uint32_t flow = (uint32_t)packet->input * WR_NETWORK_PORTS + packet->output;
    if (in->vc == MESH_NONE) {
        in->vc = (uint8_t)choose_entry(m, in, flow, now);
        if (in->vc == MESH_NONE) {
            return; /* a place that becomes free wakes the router */
        }
        in->vc_next = (uint8_t)(in->vc + 1U == m->cfg.vcs ? 0 : in->vc + 1U);
    }
    mesh_slot *slot = mesh_room(m, mesh_lane_at(m, in->node, in->port, in->vc), now);
    if (slot == NULL) {
        return;
    }
    bool tail = in->sent + 1 == packet->flits;
    const mesh_slot flit = {.at = now + m->cfg.link,
                            .packet = p,
                            .flow = (uint16_t)flow,
                            .filled = true,
                            .head = in->sent == 0,
                            .tail = tail};
    mesh_enter(m, in->node, in->port, in->vc, slot, &flit);
    in->sent++;
    in->flits--;
    m->front.freed |= UINT64_C(1) << (in - m->in);
    in->left++;
    in->leave_at = now + 1;
    if (tail) {
        in->sent = 0;
        in->vc = MESH_NONE;
        in->first = in->first + 1 == m->cfg.input_flits ? 0 : in->first + 1;
        in->count--;
    }
    if (in->count != 0) {
        mesh_wake(m, in->node, now + 1);
    }
}

void mesh_router_step(wr_mesh *m, uint32_t node, uint64_t now)
{
    const mesh_router *r = &m->routers[node];
    if (r->filled != 0) {
        allocate_vcs(m, node, now);
        allocate_switch(m, node, now);
    }
    for (uint32_t i = 0; i < r->inputs; i++) {
        mesh_input *in = &m->in[r->input[i]];
        if (in->count != 0 && in->leave_at <= now) {
            enter(m, in, now);
        }
    }
}
